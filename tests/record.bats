#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-record on the real kernel: events, targets, fields, and how a recording ends.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

SWITCH=sched:sched_switch
GETPPID=syscalls:sys_enter_getppid

setup() {
	make_tmp
	needs_root
}

# The clocks of the machine, in ns: real time minus monotonic time, and monotonic time.
clocks() {
	perl -MTime::HiRes=clock_gettime,CLOCK_REALTIME,CLOCK_MONOTONIC -e '
		for (1 .. 100) {
			my ($a, $real, $b) = map { clock_gettime($_) } CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC;
			($best, $offset) = ($b - $a, $real - $a) if !defined $best || $b - $a < $best;
		}
		printf "%.0f %.0f\n", $offset * 1e9, clock_gettime(CLOCK_MONOTONIC) * 1e9'
}

# A machine with nothing to do has few switches.
start_switches() {
	start_load perl -e 'select undef, undef, undef, 0.002 while 1'
}

events() {	# number of event lines of a type
	grep -c "^[0-9]*,$2," "$1" || true
}

record_calls() {	# PID OPTION...: records the calls that a load makes after SIGUSR1, until it has ended
	local pid=$1 recorder
	mp-record -q -e $GETPPID "${@:2}" -g none -o "$TMP/s" &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	kill -USR1 "$pid"
	wait "$pid" || true
	kill -INT $recorder 2> /dev/null || true	# it also ends by itself, since all that it records has ended
	wait $recorder
}

@test "a stack ends at the event, not in the code that records it" {
	needs_root
	start_switches
	mp-record -q -e sched:sched_switch -n 50 -o "$TMP/s" || [ $? = 1 ]
	[ "$(grep -c ';__schedule_\[k\]$' "$TMP/s")" -gt 10 ]
	run ! grep -q '__traceiter_' "$TMP/s"
}

@test "a recording is a valid, complete and ordered stream with header and trailer" {
	read -r _ before < <(clocks)
	mp-record -q -e $SWITCH -d 300ms > "$TMP/s" || [ $? = 1 ]
	read -r offset after < <(clocks)
	run mp-order --check "$TMP/s"
	[ "$status" = 0 ] && [[ "$output" == *": valid, complete, ordered: "* ]] || false
	header=$(head -n 1 "$TMP/s")
	[ "$(jq -r .interface <<< "$header")" = mp-record ]
	[ "$(jq -r .host <<< "$header")" = "$(uname -n)" ]
	[ "$(jq -r .kernel <<< "$header")" = "$(uname -r)" ]
	[ "$(jq -r .boot <<< "$header")" = "$(cat /proc/sys/kernel/random/boot_id)" ]
	[ "$(jq -r '.command | join(" ")' <<< "$header")" = "mp-record -q -e $SWITCH -d 300ms" ]
	[ "$(jq -r '.events["sched:sched_switch"][".prev_pid"]' <<< "$header")" = s32 ]
	[[ "$(jq -r .stacks.user <<< "$header")" =~ ^(bpf|fp)$ ]]
	# the clocks of the header are those of the machine, read while it ran
	mono=$(jq -r .clock_ns <<< "$header") real=$(jq -r .realtime_ns <<< "$header")
	[ "$mono" -gt "$before" ] && [ "$mono" -lt "$after" ]
	apart=$((real - mono - offset))
	[ "${apart#-}" -lt 1000000000 ]
	[ "$(trailer "$TMP/s" records)" = "$(events "$TMP/s" $SWITCH)" ]
	[ "$(trailer "$TMP/s" bytes)" = "$(head -n -1 "$TMP/s" | wc -c)" ]
}

# Whether $TMP/s has as many samples as the load of spin_timed gives at a frequency. The timer of cpu-clock runs in real time: one
# that is late when its task is switched out fires early the next time, and time that the host takes from a virtual machine may be
# no CPU time but gives samples, or may be CPU time but gives none. A counter of cycles begins with a short period on each CPU.
is_sampled() {
	local type n most wanted
	type=$(head -n 1 "$TMP/s" | jq -r '.events | keys[0]')
	n=$(events "$TMP/s" "$type") wanted=$(expected "$TMP/time" "$1")
	most=$((wanted * 11 / 10)) real=$(($(length_ms "$TMP/s") * $1 / 1000))
	[ "$most" -gt "$real" ] || most=$real
	echo "$n, expected $wanted, at most $most"
	if [ "$type" = cpu-clock ]; then
		! grep ",cpu-clock," "$TMP/s" | grep -v "period=$((1000000000 / $1))	" || return 1
	else
		most=$((most + 50 * CPUS))
	fi
	[ "$n" -gt $((wanted * 4 / 10)) ] && [ "$n" -le $((most + 5)) ]
}

@test "without an event, CPU time is sampled 99 times a second" {
	mp-record -q -o "$TMP/s" -- $(spin_timed "$TMP/time" 1) > "$TMP/out" || [ $? = 1 ]
	type=$(head -n 1 "$TMP/s" | jq -r '.events | keys[0]')
	[ "$type" = cpu-clock ] || [ "$type" = cycles ]
	is_sampled 99
	grep -q ",$type,.*	comm=spin	.*stack=.*;spin_here" "$TMP/s"
}

# each CPU counts up to the period by itself
@test "-F and -c set frequency and period, also for a single event" {
	mp-record -q -F 1000 -o "$TMP/s" -- $(spin_timed "$TMP/time" 1) > "$TMP/out" || [ $? = 1 ]
	is_sampled 1000
	mp-record -q -e $GETPPID -c 100 -g none -o "$TMP/s" -- taskset -c 0 "$LOAD/getppid" 10007
	[ "$(events "$TMP/s" $GETPPID)" = 100 ]
	grep -q 'period=100' "$TMP/s"
	mp-record -q -e "$GETPPID/period=1000/,syscalls:sys_exit_getppid" -o "$TMP/s" -- taskset -c 0 "$LOAD/getppid" 5003
	[ "$(events "$TMP/s" $GETPPID)" = 5 ]
	[ "$(events "$TMP/s" syscalls:sys_exit_getppid)" = 5003 ]
	[ "$(trailer "$TMP/s" fired)" = 5008 ]
}

@test "a tracepoint that is requested twice serves both requests" {
	mp-record -q -g none -e "$GETPPID/common_pid==1/" -e "$GETPPID" -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(events "$TMP/s" $GETPPID)" = 1009 ]
	mp-record -q -g none -e "$GETPPID/common_pid==1/,$GETPPID/common_pid>1/" -o "$TMP/s" -- "$LOAD/getppid" 1013
	[ "$(events "$TMP/s" $GETPPID)" = 1013 ]
	mp-record -q -e "$GETPPID/stack=none/,$GETPPID/stack=user/" -o "$TMP/s" -- "$LOAD/getppid" 7
	[ "$(grep -c ',syscalls:sys_enter_getppid,.*stack=.*main' "$TMP/s")" = 7 ]
}

@test "a sampled event that is requested twice gets the more frequent sampling and all parts of the stack" {
	mp-record -q -e 'cpu-clock:u/freq=50,stack=none/,cpu-clock:u/freq=1000,stack=user/' -o "$TMP/s" -- "$LOAD/spin" 0.5 > "$TMP/out" || [ $? = 1 ]
	[ "$(grep -c 'period=1000000	.*stack=.*;spin_here' "$TMP/s")" -ge 100 ]
	mp-record -q -g none -e 'cpu-clock:u/period=1000000/,cpu-clock:k/period=3000000/' -o "$TMP/s" -- \
		perl -e 'open my $zeros, "<", "/dev/zero"; until ((times)[1] > 0.3) { sysread $zeros, my $x, 4 << 20 }'
	# all of its time is spent in the kernel
	[ "$(grep -c 'period=1000000$' "$TMP/s")" -ge 50 ]
}

@test "a tracepoint that counts ns gives one event each time, with its period" {
	mp-record -q -e sched:sched_stat_runtime -g none -o "$TMP/s" -- "$LOAD/spin" 0.3 > "$TMP/out" || [ $? = 1 ]
	grep -qE 'period=[0-9]{4,}	.comm=' "$TMP/s"
	# the period is a field of the payload, so that each event is there once
	! grep -E '^[0-9]+,' "$TMP/s" | perl -ne 'print unless /period=(\d+)\t.*\.runtime=\1(\t|$)/' | grep . || false
	[ "$(trailer "$TMP/s" lost)" = 0 ]
	[ "$(trailer "$TMP/s" fired)" = "$(trailer "$TMP/s" records)" ]
}

@test "-e takes globs and commas, and can be repeated" {
	mp-record -q -e 'sched:sched_wakeup*,sched:sched_switch' -e 'irq:softirq_e*' -a -o "$TMP/s" -- "$LOAD/spin" 0.2 > "$TMP/out" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r '.events | keys | join(" ")')" = \
		"irq:softirq_entry irq:softirq_exit sched:sched_switch sched:sched_wakeup sched:sched_wakeup_new" ]
	[ "$(events "$TMP/s" sched:sched_switch)" -gt 0 ]
	[ "$(events "$TMP/s" irq:softirq_entry)" -gt 0 ]
}

@test "the kernel applies filters: what does not match is not even counted" {
	mp-record -q -g none -e 'raw_syscalls:sys_enter/id==110/' -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(events "$TMP/s" raw_syscalls:sys_enter)" = 1009 ]
	[ "$(trailer "$TMP/s" fired)" = 1009 ]
	! grep '^[0-9]' "$TMP/s" | grep -v 'id=110' || false
	# a path that no other test has
	cp "$LOAD/getppid" "$TMP/mp-calls"
	mp-record -q -g none -a -e "sched:sched_process_exec/filename~\"$TMP/*calls\" && pid!=0/" -o "$TMP/s" -- "$TMP/mp-calls" 1
	[ "$(events "$TMP/s" sched:sched_process_exec)" = 1 ]
	run mp-record -e 'sched:sched_switch/no_such_field==1/' -d 1
	[ "$status" = 2 ]
	[[ "$output" == *"does not accept the filter 'no_such_field==1'"*"mp-record -l -v sched:sched_switch"* ]]
}

@test "a misspelt event is refused with the nearest name" {
	run mp-record -e sched:sched_swich -d 1
	[ "$status" = 2 ] && [[ "$output" == *"did you mean 'sched:sched_switch'?"* ]] || false
	run mp-record -e cpu-clok -d 1
	[ "$status" = 2 ] && [[ "$output" == *"did you mean 'cpu-clock'?"* ]] || false
	run mp-record -e sched:sched_switch --fields cpu,.prev_pd -d 1
	[ "$status" = 2 ] && [[ "$output" == *"did you mean '.prev_pid'?"* ]] || false
}

@test "-l lists events in groups, by globs and parts of names, and -v shows fields and filters" {
	run mp-record -l
	[ "$status" = 0 ]
	[[ "${lines[0]}" == "Collectors:" && "$output" == *$'\n\nTracepoints:\n  '*$'\n  sched:sched_switch\n'* ]]
	# all descriptions of the first groups are in one column
	[ "$(sed '/^Tracepoints:/,$d' <<< "$output" | sed -n 's/^\(  [^ ]*  *\)[^ ].*/\1/p' | awk '{ print length }' | sort -u)" = 30 ]
	[ "$(mp-record -l '*:sched_switch')" = $'Tracepoints:\n  sched:sched_switch' ]
	run mp-record -l -v sched:sched_switch
	[[ "$output" == *".prev_comm "*" str "*"filter with == != ~"* ]]
	[[ "$output" == *"/FIELD==VALUE && FIELD~"* ]]
	run mp-record -l disk
	[[ "$output" == "Collectors:"*"  diskblockrq  "*"  disklat  "* && "$output" != *offcpu* ]]
	run mp-record -l sched_switch
	[[ "$output" == *$'Tracepoints:\n  sched:sched_switch'* ]]
	[ "$(mp-record -l sched:sched_wakeup | wc -l)" = 2 ]
	[ "$(mp-record -l sched:sched_wak | wc -l)" -ge 3 ]
	run mp-record -l sched:sched_swich
	[ "$status" = 2 ] && [[ "$output" == *"did you mean 'sched:sched_switch'?"* ]] || false
}

@test "hardware events are recorded where there are counters and refused with a reason where not" {
	run mp-record -q -e cycles -d 100ms -o "$TMP/s"
	if [ "$status" = 2 ]; then
		[[ "$output" == *"this machine has no such hardware counter"* ]]
		skip "no hardware counters"
	fi
	[ "$(events "$TMP/s" cycles)" -gt 0 ]
}

@test "each page fault is counted and has its address" {
	mp-record -q -e page-faults -o "$TMP/s" -- "$LOAD/getppid" 1
	n=$(events "$TMP/s" page-faults)
	[ "$n" -gt 10 ] && [ "$(trailer "$TMP/s" fired)" = "$n" ] || false
	[ "$(grep -c 'addr=0x[0-9a-f]' "$TMP/s")" = "$n" ]
}

@test "a command is recorded from its first instruction and keeps its status and stdio" {
	echo input | mp-record -q -e $GETPPID -o "$TMP/s" -- sh -c "cat; '$LOAD/getppid' 7; exit 3" > "$TMP/out" 2> "$TMP/err"
	[ "$(cat "$TMP/out")" = input ]
	[ "$(trailer "$TMP/s" status)" = 3 ]
	[ "$(events "$TMP/s" $GETPPID)" -ge 7 ]	# shells ask for their parent, too
	grep -q 'comm=getppid' "$TMP/s"
	mp-record -e cpu-clock -o "$TMP/s" -- sh -c 'kill -9 $$' 2> "$TMP/err"
	[ "$(trailer "$TMP/s" status)" = 137 ]
	grep -q "'sh' ended with status 137" "$TMP/err"
	run mp-record -e cpu-clock -o "$TMP/s" -- /nonexistent/program
	[ "$status" = 2 ] && [[ "$output" == *"cannot run '/nonexistent/program': No such file or directory"* ]] || false
	# a new program first faults in its loader, before main and before libc
	mp-record -q -e page-faults -o "$TMP/s" -- /bin/true
	grep -q 'comm=true' "$TMP/s"
	! grep '^[0-9]' "$TMP/s" | grep -q 'comm=mp-record' || false
}

@test "what a command prints goes to stderr where stdout has the stream" {
	job="printf 'no newline'; seq 3; echo 1,a:b,x=1"
	mp-record -q -e page-faults -g none -- sh -c "$job" 2> "$TMP/err" | cat > "$TMP/s"
	diff <(sh -c "$job") "$TMP/err"
	run mp-order --check "$TMP/s"
	[ "$status" = 0 ] && [[ "$output" == *": valid, complete, ordered: "* ]] || false
	mp-record -q -e page-faults -g none -o /dev/stdout -- sh -c "$job" 2> "$TMP/err" | cat > "$TMP/s"
	diff <(sh -c "$job") "$TMP/err"
	mp-order --check "$TMP/s"
	# /dev/null and files leave stdout to the command
	mp-record -q -e page-faults -o /dev/null -- sh -c "$job" > "$TMP/out" 2> "$TMP/err"
	diff <(sh -c "$job") "$TMP/out"
	mp-record -q -e page-faults -o /dev/null -- sh -c "$job" > /dev/null 2> "$TMP/err"
	[ ! -s "$TMP/err" ]
}

@test "-p records all threads of a process, those created later, and its children" {
	"$LOAD/threads" 5 1013 > "$TMP/pid" &
	while [ ! -s "$TMP/pid" ]; do await; done
	pid=$(cat "$TMP/pid")
	record_calls "$pid" -p "$pid"
	[ "$(events "$TMP/s" $GETPPID)" = $((7 * 1013)) ]
	[ "$(trailer "$TMP/s" fired)" = $((7 * 1013)) ]
	[ "$(grep -o 'tid=[0-9]*' "$TMP/s" | sort -u | wc -l)" = 7 ]
	[ "$(grep -o '[^p]pid=[0-9]*' "$TMP/s" | sort -u | wc -l)" = 2 ]
}

@test "-p neither misses a thread nor records one twice while threads are created all the time" {
	# with pauses, so that the ids of threads wrap around at most once in a while
	start_load "$LOAD/spawn" 4 3 100
	pid=$LOAD_PID
	until [ "$(wc -l < "$TMP/load.out")" -ge 20 ]; do await; done
	for round in 1 2 3; do
		rm -f "$TMP/s"
		first=$(($(wc -l < "$TMP/load.out") - 10))
		mp-record -q -e $GETPPID -p $pid -g none --fields tid -m 4M -o "$TMP/s" &
		recorder=$!
		until [ -s "$TMP/s" ]; do await; done
		before=$(wc -l < "$TMP/load.out")	# the header is written: recording has begun
		sleep 0.3
		until [ "$(wc -l < "$TMP/load.out")" -ge $((before + 300)) ]; do await; done
		born=$(wc -l < "$TMP/load.out")
		# a busy machine may let a thread wait while many others begin and end
		for task in /proc/$pid/task/*; do
			[ "$task" = /proc/$pid/task/$pid ] || until [ ! -e "$task" ]; do await; done
		done
		kill -INT $recorder
		wait $recorder || [ $? = 1 ]
		lost=$(trailer "$TMP/s" lost)	# some kernels drop an event now and then, which is reported
		[ $((lost * 50)) -le "$(trailer "$TMP/s" fired)" ]
		grep -o 'tid=[0-9]*' "$TMP/s" | sort | uniq -c | awk '{ sub("tid=", "", $2); print $2, $1 }' > "$TMP/seen"
		# an id that several threads had shows less
		tail -n "+$first" "$TMP/load.out" | awk -v lost="$lost" -v before=$((before - first + 1)) -v born=$((born - first + 1)) '
			NR == FNR { n[$1] = $2; next }
			{ times[$1]++ }
			FNR > before && FNR <= born { tids[++total] = $1 }
			END {
				for (tid in n) if (n[tid] > 3 * (times[tid] ? times[tid] : 1)) twice++
				for (i = 1; i <= total; i++) {
					if (times[tids[i]] > 1) continue
					checked++
					if (n[tids[i]] != 3) { bad++; print "thread " i " of " total ": " n[tids[i]] + 0 }
				}
				print checked + 0, twice + 0, bad + 0; exit checked < 80 || twice || bad > lost
			}' "$TMP/seen" -
	done
}

@test "-p does not record twice a thread that inherited events while they were being opened" {
	start_load "$LOAD/spawn" 64 50 1000
	pid=$LOAD_PID
	until [ "$(wc -l < "$TMP/load.out")" -gt 100 ]; do await; done
	for round in 1 2 3 4 5 6; do
		mp-record -q -e $GETPPID -p $pid -g none --fields tid -m 4M -n 8000 -o "$TMP/s" || [ $? = 1 ]
		# calls of a thread are 1 ms apart
		grep -oE '^[0-9]+|tid=[0-9]+' "$TMP/s" | paste - - | tr -d 'tid=' | awk '
			$2 in last && $1 - last[$2] < 300000 { twice++ }
			{ last[$2] = $1; n[$2]++; if (n[$2] > 50) more++ }
			END { print NR, twice + 0, more + 0; exit NR != 8000 || twice || more }'
		[ "$(trailer "$TMP/s" fired)" = $(($(trailer "$TMP/s" records) + $(trailer "$TMP/s" excluded) + $(trailer "$TMP/s" lost))) ]
	done
}

@test "-p records tasks that were being created when the events were enabled" {
	case "$BUILD" in *san-*) skip "sanitizers must be loaded first" ;; esac
	start_load "$LOAD/spawn" 4 50 1000
	pid=$LOAD_PID
	until [ -s "$TMP/load.out" ]; do await; done
	record_late() { LD_PRELOAD="$BUILD/preload/enable.so" timeout 60 mp-record -q -p $pid "$@"; }
	record_late -e $GETPPID -g none -n 100 -o "$TMP/s"
	[ "$(grep -c ",$GETPPID," "$TMP/s")" = 100 ]
	record_late -e $GETPPID -g none -n 100 -o "$TMP/s" -- sleep 50 || [ $? = 143 ]
	[ "$(grep -c ",$GETPPID," "$TMP/s")" = 100 ]
	record_late --stat $GETPPID -i 20ms | awk -F '	[.]value=' '{ n += $2 } n > 10 { exit } END { exit n <= 10 }'
}

@test "--stat -p counts a process whose threads end while their counters are being opened" {
	start_load "$LOAD/spawn" 64 1 0
	pid=$LOAD_PID
	until [ "$(wc -l < "$TMP/load.out")" -gt 100 ]; do await; done
	for round in 1 2 3 4 5; do
		mp-record -q --stat $GETPPID -i 20ms -n 10 -p $pid -o "$TMP/s" || [ $? = 1 ]
		[ "$(grep -c '^[0-9].*	\.value=' "$TMP/s")" = 10 ]
	done
}

@test "a process that ends as soon as it sees the header has its name and its stacks" {
	for round in {1..10}; do
		rm -f "$TMP/s"
		perl -e '1 until -s $ARGV[0]; getppid for 1 .. 10' "$TMP/s" &
		mp-record -q -e $GETPPID -g user -p $! -o "$TMP/s"
		[ "$(grep -c ",$GETPPID,.*comm=perl	.*stack=_start;" "$TMP/s")" = 10 ] || { grep -v watermark "$TMP/s"; false; }
	done
}

@test "recordings with -p and -t end when all that they record has ended, with children" {
	mkfifo "$TMP/go"
	for option in -p -t; do
		sh -c 'read -r line; sleep 0.3; sleep 0.4 & sleep 0.1' < "$TMP/go" 3>&- &
		pid=$!
		exec 5> "$TMP/go"
		rm -f "$TMP/s"
		timeout 60 mp-record -q -e cpu-clock $option $pid -o "$TMP/s" 5>&- &
		recorder=$!
		until [ -s "$TMP/s" ]; do await; done
		begin=${EPOCHREALTIME/./}
		echo >&5
		exec 5>&-
		wait $recorder
		took=$(((${EPOCHREALTIME/./} - begin) / 1000))
		echo "$option: $took ms"
		[ "$took" -ge 300 ]
		[ "$option" = -t ] || [ "$took" -ge 600 ]
		wait $pid
	done
}

@test "-t records only these threads, -C only these CPUs" {
	"$LOAD/threads" 3 1013 > "$TMP/pid" &
	while [ ! -s "$TMP/pid" ]; do await; done
	pid=$(cat "$TMP/pid")
	tid=$(ls /proc/$pid/task | grep -vx "$pid" | tail -n 1)	# the first thread calls nothing
	record_calls "$pid" -t "$tid"
	[ "$(events "$TMP/s" $GETPPID)" = 1013 ]
	mp-record -q -e $GETPPID -C 0 -g none -o "$TMP/s" -- taskset -c 0 "$LOAD/getppid" 503
	[ "$(events "$TMP/s" $GETPPID)" = 503 ]
	! grep '^[0-9]' "$TMP/s" | grep -v 'cpu=0' || false
	[ "$CPUS" -gt 1 ] || return 0
	mp-record -q -e $GETPPID -C 1 -g none -o "$TMP/s" -- taskset -c 0 "$LOAD/getppid" 503
	[ "$(events "$TMP/s" $GETPPID)" = 0 ]
	run mp-record -C 4000 -d 1
	[ "$status" = 2 ] && [[ "$output" == *"CPU 4000 is not online"* ]] || false
	run mp-record -C 1-x -d 1
	[ "$status" = 2 ]
	run mp-record -p 4194304 -d 1
	[ "$status" = 2 ]
}

@test "--cgroup records what runs in a cgroup, with its path, and takes globs" {
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "cgroup2 is not mounted"
	mkdir "$mount/mp-test-$$" || skip "cannot make a cgroup"
	mp-record -q -e $GETPPID -g none --cgroup "mp-test-$$*" -o "$TMP/s" &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	sh -c "echo \$\$ > '$mount/mp-test-$$/cgroup.procs'; exec '$LOAD/getppid' 307"
	"$LOAD/getppid" 100
	kill -INT $recorder
	wait $recorder
	remove_cgroup "$mount/mp-test-$$"
	[ "$(events "$TMP/s" $GETPPID)" = 307 ]
	[ "$(grep -c "cgroup=/mp-test-$$" "$TMP/s")" -ge 307 ]
	run mp-record --cgroup no-such-cgroup -d 1
	[ "$status" = 2 ] && [[ "$output" == *"no cgroup 'no-such-cgroup' below $mount"* ]] || false
}

@test "-g chooses kernel, user, both or none; --max-stack truncates and reports it" {
	stack() { grep 'comm=getppid' "$1" | grep -o 'stack=.*' | tail -n 1; }
	for part in kernel user both none; do
		mp-record -q -e $GETPPID -g $part -o "$TMP/$part" -- "$LOAD/getppid" 3
	done
	[ -z "$(stack "$TMP/none")" ]
	mp-record -q -e sched:sched_process_exit -g kernel -o "$TMP/kernel" -- "$LOAD/getppid" 3
	[[ "$(stack "$TMP/kernel")" == *"do_exit_[k]"* ]]
	mp-record -q -e sched:sched_process_exit -g both -o "$TMP/both" -- "$LOAD/getppid" 3
	[[ "$(stack "$TMP/both")" == *"exit;"*"do_exit_[k]"* ]]
	mp-record -q -e $GETPPID -g user -o "$TMP/user" -- "$LOAD/getppid" 3
	[[ "$(stack "$TMP/user")" == *";main;"* && "$(stack "$TMP/user")" != *_[k]* ]]
	[[ "$(head -n 1 "$TMP/user" | jq -r '.stacks | .kernel + .user')" =~ ^none(bpf|fp)$ ]]
	mp-record -q -e $GETPPID --max-stack 2 -g user -o "$TMP/s" -- "$LOAD/getppid" 3
	[[ "$(stack "$TMP/s")" == "stack=[truncated];"*";"* ]]
	[ "$(stack "$TMP/s" | tr ';' '\n' | wc -l)" = 3 ]
	[ "$(trailer "$TMP/s" truncated)" -ge 3 ]
	mp-record -q -e "$GETPPID/stack=none/" -o "$TMP/s" -- "$LOAD/getppid" 3
	[ -z "$(stack "$TMP/s")" ]
}

@test "--fields records only the fields that it names" {
	mp-record -q -e $GETPPID --fields tid,comm -o "$TMP/s" -- "$LOAD/getppid" 3
	[ "$(grep -cE '^[0-9]+,syscalls:sys_enter_getppid,tid=[0-9]+	comm=getppid$' "$TMP/s")" = 3 ]
	start_switches
	mp-record -q -e $SWITCH --fields '.prev_*' -n 5 > "$TMP/s" || [ $? = 1 ]
	grep -qE '^[0-9]+,sched:sched_switch,\.prev_comm=[^	]*	\.prev_pid=[0-9]+	\.prev_prio=-?[0-9]+	\.prev_state=[0-9]+\([A-Za-z|+]+\)$' "$TMP/s"
	mp-record -q -e $SWITCH --fields stack -n 5 > "$TMP/s" || [ $? = 1 ]
	grep -qE '^[0-9]+,sched:sched_switch,stack=' "$TMP/s"
}

@test "-n stops after so many events, -d after a time" {
	start_switches
	mp-record -q -e $SWITCH -n 23 > "$TMP/s" || [ $? = 1 ]
	[ "$(events "$TMP/s" $SWITCH)" = 23 ]
	[ "$(trailer "$TMP/s" records)" = 23 ]
	# with priority, so that it stops in time on a busy machine, too
	mp-record -q --realtime -e $SWITCH -d 500ms > "$TMP/s" || [ $? = 1 ]
	took=$(length_ms "$TMP/s")
	echo "$took ms"
	[ "$took" -ge 500 ] && [ "$took" -lt 2500 ] || false
	first=$(grep -m 1 -oE '^[0-9]+' "$TMP/s") last=$(trailer "$TMP/s" time)
	[ $((last - first)) -gt 300000000 ]
}

@test "SIGINT, SIGTERM and SIGHUP end a recording with its trailer" {
	start_switches
	for signal in INT TERM HUP; do
		: > "$TMP/s"
		setsid env --default-signal=INT,HUP mp-record -q -e $SWITCH > "$TMP/s" &
		pid=$!
		until [ "$(events "$TMP/s" $SWITCH)" -gt 20 ]; do await; done
		kill -$signal $pid
		wait $pid || [ $? = 1 ]
		run mp-order --check "$TMP/s"
		[ "$status" = 0 ] && [[ "$output" == *"complete"* ]] || false
	done
}

@test "after Ctrl-C on a live pipeline each program gives its result" {
	start_switches
	setsid env --default-signal=INT bash -c "mp-record -q -e $SWITCH -o - | mp-order | tee '$TMP/s' | mp-fold > '$TMP/f'; echo \"\${PIPESTATUS[*]}\" > '$TMP/status'" &
	pid=$!
	until [ -s "$TMP/s" ] && [ "$(events "$TMP/s" $SWITCH)" -gt 20 ]; do await; done
	# to the whole process group, as a terminal does (tee would die of it; it is not ours)
	pkill -INT -s $pid -x 'mp-record|mp-order|mp-fold'
	wait $pid
	# each program that reads of a loss reports it
	if [ "$(trailer "$TMP/s" lost)" = 0 ] && [ "$(trailer "$TMP/s" late)" = null ]; then
		[ "$(cat "$TMP/status")" = "0 0 0 0" ]
	else
		[[ "$(cat "$TMP/status")" =~ ^1\ [01]\ 0\ [01]$ ]]
	fi
	[ -s "$TMP/f" ]
	run mp-order --check "$TMP/s"
	[ "$status" = 0 ]
	[ "$(awk '{ s += $NF } END { print s }' "$TMP/f")" = "$(events "$TMP/s" $SWITCH)" ]
}

@test "a closed pipe ends the recording by SIGPIPE after cleaning up" {
	run bash -c "mp-record -q -e $SWITCH 2> '$TMP/err' | head -n 5 > '$TMP/s'; echo \${PIPESTATUS[0]}"
	[ "$output" = 141 ] || { echo "$output"; false; }
	! grep -v 'were lost\|was lost\|after a watermark\|^mp-record: limits for ' "$TMP/err" || false
	cp "$(command -v sleep)" "$TMP/mp-sleep"
	run bash -c "trap '' PIPE; mp-record -q -e $SWITCH -- '$TMP/mp-sleep' 600 2> '$TMP/err' | head -n 5 > '$TMP/s'; echo \${PIPESTATUS[0]}"
	[ "$output" = 141 ]
	while pgrep -f "^$TMP/mp-sleep"; do await; done	# a process that was killed may take a while to end
}

@test "a full disk ends the recording with a message and status 2" {
	run mp-record -q -e $SWITCH -d 5 -o /dev/full
	[ "$status" = 2 ] && [[ "$output" == *"cannot write '/dev/full': No space left on device"* ]] || false
	run mp-record -e $SWITCH -d 1 -o /nonexistent/x
	[ "$status" = 2 ]
}

@test "after SIGKILL the output is usable and recognized as truncated" {
	start_switches
	mp-record -q -e $SWITCH -o "$TMP/s" &
	pid=$!
	until [ -s "$TMP/s" ] && [ "$(events "$TMP/s" $SWITCH)" -gt 20 ]; do await; done
	kill -KILL $pid
	wait $pid || true
	run mp-order --check "$TMP/s"
	[ "$status" = 1 ] && [[ "$output" == *"truncated"* ]] || false
	run mp-fold "$TMP/s"
	[ "$status" = 1 ] && [[ "$output" == *"truncated"* && "$output" == *"__schedule"* ]] || false
}

@test "the first output of a live pipe appears within 100 ms of the event, also after mp-order" {
	# with priority, also for the programs that the test starts, so that none of them waits for a CPU
	chrt -f -p 1 $BASHPID || true
	for tail in cat mp-order; do
		mkfifo "$TMP/$tail"
		# an event that nobody else makes: bash reads lines more slowly than other tests call getppid()
		mp-record -q -e "uprobe:$LOAD/getppid:main" -g none --fields comm 2> /dev/null | $tail > "$TMP/$tail" &
		exec 5< "$TMP/$tail"
		read -r _ <&5		# the header
		best=999999999
		# more often on a busy machine, where the programs wait for a CPU
		for ((round = 0; round < 5 || best > 100000000 && round < 50; round++)); do
			sleep 0.2
			start=$(date +%s%N)
			"$LOAD/getppid" 1
			while read -r line <&5; do
				[[ $line != *comm=getppid* ]] || break
			done
			took=$(($(date +%s%N) - start))
			[ "$took" -gt "$best" ] || best=$took
		done
		exec 5<&-
		echo "$tail: $((best / 1000)) us"
		[ "$best" -lt 100000000 ]
		wait || true		# both end because the pipe is closed
	done
}

@test "mp-record excludes itself, and its pipeline on request" {
	local events pid
	# it is none of the processes that its parent has started
	mp-record -q -e page-faults -p $$ -o "$TMP/s" -- true || [ $? = 1 ]
	[ "$(trailer "$TMP/s" excluded)" = 0 ] && [ "$(trailer "$TMP/s" fired)" -gt 0 ]
	start_load sh -c 'while :; do cat /proc/self/stat; done'	# or else an idle machine has no events
	for events in '-e raw_syscalls:sys_enter' '-F 5000'; do	# others may record at the same time
		mp-record -q $events -g none -d 300ms > "$TMP/s" &
		pid=$!
		wait $pid || [ $? = 1 ]
		[ "$(tail -n 1 "$TMP/s" | jq .fired)" -gt 0 ]
		! grep "	pid=$pid	" "$TMP/s" || false
	done
	local cat=mp-cat$$	# a name that nothing else on this machine has
	cp "$(command -v cat)" "$TMP/$cat"
	mp-record -q -e 'raw_syscalls:sys_enter' -g none -d 60s | "$TMP/$cat" | grep -a -m 1 "comm=$cat	"
	mp-record -q -e 'raw_syscalls:sys_enter' -g none -d 300ms --exclude-pid pipeline | "$TMP/$cat" > "$TMP/without" || true
	! grep -q "comm=$cat	" "$TMP/without" || false
}

@test "what interrupts do is recorded, even if they interrupt mp-record" {
	local way writer recorder
	mkfifo "$TMP/pipe"
	start_load "$LOAD/getppid" 0
	for way in "-e irq:softirq_entry,$GETPPID -g none" "-e irq:softirq_entry/vec<99/,$GETPPID -g none" "softirq -e $GETPPID/stack=none/"; do
		# the writer is busy all the time, until timers have interrupted it
		timeout 120 mp-record -q -a $way -o "$TMP/pipe" &
		recorder=$!
		exec 5<> "$TMP/pipe"
		until writer=$(children "$(children $recorder mp-record)" mp-writer); do await; done
		timeout 100 grep -a -m 1 ",irq:softirq_entry,.*	pid=$writer	" <&5 || { echo "$way"; false; }
		exec 5<&-
		wait $recorder || [ $? -ge 128 ]
	done
}

@test "tracefs does not have to be mounted" {
	run unshare -m sh -c 'umount -l /sys/kernel/tracing 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null
		[ ! -e /sys/kernel/tracing/events ] || exit 77
		before=$(grep tracefs /proc/mounts)
		for what in "-e sched:sched_switch -n 5" "cpusched disklat exec ipc -d 200ms" "mallocstacks -d 50ms" "wakers -d 50ms"; do
			mp-record -q $what || [ $? = 1 ] || exit 2
		done
		[ "$(grep tracefs /proc/mounts)" = "$before" ]'
	[ "$status" != 77 ] || skip "tracefs cannot be unmounted"
	[ "$status" = 0 ] && [[ "$output" == *"sched:sched_switch"* ]] || false
}

@test "without privileges a message says what is missing, and the user's own processes can be recorded" {
	needs_unprivileged "$LOAD/getppid"
	run unprivileged "$TMP/mp-record" -e sched:sched_switch -d 1
	[ "$status" = 2 ]
	[[ "$output" == *"needs root, or CAP_PERFMON, or kernel.perf_event_paranoid"* ]]
	run unprivileged "$TMP/mp-record" -e sched:sched_switch -- true
	[ "$status" = 2 ]
	[[ "$output" == *"cannot read tracefs"*"root"* ]]
	needs_own_events unprivileged "$TMP/mp-record"
	unprivileged "$TMP/mp-record" -q -e page-faults -- "$TMP/getppid" 1 > "$TMP/s"
	[ "$(events "$TMP/s" page-faults)" -gt 5 ]
	grep -q 'comm=getppid' "$TMP/s"
	run mp-order --check "$TMP/s"
	[ "$status" = 0 ]
}

@test "a terminal gets readable lines without control bytes" {
	command -v script > /dev/null || skip "no script(1)"
	script -qec "mp-record -q -e $GETPPID -n 3 -- $LOAD/getppid 3 '\\n\\tx'" /dev/null > "$TMP/out" < /dev/null
	! grep -q '^{' "$TMP/out" || false
	grep -qE '^ *[0-9]+\.[0-9]{9} .*:[0-9]+ \[[0-9]+\] syscalls:sys_enter_getppid' "$TMP/out"
	grep -q '\\n\\tx' "$TMP/out"
	script -qec "mp-record -e $SWITCH -d 3 -o '$TMP/s'" /dev/null > "$TMP/out" < /dev/null || [ $? = 1 ]
	grep -aqE '[0-9.]+ s, [0-9]+ events, [0-9]+/s, [0-9]+ lost' "$TMP/out"
}

@test "a recording stops within 200 ms under load" {
	command -v stress-ng > /dev/null || skip "no stress-ng"
	case "$BUILD" in *san-*) skip "sanitizers are slow" ;; esac
	# the recorder starts the load, so that the load does not keep it from starting
	mp-record -a -e $SWITCH -o "$TMP/s" -- $(switching "$TMP/stress" 600s --cpu $((2 * CPUS))) > /dev/null 2> "$TMP/err" &
	pid=$!
	until [ -s "$TMP/stress" ]; do await; done
	load=$(cat "$TMP/stress")
	LOADS+=("$load")
	# another program that waits for a signal shows how long this machine keeps programs from a CPU
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e '
		$| = 1; $SIG{TERM} = sub { printf "%.0f\n", clock_gettime(CLOCK_MONOTONIC) * 1e9; exit }; print "ready\n"; sleep 600' > "$TMP/other" &
	other=$!
	until [ -s "$TMP/other" ]; do await; done
	# with priority: under this load the shell may not run for many seconds, nor the writer, for which the load ends
	chrt -f 1 perl -MTime::HiRes=clock_gettime,sleep,CLOCK_MONOTONIC -e '
		my ($pid, $file, $other, $load) = @ARGV;
		sleep 0.05 until -s $file;
		sleep 3;
		printf "%.0f\n", clock_gettime(CLOCK_MONOTONIC) * 1e9;
		kill INT => $pid; kill TERM => $other;
		sleep 2;
		kill KILL => -$load;' $pid "$TMP/s" $other "$load" > "$TMP/asked"
	wait $pid || true
	wait $other || true
	[[ "$(tail -n 1 "$TMP/s")" == '{"end"'* ]] || { cat "$TMP/err"; false; }
	took=$((($(trailer "$TMP/s" time) - $(cat "$TMP/asked")) / 1000))
	other=$((($(tail -n 1 "$TMP/other") - $(cat "$TMP/asked")) / 1000))
	echo "events end $took us after the signal, another program answers after $other us"
	[ "$took" -gt -1000000 ] && [ "$took" -lt $((200000 + 3 * other)) ]	# the last event may be earlier than the stop
}

@test "two recordings of the same software event at once leave each other's samples alone" {
	needs_root
	local touch='my $x = "x" x (16 << 20); substr($x, $_ << 12, 1, "y") for 0 .. 4095'
	mp-record -q -a -g none -e page-faults -o "$TMP/outer" -- mp-record -q -g none -e page-faults -o "$TMP/inner" -- perl -e "$touch" 2> "$TMP/err" || [ $? = 1 ]
	! grep 'could not be parsed' "$TMP/err" || false
	for s in outer inner; do
		[ $(($(grep -c ',page-faults,.*comm=perl' "$TMP/$s") + $(trailer "$TMP/$s" lost))) -ge 4000 ] || { head -n 3 "$TMP/$s"; cat "$TMP/err"; false; }
	done
}

@test "-o follows no link in a folder that other users can change" {
	mkdir -m 1777 "$TMP/shared"
	echo kept > "$TMP/target"
	ln -s "$TMP/target" "$TMP/shared/link"
	ln -s "$TMP/target" "$TMP/link"
	run mp-record -q -e page-faults -o "$TMP/shared/link" -- true
	[ "$status" = 2 ]
	[[ "$output" == *"it is a link in a folder that other users can change" ]]
	[ "$(< "$TMP/target")" = kept ]
	needs_own_events
	mp-record -q -e page-faults -o "$TMP/link" -- true
	[ "$(< "$TMP/target")" != kept ]
}
