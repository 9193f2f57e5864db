// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/finish.h"

#include "lib/capture/session/handover.h"
#include "lib/capture/session/report.h"

static void report_command(const struct mp_record_parts *x, int status)
{
	const struct mp_command *c = &x->plan->command;

	if (c->stopped)
		mp_say("'%s' ended with status %d, stopped after the recording had been ended by %s",
		       c->name, status, mp_control_reason(x->run->control));
	else if (status)
		mp_say("'%s' ended with status %d", c->name, status);
}

/* Whether the writer gave back what it did not have, as one does that a parser has taken over. */
static bool has_lied(struct mp_queue *queue)
{
	if (!mp_queue_lies(queue))
		return false;
	mp_say("the writer process returned memory that it did not have: its output may be forged");
	return true;
}

/* Lets the current writer write the trailer. False: it has died. */
static bool end_writer(const struct mp_record_parts *x, int command_status,
		       struct mp_message_done *done)
{
	struct mp_cut_end end;
	int result;

	mp_record_hand_over_end(x->plan, x->opened, command_status, &end);
	end.dropped = mp_queue_dropped(x->opened->queue);
	result = mp_link_end(x->opened->link, &end, done);
	mp_cut_end_release(&end);
	return result == 0;
}

/* Lets the writer finish. Returns whether something was lost, or may be wrong. */
static bool finish_writer(const struct mp_record_parts *x, int command_status)
{
	struct mp_message_done done = { .lossy = true };
	bool lied = has_lied(x->opened->queue);

	if (x->run->unwritten)
		return true;
	while (!end_writer(x, command_status, &done) && !x->run->unwritten)
		x->run->unwritten = !mp_record_run_again(x->run, x->opened);
	x->run->out->error = (int)done.error;
	return done.lossy || lied || mp_link_restarts(x->opened->link);
}

enum mp_status mp_record_finish(const struct mp_record_parts *x)
{
	const struct mp_record_options *o = x->plan->o;
	int command_status = 0;
	bool lossy;

	if (o->command)
		command_status = mp_command_end(&x->plan->command);
	lossy = finish_writer(x, command_status);
	mp_out_close(x->run->out);
	if (!o->quiet)
		report_command(x, command_status);
	cap_sources_report(&x->opened->sources, o->verbose);
	if (o->verbose)
		mp_report_kernel_side(x->run->control, x->opened->grace, x->opened->bpf_stacks);
	if (x->run->command_failed || x->run->unwritten)
		return MP_FAIL;
	lossy |= x->plan->collectors_failed || (o->names && o->names->bad);
	return lossy ? MP_LOSSY : MP_OK;
}
