#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Decodes a CPEL file and checks it against the rules of its readers (G2, cpeldump, cpelatency).

Prints a line per event: time, track id, track label, event code, event name, datum, with TABs between.
It ends with status 1 at the first error. --counts prints only tracks and events.
"""
import re
import struct
import sys


def die(why):
    sys.exit("cpel.py: " + why)


def check(condition, why):
    if not condition:
        die(why)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        size = struct.calcsize(">" + form)
        check(self.at + size <= len(self.data), "cut off")
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += size
        return values if len(values) > 1 else values[0]


def table(data):
    check(len(data) % 8 == 0, "string table not padded to 8")
    check(data.endswith(b"\0"), "last string without NUL")
    body = data.rstrip(b"\0") + b"\0"
    check(len(data) - len(body) <= 8, "more padding than needed")
    strings, at = {}, 0
    for text in body[:-1].split(b"\0"):
        strings[at] = text
        at += len(text) + 1
    check(strings[0] == b"FileStrtab", "string table has another name")
    texts = list(strings.values())
    check(len(set(texts)) == len(texts), "a string is there twice")
    for text in texts:
        check(re.fullmatch(rb"[ -~]*", text), "not ASCII: %r" % text)
    if "" not in texts:  # an empty text at the end of the table is padding
        strings.setdefault(at, b"")
    return strings


def label(text):
    check(re.fullmatch(rb"([^%]|%%)*", text), "a directive of printf in %r" % text)
    return text.replace(b"%%", b"%").decode()


def section(r, kind):
    got, size = r.take("II")
    check(got == kind, "section %d where %d is due" % (got, kind))
    check(r.at + size <= len(r.data), "section %d is cut off" % kind)
    inner = Reader(r.data[r.at:r.at + size])
    r.at += size
    return inner


def begin(r):
    name = r.take("64s")
    check(name == b"FileStrtab".ljust(64, b"\0"), "section names another string table")
    return r.take("I")


def definitions(r, form):
    n = begin(r)
    rows = [r.take(form) for _ in range(n)]
    check(r.at == len(r.data), "length of a section of definitions is wrong")
    check([row[0] for row in rows] == list(range(1, n + 1)), "ids are not 1, 2, 3 ...")
    return rows


def decode(data):
    r = Reader(data)
    version, pad, sections, date = r.take("BBHI")
    check((version, pad, sections) == (1, 0, 4), "header %d %d %d" % (version, pad, sections))
    strings = table(section(r, 1).data)

    def text(offset):
        check(offset in strings, "offset %d is no string" % offset)
        return strings[offset]

    events, tracks = {}, {}
    for code, name, datum in definitions(section(r, 3), "III"):
        events[code] = label(text(name))
        check(text(datum) == b"%s", "datum format is %r" % text(datum))
    for track, name in definitions(section(r, 4), "II"):
        tracks[track] = label(text(name))
        check(len(tracks[track]) <= 64, "label of %d bytes" % len(tracks[track]))
    log = section(r, 5)
    n = begin(log)
    check(n > 0, "no events")
    check(log.take("I") == 1000000000, "ticks are not ns")
    check(len(log.data) == 72 + 20 * n, "length of the log is wrong")
    check(r.at == len(data), "more behind the last section")
    last, rows = 1, []
    for i in range(n):
        time, track, code, datum = log.take("QIII")
        check(i or time == 1, "the first event is not at 1")
        check(time >= last, "events out of order")
        check(track in tracks, "track %d is not defined" % track)
        check(code in events, "event %d is not defined" % code)
        rows.append((time, track, tracks[track], code, events[code], text(datum).decode()))
        last = time
    check({row[1] for row in rows} == set(tracks), "a track without events")
    return date, events, tracks, rows


def main():
    args = [a for a in sys.argv[1:] if a != "--counts"]
    data = open(args[0], "rb").read() if args else sys.stdin.buffer.read()
    date, events, tracks, rows = decode(data)
    if "--counts" in sys.argv:
        print(len(rows), "events of", len(events), "types on", len(tracks), "tracks, date", date)
        return
    sys.stdout.write("".join("\t".join(map(str, row)) + "\n" for row in rows))


main()
