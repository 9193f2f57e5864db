// SPDX-License-Identifier: GPL-2.0-only
#include "lib/export/trace.h"

#include <stdlib.h>

#include "lib/stream/esc.h"

/* enum SequenceFlags of Perfetto */
enum { CLEARED = 1, NEEDS_STATE = 2 };

void mp_export_trace_init(struct mp_export_trace *t, struct mp_export *ex)
{
	*t = (struct mp_export_trace){ .out = &ex->out, .fold = &ex->reader.fold };
	mp_map_init(&t->names, sizeof(uint64_t));
	mp_map_init(&t->keys, sizeof(uint64_t));
	mp_map_init(&t->functions, sizeof(uint64_t));
	mp_map_init(&t->mappings, sizeof(uint64_t));
	mp_map_init(&t->frames, sizeof(uint64_t));
	mp_map_init(&t->stacks, sizeof(uint64_t));
}

void mp_export_trace_release(struct mp_export_trace *t)
{
	mp_map_release(&t->names);
	mp_map_release(&t->keys);
	mp_map_release(&t->functions);
	mp_map_release(&t->mappings);
	mp_map_release(&t->frames);
	mp_map_release(&t->stacks);
	mp_buf_release(&t->packed);
	mp_buf_release(&t->text);
	mp_buf_release(&t->decoded);
	free(t->ids);
}

/* --- packets ---------------------------------------------------------------------------------- */

Perfetto__TracePacket mp_export_packet(const struct mp_export_trace *t,
				       const struct mp_export_sequence *sequence)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	if (sequence) {
		packet.has_trusted_packet_sequence_id = packet.has_sequence_flags = true;
		packet.trusted_packet_sequence_id = sequence->id;
		packet.sequence_flags = NEEDS_STATE;
	} else {
		packet.has_timestamp_clock_id = true;
		packet.timestamp_clock_id = t->clock;
	}
	return packet;
}

void mp_export_trace_write(struct mp_export_trace *t, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;
	size_t len;

	trace.n_packet = 1;
	trace.packet = &packet;
	len = perfetto__trace__get_packed_size(&trace);
	t->packed.len = 0;
	mp_buf_reserve(&t->packed, len);
	perfetto__trace__pack(&trace, (uint8_t *)t->packed.p);
	mp_out_write(t->out, t->packed.p, len);
}

void mp_export_sequence_begin(struct mp_export_trace *t, struct mp_export_sequence *sequence,
			      struct mp_str samples)
{
	Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__PerfSampleDefaults perf = PERFETTO__PERF_SAMPLE_DEFAULTS__INIT;
	Perfetto__Timebase timebase = PERFETTO__TIMEBASE__INIT;
	Perfetto__TracePacket packet;

	sequence->id = ++t->sequences;
	snprintf(sequence->text, sizeof(sequence->text), "%u", sequence->id);
	packet = mp_export_packet(t, sequence);
	packet.sequence_flags = CLEARED;
	packet.trace_packet_defaults = &defaults;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = t->clock;
	if (samples.p) {
		mp_export_texts_begin(t, samples.len);
		timebase.has_name = true;
		timebase.name = mp_export_text(t, samples);
		perf.timebase = &timebase;
		defaults.perf_sample_defaults = &perf;
	}
	mp_export_trace_write(t, &packet);
}

/* --- texts and names -------------------------------------------------------------------------- */

void mp_export_texts_begin(struct mp_export_trace *t, size_t len)
{
	t->text.len = 0;
	mp_buf_reserve(&t->text, len * strlen(MP_REPLACEMENT) + 1);
}

static bool is_ascii(struct mp_str s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* As mp_export_text(), without escapes. */
static ProtobufCBinaryData text_of_bytes(struct mp_export_trace *t, struct mp_str raw)
{
	size_t start = t->text.len;

	if (is_ascii(raw) && raw.p != t->decoded.p)
		return (ProtobufCBinaryData){ raw.len, (uint8_t *)raw.p };
	mp_export_utf8(&t->text, raw);
	return (ProtobufCBinaryData){ t->text.len - start, (uint8_t *)t->text.p + start };
}

ProtobufCBinaryData mp_export_text(struct mp_export_trace *t, struct mp_str escaped)
{
	return text_of_bytes(t, mp_esc_decode(&t->decoded, escaped));
}

/* The number of a key of the sequence, and whether it is new. */
static uint64_t id_of(struct mp_map *map, const struct mp_export_sequence *sequence,
		      struct mp_str key, bool *fresh)
{
	struct mp_str parts[] = { mp_str(sequence->text), key };

	return mp_export_id(map, parts, MP_ARRAY_SIZE(parts), fresh);
}

static void write_interned(struct mp_export_trace *t, const struct mp_export_sequence *sequence,
			   Perfetto__InternedData *data)
{
	Perfetto__TracePacket packet = mp_export_packet(t, sequence);

	packet.interned_data = data;
	mp_export_trace_write(t, &packet);
}

/* Where a list of names is in the interned data. */
#define NAMES(data, member) &(data).n_##member, &(data).member

/* Writes a name, whose text is raw, to one of the lists of `data`. */
static void write_name(struct mp_export_trace *t, const struct mp_export_sequence *sequence,
		       uint64_t id, ProtobufCBinaryData text, Perfetto__InternedData *data,
		       size_t *n, Perfetto__InternedName ***list)
{
	Perfetto__InternedName name = PERFETTO__INTERNED_NAME__INIT, *one = &name;

	name.has_iid = name.has_str = true;
	name.iid = id;
	name.str = text;
	*n = 1;
	*list = &one;
	write_interned(t, sequence, data);
}

uint64_t mp_export_name(struct mp_export_trace *t, const struct mp_export_sequence *sequence,
			struct mp_str name)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	bool fresh;
	uint64_t id = id_of(&t->names, sequence, name, &fresh);

	if (fresh) {
		mp_export_texts_begin(t, name.len);
		write_name(t, sequence, id, mp_export_text(t, name), &data,
			   NAMES(data, event_names));
	}
	return id;
}

uint64_t mp_export_key(struct mp_export_trace *t, const struct mp_export_sequence *sequence,
		       struct mp_str key)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	bool fresh;
	uint64_t id = id_of(&t->keys, sequence, key, &fresh);

	if (fresh) {
		mp_export_texts_begin(t, key.len);
		write_name(t, sequence, id, text_of_bytes(t, key), &data,
			   NAMES(data, debug_annotation_names));
	}
	return id;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static uint64_t function_of(struct mp_export_trace *t, const struct mp_frame *frame)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	struct mp_buf name = { NULL, 0, 0 };
	bool fresh;
	uint64_t id;

	mp_export_frame(&name, frame->name, frame->mark);
	id = id_of(&t->functions, t->sequence, mp_buf_view(&name), &fresh);
	if (fresh) {
		mp_export_texts_begin(t, name.len);
		write_name(t, t->sequence, id, text_of_bytes(t, mp_buf_view(&name)), &data,
			   NAMES(data, function_names));
	}
	mp_buf_release(&name);
	return id;
}

/* Bytes of hexadecimal digits, of which there are 8. */
static ProtobufCBinaryData bytes_of(struct mp_str digits, uint8_t to[4])
{
	char text[9] = "";
	uint32_t v;
	size_t i;

	memcpy(text, digits.p, MP_MIN(digits.len, sizeof(text) - 1));
	v = (uint32_t)strtoul(text, NULL, 16);
	for (i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> (24 - 8 * i));
	return (ProtobufCBinaryData){ 4, to };
}

/* A module is "NAME:ID", escaped; ID is the beginning of its build id, or "-". "" is no file. */
static uint64_t mapping_of(struct mp_export_trace *t, struct mp_str module)
{
	Perfetto__InternedData path = PERFETTO__INTERNED_DATA__INIT, build = path, data = path;
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT, *one = &mapping;
	const char *colon = memrchr(module.p, ':', module.len);
	size_t len = colon ? (size_t)(colon - module.p) : module.len;
	struct mp_str digits = mp_str_skip(module, colon ? len + 1 : len);
	uint8_t bytes[4];
	bool fresh;

	mapping.iid = id_of(&t->mappings, t->sequence, module, &fresh);
	if (!fresh)
		return mapping.iid;
	mp_export_texts_begin(t, len);
	write_name(t, t->sequence, mapping.iid, mp_export_text(t, (struct mp_str){ module.p, len }),
		   &path, NAMES(path, mapping_paths));
	if (digits.len && !mp_str_eq(digits, MP_STR("-"))) {
		write_name(t, t->sequence, mapping.iid, bytes_of(digits, bytes), &build,
			   NAMES(build, build_ids));
		mapping.has_build_id = true;
		mapping.build_id = mapping.iid;
	}
	mapping.has_iid = true;
	mapping.n_path_string_ids = 1;
	mapping.path_string_ids = &mapping.iid;
	data.n_mappings = 1;
	data.mappings = &one;
	write_interned(t, t->sequence, &data);
	return mapping.iid;
}

static uint64_t frame_of(struct mp_export_trace *t, const struct mp_frame *frame)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Frame one_frame = PERFETTO__FRAME__INIT, *one = &one_frame;
	char mark = frame->mark ? (char)frame->mark : ' ';
	struct mp_str parts[] = {
		mp_str(t->sequence->text), { &mark, 1 }, frame->place, frame->name
	};
	struct mp_str text = frame->place;
	struct mp_place place = { 0, MP_STR("") };
	bool fresh;

	one_frame.iid = mp_export_id(&t->frames, parts, MP_ARRAY_SIZE(parts), &fresh);
	if (!fresh)
		return one_frame.iid;
	if (text.len)
		mp_frame_place(&text, &place);
	one_frame.has_iid = one_frame.has_function_name_id = true;
	one_frame.has_mapping_id = one_frame.has_rel_pc = true;
	one_frame.function_name_id = function_of(t, frame);
	one_frame.mapping_id = mapping_of(t, place.module);
	one_frame.rel_pc = place.offset;
	data.n_frames = 1;
	data.frames = &one;
	write_interned(t, t->sequence, &data);
	return one_frame.iid;
}

/* Writes the stack with the number t->stack. */
static void write_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Callstack stack = PERFETTO__CALLSTACK__INIT, *one = &stack;
	struct mp_export_trace *t = arg;
	size_t i;

	(void)weight;
	t->ids = mp_grow(t->ids, &t->cap, n + 1, sizeof(*t->ids));
	for (i = 0; i < n; i++)
		t->ids[i] = frame_of(t, &frames[i]);
	stack.has_iid = true;
	stack.iid = t->stack;
	stack.n_frame_ids = n;
	stack.frame_ids = t->ids;
	data.n_callstacks = 1;
	data.callstacks = &one;
	write_interned(t, t->sequence, &data);
}

int mp_export_stack(struct mp_export_trace *t, struct mp_export_sequence *sequence,
		    const struct mp_rec *rec, struct mp_str stack, uint64_t *id, const char **why)
{
	static const struct mp_fold_style style = { .lines = true };
	struct mp_str parts[] = { mp_str(sequence->text), stack };
	uint64_t *known;

	*id = 0;
	if (!stack.len)
		return 0;
	known = mp_map_value(mp_map_put(&t->stacks, parts, MP_ARRAY_SIZE(parts), NULL));
	if (!*known) { /* a new one, or one that could not be parsed */
		t->stack = t->stacks.n;
		t->sequence = sequence;
		if (mp_fold_pass(t->fold, &style, rec, write_stack, t, why) < 0)
			return -1;
		*known = t->stack;
	}
	*id = *known;
	return 0;
}
