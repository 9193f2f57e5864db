// SPDX-License-Identifier: GPL-2.0-only
// Reads data that lib/draw/packed.c has put into a page.
var packed = (function () {
'use strict';

function is_supported() {
	return typeof DecompressionStream === 'function';
}

function from_base64(text) {
	var letters = atob(text), bytes = new Uint8Array(letters.length), i;

	for (i = 0; i < bytes.length; i++)
		bytes[i] = letters.charCodeAt(i);
	return bytes;
}

// A promise of the bytes, as a Uint8Array, which is rejected if the text is damaged.
function read(text) {
	return Promise.resolve(text).then(from_base64).then(function (bytes) {
		return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
	}).then(function (buffer) {
		return new Uint8Array(buffer);
	});
}

// Calls begin() with the parts of the data of a page, of the given sizes, or fail() with a sentence that says why not.
function open(text, sizes, begin, fail) {
	if (!is_supported())
		return fail('The data of this page is compressed, and this browser is too old to read it: it has no DecompressionStream.');
	read(text).then(function (bytes) {
		var at = 0;

		begin(sizes.map(function (size) {
			at += size;
			return bytes.subarray(at - size, at);
		}));
	}, function () {
		fail('The data of this page is damaged.');
	});
}

return { open: open, read: read };
})();
