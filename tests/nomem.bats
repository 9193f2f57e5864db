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

# each_allocation COMMAND...: see tests/tools/nomem.py.
each_allocation() {
	BUILD="$BUILD" tests/tools/nomem.py "$@"
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
		each_allocation "${words[@]}" "$TMP/in.mp"
	done
}

@test "so does mp-import" {
	printf 'main;f 3\nmain;g;h 5\n' > "$TMP/in.folded"
	each_allocation mp-import "$TMP/in.folded"
	printf 'x 7 [000] 5.000001: 250000 cpu-clock:\n\t55d0 main+0x1 (/bin/x)\n\n' > "$TMP/in.script"
	each_allocation mp-import "$TMP/in.script"
}

@test "so do pictures, tables and dumps of all kinds, and mp" {
	each_allocation mp-hist -e '*' --by comm --linear --json "$TMP/in.mp"
	each_allocation mp-hist -e '*' --dump "$TMP/in.mp"
	each_allocation mp-export --to pprof -e '*' "$TMP/in.mp"
	each_allocation mp-export --to perfetto "$TMP/in.mp"
	each_allocation mp-export --to firefox -e '*' "$TMP/in.mp"
	each_allocation mp-export --to ftrace "$TMP/in.mp"
	each_allocation mp-export --to speedscope -e '*' "$TMP/in.mp"
	each_allocation mp-flame -e '*' --svg --by comm "$TMP/in.mp"
	each_allocation mp-treemap -e '*' --by comm "$TMP/in.mp"
	each_allocation mp-flame -e '*' --text --reverse "$TMP/in.mp"
	each_allocation mp-flame -e '*' --diff --svg "$TMP/in.mp" "$TMP/in.mp"
	each_allocation mp-flame -e '*' --time "$TMP/in.mp"
	each_allocation mp-page -e '*' "$TMP/in.mp"
	each_allocation mp-timeline --rows comm --arrows "$TMP/in.mp"
	each_allocation mp-diff -e '*' --all --tsv "$TMP/in.mp" "$TMP/in.mp" "$TMP/in.mp" -- "$TMP/in.mp" "$TMP/in.mp" "$TMP/in.mp"
	each_allocation mp-diff -e '*' --folded "$TMP/in.mp" "$TMP/in.mp"
	each_allocation mp-export --to openmetrics "$TMP/in.dump"
	mp-hist -e '*' --by comm --dump "$TMP/in.mp" > "$TMP/in.dump" || true
	each_allocation mp-diff --by comm "$TMP/in.dump" "$TMP/in.dump"
	each_allocation mp-svg-heatmap -e '*' --percentiles 50 "$TMP/in.mp"
	each_allocation mp-svg-heatmap -e '*' --dump "$TMP/in.mp"
	each_allocation mp-sched --table "$TMP/in.mp"
	each_allocation mp-fold -e '*' --stream -i 1us "$TMP/in.mp"
	each_allocation mp-order --check "$TMP/in.mp"
	each_allocation mp-select --tsv "$TMP/in.mp"
	each_allocation mp-select --json "$TMP/in.mp"
	each_allocation mp
}

@test "memory that never comes leaves no output that looks complete" {
	run -2 --separate-stderr env ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" NOMEM_AT=20 \
		LD_PRELOAD="$BUILD/preload/nomem.so" mp-fold -e '*' --stream "$TMP/in.mp"
	! grep -q '"end"' <<< "$output" || false
}

@test "nothing in cmd/ and lib/ allocates past mp_alloc() and its like" {
	run grep -rnE --include='*.[ch]' '\b(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf|open_memstream|aligned_alloc|posix_memalign)\(' cmd lib
	! grep -v '^lib/core/base\.c:' <<< "$output" || false
}
