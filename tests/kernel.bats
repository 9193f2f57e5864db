#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Recordings on Debian's own kernel in QEMU (tests/vm/run), which has kprobes and permits programs on its functions, as the
# machine of the tests may not. tests/vm/record makes the recordings, whose contents are known: dd reads 17
# times 7 bytes of a file.
# Takes more than a minute.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

R="$BATS_FILE_TMPDIR/results"
: "${VM_KERNEL:=build/vm}"

setup_file() {
	[ "$(uname -m)" = x86_64 ] && [ -e "$VM_KERNEL/complete" ] || return 0
	tests/vm/run "$VM_KERNEL" "$R" tests/vm/record "$BUILD/bin/mp-record" "$LOAD/block" "$LOAD/spin" || true
}

needs_vm() {
	[ "$(uname -m)" = x86_64 ] || skip "the kernel is for x86-64"
	[ -e "$VM_KERNEL/complete" ] || skip "$(cat "$VM_KERNEL/missing" 2> /dev/null || echo "make check gets the kernel")"
	[ -s "$R/done" ] || { tail -n 40 "$R.log"; false; }
}

# Lines of a type in a recording.
lines() {
	grep "^[0-9]*,$1" "$R/$2"
}

count() {
	lines "$1" "$2" | wc -l
}

# A recording is complete: nothing is lost, events are in order, and the counts add up.
is_whole() {
	mp-order --check "$R/$1" > /dev/null
	[ "$(trailer "$R/$1" lost)" = 0 ]
	[ "$(trailer "$R/$1" fired)" = "$(grep -c '^[0-9]' "$R/$1")" ]
}

@test "fentry records each call, with what its arguments point to" {
	needs_vm
	is_whole fentry
	local inode
	inode=$(cat "$R/inode")
	[ "$(lines fentry:vfs_read fentry | grep -c "	.count=7	.inode=$inode	.name=script	")" = 17 ]
	jq -e '.events["fentry:vfs_read"] == { ".count": "u64", ".inode": "u64", ".name": "str" }' <(head -n 1 "$R/fentry") > /dev/null
	# the function is the leaf, not the program or the trampoline to it
	[ "$(lines fentry:vfs_read fentry | grep -vc ';do_syscall_64_\[k\];.*;vfs_read_\[k\]$')" = 0 ]
}

@test "fexit records the return value" {
	needs_vm
	is_whole fexit
	[ "$(lines fexit:vfs_read fexit | grep -c '	.count=7	.pos=0x[0-9a-f]*	.retval=7	stack=')" = 17 ]
	[ "$(lines fexit:vfs_read fexit | grep -vc ';vfs_read_\[k\]$')" = 0 ]
}

@test "fentry, fexit, kprobe and kretprobe of a function agree in count, order and result" {
	needs_vm
	is_whole both
	[ "$(count fentry: both)" -ge 18 ]
	lines '' both | sed 's/^[0-9]*,\([a-z]*\):.*/\1/' | paste -d ' ' - - - - | sort -u > "$TMP/orders"
	# both probes are at the beginning of the function and run in the order in which they were placed
	[ "$(wc -l < "$TMP/orders")" = 1 ] && grep -qE '^(fentry kprobe|kprobe fentry) (fexit kretprobe|kretprobe fexit)$' "$TMP/orders" || { cat "$TMP/orders"; false; }
	cmp <(lines fexit both | grep -o 'retval=.*') <(lines kretprobe both | grep -o 'ret=.*' | sed 's/^/retval=/; s/=ret=/=/')
}

@test "fexit with a filter records the whole system" {
	needs_vm
	is_whole filter
	[ "$(count fexit:vfs_read filter)" = 17 ]
}

@test "kprobe records an argument, applies a filter, and leaves no probe" {
	needs_vm
	is_whole kprobe
	[ "$(count kprobe:vfs_read kprobe)" = 17 ]
	[ "$(lines kprobe:vfs_read kprobe | grep -c '	.count=7	')" = 17 ]
	[ ! -s "$R/probes" ]
	# after kill -9 the next recording removes what the killed one left
	[ "$(tr '\n' ' ' < "$R/left")" = "1 0 " ]
}

@test "fentry of a process records it and its children, and no others" {
	needs_vm
	[ "$(lines fentry:vfs_read process | grep -c 'comm=dd	.count=7$')" = 17 ]
	[ "$(count fentry: another)" = 0 ]
}

@test "functions of modules are listed and recorded" {
	needs_vm
	grep -qx '  fentry:lo_ioctl' "$R/module-list"
	grep -q '^      .cmd  *u32 ' "$R/module-list"
	[ "$(count fentry:lo_ioctl module)" -ge 1 ]
	[ "$(lines fentry:lo_ioctl module | grep -vc 'comm=losetup.*;lo_ioctl_\[k\]$')" = 0 ]
}

@test "samples have complete stacks, and blocked time is aggregated" {
	needs_vm
	is_whole callstack
	local n
	n=$(grep -c '^[0-9]*,.*stack=_start;__libc_start_main.*;main;spin_caller;spin_here' "$R/callstack") || true
	# a second of CPU time has 99
	[ "$n" -ge 90 ] || { echo "$n of $(trailer "$R/callstack" records)"; cut -c 1-200 "$R/callstack" | tail -n 20; false; }
	[ "$(trailer "$R/callstack" 'unwound | (.cfi // .bpf) | .stacks - .whole <= 1 + .stacks / 100')" = true ]
	is_whole bpf
	[ "$(trailer "$R/bpf" 'unwound.bpf | .whole >= 100 and .whole / .stacks >= 0.99')" = true ] || { tail -n 1 "$R/bpf"; false; }
	# the kernel counts from and to other moments than the aggregate
	local ns slept blocked
	ns=$(awk -F '#' '/;main;blocked_here;sleep_ms;/ { n += $1 } END { printf "%.0f", n }' "$R/offcpu")
	read -r slept blocked < "$R/slept"
	[ "$blocked" -gt 0 ] && [ "$ns" -ge $((blocked / 100 * 99)) ] && [ "$ns" -le "$slept" ] || { echo "$ns of $blocked blocked, $slept"; cut -c 1-200 "$R/offcpu"; false; }
}

@test "each collector starts on this kernel or reports which hardware it lacks" {
	needs_vm
	[ "$(wc -l < "$R/collectors")" -ge 25 ]
	[ "$(< "$R/status")" -le 1 ]
	sed -nE "s/^mp-record: collector '(.*)' cannot start: .*(hardware counter|no event .cpu.|none of its events).*/\1/p" "$R/said" > "$TMP/refused"
	sed -n 's/^mp-record: recording the remaining collectors: //p' "$R/said" | tr ' ' '\n' > "$TMP/started"
	sort "$TMP/refused" "$TMP/started" | diff "$R/collectors" - || { cat "$R/said"; false; }
	[ "$(wc -l < "$TMP/started")" -ge 20 ]
}

@test "a probe on a program records it, with a warning that children may lose it, which a kprobe has not" {
	needs_vm
	is_whole uprobe
	[ "$(count uprobe:spin:main uprobe)" = 1 ]
	[ "$(grep -c '^mp-record: this kernel may lose hits of user-space probes' "$R/swaps")" = 1 ] || { cat "$R/swaps"; false; }
}
