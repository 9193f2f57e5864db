// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/build.h"

#include <math.h>
#include <stdlib.h>

#include "lib/core/clock.h"
#include "lib/stream/esc.h"
#include "lib/stream/named.h"
#include "lib/stream/unit.h"

void mp_heat_reader_init(struct mp_heat_reader *r, const struct mp_heat_wish *wish)
{
	*r = (struct mp_heat_reader){ .wish = wish };
	mp_choice_init(&r->choice, "put them on an axis with -y type");
	mp_heat_sums_init(&r->sums);
}

void mp_heat_reader_release(struct mp_heat_reader *r)
{
	mp_choice_release(&r->choice);
	mp_heat_sums_release(&r->sums);
	mp_heat_dump_release(&r->dump);
	mp_buf_release(&r->text);
	mp_buf_release(&r->group);
	json_decref(r->header);
}

/* --- what the axes are ------------------------------------------------------------------------ */

/* The type that the header gives to an event's field, or NULL. */
static const char *declared(const json_t *header, struct mp_str name)
{
	json_t *events = json_object_get(header, "events"), *fields;
	const char *type, *key;
	json_t *value;

	json_object_foreach (events, type, fields)
		json_object_foreach (fields, key, value)
			if (mp_str_eq(mp_str(key), name))
				return json_string_value(value);
	return NULL;
}

/*
 * A field is shown as names if the user says so, if it is an id (of a CPU, of a task), if the
 * header says that it is text, or else if it is not a number in the first record.
 */
static bool is_name(const struct mp_heat_reader *r, const struct mp_field *f,
		    const struct mp_rec *rec)
{
	static const char *const ids[] = { "cpu", "pid", "tid" };
	const char *type;
	double v;
	size_t i;

	for (i = 0; i < r->wish->names.n; i++)
		if (mp_str_eq(r->wish->names.v[i].name, f->name))
			return true;
	if (f->id == MP_FIELD_TYPE || f->id == MP_FIELD_INFO || f->id == MP_FIELD_STACK)
		return true;
	if (f->id != MP_FIELD_KEY || mp_str_eq(f->name, MP_STR("dur")))
		return false;
	for (i = 0; i < MP_ARRAY_SIZE(ids); i++)
		if (mp_str_ends(f->name, mp_str(ids[i])))
			return true;
	type = declared(r->header, f->name);
	if (type)
		return strcmp(type, "str") == 0 || mp_str_ends(mp_str(type), MP_STR("[]")) ||
		       mp_str_ends(mp_str(type), MP_STR("()"));
	return mp_str_eq(f->name, MP_STR("comm")) || mp_rec_number(rec, f, &v) != 1;
}

static void make_axis(const struct mp_heat_reader *r, struct mp_heat_axis *a,
		      const struct mp_field *f, const struct mp_rec *rec)
{
	a->field = mp_strndup(f->name.p, f->name.len);
	a->unit = mp_strdup(mp_unit_of(r->header, f));
	if (is_name(r, f, rec))
		a->what = MP_HEAT_NAME;
	else if (f->id == MP_FIELD_TIME)
		a->what = MP_HEAT_TIME;
	else
		a->what = f->id == MP_FIELD_X ? MP_HEAT_X : MP_HEAT_NUMBER;
	if (f->id == MP_FIELD_X || f->id == MP_FIELD_Y) {
		const json_t *axes = json_object_get(r->header, "axes");
		const char *name = json_string_value(json_array_get(axes, f->id == MP_FIELD_Y));

		a->name = name ? mp_strdup(name) : NULL;
	}
}

static void make_subsecond(struct mp_heat_info *info)
{
	info->x = (struct mp_heat_axis){ MP_HEAT_SECOND, mp_strdup("time"), mp_strdup("ns"), NULL };
	info->y = (struct mp_heat_axis){ MP_HEAT_OFFSET, mp_strdup("time"), mp_strdup("ns"),
					 mp_strdup("time within the second") };
}

static void set_origin(struct mp_heat_reader *r)
{
	const json_t *clock = json_object_get(r->header, "clock_ns");
	const json_t *realtime = json_object_get(r->header, "realtime_ns");
	const char *host = json_string_value(json_object_get(r->header, "host"));
	const char *name = json_string_value(json_object_get(r->header, "clock"));

	r->sums.info.has_origin = json_is_integer(clock);
	r->sums.info.origin_ns = json_integer_value(clock);
	if (json_is_integer(clock) && json_is_integer(realtime))
		r->sums.info.has_offset =
			!__builtin_sub_overflow(json_integer_value(realtime),
						json_integer_value(clock), &r->sums.info.offset_ns);
	else
		r->sums.info.has_offset = name && strcmp(name, "realtime") == 0;
	r->sums.info.host = host ? mp_strdup(host) : NULL;
}

static struct mp_field field(const char *name)
{
	struct mp_expr_error error;
	struct mp_field f;

	mp_expr_field(&f, mp_str(name), &error);
	return f;
}

/* Decides what the axes are, by the first record. */
static void decide(struct mp_heat_reader *r, const struct mp_rec *rec)
{
	const struct mp_heat_wish *w = r->wish;
	bool event = rec->kind == MP_EVENT;

	r->x = w->x.name.p ? w->x : field(event ? "time" : "x");
	r->y = w->y.name.p ? w->y : field(event ? "dur" : "y");
	if (w->subsecond) {
		make_subsecond(&r->sums.info);
	} else {
		make_axis(r, &r->sums.info.x, &r->x, rec);
		make_axis(r, &r->sums.info.y, &r->y, rec);
	}
	r->sums.info.weight = r->choice.weight.name.p ? mp_strndup(r->choice.weight.name.p,
								   r->choice.weight.name.len)
						      : mp_strdup("count");
	r->sums.info.unit =
		mp_strdup(r->choice.weight.name.p ? mp_unit_of(r->header, &r->choice.weight) : "");
	r->sums.info.spread = r->sums.info.x.what == MP_HEAT_TIME &&
			      r->sums.info.y.what == MP_HEAT_NAME &&
			      strcmp(r->sums.info.weight, "dur") == 0;
	r->sums.info.group = w->sides	       ? mp_strdup("side")
			     : w->group.name.p ? mp_strndup(w->group.name.p, w->group.name.len)
					       : NULL;
	set_origin(r);
	mp_heat_sums_begin(&r->sums);
	if (r->sums.info.group)
		mp_grid_few_lines(&r->sums.grid);
	if (w->sides) {
		r->sums.info.panel_sides = true;
		mp_groups_select(&r->sums.info.groups, &r->sums.grid, MP_STR("before"), 0);
		mp_groups_select(&r->sums.info.groups, &r->sums.grid, MP_STR("after"), 0);
	} else if (r->after) /* there was nothing before */
		mp_grid_select_plane(&r->sums.grid, 1);
}

/* After dumps: checks that the first record fits their axes. */
static void fit(struct mp_heat_reader *r, const struct mp_rec *rec)
{
	r->x = field(r->sums.info.x.field);
	r->y = field(r->sums.info.y.field);
	if (rec->kind != (r->sums.types.n ? MP_EVENT : MP_POINT))
		mp_usage("cannot add %ss to dumps of %ss", mp_kind_name(rec->kind),
			 mp_kind_name(rec->kind == MP_EVENT ? MP_POINT : MP_EVENT));
}

/* --- records ---------------------------------------------------------------------------------- */

static void refuse_mixture(const struct mp_heat_reader *r)
{
	if (!r->sums.chosen)
		mp_types_refuse_mixture(&r->choice.types);
}

static void handle_lost(struct mp_heat_reader *r, const struct mp_ctl *ctl)
{
	int64_t from = ctl->from_ns ? ctl->from_ns : ctl->time_ns, factor;

	r->sums.info.sides[r->after].lost =
		mp_count_sum(r->sums.info.sides[r->after].lost, ctl->lost);
	if (!r->sums.begun) { /* the axes are not known before the first record */
		r->sums.early_losses += ctl->lost;
		return;
	}
	factor = mp_heat_factor(r->sums.info.x.what);
	mp_grid_lost(&r->sums.grid, ctl->lost,
		     r->sums.info.x.what == MP_HEAT_TIME || r->sums.info.x.what == MP_HEAT_SECOND,
		     (from - r->shift_ns) / factor, ((int64_t)ctl->time_ns - r->shift_ns) / factor);
}

void mp_heat_control(struct mp_heat_reader *r, struct mp_input *in)
{
	const struct mp_ctl *ctl = &in->ctl;
	const char *why = NULL;

	if (ctl->what == MP_CTL_LOST && !r->in_dump && mp_choice_concerns(&r->choice.types, ctl))
		handle_lost(r, ctl);
	if (ctl->what != MP_CTL_HEADER)
		return;
	if (ctl->datatype == MP_STACK) {
		const json_t *grid = json_object_get(ctl->json, "grid");

		r->in_dump = grid != NULL;
		r->sums.chosen |= r->choice.types.mixed;
		if (grid && mp_heat_dump_begin(&r->dump, &r->sums, grid, &why) < 0)
			mp_die("%s: %s", in->name, why);
		if (grid && r->wish->sides)
			mp_die("%s: --sides needs recordings, not grids", in->name);
		if (grid && r->wish->group.name.p)
			mp_die("%s: a grid does not have the values of '%.*s' (draw the recording)",
			       in->name, MP_STR_ARGS(r->wish->group.name));
		if (grid && r->after && r->sums.grid.x.kind == MP_WHOLE)
			mp_die("%s: grids over time cannot be compared, since their times differ "
			       "(compare the recordings)",
			       in->name);
		return;
	}
	r->in_dump = false;
	if (!r->header)
		r->header = json_incref(ctl->json);
	mp_types_header(&r->choice.types, ctl->json);
	mp_choice_header(&r->choice, ctl);
	refuse_mixture(r);
}

/* A name without needless escapes, so that equal names are equal. */
static struct mp_str canonical(struct mp_heat_reader *r, struct mp_str name)
{
	size_t raw;

	if (!memchr(name.p, '\\', name.len))
		return name;
	r->text.len = 0;
	if (mp_esc_undo(&r->text, name) < 0)
		return name;
	raw = r->text.len;
	mp_buf_reserve(&r->text, 4 * raw + 1);
	mp_esc_add(&r->text, (struct mp_str){ r->text.p, raw }, MP_ESC_VALUE);
	return (struct mp_str){ r->text.p + raw, r->text.len - raw };
}

/*
 * Finds the place of a name. Returns 0; 1 if the record lacks the field, and has no place; -1 with
 * `*why`.
 */
static int place_name(struct mp_heat_reader *r, const struct mp_rec *rec, const struct mp_field *f,
		      struct mp_grid_coord *p, const char **why)
{
	struct mp_str value;

	if (!mp_rec_name(rec, f, &value))
		return 1;
	*why = "bad escape or control byte in a name";
	p->name = canonical(r, value);
	return mp_esc_check(value);
}

static int place(struct mp_heat_reader *r, const struct mp_rec *rec, enum mp_heat_what what,
		 const struct mp_field *f, struct mp_grid_coord *p, const char **why)
{
	switch (what) {
	case MP_HEAT_TIME:
		p->whole = (int64_t)rec->time_ns - r->shift_ns;
		return 0;
	case MP_HEAT_SECOND:
		p->whole = (int64_t)(rec->time_ns / MP_NS_PER_SEC);
		return 0;
	case MP_HEAT_OFFSET:
		p->whole = (int64_t)(rec->time_ns % MP_NS_PER_SEC / 1000000);
		return 0;
	case MP_HEAT_NAME:
		return place_name(r, rec, f, p, why);
	case MP_HEAT_X:
	case MP_HEAT_NUMBER:
		break;
	}
	switch (mp_rec_number(rec, f, &p->real)) {
	case 1:
		return 0;
	case -1:
		*why = mp_field_why(f, f == &r->x ? "a field of the horizontal axis is not a number"
						  : "a field of the vertical axis is not a number");
		break;
	case 0:
		*why = f == &r->x ? "without the field of the horizontal axis"
				  : "without the field of the vertical axis";
	}
	return -1;
}

static int weight_of(const struct mp_heat_reader *r, const struct mp_rec *rec, uint64_t *weight,
		     const char **why)
{
	const struct mp_field *f = &r->choice.weight;
	struct mp_str text;
	int64_t whole;
	double v;

	*weight = 1;
	if (!f->name.p)
		return 0;
	if (!mp_rec_get(rec, f, &text)) {
		if (mp_str_eq(f->name, MP_STR("period")))
			return 0;
		*why = mp_field_why(f, "without the field that is its weight");
		return -1;
	}
	text = mp_named_number(text);
	if (mp_num_any(text, &whole) < 0) {
		*why = mp_choice_why_not_whole(f);
		if (mp_num_decimal(text, &v) < 0 || v != floor(v) || fabs(v) > 0x1p62)
			return -1;
		whole = (int64_t)v;
	}
	*why = "weight is negative";
	*weight = (uint64_t)whole;
	return whole < 0 ? -1 : 0;
}

/*
 * Selects the plane of the record's group. Returns 0; 1 if it lacks the field; -1 with `*why`. The
 * name is copied before names of axes are looked at, which canonical() may replace.
 */
static int choose_group(struct mp_heat_reader *r, const struct mp_rec *rec, struct mp_str *name,
			const char **why)
{
	struct mp_grid_coord p;
	int result;

	if (r->wish->sides) {
		*name = r->after ? MP_STR("after") : MP_STR("before");
		return 0;
	}
	result = place_name(r, rec, &r->wish->group, &p, why);
	if (result)
		return result;
	r->group.len = 0;
	mp_buf_str(&r->group, p.name);
	*name = mp_buf_view(&r->group);
	return 0;
}

/*
 * Finds the place of a record. Returns 0; 1 if it has no place, which is not an error; -1 with
 * `*why`. canonical() returns a name in r->text, so the first of two names is copied.
 */
static int add(struct mp_heat_reader *r, const struct mp_rec *rec, const char **why)
{
	struct mp_grid_coord x = { 0 }, y = { 0 };
	char copy[MP_GRID_NAME_MAX];
	struct mp_str group;
	uint64_t weight;
	int result;

	result = r->sums.info.group ? choose_group(r, rec, &group, why) : 0;
	if (result)
		return result;
	result = place(r, rec, r->sums.info.x.what, &r->x, &x, why);
	if (result)
		return result;
	if (r->sums.info.x.what == MP_HEAT_NAME && r->sums.info.y.what == MP_HEAT_NAME) {
		x.name.len = MP_MIN(x.name.len, sizeof(copy));
		memcpy(copy, x.name.p, x.name.len);
		x.name.p = copy;
	}
	result = place(r, rec, r->sums.info.y.what, &r->y, &y, why);
	if (result)
		return result;
	if (weight_of(r, rec, &weight, why) < 0)
		return -1;
	if (r->sums.info.group)
		mp_groups_select(&r->sums.info.groups, &r->sums.grid, group, weight);
	if (r->sums.info.spread)
		mp_grid_spread(&r->sums.grid, x.whole - (int64_t)weight, x.whole, &y);
	else
		mp_grid_add(&r->sums.grid, &x, &y, weight);
	return 0;
}

/*
 * Notes a type in the form that dumps have, so that the title is the same with and without an
 * intermediate dump.
 */
static void note_type(struct mp_heat_reader *r, struct mp_str type)
{
	json_t *string = mp_ctl_string(type);
	struct mp_str text = mp_str(json_string_value(string));

	mp_map_put(&r->sums.types, &text, 1, NULL);
	json_decref(string);
}

/* Notes the type of an event; true if the user selects it. */
static bool is_wanted(struct mp_heat_reader *r, const struct mp_rec *rec)
{
	const struct mp_type_seen *seen;

	if (!mp_types_take(&r->choice.types, rec))
		return false;
	seen = mp_map_value(r->choice.types.last);
	if (seen->events == 1) {
		refuse_mixture(r);
		note_type(r, rec->type);
	}
	return true;
}

/* Finds how much later the second side began, by its header or its first event. */
static void find_shift(struct mp_heat_reader *r, const struct mp_rec *rec)
{
	const json_t *clock = json_object_get(r->header, "clock_ns");
	const struct mp_heat_sums *s = &r->sums;

	r->shifted = true;
	if (s->info.x.what != MP_HEAT_TIME)
		return;
	if (json_is_integer(clock) && s->info.has_origin)
		r->shift_ns = json_integer_value(clock) - s->info.origin_ns;
	else if (s->grid.x.any)
		r->shift_ns = (int64_t)rec->time_ns - s->grid.x.first;
}

void mp_heat_after(struct mp_heat_reader *r)
{
	r->after = true;
	json_decref(r->header);
	r->header = NULL;
	if (r->sums.begun && !r->wish->sides)
		mp_grid_select_plane(&r->sums.grid, 1);
}

static void note_time(struct mp_heat_side *side, uint64_t time_ns)
{
	side->first_ns = side->timed ? MP_MIN(side->first_ns, time_ns) : time_ns;
	side->last_ns = side->timed ? MP_MAX(side->last_ns, time_ns) : time_ns;
	side->timed = true;
}

int mp_heat_record(struct mp_heat_reader *r, const struct mp_rec *rec, const char **why)
{
	int result;

	if (r->plain && rec->kind == MP_POINT) {
		mp_grid_add_point(&r->sums.grid, rec->x_value, rec->y_value);
		return 0;
	}
	if (rec->kind == MP_STACK) {
		*why = "a stack outside a dump";
		return r->in_dump ? mp_heat_dump_line(&r->dump, &r->sums, rec, why) : -1;
	}
	if (rec->kind == MP_EVENT && !is_wanted(r, rec))
		return 0;
	if (rec->kind == MP_EVENT)
		note_time(&r->sums.info.sides[r->after], rec->time_ns);
	mp_choice_look(&r->choice, rec);
	if (!r->kind) {
		if (!r->sums.begun)
			decide(r, rec);
		else
			fit(r, rec);
		r->kind = rec->kind;
		r->plain = r->sums.info.x.what == MP_HEAT_X && r->y.id == MP_FIELD_Y &&
			   r->sums.info.y.what == MP_HEAT_NUMBER && !r->choice.weight.name.p &&
			   !r->sums.info.group;
	}
	*why = rec->kind == MP_EVENT ? "an event in a picture of points"
				     : "a point in a picture of events";
	if (r->after && !r->shifted)
		find_shift(r, rec);
	result = rec->kind == r->kind ? add(r, rec, why) : -1;
	r->sums.grid.skipped += result != 0;
	return MP_MIN(result, 0);
}

void mp_heat_finish(struct mp_heat_reader *r)
{
	struct mp_buf text = { NULL, 0, 0 };
	const struct mp_map_entry *e;

	r->sums.chosen |= r->choice.types.mixed;
	if (!r->sums.begun)
		return;
	if (r->after && !r->wish->sides)
		mp_grid_select_plane(&r->sums.grid, 1);
	if (!r->wish->sides)
		mp_groups_sort(&r->sums.info.groups);
	mp_map_each (&r->sums.types, e)
		mp_buf_printf(&text, "%s%.*s", text.len ? ", " : "", MP_STR_ARGS(e->key));
	mp_buf_byte(&text, '\0');
	free(r->sums.info.events);
	r->sums.info.events = text.p;
}
