# SPDX-License-Identifier: GPL-2.0-only
# Compares random expressions over random lines with mp-select: this evaluation is in another language, with integers
# without limit, globs as regular expressions, and no parser, since the text is made from trees.
# Arguments: seed, number of expressions. Prints how many lines were kept, so that the test can see
# whether it tested anything.
import math, random, re, subprocess, sys, tempfile

seed, rounds = int(sys.argv[1]), int(sys.argv[2])
rnd = random.Random(seed)
NUMBERS = [0, 1, 2, 3, 7, 8, 255, 256, 1500000, 2**31, 2**32 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
TEXTS = [b"", b"nginx", b"nginx: w", b"sh", b"bash", b"a\tb", b"a\\b", b"a;b", b"x]", b"[x", b"\xc3\xa9", b"\xff", b"7", b"-1", b"0x7", b"1.5", b"*", b"a*b"]
EVENT_FIELDS = ["cpu", "pid", "comm", ".a", ".pid", ".bits", ".part", "dur", "time", "type", "stack", "gone"]
OTHER_FIELDS = ["x", "y", "info", "weight", "stack", "cpu"]


def escape(raw):
    out = b""
    for c in raw:
        if c == 9:
            out += b"\\t"
        elif c == 92:
            out += b"\\\\"
        elif c < 32 or c == 127 or rnd.random() < 0.1:  # a reader takes \xHH for any byte
            out += b"\\x%02x" % c
        else:
            out += bytes([c])
    return out


def number_text():
    n = rnd.choice(NUMBERS)
    return rnd.choice([b"%d" % n, b"%d" % -n if n else b"0", b"0x%x" % n, b"%d.5" % (n % 1000), b"%de2" % (n % 50), b"%d.0" % (n % 2**60)])


def line(i):
    kind = rnd.random()
    if kind < 0.05:
        x, y, info = b"%d.5" % rnd.randrange(9), b"%d" % rnd.choice([-3, 0, 7]), rnd.choice(TEXTS)
        e = escape(info)
        return x + b"," + y + b"," + e, {"x": (x, x), "y": (y, y), "info": (e, info)}
    if kind < 0.1:
        w, stack = b"%d" % rnd.randrange(-5, 9), b"main;poll_[k]"
        return w + b"#" + stack, {"weight": (w, w), "stack": (stack, stack)}
    time, kind = b"%d" % (1000 + i), rnd.choice([b"a:b", b"sched:x", b"cpu-clock"])
    have = {"time": (time, time), "type": (kind, kind)}
    fields = []
    for f in ["cpu", "pid", "comm", ".a", ".pid", ".bits", ".part", "dur"]:
        if rnd.random() < 0.2:
            continue
        raw = {"cpu": b"%d" % rnd.randrange(4), "comm": rnd.choice(TEXTS), ".bits": b"0x%x" % rnd.choice(NUMBERS),
               ".part": b"%d.%d" % (rnd.randrange(4), rnd.randrange(9))}.get(f, number_text())
        text = escape(raw) if f == "comm" else raw
        have[f] = (text, raw)
        fields.append(f.encode() + b"=" + text)
    if rnd.random() < 0.7:
        have["stack"] = (b"main;f;g_[k]", b"main;f;g_[k]")
        fields.append(b"stack=main;f;g_[k]")
    return time + b"," + kind + b"," + b"\t".join(fields), have


def value(text):
    if re.fullmatch(rb"[-+]?[0-9]+", text) and abs(int(text)) < 2**64:
        return int(text)
    if re.fullmatch(rb"0[xX][0-9a-fA-F]{1,16}", text):
        return int(text, 16)
    if re.fullmatch(rb"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text):
        return float(text)
    return None


def constant():
    n = rnd.choice(NUMBERS + list(range(5)))
    units = {b"ns": 1, b"us": 1000, b"ms": 10**6, b"s": 10**9}
    unit = rnd.choice(list(units))
    small = n % 1000
    return rnd.choice([
        (b"%d" % n, n), (b"-%d" % n, -n), (b"0x%x" % n, n), (b"-0X%X" % n, -n), (b"0%o" % n, n),
        (b"%d.5" % small, small + 0.5), (b"-%d.25" % small, -(small + 0.25)), (b"%d%s" % (small, unit), small * units[unit]),
        (b"%d.0" % (n % 2**60), float(n % 2**60)), (b"1e3", 1000.0), (b"1.5ms", 1500000)])


def glob():
    pattern, regex = b"", b""
    for _ in range(rnd.randrange(5)):
        kind = rnd.randrange(6)
        if kind == 0:
            pattern, regex = pattern + b"*", regex + rb"[\x00-\xff]*"
        elif kind == 1:
            pattern, regex = pattern + b"?", regex + rb"[\x00-\xff]"
        elif kind == 2:
            inverted, (low, high) = rnd.random() < 0.3, rnd.choice([(b"a", b"n"), (b"0", b"9"), (b"\xc3", b"\xff"), (b"x", b"x")])
            pattern += b"[" + (b"!" if inverted else b"") + low + b"-" + high + b"]"
            regex += b"[" + (b"^" if inverted else b"") + low + b"-" + high + b"]"
        elif kind == 3:
            c = rnd.choice([b"*", b"?", b"[", b"\\", b"g"])
            pattern, regex = pattern + b"\\" + c, regex + re.escape(c)
        else:
            t = rnd.choice([b"n", b"ng", b"inx", b"sh", b"a", b"b", b";", b"main", b"\t", b"1", b"_"])
            pattern, regex = pattern + t, regex + re.escape(t)
    return pattern, regex


def quote(text):
    if rnd.random() < 0.3 and re.fullmatch(rb"[A-Za-z_*?][A-Za-z0-9_*?:;.,-]*", text):
        return text
    q = rnd.choice([b'"', b"'"])
    return q + text + q


OPS = {b"==": lambda a, b: a == b, b"!=": lambda a, b: a != b, b"<": lambda a, b: a < b, b"<=": lambda a, b: a <= b,
       b">": lambda a, b: a > b, b">=": lambda a, b: a >= b}


def blank():
    return rnd.choice([b"", b"", b" ", b"  "])


def real(v):
    """What a double is in a sum: a whole number where it is one below 2^53; None if it is not finite."""
    if not math.isfinite(v):
        return None
    return int(v) if abs(v) < 2**53 and v == int(v) else v


def calculate(op, a, b):
    if a is None or b is None or (op in (b"/", b"//", b"%") and b == 0):
        return None
    try:
        if isinstance(a, int) and isinstance(b, int):
            q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if op in (b"/", b"//", b"%") else 0
            n = {b"+": a + b, b"-": a - b, b"*": a * b, b"//": q, b"%": a - q * b, b"/": q}[op]
            if abs(n) < 2**64 and (op != b"/" or q * b == a):
                return n
        x, y = float(a), float(b)
        return real({b"+": lambda: x + y, b"-": lambda: x - y, b"*": lambda: x * y, b"/": lambda: x / y,
                     b"//": lambda: math.trunc(x / y) if abs(x / y) < 2**53 else x / y, b"%": lambda: math.fmod(x, y)}[op]())
    except OverflowError:
        return None


def total(depth):
    """A sum: its text, its value for a line, and how tightly it binds (0: + and -, 1: * and so on, 2: alone)."""
    kind = rnd.random() if depth else 1
    if kind < 0.6:
        op = rnd.choice([b"+", b"-", b"*", b"/", b"//", b"%"])
        rank = 0 if op in (b"+", b"-") else 1
        (left, f, l), (right, g, r) = total(depth - 1), total(depth - 1)
        left = b"(" + left + b")" if l < rank else left
        right = b"(" + right + b")" if r <= rank else right
        return left + blank() + op + blank() + right, lambda have: calculate(op, f(have), g(have)), rank
    if kind < 0.7:
        text, f, rank = total(depth - 1)
        text = b"-" + (b"(" + text + b")" if rank < 2 else text)
        return text, lambda have: None if f(have) is None else -f(have), 2
    if kind < 0.8:
        text, f, _ = total(depth - 1)
        return b"(" + blank() + text + blank() + b")", f, 2
    if rnd.random() < 0.3:
        text, n = constant()
        return text, lambda have: n, 2
    field = rnd.choice(EVENT_FIELDS + EVENT_FIELDS + OTHER_FIELDS)
    return field.encode(), lambda have: value(have[field][0]) if field in have else None, 2


def two_sums():
    (left, f, _), (right, g, _) = total(rnd.randrange(3)), total(rnd.randrange(1, 3))
    op = rnd.choice(list(OPS) + [b"&"])
    if op in (b"==", b"!="):
        left, right = b"0+" + left, b"(" + right + b")"

    def test(have):
        a, b = f(have), g(have)
        if op != b"&":
            return a is not None and b is not None and OPS[op](a, b)
        return isinstance(a, int) and isinstance(b, int) and a & b & (2**64 - 1) != 0
    return left + blank() + op + blank() + right, test


def two_fields():
    field, op = rnd.choice(EVENT_FIELDS + OTHER_FIELDS), rnd.choice([b"==", b"!="])
    other = rnd.choice(["cpu", "pid", "comm", ".a", ".pid", ".bits", "dur", "time", "type"])

    def test(have):
        if field not in have or other not in have:
            return False
        a, b = value(have[field][0]), value(have[other][0])
        same = a == b if a is not None and b is not None else have[field][1] == have[other][1]
        return same == (op == b"==")
    return field.encode() + blank() + op + blank() + other.encode(), test


def comparison():
    if rnd.random() < 0.3:
        return rnd.choice([two_sums, two_sums, two_fields])()
    field = rnd.choice(EVENT_FIELDS + EVENT_FIELDS + OTHER_FIELDS)
    name, kind = field.encode() + blank(), rnd.random()
    if kind < 0.55:
        op, (text, n) = rnd.choice(list(OPS)), constant()

        def test(have):
            v = value(have[field][0]) if field in have else None
            return v is not None and OPS[op](v, n)
        return name + op + blank() + text, test
    if kind < 0.65:
        n = rnd.choice([1, 2, 6, 2**63, 0xff00, 2**64 - 1])

        def test(have):
            v = value(have[field][0]) if field in have else None
            return isinstance(v, int) and v & n != 0
        return name + b"&" + blank() + rnd.choice([b"%d" % n, b"0x%x" % n]), test
    if kind < 0.8:
        op, text = rnd.choice([b"==", b"!="]), rnd.choice(TEXTS + [b"a:b", b"main;f;g_[k]", b"2"])

        def test(have):
            return field in have and (have[field][1] == text) == (op == b"==")
        return name + op + blank() + quote(text), test
    pattern, regex = glob()

    def test(have):
        return field in have and re.fullmatch(regex, have[field][1], re.S) is not None
    return name + b"~" + blank() + quote(pattern), test


def expression(depth, place):
    """The text and its test; place: which expressions it may hold without parentheses."""
    kind = rnd.random() if depth else 1
    if kind < 0.25:
        parts = [expression(depth - 1, "and") for _ in range(rnd.randrange(2, 4))]
        text, level = (blank() + b"||" + blank()).join(t for t, _ in parts), "or"
        test = lambda have: any(f(have) for _, f in parts)
    elif kind < 0.5:
        parts = [expression(depth - 1, "not") for _ in range(rnd.randrange(2, 4))]
        text, level = (blank() + b"&&" + blank()).join(t for t, _ in parts), "and"
        test = lambda have: all(f(have) for _, f in parts)
    elif kind < 0.7:
        inner, f = expression(depth - 1, "not")
        text, level = b"!" + blank() + inner, "not"
        test = lambda have: not f(have)
    else:
        text, test = comparison()
        level = "not"
    order = ["not", "and", "or"]
    if order.index(level) > order.index(place) or rnd.random() < 0.1:
        text = b"(" + blank() + text + blank() + b")"
    return text, test


lines = [line(i) for i in range(150)]
kept = 0
with tempfile.NamedTemporaryFile() as f:
    f.write(b"".join(text + b"\n" for text, _ in lines))
    f.flush()
    for _ in range(rounds):
        text, test = expression(rnd.randrange(4), "or")
        got = subprocess.run([b"mp-select", b"-f", text, f.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if re.search(b"whole number expected|division by zero$|number out of range$", got.stderr, re.M) and got.returncode == 2:
            continue  # a sum of constants
        want = b"".join(l + b"\n" for l, have in lines if test(have))
        if got.returncode != (1 if re.search(b"was in none|because of|out of range", got.stderr) else 0) or got.stdout != want:
            print(f"seed {seed}: {text!r}: status {got.returncode} {got.stderr!r}")
            for l, have in lines:
                if test(have) != (l + b"\n" in got.stdout):
                    print(f"  {test(have)} is right for {l!r}")
                    break
            sys.exit(1)
        kept += want.count(b"\n")
print(kept)
