// SPDX-License-Identifier: GPL-2.0-only
/* mp-srcline: turn the places of frames into functions with source lines. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/srcline/frames.h"
#include "lib/stream/input.h"
#include "lib/stream/relay.h"

enum {
	OPT_DEBUG_DIR = MP_OPT_LONG,
	OPT_PATHS,
	OPT_ROOT,
	OPT_SYMBOLS,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "Files" },
	{ 'f', "file", "FILE",
	  "a program, a library, a kernel or a debug file to use where its build id fits; "
	  "repeated" },
	{ OPT_ROOT, "root", "DIR", "look for recorded paths below DIR, not in this system" },
	{ OPT_DEBUG_DIR, "debug-dir", "DIR",
	  "look for debug files in DIR (default: ROOT/usr/lib/debug); repeated" },
	{ OPT_SYMBOLS, "symbols", NULL,
	  "names by symbol tables where there is no debug information, and files without a check of "
	  "their build where the input has no build id" },
	{ 0, NULL, NULL, "Output" },
	{ OPT_PATHS, "paths", NULL, "complete paths of source files (default: their last part)" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-srcline",
	.synopsis = "[OPTION]... [FILE]...",
	.summary =
		"Turn frames with a place into functions with source lines and inlined functions.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record --fields +addr -F 999 -d 10 | mp-srcline | mp-flame > lines.html\n"
		    "  mp-fold --lines --stream lines.mp | mp-srcline | mp-fold --sort weight\n"
		    "  mp-import app.0001.heap | mp-srcline --symbols | mp-fold -e inuse_space\n",
};

static struct mp_srcline_frames job;

static void add_debug_dir(const char *path)
{
	struct mp_srcline_places *p = &job.modules.places;

	p->debug_dirs = mp_grow(p->debug_dirs, &p->cap_debug_dirs, p->n_debug_dirs + 1,
				sizeof(*p->debug_dirs));
	p->debug_dirs[p->n_debug_dirs++] = mp_strdup(path);
}

static void parse_options(int argc, char **argv)
{
	struct mp_srcline_places *p = &job.modules.places;
	char *arg, *usual;
	int code;

	p->root = "";
	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1) {
		switch (code) {
		case 'f':
			mp_srcline_places_name(p, arg);
			break;
		case OPT_DEBUG_DIR:
			add_debug_dir(arg);
			break;
		case OPT_PATHS:
			job.paths = true;
			break;
		case OPT_ROOT:
			p->root = arg;
			break;
		case OPT_SYMBOLS:
			p->symbols = true;
			break;
		}
	}
	if (p->n_debug_dirs)
		return;
	usual = mp_asprintf("%s/usr/lib/debug", p->root);
	add_debug_dir(usual);
	free(usual);
}

static enum mp_status report(uint64_t stacks)
{
	enum mp_status status = mp_srcline_modules_report(&job.modules);

	if (stacks && !job.placed)
		mp_say("no frame has a place (mp-record --fields +addr records them, mp-fold and "
		       "mp-select keep them with --lines)");
	mp_say_count(job.too_long, "line stays as it was: it would exceed 1 MiB",
		     "lines stay as they were: they would exceed 1 MiB");
	return MP_MAX(status, job.too_long ? MP_LOSSY : MP_OK);
}

int main(int argc, char **argv)
{
	enum mp_status status, reported;
	struct mp_relay relay;
	struct mp_input in;
	struct mp_rec rec;
	struct mp_out out;
	uint64_t stacks = 0;

	mp_init("mp-srcline");
	mp_srcline_frames_init(&job);
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_relay_init(&relay, &out, NULL, NULL);
	mp_input_init(&in, argv + optind, MP_CONTROL | MP_DATA, &out);
	in.places = true;
	while (mp_input_next(&in, &rec)) {
		if (rec.kind == MP_CONTROL) {
			mp_srcline_modules_note(&job.modules, in.ctl.json);
			mp_relay_control(&relay, &rec, &in.ctl);
			continue;
		}
		stacks += mp_rec_stack(&rec, &(struct mp_str){ NULL, 0 });
		if (rec.kind == MP_EVENT)
			mp_relay_line(&relay, mp_srcline_frames_line(&job, &rec));
		else
			mp_relay_pass(&relay, mp_srcline_frames_line(&job, &rec));
	}
	status = mp_input_finish(&in);
	reported = report(stacks);
	mp_out_close(&out);
	mp_relay_release(&relay);
	mp_srcline_frames_release(&job);
	return MP_MAX(status, reported);
}
