/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How BPF programs walk a user stack: with tables that user space makes from call frame information
 * (lib/capture/object/walk_rows.c), and along frame pointers where there are no tables. Each object
 * that includes this header has the maps; lib/capture/bpf/bpfstack.c fills them.
 */
#ifndef MP_BPF_WALK_H
#define MP_BPF_WALK_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/ids.h"
#include "bpf/unwind.h"

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		cs, sp;
} __attribute__((preserve_access_index));

struct cred {
	struct {
		__u32 val;
	} uid;
} __attribute__((preserve_access_index));

struct task_struct {
	int pid, tgid, pagefault_disabled;
	unsigned int flags;
	void *mm;
	unsigned int self_exec_id;
	struct task_struct *group_leader;
	__u64 start_time;
	char comm[16];
	const struct cred *cred;
} __attribute__((preserve_access_index));

/* The ids of a task whose type the verifier knows: this takes loads instead of calls. */
#define TID(task) (is_inner() ? tid_of(task) : (__u32)(task)->pid)
#define TGID(task) (is_inner() ? tgid_of(task) : (__u32)(task)->tgid)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MP_BPF_ROWS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct mp_bpf_row);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MP_BPF_PAGES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u32);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MP_BPF_SPACES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct mp_bpf_space);
} spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4 * MP_BPF_SPACES);
	__type(key, __u32); /* process */
	__type(value, struct mp_bpf_task);
} tasks SEC(".maps");

/* Bounds an index where the verifier needs to see the bound. */
#define BOUND(index) __asm__ volatile("%0 &= 127" : "+r"(index))

/* Bytes of the user stack that are read at once: 1 KiB saves about nine reads of 8 bytes. */
#define WINDOW_BYTES 1024u
/*
 * a window begins below the word: a frame pointer is below the return address, and is read after it
 */
#define WINDOW_BELOW 56u
#define NO_WINDOW (1ull << 63)

/*
 * The state of a walk. It is in a map, since the verifier would follow all values of variables on a
 * program's stack.
 */
struct walk {
	__u64 ip, sp, bp, di;
	__u32 n, end;
	__u32 by_fp; /* the last step followed a frame pointer */
	__u32 exact;
	__u32 sequence; /* sequence of the space at the beginning of the walk */
	__u32 guessed;	/* at least one step of the walk followed a frame pointer */
	__u64 from_sp;	/* stack pointer where the current stack begins */
	__u64 window_at;
	char window[WINDOW_BYTES];
};

struct walker {
	struct mp_bpf_space *space;
	struct walk *walk;
	/* room for MP_BPF_FRAMES (127) addresses and one more */
	__u64 *ips;
};

struct mapping_search {
	struct mp_bpf_space *space;
	__u64 addr;
	__u32 low, high;
};

/*
 * A step of a binary search, for bpf_loop(), which the verifier checks once: halves the range,
 * which is empty in the end: `low` is the result.
 */
static long halve_mappings(__u32 i __attribute__((unused)), struct mapping_search *s)
{
	__u32 mid = (s->low + s->high) / 2;

	if (s->low >= s->high)
		return 1;
	if (s->space->v[mid & (MP_BPF_MAPPINGS - 1)].end <= s->addr)
		s->low = mid + 1;
	else
		s->high = mid;
	return 0;
}

/*
 * The index of the mapping at an address, or -1. This function and row_after() are not static, so
 * that the verifier checks them once instead of at each call.
 */
__attribute__((noinline)) int mapping_at(struct mp_bpf_space *space, __u64 addr)
{
	struct mapping_search s = { space, addr, 0, 0 };

	if (!space)
		return -1;
	s.high = space->n;
	bpf_loop(9, halve_mappings, &s, 0);
	if (s.low >= space->n || space->v[s.low & (MP_BPF_MAPPINGS - 1)].start > addr)
		return -1;
	return (int)(s.low & (MP_BPF_MAPPINGS - 1));
}

/* Finds the mapping at an address. Tries the one first that was last found at a nearby address. */
static const struct mp_bpf_mapping *find_mapping(struct mp_bpf_space *space, __u64 addr)
{
	__u8 *hint = &space->hints[addr >> 20 & (MP_BPF_HINTS - 1)];
	const struct mp_bpf_mapping *m = &space->v[*hint];
	int at;

	if (*hint < space->n && addr >= m->start && addr < m->end)
		return m;
	at = mapping_at(space, addr);
	if (at < 0)
		return 0;
	*hint = at;
	return &space->v[at & (MP_BPF_MAPPINGS - 1)];
}

struct search {
	__u32 at, pc;
};

/* A step of a search row by row: a page has few rows, in a cache line or two. */
static long skip_row(__u32 i __attribute__((unused)), struct search *s)
{
	const struct mp_bpf_row *row = bpf_map_lookup_elem(&rows, &s->at);

	if (!row || row->pc > s->pc)
		return 1;
	s->at++;
	return 0;
}

/* The index of the row after the one to which an address belongs. */
__attribute__((noinline)) __u32 row_after(__u32 first, __u32 page, __u32 pc)
{
	__u32 next = page + 1, *low = bpf_map_lookup_elem(&pages, &page);
	__u32 *high = bpf_map_lookup_elem(&pages, &next);
	struct search s = { first, pc };

	if (low && high && *high - *low <= 1u << MP_BPF_PAGE_SHIFT) {
		s.at += *low;
		bpf_loop(*high - *low, skip_row, &s, 0);
	}
	return s.at;
}

static const struct mp_bpf_row *find_row(const struct mp_bpf_mapping *m, __u64 addr)
{
	__u32 pc = addr - m->bias, page = (pc >> MP_BPF_PAGE_SHIFT) - m->page_base, at;

	if (page >= m->n_pages)
		return 0;
	at = row_after(m->first, m->pages + page, pc);
	if (at == m->first)
		return 0;
	at--;
	return bpf_map_lookup_elem(&rows, &at);
}

/*
 * Reads a word of the stack. Frames are small, so most words are in the window that an earlier read
 * has filled.
 */
static __attribute__((noinline)) int read_user(struct walk *w, __u64 addr, __u64 *v)
{
	__u64 at = addr - w->window_at, from = addr - WINDOW_BELOW;

	if (at > WINDOW_BYTES - sizeof(*v)) {
		w->window_at = NO_WINDOW;
		/* the stack may end inside the window */
		if (bpf_probe_read_user(w->window, WINDOW_BYTES, (void *)from))
			return bpf_probe_read_user(v, sizeof(*v), (void *)addr);
		w->window_at = from;
		at = WINDOW_BELOW;
	}
	*v = *(__u64 *)(w->window + at);
	return 0;
}

/* Steps to the caller by the frame record. Returns 1 if the walk ends here, else 0. */
static long step_fp(struct walk *w)
{
	__u64 next, ip;

	w->end = w->bp ? MP_BPF_END_FP : MP_BPF_END_UNKNOWN;
	if (!w->bp)
		return 1;
	if (w->bp & 7 || w->bp < w->sp || read_user(w, w->bp, &next) ||
	    read_user(w, w->bp + 8, &ip))
		return 1;
	w->sp = w->bp + 16;
	w->bp = next;
	w->ip = ip;
	w->by_fp = w->guessed = 1;
	w->exact = 0;
	return 0;
}

/* rt_sigframe: a struct ucontext is at the stack pointer, its registers start 40 bytes later. */
static long step_signal(struct walk *w)
{
	enum { CONTEXT = 40, BP = 10 * 8, SP = 15 * 8, IP = 16 * 8 };
	__u64 at = w->sp + CONTEXT;

	if (read_user(w, at + BP, &w->bp) || read_user(w, at + IP, &w->ip) ||
	    read_user(w, at + SP, &w->sp))
		return 1;
	w->by_fp = 0;
	w->exact = 1;
	return 0;
}

/*
 * Steps from code without rows. That may be the function of a signal frame: in the system call that
 * returns from a handler, the address is already after that function. Otherwise the return address
 * is at the stack pointer, if it leads to code with rows.
 */
static long step_bare(struct walk *w, struct mp_bpf_space *space)
{
	const struct mp_bpf_mapping *m;
	const struct mp_bpf_row *row;
	__u64 ip;

	m = find_mapping(space, w->ip - 1);
	row = m ? find_row(m, w->ip - 1) : 0;
	if (row && row->kind == MP_BPF_SIGNAL)
		return step_signal(w);
	if (read_user(w, w->sp, &ip))
		return 1;
	m = find_mapping(space, ip - 1);
	row = m ? find_row(m, ip - 1) : 0;
	if (!row || row->kind == MP_BPF_NOTHING)
		return 1;
	w->sp += 8;
	w->ip = ip;
	w->exact = 0;
	return 0;
}

static long step_row(struct walk *w, const struct mp_bpf_row *row)
{
	__u64 cfa, offset = (__s64)row->cfa * 8;

	w->end = MP_BPF_END_CFI;
	switch (row->kind) {
	case MP_BPF_ROOT:
		w->end = MP_BPF_COMPLETE;
		return 1;
	case MP_BPF_SP:
		cfa = w->sp + offset;
		break;
	case MP_BPF_SWITCH: /* the walk continues on another stack, which may be anywhere */
		w->end = MP_BPF_END_STACK;
		if (w->bp - w->from_sp < w->sp - w->from_sp)
			return 1; /* the frame pointer was not restored */
		w->sp = 0;
		cfa = w->bp + offset;
		w->from_sp = cfa;
		break;
	case MP_BPF_FP:
		cfa = w->bp + offset;
		break;
	case MP_BPF_FP_DEREF:
		if (read_user(w, w->bp + offset, &cfa))
			return 1;
		break;
	case MP_BPF_PLT:
		cfa = w->sp + 8 + ((w->ip & 15) >= 11 ? 8 : 0);
		break;
	case MP_BPF_SIGNAL:
		return step_signal(w);
	case MP_BPF_RA_DI: /* rdi is known in the first frame only */
		w->sp += offset;
		w->ip = w->di;
		w->exact = 0;
		return w->n != 1;
	default:
		return 1;
	}
	if (cfa <= w->sp || read_user(w, cfa - 8, &w->ip))
		return 1;
	if (row->fp && read_user(w, row->fp == 1 ? w->bp : cfa + (__s64)row->fp * 8, &w->bp))
		return 1;
	w->sp = cfa;
	w->by_fp = 0;
	w->exact = 0;
	return 0;
}

union row_bits {
	struct mp_bpf_row row;
	__u64 bits;
};

static __always_inline __u64 hash_address(const struct walk *w, __u64 addr)
{
	return (addr + w->sequence * 0xd6e8feb86659fd93ull) * 0x9fb21c651e98df25ull;
}

/*
 * Finds the row of an address. Returns 1, 0 if its mapping has none, -1 if there is no mapping.
 * Most time of a walk goes into searching, and the same callers occur again and again, so the space
 * has a cache of rows by address. All CPUs write to it without a lock, eight bytes at once: a row
 * with a hash of the address and the sequence in place of its `pc`. One in 2^32 searches for an
 * address that is not cached finds the row of another one.
 */
static __always_inline int row_at(struct walk *w, struct mp_bpf_space *space, __u64 addr,
				  union row_bits *to)
{
	__u64 hash = hash_address(w, addr), place = hash >> 24 & (MP_BPF_FOUND - 1);
	volatile __u64 *found = &space->found[place];
	const struct mp_bpf_mapping *m;
	const struct mp_bpf_row *row;

	space->last[w->n & (MP_BPF_LAST - 1)] = place;
	to->bits = *found;
	if (to->row.pc == hash >> 32)
		return 1;
	m = find_mapping(space, addr);
	if (!m)
		return -1;
	row = find_row(m, addr);
	if (!row)
		return 0;
	to->row = *row;
	to->row.pc = hash >> 32;
	*found = to->bits;
	return 1;
}

/*
 * Prefetches the rows of the previous walk, all at once: this walk needs most of them again, and
 * would otherwise wait for each in turn.
 */
static __always_inline void prefetch_rows(struct mp_bpf_space *space)
{
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < MP_BPF_LAST; i++)
		(void)*(volatile __u64 *)&space->found[space->last[i] & (MP_BPF_FOUND - 1)];
}

static long step(__u32 i, struct walker *of)
{
	struct walk *w = of->walk;
	__u64 addr = w->exact ? w->ip : w->ip - 1;
	union row_bits known;
	const struct mp_bpf_row *row;
	long last;
	int at;

	if (i >= MP_BPF_FRAMES)
		return 1;
	at = row_at(w, of->space, addr, &known);
	if (at < 0) {
		w->end = w->by_fp ? MP_BPF_END_FP : MP_BPF_END_MAPPING;
		of->ips[0] = i ? of->ips[0] : w->ip;
		w->n = i ? i : 1;
		return 1;
	}
	row = at ? &known.row : 0;
	/* user space subtracts 1 from return addresses; this is not a return address, so add 1 */
	BOUND(i);
	of->ips[i] = i && (w->exact || (row && row->kind == MP_BPF_SIGNAL)) ? w->ip + 1 : w->ip;
	w->n = i + 1;
	if (row && row->kind != MP_BPF_NOTHING)
		last = step_row(w, row);
	else if (i || !row || step_bare(w, of->space))
		last = step_fp(w);
	else
		last = 0;
	if (last)
		return 1;
	if (!w->ip) {
		w->end = w->guessed ? MP_BPF_END_UNKNOWN : MP_BPF_COMPLETE;
		return 1;
	}
	w->end = MP_BPF_END_FRAMES;
	return 0;
}

/* The space of a task; NULL if it has no tables yet, or stale ones. */
static __always_inline struct mp_bpf_space *find_space(const struct task_struct *task)
{
	__u32 tgid = TGID(task);
	const struct mp_bpf_task *where = bpf_map_lookup_elem(&tasks, &tgid);
	struct mp_bpf_space *space;

	if (!where || !where->sequence || where->exec_ns > where->time_ns)
		return 0;
	space = bpf_map_lookup_elem(&spaces, &where->space);
	return space && space->sequence == where->sequence ? space : 0;
}

/*
 * Walks the user stack of the current task, whose tables are in the space. Results: `n` addresses,
 * leaf first, and how the walk ended.
 */
static __always_inline void walk_user(struct walker *of, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct walk *w = of->walk;

	prefetch_rows(of->space);
	w->exact = 1;
	w->by_fp = w->guessed = 0;
	w->ip = regs->ip;
	w->sp = w->from_sp = regs->sp;
	w->bp = regs->bp;
	w->di = regs->di;
	w->n = 0;
	w->end = MP_BPF_NO_STACK;
	w->sequence = of->space->sequence;
	w->window_at = NO_WINDOW;
	if (regs->cs == MP_BPF_CS_32) {
		w->end = MP_BPF_END_ABI;
		of->ips[0] = w->ip;
		w->n = 1;
	} else if (task->mm) {
		bpf_loop(MP_BPF_FRAMES, step, of, 0);
	}
}

#endif
