// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_main.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/object/kallsyms.h"
#include "lib/capture/object/places.h"
#include "lib/capture/ring/queue_reader.h"
#include "lib/capture/sandbox/sandbox.h"
#include "lib/capture/session/journal.h"
#include "lib/capture/session/live.h"
#include "lib/capture/session/lookup.h"
#include "lib/capture/session/message.h"
#include "lib/capture/session/writer.h"
#include "lib/capture/session/writer_end.h"
#include "lib/capture/stack/walk_tables.h"
#include "lib/core/clock.h"

/* Files with greater numbers have no rows in the tables for BPF, see mp_message_get_space(). */
enum { FILES_MAX = 1 << 20 };

/* Limits of the process: bytes of private memory, and descriptors. */
#define MEMORY_MAX (4ull << 30)
enum { OPEN_MAX = 1024 };

#define ALIVE_APART_NS 250000000ull

struct process {
	int fd;
	struct mp_message in;
	struct mp_buf body;
	struct mp_cut_plan plan;
	struct mp_open_helper opener;
	struct mp_record_lookup lookup;
	struct mp_walk_tables tables;
	uint32_t *gone; /* files that no longer exist, not yet reported to the collector */
	size_t n_gone, cap_gone;
	struct mp_tasknames names;
	struct mp_out out;
	struct mp_queue_reader *queue;
	struct mp_journal *journal;
	struct mp_work work;
	struct mp_writer writer;
	struct mp_live live;
	uint64_t alive_ns; /* when MP_MESSAGE_ALIVE was last sent */
};

/* --- messages --------------------------------------------------------------------------------- */

/*
 * Ends this process because the collector has ended, which it never does while this process writes,
 * or has sent something unexpected.
 */
static _Noreturn void end_alone(void)
{
	_exit(MP_FAIL);
}

/* Sends p->body. */
static void send_body(struct process *p, enum mp_message_type type)
{
	if (mp_message_send(p->fd, type, mp_buf_view(&p->body), NULL, 0) < 0)
		end_alone();
	p->body.len = 0;
}

static void receive(struct process *p)
{
	if (mp_message_receive(p->fd, &p->in) < 0)
		end_alone();
}

static void answer_places(struct process *p)
{
	struct mp_cut_place_request request;
	struct mp_cut_places places;
	char *error = NULL;

	if (p->in.n_fds != 1 || mp_message_get_request(mp_buf_view(&p->in.body), &request) < 0)
		end_alone();
	mp_binary_places(&request, p->in.fds[0], &places, &error);
	close(p->in.fds[0]);
	mp_message_put_places(&p->body, &places, error);
	send_body(p, MP_MESSAGE_PLACES);
	mp_cut_places_release(&places);
	free(error);
	free((char *)request.file);
	free((char *)request.what);
}

static void answer_address(struct process *p)
{
	mp_message_put_number(&p->body, mp_kallsyms_address(mp_buf_view(&p->in.body)));
	send_body(p, MP_MESSAGE_ADDRESS);
}

static void answer_rows(struct process *p)
{
	struct mp_cut_rows rows;
	uint64_t file;

	if (mp_message_get_number(mp_buf_view(&p->in.body), &file) < 0)
		end_alone();
	mp_walk_tables_rows(&p->lookup.symbols.dsos, (uint32_t)file, &rows);
	mp_message_put_rows(&p->body, &rows);
	send_body(p, MP_MESSAGE_ROWS);
	free(rows.v);
}

/* Reports files that no longer exist, since the mappings that follow may reuse their numbers. */
static void send_gone(struct process *p)
{
	size_t i;

	for (i = 0; i < p->n_gone; i++) {
		mp_message_put_number(&p->body, p->gone[i]);
		send_body(p, MP_MESSAGE_FORGET_FILE);
	}
	p->n_gone = 0;
}

/* Sends mappings, and the rows that the collector asks for because of them. */
static void update_space(void *arg, const struct mp_cut_space *space)
{
	struct process *p = arg;
	size_t i;

	send_gone(p);
	for (i = 0; i < space->n; i++)
		if (space->v[i].file > FILES_MAX)
			p->tables.v[i].file = 0;
	mp_message_put_space(&p->body, space);
	send_body(p, MP_MESSAGE_SPACE);
	for (;;) {
		receive(p);
		if (p->in.type != MP_MESSAGE_ROWS)
			break;
		answer_rows(p);
	}
}

static void forget_space(void *arg, uint64_t number)
{
	struct process *p = arg;

	mp_message_put_number(&p->body, number);
	send_body(p, MP_MESSAGE_FORGET);
}

/* Keeps the number until mappings are sent: at this time the collector may be waiting for rows. */
static void forget_file(void *arg, uint32_t file)
{
	struct process *p = arg;

	p->gone = mp_grow(p->gone, &p->cap_gone, p->n_gone + 1, sizeof(*p->gone));
	p->gone[p->n_gone++] = file;
}

/* An mp_cgroup_ask_fn. */
static char *ask_cgroup(void *arg, uint64_t id)
{
	struct process *p = arg;

	mp_message_put_number(&p->body, id);
	send_body(p, MP_MESSAGE_CGROUP);
	receive(p);
	if (p->in.type != MP_MESSAGE_CGROUP)
		end_alone();
	return mp_strndup(p->in.body.p, p->in.body.len);
}

/* The collector prints what this process says, since that may be hostile, too. */
static void say(void *arg, const char *text)
{
	struct process *p = arg;

	mp_message_send(p->fd, MP_MESSAGE_SAY, mp_str(text), NULL, 0);
}

static void stop(void *arg)
{
	send_body(arg, MP_MESSAGE_STOP);
}

/* --- the recording ---------------------------------------------------------------------------- */

static void show_status(void *arg)
{
	struct process *p = arg;
	const struct mp_message_alive alive = { p->writer.counts.all.written,
						p->writer.counts.all.lost };
	uint64_t now = mp_monotonic_ns();

	if (now - p->alive_ns > ALIVE_APART_NS) {
		mp_message_put_alive(&p->body, &alive);
		send_body(p, MP_MESSAGE_ALIVE);
		p->alive_ns = now;
	}
	if (p->writer.output.live)
		mp_live_show(p->writer.output.live, alive.written, alive.lost, false);
}

static void open_tables(struct process *p)
{
	p->tables = (struct mp_walk_tables){
		.walker = { p, update_space, forget_space, forget_file },
		.dsos = &p->lookup.symbols.dsos,
		.tasks = &p->lookup.tasks,
	};
	mp_walk_tables_init(&p->tables);
	p->lookup.tasks.gone = mp_walk_tables_forget;
	p->lookup.tasks.gone_arg = &p->tables;
	p->lookup.symbols.dsos.gone = mp_walk_tables_forget_file;
	p->lookup.symbols.dsos.gone_arg = &p->tables;
	p->lookup.formatter.tables = &p->tables;
}

/*
 * Whether a terminal gets a summary: nobody can read the stacks of all events, unless -n limits
 * them to a few.
 */
static bool wants_summary(const struct mp_cut_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->events.n && !plan->max_events; i++)
		if (plan->events.v[i].context & MP_CTX_STACK)
			return true;
	return plan->events.n_aggs && !plan->max_events;
}

static void init_writer(struct process *p)
{
	const struct mp_writer_setup setup = {
		.plan = &p->plan,
		.queue = p->queue,
		.journal = p->journal,
		.formatter = &p->lookup.formatter,
		.out = &p->out,
		.readable = isatty(p->out.fd),
		.stop = stop,
		.tick = show_status,
		.arg = p,
	};

	mp_writer_init(&p->writer, &setup);
	p->lookup.budget.handled_ns = &p->writer.window.handled_ns;
	p->lookup.symbols.places &= !setup.readable;
}

static void take_plan(struct process *p)
{
	const int *fds = p->in.fds;
	const struct mp_queue_fds queue = { fds[MP_MESSAGE_QUEUE_DATA],
					    fds[MP_MESSAGE_QUEUE_RETURNS] };

	if (p->in.n_fds != MP_MESSAGE_FDS ||
	    mp_cut_plan_get(&p->plan, mp_buf_view(&p->in.body)) < 0)
		end_alone();
	p->queue = mp_queue_attach(&queue);
	if (!p->queue)
		mp_die("cannot map the queue: %m");
	close(queue.data);
	close(queue.returns);
	p->journal = mp_journal_attach(fds[MP_MESSAGE_JOURNAL], mp_writer_more_bytes(&p->plan));
	close(fds[MP_MESSAGE_JOURNAL]);
	p->work.now = mp_journal_work(p->journal);
	mp_out_init(&p->out, fds[MP_MESSAGE_OUTPUT], "the output");
	mp_out_use(&p->out, mp_journal_buffer(p->journal), MP_JOURNAL_BUFFER);
	p->out.soft = true;
	mp_record_lookup_start(&p->lookup, &p->plan);
	p->lookup.formatter.cgroups = mp_cgroup_names_new(ask_cgroup, p);
	p->lookup.symbols.dsos.work = p->lookup.tasks.work = &p->work;
	if (p->plan.walks)
		open_tables(p);
	init_writer(p);
}

static void take_names(struct process *p)
{
	struct mp_str text = mp_buf_view(&p->in.body);

	mp_tasknames_init(&p->names);
	mp_writer_use_names(&p->writer, &p->names);
	while (text.len) {
		const char *lf = memchr(text.p, '\n', text.len);
		size_t len = lf ? (size_t)(lf - text.p) : text.len;

		mp_tasknames_row(&p->names, (struct mp_str){ text.p, len });
		text = mp_str_skip(text, MP_MIN(len + 1, text.len));
	}
}

/* Continues where another process has died. */
static void resume(struct process *p, const struct mp_message_start *start)
{
	p->work.avoided = start->avoided;
	p->work.n_avoided = start->n_avoided;
	if (!mp_writer_resume(&p->writer, start->written))
		_exit(MP_WRITER_CANNOT_RESUME);
}

static void take_start(struct process *p)
{
	struct mp_message_start start;

	if (mp_message_get_start(mp_buf_view(&p->in.body), &start) < 0)
		end_alone();
	p->writer.window.from_ns = start.from_ns;
	p->writer.files.header = json_loads(start.header, 0, NULL);
	free(start.header);
	if (start.again)
		resume(p, &start);
	else
		free(start.avoided);
}

/*
 * Writes the header. A reader that sees it knows that events are being recorded, and that a process
 * may end from then on: its name and its mappings have been read.
 */
static void put_header(struct process *p)
{
	if (!p->plan.events.silent && !p->writer.output.bytes) {
		mp_writer_put_json(&p->writer.output, json_deep_copy(p->writer.files.header));
		mp_writer_flush(&p->writer.state);
	}
	if (!p->writer.output.readable || !wants_summary(&p->plan))
		return;
	mp_live_init(&p->live, &p->out, p->plan.with_command, p->plan.events.silent);
	p->writer.output.live = &p->live;
}

/*
 * Reads the tasks that already run. If the whole system is recorded, a process gets its tables for
 * BPF when its first stack comes; processes of the target get them now.
 */
static void scan(struct process *p)
{
	uint64_t began_ns = mp_monotonic_ns();
	const struct mp_pids *found = &p->plan.found;
	size_t i;

	mp_record_lookup_scan(&p->lookup, &p->plan);
	p->writer.window.scanned_ns = mp_monotonic_ns();
	for (i = 0; p->plan.walks && i < found->n; i++)
		mp_walk_tables_update(
			&p->tables,
			mp_tasks_get(&p->lookup.tasks, found->v[i], found->v[i])->process,
			began_ns);
}

static void finish(struct process *p)
{
	struct mp_message_done done;
	struct mp_cut_end end;

	mp_writer_end_queue(&p->writer);
	mp_queue_detach(p->queue); /* aggregates need the memory */
	send_body(p, MP_MESSAGE_ENDED);
	receive(p);
	if (p->in.type != MP_MESSAGE_END ||
	    mp_cut_end_get(&end, p->plan.n_rings * p->plan.events.n, mp_buf_view(&p->in.body)) < 0)
		end_alone();
	done.lossy = mp_writer_end(&p->writer, &end);
	mp_cut_end_release(&end);
	done.error = (uint64_t)p->out.error;
	mp_message_put_done(&p->body, &done);
	send_body(p, MP_MESSAGE_DONE);
}

static void record(struct process *p)
{
	take_start(p);
	p->writer.window.handled_ns = mp_monotonic_ns(); /* events wait during the scan, too */
	scan(p);
	put_header(p);
	mp_writer_run(&p->writer);
	finish(p);
}

/* Does everything that the sandbox does not permit, then enters it. Returns its missing parts. */
static uint32_t enter_sandbox(struct process *p, const char *uid)
{
	const struct mp_sandbox_limits limits = { .memory = MEMORY_MAX, .files = OPEN_MAX };

	signal(SIGPIPE, SIG_IGN); /* a failed write has an errno */
	signal(SIGXFSZ, SIG_IGN);
	tzset();	     /* otherwise localtime_r() reads the zone from a file */
	json_object_seed(0); /* otherwise jansson reads the seed from a file */
	mp_record_lookup_init(&p->lookup);
	p->lookup.budget.self = (uid_t)strtoul(uid, NULL, 10);
	p->opener = (struct mp_open_helper){ MP_WRITER_REQUESTS, MP_WRITER_KEEPER, { 0, 0 } };
	mp_opener_use(&p->lookup.opener, &p->opener, &p->lookup.budget);
	mp_proc_open_by(mp_open_proc, &p->lookup.opener);
#ifdef __SANITIZE_ADDRESS__ /* needs files, and traces the process to find leaks */
	(void)limits;
	prctl(PR_SET_NAME, MP_WRITER_NAME);
	return 0;
#else
	return mp_sandbox_enter(uid, &limits);
#endif
}

int mp_writer_main(const char *uid)
{
	static struct process p; /* its parts point to each other */
	struct stat socket;

	if (fstat(MP_WRITER_SOCKET, &socket) < 0 || !S_ISSOCK(socket.st_mode))
		mp_die("only mp-record starts this program");
	p.fd = MP_WRITER_SOCKET;
	mp_say_by(say, &p);
	mp_die_no_memory(MP_WRITER_NO_MEMORY);
	mp_message_put_number(&p.body, enter_sandbox(&p, uid));
	send_body(&p, MP_MESSAGE_READY);
	while (mp_message_receive(p.fd, &p.in) == 0) {
		switch (p.in.type) {
		case MP_MESSAGE_PLACES:
			answer_places(&p);
			break;
		case MP_MESSAGE_ADDRESS:
			answer_address(&p);
			break;
		case MP_MESSAGE_PLAN:
			take_plan(&p);
			break;
		case MP_MESSAGE_NAMES:
			take_names(&p);
			break;
		case MP_MESSAGE_START:
			record(&p);
			return MP_OK;
		default:
			end_alone();
		}
	}
	return MP_OK;
}
