// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/stream/esc.h"
#include "lib/stream/unit.h"

enum {
	REPORTED_MAX = 5, /* bad lines that are reported one by one; others are only counted */
	HOST_LENGTH_MAX = 255,
};

const char *mp_input_binary_kind(const char *data, size_t len)
{
	static const struct {
		struct mp_str magic;
		const char *kind;
	} kinds[] = {
		{ { "PERFILE2", 8 }, "a perf.data file (read it with perf script)" },
		{ { "PERFFILE", 8 }, "a perf.data file (read it with perf script)" },
		{ { "\xfd"
		    "7zXZ",
		    5 },
		  "xz data (unpack it with xzcat)" },
		{ { "\x7f"
		    "ELF",
		    4 },
		  "a program" },
		{ { "\x17\x08\x44tracing", 10 },
		  "a trace.dat file (read it with trace-cmd report)" },
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kinds); i++)
		if (len >= kinds[i].magic.len &&
		    memcmp(data, kinds[i].magic.p, kinds[i].magic.len) == 0)
			return kinds[i].kind;
	if (memchr(data, '\0', MP_MIN(len, 512)) && !memchr(data, '\n', MP_MIN(len, 512)))
		return "binary data";
	return NULL;
}

void mp_input_before_output(char **operands, const char *output)
{
	struct stat out, in;
	bool exists = stat(output, &out) == 0 && S_ISREG(out.st_mode);
	int got;

	for (; *operands; operands++) {
		if (strcmp(*operands, "-") == 0)
			got = fstat(STDIN_FILENO, &in);
		else if (faccessat(AT_FDCWD, *operands, R_OK, AT_EACCESS) < 0)
			mp_die("cannot open '%s': %m", *operands);
		else
			got = stat(*operands, &in);
		if (exists && got == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			mp_die("cannot write '%s': it is also an input", output);
	}
}

int mp_input_open(const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0) {
		if (fcntl(STDIN_FILENO, F_GETFL) & O_PATH) {
			errno = EBADF; /* fd 0 was closed, and mp_init() reserved it */
			mp_die("cannot read 'stdin': %m");
		}
		if (isatty(STDIN_FILENO))
			mp_say("reading from the terminal (^D ends; usually FILE, or a pipe: "
			       "mp-record ... | %s)",
			       mp_name());
		return STDIN_FILENO;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		mp_die("cannot open '%s': %m", path);
	return fd;
}

void mp_input_init(struct mp_input *in, char **operands, unsigned kinds, struct mp_out *tied)
{
	*in = (struct mp_input){ .operands = operands, .kinds = kinds, .tied = tied };
}

void mp_input_adopt(struct mp_input *in, const struct mp_in *opened, unsigned kinds)
{
	static char *none[] = { NULL };

	mp_input_init(in, none, kinds, opened->tied);
	in->in = *opened;
	in->name = opened->name;
	in->next = 1;
	in->reading = true;
}

static void open_next(struct mp_input *in)
{
	char *path = in->operands[in->next] ? in->operands[in->next] : "-";

	in->name = strcmp(path, "-") == 0 ? "stdin" : path;
	mp_in_init(&in->in, mp_input_open(path), in->name, in->tied);
	in->next++;
	in->reading = true;
	in->started = false;
}

static void reset_section(struct mp_section *s)
{
	mp_buf_release(&s->host);
	*s = (struct mp_section){ .open = false };
}

static void end_section(struct mp_input *in, struct mp_section *s, enum mp_kind kind)
{
	if (!s->open)
		return;
	in->cut++;
	in->lost = mp_count_sum(in->lost, s->lost - s->foreign);
	mp_say("%s: %s section truncated (no trailer)", in->name, mp_kind_name(kind));
	reset_section(s);
}

static void reset_sections(struct mp_input *in)
{
	reset_section(&in->event);
	reset_section(&in->point);
	reset_section(&in->stack);
}

static void close_current(struct mp_input *in)
{
	end_section(in, &in->event, MP_EVENT);
	end_section(in, &in->point, MP_POINT);
	end_section(in, &in->stack, MP_STACK);
	reset_sections(in);
	if (mp_in_fault(&in->in)) {
		in->cut++;
		mp_say("%s: %s", in->name, mp_in_fault(&in->in));
	}
	mp_ctl_release(&in->ctl);
	mp_in_release(&in->in);
	if (in->in.fd > 0)
		close(in->in.fd);
	in->reading = false;
}

static void say_line(struct mp_input *in, const char *fmt, ...) MP_PRINTF(2, 3);

/* Prints a message about the current line, with file and line. */
static void say_line(struct mp_input *in, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mp_say("%s:%llu: %s", in->name, (unsigned long long)in->in.line, text);
}

void mp_input_bad(struct mp_input *in, const char *why)
{
	in->bad++;
	if (in->reported++ < REPORTED_MAX)
		say_line(in, "%s", why);
}

static struct mp_section *section_of(struct mp_input *in, enum mp_kind datatype)
{
	switch ((int)datatype) {
	case MP_EVENT:
		return &in->event;
	case MP_POINT:
		return &in->point;
	case MP_STACK:
		return &in->stack;
	}
	return NULL;
}

static void handle_loss(struct mp_input *in)
{
	bool foreign = in->concerns && !in->concerns(in->arg, &in->ctl);

	if (in->event.open) {
		in->event.lost = mp_count_sum(in->event.lost, in->ctl.lost);
		in->event.foreign = mp_count_sum(in->event.foreign, foreign ? in->ctl.lost : 0);
	} else if (!foreign) {
		in->lost = mp_count_sum(in->lost, in->ctl.lost);
	}
}

/* A longer text is not the name of a host. */
static void set_host(struct mp_section *s, const struct mp_ctl *header)
{
	const char *name = json_string_value(json_object_get(header->json, "host"));

	if (name && *name && strlen(name) <= HOST_LENGTH_MAX)
		mp_esc_add(&s->host, mp_str(name), MP_ESC_VALUE);
}

/* Returns false if the program may misunderstand the rest of this input. */
static bool handle_control(struct mp_input *in)
{
	struct mp_section *s = section_of(in, in->ctl.datatype);

	switch (in->ctl.what) {
	case MP_CTL_HEADER:
		if (in->ctl.version > MP_STREAM_VERSION) {
			in->refused++;
			say_line(in, "stream version %d is newer than this program reads (%d)",
				 in->ctl.version, MP_STREAM_VERSION);
			return false;
		}
		if (s) {
			end_section(in, s, in->ctl.datatype);
			s->open = true;
			set_host(s, &in->ctl);
		}
		break;
	case MP_CTL_LOST:
		handle_loss(in);
		break;
	case MP_CTL_END:
		if (s && s->open)
			in->lost =
				mp_count_sum(in->lost, MP_MAX(in->ctl.lost, s->lost) - s->foreign);
		if (s)
			reset_section(s);
		break;
	case MP_CTL_WATERMARK:
	case MP_CTL_OTHER:
		break;
	}
	return true;
}

static bool is_sole(const struct mp_input *in)
{
	return !in->operands[0] || !in->operands[1];
}

/* Removes the places of the frames of a record, in its line, which `text` is. */
static void strip_places(struct mp_rec *rec, char *text)
{
	struct mp_str frames;
	size_t at, cut, rest;

	if (!mp_rec_stack(rec, &frames) || !memchr(frames.p, '@', frames.len))
		return;
	at = frames.p - text;
	rest = rec->line.len - at - frames.len;
	cut = frames.len - mp_frame_strip(text + at, frames.len);
	memmove(text + at + frames.len - cut, text + at + frames.len, rest + 1); /* and its NUL */
	rec->body.len -= cut;
	rec->line.len -= cut;
}

/*
 * Handles a line. Returns 1 if `rec` is a record for the filter, 0 if the line is not one, -1 if
 * the rest of this input is not read.
 */
static int handle_line(struct mp_input *in, struct mp_rec *rec, char *text, size_t len)
{
	const char *why = NULL;
	struct mp_section *s;

	if (in->in.overlong)
		why = "line longer than 1 MiB";
	else if (in->in.partial)
		why = "last line has no LF: it may be truncated";
	else if (mp_rec_parse(rec, text, len, &why) == 0 && rec->kind == MP_CONTROL) {
		mp_ctl_release(&in->ctl);
		if (mp_ctl_parse(&in->ctl, rec->line, &why) == 0) {
			in->ctl.sole = is_sole(in) ? in->name : NULL;
			if (!handle_control(in))
				return -1;
			return !!(in->kinds & MP_CONTROL);
		}
	}
	if (why) {
		mp_input_bad(in, why);
		return 0;
	}
	if (!(in->kinds & rec->kind)) {
		in->unwanted++;
		in->unwanted_kind = rec->kind;
		return 0;
	}
	if (!in->places)
		strip_places(rec, text);
	s = section_of(in, rec->kind);
	if (s && s->host.len)
		rec->host = mp_buf_view(&s->host);
	return 1;
}

/* Checks the first bytes; false if they are not text. */
static bool begin(struct mp_input *in)
{
	const char *data, *kind;
	size_t len = mp_in_peek(&in->in, MP_MAGIC_MAX, &data);

	in->started = true;
	if (len == 0) {
		in->empty++;
		mp_say("%s: empty input", in->name);
		return false;
	}
	kind = mp_input_binary_kind(data, len);
	if (!kind)
		return true;
	in->refused++;
	mp_say("%s: this is %s, not a stream", in->name, kind);
	return false;
}

int mp_input_next(struct mp_input *in, struct mp_rec *rec)
{
	char *text;
	size_t len;

	for (;;) {
		if (!in->reading) {
			if (in->next > 0 && !in->operands[in->next - 1])
				return 0; /* stdin was the only input */
			if (in->next > 0 && !in->operands[in->next])
				return 0;
			open_next(in);
		}
		if ((!in->started && !begin(in)) || !mp_in_line(&in->in, &text, &len)) {
			close_current(in);
			continue;
		}
		switch (handle_line(in, rec, text, len)) {
		case 1:
			return 1;
		case -1:
			close_current(in);
		}
	}
}

void mp_input_stop(struct mp_input *in)
{
	in->lost = mp_count_sum(in->lost, in->event.lost - in->event.foreign);
	reset_sections(in);
	if (in->reading)
		close_current(in);
}

enum mp_status mp_input_finish(struct mp_input *in)
{
	if (in->reading)
		close_current(in);
	if (in->bad > REPORTED_MAX)
		mp_say_count(in->bad, "line skipped", "lines skipped");
	if (in->unwanted)
		mp_say("skipped %llu %s of a datatype that this program does not read (%s)",
		       (unsigned long long)in->unwanted, in->unwanted == 1 ? "line" : "lines",
		       mp_kind_name(in->unwanted_kind));
	if (in->lost)
		mp_say("input reports %llu lost event%s%s%s", (unsigned long long)in->lost,
		       mp_plural(in->lost), in->consequence ? ": " : "",
		       in->consequence ? in->consequence : "");
	if (in->refused)
		return MP_FAIL;
	return in->bad || in->unwanted || in->lost || in->cut || in->empty ? MP_LOSSY : MP_OK;
}
