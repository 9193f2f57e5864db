// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/session.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/host/thread.h"
#include "lib/capture/session/finish.h"
#include "lib/capture/session/java.h"
#include "lib/capture/session/link.h"
#include "lib/capture/session/open.h"
#include "lib/capture/session/output.h"
#include "lib/capture/session/packer.h"
#include "lib/capture/session/plan.h"
#include "lib/capture/session/run.h"
#include "lib/core/clock.h"

#define WRITER "the writer process"

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

/*
 * Says which parts of the sandbox of a process are missing, also with -q, or refuses to record.
 * Parts that are known to be missing are not mentioned again.
 */
static void check_sandbox(struct mp_record_plan *p, const char *process, uint32_t missing)
{
	char *names;

	missing &= ~p->sandbox_missing;
	p->sandbox_missing |= missing;
	if (!missing)
		return;
	names = mp_sandbox_names(missing);
	if (p->o->require_sandbox)
		mp_die("the sandbox of %s is incomplete: no %s", process, names);
	mp_say("the sandbox of %s is incomplete: no %s", process, names);
	free(names);
}

/* Opens the output. Returns a descriptor for mp_output_pack_missing(). */
static int open_output(struct recording *r, struct mp_out *out)
{
	struct mp_record_plan *p = &r->plan;
	int report, tid, files = -1;

	if (mp_record_rotates(p->o)) {
		r->run.rotation = mp_rotation_start(p->o->output, p->o->max_files, &files, &tid);
		mp_pids_add(&r->opened.threads, tid);
		mp_output_open(out, "/dev/null"); /* until there is a file */
		out->name = p->o->output;
	} else {
		mp_output_open(out, p->o->output);
	}
	p->stdout_taken = mp_output_takes_stdout(out);
	report = mp_output_pack(out, p->o->pack, files);
	p->packer = out->packer;
	return report;
}

/* Lists the processes of mp-record. */
static void find_own(struct recording *r)
{
	struct mp_pids *own = &r->plan.own;

	mp_pids_add(own, getpid());
	mp_link_processes(r->opened.link, own);
	if (r->plan.packer)
		mp_pids_add(own, r->plan.packer);
}

static struct mp_java *start_java(struct recording *r)
{
	int tid;
	struct mp_java *java = mp_java_start(&r->plan.target, &r->opened.found, &tid);

	if (java)
		mp_pids_add(&r->opened.threads, tid);
	return java;
}

enum mp_status mp_record(struct mp_record_options *o)
{
	struct recording r = { .opened = { .grace = NULL } },
			 **at_exit = mp_alloc(sizeof(*at_exit));
	struct mp_record_parts parts = { &r.plan, &r.opened, &r.run };
	enum mp_status status;
	struct mp_java *java = NULL;
	struct mp_out out;
	int tid, report;

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
		check_sandbox(&r.plan, WRITER, mp_link_missing(r.opened.link));
	report = open_output(&r, &out);
	r.run.out = &out;
	find_own(&r);
	mp_record_plan_target(&r.plan);
	mp_record_open(&r.opened, &r.plan);
	/* as late as this: the processes enter their sandboxes meanwhile */
	check_sandbox(&r.plan, WRITER, mp_link_missing(r.opened.link));
	check_sandbox(&r.plan, "the process that compresses", mp_output_pack_missing(report));
	if (o->realtime && r.plan.packer)
		mp_thread_hurry(r.plan.packer);
	if (o->java_map)
		java = start_java(&r);
	mp_record_run(&r.run, &r.plan, &r.opened);
	mp_java_end(java);
	status = mp_record_finish(&parts);
	mp_rotation_end(r.run.rotation);
	*at_exit = NULL;
	mp_record_run_release(&r.run);
	mp_record_opened_release(&r.opened, &r.plan);
	mp_record_plan_release(&r.plan);
	mp_link_free(r.opened.link);
	mp_output_check(&out);
	return status;
}
