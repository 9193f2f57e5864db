#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A program that gets no memory ends with status 2 and one message.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# What the filters read: sections with headers, events with stacks, spans, a loss, points, stacks.
write_input() {
	cat <<- 'X'
		{"mp":1,"datatype":"event","interface":"test","clock":"monotonic","clock_ns":1000,"realtime_ns":1795166340000000000,"host":"a","events":{"sched:sched_switch":{},"a:b":{}}}
		1000,sched:sched_switch,cpu=0	pid=1	tid=1	comm=x	dur=5	.prev_pid=1	.prev_comm=x	.prev_state=1	.next_pid=2	.next_comm=y	stack=main;f
		{"lost":3,"time":2000,"cpu":0}
		2000,a:b,cpu=0	pid=2	tid=2	comm=y	dur=7	stack=main;g
		{"watermark":2500}
		3000,sched:sched_switch,cpu=0	pid=2	tid=2	comm=y	dur=5	.prev_pid=2	.prev_comm=y	.prev_state=0	.next_pid=1	.next_comm=x	stack=main;g;h
		{"end":"event","records":3,"lost":3}
	X
}

# run_without N COMMAND...: its Nth allocation fails. False if it does not get that far.
run_without() {
	rm -f "$TMP/reached"
	status=0
	ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 \
		NOMEM_AT=$1 NOMEM_SAYS=$TMP/reached LD_PRELOAD=$BUILD/preload/nomem.so "${@:2}" > "$TMP/out" 2> "$TMP/err" || status=$?
	[ -e "$TMP/reached" ]
}

# The C library can do without some of its allocations: then nothing changes. Otherwise the program prints what it
# usually does up to there, then the one message, and ends.
check_result() {
	[ "$status" != "$usual" ] || ! cmp -s "$TMP/out" "$TMP/usual.out" || ! cmp -s "$TMP/err" "$TMP/usual.err" || return 0
	head -n -1 "$TMP/err" > "$TMP/before"
	[ "$status" = 2 ] && head -n "$(wc -l < "$TMP/before")" "$TMP/usual.err" | cmp -s - "$TMP/before" &&
		tail -n 1 "$TMP/err" | grep -qE "^$1: (out of memory|cannot .*: Cannot allocate memory)" &&
		failures=$((failures + 1))
}

# each_allocation NAME COMMAND...: every allocation from the first to the last fails once, at most 400 of them. With
# sanitizers, which make a program start slowly, these are each of the first 50, and then every fifth.
each_allocation() {
	local n failures=0 usual=0 slow=
	[[ $BUILD != *san-* ]] || slow=1
	"${@:2}" > "$TMP/usual.out" 2> "$TMP/usual.err" || usual=$?
	for ((n = 1; n <= 400; n += slow && n > 50 ? 5 : 1)); do
		run_without "$n" "${@:2}" || break
		check_result "$1" || { echo "$1, allocation $n: status $status"; cat "$TMP/err"; return 1; }
	done
	echo "$1: $failures of $((n - 1)) allocations that failed ended the program"
	[ "$failures" -ge 5 ]
}

setup() {
	make_tmp
	write_input > "$TMP/in.mp"
}

@test "each filter ends with status 2 and one message when any allocation fails" {
	local words
	for filter in $FILTERS; do
		[ "$filter" != mp-import ] || continue
		read -ra words <<< "$(filter_words "$filter")"
		each_allocation "$filter" "${words[@]}" "$TMP/in.mp"
	done
}

@test "so does mp-import" {
	printf 'main;f 3\nmain;g;h 5\n' > "$TMP/in.folded"
	each_allocation mp-import mp-import "$TMP/in.folded"
	printf 'x 7 [000] 5.000001: 250000 cpu-clock:\n\t55d0 main+0x1 (/bin/x)\n\n' > "$TMP/in.script"
	each_allocation mp-import mp-import "$TMP/in.script"
}

@test "so do pictures, tables and dumps of all kinds, and mp" {
	each_allocation mp-hist mp-hist -e '*' --by comm --linear --json "$TMP/in.mp"
	each_allocation mp-hist mp-hist -e '*' --dump "$TMP/in.mp"
	each_allocation mp-export mp-export --to pprof -e '*' "$TMP/in.mp"
	each_allocation mp-export mp-export --to speedscope -e '*' "$TMP/in.mp"
	each_allocation mp-flame mp-flame -e '*' --svg --by comm "$TMP/in.mp"
	each_allocation mp-treemap mp-treemap -e '*' --by comm "$TMP/in.mp"
	each_allocation mp-flame mp-flame -e '*' --text --reverse "$TMP/in.mp"
	each_allocation mp-flame mp-flame -e '*' --diff --svg "$TMP/in.mp" "$TMP/in.mp"
	each_allocation mp-flame mp-flame -e '*' --time "$TMP/in.mp"
	each_allocation mp-page mp-page -e '*' "$TMP/in.mp"
	each_allocation mp-timeline mp-timeline --rows comm --arrows "$TMP/in.mp"
	each_allocation mp-diff mp-diff -e '*' --all --tsv "$TMP/in.mp" "$TMP/in.mp" "$TMP/in.mp" -- "$TMP/in.mp" "$TMP/in.mp" "$TMP/in.mp"
	each_allocation mp-diff mp-diff -e '*' --folded "$TMP/in.mp" "$TMP/in.mp"
	mp-hist -e '*' --by comm --dump "$TMP/in.mp" > "$TMP/in.dump" || true
	each_allocation mp-diff mp-diff --by comm "$TMP/in.dump" "$TMP/in.dump"
	each_allocation mp-svg-heatmap mp-svg-heatmap -e '*' --percentiles 50 "$TMP/in.mp"
	each_allocation mp-svg-heatmap mp-svg-heatmap -e '*' --dump "$TMP/in.mp"
	each_allocation mp-sched mp-sched --table "$TMP/in.mp"
	each_allocation mp-fold mp-fold -e '*' --stream -i 1us "$TMP/in.mp"
	each_allocation mp-order mp-order --check "$TMP/in.mp"
	each_allocation mp-select mp-select --tsv "$TMP/in.mp"
	each_allocation mp-select mp-select --json "$TMP/in.mp"
	each_allocation mp mp
}

@test "memory that never comes leaves no output that looks complete" {
	run_without 20 mp-fold -e '*' --stream "$TMP/in.mp"
	[ "$status" = 2 ] && ! grep -q '"end"' "$TMP/out"
}

@test "nothing in cmd/ and lib/ allocates past mp_alloc() and its like" {
	run grep -rnE --include='*.[ch]' '\b(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf|open_memstream|aligned_alloc|posix_memalign)\(' cmd lib
	! grep -v '^lib/core/base\.c:' <<< "$output"
}
