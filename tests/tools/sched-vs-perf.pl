#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# sched-vs-perf.pl timehist HIST SPANS EVENTS: perf sched timehist and mp-sched on the same events, task by task.
# sched-vs-perf.pl latency LATENCY TSV: perf sched latency -p and mp-sched --tsv.
# Prints the differences, then "compared N, differ M, omitted K".
#
# What touches an unknown span is omitted: perf gives such time to the task that is switched out next, or skips it.
# Also omitted are a task of which the kernel dropped sched_waking, but not sched_wakeup, for which perf knows no
# delay; one that was woken before it had left its CPU, a wakeup that perf forgets; one that was preempted before it
# slept and woken then, which is no delay for mp-sched, because it was runnable all the time; and one that ran after it
# had released its id. Truncated spans are not counted, because in perf a task begins with its first switch.
use strict;
use warnings;
my ($what, $theirs, $ours, $events) = @ARGV;
my (%perf, %mp, %gap, %skip, %seen);
my ($n, $differ) = (0, 0);

# Tasks of which perf misreads a wakeup, or whose run after the release of their id it does not count.
sub skip_odd_tasks {
	my (%on, %preempted, %woken);
	open my $f, '<', $events or die;
	while (<$f>) {
		my ($type, $body) = /^\d+,sched:(sched_\w+),(.*)/ or next;
		my %f = map { split /=/, $_, 2 } split /\t/, $body;
		if ($type eq 'sched_switch') {
			$skip{$f{'.prev_pid'}} = 1 if $f{tid} == -1;
			delete $on{$f{'.prev_pid'}};
			$preempted{$f{'.prev_pid'}} = 1 if $f{'.prev_state'} =~ /^R/;
			$on{$f{'.next_pid'}} = 1;
			delete $preempted{$f{'.next_pid'}};
			delete $woken{$f{'.next_pid'}};
		} elsif ($type eq 'sched_waking') {
			$skip{$f{'.pid'}} = 1 if $on{$f{'.pid'}} || $preempted{$f{'.pid'}};
			$woken{$f{'.pid'}} = 1;
		} elsif ($type eq 'sched_wakeup') {
			$skip{$f{'.pid'}} = 1 if !$woken{$f{'.pid'}};
		}
	}
}

sub timehist {
	skip_odd_tasks();
	open my $f, '<', $ours or die;
	while (<$f>) {
		chomp;
		next if /^\{/;
		my ($time, undef, $body) = split /,/, $_, 3;
		my %f = map { split /=/, $_, 2 } split /\t/, $body;
		my $key = defined $f{cpu} ? sprintf("%d.%06d %d", $time / 1e9, $time / 1000 % 1e6, $f{cpu}) : '';
		if ($f{state} eq 'unknown') {
			$gap{$key} = 1 if $key;
			$skip{$f{tid}} = 1 if $f{tid};
			next;
		}
		# known again after a gap
		$skip{$f{tid}} = 1 if defined $f{cpu} && $seen{$f{cpu}}++ && ($f{cut} // '') =~ /begin|both/;
		next unless $f{tid} && !$f{cut};
		my $t = $mp{$f{tid}} //= [0, 0, 0];
		$t->[0]++, $t->[1] += $f{dur} / 1000 if $f{state} eq 'run';
		$t->[2] += $f{dur} / 1000 if $f{state} eq 'wait';
	}
	open $f, '<', $theirs or die;
	my %first;
	while (<$f>) {
		next unless /^\s*(\d+\.\d+) \[(\d+)\]\s+.*\[(\d+)(?:\/\d+)?\]\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$/;
		my ($time, $cpu, $tid, $delay, $run) = ($1, $2 + 0, $3, $5 * 1000, $6 * 1000);
		$skip{$tid} = 1 if $gap{"$time $cpu"};
		next if !$first{$cpu}++;	# truncated by the beginning
		my $t = $perf{$tid} //= [0, 0, 0];
		$t->[0]++, $t->[1] += $run, $t->[2] += $delay;
	}
	for my $tid (sort { $a <=> $b } keys %perf) {
		next if $skip{$tid} || !$tid;
		my ($p, $m) = ($perf{$tid}, $mp{$tid} // [0, 0, 0]);
		$n++;
		# perf truncates each number to us
		next if $p->[0] == $m->[0] && abs($p->[1] - $m->[1]) <= $p->[0] + 1 && abs($p->[2] - $m->[2]) <= $p->[0] + 1;
		$differ++;
		printf "%d: runs %d %d, run %.0f %.0f us, delay %.0f %.0f us\n", $tid, $p->[0], $m->[0], $p->[1], $m->[1], $p->[2], $m->[2];
	}
}

sub latency {
	open my $f, '<', $ours or die;
	my @names = split /\t/, <$f>;
	while (<$f>) {
		my %f;
		@f{@names} = split /\t/;
		$mp{$f{id}} = \%f if $f{what} eq 'task';
	}
	open $f, '<', $theirs or die;
	while (<$f>) {
		next unless /^\s*.*?:(\d+)\s*\|\s*([\d.]+) ms \|\s*(\d+) \| avg:\s*([\d.]+) ms \| max:\s*([\d.]+)/;
		my ($tid, $waits, $avg, $max) = ($1, $3, $4 * 1e6, $5 * 1e6);
		my $m = $mp{$tid} or next;
		$skip{$tid} = 1, next if $m->{unknown_ns};
		$n++;
		# a delay that has not ended counts as 0; averages are rounded to us
		my $sum = $m->{waits} * $m->{wait_avg_ns};
		next if ($waits - $m->{waits}) =~ /^[01]$/ && abs($sum - $waits * $avg) <= $waits * 1000 &&
			abs($m->{wait_max_ns} - $max) <= 1000;
		$differ++;
		printf "%d: waits %d %d, avg %.0f %.0f, max %.0f %.0f\n", $tid, $waits, $m->{waits}, $avg, $m->{wait_avg_ns}, $max, $m->{wait_max_ns};
	}
}

$what eq 'timehist' ? timehist() : latency();
printf "compared %d, differ %d, omitted %d\n", $n, $differ, scalar keys %skip;
