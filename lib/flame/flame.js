// SPDX-License-Identifier: GPL-2.0-only
// The page of a flame graph: its state, and what keys, buttons and the pointer do. D is what lib/flame/flamehtml.c writes;
// D.names and D.looks come from the packed data, see lib/flame/flamedata.h. The other scripts precede this file. Names are set
// as text or drawn, never used as markup.
(function () {
'use strict';
var LIBRARIES = 12; // of them the legend has
var whole, shown; // the tree of the file, the one that is shown
var shown_tree = ''; // what the latter is made by
var laid_out = ''; // that, the zoom and the direction of the last layout
var first = address.initial(D.icicle, D.colours, D.sides ? D.sides.own : false), state = first;
var selected = -1;
var matches = null; // by name: 1 if the query finds it; null: there is no query

function element(id) {
	return document.getElementById(id);
}

var view = element('view'), canvas = element('canvas'), search = element('search'), tip = element('tip');

// --- texts ------------------------------------------------------------------------------------------------------

function name_of_root() {
	return state.of < 0 ? 'all' : (state.callers ? 'callers of ' : 'callees of ') + D.names[state.of];
}

function name_of(i) {
	return i ? D.names[shown.name[i]] : name_of_root();
}

// The library of a frame if colours are chosen by it, or its kind, if they are known.
function describe_code(i) {
	var library = i && state.colours === 'library' && D.library[shown.name[i]], kind = i && Math.floor(D.looks[shown.name[i]] / (D.light.length - 1));

	return library ? '; ' + words.readable(D.libraries.names[library]) : kind ? '; ' + D.kinds[kind] : '';
}

// Whether all stacks of the file are shown.
function is_all() {
	return !state.zoom && state.of < 0 && !state.filters.length;
}

function describe_change(i) {
	var sum = [shown.sum[1][i], shown.sum[2][i]], own = [shown.own[1][i], shown.own[2][i]];
	var is_part = own[0] + own[1] > 0 && (own[0] !== sum[0] || own[1] !== sum[1]);

	return change.describe(sum) + (is_part ? '; itself ' + change.describe(own) : '');
}

function describe_time(i) {
	return words.weight(shown.total[i]) + ' from ' + words.weight(shown.start[i]) + ' on';
}

function describe(i) {
	var all = whole.total[0], total = shown.total[i], self = shown.self[i], z = state.zoom;
	var text = words.weight(total) + ', ' + words.percent(total, all) + ' of all';

	if (D.chart)
		return describe_time(i) + describe_code(i);
	if (D.sides)
		return describe_change(i) + describe_code(i);
	if (!is_all() && i > z && i < shown.end[z])
		text += ', ' + words.percent(total, shown.total[z]) + ' of what is shown';
	if (self && self !== total)
		text += '; itself ' + words.weight(self) + ', ' + words.percent(self, all);
	return text + describe_code(i);
}

// --- state ------------------------------------------------------------------------------------------------------

function keep(is_step) {
	fragment.keep(address.write(state, first), is_step);
}

// Says which side is which if they are not as in the subtitle.
function swap_note() {
	var names = D.sides && D.sides.names;

	return state.swap ? 'The sides are swapped: before is ' + names[1] + ', after is ' + names[0] + '.' : '';
}

// Makes one of two weights the width of frames.
function use_weight(i) {
	tree.widen(whole, [1 - i, i]);
	D.unit = D.weights.units[i];
}

// Makes the tree that the state wants, unless it is the one that is shown.
function choose_tree() {
	var wanted = stacks.key_of(state);

	if (wanted !== shown_tree) {
		if (D.sides)
			tree.widen(whole, change.factors(state.width));
		if (D.weights)
			use_weight(state.weight);
		shown = stacks.choose(whole, state);
		shown_tree = wanted;
		selected = -1;
		element('detail').textContent = '';
	}
	if (state.zoom >= shown.name.length || !shown.total[state.zoom])
		state.zoom = 0;
	note(shown.total[0] ? swap_note() : state.filters.length ? 'No stack is left. Remove a filter.' : 'No stack has this weight.');
}

// Shows the state of the URL.
function update() {
	var now;

	state = address.read(location.hash, first, D.names.length, D.sides);
	if (!D.weights)
		state.weight = 0;
	if (D.chart) {
		state.filters = [];
		state.collapse = state.table = false;
		state.of = -1;
	}
	change.set(state);
	choose_tree();
	now = shown_tree + ' ' + state.zoom + ' ' + state.icicle;
	element('copied').textContent = '';
	if (search.value !== state.query)
		search.value = state.query;
	find();
	show_table();
	show_filters();
	graph.show(shown, state, matches, name_of_root());
	graph.select(selected);
	describe_selected();
	show_buttons();
	if (now !== laid_out)
		graph.scroll_to(state.zoom);
	laid_out = now;
}

function set_pressed(id, on) {
	element(id).setAttribute('aria-pressed', on);
}

// Enables the buttons that can do something now, and shows the legend if its colours are those of the graph.
function show_buttons() {
	['focus', 'ignore', 'from'].forEach(function (id) { element(id).disabled = !state.query && selected <= 0; });
	['callers', 'callees', 'copy', 'copy-stack'].forEach(function (id) { element(id).disabled = selected <= 0; });
	element('undo').disabled = !fragment.steps();
	element('out').disabled = !state.zoom && state.of < 0;
	set_pressed('collapse', state.collapse);
	set_pressed('flip', state.icicle !== first.icicle);
	set_pressed('table', state.table);
	set_pressed('self', state.own);
	set_pressed('swap', state.swap);
	element('colour').textContent = 'colour: ' + state.colours;
	element('width').textContent = 'width: ' + (D.weights ? words.readable(D.weights.names[state.weight]) : state.width);
	show_legend();
}

function zoom(i) {
	state.zoom = i;
	keep(true);
}

// Changes which stacks are shown.
function change_stacks(change) {
	change();
	state.zoom = 0;
	keep(true);
}

// Shows the callers or the callees of a function; of < 0: all stacks.
function show_function(of, callers) {
	change_stacks(function () {
		state.of = of;
		state.callers = callers;
	});
}

// Filters by what is searched for, or by the name of the selected frame.
function add_filter(how) {
	var query = state.query || (selected > 0 ? words.query_for(D.names[shown.name[selected]]) : '');

	if (!query || !stacks.names_found(query))
		return;
	change_stacks(function () {
		state.filters.push({ how: how, query: query });
		state.query = '';
	});
}

function show_filters() {
	var list = element('filters');

	list.textContent = '';
	state.filters.forEach(function (filter, i) {
		var button = document.createElement('button'), how = filter.how === 'from' ? 'show from' : filter.how;

		button.type = 'button';
		button.textContent = how + ' ' + words.readable(filter.query) + ' \u00d7';
		button.setAttribute('aria-label', 'remove: ' + how + ' ' + words.readable(filter.query));
		button.addEventListener('click', function () {
			change_stacks(function () { state.filters.splice(i, 1); });
		});
		list.append(button);
	});
}

function toggle_collapse() {
	change_stacks(function () { state.collapse = !state.collapse; });
}

function zoom_out() {
	if (state.zoom)
		zoom(0);
	else
		show_function(-1, false);
}

function flip() {
	state.icicle = !state.icicle;
	keep(false);
}

// The element of a list after another one.
function after(list, element) {
	return list[(list.indexOf(element) + 1) % list.length];
}

function change_colours() {
	state.colours = after(D.sides ? ['change', 'kind', 'name', 'library'] : ['kind', 'name', 'library'], state.colours);
	keep(false);
}

// Changes how sides are compared.
function compare(how) {
	if (!D.sides)
		return;
	how();
	keep(false);
}

function toggle_self() {
	compare(function () { state.own = !state.own; });
}

function swap() {
	compare(function () { state.swap = !state.swap; });
}

function change_width() {
	if (D.sides)
		change_stacks(function () { state.width = after(address.WIDTHS, state.width); });
	if (!D.weights)
		return;
	state.weight = 1 - state.weight;
	keep(true);
}

// --- selection --------------------------------------------------------------------------------------------------

function describe_selected() {
	if (selected >= 0)
		element('detail').textContent = words.readable(name_of(selected)) + ' \u2014 ' + describe(selected);
}

// Whether a frame is in what is shown; in a flame chart that is a time.
function is_in_view(i) {
	var z = state.zoom;

	if (D.chart)
		return shown.start[i] < shown.start[z] + shown.total[z] && shown.start[i] + shown.total[i] > shown.start[z];
	return i >= z && i < shown.end[z];
}

function select(i) {
	if (!is_in_view(i))
		zoom(i);
	selected = i;
	element('copied').textContent = '';
	describe_selected();
	show_buttons();
	graph.select(i);
	graph.scroll_to(i);
}

function show_selected(callers) {
	if (selected > 0)
		show_function(shown.name[selected], callers);
}

function copy(text) {
	var said = element('copied');

	if (selected <= 0)
		return;
	Promise.resolve(text).then(function () { return navigator.clipboard.writeText(text); }).then(function () {
		said.textContent = 'copied';
	}, function () {
		said.textContent = 'the browser refused to copy';
	});
}

function copy_name() {
	copy(name_of(selected));
}

// Copies the stack from the root to the selected frame, as folded text has it.
function copy_stack() {
	var names = [], i;

	for (i = selected; i > 0; i = shown.parent[i])
		names.push(name_of(i));
	copy(names.reverse().join(';'));
}

function is_gap_name(k) {
	return D.chart && k === D.names.length - 1;
}

function is_gap(i) {
	return is_gap_name(shown.name[i]);
}

// The frame that an arrow key leads to from the selected one.
function moved(key) {
	var i = selected < 0 ? state.zoom : selected, child = state.icicle ? 'ArrowDown' : 'ArrowUp', heaviest;

	if (selected < 0)
		return i;
	if (key === child) {
		heaviest = tree.heaviest_child(shown, i, D.chart ? D.names.length - 1 : -1);
		return heaviest < 0 ? i : heaviest;
	}
	if (key === 'ArrowUp' || key === 'ArrowDown')
		return shown.parent[i];
	return sibling(i, key === 'ArrowRight' ? 1 : -1);
}

// The next sibling that is not a gap of a flame chart.
function sibling(i, step) {
	var from = i, next;

	do {
		next = tree.sibling(shown, i, step);
		if (next === i)
			return from;
		i = next;
	} while (is_gap(i));
	return i;
}

// --- search -----------------------------------------------------------------------------------------------------

function share_found() {
	var z = D.chart ? 0 : state.zoom, found = tree.found(shown, z, matches);

	return found.frames + (found.frames === 1 ? ' frame: ' : ' frames: ') + (D.sides ? change.describe(found.sums.slice(1)) :
		D.chart ? words.weight(found.sums[0]) + ' in all tasks' : words.weight(found.sums[0]) + ', ' + words.percent(found.sums[0], shown.total[z]) +
		(is_all() ? ' of all' : ' of what is shown'));
}

function find() {
	matches = state.query ? stacks.names_found(state.query) : null;
	if (matches && D.chart)
		matches[D.names.length - 1] = 0;
	element('found').textContent = matches ? share_found() : state.query ? 'not a regular expression' : '';
}

function search_for(query) {
	search.value = state.query = query;
	keep(false);
}

// Selects the match after the selected frame, or before it, in what is shown.
function next_match(step) {
	var z = D.chart ? 0 : state.zoom, size = shown.end[z] - z, from = selected >= z && selected < z + size ? selected : z, k, i;

	for (k = 1; matches && k <= size; k++) {
		i = z + (from - z + step * k + size * 2) % size;
		if (i && matches[shown.name[i]])
			return select(i);
	}
}

// --- table ------------------------------------------------------------------------------------------------------

function show_table() {
	element('side').hidden = !state.table;
	element('rows').textContent = '';
	if (state.table)
		table.fill(shown, state.zoom, matches, state.by, function (k) { search_for(words.query_for(D.names[k])); });
}

function set_table(on, by) {
	state.table = on;
	state.by = by;
	keep(false);
}

// --- pointer and keys -------------------------------------------------------------------------------------------

function frame_at(e) {
	var box = canvas.getBoundingClientRect();

	return graph.frame_at(e.clientX - box.left, e.clientY - box.top);
}

function show_tip(e) {
	var i = frame_at(e), size;

	tip.hidden = i < 0;
	canvas.style.cursor = i < 0 ? 'default' : 'pointer';
	if (i < 0)
		return;
	tip.textContent = words.readable(name_of(i)) + '\n' + describe(i);
	size = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(e.clientX + 12, window.innerWidth - size.width - 4)) + 'px';
	tip.style.top = (e.clientY + 18 + size.height > window.innerHeight ? Math.max(4, e.clientY - size.height - 10) : e.clientY + 18) + 'px';
}

function hide_tip() {
	tip.hidden = true;
}

function on_click(e) {
	var i = frame_at(e);

	if (i < 0)
		return;
	hide_tip();
	zoom(i);
	select(i);
}

function on_escape() {
	if (!state.query)
		return zoom_out();
	search_for('');
	view.focus();
}

var keys = {
	Escape: on_escape,
	F: function () { add_filter('focus'); },
	i: function () { add_filter('ignore'); },
	s: function () { add_filter('from'); },
	u: fragment.undo,
	r: toggle_collapse,
	o: change_colours,
	d: toggle_self,
	x: swap,
	w: change_width,
	y: copy_name,
	Y: copy_stack,
	c: function () { show_selected(true); },
	e: function () { show_selected(false); },
	f: flip,
	n: function () { next_match(1); },
	N: function () { next_match(-1); },
	t: function () { set_table(!state.table, state.by); },
	'/': function () { search.focus(); }
};

function on_key(e) {
	var in_search = e.target === search;

	if (e.ctrlKey || e.altKey || e.metaKey || (in_search && e.key !== 'Escape' && e.key !== 'Enter'))
		return;
	if (in_search && e.key === 'Enter')
		view.focus();
	else if (/^Arrow/.test(e.key) && !element('side').contains(e.target))
		select(moved(e.key));
	else if (e.key === 'Enter' && e.target === view && selected >= 0)
		zoom(selected);
	else if (keys.hasOwnProperty(e.key))
		keys[e.key]();
	else
		return;
	e.preventDefault();
}

// --- the beginning ----------------------------------------------------------------------------------------------

// Adds to the legend what a colour means.
function add_meaning(light, dark, text) {
	var swatch = document.createElement('i'), label = document.createElement('span');

	swatch.style.setProperty('--light', light);
	swatch.style.setProperty('--dark', dark);
	label.append(swatch, text);
	element('legend').append(label);
}

// Adds the libraries with the most weight in what is shown. All grey ones are one.
function add_libraries() {
	var l = D.libraries, names = tree.sums(shown, D.chart ? 0 : state.zoom, D.names.length, 0).total, weights = l.names.map(function () { return 0; });
	var grey = l.light.length - 1, order;

	D.library.forEach(function (library, k) { weights[library] += is_gap_name(k) ? 0 : names[k]; });
	order = l.names.map(function (name, i) { return i; }).filter(function (i) { return l.slots[i] !== grey && weights[i] > 0; });
	order.sort(function (a, b) { return weights[b] - weights[a] || a - b; });
	order.slice(0, LIBRARIES).forEach(function (i) { add_meaning(l.light[l.slots[i]], l.dark[l.slots[i]], words.readable(l.names[i])); });
	if (order.length > LIBRARIES)
		element('legend').append(order.length - LIBRARIES + ' more');
	add_meaning(l.light[grey], l.dark[grey], l.names[0]);
}

// Says which colour is which difference, which library, or which kind of code, if there are several.
function show_legend() {
	element('legend').textContent = '';
	if (state.colours === 'change')
		D.sides.steps.forEach(function (step, i) { add_meaning(D.sides.light[i], D.sides.dark[i], step); });
	else if (state.colours === 'library')
		add_libraries();
	else if (state.colours === 'kind' && D.has & (D.has - 1))
		D.kinds.forEach(function (kind, i) {
			if (D.has >> i & 1)
				add_meaning(D.light[i * D.shades + 1], D.dark[i * D.shades + 1], kind);
		});
}

function on_press(id, action) {
	element(id).addEventListener('click', action);
}

function listen() {
	graph.listen();
	canvas.addEventListener('pointermove', show_tip);
	canvas.addEventListener('pointerleave', hide_tip);
	canvas.addEventListener('click', on_click);
	document.addEventListener('keydown', on_key);
	search.addEventListener('input', function () { search_for(search.value); });
	on_press('focus', keys.F);
	on_press('ignore', keys.i);
	on_press('from', keys.s);
	on_press('undo', fragment.undo);
	on_press('out', zoom_out);
	on_press('callers', keys.c);
	on_press('callees', keys.e);
	on_press('collapse', toggle_collapse);
	on_press('flip', flip);
	on_press('colour', change_colours);
	on_press('self', toggle_self);
	on_press('swap', swap);
	on_press('width', change_width);
	on_press('table', keys.t);
	on_press('copy', copy_name);
	on_press('copy-stack', copy_stack);
	on_press('by-self', function () { set_table(true, 'self'); });
	on_press('by-total', function () { set_table(true, 'total'); });
	window.addEventListener('hashchange', update);
}

function note(text) {
	element('note').textContent = text;
}

function begin(parts) {
	D.names = JSON.parse(new TextDecoder().decode(parts[0]));
	D.looks = parts[1];
	D.library = tree.list(parts[8]);
	whole = tree.decode(parts, D.stacks, D.nodes);
	if (D.chart)
		chart.arrange(whole);
	['tools', 'main', 'foot'].forEach(function (id) { element(id).hidden = false; });
	['self', 'swap', 'help-sides'].forEach(function (id) { element(id).hidden = !D.sides; });
	element('width').hidden = !D.sides && !D.weights;
	element('help-weights').hidden = !D.weights;
	['focus', 'ignore', 'from', 'callers', 'callees', 'collapse', 'table', 'help-stacks', 'help-table'].forEach(function (id) {
		element(id).hidden = D.chart;
	});
	if (D.chart)
		['F', 'i', 's', 'r', 'c', 'e', 't'].forEach(function (key) { delete keys[key]; });
	update();
	listen();
}

if (D.total > 0)
	packed.open(element('data').textContent, D.sizes, begin, note);
})();
