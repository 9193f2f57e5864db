// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records as the kernel's rings, the tracking, BPF programs and the counters deliver them, with
 * sizes and contents of the input: each is whole or broken, and every line that the writer makes of
 * them is valid.
 *
 * The input is a sequence of records: stream, type, misc, length in words (8 bytes), a flag for a
 * size in the header that differs, and the words. Those of BPF programs and counters have twice as
 * many, and one more if misc is odd.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/host/record.h"
#include "lib/capture/session/writer.h"
#include "lib/capture/session/writer_end.h"
#include "lib/capture/stack/walk_tables.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_EVENTS = 6, N_STREAMS = 6, FIRST_LONG = 4 };

static struct mp_names_entry entries[] = { { 1, (char *)"S" }, { 2, (char *)"D" } };
static struct mp_names_part parts[] = {
	{ MP_NAMES_FLAGS, { 24, 4, 0, false }, 0xff, entries, 2, (char *)"|", NULL },
	{ .kind = MP_NAMES_SYMBOL, .mask = ~0ull },
	{ .kind = MP_NAMES_SOCKET, .mask = ~0ull },
};
static struct mp_names names[] = { { parts, 1 }, { parts + 1, 1 }, { parts + 2, 1 } };
static struct mp_tp_field fields[] = {
	{ "text", MP_TP_STRING, MP_TP_FIXED, 8, 8, 1, true, NULL },
	{ "small", MP_TP_SIGNED, MP_TP_FIXED, 16, 2, 2, false, &names[0] },
	{ "addr", MP_TP_HEX, MP_TP_FIXED, 24, 8, 8, false, &names[1] },
	{ "list", MP_TP_UNSIGNED, MP_TP_FIXED, 32, 4, 1, true, &names[2] },
	{ "dyn", MP_TP_STRING, MP_TP_DATA_LOC, 36, 4, 1, true, NULL },
	{ "rel", MP_TP_SIGNED, MP_TP_REL_LOC, 40, 4, 4, true, NULL },
};
static struct mp_cut_field payload[MP_ARRAY_SIZE(fields)];
static struct mp_cut_event events[N_EVENTS] = {
	{ .type = "a:b",
	  .common = true,
	  .payload = payload,
	  .n_payload = MP_ARRAY_SIZE(fields),
	  .each = true },
	{ .type = "clock" },
	{ .type = "copied" },
	{ .type = "memory" },
	{ .type = "task:comm", .own = true, .record = PERF_RECORD_COMM },
	{ .type = "walked", .method = MP_METHOD_BPF },
};
static struct mp_cut_agg aggs[] = {
	{ .name = "sum:a", .weight = "count", .user = true },
	{ .name = "sum:b", .weight = "bytes", .unit = "B", .user = true, .held = true },
};
static struct mp_cut_counter counters[N_EVENTS];
static int32_t cpu = 1;
static const struct mp_cut_plan plan = {
	.events = { .v = events, .n = N_EVENTS, .aggs = aggs, .n_aggs = MP_ARRAY_SIZE(aggs) },
	.cpus = &cpu,
	.n_rings = 1,
	.counters = counters,
	.n_counters = N_EVENTS,
	.rotate_ns = 1,
	.counts = true,
	.quiet = true,
};
static struct mp_opener opener;
static struct mp_symbols symbols;
static json_t *header;

static void prepare(void)
{
	static const uint64_t base = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(fields); i++)
		payload[i].at = fields[i];
	events[0].sample_type = base | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	events[1].sample_type =
		base | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP;
	events[2].sample_type =
		base | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	events[2].sample_regs_user = mp_arch_here()->perf_regs;
	events[2].sample_stack_user = 4096;
	events[3].sample_type = base | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
	events[5].sample_type = base | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER;
	events[5].sample_regs_user = 3; /* any two: the stack pointer, and the program counter */
	for (i = 0; i < N_EVENTS; i++) {
		events[i].context = ~0u & ~(i == 1 ? 0u : MP_CTX_CGROUP);
		events[i].sample_max_stack = 127;
		counters[i] = (struct mp_cut_counter){ .event = i, .id = i + 1, .tid = -1 };
	}
	header = json_pack("{s:s}", "type", "header");
	mp_opener_init(&opener);
	mp_symbols_init(&symbols, &opener);
}

/* Types that do not fit into a byte. */
static uint32_t type_of(size_t stream, uint8_t type)
{
	static const uint32_t types[2][4] = {
		{ MP_BPF_RECORD, MP_BPF_COPY, MP_AGG_STACK, MP_TRACK_REFUSED },
		{ MP_CUT_CHECK, MP_CUT_STOP, MP_CUT_TOTALS, MP_CUT_TOTALS_END },
	};

	return stream < FIRST_LONG ? type : types[stream - FIRST_LONG][type % 4];
}

/* Puts the records of the input into the queue; a stream has one chunk. */
static void fill(struct mp_queue *q, const struct mp_queue_stream *const *streams,
		 const uint8_t *data, size_t size)
{
	struct mp_chunk *chunks[N_STREAMS];
	const uint8_t *end = data + size;
	size_t i, words;

	for (i = 0; i < N_STREAMS; i++)
		chunks[i] = mp_queue_chunk_always(q, streams[i], 2 * size + 4096);
	while (end - data >= 5) {
		size_t stream = data[0] % N_STREAMS;
		struct mp_chunk *c = chunks[stream];
		struct perf_event_header h = { .type = type_of(stream, data[1]), .misc = data[2] };

		words = stream < FIRST_LONG ? data[3] : 2u * data[3] + (data[2] & 1);
		words = MP_MIN(words, (size_t)(end - data - 5) / 8);
		h.size = (uint16_t)(sizeof(h) + 8 * (data[4] ? data[4] : words));
		memcpy(c->data + c->len, &h, sizeof(h));
		memcpy(c->data + c->len + sizeof(h), data + 5, 8 * words);
		c->len += sizeof(h) + 8 * words;
		data += 5 + 8 * words;
	}
	for (i = 0; i < N_STREAMS; i++)
		mp_queue_push(q, chunks[i]);
	mp_queue_mark(q, 1000, 1000);
	mp_queue_mark(q, UINT64_MAX, UINT64_MAX);
}

static void check_lines(const char *p, size_t len)
{
	const char *end = p + len, *lf, *why;
	struct mp_rec rec;

	for (; p < end; p = lf + 1) {
		lf = memchr(p, '\n', end - p);
		if (!lf || mp_rec_parse(&rec, p, lf - p, &why) < 0 || mp_rec_check(&rec, &why) < 0)
			abort();
	}
}

/* An mp_tasks_dso_fn, as mp_symbols_dso(). */
static struct mp_dso *take_file(void *arg, const struct mp_proc_map *map, struct mp_tasks *tasks,
				struct mp_process *process)
{
	const struct mp_budget_who who = { .uid = process->uid, .file = map->path };
	bool known;
	struct mp_dso *dso = mp_dsos_find(arg, map, &known);

	(void)tasks;
	return known ? dso : mp_dsos_get(arg, map, &who);
}

/* The collector, which takes everything, and asks for the rows of each file. */
static void update_space(void *arg, const struct mp_cut_space *space)
{
	struct mp_cut_rows rows;
	size_t i;

	for (i = 0; i < space->n; i++) {
		mp_walk_tables_rows(arg, space->v[i].file, &rows);
		free(rows.v);
	}
}

static void forget_space(void *arg, uint64_t number)
{
	(void)arg, (void)number;
}

static void forget_file(void *arg, uint32_t file)
{
	(void)arg, (void)file;
}

static void write_all(struct mp_queue_reader *r, struct mp_formatter *f)
{
	struct mp_out out;
	struct mp_writer_setup setup = { .plan = &plan, .queue = r, .out = &out, .formatter = f };
	struct mp_writer w;
	struct mp_counts counts[N_EVENTS] = { { .count = 0 } };
	const struct mp_cut_end end = { counts, N_EVENTS, (char *)"{}", (char *)"{}", 0 };
	size_t len;
	char *text;
	int copy;

	memory_out_init(&out);
	setup.journal = mp_journal_new(mp_writer_state_bytes(&plan, mp_queue_streams(r)),
				       mp_writer_more_bytes(&plan));
	mp_writer_init(&w, &setup);
	w.files.header = header;
	mp_writer_run(&w);
	mp_writer_end_queue(&w);
	mp_out_flush(&out);
	copy = dup(out.fd);
	mp_writer_end(&w, &end);
	mp_writer_release(&w);
	mp_journal_free(setup.journal);
	text = memory_read(copy, &len);
	close(copy);
	check_lines(text, len);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum mp_queue_type types[N_STREAMS] = { MP_QUEUE_EVENTS, MP_QUEUE_EVENTS,
							     MP_QUEUE_TASKS,  MP_QUEUE_TASKS,
							     MP_QUEUE_STACKS, MP_QUEUE_READINGS };
	const struct mp_queue_stream *streams[N_STREAMS];
	struct mp_chain_texts stacks;
	struct mp_unwinder unwinder;
	struct mp_queue *q = mp_queue_new(64 << 20, 1 << 20);
	const struct mp_queue_fds fds = mp_queue_fds(q);
	struct mp_queue_reader *r = mp_queue_attach(&fds);
	struct mp_walk_tables tables;
	struct mp_budget budget;
	struct mp_formatter f;
	struct mp_tasks tasks;
	struct mp_dsos dsos;
	size_t i;

	if (!payload[0].at.name)
		prepare();
	for (i = 0; i < N_STREAMS; i++)
		streams[i] = mp_queue_add(q, types[i], "fuzzer", 0);
	mp_dsos_init(&dsos, &opener);
	mp_unwinder_init(&unwinder, mp_arch_here(), &dsos);
	mp_chain_texts_init(&stacks, &symbols);
	mp_tasks_init(&tasks, take_file, &dsos);
	mp_budget_init(&budget, NULL);
	tasks.budget = &budget;
	mp_formatter_init(&f, &plan.events, &tasks, &stacks, &unwinder);
	tables = (struct mp_walk_tables){
		.walker = { &dsos, update_space, forget_space, forget_file },
		.dsos = &dsos,
		.tasks = &tasks,
	};
	mp_walk_tables_init(&tables);
	f.tables = &tables;
	f.cgroups = mp_cgroup_names_new(NULL, NULL);
	fill(q, streams, data, size);
	write_all(r, &f);
	mp_formatter_release(&f);
	mp_tasks_release(&tasks);
	mp_budget_release(&budget);
	mp_walk_tables_release(&tables);
	mp_chain_texts_release(&stacks);
	mp_unwinder_release(&unwinder);
	mp_dsos_release(&dsos);
	mp_queue_detach(r);
	mp_queue_free(q);
	return 0;
}
