// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/griddump.h"

#include <math.h>
#include <stdlib.h>

static const char *const whats[] = { "time", "second", "offset", "x", "number", "name" };

void mp_heat_sums_init(struct mp_heat_sums *s)
{
	*s = (struct mp_heat_sums){ .begun = false };
	mp_map_init(&s->types, 0);
}

void mp_heat_sums_release(struct mp_heat_sums *s)
{
	mp_map_release(&s->types);
	if (!s->begun)
		return;
	mp_grid_release(&s->grid);
	mp_heat_info_release(&s->info);
}

void mp_heat_sums_begin(struct mp_heat_sums *s)
{
	mp_grid_init(&s->grid, mp_heat_lines(s->info.x.what), mp_heat_lines(s->info.y.what));
	mp_grid_lost(&s->grid, s->early_losses, false, 0, 0);
	s->begun = true;
}

/* --- writing ---------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
	return text ? mp_ctl_string(mp_str(text)) : json_null();
}

static json_t *axis_json(const struct mp_heat_axis *a, const struct mp_lines *l)
{
	json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:i}", "what", whats[a->what], "field",
			      text_or_null(a->field), "unit", text_or_null(a->unit), "name",
			      text_or_null(a->name), "level", l->level);

	if (!l->any)
		return o;
	if (l->kind == MP_WHOLE) {
		json_object_set_new(o, "low", json_integer(l->first));
		json_object_set_new(o, "high", json_integer(l->last));
	} else {
		json_object_set_new(o, "low", json_real(l->low));
		json_object_set_new(o, "high", json_real(l->high));
		json_object_set_new(o, "whole", json_boolean(l->whole));
	}
	return o;
}

/* The slots, ordered by their lines or names. */
struct order {
	int64_t line;
	struct mp_str name;
	unsigned slot;
	bool is_name, is_other;
};

static int compare(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->is_other || y->is_other)
		return x->is_other - y->is_other;
	if (x->is_name)
		return mp_str_cmp(x->name, y->name);
	return (x->line > y->line) - (x->line < y->line);
}

static struct order *in_order(const struct mp_lines *l, size_t *n)
{
	struct order *v = mp_alloc((l->max + 1) * sizeof(*v));
	bool names = l->kind == MP_NAMES;
	size_t i;

	for (i = 0, *n = 0; i < l->top; i++)
		if (l->used[i])
			v[(*n)++] = (struct order){ l->line[i], l->name[i], i, names, false };
	qsort(v, *n, sizeof(*v), compare);
	if (names) /* "other" comes last, even if it is empty */
		v[(*n)++] = (struct order){ 0, MP_STR(""), l->max, names, true };
	return v;
}

static json_t *lost_json(const struct mp_grid *g, const struct order *x, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		if (g->lost[x[i].slot])
			json_array_append_new(list, json_pack("[I,I,I]", (json_int_t)x[i].line,
							      (json_int_t)g->lost[x[i].slot],
							      (json_int_t)g->lost_from[x[i].slot]));
	return list;
}

static json_t *events_json(const struct mp_map *types)
{
	json_t *list = json_array();
	const struct mp_map_entry *e;

	mp_map_each (types, e)
		json_array_append_new(list, mp_ctl_string(e->key));
	return list;
}

static json_t *grid_json(const struct mp_heat_sums *s, const struct order *x, size_t n)
{
	const struct mp_heat_info *info = &s->info;
	json_t *o = json_object();

	json_object_set_new(o, "x", axis_json(&info->x, &s->grid.x));
	json_object_set_new(o, "y", axis_json(&info->y, &s->grid.y));
	json_object_set_new(o, "weight", mp_ctl_string(mp_str(info->weight)));
	json_object_set_new(o, "unit", mp_ctl_string(mp_str(info->unit)));
	json_object_set_new(o, "spread", json_boolean(info->spread));
	json_object_set_new(o, "events", events_json(&s->types));
	json_object_set_new(o, "chosen", json_boolean(s->chosen));
	if (info->has_origin)
		json_object_set_new(o, "origin", json_integer(info->origin_ns));
	if (info->has_offset)
		json_object_set_new(o, "offset", json_integer(info->offset_ns));
	json_object_set_new(o, "host", text_or_null(info->host));
	json_object_set_new(o, "records", json_integer((json_int_t)s->grid.records));
	json_object_set_new(o, "skipped", json_integer((json_int_t)s->grid.skipped));
	json_object_set_new(o, "lost", lost_json(&s->grid, x, n));
	json_object_set_new(o, "lost_elsewhere", json_integer((json_int_t)s->grid.lost_elsewhere));
	json_object_set_new(o, "overflow", json_boolean(s->grid.overflow));
	return o;
}

/* Writes a line or a name as a frame: the number of the line, "=" and a name, or "*" for other. */
static void add_frame(struct mp_buf *to, const struct order *o)
{
	char number[MP_NUM_MAX];
	size_t i;

	if (o->is_other) {
		mp_buf_byte(to, '*');
		return;
	}
	if (!o->is_name) {
		mp_buf_add(to, number, mp_put_i64(number, o->line) - number);
		return;
	}
	mp_buf_byte(to, '=');
	for (i = 0; i < o->name.len; i++)
		if (o->name.p[i] == ';')
			mp_buf_str(to, MP_STR("\\x3b"));
		else
			mp_buf_byte(to, o->name.p[i]);
}

static void put_line(struct mp_out *out, struct mp_buf *line, uint64_t weight,
		     const struct order *x, const struct order *y)
{
	char number[MP_NUM_MAX];

	line->len = 0;
	mp_buf_add(line, number, mp_put_u64(number, weight) - number);
	mp_buf_byte(line, '#');
	if (x)
		add_frame(line, x);
	mp_buf_byte(line, ';');
	if (y)
		add_frame(line, y);
	mp_buf_byte(line, '\n');
	mp_out_write(out, line->p, line->len);
}

/*
 * Writes the cells that are not 0, then the used lines that have no such cells. Returns how many
 * stack lines it wrote.
 */
static uint64_t put_cells(const struct mp_grid *g, struct mp_out *out, const struct order *x,
			  size_t n_x, const struct order *y, size_t n_y)
{
	bool *row_seen = mp_zalloc(n_y + 1), column_seen;
	struct mp_buf line = { NULL, 0, 0 };
	uint64_t lines = 0, v;
	size_t i, k;

	for (i = 0; i < n_x; i++) {
		for (k = 0, column_seen = x[i].is_other; k < n_y; k++) {
			v = *mp_grid_cell(g, x[i].slot, y[k].slot);
			if (!v)
				continue;
			put_line(out, &line, v, &x[i], &y[k]);
			lines++;
			column_seen = row_seen[k] = true;
		}
		if (column_seen)
			continue;
		put_line(out, &line, 0, &x[i], NULL);
		lines++;
	}
	for (k = 0; k < n_y; k++) {
		if (row_seen[k] || y[k].is_other)
			continue;
		put_line(out, &line, 0, NULL, &y[k]);
		lines++;
	}
	mp_buf_release(&line);
	free(row_seen);
	return lines;
}

static uint64_t all_lost(const struct mp_grid *g)
{
	uint64_t n = g->lost_elsewhere;
	size_t i;

	for (i = 0; i < g->x.top; i++)
		n += g->x.used[i] ? g->lost[i] : 0;
	return MP_MIN(n, (uint64_t)INT64_MAX);
}

void mp_heat_dump(const struct mp_heat_sums *s, struct mp_out *out)
{
	struct mp_buf line = { NULL, 0, 0 };
	struct order *x, *y;
	json_t *header;
	size_t n_x, n_y;
	uint64_t lines;

	x = in_order(&s->grid.x, &n_x);
	y = in_order(&s->grid.y, &n_y);
	header = json_pack("{s:i, s:s, s:s}", "mp", MP_STREAM_VERSION, "datatype", "stack",
			   "interface", "mp-svg-heatmap");
	json_object_set_new(header, "weight", mp_ctl_string(mp_str(s->info.weight)));
	json_object_set_new(header, "grid", grid_json(s, x, n_x));
	mp_ctl_add(&line, header);
	mp_out_write(out, line.p, line.len);
	lines = put_cells(&s->grid, out, x, n_x, y, n_y);
	line.len = 0;
	mp_ctl_add(&line, mp_ctl_trailer(MP_STACK, lines, all_lost(&s->grid)));
	mp_out_write(out, line.p, line.len);
	mp_buf_release(&line);
	free(x);
	free(y);
}

/* --- reading ---------------------------------------------------------------------------------- */

void mp_heat_dump_release(struct mp_heat_dump *d)
{
	mp_buf_release(&d->text);
}

static int fail(const char **why, const char *text)
{
	*why = text;
	return -1;
}

static char *parse_text(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? mp_strdup(text) : NULL;
}

static int parse_axis(struct mp_heat_axis *a, const json_t *o)
{
	const char *what = json_string_value(json_object_get(o, "what"));
	size_t i = 0;

	if (!what || !json_is_integer(json_object_get(o, "level")))
		return -1;
	while (i < MP_ARRAY_SIZE(whats) && strcmp(what, whats[i]) != 0)
		i++;
	if (i == MP_ARRAY_SIZE(whats))
		return -1;
	*a = (struct mp_heat_axis){ (enum mp_heat_what)i, parse_text(o, "field"),
				    parse_text(o, "unit"), parse_text(o, "name") };
	return a->field && a->unit ? 0 : -1;
}

static int parse_info(struct mp_heat_info *info, const json_t *o)
{
	const json_t *origin = json_object_get(o, "origin"), *offset = json_object_get(o, "offset");

	*info = (struct mp_heat_info){ .weight = parse_text(o, "weight"),
				       .unit = parse_text(o, "unit"),
				       .spread = json_is_true(json_object_get(o, "spread")),
				       .has_origin = json_is_integer(origin),
				       .origin_ns = json_integer_value(origin),
				       .has_offset = json_is_integer(offset),
				       .offset_ns = json_integer_value(offset),
				       .host = parse_text(o, "host") };
	if (parse_axis(&info->x, json_object_get(o, "x")) < 0 ||
	    parse_axis(&info->y, json_object_get(o, "y")) < 0 || !info->weight || !info->unit)
		return -1;
	if (info->spread && (info->x.what != MP_HEAT_TIME || info->y.what != MP_HEAT_NAME))
		return -1;
	return 0;
}

static bool same_axis(const struct mp_heat_axis *a, const struct mp_heat_axis *b)
{
	return a->what == b->what && strcmp(a->field, b->field) == 0 &&
	       strcmp(a->unit, b->unit) == 0;
}

static bool same_info(const struct mp_heat_info *a, const struct mp_heat_info *b)
{
	return same_axis(&a->x, &b->x) && same_axis(&a->y, &b->y) &&
	       strcmp(a->weight, b->weight) == 0 && a->spread == b->spread;
}

/* Reads the level and the range of the values; -1 if they are impossible. */
static int parse_lines(struct mp_heat_sums *s, struct mp_lines *l, const json_t *o, int *level)
{
	const json_t *low = json_object_get(o, "low"), *high = json_object_get(o, "high");
	json_int_t given = json_integer_value(json_object_get(o, "level"));
	bool any = l->any;

	if (given < -2000 || given > 2000)
		return -1;
	*level = (int)given;
	if (l->kind == MP_NAMES)
		return given == 0 ? 0 : -1;
	if (mp_grid_set_level(&s->grid, l, *level) < 0)
		return -1;
	if (!low && !high)
		return 0;
	if (l->kind == MP_WHOLE) {
		if (!json_is_integer(low) || !json_is_integer(high))
			return -1;
		l->first =
			any ? MP_MIN(l->first, json_integer_value(low)) : json_integer_value(low);
		l->last =
			any ? MP_MAX(l->last, json_integer_value(high)) : json_integer_value(high);
	} else {
		if (!json_is_real(low) || !json_is_real(high))
			return -1;
		l->low = any ? MP_MIN(l->low, json_real_value(low)) : json_real_value(low);
		l->high = any ? MP_MAX(l->high, json_real_value(high)) : json_real_value(high);
		l->whole &= json_is_true(json_object_get(o, "whole"));
	}
	l->any = true;
	return 0;
}

static int parse_count(const json_t *o, const char *key, uint64_t *to)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return -1;
	*to += (uint64_t)json_integer_value(v);
	return 0;
}

static int parse_lost(struct mp_heat_sums *s, const json_t *list, int x_level)
{
	const json_t *item;
	size_t i;

	json_array_foreach (list, i, item) {
		const json_t *line = json_array_get(item, 0), *n = json_array_get(item, 1),
			     *from = json_array_get(item, 2);

		if (s->grid.x.kind != MP_WHOLE || !json_is_integer(line) || !json_is_integer(n) ||
		    !json_is_integer(from) || json_integer_value(n) <= 0)
			return -1;
		mp_grid_put_lost(&s->grid,
				 mp_grid_line_slot(&s->grid, &s->grid.x, json_integer_value(line),
						   x_level),
				 (uint64_t)json_integer_value(n), json_integer_value(from));
	}
	return 0;
}

static void parse_events(struct mp_heat_sums *s, const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach (list, i, item) {
		struct mp_str type = mp_str(json_is_string(item) ? json_string_value(item) : "");

		mp_map_put(&s->types, &type, 1, NULL);
	}
	if (s->types.n > 1 && !s->chosen)
		mp_usage("the dumps have several types of events (-e '*' adds them up)");
}

int mp_heat_dump_begin(struct mp_heat_dump *d, struct mp_heat_sums *s, const json_t *grid,
		       const char **why)
{
	static const char bad[] = "the header of the dump is not one of mp-grid(5)";
	struct mp_heat_info info;
	bool same;

	if (parse_info(&info, grid) < 0) {
		mp_heat_info_release(&info);
		return fail(why, bad);
	}
	if (!s->begun) {
		s->info = info;
		mp_heat_sums_begin(s);
	} else {
		same = same_info(&s->info, &info);
		mp_heat_info_release(&info);
		if (!same)
			return fail(why, "the axes or the weight of this dump differ from those "
					 "of the previous input");
	}
	s->chosen |= json_is_true(json_object_get(grid, "chosen"));
	parse_events(s, json_object_get(grid, "events"));
	s->grid.overflow |= json_is_true(json_object_get(grid, "overflow"));
	if (parse_lines(s, &s->grid.x, json_object_get(grid, "x"), &d->x_level) < 0 ||
	    parse_lines(s, &s->grid.y, json_object_get(grid, "y"), &d->y_level) < 0 ||
	    parse_lost(s, json_object_get(grid, "lost"), d->x_level) < 0 ||
	    parse_count(grid, "records", &s->grid.records) < 0 ||
	    parse_count(grid, "skipped", &s->grid.skipped) < 0 ||
	    parse_count(grid, "lost_elsewhere", &s->grid.lost_elsewhere) < 0)
		return fail(why, bad);
	return 0;
}

/* The slot that a frame names, or -1 if this axis has no such frame. */
static long frame_slot(struct mp_heat_dump *d, struct mp_heat_sums *s, struct mp_lines *l,
		       struct mp_str frame, int level)
{
	struct mp_str name;
	int64_t line;
	size_t i;

	if (l->kind != MP_NAMES)
		return mp_num_i64(frame, &line) < 0
			       ? -1
			       : (long)mp_grid_line_slot(&s->grid, l, line, level);
	if (mp_str_eq(frame, MP_STR("*")))
		return mp_grid_name_slot(&s->grid, l, NULL);
	if (!frame.len || *frame.p != '=')
		return -1;
	d->text.len = 0;
	for (i = 1; i < frame.len; i++) {
		if (frame.len - i >= 4 && memcmp(frame.p + i, "\\x3b", 4) == 0) {
			mp_buf_byte(&d->text, ';');
			i += 3;
		} else {
			mp_buf_byte(&d->text, frame.p[i]);
		}
	}
	name = mp_buf_view(&d->text);
	return mp_grid_name_slot(&s->grid, l, &name);
}

int mp_heat_dump_line(struct mp_heat_dump *d, struct mp_heat_sums *s, const struct mp_rec *rec,
		      const char **why)
{
	struct mp_str rest = rec->body, x, y;
	long column = -1, row = -1;

	if (!mp_rec_next_frame(&rest, &x) || !mp_rec_next_frame(&rest, &y) || rest.p ||
	    rec->weight < 0 || (!x.len && !y.len) || ((!x.len || !y.len) && rec->weight))
		return fail(why, "not a line of a dump");
	if (x.len && (column = frame_slot(d, s, &s->grid.x, x, d->x_level)) < 0)
		return fail(why, "not a line of the horizontal axis");
	if (y.len && (row = frame_slot(d, s, &s->grid.y, y, d->y_level)) < 0)
		return fail(why, "not a line of the vertical axis");
	if (column >= 0 && row >= 0)
		mp_grid_put(&s->grid, (unsigned)column, (unsigned)row, (uint64_t)rec->weight);
	return 0;
}
