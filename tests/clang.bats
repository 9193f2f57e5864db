#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The build with clang; build.bats has that with gcc. Not beside the attacks, which bound the memory of recordings of all tasks: the tables
# of the libraries of clang need 54 MiB.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

@test "clang builds without a warning" {
	command -v clang > /dev/null || skip "no clang"
	# the programs for BPF were built by clang before
	mkdir "$TMP/clang"
	[ ! -d "$BUILD/bpf" ] || cp -a "$BUILD/bpf" "$TMP/clang"
	# it warns of the same without optimization
	run make -j2 BUILD="$TMP/clang" CC=clang CFLAGS=-O0 all unit
	[ "$status" = 0 ] || { tail -n 20 <<< "$output"; false; }
	[[ "$output" != *"without BPF"* ]]
	! grep -A 5 warning: <<< "$output" || false
}
