// SPDX-License-Identifier: GPL-2.0-only
// What a flame graph shows as the fragment of its URL, so that a bookmark brings it back. Nothing here knows of the page.
var address = (function () {
'use strict';
var FILTERS = ['focus', 'ignore', 'from'], COLOURS = ['kind', 'name', 'library', 'change'], WIDTHS = ['both', 'before', 'after'];

// The state at first. `icicle`, `colours` and `own` are as the file says.
function initial(icicle, colours, own) {
	return {
		filters: [], // { how: one of FILTERS, query: text }, in the order in which they are applied
		collapse: false, // whether direct recursion is one frame
		of: -1, callers: false, // number of the function whose callers or callees are shown; -1: all stacks are
		zoom: 0, // number of the node that has the whole width
		query: '', // what is searched for
		icicle: icicle, // whether the root is at the top
		colours: colours, // what they are chosen by: one of COLOURS
		own: own, // whether the frames themselves are compared, not with what they call
		swap: false, // whether the sides are swapped
		weight: 0, // which weight is width, where there are two
		width: 'both', // the sides whose weights are widths: one of WIDTHS
		table: false, by: 'self' // whether the table is shown, and what it is sorted by
	};
}

// The parts that differ from the state at first.
function write(state, first) {
	var parts = state.filters.map(function (f) { return f.how + '=' + encodeURIComponent(f.query); });

	if (state.collapse)
		parts.push('collapse');
	if (state.of >= 0)
		parts.push((state.callers ? 'callers=' : 'callees=') + state.of);
	if (state.zoom)
		parts.push('zoom=' + state.zoom);
	if (state.query)
		parts.push('search=' + encodeURIComponent(state.query));
	if (state.icicle !== first.icicle)
		parts.push('flip');
	if (state.colours !== first.colours)
		parts.push('colour=' + state.colours);
	if (state.own !== first.own)
		parts.push('self');
	if (state.swap)
		parts.push('swap');
	if (state.weight)
		parts.push('weight=' + state.weight);
	if (state.width !== first.width)
		parts.push('width=' + state.width);
	if (state.table)
		parts.push('table=' + state.by);
	return '#' + parts.join('&');
}

// A number below a limit, or the default.
function number(text, limit, otherwise) {
	return /^[0-9]+$/.test(text) && +text < limit ? +text : otherwise;
}

function read_sides(state, key, value, first) {
	if (key === 'self')
		state.own = !first.own;
	if (key === 'swap')
		state.swap = true;
	if (key === 'width' && WIDTHS.indexOf(value) >= 0)
		state.width = value;
}

function read_part(state, key, value, first, names) {
	if (FILTERS.indexOf(key) >= 0 && fragment.decode(value))
		state.filters.push({ how: key, query: fragment.decode(value) });
	if (key === 'collapse')
		state.collapse = true;
	if (key === 'callers' || key === 'callees') {
		state.of = number(value, names, -1);
		state.callers = key === 'callers';
	}
	if (key === 'zoom')
		state.zoom = number(value, Infinity, 0);
	if (key === 'search')
		state.query = fragment.decode(value);
	if (key === 'weight')
		state.weight = number(value, 2, 0);
	if (key === 'flip')
		state.icicle = !first.icicle;
	if (key === 'table' && (value === 'self' || value === 'total')) {
		state.table = true;
		state.by = value;
	}
}

// Parts that are unknown or malformed are ignored. `names` is how many names there are, `sides` whether there are two sides.
function read(text, first, names, sides) {
	var state = initial(first.icicle, first.colours, first.own);

	fragment.each(text, function (key, value) {
		read_part(state, key, value, first, names);
		if (key === 'colour' && COLOURS.indexOf(value) >= 0 && (sides || value !== 'change'))
			state.colours = value;
		if (sides)
			read_sides(state, key, value, first);
	});
	return state;
}

return { WIDTHS: WIDTHS, initial: initial, write: write, read: read };
})();
