// SPDX-License-Identifier: GPL-2.0-only
// Which part of a recording a page shows, as the fragment of its URL. Nothing here knows of the page.
var choice = (function () {
'use strict';
var COLOURS = ['kind', 'name'];

// The state at first. `weighed`: the flame graph adds up the measured numbers.
function initial(weighed) {
	return {
		time: null, // bins [from, to), or null: all
		and: null, // a second range, which is compared with the first one
		of: 0, // number of the node of the tree of all stacks that was chosen: of a task, or of a frame; 0: all
		weighed: weighed, // whether the flame graph and the tables have sums of numbers, not counts of events
		query: '', // what is searched for in the flame graph
		icicle: false, // whether its root is at the top
		colours: 'kind', // one of COLOURS
		by: 'self' // what the table of functions is sorted by
	};
}

function write(state, first) {
	var parts = [];

	if (state.time)
		parts.push('time=' + state.time.join('-'));
	if (state.and)
		parts.push('and=' + state.and.join('-'));
	if (state.of)
		parts.push('of=' + state.of);
	if (state.weighed !== first.weighed)
		parts.push(state.weighed ? 'sums' : 'counts');
	if (state.query)
		parts.push('search=' + encodeURIComponent(state.query));
	if (state.icicle)
		parts.push('flip');
	if (state.colours !== first.colours)
		parts.push('colour=' + state.colours);
	if (state.by !== first.by)
		parts.push('table=' + state.by);
	return '#' + parts.join('&');
}

// Bins as "12-40"; null if there are no such bins.
function range(text, bins) {
	var ends = /^([0-9]{1,9})-([0-9]{1,9})$/.exec(text);

	return ends && +ends[1] < +ends[2] && +ends[2] <= bins ? [+ends[1], +ends[2]] : null;
}

// Parts that are unknown or malformed are ignored. `limits`: how many bins and nodes there are, and whether numbers are measured.
function read(text, first, limits) {
	var state = initial(first.weighed);

	fragment.each(text, function (key, value) {
		if (key === 'time' || key === 'and')
			state[key] = range(value, limits.bins);
		if (key === 'of' && /^[0-9]{1,10}$/.test(value) && +value < limits.nodes)
			state.of = +value;
		if (limits.measured && (key === 'sums' || key === 'counts'))
			state.weighed = key === 'sums';
		if (key === 'search')
			state.query = fragment.decode(value);
		if (key === 'flip')
			state.icicle = true;
		if (key === 'colour' && COLOURS.indexOf(value) >= 0)
			state.colours = value;
		if (key === 'table' && (value === 'self' || value === 'total'))
			state.by = value;
	});
	if (!state.time)
		state.and = null;
	return state;
}

return { initial: initial, write: write, read: read };
})();
