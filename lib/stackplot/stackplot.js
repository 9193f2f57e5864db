// SPDX-License-Identifier: GPL-2.0-only
// What a stacked area plot shows for the pointer, the legend and the keys, and the mp-select command for a range of bins
// that the user drags over (or selects with shift and arrow keys). D is its data: see make_data() in
// lib/stackplot/stackdraw.c. lib/draw/units.js, draw.js, command.js and link.js precede this file.
(function () {
'use strict';
var svg = document.documentElement;
var get = function (id) { return svg.getElementById('mp-' + id); };
var hit = get('hit'), read = get('read');
var bin = -1, layer = -1, from = -1, dragging = false; // the current ones; `from`: where a selection began

if (!hit || !D.n || !D.names.length)
	return;

var totals = D.values[0].map(function (v, k) {
	return D.values.reduce(function (sum, row) { return sum + row[k]; }, 0);
});

// The scale of x: a unit for the whole, and as many decimals as distinguish two bins.
var span = D.bin * D.n;
var scale = !D.time ? [1, D.xunit] : span < 1e4 ? [1, 'ns'] : span < 1e7 ? [1e3, 'us'] :
	span < 1e10 ? [1e6, 'ms'] : [1e9, 's'];
var decimals = Math.max(0, Math.min(15, -Math.floor(Math.log10(D.bin / scale[0]) + 1e-9)));

function edge(k) {
	var v = (D.low + k * D.bin) / scale[0];

	return Math.abs(v) < 1e15 ? v.toFixed(decimals) : String(v);
}

// Where the bins `first` to `last` are.
function range_text(first, last) {
	return (D.time ? '' : 'x ') + edge(first) + ' \u2013 ' + edge(last + 1) + ' ' + scale[1];
}

function amount(v) {
	return D.rate ? units.with_unit(v / D.bin, D.rate) : units.with_unit(v, D.unit);
}

function x_of(k) {
	return D.x + k * D.w / D.n;
}

function height_of(k, i) {
	return D.percent ? (totals[k] > 0 ? 100 * D.values[i][k] / totals[k] : 0) : D.values[i][k];
}

// Where the upper edge of a layer is; of layer -1: the axis.
function y_of(k, i) {
	var sum = 0;

	for (; i >= 0; i--)
		sum += height_of(k, i);
	return D.y + D.h * (1 - sum / D.top);
}

// The layer at a place, or -1 above them all.
function layer_at(k, y) {
	var depth = (D.y + D.h - y) / D.h * D.top, i;

	for (i = 0; i < D.names.length; i++) {
		depth -= height_of(k, i);
		if (depth < 0)
			return i;
	}
	return -1;
}

var range = mp.make('rect', { 'class': 'range', 'pointer-events': 'none', visibility: 'hidden', y: D.y, height: D.h }, svg);
var outline = mp.make('path', { 'class': 'outline', 'pointer-events': 'none', visibility: 'hidden' }, svg);
var line = mp.make('path', { 'class': 'axis', 'pointer-events': 'none', visibility: 'hidden', d: 'M0 ' + D.y + 'v' + D.h }, svg);
var tip = mp.tooltip(5, 17);
var text = command.make(get('cmd'), D.x + D.w);

tip.texts[0].style.fontWeight = 600;
tip.texts[2].setAttribute('class', 'dim');
tip.texts[3].setAttribute('class', 'dim');
Array.prototype.forEach.call(svg.querySelectorAll('.a title'), function (t) { // the browser would show it beside the tooltip
	t.parentNode.removeChild(t);
});

// Draws a line around a layer; the others keep their colours.
function emphasize(i) {
	var d = '', k;

	if (i >= 0) {
		for (k = 0; k < D.n; k++)
			d += (k ? 'V' : 'M' + x_of(0) + ' ') + y_of(k, i).toFixed(1) + 'H' + x_of(k + 1).toFixed(1);
		for (k = D.n - 1; k >= 0; k--)
			d += 'V' + y_of(k, i - 1).toFixed(1) + 'H' + x_of(k).toFixed(1);
		outline.setAttribute('d', d + 'Z');
	}
	mp.set_visible(outline, i >= 0);
}

function hide() {
	bin = layer = -1;
	emphasize(-1);
	tip.hide();
	mp.set_visible(line, false);
}

function show(k, i, x, y) {
	var v = i < 0 ? totals[k] : D.values[i][k], name = i < 0 ? 'all' : D.names[i];
	var lines = [
		name,
		amount(v) + '  (' + (totals[k] > 0 ? (100 * v / totals[k]).toFixed(1) : '0') + ' %)',
		'of ' + amount(totals[k]),
		range_text(k, k)
	];

	bin = k;
	layer = i;
	emphasize(i);
	if (D.lost[k])
		lines.push('lost here or nearby: ' + D.lost[k]);
	mp.say(read, lines.join(', '));
	line.setAttribute('transform', 'translate(' + x_of(k + 0.5) + ')');
	mp.set_visible(line, true);
	tip.show(lines, x - 2, x + 2, Math.max(4, Math.min(y - 40, D.y + D.h - 93)));
}

// --- a range of bins, and the command that selects it

function number(k) {
	return D.first === undefined ? String(Number((D.low + k * D.bin).toPrecision(15))).replace(/e\+/, 'e')
		: String(BigInt(D.first) + BigInt(k) * BigInt(D.bin));
}

// The times of what is selected, or null.
function times() {
	return D.field === 'time' && from >= 0 ? [number(Math.min(from, bin)).replace(/^-.*/, '0'), number(Math.max(from, bin) + 1)] : null;
}

function show_range(first, last) {
	range.setAttribute('x', x_of(first));
	range.setAttribute('width', x_of(last + 1) - x_of(first));
	mp.set_visible(range, true);
}

function select() {
	var first = Math.min(from, bin), last = Math.max(from, bin), parts = ['mp-select'], sum = 0, k;

	if (times())
		parts.push('--from @' + times()[0], '--to @' + times()[1]);
	if (D.spread)
		parts.push('--overlap');
	if (D.events)
		parts.push('-e ' + command.quote(D.events));
	if (D.field !== 'time')
		parts.push('-f ' + command.quote(D.field + '>=' + number(first) + ' && ' + D.field + '<' + number(last + 1)));
	show_range(first, last);
	text.write(command.line(parts, D.files));
	for (k = first; k <= last; k++)
		sum += totals[k];
	read.textContent = 'selected: ' + range_text(first, last) + ', ' +
		(D.mean || D.rate ? 'on average ' + amount(sum / (last - first + 1)) : amount(sum)) + '; the command below selects it';
}

function clear() {
	from = -1;
	mp.set_visible(range, false);
	text.write('');
}

// Tells a page that this picture is a part of; a plot of other numbers than times has nothing to tell.
function tell() {
	if (D.field === 'time')
		link.tell(times());
}

// Marks what the page has marked.
function mark(wanted) {
	var first, last;

	clear();
	if (!wanted || D.field !== 'time' || D.first === undefined)
		return;
	first = Math.max(0, Math.floor(Number(wanted[0] - BigInt(D.first)) / D.bin));
	last = Math.min(D.n - 1, Math.ceil(Number(wanted[1] - BigInt(D.first)) / D.bin) - 1);
	if (first <= last)
		show_range(first, last);
}

// --- pointer and keys

function bin_at(p) {
	return Math.max(0, Math.min(D.n - 1, Math.floor((p.x - D.x) / D.w * D.n)));
}

hit.addEventListener('pointermove', function (e) {
	var p = mp.place_of(e), k = bin_at(p), moved = k !== bin;

	show(k, layer_at(k, p.y), p.x, p.y);
	if (dragging && moved)
		select();
});
hit.addEventListener('pointerdown', function (e) {
	clear();
	from = bin = bin_at(mp.place_of(e));
	dragging = true;
	try { hit.setPointerCapture(e.pointerId); } catch (err) { /* a pointer that a test made */ }
	e.preventDefault();
	hit.focus();
});
hit.addEventListener('pointerup', function (e) {
	if (!dragging)
		return;
	dragging = false;
	bin = bin_at(mp.place_of(e));
	select();
	tell();
	tip.hide();
});
hit.addEventListener('pointerleave', function () {
	if (!dragging)
		hide();
});
hit.addEventListener('blur', hide);

Array.prototype.forEach.call(svg.querySelectorAll('.k'), function (key) {
	key.addEventListener('pointerenter', function () { emphasize(+key.getAttribute('data-i')); });
	key.addEventListener('pointerleave', function () { emphasize(-1); });
});

hit.addEventListener('keydown', function (e) {
	var began = bin >= 0, k = Math.max(bin, 0), i = Math.max(layer, 0), old = k;

	if (e.key === 'Escape') {
		clear();
		tell();
		hide();
		read.textContent = '';
		return;
	}
	if (e.key === 'ArrowRight')
		k = began ? Math.min(D.n - 1, k + 1) : 0;
	else if (e.key === 'ArrowLeft')
		k = Math.max(0, k - 1);
	else if (e.key === 'Home')
		k = 0;
	else if (e.key === 'End')
		k = D.n - 1;
	else if (e.key === 'ArrowUp')
		i = Math.min(D.names.length - 1, i + 1);
	else if (e.key === 'ArrowDown')
		i = Math.max(0, i - 1);
	else
		return;
	e.preventDefault();
	if (!e.shiftKey)
		clear();
	else if (from < 0)
		from = old;
	show(k, i, x_of(k + 0.5), D.y + D.h / 2);
	if (e.shiftKey) {
		select();
		tell();
	}
});
link.follow(mark);
})();
