// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/import.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/stream/ctl.h"
#include "lib/stream/esc.h"

enum { TOLD_MAX = 5, TYPE_MAX = 255 };

static const struct {
	enum mp_import_kind kind;
	const char *name;
} kinds[] = {
	{ MP_IMPORT_PERF, "perf" },	{ MP_IMPORT_FTRACE, "ftrace" },
	{ MP_IMPORT_MARPLE, "marple" }, { MP_IMPORT_FOLDED, "folded" },
	{ MP_IMPORT_STREAM, "stream" },
};

const char *mp_import_kind_name(enum mp_import_kind kind)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return "unknown";
}

enum mp_import_kind mp_import_kind_parse(const char *name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].kind;
	return MP_IMPORT_UNKNOWN;
}

void mp_import_init(struct mp_import *im, const struct mp_import_options *options,
		    struct mp_out *out)
{
	*im = (struct mp_import){ .options = options, .out = out };
	mp_map_init(&im->passed, sizeof(uint64_t));
}

void mp_import_release(struct mp_import *im)
{
	json_decref(im->origin);
	mp_buf_release(&im->line);
	mp_map_release(&im->passed);
}

bool mp_import_line(struct mp_import *im, struct mp_str *line)
{
	char *text;
	size_t len;

	while (mp_in_line(&im->in, &text, &len)) {
		if (im->in.overlong || im->in.partial) {
			im->cut_off |= im->in.partial;
			mp_import_bad(im, im->in.overlong
						  ? "line longer than 1 MiB"
						  : "last line has no LF: it may be cut off");
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
	im->bad++;
	if (im->told++ < TOLD_MAX)
		mp_say("%s:%llu: %s", im->in.name, (unsigned long long)im->in.line, why);
}

void mp_import_passed(struct mp_import *im, struct mp_str kind)
{
	++*(uint64_t *)mp_map_value(mp_map_put(&im->passed, &kind, 1, NULL));
}

void mp_import_origin(struct mp_import *im, const char *key, json_t *value)
{
	if (!im->origin)
		im->origin = json_object();
	json_object_set_new(im->origin, key, value);
}

static void write_object(struct mp_import *im, json_t *object)
{
	struct mp_buf text = { NULL, 0, 0 };

	mp_ctl_add(&text, json_incref(object));
	if (text.len > MP_LINE_MAX && im->origin) { /* a header as long as a line may be */
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
		json_object_set_new(header, "clock", json_string(im->options->clock));
	write_object(im, header);
	im->open = datatype;
}

void mp_import_end(struct mp_import *im)
{
	if (im->open && !im->cut_off)
		write_object(im, mp_ctl_trailer(im->open, im->records, im->lost));
	im->sections_lost += im->lost;
	im->open = (enum mp_kind)0;
	im->records = 0;
	im->lost = 0;
}

static bool is_letter(char c)
{
	return ((unsigned char)c | 0x20) >= 'a' && ((unsigned char)c | 0x20) <= 'z';
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
	if (!type.len || !is_letter(*type.p))
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

void mp_import_number(struct mp_import *im, const char *key, struct mp_str digits)
{
	while (digits.len > 1 && *digits.p == '0') {
		digits.p++;
		digits.len--;
	}
	mp_import_field(im, key, digits);
}

void mp_import_hex(struct mp_import *im, const char *key, struct mp_str digits)
{
	while (digits.len > 1 && *digits.p == '0') {
		digits.p++;
		digits.len--;
	}
	add_key(im, key);
	mp_buf_add(&im->line, "0x", 2);
	mp_buf_str(&im->line, digits);
}

void mp_import_write(struct mp_import *im)
{
	mp_buf_byte(&im->line, '\n');
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

	mp_ctl_add_lost(&text, lost, 0, time_ns, cpu);
	mp_out_write(im->out, text.p, text.len);
	mp_buf_release(&text);
	im->lost += lost;
}

int mp_import_time(struct mp_str text, uint64_t *time_ns)
{
	const char *point = memchr(text.p, '.', text.len);
	uint64_t s, fraction;
	size_t digits;

	if (!point)
		return -1;
	digits = text.p + text.len - point - 1;
	if (mp_num_u64((struct mp_str){ text.p, point - text.p }, &s) < 0 ||
	    mp_num_u64((struct mp_str){ point + 1, digits }, &fraction) < 0 || digits > 9 ||
	    s > INT64_MAX / MP_NS_PER_SEC - 1)
		return -1;
	for (; digits < 9; digits++)
		fraction *= 10;
	*time_ns = s * MP_NS_PER_SEC + fraction;
	return 0;
}

/* --- streams, passed on ---------------------------------------------------------------------- */

/* A trailer says what was written, which is less than what was meant where lines were bad. */
static void pass_trailer(struct mp_import *im, const struct mp_ctl *ctl, struct mp_str line,
			 const uint64_t *records)
{
	json_t *trailer;

	if (!ctl->datatype || records[ctl->datatype] == ctl->records) {
		mp_out_write(im->out, line.p, line.len);
		mp_out_write(im->out, "\n", 1);
		return;
	}
	trailer = json_copy(ctl->json);
	json_object_set_new(trailer, "records", json_integer((json_int_t)records[ctl->datatype]));
	json_object_del(trailer, "bytes");
	write_object(im, trailer);
}

/* Takes the input over. */
static void pass_stream(struct mp_import *im)
{
	uint64_t records[MP_FOLDED] = { 0 };
	struct mp_input input;
	enum mp_status status;
	struct mp_rec rec;

	mp_input_adopt(&input, &im->in, MP_CONTROL | MP_EVENT | MP_POINT | MP_STACK);
	while (mp_input_next(&input, &rec)) {
		if (rec.kind == MP_CONTROL && input.ctl.what == MP_CTL_END) {
			pass_trailer(im, &input.ctl, rec.line, records);
			continue;
		}
		if (rec.kind != MP_CONTROL)
			records[rec.kind]++;
		else if (input.ctl.what == MP_CTL_HEADER)
			records[input.ctl.datatype] = 0;
		mp_out_write(im->out, rec.line.p, rec.line.len);
		mp_out_write(im->out, "\n", 1);
	}
	status = mp_input_finish(&input);
	im->status = MP_MAX(im->status, status);
}

/* --- an input -------------------------------------------------------------------------------- */

static void parse(struct mp_import *im, enum mp_import_kind kind)
{
	static void (*const parsers[])(struct mp_import *) = {
		[MP_IMPORT_PERF] = mp_import_perf,
		[MP_IMPORT_FTRACE] = mp_import_ftrace,
		[MP_IMPORT_MARPLE] = mp_import_marple,
		[MP_IMPORT_FOLDED] = mp_import_folded,
	};

	json_decref(im->origin);
	im->origin = NULL;
	im->cut_off = false;
	im->last_ns = 0;
	parsers[kind](im);
	mp_import_end(im);
	mp_in_release(&im->in);
	if (im->in.fd > 0)
		close(im->in.fd);
}

void mp_import_file(struct mp_import *im, const char *path)
{
	enum mp_import_kind kind = im->options->kind;
	const char *data;
	size_t len;

	mp_in_init(&im->in, mp_input_open(path), strcmp(path, "-") == 0 ? "stdin" : path, im->out);
	len = mp_in_peek(&im->in, &data);
	if (len == 0 || mp_input_binary_kind(data, len))
		kind = MP_IMPORT_STREAM; /* whose reader knows what to say */
	else if (kind == MP_IMPORT_AUTO)
		kind = mp_import_guess(data, len);
	if (kind == MP_IMPORT_UNKNOWN) {
		mp_say("%s: neither perf script or ftrace text, a MARPLE file, folded text nor a "
		       "stream (--from says which it is)",
		       im->in.name);
		mp_in_release(&im->in);
		im->status = MP_FAIL;
	} else if (kind == MP_IMPORT_STREAM) {
		pass_stream(im);
	} else {
		parse(im, kind);
	}
}

static void tell_passed(const struct mp_import *im)
{
	struct mp_buf text = { NULL, 0, 0 };
	const struct mp_map_entry *e;

	mp_map_each (&im->passed, e)
		mp_buf_printf(&text, "%s%llu %.*s", text.len ? ", " : "",
			      (unsigned long long)*(uint64_t *)mp_map_value(e),
			      MP_STR_ARGS(e->key));
	if (text.len)
		mp_say("passed over what is no sample: %.*s", (int)text.len, text.p);
	mp_buf_release(&text);
}

enum mp_status mp_import_finish(struct mp_import *im)
{
	tell_passed(im);
	if (im->bad > TOLD_MAX)
		mp_say_count(im->bad, "line skipped", "lines skipped");
	mp_say_count(im->cut, "stack was cut: it had more than 1 MiB of frames",
		     "stacks were cut: they had more than 1 MiB of frames");
	mp_say_count(im->sections_lost, "event was lost when this was recorded",
		     "events were lost when this was recorded");
	if (im->bad || im->cut || im->sections_lost)
		im->status = MP_MAX(im->status, MP_LOSSY);
	return im->status;
}
