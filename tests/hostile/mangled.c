// SPDX-License-Identifier: GPL-2.0-only
/*
 * mangled: runs functions with mangled names that take demanglers for ever, or have gigabytes,
 * until it is killed. Says "ready".
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/hostile/ready.h"

#define TEN(text) text text text text text text text text text text

/* 2^25 parts, 2^30 empty lists, 60 conversions in each other, 10^16 lifetimes */
#define PARTS                                                                                        \
	"_Z1fI1aIiiES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_ES0_IS4_S4_ES0_IS5_S5_ES0_IS6_S6_ES0_IS7_S7_ES0" \
	"_IS8_S8_ES0_IS9_S9_ES0_ISA_SA_ES0_ISB_SB_ES0_ISC_SC_ES0_ISD_SD_ES0_ISE_SE_ES0_ISF_SF_ES0_I" \
	"SG_SG_ES0_ISH_SH_ES0_ISI_SI_ES0_ISJ_SJ_ES0_ISK_SK_ES0_ISL_SL_ES0_ISM_SM_ES0_ISN_SN_ES0_ISO" \
	"_SO_ES0_ISP_SP_EEvv"
#define LISTS                                                                                        \
	"_Z1fI1aIJEJEES0_IDpS1_DpS1_ES0_IDpS4_DpS4_ES0_IDpS7_DpS7_ES0_IDpSA_DpSA_ES0_IDpSD_DpSD_ES0" \
	"_IDpSG_DpSG_ES0_IDpSJ_DpSJ_ES0_IDpSM_DpSM_ES0_IDpSP_DpSP_ES0_IDpSS_DpSS_ES0_IDpSV_DpSV_ES0" \
	"_IDpSY_DpSY_ES0_IDpS11_DpS11_ES0_IDpS14_DpS14_ES0_IDpS17_DpS17_ES0_IDpS1A_DpS1A_ES0_IDpS1D" \
	"_DpS1D_ES0_IDpS1G_DpS1G_ES0_IDpS1J_DpS1J_ES0_IDpS1M_DpS1M_ES0_IDpS1P_DpS1P_ES0_IDpS1S_DpS1" \
	"S_ES0_IDpS1V_DpS1V_ES0_IDpS1Y_DpS1Y_ES0_IDpS21_DpS21_ES0_IDpS24_DpS24_ES0_IDpS27_DpS27_ES0" \
	"_IDpS2A_DpS2A_ES0_IDpS2D_DpS2D_ES0_IDpS2G_DpS2G_EEvv"
#define CONVERSIONS "_Z" TEN("cvT_ILZcvT_ILZcvT_ILZcvT_ILZcvT_ILZcvT_ILZ") "1a"
#define LIFETIMES "_RMIC0FGzzzzzzzzz_EuEu"

enum { WORK = 1000000 };

static volatile unsigned long worked;

#define FUNCTION(function, name)                      \
	void function(void) __asm__(name);            \
	__attribute__((noinline)) void function(void) \
	{                                             \
		int i;                                \
                                                      \
		for (i = 0; i < WORK; i++)            \
			worked += i;                  \
		syscall(SYS_getpgid, 0);              \
	}

FUNCTION(parts, PARTS)
FUNCTION(lists, LISTS)
FUNCTION(conversions, CONVERSIONS)
FUNCTION(lifetimes, LIFETIMES)

int main(void)
{
	say_ready();
	for (;;) {
		parts();
		lists();
		conversions();
		lifetimes();
	}
}
