#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""extremes.py DIR: writes streams whose times, ids, values, weights and counts are at the limits of their types."""
import itertools
import sys

MAX = 2**63 - 1
MIN = -MAX - 1
NUMBERS = [0, 1, -1, MAX, -MAX, MIN, MAX - 1, 2**64 - 1, 2**62, -2**62, '1e308', '-1e308', '1e-308', '0x7fffffffffffffff',
           '0xffffffffffffffff', '4.9e-324', '9223372036854775807.5']
TIMES = [0, 1, 2**53, MAX // 2, 2**62, MAX - 1, MAX]
COORDINATES = [MIN, '-1.7976931348623157e308', '-1e308', -1, '-4.9e-324', 0, '4.9e-324', '1e-300', '0.5', 1, 2**53 + 1,
               '1e18', MAX, '1e19', '1e308', '1.7976931348623157e308']


def event(time, value=1, number=1):
    return f'{time},a:b,cpu={number}\tpid={number}\ttid={number}\tcomm=x\tdur={value}\tv={value}'


def switch(time, cpu, prev, state, after):
    return (f'{time},sched:sched_switch,cpu={cpu}\tpid={prev}\ttid={prev}\tcomm=x\t.prev_comm=x\t.prev_pid={prev}\t'
            f'.prev_prio=120\t.prev_state={state}\t.next_comm=y\t.next_pid={after}\t.next_prio=120\tstack=a;b')


def sections(*all_lines, lost=0):
    for lines in all_lines:
        yield f'{{"mp":1,"datatype":"event","clock":"monotonic","clock_ns":0,"realtime_ns":{MAX}}}'
        yield from lines
        records = sum(line[0] != '{' for line in lines)
        yield f'{{"end":"event","records":{records},"lost":{lost},"time":{MAX},"fired":{MAX},"excluded":{MAX}}}'


def loss(from_ns, time, cpu):
    return f'{{"lost":{MAX},"from":{from_ns},"time":{time},"cpu":{cpu}}}'


points = [f'{x},{y},x{i % 3}' for i, (x, y) in enumerate(itertools.product(COORDINATES, COORDINATES))]
whole = [f'{x},{y},x' for x in (MAX, MIN, 0, MAX // 2) for y in (MAX, MIN, 0)]
STREAMS = {
    'times': sections([event(t) for t in TIMES]),
    'times-alone': [event(t) for t in TIMES],
    'one': [event(MAX)],
    'two': [event(0, 0), event(MAX, MAX)],
    'back': sections([event(MAX, MAX)], [event(0, 0)]),
    'values': [event(MAX - 5, v) for v in NUMBERS],
    'values-early': [event(i, v) for i, v in enumerate(NUMBERS)],
    'ids': [event(i, 1, v) for i, v in enumerate(NUMBERS)],
    'losses': sections([event(1), loss(0, MAX, 0)], [event(2), loss(MAX, MAX, 2147483647)], [event(3)], lost=MAX),
    'loss-before': sections([loss(5, 1, -1), event(MAX), loss(0, 3, 0)], lost=MAX),
    'switches': sections([switch(0, 0, 1, 1, 2), switch(1, 0, 2, 0, 1), switch(MAX - 1, 0, 1, 1, 2),
                          switch(MAX, 0, 2, 0, 2**31 - 1), switch(MAX, 2**31 - 1, -1, MAX, -2**31)],
                         [switch(MAX - 1, 0, 9, 1, 0), switch(MAX, 0, 0, 0, 9)]),
    'spans': [f'{t},sched:span,cpu=0\tpid=1\ttid=1\tcomm=x\tdur={d}\tstate=run' for t in (0, 1, MAX - 1, MAX)
              for d in (0, 1, MAX - 1, MAX, 2**64 - 1)],
    'pairs': [f'{t},{e}:x,cpu=0\tpid=1\ttid=1\tcomm=x\tdur={MAX}' for t, e in ((0, 'b'), (MAX, 'e'), (MAX, 'b'), (MAX, 'e'))],
    'points': points,
    'points-whole': whole,
    'points-back': whole[::-1],
    'stacks': [f'{w}#a;b' for w in (MAX, MAX, -MAX, MIN, MIN, 0, 1)],
    'folded': [f'a;b {w}' for w in (MAX, MAX, 1, MIN, MIN, -1)],
}
for name, lines in STREAMS.items():
    with open(f'{sys.argv[1]}/{name}.mp', 'w') as f:
        f.writelines(line + '\n' for line in lines)
