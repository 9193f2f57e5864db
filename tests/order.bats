#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-order compared with a plain stable sort.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# Events in rounds of two CPUs, each CPU in order, with watermarks if $1 is "marks".
jumbled() {
	awk -v marks="$1" 'BEGIN {
		srand(7); t = 1000000
		print "{\"mp\":1,\"datatype\":\"event\"}"
		for (round = 0; round < 60; round++) {
			for (cpu = 0; cpu < 2; cpu++) {
				x = t
				for (i = 0; i < 400; i++) {
					x += int(rand() * 20)
					n++
					printf "%d,a:b,cpu=%d\tn=%d\tpad=%s\n", x, cpu, n, substr("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", 1, n % 50)
				}
			}
			t += 8000
			if (marks == "marks" && round % 3 == 2) printf "{\"watermark\":%d}\n", t
		}
		printf "{\"end\":\"event\",\"records\":%d,\"lost\":0}\n", n }'
}

reference() {	# events by time, those of equal time in their order
	grep -hE '^[0-9]+,' "$@" | LC_ALL=C sort -s -n -t, -k1,1
}

only_events() {
	grep -E '^[0-9]+,' || true
}

inversions() {
	awk -F, '/^[0-9]+,/ { if ($1 + 0 < last) n++; last = $1 + 0 } END { print n + 0 }' "$1"
}

@test "unordered streams become those of a stable sort, from file and pipe, with and without watermarks" {
	for marks in marks none; do
		jumbled $marks > "$TMP/in"
		reference "$TMP/in" > "$TMP/want"
		mp-order "$TMP/in" | only_events | cmp - "$TMP/want"
		mp-order < "$TMP/in" | only_events | cmp - "$TMP/want"
		cat "$TMP/in" | mp-order | only_events | cmp - "$TMP/want"
		mp-order "$TMP/in" > "$TMP/out"
		run mp-order --check "$TMP/out"
		[ "$status" = 0 ]
	done
}

@test "files shuffled with their watermarks become those of a stable sort, without an inversion" {
	jumbled marks | shuf --random-source=<(yes 1) > "$TMP/in"
	reference "$TMP/in" > "$TMP/want"
	run --separate-stderr mp-order "$TMP/in"
	[ "$status" = 1 ]	# the watermarks are wrong, and that is reported
	[[ "$stderr" == *"events came after a later watermark"* ]]
	mp-order "$TMP/in" 2> /dev/null | only_events | cmp - "$TMP/want"
	# a pipe that pauses: what is before a wrong watermark is written then, and reported if earlier events follow
	cat "$TMP/in" | mp-order 2> "$TMP/err" | only_events > "$TMP/out"
	cmp "$TMP/out" "$TMP/want" || grep -q 'came too late to be put in order' "$TMP/err"
	sort "$TMP/out" | cmp - <(sort "$TMP/want")
	grep -vF '"watermark"' "$TMP/in" > "$TMP/nomarks"
	mp-order "$TMP/nomarks" | only_events | cmp - "$TMP/want"
}

@test "spilling to TMPDIR gives the same output and leaves no file" {
	jumbled none | grep -E '^[0-9]' > "$TMP/in"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
		awk -F, -v OFS=, -v i=$i '{ $1 += i * 37; print }' "$TMP/in"
	done | shuf --random-source=<(yes 2) > "$TMP/big"
	reference "$TMP/big" > "$TMP/want"
	mkdir "$TMP/tmp"
	TMPDIR="$TMP/tmp" strace -f -e trace=openat -o "$TMP/trace" mp-order --memory 16M "$TMP/big" | cmp - "$TMP/want"
	grep -q "$TMP/tmp.*O_TMPFILE" "$TMP/trace"
	[ -z "$(ls -A "$TMP/tmp")" ]
	cat "$TMP/big" | TMPDIR="$TMP/tmp" mp-order -m 16M | cmp - "$TMP/want"
	# the peak is near the limit, not near the size of the input
	command -v /usr/bin/time > /dev/null || return 0
	case "$BUILD" in *san-*) return 0 ;; esac
	/usr/bin/time -f %M -o "$TMP/mem" mp-order -m 16M "$TMP/big" > /dev/null
	[ "$(cat "$TMP/mem")" -lt 40000 ]
	run bash -c "TMPDIR=/nonexistent mp-order -m 16M '$TMP/big' > /dev/null"
	[ "$status" = 2 ] && [[ "$output" == *"cannot make a temporary file in '/nonexistent'"*"TMPDIR"* ]] || false
}

@test "more files than may be open are merged, compressed ones too" {
	mkdir "$TMP/many"
	perl -e '
		srand 5;
		for my $i (0 .. 299) {
			my $t = $i;
			open F, ">", sprintf "%s/%03d", $ARGV[0], $i;
			printf F qq({"mp":1,"datatype":"event","boot":"%d","clock_ns":%d,"realtime_ns":1700000000000000000,"events":{"a:b":{}}}\n), $i, $i;
			printf F "%d,a:b,i=%d\ttext=%s\n", $t += rand 1000, $i, "x" x rand 80 for 1 .. 1000;
			print F qq({"end":"event","records":1000,"lost":0}\n);
		}' "$TMP/many"
	for f in "$TMP"/many/*; do
		awk -F, -v OFS=, -v i="$((10#${f##*/}))" '/^[0-9]/ { $1 = sprintf("17%017d", $1 - i); print }' "$f"
	done | LC_ALL=C sort -s -n -t, -k1,1 > "$TMP/want"
	gzip "$TMP"/many/*7
	(ulimit -n 128; mp-order --realtime -m 16M "$TMP"/many/* > "$TMP/out")
	only_events < "$TMP/out" | cmp - "$TMP/want"
	mp-order --check "$TMP/out"
}

@test "many spilled runs are merged in several steps" {
	awk 'BEGIN { srand(3); for (i = 0; i < 900000; i++)
		printf "%d,a:b,n=%d\tp=%s\n", rand() * 1e9, i, "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789" }' > "$TMP/big"
	LC_ALL=C sort -s -n -t, -k1,1 "$TMP/big" > "$TMP/want"
	mp-order -m 16M "$TMP/big" | cmp - "$TMP/want"
}

@test "several files are merged by time; a file of several sections gives what its sections give one by one" {
	jumbled marks > "$TMP/a"
	jumbled marks | awk -F, -v OFS=, '/^[0-9]/ { $1 += 11 } { print }' > "$TMP/b"
	reference "$TMP/a" "$TMP/b" > "$TMP/want"
	mp-order "$TMP/a" "$TMP/b" | only_events | cmp - "$TMP/want"
	cat "$TMP/a" "$TMP/b" > "$TMP/ab"
	mp-order "$TMP/ab" | only_events | cmp - "$TMP/want"
	mp-order < "$TMP/ab" | only_events | cmp - "$TMP/want"
	mp-order <(cat "$TMP/a") <(cat "$TMP/b") | only_events | cmp - "$TMP/want"
	mp-order "$TMP/a" "$TMP/b" > "$TMP/out"
	run mp-order --check "$TMP/out"
	[ "$status" = 0 ]
	[ "$(head -n 1 "$TMP/out" | jq '.sections | length')" = 2 ]
	# truncated in the middle: reported and ordered
	head -c 300000 "$TMP/ab" > "$TMP/cut"
	run --separate-stderr mp-order "$TMP/cut"
	[ "$status" = 1 ] && [[ "$stderr" == *"no LF"* && "$stderr" == *"truncated"* ]] || false
	mp-order "$TMP/cut" 2> /dev/null > "$TMP/out" || [ $? = 1 ]
	[ "$(inversions "$TMP/out")" = 0 ]
}

@test "a window lets a pipe without watermarks flow; events that come later are reported" {
	mkfifo "$TMP/in"
	mp-order --window 100ns < "$TMP/in" > "$TMP/out" 2> "$TMP/err" &
	pid=$!
	exec 5> "$TMP/in"
	printf '1000,a:b,n=1\n900,a:b,n=2\n1050,a:b,n=3\n1200,a:b,n=4\n' >&5
	until [ "$(wc -l < "$TMP/out")" -ge 3 ]; do await; done
	[ "$(cut -d= -f2 "$TMP/out" | tr '\n' ' ')" = "2 1 3 " ]
	printf '950,a:b,n=5\n1300,a:b,n=6\n' >&5
	exec 5>&-
	status=0
	wait $pid || status=$?
	[ "$status" = 1 ]
	[ "$(cut -d= -f2 "$TMP/out" | tr '\n' ' ')" = "2 1 3 5 4 6 " ]
	grep -q "1 event came too late to be put in order" "$TMP/err"
}

@test "the lowest watermark of several live pipes decides what is written" {
	mkfifo "$TMP/a" "$TMP/b"
	mp-order "$TMP/a" "$TMP/b" > "$TMP/out" &
	pid=$!
	exec 5> "$TMP/a" 6> "$TMP/b"
	printf '10,a:b,n=1\n30,a:b,n=3\n{"watermark":40}\n' >&5
	sleep 0.1
	[ ! -s "$TMP/out" ]
	printf '20,a:b,n=2\n{"watermark":25}\n' >&6
	until [ "$(wc -l < "$TMP/out")" -ge 2 ]; do await; done
	[ "$(grep -o 'n=.' "$TMP/out" | tr '\n' ' ')" = "n=1 n=2 " ]
	exec 5>&- 6>&-
	wait $pid
	[ "$(grep -o 'n=.' "$TMP/out" | tr '\n' ' ')" = "n=1 n=2 n=3 " ]
}

@test "live captures of all CPUs are ordered without an inversion" {
	needs_root
	mp-record -q -e 'sched:*' -n 1000 > "$TMP/s" 2> "$TMP/err" || [ $? = 1 ]
	[ "$(grep -cE '^[0-9]+,' "$TMP/s")" = 1000 ]
	mp-order "$TMP/s" > "$TMP/out" || [ $? = 1 ]
	[ "$(inversions "$TMP/out")" = 0 ]
	# the recording is in order itself, unless it says that the machine was too busy for this
	grep -q 'came after a watermark' "$TMP/err" || only_events < "$TMP/s" | cmp - <(only_events < "$TMP/out")
	# two recorders of one machine share the clock
	mp-record -q -e sched:sched_switch -d 300ms > "$TMP/1" & mp-record -q -e sched:sched_wakeup -d 300ms > "$TMP/2" & wait
	mp-order "$TMP/1" "$TMP/2" > "$TMP/out" || [ $? = 1 ]
	[ "$(inversions "$TMP/out")" = 0 ]
	reference "$TMP/1" "$TMP/2" | cmp - <(only_events < "$TMP/out")
}
