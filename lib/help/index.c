// SPDX-License-Identifier: GPL-2.0-only
#include "lib/help/index.h"

#include <stdlib.h>

#include "lib/core/opt.h"
#include "lib/core/suggest.h"

enum { TEXT_COLUMN = 16 };

struct mp_str mp_help_index(void)
{
	/* the file that index.awk made, which the assembler inserts, with a NUL */
	extern const char mp_help_text[] __asm__("mp_help_text");

	return mp_str(mp_help_text);
}

__asm__(".section .rodata\n"
	"mp_help_text:\n"
	".incbin \"" MP_HELP_FILE "\"\n"
	".byte 0\n"
	".previous\n");

/* Splits the text up to a byte off `*rest`, and the byte. */
static struct mp_str split(struct mp_str *rest, char at)
{
	const char *end = memchr(rest->p, at, rest->len);
	struct mp_str head = { rest->p, end ? (size_t)(end - rest->p) : rest->len };

	*rest = mp_str_skip(*rest, end ? head.len + 1 : head.len);
	return head;
}

bool mp_help_next(struct mp_str *rest, struct mp_help_line *line)
{
	struct mp_str text;
	size_t i;

	if (!rest->len)
		return false;
	text = split(rest, '\n');
	line->what = (enum mp_help_what) * split(&text, '\t').p;
	for (i = 0; i < MP_HELP_FIELDS; i++)
		line->fields[i] = split(&text, '\t');
	return true;
}

/* Whether this is the line of a program's man page. */
static bool is_page_of(const struct mp_help_line *line, struct mp_str program)
{
	return line->what == MP_HELP_PAGE && mp_str_starts(line->fields[0], program) &&
	       mp_str_eq(mp_str_skip(line->fields[0], program.len), MP_STR("(1)"));
}

struct mp_str mp_help_about(struct mp_str program)
{
	struct mp_str rest = mp_help_index();
	struct mp_help_line line;

	while (mp_help_next(&rest, &line))
		if (is_page_of(&line, program))
			return line.fields[1];
	return MP_STR("");
}

static void add_member(struct mp_buf *to, struct mp_str program)
{
	struct mp_str about = mp_help_about(program);
	char *text = mp_strndup(about.p, about.len);
	size_t start = to->len;

	mp_buf_printf(to, "  %.*s", MP_STR_ARGS(mp_str_skip(program, strlen("mp-"))));
	mp_opt_wrap(to, text, (int)(to->len - start), TEXT_COLUMN);
	free(text);
}

void mp_help_add_family(struct mp_buf *to)
{
	struct mp_str rest = mp_help_index();
	struct mp_help_line line;

	while (mp_help_next(&rest, &line)) {
		if (line.what == MP_HELP_GROUP)
			mp_buf_printf(to, "\n%.*s\n", MP_STR_ARGS(line.fields[0]));
		else if (line.what == MP_HELP_MEMBER)
			add_member(to, line.fields[0]);
	}
}

char *mp_help_suggest(const char *name)
{
	struct mp_str rest = mp_help_index();
	struct mp_help_line line;
	struct mp_suggest near;

	mp_suggest_init(&near, name);
	mp_suggest_try(&near, "help");
	while (mp_help_next(&rest, &line)) {
		struct mp_str program = line.fields[0];
		char *candidate;

		if (line.what != MP_HELP_MEMBER)
			continue;
		program = mp_str_skip(program, strlen("mp-"));
		candidate = mp_strndup(program.p, program.len);
		mp_suggest_try(&near, candidate);
		free(candidate);
	}
	return near.best;
}
