// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records functions of the kernel, at their begin and end, and raw tracepoints: their arguments
 * become a sample of a perf event, to which the kernel adds time, task and stack as to any other.
 * User space loads it once for each event.
 */
#include "bpf/record.h"
#include "bpf/target.h"

#include <bpf/bpf_tracing.h>

const volatile struct mp_tracing_setup setup SEC(".rodata.setup");

/* Follows pointers to the value, or to the text. Returns false if memory could not be read. */
static __always_inline bool follow(const volatile struct mp_tracing_field *f, __u64 *v)
{
	bool text = f->kind != MP_TRACING_NUMBER;
	__u64 at;
	__u32 i;

	for (i = 0; i < MP_TRACING_READS && i < f->n_reads; i++) {
		bool last = i + 1 == f->n_reads;

		at = *v + f->offsets[i];
		*v = 0;
		if (last && text)
			*v = at;
		else if (bpf_probe_read_kernel(v, last ? f->size & 15 : sizeof(*v), (void *)at))
			return false;
	}
	return true;
}

static __always_inline __u64 shifted(const volatile struct mp_tracing_field *f, __u64 v)
{
	v <<= f->left & 63;
	return f->has_sign ? (__u64)((__s64)v >> (f->right & 63)) : v >> (f->right & 63);
}

static __always_inline bool put_text(struct mp_tracing_record *r, __u32 field, __u32 kind, __u64 at,
				     __u32 *used)
{
	__u32 place = *used;
	long len = read_text(r, kind, at, used);

	if (len >= 0)
		r->values[field] = text_value(place, len);
	return len >= 0;
}

static __always_inline __u32 fill(struct mp_tracing_record *r, const __u64 *args)
{
	__u32 used = 0, i;

	for (i = 0; i < MP_TRACING_FIELDS && i < setup.n_fields; i++) {
		const volatile struct mp_tracing_field *f = &setup.fields[i];
		__u64 v = args[f->arg & 15];
		bool read = follow(f, &v);

		r->values[i] = 0;
		if (read && f->kind != MP_TRACING_NUMBER)
			read = put_text(r, i, f->kind, v, &used);
		else if (read)
			r->values[i] = shifted(f, v);
		if (!read)
			r->unread |= 1u << i;
	}
	return used;
}

/* --- programs --------------------------------------------------------------------------------- */

/* The buffer for a record; NULL if the task is not recorded. */
static __always_inline struct mp_tracing_record *begin_record(void)
{
	__u64 id = current_ids();
	struct mp_tracing_record *r;
	__u32 zero = 0;

	if (!setup.of_everyone) {
		if (!setup.of_all && is_excluded(id >> 32))
			return NULL;
		if (!is_target(id >> 32, id) || !is_in_cgroup())
			return NULL;
	}
	r = bpf_map_lookup_elem(&records, &zero);
	if (r) {
		r->unread = r->late = 0;
		r->pid = id;
	}
	return r;
}

static __always_inline void record(void *ctx, const __u64 *args)
{
	struct mp_tracing_record *r = begin_record();
	__u32 used;

	if (!r)
		return;
	used = fill(r, args);
	if (used <= sizeof(r->texts) && passes(r, setup.tests, setup.n_tests))
		output_sample(ctx, BPF_F_CURRENT_CPU, r,
			      __builtin_offsetof(struct mp_tracing_record, texts) + used, 0);
}

/* The verifier refuses to load arguments past the last one, so LOAD() tests for each. */
#define EACH_ARG(load)                                                                           \
	load(0) load(1) load(2) load(3) load(4) load(5) load(6) load(7) load(8) load(9) load(10) \
		load(11)

SEC("raw_tp")
int record_tracepoint(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 args[16] = { 0 };

#define LOAD(n)                 \
	if (setup.n_args > (n)) \
		args[n] = *(volatile __u64 *)&ctx->args[n];
	EACH_ARG(LOAD)
#undef LOAD
	record(ctx, args);
	return 0;
}

/*
 * Finds the length of the texts, of any length, that follow the fixed part of a tracepoint's
 * record.
 */
static __always_inline __u32 size_of(const void *record)
{
	__u32 size = setup.size, loc, end, i;

	for (i = 0; i < MP_TRACING_TEXTS && i < setup.n_texts; i++) {
		if (bpf_probe_read_kernel(&loc, sizeof(loc), record + setup.texts_at[i]))
			return 0;
		end = (loc & 0xffff) + (loc >> 16);
		size = end > size ? end : size;
	}
	return size;
}

/*
 * Copies the record that perf and ftrace get of a tracepoint. Only the first 8 bytes of `ctx`
 * differ from it. Returns 1, since 0 would hide the occurrence from all others.
 */
SEC("tp")
int record_tracefs(void *ctx)
{
	struct mp_tracing_record *r = begin_record();
	__u32 size = size_of(ctx);

	if (!r || size <= 8 || size - 8 >= sizeof(r->texts))
		return 1;
	size -= 8;
	/* keeps the compiler from removing the next line, which the verifier needs */
	__asm__ volatile("" : "+r"(size));
	size &= sizeof(r->texts) - 1;
	if (!bpf_probe_read_kernel((char *)r + 8, size, ctx + 8))
		output_sample(ctx, BPF_F_CURRENT_CPU, r, size + 8, 0);
	return 1;
}

#define LOAD(n)                 \
	if (setup.n_args > (n)) \
		bpf_get_func_arg(ctx, n, &args[n]);

SEC("fentry")
int record_entry(void *ctx)
{
	__u64 args[16] = { 0 };

	EACH_ARG(LOAD)
	record(ctx, args);
	return 0;
}

SEC("fexit")
int record_exit(void *ctx)
{
	__u64 args[16] = { 0 };

	EACH_ARG(LOAD)
	bpf_get_func_ret(ctx, &args[setup.n_args & 15]);
	record(ctx, args);
	return 0;
}

char _license[] SEC("license") = "GPL";
