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

function report() {
	window.dispatchEvent(new Event('hashchange'));
}

// Puts a text into the URL, after which a hashchange comes. A step is one that undo, and the Back key of the browser, takes back. By
// way of the history, because a page that is a part of another one, in a sandbox, cannot navigate.
function keep(text, is_step) {
	if (text === (location.hash || '#'))
		return;
	if (is_step)
		window.history.pushState({ steps: steps() + 1 }, '', text);
	else
		window.history.replaceState({ steps: steps() }, '', text);
	window.setTimeout(report, 0);
}

function undo() {
	if (steps())
		window.history.back();
}

return { each: each, decode: decode, steps: steps, keep: keep, undo: undo };
})();
