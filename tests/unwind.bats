#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# User stacks that reach their root: without frame pointers, through signals, libraries and just-in-time compilers.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib
load stacks
load stubs

@test "header, trailer and stderr say how stacks were taken and how they ended" {
	mp-record --realtime -F 999 -o "$TMP/s" -- "$LOAD/spin" 0.5 2> "$TMP/err" > /dev/null || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r '.stacks | .kernel + "," + .user')" = fp,cfi ]
	whole 990 30
	n=$(trailer "$TMP/s" unwound.cfi.stacks) whole=$(trailer "$TMP/s" unwound.cfi.whole)
	[ "$(trailer "$TMP/s" 'unwound.cfi.reasons | add // 0')" = $((n - whole)) ]
	grep -q "^mp-record: $n user stacks by cfi, [0-9]*[.][0-9][0-9] % complete" "$TMP/err"
	# every stack that is not complete says so
	[ "$(grep -c 'stack=\[truncated\]' "$TMP/s" || true)" = $((n - whole)) ]
}

@test "stacks are chosen by PART, METHOD or PART:METHOD, also for a single event" {
	user() { head -n 1 "$TMP/s" | jq -r '.stacks | .kernel + "," + .user'; }
	for case in both=fp,cfi user=none,cfi kernel=fp,none none=none,none fp=fp,fp cfi=fp,cfi user:fp=none,fp user:auto=none,cfi both:cfi=fp,cfi; do
		mp-record -q -F 999 -g "${case%%=*}" -o "$TMP/s" -- true || [ $? = 1 ]
		[ "$(user)" = "${case#*=}" ] || { echo "$case: $(user)"; false; }
	done
	mp-record -q -e 'cpu-clock/stack=user:fp/,page-faults/stack=user:cfi/' -o "$TMP/s" -- true || [ $? = 1 ]
	[ "$(user)" = none,cfi,fp ]
	[ "$(trailer "$TMP/s" 'unwound.cfi.stacks > 10')" = true ]
	for bad in user:none fp:user user,cfi ''; do
		run mp-record -g "$bad" -d 1ms
		[ "$status" = 2 ] && [[ "$output" == *"user:cfi"* ]] || false
	done
	run mp-record --stack-size 100 -d 1ms
	[ "$status" = 2 ]
	run mp-record --stack-size 61K -d 1ms
	[ "$status" = 2 ] && [[ "$output" == *"from 1K to 60K"* ]] || false
}

@test "optimized C++ without frame pointers has complete stacks, through virtual calls and callbacks" {
	cat > "$TMP/x.cc" <<-'X'
		#include <algorithm>
		#include <vector>
		#include "tests/load/cpu.h"
		struct Base { virtual void go(int n) = 0; virtual ~Base() {} };
		__attribute__((noinline)) static bool before(const long &a, const long &b) { volatile long k = 0; for (int i = 0; i < 50; i++) k += i; return a < b; }
		struct Deep : Base { void go(int n) override; };
		__attribute__((noinline)) void Deep::go(int n) {
			if (n) { static_cast<Base *>(this)->go(n - 1); asm volatile(""); return; }
			std::vector<long> v; for (long i = 0; i < 20000; i++) v.push_back(i * 7919 % 20011); std::sort(v.begin(), v.end(), before); }
		int main() { Deep d; Base *b = &d; while (cpu_seconds() < 0.5) { b->go(7); asm volatile(""); } }
	X
	g++ -I. -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$TMP/x" "$TMP/x.cc"
	sample "$TMP/x"
	whole 990 50
	has ';_start;__libc_start_main[^;]*;(__libc_start_call_main;)?main;(Deep::go;){8}' 80
}

@test "stacks are complete through a realigned main, alloca, and a signal handler with what it interrupted" {
	cat > "$TMP/x.c" <<-'X'
		#include <alloca.h>
		#include <signal.h>
		#include <string.h>
		#include "tests/load/cpu.h"
		static volatile unsigned long n;
		static volatile double sink;
		__attribute__((noinline)) static void in_handler(void) { do for (int i = 0; i < 100000; i++) n++; while (cpu_seconds() < 0.5); sink++; }
		static void handler(int sig) { (void)sig; in_handler(); n++; }
		__attribute__((noinline)) static void interrupted(char *p) { memset(p, 1, 100); raise(SIGUSR1); n++; }
		__attribute__((noinline)) static void allocates(int k) { char *p = alloca(k * 100); interrupted(p); n += p[5]; }
		int main(int c, char **v) { (void)v; double d[8] __attribute__((aligned(64))); signal(SIGUSR1, handler); d[c & 7] = c; allocates(c + 9); sink = d[c & 7]; return 0; }
	X
	avx=
	! grep -qw avx /proc/cpuinfo || avx=-mavx
	gcc -I. -O2 -fomit-frame-pointer $avx -o "$TMP/x" "$TMP/x.c"
	sample "$TMP/x"
	whole 990 50
	has ';main;allocates;interrupted;(__GI_|gsignal;)?raise[^;]*;.*(__restore_rt|__kernel_rt_sigreturn);handler;in_handler ' 80 ||
		has ';main;allocates;interrupted;.*(__restore_rt|__kernel_rt_sigreturn);handler;in_handler ' 80
}

@test "stacks of threads reach their root" {
	cat > "$TMP/x.c" <<-'X'
		#include <pthread.h>
		#include "tests/load/cpu.h"
		static volatile unsigned long n;
		__attribute__((noinline)) static void burn(int k) { if (k) { burn(k - 1); n++; return; } do for (int i = 0; i < 100000; i++) n++; while (cpu_seconds() < 0.5); }
		static void *body(void *arg) { burn(3); n++; return arg; }
		int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, body, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }
	X
	gcc -I. -O1 -fomit-frame-pointer -pthread -o "$TMP/x" "$TMP/x.c"
	sample "$TMP/x"
	whole 990 50
	has ';(__)?clone3?[^;]*;start_thread;body;burn;burn;burn;burn ' 80
}

@test "stacks that begin in a stub of the PLT or in the vDSO are complete" {
	echo 'int tiny(void) { return 1; }' > "$TMP/tiny.c"
	cat > "$TMP/m.c" <<-'X'
		#include "tests/load/cpu.h"
		int tiny(void);
		__attribute__((noinline)) static long stubs(void) { long n = 0; for (int i = 0; i < 97; i++) n += tiny(); return n; }
		__attribute__((noinline)) static long clocks(void) { struct timespec t; long n = 0; do for (int i = 0; i < 1000; i++) { clock_gettime(CLOCK_MONOTONIC, &t); n += t.tv_nsec; } while (cpu_seconds() < 1); return n; }
		int main(void) { return stubs() + clocks() == 7; }
	X
	gcc -O1 -fPIC -shared -o "$TMP/libtiny.so" "$TMP/tiny.c"
	gcc -I. -O1 -fomit-frame-pointer -Wl,-z,lazy -o "$TMP/m" "$TMP/m.c" -L"$TMP" -ltiny -Wl,-rpath,"$TMP"
	at_stub "$TMP/m" user:cfi
	[ "$(trailer "$TMP/s" 'unwound.cfi | .stacks > 0 and .whole == .stacks')" = true ]
	[ "$(awk '/;main;stubs;tiny@plt / { n += $NF } END { print n + 0 }' "$TMP/f")" = "$(awk '{ n += $NF } END { print n + 0 }' "$TMP/f")" ]
	sample "$TMP/m"
	whole 990 50
	grep -qE ';main;clocks;(clock_gettime[^;]*;)*(__GI_[^;]*;)*(__vdso_clock_gettime|\[vdso\])' "$TMP/f"
}

@test "stacks are complete with tables in .debug_frame alone, compressed, or in a debug file" {
	cat > "$TMP/x.c" <<-'X'
		#include "tests/load/cpu.h"
		static volatile unsigned long n;
		__attribute__((noinline)) static void burn(int k) { volatile char pad[100]; pad[k] = 1; if (k) { burn(k - 1); n += pad[k]; return; } do for (int i = 0; i < 100000; i++) n++; while (cpu_seconds() < 0.4); }
		int main(void) { burn(5); return 0; }
	X
	for how in "-gz=none" "-gz=zlib"; do
		gcc -I. -O1 -g $how -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions -o "$TMP/x" "$TMP/x.c"
		sample "$TMP/x"
		has ';_start;__libc_start_main[^;]*;(__libc_start_call_main;)?main;(burn;){5}burn ' 80
	done
	objcopy --only-keep-debug "$TMP/x" "$TMP/x.debug"
	strip -o "$TMP/y" "$TMP/x"
	sample "$TMP/y"	# without the debug file there is no table
	! has ';main;(burn;){5}burn ' 80 || false
	objcopy --add-gnu-debuglink="$TMP/x.debug" "$TMP/y"
	sample "$TMP/y"
	has ';main;(burn;){5}burn ' 80
}

# Builds $TMP/NAME from $TMP/x.go; Go needs a folder for its cache.
build_go() {
	GOCACHE="$BATS_FILE_TMPDIR/go" GOFLAGS=-mod=mod GO111MODULE=off HOME="$TMP" go build "${@:2}" -o "$TMP/$1" "$TMP/x.go"
}

needs_go() {
	command -v go > /dev/null || skip "no go"
	[[ "$(go env GOVERSION)" =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 18 ]] || skip "Go is older than 1.18"
}

@test "Go programs have complete stacks with names, also without symbols and debug information" {
	needs_go
	bpf_works
	cat > "$TMP/x.go" <<-'X'
		package main

		import (
			"syscall"
			"time"
		)

		//go:noinline
		func leaf(n int) int {
			s := 0
			for i := 0; i < n; i++ {
				s += i ^ s
			}
			return s
		}

		//go:noinline
		func middle(k int) int {
			var pad [64]int
			if k > 0 {
				pad[k] = middle(k - 1)
				return pad[k] + 1
			}
			return leaf(100000) + pad[3]
		}

		func work() (n int) {
			for {
				n += middle(3)
				var r syscall.Rusage
				syscall.Getrusage(0, &r)
				if time.Duration(r.Utime.Nano()) > 400*time.Millisecond {
					return n
				}
			}
		}

		func main() {
			done := make(chan int)
			go func() { done <- work() }()
			<-done
			for i := 0; i < 97; i++ {
				syscall.Getpgid(0)
			}
		}
	X
	for flags in '' -w '-s -w'; do
		build_go x -ldflags "$flags"
		for method in cfi bpf; do
			mp-record -q --realtime -F 999 -g "user:$method" -o "$TMP/s" -- "$TMP/x" > /dev/null || [ $? = 1 ]
			whole 950 50 "$method"
			fold_recording
			# leaf has no frame: by frame pointers its caller is missing
			has '^x;runtime.goexit(.abi0)?;main.main.func1;(main.work;)?(main.middle;){4}main.leaf ' 80
		done
		mp-record -q -e syscalls:sys_enter_getpgid -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
		# a stack has no place if an interrupt delays its sample
		[ "$(grep -c "stack=runtime.goexit[^;]*;runtime.main;main.main;syscall.Getpgid;" "$TMP/s")" = $((97 - $(late))) ] && [ "$(late)" -lt 20 ] || { grep -o "stack=.*" "$TMP/s" | sort | uniq -c; false; }
	done
	build_go pie -buildmode=pie -ldflags '-s -w'
	sample "$TMP/pie"
	whole 950 50
	has '^pie;runtime.goexit(.abi0)?;main.main.func1;(main.work;)?(main.middle;){4}main.leaf ' 80
}

@test "frames by .gopclntab are those of Go's own .debug_frame, on three architectures" {
	needs_go
	# the runtime, which is compiled for each of them, has functions of all kinds
	printf 'package main\nfunc main() { println() }\n' > "$TMP/x.go"
	for arch in amd64 arm64 riscv64; do
		CGO_ENABLED=0 GOARCH=$arch build_go "$arch" || skip "Go does not build for $arch"
		run "$BUILD/tools/gorows" "$TMP/$arch"
		echo "$arch: $output"
		[[ "$output" =~ ^([0-9]+)\ rows,\ 0\ differ,\ ([0-9]+)\ in ]]
		[ "${BASH_REMATCH[1]}" -gt 5000 ] && [ "${BASH_REMATCH[2]}" -lt 100 ]
	done
}

@test "stacks of C that Go calls continue with the goroutine by BPF, and end with the reason in copies" {
	needs_go
	bpf_works
	cat > "$TMP/x.go" <<-'X'
		package main

		/*
		static volatile long n;
		__attribute__((noinline)) void in_c(long k) { for (long i = 0; i < k; i++) n++; }
		*/
		import "C"

		import (
			"syscall"
			"time"
		)

		//go:noinline
		func calls() { C.in_c(1000000) }

		func main() {
			for {
				calls()
				var r syscall.Rusage
				syscall.Getrusage(0, &r)
				if time.Duration(r.Utime.Nano()) > 400*time.Millisecond {
					return
				}
			}
		}
	X
	for mode in exe pie; do
		build_go x -buildmode=$mode -ldflags '-w' || skip "no cgo"
		mp-record -q --realtime -F 999 -g user:bpf -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
		fold_recording
		has '^x;runtime.goexit[^;]*;runtime.main;main.main;main.calls;main._Cfunc_in_c[^;]*;([^;]*;)*runtime.asmcgocall[^;]*;in_c ' 70
		mp-record -q --realtime -F 999 -g user:cfi -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
		[ "$(trailer "$TMP/s" 'unwound.cfi | .reasons["other-stack"] * 10 > .stacks * 7')" = true ]
		grep -q 'stack=\[truncated\];runtime.asmcgocall[^;]*;in_c$' "$TMP/s"
	done
}

@test "stacks of a program without section headers are complete" {
	cat > "$TMP/x.c" <<-'X'
		#include "tests/load/cpu.h"
		static volatile unsigned long n;
		__attribute__((noinline)) static void burn(int k) { volatile char pad[100]; pad[k] = 1; if (k) { burn(k - 1); n += pad[k]; return; } do for (int i = 0; i < 100000; i++) n++; while (cpu_seconds() < 0.4); }
		int main(void) { burn(5); return 0; }
	X
	gcc -I. -O1 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	# e_shoff, e_shnum and e_shstrndx of ELF64 are 0
	cp "$TMP/x" "$TMP/bare"
	printf '\0\0\0\0\0\0\0\0' | dd of="$TMP/bare" bs=1 seek=40 conv=notrunc status=none
	printf '\0\0\0\0' | dd of="$TMP/bare" bs=1 seek=60 conv=notrunc status=none
	sample "$TMP/bare"
	whole 980 50
	has '__libc_start_main' 80
}

@test "a stack longer than the copied part is truncated and reported" {
	cat > "$TMP/x.c" <<-'X'
		#include "tests/load/cpu.h"
		static volatile unsigned long n;
		__attribute__((noinline)) static void burn(int k) { volatile char pad[1000]; pad[k] = 1; if (k) { burn(k - 1); n += pad[k]; return; } do for (int i = 0; i < 100000; i++) n++; while (cpu_seconds() < 0.4); }
		int main(void) { burn(40); return 0; }
	X
	gcc -I. -O1 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	mp-record --realtime -e cpu-clock -F 999 -g user --stack-size 16K -o "$TMP/s" -- "$TMP/x" 2> "$TMP/err" || [ $? = 1 ]
	[ "$(trailer "$TMP/s" 'unwound.cfi | .reasons["stack-size"] > 50 and .reasons["stack-size"] * 10 > .stacks * 9')" = true ]
	grep -q 'stack=\[truncated\];burn;burn' "$TMP/s"
	grep -q 'end beyond the copied part of the stack (--stack-size)' "$TMP/err"
	[ "$(trailer "$TMP/s" truncated)" = "$(grep -c 'stack=\[truncated\]' "$TMP/s")" ]
	mp-record -q --realtime -e cpu-clock -F 999 -g user --stack-size 60K -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
	whole 980 50
	mp-record -q --realtime -e cpu-clock -F 999 -g user --stack-size 60K --max-stack 10 -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
	[ "$(trailer "$TMP/s" 'unwound.cfi | .reasons["max-stack"] * 10 > .stacks * 9')" = true ]
	grep -q 'stack=\[truncated\];\(burn;\)\{9\}burn$' "$TMP/s"
}

@test "with frame pointers, too, the share of stacks that reached the root is reported" {
	mp-record -q --realtime -e cpu-clock -F 999 -g user:fp -o "$TMP/s" -- "$LOAD/spin" 1 > /dev/null || [ $? = 1 ]
	[ "$(trailer "$TMP/s" 'unwound.fp | .stacks > 50 and .whole * 10 < .stacks')" = true ]
	# a program in which every frame has a frame pointer and the first is marked as the root
	cat > "$TMP/x.c" <<-'X'
		static volatile unsigned long n;
		/* clock_gettime(CLOCK_PROCESS_CPUTIME_ID) without a library */
		static long cpu_ns(void) { long r = 228, t[2]; __asm__ volatile("syscall" : "+a"(r) : "D"(2), "S"(t) : "rcx", "r11", "memory"); return t[0] * 1000000000 + t[1]; }
		__attribute__((noinline)) static void burn(void) { do for (int i = 0; i < 100000; i++) n++; while (cpu_ns() < 400000000); }
		__attribute__((used)) static void run(void) { burn(); __asm__ volatile("syscall" : : "a"(231), "D"(0)); }
		__asm__(".globl _start\n_start: .cfi_startproc\n.cfi_undefined rip\nxor %ebp,%ebp\npush %rbp\nmov %rsp,%rbp\ncall run\nhlt\n.cfi_endproc\n");
	X
	[ "$(uname -m)" = x86_64 ] || skip "its assembler is for x86-64"
	gcc -O1 -fno-omit-frame-pointer -nostdlib -static -o "$TMP/x" "$TMP/x.c"
	mp-record -q --realtime -e cpu-clock -F 999 -g user:fp -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
	whole 900 50 fp
}

@test "a frame pointer of 0 is not taken for the root of a thread" {
	[ "$(uname -m)" = x86_64 ] || skip "its assembler is for x86-64"
	# a leaf without call frame information that has 0 in rbp
	cat > "$TMP/x.c" <<-'X'
		#include "tests/load/cpu.h"
		long leaf(long n);
		__asm__(".text\n.globl leaf\n.type leaf,@function\nleaf: push %rbp\n push %rbx\n xor %ebp,%ebp\n xor %eax,%eax\n"
			"1: add $1,%rax\n cmp %rdi,%rax\n jb 1b\n pop %rbx\n pop %rbp\n ret\n.size leaf,.-leaf\n");
		__attribute__((noinline)) static long calls(void) { long n = 0; do n += leaf(1000000); while (cpu_seconds() < 0.4); return n; }
		int main(void) { return calls() == 7; }
	X
	gcc -I. -O2 -fomit-frame-pointer -o "$TMP/x" "$TMP/x.c"
	for method in cfi bpf; do
		[ "$method" = cfi ] || bpf_works
		mp-record --realtime -F 999 -g "user:$method" -o "$TMP/s" -- "$TMP/x" 2> "$TMP/err" || [ $? = 1 ]
		n=$(grep -c 'stack=\[truncated\];leaf$' "$TMP/s")
		# of stacks for which there is no record of the BPF program, only the current address is known, too
		[ "$(trailer "$TMP/s" "unwound.$method | .reasons.unknown > 50 and .reasons.unknown + (.reasons.tables // 0) >= $n and
			.whole + (.reasons | add) == .stacks")" = true ]
		grep -q 'end at a frame pointer of 0, in code that is not known to be a root' "$TMP/err"
	done
	# all frames have frame pointers; the first function is known by its symbol, or by the entry point of a stripped file
	cat > "$TMP/y.c" <<-'X'
		static volatile unsigned long n;
		static long cpu_ns(void) { long r = 228, t[2]; __asm__ volatile("syscall" : "+a"(r) : "D"(2), "S"(t) : "rcx", "r11", "memory"); return t[0] * 1000000000 + t[1]; }
		__attribute__((noinline)) static void burn(void) { do for (int i = 0; i < 100000; i++) n++; while (cpu_ns() < 400000000); }
		__attribute__((used)) static void run(void) { burn(); __asm__ volatile("syscall" : : "a"(231), "D"(0)); }
		__asm__(".globl _start\n.type _start,@function\n_start: xor %ebp,%ebp\ncall run\nhlt\n.size _start,.-_start\n");
	X
	for flags in '' -s; do
		gcc -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -nostdlib -static $flags -o "$TMP/y" "$TMP/y.c"
		for method in cfi bpf fp; do
			[ "$method" != bpf ] || bpf_works
			mp-record -q --realtime -e cpu-clock -F 999 -g "user:$method" -o "$TMP/s" -- "$TMP/y" || [ $? = 1 ]
			whole 900 50 "$method"
		done
	done
}

@test "stacks of a static program with musl are truncated where it has no frame pointers" {
	command -v musl-gcc > /dev/null || skip "no musl-gcc"
	printf '%s\n' '#include "tests/load/cpu.h"' 'static volatile unsigned long n;' \
		'__attribute__((noinline)) static void burn(void) { do for (int i = 0; i < 100000; i++) n++; while (cpu_seconds() < 0.3); n++; }' \
		'int main(void) { burn(); return 0; }' > "$TMP/x.c"
	musl-gcc -I. -O1 -static -o "$TMP/x" "$TMP/x.c"
	sample "$TMP/x"
	# its start files have neither call frame information nor frame pointers
	[ "$(trailer "$TMP/s" 'unwound.cfi | .stacks > 50')" = true ]
	# only one that has not come beyond the first function is complete
	[ "$(trailer "$TMP/s" unwound.cfi.whole)" = "$(grep -c '^[0-9].*stack=_start$' "$TMP/s")" ]
	has ';\[truncated\];.*;main;burn ' 80
}

@test "of 32-bit programs only the current address is recorded, with the reason" {
	[ "$(uname -m)" = x86_64 ] || skip "32-bit programs of x86-64"
	cat > "$TMP/x.c" <<-'X'
		static int call(int n, void *a, void *b) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b) : "memory"); return r; }
		__attribute__((noinline)) static void naps(void) { int t[2] = { 0, 1000000 }; for (int i = 0; i < 97; i++) call(162, t, 0); }
		void _start(void) { naps(); call(1, 0, 0); }
	X
	gcc -m32 -O1 -nostdlib -static -ffreestanding -o "$TMP/x" "$TMP/x.c" || skip "the compiler makes no 32-bit programs"
	"$TMP/x" || skip "this kernel runs no 32-bit programs"
	for method in bpf cfi; do
		mp-record -q -g user:$method -e sched:sched_switch -o "$TMP/s" -- "$TMP/x" || [ $? = 1 ]
		[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = $method ] || skip "this kernel does not take the BPF program"
		[ "$(trailer "$TMP/s" "unwound.$method | .reasons.abi >= 50 and .reasons.abi + (.reasons.tables // 0) == .stacks")" = true ]
		[ "$(grep -c 'stack=\[truncated\];naps$' "$TMP/s")" -ge 97 ]
	done
}

@test "the comparison with perf separates equal stacks, stacks that perf truncated, and different ones" {
	perf_line() { printf ' 7 1.%09d: \n' "$1"; printf '\t%s x\n' "${@:2}"; echo; }
	{ perf_line 1 a1 b2 c3; perf_line 2 a1 b2; perf_line 3 a1 b2; perf_line 4 a1 b2 c3; perf_line 5 a1 b9; perf_line 6; perf_line 8 a1; perf_line 9 a1; } > "$TMP/perf"
	cat > "$TMP/ours" <<-'X'
		7 7 1000000001 complete a1 b2* c3
		7 7 1000000002 complete a1 b2* c3
		7 7 1000000003 complete a1* b2 c3
		7 7 1000000004 cfi a1 b2
		7 7 1000000005 complete a1 b2
		7 7 1000000006 complete a1
		7 7 1000000008 cfi a1 b2
		7 7 1000000009 no-stack
		7 7 1000000010 complete a1
	X
	tests/tools/compare-unwound "$TMP/perf" "$TMP/ours" > "$TMP/compared"
	diff - "$TMP/compared" <<-'X'
		7 stacks, 71.43 % complete, 14.29 % equal, 42.86 % equal or explained
		1 explained: perf ends early, ours continues to the root
		1 explained: perf ends in code without call frame information, ours continues to the root
		1 different: other (cfi)
		1 different: other (complete)
		1 different: perf continues beyond our end (cfi)
		1 different: perf has none
	X
	run tests/tools/compare-unwound "$TMP/perf" /dev/null
	[ "$status" != 0 ] && [ "$output" = "no stacks in both" ]
}
