#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads the SVG of a heat map.

heat.py sum FILE               the sum of all cells
heat.py describe FILE          bins, ranges, overflow
heat.py compare FILE X Y < IN  bins the points or events of IN by fields X and Y with the edges of the picture,
                               and prints the cells that differ; X or Y is time, dur, x, y or any field
heat.py exact FILE X Y < IN    sum, compare and shapes
heat.py groups FILE X Y G < IN  as exact, for each value of the field G, which is that of --panels or --hue; a number per panel or
                               hue, and whether each cell is drawn in its panel, or in the hue that is most of it
heat.py shapes FILE            checks that the drawn rectangles are the cells of the data, each in one colour
"""
import bisect
import json
import re
import sys
import xml.etree.ElementTree as ET


def table(text, height, width):
    rows = [[int(v or 0) for v in row.split(',')] for row in (text.split(';') + [''] * height)[:height]]
    return [row + [0] * (width - len(row)) for row in rows]


def load(path):
    root = ET.parse(path).getroot()
    script = next(e for e in root.iter() if e.tag.endswith('script')).text
    start = script.index('var D=') + 6
    data = json.loads(script[start:script.index('};\n', start) + 1])
    width = data['x']['n'] + 2
    height = (data['y']['n'] + 2) * len(data.get('panels', {}).get('names', ['']))
    return root, data, table(data['cells'], height, width)


def number(text):
    return int(text) if re.fullmatch(r'-?\d+', text) else float(text)


def bin_of(axis, text):
    n = axis['n']
    if 'names' in axis:
        return axis['names'].index(text) if text in axis['names'] else n
    edges = axis['numbers']
    v = number(text)
    if v < edges[0]:
        return n
    i = bisect.bisect_right(edges, v) - 1
    return i if i < n else n + 1


def fields(line):
    if re.match(r'[-+.0-9eE]+,[-+.0-9]', line):
        x, y, info = line.split(',', 2)
        return {'x': x, 'y': y, 'info': info}
    time, kind, rest = line.split(',', 2)
    f = dict(p.split('=', 1) for p in rest.split('\t') if p)
    return dict(f, time=time, type=kind)


def compare(path, x, y):
    _, data, cells = load(path)
    for axis in (data['x'], data['y']):
        if 'edge' in axis:
            axis['numbers'] = [number(e) for e in axis['edge']]
            assert all(a < b for a, b in zip(axis['numbers'], axis['numbers'][1:])), 'edges do not ascend'
    wanted = [[0] * len(r) for r in cells]
    n = 0
    for line in sys.stdin:
        if line.startswith('{'):
            continue
        f = fields(line.rstrip('\n'))
        n += 1
        wanted[bin_of(data['y'], f[y])][bin_of(data['x'], f[x])] += 1
    bad = [(i, k) for k, row in enumerate(cells) for i, v in enumerate(row) if v != wanted[k][i]]
    for i, k in bad[:5]:
        print(f'cell {i},{k}: {cells[k][i]}, not {wanted[k][i]}')
    print(f'{n} records, {len(bad)} cells differ')


def describe(path):
    _, data, cells = load(path)
    for key in 'xy':
        a = data[key]
        what = f"names {' '.join(a['names'])}" if 'names' in a else f"{a['edge'][0]} to {a['edge'][-1]}"
        print(f"{key} {a['field']}: {a['n']} bins, {what}")
    n, m = data['x']['n'], data['y']['n']
    print('below', sum(cells[m]), 'above', sum(cells[m + 1]), 'left', sum(r[n] for r in cells), 'right', sum(r[n + 1] for r in cells))


def shapes(path):
    root, data, cells = load(path)
    boxes = {}
    for e in root.iter():
        name = e.get('class') or ''
        if not e.tag.endswith('path') or not re.fullmatch(r'c\d+', name):
            continue
        for x, y, w, h in re.findall(r'M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z', e.get('d')):
            boxes.setdefault(float(y), []).append((float(x), float(x) + float(w), int(name[1:])))
    where = []
    for axis in (data['x'], data['y']):
        px, v = axis['px'], []
        for i in range(axis['n']):
            v.append((min(px[i], px[i + 1]) + max(px[i], px[i + 1])) / 2)
        for side in ('below', 'above'):
            v.append(sum(axis[side]) / 2 if side in axis else None)
        where.append(v)
    tops = []
    for i in range(data['y']['n']):
        tops.append(min(data['y']['px'][i], data['y']['px'][i + 1]))
    for side in ('below', 'above'):
        tops.append(data['y'][side][0] if side in data['y'] else None)
    order, wrong = [], 0
    for k, row in enumerate(cells):
        for i, v in enumerate(row):
            x, y = where[0][i], tops[k]
            hit = [c for a, b, c in boxes.get(y, []) if x is not None and a <= x <= b]
            if len(hit) != (1 if v else 0):
                wrong += 1
            elif v:
                order.append((v, hit[0]))
    order.sort()
    steady = all(a[1] <= b[1] for a, b in zip(order, order[1:]))
    print(f"{len(order)} cells, {wrong} wrong, {'more is never paler' if steady else 'colours are not in order'}")


def drawn(root):
    """The rectangles of cells: (class, left, right, top)."""
    def walk(e, down):
        m = re.match(r'translate\(0,([\d.]+)\)', e.get('transform') or '')
        down += float(m[1]) if m else 0
        if e.tag.endswith('path') and re.fullmatch(r'[ch]\d+', e.get('class') or ''):
            for x, y, w in re.findall(r'M([\d.]+) ([\d.]+)h([\d.]+)v[\d.]+h-[\d.]+z', e.get('d')):
                yield e.get('class'), float(x), float(x) + float(w), float(y) + down
        for child in e:
            yield from walk(child, down)
    return list(walk(root, 0))


def groups(path, x, y, group):
    root, data, rows = load(path)
    for axis in (data['x'], data['y']):
        axis['numbers'] = [number(e) for e in axis.get('edge', [])]
    g = data.get('panels') or data['hues']
    width, height, n = data['x']['n'] + 2, data['y']['n'] + 2, len(g['names'])
    if 'panels' in data:
        cells = [rows[p * height:(p + 1) * height] for p in range(n)]
    else:
        cells = [table(c, height, width) for c in g['cells']]
        assert all(sum(c[k][i] for c in cells) == rows[k][i] for k in range(height) for i in range(width)), 'hues do not add up'
    wanted = [[[0] * width for _ in range(height)] for _ in range(n)]
    for line in sys.stdin:
        if not line.startswith('{'):
            f = fields(line.rstrip('\n'))
            p = g['names'].index(f[group]) if f[group] in g['names'] else g['names'].index(None)
            wanted[p][bin_of(data['y'], f[y])][bin_of(data['x'], f[x])] += 1
    bad = sum(a != b for p in range(n) for r, w in zip(cells[p], wanted[p]) for a, b in zip(r, w))
    places = {}
    for name, left, right, top in drawn(root):
        places.setdefault(top, []).append((left, right, name))
    wrong = 0
    for p in range(n if 'panels' in data else 1):
        for k in range(data['y']['n']):
            top = min(data['y']['px'][k:k + 2]) + p * g.get('step', 0)
            for i in range(data['x']['n']):
                middle = sum(data['x']['px'][i:i + 2]) / 2
                hit = [c for a, b, c in places.get(top, []) if a < middle < b]
                if 'panels' in data:
                    wrong += len(hit) != (cells[p][k][i] > 0)
                else:
                    parts = [c[k][i] for c in cells]
                    wrong += hit != ([f'h{parts.index(max(parts))}'] if max(parts) else [])
    print(*('other' if m is None else m for m in g['names']))
    print(*(sum(map(sum, c)) for c in cells))
    print(f'{bad} cells differ, {wrong} are drawn wrong')


def main(what, path, fields_of_axes):
    if what == 'groups':
        groups(path, *fields_of_axes)
        return
    if what in ('sum', 'exact'):
        print(sum(map(sum, load(path)[2])))
    if what in ('compare', 'exact'):
        compare(path, *fields_of_axes)
    if what in ('shapes', 'exact'):
        shapes(path)
    if what == 'describe':
        describe(path)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
