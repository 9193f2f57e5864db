/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains of the kernel to the text of the stream's stack field. Chains repeat: each is put
 * into words once per address space. Includes symbol.
 */
#ifndef MP_CAPTURE_STACK_CHAIN_TEXT_H
#define MP_CAPTURE_STACK_CHAIN_TEXT_H

#include "lib/capture/stack/symbol.h"

/* A marker in a chain: frames are missing here. In the range of the kernel's, and none of them. */
#define MP_CONTEXT_CUT ((uint64_t)-4000)

/* A chain as it stands in a sample, leaf first, with PERF_CONTEXT_ markers. */
struct mp_chain {
	const uint64_t *ips;
	size_t n;
	unsigned max;	/* frames that are written */
	unsigned asked; /* frames that the kernel was asked for; 0: it has MP_CONTEXT_CUT instead */
};

struct mp_chain_texts {
	struct mp_symbols *symbols;
	struct mp_map cache;
	struct mp_buf scratch, text;
	size_t *ends; /* of the frames in scratch */
	size_t n_ends, cap_ends;
	uint64_t truncated; /* stacks that were cut */
	uint64_t looked_up, missed;
};

void mp_chain_texts_init(struct mp_chain_texts *s, struct mp_symbols *symbols);
void mp_chain_texts_release(struct mp_chain_texts *s);

/*
 * The frames, root first, escaped, ";" between them; valid until the next call. A chain that was
 * cut has "[truncated]" in the place of what is missing.
 */
struct mp_str mp_chain_texts_text(struct mp_chain_texts *s, const struct mp_process *process,
				  const struct mp_chain *chain, uint64_t now_ns);

#endif
