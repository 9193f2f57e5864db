#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# User stacks of many programs of the distribution. A uretprobe of the whole system, whichever recorder has placed it, replaces return
# addresses in the stacks of all programs, which then end there.
# Runs beside no other recording.

bats_require_minimum_version 1.5.0
load lib
load stacks

@test "99 % of the stacks of the distribution's programs, running at once, are complete" {
	start_load tests/load/stacks "$TMP/w" 600
	until grep -q ready "$TMP/load.out"; do await; done
	sleep 1
	mp-record --realtime -p "$LOAD_PID" -F 999 -g user -n 6000 -o "$TMP/s" 2> "$TMP/err" || [ $? = 1 ]
	cat "$TMP/err"
	for comm in python3 perl cc1plus node sqlite3 git bash deep.c++ deep.rust java; do
		n=$(grep -c "comm=$comm	" "$TMP/s" || true)
		cut=$(grep "comm=$comm	" "$TMP/s" | grep -c 'stack=\[truncated\]' || true)
		echo "$comm: $n stacks, $cut cut"
		[ $((cut * 50)) -le $((n + 50)) ] || {
			grep "comm=$comm	" "$TMP/s" | grep -o 'stack=\[truncated\].*' | cut -c 1-200 | sort | uniq -c | sort -rn | head
			tail -n 1 "$TMP/s" | jq -c .unwound
			false
		}
	done
	whole 990 1000
	# compared with perf on the same samples, of no other tasks and with a real-time priority, since perf loses records
	# of maps, too, when its buffers are full; it is given tasks that are stopped, because it refuses one that has ended
	kill -STOP -- "-$LOAD_PID"
	while pgrep -s "$LOAD_PID" -r R,S > /dev/null; do await; done
	pgrep -s "$LOAD_PID" -r T > "$TMP/pids"
	# until they have used 2 s of CPU time
	cat > "$TMP/until-used.pl" <<-'X'
		sub used {
			my $ticks = 0;
			for (glob "/proc/[0-9]*/stat") {
				open my $f, "<", $_ or next;
				my @f = split / /, (<$f> // "") =~ s/.*\) //r;	# from the third field on
				$ticks += $f[11] + $f[12] + $f[13] + $f[14] if @f > 14 && $f[3] == $ARGV[0];
			}
			return $ticks;
		}
		my $end = used() + $ARGV[1];
		select undef, undef, undef, 0.1 until used() >= $end;
	X
	perf record -N -q --realtime 1 -p "$(paste -sd , "$TMP/pids")" -e cpu-clock -F 999 -m 16M -k CLOCK_MONOTONIC \
		--call-graph dwarf,32768 -o "$TMP/data" -- \
		sh -c 'kill -CONT "-$2"; exec perl "$@"' sh "$TMP/until-used.pl" "$LOAD_PID" $((2 * $(getconf CLK_TCK)))
	kill -STOP -- "-$LOAD_PID"
	perf script -i "$TMP/data" --no-inline --ns -F tid,time,ip,sym > "$TMP/perf" 2> /dev/null
	# only of programs that ran before: after an exec perf has the maps of the parent
	perf script -i "$TMP/data" --show-task-events -F pid,time 2> /dev/null |
		sed -n 's,.*PERF_RECORD_COMM exec: .*:\([0-9]*\)/[0-9]*$,\1,p' > "$TMP/execs"
	grep -vxF -f "$TMP/execs" "$TMP/pids" > "$TMP/before"
	"$BUILD/tools/unwind" "$TMP/data" | awk 'NR == FNR { before[$1] = 1; next } $1 in before' "$TMP/before" - > "$TMP/ours"
	tests/tools/compare-unwound "$TMP/perf" "$TMP/ours" > "$TMP/compared"
	cat "$TMP/compared"
	# we show what perf shows, and continue where it gives up (code of just-in-time compilers), if a sample is there
	awk '/equal or explained/ { ok = $1 > 300 && $(NF - 4) >= 98 } END { exit !ok }' "$TMP/compared" ||
		{ tests/tools/compare-unwound -v "$TMP/perf" "$TMP/ours" | grep -A 2 -E '^[0-9]+ [0-9]+ (other|perf (has|continues))' | head -n 30; false; }
}
