#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Each question that the tools answer, as a pipeline: tests/pipelines.
# Runs beside a recording.

load lib

ask() {
	export BUILD
	status=0
	OUT="$TMP" tests/pipelines/"$1" > "$TMP/answer" 2> "$TMP/said" || status=$?
	[ "$status" != 77 ] || skip "$(sed -n 's/^skip: //p' "$TMP/answer")"
	[ "$status" = 0 ] || { cat "$TMP/answer" "$TMP/said"; false; }
}

@test "On which cores did a task run over time? A task that is pinned stays on one." {
	ask core-locality
}

@test "How long do disk requests take, and when? A distribution, and a heat map of the latency over time." {
	ask disk-latency
}

@test "How long are interrupts switched off? Sections between preemptirq:irq_disable and irq_enable of a CPU, where the" {
	ask irqs-off
}

@test "Why do virtual machines exit, and how long does each kind of exit take? A fixture: this kernel runs no guest." {
	ask kvm-exits
}

@test "Where does the data of loads come from, and how long does it take? A fixture: few virtual machines sample memory." {
	ask memory-latency
}

@test "Whose memory grew, and when? Stacked areas of anonymous memory by process, over time." {
	ask memory-by-process
}

@test "Who faults, and where? A table by process, and the stacks." {
	ask page-faults
}

@test "How long do tasks wait for a CPU? Two that want the same CPU wait for each other." {
	ask run-queue
}

@test "How long do deferred interrupts run, by kind?" {
	ask softirq-latency
}

@test "Who ran on which core, for how long, the idle tasks included? A table of task x core, and its heat map." {
	ask switches-by-core
}

@test "How long do system calls take, by process and call?" {
	ask syscall-latency
}

@test "Which TCP connections were made, and how long did it take to establish them?" {
	ask tcp-connections
}

@test "What changed between two recordings? A top-N that diff(1) can compare: same input, same bytes." {
	ask top-n
}

@test "Who wakes whom? A table of waker x woken, and its heat map." {
	ask who-wakes-whom
}
