#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Output that is compressed while it is written: what is in it, also after a death of each process, and how failures are reported.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

METHODS="gzip zstd"

end_of() { case $1 in gzip) echo gz ;; zstd) echo zst ;; esac; }

# What is in a file, as far as the other program reads it.
unpacked() {
	case $1 in
	*.gz) gzip -cd "$1" 2> /dev/null ;;
	*.zst) zstd -qcd "$1" 2> /dev/null ;;
	esac || true
}

is_complete() {
	case $1 in
	*.gz) gzip -qt "$1" ;;
	*.zst) zstd -qt "$1" ;;
	esac
}

# A stream of 100,000 events, of which little repeats.
make_stream() {
	perl -e 'srand 1; print "{\"mp\":1,\"datatype\":\"event\"}\n";
		printf "%d,a:b,comm=x%d\t.n=%s\n", $_ * 10, rand 1e6, join "", map { chr 97 + rand 26 } 1 .. rand 80 for 1 .. 100000;
		print "{\"end\":\"event\",\"records\":100000,\"lost\":0}\n"' > "$TMP/in"
}

@test "what mp-order compresses is what it writes otherwise" {
	make_stream
	mp-order "$TMP/in" > "$TMP/plain"
	for m in $METHODS; do
		f=$TMP/out.$(end_of $m)
		mp-order -o "$f" "$TMP/in"
		is_complete "$f"
		[ "$(stat -c %s "$f")" -lt "$(stat -c %s "$TMP/plain")" ]
		unpacked "$f" | cmp - "$TMP/plain"
		mp-order --compress=$m "$TMP/in" | cmp - "$f"
		mp-order --compress=$m -o "$TMP/other" "$TMP/in"
		cmp "$TMP/other" "$f"
		mp-order --compress=none -o "$TMP/none.$(end_of $m)" "$TMP/in"
		cmp "$TMP/none.$(end_of $m)" "$TMP/plain"
		mp-order "$f" | cmp - "$TMP/plain"
		run mp-order --check "$f"
		[ "$status" = 0 ]
	done
	mp-order --compress "$TMP/in" | cmp - "$TMP/out.zst"
	mp-order -o "$TMP/plain2" "$TMP/in"
	cmp "$TMP/plain2" "$TMP/plain"
	mp-order /dev/null -o "$TMP/empty.zst" || [ $? = 1 ]
	is_complete "$TMP/empty.zst"
	[ "$(unpacked "$TMP/empty.zst" | wc -c)" = 0 ]
}

# Starts mp-order with a live input, and waits until all of that can be read from $f; sets pid and packer.
start_live() {
	rm -f "$f"
	mkfifo "$TMP/pipe"
	mp-order -o "$f" < "$TMP/pipe" 2> "$TMP/err" &
	pid=$!
	exec 6> "$TMP/pipe"
	printf '{"mp":1,"datatype":"event"}\n1,a:b,comm=x\n{"watermark":2}\n' >&6
	until [ "$(unpacked "$f" | tail -n 1)" = '{"watermark":2}' ]; do await; done
	unpacked "$f" | grep -q '^1,a:b,comm=x$'
	packer=$(children $pid)
}

end_live() {
	exec 6>&-
	rm "$TMP/pipe"
	status=0
	wait $pid || status=$?
}

@test "what has been written can be read while the program runs, and after each process was killed" {
	for m in $METHODS; do
		f=$TMP/live.$(end_of $m)
		start_live	# it can be read while the program runs
		run mp-fold -e '*' "$f"
		[ "$status" = 1 ] && [[ "$output" == *"mp-fold: $f: $m data is truncated"* ]] || { echo "$output"; false; }
		kill -KILL "$packer"
		printf '3,a:b,comm=x\n{"watermark":4}\n' >&6
		end_live
		[ "$status" = 2 ]
		printf '%s\n' 'mp-order: the process that compresses the output was killed by signal 9' "mp-order: cannot write '$f': Input/output error" |
			diff - <(tail -n 2 "$TMP/err")
		unpacked "$f" | grep -q '^1,a:b,comm=x$'

		start_live
		printf '3,a:b,comm=x\n{"watermark":4}\n' >&6
		kill -KILL $pid
		end_live 2> /dev/null
		[ "$status" = 137 ]
		until [ ! -d "/proc/$packer" ] || grep -q '^State:.*Z' "/proc/$packer/status"; do await; done
		is_complete "$f"
		unpacked "$f" | grep -q '^1,a:b,comm=x$'
	done
}

@test "a full disk and a closed pipe are reported as without compression" {
	make_stream
	head -n 2 "$TMP/in" > "$TMP/short"	# the failure comes with the last block
	for m in $METHODS; do
		for f in in short; do
			run bash -c "mp-order --compress=$m '$TMP/$f' > /dev/full"
			[ "$status" = 2 ] && [[ "$output" == *"mp-order: cannot write 'stdout': No space left on device" ]] || { echo "$output"; false; }
			run mp-order --compress=$m -o /dev/full "$TMP/$f"
			[ "$status" = 2 ] && [[ "$output" == *"mp-order: cannot write '/dev/full': No space left on device" ]] || { echo "$output"; false; }
			run env --ignore-signal=CHLD mp-order --compress=$m -o /dev/full "$TMP/$f"
			[ "$status" = 2 ] && [[ "$output" == *"mp-order: cannot write '/dev/full': No space left on device" ]] || { echo "$output"; false; }
		done
		run bash -c "ulimit -f 1; mp-order --compress=$m -o '$TMP/large' '$TMP/in'"
		[ "$status" = 2 ] && [ "$output" = "mp-order: cannot write '$TMP/large': File too large" ] || { echo "$output"; false; }
		run bash -c "mp-order --compress=$m '$TMP/in' 2>&1 > >(exec true); echo \$?"
		[ "$output" = 141 ] || { echo "$output"; false; }
		run bash -c "trap '' PIPE; mp-order --compress=$m '$TMP/in' 2>&1 > >(exec true); echo \$?"
		[ "$output" = 141 ] || { echo "$output"; false; }
	done
}

@test "what makes no sense is refused" {
	echo '1,a:b,comm=x' > "$TMP/in"
	run mp-order -o "$TMP/in" "$TMP/in"
	[ "$status" = 2 ] && [ "$output" = "mp-order: cannot write '$TMP/in': it is also an input" ]
	run mp-order -o "$TMP/in" - < "$TMP/in"
	[ "$status" = 2 ] && [ "$output" = "mp-order: cannot write '$TMP/in': it is also an input" ]
	run mp-export --to chrome -o "$TMP/in" "$TMP/in"
	[ "$status" = 2 ] && [ "$output" = "mp-export: cannot write '$TMP/in': it is also an input" ]
	for program in mp-order "mp-export --to chrome"; do
		run $program -o "$TMP/in" "$TMP/absent"
		[ "$status" = 2 ] && [[ "$output" == *": cannot open '$TMP/absent': No such file or directory" ]] || { echo "$output"; false; }
	done
	[ "$(cat "$TMP/in")" = '1,a:b,comm=x' ]
	run mp-order --check --compress "$TMP/in"
	[ "$status" = 2 ]
	for p in mp-order mp-record; do
		run $p --compress=xz "$TMP/in"
		[ "$status" = 2 ] && [[ "${lines[0]}" == "$p: "*"none, gzip or zstd"* ]] || { echo "$output"; false; }
		[ $p = mp-order ] || needs_root
		run script -qec "$p --compress" /dev/null < /dev/null
		[ "$status" = 2 ] && [[ "$output" == *"$p: refusing to write binary data to a terminal"* ]] || { echo "$output"; false; }
	done
}

@test "a compressed recording is the stream" {
	needs_root
	for m in $METHODS; do
		f=$TMP/s.$(end_of $m)
		mp-record -q -e raw_syscalls:sys_enter -g none -d 1s -o "$f" || [ $? = 1 ]
		is_complete "$f"
		unpacked "$f" > "$TMP/s"
		mp-order --check "$TMP/s" || [ "$(trailer "$TMP/s" lost)" != 0 ]
		tail -n 1 "$TMP/s" > "$TMP/last"
		[ "$(trailer "$TMP/s" bytes)" = $(($(stat -c %s "$TMP/s") - $(stat -c %s "$TMP/last"))) ]
		mp-record -q -e cpu-clock --compress=$m -n 1 -o "$TMP/one" -- perl -e '1 while 1'
		mp-order "$TMP/one" | grep -q ,cpu-clock,
	done
	mp-record -q -e cpu-clock --compress -n 1 -- perl -e '1 while 1' | mp-order --check
}

frames() { zstd -lv "$1" | sed -n 's/^# Zstandard Frames: //p'; }

@test "much is compressed in frames of 512 KiB; few events, which are written twice a second, in one" {
	needs_root
	make_stream
	mp-order -o "$TMP/out.zst" "$TMP/in"
	[ "$(frames "$TMP/out.zst")" = $((($(zstd -qcd "$TMP/out.zst" | wc -c) + (512 << 10) - 1) / (512 << 10))) ]
	mp-record -q -e timer:10 -g none -C 0 -d 2.2s -o "$TMP/few.zst"
	[ "$(frames "$TMP/few.zst")" = 1 ]
	unpacked "$TMP/few.zst" | mp-order --check
}

# Starts a recording of 60 s of a program, or $target, to $f; sets pid, writer and packer when it can be read.
start_recording() {
	rm -f "$f"
	start_load perl -e 'getppid, select undef, undef, undef, 0.01 while 1'
	mp-record -q -e raw_syscalls:sys_enter -g none -d 60s "${target:--p$LOAD_PID}" "$@" -o "$f" 2> "$TMP/err" &
	pid=$!
	until unpacked "$f" | grep -q ,raw_syscalls:sys_enter,; do await; done
	writer=$(children $pid mp-writer)
	packer=$(children $pid mp-packer)
}

has_ended() { [ ! -d "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }

@test "a recording that is killed can be read: what was in the file, and if the process that compresses lives, all that was written" {
	needs_root
	for m in $METHODS; do
		f=$TMP/killed.$(end_of $m)
		start_recording
		unpacked "$f" > "$TMP/before"
		kill -KILL $pid
		until has_ended "$packer" && has_ended "$writer"; do await; done
		wait $pid || [ $? = 137 ]
		is_complete "$f"
		unpacked "$f" > "$TMP/after"
		cmp -n "$(stat -c %s "$TMP/before")" "$TMP/before" "$TMP/after"

		start_recording
		unpacked "$f" > "$TMP/before"
		kill -KILL "$packer" $pid	# at once
		until has_ended "$packer" && has_ended "$writer"; do await; done
		wait $pid || [ $? = 137 ]
		run is_complete "$f"
		[ "$status" != 0 ]
		unpacked "$f" > "$TMP/after"
		cmp -n "$(stat -c %s "$TMP/before")" "$TMP/before" "$TMP/after"
		run mp-order --check "$f"
		[ "$status" = 1 ] && [[ "$output" == *"$m data is truncated"* ]] || { echo "$output"; false; }
	done
}

@test "a recording ends with status 2 if the process that compresses is killed, or the disk is full" {
	needs_root
	f=$TMP/s.zst
	start_recording
	kill -KILL "$packer"
	status=0
	wait $pid || status=$?
	[ "$status" = 2 ]
	printf '%s\n' 'mp-record: the process that compresses the output was killed by signal 9' "mp-record: cannot write '$f': Input/output error" |
		diff - "$TMP/err"
	for m in $METHODS; do
		run mp-record -q -e cpu-clock --compress=$m -n 1 -o /dev/full -- perl -e '1 while 1'
		[ "$status" = 2 ]
		[ "$output" = "mp-record: cannot write '/dev/full': No space left on device" ] || { echo "$output"; false; }
		run bash -c "mp-record -q -e cpu-clock --compress=$m -d 60s -- perl -e '1 while 1' > >(exec true); echo \$?"
		[ "$output" = 141 ] || { echo "$output"; false; }
	done
}

@test "a recording of the whole system has no event of the process that compresses" {
	needs_root
	f=$TMP/s.zst
	target=-a start_recording
	sleep 0.5	# it reads and writes
	kill $pid
	wait $pid || [ $? = 1 ]
	unpacked "$f" > "$TMP/s"
	grep -q "	pid=$LOAD_PID	" "$TMP/s"
	run ! grep -qE "	pid=($packer|$writer|$pid)	" "$TMP/s"
}

@test "the process that compresses is in a sandbox, with the socket and the output, and hurries with --realtime" {
	needs_root
	case "$BUILD" in *san-*) skip "a build with sanitizers has no sandbox" ;; esac
	f=$TMP/s.zst
	start_recording --realtime
	is_confined "$packer"
	[ "$(ps -o ni= -p "$packer" | tr -d ' ')" = -20 ]
	find "/proc/$packer/fd" -type l -printf '%f %l\n' | sed 's/:\[[0-9]*\]$//' | sort -n > "$TMP/fds"
	printf '%s\n' '0 socket' "1 $f" '2 /dev/null' | diff - "$TMP/fds"
	kill $pid
	wait $pid || [ $? = 1 ]
	unpacked "$f" | tail -n 1 | jq -e '.end == "event" and .lost >= 0'
}
