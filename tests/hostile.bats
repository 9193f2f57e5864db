#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Input that was made to be slow takes the time of other input of its size.

bats_require_minimum_version 1.5.0
load lib

# The CPU time of a command in ms. It may end with status 1.
cpu_ms() {
	local TIMEFORMAT=%3U+%3S status=0
	{ time "$@" > "$TMP/out" 2> "$TMP/err" || status=$?; } 2> "$TMP/time"
	[ "$status" -le 1 ] || { echo "$*: $status"; cat "$TMP/err"; return 1; } >&2
	awk -F + '{ print int(1000 * ($1 + $2)) }' "$TMP/time"
}

# as_quick HARMLESS HOSTILE COMMAND...: the command reads the second file in not much more time than the first.
as_quick() {
	local harmless hostile
	harmless=$(cpu_ms "${@:3}" "$1")
	hostile=$(cpu_ms "${@:3}" "$2")
	echo "${*:3}: $harmless ms, $hostile ms"
	[ "$hostile" -le $((5 * harmless + 200)) ]
}

# The first column of stdin as names, the second as numbers of tasks.
as_events() {
	awk '{ printf "%d,a:b,cpu=0\tpid=%d\ttid=%d\tcomm=%s\tstack=%s\n", NR, $2, $2, $1, $1 }'
}

@test "names and ids that an unseeded hash would put close together are as quick as others" {
	local n=50000
	"$BUILD/tools/collide" any $n > "$TMP/any"
	for how in names keys ids; do "$BUILD/tools/collide" $how $n > "$TMP/$how"; done
	sed 's/$/ 1/' "$TMP/any" > "$TMP/any.folded"
	sed 's/$/ 1/' "$TMP/names" > "$TMP/names.folded"
	as_quick "$TMP/any.folded" "$TMP/names.folded" mp-fold
	as_quick "$TMP/any.folded" "$TMP/names.folded" mp-import
	seq $n | paste -d ' ' "$TMP/any" - | as_events > "$TMP/any.mp"
	paste -d ' ' "$TMP/names" "$TMP/ids" | as_events > "$TMP/names.mp"
	paste -d ' ' "$TMP/keys" "$TMP/ids" | as_events > "$TMP/keys.mp"
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-hist --count comm --top 0
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-svg-heatmap -y comm
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-stackplot --by comm
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-cpel -t tid -l comm -o "$TMP/cpel"
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-rename --append-tid
	as_quick "$TMP/any.mp" "$TMP/keys.mp" mp-pair -b '*' -e no:end -k comm --open
	for file in any names; do
		awk -F '[=\t]' '{ print 1000 * NR ",sched:sched_switch,cpu=0\ttid=" last "\t.prev_comm=x\t.prev_pid=" last \
			"\t.prev_prio=120\t.prev_state=1\t.next_comm=x\t.next_pid=" $4 "\t.next_prio=120"; last = $4 }' \
			last=0 "$TMP/$file.mp" > "$TMP/switches-$file.mp"
	done
	as_quick "$TMP/switches-any.mp" "$TMP/switches-names.mp" mp-sched
}
