// SPDX-License-Identifier: GPL-2.0-only
/* Distributions and counts as TSV, JSON and points. */
#include <math.h>
#include <stdlib.h>

#include "lib/hist/output.h"
#include "lib/stream/cell.h"
#include "lib/stream/esc.h"

static void flush_text(struct mp_out *out, struct mp_buf *text)
{
	mp_out_write(out, text->p, text->len);
	text->len = 0;
}

static void put_number(struct mp_buf *to, double v)
{
	char text[MP_LOGHIST_SUM_MAX];

	mp_buf_add(to, text, mp_loghist_put_number(text, v));
}

static void put_count(struct mp_buf *to, uint64_t n)
{
	char text[MP_NUM_MAX];

	mp_buf_add(to, text, mp_put_u64(text, n) - text);
}

static void put_stat(struct mp_buf *to, enum mp_stat stat, const struct mp_dist *dist)
{
	char text[MP_LOGHIST_SUM_MAX];

	if (stat == MP_STAT_COUNT)
		put_count(to, dist->n);
	else if (stat == MP_STAT_OVER)
		put_count(to, dist->over.n);
	else if (stat == MP_STAT_SUM)
		mp_buf_add(to, text, mp_loghist_put_sum(text, &dist->hist));
	else
		put_number(to, mp_dist_stat_of(stat, dist, false));
}

static struct mp_str count_name(const struct mp_dist_style *style)
{
	return style->weight.p ? style->weight : MP_STR("count");
}

static void put_count_names(struct mp_buf *to, const struct mp_dist_style *style)
{
	size_t i;

	mp_buf_printf(to, "%.*s\tshare", MP_STR_ARGS(count_name(style)));
	for (i = 0; i < style->sums->n; i++)
		mp_buf_printf(to, "\tsum(%.*s)", MP_STR_ARGS(style->sums->v[i].name));
}

void mp_dist_write_tsv_names(const struct mp_dist_style *style, struct mp_out *out)
{
	struct mp_buf text = { NULL, 0, 0 };
	enum mp_stat s;
	size_t i;

	if (style->time)
		mp_buf_printf(&text, "interval\t");
	for (i = 0; i < style->by->n; i++)
		mp_buf_printf(&text, "%.*s\t", MP_STR_ARGS(style->by->v[i].name));
	if (style->counting)
		put_count_names(&text, style);
	else if (!style->summary)
		mp_buf_printf(&text, "low\thigh\t%.*s", MP_STR_ARGS(count_name(style)));
	for (s = MP_STAT_COUNT; !style->counting && style->summary && s < mp_dist_stats(style); s++)
		mp_buf_printf(&text, "%s%s", s ? "\t" : "", mp_dist_stat_name(s));
	mp_buf_byte(&text, '\n');
	flush_text(out, &text);
	mp_buf_release(&text);
}

/*
 * Writes the interval and the values of the key, each followed by a TAB; key.p NULL: those of the
 * row "other".
 */
static void put_tsv_key(struct mp_buf *to, const struct mp_dist_style *style, struct mp_str key)
{
	size_t i;

	if (style->time)
		mp_buf_printf(to, "%s\t", style->time);
	for (i = 0; i < style->by->n; i++) {
		mp_dist_put_value(to, &style->by->v[i], &key, MP_DIST_CELL);
		mp_buf_byte(to, '\t');
	}
}

static double share(const struct mp_dist *dist, const struct mp_dist_list *list)
{
	return round(1e6 * (double)dist->n / (double)list->total) / 1e6;
}

/* Writes "LOW<separator>HIGH<separator>COUNT". */
static void put_bucket(struct mp_buf *to, const struct mp_dist_bucket *b, char separator)
{
	put_number(to, b->low);
	mp_buf_byte(to, separator);
	put_number(to, b->high);
	mp_buf_byte(to, separator);
	put_count(to, b->n);
}

static void put_tsv_rows(struct mp_buf *to, const struct mp_dist_style *style, struct mp_str key,
			 const struct mp_dist *dist)
{
	struct mp_dist_bucket *v;
	size_t n, i;

	v = mp_dist_filled_buckets(dist, style, &n);
	for (i = 0; i < n; i++) {
		put_tsv_key(to, style, key);
		put_bucket(to, &v[i], '\t');
		mp_buf_byte(to, '\n');
	}
	free(v);
}

static void put_tsv_line(struct mp_buf *to, const struct mp_dist_list *list,
			 const struct mp_dist_style *style, struct mp_str key,
			 const struct mp_dist *dist)
{
	enum mp_stat s;
	size_t i;

	put_tsv_key(to, style, key);
	if (style->counting) {
		put_count(to, dist->n);
		mp_buf_byte(to, '\t');
		put_number(to, share(dist, list));
	}
	for (i = 0; style->counting && i < style->sums->n; i++) {
		mp_buf_byte(to, '\t');
		put_number(to, dist->sums[i]);
	}
	for (s = MP_STAT_COUNT; !style->counting && s < mp_dist_stats(style); s++) {
		if (s)
			mp_buf_byte(to, '\t');
		put_stat(to, s, dist);
	}
	mp_buf_byte(to, '\n');
}

void mp_dist_write_tsv(const struct mp_dist_list *list, const struct mp_dist_style *style,
		       struct mp_out *out)
{
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < list->n + (list->others > 0); i++) {
		const struct mp_dist *dist = mp_dist_list_at(list, i);
		struct mp_str key = mp_dist_list_key(list, i);

		if (style->counting || style->summary)
			put_tsv_line(&text, list, style, key, dist);
		else
			put_tsv_rows(&text, style, key, dist);
		flush_text(out, &text);
	}
	mp_buf_release(&text);
}

/* Writes text with the escapes of the stream as a JSON string. */
static void put_json_text(struct mp_buf *to, struct mp_str escaped)
{
	struct mp_buf raw = { NULL, 0, 0 };

	mp_cell_json(to, mp_esc_decode(&raw, escaped));
	mp_buf_release(&raw);
}

static void put_json_key(struct mp_buf *to, const struct mp_dist_style *style, struct mp_str key)
{
	struct mp_str value;
	size_t i;

	mp_buf_printf(to, "\"key\":{");
	for (i = 0; i < style->by->n; i++) {
		mp_buf_printf(to, "%s\"%.*s\":", i ? "," : "", MP_STR_ARGS(style->by->v[i].name));
		if (mp_dist_next_value(&key, &value))
			put_json_text(to, value);
		else
			mp_buf_printf(to, "null");
	}
	mp_buf_printf(to, "},");
}

static void put_json_buckets(struct mp_buf *to, const struct mp_dist_style *style,
			     const struct mp_dist *dist)
{
	struct mp_dist_bucket *v;
	size_t n, i;

	v = mp_dist_filled_buckets(dist, style, &n);
	mp_buf_printf(to, ",\"buckets\":[");
	for (i = 0; i < n; i++) {
		mp_buf_printf(to, i ? ",[" : "[");
		put_bucket(to, &v[i], ',');
		mp_buf_byte(to, ']');
	}
	mp_buf_byte(to, ']');
	free(v);
}

static void put_json_dist(struct mp_buf *to, const struct mp_dist_style *style,
			  const struct mp_dist *dist)
{
	enum mp_stat s;

	mp_buf_printf(to, "\"field\":");
	put_json_text(to, style->field);
	mp_buf_printf(to, ",\"unit\":");
	put_json_text(to, mp_str(style->unit));
	for (s = MP_STAT_COUNT; s < mp_dist_stats(style); s++) {
		mp_buf_printf(to, ",\"%s\":", mp_dist_stat_name(s));
		put_stat(to, s, dist);
	}
	if (style->has_over) {
		mp_buf_printf(to, ",\"threshold\":");
		put_number(to, style->over);
	}
	if (!style->summary)
		put_json_buckets(to, style, dist);
}

static void put_json_count(struct mp_buf *to, const struct mp_dist_list *list,
			   const struct mp_dist_style *style, const struct mp_dist *dist)
{
	size_t i;

	mp_buf_printf(to, "\"count\":%llu,\"share\":", (unsigned long long)dist->n);
	put_number(to, share(dist, list));
	for (i = 0; i < style->sums->n; i++) {
		mp_buf_printf(to, i ? "," : ",\"sums\":{");
		put_json_text(to, style->sums->v[i].name);
		mp_buf_byte(to, ':');
		put_number(to, dist->sums[i]);
	}
	if (style->sums->n)
		mp_buf_byte(to, '}');
}

void mp_dist_write_json(const struct mp_dist_list *list, const struct mp_dist_style *style,
			struct mp_out *out)
{
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < list->n + (list->others > 0); i++) {
		const struct mp_dist *dist = mp_dist_list_at(list, i);

		mp_buf_byte(&text, '{');
		if (style->time)
			mp_buf_printf(&text, "\"interval\":\"%s\",\"time\":%llu,", style->time,
				      (unsigned long long)style->time_ns);
		if (i == list->n)
			mp_buf_printf(&text, "\"other\":%zu,", list->others);
		else if (style->by->n)
			put_json_key(&text, style, mp_dist_list_key(list, i));
		if (style->weight.p) {
			mp_buf_printf(&text, "\"weight\":");
			put_json_text(&text, style->weight);
			mp_buf_byte(&text, ',');
		}
		if (style->counting)
			put_json_count(&text, list, style, dist);
		else
			put_json_dist(&text, style, dist);
		mp_buf_add(&text, "}\n", 2);
		flush_text(out, &text);
	}
	mp_buf_release(&text);
}

/* Writes the label of a point: the values of the key, then the statistic if there are several. */
static void put_label(struct mp_buf *to, const struct mp_dist_style *style, struct mp_str key,
		      enum mp_stat stat)
{
	bool several = (style->stats & (style->stats - 1)) != 0;
	size_t i;

	for (i = 0; i < style->by->n && (i == 0 || key.p); i++) {
		if (i)
			mp_buf_byte(to, ' ');
		mp_dist_put_value(to, &style->by->v[i], &key, MP_DIST_STREAM);
	}
	if (several || style->by->n == 0)
		mp_buf_printf(to, "%s%s", style->by->n ? " " : "", mp_dist_stat_name(stat));
}

uint64_t mp_dist_write_points(const struct mp_dist_list *list, const struct mp_dist_style *style,
			      struct mp_out *out)
{
	struct mp_buf text = { NULL, 0, 0 };
	uint64_t lines = 0;
	enum mp_stat s;
	size_t i;

	for (i = 0; i < list->n + (list->others > 0); i++) {
		const struct mp_dist *dist = mp_dist_list_at(list, i);
		struct mp_str key = mp_dist_list_key(list, i);

		for (s = MP_STAT_COUNT; s < MP_STATS; s++) {
			if (!(style->stats & 1u << s))
				continue;
			put_count(&text, style->time_ns);
			mp_buf_byte(&text, ',');
			if (style->counting)
				put_count(&text, dist->n);
			else
				put_stat(&text, s, dist);
			mp_buf_byte(&text, ',');
			put_label(&text, style, key, s);
			mp_buf_byte(&text, '\n');
			lines++;
		}
		flush_text(out, &text);
	}
	mp_buf_release(&text);
	return lines;
}
