#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-stackplot: its pictures compared with tests/tools/stackplot.py, and in a browser.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
load svg/check

# agrees OPTIONS(JSON) INPUT SVG: prints the layers from the bottom
agrees() { tests/tools/stackplot.py "$@"; }

events() {	# N SEED: events of a few commands, with times and sizes
	awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed); t = 71e12
		for (i = 0; i < n; i++) {
			t += int(rand() * 2e6)
			printf "%.0f,kmem:kmalloc,pid=%d\tcomm=c%d\t.bytes=%d\n", t, rand() * 5, rand() * rand() * 30, rand() * 5000
		} }'
}

points() {	# N SEED: samples of sizes, in rounds that last some time; some labels begin late or end early
	awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed)
		for (i = 0; i < n; i++) for (k = 0; k < 17; k++) {
			if (k % 5 == 4 && (i < n / 3 || i > n / 2)) continue
			printf "%.6f,%d.5,label %d\n", i * 0.75 + k * 0.01, rand() * 1e4 / (k + 1), k
		} }'
}

# Runs PROBE (JavaScript that returns a value) in each SVG in a browser, and prints a line of JSON for each.
browse() {	# PROBE SVG...
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
	python3 - "$TMP" "$@" <<-'EOF'
		import re, sys
		folder, probe, files = sys.argv[1], sys.argv[2], sys.argv[3:]
		first = "<script>var E=[];window.onerror=function(m){E.push(m)};window.alert=function(m){E.push('alert '+m)}</script>"
		last = ("<script><![CDATA[var R;try{R=(function(){%s})()}catch(e){E.push(String(e))}"
		        "parent.postMessage({i:%d,said:{errors:E,result:R}},'*')]]></script>")
		page = "<body><script>var A=[];onmessage=function(e){A[e.data.i]=JSON.stringify(e.data.said)}</script>"
		for i, name in enumerate(files):
		    text = open(name, encoding="utf-8").read()
		    text = re.sub(r"(<svg [^>]*>)", lambda m: m.group(1) + first, text, count=1)
		    with open("%s/probe%d.svg" % (folder, i), "w", encoding="utf-8") as out:
		        out.write(text.replace("</svg>", last % (probe, i) + "</svg>"))
		    page += "<iframe width=1280 height=1400 src=probe%d.svg></iframe>" % i
		open(folder + "/probe.html", "w").write(page)
	EOF
	page_value 1400x720 "file://$TMP/probe.html" "A.filter(Boolean).length == $(($# - 1)) && A.join('\\n')"
}

# Compares each visible text with each other.
overlaps='var t=[],n=0;document.querySelectorAll("text").forEach(function(e){var b=e.getBoundingClientRect(),
	p=e;while(p&&p.getAttribute){if(p.getAttribute("visibility")==="hidden")return;p=p.parentNode}
	if(b.width)t.push([b,e.textContent])});
	var bad=[];for(var i=0;i<t.length;i++)for(var k=0;k<i;k++){var a=t[i][0],b=t[k][0];
	if(a.left<b.right&&b.left<a.right&&a.top+1<b.bottom-1&&b.top+1<a.bottom-1)bad.push(t[i][1]+" / "+t[k][1])}
	t.forEach(function(x){if(x[0].left<0||x[0].right>1270)bad.push("outside: "+x[1])});'

@test "counts and sums of events in each bin, and the top N of the whole, agree with python" {
	for n in 50 3000; do
		events $n $n > "$TMP/in"
		mp-stackplot "$TMP/in" > "$TMP/out.svg"
		agrees '{}' "$TMP/in" "$TMP/out.svg" > "$TMP/layers"
		[ "$(wc -l < "$TMP/layers")" = 11 ]
		mp-stackplot -y .bytes --by comm,pid --top 4 --bins 60 "$TMP/in" > "$TMP/out.svg"
		agrees '{"y":".bytes","by":["comm","pid"],"top":4,"bins":60}' "$TMP/in" "$TMP/out.svg" > /dev/null
		mp-stackplot -y .bytes --bin 150ms "$TMP/in" > "$TMP/out.svg"
		agrees '{"y":".bytes","width":"200000000"}' "$TMP/in" "$TMP/out.svg" > /dev/null
	done
}

@test "missing averages of points are carried or zero" {
	for n in 3 40 200; do
		points $n $n > "$TMP/in"
		mp-stackplot "$TMP/in" > "$TMP/out.svg"
		agrees '{"kind":"point","mean":true,"fill":"carry"}' "$TMP/in" "$TMP/out.svg" > /dev/null
		mp-stackplot --missing zero "$TMP/in" > "$TMP/out.svg"
		agrees '{"kind":"point","mean":true}' "$TMP/in" "$TMP/out.svg" > /dev/null
		mp-stackplot --sum "$TMP/in" > "$TMP/out.svg"
		agrees '{"kind":"point"}' "$TMP/in" "$TMP/out.svg" > /dev/null
	done
}

@test "--weight adds up a field as mp-fold does, and spreads dur over the time of a span" {
	events 500 4 > "$TMP/in"
	mp-stackplot --weight .bytes --by comm,pid "$TMP/in" > "$TMP/out.svg"
	agrees '{"y":".bytes","by":["comm","pid"]}' "$TMP/in" "$TMP/out.svg" > /dev/null
	mp-fold --weight .bytes --by comm "$TMP/in" | sort -k 2nr,2 | head -n 10 | awk '{ print $2 }' > "$TMP/want"
	mp-stackplot --weight .bytes --unit '' --top 10 "$TMP/in" | python3 -c '
import json, re, sys
text = sys.stdin.read()
values = json.loads(re.search(r"values:(\[.*?\])\};", text, re.S).group(1))
print(*sorted((round(sum(v)) for v in values[1:]), reverse=True), sep="\n")' | diff - "$TMP/want"
	# 2.5 s of x over three bins; 1 s of y in one
	printf '%s\n' '3500000000,s:run,comm=x\tdur=2500000000' '9000000000,s:run,comm=y\tdur=1000000000' |
		sed 's/\\t/\t/' > "$TMP/in"
	mp-stackplot --weight dur --bin 1s "$TMP/in" > "$TMP/out.svg"
	tr -d '\n' < "$TMP/out.svg" |
		grep -qF 'names:["x","y"],values:[[1e+09,1e+09,5e+08,0,0,0,0,0],[0,0,0,0,0,0,0,1e+09]]}' ||
		{ grep -A3 names: "$TMP/out.svg"; false; }
	mp-stackplot -y dur --bin 1s "$TMP/in" | tr -d '\n' | grep -qF '[[2.5e+09,0,0,0,0,0,0],[0,0,0,0,0,0,1e+09]]}'
}

@test "averages for each process are added up by label, for samples of memory by default" {
	awk 'BEGIN { for (i = 0; i < 50; i++) for (p = 1; p <= 6; p++)
		printf "%d,mem:rss,pid=%d\tcomm=%s\t.rss_bytes=%d\n", 5e6 + i * 1e6 + p, p, p % 2 ? "odd" : "even", p * 1000 }' > "$TMP/in"
	mp-stackplot -y .rss_bytes "$TMP/in" > "$TMP/out.svg"
	agrees '{"y":".rss_bytes","each":["pid"],"mean":true,"fill":"rounds","sampled":true}' "$TMP/in" "$TMP/out.svg" > "$TMP/layers"
	[ "$(tr '\n' ' ' < "$TMP/layers")" = "even odd " ]
	grep -q '>11.7 KiB  *57.1 %<' "$TMP/out.svg"	# 2, 4 and 6 of 21
	mp-stackplot -y .rss_bytes --each pid,comm --mean "$TMP/in" > "$TMP/out.svg"
	agrees '{"y":".rss_bytes","each":["pid","comm"],"mean":true,"fill":"rounds","sampled":true}' "$TMP/in" "$TMP/out.svg" > /dev/null
}

@test "the order of the input and the number of its files do not matter" {
	points 100 1 > "$TMP/in"
	mp-stackplot "$TMP/in" > "$TMP/1"
	shuf --random-source=<(yes) "$TMP/in" | mp-stackplot > "$TMP/2"
	agrees '{"kind":"point","mean":true,"fill":"carry"}' "$TMP/in" "$TMP/2" > /dev/null
	events 2000 2 > "$TMP/in"
	mp-stackplot < "$TMP/in" > "$TMP/1"
	shuf --random-source=<(yes) "$TMP/in" | mp-stackplot | cmp - "$TMP/1"
	tac "$TMP/in" | mp-stackplot | cmp - "$TMP/1"
	split -n l/3 "$TMP/in" "$TMP/part."
	mp-stackplot "$TMP"/part.* | sed 's/"files":[[][^]]*[]]/"files":[]/' | cmp - "$TMP/1"
}

@test "the top N is that of the whole, so that no label comes and goes" {
	# others are the heaviest in each bin, but a and b over all
	awk 'BEGIN { for (i = 0; i < 200; i++) {
		printf "%d,5,a\n%d,4,b\n", i, i
		printf "%d,100,burst %d\n", i, i } }' > "$TMP/in"
	mp-stackplot --top 2 "$TMP/in" > "$TMP/out.svg"
	agrees '{"kind":"point","mean":true,"fill":"carry","top":2}' "$TMP/in" "$TMP/out.svg" > "$TMP/layers"
	[ "$(tr '\n' ';' < "$TMP/layers")" = "other: 200 labels;a;b;" ]
	python3 - "$TMP/out.svg" <<-'EOF'
		import json, re, sys
		v = json.loads(re.search(r"values:(\[.*?\])\};", open(sys.argv[1]).read(), re.S).group(1))
		sys.exit(v[1] != [5] * 200 or v[2] != [4] * 200)
	EOF
}

@test "labels beyond those kept are drawn in other and reported, and the sum stays the whole" {
	awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) {
		k = int(rand() * 2000); printf "%d,a:b,comm=%s\t.x=%d\n", i, i % 3 ? "light" k : "heavy" (k % 4), 1 + i % 7 } }' > "$TMP/in"
	run --separate-stderr mp-stackplot --labels 20 -y .x "$TMP/in"
	[ "$status" = 1 ] && [[ "$stderr" == *" labels beyond those kept while reading were added to other (see --labels)" ]] || false
	python3 - "$TMP/in" <<-'EOF' <(echo "$output")
		import json, re, sys
		text = open(sys.argv[2]).read()
		values = json.loads(re.search(r"values:(\[.*?\])\};", text, re.S).group(1))
		names = json.loads(re.search(r"names:(\[.*?\]),", text, re.S).group(1))
		want = {}
		for line in open(sys.argv[1]):
		    comm, x = re.search(r"comm=(\S+)\t\.x=(\d+)", line).groups()
		    want[comm] = want.get(comm, 0) + int(x)
		got = {n: sum(v) for n, v in zip(names, values)}
		assert sum(got.values()) == sum(want.values())
		for i in range(4):
		    assert got["heavy%d" % i] == want["heavy%d" % i], i
	EOF
	mp-stackplot --labels 4000 -y .x "$TMP/in" > "$TMP/out.svg"
	agrees '{"y":".x"}' "$TMP/in" "$TMP/out.svg" > /dev/null
}

@test "two million points of 300 labels need less than 32 MiB and make less than 1 MiB of SVG" {
	n=2000000
	case "$BUILD" in *san-*) n=100000 ;; esac
	awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) printf "%d,%d,process number %d\n", i * 7, i % 1000, (i * 7919) % 300 }' > "$TMP/in"
	/usr/bin/time -o "$TMP/time" -f '%M %e' mp-stackplot --top 100 "$TMP/in" > "$TMP/out.svg"
	cat "$TMP/time"
	case "$BUILD" in *san-*) ;; *) [ "$(cut -d ' ' -f 1 "$TMP/time")" -lt 32768 ] ;; esac
	mp-stackplot "$TMP/in" > "$TMP/out.svg"
	[ "$(stat -c %s "$TMP/out.svg")" -lt 1048576 ]
}

@test "with --percent each bin with a value is full" {
	points 100 5 > "$TMP/in"
	mp-stackplot --percent "$TMP/in" > "$TMP/out.svg"
	grep -q '>100 %<' "$TMP/out.svg"
	# the top edge is a straight line
	grep -o 'class="a l10"[^>]* d="[^"]*"' "$TMP/out.svg" | grep -q 'd="M100 496V66H960V496Z"'
}

@test "KiB become GiB, shares and times are scaled, and a unit of the header is shown" {
	{
		echo '{"mp":1,"datatype":"point","axes":["time","resident"],"units":{"x":"ns","y":"KiB"}}'
		for i in 1 2 3; do echo "${i}000000000,2500000,x"; done
		echo '{"end":"point","records":3,"lost":0}'
	} > "$TMP/in"
	mp-stackplot "$TMP/in" > "$TMP/out.svg"
	grep -q '>2.0 GiB<' "$TMP/out.svg" && grep -q '>2.38 GiB  100.0 %<' "$TMP/out.svg" && grep -q '>resident by info<' "$TMP/out.svg"
	sed 's/KiB/%/; s/2500000/40/' "$TMP/in" | mp-stackplot > "$TMP/out.svg"
	grep -q '>40 %<' "$TMP/out.svg"
	sed 's/KiB/pages/' "$TMP/in" | mp-stackplot > "$TMP/out.svg"
	grep -q 'pages  100.0 %<' "$TMP/out.svg"
	mp-stackplot --unit '<apples>' "$TMP/in" | grep -q '&lt;apples&gt;  100.0 %<'
}

@test "a label has the same colour in every picture, and other has a colour of its own" {
	colour() { grep -o "^[.]l$2{fill:#[0-9a-f]*}" "$1" | head -n 1 | grep -o '#[0-9a-f]*'; }
	printf '1,5,nginx\n2,5,nginx\n' > "$TMP/in"
	mp-stackplot "$TMP/in" > "$TMP/1"
	printf '1,9,a\n1,5,nginx\n2,5,nginx\n1,1,z\n1,1,y\n' | mp-stackplot --top 2 > "$TMP/2"
	[ "$(colour "$TMP/1" 0)" = "$(colour "$TMP/2" "$(grep -o 'data-i="[0-9]"[^>]*><title>nginx' "$TMP/2" | grep -o '[0-9]' | head -n 1)")" ]
	[ "$(colour "$TMP/1" 0)" != "$(colour "$TMP/2" 0)" ]
}

@test "the interval of a loss is marked as in a heat map, unless -e excludes its type" {
	{
		echo '{"mp":1,"datatype":"event"}'
		for i in $(seq 10 19); do
			[ "$i" != 17 ] || echo '{"lost":8,"from":14000000000,"time":16500000000,"cpu":0,"type":"a:b"}'
			echo "${i}000000000,a:b,comm=x"
		done
		echo '{"lost":5,"time":19500000000,"cpu":0,"type":"other:type"}'
		echo '{"end":"event","records":10,"lost":13}'
	} > "$TMP/in"
	run --separate-stderr mp-stackplot -e a:b --bin 1s "$TMP/in"
	[ "$status" = 1 ] && [ "$stderr" = "mp-stackplot: input reports 8 lost events" ] || false
	echo "$output" > "$TMP/out.svg"
	# bins of 86 px from 100 on: from the fifth bin to the end of the seventh
	grep -q '<path class="lost" d="M444.00 66H702.00V496H444.00z"/>' "$TMP/out.svg"
	[ "$(grep -c '<path class="mark" .*<title>8 events lost</title>' "$TMP/out.svg")" = 1 ]
	[ "$(grep -c 'class="lost"' "$TMP/out.svg")" = 1 ]
	grep -q '; 8 events were lost, in the marked bins<' "$TMP/out.svg"
	mp-svg-heatmap -e a:b -y comm --columns 10 "$TMP/in" 2> "$TMP/err" > "$TMP/heat.svg" || true
	[ "$(grep -c '<path class="lost" ' "$TMP/heat.svg")" = 1 ]
	[ "$(grep -c '<path class="mark" .*<title>8 events lost</title>' "$TMP/heat.svg")" = 1 ]
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell for the rest"
	svg_check "$TMP/out.svg" hover:486,400 hover:146,400 > "$TMP/said" || { cat "$TMP/said"; false; }
	grep -q '^hover:486,400 => x, 1 .*, lost here or nearby: 8 / $' "$TMP/said" || { cat "$TMP/said"; false; }
	! grep '^hover:146,400' "$TMP/said" | grep lost || false
}

@test "values below 0, values that are not numbers, and points among events are reported" {
	printf '1,5,a\n2,-3,a\n3,5,b\n' > "$TMP/in"
	run --separate-stderr mp-stackplot --missing zero "$TMP/in"
	[ "$status" = 1 ] && [ "$stderr" = "mp-stackplot: 1 value of a bin below 0 is drawn as 0" ] || false
	printf '1,a:b,comm=x\t.n=2\n2,a:b,comm=x\n3,a:b,comm=x\t.n=two\n4,5,x\n' > "$TMP/in"
	run --separate-stderr mp-stackplot -y .n "$TMP/in"
	[ "$status" = 1 ]
	[[ "$stderr" == *":2: no field for y"*":3: y is not a number"*":4: a point among events"* ]]
}

@test "hostile names, no value, one, huge ones and many labels give well-formed pictures without scripts or overlaps" {
	i=0
	for name in '<script>alert(1)</script>' '"]]>' "'><img src=x onerror=alert(1)>" '&amp;' '\x1b[31m' '</script><script>alert(2)</script>' \
		$'\xff\xfe' 'a"b`c${alert(3)}' '-->' 'other' ''; do
		i=$((i + 1))
		printf '%d,%d,%s\n' $i $((100 - i)) "$name"
	done > "$TMP/in"
	mp-stackplot --title '"]]></title><script>alert(4)</script>' "$TMP/in" > "$TMP/out.svg"
	python3 -c 'import sys, xml.dom.minidom as m
d = m.parse(sys.argv[1]); assert len(d.getElementsByTagName("script")) == 1' "$TMP/out.svg"
	! grep -oE '(href|src|url\(|@import)[^ ]*|https?://[^" ]*' "$TMP/out.svg" | grep -v 'http://www.w3.org/2000/svg' | grep -v '^url(#' | grep -E 'href=|url\(|@import|http' || false
	cp "$TMP/out.svg" "$TMP/0.svg"
	printf '{"mp":1,"datatype":"point"}\n{"end":"point","records":0,"lost":0}\n' | mp-stackplot > "$TMP/1.svg"
	printf '5,7,x\n' | mp-stackplot > "$TMP/2.svg"
	awk 'BEGIN { for (i = 0; i < 500; i++) printf "%.0f,%.4e,big %d\n", i * 1e16, 1e19 * i, i % 3 }' | mp-stackplot > "$TMP/3.svg"
	awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d,%d,a long name of label number %d of many\n", i - 1500, i % 77, i % 300 }' |
		mp-stackplot --top 60 > "$TMP/4.svg"
	browse "$overlaps return bad" "$TMP"/[0-4].svg > "$TMP/said"
	for i in 1 2 3 4 5; do echo '{"errors":[],"result":[]}'; done | diff - "$TMP/said"
}

@test "in a browser hover and keys show label, value, share and bin, without errors or overlaps" {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
	points 200 7 | sed 's/label 3$/<script>alert(1)<\/script>"]]>/' > "$TMP/in"
	mp-stackplot "$TMP/in" > "$TMP/out.svg"
	svg_check "$TMP/out.svg" hover:514,450 hover:300,450 key:ArrowRight key:ArrowUp key:ArrowDown key:Escape > "$TMP/said" ||
		{ cat "$TMP/said"; false; }
	python3 - "$TMP/out.svg" "$TMP/said" <<-'EOF'
		import json, re, sys
		text, said = open(sys.argv[1]).read(), open(sys.argv[2]).read().splitlines()
		values = json.loads(re.search(r"values:(\[.*?\])\};", text, re.S).group(1))
		names = json.loads(re.search(r"names:(\[.*?\]),values", text, re.S).group(1))
		n, low, bin = (float(re.search(r"\b%s:([-0-9.]+)" % k, text).group(1)) for k in ("n", "low", "bin"))
		def sentence(x, y=None, k=None, i=None):
		    if k is None:
		        k = int((x - 100) / 860 * n)
		        depth, i, peak = 0, -1, max(map(sum, zip(*values))) * 1.04
		        while (496 - y) / 430 * peak > depth:
		            i += 1
		            depth += values[i][k]
		    v, total = values[i][k], sum(row[k] for row in values)
		    return names[i], v, "(%.1f %%)" % (100 * v / total), total, low + k * bin, low + (k + 1) * bin
		def check(line, want):
		    m = re.fullmatch(r"(\S+) => (.*), (\S+) (\(\S+ %\)), of (\S+), x (\S+) \u2013 (\S+) /", line.strip())
		    close = lambda a, b: abs(float(a) - b) <= 0.006 * abs(b) + 1e-9
		    assert m, line
		    got = m.groups()[1:]
		    assert got[0] == want[0] and got[2] == want[2], (line, want)
		    assert close(got[1], want[1]) and close(got[3], want[3]), (line, want)
		    assert close(got[4], want[4]) and close(got[5], want[5]), (line, want)
		check(said[0], sentence(514, 450))
		check(said[1], sentence(300, 450))
		k, i = int((300 - 100) / 860 * n) + 1, names.index(sentence(300, 450)[0])
		check(said[2], sentence(0, k=k, i=i))
		check(said[3], sentence(0, k=k, i=i + 1))
		check(said[4], sentence(0, k=k, i=i))
		assert said[5].strip() == "key:Escape => /"
	EOF
}

@test "samples in bins narrower than their interval make neither needles nor false peaks" {
	# rounds of 100 ms, a little late; a process of 100 MiB ends as one of 10 begins; another is seen once
	awk 'BEGIN { for (i = 0; i < 30; i++) { t = 5e9 + i * 100.2e6
		printf "%.0f,mem:rss,pid=1\tcomm=init\t.bytes=6000000\n", t
		if (i < 15) printf "%.0f,mem:rss,pid=2\tcomm=big\t.bytes=100000000\n", t
		else printf "%.0f,mem:rss,pid=3\tcomm=small\t.bytes=10000000\n", t
		if (i == 20) printf "%.0f,mem:rss,pid=4\tcomm=once\t.bytes=1000000\n", t } }' > "$TMP/in"
	mp-stackplot -y .bytes "$TMP/in" > "$TMP/out.svg"
	agrees '{"y":".bytes","each":["pid"],"mean":true,"fill":"rounds","sampled":true}' "$TMP/in" "$TMP/out.svg" > /dev/null
	python3 - "$TMP/out.svg" <<-'EOF'
		import json, re, sys
		text = open(sys.argv[1]).read()
		values = json.loads(re.search(r"values:(\[.*?\])\};", text, re.S).group(1))
		names = json.loads(re.search(r"names:(\[.*?\]),values", text, re.S).group(1))
		assert re.search(r"\bbin:100000000,", text), "bins of 100 ms"
		assert max(map(sum, zip(*values))) == 106e6, "no peak that no sample has"
		assert sum(v > 0 for v in values[names.index("once")]) == 1, "one interval"
		assert all(v == 6e6 for v in values[names.index("init")]), "no gap"
	EOF
	# --bin does not make them narrower
	mp-stackplot -y .bytes --bin 1ms "$TMP/in" | grep -qF 'bin:100000000,'
	# one round only
	head -n 2 "$TMP/in" | mp-stackplot -y .bytes | grep -qF 'values:['
}

@test "time on a CPU is drawn as the number of busy CPUs, other times as the number at once" {
	printf '%s\n' '3000000000,sched:span,comm=x\tdur=3000000000\tstate=run' '3000000000,sched:span,comm=y\tdur=1500000000\tstate=run' |
		sed 's/\\t/\t/g' > "$TMP/in"
	mp-stackplot --weight dur --bin 1s "$TMP/in" > "$TMP/out.svg"
	grep -q '>CPUs busy</text>' "$TMP/out.svg" && grep -q '>CPUs busy by comm</text>' "$TMP/out.svg" && grep -q '>2.0</text>' "$TMP/out.svg"
	grep -q '>3 s   66.7 %<' "$TMP/out.svg"	# the legend has the time
	sed 's/run$/wait/' "$TMP/in" | mp-stackplot --weight dur --bin 1s | grep -q '>number at once (dur per time)</text>'
	mp-stackplot -y dur --mean "$TMP/in" | grep -q '>dur</text>'
	mp-stackplot --bin 1s "$TMP/in" | grep -q '>events in 1 s</text>'
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell for the rest"
	svg_check "$TMP/out.svg" hover:950,480 > "$TMP/said" || { cat "$TMP/said"; false; }
	grep -q '^hover:950,480 => x, 1 CPUs (50.0 %), of 2 CPUs, 2000 – 3000 ms ' "$TMP/said" || { cat "$TMP/said"; false; }
}

@test "in a browser a drag gives the command that selects the range, with the file, and hovering tints no layer" {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
	events 3000 3 > "$TMP/some file"
	mp-stackplot -e 'kmem:*' --top 3 "$TMP/some file" > "$TMP/out.svg"
	svg_check "$TMP/out.svg" drag:300,300,600,300 key:Escape key:End key:S-ArrowLeft > "$TMP/said" || { cat "$TMP/said"; false; }
	cat "$TMP/said"
	command=$(sed -n '1s:.* selects it / ::p' "$TMP/said")
	[[ "$command" == "mp-select --from @71"*" --to @71"*" -e 'kmem:*' '$TMP/some file'" ]]
	said=$(sed -n '1s/.*s, \([0-9]*\); the command.*/\1/p' "$TMP/said")
	[ "$said" -gt 0 ] && [ "$(eval "$command" | grep -c '^[0-9]')" = "$said" ] || false
	sed -n 2p "$TMP/said" | grep -q '^key:Escape => /'
	sed -n 4p "$TMP/said" | grep -q '^key:S-ArrowLeft => selected: .*; the command below selects it / mp-select'
	points 50 1 | mp-stackplot > "$TMP/1.svg"
	svg_check "$TMP/1.svg" drag:300,300,600,300 | grep -q "selects it / mp-select -f 'x>=[0-9.]* && x<[0-9.]*'"
	mp-stackplot --weight .bytes < "$TMP/some file" > "$TMP/2.svg"
	svg_check "$TMP/2.svg" drag:300,300,600,300 | grep -q 'selects it / mp-select --from @[0-9]* --to @[0-9]*$'
	browse 'var a=document.querySelectorAll(".a"),h=document.getElementById("mp-hit"),b=a[0].getBoundingClientRect();
		var fills=function(){return [].map.call(a,function(e){var s=getComputedStyle(e);return s.fill+s.opacity}).join()};
		var before=fills();h.dispatchEvent(new PointerEvent("pointermove",{clientX:b.left+b.width/2,clientY:b.bottom-9}));
		return [fills()===before,getComputedStyle(document.querySelector(".outline")).visibility]' "$TMP/out.svg" > "$TMP/said"
	[ "$(cat "$TMP/said")" = '{"errors":[],"result":[true,"visible"]}' ] || { cat "$TMP/said"; false; }
}

@test "other is hatched, which no label is" {
	points 20 1 | mp-stackplot --top 3 > "$TMP/out.svg"
	[ "$(grep -c 'fill="url(#mp-other)" data-i="0"' "$TMP/out.svg")" = 1 ] && [ "$(grep -c 'url(#mp-other)' "$TMP/out.svg")" = 2 ] || false
	points 20 1 | mp-stackplot --top 20 > "$TMP/out.svg"
	! grep -q 'url(#mp-other)' "$TMP/out.svg" || false
}
