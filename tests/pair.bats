#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-pair compared with a second, simple implementation and the real kernel, and its properties.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# random_events SEED LINES [LOSSES]: events of five types with few keys, many of them at the same time.
random_events() {
	python3 - "$@" <<-'X'
		import json, random, sys
		seed, n = int(sys.argv[1]), int(sys.argv[2])
		losses = int(sys.argv[3]) if len(sys.argv) > 3 else 0
		r = random.Random(seed)
		names = ["nginx", "a b", "x\\x2c", "[k]", "", "w=1", "é"]
		t = 1000
		for i in range(n):
		    t += r.choice([0, 0, 1, 7, 100, 5000])
		    if losses and r.random() < losses / n:
		        keys = {"lost": r.randrange(1, 9)}
		        if r.random() < .8: keys["from"] = max(0, t - r.choice([1, 100, 20000]))
		        if r.random() < .9: keys["time"] = t
		        if r.random() < .8: keys["cpu"] = r.randrange(2)
		        if r.random() < .4: keys["type"] = r.choice(["a:in", "c:out", "d:other"])
		        print(json.dumps(keys, separators=(",", ":")))
		        continue
		    type_ = r.choice(["a:in", "a:in2", "b:mid", "c:out", "c:out2", "d:other"])
		    f = [("cpu", r.randrange(2)), ("pid", r.randrange(3)), ("tid", r.randrange(4)), ("comm", r.choice(names))]
		    if r.random() < .1: f = f[r.randrange(4):]
		    own = {"a": [".id", ".v", ".dev"], "b": [".id", ".other", ".v"], "c": [".back", ".id", ".err", ".v"], "d": [".x"]}
		    for k in own[type_[0]]:
		        if r.random() < .97: f.append((k, r.randrange(6)))
		    if r.random() < .2: f.append(("derived", i))
		    for k in "dur", "age", "span", "step":
		        if r.random() < .03: f.append((k, 3))
		    if r.random() < .5: f.append(("stack", f"main;f{i % 5}"))
		    print(f"{t},{type_}," + "\t".join(f"{k}={v}" for k, v in f))
	X
}

# Reads options on stdin, a case on each line. The arguments are files.
compare() {
	python3 tests/pair-reference.py "$@"
}

@test "spans and counts agree with a second implementation on keys, policies and conditions" {
	for seed in 1 2; do random_events $seed 900 > "$TMP/$seed"; done
	compare "$TMP/1" "$TMP/2" <<-'X'
		-b a:in -e c:out -p POLICY
		-b 'a:*' -e 'c:*' -k .id -p POLICY
		-b a:in,a:in2 -e c:out -e c:out2 -k .id=.back,tid -p POLICY
		-b 'a:in/.v > 2/' -e 'c:*/.err!=0/' -k .id -p POLICY
		-b 'a:in/.v > 2/,b:mid' -e 'c:out/.err==1/,b:mid/.v==3/' -k .id -p POLICY
		-b b:mid -e b:mid -k .id -p POLICY
		-b '*' -e '*' -k tid -p POLICY
		-b b:mid -e b:mid -k .id=.other -p POLICY
	X
}

@test "chains agree with a second implementation" {
	for seed in 4 5; do random_events $seed 900 > "$TMP/$seed"; done
	compare "$TMP/4" "$TMP/5" <<-'X'
		-s 'a:*' -s b:mid -s 'c:*' -k .id -p POLICY
		-s 'a:*' -s b:mid -s 'c:*' -k .id=.other -k .v=.back -p POLICY
		-s 'a:*' -s b:mid -s 'c:*' -s 'a:in' -k tid -p POLICY
		-s a:in -s a:in2 -s a:in -k tid -p POLICY -n whole
		-s b:mid -s b:mid -s b:mid -k tid -p POLICY
		-s 'a:*' -s 'b:*,c:out' -s 'c:*' -k .id -k tid,.v -p POLICY --over 100ns
	X
}

@test "begins that a loss may have touched are forgotten, as in a second implementation" {
	for seed in 7 8; do random_events $seed 1500 12 > "$TMP/$seed"; done
	compare "$TMP/7" "$TMP/8" <<-'X'
		-b 'a:*' -e 'c:*' -k .id -p POLICY
		-b 'a:*' -e 'c:*' -k .id,cpu -p POLICY
		-b 'a:*' -e 'c:*' -k cpu=cpu,pid -p POLICY --under 5us
		-b 'a:*' -e 'c:*' -k cpu=tid -p POLICY
		-s 'a:*' -s b:mid -s 'c:*' -k cpu -k tid -p POLICY
		--open -b 'a:*' -e 'c:*' -k .id,cpu -p POLICY
	X
}

@test "fields, stacks, names, durations, --open and --max-open agree with a second implementation" {
	random_events 10 900 > "$TMP/in"
	for what in "-b a:* -e c:* -k .id" "-s a:* -s b:mid -s c:* -k .id"; do
		sed "s/^/$what /" <<-'X'
			--stack end
			--stack none
			-n x
			--over 100ns
			--under 5us
			--over 7ns --under 8ns
			-f .id
			-f comm,end:cpu,.v,end_v=end:.v,at=begin:time,.t=type
			-f end:.err,end:derived,begin:.dev,tid
			-f nothing,end:.x -f pid
			--open
			--open --over 5us -f .id,tid,end:cpu
			--max-open 3
			--max-open 1 -p nest
			--open --max-open 5 -p queue
			--open --stack none
		X
	done | compare "$TMP/in"
}

@test "pairs of one key do not depend on events of others" {
	random_events 20 3000 | grep -E 'tid=[0-3]' > "$TMP/in"
	for policy in replace queue nest; do
		mp-pair -b 'a:*' -e 'c:*' -p $policy "$TMP/in" 2> /dev/null | sort > "$TMP/all"
		for tid in 0 1 2 3; do
			grep "tid=$tid" "$TMP/in" | mp-pair -b 'a:*' -e 'c:*' -p $policy 2> /dev/null
		done | sort | cmp - "$TMP/all"
		[ "$(wc -l < "$TMP/all")" -gt 300 ]
	done
}

@test "spans that overlap in thousands take time in proportion to the input; those without their events are reported" {
	seq 5000 | awk '{ print $1 ",a:b,tid=1" } END { for (i = 1; i <= NR; i++) print NR + i ",a:e,tid=1" }' > "$TMP/in"
	run -1 --separate-stderr mp-pair -p queue -b a:b -e a:e --context all --text --lines 2 "$TMP/in"
	[ "$(grep -c '^[0-9]*\. ' <<< "$output")" = 5000 ]
	bare=$(sed -n 's/^mp-pair: \([0-9]*\) spans were written without their events: too many spans overlap$/\1/p' <<< "$stderr")
	# a span that has its events shows two of them
	[ "$bare" -gt 1000 ] && [ "$bare" -lt 4000 ] && [ "$(grep -c '^[<>] ' <<< "$output")" = $((2 * (5000 - bare))) ] || { echo "$bare"; false; }
}

@test "each span is selected by either --over or --under" {
	random_events 21 2000 > "$TMP/in"
	mp-pair -b 'a:*' -e 'c:*' -k .id "$TMP/in" 2> /dev/null | sort > "$TMP/all" || true
	for limit in 1ns 100ns 5us; do
		for side in over under; do mp-pair -b 'a:*' -e 'c:*' -k .id --$side $limit "$TMP/in" 2> /dev/null || true; done |
			sort | cmp - "$TMP/all"
	done
}

@test "spans are a valid stream in order, with sections, chains and hostile names" {
	{ echo '{"mp":1,"datatype":"event","events":{"a:in":{".id":"s32"},"c:out":{".err":"s32"}}}'
	  random_events 22 2000
	  echo '{"end":"event","records":2000,"lost":0,"time":99999999}'; } > "$TMP/in"
	for options in "" "-f .id,end:.err,at=begin:time" "-s b:mid" "--open" "-p nest -n x"; do
		mp-pair -s 'a:*' -s 'c:*' $options "$TMP/in" > "$TMP/out" 2> "$TMP/err" || [ $? = 1 ]
		run mp-order --check "$TMP/out"
		[ "$status" = 0 ] || { echo "$options: $output"; false; }
		[[ "$output" == *"valid, complete, ordered"* ]]
	done
	# with --context the output is unordered until mp-order has read it
	mp-pair -b 'a:*' -e 'c:*' --context all --over 5us "$TMP/in" 2> /dev/null > "$TMP/out" || true
	mp-order "$TMP/out" > "$TMP/ordered"
	run mp-order --check "$TMP/ordered"
	[[ "$output" == *"valid, complete, ordered"* ]]
}

@test "--context and --around write exactly the events between and around begin and end that another program finds" {
	random_events 23 1500 > "$TMP/in"
	for which in all:. samecpu:cpu samepid:pid sametid:tid samecpu,sametid:cpu,tid all:.:1 samecpu:cpu:3000 all:.:20000 sametid:tid:1000000; do
		IFS=: read -r choice fields around <<< "$which"
		mp-pair -b 'a:*' -e 'c:*' -k .id --over 5us -c "$choice" ${around:+--around ${around}ns} "$TMP/in" 2> /dev/null > "$TMP/out" || true
		python3 - "$TMP/in" "$TMP/out" "$fields" "${around:-0}" <<-'X'
			import sys, re
			lines, out, names = [l[:-1] for l in open(sys.argv[1])], [l[:-1] for l in open(sys.argv[2])], sys.argv[3].split(",")
			get = lambda l, k: (re.search(rf"[,\t]{re.escape(k)}=([^\t]*)", l) or [None, None])[1]
			number = {"a:in": "a", "a:in2": "a", "c:out": "c", "c:out2": "c"}
			start, want, n, around = {}, [], 0, int(sys.argv[4])
			lines = [l for l in lines if l[0] != "{"]
			at = [int(l.split(",")[0]) for l in lines]
			for i, l in enumerate(lines):
			    time, type_ = l.split(",")[:2]
			    key, kind = get(l, ".id"), number.get(type_)
			    if key is None or kind is None: continue
			    if kind == "a": start[key] = i
			    elif key in start:
			        b = start.pop(key)
			        if int(time) - int(lines[b].split(",")[0]) < 5000: continue
			        n += 1
			        inside = lambda j: b <= j <= i or (around and at[b] - around <= at[j] <= at[i] + around)
			        for m in (lines[j] for j in range(len(lines)) if inside(j)):
			            m = re.sub(r"\tspan=\d+", "", m)
			            same = names == ["."] or any(get(m, f) is not None and get(m, f) in (get(lines[b], f), get(l, f)) for f in names)
			            if same: want.append((n, m))
			got = []
			for l in out:
			    if "=>" in l or l[0] == "{": continue
			    number_of = int(get(l, "span"))
			    got.append((number_of, re.sub(r"([,\t])span=\d+", lambda m: "," if m[1] == "," else "", l).replace(",\t", ",")))
			assert got == want, [(g, w) for g, w in zip(got, want) if g != w][:1]
			assert n > 100 and len(want) > n
		X
	done
}

@test "--where selects the spans that mp-select finds with the same fields written out" {
	random_events 29 3000 > "$TMP/in"
	for which in 'begin:cpu != end:cpu@.b != .e' 'begin:cpu == end:cpu && dur >= 5000@.b == .e && dur >= 5000' \
		'!(begin:.v+1 < end:.v)@!(.bv+1 < .ev)' 'end:.v > 2 || begin:comm == "worker"@.ev > 2 || .bc == "worker"'; do
		mp-pair -b 'a:*' -e 'c:*' -k .id -f .b=begin:cpu,.e=end:cpu,.bv=begin:.v,.ev=end:.v,.bc=begin:comm \
			"$TMP/in" 2> /dev/null | grep -v '^{' | mp-select --filter "${which#*@}" > "$TMP/wanted" || true
		mp-pair -b 'a:*' -e 'c:*' -k .id -f .b=begin:cpu,.e=end:cpu,.bv=begin:.v,.ev=end:.v,.bc=begin:comm \
			--where "${which%%@*}" "$TMP/in" 2> /dev/null | grep -v '^{' > "$TMP/got" || true
		cmp "$TMP/wanted" "$TMP/got"
		[ "$(wc -l < "$TMP/got")" -gt 10 ]
	done
}

@test "--text: who ran during a span adds up to its length, as another program counts switches" {
	python3 - <<-'X' > "$TMP/in"
		import random
		r, t, on = random.Random(7), 10**9, {0: 1, 1: 2}
		for i in range(3000):
		    t += r.randrange(1, 9000)
		    cpu = r.randrange(2)
		    if r.random() < .6:
		        old, new = on[cpu], r.choice([x for x in range(3 + 9 * cpu) if x not in on.values()])
		        on[cpu] = new
		        print(f"{t},sched:sched_switch,cpu={cpu}\ttid={old}\tcomm=c{old}\t.prev_comm=c{old}\t.prev_pid={old}\t.next_comm=c{new}\t.next_pid={new}")
		    else:
		        print(f"{t},{r.choice(['irq:entry', 'irq:exit'])},cpu={cpu}\ttid={on[cpu]}\tcomm=c{on[cpu]}")
	X
	for choice in all samecpu; do
		mp-pair -b irq:entry -e irq:exit -k cpu --over 20us --text --lines 1 -c $choice "$TMP/in" > "$TMP/out" 2> "$TMP/err"
		mp-pair -b irq:entry -e irq:exit -k cpu --over 20us "$TMP/in" 2> "$TMP/err" | grep -v '^{' > "$TMP/spans"
		python3 - "$TMP/in" "$TMP/out" "$TMP/spans" $choice <<-'X'
			import re, sys
			runs, at = [], {}
			for l in open(sys.argv[1]):
			    t, cpu = int(l.split(",")[0]), int(re.search(r"cpu=(\d+)", l)[1])
			    m = re.search(r"prev_pid=(\d+)", l)
			    if m: runs.append((cpu, "c%s:%s" % (m[1], m[1]), at.get(cpu, 0), t)); at[cpu] = t
			scale = {"ns": 1, "us": 1e3, "ms": 1e6}
			blocks, n = open(sys.argv[2]).read().split("\n\n")[:-1], 0
			spans = open(sys.argv[3]).read().splitlines()
			assert len(blocks) == len(spans) > 50
			for block, span in zip(blocks, spans):
			    end, dur, own = int(span.split(",")[0]), int(re.search(r"dur=(\d+)", span)[1]), int(re.search(r"cpu=(\d+)", span)[1])
			    begin = end - dur
			    for cpu, text in re.findall(r"ran on CPU (\d+): (.*)", block):
			        assert sys.argv[4] == "all" or int(cpu) == own
			        want = {}
			        for c, who, a, b in runs:
			            a, b = max(a, begin), min(b, end)
			            if c == int(cpu) and b > a: want[who] = want.get(who, 0) + b - a
			        for who, v, unit in re.findall(r"(c\d+:\d+) ([\d.]+) (ns|us|ms)", text):
			            got, n = float(v) * scale[unit], n + 1
			            assert abs(got - want[who]) <= max(1, .006 * want[who]), (who, got, want)
			assert n > 300
		X
	done
}

@test "a span is written when its end comes, not later" {
	mkfifo "$TMP/in"
	mp-pair -b a -e b < "$TMP/in" > "$TMP/out" &
	exec 5> "$TMP/in"
	printf '1,a,tid=1\n5,b,tid=1\n' >&5
	until [ -s "$TMP/out" ]; do await; done
	[ "$(cat "$TMP/out")" = "5,a=>b,tid=1	dur=4" ]
	exec 5>&-
	wait
}

@test "memory is bounded by what is open, and not by the length of the input" {
	case "$BUILD" in *san-*) skip "sanitizers need memory" ;; esac
	peak() { /usr/bin/time -f %M -o "$TMP/kib" mp-pair -b a -e b "$@" > "$TMP/out" 2> "$TMP/err" || true; tail -n 1 "$TMP/kib"; }
	flow() { awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) {
		printf "%d,a,tid=%d\tcomm=%0200d\tstack=main;f%d\n", 2 * i, i, i, i % 7
		if (i > 50) printf "%d,b,tid=%d\n", 2 * i + 1, i - 50 } }'; }
	small=$(flow 100000 | peak)
	large=$(flow 400000 | peak)
	[ "$(wc -l < "$TMP/out")" = 399950 ]
	# the times of 300,000 more spans alone would be 2,300 KiB; the kernel measures the same program with differences
	[ "$large" -lt $((small + 1500)) ]
	# nothing ever ends
	leak() { awk 'BEGIN { for (i = 1; i <= 200000; i++) printf "%d,a,tid=%d\tcomm=%0200d\n", i, i, i }'; }
	[ "$(leak | peak --memory 8M)" -lt $((small + 10000)) ]
	n=$(sed -nE 's/mp-pair: ([0-9]+) begins were dropped for lack of room.*/\1/p' "$TMP/err")
	open=$(sed -nE 's/mp-pair: ([0-9]+) begins without an end.*/\1/p' "$TMP/err")
	[ $((n + open)) = 200000 ]
	[ "$open" -gt 10000 ]
	leak | peak --max-open 1000 > "$TMP/kib2"
	[ "$(cat "$TMP/kib2")" -lt $((small + 2000)) ]
	grep -q '^mp-pair: 199000 begins were dropped' "$TMP/err"
	# --context with too little memory is reported, with status 1
	{ echo '1,a,tid=1'; flow 20000 | sed 's/,a,/,x,/; s/,b,/,y,/' | sort -s -n -t, -k1,1; echo '99999,b,tid=1'; } > "$TMP/in"
	run --separate-stderr mp-pair -b a -e b -c all -m 1M "$TMP/in"
	[ "$status" = 1 ]
	[[ "$stderr" == *"1 span is longer than the memory for --context: events are missing"* ]]
	[ "${#lines[@]}" -gt 2000 ]
	[ "${#lines[@]}" -lt 20000 ]
	[ "$(mp-pair -b a -e b -c all -m 64M "$TMP/in" | wc -l)" = $(($(wc -l < "$TMP/in") + 1)) ]
}

@test "of a span near 1 MiB the stack is dropped first, then the span, with a message" {
	perl -e 'print "1,a,tid=1\t.x=", "x" x 600000, "\tstack=", "f" x 440000, "\n2,b,tid=1\t.y=", "y" x 10, "\n",
		"3,a,tid=1\t.x=", "x" x 600000, "\n4,b,tid=1\t.y=", "y" x 600000, "\n5,a,tid=1\tstack=", "f" x 1048555, "\n6,b,tid=1\n"' > "$TMP/in"
	run --separate-stderr mp-pair -b a -e b "$TMP/in"
	[ "$status" = 1 ]
	[ "${#lines[@]}" = 2 ]
	[[ "$stderr" == *"1 line longer than 1 MiB was omitted"* ]]
	[[ "${lines[0]}" == 2,a=\>b,*stack=* && "${lines[1]}" = "6,a=>b,tid=1	dur=1" ]]
}

@test "long types are truncated, but not within an escape" {
	a=$(printf 'A%.0s' {1..120})$(printf '\\x2c%.0s' {1..30})
	b=BB$(printf '\\x2c%.0s' {1..50})
	printf '1,%s,tid=1\n2,%s,tid=1\n' "$a" "$b" > "$TMP/in"
	mp-pair -b 'A*' -e 'B*' "$TMP/in" > "$TMP/out"
	type=$(cut -d, -f2 "$TMP/out")
	[ ${#type} -le 255 ]
	[ ${#type} -ge 250 ]
	[[ "$type" =~ ^A{120}(\\x2c)*=\>BB(\\x2c)*$ ]]
	mp-order --check "$TMP/out"
}

@test "a second end of input or a nonsense header causes no crash and no invented span" {
	printf '%s\n' '{"mp":1,"datatype":"event","events":5,"units":[1]}' '1,a,tid=1' \
		'{"mp":1,"datatype":"event","events":{"a":7,"b":{".x":[1]}},"sections":{}}' '2,b,tid=1' > "$TMP/in"
	run mp-pair -b a -e b "$TMP/in"
	[ "$status" = 1 ]
	[[ "$output" == *"1 end without a begin"* && "$output" != *dur=* ]]
}

@test "system calls give as many spans as calls, with the caller" {
	needs_root
	mp-record -q -g none -e syscalls:sys_enter_getppid,syscalls:sys_exit_getppid -o "$TMP/in" -- "$LOAD/getppid" 1009 one 'two x' || [ $? = 1 ]
	mp-pair -b 'syscalls:sys_enter_*' -e 'syscalls:sys_exit_*' -k tid,.__syscall_nr "$TMP/in" > "$TMP/out" 2> "$TMP/err" || [ $? = 1 ]
	cat "$TMP/err"
	for comm in one 'two x'; do
		[ "$(grep -c ",getppid,.*comm=$comm	" "$TMP/out")" = 1009 ]
	done
	# a clock may be too coarse for some
	run ! grep -E 'dur=-' "$TMP/out"
	grep -qE 'dur=[1-9]' "$TMP/out"
	run ! grep -E 'without a|replaced' "$TMP/err"
	[ "$(trailer "$TMP/out" records)" = 2018 ]
}

@test "17 disk requests of 64 KiB give as many spans, each with its submitter" {
	needs_root
	# the kernel may drop events of idle CPUs
	start_spins
	truncate -s 4M "$TMP/disk"
	loop=$(losetup --show -f "$TMP/disk" 2> "$TMP/why") || skip "no loop device: $(cat "$TMP/why")"
	mp-record -q -a -g none -e block:block_rq_issue,block:block_rq_complete -o "$TMP/in" -- \
		dd if="$loop" of=/dev/null bs=64k count=17 iflag=direct status=none || [ $? = 1 ]
	losetup -d "$loop"
	mp-pair -b 'block:block_rq_issue/.bytes==65536 && comm=="dd"/' -e block:block_rq_complete -k .dev,.sector \
		-n disk "$TMP/in" > "$TMP/out" 2> "$TMP/err" || [ $? = 1 ]
	cat "$TMP/err"
	dev=$((7 << 20 | ${loop#/dev/loop}))
	[ "$(grep -c ",disk,.*comm=dd	.*\.dev=$dev(.*)	" "$TMP/out")" = 17 ]
	[ "$(grep "dev=$dev" "$TMP/out" | grep -oE 'sector=[0-9]+' | sort -u | wc -l)" = 17 ]
	[ "$(mp-pair -b block:block_rq_issue -e block:block_rq_complete -k .dev,.sector --over 1h "$TMP/in" 2> /dev/null | grep -c dur=)" = 0 ]
}

@test "softirqs and wakeups of this machine agree with the second implementation" {
	needs_root
	start_load "$LOAD/switch" $((CPUS - 1)) 600
	mp-record -q -a -g none -e irq:softirq_entry,irq:softirq_exit,sched:sched_waking,sched:sched_switch -d 300ms -o "$TMP/in" || [ $? = 1 ]
	grep -v '^{"\(mp\|watermark\|end\)' "$TMP/in" | head -n 4000 > "$TMP/part"
	compare "$TMP/part" <<-'X'
		-b irq:softirq_entry -e irq:softirq_exit -k cpu,.vec
		-b sched:sched_waking -e sched:sched_switch -k .pid=.next_pid
		-b sched:sched_switch -e sched:sched_switch -k .prev_pid=.next_pid
		-s sched:sched_waking -s sched:sched_switch -s sched:sched_switch -k .pid=.next_pid -k .next_pid=.prev_pid -p POLICY
	X
}
