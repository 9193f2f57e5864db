// SPDX-License-Identifier: GPL-2.0-only
/*
 * openmetrics: what mp-hist --dump writes, as OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/
 * open_metrics_spec/): a gauge histogram of each key for each interval, or gauges of counts. All
 * points of a series follow each other there, and all have the same bounds, so they wait in groups,
 * one for each series.
 */
#include "lib/export/openmetrics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lib/core/map.h"
#include "lib/export/groups.h"
#include "lib/stats/loghist.h"
#include "lib/stream/esc.h"
#include "lib/stream/unit.h"

/*
 * Buckets are powers of two, by increasing numbers: those below 0, 0, and those above 0. The
 * exponents are those of doubles.
 */
enum {
	EXPONENT_MIN = -1074,
	ZERO = 1024 - EXPONENT_MIN,
	BUCKETS = 2 * ZERO + 1,
	BOUNDS_MAX = 128,
};

/* A distribution or a count of an interval; in a group, cells follow it. */
struct point {
	uint64_t time_ns; /* since 1970 */
	uint64_t n;
	double sum;
};

/* How many numbers are in a bucket; there are cells for those that are not empty. */
struct cell {
	uint64_t n;
	uint64_t bucket;
};

/* The value of an entry in the map of series, whose key is the text of the labels. */
struct series {
	struct mp_loghist hist; /* of the current interval */
	uint64_t n;		/* counts of the current interval */
	uint32_t group;
	bool touched; /* there is a line of the current interval */
};

struct state {
	struct mp_export *ex;
	struct mp_map series;
	struct mp_export_groups groups;
	struct series **touched; /* those of the current interval */
	size_t n_touched, cap;
	uint64_t time_ns;   /* of the current interval, since 1970 */
	uint64_t offset_ns; /* what makes it of a time of the section; may wrap */
	json_t *header;	    /* the first one */
	/* what the first line says: what was measured, and what its weight was */
	struct mp_buf field, weight;
	bool counting; /* counts, no distributions */
	bool fraction; /* not all numbers are whole */
	double factor; /* from the numbers of the input to those of the metric */
	bool used[BUCKETS];
	size_t bounds[BOUNDS_MAX], n_bounds;
	struct mp_buf name, text, labels, value, row;
};

/* Adds a name of the stream as one that OpenMetrics allows. */
static void add_name(struct mp_buf *to, struct mp_str name)
{
	size_t i;

	for (i = 0; i < name.len; i++) {
		char c = name.p[i];
		bool plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		mp_buf_byte(to, plain ? c : '_');
	}
}

/* What to multiply numbers of this unit by to get the unit that metrics have; `*name` is that. */
static double base_unit(const char *unit, const char **name)
{
	static const struct {
		const char *unit, *name;
		double factor;
	} units[] = {
		{ "ns", "seconds", 1e-9 }, { "us", "seconds", 1e-6 }, { "ms", "seconds", 1e-3 },
		{ "s", "seconds", 1 },	   { "B", "bytes", 1 },	      { "KiB", "bytes", 1024 },
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].unit) != 0)
			continue;
		*name = units[i].name;
		return units[i].factor;
	}
	*name = "";
	return 1;
}

/* A number of the input in the unit of the metric. Dividing gives the double next to the quotient. */
static void put_number(struct state *s, double v)
{
	char text[MP_LOGHIST_SUM_MAX];

	v = s->factor < 1 ? v / round(1 / s->factor) : v * s->factor;
	mp_buf_add(&s->text, text, mp_loghist_put_number(text, v));
}

/* The name of the metric and its unit, from what the first line says was measured. */
static void name_metric(struct state *s)
{
	struct mp_str field = mp_buf_view(s->counting ? &s->weight : &s->field);
	struct mp_field f;
	const char *unit;
	size_t n;

	if (!field.len)
		field = MP_STR("count");
	if (mp_field_parse(&f, field) < 0)
		f = (struct mp_field){ MP_FIELD_KEY, field, NULL };
	s->factor = base_unit(mp_unit_of(s->header, &f), &unit);
	mp_buf_str(&s->name, MP_STR("mp_"));
	add_name(&s->name, *field.p == '.' ? mp_str_skip(field, 1) : field);
	if (!s->counting && s->weight.len) {
		mp_buf_str(&s->name, MP_STR("_by_"));
		add_name(&s->name, mp_buf_view(&s->weight));
	}
	n = strlen(unit);
	if (n && (!mp_str_ends(mp_buf_view(&s->name), mp_str(unit)) ||
		  s->name.p[s->name.len - n - 1] != '_')) {
		mp_buf_byte(&s->name, '_');
		mp_buf_str(&s->name, mp_str(unit));
	}
	mp_buf_printf(&s->text, "# TYPE %.*s %s\n", MP_STR_ARGS(mp_buf_view(&s->name)),
		      s->counting ? "gauge" : "gaugehistogram");
	if (n)
		mp_buf_printf(&s->text, "# UNIT %.*s %s\n", MP_STR_ARGS(mp_buf_view(&s->name)),
			      unit);
}

/* A value as a label has it: UTF-8, and other bytes as \\xHH, so that labels stay distinct. */
static void add_label_value(struct state *s, struct mp_str text)
{
	struct mp_buf *to = &s->labels;
	struct mp_str raw;
	size_t len;

	for (raw = mp_esc_decode(&s->value, text); raw.len; raw = mp_str_skip(raw, len)) {
		unsigned char c = (unsigned char)*raw.p;

		if (mp_str_utf8(raw, &len) < 0 || c < 0x20 || c == 0x7f)
			mp_buf_printf(to, "\\\\x%02x", c);
		else if (c == '"' || c == '\\')
			mp_buf_printf(to, "\\%c", c);
		else
			mp_buf_add(to, raw.p, len);
	}
}

/* What a line of a dump says besides its key. */
struct line {
	struct mp_str type, field, weight, n, part;
};

/* Parses a line: all other fields are the labels ",NAME=\"VALUE\"...". Returns NULL, or why not. */
static const char *parse(struct state *s, const struct mp_rec *rec, struct line *l)
{
	struct mp_str rest = rec->body, key, value;
	size_t start, end, n = 0;

	*l = (struct line){ .type = { NULL, 0 } };
	s->labels.len = 0;
	while (mp_rec_next_field(&rest, &key, &value)) {
		if (mp_str_eq(key, MP_STR("hist_field")))
			l->field = value;
		else if (mp_str_eq(key, MP_STR("hist_weight")))
			l->weight = value;
		else if (mp_str_eq(key, MP_STR("hist_n")))
			l->n = value;
		else if (mp_str_eq(key, MP_STR("hist_part")))
			l->part = value;
		if (mp_str_starts(key, MP_STR("hist_")))
			continue;
		if (mp_str_eq(key, MP_STR("type")))
			l->type = value;
		if (n++ == MP_CHOICE_FIELDS_MAX)
			return "key of too many fields";
		start = s->labels.len;
		mp_buf_byte(&s->labels, ',');
		add_name(&s->labels, key);
		mp_buf_str(&s->labels, MP_STR("=\""));
		end = s->labels.len;
		if (mp_str_eq(key, MP_STR("le")) ||
		    memmem(s->labels.p, start, s->labels.p + start, end - start))
			return "two fields would have the same label";
		add_label_value(s, value);
		mp_buf_byte(&s->labels, '"');
	}
	return NULL;
}

static void set(struct mp_buf *to, struct mp_str text)
{
	to->len = 0;
	mp_buf_str(to, text);
}

/* All lines must say what the first one says. */
static bool same_measure(struct state *s, const struct line *l)
{
	if (!s->ex->begun) {
		s->counting = l->n.p;
		set(&s->field, l->field);
		set(&s->weight, l->weight);
		name_metric(s);
		s->ex->begun = true;
	}
	return s->counting == (l->n.p != NULL) && mp_str_eq(mp_buf_view(&s->field), l->field) &&
	       mp_str_eq(mp_buf_view(&s->weight), l->weight);
}

static void add_cell(struct state *s, uint64_t n, uint64_t bucket)
{
	if (!n)
		return;
	mp_buf_add(&s->row, &(struct cell){ n, bucket }, sizeof(struct cell));
	s->used[bucket] = true;
}

/* Moves the current interval of a series to its group. */
static void end_series(struct state *s, struct series *series)
{
	struct mp_loghist *h = &series->hist;
	struct point point = { .time_ns = s->time_ns, .n = series->n };
	int low, high, e;

	if (!s->counting) {
		point.n = h->n;
		point.sum = mp_loghist_sum(h);
	}
	s->row.len = 0;
	mp_buf_add(&s->row, &point, sizeof(point));
	if (mp_loghist_span(h, true, &low, &high))
		for (e = high; e >= low; e--)
			add_cell(s, mp_loghist_log2(h, e, true),
				 (uint64_t)(ZERO - 1 - (e - EXPONENT_MIN)));
	add_cell(s, mp_loghist_zeros(h), ZERO);
	if (mp_loghist_span(h, false, &low, &high))
		for (e = low; e <= high; e++)
			add_cell(s, mp_loghist_log2(h, e, false),
				 (uint64_t)(ZERO + 1 + (e - EXPONENT_MIN)));
	s->fraction |= h->fraction;
	mp_export_groups_add(&s->groups, series->group, s->row.p, s->row.len);
	mp_loghist_release(h);
	series->n = 0;
	series->touched = false;
}

static void end_interval(struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_touched; i++)
		end_series(s, s->touched[i]);
	s->n_touched = 0;
}

/* The series with the current labels, which is part of the current interval from now on. */
static struct series *current_series(struct state *s)
{
	struct mp_str labels = mp_buf_view(&s->labels);
	bool fresh;
	struct series *series = mp_map_value(mp_map_put(&s->series, &labels, 1, &fresh));

	if (fresh)
		series->group = (uint32_t)s->series.n - 1;
	if (!series->touched) {
		s->touched = mp_grow(s->touched, &s->cap, s->n_touched + 1, sizeof(*s->touched));
		s->touched[s->n_touched++] = series;
		series->touched = true;
	}
	return series;
}

/* Adds a line. Returns NULL, or why it is bad. */
static const char *add_line(struct state *s, const struct line *l, uint64_t time_ns)
{
	struct mp_loghist more = { .n = 0 };
	struct series *series;
	uint64_t n = 0;

	if (!same_measure(s, l))
		return "dump line with the distribution of another field";
	if (s->counting && mp_num_u64(l->n, &n) < 0)
		return "bad count in a dump line";
	if (!s->counting && mp_loghist_read(&more, l->part) < 0)
		return "bad part of a distribution in a dump line";
	if (time_ns != s->time_ns)
		end_interval(s);
	s->time_ns = time_ns;
	series = current_series(s);
	if (__builtin_add_overflow(series->n, n, &series->n))
		series->n = UINT64_MAX;
	mp_loghist_merge(&series->hist, &more);
	mp_loghist_release(&more);
	return NULL;
}

/* The time since 1970, as the header relates the clock to it; else that of the clock. */
static uint64_t real_time(const struct state *s, uint64_t time_ns)
{
	uint64_t real = time_ns + s->offset_ns;

	return real > INT64_MAX ? 0 : real;
}

static void handle_event(struct state *s, const struct mp_rec *rec)
{
	struct mp_types *types = &s->ex->reader.choice.types;
	uint64_t time_ns = real_time(s, rec->time_ns);
	struct mp_input *in = &s->ex->in;
	struct mp_type_seen *seen;
	struct line l;
	const char *why = parse(s, rec, &l);

	if (!mp_str_eq(rec->type, MP_STR("mp-hist")))
		mp_die("%s has other events than a dump (use mp-hist --dump)", in->name);
	if (why) {
		mp_input_bad(in, why);
		return;
	}
	if (l.type.p) {
		seen = mp_types_lookup(types, l.type);
		seen->events++;
		if (!seen->taken)
			return;
	}
	s->ex->records++;
	if (!l.n.p && !l.part.p) /* rows of equal width: the same numbers once more */
		return;
	if (s->n_touched && time_ns < s->time_ns)
		why = "interval before that of the previous line (merge dumps with mp-order)";
	else
		why = add_line(s, &l, time_ns);
	if (why)
		mp_input_bad(in, why);
}

static void handle_header(struct state *s, const struct mp_ctl *ctl)
{
	s->offset_ns = ctl->has_anchor ? ctl->realtime_ns - ctl->clock_ns : 0;
	if (!s->header)
		s->header = json_incref(ctl->json);
}

static void flush_text(struct state *s)
{
	mp_out_write(&s->ex->out, s->text.p, s->text.len);
	s->text.len = 0;
}

/* Begins a sample: "NAME SUFFIX{LABELS" and, if `le`, the label of the bound that follows. */
static void begin_sample(struct state *s, const char *suffix, struct mp_str labels, bool le)
{
	mp_buf_str(&s->text, mp_buf_view(&s->name));
	mp_buf_str(&s->text, mp_str(suffix));
	if (!labels.len && !le)
		return;
	mp_buf_byte(&s->text, '{');
	if (labels.len)
		mp_buf_str(&s->text, mp_str_skip(labels, 1));
	if (le)
		mp_buf_str(&s->text, labels.len ? MP_STR(",le=\"") : MP_STR("le=\""));
	else
		mp_buf_byte(&s->text, '}');
}

static void end_sample(struct state *s, const struct point *p)
{
	mp_buf_printf(&s->text, " %llu.%09llu\n", (unsigned long long)(p->time_ns / 1000000000),
		      (unsigned long long)(p->time_ns % 1000000000));
}

static void add_count(struct state *s, uint64_t n)
{
	mp_buf_printf(&s->text, " %llu", (unsigned long long)n);
}

/* The largest number of a bucket; of fractions above 0, the limit that they do not reach. */
static double bound_of(const struct state *s, size_t bucket)
{
	int exponent;

	if (bucket == ZERO)
		return 0;
	if (bucket < ZERO)
		return -ldexp(1, (int)(ZERO - 1 - bucket) + EXPONENT_MIN);
	exponent = (int)(bucket - ZERO - 1) + EXPONENT_MIN + 1;
	if (exponent > 1023)
		return DBL_MAX;
	return ldexp(1, exponent) - (s->fraction || exponent > 53 ? 0 : 1);
}

/* Whether a number cannot be taken for a whole one: bounds have a point or an exponent. */
static bool is_real(struct mp_str number)
{
	size_t i;

	for (i = 0; i < number.len; i++)
		if (strchr(".eI", number.p[i]))
			return true;
	return false;
}

static void add_bucket(struct state *s, struct mp_str labels, const struct point *p, size_t bucket,
		       uint64_t n)
{
	size_t start;

	begin_sample(s, "_bucket", labels, true);
	start = s->text.len;
	if (bucket == BUCKETS)
		mp_buf_str(&s->text, MP_STR("+Inf"));
	else
		put_number(s, bound_of(s, bucket));
	if (!is_real(mp_str_skip(mp_buf_view(&s->text), start)))
		mp_buf_str(&s->text, MP_STR(".0"));
	mp_buf_str(&s->text, MP_STR("\"}"));
	add_count(s, n);
	end_sample(s, p);
}

/* A distribution: how many numbers are at or below each bound, their count, and their sum. */
static void add_histogram(struct state *s, struct mp_str labels, const struct point *p,
			  struct mp_str cells)
{
	uint64_t below = 0;
	struct cell c;
	size_t i;

	for (i = 0; i < s->n_bounds; i++) {
		for (; cells.len; cells = mp_str_skip(cells, sizeof(c))) {
			memcpy(&c, cells.p, sizeof(c));
			if (c.bucket > s->bounds[i])
				break;
			below += c.n;
		}
		add_bucket(s, labels, p, s->bounds[i], below);
	}
	add_bucket(s, labels, p, BUCKETS, p->n);
	begin_sample(s, "_gcount", labels, false);
	add_count(s, p->n);
	end_sample(s, p);
	begin_sample(s, "_gsum", labels, false);
	mp_buf_byte(&s->text, ' ');
	put_number(s, p->sum);
	end_sample(s, p);
}

static void add_series(struct state *s, struct mp_str labels, uint32_t group)
{
	struct mp_str record;
	struct point p;

	mp_export_groups_begin(&s->groups, group);
	while (mp_export_groups_next(&s->groups, &record)) {
		memcpy(&p, record.p, sizeof(p));
		if (s->counting) {
			begin_sample(s, "", labels, false);
			mp_buf_byte(&s->text, ' ');
			put_number(s, (double)p.n);
			end_sample(s, &p);
		} else {
			add_histogram(s, labels, &p, mp_str_skip(record, sizeof(p)));
		}
		flush_text(s);
	}
}

/* The bounds that all series have: those of buckets that have numbers, or some of too many. */
static void choose_bounds(struct state *s)
{
	size_t n = 0, step, i, k = 0;

	for (i = 0; i < BUCKETS; i++)
		n += s->used[i];
	step = n / (BOUNDS_MAX + 1) + 1;
	for (i = 0; i < BUCKETS; i++)
		if (s->used[i] && ++k % step == 0)
			s->bounds[s->n_bounds++] = i;
}

static void write_metrics(struct state *s)
{
	const struct mp_map_entry *e;

	end_interval(s);
	choose_bounds(s);
	flush_text(s);
	mp_map_each (&s->series, e)
		add_series(s, e->key, ((const struct series *)mp_map_value(e))->group);
	mp_buf_str(&s->text, MP_STR("# EOF\n"));
	flush_text(s);
}

void mp_export_openmetrics(struct mp_export *ex)
{
	struct state *s = mp_zalloc(sizeof(*s));
	struct mp_rec rec;

	s->ex = ex;
	mp_map_init(&s->series, sizeof(struct series));
	mp_export_groups_init(&s->groups);
	while (mp_input_next(&ex->in, &rec)) {
		if (rec.kind == MP_EVENT)
			handle_event(s, &rec);
		else if (ex->in.ctl.what == MP_CTL_HEADER)
			handle_header(s, &ex->in.ctl);
	}
	if (!mp_export_none(ex))
		write_metrics(s);
	mp_map_release(&s->series);
	mp_export_groups_release(&s->groups);
	json_decref(s->header);
	free(s->touched);
	mp_buf_release(&s->field);
	mp_buf_release(&s->weight);
	mp_buf_release(&s->name);
	mp_buf_release(&s->text);
	mp_buf_release(&s->labels);
	mp_buf_release(&s->value);
	mp_buf_release(&s->row);
	free(s);
}
