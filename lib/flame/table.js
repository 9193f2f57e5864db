// SPDX-License-Identifier: GPL-2.0-only
// The table of functions beside a flame graph, which a screen reader can read, unlike the canvas. D is the data of the page.
var table = (function () {
'use strict';
var MOST = 500; // rows

function element(id) {
	return document.getElementById(id);
}

// The names that have a weight and match, the heaviest first, or those with the greatest differences.
function sorted(sums, by, matches) {
	var order = [], k;

	function heavier(a, b, column) {
		return Math.abs(sums[column][b]) - Math.abs(sums[column][a]);
	}
	for (k = 0; k < D.names.length; k++)
		if (sums.weight[k] > 0 && (!matches || matches[k]))
			order.push(k);
	return order.sort(function (a, b) { return heavier(a, b, by) || heavier(a, b, 'total') || a - b; });
}

// By name, what the columns of the table have, and the texts of a cell.
function weights(t, node) {
	var sums = tree.sums(t, node, D.names.length, 0), all = t.total[node];

	return { weight: sums.total, self: sums.self, total: sums.total,
		shown: function (column, k) { return words.percent(sums[column][k], all); },
		title: function (column, k) { return words.weight(sums[column][k]); } };
}

// The same of differences.
function differences(t, node) {
	var count = D.names.length, sides = [tree.sums(t, node, count, 1), tree.sums(t, node, count, 2)], both = {};

	function pair(column, k) {
		return [sides[0][column][k], sides[1][column][k]];
	}
	both.weight = sides[0].total.map(function (weight, k) { return weight + sides[1].total[k]; });
	['self', 'total'].forEach(function (column) {
		both[column] = both.weight.map(function (weight, k) { return change.difference(pair(column, k)); });
	});
	both.shown = function (column, k) { return change.difference_text(both[column][k]); };
	both.title = function (column, k) { return change.describe(pair(column, k)); };
	return both;
}

// A row for a name; its button calls choose(name).
function row_of(k, sums, choose) {
	var row = document.createElement('tr'), name = document.createElement('th'), button = document.createElement('button');

	['self', 'total'].forEach(function (column) {
		var cell = document.createElement('td');

		cell.textContent = sums.shown(column, k);
		cell.title = sums.title(column, k);
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

// Adds the functions in a node of a tree to the empty table, sorted by 'self' or 'total'; at most `most`, if it is given.
function fill(t, node, matches, by, choose, most) {
	var sums = D.sides ? differences(t, node) : weights(t, node), order = sorted(sums, by, matches), body = element('rows');

	['self', 'total'].forEach(function (column) {
		element('by-' + column).parentNode.setAttribute('aria-sort', column === by ? 'descending' : 'none');
	});
	order.slice(0, most || MOST).forEach(function (k) { body.append(row_of(k, sums, choose)); });
	element('more').textContent = order.length > (most || MOST) ? (order.length - (most || MOST)) + ' more: search for them' : '';
}

return { fill: fill };
})();
