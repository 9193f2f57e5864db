// SPDX-License-Identifier: GPL-2.0-only
// The page of a recording: its state, and what keys, buttons and the pointer do. D is what lib/page/pagehtml.c writes; the other
// scripts precede this file. Names are set as text or drawn, never used as markup.
var page = (function () {
'use strict';
var FUNCTIONS = 100, ROWS = 12; // rows of the table; of the strip
var columns, whole, leaves; // the cells, the tree of all stacks, by stack the node where it ends
var tasks = []; // { node, name, first, end }: stacks from `first` to before `end`
var rows = [], row_of; // the tasks that have rows in the strip; by stack, its row, ROWS: none
var first = choice.initial(D.weighed), state = first, limits;
var shown; // the tree of the flame graph
var sides = []; // what cells.add_up() found, of one range or of two
var times = null, times_of = ''; // what cells.over_time() found, and of what
var selected = -1, matches = null, comparing = false; // comparing: the next range that is marked is the second one
var laid_out = '', answered = { histogram: [], tasks: [] };
var marking = null; // a range while it is dragged

function element(id) {
	return document.getElementById(id);
}

var view = element('view'), canvas = element('canvas'), search = element('search'), tip = element('tip');

// --- stacks -----------------------------------------------------------------------------------------------------

// The number of the first stack that ends at a node or after it.
function stack_at(node) {
	var low = 0, high = leaves.length, middle;

	while (low < high) {
		middle = (low + high) >> 1;
		if (leaves[middle] < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The node of the task that a node belongs to; 0: it is of several.
function task_of(node) {
	while (whole.depth[node] > D.by.length)
		node = whole.parent[node];
	return whole.depth[node] === D.by.length ? node : 0;
}

// The frames from the root to a node of the tree of all stacks.
function path_of(node) {
	var path = [];

	for (; node; node = whole.parent[node])
		path.unshift({ name: D.names[whole.name[node]], kind: Math.floor(D.looks[whole.name[node]] / (D.light.length - 1)) });
	return path;
}

function find_tasks() {
	var i;

	for (i = 1; i < whole.name.length; i++)
		if (whole.depth[i] === D.by.length)
			tasks.push({ node: i, name: path_of(i).map(function (frame) { return frame.name; }).join(' '), first: stack_at(i),
				end: stack_at(whole.end[i]) });
}

// The tasks with the most events get rows, if there are several.
function find_rows() {
	row_of = new Uint8Array(leaves.length).fill(ROWS);
	if (tasks.length < 2)
		return;
	rows = tasks.slice().sort(function (a, b) { return whole.total[b.node] - whole.total[a.node] || a.node - b.node; }).slice(0, ROWS);
	rows.forEach(function (task, row) { row_of.fill(row, task.first, task.end); });
}

function show_strip(ranges) {
	strip.show(times, ranges, rows.map(function (task) { return task.name; }),
		rows.findIndex(function (task) { return task.node === task_of(state.of); }));
}

// The weights of nodes, from those of stacks; a frame has no width that is below 0.
function own(side) {
	var column = new Float64Array(whole.name.length), from = state.weighed ? side.sums : side.counts, k;

	for (k = 0; k < leaves.length; k++)
		column[leaves[k]] = Math.max(0, from[k]);
	return column;
}

function total(column) {
	var sum = 0, i;

	for (i = 0; i < column.length; i++)
		sum += column[i];
	return sum;
}

// What lib/flame/change.js needs to compare both ranges: shares of what each of them has.
function differences(columns) {
	var tests = 0, i, count = whole.name.length, levels = D.differences.levels;

	for (i = 0; i < count; i++)
		tests += columns[0][i] + columns[1][i] > 0 ? 1 : 0;
	tests = Math.min(levels.length - 1, Math.ceil(Math.log2(Math.max(1, 2 * tests))));
	return { measure: 'share', own: false, exposure: columns.map(function (column) { return total(column) || 1; }),
		z: state.weighed ? 0 : levels[tests], light: D.differences.light, dark: D.differences.dark, steps: D.differences.steps };
}

function make_tree() {
	var all = sides.map(own), factors;

	D.sides = null;
	if (all.length === 1) {
		shown = tree.weigh(whole, all);
		return;
	}
	D.sides = differences(all);
	change.set({ swap: false, own: false });
	factors = change.factors('both');
	shown = tree.weigh(whole, [all[0].map(function (v, i) { return v * factors[0] + all[1][i] * factors[1]; })].concat(all));
}

// The node of the flame graph that is chosen; -1: it has no weight.
function zoom() {
	return state.of ? shown.place[state.of] || -1 : 0;
}

// The node of the tree of all stacks that a node of the flame graph is.
function origin(i) {
	return i ? shown.place.indexOf(i) : 0;
}

// --- texts ------------------------------------------------------------------------------------------------------

function name_of(i) {
	return i ? D.names[shown.name[i]] : 'all';
}

function describe(i) {
	var kind = i ? Math.floor(D.looks[shown.name[i]] / (D.light.length - 1)) : 0, self = shown.self[i], text;

	if (D.sides)
		text = change.describe([shown.sum[1][i], shown.sum[2][i]]);
	else
		text = words.weight(shown.total[i]) + ', ' + words.percent(shown.total[i], shown.total[0]) + ' of the range' +
			(self && self !== shown.total[i] ? '; itself ' + words.weight(self) : '');
	return text + (kind ? '; ' + D.kinds[kind] : '');
}

function ns_of(bins) {
	return units.with_unit(bins * Number(D.width), 'ns');
}

function range_text(range) {
	return ns_of(range[0]) + ' to ' + ns_of(range[1]);
}

function bins_text() {
	return D.bins + (D.bins === 1 ? ' bin of ' : ' bins of ') + ns_of(1) + ', to which marked ranges snap' +
		(D.coarse ? '; bins are so wide because the page has many stacks' + (D.measure ? ' and numbers' : '') : '') + '.';
}

function note(text) {
	element('note').textContent = text;
}

// --- state ------------------------------------------------------------------------------------------------------

function keep(is_step) {
	fragment.keep(choice.write(state, first), is_step);
}

function set(key, value) {
	state[key] = value;
	keep(true);
}

function all_time() {
	return [0, D.bins];
}

// Adds up what the state asks for.
function compute() {
	var from = state.of ? stack_at(state.of) : 0, end = state.of ? stack_at(whole.end[state.of]) : leaves.length;
	var key = [from, end, state.weighed].join();

	sides = [cells.add_up(columns, state.time || all_time(), from, end)];
	if (state.and)
		sides.push(cells.add_up(columns, state.and, from, end));
	if (times_of !== key)
		times = cells.over_time(columns, state.weighed, [from, end], chooses_stack() ? [from, end] : [0, leaves.length], row_of, rows.length);
	times_of = key;
	D.unit = state.weighed ? D.measured_unit : '';
	make_tree();
}

// Whether a stack is chosen; a chosen task is among all tasks.
function chooses_stack() {
	return state.of && whole.depth[state.of] > D.by.length;
}

// The sides, but only the stacks of the chosen one.
function chosen_sides() {
	var from, end;

	if (!chooses_stack())
		return sides;
	from = stack_at(state.of);
	end = stack_at(whole.end[state.of]);
	return sides.map(function (side) {
		function only(column) {
			return column.map(function (v, k) { return k >= from && k < end ? v : 0; });
		}
		return { counts: only(side.counts), sums: only(side.sums), buckets: side.buckets };
	});
}

function show_lists() {
	var i = Math.max(zoom(), 0), said;

	if (D.measure) {
		answered.histogram = lists.show_histogram(element('sizes-rows'), sides);
		said = answered.histogram.reduce(function (sum, row) { return sum + row[2]; }, 0);
		element('sizes-summary').textContent = said + (said === 1 ? ' event' : ' events') +
			(state.and ? ' in A (orange), and those in B (blue)' : '');
	}
	if (tasks.length)
		answered.tasks = lists.show_tasks(element('tasks-rows'), element('tasks-more'), tasks, chosen_sides(), state, choose);
	element('rows').textContent = '';
	if (zoom() >= 0)
		table.fill(shown, i, matches, state.by, function (k) { search_for(words.query_for(D.names[k])); }, FUNCTIONS);
}

function show_heads() {
	var head = element('tasks-head'), names = state.and ? [' A', ' B'] : [''];

	head.textContent = '';
	names.forEach(function (name) {
		['events' + name].concat(D.measure ? [D.measure + name] : []).forEach(function (text) {
			var cell = document.createElement('th');

			cell.textContent = text;
			cell.scope = 'col';
			head.append(cell);
		});
	});
	head.append(document.createElement('th'));
	head.lastChild.textContent = D.by.join(', ');
	head.lastChild.scope = 'col';
	element('sizes-title').textContent = 'Distribution of ' + D.measure;
	element('tasks-part').hidden = !tasks.length;
	element('sizes-part').hidden = !D.measure;
}

function show_commands() {
	var path = path_of(state.of), list = [command.flame(state, path)];

	if (D.measure)
		list.push(command.histogram(state, path));
	if (D.by.length)
		list.push(command.tasks(state, path));
	element('commands').textContent = list.join('\n');
}

// Why the flame graph is empty, or what the reader must know of it.
function show_note() {
	var missing = sides.some(function (side) { return !total(side.counts); });

	if (zoom() < 0 || !shown.total[0])
		note('No event is in the marked range with this choice.');
	else if (missing)
		note('One of the ranges has no event.');
	else if (state.and && state.weighed)
		note('The errors of these sums are unknown, so that no difference is grey.');
	else if (comparing)
		note('Mark the second range.');
	else
		note('');
}

// Shows the state of the URL.
function update() {
	var now;

	state = choice.read(location.hash, first, limits);
	if (state.and)
		comparing = false;
	compute();
	now = [state.time, state.and, state.of, state.weighed, state.icicle].join(';');
	if (now !== laid_out) {
		selected = -1;
		element('detail').textContent = '';
	}
	element('copied').textContent = '';
	if (search.value !== state.query)
		search.value = state.query;
	matches = state.query ? stacks.names_found(state.query) : null;
	element('found').textContent = matches ? found() : state.query ? 'not a regular expression' : '';
	show_all();
	if (now !== laid_out)
		graph.scroll_to(Math.max(zoom(), 0));
	laid_out = now;
}

function show_all() {
	show_strip([state.time, state.and]);
	added.mark(times_of_bins(state.time));
	graph.show(shown, { zoom: Math.max(zoom(), 0), icicle: state.icicle, colours: state.and ? 'change' : state.colours }, matches, 'all');
	graph.select(selected);
	show_heads();
	show_lists();
	show_filters();
	show_legend();
	show_buttons();
	show_commands();
	show_note();
	describe_selected();
}

function found() {
	var sums = tree.found(shown, Math.max(zoom(), 0), matches);

	return sums.frames + (sums.frames === 1 ? ' frame: ' : ' frames: ') +
		(D.sides ? change.describe(sums.sums.slice(1)) :
			words.weight(sums.sums[0]) + ', ' + words.percent(sums.sums[0], shown.total[0]) + ' of the range');
}

function set_pressed(id, on) {
	element(id).setAttribute('aria-pressed', on);
}

function show_buttons() {
	element('compare').disabled = !state.time;
	set_pressed('compare', comparing || !!state.and);
	element('swap').disabled = !state.and;
	element('weight').hidden = !D.measure;
	element('weight').textContent = 'weight: ' + (state.weighed ? 'sum of ' + D.measure : 'events');
	element('all').disabled = !state.time && !state.of;
	element('undo').disabled = !fragment.steps();
	set_pressed('flip', state.icicle);
	element('colour').hidden = !!state.and;
	element('colour').textContent = 'colour: ' + state.colours;
	element('copy-histogram').hidden = !D.measure;
	element('copy-tasks').hidden = !D.by.length;
}

function add_filter(text, remove) {
	var button = document.createElement('button');

	button.type = 'button';
	button.textContent = text + ' \u00d7';
	button.setAttribute('aria-label', 'remove: ' + text);
	button.addEventListener('click', remove);
	element('filters').append(button);
}

function show_filters() {
	var path = path_of(state.of).map(function (frame) { return frame.name; });

	element('filters').textContent = '';
	if (state.time)
		add_filter((state.and ? 'A: ' : 'time: ') + range_text(state.time), function () {
			state.time = state.and;
			set('and', null);
		});
	if (state.and)
		add_filter('B: ' + range_text(state.and), function () { set('and', null); });
	if (state.of)
		add_filter((path.length <= D.by.length ? 'task: ' : 'stack: ') + words.readable(path.join(';')), function () { set('of', 0); });
}

// Adds to the legend what a colour means.
function add_meaning(light, dark, text) {
	var swatch = document.createElement('i'), label = document.createElement('span');

	swatch.style.setProperty('--light', light);
	swatch.style.setProperty('--dark', dark);
	label.append(swatch, text);
	element('legend').append(label);
}

function show_legend() {
	element('legend').textContent = '';
	if (state.and)
		D.sides.steps.forEach(function (step, i) { add_meaning(D.sides.light[i], D.sides.dark[i], step); });
	else if (state.colours === 'kind' && D.has & (D.has - 1))
		D.kinds.forEach(function (kind, i) {
			if (D.has >> i & 1)
				add_meaning(D.light[i * D.shades + 1], D.dark[i * D.shades + 1], kind);
		});
}

// --- choosing ---------------------------------------------------------------------------------------------------

// Chooses a node of the tree of all stacks; the chosen one again: its parent.
function choose(node) {
	set('of', node === state.of ? whole.parent[node] : node);
}

function mark(range, is_final) {
	var key = comparing && state.time ? 'and' : 'time';

	if (!is_final) {
		show_strip(key === 'and' ? [state.time, range] : [range, state.and]);
		return;
	}
	if (!range && key === 'time')
		state.and = null;
	if (key === 'and')
		comparing = false;
	set(key, range);
	show_strip([state.time, state.and]); // the fragment may be the same
	show_note();
}

function compare() {
	if (state.and)
		return set('and', null);
	comparing = !!state.time && !comparing;
	show_buttons();
	show_note();
}

function swap() {
	if (!state.and)
		return;
	state.time = [state.and, state.and = state.time][0];
	keep(true);
}

function change_weight() {
	if (D.measure)
		set('weighed', !state.weighed);
}

function show_everything() {
	comparing = false;
	state.time = state.and = null;
	set('of', 0);
}

function flip() {
	state.icicle = !state.icicle;
	keep(false);
}

function change_colours() {
	state.colours = state.colours === 'kind' ? 'name' : 'kind';
	keep(false);
}

function on_escape() {
	if (state.query)
		return search_for('');
	if (state.of)
		return set('of', whole.parent[state.of]);
	if (state.and)
		return set('and', null);
	if (state.time)
		set('time', null);
}

function sort_by(column) {
	state.by = column;
	keep(false);
}

// --- selection and search ---------------------------------------------------------------------------------------

function describe_selected() {
	if (selected >= 0)
		element('detail').textContent = words.readable(name_of(selected)) + ' \u2014 ' + describe(selected);
}

function select(i) {
	selected = i;
	describe_selected();
	graph.select(i);
	graph.scroll_to(i);
}

// The frame that an arrow key leads to from the selected one.
function moved(key) {
	var i = selected < 0 ? Math.max(zoom(), 0) : selected, child = state.icicle ? 'ArrowDown' : 'ArrowUp', heaviest;

	if (selected < 0)
		return i;
	if (key === child) {
		heaviest = tree.heaviest_child(shown, i, -1);
		return heaviest < 0 ? i : heaviest;
	}
	if (key === 'ArrowUp' || key === 'ArrowDown')
		return shown.parent[i];
	return tree.sibling(shown, i, key === 'ArrowRight' ? 1 : -1);
}

function search_for(query) {
	search.value = state.query = query;
	keep(false);
}

function next_match(step) {
	var z = Math.max(zoom(), 0), size = shown.end[z] - z, from = selected >= z && selected < z + size ? selected : z, k, i;

	for (k = 1; matches && k <= size; k++) {
		i = z + (from - z + step * k + size * 2) % size;
		if (i && matches[shown.name[i]])
			return select(i);
	}
}

function copy(text) {
	var said = element('copied');

	Promise.resolve(text).then(function () { return navigator.clipboard.writeText(text); }).then(function () {
		said.textContent = 'copied';
	}, function () {
		said.textContent = 'the browser refused to copy';
	});
}

// --- pointer and keys -------------------------------------------------------------------------------------------

function frame_at(e) {
	var box = canvas.getBoundingClientRect();

	return graph.frame_at(e.clientX - box.left, e.clientY - box.top);
}

function show_tip(e, text) {
	var size;

	tip.hidden = !text;
	if (!text)
		return;
	tip.textContent = text;
	size = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(e.clientX + 12, window.innerWidth - size.width - 4)) + 'px';
	tip.style.top = (e.clientY + 18 + size.height > window.innerHeight ? Math.max(4, e.clientY - size.height - 10) : e.clientY + 18) + 'px';
}

function hover_frame(e) {
	var i = frame_at(e);

	canvas.style.cursor = i < 0 ? 'default' : 'pointer';
	show_tip(e, i < 0 ? '' : words.readable(name_of(i)) + '\n' + describe(i));
}

function hover_bin(e, bin, row) {
	var text = row < 0 ? [] : [words.readable(rows[row].name)];

	if (bin >= 0)
		text.push(range_text([bin, bin + 1]), words.weight(row < 0 ? times.height[bin] : times.rows[row * D.bins + bin]) +
			(state.weighed ? '' : ' events'));
	show_tip(e, text.join('\n'));
}

function on_click(e) {
	var i = frame_at(e);

	if (i < 0)
		return;
	show_tip(e, '');
	choose(origin(i));
}

var keys = {
	Escape: on_escape,
	k: compare,
	x: swap,
	w: change_weight,
	a: show_everything,
	u: fragment.undo,
	f: flip,
	o: change_colours,
	y: function () { copy(command.flame(state, path_of(state.of))); },
	n: function () { next_match(1); },
	N: function () { next_match(-1); },
	'/': function () { search.focus(); }
};

// An arrow key in the strip marks a range.
function on_strip_key(e) {
	var key = comparing || state.and ? 'and' : 'time';

	if (e.ctrlKey || e.metaKey || (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight'))
		return;
	mark_by_key(key, strip.moved(state[key], e.key, e.shiftKey, e.altKey));
	e.preventDefault();
	e.stopPropagation();
}

function mark_by_key(key, range) {
	comparing = false;
	state[key] = range;
	keep(false);
}

function on_key(e) {
	var in_search = e.target === search;

	if (e.ctrlKey || e.altKey || e.metaKey || (in_search && e.key !== 'Escape' && e.key !== 'Enter'))
		return;
	if (in_search && e.key === 'Enter')
		view.focus();
	else if (/^Arrow/.test(e.key) && e.target === view)
		select(moved(e.key));
	else if (e.key === 'Enter' && e.target === view && selected >= 0)
		choose(origin(selected));
	else if (keys.hasOwnProperty(e.key))
		keys[e.key]();
	else
		return;
	e.preventDefault();
}

// --- the beginning ----------------------------------------------------------------------------------------------

function on_press(id, action) {
	element(id).addEventListener('click', action);
}

function listen() {
	graph.listen();
	strip.listen(mark, function (row) { choose(rows[row].node); }, hover_bin);
	element('strip').addEventListener('keydown', on_strip_key);
	canvas.addEventListener('pointermove', hover_frame);
	canvas.addEventListener('pointerleave', function (e) { show_tip(e, ''); });
	canvas.addEventListener('click', on_click);
	document.addEventListener('keydown', on_key);
	search.addEventListener('input', function () { search_for(search.value); });
	on_press('compare', compare);
	on_press('swap', swap);
	on_press('weight', change_weight);
	on_press('all', show_everything);
	on_press('undo', fragment.undo);
	on_press('flip', flip);
	on_press('colour', change_colours);
	on_press('copy', keys.y);
	on_press('copy-histogram', function () { copy(command.histogram(state, path_of(state.of))); });
	on_press('copy-tasks', function () { copy(command.tasks(state, path_of(state.of))); });
	on_press('by-self', function () { sort_by('self'); });
	on_press('by-total', function () { sort_by('total'); });
	window.addEventListener('hashchange', update);
}

// The times of a range of bins on the clock of the recording, and the bins that a range of times is in.
function times_of_bins(range) {
	return range && range.map(function (bin) { return (BigInt(D.first) + BigInt(bin)) * BigInt(D.width); });
}

function bins_of_times(times) {
	var width = BigInt(D.width), first = BigInt(D.first);
	var from = Number(times[0] / width - first), to = Number((times[1] + width - 1n) / width - first);

	from = Math.max(0, Math.min(from, D.bins - 1));
	return [from, Math.max(from + 1, Math.min(to, D.bins))];
}

function begin(parts) {
	var i;

	D.names = JSON.parse(new TextDecoder().decode(parts[0]));
	D.looks = parts[1];
	whole = tree.decode(parts.slice(0, 9), D.stacks, D.nodes);
	leaves = new Uint32Array(D.stacks);
	for (i = 1, D.stacks = 0; i < whole.name.length; i++)
		if (whole.self[i])
			leaves[D.stacks++] = i;
	columns = cells.decode(parts.slice(9), { stacks: D.stacks, bins: D.bins, cells: D.cells, rows: D.rows, buckets: D.buckets, events: D.total,
		measured: !!D.measure });
	limits = { bins: D.bins, nodes: D.nodes, measured: !!D.measure };
	if (D.by.length)
		find_tasks();
	find_rows();
	element('main').style.setProperty('--rows', 2 + whole.depth.reduce(function (a, b) { return Math.max(a, b); }, 0));
	['tools', 'strip', 'main', 'foot'].forEach(function (id) { element(id).hidden = false; });
	element('bins').textContent = bins_text();
	update();
	listen();
	added.listen(function (times) { mark(times && bins_of_times(times), true); });
	added.begin(note);
}

if (D.total > 0)
	packed.open(element('data').textContent, D.sizes, begin, note);
else
	added.begin(note);
if (D.only_parts)
	added.relay();

// For tests: what is shown. stacks: [text, weight] of the chosen part, by folded text.
return {
	answer: function () {
		var z = zoom(), i, list = [], p, names;

		for (i = z; z >= 0 && i < shown.end[z]; i++) {
			if (!shown.self[i])
				continue;
			for (names = [], p = i; p; p = shown.parent[p])
				names.unshift(D.names[shown.name[p]]);
			list.push([names.join(';'), shown.self[i]]);
		}
		return { stacks: list, histogram: answered.histogram, tasks: answered.tasks, commands: element('commands').textContent.split('\n') };
	}
};
})();
