// SPDX-License-Identifier: GPL-2.0-only
// The tree of stacks of a flame graph: arrays of its nodes in the order of a walk, so that the descendants of a node
// follow it up to `end`. The first node is the root, which has no name (-1). Nothing here knows of the page. The build
// puts this file before flame.js.
var tree = (function () {
'use strict';

function columns(n, size) {
	return Array.from({ length: n }, function () { return new Float64Array(size); });
}

// name: its number; own, sum: its own weight, and that of all stacks that it is in; start: its place among its siblings, in
// units of weight. There is a column for each kind of weight. The first one, self and total, is what widths are; if there
// are two sides, the second and the third one are those of the sides.
function make(size, n) {
	var own = columns(n, size), sum = columns(n, size);

	return { name: new Int32Array(size), depth: new Uint32Array(size), parent: new Uint32Array(size), end: new Uint32Array(size),
		start: new Float64Array(size), own: own, sum: sum, self: own[0], total: sum[0] };
}

// Sets what follows from names, parents and own weights.
function finish(t) {
	var size = t.name.length, used = new Float64Array(size), i, p;

	t.sum.forEach(function (sum, c) {
		var k;

		sum.set(t.own[c]);
		for (k = size - 1; k > 0; k--)
			sum[t.parent[k]] += sum[k];
	});
	for (i = size - 1; i >= 0; i--) {
		p = t.parent[i];
		t.end[i] = Math.max(t.end[i], i + 1);
		t.end[p] = Math.max(t.end[p], t.end[i]);
	}
	for (i = 1; i < size; i++) {
		p = t.parent[i];
		t.start[i] = t.start[p] + used[p];
		used[p] += t.total[i];
	}
	return t;
}

// A function that returns the numbers in some bytes, one at each call.
function numbers(bytes) {
	var at = 0;

	return function () {
		var v = 0, factor = 1, byte;

		do {
			byte = bytes[at++];
			v += (byte & 127) * factor;
			factor *= 128;
		} while (byte > 127);
		return v;
	};
}

// All numbers in some bytes.
function list(bytes) {
	var next = numbers(bytes), all = [], n = bytes.filter(function (byte) { return byte < 128; }).length;

	while (all.length < n)
		all.push(next());
	return all;
}

// A function that returns the callee of a name, -1 for the root, one at each call.
function callees(calls, fresh) {
	var known = [], next_call = numbers(calls), next_fresh = numbers(fresh);

	return function (caller) {
		var list = known[caller + 1] || (known[caller + 1] = []), call = next_call();

		if (!call)
			call = list.push(next_fresh());
		return list[call - 1];
	};
}

// Makes the widths of a tree with two sides from the weights of both, multiplied by two factors.
function widen(t, factors) {
	var i;

	for (i = 0; i < t.name.length; i++)
		t.self[i] = t.own[1][i] * factors[0] + t.own[2][i] * factors[1];
	return finish(t);
}

// Reads the stacks of a file. The parts, bytes, are described in lib/flame/flamedata.h.
function decode(parts, stacks, nodes) {
	var sides = parts[7].length > 0, t = make(nodes, sides ? 3 : 1), weights = t.own[sides ? 1 : 0];
	var up = numbers(parts[2]), down = numbers(parts[3]), weight = numbers(parts[4]), after = numbers(parts[7]);
	var callee = callees(parts[5], parts[6]), path = [0], depth = 0, i = 1, k;

	t.name[0] = -1;
	for (; stacks; stacks--) {
		depth -= up();
		for (k = down(); k; k--) {
			t.parent[i] = path[depth];
			t.name[i] = callee(t.name[path[depth]]);
			t.depth[i] = ++depth;
			path[depth] = i++;
		}
		weights[path[depth]] = weight();
		if (sides)
			t.own[2][path[depth]] = after();
	}
	return finish(t);
}

// The nodes but the root by name, the last first (counting sort). The numbers of the `count` names are in their order.
function by_name(names, count) {
	var ends = new Uint32Array(count + 1), order = new Uint32Array(names.length - 1), i;

	for (i = 1; i < names.length; i++)
		ends[names[i]]++;
	for (i = count; i > 0; i--)
		ends[i - 1] += ends[i];
	for (i = 1; i < names.length; i++)
		order[--ends[names[i]]] = i;
	return order;
}

// Copies the weights of a node, in all columns.
function set_own(to, at, from, i) {
	to.forEach(function (column, c) { column[at] = from[c][i]; });
}

// Makes a tree of nodes, which come after their parents, with siblings in the order of names.
function from_nodes(names, parents, own, count) {
	var child = new Uint32Array(names.length), next = new Uint32Array(names.length), place = new Uint32Array(names.length);
	var t = make(names.length, own.length), at = 0, i = 0;

	by_name(names, count).forEach(function (k) {
		next[k] = child[parents[k]];
		child[parents[k]] = k;
	});
	for (;;) {
		place[i] = at;
		t.name[at] = names[i];
		set_own(t.own, at, own, i);
		t.parent[at] = place[parents[i]];
		t.depth[at] = i ? t.depth[t.parent[at]] + 1 : 0;
		at++;
		if (child[i]) {
			i = child[i];
			continue;
		}
		while (i && !next[i])
			i = parents[i];
		if (!i)
			break;
		i = next[i];
	}
	return finish(t);
}

// Collects stacks in any order, and makes a tree of them, with as many columns as another one.
function collector(count, t) {
	var names = [-1], parents = [0], own = t.own.map(function () { return [0]; }), keys = new Map();

	return {
		// The number of a child of a collected node; 0 is the root.
		child: function (node, name) {
			var key = node * count + name, c = keys.get(key);

			if (c === undefined) {
				c = names.push(name) - 1;
				parents.push(node);
				own.forEach(function (column) { column.push(0); });
				keys.set(key, c);
			}
			return c;
		},
		// Adds the weights that a node has in some columns.
		add: function (node, from, i) {
			var k;

			for (k = 0; k < own.length; k++)
				own[k][node] += from[k][i];
		},
		tree: function () { return from_nodes(names, parents, own, count); }
	};
}

// Each of the functions below returns another tree. `names` has a mark for each name that is meant, `count` is how many names
// there are.

// All stacks with one of the names, from its first frame of these on.
function show_from(t, names, count) {
	var c = collector(count, t), at, i, j, d;

	for (i = 1; i < t.name.length; i = names[t.name[i]] ? t.end[i] : i + 1) {
		if (!names[t.name[i]])
			continue;
		at = [c.child(0, t.name[i])];
		c.add(at[0], t.own, i);
		for (j = i + 1; j < t.end[i]; j++) {
			d = t.depth[j] - t.depth[i];
			at[d] = c.child(at[d - 1], t.name[j]);
			c.add(at[d], t.own, j);
		}
	}
	return c.tree();
}

// All stacks with a name, from its first frame back to the root. A stack with several of them counts once.
function callers(t, name, count) {
	var c = collector(count, t), i, p, node;

	for (i = 1; i < t.name.length; i = t.name[i] === name ? t.end[i] : i + 1) {
		if (t.name[i] !== name)
			continue;
		node = c.child(0, name);
		for (p = t.parent[i]; p; p = t.parent[p])
			node = c.child(node, t.name[p]);
		c.add(node, t.sum, i);
	}
	return c.tree();
}

// The nodes that have a weight when only some, which are marked in `stays`, have their own weights. `place`, zeroed, gets the
// number of each.
function prune(t, stays, place) {
	var used = new Uint8Array(stays.length), size = 1, kept, i;

	function weighs(column) {
		return column[i] > 0;
	}
	for (i = stays.length - 1; i > 0; i--) {
		used[i] = used[i] || (stays[i] && t.own.some(weighs) ? 1 : 0);
		used[t.parent[i]] |= used[i];
		size += used[i];
	}
	kept = make(size, t.own.length);
	kept.name[0] = -1;
	for (i = 1, size = 1; i < stays.length; i++) {
		if (!used[i])
			continue;
		place[i] = size;
		kept.name[size] = t.name[i];
		kept.depth[size] = t.depth[i];
		kept.parent[size] = place[t.parent[i]];
		if (stays[i])
			set_own(kept.own, size, t.own, i);
		size++;
	}
	return finish(kept);
}

// The nodes that have a weight when `own`, with one column or three, has the weights of their own. place: by node of `t`, its
// number in the result, 0 if it has none.
function weigh(t, own) {
	var stays = new Uint8Array(t.name.length), place = new Uint32Array(t.name.length), kept;

	own.forEach(function (column) {
		var i;

		for (i = 0; i < column.length; i++)
			if (column[i])
				stays[i] = 1;
	});
	kept = prune({ name: t.name, depth: t.depth, parent: t.parent, own: own }, stays, place);

	kept.place = place;
	return kept;
}

// The stacks that have one of the names, or with `wanted` 0 those that have none.
function select(t, names, wanted) {
	var has = new Uint8Array(t.name.length), stays = new Uint8Array(t.name.length), i;

	for (i = 1; i < t.name.length; i++) {
		has[i] = has[t.parent[i]] || (names[t.name[i]] ? 1 : 0);
		stays[i] = has[i] === wanted ? 1 : 0;
	}
	return prune(t, stays, new Uint32Array(stays.length));
}

function focus(t, names) {
	return select(t, names, 1);
}

function ignore(t, names) {
	return select(t, names, 0);
}

// A function that calls itself directly is one frame.
function collapse(t, count) {
	var c = collector(count, t), at = new Uint32Array(t.name.length), i, p;

	for (i = 1; i < t.name.length; i++) {
		p = t.parent[i];
		at[i] = t.name[i] === t.name[p] ? at[p] : c.child(at[p], t.name[i]);
		c.add(at[i], t.own, i);
	}
	return c.tree();
}

// The child at a place, in units of weight, or -1.
function child_at(t, i, place) {
	var c;

	for (c = i + 1; c < t.end[i]; c = t.end[c])
		if (place >= t.start[c] && place < t.start[c] + t.total[c])
			return c;
	return -1;
}

// But not one with the name `but`.
function heaviest_child(t, i, but) {
	var best = -1, c;

	for (c = i + 1; c < t.end[i]; c = t.end[c])
		if (t.name[c] !== but && (best < 0 || t.total[c] > t.total[best]))
			best = c;
	return best;
}

// The sibling after a node, or before it; the node itself if there is none.
function sibling(t, i, step) {
	var c, before = i, p = t.parent[i];

	if (step > 0)
		return i && t.end[i] < t.end[p] ? t.end[i] : i;
	for (c = p + 1; c < i; c = t.end[c])
		before = c;
	return before;
}

// By name, the weights of what is in a node, in a column: of the name's own, and of all stacks that have it, each counted once.
function sums(t, node, count, column) {
	var own = new Float64Array(count), all = new Float64Array(count), beyond = new Uint32Array(count), i, k;

	for (i = Math.max(node, 1); i < t.end[node]; i++) {
		k = t.name[i];
		own[k] += t.own[column][i];
		if (i >= beyond[k]) {
			all[k] += t.sum[column][i];
			beyond[k] = t.end[i];
		}
	}
	return { self: own, total: all };
}

// How many nodes in a node have one of some names, and the weights of the stacks that do, in all columns, each counted once.
function found(t, node, names) {
	var sums = t.sum.map(function () { return 0; }), frames = 0, beyond = 0, i, k;

	for (i = Math.max(node, 1); i < t.end[node]; i++) {
		if (!names[t.name[i]])
			continue;
		frames++;
		if (i >= beyond) {
			for (k = 0; k < sums.length; k++)
				sums[k] += t.sum[k][i];
			beyond = t.end[i];
		}
	}
	return { frames: frames, sums: sums };
}

// By node, how many nodes before it have one of some names; the last element is for the end.
function count_before(t, names) {
	var counts = new Uint32Array(t.name.length + 1), i;

	for (i = 1; i < t.name.length; i++)
		counts[i + 1] = counts[i] + (names[t.name[i]] ? 1 : 0);
	return counts;
}

return { numbers: numbers, list: list, decode: decode, weigh: weigh, widen: widen, show_from: show_from, callers: callers, focus: focus, ignore: ignore, collapse: collapse,
	child_at: child_at, heaviest_child: heaviest_child, sibling: sibling, sums: sums, found: found, count_before: count_before };
})();
