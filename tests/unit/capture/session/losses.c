// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/capture/event/cut.h"
#include "lib/capture/host/record.h"
#include "lib/capture/ring/queue_reader.h"
#include "lib/capture/session/counting.h"
#include "lib/capture/session/losses.h"
#include "lib/core/clock.h"
#include "tests/unit/tap.h"

static struct mp_ring ring = { .cpu = 3 };
static int32_t cpu = 3;
static struct mp_counter counters[2];
static struct mp_event event_list[2] = {
	{ .type = (char *)"a:b", .each = true }, { .type = (char *)"cpu-clock" }, /* sampled */
};
static const struct mp_events events = { .v = event_list, .n = 2 };
static const struct mp_rings rings = {
	.v = &ring, .n = 1, .counters = counters, .n_counters = 2, .has_lost = true
};
static const struct cap_opened_sources sources;
static struct mp_tally tally[2];
static struct mp_ring_tally ring_tally;
static uint64_t start_ns;

static struct mp_ctl found[8];
static size_t n_found;

static void put(void *arg, size_t of_ring, const struct mp_ctl *loss)
{
	(void)arg;
	if (of_ring == 0 && n_found < MP_ARRAY_SIZE(found))
		found[n_found++] = *loss;
}

/* Sets what read(2) returns for an event: value, id, lost. */
static void set_counter(size_t i, uint64_t value, uint64_t lost)
{
	const uint64_t v[3] = { value, 0, lost };

	if (pwrite(counters[i].fd, v, sizeof(v), 0) != sizeof(v))
		abort();
	lseek(counters[i].fd, 0, SEEK_SET);
}

/* Handles a chunk or a mark, and gives it back. */
static void give_back(struct mp_queue_reader *r, struct mp_queue_item *item)
{
	mp_queue_done(r, item);
	mp_queue_give_back(r);
}

static void handle(struct mp_losses *l, struct mp_queue_reader *r, struct mp_queue_item *item)
{
	const struct perf_event_header *h = (const struct perf_event_header *)item->data;

	if (h->type != MP_CUT_CHECK || !mp_losses_checked(l, h, mp_record_time(h)))
		abort();
	give_back(r, item);
}

/*
 * Has the counters read, which may be too early for a while, and handles the two records of that.
 */
static void check(struct mp_counting *c, struct mp_losses *l, struct mp_queue_reader *r)
{
	struct mp_queue_item *before;

	n_found = 0;
	do
		mp_counting_check(c, 0, true);
	while (!(before = mp_queue_pop(r, 1)));
	handle(l, r, before);
	handle(l, r, mp_queue_pop(r, 1));
}

int main(void)
{
	struct mp_queue *q = mp_queue_new(1 << 20, 1 << 20);
	const struct mp_queue_fds fds = mp_queue_fds(q);
	struct mp_queue_reader *r = mp_queue_attach(&fds);
	const struct mp_counting_setup counted = { &rings, &events, &sources, q };
	struct mp_counting *c = mp_counting_new(&counted);
	struct mp_cut_plan plan = { .cpus = &cpu, .n_rings = 1, .counts = true };
	const struct mp_losses_setup setup = { &plan, tally, &ring_tally, &start_ns, put, NULL };
	struct mp_losses *l;
	struct mp_counts last[2] = { { 120, 10 }, { 0, 3 } };
	uint64_t first_ns, second_ns;

	counters[0] = (struct mp_counter){ .fd = memfd_create("a", 0), .event = 0 };
	counters[1] = (struct mp_counter){ .fd = memfd_create("b", 0), .event = 1 };
	mp_events_cut(&events, &plan.events);
	l = mp_losses_new(&setup);
	start_ns = mp_monotonic_ns();

	/* the counter of a sampled event does not count its samples */
	tally[0].written = 50;
	set_counter(0, 50, 0);
	set_counter(1, 999, 0);
	check(c, l, r);
	ok(n_found == 0, "nothing was lost");
	first_ns = mp_monotonic_ns();

	set_counter(0, 53, 0);
	check(c, l, r);
	ok(n_found == 0, "what nothing counted may be in flight until the next check");
	second_ns = mp_monotonic_ns();
	check(c, l, r);
	ok(n_found == 1 && found[0].lost == 3 && found[0].cpu == 3 &&
		   strcmp(found[0].type, "a:b") == 0,
	   "3 events happened and were not delivered");
	ok(found[0].from_ns > start_ns && found[0].from_ns < first_ns &&
		   found[0].time_ns > second_ns,
	   "after the last check that had all, and not later than the one that reports them");

	set_counter(0, 57, 0);
	check(c, l, r);
	tally[0].written = 54;
	set_counter(0, 60, 0);
	check(c, l, r);
	ok(n_found == 0, "4 events were in flight when the counter was read");
	check(c, l, r);
	ok(n_found == 1 && found[0].lost == 3, "3 were not");

	set_counter(0, 62, 0);
	check(c, l, r);
	set_counter(0, 62, 2);
	check(c, l, r);
	ok(n_found == 1 && found[0].lost == 2, "2 events in flight did not fit into the ring");
	check(c, l, r);
	ok(n_found == 0, "and count once");

	ring_tally.last_ns = mp_monotonic_ns();
	tally[0].written = 64;
	set_counter(0, 80, 10);
	set_counter(1, 999, 2);
	check(c, l, r);
	ok(n_found == 2 && found[0].lost == 8 && found[1].lost == 2 &&
		   strcmp(found[1].type, "cpu-clock") == 0 &&
		   found[0].from_ns == ring_tally.last_ns,
	   "what did not fit into the ring was lost after the last record");
	check(c, l, r);
	ok(n_found == 0, "and is not found again");

	tally[0].written = 100;
	n_found = 0;
	mp_losses_end(l, 1ull << 62, last);
	ok(n_found == 2 && found[0].lost == 1 && strcmp(found[0].type, "cpu-clock") == 0 &&
		   found[1].lost == 4 && strcmp(found[1].type, "a:b") == 0 &&
		   found[1].time_ns == 1ull << 62,
	   "the end has the rest");
	mp_losses_free(l);
	mp_counting_free(c);
	mp_cut_events_release(&plan.events);
	mp_queue_detach(r);
	mp_queue_free(q);
	return tap_done();
}
