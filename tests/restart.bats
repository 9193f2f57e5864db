#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# When the process that writes dies, another one continues: no event is written twice, or lost.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

# A program that counts: it seeks to 0, 1, 2 and so on, in bursts.
COUNT='for (my $i = 0;; $i++) { sysseek STDIN, $i, 0; select undef, undef, undef, 0.002 if $i % 100 == 0 }'
start_counting() {
	start_load perl -e "$COUNT"
}

# Whether a writer has handled events: it has written more than what the one before it may have left, 256 KiB.
has_handled() {
	[ "$(awk '$1 == "wchar:" { print $2 }' "/proc/$1/io")" -ge $((512 << 10)) ]
}

# Whether a writer has handled events, where it writes nothing before the end: it has waited for more of them, in a futex, 20 times.
# While it starts, it waits for other things.
has_waited() {
	local waits
	waits=$(status_of "$1" voluntary_ctxt_switches)
	[ "${waiting:-}" = "$1" ] || { [[ "$(cat "/proc/$1/wchan")" != futex* ]] || { waiting=$1 before_waits=$waits; }; return 1; }
	[ "$waits" -ge $((before_waits + 20)) ]
}

# Kills the writer of the recording $pid, time and again at a random time after it has begun, $1 times. The first one has handled
# events, and so has one of six: mp-record gives up when ten in sequence have handled nothing, as they may on a slow machine.
kill_writers() {
	local i before=
	for ((i = 0; i < $1; i++)); do
		find_writer "$before"
		[ $((i % 6)) != "${2:-0}" ] || until has_handled "$writer"; do await; done
		sleep "0.$(printf '%03d' $((RANDOM % 200)))"
		kill -KILL "$writer" 2> /dev/null || true
		echo "killed $writer"
		before=$writer
	done
}

# Of the stream: each number of the program came once, in order, or was lost; the account is right.
is_exact() {
	mp-order --check "$1"
	perl -sne 'next unless /syscalls:sys_enter_lseek.*offset=0x([0-9a-f]+)/; $now = hex $1;
		die "after $last comes $now\n" if defined $last and $now <= $last || !$lost && $now != $last + 1;
		$last = $now; END { exit($fired && !$last) }' -- -lost="$(trailer "$1" lost)" -fired="$(trailer "$1" records)" "$1"
	is_exact_account "$1"
}

is_exact_account() {
	tail -n 1 "$1" | jq -e '.fired == .records + .excluded + .lost and .late == null'
	[ "$(grep -c "syscalls:sys_enter_lseek," "$1")" = "$(trailer "$1" records)" ]
}

# To be run in the background: then $! is its pid.
record() {
	exec mp-record -e syscalls:sys_enter_lseek -p "$LOAD_PID" -d 600s "$@" 2> "$TMP/err"
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

@test "each event is once in output that is compressed, also if the process that compresses is late" {
	needs_root
	start_counting
	record -o "$TMP/s.zst" &
	pid=$!
	kill_writers 15
	pkill -STOP -P "$pid" -x mp-packer	# writers die while they wait for it
	kill_writers 5 none
	pkill -CONT -P "$pid" -x mp-packer
	find_writer "$writer"
	end_recording
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	zstd -qcd "$TMP/s.zst" > "$TMP/s"
	is_exact "$TMP/s"
	[ "$(trailer "$TMP/s" restarts)" -ge 15 ]
}

@test "with process accounting, whose record the kernel writes on behalf of a process that ends, each event is in the output once" {
	needs_root
	# in a pid namespace, which has an account of its own
	cat > "$TMP/accounted" <<-'X'
		python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).acct(sys.argv[1].encode()) and 77)' "$1/account" || exit
		perl -e "$2" &
		mp-record -e syscalls:sys_enter_lseek -g none -p $! -o "$1/s" &
		until [ -s "$1/s" ]; do sleep 0.02; done
		for _ in 1 2 3; do
			sleep 0.5
			pkill -KILL -x mp-writer
		done
		sleep 0.5
		kill -INT $!
		wait $!
	X
	: > "$TMP/account"
	status=0
	unshare --pid --fork --kill-child --mount-proc sh "$TMP/accounted" "$TMP" "$COUNT" < /dev/null 2> "$TMP/err" || status=$?
	[ "$status" != 77 ] || skip "no process accounting here"
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	[ -s "$TMP/account" ]
	is_exact "$TMP/s"
	[ "$(trailer "$TMP/s" restarts)" -ge 2 ]
}

# A program that, for each line that it reads, starts 20 children with names of their own and prints "ready", or, for every second
# line, lets them call lseek and end, and prints "ended".
start_families() {
	mkfifo "$TMP/lines" "$TMP/answers"
	start_load perl -e '
		$| = 1; my $n = 0; open my $lines, "<", $ARGV[0]; open STDOUT, ">", $ARGV[1];
		while (<$lines>) {
			pipe my $wait, my $go;
			for (1 .. 20) {
				$n++; next if fork; $0 = "named$n"; close $go; sysseek STDIN, 0, 0; sysread $wait, my $x, 1; sysseek STDIN, 0, 0; exit }
			print "ready\n"; <$lines>; close $go; 1 while wait > 0; print "ended\n"
		}' "$TMP/lines" "$TMP/answers"
	exec {lines}> "$TMP/lines" {answers}< "$TMP/answers"
}

@test "events of tasks that have ended when their writer dies have the names of the tasks" {
	needs_root
	start_families
	record -g none -o "$TMP/s" &
	pid=$!
	find_writer
	until [ -s "$TMP/s" ]; do await; done
	for _ in 1 2 3 4; do
		before=$(grep -c 'comm=named' "$TMP/s" || true)
		echo >&"$lines"; read -r -t 60 <&"$answers"
		until [ "$(grep -c 'comm=named' "$TMP/s")" -ge $((before + 20)) ]; do await; done	# it knows them now
		kill -STOP "$writer"
		echo >&"$lines"; read -r -t 60 <&"$answers"
		kill -KILL "$writer"
		find_writer "$writer"
	done
	end_recording
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	is_exact_account "$TMP/s"
	grep -o -P '\tcomm=[^\t]*' "$TMP/s" | sort | uniq -c | awk '$2 ~ /=named/ && $1 == 2 { n++ } $2 ~ /=:/ { print; bad = 1 } END { print n; exit bad || n != 80 }'
}

@test "a writer that dies after the stop, or while it writes the trailer, is replaced" {
	needs_root
	start_counting
	mkfifo "$TMP/pipe"
	bash -c 'IFS= read -r header; echo "$header"; exec sleep 600' < "$TMP/pipe" > "$TMP/s" &	# reads nothing more
	holder=$!
	record -g none > "$TMP/pipe" &
	pid=$!
	until [ -s "$TMP/s" ]; do await; done
	sleep 1
	kill -INT "$pid"
	sleep 0.2
	for _ in 1 2 3 4 5; do	# it is blocked by the pipe
		pkill -KILL -P "$pid" -x mp-writer || true
		sleep 0.07
	done
	cat "$TMP/pipe" >> "$TMP/s" &
	reader=$!
	until [ "$(wc -l < "$TMP/s")" -gt 1 ]; do await; done
	kill -KILL $holder
	status=0
	wait "$pid" || status=$?
	wait $reader
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	is_exact "$TMP/s"
	[ "$(trailer "$TMP/s" restarts)" -ge 1 ]
}

# Calls lseek64 exactly 24,130 times, also in 160 children, which do not live long; then only forks, until there is a file. So each
# writer has something to handle. A child prints its id, which may be that of a writer that was killed.
CALLS=24130
count_calls() {
	exec perl -e '
		sub seek_times { sysseek STDIN, 0, 0 for 1 .. $_[0] }
		seek_times(10);
		for (1 .. 160) {
			my $pid = fork;
			if (!$pid) { syswrite STDERR, "child $$\n"; $0 = "child" . $_ % 7; seek_times(100); select undef, undef, undef, 0.01; seek_times(50); exec "true" }
			waitpid $pid, 0;
		}
		seek_times(120);
		until (-e $ARGV[0]) {
			my $pid = fork;
			kill KILL => $$ if !$pid;
			waitpid $pid, 0;
			select undef, undef, undef, 0.05;
		}' "$1" < /dev/null
}
export -f count_calls

@test "in-kernel aggregates outlive the writer: each total is in the result once" {
	needs_root
	[ "$(uname -m)" = x86_64 ] || skip "not x86-64"
	mp-record -q -e sum:blocked -d 1ms > /dev/null 2> "$TMP/err" || skip "$(cat "$TMP/err")"
	mp-record -e uprobe:libc:lseek64/sum=calls:count/ -g user -o "$TMP/s" -- bash -c "count_calls $TMP/go" 2> "$TMP/err" &
	pid=$!
	has_handled() { has_waited "$1"; }
	kill_writers 12
	touch "$TMP/go"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	cat "$TMP/s" "$TMP/err" | cut -c 1-300
	[ "$(trailer "$TMP/s" restarts)" -ge 5 ]
	# bash and perl themselves seek a few times, too
	[ "$(grep -v '^{' "$TMP/s" | awk -F'#' '{ n += $1 } END { print n }')" = "$(trailer "$TMP/s" added)" ]
	[ "$(grep -E '^[0-9]+#child.;' "$TMP/s" | awk -F'#' '{ n += $1 } END { print n }')" = $((160 * 150)) ]
	[ "$(trailer "$TMP/s" added)" -ge $CALLS ] && [ "$(trailer "$TMP/s" added)" -le $((CALLS + 100)) ]
	! grep -q 'no stack: ' "$TMP/err" || false
}

@test "a writer that dies while it writes the aggregates is replaced, and each line comes once" {
	needs_root
	[ "$(uname -m)" = x86_64 ] || skip "not x86-64"
	mp-record -q -e sum:blocked -d 1ms > /dev/null 2> "$TMP/err" || skip "$(cat "$TMP/err")"
	mkfifo "$TMP/pipe"
	sleep 600 < "$TMP/pipe" &	# holds the pipe open, and reads nothing
	holder=$!
	# each name of the program makes a line
	mp-record -e uprobe:libc:lseek64/sum=calls:count/ -g user -- perl -e '
		for (1 .. 20000) { $0 = "name$_" . "x" x 6; sysseek STDIN, 0, 0 for 1 .. 3 }' < /dev/null > "$TMP/pipe" 2> "$TMP/err" &
	pid=$!
	# only the aggregates fill the pipe
	await_stall "$pid"
	for _ in 1 2 3 4; do	# it is blocked by the pipe
		pkill -KILL -P "$pid" -x mp-writer || true
		sleep 0.3
	done
	cat "$TMP/pipe" >> "$TMP/s" &
	reader=$!
	until [ "$(wc -l < "$TMP/s")" -gt 1 ]; do await; done
	kill -KILL $holder
	status=0
	wait "$pid" || status=$?
	wait $reader
	cut -c 1-200 "$TMP/err"
	[ "$status" = 1 ]
	[ "$(trailer "$TMP/s" restarts)" -ge 1 ]
	[ "$(grep -cE '^[0-9]+#' "$TMP/s")" = "$(trailer "$TMP/s" records)" ]
	awk -F '[#;]' '/^[0-9]+#name/ { n[$2] += $1 } END { for (i in n) good += n[i] == 3; exit good != 20000 }' "$TMP/s"
	[ "$(grep -E '^[0-9]+#' "$TMP/s" | cut -d '#' -f 2 | sort | uniq -d | wc -l)" = 0 ]
	[ "$(grep -c '^{"mp"' "$TMP/s")" = 1 ] && [ "$(grep -c '^{"end"' "$TMP/s")" = 1 ]
}

@test "a recording on a terminal survives its writer" {
	needs_root
	command -v script > /dev/null || skip "no script(1)"
	start_load "$LOAD/spin" 600
	script -qfec "mp-record -p $LOAD_PID" /dev/null < /dev/null > "$TMP/out" 2>&1 &
	until grep -q spin "$TMP/out" 2> /dev/null; do await; done
	pid=$(pgrep -o -f "^mp-record -p $LOAD_PID")
	find_writer
	kill -KILL "$writer"
	find_writer "$writer"
	until has_waited "$writer"; do await; done
	kill -INT "$pid"
	wait %2 || true
	grep -q 'another writer process continues' "$TMP/out"
	grep -qE 'mp-record: [0-9]+ events, 0 lost' "$TMP/out" || { cat -v "$TMP/out"; false; }
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
	fi && { [[ $1 != allocation* ]] || ! grep -q 'without what it worked on' "$TMP/err"; } || { echo "$1: status $status"; cat "$TMP/err" "$TMP/why"; tail -n 1 "$TMP/s"; false; }
}

@test "a recording is exact whichever allocation, read or recvmsg of the writer fails" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	start_counting
	local kind i restarts=0
	for kind in allocation read recvmsg; do
		for ((i = 1; i < 2000; i = i * 2 + RANDOM % 2)); do
			is_exact_with "$kind $i"
			[ "$status" = 2 ] || [ "$(trailer "$TMP/s" restarts)" = null ] || ((++restarts))
		done
	done
	[ "$restarts" -ge 5 ]
}
