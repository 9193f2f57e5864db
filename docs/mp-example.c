// SPDX-License-Identifier: GPL-2.0-only
/*
 * mp-example: the smallest useful filter, as a pattern for a new one. It counts events by the value
 * of a field:
 *
 *	mp-record -e 'syscalls:sys_enter_*' -d 1 | mp-example --by comm
 *
 * docs/HACKING.md, "Add a filter", lists what a filter needs besides.
 */
#include <getopt.h>
#include <unistd.h>

#include "lib/core/map.h"
#include "lib/core/opt.h"
#include "lib/stream/choice.h"
#include "lib/stream/input.h"

/* One table is the parser, the text of --help and, through that, the completions. */
static const struct mp_opt opts[] = {
	{ 'b', "by", "FIELD", "count by FIELD (default: type)" },
};

static const struct mp_program program = {
	.name = "mp-example",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Count events by the value of a field.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
};

static struct mp_field by = MP_FIELD_OF(TYPE, "type");

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		if (code == 'b')
			by = mp_choice_field(&program, code, arg);
}

/* The map iterates in order of insertion: the output depends on the input alone. */
static void write_counts(const struct mp_map *counts, struct mp_out *out)
{
	const struct mp_map_entry *e;

	mp_map_each (counts, e) {
		char number[MP_NUM_MAX], *end = mp_put_u64(number, *(uint64_t *)mp_map_value(e));

		mp_out_write(out, number, end - number);
		mp_out_write(out, "\t", 1);
		mp_out_write(out, e->key.p, e->key.len); /* still escaped: safe to print */
		mp_out_write(out, "\n", 1);
	}
}

int main(int argc, char **argv)
{
	enum mp_status status;
	struct mp_map counts;
	struct mp_input in;
	struct mp_str value;
	struct mp_rec rec;
	struct mp_out out;

	mp_init("mp-example");	   /* name, fds 0-2, SIGPIPE default: always first */
	parse_options(argc, argv); /* ends the program on misuse */
	mp_map_init(&counts, sizeof(uint64_t));
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_input_init(&in, argv + optind, MP_EVENT, &out); /* the rest is counted and reported */
	while (mp_input_next(&in, &rec)) {
		if (mp_rec_name(&rec, &by, &value))
			++*(uint64_t *)mp_map_value(mp_map_put(&counts, &value, 1, NULL));
		else
			mp_input_bad(&in, "event without the field"); /* named with file:line */
	}
	status = mp_input_finish(&in); /* reports what was skipped, lost or truncated */
	write_counts(&counts, &out);
	mp_out_close(&out); /* a full disk shows up here, or nowhere */
	mp_map_release(&counts);
	return status;
}
