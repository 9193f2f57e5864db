// SPDX-License-Identifier: GPL-2.0-only
// The command that selects what the user has marked in a picture: lines of text, which the picture makes room for, and a
// button that copies them. The build puts this file after draw.js.
var command = (function () {
'use strict';
var svg = document.documentElement;
var LINE = 16;

function quote(text) {
	return "'" + text.replace(/'/g, "'\\''") + "'";
}

// A file as an argument: quoted only if necessary, and never an option.
function file(name) {
	name = /^-/.test(name) ? './' + name : name;
	return /^[\w.\/:@%+=,-]+$/.test(name) ? name : quote(name);
}

// Copies text to the clipboard: a promise, rejected if the browser refuses.
function copy(text, element) {
	return Promise.resolve().then(function () {
		return navigator.clipboard.writeText(text);
	}).catch(function () { // not allowed: what is marked in the document can be copied
		getSelection().selectAllChildren(element);
		if (!document.execCommand('copy'))
			throw new Error('refused');
	});
}

function button(parent, x, y, act) {
	var group = mp.make('g', { role: 'button', tabindex: 0, visibility: 'hidden', style: 'cursor:pointer' }, parent);

	mp.make('rect', { 'class': 'box', x: x, y: y - 13, width: 46, height: 18, rx: 4 }, group);
	var label = mp.make('text', { x: x + 23, y: y, 'text-anchor': 'middle', style: 'font-size:11px' }, group);

	group.addEventListener('click', act);
	group.addEventListener('keydown', function (e) {
		if (e.key !== 'Enter' && e.key !== ' ')
			return;
		e.preventDefault();
		act();
	});
	return {
		show: function (word) {
			label.textContent = word;
			group.setAttribute('aria-label', word ? word + ' the command' : '');
			mp.set_visible(group, !!word);
		}
	};
}

// `element` is the text of the command, `right` the place in px where its lines end. write('') removes it.
function make(element, right) {
	var x = Number(element.getAttribute('x')), y = Number(element.getAttribute('y')), whole = '';
	var tall = svg.viewBox.baseVal.height, wide = svg.viewBox.baseVal.width;
	var room = Math.floor((right - x) / 7.3);
	var press = button(svg, x - 52, y, function () {
		copy(whole, element).then(function () {
			press.show('copied');
		}, function () {
			press.show('refused');
		});
	});

	function write(text) {
		var n = 0, cut, line, height;

		whole = text;
		element.textContent = '';
		press.show(text ? 'copy' : '');
		while (text) {
			cut = text.length <= room ? text.length : text.lastIndexOf(' ', room - 1) + 1 || room;
			line = mp.make('tspan', { x: x }, element);
			if (n++)
				line.setAttribute('dy', LINE);
			line.textContent = text.slice(0, cut);
			text = text.slice(cut);
		}
		height = Math.max(tall, y + LINE * n);
		svg.setAttribute('height', height);
		svg.setAttribute('viewBox', '0 0 ' + wide + ' ' + height);
	}
	return { write: write };
}

// Joins what precedes the files, and the files.
function line(parts, files) {
	return parts.concat((files || []).map(file)).join(' ');
}

return { make: make, quote: quote, line: line };
})();
