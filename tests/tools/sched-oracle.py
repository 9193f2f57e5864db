#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Simulates a machine whose scheduler acts at random, and which knows what its tasks do.

    sched-oracle.py SEED EVENTS STREAM SPANS

STREAM gets the events that a recorder sees which starts while the machine runs, SPANS the lines that
mp-sched must write for them. Thread ids are few and are reused; tasks change their names, are woken
while they run, and are moved while they wait.
"""
import random
import sys

STATES = [('S', '1', 'sleep'), ('D', '2', 'block'), ('T', '4', 'stopped'), ('t', '8', 'stopped'),
          ('I', '128', 'sleep'), ('P', '64', 'stopped'), ('S', '0x1', 'sleep'), ('D|K', '130', 'block')]
RUNNABLE = ['R', 'R+', '0', '256', '0x100']


class Task:
    def __init__(self, tid, comm, since):
        self.tid, self.comm, self.prio = tid, comm, random.choice([120, 100, 0, -1])
        self.reported = comm        # its name in the latest event
        self.state, self.since, self.seen = 'wait', since, False
        self.cpu = None         # the CPU that it runs on
        self.last_cpu = None    # the CPU on which the recorder last saw it
        self.waker = None       # (tid, comm, cpu)
        self.stack = None
        self.exiting = False


class Machine:
    def __init__(self, seed, n):
        random.seed(seed)
        self.cpus = [None] * random.randint(1, 4)
        self.idle_since = [0] * len(self.cpus)
        self.on = [False] * len(self.cpus)      # the recorder saw an event of this CPU
        self.tasks = {}
        self.now = random.randint(1, 10 ** 12)
        self.begin = None
        self.stream, self.spans, self.saw = [], [], set()
        self.recording = False
        self.header = random.random() < 0.9
        self.wakings = random.random() < 0.8
        for _ in range(random.randint(1, 12)):
            self.create(False)
        for _ in range(200):
            self.step()
        self.recording = True
        self.now += 1
        while len(self.stream) < n:
            self.step()
        self.finish()

    # what is written

    def event(self, what, cpu, fields, stack=None, about=()):
        if not self.recording:
            return
        if self.begin is None:
            self.begin = self.now
        self.on[cpu] = True
        self.saw.add(what)
        cur = self.cpus[cpu]
        for t in about:
            t.reported = t.comm
        if cur:
            cur.reported = cur.comm
        ctx = (cur.tid, cur.comm, cpu) if cur else (0, 'swapper/%d' % cpu, cpu)
        text = ['cpu=%d' % cpu, 'tid=%d' % ctx[0], 'comm=%s' % ctx[1]]
        text += ['%s=%s' % f for f in fields] + (['stack=' + stack] if stack else [])
        self.stream.append('%d,sched:sched_%s,%s' % (self.now, what, '\t'.join(text)))
        return ctx

    def span(self, state, since, task=None, cpu=None, to_cpu=None, waker=None, next=None, cut_end=False,
             stack=None):
        if not self.recording:
            return
        cut = since < self.begin or (task is not None and not task.seen and task.since < self.begin)
        start = max(since, self.begin)
        if cut and start == self.now:
            return
        text = ['cpu=%d' % cpu] if cpu is not None else []
        if task:
            text += ['tid=%d' % task.tid, 'comm=%s' % (task.reported if cut_end else task.comm)]
        if state == 'idle':
            text += ['pid=0', 'tid=0', 'comm=swapper/%d' % cpu]
        text += ['dur=%d' % (self.now - start), 'state=' + state]
        if task:
            text.append('prio=%d' % task.prio)
            if cpu is None and task.last_cpu is not None:
                text.append('from_cpu=%d' % task.last_cpu)
        if to_cpu is not None:
            text.append('to_cpu=%d' % to_cpu)
        if waker:
            text += ['waker_tid=%d' % waker[0], 'waker_comm=%s' % waker[1], 'waker_cpu=%d' % waker[2]]
        if next:
            text += ['next_tid=%d' % next[0], 'next_comm=%s' % next[1]]
        if cut or cut_end:
            text.append('cut=' + ('both' if cut and cut_end else 'begin' if cut else 'end'))
        if stack:
            text.append('stack=' + stack)
        self.spans.append('%d,sched:span,%s' % (self.now, '\t'.join(text)))

    # what happens

    def pick(self, states):
        found = [t for t in self.tasks.values() if t.state in states]
        return random.choice(found) if found else None

    def stack(self):
        return random.choice([None, 'main;read;schedule_[k]', 'f\\x3b;g'])

    def create(self, announce=True):
        free = [t for t in range(2, 20) if t not in self.tasks]
        cpu = random.randrange(len(self.cpus))
        if not free:
            return
        t = Task(random.choice(free), random.choice('abc'), self.now)
        if announce and random.random() < 0.8:
            self.event('process_fork', cpu, [('.child_comm', t.comm), ('.child_pid', t.tid)])
            self.now += random.randint(0, 3)
        stack = self.stack() if announce else None
        ctx = self.event('wakeup_new', cpu, [('.comm', t.comm), ('.pid', t.tid), ('.prio', t.prio),
                                             ('.target_cpu', cpu)], stack)
        t.since = self.now
        t.seen, t.waker, t.stack = self.recording, ctx, stack
        self.tasks[t.tid] = t

    def wake(self):
        t = self.pick(['sleep', 'block', 'stopped'])
        if not t:
            return
        cpu = random.randrange(len(self.cpus))
        fields = [('.comm', t.comm), ('.pid', t.tid), ('.prio', t.prio), ('.target_cpu', cpu)]
        stack, kind = self.stack(), 'waking' if self.wakings else 'wakeup'
        ctx = self.event(kind, cpu, fields, stack, [t])
        known = t.seen
        self.span(t.state if known else 'sleep', t.since, t, waker=ctx, stack=t.stack if known else None)
        t.state, t.since, t.seen, t.waker, t.stack = 'wait', self.now, self.recording, ctx, stack
        if random.random() < 0.3:
            self.move(t)
        if self.wakings and random.random() < 0.9:
            self.now += random.randint(0, 3)
            self.event('wakeup', random.randrange(len(self.cpus)), fields)

    def move(self, t):
        self.event('migrate_task', random.randrange(len(self.cpus)),
                   [('.comm', t.comm), ('.pid', t.tid), ('.orig_cpu', 0), ('.dest_cpu', 1)])

    def rewake(self):       # a task that runs, or that was seen to wait
        t = self.pick(['run', 'wait', 'preempted'])
        if t and (t.state == 'run' or t.seen) and self.recording:
            if t.state == 'run' and not self.on[t.cpu]:
                return
            self.event('wakeup', random.randrange(len(self.cpus)),
                       [('.comm', t.comm), ('.pid', t.tid), ('.prio', t.prio)], about=[t])

    def switch(self):
        cpu = random.randrange(len(self.cpus))
        prev, next = self.cpus[cpu], self.pick(['wait', 'preempted'])
        if (prev is None and next is None) or (next is None and random.random() < 0.3):
            return
        if random.random() < 0.2 and prev:
            next = None
        if prev and next is None and random.random() < 0.3:
            return
        fate = random.choice(RUNNABLE) if random.random() < 0.4 else None
        if prev and prev.exiting and random.random() < 0.7:
            state, fate = 'dead', random.choice(['X', 'Z', '16', '32', '64', 'x'])
        elif fate:
            state = 'preempted'
        else:
            letter, number, state = random.choice(STATES)
            fate = random.choice([letter, number])
            if prev and prev.exiting and fate == '64':
                state = 'dead'
        names = lambda t: (t.tid, t.comm, t.prio) if t else (0, 'swapper/%d' % cpu, 120)
        p, n = names(prev), names(next)
        stack = self.stack()
        self.event('switch', cpu, [('.prev_comm', p[1]), ('.prev_pid', p[0]), ('.prev_prio', p[2]),
                                   ('.prev_state', fate if prev else random.choice(['0', 'R'])),
                                   ('.next_comm', n[1]), ('.next_pid', n[0]), ('.next_prio', n[2])], stack, [t for t in (prev, next) if t])
        if prev:
            self.span('run', prev.since, prev, cpu=cpu, next=n)
            prev.state, prev.since, prev.seen, prev.stack, prev.waker = state, self.now, self.recording, stack, None
            prev.cpu, prev.last_cpu = None, cpu if self.recording else None
            if state == 'dead':
                del self.tasks[prev.tid]
        else:
            self.span('idle', self.idle_since[cpu], cpu=cpu, next=n)
        if next:
            state = next.state if next.seen else 'wait'
            # without a header it is unknown at first that wakeups and creations are recorded
            known = self.header or (self.saw & {'waking', 'wakeup'} and self.saw & {'wakeup_new', 'process_fork'})
            if next.seen or known:
                self.span(state, next.since, next, to_cpu=cpu, stack=next.stack if next.seen else None,
                          waker=next.waker if state == 'wait' and next.seen else None)
            next.state, next.since, next.seen, next.cpu = 'run', self.now, self.recording, cpu
            next.last_cpu = cpu if self.recording else None
        self.idle_since[cpu] = self.now
        self.cpus[cpu] = next

    def rename(self):
        t = self.pick(['run'])
        if t:
            t.comm = random.choice(['a', 'b', 'new name', 'x\\ty', '', '<i>', 'é', '\\x1b[2J'])

    def exit(self):
        t = self.pick(['run'])
        if t and not t.exiting:
            t.exiting = True
            # if no CPU was seen to run the task, it is unknown which task the event is about
            if self.recording and self.on[t.cpu]:
                self.event('process_exit', t.cpu, [('.comm', t.comm), ('.pid', t.tid), ('.prio', t.prio)])
            else:
                t.exiting = False

    def step(self):
        self.now += random.choice([0, 1, 5, 100, 10000])
        random.choices([self.switch, self.wake, self.create, self.rename, self.exit, self.rewake],
                       [10, 8, 1, 1, 1, 1])[0]()

    def finish(self):
        records = len(self.stream)
        trailer = random.random() < 0.7
        if trailer:
            self.now += random.randint(0, 1000)
        else:
            self.now = int(self.stream[-1].split(',')[0])
        for cpu, t in enumerate(self.cpus):
            if not self.on[cpu]:
                continue
            if t:
                self.span('run', t.since, t, cpu=cpu, cut_end=True)
            else:
                self.span('idle', self.idle_since[cpu], cpu=cpu, cut_end=True)
        for tid in sorted(self.tasks):
            t = self.tasks[tid]
            if t.state != 'run' and t.seen:
                self.span(t.state, t.since, t, cut_end=True, stack=t.stack,
                          waker=t.waker if t.state == 'wait' else None)
        if self.header:
            kinds = ['switch', 'wakeup', 'wakeup_new', 'process_fork'] + ['waking'] * self.wakings
            self.stream.insert(0, '{"mp":1,"datatype":"event","events":{%s}}' %
                               ','.join('"sched:sched_%s":{}' % k for k in kinds))
        if trailer or self.header:
            end = {'time': ',"time":%d' % self.now} if trailer else {'time': ''}
            self.stream.append('{"end":"event","records":%d,"lost":0%s}' % (records, end['time']))


def main():
    m = Machine(int(sys.argv[1]), int(sys.argv[2]))
    for path, lines in ((sys.argv[3], m.stream), (sys.argv[4], m.spans)):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(''.join(line + '\n' for line in lines))


main()
