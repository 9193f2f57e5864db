// SPDX-License-Identifier: GPL-2.0-only
// Draws a tree of stacks (tree.js) on the canvas of the page, which is as large as the part that is visible of a graph that
// scrolls. D is the data of the page.
var graph = (function () {
'use strict';
var ROW = 18, NARROW = 1, TEXT_MIN = 36, PAD = 4;
var PAPER_WIDTH = 800, PAPER_TALL = 960; // the page scales the canvas to the paper
var view = document.getElementById('view'), space = document.getElementById('space'), canvas = document.getElementById('canvas');
var ctx = canvas.getContext('2d'), dark = window.matchMedia('(prefers-color-scheme: dark)');
var t, zoom = 0, icicle = false, root = ''; // the tree, which node has the whole width, the name of the root
var selected = -1;
var matches = null; // by name: 1 if the query finds it; null: there is no query
var hits = null; // by node: how many nodes before it match
var width = 0, tall = 0, scroll = 0, height = 0; // of the canvas, what is above it, and of all rows, in px
var widths = new Map(); // of names in px
var printing = false, wanted = false;

function name_of(i) {
	return i ? D.names[t.name[i]] : root;
}

// --- places -----------------------------------------------------------------------------------------------------

function px_per_unit() {
	return width / t.total[zoom];
}

// Where a row begins on the canvas.
function top_of(depth) {
	return (icicle ? depth * ROW : height - (depth + 1) * ROW) - scroll;
}

// Calls frame(i, x, width) for each frame that is drawn, parents first, and area(depth, x, width, from, to) for narrow siblings
// side by side, which have the nodes between `from` and `to`. Frames beyond the depth `deepest` are skipped.
function each_drawn(deepest, frame, area) {
	var px = px_per_unit(), left = t.start[zoom], depth = -1, area_x = 0, area_end = 0, from = 0, to = 0, i, w, x;

	function finish_area() {
		if (depth >= 0)
			area(depth, area_x, area_end - area_x, from, to);
		depth = -1;
	}
	for (i = zoom; i < t.end[zoom];) {
		x = (t.start[i] - left) * px;
		w = t.total[i] * px;
		if (t.depth[i] > deepest) {
			i = t.end[i];
		} else if (w < NARROW) {
			if (t.depth[i] !== depth || x > area_end + 0.01) {
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

	while (t.depth[i] > depth)
		i = t.parent[i];
	while (i >= 0 && t.depth[i] < depth)
		i = tree.child_at(t, i, place);
	return i;
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

// The name of a frame in at most `room` px, without its middle if it is wider; '' if nothing useful remains.
function fit(i, room) {
	var text = name_of(i), w = widths.get(text), left, shorter;

	if (w === undefined) {
		w = ctx.measureText(text).width;
		widths.set(text, w);
	}
	if (w <= room)
		return text;
	for (left = Math.floor(text.length * room / w) - 1; left >= 3; left--) {
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
	var colours = is_dark() ? D.dark : D.light;

	return {
		frames: colours,
		grey: colours[colours.length - 1],
		ink: is_dark() ? '#e6edf3' : '#1f2328',
		found: is_dark() ? '#d2a8ff' : '#6e40c9',
		found_ink: is_dark() ? '#0d1117' : '#fff'
	};
}

function draw_frame(i, x, w, paint) {
	var y = top_of(t.depth[i]), found = matches && i && matches[t.name[i]];

	ctx.fillStyle = found ? paint.found : i ? paint.frames[D.looks[t.name[i]]] : paint.grey;
	ctx.globalAlpha = i < zoom || (matches && !found) ? 0.5 : 1;
	ctx.fillRect(x, y, Math.max(w - 0.5, 0.5), ROW - 1);
	ctx.globalAlpha = 1;
	if (i === selected) {
		ctx.strokeStyle = paint.ink;
		ctx.lineWidth = 2;
		ctx.strokeRect(x + 1, y + 1, Math.max(w - 2.5, 1), ROW - 3);
	}
	if (w < TEXT_MIN)
		return;
	ctx.fillStyle = found ? paint.found_ink : paint.ink;
	ctx.fillText(fit(i, w - 2 * PAD), x + PAD, y + 13);
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
	for (i = zoom; i !== 0;) {
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
		if (depth >= first && w >= 0.3)
			ctx.fillRect(x, top_of(depth), w, ROW - 1);
		ctx.globalAlpha = 1;
	});
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

// After a change of the zoom, of the direction or of the size.
function layout() {
	width = view.clientWidth;
	tall = view.clientHeight;
	height = Math.max(tall, count_rows() * ROW);
	space.style.height = height + 'px';
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

// Shows a tree with node `node` in the whole width. `in_names` is a mark for each name that matches a query, or null; `name` is
// that of the root.
function show(shown_tree, node, root_at_top, in_names, name) {
	t = shown_tree;
	zoom = node;
	icicle = root_at_top;
	root = name;
	matches = in_names;
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
