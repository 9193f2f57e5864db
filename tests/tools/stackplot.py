#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Computes what a stacked area plot should show, and compares it with an SVG of mp-stackplot.

stackplot.py OPTIONS INPUT SVG, where OPTIONS is JSON: kind (event or point), y (a field of events, absent: 1),
by and each (arrays of fields of events), mean, fill (zero, carry, rounds), top, bins, width (given, not chosen),
sampled (bins are at least as wide as samples are apart; always for averages of points).
Prints the names of the layers from the bottom, or the first difference.
"""
import json
import math
import re
import sys
from fractions import Fraction


def shown(path):
    text = open(path, encoding="utf-8").read()
    body = re.search(r"var D=\{(.*?)\};", text, re.S).group(1)
    value = lambda key: re.search(r"\b%s:([-+.e0-9]+)" % key, body).group(1)
    names = json.loads(re.search(r"names:(\[.*?\]),values:", body, re.S).group(1))
    values = json.loads(re.search(r"values:(\[.*\])", body, re.S).group(1))
    return names, values, int(value("n")), float(value("bin")), float(value("low"))


def records(path, o):
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("{"):
            continue
        a, b, rest = line.split(",", 2)
        if o["kind"] == "point":
            yield Fraction(a), float(b), rest, ""
            continue
        fields = dict(f.split("=", 1) for f in rest.split("\t") if "=" in f)
        pick = lambda keys: " ".join(fields.get(k, "[no %s]" % k) for k in keys)
        y = float(fields[o["y"]]) if o.get("y") else 1
        yield Fraction(a), y, pick(o.get("by", ["comm"])), pick(o.get("each", []))


def widths():
    e = -9
    while True:
        yield Fraction(10) ** e
        yield 2 * Fraction(10) ** e
        e += 1


def numbers_of_bins(data, width):
    rows = {}
    for x, _, label, each in data:
        at = (x.numerator * width.denominator) // (x.denominator * width.numerator)
        rows.setdefault((label, each), set()).add(at)
    return rows


def usual_gap(rows):
    gaps = sorted(b - a for bins in rows for a, b in zip(sorted(bins), sorted(bins)[1:]))
    if not gaps:
        return 0
    usual = [g for g in gaps if g <= 2 * gaps[(len(gaps) - 1) // 2]]
    return Fraction(sum(usual), len(usual))


def main():
    o = {"kind": "event", "mean": False, "fill": "zero", "top": 10, "bins": 500}
    o.update(json.loads(sys.argv[1]))
    data = list(records(sys.argv[2], o))
    xs = [r[0] for r in data]
    if o.get("width"):
        width = Fraction(o["width"])
    else:
        width = next(w for w in widths() if (w >= 1 or o["kind"] == "point") and
                     math.floor(max(xs) / w) - math.floor(min(xs) / w) < o["bins"])
        while not o["mean"]:  # few values
            n = math.floor(max(xs) / width) - math.floor(min(xs) / width) + 1
            if n <= 100 or len(data) >= 4 * n:
                break
            width = next(w for w in widths() if w > width)
    if o.get("sampled") or (o["kind"] == "point" and o["mean"]):
        rows = numbers_of_bins(data, width)
        interval = (usual_gap(rows.values()) or usual_gap([set().union(*rows.values())])) * width
        while float(width) < float(interval) * 0.95:
            width = next(w for w in widths() if w > width)
    low = math.floor(min(xs) / width)
    n = math.floor(max(xs) / width) - low + 1
    rows = {}
    for x, y, label, each in data:
        at = (x.numerator * width.denominator) // (x.denominator * width.numerator) - low
        rows.setdefault((label, each), {}).setdefault(at, []).append(y)
    rounds = [max([len(cells.get(i, ())) for cells in rows.values()]) for i in range(n)]
    labels = {}
    for (label, _), cells in rows.items():
        line = labels.setdefault(label, [0.0] * n)
        first, last = min(cells), max(cells)
        end = last
        if o["fill"] == "carry" and len(cells) > 1:
            end = min(n - 1, last + math.ceil(Fraction(last - first, len(cells) - 1)) - 1)
        value = 0.0
        if o["fill"] == "rounds":
            for i in range(n):
                value = sum(cells.get(i, [0])) / (rounds[i] if o["mean"] else 1) if rounds[i] else value
                line[i] += value
            continue
        for i in range(first, end + 1):
            if i in cells:
                value = sum(cells[i]) / (len(cells[i]) if o["mean"] else 1)
            elif o["fill"] == "zero":
                value = 0.0
            line[i] += value
    for line in labels.values():
        line[:] = [max(v, 0) for v in line]
    natural = lambda k: [(int(d), "") if d else (ord(c), c) for d, c in re.findall(r"(\d+)|(\D)", k)]
    order = sorted(labels, key=lambda k: (-sum(labels[k]), natural(k)))
    layers = [(k, labels[k]) for k in order[:o["top"]]]
    rest = order[o["top"]:]
    if rest:
        what = "other: %d label%s" % (len(rest), "" if len(rest) == 1 else "s")
        layers.insert(0, (what, [sum(labels[k][i] for k in rest) for i in range(n)]))
    names, values, got_n, got_width, got_low = shown(sys.argv[3])
    if (got_n, got_width) != (n, float(width)):
        sys.exit("%d bins of %r, not %d of %r" % (got_n, got_width, n, float(width)))
    if o["kind"] == "point" and not o.get("time") and abs(got_low - low * width) > abs(low * width) * 1e-12:
        sys.exit("begins at %r, not %r" % (got_low, float(low * width)))
    if names != [k for k, _ in layers]:
        sys.exit("layers %r, not %r" % (names, [k for k, _ in layers]))
    for (name, want), got in zip(layers, values):
        for i in range(n):
            if abs(got[i] - want[i]) > 1e-5 * abs(want[i]) + 1e-9:
                sys.exit("%s, bin %d: %r, not %r" % (name, i, got[i], float(want[i])))
    print("\n".join(names))


main()
