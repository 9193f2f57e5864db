// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the lines that blkparse prints by default (blkparse(1), DEFAULT OUTPUT):
 * "DEV CPU SEQUENCE TIME PID ACTION RWBS [SECTOR + COUNT] [COMM]". An action becomes the tracepoint of the
 * kernel for it, with the fields that mp-record gives it.
 */
#include "lib/import/format.h"

static const struct action {
	char letter;
	const char *type;
} actions[] = {
	{ 'Q', "block:block_bio_queue" },     { 'G', "block:block_getrq" },
	{ 'I', "block:block_rq_insert" },     { 'D', "block:block_rq_issue" },
	{ 'C', "block:block_rq_complete" },   { 'R', "block:block_rq_requeue" },
	{ 'M', "block:block_bio_backmerge" }, { 'F', "block:block_bio_frontmerge" },
	{ 'P', "block:block_plug" },	      { 'U', "block:block_unplug" },
	{ 'X', "block:block_split" },	      { 'A', "block:block_bio_remap" },
	{ 'B', "block:block_bio_bounce" },    { 'S', "blktrace:sleep" },
	{ 'T', "blktrace:timer_unplug" },     { 'm', "blktrace:message" },
};

struct line {
	uint64_t major, minor, time_ns;
	struct mp_str cpu, pid, rwbs, text;
	const char *type;
};

/* The next word of *s. */
static struct mp_str word(struct mp_str *s)
{
	struct mp_str w;

	while (s->len && *s->p == ' ')
		*s = mp_str_skip(*s, 1);
	w = (struct mp_str){ s->p, mp_import_find(*s, " ") };
	*s = mp_str_skip(*s, w.len);
	return w;
}

static bool is_number(struct mp_str s)
{
	return s.len && s.len < 20 && mp_import_digits(s) == s.len;
}

static bool parse_line(struct mp_str s, struct line *l)
{
	struct mp_str dev = word(&s), sequence, time, action;
	size_t comma = mp_import_find(dev, ","), i;

	l->cpu = word(&s);
	sequence = word(&s);
	time = word(&s);
	l->pid = word(&s);
	action = word(&s);
	if (comma == dev.len || mp_num_u64((struct mp_str){ dev.p, comma }, &l->major) < 0 ||
	    mp_num_u64(mp_str_skip(dev, comma + 1), &l->minor) < 0 || l->major > 4095 ||
	    l->minor > 1048575 || !is_number(l->cpu) || !is_number(sequence) || time.len < 11 ||
	    time.p[time.len - 10] != '.' || mp_import_time(time, &l->time_ns) < 0 ||
	    !is_number(l->pid))
		return false;
	/* two letters at most: a second one is the kind of a timeout or a message */
	for (i = 0; i < MP_ARRAY_SIZE(actions); i++)
		if (action.len && action.len <= 2 && *action.p == actions[i].letter)
			break;
	if (i == MP_ARRAY_SIZE(actions))
		return false;
	l->type = actions[i].type;
	l->rwbs = word(&s);
	l->text = mp_import_trim(s);
	return true;
}

/* Cuts "[NAME]" and what follows it off; a completion has its error there. */
static struct mp_str cut_bracket(struct mp_str *text)
{
	const char *open = text->len ? memchr(text->p, '[', text->len) : NULL, *close;
	struct mp_str inside;

	if (!open)
		return (struct mp_str){ NULL, 0 };
	close = memrchr(open, ']', (size_t)(text->p + text->len - open));
	if (!close)
		return (struct mp_str){ NULL, 0 };
	inside = (struct mp_str){ open + 1, (size_t)(close - open - 1) };
	text->len = (size_t)(open - text->p);
	return inside;
}

/* "SECTOR + COUNT", "SECTOR / SECTOR" of a split, or another text. */
static void put_text(struct mp_import *im, struct mp_str text)
{
	struct mp_str rest = text, sector = word(&rest), sign = word(&rest), count = word(&rest);

	if (!is_number(sector)) {
		text = mp_import_trim(text);
		if (text.len)
			mp_import_field(im, ".text", text);
		return;
	}
	mp_import_number(im, ".sector", sector);
	if (mp_str_eq(sign, MP_STR("+")) && is_number(count))
		mp_import_number(im, ".nr_sector", count);
	else if (mp_str_eq(sign, MP_STR("/")) && is_number(count))
		mp_import_number(im, ".new_sector", count);
}

static void put(struct mp_import *im, const struct line *l)
{
	bool completed = mp_str_eq(mp_str(l->type), MP_STR("block:block_rq_complete"));
	struct mp_str text = l->text, inside = cut_bracket(&text);
	char name[32];
	int len = snprintf(name, sizeof(name), "%llu:%llu", (unsigned long long)l->major,
			   (unsigned long long)l->minor);

	mp_import_event(im, l->time_ns, mp_str(l->type));
	mp_import_number(im, "cpu", l->cpu);
	mp_import_number(im, "tid", l->pid);
	if (inside.p && !completed && !mp_str_eq(inside, MP_STR("(null)"))) /* it knows no name */
		mp_import_field(im, "comm", inside);
	mp_import_named(im, ".dev", (int64_t)(l->major << 20 | l->minor),
			(struct mp_str){ name, (size_t)len });
	put_text(im, text);
	if (completed && is_number(inside))
		mp_import_number(im, ".error", inside);
	if (l->rwbs.len)
		mp_import_field(im, ".rwbs", l->rwbs);
	mp_import_write(im);
}

static void parse(struct mp_import *im)
{
	struct mp_str text;
	bool summary = false;
	struct line l;

	im->source = "blkparse";
	mp_import_begin(im, MP_EVENT, "blktrace");
	while (mp_import_line(im, &text)) {
		if (parse_line(text, &l))
			put(im, &l);
		else if (mp_str_starts(text, MP_STR("CPU")) ||
			 mp_str_starts(text, MP_STR("Total (")) || summary)
			summary = true; /* the totals at the end */
		else if (text.len)
			mp_import_bad(im, "not a line of blkparse");
	}
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	struct line l;

	(void)first;
	return parse_line(line, &l) ? MP_IMPORT_DISTINCT : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_blkparse = { "blkparse", looks_like, NULL, parse };
