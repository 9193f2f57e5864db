// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/session.h"

#include <sched.h>
#include <stdlib.h>

#include "lib/capture/session/finish.h"
#include "lib/capture/session/link.h"
#include "lib/capture/session/open.h"
#include "lib/capture/session/output.h"
#include "lib/capture/session/plan.h"
#include "lib/capture/session/run.h"
#include "lib/core/clock.h"

struct recording {
	struct mp_record_plan plan;
	struct mp_record_opened opened;
	struct mp_record_run run;
};

/*
 * At exit, removes the probes of a recording that ends before it has begun. `arg` points to the
 * recording, or to NULL if the recording has cleaned up.
 */
static void clean_up(int status, void *arg)
{
	struct recording *r = *(struct recording **)arg;

	(void)status;
	/* the drainer still reads the rings: the next recording removes the probes */
	if (!r || r->run.drain)
		return;
	mp_record_close_events(&r->opened, &r->plan);
	mp_probes_remove(&r->plan.events.probes, r->plan.tracefs);
}

/*
 * To be called first, since on a busy machine each later step waits for a CPU. Other threads get
 * priorities of their own, and the command gets the priority of mp-record's caller.
 */
static void be_realtime(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (priority && sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) < 0)
		mp_say("cannot set real-time priority %d: %m", priority);
}

/* Says which parts of the writer's sandbox are missing, also with -q, or refuses to record. */
static void check_sandbox(struct mp_record_plan *p, struct mp_link *link)
{
	char *names;

	p->sandbox_missing = mp_link_missing(link);
	if (!p->sandbox_missing)
		return;
	names = mp_sandbox_names(p->sandbox_missing);
	if (p->o->require_sandbox)
		mp_die("the sandbox of the writer process is incomplete: no %s", names);
	mp_say("the sandbox of the writer process is incomplete: no %s", names);
	free(names);
}

enum mp_status mp_record(struct mp_record_options *o)
{
	struct recording r = { .opened = { .grace = NULL } },
			 **at_exit = mp_alloc(sizeof(*at_exit));
	struct mp_record_parts parts = { &r.plan, &r.opened, &r.run };
	enum mp_status status;
	struct mp_out out;
	int tid;

	*at_exit = &r;
	on_exit(clean_up, at_exit);
	r.run.began_ns = mp_monotonic_ns();
	be_realtime(o->realtime);
	r.opened.link = mp_link_start();
	if (o->realtime)
		mp_link_hurry(r.opened.link);
	r.run.control = mp_control_start(&tid);
	mp_pids_add(&r.opened.threads, tid);
	mp_record_plan_events(&r.plan, o);
	if (o->require_sandbox) /* before the output is truncated */
		check_sandbox(&r.plan, r.opened.link);
	mp_output_open(&out, o->output);
	r.run.out = &out;
	r.plan.stdout_taken = mp_output_takes_stdout(&out);
	mp_record_plan_target(&r.plan);
	mp_record_open(&r.opened, &r.plan);
	check_sandbox(&r.plan, r.opened.link); /* as late as this: the writer enters it meanwhile */
	mp_record_run(&r.run, &r.plan, &r.opened);
	status = mp_record_finish(&parts);
	*at_exit = NULL;
	mp_record_run_release(&r.run);
	mp_record_opened_release(&r.opened, &r.plan);
	mp_record_plan_release(&r.plan);
	mp_link_free(r.opened.link);
	mp_output_check(&out);
	return status;
}
