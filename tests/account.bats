#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every event is delivered or counted as lost: exact counts of known workloads.

bats_require_minimum_version 1.5.0
load lib

GETPPID=syscalls:sys_enter_getppid

setup() {
	make_tmp
	needs_root
}

# The trailer against the lines: records, lost, and per CPU fired = delivered + lost.
balanced() {
	[ "$(trailer "$1" records)" = "$(grep -cE '^[0-9]+,' "$1")" ]
	[ "$(trailer "$1" lost)" = "$(grep '^{"lost"' "$1" | jq -s 'map(.lost) | add // 0')" ]
	[ "$(trailer "$1" fired)" = $(($(trailer "$1" records) + $(trailer "$1" lost) + $(trailer "$1" excluded))) ]
	[ "$(tail -n 1 "$1" | jq '[.cpus[] | .[0]] | add')" = "$(trailer "$1" fired)" ]
	[ "$(tail -n 1 "$1" | jq '[.cpus[] | .[1]] | add')" = "$(trailer "$1" records)" ]
	[ "$(tail -n 1 "$1" | jq '[.cpus[] | .[2]] | add')" = "$(trailer "$1" lost)" ]
}

# As many as the ring holds: nothing is lost, however busy the machine is.
@test "5,003 calls give 5,003 events and no loss at the default settings" {
	mp-record -q -e $GETPPID -o "$TMP/s" -- "$LOAD/getppid" 5003
	[ "$(trailer "$TMP/s" records)" = 5003 ]
	[ "$(trailer "$TMP/s" lost)" = 0 ]
	balanced "$TMP/s"
	run mp-order --check "$TMP/s"
	[ "$status" = 0 ]
}

@test "a recording of the whole system without stacks has every call of a pinned process" {
	local name=mp-calls$$	# that no other test has
	cp "$LOAD/getppid" "$TMP/$name"
	mp-record -q -a -e $GETPPID -g none -o "$TMP/s" -- taskset -c 0 "$TMP/$name" 10007 || [ $? = 1 ]
	n=$(grep -c "comm=$name	" "$TMP/s")
	[ "$n" -le 10007 ] && [ $((n + $(trailer "$TMP/s" lost))) -ge 10007 ]
	balanced "$TMP/s"
}

@test "for two processes under load, delivered + lost = fired" {
	start_load stress-ng --cpu 2 -t 30s
	mp-record -q -e $GETPPID -o "$TMP/s" -- sh -c "'$LOAD/getppid' 100003 & '$LOAD/getppid' 50021; wait" || [ $? = 1 ]
	[ $(($(grep -c 'comm=getppid' "$TMP/s") + $(trailer "$TMP/s" lost))) = 150024 ]
	balanced "$TMP/s"
}

@test "losses in a ring that is too small are counted and reported where they happened" {
	mp-record -e $GETPPID -m 32K -o "$TMP/s" -- "$LOAD/getppid" 300007 2> "$TMP/err" || [ $? = 1 ]
	[ $(($(trailer "$TMP/s" records) + $(trailer "$TMP/s" lost))) = 300007 ]
	balanced "$TMP/s"
	[ "$(trailer "$TMP/s" lost)" -gt 0 ] || skip "nothing was lost"
	grep -q "$(trailer "$TMP/s" lost) events were lost: the ring buffers were full" "$TMP/err"
	# each loss lies between its two times, and its line is where an event at the second time would be
	run mp-order --check "$TMP/s"
	[ "$status" = 0 ]
	grep '^{"lost"' "$TMP/s" | jq -e -s 'all(.from <= .time)' > /dev/null
}

@test "each loss has its type, and the losses of a type are the events of it that were not delivered" {
	mp-record -q -e "$GETPPID,syscalls:sys_exit_getppid" -g none -m 32K -o "$TMP/s" -- "$LOAD/getppid" 300007 2> /dev/null || [ $? = 1 ]
	balanced "$TMP/s"
	[ "$(trailer "$TMP/s" lost)" -gt 0 ] || skip "nothing was lost"
	for type in $GETPPID syscalls:sys_exit_getppid; do
		lost=$(grep '^{"lost"' "$TMP/s" | jq -s --arg t $type 'map(select(.type == $t).lost) | add // 0')
		[ $(($(grep -c "^[0-9]*,$type," "$TMP/s") + lost)) = 300007 ]
	done
	grep '^{"lost"' "$TMP/s" | jq -e -s 'all(.from <= .time and .type)' > /dev/null
	# a filter on one type ignores the losses of the other
	mp-select -e $GETPPID "$TMP/s" 2> /dev/null | mp-select -e $GETPPID 2> "$TMP/err" > "$TMP/out" || [ $? = 1 ]
	[ "$(cat "$TMP/err")" = "mp-select: input reports $((300007 - $(grep -c "^[0-9]*,$GETPPID," "$TMP/s"))) lost events" ]
}

@test "with a slow reader the queue stays bounded, and what does not fit is counted as lost" {
	mp-record -q -e $GETPPID -g none -m 64K -- sh -c "'$LOAD/getppid' 3000017 > /dev/null" 2> /dev/null |
		{ sleep 3; cat; } > "$TMP/s" || true
	balanced "$TMP/s"
	[ $(($(trailer "$TMP/s" records) + $(trailer "$TMP/s" lost))) -ge 3000017 ]
}

@test "while the reader of the pipe is stopped, memory stays within its limits, and afterwards the account is exact" {
	mkfifo "$TMP/pipe"
	cat "$TMP/pipe" > "$TMP/s" &
	reader=$!
	start_load perl -e 'getppid while 1'
	mp-record -q -e $GETPPID -g none -p "$LOAD_PID" -o "$TMP/pipe" &
	pid=$!
	until grep -q "$GETPPID" "$TMP/s"; do await; done
	kill -STOP $reader
	most=0
	for ((i = 0; i < 10; i++)); do
		sleep 1
		now=$(memory_of $pid)
		most=$((now > most ? now : most))
	done
	kill -CONT $reader
	kill -INT $pid
	wait $pid || [ $? = 1 ]
	wait $reader
	echo "$most KiB; $(trailer "$TMP/s" lost) of $(trailer "$TMP/s" fired) lost"
	# the queue (64 MiB, or 6 for each CPU), the rings (2 for each CPU), and what mp-record needs anyway
	[ "$most" -lt $(((64 + 8 * CPUS + 64) * 1024)) ]
	balanced "$TMP/s"
	run mp-order --check "$TMP/s"
	[ "$status" = 0 ]
}

@test "under stress-ng --switch, delivered + lost is the kernel's count" {
	for realtime in "" --realtime; do
		# the recorder starts the load, which would otherwise keep it from starting
		mp-record -q $realtime -a -e sched:sched_switch -g none -d 1 -o "$TMP/s" -- $(switching "$TMP/stress" 3s) > /dev/null 2>&1 || [ $? = 1 ]
		kill -KILL -- "-$(cat "$TMP/stress")" 2> /dev/null || true
		balanced "$TMP/s"
		echo "realtime '$realtime': $(trailer "$TMP/s" fired) fired, $(trailer "$TMP/s" lost) lost"
		run mp-order --check "$TMP/s"
		[ "$status" = 0 ]
	done
}

@test "with --realtime nothing is lost under stress-ng --switch" {
	case "$BUILD" in *san-*) skip "sanitizers are slow" ;; esac
	# all CPUs are busy, and there are no more events than one CPU can write, however many CPUs make them
	for _ in 1 2 3; do
		mp-record -q --realtime -a -e sched:sched_switch -g none -d 1 -o "$TMP/s" -- \
			$(switching "$TMP/stress" 3s --switch-freq 25000 --cpu $((2 * CPUS))) > /dev/null 2>&1 || [ $? = 1 ]
		kill -KILL -- "-$(cat "$TMP/stress")" 2> /dev/null || true
		[ "$(trailer "$TMP/s" lost)" != 0 ] || return 0
	done
	echo "$(trailer "$TMP/s" lost) of $(trailer "$TMP/s" fired) lost"
	false
}

@test "the count equals that of perf stat on the same load" {
	perf stat -x, -o "$TMP/stat" -e syscalls:sys_enter_getppid -- \
		mp-record -q -e $GETPPID -g none -o "$TMP/s" -- "$LOAD/getppid" 10007
	perf=$(awk -F, '/getppid/ { print $1 }' "$TMP/stat")
	# perf counts mp-record, too
	[ "$perf" -ge "$(trailer "$TMP/s" fired)" ] && [ "$perf" -lt $(($(trailer "$TMP/s" fired) + 50)) ] || false
}

# Each line between the header's start and the trailer's time.
within() {
	local from until
	from=$(head -n 1 "$1" | jq .clock_ns) until=$(trailer "$1" time)
	[ "$(grep -E '^[0-9]+,' "$1" | awk -F, -v a="$from" -v b="$until" '$1 < a || $1 > b' | wc -l)" = 0 ]
}

@test "many events start and stop together, within a short time: every system call that is entered also exits" {
	start_load perl -e 'getppid, select undef, undef, undef, 0.0003 while 1'
	mp-record -q --realtime -e 'syscalls:*_[gp]*' -g none --fields tid -o "$TMP/s" 3>&- &
	recorder=$!
	until [ "$(grep -cs "tid=$LOAD_PID\$" "$TMP/s")" -ge 1000 ]; do await; done
	stopped=$(date +%s%N)
	kill -INT $recorder
	wait $recorder || [ $? = 1 ]
	# the kernel alone needs about 40 ms for each of these 160 tracepoints
	[ $(($(date +%s%N) - stopped)) -lt 5000000000 ]
	balanced "$TMP/s"
	within "$TMP/s"
	[ "$(trailer "$TMP/s" lost)" = 0 ] || skip "events were lost"
	grep -E "^[0-9]+,syscalls:.*,tid=$LOAD_PID\$" "$TMP/s" | perl -ne '
		/sys_(enter|exit)_(\w+)/;
		if ($1 eq "enter") { die "$.: $in, then $_" if $in; $in = $2 }
		else { die "$.: $2 was not entered: $_" if $in ne $2 && $. > 1; $in = "" }
		END { exit($. < 500) }'
}

@test "events from before all events were enabled are dropped and counted" {
	start_load "$LOAD/getppid" 0
	for _ in {1..20}; do	# the load has to run just then
		mp-record -q -p "$LOAD_PID" -e $GETPPID,syscalls:sys_exit_getppid -g none -n 100 -o "$TMP/s" || [ $? = 1 ]
		balanced "$TMP/s"
		within "$TMP/s"
		excluded=$(trailer "$TMP/s" excluded)
		[ "$excluded" = 0 ] || break
	done
	[ "$excluded" != 0 ]
	# when a command is recorded, nothing is dropped: its events begin with its program
	mp-record -q -e $GETPPID -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(trailer "$TMP/s" excluded)" = 0 ]
}

@test "excluded events are counted: fired = delivered + excluded + lost" {
	"$LOAD/threads" 1 100 > "$TMP/pid" &
	until [ -s "$TMP/pid" ]; do await; done
	mp-record -q -a -e $GETPPID -g none --exclude-pid $$ -n 1009 -o "$TMP/s" -- "$LOAD/getppid" 5003 || [ $? = 1 ]
	kill -USR1 "$(cat "$TMP/pid")"
	[ "$(trailer "$TMP/s" records)" = 1009 ]
	balanced "$TMP/s"
}
