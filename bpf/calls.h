/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/calls.bpf.c shares with user space: the system calls that it records, with the texts that
 * their arguments point to. The record is a struct mp_tracing_record, in which the number of the
 * call and its arguments are at the same places as in the record of the tracepoint. If a text was
 * not in memory, the record has a stamp; a record with the same stamp and all texts may follow when
 * the call returns, since the kernel has read the text by then.
 */
#ifndef MP_BPF_CALLS_H
#define MP_BPF_CALLS_H

#include "bpf/tracing.h"

#define MP_CALLS 1024u			      /* numbers of system calls are below */
#define MP_CALL_ARGS 6u			      /* most arguments of a system call */
#define MP_CALL_STAMP (MP_TRACING_FIELDS - 1) /* the place of the stamp among the values */
#define MP_CALL_STRINGS 64u /* most strings of an array of strings, such as argv */

/* User space sets it before the program is loaded. */
struct mp_calls_setup {
	__u32 n_cpus; /* number of entries in `events` for each event */
};

/* A system call, by its number. */
struct mp_call {
	__u32 event; /* index of its event plus 1, 0: it is not recorded */
	__u8 texts;  /* a bit for each argument that is a string */
	__u8 array;  /* index of the argument that is an array of strings plus 1, 0: none */
	__u16 n_tests;
	struct mp_tracing_test tests[MP_TRACING_TESTS]; /* field 0 is the number of the call */
};

#endif
