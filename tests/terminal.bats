#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What somebody sees who runs the programs at a terminal, without files and pipes.

bats_require_minimum_version 1.5.0
load lib

setup_file() {
	command -v script > /dev/null || skip "no script(1)"
}

# at_terminal COLUMNS ROWS COMMAND: what a terminal of that size gets, in $TMP/out.
at_terminal() {
	script -qfec "stty cols $1 rows $2; $3" /dev/null < /dev/null > "$TMP/out" 2>&1
}

# What is on the terminal at the end: after the last time that it was cleared, without CRs.
last_picture() {
	sed 's/.*\x1b\[J//' "$TMP/out" | tr -d '\r'
}

@test "a recording with stacks shows a summary in place, which fits the window, until ^C" {
	needs_root
	start_load "$LOAD/spin" 600
	at_terminal 70 12 "mp-record -p $LOAD_PID" &
	# rewritten twice, with samples
	until [ "$(grep -c $'\033\\[[0-9]*A\033\\[J' "$TMP/out" 2> /dev/null)" -ge 2 ] && grep -q spin "$TMP/out"; do await; done
	pid=$(pgrep -o -f "^mp-record -p $LOAD_PID")
	kill -INT "$pid"
	wait %2 || true
	! grep -q '^{' "$TMP/out" || false
	grep -q '\^C ends; -o FILE writes the stream' "$TMP/out"
	sed 's/\x1b\[[0-9]*[AJ]//g' "$TMP/out" | tr -d '\r' | awk '/^mp-record: / { next } length > 69 { exit 1 }'
	[ "$(last_picture | grep -cE '^ +[0-9]+ +[0-9.]+  cpu-clock  spin  ')" -ge 1 ] || { cat -v "$TMP/out"; false; }
	# 12 lines, of which one is the cursor's
	awk 'match($0, /\033\[[0-9]+A/) { if (substr($0, RSTART + 2) + 0 > 11) exit 1 }' "$TMP/out"
	# the last picture has what the summary of the recording says
	events=$(sed -n 's/^mp-record: \([0-9]*\) events, .*/\1/p' "$TMP/out" | tr -d '\r')
	last_picture | grep -qE "^[0-9.]+ s, $events events, [0-9]+/s, [0-9]+ lost$"
}

@test "the summary of a command comes at its end, below what the command printed" {
	needs_root
	at_terminal 90 20 "mp-record -q -- sh -c 'echo printed; exec $LOAD/spin 0.2'"
	! grep -q $'\033' "$TMP/out" || false
	grep -A 9 printed "$TMP/out" | grep -qE '^ +[0-9]+ +[0-9.]+  cpu-clock  spin '
}

@test "the weights of in-kernel aggregation are shown at the end, by where the kernel was entered" {
	needs_root
	at_terminal 100 20 "mp-record -q offcpu -- sleep 0.3"
	if grep -q 'not available' "$TMP/out"; then skip "no BPF"; fi
	grep -qE '^ +[0-9]{9,} +[0-9.]+  stacks  sleep  .*nanosleep.* > .*schedule.*_\[k\]' "$TMP/out" || { cat "$TMP/out"; false; }
}

@test "the summary holds no byte that a terminal would interpret" {
	needs_root
	printf '#include <sys/prctl.h>\n#include <time.h>\nint main(void) { prctl(PR_SET_NAME, "\\033[31m\\302\\2332J"); while (clock() < CLOCKS_PER_SEC / 4); }\n' > "$TMP/t.c"
	gcc -o "$TMP/t" "$TMP/t.c"
	at_terminal 90 20 "mp-record -q -- $TMP/t"
	grep -qF '\x1b[31m\xc2\x9b2J' "$TMP/out"
	! grep -q $'\033' "$TMP/out" || false
	! grep -q $'\302\233' "$TMP/out" || false
}

@test "with -n, or without stacks, a terminal gets lines" {
	needs_root
	at_terminal 90 20 "mp-record -q -n 2 -- $LOAD/spin 0.2"
	[ "$(grep -cE '^ *[0-9]+\.[0-9]{9} spin:[0-9]+ \[[0-9]+\] cpu-clock' "$TMP/out")" = 2 ]
	grep -q $'^\tmain' "$TMP/out"
	at_terminal 90 20 "mp-record -q -g none -- $LOAD/spin 0.2"
	[ "$(grep -cE '^ *[0-9]+\.[0-9]{9} spin:[0-9]+ \[[0-9]+\] cpu-clock' "$TMP/out")" -ge 2 ]
}

@test "a filter that reads from the terminal says so once" {
	for p in $FILTERS; do
		read -ra words <<< "$(filter_words "$p")"
		printf -v quoted '%q ' "${words[@]}"
		at_terminal 90 20 "$quoted > /dev/null" || true
		[ "$(grep -c "^$p: reading from the terminal (^D ends; usually FILE, or a pipe: mp-record ... | $p)" "$TMP/out")" = 1 ] || { cat "$TMP/out"; false; }
	done
	at_terminal 90 20 "mp-order --check" || true
	[ "$(grep -c "^mp-order: reading from the terminal" "$TMP/out")" = 1 ]
	printf '1,a:b,comm=x\n' > "$TMP/in"
	at_terminal 90 20 "mp-fold '$TMP/in'"
	[ "$(tr -d '\r' < "$TMP/out")" = "x 1" ]
}
