#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Conditional sampling: what a BPF program on the event lets through, with known loads.

bats_require_minimum_version 1.5.0
load lib

# Ends the test where BPF programs cannot be loaded.
bpf_works() {
	needs_root
	mp-record -q -e cpu-clock/running=0-/ -d 10ms -o "$TMP/can" 2> "$TMP/why" || [ $? = 1 ] ||
		skip "no BPF: $(head -n 1 "$TMP/why")"
}

# N programs that want the first CPU all the time. Returns when the last one runs.
crowd() {
	local i
	cp "$LOAD/spin" "$TMP/mp-crowd"
	for ((i = 0; i < $1; i++)); do echo "taskset -c 0 $TMP/mp-crowd 600 &"; done > "$TMP/crowd.sh"
	echo wait >> "$TMP/crowd.sh"
	start_load sh "$TMP/crowd.sh"
	until [ "$(grep -c . "$TMP/load.out")" = "$1" ]; do await; done
}

# For how many ns the process $pid has run.
ran() {
	cut -d ' ' -f 1 "/proc/$pid/schedstat"
}

clocks() {
	grep -c ',cpu-clock,' "$1" || true
}

@test "running=N-M keeps the samples taken while that many tasks want the CPU" {
	bpf_works
	crowd 3
	for range in 0-2 3-9 10- 3- 0-; do
		mp-record -q -C 0 -F 499 -e "cpu-clock/running=$range,stack=none/" -d 500ms -o "$TMP/$range"
		mp-order --check "$TMP/$range" > /dev/null
		echo "$range: $(clocks "$TMP/$range")"
	done
	[ "$(clocks "$TMP/0-2")" = 0 ]
	[ "$(clocks "$TMP/3-")" -gt 50 ] && [ "$(clocks "$TMP/0-")" -gt 50 ] || false
	# other tasks may want it, too
	[ $(($(clocks "$TMP/3-9") + $(clocks "$TMP/10-"))) -gt 50 ]
	kill -KILL -- "-$LOAD_PID"
	[ "$(tail -n 1 "$TMP/0-2" | jq -c '[.records, .lost, .fired, .excluded]')" = '[0,0,0,0]' ]
}

@test "running= applies to new threads of a process from their first sample on" {
	bpf_works
	start_load "$LOAD/spawn" 4 3000 0
	for _ in {1..6}; do
		mp-record -q -p "$LOAD_PID" -F 4999 -e 'cpu-clock/running=10000-,stack=none/' -d 200ms -o "$TMP/s" || [ $? = 1 ]
		[ "$(clocks "$TMP/s")" = 0 ]
	done
	timeout 60 mp-record -q -p "$LOAD_PID" -F 4999 -e 'cpu-clock/running=1-,stack=none/' -n 100 -o "$TMP/s" || [ $? = 1 ]
	[ "$(clocks "$TMP/s")" = 100 ]
}

@test "need-resched keeps exactly the samples whose timer tracepoint has the flag" {
	bpf_works
	mp-record -l timer:hrtimer_expire_entry > /dev/null || skip "no tracepoint of timers"
	crowd 3
	mp-record -q -C 0 -F 997 -e 'cpu-clock/need-resched,stack=none/' \
		-e 'timer:hrtimer_expire_entry/common_flags & 4/stack=none/' -n 600 -d 60 -o "$TMP/s" || [ $? = 1 ]
	kill -KILL -- "-$LOAD_PID"
	awk -F '\t' '
		/,timer:/ { for (i = 1; i <= NF; i++) if ($i ~ /^.hrtimer=/) timer = $i; n[timer]++ }
		/,cpu-clock,/ { samples++; before[timer]++ }
		END {
			for (t in before) if (before[t] > before[ours]) ours = t
			printf "%d samples, the timer was there %d times, before them %d times\n", samples, n[ours], before[ours]
			# another CPU may set the flag between the tracepoint and the sample
			exit !(samples > 50 && before[ours] >= samples * 0.8 && n[ours] <= samples * 1.2 && n[ours] >= samples * 0.8)
		}' "$TMP/s"
}

@test "conditional sampling combines with other terms, and takes stacks by cfi where BPF would take them otherwise" {
	bpf_works
	crowd 2
	mp-record -q -C 0 -F 499 -g user:bpf -e 'cpu-clock/running=2-,freq=997/' -d 500ms -o "$TMP/s"
	kill -KILL -- "-$LOAD_PID"
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = cfi ]
	mp-fold "$TMP/s" | grep -q 'main;spin_caller;spin_here'
}

@test "conditional sampling also drops excluded processes" {
	bpf_works
	crowd 1
	pid=$(head -n 1 "$TMP/load.out")
	before=$(ran)
	mp-record -q --realtime -C 0 -F 499 --exclude-pid "$pid" -e 'cpu-clock/running=1-,stack=none/' -d 2s -o "$TMP/s"
	ran=$((($(ran) - before) / 1000000))
	! grep -q "	pid=$pid	" "$TMP/s" || false
	# if mp-record itself excluded them, one for each 2 ms that it ran; there may be a few from before the start
	echo "$(trailer "$TMP/s" excluded) excluded, ran $ran ms"
	[ "$(trailer "$TMP/s" excluded)" -le $((ran / 20)) ]
}

@test "conditional sampling is refused, with status 2 and a reason, for events that do not support it" {
	needs_root
	while IFS='|' read -r event message; do
		run mp-record -q -e "$event" -d 10ms -o "$TMP/s"
		echo "$event: $status $output"
		[ "$status" = 2 ] && [[ "$output" == *"$message"* ]] || false
	done <<- 'E'
		cpu-clock/irqs-off/|never comes while interrupts are disabled; hardware events work, as in cycles/irqs-off/
		page-faults/need-resched/|page-faults: need-resched is for sampled events, and each occurrence of this is recorded
		sched:sched_switch/running=2-/|a tracepoint has the kernel's filter, as in 'common_flags & 1'
		mem:0x1000:w/running=2/|running= are for sampled events
		cpu-clock,cpu-clock/running=2-/|given twice, with different conditions
		cpu-clock/irq-off/|cpu-clock/irq-off/: no such term
		cpu-clock/memory/|only hardware events report accesses to memory
	E
	run mp-record --stat cpu-clock/running=2-/ -d 10ms
	[ "$status" = 2 ] && [[ "$output" == *"running= are for sampled events"* ]] || false
	mp-record -q -e 'sched:sched_waking/common_flags & 1/stack=none/' -d 100ms -o "$TMP/s" || [ $? = 1 ]
}

@test "where BPF is not permitted, conditional sampling is refused, and excluded processes are still dropped" {
	bpf_works
	command -v setpriv > /dev/null || skip "no setpriv"
	without() { setpriv --bounding-set "-$1" --inh-caps "-$1" mp-record "${@:2}"; }
	run without bpf,-sys_admin -q -e cpu-clock/running=2-/ -d 10ms
	[ "$status" = 2 ] && [[ "$output" == *"running= needs BPF: root, or CAP_BPF with CAP_PERFMON"* ]] || false
	run without sys_nice,-sys_admin -q -e cpu-clock/need-resched/ -d 10ms
	[ "$status" = 2 ] && [[ "$output" == *"real-time priority"* ]] || false
	crowd 1
	pid=$(head -n 1 "$TMP/load.out")
	without bpf,-sys_admin -q -C 0 -F 499 --exclude-pid "$pid" -e cpu-clock/stack=none/ -d 1s -o "$TMP/s"
	! grep -q "	pid=$pid	" "$TMP/s" || false
	# one for each 2 ms that it ran during the recording, on a busy machine only a few
	[ "$(trailer "$TMP/s" excluded)" -gt 0 ]
}

@test "a collector with conditional sampling that is not available does not stop the others" {
	needs_root
	start_load perl -e 'select undef, undef, undef, 0.002 while 1'	# an idle machine may have no switches
	mkdir "$TMP/c"
	printf 'summary = a\nevent = cpu-clock/irqs-off/\n' > "$TMP/c/off"
	printf 'summary = b\nevent = context-switches\n' > "$TMP/c/switches"
	MP_COLLECTORS="$TMP/c" run mp-record -q off switches -d 100ms -o "$TMP/s"
	[ "$status" = 1 ] && [[ "$output" == *"collector 'off' cannot start: cpu-clock: irqs-off"* ]] || false
	[ "$(trailer "$TMP/s" records)" -gt 0 ]
}
