// SPDX-License-Identifier: GPL-2.0-only
// Draws a tree of stacks (tree.js) on the canvas of the page, which is as large as the part that is visible of a graph that
// scrolls. D is the data of the page.
var graph = (function () {
'use strict';
var ROW = 18, NARROW = 1, TEXT_MIN = 36, PAD = 4, TIME_ROOM = 60;
var PAPER_WIDTH = 800, PAPER_TALL = 53 * ROW; // the page scales the canvas to the paper
var view = document.getElementById('view'), space = document.getElementById('space'), canvas = document.getElementById('canvas');
var ctx = canvas.getContext('2d'), dark = window.matchMedia('(prefers-color-scheme: dark)');
var t, zoom = 0, icicle = false, root = ''; // the tree, which node has the whole width, the name of the root
var selected = -1, colours = 'kind';
var matches = null; // by name: 1 if the query finds it; null: there is no query
var hits = null; // by node: how many nodes before it match
var width = 0, tall = 0, scroll = 0, height = 0; // of the canvas, what is above it, and of all rows, in px
var widths = new Map(); // of names in px
var printing = false, wanted = false;

function name_of(i) {
	return i ? D.names[t.name[i]] : root;
}

// Whether a node of a flame chart is a time without a stack.
function is_gap(i) {
	return D.chart && t.name[i] === D.names.length - 1;
}

// --- places -----------------------------------------------------------------------------------------------------

function px_per_unit() {
	return t.total[zoom] ? width / t.total[zoom] : 0;
}

// Where a row begins on the canvas.
function top_of(depth) {
	return (icicle ? depth * ROW : height - (depth + 1) * ROW) - scroll;
}

// Calls frame(i, x, width) for each frame that is drawn, parents first, and area(depth, x, width, from, to) for narrow siblings
// side by side, which have the nodes between `from` and `to`. Frames beyond the depth `deepest` are skipped. A flame chart has the
// frames of all tasks in the time of the zoom, and an area may have gaps that are too narrow to be seen.
function each_drawn(deepest, frame, area) {
	var top = D.chart ? 0 : zoom, apart = D.chart ? NARROW / 2 : 0.01, px = px_per_unit(), left = t.start[zoom];
	var depth = -1, area_x = 0, area_end = 0, from = 0, to = 0, i, w, x;

	function finish_area() {
		if (depth >= 0)
			area(depth, area_x, area_end - area_x, from, to);
		depth = -1;
	}
	for (i = top; i < t.end[top];) {
		x = Math.max((t.start[i] - left) * px, 0);
		w = Math.min((t.start[i] - left + t.total[i]) * px, width) - x;
		if (t.depth[i] > deepest || w <= 0 || is_gap(i)) {
			i = t.end[i];
		} else if (w < NARROW) {
			if (t.depth[i] !== depth || x > area_end + apart) {
				finish_area();
				depth = t.depth[i];
				area_x = x;
				from = i;
			}
			area_end = x + w;
			i = to = t.end[i];
		} else {
			finish_area();
			frame(i, x, w);
			i++;
		}
	}
	finish_area();
}

// The frame at a place of the canvas, or -1.
function frame_at(x, y) {
	var depth = Math.floor((icicle ? y + scroll : height - y - scroll) / ROW);
	var i = zoom, place = t.start[i] + x / px_per_unit();

	if (D.chart)
		i = depth ? chart.task_at(t, depth) : 0;
	while (i > 0 && t.depth[i] > depth)
		i = t.parent[i];
	while (i >= 0 && t.depth[i] < depth)
		i = tree.child_at(t, i, place);
	return is_gap(i) ? -1 : i;
}

// Scrolls to the row of a frame.
function scroll_to(i) {
	var y = top_of(t.depth[i]);

	if (y < 0)
		view.scrollTop = scroll + y - ROW;
	else if (y + ROW > tall)
		view.scrollTop = scroll + y + 2 * ROW - tall;
	scroll = view.scrollTop;
	redraw();
}

// --- drawing ----------------------------------------------------------------------------------------------------

function text_width(text) {
	var w = widths.get(text);

	if (w === undefined) {
		w = ctx.measureText(text).width;
		widths.set(text, w);
	}
	return w;
}

// A name in at most `room` px: if it is wider without the arguments of templates, and if that is wider without its middle;
// '' if nothing useful remains.
function fit(name, room) {
	var text = name, left, shorter;

	if (text_width(name) <= room)
		return name;
	text = words.without_arguments(name);
	if (text_width(text) <= room)
		return text;
	for (left = Math.floor(text.length * room / text_width(text)) - 1; left >= 3; left--) {
		shorter = words.elide(text, left);
		if (ctx.measureText(shorter).width <= room)
			return shorter;
	}
	return '';
}

function is_dark() {
	return dark.matches && !printing;
}

// The colours of what is drawn, on the present paper.
function paints() {
	var all = is_dark() ? D.dark : D.light;

	return {
		frames: all,
		libraries: D.libraries && (is_dark() ? D.libraries.dark : D.libraries.light),
		changes: D.sides && (is_dark() ? D.sides.dark : D.sides.light),
		grey: all[all.length - 1],
		ink: is_dark() ? '#e6edf3' : '#1f2328',
		found: is_dark() ? '#d2a8ff' : '#6e40c9',
		found_ink: is_dark() ? '#0d1117' : '#fff'
	};
}

// The colour of a frame: that of its difference or its library, a hue for the kind of its name and a shade, or any colour.
function colour_of(i, paint) {
	var look = D.looks[t.name[i]], all = D.light.length - 1, own = look % all;

	if (colours === 'change')
		return paint.changes[change.step(change.of(t, i)) + (paint.changes.length - 1) / 2];
	if (!i || (D.chart && !t.parent[i]))
		return paint.grey;
	if (colours === 'library')
		return paint.libraries[D.libraries.slots[D.library[t.name[i]]]];
	return paint.frames[colours === 'name' ? own : Math.floor(look / all) * D.shades + own % D.shades];
}

// Draws the axis of a flame chart in the row of the root.
function draw_axis(paint) {
	var from = t.start[zoom], y = top_of(0);

	ctx.fillStyle = paint.ink;
	ticks.marks(from, from + t.total[zoom], Math.max(1, width / 90)).forEach(function (time) {
		var x = (time - from) * px_per_unit();

		ctx.fillRect(x, y, 1, ROW - 1);
		if (x + TIME_ROOM < width)
			ctx.fillText(units.with_unit(time, 'ns'), x + PAD, y + 13);
	});
}

function draw_frame(i, x, w, paint) {
	var y = top_of(t.depth[i]), found = matches && i && matches[t.name[i]];

	ctx.fillStyle = found ? paint.found : colour_of(i, paint);
	ctx.globalAlpha = (i < zoom && !D.chart) || (matches && !found) ? 0.5 : 1;
	ctx.fillRect(x, y, Math.max(w - 0.5, 0.5), ROW - 1);
	ctx.globalAlpha = 1;
	if (i === selected) {
		ctx.strokeStyle = paint.ink;
		ctx.lineWidth = 2;
		ctx.strokeRect(x + 1, y + 1, Math.max(w - 2.5, 1), ROW - 3);
	}
	if (w < TEXT_MIN || (D.chart && !i))
		return;
	ctx.fillStyle = found ? paint.found_ink : paint.ink;
	ctx.fillText(fit(name_of(i), w - 2 * PAD), x + PAD, y + 13);
}

// Sets the size of the canvas, which erases it.
function erase() {
	var ratio = printing ? 2 : window.devicePixelRatio || 1;

	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(tall * ratio);
	canvas.style.width = printing ? '100%' : width + 'px';
	canvas.style.height = printing ? 'auto' : tall + 'px';
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.font = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
}

function draw() {
	var first = Math.floor((icicle ? scroll : height - scroll - tall) / ROW) - 1, last = first + Math.ceil(tall / ROW) + 2;
	var paint = paints(), i;

	erase();
	for (i = D.chart ? 0 : zoom; i !== 0;) {
		i = t.parent[i];
		if (t.depth[i] >= first && t.depth[i] <= last)
			draw_frame(i, 0, width, paint);
	}
	each_drawn(last, function (i, x, w) {
		if (t.depth[i] >= first)
			draw_frame(i, x, w, paint);
	}, function (depth, x, w, from, to) {
		var found = matches && hits[to] > hits[from];

		ctx.fillStyle = found ? paint.found : paint.grey;
		ctx.globalAlpha = matches && !found ? 0.5 : 1;
		if (depth >= first && (w >= 0.3 || D.chart))
			ctx.fillRect(x, top_of(depth), Math.max(w, 0.5), ROW - 1);
		ctx.globalAlpha = 1;
	});
	if (D.chart && first <= 0 && last >= 0)
		draw_axis(paint);
}

// Draws once before the browser paints, however often this is called.
function redraw() {
	if (wanted)
		return;
	wanted = true;
	window.requestAnimationFrame(function () {
		wanted = false;
		draw();
	});
}

// --- what is drawn ----------------------------------------------------------------------------------------------

// How many rows have a frame or an area.
function count_rows() {
	var deepest = t.depth[zoom];

	function note(depth) {
		deepest = Math.max(deepest, depth);
	}
	each_drawn(Infinity, function (i) { note(t.depth[i]); }, note);
	return deepest + 1;
}

// After a change of the zoom, of the direction or of the size. What was seen from the root on remains in place.
function layout() {
	var below = height - tall - scroll;

	width = view.clientWidth;
	tall = view.clientHeight;
	height = Math.max(tall, count_rows() * ROW);
	space.style.height = height + 'px';
	if (!icicle)
		view.scrollTop = height - tall - below;
	scroll = view.scrollTop;
	redraw();
}

function on_scroll() {
	scroll = view.scrollTop;
	redraw();
}

// Draws the rows next to the root for paper, at once, because the browser prints what is on the canvas then.
function begin_print() {
	printing = true;
	width = PAPER_WIDTH;
	height = count_rows() * ROW;
	tall = Math.min(height, PAPER_TALL);
	scroll = icicle ? 0 : height - tall;
	space.style.height = 'auto';
	draw();
}

function end_print() {
	printing = false;
	layout();
}

// Shows a tree as the state of the page says. `found` is a mark for each name that matches the query, or null; `name` is that of
// the root.
function show(shown, state, found, name) {
	t = shown;
	zoom = state.zoom;
	icicle = state.icicle;
	colours = state.colours;
	root = name;
	matches = found;
	hits = matches && tree.count_before(t, matches);
	layout();
}

function select(i) {
	selected = i;
	redraw();
}

function listen() {
	view.addEventListener('scroll', on_scroll);
	dark.addEventListener('change', redraw);
	window.addEventListener('beforeprint', begin_print);
	window.addEventListener('afterprint', end_print);
	new ResizeObserver(function () {
		if (!printing)
			layout();
	}).observe(view);
}

return { listen: listen, show: show, select: select, scroll_to: scroll_to, frame_at: frame_at };
})();
