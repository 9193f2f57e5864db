#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-export: its formats in the hands of other readers, with the totals that our programs have.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

setup() {
	make_tmp
	python3 - > "$TMP/in" <<-'X'
		import random
		random.seed(5)
		print('{"mp":1,"datatype":"event","interface":"t","clock":"monotonic","clock_ns":1000,"realtime_ns":1795166340000001000}')
		t, running = 10**12, {}
		for i in range(3000):
		    t += random.randrange(1, 10**6)
		    cpu = random.randrange(4)
		    if i % 3 == 0:
		        old, new = running.get(cpu, 0), random.choice([0, *range(100 * cpu + 10, 100 * cpu + 20)])
		        running[cpu] = new
		        print(f'{t},sched:sched_switch,cpu={cpu}\tpid={old}\ttid={old}\tcomm=t{old}\t.prev_comm=t{old}\t.prev_pid={old}\t.prev_prio=120'
		              f'\t.prev_state=1\t.next_comm=t{new}\t.next_pid={new}\t.next_prio=120')
		    elif i % 3 == 1:
		        stack = ';'.join(random.choice('abcdef') + ('+0x%x@lib%s.so:1234abcd' % (random.randrange(64), random.choice('xy'))
		                         if random.random() < .5 else '') for _ in range(random.randrange(1, 9)))
		        print(f'{t},cpu-clock,cpu={cpu}\tpid=7\ttid={random.randrange(7, 9)}\tcomm=w\tperiod={random.randrange(1, 9)}\tstack={stack}')
		    else:
		        print(f'{t},read,cpu={cpu}\tpid=7\ttid=7\tcomm=w\t.fd=3\tdur={random.randrange(1, 10**6)}')
		print('{"end":"event","records":3000,"lost":0}')
	X
}

total() {
	mp-fold "$@" "$TMP/in" | awk '{ n += $NF } END { print n }'
}

@test "chrome: JSON with every event, with the durations and the times that the threads ran" {
	mp-export --to chrome "$TMP/in" > "$TMP/out"
	mp-sched "$TMP/in" > "$TMP/spans" || [ $? = 1 ]
	python3 - "$TMP" <<-'X'
		import collections, json, re, sys
		top = json.load(open(sys.argv[1] + '/out'))
		events = [e for e in top['traceEvents'] if e['ph'] in 'Xi']
		assert len(events) == 3000, len(events)
		read = [e for e in events if e['name'] == 'read']
		lines = [l for l in open(sys.argv[1] + '/in') if ',read,' in l]
		ns = lambda us: round(us * 1000)
		assert sorted((ns(e['ts'] + e['dur']), ns(e['dur'])) for e in read) == \
		    sorted((int(l.split(',')[0]), int(re.search(r'dur=(\d+)', l)[1])) for l in lines)
		# the time on the CPU is that of mp-sched
		ran = collections.Counter()
		for e in events:
		    if e.get('cat') == 'sched' and e['name'] != 't0':
		        ran[e['name']] += ns(e['dur'])
		ours = collections.Counter()
		for line in open(sys.argv[1] + '/spans'):
		    m = re.search(r'\tcomm=(t\d+)\tdur=(\d+)\tstate=run\b(?!.*cut=)', line)
		    if m and m[1] != 't0':
		        ours[m[1]] += int(m[2])
		assert ours and ran == ours, (ran - ours, ours - ran)
		# frames lead to a root
		frames = top['stackFrames']
		def names(i):
		    out = []
		    while i:
		        out.append(frames[i]['name'])
		        i = frames[i].get('parent')
		    return ';'.join(reversed(out))
		stacks = sorted(names(str(e['sf'])) for e in events if 'sf' in e)
		assert stacks == sorted(re.sub(r'\+0x\w+@[^;]*', '', l.rstrip('\n').split('stack=')[1])
		                        for l in open(sys.argv[1] + '/in') if 'stack=' in l)
	X
}

@test "chrome: values of counters are counter events" {
	printf '%s\n' '7000,mem:rss,pid=7 tid=7 comm=w .bytes=8192 dur=3' '9000,stat:x,cpu=1 .value=-0.5 dur=4' \
		'9000,mem:0x10:w,cpu=1 pid=7 tid=7 comm=w addr=0x10' | tr ' ' '\t' > "$TMP/in"
	mp-export --to chrome "$TMP/in" > "$TMP/out"
	python3 - "$TMP/out" <<-'X'
		import json, sys
		events = json.load(open(sys.argv[1]))['traceEvents']
		counters = [(e['name'], e['ts'], e['pid'], e['args']) for e in events if e['ph'] == 'C']
		assert counters == [('mem:rss', 7, 7, {'value': 8192}), ('stat:x CPU 1', 9, 0, {'value': -.5})], counters
		assert [e['name'] for e in events if e['ph'] == 'i'] == ['mem:0x10:w']
	X
}

@test "speedscope: the samples, weights and stacks of mp-fold" {
	mp-export --to speedscope -e cpu-clock -w period "$TMP/in" > "$TMP/out"
	mp-fold -e cpu-clock -w period --annotate "$TMP/in" | sort > "$TMP/folded"
	python3 - "$TMP/out" <<-'X' | sort | diff - "$TMP/folded"
		import json, sys
		top = json.load(open(sys.argv[1]))
		p, frames = top['profiles'][0], top['shared']['frames']
		assert p['type'] == 'sampled' and p['endValue'] == sum(p['weights']) and len(p['samples']) == len(p['weights'])
		for s, w in zip(p['samples'], p['weights']):
		    print(';'.join(frames[i]['name'] for i in s), w)
	X
}

@test "pprof: go tool pprof has the totals of mp-fold, by function and by label" {
	command -v go > /dev/null || skip "no go"
	export HOME="$TMP" GOFLAGS= PPROF_TMPDIR="$TMP" TZ=UTC
	mp-export --to pprof -e cpu-clock -w period --by comm,tid "$TMP/in" > "$TMP/out"
	gzip -t "$TMP/out"
	timeout 600 go tool pprof -raw "$TMP/out" > "$TMP/raw"
	timeout 600 go tool pprof -top -nodecount=0 -nodefraction=0 "$TMP/out" > "$TMP/top"
	grep -q " of $(total -e cpu-clock -w period) total" "$TMP/top" || { cat "$TMP/top"; false; }
	# flat weights of the functions
	mp-fold -e cpu-clock -w period --annotate "$TMP/in" |
		awk '{ n = split($1, f, ";"); w[f[n]] += $2 } END { for (i in w) print i, w[i] }' | sort > "$TMP/ours"
	awk 'on && $1 != 0 { print $6, $1 } /flat%/ { on = 1 }' "$TMP/top" | sort | diff - "$TMP/ours"
	timeout 600 go tool pprof -top -tagfocus tid=8 "$TMP/out" > "$TMP/top"
	grep -q " of $(total -e cpu-clock -w period) total" "$TMP/top"
	grep -q "accounting for $(mp-select -f tid==8 "$TMP/in" | mp-fold -e cpu-clock -w period | awk '{ n += $NF } END { print n }')," "$TMP/top"
	grep -q 'libx.so 1234abcd' "$TMP/raw"
	grep -q '^Time: 2026-11-2' "$TMP/raw"
}

@test "pprof: protoc reads it with our schema, and every field has a name there" {
	command -v protoc > /dev/null || skip "no protoc"
	sed -i 's/^{"end.*/{"lost":5,"time":2000000000000,"cpu":0,"type":"cpu-clock"}\n{"end":"event","records":3000,"lost":5}/' "$TMP/in"
	run --separate-stderr bash -c 'mp-export --to pprof -e cpu-clock "$1" > "$2"' x "$TMP/in" "$TMP/out"
	[ "$status" = 1 ] && [ "$stderr" = "mp-export: input reports 5 lost events" ] || false
	gzip -cd "$TMP/out" | protoc --proto_path=lib/pprof --decode=pprof.Profile pprof.proto > "$TMP/text"
	run grep -E '^ *[0-9]+[: ]' "$TMP/text"
	[ -z "$output" ] || false
	[ "$(awk '/^  value/ { n += $2 } END { print n }' "$TMP/text")" = "$(total -e cpu-clock 2> "$TMP/err")" ]
	grep -qxF 'string_table: "5 events were lost"' "$TMP/text"
	gzip -cd "$TMP/out" | protoc --decode_raw > "$TMP/text"
	[ "$(grep -c '^2 {' "$TMP/text")" = "$(mp-fold --lines -e cpu-clock "$TMP/in" 2> "$TMP/err" | wc -l)" ]
}

# The rows that Perfetto has for the stream in $1
perfetto_rows() {
	mp-export --to perfetto "$1" | protoc --proto_path=lib/export --decode=perfetto.Trace perfetto.proto | tests/tools/perfetto.py
}

@test "perfetto: spans, samples, counters and losses are those of the stream" {
	command -v protoc > /dev/null || skip "no protoc"
	sed -i 's/^{"end.*/{"lost":5,"time":2000000000000,"cpu":3,"type":"sched:sched_switch"}\n{"end":"event","records":3002,"lost":5}/
		2i 7,mem:rss,pid=7\ttid=7\tcomm=w\t.bytes=8192\tdur=3\n9,stat:x,cpu=1\t.value=-0.5\tdur=4\n9,task:exec,pid=7\ttid=7\tcomm=w\t.file=a\tstack=m;f_[k]' "$TMP/in"
	mp-export --to perfetto "$TMP/in" > "$TMP/out" 2> "$TMP/err" || [ $? = 1 ]
	[ "$(cat "$TMP/err")" = "mp-export: input reports 5 lost events" ]
	protoc --proto_path=lib/export --decode=perfetto.Trace perfetto.proto < "$TMP/out" > "$TMP/text"
	run grep -E '^ *[0-9]+[: ]' "$TMP/text"
	[ -z "$output" ] || false
	[ "$(grep -c '^packet {' "$TMP/text")" = "$(protoc --decode_raw < "$TMP/out" | grep -c '^1 {')" ]
	[ "$(grep -c 'lost_events: true' "$TMP/text")" = 1 ]
	tests/tools/perfetto.py < "$TMP/text" > "$TMP/rows"
	python3 - "$TMP" <<-'X'
		import re, sys
		lines = [l.rstrip('\n') for l in open(sys.argv[1] + '/in')]
		rows = [l.rstrip('\n').split('\t') for l in open(sys.argv[1] + '/rows')]
		read = sorted((int(l.split(',')[0]), int(re.search(r'dur=(\d+)', l)[1])) for l in lines if ',read,' in l)
		slices = [r for r in rows if r[0] == 'slice']
		assert sorted((int(r[3]) + int(r[4]), int(r[4])) for r in slices) == read
		assert all(r[1] in ('7/7/w', '7/7/w/overlapping spans') and r[2] == 'read' and ' .fd=3' in r[5] for r in slices)
		# stacks with their places, the build id as the bytes that it is, and the sum of the periods on each CPU
		build = lambda stack: stack.replace('\\0224\\253\\315', '1234abcd')
		samples = [(r[3], r[2], r[4], build(r[5])) for r in rows if r[0] == 'sample']
		clock = [l for l in lines if ',cpu-clock,' in l]
		field = lambda name, l: re.search(rf'\b{name}=([^\t]*)', l)[1]
		assert sorted(samples) == sorted((l.split(',')[0], field('cpu', l), field('tid', l), field('stack', l)) for l in clock)
		for cpu in '0123':
		    sums = [int(r[6]) for r in rows if r[0] == 'sample' and r[2] == cpu]
		    assert max(sums) == sum(int(field('period', l)) for l in clock if field('cpu', l) == cpu)
		assert ['counter', '7/w/mem:rss', '7', '8192'] in rows or ['counter', '7/None/mem:rss', '7', '8192'] in rows, rows[:9]
		assert ['counter', 'stat:x CPU 1', '9', '-0.5'] in rows
		assert ['instant', '7/7/w', 'task:exec', '9', '.file=a stack=m;f_[k]'] in rows
		assert ['instant', 'lost events', 'lost events', '2000000000000', 'lost=5 cpu=3 type=sched:sched_switch'] in rows
	X
}

@test "perfetto: who ran, who waited and who woke is what mp-sched has" {
	command -v protoc > /dev/null || skip "no protoc"
	for seed in 1 2 3 4 5 6; do
		tests/tools/sched-oracle.py $seed 300 "$TMP/in" "$TMP/spans"
		perfetto_rows "$TMP/in" > "$TMP/rows"
		mp-sched "$TMP/in" > "$TMP/ours" || [ $? = 1 ]
		# those that began before the stream or end after it are not complete
		python3 - "$TMP" <<-'X'
			import re, sys
			ours = {'run': [], 'wait': []}
			for line in open(sys.argv[1] + '/ours', errors='replace'):
			    f = dict(re.findall(r'\b(\w+)=([^\t\n]*)', line))
			    if line[0] != '{' and 'cut' not in f and f['state'] in ours:
			        ours[f['state']].append((int(line.split(',')[0]) - int(f['dur']), int(f['dur']), f['tid'], f.get('cpu', ''), f.get('waker_tid', '')))
			rows = [l.split() for l in open(sys.argv[1] + '/rows')]
			ran = sorted((int(r[2]), int(r[3]), r[4], r[1]) for r in rows if r[0] == 'sched' and r[4] != '0')
			assert ours['run'] and sorted(s[:4] for s in ours['run']) == ran, sorted(set(ran) ^ {s[:4] for s in ours['run']})
			# a wait that a wakeup began; Perfetto has a preempted task wait in a state of its own
			woken = {(int(r[3]), int(r[4]), r[1], r[5]) for r in rows if r[0] == 'state' and r[2] == 'runnable'}
			missing = {s[:3] + s[4:] for s in ours['wait'] if s[4]} - woken
			assert ours['wait'] and not missing, (sorted(missing)[:3], sorted(woken)[:3])
		X
	done
}

@test "perfetto: each span of a thread keeps its begin and its duration, in any order" {
	command -v protoc > /dev/null || skip "no protoc"
	python3 -c '
import random
random.seed(3)
for i in range(2000):
    t = 1000 + 5 * i // 4 + random.randrange(-40, 40)
    print(f"{t},s:s,pid=1\ttid={random.randrange(1, 3)}\tcomm=c\t.i={i}\tdur={random.choice([0, 1, 3, 9, 30])}")' > "$TMP/in"
	perfetto_rows "$TMP/in" 2> "$TMP/err" | awk -F '\t' '$1 == "slice" { print $4 + $5, $5, $6 }' | sort > "$TMP/out"
	sed -E 's/^([0-9]+),.*(\.i=[0-9]+)\tdur=([0-9]+)/\1 \3 \2/' "$TMP/in" | sort | diff - "$TMP/out"
	# what is nested stays on the track of its thread
	printf '%s,a:a,pid=1\ttid=1\tcomm=c\tdur=%s\n' 20 5 30 5 40 30 41 1 50 45 > "$TMP/in"
	perfetto_rows "$TMP/in" > "$TMP/out"
	[ "$(grep -c '^slice.1/1/c.a' "$TMP/out")" = 5 ]
	# each begins within the one before it
	seq 101 200 | sed 's/.*/&,a:a,pid=1\ttid=1\tcomm=c\tdur=100/' > "$TMP/in"
	run --separate-stderr bash -c 'mp-export --to perfetto "$1" > "$2"' x "$TMP/in" "$TMP/out"
	[ "$status" = 1 ] && [ "$stderr" = "mp-export: 84 spans became instants: too many of a thread overlap" ] || false
}

@test "perfetto: flows lead from wakers, senders and parents" {
	command -v protoc > /dev/null || skip "no protoc"
	cat > "$TMP/in" <<-'X'
	10,a:a,pid=1→tid=1→comm=c→dur=4→waker_tid=9
	20,b:b,pid=1→tid=1→comm=c→receiver_tid=8→receiver_time=25
	30,task:fork,pid=1→tid=1→comm=c→.pid=77→.tid=77
	40,sock:sk_data_ready,pid=1→tid=1→comm=c→.skaddr=0x5
	50,sock:sock_recv_length,pid=2→tid=2→comm=d→.sk=0x5
	60,sock:sock_recv_length,pid=2→tid=2→comm=d→.sk=0x5
	X
	sed -i 's/→/\t/g' "$TMP/in"
	perfetto_rows "$TMP/in" | grep ^flow > "$TMP/out"
	diff - "$TMP/out" <<-'X'
	flow	arrow	6	a:a	6
	flow	b:b	20	arrow	25
	flow	task:fork	30	arrow	30
	flow	sock:sk_data_ready	40	sock:sock_recv_length	50
	X
}

@test "names of any bytes are text in JSON and in a profile" {
	python3 -c '
import sys
name = "".join("\\x%02x" % i for i in range(256))
print("1,a:b,pid=1\ttid=1\tcomm=%s\t.x=%s\tstack=%s;%s_[k]" % (name, name, name, name))' > "$TMP/in"
	for target in chrome speedscope; do
		mp-export --to $target "$TMP/in" > "$TMP/out"
		python3 -c '
import json, sys
data = open(sys.argv[1], "rb").read()
assert not any(c < 32 and c != 10 or c == 127 for c in data)
json.loads(data.decode("utf-8"))' "$TMP/out"
	done
	command -v protoc > /dev/null || skip "no protoc"
	mp-export --to pprof "$TMP/in" | gzip -cd | protoc --proto_path=lib/pprof --decode=pprof.Profile pprof.proto > "$TMP/out"
	grep -q 'string_table: "\\000\\001' "$TMP/out"
	mp-export --to perfetto "$TMP/in" > "$TMP/trace"
	protoc --proto_path=lib/export --decode=perfetto.Trace perfetto.proto < "$TMP/trace" > "$TMP/out"
	for kind in string_value thread_name process_name str; do
		grep -q "$kind: \"\\\\000\\\\001.*z{|}~\\\\177\\\\357\\\\277\\\\275" "$TMP/out"
	done
}

@test "perfetto: what its reader would refuse is shown in another way" {
	command -v protoc > /dev/null || skip "no protoc"
	cat > "$TMP/in" <<-'X'
	9223372036854775807,a:a,tid=5→dur=9223372036854775807
	5,a:a,pid=99999999999→tid=-4→.x=-9223372036854775808→.y=9223372036854775808→dur=6
	6,sched:sched_switch,cpu=1024→tid=5→.prev_pid=5→.next_pid=6
	7,sched:sched_switch,cpu=1→tid=5→.prev_pid=5
	8,sched:sched_switch,cpu=1→tid=5→.prev_pid=5→.next_pid=99999999999
	9,cpu-clock,cpu=1024→period=18446744073709551615→stack=a
	10,cpu-clock,cpu=1024→period=x→stack=a
	11,b:b,tid=5→dur=12→waker_tid=6
	X
	sed -i 's/→/\t/g' "$TMP/in"
	perfetto_rows "$TMP/in" > "$TMP/out"
	sed 's/→/\t/g' <<-'X' | diff - "$TMP/out"
	instant→events of no thread→a:a→5→.x=-9223372036854775808 .y=9223372036854775808
	instant→thread 5→sched:sched_switch→6→cpu=1024 .prev_pid=5 .next_pid=6
	instant→thread 5→sched:sched_switch→7→cpu=1 .prev_pid=5
	instant→thread 5→sched:sched_switch→8→cpu=1 .prev_pid=5 .next_pid=99999999999
	sample→cpu-clock→-→9→None→a→18446744073709551614
	sample→cpu-clock→-→10→None→a→18446744073709551614
	instant→thread 6→arrow→11→
	flow→arrow→11→b:b→11
	instant→thread 5→b:b→11→waker_tid=6
	slice→thread 5→a:a→0→9223372036854775807→
	X
}

@test "a profile is not written to a terminal, and -o writes a file" {
	run script -qec "mp-export --to pprof $TMP/in" /dev/null
	[[ "$output" == *"refusing to write binary data to a terminal"* ]]
	mp-export --to chrome -o "$TMP/out" "$TMP/in"
	mp-export --to chrome "$TMP/in" | cmp - "$TMP/out"
}
