#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-import: what perf and the kernel print is imported completely, and a round trip gives the same events.
# Runs beside a recording.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

# A stream of random samples: names of all sorts, several types, stacks.
make_stream() {
	perl -e '
		my ($n, $seed) = @ARGV; srand $seed;
		my @comms = ("sh", "io worker 1/2", "my app: 12/34", "7/8 [001] 9.1:", "", " leading", "a;b", "#x", "x 1 9.100000:",
			"tab\\tname", "back\\\\slash", "trail ", "[001] 9.100000:", "1 9.100000: a:", "12/34", "(x)", "-1", "deadbeef", "kworker/0:1");
		my @names = ("main", "std::map<int, int (*)(int)>::find(int) const", "operator()", "a b", "x\\x3by", "[unknown]");
		print "{\"mp\":1,\"datatype\":\"event\",\"interface\":\"mp-import\",\"source\":\"perf script\",\"clock\":\"perf\"}\n";
		my $t = 0;
		for (1 .. $n) {
			$t += int rand 1e9;
			my $type = ("cpu-clock", "cycles:uppp", "sched:sched_switch", "page-faults:u")[rand 4];
			my $comm = $comms[rand @comms];
			my $tid = int rand 10 ** (1 + int rand 7);
			my @f = ("cpu=" . int rand 128, "pid=" . ($tid >> 1), "tid=$tid", "comm=$comm");
			push @f, "period=" . int rand 1e9 if $type ne "sched:sched_switch";
			push @f, ".prev_comm=$comm", ".prev_pid=$tid", ".prev_state=R+", ".next_comm=" . $comms[rand @comms], ".next_pid=7" if $type eq "sched:sched_switch";
			my @s = map { my $s = $names[rand @names];
				my $kernel = $s ne "[unknown]" && rand() < 0.3;
				$kernel ? "${s}_[k]" : $s } 1 .. rand 12;
			push @f, "stack=" . join ";", @s if @s;
			print "$t,$type,", join("\t", @f), "\n";
		}
		print "{\"end\":\"event\",\"records\":$n,\"lost\":0}\n";' "$1" "$2"
}

# The same stream as perf script --ns -F +pid,+period prints it. $1 is the width of thread numbers, of which perf has used two.
export_perf() {
	perl -ne '
		BEGIN { $w = shift }
		sub undo { my $s = shift; $s =~ s/\\(x(..)|.)/defined $2 ? chr hex $2 : $1 eq "t" ? "\t" : $1 eq "n" ? "\n" : $1/ge; $s }
		next if /^\{/;
		chomp; ($t, $type, $rest) = split /,/, $_, 3;
		%f = (); @k = ();
		for (split /\t/, $rest) { ($k, $v) = split /=/, $_, 2; $f{$k} = $v; push @k, $k }
		printf "%s %*s/%-*s [%03d] %5d.%09d: ", undo($f{comm}), $w, $f{pid}, $w, $f{tid}, $f{cpu}, $t / 1e9, $t % 1e9;
		printf "%10s ", $f{period} if exists $f{period};
		printf "%20s: ", $type;
		@p = map { substr($_, 1) . "=" . undo($f{$_}) } grep /^\./, @k;
		$p = join " ", @p; $p =~ s/ (next_comm=)/ ==> $1/; print "$p\n";
		for (reverse split /;/, exists $f{stack} ? $f{stack} : "") {
			$kernel = s/_\[k\]$//;
			$_ = undo($_);
			$_ .= "+0x12" if $_ ne "[unknown]";
			printf "\t%16s %s (%s)\n", $kernel ? "ffffffff81000130" : "1234", $_, $_ eq "[unknown]" ? $_ : $kernel ? "[kernel.kallsyms]" : "/usr/bin/a (b)/c";
		}
		print "\n"' "$1"
}

@test "importing an export gives the events back, with both widths of a thread's number" {
	for width in 5 7; do
		for seed in 1 2 3; do
			make_stream 700 $seed > "$TMP/in.mp"
			mp-order --check "$TMP/in.mp"
			export_perf $width < "$TMP/in.mp" > "$TMP/text"
			mp-import "$TMP/text" > "$TMP/out.mp"
			diff "$TMP/in.mp" "$TMP/out.mp" | head -5
			cmp "$TMP/in.mp" "$TMP/out.mp"
		done
	done
}

@test "CRLF, a missing last empty line, or a pipe makes no difference" {
	make_stream 300 7 > "$TMP/in.mp"
	export_perf 7 < "$TMP/in.mp" > "$TMP/text"
	sed 's/$/\r/' "$TMP/text" | mp-import | cmp - "$TMP/in.mp"
	sed '$d' "$TMP/text" | mp-import | cmp - "$TMP/in.mp"
	perl -e 'while (sysread STDIN, $b, 61) { syswrite STDOUT, $b }' < "$TMP/text" | mp-import | cmp - "$TMP/in.mp"
	{ echo "# ========"; echo "# hostname : web7"; echo "#"; cat "$TMP/text"; } | mp-import | sed 's/,"host":"web7"//' | cmp - "$TMP/in.mp"
}

@test "text truncated anywhere gives all samples but the last, and the truncation is reported" {
	make_stream 40 9 | tee "$TMP/in.mp" | export_perf 5 > "$TMP/text"
	grep '^[0-9]' "$TMP/in.mp" > "$TMP/events"
	size=$(stat -c %s "$TMP/text")
	for ((at = 300; at < size; at += 331)); do
		head -c $at "$TMP/text" > "$TMP/part"
		status=0
		mp-import "$TMP/part" > "$TMP/out" 2> "$TMP/err" || status=$?
		if [ "$(tail -c 1 "$TMP/part" | od -An -tx1)" != " 0a" ]; then
			[ "$status" = 1 ] && grep -q 'no LF' "$TMP/err"
			! grep -q '"end"' "$TMP/out" || false
		fi
		n=$(grep -c '^[0-9]' "$TMP/out")
		[ "$n" -ge "$(grep -c '^$' "$TMP/part")" ]
		grep '^[0-9]' "$TMP/out" | head -n $((n - 1)) | cmp - <(head -n $((n - 1)) "$TMP/events")
	done
}

@test "several files become several sections, and a stream among them passes unchanged" {
	printf 'a 1 [000] 1.000001: cycles: \n' > "$TMP/perf"
	printf 'a;b 12\n' > "$TMP/folded"
	for f in formats/good/example.mp formats/good/odd-names.mp formats/good/two-sections.mp; do
		mp-import "$f" 2> /dev/null | cmp - "$f"
		cat "$f" | mp-import 2> /dev/null | cmp - "$f"
	done
	mp-import "$TMP/perf" "$TMP/folded" formats/good/odd-names.mp "$TMP/perf" > "$TMP/out"
	[ "$(grep -c '"mp":1' "$TMP/out")" = "$((3 + $(grep -c '"mp":1' formats/good/odd-names.mp)))" ]
	mp-import "$TMP/out" | cmp - "$TMP/out"
}

@test "memory stays small for any length of the input and its stacks" {
	case "$BUILD" in *san-*) skip "sanitizers need memory themselves" ;; esac
	perl -e 'for $i (1 .. 40000) { print "a 1 [000] 1.000001: cycles: \n";
		printf "\t%16x f%d_%s+0x1 (/bin/x)\n", $i * 10 + $_, $i * 10 + $_, "x" x 60 for 1 .. 10; print "\n" }' > "$TMP/distinct"
	perl -e 'print "a 1 [000] 1.000001: cycles: \n"; printf "\t%16x f%d (/bin/x)\n", $_, $_ for 1 .. 700000; print "\n"' > "$TMP/deep"
	for f in distinct deep; do
		status=0
		/usr/bin/time -o "$TMP/time" -f %M mp-import "$TMP/$f" > "$TMP/out" 2> "$TMP/err" || status=$?
		[ "$(tail -n 1 "$TMP/time")" -lt 65536 ] || { cat "$TMP/time"; false; }
		mp-order --check "$TMP/out"
	done
	[ "$status" = 1 ] && grep -q '1 stack truncated' "$TMP/err"
	[[ "$(sed -n 2p "$TMP/out" | cut -c 1-80)" == *"stack=[truncated];"* ]]
	[ "$(sed -n 2p "$TMP/out" | wc -c)" -gt 1000000 ]
}

# Records with perf, to $TMP/perf.data, threads whose names look like other parts of its output. With the few functions of
# $TMP/kallsyms, perf script needs a tenth of the time.
perf_capture() {
	command -v perf > /dev/null || skip "no perf"
	command -v python3 > /dev/null || skip "no python3"
	needs_root
	cat > "$TMP/odd.py" <<-'X'
		import ctypes, threading, time
		libc = ctypes.CDLL(None)
		names = [b"io worker 1/2", b"my app: 12/34", b"7/8 [001] 9.1:", b"", b" leading", b"a;b", b"#hash", b"x 1 9.100000:",
		         b"tab\tname", b"back\\slash", b"trail ", b"[001] 9.100000:", b"1 9.100000: a:", b"next_pid=7 x", b"a prev_pid=1",
		         b"bash  2391", b"a,b", b"[000]", b"fifteen_letters", b"x 12345", b"sh 2391 [000]", b"cycles: x", b"1234", b"x K"]
		def run(name):
		    libc.prctl(15, name, 0, 0, 0)
		    for i in range(23):
		        time.sleep(0.0005)
		        end = time.thread_time() + 0.0006
		        while time.thread_time() < end: pass
		threads = [threading.Thread(target=run, args=(n,)) for n in names]
		for t in threads: t.start()
		for t in threads: t.join()
	X
	perf record -N -q "$@" -o "$TMP/perf.data" -- python3 "$TMP/odd.py" > /dev/null 2>&1 || skip "perf cannot record"
	awk 'NR % 100 == 1 || / _s?text$/' /proc/kallsyms > "$TMP/kallsyms"
}

# The number of samples that perf reports.
perf_samples() {
	perf report -i "$TMP/perf.data" --stats 2> /dev/null | awk '/SAMPLE events/ { print $3; exit }'
}

@test "a TID of five digits that follows thousands of shorter ones is no part of the column of events" {
	{
		printf '        chromium  8067/8067           cpu-clock: \n        chromium  8067/8067  sched:sched_switch: \n%.0s' {1..3000}
		echo ' kworker/3:3-eve 15345/15345 sched:sched_switch: '
	} > "$TMP/text"
	mp-import "$TMP/text" > "$TMP/out.mp"
	[ "$(grep '^6000,' "$TMP/out.mp")" = $'6000,sched:sched_switch,pid=15345\ttid=15345\tcomm=kworker/3:3-eve' ]
}

@test "the format does not depend on how many bytes a read delivers" {
	perl -e 'print "a 1 [000] 1.000001: cycles: \n", "a 1 [000] 2.000001: cycles: \n" x 5' > "$TMP/perf"
	printf 'a;b 12\n' > "$TMP/folded"
	printf '# tracer: nop\n#\n   x-1     [001]  1.000001: a: b\n' > "$TMP/ftrace"
	printf '{"mp":1,"datatype":"event"}\n1,a:b,comm=x\n{"end":"event","records":1,"lost":0}\n' > "$TMP/stream"
	printf '{"nodes":[],"samples":[]}\n' > "$TMP/json"
	printf '\177ELF\0\0\0\0' > "$TMP/data"
	cp LICENSE "$TMP/licence"
	for f in perf folded ftrace stream json data licence; do
		want=0 got=0
		mp-import < "$TMP/$f" > "$TMP/want" 2>&1 || want=$?
		perl -e 'while (sysread STDIN, $b, 1) { syswrite STDOUT, $b }' < "$TMP/$f" | mp-import > "$TMP/got" 2>&1 || got=$?
		[ "$got" = "$want" ] && cmp "$TMP/want" "$TMP/got" || { echo "$f: $got, not $want"; false; }
	done
}

@test "a trace that is read while it is written is imported line by line" {
	mkfifo "$TMP/in"
	mp-import < "$TMP/in" > "$TMP/out" &
	exec 7> "$TMP/in"
	for i in 1 2 3; do printf '   x-1     [001]  %d.000001: a: b\n' $i >&7; done
	until grep -q '^2000001000,' "$TMP/out"; do await; done
	exec 7>&-
	wait $!
}

@test "each sample of each event is imported from perf script, whatever fields -F omits" {
	perf_capture -g --sample-cpu -e sched:sched_switch,cpu-clock
	n=$(perf_samples)
	[ "$n" -gt 300 ]
	for fields in "" "-G" "--ns" "--header" "-F comm,tid,time,event" "-F ip,sym" "-F ip" "-F comm,tid,ip,sym" "-F comm,ip,sym" "-F event,ip,sym,dso" \
		"-F comm,pid,tid,cpu,time,event,period,ip,sym,symoff,dso" "-F comm,tid" "-F comm,time" "-F time,ip" "-F comm,tid,cpu,event" "-F tid,cpu,time,event" \
		"--show-task-events --show-mmap-events --show-switch-events --show-lost-events"; do
		# shellcheck disable=SC2086
		perf script --kallsyms "$TMP/kallsyms" -i "$TMP/perf.data" $fields 2> /dev/null > "$TMP/text"
		mp-import "$TMP/text" > "$TMP/out.mp" 2> "$TMP/err" || ! grep -qv 'skipped .* not samples\|lost when' "$TMP/err"
		got=$(grep -c '^[0-9]' "$TMP/out.mp")
		[ "$got" = "$n" ] || { echo "$fields: $got of $n"; cat "$TMP/err"; false; }
		[ "$(trailer "$TMP/out.mp" records)" = "$n" ]
	done
}

@test "each column of perf script is imported as perf prints it alone, although tracepoints have other columns than cpu-clock" {
	for call in "" -g; do
		# shellcheck disable=SC2086
		perf_capture $call -c 500000 -e sched:sched_switch -e cpu-clock
		tests/tools/compare-import "$TMP/perf.data" "$TMP/kallsyms" > "$TMP/compared" || { grep '^not ok' "$TMP/compared"; false; }
		[ "$(wc -l < "$TMP/compared")" -gt 90 ]
	done
}

@test "perf.data is imported through perf script with the CPU, the address and the period of each sample that has them" {
	perf_capture -g --sample-cpu -e sched:sched_switch,cpu-clock
	n=$(perf_samples)
	mp-import "$TMP/perf.data" > "$TMP/out.mp" 2> "$TMP/err" || grep -q 'lost when' "$TMP/err"
	[ "$(grep -c '^[0-9]' "$TMP/out.mp")" = "$n" ]
	[ "$(grep -c '^[0-9]*,[^,]*,cpu=[0-9]*	pid=[0-9]*	tid=[0-9]*	comm=.*	period=[0-9]*' "$TMP/out.mp")" = "$n" ]
	# perf has no stack of some switches of tasks that end
	[ "$(grep -c '	stack=' "$TMP/out.mp")" -ge $((n * 9 / 10)) ]
	head -n 1 "$TMP/out.mp" | grep -qF "\"host\":\"$(uname -n)\""
	mp-import < "$TMP/perf.data" 2> /dev/null | cmp - "$TMP/out.mp"
	run -2 bash -c 'mp-import < <(cat "$1")' - "$TMP/perf.data"
	[[ "$output" == *"this is perf.data from a pipe"* ]]

	perf record -N -q -d -e page-faults -o "$TMP/perf.data" -- ls / > /dev/null 2>&1
	mp-import "$TMP/perf.data" > "$TMP/out.mp"
	[ "$(grep -c '	addr=' "$TMP/out.mp")" = "$(perf_samples)" ]

	head -c 300 "$TMP/perf.data" > "$TMP/cut"
	run -2 mp-import "$TMP/cut"
	[[ "$output" == *"cut: this is a perf.data file that perf cannot read"* ]]
	mkdir "$TMP/bin"
	cp "$BUILD/bin/mp-import" "$TMP/bin"
	PATH=$TMP/bin run -2 mp-import "$TMP/perf.data"
	[[ "$output" == *"this is a perf.data file, and perf is not installed"* ]]
}

@test "imported names, threads and counts of perf script are those of the kernel's own fields" {
	perf_capture -g --sample-cpu -e sched:sched_switch
	perf script -i "$TMP/perf.data" > "$TMP/text" 2> /dev/null
	mp-import "$TMP/text" > "$TMP/out.mp" 2> /dev/null || true
	local tids=0
	! has_global_pids || tids=0.95
	# the task that is switched out is the task that ran: two independent readings of the same line
	awk -F '\t' -v tids=$tids '/^[0-9]/ { for (i = 1; i <= NF; i++) { if ($i ~ /^comm=/) c = substr($i, 6); if ($i ~ /^tid=/) t = substr($i, 5)
			if ($i ~ /^\.prev_comm=/) pc = substr($i, 12); if ($i ~ /^\.prev_pid=/) pt = substr($i, 11) }
		n++; if (t == pt) same++; if (c == pc) names++ }
		END { print n, same, names; exit !(n > 300 && same >= n * tids && names >= n * 0.95) }' "$TMP/out.mp"
	for name in 'io worker 1/2' 'my app: 12/34' '7/8 [001] 9.1:' '' ' leading' 'a;b' '#hash' 'x 1 9.100000:' 'tab\tname' 'back\\slash' \
		'trail ' '[001] 9.100000:' '1 9.100000: a:' 'next_pid=7 x' 'a prev_pid=1'; do
		n=$(grep -cF "	comm=$name	" "$TMP/out.mp")
		[ "$n" -ge 23 ] || { echo "'$name': $n"; false; }
		[ "$(grep -cF "	.prev_comm=$name	" "$TMP/out.mp")" -ge 23 ]
	done
	# as many frames as perf printed, with those of the kernel marked
	[ "$(grep -cP '^\t' "$TMP/text")" = "$(grep -o 'stack=.*' "$TMP/out.mp" | awk -F ';' '{ n += NF } END { print n }')" ]
	[ "$(grep -cP '^\t *ffff[0-9a-f]{12} ' "$TMP/text")" = "$(grep -o 'stack=.*' "$TMP/out.mp" | grep -o '_\[k\]' | wc -l)" ]
}

# Traces with ftrace to $TMP/trace what python3 does, and nothing else (except in a pid namespace, whose ids ftrace does not know):
# of a busy system, the buffer may keep less than that. $@: what to enable, options and events.
ftrace_capture() {
	needs_root
	command -v python3 > /dev/null || skip "no python3"
	local i=/sys/kernel/tracing/instances/mp-import-$$ status=0
	mkdir $i 2> /dev/null || skip "tracefs is not mounted"
	echo 20000 > $i/buffer_size_kb
	if has_global_pids; then echo only > "$TMP/only"; fi
	sh -c '[ ! -s "$0/only" ] || echo $$ > "$1/set_event_pid"
		i=$1 program=$2; shift 2
		for what; do { echo 1 > "$i/$what"; } 2> /dev/null || { echo "$what"; exit 3; }; done
		exec python3 -c "$program"' "$TMP" $i 'import time
for i in range(60): time.sleep(0.001); open("/dev/null").close()' "$@" > "$TMP/what" || status=$?
	[ "$status" != 3 ] || { rmdir $i; skip "ftrace has no $(cat "$TMP/what")"; }
	[ "$status" = 0 ]
	echo 0 > $i/tracing_on
	cat $i/trace > "$TMP/trace"
	rmdir $i
	mp-import "$TMP/trace" > "$TMP/out.mp" 2> "$TMP/err" || grep -q 'lost when' "$TMP/err"
	mp-order --check "$TMP/out.mp"
}

@test "the trace file of the kernel is imported completely, each stack with its event" {
	ftrace_capture options/stacktrace options/record-tgid events/sched/sched_switch/enable
	switches=$(grep -c ': sched_switch: ' "$TMP/trace")
	[ "$switches" -ge 60 ] && [ "$(grep -c 'sched:sched_switch,' "$TMP/out.mp")" = "$switches" ]
	# a stack whose event was overwritten is an event itself
	[ "$(grep -c 'stack=' "$TMP/out.mp")" = "$(grep -c ': <stack trace>' "$TMP/trace")" ]
	[ "$(grep -c 'sched:sched_switch,.*stack=' "$TMP/out.mp")" -ge $((switches - 4)) ]
	[ "$(grep -c '^ => ' "$TMP/trace")" = "$(grep -o 'stack=.*' "$TMP/out.mp" | grep -o '_\[k\]' | wc -l)" ]
}

@test "system calls of ftrace have the types, the fields and the values of the kernel" {
	ftrace_capture events/syscalls/sys_enter_openat/enable events/syscalls/sys_exit_openat/enable \
		events/raw_syscalls/sys_enter/enable events/raw_syscalls/sys_exit/enable
	for what in enter exit; do
		[ "$what" = enter ] && sign='sys_openat(' || sign='sys_openat -> '
		n=$(grep -c ": $sign" "$TMP/trace")
		[ "$n" -ge 60 ] && [ "$(grep -c "syscalls:sys_${what}_openat," "$TMP/out.mp")" = "$n" ]
	done
	[ "$(grep -c 'syscalls:sys_enter_openat,.*	.dfd=0x[0-9a-f]*	.filename=0x[0-9a-f]*	.flags=0x[0-9a-f]*	.mode=0x' "$TMP/out.mp")" \
		= "$(grep -c ': sys_openat(' "$TMP/trace")" ]
	! grep -q '\.text=' "$TMP/out.mp" || false
}

# The sum of the weights of an imported stream, of a section with this name.
sum_of() {
	mp-fold --no-comm -e "$1" "$2" | awk '{ n += $NF } END { print n + 0 }'
}

@test "all that bpftrace counted by stack and in histograms is imported" {
	needs_root
	command -v bpftrace > /dev/null || skip "no bpftrace"
	has_global_pids || skip "bpftrace does not know the ids of a pid namespace"
	# one process, which has few stacks: of the whole system some have the same hash, and bpftrace then prints nothing more
	printf '%s\n' 'open F, "/dev/zero"; $end = time + 2; while (time < $end) { sysread F, $b, 65536 for 1 .. 100 }' > "$TMP/busy"
	bpftrace -c "$(command -v perl) $TMP/busy" -e 'profile:hz:499 /pid == cpid/ { @a[kstack, comm] = count(); @b[pid, ustack(perf), kstack(perf)] = count(); @c[ustack] = count();
		@h[comm] = hist(nsecs % 100000); @l = lhist(cpu, 1, 3, 1); @n = count() }' > "$TMP/text" 2> "$TMP/err" || skip "bpftrace cannot record"
	! grep -q 'failed to look up' "$TMP/err" || skip "bpftrace cannot print all stacks"
	n=$(sed -n 's/^@n: //p' "$TMP/text")
	[ "$n" -gt 0 ]
	mp-import "$TMP/text" > "$TMP/out.mp" 2> "$TMP/err"
	mp-order --check "$TMP/out.mp"
	# what bpftrace printed of each map; the sums of its maps may differ from its other counter, @n
	for map in @a @b @c; do
		want=$(awk -v m="$map[" 'index($0, "@") == 1 { on = index($0, m) == 1 } on && /\]: [0-9]+$/ { n += $NF } END { print n + 0 }' "$TMP/text")
		[ "$want" -gt 0 ]
		[ "$(sum_of $map "$TMP/out.mp")" = "$want" ]
	done
	for map in @h @l; do
		[ "$(mp-select -f ".map==\"$map\"" --fields .count "$TMP/out.mp" | awk -F = '/^[0-9]*,bpftrace/ { n += $NF } END { print n }')" \
			= "$(awk -v m="$map" 'index($0, "@") == 1 { on = index($0, m) == 1 } on && /\|$/ { n += $(NF - 1) ~ /^[0-9]+$/ ? $(NF - 1) : $3 ~ /^[0-9]+$/ ? $3 : $2 } END { print n + 0 }' "$TMP/text")" ]
	done
	# as many frames of the kernel as bpftrace printed addresses of the kernel
	[ "$(grep -cE '^	ffff[0-9a-f]{12} ' "$TMP/text")" = "$(grep -o '_\[k\]' "$TMP/out.mp" | wc -l)" ]
}

@test "a profile of pprof gives the stacks that were exported to it" {
	[ -e "$BUILD/bin/mp-export" ] || skip "no mp-export"
	make_stream 500 11 | mp-fold -e cpu-clock --stream | tee "$TMP/in.mp" | mp-export --to pprof > "$TMP/in.pb.gz"
	mp-import "$TMP/in.pb.gz" > "$TMP/out.mp"
	mp-order --check "$TMP/out.mp"
	mp-fold "$TMP/in.mp" > "$TMP/want"
	[ "$(wc -l < "$TMP/want")" -gt 100 ]
	mp-fold "$TMP/out.mp" | cmp - "$TMP/want"
	zcat "$TMP/in.pb.gz" | mp-import | cmp - "$TMP/out.mp"
	zcat "$TMP/in.pb.gz" | perl -e 'while (sysread STDIN, $b, 1) { syswrite STDOUT, $b }' | mp-import | cmp - "$TMP/out.mp"
	run -2 bash -c 'zcat "$1" | head -c -100 | mp-import' - "$TMP/in.pb.gz"
	[[ "$output" == *"stdin: not a complete profile of pprof"* ]]
}

@test "the totals of a profile of Go are those of go tool pprof" {
	[ -e "$BUILD/bin/mp-export" ] || skip "built without protobuf-c"
	command -v go > /dev/null || skip "no go"
	export HOME=$TMP GOFLAGS=-mod=mod GOCACHE=$TMP/cache GOTOOLCHAIN=local
	cat > "$TMP/cpu.go" <<-'X'
		package main
		import ("math"; "os"; "runtime/pprof"; "time")
		func work(n int) (s float64) { for i := 0; i < n; i++ { s += math.Sin(float64(i)) }; return }
		func main() {
			pprof.StartCPUProfile(os.Stdout)
			for end := time.Now().Add(time.Second); time.Now().Before(end); { work(1000) }
			pprof.StopCPUProfile()
		}
	X
	go run "$TMP/cpu.go" > "$TMP/go.pb.gz"
	mp-import "$TMP/go.pb.gz" > "$TMP/out.mp"
	go tool pprof -raw "$TMP/go.pb.gz" > "$TMP/raw"
	# below "Samples:" "  VALUE   VALUE: LOCATION ..."
	for value in 1:samples 2:cpu; do
		want=$(sed -n '/^Samples:/,/^Locations/p' "$TMP/raw" | awk -v c="${value%:*}" '/^ *[0-9]+ +[0-9]+:/ { sub(":", "", $2); n += $c } END { print n }')
		[ "$want" -gt 0 ]
		[ "$(sum_of "${value#*:}" "$TMP/out.mp")" = "$want" ]
	done
	grep -q 'main.main;main.work' "$TMP/out.mp"
}

# Two tasks, each with 97 calls of kill that succeed and 31 that fail.
many_kills() {
	printf '%s' 'fork; my $p = $$; kill 0, $p for 1 .. 97; kill 99, $p for 1 .. 31; wait'
}

@test "each call that strace saw is a span, with its result and its duration" {
	command -v strace > /dev/null || skip "no strace"
	strace -f -ttt -T -o "$TMP/text" perl -e "$(many_kills)" || skip "strace cannot trace"
	mp-import "$TMP/text" > "$TMP/out.mp"
	mp-order --check "$TMP/out.mp"
	[ "$(grep -c '^[0-9]*,kill,tid=.*	.ret=0	dur=' "$TMP/out.mp")" = 194 ]
	[ "$(grep -c '^[0-9]*,kill,tid=.*, 99	.ret=-22(EINVAL)	dur=' "$TMP/out.mp")" = 62 ]
	# all lines with a duration, and the sum of the durations
	[ "$(grep -c '	dur=' "$TMP/out.mp")" = "$(grep -c '<[0-9.]*>$' "$TMP/text")" ]
	[ "$(grep -o 'dur=[0-9]*' "$TMP/out.mp" | awk -F = '{ n += $2 } END { print n / 1000 }')" \
		= "$(grep -o '<[0-9.]*>$' "$TMP/text" | tr -d '<>.' | awk '{ n += $1 } END { print n }')" ]
	[ "$(grep -c 'strace:exit,' "$TMP/out.mp")" = 2 ]
}

@test "each call that perf trace saw is a span" {
	command -v perf > /dev/null || skip "no perf"
	needs_root
	perf trace -e kill -o "$TMP/text" perl -e "$(many_kills)" 2> /dev/null || skip "perf cannot trace"
	mp-import "$TMP/text" > "$TMP/out.mp" 2> "$TMP/err" || grep -q 'no time' "$TMP/err"
	[ "$(grep -c '^[0-9]*,kill,' "$TMP/out.mp")" = 256 ] || grep -q LOST "$TMP/text"
	[ "$(grep -c '	.ret=-22(EINVAL)' "$TMP/out.mp")" = "$(grep -c EINVAL "$TMP/text")" ]
	[ "$(grep -c '	dur=' "$TMP/out.mp")" = "$(grep -c ' ms): ' "$TMP/text")" ]
}

@test "the samples of a CPU profile of node and their times are imported" {
	command -v node > /dev/null || skip "no node"
	node --cpu-prof --cpu-prof-dir="$TMP" --cpu-prof-name=profile -e 'function busy(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s }
		for (const end = Date.now() + 500; Date.now() < end;) busy(1e5)' || skip "node cannot profile"
	mp-import "$TMP/profile" > "$TMP/out.mp"
	mp-order "$TMP/out.mp" | mp-order --check -
	jq -r '(.samples | length), 1000 * (.endTime - .startTime - .timeDeltas[0])' "$TMP/profile" > "$TMP/want"
	{
		trailer "$TMP/out.mp" records
		mp-fold -w period "$TMP/out.mp" | awk '{ n += $NF } END { printf "%d\n", n }'
	} > "$TMP/got"
	jq -e 'all(.timeDeltas[]; . >= 0)' "$TMP/profile" > /dev/null || sed -i '$d' "$TMP/want" "$TMP/got"	# V8 may go back
	cmp "$TMP/want" "$TMP/got"
	# the samples of each function as V8 counted them
	[ "$(grep -c ';busy \[eval\]:1$' "$TMP/out.mp")" = "$(jq '[.nodes[] | select(.callFrame.functionName == "busy") | .hitCount] | add' "$TMP/profile")" ]
	jq . "$TMP/profile" | mp-import | cmp - "$TMP/out.mp"
}

@test "stacks and spans that were exported to speedscope and to trace events come back" {
	[ -e "$BUILD/bin/mp-export" ] || skip "no mp-export"
	make_stream 500 12 | mp-fold -e cpu-clock --stream > "$TMP/stacks.mp"
	mp-export --to speedscope "$TMP/stacks.mp" | mp-import > "$TMP/out.mp"
	mp-order --check "$TMP/out.mp"
	mp-fold "$TMP/stacks.mp" > "$TMP/want"
	[ "$(wc -l < "$TMP/want")" -gt 100 ]
	mp-fold "$TMP/out.mp" | cmp - "$TMP/want"

	awk 'BEGIN { for (i = 1; i <= 500; i++) printf "%d,op%d,pid=3\ttid=%d\t.a=x y\t.n=%d\tdur=%d\n", 81795446000000 + i * 1001, i % 7, i % 5 + 1, i, i * 3 }' > "$TMP/spans.mp"
	mp-export --to chrome "$TMP/spans.mp" | mp-import | mp-order - | grep '^[0-9]' | cmp - "$TMP/spans.mp"
}

@test "heap profiles of gperftools have the bytes and the functions of the program" {
	compgen -G '/usr/lib/*/libtcmalloc.so.4' > /dev/null || skip "no libtcmalloc"
	cat > "$TMP/leak.c" <<- 'X'
		#include <stdlib.h>
		#include <string.h>
		void *volatile kept[100];
		#define AWAY __attribute__((noinline, noclone))
		AWAY void *grab(size_t n) { void *p = malloc(n); memset(p, 1, n); return p; }
		AWAY void leaks(void) { for (int i = 0; i < 7; i++) kept[i] = grab(1009); }
		AWAY void frees(void) { for (int i = 0; i < 11; i++) { kept[20] = grab(4001); free(kept[20]); kept[20] = 0; } }
		AWAY void half(void) { for (int i = 0; i < 10; i++) { kept[30 + i] = grab(503); if (i % 2) free(kept[30 + i]); } }
		int main(void) { leaks(); frees(); half(); memset((void *)kept, 0, sizeof(kept)); return 0; }
	X
	gcc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$TMP/leak" "$TMP/leak.c"
	LD_PRELOAD=libtcmalloc.so.4 HEAPPROFILE=$TMP/p "$TMP/leak" 2> /dev/null
	fold() { mp-import "$TMP"/p.*.heap | mp-srcline --symbols --debug-dir "$TMP/none" | mp-fold -e "$1" | sed 's/.*;main/main/'; }
	[ "$(fold inuse_space)" = "main (leak.c:9);half (leak.c:8);grab (leak.c:5) 2515
main (leak.c:9);leaks (leak.c:6);grab (leak.c:5) 7063" ]
	[ "$(fold alloc_objects | grep -o '[a-z]* [^ ]* [0-9]*$' | sed 's/.*) //' | sort -n | paste -sd ' ')" = "7 10 11" ]
	# by symbols alone
	strip -g "$TMP/leak"
	[ "$(fold alloc_space)" = "main;frees;grab 44011
main;half;grab 5030
main;leaks;grab 7063" ]
	# without --symbols the frames keep their places
	mp-import "$TMP"/p.*.heap | mp-srcline 2> /dev/null | grep -q ';\[leak\]+0x[0-9a-f]*+0x[0-9a-f]*@leak:-$'
	# leaks that the program's own check finds; it needs ptrace
	rm "$TMP"/p.*.heap
	(cd "$TMP" && TMPDIR=$TMP HEAP_CHECK_DUMP_DIRECTORY=$TMP LD_PRELOAD=libtcmalloc.so.4 HEAPCHECK=normal "$TMP/leak" 2> "$TMP/said") || true
	set -- "$TMP"/leak.*.heap
	[ -e "$1" ] || skip "HEAPCHECK does not work here: $(tail -n 1 "$TMP/said")"
	[ "$(mp-import "$1" | mp-srcline --symbols | mp-fold -e inuse_space | sed 's/.*;main/main/')" = "main;half;grab 2515
main;leaks;grab 7063" ]
}
