// SPDX-License-Identifier: GPL-2.0-only
#include "lib/help/search.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/core/suggest.h"
#include "lib/help/index.h"
#include "lib/help/listed.h"
#include "lib/stream/esc.h"

enum {
	SCREEN_LINES = 23,
	SCREEN_COLUMNS = 79,
	NAME_COLUMN = 20,
	STEM_MIN = 4,
	COUNT_MAX =
		15, /* however often a word is in the text of a page, it weighs less than a name */
};

enum group {
	PROGRAMS,
	QUESTIONS,
	COLLECTORS,
	EVENTS,
	SECTIONS,
	GROUPS,
};

static const char *const titles[GROUPS] = {
	[PROGRAMS] = "Programs (man mp-NAME)",
	[QUESTIONS] = "Questions (man mp-tools)",
	[COLLECTORS] = "Collectors (mp-record --explain NAME)",
	[EVENTS] = "Events (mp-record -l WORD lists them)",
	[SECTIONS] = "Man pages",
};

struct found {
	enum group group;
	struct mp_str name, text;
	struct mp_str commands; /* lines of the index that follow a question */
	unsigned score;
	size_t order; /* of those with the same score */
};

struct search {
	struct mp_str *stems; /* in lower case */
	size_t n_stems;
	struct found *v;
	size_t n, cap;
};

/* --- words ------------------------------------------------------------------------------------ */

/* What the forms of a word have in common: "latenc" for latency and latencies. */
static struct mp_str stem_of(char *word)
{
	static const struct mp_str ends[] = { { "ies", 3 }, { "ing", 3 }, { "es", 2 },
					      { "s", 1 },   { "y", 1 },	  { "e", 1 } };
	struct mp_str stem = mp_str(word);
	size_t i;

	for (i = 0; i < stem.len; i++)
		word[i] = (char)tolower((unsigned char)word[i]);
	for (i = 0; i < MP_ARRAY_SIZE(ends); i++) {
		if (mp_str_ends(stem, ends[i]) && stem.len - ends[i].len >= STEM_MIN) {
			stem.len -= ends[i].len;
			break;
		}
	}
	return stem;
}

static bool starts_with(struct mp_str text, struct mp_str stem)
{
	size_t i;

	for (i = 0; i < stem.len && i < text.len; i++)
		if (tolower((unsigned char)text.p[i]) != stem.p[i])
			return false;
	return i == stem.len;
}

/* The number of words of a text that begin with the stem. */
static unsigned count_words(struct mp_str text, struct mp_str stem)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < text.len; i++)
		if ((i == 0 || !isalnum((unsigned char)text.p[i - 1])) &&
		    starts_with(mp_str_skip(text, i), stem))
			n++;
	return n;
}

/* How well something fits: by its name, by what it is about, or only by the text that it has. */
static unsigned score(const struct search *s, struct mp_str name, struct mp_str about,
		      struct mp_str text)
{
	unsigned sum = 0, one;
	size_t i;

	for (i = 0; i < s->n_stems; i++) {
		unsigned n = count_words(text, s->stems[i]);

		one = MP_MIN(n, COUNT_MAX);
		if (count_words(name, s->stems[i]))
			one += 10 * COUNT_MAX + (starts_with(name, s->stems[i]) ? COUNT_MAX : 0);
		if (count_words(about, s->stems[i]))
			one += 5 * COUNT_MAX + (starts_with(about, s->stems[i]) ? COUNT_MAX : 0);
		if (!one)
			return 0;
		sum += one;
	}
	return sum;
}

static void add(struct search *s, const struct found *f)
{
	if (!f->score)
		return;
	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n] = *f;
	s->v[s->n].order = s->n;
	s->n++;
}

/* --- what there is ---------------------------------------------------------------------------- */

/* The lines of the index up to the next one of this kind or of another page, as one text. */
static struct mp_str lines_of(struct mp_str rest, enum mp_help_what what)
{
	struct mp_str text = { rest.p, 0 };
	struct mp_help_line line;

	while (mp_help_next(&rest, &line) && line.what == what)
		text.len = rest.p - text.p;
	return text;
}

static bool is_program(struct mp_str page)
{
	return mp_str_ends(page, MP_STR("(1)"));
}

/* `rest`: the lines after this one. */
static void add_line(struct search *s, const struct mp_help_line *line, struct mp_str rest)
{
	struct mp_str none = { "", 0 };
	struct found f = { .name = line->fields[0], .text = line->fields[1] };

	switch (line->what) {
	case MP_HELP_PAGE:
		f.group = is_program(f.name) ? PROGRAMS : SECTIONS;
		f.score = score(s, f.name, f.text, lines_of(rest, MP_HELP_SECTION));
		break;
	case MP_HELP_QUESTION:
		f.group = QUESTIONS;
		f.commands = lines_of(rest, MP_HELP_COMMAND);
		f.score = score(s, none, f.name, f.commands);
		break;
	case MP_HELP_SECTION:
		f.group = SECTIONS;
		f.score = score(s, none, f.text, line->fields[2]);
		break;
	case MP_HELP_GROUP:
	case MP_HELP_MEMBER:
	case MP_HELP_COMMAND:
		break;
	}
	add(s, &f);
}

static void search_index(struct search *s)
{
	struct mp_str rest = mp_help_index();
	struct mp_help_line line;

	while (mp_help_next(&rest, &line))
		add_line(s, &line, rest);
}

static void search_recordable(struct search *s, struct mp_str rest)
{
	struct mp_help_recordable r = { .collector = false };

	while (mp_help_next_recordable(&rest, &r)) {
		struct found f = { .group = r.collector ? COLLECTORS : EVENTS,
				   .name = r.name,
				   .text = r.text };

		f.score = score(s, f.name, f.text, (struct mp_str){ "", 0 });
		add(s, &f);
	}
}

/* --- the screen -------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Adds a line, with "..." in place of what does not fit. */
static void add_row(struct mp_buf *to, struct mp_str text)
{
	struct mp_buf shown = { NULL, 0, 0 };

	mp_esc_terminal(&shown, text);
	if (shown.len > SCREEN_COLUMNS) {
		shown.len = SCREEN_COLUMNS - 3;
		while (shown.len && (shown.p[shown.len] & 0xc0) == 0x80)
			shown.len--; /* not within a character */
		mp_buf_str(&shown, MP_STR("..."));
	}
	mp_buf_str(to, mp_buf_view(&shown));
	mp_buf_byte(to, '\n');
	mp_buf_release(&shown);
}

static void add_found(struct mp_buf *to, const struct found *f)
{
	struct mp_buf row = { NULL, 0, 0 };

	mp_buf_printf(&row, "  %.*s", MP_STR_ARGS(f->name));
	if (f->text.len)
		mp_buf_printf(&row, "%*s  %.*s", (int)MP_MAX(NAME_COLUMN - (long)row.len, 0), "",
			      MP_STR_ARGS(f->text));
	add_row(to, mp_buf_view(&row));
	mp_buf_release(&row);
}

static size_t count_commands(struct mp_str commands)
{
	struct mp_help_line line;
	size_t n = 0;

	while (mp_help_next(&commands, &line))
		n++;
	return n;
}

static void add_commands(struct mp_buf *to, struct mp_str commands)
{
	struct mp_help_line line;

	while (mp_help_next(&commands, &line))
		mp_buf_printf(to, "      %.*s\n", MP_STR_ARGS(line.fields[0]));
}

/* Of each group in turn one more line is shown, until the screen is full. */
static void fill_screen(const size_t found[GROUPS], size_t lines, size_t shown[GROUPS])
{
	bool more = true;
	size_t g;

	for (g = 0; g < GROUPS; g++)
		lines -= MP_MIN(lines, (size_t) !!found[g]); /* its title */
	while (more && lines) {
		more = false;
		for (g = 0; g < GROUPS && lines; g++) {
			if (shown[g] == found[g])
				continue;
			shown[g]++;
			lines--;
			more = true;
		}
	}
}

static void add_group(struct mp_buf *to, enum group group, const struct found *v, size_t n,
		      size_t shown)
{
	size_t i;

	if (!n)
		return;
	mp_buf_printf(to, "%s", titles[group]);
	if (shown < n)
		mp_buf_printf(to, ", %zu of %zu", shown, n);
	mp_buf_str(to, MP_STR(":\n"));
	for (i = 0; i < shown; i++) {
		add_found(to, &v[i]);
		if (i == 0)
			add_commands(to, v[i].commands);
	}
}

static void add_screen(struct mp_buf *to, const struct search *s)
{
	size_t found[GROUPS] = { 0 }, shown[GROUPS] = { 0 }, lines = SCREEN_LINES, i, g;

	for (i = 0; i < s->n; i++)
		found[s->v[i].group]++;
	for (i = 0, g = 0; g < QUESTIONS; g++)
		i += found[g];
	if (found[QUESTIONS])
		lines -= count_commands(s->v[i].commands);
	fill_screen(found, lines, shown);
	for (i = 0, g = 0; g < GROUPS; g++) {
		add_group(to, (enum group)g, s->v + i, found[g], shown[g]);
		i += found[g];
	}
}

bool mp_help_search(struct mp_buf *to, char **words, struct mp_str recordable)
{
	struct search s = { NULL, 0, NULL, 0, 0 };
	bool any;
	size_t i;

	while (words[s.n_stems])
		s.n_stems++;
	s.stems = mp_alloc(s.n_stems * sizeof(*s.stems));
	for (i = 0; i < s.n_stems; i++)
		s.stems[i] = stem_of(words[i]);
	search_index(&s);
	search_recordable(&s, recordable);
	any = s.n > 0;
	if (any) {
		qsort(s.v, s.n, sizeof(*s.v), compare);
		add_screen(to, &s);
	}
	free(s.v);
	free(s.stems);
	return any;
}

static void try_words(struct mp_suggest *near, struct mp_str text)
{
	size_t i, len;

	for (i = 0; i < text.len; i += len + 1) {
		char *word;

		for (len = 0; i + len < text.len && isalnum((unsigned char)text.p[i + len]); len++)
			;
		word = mp_strndup(text.p + i, len);
		if (len >= STEM_MIN)
			mp_suggest_try(near, word);
		free(word);
	}
}

char *mp_help_suggest_word(const char *word)
{
	struct mp_str rest = mp_help_index();
	struct mp_suggest near;
	struct mp_help_line line;

	mp_suggest_init(&near, word);
	while (mp_help_next(&rest, &line)) {
		try_words(&near, line.fields[0]);
		try_words(&near, line.fields[1]);
	}
	return near.best;
}
