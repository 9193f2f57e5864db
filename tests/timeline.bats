#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-timeline: what its pages hold, compared with the stream, and its pages in a browser.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
load svg/check

# N spans of 9 tasks one after the other, each state with a waker if it is a wait.
many_spans() {
	awk -v n="$1" 'BEGIN { srand(11); t = 1000000; split("run wait sleep block", state, " ")
		print "{\"mp\":1,\"datatype\":\"event\",\"clock\":\"monotonic\",\"start\":\"2026-11-20T09:19:00.001000000+00:00\",\"clock_ns\":1000000,\"realtime_ns\":1795166340001000000}"
		for (i = 0; i < n; i++) {
			t += 1 + int(rand() * 3000); task = int(rand() * 9); s = state[1 + int(rand() * 4)]
			dur = last[task] ? t - last[task] : 500; last[task] = t
			printf "%.0f,sched:span,%stid=%d\tcomm=task%d\tdur=%.0f\tstate=%s%s%s\n", t, s == "run" ? "cpu=" int(rand() * 4) "\t" : "", 100 + task, task, dur, s,
				s == "wait" ? "\twaker_tid=" 100 + (task + 1) % 9 "\twaker_comm=task" (task + 1) % 9 : "", s == "sleep" ? "\tstack=main;f" int(rand() * 5) : ""
		}
		printf "{\"end\":\"event\",\"records\":%d,\"lost\":0}\n", n }'
}

# What a page should hold of these spans, by awk.
spans_of() {
	awk -F '\t' '/^[0-9]/ { delete f; split($1, head, ","); for (i = 1; i <= NF; i++) { s = $i; sub(/^[0-9]+,[^,]*,/, "", s); at = index(s, "="); f[substr(s, 1, at - 1)] = substr(s, at + 1) }
		printf "span\t%s %s\t%.0f\t%s\tsched:span\t%s\n", f["comm"], f["tid"], head[1] - f["dur"], f["dur"], f["state"] }' "$1" | sort
}

shown() {
	tests/tools/timeline.py "$1"
}

timeline_check() {
	flame_check "$@"
}

needs_chromium() {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
}

@test "a page holds the spans of the stream, with their fields, stacks and arrows" {
	many_spans 4000 > "$TMP/in"
	mp-timeline --arrows "$TMP/in" > "$TMP/page.html"
	shown "$TMP/page.html" > "$TMP/shown"
	grep '^span' "$TMP/shown" | cut -f 1-6 | sort > "$TMP/got"
	spans_of "$TMP/in" | diff - "$TMP/got"
	[ "$(grep -c '^arrow' "$TMP/shown")" = "$(grep -c 'state=wait' "$TMP/in")" ]
	# an arrow leads from the row of the waker to the begin of the wait
	grep '^arrow' "$TMP/shown" | awk -F '\t' '{ if ($3 != $5) exit 1; split($2, a, " "); split($4, b, " "); if ((b[2] - 100 + 1) % 9 != a[2] - 100) exit 1 }'
	[ "$(grep -c 'main;f[0-4]$' "$TMP/shown")" = "$(grep -c 'stack=main' "$TMP/in")" ]
	# the order of the input makes no difference
	shuf --random-source=<(yes) <(grep '^[0-9]' "$TMP/in") | mp-timeline --arrows > "$TMP/other.html"
	shown "$TMP/other.html" | grep '^span' | cut -f 1-6 | sort | diff "$TMP/got" -
}

@test "rows are in natural order, in that of appearance, or by weight" {
	printf '%s\n' '100,sched:span,comm=b10	dur=10	state=run' '200,sched:span,comm=b9	dur=90	state=sleep' '300,sched:span,comm=a	dur=50	state=run' > "$TMP/in"
	rows() { mp-timeline --rows comm "$@" "$TMP/in" > "$TMP/page.html" && shown "$TMP/page.html" | sed -n 's/^row //p' | paste -sd ' '; }
	[ "$(rows)" = "a b9 b10" ]
	[ "$(rows --order first)" = "b10 b9 a" ]
	[ "$(rows --order weight)" = "a b10 b9" ]
}

@test "the longest spans and those that are marked stay single, and no time and no number is lost" {
	many_spans 260000 > "$TMP/in"
	mp-timeline --mark 'dur>=3 && dur<4' "$TMP/in" > "$TMP/page.html"
	shown "$TMP/page.html" > "$TMP/shown"
	marked=$(grep -c '	dur=3	' "$TMP/in")
	[ "$(grep -c '	marked	' "$TMP/shown")" = "$marked" ]
	[ "$(grep -c '^span' "$TMP/shown")" = $((100000 + marked)) ]
	spans_of "$TMP/in" | awk -F '\t' '{ n[$2, $6]++; ns[$2, $6] += $4 } END { for (k in n) printf "%s\t%d\t%.0f\n", k, n[k], ns[k] }' | sort > "$TMP/wanted"
	awk -F '\t' '$1 == "span" { n[$2, $6]++; ns[$2, $6] += $4 } $1 == "level" { n[$2, $4] += $5; ns[$2, $4] += $6 }
		END { for (k in n) printf "%s\t%d\t%.0f\n", k, n[k], ns[k] }' "$TMP/shown" | sort | diff "$TMP/wanted" -
	# none of those that are single for their length is shorter than one that is not
	shortest=$(awk -F '\t' '$1 == "span" && $7 != "marked" { print $4 }' "$TMP/shown" | sort -n | head -n 1)
	[ "$(spans_of "$TMP/in" | awk -F '\t' -v s="$shortest" '$4 > s' | wc -l)" -le 100000 ]
	[ "$(stat -c %s "$TMP/page.html")" -le $((4 << 20)) ]
	grep -q "are levels of" "$TMP/page.html"
	# a window of the same recording is exact
	mp-timeline --from 1ms --for 2ms "$TMP/in" > "$TMP/part.html"
	shown "$TMP/part.html" | grep '^span' | cut -f 1-6 | sort > "$TMP/got"
	spans_of "$TMP/in" | awk -F '\t' '$3 < 4000000 && $3 + $4 >= 2000000' | diff - "$TMP/got"
}

@test "counters, instants, arrows of two events, losses" {
	printf '%s\n' '{"mp":1,"datatype":"event"}' '100,stat:cycles,comm=a	dur=50	.value=7' '200,stat:cycles,comm=a	dur=50	.value=9' '250,mem:rss,comm=b	.bytes=4096' \
		'300,sock:sk_data_ready,comm=a	.skaddr=0x1' '310,sock:sk_data_ready,comm=a	.skaddr=0x1' '320,sock:sock_recv_length,comm=b	.sk=0x1' '330,sock:sock_recv_length,comm=b	.sk=0x1' \
		'400,sched:sched_waking,comm=b	.comm=c	.pid=4	.target_cpu=1' '500,sent,comm=a	dur=20	receiver_comm=d	receiver_time=600' '{"lost":5,"from":100,"time":150}' \
		'{"end":"event","records":10,"lost":5}' > "$TMP/in"
	run --separate-stderr mp-timeline --rows comm --arrows "$TMP/in"
	[ "$status" = 1 ]
	shown <(echo "$output") > "$TMP/shown"
	grep -e '^arrow' -e '^counter' -e '^lost' "$TMP/shown" | diff - <(printf '%s\n' 'arrow	a	300	b	320' 'arrow	b	400	c	400' 'arrow	a	500	d	600' \
		'counter	a	stat:cycles	2	16' 'counter	b	mem:rss	1	4096' 'lost	100	150	5')
	[ "$(grep -c '^instant' "$TMP/shown")" = 5 ]
}

@test "11 connections and datagrams between two processes have the arrows that their events have" {
	needs_root
	head -c 64K /dev/zero > "$TMP/file"
	mp-record -q --realtime -m 16M -a ipc -o "$TMP/s" -- unshare -n sh -c 'ip link set lo up && "$0" "$1" 11' "$LOAD/mix" "$TMP/file" > /dev/null || [ $? = 1 ]
	grep -q ',sock:sk_data_ready,' "$TMP/s" || skip "this kernel has no sk_data_ready"
	# also of other tests; a message of TCP may have the process that the network interrupted, or the receiver itself
	mp-select -f 'comm~"mix*"' "$TMP/s" > "$TMP/in" || [ $? = 1 ]
	mp-timeline --rows comm --arrows < "$TMP/in" > "$TMP/page.html" || [ $? = 1 ]
	shown "$TMP/page.html" | grep '^arrow' | sort > "$TMP/got"
	# one for the messages that come before the receiver reads
	awk -F '[,\t]' '/^[0-9]/ { delete f; for (i = 3; i <= NF; i++) { at = index($i, "="); f[substr($i, 1, at - 1)] = substr($i, at + 1) } }
		/^[0-9]*,sock:sk_data_ready,/ && !(f[".skaddr"] in time) { time[f[".skaddr"]] = $1; comm[f[".skaddr"]] = f["comm"] }
		/^[0-9]*,sock:sock_recv_length,/ && f[".sk"] in time {
			printf "arrow\t%s\t%s\t%s\t%s\n", comm[f[".sk"]], time[f[".sk"]], f["comm"], $1; delete time[f[".sk"]] }' "$TMP/in" | sort | diff - "$TMP/got"
	grep -q '^arrow	mix	.*	mix-server	' "$TMP/got"
	# each connection has its message
	[ "$(trailer "$TMP/s" lost)" -gt 0 ] || [ "$(grep -cE '^[0-9]*,sock:sock_recv_length,.*	comm=mix-server	.*	\.ret=600(	|$)' "$TMP/in")" -ge 11 ]
}

@test "every key and button of a page works, and the URL keeps the state" {
	needs_chromium
	many_spans 3000 > "$TMP/in"
	mp-timeline --arrows "$TMP/in" > "$TMP/page.html"
	run timeline_check "$TMP/page.html" key:+ key:- key:0 wheel:500,60,-200 press:out press:all drag:300,60,500,90 key:z key:Escape \
		search:wait key:n key:w key:p key:c key:Escape key:Escape key:t rows:1 key:r press:type-0 press:arrows
	[ "$status" = 0 ] || { echo "$output"; false; }
	echo "$output"
	[[ "${lines[0]}" == "key:+ => #view="* ]]
	[[ "${lines[2]}" == "key:0 => |"* ]]
	[[ "${lines[3]}" == *"#view="* && "${lines[5]}" == "press:all => |"* ]]
	[[ "${lines[6]}" == *"#a="*"&b="*"A to B: "*"mp-select --overlap --from @"*" --to @"*"$TMP/in"* ]]
	[[ "${lines[7]}" == *"#view="*"&a="*"&b="* ]]
	[[ "${lines[8]}" == *"#view="* && "${lines[8]}" != *"&a="* ]]
	[[ "${lines[9]}" == *"search=wait | $(grep -c -e state=wait "$TMP/in") events found |"* ]]
	[[ "${lines[10]}" == *": wait (sched:span), "*"waker_tid="* ]]
	waker=$(sed -n 's/.*waker_comm=\(task[0-9]\) .*/\1/p' <<< "${lines[10]}")
	[[ -z "$waker" || "${lines[11]}" == *"| $waker "* ]]
	[[ "${lines[12]}" == *"pinned="* && "${lines[13]}" == *"collapsed="* ]]
	[[ "${lines[16]}" == *"&table"* && "${lines[17]}" == *" %"* ]]
	[[ "${lines[18]}" == *"arrows=0"* ]]
}

@test "the command of a range selects what the page shows in it, and the sums of the range are those of the stream" {
	needs_chromium
	many_spans 3000 > "$TMP/in"
	mp-timeline "$TMP/in" > "$TMP/page.html"
	run timeline_check "$TMP/page.html" drag:300,60,700,90 key:y clipboard key:t rows:40
	[ "$status" = 0 ] || { echo "$output"; false; }
	command=$(sed -n 's/^clipboard => //p' <<< "$output")
	from=$(sed -n 's/.*--from @\([0-9]*\) .*/\1/p' <<< "$command") to=$(sed -n 's/.*--to @\([0-9]*\) .*/\1/p' <<< "$command")
	bash -c "$command" > "$TMP/part"
	spans_of "$TMP/part" | awk -F '\t' -v from="$from" -v to="$to" '{ e = $3 + $4 < to ? $3 + $4 : to; b = $3 > from ? $3 : from; if (e >= b) { n[$2 " " $6]++ } }
		END { for (k in n) print k, n[k] }' | sort > "$TMP/wanted"
	sed -n 's/^rows:40 => //p' <<< "$output" | sed 's, / ,\n,g' | awk '{ print $1, $2, $3, $NF }' | sort > "$TMP/got"
	diff "$TMP/wanted" "$TMP/got"
}

@test "names of the traced machine are text in a page, and hover shows them" {
	needs_chromium
	printf '%s\n' '1000,x<img/src=x>,comm=</script><script>alert(1)</script>	dur=900	state=<b>&"	.x=<i>	stack=<u>;a b' '2000,b,comm=\xff\x1b[2J	dur=500' > "$TMP/in"
	mp-timeline --rows comm --title '</title><script>' "$TMP/in" > "$TMP/page.html"
	run timeline_check "$TMP/page.html" hover:300,30 search:'<i>' key:n
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "${lines[0]}" == *"<b>&\""*"<img/src=x>"*".x=<i>"*"<u>"* ]] || { echo "$output"; false; }
	[[ "${lines[1]}" == *"| 1 event found |"* ]]
}

@test "pages fit windows of any size, dark paper and print; an empty one says what was not found" {
	needs_chromium
	many_spans 3000 > "$TMP/in"
	echo '5,x,comm=a	tid=1' > "$TMP/one"
	for i in in one; do
		mp-timeline --arrows "$TMP/$i" > "$TMP/page.html"
		run timeline_check "$TMP/page.html" colours dark colours size:400,700 key:t hover:200,40 print colours size:2200,1400
		[ "$status" = 0 ] || { echo "$output"; false; }
	done
	mp-timeline -e none "$TMP/in" > "$TMP/page.html" || [ $? = 1 ]
	grep -q '<p>Nothing to draw: no event matches -e.</p>' "$TMP/page.html"
	timeline_check "$TMP/page.html" key:+ key:w
	mp-timeline "$TMP/in" > "$TMP/page.html"
	run tests/svg/page.py --without DecompressionStream "$TMP/chromium" "$TMP/page.html" note
	[[ "$output" == *"too old"* ]]
}
