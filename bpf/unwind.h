/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/unwind.bpf.c shares with user space: tables and records. */
#ifndef MP_BPF_UNWIND_H
#define MP_BPF_UNWIND_H

#include <linux/types.h>

#define MP_BPF_ROWS (4u << 20)	  /* 32 MiB */
#define MP_BPF_PAGES (512u << 10) /* 4 MiB */
#define MP_BPF_SPACES 2048u	  /* number of address spaces, which take 24 MiB */
/* most mappings of an address space; a power of two, as the next three numbers */
#define MP_BPF_MAPPINGS 256u
#define MP_BPF_HINTS 32u
#define MP_BPF_LAST 32u
#define MP_BPF_FOUND 256u
#define MP_BPF_FRAMES 127u
/* size of the pages by which rows are searched, which are not those of memory */
#define MP_BPF_ROWS_A_PAGE 8u /* average number of rows per page of a file, at least */
#define MP_BPF_PAGE_SHIFT 10
#define MP_BPF_CS_32 0x23 /* selector of the code segment of 32-bit programs */
#define MP_BPF_SYSCALLS 1024u
/* most tasks that are within the program on a probe at a time; a power of two */
#define MP_BPF_PROBE_SLOTS 32u

/* How the CFA is found. */
enum mp_bpf_kind {
	MP_BPF_NOTHING,	 /* without tables: walk along frame pointers */
	MP_BPF_SP,	 /* stack pointer + cfa */
	MP_BPF_FP,	 /* frame pointer + cfa */
	MP_BPF_FP_DEREF, /* the word at frame pointer + cfa */
	MP_BPF_PLT,	 /* in a PLT stub: stack pointer + 8, or + 16 after its push */
	MP_BPF_SIGNAL,	 /* in a signal frame of x86-64: a ucontext is at the stack pointer */
	MP_BPF_RA_DI,	 /* stack pointer + cfa; the return address is in rdi, as in vfork */
	MP_BPF_SWITCH,	 /* as MP_BPF_FP, but the caller is on another stack */
	MP_BPF_ROOT,	 /* there is no caller: threads begin in this code */
	MP_BPF_OTHER,	 /* by a rule that these tables cannot express */
};

/* A row, which is valid from `pc`, an address in the file, up to the next row. */
struct mp_bpf_row {
	__u32 pc;
	__s16 cfa; /* in units of 8 bytes */
	__u8 kind;
	/*
	 * where the frame pointer is saved: its distance from the CFA in units of 8 bytes; 0: it is
	 * unchanged; 1: at the address in the frame pointer
	 */
	__s8 fp;
};

struct mp_bpf_mapping {
	__u64 start, end;
	__u64 bias;  /* subtract it from an address to get the address in the file */
	__u32 first; /* index of the first row */
	/*
	 * for each page of the file from page_base on, the number of rows before it; and one more
	 * entry at the end
	 */
	__u32 pages, page_base;
	__u32 n_pages; /* 0: the file has no rows */
};

struct mp_bpf_space {
	__u32 n;
	/* changes with each use of the place; 0: it is not in use, or being changed */
	__u32 sequence;
	/*
	 * number of copies that were made because these tables did not suffice, although they were
	 * not new
	 */
	__u32 copies;
	__u32 unused;
	__u64 made_ns; /* when the tables were made */
	__u64 unused_too;
	__u8 hints[MP_BPF_HINTS];  /* by MiB of an address: the mapping that was last found there */
	__u16 last[MP_BPF_LAST];   /* by frame: the entries of `found` that the last walk used */
	__u64 found[MP_BPF_FOUND]; /* a cache: rows of addresses in recent walks */
	struct mp_bpf_mapping v[MP_BPF_MAPPINGS]; /* in order of address */
};

/*
 * Where the tables of a process are. They are stale once the space has another sequence, and from
 * an execve() on until user space has handled it.
 */
struct mp_bpf_task {
	__u32 space, sequence; /* 0: the task has no tables */
	__u64 time_ns;	       /* when the tables were valid */
	/* when the process last called execve(); 0: never since the recording began */
	__u64 exec_ns;
};

/* Settings of the programs. */
struct mp_bpf_settings {
	/* all processes are recorded, not only those that have a struct mp_bpf_task */
	__u32 everyone;
	/* index of the first buffer for copies that belongs to the slots of probes */
	__u32 probe_buffers;
	/*
	 * These users have no share, like root: the user of mp-record, and the writers of all
	 * recordings, whose uids are in a range that nobody else has
	 */
	__u32 uid, writer_uids, n_writer_uids;
	__u32 copy_bytes; /* of a copy of a stack, at most MP_BPF_COPY_BYTES */
	__u32 on;	  /* no stacks are taken before the events are enabled */
	/* a bit for each system call whose entry or return is recorded */
	__u64 sys_enter[MP_BPF_SYSCALLS / 64], sys_exit[MP_BPF_SYSCALLS / 64];
};

/*
 * What a user has caused: copies, and stacks while many wait. The amount is halved at each step of
 * the clock.
 */
struct mp_bpf_copier {
	__u64 step, bytes;
	__u64 refused; /* copies, stacks and totals that exceeded the share */
	__u32 pid;     /* the process of the first of them */
	__u32 unused;
	/* totals of aggregates that the user has added to the table with the number `table` */
	__u64 table, totals;
};

#define MP_BPF_COPIERS 1024u /* users */

/* How a walk ended; user space translates it to enum mp_unwind_end. */
enum mp_bpf_end {
	MP_BPF_COMPLETE,
	MP_BPF_NO_STACK, /* the task no longer has a memory map */
	MP_BPF_END_FRAMES,
	MP_BPF_END_MAPPING,
	MP_BPF_END_FP,
	MP_BPF_END_UNKNOWN, /* the frame pointer or a return address is 0, perhaps at the root */
	MP_BPF_END_STACK,   /* at a switch from another stack, across which no program can walk */
	MP_BPF_END_CFI,
	MP_BPF_END_ABI,	  /* the program is 32-bit */
	MP_BPF_NO_TABLES, /* the process has no tables yet */
	MP_BPF_COPIED,	  /* a copy of the stack was sent instead */
};

/*
 * Records begin as perf's do. Their time is 16 bytes before the end, as in perf's records that are
 * not samples.
 */
struct mp_bpf_head {
	__u32 type;
	__u16 misc;
	__u16 size;
	__u32 tid;
	__u32 end; /* how the walk ended */
	__u64 time_ns;
	__u32 cpu, drops; /* records dropped on this CPU before this one */
};

/* A user stack. */
struct mp_bpf_record {
	struct mp_bpf_head head;
	__u64 ip, sp; /* number of registers */
	__u64 ips[MP_BPF_FRAMES +
		  2]; /* after the frames: the time by which records are sorted, and 0 */
};

#define MP_BPF_REGS 17u
#define MP_BPF_REG_SP 7u
#define MP_BPF_REG_IP 8u
/* contexts of the programs of bpf/unwind.bpf.c that are not for probes */
#define MP_BPF_COPY_CONTEXTS 4u
#define MP_BPF_COPY_PAGE 4096u
#define MP_BPF_COPY_BYTES (60u << 10) /* a record must have less than 64 KiB */

/* A copy of the stack, which user space walks if the tables do not suffice. */
struct mp_bpf_copy {
	struct mp_bpf_head head;
	__u64 abi;		 /* PERF_SAMPLE_REGS_ABI_ */
	__u64 regs[MP_BPF_REGS]; /* in the order of mp_arch_x86_64.perf_regs */
	__u32 len;		 /* bytes of the stack that were copied */
	/* bytes requested; if more than `len`, the rest was not in memory */
	__u32 asked;
	char stack[MP_BPF_COPY_BYTES +
		   16]; /* after the bytes: the time by which records are sorted, and 0 */
};

#define MP_BPF_RECORD 0x6d70 /* types of records */
#define MP_BPF_COPY 0x6d72
/*
 * The time by which records are sorted is this much before the time of the record, so that the
 * sample does not precede its stack: perf may take the sample's time, and then copy stacks for
 * other events first.
 */
#define MP_BPF_EARLIER_NS 100000

_Static_assert(sizeof(struct mp_bpf_row) == 8, "rows take the most memory");
_Static_assert(sizeof(struct mp_bpf_mapping) == 40, "both sides agree");
_Static_assert(MP_BPF_MAPPINGS == 256, "a hint has 8 bits");
_Static_assert(sizeof(struct mp_bpf_space) % 64 == 0, "whole cache lines");
_Static_assert(sizeof(struct mp_bpf_copy) < 1 << 16, "its size is 16 bits");

#endif
