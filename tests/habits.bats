#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What users of perf record type first: it works, or a line says what to type here.

bats_require_minimum_version 1.5.0
load lib

# stacks ARGS...: the parts and the method of stacks in the header of a recording of `true`.
stacks() {
	mp-record -q -o "$TMP/s" "$@" -- true 2> "$TMP/err" || [ $? = 1 ] || { cat "$TMP/err"; return 1; }
	head -n 1 "$TMP/s" | jq -r '"\(.stacks.kernel) \(.stacks.user)"'
}

@test "-g without an argument takes both stacks, wherever it is" {
	needs_root
	for words in "-g" "-a -g" "-g -a" "-ga" "-ag" "-agF 50" "--call-graph -a" "-F 99 -g"; do
		[ "$(stacks -e cpu-clock $words)" = "fp cfi" ] || { echo "$words"; false; }
	done
	[ "$(stacks rundelay)" = "none none" ]
	[[ "$(stacks rundelay -g)" == "fp "* && "$(stacks rundelay -g)" != *" none" ]] || false
}

@test "-g takes the next word as its argument, dwarf is cfi" {
	needs_root
	[ "$(stacks -e cpu-clock -g none)" = "none none" ]
	[ "$(stacks -e cpu-clock -g user:fp)" = "none fp" ]
	for words in "-g dwarf" "--call-graph dwarf" "--call-graph=dwarf" "-g cfi" "-e cpu-clock/stack=dwarf/"; do
		[ "$(stacks -e cpu-clock $words)" = "fp cfi" ] || { echo "$words"; false; }
	done
	[ "$(stacks -e cpu-clock --call-graph fp)" = "fp fp" ]
	run mp-record --call-graph dwarf,8192 -- true
	[ "$status" = 2 ] && [[ "$output" == *"here it is -g cfi --stack-size 8192"* ]] || false
	run mp-record -g lbr -- true
	[ "$status" = 2 ] && [[ "$output" == "mp-record: 'lbr' given to --call-graph is not both"*"auto, cfi, bpf or fp"* ]] || false
}

@test "an event without its subsystem is suggested with it" {
	needs_root
	for name in sched_switch sched_swich; do
		run mp-record -e "$name" -d 1
		[ "$status" = 2 ] && [ "$output" = "mp-record: no event '$name'; did you mean 'sched:sched_switch'?" ] || { echo "$output"; false; }
	done
}

@test "these options of perf record do the same" {
	needs_root
	for words in "-F 99" "--freq 99" "-c 1000000" "-e cpu-clock:u" "-e cpu-clock,page-faults" "-e cpu-clock -e page-faults" "-C 0" \
		"--cpu 0" "-m 512" "-q" "-v" "-e sched:*" "--realtime=1"; do
		run mp-record $words -a -o "$TMP/s" -- true
		[ "$status" -le 1 ] || { echo "$words: $output"; false; }
		mp-order --check "$TMP/s" > /dev/null
	done
	for option in -p -t --pid --tid; do
		mp-record -q -e page-faults $option $$ -o "$TMP/s" -- true
		mp-order --check "$TMP/s" > /dev/null
	done
}

@test "each option of perf record that is not ours is answered in one line" {
	while read -r word answer; do
		run mp-record "$word" -a
		[ "$status" = 2 ] || { echo "$word: $status $output"; false; }
		[[ "${lines[1]}" == "mp-record: perf's ${word%%=*}: "*"$answer"* && ${#lines[@]} = 2 ]] || { echo "$word: $output"; false; }
	done <<- 'END'
		--all-cpus -a
		--all-kernel --exclude-user
		--all-user --exclude-kernel
		-b branch stacks
		--branch-any branch stacks
		-j branch stacks
		-B nothing to do
		--no-buildid nothing to do
		-N nothing to do
		-k CLOCK_MONOTONIC
		--clockid=mono CLOCK_MONOTONIC
		-z zstd
		--count=1000 -c, --period
		--data addresses
		-D mp-select --from
		--delay=100 mp-select --from
		--exclude-perf nothing to do
		--filter=prev_pid==0 -e 'sched:sched_switch/
		-G --cgroup GLOB
		-I registers
		--kernel-callchains -g kernel
		--user-callchains -g user
		--max-size=1M -n 100000
		--mmap-pages=512 -m, --ring
		--no-buffering nothing to do
		--no-inherit -t TIDS
		--per-thread -t TIDS
		--off-cpu mp-record offcpu
		-P periods
		-R payloads
		--raw-samples payloads
		-r --realtime
		--sample-cpu always
		-s --stat EVENTS
		--switch-events -e sched:sched_switch
		-T always
		--timestamp always
		-u pgrep
		--uid=root pgrep
		-W mp-events(7)
	END
	run mp-record --no-such
	[ "${lines[1]}" = "mp-record: try 'mp-record --help'" ]
}
