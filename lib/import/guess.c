// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/guess.h"

enum {
	LINES_MAX = 400,
	ENOUGH = 3, /* this many distinct lines of one format decide if no other format has any */
};

/*
 * For one format: how many lines of a text have at least this likeness, see enum
 * mp_import_likeness.
 */
struct votes {
	size_t possible, like, distinct;
};

struct poll {
	struct votes votes[MP_IMPORT_N_FORMATS];
	size_t lines;	 /* lines that are not empty */
	size_t distinct; /* distinct lines of all formats */
	/* the first row of foreign.c that a line matches */
	const struct mp_import_foreign *foreign;
};

/* The next line of the text; a line without LF only at the end of the input. */
static bool next_line(const char **p, const char *limit, struct mp_str *line, bool end)
{
	const char *lf = *p < limit ? memchr(*p, '\n', limit - *p) : NULL;

	if (*p >= limit || (!lf && !end))
		return false;
	*line = (struct mp_str){ *p, (lf ? lf : limit) - *p };
	*p = lf ? lf + 1 : limit;
	if (line->len && line->p[line->len - 1] == '\r')
		line->len--;
	return true;
}

/*
 * Counts a line for the formats that it looks like. Returns the format if the line decides, else
 * NULL.
 */
static const struct mp_import_format *vote(struct poll *poll, struct mp_str line, bool first)
{
	bool counted = false;
	size_t i;

	poll->lines++;
	for (i = 0; i < MP_IMPORT_N_FORMATS; i++) {
		struct votes *votes = &poll->votes[i];
		enum mp_import_likeness like;

		if (!mp_import_formats[i]->looks_like)
			continue;
		like = mp_import_formats[i]->looks_like(line, first);
		votes->possible += like > MP_IMPORT_UNLIKE;
		if (like < MP_IMPORT_LIKE || counted)
			continue;
		counted = true;
		votes->like++;
		votes->distinct += like >= MP_IMPORT_DISTINCT;
		poll->distinct += like >= MP_IMPORT_DISTINCT;
		if (like == MP_IMPORT_CERTAIN ||
		    (votes->distinct == ENOUGH && poll->distinct == ENOUGH))
			return mp_import_formats[i];
	}
	return NULL;
}

/*
 * The format with the most distinct lines wins; of two that have equally many, the one that is
 * later in the table, since lines that look like both are counted for the earlier one. Lines that
 * other texts have as well count only if they are half of the text.
 */
static const struct mp_import_format *elect(const struct poll *poll)
{
	const struct votes *votes = poll->votes;
	size_t distinct = 0, like = 0, i;

	for (i = 1; i < MP_IMPORT_N_FORMATS; i++) {
		if (votes[i].distinct >= votes[distinct].distinct)
			distinct = i;
		if (votes[i].like > votes[like].like)
			like = i;
	}
	if (votes[distinct].distinct)
		return mp_import_formats[distinct];
	return votes[like].like && 2 * votes[like].possible >= poll->lines ? mp_import_formats[like]
									   : NULL;
}

struct mp_import_guess mp_import_guess(const char *data, size_t len, bool end)
{
	const char *p = data, *limit = data + MP_MIN(len, (size_t)MP_IMPORT_LOOK);
	const struct mp_import_foreign *foreign;
	const struct mp_import_format *format;
	struct poll poll = { .lines = 0 };
	struct mp_str line;

	end |= len >= MP_IMPORT_LOOK;
	while (poll.lines < LINES_MAX && next_line(&p, limit, &line, end)) {
		if (!line.len)
			continue;
		foreign = mp_import_foreign(line, poll.lines == 0);
		if (foreign && foreign->decides)
			return (struct mp_import_guess){ .foreign = foreign };
		if (foreign && (!poll.foreign || foreign < poll.foreign))
			poll.foreign = foreign;
		format = vote(&poll, line, poll.lines == 0);
		if (format)
			return (struct mp_import_guess){ .format = format };
	}
	if (!end && poll.lines < LINES_MAX)
		return (struct mp_import_guess){ .undecided = true };
	format = elect(&poll);
	return (struct mp_import_guess){ format, format ? NULL : poll.foreign, false };
}
