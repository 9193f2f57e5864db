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
	export HOME="$TMP" GOFLAGS= PPROF_TMPDIR="$TMP"
	mp-export --to pprof -e cpu-clock -w period --by comm,tid "$TMP/in" > "$TMP/out"
	gzip -t "$TMP/out"
	timeout 60 go tool pprof -raw "$TMP/out" > "$TMP/raw"
	timeout 60 go tool pprof -top -nodecount=0 -nodefraction=0 "$TMP/out" > "$TMP/top"
	grep -q " of $(total -e cpu-clock -w period) total" "$TMP/top" || { cat "$TMP/top"; false; }
	# flat weights of the functions
	mp-fold -e cpu-clock -w period --annotate "$TMP/in" |
		awk '{ n = split($1, f, ";"); w[f[n]] += $2 } END { for (i in w) print i, w[i] }' | sort > "$TMP/ours"
	awk 'on && $1 != 0 { print $6, $1 } /flat%/ { on = 1 }' "$TMP/top" | sort | diff - "$TMP/ours"
	timeout 60 go tool pprof -top -tagfocus tid=8 "$TMP/out" > "$TMP/top"
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
	gzip -cd "$TMP/out" | protoc --proto_path=lib/export --decode=pprof.Profile pprof.proto > "$TMP/text"
	run grep -E '^ *[0-9]+[: ]' "$TMP/text"
	[ -z "$output" ] || false
	[ "$(awk '/^  value/ { n += $2 } END { print n }' "$TMP/text")" = "$(total -e cpu-clock 2> "$TMP/err")" ]
	grep -qxF 'string_table: "5 events were lost"' "$TMP/text"
	gzip -cd "$TMP/out" | protoc --decode_raw > "$TMP/text"
	[ "$(grep -c '^2 {' "$TMP/text")" = "$(mp-fold --lines -e cpu-clock "$TMP/in" 2> "$TMP/err" | wc -l)" ]
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
	mp-export --to pprof "$TMP/in" | gzip -cd | protoc --proto_path=lib/export --decode=pprof.Profile pprof.proto > "$TMP/out"
	grep -q 'string_table: "\\000\\001' "$TMP/out"
}

@test "a profile is not written to a terminal, and -o writes a file" {
	run script -qec "mp-export --to pprof $TMP/in" /dev/null
	[[ "$output" == *"refusing to write binary data to a terminal"* ]]
	mp-export --to chrome -o "$TMP/out" "$TMP/in"
	mp-export --to chrome "$TMP/in" | cmp - "$TMP/out"
}
