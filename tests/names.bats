#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Names of threads, from prctl to the folded file.

bats_require_minimum_version 1.5.0
load lib

GETPPID=syscalls:sys_enter_getppid

setup() {
	make_tmp
	needs_root
}

@test "odd names reach the folded file, each with its count" {
	mp-record -q -e $GETPPID -g none -o "$TMP/s" -- "$LOAD/getppid" 37 'io worker 1/2' 'my app: 12/34' \
		'7/8 [001] 9.1:' '' 'a;b;c' ' leading' '#hash' 'new\nline' 'tab\ttab' 'trailing ' 'worker 12' \
		'{"mp":2}' '5#a;b' '12,a:b,' 'back\slash' '<script>' 'höher'
	# the names as mp-folded(5) writes them; a name has at most 15 bytes
	LC_ALL=C sort > "$TMP/want" <<-'X'
		 37
		 leading 37
		#hash 37
		12\x2ca:b, 37
		5\x23a\x3bb 37
		7/8 [001] 9.1: 37
		<script> 37
		\x7b"mp":2} 37
		a\x3bb\x3bc 37
		back\\slash 37
		höher 37
		io worker 1/2 37
		my app: 12/34 37
		new\nline 37
		tab\ttab 37
		trailing\x20 37
		worker\x2012 37
	X
	mp-fold "$TMP/s" > "$TMP/got"
	diff "$TMP/want" "$TMP/got"
	# folding again changes nothing, and flamegraph.pl accepts every line
	mp-fold "$TMP/got" | cmp - "$TMP/got"
	perl /usr/share/perl5/Devel/NYTProf/flamegraph.pl "$TMP/got" > "$TMP/svg" 2> "$TMP/err"
	[ ! -s "$TMP/err" ]
	[ "$(grep -o '<title>[^<]*(37 samples' "$TMP/svg" | wc -l)" = 16 ]	# the empty name adds only to the root
	grep -q '(629 samples, 100%)' "$TMP/svg"
}

@test "an event has the name that its task had at that time, even if renamed during the recording" {
	mp-record -q -e $GETPPID -g none -o "$TMP/s" -- "$LOAD/getppid" 11 one two three
	[ "$(mp-fold "$TMP/s")" = "$(printf 'one 11\nthree 11\ntwo 11')" ]
}

# Prints "tid comm" of each thread, but the kernel's workers, which rename themselves, by tid.
threads() {
	perl -e 'for (glob "/proc/[0-9]*/task/[0-9]*/comm") {
		my ($tid) = m,task/(\d+)/,;
		open my $f, "<", $_ or next;
		my $comm = <$f> // next;
		print "$tid $comm" unless $comm =~ /^kworker/;
	}' | sort
}

@test "threads that ran before the recording have their names" {
	start_load sh -c 'while :; do sleep 0.01; done'
	start_load "$LOAD/steady" 600
	until grep -qx steady "/proc/$LOAD_PID/comm"; do await; done
	threads > "$TMP/before"
	mp-record -q --realtime -m 16M -e sched:sched_switch -g none -n 3000 > "$TMP/s" || [ $? = 1 ]
	threads | comm -12 "$TMP/before" - > "$TMP/same"
	grep -qx "$LOAD_PID steady" "$TMP/same"
	# the tracepoint and the recorder agree on the task that is switched out
	grep -E '^[0-9]+,' "$TMP/s" | perl -e '
		open my $same, "<", shift;
		my %same = map { /^(\d+)/; $1 => 1 } <$same>;
		while (<STDIN>) {
			my %f = map { split /=/, $_, 2 } split /\t/, (split /,/, $_, 3)[2];
			next if $f{tid} == 0;
			$bad++, print if $f{tid} != $f{".prev_pid"};
			next unless $same{$f{tid}};	# others have started, ended or got another name meanwhile
			$n++;
			# /proc has more than 15 bytes of the name of a kernel thread
			$bad++, print "$f{comm} $f{q(.prev_comm)}\n" if substr($f{comm}, 0, 15) ne $f{".prev_comm"};
		}
		END { print "$n\n"; exit($bad ? 1 : $n ? 0 : 2) }' "$TMP/same"
}

@test "an exiting task keeps its name and ids up to its last switch" {
	cp "$(type -P true)" "$TMP/mp-true"	# a name that nothing else on this machine has
	# events attached to a task are removed before its last switch: hence the whole system
	mp-record -q --realtime -m 16M -a -e 'sched:sched_switch/prev_comm=="mp-true"/' -g none -o "$TMP/s" -- sh -c 'for i in 1 2 3 4 5; do "$1"; done' sh "$TMP/mp-true" || [ $? = 1 ]
	! grep -E '^[0-9]+,' "$TMP/s" | grep -E '(pid|tid)=-|comm=:.*	\.prev_comm=mp-true	' || false
	[ "$(grep -E '^[0-9]+,' "$TMP/s" | grep -cE 'comm=mp-true	.prev_comm=mp-true.*prev_state=(16|32|64|80|128)\([A-Z|]+\)	')" = 5 ]
}

@test "idle tasks have a name for each CPU" {
	mp-record -q -e sched:sched_switch -g none -d 300ms > "$TMP/s" || [ $? = 1 ]
	! grep -E '^[0-9]+,' "$TMP/s" | grep 'tid=0	' | grep -vE 'cpu=([0-9]+)	pid=0	tid=0	comm=swapper/\1	' || false
}

@test "--names replaces names by those of a table while recording, in the context and in the payload" {
	needs_root
	printf 'getppid,renamed while recorded\n' > "$TMP/names.csv"
	mp-record -q --names "$TMP/names.csv" -e syscalls:sys_enter_getppid,sched:sched_process_exit -g none -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(grep -c ',syscalls:sys_enter_getppid,.*comm=renamed while recorded' "$TMP/s")" = 1009 ]
	grep -q '\.comm=renamed while recorded' "$TMP/s"
	run ! grep -q 'comm=getppid' "$TMP/s"
	# as mp-rename does it afterwards
	mp-record -q -e syscalls:sys_enter_getppid -g none -o "$TMP/t" -- "$LOAD/getppid" 11
	[ "$(mp-rename -m "$TMP/names.csv" "$TMP/t" | grep -c 'comm=renamed while recorded')" = 11 ]
	printf 'nonsense\n' > "$TMP/bad.csv"
	run mp-record -q --names "$TMP/bad.csv" -e cpu-clock -d 1ms -o /dev/null
	[ "$status" = 1 ]
	[[ "$output" == *"bad.csv:1: row needs 2 columns"* ]]
}

@test "the table of a QEMU process names its virtual CPUs and its uuid" {
	for t in 700 701 702 703; do mkdir -p "$TMP/proc/700/task/$t"; done
	printf 'qemu-system-x86_64\0-name\0guest=web "1",debug-threads=on\0-uuid\0f00d-1\0' > "$TMP/proc/700/cmdline"
	echo qemu-system-x86 > "$TMP/proc/700/task/700/comm"
	echo 'CPU 0/KVM' > "$TMP/proc/700/task/701/comm"
	echo 'CPU 11/KVM' > "$TMP/proc/700/task/702/comm"
	echo worker > "$TMP/proc/700/task/703/comm"
	PROC="$TMP/proc" docs/mp-qemu-names 700 > "$TMP/names.csv"
	printf '%d,a:b,tid=%d\tcomm=x\n' 1 700 2 701 3 702 4 703 > "$TMP/in"
	mp-rename -m "$TMP/names.csv" "$TMP/in" | grep -o 'comm=.*' > "$TMP/out"
	printf 'comm=web "1".%s\n' emulator vcpu0 vcpu11 worker | diff - "$TMP/out"
	grep -q '^701,"web ""1""",vcpu0,f00d-1,,,"web ""1"""$' "$TMP/names.csv"
	run docs/mp-qemu-names
	[ "$status" = 2 ]
}
