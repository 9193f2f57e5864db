#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Memory accesses with address, latency and source. Where the processor does not sample them, a description of a PMU
# that leads to cpu-clock shows that the kernel's records are parsed; what their bits mean is tested by
# tests/unit/capture/format/format.c.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# Runs a command where /sys/bus/event_source/devices describes PMUs of Intel and AMD, with type 1, software.
with_pmus() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare -m true 2> /dev/null || skip "no mount namespaces"
	cat > "$TMP/pmus" <<- 'X'
		set -e
		d=/sys/bus/event_source/devices
		mount -t tmpfs none $d
		mkdir -p $d/cpu/format $d/cpu/events $d/ibs_op/format
		echo 1 > $d/cpu/type
		echo 1 > $d/ibs_op/type
		echo config:0-7 > $d/cpu/format/event
		echo config1:0-15 > $d/cpu/format/ldlat
		echo event=0x00,ldlat=3 > $d/cpu/events/mem-loads
		echo event=0x00 > $d/cpu/events/mem-stores
		exec "$@"
	X
	unshare -m sh "$TMP/pmus" "$@"
}

@test "memory accesses are recorded with and without a stack, a cgroup and fields" {
	needs_root
	with_pmus mp-record -q -F 499 -e cpu/mem-loads,ldlat=30/P -o "$TMP/s" -- "$LOAD/spin" 0.3
	mp-order --check "$TMP/s"
	[ "$(head -n 1 "$TMP/s" | jq -r .units.latency)" = cycles ]
	[ "$(grep -cE ',cpu/mem-loads\\x2cldlat=30/,cpu=[0-9]+	pid=[0-9]+	tid=[0-9]+	comm=spin	period=[0-9]+	addr=0x0	stack=.*;main;spin_caller;spin_here$' "$TMP/s")" -gt 20 ]
	with_pmus mp-record -q -F 499 -g none --fields addr,latency,op,level,snoop,tlb,lock -e 'ibs_op//' -o "$TMP/s" -- "$LOAD/spin" 0.2
	[ "$(grep -cE '^[0-9]+,ibs_op//,addr=0x0$' "$TMP/s")" -gt 10 ]
	[ "$(trailer "$TMP/s" lost)" = 0 ]
}

@test "the record of an access in a cgroup has the cgroup after the access" {
	needs_root
	cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$cgroups" ] || skip "no cgroup2"
	mkdir "$cgroups/mp-memory-$$" || skip "no cgroup can be made here"
	status=0
	with_pmus sh -c "echo \$\$ > $cgroups/mp-memory-$$/cgroup.procs
		mp-record -q -F 499 --cgroup mp-memory-$$ -e cpu/mem-stores/P -o '$TMP/s' -- '$LOAD/spin' 0.3" || status=$?
	remove_cgroup "$cgroups/mp-memory-$$"
	[ "$status" -le 1 ]
	[ "$(grep -cE "comm=spin	period=[0-9]+	addr=0x0	cgroup=/mp-memory-$$	stack=.*;main;spin_caller;spin_here$" "$TMP/s")" -gt 20 ]
}

@test "memevents chooses the events that the processor has, and ldlat takes its argument" {
	needs_root
	with_pmus mp-record -q memevents ldlat:200 -g none -o "$TMP/s" -- "$LOAD/spin" 0.1 || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -c '.events | keys')" = '["cpu/mem-loads\\x2cldlat=200/","cpu/mem-loads\\x2cldlat=3/","cpu/mem-stores/","ibs_op//"]' ]
	run with_pmus mp-record -q -e cpu/mem-loads,ldlat=9/,cpu/mem-loads,ldlat=9/memory,need-resched/ -d 10ms
	[ "$status" = 2 ] && [[ "$output" == *"given twice, with different conditions"* ]] || false
	run with_pmus mp-record -q -e cpu/mem-loads,ldlat=65536/ -d 10ms
	[ "$status" = 2 ] && [[ "$output" == *"cpu/ldlat=65536/: no such term or event, or its value is too large"* ]] || false
}

@test "recorded loads have an address and a latency where the processor samples them" {
	needs_root
	mp-record -q -e cpu/mem-loads,ldlat=3/P -d 10ms -o /dev/null 2> "$TMP/why" || [ $? = 1 ] ||
		skip "no sampling of loads here: $(head -n 1 "$TMP/why")"
	mp-record -q -F 999 -e cpu/mem-loads,ldlat=3/P -o "$TMP/s" -- "$LOAD/spin" 1
	[ "$(grep -cE '	addr=0x[1-9a-f][0-9a-f]*	latency=[0-9]+	op=load	level=' "$TMP/s")" -gt 10 ]
}
