#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# When the process that writes dies, another one continues: no event is written twice, or lost.

bats_require_minimum_version 1.5.0
load lib

# A program that counts: it seeks to 0, 1, 2 and so on, in bursts.
start_counting() {
	start_load perl -e 'for (my $i = 0;; $i++) { sysseek STDIN, $i, 0; select undef, undef, undef, 0.002 if $i % 100 == 0 }'
}

# The current writer of the recording $pid; waits for one that is not $1.
find_writer() {
	until writer=$(pgrep -P "$pid" -x mp-writer) && [ "$writer" != "${1:-}" ]; do await; done
}

# Kills the writer of the recording $pid, time and again at a random time after it has begun, $1 times.
kill_writers() {
	local i before=
	for ((i = 0; i < $1; i++)); do
		find_writer "$before"
		sleep "0.$(printf '%03d' $((RANDOM % 200)))"
		kill -KILL "$writer" 2> /dev/null || true
		before=$writer
	done
}

# Of the stream: each number of the program came once, in order, or was lost; the account is right.
is_exact() {
	mp-order --check "$1"
	[ "$(trailer "$1" lost)" != 0 ] || perl -ne 'next unless /syscalls:sys_enter_lseek.*offset=0x([0-9a-f]+)/; $now = hex $1;
		die "after $last comes $now\n" if defined $last and $now != $last + 1; $last = $now; END { exit !$last }' "$1"
	tail -n 1 "$1" | jq -e '.fired == .records + .excluded + .lost and .late == null'
	[ "$(grep -c "syscalls:sys_enter_lseek," "$1")" = "$(trailer "$1" records)" ]
}

# To be run in the background: then $! is its pid.
record() {
	exec mp-record -e syscalls:sys_enter_lseek -p "$LOAD_PID" -d 60s "$@" 2> "$TMP/err"
}

# Ends the recording and waits for it; sets status.
end_recording() {
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
}

@test "a writer that is killed 30 times at any moment leaves each event in the file once" {
	needs_root
	start_counting
	record -o "$TMP/s" &
	pid=$!
	kill_writers 30
	find_writer "$writer"
	end_recording
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	is_exact "$TMP/s"
	[ "$(trailer "$TMP/s" restarts)" = "$(grep -c '^mp-record: another writer process continues' "$TMP/err")" ]
	[ "$(trailer "$TMP/s" restarts)" -ge 25 ]
}

@test "a writer that is killed while the pipe is full leaves each event in the pipe once" {
	needs_root
	start_counting
	mkfifo "$TMP/pipe"
	perl -e 'while (sysread STDIN, my $x, 10000) { syswrite STDOUT, $x; select undef, undef, undef, 0.01 }' < "$TMP/pipe" > "$TMP/s" &
	reader=$!
	record -g none > "$TMP/pipe" &
	pid=$!
	kill_writers 20
	find_writer "$writer"
	end_recording
	wait $reader
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	is_exact "$TMP/s"
	[ "$(trailer "$TMP/s" restarts)" -ge 15 ]
}

# Records with a fault, "KIND NUMBER"; the recording is exact, or it failed before it began.
is_exact_with() {
	status=0
	MP_FAULT=$1 "$BUILD/takeover/mp-record" -q -e syscalls:sys_enter_lseek -p "$LOAD_PID" -d 200ms -o "$TMP/s" 2> "$TMP/err" || status=$?
	if [ "$status" = 2 ]; then
		[ -s "$TMP/err" ] && [ ! -s "$TMP/s" ]
	else
		[ "$status" -le 1 ] && is_exact "$TMP/s" > "$TMP/why" 2>&1
	fi || { echo "$1: status $status"; cat "$TMP/err" "$TMP/why"; tail -n 1 "$TMP/s"; false; }
}

@test "a recording is exact whichever allocation, read or recvmsg of the writer fails" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	start_counting
	local kind i restarts=0
	for kind in allocation read recvmsg; do
		for ((i = 1; i < 2000; i = i * 3 / 2 + RANDOM % 2 + 1)); do
			is_exact_with "$kind $i"
			[ "$status" = 2 ] || [ "$(trailer "$TMP/s" restarts)" = null ] || ((++restarts))
		done
	done
	[ "$restarts" -ge 5 ]
}
