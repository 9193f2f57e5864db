#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-record in a pid namespace of its own, as in a privileged container, records what it records outside.

bats_require_minimum_version 1.5.0
load lib

setup() {
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/mp-test.XXXXXX")
	STARTED=$(mktemp "$TMP/.XXXXXX")
	needs_root
	unshare -p -f --mount-proc true 2> /dev/null || skip "cannot make a pid namespace"
	cp "$LOAD/mix" "$TMP/mp-mix"
	head -c 64K /dev/zero > "$TMP/mix.file"
}

inside() { unshare -p -f --mount-proc "$@"; }

# Records each collector with the load as command, and prints those that have lines about it.
what_is_recorded() {
	local c
	for c; do
		mp-record -q "$c" -g none -o "$TMP/s" -- "$TMP/mp-mix" "$TMP/mix.file" 100 500 > "$TMP/out" 2> "$TMP/err" || true
		[ ! -s "$TMP/s" ] || ! grep -qaE '[^p]comm=mp-mix	|^[0-9]+#mp-mix' "$TMP/s" || echo "$c"
		rm -f "$TMP/s"
	done
}

@test "each collector records the same command inside a pid namespace and outside" {
	local c all=()
	for c in lib/collectors/*; do
		c=${c##*/}
		case $c in
		boot | breakpoint | memusage) ;;	# a group; an address; polled once a second
		callstack | irq | softirq) ;;		# whether these hit the command is chance,
		ldlat | llc | memevents | tlb) ;;	# as it is with the samples of hardware counters
		syscalls) all+=(syscalls:getppid,read,write) ;;
		mallocsample) all+=(mallocsample:100) ;;
		*) all+=("$c") ;;
		esac
	done
	export TMP
	export -f what_is_recorded
	what_is_recorded "${all[@]}" > "$TMP/outside"
	inside bash -c 'what_is_recorded "$@"' - "${all[@]}" > "$TMP/inside"
	grep -qx offcpu "$TMP/outside"
	diff "$TMP/outside" "$TMP/inside"
}

@test "targets, stacks and exclusion work inside a pid namespace" {
	cat > "$TMP/script" <<- 'X'
		set -e
		record() { mp-record -q -o "$TMP/s" "$@" || [ $? = 1 ]; }
		sleep 600 & sleeper=$!
		mkfifo "$TMP/go"
		sh -c 'read -r line; exec "$0" 503' "$LOAD/getppid" < "$TMP/go" & pid=$!
		exec 5> "$TMP/go"
		record -e rawtp:sys_enter/id==110/ -e syscalls:sys_enter_getppid -g none -p $pid 5>&- & recorder=$!
		until [ -s "$TMP/s" ]; do await; done
		echo >&5
		wait $recorder
		[ "$(grep -c ',rawtp:sys_enter,' "$TMP/s")" = "$(grep -c ',syscalls:sys_enter_getppid,' "$TMP/s")" ]
		[ "$(grep -c ",rawtp:sys_enter,.*pid=$pid	" "$TMP/s")" -ge 503 ]
		record -e rawtp:sys_enter,sum:blocked -d 0.1 -p $sleeper
		! grep -E '^[0-9]+,|#sleep.*nanosleep.*getppid' "$TMP/s" || exit 1
		# stacks of tracepoints by BPF meet their samples
		mp-record -e sched:sched_switch -o "$TMP/s" -- "$LOAD/switch" 0 0.1 > "$TMP/rounds" 2> "$TMP/err" || [ $? = 1 ]
		grep -qE '[0-9]+ user stacks by bpf, [1-9][0-9.]+ % complete' "$TMP/err" || { cat "$TMP/err"; false; }
		# mp-record excludes itself, and others on request
		for events in raw_syscalls:sys_enter rawtp:sys_enter; do
			mp-record -q -e $events -g none -d 0.2 -o "$TMP/s" & pid=$!
			wait $pid || [ $? = 1 ]
			! grep -q "	pid=$pid	" "$TMP/s" || exit 1
		done
		"$LOAD/spin" 600 > /dev/null & pid=$!
		record -F 997 -e cpu-clock/running=0-/,cpu-clock/running=0-,sum=count/ -d 0.3 --exclude-pid $pid || true
		record -F 997 -e cpu-clock/running=0-/ -d 0.3 --exclude-pid $pid
		! grep "	pid=$pid	" "$TMP/s" || exit 1
		record -e cpu-clock/need-resched/ -d 0.05
		record -F 997 -d 1
		grep -q "	pid=$pid	.*comm=spin	" "$TMP/s"
		! grep -q 'comm=swapper' "$TMP/s" || exit 1
		kill $pid $sleeper
	X
	export TMP LOAD
	inside bash "$TMP/script"
}

@test "from outside, a container is known by its cgroup and its inner ids" {
	local mount pod recorder inner
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] && mkdir "$mount/mp-pod-$$" 2> /dev/null || skip "cannot make a cgroup"
	cat > "$TMP/pod" <<- 'X'
		sh -c : # another id than 2
		exec perl -e '$0 = "mp-pod"; syscall(186); print "$$\n"; close STDOUT; <STDIN>; syscall(110) for 1 .. 503; <STDIN>'
	X
	mkfifo "$TMP/go"
	sh -c 'echo $$ > "$1"; exec unshare -p -f --mount-proc sh -c "sh $2/pod; :" < "$2/go" > "$2/inner"' - \
		"$mount/mp-pod-$$/cgroup.procs" "$TMP" &
	pod=$!
	exec 5> "$TMP/go"
	until [ -s "$TMP/inner" ]; do await; done
	inner=$(cat "$TMP/inner")
	mp-record -q --fields +nstid,cgroup,nspid -e syscalls:sys_enter_getppid,stat:page-faults,task:exit,rawtp:sys_enter/id==110/ \
		-o "$TMP/s" 5>&- &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	echo >&5
	# it runs until its events have been written
	until [ "$(grep -c ",rawtp:sys_enter,.*cgroup=/mp-pod-$$	" "$TMP/s")" -ge 503 ]; do await; done
	exec 5>&-
	wait $pod
	kill -INT $recorder
	wait $recorder || [ $? = 1 ]
	remove_cgroup "$mount/mp-pod-$$"
	for type in syscalls:sys_enter_getppid rawtp:sys_enter; do
		n=$(grep -c ",$type,.*comm=mp-pod	.*cgroup=/mp-pod-$$	nspid=$inner	nstid=$inner	" "$TMP/s") || true
		[ "$n" = 503 ] || { echo "$type: $n"; grep -m 1 "cgroup=/mp-pod-$$" "$TMP/s"; false; }
	done
	! grep -E "	pid=$inner	.*cgroup=/mp-pod-$$	" "$TMP/s" || false
	grep -q ",task:exit,.*comm=mp-pod	nspid=$inner	nstid=$inner" "$TMP/s"
	! grep '^[0-9]*,stat:' "$TMP/s" | grep -E 'nspid|cgroup' || false
	[ "$(mp-select -f "nspid==$inner && cgroup==\"/mp-pod-$$\"" "$TMP/s" | grep -c ',syscalls:sys_enter_getppid,')" = 503 ]
	run mp-record --fields +cpu -d 10ms -o "$TMP/s"
	[ "$status" = 2 ] && [[ $output == *"--fields +cpu: + adds cgroup, nspid, nstid and addr"* ]] || false
	run mp-record --fields +cgroup,nspid -e task:exec -d 10ms -o "$TMP/s"
	[ "$status" = 2 ] && [[ $output == *"--fields +cgroup,nspid: none of the events has all of these"* ]] || false
}

@test "probes of another pid namespace are left alone" {
	local events=/sys/kernel/tracing/uprobe_events probe="uprobe:$TMP/probed:main(n=arg1:u64)"
	cp "$LOAD/getppid" "$TMP/probed"
	inside mp-record -q -e "$probe" -o "$TMP/s" -- sh -c "until [ -e '$TMP/end' ]; do sleep 0.05; done" &
	local inner=$!
	until [ -s "$TMP/s" ]; do await; done
	# a recording outside sweeps probes of killed recordings
	mp-record -q -e "$probe" -o "$TMP/o" -- true || [ $? = 1 ]
	grep -q "$TMP/probed" $events
	touch "$TMP/end"
	wait $inner || [ $? = 1 ]
	[ "$(tail -n 1 "$TMP/s" | jq .status)" = 0 ]
	run ! grep -q "$TMP/probed" $events
}

@test "a /proc of another pid namespace is refused" {
	run unshare -p -f mp-record -d 10ms -o "$TMP/s"
	[ "$status" = 2 ] && [[ $output == *"/proc belongs to another pid namespace (mount -t proc proc /proc)" ]] || false
}
