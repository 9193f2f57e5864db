// SPDX-License-Identifier: GPL-2.0-only
// What a flame graph shows as the fragment of its URL, so that a bookmark brings it back. Nothing here knows of the page.
var address = (function () {
'use strict';

// zoom: number of the node that has the whole width; query: what is searched for; icicle: the root is at the top; table: whether
// it is shown, sorted by `by`; of: number of the function whose callers or callees are shown, -1: all stacks are.
function initial(icicle) {
	return { zoom: 0, query: '', icicle: icicle, table: false, by: 'self', of: -1, callers: false };
}

// The parts that differ from the initial state.
function write(state, icicle) {
	var parts = [];

	if (state.of >= 0)
		parts.push((state.callers ? 'callers=' : 'callees=') + state.of);
	if (state.zoom)
		parts.push('zoom=' + state.zoom);
	if (state.query)
		parts.push('search=' + encodeURIComponent(state.query));
	if (state.icicle !== icicle)
		parts.push('flip');
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

// Parts that are unknown or malformed are ignored. `names` is how many names there are.
function read(fragment, icicle, names) {
	var state = initial(icicle);

	fragment.replace(/^#/, '').split('&').forEach(function (part) {
		var at = part.indexOf('='), key = at < 0 ? part : part.slice(0, at), value = at < 0 ? '' : part.slice(at + 1);

		if (key === 'zoom')
			state.zoom = number(value, Infinity, 0);
		if (key === 'search')
			state.query = decode(value);
		if (key === 'flip')
			state.icicle = !icicle;
		if (key === 'table' && (value === 'self' || value === 'total')) {
			state.table = true;
			state.by = value;
		}
		if (key === 'callers' || key === 'callees') {
			state.of = number(value, names, -1);
			state.callers = key === 'callers';
		}
	});
	return state;
}

return { initial: initial, write: write, read: read };
})();
