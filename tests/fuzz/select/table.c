// SPDX-License-Identifier: GPL-2.0-only
/*
 * Headers and events as tables: each line of JSON is an object, each row of TAB-separated values has
 * as many cells as there are names, there is a row for each event, and all of it is UTF-8.
 */
#include "lib/select/table.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t feed(struct mp_table *t, const char *p, const char *end)
{
	struct mp_rec rec;
	struct mp_ctl ctl;
	const char *lf, *why;
	size_t events = 0;

	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0)
			continue;
		if (rec.kind == MP_EVENT) {
			mp_table_event(t, &rec);
			events++;
		} else if (rec.kind == MP_CONTROL) {
			if (mp_ctl_parse(&ctl, rec.line, &why) == 0 && ctl.what == MP_CTL_HEADER &&
			    ctl.datatype == MP_EVENT)
				mp_table_header(t, ctl.json);
			mp_ctl_release(&ctl);
		}
	}
	return events;
}

static void check_json(struct mp_str text, size_t events)
{
	json_error_t error;
	json_t *object;

	for (; events; events--) {
		const char *lf = memchr(text.p, '\n', text.len);

		if (!lf)
			abort();
		object = json_loadb(text.p, lf - text.p, JSON_REJECT_DUPLICATES, &error);
		if (!json_is_object(object) &&
		    json_error_code(&error) != json_error_numeric_overflow)
			abort();
		json_decref(object);
		text = mp_str_skip(text, lf + 1 - text.p);
	}
	if (text.len)
		abort();
}

/* Skips a cell and the TAB or LF after it, which is returned. */
static char next_cell(struct mp_str *text)
{
	size_t i = 0;

	if (text->len && *text->p == '"') {
		for (i = 1; i < text->len && (text->p[i] != '"' || text->p[i + 1] == '"'); i++)
			i += text->p[i] == '"';
		i++;
	} else {
		while (i < text->len && !memchr("\t\n\r\"", text->p[i], 4))
			i++;
	}
	if (i >= text->len || (text->p[i] != '\t' && text->p[i] != '\n'))
		abort();
	*text = mp_str_skip(*text, i + 1);
	return text->p[-1];
}

static size_t next_row(struct mp_str *text)
{
	size_t cells = 1;

	while (next_cell(text) == '\t')
		cells++;
	return cells;
}

static void check_tsv(struct mp_str text, size_t events)
{
	size_t names = next_row(&text);

	for (; events; events--)
		if (next_row(&text) != names)
			abort();
	if (text.len)
		abort();
}

static void check(const char *p, const char *end, bool json)
{
	struct mp_table table;
	struct mp_str text, rest;
	struct mp_out out;
	size_t events, n;
	char *written;

	memory_out_init(&out);
	mp_table_init(&table, &out, json, NULL);
	events = feed(&table, p, end);
	mp_table_finish(&table);
	mp_table_release(&table);
	written = memory_out_close(&out, &text.len);
	text.p = written;
	for (rest = text; rest.len; rest = mp_str_skip(rest, n))
		if (mp_str_utf8(rest, &n) < 0)
			abort();
	if (json)
		check_json(text, events);
	else
		check_tsv(text, events);
	free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;

	check(p, p + size, false);
	check(p, p + size, true);
	return 0;
}
