#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nomem.py COMMAND...: the command with each of its allocations failing once, from the first on, at most 400 of them.

It must end with status 2 and one message after what it usually prints, or change nothing, since the C library can do
without some allocations. With sanitizers, which make a program start slowly, these are each of the first 50, and then
every fifth. Prints how many ended the command, status 1 if one did wrong or fewer than 5
did."""
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.environ['BUILD']
MESSAGE = rb'(out of memory|cannot .*: Cannot allocate memory)'


def run(command, at=None, reached=None):
    env = dict(os.environ)
    if at:
        env |= {'ASAN_OPTIONS': env.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0',
                'NOMEM_AT': str(at), 'NOMEM_SAYS': reached, 'LD_PRELOAD': f'{BUILD}/preload/nomem.so'}
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def check(command, reached):
    name = os.path.basename(command[0]).encode()
    usual = run(command)
    slow = 'san-' in BUILD
    failures = tried = 0
    for n in range(1, 401):
        if slow and n > 50 and n % 5 != 0:
            continue
        if os.path.exists(reached):
            os.unlink(reached)
        status, out, err = run(command, n, reached)
        if not os.path.exists(reached):
            break
        tried += 1
        if (status, out, err) == usual:
            continue
        *before, last = err.splitlines() or [b'']
        if status != 2 or before != usual[2].splitlines()[:len(before)] or not re.match(name + b': ' + MESSAGE, last):
            print(f'{command[0]}, allocation {n}: status {status}\n{err.decode(errors="replace")}')
            return 1
        failures += 1
    print(f'{" ".join(command)}: {failures} of {tried} allocations that failed ended the program')
    return failures < 5


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as box:
        sys.exit(check(sys.argv[1:], box + '/reached'))
