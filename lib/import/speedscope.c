// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads speedscope's file format, https://www.speedscope.app/file-format-schema.json: frames, and
 * profiles that are samples with weights, or events at which frames open and close. A profile
 * becomes a section of stacks with its name.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/core/intmap.h"
#include "lib/import/counted.h"
#include "lib/import/format.h"
#include "lib/import/json.h"
#include "lib/stream/unit.h"

enum { NODES_MAX = 16 << 20 };

/* A frame below its callers. Node 0 is the root. */
struct node {
	uint32_t parent, frame;
	size_t total; /* the latest one of this node, from 1; 0: none */
};

/* The sum for a stack in one profile; profiles may come before the names of their frames. */
struct total {
	uint32_t node, profile;
	double weight;
};

struct profile {
	struct mp_str name, unit;
};

struct state {
	struct mp_import *im;
	struct mp_arena text;
	struct mp_str *frames;
	size_t n_frames, cap_frames;
	struct node *nodes;
	size_t n_nodes, cap_nodes;
	struct mp_intmap children; /* parent << 32 | frame -> node */
	struct total *totals;
	size_t n_totals, cap_totals;
	struct profile *profiles;
	size_t n_profiles, cap_profiles;
	/* the current profile; samples and weights are paired when it ends */
	struct profile current;
	uint32_t *samples;
	size_t n_samples, cap_samples;
	double *weights;
	size_t n_weights, cap_weights;
	uint32_t open; /* node of the frames that are open in a profile of events */
	double last;   /* time of the latest event */
	bool evented, mismatched;
};

static void take_frame(void *arg, json_t *value)
{
	struct state *s = arg;
	struct mp_str name = mp_import_json_text(json_object_get(value, "name"));
	struct mp_str file = mp_import_json_text(json_object_get(value, "file"));
	const json_t *line = json_object_get(value, "line");
	struct mp_buf text = { NULL, 0, 0 };

	mp_buf_str(&text, name);
	if (file.len) {
		mp_buf_byte(&text, ' ');
		mp_buf_str(&text, file);
		if (json_is_integer(line))
			mp_buf_printf(&text, ":%lld", (long long)json_integer_value(line));
	}
	if (s->n_frames == s->cap_frames)
		s->frames = mp_grow(s->frames, &s->cap_frames, s->n_frames + 1, sizeof(*s->frames));
	s->frames[s->n_frames++] = mp_arena_str(&s->text, mp_buf_view(&text));
	mp_buf_release(&text);
}

/* The node of a frame below another node. */
static uint32_t child_of(struct state *s, uint32_t parent, const json_t *frame)
{
	int64_t n = mp_import_json_scaled(frame, 1);
	uint32_t index = n < 0 || n >= UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	uint64_t key = (uint64_t)parent << 32 | index, node = mp_intmap_get(&s->children, key);

	if (node)
		return (uint32_t)node;
	if (s->n_nodes == NODES_MAX) {
		mp_import_refuse(s->im, "the profile has more than 16 million different stacks");
		return 0;
	}
	if (s->n_nodes == s->cap_nodes)
		s->nodes = mp_grow(s->nodes, &s->cap_nodes, s->n_nodes + 1, sizeof(*s->nodes));
	s->nodes[s->n_nodes] = (struct node){ .parent = parent, .frame = index };
	mp_intmap_add(&s->children, key, s->n_nodes);
	return (uint32_t)s->n_nodes++;
}

static void take_sample(void *arg, json_t *value)
{
	struct state *s = arg;
	const json_t *frame;
	uint32_t node = 0;
	size_t i;

	json_array_foreach (value, i, frame)
		node = child_of(s, node, frame);
	if (s->n_samples == s->cap_samples)
		s->samples = mp_grow(s->samples, &s->cap_samples, s->n_samples + 1, 4);
	s->samples[s->n_samples++] = node;
}

static void take_weight(void *arg, json_t *value)
{
	struct state *s = arg;

	if (s->n_weights == s->cap_weights)
		s->weights = mp_grow(s->weights, &s->cap_weights, s->n_weights + 1, 8);
	s->weights[s->n_weights++] = json_number_value(value);
}

static void add_weight(struct state *s, uint32_t node, double weight)
{
	struct node *n = &s->nodes[node];

	if (!n->total || s->totals[n->total - 1].profile != s->n_profiles) {
		if (s->n_totals == s->cap_totals)
			s->totals = mp_grow(s->totals, &s->cap_totals, s->n_totals + 1,
					    sizeof(*s->totals));
		s->totals[s->n_totals++] = (struct total){ node, (uint32_t)s->n_profiles, 0 };
		n->total = s->n_totals;
	}
	s->totals[n->total - 1].weight += weight;
}

/* {"type":"O","frame":3,"at":0.5}: the time since the event before belongs to what was open. */
static void take_event(void *arg, json_t *value)
{
	struct state *s = arg;
	struct mp_str type = mp_import_json_text(json_object_get(value, "type"));
	double at = json_number_value(json_object_get(value, "at"));

	if (s->evented)
		add_weight(s, s->open, at - s->last);
	s->evented = true;
	s->last = at;
	if (mp_str_eq(type, MP_STR("O")))
		s->open = child_of(s, s->open, json_object_get(value, "frame"));
	else if (s->open && mp_str_eq(type, MP_STR("C")))
		s->open = s->nodes[s->open].parent;
	else
		mp_import_bad(s->im, "an event that closes nothing");
}

static void take_name(void *arg, json_t *value)
{
	struct state *s = arg;

	s->current.name = mp_arena_str(&s->text, mp_import_json_text(value));
}

static void take_unit(void *arg, json_t *value)
{
	struct state *s = arg;

	s->current.unit = mp_arena_str(&s->text, mp_import_json_text(value));
}

static void end_profile(void *arg, json_t *none)
{
	struct state *s = arg;
	size_t i;

	(void)none;
	s->mismatched |= s->n_samples != s->n_weights;
	for (i = 0; i < MP_MIN(s->n_samples, s->n_weights); i++)
		add_weight(s, s->samples[i], s->weights[i]);
	if (s->n_profiles == s->cap_profiles)
		s->profiles = mp_grow(s->profiles, &s->cap_profiles, s->n_profiles + 1,
				      sizeof(*s->profiles));
	s->profiles[s->n_profiles++] = s->current;
	s->current = (struct profile){ { NULL, 0 }, { NULL, 0 } };
	s->n_samples = s->n_weights = s->open = 0;
	s->evented = false;
}

static const struct mp_import_path paths[] = {
	{ ".shared.frames[]", take_frame },	  { ".profiles[].samples[]", take_sample },
	{ ".profiles[].weights[]", take_weight }, { ".profiles[].events[]", take_event },
	{ ".profiles[].name", take_name },	  { ".profiles[].unit", take_unit },
	{ ".profiles[]}", end_profile },
};

/* The unit of the weights in the stream; times are in ns there, since weights are whole numbers. */
static struct mp_str unit_of(struct mp_str word, double *scale)
{
	double ns = 0;
	const char *unit = mp_unit_of_word(word, &ns);

	*scale = ns ? ns : 1;
	if (ns)
		return MP_STR("ns");
	return unit ? mp_str(unit) : MP_STR("count");
}

static void write_total(struct state *s, const struct total *t, double scale,
			struct mp_import_frames *frames)
{
	double weight = round(t->weight * scale);
	uint32_t node;

	if (weight == 0)
		return;
	if (!(fabs(weight) < 9e18)) {
		mp_import_bad(s->im, "a weight is out of range");
		return;
	}
	for (node = t->node; node && frames->bytes <= MP_LINE_MAX; node = s->nodes[node].parent) {
		uint32_t frame = s->nodes[node].frame;
		struct mp_str name = frame < s->n_frames ? s->frames[frame] : MP_STR("[unknown]");
		enum mp_mark mark = mp_frame_mark(name, &name);

		mp_import_frame_name(frames, name, mark);
	}
	mp_import_counted_write(s->im, frames, (int64_t)weight);
}

static void write_all(struct state *s)
{
	struct mp_import_frames frames;
	size_t profile, i = 0;
	double scale;

	mp_import_frames_init(&frames);
	for (profile = 0; profile < s->n_profiles && !s->im->refused; profile++) {
		struct mp_str unit = unit_of(s->profiles[profile].unit, &scale);

		mp_import_end(s->im);
		mp_import_counted_begin(s->im, s->profiles[profile].name, unit);
		for (; i < s->n_totals && s->totals[i].profile == profile && !s->im->refused; i++)
			write_total(s, &s->totals[i], scale, &frames);
	}
	mp_import_frames_release(&frames);
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im, .n_nodes = 1, .cap_nodes = 1 };

	im->source = "speedscope";
	s.nodes = mp_zalloc(sizeof(*s.nodes));
	mp_intmap_init(&s.children);
	mp_import_json(im, paths, MP_ARRAY_SIZE(paths), &s);
	if (!s.n_profiles)
		mp_import_refuse(im, "the file has no profile");
	else if (s.mismatched)
		mp_import_bad(im, "a profile has not as many weights as samples");
	if (!im->refused)
		write_all(&s);
	mp_intmap_release(&s.children);
	mp_arena_release(&s.text);
	free(s.frames);
	free(s.nodes);
	free(s.totals);
	free(s.profiles);
	free(s.samples);
	free(s.weights);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	(void)first;
	if (mp_import_find(line, "speedscope.app/file-format-schema") < line.len ||
	    (mp_import_find(line, "\"exporter\"") < line.len &&
	     mp_import_find(line, "\"speedscope@") < line.len))
		return MP_IMPORT_CERTAIN;
	return MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_speedscope = { "speedscope", looks_like, NULL, parse };
