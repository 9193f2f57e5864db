// SPDX-License-Identifier: GPL-2.0-only
// An interactive flame graph. D is its data, the element "nodes" has the frames: see lib/flame/flamehtml.[hc].
// lib/draw/units.js and tree.js precede this file. Names are set as text or drawn, never used as markup.
(function () {
'use strict';
var ROW = 18, NARROW = 1, TEXT_MIN = 36, PAD = 4;
var whole, shown; // the tree of the file, the one that is shown
var n, name, depth, parent, end, self, total, start; // of the latter

function element(id) {
	return document.getElementById(id);
}

var view = element('view'), space = element('space'), canvas = element('canvas'), ctx = canvas.getContext('2d');
var search = element('search'), tip = element('tip');
var dark = window.matchMedia('(prefers-color-scheme: dark)');
var state = no_state();
var shown_tree = ''; // which function's callers or callees are shown
var laid_out = ''; // that, the zoom and the direction of the last layout
var selected = -1, printing = false, height = 0;
var matches = null; // by name: 1 if the query finds it; null: there is no query
var hits = null; // by node: how many nodes before it match
var widths = new Float32Array(D.names.length); // of names in px, 0: not measured

// --- the frames -------------------------------------------------------------------------------------------------

function use(t) {
	shown = t;
	n = t.name.length;
	name = t.name;
	depth = t.depth;
	parent = t.parent;
	end = t.end;
	self = t.self;
	total = t.total;
	start = t.start;
}

function name_of(i) {
	if (i)
		return D.names[name[i]];
	return state.of < 0 ? 'all' : (state.callers ? 'callers of ' : 'callees of ') + D.names[state.of];
}

// A name for people: a very long one without its middle.
function readable(text) {
	return text.length > 600 ? elide(text, 600) : text;
}

function kind_of(i) {
	return Math.floor((D.colours.charCodeAt(name[i]) - 65) / D.shades);
}

// --- numbers ----------------------------------------------------------------------------------------------------

function weight(v) {
	return D.unit ? units.with_unit(v, D.unit) : String(v);
}

function percent(part, whole) {
	return (whole > 0 ? 100 * part / whole : 0).toFixed(2) + ' %';
}

function describe(i) {
	var all = whole.total[0], text = weight(total[i]) + ', ' + percent(total[i], all) + ' of all', kind = i ? kind_of(i) : 0;

	if ((state.zoom || state.of >= 0) && i > state.zoom && i < end[state.zoom])
		text += ', ' + percent(total[i], total[state.zoom]) + ' of what is shown';
	if (self[i] && self[i] !== total[i])
		text += '; itself ' + weight(self[i]) + ', ' + percent(self[i], all);
	return text + (kind ? '; ' + D.kinds[kind] : '');
}

// --- drawing ----------------------------------------------------------------------------------------------------

function px_per_unit() {
	return view.clientWidth / total[state.zoom];
}

// Calls f(i, x, width) for each frame that is drawn, parents first, and run(depth, x, width, from, to) for narrow siblings
// side by side, which have the nodes between `from` and `to`. Frames beyond the depth `deepest` are skipped.
function each_drawn(deepest, f, run) {
	var px = px_per_unit(), z = state.zoom, left = start[z], i, w, x, run_depth = -1, run_x = 0, run_end = 0;
	var from = 0, to = 0;

	function finish() {
		if (run_depth >= 0)
			run(run_depth, run_x, run_end - run_x, from, to);
		run_depth = -1;
	}
	for (i = z; i < end[z];) {
		x = (start[i] - left) * px;
		w = total[i] * px;
		if (depth[i] > deepest) {
			i = end[i];
		} else if (w < NARROW) {
			if (depth[i] !== run_depth || x > run_end + 0.01) {
				finish();
				run_depth = depth[i];
				run_x = x;
				from = i;
			}
			run_end = x + w;
			i = to = end[i];
		} else {
			finish();
			f(i, x, w);
			i++;
		}
	}
	finish();
}

function y_of(d) {
	return (state.icicle ? d * ROW : height - (d + 1) * ROW) - view.scrollTop;
}

// A text in at most `left` characters, with an ellipsis for its middle; no character is split.
function elide(text, left) {
	var head = Math.ceil(left * 0.6), tail = text.length - (left - head);

	if (/[\ud800-\udbff]/.test(text[head - 1]))
		head--;
	if (/[\udc00-\udfff]/.test(text[tail]))
		tail++;
	return text.slice(0, head) + '\u2026' + text.slice(tail);
}

// A name in at most `room` px, without its middle if it is wider; '' if nothing useful remains.
function fit(i, room) {
	var text = name_of(i), k = name[i], w = k >= 0 ? widths[k] : 0, left, shown;

	if (!w) {
		w = ctx.measureText(text).width;
		if (k >= 0)
			widths[k] = w;
	}
	if (w <= room)
		return text;
	for (left = Math.floor(text.length * room / w) - 1; left >= 3; left--) {
		shown = elide(text, left);
		if (ctx.measureText(shown).width <= room)
			return shown;
	}
	return '';
}

function is_dark() {
	return dark.matches && !printing;
}

function highlight() {
	return is_dark() ? '#d2a8ff' : '#6e40c9';
}

function draw_frame(i, x, w, colours, ink) {
	var y = y_of(depth[i]), found = matches && i && matches[name[i]], text;

	ctx.fillStyle = found ? highlight() : colours[i ? D.colours.charCodeAt(name[i]) - 65 : colours.length - 1];
	ctx.globalAlpha = i < state.zoom || (matches && !found) ? 0.5 : 1;
	ctx.fillRect(x, y, Math.max(w - 0.5, 0.5), ROW - 1);
	ctx.globalAlpha = 1;
	if (i === selected) {
		ctx.strokeStyle = ink;
		ctx.lineWidth = 2;
		ctx.strokeRect(x + 1, y + 1, Math.max(w - 2.5, 1), ROW - 3);
	}
	if (w < TEXT_MIN)
		return;
	text = fit(i, w - 2 * PAD);
	ctx.fillStyle = found ? (is_dark() ? '#0d1117' : '#fff') : ink;
	ctx.fillText(text, x + PAD, y + 13);
}

function draw() {
	var ratio = window.devicePixelRatio || 1, width = view.clientWidth, tall = view.clientHeight, a;
	var colours = is_dark() ? D.dark : D.light, ink = is_dark() ? '#e6edf3' : '#1f2328', grey = colours[colours.length - 1];
	var first = Math.floor((state.icicle ? view.scrollTop : height - view.scrollTop - tall) / ROW) - 1;
	var last = first + Math.ceil(tall / ROW) + 2;

	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(tall * ratio);
	canvas.style.width = width + 'px';
	canvas.style.height = tall + 'px';
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.font = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
	for (a = state.zoom; a !== 0;) {
		a = parent[a];
		if (depth[a] >= first && depth[a] <= last)
			draw_frame(a, 0, width, colours, ink);
	}
	each_drawn(last, function (i, x, w) {
		if (depth[i] >= first)
			draw_frame(i, x, w, colours, ink);
	}, function (d, x, w, from, to) {
		var found = matches && hits[to] > hits[from];

		ctx.fillStyle = found ? highlight() : grey;
		ctx.globalAlpha = matches && !found ? 0.5 : 1;
		if (d >= first && w >= 0.3)
			ctx.fillRect(x, y_of(d), w, ROW - 1);
		ctx.globalAlpha = 1;
	});
}

var wanted = false;

function redraw() {
	if (wanted)
		return;
	wanted = true;
	window.requestAnimationFrame(function () {
		wanted = false;
		draw();
	});
}

function show_row(d) {
	var y = y_of(d) + view.scrollTop, tall = view.clientHeight;

	if (y < view.scrollTop)
		view.scrollTop = y - ROW;
	else if (y + ROW > view.scrollTop + tall)
		view.scrollTop = y + 2 * ROW - tall;
}

// After a change of the zoom, of the direction or of the size.
function layout() {
	var deepest = depth[state.zoom];

	function note(d) {
		deepest = Math.max(deepest, d);
	}
	each_drawn(Infinity, function (i) { note(depth[i]); }, note);
	height = Math.max(view.clientHeight, (deepest + 1) * ROW);
	space.style.height = height + 'px';
	element('out').disabled = !state.zoom && state.of < 0;
	redraw();
}

// --- search -----------------------------------------------------------------------------------------------------

function matcher(query) {
	var expression = /^\/(.*)\/$/.exec(query), low = query.toLowerCase(), re;

	if (!expression)
		return function (text) { return text.toLowerCase().indexOf(low) >= 0; };
	re = new RegExp(expression[1]);
	return function (text) { return re.test(text); };
}

function share_found() {
	var z = state.zoom, found = tree.found(shown, z, matches);

	return found.frames + (found.frames === 1 ? ' frame: ' : ' frames: ') + weight(found.sum) + ', ' +
		percent(found.sum, total[z]) + (z || state.of >= 0 ? ' of what is shown' : ' of all');
}

function find() {
	var found = element('found'), i, test;

	matches = null;
	found.textContent = '';
	if (!state.query)
		return;
	try {
		test = matcher(state.query);
	} catch (e) {
		found.textContent = 'not a regular expression';
		return;
	}
	matches = new Uint8Array(D.names.length);
	for (i = 0; i < matches.length; i++)
		matches[i] = test(D.names[i]) ? 1 : 0;
	hits = new Uint32Array(n + 1);
	for (i = 0; i < n; i++)
		hits[i + 1] = hits[i] + (i && matches[name[i]] ? 1 : 0);
	found.textContent = share_found();
}

// Selects the match after the selected frame, or before it, in what is shown.
function next_match(step) {
	var z = state.zoom, size = end[z] - z, k, i, from = selected >= z && selected < end[z] ? selected : z;

	for (k = 1; matches && k <= size; k++) {
		i = z + (from - z + step * k + size * 2) % size;
		if (i && matches[name[i]])
			return select(i);
	}
}

// --- table ------------------------------------------------------------------------------------------------------

var ROWS = 500;

function table_row(k, sums) {
	var row = document.createElement('tr'), button = document.createElement('button');

	[sums.self[k], sums.total[k]].forEach(function (v) {
		var cell = document.createElement('td');

		cell.textContent = percent(v, total[state.zoom]);
		cell.title = weight(v);
		row.append(cell);
	});
	button.type = 'button';
	button.textContent = readable(D.names[k]);
	button.addEventListener('click', function () {
		search.value = '/^' + D.names[k].replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') + '$/';
		on_search();
	});
	row.append(document.createElement('th'));
	row.lastChild.scope = 'row';
	row.lastChild.append(button);
	return row;
}

// Lists the functions that are shown and match, the heaviest first.
function show_table() {
	var sums, order = [], k, by = state.by, body = element('rows');

	element('side').hidden = !state.table;
	element('table').setAttribute('aria-pressed', state.table);
	body.textContent = '';
	if (!state.table)
		return;
	sums = tree.sums(shown, state.zoom, D.names.length);
	for (k = 0; k < D.names.length; k++)
		if (sums.total[k] > 0 && (!matches || matches[k]))
			order.push(k);
	order.sort(function (a, b) { return sums[by][b] - sums[by][a] || sums.total[b] - sums.total[a] || a - b; });
	['self', 'total'].forEach(function (column) {
		element('by-' + column).parentNode.setAttribute('aria-sort', column === by ? 'descending' : 'none');
	});
	order.slice(0, ROWS).forEach(function (i) { body.append(table_row(i, sums)); });
	element('more').textContent = order.length > ROWS ? (order.length - ROWS) + ' more: search for them' : '';
}

function set_table(on, by) {
	state.table = on;
	state.by = by;
	keep(false);
}

// --- state ------------------------------------------------------------------------------------------------------

function no_state() {
	return { zoom: 0, query: '', icicle: !!D.icicle, table: false, by: 'self', of: -1, callers: false };
}

function to_fragment() {
	var parts = [];

	if (state.of >= 0)
		parts.push((state.callers ? 'callers=' : 'callees=') + state.of);
	if (state.zoom)
		parts.push('zoom=' + state.zoom);
	if (state.query)
		parts.push('search=' + encodeURIComponent(state.query));
	if (state.icicle !== !!D.icicle)
		parts.push('flip');
	if (state.table)
		parts.push('table=' + state.by);
	return '#' + parts.join('&');
}

function read_fragment() {
	state = no_state();
	location.hash.slice(1).split('&').forEach(function (part) {
		var at = part.indexOf('='), key = at < 0 ? part : part.slice(0, at), value = at < 0 ? '' : part.slice(at + 1);

		if (key === 'zoom' && /^[0-9]+$/.test(value))
			state.zoom = +value;
		if (key === 'search')
			try {
				state.query = decodeURIComponent(value);
			} catch (e) {
				state.query = '';
			}
		if (key === 'flip')
			state.icicle = !D.icicle;
		if (key === 'table' && (value === 'self' || value === 'total')) {
			state.table = true;
			state.by = value;
		}
		if ((key === 'callers' || key === 'callees') && /^[0-9]+$/.test(value) && +value < D.names.length) {
			state.of = +value;
			state.callers = key === 'callers';
		}
	});
}

function choose_tree() {
	var wanted_tree = state.of + ' ' + state.callers;

	if (wanted_tree !== shown_tree) {
		use(state.of < 0 ? whole : tree.of_name(whole, state.of, state.callers, D.names));
		shown_tree = wanted_tree;
		selected = -1;
		element('detail').textContent = '';
	}
	if (state.zoom >= n)
		state.zoom = 0;
}

function from_fragment() {
	var now;

	read_fragment();
	choose_tree();
	now = shown_tree + ' ' + state.zoom + ' ' + state.icicle;
	if (search.value !== state.query)
		search.value = state.query;
	find();
	show_table();
	layout();
	describe_selected();
	if (now !== laid_out)
		show_row(depth[state.zoom]);
	laid_out = now;
}

// Keeps the state in the URL. A zoom is a step to which Back returns.
function keep(is_step) {
	var fragment = to_fragment();

	if (fragment === (location.hash || '#'))
		return;
	if (is_step)
		location.hash = fragment;
	else
		location.replace(fragment);
}

function zoom(i) {
	state.zoom = i;
	keep(true);
}

function describe_selected() {
	element('callers').disabled = element('callees').disabled = selected <= 0;
	if (selected >= 0)
		element('detail').textContent = readable(name_of(selected)) + ' \u2014 ' + describe(selected);
}

function select(i) {
	// a selected frame is in what is shown
	if (i < state.zoom || i >= end[state.zoom])
		zoom(i);
	selected = i;
	describe_selected();
	show_row(depth[i]);
	redraw();
}

// Shows the callers or the callees of a function; of < 0: all stacks.
function show_function(of, callers) {
	state.of = of;
	state.callers = callers;
	state.zoom = 0;
	keep(true);
}

function show_selected(callers) {
	if (selected > 0)
		show_function(name[selected], callers);
}

function zoom_out() {
	if (state.zoom)
		zoom(0);
	else
		show_function(-1, false);
}

// --- pointer and keys -------------------------------------------------------------------------------------------

// The frame at a place of the canvas, or -1.
function frame_at(x, y) {
	var row = Math.floor((y + view.scrollTop) / ROW), d = state.icicle ? row : Math.floor((height - y - view.scrollTop) / ROW);
	var i = state.zoom, place = start[i] + x / px_per_unit();

	while (depth[i] > d)
		i = parent[i];
	while (i >= 0 && depth[i] < d)
		i = tree.child_at(shown, i, place);
	return i;
}

function show_tip(e) {
	var box = canvas.getBoundingClientRect(), i = frame_at(e.clientX - box.left, e.clientY - box.top), size;

	tip.hidden = i < 0;
	canvas.style.cursor = i < 0 ? 'default' : 'pointer';
	if (i < 0)
		return;
	tip.textContent = readable(name_of(i)) + '\n' + describe(i);
	size = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(e.clientX + 12, window.innerWidth - size.width - 4)) + 'px';
	tip.style.top = (e.clientY + 18 + size.height > window.innerHeight ? Math.max(4, e.clientY - size.height - 10) : e.clientY + 18) + 'px';
}

// The frame that an arrow key leads to from the selected one.
function moved(key) {
	var i = selected < 0 ? state.zoom : selected, child = state.icicle ? 'ArrowDown' : 'ArrowUp', heaviest;

	if (selected < 0)
		return i;
	if (key === child) {
		heaviest = tree.heaviest_child(shown, i);
		return heaviest < 0 ? i : heaviest;
	}
	if (key === 'ArrowUp' || key === 'ArrowDown')
		return parent[i];
	return tree.sibling(shown, i, key === 'ArrowRight' ? 1 : -1);
}

function flip() {
	state.icicle = !state.icicle;
	keep(false);
}

function on_key(e) {
	if (e.ctrlKey || e.altKey || e.metaKey || (e.target === search && e.key !== 'Escape'))
		return;
	if (/^Arrow/.test(e.key) && !element('side').contains(e.target))
		select(moved(e.key));
	else if (e.key === 'Enter' && e.target === view && selected >= 0)
		zoom(selected);
	else if (e.key === 'Escape' && state.query) {
		search.value = '';
		on_search();
		view.focus();
	} else if (e.key === 'Escape')
		zoom_out();
	else if (e.key === 'c' || e.key === 'e')
		show_selected(e.key === 'c');
	else if (e.key === '/')
		search.focus();
	else if (e.key === 'n' || e.key === 'N')
		next_match(e.key === 'n' ? 1 : -1);
	else if (e.key === 'f')
		flip();
	else if (e.key === 't')
		set_table(!state.table, state.by);
	else
		return;
	e.preventDefault();
}

function on_search() {
	state.query = search.value;
	keep(false);
}

function print(on) {
	printing = on;
	draw();
}

function add_legend() {
	var legend = element('legend');

	D.kinds.forEach(function (kind, i) {
		var swatch = document.createElement('i'), label = document.createElement('span');

		if (!(D.has >> i & 1) || !(D.has & (D.has - 1)))
			return;
		swatch.style.background = (is_dark() ? D.dark : D.light)[i * D.shades + 1];
		label.append(swatch, kind);
		legend.append(label);
	});
}

function begin() {
	['tools', 'main', 'foot'].forEach(function (id) { element(id).hidden = false; });
	add_legend();
	view.addEventListener('scroll', redraw);
	canvas.addEventListener('pointermove', show_tip);
	canvas.addEventListener('pointerleave', function () { tip.hidden = true; });
	canvas.addEventListener('click', function (e) {
		var box = canvas.getBoundingClientRect(), i = frame_at(e.clientX - box.left, e.clientY - box.top);

		if (i < 0)
			return;
		tip.hidden = true;
		zoom(i);
		select(i);
	});
	document.addEventListener('keydown', on_key);
	search.addEventListener('input', on_search);
	element('out').addEventListener('click', zoom_out);
	element('callers').addEventListener('click', function () { show_selected(true); });
	element('callees').addEventListener('click', function () { show_selected(false); });
	element('flip').addEventListener('click', flip);
	element('table').addEventListener('click', function () { set_table(!state.table, state.by); });
	element('by-self').addEventListener('click', function () { set_table(true, 'self'); });
	element('by-total').addEventListener('click', function () { set_table(true, 'total'); });
	window.addEventListener('hashchange', from_fragment);
	window.addEventListener('beforeprint', function () { print(true); });
	window.addEventListener('afterprint', function () { print(false); });
	new ResizeObserver(function () { layout(); }).observe(view);
	dark.addEventListener('change', function () {
		element('legend').textContent = '';
		add_legend();
		redraw();
	});
	from_fragment();
}

if (D.total > 0) {
	whole = tree.decode(element('nodes').textContent, D.n);
	use(whole);
	begin();
}
})();
