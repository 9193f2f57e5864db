// SPDX-License-Identifier: GPL-2.0-only
/* A plan becomes bytes and the same plan again; damaged bytes are refused. */
#include <stdlib.h>
#include <string.h>

#include "lib/capture/host/cut_plan.h"
#include "tests/unit/tap.h"

static struct mp_names_entry entries[] = { { 1, (char *)"S" }, { 1ull << 63, (char *)"" } };
static struct mp_names_part parts[] = {
	{ MP_NAMES_FLAGS, { 24, 4, 7, true }, 0xff, entries, 2, (char *)"|", NULL },
	{ MP_NAMES_VALUES, { .size = 0 }, ~0ull, NULL, 0, NULL, (char *)"other" },
};
static struct mp_names names = { parts, MP_ARRAY_SIZE(parts) };
static struct mp_cut_field payload[] = {
	{ .at = { (char *)"prev_comm", MP_TP_STRING, MP_TP_FIXED, 8, 16, 1, true, NULL },
	  .number = 0 },
	{ .at = { (char *)"file", MP_TP_STRING, MP_TP_DATA_LOC, 24, 4, 1, true, NULL },
	  .number = 7 },
	{ .at = { (char *)"state", MP_TP_SIGNED, MP_TP_FIXED, 32, 8, 8, false, &names } },
};
static struct mp_cut_event events[] = {
	{ .type = (char *)"sched:sched_switch",
	  .sample_type = ~0ull,
	  .sample_period = 1,
	  .context = MP_CTX_CPU | MP_CTX_STACK,
	  .payload = payload,
	  .n_payload = MP_ARRAY_SIZE(payload),
	  .max_stack = 127,
	  .method = MP_METHOD_BPF,
	  .each = true,
	  .common = true,
	  .any_task = true },
	{ .type = (char *)"task:exec",
	  .method = MP_METHOD_UNSET,
	  .own = true,
	  .record = 3,
	  .exec = true },
	{ .type = (char *)"fentry:vfs_read",
	  .program = true,
	  .program_bytes = 40,
	  .texts = true,
	  .function = (char *)"vfs_read" },
};
static struct mp_cut_agg aggs[] = { { (char *)"sum:blocked", (char *)"dur", (char *)"ns", true,
				      false },
				    { (char *)"held:x", (char *)"n", NULL, false, true } };
static int32_t cpus[] = { 0, 2, -1 };
static struct mp_cut_counter counters[] = { { 77, 2, -1 }, { 1ull << 63, 0, 4000 } };
static pid_t pids[] = { 1, 4194304 };
static const struct mp_cut_plan plan = {
	.events = { events, MP_ARRAY_SIZE(events), aggs, MP_ARRAY_SIZE(aggs), 16, false },
	.cpus = cpus,
	.n_rings = MP_ARRAY_SIZE(cpus),
	.counters = counters,
	.n_counters = MP_ARRAY_SIZE(counters),
	.exclude = { pids, 2, 2 },
	.own = { pids + 1, 1, 1 },
	.found = { pids, 1, 1 },
	.max_events = 10,
	.rotate_bytes = 100 << 20,
	.rotate_ns = 3600000000000,
	.everyone = true,
	.counts = true,
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_names(const struct mp_names *a, const struct mp_names *b)
{
	size_t i, j;

	if (!a || !b || a->n != b->n)
		return a == b;
	for (i = 0; i < b->n; i++) {
		const struct mp_names_part *p = &a->v[i], *q = &b->v[i];

		if (p->kind != q->kind || p->when.value != q->when.value || p->mask != q->mask ||
		    p->n != q->n || !same_text(p->delim, q->delim) ||
		    !same_text(p->other, q->other))
			return false;
		for (j = 0; j < q->n; j++)
			if (p->v[j].value != q->v[j].value ||
			    !same_text(p->v[j].text, q->v[j].text))
				return false;
	}
	return true;
}

static bool same_event(const struct mp_cut_event *a, const struct mp_cut_event *b)
{
	size_t i;

	for (i = 0; i < b->n_payload; i++)
		if (!same_text(a->payload[i].at.name, b->payload[i].at.name) ||
		    a->payload[i].at.place != b->payload[i].at.place ||
		    a->payload[i].at.offset != b->payload[i].at.offset ||
		    a->payload[i].number != b->payload[i].number ||
		    !same_names(a->payload[i].at.names, b->payload[i].at.names))
			return false;
	return same_text(a->type, b->type) && same_text(a->function, b->function) &&
	       a->n_payload == b->n_payload && a->sample_type == b->sample_type &&
	       a->context == b->context && a->method == b->method && a->record == b->record &&
	       a->exec == b->exec && a->each == b->each && a->program_bytes == b->program_bytes &&
	       a->texts == b->texts;
}

static void test_same(struct mp_str bytes)
{
	struct mp_buf again = { NULL, 0, 0 };
	struct mp_cut_plan got;
	bool same = true;
	size_t i;

	ok(mp_cut_plan_get(&got, bytes) == 0 && got.events.n == 3 && got.events.n_aggs == 2,
	   "a plan");
	for (i = 0; i < got.events.n; i++)
		same &= same_event(&got.events.v[i], &events[i]);
	ok(same, "its events are the same");
	ok(same_text(got.events.aggs[0].unit, "ns") && !got.events.aggs[1].unit,
	   "its aggregates are");
	ok(got.n_rings == 3 && got.cpus[2] == -1 && got.n_counters == 2 &&
		   got.counters[1].id == 1ull << 63 && mp_pids_has(&got.exclude, 4194304) &&
		   got.sources.n == 0 && mp_pids_has(&got.own, 4194304),
	   "and so is the rest");
	mp_cut_plan_put(&got, &again);
	ok(mp_str_eq(mp_buf_view(&again), bytes), "its bytes are, too");
	mp_buf_release(&again);
	mp_cut_plan_release(&got);
}

/* Plans that were cut off at each byte, and with each byte changed (run under ASan). */
static void test_damaged(struct mp_str bytes)
{
	char *copy = mp_memdup(bytes.p, bytes.len);
	struct mp_cut_plan got;
	bool refused = true;
	size_t i, n = 0;

	for (i = 0; i < bytes.len; i++)
		refused &= mp_cut_plan_get(&got, (struct mp_str){ copy, i }) < 0;
	ok(refused, "each shorter one is refused");
	for (i = 0; i < bytes.len; i++) {
		copy[i] ^= 0xff;
		if (mp_cut_plan_get(&got, (struct mp_str){ copy, bytes.len }) == 0)
			mp_cut_plan_release(&got);
		else
			n++;
		copy[i] ^= 0xff;
	}
	ok(n > bytes.len / 4, "each changed byte is read, or refused");
	free(copy);
}

static void test_wrong(void)
{
	struct mp_cut_counter beyond = { 1, 3, -1 };
	struct mp_cut_plan wrong = plan, got;
	struct mp_buf bytes = { NULL, 0, 0 };

	wrong.counters = &beyond;
	wrong.n_counters = 1;
	mp_cut_plan_put(&wrong, &bytes);
	ok(mp_cut_plan_get(&got, mp_buf_view(&bytes)) < 0, "a counter of no event is refused");
	bytes.len = 0;
	payload[0].at.elem = 3;
	mp_cut_plan_put(&plan, &bytes);
	ok(mp_cut_plan_get(&got, mp_buf_view(&bytes)) < 0, "a field of odd elements is refused");
	payload[0].at.elem = 1;
	bytes.len = 0;
	parts[0].delim = NULL;
	mp_cut_plan_put(&plan, &bytes);
	ok(mp_cut_plan_get(&got, mp_buf_view(&bytes)) < 0, "flags without a delimiter are refused");
	parts[0].delim = (char *)"|";
	bytes.len = 0;
	parts[0].kind = MP_NAMES_KINDS;
	mp_cut_plan_put(&plan, &bytes);
	ok(mp_cut_plan_get(&got, mp_buf_view(&bytes)) < 0, "names of an unknown kind are refused");
	parts[0].kind = MP_NAMES_FLAGS;
	mp_buf_release(&bytes);
}

static void test_end(void)
{
	struct mp_counts counts[2] = { { 5, 1 }, { 7, 0 } };
	const struct mp_cut_end end = { counts, 2, (char *)"{}", (char *)"{\"a\":1}", 3 };
	struct mp_buf bytes = { NULL, 0, 0 };
	struct mp_cut_end got;

	mp_cut_end_put(&end, &bytes);
	ok(mp_cut_end_get(&got, 2, mp_buf_view(&bytes)) == 0 && got.counts[1].count == 7 &&
		   got.dropped == 3 && same_text(got.trailer, end.trailer),
	   "the end");
	mp_cut_end_release(&got);
	ok(mp_cut_end_get(&got, 3, mp_buf_view(&bytes)) < 0, "with fewer counts it is refused");
	mp_buf_release(&bytes);
}

int main(void)
{
	struct mp_buf bytes = { NULL, 0, 0 };

	mp_init("unit-cut-plan");
	mp_cut_plan_put(&plan, &bytes);
	test_same(mp_buf_view(&bytes));
	test_damaged(mp_buf_view(&bytes));
	test_wrong();
	test_end();
	mp_buf_release(&bytes);
	return tap_done();
}
