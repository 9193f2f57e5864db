#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Symbols, looked up while recording.

bats_require_minimum_version 1.5.0
load lib

setup() {
	make_tmp
	needs_root
}

# Samples a command's user stacks and folds them.
sample() {
	mp-record -q -e cpu-clock -F "${RATE:-500}" -g user -o "$TMP/s" -- "$@" > /dev/null || [ $? = 1 ]
	mp-fold "$TMP/s" > "$TMP/f"
}

named() {	# most of the samples have this in their stack
	awk -v want="$1" '{ n += $NF } index($0, want) { m += $NF } END { exit !(n > 20 && m > n * 0.8) }' "$TMP/f" ||
		{ head -5 "$TMP/f"; false; }
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
	mp-record -q -e cpu-clock -F 500 -g user -n 100 -p "$(cat "$TMP/pid")" > "$TMP/s" || [ $? = 1 ]
	mp-fold "$TMP/s" > "$TMP/f"
	named ";main;spin_caller;spin_here"
}

@test "frames have names when the program and its file are gone before the samples are read" {
	for _ in 1 2 3; do
		cp "$LOAD/spin" "$TMP/spin"
		mp-record -q -a -e cpu-clock -F 2000 -g user -o "$TMP/s" -- sh -c "'$TMP/spin' 0.15; rm '$TMP/spin'" > /dev/null || [ $? = 1 ]
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
	mp-record -q -e cpu-clock -F 500 -g user -o "$TMP/s" -- "$LOAD/jit" 1.2 || [ $? = 1 ]
	mp-fold --annotate "$TMP/s" > "$TMP/f"
	first=$(awk '/;first_\[j\]/ { n += $NF } END { print n + 0 }' "$TMP/f")
	second=$(awk '/;second one_\[j\]/ { n += $NF } END { print n + 0 }' "$TMP/f")
	echo "$first first, $second second"
	# each runs for half of the CPU time; a name is trusted for 100 ms, at most 50 samples
	[ $((first + second)) -gt 300 ] && [ $((first - second)) -lt 160 ]
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
		#include "tests/load/cpu.h"
		int tiny(void);
		int main(void) { long n = 0; do for (int i = 0; i < 100000; i++) n += tiny(); while (cpu_seconds() < 0.5); return n == 0; }
	X
	gcc -O1 -fPIC -shared -o "$TMP/libtiny.so" "$TMP/tiny.c"
	for how in "-fcf-protection=full -Wl,-z,lazy" "-Wl,-z,lazy -Wl,-z,ibtplt" "-Wl,-z,now"; do
		gcc -I. -O1 -fno-omit-frame-pointer $how -o "$TMP/m" "$TMP/m.c" -L"$TMP" -ltiny -Wl,-rpath,"$TMP" || continue
		RATE=5000 sample "$TMP/m"	# the clock finds few of the stub's two instructions
		grep -q 'tiny@plt' "$TMP/f" || { echo "$how"; cat "$TMP/f"; false; }
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
	sleep 0.5
	pids+=$(cat "$TMP/pid1")
	perf record -N -q -a -e cpu-clock -F 2500 -o "$TMP/data" -- sleep 2 > /dev/null 2>&1
	perf script -i "$TMP/data" -F pid,ip,sym 2> /dev/null | perl -ne '
		my ($pid, $ip, $sym) = /^\s*(\d+)\s+([0-9a-f]+) (.*)$/ or next;
		next unless $ip =~ /^ffff/ or -e "/proc/$pid/exe";
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
		# of other programs, which may end at any time
		next unless $ip =~ /^ffff/ or -e "/proc/$pid/exe";
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
	kill $pids || true
	tail -n 5 "$TMP/diff"
}
