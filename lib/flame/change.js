// SPDX-License-Identifier: GPL-2.0-only
// What a flame graph of differences says of the weights of both sides, and which step of colour a difference has. D.sides is
// what lib/flame/flamehtml.c writes; lib/flame/sides.h describes the measures and the steps.
var change = (function () {
'use strict';
var FACTORS = [1.1, 1.5, 3];
var swapped = false; // whether the side after is compared with the one before
var own = false; // whether the frames themselves are compared

// Compares as the state of the page (address.js) says.
function set(state) {
	swapped = state.swap;
	own = state.own;
}

// What is compared of a node of a tree: the weights of both sides.
function of(t, i) {
	var from = own ? t.own : t.sum;

	return [from[1][i], from[2][i]];
}

// What weights are multiplied by to be widths.
function factors(width) {
	var at = order(), each = D.sides.exposure.map(function (exposure) { return 1 / exposure; });

	if (width !== 'both')
		each[at[width === 'before' ? 1 : 0]] = 0;
	return each;
}

// The sides in the order in which they are compared: 0 is the first file's.
function order() {
	return swapped ? [1, 0] : [0, 1];
}

function value(side, weight) {
	return weight / D.sides.exposure[side];
}

// How many standard deviations of a normal distribution the difference of two Poisson counts is, which `times` says how long were
// counted: the saddlepoint approximation of the binomial tail (H. E. Daniels, Tail probability approximations, International
// Statistical Review 55, 1987) with correction for continuity. The probability is at most 7 % too small.
function deviations(counts, times) {
	var n = counts[0] + counts[1], share = times[0] / (times[0] + times[1]), most = counts[0], expected, rest, w, u;

	if (most < n * share) {
		most = counts[1];
		share = 1 - share;
	}
	most -= 0.5;
	rest = n - most;
	expected = n * share;
	if (most <= expected)
		return 0;
	w = Math.sqrt(2 * (most * Math.log(most / expected) + rest * Math.log(rest / (n - expected))));
	u = 2 * Math.sinh(Math.log(most * (n - expected) / (rest * expected)) / 2) * Math.sqrt(most * rest / n);
	return w > 1e-6 ? w + Math.log(u / w) / w : 0;
}

// Whether values do not differ by more than rounding.
function equal(a, b) {
	return Math.abs(a - b) <= 1e-12 * Math.max(a, b);
}

// The step of the weights of both sides: 1 to 4 for an increase, below 0 for a decrease, 0 if it is not significant.
function step(weights) {
	var at = order(), a = value(at[0], weights[at[0]]), b = value(at[1], weights[at[1]]);
	var small = Math.min(a, b), great = Math.max(a, b), k;

	if (equal(a, b) || (D.sides.z && deviations(weights, D.sides.exposure) < D.sides.z))
		return 0;
	k = 1 + FACTORS.filter(function (factor) { return great * (1 + 1e-12) >= factor * small; }).length;
	return b > a ? k : -k;
}

// The difference that is significant, in the measure; 0 if none is.
function difference(weights) {
	var at = order();

	return step(weights) && value(at[1], weights[at[1]]) - value(at[0], weights[at[0]]);
}

function number(v) {
	return D.unit ? units.with_unit(v, D.unit) : String(+v.toPrecision(4));
}

function value_text(side, weight) {
	switch (D.sides.measure) {
	case 'share':
		return words.percent(weight, D.sides.exposure[side]) + ' (' + words.weight(weight) + ')';
	case 'work':
		return number(value(side, weight)) + ' per unit of work (' + words.weight(weight) + ')';
	default:
		return words.weight(weight);
	}
}

function ratio(a, b) {
	if (equal(a, b))
		return '=';
	if (!a || !b)
		return a ? 'gone' : 'new';
	return 'x ' + (b / a < 100 ? String(+(b / a).toPrecision(3)) : (b / a).toFixed(0));
}

function describe(weights) {
	var at = order(), text = ratio(value(at[0], weights[at[0]]), value(at[1], weights[at[1]]));

	return 'before ' + value_text(at[0], weights[at[0]]) + ', after ' + value_text(at[1], weights[at[1]]) + ': ' + text +
		(text !== '=' && !step(weights) ? ', not significant' : '');
}

// A difference as text, with its sign.
function difference_text(v) {
	var sign = v > 0 ? '+' : v < 0 ? '\u2212' : '';

	return sign + (D.sides.measure === 'share' ? words.percent(Math.abs(v), 1) : number(Math.abs(v)));
}

return { set: set, of: of, factors: factors, order: order, deviations: deviations, step: step, difference: difference, describe: describe,
	difference_text: difference_text };
})();
