// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the BPF program that chooses samples, in the kernel. BPF_PROG_TEST_RUN cannot run a
 * perf_event program, so it is attached to events whose conditions are known: cpu-clock comes by an
 * interrupt, which never happens while interrupts are disabled, and for context switches Linux
 * makes up registers whose flags are all 0, as if interrupts were disabled.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/bpf/bpffilter.h"
#include "lib/capture/ring/ring.h"
#include "tests/unit/tap.h"

static struct mp_event make_event(uint64_t config, uint64_t period)
{
	struct mp_event e = { .type = "x", .method = MP_METHOD_UNSET };

	e.attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(e.attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.disabled = 1,
	};
	return e;
}

static void spend_time(void)
{
	int i, j;

	for (i = 0; i < 50; i++) {
		for (j = 0; j < 1000000; j++)
			__asm__ volatile("" ::: "memory");
		usleep(1);
	}
}

/* Records samples of this process. Returns their bytes, or -1 with a message. */
static long samples(struct mp_event event, const struct mp_pids *exclude)
{
	struct mp_events events = { .v = &event, .n = 1 };
	struct mp_target target = { .n_cpus = 1 };
	struct mp_bpf_filters *filters;
	struct mp_rings rings;
	uint64_t tail;
	long result = -1;
	char *error;

	target.cpus = mp_alloc(sizeof(*target.cpus));
	target.cpus[0] = sched_getcpu();
	mp_pids_add(&target.tids, getpid());
	mp_rings_init(&rings, &target, 1 << 20);
	if (mp_bpf_filters_open(&filters, &events, exclude, &error) < 0 ||
	    mp_rings_open(&rings, &events, &target, &error) < 0) {
		printf("# %s\n", error);
		free(error);
	} else {
		mp_rings_enable(&rings);
		spend_time();
		mp_rings_disable(&rings);
		result = mp_ring_pending(&rings.v[0], &tail);
	}
	mp_rings_close(&rings, false);
	mp_bpf_filters_free(filters);
	mp_target_release(&target);
	return result;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static struct mp_pids nobody, us;

static void test_irqs_off(void)
{
	struct mp_event clock = make_event(PERF_COUNT_SW_CPU_CLOCK, 100000);
	struct mp_event switches = make_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);

	ok(samples(clock, &nobody) > 0 && samples(switches, &nobody) > 0, "all samples");
	clock.when.irqs_off = switches.when.irqs_off = true;
	ok(samples(clock, &nobody) == 0, "irqs-off: no sample of interrupts");
	ok(samples(switches, &nobody) > 0, "irqs-off: all of those whose flags say so");
	ok(samples(switches, &us) == 0, "and not of an excluded process");
}

static void test_running(void)
{
	struct mp_event clock = make_event(PERF_COUNT_SW_CPU_CLOCK, 100000);

	clock.when = (struct mp_when){ .running = true, .running_min = 1, .running_max = 10000 };
	ok(samples(clock, &nobody) > 0, "running: a task that has samples runs");
	clock.when = (struct mp_when){ .running = true, .running_min = 0, .running_max = 0 };
	ok(samples(clock, &nobody) == 0, "running: so there is never none");
	clock.when = (struct mp_when){ .running = true, .running_min = 10001, .running_max = -1 };
	ok(samples(clock, &nobody) == 0, "running: nor so many");
}

static void test_need_resched(void)
{
	struct mp_event clock = make_event(PERF_COUNT_SW_CPU_CLOCK, 100000);
	char *error;
	int i, found = 0;

	clock.when.need_resched = true;
	for (i = 0; i < 10; i++)
		found += mp_bpf_filters_try(&clock, &error) == 0;
	ok(found == 10, "need-resched: its flag is found each time (%d of 10)", found);
	clock.when = (struct mp_when){ .need_resched = true, .running = true };
	ok(samples(clock, &nobody) == 0, "with another condition, both must hold");
}

int main(void)
{
	struct mp_event clock = make_event(PERF_COUNT_SW_CPU_CLOCK, 100000);
	char *error;

	mp_init("unit-filter");
	clock.when.running = true;
	if (mp_bpf_filters_try(&clock, &error) < 0) {
		ok(true, "conditional sampling # skip %s", error);
		free(error);
		return tap_done();
	}
	mp_pids_add(&us, getpid());
	stay_on_one_cpu();
	test_irqs_off();
	test_running();
	test_need_resched();
	mp_pids_release(&us);
	return tap_done();
}
