#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Symbols, looked up while recording.
# Takes more than a minute.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
load stubs

setup() {
	make_tmp
	needs_root
}

# Samples a command's user stacks and folds them. On a busy machine, files and maps are read too late without a real-time priority.
sample() {
	mp-record -q --realtime -e cpu-clock -F "${RATE:-500}" -g user -o "$TMP/s" -- "$@" > /dev/null || [ $? = 1 ]
	fold_recording
}

named() {	# most of the samples have this in their stack
	awk -v want="$1" '{ n += $NF } index($0, want) { m += $NF } END { exit !(n > 20 && m > n * 0.8) }' "$TMP/f" ||
		{ awk '{ print $NF, $0 }' "$TMP/f" | sort -rn | head -n 20 | cut -c 1-500; tail -n 1 "$TMP/s"; false; }
}

@test "frames of a program with symbols have names" {
	sample "$LOAD/spin" 0.3
	named ";main;spin_caller;spin_here"
}

@test "frames of a stripped program show where the function begins, and its name if there is a debug file" {
	objcopy --only-keep-debug "$LOAD/spin" "$TMP/spin.debug"
	strip -o "$TMP/spin" "$LOAD/spin"
	sample "$TMP/spin" 0.3
	start=$(nm "$LOAD/spin" | awk '$3 == "spin_here" { sub(/^0*/, "", $1); print $1 }')
	named "[spin]+0x$start"
	objcopy --add-gnu-debuglink="$TMP/spin.debug" "$TMP/spin"
	sample "$TMP/spin" 0.3
	named ";main;spin_caller;spin_here"
	mkdir "$TMP/.debug"
	mv "$TMP/spin.debug" "$TMP/.debug"
	sample "$TMP/spin" 0.3
	named ";main;spin_caller;spin_here"
	# a file of another build is not used
	gcc -I. -O1 -fno-omit-frame-pointer -o "$TMP/other" tests/load/jit.c
	objcopy --only-keep-debug "$TMP/other" "$TMP/.debug/spin.debug"
	sample "$TMP/spin" 0.3
	named "[spin]+0x$start"
}

@test "a debug file is found by build id" {
	id=$(readelf -n "$LOAD/spin" | awk '/Build ID/ { print $3 }')
	[ -n "$id" ] || skip "the linker makes no build ids"
	dir=/usr/lib/debug/.build-id/${id:0:2}
	[ ! -e "$dir/${id:2}.debug" ]
	had=; [ -d "$dir" ] && had=1
	mkdir -p "$dir"
	objcopy --only-keep-debug "$LOAD/spin" "$dir/${id:2}.debug"
	strip -o "$TMP/spin" "$LOAD/spin"
	sample "$TMP/spin" 0.3
	rm "$dir/${id:2}.debug"
	[ -n "$had" ] || rmdir -p --ignore-fail-on-non-empty "$dir"
	named ";main;spin_caller;spin_here"
}

@test "symbols are read from .gnu_debugdata (MiniDebugInfo)" {
	command -v xz > /dev/null || skip "no xz"
	objcopy -S --keep-symbol=spin_here --keep-symbol=spin_caller "$LOAD/spin" "$TMP/mini" 2> /dev/null
	objcopy --only-keep-debug "$LOAD/spin" "$TMP/mini"
	xz -k "$TMP/mini"
	strip -o "$TMP/spin" "$LOAD/spin"
	objcopy --add-section .gnu_debugdata="$TMP/mini.xz" "$TMP/spin"
	sample "$TMP/spin" 0.3
	named ";spin_caller;spin_here"
}

@test "frames of a program that was deleted while it ran have names" {
	cp "$LOAD/spin" "$TMP/spin"
	"$TMP/spin" 600 > "$TMP/pid" &
	until [ -s "$TMP/pid" ]; do await; done
	rm "$TMP/spin"
	echo 'not the same' > "$TMP/spin"
	mp-record -q --realtime -e cpu-clock -F 500 -g user -n 100 -p "$(cat "$TMP/pid")" > "$TMP/s" || [ $? = 1 ]
	fold_recording
	named ";main;spin_caller;spin_here"
}

@test "frames have names when the program and its file are gone before the samples are read" {
	for _ in 1 2 3; do
		cp "$LOAD/spin" "$TMP/spin"
		mp-record -q --realtime -a -e cpu-clock -F 2000 -g user -o "$TMP/s" -- sh -c "'$TMP/spin' 0.15; rm '$TMP/spin'" > /dev/null || [ $? = 1 ]
		mp-fold "$TMP/s" | grep '^spin;' > "$TMP/f" || true
		! grep -q 'spin_caller;spin_here' "$TMP/f" || return 0
	done
	cat "$TMP/f"
	false
}

@test "frames of a program in another mount namespace have names" {
	mkdir "$TMP/mnt"
	sample unshare -m sh -c "mount -t tmpfs none '$TMP/mnt' && cp '$LOAD/spin' '$TMP/mnt/hidden' && exec '$TMP/mnt/hidden' 0.4"
	[ ! -e "$TMP/mnt/hidden" ]
	awk '/^hidden;/' "$TMP/f" > "$TMP/g" && mv "$TMP/g" "$TMP/f"
	named ";main;spin_caller;spin_here"
}

@test "frames of libraries that dlopen loads have names" {
	cat > "$TMP/lib.c" <<-'X'
		#include <time.h>
		volatile unsigned long n;
		void spin_in_library(double s) { clock_t end = clock() + s * CLOCKS_PER_SEC; while (clock() < end) for (int i = 0; i < 100000; i++) n++; }
	X
	cat > "$TMP/main.c" <<-'X'
		#include <dlfcn.h>
		int main(int c, char **v) { (void)c; void (*f)(double) = (void (*)(double))dlsym(dlopen(v[1], RTLD_NOW), "spin_in_library"); f(0.4); return 0; }
	X
	gcc -O1 -fno-omit-frame-pointer -fPIC -shared -o "$TMP/lib.so" "$TMP/lib.c"
	gcc -O1 -fno-omit-frame-pointer -o "$TMP/main" "$TMP/main.c" -ldl
	sample "$TMP/main" "$TMP/lib.so"
	named "spin_in_library"
}

@test "frames of a just-in-time compiler have names, also of code that replaces other code" {
	case $(uname -m) in x86_64 | aarch64) ;; *) skip "no code for this machine" ;; esac
	mp-record -q --realtime -e cpu-clock -F 500 -g user -o "$TMP/s" -- "$LOAD/jit" 3 || [ $? = 1 ]
	fold_recording --annotate
	first=$(awk '/;first_\[j\]/ { n += $NF } END { print n + 0 }' "$TMP/f")
	second=$(awk '/;second one_\[j\]/ { n += $NF } END { print n + 0 }' "$TMP/f")
	echo "$first first, $second second"
	all=$(awk '{ n += $NF } END { print n + 0 }' "$TMP/f")
	# each runs for half of 3 s of CPU time; a name is cached for 100 ms, longer if the map is read late
	[ "$all" -gt 60 ] && [ $((first + second)) -gt $((all * 3 / 4)) ] && [ $((first - second)) -lt $((all / 4)) ]
}

# A program for node. It runs hot() for most of the time, in code that was compiled before more than 4 KiB of other code.
node_program() {
	cat > "$TMP/hot.js" <<-'X'
		function hot(n) { return n < 2 ? n : hot(n - 1) + hot(n - 2) }
		function run(seconds) { const until = process.cpuUsage().user + seconds * 1e6; while (process.cpuUsage().user < until) hot(20) }
		run(0.2)
		for (let i = 0; i < 200; i++) { const f = new Function("x", "return x + " + i); for (let k = 0; k < 3000; k++) f(k) }
		run(4)
	X
	command -v node > /dev/null || skip "no node"
}

@test "functions of node have names, by --perf-basic-prof and by the log of --perf-prof" {
	node_program
	cd "$TMP" # node writes its logs there
	sample node --perf-basic-prof "$TMP/hot.js"
	named "hot $TMP/hot.js"
	sample node --perf-prof "$TMP/hot.js"
	named "hot $TMP/hot.js"
	sample node --perf-prof --perf-prof-unwinding-info "$TMP/hot.js"
	named "hot $TMP/hot.js"
	sample node "$TMP/hot.js"
	run ! named "hot $TMP/hot.js"
}

# Writes a program that makes functions without frame pointers at run time and logs them as just-in-time compilers do; $1 is compiled in.
jitdump_program() {
	[ "$(uname -m)" = x86_64 ] || skip "the code is for x86-64"
	cat > "$TMP/jd.c" <<-'X'
		#include <fcntl.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <time.h>
		#include <unistd.h>
		static int fd;
		static void put(const void *p, size_t n) { if (write(fd, p, n) != (ssize_t)n) exit(2); }
		static void number(uint64_t v, size_t n) { put(&v, n); }
		static uint64_t now(int clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
		/* sub $24,%rsp; call *%rdi; add $24,%rsp; ret */
		static const uint8_t code[] = { 0x48, 0x83, 0xec, 0x18, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x18, 0xc3 };
		/* for it: CFA rsp + 8, and rsp + 32 from its 4th to its 10th byte */
		static const uint8_t frames[] = { 0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 0x10, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
			0x14, 0, 0, 0, 0x1c, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, 11, 0, 0, 0, 0, 0x44, 0x0e, 0x20, 0x46, 0x0e, 8, 0 };
		static void unwinding(void) {
			number(4, 4); number(16 + 24 + sizeof(frames) + 20, 4); number(now(CLOCK_MONOTONIC), 8);
			number(sizeof(frames) + 20, 8); number(20, 8); number(0, 8); put(frames, sizeof(frames)); put("\1\33\3\73\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
		}
		static void load(const void *at, const char *name) {
			unwinding();
			number(0, 4); number(16 + 40 + strlen(name) + 1 + sizeof(code), 4); number(now(CLOCK_MONOTONIC), 8);
			number(getpid(), 4); number(getpid(), 4); number((uintptr_t)at, 8); number((uintptr_t)at, 8); number(sizeof(code), 8); number(1, 8);
			put(name, strlen(name) + 1); put(code, sizeof(code));
		}
		/* without a frame pointer, and with garbage in the register */
		__attribute__((noinline)) static void work(void) {
			uint64_t until = now(CLOCK_PROCESS_CPUTIME_ID) + 300000000;
			while (now(CLOCK_PROCESS_CPUTIME_ID) < until) for (volatile int i = 0; i < 100000; i++);
		}
		static void run(void *at) {
			void (*f)(void (*)(void));
			memcpy(&f, &at, sizeof(f)); f(work);
			__asm__ volatile("" ::: "memory");
		}
		int main(int argc, char **argv) {
			char name[64];
			uint8_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			snprintf(name, sizeof(name), "%s/jit-%d.dump", argc > 1 ? argv[1] : ".", (int)getpid());
			fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
			if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) return 2;
			number(0x4a695444, 4); number(1, 4); number(40, 4); number(62, 4); number(0, 4); number(getpid(), 4); number(now(CLOCK_MONOTONIC), 8); number(0, 8);
			memcpy(at, code, sizeof(code));
			load(at, "first"); run(at);
			load(at, "second"); run(at);
			memcpy(at + 1024, code, sizeof(code));
			number(1, 4); number(16 + 48, 4); number(now(CLOCK_MONOTONIC), 8); number(getpid(), 4); number(getpid(), 4); number((uintptr_t)at + 1024, 8);
			number((uintptr_t)at, 8); number((uintptr_t)at + 1024, 8); number(sizeof(code), 8); number(2, 8);
			run(at + 1024);
			return 0;
		}
	X
	gcc -O2 -fomit-frame-pointer -D_GNU_SOURCE -o "$TMP/jd" "$TMP/jd.c"
}

@test "the log of a just-in-time compiler names code at each time, and its call frame information leads through it" {
	jitdump_program
	sample "$TMP/jd" "$TMP"
	fold_recording --annotate
	# each third of the time, one after the other; "second" runs at two addresses; some samples are in the start of the program
	awk '/;main;.*first_\[j\];work/ { a += $NF } /;main;.*second_\[j\];work/ { b += $NF } { n += $NF }
		END { print a, b, n; exit !(n > 60 && a + b > n * 0.9 && a > n / 6 && b > n / 2) }' "$TMP/f"
	# no sample has the name that the code had before or got later
	times() { grep -F ";$1_[j];work" "$TMP/s" | cut -d, -f1 | sort -n; }
	[ "$(times first | tail -n 1)" -lt "$(times second | head -n 1)" ]
}

@test "--java-map: functions of Java have names" {
	command -v java > /dev/null && command -v jcmd > /dev/null && command -v javac > /dev/null || skip "no JDK"
	cat > "$TMP/Hot.java" <<-'X'
		public class Hot {
			static int hot(int n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
			public static void main(String[] a) {
				var threads = java.lang.management.ManagementFactory.getThreadMXBean();
				for (long s = 0; threads.getCurrentThreadCpuTime() < 8e9; ) s += hot(25);
			}
		}
	X
	javac -d "$TMP" "$TMP/Hot.java"
	mp-record -q -e cpu-clock -F 100 -g user -o "$TMP/s" --java-map -- java -XX:+PreserveFramePointer -cp "$TMP" Hot 2> "$TMP/err" || [ $? = 1 ]
	rm -f "/tmp/perf-$(grep -m 1 -o 'pid=[0-9]*' "$TMP/s" | cut -d= -f2).map"
	cat "$TMP/err"
	# jcmd is a virtual machine, too, which takes 0.5 s of CPU time; who does not answer is not asked again
	! grep -q 'did not answer jcmd within 5 s' "$TMP/err" || skip "this machine is too busy for jcmd"
	fold_recording --annotate
	# the map is asked for at once and after 1, 3, 7, 15 s of time, and the load takes 8 s of CPU time
	awk '/Hot\.hot.*_\[j\]/ { m += $NF } { n += $NF } END { print m, n; exit !(n > 200 && m > n / 4) }' "$TMP/f"
}

# Starts a program that has libjvm.so among its mappings as user 65534, with the jcmd $1 in a folder that only root can change.
fake_jvm() {
	cat > "$TMP/main.c" <<-'X'
		#include <unistd.h>
		int jvm(void);
		int main(void) { jvm(); for (;;) pause(); }
	X
	echo 'int jvm(void) { return 1; }' > "$TMP/lib.c"
	gcc -shared -fPIC -o "$TMP/libjvm.so" "$TMP/lib.c"
	gcc -o "$TMP/jvm" "$TMP/main.c" -L"$TMP" -ljvm -Wl,-rpath,"$TMP"
	chmod 755 "$TMP"
	setpriv --reuid 65534 --regid 65534 --groups 65534,7 "$TMP/jvm" &
	JVM=$!
	mkdir -m 755 "/run/mp-test.$$"
	printf '#!/bin/sh\n%s\n' "$1" > "/run/mp-test.$$/jcmd"
	chmod 755 "/run/mp-test.$$/jcmd"
	until grep -q libjvm "/proc/$JVM/maps"; do sleep 0.05; done
}

end_jvm() {
	kill "$JVM"
	rm -r "/run/mp-test.$$"
}

@test "--java-map runs jcmd as the user of the process, without descriptors, environment and rights" {
	mkdir -m 777 "$TMP/out"
	fake_jvm "{ echo \"\$@\"; id -u; id -G; pwd; env; ls /proc/self/fd; grep -E 'Cap|NoNewPrivs' /proc/self/status; } > $TMP/out/x; mv $TMP/out/x $TMP/out/done"
	SECRET=1 PATH="$TMP:/run/mp-test.$$:$PATH" mp-record -q -e cpu-clock --java-map -p "$JVM" -d 60 > /dev/null 2> "$TMP/err" &
	until [ -e "$TMP/out/done" ]; do await; done
	kill $!
	wait $! || [ $? = 1 ]
	end_jvm
	cat "$TMP/err" "$TMP/out/done"
	[ ! -s "$TMP/err" ]
	[ "$(sed -n 1p "$TMP/out/done")" = "-J-XX:-UsePerfData $JVM Compiler.perfmap" ]
	[ "$(sed -n 2,4p "$TMP/out/done" | tr '\n' ' ')" = "65534 65534 7 / " ]
	run ! grep SECRET "$TMP/out/done"
	# stdin, stdout, stderr, and the folder that ls reads
	[ "$(grep -c '^[0-9]$' "$TMP/out/done")" -le 4 ]
	[ "$(grep -c 'Cap\(Prm\|Eff\|Amb\):.0*$' "$TMP/out/done")" = 3 ]
	grep -q 'NoNewPrivs:.1' "$TMP/out/done"
}

@test "--java-map: a process that does not answer, and a jcmd that others could change" {
	fake_jvm "exec sleep 1000.$$"
	PATH="/run/mp-test.$$:$PATH" mp-record -q -e cpu-clock --java-map -p "$JVM" -d 100 > /dev/null 2> "$TMP/err" &
	until grep -q 'did not answer' "$TMP/err"; do await; done
	kill $!
	wait $! || [ $? = 1 ]
	chmod 777 "/run/mp-test.$$"
	PATH="$TMP:/run/mp-test.$$" "$(command -v mp-record)" -q -e cpu-clock --java-map -p "$JVM" -d 0.1 > /dev/null 2> "$TMP/err2" || [ $? = 1 ]
	end_jvm
	cat "$TMP/err" "$TMP/err2"
	grep -q -- "--java-map: process $JVM did not answer jcmd within 5 s" "$TMP/err"
	while pgrep -f "sleep 1000.$$" > /dev/null; do await; done
	grep -q 'no jcmd in PATH that others cannot change' "$TMP/err2"
}

@test "C++ and Rust names are demangled" {
	cat > "$TMP/x.cc" <<-'X'
		#include <ctime>
		volatile unsigned long n;
		namespace space { template <class T> struct Spinner {
			__attribute__((noinline)) void operator()(T s) { clock_t end = clock() + s * CLOCKS_PER_SEC; while (clock() < end) for (int i = 0; i < 100000; i++) n++; } }; }
		// as rustc writes them, legacy and v0
		extern "C" __attribute__((noinline)) void _ZN5crate4func17h0123456789abcdefE(void) { space::Spinner<double>()(0.3); n++; }
		extern "C" __attribute__((noinline)) void _RNvCs15kBYyAo9fc_7mycrate7example(void) { _ZN5crate4func17h0123456789abcdefE(); n++; }
		int main() { _RNvCs15kBYyAo9fc_7mycrate7example(); }
	X
	g++ -O1 -fno-omit-frame-pointer -o "$TMP/x" "$TMP/x.cc"
	sample "$TMP/x"
	named ";main;mycrate::example;crate::func;space::Spinner<double>::operator()"
}

@test "frames of the PLT have names" {
	echo 'int tiny(void) { return 1; }' > "$TMP/tiny.c"
	cat > "$TMP/m.c" <<-'X'
		int tiny(void);
		int main(void) { long n = 0; for (int i = 0; i < 97; i++) n += tiny(); return n == 0; }
	X
	gcc -O1 -fPIC -shared -o "$TMP/libtiny.so" "$TMP/tiny.c"
	for how in "-fcf-protection=full -Wl,-z,lazy" "-Wl,-z,lazy -Wl,-z,ibtplt" "-Wl,-z,now"; do
		gcc -I. -O1 -fno-omit-frame-pointer $how -o "$TMP/m" "$TMP/m.c" -L"$TMP" -ltiny -Wl,-rpath,"$TMP" || continue
		at_stub "$TMP/m"
		grep -q ';main;tiny@plt ' "$TMP/f" || { echo "$how"; cat "$TMP/f"; false; }
	done
}

@test "a symbol without a size does not name code of the next section" {
	# _init has no size; in a static program .plt follows it, whose stubs have no symbols
	echo '#include <unistd.h>
		int main(void) { pause(); return 0; }' > "$TMP/x.c"
	gcc -static -o "$TMP/x" "$TMP/x.c" || skip "no static C library"
	read -r init plt < <(readelf -SW "$TMP/x" | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".init" { i = $3 } $1 == ".plt" { p = $3 } END { print i, p }')
	[ -n "$plt" ] || skip "this linker makes no .plt"
	start_load "$TMP/x"
	until [ "$(readlink "/proc/$LOAD_PID/exe")" = "$TMP/x" ]; do await; done
	run "$BUILD/tools/resolve" <<< "$LOAD_PID $init
		$LOAD_PID $plt
		$LOAD_PID $(printf %x $((0x$plt + 9)))"
	[ "${lines[0]##* }" = _init ]
	[ "${lines[1]##* }" = "[x]+0x$(printf %x "0x$plt")" ]
	[[ "${lines[2]##* }" == "[x]+0x"* ]]
}

@test "frames of the vDSO have names" {
	cat > "$TMP/v.c" <<-'X'
		#include "tests/load/cpu.h"
		int main(void) { struct timespec t; do for (int i = 0; i < 1000; i++) clock_gettime(CLOCK_MONOTONIC, &t); while (cpu_seconds() < 0.3); return 0; }
	X
	gcc -I. -O1 -fno-omit-frame-pointer -o "$TMP/v" "$TMP/v.c"
	sample "$TMP/v"
	grep -qE '__vdso_clock_gettime|\[vdso\]' "$TMP/f"
}

@test "1,000 pairs of process and address have the names that perf script gives them" {
	"$LOAD/spin" 600 > "$TMP/pid1" &
	python3 -c 'while True: sorted(str(i) for i in range(2000))' &
	pids="$! "
	perl -e 'while (1) { my %h = map { $_ => 1 } 1 .. 2000; join ",", sort keys %h }' &
	pids+="$! "
	(while :; do find /usr/share -name '*.h' > /dev/null; done) &
	pids+="$! "
	until [ -s "$TMP/pid1" ]; do await; done
	pids+=$(cat "$TMP/pid1")
	perf record -N -q -a -e cpu-clock -F 2500 -o "$TMP/data" -- sleep 2 > /dev/null 2>&1
	kill -STOP $pids
	# of other programs, which may end or begin another program at any time, only what they do in the kernel
	perf script -i "$TMP/data" -F pid,ip,sym 2> /dev/null | OURS=" $pids " perl -ne '
		my ($pid, $ip, $sym) = /^\s*(\d+)\s+([0-9a-f]+) (.*)$/ or next;
		next unless $ip =~ /^ffff/ or $ENV{OURS} =~ / $pid /;
		$sym =~ s/\+0x[0-9a-f]+$//;
		print "$pid\t$ip\t$sym\n"' | sort -u > "$TMP/all"
	shuf --random-source=<(yes 5) -n 1000 "$TMP/all" > "$TMP/pairs"
	cut -f 1,2 "$TMP/pairs" | tr '\t' ' ' | "$BUILD/tools/resolve" > "$TMP/ours"
	[ "$(wc -l < "$TMP/pairs")" = "$(wc -l < "$TMP/ours")" ]
	[ "$(wc -l < "$TMP/pairs")" -gt 300 ]
	paste "$TMP/pairs" "$TMP/ours" | perl -F'\t' -lane '
		BEGIN {
			open my $k, "<", "/proc/kallsyms";
			/^(\S+) \S (\S+)/ and $at{$2}{$1} = 1 while <$k>;
		}
		my ($pid, $ip, $perf) = @F;
		my ($ours) = $F[3] =~ /^\S+ \S+ (.*)$/;
		$ours =~ s/_\[[kj]\]$//;
		$perf =~ s/@@?[A-Z]\S*$//;	# perf shows symbol versions of .dynsym
		$n++;
		next if $ours eq $perf;
		# perf has no name where we name the function by its address, and none for the stubs that it recognizes
		$explained{"perf: [unknown], ours: [file]+0x"}++, next if $perf =~ /^\[unknown\]$|^\[.*\]$/ and $ours =~ /^\[/;
		$explained{"perf: [unknown], ours: a name"}++, next if $perf eq "[unknown]";
		$explained{"a BPF program that has been unloaded"}++, next if $perf =~ /^bpf_prog_/ and $ours =~ /^\[|^bpf_prog_/;
		$explained{"a long name"}++, next if $ours =~ /^(.*)\.\.\.[0-9a-f]{8}$/ and index($perf, $1) == 0;
		# of the names of a kernel address perf should prefer the one with fewer underscores, but it takes the last
		# (its sizes come from the next symbol, and all but the last have size 0)
		$explained{"kernel: other names of the same address"}++, next if grep { $at{$perf}{$_} } keys %{$at{$ours} // {}};
		$other++;
		print "# $pid $ip perf: $perf ours: $ours";
		END {
			printf "# %d pairs, %d differ without a reason\n", $n, $other;
			print "# $_: $explained{$_}" for sort keys %explained;
			exit($n < 200 || $other > $n / 100);
		}' > "$TMP/diff" || { head -n 20 "$TMP/diff"; tail -n 5 "$TMP/diff"; false; }
	kill -KILL $pids || true
	tail -n 5 "$TMP/diff"
}
