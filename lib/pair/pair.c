// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/pair.h"

#include <stdlib.h>

#include "lib/pair/context.h"
#include "lib/pair/loss_window.h"
#include "lib/pair/pairhead.h"
#include "lib/pair/pairkey.h"
#include "lib/pair/span_name.h"
#include "lib/pair/steps.h"
#include "lib/pair/waiting.h"

/* a removed waiter keeps its text for reuse if that has at most this many bytes */
enum { TEXT_KEPT = 4096 };

/*
 * A chain that waits for its next step. It keeps its first event, and its latest event if that is
 * another one.
 */
struct chain {
	struct mp_endpoint first, latest;
	unsigned link; /* the chain waits for step link + 1 */
};

struct mp_pair {
	struct mp_pair_options o;
	struct mp_relay *relay;
	unsigned last_step;
	bool one_key; /* all links have the same key */
	struct mp_steps steps;
	struct mp_map_entry *type; /* of the current event, or the name that it has in this step */
	struct mp_split split;
	struct mp_spans spans;
	struct mp_waiting waiting;
	struct mp_context context;
	struct mp_pairkeys keys;
	struct mp_loss_window doubt;
	struct mp_field_check names;
	struct mp_buf line, extra;
	struct mp_str part_names[MP_PAIR_STEPS_MAX];
	uint64_t last_ns; /* time of the latest event */
	struct mp_pair_counts counts;
};

static void release_chain(struct mp_waiting *t, void *value)
{
	struct chain *c = value;

	t->bytes -= c->first.cap + c->latest.cap;
	mp_endpoint_release(&c->first);
	mp_endpoint_release(&c->latest);
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool fits(const struct mp_pair *p)
{
	return p->line.len < MP_LINE_MAX;
}

static void write_line(struct mp_pair *p)
{
	if (fits(p))
		mp_relay_line(p->relay, mp_buf_view(&p->line));
	else
		p->counts.too_long++;
}

static bool wanted(const struct mp_pair *p, uint64_t dur)
{
	return dur >= p->o.over_ns && dur < p->o.under_ns;
}

/* Writes an event with the number of the span, which precedes the stack. */
static void write_context_line(struct mp_pair *p, uint64_t number, struct mp_str line)
{
	struct mp_str rest, key, value, stack = { NULL, 0 };
	struct mp_rec rec;
	const char *why;

	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0)
		return;
	rest = rec.body;
	p->line.len = 0;
	mp_buf_add(&p->line, line.p, rec.body.p - line.p);
	while (mp_rec_next_field(&rest, &key, &value)) {
		if (mp_str_eq(key, MP_STR("stack"))) {
			stack = value;
		} else if (!mp_str_eq(key, MP_STR("span"))) {
			mp_buf_add(&p->line, key.p, value.p + value.len - key.p);
			mp_buf_byte(&p->line, '\t');
		}
	}
	mp_buf_printf(&p->line, "span=%llu", (unsigned long long)number);
	if (stack.p) {
		mp_buf_add(&p->line, "\tstack=", 7);
		mp_buf_str(&p->line, stack);
	}
	write_line(p);
}

/* Writes the events that --context selects, then the span. */
static void write_context(void *arg, struct mp_context *c, const struct mp_context_span *s)
{
	struct mp_pair *p = arg;
	struct mp_str line;
	uint64_t i;

	for (i = 0; mp_context_next(c, s, &i, false, &line); i++)
		write_context_line(p, s->number, line);
	p->line.len = 0;
	mp_buf_str(&p->line, mp_buf_view(&s->line));
	write_line(p);
}

/* --- the pairing ------------------------------------------------------------------------------ */

struct mp_pair *mp_pair_new(const struct mp_pair_options *options, struct mp_relay *relay)
{
	struct mp_pair *p = mp_zalloc(sizeof(*p));
	unsigned link;

	p->o = *options;
	p->relay = relay;
	p->last_step = options->n_steps - 1;
	p->one_key = options->specs->n_keys == 1;
	mp_pairkeys_init(&p->keys, options->specs, p->last_step);
	mp_loss_window_init(&p->doubt);
	mp_steps_init(&p->steps, options->specs);
	mp_pair_specs_names(options->specs, options->n_steps, &p->names);
	mp_spans_init(&p->spans, options->specs, options->stack, options->open);
	p->spans.all = options->all;
	mp_waiting_init(&p->waiting, sizeof(struct chain), release_chain);
	mp_context_init(&p->context, options->context, options->around_ns, options->memory,
			options->write ? options->write : write_context,
			options->write ? options->write_arg : p);
	for (link = 0; options->name.len && link < p->last_step; link++) {
		p->line.len = 0;
		mp_buf_printf(&p->line, "%.*s/%u", MP_STR_ARGS(options->name), link + 1);
		p->part_names[link] = mp_arena_str(&p->steps.types.arena, mp_buf_view(&p->line));
	}
	return p;
}

void mp_pair_free(struct mp_pair *p)
{
	if (!p)
		return;
	mp_steps_release(&p->steps);
	mp_field_check_release(&p->names);
	mp_split_release(&p->split);
	mp_spans_release(&p->spans);
	mp_waiting_release(&p->waiting);
	mp_context_release(&p->context);
	mp_pairkeys_release(&p->keys);
	mp_loss_window_release(&p->doubt);
	mp_buf_release(&p->line);
	mp_buf_release(&p->extra);
	free(p);
}

const struct mp_pair_counts *mp_pair_counts(struct mp_pair *p)
{
	p->counts.cut = p->context.cut;
	p->counts.bare = p->context.bare;
	return &p->counts;
}

/* The CPU that the key of a waiter contains, or -1. */
static int bound_cpu(const struct mp_pair *p, struct mp_waiter *w)
{
	const struct chain *c = mp_waiter_value(w);

	return mp_pairkeys_cpu(&p->keys, c->link, (struct mp_str){ w->key, w->key_len });
}

static void write_span(struct mp_pair *p, struct mp_str name, const struct mp_endpoint *begin,
		       const struct mp_rec *rec, int cpu)
{
	p->counts.ended++;
	p->counts.over += rec->time_ns - begin->time_ns >= p->o.over_ns;
	if (!wanted(p, rec->time_ns - begin->time_ns))
		return;
	p->extra.len = 0;
	if (p->o.context)
		mp_buf_printf(&p->extra, "\tspan=%llu", (unsigned long long)p->counts.spans + 1);
	if (p->o.all)
		mp_buf_str(&p->extra, MP_STR("\tended=1"));
	p->line.len = 0;
	mp_span_put(&p->spans, &p->line, name, begin, rec, &p->split, mp_buf_view(&p->extra), true);
	if (p->o.where &&
	    !mp_pair_where_match(p->o.where, &p->spans, begin, rec, mp_buf_view(&p->line)))
		return;
	p->counts.spans++;
	mp_loss_window_end(&p->doubt, rec->time_ns, cpu);
	if (!fits(p)) {
		p->line.len = 0;
		mp_span_put(&p->spans, &p->line, name, begin, rec, &p->split,
			    mp_buf_view(&p->extra), false);
	}
	if (p->o.context && fits(p))
		mp_context_span(&p->context, p->counts.spans, begin->number, begin->time_ns,
				rec->time_ns, mp_buf_view(&p->line));
	else
		write_line(p);
}

/* The name of a span, valid as long as its end event. */
static struct mp_str name_of(struct mp_pair *p, const struct mp_endpoint *begin, unsigned link,
			     bool whole)
{
	const struct mp_split_field *id;
	struct mp_str name, call;

	if (p->o.name.len)
		return whole ? p->o.name : p->part_names[link];
	name = mp_span_name(&p->spans, begin->type, p->type);
	if (!mp_str_eq(name, MP_SPAN_RAW_CALLS))
		return name;
	id = mp_split_find(&p->split, MP_STR(".id"));
	call = id ? mp_span_name_call(mp_split_value(id)) : (struct mp_str){ NULL, 0 };
	return call.len ? call : name;
}

/* Writes the spans that end when a chain reaches its next step. */
static void write_spans(struct mp_pair *p, struct mp_waiter *w, const struct mp_rec *rec)
{
	const struct chain *c = mp_waiter_value(w);
	const struct mp_endpoint *begin = c->link ? &c->latest : &c->first;
	bool last = c->link + 1 == p->last_step;
	int cpu = bound_cpu(p, w);

	if (p->o.open) {
		mp_loss_window_end(&p->doubt, rec->time_ns, cpu);
		return;
	}
	write_span(p, name_of(p, begin, c->link, c->link == 0 && last), begin, rec, cpu);
	if (last && c->link)
		write_span(p, name_of(p, &c->first, c->link, true), &c->first, rec, -1);
}

/* --- waiters ---------------------------------------------------------------------------------- */

static void set_endpoint(struct mp_pair *p, struct mp_endpoint *m, const struct mp_rec *rec)
{
	size_t before = m->cap;

	mp_endpoint_set(&p->spans, m, rec, &p->split, p->type);
	if (p->o.where)
		mp_pair_where_begin(p->o.where, m, rec);
	m->number = p->o.context ? mp_context_latest(&p->context) : 0;
	p->waiting.bytes += m->cap - before;
}

static void drop_large(struct mp_pair *p, struct mp_endpoint *m)
{
	if (m->cap <= TEXT_KEPT)
		return;
	p->waiting.bytes -= m->cap;
	mp_endpoint_release(m);
}

static void remove_waiter(struct mp_pair *p, struct mp_waiter *w)
{
	struct chain *c = mp_waiter_value(w);

	mp_waiting_remove(&p->waiting, w);
	drop_large(p, &c->first);
	drop_large(p, &c->latest);
}

/* The waiter with the current key: the newest one if spans nest, else the oldest. */
static struct mp_waiter *find_waiter(struct mp_pair *p)
{
	struct mp_waiter *first = mp_waiting_find(&p->waiting, mp_buf_view(&p->keys.text));

	return first && p->o.policy == MP_PAIR_NEST ? first->last : first;
}

static void stay_within_bounds(struct mp_pair *p)
{
	struct mp_waiting *t = &p->waiting;

	while (t->oldest && (t->n > p->o.max_open || mp_waiting_bytes(t) > p->o.memory)) {
		if (mp_waiting_bytes(t) > p->o.memory && t->spare) {
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

	if (!mp_pairkeys_make(&p->keys, 0, false, rec, &p->split))
		return false;
	for (link = p->one_key ? p->last_step : 1; p->o.policy == MP_PAIR_REPLACE && link-- > 0;) {
		mp_pairkeys_relink(&p->keys, link);
		replace(p);
	}
	w = mp_waiting_add(&p->waiting, mp_buf_view(&p->keys.text));
	c = mp_waiter_value(w);
	c->link = 0;
	set_endpoint(p, &c->first, rec);
	stay_within_bounds(p);
	return true;
}

/* Moves a chain to its next link. */
static bool advance(struct mp_pair *p, struct mp_waiter *w, const struct mp_rec *rec)
{
	struct chain *c = mp_waiter_value(w);

	c->link++;
	if (!mp_pairkeys_make(&p->keys, c->link, false, rec, &p->split)) {
		remove_waiter(p, w);
		p->counts.broken++;
		return false;
	}
	if (p->o.policy == MP_PAIR_REPLACE)
		replace(p);
	mp_waiting_move(&p->waiting, w, mp_buf_view(&p->keys.text));
	set_endpoint(p, &c->latest, rec);
	stay_within_bounds(p);
	return true;
}

enum arrival { ARRIVED, NOTHING_WAITS, NO_KEY };

static enum arrival arrive(struct mp_pair *p, unsigned step, const struct mp_rec *rec)
{
	unsigned link = step - 1;
	struct mp_waiter *w;

	if (!mp_pairkeys_make(&p->keys, link, true, rec, &p->split))
		return NO_KEY;
	w = find_waiter(p);
	if (w) {
		write_spans(p, w, rec);
		if (step < p->last_step)
			return advance(p, w, rec) ? ARRIVED : NO_KEY;
		remove_waiter(p, w);
		return ARRIVED;
	}
	while (p->one_key && link-- > 0) {
		mp_pairkeys_relink(&p->keys, link);
		w = find_waiter(p);
		if (!w)
			continue;
		remove_waiter(p, w);
		p->counts.broken++;
		return ARRIVED;
	}
	return NOTHING_WAITS;
}

/* Sets p->type for a step that the event matches; `type` is its own. */
static void enter_step(struct mp_pair *p, unsigned step, struct mp_map_entry *type,
		       const struct mp_rec *rec)
{
	struct mp_map_entry *names[MP_PAIR_SPECS_MAX];

	mp_steps_names(&p->steps, type, step, rec, names);
	p->type = names[0];
}

static int handle_steps(struct mp_pair *p, uint32_t steps, const struct mp_rec *rec,
			const char **why)
{
	struct mp_map_entry *type = p->type;
	bool used = false, no_key = false;
	unsigned step;

	p->counts.matched++;
	for (step = p->last_step; step > 0 && !used; step--) {
		enum arrival a;

		if (!(steps & 1u << step))
			continue;
		enter_step(p, step, type, rec);
		a = arrive(p, step, rec);
		used = a == ARRIVED;
		no_key |= a == NO_KEY;
	}
	if (steps & 1) {
		enter_step(p, 0, type, rec);
		if (begin(p, rec))
			used = true;
		else
			no_key = true;
	}
	*why = p->keys.missing;
	if (no_key)
		return -1;
	p->counts.unmatched += !used;
	return 0;
}

/* Drops the lines that are older than the oldest begin. */
static void drop_context(struct mp_pair *p)
{
	const struct mp_waiter *w = p->waiting.oldest;
	const struct chain *c = w ? (const struct chain *)(w + 1) : NULL;

	if (c)
		mp_context_drop(&p->context, c->first.number, c->first.time_ns);
	else
		mp_context_drop(&p->context, mp_context_latest(&p->context) + 1, p->last_ns);
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
	mp_context_event(&p->context, rec);
	if (steps) {
		mp_field_check_record(&p->names, rec, steps);
		mp_split(&p->split, &p->spans.shapes, &t->hint, rec);
		result = handle_steps(p, steps, rec, why);
	}
	if (p->o.context)
		drop_context(p);
	return result;
}

/* --- losses and ends -------------------------------------------------------------------------- */

bool mp_pair_concerns(struct mp_pair *p, const struct mp_ctl *loss)
{
	return !loss->type || mp_steps_possible(&p->steps, loss->type);
}

void mp_pair_lost(struct mp_pair *p, const struct mp_ctl *loss)
{
	uint64_t time_ns = loss->time_ns ? loss->time_ns : p->last_ns;
	struct mp_waiter *w, *newer;
	int cpu = loss->cpu;

	mp_loss_window_loss(&p->doubt, loss->from_ns, time_ns, cpu);
	p->counts.doubtful = p->doubt.doubtful;
	p->counts.more_doubtful = p->doubt.more;
	for (w = p->waiting.oldest; w; w = newer) {
		struct chain *c = mp_waiter_value(w);
		int bound = bound_cpu(p, w);

		newer = w->newer;
		if (c->first.time_ns > time_ns)
			break;
		if (bound >= 0 && cpu >= 0 && bound != cpu)
			continue;
		remove_waiter(p, w);
		p->counts.forgotten++;
	}
}

void mp_pair_watermark(struct mp_pair *p, uint64_t time_ns)
{
	mp_context_until(&p->context, time_ns);
}

/* Writes a begin that has no end: as it was, or with --all as a span up to `end_ns`. */
static void write_open(struct mp_pair *p, const struct chain *c, uint64_t end_ns)
{
	const struct mp_endpoint *m = &c->first;
	uint64_t time_ns = p->o.all ? end_ns : m->time_ns;
	struct mp_str type = p->o.all ? p->o.name : m->type->key;

	p->extra.len = 0;
	mp_buf_printf(&p->extra, "\t%s=%llu", p->o.all ? "dur" : "age",
		      (unsigned long long)(end_ns - m->time_ns));
	if (p->last_step > 1)
		mp_buf_printf(&p->extra, "\tstep=%u", c->link + 1);
	if (p->o.all)
		mp_buf_str(&p->extra, MP_STR("\tended=0"));
	p->line.len = 0;
	mp_endpoint_put(&p->spans, &p->line, m, time_ns, type, mp_buf_view(&p->extra), true);
	if (!fits(p)) {
		p->line.len = 0;
		mp_endpoint_put(&p->spans, &p->line, m, time_ns, type, mp_buf_view(&p->extra),
				false);
	}
	write_line(p);
}

void mp_pair_end_section(struct mp_pair *p, uint64_t time_ns)
{
	struct mp_waiter *w;

	time_ns = MP_MAX(time_ns, p->last_ns);
	while ((w = p->waiting.oldest)) {
		struct chain *c = mp_waiter_value(w);
		uint64_t age = time_ns - c->first.time_ns;

		p->counts.open++;
		p->counts.oldest_ns = MP_MAX(p->counts.oldest_ns, age);
		if ((p->o.open || p->o.all) && wanted(p, age))
			write_open(p, c, time_ns);
		remove_waiter(p, w);
	}
	mp_context_end(&p->context);
	mp_loss_window_section(&p->doubt);
	p->last_ns = 0;
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

/* --- names of fields -------------------------------------------------------------------------- */

static uint32_t steps_of(void *arg, const char *type)
{
	struct mp_pair *p = arg;

	return mp_steps_possible(&p->steps, type);
}

/* For mp_steps_of(): tests the conditions of specifications. */
struct condition {
	struct mp_pair *pair;
	size_t number;
};

static uint32_t asks(void *arg, const char *type)
{
	const struct condition *c = arg;
	const struct mp_step_type *t = mp_map_value(mp_steps_type(&c->pair->steps, mp_str(type)));

	return t->asking >> c->number & 1;
}

void mp_pair_header(struct mp_pair *p, const struct mp_ctl *header)
{
	struct condition c = { p, 0 };

	mp_field_check_header(&p->names, header, steps_of, p);
	for (; c.number < p->o.specs->n_specs; c.number++)
		if (p->o.specs->specs[c.number].expr)
			mp_expr_header(p->o.specs->specs[c.number].expr, header, asks, &c);
}

enum mp_status mp_pair_report(const struct mp_pair *p)
{
	enum mp_status status = mp_field_check_report(&p->names), of_expr;
	size_t i;

	for (i = 0; i < p->o.specs->n_specs; i++) {
		if (!p->o.specs->specs[i].expr)
			continue;
		of_expr = mp_expr_report(p->o.specs->specs[i].expr);
		status = MP_MAX(status, of_expr);
	}
	if (p->o.where && p->o.where->expr) {
		of_expr = mp_expr_report(p->o.where->expr);
		status = MP_MAX(status, of_expr);
	}
	return status;
}
