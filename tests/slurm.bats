#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Job arrays of Slurm, as docs/fleet.md shows them, on a cluster of the test's own: tests/slurm.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# Skips the test where this user cannot make a cluster.
needs_slurm() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	command -v slurmctld > /dev/null || skip "no slurmctld: make check installs it"
	unshare --mount --uts --net --pid --fork --mount-proc sh -c 'hostname controller && ip link set lo up' 2> "$TMP/why" || skip "$(head -n 1 "$TMP/why")"
}

# recording SEED: 1000 spans of random tasks, with stacks.
recording() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		printf "{\"mp\":1,\"datatype\":\"event\",\"host\":\"h%d\",\"units\":{\"dur\":\"ns\"}}\n", seed
		for (i = 1; i <= 1000; i++)
			printf "%d,app:call,comm=task %d\tdur=%d\tstack=main;f%d;g%d\n", i, 5 * rand(), exp(20 * rand()), 9 * rand(), 9 * rand()
		print "{\"end\":\"event\",\"records\":1000,\"lost\":0}" }'
}

# The block of commands in docs/fleet.md that has a line with TEXT.
block() {
	sed -n '/^## Many files/,/^### /p' docs/fleet.md | awk -v text="$1" '
		/^    / { block = block substr($0, 5) "\n"; next }
		{ if (index(block, text)) printf "%s", block; block = "" }'
}

@test "srun folds a file; arrays fold and dump a folder as one program does, and report files that are truncated or missing" {
	needs_slurm
	mkdir "$TMP/cluster" "$TMP/recordings"
	for n in 1 2 3 4 5 6 7 8 9 10 11; do recording $n > "$TMP/recordings/$n.mp"; done
	zstd -q --rm "$TMP/recordings/7.mp"
	mkdir "$TMP/faulty"
	cp -r "$TMP/recordings" "$TMP/faulty"
	recording 12 | head -n 500 > "$TMP/faulty/recordings/12.mp"
	ln -s nowhere "$TMP/faulty/recordings/13.mp"
	block 'cat > fold.sh' > "$TMP/fold"
	block 'fold.sh > hist.sh' > "$TMP/hist"
	run tests/slurm "$TMP/cluster" bash -c '
		cd "$0"
		(cd faulty && trap "echo \$? >> statuses" ERR && . ../fold) &
		srun mp-fold recordings/1.mp > one.folded && bash -e fold && bash -e hist
		status=$?
		wait
		exit $status' "$TMP"
	[ "$status" = 0 ] || { echo "$output"; tail "$TMP"/cluster/*.log; false; }

	cd "$TMP"
	mp-fold recordings/1.mp | cmp - one.folded
	[ "$(cat part-*.folded | wc -l)" -gt "$(wc -l < all.folded)" ]
	mp-fold recordings/* | cmp - all.folded
	[ "$(awk '{ n += $NF } END { print n }' all.folded)" = 11000 ]
	mp-hist --by comm recordings/* | cmp - hist.txt
	[ "$(cat part-*.log)" = "" ]

	# of the four tasks, one has a truncated file, whose lines count, and one has no result
	cd faulty
	[ "$(cat statuses)" = 2 ]
	[ "$(cat part-*.log)" = "mp-fold: recordings/12.mp: event section truncated (no trailer)
mp-fold: cannot open 'recordings/13.mp': No such file or directory" ]
	[ "$(echo part-*.folded)" = "part-0.folded part-2.folded part-3.folded" ]
	mp-fold $(awk 'NR % 4 != 1' files.txt) 2> /dev/null | cmp - all.folded
}

@test "mp-fleet records on nodes by srun; one that dies, is down or lacks the program is reported" {
	needs_slurm
	needs_root
	mkdir "$TMP/cluster"
	printf 'node1\nnode2\n' > "$TMP/nodes"
	cat > "$TMP/record" <<-'X'
		#!/bin/sh
		mp-record -q -F 999 -- "$LOAD/spin" 0.1 2> /dev/null | tee "$SLURMD_NODENAME.mp"
	X
	cat > "$TMP/record-or-die" <<-'X'
		#!/bin/sh
		if [ "$SLURMD_NODENAME" = node1 ]; then
			until scontrol show node node2 | grep -q State=DOWN; do sleep 0.1; done
			cat node1.mp
			exit
		fi
		cat node2.mp
		trap '' TERM	# of mp-fleet, which ends what runs without its parent
		daemon=$PPID
		until [ "$(cat "/proc/$daemon/comm")" = slurmstepd ]; do
			daemon=$(awk '$1 == "PPid:" { print $2 }' "/proc/$daemon/status")
		done
		# as by a node that boots again, the connection is reset: a process that is killed may only close it
		port=$(ss -Htnp | awk -v user="pid=$daemon," 'index($0, user) { sub(".*:", "", $4); print $4; exit }')
		kill -KILL "$(cat cluster/node2.pid)"
		ss -K -tn "sport = $port" > /dev/null
		kill -KILL "$daemon"
		exec scontrol update NodeName=node2 State=DOWN Reason=killed
	X
	chmod +x "$TMP"/record*
	cd "$TMP"
	export LOAD
	run "$BATS_TEST_DIRNAME/slurm" cluster bash -c '
		fleet() { TMPDIR=$PWD timeout 600 mp-fleet --engine srun "${@:2}" > "$1.folded" 2> "$1.err"; echo $? > "$1.status"; }
		fleet absent nodes -- no-such-program
		fleet record nodes -- sh -c "cd $PWD; exec ./record"
		fleet serial -j 1 nodes -- sh -c "cd $PWD; echo begin >> order; sleep 0.1; cat node1.mp; echo end >> order"
		fleet killed nodes -- sh -c "cd $PWD; exec ./record-or-die"
		fleet down nodes -- sh -c "cd $PWD; exec cat node1.mp"'
	[ "$status" = 0 ] || { echo "$output"; tail cluster/*.log; false; }
	[ "$(cat absent.status)" = 2 ]
	[ "$(grep -c '^node[12]  *not installed ' absent.err)" = 2 ]
	mp-fold node1.mp node2.mp 2> /dev/null | cmp - record.folded
	[ "$(awk '{ n += $NF } END { print n }' record.folded)" = $(($(trailer node1.mp records) + $(trailer node2.mp records))) ]
	[ "$(cat serial.status)" = 0 ]
	[ "$(echo $(cat order))" = "begin end begin end" ]
	for state in killed:disconnected down:unreachable; do
		mp-fold node1.mp 2> /dev/null | cmp - "${state%:*}.folded" || { cat "${state%:*}.err" cluster/*.log; false; }
		[ "$(cat "${state%:*}.status")" = 1 ]
		grep -q "^node2  *${state#*:} " "${state%:*}.err" || { cat "${state%:*}.err"; false; }
	done
}

@test "folded lines may come in any order, with the TAB that Hadoop adds" {
	for n in 1 2 3; do recording $n > "$TMP/$n.mp"; done
	reducer=$(grep -o "sh -c \"sed [^\`]*" docs/fleet.md)
	for n in 1 2 3; do mp-fold "$TMP/$n.mp"; done | sort -R | sed 's/$/\t/' | bash -c "$reducer" | cmp - <(mp-fold "$TMP"/*.mp)
	mapper=$(grep -o "sh -c 'mp-fold [^\`]*" docs/fleet.md)
	head -n 500 "$TMP/1.mp" | bash -c "$mapper" | awk '{ n += $NF } END { exit n != 499 }'
	[ "${PIPESTATUS[*]}" = "0 0 0" ]
	run bash -c "$mapper" < "$TMP"
	[ "$status" = 1 ]
}
