// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/pairspec.h"

#include <stdlib.h>

#include "lib/pair/split.h"
#include "lib/stream/esc.h"

static int fail(char **error, const char *fmt, struct mp_str what)
{
	*error = mp_asprintf(fmt, MP_STR_ARGS(what));
	return -1;
}

/*
 * Finds the slash that ends a condition; returns NULL if there is none. It is outside quotes, and
 * followed by a comma or the end of the text, as the slash of a division never is. `p` is after the
 * first slash.
 */
static const char *closing_slash(const char *p)
{
	char quote = '\0';

	for (; *p; p++) {
		if (quote)
			quote = *p == quote ? '\0' : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == '/' && (!p[1] || p[1] == ','))
			return p;
	}
	return NULL;
}

static int add_condition(struct mp_pair_spec *spec, const char *from, const char *end, char **error)
{
	char *text = mp_strndup(from, end - from);
	struct mp_buf why = { NULL, 0, 0 };
	struct mp_expr_error at;

	spec->expr = mp_expr_parse(text, &at);
	if (!spec->expr) {
		mp_expr_describe(&why, text, &at);
		*error = mp_strndup(why.p, why.len);
		mp_buf_release(&why);
	}
	free(text);
	return spec->expr ? 0 : -1;
}

/*
 * Cuts the name off a specification of a type: returns its length with the equals sign, or 0 if there
 * is none. The type of a span may have "=>" in it.
 */
static size_t take_name(struct mp_pair_spec *spec, const char *text, size_t len)
{
	const char *equals = memchr(text, '=', len);

	if (!equals || equals[1] == '>')
		return 0;
	spec->name = mp_strndup(text, equals - text);
	return equals + 1 - text;
}

static bool is_type(const char *name)
{
	char first = *name | 0x20;

	return first >= 'a' && first <= 'z' && strlen(name) <= MP_PAIR_NAME_MAX &&
	       !strpbrk(name, " \\") && mp_esc_check(mp_str(name)) == 0;
}

int mp_pair_specs_step(struct mp_pair_specs *s, unsigned step, const char *text, char **error)
{
	for (;;) {
		size_t named, len = strcspn(text, ",/");
		struct mp_pair_spec *spec = &s->specs[s->n_specs];
		const char *end;

		if (len == 0)
			return fail(error, "type missing before '%.*s'", mp_str(text));
		if (s->n_specs == MP_PAIR_SPECS_MAX)
			return fail(error, "too many specifications, at '%.*s'", mp_str(text));
		*spec = (struct mp_pair_spec){ .step = step };
		s->n_specs++;
		named = take_name(spec, text, len);
		if (spec->name && !is_type(spec->name))
			return fail(
				error,
				"'%.*s' is not a name (a letter, then at most 99 bytes without blanks)",
				mp_str(spec->name));
		if (named == len)
			return fail(error, "type missing after '%.*s'",
				    (struct mp_str){ text, len });
		spec->glob = mp_strndup(text + named, len - named);
		s->named |= spec->name != NULL;
		text += len;
		if (*text == '/') {
			end = closing_slash(text + 1);
			if (!end)
				return fail(error, "'/' is missing at the end of '%.*s'",
					    mp_str(text));
			if (add_condition(spec, text + 1, end, error) < 0)
				return -1;
			text = end + 1;
		}
		if (*text == '\0')
			return 0;
		text++;
	}
}

/* Parses the name of a field that events have. */
static int parse_name(struct mp_field *f, struct mp_str name, char **error)
{
	if (mp_field_parse(f, name) < 0)
		return fail(error, "'%.*s' is not a field name", name);
	if (f->id == MP_FIELD_STACK)
		return fail(error, "'%.*s' cannot be used here", name);
	if (f->id != MP_FIELD_TIME && f->id != MP_FIELD_TYPE)
		f->id = MP_FIELD_KEY;
	return 0;
}

/* Parses the name of a field that events have, or a computed field. */
static int parse_field(struct mp_field *f, struct mp_str text, char **error)
{
	struct mp_expr_error wrong;

	if (mp_expr_field(f, text, &wrong) == 0 && f->computed)
		return 0;
	return parse_name(f, text, error);
}

static void append(struct mp_fields *fields, struct mp_field f)
{
	fields->v = mp_grow(fields->v, &fields->cap, fields->n + 1, sizeof(f));
	fields->v[fields->n++] = f;
}

int mp_pair_specs_key(struct mp_pair_specs *s, const char *text, char **error)
{
	struct mp_pair_key *key = &s->keys[s->n_keys];
	const char *p;

	if (s->n_keys == MP_PAIR_STEPS_MAX)
		return fail(error, "too many keys, at '%.*s'", mp_str(text));
	s->n_keys++;
	*key = (struct mp_pair_key){ { NULL, 0, 0 }, { NULL, 0, 0 } };
	for (p = text;; p++) {
		size_t len = strcspn(p, ","), first = strcspn(p, ",=");
		size_t second = first < len ? first + 1 : 0;
		struct mp_field begin, end;

		if (parse_field(&begin, (struct mp_str){ p, first }, error) < 0)
			return -1;
		append(&key->begin, begin);
		if (parse_field(&end, (struct mp_str){ p + second, len - second }, error) < 0)
			return -1;
		append(&key->end, end);
		p += len;
		if (!*p)
			return 0;
	}
}

static bool strip(struct mp_str *text, struct mp_str prefix)
{
	if (text->len < prefix.len || memcmp(text->p, prefix.p, prefix.len) != 0)
		return false;
	text->p += prefix.len;
	text->len -= prefix.len;
	return true;
}

/* The order of fields: context as in the format, then payload, then others. */
static int rank_of(const struct mp_pair_take *t)
{
	int rank = mp_split_context_rank(t->name);

	if (rank >= 0)
		return rank;
	return 100 + (int)mp_split_field_class(t->name);
}

static void insert_take(struct mp_pair_specs *s, struct mp_pair_take take)
{
	size_t i = s->n_takes++;

	for (; i > 0 && rank_of(&s->takes[i - 1]) > rank_of(&take); i--)
		s->takes[i] = s->takes[i - 1];
	s->takes[i] = take;
}

static int add_take(struct mp_pair_specs *s, struct mp_str item, char **error)
{
	static const struct mp_str reserved[] = { { "dur", 3 },	 { "age", 3 },	{ "step", 4 },
						  { "span", 4 }, { "time", 4 }, { "type", 4 } };
	const char *equals = memchr(item.p, '=', item.len);
	struct mp_pair_take take = { { NULL, 0 }, { 0 }, false };
	struct mp_field named;
	size_t i;

	if (equals) {
		take.name = (struct mp_str){ item.p, equals - item.p };
		strip(&item, (struct mp_str){ item.p, take.name.len + 1 });
	}
	take.end = strip(&item, MP_STR("end:"));
	if (!take.end)
		strip(&item, MP_STR("begin:"));
	if (!equals)
		take.name = item;
	if (parse_name(&take.from, item, error) < 0 || parse_name(&named, take.name, error) < 0)
		return -1;
	for (i = 0; i < MP_ARRAY_SIZE(reserved); i++)
		if (mp_str_eq(take.name, reserved[i]))
			return fail(error, "a field of a span cannot be named '%.*s'", take.name);
	for (i = 0; i < s->n_takes; i++)
		if (mp_str_eq(take.name, s->takes[i].name))
			return fail(error, "two fields named '%.*s'", take.name);
	if (s->n_takes == MP_PAIR_TAKES_MAX)
		return fail(error, "too many fields, at '%.*s'", item);
	insert_take(s, take);
	return 0;
}

int mp_pair_specs_fields(struct mp_pair_specs *s, const char *text, char **error)
{
	size_t len;

	s->chosen = true;
	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (add_take(s, (struct mp_str){ text, len }, error) < 0)
			return -1;
	}
	return 0;
}

static uint32_t bit(unsigned step)
{
	return (uint32_t)1 << step;
}

void mp_pair_specs_names(const struct mp_pair_specs *s, unsigned n_steps,
			 struct mp_field_check *names)
{
	uint32_t all = bit(n_steps) - 1;
	size_t i, j;

	for (i = 0; i < s->n_keys && !s->default_key; i++) {
		bool last = i + 1 == s->n_keys; /* the last key is also that of all further steps */
		uint32_t begins = last ? all & ~(bit(i) - 1) & ~bit(n_steps - 1) : bit(i);

		for (j = 0; j < s->keys[i].begin.n; j++) {
			mp_field_check_add(names, &s->keys[i].begin.v[j], "--key", begins);
			mp_field_check_add(names, &s->keys[i].end.v[j], "--key", begins << 1);
		}
	}
	for (i = 0; i < s->n_takes; i++)
		if (s->takes[i].end)
			mp_field_check_add(names, &s->takes[i].from, "--fields (of the end)",
					   all & ~bit(0));
		else
			mp_field_check_add(names, &s->takes[i].from, "--fields",
					   all & ~bit(n_steps - 1));
}

void mp_pair_specs_release(struct mp_pair_specs *s)
{
	size_t i;

	for (i = 0; i < s->n_specs; i++) {
		free(s->specs[i].glob);
		free(s->specs[i].name);
		mp_expr_free(s->specs[i].expr);
	}
	for (i = 0; i < s->n_keys; i++) {
		mp_fields_release(&s->keys[i].begin);
		mp_fields_release(&s->keys[i].end);
	}
	*s = (struct mp_pair_specs){ .n_specs = 0 };
}
