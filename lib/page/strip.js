// SPDX-License-Identifier: GPL-2.0-only
// The strip over time: how much there is in each bin, below it how many events of each size, and a row for each task with how much it
// has. Draws on a canvas of the page.
var strip = (function () {
'use strict';
var AREA = 56, LANES = 100, GAP = 4, AXIS = 18, HANDLE = 3, ROW = 15; // px
var LABEL = 24; // characters
var box = document.getElementById('strip'), canvas = document.getElementById('time'), ctx = canvas.getContext('2d');
var dark = window.matchMedia('(prefers-color-scheme: dark)'), printing = false, width = 0, drag = null, shown = null, wanted = false;

function colours() {
	if (dark.matches && !printing)
		return { paper: '#0d1117', dim: '#9198a1', area: '#316dca', ink: '#e6edf3', size: [255, 166, 87], row: [88, 166, 255], marks: ['#ffa65733', '#58a6ff33'],
			edges: ['#ffa657', '#58a6ff'] };
	return { paper: '#fff', dim: '#59636e', area: '#7fa8d6', ink: '#1f2328', size: [150, 60, 0], row: [33, 90, 160], marks: ['#d1570033', '#2f6fb333'],
		edges: ['#b34700', '#2f6fb3'] };
}

// The buckets that occur, as lanes, the greatest numbers first.
function lanes() {
	var used = {};

	if (!shown.sizes)
		return [];
	shown.sizes.forEach(function (n, i) { if (n) used[i % D.buckets] = true; });
	return cells.in_order(D.buckets).filter(function (b) { return used[b]; }).reverse();
}

// The height of a lane.
function lane_height() {
	return Math.max(3, Math.min(8, Math.floor(LANES / shown.lanes.length)));
}

function x_of(bin) {
	return bin / D.bins * width;
}

// Where the rows begin.
function top_of_rows() {
	return AREA + AXIS + (shown.lanes.length ? GAP + shown.lanes.length * lane_height() : 0) + GAP;
}

function height() {
	return top_of_rows() - GAP + (shown.names.length ? GAP + shown.names.length * ROW : 0);
}

// Calls each(x, from, to) for each column of a px, or for each bin if these are wider.
function columns(each) {
	var n = Math.min(D.bins, Math.max(1, Math.floor(width))), k;

	for (k = 0; k < n; k++)
		each(k * width / n, Math.floor(k * D.bins / n), Math.max(Math.floor(k * D.bins / n) + 1, Math.floor((k + 1) * D.bins / n)), width / n);
}

// What has the whole height of the area: the tallest column, or, if a few are far taller than all others (as where the spans that the
// end of the recording cuts are added up), the tallest of these others twice.
function full_height(means) {
	var sorted = means.slice().sort(function (a, b) { return a - b; }), most = sorted[sorted.length - 1];
	var usual = sorted[Math.floor((sorted.length - 1) * 0.99)];

	return usual > 0 ? Math.min(most, 2 * usual) : most;
}

// A column that does not fit has a dark end.
function draw_area(paint) {
	var mean = [], most;

	columns(function (x, from, to) {
		var sum = 0, i;

		for (i = from; i < to; i++)
			sum += shown.height[i];
		mean.push(Math.max(0, sum / (to - from)));
	});
	most = full_height(mean);
	columns(function (x, from, to, w) {
		var v = mean.shift(), tall = most ? Math.min(v / most, 1) * (AREA - 2) : 0;

		if (!tall)
			return;
		ctx.fillStyle = paint.area;
		ctx.fillRect(x, AREA - Math.max(tall, 1), Math.max(w, 1), Math.max(tall, 1));
		if (v > most) {
			ctx.fillStyle = paint.ink;
			ctx.fillRect(x, AREA - tall, Math.max(w, 1), 4);
		}
	});
	ctx.fillStyle = paint.dim;
	ctx.fillRect(0, AREA, width, 1);
}

// Draws lines of cells, whose darkness is the logarithm of what at(line, bin) has on average. `colour` is that of the greatest one.
function draw_cells(n, at, top, tall, colour) {
	var most = 0, means = [], next = 0;

	columns(function (x, from, to) {
		var line, sum, i;

		for (line = 0; line < n; line++) {
			for (sum = 0, i = from; i < to; i++)
				sum += at(line, i);
			means.push(Math.max(0, sum / (to - from)));
			most = Math.max(most, sum / (to - from));
		}
	});
	columns(function (x, from, to, w) {
		var line, v;

		for (line = 0; line < n; line++) {
			v = means[next++];
			if (!v)
				continue;
			ctx.fillStyle = 'rgba(' + colour.join() + ',' + (0.25 + 0.75 * Math.log1p(v) / Math.log1p(most)).toFixed(2) + ')';
			ctx.fillRect(x, top + line * tall, Math.max(w, 1), tall - 1);
		}
	});
}

function draw_lanes(paint) {
	draw_cells(shown.lanes.length, function (lane, bin) { return shown.sizes[bin * D.buckets + shown.lanes[lane]]; },
		AREA + AXIS + GAP, lane_height(), paint.size);
}

// A name as a label of a row.
function shorten(name) {
	return name.length > LABEL ? words.elide(name, LABEL) : name;
}

function draw_rows(paint) {
	var top = top_of_rows();

	draw_cells(shown.names.length, function (row, bin) { return shown.rows[row * D.bins + bin]; }, top, ROW, paint.row);
	shown.names.forEach(function (name, row) {
		var text = (row === shown.chosen ? '\u25b8 ' : '') + shorten(words.readable(name)), y = top + row * ROW;

		ctx.globalAlpha = 0.82;
		ctx.fillStyle = paint.paper;
		ctx.fillRect(0, y, ctx.measureText(text).width + 8, ROW - 1);
		ctx.globalAlpha = 1;
		ctx.fillStyle = paint.ink;
		ctx.fillText(text, 3, y + ROW - 4);
	});
}

function draw_axis(paint) {
	var all = D.bins * Number(D.width);

	ctx.fillStyle = paint.dim;
	ticks.marks(0, all, Math.max(1, width / 90)).forEach(function (time) {
		var x = time / all * width;

		ctx.fillRect(x, AREA, 1, 5);
		if (x + 60 < width)
			ctx.fillText(units.with_unit(time, 'ns'), x + 3, AREA + 14);
	});
}

function draw_marks(paint) {
	shown.ranges.forEach(function (range, i) {
		var x, w;

		if (!range)
			return;
		x = x_of(range[0]);
		w = Math.max(x_of(range[1]) - x, 1);
		ctx.fillStyle = paint.marks[i];
		ctx.fillRect(x, 0, w, height());
		ctx.fillStyle = paint.edges[i];
		ctx.fillRect(x, 0, 1.5, height());
		ctx.fillRect(x + w - 1.5, 0, 1.5, height());
		if (!shown.ranges[1] || w < 14)
			return;
		ctx.fillRect(x, 0, 13, 15);
		ctx.fillStyle = paint.paper;
		ctx.fillText('AB'[i], x + 3, 12);
	});
}

function draw() {
	var ratio = printing ? 2 : window.devicePixelRatio || 1, paint = colours();

	wanted = false;
	if (!shown)
		return;
	width = printing ? 800 : box.clientWidth;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height() * ratio);
	canvas.style.width = printing ? '100%' : width + 'px';
	canvas.style.height = printing ? 'auto' : height() + 'px';
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.font = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
	draw_area(paint);
	draw_axis(paint);
	if (shown.lanes.length)
		draw_lanes(paint);
	draw_rows(paint);
	draw_marks(paint);
}

function redraw() {
	if (!wanted)
		window.requestAnimationFrame(draw);
	wanted = true;
}

// Shows what cells.over_time() found, with the names of the rows and which of them is chosen, and two ranges, of which each may be null.
function show(times, ranges, names, chosen) {
	if (!shown || shown.height !== times.height)
		shown = { height: times.height, sizes: times.sizes, rows: times.rows };
	shown.ranges = ranges;
	shown.names = names;
	shown.chosen = chosen;
	if (!shown.lanes)
		shown.lanes = lanes();
	redraw();
}

// --- pointer and keys -------------------------------------------------------------------------------------------

function bin_at(e) {
	var x = e.clientX - canvas.getBoundingClientRect().left;

	return Math.max(0, Math.min(D.bins, x / width * D.bins));
}

// The row at a place, or -1.
function row_at(e) {
	var row = Math.floor((e.clientY - canvas.getBoundingClientRect().top - top_of_rows()) / ROW);

	return row >= 0 && row < shown.names.length ? row : -1;
}

// The bins between two places, each of which it is in.
function snapped(a, b) {
	var from = Math.min(Math.floor(Math.min(a, b)), D.bins - 1);

	return [from, Math.max(from + 1, Math.min(D.bins, Math.ceil(Math.max(a, b))))];
}

// What an arrow key makes of a range: it moves, or with `wider` its end does, by a hundredth of the recording, or by one bin.
function moved(range, key, wider, single) {
	var step = (key === 'ArrowLeft' ? -1 : 1) * (single ? 1 : Math.max(1, Math.round(D.bins / 100))), from, long;

	if (!range)
		return [0, Math.max(1, Math.round(D.bins / 10))];
	if (wider)
		return [range[0], Math.max(range[0] + 1, Math.min(D.bins, range[1] + step))];
	long = range[1] - range[0];
	from = Math.max(0, Math.min(D.bins - long, range[0] + step));
	return [from, from + long];
}

// Calls mark(range, is_final) while the pointer marks a range; after a click pick(row), or mark(null, true) where there is no row.
function listen(mark, pick, hover) {
	canvas.addEventListener('pointerdown', function (e) {
		if (e.button)
			return;
		drag = { x: e.clientX, bin: bin_at(e), range: null };
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener('pointermove', function (e) {
		hover(e, Math.min(D.bins - 1, Math.floor(bin_at(e))), row_at(e));
		if (!drag || (!drag.range && Math.abs(e.clientX - drag.x) < HANDLE))
			return;
		drag.range = snapped(drag.bin, bin_at(e));
		mark(drag.range, false);
	});
	canvas.addEventListener('pointerup', function (e) {
		var row = row_at(e);

		if (drag && !drag.range && row >= 0)
			pick(row);
		else if (drag)
			mark(drag.range, true);
		drag = null;
	});
	canvas.addEventListener('pointercancel', function () { drag = null; });
	canvas.addEventListener('pointerleave', function (e) { hover(e, -1, -1); });
	dark.addEventListener('change', redraw);
	window.addEventListener('beforeprint', function () { printing = true; draw(); });
	window.addEventListener('afterprint', function () { printing = false; redraw(); });
	new ResizeObserver(function () { if (!printing) redraw(); }).observe(box);
}

return { show: show, moved: moved, snapped: snapped, listen: listen };
})();
