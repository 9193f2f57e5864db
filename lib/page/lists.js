// SPDX-License-Identifier: GPL-2.0-only
// The histogram and the table of tasks of a page. D is the data of the page.
var lists = (function () {
'use strict';
var ROWS = 100;

function add(parent, tag, text) {
	var e = document.createElement(tag);

	if (text !== undefined)
		e.textContent = text;
	parent.append(e);
	return e;
}

// A cell with a number, and a bar as long as the share of it; one for each side.
function bar_cell(row, share, side) {
	var bar = add(add(row, 'td'), 'i');

	bar.style.width = Math.max(share * 100, share ? 1 : 0) + '%';
	bar.className = side ? 'bar after' : 'bar';
}

function edge(v) {
	return units.with_unit(v, D.measured_unit);
}

function label(edges) {
	if (edges[0] === edges[1])
		return '0';
	return edges[1] <= 0 ? '(' + edge(edges[0]) + ', ' + edge(edges[1]) + ']' : '[' + edge(edges[0]) + ', ' + edge(edges[1]) + ')';
}

// The buckets from the least to the greatest that occurs on one of the sides: [low, high, count of each side].
function buckets_of(sides) {
	var list = cells.in_order(D.buckets).map(function (b) {
		return cells.edges(b).concat(sides.map(function (side) { return side.buckets[b]; }));
	});

	function is_used(row) {
		return row.slice(2).some(Boolean);
	}
	while (list.length && !is_used(list[0]))
		list.shift();
	while (list.length && !is_used(list[list.length - 1]))
		list.pop();
	return list;
}

function total(list, column) {
	return list.reduce(function (sum, row) { return sum + row[column]; }, 0);
}

// Fills the table of the histogram. Returns its rows.
function show_histogram(body, sides) {
	var list = buckets_of(sides), most = sides.map(function (side, i) {
		return list.reduce(function (max, row) { return Math.max(max, row[2 + i]); }, 0);
	});

	body.textContent = '';
	list.forEach(function (bucket) {
		var row = add(body, 'tr');

		add(row, 'th', label(bucket)).scope = 'row';
		sides.forEach(function (side, i) {
			add(row, 'td', String(bucket[2 + i])).title = words.percent(bucket[2 + i], total(list, 2 + i));
			bar_cell(row, most[i] ? bucket[2 + i] / most[i] : 0, i);
		});
	});
	return list;
}

// By task { node, name }: what a column of stacks has for it.
function sum_of(task, column) {
	var sum = 0, k;

	for (k = task.first; k < task.end; k++)
		sum += column[k];
	return sum;
}

// Fills the table of tasks: the count and the sum of each in each side, the greatest first. choose(node) is called for the one
// that is pressed. Returns the rows [name, count, sum, ...].
function show_tasks(body, more, tasks, sides, state, choose) {
	var list = tasks.map(function (task) {
		return { task: task, values: sides.reduce(function (values, side) {
			return values.concat(sum_of(task, side.counts), sum_of(task, side.sums));
		}, []) };
	}).filter(function (row) { return row.values.some(Boolean); });

	function weight(row) {
		return row.values.reduce(function (sum, v, i) { return sum + (i % 2 === (state.weighed ? 1 : 0) ? v : 0); }, 0);
	}
	list.sort(function (a, b) { return weight(b) - weight(a) || (a.task.name < b.task.name ? -1 : 1); });
	body.textContent = '';
	list.slice(0, ROWS).forEach(function (each) {
		var row = add(body, 'tr'), name = document.createElement('th'), button = add(name, 'button', words.readable(each.task.name));

		each.values.forEach(function (v, i) {
			if (i % 2 === 0)
				add(row, 'td', String(v));
			else if (D.measure)
				add(row, 'td', edge(v)).title = String(v);
		});
		button.type = 'button';
		button.setAttribute('aria-pressed', state.of === each.task.node);
		button.addEventListener('click', function () { choose(each.task.node); });
		name.scope = 'row';
		row.append(name);
	});
	more.textContent = list.length > ROWS ? (list.length - ROWS) + ' more' : '';
	return list.map(function (row) { return [row.task.name].concat(row.values); });
}

return { show_histogram: show_histogram, show_tasks: show_tasks };
})();
