// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/filter_names.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/core/suggest.h"

#define BLANKS " \t\n"
#define FUNCTION ".function"

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const struct mp_tp_field *find_field(const struct mp_tp *tp, struct mp_str name)
{
	size_t i;

	for (i = 0; i < tp->n_fields; i++)
		if (mp_str_eq(name, mp_str(tp->fields[i].name)))
			return &tp->fields[i];
	return NULL;
}

/* Skips the operator after the name of a field. Returns NULL if it is not one of ==, != and &. */
static const char *skip_operator(const char *p)
{
	p += strspn(p, BLANKS);
	if (strncmp(p, "==", 2) == 0 || strncmp(p, "!=", 2) == 0)
		p += 2;
	else if (*p == '&' && p[1] != '&')
		p++;
	else
		return NULL;
	return p + strspn(p, BLANKS);
}

/* The value at `p`, without its quotes; `*end` is the text after it. */
static struct mp_str value_at(const char *p, const char **end)
{
	const char *quote = *p == '"' || *p == '\'' ? strchr(p + 1, *p) : NULL;
	size_t len = strcspn(p, BLANKS "()&|");

	*end = quote ? quote + 1 : p + len;
	return quote ? (struct mp_str){ p + 1, quote - p - 1 } : (struct mp_str){ p, len };
}

static bool is_number(struct mp_str text)
{
	int64_t v;

	return mp_num_any(text, &v) == 0 || mp_str_starts(text, MP_STR("0x"));
}

static char *unknown_name(const struct mp_tp_field *f, struct mp_str name)
{
	char *word = mp_strndup(name.p, name.len), *error;
	struct mp_suggest near;
	size_t i, j;

	mp_suggest_init(&near, word);
	for (i = 0; i < f->names->n; i++)
		for (j = 0; j < f->names->v[i].n; j++)
			mp_suggest_try(&near, f->names->v[i].v[j].text);
	error = near.best ? mp_asprintf("'%s' of the filter has no value '%s'; did you mean '%s'?",
					f->name, word, near.best)
			  : mp_asprintf("'%s' of the filter has no value '%s'", f->name, word);
	mp_suggest_release(&near);
	free(word);
	return error;
}

static void add_number(struct mp_buf *to, const struct mp_tp_field *f, uint64_t number)
{
	char text[MP_NUM_MAX], *end;

	end = f->kind == MP_TP_SIGNED ? mp_put_i64(text, (int64_t)number)
				      : mp_put_u64(text, number);
	mp_buf_add(to, text, end - text);
}

static bool is_function(const struct mp_tp_field *f)
{
	enum mp_names_kind kind = f->names ? f->names->v[0].kind : MP_NAMES_VALUES;

	return kind == MP_NAMES_SYMBOL || kind == MP_NAMES_FUNCTION;
}

/* A number that the filter compares, and the text around it. */
struct comparison {
	const struct mp_tp_field *field;
	struct mp_str name; /* of the field */
	bool suffix;	    /* ".function" follows it */
	struct mp_str op;   /* with the blanks around it */
	struct mp_str value;
	const char *end;
};

/* Parses a comparison of the field `name`. Returns false if it is not one that may have a name. */
static bool parse_comparison(struct comparison *c, const struct mp_tp *tp, struct mp_str name)
{
	const char *end = name.p + name.len, *p;

	*c = (struct comparison){ .field = find_field(tp, name), .name = name };
	c->suffix = strncmp(end, FUNCTION, sizeof(FUNCTION) - 1) == 0;
	if (c->suffix)
		end += sizeof(FUNCTION) - 1;
	p = skip_operator(end);
	if (!c->field || c->field->is_array || !p || (!c->suffix && !c->field->names))
		return false;
	c->op = (struct mp_str){ end, p - end };
	c->value = value_at(p, &c->end);
	return c->value.len && !is_number(c->value);
}

/*
 * Adds the kernel's comparison of an address with a function. Without the blank the kernel would
 * take a parenthesis that follows for a part of the name.
 */
static void add_function(struct mp_buf *to, const struct comparison *c)
{
	mp_buf_str(to, c->name);
	mp_buf_str(to, MP_STR(FUNCTION));
	mp_buf_str(to, c->op);
	mp_buf_str(to, c->value);
	if (*c->end != ' ')
		mp_buf_byte(to, ' ');
}

/*
 * Replaces the name that the field `name` is compared with. Returns the text after it; NULL if there
 * is none, or with `*error`.
 */
static const char *replace(struct mp_buf *to, const struct mp_tp *tp, struct mp_str name,
			   char **error)
{
	struct comparison c;
	uint64_t number;

	if (!parse_comparison(&c, tp, name))
		return NULL;
	if (c.suffix || is_function(c.field)) {
		add_function(to, &c);
	} else if (mp_names_number(c.field->names, c.value, &number) == 0) {
		mp_buf_str(to, c.name);
		mp_buf_str(to, c.op);
		add_number(to, c.field, number);
	} else {
		*error = unknown_name(c.field, c.value);
		return NULL;
	}
	return c.end;
}

/* Skips a word, a text in quotes, or one other byte. */
static const char *skip_token(const char *p)
{
	const char *quote = *p == '"' || *p == '\'' ? strchr(p + 1, *p) : NULL;

	if (quote)
		return quote + 1;
	if (!in_name(*p))
		return p + 1;
	while (in_name(*p))
		p++;
	return p;
}

char *mp_tp_filter(const struct mp_tp *tp, const char *filter, char **error)
{
	struct mp_buf to = { NULL, 0, 0 };
	const char *p = filter, *end, *after;

	*error = NULL;
	for (; *p && !*error; p = after) {
		end = skip_token(p);
		after = in_name(*p) ? replace(&to, tp, (struct mp_str){ p, end - p }, error) : NULL;
		if (after)
			continue;
		mp_buf_add(&to, p, end - p);
		after = end;
	}
	mp_buf_byte(&to, '\0');
	if (!*error)
		return to.p;
	mp_buf_release(&to);
	return NULL;
}
