// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/aggregate/symbolize.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/capture/host/cut.h"
#include "lib/capture/stack/pending_stacks.h"
#include "lib/stream/esc.h"

static const char *const ages[MP_CUT_AGES] = {
	[MP_CUT_AGE_NONE] = "",
	[MP_CUT_AGE_BELOW_1_S] = "[age < 1 s]",
	[MP_CUT_AGE_BELOW_10_S] = "[age 1 to 10 s]",
	[MP_CUT_AGE_BELOW_100_S] = "[age 10 to 100 s]",
	[MP_CUT_AGE_ABOVE_100_S] = "[age > 100 s]",
};

void mp_agg_texts_init(struct mp_agg_texts *t, struct mp_agg_ledger *ledger)
{
	*t = (struct mp_agg_texts){ .ledger = ledger };
	mp_intmap_init(&t->known);
	mp_map_init(&t->texts, sizeof(uint32_t));
}

void mp_agg_texts_release(struct mp_agg_texts *t)
{
	mp_map_release(&t->texts);
	free(t->by_number);
	mp_intmap_release(&t->known);
	mp_buf_release(&t->buf);
	mp_buf_release(&t->raw);
}

/* --- known stacks ----------------------------------------------------------------------------- */

/*
 * Packs the number of a text plus 1, and in the upper half the reason why the walk of the user
 * stack ended.
 */
static uint64_t pack(uint32_t text, enum mp_unwind_end end)
{
	return (uint64_t)end << 32 | (text + 1);
}

bool mp_agg_texts_find(const struct mp_agg_texts *t, uint64_t id, struct mp_agg_text_known *known)
{
	uint64_t packed = mp_intmap_get(&t->known, id);

	*known = (struct mp_agg_text_known){ (uint32_t)packed - 1, (uint8_t)(packed >> 32) };
	return packed != 0;
}

static uint32_t number_of(struct mp_agg_texts *t, struct mp_str text, bool *fresh)
{
	struct mp_map_entry *e;
	uint32_t *number;

	e = mp_map_put(&t->texts, &text, 1, fresh);
	number = mp_map_value(e);
	if (*fresh) {
		t->by_number = mp_grow(t->by_number, &t->cap_texts, t->n_texts + 1,
				       sizeof(struct mp_map_entry *));
		*number = (uint32_t)t->n_texts;
		t->by_number[t->n_texts++] = e;
	}
	return *number;
}

static void set_known(struct mp_agg_texts *t, const struct mp_agg_ledger_stack *stack)
{
	struct mp_intmap_entry *e = mp_intmap_find(&t->known, stack->id);

	if (e->value)
		e->value = stack->packed;
	else
		mp_intmap_add(&t->known, stack->id, stack->packed);
}

static void remember(struct mp_agg_texts *t, uint64_t id, struct mp_str text,
		     enum mp_unwind_end end)
{
	bool fresh;
	const struct mp_agg_ledger_stack stack = { id, pack(number_of(t, text, &fresh), end) };

	if (fresh)
		mp_agg_ledger_put(t->ledger, MP_AGG_LEDGER_TEXT, text);
	set_known(t, &stack);
	mp_agg_ledger_put(t->ledger, MP_AGG_LEDGER_STACK,
			  (struct mp_str){ (const char *)&stack, sizeof(stack) });
}

/* Whether another writer has symbolized a stack, perhaps while its process still existed. */
static bool is_restored(const struct mp_agg_texts *t, uint64_t id)
{
	struct mp_agg_text_known known;

	return t->n_restored && mp_agg_texts_find(t, id, &known) && known.text < t->n_restored;
}

struct restoring {
	struct mp_agg_texts *texts;
	struct mp_buf *modules;
};

/* An mp_agg_ledger_fn. */
static void restore(void *arg, enum mp_agg_ledger_type type, struct mp_str record)
{
	const struct restoring *r = arg;
	struct mp_agg_ledger_stack stack;
	bool fresh;

	switch (type) {
	case MP_AGG_LEDGER_TEXT:
		number_of(r->texts, record, &fresh);
		break;
	case MP_AGG_LEDGER_STACK:
		if (record.len != sizeof(stack))
			break;
		memcpy(&stack, record.p, sizeof(stack));
		if ((uint32_t)stack.packed && (uint32_t)stack.packed <= r->texts->n_texts &&
		    stack.packed >> 32 < MP_UNWIND_ENDS)
			set_known(r->texts, &stack);
		break;
	case MP_AGG_LEDGER_MODULE:
		mp_buf_str(r->modules, record);
		break;
	}
}

void mp_agg_texts_restore(struct mp_agg_texts *t, struct mp_buf *modules)
{
	struct restoring r = { t, modules };

	mp_agg_ledger_each(t->ledger, restore, &r);
	t->n_restored = t->n_texts;
}

/* --- a stack ---------------------------------------------------------------------------------- */

/* The name that the user's table of names gives to a thread. */
static struct mp_str rename_task(struct mp_agg_texts *t, uint32_t tid, struct mp_str comm,
				 struct mp_tasknames *names)
{
	char number[MP_NUM_MAX];
	struct mp_str text = { number, mp_put_u64(number, tid) - number };

	t->buf.len = t->raw.len = 0;
	mp_esc_add(&t->buf, comm, MP_ESC_VALUE);
	mp_esc_undo(&t->raw, mp_tasknames_name(names, text, mp_buf_view(&t->buf)));
	return mp_buf_view(&t->raw);
}

/* Appends the user part of a stack to `ips`. Returns the new number of addresses. */
static size_t put_user(uint64_t *ips, size_t n, const struct mp_agg_stack *stack,
		       const struct mp_process *process, const struct mp_agg_symbols *symbols,
		       enum mp_unwind_end *end)
{
	size_t user = stack->n_user;

	ips[n] = (uint64_t)PERF_CONTEXT_USER;
	*end = mp_pending_stack_end(stack->end);
	if (stack->end == MP_BPF_COPIED)
		*end = mp_formatter_copied(symbols->formatter, stack->tid, stack->time_ns,
					   process->space, ips + n + 1, MP_AGG_TEXT_USER, &user);
	else
		memcpy(ips + n + 1, stack->user, user * sizeof(*ips));
	*end = mp_unwind_check_root(symbols->formatter->unwinder, process->space, ips + n + 1, user,
				    *end);
	if (user)
		n += 1 + user;
	if (*end != MP_UNWIND_COMPLETE && *end != MP_UNWIND_NO_STACK)
		ips[n++] = MP_CONTEXT_CUT;
	return n;
}

/* Makes the chain in the form that samples have: the kernel's part, then the user's, leaf first. */
static struct mp_chain make_chain(struct mp_agg_texts *t, const struct mp_agg_stack *stack,
				  const struct mp_process *process,
				  const struct mp_agg_symbols *symbols, unsigned max_frames,
				  enum mp_unwind_end *end)
{
	struct mp_chain chain = { .ips = t->ips,
				  .max = max_frames ? max_frames : MP_ARRAY_SIZE(t->ips) };
	size_t n = 0;

	if (stack->n_kernel) {
		t->ips[n++] = (uint64_t)PERF_CONTEXT_KERNEL;
		memcpy(t->ips + n, stack->kernel, stack->n_kernel * sizeof(*t->ips));
		n += stack->n_kernel;
	}
	chain.n = put_user(t->ips, n, stack, process, symbols, end);
	return chain;
}

void mp_agg_texts_put(struct mp_agg_texts *t, const struct mp_agg_stack *stack,
		      struct mp_process *process, const struct mp_agg_symbols *symbols,
		      unsigned max_frames)
{
	struct mp_str comm = { stack->comm, strnlen(stack->comm, sizeof(stack->comm)) };
	struct mp_chain chain;
	enum mp_unwind_end end;
	struct mp_str text, whole;
	size_t head;

	if (is_restored(t, stack->id))
		return;
	chain = make_chain(t, stack, process, symbols, max_frames, &end);
	if (symbols->names)
		comm = rename_task(t, stack->tid, comm, symbols->names);
	t->buf.len = 0;
	mp_esc_add(&t->buf, comm, MP_ESC_FRAME);
	if (chain.n) {
		text = mp_chain_texts_text(symbols->formatter->stacks, process, &chain,
					   stack->time_ns);
		mp_buf_byte(&t->buf, ';');
		head = t->buf.len;
		mp_buf_str(&t->buf, text);
		whole = mp_buf_view(&t->buf);
		if (!mp_map_find(&t->texts, &whole, 1)) {
			t->buf.len = head;
			mp_buf_str(&t->buf,
				   mp_chain_texts_held(symbols->formatter->stacks, process, text));
		}
	}
	if (stack->id)
		remember(t, stack->id, mp_buf_view(&t->buf), end);
}

/* --- lines ------------------------------------------------------------------------------------ */

void mp_agg_lines_init(struct mp_agg_lines *l)
{
	*l = (struct mp_agg_lines){ .added = 0 };
	mp_map_init(&l->map, sizeof(uint64_t));
}

void mp_agg_lines_release(struct mp_agg_lines *l)
{
	mp_map_release(&l->map);
	mp_buf_release(&l->buf);
}

static struct mp_str text_of(const struct mp_agg_texts *t, uint32_t number)
{
	return number < t->n_texts ? t->by_number[number]->key : MP_STR("[unknown]");
}

/* Appends the frames of a stack in reverse order. */
static void put_reversed(struct mp_buf *to, struct mp_str text)
{
	size_t end = text.len, i;

	for (i = text.len; i-- > 0;) {
		if (text.p[i] != ';')
			continue;
		mp_buf_byte(to, ';');
		mp_buf_add(to, text.p + i + 1, end - i - 1);
		end = i;
	}
	mp_buf_byte(to, ';');
	mp_buf_add(to, text.p, end);
}

/*
 * If an interrupt woke the task, keeps only the frames of the interrupt, without those of the
 * interrupted code.
 */
static struct mp_str without_interrupted(struct mp_str text)
{
	static const char *const entries[] = { ";asm_sysvec_", ";asm_common_interrupt" };
	const char *last = text.p - 1, *at;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(entries); i++) {
		struct mp_str rest = text;

		while ((at = memmem(rest.p, rest.len, entries[i], strlen(entries[i])))) {
			last = MP_MAX(last, at);
			rest = mp_str_skip(text, at + 1 - text.p);
		}
	}
	return mp_str_skip(text, last + 1 - text.p);
}

/* Appends a stack with the age of its memory after the name of the thread. */
static void put_aged(struct mp_buf *to, struct mp_str text, uint64_t age)
{
	const char *semicolon = memchr(text.p, ';', text.len);
	size_t head = semicolon ? (size_t)(semicolon - text.p) : text.len;

	mp_buf_add(to, text.p, head);
	mp_buf_printf(to, ";%s", ages[age < MP_CUT_AGES ? age : MP_CUT_AGE_NONE]);
	mp_buf_add(to, text.p + head, text.len - head);
}

void mp_agg_lines_add(struct mp_agg_lines *l, const struct mp_agg_texts *t,
		      const struct mp_agg_line_key *key, const struct mp_agg_total *total)
{
	struct mp_str text = text_of(t, key->text);
	uint64_t *weight;

	l->buf.len = 0;
	if (key->held)
		put_aged(&l->buf, text, key->other);
	else
		mp_buf_str(&l->buf, text);
	if (key->other && !key->held) {
		mp_buf_str(&l->buf, MP_STR(";--"));
		put_reversed(&l->buf, without_interrupted(text_of(t, key->other - 1)));
	}
	text = mp_buf_view(&l->buf);
	weight = mp_map_value(mp_map_put(&l->map, &text, 1, NULL));
	*weight += total->weight;
	l->added += total->count;
}

static int by_text(const void *a, const void *b)
{
	const struct mp_map_entry *const *x = a, *const *y = b;

	return mp_str_cmp((*x)->key, (*y)->key);
}

void mp_agg_lines_write(struct mp_agg_lines *l, mp_agg_put_fn *put, void *arg)
{
	struct mp_map_entry **sorted = mp_alloc(l->map.n * sizeof(*sorted)), *e;
	size_t n = 0, i;

	mp_map_each (&l->map, e)
		sorted[n++] = e;
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_text);
	for (i = 0; i < n; i++) {
		uint64_t *weight = mp_map_value(sorted[i]);

		l->buf.len = 0;
		mp_buf_printf(&l->buf, "%llu#", (unsigned long long)MP_MIN(*weight, INT64_MAX));
		mp_buf_str(&l->buf, sorted[i]->key);
		mp_buf_byte(&l->buf, '\n');
		put(arg, mp_buf_view(&l->buf));
	}
	free(sorted);
}
