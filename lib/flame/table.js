// SPDX-License-Identifier: GPL-2.0-only
// The table of functions beside a flame graph, which a screen reader can read, unlike the canvas. D is the data of the page.
var table = (function () {
'use strict';
var ROWS = 500;

function element(id) {
	return document.getElementById(id);
}

// The names that have a weight and match, the heaviest first.
function sorted(sums, by, matches) {
	var order = [], k;

	for (k = 0; k < D.names.length; k++)
		if (sums.total[k] > 0 && (!matches || matches[k]))
			order.push(k);
	return order.sort(function (a, b) { return sums[by][b] - sums[by][a] || sums.total[b] - sums.total[a] || a - b; });
}

// A row for a name; its cells have the shares of `all`, its button calls choose(name).
function row_of(k, sums, all, choose) {
	var row = document.createElement('tr'), name = document.createElement('th'), button = document.createElement('button');

	[sums.self[k], sums.total[k]].forEach(function (weight) {
		var cell = document.createElement('td');

		cell.textContent = words.percent(weight, all);
		cell.title = words.weight(weight);
		row.append(cell);
	});
	button.type = 'button';
	button.textContent = words.readable(D.names[k]);
	button.addEventListener('click', function () { choose(k); });
	name.scope = 'row';
	name.append(button);
	row.append(name);
	return row;
}

// Adds the functions in a node of a tree to the empty table, sorted by 'self' or 'total'.
function fill(t, node, matches, by, choose) {
	var sums = tree.sums(t, node, D.names.length), order = sorted(sums, by, matches), body = element('rows');

	['self', 'total'].forEach(function (column) {
		element('by-' + column).parentNode.setAttribute('aria-sort', column === by ? 'descending' : 'none');
	});
	order.slice(0, ROWS).forEach(function (k) { body.append(row_of(k, sums, t.total[node], choose)); });
	element('more').textContent = order.length > ROWS ? (order.length - ROWS) + ' more: search for them' : '';
}

return { fill: fill };
})();
