// SPDX-License-Identifier: GPL-2.0-only
// How pages write names and numbers, and which names a query finds. D is the data of the page.
var words = (function () {
'use strict';

// A text of `left` characters, with an ellipsis for its middle; no character is split.
function elide(text, left) {
	var head = Math.ceil(left * 0.6), tail = text.length - (left - head);

	if (/[\ud800-\udbff]/.test(text[head - 1]))
		head--;
	if (/[\udc00-\udfff]/.test(text[tail]))
		tail++;
	return text.slice(0, head) + '\u2026' + text.slice(tail);
}

// A name whose outermost template arguments are an ellipsis: a<b<c>>::d becomes a<...>::d; the name itself if its brackets
// do not match.
function without_arguments(name) {
	var depth = 0, text = '', i, c;

	for (i = 0; i < name.length; i++) {
		c = name[i];
		if (c === '<' && !name.endsWith('operator', i) && !name.endsWith('operator<', i))
			text += depth++ ? '' : '<\u2026>';
		else if (c === '>' && depth && name[i - 1] !== '-')
			depth--;
		else if (!depth)
			text += c;
	}
	return depth ? name : text;
}

// A name for people: a very long one without its middle.
function readable(name) {
	return name.length > 600 ? elide(name, 600) : name;
}

function weight(v) {
	return D.unit ? units.with_unit(v, D.unit) : String(v);
}

function percent(part, whole) {
	return (whole > 0 ? 100 * part / whole : 0).toFixed(2) + ' %';
}

// A function that says whether a name matches: /expression/, or a part of the name in any case. Throws a SyntaxError.
function matcher(query) {
	var expression = /^\/(.*)\/$/.exec(query), low = query.toLowerCase(), re;

	if (!expression)
		return function (name) { return name.toLowerCase().indexOf(low) >= 0; };
	re = new RegExp(expression[1]);
	return function (name) { return re.test(name); };
}

// The query that finds one name only.
function query_for(name) {
	return '/^' + name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') + '$/';
}

return { elide: elide, without_arguments: without_arguments, readable: readable, weight: weight, percent: percent,
	matcher: matcher, query_for: query_for };
})();
