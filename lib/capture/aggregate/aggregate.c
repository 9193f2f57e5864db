// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/aggregate/aggregate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/capture/host/arch.h"
#include "lib/capture/bpf/bpf.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/event/prototype.h"
#include "lib/capture/aggregate/symbolize.h"
#include "lib/capture/aggregate/totals.h"
#include "lib/core/clock.h"

enum { TICK_NS = 1000000000, BATCH = 4096 };

/* What holds the program on a probe: file descriptors. */
struct mp_holder {
	int event, link;
};

struct mp_aggregator {
	struct bpf_object *object;
	struct bpf_link *links[16]; /* of raw tracepoints */
	size_t n_links;
	struct mp_holder holders[MP_AGG_RULES];
	size_t n_holders;
	/* by number of the sum; several events may have one */
	const struct mp_event_agg *v[MP_AGG_RULES];
	size_t n;
	unsigned named; /* rules of sums of their own name that are in use, a bit each */
	unsigned max_frames;
	uint32_t *of_event;	    /* rule of a probe, number of a sampled event's program */
	struct mp_agg_setup *setup; /* the program's, mapped */
	struct mp_agg_state *state; /* likewise */
	struct mp_bpf_stacks *stacks;
	struct mp_agg_totals totals;
	struct mp_agg_texts texts;
	uint64_t flipped_ns, stopped_ns;
};

/* --- the arguments of the kernel's tracepoints ------------------------------------------------------- */

static bool is_size(const struct mp_tp_field *f)
{
	return f->kind != MP_TP_HEX && f->size == 8;
}

/*
 * What a raw tracepoint has of bytes asked for and bytes given, two numbers of 64 bits behind the
 * pointer: the latter's place differs between kernels. 0: there are none.
 */
static uint32_t size_argument(const char *tracepoint)
{
	struct mp_prototype p;
	uint32_t found = 0;
	char *error;
	size_t i;

	if (mp_prototype_find(&p, MP_TRACED_POINT, tracepoint, NULL, &error) < 0) {
		free(error);
		return 0;
	}
	for (i = 1; i < p.tp->n_fields && !found; i++) {
		uint32_t before = p.setup.fields[i - 1].arg, arg = p.setup.fields[i].arg;

		if (before > 1 && arg == before + 1 && is_size(&p.tp->fields[i - 1]) &&
		    is_size(&p.tp->fields[i]))
			found = arg;
	}
	mp_tp_free(p.tp);
	return found;
}

/* --- what is added up -------------------------------------------------------------------------------- */

bool mp_aggregator_wanted(const struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (events->v[i].sum)
			return true;
	return false;
}

static int fail(char **error, char *text)
{
	*error = text;
	return -1;
}

/* The number of a sum; -1: there are too many. */
static int number_of(struct mp_aggregator *s, const struct mp_event_agg *sum)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (strcmp(s->v[i]->name, sum->name) != 0)
			continue;
		if (!s->v[i]->weight[0]) /* what gives back does not say what it is */
			s->v[i] = sum;
		return (int)i;
	}
	if (s->n == MP_AGG_RULES)
		return -1;
	s->v[s->n] = sum;
	return (int)s->n++;
}

static bool is_probe(const struct mp_event *e)
{
	return mp_spec_is_probe(e->type);
}

static int want_program(struct mp_aggregator *s, const char *name)
{
	return bpf_program__set_autoload(bpf_object__find_program_by_name(s->object, name), true);
}

static void want_programs(struct mp_aggregator *s, enum mp_agg_kind kind)
{
	switch (kind) {
	case MP_AGG_OF_WAKERS:
	case MP_AGG_OF_BLOCKED:
		want_program(s, "sum_switch");
		want_program(s, "sum_waking");
		break;
	case MP_AGG_OF_KMALLOC:
		s->setup->kmalloc_size = size_argument("kmalloc");
		s->setup->cache_size = size_argument("kmem_cache_alloc");
		want_program(s, "sum_kmalloc");
		want_program(s, "sum_kfree");
		want_program(s, "sum_cache_alloc");
		want_program(s, "sum_cache_free");
		break;
	case MP_AGG_OF_PAGES:
		want_program(s, "sum_pages_alloc");
		want_program(s, "sum_pages_free");
		break;
	case MP_AGG_OF_EVENT:
		break;
	}
}

/* A sum of an event of its own name has the only rule of its kind. */
static int set_named_rule(struct mp_aggregator *s, const struct mp_event_agg *sum,
			  const struct mp_agg_rule *rule, char **error)
{
	struct mp_agg_rule *to = &s->setup->blocked;

	if (sum->kind == MP_AGG_OF_KMALLOC)
		to = &s->setup->memory;
	else if (sum->kind == MP_AGG_OF_PAGES)
		to = &s->setup->pages;
	if (s->named & 1u << (to - &s->setup->blocked))
		return fail(error, mp_asprintf("'%s': such a sum is there already", sum->name));
	s->named |= 1u << (to - &s->setup->blocked);
	*to = *rule;
	s->setup->with_waker |= sum->kind == MP_AGG_OF_WAKERS;
	want_programs(s, sum->kind);
	return 0;
}

static int set_rules(struct mp_aggregator *s, const struct mp_events *events, char **error)
{
	size_t probes = 0, samples = 0, i;
	char name[32];

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];
		struct mp_agg_rule rule;
		int number = e->sum ? number_of(s, e->sum) : 0;

		if (!e->sum)
			continue;
		if (number < 0 || probes == MP_AGG_RULES || samples == MP_AGG_SAMPLED)
			return fail(error, mp_asprintf("more than %u sums of probes, or %u of "
						       "sampled events",
						       MP_AGG_RULES, MP_AGG_SAMPLED));
		s->max_frames = MP_MAX(s->max_frames, e->max_stack);
		rule = e->sum->rule;
		rule.sum = number;
		if (e->sum->kind != MP_AGG_OF_EVENT) {
			if (set_named_rule(s, e->sum, &rule, error) < 0)
				return -1;
		} else if (is_probe(e)) {
			want_program(s, "sum_probe");
			s->of_event[i] = probes;
			s->setup->rules[probes++] = rule;
		} else {
			snprintf(name, sizeof(name), "sum_sample_%zu", samples);
			want_program(s, name);
			s->of_event[i] = samples;
			s->setup->sampled[samples++] = rule;
		}
	}
	return 0;
}

/* --- loading ------------------------------------------------------------------------------------------ */

static int refuse(const struct mp_event *e, const char *why, char **error)
{
	return fail(error, mp_asprintf("%s: it is added up %s", e->type, why));
}

/* Probes and sums of their own name do not go by the CPUs and cgroups of an event. */
static int check_target(const struct mp_events *events, bool system, char **error)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];

		if (e->sum && !system && (is_probe(e) || e->sum->kind != MP_AGG_OF_EVENT))
			return refuse(e, "for all CPUs and cgroups, or for processes (-p)", error);
	}
	return 0;
}

static bool share_map(struct mp_aggregator *s, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->object, name);

	return map && bpf_map__reuse_fd(map, mp_bpf_stacks_map(s->stacks, name)) == 0;
}

/* Tables that no sum needs are left out as far as possible. */
static void size_maps(struct mp_aggregator *s)
{
	bool held = false, blocked = false;
	size_t i;

	for (i = 0; i < s->n; i++) {
		held |= mp_event_agg_is_held(s->v[i]);
		blocked |= s->v[i]->kind == MP_AGG_OF_BLOCKED || s->v[i]->kind == MP_AGG_OF_WAKERS;
	}
	bpf_map__set_max_entries(bpf_object__find_map_by_name(s->object, "copies"),
				 MP_AGG_CONTEXTS * MP_MAX(libbpf_num_possible_cpus(), 1));
	if (!held)
		bpf_map__set_max_entries(bpf_object__find_map_by_name(s->object, "held"), 1);
	if (!blocked)
		bpf_map__set_max_entries(bpf_object__find_map_by_name(s->object, "blocked"), 1);
}

/* What the program begins with; after it is loaded it cannot be changed any more. */
static struct mp_agg_setup *find_setup(struct mp_aggregator *s)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, ".rodata.setup");
	size_t size;

	return m ? (void *)bpf_map__initial_value(m, &size) : NULL;
}

static struct mp_agg_state *map_state(struct mp_aggregator *s)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, ".data.state");
	void *p = mmap(NULL, sizeof(*s->state), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(m),
		       0);

	return p == MAP_FAILED ? NULL : p;
}

static bool open_object(struct mp_aggregator *s)
{
	static const char *const shared[] = { "rows",	 "pages",    "spaces", "tasks",
					      "records", "settings", "dropped" };
	struct bpf_program *p;
	size_t i;

	s->object = mp_bpf_open(MP_BPF_AGGREGATE);
	if (!s->object)
		return false;
	bpf_object__for_each_program(p, s->object) bpf_program__set_autoload(p, false);
	for (i = 0; i < MP_ARRAY_SIZE(shared); i++)
		if (!share_map(s, shared[i]))
			return false;
	s->setup = find_setup(s);
	return s->setup;
}

/* The raw tracepoints. */
static int attach_programs(struct mp_aggregator *s)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, s->object)
	{
		if (!bpf_program__autoload(p) ||
		    bpf_program__type(p) != BPF_PROG_TYPE_RAW_TRACEPOINT)
			continue;
		s->links[s->n_links] = bpf_program__attach(p);
		if (!s->links[s->n_links])
			return -1;
		s->n_links++;
	}
	return 0;
}

static int no_sums(const char *why, char **error)
{
	return fail(error, mp_asprintf("sums in the kernel cannot be had: %s", why));
}

int mp_aggregator_possible(char **error)
{
	if (!mp_arch_has_bpf())
		return no_sums("their programs do not support this processor architecture", error);
	if (!mp_bpf_built())
		return no_sums("mp-record was built without clang", error);
	if (libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL) != 1)
		return no_sums("BPF is not permitted (try as root)", error);
	return 0;
}

static int load(struct mp_aggregator *s, const struct mp_events *events,
		const struct mp_bpf_target *target, char **error)
{
	const char *const *follow;

	if (mp_aggregator_possible(error) < 0)
		return -1;
	if (!s->stacks || !open_object(s))
		return no_sums("this kernel does not take the program", error);
	if (set_rules(s, events, error) < 0)
		return -1;
	for (follow = mp_bpf_target_programs(target); *follow; follow++)
		want_program(s, *follow);
	size_maps(s);
	if (mp_bpf_target_set(s->object, target) < 0 || bpf_object__load(s->object) < 0 ||
	    !(s->state = map_state(s)) || attach_programs(s) < 0 ||
	    mp_bpf_target_fill(s->object, target) < 0)
		return no_sums(strerror(errno), error);
	return 0;
}

struct mp_aggregator *mp_aggregator_open(const struct mp_events *events,
					 struct mp_bpf_stacks *stacks,
					 const struct mp_bpf_target *target, bool system,
					 char **error)
{
	struct mp_aggregator *s = mp_zalloc(sizeof(*s));

	s->stacks = stacks;
	s->of_event = mp_zalloc(events->n * sizeof(*s->of_event));
	mp_agg_texts_init(&s->texts);
	mp_agg_totals_init(&s->totals, s->v, &s->texts);
	if (check_target(events, system, error) == 0 && load(s, events, target, error) == 0)
		return s;
	mp_aggregator_free(s);
	return NULL;
}

void mp_aggregator_free(struct mp_aggregator *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_holders; i++) {
		if (s->holders[i].link >= 0)
			close(s->holders[i].link);
		close(s->holders[i].event);
	}
	for (i = 0; i < s->n_links; i++)
		bpf_link__destroy(s->links[i]);
	if (s->state)
		munmap(s->state, sizeof(*s->state));
	bpf_object__close(s->object);
	mp_agg_totals_release(&s->totals);
	mp_agg_texts_release(&s->texts);
	free(s->of_event);
	free(s);
}

/* --- on events ---------------------------------------------------------------------------------------- */

static int refuse_event(const struct mp_event *e, char **error)
{
	return fail(error, mp_asprintf("%s cannot be added up in the kernel: %m", e->type));
}

static bool is_rule(const struct mp_event *e)
{
	return e->sum && e->sum->kind == MP_AGG_OF_EVENT;
}

/* A thread of the kernel, which has no memory where a probe could be hit; 0, ourselves, if it is not seen. */
static pid_t who_holds(void)
{
	enum { KTHREADD = 2 };
	char comm[64];
	size_t len;

	if (!mp_proc_comm(KTHREADD, KTHREADD, comm, &len))
		return 0;
	return mp_str_eq((struct mp_str){ comm, len }, MP_STR("kthreadd")) ? KTHREADD : 0;
}

/*
 * On an event of its own, that none inherits: the program is for all events of the probe, and the kernel
 * takes it away when one of them ends that has inherited it.
 */
static int attach_probe(struct mp_aggregator *s, const struct mp_event *e, uint32_t rule,
			char **error)
{
	struct bpf_program *p = bpf_object__find_program_by_name(s->object, "sum_probe");
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	struct perf_event_attr attr = e->attr;
	int fd, link;

	attr.read_format = 0;
	fd = mp_ring_open_event(e, &attr, who_holds(), -1, 0, error);
	if (fd < 0)
		return -1;
	opts.perf_event.bpf_cookie = rule;
	link = bpf_link_create(bpf_program__fd(p), fd, BPF_PERF_EVENT, &opts);
	s->holders[s->n_holders++] = (struct mp_holder){ fd, link };
	return link < 0 ? refuse_event(e, error) : 0;
}

static int attach_sample(struct mp_aggregator *s, const struct mp_counter *c)
{
	struct bpf_program *p;
	char name[32];

	snprintf(name, sizeof(name), "sum_sample_%u", s->of_event[c->event]);
	p = bpf_object__find_program_by_name(s->object, name);
	return ioctl(c->fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(p));
}

int mp_aggregator_attach(struct mp_aggregator *s, const struct mp_rings *rings,
			 const struct mp_events *events, char **error)
{
	const struct mp_event *e;
	size_t i;

	for (i = 0; i < events->n; i++) {
		e = &events->v[i];
		if (is_rule(e) && is_probe(e) && attach_probe(s, e, s->of_event[i], error) < 0)
			return -1;
	}
	for (i = 0; i < rings->n_counters; i++) {
		e = &events->v[rings->counters[i].event];
		if (is_rule(e) && !is_probe(e) && attach_sample(s, &rings->counters[i]) < 0)
			return refuse_event(e, error);
	}
	return 0;
}

void mp_aggregator_start(struct mp_aggregator *s)
{
	s->flipped_ns = mp_monotonic_ns();
	__atomic_store_n(&s->state->enabled, 1, __ATOMIC_RELEASE);
}

void mp_aggregator_stop(struct mp_aggregator *s)
{
	__atomic_store_n(&s->state->enabled, 0, __ATOMIC_RELEASE);
	s->stopped_ns = mp_monotonic_ns();
}

/* --- reading ------------------------------------------------------------------------------------------ */

bool mp_aggregator_stack(struct mp_aggregator *s, const struct mp_agg_stack *stack,
			 const struct mp_aggregator_symbols *words)
{
	struct mp_task *task;

	if (stack->size != sizeof(*stack) || stack->n_kernel > MP_AGG_KERNEL ||
	    stack->n_user > MP_BPF_FRAMES)
		return false;
	task = mp_tasks_get(words->tasks, stack->pid, stack->tid);
	if (stack->end == MP_BPF_NO_TABLES || stack->end == MP_BPF_COPIED)
		mp_bpf_stacks_update(s->stacks, task->process, stack->time_ns);
	mp_agg_texts_put(&s->texts, stack, task->process, words, s->max_frames);
	return true;
}

/* Calls `each` for what is in a map, and empties it. */
typedef void take_fn(struct mp_aggregator *s, const void *key, const void *value);

static void empty(struct mp_aggregator *s, const char *name, take_fn *each)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->object, name);
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map);
	char *keys = mp_alloc(BATCH * key_size), *values = mp_alloc(BATCH * value_size);
	uint32_t at, n, i;
	void *from = NULL;
	int result;

	do {
		n = BATCH;
		result = bpf_map_lookup_and_delete_batch(bpf_map__fd(map), from, &at, keys, values,
							 &n, NULL);
		if (result < 0 && errno != ENOENT) {
			mp_say("cannot read sums of the kernel: %m");
			break;
		}
		for (i = 0; i < n; i++)
			each(s, keys + i * key_size, values + i * value_size);
		from = &at;
	} while (result == 0);
	free(keys);
	free(values);
}

static void take_total(struct mp_aggregator *s, const void *key, const void *value)
{
	mp_agg_totals_add(&s->totals, key, value);
}

/* Who is blocked at the end has been so until then. */
static void take_blocked(struct mp_aggregator *s, const void *key, const void *value)
{
	const struct mp_agg_blocked *b = value;
	struct mp_agg_key of = { .id = b->id, .sum = s->setup->blocked.sum };
	struct mp_agg_total total = { .count = 1 };

	(void)key;
	if (s->stopped_ns > b->time_ns)
		total.weight = s->stopped_ns - b->time_ns;
	mp_agg_totals_add(&s->totals, &of, &total);
}

static void take_held(struct mp_aggregator *s, const void *key, const void *value)
{
	const struct mp_agg_pointer *pointer = key;
	const struct mp_agg_held *held = value;
	uint64_t age_ns = s->stopped_ns > held->time_ns ? s->stopped_ns - held->time_ns : 0;
	struct mp_agg_key of = { held->id, mp_agg_texts_age(age_ns), pointer->sum };
	struct mp_agg_total total = { held->weight, 1 };

	mp_agg_totals_add(&s->totals, &of, &total);
}

void mp_aggregator_tick(struct mp_aggregator *s, uint64_t settled_ns)
{
	uint32_t current = s->state->current;

	if (settled_ns <= s->flipped_ns || settled_ns - s->flipped_ns < TICK_NS)
		return;
	mp_agg_totals_settle(&s->totals, false);
	/* nobody has filled it since the last time */
	empty(s, current ? "sums_a" : "sums_b", take_total);
	__atomic_store_n(&s->state->current, !current, __ATOMIC_RELEASE);
	s->flipped_ns = mp_monotonic_ns();
}

/* --- writing ------------------------------------------------------------------------------------------ */

static json_t *make_header(const json_t *like, const struct mp_event_agg *sum)
{
	json_t *header = json_deep_copy(like);
	const char *unit = mp_event_agg_unit(sum);

	json_object_set_new(header, "datatype", json_string("stack"));
	json_object_del(header, "events");
	json_object_set_new(header, "sum", mp_ctl_string(mp_str(sum->name)));
	json_object_set_new(header, "weight", json_string(sum->weight));
	if (unit)
		json_object_set_new(header, "units", json_pack("{s:s}", sum->weight, unit));
	return header;
}

static json_t *make_trailer(const struct mp_aggregator *s, size_t number,
			    const struct mp_agg_lines *lines)
{
	const struct mp_agg_total *dropped = &s->state->dropped[number];
	json_t *trailer = mp_ctl_trailer(MP_STACK, lines->map.n, dropped->count);

	json_object_set_new(trailer, "time", json_integer((json_int_t)s->stopped_ns));
	json_object_set_new(trailer, "added", json_integer((json_int_t)lines->added));
	if (dropped->weight)
		json_object_set_new(trailer, "lost-weight",
				    json_integer((json_int_t)dropped->weight));
	return trailer;
}

static void put_json(json_t *object, mp_aggregator_put_fn *put, void *arg)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, object);
	put(arg, mp_buf_view(&line));
	mp_buf_release(&line);
}

static void add_ends(struct mp_unwind_stats *to, const struct mp_unwind_stats *from)
{
	size_t i;

	for (i = 0; i < MP_UNWIND_ENDS; i++)
		to->ends[MP_METHOD_BPF][i] += from->ends[MP_METHOD_BPF][i];
}

void mp_aggregator_write(struct mp_aggregator *s, const json_t *like,
			 struct mp_unwind_stats *unwound, mp_aggregator_put_fn *put, void *arg)
{
	size_t i;

	empty(s, "sums_a", take_total);
	empty(s, "sums_b", take_total);
	empty(s, "blocked", take_blocked);
	empty(s, "held", take_held);
	mp_agg_totals_settle(&s->totals, true);
	add_ends(unwound, &s->totals.unwound);
	for (i = 0; i < s->n; i++) {
		struct mp_agg_lines lines;

		mp_agg_lines_init(&lines);
		mp_agg_totals_lines(&s->totals, i, &lines);
		put_json(make_header(like, s->v[i]), put, arg);
		mp_agg_lines_write(&lines, put, arg);
		put_json(make_trailer(s, i, &lines), put, arg);
		mp_agg_lines_release(&lines);
	}
}

void mp_aggregator_losses(const struct mp_aggregator *s, struct mp_aggregator_losses *losses)
{
	size_t i;

	*losses = (struct mp_aggregator_losses){
		.unsent = s->state->unsent,
		.unknown = s->totals.unknown,
		.stacks = s->texts.known.n,
		.texts = s->texts.n_texts,
	};
	for (i = 0; i < s->n; i++)
		losses->count += s->state->dropped[i].count;
}
