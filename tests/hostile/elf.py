#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""elf.py KIND FILE: writes an ELF file whose second page is code that tests/hostile/map runs, and which costs its reader much."""
import lzma
import platform
import struct
import sys
import zlib

CODE = 4096  # address and offset of the code
MACHINE, TEXT = {  # some work, then getsid
    'x86_64': (62, bytes.fromhex('b9ffff0000 ffc9 75fc 31ff b87c000000 0f05 c3')),
    'aarch64': (183, bytes.fromhex('e1ff9f52 21040071 e1ffff54 000080d2 88138052 010000d4 c0035fd6')),
}[platform.machine()]
PROGBITS, SYMTAB, STRTAB, NOTE = 1, 2, 3, 7
COMPRESSED = 1 << 11
MIB, GIB = 1 << 20, 1 << 30


class Section:
    """A section: its bytes, and the size that its header states, of which the rest is a hole."""

    def __init__(self, name, kind, data, size=None, addr=0, link=0, entry=0, flags=0):
        self.name, self.kind, self.data, self.addr = name, kind, data, addr
        self.size = len(data) if size is None else size
        self.link, self.entry, self.flags = link, entry, flags


def write(path, sections, count=None):
    """Writes a file with these sections, numbered from 1; `count` is what the header states about their number."""
    names = b'\0'
    offset, headers, places = CODE + 4096, [bytes(64)], []
    for s in sections + [Section('.shstrtab', STRTAB, b'')]:
        if s.name == '.shstrtab':
            s.data = names + b'.shstrtab\0'
            s.size = len(s.data)
        headers.append(struct.pack('<IIQQQQIIQQ', len(names), s.kind, s.flags, s.addr, offset, s.size, s.link, 0, 8, s.entry))
        places.append((offset, s))
        names += s.name.encode() + b'\0'
        offset = (offset + s.size + 15) & ~15
    n = len(headers)
    if count is not None:
        headers[0] = struct.pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, count, n - 1, 0, 0, 0)
    with open(path, 'wb') as f:
        f.write(struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 3, MACHINE, 1, 0, 64, offset, 0, 64, 56, 1, 64,
                            n if count is None else 0, n - 1 if count is None else 0xffff))
        f.write(struct.pack('<IIQQQQQQ', 1, 5, CODE, CODE, CODE, 4096, 4096, 4096))
        f.seek(CODE)
        f.write(TEXT.ljust(4096, b'\0'))
        for at, s in places:
            f.seek(at)
            f.write(s.data)
        f.seek(offset)
        f.write(b''.join(headers))
        f.truncate(max(offset + 64 * n, f.tell()))


def frames(nops, functions, eh_frame=True, apart=16):
    """Returns call frame information of so many functions of 16 bytes with one common entry, in which so many instructions do nothing."""
    x86 = MACHINE == 62
    code = (b'\x0c\x07\x08\x90\x01' if x86 else b'\x0c\x1f\x00') + b'\0' * nops
    body = struct.pack('<IB', 0 if eh_frame else 0xffffffff, 1) + b'\0\1\x78' + (b'\x10' if x86 else b'\x1e') + code
    body += b'\0' * (-len(body) % 4)
    data = bytearray(struct.pack('<I', len(body)) + body)
    for i in range(functions):
        data += struct.pack('<IIQQ', 20, len(data) + 4 if eh_frame else 0, CODE + apart * i, 16)
    return bytes(data)


def symbols(n, name, size=None):
    """Returns sections of n symbols that all have one name."""
    table = bytes(24) + b''.join(struct.pack('<IBBHQQ', 1, 2, 0, 1, CODE + i, 1) for i in range(n))
    return [Section('.symtab', SYMTAB, table, size, link=2, entry=24), Section('.strtab', STRTAB, b'\0' + name + b'\0')]


def bomb(mib):
    """Returns the xz of so many MiB of zeros, after the head of an ELF file."""
    xz = lzma.LZMACompressor(preset=1)
    parts = [xz.compress(b'\x7fELF\2\1\1'.ljust(MIB, b'\0'))]
    parts += [xz.compress(bytes(MIB)) for _ in range(mib - 1)]
    return b''.join(parts) + xz.flush()


def packed(mib, data):
    """Returns a compressed section: data, followed by so many MiB of zeros."""
    z = zlib.compressobj(1)
    parts = [z.compress(data)] + [z.compress(bytes(MIB)) for _ in range(mib)]
    return struct.pack('<IIQQ', 1, 0, len(data) + mib * MIB, 8) + b''.join(parts) + z.flush()


KINDS = {
    'cfi': lambda: [Section('.eh_frame', PROGBITS, frames(200000, 10000))],
    'cfi-endless': lambda: [Section('.eh_frame', PROGBITS, frames(4000000, 100000))],
    'rows': lambda: [Section('.eh_frame', PROGBITS, frames(0, 2000, apart=32))],
    'debug-frame': lambda: [Section('.debug_frame', PROGBITS, frames(4000000, 100000, False))],
    'debug-frame-bomb': lambda: [Section('.debug_frame', PROGBITS, packed(250, frames(0, 10, False)), flags=COMPRESSED)],
    'names': lambda: symbols(2000, b'n' * 500000),
    'symtab': lambda: symbols(100, b'name', 3 * GIB),
    'notes': lambda: [Section('.note', NOTE, b'', 300 * MIB)],
    'debugdata': lambda: [Section('.gnu_debugdata', PROGBITS, bomb(400))],
    'debuglink': lambda: [Section('.gnu_debuglink', PROGBITS, b'debug\0\0\0' + bytes(4))],
    'sections': lambda: [],
}

kind, path = sys.argv[1:]
write(path, KINDS[kind](), 1 << 24 if kind == 'sections' else None)
if kind == 'sections':
    with open(path, 'ab') as f:
        f.truncate(f.tell() + (64 << 24))
