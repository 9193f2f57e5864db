#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A simple second implementation of pairing: lists that are searched from end to end. Runs mp-pair with the same
options on the same files and compares spans, reported numbers and exit status. Conditions are FIELD OP NUMBER."""
import fnmatch
import getopt
import itertools
import json
import operator
import re
import shlex
import subprocess
import sys

CONTEXT = "host cpu pid tid comm period addr cgroup".split()


def parse_specs(text, step):
    out = []
    for item in re.findall(r"(?:[^,/]|/[^/]*/)+", text):
        glob, _, condition = item.partition("/")
        test = None
        if condition:
            name, op, number = re.fullmatch(r"([.\w]+)\s*(==|!=|<=|>=|<|>)\s*(-?\d+)/", condition).groups()
            compare = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
                       ">": operator.gt, ">=": operator.ge}[op]
            test = (name, compare, int(number))
        out.append((step, glob, test))
    return out


def type_of_span(begin, end):
    """The words that both types have, if they differ in one word for begin and end."""
    pairs = {"enter": ["exit"], "entry": ["exit"], "begin": ["end"], "start": ["end"]}
    a, b = re.split("([_:])", begin), re.split("([_:])", end)
    differ = [i for i in range(len(a)) if a[i] != b[i]] if len(a) == len(b) else []
    if len(differ) != 1 or b[differ[0]] not in pairs.get(a[differ[0]], []):
        return f"{begin}=>{end}"
    i = differ[0]
    name = "".join(a[:max(i - 1, 0)] + a[i + 1:] if i and a[i - 1] == "_" else a[:i] + a[i + 2:])
    return name.removeprefix("syscalls:sys_")


class Event:
    def __init__(self, line):
        time, self.type, body = line.split(",", 2)
        self.time, self.line = int(time), line
        self.fields = dict(f.split("=", 1) for f in body.split("\t")) if body else {}
        self.stack = self.fields.pop("stack", None)

    def get(self, name):
        return {"time": str(self.time), "type": self.type}.get(name) or self.fields.get(name)


class Chain:
    def __init__(self, event, key):
        self.first = self.latest = event
        self.link, self.key = 0, key


def duration(text):
    number, unit = re.fullmatch(r"(\d+)(\w*)", text).groups()
    return int(number) * {"ns": 1, "us": 1000, "ms": 10**6, "s": 10**9, "": 10**9}[unit]


class Pairing:
    def __init__(self, argv):
        self.specs, self.keys, self.takes = [], [], None
        self.policy, self.over, self.under, self.stack, self.name = "replace", 0, 1 << 64, "begin", None
        self.open, self.max_open, steps = False, 1 << 32, 0
        self.out, Pairing.total = [], 0
        options, _ = getopt.getopt(argv, "b:e:s:k:p:f:n:o", [
            "over=", "under=", "stack=", "open", "max-open="])
        for o, value in options:
            if o in ("-b", "-e"):
                self.specs += parse_specs(value, int(o == "-e"))
            elif o == "-s":
                self.specs += parse_specs(value, steps)
                steps += 1
            elif o == "-k":
                parts = [(f.split("=") * 2)[:2] for f in value.split(",")]
                self.keys.append(([a for a, _ in parts], [b for _, b in parts]))
            elif o == "-p":
                self.policy = value
            elif o == "-f":
                self.takes = (self.takes or []) + [self.parse_take(t) for t in value.split(",")]
            elif o == "-n":
                self.name = value
            elif o == "--over":
                self.over = duration(value)
            elif o == "--under":
                self.under = duration(value)
            elif o == "--stack":
                self.stack = value
            elif o in ("-o", "--open"):
                self.open = True
            elif o == "--max-open":
                self.max_open = int(value)
        self.ours = ("age", "step") if self.open else ("dur", "span")
        self.last = max(steps, 2) - 1
        self.keys = self.keys or [(["tid"], ["tid"])]
        self.one_key = len(self.keys) == 1
        while len(self.keys) < self.last:
            self.keys.append(self.keys[-1])
        self.counts = dict.fromkeys("open unmatched replaced broken given_up forgotten doubtful bad".split(), 0)
        self.reported = False   # a loss
        self.begin_section()

    @staticmethod
    def parse_take(text):
        name, _, source = text.rpartition("=")
        side, _, field = source.rpartition(":")
        return (name or field, side or "begin", field)

    def begin_section(self):
        self.waiting, self.ended, self.now, self.last_loss = [], [], 0, 0

    def is_step(self, event):
        steps = set()
        for step, glob, test in self.specs:
            if fnmatch.fnmatchcase(event.type, glob):
                if test:
                    value = event.get(test[0])
                    if value is None or not re.fullmatch(r"-?\d+", value) or not test[1](int(value), test[2]):
                        continue
                steps.add(step)
        return steps

    def key_of(self, event, link, side):
        values = tuple(event.get(f) for f in self.keys[link][side])
        return None if None in values else values

    def find(self, link, key):
        found = [c for c in self.waiting if c.link == link and c.key == key]
        # "came" counts up as entries are added under a key; the list itself is by age
        found.sort(key=lambda c: c.came)
        return None if not found else found[-1] if self.policy == "nest" else found[0]

    def put(self, event_time, type_, fields, stack):
        text = "\t".join(f"{k}={v}" for k, v in fields)
        self.out.append(f"{event_time},{type_},{text}" + (f"\tstack={stack}" if stack is not None else ""))
        Pairing.total = len(self.out)

    def all_fields(self, begin, end):
        b, e = begin.fields, end.fields if end else {}
        out = [("host", b["host"])] if "host" in b else []
        if "cpu" in e or "cpu" in b:
            out.append(("cpu", e.get("cpu", b.get("cpu"))))
        out += [(k, v) for k, v in b.items() if (k in CONTEXT and k not in ("host", "cpu")) or k[0] == "."]
        out += [(k, v) for k, v in e.items() if k[0] == "." and k not in b]
        derived = lambda k: k not in CONTEXT and k[0] != "." and k not in self.ours
        out += [(k, v) for k, v in b.items() if derived(k)]
        return out + [(k, v) for k, v in e.items() if derived(k) and k not in b]

    def chosen_fields(self, begin, end):
        place = lambda n: CONTEXT.index(n) if n in CONTEXT else 100 if n[0] == "." else 101
        out = []
        for name, side, field in sorted(self.takes, key=lambda t: place(t[0])):
            event = begin if side == "begin" else end
            if event and event.get(field) is not None:
                out.append((name, event.get(field)))
        return out

    def fields(self, begin, end):
        return self.chosen_fields(begin, end) if self.takes is not None else self.all_fields(begin, end)

    def bound_cpu(self, chain):
        for i, (a, b) in enumerate(zip(*self.keys[chain.link])):
            if a == b == "cpu":
                return chain.key[i]
        return None

    def span(self, begin, end, name, cpu):
        if not self.over <= end.time - begin.time < self.under:
            return
        self.ended.append([end.time, cpu])
        stack = {"begin": begin.stack, "end": end.stack, "none": None}[self.stack]
        self.put(end.time, name or type_of_span(begin.type, end.type),
                 self.fields(begin, end) + [("dur", end.time - begin.time)], stack)

    def spans(self, chain, event):
        last = chain.link + 1 == self.last
        if self.open:
            self.ended.append([event.time, self.bound_cpu(chain)])
            return
        part = f"{self.name}/{chain.link + 1}" if self.name and self.last > 1 else self.name
        self.span(chain.latest, event, part, self.bound_cpu(chain))
        if last and self.last > 1:
            self.span(chain.first, event, self.name, None)

    def enter(self, chain, link, key):
        chain.link, chain.key, chain.came = link, key, self.clock
        self.clock += 1

    clock = 0

    def bound(self):
        while len(self.waiting) > self.max_open:
            self.waiting.pop(0)
            self.counts["given_up"] += 1

    def drop(self, chain, why):
        if chain:
            self.waiting.remove(chain)
            self.counts[why] += 1

    def arrive(self, step, event):
        link, key = step - 1, self.key_of(event, step - 1, 1)
        if key is None:
            return None
        chain = self.find(link, key)
        if chain:
            self.spans(chain, event)
            if step == self.last:
                self.waiting.remove(chain)
                return True
            following = self.key_of(event, link + 1, 0)
            if following is None:
                self.drop(chain, "broken")
                return None
            if self.policy == "replace":
                self.drop(self.find(link + 1, following), "replaced")
            self.enter(chain, link + 1, following)
            chain.latest = event
            return True
        if self.one_key:
            for other in range(link - 1, -1, -1):
                if self.find(other, key):
                    self.drop(self.find(other, key), "broken")
                    return True
        return False

    def begin(self, event):
        key = self.key_of(event, 0, 0)
        if key is None:
            return False
        if self.policy == "replace":
            for link in range(self.last if self.one_key else 1):
                self.drop(self.find(link, key), "replaced")
        chain = Chain(event, key)
        self.enter(chain, 0, key)
        self.waiting.append(chain)
        self.bound()
        return True

    def event(self, event):
        self.now = event.time
        steps = self.is_step(event)
        if not steps:
            return
        used, no_key = False, False
        for step in range(self.last, 0, -1):
            if step in steps and not used:
                result = self.arrive(step, event)
                used, no_key = result is True, no_key or result is None
        if 0 in steps:
            used = self.begin(event)
            no_key = no_key or not used
        if no_key:
            self.counts["bad"] += 1
        elif not used:
            self.counts["unmatched"] += 1

    def lost(self, ctl):
        if "type" in ctl and not any(fnmatch.fnmatchcase(ctl["type"], glob) for _, glob, _ in self.specs):
            return
        self.reported = True
        until, since = ctl.get("time", self.now), ctl.get("from", self.last_loss)
        cpu = str(ctl["cpu"]) if "cpu" in ctl else None
        other = lambda bound: bound is not None and cpu is not None and bound != cpu
        for entry in self.ended:
            if since < entry[0] <= until and not other(entry[1]):
                entry[0] = -1   # counted
                self.counts["doubtful"] += 1
        self.last_loss = max(self.last_loss, until)
        for chain in list(self.waiting):
            if chain.first.time <= until and not other(self.bound_cpu(chain)):
                self.drop(chain, "forgotten")

    def settle(self):
        for chain in self.waiting:
            age = self.now - chain.first.time
            self.counts["open"] += 1
            if self.open and self.over <= age < self.under:
                step = [("step", chain.link + 1)] if self.last > 1 else []
                self.put(chain.first.time, chain.first.type,
                         self.fields(chain.first, None) + [("age", age)] + step,
                         chain.first.stack if self.stack == "begin" else None)
        self.begin_section()


# how mp-pair reports it, and whether it means status 1
REPORTED = {"open": (r"begins? without an end", 0), "unmatched": (r"ends? without a begin", 0),
        "replaced": (r"begins? (?:was|were) replaced", 0), "broken": (r"chains? (?:was|were) dropped", 0),
        "given_up": (r"begins? (?:was|were) dropped", 1), "forgotten": (r"begins? forgotten", 1),
        "doubtful": (r"spans? doubtful", 1)}


def check(argv, lines, path):
    """Runs mp-pair on the file and compares all that it prints."""
    pairing = Pairing(argv)
    for line in lines:
        if not line.startswith("{"):
            pairing.event(Event(line))
        elif line.startswith('{"lost"'):
            pairing.lost(json.loads(line))
    pairing.settle()
    run = subprocess.run(["mp-pair", *argv, path], capture_output=True, encoding="latin-1")
    got = [l for l in run.stdout.split("\n")[:-1] if not l.startswith("{")]
    for i, (g, w) in enumerate(itertools.zip_longest(got, pairing.out)):
        if g != w:
            return f"line {i + 1}\n got {g}\nwant {w}"
    status = int(pairing.reported or pairing.counts["bad"] > 0)
    for name, (pattern, lossy) in REPORTED.items():
        n = pairing.counts[name]
        status |= n > 0 and lossy
        reported = re.search(rf"^mp-pair: (?:input reports .*?[:,] )?(\d+) {pattern}", run.stderr, re.M)
        if name == "open" and pairing.open:
            continue
        if int(reported.group(1) if reported else 0) != n:
            return f"{name}: want {n}\n{run.stderr}"
    return None if run.returncode == status else f"status {run.returncode}\n{run.stderr}"


def main():
    """Arguments: files. Reads options from stdin, a case on each line; one with POLICY is run with each policy."""
    cases = []
    for line in sys.stdin:
        policies = ("replace", "queue", "nest") if "POLICY" in line else ("",)
        cases += [shlex.split(line.replace("POLICY", p)) for p in policies]
    spans = 0
    for path in sys.argv[1:]:
        lines = open(path, encoding="latin-1").read().split("\n")[:-1]
        for argv in cases:
            why = check(argv, lines, path)
            if why:
                sys.exit(f"mp-pair {shlex.join(argv)} {path}: {why}")
            spans += Pairing.total
    print(len(cases) * len(sys.argv[1:]), "cases,", spans, "lines")
    sys.exit(spans < len(cases))


main()
