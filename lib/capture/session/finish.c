// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/finish.h"

#include "lib/capture/session/handover.h"
#include "lib/capture/session/report.h"
#include "lib/capture/session/writer_end.h"

static void report_command(const struct mp_record_parts *x, int status)
{
	const struct mp_command *c = &x->plan->command;

	if (c->stopped)
		mp_say("'%s' ended with status %d, stopped after the recording had been ended by %s",
		       c->name, status, mp_control_reason(x->run->control));
	else if (status)
		mp_say("'%s' ended with status %d", c->name, status);
}

static void free_queue(const struct mp_record_parts *x)
{
	mp_queue_detach(x->run->reader);
	x->run->reader = x->run->writer.queue = NULL;
	mp_queue_free(x->opened->queue);
	x->opened->queue = NULL;
}

enum mp_status mp_record_finish(const struct mp_record_parts *x)
{
	const struct mp_record_options *o = x->plan->o;
	struct mp_cut_end end;
	int command_status = 0;
	uint64_t dropped;
	bool lossy;

	if (o->command)
		command_status = mp_command_end(&x->plan->command);
	mp_record_hand_over_end(x->plan, x->opened, command_status, &end);
	dropped = mp_queue_dropped(x->opened->queue);
	free_queue(x); /* aggregates need the memory */
	lossy = mp_writer_end(&x->run->writer, &end) || dropped;
	mp_cut_end_release(&end);
	if (!o->quiet)
		report_command(x, command_status);
	mp_say_count(dropped, "record of a task was lost: names and symbols may be wrong",
		     "records of tasks were lost: names and symbols may be wrong");
	cap_sources_report(&x->opened->sources, o->verbose);
	if (o->verbose)
		mp_report_kernel_side(x->run->control, x->opened->grace, x->opened->bpf_stacks);
	if (x->run->command_failed)
		return MP_FAIL;
	return lossy || x->plan->collectors_failed ? MP_LOSSY : MP_OK;
}
