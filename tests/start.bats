#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# How a recording starts, and how it answers signals from its first step to its last. Where a test needs slowness, strace delays
# system calls, so that no test depends on the speed of the machine.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

# The CPU time that a recording used before its events were on, and how much of it was for BPF, in us: the least of five.
start_us() {
	local i
	for ((i = 0; i < 5; i++)); do
		mp-record -v "$@" -n 1 -d 100ms -o /dev/null 2>&1 || true
	done | sed -nE 's/^mp-record: recording after .* and ([0-9]+)\.([0-9]) ms of CPU time, ([0-9]+)\.([0-9]) ms of it for BPF$/\1\200 \3\400/p' |
		sed -E 's/(^| )0+([0-9])/\1\2/g' | sort -n | head -n 1
}

needs_strace() {
	strace -o /dev/null true 2> /dev/null || skip "no strace, or it is not permitted"
}

# Waits until a file contains a text.
wait_for() {
	until grep -qs -- "$2" "$1"; do
		kill -0 "$pid" || { cat "$1"; return 1; }
		sleep 0.01
	done
}

@test "before the events are on, a recording uses little CPU time, however many processes there are" {
	needs_root
	case "$BUILD" in *san-*) skip "sanitizers are slow" ;; esac
	start_load sleep 600
	ways_0=(-e cpu-clock)
	ways_1=(cpusched)
	ways_2=(-e sched:sched_switch)
	ways_3=(-e cpu-clock -g none -p "$LOAD_PID")
	for way in 0 1 2 3; do
		local -n args=ways_$way
		read -r few_$way bpf < <(start_us "${args[@]}")
		local -n few=few_$way
		echo "${args[*]}: $few us, $bpf of them for BPF"
		# on the slowest of machines; 10 to 15 ms are usual
		[ $((few - bpf)) -le $((bpf > 1000 ? 50000 : 60000)) ]
	done
	start_load perl -e 'for (1 .. 1000) { my $pid = fork; die unless defined $pid; next if $pid; sleep 600; exit } print "ready\n"; sleep 600'
	until [ "$(pgrep -c -s "$LOAD_PID")" = 1001 ]; do await; done
	for way in 0 1 2 3; do
		local -n args=ways_$way few=few_$way
		read -r many bpf < <(start_us "${args[@]}")
		echo "${args[*]}: $few us, with 1,000 more processes $many us"
		# to read a file of each would double it
		[ "$many" -le $((few * 7 / 4 + 4000)) ]
	done
}

@test "a recording starts with any number of descriptors that it inherits, and without the first three" {
	needs_root
	local fd n closed
	for closed in "" "0<&-" "1>&-" "2>&-" "0<&- 1>&- 2>&-"; do
		for n in {0..8}; do
			(
				for ((fd = 3; fd < 3 + n; fd++)); do eval "exec $fd< /dev/null"; done
				for ((; fd < 256; fd++)); do eval "exec $fd>&-"; done
				eval "exec mp-record -q -e cpu-clock -d 10ms -o '$TMP/s$n' $closed"
			) &
			[ $((n % 3)) != 2 ] || for _ in 1 2 3; do wait -n || [ $? = 1 ] || { echo "up to $n more descriptors, and '$closed'"; false; }; done
		done
		for n in {0..8}; do
			[ "$(trailer "$TMP/s$n" lost)" = 0 ]
			rm "$TMP/s$n"
		done
	done
}

@test "-d counts from the time when the events are on, whatever keeps mp-record from running after that" {
	needs_root
	needs_strace
	# uname(2) is called for the header
	strace -f -o "$TMP/strace" -e trace=uname -e inject=uname:delay_enter=8s mp-record -q -e cpu-clock -g none -d 200ms -o "$TMP/s"
	grep -q 'DELAYED\|INJECTED' "$TMP/strace"
	took=$(length_ms "$TMP/s")
	echo "$took ms"
	[ "$took" -ge 200 ] && [ "$took" -lt 7500 ] || false
}

@test "no grace period is waited for before the events are on" {
	needs_root
	needs_strace
	ways=("-e cpu-clock" cpusched "-e sched:sched_switch")
	for i in 0 1 2; do
		strace -f -o "$TMP/strace$i" -e trace=membarrier -e inject=membarrier:delay_enter=20s \
			mp-record -v ${ways[i]} -d 10ms -o /dev/null 2> "$TMP/err$i" &
	done
	for i in 1 2 3; do
		status=0
		wait -n || status=$?
		[ "$status" -le 1 ]
	done
	for i in 0 1 2; do
		grep -q 'DELAYED\|INJECTED' "$TMP/strace$i"
		after=$(sed -n 's/^mp-record: recording after \([0-9]*\)\..*/\1/p' "$TMP/err$i")
		echo "${ways[i]}: $after ms"
		[ "$after" -lt 20000 ]
	done
}

@test "--realtime comes first, and is not for the command" {
	needs_root
	needs_strace
	strace -f -o "$TMP/strace" -e trace=sched_setscheduler,perf_event_open,bpf,openat mp-record --realtime=3 -q -e cpu-clock -g none -o "$TMP/s" \
		-- sh -c "chrt -p \$\$ > '$TMP/policy'" || [ $? = 1 ]
	grep -q SCHED_OTHER "$TMP/policy"
	first=$(grep -n -m 1 'sched_setscheduler(0, .*\[3\]' "$TMP/strace" | cut -d : -f 1)
	event=$(grep -n -m 1 perf_event_open "$TMP/strace" | cut -d : -f 1)
	[ "$first" -lt "$event" ]
}

@test "a signal ends a recording that is still being opened" {
	needs_root
	needs_strace
	# half a minute and more for all events
	strace -f -o "$TMP/strace" -e trace=perf_event_open -e inject=perf_event_open:delay_enter=8s mp-record -q -e cpu-clock -g none -o "$TMP/s" &
	tracer=$!
	until pid=$(children $tracer mp-record) && grep -qE '^SigBlk:.*4003$' "/proc/$pid/status"; do await; done
	kill -TERM "$pid"
	status=0
	wait $tracer || status=$?
	[ "$status" = 143 ]
	! grep -q INJECTED "$TMP/strace" || [ "$(grep -c 'DELAYED' "$TMP/strace")" -le 2 ]
}

@test "a signal is answered while the running processes are being read" {
	needs_root
	needs_strace
	# each file takes 0.5 s, except those that are opened before the events are on; there are more files than a machine may have
	# processes without this
	start_load perl -e 'for (1 .. 300) { my $pid = fork; die unless defined $pid; next if $pid; sleep 600; exit } sleep 600'
	until [ "$(pgrep -c -s "$LOAD_PID")" = 301 ]; do await; done
	strace -f -o /dev/null -e trace=openat -e inject=openat:delay_enter=500ms:when=100+ \
		mp-record -v -a -e cpu-clock -g none -o "$TMP/s" 2> "$TMP/err" &
	tracer=$!
	until pid=$(children $tracer mp-record); do await; done
	wait_for "$TMP/err" '^mp-record: recording after'
	[ ! -s "$TMP/s" ]
	kill -TERM "$pid"
	wait_for "$TMP/err" 'the recording has ended, its last events are being written'
	kill -TERM "$pid"
	status=0
	wait $tracer || status=$?
	[ "$status" = 143 ]
}

@test "while its reader stalls, a recording says at a signal that it has ended, and the second signal ends mp-record" {
	needs_root
	mkfifo "$TMP/pipe"
	exec 5<> "$TMP/pipe"
	start_load perl -e 'getppid while 1'
	for duration in "" "-d 1s"; do
		setsid env --default-signal=INT mp-record -e raw_syscalls:sys_enter -g none -p "$LOAD_PID" $duration -o "$TMP/pipe" 2> "$TMP/err" &
		pid=$!
		await_stall "$pid"
		sleep 2	# with -d, the recording ends meanwhile
		kill -INT $pid
		wait_for "$TMP/err" 'the recording has ended, its last events are being written (a second signal discards them)'
		kill -INT $pid
		status=0
		wait $pid || status=$?
		[ "$status" = 130 ]
	done
	exec 5>&-
}

@test "a signal that comes directly and is forwarded as well is one signal; the next one that is forwarded ends mp-record" {
	needs_root
	mkfifo "$TMP/pipe"
	exec 5<> "$TMP/pipe"
	start_load perl -e 'getppid while 1'
	for first in "" "--queue $((1 << 16 | 0x6d70))"; do
		setsid mp-record -e raw_syscalls:sys_enter -g none -p "$LOAD_PID" -o "$TMP/pipe" 2> "$TMP/err" &
		pid=$!
		await_stall "$pid"
		/usr/bin/kill $first -TERM $pid
		wait_for "$TMP/err" 'the recording has ended, its last events are being written (a second signal discards them)'
		[ -n "$first" ] && second="" || second="--queue $((1 << 16 | 0x6d70))"
		for i in 1 2 3; do
			/usr/bin/kill --queue $((1 << 16 | 0x6d70)) -TERM $pid
			[ $i != 2 ] || /usr/bin/kill $second -TERM $pid
			sleep 0.2
		done
		[ "$(awk '/^State/ { print $2 }' "/proc/$pid/status")" != Z ]
		/usr/bin/kill --queue $((2 << 16 | 0x6d70)) -TERM $pid
		status=0
		wait $pid || status=$?
		[ "$status" = 143 ]
	done
	exec 5>&-
}

@test "a queue that cannot be made ends mp-record with one message, and a limit on file sizes does not apply to it" {
	needs_root
	needs_strace
	for call in memfd_create:error=ENOMEM:when=1 memfd_create:error=ENFILE:when=2 memfd_create:error=ENOMEM:when=3 ftruncate:error=ENOMEM:when=1 fchmod:error=EPERM:when=1; do
		run -2 strace -f -o /dev/null -e trace="${call%%:*}" -e inject="$call" mp-record -q -e cpu-clock -g none -d 10ms -o /dev/null
		printf '%s\n' "${lines[@]}"
		[[ "$output" == "mp-record: cannot make the shared memory "* ]] && [ "${#lines[@]}" = 1 ] || false
	done
	(ulimit -S -f 1000 && mp-record -q -e cpu-clock -g none -d 10ms > "$TMP/s")
	[ "$(trailer "$TMP/s" lost)" = 0 ]
	status=0
	(ulimit -v 2000000 && mp-record -q -e cpu-clock -g none -d 10ms -o /dev/null 2> "$TMP/err") || status=$?
	[ "$status" = 2 ] && grep -q '^mp-record: cannot map a queue of .*(raise ulimit -v' "$TMP/err"
}

# CPU time, in ticks, of a process and its children.
ticks_of() {	# PID
	local p
	for p in "$1" $(children "$1" || true); do cat "/proc/$p/stat"; done | awk '{ sub(/.*\) /, ""); n += $12 + $13 } END { print n }'
}

@test "a recording that was stopped while its reader stalls neither spins nor grows" {
	needs_root
	mkfifo "$TMP/pipe"
	exec 5<> "$TMP/pipe"
	# few events, and the stacks of all switches, which fill their part of the queue
	echo 'sub down { my ($n, $s) = @_; return $n ? down($n - 1, $s) + 1 : select(undef, undef, undef, $s) } down(40, $ARGV[0]) while 1' > "$TMP/deep.pl"
	cp "$(command -v perl)" "$TMP/seldom"
	start_load "$TMP/seldom" "$TMP/deep.pl" 0.001
	for ((i = 0; i < 3; i++)); do start_load perl "$TMP/deep.pl" 0.00001; done
	mp-record -q -a -e 'sched:sched_switch/prev_comm=="seldom"/' -g user -o "$TMP/pipe" &
	pid=$!
	await_stall "$pid"
	sleep 2
	kill -TERM $pid
	sleep 1
	ticks=$(ticks_of $pid) kib=$(memory_of $pid)
	sleep 2
	ticks_later=$(ticks_of $pid) kib_later=$(memory_of $pid)
	kill -KILL $pid
	exec 5>&-
	echo "$ticks ticks and $kib KiB, 2 s later $ticks_later ticks and $kib_later KiB"
	[ $((ticks_later - ticks)) -lt $(($(getconf CLK_TCK) / 2)) ]
	[ $((kib_later - kib)) -lt 16384 ]
}

@test "a failed write, in any thread, does not keep a recording from ending" {
	needs_root
	needs_strace
	for ((i = 1; i <= 12; i++)); do
		status=0
		timeout 60 strace -f -o "$TMP/strace" -e trace=write -e inject=write:error=EIO:when=$i \
			mp-record -q -g none -e 'uprobe:libc:malloc(bytes=arg1:u64)' -o "$TMP/s" -- "$LOAD/getppid" 3 2> "$TMP/err" || status=$?
		[[ "$status" = [012] ]] || { echo "write $i: status $status"; cat "$TMP/err"; grep INJECTED "$TMP/strace"; false; }
		# in the writer, strace turns the write into system call -1, which the sandbox does not permit
		[ "$status" -lt 2 ] || grep -q 'Input/output error\|killed by signal 31' "$TMP/err"
	done
}

@test "a recording of COMMAND ends because COMMAND has ended, 50 times" {
	needs_root
	# a thread that is not the first one becomes the program
	printf '%s\n' 'import os, threading' 'threading.Thread(target=lambda: os.execvp("sleep", ["sleep", "0.01"])).start()' \
		'threading.Event().wait()' > "$TMP/exec.py"
	for ((i = 0; i < 50; i++)); do
		ways=(-e page-faults -e sched:sched_switch)
		[ $((i % 5)) != 0 ] || ways=(-e sched:sched_switch -g user:bpf)
		commands=(true "sleep 0.01" "python3 $TMP/exec.py" "sh -c true;true")
		read -ra command <<< "${commands[i % 4]}"
		mp-record -v "${ways[@]}" -o "$TMP/s" -- "${command[@]}" > /dev/null 2> "$TMP/err" || [ $? = 1 ]
		grep -q 'the recording was ended by the end of COMMAND' "$TMP/err" || { cat "$TMP/err"; false; }
		[ "$(trailer "$TMP/s" status)" = 0 ]
	done
}

@test "what ended a recording before its COMMAND is reported" {
	needs_root
	for option in -d0.2 -n3; do
		run mp-record -a -e sched:sched_switch $option -o "$TMP/s" -- sleep 600
		[[ "$output" == *"'sleep' ended with status 143, stopped after the recording had been ended by the "[nd]u* ]]
	done
}
