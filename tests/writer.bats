#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-record writes the stream in a process of its own: what that has, and how the two depend on each other.

bats_require_minimum_version 1.5.0
load lib

# Starts a recording of 60 s with options; sets pid and writer when the stream has begun.
start_recording() {
	start_load perl -e 'getppid while 1'
	mp-record -q -e raw_syscalls:sys_enter -p "$LOAD_PID" -d 60s "$@" -o "$TMP/s" 2> "$TMP/err" &
	pid=$!
	until [ -s "$TMP/s" ]; do await; done
	writer=$(children $pid mp-writer)
}

# The recording, one process of which was killed, ends at once with this message.
fails_soon() {
	local status=0
	SECONDS=0
	wait $pid || status=$?
	[ "$SECONDS" -lt 30 ]
	[ "$status" = 2 ]
	grep -qx "mp-record: $1" "$TMP/err" || { cat "$TMP/err"; false; }
}

@test "a recording whose opener is killed ends at once, says so, and fails" {
	needs_root
	start_recording
	# the keeper, whose end also ends the process that opens files
	kill -KILL "$(children $pid mp-opener)"
	fails_soon 'the process that opens files has ended'
}

@test "the writer ends when the recorder is killed" {
	needs_root
	start_recording -g user	# its opener has taken the rights of others
	kill -KILL $pid
	until [ ! -d "/proc/$writer" ] || grep -q '^State:.*Z' "/proc/$writer/status"; do await; done
}

@test "a signal to the whole process group, as ^C sends it, ends the recording as usual" {
	needs_root
	start_load perl -e 'select undef, undef, undef, 0.001 while 1'	# a loop without a pause loses events at times
	setsid mp-record -q -e raw_syscalls:sys_enter -g none -p "$LOAD_PID" -d 60s -o "$TMP/s" 2> "$TMP/err" &
	pid=$!
	until grep -qs '^[0-9]' "$TMP/s"; do await; done
	kill -TERM -- -$pid
	wait $pid || [ $? = 1 ]
	# a busy machine may lose events, which is reported
	! grep -v 'was lost\|were lost\|after a watermark' "$TMP/err" || false
	[ "$(trailer "$TMP/s" records)" -gt 0 ]
}

@test "with --realtime, the writer precedes programs of all sessions, and no other program does" {
	needs_root
	before=$(cat /proc/self/autogroup 2> /dev/null) || before=
	start_recording --realtime
	[ "$(ps -o ni= -p "$writer" | tr -d ' ')" = -20 ]
	if [ -n "$before" ]; then
		[[ "$(cat "/proc/$writer/autogroup")" == *' nice -20' ]]
		[ "$(cat /proc/self/autogroup)" = "$before" ]
	fi
	kill $pid
	wait $pid || [ $? = 1 ]
}

@test "a recording continues when its writer continues" {
	needs_root
	# few events until the writer has been found
	start_load perl -e 'select undef, undef, undef, 0.1 until -e $ARGV[0]; getppid while 1' "$TMP/found"
	mp-record -q -e raw_syscalls:sys_enter -g none -p "$LOAD_PID" -n 100000 -o "$TMP/s" &
	pid=$!
	until writer=$(children $pid mp-writer); do await; done
	touch "$TMP/found"
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

needs_sandbox() {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
}

@test "the writer has its descriptors, and no others" {
	needs_sandbox
	start_recording -g none
	find "/proc/$writer/fd" -type l -printf '%f %l\n' | sed 's/:\[[0-9]*\]$//' | sort -n > "$TMP/fds"
	# the last ones: its link to the collector, the process that opens files and its keeper, the output
	printf '%s\n' '0 /dev/null' '1 /dev/null' '2 /dev/null' '3 socket' '4 socket' '5 socket' "6 $TMP/s" | diff - "$TMP/fds"
}

@test "the writer maps its memory, its program with libraries, the queue, and the journal, and nothing else" {
	needs_sandbox
	start_recording -g none
	# mappings that the kernel adds: [vdso] and the like, [uprobes]
	awk '$6 !~ /^\[(v.*|uprobes)\]$/ { print $2, $6 }' "/proc/$writer/maps" | sort -u > "$TMP/all"
	grep -v ' /[^m]' "$TMP/all" > "$TMP/maps"
	printf '%s\n' 'r--s /memfd:mp-record-queue' 'rw-p ' 'rw-p [heap]' 'rw-p [stack]' 'rw-s /memfd:mp-record-journal' \
		'rw-s /memfd:mp-record-returns' | diff - "$TMP/maps"
	sed -n 's/^\(r--p\|r-xp\|rw-p\) \(\/[^m]\)/\2/p' "$TMP/all" | sort -u > "$TMP/files"
	{ echo "$BUILD/bin/mp-record"; ldd "$BUILD/bin/mp-record" | grep -o '/[^ ]*'; } | xargs realpath | sort -u | diff - "$TMP/files"
	[ "$(grep -c ' /[^m]' "$TMP/all")" = "$(grep -c '^\(r--p\|r-xp\|rw-p\) /[^m]' "$TMP/all")" ]
}

@test "the writer has no environment and no rights, and nobody may trace it" {
	needs_sandbox
	start_recording -g user	# it has asked for files of others
	is_confined "$writer"
	grep -q '^Max open files *1024 *1024 ' "/proc/$writer/limits"
	grep -q '^Max data size *4294967296 *4294967296 ' "/proc/$writer/limits"
}

# Attacks a process as a user: a signal, its memory, ptrace (PTRACE_SEIZE). Prints what succeeds.
attack() {	# PID UID
	setpriv --reuid="$2" --regid="$2" --clear-groups perl -e '
		my $pid = 0 + shift;
		open my $mem, "+<", "/proc/$pid/mem" and print "mem\n";
		syscall(101, 0x4206, $pid, 0, 0) == 0 and print "ptrace\n";
		kill 9, $pid and print "kill\n";' "$1"
}

@test "no user can kill, read or trace the writer" {
	needs_sandbox
	[ "$(uname -m)" = x86_64 ] || skip "the test knows the system calls of x86-64"
	start_recording -g none
	start_load setpriv --reuid=64123 --regid=64123 --clear-groups sleep 600
	until [ "$(cat "/proc/$LOAD_PID/comm")" = sleep ]; do await; done
	run attack "$LOAD_PID" 64123
	[ "$output" = $'mem\nptrace\nkill' ] || { echo "$output"; false; }	# the attacks work
	for uid in 65534 64123 60578 1000; do
		[ "$(attack "$writer" $uid)" = "" ]
	done
	[ -d "/proc/$writer" ]
}

@test "a missing part of the sandbox is reported, even with -q, and in the header; --sandbox=require refuses to record" {
	needs_sandbox
	mp-record -q --sandbox=require -e context-switches -g none -o "$TMP/s" -- true 2> "$TMP/err" || [ $? = 1 ]
	[ ! -s "$TMP/err" ] || { cat "$TMP/err"; false; }
	[ "$(head -n 1 "$TMP/s" | jq -c .sandbox_missing)" = null ]
	without_setuid() { setpriv --bounding-set=-setuid --inh-caps=-setuid mp-record -q "$@" -e context-switches -g none -o "$TMP/s" -- true; }
	without_setuid 2> "$TMP/err" || [ $? = 1 ]
	grep -qx 'mp-record: the sandbox of the writer process is incomplete: no uid of its own' "$TMP/err"
	[ "$(head -n 1 "$TMP/s" | jq -c .sandbox_missing)" = '["uid of its own"]' ]
	cp "$TMP/s" "$TMP/before"
	run -2 without_setuid --sandbox=require
	[ "$output" = 'mp-record: the sandbox of the writer process is incomplete: no uid of its own' ]
	cmp "$TMP/before" "$TMP/s"
	run -2 mp-record --sandbox=try -e context-switches -- true
	[[ "$output" == "mp-record: --sandbox: 'require', not 'try'"* ]]
}

@test "only mp-record can start the writer" {
	run -2 bash -c 'exec -a mp-writer "$0" 3>&-' "$BUILD/bin/mp-record"
	[ "$output" = 'mp-record: only mp-record starts this program' ]
	run -2 bash -c 'exec -a mp-writer "$0" 3< /dev/null' "$BUILD/bin/mp-record"
}
