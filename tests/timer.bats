#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# timer:HZ, a tick of each CPU, and the ticks that a counter of the CPU chooses.

bats_require_minimum_version 1.5.0
load lib

# Ends the test where BPF programs cannot be loaded.
bpf_works() {
	needs_root
	mp-record -q -e 'timer:100/if=cpu-clock>0/' -d 10ms -o "$TMP/can" 2> "$TMP/why" || [ $? = 1 ] ||
		skip "no BPF: $(head -n 1 "$TMP/why")"
}

ticks() {
	grep -c ",timer:$2," "$1" || true
}

@test "each CPU ticks, never sooner than the period" {
	needs_root
	start_spins
	mp-record -q -e timer:50 -d 1 -o "$TMP/s" || [ $? = 1 ]
	mp-order --check "$TMP/s" > /dev/null
	trailer "$TMP/s" 'fired == .records + .excluded + .lost' | grep -qx true
	for ((cpu = 0; cpu < CPUS; cpu++)); do
		grep ",timer:50,cpu=$cpu	" "$TMP/s" > "$TMP/cpu"
		# a tick that is late does not make the next one late
		awk -F, '{ n++ } NR == 1 { first = $1 } { last = $1 }
			END { exit !(n > 1 && n - 1 <= (last - first) / 20e6 + 1) }' "$TMP/cpu"
	done
	grep -q ',timer:50,.*	period=20000000	.*stack=' "$TMP/s"
}

@test "names of timer: that are no numbers are tracepoints" {
	needs_root
	mp-record -l 'timer:hrtimer_*' | grep -q '^  timer:hrtimer_start$'
	mp-record -l 'timer:*' | grep -qx '  timer:HZ  *a tick of each CPU, HZ times a second'
	mp-record -q -a -e timer:hrtimer_start -o "$TMP/s" -g none -- sleep 0.01 || [ $? = 1 ]
	grep -q ',timer:hrtimer_start,' "$TMP/s"
}

@test "if= keeps the ticks at which a counter of the CPU moved more, or less" {
	bpf_works
	start_spins
	local e
	for e in 'cpu-clock>0' 'cpu-clock<1' 'cpu-clock>1000000000000' 'cpu-clock<1000000000000'; do
		mp-record -q -e "timer:100/if=$e,stack=none/" -d 500ms -o "$TMP/$e" || [ $? = 1 ]
		mp-order --check "$TMP/$e" > /dev/null
		echo "$e: $(ticks "$TMP/$e" 100)"
	done
	# the clock of a CPU moves between any two ticks, and not by 1000 s
	[ "$(ticks "$TMP/cpu-clock>0" 100)" -gt 2 ]
	[ "$(ticks "$TMP/cpu-clock<1" 100)" = 0 ]
	[ "$(ticks "$TMP/cpu-clock>1000000000000" 100)" = 0 ]
	[ "$(ticks "$TMP/cpu-clock<1000000000000" 100)" -gt 2 ]
}

@test "impossible timers are refused with a reason" {
	refused() {
		run mp-record -d 1s -o /dev/null "${@:2}"
		[ "$status" = 2 ] && [[ "$output" == "mp-record: "$1 ]] || { echo "$output"; false; }
	}
	refused "timer:0: not a frequency from 1 to 100000 Hz" -e timer:0 -- true
	refused "timer:9x: not a frequency from 1 to 100000 Hz" -e timer:9x -- true
	refused "timer:10: it takes no period= or freq=*" -e timer:10/period=3/ -- true
	refused "timer:10: irqs-off, need-resched and running= are for sampled events*" -e timer:10/running=3/ -- true
	refused "timer:10: unknown term 'when' of a timer" -e 'timer:10/when=cycles>3/' -- true
	refused "timer:10: if=cpu-clock: not EVENT>N or EVENT<N, as in if=page-faults>100" -e 'timer:10/if=cpu-clock/' -- true
	refused "timer:10: if=: no event 'nothing' that counts*" -e 'timer:10/if=nothing>1/' -- true
	refused "timer:10: given twice, with different if=" -e 'timer:10,timer:10/if=cpu-clock>1/' -- true
	refused "timer:10: if= compares counters of CPUs: not with -p*" -e 'timer:10/if=cpu-clock>1/' -- true
}
