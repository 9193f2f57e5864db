// SPDX-License-Identifier: GPL-2.0-only
// The fragment of the URL of a page, "#key=value&key", which keeps what the page shows, so that a bookmark brings it back, and the
// Back key of the browser takes a step back.
var fragment = (function () {
'use strict';

// Calls part(key, value) for each part of a fragment; the value is '' where there is none.
function each(text, part) {
	text.replace(/^#/, '').split('&').forEach(function (pair) {
		var at = pair.indexOf('=');

		part(at < 0 ? pair : pair.slice(0, at), at < 0 ? '' : pair.slice(at + 1));
	});
}

// A text of a fragment; '' if it is malformed.
function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch (e) {
		return '';
	}
}

// How many steps undo can go back.
function steps() {
	return (window.history.state || { steps: 0 }).steps;
}

// Puts a text into the URL. A step is one that undo, and the Back key of the browser, takes back.
function keep(text, is_step) {
	var n = steps() + (is_step ? 1 : 0);

	if (text === (location.hash || '#'))
		return;
	if (is_step)
		location.hash = text;
	else
		location.replace(text);
	window.history.replaceState({ steps: n }, '');
}

function undo() {
	if (steps())
		window.history.back();
}

return { each: each, decode: decode, steps: steps, keep: keep, undo: undo };
})();
