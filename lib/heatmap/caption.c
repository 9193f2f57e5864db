// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/caption.h"

#include <math.h>
#include <stdio.h>

#include "lib/core/clock.h"
#include "lib/stream/unit.h"

enum { DECADES = 2 }; /* as many of them, and most values are in the lowest rows */

/* "1,234,567" */
static void put_count(struct mp_buf *to, uint64_t n)
{
	char digits[MP_NUM_MAX];
	size_t len = mp_put_u64(digits, n) - digits, i;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			mp_buf_byte(to, ',');
		mp_buf_byte(to, digits[i]);
	}
}

void mp_heat_put_sum(struct mp_buf *to, const struct mp_heat *h, uint64_t sum)
{
	char text[MP_UNIT_MAX];

	if (sum == UINT64_MAX)
		mp_buf_printf(to, "2^64 or more");
	else if (*h->info->unit)
		mp_buf_add(to, text, mp_unit_put(text, h->info->unit, (double)sum));
	else
		put_count(to, sum);
}

static bool is_count(const struct mp_heat_info *info)
{
	return strcmp(info->weight, "count") == 0;
}

static const char *axis_name(const struct mp_heat_axis *a)
{
	return a->name ? a->name : a->field;
}

/* What events of a type are, for people; the first that matches. */
static const struct {
	const char *type, *things;
} things[] = {
	{ "block:block_rq_issue", "block requests" },
	{ "block:block_rq", "block requests" },
	{ "block:block_io", "block requests" },
	{ "block:block_io_start=>block:block_rq_complete", "block requests" },
	{ "block:block_rq_issue=>block:block_rq_complete", "block requests" },
	{ "block:block_rq_complete", "completed block requests" },
	{ "block:block_bio", "block I/O" },
	{ "raw_syscalls:sys", "system calls" },
	{ "irq:softirq", "softirqs" },
	{ "irq:irq_handler", "interrupt handlers" },
	{ "sched:sched_switch", "context switches" },
	{ "sched:sched_wakeup", "wakeups" },
	{ "workqueue:workqueue_execute", "work items" },
};

/* Types whose dur is not the time that something took to be done. */
static const char *const durations[] = { "sched:span", "stat:", "mem:" };

static bool is_latency(const struct mp_heat_info *info)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(durations); i++)
		if (strncmp(info->events, durations[i], strlen(durations[i])) == 0)
			return false;
	return true;
}

/* Writes what is on the axis or in the cells: "Latency". */
static void put_measure(struct mp_buf *to, const struct mp_heat_info *info, const char *name,
			bool is_weight)
{
	if (strcmp(name, "dur") != 0)
		mp_buf_printf(to, "%s", name);
	else if (is_weight)
		mp_buf_printf(to, "Time");
	else
		mp_buf_printf(to, is_latency(info) ? "Latency" : "Duration");
}

static void put_things(struct mp_buf *to, const struct mp_heat_info *info)
{
	static const char calls[] = "syscalls:sys_";
	const char *call = info->events + sizeof(calls) - 1;
	size_t i;

	if (strncmp(info->events, calls, sizeof(calls) - 1) == 0 && !strpbrk(call, ",:")) {
		mp_buf_printf(to, "%s system calls", call);
		return;
	}
	for (i = 0; i < MP_ARRAY_SIZE(things); i++)
		if (strcmp(info->events, things[i].type) == 0) {
			mp_buf_printf(to, "%s", things[i].things);
			return;
		}
	mp_buf_printf(to, "%s", *info->events ? info->events : "points");
}

void mp_heat_title(struct mp_buf *to, const struct mp_heat_info *info)
{
	bool over_time = info->x.what == MP_HEAT_TIME || info->x.what == MP_HEAT_SECOND;
	bool is_number = info->y.what == MP_HEAT_NAME || info->y.what == MP_HEAT_OFFSET;
	const char *by = " by ";

	if (!is_count(info))
		put_measure(to, info, info->weight, true);
	else if (is_number)
		mp_buf_printf(to, "Number");
	else
		put_measure(to, info, axis_name(&info->y), false);
	if (*info->events || (is_count(info) && is_number)) {
		mp_buf_printf(to, " of ");
		put_things(to, info);
	}
	if (info->y.what == MP_HEAT_OFFSET) {
		mp_buf_printf(to, ", second by second");
	} else if (!is_count(info) || is_number) {
		mp_buf_printf(to, " by %s", axis_name(&info->y));
		by = " and ";
	}
	if (!over_time)
		mp_buf_printf(to, "%s%s", by, axis_name(&info->x));
	if (info->x.what == MP_HEAT_TIME)
		mp_buf_printf(to, " over time");
	if (info->group)
		mp_buf_printf(to, ", by %s", info->group);
}

static void put_ns(struct mp_buf *to, double ns)
{
	char text[MP_UNIT_MAX];

	mp_buf_add(to, text, mp_unit_put(text, "ns", ns));
}

/* Writes how much there is: "1,234 events, dur in total 3 s". */
static void put_records(struct mp_buf *to, const struct mp_heat *h)
{
	put_count(to, h->grid->records);
	mp_buf_printf(to, *h->info->events	  ? h->grid->records == 1 ? " event" : " events"
			  : h->grid->records == 1 ? " point"
						  : " points");
	if (!is_count(h->info)) {
		mp_buf_printf(to, ", %s in total ", h->info->weight);
		mp_heat_put_sum(to, h, h->sum);
	}
}

/* Writes how much there is on each side of a comparison: "events: 1,234 before, 1,240 after". */
static void put_sides(struct mp_buf *to, const struct mp_heat *h)
{
	mp_buf_printf(to, "%s: ",
		      !is_count(h->info) ? h->info->weight
		      : *h->info->events ? "events"
					 : "points");
	mp_heat_put_sum(to, h, h->sum_before);
	mp_buf_printf(to, " before, ");
	mp_heat_put_sum(to, h, h->sum_after);
	mp_buf_printf(to, " after");
}

void mp_heat_subtitle(struct mp_buf *to, const struct mp_heat *h)
{
	if (h->before)
		put_sides(to, h);
	else
		put_records(to, h);
	if (h->x.whole && h->x.n > 1) {
		mp_buf_printf(to, ", a column is ");
		put_ns(to, (double)(h->x.whole[1] - h->x.whole[0]));
	}
	if (h->info->host)
		mp_buf_printf(to, ", host %s", h->info->host);
}

/* Writes the time at the 0 of a time axis: " since 2026-11-20T09:19:00.5Z". */
static void put_zero(struct mp_buf *to, const struct mp_heat_info *info, int64_t zero)
{
	char text[MP_RFC3339_MAX];
	int64_t realtime;

	if (info->panel_sides) {
		mp_buf_printf(to, " since the start of each");
		return;
	}
	if (!info->has_offset || __builtin_add_overflow(zero, info->offset_ns, &realtime) ||
	    realtime < 0) {
		mp_buf_printf(to, info->has_origin ? " since the start" : " since the first event");
		return;
	}
	mp_rfc3339_brief(text, (uint64_t)realtime);
	mp_buf_printf(to, " since %s", text);
}

void mp_heat_axis_title(struct mp_buf *to, const struct mp_heat *h, const struct mp_bins *bins,
			const struct mp_heat_axis *axis)
{
	mp_buf_printf(to, "%s", axis_name(axis));
	if (axis->what != MP_HEAT_TIME && axis->what != MP_HEAT_SECOND)
		return;
	put_zero(to, h->info, bins->zero);
	if (bins->axis.high > 120e9)
		mp_buf_printf(to, " (h:min:s)");
}

static void put_value(struct mp_buf *to, const struct mp_bins *bins, const struct mp_heat_axis *a,
		      double v)
{
	char text[MP_UNIT_MAX];

	if (a->what == MP_HEAT_TIME || a->what == MP_HEAT_SECOND)
		mp_axis_put_time(text, v - (double)bins->zero);
	else
		mp_unit_put(text, a->unit, v);
	mp_buf_printf(to, "%s", text);
}

void mp_heat_beyond(struct mp_buf *to, const struct mp_bins *bins, const struct mp_heat_axis *axis,
		    bool above)
{
	if (bins->names) {
		mp_buf_printf(to, "other");
		return;
	}
	mp_buf_printf(to, above ? "\xe2\x89\xa5 " : "< ");
	put_value(to, bins, axis, bins->edge[above ? bins->n : 0]);
}

static void note_beyond(struct mp_buf *to, const struct mp_heat *h, bool of_y, bool above)
{
	const struct mp_heat_axis *axis = of_y ? &h->info->y : &h->info->x;
	const struct mp_bins *bins = of_y ? &h->y : &h->x;
	uint64_t sum = of_y ? mp_heat_row(h, bins->n + above) : mp_heat_column(h, bins->n + above);
	char share[32];

	if (!sum)
		return;
	mp_buf_printf(to, "%s ", axis_name(axis));
	mp_heat_beyond(to, bins, axis, above);
	mp_buf_printf(to, ": ");
	mp_heat_put_sum(to, h, sum);
	snprintf(share, sizeof(share), "%.2g", 100.0 * sum / h->sum);
	mp_buf_printf(to, " (%s %%)", share);
	if (bins->names && bins->others)
		mp_buf_printf(to, ", %zu name%s%s", bins->others, mp_plural(bins->others),
			      (of_y ? &h->grid->y : &h->grid->x)->n ==
					      (of_y ? &h->grid->y : &h->grid->x)->max
				      ? " or more"
				      : "");
	mp_buf_printf(to, ", in the %s %s\n",
		      !of_y && !above && !bins->names ? "first"
		      : !of_y			      ? "last"
		      : above			      ? "top"
						      : "bottom",
		      of_y ? "row" : "column");
}

/* Notes what is in "other" of the panels, or of the hues. */
static void note_groups(struct mp_buf *to, const struct mp_heat *h)
{
	if (!h->n_merged)
		return;
	mp_buf_printf(to, "%s other: ", h->info->group);
	mp_heat_put_sum(to, h, h->panes[h->n_panes - 1].sum);
	mp_buf_printf(to, ", %llu name%s%s\n", (unsigned long long)h->n_merged,
		      mp_plural(h->n_merged), h->info->groups.merged ? " or less" : "");
}

/* Notes how the sides of a comparison differ in what they cover. */
static void note_sides(struct mp_buf *to, const struct mp_heat *h)
{
	const struct mp_heat_side *a = &h->info->sides[0], *b = &h->info->sides[1];
	double before = (double)(a->last_ns - a->first_ns),
	       after = (double)(b->last_ns - b->first_ns);

	if (a->timed && b->timed && fabs(before - after) > 0.05 * MP_MAX(before, after)) {
		mp_buf_printf(to, "the sides are of different length: ");
		put_ns(to, before);
		mp_buf_printf(to, " before, ");
		put_ns(to, after);
		mp_buf_printf(to, " after%s\n", h->before ? " (shares are not rates)" : "");
	}
	if (a->lost != b->lost) {
		mp_buf_printf(to, "lost events: ");
		put_count(to, a->lost);
		mp_buf_printf(to, " before, ");
		put_count(to, b->lost);
		mp_buf_printf(to, " after\n");
	}
}

void mp_heat_notes(struct mp_buf *to, const struct mp_heat *h)
{
	uint64_t lost = mp_count_sum(h->grid->lost_elsewhere, h->lost_beyond);
	size_t i;

	for (i = 0; i < h->x.n; i++)
		lost = mp_count_sum(lost, h->losses.lost[i]);
	note_beyond(to, h, true, true);
	note_beyond(to, h, true, false);
	note_beyond(to, h, false, false);
	note_beyond(to, h, false, true);
	note_groups(to, h);
	if (h->before || h->info->panel_sides)
		note_sides(to, h);
	if (h->before) {
		mp_buf_printf(to, "change: share of the cell in its side, after minus before, in "
				  "percentage points\n");
		if (is_count(h->info))
			mp_buf_printf(to, "grey: less than three standard errors\n");
	}
	if (lost) {
		put_count(to, lost);
		mp_buf_printf(to, lost == 1 ? " event was" : " events were");
		mp_buf_printf(to, " lost when this was recorded%s\n",
			      h->losses.any ? ", in the marked columns" : "");
	}
	if (h->y.axis.kind == MP_AXIS_LOG && !h->y.names && h->grid->y.low <= 0)
		mp_buf_printf(to,
			      "%s of 0 and below, which have no logarithm, are in the bottom row\n",
			      axis_name(&h->info->y));
	if (h->decades >= DECADES)
		mp_buf_printf(to, "%s spans %.0f decades: --log shows small values as well\n",
			      axis_name(&h->info->y), floor(h->decades));
	if (h->grid->skipped) {
		put_count(to, h->grid->skipped);
		mp_buf_printf(to, " %s without a number, or with a negative weight, %s omitted\n",
			      h->grid->skipped == 1 ? "record" : "records",
			      h->grid->skipped == 1 ? "was" : "were");
	}
}

static void describe_axis(struct mp_buf *to, const char *name, const struct mp_bins *b,
			  const struct mp_heat_axis *axis)
{
	mp_buf_printf(to, " The %s axis is %s", name, axis_name(axis));
	if (b->names) {
		mp_buf_printf(to, ", %zu name%s.", b->n, mp_plural(b->n));
		return;
	}
	mp_buf_printf(to, "%s, from ",
		      b->axis.kind == MP_AXIS_LOG ? " on a logarithmic scale" : "");
	put_value(to, b, axis, b->edge[0]);
	mp_buf_printf(to, " to ");
	put_value(to, b, axis, b->edge[b->n]);
	mp_buf_printf(to, " in %zu bin%s.", b->n, mp_plural(b->n));
}

static void describe_bin(struct mp_buf *to, const struct mp_bins *b,
			 const struct mp_heat_axis *axis, size_t i)
{
	mp_buf_printf(to, " %s ", axis_name(axis));
	if (i >= b->n) {
		mp_heat_beyond(to, b, axis, i > b->n);
	} else if (b->names) {
		mp_buf_str(to, b->name[i]);
	} else {
		put_value(to, b, axis, b->edge[i]);
		mp_buf_printf(to, " to ");
		put_value(to, b, axis, b->edge[i + 1]);
	}
}

/* How remarkable a cell is. */
static double rank_of(const struct mp_heat *h, size_t x, size_t y)
{
	bool certain;
	double difference;

	if (!h->before)
		return (double)mp_heat_cell(h, x, y);
	difference = fabs(mp_heat_difference(h, x, y, &certain));
	return certain ? 1 + difference : difference;
}

static void put_cell(struct mp_buf *to, const struct mp_heat *h, size_t x, size_t y)
{
	double difference;
	bool certain;

	if (h->before) {
		difference = mp_heat_difference(h, x, y, &certain);
		mp_buf_printf(to, ", is %+.2g percentage points%s.", 100 * difference,
			      certain ? "" : ", which chance may explain");
		return;
	}
	mp_buf_printf(to, ", has ");
	mp_heat_put_sum(to, h, h->max);
	mp_buf_byte(to, '.');
}

void mp_heat_describe(struct mp_buf *to, const struct mp_heat *h)
{
	struct mp_buf notes = { NULL, 0, 0 };
	size_t x, y, best_x = 0, best_y = 0;

	mp_buf_printf(to, h->before ? "Differences between two heat maps of " : "Heat map of ");
	mp_heat_subtitle(to, h);
	mp_buf_byte(to, '.');
	describe_axis(to, "horizontal", &h->x, &h->info->x);
	describe_axis(to, "vertical", &h->y, &h->info->y);
	if (h->info->group)
		mp_buf_printf(to, " It has %zu %s%s of %s.", h->n_panes, h->hue ? "hue" : "panel",
			      mp_plural(h->n_panes), h->info->group);
	for (y = 0; y < h->y.n + 2; y++)
		for (x = 0; x < h->x.n + 2; x++)
			if (rank_of(h, x, y) > rank_of(h, best_x, best_y)) {
				best_x = x;
				best_y = y;
			}
	mp_buf_printf(to, h->before ? " The greatest difference," : " The greatest cell,");
	describe_bin(to, &h->x, &h->info->x, best_x);
	mp_buf_byte(to, ',');
	describe_bin(to, &h->y, &h->info->y, best_y);
	put_cell(to, h, best_x, best_y);
	mp_heat_notes(&notes, h);
	for (x = 0; x < notes.len; x++) {
		if (x == 0 || notes.p[x - 1] == '\n')
			mp_buf_byte(to, ' ');
		mp_buf_byte(to, notes.p[x] == '\n' ? '.' : notes.p[x]);
	}
	mp_buf_release(&notes);
}
