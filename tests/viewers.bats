#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What mp-export writes in the hands of the programs that it is for: their own pages in a browser, their own readers.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
load svg/check
: "${NPM:=build/npm}"

# Samples of three threads with stacks of user and kernel code, switches, and spans.
setup() {
	make_tmp
	python3 - > "$TMP/in" <<-'X'
		import random
		random.seed(7)
		print('{"mp":1,"datatype":"event","interface":"t","clock":"monotonic","clock_ns":1000,"realtime_ns":1795166340000001000}')
		t = 10**12
		for i in range(3000):
		    t += random.randrange(1, 10**6)
		    tid = random.choice([7, 8, 20])
		    who = f'cpu={random.randrange(4)}\tpid={7 if tid < 9 else tid}\ttid={tid}\tcomm=w {tid}'
		    if i % 3 == 0:
		        print(f'{t},sched:sched_switch,{who}\t.prev_comm=w {tid}\t.prev_pid={tid}\t.prev_prio=120\t.prev_state=S\t.next_comm=n{i}\t.next_pid={i}\t.next_prio=120')
		    elif i % 3 == 1:
		        stack = [random.choice(['a', 'b', 'c::d(int, char)', '[libx.so]+0x1f', '[unknown]']) for _ in range(random.randrange(1, 6))]
		        stack += [random.choice('xyz') + '_[k]' for _ in range(random.randrange(3))]
		        print(f'{t},cpu-clock,{who}\tperiod={random.randrange(1, 9)}\tstack={";".join(stack)}')
		    else:
		        print(f'{t},read,{who}\t.fd={i % 5}\t.bytes={random.randrange(9999)}\tdur={random.randrange(1, 10**6)}')
		print('{"end":"event","records":3000,"lost":0}')
	X
}

# in_speedscope FILE ROWS: what speedscope's page shows of a file in its table of functions, as lines "NAME<TAB>TOTAL<TAB>SELF",
# sorted, after it shows that many.
in_speedscope() {
	local page
	needs_npm speedscope
	page=$(realpath "$NPM/node_modules/speedscope/dist/release/index.html")
	printf 'speedscope.loadFileFromBase64("x.json", "%s")' "$(base64 -w 0 "$1")" > "$TMP/load.js"
	# it says much on the console
	page_value 1400x900 "file://$page#localProfilePath=$TMP/load.js&view=sandwich" \
		"((document.documentElement.outerHTML.split('Symbol Name')[1] || '').match(/>[^<>\n]+</g) || []).length >= 3 * $2 &&
			document.documentElement.outerHTML" > "$TMP/dom" || ! grep -E '^error: |Uncaught|Error|Failed' "$TMP/console" || return 1
	python3 - "$TMP/dom" <<-'X' | sort
		import html, re, sys
		dom = open(sys.argv[1]).read()
		words = [html.unescape(w) for w in re.findall(r'>([^<>\n]+)<', dom[dom.index('Symbol Name'):])]
		assert words, 'the page shows no table'
		value = lambda word: re.sub(r' \([\d.]+%\)$', '', word).replace(',', '')
		for i in range(0, len(words) - 2, 3):
		    print(words[i + 2], value(words[i]), value(words[i + 1]), sep='\t')
	X
}

export TMP

# Lines "NAME<TAB>TOTAL<TAB>SELF" of folded text.
totals() {
	python3 -c '
import collections, sys
total, own = collections.Counter(), collections.Counter()
for line in sys.stdin:
    stack, n = line.rsplit(" ", 1)
    frames = stack.split(";")
    own[frames[-1]] += int(n)
    for f in set(frames):
        total[f] += int(n)
for f in total:
    print(f, total[f], own[f], sep="\t")' | sort
}

@test "speedscope's own page shows the totals and the own weights of mp-fold" {
	mp-export --to speedscope -e cpu-clock -w period --no-comm "$TMP/in" > "$TMP/out"
	mp-fold -e cpu-clock -w period --no-comm --annotate "$TMP/in" | totals > "$TMP/wanted"
	in_speedscope "$TMP/out" "$(wc -l < "$TMP/wanted")" > "$TMP/shown"
	diff "$TMP/shown" "$TMP/wanted"
}

@test "speedscope's own page reads trace events, nested, with the durations that mp-hist adds up" {
	awk 'BEGIN { print "{\"mp\":1,\"datatype\":\"event\"}"
		for (i = 0; i < 100; i++) { t = 1e9 + i * 1e7
			for (k = 1; k < 3; k++) printf "%d,inner,pid=7\ttid=7\tcomm=w\tdur=2500000\n", t + k * 4e6
			printf "%d,outer,pid=7\ttid=7\tcomm=w\tdur=9000000\n", t + 9e6 }
		print "{\"end\":\"event\",\"records\":300,\"lost\":0}" }' > "$TMP/spans"
	mp-export --to chrome "$TMP/spans" > "$TMP/out"
	in_speedscope "$TMP/out" 2 > "$TMP/shown"
	mp-hist --by type --summary --tsv "$TMP/spans" | awk 'NR > 1 { ms[$1] = $3 / 1e6 } END {
		printf "inner {}\t%.2fms\t%.2fms\nouter {}\t%.2fms\t%.2fms\n", ms["inner"], ms["inner"], ms["outer"], ms["outer"] - ms["inner"] }' |
		diff "$TMP/shown" -
}

@test "pprof-format reads a profile for pprof, with the weights of mp-fold by stack and label" {
	needs_npm pprof-format
	mp-export --to pprof -e cpu-clock -w period --by tid "$TMP/in" > "$TMP/out"
	NODE_PATH="$NPM/node_modules" node -e '
		const { Profile } = require("pprof-format");
		const p = Profile.decode(require("zlib").gunzipSync(require("fs").readFileSync(process.argv[1])));
		const text = (i) => p.stringTable.strings[Number(i)];
		const byId = (list) => new Map(list.map((x) => [Number(x.id), x]));
		const functions = byId(p.function), locations = byId(p.location);
		for (const s of p.sample) {
			const frames = s.locationId.map((id) => text(functions.get(Number(locations.get(Number(id)).line[0].functionId)).name)).reverse();
			console.log([...s.label.map((l) => Number(l.num)), ...frames].join(";"), Number(s.value[0]));
		}' "$TMP/out" | sort > "$TMP/read"
	mp-fold -e cpu-clock -w period --by tid --annotate "$TMP/in" | sort | diff "$TMP/read" -
}

@test "a profile for Firefox keeps to the documented format, and has the weights of mp-fold by thread and stack" {
	mp-export --to firefox -e '*' -w period "$TMP/in" > "$TMP/out"
	python3 tests/tools/firefox-profile.py "$TMP/out" > "$TMP/read"
	grep '^sample' "$TMP/read" | cut -d ' ' -f 2- | sort > "$TMP/samples"
	mp-fold -e cpu-clock -w period --by tid --annotate "$TMP/in" | sort | diff "$TMP/samples" -
	grep '^marker' "$TMP/read" | sort > "$TMP/markers"
	python3 - "$TMP/in" <<-'X' | sort | diff "$TMP/markers" -
		import re, sys
		events = [l.rstrip('\n') for l in open(sys.argv[1]) if l[0] != '{']
		def begin(l):
		    return int(l.split(',')[0]) - int((re.search(r'\tdur=(\d+)', l) or [0, 0])[1])
		first = min(map(begin, events))
		for l in events:
		    if '\tstack=' in l:
		        continue
		    time, type, fields = l.split(',', 2)
		    payload = ' '.join(f for f in fields.split('\t') if f[0] == '.')
		    print('marker', re.search(r'tid=(\d+)', l)[1], begin(l) - first, int(time) - first, type, payload)
	X
}

@test "text of ftrace is the same events again when mp-import reads it" {
	mp-export --to ftrace "$TMP/in" > "$TMP/out"
	mp-import --from ftrace "$TMP/out" | grep -v '^{' > "$TMP/read"
	# outside of its payload ftrace has no fields but cpu, pid, tid and comm
	grep -v '^{' "$TMP/in" | sed 's/\t\(dur\|period\)=/\t.\1=/' | diff "$TMP/read" -
}

@test "the kernel prints the same text of the same switches" {
	needs_root
	local trace=/sys/kernel/tracing/instances/mp-viewers-$$ filter
	mkdir "$trace" 2> /dev/null || skip "no instance of tracefs"
	filter="prev_comm == \"mp-v-$$\" || next_comm == \"mp-v-$$\""
	echo "$filter" > "$trace/events/sched/sched_switch/filter"
	echo 1 > "$trace/events/sched/sched_switch/enable"
	cp "$(command -v sleep)" "$TMP/mp-v-$$"
	mp-record -q -a -g none -e "sched:sched_switch/$filter/" -o "$TMP/live" -- \
		bash -c 'for i in 1 2 3 4 5 6 7; do "$0" 0.01; done; exec sleep 0.5' "$TMP/mp-v-$$" || true
	echo 0 > "$trace/events/sched/sched_switch/enable"
	cat "$trace/trace" > "$TMP/kernel"
	rmdir "$trace"
	mp-export --to ftrace "$TMP/live" > "$TMP/out" || true
	# the last switch of a process may come after its parent knows that it has ended
	for file in kernel out; do	# without flags, thread groups, the name that the kernel may have forgotten, and times, which differ
		sed -nE 's/^.*(-[0-9]+) +(\([^)]*\) +)?(\[[0-9]+\]) [^ ]+ +[0-9]+\.[0-9]+: (sched_switch: .*)/\1 \3 \4/p' "$TMP/$file" | grep -v 'prev_state=[XZ] ' > "$TMP/$file.text"
	done
	[ "$(wc -l < "$TMP/out.text")" -ge 7 ]
	sort "$TMP/kernel.text" | diff - <(sort "$TMP/out.text")
}

# in_prometheus FILE: "TIME_MS NAME{LABELS} VALUE" of all that promtool dumps of the blocks that it makes of a file.
in_prometheus() {
	command -v promtool > /dev/null || skip "no promtool"
	timeout 600 promtool tsdb create-blocks-from openmetrics "$1" "$TMP/blocks" > "$TMP/log" 2>&1 || { cat "$TMP/log"; return 1; }
	mkdir -p "$TMP/blocks/wal"
	timeout 600 promtool tsdb dump "$TMP/blocks" 2> "$TMP/log" || { cat "$TMP/log"; return 1; }
}

@test "promtool reads metrics, and has the counts, the sums and the rows of mp-hist for each interval and key" {
	mp-hist -e read -i 100ms --by tid --dump "$TMP/in" | mp-export --to openmetrics > "$TMP/out"
	[ "$(tail -n 1 "$TMP/out")" = "# EOF" ]
	in_prometheus "$TMP/out" > "$TMP/dump"
	mp-hist -e read -i 100ms --by tid --json "$TMP/in" > "$TMP/json"
	mp-hist -e read -i 100ms --by tid --points=count,sum "$TMP/in" > "$TMP/points"
	python3 - "$TMP" <<-'X'
		import collections, json, re, sys
		folder = sys.argv[1]
		offset = 1795166340000001000 - 1000
		read = collections.defaultdict(dict)
		for line in open(folder + '/dump'):
		    name, labels, value, ms = re.fullmatch(r'\{__name__="(\w+)", (.*)\} (\S+) (\d+)\n', line).groups()
		    labels = dict(re.findall(r'(\w+)="(.*?)"', labels))
		    assert labels.pop('type') == 'read'
		    read[int(ms), labels.pop('tid')][name + labels.get('le', '')] = float(value)
		n = 0
		for line in open(folder + '/points'):
		    if line[0] == '{':
		        continue
		    x, y, info = line.rstrip('\n').split(',')
		    tid, stat = info.split()
		    got = read[(int(x) + offset) // 10**6, tid]
		    want = float(y) if stat == 'count' else float(y) / 1e9
		    assert got['mp_dur_seconds_g' + stat] == want, (line, got)
		    n += 1
		assert n == 2 * len(read) > 20, (n, len(read))
		# the counts below a bound are those of the rows below it, and all points have the same bounds
		rows = collections.Counter()
		for line in open(folder + '/json'):
		    for low, high, count in json.loads(line)['buckets']:
		        rows[high] += count
		assert len({frozenset(k for k in got if 'bucket' in k) for got in read.values()}) == 1
		below = 0
		for high in sorted(rows):
		    below += rows[high]
		    name = 'mp_dur_seconds_bucket%s' % repr((high - 1) / 1e9)
		    assert sum(got[name] for got in read.values()) == below, (high, below)
		assert below == sum(got['mp_dur_seconds_bucket+Inf'] for got in read.values())
	X
}

@test "counts are what promtool has, and hostile names stay what they are" {
	local names
	names=$(python3 -c '
for i in range(256):
    print("%d,a:b,comm=\\x%02x}\"%s\t.v=-%d.5" % (10**9 + i, i, "\\\\x41\\n" if i % 2 else "\\xe2\\x82\\xac", i))')
	mp-hist --count comm --dump <<< "$names" | mp-export --to openmetrics > "$TMP/out"
	in_prometheus "$TMP/out" > "$TMP/dump"
	[ "$(grep -c '"} 1 1000$' "$TMP/dump")" = 256 ]
	[ "$(sort -u "$TMP/dump" | wc -l)" = 256 ]
}

@test "the strict reader of prometheus_client accepts metrics of all kinds" {
	/usr/bin/python3 -c 'import prometheus_client' 2> /dev/null || skip "no prometheus_client"
	for options in "--by tid,.fd" "-f .bytes --by comm" "-f .bytes -w dur" "--count comm,.bytes" "--count tid -w dur"; do
		# shellcheck disable=SC2086
		mp-hist -e read $options --dump "$TMP/in" | mp-export --to openmetrics > "$TMP/out"
		/usr/bin/python3 - "$TMP/out" <<-'X'
			import sys
			from prometheus_client.openmetrics.parser import text_string_to_metric_families
			text = open(sys.argv[1]).read()
			family, = text_string_to_metric_families(text)
			assert len(family.samples) == sum(line[0] != '#' for line in text.splitlines()), len(family.samples)
			assert family.type in ('gauge', 'gaugehistogram') and family.unit in ('seconds', 'bytes', ''), family
		X
	done
}

@test "what waits for the end is in TMPDIR, the same as in memory" {
	mkdir "$TMP/tmp"
	awk 'BEGIN { print "{\"mp\":1,\"datatype\":\"event\"}"
		for (i = 0; i < 500000; i++) printf "%d,cpu-clock,pid=1\ttid=%d\tcomm=x\tstack=a;b%d\n%d,c:d,pid=1\ttid=%d\t.i=%d\n", i, i % 50, i % 7, i, i % 50, i
		print "{\"end\":\"event\",\"records\":1000000,\"lost\":0}" }' > "$TMP/many"
	TMPDIR="$TMP/tmp" mp-export --to firefox -e '*' "$TMP/many" > "$TMP/out"
	[ -z "$(ls "$TMP/tmp")" ]
	! TMPDIR="$TMP/none" mp-export --to firefox -e '*' "$TMP/many" > /dev/null 2> "$TMP/err" || false
	grep -q "cannot make a temporary file in '$TMP/none': No such file or directory (set TMPDIR)" "$TMP/err"
	python3 tests/tools/firefox-profile.py "$TMP/out" > "$TMP/read"
	grep '^sample' "$TMP/read" | cut -d ' ' -f 2- | sort > "$TMP/samples"
	mp-fold -e cpu-clock --by tid "$TMP/many" | sort | diff "$TMP/samples" -
	# each marker once, in the order of its thread
	grep -c '^marker' "$TMP/read" | grep -x 500000
	awk '/^marker/ { sub(/.*=/, "", $NF); if ($NF % 50 != $2 || ($2 in last && $NF != last[$2] + 50)) exit 1; last[$2] = $NF }' "$TMP/read"
}
