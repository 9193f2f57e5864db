// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads profiles of pprof, whose schema is lib/pprof/pprof.proto. Each of a profile's values becomes
 * a section of stacks.
 */
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

#include "lib/core/intmap.h"
#include "lib/import/counted.h"
#include "lib/import/format.h"
#include "lib/pprof/pprof.pb-c.h"
#include "lib/stream/unit.h"

enum {
	PROFILE_MAX = 256 << 20, /* bytes of a profile, decompressed */
	MEMORY_MAX = 1 << 30, /* bytes that it may need in memory: an empty message has 2 bytes */
	TYPES_MAX = 256,      /* of values; each has a section of all samples */
};

struct state {
	struct mp_import *im;
	const Pprof__Profile *profile;
	struct mp_intmap mappings, locations, functions; /* id -> index + 1 */
	struct mp_import_frames frames;
	struct mp_buf name;
};

static void *allocate(void *used, size_t size)
{
	size_t *total = used;

	if (size > MEMORY_MAX - *total)
		return NULL;
	*total += size + 16;
	*total = MP_MIN(*total, (size_t)MEMORY_MAX);
	return mp_alloc(size);
}

static void release(void *used, void *p)
{
	(void)used;
	free(p);
}

static struct mp_str text_of(const struct state *s, int64_t i)
{
	const Pprof__Profile *p = s->profile;

	if (i < 0 || (uint64_t)i >= p->n_string_table)
		return MP_STR("");
	return (struct mp_str){ (const char *)p->string_table[i].data, p->string_table[i].len };
}

static void remember(struct mp_intmap *map, uint64_t id, size_t i)
{
	if (!mp_intmap_get(map, id))
		mp_intmap_add(map, id, i + 1);
}

static const Pprof__Mapping *mapping_of(const struct state *s, const Pprof__Location *location)
{
	uint64_t i = mp_intmap_get(&s->mappings, location->mapping_id);

	return i ? s->profile->mapping[i - 1] : NULL;
}

static struct mp_str file_of(const struct state *s, const Pprof__Mapping *mapping)
{
	struct mp_str file = mapping ? text_of(s, mapping->filename) : MP_STR("");
	const char *slash = file.len ? memrchr(file.p, '/', file.len) : NULL;

	return slash && *file.p != '[' ? mp_str_skip(file, slash + 1 - file.p) : file;
}

/* A location without a function: its file and its address there. */
static void add_unnamed(struct state *s, const Pprof__Location *location, enum mp_mark mark)
{
	const Pprof__Mapping *mapping = mapping_of(s, location);
	struct mp_str file = file_of(s, mapping);

	s->name.len = 0;
	if (!file.len)
		mp_buf_printf(&s->name, "[unknown]");
	else if (*file.p == '[')
		mp_buf_str(&s->name, file);
	else
		mp_buf_printf(&s->name, "[%.*s]+0x%llx", MP_STR_ARGS(file),
			      (unsigned long long)(location->address - mapping->memory_start +
						   mapping->file_offset));
	mp_import_frame_name(&s->frames, mp_buf_view(&s->name), mark);
}

/* Of the functions inlined at an address, the last one is that which contains the others. */
static void add_location(struct state *s, const Pprof__Location *location)
{
	bool kernel = mp_str_starts(file_of(s, mapping_of(s, location)), MP_STR("[kernel"));
	size_t i, n = location->n_line;

	for (i = 0; i < n && s->frames.bytes <= MP_LINE_MAX; i++) {
		enum mp_mark mark = MP_MARK_NONE, own;
		uint64_t f = mp_intmap_get(&s->functions, location->line[i]->function_id);
		struct mp_str name =
			f ? text_of(s, s->profile->function[f - 1]->name) : MP_STR("[unknown]");

		own = mp_frame_mark(name, &name);
		if (own != MP_MARK_NONE)
			mark = own;
		else if (kernel)
			mark = MP_MARK_KERNEL;
		else if (i + 1 < n)
			mark = MP_MARK_INLINED;
		mp_import_frame_name(&s->frames, name, mark);
	}
	if (!n)
		add_unnamed(s, location, kernel ? MP_MARK_KERNEL : MP_MARK_NONE);
}

static void add_sample(struct state *s, const Pprof__Sample *sample, size_t value)
{
	size_t i;

	if (value >= sample->n_value) {
		mp_import_bad(s->im, "a sample without a value");
		return;
	}
	for (i = 0; i < sample->n_location_id && s->frames.bytes <= MP_LINE_MAX; i++) {
		uint64_t at = mp_intmap_get(&s->locations, sample->location_id[i]);

		if (at)
			add_location(s, s->profile->location[at - 1]);
		else
			mp_import_frame_name(&s->frames, MP_STR("[unknown]"), MP_MARK_NONE);
	}
	mp_import_counted_write(s->im, &s->frames, sample->value[value]);
}

/* The unit in the words of the stream. */
static struct mp_str unit_of(struct mp_str word)
{
	const char *unit = mp_unit_of_word(word, NULL);

	return unit ? mp_str(unit) : word;
}

static void convert(struct state *s)
{
	const Pprof__Profile *p = s->profile;
	size_t i, n;

	for (i = 0; i < p->n_mapping; i++)
		remember(&s->mappings, p->mapping[i]->id, i);
	for (i = 0; i < p->n_location; i++)
		remember(&s->locations, p->location[i]->id, i);
	for (i = 0; i < p->n_function; i++)
		remember(&s->functions, p->function[i]->id, i);
	for (n = 0; n < p->n_sample_type && !s->im->refused; n++) {
		struct mp_str type = text_of(s, p->sample_type[n]->type);

		mp_import_end(s->im);
		mp_import_counted_begin(s->im, type, unit_of(text_of(s, p->sample_type[n]->unit)));
		for (i = 0; i < p->n_sample && !s->im->refused; i++)
			add_sample(s, p->sample[i], n);
	}
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im };
	size_t used = 0;
	ProtobufCAllocator allocator = { allocate, release, &used };
	Pprof__Profile *profile;
	const char *data;
	size_t len;

	im->source = "pprof";
	len = mp_in_peek(&im->in, (size_t)PROFILE_MAX + 1, &data);
	if (len > PROFILE_MAX) {
		mp_import_refuse(im, "the profile is larger than 256 MiB");
		return;
	}
	profile = pprof__profile__unpack(&allocator, len, (const uint8_t *)data);
	if (profile && profile->n_sample_type > TYPES_MAX) {
		mp_import_refuse(im, "the profile has more than 256 types of values");
	} else if (!profile || !profile->n_sample_type) {
		mp_import_refuse(im, used == MEMORY_MAX
					     ? "the profile needs more than 1 GiB of memory"
					     : "not a complete profile of pprof");
	} else {
		s.profile = profile;
		mp_intmap_init(&s.mappings);
		mp_intmap_init(&s.locations);
		mp_intmap_init(&s.functions);
		mp_import_frames_init(&s.frames);
		convert(&s);
		mp_intmap_release(&s.mappings);
		mp_intmap_release(&s.locations);
		mp_intmap_release(&s.functions);
		mp_import_frames_release(&s.frames);
		mp_buf_release(&s.name);
	}
	if (profile)
		pprof__profile__free_unpacked(profile, &allocator);
}

/* A number at *p; returns false at the end of the data. */
static bool varint(const char **p, const char *end, uint64_t *v)
{
	unsigned shift = 0;

	*v = 0;
	while (*p < end && shift < 64) {
		unsigned char byte = (unsigned char)*(*p)++;

		*v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Whether all bytes are a ValueType: the numbers 1 and 2. */
static bool is_value_type(const char *p, const char *end)
{
	uint64_t tag, v;

	while (p < end)
		if (!varint(&p, end, &tag) || (tag != 1 << 3 && tag != 2 << 3) ||
		    !varint(&p, end, &v))
			return false;
	return true;
}

/*
 * A profile is a list of fields in any order, of which some are numbers and others have a length.
 * One that is the type of a value must be among the first; no text begins like that.
 */
static bool is_binary(const char *data, size_t len)
{
	enum { NUMBER = 0, LENGTH = 2, MESSAGES = 0x287e, NUMBERS = 0x7780 }; /* bits: fields */
	const char *p = data, *end = data + len;
	size_t types = 0;
	uint64_t tag, v;

	while (p < end && varint(&p, end, &tag)) {
		unsigned field = tag < 15 << 3 ? (unsigned)tag >> 3 : 15, wire = tag & 7;

		if (wire == NUMBER ? !(NUMBERS >> field & 1)
				   : wire != LENGTH || !(MESSAGES >> field & 1))
			return false;
		if (!varint(&p, end, &v))
			break;
		if (wire == NUMBER)
			continue;
		if (v > (uint64_t)(end - p))
			break;
		if (field == 1 && !is_value_type(p, p + v))
			return false;
		types += field == 1 && v > 0;
		p += v;
	}
	return types > 0;
}

const struct mp_import_format mp_import_pprof = { "pprof", NULL, is_binary, parse };
