/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the writer knows of aggregates, in memory that outlives it: the texts of stacks, whose
 * processes may have ended, and the totals, each of which the kernel side hands over once. Texts are
 * only ever added. A total has two values, one of them for the state that the writer saved last, so
 * that the next writer continues from that state: nothing is added twice, or lost. What does not fit
 * is added to a total without a stack, which counts only once this writer has died. Nobody trusts
 * the content. Includes aggregate of bpf/, str.
 */
#ifndef MP_CAPTURE_AGGREGATE_LEDGER_H
#define MP_CAPTURE_AGGREGATE_LEDGER_H

#include "bpf/aggregate.h"
#include "lib/core/str.h"

/* How much memory it gets. Only what is used takes memory. */
#define MP_AGG_LEDGER_BYTES ((size_t)640 << 20)

struct mp_agg_ledger;

/* Uses memory of MP_AGG_LEDGER_BYTES, which is zeroed, or has what another writer has left. */
struct mp_agg_ledger *mp_agg_ledger_new(void *memory);
void mp_agg_ledger_free(struct mp_agg_ledger *l);

/* --- texts ------------------------------------------------------------------------------------ */

enum mp_agg_ledger_type {
	MP_AGG_LEDGER_TEXT,   /* the text of a stack; its number is that of its turn */
	MP_AGG_LEDGER_STACK,  /* struct mp_agg_ledger_stack */
	MP_AGG_LEDGER_MODULE, /* control lines of modules */
};

struct mp_agg_ledger_stack {
	uint64_t id, packed;
};

/* Adds a record. If there is no room for it, no further record is added. */
void mp_agg_ledger_put(struct mp_agg_ledger *l, enum mp_agg_ledger_type type, struct mp_str record);

typedef void mp_agg_ledger_fn(void *arg, enum mp_agg_ledger_type type, struct mp_str record);

/* Calls `each` for all records, in their order. */
void mp_agg_ledger_each(const struct mp_agg_ledger *l, mp_agg_ledger_fn *each, void *arg);

/* --- totals ----------------------------------------------------------------------------------- */

enum { MP_AGG_LEDGER_KEY = sizeof(struct mp_agg_key) };

/* Identifies a total. `waits`: the key is that of a total that waits for its stack. */
struct mp_agg_ledger_key {
	uint32_t aggregate;
	uint32_t waits;
	char bytes[MP_AGG_LEDGER_KEY];
};

/*
 * Adds to a total. `*slot` is 0 for a new one; the caller keeps it. The keys of totals that are in
 * use differ.
 */
void mp_agg_ledger_add(struct mp_agg_ledger *l, uint32_t *slot, const struct mp_agg_ledger_key *key,
		       const struct mp_agg_total *more);

/* Removes a total, which had this value. */
void mp_agg_ledger_remove(struct mp_agg_ledger *l, uint32_t slot, uint32_t aggregate,
			  const struct mp_agg_total *total);

/*
 * To be called when the state was saved, with a number that is greater each time and was saved with
 * it: what was added up to now belongs to that state.
 */
void mp_agg_ledger_saved(struct mp_agg_ledger *l, uint64_t number);

/* `slot` 0: the total is of stacks that did not fit, and `key` has only the aggregate. */
typedef void mp_agg_ledger_total_fn(void *arg, uint32_t slot, const struct mp_agg_ledger_key *key,
				    const struct mp_agg_total *total);

/*
 * Restores the totals of the state with this number, 0: before the first one was saved, and calls
 * `each` for those that are not 0. Afterwards the totals of slot 0 count no longer.
 */
void mp_agg_ledger_restore(struct mp_agg_ledger *l, uint64_t number, mp_agg_ledger_total_fn *each,
			   void *arg);

#endif
