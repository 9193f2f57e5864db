// SPDX-License-Identifier: GPL-2.0-only
// The time range that is marked in a picture which is a part of a page of mp-page: the picture sends it to the page, and the page
// sends to each picture what is marked elsewhere. Times are ns on the clock of the recording. Nothing here knows of the picture.
var link = (function () {
'use strict';

// Sends a range to another window; null: nothing is marked. A time may be a number, a BigInt or a text.
function send(to, range) {
	to.postMessage({ mp_range: range && range.map(String) }, '*');
}

// Tells the page what is marked in this picture.
function tell(range) {
	if (window.parent !== window)
		send(window.parent, range);
}

// The range that a message has, as two BigInts, or null; undefined: the message is malformed, or is about something else.
function range_of(message) {
	var range = Object(message).mp_range;

	if (range === null)
		return null;
	if (!Array.isArray(range) || range.length !== 2 || !range.every(function (time) { return /^[0-9]{1,20}$/.test(time); }))
		return undefined;
	range = range.map(BigInt);
	return range[0] < range[1] ? range : undefined;
}

// Calls mark(range, sender) for each range that another window sends.
function listen(mark) {
	window.addEventListener('message', function (e) {
		var range = range_of(e.data);

		if (range !== undefined)
			mark(range, e.source);
	});
}

// For a picture: calls mark(range) for what the page sends.
function follow(mark) {
	listen(function (range, sender) {
		if (sender === window.parent)
			mark(range);
	});
}

return { send: send, tell: tell, listen: listen, follow: follow, range_of: range_of };
})();
