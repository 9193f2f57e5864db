#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the stacks of a page of mp-flame as folded text, sorted: flame.py FILE. See lib/flame/flamedata.h.

A page of differences has two weights for each stack.
"""
import base64
import collections
import json
import re
import sys
import zlib


def numbers(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def parts(page):
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]*)</script>', page)[1], validate=True))
    for size in json.loads(re.search(r'sizes:(\[[0-9,]*),\]};\n', page)[1] + ']'):
        yield data[:size]
        data = data[size:]
    if data:
        raise ValueError('there is more data than its parts')


def stacks(page):
    names, looks, *columns, libraries = parts(page)
    names = json.loads(names)
    if len(names) != len(looks):
        raise ValueError('a name has no look')
    if libraries and len(names) != len(list(numbers(libraries))):
        raise ValueError('a name has no library')
    has_sides = bool(columns[-1])
    up, down, weights, calls, callees, after = map(numbers, columns)
    known = collections.defaultdict(list)
    path = [-1]  # the root has no name
    for weight in weights:
        del path[len(path) - next(up):]
        for _ in range(next(down)):
            call = next(calls)
            if not call:
                known[path[-1]].append(next(callees))
            path.append(known[path[-1]][call - 1])
        yield ';'.join(names[name] for name in path[1:]), f'{weight} {next(after)}' if has_sides else weight
    for column in up, down, calls, callees, after:
        if next(column, None) is not None:
            raise ValueError('a part has more numbers than the stacks need')


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        for stack, weight in sorted(stacks(file.read())):
            print(stack, weight)


main()
