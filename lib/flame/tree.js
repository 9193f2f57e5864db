// SPDX-License-Identifier: GPL-2.0-only
// The tree of stacks of a flame graph: arrays of its nodes in the order of a walk, so that the descendants of a node
// follow it up to `end`. The first node is the root, which has no name (-1). Nothing here knows of the page. The build
// puts this file before flame.js.
var tree = (function () {
'use strict';

// name: its number; self, total: its own weight, and that of all stacks that it is in; start: its place among its
// siblings, in units of weight.
function make(size) {
	return { name: new Int32Array(size), depth: new Uint32Array(size), parent: new Uint32Array(size), end: new Uint32Array(size),
		self: new Float64Array(size), total: new Float64Array(size), start: new Float64Array(size) };
}

// Sets what follows from names, parents and own weights.
function finish(t) {
	var size = t.name.length, used = new Float64Array(size), i, p;

	for (i = size - 1; i >= 0; i--) {
		t.end[i] = Math.max(t.end[i], i + 1);
		t.total[i] += t.self[i];
		if (i) {
			p = t.parent[i];
			t.total[p] += t.total[i];
			t.end[p] = Math.max(t.end[p], t.end[i]);
		}
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

// Reads the stacks of a file. The parts, bytes, are described in lib/flame/flamedata.h.
function decode(parts, stacks, nodes) {
	var t = make(nodes), up = numbers(parts[2]), down = numbers(parts[3]), weight = numbers(parts[4]);
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
		t.self[path[depth]] = weight();
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

// Makes a tree of nodes, which come after their parents, with siblings in the order of names.
function from_nodes(names, parents, own, count) {
	var child = new Uint32Array(names.length), next = new Uint32Array(names.length), place = new Uint32Array(names.length);
	var t = make(names.length), at = 0, i = 0;

	by_name(names, count).forEach(function (k) {
		next[k] = child[parents[k]];
		child[parents[k]] = k;
	});
	for (;;) {
		place[i] = at;
		t.name[at] = names[i];
		t.self[at] = own[i];
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

// All stacks from a name on, or from that name back to its callers. A stack in which the name occurs several times counts
// from the first one on.
function of_name(w, k, callers, count) {
	var names = [-1], parents = [0], own = [0], keys = new Map(), i, j, p, at;

	function child(node, name_number) {
		var key = node * count + name_number, c = keys.get(key);

		if (c === undefined) {
			c = names.push(name_number) - 1;
			parents.push(node);
			own.push(0);
			keys.set(key, c);
		}
		return c;
	}
	for (i = 1; i < w.name.length; i = w.name[i] === k ? w.end[i] : i + 1) {
		if (w.name[i] !== k)
			continue;
		at = [child(0, k)];
		if (callers) {
			for (p = w.parent[i], j = at[0]; p; p = w.parent[p])
				j = child(j, w.name[p]);
			own[j] += w.total[i];
			continue;
		}
		own[at[0]] += w.self[i];
		for (j = i + 1; j < w.end[i]; j++) {
			p = w.depth[j] - w.depth[i];
			at[p] = child(at[p - 1], w.name[j]);
			own[at[p]] += w.self[j];
		}
	}
	return from_nodes(names, parents, own, count);
}

// The child at a place, in units of weight, or -1.
function child_at(t, i, place) {
	var c;

	for (c = i + 1; c < t.end[i]; c = t.end[c])
		if (place >= t.start[c] && place < t.start[c] + t.total[c])
			return c;
	return -1;
}

function heaviest_child(t, i) {
	var best = -1, c;

	for (c = i + 1; c < t.end[i]; c = t.end[c])
		if (best < 0 || t.total[c] > t.total[best])
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

// By name, the weights of what is in a node: of the name's own, and of all stacks that have it, each counted once.
function sums(t, node, count) {
	var own = new Float64Array(count), all = new Float64Array(count), beyond = new Uint32Array(count), i, k;

	for (i = Math.max(node, 1); i < t.end[node]; i++) {
		k = t.name[i];
		own[k] += t.self[i];
		if (i >= beyond[k]) {
			all[k] += t.total[i];
			beyond[k] = t.end[i];
		}
	}
	return { self: own, total: all };
}

// How many nodes in a node have one of some names, and the weight of the stacks that do, each counted once.
function found(t, node, names) {
	var sum = 0, frames = 0, beyond = 0, i;

	for (i = Math.max(node, 1); i < t.end[node]; i++) {
		if (!names[t.name[i]])
			continue;
		frames++;
		if (i >= beyond) {
			sum += t.total[i];
			beyond = t.end[i];
		}
	}
	return { frames: frames, sum: sum };
}

// By node, how many nodes before it have one of some names; the last element is for the end.
function count_before(t, names) {
	var counts = new Uint32Array(t.name.length + 1), i;

	for (i = 1; i < t.name.length; i++)
		counts[i + 1] = counts[i] + (names[t.name[i]] ? 1 : 0);
	return counts;
}

return { decode: decode, of_name: of_name, child_at: child_at, heaviest_child: heaviest_child, sibling: sibling, sums: sums, found: found,
	count_before: count_before };
})();
