// SPDX-License-Identifier: GPL-2.0-only
/*
 * mp-example-interval: events per second by key. A pattern for filters that have the usual options
 * and give a result for each interval:
 *	mp-record -e 'syscalls:sys_enter_*' -d 10 | mp-example-interval --by comm,type
 */
#include <unistd.h>

#include "lib/core/map.h"
#include "lib/stream/choice.h"
#include "lib/stream/input.h"

static const struct mp_opt opts[] = {
	MP_CHOICE_EVENT(MP_CHOICE_ADDED),
	MP_CHOICE_BY("rates by the values of FIELDS (default: type)"),
	MP_CHOICE_WEIGHT("count FIELD, such as .bytes, instead of events"),
	MP_CHOICE_INTERVAL("length of an interval (default: 1s)"),
};

static const struct mp_program program = {
	.name = "mp-example-interval",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Count events per second by key, for each interval.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
};

static struct mp_choice choice;
static struct mp_map sums; /* key -> int64_t */
static struct mp_out out;

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	choice.interval.length_ns = MP_NS_PER_SEC;
	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		mp_choice_option(&choice, &program, code, arg);
	if (!choice.by.n)
		mp_choice_option(&choice, &program, 'b', "type");
}

static void write_rates(void)
{
	double seconds = (double)choice.interval.length_ns / MP_NS_PER_SEC;
	char start[MP_RFC3339_MAX];
	const struct mp_map_entry *e;

	mp_interval_name(&choice.interval, start);
	mp_map_each (&sums, e)
		mp_out_printf(&out, "%s\t%.10g\t%.*s\n", start,
			      (double)*(int64_t *)mp_map_value(e) / seconds, MP_STR_ARGS(e->key));
	mp_map_clear(&sums);
}

static int count(const struct mp_rec *rec, const char **why)
{
	struct mp_str key[MP_CHOICE_FIELDS_MAX];
	int64_t weight;

	if (!mp_choice_take(&choice, rec))
		return 0;
	*why = "event without a field of the key";
	if (mp_rec_names(rec, &choice.by, key) < choice.by.n ||
	    mp_choice_weight(&choice.weight, rec, &weight, why) < 1)
		return -1;
	if (mp_interval_advance(&choice.interval, rec->time_ns))
		write_rates();
	*(int64_t *)mp_map_value(mp_map_put(&sums, key, choice.by.n, NULL)) += weight;
	return 0;
}

int main(int argc, char **argv)
{
	enum mp_status status;
	const char *why;
	struct mp_input in;
	struct mp_rec rec;

	mp_init("mp-example-interval");
	mp_choice_init(&choice, "keep them apart with --by type");
	parse_options(argc, argv);
	mp_map_init(&sums, sizeof(int64_t));
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_input_init(&in, argv + optind, MP_CONTROL | MP_EVENT, &out);
	in.concerns = mp_choice_concerns;
	in.arg = &choice.types;
	while (mp_input_next(&in, &rec)) {
		if (rec.kind == MP_EVENT && count(&rec, &why) < 0)
			mp_input_bad(&in, why);
		else if (rec.kind == MP_CONTROL && mp_choice_control(&choice, &in.ctl))
			write_rates();
	}
	status = mp_choice_finish(&choice, mp_input_finish(&in));
	if (mp_interval_end(&choice.interval))
		write_rates();
	mp_out_close(&out);
	return status;
}
