// SPDX-License-Identifier: GPL-2.0-only
// Draws a timeline (model.js) on the canvas of the page, which is as large as the visible part of all rows. D is the data of the page.
var scene = (function () {
'use strict';
var AXIS = 24, LANE_MIN = 3, LANE_MAX = 18, LANES_SHOWN = 4, COLLAPSED = 5, NAME_TALL = 13, PLOT = 30, TEXT_MIN = 30, PAD = 4;
var ARROWS_DRAWN = 3000, PAPER_WIDTH = 800, PAPER_TALL = 1000;
var view = document.getElementById('view'), space = document.getElementById('space'), canvas = document.getElementById('canvas');
var ctx = canvas.getContext('2d'), dark = window.matchMedia('(prefers-color-scheme: dark)');
var m, state = { from: 0, to: 1 }, is_row_shown, is_shown; // the model, what the page shows, functions of a row and a category
var selected = -1, matches = null; // the selected single; by single: whether the query finds it
var width = 0, tall = 0, scroll = 0, height = 0, gutter = 0; // in px
var places = [], of_row = [], pinned_tall = 0; // { row, y, tall, lane } of the rows that are shown; these by row
var widths = new Map(), printing = false, wanted = false;

function is_dark() {
	return dark.matches && !printing;
}

function paints() {
	return is_dark() ? { of: D.dark, ink: '#e6edf3', dim: '#9198a1', line: '#30363d', paper: '#0d1117', found: '#d2a8ff', loss: '#f8514955' } :
		{ of: D.light, ink: '#1f2328', dim: '#59636e', line: '#d1d9e0', paper: '#ffffff', found: '#6e40c9', loss: '#d1242f44' };
}

// --- places -----------------------------------------------------------------------------------------------------

function px_per_ns() {
	return (width - gutter) / Math.max(state.to - state.from, 1);
}

function x_of(time) {
	return gutter + (time - state.from) * px_per_ns();
}

function time_at(x) {
	return state.from + (x - gutter) / px_per_ns();
}

function lanes_of(row) {
	return state.collapsed.indexOf(row) >= 0 ? 0 : Math.min(m.lanes[row], LANES_SHOWN);
}

// Where a row begins on the canvas; rows that are pinned do not scroll.
function top_of(place) {
	return AXIS + place.y - (place.pinned ? 0 : scroll);
}

// Gives each row its place: the pinned ones first.
function arrange() {
	var shown = m.rows.map(function (name, row) { return row; }).filter(is_row_shown), lanes = 0, plots = 0, y = 0, lane;
	var pinned = state.pinned.filter(is_row_shown), others = shown.filter(function (row) { return pinned.indexOf(row) < 0; });

	shown.forEach(function (row) {
		lanes += lanes_of(row);
		plots += lanes_of(row) ? m.counters_of[row].length : 0;
	});
	lane = Math.max(LANE_MIN, Math.min(LANE_MAX, Math.floor((tall - AXIS - plots * PLOT - 2 * shown.length) / Math.max(lanes, 1))));
	of_row = [];
	places = pinned.concat(others).map(function (row, i) {
		var lanes = lanes_of(row), place = { row: row, y: y, lane: lanes ? lane : COLLAPSED, lanes: Math.max(lanes, 1), pinned: i < pinned.length };

		place.plots = lanes ? m.counters_of[row].length : 0;
		place.tall = Math.max(place.lane * place.lanes + place.plots * PLOT, lane >= NAME_TALL ? NAME_TALL : 0);
		y += place.tall + (place.tall > 8 ? 2 : 1);
		if (place.pinned)
			pinned_tall = y;
		of_row[row] = place;
		return place;
	});
	if (!pinned.length)
		pinned_tall = 0;
	height = AXIS + y;
}

// The place that is at a height of the canvas, or null.
function place_at(y) {
	var at = y - AXIS + (y - AXIS < pinned_tall ? 0 : scroll);
	var i = model.count_first(0, places.length, function (k) { return places[k].y <= at; }) - 1;

	return y >= AXIS && i >= 0 ? places[i] : null;
}

// The single of a row at a point, or -1: an instant within some px, or the shortest span.
function single_at(place, x, y) {
	var time = time_at(x), near = 4 / px_per_ns(), lane = Math.min(Math.floor((y - top_of(place)) / place.lane), place.lanes - 1);
	var best = -1, i;

	for (i = model.first_after(m, place.row, time - near); i < m.first[place.row + 1] && m.begin[i] <= time + near; i++) {
		if (m.begin[i] + m.dur[i] < time - near || !is_shown(place.row, m.category[i]))
			continue;
		if (!m.instant[i] && Math.min(m.lane[i], place.lanes - 1) !== lane)
			continue;
		if (best < 0 || m.dur[i] < m.dur[best] || Math.abs(m.begin[i] - time) < Math.abs(m.begin[best] - time) && m.dur[i] === m.dur[best])
			best = i;
	}
	return best;
}

// The cells of groups at a time, as { name, count, sum }.
function cells_at(groups, breadth, time, name) {
	return groups.map(function (g) {
		var k = model.count_first(0, g.n, function (k) { return g.begin[k] <= time; }) - 1;

		return k >= 0 && g.begin[k] + breadth > time ? { name: name(g), count: g.count[k], sum: g.sum[k] } : null;
	}).filter(Boolean);
}

// What is at a point of the canvas: { row, time, single, cells, plot }, or null.
function at(x, y) {
	var place = place_at(y), inside = place && y - top_of(place), plot;

	if (!place || inside > place.tall)
		return null;
	plot = Math.floor((inside - place.lane * place.lanes) / PLOT);
	if (x < gutter)
		return { row: place.row, time: state.from, single: -1, cells: [], plot: null };
	if (plot >= 0 && place.plots)
		return { row: place.row, time: time_at(x), single: -1, cells: [], plot: m.counters_of[place.row][Math.min(plot, place.plots - 1)] };
	return { row: place.row, time: time_at(x), single: single_at(place, x, y), plot: null,
		cells: cells_at(m.levels_of[place.row].filter(function (g) { return is_shown(place.row, g.category); }), m.levels.width, time_at(x),
			function (g) { return model.name_of(m, g.category); }) };
}

function is_in_gutter(x) {
	return x < gutter;
}

// Scrolls to a row.
function scroll_to(row) {
	var place = of_row[row], y = place && top_of(place);

	if (!place || place.pinned)
		return;
	if (y < AXIS + pinned_tall)
		view.scrollTop = scroll + y - AXIS - pinned_tall;
	else if (y + place.tall > tall)
		view.scrollTop = scroll + y + place.tall - tall;
	scroll = view.scrollTop;
	redraw();
}

// --- drawing ----------------------------------------------------------------------------------------------------

function text_width(text) {
	var w = widths.get(text);

	if (w === undefined)
		widths.set(text, w = ctx.measureText(text).width);
	return w;
}

// A text in at most `room` px, without its middle if it is longer.
function fit(text, room) {
	var left;

	if (text.length < 300 && text_width(text) <= room)
		return text;
	for (left = Math.min(text.length - 1, Math.floor(room / 4)); left >= 3; left--)
		if (ctx.measureText(words.elide(text, left)).width <= room)
			return words.elide(text, left);
	return '';
}

// Black or white, which is read better on a colour.
function ink_on(colour) {
	var v = [1, 3, 5].map(function (at) { return Math.pow(parseInt(colour.slice(at, at + 2), 16) / 255, 2.2); });

	return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] > 0.2 ? '#000' : '#fff';
}

// The levels of a row: for each column of px the share of the time that each category has.
function draw_levels(place, paint) {
	var columns = Math.ceil(width - gutter), base = new Float64Array(columns), scale = px_per_ns(), breadth = m.levels.width, y = top_of(place);
	var tall = place.lane * place.lanes;

	m.levels_of[place.row].forEach(function (g) {
		var sums, i, k, from, to, h;

		if (!is_shown(place.row, g.category))
			return;
		sums = new Float64Array(columns);
		i = model.count_first(0, g.n, function (k) { return g.begin[k] + breadth <= state.from; });
		for (; i < g.n && g.begin[i] < state.to; i++) {
			from = (g.begin[i] - state.from) * scale;
			to = from + breadth * scale;
			for (k = Math.max(0, Math.floor(from)); k < Math.min(columns, to); k++)
				sums[k] += Math.max(g.sum[i] / breadth, 0.08) * (Math.min(k + 1, to) - Math.max(k, from));
		}
		ctx.fillStyle = paint.of[g.category];
		for (k = 0; k < columns; k++) {
			h = Math.min(1 - base[k], sums[k]);
			if (h <= 0)
				continue;
			h = Math.max(h, Math.min(1, 1 / tall));
			ctx.fillRect(gutter + k, y + tall * (1 - base[k] - h), 1, tall * h);
			base[k] += h;
		}
	});
}

function draw_span(i, place, x, w, paint) {
	var y = top_of(place) + Math.min(m.lane[i], place.lanes - 1) * place.lane, found = matches && matches[i], colour = paint.of[m.category[i]];
	var name;

	ctx.fillStyle = found ? paint.found : colour;
	ctx.fillRect(x, y, Math.max(w - (w > 3 ? 0.5 : 0), 0.7), place.lane - (place.lane > 6 ? 1 : 0));
	if (m.marked[i]) {
		ctx.fillStyle = paint.ink;
		ctx.fillRect(x, y, Math.max(w, 2), 2);
	}
	if (w < TEXT_MIN || place.lane < 11)
		return;
	ctx.fillStyle = found ? paint.paper : ink_on(colour);
	name = fit(model.name_of(m, m.category[i]), w - 2 * PAD);
	if (name)
		ctx.fillText(name, x + PAD, y + place.lane / 2 + 4);
}

// An instant is a triangle on the lower edge of its row; one that is marked has a line.
function draw_instant(i, place, x, paint) {
	var y = top_of(place) + place.lane * place.lanes, size = Math.min(5, place.lane / 2 + 1);

	ctx.fillStyle = matches && matches[i] ? paint.found : paint.of[m.category[i]];
	ctx.beginPath();
	ctx.moveTo(x, y - 2 * size);
	ctx.lineTo(x + size * 0.8, y);
	ctx.lineTo(x - size * 0.8, y);
	ctx.fill();
	if (m.marked[i]) {
		ctx.fillStyle = paint.ink;
		ctx.fillRect(x - 0.5, y - place.lane * place.lanes, 1.5, place.lane * place.lanes);
	}
}

// The singles of a row. Of those that are narrower than half a px, one is drawn in each place.
function draw_singles(place, paint) {
	var scale = px_per_ns(), last = [], instants = [], last_instant = -1, i, x, w, lane;

	for (i = model.first_after(m, place.row, state.from); i < m.first[place.row + 1] && m.begin[i] <= state.to; i++) {
		if (!is_shown(place.row, m.category[i]) || m.begin[i] + m.dur[i] < state.from)
			continue;
		x = Math.max(x_of(m.begin[i]), gutter - 2);
		if (m.instant[i]) {
			if (x - last_instant < 0.5 && !m.marked[i] && !(matches && matches[i]))
				continue;
			last_instant = x;
			instants.push(i);
			continue;
		}
		w = Math.min(x_of(m.begin[i] + m.dur[i]), width + 2) - x;
		lane = Math.min(m.lane[i], place.lanes - 1);
		if (w < 0.5 && x - last[lane] < 0.5 && !(matches && matches[i]))
			continue;
		last[lane] = x;
		ctx.globalAlpha = matches && !matches[i] ? 0.4 : 1;
		draw_span(i, place, x, w, paint);
		ctx.globalAlpha = 1;
	}
	instants.forEach(function (i) {
		ctx.globalAlpha = matches && !matches[i] ? 0.4 : 1;
		draw_instant(i, place, x_of(m.begin[i]), paint);
	});
	ctx.globalAlpha = 1;
}

// The counters of a row, each as an area of the means of its bins.
function draw_counters(place, paint) {
	var top = top_of(place) + place.lane * place.lanes;

	m.counters_of[place.row].forEach(function (g, at) {
		var y = top + (at + 1) * PLOT - 1, highest = 0, i, x, next, from, v;

		if (at >= place.plots)
			return;
		from = Math.max(0, model.count_first(0, g.n, function (k) { return g.begin[k] <= state.from; }) - 1);
		for (i = from; i < g.n && g.begin[i] <= state.to; i++)
			highest = Math.max(highest, g.sum[i] / g.count[i]);
		ctx.fillStyle = paint.found;
		ctx.globalAlpha = 0.55;
		for (i = from; i < g.n && g.begin[i] <= state.to; i++) {
			x = Math.max(x_of(g.begin[i]), gutter);
			next = i + 1 < g.n ? x_of(g.begin[i + 1]) : Math.min(width, x + 4);
			v = highest > 0 ? Math.max(0, g.sum[i] / g.count[i]) / highest * (PLOT - 4) : 0;
			if (next > gutter)
				ctx.fillRect(x, y - v, Math.max(next - x, 0.7), v);
		}
		ctx.globalAlpha = 1;
		ctx.fillStyle = paint.ink;
		ctx.fillText(fit(m.series[g.row][1] + ', up to ' + units.with_unit(highest, /^mem:/.test(m.series[g.row][1]) ? 'B' : ''), width - gutter - 2 * PAD),
			gutter + PAD, y - PLOT + 14);
	});
}

// Where an arrow begins or ends: the middle of the row.
function y_of(row) {
	var place = of_row[row];

	return place ? top_of(place) + place.lane * place.lanes / 2 : -1;
}

function draw_arrow(k, paint, strong) {
	var a = m.arrows, x = x_of(a.from[k]), y = y_of(a.from_row[k]), to_x = x_of(a.to[k]), to_y = y_of(a.to_row[k]);
	var angle = Math.atan2(to_y - y, to_x - x), size = strong ? 7 : 5;

	if (y < 0 || to_y < 0)
		return;
	ctx.strokeStyle = ctx.fillStyle = strong ? paint.found : paint.ink;
	ctx.lineWidth = strong ? 2 : 1;
	ctx.globalAlpha = strong ? 1 : 0.55;
	ctx.beginPath();
	ctx.moveTo(x, y);
	ctx.lineTo(to_x, to_y);
	ctx.stroke();
	ctx.beginPath();
	ctx.moveTo(to_x, to_y);
	ctx.lineTo(to_x - size * Math.cos(angle - 0.4), to_y - size * Math.sin(angle - 0.4));
	ctx.lineTo(to_x - size * Math.cos(angle + 0.4), to_y - size * Math.sin(angle + 0.4));
	ctx.fill();
	ctx.globalAlpha = 1;
}

// The arrows in view: all, or some of them if they are too many.
function draw_arrows(paint) {
	var a = m.arrows, in_view = [], every, k;

	for (k = 0; k < a.n; k++)
		if (Math.max(a.from[k], a.to[k]) >= state.from && Math.min(a.from[k], a.to[k]) <= state.to && of_row[a.from_row[k]] && of_row[a.to_row[k]])
			in_view.push(k);
	every = Math.ceil(in_view.length / ARROWS_DRAWN);
	in_view.forEach(function (k, n) {
		if (state.arrows && n % every === 0)
			draw_arrow(k, paint, false);
	});
	in_view.forEach(function (k) {
		if (selected >= 0 && a.single[k] === selected + 1)
			draw_arrow(k, paint, true);
	});
}

function draw_losses(paint) {
	m.lost.forEach(function (loss) {
		var x = Math.max(gutter, x_of(loss[0])), end = Math.min(width, x_of(loss[1]));

		if (end < gutter || x > width)
			return;
		ctx.fillStyle = paint.loss;
		ctx.fillRect(x, AXIS - 6, Math.max(end - x, 2), tall);
	});
}

function draw_markers(paint) {
	var a = state.a, b = state.b;

	if (a >= 0 && b >= 0) {
		ctx.fillStyle = paint.found;
		ctx.globalAlpha = 0.12;
		ctx.fillRect(Math.max(gutter, x_of(Math.min(a, b))), 0, Math.min(width, x_of(Math.max(a, b))) - Math.max(gutter, x_of(Math.min(a, b))), tall);
		ctx.globalAlpha = 1;
	}
	[[a, 'A'], [b, 'B']].forEach(function (marker) {
		var x = x_of(marker[0]);

		if (marker[0] < 0 || x < gutter || x > width)
			return;
		ctx.fillStyle = paint.found;
		ctx.fillRect(x - 0.5, 0, 1.5, tall);
		ctx.fillText(marker[1], Math.min(x + 3, width - 10), AXIS - 2);
	});
}

function draw_axis(paint) {
	var list = ticks.marks(state.from, state.to, Math.max(1, (width - gutter) / 100)), step = list.length > 1 ? list[1] - list[0] : state.to - state.from;

	ctx.fillStyle = paint.paper;
	ctx.fillRect(0, 0, width, AXIS - 1);
	list.forEach(function (time) {
		var x = x_of(time), text = view_of.exact(time, step);

		ctx.fillStyle = paint.line;
		ctx.fillRect(x, AXIS - 6, 1, 5);
		ctx.fillStyle = paint.dim;
		if (x + text_width(text) < width)
			ctx.fillText(text, x + 2, 12);
	});
	ctx.fillStyle = paint.line;
	ctx.fillRect(0, AXIS - 1, width, 1);
}

// The name of a row, unless the row is too low and another name is too near. Returns where names may follow.
function draw_name(place, free, paint) {
	var y = top_of(place), base = y + Math.min(place.tall / 2 + 4, 13);

	ctx.fillStyle = paint.line;
	if (place.tall >= 8)
		ctx.fillRect(0, y + place.tall, width, 1);
	if (base - 10 < free)
		return free;
	ctx.fillStyle = selected >= 0 && m.row[selected] === place.row ? paint.found : paint.ink;
	ctx.fillText(fit((place.pinned ? '\u2022 ' : '') + (lanes_of(place.row) ? '' : '\u25b8 ') + m.rows[place.row], gutter - 2 * PAD), PAD, base);
	return base + 2;
}

function draw_selected(paint) {
	var place = selected >= 0 && of_row[m.row[selected]], x, w;

	if (!place)
		return;
	x = Math.max(gutter, x_of(m.begin[selected]) - (m.instant[selected] ? 4 : 0));
	w = Math.min(width, x_of(m.begin[selected] + m.dur[selected]) + (m.instant[selected] ? 4 : 0)) - x;
	if (w < 0 || x > width)
		return;
	ctx.strokeStyle = paint.ink;
	ctx.lineWidth = 2;
	ctx.strokeRect(x, top_of(place) + (m.instant[selected] ? 0 : Math.min(m.lane[selected], place.lanes - 1) * place.lane), Math.max(w, 2), place.lane - 1);
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

function clip(x, y) {
	ctx.save();
	ctx.beginPath();
	ctx.rect(x, y, width - x, tall - y);
	ctx.clip();
}

function draw_rows(paint, pinned) {
	var first = pinned ? 0 : model.count_first(0, places.length, function (k) { return places[k].pinned || top_of(places[k]) + places[k].tall < AXIS + pinned_tall; });
	var free = 0, i;

	clip(0, pinned ? AXIS : AXIS + pinned_tall);
	for (i = first; i < places.length && top_of(places[i]) < tall && places[i].pinned === pinned; i++) {
		clip(gutter, 0);
		draw_levels(places[i], paint);
		draw_singles(places[i], paint);
		draw_counters(places[i], paint);
		ctx.restore();
		free = draw_name(places[i], free, paint);
	}
	ctx.restore();
}

function draw() {
	var paint = paints();

	erase();
	clip(gutter, AXIS);
	draw_losses(paint);
	ctx.restore();
	draw_rows(paint, false);
	if (pinned_tall) {
		ctx.fillStyle = paint.dim;
		ctx.fillRect(0, AXIS + pinned_tall - 1, width, 1);
		draw_rows(paint, true);
	}
	clip(gutter, AXIS);
	draw_arrows(paint);
	draw_selected(paint);
	ctx.restore();
	draw_axis(paint);
	draw_markers(paint);
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

function layout() {
	width = printing ? PAPER_WIDTH : view.clientWidth;
	tall = printing ? PAPER_TALL : view.clientHeight;
	gutter = Math.round(Math.min(180, Math.max(60, width * 0.2)));
	arrange();
	if (printing)
		tall = Math.min(height, PAPER_TALL);
	space.style.height = printing ? 'auto' : Math.max(tall, height) + 'px';
	scroll = printing ? 0 : view.scrollTop;
}

// Draws for paper at once, because the browser prints what is on the canvas then.
function begin_print() {
	printing = true;
	layout();
	draw();
}

function end_print() {
	printing = false;
	layout();
	redraw();
}

// Shows a part of the model. `shown` has functions: row(row), what(row, category).
function show(of, to_show, shown, found, chosen) {
	m = of;
	state = to_show;
	is_row_shown = shown.row;
	is_shown = shown.what;
	matches = found;
	selected = chosen;
	layout();
	redraw();
}

function listen() {
	view.addEventListener('scroll', function () {
		scroll = view.scrollTop;
		redraw();
	});
	dark.addEventListener('change', redraw);
	window.addEventListener('beforeprint', begin_print);
	window.addEventListener('afterprint', end_print);
	new ResizeObserver(function () {
		if (printing)
			return;
		layout();
		redraw();
	}).observe(view);
}

return { listen: listen, show: show, at: at, time_at: time_at, is_in_gutter: is_in_gutter, scroll_to: scroll_to };
})();
