#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the stacks of a page of mp-flame as folded text, sorted: flame.py FILE."""
import json
import re
import sys

LETTERS = {c: i for i, c in enumerate('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')}


def numbers(text):
    value = shift = 0
    for c in text:
        value |= (LETTERS[c] & 31) << shift
        shift += 5
        if LETTERS[c] < 32:
            yield value
            value = shift = 0


def stacks(page):
    names = json.loads(re.search(r'names:(\[.*?\])};\n', page, re.S)[1])
    source = numbers(re.search(r'id="nodes">([^<]*)</script>', page)[1])
    path = []
    if next(source):
        raise ValueError('the root has a weight of its own')
    for head in source:
        if head & 2:
            del path[len(path) - next(source):]
        path.append(names[head >> 2])
        if head & 1:
            yield ';'.join(path), next(source)


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        for stack, weight in sorted(stacks(file.read())):
            print(stack, weight)


main()
