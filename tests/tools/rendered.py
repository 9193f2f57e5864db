#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Looks for faults in rendered man pages.

usage: rendered.py FILE ...

Each FILE is one page as plain UTF-8 text. A line is printed for each fault, and the exit status is 1
if there are any: quotes and brackets that do not pair, macros that were printed instead of executed,
a blank before a comma or full stop, lines wider than 80 columns.
"""
import re
import sys

# without those that are English words too: It, No, In, An, At, Ed, Me
MACROS = re.compile(r"(?<![\w.:/'-])(?:Ns|Ql|Qq|Dq|Sq|Ar|Fl|Op|Oo|Oc|Po|Pc|Pq|Xr|Sx|Ic|Ev|Em|Sy|Nm|Ta|Bl|"
                    r"El|Bd|Dl|Va|Li|Cm|Pa|Pp)(?![\w:/=.'-])|\\[&fe]|^\s*\.[A-Z][a-z]\b")
CLOSING = {"‘": "’", "“": "”"}
BRACKETS = {")": "(", "]": "["}
WIDTH = 80


def is_apostrophe(text, i):
    """groff prints the apostrophe of kernel's and processes' as a closing quote."""
    return text[i] == "’" and text[max(0, i - 1):i].isalpha()


def strip_quoted(text):
    """The text without its quoted parts, and the faults of the quotes."""
    opened, start, plain, faults = None, 0, [], []
    for i, c in enumerate(text):
        if opened and c == CLOSING[opened]:
            if not (is_apostrophe(text, i) and text[i + 1:i + 2].isalpha()):
                opened = None
                plain.append("x")
        elif opened and c == opened:
            faults.append("a quote within a quote: " + text[start:i + 20])
            start = i
        elif opened:
            continue
        elif c in CLOSING:
            opened, start = c, i
        elif c in CLOSING.values() and not is_apostrophe(text, i):
            faults.append("a closing quote without its opening one: " + text[max(0, i - 30):i + 20])
        else:
            plain.append(c)
    if opened:
        faults.append("a quote that is not closed: " + text[start:start + 50])
    return "".join(plain), faults


def check_brackets(text):
    opened = []
    for c in text:
        if c in BRACKETS.values():
            opened.append(c)
        elif c in BRACKETS and (not opened or opened.pop() != BRACKETS[c]):
            return ["a closing bracket without its opening one: " + text[:70]]
    return ["a bracket that is not closed: " + text[:70]] if opened else []


def check_paragraph(lines):
    faults = [f"wider than {WIDTH} columns: {line}" for line in lines if len(line) > WIDTH]
    # a hyphenated word is one word
    text = re.sub(r"\s+", " ", " ".join(lines)).replace("‐ ", "").strip()
    plain, found = strip_quoted(text)
    faults += found
    found = MACROS.search(plain)
    if found:
        faults.append(f"'{found.group(0)}' was printed: {text[:70]}")
    if not re.search(r'[|"={}]', plain):  # not in a program or a grammar
        faults += check_brackets(plain)
        faults += ["a blank before punctuation: " + m.group(0)
                   for m in re.finditer(r".{0,30}\w [,.](?= |$).{0,10}", plain)]
    return faults


def main():
    bad = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for paragraph in re.split(r"\n[ \t]*\n", text):
            for fault in check_paragraph(paragraph.split("\n")):
                print(f"{path}: {fault}")
                bad = True
    return bad


sys.exit(main())
