#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Sums that the kernel makes: exact numbers of known workloads, and against recorded events.

bats_require_minimum_version 1.5.0
load lib

setup_file() {
	unset MP_COLLECTORS XDG_CONFIG_HOME
}

sums_work() {
	needs_root
	[ "$(uname -m)" = x86_64 ] || skip "not x86-64"
	local status=0
	mp-record -q -e sum:blocked -d 1ms > "$TMP/try" 2> "$TMP/err" || status=$?
	[ "$status" -le 1 ] && return
	grep -q 'BPF is not permitted\|does not take the program' "$TMP/err" && skip "$(cat "$TMP/err")"
	cat "$TMP/err"
	false
}

# The weights of lines that match all of the patterns, added up.
total() {
	local file=$1 lines
	shift
	lines=$(grep -E '^[0-9]+#' "$file") || true
	for pattern; do lines=$(grep -E -- "$pattern" <<< "$lines") || true; done
	awk -F'#' 'NF { n += $1 } END { printf "%.0f\n", n }' <<< "$lines"
}

# Ours may have ended early where other tests load the machine; what this test is about is not told on stderr.
record() { mp-record -q "$@" || [ $? = 1 ]; }

@test "memleak: each leak at its line, in bytes, what was given back not; threads and children" {
	sums_work
	record memleak -o "$TMP/s" -- "$LOAD/heap" 1000
	cut -c 1-160 "$TMP/s"
	[ "$(total "$TMP/s" ';main;leak_old;malloc$')" = $((13 << 20)) ]
	[ "$(total "$TMP/s" '#heap;\[age 1 to 10 s\];.*;leak_old;malloc$|#heap;\[age 10 to 100 s\];.*;leak_old;malloc$')" = $((13 << 20)) ]
	[ "$(total "$TMP/s" '#heap;\[age .*\];.*;leak_calloc;')" = $((17 * 8000)) ]
	[ "$(total "$TMP/s" ';leak_realloc;')" = $((19 * 5000)) ]
	[ "$(total "$TMP/s" ';leak_aligned;')" = $((23 * 4096)) ]
	[ "$(total "$TMP/s" ';leak_child;')" = 29000 ]
	[ "$(total "$TMP/s" ';churn;')" = 0 ]
	[ "$(mp-fold "$TMP/s" | grep -c ';leak_old;')" = 1 ]
}

@test "memleak of a process that runs already" {
	sums_work
	"$LOAD/heap" 1500 &
	record memleak -p $! -o "$TMP/s"
	[ "$(total "$TMP/s" ';main;leak_old;malloc$')" = $((13 << 20)) ]
	[ "$(total "$TMP/s" ';leak_child;')" = 29000 ]
	[ "$(total "$TMP/s" ';churn;')" = 0 ]
}

@test "mallocstacks and malloccalls: bytes and calls of each function, those of threads too" {
	sums_work
	record malloccalls mallocstacks -o "$TMP/s" -- "$LOAD/heap" 1000
	grep -c '"sum":' "$TMP/s" | grep -qx 2
	sed -n '/"sum":"malloccalls"/,/"end"/p' "$TMP/s" > "$TMP/calls"
	sed -n '/"sum":"mallocstacks"/,/"end"/p' "$TMP/s" > "$TMP/bytes"
	# main churns once, each of three threads seven times
	[ "$(total "$TMP/calls" ';main;churn;malloc$')" = 1009 ]
	[ "$(total "$TMP/calls" ';thread;churn;malloc$')" = $((21 * 1009)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;malloc$')" = $((21 * 1009 * 100)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;.*calloc$')" = $((21 * 1009 * 70)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;realloc$')" = $((21 * 1009 * 1000)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;.*posix_memalign$')" = $((21 * 1009 * 200)) ]
	[ "$(total "$TMP/bytes" ';leak_old;malloc$')" = $((13 << 20)) ]
	jq -e 'select(.sum == "mallocstacks") | .weight == "bytes" and .units.bytes == "B"' <(grep '"sum"' "$TMP/s") > /dev/null
	# they are not one thing
	run mp-fold "$TMP/s"
	[ "$status" = 2 ] && [[ "$output" == *"malloccalls, mallocstacks"* ]] || false
	[ "$(mp-fold -e malloccalls "$TMP/s" | grep -o ';thread;churn;malloc [0-9]*$')" = ";thread;churn;malloc $((21 * 1009))" ]
	mp-fold -e mallocstacks --stream "$TMP/s" | head -n 1 | jq -e '.weight == "bytes" and .units.bytes == "B"' > /dev/null
}

@test "mallocsample: the sum is that of all, less what had not come together" {
	sums_work
	record malloccalls:libc mallocsample:10000 -o "$TMP/s" -- "$LOAD/heap" 1000
	sed -n '/"sum":"mallocsample/,/"end"/p' "$TMP/s" > "$TMP/some"
	# of realloc, in threads and in main: 22 * 1,009 * 1,000 bytes and 19 * 5,000; 10,000 may be left on each CPU
	sum=$(total "$TMP/some" ';realloc$')
	all=$((22 * 1009 * 1000 + 19 * 5000))
	[ "$sum" -le "$all" ] && [ "$sum" -ge $((all - 10000 * $(nproc))) ] || { echo "$sum of $all"; false; }
}

@test "every=N: each Nth call" {
	sums_work
	record -e 'uprobe:libc:free/sum=count,every=100/' -g none -o "$TMP/s" -- "$LOAD/heap" 100
	n=$(total "$TMP/s" .)
	[ $((n % 100)) = 0 ] && [ "$n" -ge $((22 * 1009 * 3 - 100 * $(nproc))) ] && [ "$n" -le $((22 * 1009 * 3 + 1000)) ] || { echo "$n"; false; }
}

@test "offcpu: sleeps by stack, and as mp-sched makes of the events of the same recording" {
	sums_work
	"$LOAD/block" 10000 > "$TMP/out" &
	pid=$!
	mp-record -q offcpu -g both -p $pid -o "$TMP/s"
	wait $pid
	cut -c 1-200 "$TMP/s"
	ns=$(total "$TMP/s" ';main;blocked_here;sleep_ms;')
	[ "$ns" -ge 340000000 ] && [ "$ns" -lt 640000000 ]
	[ "$(total "$TMP/s" ';echo;wait_here;')" -ge 101000000 ]
	jq -e '.weight == "dur" and .units.dur == "ns"' <(head -n 1 "$TMP/s") > /dev/null
}

@test "offcpu of the whole system is what mp-sched makes of recorded events" {
	sums_work
	record offcpu -e sched:sched_switch/stack=none/,sched:sched_waking/stack=none/ -a -o "$TMP/s" -- "$LOAD/block" 1000
	ours=$(total "$TMP/s" '^[0-9]*#block;')
	theirs=$(grep -v '^[0-9]*#' "$TMP/s" | grep -v '"datatype":"stack"' | mp-order 2> /dev/null | mp-sched -s sleep,block 2> /dev/null |
		grep -P '\tcomm=block(\t|$)' | grep -oP '\tdur=\K[0-9]+' | awk '{ n += $1 } END { printf "%.0f\n", n }')
	# spans that lost events touch are not among mp-sched's
	least=0.97 most=1.03
	[ "$(jq -s 'map(.lost // 0) | add' <(grep '^{' "$TMP/s"))" = 0 ] || least=0.9 most=1.2
	awk -v a="$ours" -v b="$theirs" -v l=$least -v m=$most 'BEGIN { exit !(a > l * b && a < m * b) }' || { echo "$ours, mp-sched $theirs"; false; }
}

@test "offcpu:blocked-waker: the stack of the waker behind that of the blocked" {
	sums_work
	record offcpu:blocked-waker -o "$TMP/s" -- "$LOAD/block" 1000
	# the thread is woken by main's write, main by the thread's
	grep -qE '^[0-9]+#block;.*;echo;wait_here;.*;--;.*;wake_here;main;.*;block$' "$TMP/s"
	grep -qE '^[0-9]+#block;.*;main;wait_here;.*;--;.*;wake_here;echo;.*;block$' "$TMP/s"
	# a sleep ends in the interrupt of a timer
	grep -E ';blocked_here;sleep_ms;' "$TMP/s" | grep -q -- ';--;.*hrtimer'
}

@test "callstack --sum: as many samples, with the same stacks, as recorded beside it" {
	sums_work
	"$LOAD/spin" 60 > "$TMP/pid" &
	pid=$!
	record -e cpu-clock/freq=997,sum=count/ -e cpu-clock/freq=997/ -p $pid -d 2 -o "$TMP/s"
	kill $pid
	sums=$(total "$TMP/s" ';spin_caller;spin_here')
	events=$(grep -c ';spin_caller;spin_here' <(grep ',cpu-clock,' "$TMP/s"))
	awk -v a="$sums" -v b="$events" 'BEGIN { exit !(b > 500 && a > 0.95 * b && a < 1.05 * b) }' || { echo "$sums sums, $events events"; false; }
	record callstack --sum -F 997 -o "$TMP/c" -- "$LOAD/spin" 1
	[ "$(total "$TMP/c" 'spin_here')" -gt 50 ]
	[ "$(grep -c '"datatype"' "$TMP/c")" = 1 ]
	mp-order --check "$TMP/c"
}

@test "kmemleak: 997 objects of the kernel that are kept, and 500 that are not" {
	sums_work
	python3 -c '
import os, time
time.sleep(2.5)
kept = [os.eventfd(0) for _ in range(997)]
for _ in range(500):
    os.close(os.eventfd(0))
time.sleep(60)
' &
	pid=$!
	record kmemleak -g both -p $pid -d 4 -o "$TMP/s"
	kill -KILL $pid
	bytes=$(total "$TMP/s" 'do_eventfd_\[k\];__kmalloc_cache|do_eventfd_\[k\];kmalloc|do_eventfd_\[k\];__kmalloc')
	[ "$bytes" -gt 0 ] && [ $((bytes % 997)) = 0 ] || { grep eventfd "$TMP/s" | cut -c 1-300; false; }
}

@test "what cannot be added up is refused, with the reason" {
	needs_root
	refused() {
		run mp-record -q -d 10ms -o "$TMP/s" "$@"
		[ "$status" = 2 ] || { echo "$* gives $status"; false; }
	}
	refused --sum -e sched:sched_switch
	[[ "$output" == *"a tracepoint is not added up in the kernel (mp-fold does it)"* ]] || false
	refused -e 'uprobe:libc:malloc(n=arg1:u64)/sum=count/'
	[[ "$output" == *"takes neither arguments nor a filter"* ]] || false
	refused -e 'cpu-clock/sum=arg1/'
	[[ "$output" == *"samples are added up by count or period"* ]] || false
	refused -e 'uprobe:libc:malloc/sum=arg7/'
	[[ "$output" == *"sum=arg7 is not count, period, arg1 to arg6 or retval, nor a product of two"* ]] || false
	refused -e 'uprobe:libc:malloc/into=arg1/'
	[[ "$output" == *"into= needs ask="* ]] || false
	refused -e sum:nothing
	[[ "$output" == *"no event 'sum:nothing'"* ]] || false
	refused -e sum:blocked -C 0
	[[ "$output" == *"added up for all CPUs and cgroups"* ]] || false
	refused -e sum:blocked -n 5
	[[ "$output" == *"no events to count"* ]] || false
	refused -e sum:blocked,sum:blocked-waker
	[[ "$output" == *"such a sum is there already"* ]] || false
	run mp-record --stat cpu-clock --sum -d 10ms
	[ "$status" = 2 ]
}

@test "where BPF is not permitted: what remains is recorded, and said" {
	sums_work
	command -v setpriv > /dev/null || skip "no setpriv"
	awk '$3 == "tracefs" { found = 1 } END { exit !found }' /proc/mounts || skip "tracefs is not mounted"
	run setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$BUILD/bin/mp-record" -q offcpu exec -d 50ms -o "$TMP/s"
	[ "$status" = 1 ] || { echo "$output"; false; }
	[[ "$output" == *"collector 'offcpu' cannot start: sums in the kernel cannot be had: BPF is not permitted"* ]] || { echo "$output"; false; }
	[[ "$output" == *"what remains is recorded: exec"* ]] || { echo "$output"; false; }
}
