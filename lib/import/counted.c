// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/counted.h"

#include "lib/stream/ctl.h"

static size_t hex_digits(struct mp_str s)
{
	size_t n = 0;

	while (n < s.len && mp_import_hex_digit(s.p[n]))
		n++;
	return n;
}

/* The length of "NAME+OFFSET" without the offset, which bpftrace prints in decimal, bcc as 0x. */
static size_t without_offset(struct mp_str s)
{
	size_t n = s.len;

	while (n && mp_import_hex_digit(s.p[n - 1]))
		n--;
	if (n < s.len && n > 3 && memcmp(s.p + n - 3, "+0x", 3) == 0)
		return n - 3;
	n = mp_import_digits_start(s, s.len);
	return n < s.len && n > 1 && s.p[n - 1] == '+' ? n - 1 : s.len;
}

/* The length of "NAME+OFFSET (FILE)" without the file, which may have parentheses, as NAME may. */
static size_t without_file(struct mp_str s)
{
	size_t last = s.len, n;

	if (!mp_str_ends(s, MP_STR(")")))
		return s.len;
	for (n = 1; n + 1 < s.len; n++) {
		if (s.p[n] != ' ' || s.p[n + 1] != '(')
			continue;
		last = n;
		if (without_offset((struct mp_str){ s.p, n }) < n)
			break;
	}
	return last;
}

static bool is_address(struct mp_str s)
{
	return mp_str_starts(s, MP_STR("0x")) && s.len > 2 &&
	       hex_digits(mp_str_skip(s, 2)) == s.len - 2;
}

void mp_import_counted_frame(struct mp_import_frames *f, struct mp_str text, bool address)
{
	enum mp_mark mark = MP_MARK_NONE;
	struct mp_str name = mp_import_trim(text);
	size_t n = hex_digits(name);

	if (address && n && n < name.len && name.p[n] == ' ') {
		if (n == 16 && memcmp(name.p, "ffff", 4) == 0)
			mark = MP_MARK_KERNEL;
		name = mp_import_trim(mp_str_skip(name, n));
		name.len = without_file(name);
	}
	name.len = without_offset(name);
	if (mark == MP_MARK_NONE)
		mark = mp_frame_mark(name, &name);
	if (!name.len || is_address(name))
		name = MP_STR("[unknown]");
	mp_import_frame_name(f, name, mark);
}

void mp_import_counted_kernel(struct mp_import_frames *f)
{
	static const char mark[] = { '_', '[', MP_MARK_KERNEL, ']' };
	size_t i;

	for (i = 0; i < f->n; i++) {
		char *p;

		if (mp_frame_mark(f->v[i], NULL) != MP_MARK_NONE)
			continue;
		p = mp_arena_alloc(&f->text, f->v[i].len + sizeof(mark));
		memcpy(mempcpy(p, f->v[i].p, f->v[i].len), mark, sizeof(mark));
		f->v[i] = (struct mp_str){ p, f->v[i].len + sizeof(mark) };
		f->bytes += sizeof(mark);
	}
}

void mp_import_counted_begin(struct mp_import *im, struct mp_str sum, struct mp_str weight)
{
	json_t *name = mp_ctl_string(sum), *unit;

	if (im->open == MP_STACK && json_equal(json_object_get(im->origin, "sum"), name)) {
		json_decref(name);
		return;
	}
	mp_import_end(im);
	unit = mp_ctl_string(weight);
	mp_import_origin(im, "sum", name);
	if (mp_str_eq(weight, MP_STR("count"))) {
		json_object_del(im->origin, "units");
	} else {
		json_t *units = json_object();

		json_object_set(units, json_string_value(unit), unit);
		mp_import_origin(im, "units", units);
	}
	mp_import_origin(im, "weight", unit);
	mp_import_begin(im, MP_STACK, NULL);
}

void mp_import_counted_write(struct mp_import *im, struct mp_import_frames *f, int64_t weight)
{
	mp_import_weight(im, weight);
	mp_import_stack(im, f);
	mp_import_write(im);
}
