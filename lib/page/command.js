// SPDX-License-Identifier: GPL-2.0-only
// The commands whose results a page shows. D is the data of the page.
var command = (function () {
'use strict';
// By kind of frame, what the text of a stack has after its name.
var MARKS = ['', '_\\[k]', '_\\[j]', '_\\[i]'];

// A word for the shell.
function quoted(word) {
	return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

// A glob that matches one name. A quote, which an expression cannot have, becomes "?", and a byte that is no character, which the
// page has as the text "\x1b", becomes "*".
function glob(name) {
	return name.split(/\\x[0-9a-f]{2}|\ufffd/i).map(function (part) {
		return part.replace(/[\\*?[]/g, '\\$&').replace(/["\u0000-\u001f\u007f]/g, '?');
	}).join('*');
}

function text_of(name) {
	return name === '(empty)' ? '' : name;
}

// The expression for the value of a field of a task.
function expression_of_field(field, value) {
	if (value === '[no ' + field + ']')
		return '!(' + field + '~"*")';
	if (/["\\\u0000-\u001f\u007f\ufffd]/.test(value))
		return field + '~"' + glob(text_of(value)) + '"';
	return field + '=="' + text_of(value) + '"';
}

function expression_of_stack(frames) {
	var text;

	if (frames.length === 1 && frames[0].name === '[no stack]')
		return '!(stack~"*")';
	text = frames.map(function (frame) { return glob(text_of(frame.name)) + MARKS[frame.kind]; }).join(';');
	return 'stack~"' + text + '" || stack~"' + text + ';*"';
}

function time_of(bin) {
	return '@' + (BigInt(D.first) + BigInt(bin)) * BigInt(D.width);
}

// The options of mp-select for bins (null: all) and for a path of frames { name, kind }, which begins with the fields of a task.
function selection(range, path) {
	var words = [], stack = path.slice(D.by.length);

	if (range)
		words.push('--from', time_of(range[0]), '--to', time_of(range[1]));
	if (D.types)
		words.push('-e', D.types);
	path.slice(0, D.by.length).forEach(function (frame, i) { words.push('-f', expression_of_field(D.by[i], frame.name)); });
	if (stack.length)
		words.push('-f', expression_of_stack(stack));
	return words;
}

function join(words) {
	return words.map(quoted).join(' ');
}

function select(range, path) {
	var files = D.files.length ? D.files : ['recording.mp'];

	return join(['mp-select'].concat(selection(range, path), files[0][0] === '-' && files[0] !== '-' ? ['--'] : [], files));
}

function types() {
	return D.types ? ['-e', D.types] : [];
}

// The command for the flame graph of a range, or that of differences between two ranges.
function flame(state, path) {
	var by = D.by.length ? D.by.join() === 'comm' ? [] : ['--by', D.by.join()] : ['--no-comm'];
	var fold = join(['mp-fold'].concat(by, types(), state.weighed ? ['-w', D.measure] : []));

	if (!state.and)
		return select(state.time, path) + ' | ' + fold;
	return 'mp-flame --diff <(' + select(state.time, path) + ' | ' + fold + ' --annotate) <(' + select(state.and, path) + ' | ' + fold +
		' --annotate)' + (state.weighed ? '' : ' --samples') + ' > difference.html';
}

// A command for each range, in lines.
function each_range(state, path, words) {
	return (state.and ? [state.time, state.and] : [state.time]).map(function (range) {
		return select(range, path) + ' | ' + join(words.concat(types()));
	}).join('\n');
}

function histogram(state, path) {
	return each_range(state, path, ['mp-hist', '-f', D.measure]);
}

function tasks(state, path) {
	var by = D.by.join();

	return each_range(state, path, state.weighed ? ['mp-hist', '-f', D.measure, '--by', by, '--sort', 'sum', '--summary'] :
		['mp-hist', '--count', by]);
}

return { flame: flame, histogram: histogram, tasks: tasks };
})();
