/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/tracing.bpf.c shares with user space: which fields the program reads from the arguments
 * of a function or a raw tracepoint, and the record that has them.
 */
#ifndef MP_BPF_TRACING_H
#define MP_BPF_TRACING_H

#include <linux/types.h>

#define MP_TRACING_ARGS 12u /* most arguments of a function or tracepoint, in words */
#define MP_TRACING_FIELDS 16u
#define MP_TRACING_READS 6u   /* most pointers that are followed to get a field */
#define MP_TRACING_TEXT 1024u /* most bytes of a string with its NUL */
#define MP_TRACING_TEXTS 8u   /* most strings in a record */
#define MP_TRACING_TESTS 16u  /* most comparisons in a filter */
#define MP_TRACING_WORD 32u   /* most bytes of a text in a comparison, with its NUL */

enum mp_tracing_kind {
	MP_TRACING_NUMBER,
	MP_TRACING_TEXT_KERNEL,
	MP_TRACING_TEXT_USER,
	MP_TRACING_ARRAY_USER, /* an array of pointers to texts, of system calls only */
};

/* A field: an argument, and what it points to. */
struct mp_tracing_field {
	__u8 arg; /* index of the argument's word; the return value follows the last argument */
	__u8 kind;
	__u8 n_reads; /* 0: the field is the argument itself */
	__u8 size;    /* bytes of the number that the last read gets */
	/* shifts that extract a bit field; the right one is arithmetic if it has a sign */
	__u8 left, right;
	__u8 has_sign;
	__u8 unused;
	/* for each read: its offset from the pointer; the last one may read a text */
	__u32 offsets[MP_TRACING_READS];
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

/* A comparison, and which one follows it, always a later one. */
struct mp_tracing_test {
	__u8 op, field, is_signed;
	__u8 yes, no; /* index of the next comparison, or MP_TRACING_YES or MP_TRACING_NO */
	__u8 len;     /* length of the text, with its NUL */
	__u8 unused[2];
	__u64 value;
	char text[MP_TRACING_WORD];
};

#define MP_TRACING_YES 254u
#define MP_TRACING_NO 255u

/* User space sets it before the program is loaded. */
struct mp_tracing_setup {
	struct mp_tracing_field fields[MP_TRACING_FIELDS];
	__u32 n_fields;
	__u32 n_args;	   /* number of words */
	__u32 of_all;	   /* if set, excluded processes are recorded, too */
	__u32 n_tests;	   /* number of comparisons; 0: no filter */
	__u32 of_everyone; /* if set, tasks that are not targets are recorded, too */
	__u32 n_texts;	   /* for a tracepoint's record: number of texts after its fixed part... */
	__u32 texts_at[MP_TRACING_TEXTS]; /* ...and the offsets in the record of their places */
	__u32 size;			  /* for a tracepoint's record: bytes of its fixed part */
	struct mp_tracing_test tests[MP_TRACING_TESTS];
};

/* The raw data of the sample; the beginning is laid out as in any tracepoint. */
struct mp_tracing_record {
	__u16 unread; /* a bit for each field whose memory could not be read */
	__u16 late;   /* the record repeats an earlier one of a system call, see calls.h */
	__s32 pid;    /* id of the thread */
	/* for a text: a u32 with its offset in the record | length << 16 */
	__u64 values[MP_TRACING_FIELDS];
	char texts[MP_TRACING_TEXTS * MP_TRACING_TEXT];
};

#endif
