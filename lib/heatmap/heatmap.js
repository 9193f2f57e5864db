// SPDX-License-Identifier: GPL-2.0-only
// Shows the cell under the pointer or the arrow keys, and for a range that the user drags over (or selects with shift
// and arrow keys) the mp-select command that selects its records. D is the data: see lib/heatmap/heatdata.c.
// lib/draw/units.js, draw.js, command.js and link.js precede this file.
(function () {
  'use strict';
  var get = function (id) { return document.getElementById('mp-' + id); };
  var svg = document.documentElement;
  var hit = get('hit'), cursor = get('cursor'), range = get('range'), read = get('read'), cmd = get('cmd');
  if (!hit || !svg.getScreenCTM) return;
  var table = function (s) { return s.split(';').map(function (r) { return r.split(','); }); };
  var rows = table(D.cells), hues = D.hues && D.hues.cells.map(table), before = D.before === undefined ? null : table(D.before);
  var tip = mp.tooltip(4, 16), at = null, from = null, dragging = false;
  var marked = null; // the times of what is selected

  var big = function (s) { return BigInt(s); };
  var count = function (s) { return String(s).replace(/\B(?=(\d{3})+$)/g, ','); };
  var exact = function (v) { return String(Number(v.toPrecision(15))); };
  var value = function (v, unit) {
    return units.scaled(v, unit === 'ns' ? units.TIME : unit === 'B' ? units.BYTES : [[1, unit]], exact);
  };
  var sum = function (s) { return D.unit ? value(Number(s), D.unit) + ' (' + count(s) + ')' : count(s); };
  var edge = function (a, i) {
    return a.zero === undefined ? value(Number(a.edge[i]), a.unit) : value(Number(big(a.edge[i]) - big(a.zero)), 'ns');
  };
  var cell = function (x, y) { return (rows[y] && rows[y][x]) || '0'; };

  // the bins of an axis in the order of the picture: below, the n, above
  var order = function (a) {
    var v = [];
    if (a.below) v.push(a.n);
    for (var i = 0; i < a.n; i++) v.push(i);
    if (a.above) v.push(a.n + 1);
    return v;
  };
  var seqX = order(D.x), seqY = order(D.y);
  if (D.y.names) seqY = seqY.filter(function (i) { return i < D.y.n; }).reverse(), D.y.below && seqY.unshift(D.y.n);
  if (D.x.names && D.x.below) seqX.push(seqX.shift());
  // the rows of panels follow each other: `stride` from a panel to the next one, the last one at the bottom
  var stride = D.y.n + 2, step = D.panels ? D.panels.step : 0;
  var panel_of = function (y) { return Math.floor(y / stride); };
  if (D.panels) seqY = [].concat.apply([], D.panels.names.map(function (_, p) {
    return seqY.map(function (i) { return i + p * stride; });
  }).reverse());
  var box = function (a, i) {
    var down = a === D.y ? panel_of(i) * step : 0;
    if (a === D.y) i %= stride;
    return (i < a.n ? [a.px[i], a.px[i + 1]] : i === a.n ? a.below : a.above).map(function (v) { return v + down; });
  };
  var span = function (a, i, k) {
    var p = box(a, i), q = box(a, k);
    return [Math.min(p[0], p[1], q[0], q[1]), Math.max(p[0], p[1], q[0], q[1])];
  };
  var find = function (a, seq, v) {
    var best = 0, near = Infinity;
    seq.forEach(function (bin, i) {
      var s = span(a, bin, bin), d = v < s[0] ? s[0] - v : v > s[1] ? v - s[1] : 0;
      if (d < near) { near = d; best = i; }
    });
    return best;
  };
  var place = function (rect, x, y) {
    rect.setAttribute('x', x[0]); rect.setAttribute('width', x[1] - x[0]);
    rect.setAttribute('y', y[0]); rect.setAttribute('height', y[1] - y[0]);
    mp.set_visible(rect, true);
  };
  var bin_text = function (a, i) {
    if (a === D.y) i %= stride;
    if (a.names) return a.name + ' ' + (i < a.n ? a.names[i] : 'other');
    if (i === a.n) return a.name + ' < ' + edge(a, 0);
    if (i > a.n) return a.name + ' \u2265 ' + edge(a, a.n);
    return a.name + ' ' + edge(a, i) + ' to ' + edge(a, i + 1);
  };

  // the lines of a comparison: both sides of a cell with their shares, and the difference
  var compare = function (x, y) {
    var b = big((before[y] && before[y][x]) || '0'), a = big(cell(x, y)) - b;
    var share = function (v, i) { return 100 * Number(v) / Math.max(Number(D.sides[i]), 1); };
    var side = function (name, v, i) { return name + ' ' + sum(String(v)) + ' (' + share(v, i).toPrecision(3) + ' %)'; };
    var change = share(a, 1) - share(b, 0);
    return [side('before', b, 0), side('after', a, 1), 'change ' + (change > 0 ? '+' : '') + change.toPrecision(3) + ' points'];
  };

  var other = function (name) { return name === null ? 'other' : name; };
  // the greatest parts of a cell, by hue
  var parts_of = function (x, y) {
    var v = hues.map(function (t, i) { return { name: other(D.hues.names[i]), sum: (t[y] && t[y][x]) || '0' }; });
    v = v.filter(function (p) { return p.sum !== '0'; }).sort(function (a, b) { return big(b.sum) > big(a.sum) ? 1 : -1; });
    return v.slice(0, 4).map(function (p) { return D.hues.field + ' ' + p.name + ': ' + sum(p.sum); });
  };

  var show = function (c) {
    var x = seqX[c[0]], y = seqY[c[1]], bx = span(D.x, x, x), by = span(D.y, y, y);
    var lines = [bin_text(D.x, x), bin_text(D.y, y)].concat(before ? compare(x, y) : [D.weight + ' ' + sum(cell(x, y))]);
    if (D.panels) lines.unshift(D.panels.field + ' ' + other(D.panels.names[panel_of(y)]));
    if (hues) lines = lines.concat(parts_of(x, y));
    if (D.lost[x]) lines.push('lost here or nearby: ' + count(D.lost[x]));
    place(cursor, bx, by);
    mp.say(read, lines.join(', '));
    var top = by[0] - lines.length * 16 - 16;
    tip.show(lines, bx[0], bx[1], top < 0 ? by[1] + 8 : top);
  };
  var hide = function () {
    mp.set_visible(cursor, false);
    tip.hide();
  };

  var number = function (s) { return String(s).replace(/e\+/, 'e'); };
  var bounds = function (a, lo, hi) {
    var v = [];
    if (lo <= a.n) lo < a.n && v.push(a.field + '>=' + number(a.edge[lo]));
    else v.push(a.field + '>=' + number(a.edge[a.n]));
    if (hi < a.n) v.push(a.field + '<' + number(a.edge[hi + 1]));
    else if (hi === a.n) v.push(a.field + '<' + number(a.edge[0]));
    return v.join(' && ');
  };
  var named = function (a, bins) {
    if (bins.indexOf(a.n) >= 0 || (bins.length === a.n && !a.below)) return '';
    var v = bins.slice().sort(function (i, k) { return i - k; }).map(function (i) { return a.conds[i] || a.field + '=="' + a.names[i] + '"'; });
    return v.length > 1 ? '(' + v.join(' || ') + ')' : v[0];
  };
  var clamp = function (v) { return v < 0n ? 0n : v; };
  var times_of = function (x0, x1, y0, y1) {
    y0 %= stride; y1 %= stride;
    var a = D.x, lo = big(a.edge[x0]), hi = big(a.edge[x1 + 1]);
    if (D.y.offset && hi - lo === 1000000000n) { // a part of one second
      hi = lo + big(D.y.edge[y1 + 1]);
      lo += big(D.y.edge[y0]);
    }
    return [clamp(lo), clamp(hi)];
  };
  // the times of what is selected, or null
  var times = function (x, y) {
    if (D.x.time) return times_of(seqX[x[0]], seqX[x[1]], seqY[y[0]], seqY[y[1]]);
    return D.y.time ? [clamp(big(D.y.edge[seqY[y[0]] % stride])), clamp(big(D.y.edge[seqY[y[1]] % stride + 1]))] : null;
  };
  var condition = function (a, seq, i, k) {
    var bins = seq.slice(i, k + 1).map(function (bin) { return a === D.y ? bin % stride : bin; });
    if (a.time || a.offset) return '';
    return a.names ? named(a, bins) : bounds(a, bins[0], bins[bins.length - 1]);
  };
  // the condition of a panel; the rest has none
  var in_panel = function (p) {
    var name = D.panels && D.panels.names[p];
    return !D.panels || name === null ? '' : D.panels.conds[p] || D.panels.field + '=="' + name + '"';
  };
  var text = command.make(cmd, svg.viewBox.baseVal.width - 12);
  var write_command = function () {
    var p = panel_of(seqY[from[1]]); // what is selected is in the panel in which the selection began
    while (panel_of(seqY[at[1]]) !== p) at[1] += panel_of(seqY[at[1]]) > p ? 1 : -1;
    var x = [Math.min(from[0], at[0]), Math.max(from[0], at[0])], y = [Math.min(from[1], at[1]), Math.max(from[1], at[1])];
    var parts = ['mp-select'], filters = [in_panel(p), condition(D.x, seqX, x[0], x[1]), condition(D.y, seqY, y[0], y[1])];
    var bx = span(D.x, seqX[x[0]], seqX[x[1]]), by = span(D.y, seqY[y[0]], seqY[y[1]]), total = 0n, i, k;
    marked = times(x, y);
    if (marked) parts.push('--from @' + marked[0], '--to @' + marked[1]);
    if (D.spread) parts.push('--overlap');
    if (D.events) parts.push('-e ' + command.quote(D.events));
    filters = filters.filter(String).join(' && ');
    if (filters) parts.push('-f ' + command.quote(filters));
    for (i = x[0]; i <= x[1]; i++) for (k = y[0]; k <= y[1]; k++) total += big(cell(seqX[i], seqY[k]));
    place(range, bx, by);
    text.write(command.line(parts, D.files));
    return total;
  };
  var select = function () {
    var total = write_command();
    read.textContent = 'selected: ' + D.weight + ' ' + sum(String(total)) + '; the command below selects it';
  };
  // Tells a page that this picture is a part of; a heat map without times has nothing to tell.
  var tell = function () {
    if (D.x.time || D.y.time) link.tell(marked);
  };
  var clear = function () {
    from = marked = null;
    mp.set_visible(range, false);
    text.write('');
  };

  var where = function (e) {
    var p = mp.place_of(e);
    return [find(D.x, seqX, p.x), find(D.y, seqY, p.y)];
  };
  hit.addEventListener('pointermove', function (e) {
    at = where(e);
    show(at);
    if (dragging && (from[0] !== at[0] || from[1] !== at[1])) select();
  });
  hit.addEventListener('pointerdown', function (e) {
    if (D.two) return; // two recordings have no command for one selection
    clear();
    at = from = where(e);
    dragging = true;
    try { hit.setPointerCapture(e.pointerId); } catch (err) { /* a pointer that a test made */ }
    e.preventDefault();
    hit.focus();
  });
  hit.addEventListener('pointerup', function (e) {
    if (!dragging) return;
    dragging = false;
    at = where(e);
    select();
    tell();
    tip.hide();
  });
  hit.addEventListener('pointerleave', function () { if (!dragging) hide(); });
  hit.addEventListener('blur', hide);
  hit.addEventListener('keydown', function (e) {
    var step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], Home: [-1e9, 0], End: [1e9, 0], PageUp: [0, 8], PageDown: [0, -8] }[e.key];
    if (e.key === 'Escape') { clear(); tell(); hide(); read.textContent = ''; }
    if (!step) return;
    e.preventDefault();
    var old = at || [0, 0], fresh = !at;
    at = [old[0] + step[0], old[1] + step[1]];
    if (fresh) at = [0, 0];
    at[0] = Math.min(Math.max(at[0], 0), seqX.length - 1);
    at[1] = Math.min(Math.max(at[1], 0), seqY.length - 1);
    if (!e.shiftKey || D.two) clear();
    else if (!from) from = old;
    show(at);
    if (e.shiftKey && !D.two) {
      select();
      tell();
    }
  });
  // Marks what the page has marked: all bins of the axis of time that it is in.
  link.follow(function (wanted) {
    var a = D.x.time ? D.x : D.y, bins = [], i, here, all;
    clear();
    for (i = 0; wanted && a.time && !D.y.offset && i < a.n; i++)
      if (big(a.edge[i + 1]) > wanted[0] && big(a.edge[i]) < wanted[1]) bins.push(i);
    if (!bins.length) return;
    here = span(a, bins[0], bins[bins.length - 1]);
    all = a === D.x ? span(D.y, seqY[0], seqY[seqY.length - 1]) : span(D.x, seqX[0], seqX[seqX.length - 1]);
    place(range, a === D.x ? here : all, a === D.x ? all : here);
  });
})();
