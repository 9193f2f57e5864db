// SPDX-License-Identifier: GPL-2.0-only
/* mp-order: put events in order of time, merge several streams. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/core/pack.h"
#include "lib/order/check.h"
#include "lib/order/header.h"
#include "lib/order/source.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"

enum { OPT_COMPRESS = MP_OPT_LONG };

enum {
	/*
	 * Holds lines back a little even if a watermark would release them. A file whose lines were
	 * shuffled is recognized by its wrong watermarks within the first few thousand lines,
	 * before any is written; and a burst is written at once.
	 */
	HOLD_BYTES = 8 << 20,
	QUIET_MS = 5, /* a pipe that is silent for this time is live: its lines are written */
};

static const struct mp_opt opts[] = {
	{ 'r', "realtime", NULL,
	  "merge by the time of day, for streams of several hosts or "
	  "boots; times become ns since 1970" },
	{ 'w', "window", "DURATION",
	  "without watermarks: write an event after reading one that is later by DURATION "
	  "(default: hold all to the end)" },
	{ 'm', "memory", "SIZE",
	  "hold at most SIZE in memory, then use files in TMPDIR "
	  "(default: 256M)" },
	{ 'o', "output", "FILE",
	  "write to FILE, compressed if it is FILE.zst or FILE.gz "
	  "(default: standard output)" },
	{ OPT_COMPRESS, "compress", "[METHOD]",
	  "compress by zstd (default) or gzip; none: not "
	  "even FILE.zst and FILE.gz" },
	{ 'c', "check", NULL,
	  "write nothing; report whether each FILE is a valid, complete "
	  "and ordered stream, and where it is not" },
};

static const struct mp_program program = {
	.name = "mp-order",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Put the events of one or many streams in order of time.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-order --realtime web7.mp db1.mp > both.mp\n"
		    "  mp-order --check web7.mp\n",
};

static struct {
	bool realtime;
	bool check;
	uint64_t window_ns; /* argument of --window; 0: no window */
	uint64_t memory;
	const char *output; /* NULL: stdout */
	bool pack_given;
	enum mp_pack_method pack;
} options = { .memory = 256 << 20 };

static struct {
	struct mp_sources sources;
	struct mp_order order;
	struct mp_out out;
	struct mp_buf line;
	bool begun; /* the header of the output was written */
	uint64_t flushed_ns;
	size_t unread;	      /* all file sources before this index have been read */
	struct mp_source **v; /* the sources that may have more to read */
	size_t n;
	struct pollfd *fds; /* one for each live source */
	struct mp_source **live;
	size_t n_live;
} work;

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1) {
		switch (code) {
		case 'r':
			options.realtime = true;
			break;
		case 'w':
			options.window_ns = mp_opt_duration(&program, code, arg);
			break;
		case 'm':
			options.memory = mp_opt_size(&program, code, arg, 16 << 20);
			break;
		case 'o':
			options.output = arg;
			break;
		case OPT_COMPRESS:
			options.pack_given = true;
			options.pack = arg ? mp_opt_word(&program, code, arg, mp_pack_names)
					   : MP_PACK_ZSTD;
			break;
		case 'c':
			options.check = true;
			break;
		}
	}
	if (!options.pack_given)
		options.pack = mp_pack_of_path(options.output);
	if (options.check && (options.output || options.pack))
		mp_usage("--check cannot be combined with -o or --compress");
}

static int stat_operand(const char *operand, struct stat *st)
{
	return strcmp(operand, "-") == 0 ? fstat(STDIN_FILENO, st) : stat(operand, st);
}

/* Whether an input may be live, so that somebody may read the output meanwhile. */
static bool may_be_live(char **operands)
{
	struct stat st;

	for (; *operands; operands++)
		if (stat_operand(*operands, &st) < 0 || !S_ISREG(st.st_mode))
			return true;
	return false;
}

static enum mp_status check_all(char **operands)
{
	enum mp_status worst = MP_OK, status;

	for (; *operands; operands++) {
		int fd = mp_input_open(*operands);

		status = mp_check(fd, fd == 0 ? "stdin" : *operands, &work.out);
		worst = MP_MAX(worst, status);
		if (fd > 0)
			close(fd);
	}
	mp_out_close(&work.out);
	return worst;
}

static void write_json(json_t *object)
{
	work.line.len = 0;
	mp_ctl_add(&work.line, object);
	mp_out_write(&work.out, work.line.p, work.line.len);
}

static void begin_output(void)
{
	work.begun = true;
	if (json_array_size(work.sources.headers))
		write_json(mp_header_merge(work.sources.headers, options.realtime));
}

static void emit(void *arg, size_t lane, uint64_t time_ns, struct mp_str line)
{
	(void)arg;
	if (!work.begun)
		begin_output();
	if (mp_source_rewrite(&work.sources, lane, time_ns, line, &work.line))
		line = mp_buf_view(&work.line);
	mp_out_write(&work.out, line.p, line.len);
}

/* The time before which no source can have another event. */
static uint64_t bound(void)
{
	uint64_t low = work.unread < work.sources.n ? 0 : UINT64_MAX, here;
	size_t i;

	for (i = 0; i < work.n && low; i++) {
		const struct mp_source *src = work.v[i];

		if (src->at_end)
			continue;
		here = 0;
		if (mp_source_is_trusted(src))
			here = src->watermark_ns;
		else if (options.window_ns && src->high_ns > options.window_ns)
			here = src->high_ns - options.window_ns;
		low = MP_MIN(low, here);
	}
	return low;
}

/* Writes the lines that no later input can precede; at the end, all lines. */
static void flush(void)
{
	uint64_t until = bound();

	if (until <= work.flushed_ns)
		return;
	if (!work.begun)
		begin_output();
	mp_order_flush(&work.order, until);
	work.flushed_ns = until;
	if (until == UINT64_MAX || !json_array_size(work.sources.headers))
		return;
	work.line.len = 0;
	mp_ctl_add_watermark(&work.line, until);
	mp_out_write(&work.out, work.line.p, work.line.len);
}

/*
 * Makes room for lines. Lines that cannot be written yet may wait for a long time, even until the
 * end: then they are packed.
 */
static void make_room(void)
{
	if (mp_order_bytes(&work.order) > HOLD_BYTES)
		flush();
	work.order.packing =
		mp_order_bytes(&work.order) > HOLD_BYTES && mp_store_pays(&work.order.store);
	if (mp_order_bytes(&work.order) > work.order.limit)
		mp_order_spill(&work.order);
}

/*
 * Reads each live source that has data. With `wait`, waits until one has data, after writing and
 * flushing all lines that can be written.
 */
static void read_live(bool wait)
{
	size_t n = 0, i;
	int ready;

	for (i = 0; i < work.n_live; i++) {
		struct mp_source *src = work.live[i];
		bool pending = !src->at_end && mp_intake_pending(&src->intake);

		if (pending) {
			mp_source_read(&work.sources, src);
			wait = false;
		}
		work.fds[i] = (struct pollfd){ .fd = src->at_end || pending ? -1 : src->intake.fd,
					       .events = POLLIN };
		n += !src->at_end;
	}
	if (n == 0)
		return;
	ready = poll(work.fds, work.n_live, wait ? QUIET_MS : 0);
	if (ready == 0 && wait) {
		flush();
		mp_out_flush(&work.out);
		ready = poll(work.fds, work.n_live, -1);
	}
	for (i = 0; i < work.n_live && ready > 0; i++)
		if (work.fds[i].fd >= 0 && work.fds[i].revents)
			mp_source_read(&work.sources, work.live[i]);
}

/* Moves past live sources to the next file source that has not been read. */
static void skip_live(void)
{
	while (work.unread < work.sources.n && work.sources.v[work.unread].intake.live)
		work.unread++;
}

/*
 * Finds the file whose events are earliest: no event can be written before more of it is read. Each
 * file is read once first. Forgets the sources that are at their end.
 */
static struct mp_source *earliest_file(void)
{
	struct mp_source *best = NULL;
	size_t kept = 0, i;

	if (work.unread < work.sources.n) {
		best = &work.sources.v[work.unread++];
		skip_live();
		return best;
	}
	for (i = 0; i < work.n; i++) {
		struct mp_source *src = work.v[i];

		if (src->at_end)
			continue;
		work.v[kept++] = src;
		if (!src->intake.live && (!best || src->high_ns < best->high_ns))
			best = src;
	}
	work.n = kept;
	return best;
}

static void run(void)
{
	size_t n = work.sources.n, i;
	struct mp_source *file;

	work.v = mp_alloc(n * sizeof(*work.v));
	work.live = mp_alloc(n * sizeof(*work.live));
	work.fds = mp_alloc(n * sizeof(*work.fds));
	for (i = 0; i < n; i++) {
		work.v[work.n++] = &work.sources.v[i];
		if (work.sources.v[i].intake.live)
			work.live[work.n_live++] = &work.sources.v[i];
	}
	skip_live();
	while ((file = earliest_file()) || work.n) {
		if (file)
			mp_source_read(&work.sources, file);
		read_live(!file);
		make_room();
	}
	flush();
	free(work.v);
	free(work.live);
	free(work.fds);
}

struct totals {
	uint64_t events, bad, refused, empty, too_early, misplaced;
};

static struct totals sum_sources(void)
{
	struct totals t = { 0, 0, 0, 0, 0, 0 };
	size_t i;

	for (i = 0; i < work.sources.n; i++) {
		const struct mp_source *src = &work.sources.v[i];

		t.events += src->events;
		t.bad += src->bad;
		t.refused += src->refused;
		t.too_early += src->too_early;
		t.misplaced += src->misplaced;
		t.empty += src->empty;
		if (src->empty)
			mp_say("%s: empty input", src->name);
	}
	return t;
}

/* Writes the trailer, unless a section is truncated, reports errors, and returns the status. */
static enum mp_status finish(void)
{
	struct mp_sources *s = &work.sources;
	uint64_t lost = MP_MAX(s->lost, s->lost_lines);
	struct totals t = sum_sources();
	json_t *trailer;

	mp_sources_end(s);
	if (json_array_size(s->headers) && !s->truncated_events) {
		trailer = mp_trailer_merge(s->trailers, t.events, lost);
		if (t.misplaced)
			json_object_set_new(trailer, "late", json_integer(t.misplaced));
		write_json(trailer);
	}
	mp_say_count(t.bad, "line skipped", "lines skipped");
	mp_say_count(t.too_early, "event came after a later watermark of its stream",
		     "events came after a later watermark of their stream");
	mp_say_count(t.misplaced, "event came too late to be put in order (see --window)",
		     "events came too late to be put in order (see --window)");
	lost = mp_count_sum(lost, s->lost_other);
	if (lost)
		mp_say("input reports %llu lost event%s", (unsigned long long)lost,
		       mp_plural(lost));
	if (t.refused)
		return MP_FAIL;
	return t.bad || t.too_early || t.misplaced || t.empty || s->truncated || lost ? MP_LOSSY
										      : MP_OK;
}

int main(int argc, char **argv)
{
	static char *stdin_only[] = { "-", NULL };
	enum mp_status status;
	char **operands;

	mp_init("mp-order");
	parse_options(argc, argv);
	operands = argv[optind] ? argv + optind : stdin_only;
	if (options.output)
		mp_input_before_output(operands, options.output);
	mp_out_open(&work.out, options.output);
	if (options.check)
		return check_all(operands);
	mp_pack_start(options.pack, &work.out, may_be_live(operands));
	mp_sources_open(&work.sources, operands, options.realtime);
	mp_order_init(&work.order, work.sources.n, options.memory, emit, NULL);
	work.sources.order = &work.order;
	run();
	status = finish();
	mp_out_close(&work.out);
	mp_order_release(&work.order);
	mp_sources_release(&work.sources);
	mp_buf_release(&work.line);
	return status;
}
