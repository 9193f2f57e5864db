// SPDX-License-Identifier: GPL-2.0-only
// The page of a timeline: its state, and what keys, buttons and the pointer do. D is what lib/timeline/timelinehtml.c writes. The
// other scripts precede this file. Names are set as text or drawn, never used as markup.
(function () {
'use strict';
var TABLE_ROWS = 300, FRAMES = 12, FIELD_MAX = 200, DRAG_MIN = 3, NEAREST = 10; // ns that the narrowest view has
var m, first = view_of.initial(D.from, D.to), state = first, limits;
var selected = -1, hovered = null; // the selected single; what is below the pointer
var matches = null, in_time = null; // by single: whether the query finds it; the singles in order of time
var row_matches = null, drag = null; // a function of a name; where a drag began
var kept = 0; // the timer that keeps the state in the URL

function element(id) {
	return document.getElementById(id);
}

var view = element('view'), canvas = element('canvas'), search = element('search'), filter = element('filter'), tip = element('tip');

// --- texts ------------------------------------------------------------------------------------------------------

function time_text(ns) {
	return view_of.exact(ns, Math.max(1, (state.to - state.from) / 1000));
}

function title_of(i) {
	var c = m.categories[m.category[i]], name = model.name_of(m, m.category[i]);

	return name + (c[1] >= 0 ? ' (' + m.types[c[0]] + ')' : '');
}

function brief(i) {
	return m.rows[m.row[i]] + ': ' + title_of(i) + (m.instant[i] ? ' at ' + view_of.exact(m.begin[i], 1) :
		', ' + units.with_unit(m.dur[i], 'ns') + ' from ' + view_of.exact(m.begin[i], 1));
}

function shorten(text) {
	return text.length > FIELD_MAX ? words.elide(text, FIELD_MAX) : text;
}

// All that is known of a single, in lines.
function describe(i) {
	var lines = [shorten(brief(i))].concat(model.fields_of(m, i).map(function (f) { return f[0] + '=' + shorten(f[1]); }));
	var frames = m.stack[i] ? m.stacks[m.stack[i] - 1].split(';').reverse() : [];

	frames.slice(0, FRAMES).forEach(function (frame) { lines.push('  ' + shorten(frame)); });
	if (frames.length > FRAMES)
		lines.push('  and ' + (frames.length - FRAMES) + ' callers');
	return lines.join('\n');
}

function describe_cell(c) {
	return c.name + ': ' + units.with_unit(c.sum, 'ns') + ', ' + c.count + (c.count === 1 ? ' begin' : ' begins');
}

function describe_plot(at) {
	var g = at.plot, k = model.count_first(0, g.n, function (k) { return g.begin[k] <= at.time; }) - 1;

	return m.rows[at.row] + ': ' + m.series[g.row][1] + (k < 0 ? '' : ' ' + String(Number((g.sum[k] / g.count[k]).toPrecision(12))) +
		(g.count[k] > 1 ? ', the mean of ' + g.count[k] : '') + ' at ' + time_text(g.begin[k]));
}

function describe_place(at) {
	if (at.single >= 0)
		return describe(at.single);
	if (at.plot)
		return describe_plot(at);
	if (at.cells.length)
		return m.rows[at.row] + ', in ' + units.with_unit(m.levels.width, 'ns') + ' around ' + time_text(at.time) + ':\n' +
			at.cells.map(describe_cell).join('\n');
	return m.rows[at.row];
}

// --- state ------------------------------------------------------------------------------------------------------

function keep() {
	window.clearTimeout(kept);
	kept = 0;
	if (view_of.write(state, first) !== (location.hash || '#'))
		window.history.replaceState(null, '', view_of.write(state, first));
}

// Zooming makes many changes, of which the URL needs the last.
function keep_later() {
	if (!kept)
		kept = window.setTimeout(keep, 20);
}

function is_row_shown(row) {
	return !row_matches || row_matches(m.rows[row]) || state.pinned.indexOf(row) >= 0;
}

function is_type_shown(row, category) {
	return state.off.indexOf(m.categories[category][0]) < 0;
}

function show() {
	scene.show(m, state, { row: is_row_shown, what: is_type_shown }, matches, selected);
	show_buttons();
	show_markers();
	keep_later();
}

function set_pressed(id, on) {
	element(id).setAttribute('aria-pressed', on);
}

function has_range() {
	return state.a >= 0 && state.b >= 0 && state.a !== state.b;
}

// Tells a page that this picture is a part of.
function tell() {
	link.tell(has_range() ? [state.a, state.b].sort(function (a, b) { return a - b; }).map(function (t) { return view_of.on_clock(D.base, t); }) : null);
}

// Marks what the page has marked.
function mark(range) {
	state.a = range ? clamp(Number(range[0] - BigInt(D.base))) : -1;
	state.b = range ? clamp(Number(range[1] - BigInt(D.base))) : -1;
	show();
}

// The row that keys and buttons are about.
function current_row() {
	return selected >= 0 ? m.row[selected] : hovered ? hovered.row : -1;
}

function show_buttons() {
	var row = selected >= 0 ? m.row[selected] : -1;

	element('range').disabled = !has_range();
	element('copy').disabled = false;
	element('follow').disabled = selected < 0 || !m.arrows.n;
	element('pin').disabled = element('collapse').disabled = row < 0;
	element('all').disabled = element('out').disabled = state.from === 0 && state.to === limits.end;
	element('side').hidden = !state.table;
	set_pressed('arrows', state.arrows);
	set_pressed('table', state.table);
	set_pressed('pin', row >= 0 && state.pinned.indexOf(row) >= 0);
	set_pressed('collapse', row >= 0 && state.collapsed.indexOf(row) >= 0);
}

function show_detail() {
	var text = [];

	if (selected >= 0)
		text.push(describe(selected).replace(/\n */g, ' \u00b7 '));
	if (has_range())
		text.push('A to B: ' + units.with_unit(Math.abs(state.b - state.a), 'ns') + ' (' + Math.abs(state.b - state.a) + ' ns); ' + command());
	element('detail').textContent = text.join(' \u2014 ');
}

function show_markers() {
	show_detail();
	if (state.table)
		fill_table();
}

// --- the table of a range ---------------------------------------------------------------------------------------

function add_cells(sum, length) {
	var row = document.createElement('tr');

	[m.rows[sum.row], sum.name, units.with_unit(sum.ns, 'ns'), words.percent(sum.ns, length),
		(m.levels.groups.length ? 'about ' : '') + Math.round(sum.spans)].forEach(function (text) {
		var cell = document.createElement('td');

		cell.textContent = shorten(text);
		row.append(cell);
	});
	element('rows').append(row);
}

// The sums of the range, or of what is visible.
function fill_table() {
	var from = has_range() ? Math.min(state.a, state.b) : state.from, to = has_range() ? Math.max(state.a, state.b) : state.to;
	var list = model.sums(m, from, to, function (row, category) { return is_row_shown(row) && is_type_shown(row, category); });

	element('rows').textContent = '';
	list.slice(0, TABLE_ROWS).forEach(function (sum) { add_cells(sum, to - from); });
	element('more').textContent = (has_range() ? 'From A to B' : 'In view') + ': ' + units.with_unit(to - from, 'ns') +
		(list.length > TABLE_ROWS ? '; ' + (list.length - TABLE_ROWS) + ' more rows' : '') + (list.length ? '' : '; nothing');
}

// --- time -------------------------------------------------------------------------------------------------------

// Shows a part of the recording, within its bounds.
function set_view(from, to) {
	var length = Math.min(Math.max(to - from, NEAREST), limits.end);

	from = Math.min(Math.max(Math.round(from), 0), Math.max(0, limits.end - Math.round(length)));
	state.from = from;
	state.to = Math.min(limits.end, from + Math.max(1, Math.round(length)));
	show();
}

function zoom(factor, around) {
	set_view(around - (around - state.from) * factor, around + (state.to - around) * factor);
}

// The time that the keys zoom around.
function middle() {
	var at = selected >= 0 ? m.begin[selected] + m.dur[selected] / 2 : -1;

	return at >= state.from && at <= state.to ? at : (state.from + state.to) / 2;
}

function pan(share) {
	var by = (state.to - state.from) * share;

	set_view(state.from + by, state.to + by);
}

function show_all() {
	set_view(0, limits.end);
}

function zoom_to_range() {
	if (has_range())
		set_view(Math.min(state.a, state.b), Math.max(state.a, state.b));
}

function clamp(time) {
	return Math.round(Math.min(Math.max(time, 0), limits.end));
}

function set_marker(which) {
	if (hovered)
		state[which] = clamp(hovered.time);
	else if (selected >= 0)
		state[which] = m.begin[selected] + (which === 'b' ? m.dur[selected] : 0);
	tell();
	show();
}

function command() {
	return has_range() ? view_of.command(D.base, state.a, state.b, D.file) : view_of.command(D.base, state.from, state.to, D.file);
}

function copy_command() {
	navigator.clipboard.writeText(command()).then(function () {
		element('copied').textContent = 'copied';
	}, function () {
		element('copied').textContent = 'the browser refused to copy';
	});
}

// --- selection --------------------------------------------------------------------------------------------------

function select(i) {
	var end;

	selected = i;
	element('copied').textContent = '';
	if (i >= 0) {
		end = m.begin[i] + m.dur[i];
		if (end < state.from || m.begin[i] > state.to)
			set_view(m.begin[i] - (state.to - state.from) / 2, m.begin[i] + (state.to - state.from) / 2);
	}
	show();
	if (i >= 0)
		scene.scroll_to(m.row[i]);
}

// Whether a single is in a row and of a type that are shown.
function is_visible(i) {
	return is_row_shown(m.row[i]) && is_type_shown(m.row[i], m.category[i]);
}

function begin_selection() {
	var i = in_time.find(function (i) { return is_visible(i) && m.begin[i] >= state.from; });

	if (i !== undefined)
		select(i);
}

function move_in_row(step) {
	var i;

	if (selected < 0)
		return begin_selection();
	for (i = selected + step; i >= m.first[m.row[selected]] && i < m.first[m.row[selected] + 1]; i += step)
		if (is_visible(i))
			return select(i);
}

// Selects what the next row has at this time.
function move_row(step) {
	var row, i;

	if (selected < 0)
		return begin_selection();
	for (row = m.row[selected] + step; row >= 0 && row < m.rows.length; row += step) {
		i = is_row_shown(row) ? model.single_at(m, row, m.begin[selected] + m.dur[selected] / 2) : -1;
		if (i >= 0 && is_visible(i))
			return select(i);
	}
}

// Selects what the waker did when it woke the selected task, or what the sender did.
function follow() {
	var k = selected >= 0 ? model.arrow_to(m, selected) : -1, i;

	if (k < 0) {
		element('copied').textContent = 'no arrow leads here';
		return;
	}
	i = model.single_at(m, m.arrows.from_row[k], m.arrows.from[k]);
	if (i >= 0)
		select(i);
	else
		element('copied').textContent = m.rows[m.arrows.from_row[k]] + ' has no span then';
}

function toggle(list, v) {
	var at = list.indexOf(v);

	if (at < 0)
		list.push(v);
	else
		list.splice(at, 1);
}

function toggle_row(name) {
	var row = current_row();

	if (row < 0)
		return;
	toggle(state[name], row);
	show();
}

// --- search -----------------------------------------------------------------------------------------------------

// The matcher of a query, null if there is none; 'bad' is called if it is not an expression.
function matcher(query, bad) {
	try {
		return query ? words.matcher(query) : null;
	} catch (e) {
		bad();
		return null;
	}
}

function find() {
	var said = element('found'), test, n = 0, i;

	said.textContent = '';
	test = matcher(state.query, function () { said.textContent = 'not a regular expression'; });
	matches = test && model.search(m, test);
	for (i = 0; matches && i < m.n; i++)
		n += matches[i] && is_visible(i) ? 1 : 0;
	if (matches)
		said.textContent = n + (n === 1 ? ' event' : ' events') + ' found';
}

function search_for(query) {
	state.query = query;
	find();
	show();
}

function filter_rows(query) {
	state.rows = query;
	row_matches = matcher(query, function () { element('found').textContent = 'not a regular expression'; });
	find();
	show();
}

// Selects the match after the selected single, or before it, in time.
function next_match(step) {
	var n = in_time.length, from, k, i;

	// without a selection the first match in view, or the last before it
	from = selected >= 0 ? in_time.indexOf(selected) :
		model.count_first(0, n, function (k) { return m.begin[in_time[k]] < state.from; }) - (step > 0 ? 1 : 0);

	for (k = 1; matches && k <= n; k++) {
		i = in_time[(from + step * k + n * 2) % n];
		if (matches[i] && is_visible(i))
			return select(i);
	}
}

// --- pointer and keys -------------------------------------------------------------------------------------------

function place(e) {
	var box = canvas.getBoundingClientRect();

	return { x: e.clientX - box.left, y: e.clientY - box.top };
}

function show_tip(e) {
	var size;

	tip.hidden = !hovered || Boolean(drag && drag.moved);
	if (tip.hidden)
		return;
	tip.textContent = describe_place(hovered);
	size = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(e.clientX + 12, window.innerWidth - size.width - 4)) + 'px';
	tip.style.top = (e.clientY + 18 + size.height > window.innerHeight ? Math.max(4, e.clientY - size.height - 10) : e.clientY + 18) + 'px';
}

function on_move(e) {
	var p = place(e);

	hovered = scene.at(p.x, p.y);
	if (drag && Math.abs(p.x - drag.x) >= DRAG_MIN)
		drag.moved = true;
	if (drag && drag.moved) {
		state.a = clamp(drag.time);
		state.b = clamp(scene.time_at(p.x));
		show();
	}
	show_tip(e);
}

function on_down(e) {
	var p = place(e);

	if (e.button || scene.is_in_gutter(p.x))
		return;
	drag = { x: p.x, time: scene.time_at(p.x), moved: false };
	canvas.setPointerCapture(e.pointerId);
}

function on_up(e) {
	var p = place(e), at = scene.at(p.x, p.y), moved = drag && drag.moved;

	drag = null;
	if (moved)
		tell();
	if (moved || e.button)
		return;
	if (at && scene.is_in_gutter(p.x)) {
		toggle(state.collapsed, at.row);
		show();
	} else {
		select(at ? at.single : -1);
	}
}

// Zooms around the pointer; with Shift, moves in time; over the names of rows it scrolls them.
function on_wheel(e) {
	var p = place(e);

	if (scene.is_in_gutter(p.x) || e.ctrlKey && e.altKey)
		return;
	e.preventDefault();
	if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
		pan((e.deltaX || e.deltaY) / 1000);
	else
		zoom(Math.pow(2, e.deltaY / 200), scene.time_at(p.x));
}

function on_escape() {
	if (state.query || search.value) {
		search.value = '';
		search_for('');
	} else {
		state.a = state.b = -1;
		selected = -1;
		tell();
		show();
	}
	view.focus();
}

function zoom_to_selected() {
	var room;

	if (selected < 0)
		return;
	room = Math.max(m.dur[selected], NEAREST) / 2;
	set_view(m.begin[selected] - room, m.begin[selected] + m.dur[selected] + room);
}

var keys = {
	'+': function () { zoom(0.5, middle()); },
	'=': function () { zoom(0.5, middle()); },
	'-': function () { zoom(2, middle()); },
	0: show_all,
	z: zoom_to_range,
	'[': function () { set_marker('a'); },
	']': function () { set_marker('b'); },
	w: follow,
	p: function () { toggle_row('pinned'); },
	c: function () { toggle_row('collapsed'); },
	r: function () {
		state.arrows = !state.arrows;
		show();
	},
	t: function () {
		state.table = !state.table;
		show();
	},
	y: copy_command,
	n: function () { next_match(1); },
	N: function () { next_match(-1); },
	'/': function () { search.focus(); },
	f: function () { filter.focus(); },
	Escape: on_escape
};

var arrow_keys = {
	ArrowLeft: function () { move_in_row(-1); },
	ArrowRight: function () { move_in_row(1); },
	ArrowUp: function () { move_row(-1); },
	ArrowDown: function () { move_row(1); }
};

function on_key(e) {
	var in_field = e.target === search || e.target === filter;

	if (e.ctrlKey || e.altKey || e.metaKey || (in_field && e.key !== 'Escape' && e.key !== 'Enter'))
		return;
	if (in_field && e.key === 'Enter')
		view.focus();
	else if (e.key === 'Enter' && e.target === view)
		zoom_to_selected();
	else if (e.shiftKey && (e.key === 'ArrowLeft' || e.key === 'ArrowRight'))
		pan(e.key === 'ArrowLeft' ? -0.25 : 0.25);
	else if (arrow_keys.hasOwnProperty(e.key) && !element('side').contains(e.target))
		arrow_keys[e.key]();
	else if (keys.hasOwnProperty(e.key))
		keys[e.key]();
	else
		return;
	e.preventDefault();
}

// --- the beginning ----------------------------------------------------------------------------------------------

// The names that have colours, with those of the first category of each.
function show_legend() {
	var seen = new Set();

	m.categories.forEach(function (c, i) {
		var name = model.name_of(m, i), swatch = document.createElement('i'), label = document.createElement('span');

		if (seen.has(name))
			return;
		seen.add(name);
		if (seen.size > 60)
			return;
		swatch.style.setProperty('--light', D.light[i]);
		swatch.style.setProperty('--dark', D.dark[i]);
		label.append(swatch, shorten(name));
		element('legend').append(label);
	});
	if (seen.size > 60)
		element('legend').append('and ' + (seen.size - 60) + ' more');
}

// A box to check for each type of events, if there are several.
function show_types() {
	element('types').hidden = m.types.length < 2;
	m.types.forEach(function (name, type) {
		var label = document.createElement('label'), box = document.createElement('input');

		box.type = 'checkbox';
		box.id = 'type-' + type;
		box.checked = state.off.indexOf(type) < 0;
		box.addEventListener('change', function () {
			toggle(state.off, type);
			find();
			show();
		});
		label.append(box, shorten(name));
		element('types').append(label);
	});
}

function on_press(id, action) {
	element(id).addEventListener('click', action);
}

function listen() {
	scene.listen();
	canvas.addEventListener('pointermove', on_move);
	canvas.addEventListener('pointerdown', on_down);
	canvas.addEventListener('pointerup', on_up);
	canvas.addEventListener('pointerleave', function () {
		hovered = null;
		tip.hidden = true;
	});
	canvas.addEventListener('wheel', on_wheel, { passive: false });
	document.addEventListener('keydown', on_key);
	search.addEventListener('input', function () { search_for(search.value); });
	filter.addEventListener('input', function () { filter_rows(filter.value); });
	on_press('in', keys['+']);
	on_press('out', keys['-']);
	on_press('all', show_all);
	on_press('range', zoom_to_range);
	on_press('follow', follow);
	on_press('pin', keys.p);
	on_press('collapse', keys.c);
	on_press('arrows', keys.r);
	on_press('table', keys.t);
	on_press('copy', copy_command);
	window.addEventListener('hashchange', update);
	link.follow(mark);
}

// Shows the state of the URL.
function update() {
	state = view_of.read(location.hash, first, limits);
	search.value = state.query;
	filter.value = state.rows;
	m.types.forEach(function (name, type) { element('type-' + type).checked = state.off.indexOf(type) < 0; });
	filter_rows(state.rows);
}

function note(text) {
	element('note').textContent = text;
}

function begin(parts) {
	m = model.decode(parts, D);
	limits = { end: D.end, types: m.types.length, rows: m.rows.length };
	in_time = Array.from(m.begin.keys()).sort(function (a, b) { return m.begin[a] - m.begin[b] || m.row[a] - m.row[b]; });
	['tools', 'main', 'foot'].forEach(function (id) { element(id).hidden = false; });
	element('arrows').hidden = element('follow').hidden = !m.arrows.n;
	show_types();
	show_legend();
	update();
	listen();
}

if (D.n_rows > 0)
	packed.open(element('data').textContent, D.sizes, begin, note);
})();
