#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-select compared with other programs that do the same, and what must hold for any selection.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# 20,000 ordered events with a header, watermarks, losses and a trailer with the right totals.
stream() {
	awk 'BEGIN {
		srand(7)
		print "{\"mp\":1,\"datatype\":\"event\",\"clock\":\"monotonic\",\"clock_ns\":1000000,\"realtime_ns\":1795166340000000000,\"events\":{\"a:x\":{\".n\":\"s64\"},\"b:y\":{\".n\":\"s64\"}}}"
		for (i = 1; i <= 20000; i++) {
			t = 1000000 + i * 1000 + int(rand() * 1000)
			printf "%d,%s,cpu=%d\tpid=%d\tcomm=%s%d\t.n=%d%s\n", t, rand() < .3 ? "a:x" : "b:y", rand() * 4, rand() * 50, rand() < .5 ? "xy" : "ab", rand() * 9, rand() * 2000 - 1000, rand() < .5 ? "\tstack=m;f;g" : ""
			if (i % 1000 == 0) printf "{\"watermark\":%d}\n", 1000000 + i * 1000
			if (i % 7000 == 0) printf "{\"lost\":3,\"time\":%d,\"cpu\":0}\n", 1000000 + i * 1000
		}
		print "{\"end\":\"event\",\"records\":20000,\"lost\":6,\"fired\":20016,\"excluded\":10}"
	}'
}

data() { grep -a '^[0-9]' "$1"; }

# Checks that the stream is valid, and that the counts of its trailer are right.
is_complete() {
	run mp-order --check "$1"
	[ "$status" = 0 ] || { echo "$output"; false; }
	[ "$(tail -n 1 "$1" | jq '.fired == .records + .lost + .excluded')" = true ]
}

# select_ ARGS: writes to $TMP/out; the only message is about the losses that are in it.
select_() {
	local lost
	run --separate-stderr mp-select "$@" "$TMP/in"
	printf '%s\n' "$output" > "$TMP/out"
	lost=$(trailer "$TMP/out" lost)
	[ "$lost" = "$(grep -a '^{"lost"' "$TMP/out" | jq -s 'map(.lost) | add // 0')" ]
	[ "$status-$stderr" = "$([ "$lost" = 0 ] && echo 0- || echo "1-mp-select: input reports $lost lost events")" ]
}

@test "without options the stream is unchanged but for bytes of the trailer" {
	stream > "$TMP/in"
	select_
	cmp "$TMP/in" "$TMP/out"
}

@test "expressions agree with grep and awk" {
	stream > "$TMP/in"
	select_ -f 'cpu==1'
	data "$TMP/in" | grep -a 'cpu=1	' | cmp - <(data "$TMP/out")
	is_complete "$TMP/out"
	select_ -f 'comm~"x*"'
	data "$TMP/in" | grep -a 'comm=x' | cmp - <(data "$TMP/out")
	select_ -f 'comm~*5 && !(stack~"*f*") || type==a:x && pid<=7'
	data "$TMP/in" | grep -aP 'comm=[a-z]*5\t(?!.*stack=)|,a:x,.*\tpid=[0-7]\t' | cmp - <(data "$TMP/out")
	select_ -f '.n>=-5 && .n<900'
	data "$TMP/in" | awk -F '[=\t]' '$8 >= -5 && $8 < 900' | cmp - <(data "$TMP/out")
	select_ -f '.n&4' -f 'cpu!=0'
	data "$TMP/in" | perl -ne 'print if /cpu=[1-9]/ && /\.n=(-?\d+)/ && $1 & 4' | cmp - <(data "$TMP/out")
	is_complete "$TMP/out"
}

@test "random expressions over hostile lines agree with a reference in python" {
	for seed in 101 102 103; do
		run python3 tests/tools/expr-reference.py $seed 100
		[ "$status" = 0 ] || { echo "$output"; false; }
		[ "$output" -gt 500 ]
	done
}

@test "each line matches either an expression or its opposite" {
	stream > "$TMP/in"
	for e in 'cpu==1' 'comm~"x*" || .n<0 && pid>3' 'stack~"*g"' '!(addr==1 && cpu==0)' ; do
		mp-select -f "$e" "$TMP/in" > "$TMP/yes" 2> "$TMP/err" || [ $? = 1 ]
		mp-select -v -f "$e" "$TMP/in" > "$TMP/no" 2> "$TMP/err" || [ $? = 1 ]
		{ mp-select -f "!($e)" "$TMP/in" 2> "$TMP/err" || [ $? = 1 ]; } > "$TMP/not"
		cmp <(sed 1d "$TMP/not") <(sed 1d "$TMP/no")	# their headers say it differently
		sort -s -n -m <(data "$TMP/yes") <(data "$TMP/no") | cmp - <(data "$TMP/in")
		is_complete "$TMP/yes"
		is_complete "$TMP/no"
	done
}

@test "adjacent windows hold each event once, and all ways to state a window agree" {
	stream > "$TMP/in"
	: > "$TMP/all"
	for ms in 0 4 8 12 16 20; do
		select_ --from ${ms}ms --for 4ms
		data "$TMP/out" >> "$TMP/all"
		is_complete "$TMP/out"
		cp "$TMP/out" "$TMP/one"
		a=$((1000000 + ms * 1000000)) b=$((1000000 + (ms + 4) * 1000000))
		awk -F , -v a=$a -v b=$b '/^[0-9]/ && $1 >= a && $1 < b' "$TMP/in" | cmp - <(data "$TMP/one")
		for w in "--from @$a --to @$b" "--from @${a}ns --for 4000us" "--from 0.0$(printf %02d $ms) --to $((ms + 4))ms" \
			"--from 2026-11-20T09:19:00.0$(printf %02d $ms)Z --to 2026-11-20T10:19:00.0$(printf %02d $((ms + 4)))+01:00"; do
			select_ $w
			cmp "$TMP/one" "$TMP/out" || { echo "$w"; false; }
		done
	done
	cmp "$TMP/all" <(data "$TMP/in")
	# a part of a stream has the same start
	mp-select --from 4ms --for 8ms "$TMP/in" 2> /dev/null | mp-select --from 8ms 2> /dev/null | data - | cmp - <(mp-select --from 8ms --to 12ms "$TMP/in" 2> /dev/null | data -)
}

@test "a window works on unordered events" {
	stream | grep -a '^[0-9]' | shuf --random-source=<(yes) > "$TMP/in"
	mp-select --from @3000000 --to @9000000 "$TMP/in" | cmp - <(awk -F , '$1 >= 3000000 && $1 < 9000000' "$TMP/in")
}

@test "--overlap keeps the spans that a window touches and no others" {
	awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) printf "%d,s,cpu=0\tdur=%d\n", 100000 + i * 10, rand() * 900 }' > "$TMP/in"
	mp-select --from @110000 --to @112000 --overlap "$TMP/in" > "$TMP/out"
	awk -F '[,=]' '$1 >= 110000 && $1 - $5 < 112000' "$TMP/in" | cmp - "$TMP/out"
	[ "$(wc -l < "$TMP/out")" -gt "$(mp-select --from @110000 --to @112000 "$TMP/in" | wc -l)" ]
}

@test "--every, --count and --event keep every Nth event, the first N, and types" {
	stream > "$TMP/in"
	for n in 1 2 7 30000; do
		select_ --every $n
		data "$TMP/in" | awk -v n=$n 'NR % n == 1 % n' | cmp - <(data "$TMP/out")
		is_complete "$TMP/out"
	done
	select_ -e 'a:*' --every 3
	data "$TMP/in" | grep -a ',a:x,' | awk 'NR % 3 == 1' | cmp - <(data "$TMP/out")
	[ "$(head -n 1 "$TMP/out" | jq -c .events)" = '{"a:x":{".n":"s64"}}' ]
	for n in 1 6999 7001 19999; do
		mp-select -n $n "$TMP/in" > "$TMP/out" 2> "$TMP/err" || [ $? = 1 ]
		data "$TMP/in" | head -n $n | cmp - <(data "$TMP/out")
		run mp-order --check "$TMP/out"
		[ "$status" = 0 ]
		[ "$(trailer "$TMP/out" lost)" = $((n / 7000 * 3)) ]
	done
}

@test "each field is kept by either --fields or --drop, as cut would do it" {
	stream > "$TMP/in"
	select_ --fields cpu,comm
	data "$TMP/in" | cut -f 1,3 | cmp - <(data "$TMP/out")
	[ "$(head -n 1 "$TMP/out" | jq -c .events)" = '{"a:x":{},"b:y":{}}' ]
	is_complete "$TMP/out"
	select_ --drop cpu,comm
	data "$TMP/in" | perl -pe 's/cpu=\d+\t//; s/comm=\w+\t//' | cmp - <(data "$TMP/out")
	select_ --drop stack
	data "$TMP/in" | sed 's/\tstack=.*//' | cmp - <(data "$TMP/out")
	select_ --fields stack
	data "$TMP/in" | perl -pe 's/,(\w:\w),(.*?)(stack=.*)?$/,$1,$3/' | cmp - <(data "$TMP/out")
	is_complete "$TMP/out"
	# long fields, wider than any buffer
	{ printf '1,a:b,cpu=1\tcomm='; head -c 900000 /dev/zero | tr '\0' x; printf '\t.n=5\n'; } > "$TMP/long"
	mp-select --fields comm,.n "$TMP/long" | cmp - <(sed 's/cpu=1\t//' "$TMP/long")
	[ "$(mp-select --fields cpu,.n "$TMP/long")" = "1,a:b,cpu=1	.n=5" ]
}

@test "each section of several inputs has its window, its start and its trailer" {
	stream > "$TMP/in"
	sed 's/"clock_ns":1000000/"clock_ns":5000000/' "$TMP/in" > "$TMP/two"
	mp-select --from 5ms --for 1ms "$TMP/in" "$TMP/two" > "$TMP/out" 2> /dev/null || [ $? = 1 ]
	{ mp-select --from @6000000 --to @7000000 "$TMP/in" || true; mp-select --from @10000000 --to @11000000 "$TMP/two"; } 2> /dev/null | cmp - "$TMP/out"
	cat "$TMP/in" "$TMP/two" | mp-select --from 5ms --for 1ms 2> /dev/null | cmp - "$TMP/out"
}

@test "an option that nothing can match is reported with the likely meaning" {
	stream > "$TMP/in"
	run mp-select -f 'cpu==1 && n>0' "$TMP/in"
	[[ "$output" == *": field 'n' of the expression is not in the header's list of fields: did you mean '.n'?"* ]]
	run mp-select -f 'comm>5' "$TMP/in"
	[[ "$output" == *"field 'comm' is compared with a number but was not a number in any record (text needs quotes)"* ]]
	run mp-select --from 1h "$TMP/in"
	[[ "$output" == *"no event is in the window: 20000 before it, 0 after it"* ]]
	run mp-select -e 'a:y' "$TMP/in"
	[[ "$output" == *"no event matches -e; the input has 'a:x' and others"* ]]
	run mp-select 'cpu==1' "$TMP/in"
	[ "$status" = 2 ] && [[ "$output" == *"there is no file 'cpu==1' (an expression follows --filter)"* ]] || false
}

@test "kept events of a live stream are written at once, and --count ends a stream that continues" {
	mkfifo "$TMP/fifo"
	mp-select -f 'cpu==1' -n 2 < "$TMP/fifo" > "$TMP/out" &
	pid=$!
	exec 5> "$TMP/fifo"
	printf '{"mp":1,"datatype":"event"}\n1,a:b,cpu=1\n2,a:b,cpu=0\n' >&5
	until grep -q '^1,a:b' "$TMP/out"; do await; done
	[ "$(cat "$TMP/out")" = "$(printf '{"mp":1,"datatype":"event","filters":{"*":"CPU==1"}}\n1,a:b,cpu=1')" ]
	printf '3,a:b,cpu=1\n' >&5
	wait $pid
	exec 5>&-
	[ "$(tail -n 1 "$TMP/out")" = '{"end":"event","records":2,"lost":0}' ]
}

@test "memory does not grow with the input" {
	case "$BUILD" in *san-*) skip "sanitizers need memory of their own" ;; esac
	stream > "$TMP/in"
	grep -a '^[0-9]' "$TMP/in" > "$TMP/data"
	for n in 1 20; do
		for _ in $(seq $n); do cat "$TMP/data"; done |
			/usr/bin/time -o "$TMP/kib.$n" -f %M mp-select -f 'pid==7 || comm~*b5' --from 1ms --drop stack > /dev/null
	done
	# the kernel's count may be wrong by some 100 KiB for each CPU
	[ "$(cat "$TMP/kib.20")" -lt $(($(cat "$TMP/kib.1") + 512 + 128 * CPUS)) ]
}

@test "a selection of a live recording equals that of grep, and stops the recorder" {
	needs_root
	mp-record -q -a -e sched:sched_switch -d 300ms -o "$TMP/rec" 2> /dev/null || [ $? = 1 ]
	mp-select -f 'cpu==0 && .prev_pid!=0' "$TMP/rec" > "$TMP/out" 2> /dev/null || [ $? = 1 ]
	data "$TMP/rec" | grep -a 'cpu=0	' | grep -av '	\.prev_pid=0	' | cmp - <(data "$TMP/out")
	run mp-order --check "$TMP/out"
	[ "$status" = 0 ]
	{ timeout 120 mp-record -q -a -e sched:sched_switch 2> /dev/null || echo $? > "$TMP/status"; } | mp-select -n 3 > "$TMP/out"
	[ "$(cat "$TMP/status")" = 141 ]
	[ "$(data "$TMP/out" | wc -l)" = 3 ]
}

@test "bash completes the fields and types of the stream on the command line" {
	source completions/mp-tools.bash
	stream > "$TMP/in"
	complete_line() {
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
		_mp_tools "$1"
	}
	complete_line mp-select "$TMP/in" --drop "cpu,."
	[ "${COMPREPLY[*]}" = "cpu,.n" ]
	complete_line mp-select "$TMP/in" -f "'cpu==1 && co"
	[ "${COMPREPLY[*]}" = "cpu==1 && comm" ] || false
	complete_line mp-select "$TMP/in" -e "a"
	[ "${COMPREPLY[*]}" = "a:x" ]
	complete_line mp-select --fields "ti"
	[ "${COMPREPLY[*]}" = "time tid" ]
}

@test "spans that are open at the end of a window end there in mp-sched" {
	{
		echo '{"mp":1,"datatype":"event","clock":"monotonic","clock_ns":1000,"realtime_ns":1000,"start":"1970-01-01T00:00:00.000001+00:00"}'
		printf '2000,sched:sched_switch,cpu=0\ttid=0\tcomm=swapper/0\t.prev_comm=swapper/0\t.prev_pid=0\t.prev_prio=120\t.prev_state=0\t.next_comm=a\t.next_pid=7\t.next_prio=120\n'
		printf '9000,sched:sched_switch,cpu=0\ttid=7\tcomm=a\t.prev_comm=a\t.prev_pid=7\t.prev_prio=120\t.prev_state=1\t.next_comm=swapper/0\t.next_pid=0\t.next_prio=120\n'
		echo '{"end":"event","records":2,"lost":0,"time":20000,"fired":2,"excluded":0}'
	} > "$TMP/in"
	mp-sched "$TMP/in" | grep -q '^9000,.*	comm=a	dur=7000	state=run'
	mp-select --for 4000ns "$TMP/in" | mp-sched | grep -q '^5000,.*	comm=a	dur=3000	state=run.*	cut=end'
}
