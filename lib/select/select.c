// SPDX-License-Identifier: GPL-2.0-only
#include "lib/select/select.h"

#include <stdlib.h>

#include "lib/select/filtertext.h"

void mp_select_init(struct mp_select *s, struct mp_input *in, struct mp_out *out)
{
	*s = (struct mp_select){ .in = in, .out = out };
	mp_types_init(&s->types);
}

void mp_select_release(struct mp_select *s)
{
	size_t i;

	for (i = 0; i < s->n_exprs; i++)
		mp_expr_free(s->exprs[i]);
	free(s->exprs);
	mp_types_release(&s->types);
	if (s->keeping)
		mp_project_release(&s->keep);
	mp_buf_release(&s->buf);
}

void mp_select_filter(struct mp_select *s, struct mp_expr *e)
{
	s->exprs = mp_grow(s->exprs, &s->exprs_cap, s->n_exprs + 1, sizeof(struct mp_expr *));
	s->exprs[s->n_exprs++] = e;
}

static struct mp_select_section *section_of(struct mp_select *s, enum mp_kind datatype)
{
	switch ((int)datatype) {
	case MP_EVENT:
		return &s->event;
	case MP_POINT:
		return &s->point;
	case MP_STACK:
		return &s->stack;
	}
	return NULL;
}

static void write_line(struct mp_select *s, struct mp_str line)
{
	mp_out_write(s->out, line.p, line.len);
	mp_out_write(s->out, "\n", 1);
}

static void write_object(struct mp_select *s, json_t *object)
{
	s->buf.len = 0;
	mp_ctl_add(&s->buf, object);
	mp_out_write(s->out, s->buf.p, s->buf.len);
}

static void drop_types(struct mp_select *s, json_t *header)
{
	json_t *events = json_object_get(header, "events"), *fields;
	const char *type;
	void *next;

	json_object_foreach_safe(events, next, type, fields)
	{
		if (!mp_types_lookup(&s->types, mp_str(type))->taken)
			json_object_del(events, type);
	}
}

static json_t *both_filters(const json_t *before, struct mp_str text)
{
	struct mp_buf both = { NULL, 0, 0 };
	json_t *string;

	if (!json_is_string(before))
		return mp_ctl_string(text);
	mp_buf_printf(&both, "(%s) && (%.*s)", json_string_value(before), MP_STR_ARGS(text));
	string = mp_ctl_string(mp_buf_view(&both));
	mp_buf_release(&both);
	return string;
}

/* Notes in the header that events of a type have passed our filters, if they select. */
static void note_filter(struct mp_select *s, json_t *header, json_t *filters, const char *type,
			json_t *fields)
{
	struct mp_select_filters f = { s->exprs, s->n_exprs, s->invert, s->every >= 2 };
	const char *key = type ? type : "*";

	s->buf.len = 0;
	switch (mp_select_filter_text(&s->buf, &f, type, fields)) {
	case MP_SELECT_NONE:
		json_object_del(json_object_get(header, "events"), key);
		break;
	case MP_SELECT_SOME:
		json_object_set_new(filters, key,
				    both_filters(json_object_get(filters, key),
						 mp_buf_view(&s->buf)));
		break;
	case MP_SELECT_ALL:
		break;
	}
}

static void note_filters(struct mp_select *s, json_t *header)
{
	json_t *events = json_object_get(header, "events"), *fields, *filters;
	const char *type;
	void *next;

	filters = json_deep_copy(json_object_get(header, "filters"));
	if (!json_is_object(filters)) {
		json_decref(filters);
		filters = json_object();
	}
	if (!json_is_object(events))
		note_filter(s, header, filters, NULL, NULL);
	json_object_foreach_safe(events, next, type, fields)
		note_filter(s, header, filters, type, fields);
	if (json_object_size(filters))
		json_object_set(header, "filters", filters);
	json_decref(filters);
}

static void change_header(struct mp_select *s, const struct mp_rec *rec, const struct mp_ctl *ctl)
{
	bool filtering = s->n_exprs || s->every >= 2;
	json_t *header;

	if (!s->table &&
	    (ctl->datatype != MP_EVENT || (!s->types.n_globs && !s->keeping && !filtering))) {
		write_line(s, rec->line);
		return;
	}
	header = json_deep_copy(ctl->json);
	drop_types(s, header);
	if (filtering)
		note_filters(s, header);
	if (s->keeping)
		mp_project_header(&s->keep, header);
	if (!s->table) {
		write_object(s, header);
		return;
	}
	mp_table_header(s->table, header);
	json_decref(header);
}

/*
 * The section ends with the window, so that spans that are open at that time end there, and not at
 * the end of the recording.
 */
static void change_end(const struct mp_select *s, json_t *trailer)
{
	const struct mp_window *w = &s->window;
	const json_t *time = json_object_get(trailer, "time");

	if (!s->windowed || s->overlap || !w->placed || !json_is_integer(time))
		return;
	if ((uint64_t)json_integer_value(time) > w->end_ns)
		json_object_set_new(trailer, "time", json_integer((json_int_t)w->end_ns));
}

/*
 * Events that are not written count as excluded, so that fired = records + lost + excluded stays
 * true.
 */
static void change_trailer(struct mp_select *s, const struct mp_select_section *section,
			   const struct mp_ctl *ctl)
{
	json_t *trailer = json_copy(ctl->json), *excluded = json_object_get(trailer, "excluded");
	uint64_t unlost = MP_MIN(ctl->lost, section->excluded);
	uint64_t omitted = section->in - section->out + unlost;

	json_object_set_new(trailer, "records", json_integer((json_int_t)section->out));
	json_object_set_new(trailer, "lost", json_integer((json_int_t)(ctl->lost - unlost)));
	json_object_del(trailer, "bytes");
	if (ctl->datatype == MP_EVENT)
		change_end(s, trailer);
	if (omitted && json_object_get(trailer, "fired"))
		json_object_set_new(trailer, "excluded",
				    json_integer((json_int_t)mp_count_sum(
					    (uint64_t)json_integer_value(excluded), omitted)));
	if (section->out < section->in ||
	    (s->keeping && !mp_project_has(&s->keep, MP_STR("stack"))))
		/* the omitted events and stacks are not counted */
		json_object_del(trailer, "truncated");
	write_object(s, trailer);
}

static void note_input(struct mp_select *s)
{
	if (s->input == s->in->next)
		return;
	s->input = s->in->next;
	s->event = s->point = s->stack = (struct mp_select_section){ .open = false };
	mp_window_header(&s->window, NULL);
}

/* Restricts a loss to the selected part of the stream; false if it is not in that part. */
static bool restrict_loss(struct mp_select *s, struct mp_ctl *loss)
{
	if (loss->type && !mp_types_match(&s->types, mp_str(loss->type)))
		return false;
	return !s->windowed || mp_window_restrict(&s->window, loss);
}

bool mp_select_concerns(struct mp_select *s, const struct mp_ctl *loss)
{
	struct mp_ctl copy = *loss;

	note_input(s);
	return restrict_loss(s, &copy);
}

static void change_loss(struct mp_select *s, const struct mp_rec *rec, const struct mp_ctl *ctl)
{
	struct mp_ctl loss = *ctl;

	s->event.lost = mp_count_sum(s->event.lost, ctl->lost);
	if (!restrict_loss(s, &loss)) {
		s->event.excluded = mp_count_sum(s->event.excluded, ctl->lost);
	} else if (loss.from_ns == ctl->from_ns && loss.time_ns == ctl->time_ns) {
		write_line(s, rec->line);
	} else {
		s->buf.len = 0;
		mp_ctl_add_lost(&s->buf, &loss);
		mp_out_write(s->out, s->buf.p, s->buf.len);
	}
}

/*
 * After the window nothing more is written, so the first watermark after its end becomes a
 * watermark of the end.
 */
static void change_watermark(struct mp_select *s, const struct mp_rec *rec,
			     const struct mp_ctl *ctl)
{
	const struct mp_window *w = &s->window;

	if (!s->windowed || s->overlap || !w->placed || ctl->time_ns <= w->end_ns) {
		write_line(s, rec->line);
	} else if (!s->event.ended) {
		s->event.ended = true;
		s->buf.len = 0;
		mp_ctl_add_watermark(&s->buf, w->end_ns);
		mp_out_write(s->out, s->buf.p, s->buf.len);
	}
}

static void check_fields(struct mp_select *s, const struct mp_ctl *ctl)
{
	size_t i;

	for (i = 0; i < s->n_exprs; i++)
		mp_expr_header(s->exprs[i], ctl, mp_types_roles, &s->types);
	if (s->keeping)
		mp_project_control(&s->keep, ctl);
}

void mp_select_control(struct mp_select *s, const struct mp_rec *rec, const struct mp_ctl *ctl)
{
	struct mp_select_section *section;

	note_input(s);
	section = section_of(s, ctl->datatype);
	if (ctl->what == MP_CTL_HEADER) {
		if (section)
			*section = (struct mp_select_section){ .open = true };
		if (ctl->datatype == MP_EVENT) {
			mp_types_header(&s->types, ctl->json);
			mp_window_header(&s->window, ctl);
			check_fields(s, ctl);
		}
		if (!s->table || ctl->datatype == MP_EVENT)
			change_header(s, rec, ctl);
	} else if (s->table) {
		return; /* a table has no control lines */
	} else if (ctl->what == MP_CTL_END && section) {
		change_trailer(s, section, ctl);
		*section = (struct mp_select_section){ .open = false };
	} else if (ctl->what == MP_CTL_LOST) {
		change_loss(s, rec, ctl);
	} else if (ctl->what == MP_CTL_WATERMARK) {
		change_watermark(s, rec, ctl);
	} else {
		write_line(s, rec->line);
	}
}

/* Whether an event after the window is a span that began within or before it. */
static bool began_before(const struct mp_rec *rec, uint64_t end_ns)
{
	static const struct mp_field dur = MP_FIELD_OF(KEY, "dur");
	struct mp_str text;
	uint64_t dur_ns;

	return mp_rec_get(rec, &dur, &text) && mp_num_u64(text, &dur_ns) == 0 &&
	       (dur_ns > rec->time_ns || rec->time_ns - dur_ns < end_ns);
}

static bool in_window(struct mp_select *s, const struct mp_rec *rec)
{
	const struct mp_window *w = &s->window;

	if (!w->placed && mp_window_place(&s->window, rec->time_ns) < 0)
		mp_die("%s:%llu: no header relates its clock to the time of day (give the time as "
		       "2s or @NS)",
		       s->in->name, (unsigned long long)s->in->in.line);
	if (rec->time_ns < w->begin_ns) {
		s->early++;
	} else if (mp_window_has(w, rec->time_ns) || (s->overlap && began_before(rec, w->end_ns))) {
		s->inside++;
		return true;
	} else {
		s->late++;
	}
	return false;
}

static bool all_hold(const struct mp_select *s, const struct mp_rec *rec)
{
	size_t i;

	for (i = 0; i < s->n_exprs; i++)
		if (!mp_expr_match(s->exprs[i], rec))
			return false;
	return true;
}

static bool wanted(struct mp_select *s, const struct mp_rec *rec)
{
	if (rec->kind == MP_EVENT) {
		if (!mp_types_take(&s->types, rec))
			return false;
		if (s->windowed && !in_window(s, rec))
			return false;
	} else if (s->types.n_globs) {
		return false;
	}
	if (s->n_exprs && all_hold(s, rec) == s->invert)
		return false;
	return s->every < 2 || s->passed++ % s->every == 0;
}

void mp_select_record(struct mp_select *s, const struct mp_rec *rec)
{
	struct mp_select_section *section;

	note_input(s);
	section = section_of(s, rec->kind);
	if (section)
		section->in++;
	if (!wanted(s, rec))
		return;
	if (section)
		section->out++;
	s->written++;
	if (s->keeping)
		mp_project_check(&s->keep, rec);
	if (s->table)
		mp_table_event(s->table, rec);
	else if (s->keeping && rec->kind == MP_EVENT)
		mp_project_write(&s->keep, rec, s->out);
	else
		write_line(s, rec->line);
}

void mp_select_stop(struct mp_select *s)
{
	static const enum mp_kind kinds[] = { MP_EVENT, MP_POINT, MP_STACK };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kinds); i++) {
		struct mp_select_section *section = section_of(s, kinds[i]);

		if (section->open && !s->table)
			write_object(s, mp_ctl_trailer(kinds[i], section->out,
						       section->lost - section->excluded));
	}
}

/*
 * A glob that matches nothing is more often a mistake than intended; so is a window without events.
 */
enum mp_status mp_select_report(const struct mp_select *s)
{
	enum mp_status status = MP_OK, of_part;
	size_t i;

	mp_types_report(&s->types);
	if (!s->inside && s->early + s->late)
		mp_say("no event is in the window: %llu before it, %llu after it",
		       (unsigned long long)s->early, (unsigned long long)s->late);
	for (i = 0; i < s->n_exprs; i++) {
		of_part = mp_expr_report(s->exprs[i]);
		status = MP_MAX(status, of_part);
	}
	if (s->keeping) {
		of_part = mp_project_report(&s->keep);
		status = MP_MAX(status, of_part);
	}
	return status;
}
