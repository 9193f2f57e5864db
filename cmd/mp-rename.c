// SPDX-License-Identifier: GPL-2.0-only
/* mp-rename: rename the tasks of events. */
#include <getopt.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/stream/input.h"
#include "lib/stream/relay.h"
#include "lib/stream/taskname.h"

enum { OPT_APPEND_TID = MP_OPT_LONG, OPT_MERGE_SYSTEM };

static const struct mp_opt opts[] = {
	{ 'm', "map", "FILE",
	  "table of names: rows pattern,name or, as for perfwhiz, "
	  "tid,libvirt-name,task-system-type,uuid,group-type, "
	  "group-id,task-name; may be repeated" },
	{ OPT_MERGE_SYSTEM, "merge-system", NULL,
	  "one name for the kernel threads of all CPUs: swapper/3 "
	  "becomes swapper, kworker/0:1 kworker" },
	{ OPT_APPEND_TID, "append-tid", NULL, "append the thread id to each name: NAME:TID" },
};

static const struct mp_program program = {
	.name = "mp-rename",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Rename the tasks of events.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-rename --map vms.csv switch.mp | mp-fold | flamegraph.pl > vms.svg\n"
		    "  mp-record -e sched:sched_switch -d 5 | mp-rename --merge-system | mp-fold\n",
};

static void parse_options(int argc, char **argv, struct mp_tasknames *names)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1) {
		switch (code) {
		case 'm':
			mp_tasknames_load(names, arg);
			break;
		case OPT_MERGE_SYSTEM:
			names->merge_system = true;
			break;
		case OPT_APPEND_TID:
			names->append_tid = true;
			break;
		}
	}
}

int main(int argc, char **argv)
{
	struct mp_buf buf = { NULL, 0, 0 };
	enum mp_status status;
	struct mp_tasknames names;
	struct mp_relay relay;
	struct mp_input in;
	struct mp_rec rec;
	struct mp_out out;

	mp_init("mp-rename");
	mp_tasknames_init(&names);
	parse_options(argc, argv, &names);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_relay_init(&relay, &out, NULL, NULL);
	mp_input_init(&in, argv + optind, MP_CONTROL | MP_EVENT | MP_POINT | MP_STACK, &out);
	in.places = true;
	while (mp_input_next(&in, &rec)) {
		if (rec.kind == MP_CONTROL)
			mp_relay_control(&relay, &rec, &in.ctl);
		else if (rec.kind == MP_EVENT)
			mp_relay_line(&relay, mp_tasknames_apply(&names, &rec, &buf));
		else
			mp_relay_pass(&relay, rec.line);
	}
	status = mp_input_finish(&in);
	if (names.bad) {
		mp_say_count(names.bad, "row of the table could not be used",
			     "rows of the table could not be used");
		status = MP_MAX(status, MP_LOSSY);
	}
	mp_out_close(&out);
	mp_relay_release(&relay);
	mp_tasknames_release(&names);
	mp_buf_release(&buf);
	return status;
}
