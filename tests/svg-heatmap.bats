#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-svg-heatmap: the picture compared with a reference in python, merging, memory, hostile names.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

HEAT=tests/svg/heat.py

# Spans of several sizes with outliers; unsorted TIME within a second.
spans() {	# [SEED [N]]
	awk -v seed="${1:-1}" -v n="${2:-20000}" 'BEGIN { srand(seed)
		for (i = 0; i < n; i++) {
			d = int(exp(rand() * 6 + 8)); if (rand() < 0.002) d = int(rand() * 4e9)
			printf "%.0f,disk:done,cpu=%d\tcomm=task-%d\t.bytes=%d\tdur=%.0f\n", 71200000000 + i * 500000 + int(rand() * 1e9),
				int(rand() * 12), int(rand() * 30), 512 * int(rand() * 256), d } }'
}

# Checks the picture of FILE with options: its total, its cells against the reference, its shapes against the cells.
exact() {	# FILE N X Y [OPTION]...
	mp-svg-heatmap "${@:5}" "$1" > "$TMP/svg"
	run python3 $HEAT exact "$TMP/svg" "$3" "$4" < "$1"
	[[ "${lines[0]}" == "$2" && "${lines[1]}" == "$2 records, 0 cells differ" &&
		"${lines[2]}" == *" cells, 0 wrong, more is never paler" ]] || { echo "$*: $output"; false; }
}

@test "each record is in the cell that a reference finds, and each cell is drawn" {
	spans > "$TMP/in"
	exact "$TMP/in" 20000 time dur
	exact "$TMP/in" 20000 time dur --log --overflow 0
	exact "$TMP/in" 20000 time .bytes -y .bytes --colour log --columns 40 --rows 17
	exact "$TMP/in" 20000 .bytes dur -x .bytes --log --log-x --colour linear
	exact "$TMP/in" 20000 time cpu -y cpu
	exact "$TMP/in" 20000 cpu comm -x cpu -y comm --rows 10
	exact "$TMP/in" 20000 comm dur -x comm --log
}

@test "points are placed right whether constant, single, negative, huge, tiny, far off or whole numbers" {
	points() { awk -v n="$1" "BEGIN { srand(2); for (i = 0; i < n; i++) printf \"%.17g,%.17g,p\\n\", $2, $3 }" > "$TMP/in"; }
	check() {
		exact "$TMP/in" "$1" x y
		exact "$TMP/in" "$1" x y --log
		exact "$TMP/in" "$1" x y --overflow 0 --columns 7 --rows 5
	}
	points 1 5 7; check 1
	points 1 0 0; check 1
	points 100 i 5; check 100
	points 100 5 i; check 100
	points 300 i '-rand() * 1000'; check 300
	points 300 'i - 150' 'rand() * 200 - 100'; check 300
	points 300 '(rand() - 0.5) * 2 * 1.6e308' '(rand() - 0.5) * 2 * 1.6e308'; check 300
	points 300 'rand() * 1e-300' 'rand() * 1e-300 * 1e-20'; check 300
	points 3000 i '2147483648 + int(rand() * 1000)'; check 3000
	points 500 i 'i == 7 ? 1e15 : 1 + int(rand() * 100)'; check 500
	points 500 'i == 7 ? -1e15 : i' 'i == 9 ? -1e15 : i == 8 ? 1e15 : int(rand() * 100)'; check 500
	points 500 i 'int(rand() * 6)'; check 500
}

@test "outliers go to a row of their own that says how many they are, and --overflow 0 keeps them" {
	awk 'BEGIN { for (i = 0; i < 1000; i++) printf "%d,%d,p\n", i, i % 100 == 50 && i < 300 ? 1e9 : 1 + i % 90 }' > "$TMP/in"
	mp-svg-heatmap "$TMP/in" > "$TMP/svg"
	run python3 $HEAT describe "$TMP/svg"
	[[ "${lines[1]}" == "y y: "*", 0 to 9"* && "${lines[2]}" == "below 0 above 3 left 0 right 0" ]] || { echo "$output"; false; }
	grep -q '<text [^>]*>y ≥ 9[0-9.]*: 3 (0.3 %), in the top row</text>' "$TMP/svg"
	mp-svg-heatmap --overflow 0 "$TMP/in" > "$TMP/svg"
	run python3 $HEAT describe "$TMP/svg"
	[[ "${lines[2]}" == "below 0 above 0 left 0 right 0" ]]
	awk '{ print }' "$TMP/in" | mp-svg-heatmap --overflow 0.2% > "$TMP/svg"
	run python3 $HEAT describe "$TMP/svg"
	[[ "${lines[2]}" == "below 0 above 0 "* ]]
}

@test "the time of a span is spread over the columns that it covers, without loss" {
	spans 3 > "$TMP/in"
	total=$(awk -F 'dur=' '{ s += $2 } END { printf "%.0f\n", s }' "$TMP/in")
	mp-svg-heatmap -y cpu --weight dur "$TMP/in" > "$TMP/svg"
	[ "$(python3 $HEAT sum "$TMP/svg")" = "$total" ]
	printf '1000,a:b,cpu=1\tdur=1000\n400,a:b,cpu=2\tdur=100\n' > "$TMP/in"
	mp-svg-heatmap -y cpu --weight dur --columns 4 "$TMP/in" > "$TMP/svg"
	grep -q '^"cells":"250,250,250,250;,100",$' "$TMP/svg"
	# without an axis of names, or with another weight, a span counts at its end
	printf '1000,a:b,cpu=1\tdur=1000\t.n=7\n400,a:b,cpu=2\tdur=100\t.n=5\n' > "$TMP/in"
	mp-svg-heatmap -y cpu --weight .n --columns 4 "$TMP/in" > "$TMP/svg"
	grep -q '^"cells":",,,7;5",$' "$TMP/svg"
	mp-svg-heatmap --weight dur "$TMP/in" > "$TMP/svg"
	[ "$(python3 $HEAT sum "$TMP/svg")" = 1100 ]
}

@test "--subsecond draws a column for each second, with its parts upwards" {
	spans 4 > "$TMP/in"
	mp-svg-heatmap --subsecond "$TMP/in" > "$TMP/svg"
	[ "$(python3 $HEAT sum "$TMP/svg")" = 20000 ]
	run python3 $HEAT describe "$TMP/svg"
	[[ "${lines[0]}" == "x time: 12 bins, 71000000000 to 83000000000" && "${lines[1]}" == "y time: "*" bins, 0 to 1000000000" ]]
	awk -F, '{ s = int($1 / 1e9); if (s == 75 && $1 % 1e9 < 16e6) n++ } END { print n }' "$TMP/in" > "$TMP/n"
	grep '^"cells"' "$TMP/svg" | sed 's/"cells":"//' | cut -d ';' -f 1 | cut -d , -f 5 | cmp - "$TMP/n"
}

@test "the order of the input and how it is split do not matter, and dumps add up byte for byte" {
	{ spans 5; echo '{"lost":7,"from":71300000000,"time":71350000000,"cpu":0}'; spans 6 | sed 's/cpu=3\t//'; } > "$TMP/in"
	shuf --random-source=<(yes) "$TMP/in" > "$TMP/shuffled"
	split -n l/5 "$TMP/shuffled" "$TMP/part."
	for o in "" "--log" "-y comm" "-x cpu -y comm" "-y cpu --weight dur" "-y .bytes -w .bytes" --subsecond \
		"-x .bytes" "-y comm --category dur -x dur"; do
		# shellcheck disable=SC2086
		{
			mp-svg-heatmap $o --dump "$TMP/in" > "$TMP/whole" || true
			for p in "$TMP"/part.*; do mp-svg-heatmap $o --dump "$p" > "$TMP/dump.${p##*.}" || true; done
			mp-svg-heatmap --dump "$TMP"/dump.* 2> "$TMP/err" | cmp - "$TMP/whole" || { echo "$o"; false; }
			mp-svg-heatmap --log --percentiles 50,99 $o "$TMP/whole" 2> "$TMP/err" > "$TMP/2" || true
			mp-svg-heatmap --log --percentiles 50,99 $o 2> "$TMP/err" < "$TMP/in" | cmp - "$TMP/2" || { echo "picture $o"; false; }
			mp-svg-heatmap --dump "$TMP/whole" 2> "$TMP/err" | cmp - "$TMP/whole" || { echo "again $o"; false; }
		}
	done
}

@test "merged dumps of two halves of points equal that of the whole, in either order, at any size" {
	awk 'BEGIN { srand(7); for (i = 0; i < 30000; i++) printf "%.6f,%.3f,p\n", i / 3 - 4000, exp(rand() * 40 - 20) * (rand() < 0.3 ? -1 : 1) }' > "$TMP/in"
	mp-svg-heatmap --dump "$TMP/in" > "$TMP/whole"
	for n in 1 100 15000 29999; do
		head -n $n "$TMP/in" | mp-svg-heatmap --dump > "$TMP/a"
		tail -n +$((n + 1)) "$TMP/in" | mp-svg-heatmap --dump > "$TMP/b"
		mp-svg-heatmap --dump "$TMP/a" "$TMP/b" | cmp - "$TMP/whole"
		mp-svg-heatmap --dump "$TMP/b" "$TMP/a" | cmp - "$TMP/whole"
		mp-svg-heatmap --dump "$TMP/a" <(tail -n +$((n + 1)) "$TMP/in") | cmp - "$TMP/whole"
	done
	mp-svg-heatmap < "$TMP/in" | cmp - <(mp-svg-heatmap "$TMP/whole")
}

@test "of more names than are kept the same ones stay in any order, and the rest is reported" {
	awk 'BEGIN { for (i = 0; i < 20000; i++) printf "%d,a:b,comm=n%d\n", i, i % 5000 }' > "$TMP/in"
	mp-svg-heatmap -y comm --dump "$TMP/in" > "$TMP/whole"
	shuf --random-source=<(yes) "$TMP/in" | mp-svg-heatmap -y comm --dump | cmp - "$TMP/whole"
	head -n 7777 "$TMP/in" | mp-svg-heatmap -y comm --dump > "$TMP/a"
	tail -n +7778 "$TMP/in" | mp-svg-heatmap -y comm --dump | mp-svg-heatmap --dump - "$TMP/a" | cmp - "$TMP/whole"
	mp-svg-heatmap -y comm "$TMP/in" > "$TMP/svg"
	[ "$(python3 $HEAT sum "$TMP/svg")" = 20000 ]
	grep -q 'comm other: 19,744 (99 %), 959 names or more, in the bottom row' "$TMP/svg"
}

@test "dumps that do not fit each other are refused, and what is not a dump is reported" {
	printf '1,a:b,dur=5\tcomm=x\n' > "$TMP/in"
	mp-svg-heatmap --dump "$TMP/in" > "$TMP/a"
	mp-svg-heatmap --dump -y comm "$TMP/in" > "$TMP/b"
	run mp-svg-heatmap "$TMP/a" "$TMP/b"
	[ "$status" = 2 ] && [[ "$output" == *"$TMP/b: the axes or the weight of this dump differ from those of the previous input" ]] || false
	sed 's/a:b/c:d/' "$TMP/in" | mp-svg-heatmap --dump > "$TMP/c"
	run mp-svg-heatmap "$TMP/a" "$TMP/c"
	[ "$status" = 2 ] && [[ "${lines[0]}" == *"the dumps have several types of events"* ]] || false
	mp-svg-heatmap -e '*' "$TMP/a" "$TMP/c" > "$TMP/svg"
	[ "$(python3 $HEAT sum "$TMP/svg")" = 2 ]
	sed '2s/.*/1#x;y/' "$TMP/a" > "$TMP/bad"
	run --separate-stderr mp-svg-heatmap "$TMP/bad"
	[ "$status" = 1 ] && [[ "$stderr" == *":2: not a line of the horizontal axis"* ]] || false
	sed '1s/"level":0/"level":-9/' "$TMP/a" > "$TMP/bad"
	run mp-svg-heatmap "$TMP/bad"
	[ "$status" = 2 ] && [[ "$output" == *"not one of mp-grid(5)"* ]] || false
}

@test "hostile names give valid XML of at most 1 MiB without an element of theirs" {
	printf '%s\n' '1,a:b,comm=<script>alert(1)</script>' '2,a:b,comm="]]>' "3,a:b,comm=&amp;'\"<!--" '4,a:b,comm=\x1b[31m\t\\' \
		'5,a:b,comm=--></svg><svg onload=alert(1)>' '6,a:b,comm=' '7,a:b,comm=\\u003c/script\\u003e' > "$TMP/in"
	printf '8,a:b,comm=\377\300\257\355\240\200\n9,a:b,comm=\342\200\256abc\302\233\n10,a:b,comm=\360\237\230\200\357\277\276\n' >> "$TMP/in"
	sed -i 's/,a:b,/,a:b,cpu=0\t/' "$TMP/in"
	for o in "-y comm" "-x comm -y cpu" "-x comm -y comm" "-y cpu --panels comm" "-y cpu --hue comm"; do
		# shellcheck disable=SC2086
		mp-svg-heatmap $o --title '</title><script>x</script>]]>' -e '*' "$TMP/in" > "$TMP/svg"
		[ "$(python3 $HEAT sum "$TMP/svg")" = 10 ]
		[ "$(grep -c '<script' "$TMP/svg")" = 1 ] && [ "$(grep -c ']]>' "$TMP/svg")" = 1 ] && [ "$(grep -c '</svg' "$TMP/svg")" = 1 ] || false
		! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$TMP/svg" || false
		iconv -f UTF-8 -t UTF-8 "$TMP/svg" > /dev/null
		rsvg-convert "$TMP/svg" > "$TMP/png" && [ -s "$TMP/png" ]
		# shellcheck disable=SC2086
		[[ "$o" == *--* ]] || ! mp-svg-heatmap $o --ascii "$TMP/in" | LC_ALL=C grep -q $'[\001-\010\013-\037\177]' || false
	done
	awk 'BEGIN { srand(1); for (i = 0; i < 200000; i++) printf "%d,a:b,dur=%d\n", rand() * 1e12, exp(rand() * 20) }' > "$TMP/in"
	for o in "" --log; do
		# shellcheck disable=SC2086
		[ "$(mp-svg-heatmap $o "$TMP/in" | wc -c)" -lt 1048576 ]
	done
}

@test "the picture refers to no other file and not to the network" {
	spans 8 100 | mp-svg-heatmap > "$TMP/svg"
	[ "$(grep -oE '(https?:)?//[a-z][^ "]*' "$TMP/svg" | sort -u)" = "http://www.w3.org/2000/svg" ] ||
		{ grep -oE '(https?:)?//[a-z][^ ]*' "$TMP/svg" | sort -u; false; }
	! grep -qE 'href|url\(|@import|<image|<foreignObject' "$TMP/svg" || false
}

@test "a loss of events of a type that -e excludes is not in the picture" {
	{
		echo '{"mp":1,"datatype":"event"}'
		printf '%s\n' '1000,a:b,dur=5' '{"lost":5,"time":1500,"type":"other:type"}' '2000,a:b,dur=6'
		echo '{"lost":8,"from":2000,"time":2500,"type":"a:b"}'
		printf '%s\n' '3000,a:b,dur=7' '{"end":"event","records":3,"lost":13}'
	} > "$TMP/in"
	run --separate-stderr mp-svg-heatmap --ascii -e a:b "$TMP/in"
	[ "$status" = 1 ] && [ "$stderr" = "mp-svg-heatmap: input reports 8 lost events" ] || false
	[ "${lines[-1]}" = "8 events were lost when this was recorded, in the marked columns" ]
	run --separate-stderr mp-svg-heatmap --ascii "$TMP/in"
	[ "${lines[-1]}" = "13 events were lost when this was recorded, in the marked columns" ]
}

@test "memory does not grow with the input and stays below 32 MiB" {
	case "$BUILD" in *san-*) skip "sanitizers take memory of their own" ;; esac
	awk 'BEGIN { srand(1); for (i = 0; i < 600000; i++) printf "%.0f,a:b,comm=%d\tdur=%.0f\n", rand() * 1e18, rand() * 1e9, exp(rand() * 40) }' > "$TMP/in"
	for o in "" "-y comm" "-x comm -y comm" "-x dur -y dur --percentiles 1,50,99" "-y comm --weight dur"; do
		# shellcheck disable=SC2086
		/usr/bin/time -o "$TMP/time" -f %M mp-svg-heatmap $o "$TMP/in" > /dev/null
		[ "$(tail -n 1 "$TMP/time")" -lt 32768 ] || { echo "$o: $(cat "$TMP/time") KiB"; false; }
	done
}

@test "percentiles of columns are within 1 % of those of the values" {
	awk 'BEGIN { srand(9); for (i = 0; i < 50000; i++) printf "%d,%d,p\n", i % 2, exp(rand() * 12 + 3) }' > "$TMP/in"
	mp-svg-heatmap --log --overflow 0 --columns 2 --percentiles 50,99 "$TMP/in" > "$TMP/svg"
	python3 - "$TMP/svg" "$TMP/in" <<- 'END'
		import sys, math, re
		sys.path.insert(0, 'tests/svg')
		sys.argv, files = ['heat.py', 'sum', sys.argv[1]], sys.argv[1:]
		import heat
		_, data, _ = heat.load(files[0])
		px, edge = data['y']['px'], [float(e) for e in data['y']['edge']]
		paths = re.findall(r'class="pct" d="M[\d.]+ ([\d.]+)H[\d.]+V?([\d.]+)?', open(files[0]).read())
		assert len(paths) == 2
		for share, path in zip((0.5, 0.99), paths):
		    for column in (0, 1):
		        v = sorted(float(l.split(',')[1]) for l in open(files[1]) if l.startswith(f'{column},'))
		        want = v[math.ceil(share * len(v)) - 1]
		        at = (px[0] - float(path[column])) / (px[0] - px[-1])
		        got = math.exp(math.log(edge[0]) + at * (math.log(edge[-1]) - math.log(edge[0])))
		        assert abs(got / want - 1) < 0.015, (share, column, got, want)
	END
}

@test "--ascii writes plain ASCII to a file, colours on request, and totals in the legend" {
	spans 2 3000 > "$TMP/in"
	mp-svg-heatmap --ascii --log "$TMP/in" > "$TMP/out"
	! LC_ALL=C grep -q '[^ -~]' "$TMP/out" || false
	[ "$(wc -L < "$TMP/out")" -le 80 ] && [ "$(wc -l < "$TMP/out")" -le 24 ] || false
	TERM=xterm-256color mp-svg-heatmap --ascii --log "$TMP/in" | cmp - "$TMP/out"
	TERM=xterm-256color mp-svg-heatmap --ascii --ansi always "$TMP/in" | grep -q $'\033\[48;5;'
	TERM=xterm COLORTERM=truecolor mp-svg-heatmap --ascii --ansi always "$TMP/in" | grep -q $'\033\[48;2;'
	TERM=xterm-256color script -qc "mp-svg-heatmap --ascii '$TMP/in'" /dev/null | grep -q $'\033\[48;5;'
	! TERM=dumb script -qc "mp-svg-heatmap --ascii '$TMP/in'" /dev/null | grep -q $'\033\[48' || false
	! TERM=xterm-256color script -qc "mp-svg-heatmap --ascii --ansi never '$TMP/in'" /dev/null | grep -q $'\033\[48' || false
}

@test "--sort weight puts the heaviest row of names first, in the same cells" {
	awk 'BEGIN { for (i = 0; i < 600; i++) printf "%d,a:b,comm=%s\n", i, i % 6 == 0 ? "light" : i % 2 ? "heavy" : "a middle one" }' > "$TMP/in"
	names() { grep -o '"names":[[][^]]*[]]' "$1"; }
	mp-svg-heatmap -y comm "$TMP/in" > "$TMP/1.svg"
	[ "$(names "$TMP/1.svg")" = '"names":["a middle one","heavy","light"]' ]
	mp-svg-heatmap -y comm --sort weight "$TMP/in" > "$TMP/2.svg"
	[ "$(names "$TMP/2.svg")" = '"names":["heavy","a middle one","light"]' ]
	exact "$TMP/in" 600 time comm -y comm --sort weight
	[ "$(mp-svg-heatmap -y comm --sort weight --ascii "$TMP/in" | grep -o '[a-z ]*[a-z] |' | tr -d ' |' | tr '\n' ' ')" = "heavy amiddleone light " ]
	mp-svg-heatmap -y comm --sort weight --rows 1 "$TMP/in" | grep -q '"names":[[]"heavy"[]]'
}

@test "the picture says when --log would show more, and where values have no logarithm" {
	awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%d,a:b,dur=%d\n", i, exp(i % 100 / 9) }' > "$TMP/in"
	mp-svg-heatmap "$TMP/in" | grep -q '>dur spans 4 decades: --log shows small values as well<'
	mp-svg-heatmap --ascii "$TMP/in" | grep -q '^dur spans 4 decades'
	! mp-svg-heatmap --log "$TMP/in" | grep 'decades' || false
	awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%d,a:b,dur=%d\n", i, 100 + i % 900 }' | mp-svg-heatmap > "$TMP/svg"
	! grep 'decades' "$TMP/svg" || false
	awk 'BEGIN { for (i = 0; i < 500; i++) printf "%d,%d,p\n", i, i - 20 }' > "$TMP/in"
	mp-svg-heatmap --log "$TMP/in" | grep -q '>y of 0 and below, which have no logarithm, are in the bottom row<'
	! mp-svg-heatmap "$TMP/in" | grep 'logarithm' || false
	printf '1,a:b,comm=x\t.n=5\n2,a:b,comm=x\t.n=-5\n' > "$TMP/in"
	run --separate-stderr mp-svg-heatmap -y comm --weight .n --ascii "$TMP/in"
	[ "$status" = 1 ] && [ "${lines[-1]}" = "1 record without a number, or with a negative weight, was omitted" ] || { echo "$output"; false; }
}

@test "titles name the measure and the things" {
	title() { mp-svg-heatmap "$@" --ascii | head -n 1; }
	printf '5,block:block_rq_issue=>block:block_rq_complete,comm=x\tcpu=1\t.bytes=9\tdur=3\n' > "$TMP/in"
	[ "$(title "$TMP/in")" = "Latency of block requests over time" ]
	[ "$(title -y .bytes "$TMP/in")" = ".bytes of block requests over time" ]
	[ "$(title -y comm "$TMP/in")" = "Number of block requests by comm over time" ]
	[ "$(title -y comm --weight dur "$TMP/in")" = "Time of block requests by comm over time" ]
	[ "$(title -x cpu "$TMP/in")" = "Latency of block requests by cpu" ]
	[ "$(title --subsecond "$TMP/in")" = "Number of block requests, second by second" ]
	[ "$(sed 's/block:.*complete/sched:span/' "$TMP/in" | title)" = "Duration of sched:span over time" ]
	[ "$(sed 's/block:.*complete/syscalls:sys_read/' "$TMP/in" | title)" = "Latency of read system calls over time" ]
	[ "$(echo 1,2,x | title)" = "y by x" ]
	[ "$(echo 1,2,x | title -y info)" = "Number of points by info and x" ]
}

# Checks panels or hues of FILE by comm: their names and sums against awk, their cells against the reference.
divided() {	# FILE X Y TOP OPTION...
	local top
	mp-svg-heatmap "${@:5}" --top "$4" "$1" > "$TMP/svg"
	run python3 $HEAT groups "$TMP/svg" "$2" "$3" comm < "$1"
	[ "${lines[2]}" = "0 cells differ, 0 are drawn wrong" ] || { echo "${*:2}: $output"; false; }
	paste -d ' ' <(tr ' ' '\n' <<< "${lines[0]}") <(tr ' ' '\n' <<< "${lines[1]}") | sort > "$TMP/got"
	awk -F '\t' '{ sub("comm=", "", $2); n[$2]++ } END { for (c in n) print n[c], c }' "$1" | sort -k1,1nr -k2,2 > "$TMP/all"
	awk -v top="$4" 'NR <= top { print $2, $1 } NR > top { rest += $1 } END { if (rest) print "other", rest }' "$TMP/all" | sort | diff - "$TMP/got"
}

@test "panels and hues have the records of their values, share axes, and the rest is 'other'" {
	# task-0 has most records, task-11 fewest
	awk 'BEGIN { srand(11); for (i = 0; i < 8000; i++)
		printf "%.0f,disk:done,cpu=%d\tcomm=task-%d\t.n=%d\tdur=%d\n", i * 500000, int(rand() * 5), int(12 * rand() ^ 2), i % 9, exp(rand() * 9 + 5) }' > "$TMP/in"
	local o
	for o in --panels --hue; do
		divided "$TMP/in" time dur 5 --log $o comm
		divided "$TMP/in" time cpu 24 -y cpu $o comm
		divided "$TMP/in" cpu .n 1 -x cpu -y .n --category .n $o comm
	done
	# panels are in the order of their names, or of their sums, as hues are
	mp-svg-heatmap --panels comm "$TMP/in" > "$TMP/svg"
	run python3 $HEAT groups "$TMP/svg" time dur comm < "$TMP/in"
	[ "${lines[0]}" = "task-0 task-1 task-2 task-3 task-4 task-5 task-6 task-7 task-8 task-9 task-10 task-11" ]
	sed 's/task-11/zz/; s/task-0/task-11/; s/zz/task-0/' "$TMP/in" | mp-svg-heatmap --panels comm --sort weight --top 1 | grep -q '"names":\["task-11",null\]'
}

@test "the percentiles of a panel are those of its records" {
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "%d,a:b,comm=%s\tdur=%d\n", i * 1000, i % 2 ? "slow" : "fast", (i % 2 ? 1000000 : 1000) + i % 100 }' > "$TMP/in"
	mp-svg-heatmap --log --columns 1 --panels comm --percentiles 50 "$TMP/in" > "$TMP/svg"
	# the line of the second panel, in its coordinates, is far above that of the first one
	grep -o '<path class="pct" d="M[0-9.]* [0-9.]*' "$TMP/svg" | awk '{ y[NR] = $4 } END { exit !(NR == 2 && y[1] > y[2] + 60) }'
}

@test "of more values than have a plane, the lighter ones are in 'other', no record is lost, and memory is limited" {
	awk 'BEGIN { for (i = 0; i < 40000; i++) printf "%.0f,a:b,comm=%s\tdur=%d\n", i * 1000, i % 2 ? "heavy-" i % 3 : "k" i, 10 ^ (i % 9) }' > "$TMP/in"
	for o in --panels --hue; do
		run --separate-stderr mp-svg-heatmap --log $o comm "$TMP/in"
		[ "$status" = 1 ]
		[[ "$stderr" == *"more than 48 values of 'comm': "*" of the lighter ones were merged into 'other' while reading"* ]]
		echo "$output" > "$TMP/svg"
		run python3 $HEAT groups "$TMP/svg" time dur comm < "$TMP/in"
		awk '{ for (i = 1; i <= NF; i++) s += $i } END { exit s != 40000 }' <<< "${lines[1]}"
		[[ " ${lines[0]} " == *" heavy-0 "* && " ${lines[0]} " == *" heavy-1 "* && " ${lines[0]} " == *" heavy-2 "* ]]
		/usr/bin/time -f %M -o "$TMP/kib" mp-svg-heatmap --log $o comm "$TMP/in" > "$TMP/svg" 2> /dev/null || true
		case "$BUILD" in *san-*) continue ;; esac # sanitizers take memory of their own
		[ "$(tail -n 1 "$TMP/kib")" -lt 98304 ] || { cat "$TMP/kib"; false; }
	done
}

@test "a comparison says where its sides differ in length and losses, and nothing where they do not" {
	for n in 1000 2000; do
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) printf "%.0f,a:b,comm=c%d\tdur=5\n", 1e9 + i * 1e6, i % 3
			print "{\"lost\":" n / 100 ",\"time\":1500000000,\"cpu\":0}" }' > "$TMP/$n"
	done
	mp-svg-heatmap --diff -x comm "$TMP/1000" "$TMP/2000" > "$TMP/svg" 2> "$TMP/err" || [ $? = 1 ]
	grep -q '>the sides are of different length: 999 ms before, 2 s after (shares are not rates)<' "$TMP/svg"
	grep -q '>lost events: 10 before, 20 after<' "$TMP/svg"
	mp-svg-heatmap --diff -x comm "$TMP/1000" "$TMP/1000" > "$TMP/svg" 2> "$TMP/err" || [ $? = 1 ]
	! grep -qE 'different length|lost events:' "$TMP/svg" || false
}

@test "--ascii fits terminals from 40 by 12 to 200 by 50, with outliers, notes and long titles" {
	awk 'BEGIN { srand(4); for (i = 0; i < 3000; i++) {
		printf "%.0f,a:b,comm=a long name of a task %d\tcpu=%d\tdur=%d\t.size=%d\n", i * 1e6, i % 40, i % 30,
			i == 7 ? 4e9 : 1000 + rand() * 1e5, i == 9 ? 4e9 : i == 8 ? -4e9 : 1000 + rand() * 1e5
		if (i == 2000) print "{\"lost\":40,\"from\":1500000000,\"time\":1600000000,\"cpu\":1}" } }' > "$TMP/in"
	for size in 40x12 80x24 133x30 200x50; do
		for o in "" --log "-x .size" "-x comm -y cpu" "-y comm" "-x .size -y comm" "--percentiles 50 -x .size --log"; do
			script -qc "stty cols ${size%x*} rows ${size#*x}; mp-svg-heatmap $o --ascii --ansi never '$TMP/in' 2> /dev/null" /dev/null |
				tr -d '\r' > "$TMP/out"
			[ "$(wc -L < "$TMP/out")" -le "${size%x*}" ] || { echo "$size $o: $(wc -L < "$TMP/out") wide"; cat "$TMP/out"; false; }
			[ "$size" = 40x12 ] || [ "$(wc -l < "$TMP/out")" -lt "${size#*x}" ] || { echo "$size $o: $(wc -l < "$TMP/out") high"; cat "$TMP/out"; false; }
		done
	done
}

@test "maps of two sides have the cells that panels of the merged recording have" {
	awk 'BEGIN { print "{\"mp\":1,\"datatype\":\"event\",\"clock_ns\":1000000000}"; srand(3); for (i = 0; i < 900; i++) printf "%.0f,a:b,comm=c%d\tdur=%d\n", 1e9 + i * 1e6, i % 5, exp(15 * rand()) }' > "$TMP/old"
	awk 'BEGIN { print "{\"mp\":1,\"datatype\":\"event\",\"clock_ns\":7000000000}"; srand(4); for (i = 0; i < 700; i++) printf "%.0f,a:b,comm=c%d\tdur=%d\n", 7e9 + i * 1e6, i % 5, exp(13 * rand()) }' > "$TMP/new"
	{
		sed '1!s/$/\tside=before/' "$TMP/old"
		sed '1d; s/^7/1/; s/$/\tside=after/' "$TMP/new"
	} > "$TMP/both"
	for file in old new both; do
		echo '{"end":"event","records":0,"lost":0}' | sed "s/s\":0/s\":$(grep -c '^[0-9]' "$TMP/$file")/" >> "$TMP/$file"
	done
	for options in --log '-y comm -x dur --log-x' '-y comm --weight dur'; do
		mp-svg-heatmap $options --sort weight --sides "$TMP/old" "$TMP/new" > "$TMP/sides.svg"
		mp-svg-heatmap $options --panels side --sort weight "$TMP/both" > "$TMP/panels.svg"
		for what in sides panels; do grep -aoE '"(cells|edge)":\[[^]]*\]|"cells":"[^"]*"' "$TMP/$what.svg" > "$TMP/$what"; done
		grep -q cells "$TMP/sides" && cmp "$TMP/sides" "$TMP/panels" || { echo "$options"; false; }
	done
	sed 's/<[^>]*>/\n/g' "$TMP/sides.svg" | grep -qx 'the sides are of different length: 899 ms before, 699 ms after'
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' > "$TMP/none"
	mp-svg-heatmap --sides "$TMP/none" "$TMP/new" > "$TMP/empty.svg"
	sed 's/<[^>]*>/\n/g' "$TMP/empty.svg" | grep -qx 'count 0'
	for words in --diff '--panels comm' --dump; do
		run mp-svg-heatmap --sides $words "$TMP/old" "$TMP/new"
		[ "$status" = 2 ] && [[ "${lines[0]}" == "mp-svg-heatmap: --"*"cannot be combined with"* ]] || { echo "$output"; false; }
	done
}
