#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program on a terminal of its own and prints what the terminal shows: each picture that the
program replaced by another one, and at last what is on the terminal when the program has ended,
separated by lines with a form feed. Fails if the program writes a control sequence other than those
that rewrite a picture, a line of a picture that reaches the last column, or moves the cursor up
beyond the terminal. The exit status is the program's."""
import argparse, fcntl, os, pty, re, select, signal, struct, sys, termios, time

p = argparse.ArgumentParser()
p.add_argument("--columns", type=int, default=80)
p.add_argument("--rows", type=int, default=24)
p.add_argument("--input", help="what the program reads: the first half, and after --pictures the rest")
p.add_argument("--pictures", type=int, default=0, help="wait until so many pictures were replaced")
p.add_argument("--until", help="a pattern that such a picture must show first")
p.add_argument("--resize", type=int, nargs=2, help="columns and rows that the terminal gets then")
p.add_argument("--interrupt", action="store_true", help="press ^C then")
p.add_argument("command", nargs="+")
o = p.parse_args()


class Terminal:
    """What the terminal shows, with what has scrolled away: `top` is the first line that has not."""

    def __init__(self):
        self.lines, self.row, self.column, self.pictures = [[]], 0, 0, []

    def clear(self):
        self.pictures.append(self.text(self.row))
        self.lines[self.row] = self.lines[self.row][: self.column]
        del self.lines[self.row + 1 :]

    def text(self, first=0):
        return "\n".join("".join(line).rstrip() for line in self.lines[first:])

    def put(self, c):
        line = self.lines[self.row]
        line.extend(" " * (self.column + 1 - len(line)))
        line[self.column] = c
        self.column += 1

    def sequence(self, n, final):
        if final == "A":
            if int(n) > allowed()[1] - 1:
                sys.exit(f"the cursor moves up by {n} lines of {o.rows}")
            self.row -= int(n)
        elif final == "H":
            self.row, self.column = max(0, len(self.lines) - o.rows), 0
        else:
            self.clear()

    def add(self, text):
        while text:
            if m := re.match("\033\\[([0-9]*)([AJH])", text):
                self.sequence(*m.groups())
                text = text[m.end() :]
                continue
            if text[0] == "\033" and len(text) < 8:
                return text  # the rest of the sequence is yet to come
            c, text = text[0], text[1:]
            if c == "\r":
                self.column = 0
            elif c == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append([])
            elif ord(c) < 32 or 127 <= ord(c) < 160:
                sys.exit(f"control byte {c!r} before {text[:40]!r}")
            else:
                self.put(c)
                if self.column >= allowed()[0] and not ended:
                    sys.exit(f"a line of a picture reaches column {self.column}: {self.text()[-200:]}")
        return ""


def allowed():
    """The columns and rows of the terminal; what was written before a change of these may have more."""
    if len(screen.pictures) < settled:
        return max(before[0], o.columns), max(before[1], o.rows)
    return o.columns, o.rows


def size(fd):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", o.rows, o.columns, 0, 0))


def output():
    """What the program has written since the last call, without MARK, or None: it has ended."""
    global bytes_left, marked
    try:
        data = os.read(terminal, 65536)
    except OSError:
        return None
    marked = marked or MARK in data
    data, bytes_left = bytes_left + data.replace(MARK, b""), b""
    for cut in range(len(data), max(len(data) - 4, -1), -1):
        try:
            text = data[:cut].decode()
            bytes_left = data[cut:]
            return text
        except UnicodeDecodeError:
            continue
    sys.exit(f"not UTF-8: {data[-80:]!r}")


def stop():
    """Stops the program and shows all that it has written: what follows are the rest of the picture that it writes, perhaps
    another one that it has begun to make, and then pictures of the size that the terminal gets while it is stopped."""
    global rest
    os.kill(child, signal.SIGSTOP)
    os.waitpid(child, os.WUNTRACED)
    slave = os.open(f"/proc/{child}/fd/1", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    written = False
    while not marked:
        try:
            written = written or os.write(slave, MARK)  # comes after what the program has written
        except BlockingIOError:
            pass
        text = output() if select.select([terminal], [], [], 0.1)[0] else ""
        if text is None:
            sys.exit("the program ended before the change of the size")
        rest = screen.add(rest + text)
    os.close(slave)


MARK = b"\005"
reading, writing = os.pipe()
child, terminal = pty.fork()
if child == 0:
    os.close(writing)
    os.dup2(reading, 0)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.environ.pop("COLUMNS", None)
    size(1)
    os.execvp(o.command[0], o.command)
os.close(reading)
lines = open(o.input, "rb").read().splitlines(True) if o.input else []
half = len(lines) // 2
screen, rest, ended, bytes_left, marked = Terminal(), "", False, b"", False
before, settled = (0, 0), 0
to_write = b"".join(lines[:half])
deadline = time.monotonic() + 600
os.set_blocking(writing, False)
while True:
    r, w, _ = select.select([terminal], [writing] if to_write else [], [], 0.1)
    if time.monotonic() > deadline:
        sys.exit("waited in vain: " + screen.text()[-2000:])
    if w:
        to_write = to_write[os.write(writing, to_write[:65536]) :]
    if r:
        text = output()
        if text is None:
            break
        rest = screen.add(rest + text)
    if not to_write and not ended and len(screen.pictures) >= o.pictures:
        if o.until:
            if any(re.search(o.until, t) for t in screen.pictures):
                o.until = None
        elif o.resize:
            stop()
            before, settled = (o.columns, o.rows), len(screen.pictures) + 2
            (o.columns, o.rows), o.resize, o.pictures = o.resize, None, settled + 1
            size(terminal)
            os.kill(child, signal.SIGCONT)
        elif o.interrupt:
            os.write(terminal, b"\x03")
            o.interrupt, o.pictures = False, len(screen.pictures) + 1
        elif half < len(lines):
            to_write, half = b"".join(lines[half:]), len(lines)
        elif writing >= 0:
            os.close(writing)
            ended, writing = True, -1
print("\n\f\n".join(t.rstrip("\n") for t in screen.pictures + [screen.text()]))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
