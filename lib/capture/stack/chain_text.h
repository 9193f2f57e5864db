/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts call chains of the kernel to the text of the stream's stack field. Chains repeat: each
 * is symbolized once per address space. Includes symbol, user_texts.
 */
#ifndef MP_CAPTURE_STACK_CHAIN_TEXT_H
#define MP_CAPTURE_STACK_CHAIN_TEXT_H

#include "lib/capture/stack/symbol.h"
#include "lib/capture/stack/user_texts.h"

/*
 * A marker in a chain that says that frames are missing at its place. The kernel's markers have
 * other numbers.
 */
#define MP_CONTEXT_CUT ((uint64_t)-4000)

/* A chain as in a sample, leaf first, with PERF_CONTEXT_ markers. */
struct mp_chain {
	const uint64_t *ips;
	size_t n;
	unsigned max; /* maximum number of frames to write */
	/* the limit of frames that the kernel applied; 0: MP_CONTEXT_CUT is in the chain */
	unsigned asked;
};

struct mp_chain_texts {
	struct mp_symbols *symbols;
	/* borrowed; NULL: no limits for single users */
	struct mp_budget *budget;
	const struct mp_tasks *tasks;
	struct mp_user_texts cache;
	struct mp_buf scratch, text, shortened;
	size_t *ends; /* ends of the frames in `scratch` */
	size_t n_ends, cap_ends;
	uint64_t truncated; /* number of stacks that lack frames */
	uint64_t looked_up, missed;
};

void mp_chain_texts_init(struct mp_chain_texts *s, struct mp_symbols *symbols);

/* Limits what each user may cost, by the user's processes in `tasks`. */
void mp_chain_texts_limit(struct mp_chain_texts *s, struct mp_budget *budget,
			  const struct mp_tasks *tasks);
void mp_chain_texts_release(struct mp_chain_texts *s);

/*
 * The frames, root first, escaped, with ";" between them; valid until the next call. Where frames
 * are missing, the text has "[truncated]". A long text of a user who has used up the share of the
 * output is truncated to 2 KiB of frames.
 */
struct mp_str mp_chain_texts_text(struct mp_chain_texts *s, struct mp_process *process,
				  const struct mp_chain *chain, uint64_t now_ns);

/*
 * For a text that is kept until the end: charges the user for it, or returns its last 2 KiB of
 * frames; valid until the next call.
 */
struct mp_str mp_chain_texts_held(struct mp_chain_texts *s, struct mp_process *process,
				  struct mp_str text);

#endif
