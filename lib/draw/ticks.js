// SPDX-License-Identifier: GPL-2.0-only
// The round times at which pages mark an axis. Nothing here knows of the page.
var ticks = (function () {
'use strict';
var STEPS = [1, 2, 5, 10];

// The times of the marks of an axis from `from` to `to` with at most `most` of them.
function marks(from, to, most) {
	var least = (to - from) / most, power = Math.pow(10, Math.floor(Math.log10(least))), step, list = [], k;

	step = power * STEPS.filter(function (s) { return s * power >= least * 0.999; })[0];
	for (k = Math.ceil(from / step); k * step < to; k++)
		list.push(k * step);
	return list;
}

return { marks: marks };
})();
