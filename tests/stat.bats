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
	# long enough for a recorder that waits for a CPU between the reading of the clock and that of the counter
	mp-record --stat cpu-clock,context-switches -i 20ms -d 3s -o "$TMP/s"
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
	tid=$(ls /proc/$LOAD_PID/task | grep -vx "$LOAD_PID" | tail -n 1)
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
	remove_cgroup "$root/mp-stat-$$"
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
	mp-record -q -e stat:page-faults/interval=5ms/,stat:$event/interval=600s/ -o "$TMP/s" -- "$LOAD/getppid" 1009
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

# Runs a command where the PMU "cpu" has the events faults and switches of the software PMU, whose type is 1.
with_pmu() {
	unshare -m true 2> /dev/null || skip "no mount namespaces"
	cat > "$TMP/pmu" <<- 'X'
		set -e
		d=/sys/bus/event_source/devices
		mount -t tmpfs none $d
		mkdir -p $d/cpu/format $d/cpu/events
		echo 1 > $d/cpu/type
		echo config:0-7 > $d/cpu/format/event
		echo event=0x02 > $d/cpu/events/faults
		echo event=0x03 > $d/cpu/events/switches
		exec "$@"
	X
	unshare -m sh "$TMP/pmu" "$@"
}

# The sums of .count and .per of a ratio.
ratio_total() {
	grep "^[0-9]*,stat:$1," "$2" |
		perl -ne '/\.count=(\d+)\t\.per=(\d+)/ or die; $n += $1; $p += $2; END { print $n + 0, " ", $p + 0 }'
}

@test "a ratio divides the counts of two events, each with its filter" {
	needs_root
	calls=syscalls:sys_enter_getppid
	mp-record --stat "calls-per-exit=($calls,syscalls:sys_enter_exit_group)" -i 600s -o "$TMP/s" -- "$LOAD/getppid" 10007
	[[ $(grep '^[0-9]' "$TMP/s") == *,stat:calls-per-exit,pid=*'	comm=getppid	.value=10007.000000	.count=10007	.per=1	.share=1.0000	dur='* ]] || false
	# the same calls by two events, beside both alone: neither is merged with the other, nor with those
	all="raw_syscalls:sys_enter/id==getppid || id==-1/"
	mp-record -q -e "stat:one=($calls,$all),stat:$calls,stat:$all/interval=1s/" -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(ratio_total one "$TMP/s")" = "1009 1009" ]
	[ "$(total $calls "$TMP/s")" = 1009 ]
	[ "$(total raw_syscalls:sys_enter "$TMP/s")" = 1009 ]
	grep -q '	.value=1.000000	' "$TMP/s"
	# no filter of a ratio is in the header as the filter of all its events
	mp-record -q -e "stat:one=($all,$calls)" -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(head -n 1 "$TMP/s" | jq .filters)" = null ]
	mp-order --check "$TMP/s" > /dev/null
}

@test "a ratio has no value where its second event did not happen, and intervals of its own" {
	needs_root
	mp-record -q -e 'stat:none=(page-faults,syscalls:sys_enter_getppid)/interval=5ms/' -o "$TMP/s" -- "$LOAD/spin" 0.1
	[ "$(grep -c ',stat:none,' "$TMP/s")" -gt 1 ]
	[ "$(grep -c '\.value' < <(grep '^[0-9]' "$TMP/s"))" = 0 ]
	[ "$(ratio_total none "$TMP/s" | cut -d ' ' -f 2)" = 0 ]
	# for each CPU
	mp-record -q --stat migrations-per-switch,major-fault-ratio -i 20ms -d 100ms -o "$TMP/s"
	[ "$(grep -o ',stat:migrations-per-switch,cpu=[0-9]*' "$TMP/s" | sort -u | wc -l)" = "$CPUS" ]
	perl -ne 'if (/\.value=([\d.]+)\t\.count=(\d+)\t\.per=(\d+)/) { $n++; die $_ if abs($1 - $2 / $3) > 1e-6 } END { exit !$n }' "$TMP/s"
}

@test "a ratio of a PMU, modifiers for both events, and a name of one's own in a collector" {
	needs_root
	with_pmu mp-record -q -e 'stat:pmu=(cpu/faults/,cpu/switches/),stat:known=(page-faults,cs)' -o "$TMP/s" -- "$LOAD/getppid" 7
	[ "$(ratio_total pmu "$TMP/s")" = "$(ratio_total known "$TMP/s")" ]
	[ "$(ratio_total pmu "$TMP/s" | cut -d ' ' -f 1)" -gt 0 ]
	mkdir "$TMP/collectors"
	printf 'summary = x\nevent = stat:faults=(cpu/faults/,cpu/switches/):u\n' > "$TMP/collectors/faults"
	MP_COLLECTORS=$TMP/collectors with_pmu mp-record -q faults -o "$TMP/s" -- "$LOAD/getppid" 7
	[ "$(ratio_total faults "$TMP/s" | cut -d ' ' -f 1)" -gt 0 ]
	command -v strace > /dev/null || skip "no strace"
	# a file for each process: in a common one, they may interrupt the lines of one another
	with_pmu strace -ff -v -e trace=perf_event_open -o "$TMP/calls" \
		mp-record -q -e 'stat:guests=(cpu/faults/G,cpu/switches/GH):k' -d 1ms -o "$TMP/s"
	cat "$TMP"/calls.* > "$TMP/calls"
	first=$(grep -m 1 'config=0x2,\|config=PERF_COUNT_SW_PAGE_FAULTS,' "$TMP/calls")
	second=$(grep -m 1 'config=0x3,\|config=PERF_COUNT_SW_CONTEXT_SWITCHES,' "$TMP/calls")
	[[ $first == *exclude_user=1*exclude_kernel=0*exclude_host=1*exclude_guest=0*', -1, 0, -1, PERF_FLAG_FD_CLOEXEC)'* ]] || false
	[[ $second == *disabled=0*exclude_host=0*exclude_guest=0* && $second != *', -1, 0, -1, PERF_FLAG_FD_CLOEXEC)'* ]] || false
}

@test "misuse of ratios is refused, and counters that the machine lacks are named" {
	refused() {
		run mp-record -q -o "$TMP/s" "${@:2}" -- true
		[ "$status" = 2 ] && [[ $output == "mp-record: $1"* ]] || { echo "$*: $status $output"; false; }
	}
	refused 'x: a ratio is of two events' -e 'stat:x=(page-faults)'
	refused 'x: a ratio is of two events' --stat 'x=(cs,cs,cs)'
	refused "'x=(cs,cs)': a ratio is of counters: stat:x=(cs,cs)" -e 'x=(cs,cs)'
	refused "'stat:=(cs,cs)': the ratio has no name" -e 'stat:=(cs,cs)'
	refused 'y: a ratio cannot be in another one' -e 'stat:x=(y=(cs,cs),cs)'
	refused "x: 'cs' is in a ratio, which has the interval of both" -e 'stat:x=(cs/interval=1s/,cs)'
	refused "no event 'nonsense'" -e 'stat:x=(cs,nonsense)'
	refused 'stat:x: given twice, with different events' -e 'stat:x=(cs,page-faults),stat:x=(page-faults,cs)'
	refused 'stat:cs: given twice, with different events' -e 'stat:cs,stat:cs=(page-faults,cs)'
	refused 'stat:cs: it has no stack' -e 'stat:x=(cs/stack=user/,cs)'
	refused 'stat:ipc: it has no stack' -e stat:ipc/stack=user/
	refused 'stat:ipc: it takes no modifier p or P' -e stat:ipc:P
	refused "stat:ipc: unknown term 'if=cs>1' of a ratio" -e 'stat:ipc/if=cs>1/'
	refused 'stat:x: it takes no filter' -e 'stat:x=(sched:sched_switch,cs)/prev_state==1/'
	run mp-record -q -i 600s -o "$TMP/s" -e 'stat:x=(cs,page-faults)' -e 'stat:x=(cs,page-faults)' -- true
	[ "$status" = 0 ] && [ "$(grep -c ',stat:x,' "$TMP/s")" = 1 ]
	needs_root
	refused "x: a ratio is of two events, and 'sched:*' is " -e 'stat:x=(sched:*,cs)'
	mp-record -q --stat instructions -o "$TMP/s" -- true 2> /dev/null && skip "this machine has hardware counters"
	refused 'stat:ipc: instructions: this machine has no such hardware counter' --stat ipc
	refused 'stat:llc-miss-ratio: LLC-load-misses: this machine has no such hardware counter' -e stat:llc-miss-ratio:uH
	[ "$(mp-record -l stat: | grep -c 'stat:ipc')" = 0 ]
}
