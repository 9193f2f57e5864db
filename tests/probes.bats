#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Probes on programs, static probes and memory: exact counts, arguments, and no probe left.

bats_require_minimum_version 1.5.0
load lib

EVENTS=/sys/kernel/tracing/uprobe_events

# The number of probes in tracefs of the recording with this pid; others may run, or may have been killed.
left() {
	grep -cs ":mp_$1/" $EVENTS || true
}

# Runs mp-record, whose id is in $pid.
run_recorder() {
	mp-record "$@" &
	pid=$!
	wait $pid
}

# The processes that PID has started, and those that these have started.
descendants() {
	local child
	for child in $(ps -o pid= --ppid "$1"); do
		echo "$child"
		descendants "$child"
	done
}

record() {
	needs_root
	run_recorder -q -g none "$@" > "$TMP/s"
	[ "$(trailer "$TMP/s" lost)" = 0 ]
}

@test "a uprobe records each call of a library's function, by name, offset and address" {
	record -e uprobe:libc.so.6:syscall -- "$LOAD/getppid" 1009
	[ "$(trailer "$TMP/s" records)" = 1009 ]
	grep -q '^[0-9]*,uprobe:libc.so.6:syscall,cpu=' "$TMP/s"
	offset=$(nm -D --defined-only "$(mp-record -l uprobe:libc:syscall > /dev/null; ldconfig -p | sed -n 's/.*libc\.so\.6 .*=> //p' | head -n 1)" |
		awk '$3 ~ /^syscall(@|$)/ { print "0x" $1; exit }' | sed 's/0x0*/0x/')
	record -e "uprobe:libc:$offset" -- "$LOAD/getppid" 101
	[ "$(trailer "$TMP/s" records)" = 101 ]
	record -e "uprobe:$LOAD/getppid:main+0" -- "$LOAD/getppid" 3
	[ "$(trailer "$TMP/s" records)" = 1 ]
}

@test "a probe records each call in the children of a process that the recorded one has started" {
	cat > "$TMP/a.c" <<-'X'
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noipa)) void f(void) { }
		int main(void) {
			for (int i = 0; i < 300; i++) {
				pid_t child = fork();
				for (int j = 0; child == 0 && j < 10; j++) f();
				if (child == 0) _exit(0);
				waitpid(child, 0, 0);
			}
			return 0;
		}
	X
	cc -O1 -o "$TMP/a" "$TMP/a.c"
	needs_root
	families="$TMP/a & $TMP/a; wait"
	record -e "uprobe:$TMP/a:f" -- sh -c "$families"
	[ "$(trailer "$TMP/s" records)" = 6000 ]
	record -e "uprobe:$TMP/a:f/sum=calls:count/" -- sh -c "$families"
	[ "$(trailer "$TMP/s" added)" = 6000 ]
	record -e "stat:uprobe:$TMP/a:f" -i 600s -- sh -c "$families"
	[ "$(grep -o '\.value=[0-9]*' "$TMP/s")" = .value=6000 ]
	mkfifo "$TMP/go"
	rm "$TMP/s"
	start_load sh -c "read -r line < $TMP/go; $families"
	mp-record -q -g none -e "uprobe:$TMP/a:f" -p "$LOAD_PID" -o "$TMP/s" &
	pid=$!
	until [ -s "$TMP/s" ]; do await; done
	echo > "$TMP/go"
	wait "$pid"
	[ "$(trailer "$TMP/s" records)" = 6000 ]
}

@test "the header has the type of a probe on a file whose name is not UTF-8" {
	needs_root
	cp "$LOAD/spin" "$TMP/"$'sp\xffin'
	mp-record -q -n 1 -e "uprobe:$TMP/"$'sp\xffin:main' -o "$TMP/probe.mp" -- "$TMP/"$'sp\xffin' 0.01
	[ "$(head -n 1 "$TMP/probe.mp" | jq -r '.events | keys[]')" = $'uprobe:sp\xef\xbf\xbdin:main' ]
}

@test "uprobes and uretprobes record arguments, a string among them, and apply a filter" {
	cat > "$TMP/a.c" <<-'X'
		#include <string.h>
		__attribute__((noipa)) long f(long a, int b, const char *s) { return a * b + (long)strlen(s); }
		int main(void) { for (int i = 0; i < 17; i++) f(i, -i, i % 2 ? "odd one" : "even"); return 0; }
	X
	gcc -O1 -o "$TMP/a" "$TMP/a.c"
	record -e "uprobe:$TMP/a:f(a=arg1:u64,b=arg2:s32,s=+0(arg3):string)" -e "uretprobe:$TMP/a:f(r=retval:s64)" -- "$TMP/a"
	[ "$(trailer "$TMP/s" records)" = 34 ]
	grep -o 'uprobe:a:f,.*' "$TMP/s" | cut -f 5- > "$TMP/got"
	for i in {0..16}; do
		printf '.a=%d\t.b=%d\t.s=%s\n' $i -$i "$([ $((i % 2)) = 1 ] && echo odd one || echo even)"
	done | sed 's/-0/0/' | cmp - "$TMP/got"
	[ "$(grep -o '.r=-[0-9]*' "$TMP/s" | tail -n 1)" = .r=$((-16 * 16 + 4)) ]
	record -e "uprobe:$TMP/a:f(a=arg1:u64)/a>=7 && a!=9/" -- "$TMP/a"
	[ "$(trailer "$TMP/s" records)" = 9 ]
	[ "$(left $pid)" = 0 ]
}

@test "usdt records 23 exceptions thrown and caught" {
	mp-record -l usdt:libstdc++ > "$TMP/l" || skip "no static probes in libstdc++"
	cat > "$TMP/t.cc" <<-'X'
		#include <stdexcept>
		int main() { int n = 0; for (int i = 0; i < 23; i++) try { throw std::runtime_error("x"); } catch (std::exception &) { n++; } return n - 23; }
	X
	g++ -O1 -o "$TMP/t" "$TMP/t.cc"
	record -e usdt:libstdc++:throw,usdt:libstdc++:libstdcxx:catch -- "$TMP/t"
	[ "$(grep -c ',usdt:libstdcxx:throw,' "$TMP/s")" = 23 ]
	[ "$(grep -c ',usdt:libstdcxx:catch,' "$TMP/s")" = 23 ]
	grep -q '\.arg1=[0-9]' "$TMP/s"
	[ "$(left $pid)" = 0 ]
}

@test "mem: records writes to a variable, and reads" {
	start_watch 23
	needs_root
	mp-record -q -g none -e "mem:$(cat "$TMP/addr")/4:w" -e "mem:$(cat "$TMP/addr"):rw" -p $pid -o "$TMP/s" &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	echo >&5
	exec 5>&-
	wait $recorder
	[ "$(grep -c '^[0-9]*,mem:0x[0-9a-f]*/4:w,.*addr='"$(cat "$TMP/addr")" "$TMP/s")" = 23 ]
	[ "$(grep -c '/4:rw,' "$TMP/s")" = 46 ]
}

@test "kprobes record where the kernel has them and are refused with a reason where not" {
	needs_root
	if [ -e /sys/bus/event_source/devices/kprobe ] || [ -e /sys/kernel/tracing/kprobe_events ]; then
		record -e kprobe:do_nanosleep -- sleep 0.01
		[ "$(trailer "$TMP/s" records)" -ge 1 ]
	else
		run mp-record -e kprobe:do_nanosleep -d 1s
		[ "$status" = 2 ] && [ "$output" = "mp-record: this kernel has no kprobes" ] || false
		skip "no kprobes"
	fi
}

@test "a place that does not exist is reported with the nearest name" {
	needs_root
	run mp-record -e uprobe:libc:mallok -d 1s
	[ "$status" = 2 ] && [[ "$output" == *"no function 'mallok' in "*"did you mean 'malloc'?" ]] || false
	run mp-record -e usdt:libstdc++:nope -d 1s
	[ "$status" = 2 ] && [[ "$output" == *"no static probe 'nope'"* ]] || false
	run mp-record -e uprobe:no-such-program:main -d 1s
	[ "$status" = 2 ] && [[ "$output" == *"no library or program 'no-such-program'" ]] || false
	run mp-record -e "uprobe:libc:malloc(size=zzz)" -d 1s
	[ "$status" = 2 ] && [[ "$output" == *"the kernel refuses the probe"* ]] || false
	run mp-record -e "uprobe:$BATS_TEST_FILENAME:main" -d 1s
	[ "$status" = 2 ] && [[ "$output" == *"is neither a program nor a library" ]] || false
}

@test "no probe is left at the end or on failure; the next recording removes those of one that was killed" {
	needs_root
	run_recorder -q -g none -e 'uprobe:libc:malloc(size=arg1:u64)' -d 10ms > /dev/null || [ $? = 1 ]
	[ "$(left $pid)" = 0 ]
	! run_recorder -q -e 'uprobe:libc:malloc(size=arg1:u64)' -e no:such -d 1s 2> /dev/null || false
	[ "$(left $pid)" = 0 ]
	! run_recorder -q -e 'uprobe:libc:malloc(size=arg1:u64)' -- "$TMP/nowhere" > /dev/null 2>&1 || false
	[ "$(left $pid)" = 0 ]
	mp-record -q -g none -e 'uprobe:libc:malloc(size=arg1:u64)' -e 'uprobe:libc:free(p=arg1:u64)' -p $$ -o "$TMP/s" &
	pid=$!
	until [ -s "$TMP/s" ]; do await; done
	[ "$(left $pid)" = 2 ]
	# another recording does not touch the probes of one that runs
	mp-record -q -g none -e 'uretprobe:libc:free(r=retval:u64)' -d 10ms > /dev/null || [ $? = 1 ]
	[ "$(left $pid)" = 2 ]
	others=$(descendants $pid)
	kill -KILL $pid
	wait $pid || true
	# the kernel keeps a probe that a process has open
	for other in $others; do
		while [ -d "/proc/$other" ] && ! grep -qs '^State:.Z' "/proc/$other/status"; do await; done
	done
	mp-record -q -g none -e 'uretprobe:libc:free(r=retval:u64)' -d 10ms > /dev/null || [ $? = 1 ]
	[ "$(left $pid)" = 0 ]
}

@test "-l lists the static probes and functions of a file" {
	[ "$(mp-record -l usdt:libstdc++ | grep -c '^  usdt:libstdc++:libstdcxx:')" -ge 3 ] || skip "no static probes in libstdc++"
	mp-record -l 'uprobe:libc:getpp*' | grep -q '^  uprobe:libc:getppid'
}
