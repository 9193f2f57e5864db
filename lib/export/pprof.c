// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof: a gzip-compressed profile (pprof.proto). Messages of the same type that follow each other
 * are one message, so the profile is written in parts of one sample, location or text each; only
 * the tables of numbers wait in memory.
 */
#include "lib/export/pprof.h"

#include <stdlib.h>

#include "lib/core/map.h"
#include "lib/export/gzip.h"
#include "lib/pprof/pprof.pb-c.h"
#include "lib/stream/esc.h"
#include "lib/stream/unit.h"

struct state {
	struct mp_export *ex;
	struct mp_export_gzip gzip;
	struct mp_map texts;	 /* text -> its number; 0 is "" */
	struct mp_map functions; /* mark and name -> id */
	struct mp_map mappings;	 /* module, as in a place -> id */
	struct mp_map locations; /* mark, place and name -> id */
	size_t labels;		 /* how many of the first frames are labels */
	uint64_t *ids;		 /* scratch: the locations of a sample */
	size_t cap;
	struct mp_buf packed, text;
};

static void write_part(struct state *s, const Pprof__Profile *part)
{
	size_t len = pprof__profile__get_packed_size(part);

	s->packed.len = 0;
	mp_buf_reserve(&s->packed, len + 1);
	pprof__profile__pack(part, (uint8_t *)s->packed.p);
	mp_export_gzip_write(&s->gzip, s->packed.p, len);
}

/* The number of a text, which is made UTF-8. */
static int64_t text_of(struct state *s, struct mp_str raw)
{
	struct mp_map_entry *e;
	struct mp_str text;
	bool fresh;

	s->text.len = 0;
	mp_export_utf8(&s->text, raw);
	text = mp_buf_view(&s->text);
	e = mp_map_put(&s->texts, &text, 1, &fresh);
	if (fresh)
		*(int64_t *)mp_map_value(e) = (int64_t)s->texts.n - 1;
	return *(int64_t *)mp_map_value(e);
}

static uint64_t function_of(struct state *s, const struct mp_frame *frame)
{
	char mark = frame->mark ? (char)frame->mark : ' ';
	struct mp_str parts[] = { { &mark, 1 }, frame->name };
	struct mp_buf name = { NULL, 0, 0 };
	Pprof__Function function = PPROF__FUNCTION__INIT, *one = &function;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	bool fresh;

	function.id = mp_export_id(&s->functions, parts, MP_ARRAY_SIZE(parts), &fresh);
	if (!fresh)
		return function.id;
	function.system_name = text_of(s, frame->name);
	mp_export_frame(&name, frame->name, frame->mark);
	function.name = text_of(s, mp_buf_view(&name));
	mp_buf_release(&name);
	part.n_function = 1;
	part.function = &one;
	write_part(s, &part);
	return function.id;
}

/* A module is "NAME:ID", escaped; ID is the beginning of its build id, or "-". */
static uint64_t mapping_of(struct state *s, struct mp_str module)
{
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *one = &mapping;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct mp_buf hold = { NULL, 0, 0 };
	const char *colon = memrchr(module.p, ':', module.len);
	size_t len = colon ? (size_t)(colon - module.p) : module.len;
	struct mp_str id = mp_str_skip(module, colon ? len + 1 : len);
	bool fresh;

	mapping.id = mp_export_id(&s->mappings, &module, 1, &fresh);
	if (!fresh)
		return mapping.id;
	mapping.filename = text_of(s, mp_esc_decode(&hold, (struct mp_str){ module.p, len }));
	mp_buf_release(&hold);
	mapping.build_id = mp_str_eq(id, MP_STR("-")) ? 0 : text_of(s, id);
	mapping.has_functions = true;
	part.n_mapping = 1;
	part.mapping = &one;
	write_part(s, &part);
	return mapping.id;
}

static uint64_t location_of(struct state *s, const struct mp_frame *frame)
{
	char mark = frame->mark ? (char)frame->mark : ' ';
	struct mp_str parts[] = { { &mark, 1 }, frame->place, frame->name }, text = frame->place;
	Pprof__Location location = PPROF__LOCATION__INIT, *one = &location;
	Pprof__Line line = PPROF__LINE__INIT, *one_line = &line;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct mp_place place;
	bool fresh;

	location.id = mp_export_id(&s->locations, parts, MP_ARRAY_SIZE(parts), &fresh);
	if (!fresh)
		return location.id;
	if (text.len && mp_frame_place(&text, &place)) {
		location.mapping_id = mapping_of(s, place.module);
		location.address = place.offset;
	}
	line.function_id = function_of(s, frame);
	location.n_line = 1;
	location.line = &one_line;
	part.n_location = 1;
	part.location = &one;
	write_part(s, &part);
	return location.id;
}

static void write_sample(struct state *s, Pprof__Sample *sample, const struct mp_frame *frames,
			 size_t n)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	size_t i;

	s->ids = mp_grow(s->ids, &s->cap, n + 1, sizeof(*s->ids));
	for (i = 0; i < n; i++) /* the leaf comes first */
		s->ids[n - 1 - i] = location_of(s, &frames[i]);
	sample->n_location_id = n;
	sample->location_id = s->ids;
	part.n_sample = 1;
	part.sample = &sample;
	write_part(s, &part);
}

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct state *s = arg;
	const struct mp_fields *by = &s->ex->reader.choice.by;
	Pprof__Label label[MP_CHOICE_FIELDS_MAX], *labels[MP_CHOICE_FIELDS_MAX];
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	size_t i, n_labels = MP_MIN(s->labels, n);

	if (!weight)
		return;
	for (i = 0; i < n_labels; i++) {
		labels[i] = &label[i];
		label[i] = (Pprof__Label)PPROF__LABEL__INIT;
		label[i].key = text_of(s, by->v[i].name);
		/* pprof selects whole numbers by ranges */
		if (mp_export_whole(frames[i].name, &label[i].num))
			continue;
		label[i].num = 0;
		label[i].str = text_of(s, frames[i].name);
	}
	sample.n_label = n_labels;
	sample.label = labels;
	sample.n_value = 1;
	sample.value = &weight;
	write_sample(s, &sample, frames + n_labels, n - n_labels);
}

/* What the values are, when the recording began, and what it lost. */
static void write_head(struct state *s)
{
	const struct mp_fold_reader *r = &s->ex->reader;
	struct mp_str weight = mp_fold_reader_weight(r);
	bool count = mp_str_eq(weight, MP_STR("count"));
	const char *unit = mp_fold_reader_unit(r), *word = mp_unit_word(unit);
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *one = &type;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char text[64];
	int64_t comment;

	type.type = text_of(s, count ? MP_STR("samples") : weight);
	if (!word)
		word = count || !*unit ? "count" : unit;
	type.unit = text_of(s, mp_str(word));
	part.n_sample_type = 1;
	part.sample_type = &one;
	part.time_nanos = json_integer_value(json_object_get(r->origin, "realtime_ns"));
	if (s->ex->lost) {
		snprintf(text, sizeof(text), "%llu events were lost",
			 (unsigned long long)s->ex->lost);
		comment = text_of(s, mp_str(text));
		part.n_comment = 1;
		part.comment = &comment;
	}
	write_part(s, &part);
}

static void write_texts(struct state *s)
{
	const struct mp_map_entry *e;
	Pprof__Profile part;
	ProtobufCBinaryData text;

	mp_map_each (&s->texts, e) {
		pprof__profile__init(&part);
		text = (ProtobufCBinaryData){ e->key.len, (uint8_t *)e->key.p };
		part.n_string_table = 1;
		part.string_table = &text;
		write_part(s, &part);
	}
}

static void write_profile(struct state *s)
{
	struct mp_export *ex = s->ex;

	mp_map_init(&s->texts, sizeof(int64_t));
	mp_map_init(&s->functions, sizeof(uint64_t));
	mp_map_init(&s->mappings, sizeof(uint64_t));
	mp_map_init(&s->locations, sizeof(uint64_t));
	text_of(s, MP_STR(""));
	mp_export_gzip_init(&s->gzip, &ex->out);
	write_head(s);
	s->labels = ex->reader.choice.by.n;
	mp_fold_each(&ex->reader.fold, &ex->reader.style, add_stack, s);
	s->labels = 0;
	mp_fold_each(ex->plain, &ex->reader.style, add_stack, s);
	write_texts(s);
	mp_export_gzip_end(&s->gzip);
	mp_map_release(&s->texts);
	mp_map_release(&s->functions);
	mp_map_release(&s->mappings);
	mp_map_release(&s->locations);
	mp_buf_release(&s->packed);
	mp_buf_release(&s->text);
	free(s->ids);
}

void mp_export_pprof(struct mp_export *ex)
{
	struct state s = { .ex = ex };
	struct mp_fold plain;

	/* stacks and folded text have no fields: a fold of their own tells them from events */
	mp_fold_init(&plain, &ex->reader.choice.by);
	ex->plain = &plain;
	ex->reader.style.lines = ex->in.places = true;
	mp_export_fold(ex);
	ex->reader.fold.overflow |= plain.overflow;
	if (!mp_export_none(ex))
		write_profile(&s);
	mp_fold_release(&plain);
	ex->plain = NULL;
}
