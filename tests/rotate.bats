#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A recording that is written to one file after the other: each is complete, and together they have each event once; what is deleted,
# and what is not; the service, the timer and the line for cron that record in this way.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# A program that counts: it seeks to 0, 1, 2 and so on, some 10,000 times a second. It does so when this returns: an interpreter that
# starts may seek, too.
start_counting() {
	mkdir "$TMP/f"
	start_load perl -e '$| = 1; print "here\n"; for (my $i = 0;; $i++) { sysseek STDIN, $i, 0; select undef, undef, undef, 0.001 if $i % 20 == 0 }'
	until [ -s "$TMP/load.out" ]; do await; done
}

# To be run in the background, with the file: then $! is its pid. The buffers are for some seconds of a busy machine.
record() {
	exec mp-record -v -m 16M -g none -e syscalls:sys_enter_lseek -p "$LOAD_PID" -d 120s "$@" 2> "$TMP/err"
}

end_recording() {
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
}

# Waits for N more files of a folder.
await_files() {	# FOLDER N
	local seen=() before=
	while [ "${#seen[@]}" -le "$2" ]; do
		await
		now=$(find "$1" -name 's-*' -newer "$STARTED" -printf '%f\n' | sort | tail -n 1)
		[ "$now" = "$before" ] || seen+=("$now")
		before=$now
	done
}

text() {
	case $1 in *.zst) zstd -qcd "$1" ;; *) cat "$1" ;; esac
}

# Of the files in order of their names: each is a complete stream, of a time that begins where the one before ends, and has the names
# of tasks; together they have each number of the program once, in order, and their accounts say so. `$lost`: numbers may be missing.
are_exact() {
	local f
	for f in "$@"; do
		[[ "$(mp-order --check "$f")" == *": valid, complete, ordered: "* ]] || { mp-order --check "$f"; return 1; }
		text "$f" > "$TMP/text"
		head -n 1 "$TMP/text" && tail -n 1 "$TMP/text"
		[ "$(sed '$d' "$TMP/text" | wc -c)" = "$(trailer "$TMP/text" bytes)" ]
		! grep '^[0-9]' "$TMP/text" | grep -v 'comm=perl' || false
		perl -ne '/"clock_ns":(\d+)/ and $from = $1; /^\{"end".*"time":(\d+)/ and $until = $1; push @t, $1 if /^(\d+),/;
			END { print grep { $_ < $from || $_ >= $until } @t[0 .. $#t - 1]; print "last\n" if $t[-1] > $until }' "$TMP/text" > "$TMP/wrong"
		[ ! -s "$TMP/wrong" ] || { cat "$TMP/wrong"; return 1; }
	done > "$TMP/ends"
	jq -se '[range(1; length / 2)] as $i | [$i[] as $k | .[2 * $k].clock_ns == .[2 * $k - 1].time] | all' "$TMP/ends"
	jq -se 'map(select(.end)) | all(.fired == .records + .excluded + .lost and .fired == ([.cpus[][0]] | add))' "$TMP/ends"
	for f in "$@"; do text "$f"; done | perl -ne 'if (/"records":(\d+)/) { $records += $1 }
		next unless /syscalls:sys_enter_lseek.*offset=0x([0-9a-f]+)/; $now = hex $1; $n++;
		die "after $last comes $now\n" if defined $last and $now != $last + 1;
		$last = $now; $first //= $now; END { print "$n $records\n"; exit !($n == $records && $n == $last - $first + 1) }'
}

# Whether mp-order --check says of a file that it lacks its end, perhaps also its header.
is_incomplete() {
	grep -qE ', truncated, |this is empty|, without header, .* 0 records in 0 sections' <<< "$1"
}

@test "files of a size have each event once, in order, with names; the account of each is its own" {
	needs_root
	start_counting
	record --rotate 100K -o "$TMP/f/s.mp" &
	pid=$!
	await_files "$TMP/f" 6
	end_recording
	[ "$status" = 0 ] || { cat "$TMP/err"; false; }
	files=("$TMP"/f/s-*.mp)
	[ "${#files[@]}" -ge 6 ]
	are_exact "${files[@]}"
	for f in "${files[@]:0:${#files[@]}-1}"; do [ "$(stat -c %s "$f")" -ge 102400 ]; done
	# the whole: what the recording says, what all trailers say, and what a merge of all files says
	records=$(jq -s 'map(.records // 0) | add' "$TMP/ends")
	grep -x "mp-record: $records events, 0 lost, in ${#files[@]} files" "$TMP/err"
	for cpu in $(jq -s -r 'map(.cpus // {} | if type == "object" then keys[] else empty end) | unique[]' "$TMP/ends"); do
		sums=$(jq -s -r --arg c "$cpu" 'map(select(.end) | .cpus[$c]) | "fired \(map(.[0]) | add), delivered \(map(.[1]) | add), "' "$TMP/ends")
		grep "mp-record: CPU $cpu: $sums" "$TMP/err"
	done
	mp-order "${files[@]}" > "$TMP/all"
	[ "$(trailer "$TMP/all" records)" = "$records" ]
	[[ "$(mp-order --check "$TMP/all")" == *" $records records in 1 section, 0 lost" ]]
}

@test "writers that are killed, also while a file ends, leave each event in one compressed file" {
	needs_root
	start_counting
	record --rotate 150K -o "$TMP/f/s.mp.zst" &
	pid=$!
	writer=
	for _ in {1..10}; do
		find_writer "$writer"
		sleep "0.$(printf '%03d' $((RANDOM % 200)))"
		kill -KILL "$writer" 2> /dev/null || true
	done
	find_writer "$writer"
	until [ "$(find "$TMP/f" -name 's-*' | wc -l)" -ge 6 ]; do await; done
	await_files "$TMP/f" 1
	end_recording
	[ "$status" = 1 ] || { cat "$TMP/err"; false; }
	files=("$TMP"/f/s-*.mp.zst)
	are_exact "${files[@]}"
	[ "$(jq -s -c 'map(select(.end) | .restarts // 0) | [.[:-1], .[-1:]] | map(add > 0)' "$TMP/ends")" = '[false,true]' ]
}

@test "files of a length have the lines of the modules that their frames name, and a terminal shows how many there are" {
	needs_root
	command -v script > /dev/null || skip "no script(1)"
	mkdir "$TMP/f"
	# until there are so many files: a recording of a busy machine may begin one late, and the last may have no sample
	cat > "$TMP/spins" <<-'X'
		until [ "$(find "$1" -name 's-*' | wc -l)" -ge 5 ]; do "$2" 0.1 > /dev/null; done
	X
	script -qec "mp-record --rotate 400ms,1G --fields +addr -e cpu-clock -F 499 -o '$TMP/f/s.mp' -- sh $TMP/spins $TMP/f $LOAD/spin" /dev/null > "$TMP/out" < /dev/null || [ $? = 1 ]
	files=("$TMP"/f/s-*.mp)
	[ "${#files[@]}" -ge 5 ]
	grep -aqE '[0-9]+ lost, ([2-9]|[1-9][0-9]+) files' "$TMP/out"
	grep -aqE "^mp-record: [0-9]+ events, [0-9]+ lost, in ${#files[@]} files" "$TMP/out"
	for f in "${files[@]}"; do
		perl -ne 'if (/^\{"module":"(.*?)"/) { $known{$1} = 1 } elsif (/^\d/) { $n++ while /\+0x[0-9a-f]+@([^;_\s]+:[0-9a-f]+|\[kernel\][^;_\s]*)(?{ $known{$1} or die "no line of $1\n" })/g }
			END { print "$n\n" if $n > 10 }' "$f"
	done > "$TMP/frames"
	[ "$(wc -l < "$TMP/frames")" -ge 2 ]
	for f in "${files[@]:0:${#files[@]}-1}"; do [ "$(length_ms "$f")" -ge 400 ]; done
}

@test "no more files remain than are wanted, and nothing else is deleted" {
	needs_root
	start_counting
	cd "$TMP/f"
	future=s-20990101T000000.000Z.mp
	touch "$future" s-19980101T000000.000Z.mp s-19990101T000000.000Z.mp
	echo mine > "$TMP/precious"
	ln -s "$TMP/precious" s-19970101T000000.000Z.mp
	mkdir s-19960101T000000.000Z.mp
	touch s-19950101T000000.000Z.mp && chown nobody s-19950101T000000.000Z.mp
	touch s-19940101T000000.000Z.mp.zst s-19931301T000000.000Z.mp s-19930101T000060.000Z.mp s-19930101T000000.000Zamp xs-19930101T000000.000Z.mp \
		$'s-19930101T000000.000Z.mp\n' s-19930101T000000.00Z.mp s.mp s-19930101t000000.000z.mp 's-1993 101T000000.000Z.mp' s-*.mp S-19930101T000000.000Z.mp
	ours() { find . -regex './s-[12][09]9[89]0101T[0-9]*\.[0-9]*Z\.mp' | sort; }
	others() { find . ! -regex './s-[12][09]9[89]0101T[0-9]*\.[0-9]*Z\.mp' ! -path . -printf '%p %i\n' | sort; }
	others > "$TMP/before"
	# what cannot begin deletes nothing
	run mp-record -q --rotate 1h --max-files 1 -o s.mp -e no:such
	[ "$status" = 2 ]
	[ "$(ours | wc -l)" = 3 ]
	record --rotate 50K --max-files 3 -o s.mp &
	pid=$!
	while [ -e "$future" ]; do
		await
		[ "$(ours | wc -l)" -le 3 ]
	done
	await_files . 4
	end_recording
	[ "$status" = 0 ] || { cat "$TMP/err"; false; }
	[ "$(ours | wc -l)" = 3 ]
	# their names are in their order, though one was of the future
	[ "$(ours | head -n 1)" \> ./s-20990101T000000.000Z.mp ]
	for f in $(ours); do head -n 1 "$f" | jq .clock_ns; done | sort -nc
	others | diff "$TMP/before" -
	[ "$(cat "$TMP/precious")" = mine ]
}

# Runs a function of this file, and what follows, in a file system of 6 MB at $TMP/f.
in_small_disk() {
	export -f record end_recording await_files await keep_few fill
	export TMP STARTED LOAD_PID
	unshare -m bash -c 'mount -t tmpfs -o size=6m none "$TMP/f" && touch "$STARTED" && "$@"' bash "$@"
}

keep_few() {
	record --rotate 500K --max-files 4 -o "$TMP/f/s.mp" &
	pid=$!
	await_files "$TMP/f" 14	# each of them 500K: more than there is
	end_recording
	[ "$(find "$TMP/f" -name 's-*' | wc -l)" = 4 ] && exit "$status"
}

fill() {
	(record --rotate 500K -o "$TMP/f/s.mp")
	status=$?
	cp "$TMP"/f/s-* "$TMP/full"
	exit $status
}

@test "on a small disk the oldest files are deleted in time; a full one leaves complete files" {
	needs_root
	unshare -m true 2> /dev/null || skip "no mount namespaces"
	start_counting
	in_small_disk keep_few || { cat "$TMP/err"; false; }
	[ -z "$(ls "$TMP/f")" ]
	mkdir "$TMP/full"
	run -2 in_small_disk fill
	grep -x "mp-record: cannot write '$TMP/f/s.mp': No space left on device" "$TMP/err"
	files=("$TMP"/full/s-*.mp)
	[ "${#files[@]}" -ge 3 ]
	last=${files[-1]}
	unset 'files[-1]'
	are_exact "${files[@]}"
	# the disk may have been full before its header was written
	run mp-order --check "$last"
	[ "$status" != 0 ] && is_incomplete "$output"
}

@test "what is complete remains when mp-record is killed, and is counted when it begins again" {
	needs_root
	start_counting
	record --rotate 50K --max-files 5 -o "$TMP/f/s.mp" &
	pid=$!
	await_files "$TMP/f" 6
	packer=$(children "$pid" mp-packer)
	case "$BUILD" in *san-*) ;; *) is_confined "$packer" ;; esac	# while it gets files
	mapfile -t processes < <(children "$pid")
	kill -KILL "$pid"
	wait "$pid" || true
	for process in "${processes[@]}"; do
		while state=$(ps -o stat= -p "$process") && [[ "$state" != Z* ]]; do await; done
	done
	files=("$TMP"/f/s-*.mp)
	# the oldest is deleted just before another begins
	[[ ${#files[@]} = [45] ]]
	last=${files[-1]}
	run mp-order --check "$last"
	[ "$status" = 0 ] || is_incomplete "$output"
	unset 'files[-1]'
	are_exact "${files[@]}"
	mp-record -q -g none --rotate 1h --max-files 3 -o "$TMP/f/s.mp" -e page-faults -- true
	[ "$(find "$TMP/f" -type f | wc -l)" = 3 ]
	[ -e "$last" ] && [ -e "${files[-1]}" ]
}

@test "what --rotate cannot do is refused before anything is recorded" {
	refuses() {	# MESSAGE ARG...
		run -2 mp-record -q -e cpu-clock -d 1ms "${@:2}"
		[[ "${lines[0]}" == "mp-record: "*"$1"* ]] || { echo "$output"; false; }
	}
	cd "$TMP"
	for limit in 100 0s 0M 1x 1h,2h 1M,2M '' '1h,' ','; do
		refuses "'$limit' given to --rotate is not a size such as 100M, a duration such as 1h, or both as in 100M,1h" --rotate "$limit" -o s.mp
	done
	refuses '--rotate needs -o FILE' --rotate 1h
	refuses '--rotate needs -o FILE' --rotate 1h -o -
	refuses '--max-files needs --rotate' --max-files 3 -o s.mp
	refuses "'0' given to --max-files is not a number from 1" --rotate 1h --max-files 0 -o s.mp
	[ "$(find . -type f -not -name '.*' -not -name why)" = "" ]
	needs_root
	refuses "cannot write to folder 'no': No such file or directory" --rotate 1h -o no/s.mp
	refuses '--rotate needs the name of a file, as in -o cpu.mp' --rotate 1h -o ./
	refuses '--rotate needs the name of a file, as in -o cpu.mp' --rotate 1h -o .mp.zst
	[ "$(find . -type f -not -name '.*' -not -name why)" = "" ]
	refuses '--rotate cannot be combined with in-kernel aggregation, which writes its result once, at the end' --rotate 1h -o s.mp --sum
	[ "$(find . -name 's*')" = "" ]
}

# Runs a script with $EXAMPLES, whose programs are those that are tested, and an empty /var/log.
with_examples() {
	mkdir "$TMP/examples"
	cp docs/packaging/examples/* "$TMP/examples"
	sed -i "s,/usr/bin/mp-record,$BUILD/bin/mp-record," "$TMP"/examples/*.service
	export TMP BUILD EXAMPLES=$TMP/examples
	unshare -m bash -ec "mount -t tmpfs none /var/log; $1"
}

# Runs the program of a service as systemd does: with this folder for logs, without a shell.
serve() {
	local folder words
	folder=/var/log/$(sed -n 's/^LogsDirectory=//p' "$EXAMPLES/$1")
	mkdir -p -m "$(sed -n 's/^LogsDirectoryMode=//p' "$EXAMPLES/$1")" "$folder"
	read -ra words <<< "$(sed -n 's/^ExecStart=//p' "$EXAMPLES/$1")"
	[[ "${words[*]}" != *[%\"\']* ]]
	umask "$(sed -n 's/^UMask=//p' "$EXAMPLES/$1")"
	# shellcheck disable=SC2016
	exec env -i "LOGS_DIRECTORY=$folder" "${words[@]//'${LOGS_DIRECTORY}'/$folder}"
}

# 30 files of earlier recordings.
make_old() {
	local i
	mkdir -p /var/log/mp-record
	for ((i = 10; i < 40; i++)); do echo > "/var/log/mp-record/$1-20200101T0000$i.000Z.mp.zst"; done
}

@test "systemd accepts the units" {
	command -v systemd-analyze > /dev/null || skip "no systemd-analyze"
	mkdir "$TMP/units"
	cp docs/packaging/examples/*.service docs/packaging/examples/*.timer "$TMP/units"
	sed -i "s,/usr/bin/mp-record,$BUILD/bin/mp-record," "$TMP"/units/*.service
	run systemd-analyze verify --man=no --recursive-errors=no "$TMP"/units/*
	[ "$status" = 0 ] && [ -z "$output" ] || { echo "$output"; false; }
	run systemd-analyze calendar --iterations=2 "$(sed -n 's/^OnCalendar=//p' "$TMP"/units/*.timer)"
	[ "$status" = 0 ]
}

@test "the service records until SIGTERM, and keeps as many files as it says" {
	needs_root
	unshare -m true 2> /dev/null || skip "no mount namespaces"
	start_load "$LOAD/spin" 600
	export -f serve make_old await
	with_examples '
		make_old cpu
		(serve mp-record.service) & pid=$!
		now() { find /var/log/mp-record -type f ! -name "cpu-2020*"; }
		until [ -n "$(now)" ] && zstd -qcd "$(now)" 2> /dev/null | grep -q "cpu-clock\|cycles"; do await; done
		[ "$(ls /var/log/mp-record | wc -l)" = 24 ]
		kill -TERM $pid
		status=0; wait $pid || status=$?
		[[ "$status" = [01] ]]
		mp-order --check "$(now)" > "$TMP/check" || [ $? = 1 ]
		cat "$TMP/check"
		grep -q ": valid, complete, ordered: [1-9]" "$TMP/check"
		[ "$(stat -c %a "$(now)")" = 640 ]'
	for key in WantedBy=multi-user.target KillMode=mixed Restart=on-failure SuccessExitStatus=1; do grep -qx "$key" docs/packaging/examples/mp-record.service; done
}

@test "the timer's service and the line for cron record one more file, and keep as many as they say" {
	needs_root
	unshare -m true 2> /dev/null || skip "no mount namespaces"
	start_load "$LOAD/spin" 600
	# what cron runs: the words after the user, up to a %, by /bin/sh
	line=$(grep '^[*0-9]' docs/packaging/examples/mp-record.cron)
	[ "$(grep -vc -e '^#' -e '^PATH=' docs/packaging/examples/mp-record.cron)" = 1 ]
	[[ "$line" =~ ^\*/15' * * * * root '([^%]+)$ ]]
	export COMMAND=${BASH_REMATCH[1]} CRON_PATH
	CRON_PATH=$(sed -n 's/^PATH=//p' docs/packaging/examples/mp-record.cron)
	[ "$(systemd-analyze calendar '*:0/15' 2> /dev/null | sed -n 's/^Normalized form: //p')" = '*-*-* *:00/15:00' ] || ! command -v systemd-analyze > /dev/null
	export -f serve make_old
	# shellcheck disable=SC2016
	with_examples '
		sed -i "s/ -d 10 / -d 1 /; s/--max-files 384/--max-files 20/" "$EXAMPLES"/*.service
		make_old sample
		status=0; (serve mp-record-sample.service) || status=$?
		[[ "$status" = [01] ]]
		COMMAND=$(sed "s/ -d 10 / -d 1 /; s/--max-files 384/--max-files 20/" <<< "$COMMAND")
		status=0; env -i HOME=/root LOGNAME=root SHELL=/bin/sh "PATH=$BUILD/bin:$CRON_PATH" /bin/sh -c "$COMMAND" || status=$?
		[[ "$status" = [01] ]]
		cd /var/log/mp-record
		[ "$(ls | wc -l)" = 20 ] && [ "$(ls | grep -vc ^sample-2020)" = 2 ]
		for f in $(ls | grep -v ^sample-2020); do
			mp-order --check "$f" > "$TMP/check" || [ $? = 1 ]
			grep -q ": valid, complete, ordered: [1-9]" "$TMP/check"
			[ "$(stat -c %a "$f")" = 640 ]
		done'
	diff <(sed -n 's/^ExecStart=.*mp-record \(-q .*\) -o .*/\1/p' docs/packaging/examples/mp-record-sample.service) <(sed 's/.* mp-record \(-q .*\) -o .*/\1/' <<< "$COMMAND")
}
