#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The sandbox of the process that reads what other users wrote: what it has, and what it cannot do.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

setup() {
	make_tmp
}

# Starts a process that waits in the sandbox. Sets SANDBOXED to its pid, and MISSING to the missing parts.
start_sandboxed() {
	start_load "$BUILD/tools/sandbox" wait
	until [ "$(wc -l < "$TMP/load.out")" = 2 ]; do await; done
	{ read -r SANDBOXED && read -r MISSING; } < "$TMP/load.out"
}

@test "each attempt to do what the sandbox does not permit kills the process" {
	for attempt in open socket connect sendto sendmsg ptrace kill tgkill bpf perf_event_open ioctl mmap-exec mmap-file mprotect-exec \
		clone clone3 execve unshare; do
		run "$BUILD/tools/sandbox" $attempt
		[ "$output" = killed ] || { echo "$attempt: $output"; false; }
	done
	run "$BUILD/tools/sandbox" memory
	[ "$output" = "refused: Cannot allocate memory" ]
	run "$BUILD/tools/sandbox" allowed
	[ "$output" = "did it" ]
}

@test "a sandboxed process has the rights that are documented, and no others" {
	needs_root
	start_sandboxed
	[ "$MISSING" = "" ]
	is_confined "$SANDBOXED"
	[ "$(ls -A "/proc/$SANDBOXED/root/")" = "" ]
	[[ "$(cat "/proc/$SANDBOXED/mounts")" == "none / tmpfs ro,nosuid,nodev,noexec,"* ]]
	[ "$(ls "/proc/$SANDBOXED/fd" | tr '\n' ' ')" = "0 1 2 " ]
	# nothing is mapped that is writable and executable, or shared
	run ! grep -E '^[0-9a-f]+-[0-9a-f]+ (.w.?x|...s)' "/proc/$SANDBOXED/maps"
}

@test "a user without privileges has a sandbox, too" {
	needs_root
	install -m 755 "$BUILD/tools/sandbox" "$TMP/sandbox"
	chmod 755 "$TMP"
	as_user() { setpriv --reuid=64123 --regid=64123 --clear-groups "$@"; }
	as_user unshare -U -p -m -n -i -f true || skip "users cannot make namespaces"
	run as_user "$TMP/sandbox" missing
	[ "$output" = "uid of its own" ]
	run as_user "$TMP/sandbox" open
	[ "$output" = killed ]
}

@test "a missing part has a name" {
	needs_root
	# in a user namespace where no network namespace can be made
	run unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_net_namespaces && "$0" "$1"' "$BUILD/tools/sandbox" missing
	[[ "$output" == *"network namespace"* ]] || { echo "$output"; false; }
}

# Records a program that has the writer make an attempt; sets status.
record_attempt() {
	start_load "$LOAD/attempt" "$1"
	status=0
	SECONDS=0
	"$BUILD/takeover/mp-record" -q -e cpu-clock -F 199 -g user -p "$LOAD_PID" -d "$2" -o "$TMP/s" 2> "$TMP/err" || status=$?
	kill -KILL -- -$LOAD_PID
	[ "$SECONDS" -lt 300 ] || { echo "$SECONDS s"; false; }
}

# The recording of record_attempt() continued after its writer had been killed by a signal, without the file of the program.
continued_after() {
	[ "$status" = 1 ] || return
	printf '%s\n' "$1" "mp-record: another writer process continues, without what it worked on: process $LOAD_PID ('attempt', uid 0), file $LOAD/attempt" |
		diff - "$TMP/err" || return
	mp-order --check "$TMP/s" || return
	[ "$(trailer "$TMP/s" restarts)" = 1 ] || return
	grep -q '	stack=.*\[attempt\]+0x' "$TMP/s" && ! grep -q 'mp_attempt_' "$TMP/s"
}

@test "a writer that was taken over is killed at its first forbidden step, and another one continues without that file" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	while read -r signal attempt; do
		record_attempt "$attempt" 300ms
		continued_after "mp-record: the writer process was killed by signal $signal" || { echo "$attempt"; cat "$TMP/err"; false; }
	done <<- X
		31 open
		31 socket
		31 connect
		31 ptrace
		31 kill
		31 bpf
		31 perf_event_open
		31 ioctl
		11 queue
	X
	record_attempt damaged_message 1s
	# by the time it is killed, it works on something else
	[ "$status" = 1 ] || { echo "status $status"; cat "$TMP/err"; tail -n 1 "$TMP/s"; false; }
	grep -qx 'mp-record: the writer process was killed by signal 9' "$TMP/err"
	mp-order --check "$TMP/s"
}

@test "a writer that leaves a forged journal ends the recording" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	record_attempt forgery 180s
	[ "$status" = 2 ]
	[ "$(tail -n 1 "$TMP/err")" = 'mp-record: no other writer process can continue: its journal is damaged' ]
}

@test "after three deaths at files of one user, no file of this user is read" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	chmod 755 "$TMP"
	local i pids=()
	for i in 1 2 3 4 5; do
		install -m 755 "$LOAD/attempt" "$TMP/attempt$i"
		start_load setpriv --reuid=64123 --regid=64123 --clear-groups "$TMP/attempt$i" open
		pids+=(-p "$LOAD_PID")
	done
	status=0
	"$BUILD/takeover/mp-record" -q -e cpu-clock -F 199 -g user "${pids[@]}" -d 2s -o "$TMP/s" 2> "$TMP/err" || status=$?
	[ "$status" = 1 ]
	[ "$(trailer "$TMP/s" restarts)" = 3 ]
	for i in 1 2 3 4 5; do
		grep -q "\[attempt$i\]+0x" "$TMP/s"
	done
}

@test "after three deaths at unknown steps, no file is read" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	record_attempt afterwards 2s
	[ "$status" = 1 ] || { echo "status $status"; cat "$TMP/err"; false; }
	[ "$(trailer "$TMP/s" restarts)" = 3 ] || { cat "$TMP/err"; false; }
	[ "$(tail -n 1 "$TMP/err")" = 'mp-record: another writer process continues, without reading files: it is not known which of them made others fail' ]
	grep -q '	stack=.*\[attempt\]+0x' "$TMP/s"
	mp-order --check "$TMP/s"
}

@test "a writer that was taken over gets no file but programs, and cannot hold up the recording by requests" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	record_attempt files 1s
	[ "$status" -le 1 ]
	grep -qx 'mp-record: it got 0 files' "$TMP/err"
	record_attempt requests 1s
	[ "$status" -le 1 ]
	# 30,000 at once, and 2,000 per second
	awk '/requests were served/ { limited = $2 <= 30000 + 2 * ($9 + 1) } END { exit !limited }' "$TMP/err" || { cat "$TMP/err"; false; }
	record_attempt messages 1s
	[ "$status" -le 1 ]
	grep -qx 'mp-record: it sent messages' "$TMP/err"
	[ "$(trailer "$TMP/s" records)" -gt 0 ]
	record_attempt lies 1s
	[ "$status" = 1 ]
	grep -qx 'mp-record: the writer process returned memory that it did not have: its output may be forged' "$TMP/err"
	# for half a minute
	record_attempt silence 1s
	continued_after 'mp-record: the writer process does not respond
mp-record: the writer process was killed by signal 9'
}
