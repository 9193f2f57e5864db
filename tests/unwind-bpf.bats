#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# User stacks that a BPF program takes where they are: complete, the same as those by copies, and those of their own events.

bats_require_minimum_version 1.5.0
load lib
load stacks

@test "by BPF, too, stacks are complete with tables in .debug_frame alone, between those of a static C library" {
	bpf_works
	cat > "$TMP/x.c" <<-'X'
		#include <time.h>
		static volatile unsigned long n;
		__attribute__((noinline)) static void nap(void) { struct timespec t = { 0, 1000000 }; nanosleep(&t, 0); n++; }
		__attribute__((noinline)) static void down(int k) { volatile char pad[100]; pad[k] = 1; if (k) { down(k - 1); n += pad[k]; return; } nap(); n++; }
		int main(void) { for (int i = 0; i < 199; i++) down(5); return 0; }
	X
	for static in '' -static; do
		gcc -O1 -g $static -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions -o "$TMP/x" "$TMP/x.c"
		mp-record -q --realtime -g user -e sched:sched_switch -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
		whole 950 199 bpf # the first may lack where another recorder has the tracepoint
		fold_recording
		# other switches are involuntary
		[ "$(grep -E ';_start;__libc_start_main[^;]*;(__libc_start_call_main;)?main;(down;){6}nap;' "$TMP/f" | awk '{ n += $NF } END { print n + 0 }')" -ge 190 ]
	done
}

@test "the size of copies holds for those of user:bpf, too" {
	cat > "$TMP/x.c" <<-'X'
		#include <sys/syscall.h>
		#include <unistd.h>
		__attribute__((noinline)) static long deep(int k) { volatile char pad[1000]; pad[k] = 1; return (k ? deep(k - 1) : syscall(SYS_getsid, 0)) + pad[k]; }
		int main(void) { return deep(20) < 0; }
	X
	gcc -O1 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	for size in 1K 8K 60K; do
		# no tables, however long it waits for the CPU
		MP_BPF_ROWS=99 mp-record -q -e syscalls:sys_enter_getsid -g user:bpf --stack-size $size -o "$TMP/s" -- "$TMP/x"
		grep -o 'stack=.*' "$TMP/s" | tr ';' '\n' | grep -c '^deep$' || true
	done > "$TMP/frames"
	# a frame has a little more than 1,000 bytes
	[[ $(tr '\n' ' ' < "$TMP/frames") =~ ^[01]\ [78]\ 21\ $ ]] || { cat "$TMP/frames"; return 1; }
}

# Programs that switch often and whose stacks are known to be complete by cfi.
start_switchers() {
	cat > "$TMP/deep.pl" <<-'X'
		sub down { my ($n) = @_; return $n ? down($n - 1) + 1 : select(undef, undef, undef, 0.001) }
		while (1) { map { down($_) } 3, 7; my @s = sort { down(1); $a <=> $b } 1 .. 3 }
	X
	cat > "$TMP/x.c" <<-'X'
		#include <pthread.h>
		#include <string.h>
		#include <time.h>
		static volatile unsigned long n;
		static void nap(void) { struct timespec t = { 0, 1000000 }; nanosleep(&t, 0); }
		__attribute__((noinline)) static void down(int k) { volatile char pad[200]; pad[k] = 1; if (k) { down(k - 1); n += pad[k]; return; } nap(); n++; }
		static void *body(void *arg) { for (;;) { down(5); n++; } return arg; }
		int main(int c, char **v) { (void)v; double d[8] __attribute__((aligned(64))); d[c & 7] = c; pthread_t t; pthread_create(&t, 0, body, 0); for (;;) { down(9); n += (long)d[c & 7]; } }
	X
	gcc -O2 -fomit-frame-pointer -pthread -o "$TMP/switcher" "$TMP/x.c"
	start_load sh -c "perl '$TMP/deep.pl' & '$TMP/switcher' & /usr/bin/python3 -c 'import time
def down(n): return list(map(lambda k: down(n - 1), [1])) if n else time.sleep(0.001)
while True: down(6)' & wait"
	sleep 0.5
}

@test "a BPF program takes complete stacks of tracepoints, the same as cfi" {
	bpf_works
	start_switchers
	mp-record -q --realtime -e 'sched:sched_switch/stack=user:bpf/,sched:sched_stat_runtime/stack=user:cfi/' -m 64M -p "$LOAD_PID" -n 4000 -o "$TMP/s" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = cfi,bpf ]
	whole 980 300 bpf
	whole 990 300
	# both happen within one entry to the kernel, so the user stack is the same
	perl -ne '
		my ($time, $type, $rest) = /^(\d+),([^,]+),(.*)/ or next;
		my ($tid) = $rest =~ /\ttid=(\d+)/;
		my ($stack) = $rest =~ /\tstack=(.*)/ or next;
		$stack = join ";", grep { !/_\[k\]$/ } split /;/, $stack;
		if ($type =~ /runtime/) { $cfi{$tid} = [$time, $stack]; next }
		my $c = delete $cfi{$tid} or next;
		next if $time - $c->[0] > 1000000;	# one of them was lost
		$pairs++;
		$equal++ if $c->[1] eq $stack;
		$other{"$c->[1]\n  $stack"}++ if $c->[1] ne $stack;
		END { print "$pairs pairs, $equal equal\n"; print "$other{$_} $_\n" for (sort keys %other)[0 .. 2]; exit !($pairs > 200 && $equal >= $pairs * 0.98) }' "$TMP/s"
	fold_recording -e sched:sched_switch
	grep -qE '^switcher;(__)?clone3?[^;]*;start_thread;body;(down;){6}(nap;)?[a-z_]*nanosleep[; ]' "$TMP/f"
	grep -qE '^switcher;_start;.*main;(down;){10}(nap;)?[a-z_]*nanosleep[; ]' "$TMP/f"
}

@test "stacks by BPF cover programs that start, load libraries or fork during the recording" {
	bpf_works
	cat > "$TMP/lib.c" <<-'X'
		#include <time.h>
		void in_library(int k) { volatile char pad[300]; pad[k] = 1; struct timespec t = { 0, 2000000 }; if (k) in_library(k - 1); else nanosleep(&t, 0); pad[k] = 2; }
	X
	cat > "$TMP/m.c" <<-'X'
		#include <dlfcn.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile int n;
		__attribute__((noinline)) static void calls(void (*f)(int)) { for (int i = 0; i < 200; i++) f(4); n++; }
		int main(int c, char **v) { (void)c; void (*f)(int) = (void (*)(int))dlsym(dlopen(v[1], RTLD_NOW), "in_library");
			if (fork() == 0) { calls(f); _exit(0); } calls(f); wait(0); return 0; }
	X
	gcc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -fPIC -shared -o "$TMP/lib.so" "$TMP/lib.c"
	gcc -O2 -fomit-frame-pointer -o "$TMP/m" "$TMP/m.c"
	mp-record -q --realtime -e sched:sched_switch -o "$TMP/s" -- "$TMP/m" "$TMP/lib.so" || [ $? = 1 ]
	# of both programs, from their first event on
	late=$(late)
	grep -o 'tid=[0-9]*	.*;main;calls;in_library;in_library;in_library;in_library;in_library;' "$TMP/s" | cut -f 1 | sort | uniq -c > "$TMP/tasks"
	cat "$TMP/tasks"
	[ "$(awk -v late="$late" '$1 + late >= 200 { n++ } END { print n + 0 }' "$TMP/tasks")" = 2 ]
	[ "$(trailer "$TMP/s" 'unwound.bpf | .stacks > 300 and .whole + (.reasons.tables // 0) == .stacks and .whole * 100 > .stacks * 95')" = true ]
}

# A loop of a compiler and shells, each of which runs for a few ms.
start_briefs() {
	printf 'int add(int a, int b) { return a + b; }\n' > "$TMP/brief.c"
	cp "$(command -v bash)" "$TMP/brief-sh"
	cat > "$TMP/briefs" <<-X
		#!/bin/bash
		for i in {1..23}; do gcc -c -O1 -o "$TMP/brief.o" "$TMP/brief.c"; "$TMP/brief-sh" -c 'x=\$(echo hi | cat); (exit 3); true & wait'; done
	X
	chmod +x "$TMP/briefs"
}

@test "by BPF, 99 % of the stacks of processes that end before their tables exist are complete" {
	bpf_works
	start_briefs
	# Copies wait for the writer. Where it hardly runs, because other tasks or other virtual machines have the CPUs, they have no
	# place; then, too, no stack ends for another reason.
	for _ in 1 2 3; do
		mp-record --realtime -e sched:sched_switch -o "$TMP/s" -- "$TMP/briefs" 2> "$TMP/err" || [ $? = 1 ]
		cat "$TMP/err"
		! whole 990 200 bpf || break
	done
	whole 990 200 bpf || {
		[ "$(cut -d . -f 1 /proc/loadavg)" -ge $((4 * CPUS)) ] || whole 900 200 bpf
		whole 500 200 bpf
		tail -n 1 "$TMP/s" | jq -e '.unwound.bpf | (.whole + .reasons.tables + .reasons["stack-size"]) * 1000 >= .stacks * 990'
	}
	copies=$(trailer "$TMP/s" unwound.bpf.copies)
	[ "$copies" -gt 0 ]
	grep -q "user stacks by bpf, [0-9.]* % complete, $copies of them from copies" "$TMP/err"
	# a task without a stack is within execve or exiting
	perl -ne '/^\d+,sched:sched_switch,.*\tstack=(.*)/ or next; grep { !/_\[k\]$/ } split /;/, $1 or $1 =~ /exec|exit/ or die $_' "$TMP/s"
	fold_recording
	grep -qE '^cc1;_start;__libc_start_main[^;]*;(__libc_start_call_main;)?main;' "$TMP/f"
	grep -qE '^brief-sh;_start;__libc_start_main[^;]*;(__libc_start_call_main;)?main;' "$TMP/f"
	# the same with the whole system recorded, for our programs; what other programs do at the time may take the copies' place
	least=1000
	for _ in 1 2 3; do
		mp-record -q --realtime -a -e sched:sched_switch -o "$TMP/s" -- "$TMP/briefs" || [ $? = 1 ]
		n=$(grep -c "	comm=brief-sh	" "$TMP/s") cut=$(grep "	comm=brief-sh	" "$TMP/s" | grep -c 'stack=\[truncated\]' || true)
		echo "$n, $cut cut"
		[ "$n" -gt 100 ]
		permille=$(((cut * 1000 + n - 1) / n)) least=$((permille < least ? permille : least))
		[ "$least" -gt 10 ] || break
	done
	[ "$least" -le 50 ] || { tail -n 1 "$TMP/s"; false; }
}

@test "by BPF, the kernel's count of the time that the program takes is reported" {
	bpf_works
	start_briefs
	before=$(sysctl -n kernel.bpf_stats_enabled) || skip "no statistics of BPF programs"
	sysctl -q kernel.bpf_stats_enabled=1
	mp-record -v -e sched:sched_switch -o "$TMP/s" -- "$TMP/briefs" 2> "$TMP/err" || [ $? = 1 ]
	sysctl -q "kernel.bpf_stats_enabled=$before"
	read -r ns runs each < <(sed -n 's/^mp-record: BPF took \([0-9]*\) ns in \([0-9]*\) runs, \([0-9]*\) ns each$/\1 \2 \3/p' "$TMP/err")
	[ "$runs" -ge "$(trailer "$TMP/s" fired)" ]
	[ "$each" = $((ns / runs)) ] && [ "$each" -gt 10 ] && [ "$each" -lt 1000000 ]
}

@test "after exec, fork, vfork and new threads, stacks by BPF hold nothing of an earlier program" {
	bpf_works
	cat > "$TMP/x.c" <<-'X'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <time.h>
		#include <unistd.h>
		static volatile int n;
		__attribute__((noinline)) static void naps(void) { struct timespec t = { 0, 1000000 }; nanosleep(&t, 0); n++; }
		__attribute__((noinline)) static void in_thread(void) { naps(); n++; }
		__attribute__((noinline)) static void in_child(void) { naps(); n += 2; }
		__attribute__((noinline)) static void in_orphan(void) { naps(); n += 3; }
		static void *body(void *arg) { in_thread(); return arg; }
		int main(int c, char **v) { int k = atoi(v[1]); pthread_t t; (void)c; naps();
			pthread_create(&t, 0, body, 0); pthread_join(t, 0);
			if (fork() == 0) { if (fork() == 0) { in_orphan(); _exit(0); } in_child(); _exit(0); }
			if (vfork() == 0) { naps(); _exit(0); }
			wait(0); wait(0); naps();
			char s[8] = { 'a' }; s[0] = '0' + k - 1; if (k) execl(v[0], v[0], s, (char *)0); return 0; }
	X
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -no-pie -pthread -o "$TMP/x" "$TMP/x.c"
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -static -pthread -o "$TMP/y" "$TMP/x.c"
	for program in x y; do
		mp-record -q --realtime -e sched:sched_switch -o "$TMP/s" -- "$TMP/$program" 9 || [ $? = 1 ]
		# if another recorder has the tracepoint, the first stacks are not found
		whole 950 80 bpf
		fold_recording
		for f in 'main;naps' 'main;in_child;naps' 'main;in_orphan;naps' '(__)?clone3?[^;]*;start_thread;body;in_thread;naps'; do
			n=$(grep -E ";$f;([^;]*nanosleep[^;]*;)+" "$TMP/f" | awk '{ n += $NF } END { print n + 0 }')
			[ "$n" -ge 7 ] || { echo "$program $f: $n"; false; }
		done
	done
}

@test "by BPF, stacks of a program that switches from its start on never end beyond a copy or a mapping" {
	local stacks=0 told=0 cpu
	bpf_works
	cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
	for i in 1 2 3 4 5 6; do
		mp-record -q --realtime -e sched:sched_switch -o "$TMP/s" -- "$LOAD/switch" "$cpu" 0.1 > /dev/null || [ $? = 1 ]
		# its stack takes less than the least copy; a copy that does not fit into the buffer is counted as "tables"
		echo "$i: $(trailer "$TMP/s" unwound.bpf)"
		[ "$(trailer "$TMP/s" 'unwound.bpf | .stacks > 200 and (.reasons["stack-size"] // 0) + (.reasons.mapping // 0) <= 2')" = true ]
		stacks=$((stacks + $(trailer "$TMP/s" unwound.bpf.stacks))) told=$((told + $(trailer "$TMP/s" 'unwound.bpf | .whole + (.reasons.tables // 0)')))
	done
	# how many come before there are tables, and have no place, is up to the speed of the machine
	[ $((told * 1000)) -ge $((stacks * 990)) ]
	[ "$(trailer "$TMP/s" 'unwound.bpf | .whole * 2 > .stacks')" = true ]
}

@test "by BPF, small tables replace rows and stacks stay complete" {
	bpf_works
	start_switchers
	start_briefs
	tables() { sed -n "s/^mp-record: tables for BPF: \([0-9]*\) rows, of [0-9]* files for [0-9]* address spaces so far; rebuilt \([0-9]*\) times.*/\\$1/p" "$TMP/err"; }
	# python3 alone has more rows than perl and the C library together: never all at once
	MP_BPF_SPACES=3 mp-record --realtime -v -e sched:sched_switch -p "$LOAD_PID" -n 2000 -o "$TMP/s" 2> "$TMP/err" || [ $? = 1 ]
	whole 990 500 bpf
	rows=$(tables 1)
	[ "$rows" -gt 1000 ] && [ "$(tables 2)" = 0 ]
	MP_BPF_ROWS=$((rows * 3 / 4)) mp-record --realtime -v -e sched:sched_switch -p "$LOAD_PID" -d 3500ms -o "$TMP/s" 2> "$TMP/err" || [ $? = 1 ]
	whole 990 100 bpf
	[ "$(tables 1)" -le $((rows * 3 / 4)) ]
	# at most once a second
	[ "$(tables 2)" -ge 1 ] && [ "$(tables 2)" -le $(($(length_ms "$TMP/s") / 1000 + 2)) ]
	# with enough room no stack is copied
	copies=$(trailer "$TMP/s" unwound.bpf.copies) n=$(trailer "$TMP/s" unwound.bpf.stacks)
	[ "$copies" -gt 0 ] && [ $((copies * 10)) -lt $((n * 9)) ]
	# room for nothing at all
	MP_BPF_ROWS=99 mp-record --realtime -v -e sched:sched_switch -p "$LOAD_PID" -n 1000 -o "$TMP/s" 2> "$TMP/err" || [ $? = 1 ]
	whole 990 200 bpf
	[ "$(tables 1)" -le 99 ] && [ "$(tables 2)" = 0 ]
	# rows of processes that have ended are reused: processes that run one after the other need few
	MP_BPF_SPACES=40 mp-record --realtime -v -e sched:sched_switch -o "$TMP/s" -- "$TMP/briefs" 2> "$TMP/err" || [ $? = 1 ]
	cat "$TMP/err"
	whole 990 200 bpf
}

@test "by default, stacks of page faults and context switches are complete and none is lost, also of faults in the kernel" {
	bpf_works
	cat > "$TMP/x.c" <<-'X'
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <time.h>
		#include <unistd.h>
		enum { SIZE = 997 * 4096 };
		static volatile long n;
		static char *fresh(void) { char *p = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); madvise(p, SIZE, MADV_NOHUGEPAGE); return p; }
		__attribute__((noinline)) static void touches(char *p) { for (long i = 0; i < SIZE; i += 4096) p[i] = 1; n++; }
		__attribute__((noinline)) static void reads(char *p, int fd) { for (long i = 0; i < SIZE; i += 4096) n += read(fd, p + i, 1); n++; }
		__attribute__((noinline)) static void naps(void) { struct timespec t = { 0, 1000000 }; for (int i = 0; i < 97; i++) nanosleep(&t, 0); n++; }
		int main(void) { int fd = open("/dev/zero", O_RDONLY); for (int i = 0; i < 5; i++) { touches(fresh()); reads(fresh(), fd); } naps(); return 0; }
	X
	gcc -O2 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	mp-record -q --realtime -m 16M -g user -e page-faults,context-switches -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = bpf ]
	whole 980 9970 bpf
	fold_recording -e page-faults
	for f in touches 'reads;[^;]*read'; do
		[ "$(grep -E ";main;$f " "$TMP/f" | awk '{ n += $NF } END { print n + 0 }')" -ge 4900 ]
	done
	[ "$(grep -c ',page-faults,' "$TMP/s")" -ge 9970 ]
	fold_recording -e context-switches
	[ "$(grep -E ';main;naps;' "$TMP/f" | awk '{ n += $NF } END { print n + 0 }')" -ge 97 ]
}

@test "by default, stacks of single system calls are complete" {
	bpf_works
	cat > "$TMP/x.c" <<-'X'
		#include <signal.h>
		#include <sys/utsname.h>
		#include <unistd.h>
		static volatile int n;
		static void handler(int sig) { n += sig; }
		__attribute__((noinline)) static void raises(int pid) { kill(pid, SIGUSR1); n++; }
		__attribute__((noinline)) static void down(int k, struct utsname *u) { volatile char pad[100]; pad[k] = 1; if (k) { down(k - 1, u); n += pad[k]; return; } uname(u); getppid(); n++; }
		int main(void) { struct utsname u; signal(SIGUSR1, handler); for (int i = 0; i < 499; i++) { down(5, &u); raises(getpid()); } return 0; }
	X
	gcc -O1 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	# the kernel calls uname newuname; in the call that returns from a handler, the address is beyond the handler's frame
	mp-record -q --realtime -m 16M -e syscalls:sys_enter_newuname,syscalls:sys_exit_newuname,syscalls:sys_enter_rt_sigreturn -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = bpf ]
	# an interrupt between the stack of a call and its sample leaves one without its stack
	whole 980 1497 bpf
	[ "$(trailer "$TMP/s" 'unwound.bpf | .whole + (.reasons.tables // 0) == .stacks')" = true ]
	fold_recording -e 'syscalls:*uname'
	uname=$(grep -E '^x;_start;__libc_start_main[^;]*;(__libc_start_call_main;)?main;(down;){6}[A-Za-z_]*uname' "$TMP/f" | awk '{ n += $NF } END { print n + 0 }')
	sigreturn=$(grep -c ',syscalls:sys_enter_rt_sigreturn,.*;main;raises;[^;]*kill;[^;]*$' "$TMP/s")
	echo "$uname, $sigreturn, $(late) without a record"
	[ "$uname" -le 998 ] && [ "$sigreturn" -le 499 ] && [ $((uname + sigreturn + $(late))) -ge 1497 ]
	# by copies it is the same
	mp-record -q --realtime -m 64M -e syscalls:sys_enter_rt_sigreturn/stack=user:cfi/ -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
	whole 1000 499
}

@test "by BPF, each stack is that of its own event, however fast they follow one another" {
	bpf_works
	cat > "$TMP/x.c" <<-'X'
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		static volatile long n;
		__attribute__((noinline)) static void one(void) { getppid(); n++; }
		__attribute__((noinline)) static void other(void) { getppid(); n++; }
		/* for eight seconds or more, with pauses, so that there are tables for most of the calls, however slow the machine is */
		int main(void) {
			time_t end = time(NULL) + 9;
			long i;
			for (i = 0; time(NULL) < end; i++) { one(); if (i % 3 == 0) other(); if (i % 100 == 0) usleep(20000); }
			printf("%ld\n", i);
			return 0;
		}
	X
	gcc -O1 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	# both calls have the same address and stack pointer
	mp-record -q --realtime -m 16M -e syscalls:sys_enter_getppid,syscalls:sys_exit_getppid -o "$TMP/s" -- "$TMP/x" > "$TMP/n" || [ $? = 1 ]
	perl -sne '
		BEGIN { for my $i (0 .. $n - 1) { push @want, ("one") x 2; push @want, ("other") x 2 if $i % 3 == 0 } $all = @want }
		next unless /^\d+,syscalls:sys_(enter|exit)_getppid,.*;main;(one|other);|^\d+,syscalls:.*stack=(\[truncated\])/;
		my $want = shift @want;
		$lacks++ if $3;
		$wrong++ if $2 && $2 ne $want;
		END { print "of $all, $lacks lack, $wrong wrong, ", scalar @want, " too few\n"; exit($wrong || @want || $lacks > 0.48 * $all) }' -- -n="$(cat "$TMP/n")" "$TMP/s"
}

@test "by default, stacks of uprobes are complete and none is lost, also of threads that hit them at once" {
	bpf_works
	cat > "$TMP/x.c" <<-'X'
		#include <pthread.h>
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		static volatile unsigned long n;
		static unsigned long hits;
		__attribute__((noipa)) void probed(long k) { n += k; }
		__attribute__((noinline)) static void down(int k) { volatile char pad[100]; pad[k] = 1; if (k) { down(k - 1); n += pad[k]; return; } probed(k); n++; }
		static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
		/* hits in bursts, for long enough that the tables are there for most of the time */
		static void *body(void *arg) { double end = now() + 2; while (now() < end) { for (int i = 0; i < 23; i++, __atomic_fetch_add(&hits, 1, 5)) down(5); usleep(9000); } n++; return arg; }
		int main(void) { pthread_t t[5]; for (int i = 0; i < 5; i++) pthread_create(&t[i], 0, body, 0); for (int i = 0; i < 5; i++) pthread_join(t[i], 0); printf("%lu\n", hits); return 0; }
	X
	gcc -O1 -fomit-frame-pointer -pthread -o "$TMP/x" "$TMP/x.c"
	for what in '' -a; do
		mp-record -q --realtime $what -e "uprobe:$TMP/x:probed" -o "$TMP/s" -- "$TMP/x" > "$TMP/hits" || [ $? = 1 ]
		[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = bpf ]
		[ "$(trailer "$TMP/s" records)" = "$(< "$TMP/hits")" ]
		# copies, which are made until there are tables, may not all fit on a busy machine
		[ "$(trailer "$TMP/s" 'unwound.bpf | .whole + (.reasons.tables // 0) == .stacks')" = true ]
		whole 500 100 bpf
		fold_recording
		! grep -vE '^x;[^;]*clone3?[^;]*;start_thread;body;(down;){6}probed |^x;\[truncated\];probed ' "$TMP/f" || false
	done
	mp-record -q --realtime -e "uretprobe:$TMP/x:probed" -o "$TMP/s" -- "$TMP/x" > "$TMP/hits" || [ $? = 1 ]
	[ "$(trailer "$TMP/s" records)" = "$(< "$TMP/hits")" ]
	whole 500 100 bpf
}

@test "stacks by BPF can be requested for clocks and page faults" {
	bpf_works
	start_load "$LOAD/spin" 600
	mp-record -q --realtime -g user:bpf -F 999 -p "$LOAD_PID" -n 300 -o "$TMP/s" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = bpf ]
	whole 950 50 bpf
	fold_recording
	has ';main;spin_caller;spin_here' 80
	kill -KILL -- "-$LOAD_PID"
	cat > "$TMP/x.c" <<-'X'
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <unistd.h>
		__attribute__((noinline)) static void touches(char *p) { madvise(p, 4 << 20, MADV_NOHUGEPAGE); for (size_t i = 0; i < 4 << 20; i += 4096) { p[i] = 1; if (i % 65536 == 0) usleep(1000); } }
		int main(void) { for (int i = 0; i < 4; i++) { char *p = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); touches(p); usleep(1000); } return 0; }
	X
	gcc -O2 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	mp-record -q --realtime -g user:bpf -e minor-faults -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
	fold_recording
	has ';main;touches' 40
}

@test "where BPF is not permitted, frame pointers are used, the header says so, and nothing is left" {
	bpf_works
	command -v setpriv > /dev/null || skip "no setpriv"
	mount=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "tracefs is not mounted"
	setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$BUILD/bin/mp-record" -q -e sched:sched_switch -d 100ms -o "$TMP/s" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = fp ]
	# probes are copied
	setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$BUILD/bin/mp-record" -q -e "uprobe:$LOAD/getppid:main" -o "$TMP/s" -- "$LOAD/getppid" 3 || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = cfi ]
	whole 1000 1
	command -v bpftool > /dev/null || skip "no bpftool"
	ids() { bpftool -j prog show | jq '.[] | select(.name == "unwind") | .id' | sort; }
	rm -f "$TMP/s"
	mp-record -q -e sched:sched_switch -d 10 -o "$TMP/s" &
	pid=$!
	until [ -s "$TMP/s" ]; do await; done
	# other recorders may have theirs
	cat "/proc/$pid/fdinfo/"* 2> /dev/null | awk '$1 == "prog_id:" { print $2 }' | sort > "$TMP/held"
	ids | comm -12 "$TMP/held" - > "$TMP/ours"
	[ -s "$TMP/ours" ]
	kill -KILL $pid
	wait $pid || true
	while [ -n "$(ids | comm -12 "$TMP/ours" -)" ]; do await; done
}
