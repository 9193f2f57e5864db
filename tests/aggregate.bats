#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# In-kernel aggregation: exact numbers of known workloads, and a comparison with recorded events.
# Takes more than a minute.

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
	grep -q 'BPF is not permitted\|does not accept the programs' "$TMP/err" && skip "$(cat "$TMP/err")"
	cat "$TMP/err"
	false
}

# The sum of the weights of the lines that match all of the patterns.
total() {
	local file=$1 lines
	shift
	lines=$(grep -E '^[0-9]+#' "$file") || true
	for pattern; do lines=$(grep -E -- "$pattern" <<< "$lines") || true; done
	awk -F'#' 'NF { n += $1 } END { printf "%.0f\n", n }' <<< "$lines"
}

# record_waiting COLLECTOR LOAD...: records a load that waits for a line on standard input. It gets the line when the header of
# an event shows that recording has begun. The stream goes to $TMP/s, the output of the load to $TMP/out.
record_waiting() {
	mkfifo "$TMP/go"
	"${@:2}" < "$TMP/go" > "$TMP/out" &
	local load=$! recorder
	exec 5> "$TMP/go"
	mp-record -q "$1" -e syscalls:sys_enter_getppid -g both -p $load -o "$TMP/s" 5>&- &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	echo >&5
	exec 5>&-
	wait $load
	wait $recorder || [ $? = 1 ]
}

# mp-record may have lost events where other tests load the machine; what it prints on stderr does not matter here.
record() { mp-record -q "$@" || [ $? = 1 ]; }

@test "memleak reports each leak at its line, in bytes, also of threads and children, and nothing that was freed" {
	sums_work
	record memleak -o "$TMP/s" -- "$LOAD/heap" 200
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

@test "stacks of a program that ends at once are complete" {
	sums_work
	record malloccalls -o "$TMP/s" -- "$LOAD/heap" 0 short
	[ "$(total "$TMP/s" ';main;churn;malloc$')" = 1009 ] || { cut -c 1-200 "$TMP/s"; false; }
	[ "$(total "$TMP/s" '\[truncated\]')" = 0 ] || { cut -c 1-200 "$TMP/s"; false; }
	record offcpu -o "$TMP/o" -- bash -c 'for i in 1 2 3 4 5 6 7; do sleep 0.003; done'
	# 7 times 3 ms, from leaving the CPU, which may be some time after the timer was set, to the wakeup
	[ "$(total "$TMP/o" '^[0-9]*#sleep;.*nanosleep')" -ge 14000000 ]
	[ "$(total "$TMP/o" '^[0-9]*#sleep;.*\[truncated\]')" = 0 ] || { cut -c 1-200 "$TMP/o"; false; }
}

@test "memleak works on a process that is already running" {
	sums_work
	record_waiting memleak "$LOAD/heap" line
	[ "$(total "$TMP/s" ';main;leak_old;malloc$')" = $((13 << 20)) ]
	[ "$(total "$TMP/s" ';leak_child;')" = 29000 ]
	[ "$(total "$TMP/s" ';churn;')" = 0 ]
}

@test "memleak works on programs with jemalloc and tcmalloc" {
	sums_work
	for library in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
		ldconfig -p | grep -q "$library" || skip "no $library"
		record "memleak:${library%%.*}" -o "$TMP/s" -- env LD_PRELOAD=$library "$LOAD/heap" 0
		[ "$(total "$TMP/s" ';main;leak_old;')" = $((13 << 20)) ]
		[ "$(total "$TMP/s" ';main;leak_realloc;')" = $((19 * 5000)) ]
		[ "$(total "$TMP/s" ';leak_child;')" = 29000 ]
		[ "$(total "$TMP/s" ';churn;')" = 0 ]
	done
}

@test "mallocstacks and malloccalls count the bytes and calls of each function, in threads too" {
	sums_work
	record malloccalls mallocstacks -o "$TMP/s" -- "$LOAD/heap" 200
	grep -c '"sum":' "$TMP/s" | grep -qx 2
	sed -n '/"sum":"malloccalls"/,/"end"/p' "$TMP/s" > "$TMP/calls"
	sed -n '/"sum":"mallocstacks"/,/"end"/p' "$TMP/s" > "$TMP/bytes"
	# main allocates and frees once, each of three threads seven times
	[ "$(total "$TMP/calls" ';main;churn;malloc$')" = 1009 ]
	[ "$(total "$TMP/calls" ';thread;churn;malloc$')" = $((21 * 1009)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;malloc$')" = $((21 * 1009 * 100)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;.*calloc$')" = $((21 * 1009 * 70)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;realloc$')" = $((21 * 1009 * 1000)) ]
	[ "$(total "$TMP/bytes" ';thread;churn;.*posix_memalign$')" = $((21 * 1009 * 200)) ]
	[ "$(total "$TMP/bytes" ';leak_old;malloc$')" = $((13 << 20)) ]
	jq -e 'select(.sum == "mallocstacks") | .weight == "bytes" and .units.bytes == "B"' <(grep '"sum"' "$TMP/s") > /dev/null
	# the two differ
	run mp-fold "$TMP/s"
	[ "$status" = 2 ] && [[ "$output" == *"malloccalls, mallocstacks"* ]] || false
	[ "$(mp-fold -e malloccalls "$TMP/s" | grep -o ';thread;churn;malloc [0-9]*$')" = ";thread;churn;malloc $((21 * 1009))" ]
	mp-fold -e mallocstacks --stream "$TMP/s" | head -n 1 | jq -e '.weight == "bytes" and .units.bytes == "B"' > /dev/null
}

# Whether SUM is within 7 standard deviations of what sampling at the mean distance EVERY gives for NUMBER allocations of BYTES.
# Each sample counts as bytes / P, which determines the variance. Samples with an incomplete stack (UNKNOWN) may belong to them. With
# the 1,000 samples and more of these tests, one run in 1e9 fails by chance (Chernoff).
estimates() {	# SUM EVERY NUMBER BYTES [UNKNOWN]
	awk -v sum="$1" -v every="$2" -v n="$3" -v bytes="$4" -v unknown="${5:-0}" 'BEGIN {
		p = 1 - exp(-bytes / every)
		d = 7 * bytes * sqrt(n * (1 - p) / p)
		printf "every %d: %.0f of %.0f, +- %.0f\n", every, sum, n * bytes, d
		exit !(sum + unknown >= n * bytes - d && sum <= n * bytes + d + bytes)
	}'
}

@test "mallocsample is right on average at any distance, whatever the pattern of the program" {
	sums_work
	local every rounds unknown
	for every in 1000 4096 5000 8192 10000 16384 32768 65536 131072 262144; do
		rounds=$((every / 5 + 4000))
		record "mallocsample:$every" -o "$TMP/s" -- "$LOAD/pattern" $rounds
		unknown=$(total "$TMP/s" '\[unknown\]|\[truncated\]')	# a busy machine makes tables for stacks late
		estimates "$(total "$TMP/s" ';first;')" $every $rounds 5000 "$unknown"
		estimates "$(total "$TMP/s" ';second;')" $every $rounds 5000 "$unknown"
		estimates "$(total "$TMP/s" ';third;')" $every $((3 * rounds)) 2128 "$unknown"
	done
}

@test "ask=, got= and freed= work on a user's own functions" {
	sums_work
	record -e 'uprobe:libc:malloc/ask=blocks:count/,uretprobe:libc:malloc/got=retval/,uprobe:libc:free/freed=arg1/' -g user -o "$TMP/s" -- "$LOAD/heap" 0
	[ "$(total "$TMP/s" ';leak_old;malloc$')" = 13 ]
	[ "$(total "$TMP/s" ';leak_child;malloc$')" = 29 ]
	[ "$(total "$TMP/s" ';churn;')" = 0 ]
	jq -e '.sum == "held:libc.so.6" and .weight == "blocks"' <(head -n 1 "$TMP/s") > /dev/null
}

@test "two weights of one event are two aggregates, and one that is given twice counts once" {
	sums_work
	local e=uprobe:libc:free
	record -e "$e/sum=count/,$e/sum=sum:arg1*arg1/,$e/sum=count/,$e/sum=count,every=50/" -g none -o "$TMP/s" -- "$LOAD/heap" 0
	grep '"sum":' "$TMP/s" | jq -r '.sum + " " + .weight' > "$TMP/names"
	cat "$TMP/names"
	diff - "$TMP/names" <<- END
		uprobe:libc.so.6:free count
		uprobe:libc.so.6:free:sum sum
		uprobe:libc.so.6:free:count count
	END
	sed -n '1,/"end"/p' "$TMP/s" > "$TMP/first"
	[ "$(total "$TMP/first" .)" = "$(grep -m 1 '"end"' "$TMP/s" | jq .added)" ]
	run mp-record -e "$e/ask=count:arg1/,$e/ask=bytes:arg2/" -g user -d 10ms
	[[ "$output" == *"free: given twice, with different terms: aggregating the first one"* ]] || { echo "$output"; false; }
}

@test "every=N samples calls as well" {
	sums_work
	record -e 'uprobe:libc:free/sum=count,every=50/' -g none -o "$TMP/s" -- "$LOAD/heap" 100
	estimates "$(total "$TMP/s" .)" 50 $((22 * 1009 * 3)) 1 "$(total "$TMP/s" '\[unknown\]')"
	run mp-record -q -e cpu-clock/sum=count,every=5/ -d 10ms -o "$TMP/s"
	[ "$status" = 2 ] && [[ "$output" == *"cpu-clock: every= is for probes: samples are taken by freq= or period="* ]] || false
}

@test "offcpu reports sleeps by stack, with the time that the kernel counts" {
	sums_work
	record_waiting offcpu "$LOAD/block" line
	cut -c 1-200 "$TMP/s"
	ns=$(total "$TMP/s" ';main;blocked_here;sleep_ms;')
	read -r slept blocked < "$TMP/out"
	echo "$ns of $blocked blocked, $slept"
	[ "$ns" -ge $((blocked * 9 / 10)) ] && [ "$ns" -le "$slept" ]
	[ "$(total "$TMP/s" ';echo;wait_here;')" -ge 90000000 ]
	jq -e '.weight == "dur" and .units.dur == "ns"' <(grep '"sum"' "$TMP/s") > /dev/null
}

@test "offcpu of the whole system reports as much time as bpftrace" {
	sums_work
	command -v bpftrace > /dev/null || skip "no bpftrace"
	bpftrace -e 'tracepoint:sched:sched_switch {
			delete(@since[args->next_pid]);
			if (args->prev_comm == "block" && args->prev_state & 0x3) { @since[args->prev_pid] = nsecs; }
		}
		tracepoint:sched:sched_waking {
			if (@since[args->pid]) { @blocked = sum(nsecs - @since[args->pid]); delete(@since[args->pid]); }
		}
		BEGIN { printf("ready\n"); } END { clear(@since); }' > "$TMP/theirs" 2> "$TMP/err" &
	pid=$!
	for _ in {1..300}; do
		grep -q ready "$TMP/theirs" && break
		[ -d /proc/$pid ] || skip "bpftrace: $(head -n 1 "$TMP/err")"
		sleep 0.1
	done
	record offcpu -a -o "$TMP/s" -- "$LOAD/block" 200
	while kill -INT $pid 2> /dev/null; do	# it may miss the first one
		sleep 0.2
	done
	wait $pid || true
	ours=$(total "$TMP/s" '^[0-9]*#block;') unknown=$(total "$TMP/s" '\[unknown\]')
	theirs=$(sed -n 's/^@blocked: //p' "$TMP/theirs")
	# sum() is one for each CPU; bpftrace misses some time by its own switches, and a few ms at the exec
	awk -v a="$ours" -v u="$unknown" -v b="$theirs" 'BEGIN { exit !(a + u > 0.97 * b && a < 1.03 * b) }' ||
		{ echo "$ours and $unknown of unknown stacks, bpftrace $theirs"; false; }
}

@test "offcpu:blocked-waker appends the stack of the waker to that of the blocked task" {
	sums_work
	record offcpu:blocked-waker -o "$TMP/s" -- "$LOAD/block" 200
	# the thread is woken by main's write, main by the thread's
	grep -qE '^[0-9]+#block;.*;echo;wait_here;.*;--;.*;wake_here;main;.*;block$' "$TMP/s"
	grep -qE '^[0-9]+#block;.*;main;wait_here;.*;--;.*;wake_here;echo;.*;block$' "$TMP/s"
	# the interrupt of a timer ends a sleep
	grep -E ';blocked_here;sleep_ms;' "$TMP/s" | grep -q -- ';--;.*hrtimer_interrupt.*;asm_[a-z0-9_]*_\[k\]$'
}

@test "callstack --sum has as many samples, with the same stacks, as a recording at the same time" {
	sums_work
	"$LOAD/spin" 600 > "$TMP/pid" &
	pid=$!
	record -e cpu-clock/freq=997,sum=count/ -e cpu-clock/freq=997/ -p $pid -n 1000 -o "$TMP/s"
	kill $pid
	sums=$(total "$TMP/s" ';spin_caller;spin_here')
	# while the recording is being stopped, aggregation continues, and events are excluded
	excluded=$(grep '^{"end":"event"' "$TMP/s" | jq .excluded)
	lost=$(grep '^{"end":"event"' "$TMP/s" | jq .lost)
	events=$(($(grep -c ';spin_caller;spin_here' <(grep ',cpu-clock,' "$TMP/s")) + excluded + lost))
	awk -v a="$sums" -v b="$events" 'BEGIN { exit !(b > 500 && a > 0.95 * b && a < 1.05 * b) }' || { echo "$sums sums, $events events"; false; }
	record callstack --sum -F 997 -o "$TMP/c" -- "$LOAD/spin" 1
	[ "$(total "$TMP/c" 'spin_here')" -gt 50 ]
	[ "$(grep -c '"datatype"' "$TMP/c")" = 1 ]
	mp-order --check "$TMP/c"
}

@test "kmemleak reports 997 kernel objects that are kept, and not the 500 that are freed" {
	sums_work
	mkfifo "$TMP/go"
	python3 -c '
import os, time
input()
kept = [os.eventfd(0) for _ in range(997)]
for _ in range(500):
    os.close(os.eventfd(0))
print("done", flush=True)
time.sleep(600)
' < "$TMP/go" > "$TMP/done" &
	pid=$!
	exec 5> "$TMP/go"
	# with an event, whose header shows when recording has begun
	mp-record -q kmemleak -e syscalls:sys_enter_getppid -g both -p $pid -o "$TMP/s" 5>&- &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	echo >&5
	until [ -s "$TMP/done" ]; do await; done
	kill -INT $recorder
	wait $recorder || [ $? = 1 ]
	kill -KILL $pid
	bytes=$(total "$TMP/s" 'do_eventfd_\[k\];__kmalloc_cache|do_eventfd_\[k\];kmalloc|do_eventfd_\[k\];__kmalloc')
	[ "$bytes" -gt 0 ] && { [ $((bytes % 997)) = 0 ] || [ "$(total "$TMP/s" '\[unknown\]')" -gt 0 ]; } || { grep eventfd "$TMP/s" | cut -c 1-300; false; }
}

# An interrupt that frees memory may interrupt the program that handles what a task frees: some 100 times per second here.
@test "kmemleak misses nothing where interrupts allocate and free memory" {
	sums_work
	for _ in 1 2 3; do
		mp-record -q kmemleak -o "$TMP/s" -- stress-ng -q --udp 4 --sock 2 --fork 1 -t 2 2> "$TMP/err" || [ $? = 1 ]
		[ "$(tail -n 1 "$TMP/s" | jq .added)" -gt 100 ]
		# a busy machine may interrupt the interrupt
		[ "$(trailer "$TMP/s" lost)" != 0 ] || return 0
	done
	cat "$TMP/err"
	false
}

@test "what cannot be aggregated is refused with a reason" {
	needs_root
	refused() {
		run mp-record -q -d 10ms -o "$TMP/s" "$@"
		[ "$status" = 2 ] || { echo "$* gives $status"; false; }
	}
	refused --sum -e sched:sched_switch
	[[ "$output" == *"a tracepoint is not aggregated in the kernel (mp-fold does it)"* ]] || false
	refused -e 'uprobe:libc:malloc(n=arg1:u64)/sum=count/'
	[[ "$output" == *"takes neither arguments nor a filter"* ]] || false
	refused -e 'cpu-clock/sum=arg1/'
	[[ "$output" == *"samples are aggregated by count or period"* ]] || false
	refused -e 'uprobe:libc:malloc/sum=arg7/'
	[[ "$output" == *"sum=arg7 is not count, period, arg1 to arg6 or retval, nor a product of two"* ]] || false
	refused -e 'uprobe:libc:malloc/into=arg1/'
	[[ "$output" == *"into= needs ask="* ]] || false
	refused -e sum:nothing
	[[ "$output" == *"no event 'sum:nothing'"* ]] || false
	refused -e sum:blocked -C 0
	[[ "$output" == *"in-kernel aggregation is for all CPUs and cgroups"* ]] || false
	refused -e sum:blocked -n 5
	[[ "$output" == *"no events to count"* ]] || false
	refused -e sum:blocked,sum:blocked-waker
	[[ "$output" == *"an aggregate of this kind was already given"* ]] || false
	run mp-record --stat cpu-clock --sum -d 10ms
	[ "$status" = 2 ]
}

@test "where BPF is not permitted, the remaining collectors are recorded, and a message lists them" {
	sums_work
	command -v setpriv > /dev/null || skip "no setpriv"
	awk '$3 == "tracefs" { found = 1 } END { exit !found }' /proc/mounts || skip "tracefs is not mounted"
	run setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$BUILD/bin/mp-record" -q offcpu exec -d 50ms -o "$TMP/s"
	[ "$status" = 1 ] || { echo "$output"; false; }
	[[ "$output" == *"collector 'offcpu' cannot start: in-kernel aggregation is not available: BPF is not permitted"* ]] || { echo "$output"; false; }
	[[ "$output" == *"recording the remaining collectors: exec"* ]] || { echo "$output"; false; }
}
