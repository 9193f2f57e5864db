// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/formats.h"

enum { LOOK_MAX = 64 << 10, LINES_MAX = 400 };

#define ADDRESS(name) &mp_import_##name,
static const struct mp_import_format *const formats[] = { MP_IMPORT_FORMATS(ADDRESS) };
#undef ADDRESS

enum { FORMATS = MP_ARRAY_SIZE(formats) };

/* How many lines look like a format, and how much. */
struct votes {
	size_t comments, possible, like, distinct;
};

const struct mp_import_format *mp_import_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

void mp_import_format_names(struct mp_buf *to)
{
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		if (i)
			mp_buf_printf(to, i + 1 < FORMATS ? ", " : " or ");
		mp_buf_str(to, mp_str(formats[i]->name));
	}
}

/* The next line of the text; an unfinished last one only if it is the first. */
static bool next_line(const char **p, const char *end, struct mp_str *line, bool first)
{
	const char *lf = *p < end ? memchr(*p, '\n', end - *p) : NULL;

	if (*p >= end || (!lf && !first))
		return false;
	*line = (struct mp_str){ *p, (lf ? lf : end) - *p };
	*p = lf ? lf + 1 : end;
	if (line->len && line->p[line->len - 1] == '\r')
		line->len--;
	return true;
}

/* Adds what a line looks like. Returns the format that it decides for, or NULL. */
static const struct mp_import_format *vote(struct votes *votes, struct mp_str line, bool first)
{
	bool counted = false;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		enum mp_import_likeness like = formats[i]->looks_like(line, first);

		if (like == MP_IMPORT_CERTAIN)
			return formats[i];
		votes[i].comments += like == MP_IMPORT_COMMENT;
		votes[i].possible += like == MP_IMPORT_POSSIBLE;
		if (like < MP_IMPORT_LIKE || counted)
			continue;
		counted = true;
		votes[i].like++;
		votes[i].distinct += like == MP_IMPORT_DISTINCT;
	}
	return NULL;
}

/*
 * Distinct lines decide before others. Of two rows that have as many of them the later one wins,
 * since lines that look like both count for the earlier one.
 */
static const struct mp_import_format *elect(const struct votes *votes, size_t lines)
{
	size_t distinct = 0, like = 0, possible = 0, comments = 0, i;

	for (i = 1; i < FORMATS; i++) {
		if (votes[i].distinct >= votes[distinct].distinct)
			distinct = i;
		if (votes[i].like > votes[like].like)
			like = i;
		if (votes[i].possible > votes[possible].possible)
			possible = i;
		if (votes[i].comments > votes[comments].comments)
			comments = i;
	}
	if (votes[distinct].distinct)
		return formats[distinct];
	if (votes[possible].possible > votes[like].like)
		return formats[possible];
	if (votes[like].like)
		return formats[like];
	return lines && votes[comments].comments == lines ? formats[comments] : NULL;
}

const struct mp_import_format *mp_import_guess(const char *data, size_t len)
{
	const char *p = data, *end = data + MP_MIN(len, (size_t)LOOK_MAX);
	const struct mp_import_format *certain;
	struct votes votes[FORMATS] = { { 0 } };
	struct mp_str line;
	size_t lines;

	for (lines = 0; lines < LINES_MAX && next_line(&p, end, &line, lines == 0); lines++) {
		certain = line.len ? vote(votes, line, lines == 0) : NULL;
		if (certain)
			return certain;
	}
	return elect(votes, lines);
}
