#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Polled values: memory of processes, compared with /proc and in one stream with events.

bats_require_minimum_version 1.5.0
load lib

GETPPID=syscalls:sys_enter_getppid

count() {
	grep -c "^[0-9]*,$1" "$2" || true
}

# A program that touches N MiB and waits, under a name that nothing else has.
make_sitter() {
	cat > "$TMP/sit.c" <<-'X'
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		int main(int argc, char **argv) {
			size_t n = (size_t)atoi(argv[1]) << 20;
			memset(malloc(n), 1, n);
			write(1, "\n", 1);
			pause();
		}
	X
	gcc -O0 -o "$TMP/mp-sitter" "$TMP/sit.c"
}

# Starts one of N MiB; its pid is in $sitter.
sit() {
	"$TMP/mp-sitter" "$1" > "$TMP/ready" 3>&- &
	sitter=$!
	until [ -s "$TMP/ready" ]; do await; done
	# what it touches before it waits in pause() is memory, too
	until grep -q '^State:.*S' "/proc/$sitter/status"; do await; done
	: > "$TMP/ready"
}

rss_of() {
	echo $(($(cut -d ' ' -f 2 "/proc/$1/statm") * $(getconf PAGESIZE)))
}

@test "mem:rss shows 13 MiB that appear between two recorded system calls" {
	needs_root
	cat > "$TMP/grow.pl" <<-'X'
		my $stream = shift;
		sub wait_for_samples {
			my $more = 9 + `grep -c ,mem:rss,.*comm=perl $stream`;
			select undef, undef, undef, 0.01 until `grep -c ,mem:rss,.*comm=perl $stream` >= $more;
		}
		my $room = "y" x (2 << 20);
		wait_for_samples();
		getppid();
		my $more = "x" x (13 << 20);
		getppid();
		wait_for_samples();
		getppid(); # later samples see a process that exits and frees its memory
	X
	mp-record -q -e $GETPPID/stack=none/,mem:rss/interval=10ms/ -o "$TMP/s" -- perl "$TMP/grow.pl" "$TMP/s" || [ $? = 1 ]
	mp-order --check "$TMP/s" > /dev/null
	[ "$(count $GETPPID "$TMP/s")" -ge 3 ]
	# the kernel counts pages on each CPU, and may be wrong by 32, or twice as many as there are CPUs, for each
	perl -sne '
		# its children also have its name until they run another program
		next unless /^(\d+),(\S+?),.*\bpid=(\d+)\t.*comm=perl\t/; my ($time, $type) = ($1, $2);
		next if $3 != ($pid //= $3);
		if ($type eq "syscalls:sys_enter_getppid") { push @marks, $time; next }
		my ($bytes) = /\.bytes=(\d+)/; my ($dur) = /dur=(\d+)/;
		push @samples, [$time - $dur, $time, $bytes];
		END {
			for (@samples) {
				my ($began, $time, $bytes) = @$_;
				if ($time < $marks[0]) { $before = $bytes; $n_before++ }
				next unless $began > $marks[1] && $time < $marks[2];
				$n_after++;
				$bad++ if $bytes - $before < (13 << 20) - $error || $bytes - $before > (14 << 20) + $error;
			}
			print "$n_before before, $n_after after, $bad with another growth\n";
			exit !(@marks == 3 && $n_before >= 2 && $n_after >= 2 && !$bad);
		}' -- -error=$((CPUS * (CPUS > 16 ? 2 * CPUS : 32) * $(getconf PAGESIZE))) "$TMP/s"
	[ "$(trailer "$TMP/s" records)" = "$(grep -c '^[0-9]' "$TMP/s")" ]
	[ "$(trailer "$TMP/s" fired)" = "$(count $GETPPID "$TMP/s")" ]
}

@test "mem:rss agrees with statm, mem:pss with smaps_rollup" {
	needs_own_events
	make_sitter
	sit 13
	mp-record -q -e mem:rss,mem:pss -p $sitter -n 2 -o "$TMP/s"
	rss=$(grep -m 1 ',mem:rss,' "$TMP/s" | grep -o 'bytes=[0-9]*' | cut -d = -f 2)
	pss=$(grep -m 1 ',mem:pss,' "$TMP/s" | grep -o 'bytes=[0-9]*' | cut -d = -f 2)
	want=$(awk '/^Pss:/ { print $2 * 1024 }' /proc/$sitter/smaps_rollup)
	echo "rss $rss, statm $(rss_of $sitter); pss $pss, smaps_rollup $want"
	[ "$rss" = "$(rss_of $sitter)" ]
	[ "$pss" -gt $((13 << 20)) ]
	[ "$pss" -lt "$rss" ]
	# its share of a shared page shrinks when another program that maps it starts
	[ $((pss - want)) -lt 300000 ]
	[ $((want - pss)) -lt 300000 ]
	head -n 1 "$TMP/s" | jq -e '.events["mem:rss"][".bytes"] == "u64"' > /dev/null
}

@test "top=N writes the largest and one for the rest, which add up to the whole" {
	needs_root
	make_sitter
	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$root" ] && mkdir "$root/mp-mem-$$" 2> /dev/null || skip "no cgroup2 to write to"
	mkdir "$root/mp-mem-$$/below"
	sum=0
	for mib in 2 3 5 7 11 13 17; do
		sit $mib
		echo $sitter > "$root/mp-mem-$$$([ $mib -gt 10 ] || echo /below)/cgroup.procs"
		sum=$((sum + $(rss_of $sitter)))
		[ $mib -lt 11 ] || large="$large $sitter"
		pids="$pids $sitter"
	done
	mp-record -q -e mem:rss/top=3/ --cgroup "/mp-mem-$$" -i 60s -d 2s -o "$TMP/s"
	mp-record -q -e mem:rss --cgroup "/mp-mem-$$*" -i 60s -d 2s -o "$TMP/all"
	kill $pids
	wait $pids || true
	remove_cgroup "$root/mp-mem-$$/below"
	remove_cgroup "$root/mp-mem-$$"
	[ "$(count mem:rss "$TMP/s")" = 4 ]
	for pid in $large; do
		grep -q ",mem:rss,pid=$pid	tid=$pid	comm=mp-sitter	cgroup=/mp-mem-$$	.bytes=" "$TMP/s"
	done
	grep -qE ',mem:rss,comm=\[rest\]	.bytes=[0-9]+	.processes=4	dur=[0-9]+$' "$TMP/s"
	for file in s all; do
		[ "$(grep -o '\.bytes=[0-9]*' "$TMP/$file" | awk -F= '{ n += $2 } END { print n }')" = $sum ]
	done
	[ "$(count mem:rss "$TMP/all")" = 7 ]
}

@test "with top=N a process that was among the largest keeps its own line, so that nothing counts twice" {
	needs_root
	cat > "$TMP/turns.pl" <<-'X'
		my ($stream) = @ARGV;
		sub wait_for { my ($what, $n) = @_; select undef, undef, undef, 0.01 until `grep -c '$what' $stream` >= $n }
		# each is larger than those before, and is seen to be larger before the next one starts
		for my $i (1 .. 4) {
			my $pid = fork // die;
			if (!$pid) {
				my $room = "x" x ($i << 23);
				sleep 600;
				exit;
			}
			wait_for(",mem:rss,pid=$pid\t", 3);
		}
		wait_for("rest", 3 + `grep -c rest $stream`);
		kill TERM => -getpgrp();
	X
	mp-record -q -e mem:rss/top=1,interval=10ms/ -o "$TMP/s" -- setsid perl "$TMP/turns.pl" "$TMP/s" 2> /dev/null || [ $? = 1 ]
	perl -ne '
		next unless /^(\d+),mem:rss,(?:pid=(\d+)\t|comm=\[rest\])/;
		$seen{$1}{$2 // "rest"}++; $times{$1}++;
		END {
			for my $t (sort { $a <=> $b } keys %seen) {
				my @pids = grep { $_ ne "rest" } keys %{$seen{$t}};
				$rest ||= $seen{$t}{rest};
				die "no rest at $t\n" if $rest && !$seen{$t}{rest};
				for (@pids) { $life{$_}++; $first{$_} //= $t; $last{$_} = $t }
			}
			# from the first time to the last without a gap
			for my $pid (keys %life) {
				my $n = grep { $_ >= $first{$pid} && $_ <= $last{$pid} } keys %seen;
				die "$pid: $life{$pid} of $n\n" if $n != $life{$pid};
			}
			print scalar(keys %life), " of 5 were the largest once\n";
			exit(keys(%life) < 4);
		}' "$TMP/s"
}

@test "a command and its children, -p and -t are polled, and excluded processes are not" {
	needs_root
	make_sitter
	cat > "$TMP/starts.pl" <<-'X'
		my ($sitter, $stream) = @ARGV;
		my $pid = fork // die;
		if (!$pid) { open STDOUT, ">", "/dev/null"; exec $sitter, 3 }
		select undef, undef, undef, 0.01 until `grep -c mp-sitter $stream` > 5;
		kill TERM => $pid;
	X
	mp-record -q -e mem:rss/interval=10ms/ -o "$TMP/s" -- perl "$TMP/starts.pl" "$TMP/mp-sitter" "$TMP/s" || [ $? = 1 ]
	[ "$(grep -c 'comm=mp-sitter	' "$TMP/s")" -gt 2 ]
	grep -q 'comm=perl	' "$TMP/s"
	! grep -vE '^[{]|comm=(perl|sh|grep|mp-sitter)	' "$TMP/s" || false
	sit 2
	one=$sitter
	sit 2
	mp-record -q -e mem:rss -p $one,$sitter --exclude-pid $one -i 60s -d 2s -o "$TMP/s"
	[ "$(count mem:rss "$TMP/s")" = 1 ]
	grep -q "pid=$sitter	" "$TMP/s"
	mp-record -q -e mem:rss -t $one -i 60s -d 2s -o "$TMP/s"
	[ "$(count mem:rss "$TMP/s")" = 1 ]
	grep -q "pid=$one	" "$TMP/s"
	mp-record -q -e mem:rss -i 60s -d 2s -o "$TMP/s" &
	recorder=$!
	wait $recorder
	grep -q "pid=$one	" "$TMP/s"
	grep -q "pid=$sitter	" "$TMP/s"
	! grep -q "pid=$recorder	" "$TMP/s" || false
	# it ends with the process
	rm "$TMP/s"
	mp-record -q -e mem:rss -p $one -o "$TMP/s" &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	kill $one
	timeout 120 tail --pid $recorder -f /dev/null
	wait $recorder || [ $? = 1 ]
}

@test "--fields, --names, -n and a terminal apply to polled values as to events" {
	needs_root
	make_sitter
	sit 2
	mp-record -q -e mem:rss --fields comm,.bytes -p $sitter -i 60s -d 2s -o "$TMP/s"
	[ "$(grep -cE '^[0-9]+,mem:rss,comm=mp-sitter	\.bytes=[0-9]+$' "$TMP/s")" = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -c '.events["mem:rss"]')" = '{".bytes":"u64"}' ]
	mp-record -q -e mem:rss --fields dur -p $sitter -i 60s -d 2s -o "$TMP/s"
	[ "$(grep -cE '^[0-9]+,mem:rss,dur=[0-9]+$' "$TMP/s")" = 1 ]
	echo 'mp-sit*,renamed' > "$TMP/names"
	mp-record -q -e mem:rss --names "$TMP/names" -p $sitter -i 60s -d 2s -o "$TMP/s"
	[ "$(grep -c 'comm=renamed	' "$TMP/s")" = 1 ]
	mp-record -q -e mem:rss -i 1ms -n 7 -p $sitter -o "$TMP/s"
	[ "$(count mem:rss "$TMP/s")" = 7 ]
	[ "$(trailer "$TMP/s" records)" = 7 ]
	command -v script > /dev/null || skip "no script(1)"
	script -qec "mp-record -q -e mem:rss -p $sitter -i 60s -d 2s" /dev/null > "$TMP/out" < /dev/null
	grep -qE "^ *[0-9.]+ mp-sitter:$sitter mem:rss \.bytes=[0-9]+ dur=" "$TMP/out"
}

@test "polled values are in order among a flood of events, and watermarks hold" {
	needs_root
	# a busy machine may skip samples as long as the flood lasts, but not after it
	cat > "$TMP/flood" <<-'X'
		"$1" 0 1
		until [ "$(grep -ao '^[0-9]*,mem:rss' "$2" | sort -u | wc -l)" -gt 5 ] && [ "$(grep -ac ',stat:' "$2")" -gt 5 ]; do sleep 0.1; done
	X
	mp-record -q -e sched:sched_switch,sched:sched_waking,mem:rss,stat:context-switches -i 1ms -g none -m 8M -a -o "$TMP/s" -- \
		timeout 120 sh "$TMP/flood" "$LOAD/switch" "$TMP/s" > /dev/null || [ $? = 1 ]
	mp-order --check "$TMP/s"
	[ "$(trailer "$TMP/s" late)" = null ]
	# of all processes, many times
	[ "$(grep -o '^[0-9]*,mem:rss' "$TMP/s" | sort -u | wc -l)" -gt 5 ]
	[ "$(count stat: "$TMP/s")" -gt 5 ]
	[ "$(trailer "$TMP/s" fired)" = $(($(count sched:sched_ "$TMP/s") + $(trailer "$TMP/s" excluded) + $(trailer "$TMP/s" lost))) ]
}

@test "the cost of polling, and what was skipped, is reported in the trailer and with -v" {
	needs_own_events
	make_sitter
	sit 2
	mp-record -v -e mem:rss,mem:pss -i 10ms -p $sitter -n 20 -o "$TMP/s" 2> "$TMP/err"
	tail -n 1 "$TMP/s" | jq -e '.samplers | .["mem:rss"].samples > 2 and .["mem:pss"].cpu_ns > 0 and
		.["mem:rss"].longest_ns > 0 and .["mem:rss"].missed >= 0' > /dev/null
	grep -qE 'mem:pss: [0-9]+ samples, [0-9.]+ ms of CPU time each, [0-9.]+ ms at most' "$TMP/err"
	# a microsecond is too short
	mp-record -q -e mem:pss -i 1us -p $sitter -d 1s -o "$TMP/s" 2> "$TMP/err"
	grep -qE 'mem:pss: skipped [0-9]+ samples' "$TMP/err"
	[ "$(trailer "$TMP/s" 'samplers["mem:pss"].missed')" -gt 0 ]
}

@test "memusage and memtime show 13 MiB that a program touches" {
	needs_root
	cat > "$TMP/grow.pl" <<-'X'
		my $stream = shift;
		sub samples { open my $f, "<", $stream; my $n = 0; while (<$f>) { $n++ if /,mem:rss,.*\tcomm=perl\t/ } return $n }
		sub wait_for_samples { my $want = 3 + samples(); select undef, undef, undef, 0.01 until samples() >= $want }
		my @m;
		wait_for_samples();
		for (1 .. 13) { push @m, "x" x (1 << 20); select undef, undef, undef, 0.02 }
		wait_for_samples();
	X
	mp-record -q memusage:10ms memtime -o "$TMP/s" -- perl "$TMP/grow.pl" "$TMP/s" || [ $? = 1 ]
	grown() {
		sort -n | sed -n '1p;$p' | paste -s -d ' ' | { read -r a b; echo $(((b - a) >> 20)); }
	}
	rss=$(grep ',mem:rss,.*comm=perl	' "$TMP/s" | grep -o 'bytes=[0-9]*' | cut -d = -f 2 | grown)
	told=$(grep ',kmem:rss_stat,.*comm=perl	.*member=1(MM_ANONPAGES)	' "$TMP/s" | grep -o 'size=[0-9]*' | cut -d = -f 2 | grown)
	echo "statm: $rss MiB, rss_stat: $told MiB"
	[ "$rss" -ge 12 ]
	[ "$rss" -le 30 ]
	[ "$told" -ge 12 ]
	[ "$told" -le 30 ]
}

@test "mp-stackplot draws the largest and the rest as the whole" {
	cat > "$TMP/s" <<-'X'
		1000000000,mem:rss,pid=1	comm=a	.bytes=4000000	dur=5
		1000000000,mem:rss,comm=[rest]	.bytes=6000000	.processes=2	dur=5
		2000000000,mem:rss,pid=1	comm=a	.bytes=1000000	dur=5
		2000000000,mem:rss,pid=2	comm=b	.bytes=7000000	dur=5
		2000000000,mem:rss,comm=[rest]	.bytes=2000000	.processes=1	dur=5
		3000000000,mem:rss,pid=1	comm=a	.bytes=1000000	dur=5
		3000000000,mem:rss,pid=2	comm=b	.bytes=7000000	dur=5
		3000000000,mem:rss,comm=[rest]	.bytes=2000000	.processes=1	dur=5
	X
	mp-stackplot -y .bytes --bin 1s "$TMP/s" > "$TMP/svg" 2> "$TMP/err" || [ $? = 1 ]
	# 10 MB at any time: shares are those of the averages
	for want in 'a:20' 'b:46' '\[rest\]:33'; do
		grep -A 1 ">${want%:*}</text>" "$TMP/svg" | grep -q "${want#*:}\.[0-9] %" || { grep '<text' "$TMP/svg"; false; }
	done
}

@test "any user may poll the user's own processes" {
	needs_unprivileged
	needs_own_events unprivileged "$TMP/mp-record"
	make_sitter
	unprivileged "$TMP/mp-record" -q -e mem:rss,mem:pss -i 10ms -- "$TMP/mp-sitter" 5 > "$TMP/s" &
	recorder=$!
	until grep -q ',mem:pss,.*comm=mp-sitter	' "$TMP/s" && grep -q ',mem:rss,.*comm=mp-sitter	' "$TMP/s"; do
		[ -d /proc/$recorder ]
		sleep 0.01
	done
	kill "$(sed -nE 's/.*	tid=([0-9]*)	comm=mp-sitter	.*/\1/p' "$TMP/s" | head -n 1)"
	wait $recorder
	[ "$(trailer "$TMP/s" lost)" = 0 ]
}

@test "polling refuses misuse" {
	run mp-record -e mem:rss/interval=fast/ -d 1
	[ "$status" = 2 ] && [[ "$output" == *"interval=fast: not a duration such as 1s or 20ms"* ]] || false
	run mp-record -e mem:rss/top=0/ -d 1
	[ "$status" = 2 ] && [[ "$output" == *"top=0: not a number from 1 to 1000000"* ]] || false
	run mp-record -e task:exec/interval=1s/ -- true
	[ "$status" = 2 ] && [[ "$output" == *"task:exec: interval= is only for stat:* and mem:*"* ]] || false
	run mp-record -e stat:page-faults/top=3/ -- true
	[ "$status" = 2 ] && [[ "$output" == *"stat:page-faults: top= is only for mem:*"* ]] || false
	run mp-record -e mem:rss/x==1/ -- true
	[ "$status" = 2 ] && [[ "$output" == *"mem:rss: it takes no filter"* ]] || false
	run mp-record -e mem:rs -d 1
	[ "$status" = 2 ]
}
