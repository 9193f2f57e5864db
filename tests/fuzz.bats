#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Runs every seed of the fuzzers, and every input that they found, once. `make fuzz` looks for more.

load lib

@test "each fuzz target accepts its seeds" {
	for target in $(cd tests/fuzz && find . -mindepth 2 -name '*.c'); do
		name=${target%.c}
		[ "$(ls "tests/fuzz/corpus/$name" | wc -l)" -gt 3 ]
		"$BUILD/replay/$name" "tests/fuzz/corpus/$name"/*
	done
}
