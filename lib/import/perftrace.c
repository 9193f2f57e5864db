// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what perf trace prints: "TIME ( DURATION ms): COMM/TID NAME(ARGS) = RESULT", with times in
 * ms. The shapes are those of tools/perf/builtin-trace.c of Linux 6.1.
 */
#include "lib/import/calls.h"
#include "lib/import/format.h"

static const char continued[] = "... [continued]: ";

struct head {
	bool has_time, has_dur;
	uint64_t time_ns, dur_ns;
	struct mp_str comm, tid; /* may be empty: there is one task */
	struct mp_str text;
};

/*
 * Parses ms with three digits after the point. What was before the first event is printed as
 * 2^64 ns minus the difference; it becomes 0.
 */
static bool parse_ms(struct mp_str s, uint64_t *ns)
{
	uint64_t ms, us;
	size_t n = mp_import_digits(s);

	if (s.len != n + 4 || s.p[n] != '.' || mp_num_u64((struct mp_str){ s.p, n }, &ms) < 0 ||
	    mp_num_u64(mp_str_skip(s, n + 1), &us) < 0 || ms > UINT64_MAX / 1000000)
		return false;
	*ns = ms * 1000000 + us * 1000;
	if (*ns > INT64_MAX || ms == UINT64_MAX / 1000000)
		*ns = 0;
	return true;
}

/* Splits "COMM/TID " off, where a call follows: a name may have the same signs. */
static void parse_task(struct head *h)
{
	struct mp_str s = h->text;
	size_t i, n, sign;

	h->comm = h->tid = MP_STR("");
	for (i = 0; i < s.len && i <= MP_COMM_MAX; i++) {
		if (s.p[i] != '/')
			continue;
		sign = i + 1 < s.len && s.p[i + 1] == '-';
		n = mp_import_digits(mp_str_skip(s, i + 1 + sign)) + sign;
		h->text = mp_str_skip(s, MP_MIN(i + 2 + n, s.len));
		if (n == sign || i + 1 + n >= s.len || s.p[i + 1 + n] != ' ')
			continue;
		h->text = mp_import_trim(h->text);
		if (mp_import_call_name(h->text) || mp_str_starts(h->text, mp_str(continued))) {
			h->comm = (struct mp_str){ s.p, i };
			h->tid = (struct mp_str){ s.p + i + 1, n };
			return;
		}
	}
	h->text = s;
}

static bool parse_head(struct mp_str line, struct head *h)
{
	size_t open = mp_import_find(line, " ("), close = mp_import_find(line, "): ");
	struct mp_str time, dur;

	if (open >= close || close == line.len)
		return false;
	time = mp_import_trim((struct mp_str){ line.p, open });
	dur = mp_import_trim((struct mp_str){ line.p + open + 2, close - open - 2 });
	h->has_time = parse_ms(time, &h->time_ns);
	h->has_dur = mp_str_ends(dur, MP_STR(" ms"));
	if ((!h->has_time && !mp_str_eq(time, MP_STR("?"))) || (!h->has_dur && dur.len))
		return false;
	dur.len -= h->has_dur ? 3 : 0;
	if (h->has_dur && !parse_ms(dur, &h->dur_ns))
		return false;
	h->text = mp_import_trim(mp_str_skip(line, close + 3));
	parse_task(h);
	return mp_import_call_name(h->text) || mp_str_starts(h->text, mp_str(continued));
}

static void put(struct mp_import *im, const struct head *h, struct mp_str name, struct mp_str args,
		struct mp_str result)
{
	uint64_t time_ns = h->has_time ? h->time_ns : im->last_ns;

	im->untimed += !h->has_time;
	if (h->has_time && h->has_dur)
		time_ns = MP_MIN(time_ns + h->dur_ns, (uint64_t)INT64_MAX);
	mp_import_event(im, time_ns, name);
	if (h->tid.len) {
		mp_import_number(im, "tid", h->tid);
		mp_import_field(im, "comm", h->comm);
	}
	if (args.len)
		mp_import_field(im, ".args", args);
	if (mp_str_starts(result, MP_STR("= ")))
		mp_import_result(im, mp_str_skip(result, 2));
	if (h->has_dur)
		mp_import_integer(im, "dur", (int64_t)h->dur_ns);
	mp_import_write(im);
}

static void handle(struct mp_import *im, struct mp_import_calls *calls, struct head *h)
{
	bool again = mp_str_starts(h->text, mp_str(continued));
	struct mp_str text = again ? mp_str_skip(h->text, sizeof(continued) - 1) : h->text, result;
	size_t name = mp_import_call_name(text), end;
	struct mp_str args, kept = MP_STR("");

	if (!name) {
		mp_import_bad(im, "not a line of perf trace");
		return;
	}
	args = mp_str_skip(text, name + 1);
	end = mp_import_arguments(args);
	result = mp_import_trim(mp_str_skip(args, MP_MIN(end + 1, args.len)));
	args.len = end;
	if (again && mp_str_starts(result, MP_STR(")"))) /* perf closes the arguments twice */
		result = mp_import_trim(mp_str_skip(result, 1));
	if (!again && mp_str_eq(result, MP_STR("..."))) {
		mp_import_calls_keep(calls, h->tid, args);
		return;
	}
	if (again)
		kept = mp_import_calls_take(calls, h->tid);
	put(im, h, (struct mp_str){ text.p, name }, kept.len ? kept : args, result);
}

/* "LOST N events!" */
static bool find_lost(struct mp_import *im, struct mp_str line)
{
	uint64_t lost;

	if (!mp_str_starts(line, MP_STR("LOST ")))
		return false;
	line = mp_str_skip(line, 5);
	line.len = mp_import_digits(line);
	if (mp_num_u64(line, &lost) < 0 || lost > INT64_MAX)
		return false;
	mp_import_lost(im, lost, im->last_ns, -1);
	return true;
}

static void parse(struct mp_import *im)
{
	struct mp_import_calls calls;
	struct mp_str line;
	struct head h;

	im->source = "perf trace";
	mp_import_calls_init(&calls);
	mp_import_begin(im, MP_EVENT, "perf-trace");
	while (mp_import_line(im, &line)) {
		if (line.len && parse_head(line, &h))
			handle(im, &calls, &h);
		else if (!find_lost(im, line))
			mp_import_bad(im, "not a line of perf trace");
	}
	mp_import_calls_release(&calls, im);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	struct head h;

	(void)first;
	return parse_head(line, &h) ? MP_IMPORT_DISTINCT : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_perf_trace = { "perf-trace", looks_like, NULL, parse };
