// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/order/sections.h"
#include "lib/stream/esc.h"
#include "lib/stream/input.h"

enum {
	REPORTED_MAX = 5,
	BLOCK_LEAST = 16 << 10, /* smaller blocks would be too many: their number has 22 bits */
	AHEAD_BYTES = 4 << 20,	/* smaller files are not worth a thread */
};

static struct mp_source *add_source(struct mp_sources *s, const char *name, int fd,
				    struct mp_order_file *file)
{
	struct mp_source *src;

	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	src = &s->v[s->n];
	*src = (struct mp_source){ .name = name, .file = file, .lane = s->n++ };
	src->intake = (struct mp_intake){ .fd = fd, .name = name };
	return src;
}

static void add_sections(struct mp_sources *s, const char *name, int fd, struct mp_order_file *file,
			 off_t start, off_t end)
{
	size_t n, i;
	off_t *starts = mp_sections_find(fd, name, start, end, &n);

	for (i = 0; i < n; i++) {
		struct mp_source *src = add_source(s, name, fd, file);

		src->start = src->intake.offset = starts[i];
		src->intake.end = i + 1 < n ? starts[i + 1] : end;
		src->line_base = i ? UINT64_MAX : 0;
	}
	free(starts);
}

static void open_operand(struct mp_sources *s, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
	int fd = mp_input_open(path);
	struct mp_source *src;
	struct stat st;
	off_t start;

	if (fstat(fd, &st) < 0)
		mp_die("cannot read '%s': %m", name);
	start = lseek(fd, 0, SEEK_CUR);
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		mp_die("cannot read '%s': %m", name);
	}
	if (S_ISREG(st.st_mode) && start >= 0) {
		struct mp_order_file *file = mp_order_file_new(&s->files, path, fd);

		src = add_source(s, name, fd, file);
		if (mp_intake_unpack(&src->intake))
			return;
		s->n--;
		add_sections(s, name, fd, file, start, st.st_size);
		return;
	}
	add_source(s, name, fd, NULL)->intake.live = true;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
		fcntl(fd, F_SETPIPE_SZ, MP_PIPE_SIZE);
		mp_sigint_once();
	}
}

void mp_sources_open(struct mp_sources *s, char **operands, bool realtime)
{
	*s = (struct mp_sources){ .realtime = realtime,
				  .headers = json_array(),
				  .trailers = json_array() };
	for (; *operands; operands++)
		open_operand(s, *operands);
	s->cap_lanes = s->n;
	s->lanes = mp_zalloc(s->n * sizeof(*s->lanes));
}

/* Whether the source after this one is of another input. */
static bool is_last_of_file(const struct mp_sources *s, size_t i)
{
	const struct mp_order_file *file = s->v[i].file;

	return !file || i + 1 == s->n || s->v[i + 1].file != file;
}

void mp_sources_release(struct mp_sources *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		mp_intake_release(&s->v[i].intake);
		if (is_last_of_file(s, i) && s->v[i].file)
			mp_order_file_free(&s->files, s->v[i].file);
	}
	free(s->v);
	free(s->lanes);
	json_decref(s->headers);
	json_decref(s->trailers);
}

bool mp_source_is_trusted(const struct mp_source *src)
{
	return src->watermark_ns && src->too_early <= src->events / 100;
}

/* The number of lines of a file before the section; counted only when a message needs it. */
static uint64_t count_lines(const struct mp_source *src)
{
	char *buf = mp_alloc(MP_READ_SIZE), *p;
	uint64_t lines = 0;
	off_t at = 0;

	while (at < src->start) {
		size_t want = MP_MIN((off_t)MP_READ_SIZE, src->start - at);
		size_t n = mp_sections_read_at(src->intake.fd, buf, want, at, src->name);

		if (n == 0)
			break;
		for (p = buf; (p = memchr(p, '\n', buf + n - p)); p++)
			lines++;
		at += n;
	}
	free(buf);
	return lines;
}

static void say_bad(struct mp_source *src, const char *why)
{
	if (src->bad++ >= REPORTED_MAX)
		return;
	if (src->line_base == UINT64_MAX)
		src->line_base = count_lines(src);
	mp_say("%s:%llu: %s", src->name, (unsigned long long)(src->line_base + src->line), why);
}

static void add_line(struct mp_sources *s, struct mp_source *src, uint64_t time_ns,
		     const struct mp_intake_buffer *b, const struct mp_intake_line *line)
{
	src->high_ns = MP_MAX(src->high_ns, time_ns);
	if (!mp_order_add(s->order, src->lane, time_ns, b->id, line->offset, line->len + 1))
		src->misplaced++;
}

/* Adds a control line, or a line of another datatype, after the lines that came before it. */
static void add_in_place(struct mp_sources *s, struct mp_source *src,
			 const struct mp_intake_buffer *b, const struct mp_intake_line *line)
{
	mp_order_add(s->order, src->lane, src->high_ns, b->id, line->offset, line->len + 1);
}

/* Describes the clock of a section in a text; sections with the same text share a clock. */
static char *clock_name(const json_t *header)
{
	const char *clock = json_string_value(json_object_get(header, "clock"));
	const char *boot = json_string_value(json_object_get(header, "boot"));

	return mp_asprintf("%s %s", clock ? clock : "monotonic", boot ? boot : "");
}

static void check_clock(const struct mp_sources *s, const struct mp_source *src,
			const json_t *header)
{
	const json_t *first = json_array_get(s->headers, 0);
	char *a, *b;

	if (!first || s->realtime)
		return;
	a = clock_name(first);
	b = clock_name(header);
	if (strcmp(a, b) != 0)
		mp_die("%s: its clock differs from that of the previous section (another host or "
		       "boot); give --realtime to merge by the time of day",
		       src->name);
	free(a);
	free(b);
}

/* Reports sections without trailer; `kinds` has a bit for each of their datatypes. */
static void say_truncated(struct mp_sources *s, const struct mp_source *src, unsigned kinds)
{
	unsigned kind;

	for (kind = MP_EVENT; kind <= MP_STACK; kind <<= 1) {
		if (!(kinds & kind))
			continue;
		mp_say("%s: %s section truncated (no trailer)", src->name,
		       mp_kind_name((enum mp_kind)kind));
		s->truncated++;
		s->truncated_events += kind == MP_EVENT;
	}
}

static void open_section(struct mp_sources *s, struct mp_source *src, enum mp_kind kind)
{
	say_truncated(s, src, src->open & kind);
	src->open |= kind;
}

static void close_section(struct mp_source *src, enum mp_kind kind)
{
	if (!(src->open & kind))
		src->ended_open |= kind;
	src->open &= ~kind;
}

/*
 * A section of points or stacks may begin in one source of a file and end in a later one: they are
 * matched here.
 */
void mp_sources_end(struct mp_sources *s)
{
	unsigned open = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct mp_source *src = &s->v[i];

		open &= ~src->ended_open;
		say_truncated(s, src, open & src->open);
		open |= src->open;
		if (!is_last_of_file(s, i))
			continue;
		say_truncated(s, src, open);
		open = 0;
	}
}

static bool same_host(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Lines before the header may still wait, for the host and the shift of theirs. */
static void begin_lane(struct mp_sources *s, struct mp_source *src, const char *host)
{
	struct mp_lane *lane = &s->lanes[src->lane];

	if (src->line > 1 && (!same_host(lane->host, host) || lane->shift_ns != src->shift_ns)) {
		src->lane = mp_order_more(s->order);
		s->lanes = mp_grow(s->lanes, &s->cap_lanes, src->lane + 1, sizeof(*s->lanes));
		lane = &s->lanes[src->lane];
	}
	*lane = (struct mp_lane){ host, src->shift_ns };
}

static void handle_header(struct mp_sources *s, struct mp_source *src, const struct mp_ctl *ctl)
{
	const char *clock = json_string_value(json_object_get(ctl->json, "clock"));
	bool real = clock && strcmp(clock, "realtime") == 0;
	const char *host = json_string_value(json_object_get(ctl->json, "host")), *first;

	check_clock(s, src, ctl->json);
	open_section(s, src, MP_EVENT);
	json_array_append(s->headers, ctl->json);
	first = json_string_value(json_object_get(json_array_get(s->headers, 0), "host"));
	s->many_hosts |= !same_host(first, host);
	src->anchored = true;
	if (s->realtime && !real && !ctl->has_anchor)
		mp_die("%s: the header does not say how its clock relates to the time of day",
		       src->name);
	src->shift_ns = s->realtime && !real ? ctl->realtime_ns - ctl->clock_ns : 0;
	begin_lane(s, src, host);
}

/* A loss line is ordered by its time; if times are shifted, the line is rebuilt. */
static void handle_loss(struct mp_sources *s, struct mp_source *src, const struct mp_ctl *ctl,
			const struct mp_intake_buffer *b, const struct mp_intake_line *line)
{
	s->lost_lines = mp_count_sum(s->lost_lines, ctl->lost);
	if (ctl->time_ns)
		add_line(s, src, ctl->time_ns + src->shift_ns, b, line);
	else
		add_in_place(s, src, b, line);
}

static void handle_trailer(struct mp_sources *s, struct mp_source *src, json_t *trailer)
{
	json_t *time = json_object_get(trailer, "time");

	close_section(src, MP_EVENT);
	json_array_append(s->trailers, trailer);
	if (json_is_integer(time))
		json_integer_set(time,
				 (json_int_t)((uint64_t)json_integer_value(time) + src->shift_ns));
}

static void handle_control(struct mp_sources *s, struct mp_source *src,
			   const struct mp_intake_buffer *b, const struct mp_intake_line *line)
{
	struct mp_ctl ctl;
	const char *why;

	if (mp_ctl_parse(&ctl, (struct mp_str){ b->data + line->offset, line->len }, &why) < 0) {
		mp_ctl_release(&ctl);
		say_bad(src, why);
		return;
	}
	if (ctl.what == MP_CTL_HEADER && ctl.version > MP_STREAM_VERSION) {
		mp_say("%s: stream version %d is newer than this program reads (%d)", src->name,
		       ctl.version, MP_STREAM_VERSION);
		src->refused = true;
	} else if (ctl.what == MP_CTL_HEADER && ctl.datatype == MP_EVENT) {
		handle_header(s, src, &ctl);
	} else if (ctl.what == MP_CTL_WATERMARK) {
		src->watermark_ns = MP_MAX(src->watermark_ns, ctl.time_ns + src->shift_ns);
	} else if (ctl.what == MP_CTL_LOST) {
		handle_loss(s, src, &ctl, b, line);
	} else if (ctl.what == MP_CTL_END && ctl.datatype == MP_EVENT) {
		handle_trailer(s, src, ctl.json);
		s->lost = mp_count_sum(s->lost, ctl.lost);
	} else {
		if (ctl.what == MP_CTL_HEADER && ctl.datatype)
			open_section(s, src, ctl.datatype);
		else if (ctl.what == MP_CTL_END && ctl.datatype)
			close_section(src, ctl.datatype);
		s->lost_other = mp_count_sum(s->lost_other, ctl.lost);
		add_in_place(s, src, b, line);
	}
	mp_ctl_release(&ctl);
}

static void handle_event(struct mp_sources *s, struct mp_source *src,
			 const struct mp_intake_buffer *b, const struct mp_intake_line *line)
{
	uint64_t time_ns = line->time_ns + src->shift_ns;

	if (s->realtime && !src->anchored)
		mp_die("%s: an event before any header cannot be merged by the time of day",
		       src->name);
	src->events++;
	src->too_early += time_ns < src->watermark_ns;
	add_line(s, src, time_ns, b, line);
}

static void handle_lines(struct mp_sources *s, struct mp_source *src,
			 const struct mp_intake_buffer *b)
{
	size_t i;

	for (i = 0; i < b->n && !src->refused; i++) {
		const struct mp_intake_line *line = &b->lines[i];

		src->line++;
		if (line->why)
			say_bad(src, line->why);
		else if (line->kind == MP_EVENT)
			handle_event(s, src, b, line);
		else if (line->kind == MP_CONTROL)
			handle_control(s, src, b, line);
		else if (line->kind == MP_FOLDED)
			say_bad(src, "folded text is not a stream");
		else
			add_in_place(s, src, b, line);
	}
}

static void new_block(struct mp_sources *s, struct mp_intake_buffer *b, size_t size)
{
	b->id = mp_store_new_block(&s->order->store, size);
	b->data = mp_store_data(&s->order->store, b->id);
	b->cap = s->order->store.blocks[b->id].cap;
	b->used = b->scanned = b->n = 0;
}

static void end_source(struct mp_source *src, const struct mp_intake_buffer *b)
{
	if (b->used > b->scanned && !src->refused) {
		src->line++;
		say_bad(src, "last line has no LF: it may be truncated");
	}
	if (mp_intake_fault(&src->intake)) {
		src->bad++;
		mp_say("%s: %s", src->name, mp_intake_fault(&src->intake));
	}
	src->at_end = true;
}

static void check_first(struct mp_source *src, const struct mp_intake_buffer *b)
{
	const char *kind = b->used ? mp_input_binary_kind(b->data, b->used) : NULL;

	src->empty = b->used == 0;
	if (!kind)
		return;
	mp_say("%s: this is %s, not a stream", src->name, kind);
	src->refused = true;
}

/*
 * Provides room to read: a block that begins with the unfinished line of the previous one. A short
 * section needs a small one; there may be 100,000 of these in a file.
 */
static void make_room(struct mp_sources *s, struct mp_source *src)
{
	struct mp_intake_buffer *b = &src->buffers[0], full = *b;
	size_t size = s->block_size;

	if (src->has_block && b->used < b->cap)
		return;
	if (!src->intake.live && !src->intake.unpack && !src->has_block)
		size = MP_MIN(size, MP_MAX(BLOCK_LEAST,
					   (size_t)(src->intake.end - src->intake.offset) + 1));
	while (size < 2 * (full.used - full.scanned) && size <= MP_LINE_MAX)
		size *= 2;
	new_block(s, b, size);
	if (!src->has_block)
		return;
	mp_intake_continue(&src->intake, &full, b);
	mp_store_drop_block(&s->order->store, full.id);
}

/* Reads once, in this thread. */
static void read_now(struct mp_sources *s, struct mp_source *src)
{
	struct mp_intake_buffer *b = &src->buffers[0];
	bool first = !src->has_block;

	make_room(s, src);
	src->has_block = true;
	mp_intake_read(&src->intake, b);
	if (first)
		check_first(src, b);
	handle_lines(s, src, b);
	if (!b->end && !src->refused)
		return;
	end_source(src, b);
	mp_store_drop_block(&s->order->store, b->id);
	free(b->lines);
	b->lines = NULL;
}

/* Ends reading ahead: returns the blocks that were not used. */
static void stop_ahead(struct mp_sources *s, struct mp_source *src)
{
	size_t i;

	mp_intake_stop(&src->intake);
	for (i = 0; i < MP_SOURCE_BUFFERS; i++) {
		if (src->buffers[i].id != UINT32_MAX)
			mp_store_drop_block(&s->order->store, src->buffers[i].id);
		free(src->buffers[i].lines);
	}
}

/* Takes one buffer that the thread has read. */
static void read_ahead(struct mp_sources *s, struct mp_source *src)
{
	struct mp_intake_buffer *b = mp_intake_take(&src->intake);

	if (!src->has_block)
		check_first(src, b);
	src->has_block = true;
	handle_lines(s, src, b);
	if (b->end || src->refused)
		end_source(src, b);
	mp_store_drop_block(&s->order->store, b->id);
	b->id = UINT32_MAX;
	if (src->at_end) {
		stop_ahead(s, src);
		return;
	}
	new_block(s, b, MP_BLOCK_SIZE);
	mp_intake_give(&src->intake, b);
}

static void start_ahead(struct mp_sources *s, struct mp_source *src)
{
	size_t i;

	mp_intake_start(&src->intake);
	for (i = 0; i < MP_SOURCE_BUFFERS; i++) {
		new_block(s, &src->buffers[i], MP_BLOCK_SIZE);
		mp_intake_give(&src->intake, &src->buffers[i]);
	}
}

void mp_source_read(struct mp_sources *s, struct mp_source *src)
{
	if (src->file)
		src->intake.fd = mp_order_file_fd(&s->files, src->file);
	if (s->block_size == 0)
		s->block_size =
			MP_MAX(BLOCK_LEAST, MP_MIN(MP_BLOCK_SIZE, s->order->limit / 4 / s->n));
	if (!src->has_block && s->n == 1 && !src->intake.live && !src->intake.ahead &&
	    (src->intake.unpack || src->intake.end - src->intake.offset > AHEAD_BYTES))
		start_ahead(s, src);
	if (src->intake.ahead)
		read_ahead(s, src);
	else
		read_now(s, src);
}

bool mp_source_rewrite(const struct mp_sources *s, size_t lane, uint64_t time_ns,
		       struct mp_str line, struct mp_buf *to)
{
	const struct mp_lane *l = &s->lanes[lane];
	char number[MP_NUM_MAX];
	struct mp_ctl ctl;
	struct mp_rec rec;
	const char *why;

	if ((l->shift_ns == 0 && !s->many_hosts) ||
	    mp_rec_parse(&rec, line.p, line.len - 1, &why) < 0)
		return false;
	to->len = 0;
	if (rec.kind == MP_CONTROL && l->shift_ns) {
		bool lost = mp_ctl_parse(&ctl, rec.line, &why) == 0 && ctl.what == MP_CTL_LOST;

		if (lost) {
			ctl.from_ns += ctl.from_ns ? l->shift_ns : 0;
			ctl.time_ns = time_ns;
			mp_ctl_add_lost(to, &ctl);
		}
		mp_ctl_release(&ctl);
		return lost;
	}
	if (rec.kind != MP_EVENT)
		return false;
	mp_buf_add(to, number, mp_put_u64(number, time_ns) - number);
	mp_buf_byte(to, ',');
	mp_buf_str(to, rec.type);
	mp_buf_byte(to, ',');
	if (s->many_hosts && l->host &&
	    !(rec.body.len > 5 && memcmp(rec.body.p, "host=", 5) == 0)) {
		mp_buf_add(to, "host=", 5);
		mp_esc_add(to, mp_str(l->host), MP_ESC_VALUE);
		if (rec.body.len)
			mp_buf_byte(to, '\t');
	}
	mp_buf_str(to, rec.body);
	mp_buf_byte(to, '\n');
	return true;
}
