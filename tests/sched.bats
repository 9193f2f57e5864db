#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-sched on simulated machines whose tasks are known, compared with perf sched, and on this machine.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

spans() { grep -av '^{' "$1"; }

# Checks that the spans of each task are adjacent, and prints the sum of the spans of each CPU.
conserved() {
	spans "$1" | perl -ne '
		chomp;
		my ($t, undef, $body) = split /,/, $_, 3;
		my %f = map { split /=/, $_, 2 } split /\t/, $body;
		my $from = $t - $f{dur};
		die "span of $f{tid} at $t overlaps\n" if $f{tid} && defined $end{$f{tid}} && $end{$f{tid}} > $from;
		$end{$f{tid}} = $t if $f{tid};
		next unless defined $f{cpu};
		die "gap on CPU $f{cpu} at $t\n" if defined $cpu{$f{cpu}} && $cpu{$f{cpu}} != $from;
		$cpu{$f{cpu}} = $t;
		$sum{$f{cpu}} += $f{dur};
		END { print "$_ $sum{$_}\n" for sort { $a <=> $b } keys %sum }'
}

@test "on simulated machines every span is what the task really did" {
	for seed in $(seq 40); do
		tests/tools/sched-oracle.py "$seed" 300 "$TMP/events" "$TMP/expected"
		mp-sched "$TMP/events" > "$TMP/out" 2> "$TMP/err" || grep -q 'truncated' "$TMP/err"
		spans "$TMP/out" | diff - "$TMP/expected" || { echo "seed $seed"; false; }
		conserved "$TMP/out" > /dev/null
	done
}

@test "run, idle and unknown time of a CPU add up to the length of the capture, also in pieces and with losses" {
	for seed in $(seq 12); do
		tests/tools/sched-oracle.py "$seed" 300 "$TMP/events" "$TMP/expected"
		# removes one event in ten, and reports half of these as lost
		perl -ne 'BEGIN { srand('"$seed"') }
			if (/^(\d+),.*?cpu=(\d+)/ && $n++ && rand() < 0.1) {
				print "{\"lost\":1,\"time\":$1,\"cpu\":$2}\n" if rand() < 0.5 } else { print }' "$TMP/events" |
			sed '/^{"end"/d' > "$TMP/holes"
		for f in events holes; do
			mp-sched "$TMP/$f" > "$TMP/out" 2> "$TMP/err" || true
			from=$(grep -av '^{' "$TMP/$f" | head -n 1 | cut -d, -f1)
			to=$(spans "$TMP/out" | tail -n 1 | cut -d, -f1)
			conserved "$TMP/out" > "$TMP/sums"
			[ -s "$TMP/sums" ]
			awk -v want="$((to - from))" '$2 != want { print "CPU", $1, $2, want; bad = 1 } END { exit bad }' "$TMP/sums"
			# the table has the same
			mp-sched --tsv "$TMP/$f" 2> /dev/null |
				awk -F'\t' '$1 == "cpu" { print $3, $7 + $13 + $14 }' | diff - "$TMP/sums"
		done
	done
}

@test "the table is the sum of the spans" {
	tests/tools/sched-oracle.py 7 3000 "$TMP/events" "$TMP/expected"
	mp-sched --tsv "$TMP/events" > "$TMP/tsv"
	spans <(mp-sched "$TMP/events") | perl -ne '
		chomp;
		my %f = map { split /=/, $_, 2 } split /\t/, (split /,/, $_, 3)[2];
		next unless $f{tid};
		$s{$f{state}} += $f{dur};
		$runs++ if $f{state} eq "run";
		push @w, $f{dur} if $f{state} =~ /wait|preempted/ && !$f{cut};
		END {
			$max = 0; $sum = 0; $max = $_ > $max ? $_ : $max, $sum += $_ for @w;
			print join(" ", $runs, map({ $s{$_} // 0 } qw(run wait preempted sleep block stopped)), scalar @w, int($sum / @w), $max), "\n" }' > "$TMP/sum"
	awk -F'\t' '$1 == "total" { print $6, $7, $8, $9, $10, $11, $12, $17, $18, $19 }' "$TMP/tsv" | diff - "$TMP/sum"
	# rows add up to the total, longest run time first
	python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="", errors="surrogateescape"), delimiter="\t"))
tasks = [r for r in rows if r[0] == "task"]
total = [r for r in rows if r[0] == "total"]
runs = [int(r[6]) for r in tasks]
sys.exit(not (tasks and runs == sorted(runs, reverse=True) and sum(int(r[5]) for r in tasks) == int(total[0][5])))' "$TMP/tsv"
}

@test "who runs after whom: the two-way table of mp-hist has the counts of the switches" {
	for seed in 5 6 7; do
		tests/tools/sched-oracle.py "$seed" 3000 "$TMP/events" "$TMP/expected"
		mp-sched -s run,idle "$TMP/events" 2> /dev/null | mp-select --filter 'next_tid >= 0' |
			mp-hist --by tid --across next_tid --top 0 --tsv > "$TMP/table"
		python3 - "$TMP/events" "$TMP/table" <<-'X'
			import collections, re, sys
			want, first = collections.Counter(), True # nothing is known of the time before the first switch
			for l in open(sys.argv[1], errors="surrogateescape"):
			    m = re.search(r",sched:sched_switch,.*\t\.prev_pid=(\d+)\t.*\t\.next_pid=(\d+)", l)
			    if m and not first: want[m[1], m[2]] += 1
			    first &= l[0] == "{"
			rows = [l.rstrip("\n").split("\t") for l in open(sys.argv[2])]
			columns = rows[0][1:-1]
			got = {(r[0], c): int(n) for r in rows[1:] for c, n in zip(columns, r[1:-1]) if r[0] != "total" and int(n)}
			assert got == dict(want), [(k, got.get(k), want.get(k)) for k in {*got, *want} if got.get(k) != want.get(k)][:5]
			assert sum(got.values()) > 500
		X
	done
}

# A virtual CPU: 40 times 0.1 ms host, 5 ms guest, 1 ms host, and after each second time 2 ms sleep and 0.5 ms wait. $1: the first time.
vcpu() {
	awk -v t0="$1" 'function out(s) { if (t >= t0) print t "," s; n += t >= t0 }
		function sw(p, st, q) { out("sched:sched_switch,cpu=0\tpid=" p "\ttid=" p "\tcomm=c" p "\t.prev_comm=c" p "\t.prev_pid=" p "\t.prev_prio=120\t.prev_state=" st "\t.next_comm=c" q "\t.next_pid=" q "\t.next_prio=120") }
		function kvm(what) { out("kvm:kvm_" what ",cpu=0\tpid=5\ttid=5\tcomm=c5\t.vcpu_id=0") }
		BEGIN { print "{\"mp\":1,\"datatype\":\"event\",\"interface\":\"mp-record\",\"events\":{\"sched:sched_switch\":{},\"sched:sched_waking\":{}}}"
			t = 1000000; sw(0, 0, 5)
			for (i = 0; i < 40; i++) {
				t += 100000; kvm("entry"); t += 5000000; kvm("exit"); t += 1000000
				if (i % 2) { sw(5, 1, 0); t += 2000000; out("sched:sched_waking,cpu=0\tpid=0\ttid=0\tcomm=c0\t.comm=c5\t.pid=5\t.prio=120\t.target_cpu=0"); t += 500000; sw(0, 0, 5) }
			}
			print "{\"end\":\"event\",\"records\":" n ",\"lost\":0}" }'
}

# Sums of the states of c5 in ms.
states_of() {
	mp-sched "$@" | mp-select -f 'comm=="c5"' 2> /dev/null | mp-fold --weight dur --by state | sed 's/000000$//' | sort | paste -sd ' '
}

@test "the run of a virtual CPU is divided into guest and host, each to the nanosecond" {
	vcpu 0 > "$TMP/in"
	[ "$(states_of "$TMP/in")" = "guest 200 run 44 sleep 40 wait 10" ]
	# the spans of the CPU follow each other, and a run is one run in the table
	mp-sched -s run,guest,idle "$TMP/in" | awk -F '[,\t]' '/^[0-9]/ { for (i = 3; i <= NF; i++) if ($i ~ /^dur=/) d = substr($i, 5)
		if (n++ && $1 - d != last) exit 1; last = $1 } END { exit n < 100 }'
	mp-sched --table --tsv "$TMP/in" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == "task" { print $at["runs"], $at["run_ns"], $at["voluntary"] }' | grep -qx '21 244000000 20'
	# a recording that begins in a guest
	vcpu 3000000 > "$TMP/in"
	[ "$(states_of "$TMP/in")" = "guest 195 run 43900000 sleep 40 wait 10" ]
	# exits of one reason only, or lost ones, say nothing of the guest
	vcpu 0 | sed '1s/"events"/"filters":{"kvm:kvm_exit":"exit_reason==12"},"events"/' > "$TMP/in"
	[ "$(states_of "$TMP/in")" = "run 244 sleep 40 wait 10" ]
	vcpu 0 | sed '9i {"lost":3,"time":20000000,"cpu":0,"type":"kvm:kvm_exit"}' > "$TMP/in"
	mp-sched "$TMP/in" 2> "$TMP/err" | grep -q state=unknown
}

@test "--states writes exactly the spans of these states, and the trailer counts them" {
	tests/tools/sched-oracle.py 3 1000 "$TMP/events" "$TMP/expected"
	mp-sched -s wait,idle "$TMP/events" > "$TMP/out"
	grep -aE $'\tstate=(wait|idle)\t' "$TMP/expected" | diff - <(spans "$TMP/out")
	[ "$(trailer "$TMP/out" records)" = "$(spans "$TMP/out" | wc -l)" ]
}

@test "in merged streams each host has tasks and CPUs of its own" {
	for host in a b; do
		tests/tools/sched-oracle.py $((host == a ? 1 : 2)) 300 "$TMP/x" "$TMP/expected"
		grep -av '^{' "$TMP/x" | sed "s/,cpu=/,host=$host\tcpu=/" > "$TMP/$host"
		spans <(mp-sched "$TMP/$host") | grep -av cut= > "$TMP/$host.spans"
	done
	sort -s -n "$TMP/a" "$TMP/b" | mp-sched > "$TMP/out"
	for host in a b; do
		spans "$TMP/out" | grep -a "host=$host" | grep -av cut= | diff - "$TMP/$host.spans"
	done
}

@test "sections and files are separate captures: together they give the spans that each gives alone" {
	for n in 1 2; do
		tests/tools/sched-oracle.py 1$n 200 "$TMP/$n" "$TMP/expected"
		mp-sched "$TMP/$n" 2> /dev/null | grep -av '^{' > "$TMP/$n.spans" || true
	done
	mp-sched "$TMP/1" "$TMP/2" 2> /dev/null | grep -av '^{' | cmp - <(cat "$TMP/1.spans" "$TMP/2.spans")
	grep -q '^{"mp"' "$TMP/2"
	cat "$TMP/1" "$TMP/2" | mp-sched 2> /dev/null | grep -av '^{' | cmp - <(cat "$TMP/1.spans" "$TMP/2.spans")
}

@test "events that are not in order are refused with the remedy" {
	printf '5,a:b,\n4,a:b,\n' > "$TMP/in"
	run mp-sched "$TMP/in"
	[ "$status" = 2 ] && [[ "$output" == *"put mp-order in front"* ]] || false
}

@test "memory does not grow with the length of the input or with tasks that have exited" {
	perl -e 'for $i (1 .. 300000) { $t = 100 + $i % 50; $pid = $i % 30000 + 1000;
		print $i * 10, ",sched:sched_wakeup_new,cpu=0\ttid=0\tcomm=swapper/0\t.comm=x\t.pid=$pid\t.prio=120\t.target_cpu=0\n",
		$i * 10 + 2, ",sched:sched_switch,cpu=0\ttid=0\t.prev_pid=0\t.prev_state=0\t.next_comm=x\t.next_pid=$pid\n",
		$i * 10 + 4, ",sched:sched_switch,cpu=0\ttid=$pid\t.prev_pid=$pid\t.prev_state=32\t.next_pid=0\n" }' > "$TMP/in"
	case "$BUILD" in *san-*) skip "sanitizers have memory of their own" ;; esac
	/usr/bin/time -o "$TMP/time" -f %M mp-sched "$TMP/in" > "$TMP/out"
	[ "$(cat "$TMP/time")" -lt 6000 ]
	[ "$(grep -c 'state=run' "$TMP/out")" = 300000 ]
}

record_both() {
	local e=sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new
	e=$e,sched:sched_migrate_task,sched:sched_process_fork,sched:sched_process_exit
	perf record -N -q -a -r 10 -m 4096 -e $e -o "$TMP/data" -- sh -c "$LOAD/switch $((CPUS - 1)) 0.2; for i in 1 2 3 4 5; do ls -R /usr/share/doc > /dev/null; done" > /dev/null 2>&1
	perf script -i "$TMP/data" -F comm,tid,cpu,time,event,trace --ns 2> /dev/null | tests/tools/perf2mp.pl > "$TMP/events"
}

@test "run times and delays agree with perf sched timehist on the same events" {
	needs_root
	record_both
	perf sched timehist -i "$TMP/data" > "$TMP/theirs" 2> /dev/null
	mp-sched "$TMP/events" > "$TMP/ours" 2> /dev/null || true
	tests/tools/sched-vs-perf.pl timehist "$TMP/theirs" "$TMP/ours" "$TMP/events" | tee "$TMP/result"
	[[ "$(tail -n 1 "$TMP/result")" =~ ^compared\ ([0-9]+),\ differ\ 0, ]]
	[ "${BASH_REMATCH[1]}" -ge 5 ]
}

# perf 6.1 begins a delay with sched_wakeup, where timehist and mp-sched begin it with sched_waking, and takes
# R+ (0x100 of prev_state) for sleep.
@test "delays agree with perf sched latency on the same events, by its definition" {
	needs_root
	record_both
	perf sched latency -p -i "$TMP/data" > "$TMP/theirs" 2> /dev/null
	grep -v ,sched:sched_waking, "$TMP/events" | sed 's/\.prev_state=R+/.prev_state=S/' > "$TMP/like-perf"
	mp-sched --tsv "$TMP/like-perf" > "$TMP/ours" 2> /dev/null || true
	tests/tools/sched-vs-perf.pl latency "$TMP/theirs" "$TMP/ours" | tee "$TMP/result"
	[[ "$(tail -n 1 "$TMP/result")" =~ ^compared\ ([0-9]+),\ differ\ ([0-9]+), ]]
	# perf counts a task a little differently if it was first seen when it got a CPU
	[ "${BASH_REMATCH[1]}" -ge 5 ] && [ "$((BASH_REMATCH[2] * 10))" -le "${BASH_REMATCH[1]}" ] || false
}

@test "two processes that pass a byte run in turns in a live recording, which accounts for all time" {
	needs_root
	mp-record -q -e 'sched:*' -g none -a -o "$TMP/s" 2> /dev/null &
	pid=$!
	until [ -s "$TMP/s" ]; do await; done	# the header is written: recording has begun
	rounds=$("$LOAD/switch" $((CPUS - 1)) 0.3)
	kill -INT $pid
	wait $pid || true
	mp-order "$TMP/s" > "$TMP/o" 2> /dev/null || true
	mp-sched "$TMP/o" > "$TMP/out" 2> /dev/null || true
	# each task that was switched out asleep has slept once
	switched=$(grep -ac $'prev_comm=switch\t.*prev_state=1(S)\t' "$TMP/o")
	sleeps=$(grep -aE $'comm=switch\t.*(state=sleep|was=sleep)' "$TMP/out" | grep -avc 'cut=\(begin\|both\)')
	echo "$rounds rounds, $switched switches asleep, $sleeps sleeps"
	[ "$sleeps" = "$switched" ] && [ "$sleeps" -gt 0 ] || false
	from=$(grep -av '^{' "$TMP/o" | head -n 1 | cut -d, -f1)
	to=$(spans "$TMP/out" | tail -n 1 | cut -d, -f1)
	conserved "$TMP/out" > "$TMP/sums"
	# an idle CPU may have no switch
	[ "$(wc -l < "$TMP/sums")" = "$(grep -ao ',sched:sched_switch,cpu=[0-9]*' "$TMP/o" | sort -u | wc -l)" ]
	awk -v want="$((to - from))" '$2 != want { print; bad = 1 } END { exit bad }' "$TMP/sums"
	# the recorder's own switches are there
	grep -qa 'prev_comm=mp-record' "$TMP/o"
}

# compare STATES NAME NS ALL FILTERED: for the tasks of this name, the spans of FILTERED whose state is known are those
# of ALL. Their times may differ by NS, since each recording takes its own. No span of these STATES is missing between the
# first and the last span of a task. Spans that touch unknown time are skipped. With NS, one in ten may differ: the machine
# may stop between the two times.
compare() {
	perl -e '
		my ($states, $name, $ns, @files) = @ARGV;
		my %wanted = map { $_ => 1 } split /,/, $states;
		my (@spans, @holes, @of, %first, %last, %seen, @wrong, $equal);
		for my $i (0, 1) {
			open my $f, "<", $files[$i] or die;
			while (<$f>) {
				chomp;
				my ($to, $body) = /^(\d+),sched:span,(.*)/ or next;
				my %f = map { split /=/, $_, 2 } split /\t/, $body;
				next if !defined $f{tid};
				my $s = { %f, from => $to - $f{dur}, to => $to };
				push @{$holes[$i]{$f{tid}}}, $s if $f{lost} || $f{cut} || $f{state} eq "unknown";
				next if $f{comm} !~ /^(?:$name)$/ || $f{cut} || $f{lost} || $f{state} eq "unknown";
				push @{$spans[$i]}, $s;
				push @{$of[$i]{"$f{tid} $f{state}"}}, $s;
			}
		}
		sub touched { my ($s, $i) = @_; grep { $_->{from} <= $s->{to} + $ns && $_->{to} + $ns >= $s->{from} } @{$holes[$i]{$s->{tid}}} }
		sub in { my ($s, $i) = @_; grep { abs($_->{to} - $s->{to}) <= $ns && abs($_->{from} - $s->{from}) <= $ns } @{$of[$i]{"$s->{tid} $s->{state}"}} }
		for my $s (@{$spans[1]}) {
			$first{$s->{tid}} //= $s->{from};
			$last{$s->{tid}} = $s->{to};
			die "a state that the filter cannot show: $s->{state}\n" if !$wanted{$s->{state}};
			if (in($s, 0)) { $equal++; $seen{$s->{state}}++ }
			elsif (!touched($s, 0)) { push @wrong, "only with a filter: $s->{tid} $s->{to} $s->{dur} $s->{state}\n" }
		}
		for my $s (@{$spans[0]}) {
			next if !$wanted{$s->{state}} || !defined $first{$s->{tid}} || in($s, 1);
			next if $s->{from} < $first{$s->{tid}} || $s->{to} > $last{$s->{tid}};
			push @wrong, "missing: $s->{tid} $s->{to} $s->{dur} $s->{state}\n" if !grep { $_->{was} || $_->{lost} } touched($s, 1);
		}
		print "$equal spans are equal\n", @wrong[0 .. ($#wrong < 20 ? $#wrong : 20)];
		die if @wrong > ($ns ? $equal / 10 : 0);
		for (keys %wanted) { die "no $_ to compare\n" if !$seen{$_} && $_ ne "preempted" && $_ ne "stopped" }' "$@"
}

# reduce SWITCHES WAKEUPS: the events on standard input that meet these Perl conditions; the header has them as filters
reduce() {
	SWITCHES=$1 WAKEUPS=$2 perl -pe '
		BEGIN { $sub = eval "sub { my (\$switch, \$wakeup) = \@_; \$switch ? $ENV{SWITCHES} : $ENV{WAKEUPS} }" or die }
		s/^\{"mp":1,/{"mp":1,"filters":$ENV{FILTERS},/ or s/^\{"end".*//s;
		if (/^\d+,sched:(?:sched_(switch)|sched_(wak\w+))/) {
			($switch, $wakeup) = ($1, $2);
			%f = /\t\.(\w+)=([^\t\n]*)/g;
			$_ = "" if !$sub->($switch, $wakeup);
		}'
}

@test "on simulated machines a state that is known under a filter is what the task really did" {
	for seed in $(seq 10); do
		tests/tools/sched-oracle.py "$seed" 2000 "$TMP/events" "$TMP/expected"
		tid=$(grep -o 'prev_pid=[1-9][0-9]*' "$TMP/events" | cut -d= -f2 | sort -n | uniq -c | sort -n | tail -n 1 | awk '{ print $2 }')
		mp-sched "$TMP/events" > "$TMP/all" 2> /dev/null || true
		FILTERS='{"sched:sched_switch":"prev_pid=='$tid' || next_pid=='$tid'"}' \
			reduce '$f{prev_pid} == '$tid' || $f{next_pid} == '$tid 1 < "$TMP/events" > "$TMP/chosen"
		FILTERS='{"sched:sched_switch":"prev_state==1 || prev_state==2"}' \
			reduce '$f{prev_state} =~ /^[12]$/' 1 < "$TMP/events" > "$TMP/asleep"
		# mp-select writes such filters
		sed '1s/"sched:sched_switch":{}/"sched:sched_switch":{".prev_pid":"s32",".next_pid":"s32",".prev_state":"s64"}/
			1s/"sched:sched_wakeup":{}/"sched:sched_wakeup":{".pid":"s32"}/' \
			"$TMP/events" > "$TMP/listed"
		mp-select -f 'type!="sched:sched_switch" || .prev_pid=='$tid' || .next_pid=='$tid "$TMP/listed" > "$TMP/picked" || [ $? = 1 ]
		mp-select -f 'type!="sched:sched_switch" || .prev_state!=0' -f '!(.prev_pid=='$tid')' "$TMP/listed" > "$TMP/twice" || [ $? = 1 ]
		mp-select --every 3 "$TMP/events" > "$TMP/thinned"
		grep -v '^{' "$TMP/events" | sed '1i{"mp":1,"datatype":"event"}' |
			mp-select -f '.prev_state==1 || .next_prio==0' > "$TMP/unlisted" || [ $? = 1 ]
		for f in chosen asleep picked twice thinned unlisted; do
			mp-sched "$TMP/$f" > "$TMP/$f.spans" 2> "$TMP/err" || true
			spans "$TMP/$f.spans" | grep -av -e state=unknown -e cut= | perl -pe 's/\t(?:next|waker)_.*//; s/\tprio=.*//; s/,(?:cpu=\d+\t)?(?:pid=\d+\t)?/,/; s/\tcomm=[^\t]*//' | sort > "$TMP/known"
			spans "$TMP/all" | perl -pe 's/\t(?:next|waker)_.*//; s/\tprio=.*//; s/,(?:cpu=\d+\t)?(?:pid=\d+\t)?/,/; s/\tcomm=[^\t]*//' | sort > "$TMP/true"
			comm -23 "$TMP/known" "$TMP/true" > "$TMP/wrong"
			[ ! -s "$TMP/wrong" ] || { echo "seed $seed, $f:"; head "$TMP/wrong"; false; }
			[ "$f" = thinned ] || [ "$f" = unlisted ] || [ -s "$TMP/known" ] || { echo "seed $seed, $f: nothing is known"; false; }
		done
	done
}

# record_twice EVENTS COMMAND...: records all events of the scheduler and EVENTS while the command runs. Fails if rings
# were full.
record_twice() {
	local all=sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new pids events=$1
	shift
	rm -f "$TMP/all" "$TMP/filtered"
	mp-record --realtime -m 32M -a -g none -e "$all" -d 60 -o "$TMP/all" 2> "$TMP/err" 3>&- &
	pids=$!
	mp-record --realtime -m 32M -a -g none -e "$events" -d 60 -o "$TMP/filtered" 2> "$TMP/err2" 3>&- &
	pids+=" $!"
	until [ -s "$TMP/all" ] && [ -s "$TMP/filtered" ]; do await; done
	"$@" > /dev/null
	kill -INT $pids
	wait $pids || true
	cat "$TMP/err" "$TMP/err2"
	! grep -q 'were full' "$TMP/err" "$TMP/err2" || false
}

# compare_mode EVENTS STATES: compares recordings of a load with EVENTS and without a filter
compare_mode() {
	local states=$2 name=m$$
	needs_root
	start_spins
	cp "$LOAD/mix" "$TMP/$name"
	head -c 64K /dev/zero > "$TMP/mix.file"
	for try in 1 2 3; do
		record_twice "${1//NAME/$name}" "$TMP/$name" "$TMP/mix.file" 40 500 && break
		[ "$try" != 3 ] || skip "events were lost in three recordings"
	done
	mp-sched "$TMP/all" > "$TMP/all.spans" || true
	mp-sched "$TMP/filtered" > "$TMP/filtered.spans" || true
	compare "$states" "$name" 100000 "$TMP/all.spans" "$TMP/filtered.spans"
}

wakeups='sched:sched_waking/comm=="NAME"/,sched:sched_wakeup/comm=="NAME"/'

@test "chosen tasks under a filter, all states: the spans are those of a capture without a filter" {
	compare_mode 'sched:sched_switch/prev_comm=="NAME" || next_comm=="NAME"/,sched:sched_wakeup_new/comm=="NAME"/,'"$wakeups" \
		run,wait,preempted,sleep,block,stopped
	! grep -a state=idle "$TMP/filtered.spans" || false
}

@test "all tasks under a filter, only sleep and block: the spans are those of a capture without a filter" {
	compare_mode 'sched:sched_switch/prev_state==1 || prev_state==2/,sched:sched_waking,sched:sched_wakeup' sleep,block
	! grep -aE 'state=(run|wait|idle)' "$TMP/filtered.spans" || false
}

@test "chosen tasks under a filter, only block: the spans are those of a capture without a filter" {
	compare_mode 'sched:sched_switch/prev_state==2 && prev_comm=="NAME"/,'"$wakeups" block
	! grep -aE 'state=(run|wait|sleep|idle)' "$TMP/filtered.spans" || false
}
