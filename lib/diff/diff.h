/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between two sides of runs: the functions or stacks with their weights, and which
 * differences are significant. lib/stats/compare.h names the tests. Takes n log n time. Includes
 * runs, variance.
 */
#ifndef MP_DIFF_DIFF_H
#define MP_DIFF_DIFF_H

#include "lib/diff/runs.h"
#include "lib/diff/variance.h"

/* The probability of a false alarm, for all differences together. */
#define MP_DIFF_ALPHA 0.05

enum mp_diff_of {
	MP_DIFF_ALL,   /* all stacks; for shares there is none */
	MP_DIFF_SELF,  /* a function: the stacks that end in it */
	MP_DIFF_TOTAL, /* a function: the stacks that have it, each once */
	MP_DIFF_STACK,
	MP_DIFF_MEAN, /* of the numbers of a key, see dists.h */
	MP_DIFF_P50,
	MP_DIFF_P99,
};

enum mp_diff_measure {
	MP_DIFF_SHARE,	  /* of the weight of the run: 0 to 1 if no weight is below 0 */
	MP_DIFF_ABSOLUTE, /* the weight of the run */
	MP_DIFF_WORK,	  /* the weight by unit of work */
	MP_DIFF_NUMBER,	  /* a number of a distribution */
};

enum mp_diff_test {
	MP_DIFF_WELCH,	 /* three or more runs on each side */
	MP_DIFF_POISSON, /* fewer; the weights are numbers of samples */
	MP_DIFF_NONE,	 /* fewer; nothing is known of the weights */
};

struct mp_diff_row {
	enum mp_diff_of of;
	uint32_t id;		/* number of the name, the stack or the key; 0 for MP_DIFF_ALL */
	const int64_t *weights; /* NULL for numbers of a key */
	/*
	 * in the unit of the measure: means of the runs, for MP_DIFF_POISSON of all of their
	 * samples together
	 */
	double before, after;
	double difference; /* after - before */
	double p;	   /* of the test; MP_DIFF_NONE: 1 */
	/* half of the confidence interval, at the level that Holm's method chose for this row */
	double margin;
	bool significant;
};

/* What is compared, and how. */
struct mp_diff {
	enum mp_diff_measure measure;
	const double *work; /* for MP_DIFF_WORK: of each run, above 0; borrowed */
	bool samples;	    /* the weights are numbers of samples */
	bool stacks;	    /* rows are stacks, not functions */
	bool no_self, no_total;
	double min_share; /* rows have at least this share of all weight, 0 to 1 */

	/* set by mp_diff_make() */
	enum mp_diff_test test;
	struct mp_diff_row *rows; /* what matters most first */
	size_t n, n_significant;

	/* private */
	int64_t *functions; /* of a name: its own weights, and its total ones, in each run */
	double *exposure;   /* of a run: what its weights are divided by */
	size_t cap;
};

/*
 * Makes the rows of finished runs, which must outlive `d`. A function or stack that has all of the
 * weight gets no row: its share is 1, its weight that of MP_DIFF_ALL. Returns 0, or -1 if shares
 * are to be compared and a run has none, since its total is not above 0; `*bad` is the number of
 * that run.
 */
int mp_diff_make(struct mp_diff *d, struct mp_diff_runs *runs, size_t *bad);
void mp_diff_release(struct mp_diff *d);

/*
 * For dists.c. Adds a row with the means of a pair; for MP_DIFF_WELCH sets its p by the variances
 * that mp_diff_variances() has set, and returns the error of the difference.
 */
struct mp_compare_error mp_diff_add_tested(struct mp_diff *d, enum mp_diff_of of, uint32_t id,
					   const struct mp_diff_pair *pair);

/*
 * Corrects the tests for their number, sets margins by the error of each row, and sorts the rows.
 */
void mp_diff_decide(struct mp_diff *d, const struct mp_compare_error *errors);

#endif
