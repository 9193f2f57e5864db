// SPDX-License-Identifier: GPL-2.0-only
/*
 * A list of fields in the first line, then data lines: the fields that are kept and those that are
 * dropped add up to the event. If the list happens to be a valid time, printing and parsing it
 * gives the same time.
 */
#include "lib/core/clock.h"
#include "lib/select/project.h"
#include "lib/stream/window.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_moment(const char *text)
{
	char again[MP_RFC3339_MAX];
	struct mp_window_time m, back;

	if (mp_window_time_parse(&m, text) < 0)
		return;
	if (m.ns > INT64_MAX)
		abort();
	if (m.kind != MP_WINDOW_WALL)
		return;
	mp_rfc3339(again, m.ns, false);
	if (mp_window_time_parse(&back, again) < 0 || back.kind != m.kind || back.ns != m.ns)
		abort();
}

/* The bytes and fields of an event as it is written. */
struct written {
	size_t len, fields;
};

static struct written write_kept(struct mp_project *k, const struct mp_rec *rec)
{
	struct mp_str rest, key, value;
	struct written w = { 0, 0 };
	struct mp_rec again;
	struct mp_out out;
	const char *why;
	char *text;

	memory_out_init(&out);
	mp_project_check(k, rec);
	mp_project_write(k, rec, &out);
	text = memory_out_close(&out, &w.len);
	if (!w.len || text[w.len - 1] != '\n')
		abort();
	if (rec->body.p[-1] == ',' && mp_rec_parse(&again, text, w.len - 1, &why) == 0) {
		rest = again.body;
		while (mp_rec_next_field(&rest, &key, &value)) {
			w.fields++;
			if (!mp_project_has(k, key))
				abort();
		}
	}
	free(text);
	return w;
}

static size_t count_fields(struct mp_str rest)
{
	struct mp_str key, value;
	size_t n = 0;

	while (mp_rec_next_field(&rest, &key, &value))
		n++;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size,
		   *lf = size ? memchr(p, '\n', size) : NULL;
	struct mp_project keep, drop;
	struct mp_rec rec;
	struct mp_str bad;
	const char *why;
	char *list;

	if (!lf)
		return 0;
	list = mp_strndup(p, lf - p);
	check_moment(list);
	mp_project_init(&keep, false);
	mp_project_init(&drop, true);
	if (mp_project_add(&keep, list, &bad) < 0 || mp_project_add(&drop, list, &bad) < 0)
		goto out;
	for (p = lf + 1; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0 || rec.kind != MP_EVENT ||
		    mp_rec_check(&rec, &why) < 0)
			continue;
		if (write_kept(&keep, &rec).fields + write_kept(&drop, &rec).fields !=
		    count_fields(rec.body))
			abort();
	}
out:
	mp_project_release(&keep);
	mp_project_release(&drop);
	free(list);
	return 0;
}
