#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""foreign.py FORMAT MB: text of another profiler, of about MB megabytes, for measurements of mp-import."""
import random
import sys

random.seed(1)
NAMES = [f'function_{i}' for i in range(500)]


def stack():
    return random.choices(NAMES, k=20)


def bpftrace():
    yield 'Attaching 1 probe...\n\n\n'
    while True:
        yield '@[\n' + ''.join(f'    {name}+{len(name)}\n' for name in stack()) + f', thread]: {random.randrange(99)}\n'


def bcc():
    yield 'Tracing off-CPU time (us) of all threads by user + kernel stack... Hit Ctrl-C to end.\n'
    while True:
        yield ''.join(f'    {name}\n' for name in stack()) + f'    -                thread (12)\n        {random.randrange(99)}\n\n'


def strace():
    for i in range(1 << 40):
        yield (f'{100 + i % 5} {1795446316 + i // 10000}.{i % 10000 * 100:06d} openat(AT_FDCWD, "/etc/file-{i % 100}", O_RDONLY|O_CLOEXEC) = '
               f'-1 ENOENT (No such file or directory) <0.0000{i % 90 + 10}>\n')


def perf_trace():
    for i in range(1 << 40):
        yield f'{i / 100:10.3f} ( 0.0{i % 90 + 10} ms): sh/{100 + i % 5} openat(dfd: CWD, filename: 0x1695a0b1, flags: RDONLY|CLOEXEC) = {i % 9}\n'


def blkparse():
    for i in range(1 << 40):
        yield f'  8,0  {i % 4:3d} {i:8d} {i // 10000:5d}.{i % 10000 * 100000:09d} {697 + i % 5:5d}  {"QGIDC"[i % 5]}   W {i * 8} + 8 [thread]\n'


def chrome():
    yield '{"traceEvents":[\n{"name":"first","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}'
    for i in range(1 << 40):
        yield f',\n{{"name":"{random.choice(NAMES)}","cat":"c","ph":"X","ts":{i * 3}.5,"dur":{i % 90}.25,"pid":1,"tid":{i % 5},"args":{{"n":{i},"s":"text"}}}}'


def cpuprofile():
    """A tree of 50,000 nodes, and samples of them after it; each sample is 1000 us long."""
    nodes = 50000
    yield '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}'
    for i in range(2, nodes):
        yield f',\n{{"id":{i},"parent":{max(1, i // 2)},"callFrame":{{"functionName":"{random.choice(NAMES)}","url":"file:///app/{i % 50}.js","lineNumber":{i % 999}}}}}'
    yield '],\n"startTime":1,"endTime":2,"samples":[1'
    samples = 1000000
    for i in range(1, samples):
        yield f',{random.randrange(2, nodes)}'
    yield '],\n"timeDeltas":[0' + ',1000' * (samples - 1) + ']}\n'


def austin():
    yield '# austin: 3.4.1\n# interval: 100\n# mode: wall\n\n'
    while True:
        yield 'P1;T2;' + ';'.join(f'/usr/lib/python3/{name}.py:{name}:{len(name)}' for name in stack()) + f' {random.randrange(9999)}\n'


CLOSING = {'chrome': '\n]}\n'}


def main():
    kind, left = sys.argv[1], int(sys.argv[2]) << 20
    for text in globals()[kind.replace('-', '_')]():
        sys.stdout.write(text)
        left -= len(text)
        if left < 0:
            break
    sys.stdout.write(CLOSING.get(kind, ''))


main()
