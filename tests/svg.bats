#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Pictures as a browser shows them, from disk: see svg/check.bash.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
load svg/check

# Spans with outliers, losses and names that are scripts.
heat_input() {
	awk 'BEGIN { srand(11)
		split("nginx|<script>alert(1)</script>|\"]]>|&amp;<b>|kworker/u8:2-events_unbound_and_a_long_name|it'\''s|\\x1b[2J", name, "|")
		print "{\"mp\":1,\"datatype\":\"event\",\"clock\":\"monotonic\",\"clock_ns\":71200000000,\"realtime_ns\":1795166340000000321,\"host\":\"<web7>\"}"
		for (i = 0; i < 5000; i++) {
			printf "%.0f,disk:done,cpu=%d\tcomm=%s\tdur=%.0f\n", 71200000000 + i * 2000000, rand() * 24, name[1 + int(rand() * 7)],
				rand() < 0.002 ? 1e9 : exp(rand() * 5 + 8)
			if (i == 2000) print "{\"lost\":40,\"from\":75000000000,\"time\":75200000000,\"cpu\":1}"
		}
		print "{\"end\":\"event\",\"records\":5000,\"lost\":40}" }'
}

# How many events of the input a command selects by TIME and dur.
selected() {	# COMMAND FILE
	local from to low high
	from=$(grep -oE -- '--from @[0-9]+' <<< "$1" | grep -oE '[0-9]+')
	to=$(grep -oE -- '--to @[0-9]+' <<< "$1" | grep -oE '[0-9]+')
	low=$(grep -oE 'dur>=[0-9.]+' <<< "$1" | grep -oE '[0-9.]+')
	high=$(grep -oE 'dur<[0-9.]+' <<< "$1" | grep -oE '[0-9.]+')
	awk -F '[,=]' -v from="$from" -v to="$to" -v low="$low" -v high="${high:-1e99}" \
		'/^[0-9]/ && $1 >= from && $1 < to && $NF >= low && $NF < high { n++ } END { print n + 0 }' "$2"
}

@test "in a heat map hover shows a cell, and a drag gives the command that selects it" {
	heat_input > "$TMP/in"
	mp-svg-heatmap --percentiles 50,90,99 "$TMP/in" > "$TMP/svg.svg" 2> "$TMP/err" || true
	run svg_check "$TMP/svg.svg" hover:400,300 drag:300,200,600,400 drag:300,64,600,400
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "${lines[0]}" == "hover:400,300 => time "*" s to "*" s, dur "*" us to "*" us, count "* ]] || { echo "$output"; false; }
	for i in 1 2; do
		[[ "${lines[i]}" == "drag:"*" => selected: count "*"; the command below selects it / mp-select --from @"*" --to @"*" -f 'dur>="*"' $TMP/in" ]]
		said=$(sed 's/.*selected: count \([0-9,]*\);.*/\1/; s/,//g' <<< "${lines[i]}")
		[ "$said" -gt 0 ] && [ "$said" = "$(selected "${lines[i]}" "$TMP/in")" ] || { echo "${lines[i]}: $(selected "${lines[i]}" "$TMP/in")"; false; }
	done
	[[ "${lines[1]}" == *"dur<"* && "${lines[2]}" != *"dur<"* ]]	# the second has a row of outliers
}

@test "in a heat map arrow keys move, shift selects and escape ends, all announced to screen readers" {
	heat_input > "$TMP/in"
	mp-svg-heatmap --log -e 'disk:*' "$TMP/in" > "$TMP/svg.svg" 2> "$TMP/err" || true
	run svg_check "$TMP/svg.svg" key:ArrowRight key:ArrowRight key:ArrowUp key:S-ArrowRight key:S-ArrowUp key:End key:Home key:Escape
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "${lines[0]}" == "key:ArrowRight => time "*" to "*"s, dur "* ]]
	[[ "${lines[4]}" == *" => selected: count "*" -e 'disk:*' -f 'dur>="* ]]
	[[ "${lines[7]}" == "key:Escape => /"* ]] || { echo "$output"; false; }
}

@test "heat maps of names, subseconds and points run no script of a name and have no overlapping text" {
	heat_input > "$TMP/in"
	mp-svg-heatmap -y comm --weight dur --title '<script>alert(1)</script>"]]>&' "$TMP/in" > "$TMP/1.svg" 2> "$TMP/err" || true
	run svg_check "$TMP/1.svg" hover:500,80 drag:500,80,500,180
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "$output" == *"--overlap -f '(comm=="* ]]
	mp-svg-heatmap -x comm -y cpu "$TMP/in" > "$TMP/2.svg" 2> "$TMP/err" || true
	run svg_check "$TMP/2.svg" drag:200,100,700,200
	[ "$status" = 0 ] && [[ "$output" == *"mp-select -f '"* ]] || { echo "$output"; false; }
	mp-svg-heatmap --subsecond "$TMP/in" > "$TMP/3.svg" 2> "$TMP/err" || true
	run svg_check "$TMP/3.svg" drag:300,200,300,300
	[ "$status" = 0 ] && [[ "$output" == *"mp-select --from @7"*" --to @7"* ]] || { echo "$output"; false; }
	awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d,%d,p\n", i * 7 - 9000, (i * i) % 1000003 - 500000 }' > "$TMP/points"
	mp-svg-heatmap --percentiles 1,50,51,99 "$TMP/points" > "$TMP/4.svg"
	run svg_check "$TMP/4.svg" drag:300,200,300,300
	[ "$status" = 0 ] && [[ "$output" == *"mp-select -f 'x>="*" && x<"*" && y>="*" && y<"* ]] || { echo "$output"; false; }
}

# The size of a picture as a document, and as an <img>, in a window 400 px wide: "400x300 of 800x600".
in_narrow_window() {	# FILE
	cat > "$TMP/narrow.html" <<-EOF
		<body style="margin:0"><style>iframe,div{border:0;width:400px;height:900px}img{max-width:100%}</style>
		<iframe></iframe><div><img src="file://$1"></div><pre></pre><script>
		var f = document.querySelector('iframe'), i = document.querySelector('img'), size = function (e) {
		    var b = e.getBoundingClientRect(); return Math.round(b.width) + 'x' + Math.round(b.height); };
		onload = function () {
		    document.querySelector('pre').textContent = size(f.contentDocument.documentElement) + ' ' + size(i) + ' ' +
		        i.naturalWidth + 'x' + i.naturalHeight + ' ' + f.contentDocument.scrollingElement.scrollWidth; };
		f.src = 'file://$1';</script>
	EOF
	page_value 400x900 "file://$TMP/narrow.html" "document.querySelector('pre').textContent"
}

@test "pictures are scaled to a narrow window, in a document of their own down to 60 %, where text is readable" {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
	heat_input > "$TMP/in"
	mp-stackplot "$TMP/in" > "$TMP/1.svg" 2> "$TMP/err" || true
	mp-svg-heatmap --log "$TMP/in" > "$TMP/2.svg" 2> "$TMP/err" || true
	printf '1,5,x\n' | mp-svg-heatmap > "$TMP/3.svg"	# 640 px and more are scaled to 400
	for f in "$TMP"/[123].svg; do
		read -r width height < <(sed -n 's/^<svg [^>]* viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' "$f")
		least=$((width * 6 / 10))
		[ $least -gt 400 ] || least=400
		said=$(in_narrow_window "$f")
		echo "$width x $height: $said"
		[ "${said%% *}" = "${least}x$(((height * least + width / 2) / width))" ]	# nothing is beyond what scrolls
		[ "${said#* }" = "400x$(((height * 400 + width / 2) / width)) ${width}x$height $least" ]
	done
}

@test "heat maps from no data to a hundred names work in a browser" {
	echo '{"mp":1,"datatype":"event"}' > "$TMP/in"
	echo '{"end":"event","records":0,"lost":0}' >> "$TMP/in"
	mp-svg-heatmap "$TMP/in" > "$TMP/0.svg"
	echo '7,a:b,dur=3' | mp-svg-heatmap > "$TMP/1.svg"
	awk 'BEGIN { for (i = 0; i < 9000; i++) printf "%.0f,a:b,comm=worker-%d\tcpu=%d\n", i * 1e9, i % 100, i % 128 }' > "$TMP/in"
	mp-svg-heatmap -y comm --rows 100 "$TMP/in" > "$TMP/2.svg"
	mp-svg-heatmap -x comm -y cpu --columns 90 --rows 120 "$TMP/in" > "$TMP/3.svg"
	awk 'BEGIN { for (i = 0; i < 500; i++) printf "%d,%g,p\n", i, i == 7 ? 1e300 : i == 9 ? -1e300 : i }' | mp-svg-heatmap > "$TMP/4.svg"
	for f in "$TMP"/?.svg; do
		run svg_check "$f"
		[ "$status" = 0 ] || { echo "$f: $output"; false; }
	done
}

@test "treemaps of hostile names, of nothing, of one frame and of many work in a browser" {
	heat_input > "$TMP/in"
	mp-treemap --by comm,cpu -w dur --title '<script>alert(1)</script>"]]>&' "$TMP/in" > "$TMP/0.svg" 2> "$TMP/err" || [ $? = 1 ]
	mp-treemap --by comm,cpu --colour dur "$TMP/in" > "$TMP/1.svg" 2> "$TMP/err" || [ $? = 1 ]
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' | mp-treemap > "$TMP/2.svg"
	echo 'a 1' | mp-treemap > "$TMP/3.svg"
	awk 'BEGIN { srand(5); for (i = 0; i < 20000; i++) { s = "m"; for (j = rand() * 30; j > 0; j--) s = s ";f" int(rand() * 9); print s, 1 + int(rand() * 99) }
		for (s = "deep"; i < 20500; i++) s = s ";d"; print s, 100000 }' | mp-treemap > "$TMP/4.svg"
	for f in "$TMP"/?.svg; do
		run svg_check "$f"
		[ "$status" = 0 ] || { echo "$f: $output"; false; }
	done
	grep -q '>Nothing to draw: ' "$TMP/2.svg"
}

@test "a comparison of heat maps shows both sides of a cell, in light and dark, and no command" {
	heat_input > "$TMP/a"
	heat_input | awk '/^[0-9]/ { split($0, p, "dur="); printf "%sdur=%.0f\n", p[1], p[2] * 3; next } { print }' > "$TMP/b"
	mp-svg-heatmap --diff --log "$TMP/a" "$TMP/b" > "$TMP/svg.svg" 2> "$TMP/err" || [ $? = 1 ]
	run svg_check "$TMP/svg.svg" hover:400,300 drag:300,200,600,400
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "${lines[0]}" == "hover:400,300 => time "*", before "*" %), after "*" %), change "*" points"* ]] || { echo "$output"; false; }
	[[ "$output" != *mp-select* ]]
	grep -q 'greatest difference' "$TMP/svg.svg"
}

@test "panels say which one a cell is in, and a selection is within one; hues say what is in a cell" {
	local i said o
	awk 'BEGIN { for (i = 0; i < 6000; i++) printf "%.0f,a:b,cpu=%d\tcomm=%s\tdur=%d\n", i * 1000000, i % 3, i % 4 ? "often" : i % 8 ? "seldom \\x22" : "2nd", 1000 + i % 500 }' > "$TMP/in"
	mp-svg-heatmap --panels comm "$TMP/in" > "$TMP/svg.svg"
	run svg_check "$TMP/svg.svg" hover:400,120 drag:300,120,600,180 drag:300,280,600,100 drag:300,420,600,500 key:ArrowUp
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "${lines[0]}" == "hover:400,120 => comm 2nd, time "*", dur "*" us, count "* ]] || { echo "$output"; false; }
	[[ "${lines[1]}" == *"-f 'comm==\"2nd\" && dur"* && "${lines[2]}" == *"-f 'comm==\"often\" && dur"* && "${lines[3]}" == *"-f 'comm~\"seldom ?\" && dur"* ]] || { echo "$output"; false; }
	for i in 1 2 3; do
		said=$(sed 's/.*selected: count \([0-9,]*\);.*/\1/; s/,//g' <<< "${lines[i]}")
		o=$(sed "s/.* \/ mp-select/mp-select/" <<< "${lines[i]}")
		[ "$said" -gt 0 ] && [ "$said" = "$(bash -c "$o" 2> /dev/null | grep -c '^[0-9]')" ] || { echo "${lines[i]}"; false; }
	done
	mp-svg-heatmap -y cpu --hue comm "$TMP/in" > "$TMP/svg.svg"
	run svg_check "$TMP/svg.svg" hover:400,100 drag:300,70,600,100
	[ "$status" = 0 ] || { echo "$output"; false; }
	[[ "${lines[0]}" =~ ,\ cpu\ 2,\ count\ ([0-9]+),\ comm\ often:\ ([0-9]+),\ comm\ [^:]*:\ ([0-9]+),\ comm\ [^:]*:\ ([0-9]+) ]] || { echo "$output"; false; }
	[ "${BASH_REMATCH[1]}" = $((BASH_REMATCH[2] + BASH_REMATCH[3] + BASH_REMATCH[4])) ]
	[[ "${lines[1]}" == *" mp-select --from @"* ]] || { echo "$output"; false; }
	# many of both, with names, outliers and losses
	{ awk 'BEGIN { for (i = 0; i < 9000; i++) printf "%.0f,a:b,cpu=%d\tcomm=worker-%d\tdur=%d\n", i * 1000000, i % 64, i % 40, i % 3000 ? 1 + i % 500 : 1e9 }'
		echo '{"lost":7,"from":71300000,"time":713500000,"cpu":0}'; } > "$TMP/in"
	for o in "--panels comm" "--panels comm -y cpu --top 24" "--panels cpu -x comm -y comm" "--hue comm -y cpu --top 24" "--hue comm" "--panels comm --percentiles 50,99 --log"; do
		# shellcheck disable=SC2086
		mp-svg-heatmap $o "$TMP/in" > "$TMP/svg.svg" 2> "$TMP/err" || [ $? = 1 ]
		run svg_check "$TMP/svg.svg" hover:400,100
		[ "$status" = 0 ] || { echo "$o: $output"; false; }
	done
}

@test "names in a tooltip are complete, however long, and stay within the picture" {
	name=$(printf 'a/very/long/path/%.0s' $(seq 14))end
	for i in $(seq 50); do printf '%d,a:b,comm=%s\n' "$i" "$name"; done > "$TMP/in"
	mp-svg-heatmap -y comm "$TMP/in" > "$TMP/svg.svg"
	run svg_check "$TMP/svg.svg" hover:400,70
	[ "$status" = 0 ] && [[ "${lines[0]}" == "hover:400,70 => time "*", comm ${name:0:40}"*"…"*", count "* ]] || { echo "$output"; false; }
	cat > "$TMP/tip.html" <<-EOF
		<body><iframe width=1300 height=500 src="file://$TMP/svg.svg"></iframe><pre></pre><script>
		document.querySelector('iframe').onload = function (e) { var d = e.target.contentDocument, h = d.getElementById('mp-hit').getBoundingClientRect();
		    d.getElementById('mp-hit').dispatchEvent(new e.target.contentWindow.PointerEvent('pointermove', { clientX: h.left + 200, clientY: h.top + 5 }));
		    var b = d.querySelector('[data-over] .box').getBoundingClientRect(), s = d.documentElement.getBoundingClientRect();
		    document.querySelector('pre').textContent = [b.left >= s.left, b.right <= s.right,
		        d.querySelector('[data-over]').textContent.indexOf('comm $name' + 'count') >= 0]; };</script>
	EOF
	run page_value 1400x900 "file://$TMP/tip.html" "document.querySelector('pre').textContent"
	[ "$status" = 0 ] && [ "$output" = true,true,true ] || { echo "$output"; false; }
}

@test "the button beside a command copies it, or says that the browser refuses" {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
	heat_input > "$TMP/in"
	mp-svg-heatmap "$TMP/in" > "$TMP/svg.svg" 2> "$TMP/err" || true
	cat > "$TMP/copy.html" <<-EOF
		<body><iframe width=1300 height=800 src="file://$TMP/svg.svg"></iframe><pre></pre><script>
		document.querySelector('iframe').onload = function (e) { var w = e.target.contentWindow, d = w.document, hit = d.getElementById('mp-hit');
		    var b = hit.getBoundingClientRect(), press = d.querySelector('[role=button]'), copied = [], say = [press.getAttribute('visibility')];
		    var at = function (type, x) { hit.dispatchEvent(new w.PointerEvent(type, { clientX: b.left + x, clientY: b.top + 90, pointerId: 1 })); };
		    Object.defineProperty(w.navigator, 'clipboard', { value: { writeText: function (t) {
		        copied.push(t); return copied.length > 1 ? Promise.reject() : Promise.resolve(); } } });
		    w.document.execCommand = function () { return false; };
		    at('pointerdown', 100); at('pointermove', 200); at('pointerup', 200);
		    say.push(press.getAttribute('visibility'), press.textContent);
		    press.dispatchEvent(new w.MouseEvent('click'));
		    setTimeout(function () { say.push(press.textContent, copied[0] === d.getElementById('mp-cmd').textContent);
		        press.dispatchEvent(new w.KeyboardEvent('keydown', { key: 'Enter' }));
		        setTimeout(function () { say.push(press.textContent); document.querySelector('pre').textContent = say.join(); }, 50); }, 50); };</script>
	EOF
	run page_value 1400x900 "file://$TMP/copy.html" "document.querySelector('pre').textContent"
	[ "$status" = 0 ] && [ "$output" = "hidden,visible,copy,copied,true,refused" ] || { echo "$output"; false; }
}
