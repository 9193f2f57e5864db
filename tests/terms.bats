#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Each modifier, filter, term and target is honoured by each kind of event, or refused with status 2 and a reason.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

setup() {
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/mp-test.XXXXXX")
	needs_root
}

# Why an event is refused; "-": it is not.
declare -gA REASONS=(
	[filter]='*: it takes no filter (*'
	[fields]='*: the kernel does not accept the filter *|*the filter?s ?nonsense? is not one of its fields*'
	[space]='*: it takes no modifier u or k (*'
	[host]='*: it takes no modifier H (hardware events do)'
	[guest]='*: it takes no modifier G (stat: of a hardware event does)'
	[precise]='*: it takes no modifier p or P (*'
	[rate]='*: it takes no period= or freq= (*'
	[stack]='*: it has no stack'
	[method]='*: its user stacks are unwound by bpf only'
	[interval]='*: interval= is only for stat:\* and mem:\*'
	[top]='*: top= is only for mem:\*'
	[memory]='*only hardware events that are sampled report accesses to memory|*: only hardware events report accesses to memory'
	[when]='* for sampled events*'
	[agg]='*: sum=, ask=, got=, freed= and --sum are for samples*'
	[count]='*: it cannot be counted *'
	[kind]="mp-record: *: '*' after '*' has other letters than r, w and x|mp-record: no event *|mp-record: *no such term*"
	[trace]='*a tracepoint is not aggregated in the kernel*'
	[uprobe]='*only uprobes and sampled events are aggregated*'
	[argument]='*an aggregated probe takes neither arguments nor a filter'
	[every]='*an aggregated probe takes every=N*'
	[stat]='*stat: counts, and does not aggregate by stack'
)

matches() {
	local IFS='|' pattern
	for pattern in ${REASONS[$2]}; do
		# shellcheck disable=SC2053
		[[ $1 != $pattern ]] || return 0
	done
	false
}

# try WANTED ARGUMENT...: records true.
try() {
	local status=0
	mp-record -q -o "$TMP/s" "${@:2}" -- true 2> "$TMP/err" || status=$?
	if [ "$1" = - ]; then
		[ "$status" -le 1 ]
	else
		[ "$status" = 2 ] && matches "$(head -n 1 "$TMP/err")" "$1"
	fi || {
		echo "$*: status $status, $(cat "$TMP/err")"
		false
	}
}

@test "each kind of event honours or refuses each modifier, filter and term" {
	local event filter u p rate stack method interval top memory when agg count event i
	local parts=(filter //u //p period=7 stack=user stack=fp interval=1s top=3 memory running=1- sum=count)
	while read -r event filter u p rate stack method interval top memory when agg count; do
		local wanted=("$filter" "$u" "$p" "$rate" "$stack" "$method" "$interval" "$top" "$memory" "$when" "$agg")
		for i in "${!parts[@]}"; do
			case ${parts[i]} in
			filter) try "${wanted[i]}" -e "$event/nonsense==1/" ;;
			//*) try "${wanted[i]}" -e "$event${parts[i]}" ;;
			*) try "${wanted[i]}" -e "$event/${parts[i]}/" ;;
			esac
		done
		try "$count" -e "stat:$event"
	done <<- 'E'
		sched:sched_switch         fields space precise -    -     -      interval top memory when trace  -
		cpu-clock                  kind   -     precise -    -     -      interval top memory -    -      -
		page-faults                kind   -     precise -    -     -      interval top memory when  -      -
		timer:100                  filter -     precise rate -     -      interval top memory when agg    count
		task:exec                  filter space precise rate stack stack  interval top memory when agg    count
		mem:rss                    filter space precise rate stack stack  -        -   memory when agg    -
		mem:0x1000:w               filter space precise -    -     -      interval top memory when uprobe -
		rawtp:sched_switch         fields space precise rate -     -      interval top memory when agg    count
		uprobe:libc:malloc         fields space precise -    -     -      interval top memory when -      -
		uprobe:libc:free(p=arg1:x64) fields space precise -  -     -      interval top memory when argument -
		sum:blocked                filter space precise rate -     method interval top memory when agg    count
	E
	try every -e uprobe:libc:malloc/sum=count,period=3/
	try method -e cpu-clock/sum=count,stack=user:fp/
	try - -e cpu-clock/sum=count,stack=user:bpf/
	for event in 'period=3|rate' 'stack=user|stack' 'stack=fp|stack' 'running=1-|when' 'sum=count|stat' 'top=3|top' 'interval=1s|-'; do
		try "${event#*|}" -e "stat:page-faults/${event%|*}/"
	done
	try precise --stat page-faults:P
	try host -e page-faults:H
	try guest --stat page-faults:G
	try host --stat sched:sched_switch:HG
	try - --stat page-faults:u
	run mp-record -e 'sum:blocked/nonsense=1/' -- true
	[ "$status" = 2 ] && [[ $output == *"sum:blocked: unknown term 'nonsense' of a named aggregate"* ]] || false
	run mp-record -e cpu-clock:h -- true
	[ "$status" = 2 ] && [[ $output == *"unknown modifier 'h' after 'cpu-clock'"* ]] || false
}

@test "options that apply to none of the events are refused" {
	refused() {
		run mp-record -q -o "$TMP/s" "${@:2}" -- true
		[ "$status" = 2 ] && [[ $output == "mp-record: $1"* ]] || { echo "${@:2}: $status $output"; false; }
	}
	refused '--freq is only for clocks' -F 99 -e sched:sched_switch
	refused '--freq is only for clocks' -F 99 -e stat:page-faults,timer:10
	refused '--period is only for clocks' -c 5 -e task:exec,timer:10,rawtp:sched_switch
	refused '--period is only for clocks' -c 5 -e uprobe:libc:malloc/sum=count/
	refused '--interval is only for' -i 1s -e sched:sched_switch
	refused 'task:exec: sum=, ask=, got=, freed= and --sum are for' --sum -e task:exec,cpu-clock
	refused 'mem:rss: sum=, ask=, got=, freed= and --sum are for' --sum -e mem:rss
	try - -F 99 -e sched:sched_switch,cpu-clock
	try - --sum -e sum:blocked
}

# A load of another process on CPU 0: none of it is in a recording of another target.
@test "each kind of event honours or refuses each target" {
	local cgroup='' mount event cpu cgroups target
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -z "$mount" ] || { cgroup=mp-test-$$; mkdir "$mount/$cgroup" 2> /dev/null || cgroup=; }
	cp "$LOAD/mix" "$TMP/mp-load"
	head -c 64K /dev/zero > "$TMP/mix.file"
	start_load sh -c 'exec taskset -c 0 "$@" > "$0"' "$TMP/mix.out" "$TMP/mp-load" "$TMP/mix.file" 0 500
	start_load sleep 600
	local sleeper=$LOAD_PID
	until [ -s "$TMP/mix.out" ]; do await; done
	read -r _ address < "$TMP/mix.out"
	while read -r event cpu cgroups; do
		for target in "cpu|-C 1" "cgroups|--cgroup $cgroup" "-|-p $sleeper" "-|-t $sleeper"; do
			case $target in
			cpu*) [ "$CPUS" -gt 1 ] || continue; wanted=$cpu ;;
			cgroups*) [ -n "$cgroup" ] || continue; wanted=$cgroups ;;
			*) wanted=$event; [[ $event == *if=* ]] && wanted=refused || wanted=- ;;
			esac
			status=0
			mp-record -q -e "$event" ${target#*|} -d 30ms -o "$TMP/s" 2> "$TMP/err" || status=$?
			echo "$event ${target#*|}: $status $(cat "$TMP/err")"
			if [ "$wanted" = refused ]; then
				[ "$status" = 2 ] && grep -qE ': (memory does not belong|in-kernel aggregation is for|if= compares)' "$TMP/err"
				continue
			fi
			[ "$status" -le 1 ]
			! grep -aE '[^p]comm=mp-load|^[0-9]+#mp-load' "$TMP/s" || false
		done
	done <<- E
		sched:sched_switch            - -
		rawtp:sched_switch            - -
		cpu-clock/freq=5000/          - -
		cpu-clock/running=1-/         - -
		page-faults                   - -
		timer:5000                    - -
		timer:99/if=page-faults>0/    - refused
		task:fork                     - -
		uprobe:libc:malloc            - -
		uprobe:libc:malloc(n=arg1:u64) - -
		mem:$address/4:w              - -
		stat:page-faults              - -
		mem:rss                       refused -
		sum:blocked                   refused refused
		sum:kmalloc                   refused refused
		uprobe:libc:malloc/sum=count/ refused refused
		cpu-clock/sum=count/          - -
	E
	[ -z "$cgroup" ] || remove_cgroup "$mount/$cgroup"
	run mp-record --stat page-faults -C 0 -o "$TMP/s" -- true
	[ "$status" = 2 ] && [[ $output == *"stat:page-faults: tasks are counted on all CPUs: -C not with"* ]] || false
	run mp-record --stat page-faults --exclude-pid "$sleeper" -d 10ms -o "$TMP/s"
	[ "$status" = 2 ] && [[ $output == *"stat:page-faults: counters cannot exclude processes: not with --exclude-pid"* ]] || false
}

@test "a counter or polled value that is given twice is read at the shorter interval" {
	mp-record -q -e mem:rss/interval=10s/,mem:rss/interval=1ms/ -e stat:page-faults,stat:page-faults/interval=1ms/ \
		-o "$TMP/s" -- "$LOAD/spin" 1 > "$TMP/out"
	for type in mem:rss stat:page-faults; do
		[ "$(grep -c "^[0-9]*,$type," "$TMP/s")" -ge 5 ]
	done
}

@test "the trailer of an aggregate has the status of the command" {
	mp-record -q -e sum:blocked -o "$TMP/s" -- sh -c 'sleep 0.01; exit 7' || [ $? = 1 ]
	[ "$(trailer "$TMP/s" status)" = 7 ]
	[ "$(tail -n 1 "$TMP/s" | jq -r .end)" = stack ]
	mp-record -q -e cpu-clock -F 999 --sum -o "$TMP/s" -- sh -c 'exit 3' || [ $? = 1 ]
	[ "$(trailer "$TMP/s" status)" = 3 ]
}
