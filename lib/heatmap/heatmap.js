// SPDX-License-Identifier: GPL-2.0-only
// What a heat map does where scripts run: cells under the pointer or the arrow keys are told, a range that is
// dragged over (or selected with shift and arrows) gives the mp-select command for it. D is the data, see
// lib/heatmap/heatdata.c. Nothing of it ever becomes markup: text is set as text.
(function () {
  'use strict';
  var get = function (id) { return document.getElementById('mp-' + id); };
  var svg = document.querySelector('svg[data-mp]') || document.documentElement;
  var hit = get('hit'), cursor = get('cursor'), range = get('range'), tip = get('tip'), read = get('read'), cmd = get('cmd');
  if (!hit || !svg.getScreenCTM) return;
  var rows = D.cells.split(';').map(function (r) { return r.split(','); });
  var at = null, from = null, dragging = false;

  var big = function (s) { return BigInt(s); };
  var count = function (s) { return String(s).replace(/\B(?=(\d{3})+$)/g, ','); };
  var scales = {
    ns: [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']],
    B: [[1099511627776, 'TiB'], [1073741824, 'GiB'], [1048576, 'MiB'], [1024, 'KiB'], [1, 'B']]
  };
  var plain = function (v) { return String(Number(v.toPrecision(15))); };
  var value = function (v, unit) {
    var s = scales[unit] || [[1, unit]], i = 0;
    while (i < s.length - 1 && Math.abs(v) < s[i][0]) i++;
    if (v === 0) i = s.length - 1;
    return plain(v / s[i][0]) + (s[i][1] ? ' ' + s[i][1] : '');
  };
  var sum = function (s) { return D.unit ? value(Number(s), D.unit) + ' (' + count(s) + ')' : count(s); };
  var edge = function (a, i) {
    return a.zero === undefined ? value(Number(a.edge[i]), a.unit) : value(Number(big(a.edge[i]) - big(a.zero)), 'ns');
  };
  var cell = function (x, y) { return (rows[y] && rows[y][x]) || '0'; };

  // bins of an axis in the order in which they stand: below, the n, above
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
  var box = function (a, i) {
    return i < a.n ? [a.px[i], a.px[i + 1]] : i === a.n ? a.below : a.above;
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
    rect.setAttribute('visibility', 'visible');
  };
  var told = function (a, i) {
    if (a.names) return a.name + ' ' + (i < a.n ? a.names[i] : 'other');
    if (i === a.n) return a.name + ' < ' + edge(a, 0);
    if (i > a.n) return a.name + ' \u2265 ' + edge(a, a.n);
    return a.name + ' ' + edge(a, i) + ' to ' + edge(a, i + 1);
  };

  var show = function (c) {
    var x = seqX[c[0]], y = seqY[c[1]], bx = span(D.x, x, x), by = span(D.y, y, y);
    var lines = [told(D.x, x), told(D.y, y), D.weight + ' ' + sum(cell(x, y))];
    if (D.lost[x]) lines.push('lost here: ' + count(D.lost[x]));
    place(cursor, bx, by);
    read.textContent = lines.join(', ');
    var texts = tip.querySelectorAll('text'), rect = tip.querySelector('rect'), width = 0, i;
    tip.setAttribute('visibility', 'visible');
    for (i = 0; i < texts.length; i++) {
      texts[i].textContent = lines[i] || '';
      width = Math.max(width, texts[i].getComputedTextLength());
    }
    width += 20;
    rect.setAttribute('width', width);
    rect.setAttribute('height', lines.length * 16 + 10);
    var all = svg.viewBox.baseVal, left = bx[1] + 12, top = by[0] - lines.length * 16 - 16;
    if (left + width > all.width) left = Math.max(0, bx[0] - width - 12);
    if (top < 0) top = by[1] + 8;
    tip.setAttribute('transform', 'translate(' + left + ' ' + top + ')');
  };
  var hide = function () {
    cursor.setAttribute('visibility', 'hidden');
    tip.setAttribute('visibility', 'hidden');
  };

  var quote = function (s) { return "'" + s.replace(/'/g, "'\\''") + "'"; };
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
  var window_ = function (x0, x1, y0, y1) {
    var a = D.x, lo = big(a.edge[x0]), hi = big(a.edge[x1 + 1]);
    if (D.y.offset && hi - lo === 1000000000n) { // one second: its part
      hi = lo + big(D.y.edge[y1 + 1]);
      lo += big(D.y.edge[y0]);
    }
    return ['--from @' + clamp(lo), '--to @' + clamp(hi)];
  };
  var ask = function (a, seq, i, k) {
    var bins = seq.slice(i, k + 1);
    if (a.time || a.offset) return '';
    return a.names ? named(a, bins) : bounds(a, bins[0], bins[bins.length - 1]);
  };
  // The command, on as many lines as it takes; the picture grows where it must.
  var tall = svg.viewBox.baseVal.height;
  var write = function (text) {
    var x = Number(cmd.getAttribute('x')), room = Math.floor((svg.viewBox.baseVal.width - x - 12) / 7.3), n = 0;
    cmd.textContent = '';
    while (text) {
      var cut = text.length <= room ? text.length : text.lastIndexOf(' ', room - 1) + 1 || room;
      var line = document.createElementNS(svg.namespaceURI, 'tspan');
      line.setAttribute('x', x);
      if (n++) line.setAttribute('dy', 16);
      line.textContent = text.slice(0, cut);
      cmd.appendChild(line);
      text = text.slice(cut);
    }
    var height = Math.max(tall, Number(cmd.getAttribute('y')) + 16 * n);
    svg.setAttribute('height', height);
    svg.setAttribute('viewBox', '0 0 ' + svg.viewBox.baseVal.width + ' ' + height);
  };
  var command = function () {
    var x = [Math.min(from[0], at[0]), Math.max(from[0], at[0])], y = [Math.min(from[1], at[1]), Math.max(from[1], at[1])];
    var words = ['mp-select'], filters = [ask(D.x, seqX, x[0], x[1]), ask(D.y, seqY, y[0], y[1])];
    var bx = span(D.x, seqX[x[0]], seqX[x[1]]), by = span(D.y, seqY[y[0]], seqY[y[1]]), total = 0n, i, k;
    if (D.x.time) words = words.concat(window_(seqX[x[0]], seqX[x[1]], seqY[y[0]], seqY[y[1]]));
    else if (D.y.time) words.push('--from @' + clamp(big(D.y.edge[seqY[y[0]]])), '--to @' + clamp(big(D.y.edge[seqY[y[1]] + 1])));
    if (D.spread) words.push('--overlap');
    if (D.events) words.push('-e ' + quote(D.events));
    filters = filters.filter(String).join(' && ');
    if (filters) words.push('-f ' + quote(filters));
    for (i = x[0]; i <= x[1]; i++) for (k = y[0]; k <= y[1]; k++) total += big(cell(seqX[i], seqY[k]));
    place(range, bx, by);
    write(words.join(' '));
    return total;
  };
  var select = function () {
    var total = command();
    read.textContent = 'selected: ' + D.weight + ' ' + sum(String(total)) + '; the command for it is below';
  };
  var clear = function () {
    from = null;
    range.setAttribute('visibility', 'hidden');
    write('');
  };

  var where = function (e) {
    var m = svg.getScreenCTM().inverse(), x = e.clientX * m.a + e.clientY * m.c + m.e, y = e.clientX * m.b + e.clientY * m.d + m.f;
    return [find(D.x, seqX, x), find(D.y, seqY, y)];
  };
  hit.addEventListener('pointermove', function (e) {
    at = where(e);
    show(at);
    if (dragging && (from[0] !== at[0] || from[1] !== at[1])) select();
  });
  hit.addEventListener('pointerdown', function (e) {
    clear();
    at = from = where(e);
    dragging = true;
    try { hit.setPointerCapture(e.pointerId); } catch (err) { /* a made-up pointer */ }
    e.preventDefault();
    hit.focus();
  });
  hit.addEventListener('pointerup', function (e) {
    if (!dragging) return;
    dragging = false;
    at = where(e);
    select();
    tip.setAttribute('visibility', 'hidden');
  });
  hit.addEventListener('pointerleave', function () { if (!dragging) hide(); });
  hit.addEventListener('blur', hide);
  hit.addEventListener('keydown', function (e) {
    var step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], Home: [-1e9, 0], End: [1e9, 0], PageUp: [0, 8], PageDown: [0, -8] }[e.key];
    if (e.key === 'Escape') { clear(); hide(); read.textContent = ''; }
    if (!step) return;
    e.preventDefault();
    var old = at || [0, 0], fresh = !at;
    at = [old[0] + step[0], old[1] + step[1]];
    if (fresh) at = [0, 0];
    at[0] = Math.min(Math.max(at[0], 0), seqX.length - 1);
    at[1] = Math.min(Math.max(at[1], 0), seqY.length - 1);
    if (!e.shiftKey) clear();
    else if (!from) from = old;
    show(at);
    if (e.shiftKey) select();
  });
})();
