// SPDX-License-Identifier: GPL-2.0-only
// What the scripts of SVG pictures share: the tooltip, the place of the pointer. The build puts this
// file before the script of each picture. Text is set as text, never as markup.
var mp = (function () {
'use strict';
var svg = document.documentElement;

// As a document of its own, the picture is scaled to a narrow window down to 60 %, where its text has 7 px; a window
// that is still narrower scrolls.
svg.style.minWidth = Math.floor(0.6 * svg.viewBox.baseVal.width) + 'px';

function make(tag, attributes, parent) {
	var e = document.createElementNS(svg.namespaceURI, tag), name;

	for (name in attributes)
		e.setAttribute(name, attributes[name]);
	return parent.appendChild(e);
}

function set_visible(e, visible) {
	e.setAttribute('visibility', visible ? 'visible' : 'hidden');
}

// Where an event of the pointer is in the picture.
function place_of(e) {
	var p = svg.createSVGPoint();

	p.x = e.clientX;
	p.y = e.clientY;
	return p.matrixTransform(svg.getScreenCTM().inverse());
}

// Breaks lines that are wider than the picture, such as long names.
function wrap(lines) {
	var room = Math.max(40, Math.floor((svg.viewBox.baseVal.width - 60) / 8)), all = [];

	lines.forEach(function (line) {
		for (; line.length > room; line = line.slice(room))
			all.push(line.slice(0, room));
		all.push(line);
	});
	return all;
}

// A tooltip of `n` lines, or more where they are long, `height` px each. show() puts it to the right of `right`, or if
// there is no room to the left of `left`.
function tooltip(n, height) {
	var group = make('g', { 'data-over': '', 'aria-hidden': 'true', 'pointer-events': 'none', visibility: 'hidden' }, svg);
	var box = make('rect', { 'class': 'box', rx: 4 }, group), texts = [], i;

	for (i = 0; i < n; i++)
		texts.push(make('text', { x: 10, y: 19 + height * i }, group));
	return {
		texts: texts,
		hide: function () { set_visible(group, false); },
		show: function (lines, left, right, top) {
			var width = 0;

			lines = wrap(lines);
			while (texts.length < lines.length)
				texts.push(make('text', { x: 10, y: 19 + height * texts.length }, group));
			set_visible(group, true);
			texts.forEach(function (text, i) {
				text.textContent = lines[i] || '';
				width = Math.max(width, text.getComputedTextLength());
			});
			width += 20;
			box.setAttribute('width', width);
			box.setAttribute('height', lines.length * height + 12);
			left = right + 12 + width > svg.viewBox.baseVal.width ? Math.max(4, left - width - 12) : right + 12;
			group.setAttribute('transform', 'translate(' + left + ' ' + top + ')');
		}
	};
}

// Sets a line of text, without its middle if it is wider than the picture; a tooltip has the whole.
function say(element, text) {
	var room = svg.viewBox.baseVal.width - Number(element.getAttribute('x')) - 8, keep = text.length;

	element.textContent = text;
	while (keep > 20 && element.getComputedTextLength() > room) {
		keep = Math.floor(keep * 0.9);
		element.textContent = text.slice(0, Math.ceil(keep / 2)) + '\u2026' + text.slice(-Math.floor(keep / 2));
	}
}

return { make: make, set_visible: set_visible, place_of: place_of, tooltip: tooltip, say: say };
})();
