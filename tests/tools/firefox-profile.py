#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads a processed profile of the Firefox Profiler as its viewer does, and checks it against the documented format.

firefox-profile.py FILE

The tables and the types of their columns are those of src/types/profile.ts of firefox-devtools/profiler for version 60
(docs-developer/CHANGELOG-formats.md). Prints a line for each thread and stack, and one for each marker, with times in ns:

    sample TID;FRAME;FRAME... WEIGHT
    marker TID BEGIN END NAME FIELDS
"""
import collections
import json
import sys

NUMBER, INDEX, FLAG, NONE = (int, float), (int,), (bool,), (type(None),)
SHARED = {
    'stackTable': {'frame': ('frameTable', False), 'prefix': ('stackTable', True)},
    'frameTable': {'address': INDEX, 'inlineDepth': INDEX, 'category': INDEX, 'subcategory': INDEX, 'func': ('funcTable', False),
                   'nativeSymbol': NONE, 'innerWindowID': NONE, 'line': NONE, 'column': NONE},
    'funcTable': {'name': ('stringArray', False), 'isJS': FLAG, 'relevantForJS': FLAG, 'resource': INDEX, 'source': NONE,
                  'lineNumber': NONE, 'columnNumber': NONE},
    'resourceTable': {'lib': INDEX, 'name': INDEX, 'host': INDEX, 'type': INDEX},
    'nativeSymbols': {'libIndex': INDEX, 'address': INDEX, 'name': INDEX, 'functionSize': INDEX},
    'sources': {'uuid': NONE, 'filename': INDEX},
}
SAMPLES = {'stack': ('stackTable', True), 'time': NUMBER, 'weight': NUMBER}
MARKERS = {'data': (dict,), 'name': ('stringArray', False), 'startTime': NUMBER, 'endTime': NUMBER, 'phase': INDEX, 'category': INDEX}
THREAD = {'processType': (str,), 'processStartupTime': NUMBER, 'processShutdownTime': NONE, 'registerTime': NUMBER, 'unregisterTime': NONE,
          'pausedRanges': (list,), 'name': (str,), 'isMainThread': FLAG, 'pid': (str,), 'tid': INDEX, 'samples': (dict,), 'markers': (dict,)}
META = {'interval': NUMBER, 'startTime': NUMBER, 'processType': INDEX, 'categories': (list,), 'product': (str,), 'stackwalk': INDEX,
        'version': INDEX, 'preprocessedProfileVersion': INDEX, 'markerSchema': (list,)}


def of_type(value, types):
    return type(value) in types  # a bool is not a number here


def check_table(name, table, columns, length_of):
    assert set(table) - {'length', 'weightType'} == set(columns), (name, set(table) ^ set(columns))
    for column, kind in columns.items():
        values = table[column]
        assert len(values) == table['length'], (name, column, len(values), table['length'])
        if isinstance(kind[0], str):
            other, may_be_null = kind
            limit = length_of(other)
            assert all(may_be_null if v is None else of_type(v, INDEX) and 0 <= v < limit for v in values), (name, column)
        else:
            assert all(of_type(v, kind) for v in values), (name, column)


def ns(ms):
    return round(ms * 1e6)


def main():
    profile = json.load(open(sys.argv[1]))
    meta, shared = profile['meta'], profile['shared']
    for key, types in META.items():
        assert of_type(meta[key], types), key
    assert meta['preprocessedProfileVersion'] == 60 and meta['interval'] > 0 and profile['libs'] == []
    assert any(c['color'] == 'grey' for c in meta['categories']) and all(c['subcategories'] for c in meta['categories'])
    schemas = {s['name']: {f['key'] for f in s['fields']} for s in meta['markerSchema']}
    strings = shared['stringArray']
    assert all(isinstance(s, str) for s in strings)

    def length_of(name):
        return len(strings) if name == 'stringArray' else shared[name]['length']

    assert set(shared) == set(SHARED) | {'stringArray'}, set(shared)
    for name, columns in SHARED.items():
        check_table(name, shared[name], columns, length_of)
    stacks, frames, functions = shared['stackTable'], shared['frameTable'], shared['funcTable']
    assert all(p is None or p < i for i, p in enumerate(stacks['prefix'])), 'a parent follows its child'
    assert all(c < len(meta['categories']) for c in frames['category'])
    names = []
    for frame, prefix in zip(stacks['frame'], stacks['prefix']):
        name = strings[functions['name'][frames['func'][frame]]]
        names.append(name if prefix is None else names[prefix] + ';' + name)
    for thread in profile['threads']:
        for key, types in THREAD.items():
            assert of_type(thread[key], types), key
        samples, markers = thread['samples'], thread['markers']
        check_table('samples', samples, SAMPLES, length_of)
        check_table('markers', markers, MARKERS, length_of)
        assert samples['weightType'] in ('samples', 'tracing-ms', 'bytes')
        assert samples['time'] == sorted(samples['time']) and min(samples['time'], default=0) >= 0
        weights = collections.Counter()
        for stack, weight in zip(samples['stack'], samples['weight']):
            weights[names[stack]] += ns(weight) if samples['weightType'] == 'tracing-ms' else weight
        for stack, weight in weights.items():
            print(f'sample {thread["tid"]};{stack} {weight}')
        for data, name, begin, end, phase in zip(*(markers[c] for c in ('data', 'name', 'startTime', 'endTime', 'phase'))):
            assert phase in (0, 1) and 0 <= begin <= end and (phase or begin == end), (begin, end, phase)
            assert set(data) - {'type'} <= schemas[data['type']], data
            print('marker', thread['tid'], ns(begin), ns(end), strings[name], data['fields'])


main()
