// SPDX-License-Identifier: GPL-2.0-only
// Which stacks of a file the state of the page (address.js) shows. D is the data of the page.
var stacks = (function () {
'use strict';

// A mark for each name that a query finds; null if it is not a regular expression.
function names_found(query) {
	try {
		return Uint8Array.from(D.names, words.matcher(query));
	} catch (e) {
		return null;
	}
}

function apply(t, filter) {
	var names = names_found(filter.query);

	if (!names)
		return t;
	switch (filter.how) {
	case 'focus':
		return tree.focus(t, names);
	case 'ignore':
		return tree.ignore(t, names);
	default:
		return tree.show_from(t, names, D.names.length);
	}
}

function callees(t, name) {
	var names = new Uint8Array(D.names.length);

	names[name] = 1;
	return tree.show_from(t, names, D.names.length);
}

// What the tree of a state depends on, as text.
function key_of(state) {
	return JSON.stringify([state.filters, state.collapse, state.of, state.callers, state.width, state.width !== 'both' && state.swap, state.weight]);
}

function choose(whole, state) {
	var t = state.filters.reduce(apply, whole);

	if (state.collapse)
		t = tree.collapse(t, D.names.length);
	if (state.of < 0)
		return t;
	return state.callers ? tree.callers(t, state.of, D.names.length) : callees(t, state.of);
}

return { names_found: names_found, key_of: key_of, choose: choose };
})();
