// SPDX-License-Identifier: GPL-2.0-only
// An interactive flame graph. D is its data, the element "nodes" has the frames: see lib/flame/flamehtml.[hc].
// lib/draw/units.js precedes this file. Names are set as text or drawn, never used as markup.
(function () {
'use strict';
var ROW = 18, NARROW = 1, TEXT_MIN = 36, PAD = 4;
var LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
var n = D.n;
// of each node, in the order of a walk; the first is the root
var name = new Int32Array(n), depth = new Uint32Array(n), parent = new Uint32Array(n), end = new Uint32Array(n);
var self = new Float64Array(n), total = new Float64Array(n), start = new Float64Array(n);

function element(id) {
	return document.getElementById(id);
}

var view = element('view'), space = element('space'), canvas = element('canvas'), ctx = canvas.getContext('2d');
var search = element('search'), tip = element('tip');
var dark = window.matchMedia('(prefers-color-scheme: dark)');
var state = { zoom: 0, query: '', icicle: !!D.icicle, table: false, by: 'self' };
var laid_out = ''; // the zoom and the direction of the last layout
var selected = -1, printing = false, height = 0;
var matches = null; // by name: 1 if the query finds it; null: there is no query
var widths = new Float32Array(D.names.length); // of names in px, 0: not measured

// --- the tree ---------------------------------------------------------------------------------------------------

function decode(text) {
	var value = {}, at = 0, i, head, last = [0];

	for (i = 0; i < 64; i++)
		value[LETTERS.charCodeAt(i)] = i;
	function number() {
		var v = 0, factor = 1, digit;

		do {
			digit = value[text.charCodeAt(at++)];
			v += (digit & 31) * factor;
			factor *= 32;
		} while (digit > 31);
		return v;
	}
	name[0] = -1;
	self[0] = number();
	for (i = 1; i < n; i++) {
		head = number();
		depth[i] = depth[i - 1] + 1 - (head & 2 ? number() : 0);
		self[i] = head & 1 ? number() : 0;
		name[i] = head >>> 2;
		parent[i] = last[depth[i] - 1];
		last[depth[i]] = i;
	}
}

function compute() {
	var used = new Float64Array(n), i, p;

	for (i = n - 1; i >= 0; i--) {
		end[i] = Math.max(end[i], i + 1);
		total[i] += self[i];
		if (i) {
			p = parent[i];
			total[p] += total[i];
			end[p] = Math.max(end[p], end[i]);
		}
	}
	for (i = 1; i < n; i++) {
		p = parent[i];
		start[i] = start[p] + used[p];
		used[p] += total[i];
	}
}

function name_of(i) {
	return i ? D.names[name[i]] : 'all';
}

// A name for people: a very long one without its middle.
function readable(text) {
	return text.length > 600 ? elide(text, 600) : text;
}

function kind_of(i) {
	return Math.floor((D.colours.charCodeAt(name[i]) - 65) / D.shades);
}

// The child at a place, in units of weight, or -1.
function child_at(i, place) {
	var c;

	for (c = i + 1; c < end[i]; c = end[c])
		if (place >= start[c] && place < start[c] + total[c])
			return c;
	return -1;
}

function heaviest_child(i) {
	var best = -1, c;

	for (c = i + 1; c < end[i]; c = end[c])
		if (best < 0 || total[c] > total[best])
			best = c;
	return best;
}

// The sibling after a node, or before it; the node itself if there is none.
function sibling(i, step) {
	var c, before = i, p = parent[i];

	if (step > 0)
		return i && end[i] < end[p] ? end[i] : i;
	for (c = p + 1; c < i; c = end[c])
		before = c;
	return before;
}

// --- numbers ----------------------------------------------------------------------------------------------------

function weight(v) {
	return D.unit ? units.with_unit(v, D.unit) : String(v);
}

function percent(part, whole) {
	return (whole > 0 ? 100 * part / whole : 0).toFixed(2) + ' %';
}

function describe(i) {
	var text = weight(total[i]) + ', ' + percent(total[i], total[0]) + ' of all', kind = i ? kind_of(i) : 0;

	if (state.zoom && i > state.zoom && i < end[state.zoom])
		text += ', ' + percent(total[i], total[state.zoom]) + ' of what is shown';
	if (self[i] && self[i] !== total[i])
		text += '; itself ' + weight(self[i]) + ', ' + percent(self[i], total[0]);
	return text + (kind ? '; ' + D.kinds[kind] : '');
}

// --- drawing ----------------------------------------------------------------------------------------------------

function px_per_unit() {
	return view.clientWidth / total[state.zoom];
}

// Calls f(i, x, width) for each frame that is drawn, parents first, and run(depth, x, width) for narrow siblings side
// by side. Frames beyond the depth `deepest` are skipped.
function each_drawn(deepest, f, run) {
	var px = px_per_unit(), z = state.zoom, left = start[z], i, w, x, run_depth = -1, run_x = 0, run_end = 0;

	function finish() {
		if (run_depth >= 0)
			run(run_depth, run_x, run_end - run_x);
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
			}
			run_end = x + w;
			i = end[i];
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

function draw_frame(i, x, w, colours, ink) {
	var y = y_of(depth[i]), found = matches && i && matches[name[i]], text;

	ctx.fillStyle = found ? (is_dark() ? '#d2a8ff' : '#6e40c9') : colours[i ? D.colours.charCodeAt(name[i]) - 65 : colours.length - 1];
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
	}, function (d, x, w) {
		ctx.fillStyle = grey;
		if (d >= first && w >= 0.3)
			ctx.fillRect(x, y_of(d), w, ROW - 1);
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
	element('out').disabled = !state.zoom;
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

// Counts a stack once, however many of its frames match.
function share_found() {
	var z = state.zoom, sum = 0, frames = 0, i, beyond = 0;

	for (i = Math.max(z, 1); i < end[z]; i++) {
		if (!matches[name[i]])
			continue;
		frames++;
		if (i >= beyond) {
			sum += total[i];
			beyond = end[i];
		}
	}
	return frames + (frames === 1 ? ' frame: ' : ' frames: ') + weight(sum) + ', ' +
		percent(sum, total[z]) + (z ? ' of what is shown' : ' of all');
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

// For each name its weight in what is shown: of its own, and of all stacks that have it, each counted once.
function sum_by_name() {
	var z = state.zoom, own = new Float64Array(D.names.length), all = new Float64Array(D.names.length);
	var beyond = new Uint32Array(D.names.length), i, k;

	for (i = Math.max(z, 1); i < end[z]; i++) {
		k = name[i];
		own[k] += self[i];
		if (i >= beyond[k]) {
			all[k] += total[i];
			beyond[k] = end[i];
		}
	}
	return { self: own, total: all };
}

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
	sums = sum_by_name();
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

function to_fragment() {
	var parts = [];

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
	state = { zoom: 0, query: '', icicle: !!D.icicle, table: false, by: 'self' };
	location.hash.slice(1).split('&').forEach(function (part) {
		var at = part.indexOf('='), key = at < 0 ? part : part.slice(0, at), value = at < 0 ? '' : part.slice(at + 1);

		if (key === 'zoom' && /^[0-9]+$/.test(value) && +value < n)
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
	});
}

function from_fragment() {
	var now;

	read_fragment();
	now = state.zoom + ' ' + state.icicle;
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

// --- pointer and keys -------------------------------------------------------------------------------------------

// The frame at a place of the canvas, or -1.
function frame_at(x, y) {
	var row = Math.floor((y + view.scrollTop) / ROW), d = state.icicle ? row : Math.floor((height - y - view.scrollTop) / ROW);
	var i = state.zoom, place = start[i] + x / px_per_unit();

	while (depth[i] > d)
		i = parent[i];
	while (i >= 0 && depth[i] < d)
		i = child_at(i, place);
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
	var i = selected < 0 ? state.zoom : selected, child = state.icicle ? 'ArrowDown' : 'ArrowUp';

	if (selected < 0)
		return i;
	if (key === child)
		return heaviest_child(i) < 0 ? i : heaviest_child(i);
	if (key === 'ArrowUp' || key === 'ArrowDown')
		return parent[i];
	return sibling(i, key === 'ArrowRight' ? 1 : -1);
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
		zoom(0);
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
	element('out').addEventListener('click', function () { zoom(0); });
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
	decode(element('nodes').textContent);
	compute();
	begin();
}
})();
