// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/ctl.h"

#include <stdlib.h>

#include "lib/core/clock.h"

/* What jansson allocates fails as everything else does: mp_alloc() ends the program. */
__attribute__((constructor)) static void set_json_memory(void)
{
	json_set_alloc_funcs(mp_alloc, free);
}

static const struct {
	enum mp_kind kind;
	const char *name;
} datatypes[] = {
	{ MP_EVENT, "event" },
	{ MP_POINT, "point" },
	{ MP_STACK, "stack" },
};

enum mp_kind mp_datatype_kind(const char *name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(datatypes); i++)
		if (name && strcmp(datatypes[i].name, name) == 0)
			return datatypes[i].kind;
	return (enum mp_kind)0;
}

const char *mp_datatype_name(enum mp_kind kind)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(datatypes); i++)
		if (datatypes[i].kind == kind)
			return datatypes[i].name;
	return NULL;
}

static int fail(const char **why, const char *text)
{
	*why = text;
	return -1;
}

/*
 * Reads a count or time, a whole number that is not negative. Returns 1; 0 if there is none; -1 if
 * it is something else.
 */
static int get_count(const json_t *object, const char *key, uint64_t *v)
{
	const json_t *item = json_object_get(object, key);

	if (!item)
		return 0;
	if (!json_is_integer(item) || json_integer_value(item) < 0)
		return -1;
	*v = json_integer_value(item);
	return 1;
}

static int parse_header(struct mp_ctl *ctl, const char **why)
{
	const json_t *version = json_object_get(ctl->json, "mp");
	const char *name = json_string_value(json_object_get(ctl->json, "datatype"));
	int clock, real;

	ctl->what = MP_CTL_HEADER;
	if (!json_is_integer(version) || json_integer_value(version) < 1 ||
	    json_integer_value(version) > INT32_MAX)
		return fail(why, "header without a version number");
	ctl->version = (int)json_integer_value(version);
	ctl->datatype = mp_datatype_kind(name);
	if (!name)
		return fail(why, "header without a datatype");
	clock = get_count(ctl->json, "clock_ns", &ctl->clock_ns);
	real = get_count(ctl->json, "realtime_ns", &ctl->realtime_ns);
	if (clock < 0 || real < 0)
		return fail(why, "clock of the header is not a number of ns");
	ctl->has_anchor = clock && real;
	return 0;
}

static int parse_lost(struct mp_ctl *ctl, const char **why)
{
	const json_t *type = json_object_get(ctl->json, "type");
	uint64_t cpu;
	int got;

	ctl->what = MP_CTL_LOST;
	if (get_count(ctl->json, "lost", &ctl->lost) < 0)
		return fail(why, "number of lost events is not a count");
	if (get_count(ctl->json, "time", &ctl->time_ns) < 0 ||
	    get_count(ctl->json, "from", &ctl->from_ns) < 0)
		return fail(why, "time of a loss is not a number of ns");
	got = get_count(ctl->json, "cpu", &cpu);
	if (got < 0 || (got && cpu > INT32_MAX))
		return fail(why, "cpu of a loss is not a number");
	ctl->cpu = got ? (int)cpu : -1;
	if (type && !json_is_string(type))
		return fail(why, "type of a loss is not a string");
	ctl->type = json_string_value(type);
	return 0;
}

static int parse_end(struct mp_ctl *ctl, const char **why)
{
	const char *name = json_string_value(json_object_get(ctl->json, "end"));

	ctl->what = MP_CTL_END;
	ctl->datatype = mp_datatype_kind(name);
	if (!name)
		return fail(why, "trailer without a datatype");
	if (get_count(ctl->json, "records", &ctl->records) < 1 ||
	    get_count(ctl->json, "lost", &ctl->lost) < 1)
		return fail(why, "trailer without counts of records and lost events");
	return 0;
}

/* Parses a watermark, the most frequent control line, without the JSON library. */
static bool quick_watermark(struct mp_ctl *ctl, struct mp_str line)
{
	static const char head[] = "{\"watermark\":";
	const size_t n = sizeof(head) - 1;

	if (line.len < n + 2 || memcmp(line.p, head, n) != 0 || line.p[line.len - 1] != '}')
		return false;
	line.p += n;
	line.len -= n + 1;
	return mp_num_u64(line, &ctl->time_ns) == 0 && ctl->time_ns <= INT64_MAX;
}

int mp_ctl_parse(struct mp_ctl *ctl, struct mp_str line, const char **why)
{
	json_error_t error;

	*ctl = (struct mp_ctl){ .what = MP_CTL_WATERMARK, .cpu = -1 };
	if (quick_watermark(ctl, line))
		return 0;
	ctl->json = json_loadb(line.p, line.len, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(ctl->json)) {
		mp_ctl_release(ctl);
		return fail(why, "control line is not a JSON object");
	}
	ctl->what = MP_CTL_OTHER;
	if (json_object_get(ctl->json, "mp"))
		return parse_header(ctl, why);
	if (json_object_get(ctl->json, "end"))
		return parse_end(ctl, why);
	if (json_object_get(ctl->json, "lost"))
		return parse_lost(ctl, why);
	if (json_object_get(ctl->json, "watermark")) {
		ctl->what = MP_CTL_WATERMARK;
		if (get_count(ctl->json, "watermark", &ctl->time_ns) < 0)
			return fail(why, "watermark is not a number of ns");
	}
	return 0;
}

void mp_ctl_release(struct mp_ctl *ctl)
{
	json_decref(ctl->json);
	ctl->json = NULL;
}

json_t *mp_ctl_string(struct mp_str bytes)
{
	struct mp_buf text = { NULL, 0, 0 };
	json_t *string;

	while (bytes.len) {
		size_t n;

		if (mp_str_utf8(bytes, &n) > 0) /* many JSON parsers refuse NUL */
			mp_buf_add(&text, bytes.p, n);
		else
			mp_buf_str(&text, MP_STR(MP_REPLACEMENT));
		bytes = mp_str_skip(bytes, n);
	}
	string = json_stringn(mp_buf_view(&text).p, text.len);
	mp_buf_release(&text);
	return string;
}

void mp_ctl_add(struct mp_buf *to, json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);

	if (!text)
		mp_die("out of memory");
	mp_buf_add(to, text, strlen(text));
	mp_buf_byte(to, '\n');
	free(text);
	json_decref(object);
}

void mp_ctl_add_watermark(struct mp_buf *to, uint64_t time_ns)
{
	mp_buf_printf(to, "{\"watermark\":%llu}\n", (unsigned long long)time_ns);
}

static void add_string(struct mp_buf *to, const char *bytes)
{
	json_t *string = mp_ctl_string(mp_str(bytes));
	char *text = json_dumps(string, JSON_ENCODE_ANY);

	if (!text)
		mp_die("out of memory");
	mp_buf_add(to, text, strlen(text));
	free(text);
	json_decref(string);
}

void mp_ctl_add_lost(struct mp_buf *to, const struct mp_ctl *loss)
{
	mp_buf_printf(to, "{\"lost\":%llu", (unsigned long long)loss->lost);
	if (loss->from_ns)
		mp_buf_printf(to, ",\"from\":%llu", (unsigned long long)loss->from_ns);
	mp_buf_printf(to, ",\"time\":%llu", (unsigned long long)loss->time_ns);
	if (loss->cpu >= 0)
		mp_buf_printf(to, ",\"cpu\":%d", loss->cpu);
	if (loss->type) {
		mp_buf_printf(to, ",\"type\":");
		add_string(to, loss->type);
	}
	mp_buf_add(to, "}\n", 2);
}

json_t *mp_ctl_header(enum mp_kind datatype, const char *interface, const char *clock,
		      uint64_t clock_ns, uint64_t realtime_ns)
{
	char start[MP_RFC3339_MAX];

	mp_rfc3339(start, realtime_ns, true);
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:I, s:I}", "mp", MP_STREAM_VERSION, "datatype",
			 mp_datatype_name(datatype), "interface", interface, "start", start,
			 "clock", clock, "clock_ns", (json_int_t)clock_ns, "realtime_ns",
			 (json_int_t)realtime_ns);
}

void mp_ctl_origin(json_t **origin, const struct mp_ctl *header)
{
	json_t *host;

	if (!*origin)
		*origin = json_copy(header->json);
	host = json_object_get(*origin, "host");
	if (host && !json_equal(host, json_object_get(header->json, "host")))
		json_object_del(*origin, "host");
}

json_t *mp_ctl_trailer(enum mp_kind datatype, uint64_t records, uint64_t lost)
{
	return json_pack("{s:s, s:I, s:I}", "end", mp_datatype_name(datatype), "records",
			 (json_int_t)records, "lost", (json_int_t)lost);
}
