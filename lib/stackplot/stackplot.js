// SPDX-License-Identifier: GPL-2.0-only
// What a stacked area plot shows for the pointer, the legend and the keys. D is its data: see make_data() in
// lib/stackplot/stackdraw.c. lib/draw/units.js and draw.js precede this file.
(function () {
'use strict';
var svg = document.documentElement;
var bin = -1, layer = -1; // the current ones

function all(query, f) {
	Array.prototype.forEach.call(svg.querySelectorAll(query), f);
}

// The scale of x: a unit for the whole, and as many decimals as distinguish two bins.
var span = D.bin * D.n;
var scale = !D.time ? [1, D.xunit] : span < 1e4 ? [1, 'ns'] : span < 1e7 ? [1e3, 'us'] :
	span < 1e10 ? [1e6, 'ms'] : [1e9, 's'];
var decimals = Math.max(0, Math.min(15, -Math.floor(Math.log10(D.bin / scale[0]) + 1e-9)));

function edge(k) {
	var v = (D.low + k * D.bin) / scale[0];

	return Math.abs(v) < 1e15 ? v.toFixed(decimals) : String(v);
}

var line = mp.make('path', { 'class': 'axis', 'pointer-events': 'none', visibility: 'hidden', d: 'M0 ' + D.y + 'v' + D.h }, svg);
var tip = mp.tooltip(5, 17);
var live = mp.make('text', { 'aria-live': 'polite', 'data-over': '', 'pointer-events': 'none', opacity: 0, x: D.x, y: D.y }, svg);

tip.texts[0].style.fontWeight = 600;
tip.texts[2].setAttribute('class', 'dim');
tip.texts[3].setAttribute('class', 'dim');
all('.a title', function (t) { // the browser would show it beside the tooltip
	t.parentNode.removeChild(t);
});

function emphasize(i) {
	all('.a,.k', function (e) {
		e.style.opacity = i < 0 || +e.getAttribute('data-i') === i ? '' : '.35';
	});
}

function hide() {
	bin = layer = -1;
	emphasize(-1);
	tip.hide();
	mp.set_visible(line, false);
	live.textContent = '';
}

function show(k, i, x, y) {
	var v = D.values[i][k];
	var total = D.values.reduce(function (sum, row) { return sum + row[k]; }, 0);
	var name = D.names[i].length > 60 ? D.names[i].slice(0, 59) + '\u2026' : D.names[i];

	bin = k;
	layer = i;
	emphasize(i);
	var lines = [
		name,
		units.with_unit(v, D.unit) + '  (' + (total > 0 ? (100 * v / total).toFixed(1) : '0') + ' %)',
		'of ' + units.with_unit(total, D.unit),
		(D.time ? '' : 'x ') + edge(k) + ' \u2013 ' + edge(k + 1) + ' ' + scale[1]
	];

	if (D.lost[k])
		lines.push('lost here or nearby: ' + D.lost[k]);
	live.textContent = lines.join(', ');
	line.setAttribute('transform', 'translate(' + (D.x + (k + 0.5) * D.w / D.n) + ')');
	mp.set_visible(line, true);
	tip.show(lines, x - 2, x + 2, Math.max(4, Math.min(y - 40, D.y + D.h - 93)));
}

all('.a', function (area) {
	area.addEventListener('pointermove', function (e) {
		var p = mp.place_of(e), k = Math.floor((p.x - D.x) / D.w * D.n);

		show(Math.max(0, Math.min(D.n - 1, k)), +area.getAttribute('data-i'), p.x, p.y);
	});
	area.addEventListener('pointerleave', hide);
});
all('.k', function (key) {
	key.addEventListener('pointerenter', function () { emphasize(+key.getAttribute('data-i')); });
	key.addEventListener('pointerleave', hide);
});

function on_key(e) {
	var k = Math.max(bin, 0), i = Math.max(layer, 0), began = bin >= 0;

	if (e.key === 'Escape')
		return hide();
	if (e.key === 'ArrowRight')
		k = began ? Math.min(D.n - 1, k + 1) : 0;
	else if (e.key === 'ArrowLeft')
		k = Math.max(0, k - 1);
	else if (e.key === 'ArrowUp')
		i = Math.min(D.names.length - 1, i + 1);
	else if (e.key === 'ArrowDown')
		i = Math.max(0, i - 1);
	else
		return;
	e.preventDefault();
	show(k, i, D.x + (k + 0.5) * D.w / D.n, D.y + D.h / 2);
}

if (D.n && D.names.length) {
	svg.getElementById('areas').setAttribute('tabindex', '0');
	svg.addEventListener('keydown', on_key);
}
})();
