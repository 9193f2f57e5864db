#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""pss.py FILE COMMAND...: runs the command and writes to FILE the highest memory (PSS, in KiB) that its processes had at once."""
import glob
import subprocess
import sys
import time


def pss(pid):
    """Returns the KiB of a process and its descendants."""
    total = 0
    try:
        with open(f'/proc/{pid}/smaps_rollup') as f:
            total = sum(int(line.split()[1]) for line in f if line.startswith('Pss:'))
        for path in glob.glob(f'/proc/{pid}/task/*/children'):
            with open(path) as f:
                total += sum(pss(child) for child in f.read().split())
    except OSError:
        pass  # it has ended
    return total


process = subprocess.Popen(sys.argv[2:])
highest = 0
while process.poll() is None:
    highest = max(highest, pss(process.pid))
    time.sleep(0.02)
with open(sys.argv[1], 'w') as out:
    print(highest, file=out)
sys.exit(process.returncode if process.returncode >= 0 else 128 - process.returncode)
