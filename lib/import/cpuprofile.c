// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads CPU profiles of V8 (.cpuprofile), which node --cpu-prof and Chromium's developer tools
 * write: nodes of a tree, and samples of them with the differences of their times. Their form is
 * Profiler.Profile of https://chromedevtools.github.io/devtools-protocol/v8/Profiler/.
 */
#include <stdlib.h>

#include "lib/core/intmap.h"
#include "lib/import/format.h"
#include "lib/import/frames.h"
#include "lib/import/json.h"

/* Keeps the tree, and 16 bytes for each sample, since the times are after the samples. */
struct state {
	struct mp_import *im;
	struct mp_intmap parents; /* id -> id of the parent + 1 */
	struct mp_intmap names;	  /* id -> index in `texts` + 1 */
	struct mp_str *texts;
	size_t n_texts, cap_texts;
	struct mp_arena text;
	int64_t *samples, *deltas;
	size_t n_samples, cap_samples, n_deltas, cap_deltas;
	int64_t start, end; /* us */
};

static void add_child(struct state *s, int64_t child, int64_t parent)
{
	if (child != parent && !mp_intmap_get(&s->parents, (uint64_t)child))
		mp_intmap_add(&s->parents, (uint64_t)child, (uint64_t)parent + 1);
}

/* "NAME URL:LINE"; code of V8 itself has no URL. */
static struct mp_str frame_of(struct state *s, const json_t *frame)
{
	struct mp_str name = mp_import_json_text(json_object_get(frame, "functionName"));
	struct mp_str url = mp_import_json_text(json_object_get(frame, "url"));
	int64_t line = mp_import_json_scaled(json_object_get(frame, "lineNumber"), 1);
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_str kept;

	mp_buf_str(&text, name.len ? name : MP_STR("(anonymous)"));
	if (url.len) {
		mp_buf_byte(&text, ' ');
		mp_buf_str(&text, url);
		if (line >= 0 && line < INT64_MAX)
			mp_buf_printf(&text, ":%lld", (long long)line + 1);
	}
	kept = mp_arena_str(&s->text, mp_buf_view(&text));
	mp_buf_release(&text);
	return kept;
}

static void take_node(void *arg, json_t *node)
{
	struct state *s = arg;
	int64_t id = mp_import_json_scaled(json_object_get(node, "id"), 1);
	const json_t *frame = json_object_get(node, "callFrame"), *child;
	size_t i;

	if (!json_is_integer(json_object_get(node, "id")) || !json_is_object(frame)) {
		mp_import_bad(s->im, "a node without id or callFrame");
		return;
	}
	if (s->n_texts == s->cap_texts)
		s->texts = mp_grow(s->texts, &s->cap_texts, s->n_texts + 1, sizeof(*s->texts));
	s->texts[s->n_texts++] = frame_of(s, frame);
	if (!mp_intmap_get(&s->names, (uint64_t)id))
		mp_intmap_add(&s->names, (uint64_t)id, s->n_texts);
	json_array_foreach (json_object_get(node, "children"), i, child)
		add_child(s, json_integer_value(child), id);
	if (json_is_integer(json_object_get(node, "parent")))
		add_child(s, id, json_integer_value(json_object_get(node, "parent")));
}

static void take_sample(void *arg, json_t *value)
{
	struct state *s = arg;

	if (s->n_samples == s->cap_samples)
		s->samples = mp_grow(s->samples, &s->cap_samples, s->n_samples + 1, 8);
	s->samples[s->n_samples++] = json_integer_value(value);
}

static void take_delta(void *arg, json_t *value)
{
	struct state *s = arg;

	if (s->n_deltas == s->cap_deltas)
		s->deltas = mp_grow(s->deltas, &s->cap_deltas, s->n_deltas + 1, 8);
	s->deltas[s->n_deltas++] = mp_import_json_scaled(value, 1);
}

static void take_start(void *arg, json_t *value)
{
	((struct state *)arg)->start = mp_import_json_scaled(value, 1);
}

static void take_end(void *arg, json_t *value)
{
	((struct state *)arg)->end = mp_import_json_scaled(value, 1);
}

static const struct mp_import_path paths[] = {
	{ ".nodes[]", take_node },	 { ".samples[]", take_sample },
	{ ".timeDeltas[]", take_delta }, { ".startTime", take_start },
	{ ".endTime", take_end },
};

/* Adds the frames of a node and its parents, except for the root, which V8 calls "(root)". */
static bool add_frames(struct state *s, struct mp_import_frames *f, uint64_t id)
{
	uint64_t name = mp_intmap_get(&s->names, id), parent;
	size_t n = 0;

	if (!name)
		return false;
	while (name && n++ <= s->n_texts && f->bytes <= MP_LINE_MAX) {
		parent = mp_intmap_get(&s->parents, id);
		if (parent || !mp_str_eq(s->texts[name - 1], MP_STR("(root)")))
			mp_import_frame_name(f, s->texts[name - 1], MP_MARK_NONE);
		if (!parent)
			break;
		id = parent - 1;
		name = mp_intmap_get(&s->names, id);
	}
	return true;
}

/* The time in us as ns, within what the stream allows. */
static uint64_t to_ns(int64_t us)
{
	return us < 0 ? 0 : (uint64_t)MP_MIN(us, INT64_MAX / 1000) * 1000;
}

static void write_samples(struct state *s)
{
	struct mp_import *im = s->im;
	struct mp_import_frames frames;
	int64_t time = s->start, next;
	size_t i;

	mp_import_frames_init(&frames);
	for (i = 0; i < s->n_samples && !im->refused; i++) {
		if (__builtin_add_overflow(time, s->deltas[i], &time))
			time = 0;
		next = s->end;
		if (i + 1 < s->n_samples && __builtin_add_overflow(time, s->deltas[i + 1], &next))
			next = time;
		mp_import_event(im, to_ns(time), MP_STR("sample"));
		mp_import_integer(im, "period",
				  (int64_t)(to_ns(next) - MP_MIN(to_ns(time), to_ns(next))));
		if (!add_frames(s, &frames, (uint64_t)s->samples[i])) {
			mp_import_bad(im, "a sample of a node that is missing");
			continue;
		}
		mp_import_stack(im, &frames);
		mp_import_write(im);
	}
	mp_import_frames_release(&frames);
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im };

	im->source = "cpuprofile";
	mp_intmap_init(&s.parents);
	mp_intmap_init(&s.names);
	mp_import_json(im, paths, MP_ARRAY_SIZE(paths), &s);
	mp_import_origin(im, "units", json_pack("{s:s}", "period", "ns"));
	if (s.n_texts && s.n_samples == s.n_deltas) {
		mp_import_begin(im, MP_EVENT, "v8");
		write_samples(&s);
	} else {
		mp_import_refuse(im, "the profile has no nodes, or not a time for each sample");
	}
	mp_intmap_release(&s.parents);
	mp_intmap_release(&s.names);
	mp_arena_release(&s.text);
	free(s.texts);
	free(s.samples);
	free(s.deltas);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	(void)first;
	if (mp_import_find(line, "\"callFrame\"") == line.len ||
	    mp_import_find(line, "\"ph\"") < line.len ||
	    mp_import_find(line, "\"selfSize\"") < line.len ||
	    mp_import_find(line, "\"head\"") < line.len)
		return MP_IMPORT_UNLIKE;
	return mp_import_find(line, "\"functionName\"") < line.len ? MP_IMPORT_CERTAIN
								   : MP_IMPORT_DISTINCT;
}

const struct mp_import_format mp_import_cpuprofile = { "cpuprofile", looks_like, NULL, parse };
