// SPDX-License-Identifier: GPL-2.0-only
#include "lib/export/export.h"

#include "lib/stream/esc.h"

int mp_export_next(struct mp_export *ex, struct mp_rec *rec)
{
	while (mp_input_next(&ex->in, rec)) {
		if (rec->kind == MP_CONTROL) {
			mp_fold_reader_control(&ex->reader, &ex->in.ctl);
			return 1;
		}
		if (rec->kind == MP_EVENT && !mp_types_take(&ex->reader.choice.types, rec))
			continue;
		ex->records++;
		return 1;
	}
	return 0;
}

uint64_t mp_export_lost(struct mp_export *ex)
{
	const struct mp_ctl *ctl = &ex->in.ctl;
	bool concerns =
		ctl->what == MP_CTL_LOST && mp_choice_concerns(&ex->reader.choice.types, ctl);

	return concerns ? ctl->lost : 0;
}

void mp_export_control(struct mp_export *ex)
{
	mp_fold_reader_control(&ex->reader, &ex->in.ctl);
	ex->lost += mp_export_lost(ex);
}

void mp_export_fold(struct mp_export *ex)
{
	struct mp_fold_reader *r = &ex->reader;
	struct mp_fold *fold;
	struct mp_rec rec;
	const char *why;
	int64_t weight;
	int taken;

	while (mp_input_next(&ex->in, &rec)) {
		if (rec.kind == MP_CONTROL) {
			mp_export_control(ex);
			continue;
		}
		taken = mp_fold_reader_take(r, &rec, &weight, &why);
		ex->records += taken > 0;
		fold = ex->plain && rec.kind != MP_EVENT ? ex->plain : &r->fold;
		if (taken < 0 || (taken && mp_fold_add(fold, &rec, weight, &why) < 0))
			mp_input_bad(&ex->in, why);
	}
}

void mp_export_utf8(struct mp_buf *to, struct mp_str raw)
{
	size_t len;

	for (; raw.len; raw = mp_str_skip(raw, len)) {
		if (mp_str_utf8(raw, &len) < 0)
			mp_buf_str(to, MP_STR(MP_REPLACEMENT));
		else
			mp_buf_add(to, raw.p, len);
	}
}

uint64_t mp_export_id(struct mp_map *map, const struct mp_str *parts, size_t n, bool *fresh)
{
	struct mp_map_entry *e = mp_map_put(map, parts, n, fresh);

	if (*fresh)
		*(uint64_t *)mp_map_value(e) = map->n;
	return *(uint64_t *)mp_map_value(e);
}

bool mp_export_whole(struct mp_str text, int64_t *v)
{
	char number[MP_NUM_MAX];

	return mp_num_i64(text, v) == 0 &&
	       mp_str_eq(text, (struct mp_str){ number, mp_put_i64(number, *v) - number });
}

void mp_export_frame(struct mp_buf *name, struct mp_str frame, enum mp_mark mark)
{
	const char text[] = { '_', '[', (char)mark, ']' };

	name->len = 0;
	mp_buf_str(name, frame);
	if (mark != MP_MARK_NONE)
		mp_buf_add(name, text, sizeof(text));
}

/* A character that a string cannot have as it is. */
static void add_escaped(struct mp_buf *to, unsigned char c)
{
	if (c == '"' || c == '\\') {
		mp_buf_byte(to, '\\');
		mp_buf_byte(to, (char)c);
	} else {
		mp_buf_printf(to, "\\u%04x", c);
	}
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void mp_export_json_raw(struct mp_buf *to, struct mp_str raw)
{
	size_t len;

	mp_buf_byte(to, '"');
	while (raw.len) {
		for (len = 0; len < raw.len && is_plain((unsigned char)raw.p[len]); len++)
			;
		mp_buf_add(to, raw.p, len);
		raw = mp_str_skip(raw, len);
		if (!raw.len)
			break;
		len = 1;
		if ((unsigned char)*raw.p < 0x80)
			add_escaped(to, (unsigned char)*raw.p);
		else if (mp_str_utf8(raw, &len) < 0)
			mp_buf_str(to, MP_STR(MP_REPLACEMENT));
		else
			mp_buf_add(to, raw.p, len);
		raw = mp_str_skip(raw, len);
	}
	mp_buf_byte(to, '"');
}

void mp_export_json(struct mp_buf *to, struct mp_str text)
{
	struct mp_buf hold = { NULL, 0, 0 };
	size_t len = 0;

	while (len < text.len && is_plain((unsigned char)text.p[len]))
		len++;
	if (len == text.len) { /* nearly always */
		mp_buf_reserve(to, len + 2);
		to->p[to->len] = '"';
		memcpy(to->p + to->len + 1, text.p, len);
		to->p[to->len + 1 + len] = '"';
		to->len += len + 2;
		return;
	}
	mp_export_json_raw(to, mp_esc_decode(&hold, text));
	mp_buf_release(&hold);
}
