// SPDX-License-Identifier: GPL-2.0-only
// Pictures and texts of other programs, below what the page draws itself. A picture is a document of its own, in a frame that can
// run its scripts and nothing else: it shares no origin with the page, and exchanges time ranges with it. The page may itself be such
// a picture in another page. D is the data of the page.
var added = (function () {
'use strict';
var SPARE = 60; // px for the command of a range, which makes an SVG taller
var frames = [], columns = [], marked = null, source = null; // the range that is marked on the page; the window that it came from

function element(id) {
	return document.getElementById(id);
}

// Gives a frame the size of an SVG.
function fit(frame, text) {
	var size = /viewBox="0 0 ([0-9.]+) ([0-9.]+)"/.exec(text.slice(0, 1000));

	if (!size)
		return;
	frame.style.maxWidth = size[1] + 'px';
	frame.style.height = 'auto';
	frame.style.aspectRatio = size[1] + ' / ' + (+size[2] + SPARE);
}

// The column of a part that is beside another one, from 0; -1: it is alone in its row.
function column_of(i) {
	if (D.added[i].beside)
		return column_of(i - 1) + 1;
	return D.added[i + 1] && D.added[i + 1].beside ? 0 : -1;
}

function add_frame(parent, part, bytes, column) {
	var frame = document.createElement('iframe');

	frame.title = part.title;
	frame.setAttribute('sandbox', 'allow-scripts');
	frame.setAttribute('allow', 'clipboard-write');
	if (part.type === 'image/svg+xml')
		fit(frame, new TextDecoder().decode(bytes.subarray(0, 1000)));
	frame.addEventListener('load', function () {
		if (marked)
			link.send(frame.contentWindow, marked);
	});
	frame.src = URL.createObjectURL(new Blob([bytes], { type: part.type }));
	parent.append(frame);
	frames.push(frame);
	columns.push(column);
}

function add_text(parent, part, bytes) {
	var text = document.createElement('pre');

	text.textContent = new TextDecoder().decode(bytes);
	text.tabIndex = 0;
	text.setAttribute('role', 'region');
	text.setAttribute('aria-label', part.title);
	parent.append(text);
}

// Unpacks a part, and then those that follow it.
function open(i, fail) {
	var part = D.added[i], section;

	if (!part)
		return;
	section = element('section-' + i);
	packed.open(element('added-' + i).textContent, [part.size], function (parts) {
		(part.type ? add_frame : add_text)(section, part, parts[0], column_of(i));
		open(i + 1, fail);
	}, fail);
}

// Makes a place and a button for each part.
function begin(fail) {
	var row;

	element('parts').hidden = element('contents').hidden = !D.added.length;
	document.body.className = D.added.length ? 'parts' : '';
	D.added.forEach(function (part, i) {
		var section = document.createElement('section'), title = document.createElement('h2'), button = document.createElement('button');

		if (!part.beside) {
			row = document.createElement('div');
			row.className = 'row';
			element('parts').append(row);
		}
		section.id = 'section-' + i;
		title.textContent = button.textContent = part.title;
		button.type = 'button';
		button.addEventListener('click', function () { section.scrollIntoView(); });
		section.append(title);
		row.append(section);
		element('contents').append(button);
	});
	open(0, fail);
}

// Marks a range in all pictures: two times as BigInts, or null. The one where the reader has marked it keeps what it shows.
function mark(range) {
	if (String(marked) === String(range))
		return;
	marked = range;
	frames.forEach(function (frame) {
		if (frame.contentWindow !== source)
			link.send(frame.contentWindow, range);
	});
	if (window.parent !== source)
		link.tell(range);
	source = null;
}

// The frame that is this window, or -1.
function frame_of(sender) {
	return frames.findIndex(function (frame) { return frame.contentWindow === sender; });
}

// Calls call(range) for what the reader marks in one of the pictures, or elsewhere on the page that this one is a part of.
function listen(call) {
	link.listen(function (range, sender) {
		if (frame_of(sender) < 0 && (sender !== window.parent || sender === window))
			return;
		source = sender;
		call(range);
	});
}

// For a page of several recordings: what the reader marks in a picture is marked in the others of its column, which are of the same
// recording.
function relay() {
	link.listen(function (range, sender) {
		var from = frame_of(sender);

		frames.forEach(function (frame, i) {
			if (from >= 0 && i !== from && columns[from] >= 0 && columns[i] === columns[from])
				link.send(frame.contentWindow, range);
		});
	});
}

return { begin: begin, mark: mark, listen: listen, relay: relay };
})();
