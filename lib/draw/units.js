// SPDX-License-Identifier: GPL-2.0-only
// Numbers with their units, for the scripts of all pictures. The build puts this file before the others.
var units = (function () {
'use strict';
var TIME = [[1, 'ns'], [1e3, 'us'], [1e6, 'ms'], [1e9, 's']];
var BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'].map(function (name, i) {
	return [Math.pow(1024, i), name];
});
var COUNTS = [[1, ''], [1e3, 'k'], [1e6, 'M'], [1e9, 'G'], [1e12, 'T'], [1e15, 'P'], [1e18, 'E']];

// The greatest of the steps [factor, name] that is not above a value.
function step_of(v, steps) {
	var i = 0;

	while (i + 1 < steps.length && Math.abs(v) >= steps[i + 1][0])
		i++;
	return steps[i];
}

// A value in the step that suits it, as text; `digits` turns a number into text.
function scaled(v, steps, digits) {
	var step = step_of(v, steps);

	return (digits(v / step[0]) + ' ' + step[1]).trim();
}

function three_digits(v) {
	return v === 0 ? '0' : String(Number(v.toPrecision(v >= 100 ? Math.ceil(Math.log10(v + 1)) : 3)));
}

// A value with its unit, three digits where it is not whole.
function with_unit(v, unit) {
	var ns = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit];

	if (ns && v * ns >= 6e10)
		return v * ns >= 3.6e12 ? three_digits(v * ns / 3.6e12) + ' h' : three_digits(v * ns / 6e10) + ' min';
	if (ns)
		return scaled(v * ns, TIME, three_digits);
	if (unit === 'B' || unit === 'KiB')
		return scaled(unit === 'B' ? v : 1024 * v, BYTES, three_digits);
	if (v >= 1e5 && unit !== '%')
		return scaled(v, COUNTS, three_digits) + (unit ? ' ' + unit : '');
	return three_digits(v) + (unit ? ' ' + unit : '');
}

return { TIME: TIME, BYTES: BYTES, scaled: scaled, with_unit: with_unit };
})();
