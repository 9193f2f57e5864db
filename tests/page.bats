#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-page: what its page shows, compared with the results of mp-select, mp-fold and mp-hist, in a browser.
# Takes more than a minute.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
load svg/check

needs_chromium() {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
}

# N events in 10 s with STACKS stacks, with a duration if the third argument is span; most of them are of few stacks.
recording() {	# N STACKS span|sample
	awk -v n="$1" -v stacks="$2" -v kind="$3" 'BEGIN { srand(7); range = n > 500000 ? 36 : 12
		split("nginx postgres java kworker/0:1 my\\x20\"task\"", comm, " ")
		for (i = 0; i < stacks; i++) {
			depth = 1 + int(rand() * 12); at = int(rand() * 4); s = "main"
			for (d = 0; d < depth; d++) { s = s ";f" at (at % 5 ? "" : "(int*)[]"); at = (at * 7 + int(rand() * rand() * 4)) % 300 }
			stack[i] = s (rand() < 0.3 ? ";do_syscall_64_[k];ksys_read_[k]" : "")
			task[i] = comm[1 + int(rand() * 5)]
		}
		print "{\"mp\":1,\"datatype\":\"event\",\"interface\":\"test\",\"clock\":\"monotonic\",\"clock_ns\":71000000000000,\"realtime_ns\":1763900000000000000}"
		for (i = 0; i < n; i++) {
			k = int(rand() ^ 2 * stacks); dur = kind == "span" ? sprintf("dur=%.0f\t", rand() < 0.01 ? 0 : exp(4 + rand() * range)) : ""
			printf "%.0f,a:b,pid=1\ttid=%d\tcomm=%s\t%sstack=%s\n", 71e12 + (i + rand()) * 1e10 / n, k % 3, task[k], dur, stack[k]
		}
		printf "{\"end\":\"event\",\"records\":%d,\"lost\":0}\n", n }'
}

# Compares N random choices in the page of a recording with the results of the commands that the page shows.
choices() {	# N RECORDING OPTION...
	local steps
	cd "$TMP"
	mp-page "${@:3}" "$2" > page.html
	mapfile -t steps < <("$OLDPWD/tests/tools/page-choices.py" steps page.html "$1")
	rm -f ANSWERS
	"$OLDPWD/tests/svg/page.py" "$TMP/chromium" "$TMP/page.html" "${steps[@]}" > said || { tail -n 5 said; return 1; }
	"$OLDPWD/tests/tools/page-choices.py" compare ANSWERS
}

@test "100 random choices of range, task and stack equal mp-select with mp-fold and mp-hist" {
	needs_chromium
	recording 30000 400 span > "$TMP/spans.mp"
	run choices 100 spans.mp
	[ "$status" = 0 ] && [[ "$output" == "100 choices, "* ]] || { echo "$output"; false; }
}

@test "choices in samples, by other fields and of other numbers, equal the commands" {
	needs_chromium
	recording 20000 300 sample > "$TMP/samples.mp"
	(run choices 20 samples.mp; [ "$status" = 0 ] || { echo "$output"; false; })
	recording 20000 300 span > "$TMP/spans.mp"
	for options in "--by comm,tid" "--no-comm -e a:b" "-w tid -e a:*,c" "--by type,tid"; do
		(run choices 12 spans.mp $options; [ "$status" = 0 ] || { echo "$options: $output"; false; })
	done
	# numbers below 0, events without a task, a duration or a stack
	awk 'BEGIN { srand(2); for (i = 0; i < 3000; i++) printf "%d,a:b,%s%sv=%d%s\n", 1e6 + i * 1000, i % 7 ? "comm=c" i % 3 "\t" : "", i % 5 ? "dur=" i "\t" : "",
		(rand() - 0.3) * exp(10 * rand()), i % 4 ? "\tstack=a;b" i % 6 : "" }' > "$TMP/odd.mp"
	for options in "" "-w v"; do
		(run choices 20 odd.mp $options; [ "$status" = 0 ] || { echo "$options: $output"; false; })
	done
}

@test "a range is marked in the strip, by the pointer and by keys, and compared with a second one" {
	needs_chromium
	recording 10000 50 span > "$TMP/in"
	mp-page "$TMP/in" > "$TMP/page.html"
	bins=$(grep -aoE '\bbins:[0-9]+' "$TMP/page.html" | cut -d : -f 2)
	[ "$bins" -ge 4096 ]
	run flame_check "$TMP/page.html" range:100,20,300,120 text:filters strip:ArrowRight strip:S-ArrowLeft strip:A-ArrowRight press:compare text:note \
		range:500,10,600,10 text:note key:x key:k key:u key:w press:undo task:1 text:filters key:Escape press:all range:50,5,51,5 key:a \
		strip:ArrowLeft over:200,30 filter:1
	[ "$status" = 0 ] || { echo "$output"; false; }
	echo "$output"
	[[ "${lines[0]}" =~ '#time='[0-9]+-[0-9]+' |' ]]
	[[ "${lines[1]}" == *"time: "*" ×" ]]
	[[ "${lines[5]}" == *"| | |"* && "${lines[6]}" == *"Mark the second range." ]]
	[[ "${lines[7]}" =~ '#time='[0-9]+-[0-9]+'&and='[0-9]+-[0-9]+' |' && "${lines[8]}" == "text:note =>" ]]
	time=$(sed 's/.*time=\([0-9-]*\)&.*/\1/' <<< "${lines[7]}") and=$(sed 's/.*and=\([0-9-]*\) .*/\1/' <<< "${lines[7]}")
	[[ "${lines[9]}" == *"#time=$and&and=$time |"* && "${lines[10]}" == *"#time=$and |"* && "${lines[11]}" == *"#time=$and&and=$time |"* ]]
	[[ "${lines[12]}" == *"&sums |"* && "${lines[13]}" != *"&sums"* && "${lines[14]}" == *"&of="* && "${lines[15]}" == *"task: "* ]]
	[[ "${lines[16]}" != *"&of="* && "${lines[17]}" == *"=> | | |"* && "${lines[18]}" == *"=> | | |"* && "${lines[20]}" == *"#time=0-$(((bins + 5) / 10)) |"* ]]
	[[ "${lines[21]}" == *" events" && "${lines[22]}" == *"=> | | |"* ]]
}

@test "the flame graph of two ranges is that of mp-flame --diff" {
	needs_chromium
	recording 30000 200 span > "$TMP/in.mp"
	cd "$TMP"
	mp-page in.mp > page.html
	run "$OLDPWD/tests/svg/page.py" "$TMP/chromium" "$TMP/page.html#time=100-900&and=2000-2600" text:commands answer:ANSWERS key:ArrowUp key:ArrowUp
	[ "$status" = 0 ] || { echo "$output"; false; }
	command=$(sed -n 's/^text:commands => \(mp-flame .*difference.html\) .*/\1/p' <<< "$output" | sed 's/ mp-select in.mp.*//; s/difference.html.*/difference.html/')
	bash -c "$command"
	run "$OLDPWD/tests/svg/page.py" "$TMP/chromium" "$TMP/difference.html" key:ArrowUp key:ArrowUp
	[ "$status" = 0 ] || { echo "$output"; false; }
	[ -n "${lines[1]}" ]
	echo "${lines[1]}"
	[[ "${lines[1]}" == *"before "*" % ("*"), after "*" % ("* ]]
	said=${lines[1]##*| *— }
	run "$OLDPWD/tests/svg/page.py" "$TMP/chromium" "$TMP/page.html#time=100-900&and=2000-2600" key:ArrowUp key:ArrowUp
	echo "${lines[1]} $said"
	[[ "${lines[1]}" == *"${said%:*}"* ]]
}

hostile_events() {
	awk 'BEGIN { n = split("<script>alert(1)</script>;</script><img src=x onerror=alert(1)>;\"]]>&amp;<b>;<!--;-->;it'\''s;\\x00\\x1b[2J;${x};%s|x;{TITLE};{SUBTITLE};__proto__;constructor;😀😀😀😀😀😀😀😀😀😀|operator<;a<b<;>>;toString;toString;[k]_[k];/^(/;focus=x&zoom=3#;;_[j]", s, "|")
		for (i = 0; i < 300; i++) printf "%d,b:</script>,comm=%s\tdur=%d\tstack=%s\n", i * 1e6, i % 2 ? "</script><b>" : "__proto__", i * i, s[i % n + 1] }'
}

@test "hostile names are inert, in light and dark, 400 px wide and on paper" {
	needs_chromium
	hostile_events > "$TMP/<script>&quot;'.mp"
	cd "$TMP"
	mp-page --title '{SUBTITLE}</title><script>alert(2)</script>' -e 'b:</*' "<script>&quot;'.mp" > page.html
	run "$OLDPWD/tests/svg/page.py" "$TMP/chromium" "$TMP/page.html" key:ArrowUp key:ArrowUp key:Enter answer:ANSWERS key:ArrowUp key:ArrowRight \
		key:Enter answer:ANSWERS key:u key:n key:N key:f key:o key:w search:s key:n key:Escape row:1 key:Escape press:by-total press:by-self \
		range:100,20,300,60 press:compare range:400,20,700,60 press:swap hover:30,-30 over:300,30 dark size:400,700 print light size:1000,700
	[ "$status" = 0 ] || { echo "$output"; false; }
	run "$OLDPWD/tests/tools/page-choices.py" compare ANSWERS
	[ "$status" = 0 ] || { echo "$output"; false; }
	for fragment in time=9-3 time=0-99999999 time=x and=1-2 of=99999 of=-1 search=%zz 'flop&=' colour=change table=x; do
		run "$OLDPWD/tests/svg/page.py" "$TMP/chromium" "$TMP/page.html#$fragment" text:note
		[ "$status" = 0 ] && [ "${lines[0]}" = "text:note =>" ] || { echo "$fragment: $output"; false; }
	done
}

@test "an empty page says what was not found, and one of a single event is whole" {
	needs_chromium
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' | mp-page > "$TMP/none.html"
	grep -q 'Nothing to show: the input has no events\.' "$TMP/none.html"
	printf '5,a:b,comm=x\n' > "$TMP/one"
	mp-page "$TMP/one" > "$TMP/one.html"
	run mp-page -e c:d "$TMP/one"
	[[ "$output" == *'Nothing to show: no event matches -e.'* ]]
	mp-page -e c:d "$TMP/one" > "$TMP/empty.html" 2> "$TMP/err" || true
	for page in none one empty; do
		run flame_check "$TMP/$page.html" dark size:400,700 print
		[ "$status" = 0 ] || { echo "$page: $output"; false; }
	done
	run flame_check "$TMP/one.html" strip:ArrowLeft text:bins text:tasks-rows range:10,10,90,20
	[ "$status" = 0 ] && [ "${lines[1]}" = "text:bins => 1 bin of 1 ns, to which marked ranges snap." ] && [ "${lines[2]}" = "text:tasks-rows => 1x" ] ||
		{ echo "$output"; false; }
}

@test "a browser without DecompressionStream, and damaged data, are reported" {
	needs_chromium
	recording 100 5 sample | mp-page > "$TMP/page.html"
	run tests/svg/page.py --without DecompressionStream "$TMP/chromium" "$TMP/page.html" note
	[[ "$status" = 0 && "$output" == *"this browser is too old to read it"* ]] || { echo "$output"; false; }
	sed 's/id="data">..../id="data">AAAA/' "$TMP/page.html" > "$TMP/damaged.html"
	run flame_check "$TMP/damaged.html" note
	[[ "$status" = 0 && "$output" == *"The data of this page is damaged."* ]] || { echo "$output"; false; }
}

@test "the order of events makes no difference, and many stacks make bins wider, to which ranges then snap" {
	recording 5000 100 span > "$TMP/in"
	mp-page "$TMP/in" > "$TMP/page.html"
	(head -n 1 "$TMP/in"; grep -v '^{' "$TMP/in" | shuf --random-source=<(yes); tail -n 1 "$TMP/in") > "$TMP/mixed"
	(cd "$TMP"; mv mixed in; mp-page "$TMP/in") | cmp - "$TMP/page.html"
	recording 1000000 20000 span > "$TMP/many"
	mp-page "$TMP/many" > "$TMP/page.html"
	[ "$(stat -c %s "$TMP/page.html")" -le $((8 << 20)) ]
	grep -q ',coarse:true,' "$TMP/page.html"
}

@test "each task has a row over time; a click there chooses the task, and the row has what mp-select finds" {
	needs_chromium
	recording 10000 50 span > "$TMP/in.mp"
	cd "$TMP"
	mp-page in.mp > page.html
	cd "$OLDPWD"
	# the first row is below the area, the axis and the lanes; a name is chosen again by a click on it
	run flame_check "$TMP/page.html" over:300,-70 text:tasks-rows answer:"$TMP/all" range:0,-70,0,-70 text:filters answer:"$TMP/one" over:300,-70 \
		range:0,-70,0,-70 text:filters range:200,-70,300,-60 text:filters
	[ "$status" = 0 ] || { echo "$output"; false; }
	echo "$output"
	task=$(sed 's/.*| \([^ ]*\) .*/\1/' <<< "${lines[0]}")
	[ "${lines[4]}" = "text:filters => task: $task ×" ]
	wanted=$(mp-select -f "comm==\"$task\"" "$TMP/in.mp" | grep -vc '^{')
	jq -e "[.stacks[][1]] | add == $wanted" "$TMP/one"
	[ "${lines[8]}" = "text:filters =>" ] && [[ "${lines[10]}" == "text:filters => time: "* ]]
}

# A page with a picture of each kind, in $TMP/page.html.
page_with_parts() {
	recording 3000 50 span > "$TMP/in.mp"
	cd "$TMP"
	mp-svg-heatmap --log in.mp > heat.svg
	mp-stackplot -e '*' --by comm --weight dur in.mp > areas.svg
	mp-timeline in.mp > timeline.html
	printf '<script>alert(1)</script> 5\n\033[31m\xff' > table
	mp-page --add heat.svg --add 'areas.svg=</script><b>A = B' --add timeline.html=Timeline --add table=Table in.mp > page.html
	cd "$OLDPWD"
}

@test "pictures and texts that are added are inert, and a range that is marked in one is marked in all" {
	needs_chromium
	page_with_parts
	run flame_check "$TMP/page.html" size:1200,900 text:contents part:1,200,200,400,300 "inside:2,document.querySelector('.range').getAttribute('visibility')" \
		'inside:3,location.hash' part:3,500,300,600,310 "inside:1,document.getElementById('mp-range').getAttribute('visibility')" \
		part:2,300,200,500,210 'inside:3,location.hash' key:a 'inside:3,location.hash' range:100,20,300,30 'inside:3,location.hash' \
		text:section-3 dark size:400,700 print
	[ "$status" = 0 ] || { echo "$output"; false; }
	echo "$output"
	[ "${lines[1]}" = "text:contents => heat.svg</script><b>A = BTimelineTable" ]
	[[ "${lines[2]}" =~ '#time='[0-9]+-[0-9]+' |' && "${lines[3]}" == *"=> visible" && "${lines[4]}" =~ '=> #a='[0-9]+'&b='[0-9]+$ ]]
	[[ "${lines[5]}" =~ '#time='[0-9]+-[0-9]+' |' && "${lines[5]#* => }" != "${lines[2]#* => }" && "${lines[6]}" == *"=> visible" ]]
	[[ "${lines[7]}" =~ '#time='[0-9]+-[0-9]+' |' && "${lines[8]}" =~ '=> #a='[0-9]+'&b='[0-9]+$ && "${lines[8]}" != "${lines[4]}" ]]
	[[ "${lines[10]}" == *"=>" && "${lines[12]}" =~ '=> #a='[0-9]+'&b='[0-9]+$ ]]
	[[ "${lines[13]}" == *"<script>alert(1)</script> 5"* ]]
}

@test "a page of a recording without events shows what is added; a file that is missing or too long is reported" {
	needs_chromium
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' > "$TMP/none"
	printf 'some text\n' > "$TMP/text"
	mp-page --add "$TMP/text=Text" "$TMP/none" > "$TMP/page.html"
	run flame_check "$TMP/page.html" text:section-0 dark size:400,700 print
	[ "$status" = 0 ] && [ "${lines[0]}" = "text:section-0 => Textsome text" ] || { echo "$output"; false; }
	run mp-page --add "$TMP/nothing" "$TMP/none"
	[ "$status" = 2 ] && [ "$output" = "mp-page: cannot open '$TMP/nothing': No such file or directory" ]
	truncate -s 8388608 "$TMP/long"
	mp-page --add "$TMP/long" "$TMP/none" > /dev/null
	truncate -s 8388609 "$TMP/long"
	run --separate-stderr mp-page --add "$TMP/long" "$TMP/none"
	[ "$status" = 1 ] && [ "$stderr" = "mp-page: '$TMP/long' has more than 8 MiB and is not on the page" ]
}

@test "a page of two recordings has them side by side, and a range is marked in the column where it was marked" {
	needs_chromium
	recording 3000 50 span > "$TMP/old.mp"
	recording 2000 40 span | sed 's/nginx/<b>nginx/' > "$TMP/new.mp"
	cd "$TMP"
	for side in old new; do
		mp-page "$side.mp" > "$side.html"
		mp-timeline "$side.mp" > "$side-time.html"
	done
	mp-flame -w dur --diff old.mp new.mp > change.html
	mp-page --only-parts --title 'old </title> new' --add change.html=change --add old.html='old page' --beside new.html='new page' \
		--add old-time.html='old time' --beside new-time.html='<i>new time' > page.html
	cd "$OLDPWD"
	run flame_check "$TMP/page.html" size:1200,900 text:contents part:4,200,200,400,300 'await:2,location.hash' 'inside:2,location.hash' \
		'inside:3,location.hash' 'inside:5,location.hash' "inside:1,document.dispatchEvent(new KeyboardEvent('keydown', { key: 'f' }))" 'inside:1,location.hash' \
		part:3,60,300,200,310 'await:5,location.hash' 'inside:5,location.hash' dark size:400,700 print
	[ "$status" = 0 ] || { echo "$output"; false; }
	echo "$output"
	[ "${lines[1]}" = "text:contents => changeold pagenew pageold time<i>new time" ]
	[[ "${lines[4]}" =~ '=> #time='[0-9]+-[0-9]+$ && "${lines[5]}" == *"=>" && "${lines[6]}" == *"=>" ]]
	# the state of a page that is a part of another one
	[[ "${lines[8]}" == *"=> #flip" && "${lines[11]}" =~ '=> #a='[0-9]+'&b='[0-9]+$ ]]
	# "=" in names of files
	cd "$TMP"
	echo one > a=b && echo two > c && mp-page --only-parts --add a=b=x=y --add a=b --add c=d=e > equals.html
	grep -o 'size:4,beside:false,title:"[^"]*"' equals.html | cut -d : -f 4 | cmp - <(printf '"%s"\n' x=y a=b d=e)
	run mp-page --only-parts --add 'd=e=f'
	[ "$status" = 2 ] && [ "$output" = "mp-page: cannot open 'd': No such file or directory" ]
	cd "$OLDPWD"
	for words in old.mp "-w dur" "-e a:b" "--unit s" --no-comm; do
		run mp-page --only-parts $words
		[ "$status" = 2 ] && [[ "${lines[0]}" == "mp-page: --only-parts cannot be combined with "* ]] || { echo "$output"; false; }
	done
}
