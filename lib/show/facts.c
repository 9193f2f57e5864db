// SPDX-License-Identifier: GPL-2.0-only
#include "lib/show/facts.h"

#include <stdlib.h>

#include "lib/core/clock.h"
#include "lib/stream/esc.h"

enum {
	TYPES_SHOWN = 20,
	SECTIONS_SHOWN = 10,
	/* what a hostile file may have: more names are counted as one, longer ones are truncated */
	NAMES_MAX = 10000,
	NAME_BYTES = 200,
	COLLECTORS_MAX = 64,
};

void mp_facts_init(struct mp_facts *f)
{
	*f = (struct mp_facts){ .first_ns = UINT64_MAX };
	mp_map_init(&f->types, sizeof(struct mp_type_facts));
	mp_map_init(&f->collectors, 0);
	mp_map_init(&f->sections, sizeof(uint64_t));
}

void mp_facts_release(struct mp_facts *f)
{
	mp_map_release(&f->types);
	mp_map_release(&f->collectors);
	mp_map_release(&f->sections);
	json_decref(f->header);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The entry of a name. */
static void *count(struct mp_map *names, struct mp_str name)
{
	struct mp_str other = MP_STR("[other]");

	name.len = MP_MIN(name.len, (size_t)NAME_BYTES);
	return mp_map_value(mp_map_put(names, names->n < NAMES_MAX ? &name : &other, 1, NULL));
}

static void add_event(struct mp_facts *f, const struct mp_rec *rec)
{
	static const struct mp_field dur = MP_FIELD_OF(KEY, "dur"),
				     value = MP_FIELD_OF(KEY, ".value"),
				     bytes = MP_FIELD_OF(KEY, ".bytes");
	struct mp_type_facts *t = count(&f->types, rec->type);
	struct mp_str text;

	t->n++;
	t->spans += mp_rec_get(rec, &dur, &text);
	t->stacks += mp_rec_stack(rec, &text);
	if (mp_str_starts(rec->type, MP_STR("mem:")) || mp_str_starts(rec->type, MP_STR("stat:")))
		t->values += mp_rec_get(rec, &value, &text) || mp_rec_get(rec, &bytes, &text);
	f->first_ns = MP_MIN(f->first_ns, rec->time_ns);
	f->last_ns = MP_MAX(f->last_ns, rec->time_ns);
}

static struct mp_str text_of(const json_t *header, const char *key, const char *fallback)
{
	const json_t *value = json_object_get(header, key);

	return mp_str(json_is_string(value) ? json_string_value(value) : fallback);
}

static void add_header(struct mp_facts *f, const struct mp_ctl *ctl)
{
	const json_t *collectors = json_object_get(ctl->json, "collectors");
	struct mp_str host = text_of(ctl->json, "host", ""), name;
	uint64_t *n;
	size_t i;
	char *section;

	section = mp_asprintf("%s by %.*s%s%.*s", mp_datatype_name(ctl->datatype),
			      MP_STR_ARGS(text_of(ctl->json, "interface", "an unknown program")),
			      host.len ? " on " : "", MP_STR_ARGS(host));
	n = count(&f->sections, mp_str(section));
	++*n;
	free(section);
	/* what a filter wrote is no longer what the collectors' pipelines read */
	if (!mp_str_eq(text_of(ctl->json, "interface", ""), MP_STR("mp-record")))
		collectors = NULL;
	for (i = 0; i < json_array_size(collectors); i++) {
		const char *text = json_string_value(json_array_get(collectors, i));

		name = mp_str(text ? text : "");
		name.len = MP_MIN(name.len, (size_t)NAME_BYTES);
		if (name.len && f->collectors.n < COLLECTORS_MAX)
			mp_map_put(&f->collectors, &name, 1, NULL);
	}
	if (!f->header)
		f->header = json_incref(ctl->json);
	if (ctl->has_anchor && !f->realtime_ns)
		f->realtime_ns = ctl->realtime_ns;
}

/* The time of the last trailer is the end of the recording. */
static void add_end(struct mp_facts *f, const json_t *trailer)
{
	const json_t *begin = json_object_get(f->header, "clock_ns");
	const json_t *end = json_object_get(trailer, "time");
	json_int_t length;

	if (json_is_integer(begin) && json_is_integer(end) &&
	    !__builtin_sub_overflow(json_integer_value(end), json_integer_value(begin), &length) &&
	    length > 0)
		f->length_ns = length;
}

/* Of a command that a signal has ended, as that of -d, the status is 128 and more. */
static void add_status(struct mp_facts *f, const json_t *trailer)
{
	const json_t *status = json_object_get(trailer, "status");

	f->trailers++;
	f->commands += json_is_integer(status) && json_integer_value(status) < 128;
}

static void add_control(struct mp_facts *f, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER && ctl->datatype)
		add_header(f, ctl);
	if (ctl->what != MP_CTL_END)
		return;
	f->lost = mp_count_sum(f->lost, ctl->lost);
	add_end(f, ctl->json);
	add_status(f, ctl->json);
}

static void sum_types(struct mp_facts *f)
{
	const struct mp_map_entry *e;

	for (e = f->types.first; e; e = e->next) {
		const struct mp_type_facts *t = mp_map_value(e);

		f->events += t->n;
		f->spans += t->spans;
		f->with_stack += t->stacks;
		f->values += t->values;
	}
}

enum mp_status mp_facts_read(struct mp_facts *f, char **operands)
{
	struct mp_input in;
	struct mp_rec rec;

	mp_input_init(&in, operands, MP_DATA | MP_CONTROL, NULL);
	while (mp_input_next(&in, &rec)) {
		if (rec.kind == MP_CONTROL)
			add_control(f, &in.ctl);
		else if (rec.kind == MP_EVENT)
			add_event(f, &rec);
		else if (rec.kind == MP_POINT)
			f->points++;
		else
			f->stacks++;
	}
	sum_types(f);
	if (!f->length_ns && f->events)
		f->length_ns = f->last_ns - f->first_ns;
	return mp_input_finish(&in);
}

/* --- printing --------------------------------------------------------------------------------- */

static int most_first(const void *a, const void *b)
{
	const struct mp_map_entry *const *x = a, *const *y = b;
	const struct mp_type_facts *s = mp_map_value(*x), *t = mp_map_value(*y);

	if (s->n != t->n)
		return s->n < t->n ? 1 : -1;
	return mp_str_cmp((*x)->key, (*y)->key);
}

static void print_types(struct mp_buf *to, const struct mp_facts *f)
{
	const struct mp_map_entry **v, *e;
	size_t n = 0, i;

	if (!f->types.n)
		return;
	v = mp_alloc(f->types.n * sizeof(const struct mp_map_entry *));
	for (e = f->types.first; e; e = e->next)
		v[n++] = e;
	qsort(v, n, sizeof(*v), most_first);
	for (i = 0; i < MP_MIN(n, (size_t)TYPES_SHOWN); i++) {
		const struct mp_type_facts *t = mp_map_value(v[i]);

		mp_buf_printf(to, "%14llu  ", (unsigned long long)t->n);
		mp_esc_terminal(to, v[i]->key);
		if (t->stacks)
			mp_buf_str(to, MP_STR(", with stacks"));
		if (t->spans)
			mp_buf_str(to, MP_STR(", with durations"));
		mp_buf_byte(to, '\n');
	}
	if (n > TYPES_SHOWN)
		mp_buf_printf(to, "%14s  %zu more types\n", "", n - TYPES_SHOWN);
	free(v);
}

static void print_sections(struct mp_buf *to, const struct mp_facts *f)
{
	const struct mp_map_entry *e;
	size_t n = 0;

	for (e = f->sections.first; e && n < SECTIONS_SHOWN; e = e->next, n++) {
		const uint64_t *count = mp_map_value(e);

		mp_buf_printf(to, "  %-12s", n ? "" : "sections");
		if (*count > 1)
			mp_buf_printf(to, "%llu of ", (unsigned long long)*count);
		mp_esc_terminal(to, e->key);
		mp_buf_byte(to, '\n');
	}
	if (f->sections.n > n)
		mp_buf_printf(to, "%14s%zu more\n", "", f->sections.n - n);
}

static void print_count(struct mp_buf *to, uint64_t n, const char *what)
{
	if (n)
		mp_buf_printf(to, "%14llu  %s\n", (unsigned long long)n, what);
}

static void print_times(struct mp_buf *to, const struct mp_facts *f)
{
	char from[MP_RFC3339_MAX];

	if (!f->events)
		return;
	mp_buf_printf(to, "  %-12s%.3f s", "time", (double)(f->last_ns - f->first_ns) / 1e9);
	if (f->realtime_ns) {
		mp_rfc3339(from, f->realtime_ns, true);
		mp_buf_printf(to, " from %.19s", from);
	}
	mp_buf_byte(to, '\n');
}

uint64_t mp_facts_runs(const struct mp_facts *f)
{
	const struct mp_map_entry *e;
	uint64_t runs = 0;

	if (f->commands < f->trailers)
		return 0;
	for (e = f->sections.first; e; e = e->next)
		runs = MP_MAX(runs, *(const uint64_t *)mp_map_value(e));
	return runs;
}

void mp_facts_print(struct mp_buf *to, const struct mp_facts *f, const char *title)
{
	const struct mp_map_entry *e;

	mp_esc_terminal(to, mp_str(title));
	mp_buf_byte(to, '\n');
	print_sections(to, f);
	for (e = f->collectors.first; e; e = e->next) {
		mp_buf_printf(to, "  %-12s", "collector");
		mp_esc_terminal(to, e->key);
		mp_buf_byte(to, '\n');
	}
	print_times(to, f);
	mp_buf_printf(to, "  %-12s%llu events\n", "lost", (unsigned long long)f->lost);
	print_types(to, f);
	print_count(to, f->points, "points");
	print_count(to, f->stacks, "stacks");
}
