/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/tracing.bpf.c and lib/capture/bpf/bpftracing.c share: what is taken from the arguments of a
 * function or a raw tracepoint, and how it is recorded.
 */
#ifndef MP_BPF_TRACING_H
#define MP_BPF_TRACING_H

#include <linux/types.h>

#define MP_TRACING_ARGS 12u /* of a function or tracepoint, words */
#define MP_TRACING_FIELDS 16u
#define MP_TRACING_READS 6u  /* pointers that are followed to a field */
#define MP_TRACING_TEXT 256u /* bytes of a string, the NUL among them */
#define MP_TRACING_TEXTS 8u  /* strings in a record */
#define MP_TRACING_TESTS 16u /* comparisons of a filter */
#define MP_TRACING_WORD 32u  /* bytes of a text that is compared, the NUL among them */

enum mp_tracing_kind {
	MP_TRACING_NUMBER,
	MP_TRACING_TEXT_KERNEL,
	MP_TRACING_TEXT_USER,
};

/* A field: an argument, and what it points to. */
struct mp_tracing_field {
	__u8 arg; /* number of the word; what a function returns is behind its arguments */
	__u8 kind;
	__u8 n_reads; /* 0: the argument itself */
	__u8 size;    /* bytes of a number, the last that is read */
	__u8 left,
		right; /* shifts that take bits out of it; right is arithmetic if it has a sign */
	__u8 has_sign;
	__u8 unused;
	__u32 offsets
		[MP_TRACING_READS]; /* from each pointer to what is read; of a text, the last to it */
};

enum mp_tracing_op {
	MP_TRACING_NE,
	MP_TRACING_EQ,
	MP_TRACING_LE,
	MP_TRACING_LT,
	MP_TRACING_GE,
	MP_TRACING_GT,
	MP_TRACING_BITS,
	MP_TRACING_TEXT_EQ,
	MP_TRACING_TEXT_NE,
};

/* A comparison, and the one to go to, always a later one. */
struct mp_tracing_test {
	__u8 op, field, is_signed;
	__u8 yes, no; /* or one of these: */
	__u8 len;     /* of the text, with its NUL */
	__u8 unused[2];
	__u64 value;
	char text[MP_TRACING_WORD];
};

#define MP_TRACING_YES 254u
#define MP_TRACING_NO 255u

/* Set before the program is loaded. */
struct mp_tracing_setup {
	struct mp_tracing_field fields[MP_TRACING_FIELDS];
	__u32 n_fields;
	__u32 n_args;  /* words */
	__u32 of_all;  /* also of excluded processes */
	__u32 n_tests; /* 0: no filter */
	struct mp_tracing_test tests[MP_TRACING_TESTS];
};

/* What goes into the sample, the beginning as every tracepoint has it. */
struct mp_tracing_record {
	__u16 unread; /* a bit for each field whose memory could not be read */
	__u16 unused;
	__s32 pid;			 /* of the thread */
	__u64 values[MP_TRACING_FIELDS]; /* of a text: u32, its place in the record, length << 16 */
	char texts[MP_TRACING_TEXTS * MP_TRACING_TEXT];
};

#endif
