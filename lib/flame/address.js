// SPDX-License-Identifier: GPL-2.0-only
// What a flame graph shows as the fragment of its URL, so that a bookmark brings it back. Nothing here knows of the page.
var address = (function () {
'use strict';
var FILTERS = ['focus', 'ignore', 'from'];

// The state at first. `icicle` and `by_name` are as the file says.
function initial(icicle, by_name) {
	return {
		filters: [], // { how: one of FILTERS, query: text }, in the order in which they are applied
		collapse: false, // whether direct recursion is one frame
		of: -1, callers: false, // number of the function whose callers or callees are shown; -1: all stacks are
		zoom: 0, // number of the node that has the whole width
		query: '', // what is searched for
		icicle: icicle, // whether the root is at the top
		by_name: by_name, // what colours are chosen by: names, or else kinds of code
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
	if (state.by_name !== first.by_name)
		parts.push('colour');
	if (state.table)
		parts.push('table=' + state.by);
	return '#' + parts.join('&');
}

// A text of the fragment; '' if it is malformed.
function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch (e) {
		return '';
	}
}

// A number below a limit, or the default.
function number(text, limit, otherwise) {
	return /^[0-9]+$/.test(text) && +text < limit ? +text : otherwise;
}

function read_part(state, key, value, first, names) {
	if (FILTERS.indexOf(key) >= 0 && decode(value))
		state.filters.push({ how: key, query: decode(value) });
	if (key === 'collapse')
		state.collapse = true;
	if (key === 'callers' || key === 'callees') {
		state.of = number(value, names, -1);
		state.callers = key === 'callers';
	}
	if (key === 'zoom')
		state.zoom = number(value, Infinity, 0);
	if (key === 'search')
		state.query = decode(value);
	if (key === 'flip')
		state.icicle = !first.icicle;
	if (key === 'colour')
		state.by_name = !first.by_name;
	if (key === 'table' && (value === 'self' || value === 'total')) {
		state.table = true;
		state.by = value;
	}
}

// Parts that are unknown or malformed are ignored. `names` is how many names there are.
function read(fragment, first, names) {
	var state = initial(first.icicle, first.by_name);

	fragment.replace(/^#/, '').split('&').forEach(function (part) {
		var at = part.indexOf('=');

		read_part(state, at < 0 ? part : part.slice(0, at), at < 0 ? '' : part.slice(at + 1), first, names);
	});
	return state;
}

return { initial: initial, write: write, read: read };
})();
