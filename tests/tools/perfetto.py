#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# Reads the text of `protoc --decode=perfetto.Trace` and prints the rows that Perfetto's trace
# processor has for it, as its documentation says: packets are sorted by time, a slice ends with the
# next end on its track, what runs on a CPU does so until the next switch there, a flow leads from
# the first event with its number to the next one, and numbers of names are those of the sequence.
# "sched CPU TIME DUR TID", "state TID STATE TIME DUR WAKER", "slice TRACK NAME TIME DUR ARGS",
# "flow NAME TIME NAME TIME", "counter TRACK TIME VALUE", "sample EVENT CPU TIME TID STACK COUNT".
import collections
import re
import sys


def parse(lines):
    top = {}
    stack = [top]
    for line in lines:
        line = line.strip()
        if line.endswith('{'):
            inner = {}
            stack[-1].setdefault(line[:-2], []).append(inner)
            stack.append(inner)
        elif line == '}':
            stack.pop()
        else:
            key, value = line.split(': ', 1)
            if not re.match('[a-z_]+$', key):
                sys.exit(f'field {key} has no name')
            stack[-1].setdefault(key, []).append(value[1:-1] if value[0] == '"' else value == 'true' if value[0] in 'tf' else
                                                 float(value) if re.search('[.en]', value) else int(value))
    return top['packet']


def one(message, key, default=None):
    return message.get(key, [default])[0]


packets = parse(sys.stdin)
interned = collections.defaultdict(dict)
begun, timebases, tracks = set(), {}, {}
timed = []
for p in packets:
    seq = one(p, 'trusted_packet_sequence_id')
    if one(p, 'sequence_flags') == 1:
        begun.add(seq)
        perf = one(one(p, 'trace_packet_defaults'), 'perf_sample_defaults')
        timebases[seq] = perf and one(one(perf, 'timebase'), 'name')
    elif seq is not None and seq not in begun:
        sys.exit(f'sequence {seq} has no beginning')
    for kind, entries in one(p, 'interned_data', {}).items():
        for entry in entries:
            interned[seq, kind][one(entry, 'iid')] = entry
    d = one(p, 'track_descriptor')
    if d:
        tracks.setdefault(one(d, 'uuid'), d).update(d)
    for e in one(p, 'ftrace_events', {}).get('event', []):
        timed.append((one(e, 'timestamp'), p, e))
    if 'track_event' in p or 'perf_sample' in p:
        timed.append((one(p, 'timestamp'), p, None))
timed.sort(key=lambda t: t[0])


def name(seq, kind, iid):
    return one(interned[seq, kind][iid], 'str')


def track_name(uuid):
    d = tracks[uuid]
    parent = one(d, 'parent_uuid')
    if 'thread' in d:
        return f"{one(one(d, 'thread'), 'pid')}/{one(one(d, 'thread'), 'tid')}/{one(one(d, 'thread'), 'thread_name')}"
    if 'process' in d:
        return f"{one(one(d, 'process'), 'pid')}/{one(one(d, 'process'), 'process_name')}"
    return (track_name(parent) + '/' if parent else '') + one(d, 'name')


def stack_of(seq, iid):
    frames = []
    for f in interned[seq, 'callstacks'][iid]['frame_ids']:
        frame = interned[seq, 'frames'][f]
        mapping = interned[seq, 'mappings'][one(frame, 'mapping_id')]
        path = name(seq, 'mapping_paths', mapping['path_string_ids'][0])
        place = ''
        if path:
            build = one(mapping, 'build_id')
            place = '+0x%x@%s%s' % (one(frame, 'rel_pc'), path, ':' + name(seq, 'build_ids', build) if build else '')
        frames.append(name(seq, 'function_names', one(frame, 'function_name_id')) + place)
    return ';'.join(frames)


running, states, open_slices, flows = {}, {}, collections.defaultdict(list), {}


def state(tid, new, now, waker=''):
    if tid in states and tid:
        print('state', tid, states[tid][0], states[tid][1], now - states[tid][1], states[tid][2])
    states[tid] = (new, now, waker)


for now, p, e in timed:
    seq, t, s = one(p, 'trusted_packet_sequence_id'), one(p, 'track_event'), one(p, 'perf_sample')
    if e and 'sched_switch' in e:
        cpu, w = one(one(p, 'ftrace_events'), 'cpu'), one(e, 'sched_switch')
        if cpu in running and running[cpu][0] == one(w, 'prev_pid'):
            print('sched', cpu, running[cpu][1], now - running[cpu][1], running[cpu][0])
        running[cpu] = (one(w, 'next_pid'), now)
        state(one(w, 'prev_pid'), one(w, 'prev_state', 0), now)
        state(one(w, 'next_pid'), 'running', now)
    elif e and 'sched_waking' in e:
        tid = one(one(e, 'sched_waking'), 'pid')
        if tid not in states or states[tid][0] not in ('running', 'runnable', 0):
            state(tid, 'runnable', now, one(e, 'pid', 0))
    elif s:
        iid = one(s, 'callstack_iid')
        print('sample', timebases[seq], one(s, 'cpu', '-'), now, one(s, 'tid'), stack_of(seq, iid) if iid else '', one(s, 'timebase_count'), sep='\t')
    elif t and t['type'][0] == 4:
        print('counter', track_name(one(t, 'track_uuid')), now, one(t, 'counter_value', one(t, 'double_counter_value')), sep='\t')
    elif t and t['type'][0] == 2:
        begin, slice_name, args = open_slices[one(t, 'track_uuid')].pop()
        print('slice', track_name(one(t, 'track_uuid')), slice_name, begin, now - begin, args, sep='\t')
    elif t:
        slice_name = name(seq, 'event_names', one(t, 'name_iid'))
        args = ' '.join(f"{name(seq, 'debug_annotation_names', one(a, 'name_iid'))}={one(a, 'int_value', one(a, 'string_value'))}"
                        for a in t.get('debug_annotations', []))
        if 'callstack_iid' in t:
            args += ' stack=' + stack_of(seq, t['callstack_iid'][0])
        for flow in t.get('terminating_flow_ids', []):
            if flow in flows:
                print('flow', *flows.pop(flow), slice_name, now, sep='\t')
        for flow in t.get('flow_ids', []):
            flows[flow] = (slice_name, now)
        if t['type'][0] == 1:
            open_slices[one(t, 'track_uuid')].append((now, slice_name, args))
        else:
            print('instant', track_name(one(t, 'track_uuid')), slice_name, now, args, sep='\t')
if any(open_slices.values()):
    sys.exit('a slice has no end')
