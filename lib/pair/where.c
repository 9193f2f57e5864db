// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/where.h"

static void note_asked(struct mp_pair_where *w, const struct mp_field *f)
{
	struct mp_pair_asked *a = &w->asked[w->n_asked];
	bool end = mp_str_starts(f->name, MP_STR("end:"));

	if (!end && !mp_str_starts(f->name, MP_STR("begin:")))
		return;
	if (mp_field_parse(&a->field, mp_str_skip(f->name, end ? 4 : 6)) < 0)
		return;
	a->key = f->name;
	a->end = end;
	w->n_asked++;
}

int mp_pair_where_parse(struct mp_pair_where *w, const char *text, char **error)
{
	struct mp_buf why = { NULL, 0, 0 };
	const struct mp_field *fields;
	struct mp_expr_error at;
	size_t n, i;

	mp_pair_where_release(w);
	w->expr = mp_expr_parse_sides(text, &at);
	if (!w->expr) {
		mp_expr_describe(&why, text, &at);
		*error = mp_strndup(why.p, why.len);
		mp_buf_release(&why);
		return -1;
	}
	n = mp_expr_fields(w->expr, &fields);
	for (i = 0; i < n; i++)
		note_asked(w, &fields[i]);
	return 0;
}

void mp_pair_where_release(struct mp_pair_where *w)
{
	mp_expr_free(w->expr);
	mp_buf_release(&w->text);
	*w = (struct mp_pair_where){ .expr = NULL };
}

/* Adds the values that the expression needs of one of the events. */
static void add_values(struct mp_pair_where *w, const struct mp_rec *rec, bool end)
{
	struct mp_str value;
	size_t i;

	for (i = 0; i < w->n_asked; i++) {
		if (w->asked[i].end != end || !mp_rec_get(rec, &w->asked[i].field, &value))
			continue;
		mp_buf_str(&w->text, w->asked[i].key);
		mp_buf_byte(&w->text, '=');
		mp_buf_str(&w->text, value);
		mp_buf_byte(&w->text, '\t');
	}
}

void mp_pair_where_begin(struct mp_pair_where *w, struct mp_endpoint *m, const struct mp_rec *rec)
{
	if (!w->n_asked)
		return;
	w->text.len = 0;
	add_values(w, rec, false);
	mp_endpoint_add(m, mp_buf_view(&w->text));
}

bool mp_pair_where_match(struct mp_pair_where *w, const struct mp_spans *s,
			 const struct mp_endpoint *begin, const struct mp_rec *end,
			 struct mp_str line)
{
	struct mp_rec span;
	const char *why;

	if (!w->expr)
		return true;
	if (mp_rec_parse(&span, line.p, line.len, &why) < 0)
		return false;
	w->text.len = 0;
	mp_buf_add(&w->text, line.p, span.body.p - line.p);
	mp_buf_str(&w->text, mp_endpoint_added(s, begin));
	add_values(w, end, true);
	mp_buf_str(&w->text, span.body);
	if (mp_rec_parse(&span, w->text.p, w->text.len, &why) < 0)
		return false;
	span.host = end->host;
	return mp_expr_match(w->expr, &span);
}
