/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much the weight of a function varies from run to run. A few runs show that only roughly: by
 * chance they are close together or far apart. What all functions have in common is known better,
 * and is added to what the runs of one function show, as in G. K. Smyth, Linear models and
 * empirical Bayes methods for assessing differential expression in microarray experiments,
 * Statistical Applications in Genetics and Molecular Biology 3, 2004. Includes compare.
 */
#ifndef MP_DIFF_VARIANCE_H
#define MP_DIFF_VARIANCE_H

#include "lib/stats/compare.h"

/* The runs of a side, in any unit. */
struct mp_diff_side {
	double mean;
	double variance; /* of the runs; 0 if there is one */
	size_t n;	 /* runs, at least 2 */
	/* for samples: the variance that these have, mean count of a run; otherwise 0 and 0 */
	double sampling, samples;
};

/* Both sides of a function. */
struct mp_diff_pair {
	struct mp_diff_side side[2];
	/* what the standard deviation is in proportion to if something disturbs runs */
	double scale;
	bool common;			  /* is one of those of which the common part is made */
	struct mp_compare_sample best[2]; /* set by mp_diff_variances() */
};

/*
 * Estimates all variances. `counted`: the weights are samples. The expected variance of a side is
 * that of sampling, in proportion to `scale`, plus that of disturbances, in proportion to its
 * square. It has the weight of 4 more degrees of freedom, but none if the runs of a function vary
 * so much more that this happens by chance in a quarter of all cases.
 */
void mp_diff_variances(struct mp_diff_pair *v, size_t n, bool counted);

#endif
