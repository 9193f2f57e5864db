// SPDX-License-Identifier: GPL-2.0-only
// The events of a recording by bin of time, stack and bucket of size; lib/page/columns.h describes the bytes, lib/page/cells.h
// the buckets. Nothing here knows of the page.
var cells = (function () {
'use strict';
var ZERO = 1, POSITIVE = 2, NEGATIVE = 66;

// Reads the parts. `head` has the numbers of events, stacks, bins, cells and rows, and whether numbers are measured. The result is
// columns: start: by bin, its first cell; stack: by cell, its number in the order of names; row: its first row; sum; by row:
// bucket and count. A cell is a bin and a stack, a row is one of its buckets.
function decode(parts, head) {
	var rank = tree.numbers(parts[0]), bins = tree.numbers(parts[1]), gap = tree.numbers(parts[2]), more = tree.numbers(parts[3]);
	var count = tree.numbers(parts[5]), sum = tree.numbers(parts[6]), stacks = new Uint32Array(head.stacks);
	var c = { stacks: head.stacks, buckets: head.buckets, start: new Uint32Array(head.bins + 1), stack: new Uint32Array(head.cells),
		row: new Uint32Array(head.cells + 1), sum: head.measured ? new Float64Array(head.cells) : null,
		bucket: head.measured ? parts[4] : null, count: new (head.events < 4294967296 ? Uint32Array : Float64Array)(head.rows) };
	var bin, i = 0, k, row = 0, end, v;

	for (k = 0; k < head.stacks; k++)
		stacks[k] = rank();
	for (bin = 0; bin < head.bins; bin++) {
		c.start[bin] = i;
		for (end = i + bins(), k = 0; i < end; i++) {
			k += gap();
			c.stack[i] = stacks[k++];
			c.row[i] = row;
			row += head.measured ? more() + 1 : 1;
			if (head.measured) {
				v = sum();
				c.sum[i] = v % 2 ? -(v + 1) / 2 : v / 2;
			}
		}
	}
	c.start[head.bins] = i;
	c.row[i] = row;
	for (k = 0; k < row; k++)
		c.count[k] = count() + 1;
	return c;
}

// The events in the bins of `range`: by stack their counts and the sums of their numbers, of all; by bucket the counts of those
// whose stack is from `first` to before `end`.
function add_up(c, range, first, end) {
	var counts = new Float64Array(c.stacks), sums = new Float64Array(c.stacks), buckets = new Float64Array(c.buckets);
	var last = c.start[range[1]], i, k, r, stop, n;

	for (i = c.start[range[0]]; i < last; i++) {
		k = c.stack[i];
		if (!c.bucket) {
			counts[k] += c.count[i];
			continue;
		}
		n = 0;
		for (r = c.row[i], stop = c.row[i + 1]; r < stop; r++) {
			n += c.count[r];
			if (k >= first && k < end)
				buckets[c.bucket[r]] += c.count[r];
		}
		counts[k] += n;
		sums[k] += c.sum[i];
	}
	return { counts: counts, sums: sums, buckets: buckets };
}

// By bin, the events of some stacks, or the sums of their numbers; by bin and bucket their counts, bin by bin; and by row and bin
// what each row has, row by row. `chosen` and `in_rows`: [first, end) of the stacks. `row_of`: the row of each stack, `rows` or more
// if it is in none.
function over_time(c, weighed, chosen, in_rows, row_of, rows) {
	var bins = c.start.length - 1, height = new Float64Array(bins), sizes = c.bucket ? new Float64Array(bins * c.buckets) : null;
	var each = new Float64Array(bins * rows), bin, i, k, r, sum, is_chosen;

	for (bin = 0; bin < bins; bin++) {
		for (i = c.start[bin]; i < c.start[bin + 1]; i++) {
			k = c.stack[i];
			is_chosen = k >= chosen[0] && k < chosen[1];
			if (!is_chosen && (k < in_rows[0] || k >= in_rows[1]))
				continue;
			sum = weighed ? c.sum[i] : 0;
			for (r = c.row[i]; r < c.row[i + 1]; r++) {
				if (!weighed)
					sum += c.count[r];
				if (sizes && is_chosen)
					sizes[bin * c.buckets + c.bucket[r]] += c.count[r];
			}
			if (is_chosen)
				height[bin] += sum;
			if (row_of[k] < rows)
				each[row_of[k] * bins + bin] += sum;
		}
	}
	return { height: height, sizes: sizes, rows: each };
}

// The edges of a bucket, as lib/page/cells.h numbers them; null for events without a number.
function edges(bucket) {
	if (bucket === ZERO)
		return [0, 0];
	if (bucket >= NEGATIVE)
		return [-Math.pow(2, bucket - NEGATIVE + 1), -Math.pow(2, bucket - NEGATIVE)];
	return bucket >= POSITIVE ? [Math.pow(2, bucket - POSITIVE), Math.pow(2, bucket - POSITIVE + 1)] : null;
}

// The buckets of numbers in their order.
function in_order(buckets) {
	var list = [], b;

	for (b = buckets - 1; b >= NEGATIVE; b--)
		list.push(b);
	for (b = ZERO; b < NEGATIVE; b++)
		list.push(b);
	return list;
}

return { decode: decode, add_up: add_up, over_time: over_time, edges: edges, in_order: in_order };
})();
