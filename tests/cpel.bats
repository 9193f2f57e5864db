#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-cpel: tests/tools/cpel.py reads its output and checks it against the rules of CPEL.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

decode() { tests/tools/cpel.py "$@"; }

# Checks what cpel.py reads from FILE.
same() {
	cat > "$TMP/wanted"
	cmp -s "$TMP/wanted" "$1" || { diff "$TMP/wanted" "$1" | head; false; }
}

# random_stream N SEED
random_stream() {
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		print "{\"mp\":1,\"datatype\":\"event\"}"
		for (i = 0; i < n; i++) {
			t += int(rand() * 3) * int(rand() * 1e9)
			printf "%.0f,%s:%s,cpu=%d\tcomm=%s\t.bytes=%d\n", 5e12 + t, substr("abc", 1 + rand() * 3, 1),
				substr("xyz", 1 + rand() * 3, 1), rand() * 130, "n" int(rand() * 9), rand() * 50
		}
		printf "{\"end\":\"event\",\"records\":%d,\"lost\":0}\n", n
	}'
}

@test "the CPEL file has the events, order, names, tracks and texts of the stream" {
	for seed in 1 2 3; do
		random_stream 3000 $seed > "$TMP/in"
		mp-cpel --track cpu "$TMP/in" > "$TMP/out"
		decode "$TMP/out" | cut -f 1,3,5,6 > "$TMP/got"
		grep -v '^{' "$TMP/in" | awk -F '[,\t]' '
			NR == 1 { first = $1 }
			{ sub("cpu=", "", $3); printf "%.0f\tcpu %s\t%s\t%s %s\n", $1 - first + 1, $3, $2, $4, $5 }' |
			same "$TMP/got"
	done
}

@test "tracks are in natural order (cpu 2 before 10), codes in order of names" {
	random_stream 3000 4 | mp-cpel -t cpu | decode | sort -n -k2,2 -u -t "$(printf '\t')" | cut -f 3 > "$TMP/got"
	[ "$(wc -l < "$TMP/got")" = 130 ]
	sort -V "$TMP/got" | same "$TMP/got"
	random_stream 3000 4 | mp-cpel -t comm,cpu | decode | sort -n -k2,2 -u -t "$(printf '\t')" | cut -f 3 > "$TMP/got"
	sort -V "$TMP/got" | same "$TMP/got"
	random_stream 3000 4 | mp-cpel -t cpu | decode | cut -f 4,5 | sort -n -u > "$TMP/got"
	printf '%s\n' {a,b,c}:{x,y,z} | awk '{ print NR "\t" $0 }' | same "$TMP/got"
}

@test "scheduler events have code 1 for a switch to the thread and 2 for its wakeup, as in the stream" {
	awk 'BEGIN { srand(5); for (i = 1; i < 5000; i++) {
		t = 1 + int(rand() * 20); n = int(rand() * 20)
		if (rand() < 0.5)
			printf "%d,sched:sched_switch,cpu=%d\tpid=%d\ttid=%d\tcomm=c%d\t.prev_pid=%d\t.next_comm=c%d\t.next_pid=%d\n",
				i, i % 2, 100 + t % 3, t, t, t, n, n
		else
			printf "%d,sched:sched_wakeup%s,cpu=0\tpid=%d\ttid=%d\tcomm=c%d\t.comm=c%d\t.pid=%d\n", i,
				rand() < 0.3 ? "_new" : "", 100 + t % 3, t, t, n + 1, n + 1 } }' > "$TMP/in"
	mp-cpel "$TMP/in" > "$TMP/out"
	decode "$TMP/out" > "$TMP/all"
	awk -F '\t' '$4 <= 2 { print $1, $4, $5, $3, $6 }' "$TMP/all" > "$TMP/got"
	awk -F '[,\t]' '{ id = $NF; sub(".*=", "", id); sw = $2 ~ /switch/; pid = id > 0 ? 100 + id % 3 : 0
		print $1, sw ? 1 : 2, sw ? "switch in" : "wakeup", "c" id " t" id "(" pid ")", "pid:" pid " tid:" id }' "$TMP/in" |
		same "$TMP/got"
	# and unchanged, on the track of the task that ran
	awk -F '\t' '$4 > 2 { print $1, $5, $3 }' "$TMP/all" > "$TMP/got"
	awk -F '[,\t]' '{ sub("pid=", "", $4); sub("tid=", "", $5); print $1, $2, "c" $5 " t" $5 "(" $4 ")" }' "$TMP/in" | same "$TMP/got"
	# a track for each process has the same events, under the name of its first thread
	mp-cpel -t pid "$TMP/in" | decode | awk -F '\t' '$4 <= 2 && $6 ~ /tid:[^0]/ { split($6, p, "[: ]"); print p[2], $3 }' | sort -u > "$TMP/got"
	[ "$(wc -l < "$TMP/got")" = 3 ]
	! awk '$2 !~ "^c" || $3 != "t" $1 "(" $1 ")"' "$TMP/got" | grep . || false
}

@test "sched_waking serves as the wakeup where there is no other" {
	printf '%s\n' $'1,sched:sched_waking,tid=1\t.pid=2' $'2,sched:sched_wakeup,tid=1\t.pid=2' > "$TMP/in"
	mp-cpel "$TMP/in" | decode | cut -f 1,4,5 | tr '\t\n' ' ;' > "$TMP/got"
	[ "$(cat "$TMP/got")" = "1 4 sched:sched_waking;2 3 sched:sched_wakeup;2 2 wakeup;" ]
	head -n 1 "$TMP/in" | mp-cpel | decode | cut -f 1,4,5 | tr '\t\n' ' ;' > "$TMP/got"
	[ "$(cat "$TMP/got")" = "1 3 sched:sched_waking;1 2 wakeup;" ]
}

@test "spans of mp-sched are begins and ends of states; wait to run, as cpelatency computes it, is what mp-sched says" {
	python3 - <<-'X' > "$TMP/in"
		import random
		# each CPU alternates between the idle task and one of its own five tasks, which it wakes first
		r, t = random.Random(3), 10**9
		print('{"mp":1,"datatype":"event","clock":"monotonic"}')
		who = lambda n: "swapper/0" if n == 0 else f"c{n}"
		for i in range(30000):
		    cpu, tid = i % 2, 10 + 5 * (i % 2) + r.randrange(5)
		    for old, new in (0, tid), (tid, 0):
		        t += r.randrange(1, 5000)
		        if new: print(f"{t},sched:sched_wakeup,cpu={cpu}\tpid=0\ttid=0\tcomm=x\t.comm={who(new)}\t.pid={new}\t.prio=120\t.target_cpu={cpu}")
		        t += r.randrange(1, 900)
		        print(f"{t},sched:sched_switch,cpu={cpu}\tpid={old}\ttid={old}\tcomm={who(old)}\t.prev_comm={who(old)}\t.prev_pid={old}"
		              f"\t.prev_state={1 if old else 0}\t.next_comm={who(new)}\t.next_pid={new}")
	X
	mp-sched "$TMP/in" > "$TMP/spans" 2> "$TMP/err" || true
	[ "$(grep -c sched:span "$TMP/spans")" -gt 100000 ]
	mp-cpel "$TMP/spans" | decode > "$TMP/all"
	[ "$(cut -f 4,5 "$TMP/all" | sort -u | grep -E '^[12]	' | tr '\t\n' ' ;')" = "1 run begin;2 wait begin;" ]
	python3 - "$TMP/spans" "$TMP/all" <<-'X'
		import re, sys
		want, runs, waits = [], set(), {}
		for l in open(sys.argv[1]):
		    if l[0] == "{": continue
		    t, f = int(l.split(",")[0]), dict(x.split("=", 1) for x in l.rstrip("\n").split(",", 2)[2].split("\t"))
		    b, who = t - int(f["dur"]), f.get("tid", "")
		    if who == "0": who = "0 " + f["cpu"]
		    want += [(b, who, f["state"] + " begin"), (t, who, f["state"] + " end")]
		    if f["state"] == "run": runs.add((who, b))
		    if f["state"] == "wait": waits.setdefault((who, t), b)
		first = min(w[0] for w in want)
		got, total, since, last = [], 0, {}, 0
		for l in open(sys.argv[2]):
		    t, track, label, code, name, datum = l.rstrip("\n").split("\t")
		    t = int(t)
		    assert t >= last; last = t
		    who = re.search(r" t(\d+)\(", label)
		    got.append((t - 1 + first, who[1] if who else "", name))
		    # what cpelatency does
		    if code == "2": since[track] = t
		    if code == "1" and since.get(track): total += t - since.pop(track)
		assert sorted(got) == sorted((t, w.split(" ")[0], n) for t, w, n in want)
		mine = sum(t - b for (who, t), b in waits.items() if (who, t) in runs)
		assert total == mine > 0, (total, mine)
		X
}

@test "spans on tracks of CPUs, beside the scheduler's own events, and with losses" {
	printf '%s\n' $'1000,sched:span,cpu=1\ttid=5\tcomm=a\tdur=900\tstate=run' $'1000,sched:span,cpu=0\ttid=0\tcomm=swapper/0\tdur=500\tstate=idle' \
		'{"lost":3,"time":1100,"cpu":0}' $'1200,sched:span,cpu=1\ttid=6\tcomm=b\tdur=200\tstate=run' > "$TMP/in"
	mp-cpel -t cpu -l comm "$TMP/in" 2> /dev/null | decode | tr '\t' ' ' > "$TMP/got" || true
	printf '%s\n' '1 3 cpu 1 1 run begin comm=a' '401 2 cpu 0 2 idle begin comm=swapper/0' '901 3 cpu 1 4 run end comm=a' \
		'901 2 cpu 0 3 idle end comm=swapper/0' '901 3 cpu 1 1 run begin comm=b' '1001 1 lost events 5 lost lost=3 cpu=0' \
		'1101 3 cpu 1 4 run end comm=b' | same "$TMP/got"
	printf '%s\n' $'1000,sched:span,tid=5\tcomm=a\tdur=900\tstate=run' $'1001,sched:sched_wakeup,tid=5\tcomm=a\t.pid=7' > "$TMP/in"
	mp-cpel "$TMP/in" | decode | cut -f 1,4,5 | tr '\t\n' ' ;' > "$TMP/got"
	[ "$(cat "$TMP/got")" = "1 3 run begin;901 4 run end;902 5 sched:sched_wakeup;902 2 wakeup;" ]
	# a span without its state or with a dur that is not one is an event like any other
	printf '%s\n' $'1000,sched:span,tid=5\tdur=900' $'1001,sched:span,tid=5\tdur=9000\tstate=run' $'1002,sched:span,tid=5\tdur=x\tstate=run' > "$TMP/in"
	[ "$(mp-cpel "$TMP/in" | decode | cut -f 1,4,5 | tr '\t\n' ' ;')" = "1 1 sched:span;2 1 sched:span;3 1 sched:span;" ]
}

@test "hostile names become ASCII of at most 64 bytes, without printf directives or what cpelatency misreads" {
	{
		i=0
		for name in '%s%n' '%' 'é\x01' "$(printf 'x%.0s' {1..300})" "$(printf '%%%.0s' {1..300})" '(sd-pam)' 't5(6)' '' '\' '\x' \
			"$(printf '\\n%.0s' {1..80})" $'raw\x01\x7f\xff' '<script>'; do
			i=$((i + 1))
			printf '%d,e%%s:%d,cpu=0\tpid=%d\ttid=%d\tcomm=%s\t.x=%s\n' $i $i $((70 + i)) $i "$name" "$name"
		done
	} > "$TMP/in"
	for track in tid pid comm cpu type comm,cpu; do
		mp-cpel -t $track "$TMP/in" > "$TMP/out"
		decode "$TMP/out" > "$TMP/got"
		[ "$(wc -l < "$TMP/got")" = 13 ]
	done
	mp-cpel "$TMP/in" | decode | cut -f 3 | grep -cE '^[^(]* t[0-9]+\([0-9]+\)$' | grep -qx 13
	mp-cpel "$TMP/in" | decode | cut -f 3 | grep -qxF '%s%n t1(71)'
	mp-cpel "$TMP/in" | decode | cut -f 3 | grep -qxF ' t8(78)'
}

@test "a loss is an event on the first track, at its end, unless -e excludes its type" {
	{
		echo '{"mp":1,"datatype":"event"}'
		echo '{"lost":2,"time":900,"cpu":1}'	# before the first event, which has the time 1
		printf '%s\n' $'1000,a:b,cpu=1\t.x=5' '{"lost":7,"from":1200,"time":1500,"cpu":0,"type":"a:b"}' $'2000,c:d,cpu=0\t.x=6'
		# not where it should be: 100 ns late, and 500 ns early
		printf '%s\n' '{"lost":1,"from":1800,"time":1900,"type":"c:d"}' '{"lost":3,"time":2600}' $'2100,a:b,cpu=1\t.x=5'
		echo '{"lost":4,"time":3000,"cpu":0,"type":"c:d"}'
		echo '{"end":"event","records":3,"lost":17}'
	} > "$TMP/in"
	run --separate-stderr mp-cpel -t cpu -o "$TMP/out" "$TMP/in"
	[ "$status" = 1 ] && [ "$stderr" = "mp-cpel: input reports 17 lost events" ] || false
	decode "$TMP/out" > "$TMP/got"
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' 1 3 'cpu 1' 1 a:b .x=5 1 1 'lost events' 3 lost 'lost=2 cpu=1' \
		501 1 'lost events' 3 lost 'lost=7 dur=300 cpu=0 type=a:b' 1001 2 'cpu 0' 2 c:d .x=6 \
		1001 1 'lost events' 3 lost 'lost=1 dur=100 type=c:d' 1101 1 'lost events' 3 lost lost=3 \
		1101 3 'cpu 1' 1 a:b .x=5 2001 1 'lost events' 3 lost 'lost=4 cpu=0 type=c:d' | same "$TMP/got"
	mp-cpel -e a:b "$TMP/in" 2> "$TMP/err" | decode | cut -f 1,5,6 | grep lost > "$TMP/got"
	printf '%s\t%s\t%s\n' 1 lost 'lost=2 cpu=1' 501 lost 'lost=7 dur=300 cpu=0 type=a:b' 1101 lost lost=3 | same "$TMP/got"
	# a loss alone makes no file
	sed '/^[0-9]/d' "$TMP/in" > "$TMP/none"
	run mp-cpel -o "$TMP/no-file" "$TMP/none"
	[ "$status" = 1 ] && [ ! -e "$TMP/no-file" ] || false
}

@test "without events no file is made or changed, a message says so, and the status is 1" {
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' > "$TMP/in"
	run mp-cpel -o "$TMP/out" "$TMP/in"
	[ "$status" = 1 ] && [ "$output" = "mp-cpel: no events: no CPEL file was written" ] || false
	[ ! -e "$TMP/out" ]
	echo old > "$TMP/out"
	run mp-cpel -o "$TMP/out" "$TMP/in"
	[ "$status" = 1 ] && [ "$(cat "$TMP/out")" = old ] || false
	printf '2,a:b,\n1,a:b,\n' > "$TMP/in"
	run mp-cpel -o "$TMP/out" "$TMP/in"
	[ "$status" = 2 ] && [ "$(cat "$TMP/out")" = old ] || false
}

@test "a CPEL file is never written to a terminal" {
	printf '1,a:b,\n' > "$TMP/in"
	run script -qec "mp-cpel '$TMP/in'" /dev/null
	[ "$status" = 2 ] && [[ "$output" == *"refusing to write binary data to a terminal"* ]] || false
	run script -qec "mp-cpel -o /dev/tty '$TMP/in'" /dev/null
	[ "$status" = 2 ] && [[ "$output" == *"refusing to write binary data to a terminal"* ]] || false
}

@test "a file, a pipe and a second run get the same bytes; the date is that of the first event" {
	{
		echo '{"mp":1,"datatype":"event","clock":"monotonic","clock_ns":1000000000,"realtime_ns":1795166340000000000}'
		random_stream 2000 6
	} > "$TMP/in"
	mp-cpel -o "$TMP/1" "$TMP/in" 2> /dev/null || [ $? = 1 ]
	{ mp-cpel < "$TMP/in" || true; } 2> /dev/null | cat > "$TMP/2"
	cmp "$TMP/1" "$TMP/2"
	first=$(grep -m 1 -o '^[0-9][0-9]*' "$TMP/in")
	decode --counts "$TMP/1" | grep -q "date $((1795166339 + first / 1000000000))$"
}

@test "a million events with different texts are written correctly in 80 MiB" {
	n=1000000
	case "$BUILD" in *san-*) n=100000 ;; esac
	awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) printf "%d,a:b,cpu=%d\t.addr=0x%x\t.more=some text that is not short\n", i * 1000, i % 3, i }' > "$TMP/in"
	mkdir "$TMP/dir"
	TMPDIR="$TMP/dir" /usr/bin/time -o "$TMP/mem" -f %M mp-cpel -t cpu "$TMP/in" > "$TMP/out"
	decode "$TMP/out" | awk -F '\t' -v n=$n '{ if ($1 != (NR - 1) * 1000 + 1 || $3 != "cpu " NR % 3 ||
		$6 != sprintf(".addr=0x%x .more=some text that is not short", NR)) exit 1 } END { exit NR != n }'
	cat "$TMP/mem"
	case "$BUILD" in *san-*) ;; *) [ "$(tail -n 1 "$TMP/mem")" -lt 81920 ] ;; esac
	rmdir "$TMP/dir"	# nothing is left in it
}

@test "without room for temporary files the program ends with a message and status 2" {
	awk 'BEGIN { for (i = 1; i <= 300000; i++) printf "%d,a:b,cpu=0\n", i }' > "$TMP/in"
	TMPDIR=/nowhere run mp-cpel -o "$TMP/out" "$TMP/in"
	[ "$status" = 2 ] && [[ "$output" == *"cannot make a temporary file in '/nowhere'"*"(set TMPDIR)" ]] || false
	[ ! -e "$TMP/out" ]
}

@test "a live recording keeps every switch and wakeup, and the latency in the stream" {
	needs_root
	start_load "$LOAD/switch" $((CPUS - 1)) 600
	mp-record -q -a -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new -g none -d 300ms > "$TMP/s" || [ $? = 1 ]
	mp-order "$TMP/s" > "$TMP/in" || [ $? = 1 ]
	mp-cpel "$TMP/in" > "$TMP/out" || [ $? = 1 ]
	decode "$TMP/out" > "$TMP/got"
	[ "$(awk -F '\t' '$4 == 1' "$TMP/got" | wc -l)" = "$(grep -c '^[0-9]*,sched:sched_switch,' "$TMP/in")" ]
	[ "$(awk -F '\t' '$4 == 2' "$TMP/got" | wc -l)" = "$(grep -cE '^[0-9]+,sched:sched_wakeup(_new)?,' "$TMP/in")" ]
	# as cpelatency does it: by the text of the event
	awk -F '\t' '$4 == 2 { since[$6] = $1 } $4 == 1 && since[$6] { print $1 - since[$6]; since[$6] = 0 }' "$TMP/got" > "$TMP/latency"
	[ "$(wc -l < "$TMP/latency")" -gt 10 ]
	grep -E '^[0-9]' "$TMP/in" | awk -F '[,\t]' '
		{ id = ""; for (i = 3; i <= NF; i++) if (sub($2 ~ /switch/ ? "^[.]next_pid=" : "^[.]pid=", "", $i)) id = $i
		  if (id == 0) next }
		$2 ~ /wakeup/ { since[id] = $1 }
		$2 ~ /switch/ && since[id] { print $1 - since[id]; since[id] = 0 }' | same "$TMP/latency"
}
