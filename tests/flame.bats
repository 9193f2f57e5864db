#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-flame: its sums compared with those of mp-fold, and its pages and pictures in a browser.
# Takes more than a minute.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
load svg/check

# N stacks, most of them different, of 5 to 45 frames.
many_stacks() {
	awk -v n="$1" 'BEGIN { srand(5)
		for (i = 0; i < n; i++) {
			depth = 5 + int(rand() * 40); at = int(rand() * 6)
			s = "comm" int(rand() * 5) ";main"
			for (d = 0; d < depth; d++) { s = s ";f" at; at = (at * 7 + int(rand() * rand() * 8)) % 4000 }
			print s (rand() < 0.3 ? ";do_syscall_64_[k];ksys_read_[k]" : ""), 1 + int(rand() * 100)
		} }'
}

# The weight of the stacks in which a name occurs.
weight_of() {	# NAME FILE
	awk -v name="$1" '{ w = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); for (i = 1; i <= n; i++) if (index(f[i], name)) { sum += w; break } }
		END { printf "%d", sum }' "$2"
}

needs_chromium() {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
}

@test "a page holds the stacks that mp-fold writes" {
	many_stacks 3000 > "$TMP/in"
	for options in "" --reverse --kernel "--user --merge-recursive" "--depth 7" "--focus f1* --ignore f21? --show-from f[37]"; do
		mp-flame $options "$TMP/in" > "$TMP/page.html"
		tests/tools/flame.py "$TMP/page.html" > "$TMP/got"
		mp-fold $options "$TMP/in" | python3 -c 'import sys; print(*sorted(tuple(l.rstrip("\n").rsplit(" ", 1)) for l in sys.stdin), sep="\n")' > "$TMP/wanted"
		python3 -c 'import sys; print(*sorted(tuple(l.rstrip("\n").rsplit(" ", 1)) for l in sys.stdin), sep="\n")' < "$TMP/got" | cmp - "$TMP/wanted"
	done
}

@test "the order of the input, and folding it first, make no difference" {
	many_stacks 2000 > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	shuf --random-source=<(yes) "$TMP/in" | mp-flame | cmp - "$TMP/page.html"
	mp-fold --annotate "$TMP/in" | mp-flame | cmp - "$TMP/page.html"
	awk -F ';' -v OFS=';' '{ w = $0; sub(/.* /, "", w); sub(/ [0-9]+$/, ""); c = $1; sub(/^[^;]*;/, ""); printf "%d,a:b,comm=%s\tperiod=%d\tstack=%s\n", NR, c, w, $0 }' \
		"$TMP/in" > "$TMP/events"
	diff <(mp-flame -w period "$TMP/events" | tests/tools/flame.py /dev/stdin) <(tests/tools/flame.py "$TMP/page.html")
	for form in --svg --text; do
		mp-flame $form "$TMP/in" > "$TMP/1"
		tac "$TMP/in" | mp-flame $form | cmp - "$TMP/1"
	done
}

@test "the modules of the script do what they say" {
	needs_chromium
	page_value 1000x700 "file://$PWD/tests/svg/modules.html" "document.getElementById('result').textContent" > "$TMP/result"
	grep -q '^END' "$TMP/result"
	run ! grep '^not ok' "$TMP/result"
	[ "$(grep -c '^ok' "$TMP/result")" -ge 75 ]
}

@test "search finds the weight that mp-fold gives for a name, in all and in a zoom" {
	needs_chromium
	many_stacks 3000 > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" search:ksys_read search:f12 'search:/^f(3|7)$/' key:ArrowUp key:ArrowUp key:Enter search:f12
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "${lines[0]}" == *" frames: $(weight_of ksys_read "$TMP/in"), "*" of all |"* ]] || { echo "$output"; false; }
	[[ "${lines[1]}" == *" frames: $(weight_of f12 "$TMP/in"), "*" of all |"* ]] || { echo "$output"; false; }
	sed 's/\bf[37]\b/&_/g' "$TMP/in" > "$TMP/marked"
	[[ "${lines[2]}" == *" frames: $(weight_of _ <(sed 's/sys_/sys/g; s/_\[k\]//g; s/do_//g; s/l_64/l64/g' "$TMP/marked")), "* ]] || { echo "$output"; false; }
	heaviest=$(sed -n 's/.*| \(comm[0-9]\) — .*/\1/p' <<< "${lines[4]}")
	grep "^$heaviest;" "$TMP/in" > "$TMP/part"
	[[ "${lines[6]}" == *" frames: $(weight_of f12 "$TMP/part"), "*" of what is shown |"* ]] || { echo "$output"; false; }
}

@test "every key and button of a page works, and the URL keeps the state" {
	needs_chromium
	printf '%s\n' 'a;b;c 50' 'a;b 10' 'a;d 25' 'e;c 15' > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" key:ArrowUp key:ArrowUp key:ArrowUp key:ArrowRight key:ArrowRight key:ArrowLeft key:ArrowDown \
		key:Enter key:ArrowUp key:Enter back key:Escape search:c key:n key:n key:N key:f key:ArrowDown press:flip key:Escape \
		search:/[/ search: click:500,-27 press:out hover:970,-27 hover:970,-45 hover:970,2
	[ "$status" = 0 ] || { echo "$output"; false; }
	sed -n 's/^[^ ]* => //p' <<< "$output" > "$TMP/said"
	diff - "$TMP/said" <<- 'END'
		| | all — 100, 100.00 % of all |
		| | a — 85, 85.00 % of all |
		| | b — 60, 60.00 % of all; itself 10, 10.00 % |
		| | d — 25, 25.00 % of all |
		| | d — 25, 25.00 % of all |
		| | b — 60, 60.00 % of all; itself 10, 10.00 % |
		| | a — 85, 85.00 % of all |
		#zoom=1 | | a — 85, 85.00 % of all |
		#zoom=1 | | b — 60, 60.00 % of all, 70.59 % of what is shown; itself 10, 10.00 % |
		#zoom=2 | | b — 60, 60.00 % of all; itself 10, 10.00 % |
		#zoom=1 | | b — 60, 60.00 % of all, 70.59 % of what is shown; itself 10, 10.00 % |
		| | b — 60, 60.00 % of all; itself 10, 10.00 % |
		#search=c | 2 frames: 65, 65.00 % of all | b — 60, 60.00 % of all; itself 10, 10.00 % |
		#search=c | 2 frames: 65, 65.00 % of all | c — 50, 50.00 % of all |
		#search=c | 2 frames: 65, 65.00 % of all | c — 15, 15.00 % of all |
		#search=c | 2 frames: 65, 65.00 % of all | c — 50, 50.00 % of all |
		#search=c&flip | 2 frames: 65, 65.00 % of all | c — 50, 50.00 % of all |
		#search=c&flip | 2 frames: 65, 65.00 % of all | c — 50, 50.00 % of all |
		#search=c | 2 frames: 65, 65.00 % of all | c — 50, 50.00 % of all |
		| | c — 50, 50.00 % of all |
		#search=/[/ | not a regular expression | c — 50, 50.00 % of all |
		| | c — 50, 50.00 % of all |
		#zoom=1 | | a — 85, 85.00 % of all |
		| | a — 85, 85.00 % of all |
		| | a — 85, 85.00 % of all | e 15, 15.00 % of all
		| | a — 85, 85.00 % of all | c 15, 15.00 % of all
		| | a — 85, 85.00 % of all |
	END
	run flame_check "$TMP/page.html#zoom=2&search=c&flip" hover:500,40 hover:500,60
	[[ "${lines[0]}" == *"#zoom=2&search=c&flip | 1 frame: 50, 83.33 % of what is shown | | b 60, "* ]] || { echo "$output"; false; }
	[[ "${lines[1]}" == *"| c 50, 50.00 % of all, 83.33 % of what is shown" ]] || { echo "$output"; false; }
	# what is not a state
	for fragment in zoom=99 zoom=-1 zoom=x search=%zz 'flop&=' table=x callers=x callees=99; do
		run flame_check "$TMP/page.html#$fragment" hover:2,-5
		[ "$status" = 0 ] && [[ "${lines[0]}" == *"| all 100, 100.00 % of all" ]] || { echo "$output"; false; }
	done
}

# NAME SELF TOTAL for each function of folded text.
sums_by_name() {
	awk '{ w = $NF; sub(/ [0-9]+$/, ""); gsub(/_\[k\]/, ""); n = split($0, f, ";"); self[f[n]] += w
		for (i = 1; i <= n; i++) if (seen[f[i]] != NR) { total[f[i]] += w; seen[f[i]] = NR } }
		END { for (name in total) print name, self[name] + 0, total[name] }' "$1"
}

# The first rows of the table as lines, and the same of sums_by_name by column 2 (self) or 3 (total).
of_row() { sed 's/.* => //; s,[^/]* / ,&\n,g; s, / ,,g' <<< "$1" | sed 's,^ *,,' | awk '{ print $3, $1, $2 }' | sort; }
heaviest() { sort -k"$1","$1"nr -k3,3nr "$2" | head -n 4 | sort; }

@test "the table has the sums of mp-fold, in all, of what matches and in a zoom" {
	needs_chromium
	many_stacks 3000 > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" press:table rows:4 press:by-total rows:4 search:f1 rows:4 row:2 rows:9 key:Escape key:ArrowUp key:ArrowUp \
		key:Enter rows:4 key:t rows:4
	[ "$status" = 0 ] || { echo "$output"; false; }
	sums_by_name "$TMP/in" > "$TMP/sums"
	diff <(of_row "${lines[1]}") <(heaviest 2 "$TMP/sums")
	diff <(of_row "${lines[3]}") <(heaviest 3 "$TMP/sums")
	[[ "${lines[2]}" == "press:by-total => #table=total |"* ]]
	diff <(of_row "${lines[5]}") <(grep '^f1' "$TMP/sums" > "$TMP/f1"; heaviest 3 "$TMP/f1")
	diff <(of_row "${lines[7]}") <(sort -k3,3nr "$TMP/f1" | sed -n 2p)	# its name is an expression for it alone
	heaviest=$(sed -n 's/.*| \(comm[0-9]\) — .*/\1/p' <<< "${lines[10]}")
	grep "^$heaviest;" "$TMP/in" > "$TMP/part"
	diff <(of_row "${lines[12]}") <(sums_by_name "$TMP/part" > "$TMP/sums"; heaviest 3 "$TMP/sums")
	[ "${lines[14]}" = "rows:4 =>" ]
}

@test "callers and callees of a function have the sums of mp-fold" {
	needs_chromium
	many_stacks 3000 > "$TMP/in"
	sed 's/_\[k\]//g' "$TMP/in" | mp-fold > "$TMP/folded"	# a name, not its mark, is what the table shows
	mp-flame "$TMP/folded" > "$TMP/page.html"
	run flame_check "$TMP/page.html" press:table press:by-total 'search:/^f49$/' key:n press:callers search: rows:4 key:ArrowUp key:Escape \
		'search:/^f49$/' key:n key:e search: rows:4 press:by-self rows:4 key:Escape rows:4
	[ "$status" = 0 ] || { echo "$output"; false; }
	awk -v OFS=';' '{ w = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); for (p = 1; p <= n && f[p] != "f49"; p++) ; if (p > n) next
		s = f[1]; for (i = 2; i <= p; i++) s = s ";" f[i]; print s " " w > callers
		s = f[p]; for (i = p + 1; i <= n; i++) s = s ";" f[i]; print s " " w > callees }' callers="$TMP/callers" callees="$TMP/callees" "$TMP/folded"
	[ "$(wc -l < "$TMP/callers")" -gt 20 ]
	# the other end is the leaf
	awk '{ w = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); s = f[n]; for (i = n - 1; i > 0; i--) s = s ";" f[i]; print s, w }' "$TMP/callers" > "$TMP/reversed"
	sums_by_name "$TMP/reversed" > "$TMP/sums"
	diff <(of_row "${lines[6]}") <(heaviest 3 "$TMP/sums")
	[[ "${lines[7]}" == *"| callers of f49 — $(weight_of f49x <(sed 's/;/x;/g; s/ /x /' "$TMP/callers")), "*" of all |" ]] || { echo "${lines[7]}"; false; }
	sums_by_name "$TMP/callees" > "$TMP/sums"
	diff <(of_row "${lines[13]}") <(heaviest 3 "$TMP/sums")
	diff <(of_row "${lines[15]}") <(heaviest 2 "$TMP/sums")
	sums_by_name "$TMP/folded" > "$TMP/sums"
	diff <(of_row "${lines[17]}") <(heaviest 2 "$TMP/sums")
}

@test "focus, ignore, show from and collapsed recursion have the sums of mp-fold" {
	needs_chromium
	many_stacks 3000 > "$TMP/in"
	mp-fold "$TMP/in" > "$TMP/folded"
	mp-flame "$TMP/folded" > "$TMP/page.html"
	run flame_check "$TMP/page.html" press:table press:by-total search:/^f1/ press:focus rows:4 'search:/^f21.$/' key:i rows:4 \
		'search:/^f[37]$/' press:from rows:4 filter:2 rows:4 key:u key:u key:u search:/^f0$/ press:collapse
	[ "$status" = 0 ] || { echo "$output"; false; }
	same() {	# LINE COLUMN OPTION...
		sums_by_name <(mp-fold "${@:3}" "$TMP/folded") > "$TMP/sums"
		diff <(of_row "${lines[$1]}") <(heaviest "$2" "$TMP/sums")
	}
	same 4 3 --focus 'f1*'
	same 7 3 --focus 'f1*' --ignore 'f21?'
	same 10 3 --focus 'f1*' --ignore 'f21?' --show-from 'f[37]'
	same 12 3 --focus 'f1*' --show-from 'f[37]'
	[[ "${lines[11]}" == "filter:2 => #focus=/^f1/&from=/^f[37]$/&table=total |"* ]]
	[[ "${lines[15]}" == "key:u => #focus=/^f1/&search=/^f21.$/&table=total | "*" of what is shown |"* ]] || { echo "${lines[15]}"; false; }
	frames() {	# the number of nodes of a tree with the name f0
		awk '{ sub(/ [0-9]+$/, ""); n = split($0, f, ";"); p = ""; for (i = 1; i <= n; i++) { p = p ";" f[i]; if (f[i] == "f0") seen[p] } }
			END { for (p in seen) k++; print k }'
	}
	all=$(mp-fold --focus 'f1*' "$TMP/folded" | frames) collapsed=$(mp-fold --focus 'f1*' --merge-recursive "$TMP/folded" | frames)
	[ "$all" != "$collapsed" ]
	[[ "${lines[16]}" == *"| $all frames: "* && "${lines[17]}" == *"| $collapsed frames: "* ]] || { echo "${lines[16]} ${lines[17]} $all $collapsed"; false; }
}

@test "a page filters by the selected frame as well, and says if nothing is left" {
	needs_chromium
	printf '%s\n' 'a;b;c 50' 'a;b+;c 10' 'a;d 25' 'e;c 15' > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" key:F key:ArrowUp key:ArrowUp key:i key:u search:b+ key:n key:F 'search:/(/' press:ignore search: \
		search:b press:ignore note key:ArrowUp key:u note filter:1 note
	[ "$status" = 0 ] || { echo "$output"; false; }
	sed -n 's/^[^ ]* => //p' <<< "$output" > "$TMP/said"
	diff - "$TMP/said" <<- 'END'
		| | |
		| | all — 100, 100.00 % of all |
		| | a — 85, 85.00 % of all |
		#ignore=/^a$/ | | |
		| | |
		#search=b+ | 1 frame: 10, 10.00 % of all | |
		#search=b+ | 1 frame: 10, 10.00 % of all | b+ — 10, 10.00 % of all |
		#focus=b+ | | |
		#focus=b+&search=/(/ | not a regular expression | |
		#focus=b+&search=/(/ | not a regular expression | |
		#focus=b+ | | |
		#focus=b+&search=b | 1 frame: 10, 100.00 % of what is shown | |
		#focus=b+&ignore=b | | |
		No stack is left. Remove a filter.
		#focus=b+&ignore=b | | all — 0, 0.00 % of all |
		#focus=b+&search=b | 1 frame: 10, 100.00 % of what is shown | |
		#search=b | 2 frames: 60, 60.00 % of all | |
	END
	for fragment in 'focus=/(/' focus= ignore=%zz from; do
		run flame_check "$TMP/page.html#$fragment" hover:2,-5
		[ "$status" = 0 ] && [[ "${lines[0]}" == *"| all 100, 100.00 % of all" ]] || { echo "$output"; false; }
	done
}

@test "frames and stacks can be copied, and colours chosen by name" {
	needs_chromium
	printf '%s\n' '<b>x;f<a;g_[k] 5' 'y 1' > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" key:ArrowUp key:y key:ArrowUp key:ArrowUp key:ArrowUp press:copy clipboard key:Y clipboard colours key:o colours \
		press:colour press:colour colours
	[ "$status" = 0 ] || { echo "$output"; false; }
	[ "${lines[6]}" = "clipboard => g" ] && [ "${lines[8]}" = "clipboard => <b>x;f<a;g" ]
	[ "${lines[9]}" = "${lines[14]}" ] && [ "${lines[9]}" != "${lines[11]}" ] || { echo "$output"; false; }
	by_name=${lines[11]}
	mp-flame --colour name "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" key:ArrowUp key:ArrowUp key:ArrowUp key:ArrowUp colours
	[ "$status" = 0 ] && [ "${lines[4]}" = "$by_name" ] || { echo "$output"; false; }
}

@test "colours by library: a page knows the files of frames, whose sums stay those of mp-fold" {
	needs_chromium
	printf '%s\n' 'app;main+0x1120@app:8f3a9c0d;malloc+0x9a1@libc.so.6:11223344;brk+0x7c1f30@[kernel]:7bdad2f3_[k] 40' \
		'app;main+0x1150@app:8f3a9c0d;[lib</script>.so]+0x1f20 30' 'app;main+0x1150@app:8f3a9c0d;sort+0x1160@app:8f3a9c0d;less_[i] 20' 'app;nameless 10' > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	tests/tools/flame.py "$TMP/page.html" | sort | diff - <(mp-fold "$TMP/in" | sort)
	# the page is the same without the places but for the libraries
	mp-fold --annotate "$TMP/in" | mp-flame | tests/tools/flame.py /dev/stdin | diff - <(tests/tools/flame.py "$TMP/page.html")
	run flame_check "$TMP/page.html#colour=library" hover:300,-45 hover:100,-63 hover:500,-63 hover:500,-81 hover:800,-63 hover:800,-81 hover:950,-45 \
		hover:300,-27 legend colours dark size:400,700 legend print
	[ "$status" = 0 ] || { echo "$output"; false; }
	sed -n 's/^[^ ]* => //p' <<< "$output" > "$TMP/said"
	diff <(sed -n '1,8s/^#colour=library | | | //p; 9p' "$TMP/said") - <<- 'END'
		main 90, 90.00 % of all; app
		[lib</script>.so]+0x1f20 30, 30.00 % of all; lib</script>.so
		malloc 40, 40.00 % of all; libc.so.6
		brk 40, 40.00 % of all; kernel
		sort 20, 20.00 % of all; app
		less 20, 20.00 % of all; app
		nameless 10, 10.00 % of all
		app 100, 100.00 % of all
		app kernel libc.so.6 lib</script>.so unknown library
	END
	run flame_check "$TMP/page.html" key:ArrowUp key:o key:o colours
	[[ "$status" = 0 && "${lines[2]}" == *"#colour=library | "* ]] || { echo "$output"; false; }
	by_library=${lines[3]}
	mp-flame --colour library "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" key:ArrowUp colours
	[ "$status" = 0 ] && [ "${lines[1]}" = "$by_library" ] || { echo "$output"; false; }
	# differences and flame charts
	mp-flame --diff "$TMP/in" "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html#colour=library" hover:300,-45
	[[ "$status" = 0 && "$output" == *"; app" ]] || { echo "$output"; false; }
	printf '1000000,s:t,comm=a\ttid=1\tstack=main+0x1@app:8f3a9c0d\n2000000,s:t,comm=a\ttid=1\tstack=main+0x2@app:8f3a9c0d\n' | mp-flame --time > "$TMP/page.html"
	run flame_check "$TMP/page.html#colour=library" hover:300,45 legend
	[[ "$status" = 0 && "${lines[0]}" == *"| main 2 ms from 0 ns on; app" && "${lines[1]}" == "legend => app unknown library" ]] || { echo "$output"; false; }
}

@test "a page of two weights has the sums of mp-fold for each, and a key to choose" {
	needs_chromium
	many_stacks 3000 | awk '{ w = $NF; sub(/ [0-9]+$/, ""); print NR ",e:f,comm=c" NR % 3 (NR % 7 ? "\t.bytes=" w * 1024 : "") "\tperiod=" NR % 11 "\tstack=" $0 }' > "$TMP/in"
	run -1 mp-flame -w period,.bytes "$TMP/in" 2> /dev/null
	mp-flame -w period,.bytes "$TMP/in" > "$TMP/page.html" 2> "$TMP/err" || [ $? = 1 ]
	grep -q 'record without the field that is its weight' "$TMP/err"
	tests/tools/flame.py "$TMP/page.html" > "$TMP/both"
	awk '$(NF - 1) { $NF = ""; print }' "$TMP/both" | sed 's/ $//' | sort | diff - <(mp-fold -w period "$TMP/in" | sort)
	awk '$NF { $(NF - 1) = ""; print }' "$TMP/both" | tr -s ' ' | sort | diff - <(mp-fold -w .bytes "$TMP/in" 2> /dev/null | sort)
	tests/tools/flame.py <(mp-flame -w period -w .bytes "$TMP/in" 2> /dev/null) | cmp - "$TMP/both"
	run flame_check "$TMP/page.html" search:ksys_read key:w press:table rows:4 key:F press:width rows:4 key:u key:u key:u dark size:400,700
	[ "$status" = 0 ] || { echo "$output"; false; }
	mp-fold -w period "$TMP/in" > "$TMP/period"
	mp-fold -w .bytes "$TMP/in" > "$TMP/bytes" 2> /dev/null || [ $? = 1 ]
	[[ "${lines[0]}" == *" frames: $(weight_of ksys_read "$TMP/period"), "* ]] || { echo "$output"; false; }
	[[ "${lines[1]}" == *"#search=ksys_read&weight=1 | "*" MiB, "* ]] || { echo "$output"; false; }
	run flame_check "$TMP/page.html#weight=1" hover:5,-5
	[[ "$output" == *"| all "*" MiB, 100.00 % of all" ]] || { echo "$output"; false; }
	# a weight that is 0 everywhere, and what is not a weight
	printf '1,e:f,comm=a\t.n=0\tstack=x;y\n' | mp-flame -w count,.n > "$TMP/page.html"
	run flame_check "$TMP/page.html" key:ArrowUp key:w note key:ArrowUp key:u note
	[ "$status" = 0 ] && [ "${lines[2]}" = "note => No stack has this weight." ] && [ "${lines[5]}" = "note =>" ] || { echo "$output"; false; }
	for fragment in weight=2 weight=x weight=; do
		run flame_check "$TMP/page.html#$fragment" hover:2,-5
		[ "$status" = 0 ] && [[ "${lines[0]}" == *"| all 1, 100.00 % of all" ]] || { echo "$output"; false; }
	done
}

hostile_stacks() {
	printf '%s\n' '<script>alert(1)</script>;</script><img src=x onerror=alert(1)>;"]]>&amp;<b>;<!--;-->;it'\''s;\x00\x1b[2J;${x};%s 3' \
		'x;{TITLE};{SUBTITLE};__proto__;constructor;😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀 4' \
		'operator<;a<b<;>>;toString;toString;[k]_[k];/^(/;focus=x&zoom=3#;;_[j] 5'
}

@test "every key and button, with hostile names, in light and dark, 400 px wide and on paper" {
	needs_chromium
	hostile_stacks > "$TMP/<script>&quot;"
	sed 's/ [345]$/ 7/; 2s/7$/0/' "$TMP/<script>&quot;" > "$TMP/'<b>"
	mp-flame "$TMP/<script>&quot;" > "$TMP/one.html"
	mp-flame --diff "$TMP/<script>&quot;" "$TMP/'<b>" > "$TMP/two.html"
	awk '{ w = $NF; sub(/ [0-9]+$/, ""); print NR * w "000000,e:f,comm=</script>\ttid=" w "\tstack=" $0 }' "$TMP/<script>&quot;" "$TMP/'<b>" |
		mp-flame --time > "$TMP/time.html"
	keys=$(sed 's/^/key:/' <<< $'ArrowUp\nArrowUp\nArrowRight\nArrowLeft\nArrowUp\nEnter\nF\nu\ni\nu\ns\nr\nArrowUp\nc\nu\ne\nArrowUp\ny\nY\nn\nN\nf\no\nd\nx\nw\nt\nArrowDown\nEscape\nEscape')
	for page in one two time; do
		case $page in
		one) buttons=$(grep -oE '<button id="[^"]*"[^>]*>' "$TMP/$page.html" | grep -v hidden) ;;
		two) buttons=$(grep -oE '<button id="[^"]*"[^>]*>' "$TMP/$page.html") ;;
		time) buttons=$(grep -oE '<button id="(undo|out|flip|colour|copy|copy-stack)"[^>]*>' "$TMP/$page.html") ;;
		esac
		buttons=$(cut -d '"' -f 2 <<< "$buttons" | sed 's/^/press:/')
		[ "$page $(wc -l <<< "$buttons")" = "one 15" ] || [ "$page $(wc -l <<< "$buttons")" = "two 18" ] || [ "$page $(wc -l <<< "$buttons")" = "time 6" ]
		steps=($keys $buttons dark size:400,800 search:a key:n $keys hover:20,-30 $buttons print light size:700,500 $buttons key:/ type:o
			key:Escape)
		[ $page = time ] || steps+=(filter:1)
		steps+=(pdf:"$TMP/page.pdf")
		run flame_check "$TMP/$page.html" "${steps[@]}"
		[ "$status" = 0 ] && [ "${#lines[@]}" = "${#steps[@]}" ] || { echo "$page: $output"; false; }
	done
}

@test "names make no element and run no script in a page or a picture" {
	needs_chromium
	hostile_stacks > "$TMP/in"
	for title in '</title><script>alert(1)</script>' '{SUBTITLE}' '{TITLE}'; do
		mp-flame --title "$title" --unit '</script>' "$TMP/in" > "$TMP/page.html"
		run flame_check "$TMP/page.html" press:table search:alert key:n search:proto search:constructor key:n hover:3,-40 hover:300,-60
		[ "$status" = 0 ] || { echo "$output"; false; }
		[[ "${lines[1]}" == *"2 frames: 3 </script>, 25.00 % of all"* && "${lines[3]}" == *"1 frame: 4 "* && "${lines[4]}" == *"1 frame: 4 "* ]] ||
			{ echo "$output"; false; }
	done
	mp-flame --svg --title '</title><script>' "$TMP/in" > "$TMP/picture.svg"
	run svg_check "$TMP/picture.svg"
	[ "$status" = 0 ] || { echo "$output"; false; }
}

@test "pages and pictures from nothing to many stacks work in a browser, a page also 400 px wide" {
	needs_chromium
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' > "$TMP/0"
	echo 'main 1' > "$TMP/1"
	many_stacks 3000 > "$TMP/2"
	awk 'BEGIN { for (s = "r"; i < 100000; i++) s = s ";f"; print s, 1 }' > "$TMP/3"
	awk 'BEGIN { for (; i < 30000; i++) print "many;f" i, 1 }' > "$TMP/4"
	for i in 0 1 2 3 4; do
		mp-flame "$TMP/$i" > "$TMP/page.html"
		run flame_check "$TMP/page.html" colours size:400,700 colours dark colours pdf:"$TMP/page.pdf" colours
		[ "$status" = 0 ] || { echo "$i: $output"; false; }
		[ $i = 0 ] || [ "$(grep -c '=> #' <<< "$output")" = 4 ] || { echo "$i: $output"; false; }
		mp-flame --svg "$TMP/$i" > "$TMP/picture.svg"
		[ "$(wc -c < "$TMP/picture.svg")" -lt 1000000 ]
		[ $i = 3 ] || run svg_check "$TMP/picture.svg"
		[ "$status" = 0 ] || { echo "$i: $output"; false; }
	done
}

@test "an area of frames that are too narrow is highlighted if one of them matches" {
	needs_chromium
	awk 'BEGIN { for (; i < 30000; i++) print "many;f" i, 1 }' | mp-flame > "$TMP/page.html"
	run flame_check "$TMP/page.html" search:f29999 colours
	[ "$status" = 0 ] && [[ "$output" == *"1 frame: 1, "*"colours => #6e40c9 "* ]] || { echo "$output"; false; }
	run flame_check "$TMP/page.html" search:nothing colours
	[ "$status" = 0 ] && [[ "$output" == *"colours => #"* && "$output" != *"#6e40c9"* ]] || { echo "$output"; false; }
}

@test "a page says why it shows nothing: an old browser, damaged data" {
	needs_chromium
	echo 'main;f 1' | mp-flame > "$TMP/page.html"
	run tests/svg/page.py --without DecompressionStream "$TMP/chromium" "$TMP/page.html" note
	[ "$status" = 0 ] && [[ "$output" == "note => The data of this page is compressed, "*"DecompressionStream." ]] || { echo "$output"; false; }
	for change in 's/\(id="data">....\)..../\1/' 's/\(id="data">\)./\1!/' 's/\(id="data">\).*\(<.script>\)/\1\2/'; do
		sed "$change" "$TMP/page.html" > "$TMP/damaged.html"
		run ! cmp -s "$TMP/page.html" "$TMP/damaged.html"
		run flame_check "$TMP/damaged.html" note
		[ "$status" = 0 ] && [ "$output" = "note => The data of this page is damaged." ] || { echo "$change: $output"; false; }
	done
}

@test "300,000 stacks are drawn and searched" {
	needs_chromium
	many_stacks 300000 > "$TMP/in"
	mp-flame "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" search:ksys_read key:n key:Enter
	[ "$status" = 0 ] && [[ "${lines[0]}" == *" frames: $(weight_of ksys_read "$TMP/in"), "* ]] || { echo "$output"; false; }
	awk 'NR % 2' "$TMP/in" > "$TMP/1"
	awk 'NR % 3' "$TMP/in" > "$TMP/2"
	mp-flame --diff "$TMP/1" "$TMP/2" > "$TMP/page.html"
	run flame_check "$TMP/page.html" search:ksys_read key:n key:Enter key:w key:d
	[ "$status" = 0 ] && [[ "${lines[0]}" == *" frames: before "*" ($(weight_of ksys_read "$TMP/1")), after "*" ($(weight_of ksys_read "$TMP/2")): "* ]] ||
		{ echo "$output"; false; }
}

# --- differences

# Two sides of 3000 stacks, some of them on one only, in $TMP/a and $TMP/b; in $TMP/both each stack with both weights.
two_sides() {
	many_stacks 4000 > "$TMP/all"
	head -n 3000 "$TMP/all" > "$TMP/a"
	tail -n 3000 "$TMP/all" | awk '{ sub(/ [0-9]+$/, " " NR % 90); print }' > "$TMP/b"
	for side in a b; do mp-fold --annotate "$TMP/$side" | sed -E 's/ ([0-9]+)$/\t\1/' | LC_ALL=C sort -t $'\t' -k 1,1 > "$TMP/$side.sums"; done
	LC_ALL=C join -t $'\t' -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$TMP/a.sums" "$TMP/b.sums" | sed 's/_\[k\]//g; s/\t/ /g' | sort > "$TMP/both"
}

@test "a page of differences holds the stacks that mp-fold writes for both sides" {
	two_sides
	[ "$(grep -c ' 0 [0-9]*$' "$TMP/both")" -gt 300 ] && [ "$(grep -c ' 0$' "$TMP/both")" -gt 300 ]
	mp-flame --diff "$TMP/a" "$TMP/b" > "$TMP/page.html"
	tests/tools/flame.py "$TMP/page.html" | grep -v ' 0 0$' | sort | diff - <(grep -v ' 0 0$' "$TMP/both")
	# and of what mp-diff writes, and of events
	mp-diff --folded --absolute "$TMP/a" "$TMP/b" | mp-flame --diff | tests/tools/flame.py /dev/stdin | sort | diff - <(grep -v ' 0 0$' "$TMP/both")
	for side in a b; do
		awk '{ w = $NF; sub(/ [0-9]+$/, ""); print "1,e:f,comm=c\tperiod=" w "\tstack=" $0 }' "$TMP/$side" > "$TMP/$side.mp"
	done
	mp-flame --diff --no-comm --weight period "$TMP/a.mp" - < "$TMP/b.mp" | tests/tools/flame.py /dev/stdin | grep -v ' 0 0$' | sort | diff - <(grep -v ' 0 0$' "$TMP/both")
	mp-flame --diff "$TMP/a" "$TMP/b" --text | grep -q "before $(awk '{ s += $NF } END { print s }' "$TMP/a") .*after $(awk '{ s += $NF } END { print s }' "$TMP/b") "
}

@test "nothing of a recording differs from itself, and all that differs is drawn" {
	two_sides
	for options in "" --samples --self --absolute "--work 2,2" "--reverse --samples"; do
		mp-flame --diff $options --svg "$TMP/a" "$TMP/a" > "$TMP/same.svg"
		[ "$(sed -n '/id="frames"/,/^<.g>$/p' "$TMP/same.svg" | grep -o '<rect class="[^"]*"' | sort -u)" = $'<rect class="d4"\n<rect class="m"' ]
		run ! grep -qE '^ .*(x |new|gone)' <(mp-flame --diff $options --text --min 0 "$TMP/a" "$TMP/a" | tail -n +4)
	done
	mp-flame --diff --svg "$TMP/a" "$TMP/b" | grep -q 'class="d8"'
	# sides swapped: increases become decreases
	mp-flame --diff --svg "$TMP/a" "$TMP/b" | grep -oE 'class="d[0-8]" x' | sort | uniq -c > "$TMP/1"
	mp-flame --diff --svg "$TMP/b" "$TMP/a" | grep -oE 'class="d[0-8]" x' | tr 012345678 876543210 | sort | uniq -c | diff "$TMP/1" -
}

@test "a page says the weights of both sides, and compares as the keys say" {
	needs_chromium
	printf '%s\n' 'a;b.isra.0 50' 'a;gone 10' 'a;c 40' 'lib;[m.so]+0x12 100' > "$TMP/1"
	printf '%s\n' 'a;b.isra.2 75' 'a;new 15' 'a;c 10' 'lib;[m.so]+0x74 100' > "$TMP/2"
	mp-flame --diff "$TMP/1" "$TMP/2" > "$TMP/page.html"
	run flame_check "$TMP/page.html" colours key:ArrowUp key:ArrowUp key:ArrowUp key:d key:x note key:x key:d 'search:/^[bcgn]/' press:width key:w key:w \
		press:table rows:9 press:swap rows:1 press:self key:o key:o key:o key:o
	[ "$status" = 0 ] || { echo "$output"; false; }
	# a row has the differences of the function itself and of the total, here the same
	sed -n "s/^[^ ]* =>//; s,$TMP/,,g; s/^ //p" <<< "$output" | sed 's, / ,\n,g' | sed -E 's/^(before .*) \1 (.*)/\2: \1/' > "$TMP/said"
	diff - "$TMP/said" <<- 'END'
		#e6e7ea #f2937a #5398dc #e86f52
		| | all — before 100.00 % (200), after 100.00 % (200): = |
		| | a — before 50.00 % (100), after 50.00 % (100): = |
		| | b — before 25.00 % (50), after 37.50 % (75): x 1.5 |
		#self | | b — before 25.00 % (50), after 37.50 % (75): x 1.5 |
		#self&swap | | b — before 37.50 % (75), after 25.00 % (50): x 0.667 |
		The sides are swapped: before is 2, after is 1.
		#self | | b — before 25.00 % (50), after 37.50 % (75): x 1.5 |
		| | b — before 25.00 % (50), after 37.50 % (75): x 1.5 |
		#search=/^[bcgn]/ | 4 frames: before 50.00 % (100), after 50.00 % (100): = | b — before 25.00 % (50), after 37.50 % (75): x 1.5 |
		#search=/^[bcgn]/&width=before | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		#search=/^[bcgn]/&width=after | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		#search=/^[bcgn]/ | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		#search=/^[bcgn]/&table=self | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		c: before 20.00 % (40), after 5.00 % (10): x 0.25
		b: before 25.00 % (50), after 37.50 % (75): x 1.5
		new: before 0.00 % (0), after 7.50 % (15): new
		gone: before 5.00 % (10), after 0.00 % (0): gone
		#search=/^[bcgn]/&swap&table=self | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		c: before 5.00 % (10), after 20.00 % (40): x 4
		#search=/^[bcgn]/&self&swap&table=self | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		#search=/^[bcgn]/&colour=kind&self&swap&table=self | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		#search=/^[bcgn]/&colour=name&self&swap&table=self | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		#search=/^[bcgn]/&colour=library&self&swap&table=self | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
		#search=/^[bcgn]/&self&swap&table=self | 4 frames: before 50.00 % (100), after 50.00 % (100): = | |
	END
	# the widths of one side: what is not on it has none
	run flame_check "$TMP/page.html#width=before" hover:970,-27 hover:500,-45 'search:/^(gone|new)/' size:400,700 dark
	[[ "$status" = 0 && "${lines[0]}" == *"| lib before 50.00 % (100), after 50.00 % (100): =" &&
		"${lines[2]}" == *"| 2 frames: before 5.00 % (10), after 7.50 % (15): x 1.5 |"* ]] || { echo "$output"; false; }
}

# --- flame charts

# N samples of five tasks every ms, each task pausing now and then, in $TMP/events; in $TMP/wanted how many ns each stack has.
chart_events() {	# N
	many_stacks "$1" | awk '{ sub(/ [0-9]+$/, ""); t = NR % 5; c = $0; sub(/;.*/, "", c); sub(/^[^;]*;/, "")
		if (NR % 3 == 0) $0 = last[t] ? last[t] : $0	# the same stack again
		last[t] = $0; if (NR % 31 == 0) pause[t] += 20000000
		printf "%.0f,e:f,comm=task\ttid=%d\tstack=%s\n", 1000000000 + int(NR / 5) * 1000000 + pause[t] + t, t, $0 }' | sort -t , -n -k 1,1 > "$TMP/events"
}

@test "a flame chart has each stack for as long as its events last, whatever their order" {
	chart_events 3000
	mp-flame --time "$TMP/events" > "$TMP/page.html"
	shuf --random-source=<(yes) "$TMP/events" | mp-flame --time | cmp - "$TMP/page.html"
	python3 - "$TMP/events" > "$TMP/wanted" <<- 'END'
		import collections, re, sys
		tasks = collections.defaultdict(list)
		for line in open(sys.argv[1]):
		    time, task, stack = re.fullmatch(r'(\d+),e:f,comm=task\ttid=(\d)\tstack=(.*)\n', line).groups()
		    tasks[task].append((int(time), re.sub(r'_\[k\]', '', stack)))
		gaps = sorted(b[0] - a[0] for v in tasks.values() for a, b in zip(v, v[1:]))
		median, sums = gaps[len(gaps) // 2], collections.Counter()
		for task, v in tasks.items():
		    for (a, stack), b in zip(v, [b[0] for b in v[1:]] + [float('inf')]):
		        sums[f'task {task};{stack}'] += b - a if b - a <= 1.5 * median else median
		for stack, time in sums.items():
		    print(stack, time)
	END
	tests/tools/flame.py "$TMP/page.html" | grep -vE '^task [0-9];\(no stack\)' | sed 's/;(no stack) / /' |
		awk '{ w = $NF; sub(/ [0-9]+$/, ""); sum[$0] += w } END { for (s in sum) printf "%s %d\n", s, sum[s] }' | sort | diff - <(sort "$TMP/wanted")
	# all tasks have the same time
	[ "$(tests/tools/flame.py "$TMP/page.html" | awk '{ sum[$2] += $NF } END { for (t in sum) print sum[t] }' FS='[ ;]' | sort -u | wc -l)" = 1 ]
}

@test "a page of a flame chart shows tasks over one time, which a zoom chooses" {
	needs_chromium
	printf '%s\n' '1000000,s:t,tid=1	comm=a	stack=main;x;y' '2000000,s:t,tid=1	comm=a	stack=main;x' '3000000,s:t,tid=1	comm=a	stack=main;x;z' \
		'4000000,s:t,tid=1	comm=a	stack=main;x;z' '9000000,s:t,tid=1	comm=a	stack=main' '2500000,s:t,tid=2	comm=b	stack=go;f_[k]' \
		'3500000,s:t,tid=2	comm=b	stack=go' '4500000,s:t,tid=2	comm=b	stack=go;f_[k]' '5000000,s:t,tid=3	comm=c	dur=3000000	stack=span' > "$TMP/in"
	mp-flame --time "$TMP/in" > "$TMP/page.html"
	run flame_check "$TMP/page.html" hover:5,28 hover:300,45 hover:300,63 hover:160,82 hover:250,82 hover:250,118 hover:900,118 hover:900,45 search:f \
		key:n key:n key:Enter hover:200,63 hover:200,45 hover:500,150 hover:500,118 key:Escape search:stack key:Escape \
		key:Escape key:c key:r key:t key:F key:f hover:5,-28
	[ "$status" = 0 ] || { echo "$output"; false; }
	sed -n 's/^[^ ]* => //p' <<< "$output" > "$TMP/said"
	diff - "$TMP/said" <<- 'END'
		| | | a 1 9 ms from 0 ns on
		| | | main 4 ms from 0 ns on
		| | | x 4 ms from 0 ns on
		| | |
		| | | z 2 ms from 2 ms on
		| | | go 3 ms from 1.5 ms on
		| | |
		| | | main 1 ms from 8 ms on
		#search=f | 2 frames: 2 ms in all tasks | | main 1 ms from 8 ms on
		#search=f | 2 frames: 2 ms in all tasks | f — 1 ms from 1.5 ms on; kernel | main 1 ms from 8 ms on
		#search=f | 2 frames: 2 ms in all tasks | f — 1 ms from 3.5 ms on; kernel | main 1 ms from 8 ms on
		#zoom=14&search=f | 2 frames: 2 ms in all tasks | f — 1 ms from 3.5 ms on; kernel | main 1 ms from 8 ms on
		#zoom=14&search=f | 2 frames: 2 ms in all tasks | f — 1 ms from 3.5 ms on; kernel | x 4 ms from 0 ns on
		#zoom=14&search=f | 2 frames: 2 ms in all tasks | f — 1 ms from 3.5 ms on; kernel | main 4 ms from 0 ns on
		#zoom=14&search=f | 2 frames: 2 ms in all tasks | f — 1 ms from 3.5 ms on; kernel | c 3 9 ms from 0 ns on
		#zoom=14&search=f | 2 frames: 2 ms in all tasks | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		#zoom=14 | | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		#zoom=14&search=stack | 0 frames: 0 ns in all tasks | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		#zoom=14 | | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		| | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		| | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		| | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		| | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		| | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		#flip | | f — 1 ms from 3.5 ms on; kernel | go 3 ms from 1.5 ms on
		#flip | | f — 1 ms from 3.5 ms on; kernel | a 1 9 ms from 0 ns on
	END
	run flame_check "$TMP/page.html#focus=x&collapse&callers=1&table=self&colour=change&self" hover:5,28
	[ "$status" = 0 ] && [[ "${lines[0]}" == *"| a 1 9 ms from 0 ns on" ]] || { echo "$output"; false; }
}

@test "300,000 events of a flame chart are drawn and searched" {
	needs_chromium
	chart_events 300000
	mp-flame --time "$TMP/events" > "$TMP/page.html"
	run flame_check "$TMP/page.html" search:ksys_read key:n key:Enter dark size:400,700
	[ "$status" = 0 ] && [[ "${lines[0]}" == *" frames: "*" in all tasks |"* ]] || { echo "$output"; false; }
}

@test "a flame chart as a picture has each frame for as long as the page has it" {
	chart_events 400
	mp-flame --time "$TMP/events" > "$TMP/page.html"
	mp-flame --time --svg --width 10000 "$TMP/events" > "$TMP/picture.svg"
	shuf --random-source=<(yes) "$TMP/events" | mp-flame --time --svg --width 10000 | cmp - "$TMP/picture.svg"
	tests/tools/flame.py "$TMP/page.html" > "$TMP/stacks"
	python3 - "$TMP/stacks" "$TMP/picture.svg" <<- 'END'
		import collections, sys, xml.etree.ElementTree as tree
		wanted, got, frames, total = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter()
		for line in open(sys.argv[1]):
		    stack, time = line.rsplit(' ', 1)
		    total[stack.split(';')[0]] += int(time)
		    for name in stack.split(';')[1:]:
		        wanted[name] += int(time)
		svg = '{http://www.w3.org/2000/svg}'
		for g in tree.parse(sys.argv[2]).iter(svg + 'g'):
		    if g.get('id') == 'frames':
		        for frame in g:
		            if frame.tag == svg + 'g':
		                name = frame.find(svg + 'title').text.split('\n')[0]
		                got[name] += float(frame.find(svg + 'rect').get('width')) + 0.5
		                frames[name] += 1
		ns = max(total.values()) / 9980
		for name, time in wanted.items():
		    if name != '(no stack)' and abs(got[name] - time / ns) > 0.02 * frames[name] + 0.01:
		        sys.exit(f'{name}: {got[name]} px, wanted {time / ns}')
		print(len(wanted), 'names')
	END
}

@test "flame charts as pictures, from nothing to many events, work in a browser" {
	needs_chromium
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' > "$TMP/0"
	printf '5,e:f,comm=a\ttid=1\tstack=x\n' > "$TMP/1"
	awk '{ w = $NF; sub(/ [0-9]+$/, ""); print NR * w "000000,e:f,comm=</script>\ttid=" w "\tstack=" $0 }' <(hostile_stacks) > "$TMP/2"
	chart_events 100000 && mv "$TMP/events" "$TMP/3"
	awk 'BEGIN { for (; i < 3000; i++) printf "%d,e:f,comm=c\ttid=%d\tstack=a;b\n", 1000 + i, i % 1500 }' > "$TMP/4"
	awk 'BEGIN { for (s = "r"; i < 5000; i++) s = s ";f"; print "1,e:f,comm=c\ttid=1\tstack=" s }' > "$TMP/5"
	for i in 0 1 2 3 4 5; do
		mp-flame --time --svg "$TMP/$i" > "$TMP/picture.svg"
		[ "$(wc -c < "$TMP/picture.svg")" -lt 3000000 ]
		run svg_check "$TMP/picture.svg"
		[ "$status" = 0 ] || { echo "$i: $output"; false; }
	done
	grep -q 'farther from the root are not drawn' "$TMP/picture.svg"
	mp-flame --time --svg "$TMP/4" | grep -q 'tasks are not drawn: they have the fewest stacks'
}
