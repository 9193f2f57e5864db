#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --stat: exact counts of known workloads, and intervals that add up.

bats_require_minimum_version 1.5.0
load lib

# The sum of .value of a type.
total() {
	grep "^[0-9]*,stat:$1," "$2" | grep -o '\.value=[0-9]*' | awk -F= '{ n += $2 } END { print n + 0 }'
}

@test "--stat counts exactly what a command did, in one line or in many" {
	needs_root
	mp-record --stat syscalls:sys_enter_getppid -o "$TMP/s" -- "$LOAD/getppid" 100003
	[ "$(total syscalls:sys_enter_getppid "$TMP/s")" = 100003 ]
	grep -q 'comm=getppid	' "$TMP/s"
	# the last interval ends with the recording
	[ "$(trailer "$TMP/s" time)" -ge "$(grep '^[0-9]' "$TMP/s" | tail -n 1 | cut -d , -f 1)" ]
	# it waits until the stream shows some, so that there are several intervals
	cat > "$TMP/calls.pl" <<-'X'
		my ($stream, $load) = @ARGV;
		for my $n (1 .. 4) { system $load, 25001; select undef, undef, undef, 0.01 until `grep -c ,stat: $stream` >= $n }
	X
	mp-record --stat syscalls:sys_enter_getppid -i 1ms -o "$TMP/s" -- perl "$TMP/calls.pl" "$TMP/s" "$LOAD/getppid"
	[ "$(total syscalls:sys_enter_getppid "$TMP/s")" = 100004 ]
	[ "$(grep -c '^[0-9]*,stat:' "$TMP/s")" -gt 3 ]
	mp-order --check "$TMP/s" > /dev/null
}

@test "each CPU has as much cpu-clock as time, in intervals without a gap" {
	needs_root
	mp-record --stat cpu-clock,context-switches -i 20ms -d 300ms -o "$TMP/s"
	mp-order --check "$TMP/s" > /dev/null
	for cpu in $(grep -o 'cpu=[0-9]*	' "$TMP/s" | sort -u); do
		grep ",stat:cpu-clock,$cpu	" "$TMP/s" | perl -ne '
			my ($t) = /^(\d+)/; my ($v) = /value=(\d+)/; my ($d) = /dur=(\d+)/;
			die "gap before $t\n" if $last && $t - $d != $last;
			$last = $t; $sum += $v; $time += $d;
			END { exit !($sum > 0.95 * $time && $sum < 1.05 * $time) }'
	done
}

@test "--stat counts processes with their threads, and single threads" {
	needs_root
	start_load "$LOAD/threads" 3 101
	until [ "$(ls /proc/$LOAD_PID/task | wc -l)" -ge 4 ]; do await; done
	mp-record --stat syscalls:sys_enter_getppid -p $LOAD_PID -d 100ms -o "$TMP/s"
	grep -q "^[0-9]*,stat:syscalls:sys_enter_getppid,pid=$LOAD_PID	comm=" "$TMP/s"
	tid=$(ls /proc/$LOAD_PID/task | tail -n 1)
	mp-record --stat task-clock -t "$tid" -d 50ms -o "$TMP/s"
	grep -q "pid=$LOAD_PID	tid=$tid	comm=" "$TMP/s"
}

@test "--stat counts a cgroup" {
	needs_root
	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$root" ] && mkdir "$root/mp-stat-$$" 2> /dev/null || skip "no cgroup2 to write to"
	mp-record --stat syscalls:sys_enter_getppid --cgroup "/mp-stat-$$" -o "$TMP/s" &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	(echo $BASHPID > "$root/mp-stat-$$/cgroup.procs"; exec "$LOAD/getppid" 1009)
	kill -INT $recorder
	wait $recorder
	rmdir "$root/mp-stat-$$"
	[ "$(total syscalls:sys_enter_getppid "$TMP/s")" = 1009 ]
	grep -q "cgroup=/mp-stat-$$	" "$TMP/s"
}

@test "counts and records of an event agree in one stream" {
	needs_root
	event=syscalls:sys_enter_getppid
	mp-record -q -e $event,stat:$event/interval=1ms/ -g none -o "$TMP/s" -- "$LOAD/getppid" 10007
	mp-order --check "$TMP/s" > /dev/null
	[ "$(grep -c "^[0-9]*,$event," "$TMP/s")" = 10007 ]
	[ "$(total $event "$TMP/s")" = 10007 ]
	[ "$(trailer "$TMP/s" fired)" = 10007 ]
	[ "$(trailer "$TMP/s" records)" = "$(grep -c '^[0-9]' "$TMP/s")" ]
	# with a filter, and as --stat beside -e
	mp-record -q -e $event -g none --stat "raw_syscalls:sys_enter/id==110/" -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(total raw_syscalls:sys_enter "$TMP/s")" = 1009 ]
	[ "$(grep -c "^[0-9]*,$event," "$TMP/s")" = 1009 ]
	# two intervals
	mp-record -q -e stat:page-faults/interval=5ms/,stat:$event/interval=1s/ -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(total $event "$TMP/s")" = 1009 ]
	[ "$(grep -c ",stat:$event," "$TMP/s")" = 1 ]
}

@test "--stat agrees with perf stat on the same command" {
	needs_root
	command -v perf > /dev/null || skip "no perf"
	perf stat -x, -e page-faults:u -o "$TMP/perf" -- "$LOAD/getppid" 10 || skip "perf stat does not work"
	want=$(awk -F, '/page-faults/ { print $1 }' "$TMP/perf")
	mp-record --stat page-faults:u -o "$TMP/s" -- "$LOAD/getppid" 10
	got=$(total page-faults:u "$TMP/s")
	[ "$got" -gt 0 ] || got=$(total page-faults "$TMP/s")
	[ $((got - want)) -le 5 ] && [ $((want - got)) -le 5 ] || false
}

@test "misuse of --stat is refused, and an early stop gives a complete stream" {
	run mp-record -i 1s -e cpu-clock -- true
	[ "$status" = 2 ] && [[ "$output" == *"--interval is only for --stat, stat:* and mem:*"* ]] || false
	run mp-record --stat task:exec -- true
	[ "$status" = 2 ] && [[ "$output" == *"task:exec: it cannot be counted"* ]] || false
	run mp-record --stat nonsense -- true
	[ "$status" = 2 ] && [[ "$output" == *"no event 'nonsense'"* ]] || false
	needs_root
	mp-record --stat cpu-clock -i 10s -o "$TMP/s" &
	pid=$!
	until [ -s "$TMP/s" ]; do await; done
	kill -INT $pid
	wait $pid
	[ "$(trailer "$TMP/s" records)" = "$(grep -c '^[0-9]*,stat:' "$TMP/s")" ]
	mp-record --stat cpu-clock -i 1ms | head -n 3 > /dev/null
	[ "${PIPESTATUS[0]}" = 141 ]
	run bash -c "mp-record --stat cpu-clock -i 1ms > /dev/full"
	[ "$status" = 2 ] && [[ "$output" == *"No space left on device"* ]] || false
}
