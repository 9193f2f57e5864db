#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-show, and the recordings that `mp record` remembers: which pipeline, where files are, whose they are, what a signal leaves.
# Runs beside a recording.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib
load svg/check

# Copies of mp and mp-show beside an mp-record that writes $TMP/stream, compressed if that was asked for, and homes of their own.
setup() {
	make_tmp
	mkdir "$TMP/bin" "$TMP/collectors" "$TMP/home" "$TMP/config" "$TMP/here"
	cp "$BUILD/bin/mp" "$BUILD/bin/mp-show" "$TMP/bin"
	cat > "$TMP/bin/mp-record" <<- 'X'
		#!/bin/sh
		pack=cat
		[ "$1" != --compress ] || { shift; pack='zstd -q1'; }
		[ "$1" != --compress=none ] || { shift; pack=cat; }
		echo "$*" > "$0.words"
		$pack < "${0%/*}/../stream"
		[ ! -e "${0%/*}/../wait" ] || { sleep 100 & child=$!; trap 'kill $child; exit 0' TERM; echo > "$0.waits"; wait; }
		exit "$(cat "${0%/*}/../status" 2> /dev/null || echo 0)"
	X
	chmod +x "$TMP/bin/mp-record"
	export HOME="$TMP/home" MP_COLLECTORS="$TMP/collectors" XDG_CONFIG_HOME="$TMP/config"
	unset XDG_STATE_HOME SUDO_UID
	PATH="$TMP/bin:$PATH"
	STATE="$HOME/.local/state/mp"
	make_stream waits > "$TMP/stream"
	cat > "$TMP/collectors/waits" <<- 'X'
		summary = a test
		event = a:begin, a:end
		show = mp-record waits -d 5 | mp-pair -b a:begin -e a:end -k tid | mp-svg-heatmap --log > waits.svg
		show = mp-record waits -d 5 | mp-pair -b a:begin -e a:end -k tid | mp-hist --by comm
		show = mp-record waits -d 5 | mp-flame -e a:begin > waits.html
	X
}

# A recording of a collector: 100 pairs of events with stacks, 10 ms apart.
make_stream() {
	printf '{"mp":1,"datatype":"event","interface":"mp-record","start":"2026-11-20T09:19:00.000000321+00:00","clock":"monotonic","clock_ns":900,"realtime_ns":1795166340000000321,"host":"web7","command":["mp-record"],"collectors":["%s"]}\n' "$1"
	awk 'BEGIN { for (i = 1; i <= 100; i++) {
		printf "%d,a:begin,cpu=0\tpid=5\ttid=5\tcomm=nginx\t.bytes=%d\tstack=main;f%d\n", i * 10000000, i, i % 3
		printf "%d,a:end,cpu=0\tpid=5\ttid=5\tcomm=nginx\n", i * 10000000 + i * 1000 }
		print "{\"end\":\"event\",\"records\":200,\"lost\":0}" }'
}

at_terminal() {
	script -qefc "$1" /dev/null < /dev/null
}

# The recordings in the folder, without their times.
names() {
	ls -A "$STATE" | sed -E 's/-[0-9]{8}-[0-9]{6}(-[0-9]+)?/-TIME/'
}

@test "mp record at a terminal writes a file, readable by its owner only; mp-show shows the last one" {
	at_terminal 'mp record waits -d 5' > "$TMP/out"
	grep -q "^mp: recorded $STATE/waits-[0-9]*-[0-9]*\.mp\.zst ('mp show' shows it)" "$TMP/out"
	[ "$(cat "$TMP/bin/mp-record.words")" = "waits -d 5" ]
	[ "$(names)" = "waits-TIME.mp.zst" ]
	zstd -qdc "$STATE"/*.mp.zst | cmp - "$TMP/stream"
	[ "$(stat -c %a "$STATE"/*.mp.zst)" = 600 ]
	run --separate-stderr mp-show
	[ "$status" = 0 ] && [ -z "$stderr" ]
	[[ "$output" == *"event by mp-record on web7"*"collector   waits"*"0.990 s from"*"0 events"*" 100  a:begin, with stacks"* ]] || false
	[[ "$output" == *"the default of collector waits"*"mp-pair -b a:begin -e a:end -k tid $STATE/waits-"*".mp.zst | mp-svg-heatmap --log"* ]] || false
	[ "${lines[-1]}" = "$(ls "$STATE"/waits-*.html)" ]
	at_terminal 'mp record --compress=none waits' > "$TMP/out"
	cmp "$STATE"/waits-*.mp "$TMP/stream"
	rm "$STATE"/waits-*.mp
	recording=$(ls "$STATE"/waits-*.mp.zst)
	mp-show --as heat > "$TMP/out"
	mp-pair -b a:begin -e a:end -k tid "$recording" | mp-svg-heatmap --log | cmp - "$(tail -n 1 "$TMP/out")"
}

@test "by default all is one page: that of the commands which --print prints" {
	cd "$TMP/here"
	cp "$TMP/stream" x.mp
	run --separate-stderr mp-show x.mp -o page
	[ "$status" = 0 ] && [ -z "$stderr" ] && [ "${lines[-1]}" = page ] && [ "$(ls | tr '\n' ' ')" = "page x.mp " ]
	mp-show --print x.mp > commands
	cat commands
	cat > wanted <<- 'END'
		mp-pair -b a:begin -e a:end -k tid x.mp | mp-svg-heatmap --log > x-heat.svg
		mp-pair -b a:begin -e a:end -k tid x.mp | mp-hist --by comm > x-table.txt
		mp-pair -b a:begin -e a:end -k tid x.mp | mp-page -w dur --add 'x-heat.svg=heat map' --add x-table.txt=table > x.html
	END
	diff wanted commands
	bash commands
	# what reads the file by its name has the name
	[ "$(grep -c '^<script type="text/plain" id="added-' page)" = 2 ]
	diff <(grep -a 'id="\(data\|added-1\)"' page) <(grep -a 'id="\(data\|added-1\)"' x.html)
	mp-show --print waits -d 5 > commands
	[ "$(head -n 1 commands)" = "mp-record waits -d 5 > recording.mp" ]
	rm x*
	bash commands
	cmp recording.mp "$TMP/stream"
	diff <(grep -a 'id="data"' page) <(grep -a 'id="data"' recording.html)
}

@test "with output redirected, -o, or without a recording, mp record is mp-record" {
	mp record waits -d 5 | cmp - "$TMP/stream"
	for words in '-o x waits' '--output=x waits' '-l' '--explain waits' '-h' '--version' ''; do
		at_terminal "mp record $words" > "$TMP/out"
		[ "$(cat "$TMP/bin/mp-record.words")" = "$words" ]
		tr -d '\r' < "$TMP/out" | cmp - "$TMP/stream"
	done
	[ ! -e "$STATE" ]
}

@test "a recording that fails, is empty or is no stream is not remembered" {
	echo 2 > "$TMP/status"
	run at_terminal 'mp record waits'
	[ "$status" = 2 ]
	echo 0 > "$TMP/status"
	for text in '' 'waits: a test\n' '\0\n'; do
		printf "$text" > "$TMP/stream"
		at_terminal 'mp record waits'
	done
	[ -z "$(names)" ]
	make_stream waits > "$TMP/stream"
	echo 1 > "$TMP/status"	# events were lost
	run at_terminal 'mp record waits'
	[ "$status" = 1 ] && [ "$(names)" = "waits-TIME.mp.zst" ]
}

@test "SIGTERM ends a recording in order; SIGKILL of the recorder leaves no draft" {
	touch "$TMP/wait"
	start_load script -qefc 'exec mp record waits' /dev/null
	until [ -e "$TMP/bin/mp-record.waits" ]; do await; done
	[[ "$(names)" == .mp-draft-* ]] || false
	until pid=$(children "$LOAD_PID" mp); do await; done
	pkill -TERM -g "$pid" -x mp
	until [ "$(names)" = "waits-TIME.mp.zst" ]; do await; done
	rm "$STATE"/* "$TMP/bin/mp-record.waits"
	start_load script -qefc 'exec mp record waits' /dev/null
	until [ -e "$TMP/bin/mp-record.waits" ]; do await; done
	until pid=$(children "$LOAD_PID" mp); do await; done
	pkill -KILL -P "$pid"
	while [ -e "/proc/$pid" ]; do await; done
	[ -z "$(names)" ]
}

@test "a name that is wrong is no name of a file: headers cannot choose paths or programs" {
	for name in '../../../tmp/x' '.hidden' 'a/b' '$(touch x)' '-o' ''; do
		make_stream "$name" | jq -cR 'fromjson? // .' 2> /dev/null > "$TMP/x" || true
		make_stream "$name" > "$TMP/stream"
		at_terminal 'mp record waits' > /dev/null
	done
	[ "$(find "$TMP" -name '*.mp' -o -name '*.mp.zst' | wc -l)" = 6 ]
	[ "$(find "$STATE" -name '*.mp.zst' | wc -l)" = 6 ]
	# a pipeline in a header, and an argument with quotes, are not run
	make_stream "waits:'|touch $TMP/ran;'" | sed '1s/"host"/"show":"mp-record waits | touch ran","host"/' > "$TMP/evil.mp"
	cd "$TMP/here"
	run mp-show "$TMP/evil.mp"
	[ "$status" = 0 ] && [ ! -e "$TMP/ran" ] && [ "$(ls)" = evil.html ]
	make_stream nosuch > "$TMP/evil.mp"
	run --separate-stderr mp-show "$TMP/evil.mp" -o x.html
	[ "$stderr" = "mp-show: no collector 'nosuch' (mp-record -l lists them; a command goes after --)" ]
	[[ "$output" == *"all of the recording"* ]] || false
}

@test "names of a hostile recording print no control bytes" {
	make_stream waits | sed 's/web7/we\\u001b[31mb/; s/a:end/a:\\x1b]0;x/' > "$TMP/hostile.mp"
	cp "$TMP/hostile.mp" "$TMP/$(printf 'a\033[31m').mp"
	cd "$TMP/here"
	mp-show "$TMP"/a*.mp -o x 2>&1 | LC_ALL=C grep -q $'[\001-\010\013-\037]' && false
	mp-show --print "$TMP"/a*.mp | LC_ALL=C grep -q $'[\001-\010\013-\037]' && false
	true
}

@test "the names that a recording has are bounded, in number and in length" {
	awk 'BEGIN { for (i = 0; i < 30000; i++) printf "%d,t%d,comm=x\n", i, i
		s = "y"; while (length(s) < 300000) s = s s
		for (; i < 30050; i++) printf "%d,%s%d,comm=x\n", i, s, i }' > "$TMP/many.mp"
	cd "$TMP/here"
	run mp-show --as table "$TMP/many.mp" -o x
	[ "$status" = 0 ]
	[[ "$output" == *"       20050  [other]"* ]] || { head -c 2000 <<< "$output"; false; }
	awk 'BEGIN { s = "y"; while (length(s) < 300000) s = s s; for (i = 0; i < 50; i++) printf "%d,%s%d,comm=x\n", i, s, i }' > "$TMP/long.mp"
	{
		printf '{"mp":1,"datatype":"event","interface":"mp-record","host":"'
		head -c 300000 /dev/zero | tr '\0' h
		printf '"}\n'
		cat "$TMP/long.mp"
		printf '{"end":"event","records":50,"lost":0}\n'
	} > "$TMP/longer.mp"
	mp-show --as table "$TMP/longer.mp" -o x > out
	[ "$(wc -c < out)" -lt 2000 ] && grep -q "          50  yyyy" out
}

@test "no symlink is followed, and recordings under sudo belong to the calling user" {
	mkdir -p "$HOME/.local" "$TMP/elsewhere"
	ln -s "$TMP/elsewhere" "$HOME/.local/state"
	run at_terminal 'mp record waits'
	[ "$status" = 2 ] && [[ "$output" == *"cannot open the folder of recordings"*"symlinks are not followed"* ]] || false
	[ -z "$(ls "$TMP/elsewhere")" ]
	rm "$HOME/.local/state"
	[ "$(id -u)" = 0 ] || skip "needs root"
	local user home
	user=$(getent passwd | awk -F: '$3 >= 1 && $6 != "/" && $6 != "/nonexistent" { print $1 ":" $3 ":" $6 }' | while IFS=: read -r name uid home; do
		[ -d "$home" ] && [ "$(stat -c %u "$home")" = "$uid" ] && [ ! -e "$home/.local" ] && echo "$name:$uid:$home" && break
	done || true)
	[ "$user" ] || skip "no other user has a home"
	IFS=: read -r name uid home <<< "$user"
	chmod 755 "$TMP" "$TMP"/*/
	run at_terminal "SUDO_UID=$uid mp record waits"
	[ "$status" = 0 ]
	[ "$(stat -c %u "$home"/.local/state/mp/*.mp.zst "$home/.local/state/mp" | sort -u)" = "$uid" ]
	SUDO_UID=$uid mp-show > "$TMP/out" || { rm -rf "$home/.local"; false; }
	[ "$(stat -c %u "$home"/.local/state/mp/*.html)" = "$uid" ]
	# the user's folder leads to root's: root's privileges are not used
	rm -rf "$home/.local/state/mp"
	mkdir -m 700 "$TMP/private"
	ln -s "$TMP/private" "$home/.local/state/mp"
	run at_terminal "SUDO_UID=$uid mp record waits"
	rm -rf "$home/.local"
	[ "$status" = 2 ] && [ -z "$(ls -A "$TMP/private")" ]
}

@test "only so many recordings are kept, for so long, with their pictures" {
	printf 'keep = 3\nkeep-days = 2\n' > "$TMP/config/mp"
	rm "$TMP/config/mp" && mkdir "$TMP/config/mp"
	printf '# choices\nkeep = 3\nkeep-days = 2\n' > "$TMP/config/mp/show"
	mkdir -p "$STATE"
	for i in 1.mp 2.mp 3.mp.gz 4.mp.zst; do touch -d "${i%%.*} hours ago" "$STATE/old-$i" "$STATE/old-${i%%.*}.html"; done
	touch -d '3 days ago' "$STATE/ancient.mp" "$STATE/ancient.svg" "$STATE/.mp-draft-1" "$STATE/mine.txt"
	ln -s "$TMP/stream" "$STATE/link.mp"
	at_terminal 'mp record waits' > /dev/null
	[ "$(names | tr '\n' ' ')" = "link.mp mine.txt old-1.html old-1.mp old-2.html old-2.mp waits-TIME.mp.zst " ]
}

@test "the form, the first line whose programs exist, and the configuration choose the pipeline" {
	cd "$TMP/here"
	cp "$TMP/stream" x.mp
	while IFS='|' read -r words wanted; do
		mp-show --print $words x.mp > out
		[ "$(cat out)" = "${wanted//!/|}" ] || { echo "$words: $(cat out)"; false; }
	done <<- 'END'
		--as heat|mp-pair -b a:begin -e a:end -k tid x.mp ! mp-svg-heatmap --log
		--as table|mp-pair -b a:begin -e a:end -k tid x.mp ! mp-hist --by comm
		--as flame|mp-flame -e a:begin x.mp
		--as cpel|mp-pair -b a:begin -e a:end -k tid x.mp ! mp-cpel
		--as page|mp-pair -b a:begin -e a:end -k tid x.mp ! mp-page -w dur
		--as timeline|mp-pair -b a:begin -e a:end -k tid x.mp ! mp-timeline
		--as treemap|mp-pair -b a:begin -e a:end -k tid x.mp ! mp-treemap -e '*' --weight dur
		--as stackplot|mp-pair -b a:begin -e a:end -k tid x.mp ! mp-stackplot -e '*' --by comm --weight dur
		--from 1s --for 2s -e a:* -f tid==5 --as flame|mp-select --from 1s --for 2s -e 'a:*' -f tid==5 x.mp ! mp-flame -e a:begin
		--as flame x.mp|mp-order x.mp x.mp ! mp-flame -e a:begin
	END
	sed -i 's/mp-pair -b a:begin -e a:end -k tid | mp-svg-heatmap --log/mp-no-such/' "$TMP/collectors/waits"
	run mp-show x.mp
	[ "$status" = 0 ] && [[ "$output" == *"choice 2 of collector waits (mp-no-such is not installed)"* ]] || false
	mkdir "$TMP/config/mp"
	echo 'show.waits = flame' > "$TMP/config/mp/show"
	[ "$(mp-show --print x.mp)" = "mp-flame -e a:begin x.mp" ]
	echo "show.waits = mp-hist --count 'comm' > x" > "$TMP/config/mp/show"
	[ "$(mp-show --print x.mp)" = "mp-hist --count comm x.mp" ]
	echo 'as = table' > "$TMP/config/mp/show"
	[ "$(mp-show --print x.mp)" = "mp-pair -b a:begin -e a:end -k tid x.mp | mp-hist --by comm" ]
	for wrong in nothing 'no = key' 'keep = 0' 'keep = x' 'open = x' 'as = a | ' 'as = a; b' 'as = mp-record'; do
		echo "$wrong" > "$TMP/config/mp/show"
		run mp-show --print x.mp
		[ "$status" = 2 ]
	done
}

@test "lines that are more than a pipeline are not run" {
	cd "$TMP/here"
	cp "$TMP/stream" x.mp
	for line in 'mp-record waits | tee ran; touch ran' 'mp-record waits | sh -c "$(touch ran)"' 'mp-record waits | cat && touch ran' \
		'mp-record waits > ran' 'mp-record waits | cat < ran' 'mp-record waits | `touch ran`' 'mp-record waits | cat > a b' \
		"mp-record waits | cat 'open" 'mp-record waits | | cat' 'touch ran | cat' ''; do
		printf 'summary = x\nevent = a:b\nshow = %s\n' "$line" > "$TMP/collectors/waits"
		run mp-show x.mp -o out.html
		[ "$status" = 0 ] && [ ! -e ran ] && [ ! -e a ]
		[[ "$output" != *"collector waits ("* && "$output" != *"default of collector"* ]] || { echo "$line"; false; }
	done
	mkdir "$TMP/config/mp"
	printf 'summary = x\nevent = a:b\nshow = %s\n' "mp-record waits | grep -c 'a:begin' > 'a b.txt'" > "$TMP/collectors/waits"
	run mp-show x.mp
	[ "$status" = 0 ] && [[ "$output" == *"  result    the default of collector waits"* ]] && [ "$(ls | tr '\n' ' ')" = "out.html x.html x.mp " ]
	echo "show.waits = grep -c 'a:begin'" > "$TMP/config/mp/show"
	run mp-show x.mp
	[ "$status" = 0 ] && [ "${lines[-1]}" = 100 ]
}

@test "standard input, standard output, several files, files that can be read only once" {
	cd "$TMP/here"
	mp-flame -e a:begin "$TMP/stream" > wanted.html
	mp-show --as flame - -o - < "$TMP/stream" 2> listing | cmp - wanted.html
	grep -q '100  a:begin' listing
	mp-show --as flame -o x.html <(cat "$TMP/stream") > /dev/null
	cmp x.html wanted.html
	gzip < "$TMP/stream" > y.mp.gz
	mp-show --as flame y.mp.gz > out
	[ "$(tail -n 1 out)" = y.html ] && cmp y.html wanted.html
	mp-show --as table "$TMP/stream" "$TMP/stream" -e a:begin > /dev/null || [ $? = 1 ]
	run mp-show x.mp <(true)
	[ "$status" = 2 ] && [[ "$output" == *"is not a regular file"* ]] || false
	mp-show --as flame -o /dev/null "$TMP/stream" > /dev/null
	[ -c /dev/null ]
}

# MARPLE's file with a data set of each datatype, and two of points.
marple() {
	cat <<- 'X'
		{"start": "2018-09-13 15:42:35", "end": "2018-09-13 15:42:40", "interface": "Scheduling Events", "datatype": "event"}
		1000$$$sched_switch$$${'pid': '12', 'comm': 'nginx', 'cpu': '1'}$$$None
		2000$$$sched_switch$$${'pid': '13', 'comm': 'bash', 'cpu': '0'}$$$None

		{"start": "2018-09-13 15:42:35", "end": "b", "interface": "Call Stacks", "datatype": "stack", "data options": {"weight_units": "calls"}}
		12#nginx;main;read
		5#nginx;main;write

		{"start": "2018-09-13 15:42:35", "end": "b", "interface": "Memory", "datatype": "point"}
		1.0$$$5$$$one
		2.0$$$7$$$one

		{"start": "2018-09-13 15:42:35", "end": "b", "interface": "Disk", "datatype": "point"}
		1.0$$$100$$$two
	X
}

@test "a message that several parts of a page have is printed once" {
	cd "$TMP/here"
	{
		printf '{"mp":1,"datatype":"event","interface":"mp-record","collectors":["cpusched"]}\n'
		printf '1000,sched:sched_switch,cpu=0\tpid=1\ttid=1\tcomm=a\t.prev_pid=1\t.prev_comm=a\t.prev_state=1\t.next_pid=2\t.next_comm=b\n'
		printf 'not a line\n'
		printf '{"lost":7,"time":1500}\n'
		printf '2000,sched:sched_switch,cpu=0\tpid=2\ttid=2\tcomm=b\t.prev_pid=2\t.prev_comm=b\t.prev_state=0\t.next_pid=1\t.next_comm=a\n'
		printf '{"end":"event","records":2,"lost":7}\n'
	} > s.mp
	MP_COLLECTORS=$OLDPWD/lib/collectors run --separate-stderr mp-show s.mp
	[ "$status" = 1 ] && [ -s s.html ] || { echo "$output $stderr"; false; }
	[ "$(grep -c 'mp-sched s.mp |' <<< "$output")" -ge 2 ]
	grep -q '^mp-sched: input reports 7 lost events' <<< "$stderr"
	[ -z "$(sort <<< "$stderr" | uniq -d)" ] || { echo "$stderr"; false; }
}

@test "a file of another format is imported: events, stacks and points of MARPLE have a picture each, by one command" {
	cd "$TMP/here"
	marple > all.marple
	mp-import all.marple > all.mp
	run --separate-stderr mp-show all.marple
	[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$output $stderr"; false; }
	[ "${lines[0]}" = all.marple ] && [ "${lines[-1]}" = all.marple.html ]
	[[ "$output" == *"page        the events"*"areas       the points"*"flame graph the stacks"*"table       the events"* ]] || { echo "$output"; false; }
	# the page is that of the printed commands, in which the file has its name
	mp-show --print all.marple > commands
	[ "$(grep -c '^mp-import all.marple | ' commands)" = 4 ]
	mv all.marple.html shown.html
	sh -e ./commands
	[ -s all.marple.html ] && [ -s all.marple-areas.svg ] && [ -s all.marple-flame.html ]
	# each data set by itself, as with --noagg, has the picture of its datatype; so has each file
	run --separate-stderr mp-show --each all.marple all.mp
	[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$output $stderr"; false; }
	[ "$(printf '%s\n' "${lines[@]}" | grep -E '^all.*\.(html|svg)$' | xargs)" = "all.marple-1.html all.marple-2.html all.marple-3.svg all.marple-4.svg all.html" ]
	grep -q two all.marple-4.svg && ! grep -q '>one<' all.marple-4.svg
	# the printed commands make the same pictures
	mp-show --each --print all.marple | tail -n 3 > commands
	for file in all.marple-2.html all.marple-3.svg all.marple-4.svg; do
		read -r command
		sh -c "$command" | cmp - "$file"
	done < commands
	# files of two folders with one name
	mkdir one two
	cp all.mp one/both.mp
	cp all.mp two/both.mp
	[ "$(mp-show --each --as flame one/both.mp two/both.mp | grep '^both' | xargs)" = "both.html both-2.html" ]
	[ -s both.html ] && [ -s both-2.html ]
	run mp-show --each -o x all.mp
	[ "$status" = 2 ] && [ "${lines[0]}" = "mp-show: --each cannot be combined with -o, -d or a command" ]
	# a stream and folded text are read as they are
	mp-show --print all.mp | grep -q mp-import && false
	echo 'a;b 3' > f.folded
	mp-show --print f.folded | grep -q mp-import && false
	# perf script text, from a pipe
	printf 'cat 7 [001] 9.100000: sched:sched_wakeup: comm=x pid=5 prio=120 target_cpu=001\n' | mp-show --print - | grep -q '^mp-import - | .*mp-page'
	# what mp-import skips is reported, and in the status
	echo '{' >> all.marple
	run mp-show --print all.marple
	[ "$status" = 1 ] && [[ "$output" == *"mp-import: "* ]] || { echo "$output"; false; }
}

@test "--text prints all that can be text, each below the command for it" {
	cd "$TMP/here"
	cp "$TMP/stream" x.mp
	mp-show --text x.mp > out
	[ "$(grep -c '^\$ ' out)" = 3 ]
	sed -n 's/^\$ //p' out > commands
	while read -r command; do
		bash -c "$command" > text
		grep -qF -- "$(sed -n 2p text)" out
	done < commands
	grep -q '^mp-pair .* x.mp | mp-svg-heatmap --log --ascii$' commands
	grep -qx 'mp-flame -e a:begin --text x.mp' commands
	[ "$(ls | tr '\n' ' ')" = "commands out text x.mp " ]
}

@test "mp-show COLLECTOR records and shows; a wrong name is found before" {
	run mp-show waits -d 5 -p 5 --as table
	[ "$status" = 0 ] && [ "$(cat "$TMP/bin/mp-record.words")" = "waits -p 5 -d 5" ] && [ "$(names)" = "waits-TIME.mp.zst" ]
	run mp-show waits --as table -- job -d 3 -- x
	[ "$(cat "$TMP/bin/mp-record.words")" = "waits -- job -d 3 -- x" ]
	[ "$(mp-show waits -d 5 --as heat --print)" = "mp-record waits -d 5 | mp-pair -b a:begin -e a:end -k tid | mp-svg-heatmap --log" ]
	rm "$TMP/bin/mp-record.words"
	run mp-show wait -d 5
	[ "$status" = 2 ] && [ "$output" = "mp-show: no collector 'wait'; did you mean 'waits'?" ]
	run mp-show wait
	[ "$status" = 2 ] && [ "$output" = "mp-show: no file 'wait', and no collector 'wait'; did you mean 'waits'?" ]
	run mp-show waits
	[ "$status" = 2 ] && [ "$output" = "mp-show: no file 'waits' (to record this collector: mp-show waits -d 5)" ]
	[ ! -e "$TMP/bin/mp-record.words" ]
	rm -r "$STATE"
	run mp-show
	[ "$status" = 2 ] && [[ "$output" == *"there is no recording in '$STATE'"* ]] || false
}

@test "the picture has its name when it is complete: a signal or a failure leaves nothing" {
	cd "$TMP/here"
	cp "$TMP/stream" x.mp
	for signal in INT TERM HUP; do
		printf 'summary = x\nevent = a:b\nshow = mp-record waits | sleep 1234 > x\n' > "$TMP/collectors/waits"
		start_load env --default-signal=INT mp-show x.mp
		until children "$LOAD_PID" sleep > /dev/null; do await; done
		kill -$signal "$LOAD_PID"
		run wait "$LOAD_PID"
		while [ -e "/proc/$LOAD_PID" ]; do await; done
		[ "$(ls -A)" = x.mp ]
	done
	printf 'summary = x\nevent = a:b\nshow = mp-record waits | mp-hist --by .nosuch > x\n' > "$TMP/collectors/waits"
	run mp-show x.mp --as table
	[ "$status" = 2 ] && [ "$(ls -A)" = x.mp ]
	run mp-show x.mp
	[ "$status" = 1 ] && [[ "$output" == *"mp-show: no table: the pipeline failed"* ]] && [ -s x.html ]
	rm x.html
	run bash -c 'mp-show --as table x.mp > /dev/full'
	[ "$status" = 2 ] && [ "$(ls -A)" = x.mp ]
	cp "$TMP/stream" ok.html
	run mp-show --as flame -o ok.html nothere.mp
	[ "$status" = 2 ] && cmp ok.html "$TMP/stream"
}

@test "--open opens the picture, cpel starts G2, and without them it says so" {
	cd "$TMP/here"
	cp "$TMP/stream" x.mp
	for program in xdg-open g2; do
		printf '#!/bin/sh\necho "$*" > "%s"\n' "$TMP/$program.words" > "$TMP/bin/$program"
		chmod +x "$TMP/bin/$program"
	done
	mp-show --as flame x.mp > /dev/null
	[ ! -e "$TMP/xdg-open.words" ]
	mp-show --as flame --open x.mp > /dev/null
	until [ -s "$TMP/xdg-open.words" ]; do await; done
	[ "$(cat "$TMP/xdg-open.words")" = x.html ]
	mp-show --as cpel x.mp > out
	until [ -s "$TMP/g2.words" ]; do await; done
	[ "$(tail -n 1 out)" = x.cpel ] && [ "$(cat "$TMP/g2.words")" = "--cpel-input x.cpel" ] && [ -s x.cpel ]
}

@test "each collector has a line that mp-show can run, and its first one names only programs of this family" {
	export MP_COLLECTORS="$PWD/lib/collectors"
	for file in lib/collectors/*; do
		name=${file##*/}
		printf '{"mp":1,"datatype":"event","collectors":["%s"]}\n{"end":"event","records":0,"lost":0}\n' "$name" > "$TMP/$name.mp"
		mp-show "$name" -d 5 --print > "$TMP/out" 2> "$TMP/err" || { cat "$TMP/err"; false; }
		first=$(sed -n 's/^show = //p' "$file" | head -n 1)
		[[ "$first" == "mp-record $name"* ]] || { echo "$first"; false; }
		! grep -q 'flamegraph' <<< "$first" || false
		# alone, or as one of the lines that make the page
		sed 's/ > [^ ]*$//; s/^[^|]*| //' <<< "$first" | tr -d "'\"" > "$TMP/wanted"
		sed 's/ > [^ ]*$//; s/^mp-record [^|]*| //; s/ recording\.mp//; s/ --add .*//' "$TMP/out" | tr -d "'\"" | grep -qxFf "$TMP/wanted" ||
			{ cat "$TMP/wanted" "$TMP/out"; false; }
	done
}

@test "damaged, empty and other input is reported as in every program" {
	cd "$TMP/here"
	: > empty.mp
	run mp-show empty.mp -o x.html
	[ "$status" -ge 1 ] && [[ "$output" == *"the recording is empty"* ]] || false
	{ cat "$TMP/stream"; printf 'garbage\n'; } > bad.mp
	run mp-show bad.mp --as flame
	[ "$status" = 1 ] && [[ "$output" == *"bad.mp:"* ]] || false
	head -n 50 "$TMP/stream" > cut.mp
	run mp-show cut.mp --as flame
	[ "$status" = 1 ] && [[ "$output" == *"truncated (no trailer)"* ]] || false
	printf 'main;f 3\nmain;g 4\n' > x.folded
	run mp-show x.folded --print
	[ "$output" = "mp-flame x.folded" ]
	printf '1,2,a\n2,3,b\n' > p.mp
	run mp-show p.mp --print
	[ "$output" = "mp-stackplot p.mp" ]
	printf '1,stat:faults,cpu=0\t.value=3\n' > s.mp
	run mp-show s.mp --print
	[ "${lines[0]}" = "mp-stackplot -y .value -e 'stat:*' --by type s.mp > s-areas.svg" ]
}

@test "--against shows two recordings on a page, as the printed commands do, with hostile names and losses" {
	command -v chromium-headless-shell > /dev/null || skip "needs chromium-headless-shell"
	make_stream waits | sed 's/comm=nginx/comm=<b>old<i>/; s/"clock_ns":900/"clock_ns":900,"cpus":4/; s/"lost":0/"time":1001000000,"lost":7/' > "$TMP/here/<b>old.mp"
	make_stream 'waits","other' | sed 's/f0/<script>alert(1)<i>/; s/"clock_ns":900/"clock_ns":900,"cpus":8/; s/"lost":0/"time":2001000000,"lost":0/' > "$TMP/here/new.mp"
	sed 's/waits/other/g' "$TMP/collectors/waits" > "$TMP/collectors/other"
	cd "$TMP/here"
	run --separate-stderr mp-show -o page.html --against '<b>old.mp' new.mp
	[ "$status" = 1 ] && [ "${lines[-1]}" = page.html ] || { echo "$output $stderr"; false; }
	[[ "$stderr" == *"mp-show: collectors that only one of the recordings has are not shown"* ]] || { echo "$stderr"; false; }
	[[ "$output" == *"* window      1 s  "*" 2 s"*"* lost events 7  "*"* CPUs        4  "*" 8"*" 100         99.9          100       49.975  a:begin"* ]] ||
		{ echo "$output"; false; }
	mp-show --print --against '<b>old.mp' new.mp > commands || [ $? = 1 ]
	sh ./commands || [ $? = 1 ]
	cd "$OLDPWD"
	run flame_check "$TMP/here/page.html" size:1300,900 text:section-0 text:section-1 text:section-5 text:section-8 text:section-9 \
		"inside:2,document.querySelectorAll('text').length > 5" "inside:3,document.querySelectorAll('text').length > 5" dark size:400,700 print
	[ "$status" = 0 ] || { echo "$output"; false; }
	echo "$output"
	[[ "$output" == *"text:section-0 => the recordings"*"<b>old.mp"* && "$output" == *"text:section-1 => changes, per second"* ]] || false
	# tables are those of the commands
	tr -d ' \n' <<< "$output" > "$TMP/said"
	for name in changes.txt distributions.txt table-before.txt table-after.txt; do
		grep -qF -- "$(tr -d ' \n' < "$TMP/here/new-against-<b>old-$name")" "$TMP/said" || { echo "$name"; false; }
	done
	cd "$TMP/here"
	# a side that is empty; standard input, and text of another format
	printf '{"mp":1,"datatype":"event"}\n{"end":"event","records":0,"lost":0}\n' > empty.mp
	# not to a pipe, whose end would end mp-show before it has a page
	mp-show -o page.html --against new.mp empty.mp > out
	grep -q 'after is empty: nothing is compared' out
	mp-show -o page.html --against empty.mp new.mp > out
	grep -q 'before is empty: nothing is compared' out
	perf='cat 7 [001] 9.100000: sched:sched_wakeup: comm=x pid=5 prio=120 target_cpu=001\n'
	printf "$perf$perf" > two.txt
	printf "$perf" | mp-show -o two.html --against - two.txt > out
	grep -qE ' 1 .* 2 .* sched:sched_wakeup$' out || { cat out; false; }
	cd "$OLDPWD"
	flame_check "$TMP/here/page.html" size:400,700 dark
}
