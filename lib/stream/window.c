// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/window.h"

#include "lib/core/clock.h"

/* Parses "2s" and so on. Whole ns are not converted to a double, which has 53 bits. */
static int parse_duration(const char *text, uint64_t *ns)
{
	size_t digits = strspn(text, "0123456789");

	if (strcmp(text + digits, "ns") == 0)
		return mp_num_u64((struct mp_str){ text, digits }, ns);
	return mp_num_duration(text, ns);
}

int mp_window_time_parse(struct mp_window_time *m, const char *text)
{
	bool clock = *text == '@';
	int result;

	m->kind = MP_WINDOW_WALL;
	if (mp_rfc3339_parse(text, &m->ns) == 0)
		return 0;
	m->kind = clock ? MP_WINDOW_CLOCK : MP_WINDOW_RELATIVE;
	text += clock;
	result = clock && mp_num_u64(mp_str(text), &m->ns) == 0 ? 0 : parse_duration(text, &m->ns);
	return result == 0 && m->ns <= INT64_MAX ? 0 : -1;
}

static bool clock_is_realtime(const json_t *header)
{
	const char *clock = json_string_value(json_object_get(header, "clock"));

	return clock && strcmp(clock, "realtime") == 0;
}

void mp_window_header(struct mp_window *w, const struct mp_ctl *header)
{
	const char *start;
	uint64_t real_ns;

	w->placed = w->has_start = w->has_offset = false;
	if (!header)
		return;
	w->has_start = w->has_offset = header->has_anchor;
	w->start_ns = header->clock_ns;
	w->offset_ns = header->realtime_ns - header->clock_ns;
	if (clock_is_realtime(header->json)) {
		w->has_offset = true;
		w->offset_ns = 0;
	}
	start = json_string_value(json_object_get(header->json, "start"));
	if (!w->has_offset || !start || mp_rfc3339_parse(start, &real_ns) < 0)
		return;
	w->has_start = true;
	w->start_ns = real_ns - w->offset_ns;
	if (w->start_ns > INT64_MAX) /* the section began before the 0 of its clock */
		w->start_ns = 0;
}

static int place(const struct mp_window *w, const struct mp_window_time *m, uint64_t *ns)
{
	*ns = m->ns;
	if (m->kind == MP_WINDOW_RELATIVE)
		*ns += w->start_ns;
	if (m->kind != MP_WINDOW_WALL)
		return 0;
	if (!w->has_offset)
		return -1;
	*ns -= w->offset_ns;
	if (*ns > INT64_MAX)
		*ns = 0;
	return 0;
}

int mp_window_place(struct mp_window *w, uint64_t first_ns)
{
	const struct mp_window_time start = { MP_WINDOW_RELATIVE, 0 };

	if (!w->has_start)
		w->start_ns = first_ns;
	w->has_start = w->placed = true;
	w->begin_ns = 0;
	w->end_ns = UINT64_MAX;
	if (w->from.kind != MP_WINDOW_NONE && place(w, &w->from, &w->begin_ns) < 0)
		return -1;
	if (w->to.kind != MP_WINDOW_NONE)
		return place(w, &w->to, &w->end_ns);
	if (!w->for_ns)
		return 0;
	if (w->from.kind == MP_WINDOW_NONE)
		place(w, &start, &w->begin_ns);
	w->end_ns = w->begin_ns + w->for_ns;
	return 0;
}

bool mp_window_restrict(struct mp_window *w, struct mp_ctl *loss)
{
	if (!w->placed && (!w->has_start || mp_window_place(w, 0) < 0))
		return true;
	if (loss->time_ns < w->begin_ns || loss->from_ns + 1 >= w->end_ns)
		return false;
	loss->time_ns = MP_MIN(loss->time_ns, w->end_ns - 1);
	if (w->begin_ns)
		loss->from_ns = MP_MAX(loss->from_ns, w->begin_ns - 1);
	return true;
}
