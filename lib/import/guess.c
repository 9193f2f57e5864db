// SPDX-License-Identifier: GPL-2.0-only
/* What a text is, by its first lines: the kind that most of them look like. */
#include "lib/import/import.h"

enum { LOOK_MAX = 64 << 10, LINES_MAX = 400 };

static bool has(struct mp_str s, const char *text)
{
	return s.len && memmem(s.p, s.len, text, strlen(text));
}

/* By the first line alone, where it says so. */
static enum mp_import_kind by_first_line(struct mp_str line)
{
	if (mp_str_starts(line, MP_STR("{"))) {
		bool marple = has(line, "\"interface\"") && has(line, "\"datatype\"");

		return marple && !has(line, "\"mp\"") ? MP_IMPORT_MARPLE : MP_IMPORT_STREAM;
	}
	if (mp_str_starts(line, MP_STR("# tracer: ")) || mp_str_starts(line, MP_STR("cpus=")))
		return MP_IMPORT_FTRACE;
	if (mp_str_starts(line, MP_STR("# ========")))
		return MP_IMPORT_PERF;
	return MP_IMPORT_UNKNOWN;
}

static enum mp_import_kind kind_of(struct mp_str line)
{
	struct mp_rec rec;
	const char *why;

	if (mp_import_is_ftrace(line))
		return MP_IMPORT_FTRACE;
	if (mp_import_is_perf(line))
		return MP_IMPORT_PERF;
	if (mp_import_digit(*line.p) && has(line, "$$$"))
		return MP_IMPORT_MARPLE;
	if (mp_rec_parse(&rec, line.p, line.len, &why) == 0)
		return rec.kind == MP_FOLDED ? MP_IMPORT_FOLDED : MP_IMPORT_STREAM;
	return MP_IMPORT_UNKNOWN;
}

/* Next line of what is at hand, the unfinished last one only if there is no other. */
static bool next_line(const char **p, const char *end, struct mp_str *line, bool any)
{
	const char *lf = *p < end ? memchr(*p, '\n', end - *p) : NULL;

	if (*p >= end || (!lf && any))
		return false;
	*line = (struct mp_str){ *p, (lf ? lf : end) - *p };
	*p = lf ? lf + 1 : end;
	if (line->len && line->p[line->len - 1] == '\r')
		line->len--;
	return true;
}

enum mp_import_kind mp_import_guess(const char *data, size_t len)
{
	/* of those that as many lines look like, the first */
	static const enum mp_import_kind order[] = {
		MP_IMPORT_PERF,	  MP_IMPORT_FTRACE, MP_IMPORT_MARPLE,
		MP_IMPORT_STREAM, MP_IMPORT_FOLDED,
	};
	size_t votes[MP_IMPORT_UNKNOWN + 1] = { 0 }, loose = 0, comments = 0, lines = 0, i;
	const char *p = data, *end = data + MP_MIN(len, (size_t)LOOK_MAX);
	enum mp_import_kind best = MP_IMPORT_UNKNOWN;
	struct mp_str line;

	for (; lines < LINES_MAX && next_line(&p, end, &line, lines > 0); lines++) {
		if (lines == 0 && by_first_line(line) != MP_IMPORT_UNKNOWN)
			return by_first_line(line);
		if (!line.len)
			continue;
		votes[kind_of(line)]++;
		loose += mp_import_is_frame(line) || mp_import_is_sample(line);
		comments += *line.p == '#';
	}
	for (i = 0; i < MP_ARRAY_SIZE(order); i++)
		if (votes[order[i]] > (best == MP_IMPORT_UNKNOWN ? 0 : votes[best]))
			best = order[i];
	if (votes[MP_IMPORT_PERF])
		return MP_IMPORT_PERF > 0 && votes[MP_IMPORT_FTRACE] > votes[MP_IMPORT_PERF]
			       ? MP_IMPORT_FTRACE
			       : MP_IMPORT_PERF;
	if (loose > (best == MP_IMPORT_UNKNOWN ? 0 : votes[best]))
		return MP_IMPORT_PERF;
	if (best == MP_IMPORT_UNKNOWN && comments && comments == lines)
		return MP_IMPORT_PERF; /* a header and no sample */
	return best;
}
