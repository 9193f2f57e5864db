#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints what a page of mp-timeline holds: timeline.py FILE. See lib/timeline/timelinedata.h.

Lines begin with what they are: row NAME; span and instant ROW BEGIN DURATION TYPE LABEL FIELDS STACK; arrow FROM-ROW TIME
TO-ROW TIME; level ROW TYPE LABEL BEGINS NS; counter ROW TYPE VALUES SUM; lost FROM TIME NUMBER. Times are on the clock of the stream.
"""
import base64
import json
import re
import sys
import zlib


def numbers(data):
    v = shift = 0
    for b in data:
        v |= (b & 127) << shift
        shift += 7
        if b < 128:
            yield v
            v = shift = 0


def signed(v):
    return v >> 1 if not v & 1 else -(v >> 1) - 1


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', text)[1]))
    sizes = [int(v) for v in re.search(r'sizes:\[([0-9,]*)\]', text)[1].strip(',').split(',')]
    number = lambda name: int(re.search(r'[{,]' + name + r':"?([0-9]+)', text)[1])
    how = lambda name: [int(v) for v in re.search(name + r':\[([0-9,]*)\]', text)[1].split(',')]
    parts, at = [], 0
    for size in sizes:
        parts.append(data[at:at + size])
        at += size
    names, values, stacks = (json.loads(part) for part in parts[:3])
    numbers_left = numbers(parts[3])
    take = lambda n: [next(numbers_left) for _ in range(n)]
    base, n, rows = number('base'), number('singles'), names['rows']

    def category(c):
        kind, label = names['categories'][c]
        return [names['types'][kind], names['labels'][label] if label >= 0 else '-']

    row_of = [row for row, count in enumerate(take(len(rows))) for _ in range(count)]
    begins, durs, categories, shapes, stack = (take(n) for _ in range(5))
    fields = [[] for _ in range(n)]
    for key, name in enumerate(names['keys']):
        for i in range(n):
            if key in names['shapes'][shapes[i]]:
                fields[i].append(name + '=' + values[next(numbers_left)])
    for row in rows:
        print('row', row)
    for i in range(n):
        if i and row_of[i] == row_of[i - 1]:
            begins[i] += begins[i - 1]
        print('span' if durs[i] else 'instant', rows[row_of[i]], base + begins[i], max(durs[i] - 1, 0), *category(categories[i] >> 1),
              'marked' if categories[i] & 1 else '-', ' '.join(fields[i]), stacks[stack[i] - 1] if stack[i] else '-', sep='\t')
    n = number('arrows')
    times, lengths, sources, targets, singles = (take(n) for _ in range(5))
    for i in range(n):
        times[i] += times[i - 1] if i else 0
        print('arrow', rows[sources[i]], base + times[i], rows[targets[i]], base + times[i] + signed(lengths[i]), sep='\t')
    for what in 'levels', 'counters':
        groups = [take(3) for _ in range(next(numbers_left))]
        take(sum(g[2] for g in groups))
        counts = [sum(take(g[2])) for g in groups]
        sums = [sum(map(signed, take(g[2]))) for g in groups]
        for (row, kind, _), count, total in zip(groups, counts, sums):
            where = [rows[row], *category(kind)] if what == 'levels' else [rows[names['series'][row][0]], names['series'][row][1]]
            print(what[:-1], *where, count, total, sep='\t')
        assert len(how(what)) == 3
    assert next(numbers_left, None) is None
    for begin, time, lost in names['lost']:
        print('lost', base + begin, base + time, lost, sep='\t')


main()
