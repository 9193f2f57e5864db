// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/chain_text.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/core/clock.h"

enum {
	TEXT_MAX_BYTES = 900 << 10, /* a line has at most 1 MiB */
	TRACING_FRAMES = 4,	    /* maximum number of frames that belong to the tracing itself */
	JIT_NS = 100000000,	    /* how long a name of code without a file is cached */
	BARE_NS = 1000000000,	    /* how long a stack without names is cached */
	LONG_BYTES = 2048,	    /* longer texts are charged */
};

void mp_chain_texts_init(struct mp_chain_texts *s, struct mp_symbols *symbols)
{
	*s = (struct mp_chain_texts){ .symbols = symbols };
	mp_user_texts_init(&s->cache);
}

void mp_chain_texts_limit(struct mp_chain_texts *s, struct mp_budget *budget,
			  const struct mp_tasks *tasks)
{
	s->budget = s->cache.budget = s->symbols->jits.budget = budget;
	s->tasks = s->symbols->jits.tasks = tasks;
}

void mp_chain_texts_release(struct mp_chain_texts *s)
{
	mp_user_texts_release(&s->cache);
	mp_buf_release(&s->scratch);
	mp_buf_release(&s->text);
	mp_buf_release(&s->shortened);
	free(s->ends);
}

static bool is_marker(uint64_t ip)
{
	return ip >= (uint64_t)PERF_CONTEXT_MAX;
}

static bool has_user_part(const struct mp_chain *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->ips[i] == (uint64_t)PERF_CONTEXT_USER)
			return true;
	return false;
}

static void end_frame(struct mp_chain_texts *s)
{
	s->ends = mp_grow(s->ends, &s->cap_ends, s->n_ends + 1, sizeof(*s->ends));
	s->ends[s->n_ends++] = s->scratch.len;
}

static void add_truncated(struct mp_chain_texts *s, bool kernel)
{
	mp_buf_str(&s->scratch, kernel ? MP_STR("[truncated]_[k]") : MP_STR("[truncated]"));
	end_frame(s);
}

/*
 * Whether a frame belongs to the tracing. If several programs are attached to a tracepoint, the
 * kernel calls them from a function of its own, and BPF programs from another. The event did not
 * happen in either of these functions.
 */
static bool is_tracing(struct mp_str frame)
{
	return mp_str_starts(frame, MP_STR("__traceiter_")) ||
	       mp_str_starts(frame, MP_STR("bpf_trace_run"));
}

/*
 * Writes the frames to s->scratch, leaf first. The address in a caller is the return address. The
 * address minus one is within the call itself, which matters if the called function never returns.
 * Returns false if a name may change. `bare`: frames of the process get no names.
 */
static bool name_frames(struct mp_chain_texts *s, struct mp_process *process,
			const struct mp_chain *c, uint64_t now_ns, bool bare, bool *cut)
{
	bool kernel = true, leaf = true, lasting = true;
	size_t frames = 0, start, i;

	s->scratch.len = 0;
	s->n_ends = 0;
	*cut = false;
	for (i = 0; i < c->n; i++) {
		uint64_t ip = c->ips[i];

		if (ip == MP_CONTEXT_CUT) {
			add_truncated(s, kernel);
			*cut = true;
			continue;
		}
		if (is_marker(ip)) {
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL;
			leaf = true;
			continue;
		}
		if (frames == c->max || s->scratch.len > TEXT_MAX_BYTES)
			break;
		frames++;
		ip -= !leaf && ip;
		start = s->scratch.len;
		if (kernel)
			mp_symbols_kernel(s->symbols, ip, &s->scratch);
		else if (bare)
			mp_symbols_bare(s->symbols, process, ip, &s->scratch);
		else
			lasting &= mp_symbols_user(s->symbols, process, ip, now_ns, &s->scratch);
		end_frame(s);
		if (kernel && frames <= TRACING_FRAMES &&
		    is_tracing((struct mp_str){ s->scratch.p + start, s->scratch.len - start }))
			s->scratch.len = s->n_ends = 0;
		leaf = false;
	}
	if (i < c->n || (frames && frames == c->asked)) {
		add_truncated(s, kernel);
		*cut = true;
	}
	return lasting;
}

/* Copies the frames of s->scratch to s->text, root first. */
static void reverse(struct mp_chain_texts *s)
{
	size_t i, start;

	s->text.len = 0;
	for (i = s->n_ends; i-- > 0;) {
		start = i ? s->ends[i - 1] : 0;
		mp_buf_add(&s->text, s->scratch.p + start, s->ends[i] - start);
		if (i)
			mp_buf_byte(&s->text, ';');
	}
}

/* Makes a text that is not in the cache, and charges the user of the process for the time. */
static struct mp_user_text make_text(struct mp_chain_texts *s, struct mp_process *process,
				     const struct mp_chain *chain, uint64_t now_ns)
{
	uint64_t began_ns = mp_clock_thread_ns();
	struct mp_user_text made;
	struct mp_budget_who who;
	bool bare = false, lasting;

	s->missed++;
	if (s->budget) {
		who = mp_tasks_who(s->tasks, process, NULL);
		bare = !mp_budget_take(s->budget, MP_BUDGET_TIME, &who, 1) ||
		       mp_work_avoids_process(s->symbols->dsos.work, who.pid) ||
		       mp_work_avoids_user(s->symbols->dsos.work, who.uid);
		who.uid = mp_budget_uid(s->budget, who.uid);
		mp_work_begin(s->symbols->dsos.work, MP_WORK_PROCESS, &who, NULL);
	}
	lasting = name_frames(s, process, chain, now_ns, bare, &made.cut);
	mp_work_end(s->symbols->dsos.work, MP_WORK_PROCESS);
	reverse(s);
	if (s->budget)
		mp_budget_spend(s->budget, MP_BUDGET_TIME, who.uid,
				mp_clock_thread_ns() - began_ns);
	made.text = mp_buf_view(&s->text);
	made.until_ns = bare ? now_ns + BARE_NS : lasting ? UINT64_MAX : now_ns + JIT_NS;
	return made;
}

/*
 * Keeps the last frames of a long text, the leaves, if the user has used up the share of the output
 * or of memory.
 */
static struct mp_str shorten(struct mp_chain_texts *s, struct mp_process *process,
			     enum mp_budget_kind kind, struct mp_str text, bool *cut)
{
	struct mp_budget_who who = mp_tasks_who(s->tasks, process, NULL);
	struct mp_str end = mp_str_skip(text, text.len - LONG_BYTES);
	const char *semicolon = memchr(end.p, ';', end.len);

	if (mp_budget_take(s->budget, kind, &who, text.len))
		return text;
	*cut = true;
	s->shortened.len = 0;
	mp_buf_str(&s->shortened, MP_STR("[truncated]"));
	if (semicolon)
		mp_buf_add(&s->shortened, semicolon, end.p + end.len - semicolon);
	return mp_buf_view(&s->shortened);
}

struct mp_str mp_chain_texts_text(struct mp_chain_texts *s, struct mp_process *process,
				  const struct mp_chain *chain, uint64_t now_ns)
{
	const bool user = has_user_part(chain);
	/* with places, a text is made again for each stream, so that this has the lines of modules */
	uint64_t where[4] = { user ? process->space->id : 0, chain->max,
			      user ? mp_symbols_changes(s->symbols, process->space, now_ns) : 0,
			      s->symbols->places ? s->symbols->stream : 0 };
	const struct mp_str key[2] = {
		{ (const char *)where, sizeof(where) },
		{ (const char *)chain->ips, chain->n * sizeof(*chain->ips) },
	};
	const struct mp_user_text *known;
	struct mp_user_text text;

	s->looked_up++;
	known = mp_user_texts_find(&s->cache, process->uid, key);
	if (known && now_ns <= known->until_ns) {
		text = *known;
	} else {
		text = make_text(s, process, chain, now_ns);
		mp_user_texts_put(&s->cache, process->uid, key, &text);
	}
	if (s->budget && text.text.len > LONG_BYTES)
		text.text = shorten(s, process, MP_BUDGET_OUTPUT, text.text, &text.cut);
	s->truncated += text.cut;
	return text.text;
}

struct mp_str mp_chain_texts_held(struct mp_chain_texts *s, struct mp_process *process,
				  struct mp_str text)
{
	bool cut;

	/* a text that was shortened already is not charged */
	if (!s->budget || text.len <= LONG_BYTES || text.p == s->shortened.p)
		return text;
	return shorten(s, process, MP_BUDGET_SUMS, text, &cut);
}
