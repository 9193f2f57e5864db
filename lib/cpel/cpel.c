// SPDX-License-Identifier: GPL-2.0-only
#include "lib/cpel/cpel.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/core/clock.h"
#include "lib/stream/esc.h"

enum {
	SECTION_TEXTS = 1,
	SECTION_EVENTS = 3,
	SECTION_TRACKS = 4,
	SECTION_LOG = 5,
	N_SECTIONS = 4,
	NAME_SIZE = 64,
	EVENT_SIZE = 20,
	SECTION_MAX = INT32_MAX,
	EVENTS_MAX = (SECTION_MAX - NAME_SIZE - 8) / EVENT_SIZE,
	AT_ONCE = 4096, /* events that are read from the temporary file at once */
	SPILL_KEPT = 4 << 20,
};

static const char table_name[] = "FileStrtab";

struct logged {
	uint64_t time_ns;
	uint32_t track, type, datum;
} __attribute__((packed));

void mp_cpel_init(struct mp_cpel *c)
{
	*c = (struct mp_cpel){ .n_logged = 0 };
	mp_spill_init(&c->log, SPILL_KEPT, "set TMPDIR");
	mp_spill_init(&c->texts, SPILL_KEPT, "set TMPDIR");
	mp_cpel_begins_init(&c->begins);
	mp_intmap_init(&c->places);
	mp_cpel_text(c, mp_str(table_name));
}

void mp_cpel_release(struct mp_cpel *c)
{
	mp_spill_release(&c->log);
	mp_spill_release(&c->texts);
	mp_cpel_begins_release(&c->begins);
	mp_intmap_release(&c->places);
	mp_buf_release(&c->text);
}

/* Whether the text at an offset is this one. */
static bool is_at(struct mp_cpel *c, uint32_t place, struct mp_str text)
{
	if (place + text.len + 1 > c->texts.bytes)
		return false;
	c->text.len = 0;
	mp_buf_reserve(&c->text, text.len + 1);
	mp_spill_read_at(&c->texts, place, c->text.p, text.len + 1);
	return !c->text.p[text.len] && mp_str_eq((struct mp_str){ c->text.p, text.len }, text);
}

uint32_t mp_cpel_text(struct mp_cpel *c, struct mp_str text)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(text.p, text.len, mp_hash_seed());
	const struct mp_intmap_entry *e = mp_intmap_find(&c->places, h.low64);
	uint32_t place = (uint32_t)c->texts.bytes, check = (uint32_t)h.high64;

	while (e->value && (e->value >> 32 != check || !is_at(c, (uint32_t)e->value - 1, text)))
		e = mp_intmap_next(&c->places, e);
	if (e->value)
		return (uint32_t)e->value - 1;
	if (c->texts.bytes + text.len + 8 > SECTION_MAX)
		mp_die("the texts of the events need more than the 2 GiB that a CPEL file has for "
		       "them (choose fields with --label)");
	mp_intmap_add(&c->places, h.low64, (uint64_t)check << 32 | (place + 1));
	mp_spill_add(&c->texts, text.p, text.len);
	mp_spill_add(&c->texts, "", 1);
	return place;
}

/* Counts an event in. */
static void count_event(struct mp_cpel *c, uint64_t time_ns)
{
	uint64_t n = c->n_logged + c->begins.total;

	if (n == 0 || time_ns < c->first_ns)
		c->first_ns = time_ns;
	if (n == EVENTS_MAX)
		mp_die("more than the %d events that a CPEL file holds (choose some with "
		       "mp-select)",
		       EVENTS_MAX);
}

void mp_cpel_event(struct mp_cpel *c, uint64_t time_ns, uint32_t track, uint32_t type,
		   uint32_t datum)
{
	struct logged e = { time_ns, track, type, datum };

	count_event(c, time_ns);
	c->n_logged++;
	mp_spill_add(&c->log, &e, sizeof(e));
}

void mp_cpel_begin(struct mp_cpel *c, uint64_t time_ns, uint32_t track, uint32_t type,
		   uint32_t datum)
{
	struct mp_cpel_begin begin = { time_ns, c->n_logged, track, type, datum };

	count_event(c, time_ns);
	mp_cpel_begins_add(&c->begins, &begin);
}

static char *put_u32(char *to, uint32_t v)
{
	to[0] = (char)(v >> 24);
	to[1] = (char)(v >> 16);
	to[2] = (char)(v >> 8);
	to[3] = (char)v;
	return to + 4;
}

static void write_u32(struct mp_out *out, uint32_t v)
{
	char bytes[4];

	put_u32(bytes, v);
	mp_out_write(out, bytes, 4);
}

/* The head of a section that begins with the name of the table and a count. */
static void begin_section(struct mp_out *out, uint32_t type, uint32_t data_size, uint32_t count)
{
	char name[NAME_SIZE] = { 0 };

	memcpy(name, table_name, sizeof(table_name));
	write_u32(out, type);
	write_u32(out, NAME_SIZE + 4 + data_size);
	mp_out_write(out, name, NAME_SIZE);
	write_u32(out, count);
}

static void write_texts(struct mp_cpel *c, struct mp_out *out)
{
	size_t pad = -c->texts.bytes & 7, n;
	char *chunk = mp_alloc(MP_READ_SIZE);

	write_u32(out, SECTION_TEXTS);
	write_u32(out, c->texts.bytes + pad);
	mp_spill_rewind(&c->texts);
	while ((n = mp_spill_read(&c->texts, chunk, MP_READ_SIZE)))
		mp_out_write(out, chunk, n);
	mp_out_write(out, "\0\0\0\0\0\0\0", pad);
	free(chunk);
}

static void write_event(const struct mp_cpel *c, const struct mp_cpel_result *r,
			const struct logged *e, struct mp_out *out)
{
	/* times begin at 1, since cpelatency takes 0 for "never" */
	uint64_t time = e->time_ns - c->first_ns + 1;
	char *p;

	if (!r->code[e->type])
		return;
	p = mp_out_reserve(out, EVENT_SIZE);
	p = put_u32(p, time >> 32);
	p = put_u32(p, time);
	p = put_u32(p, r->track[e->track]);
	p = put_u32(p, r->code[e->type]);
	p = put_u32(p, e->datum == MP_CPEL_OF_TRACK ? r->datum[e->track] : e->datum);
	mp_out_commit(out, p);
}

/* Writes the begins that precede an event, which has this number in the log. */
static void write_begins(struct mp_cpel *c, const struct mp_cpel_result *r, uint64_t number,
			 uint64_t time_ns, struct mp_out *out)
{
	const struct mp_cpel_begin *b;

	for (; (b = mp_cpel_begins_peek(&c->begins)); mp_cpel_begins_next(&c->begins)) {
		struct logged e = { b->time_ns, b->track, b->type, b->datum };

		if (b->time_ns > time_ns || (b->time_ns == time_ns && b->before > number))
			return;
		write_event(c, r, &e, out);
	}
}

static void write_log(struct mp_cpel *c, const struct mp_cpel_result *r, struct mp_out *out)
{
	struct logged *some = mp_alloc(AT_ONCE * sizeof(*some));
	uint64_t number = 0;
	size_t n, i;

	n = c->n_logged + c->begins.total - r->omitted;
	begin_section(out, SECTION_LOG, 4 + n * EVENT_SIZE, n);
	write_u32(out, MP_NS_PER_SEC);
	mp_cpel_begins_sort(&c->begins);
	mp_spill_rewind(&c->log);
	while ((n = mp_spill_read(&c->log, some, AT_ONCE * sizeof(*some)) / sizeof(*some)))
		for (i = 0; i < n; i++) {
			uint64_t time_ns = some[i].time_ns;

			write_begins(c, r, number++, time_ns, out);
			write_event(c, r, &some[i], out);
		}
	free(some);
}

void mp_cpel_write(struct mp_cpel *c, const struct mp_cpel_result *r, struct mp_out *out)
{
	uint32_t format = mp_cpel_text(c, MP_STR("%s"));
	size_t i;

	mp_out_write(out, "\1\0\0", 3);
	mp_out_write(out, (char[]){ N_SECTIONS }, 1);
	write_u32(out, r->date_s);
	write_texts(c, out);
	begin_section(out, SECTION_EVENTS, 12 * r->n_events, r->n_events);
	for (i = 0; i < r->n_events; i++) {
		write_u32(out, r->events[i].id);
		write_u32(out, r->events[i].text);
		write_u32(out, format);
	}
	begin_section(out, SECTION_TRACKS, 8 * r->n_tracks, r->n_tracks);
	for (i = 0; i < r->n_tracks; i++) {
		write_u32(out, r->tracks[i].id);
		write_u32(out, r->tracks[i].text);
	}
	write_log(c, r, out);
}

/* The length of the escape at `p`; 1 if there is no escape. */
static size_t unit(const char *p, const char *end)
{
	size_t n = *p != '\\' || end - p < 2 ? 1 : p[1] == 'x' ? 4 : 2;

	if (n > (size_t)(end - p) || mp_esc_check((struct mp_str){ p, n }) < 0)
		return 1;
	return n;
}

void mp_cpel_ascii(struct mp_buf *to, struct mp_str text, size_t max, bool percent)
{
	static const char hex[] = "0123456789abcdef";
	const char *p = text.p, *end = text.p + text.len;
	size_t shown = 0, n;

	for (; p < end; p += n) {
		unsigned char c = *p;
		char byte[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };
		bool plain = c >= 0x20 && c < 0x7f;

		n = plain ? unit(p, end) : 1;
		shown += plain ? n : 4;
		if (shown > max)
			return;
		if (plain)
			mp_buf_add(to, p, n);
		else
			mp_buf_add(to, byte, 4);
		if (c == '%' && percent)
			mp_buf_byte(to, '%');
	}
}
