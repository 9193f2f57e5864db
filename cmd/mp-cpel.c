// SPDX-License-Identifier: GPL-2.0-only
/* mp-cpel: events as a CPEL file, which VPP's G2 viewer opens. */
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/cpel/cpelmap.h"
#include "lib/stream/choice.h"
#include "lib/stream/inorder.h"
#include "lib/stream/input.h"

static const struct mp_opt opts[] = {
	{ 't', "track", "FIELDS",
	  "a track for each value of FIELDS, comma-separated, "
	  "such as cpu or comm,tid (default: tid)" },
	{ 'l', "label", "FIELDS",
	  "the text of an event besides its type (default: all "
	  "fields but those of its track, and the stack)" },
	MP_CHOICE_EVENT(""),
	{ 'o', "output", "FILE", "write to FILE (default: stdout, never a terminal)" },
};

static const struct mp_program program = {
	.name = "mp-cpel",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Write events as a CPEL file for VPP's G2 viewer, cpelatency and cpelstate.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -e 'sched:*' -d 5 | mp-cpel -o sched.cpel\n"
		    "  mp-cpel --track cpu --label comm,.next_comm sched.mp > cpus.cpel\n"
		    "  mp-cpel -t .dev -e 'block:*' -o disk.cpel disk.mp\n",
};

static struct {
	struct mp_cpelmap_style style;
	const char *output;
} options;

/* What was read so far. */
static struct {
	struct mp_cpelmap map;
	struct mp_types types;
	struct mp_field_check names;
	struct mp_inorder order;
	struct mp_input in;
	uint64_t events, last_ns;
	uint64_t offset_ns; /* realtime - clock (wraps), from the first header that has it */
	bool has_offset;
} work;

static void set_fields(int code, const char *arg, struct mp_fields *fields)
{
	const char *option = code == 't' ? "--track" : "--label";
	size_t i;

	fields->n = 0;
	mp_field_check_drop(&work.names, option);
	mp_choice_fields(fields, arg, &work.names, option);
	if (fields->n == 0 || fields->n > MP_CPELMAP_FIELDS_MAX)
		mp_opt_bad(&program, code, arg, "a list of 1 to 32 fields");
	for (i = 0; i < fields->n; i++)
		if (fields->v[i].id == MP_FIELD_STACK && code == 't')
			mp_usage("a stack cannot be a track");
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		switch (code) {
		case 't':
			set_fields(code, arg, &options.style.track);
			break;
		case 'l':
			set_fields(code, arg, &options.style.says);
			break;
		case 'e':
			mp_types_add(&work.types, arg);
			break;
		case 'o':
			options.output = arg;
			break;
		}
	if (!options.style.track.n)
		mp_choice_fields(&options.style.track, "tid", NULL, NULL);
	if (!options.output && isatty(STDOUT_FILENO))
		mp_usage("refusing to write binary data to a terminal (give -o FILE)");
}

static void handle_control(const struct mp_ctl *ctl)
{
	mp_inorder_control(&work.order, ctl);
	if (ctl->what == MP_CTL_LOST && ctl->lost && mp_choice_concerns(&work.types, ctl))
		mp_cpelmap_lost(&work.map, ctl);
	if (ctl->what == MP_CTL_HEADER)
		mp_types_header(&work.types, ctl->json);
	mp_field_check_header(&work.names, ctl, mp_types_roles, &work.types);
	if (ctl->what != MP_CTL_HEADER || !ctl->has_anchor || work.has_offset)
		return;
	work.has_offset = true;
	work.offset_ns = ctl->realtime_ns - ctl->clock_ns;
}

static void handle_event(const struct mp_rec *rec)
{
	if (!mp_inorder_event(&work.order, rec))
		return;
	/* each section may be in order by itself, but the file is one sequence */
	if (rec->time_ns < work.last_ns)
		mp_die("%s:%llu: events are not in order of time (put mp-order in front)",
		       work.in.name, (unsigned long long)work.in.in.line);
	work.last_ns = rec->time_ns;
	if (!mp_types_take(&work.types, rec))
		return;
	mp_field_check_record(&work.names, rec, ~0u);
	work.events++;
	mp_cpelmap_add(&work.map, rec);
}

static void open_output(struct mp_out *out)
{
	mp_out_open(out, options.output);
	if (isatty(out->fd))
		mp_usage("refusing to write binary data to a terminal");
}

static enum mp_status write_file(void)
{
	uint64_t date_ns = work.has_offset ? work.map.file.first_ns + work.offset_ns : 0;
	struct mp_out out;

	if (!work.events) {
		if (!work.in.empty && !work.in.refused)
			mp_say("no events: no CPEL file was written");
		return MP_LOSSY;
	}
	open_output(&out);
	mp_cpelmap_write(&work.map, date_ns / MP_NS_PER_SEC, &out);
	mp_out_close(&out);
	return MP_OK;
}

int main(int argc, char **argv)
{
	enum mp_status status, order, written, named;
	struct mp_rec rec;

	mp_init("mp-cpel");
	mp_types_init(&work.types);
	parse_options(argc, argv);
	mp_cpelmap_init(&work.map, &options.style);
	mp_input_init(&work.in, argv + optind, MP_CONTROL | MP_EVENT, NULL);
	work.in.concerns = mp_choice_concerns;
	work.in.arg = &work.types;
	mp_inorder_init(&work.order, &work.in);
	while (mp_input_next(&work.in, &rec)) {
		if (rec.kind == MP_CONTROL)
			handle_control(&work.in.ctl);
		else
			handle_event(&rec);
	}
	status = mp_input_finish(&work.in);
	order = mp_inorder_finish(&work.order);
	named = mp_field_check_report(&work.names);
	status = MP_MAX(status, named);
	written = write_file();
	mp_cpelmap_release(&work.map);
	return MP_MAX(status, MP_MAX(order, written));
}
