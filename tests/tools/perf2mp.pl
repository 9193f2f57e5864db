#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# perf script -F comm,tid,cpu,time,event,trace --ns of the scheduler's events -> events. Ordinary names only.
use strict;
use warnings;
while (<>) {
	# a task that has released its id has -1
	next unless /^\s*(.*?)\s+(-?\d+) \[(\d+)\]\s+(\d+)\.(\d{9}):\s+(sched:\w+): (.*)/;
	my ($comm, $tid, $cpu, $s, $ns, $type, $text) = ($1, $2, $3, $4, $5, $6, $7);
	my @f = ("cpu=" . ($cpu + 0), "tid=$tid", "comm=$comm");
	$text =~ s/ ==>//;
	$text =~ s/^comm=(.*?) pid=/parent_comm=$1 parent_pid=/ if $type eq 'sched:sched_process_fork';
	push @f, ".$1=$2" while $text =~ /\G\s*(\w+)=(.*?)(?=\s+\w+=|$)/g;
	s/^(\.\w*cpu)=0*(\d)/$1=$2/ for @f;
	print $s * 1000000000 + $ns, ",$type,", join("\t", @f), "\n";
}
