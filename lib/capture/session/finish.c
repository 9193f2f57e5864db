// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/finish.h"

#include "lib/capture/session/account.h"
#include "lib/capture/session/report.h"
#include "lib/capture/session/symbolizer.h"

/* The members of every trailer. New reference. */
static json_t *common_trailer(const struct mp_record_parts *x, int command_status)
{
	json_t *common = json_object();

	if (x->plan->o->command)
		json_object_set_new(common, "status", json_integer(command_status));
	return common;
}

static void write_trailer(const struct mp_record_parts *x, const struct mp_account *a,
			  json_t *common)
{
	const struct mp_writer *w = &x->run->writer;
	json_t *trailer = mp_ctl_trailer(MP_EVENT, w->written, w->lost);

	json_object_set_new(trailer, "bytes", json_integer((json_int_t)w->bytes));
	json_object_set_new(trailer, "time", json_integer((json_int_t)w->until_ns));
	mp_account_json(a, w, trailer);
	if (x->lookup->stacks.truncated)
		json_object_set_new(trailer, "truncated",
				    json_integer((json_int_t)x->lookup->stacks.truncated));
	mp_unwind_stats_json(&x->lookup->formatter.unwound, trailer);
	cap_sources_trailer(&x->opened->sources, trailer);
	json_object_update(trailer, common);
	mp_record_write_json(x->run, trailer);
}

static void put_line(void *arg, struct mp_str line)
{
	struct mp_writer *w = arg;

	if (w->readable && line.p[0] == '{')
		return;
	if (w->live)
		mp_live_add(w->live, line);
	else
		mp_writer_put(w, line);
}

/* Writes the sections of sources; returns whether sources lost something. */
static bool write_sources(const struct mp_record_parts *x, const json_t *common)
{
	struct mp_record_options *o = x->plan->o;
	struct cap_symbolizer symbolizer = { &x->lookup->formatter, &x->lookup->tasks, o->names };
	struct cap_output output = {
		.header = x->run->header,
		.trailer = common,
		.symbolizer = &symbolizer,
		.put = put_line,
		.arg = &x->run->writer,
		.verbose = o->verbose,
	};

	return cap_sources_write(&x->opened->sources, &output);
}

static void report_command(const struct mp_record_parts *x, int status)
{
	const struct mp_command *c = &x->plan->command;

	if (c->stopped)
		mp_say("'%s' ended with status %d, stopped after the recording had been ended by %s",
		       c->name, status, mp_control_reason(x->run->control));
	else if (status)
		mp_say("'%s' ended with status %d", c->name, status);
}

enum mp_status mp_record_finish(const struct mp_record_parts *x)
{
	const struct mp_record_options *o = x->plan->o;
	struct mp_writer *w = &x->run->writer;
	struct mp_account account;
	int command_status = 0;
	json_t *common;
	bool lossy;

	if (o->command)
		command_status = mp_command_end(&x->plan->command);
	common = common_trailer(x, command_status);
	mp_account_init(&account, w, &x->opened->sources);
	mp_account_write_rest(&account, w);
	if (!w->silent)
		write_trailer(x, &account, common);
	mp_queue_free(x->opened->queue); /* frees memory, which aggregates need */
	x->opened->queue = NULL;
	lossy = write_sources(x, common);
	json_decref(common);
	if (w->live)
		mp_live_show(w->live, w->written, w->lost, true);
	mp_out_close(x->run->out);
	if (!o->quiet)
		report_command(x, command_status);
	mp_report_losses(w, &account, o->quiet, o->verbose);
	if (o->verbose)
		mp_report_details(w, &account, x->opened->grace, x->opened->bpf_stacks);
	lossy |= x->plan->collectors_failed || (o->names && o->names->bad) || w->lost || w->late ||
		 w->track_lost || w->throttled || w->broken || account.surplus;
	mp_account_release(&account);
	if (x->run->command_failed)
		return MP_FAIL;
	return lossy ? MP_LOSSY : MP_OK;
}
