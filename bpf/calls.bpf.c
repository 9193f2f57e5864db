// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records entries to system calls with the texts that their arguments point to, in place of the
 * tracepoints, whose records have the pointers only. There is no raw tracepoint for a single
 * system call; the programs run at all of them.
 */
#include "bpf/calls.h"
#include "bpf/record.h"
#include "bpf/target.h"

#define TS_COMPAT 2 /* a 32-bit system call, whose number means another call */

struct pt_regs {
	unsigned long r10, r9, r8, dx, si, di;
} __attribute__((preserve_access_index));

struct thread_info {
	__u32 status;
} __attribute__((preserve_access_index));

struct mm_struct {
	unsigned long arg_start, arg_end, env_end;
} __attribute__((preserve_access_index));

struct task_struct {
	struct thread_info thread_info;
	struct mm_struct *mm;
} __attribute__((preserve_access_index));

const volatile struct mp_calls_setup setup SEC(".rodata.setup");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MP_CALLS);
	__type(key, __u32);
	__type(value, struct mp_call);
} calls SEC(".maps");

/* A call with a text that was not in memory. */
struct waiting {
	__u64 stamp;
	__u64 args[MP_CALL_ARGS];
	__u32 nr;
	__u32 unused;
};

/* A thread that is killed within a call remains until others need the room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32); /* thread */
	__type(value, struct waiting);
} waiting SEC(".maps");

/* How many of them there are, so that returns are quick if there are none. */
__u32 n_waiting;

static __always_inline bool is_recorded(void)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	__u64 id = current_ids();

	return !(BPF_CORE_READ(task, thread_info.status) & TS_COMPAT) && !is_excluded(id >> 32) &&
	       is_target(id >> 32, id) && is_in_cgroup();
}

/* --- texts ------------------------------------------------------------------------------------ */

/* The state of the loops that read the texts of a call, by bpf_loop(). */
struct reading {
	struct mp_tracing_record *r;
	const struct mp_call *call;
	__u64 at;  /* address in the array of strings, 0: it has been read to its end */
	__u64 end; /* where strings without an array end, 0: `at` is in an array */
	__u32 used;
	__u32 missing; /* a text was not in memory */
};

static __always_inline void put_byte(struct mp_tracing_record *r, __u32 place, char c)
{
	/* keeps `place` in one register, so that the verifier sees the bound */
	__asm__ volatile("" : "+r"(place));
	if (place < sizeof(r->texts))
		r->texts[place] = c;
}

static long read_string(__u32 i, struct reading *x)
{
	__u64 p = x->at < x->end ? x->at : 0;
	long len;

	(void)i;
	if (!x->end && bpf_probe_read_user(&p, sizeof(p), (void *)x->at))
		return 1;
	if (!p) {
		x->at = 0;
		return 1;
	}
	len = read_text(x->r, MP_TRACING_TEXT_USER, p, &x->used);
	if (len < 0)
		return 1;
	x->at += x->end ? len : 8;
	put_byte(x->r, x->used - 1, ' ');
	return x->end && len == MP_TRACING_TEXT;
}

/* Notes that an argument has been read, as a text of `len` bytes, or not. */
static __always_inline void set_text(struct reading *x, __u32 arg, __u32 place, long len)
{
	__u32 value = (arg + 1) & (MP_TRACING_FIELDS - 1);

	if (len >= 0)
		x->r->values[value] = text_value(place, len);
	else
		x->r->unread |= 1u << value;
	if (len < 0 && x->r->values[value])
		x->missing = 1;
}

/* Replaces the pointer of an argument to a text by the text. */
static long read_arg(__u32 i, struct reading *x)
{
	__u32 place = x->used;

	if (x->call->texts >> i & 1)
		set_text(x, i, place,
			 read_text(x->r, MP_TRACING_TEXT_USER,
				   x->r->values[(i + 1) & (MP_TRACING_FIELDS - 1)], &x->used));
	return 0;
}

/*
 * Replaces the pointer to an array of strings by one text, with blanks between them. Three dots at
 * its end stand for further strings.
 */
static __always_inline void read_array(struct reading *x, __u64 at, __u64 to)
{
	__u32 arg = x->call->array - 1, place = x->used, i;

	x->at = at;
	x->end = to;
	bpf_loop(MP_CALL_STRINGS, read_string, x, 0);
	if (x->used == place) {
		set_text(x, arg, place, -1);
		return;
	}
	for (i = 0; i < 3 && x->at; i++)
		put_byte(x->r, x->used++, '.');
	put_byte(x->r, x->at ? x->used++ : x->used - 1, '\0');
	set_text(x, arg, place, x->used - place);
}

/* --- the program ------------------------------------------------------------------------------ */

static __always_inline struct mp_tracing_record *the_record(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&records, &zero);
}

/* The buffer with the number and the arguments of a call; NULL: there is none. */
static __always_inline struct mp_tracing_record *begin_record(const struct waiting *w)
{
	struct mp_tracing_record *r = the_record();

	if (!r)
		return NULL;
	r->unread = 0;
	r->late = w->stamp != 0;
	r->pid = current_ids();
	r->values[0] = w->nr;
	__builtin_memcpy(&r->values[1], w->args, sizeof(w->args));
	r->values[MP_CALL_STAMP] = w->stamp;
	return r;
}

#define MISSING (1ull << 32)

/*
 * Reads the texts of the call into the record. Returns the number of their bytes, and MISSING if
 * one was not in memory. The verifier checks a global function by itself.
 */
__noinline __u64 read_texts(__u32 nr)
{
	struct reading x = { the_record(), bpf_map_lookup_elem(&calls, &nr), 0, 0, 0, 0 };

	if (x.r && x.call)
		bpf_loop(MP_CALL_ARGS, read_arg, &x, 0);
	if (x.r && x.call && x.call->array)
		read_array(&x, x.r->values[x.call->array & (MP_TRACING_FIELDS - 1)], 0);
	return x.missing ? x.used | MISSING : x.used;
}

/*
 * As read_texts(), after an execve(): the memory is that of the new program, where the kernel has
 * put the arguments, the environment, and then the path.
 */
__noinline __u64 read_program(__u32 nr)
{
	struct reading x = { the_record(), bpf_map_lookup_elem(&calls, &nr), 0, 0, 0, 0 };
	const struct task_struct *task = (void *)bpf_get_current_task();
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u32 path;

	if (!x.r || !x.call || !x.call->array || !mm)
		return MISSING;
	path = x.call->array - 2; /* precedes the arguments */
	set_text(&x, path, 0,
		 read_text(x.r, MP_TRACING_TEXT_USER, BPF_CORE_READ(mm, env_end), &x.used));
	read_array(&x, BPF_CORE_READ(mm, arg_start), BPF_CORE_READ(mm, arg_end));
	return x.missing ? x.used | MISSING : x.used;
}

/* The state of a filter: the next comparison. */
struct filtering {
	const struct mp_tracing_record *r;
	const struct mp_call *call;
	__u32 at;
};

static long test(__u32 i, struct filtering *x)
{
	const struct mp_tracing_test *t = &x->call->tests[x->at & (MP_TRACING_TESTS - 1)];

	(void)i;
	x->at = holds(x->r, t) ? t->yes : t->no;
	return x->at >= MP_TRACING_TESTS;
}

/* Whether the record passes the filter of the call. */
__noinline int is_selected(__u32 nr)
{
	struct filtering x = { the_record(), bpf_map_lookup_elem(&calls, &nr), 0 };

	if (x.r && x.call)
		bpf_loop(MP_TRACING_TESTS, test, &x, 0);
	return x.at == MP_TRACING_YES;
}

static __always_inline void output(void *ctx, __u32 event, struct mp_tracing_record *r, __u64 used)
{
	__u64 index = event * setup.n_cpus + bpf_get_smp_processor_id();

	/* keeps `used` in one register, so that the verifier sees the bound */
	__asm__ volatile("" : "+r"(used));
	if (used <= sizeof(r->texts))
		output_sample(ctx, index & BPF_F_INDEX_MASK, r,
			      __builtin_offsetof(struct mp_tracing_record, texts) + used, event);
}

/* Remembers that the texts of the current task's call are to be read again when it returns. */
static __always_inline void wait_for_return(const struct waiting *w)
{
	__u32 tid = bpf_get_current_pid_tgid();

	if (bpf_map_update_elem(&waiting, &tid, w, BPF_NOEXIST) == 0)
		__sync_fetch_and_add(&n_waiting, 1);
	else
		bpf_map_update_elem(&waiting, &tid, w, BPF_EXIST);
}

SEC("raw_tp/sys_enter")
int record_call(struct bpf_raw_tracepoint_args *ctx)
{
	const struct pt_regs *regs = (void *)ctx->args[0];
	const struct mp_call *call;
	struct mp_tracing_record *r;
	__u64 nr = ctx->args[1], read;
	__u32 key = nr;
	struct waiting w = { .nr = key };

	call = nr < MP_CALLS ? bpf_map_lookup_elem(&calls, &key) : NULL;
	if (!call || !call->event || !is_recorded())
		return 0;
	w.args[0] = BPF_CORE_READ(regs, di);
	w.args[1] = BPF_CORE_READ(regs, si);
	w.args[2] = BPF_CORE_READ(regs, dx);
	w.args[3] = BPF_CORE_READ(regs, r10);
	w.args[4] = BPF_CORE_READ(regs, r8);
	w.args[5] = BPF_CORE_READ(regs, r9);
	r = begin_record(&w);
	if (!r)
		return 0;
	read = read_texts(key);
	if (call->n_tests && !is_selected(key))
		return 0;
	if (read & MISSING) {
		w.stamp = r->values[MP_CALL_STAMP] = bpf_ktime_get_ns();
		wait_for_return(&w);
	}
	output(ctx, call->event - 1, r, (__u32)read);
	return 0;
}

/* Reads again what was not in memory. */
SEC("raw_tp/sys_exit")
int record_return(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct mp_tracing_record *r;
	const struct waiting *found;
	const struct mp_call *call;
	struct waiting w;
	__u64 read;

	found = n_waiting ? bpf_map_lookup_elem(&waiting, &tid) : NULL;
	if (!found)
		return 0;
	w = *found;
	bpf_map_delete_elem(&waiting, &tid);
	__sync_fetch_and_add(&n_waiting, -1);
	call = bpf_map_lookup_elem(&calls, &w.nr);
	r = call && call->event ? begin_record(&w) : NULL;
	if (!r)
		return 0;
	if (call->array && (__s64)ctx->args[1] >= 0)
		read = read_program(w.nr);
	else
		read = read_texts(w.nr);
	if (!(read & MISSING))
		output(ctx, call->event - 1, r, (__u32)read);
	return 0;
}

char _license[] SEC("license") = "GPL";
