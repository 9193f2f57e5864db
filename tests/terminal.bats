#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What somebody sees who runs the programs at a terminal, without files and pipes.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

setup_file() {
	command -v script > /dev/null || skip "no script(1)"
}

# at_terminal COLUMNS ROWS COMMAND: what a terminal of that size gets, in $TMP/out.
at_terminal() {
	script -qfec "stty cols $1 rows $2; $3" /dev/null < /dev/null > "$TMP/out" 2>&1
}

# recorded COLUMNS ROWS COMMAND: the same for a recording, of which a busy machine may have lost or throttled a part.
recorded() {
	at_terminal "$@" || [ $? = 1 ]
}

# What is on the terminal at the end: after the last time that it was cleared, without CRs.
last_picture() {
	sed 's/.*\x1b\[J//' "$TMP/out" | tr -d '\r'
}

@test "a recording with stacks shows a summary in place, which fits the window, until ^C" {
	needs_root
	start_load "$LOAD/spin" 600
	at_terminal 70 12 "mp-record -p $LOAD_PID" &
	# rewritten twice, with samples
	until [ "$(grep -c $'\033\\[[0-9]*A\033\\[J' "$TMP/out" 2> /dev/null)" -ge 2 ] && grep -q spin "$TMP/out"; do await; done
	pid=$(pgrep -o -x -f "mp-record -p $LOAD_PID")
	kill -INT "$pid"
	wait %2 || true
	! grep -q '^{' "$TMP/out" || false
	grep -q '\^C ends; -o FILE writes the stream' "$TMP/out"
	sed 's/\x1b\[[0-9]*[AJ]//g' "$TMP/out" | tr -d '\r' | awk '/^mp-record: / { next } length > 69 { exit 1 }'
	[ "$(last_picture | grep -cE '^ +[0-9]+ +[0-9.]+  cpu-clock  spin  ')" -ge 1 ] || { cat -v "$TMP/out"; false; }
	# 12 lines, of which one is the cursor's
	awk 'match($0, /\033\[[0-9]+A/) { if (substr($0, RSTART + 2) + 0 > 11) exit 1 }' "$TMP/out"
	# the last picture has what the summary of the recording says
	events=$(sed -n 's/^mp-record: \([0-9]*\) events, .*/\1/p' "$TMP/out" | tr -d '\r')
	last_picture | grep -qE "^[0-9.]+ s, $events events, [0-9]+/s, [0-9]+ lost$"
}

@test "the summary of a command comes at its end, below what the command printed" {
	needs_root
	recorded 90 20 "mp-record -q -- sh -c 'echo printed; exec $LOAD/spin 0.2'"
	! grep -q $'\033' "$TMP/out" || false
	grep -A 9 printed "$TMP/out" | grep -qE '^ +[0-9]+ +[0-9.]+  cpu-clock  spin '
}

@test "the weights of in-kernel aggregation are shown at the end, by where the kernel was entered" {
	needs_root
	at_terminal 100 20 "mp-record -q offcpu -- sleep 0.3" || status=$?
	if grep -q 'not available' "$TMP/out"; then skip "no BPF"; fi
	[ "${status:-0}" -le 1 ]
	grep -qE '^ +[0-9]{9,} +[0-9.]+  stacks  sleep  .*nanosleep.* > .*schedule.*_\[k\]' "$TMP/out" || { cat "$TMP/out"; false; }
}

@test "the summary holds no byte that a terminal would interpret" {
	needs_root
	printf '#include <sys/prctl.h>\n#include <time.h>\nint main(void) { prctl(PR_SET_NAME, "\\033[31m\\302\\2332J"); while (clock() < CLOCKS_PER_SEC / 4); }\n' > "$TMP/t.c"
	gcc -o "$TMP/t" "$TMP/t.c"
	recorded 90 20 "mp-record -q -- $TMP/t"
	grep -qF '\x1b[31m\xc2\x9b2J' "$TMP/out"
	! grep -q $'\033' "$TMP/out" || false
	! grep -q $'\302\233' "$TMP/out" || false
}

@test "with -n, or without stacks, a terminal gets lines" {
	needs_root
	# not from its start on, when it has another name and no main
	start_load "$LOAD/spin" 600
	until [ -s "$TMP/load.out" ]; do await; done
	recorded 90 20 "mp-record -q -n 23 -p $LOAD_PID"
	[ "$(grep -cE '^ *[0-9]+\.[0-9]{9} spin:[0-9]+ \[[0-9]+\] cpu-clock' "$TMP/out")" = 23 ]
	grep -q $'^\tmain' "$TMP/out"
	recorded 90 20 "mp-record -q -g none -- $LOAD/spin 0.2"
	[ "$(grep -cE '^ *[0-9]+\.[0-9]{9} spin:[0-9]+ \[[0-9]+\] cpu-clock' "$TMP/out")" -ge 2 ]
}

@test "a filter that reads from the terminal says so once" {
	for p in $FILTERS; do
		read -ra words <<< "$(filter_words "$p")"
		printf -v quoted '%q ' "${words[@]}"
		at_terminal 90 20 "$quoted > /dev/null" || true
		[ "$(grep -c "^$p: reading from the terminal (^D ends; usually FILE, or a pipe: mp-record ... | $p)" "$TMP/out")" = 1 ] || { cat "$TMP/out"; false; }
	done
	at_terminal 90 20 "mp-order --check" || true
	[ "$(grep -c "^mp-order: reading from the terminal" "$TMP/out")" = 1 ]
	printf '1,a:b,comm=x\n' > "$TMP/in"
	at_terminal 90 20 "mp-fold '$TMP/in'"
	[ "$(tr -d '\r' < "$TMP/out")" = "x 1" ]
}

# on COLUMNS ROWS OPTION... -- COMMAND: runs a filter on a terminal of that size; its pictures are in $TMP/out.
on() {
	timeout 700 tests/tools/terminal.py --columns "$1" --rows "$2" "${@:3}" > "$TMP/out" 2> "$TMP/err"
}

# The last picture, and what follows it.
picture() {
	awk 'BEGIN { RS = "\n\f\n" } { sub(/\n$/, ""); last = $0 } END { print last }' "$TMP/out"
}

# The first picture that shows this pattern.
picture_with() {
	awk -v pattern="$1" 'BEGIN { RS = "\n\f\n" } $0 ~ pattern { print; exit }' "$TMP/out"
}

# N events of 40 tasks, one of which has a name that a terminal would obey.
timed() {
	awk -v n="$1" 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++) { t = i % 40
		print i * 1000 ",block:rq,cpu=" i % 3, "tid=" t, "comm=" (t == 39 ? "\\x1b[2J\\x9b1A\xc2\x9b3A\xe6\xbc\xa2" : "task" t), "dur=" (t * t * 100 + i) } }'
}

# N switches of two CPUs between 46 tasks.
switches() {
	echo '{"mp":1,"datatype":"event","interface":"test","events":{"sched:sched_switch":{}}}'
	awk -v n="$1" 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++) { c = i % 2; t += 1000 + i % 7 * 300
		next_tid = 100 + c * 50 + int(i / 2) * 7 % 23
		print t ",sched:sched_switch,cpu=" c, "tid=" now[c] + 0, "comm=t" now[c] + 0, ".prev_comm=t" now[c] + 0, ".prev_pid=" now[c] + 0,
			".prev_prio=120", ".prev_state=" (i % 3 ? "S" : "R"), ".next_comm=t" next_tid "\\x1b[2J", ".next_pid=" next_tid, ".next_prio=120"
		now[c] = next_tid } }'
	printf '{"end":"event","records":%d,"lost":0}\n' "$1"
}

@test "--live rewrites a table in place while input comes, and ends with the one that comes without it" {
	timed 2000 > "$TMP/in"
	for options in "--count comm,tid" "--by comm,cpu -s --sort p99" "--by cpu" "--count cpu --across tid" "--by comm -s --top 3 -w dur"; do
		# there is a picture of half of the input, which fits the terminal
		on 80 15 --input "$TMP/in" --until 's, 1000 records' -- mp-hist --live=30ms $options || { cat "$TMP/err"; false; }
		[ "$(picture_with 's, 1000 records' | wc -l)" -le 15 ]
		on 80 15 --input "$TMP/in" -- mp-hist $options
		cp "$TMP/out" "$TMP/whole"
		on 80 15 --input "$TMP/in" --pictures 2 -- mp-hist --live=30ms $options
		picture | tail -n "$(wc -l < "$TMP/whole")" | cmp - "$TMP/whole"
	done
	switches 3000 > "$TMP/in"
	for options in "" "--sort wait-max" "--sort migr"; do
		on 200 15 --input "$TMP/in" --until '^46 tasks in ' -- mp-sched --live=30ms $options || { cat "$TMP/err"; false; }
		mp-sched --table $options "$TMP/in" > "$TMP/whole"
		picture | tail -n "$(wc -l < "$TMP/whole")" | diff - "$TMP/whole"
	done
}

@test "--live shows the keys that are greatest so far, as many as fit, with the sums of what has come" {
	timed 2000 > "$TMP/in"
	head -n 1000 "$TMP/in" | mp-hist --by tid -s --sort max --top 11 > "$TMP/expected"
	on 80 15 --input "$TMP/in" --until 's, 1000 records' -- mp-hist --live=30ms --by tid -s --sort max
	picture_with 's, 1000 records' | sed '1d; /^$/d' | head -n 12 | diff - <(head -n 12 "$TMP/expected")
	# the tasks of half of the switches, whose states have not ended yet
	switches 3000 > "$TMP/in"
	head -n 1501 "$TMP/in" > "$TMP/half"
	# the last run of each CPU has not ended
	runs=$(mp-sched --table --tsv "$TMP/half" 2> /dev/null | awk -F'\t' '$1 == "total" { print $6 - 2 }')
	on 200 20 --input "$TMP/in" --until "all +$runs " -- mp-sched --live=30ms --sort runs || { cat "$TMP/err"; false; }
	[ "$(picture_with "all +$runs " | wc -l)" -le 19 ]
}

@test "--live fits a window that becomes smaller, and ends with all counts after ^C" {
	timed 2000 > "$TMP/in"
	on 90 20 --input "$TMP/in" --until 's, 1000 records' --resize 40 8 -- mp-hist --live=30ms --count comm,tid || { cat "$TMP/err"; false; }
	on 80 15 --input "$TMP/in" --until 's, 1000 records' --interrupt -- mp-hist --live=30ms --count cpu || { cat "$TMP/err"; false; }
	picture | tail -n 3 | awk '{ print $1, $4 }' | diff - <(printf '%s\n' "667 0" "667 1" "666 2")
}

@test "--live shows messages above its picture" {
	{ timed 500; echo 'this is not a record'; timed 500 | sed 's/^/9/'; } > "$TMP/in"
	status=0
	on 80 10 --input "$TMP/in" --pictures 3 -- mp-hist --live=30ms --count cpu || status=$?
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	[ "$(picture | grep -c '^mp-hist: stdin:501: ')" = 1 ]
}

@test "--live without a terminal, or with another form of output, is refused" {
	for refused in "mp-hist --live" "mp-sched --live"; do
		run -2 $refused /dev/null
		[ "${lines[0]}" = "${refused% *}: --live needs a terminal as standard output" ]
	done
	for refused in "mp-hist --live --tsv" "mp-hist --live -i 1s" "mp-sched --live --tsv" "mp-sched --live --states run"; do
		run -2 $refused /dev/null
		[[ "${lines[0]}" == *" cannot be combined with "* ]]
	done
}
