// SPDX-License-Identifier: GPL-2.0-only
/* Names in the filters of tracepoints become numbers. */
#include "lib/capture/event/filter_names.h"

#include <stdlib.h>

#include "tests/unit/tap.h"

static struct mp_tp *tp;

static bool becomes(const char *filter, const char *want)
{
	char *error, *got = mp_tp_filter(tp, filter, &error);
	bool same = got && strcmp(got, want) == 0;

	if (!same)
		printf("# %s\n", got ? got : error);
	if (!got)
		free(error);
	free(got);
	return same;
}

static bool stays(const char *filter)
{
	return becomes(filter, filter);
}

static bool refused(const char *filter, const char *want)
{
	char *error, *got = mp_tp_filter(tp, filter, &error);
	bool same = !got && strcmp(error, want) == 0;

	if (!got)
		free(error);
	free(got);
	return same;
}

int main(void)
{
	tp = mp_tp_parse(
		MP_STR("name: made\nID: 7\nformat:\n"
		       "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		       "\tfield:int reason;\toffset:8;\tsize:4;\tsigned:1;\n"
		       "\tfield:u32 flags;\toffset:12;\tsize:4;\tsigned:0;\n"
		       "\tfield:dev_t dev;\toffset:16;\tsize:4;\tsigned:0;\n"
		       "\tfield:int ret;\toffset:20;\tsize:4;\tsigned:1;\n"
		       "\tfield:void * at;\toffset:24;\tsize:8;\tsigned:0;\n"
		       "\tfield:char name[8];\toffset:32;\tsize:8;\tsigned:0;\n\n"
		       "print fmt: \"%s %s %d,%d %d %pS %s\", "
		       "__print_symbolic(REC->reason, { 12, \"NETFILTER_DROP\" }, { -1, \"A b\" }), "
		       "__print_flags(REC->flags, \"|\", { 1, \"IN\" }, { 4, \"OUT\" }), "
		       "((unsigned int) ((REC->dev) >> 20)), "
		       "((unsigned int) ((REC->dev) & ((1U << 20) - 1))), "
		       "REC->ret, REC->at, REC->name\n"),
		"test");
	ok(becomes("reason==NETFILTER_DROP", "reason==12") &&
		   becomes("reason == 'A b'", "reason == -1") &&
		   becomes("(reason!=\"A b\"&&ret<0)||reason  !=NETFILTER_DROP",
			   "(reason!=-1&&ret<0)||reason  !=12"),
	   "values");
	ok(becomes("flags&OUT", "flags&4") && becomes("flags == \"IN|OUT\"", "flags == 5") &&
		   becomes("flags&IN||flags&OUT", "flags&1||flags&4") &&
		   becomes("(flags & IN)", "(flags & 1)"),
	   "flags");
	ok(becomes("dev==8:1", "dev==8388609") && becomes("ret==ENOENT", "ret==-2"),
	   "a device and an error");
	ok(stays("reason==12 && flags&0x4 && reason>-1 && dev==8388608 && ret == -2"), "numbers");
	ok(stays("name==NETFILTER_DROP && name~\"reason==IN\" && nope==OUT && COMM!='reason==x'"),
	   "other fields, and text in quotes");
	ok(stays("") && stays("reason") && stays("reason==") && stays("reason==''") &&
		   stays("reason&&flags") && stays("xreason==IN"),
	   "what the kernel will refuse");
	ok(stays("at.function == schedule || ret<0") && stays("common_pid & CPUS{1}") &&
		   stays("at.function") && stays("at.function==") &&
		   stays("at==0xffffffff81e4d9c7"),
	   "the kernel's words");
	ok(becomes("(at==schedule)", "(at.function==schedule )") &&
		   becomes("at != schedule && ret<0", "at.function != schedule && ret<0") &&
		   becomes("(at.function==schedule)", "(at.function==schedule )") &&
		   becomes("flags.function==schedule", "flags.function==schedule "),
	   "functions");
	ok(refused("reason==NETFILTER_DROPS",
		   "'reason' of the filter has no value 'NETFILTER_DROPS'; did you mean "
		   "'NETFILTER_DROP'?") &&
		   refused("flags&IN && dev==8:x", "'dev' of the filter has no value '8:x'"),
	   "unknown names");
	mp_tp_free(tp);
	return tap_done();
}
