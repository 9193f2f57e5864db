// SPDX-License-Identifier: GPL-2.0-only
// A flame chart: the tree of a file, whose tasks, the children of the root, are rows below each other over the same time.
// Nothing here knows of the page.
var chart = (function () {
'use strict';

// Puts the tasks, which a tree has side by side, below each other: each begins at 0, and its depth after that of the one before.
function arrange(t) {
	var row = 0, task, i, left, deepest;

	for (task = 1; task < t.name.length; task = t.end[task]) {
		left = t.start[task];
		deepest = 0;
		for (i = task; i < t.end[task]; i++) {
			deepest = Math.max(deepest, t.depth[i]);
			t.depth[i] += row;
			t.start[i] -= left;
		}
		row += deepest;
	}
	t.total[0] = t.name.length > 1 ? t.total[1] : 0;
	return t;
}

// The task that has a row.
function task_at(t, depth) {
	var found = -1, task;

	for (task = 1; task < t.name.length && t.depth[task] <= depth; task = t.end[task])
		found = task;
	return found;
}

return { arrange: arrange, task_at: task_at };
})();
