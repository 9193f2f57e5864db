// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/dump.h"

#include "lib/hist/list.h"

static const struct mp_field type_field = MP_FIELD_OF(KEY, "type");
static const struct mp_field field_field = MP_FIELD_OF(KEY, "hist_field");
static const struct mp_field weight_field = MP_FIELD_OF(KEY, "hist_weight");
static const struct mp_field n_field = MP_FIELD_OF(KEY, "hist_n");
static const struct mp_field part_field = MP_FIELD_OF(KEY, "hist_part");
static const struct mp_field over_field = MP_FIELD_OF(KEY, "hist_over");
static const struct mp_field linear_field = MP_FIELD_OF(KEY, "hist_linear");

static void put_field(struct mp_buf *to, struct mp_str name, struct mp_str value)
{
	if (to->len)
		mp_buf_byte(to, '\t');
	mp_buf_str(to, name);
	mp_buf_byte(to, '=');
	mp_buf_str(to, value);
}

/*
 * Writes the fields of a key, but appends a stack to `last`, since it must be the last field of the
 * line.
 */
static void put_key(struct mp_buf *to, struct mp_buf *last, const struct mp_fields *by,
		    struct mp_str key)
{
	struct mp_str value;
	size_t i;

	to->len = last->len = 0;
	for (i = 0; i < by->n; i++)
		if (mp_dist_next_value(&key, &value))
			put_field(by->v[i].id == MP_FIELD_STACK ? last : to, by->v[i].name, value);
}

struct dumping {
	const struct mp_dump_about *about;
	uint64_t time_ns;
	struct mp_out *out;
	struct mp_dump_result result;
	struct mp_buf key, last, line, text;
};

static void write_line(struct dumping *g, const struct mp_field *f)
{
	struct mp_buf *line = &g->line;
	size_t head;

	line->len = 0;
	mp_buf_printf(line, "%llu," MP_DUMP_TYPE ",", (unsigned long long)g->time_ns);
	head = line->len;
	mp_buf_str(line, mp_buf_view(&g->key));
	if (g->key.len)
		mp_buf_byte(line, '\t');
	if (g->about->field.p)
		mp_buf_printf(line, "hist_field=%.*s\t", MP_STR_ARGS(g->about->field));
	if (g->about->weight.p)
		mp_buf_printf(line, "hist_weight=%.*s\t", MP_STR_ARGS(g->about->weight));
	mp_buf_printf(line, "%.*s=", MP_STR_ARGS(f->name));
	mp_buf_str(line, mp_buf_view(&g->text));
	if (g->last.len && line->len > head)
		mp_buf_byte(line, '\t');
	mp_buf_str(line, mp_buf_view(&g->last));
	mp_buf_byte(line, '\n');
	g->text.len = 0;
	if (line->len > MP_LINE_MAX) {
		g->result.overlong++;
		return;
	}
	mp_out_write(g->out, line->p, line->len);
	g->result.lines++;
}

static void write_dist(struct dumping *g, const struct mp_dists *d, const struct mp_dist *dist)
{
	size_t at = 0;
	int cursor = 0;

	if (d->counting) {
		mp_buf_printf(&g->text, "%llu", (unsigned long long)dist->n);
		write_line(g, &n_field);
		return;
	}
	while (mp_loghist_write(&dist->hist, &cursor, &g->text))
		write_line(g, &part_field);
	if (d->has_over) {
		char over[MP_LOGHIST_SUM_MAX];

		mp_loghist_put_number(over, d->over);
		mp_buf_printf(&g->text, "%s:%llu:%llu", over, (unsigned long long)dist->over.n,
			      (unsigned long long)dist->over.of);
		write_line(g, &over_field);
	}
	while (d->linear && mp_linear_write(&dist->linear, &at, &g->text))
		write_line(g, &linear_field);
}

struct mp_dump_result mp_dump_write(const struct mp_dists *d, const struct mp_dump_about *about,
				    uint64_t time_ns, struct mp_out *out)
{
	struct dumping g = { .about = about, .time_ns = time_ns, .out = out };
	struct mp_dist_list list;
	size_t i;

	mp_dists_list(d, MP_DIST_BY_NAME, 0, &list);
	for (i = 0; i < list.n; i++) {
		put_key(&g.key, &g.last, d->by, mp_dist_list_key(&list, i));
		write_dist(&g, d, mp_dist_list_at(&list, i));
	}
	mp_dist_list_release(&list);
	mp_buf_release(&g.key);
	mp_buf_release(&g.last);
	mp_buf_release(&g.line);
	mp_buf_release(&g.text);
	return g.result;
}

bool mp_dump_is(const struct mp_rec *rec)
{
	return rec->kind == MP_EVENT && mp_str_eq(rec->type, MP_STR(MP_DUMP_TYPE));
}

void mp_dump_read_about(const struct mp_rec *rec, struct mp_dump_about *about, struct mp_str *type)
{
	if (!mp_rec_get(rec, &type_field, type))
		type->p = NULL;
	if (!mp_rec_get(rec, &field_field, &about->field))
		about->field.p = NULL;
	if (!mp_rec_get(rec, &weight_field, &about->weight))
		about->weight.p = NULL;
}

/* Splits the part before the next colon off `*rest`. Returns false if there is none. */
static bool next_part(struct mp_str *rest, struct mp_str *part)
{
	const char *colon = memchr(rest->p, ':', rest->len);

	if (!colon)
		return false;
	*part = (struct mp_str){ rest->p, (size_t)(colon - rest->p) };
	*rest = mp_str_skip(*rest, part->len + 1);
	return true;
}

bool mp_dump_over(const struct mp_rec *rec, double *over)
{
	struct mp_str text, threshold;

	return mp_rec_get(rec, &over_field, &text) && next_part(&text, &threshold) &&
	       mp_num_decimal(threshold, over) == 0;
}

/* Adds "THRESHOLD:COUNT:OF". Returns 0, or -1 if the text is bad. */
static int add_over(struct mp_over *to, struct mp_str text)
{
	struct mp_str part;
	struct mp_over more;

	if (!next_part(&text, &part) || !next_part(&text, &part) || mp_num_u64(part, &more.n) < 0 ||
	    mp_num_u64(text, &more.of) < 0 || more.n > more.of ||
	    __builtin_add_overflow(to->of, more.of, &more.of))
		return -1;
	to->n += more.n;
	to->of = more.of;
	return 0;
}

/* Adds a part of a distribution; adds nothing if the total would exceed 64 bits. */
static void merge_part(struct mp_dists *d, struct mp_dist *to, const struct mp_loghist *more)
{
	uint64_t total;

	if (__builtin_add_overflow(d->total, more->n, &total)) {
		d->overflow = true;
		return;
	}
	d->total = total;
	to->n += more->n;
	mp_loghist_merge(&to->hist, more);
}

int mp_dump_add(struct mp_dists *d, const struct mp_rec *rec, const struct mp_fields *fields,
		const char **why)
{
	struct mp_loghist more = { .n = 0 };
	struct mp_str text;
	struct mp_dist *to;
	uint64_t n;

	*why = d->counting ? "dump line with a distribution, not with counts"
			   : "dump line with counts, not with a distribution";
	if (d->counting) {
		if (!mp_rec_get(rec, &n_field, &text))
			return -1;
		*why = "bad count in a dump line";
		if (mp_num_u64(text, &n) < 0 || n == 0)
			return -1;
		to = mp_dists_at(d, rec, fields, why);
		if (to)
			mp_dist_add(d, to, 0, NULL, n);
		return to ? 0 : -1;
	}
	if (mp_rec_get(rec, &linear_field, &text)) {
		*why = "bad linear counts in a dump line, or another width";
		if (!d->linear)
			return 0;
		to = mp_dists_at(d, rec, fields, why);
		return to ? mp_linear_read(&to->linear, text) : -1;
	}
	if (mp_rec_get(rec, &over_field, &text)) {
		*why = "bad count above a threshold in a dump line";
		if (!d->has_over)
			return 0;
		to = mp_dists_at(d, rec, fields, why);
		return to ? add_over(&to->over, text) : -1;
	}
	if (!mp_rec_get(rec, &part_field, &text))
		return -1;
	*why = "bad part of a distribution in a dump line";
	if (mp_loghist_read(&more, text) < 0)
		return -1;
	to = mp_dists_at(d, rec, fields, why);
	if (to)
		merge_part(d, to, &more);
	mp_loghist_release(&more);
	return to ? 0 : -1;
}

const char *mp_dump_lacks(const struct mp_dists *d)
{
	const struct mp_map_entry *e;

	mp_map_each (&d->map, e) {
		const struct mp_dist *dist = mp_map_value(e);

		if (d->linear && !dist->linear.too_wide && dist->linear.total != dist->n)
			return "--linear";
		if (d->has_over && dist->over.of != dist->n)
			return "--over";
	}
	return NULL;
}
