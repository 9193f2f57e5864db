// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/opt.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/str.h"

#ifndef MP_VERSION
#error "the Makefile defines MP_VERSION"
#endif

enum { COLUMNS = 80, HELP_COLUMN = 28, MAX_OPTS = 96, CODE_HELP = 1000, CODE_VERSION };

static const struct mp_opt common[] = {
	{ CODE_HELP, "help", NULL, "print this" },
	{ CODE_VERSION, "version", NULL, "print the version" },
};

static bool is_short(int code)
{
	return code < MP_OPT_LONG && isalnum(code);
}

/* The length of the complete words at the start of the text that fit into a line. */
static size_t line_length(const char *text, size_t columns)
{
	size_t len = strlen(text), i;

	for (i = columns; len > columns && i > 0; i--)
		if (text[i] == ' ')
			return i;
	return len;
}

void mp_opt_wrap(struct mp_buf *to, const char *text, int width, int column)
{
	do {
		size_t len = line_length(text, COLUMNS - column);

		mp_buf_printf(to, "%*s%.*s\n", column - width, "", (int)len, text);
		text += len + strspn(text + len, " ");
		width = 0;
	} while (*text);
}

/* Whether the option takes the next word as its argument. */
static bool is_next_word(const struct mp_opt *o)
{
	return o->arg && o->arg[0] == ' ';
}

static void print_option(const struct mp_opt *o)
{
	struct mp_buf text = { NULL, 0, 0 };
	const char *help = o->help;
	int width;

	if (!o->name) {
		printf("\n%s:\n", o->help);
		return;
	}
	if (o->code == CODE_HELP)
		width = printf("  -h, ");
	else if (is_short(o->code))
		width = printf("  -%c, ", o->code);
	else
		width = printf("      ");
	width += printf("--%s", o->name);
	if (o->arg && o->arg[0] == '[')
		width += printf("[=%s", o->arg + 1);
	else if (o->arg)
		width += printf("%s%s", is_next_word(o) ? "" : " ", o->arg);
	if (width >= HELP_COLUMN - 1) {
		printf("\n");
		width = 0;
	}
	mp_opt_wrap(&text, help, width, HELP_COLUMN);
	fwrite(text.p, 1, text.len, stdout);
	mp_buf_release(&text);
}

static _Noreturn void finish_stdout(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		mp_die("cannot write 'stdout': %m");
	exit(MP_OK);
}

static _Noreturn void print_help(const struct mp_program *program)
{
	size_t i;

	printf("usage: %s %s\n\n%s\n", program->name, program->synopsis, program->summary);
	if (!program->n_opts || program->opts[0].name)
		printf("\n");
	for (i = 0; i < program->n_opts; i++)
		print_option(&program->opts[i]);
	for (i = 0; i < MP_ARRAY_SIZE(common); i++)
		print_option(&common[i]);
	if (program->examples)
		printf("\nExamples:\n%s", program->examples);
	finish_stdout();
}

static _Noreturn void print_version(const struct mp_program *program)
{
	printf("%s (mp tools) %s\n", program->name, MP_VERSION);
	finish_stdout();
}

static struct option long_option(const struct mp_opt *o)
{
	int has_arg = !o->arg				    ? no_argument
		      : o->arg[0] == '[' || is_next_word(o) ? optional_argument
							    : required_argument;

	return (struct option){ o->name, has_arg, NULL, o->code };
}

/* Makes getopt's arguments `shorts` and `longs`, which have room for MAX_OPTS options. */
static void make_tables(const struct mp_program *program, char *shorts, struct option *longs)
{
	char *s = shorts;
	size_t i;

	*s++ = 'h';
	for (i = 0; i < program->n_opts; i++) {
		const struct mp_opt *o = &program->opts[i];

		if (!o->name)
			continue;
		*longs++ = long_option(o);
		if (!is_short(o->code))
			continue;
		*s++ = o->code;
		if (o->arg && !is_next_word(o))
			*s++ = ':';
		if (o->arg && o->arg[0] == '[')
			*s++ = ':';
	}
	for (i = 0; i < MP_ARRAY_SIZE(common); i++)
		*longs++ = long_option(&common[i]);
	*longs = (struct option){ NULL, 0, NULL, 0 };
	*s = '\0';
}

/*
 * Refuses an unknown option; explains one that the other program has: "perf's --filter: ...".
 * `word` is what getopt refused, if it is a long option.
 */
static _Noreturn void refuse(const struct mp_program *program, char letter, const char *word)
{
	size_t len = letter || !word || strncmp(word, "--", 2) != 0 ? 0 : strcspn(word + 2, "=");
	const struct mp_habit *h;

	for (h = program->habits; h && h->answer; h++) {
		if (letter && h->letter == letter)
			mp_say("%s's -%c: %s", program->other, letter, h->answer);
		else if (len && h->name &&
			 mp_str_eq(mp_str(h->name), (struct mp_str){ word + 2, len }))
			mp_say("%s's --%s: %s", program->other, h->name, h->answer);
		else
			continue;
		exit(MP_FAIL);
	}
	mp_say("try '%s --help'", program->name);
	exit(MP_FAIL);
}

static bool may_take_next_word(const struct mp_program *program, int code)
{
	size_t i;

	for (i = 0; i < program->n_opts; i++)
		if (program->opts[i].name && program->opts[i].code == code)
			return is_next_word(&program->opts[i]);
	return false;
}

int mp_opt_next(const struct mp_program *program, int argc, char **argv, char **arg)
{
	struct option longs[MAX_OPTS + 1];
	char shorts[3 * MAX_OPTS + 2];
	int c;

	if (program->n_opts + MP_ARRAY_SIZE(common) > MAX_OPTS)
		abort();
	make_tables(program, shorts, longs);
	argv[0] = (char *)program->name; /* getopt's own messages begin with argv[0] */
	optopt = 0;
	c = getopt_long(argc, argv, shorts, longs, NULL);
	if (c == CODE_HELP || c == 'h')
		print_help(program);
	if (c == CODE_VERSION)
		print_version(program);
	if (c == '?')
		refuse(program, optopt < MP_OPT_LONG ? (char)optopt : 0, argv[optind - 1]);
	*arg = optarg;
	/* while getopt is within "-abc", argv[optind] is still that word */
	if (!optarg && may_take_next_word(program, c) && optind < argc && argv[optind][0] != '-')
		*arg = argv[optind++];
	return c;
}

void mp_opt_bad(const struct mp_program *program, int code, const char *arg, const char *wanted)
{
	size_t i;

	for (i = 0; i < program->n_opts; i++)
		if (program->opts[i].name && program->opts[i].code == code)
			mp_usage("'%s' given to --%s is not %s", arg, program->opts[i].name,
				 wanted);
	mp_usage("'%s' is not %s", arg, wanted);
}

size_t mp_opt_word(const struct mp_program *program, int code, const char *arg,
		   const char *const *words)
{
	struct mp_buf wanted = { NULL, 0, 0 };
	size_t i;

	for (i = 0; words[i]; i++)
		if (strcmp(arg, words[i]) == 0)
			return i;
	for (i = 0; words[i]; i++)
		mp_buf_printf(&wanted, "%s%s",
			      i == 0	     ? ""
			      : words[i + 1] ? ", "
					     : " or ",
			      words[i]);
	mp_buf_byte(&wanted, '\0');
	mp_opt_bad(program, code, arg, wanted.p);
}

uint64_t mp_opt_number(const struct mp_program *program, int code, const char *arg, uint64_t min,
		       uint64_t max)
{
	char wanted[80];
	uint64_t v;

	if (mp_num_range(arg, min, max, &v) == 0)
		return v;
	snprintf(wanted, sizeof(wanted), "a number from %llu to %llu", (unsigned long long)min,
		 (unsigned long long)max);
	mp_opt_bad(program, code, arg, wanted);
}

double mp_opt_percent(const struct mp_program *program, int code, const char *arg)
{
	double v;

	if (mp_num_decimal(mp_str(arg), &v) < 0 || v < 0 || v > 100)
		mp_opt_bad(program, code, arg, "a number from 0 to 100");
	return v;
}

double *mp_opt_amounts(const struct mp_program *program, int code, const char *arg, size_t *n)
{
	struct mp_str rest = mp_str(arg), part;
	double *v = NULL;
	size_t cap = 0;

	for (*n = 0;; rest = mp_str_skip(rest, part.len + 1)) {
		const char *comma = memchr(rest.p, ',', rest.len);

		part = (struct mp_str){ rest.p, comma ? (size_t)(comma - rest.p) : rest.len };
		v = mp_grow(v, &cap, *n + 1, sizeof(*v));
		if (mp_num_decimal(part, &v[*n]) < 0 || v[*n] <= 0)
			mp_opt_bad(program, code, arg, "a list of numbers above 0");
		++*n;
		if (!comma)
			return v;
	}
}

uint64_t mp_opt_duration(const struct mp_program *program, int code, const char *arg)
{
	uint64_t ns;

	if (mp_num_duration(arg, &ns) < 0 || ns == 0)
		mp_opt_bad(program, code, arg, "a duration such as 10s, 500ms or 2m");
	return ns;
}

uint64_t mp_opt_size(const struct mp_program *program, int code, const char *arg, uint64_t min)
{
	char wanted[80];
	uint64_t bytes;

	if (mp_num_size(arg, &bytes) == 0 && bytes >= min)
		return bytes;
	snprintf(wanted, sizeof(wanted), "a size such as 64M or 1G (at least %llu bytes)",
		 (unsigned long long)min);
	mp_opt_bad(program, code, arg, wanted);
}
