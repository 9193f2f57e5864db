// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair.h"

#include <stdlib.h>

#include "lib/pairhead.h"
#include "lib/recent.h"
#include "lib/steps.h"
#include "lib/waiting.h"

enum {
	ENDS_KEPT =
		1 << 16,   /* latest ends that are remembered, should a loss be told behind them */
	TEXT_KEPT = 4096,  /* bytes that one that waits no longer may keep for the next */
	EVENTS_MAX = 1024, /* types of spans that a header names */
};

/* What is under way: its first event, and the latest if that is another. */
struct chain {
	struct mp_moment first, latest;
	unsigned link; /* it waits for step link + 1 */
};

/* A field of a key and where it is in events of a shape. */
struct place {
	const struct mp_shape *shape;
	size_t at;
};

struct ended {
	uint64_t time_ns;
	int cpu; /* that the pair was bound to; -1: none */
	bool counted;
};

struct mp_pair {
	struct mp_pair_options o;
	struct mp_relay *relay;
	unsigned last_step;
	bool one_key; /* every link has the same */
	struct mp_steps steps;
	struct mp_map_entry *type; /* of the event at hand */
	struct mp_split split;
	struct mp_spans spans;
	struct mp_waiting waiting;
	struct mp_recent recent;
	struct place *places;	       /* [link][end?][component] */
	size_t components;	       /* most of a key */
	int cpu_at[MP_PAIR_STEPS_MAX]; /* component that is the cpu at both ends; -1: none */
	struct mp_buf key, line, extra;
	struct mp_str part_names[MP_PAIR_STEPS_MAX];
	struct ended *ends; /* a ring */
	uint64_t n_ends;    /* of this section */
	uint64_t last_ns, last_loss_ns;
	struct mp_pair_counts counts;
};

static void release_chain(struct mp_waiting *t, void *value)
{
	struct chain *c = value;

	t->bytes -= c->first.cap + c->latest.cap;
	mp_moment_release(&c->first);
	mp_moment_release(&c->latest);
}

static const struct mp_pair_key *key_of(const struct mp_pair *p, unsigned link)
{
	const struct mp_pair_specs *s = p->o.specs;

	return &s->keys[MP_MIN(link, s->n_keys - 1)];
}

static int find_cpu(const struct mp_pair_key *key)
{
	size_t i;

	for (i = 0; i < key->begin.n; i++)
		if (mp_str_eq(key->begin.v[i].name, MP_STR("cpu")) &&
		    mp_str_eq(key->end.v[i].name, MP_STR("cpu")))
			return (int)i;
	return -1;
}

struct mp_pair *mp_pair_new(const struct mp_pair_options *options, struct mp_relay *relay)
{
	struct mp_pair *p = mp_zalloc(sizeof(*p));
	unsigned link;

	p->o = *options;
	p->relay = relay;
	p->last_step = options->n_steps - 1;
	p->one_key = options->specs->n_keys == 1;
	for (link = 0; link < p->last_step; link++) {
		p->components = MP_MAX(p->components, key_of(p, link)->begin.n);
		p->cpu_at[link] = find_cpu(key_of(p, link));
	}
	p->places = mp_zalloc(p->last_step * 2 * p->components * sizeof(*p->places));
	mp_steps_init(&p->steps, options->specs);
	mp_spans_init(&p->spans, options->specs, options->stack);
	mp_waiting_init(&p->waiting, sizeof(struct chain), release_chain);
	if (options->context)
		mp_recent_init(&p->recent, options->memory);
	p->ends = mp_alloc(ENDS_KEPT * sizeof(*p->ends));
	for (link = 0; options->name.len && link < p->last_step; link++) {
		mp_buf_printf(&p->key, "%.*s/%u", MP_STR_ARGS(options->name), link + 1);
		p->part_names[link] = mp_arena_str(&p->steps.types.arena, mp_buf_view(&p->key));
		p->key.len = 0;
	}
	return p;
}

void mp_pair_free(struct mp_pair *p)
{
	if (!p)
		return;
	mp_steps_release(&p->steps);
	mp_split_release(&p->split);
	mp_spans_release(&p->spans);
	mp_waiting_release(&p->waiting);
	mp_recent_release(&p->recent);
	mp_buf_release(&p->key);
	mp_buf_release(&p->line);
	mp_buf_release(&p->extra);
	free(p->places);
	free(p->ends);
	free(p);
}

const struct mp_pair_counts *mp_pair_counts(const struct mp_pair *p)
{
	return &p->counts;
}

/* --- keys ----------------------------------------------------------------------------------------- */

static bool key_value(struct mp_pair *p, const struct mp_field *f, struct place *place,
		      const struct mp_rec *rec, struct mp_str *value)
{
	const struct mp_split_field *field;

	if (f->id != MP_FIELD_KEY)
		return mp_rec_get(rec, f, value);
	if (p->split.shape && place->shape == p->split.shape) {
		field = place->at < p->split.n ? &p->split.v[place->at] : NULL;
	} else {
		field = mp_split_find(&p->split, f->name);
		place->shape = p->split.shape;
		place->at = field ? (size_t)(field - p->split.v) : SIZE_MAX;
	}
	if (field)
		*value = mp_split_value(field);
	return field != NULL;
}

/* The key of an event in p->key: the link, then the values. False if a field is missing. */
static bool make_key(struct mp_pair *p, unsigned link, bool end, const struct mp_rec *rec)
{
	const struct mp_pair_key *key = key_of(p, link);
	const struct mp_fields *fields = end ? &key->end : &key->begin;
	struct place *places = p->places + (link * 2 + end) * p->components;
	struct mp_str value;
	size_t i;

	p->key.len = 0;
	mp_buf_byte(&p->key, 'A' + link);
	for (i = 0; i < fields->n; i++) {
		if (!key_value(p, &fields->v[i], &places[i], rec, &value))
			return false;
		mp_buf_byte(&p->key, '\t');
		mp_buf_str(&p->key, value);
	}
	return true;
}

/* The cpu that one that waits is bound to, because both ends have it in the key; else -1. */
static int bound_cpu(const struct mp_pair *p, const struct mp_waiter *w, unsigned link)
{
	const char *end = w->key + w->key_len, *from = w->key, *to;
	uint64_t cpu;
	int i;

	if (p->cpu_at[link] < 0)
		return -1;
	for (i = 0; i <= p->cpu_at[link]; i++)
		from = (const char *)memchr(from, '\t', end - from) + 1;
	to = memchr(from, '\t', end - from);
	if (mp_num_u64((struct mp_str){ from, (to ? to : end) - from }, &cpu) < 0 ||
	    cpu > INT32_MAX)
		return -1;
	return (int)cpu;
}

/* --- lines ------------------------------------------------------------------------------------------ */

static bool fits(const struct mp_pair *p)
{
	return p->line.len < MP_LINE_MAX;
}

static bool wanted(const struct mp_pair *p, uint64_t dur)
{
	return dur >= p->o.over_ns && dur < p->o.under_ns;
}

/* The value of a field of a line; p == NULL: it has none. */
static struct mp_str value_of(const struct mp_field *f, struct mp_str line)
{
	struct mp_str value;
	struct mp_rec rec;
	const char *why;

	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0 || !mp_rec_get(&rec, f, &value))
		return (struct mp_str){ NULL, 0 };
	return value;
}

static bool is_one_of(struct mp_str value, struct mp_str a, struct mp_str b)
{
	return value.p && ((a.p && mp_str_eq(value, a)) || (b.p && mp_str_eq(value, b)));
}

static void write_context_line(struct mp_pair *p, struct mp_str line)
{
	struct mp_rec rec;
	const char *why;
	struct mp_str stack;
	size_t head;

	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0)
		return;
	head = mp_rec_stack(&rec, &stack) ? (size_t)(stack.p - 6 - line.p) : line.len;
	p->line.len = 0;
	mp_buf_add(&p->line, line.p, head);
	if (line.p[head - 1] != '\t' && line.p[head - 1] != ',')
		mp_buf_byte(&p->line, '\t');
	mp_buf_add(&p->line, p->extra.p + 1, p->extra.len - 1);
	if (head < line.len) {
		mp_buf_byte(&p->line, '\t');
		mp_buf_add(&p->line, line.p + head, line.len - head);
	}
	if (fits(p))
		mp_relay_line(p->relay, mp_buf_view(&p->line));
	else
		p->counts.too_long++;
}

/* The events from the begin to the end of a span, those that are asked for. */
static void write_context(struct mp_pair *p, const struct mp_moment *begin,
			  const struct mp_rec *end)
{
	static const struct mp_field fields[] = {
		[MP_PAIR_SAMECPU] = { MP_FIELD_KEY, { "cpu", 3 } },
		[MP_PAIR_SAMEPID] = { MP_FIELD_KEY, { "pid", 3 } },
		[MP_PAIR_SAMETID] = { MP_FIELD_KEY, { "tid", 3 } },
	};
	const struct mp_field *f = &fields[p->o.context];
	struct mp_str of_begin = { NULL, 0 }, of_end = { NULL, 0 };
	uint64_t i = MP_MAX(begin->number, p->recent.first);

	p->counts.cut += begin->number < p->recent.first;
	if (p->o.context != MP_PAIR_ALL) {
		of_end = value_of(f, end->line);
		if (i == begin->number)
			of_begin = value_of(f, mp_recent_get(&p->recent, i));
	}
	for (; i < p->recent.next; i++) {
		struct mp_str line = mp_recent_get(&p->recent, i);

		if (p->o.context == MP_PAIR_ALL || is_one_of(value_of(f, line), of_begin, of_end))
			write_context_line(p, line);
	}
}

static void note_end(struct mp_pair *p, int cpu)
{
	p->ends[p->n_ends++ % ENDS_KEPT] = (struct ended){ p->last_ns, cpu, false };
}

static void write_span(struct mp_pair *p, struct mp_str name, const struct mp_moment *begin,
		       const struct mp_rec *rec, int cpu)
{
	if (!wanted(p, rec->time_ns - begin->time_ns))
		return;
	p->counts.spans++;
	note_end(p, cpu);
	p->extra.len = 0;
	if (p->o.context) {
		mp_buf_printf(&p->extra, "\tspan=%llu", (unsigned long long)p->counts.spans);
		write_context(p, begin, rec);
	}
	p->line.len = 0;
	mp_span_put(&p->spans, &p->line, name, begin, rec, &p->split, mp_buf_view(&p->extra), true);
	if (!fits(p)) {
		p->line.len = 0;
		mp_span_put(&p->spans, &p->line, name, begin, rec, &p->split,
			    mp_buf_view(&p->extra), false);
	}
	if (fits(p))
		mp_relay_line(p->relay, mp_buf_view(&p->line));
	else
		p->counts.too_long++;
}

static struct mp_str name_of(struct mp_pair *p, const struct mp_moment *begin, unsigned link,
			     bool whole)
{
	if (p->o.name.len)
		return whole ? p->o.name : p->part_names[link];
	return mp_span_name(&p->spans, begin->type, p->type);
}

/* One came to its next step. */
static void write_spans(struct mp_pair *p, const struct mp_waiter *w, const struct chain *c,
			const struct mp_rec *rec)
{
	const struct mp_moment *begin = c->link ? &c->latest : &c->first;
	bool last = c->link + 1 == p->last_step;
	int cpu = bound_cpu(p, w, c->link);

	if (p->o.open) {
		note_end(p, cpu);
		return;
	}
	write_span(p, name_of(p, begin, c->link, c->link == 0 && last), begin, rec, cpu);
	if (last && c->link)
		write_span(p, name_of(p, &c->first, c->link, true), &c->first, rec, -1);
}

/* --- what waits ------------------------------------------------------------------------------------- */

static void set_moment(struct mp_pair *p, struct mp_moment *m, const struct mp_rec *rec)
{
	size_t before = m->cap;

	mp_moment_set(&p->spans, m, rec, &p->split, p->type);
	m->number = p->o.context ? p->recent.next - 1 : 0;
	p->waiting.bytes += m->cap - before;
}

static void drop_large(struct mp_pair *p, struct mp_moment *m)
{
	if (m->cap <= TEXT_KEPT)
		return;
	p->waiting.bytes -= m->cap;
	mp_moment_release(m);
}

static void remove_waiter(struct mp_pair *p, struct mp_waiter *w)
{
	struct chain *c = mp_waiter_value(w);

	mp_waiting_remove(&p->waiting, w);
	drop_large(p, &c->first);
	drop_large(p, &c->latest);
}

/* The one that is meant under the key in p->key. */
static struct mp_waiter *find_waiter(struct mp_pair *p)
{
	struct mp_waiter *first = mp_waiting_find(&p->waiting, mp_buf_view(&p->key));

	return first && p->o.policy == MP_PAIR_NEST ? first->last : first;
}

/* The same where every link has one key: those of an event, for another link. */
static struct mp_waiter *find_in_link(struct mp_pair *p, unsigned link)
{
	p->key.p[0] = 'A' + link;
	return find_waiter(p);
}

static void stay_within_bounds(struct mp_pair *p)
{
	struct mp_waiting *t = &p->waiting;

	while (t->oldest && (t->n > p->o.max_open || t->bytes > p->o.memory)) {
		if (t->bytes > p->o.memory && t->spare) {
			mp_waiting_trim(t);
			continue;
		}
		remove_waiter(p, t->oldest);
		p->counts.given_up++;
	}
}

static void replace(struct mp_pair *p)
{
	struct mp_waiter *w = find_waiter(p);

	if (!w)
		return;
	remove_waiter(p, w);
	p->counts.replaced++;
}

static bool begin(struct mp_pair *p, const struct mp_rec *rec)
{
	struct mp_waiter *w;
	struct chain *c;
	unsigned link;

	if (!make_key(p, 0, false, rec))
		return false;
	for (link = p->one_key ? p->last_step : 1; p->o.policy == MP_PAIR_REPLACE && link-- > 0;) {
		p->key.p[0] = 'A' + link;
		replace(p);
	}
	w = mp_waiting_add(&p->waiting, mp_buf_view(&p->key));
	c = mp_waiter_value(w);
	c->link = 0;
	set_moment(p, &c->first, rec);
	stay_within_bounds(p);
	return true;
}

/* To the next link. */
static bool advance(struct mp_pair *p, struct mp_waiter *w, const struct mp_rec *rec)
{
	struct chain *c = mp_waiter_value(w);

	c->link++;
	if (!make_key(p, c->link, false, rec)) {
		remove_waiter(p, w);
		p->counts.broken++;
		return false;
	}
	if (p->o.policy == MP_PAIR_REPLACE)
		replace(p);
	mp_waiting_move(&p->waiting, w, mp_buf_view(&p->key));
	set_moment(p, &c->latest, rec);
	stay_within_bounds(p);
	return true;
}

enum arrival { ARRIVED, NOTHING_WAITS, NO_KEY };

static enum arrival arrive(struct mp_pair *p, unsigned step, const struct mp_rec *rec)
{
	unsigned link = step - 1;
	struct mp_waiter *w;

	if (!make_key(p, link, true, rec))
		return NO_KEY;
	w = find_waiter(p);
	if (w) {
		write_spans(p, w, mp_waiter_value(w), rec);
		if (step < p->last_step)
			return advance(p, w, rec) ? ARRIVED : NO_KEY;
		remove_waiter(p, w);
		return ARRIVED;
	}
	while (p->one_key && link-- > 0) {
		w = find_in_link(p, link);
		if (!w)
			continue;
		remove_waiter(p, w);
		p->counts.broken++;
		return ARRIVED;
	}
	return NOTHING_WAITS;
}

static int take(struct mp_pair *p, uint32_t steps, const struct mp_rec *rec, const char **why)
{
	bool used = false, no_key = false;
	unsigned step;

	p->counts.matched++;
	for (step = p->last_step; step > 0 && !used; step--) {
		enum arrival a;

		if (!(steps & 1u << step))
			continue;
		a = arrive(p, step, rec);
		used = a == ARRIVED;
		no_key |= a == NO_KEY;
	}
	if (steps & 1) {
		if (begin(p, rec))
			used = true;
		else
			no_key = true;
	}
	*why = "event without a field of its key";
	if (no_key)
		return -1;
	p->counts.unmatched += !used;
	return 0;
}

int mp_pair_event(struct mp_pair *p, const struct mp_rec *rec, const char **why)
{
	struct mp_step_type *t;
	uint32_t steps;
	int result = 0;

	p->type = mp_steps_type(&p->steps, rec->type);
	t = mp_map_value(p->type);
	steps = mp_steps_of(&p->steps, t, rec);
	p->last_ns = rec->time_ns;
	if (p->o.context)
		mp_recent_add(&p->recent, rec->line);
	if (steps) {
		mp_split(&p->split, &p->spans.shapes, &t->hint, rec);
		result = take(p, steps, rec, why);
	}
	if (p->o.context) {
		const struct mp_waiter *w = p->waiting.oldest;
		const struct chain *c = w ? (const struct chain *)(w + 1) : NULL;

		mp_recent_drop(&p->recent, c ? c->first.number : p->recent.next);
	}
	return result;
}

/* --- losses and ends ---------------------------------------------------------------------------------- */

/* Spans that ended within the interval have been written: all that can be done is to count them. */
static void count_doubtful(struct mp_pair *p, uint64_t from_ns, uint64_t time_ns, int cpu)
{
	uint64_t i, kept = MP_MIN(p->n_ends, (uint64_t)ENDS_KEPT);

	for (i = 0; i < kept; i++) {
		struct ended *e = &p->ends[(p->n_ends - 1 - i) % ENDS_KEPT];

		if (e->time_ns <= from_ns)
			return;
		if (e->counted || e->time_ns > time_ns ||
		    (e->cpu >= 0 && cpu >= 0 && e->cpu != cpu))
			continue;
		e->counted = true;
		p->counts.doubtful++;
	}
	p->counts.more_doubtful |= kept < p->n_ends;
}

void mp_pair_lost(struct mp_pair *p, uint64_t from_ns, uint64_t time_ns, int cpu)
{
	struct mp_waiter *w, *newer;

	if (time_ns == 0)
		time_ns = p->last_ns;
	count_doubtful(p, from_ns ? from_ns : p->last_loss_ns, time_ns, cpu);
	p->last_loss_ns = MP_MAX(p->last_loss_ns, time_ns);
	for (w = p->waiting.oldest; w; w = newer) {
		struct chain *c = mp_waiter_value(w);
		int bound = bound_cpu(p, w, c->link);

		newer = w->newer;
		if (c->first.time_ns > time_ns)
			break;
		if (bound >= 0 && cpu >= 0 && bound != cpu)
			continue;
		remove_waiter(p, w);
		p->counts.forgotten++;
	}
}

static void write_open(struct mp_pair *p, const struct chain *c, uint64_t age)
{
	p->extra.len = 0;
	mp_buf_printf(&p->extra, "\tage=%llu", (unsigned long long)age);
	if (p->last_step > 1)
		mp_buf_printf(&p->extra, "\tstep=%u", c->link + 1);
	p->line.len = 0;
	mp_moment_put(&p->spans, &p->line, &c->first, mp_buf_view(&p->extra), true);
	if (!fits(p)) {
		p->line.len = 0;
		mp_moment_put(&p->spans, &p->line, &c->first, mp_buf_view(&p->extra), false);
	}
	if (fits(p))
		mp_relay_line(p->relay, mp_buf_view(&p->line));
	else
		p->counts.too_long++;
}

void mp_pair_settle(struct mp_pair *p, uint64_t time_ns)
{
	struct mp_waiter *w;

	time_ns = MP_MAX(time_ns, p->last_ns);
	while ((w = p->waiting.oldest)) {
		struct chain *c = mp_waiter_value(w);
		uint64_t age = time_ns - c->first.time_ns;

		p->counts.open++;
		p->counts.oldest_ns = MP_MAX(p->counts.oldest_ns, age);
		if (p->o.open && wanted(p, age))
			write_open(p, c, age);
		remove_waiter(p, w);
	}
	if (p->o.context)
		mp_recent_drop(&p->recent, p->recent.next);
	p->last_ns = p->last_loss_ns = 0;
	p->n_ends = 0;
}

json_t *mp_pair_events(struct mp_pair *p, const json_t *events)
{
	struct mp_pairhead head = { &p->steps, &p->spans, p->o.name, p->part_names, p->last_step };
	json_t *result = p->o.open ? json_object() : mp_pairhead_spans(&head, events), *fields;
	const char *type;

	json_object_foreach ((json_t *)events, type, fields)
		if (p->o.context || (p->o.open && mp_steps_possible(&p->steps, type) & 1))
			json_object_set(result, type, fields);
	return result;
}
