#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-record leaves nothing behind whenever it is stopped or killed. MP_SEED repeats a run.

bats_require_minimum_version 1.5.0
load lib

TRACEFS=/sys/kernel/tracing
CGROUPS=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
GROUP=mp-clean-$BATS_ROOT_PID

# Removes the cgroup after the load in it has been killed.
remove_group() {
	local try
	for ((try = 0; try < 600; try++)); do
		[ -d "$CGROUPS/$GROUP" ] || return 0
		rmdir "$CGROUPS/$GROUP" 2> /dev/null || sleep 0.1
	done
	return 1
}

teardown_file() {
	remove_group
}

# Ids of all BPF programs that trace, of their maps and of their links, as "prog 17", "map 4", "link 3". Others come and go with
# services and other containers of the machine, whose processes may not be visible here.
bpf_objects() {
	bpftool -j prog 2> /dev/null | jq '[.[] | select(.type | test("^(raw_tracepoint|tracepoint|tracing|perf_event|kprobe)"))]' > "$TMP/progs"
	{
		jq -r '.[] | "prog \(.id)", (.map_ids[]? | "map \(.)")' "$TMP/progs"
		bpftool -j link 2> /dev/null | jq -r --slurpfile progs "$TMP/progs" \
			'($progs[0] | map(.id)) as $p | .[] | select(.prog_id | IN($p[])) | "link \(.id)"'
	} | sort -u
}

# Those that a process has open, or that such a program uses: other tests may be recording, too.
bpf_held() {
	local progs
	progs=$(sed -n 's/^prog_id:[[:space:]]*//p' /proc/[0-9]*/fdinfo/* 2> /dev/null | sort -u)
	sed -nE 's/^(prog|map|link)_id:[[:space:]]*([0-9]+)/\1 \2/p' /proc/[0-9]*/fdinfo/* 2> /dev/null || true
	bpftool -j prog | jq -r --arg progs "$progs" '($progs | split("\n")) as $p | .[] | select("\(.id)" | IN($p[])) | .map_ids[]? | "map \(.)"'
}

# The objects that are new since then and that nobody has open. Waits, since the kernel frees them after grace periods, which
# take seconds on a busy machine.
bpf_left() {
	local try
	for ((try = 0; try < 600; try++)); do
		bpf_objects > "$TMP/now"
		bpf_held | sort -u > "$TMP/held"
		comm -23 "$TMP/now" "$TMP/before" | comm -23 - "$TMP/held" > "$TMP/left"
		[ -s "$TMP/left" ] || return 0
		sleep 0.1
	done
	cat "$TMP/left"
	return 1
}

# One recording, ended after a random time up to 300 ms by a random signal. Its process id goes to $TMP/pids.
start_and_kill() {
	local -n args=ways_$((RANDOM % ways))
	local signals=(KILL KILL TERM INT) ms=$((RANDOM % 300)) out="$TMP/out.$1" signal pid status=0
	signal=${signals[RANDOM % 4]}
	setsid env --default-signal=INT mp-record -q -o "$out" "${args[@]}" > /dev/null 2> "$TMP/err.$1" 3>&- &
	pid=$!
	echo $pid >> "$TMP/pids"
	# until execve() it ignores SIGINT, as the shell has set it; if the program cannot be run, it ends before that
	until [ ! -d "/proc/$pid" ] || [ "$(cat "/proc/$pid/comm")" = mp-record ]; do sleep 0.001; done
	sleep "$(printf '0.%03d' $ms)"
	kill "-$signal" $pid 2> /dev/null || true
	timeout 120 tail --pid=$pid -f /dev/null || kill -KILL $pid
	wait $pid 2> /dev/null || status=$?
	# it may have been stopped before it had a handler
	case $signal.$status in
	*.0 | *.1 | KILL.137 | TERM.143 | INT.130) ;;
	*) echo "SIG$signal after $ms ms: status $status: mp-record ${args[*]}"; cat "$TMP/err.$1"; return 1 ;;
	esac
	rm -f "$out" "$TMP/err.$1"
}

@test "100 recordings that are stopped or killed at random times leave no probe, BPF object, cgroup, file or process" {
	needs_root
	command -v bpftool > /dev/null || skip "no bpftool"
	start_mix
	cp "$LOAD/spin" "$TMP/spinning"
	ways_0=(-g none -e 'uprobe:libc:malloc(bytes=arg1:u64)')
	ways_1=(-p "$MIX_PID" -e 'uprobe:libc:malloc(bytes=arg1:u64)/bytes>100/' -e 'uretprobe:libc:free(r=retval:u64)')
	ways_2=(-e sched:sched_switch)
	ways_3=(cpusched disklat exec ipc)
	ways_4=(callstack pagefaults --exclude-pid "$MIX_PID" -F 999)
	ways_5=(mallocstacks -p "$MIX_PID")
	ways_6=(offcpu signals -g bpf)
	ways_7=(-e cpu-clock -- "$TMP/spinning" 0.4)
	ways_8=(--stat context-switches,mem:rss -i 10ms)
	ways_9=("breakpoint:$MIX_ADDRESS/4:w" -p "$MIX_PID")
	ways_10=(memleak -p "$MIX_PID")
	ways_11=(-e 'rawtp:sys_enter(id)/stack=none/,rawtp:sched_switch' -p "$MIX_PID")
	ways=12
	if [ -n "$CGROUPS" ] && mkdir "$CGROUPS/$GROUP" && echo "$MIX_PID" > "$CGROUPS/$GROUP/cgroup.procs"; then
		ways_12=(--cgroup "$GROUP" -e sched:sched_switch,cpu-clock,rawtp:sched_waking)
		ways=13
	fi
	RANDOM=${MP_SEED:=$$}
	echo "MP_SEED=$MP_SEED"
	bpf_objects > "$TMP/before"
	files=$(find "$TMP" -maxdepth 1 | wc -l)

	# four at once: each removes what killed recordings left, and nothing else
	for ((i = 0; i < 25; i++)); do
		others=()
		for name in b c d; do
			seed=$RANDOM
			(RANDOM=$seed; start_and_kill $name) > "$TMP/said.$name" &
			others+=($!)
		done
		start_and_kill a
		for other in "${others[@]}"; do
			wait "$other" || { cat "$TMP"/said.*; false; }
		done
	done

	# the next recording removes the probes of killed ones, unless a process of theirs that has not ended yet has them open
	for ((i = 0; i < 50; i++)); do
		mp-record -q -g none -e 'uprobe:libc:malloc(bytes=arg1:u64)' -d 10ms -o /dev/null || [ $? = 1 ]
		grep -F "$(sed 's,.*,mp_&/,' "$TMP/pids")" $TRACEFS/uprobe_events || break
		sleep 0.1
	done
	while read -r pid; do
		! grep "mp_$pid/" $TRACEFS/uprobe_events || false
		[ ! -e "$TRACEFS/events/mp_$pid" ]
		! grep -aqs "$TMP/out" "/proc/$pid/cmdline" || false	# another process may have its id by now
	done < "$TMP/pids"
	[ "$(wc -l < "$TMP/pids")" = 100 ]
	bpf_left
	# a command runs to its end without its recorder, until it has used its CPU time
	for ((i = 0; i < 600; i++)); do
		grep -qs "$TMP/spinning" /proc/[0-9]*/cmdline || break
		sleep 0.1
	done
	! grep -ls "$TMP/spinning" /proc/[0-9]*/cmdline || false
	rm -f "$TMP"/{pids,said.*,now,held,left}
	find "$TMP" -maxdepth 1
	[ "$(find "$TMP" -maxdepth 1 | wc -l)" = "$files" ]
	kill -KILL -- "-$LOAD_PID"
	remove_group
}
