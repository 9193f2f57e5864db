// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/show.h"

#include "lib/stream/esc.h"

static const struct mp_field cpu = MP_FIELD_OF(KEY, "cpu");
static const struct mp_field tid = MP_FIELD_OF(KEY, "tid");
static const struct mp_field comm = MP_FIELD_OF(KEY, "comm");

static bool in_columns(struct mp_str key)
{
	return mp_str_eq(key, cpu.name) || mp_str_eq(key, tid.name) || mp_str_eq(key, comm.name) ||
	       mp_str_eq(key, MP_STR("pid")) || mp_str_eq(key, MP_STR("stack"));
}

static void add_text(struct mp_buf *b, struct mp_str text)
{
	mp_esc_terminal(b, text);
}

static void add_stack(struct mp_buf *b, struct mp_str frames)
{
	struct mp_str frame, v[1024];
	size_t n = 0;

	while (n < MP_ARRAY_SIZE(v) && mp_rec_next_frame(&frames, &frame))
		v[n++] = frame;
	while (n) {
		mp_buf_str(b, MP_STR("\t"));
		add_text(b, v[--n]);
		mp_buf_byte(b, '\n');
	}
}

struct mp_str mp_show_line(struct mp_buf *buf, struct mp_str line)
{
	struct mp_str value, rest, key;
	struct mp_rec rec;
	const char *why;

	if (line.len == 0 || mp_rec_parse(&rec, line.p, line.len - 1, &why) < 0 ||
	    rec.kind != MP_EVENT)
		return line;
	buf->len = 0;
	mp_buf_printf(buf, "%5llu.%09llu ", (unsigned long long)(rec.time_ns / 1000000000),
		      (unsigned long long)(rec.time_ns % 1000000000));
	if (mp_rec_get(&rec, &comm, &value))
		add_text(buf, value);
	if (mp_rec_get(&rec, &tid, &value))
		mp_buf_printf(buf, ":%.*s", MP_STR_ARGS(value));
	if (mp_rec_get(&rec, &cpu, &value))
		mp_buf_printf(buf, " [%.*s]", MP_STR_ARGS(value));
	mp_buf_byte(buf, ' ');
	add_text(buf, rec.type);
	for (rest = rec.body; mp_rec_next_field(&rest, &key, &value);) {
		if (in_columns(key))
			continue;
		mp_buf_byte(buf, ' ');
		add_text(buf, key);
		mp_buf_byte(buf, '=');
		add_text(buf, value);
	}
	mp_buf_byte(buf, '\n');
	if (mp_rec_stack(&rec, &value))
		add_stack(buf, value);
	return mp_buf_view(buf);
}
