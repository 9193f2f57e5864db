#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Runs every seed of the fuzzers, and every input that they found, once. `make fuzz` looks for more.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

@test "each fuzz target accepts its seeds" {
	for target in $(cd tests/fuzz && find . -mindepth 2 -name '*.c'); do
		name=${target%.c}
		[ "$(ls "tests/fuzz/corpus/$name" | wc -l)" -gt 3 ]
		"$BUILD/replay/$name" "tests/fuzz/corpus/$name"/*
	done
}

@test "an input that takes more time or memory than a limit is a failure" {
	case "$BUILD" in *san-*) skip "sanitizers count otherwise" ;; esac
	input=tests/fuzz/corpus/capture/object/symbols/xz-bomb
	"$BUILD/replay/capture/object/symbols" $input
	FUZZ_CPU_MS=1 run -134 "$BUILD/replay/capture/object/symbols" $input
	[[ "$output" == *"ERROR: the input takes too much CPU time"* ]]
	FUZZ_MIB=1 run -134 "$BUILD/replay/capture/object/symbols" $input
	[[ "$output" == *"ERROR: the input takes too much memory"* ]]
}

# 30,000 symbols with the same name of 200,000 bytes, preceded by the byte that says "ELF" to the fuzzer
@test "an ELF file whose symbols share a long name does not take all memory" {
	python3 - "$TMP/elf" <<- 'X'
		import struct, sys
		strings = b'\0' + 200000 * b'n' + b'\0'
		symbols = bytes(24) + b''.join(struct.pack('<IBBHQQ', 1, 0x12, 0, 1, 0x1000 + 16 * i, 16) for i in range(30000))
		names = b'\0.symtab\0.strtab\0.text\0'
		at = [64, 64 + len(strings), 64 + len(strings) + len(symbols)]
		head = lambda name, kind, flags, addr, off, size, link, entry: struct.pack('<IIQQQQIIQQ', name, kind, flags, addr, off, size, link, 1, 8, entry)
		sections = (bytes(64) + head(17, 1, 6, 0x1000, 64, 480000, 0, 0) + head(1, 2, 0, 0, at[1], len(symbols), 3, 24) +
			head(9, 3, 0, 0, 64, len(strings), 0, 0) + head(9, 3, 0, 0, at[2], len(names), 0, 0))
		elf = (b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, 0, 0, at[2] + len(names), 0, 64, 0, 0, 64, 5, 4) +
			strings + symbols + names + sections)
		open(sys.argv[1], 'wb').write(b'\2' + elf)
	X
	"$BUILD/replay/capture/object/symbols" "$TMP/elf"
}
