// SPDX-License-Identifier: GPL-2.0-only
#include "lib/show/pipeline.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/core/io.h"
#include "lib/core/map.h"
#include "lib/help/program.h"
#include "lib/recordings/children.h"

/* --- stages ----------------------------------------------------------------------------------- */

static void add_owned(struct mp_stage *s, char *word)
{
	s->argv = mp_grow(s->argv, &s->cap, s->n + 2, sizeof(*s->argv));
	s->argv[s->n++] = word;
	s->argv[s->n] = NULL;
}

void mp_stage_add(struct mp_stage *s, const char *word)
{
	add_owned(s, mp_strdup(word));
}

void mp_stage_add_file(struct mp_stage *s, const char *option, const char *path, const char *title)
{
	mp_stage_add(s, option);
	add_owned(s, mp_asprintf("%s=%s", path, title));
}

bool mp_stage_has(const struct mp_stage *s, const char *word)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->argv[i], word) == 0)
			return true;
	return false;
}

static void release_stage(struct mp_stage *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->argv[i]);
	free(s->argv);
	*s = (struct mp_stage){ NULL, 0, 0 };
}

struct mp_stage *mp_pipeline_insert(struct mp_pipeline *p, size_t at, const char *const *words)
{
	struct mp_stage *s;

	p->v = mp_grow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
	s = &p->v[at];
	memmove(s + 1, s, (p->n - at) * sizeof(*s));
	p->n++;
	*s = (struct mp_stage){ NULL, 0, 0 };
	for (; words && *words; words++)
		mp_stage_add(s, *words);
	return s;
}

void mp_pipeline_remove(struct mp_pipeline *p, size_t at)
{
	release_stage(&p->v[at]);
	p->n--;
	memmove(&p->v[at], &p->v[at + 1], (p->n - at) * sizeof(*p->v));
}

void mp_pipeline_copy(struct mp_pipeline *to, const struct mp_pipeline *from)
{
	size_t i;

	*to = (struct mp_pipeline){ NULL, 0, 0 };
	for (i = 0; i < from->n; i++)
		mp_pipeline_insert(to, i, (const char *const *)from->v[i].argv);
}

void mp_pipeline_release(struct mp_pipeline *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		release_stage(&p->v[i]);
	free(p->v);
	*p = (struct mp_pipeline){ NULL, 0, 0 };
}

/* --- parsing ---------------------------------------------------------------------------------- */

struct parser {
	struct mp_str rest;
	const char *why;
};

static char peek(const struct parser *p)
{
	return p->rest.len ? *p->rest.p : '\0';
}

static char take(struct parser *p)
{
	char c = *p->rest.p;

	p->rest = mp_str_skip(p->rest, 1);
	return c;
}

static void skip_blanks(struct parser *p)
{
	while (p->rest.len && (peek(p) == ' ' || peek(p) == '\t'))
		take(p);
}

/* Adds what is within quotes to a word. Returns 0, or -1 if they are not closed. */
static int parse_quoted(struct parser *p, struct mp_buf *word)
{
	char quote = take(p), c;

	while (p->rest.len && peek(p) != quote) {
		c = take(p);
		if (quote == '"' && (c == '$' || c == '`')) {
			p->why = "an expansion";
			return -1;
		}
		if (quote == '"' && c == '\\' && p->rest.len && strchr("\"\\$`", peek(p)))
			c = take(p);
		mp_buf_byte(word, c);
	}
	if (!p->rest.len) {
		p->why = "a quote that is not closed";
		return -1;
	}
	take(p);
	return 0;
}

/* The next word, owned by the caller; NULL with `why`. */
static char *parse_word(struct parser *p)
{
	struct mp_buf word = { NULL, 0, 0 };

	while (p->rest.len && !strchr(" \t|>", peek(p))) {
		if (peek(p) == '\'' || peek(p) == '"') {
			if (parse_quoted(p, &word) == 0)
				continue;
			mp_buf_release(&word);
			return NULL;
		}
		if (strchr(";&<()$`*?[#\n", peek(p))) {
			p->why = "more than programs, arguments and pipes";
			mp_buf_release(&word);
			return NULL;
		}
		if (peek(p) == '\\' && p->rest.len > 1)
			take(p);
		mp_buf_byte(&word, take(p));
	}
	mp_buf_byte(&word, '\0');
	return word.p;
}

/* Parses the words of a stage. Returns 0, or -1 with `why`. */
static int parse_stage(struct parser *p, struct mp_stage *s)
{
	char *word;

	for (skip_blanks(p); p->rest.len && peek(p) != '|' && peek(p) != '>'; skip_blanks(p)) {
		word = parse_word(p);
		if (!word)
			return -1;
		add_owned(s, word);
	}
	if (s->n)
		return 0;
	p->why = "no program";
	return -1;
}

/* Skips the name of the file after ">", which must end the text. Returns 0, or -1 with `why`. */
static int parse_end(struct parser *p)
{
	if (!p->rest.len)
		return 0;
	take(p);
	skip_blanks(p);
	free(parse_word(p));
	skip_blanks(p);
	if (p->why || !p->rest.len)
		return p->why ? -1 : 0;
	p->why = "more after the name of a file";
	return -1;
}

int mp_pipeline_parse(struct mp_pipeline *p, struct mp_str text, const char **why)
{
	struct parser parser = { text, NULL };
	int result;

	*p = (struct mp_pipeline){ NULL, 0, 0 };
	for (;;) {
		result = parse_stage(&parser, mp_pipeline_insert(p, p->n, NULL));
		if (result < 0 || peek(&parser) != '|')
			break;
		take(&parser);
	}
	if (result == 0)
		result = parse_end(&parser);
	if (result == 0)
		return 0;
	*why = parser.why;
	mp_pipeline_release(p);
	return -1;
}

/* --- printing --------------------------------------------------------------------------------- */

void mp_pipeline_quote(struct mp_buf *to, const char *word)
{
	const char *p;

	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_-.,:/@%+=")]) {
		mp_buf_str(to, mp_str(word));
		return;
	}
	mp_buf_byte(to, '\'');
	for (p = word; *p; p++) {
		if (*p == '\'')
			mp_buf_str(to, MP_STR("'\\''"));
		else
			mp_buf_byte(to, *p);
	}
	mp_buf_byte(to, '\'');
}

void mp_pipeline_print(struct mp_buf *to, const struct mp_pipeline *p)
{
	size_t i, j;

	for (i = 0; i < p->n; i++) {
		if (i)
			mp_buf_str(to, MP_STR(" | "));
		for (j = 0; j < p->v[i].n; j++) {
			if (j)
				mp_buf_byte(to, ' ');
			mp_pipeline_quote(to, p->v[i].argv[j]);
		}
	}
}

/* --- running ---------------------------------------------------------------------------------- */

bool mp_pipeline_installed(const char *program)
{
	const char *path = getenv("PATH");
	char exe[4096], *slash;
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (strchr(program, '/'))
		return access(program, X_OK) == 0;
	exe[MP_MAX(len, 0)] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	return mp_help_has(exe, program, X_OK) || (path && mp_help_has(path, program, X_OK));
}

const char *mp_pipeline_missing(const struct mp_pipeline *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!mp_pipeline_installed(p->v[i].argv[0]))
			return p->v[i].argv[0];
	return NULL;
}

/* Prints the messages in a file that no earlier pipeline has printed. Closes the file. */
static void print_new(int fd)
{
	static struct mp_map printed;
	struct mp_in in;
	size_t len;
	bool fresh;
	char *text;

	if (!printed.last)
		mp_map_init(&printed, 0);
	if (lseek(fd, 0, SEEK_SET) < 0)
		mp_die("cannot read a file in memory: %m");
	mp_in_init(&in, fd, "messages", NULL);
	while (mp_in_line(&in, &text, &len)) {
		struct mp_str line = { text, len };

		mp_map_put(&printed, &line, 1, &fresh);
		if (fresh)
			fprintf(stderr, "%.*s\n", MP_STR_ARGS(line));
	}
	mp_in_release(&in);
}

enum mp_status mp_pipeline_run(const struct mp_pipeline *p, int in, int out)
{
	int ends[2], from = in, messages = memfd_create("messages", MFD_CLOEXEC);
	enum mp_status status;
	size_t i;

	if (messages < 0)
		mp_die("cannot make a file in memory: %m");
	for (i = 0; i < p->n; i++) {
		bool last = i + 1 == p->n;

		if (!last && pipe2(ends, O_CLOEXEC) < 0)
			mp_die("cannot make a pipe: %m");
		mp_children_start(p->v[i].argv, from, last ? out : ends[1], messages);
		if (from != in)
			close(from);
		if (!last)
			close(ends[1]);
		from = last ? in : ends[0];
	}
	status = mp_children_wait();
	print_new(messages);
	return status;
}
