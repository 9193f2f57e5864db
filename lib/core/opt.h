/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options from one table, which makes the parser, the text of --help and, through that, the
 * completions. -h, --help and --version are always included. Includes str only.
 */
#ifndef MP_CORE_OPT_H
#define MP_CORE_OPT_H

#include "lib/core/str.h"

struct mp_opt {
	int code; /* what mp_opt_next() returns; a letter or digit is the short option as well */
	const char *name; /* long option, without the dashes; NULL: a heading, in `help` */
	/*
	 * Name of its argument; NULL: takes none. "[NAME]": optional, --long=NAME or -sNAME.
	 * " [NAME]": optional, --long=NAME or the next word, if that does not begin with a dash.
	 */
	const char *arg;
	const char *help; /* wrapped at 80 columns */
};

enum { MP_OPT_LONG = 256 }; /* codes of options without a short form start here */

/* An option of another program that users know. A table of these ends with an `answer` of NULL. */
struct mp_habit {
	char letter;	  /* 0: the option has no short form */
	const char *name; /* long option; NULL: it has none, or this program has one of that name */
	const char *answer;
};

struct mp_program {
	const char *name;
	const char *synopsis; /* "[OPTION]... [FILE]..." */
	const char *summary;  /* one sentence: what the program does */
	const struct mp_opt *opts;
	size_t n_opts;
	const char *examples; /* lines, each "  command\n"; may be NULL */
	const char *other;    /* name of the other program that `habits` belong to; NULL: none */
	const struct mp_habit *habits;
};

/*
 * Returns the code of the next option and sets `*arg` (NULL if it has none). Returns -1 after the
 * last option: then optind (getopt(3)) is the index of the first operand, since all operands have
 * been moved past the options. Misuse ends the program with MP_FAIL, --help and --version with
 * MP_OK.
 */
int mp_opt_next(const struct mp_program *program, int argc, char **argv, char **arg);

/*
 * Adds a text in lines that begin at `column` and end before column 80, as in --help. The first
 * line already has `width` bytes, at most `column`.
 */
void mp_opt_wrap(struct mp_buf *to, const char *text, int width, int column);

/*
 * For values that the caller refuses: ends the program with a message such as "'12' given to --name
 * is not a number from 1 to 9".
 */
_Noreturn void mp_opt_bad(const struct mp_program *program, int code, const char *arg,
			  const char *wanted);

/*
 * Values of options, checked: each ends the program with a message if the text is not one.
 * mp_opt_word() returns the index of one of the `words`, which end with NULL.
 */
size_t mp_opt_word(const struct mp_program *program, int code, const char *arg,
		   const char *const *words);
uint64_t mp_opt_number(const struct mp_program *program, int code, const char *arg, uint64_t min,
		       uint64_t max);
double mp_opt_percent(const struct mp_program *program, int code, const char *arg); /* 0 to 100 */
/* Numbers above 0 with commas between them; the array is the caller's, `*n` its length. */
double *mp_opt_amounts(const struct mp_program *program, int code, const char *arg, size_t *n);
uint64_t mp_opt_duration(const struct mp_program *program, int code,
			 const char *arg); /* ns, not 0 */
uint64_t mp_opt_size(const struct mp_program *program, int code, const char *arg, uint64_t min);

#endif
