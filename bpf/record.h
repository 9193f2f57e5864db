/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How programs fill a struct mp_tracing_record with texts, filter by its values, and make it a
 * sample of a perf event.
 */
#ifndef MP_BPF_RECORD_H
#define MP_BPF_RECORD_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "bpf/tracing.h"

/*
 * One buffer suffices, since a program does not interrupt itself: the kernel skips such a run and
 * counts it. A CPU that enters a system call does not enter another one before.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mp_tracing_record);
} records SEC(".maps");

/*
 * By CPU, or by event and CPU: the perf event that gets the samples. If it is disabled, or absent,
 * nothing is recorded.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps");

/* By event: how often it happened while it was enabled. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} fired SEC(".maps");

/*
 * Appends a text to the `used` bytes of texts in the record. Returns its length with the NUL, or a
 * number below 0 if it could not be read. A text that is truncated ends with three dots.
 */
static __always_inline long read_text(struct mp_tracing_record *r, __u32 kind, __u64 at,
				      __u32 *used)
{
	__u32 place = *used;
	char *to;
	long len;

	if (place > sizeof(r->texts) - MP_TRACING_TEXT)
		return -1;
	to = r->texts + place;
	if (kind == MP_TRACING_TEXT_USER)
		len = bpf_probe_read_user_str(to, MP_TRACING_TEXT, (void *)at);
	else
		len = bpf_probe_read_kernel_str(to, MP_TRACING_TEXT, (void *)at);
	if (len < 0)
		return -1;
	if (len == MP_TRACING_TEXT)
		to[MP_TRACING_TEXT - 4] = to[MP_TRACING_TEXT - 3] = to[MP_TRACING_TEXT - 2] = '.';
	len &= 2 * MP_TRACING_TEXT - 1; /* bounds the length for the verifier */
	*used = place + len;
	return len;
}

/* The value of a text at `place` of the texts. */
static __always_inline __u64 text_value(__u32 place, __u32 len)
{
	return (__builtin_offsetof(struct mp_tracing_record, texts) + place) | len << 16;
}

/* --- the filter ------------------------------------------------------------------------------- */

static __always_inline bool is_text(const struct mp_tracing_record *r, __u64 loc,
				    const volatile struct mp_tracing_test *t)
{
	__u32 at = (__u32)(loc & 0xffff) - __builtin_offsetof(struct mp_tracing_record, texts), i;

	for (i = 0; i < MP_TRACING_WORD && i < t->len; i++) {
		__u32 place = at + i;

		/* keeps `place` in one register, so that the verifier sees the bound */
		__asm__ volatile("" : "+r"(place));
		if (place >= sizeof(r->texts) || r->texts[place] != t->text[i])
			return false;
	}
	return true;
}

static __always_inline bool is_number(__u64 v, const volatile struct mp_tracing_test *t)
{
	__u64 flip = t->is_signed ? 1ull << 63 : 0, a = v ^ flip, b = t->value ^ flip;

	switch (t->op) {
	case MP_TRACING_NE:
		return a != b;
	case MP_TRACING_EQ:
		return a == b;
	case MP_TRACING_LE:
		return a <= b;
	case MP_TRACING_LT:
		return a < b;
	case MP_TRACING_GE:
		return a >= b;
	case MP_TRACING_GT:
		return a > b;
	}
	return v & t->value;
}

/* A comparison with a field that could not be read is false, whatever the operator. */
static __always_inline bool holds(const struct mp_tracing_record *r,
				  const volatile struct mp_tracing_test *t)
{
	__u32 field = t->field & (MP_TRACING_FIELDS - 1);

	if (r->unread >> field & 1)
		return false;
	if (t->op == MP_TRACING_TEXT_EQ)
		return is_text(r, r->values[field], t);
	if (t->op == MP_TRACING_TEXT_NE)
		return !is_text(r, r->values[field], t);
	return is_number(r->values[field], t);
}

/* Whether a record passes the comparisons; it does if there are none. */
static __always_inline bool passes(const struct mp_tracing_record *r,
				   const volatile struct mp_tracing_test *tests, __u32 n)
{
	__u32 at = n ? 0 : MP_TRACING_YES, i;

	for (i = 0; i < MP_TRACING_TESTS && at < MP_TRACING_TESTS; i++)
		at = holds(r, &tests[at]) ? tests[at].yes : tests[at].no;
	return at == MP_TRACING_YES;
}

/* --- the sample ------------------------------------------------------------------------------- */

#define ENOENT 2      /* the perf event is absent */
#define EOPNOTSUPP 95 /* it is disabled */

/* Makes `size` bytes of the record a sample of a perf event, by its place in `events`. */
static __always_inline void output_sample(void *ctx, __u64 place, struct mp_tracing_record *r,
					  __u64 size, __u32 event)
{
	__u64 *count = bpf_map_lookup_elem(&fired, &event);
	long result = bpf_perf_event_output(ctx, &events, place, r, size);

	if (count && result != -ENOENT && result != -EOPNOTSUPP)
		++*count;
}

#endif
