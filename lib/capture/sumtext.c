// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/sumtext.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/capture/userchain.h"
#include "lib/clock.h"
#include "lib/esc.h"

struct known {
	const struct mp_map_entry *text;
	enum mp_unwind_end end;
};

static const char *const ages[] = {
	"", "[age < 1 s]", "[age 1 to 10 s]", "[age 10 to 100 s]", "[age > 100 s]",
};

void mp_sumtexts_init(struct mp_sumtexts *t)
{
	*t = (struct mp_sumtexts){ .buf = { NULL, 0, 0 } };
	mp_map_init(&t->ids, sizeof(struct known));
	mp_map_init(&t->texts, 0);
}

void mp_sumtexts_release(struct mp_sumtexts *t)
{
	mp_map_release(&t->ids);
	mp_map_release(&t->texts);
	mp_buf_release(&t->buf);
	mp_buf_release(&t->renamed);
	mp_buf_release(&t->raw);
}

/* --- a stack ------------------------------------------------------------------------------------------ */

/* The name of a thread, as the user's table has it: a line with nothing else goes through it. */
static struct mp_str rename_task(struct mp_sumtexts *t, uint32_t tid, struct mp_str comm,
				 struct mp_tasknames *names)
{
	struct mp_str line;
	struct mp_rec rec;
	const char *why, *at;

	t->buf.len = 0;
	mp_buf_printf(&t->buf, "0,sum,tid=%u\tcomm=", tid);
	mp_esc_add(&t->buf, comm, MP_ESC_VALUE);
	line = mp_buf_view(&t->buf);
	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0)
		return comm;
	line = mp_tasknames_apply(names, &rec, &t->renamed);
	at = (const char *)memmem(line.p, line.len, "comm=", 5) + 5;
	t->raw.len = 0;
	mp_esc_undo(&t->raw, (struct mp_str){ at, line.p + line.len - at });
	return mp_buf_view(&t->raw);
}

/* The user part of a stack behind `ips`; returns the new number of them. */
static size_t put_user(uint64_t *ips, size_t n, const struct mp_sum_stack *stack,
		       const struct mp_process *process, const struct mp_sums_words *words,
		       enum mp_unwind_end *end)
{
	size_t user = stack->n_user;

	ips[n] = (uint64_t)PERF_CONTEXT_USER;
	*end = mp_user_chain_end(stack->end);
	if (stack->end == MP_BPF_COPIED)
		*end = mp_formatter_copied(words->formatter, stack->tid, stack->time_ns,
					   process->space, ips + n + 1, MP_SUMTEXT_USER, &user);
	else
		memcpy(ips + n + 1, stack->user, user * sizeof(*ips));
	if (user)
		n += 1 + user;
	if (*end != MP_UNWIND_WHOLE && *end != MP_UNWIND_NO_STACK)
		ips[n++] = MP_CONTEXT_CUT;
	return n;
}

/* As samples have it: the kernel's part, then the user's, leaf first. */
static struct mp_chain make_chain(struct mp_sumtexts *t, const struct mp_sum_stack *stack,
				  const struct mp_process *process,
				  const struct mp_sums_words *words, unsigned max_frames,
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
	chain.n = put_user(t->ips, n, stack, process, words, end);
	return chain;
}

void mp_sumtexts_put(struct mp_sumtexts *t, const struct mp_sum_stack *stack,
		     const struct mp_process *process, const struct mp_sums_words *words,
		     unsigned max_frames)
{
	struct mp_str comm = { stack->comm, strnlen(stack->comm, sizeof(stack->comm)) };
	struct mp_str key = { (const char *)&stack->id, sizeof(stack->id) }, text;
	struct mp_chain chain;
	enum mp_unwind_end end;
	struct known *known;

	chain = make_chain(t, stack, process, words, max_frames, &end);
	if (words->names)
		comm = rename_task(t, stack->tid, comm, words->names);
	t->buf.len = 0;
	mp_esc_add(&t->buf, comm, MP_ESC_FRAME);
	if (chain.n) {
		text = mp_stacks_text(words->formatter->stacks, process, &chain, stack->time_ns);
		mp_buf_byte(&t->buf, ';');
		mp_buf_str(&t->buf, text);
	}
	known = mp_map_value(mp_map_put(&t->ids, &key, 1, NULL));
	text = mp_buf_view(&t->buf);
	known->text = mp_map_put(&t->texts, &text, 1, NULL);
	known->end = end;
}

uint64_t mp_sumtexts_age(uint64_t age_ns)
{
	uint64_t seconds = age_ns / MP_NS_PER_SEC;

	return seconds < 1 ? 1 : seconds < 10 ? 2 : seconds < 100 ? 3 : 4;
}

/* --- lines -------------------------------------------------------------------------------------------- */

void mp_sumlines_init(struct mp_sumlines *l)
{
	*l = (struct mp_sumlines){ .added = 0 };
	mp_map_init(&l->map, sizeof(uint64_t));
}

void mp_sumlines_release(struct mp_sumlines *l)
{
	mp_map_release(&l->map);
	mp_buf_release(&l->buf);
}

static const struct known *find(const struct mp_sumtexts *t, uint64_t id)
{
	struct mp_str key = { (const char *)&id, sizeof(id) };
	struct mp_map_entry *e = mp_map_find(&t->ids, &key, 1);

	return e ? mp_map_value(e) : NULL;
}

/* The frames of a stack, the last one first. */
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

/* The age stands behind the name of the thread. */
static void put_aged(struct mp_buf *to, struct mp_str text, uint64_t age)
{
	const char *semicolon = memchr(text.p, ';', text.len);
	size_t head = semicolon ? (size_t)(semicolon - text.p) : text.len;

	mp_buf_add(to, text.p, head);
	mp_buf_printf(to, ";%s", ages[age < MP_ARRAY_SIZE(ages) ? age : 0]);
	mp_buf_add(to, text.p + head, text.len - head);
}

bool mp_sumtexts_line(struct mp_sumtexts *t, const struct mp_sum_key *key, bool held,
		      const struct mp_sum_total *total, struct mp_unwound *unwound,
		      struct mp_sumlines *to)
{
	const struct known *known = find(t, key->id), *other = NULL;
	struct mp_str text = known ? known->text->key : MP_STR("[unknown]");
	uint64_t *weight;

	to->buf.len = 0;
	if (held)
		put_aged(&to->buf, text, key->other);
	else
		mp_buf_str(&to->buf, text);
	if (key->other && !held) {
		other = find(t, key->other);
		mp_buf_str(&to->buf, MP_STR(";--"));
		put_reversed(&to->buf, other ? other->text->key : MP_STR("[unknown]"));
	}
	text = mp_buf_view(&to->buf);
	weight = mp_map_value(mp_map_put(&to->map, &text, 1, NULL));
	*weight += total->weight;
	to->added += total->count;
	if (known && unwound)
		unwound->ends[MP_METHOD_BPF][known->end] += total->count;
	return known && (held || !key->other || other);
}

static int by_text(const void *a, const void *b)
{
	const struct mp_map_entry *const *x = a, *const *y = b;

	return mp_str_cmp((*x)->key, (*y)->key);
}

void mp_sumlines_write(struct mp_sumlines *l, mp_sums_put_fn *put, void *arg)
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
