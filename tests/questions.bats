#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The ten questions of mp-tools(7) that one command answers: each on a live workload, with numbers.
# Runs beside no other recording.

bats_require_minimum_version 1.5.0
load lib

setup_file() {
	unset MP_COLLECTORS XDG_CONFIG_HOME SUDO_UID
}

# The programs, of which mp-record has larger buffers and goes before other tasks, so that a busy machine does not lose events.
setup() {
	make_tmp
	export XDG_STATE_HOME="$TMP/state"
	mkdir "$TMP/bin"
	ln -s "$BUILD"/bin/* "$TMP/bin"
	ln -s "$BUILD/share" "$TMP/share"
	rm "$TMP/bin/mp-show" "$TMP/bin/mp-record"
	cp "$BUILD/bin/mp-show" "$TMP/bin"	# runs what is beside it
	printf '#!/bin/sh\nexec "%s" -m 16M %s "$@"\n' "$BUILD/bin/mp-record" "$(! chrt --fifo 1 true 2> /dev/null || echo --realtime)" > "$TMP/bin/mp-record"
	chmod 755 "$TMP/bin/mp-record"
	PATH=$TMP/bin:$PATH
}

# answer QUESTION WORD...: the output of mp-show, for a question that the manual has with this collector.
answer() {
	needs_root
	grep -qF -- "mp-show ${2%%:getppid} -d 5" docs/mp-tools.7 || [ "$2" = syscalls:getppid ]
	grep -qF "# $1" docs/mp-tools.7
	mp-show "${@:2}" > "$TMP/out" 2> "$TMP/err" || [ $? = 1 ] || { cat "$TMP/err"; false; }
	cat "$TMP/out"
}

# The value before a word: "share 97.46 % spin_here" is 97.
percent_of() {
	awk -v frame="$1" 'index($0, frame) && $2 == "%" && $1 > most { most = $1 } END { printf "%d", most }' "$TMP/out"
}

# The line of statistics below the table of a key.
statistics() {
	awk -v key="$1" '$0 ~ key { on = 1 } on && /^ *count [0-9]/ { print; exit }' "$TMP/out"
}

# ns of "sum 833 us"
ns_of() {
	sed -E "s/.*$1 ([0-9.]+) (ns|us|ms|s).*/\1 \2/" | awk '{ f["ns"] = 1; f["us"] = 1e3; f["ms"] = 1e6; f["s"] = 1e9; printf "%.0f", $1 * f[$2] }'
}

@test "Where does CPU time go? In spin_here, as its program does nothing else" {
	answer 'Where does CPU time go?' callstack --text -- "$LOAD/spin" 1
	[ "$(percent_of spin_here)" -ge 80 ]
}

# Whether the recording that was shown has all events; if it has not, mp-show has printed how many it lacks.
lost_none() {
	local lost
	lost=$(zstd -qcd "$XDG_STATE_HOME"/mp/*.mp.zst | tail -n 1 | jq .lost)
	grep -qx "  lost  *$lost events*" "$TMP/out" || { echo "mp-show does not print $lost lost events"; exit 1; }
	[ "$lost" = 0 ]
}

# A program of two tasks, both with the name that it is given, which are runnable until each has used half a second of CPU time: it
# lasts as long as the first of them runs that the other one waits.
share_a_cpu() {
	cat > "$TMP/share.pl" <<-'X'
		sub used { my ($user, $system) = times; $user + $system }
		$0 = shift;
		my $child = fork // die;
		my $until = used() + 0.5;
		1 while used() < $until;
		wait if $child;
	X
	echo "taskset -c 0 perl $TMP/share.pl $1"
}

@test "Who waits for a CPU? Each of two programs that share one, for about as long as the other one runs" {
	answer 'Who waits for a CPU?' rundelay -f "comm~\"mp-spin*\" || .prev_comm~\"mp-spin*\" || .next_comm~\"mp-spin*\" || .comm~\"mp-spin*\"" \
		--text -- $(share_a_cpu "mp-spin$$") > /dev/null
	waited=$(statistics "mp-spin$$" | ns_of sum)
	! lost_none || [ "$waited" -ge 500000000 ]
}

@test "What did each task do? A program that spins for half a second runs for half a second" {
	cp "$LOAD/spin" "$TMP/mp-spin$$"
	answer 'What did each task do?' cpusched -e 'sched:*' --text -- "$TMP/mp-spin$$" 0.5 > /dev/null
	last=$(ls "$XDG_STATE_HOME"/mp/cpusched-*.mp.zst)
	# how long it ran, was in an unknown state, in any state, and was there, in ns
	read -r ran unknown all there <<< "$(mp-sched "$last" 2> /dev/null | mp-select -f "comm==\"mp-spin$$\"" 2> /dev/null | perl -ne '
		/^(\d+),.*\bdur=(\d+)\b.*\bstate=(\w+)/ or next;
		$ran += $2 if $3 eq "run";
		$unknown += $2 if $3 eq "unknown";
		$all += $2;
		$first = $1 - $2 if !defined $first || $1 - $2 < $first;
		$last = $1 if $1 > $last;
		END { printf "%d %d %d %d\n", $ran, $unknown, $all, $last - $first }')"
	echo "ran $ran, unknown $unknown, of $all in $there"
	[ "$all" -le "$there" ]
	# the host may take CPU time from this machine, which is time that a task runs: there is no upper bound for $ran but $there
	# a kernel may fire no events while a thread of process 1 runs: a task that it switches to is unknown until its next switch
	! lost_none || { [ "$ran" -ge 250000000 ] && [ $((ran + unknown)) -ge 490000000 ]; }
}

@test "Where are tasks blocked? In nanosleep, for as long as sleep was asked to" {
	answer 'Where are tasks blocked?' offcpu --text -- sleep 0.7
	blocked=$(grep '^dur: ' "$TMP/out" | ns_of dur:)
	slept=$(sed -n '/^\$ mp-fold --sort weight/,/^$/s/.*;do_nanosleep;.* //p' "$TMP/out" | awk '{ n += $1 } END { printf "%d", n }')
	[ "$slept" -ge 690000000 ]
	[ "$blocked" -ge 690000000 ]
	# it may also have waited for a disk that has its libraries
	[ "$(percent_of do_nanosleep)" -ge $((slept * 100 / blocked - 1)) ]
}

# A disk of our own; LOOP is its name.
make_disk() {
	truncate -s 16M "$TMP/disk"
	LOOP=$(losetup -f --show "$TMP/disk") || skip "no loop device"
	# with a scheduler a worker of the kernel may issue the requests of dd
	echo none > "/sys/block/${LOOP##*/}/queue/scheduler" || true
}

@test "Who waits for the disk? Each of 17 requests of dd has a time" {
	needs_root
	make_disk
	answer 'Who waits for the disk?' disklat --text -- dd if="$LOOP" of=/dev/null bs=64K count=17 iflag=direct || { losetup -d "$LOOP"; false; }
	losetup -d "$LOOP"
	requests=$(statistics dur | sed 's/.*count \([0-9,]*\), sum.*/\1/')
	[ "$requests" -ge 17 ]
	[ "$(statistics dur | ns_of min)" -gt 0 ]
}

@test "Which code uses the disks? The read of dd, 17 times 64 KiB" {
	needs_root
	make_disk
	answer 'Which code uses the disks?' diskblockrq --text -- dd if="$LOOP" of=/dev/null bs=64K count=17 iflag=direct || { losetup -d "$LOOP"; false; }
	losetup -d "$LOOP"
	grep -q '^\.bytes: 1\.06 MiB in ' "$TMP/out"
	[ "$(percent_of vfs_read)" -ge 95 ]
}

@test "Which calls take long? 1,000 of getppid, each shorter than a millisecond at the median" {
	answer 'Which calls take long?' syscalls:getppid --text -- "$LOAD/getppid" 1000
	[[ "$(statistics getppid)" == *"count 1000, "* ]] || false
	[ "$(grep -m 1 ' p50 ' "$TMP/out" | ns_of p50)" -lt 1000000 ]
}

@test "How long do connections last? Those of 31 rounds have ends and times" {
	needs_root
	head -c 64K /dev/zero > "$TMP/file"
	unshare -n true 2> /dev/null || skip "no network namespace"
	answer 'How long do connections last?' tcplife --text -- unshare -n sh -c 'ip link set lo up && "$0" "$1" 31' "$LOAD/mix" "$TMP/file"
	[ "$(statistics dur | sed 's/.*count \([0-9,]*\), sum.*/\1/' | tr -d ,)" -ge 31 ]
}

@test "Who uses how much memory? A program with 100 MiB" {
	answer 'Who uses how much memory?' memusage --text -- \
		python3 -c 'import time; x = bytearray(100 << 20); x[::4096] = b"1" * len(x[::4096]); time.sleep(2.5)'
	grep -q '^\$ .*mp-hist' "$TMP/out"
	grep -A 3 '^\$ .*mp-hist' "$TMP/out" | grep -qE ' 1[0-3][0-9] MiB  python3$'
}

@test "Which programs are started? Seven times sleep, for 50 ms each" {
	answer 'Which programs are started?' exec --text -- sh -c 'for i in 1 2 3 4 5 6 7; do sleep 0.05; done'
	[[ "$(statistics 'comm = sleep')" == *"count 7, "* ]] || false
	[ "$(statistics 'comm = sleep' | ns_of min)" -ge 50000000 ]
}
