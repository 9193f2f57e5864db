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
	double sampling; /* variance that is known, see enum mp_diff_noise */
	double samples;	 /* mean number of samples of a run, if they are */
};

/* Both sides of a function. */
struct mp_diff_pair {
	struct mp_diff_side side[2];
	/* what the standard deviation is in proportion to if something disturbs runs */
	double scale;
	bool common;			  /* counts for what all functions have in common */
	struct mp_compare_sample best[2]; /* set by mp_diff_variances() */
};

enum mp_diff_noise {
	MP_DIFF_SAMPLES, /* sums of samples: `sampling` is their variance */
	MP_DIFF_WEIGHTS, /* sums of weights: the variance of sampling is not known */
	MP_DIFF_NUMBERS, /* not sums: `sampling` is the least variance that a number has */
};

/*
 * Estimates all variances. The expected variance of a side is that of sampling, for sums in
 * proportion to `scale`, plus that of disturbances, in proportion to its square. It counts as 4
 * degrees of freedom beside those of the runs. It does not count for a function whose runs vary so
 * much more that chance causes this in less than a quarter of all cases.
 */
void mp_diff_variances(struct mp_diff_pair *v, size_t n, enum mp_diff_noise noise);

#endif
