#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-record writes in a process of its own, without which the recording still ends.

bats_require_minimum_version 1.5.0
load lib

# Starts a recording of 60 s with options; sets pid and writer when the stream has begun.
start_recording() {
	start_load perl -e 'getppid while 1'
	mp-record -q -e raw_syscalls:sys_enter -p "$LOAD_PID" -d 60s "$@" -o "$TMP/s" 2> "$TMP/err" &
	pid=$!
	until [ -s "$TMP/s" ]; do sleep 0.05; done
	writer=$(pgrep -P $pid -x mp-writer)
}

@test "a recording whose writer is killed ends at once, says so, and fails" {
	needs_root
	start_recording
	kill -KILL "$writer"
	status=0
	SECONDS=0
	wait $pid || status=$?
	[ "$SECONDS" -lt 30 ]
	[ "$status" = 2 ]
	grep -qx 'mp-record: the process that writes was killed by signal 9' "$TMP/err" || { cat "$TMP/err"; false; }
}

@test "the writer ends with a recorder that is killed" {
	needs_root
	start_recording -g user	# it has opened files of others, with their rights
	kill -KILL $pid
	until [ ! -d "/proc/$writer" ] || grep -q '^State:.*Z' "/proc/$writer/status"; do sleep 0.05; done
}

@test "a signal to the whole process group, as by ^C, ends the recording as usual" {
	needs_root
	start_load perl -e 'getppid while 1'
	setsid mp-record -q -e raw_syscalls:sys_enter -g none -p "$LOAD_PID" -d 60s -o "$TMP/s" 2> "$TMP/err" &
	pid=$!
	until [ -s "$TMP/s" ]; do sleep 0.05; done
	kill -TERM -- -$pid
	wait $pid || [ $? = 1 ]
	[ ! -s "$TMP/err" ] || { cat "$TMP/err"; false; }
	[ "$(trailer "$TMP/s" records)" -gt 0 ]
}

@test "a recording continues when its writer continues" {
	needs_root
	start_load perl -e 'getppid while 1'
	mp-record -q -e raw_syscalls:sys_enter -g none -p "$LOAD_PID" -n 100000 -o "$TMP/s" &
	pid=$!
	until writer=$(pgrep -P $pid -x mp-writer); do sleep 0.01; done
	for ((i = 0; i < 10; i++)); do
		kill -STOP "$writer" 2> /dev/null || break
		sleep 0.02
		kill -CONT "$writer" 2> /dev/null || break
		sleep 0.02
	done
	status=0
	wait $pid || status=$?
	[ "$status" -le 1 ]
	[ "$(trailer "$TMP/s" records)" = 100000 ]
}

@test "the writer has no environment but PATH, no new privileges, no core, and nobody may trace it" {
	needs_root
	start_recording
	[ "$(tr '\0' '\n' < "/proc/$writer/environ" | cut -d = -f 1)" = PATH ]
	grep -q '^NoNewPrivs:.*1$' "/proc/$writer/status"
	grep -q '^Max core file size *0 *0 ' "/proc/$writer/limits"
	# its output, and no descriptor of an event, a program or the queue
	find "/proc/$writer/fd" -printf '%l\n' > "$TMP/fds"
	grep -qx "$TMP/s" "$TMP/fds"
	! grep -E 'anon_inode|memfd' "$TMP/fds" || false
	kill -INT $pid
	wait $pid || [ $? = 1 ]
}

@test "the writer does not start by itself" {
	run -2 bash -c 'exec -a mp-writer "$0" 3>&-' "$BUILD/bin/mp-record"
	[ "$output" = 'mp-record: only mp-record starts this program' ]
	run -2 bash -c 'exec -a mp-writer "$0" 3< /dev/null' "$BUILD/bin/mp-record"
}
