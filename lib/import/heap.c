// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads heap profiles of gperftools (HEAPPROFILE=, HEAPCHECK=), by its
 * src/heap-profile-table.cc: "heap profile: COUNTS @ KIND", a line "COUNTS @ 0xADDR..." for each
 * stack, leaf first, then "MAPPED_LIBRARIES:" and /proc/PID/maps. COUNTS are "OBJECTS: BYTES
 * [OBJECTS: BYTES]": what is in use, and what was allocated. The addresses are return addresses.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/import/counted.h"
#include "lib/import/format.h"

enum { IN_USE = 0, ALLOCATED = 2, N_COUNTS = 4 }; /* objects, and bytes after them */
enum { ADDRESSES_MAX = 32 << 20 };		  /* 256 MiB of samples and addresses */

/* Where the kernel loads programs that are not position independent; their addresses are absolute. */
static const uint64_t fixed_bases[] = { 0x400000, 0x8048000 };

struct sample {
	uint64_t counts[N_COUNTS];
	size_t first, n; /* its addresses */
};

struct mapping {
	uint64_t start, end;
	uint64_t base;	    /* where address 0 of the file is */
	struct mp_str path; /* empty: no file */
	char *module;	    /* its name in places; NULL: no frame is in it yet */
};

struct state {
	struct mp_import *im;
	uint64_t rate; /* mean bytes between two samples; 0: each allocation is there */
	struct sample *samples;
	size_t n_samples, cap_samples;
	uint64_t *addresses;
	size_t n_addresses, cap_addresses;
	struct mapping *mappings;
	size_t n_mappings, cap_mappings;
	struct mp_arena text; /* the paths */
	struct mp_buf name, place;
};

/* --- reading ---------------------------------------------------------------------------------- */

static bool next_number(struct mp_str *s, const char *after, uint64_t *v)
{
	size_t n;

	*s = mp_import_trim(*s);
	n = mp_import_digits(*s);
	if (!n || mp_num_u64((struct mp_str){ s->p, n }, v) < 0)
		return false;
	*s = mp_import_trim(mp_str_skip(*s, n));
	if (!mp_str_starts(*s, mp_str(after)))
		return false;
	*s = mp_str_skip(*s, strlen(after));
	return true;
}

/* Splits "OBJECTS: BYTES [OBJECTS: BYTES] @ " off s. */
static bool next_counts(struct mp_str *s, uint64_t counts[N_COUNTS])
{
	if (!next_number(s, ":", &counts[0]) || !next_number(s, "[", &counts[1]) ||
	    !next_number(s, ":", &counts[2]) || !next_number(s, "]", &counts[3]))
		return false;
	*s = mp_import_trim(*s);
	if (!mp_str_starts(*s, MP_STR("@")))
		return false;
	*s = mp_import_trim(mp_str_skip(*s, 1));
	return true;
}

static bool next_hex(struct mp_str *s, uint64_t *v)
{
	size_t n = 0;

	if (mp_str_starts(*s, MP_STR("0x")))
		*s = mp_str_skip(*s, 2);
	for (*v = 0; n < s->len && mp_import_hex_digit(s->p[n]); n++)
		*v = *v << 4 |
		     (uint64_t)(mp_import_digit(s->p[n]) ? s->p[n] - '0' : s->p[n] - 'a' + 10);
	*s = mp_str_skip(*s, n);
	return n > 0 && n <= 16;
}

static void add_sample(struct state *s, struct mp_str line)
{
	struct sample sample = { .first = s->n_addresses };
	uint64_t address;

	if (!next_counts(&line, sample.counts)) {
		mp_import_bad(s->im, "not 'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESS...'");
		return;
	}
	while (line.len && next_hex(&line, &address)) {
		s->addresses = mp_grow(s->addresses, &s->cap_addresses, s->n_addresses + 1,
				       sizeof(*s->addresses));
		s->addresses[s->n_addresses++] = address;
		line = mp_import_trim(line);
	}
	sample.n = s->n_addresses - sample.first;
	if (line.len) {
		s->n_addresses = sample.first;
		mp_import_bad(s->im, "an address is not a hexadecimal number");
		return;
	}
	s->samples = mp_grow(s->samples, &s->cap_samples, s->n_samples + 1, sizeof(sample));
	s->samples[s->n_samples++] = sample;
	if (s->n_addresses + s->n_samples * (sizeof(sample) / sizeof(address)) > ADDRESSES_MAX)
		mp_import_refuse(s->im, "the profile needs more than 256 MiB of memory");
}

/* Adds a line of /proc/PID/maps: "START-END PERMISSIONS OFFSET DEVICE INODE PATH". */
static void add_mapping(struct state *s, struct mp_str line)
{
	struct mapping m = { .module = NULL }, *before;
	uint64_t offset;
	struct mp_str rest = line;
	size_t i;

	if (!next_hex(&rest, &m.start) || !mp_str_starts(rest, MP_STR("-")))
		goto bad;
	rest = mp_str_skip(rest, 1);
	if (!next_hex(&rest, &m.end) || m.end <= m.start || !mp_str_starts(rest, MP_STR(" ")))
		goto bad;
	rest = mp_import_trim(rest);
	rest = mp_import_trim(mp_str_skip(rest, mp_import_find(rest, " ")));
	if (!next_hex(&rest, &offset))
		goto bad;
	for (i = 0; i < 2; i++) { /* device and inode */
		rest = mp_import_trim(rest);
		rest = mp_str_skip(rest, mp_import_find(rest, " "));
	}
	rest = mp_import_trim(rest);
	if (mp_str_starts(rest, MP_STR("/")))
		m.path = mp_arena_str(&s->text, rest);
	before = s->n_mappings ? &s->mappings[s->n_mappings - 1] : NULL;
	m.base = before && m.path.len && mp_str_eq(before->path, m.path) ? before->base
									 : m.start - offset;
	for (i = 0; i < MP_ARRAY_SIZE(fixed_bases); i++)
		if (m.base == fixed_bases[i])
			m.base = 0;
	s->mappings = mp_grow(s->mappings, &s->cap_mappings, s->n_mappings + 1, sizeof(m));
	s->mappings[s->n_mappings++] = m;
	if (s->n_mappings * (sizeof(m) / 8) > ADDRESSES_MAX)
		mp_import_refuse(s->im, "the profile needs more than 256 MiB of memory");
	return;
bad:
	mp_import_bad(s->im, "not a line of /proc/PID/maps");
}

/* --- writing ---------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static struct mapping *mapping_of(const struct state *s, uint64_t address)
{
	size_t low = 0, high = s->n_mappings;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= s->mappings[low - 1].end || !s->mappings[low - 1].path.len)
		return NULL;
	return &s->mappings[low - 1];
}

static struct mp_str file_of(const struct mapping *m)
{
	const char *slash = memrchr(m->path.p, '/', m->path.len);

	return mp_str_skip(m->path, slash + 1 - m->path.p);
}

/* Writes which files the places of frames name. */
static void put_modules(const struct state *s)
{
	const struct mapping *m;
	size_t i;

	for (i = 0; i < s->n_mappings; i++) {
		m = &s->mappings[i];
		if (m->module)
			mp_import_control(s->im, json_pack("{s:o,s:o}", "module",
							   mp_ctl_string(mp_str(m->module)), "path",
							   mp_ctl_string(m->path)));
	}
}

/* Names the module of each mapping in which a frame is. */
static void name_modules(struct state *s)
{
	struct mapping *m;
	struct mp_str file;
	size_t i;

	for (i = 0; i < s->n_addresses; i++) {
		m = mapping_of(s, s->addresses[i] - 1);
		if (!m || m->module)
			continue;
		file = file_of(m);
		m->module = mp_alloc(4 * file.len + 12);
		*mp_frame_put_module(m->module, file, MP_STR("")) = '\0';
	}
}

static void put_frame(struct state *s, uint64_t address)
{
	const struct mapping *m = mapping_of(s, address - 1);
	struct mp_frame frame = { .name = MP_STR("[unknown]"), .mark = MP_MARK_NONE };
	struct mp_buf *line = &s->im->line;

	s->name.len = s->place.len = 0;
	if (m) {
		struct mp_place place = { address - 1 - m->base, mp_str(m->module) };

		mp_buf_printf(&s->name, "[%.*s]+0x%llx", MP_STR_ARGS(file_of(m)),
			      (unsigned long long)place.offset);
		mp_buf_reserve(&s->place, place.module.len + 24);
		s->place.len = mp_frame_put_place(s->place.p, &place) - s->place.p;
		frame.name = mp_buf_view(&s->name);
		frame.place = mp_buf_view(&s->place);
	}
	mp_buf_reserve(line, 4 * frame.name.len + frame.place.len + 16);
	line->len = mp_frame_write(line->p + line->len, &frame, false) - line->p;
}

/* What a count of a sample stands for, if allocations were sampled: a large one is more often. */
static uint64_t scaled(const struct state *s, const struct sample *sample, size_t count)
{
	const uint64_t *pair = &sample->counts[count & ~(size_t)1];
	double v = (double)sample->counts[count];

	if (s->rate && pair[0])
		v /= -expm1(-(double)pair[1] / (double)pair[0] / (double)s->rate);
	return v < (double)INT64_MAX ? (uint64_t)(v + 0.5) : INT64_MAX;
}

static void put_samples(struct state *s, size_t count)
{
	const struct sample *sample;
	size_t i, k;

	for (i = 0; i < s->n_samples && !s->im->refused; i++) {
		uint64_t weight = scaled(s, &s->samples[i], count);

		sample = &s->samples[i];
		if (!weight)
			continue;
		mp_import_weight(s->im, (int64_t)weight);
		if (!sample->n)
			mp_buf_str(&s->im->line, MP_STR("[unknown]"));
		for (k = sample->n; k-- > 0 && s->im->line.len <= MP_LINE_MAX;) {
			put_frame(s, s->addresses[sample->first + k]);
			if (k)
				mp_buf_byte(&s->im->line, ';');
		}
		mp_import_write(s->im);
	}
}

static void put_all(struct state *s)
{
	static const struct {
		const char *name, *unit;
		size_t count;
	} sections[] = {
		{ "inuse_objects", "count", IN_USE },
		{ "inuse_space", "B", IN_USE + 1 },
		{ "alloc_objects", "count", ALLOCATED },
		{ "alloc_space", "B", ALLOCATED + 1 },
	};
	size_t i;

	if (s->n_mappings)
		qsort(s->mappings, s->n_mappings, sizeof(*s->mappings), by_start);
	name_modules(s);
	for (i = 0; i < MP_ARRAY_SIZE(sections); i++) {
		mp_import_counted_begin(s->im, mp_str(sections[i].name), mp_str(sections[i].unit));
		put_modules(s);
		put_samples(s, sections[i].count);
		mp_import_end(s->im);
	}
}

static void release(struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_mappings; i++)
		free(s->mappings[i].module);
	free(s->mappings);
	free(s->samples);
	free(s->addresses);
	mp_arena_release(&s->text);
	mp_buf_release(&s->name);
	mp_buf_release(&s->place);
}

/* Sets how the samples stand for allocations; false: this program does not know. */
static bool set_kind(struct state *s, struct mp_str kind)
{
	const struct mp_str sampled = MP_STR("heap_v2/");

	if (mp_str_starts(kind, sampled))
		return mp_num_u64(mp_str_skip(kind, sampled.len), &s->rate) == 0;
	return mp_str_eq(kind, MP_STR("heapprofile")) || mp_str_eq(kind, MP_STR("growthz"));
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im };
	bool head = true, maps = false;
	uint64_t counts[N_COUNTS];
	struct mp_str line;

	im->source = "heap profile of gperftools";
	while (mp_import_line(im, &line)) {
		if (head) {
			line = mp_str_skip(line, MP_MIN(line.len, strlen("heap profile:")));
			head = false;
			if (!next_counts(&line, counts) || !set_kind(&s, line))
				mp_import_refuse(im, "not a heap profile of the kinds heapprofile, "
						     "growthz and heap_v2/BYTES");
		} else if (mp_str_eq(line, MP_STR("MAPPED_LIBRARIES:"))) {
			maps = true;
		} else if (line.len && maps) {
			add_mapping(&s, line);
		} else if (line.len) {
			add_sample(&s, line);
		}
	}
	if (!im->refused)
		put_all(&s);
	release(&s);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	return first && mp_str_starts(line, MP_STR("heap profile:")) ? MP_IMPORT_CERTAIN
								     : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_heap = { "heap", looks_like, NULL, parse };
