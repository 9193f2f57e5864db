#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What mp-record can do without root: each capability of mp-tools(7) as one of the file, for a user without privileges.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

ANY=64123 GROUP=64124

setup() {
	make_tmp
	needs_root
	mkdir -p "$TMP/bin" "$TMP/share/mp"
	cp -r "$BUILD/share/mp/collectors" "$TMP/share/mp"
	install -m 755 "$BUILD/bin/mp-record" "$(command -v cat)" "$TMP/bin"
	chmod 755 "$TMP"
	as_user() { setpriv --reuid=$ANY --regid=$ANY --clear-groups "$@"; }
	setcap cap_perfmon,cap_bpf,cap_ipc_lock,cap_syslog,cap_sys_ptrace,cap_dac_read_search=ep "$TMP/bin/cat" &&
		as_user "$TMP/bin/cat" /proc/self/status > "$TMP/status" || skip "file capabilities cannot be set here"
	! grep -q '^CapEff:	0*$' "$TMP/status" || skip "file capabilities have no effect below $TMP"
	start_load "$LOAD/getppid" 0
}

# Gives the copy of mp-record these capabilities, and no others.
permit() {
	setcap "$1=ep" "$TMP/bin/mp-record"
}

# Records as a user without privileges, with exit status 0 or 1, to $TMP/s.
record() {
	as_user "$TMP/bin/mp-record" -q "$@" > "$TMP/s" 2> "$TMP/err" || [ $? = 1 ] || { cat "$TMP/err"; return 1; }
}

# A recording that is refused.
refused() {
	local status=0
	as_user "$TMP/bin/mp-record" -q "$@" > "$TMP/s" 2> "$TMP/err" || status=$?
	[ "$status" = 2 ] && [ "$(grep -c '^[0-9]' "$TMP/s")" = 0 ]
}

# Frames of the kernel in $TMP/s that have names, and that have none.
kernel_frames() {
	grep -o '[^;=]*_\[k\]' "$TMP/s" | awk '/^\[kernel\]\+0x/ { n++ } END { print NR - n, n + 0 }'
}

@test "cap_perfmon records other users and the whole system, cap_syslog adds the names of kernel functions" {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 1 ] || refused -a -e cpu-clock -d 10ms
	permit cap_perfmon
	record -e cpu-clock -F 199 -g none -p "$LOAD_PID" -n 5
	[ "$(grep -c '^[0-9]' "$TMP/s")" -ge 5 ]
	record -a -e context-switches -g kernel -n 20
	read -r named unnamed <<< "$(kernel_frames)"
	[ "$named" = 0 ] || [ "$(cat /proc/sys/kernel/kptr_restrict)" = 0 ]
	permit cap_perfmon,cap_syslog
	record -a -e context-switches -g kernel -n 20
	read -r named unnamed <<< "$(kernel_frames)"
	[ "$named" -ge 20 ] && [ "$named" -gt "$unnamed" ]
}

@test "cap_dac_read_search adds tracepoints, cap_bpf complete user stacks and in-kernel aggregation" {
	permit cap_perfmon
	as_user test -r /sys/kernel/tracing/events || refused -e sched:sched_switch -d 10ms
	refused offcpu -d 10ms
	permit cap_perfmon,cap_ipc_lock,cap_dac_read_search
	record -e raw_syscalls:sys_enter -g none -p "$LOAD_PID" -n 20
	[ "$(grep -c '^[0-9].*raw_syscalls:sys_enter' "$TMP/s")" -ge 20 ]
	permit cap_perfmon,cap_ipc_lock,cap_dac_read_search,cap_bpf
	record -e raw_syscalls:sys_enter -g user -p "$LOAD_PID" -n 20
	[ "$(grep -c '^[0-9].*stack=.*;main;.*call' "$TMP/s")" -ge 10 ]
	[ "$(trailer "$TMP/s" unwound.bpf.stacks)" -ge 10 ]
	record offcpu -- /bin/sleep 0.1
	grep -q '^[0-9]*#' "$TMP/s"
}

@test "cap_sys_ptrace is the right to read other users' processes" {
	permit cap_ipc_lock
	refused -e mem:pss -p "$LOAD_PID" -n 1
	permit cap_sys_ptrace
	record -e mem:pss -p "$LOAD_PID" -n 1
	grep '^[0-9]' "$TMP/s"
}

@test "what mp-record starts has none of its capabilities, and only its group may start it" {
	permit cap_perfmon,cap_bpf,cap_dac_read_search,cap_sys_ptrace
	as_user "$TMP/bin/mp-record" -q -e page-faults -o /dev/null -- /bin/cat /proc/self/status > "$TMP/status" 2> "$TMP/err"
	[ "$(grep -cE '^Cap(Inh|Prm|Eff|Amb):	0+$' "$TMP/status")" = 4 ] || { cat "$TMP/status" "$TMP/err"; false; }
	chgrp $GROUP "$TMP/bin/mp-record"
	chmod 750 "$TMP/bin/mp-record"
	permit cap_perfmon
	# by a shell: setpriv itself still has the right to start everything
	run as_user sh -c '"$0" --version' "$TMP/bin/mp-record"
	[ "$status" = 126 ]
	setpriv --reuid=$ANY --regid=$ANY --groups=$GROUP "$TMP/bin/mp-record" -q -a -e cpu-clock -g none -n 3 > "$TMP/s" 2> "$TMP/err" || [ $? = 1 ]
	[ "$(grep -c '^[0-9]' "$TMP/s")" -ge 3 ]
}

@test "without root the sandbox lacks a uid of its own, and nothing else" {
	as_user unshare -U true || skip "users cannot make user namespaces"
	permit cap_perfmon,cap_bpf,cap_ipc_lock,cap_syslog,cap_sys_ptrace,cap_dac_read_search
	record -a -e cpu-clock -g none -n 1
	[ "$(head -n 1 "$TMP/s" | jq -c .sandbox_missing)" = '["uid of its own"]' ]
	refused --sandbox=require -a -e cpu-clock -n 1
}
