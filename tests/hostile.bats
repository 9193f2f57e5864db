#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Input that was made to be slow takes the time of other input of its size.
# Takes more than a minute.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# The CPU time of a command in ms. It may end with status 1.
cpu_ms() {
	local TIMEFORMAT=%3U+%3S status=0
	{ time "$@" > "$TMP/out" 2> "$TMP/err" || status=$?; } 2> "$TMP/time"
	[ "$status" -le 1 ] || { echo "$*: $status"; cat "$TMP/err"; return 1; } >&2
	awk -F + '{ print int(1000 * ($1 + $2)) }' "$TMP/time"
}

# as_quick HARMLESS HOSTILE COMMAND...: the command reads the second file, which has at most 4 times as much in it, in
# not much more time than the first. Another load may make the same instructions several times as slow for a while: of three
# measurements the shortest counts.
as_quick() {
	local harmless hostile best=
	for _ in 1 2 3; do
		harmless=$(cpu_ms "${@:3}" "$1")
		hostile=$(cpu_ms "${@:3}" "$2")
		best=$((${best:-hostile} < hostile ? best : hostile))
		echo "${*:3}: $harmless ms, $hostile ms"
		[ "$best" -gt $((8 * harmless + 300)) ] || return 0
	done
	return 1
}

# lines KIND SIZE: 2 MiB of events, each a line of SIZE bytes with what KIND says.
lines() {
	python3 - "$@" <<- 'X'
		import sys
		kind, size = sys.argv[1], int(sys.argv[2])
		text = {'fields': '\t'.join(f'f{i}=1' for i in range(100000)), 'same': '\t'.join(300000 * ['f=1']),
			'frames': 'stack=' + 600000 * 'f;', 'text': 'text=' + 1200000 * 'x', 'escapes': 'text=' + 300000 * r'\x01',
			'signs': 'text=' + 1200000 * '='}[kind][:size - 100]
		sys.stdout.writelines(f'{i},a:b,cpu=0\tpid=1\ttid=1\tcomm=x\tdur=5\t{text}\n' for i in range(2097152 // size))
	X
}

@test "long lines of many fields or frames are as quick as short ones" {
	local words kind
	for kind in fields same frames text escapes signs; do
		lines $kind 65536 > "$TMP/short.mp"
		lines $kind 1048000 > "$TMP/long.mp"
		for p in $FILTERS; do
			read -ra words <<< "$(filter_words "$p")"
			[ "$p" != mp-import ] || words+=(--from stream)
			as_quick "$TMP/short.mp" "$TMP/long.mp" "${words[@]}"
		done
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-order --check
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-pair -b a:b -e a:b -k comm
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-fold --by f9,f7 --merge-recursive --annotate
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-fold --focus '*y*z*' --focus '*' --ignore '*q*[0-9]' --show-from '*z*' --show-from '?*'
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-flame --svg --by f9,f7
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-flame --text --reverse
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-flame --time
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-flame --diff --absolute --svg formats/good/no-header.mp
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-page --by f9,f7
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-diff --all --absolute formats/good/no-header.mp
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-hist --by comm --across f9
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-export --to firefox
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-export --to ftrace
		sed 's/,a:b,/,mp-hist,hist_n=1\t/' "$TMP/short.mp" > "$TMP/short.dump"
		sed 's/,a:b,/,mp-hist,hist_n=1\t/' "$TMP/long.mp" > "$TMP/long.dump"
		as_quick "$TMP/short.dump" "$TMP/long.dump" mp-export --to openmetrics
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-select --fields f9,stack -f 'text~"*y*z*" || f9==1'
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-select --tsv
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-select --json
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-stackplot -y dur --by comm,f9
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-timeline --rows comm --colour f9 --arrows
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-svg-heatmap -y stack
		as_quick "$TMP/short.mp" "$TMP/long.mp" mp-svg-heatmap -y dur --panels f9
	done
}

@test "many sections, types of events, hosts, CPUs and losses take time in proportion to their number" {
	local n kind words
	for n in 20000 80000; do
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++)
			print "{\"mp\":1,\"datatype\":\"event\"}\n" i ",a:b,cpu=0\tpid=1\tdur=1\n{\"end\":\"event\",\"records\":1,\"lost\":0}" }' > "$TMP/sections.$n"
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print i ",a:t" i ",cpu=0\tf" i "=1\tcomm=x\tpid=1\tdur=1" }' > "$TMP/types.$n"
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print i ",a:b,host=h" i "\tcpu=" i "\tcomm=x\tpid=1\tdur=1" }' > "$TMP/cpus.$n"
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print "{\"lost\":1,\"time\":" i ",\"cpu\":" i "}\n" i ",a:b,cpu=0\tpid=1\tdur=1" }' > "$TMP/losses.$n"
		# after n tasks that wait, or n hosts, as many losses
		awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) print i ",sched:sched_wakeup,cpu=0\ttid=1\t.comm=x\t.pid=" i "\t.prio=120\t.target_cpu=" i % 4
			for (; i <= 2 * n; i++) print "{\"lost\":1,\"time\":" i ",\"cpu\":" i % 4 "}\n" i ",sched:sched_switch,cpu=" i % 4 "\ttid=0\t" \
				".prev_comm=s\t.prev_pid=0\t.prev_prio=120\t.prev_state=0\t.next_comm=x\t.next_pid=" i "\t.next_prio=120" }' > "$TMP/tasks.$n"
		awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) print i ",sched:sched_wakeup,host=h" i "\tcpu=0\ttid=1\t.comm=x\t.pid=5\t.prio=120\t.target_cpu=0"
			for (; i <= 2 * n; i++) print "{\"lost\":1,\"time\":" i "}\n{\"watermark\":" i "}\n" i ",a:b,cpu=0\tpid=1\tdur=1" }' > "$TMP/hosts.$n"
	done
	for kind in sections types cpus losses tasks hosts; do
		for p in $FILTERS; do
			read -ra words <<< "$(filter_words "$p")"
			[ "$p" != mp-import ] || words+=(--from stream)
			as_quick "$TMP/$kind.20000" "$TMP/$kind.80000" "${words[@]}"
		done
		as_quick "$TMP/$kind.20000" "$TMP/$kind.80000" mp-export --to firefox -e '*'
	done
}

@test "many keys in one interval and then many intervals take time in proportion to their number" {
	local n
	for n in 20000 80000; do
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) print i ",a:b,pid=" i "\ttid=" i "\tcomm=k" i "\tdur=1\tstack=a;k" i
			for (; i < 2 * n; i++) print i "000000,a:b,pid=1\ttid=1\tcomm=x\tdur=1\tstack=a;b" }' > "$TMP/keys.$n"
	done
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-fold -i 1ms
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-fold -i 1ms --by comm
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-hist -i 1ms --by comm
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-hist --by comm --across pid
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-svg-heatmap -y comm
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-svg-heatmap --hue comm
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-stackplot --by comm
	as_quick "$TMP/keys.20000" "$TMP/keys.80000" mp-example-interval -i 1ms --by comm
}

# The first column of stdin as names, the second as numbers of tasks.
as_events() {
	awk '{ printf "%d,a:b,cpu=0\tpid=%d\ttid=%d\tcomm=%s\tstack=%s\n", NR, $2, $2, $1, $1 }'
}

@test "names and ids that an unseeded hash would put close together are as quick as others" {
	local n=50000
	"$BUILD/tools/collide" any $n > "$TMP/any"
	for how in names keys ids; do "$BUILD/tools/collide" $how $n > "$TMP/$how"; done
	sed 's/$/ 1/' "$TMP/any" > "$TMP/any.folded"
	sed 's/$/ 1/' "$TMP/names" > "$TMP/names.folded"
	as_quick "$TMP/any.folded" "$TMP/names.folded" mp-fold
	as_quick "$TMP/any.folded" "$TMP/names.folded" mp-flame
	as_quick "$TMP/any.folded" "$TMP/names.folded" mp-diff --min 0 "$TMP/any.folded"
	as_quick "$TMP/any.folded" "$TMP/names.folded" mp-import --from folded
	seq $n | paste -d ' ' "$TMP/any" - | as_events > "$TMP/any.mp"
	paste -d ' ' "$TMP/names" "$TMP/ids" | as_events > "$TMP/names.mp"
	paste -d ' ' "$TMP/keys" "$TMP/ids" | as_events > "$TMP/keys.mp"
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-hist --count comm --top 0
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-svg-heatmap -y comm
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-svg-heatmap -y pid --panels comm
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-stackplot --by comm
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-timeline --rows comm --colour comm
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-cpel -t tid -l comm -o "$TMP/cpel"
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-export --to perfetto
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-rename --append-tid
	as_quick "$TMP/any.mp" "$TMP/names.mp" mp-export --to firefox
	as_quick "$TMP/any.mp" "$TMP/keys.mp" mp-pair -b '*' -e no:end -k comm --open
	for file in any names; do
		awk -F '[=\t]' '{ print 1000 * NR ",sched:sched_switch,cpu=0\ttid=" last "\t.prev_comm=x\t.prev_pid=" last \
			"\t.prev_prio=120\t.prev_state=1\t.next_comm=x\t.next_pid=" $4 "\t.next_prio=120"; last = $4 }' \
			last=0 "$TMP/$file.mp" > "$TMP/switches-$file.mp"
	done
	as_quick "$TMP/switches-any.mp" "$TMP/switches-names.mp" mp-sched
}

@test "numbers at the limits of their types overflow nowhere" {
	local command words status
	mkdir "$TMP/in"
	python3 tests/tools/extremes.py "$TMP/in"
	while read -r command; do
		read -ra words <<< "$command"
		for file in "$TMP"/in/*.mp; do
			status=0
			timeout 600 "${words[@]}" "$file" > "$TMP/out" 2> "$TMP/err" || status=$?
			[ "$status" -le 2 ] && ! grep 'option' "$TMP/err" || { echo "$command ${file##*/}: $status"; cat "$TMP/err"; false; }
		done
	done <<- 'X'
		mp-fold -e * -w dur
		mp-fold -e * -w v --stream --by pid
		mp-fold -e * -i 1s -w dur
		mp-fold -e * --min 1% --sort weight
		mp-flame -e * --by comm,pid
		mp-flame -e * --svg -w v
		mp-flame -e * --text --reverse
		mp-flame -e * --time
		mp-flame -e * --diff --absolute formats/good/no-header.mp
		mp-page -e * --by comm,pid
		mp-page -e * -w v
		mp-diff -e * --samples --absolute --all formats/good/no-header.mp
		mp-diff -e * --min 0 --tsv -w v formats/good/no-header.mp formats/good/no-header.mp formats/good/no-header.mp --
		mp-hist -e *
		mp-hist -e * -f time --linear --json
		mp-hist -e * -f v --linear -w dur
		mp-hist -e * -f v --by pid --sort sum
		mp-hist -e * -i 1s --points mean,p99,max
		mp-hist -e * --by pid --across cpu -w v
		mp-hist -f x -w y --json
		mp-hist -e * --dump
		mp-svg-heatmap -e *
		mp-svg-heatmap
		mp-svg-heatmap -e * -y dur -w dur
		mp-svg-heatmap -e * -y v --percentiles 1,50
		mp-svg-heatmap -e * -x v -y time
		mp-svg-heatmap -e * -y pid
		mp-svg-heatmap -e * --dump
		mp-svg-heatmap -e * --hue v
		mp-svg-heatmap -e * --panels v --percentiles 50
		mp-treemap -e * --by comm,pid
		mp-export --to chrome -e *
		mp-export --to perfetto -e *
		mp-export --to speedscope -e * -w v
		mp-export --to firefox -e * -w dur
		mp-export --to ftrace -e *
		mp-export --to pprof -e * -w dur --by pid
		mp-stackplot
		mp-stackplot -e * --mean
		mp-stackplot -e * -y v --by comm --missing carry
		mp-stackplot -e * -y time --by pid --bins 10
		mp-timeline --rows comm
		mp-timeline --rows pid --colour v --arrows --mark pid>1
		mp-timeline --rows type --counter v --order weight
		mp-sched
		mp-sched --table
		mp-sched --others
		mp-order
		mp-order --check
		mp-order --realtime
		mp-order -w 1s
		mp-select --for 1ms --overlap
		mp-select --from 1s --to @9223372036854775807
		mp-select -f time>5&&v<9223372036854775807||pid==9223372036854775807
		mp-pair -b * -e * -k comm
		mp-pair -b b:x -e e:x -k comm --context all --over 1s
		mp-pair -b * -e no:end -k comm --open
		mp-cpel -t cpu -l v
		mp-rename --append-tid
		mp-import --from stream
		mp-example --by comm
		mp-example-interval -e * --by comm
	X
	mp-order "$TMP/in/losses.mp" 2> /dev/null | tail -n 1 | grep '"lost":9223372036854775807,.*"fired":9223372036854775807,'
}

@test "formats of others that were made to be slow are as quick to import as others" {
	local kind
	# the same amount of text as many short records, and as few long ones
	python3 - "$TMP" <<- 'X'
		import sys
		size = 4 << 20
		def write(name, short, long):
		    for kind, text in ('short', short), ('long', long):
		        with open(f'{sys.argv[1]}/{name}.{kind}', 'w') as f: f.write(text)
		def repeat(text): return text * (size // len(text))
		write('bcc', 'Sampling at 49 Hertz of all threads by user stack\n' + repeat('    f\n    --\n    g\n        3\n\n'),
		      'Sampling at 49 Hertz of all threads by user stack\n' + repeat('    f\n    --\n') + '    3\n\n')
		write('bpftrace', repeat('@[\n    f+1\n, sh]: 3\n'), '@[\n' + repeat('    f+1\n\n    (x (y (\n'.replace('\n\n', '\n')) + ', sh]: 3\n')
		write('strace', repeat('1 1795446316.000001 read(3, "x", 1 <unfinished ...>\n'), repeat('1 1795446316.000001 read(' + 300000 * '(<"' + '\n'))
		write('chrome', '[' + repeat('{"name":"a","ph":"B","ts":1,"pid":1,"tid":1},\n') + '{"ph":"E","ts":2,"pid":1,"tid":1}]',
		      '[' + repeat('{"name":"' + 500000 * 'a' + '","ph":"B","ts":1,"pid":1,"tid":1},\n') + '{}]')
		write('speedscope', '{"exporter":"speedscope@1","profiles":[' + repeat('{"name":"a","samples":[[0]],"weights":[1]},') + '{}]}',
		      '{"exporter":"speedscope@1","profiles":[{"name":"a","samples":[[' + ','.join(map(str, range(100000))) + ']],"weights":[1]},' +
		      repeat('{"name":"a","samples":[],"weights":[]},') + '{}]}')
		write('cpuprofile', '{"nodes":[' + repeat('{"id":1,"callFrame":{"functionName":"f"}},') + '{"id":2,"callFrame":{}}],"samples":[1],"timeDeltas":[1]}',
		      '{"nodes":[' + ','.join('{"id":%d,"callFrame":{"functionName":"f"},"children":[%d]}' % (i, i + 1) for i in range(70000)) + '],"samples":[1],"timeDeltas":[1]}')
		head = 'heap profile: 1: 1 [1: 1] @ heapprofile\n'
		maps = '\nMAPPED_LIBRARIES:\n' + repeat('1000-2000 r-xp 00000000 08:02 1 /a/b\n')
		write('heap', head + repeat('1: 1 [1: 1] @ 0x1001\n'), head + 9 * ('1: 1 [1: 1] @ ' + 30000 * '0x1001 ' + '\n') + maps)
	X
	for kind in bcc bpftrace strace chrome speedscope cpuprofile heap; do
		as_quick "$TMP/$kind.short" "$TMP/$kind.long" mp-import --from "$kind"
	done
}

@test "the records of a profile whose samples share a large stack have a bounded size" {
	local kind bytes
	python3 - "$TMP" <<- 'X'
		import sys
		n = 4500
		def name(sample): return 4096 * sample * 'f'	# records of 4096 times the bytes of a sample
		def write(kind, data): open(f'{sys.argv[1]}/grown.{kind}', 'wb').write(data if isinstance(data, bytes) else data.encode())
		write('speedscope', '{"exporter":"speedscope@1","shared":{"frames":[{"name":"%s"}]},"profiles":[' % name(43) + n * '{"samples":[[0]],"weights":[1]},' + '{}]}')
		write('cpuprofile', '{"nodes":[{"id":1,"callFrame":{"functionName":"%s"}}],"samples":[' % name(4) + ','.join(n * ['1']) + '],"timeDeltas":[' + ','.join(n * ['1']) + ']}')
		write('heap', 'heap profile: 1: 1 [1: 1] @ heapprofile\n' + n * '1: 1 [1: 1] @ 0x1001\n' + '\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00000000 08:02 1 /a/%s\n' % name(23))
		def varint(v): return bytes([v]) if v < 128 else bytes([v & 127 | 128]) + varint(v >> 7)
		def message(field, data): return varint(field << 3 | 2) + varint(len(data)) + data
		def number(field, v): return varint(field << 3) + varint(v)
		named = message(4, number(1, 1) + message(4, number(1, 1))) + message(5, number(1, 1) + number(2, 1)) + message(6, b'') + message(6, name(6).encode())
		write('pprof', message(1, number(1, 1)) + n * message(2, number(1, 1) + number(2, 1)) + named)
		write('types', 300 * message(1, number(1, 1)) + message(2, number(1, 1) + number(2, 1)) + named)
	X
	for kind in speedscope cpuprofile heap pprof; do
		bytes=$(stat -c %s "$TMP/grown.$kind")
		run --separate-stderr timeout 600 bash -c 'mp-import --from "$1" "$2" | wc -c; exit ${PIPESTATUS[0]}' - "$kind" "$TMP/grown.$kind"
		echo "$kind: $bytes bytes, $output of records"
		[ "$status" = 2 ]
		[ "$stderr" = "mp-import: $TMP/grown.$kind: the records would be more than 2048 times as large as the input" ]
		[ "$output" -lt $((2100 * bytes)) ]
	done
	run timeout 600 mp-import --from pprof "$TMP/grown.types"
	[ "$status" = 2 ]
	[ "$output" = "mp-import: $TMP/grown.types: the profile has more than 256 types of values" ]
}

@test "spans that nest deeply, overlap, or are of many threads are as quick to fold as those side by side" {
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print 2 * i ",e:a" i % 100 ",tid=1\tcomm=x\tdur=1" }' > "$TMP/aside"
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print 2 * i ",e:a" i % 100 ",tid=1\tcomm=x\tdur=" 2 * i }' > "$TMP/deep"
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print 2 * i ",e:a" i % 100 ",tid=1\tcomm=x\tdur=" i }' > "$TMP/overlap"
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print 2 * i ",e:a" i % 100 ",tid=" i "\tcomm=x\tdur=1" }' > "$TMP/threads"
	# 100 spans in 2,000 chains of 100
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print 2 * i ",e:a" i % 100 ",tid=1\tcomm=x\tdur=" 2 * (i % 100) + 1 }' > "$TMP/chains"
	for hostile in deep overlap threads chains; do
		as_quick "$TMP/aside" "$TMP/$hostile" mp-fold --nested
	done
}
