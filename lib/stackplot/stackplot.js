// What the pointer, the legend and the keys say of a stacked area plot. D is its data: see lib/stackplot/stackdraw.c.
(function () {
'use strict';
var NS = 'http://www.w3.org/2000/svg', svg = document.documentElement;
var bin = -1, layer = -1; // pointed at

function all(query, f) {
	Array.prototype.forEach.call(svg.querySelectorAll(query), f);
}

function make(tag, attributes, parent) {
	var e = document.createElementNS(NS, tag), name;

	for (name in attributes)
		e.setAttribute(name, attributes[name]);
	return parent.appendChild(e);
}

function three_digits(v) {
	return v === 0 ? '0' : String(Number(v.toPrecision(v >= 100 ? Math.ceil(Math.log10(v + 1)) : 3)));
}

function scaled(v, by, units) {
	var i = 0;

	for (; v >= by && i < units.length - 1; i++)
		v /= by;
	return (three_digits(v) + ' ' + units[i]).trim();
}

function with_unit(v, unit) {
	var ns = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit];

	if (ns && v * ns >= 6e10)
		return v * ns >= 3.6e12 ? three_digits(v * ns / 3.6e12) + ' h' : three_digits(v * ns / 6e10) + ' min';
	if (ns)
		return scaled(v * ns, 1000, ['ns', 'us', 'ms', 's']);
	if (unit === 'B' || unit === 'KiB')
		return scaled(unit === 'B' ? v : 1024 * v, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']);
	if (v >= 1e5 && unit !== '%')
		return scaled(v, 1000, ['', 'k', 'M', 'G', 'T', 'P', 'E']) + (unit ? ' ' + unit : '');
	return three_digits(v) + (unit ? ' ' + unit : '');
}

// The scale of x: a unit for the whole, and as many decimals as tell two bins apart.
var span = D.bin * D.n;
var scale = !D.time ? [1, D.xunit] : span < 1e4 ? [1, 'ns'] : span < 1e7 ? [1e3, 'us'] :
	span < 1e10 ? [1e6, 'ms'] : [1e9, 's'];
var decimals = Math.max(0, Math.min(15, -Math.floor(Math.log10(D.bin / scale[0]) + 1e-9)));

function edge(k) {
	var v = (D.low + k * D.bin) / scale[0];

	return Math.abs(v) < 1e15 ? v.toFixed(decimals) : String(v);
}

var line = make('path', { 'class': 'axis', 'pointer-events': 'none', visibility: 'hidden', d: 'M0 ' + D.y + 'v' + D.h }, svg);
var tip = make('g', { id: 'tip', 'data-over': '', 'pointer-events': 'none', visibility: 'hidden' }, svg);
var box = make('rect', { 'class': 'box', rx: 4, height: 80 }, tip);
var rows = [0, 1, 2, 3].map(function (i) {
	return make('text', { x: 10, y: 19 + 17 * i, 'class': i > 1 ? 'dim' : '' }, tip);
});
var live = make('text', { 'aria-live': 'polite', 'data-over': '', 'pointer-events': 'none', opacity: 0, x: D.x, y: D.y }, svg);

rows[0].style.fontWeight = 600;
all('.a title', function (t) { // the browser would show it besides
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
	tip.setAttribute('visibility', 'hidden');
	line.setAttribute('visibility', 'hidden');
	live.textContent = '';
}

function show(k, i, x, y) {
	var v = D.values[i][k], width = 0;
	var total = D.values.reduce(function (sum, row) { return sum + row[k]; }, 0);
	var name = D.names[i].length > 60 ? D.names[i].slice(0, 59) + '\u2026' : D.names[i];

	bin = k;
	layer = i;
	emphasize(i);
	rows[0].textContent = name;
	rows[1].textContent = with_unit(v, D.unit) + '  (' + (total > 0 ? (100 * v / total).toFixed(1) : '0') + ' %)';
	rows[2].textContent = 'of ' + with_unit(total, D.unit);
	rows[3].textContent = (D.time ? '' : 'x ') + edge(k) + ' \u2013 ' + edge(k + 1) + ' ' + scale[1];
	live.textContent = rows.map(function (r) { return r.textContent; }).join(', ');
	rows.forEach(function (r) { width = Math.max(width, r.getComputedTextLength()); });
	box.setAttribute('width', width + 20);
	line.setAttribute('transform', 'translate(' + (D.x + (k + 0.5) * D.w / D.n) + ')');
	line.setAttribute('visibility', 'visible');
	x = x + width + 34 > D.W ? x - width - 34 : x + 14;
	y = Math.max(4, Math.min(y - 40, D.y + D.h - 76));
	tip.setAttribute('transform', 'translate(' + Math.max(4, x) + ',' + y + ')');
	tip.setAttribute('visibility', 'visible');
}

all('.a', function (area) {
	area.addEventListener('pointermove', function (e) {
		var p = svg.createSVGPoint(), k;

		p.x = e.clientX;
		p.y = e.clientY;
		p = p.matrixTransform(svg.getScreenCTM().inverse());
		k = Math.floor((p.x - D.x) / D.w * D.n);
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
