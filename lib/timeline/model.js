// SPDX-License-Identifier: GPL-2.0-only
// What a timeline shows, from the packed data (lib/timeline/timelinedata.h). Nothing here knows of the page.
var model = (function () {
'use strict';
var LANES = 8; // spans of a row that overlap are drawn below each other, in at most as many lanes

// Reads numbers one after the other.
function reader(bytes) {
	var at = 0;

	function next() {
		var v = 0, scale = 1, b;

		do {
			b = bytes[at++];
			v += (b & 127) * scale;
			scale *= 128;
		} while (b > 127);
		return v;
	}
	return {
		next: next,
		signed: function () {
			var v = next();

			return v % 2 ? -(v + 1) / 2 : v / 2;
		},
		// n numbers, as an array of a type
		column: function (type, n) {
			var list = new type(n), i;

			for (i = 0; i < n; i++)
				list[i] = next();
			return list;
		}
	};
}

function read_singles(m, r, n) {
	var counts = r.column(Uint32Array, m.rows.length), row, i, k, v;

	m.n = n;
	m.row = new Uint32Array(n);
	m.first = new Uint32Array(m.rows.length + 1); // of each row
	m.begin = new Float64Array(n);
	m.dur = new Float64Array(n);
	m.instant = new Uint8Array(n);
	m.category = new Uint16Array(n);
	m.marked = new Uint8Array(n);
	for (row = i = 0; row < counts.length; row++) {
		m.first[row] = i;
		for (k = 0; k < counts[row]; k++)
			m.row[i++] = row;
	}
	m.first[row] = i;
	for (i = 0; i < n; i++)
		m.begin[i] = r.next() + (i && m.row[i - 1] === m.row[i] ? m.begin[i - 1] : 0);
	for (i = 0; i < n; i++) {
		v = r.next();
		m.instant[i] = v ? 0 : 1;
		m.dur[i] = v ? v - 1 : 0;
	}
	for (i = 0; i < n; i++) {
		v = r.next();
		m.category[i] = v >> 1;
		m.marked[i] = v & 1;
	}
	m.shape = r.column(Uint32Array, n);
	m.stack = r.column(Uint32Array, n);
}

// For each key, the singles that have it and the numbers of their values.
function read_fields(m, r) {
	m.fields = m.keys.map(function (name, key) {
		var has = m.shapes.map(function (shape) { return shape.indexOf(key) >= 0; }), items = [], i;

		for (i = 0; i < m.n; i++)
			if (has[m.shape[i]])
				items.push(i);
		return { items: Uint32Array.from(items), values: r.column(Uint32Array, items.length) };
	});
}

function read_arrows(m, r, n) {
	var a = { n: n, from: new Float64Array(n), to: new Float64Array(n) }, i;

	for (i = 0; i < n; i++)
		a.from[i] = r.next() + (i ? a.from[i - 1] : 0);
	for (i = 0; i < n; i++)
		a.to[i] = a.from[i] + r.signed();
	a.from_row = r.column(Uint32Array, n);
	a.to_row = r.column(Uint32Array, n);
	a.single = r.column(Uint32Array, n);
	m.arrows = a;
}

// Levels, or counters: groups of cells. `how` is [shift, begin of the picture in its bin, number of cells].
function read_levels(r, how) {
	var width = Math.pow(2, how[0]), n = r.next(), groups = [], i, g, bin;

	for (i = 0; i < n; i++)
		groups.push({ row: r.next(), category: r.next(), n: r.next() });
	groups.forEach(function (g) {
		g.begin = new Float64Array(g.n);
		for (i = bin = 0; i < g.n; i++) {
			bin += r.next();
			g.begin[i] = bin * width - how[1];
		}
	});
	groups.forEach(function (g) { g.count = r.column(Float64Array, g.n); });
	for (g = 0; g < groups.length; g++) {
		groups[g].sum = new Float64Array(groups[g].n);
		for (i = 0; i < groups[g].n; i++)
			groups[g].sum[i] = r.signed();
	}
	return { width: width, groups: groups };
}

// Puts each span into the first lane that is free. `latest` has for each single the greatest end of those before it in its row.
function make_lanes(m) {
	var ends, row, i, k, end, latest;

	m.lane = new Uint8Array(m.n);
	m.lanes = new Uint8Array(m.rows.length).fill(1);
	m.latest = new Float64Array(m.n);
	for (row = 0; row < m.rows.length; row++) {
		ends = [];
		latest = 0;
		for (i = m.first[row]; i < m.first[row + 1]; i++) {
			end = m.begin[i] + m.dur[i];
			latest = m.latest[i] = Math.max(latest, end);
			if (m.instant[i])
				continue;
			for (k = 0; k < ends.length && k < LANES - 1 && ends[k] > m.begin[i];)
				k++;
			ends[k] = Math.max(end, ends[k] || 0);
			m.lane[i] = k;
		}
		m.lanes[row] = Math.max(1, ends.length);
	}
}

// By row: the groups of levels, and the counters.
function by_row(m, groups, row_of) {
	var list = m.rows.map(function () { return []; });

	groups.forEach(function (g) { list[row_of(g)].push(g); });
	return list;
}

// The model; `parts` as in timelinedata.h, D is what the page says.
function decode(parts, D) {
	var text = new TextDecoder(), m = JSON.parse(text.decode(parts[0])), r = reader(parts[3]);

	m.values = JSON.parse(text.decode(parts[1]));
	m.stacks = JSON.parse(text.decode(parts[2]));
	read_singles(m, r, D.singles);
	read_fields(m, r);
	read_arrows(m, r, D.arrows);
	m.levels = read_levels(r, D.levels);
	m.counters = read_levels(r, D.counters);
	m.levels_of = by_row(m, m.levels.groups, function (g) { return g.row; });
	m.counters_of = by_row(m, m.counters.groups, function (g) { return m.series[g.row][0]; });
	make_lanes(m);
	return m;
}

// The number of the elements of a list, from `from` to `to`, for which `before` holds; they come first.
function count_first(from, to, before) {
	var low = from, high = to, middle;

	while (low < high) {
		middle = (low + high) >> 1;
		if (before(middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The first single of a row that may end after a time.
function first_after(m, row, time) {
	return count_first(m.first[row], m.first[row + 1], function (i) { return m.latest[i] < time; });
}

// The name of what a category is: its label, or the type of its events.
function name_of(m, category) {
	var c = m.categories[category];

	return c[1] < 0 ? m.types[c[0]] : m.labels[c[1]];
}

// The fields of a single: pairs of name and value.
function fields_of(m, i) {
	return m.shapes[m.shape[i]].map(function (key) {
		var f = m.fields[key], at = count_first(0, f.items.length, function (k) { return f.items[k] < i; });

		return [m.keys[key], m.values[f.values[at]]];
	});
}

// The time of each row that each name has between two times, as a list of { row, name, ns, spans }, longest first. Singles count
// exactly, levels by the part of their bins. `shown(row, category)` says what counts.
function sums(m, from, to, shown) {
	var found = new Map();

	function add(row, category, ns, spans) {
		var key = row + ' ' + name_of(m, category), sum = found.get(key);

		if (!sum)
			found.set(key, sum = { row: row, name: name_of(m, category), ns: 0, spans: 0 });
		sum.ns += ns;
		sum.spans += spans;
	}
	m.rows.forEach(function (name, row) {
		var i, part;

		for (i = first_after(m, row, from); i < m.first[row + 1] && m.begin[i] < to; i++) {
			part = Math.min(m.begin[i] + m.dur[i], to) - Math.max(m.begin[i], from);
			if (shown(row, m.category[i]) && part >= 0)
				add(row, m.category[i], part, 1);
		}
		m.levels_of[row].forEach(function (g) {
			if (!shown(row, g.category))
				return;
			for (i = count_first(0, g.n, function (k) { return g.begin[k] + m.levels.width <= from; }); i < g.n && g.begin[i] < to; i++) {
				part = (Math.min(g.begin[i] + m.levels.width, to) - Math.max(g.begin[i], from)) / m.levels.width;
				add(row, g.category, g.sum[i] * part, g.count[i] * part);
			}
		});
	});
	return Array.from(found.values()).sort(function (a, b) { return b.ns - a.ns || b.spans - a.spans || a.row - b.row; });
}

// The single of a row at a time: the one that begins last; or the one before that time. -1: there is none.
function single_at(m, row, time) {
	var last = count_first(m.first[row], m.first[row + 1], function (i) { return m.begin[i] <= time; }) - 1, i;

	for (i = last; i >= m.first[row] && m.latest[i] >= time; i--)
		if (m.begin[i] + m.dur[i] >= time && !m.instant[i])
			return i;
	return last >= m.first[row] ? last : -1;
}

// The arrow that led to a single: the last one to its row that ends by its begin, or the one that belongs to it. -1: none.
function arrow_to(m, i) {
	var a = m.arrows, best = -1, k;

	for (k = 0; k < a.n; k++) {
		if (a.single[k] === i + 1 && a.to_row[k] === m.row[i])
			return k;
		if (a.to_row[k] === m.row[i] && a.to[k] <= m.begin[i] && (best < 0 || a.to[k] >= a.to[best]))
			best = k;
	}
	return best;
}

// For each category, value and so on: whether a text matches; then for each single. `matches` is a function of a text.
function search(m, matches) {
	var rows = m.rows.map(matches), types = m.types.map(matches), labels = m.labels.map(matches);
	var values = m.values.map(matches), stacks = m.stacks.map(matches), found = new Uint8Array(m.n), i, c;

	for (i = 0; i < m.n; i++) {
		c = m.categories[m.category[i]];
		if (rows[m.row[i]] || types[c[0]] || (c[1] >= 0 && labels[c[1]]) || (m.stack[i] && stacks[m.stack[i] - 1]))
			found[i] = 1;
	}
	m.fields.forEach(function (f) {
		for (i = 0; i < f.items.length; i++)
			if (values[f.values[i]])
				found[f.items[i]] = 1;
	});
	return found;
}

return { decode: decode, count_first: count_first, first_after: first_after, name_of: name_of, fields_of: fields_of, sums: sums,
	single_at: single_at, arrow_to: arrow_to, search: search };
})();
