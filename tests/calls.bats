#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Texts of system calls: paths, names and arguments of programs instead of pointers.

bats_require_minimum_version 1.5.0
load lib

OPENAT=syscalls:sys_enter_openat

# Records the load to $TMP/s: each of its calls is in the account.
record() {
	mp-record -q -o "$TMP/s" "$@" 2> "$TMP/err" || { cat "$TMP/err"; [ $? = 1 ]; }
	mp-order --check "$TMP/s" > /dev/null
	[ "$(trailer "$TMP/s" 'fired - .records - .lost - .excluded')" = 0 ]
}

# How many events have this value of .filename.
named() {
	grep -cF "	.filename=$1	" "$TMP/s" || true
}

needs_bpf() {
	needs_root
	mp-record -q -g none -e $OPENAT -o "$TMP/try" -- "$LOAD/paths" 1
	grep -qF '.filename=/nowhere/in-memory' "$TMP/try" || skip "no BPF programs here"
}

@test "openat has its path, escaped, truncated at 1023 bytes, or else the pointer" {
	needs_bpf
	record -m 16M -g none -e $OPENAT -- "$LOAD/paths" 101
	[ "$(trailer "$TMP/s" lost)" = 0 ] || skip "events were lost"
	# the kernel may reclaim the page of a text at any time: most texts that were not in memory are read again when the call returns;
	# none is lost
	texts=0
	for text in /nowhere/in-memory '/nowhere/a\tb\nc\\d' "$(printf 'a%.0s' {1..1020})..." /nowhere/not-in-memory; do
		n=$(named "$text")
		echo "$n ${text:0:40}"
		[ "$n" -gt 50 ]
		texts=$((texts + n))
	done
	pointers=$(grep -c "comm=paths.*	.filename=0x[0-9a-f]\{3,\}	" "$TMP/s" || true)
	others=$(grep 'comm=paths.*	.filename=/' "$TMP/s" | grep -vc '	.filename=/nowhere' || true)	# those of the dynamic linker
	[ $((texts + pointers + others + 2 * 101)) = "$(grep -c '	comm=paths	' "$TMP/s")" ]
	[ $((texts + pointers)) -ge 404 ]
	[ "$(named 0x8)" = 101 ]
	[ "$(grep -c "comm=paths	.__syscall_nr=257	.dfd=0x[0-9a-f]*	.flags=" "$TMP/s")" = 101 ]	# NULL
	[ "$(trailer "$TMP/s" pointers)" = "$(grep -c '	.filename=0x' "$TMP/s")" ]
	[ "$(head -n 1 "$TMP/s" | jq -r ".events[\"$OPENAT\"][\".filename\"]")" = str ]
	[ "$(mp-hist --count .filename "$TMP/s" | grep -c '/nowhere/in-memory')" = 1 ]
}

@test "a text that was not in memory when the call began is read when it returns, and is counted once" {
	needs_bpf
	record -m 16M -g none -e "$OPENAT/flags==0/" -- "$LOAD/paths" 211
	[ "$(trailer "$TMP/s" 'excluded')" -gt 100 ]
	[ "$(grep -c 'comm=paths' "$TMP/s")" = $((5 * 211)) ]
	mp-record -g none -e $OPENAT -o "$TMP/s" -- "$LOAD/paths" 1 2> "$TMP/err"
	grep -qE '^mp-record: [0-9]+ texts? of (a )?system calls? (was|were) not in memory' "$TMP/err"
}

@test "two paths, and the arguments of a program" {
	needs_bpf
	record -m 16M -g none -e syscalls:sys_enter_rename,syscalls:sys_enter_execve,syscalls:sys_enter_write -- "$LOAD/paths" 7
	[ "$(grep -c "	.oldname=/nowhere/old	.newname=/nowhere/new$" "$TMP/s")" = 7 ]
	[ "$(grep -c "	.filename=/bin/true	.argv=/bin/true one two words 	.envp=0x[0-9a-f]*$" "$TMP/s")" = 1 ]
	[ "$(grep -c 'sys_enter_write,.*comm=paths.*	.buf=0x' "$TMP/s")" = 7 ]	# a buffer is not a text
}

@test "texts that are not constant: mount and umount, but no buffer" {
	needs_bpf
	record -m 16M -g none -e 'syscalls:sys_enter_mount,syscalls:sys_enter_umount,syscalls:sys_enter_sethostname,syscalls:sys_enter_readlink' \
		-- "$LOAD/paths" 7
	[ "$(grep -c '	.dev_name=/nowhere/device	.dir_name=/nowhere/place	.type=nofs	.flags=0x0	.data=0x0$' "$TMP/s")" = 7 ]
	[ "$(grep -c 'sys_enter_umount,.*	.name=/nowhere/place	' "$TMP/s")" = 7 ]
	[ "$(grep -c 'sys_enter_sethostname,.*	.name=0x[0-9a-f]*	' "$TMP/s")" = 7 ]
	[ "$(grep -c 'comm=paths.*	.path=/nowhere/link	.buf=0x[0-9a-f]*	' "$TMP/s")" = 7 ]
}

@test "a filter compares the path; one that BPF cannot apply keeps the tracepoint" {
	needs_bpf
	record -g none -e "$OPENAT/filename==\"/nowhere/in-memory\"/" -- "$LOAD/paths" 13
	# the first time the text may not be in memory yet
	[ "$(named /nowhere/in-memory)" -ge 12 ] && [ "$(named /nowhere/in-memory)" = "$(trailer "$TMP/s" fired)" ]
	record -g none -e "$OPENAT/filename~\"/nowhere/in-*\" && mode!=7/" -- "$LOAD/paths" 13
	[ "$(grep -c '	.filename=0x' "$TMP/s")" -ge 12 ] && [ "$(grep -c '	.filename=/' "$TMP/s")" = 0 ]
}

@test "processes, threads and stacks are those of the tracepoint" {
	needs_bpf
	start_load bash -c "while :; do '$LOAD/paths' 3; done"
	record -e $OPENAT -p "$LOAD_PID" -n 500
	[ "$(grep -c 'comm=paths	' "$TMP/s")" -gt 10 ]
	run ! grep -vE '^\{|comm=(paths|bash|true|:[0-9]+)	' "$TMP/s"
	record -m 16M -e "$OPENAT/stack=user/" -- "$LOAD/paths" 5
	[ "$(grep -c '	.filename=/nowhere/in-memory	.*stack=.*main;syscall' "$TMP/s")" = 5 ]
}
