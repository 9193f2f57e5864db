// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/check.h"

#include "lib/stream/ctl.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"

enum { REPORTED_MAX = 20 };

/* A section being read. */
struct section {
	bool open;
	uint64_t records;
	uint64_t lost; /* events lost, by the loss lines */
};

struct check {
	struct mp_in in;
	struct mp_out *out;
	struct mp_buf text;
	uint64_t faults, unordered, early, cut;
	uint64_t sections, records, lost;
	struct section of[3];
	uint64_t last_ns, watermark_ns;
};

static void say(struct check *c, const char *what)
{
	if (c->faults++ >= REPORTED_MAX)
		return;
	c->text.len = 0;
	mp_buf_printf(&c->text, "%s:%llu: %s\n", c->in.name, (unsigned long long)c->in.line, what);
	mp_out_write(c->out, c->text.p, c->text.len);
}

static struct section *section_of(struct check *c, enum mp_kind kind)
{
	return kind == MP_EVENT ? &c->of[0] : kind == MP_POINT ? &c->of[1] : &c->of[2];
}

static void end_section(struct check *c, struct section *s)
{
	if (s->open) {
		c->cut++;
		say(c, "the previous section is truncated (no trailer)");
	}
	*s = (struct section){ .open = false };
}

static void check_trailer(struct check *c, const struct mp_ctl *ctl)
{
	struct section *s = section_of(c, ctl->datatype);

	if (!s->open)
		say(c, "trailer without a header");
	else if (s->records != ctl->records)
		say(c, "number of records is not what the trailer says");
	else if (s->lost > ctl->lost)
		say(c, "more events lost than the trailer says");
	c->lost = mp_count_sum(c->lost, MP_MAX(ctl->lost, s->lost));
	*s = (struct section){ .open = false };
}

/* Checks a control line. Returns -1 if the lines after it cannot be checked. */
static int check_control(struct check *c, struct mp_str line)
{
	struct mp_ctl ctl;
	const char *why;
	int result = 0;

	if (mp_ctl_parse(&ctl, line, &why) < 0) {
		say(c, why);
	} else if (ctl.what == MP_CTL_HEADER && ctl.version > MP_STREAM_VERSION) {
		say(c, "stream version is newer than this program reads");
		result = -1;
	} else if (ctl.what == MP_CTL_HEADER && ctl.datatype) {
		end_section(c, section_of(c, ctl.datatype));
		section_of(c, ctl.datatype)->open = true;
		c->sections++;
		if (ctl.datatype == MP_EVENT)
			c->last_ns = c->watermark_ns = 0;
	} else if (ctl.what == MP_CTL_WATERMARK) {
		if (ctl.time_ns < c->watermark_ns)
			say(c, "watermark goes back");
		c->watermark_ns = ctl.time_ns;
	} else if (ctl.what == MP_CTL_LOST) {
		if (c->of[0].open)
			c->of[0].lost = mp_count_sum(c->of[0].lost, ctl.lost);
		else
			c->lost = mp_count_sum(c->lost, ctl.lost);
	} else if (ctl.what == MP_CTL_END && ctl.datatype) {
		check_trailer(c, &ctl);
	}
	mp_ctl_release(&ctl);
	return result;
}

static void check_order(struct check *c, uint64_t time_ns)
{
	if (time_ns < c->watermark_ns) {
		c->early++;
		say(c, "event is earlier than the watermark");
	} else if (time_ns < c->last_ns) {
		c->unordered++;
		say(c, "event is earlier than the one before");
	}
	c->last_ns = MP_MAX(c->last_ns, time_ns);
}

static int check_line(struct check *c, const char *text, size_t len)
{
	struct mp_rec rec;
	const char *why = NULL;

	if (c->in.overlong)
		why = "line longer than 1 MiB";
	else if (c->in.partial)
		why = "last line has no LF: it may be truncated";
	else if (mp_rec_parse(&rec, text, len, &why) == 0 && rec.kind == MP_CONTROL)
		return check_control(c, rec.line);
	else if (!why && rec.kind == MP_FOLDED)
		why = "not an event, a point or a stack (folded text is not a stream)";
	else if (!why)
		mp_rec_check(&rec, &why);
	if (why) {
		say(c, why);
		return 0;
	}
	c->records++;
	section_of(c, rec.kind)->records++;
	if (rec.kind == MP_EVENT)
		check_order(c, rec.time_ns);
	return 0;
}

static enum mp_status sum_up(struct check *c)
{
	struct mp_buf *t = &c->text;

	t->len = 0;
	if (c->faults > REPORTED_MAX)
		mp_buf_printf(t, "%s: %llu more\n", c->in.name,
			      (unsigned long long)(c->faults - REPORTED_MAX));
	mp_buf_printf(t, "%s: %s, %s, %s: %llu record%s in %llu section%s, %llu lost\n", c->in.name,
		      c->faults > c->unordered + c->early + c->cut ? "not valid" : "valid",
		      c->cut	    ? "truncated"
		      : c->sections ? "complete"
				    : "without header",
		      c->unordered || c->early ? "not ordered" : "ordered",
		      (unsigned long long)c->records, mp_plural(c->records),
		      (unsigned long long)c->sections, mp_plural(c->sections),
		      (unsigned long long)c->lost);
	mp_out_write(c->out, t->p, t->len);
	return c->faults ? MP_LOSSY : MP_OK;
}

enum mp_status mp_check(int fd, const char *name, struct mp_out *out)
{
	struct check c = { .out = out };
	enum mp_status status;
	const char *data, *kind;
	size_t len, i;
	char *text;

	mp_in_init(&c.in, fd, name, out);
	len = mp_in_peek(&c.in, MP_MAGIC_MAX, &data);
	kind = len ? mp_input_binary_kind(data, len) : "empty";
	if (kind) {
		mp_say("%s: this is %s, not a stream", name, kind);
		mp_in_release(&c.in);
		return MP_FAIL;
	}
	while (mp_in_line(&c.in, &text, &len))
		if (check_line(&c, text, len) < 0)
			break;
	if (mp_in_fault(&c.in)) {
		c.cut++;
		say(&c, mp_in_fault(&c.in));
	}
	for (i = 0; i < MP_ARRAY_SIZE(c.of); i++)
		end_section(&c, &c.of[i]);
	status = sum_up(&c);
	mp_in_release(&c.in);
	mp_buf_release(&c.text);
	return status;
}
