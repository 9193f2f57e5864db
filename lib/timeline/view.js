// SPDX-License-Identifier: GPL-2.0-only
// What part of a timeline is shown, as the fragment of its URL, and the texts of times. Nothing here knows of the page.
var view_of = (function () {
'use strict';

// The state at first: times are ns since the begin of the picture.
function initial(from, to) {
	return {
		from: from, to: to, // what is visible
		a: -1, b: -1, // the markers; -1: not set
		query: '', rows: '', // what is searched for; the expression that the names of rows match
		off: [], // the numbers of the types that are not shown
		pinned: [], collapsed: [], // numbers of rows
		arrows: true, table: false
	};
}

function write_list(parts, name, list) {
	if (list.length)
		parts.push(name + '=' + list.join(','));
}

function write(state, first) {
	var parts = [];

	if (state.from !== first.from || state.to !== first.to)
		parts.push('view=' + state.from + ',' + state.to);
	if (state.a >= 0)
		parts.push('a=' + state.a);
	if (state.b >= 0)
		parts.push('b=' + state.b);
	if (state.query)
		parts.push('search=' + encodeURIComponent(state.query));
	if (state.rows)
		parts.push('rows=' + encodeURIComponent(state.rows));
	write_list(parts, 'off', state.off);
	write_list(parts, 'pinned', state.pinned);
	write_list(parts, 'collapsed', state.collapsed);
	if (!state.arrows)
		parts.push('arrows=0');
	if (state.table)
		parts.push('table');
	return '#' + parts.join('&');
}

// Whole numbers below a limit.
function numbers(text, limit) {
	return text.split(',').filter(function (v) { return /^[0-9]{1,16}$/.test(v) && +v < limit; }).map(Number);
}

function read_part(state, key, value, limits) {
	var list;

	if (key === 'view') {
		list = numbers(value, limits.end + 1);
		if (list.length === 2 && list[0] < list[1]) {
			state.from = list[0];
			state.to = list[1];
		}
	}
	if (key === 'a' || key === 'b')
		numbers(value, limits.end + 1).forEach(function (v) { state[key] = v; });
	if (key === 'search')
		state.query = fragment.decode(value);
	if (key === 'rows')
		state.rows = fragment.decode(value);
	if (key === 'off')
		state.off = numbers(value, limits.types);
	if (key === 'pinned' || key === 'collapsed')
		state[key] = numbers(value, limits.rows);
	if (key === 'arrows')
		state.arrows = value !== '0';
	if (key === 'table')
		state.table = true;
}

// Parts that are unknown or malformed are ignored. `limits`: the end of the picture, and how many types and rows there are.
function read(text, first, limits) {
	var state = initial(first.from, first.to);

	fragment.each(text, function (key, value) { read_part(state, key, value, limits); });
	return state;
}

// A time since the begin of the picture on the clock of the stream, as text: it may have more digits than a number of a script.
function on_clock(base, ns) {
	return (BigInt(base) + BigInt(Math.round(ns))).toString();
}

// A word of a shell.
function quoted(word) {
	return /^[A-Za-z0-9_.,:\/@%+=-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

// The command that selects a part of the recording.
function command(base, from, to, file) {
	return 'mp-select --overlap --from @' + on_clock(base, Math.min(from, to)) + ' --to @' + on_clock(base, Math.max(from, to)) +
		(file ? ' ' + quoted(/^-/.test(file) ? './' + file : file) : '');
}

// A time with as many digits as tell apart times that are `step` from each other.
function exact(ns, step) {
	var unit = Math.abs(ns) >= 1e9 ? [1e9, ' s'] : Math.abs(ns) >= 1e6 ? [1e6, ' ms'] : Math.abs(ns) >= 1e3 ? [1e3, ' us'] : [1, ' ns'];
	var digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit[0] / step) - 1e-9)));

	return String(Number((ns / unit[0]).toFixed(digits))) + unit[1];
}

return { initial: initial, write: write, read: read, on_clock: on_clock, command: command, exact: exact };
})();
