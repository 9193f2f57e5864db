// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/record.h"

#include "lib/stream/ctl.h"
#include "lib/stream/esc.h"

enum { REPORTED_MAX = 5, TYPE_MAX = 255 };

void mp_import_init(struct mp_import *im, const struct mp_import_options *options,
		    struct mp_out *out)
{
	*im = (struct mp_import){ .options = options, .out = out };
	mp_map_init(&im->skipped, sizeof(uint64_t));
}

void mp_import_release(struct mp_import *im)
{
	json_decref(im->origin);
	mp_buf_release(&im->line);
	mp_map_release(&im->skipped);
}

bool mp_import_line(struct mp_import *im, struct mp_str *line)
{
	char *text;
	size_t len;

	while (!im->refused && mp_in_line(&im->in, &text, &len)) {
		if (im->in.overlong || im->in.partial) {
			im->truncated |= im->in.partial;
			mp_import_bad(im, im->in.overlong
						  ? "line longer than 1 MiB"
						  : "last line has no LF: it may be truncated");
			continue;
		}
		if (len && text[len - 1] == '\r')
			len--;
		*line = (struct mp_str){ text, len };
		return true;
	}
	return false;
}

void mp_import_bad(struct mp_import *im, const char *why)
{
	if (im->bad++ < REPORTED_MAX)
		mp_say("%s:%llu: %s", im->in.name, (unsigned long long)im->in.line, why);
}

void mp_import_refuse(struct mp_import *im, const char *why)
{
	mp_say("%s: %s", im->in.name, why);
	im->refused = true;
	im->status = MP_FAIL;
}

void mp_import_skip(struct mp_import *im, struct mp_str kind)
{
	++*(uint64_t *)mp_map_value(mp_map_put(&im->skipped, &kind, 1, NULL));
}

void mp_import_origin(struct mp_import *im, const char *key, json_t *value)
{
	if (!im->origin)
		im->origin = json_object();
	json_object_set_new(im->origin, key, value);
}

void mp_import_control(struct mp_import *im, json_t *object)
{
	struct mp_buf text = { NULL, 0, 0 };

	mp_ctl_add(&text, json_incref(object));
	/* only a header can be longer than a line may be */
	if (text.len > MP_LINE_MAX && im->origin) {
		json_t *key;
		const char *name;

		json_object_foreach (im->origin, name, key)
			json_object_del(object, name);
		text.len = 0;
		mp_ctl_add(&text, json_incref(object));
	}
	mp_out_write(im->out, text.p, text.len);
	mp_buf_release(&text);
	json_decref(object);
}

void mp_import_begin(struct mp_import *im, enum mp_kind datatype, const char *clock)
{
	json_t *header;

	if (im->open == datatype)
		return;
	mp_import_end(im);
	header = json_pack("{s:i, s:s, s:s, s:s}", "mp", MP_STREAM_VERSION, "datatype",
			   mp_datatype_name(datatype), "interface", "mp-import", "source",
			   im->source);
	if (datatype == MP_EVENT)
		json_object_set_new(header, "clock", json_string(clock));
	if (im->origin)
		json_object_update(header, im->origin);
	if (datatype == MP_EVENT && im->options->clock)
		json_object_set_new(header, "clock", mp_ctl_string(mp_str(im->options->clock)));
	mp_import_control(im, header);
	im->open = datatype;
}

void mp_import_end(struct mp_import *im)
{
	if (im->open && !im->truncated && !im->refused)
		mp_import_control(im, mp_ctl_trailer(im->open, im->records, im->lost));
	im->sections_lost += im->lost;
	im->open = (enum mp_kind)0;
	im->records = 0;
	im->lost = 0;
}

void mp_import_event(struct mp_import *im, uint64_t time_ns, struct mp_str type)
{
	struct mp_buf *b = &im->line;
	size_t start;

	im->last_ns = time_ns;
	mp_buf_reserve(b, MP_NUM_MAX + 16);
	b->len = mp_put_u64(b->p, time_ns) - b->p;
	mp_buf_byte(b, ',');
	start = b->len;
	if (!type.len || !mp_import_letter(*type.p))
		mp_buf_add(b, "event:", 6);
	mp_esc_add(b, type, MP_ESC_TYPE);
	if (b->len - start > TYPE_MAX) {
		b->len = start;
		mp_buf_add(b, "event:", 6);
		mp_esc_add(b, (struct mp_str){ type.p, TYPE_MAX / 4 - 2 }, MP_ESC_TYPE);
	}
	mp_buf_byte(b, ',');
	im->body = b->len;
}

void mp_import_weight(struct mp_import *im, int64_t weight)
{
	mp_buf_reserve(&im->line, MP_NUM_MAX + 1);
	im->line.len = mp_put_i64(im->line.p, weight) - im->line.p;
	mp_buf_byte(&im->line, '#');
}

void mp_import_folded_frames(struct mp_import *im, struct mp_str frames, const char *separator)
{
	struct mp_buf *b = &im->line;
	bool more = true;

	while (more) {
		size_t at = mp_import_find(frames, separator);
		struct mp_str name;
		enum mp_mark mark = mp_frame_mark((struct mp_str){ frames.p, at }, &name);

		mp_buf_reserve(b, 4 * name.len + 16);
		b->len = mp_frame_put(b->p + b->len, name, mark) - b->p;
		more = at < frames.len;
		if (more) {
			mp_buf_byte(b, ';');
			frames = mp_str_skip(frames, at + strlen(separator));
		}
	}
}

static void add_key(struct mp_import *im, const char *key)
{
	if (im->line.len > im->body)
		mp_buf_byte(&im->line, '\t');
	mp_buf_add(&im->line, key, strlen(key));
	mp_buf_byte(&im->line, '=');
}

void mp_import_field(struct mp_import *im, const char *key, struct mp_str value)
{
	add_key(im, key);
	mp_esc_add(&im->line, value, MP_ESC_VALUE);
}

static struct mp_str without_zeros(struct mp_str digits)
{
	while (digits.len > 1 && *digits.p == '0')
		digits = mp_str_skip(digits, 1);
	return digits;
}

void mp_import_number(struct mp_import *im, const char *key, struct mp_str digits)
{
	mp_import_field(im, key, without_zeros(digits));
}

void mp_import_hex(struct mp_import *im, const char *key, struct mp_str digits)
{
	add_key(im, key);
	mp_buf_add(&im->line, "0x", 2);
	mp_buf_str(&im->line, without_zeros(digits));
}

void mp_import_integer(struct mp_import *im, const char *key, int64_t v)
{
	char text[MP_NUM_MAX];

	mp_import_field(im, key, (struct mp_str){ text, mp_put_i64(text, v) - text });
}

void mp_import_named(struct mp_import *im, const char *key, int64_t v, struct mp_str name)
{
	mp_import_integer(im, key, v);
	mp_buf_byte(&im->line, '(');
	mp_esc_add(&im->line, name, MP_ESC_FRAME);
	mp_buf_byte(&im->line, ')');
}

void mp_import_write(struct mp_import *im)
{
	if (im->refused)
		return;
	mp_buf_byte(&im->line, '\n');
	im->written += im->line.len;
	if (im->written / MP_IMPORT_GROWTH_MAX > im->in.bytes) {
		mp_import_refuse(im,
				 "the records would be more than 2048 times as large as the input");
		return;
	}
	if (im->line.len > MP_LINE_MAX) {
		mp_import_bad(im, "the record would be longer than 1 MiB");
		return;
	}
	mp_out_write(im->out, im->line.p, im->line.len);
	im->records++;
}

void mp_import_lost(struct mp_import *im, uint64_t lost, uint64_t time_ns, int cpu)
{
	struct mp_buf text = { NULL, 0, 0 };

	mp_ctl_add_lost(&text, &(struct mp_ctl){ .lost = lost, .time_ns = time_ns, .cpu = cpu });
	mp_out_write(im->out, text.p, text.len);
	mp_buf_release(&text);
	im->lost += lost;
}

static void report_skipped(const struct mp_import *im)
{
	struct mp_buf text = { NULL, 0, 0 };
	const struct mp_map_entry *e;
	uint64_t total = 0;

	mp_map_each (&im->skipped, e) {
		uint64_t n = *(uint64_t *)mp_map_value(e);

		mp_buf_printf(&text, "%s%llu %.*s", text.len ? ", " : "", (unsigned long long)n,
			      MP_STR_ARGS(e->key));
		total += n;
	}
	if (total)
		mp_say("skipped %llu %s: %.*s", (unsigned long long)total,
		       total == 1 ? "line that is not a sample" : "lines that are not samples",
		       MP_STR_ARGS(mp_buf_view(&text)));
	mp_buf_release(&text);
}

enum mp_status mp_import_finish(struct mp_import *im)
{
	report_skipped(im);
	if (im->bad > REPORTED_MAX)
		mp_say_count(im->bad, "line skipped", "lines skipped");
	mp_say_count(im->truncated_stacks, "stack truncated: it had more than 1 MiB of frames",
		     "stacks truncated: they had more than 1 MiB of frames");
	mp_say_count(im->untimed, "sample has no time: it got that of the sample before it",
		     "samples have no time: they got that of the sample before them");
	mp_say_count(im->sections_lost, "event was lost when this was recorded",
		     "events were lost when this was recorded");
	if (im->bad || im->truncated_stacks || im->untimed || im->sections_lost)
		im->status = MP_MAX(im->status, MP_LOSSY);
	return im->status;
}
