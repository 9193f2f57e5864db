// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpfaggregate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/capture/bpf/bpf.h"
#include "lib/capture/host/archs.h"
#include "lib/capture/host/proc.h"
#include "lib/core/clock.h"

enum { TICK_NS = 1000000000, BATCH = 4096 };

/* The file descriptors that keep the program attached to a probe. */
struct holder {
	int event, link;
};

struct mp_bpf_aggregate {
	struct bpf_object *object;
	struct bpf_link *links[32]; /* links of raw tracepoints */
	size_t n_links;
	struct holder holders[MP_AGG_RULES];
	size_t n_holders;
	struct mp_event_aggs aggs;
	/* a bit for each rule in use of an aggregate that has no events */
	unsigned named;
	/* by event: number of the rule of a probe, or of the program of a sampled event */
	uint32_t *number_of_event;
	struct mp_agg_setup *setup; /* the program's settings, mapped */
	struct mp_agg_state *state; /* the program's state, mapped */
	struct mp_bpf_stacks *stacks;
	uint64_t flipped_ns, stopped_ns;
	uint64_t missed_before[MP_AGG_MEMORY_EVENTS]; /* before the start, by enum mp_agg_memory */
};

/* --- the arguments of the kernel's tracepoints ------------------------------------------------ */

static bool is_size(const struct mp_tp_field *f)
{
	return f->kind != MP_TP_HEX && f->size == 8;
}

/*
 * The number of the argument of a raw tracepoint that has the allocated bytes. It is the second of
 * two 64-bit numbers after the pointer (the first is the requested bytes); their place differs
 * between kernels. Returns 0 if the tracepoint does not have them.
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

/* --- rules ------------------------------------------------------------------------------------ */

static int fail(char **error, char *text)
{
	*error = text;
	return -1;
}

static int want_program(struct mp_bpf_aggregate *a, const char *name)
{
	return bpf_program__set_autoload(bpf_object__find_program_by_name(a->object, name), true);
}

/* The two programs for each event of the memory of the kernel. */
static const struct {
	enum mp_agg_kind kind;
	const char *first, *nested;
} memory_programs[] = {
	[MP_AGG_KMALLOC] = { MP_AGG_OF_KMALLOC, "aggregate_kmalloc", "aggregate_nested_kmalloc" },
	[MP_AGG_KFREE] = { MP_AGG_OF_KMALLOC, "aggregate_kfree", "aggregate_nested_kfree" },
	[MP_AGG_CACHE_ALLOC] = { MP_AGG_OF_KMALLOC, "aggregate_cache_alloc",
				 "aggregate_nested_cache_alloc" },
	[MP_AGG_CACHE_FREE] = { MP_AGG_OF_KMALLOC, "aggregate_cache_free",
				"aggregate_nested_cache_free" },
	[MP_AGG_PAGES_ALLOC] = { MP_AGG_OF_PAGES, "aggregate_pages_alloc",
				 "aggregate_nested_pages_alloc" },
	[MP_AGG_PAGES_FREE] = { MP_AGG_OF_PAGES, "aggregate_pages_free",
				"aggregate_nested_pages_free" },
};

static void want_memory_programs(struct mp_bpf_aggregate *a, enum mp_agg_kind kind)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(memory_programs); i++) {
		if (memory_programs[i].kind != kind)
			continue;
		want_program(a, memory_programs[i].first);
		want_program(a, memory_programs[i].nested);
	}
}

static void want_programs(struct mp_bpf_aggregate *a, enum mp_agg_kind kind)
{
	switch (kind) {
	case MP_AGG_OF_WAKERS:
	case MP_AGG_OF_BLOCKED:
		want_program(a, "aggregate_switch");
		want_program(a, "aggregate_waking");
		break;
	case MP_AGG_OF_KMALLOC:
		a->setup->kmalloc_size = size_argument("kmalloc");
		a->setup->cache_size = size_argument("kmem_cache_alloc");
		want_memory_programs(a, kind);
		break;
	case MP_AGG_OF_PAGES:
		want_memory_programs(a, kind);
		break;
	case MP_AGG_OF_EVENT:
		break;
	}
}

/* Aggregates without events, such as "sum:blocked", have one rule for each kind. */
static struct mp_agg_rule *named_rule(const struct mp_bpf_aggregate *a, enum mp_agg_kind kind)
{
	switch (kind) {
	case MP_AGG_OF_KMALLOC:
		return &a->setup->memory;
	case MP_AGG_OF_PAGES:
		return &a->setup->pages;
	default:
		return &a->setup->blocked;
	}
}

static int set_named_rule(struct mp_bpf_aggregate *a, const struct mp_event_agg *agg,
			  const struct mp_agg_rule *rule, char **error)
{
	struct mp_agg_rule *to = named_rule(a, agg->kind);

	if (a->named & 1u << (to - &a->setup->blocked))
		return fail(error, mp_asprintf("'%s': an aggregate of this kind was already given",
					       agg->name));
	a->named |= 1u << (to - &a->setup->blocked);
	*to = *rule;
	a->setup->with_waker |= agg->kind == MP_AGG_OF_WAKERS;
	want_programs(a, agg->kind);
	return 0;
}

static int set_rules(struct mp_bpf_aggregate *a, const struct mp_events *events, char **error)
{
	size_t probes = 0, samples = 0, i;
	char name[32];

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];
		struct mp_agg_rule rule;
		int number = e->agg ? mp_event_aggs_add(&a->aggs, e->agg) : 0;

		if (!e->agg)
			continue;
		if (number < 0 || probes == MP_AGG_RULES || samples == MP_AGG_SAMPLED)
			return fail(error, mp_asprintf("more than %u aggregated probes, or %u "
						       "aggregated sampled events",
						       MP_AGG_RULES, MP_AGG_SAMPLED));
		rule = e->agg->rule;
		rule.aggregate = number;
		if (e->agg->kind != MP_AGG_OF_EVENT) {
			if (set_named_rule(a, e->agg, &rule, error) < 0)
				return -1;
		} else if (e->probe) {
			want_program(a, "aggregate_probe");
			a->number_of_event[i] = probes;
			a->setup->rules[probes++] = rule;
		} else {
			snprintf(name, sizeof(name), "aggregate_sample_%zu", samples);
			want_program(a, name);
			a->number_of_event[i] = samples;
			a->setup->sampled[samples++] = rule;
		}
	}
	return 0;
}

/* --- loading ---------------------------------------------------------------------------------- */

static int refuse(const struct mp_event *e, const char *why, char **error)
{
	return fail(error, mp_asprintf("%s: in-kernel aggregation is %s", e->type, why));
}

/*
 * Refuses single CPUs and cgroups if there are probes or aggregates without events, since these
 * cannot distinguish them.
 */
static int check_target(const struct mp_events *events, bool system, char **error)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];

		if (e->agg && !system && (e->probe || e->agg->kind != MP_AGG_OF_EVENT))
			return refuse(e, "for all CPUs and cgroups, or for processes (-p)", error);
	}
	return 0;
}

static bool share_map(struct mp_bpf_aggregate *a, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(a->object, name);

	return map && bpf_map__reuse_fd(map, mp_bpf_stacks_map(a->stacks, name)) == 0;
}

/* Gives tables that no aggregate needs the smallest size. */
static void size_maps(struct mp_bpf_aggregate *a)
{
	bool held = false, blocked = false;
	size_t i;

	for (i = 0; i < a->aggs.n; i++) {
		held |= mp_event_agg_is_held(a->aggs.v[i]);
		blocked |= a->aggs.v[i]->kind == MP_AGG_OF_BLOCKED ||
			   a->aggs.v[i]->kind == MP_AGG_OF_WAKERS;
	}
	bpf_map__set_max_entries(bpf_object__find_map_by_name(a->object, "copies"),
				 MP_AGG_BUFFERS * MP_MAX(libbpf_num_possible_cpus(), 1));
	if (!held)
		bpf_map__set_max_entries(bpf_object__find_map_by_name(a->object, "held"), 1);
	if (!blocked)
		bpf_map__set_max_entries(bpf_object__find_map_by_name(a->object, "blocked"), 1);
}

/* Finds the settings of the programs in the object; they are constant once it is loaded. */
static struct mp_agg_setup *find_setup(struct mp_bpf_aggregate *a)
{
	struct bpf_map *m = bpf_object__find_map_by_name(a->object, ".rodata.setup");
	size_t size;

	return m ? (void *)bpf_map__initial_value(m, &size) : NULL;
}

static struct mp_agg_state *map_state(struct mp_bpf_aggregate *a)
{
	struct bpf_map *m = bpf_object__find_map_by_name(a->object, ".data.state");
	void *p = mmap(NULL, sizeof(*a->state), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(m),
		       0);

	return p == MAP_FAILED ? NULL : p;
}

static bool open_object(struct mp_bpf_aggregate *a)
{
	static const char *const shared[] = { "rows",	 "pages",    "spaces",	"tasks",
					      "records", "settings", "dropped", "copiers" };
	struct bpf_program *p;
	size_t i;

	a->object = mp_bpf_open("aggregate");
	if (!a->object)
		return false;
	bpf_object__for_each_program(p, a->object) bpf_program__set_autoload(p, false);
	for (i = 0; i < MP_ARRAY_SIZE(shared); i++)
		if (!share_map(a, shared[i]))
			return false;
	a->setup = find_setup(a);
	return a->setup;
}

/* Attaches the programs of raw tracepoints. */
static int attach_programs(struct mp_bpf_aggregate *a)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, a->object)
	{
		if (!bpf_program__autoload(p) ||
		    bpf_program__type(p) != BPF_PROG_TYPE_RAW_TRACEPOINT)
			continue;
		a->links[a->n_links] = bpf_program__attach(p);
		if (!a->links[a->n_links])
			return -1;
		a->n_links++;
	}
	return 0;
}

static int fail_all(const char *why, char **error)
{
	return fail(error, mp_asprintf("in-kernel aggregation is not available: %s", why));
}

int mp_bpf_aggregate_possible(char **error)
{
	if (!mp_arch_has_bpf())
		return fail_all("its programs do not support this processor architecture", error);
	if (!mp_bpf_built())
		return fail_all("mp-record was built without clang", error);
	if (libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL) != 1)
		return fail_all("BPF is not permitted (try as root)", error);
	return 0;
}

static int load(struct mp_bpf_aggregate *a, const struct mp_events *events,
		const struct mp_bpf_target *target, char **error)
{
	const char *const *follow;

	if (mp_bpf_aggregate_possible(error) < 0)
		return -1;
	if (!a->stacks || !open_object(a))
		return fail_all("this kernel does not accept the programs", error);
	if (set_rules(a, events, error) < 0)
		return -1;
	for (follow = mp_bpf_target_programs(target); *follow; follow++)
		want_program(a, *follow);
	size_maps(a);
	if (mp_bpf_target_set(a->object, target, false) < 0 || bpf_object__load(a->object) < 0 ||
	    !(a->state = map_state(a)) || attach_programs(a) < 0 ||
	    mp_bpf_target_fill(a->object, target) < 0)
		return fail_all(strerror(errno), error);
	return 0;
}

struct mp_bpf_aggregate *mp_bpf_aggregate_open(const struct mp_events *events,
					       struct mp_bpf_stacks *stacks,
					       const struct mp_bpf_target *target, bool system,
					       char **error)
{
	struct mp_bpf_aggregate *a = mp_zalloc(sizeof(*a));

	a->stacks = stacks;
	a->number_of_event = mp_zalloc(events->n * sizeof(*a->number_of_event));
	if (check_target(events, system, error) == 0 && load(a, events, target, error) == 0)
		return a;
	mp_bpf_aggregate_free(a);
	return NULL;
}

void mp_bpf_aggregate_free(struct mp_bpf_aggregate *a)
{
	size_t i;

	if (!a)
		return;
	for (i = 0; i < a->n_holders; i++) {
		if (a->holders[i].link >= 0)
			close(a->holders[i].link);
		close(a->holders[i].event);
	}
	for (i = 0; i < a->n_links; i++)
		bpf_link__destroy(a->links[i]);
	if (a->state)
		munmap(a->state, sizeof(*a->state));
	bpf_object__close(a->object);
	free(a->number_of_event);
	free(a);
}

/* --- attaching -------------------------------------------------------------------------------- */

static int refuse_event(const struct mp_event *e, char **error)
{
	return fail(error, mp_asprintf("%s: the kernel cannot aggregate it: %m", e->type));
}

static bool is_rule(const struct mp_event *e)
{
	return e->agg && e->agg->kind == MP_AGG_OF_EVENT;
}

static int attach_probe(struct mp_bpf_aggregate *a, const struct mp_event *e, uint32_t rule,
			char **error)
{
	struct bpf_program *p = bpf_object__find_program_by_name(a->object, "aggregate_probe");
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd = mp_bpf_hold_probe(e, error), link;

	if (fd < 0)
		return -1;
	opts.perf_event.bpf_cookie = rule;
	link = bpf_link_create(bpf_program__fd(p), fd, BPF_PERF_EVENT, &opts);
	a->holders[a->n_holders++] = (struct holder){ fd, link };
	return link < 0 ? refuse_event(e, error) : 0;
}

static int attach_sample(struct mp_bpf_aggregate *a, const struct mp_counter *c)
{
	struct bpf_program *p;
	char name[32];

	snprintf(name, sizeof(name), "aggregate_sample_%u", a->number_of_event[c->event]);
	p = bpf_object__find_program_by_name(a->object, name);
	return ioctl(c->fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(p));
}

int mp_bpf_aggregate_attach(struct mp_bpf_aggregate *a, const struct mp_rings *rings,
			    const struct mp_events *events, char **error)
{
	const struct mp_event *e;
	size_t i;

	for (i = 0; i < events->n; i++) {
		e = &events->v[i];
		if (is_rule(e) && e->probe && attach_probe(a, e, a->number_of_event[i], error) < 0)
			return -1;
	}
	for (i = 0; i < rings->n_counters; i++) {
		e = &events->v[rings->counters[i].event];
		if (is_rule(e) && !e->probe && attach_sample(a, &rings->counters[i]) < 0)
			return refuse_event(e, error);
	}
	return 0;
}

/* The number of events for which the kernel has started neither of the two programs. */
static uint64_t count_missed(const struct mp_bpf_aggregate *a, size_t event)
{
	const struct bpf_program *p =
		bpf_object__find_program_by_name(a->object, memory_programs[event].first);
	uint64_t skipped = bpf_program__autoload(p) ? mp_bpf_skipped(p) : 0;
	uint64_t nested = a->state->nested[event];

	return skipped > nested ? skipped - nested : 0;
}

void mp_bpf_aggregate_start(struct mp_bpf_aggregate *a)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(memory_programs); i++)
		a->missed_before[i] = count_missed(a, i);
	a->flipped_ns = mp_monotonic_ns();
	__atomic_store_n(&a->state->enabled, 1, __ATOMIC_RELEASE);
}

void mp_bpf_aggregate_stop(struct mp_bpf_aggregate *a)
{
	__atomic_store_n(&a->state->enabled, 0, __ATOMIC_RELEASE);
	a->stopped_ns = mp_monotonic_ns();
}

/* --- totals ----------------------------------------------------------------------------------- */

/* Converts an entry of a table to a total. */
typedef struct mp_cut_total entry_fn(const struct mp_bpf_aggregate *a, const void *key,
				     const void *value);

static struct mp_cut_total from_total(const struct mp_bpf_aggregate *a, const void *key,
				      const void *value)
{
	const struct mp_agg_key *k = key;
	const struct mp_agg_total *total = value;

	(void)a;
	return (struct mp_cut_total){ *k, *total };
}

/* Makes the total of a task that is still blocked at the end: it counts as blocked until then. */
static struct mp_cut_total from_blocked(const struct mp_bpf_aggregate *a, const void *key,
					const void *value)
{
	const struct mp_agg_blocked *b = value;
	struct mp_cut_total t = { { .id = b->id, .aggregate = a->setup->blocked.aggregate },
				  { .count = 1 } };

	(void)key;
	if (a->stopped_ns > b->time_ns)
		t.total.weight = a->stopped_ns - b->time_ns;
	return t;
}

static enum mp_cut_age age_of(uint64_t age_ns)
{
	uint64_t seconds = age_ns / MP_NS_PER_SEC;

	if (seconds < 1)
		return MP_CUT_AGE_BELOW_1_S;
	if (seconds < 10)
		return MP_CUT_AGE_BELOW_10_S;
	return seconds < 100 ? MP_CUT_AGE_BELOW_100_S : MP_CUT_AGE_ABOVE_100_S;
}

static struct mp_cut_total from_held(const struct mp_bpf_aggregate *a, const void *key,
				     const void *value)
{
	const struct mp_agg_pointer *pointer = key;
	const struct mp_agg_held *held = value;
	uint64_t age_ns = a->stopped_ns > held->time_ns ? a->stopped_ns - held->time_ns : 0;

	return (struct mp_cut_total){ { held->id, age_of(age_ns), pointer->aggregate },
				      { held->weight, 1 } };
}

/* Passes the contents of a table, and empties it. */
static void empty(const struct mp_bpf_aggregate *a, const char *name, entry_fn *from,
		  mp_cut_totals_fn *pass, void *arg)
{
	struct bpf_map *map = bpf_object__find_map_by_name(a->object, name);
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map);
	char *keys = mp_alloc(BATCH * key_size), *values = mp_alloc(BATCH * value_size);
	struct mp_cut_total *totals = mp_alloc(BATCH * sizeof(*totals));
	uint32_t at, n, i;
	void *previous = NULL;
	int result;

	do {
		n = BATCH;
		result = bpf_map_lookup_and_delete_batch(bpf_map__fd(map), previous, &at, keys,
							 values, &n, NULL);
		if (result < 0 && errno != ENOENT) {
			mp_say("cannot read the totals of in-kernel aggregation: %m");
			break;
		}
		for (i = 0; i < n; i++)
			totals[i] = from(a, keys + i * key_size, values + i * value_size);
		pass(arg, totals, n);
		previous = &at;
	} while (result == 0);
	free(keys);
	free(values);
	free(totals);
}

bool mp_bpf_aggregate_tick(struct mp_bpf_aggregate *a, uint64_t settled_ns, mp_cut_totals_fn *pass,
			   void *arg)
{
	uint32_t current = a->state->current;

	if (settled_ns <= a->flipped_ns || settled_ns - a->flipped_ns < TICK_NS)
		return false;
	/* the programs have filled the other table since the last call */
	empty(a, current & 1 ? "totals_a" : "totals_b", from_total, pass, arg);
	__atomic_store_n(&a->state->current, current + 1, __ATOMIC_RELEASE);
	a->flipped_ns = mp_monotonic_ns();
	return true;
}

void mp_bpf_aggregate_finish(struct mp_bpf_aggregate *a, mp_cut_totals_fn *pass, void *arg,
			     struct mp_cut_aggregate_end *end)
{
	size_t i;

	empty(a, "totals_a", from_total, pass, arg);
	empty(a, "totals_b", from_total, pass, arg);
	empty(a, "blocked", from_blocked, pass, arg);
	empty(a, "held", from_held, pass, arg);
	*end = (struct mp_cut_aggregate_end){ .stopped_ns = a->stopped_ns,
					      .unsent = a->state->unsent };
	memcpy(end->dropped, a->state->dropped, sizeof(end->dropped));
	for (i = 0; i < MP_ARRAY_SIZE(memory_programs); i++) {
		uint64_t missed = count_missed(a, i);

		if (missed > a->missed_before[i])
			end->dropped[named_rule(a, memory_programs[i].kind)->aggregate].count +=
				missed - a->missed_before[i];
	}
}
