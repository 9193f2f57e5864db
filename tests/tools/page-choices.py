#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a page of mp-page shows, compared with the results of the commands that it shows.

page-choices.py steps PAGE N          N random choices of range, task and stack, and of the weight, as steps of tests/svg/page.py
page-choices.py compare ANSWERS       runs the commands of each answer, in the current folder; fails if a result differs
"""
import csv
import json
import random
import re
import subprocess
import sys


def steps(page, n):
    text = open(page, errors='replace').read()
    bins, nodes = (int(re.search(rf'\b{name}:(\d+),', text)[1]) for name in ('bins', 'nodes'))
    measured = 'measure:"",' not in text
    random.seed(3)
    for _ in range(n):
        parts = []
        if random.random() < 0.8:
            a, b = sorted(random.sample(range(bins + 1), 2))
            if random.random() < 0.3:
                b = a + 1 + int((b - a) * random.random() ** 4)
            parts.append(f'time={a}-{b}')
        if random.random() < 0.7:
            parts.append(f'of={int(nodes * random.random() ** random.choice((1, 6)))}')
        if measured:
            parts.append(random.choice(('sums', 'counts')))
        print('fragment:' + '&'.join(parts))
        if random.random() < 0.2:
            print('task:1')
        print('answer:ANSWERS')


def run(command):
    return subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()


def stacks(text):
    # mp-fold escapes a brace at the beginning of a frame
    return sorted([line.rsplit(' ', 1)[0].replace('\\x7b', '{'), int(line.rsplit(' ', 1)[1])] for line in text.splitlines())


def histogram(text):
    return [[float(low), float(high), int(n)] for low, high, n in (line.split('\t') for line in text.splitlines()[1:])]


def tasks(text, fields):
    rows = list(csv.reader(text.splitlines(), delimiter='\t'))
    value = rows[0].index('sum' if 'sum' in rows[0] else 'count') if rows else 0
    return sorted((' '.join(row[:fields]), int(row[value])) for row in rows[1:] if row[value] != '0')


def differences(answer):
    """Yields what differs: what the page says, what the command says."""
    weighed = re.search(r'mp-fold .*-w ', answer['commands'][0])
    got = sorted([re.sub(r'(?<=;)\(empty\)', '', name), weight] for name, weight in answer['stacks'])
    yield 'flame graph', got, [s for s in stacks(run(answer['commands'][0])) if s[1] > 0]
    for command in answer['commands'][1:]:
        if ' --by ' not in command and ' --count ' not in command:
            yield 'histogram', [b for b in answer['histogram'] if b[2]], histogram(run(command + ' --tsv'))
        else:
            fields = re.search(r' --(?:by|count) (\S+)', command)[1].count(',') + 1
            got = sorted((row[0], row[2 if weighed else 1]) for row in answer['tasks'] if row[2 if weighed else 1])
            if re.search(r' -f ', command) and 'stack~' not in command:  # a chosen task is among all of them
                wanted = tasks(run(command + ' --tsv'), fields)
                yield 'task', [row for row in got if row in wanted], wanted
            else:
                yield 'tasks', got, tasks(run(command + ' --tsv'), fields)


def compare(file):
    n = nothing = wrong = 0
    for line in open(file):
        answer = json.loads(line)
        n += 1
        nothing += not answer['stacks']
        for what, got, wanted in differences(answer):
            if got != wanted:
                wrong += 1
                print(what, 'differs:', *answer['commands'], sep='\n')
                print('page:', str([row for row in got if row not in wanted])[:400])
                print('command:', str([row for row in wanted if row not in got])[:400])
    print(n, 'choices,', nothing, 'without events,', wrong, 'wrong')
    return 1 if wrong or not n else 0


if sys.argv[1] == 'steps':
    steps(sys.argv[2], int(sys.argv[3]))
else:
    sys.exit(compare(sys.argv[2]))
