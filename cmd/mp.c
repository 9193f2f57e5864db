// SPDX-License-Identifier: GPL-2.0-only
/* mp: the front door. Runs the programs of the family, and finds what there is by a word. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/core/io.h"
#include "lib/core/opt.h"
#include "lib/help/complete.h"
#include "lib/help/index.h"
#include "lib/help/program.h"
#include "lib/help/search.h"
#include "lib/recordings/folder.h"

static const struct mp_program program = {
	.name = "mp",
	.synopsis = "[PROGRAM [ARGUMENT]... | help WORD... | complete WORD...]",
	.summary = "Run mp-PROGRAM, or find programs, collectors and events by words.\n"
		   "Without arguments: print the programs.",
	.examples = "  mp fold --by comm,tid cpu.mp\n"
		    "  mp help latency\n",
};

static void print(struct mp_buf *text)
{
	struct mp_out out;

	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_out_write(&out, text->p, text->len);
	mp_out_close(&out);
	mp_buf_release(text);
}

static enum mp_status print_family(void)
{
	struct mp_buf text = { NULL, 0, 0 };

	mp_buf_str(
		&text,
		MP_STR("mp PROGRAM [ARGUMENT]...   run mp-PROGRAM\n"
		       "mp help WORD...            find programs, collectors and events by words\n"));
	mp_help_add_family(&text);
	print(&text);
	return MP_OK;
}

static void report_nothing(char **words)
{
	char *near = words[1] ? NULL : mp_help_suggest_word(*words);

	if (words[1])
		mp_say("nothing found for all of these words");
	else
		mp_say("nothing found for '%s'%s%s%s", *words, near ? ": did you mean '" : "",
		       near ? near : "", near ? "'?" : "");
	free(near);
}

static enum mp_status help(char **words)
{
	char *record[] = { "mp-record", "-l", NULL };
	struct mp_buf text = { NULL, 0, 0 }, recordable = { NULL, 0, 0 };
	enum mp_status status = MP_OK;

	if (!*words)
		return print_family();
	/* without mp-record there are no collectors and events */
	if (mp_help_read(record, &recordable) == MP_LOSSY) {
		mp_say("tracepoints may be missing ('mp-record -l' says why)");
		status = MP_LOSSY;
	}
	if (!mp_help_search(&text, words, mp_buf_view(&recordable))) {
		report_nothing(words);
		status = MP_FAIL;
	}
	print(&text);
	mp_buf_release(&recordable);
	return status;
}

static enum mp_status complete(char **words)
{
	struct mp_buf text = { NULL, 0, 0 };

	if (*words)
		mp_help_complete(&text, words);
	print(&text);
	return MP_OK;
}

static _Noreturn void run(char **argv)
{
	const char *name = argv[0];
	char *near;

	if (strchr(name, '/'))
		mp_usage("'%s' is a path, not the name of a program", name);
	argv[0] = mp_asprintf("mp-%s", name);
	mp_help_become(argv);
	if (errno != ENOENT)
		mp_die("cannot execute '%s': %m", argv[0]);
	near = mp_help_suggest(name);
	mp_usage("unknown program '%s'%s%s%s", name, near ? ": did you mean '" : "",
		 near ? near : "", near ? "'?" : "");
}

/* At a terminal, a recording becomes a file, which mp-show finds. */
static enum mp_status record(char **argv)
{
	enum mp_status status;
	char *path;

	argv[0] = "mp-record";
	status = mp_folder_record(argv, &path);
	if (path)
		mp_say("recorded %s ('mp show' shows it)", path);
	free(path);
	return status;
}

int main(int argc, char **argv)
{
	char *arg;

	mp_init("mp");
	/* the options after the name of a program are those of the program */
	if (argc < 2 || argv[1][0] == '-') {
		while (mp_opt_next(&program, argc, argv, &arg) != -1)
			;
		argv += optind - 1;
	}
	if (!argv[1])
		return print_family();
	if (strcmp(argv[1], "help") == 0)
		return help(argv + 2);
	if (strcmp(argv[1], "complete") == 0)
		return complete(argv + 2);
	if (strcmp(argv[1], "record") == 0 && isatty(STDOUT_FILENO) && mp_folder_records(argv + 1))
		return record(argv + 1);
	run(argv + 1);
}
