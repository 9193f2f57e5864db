#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Whatever a user without privileges does, a recording at the same time keeps the events and stacks of others, ends in time, and
# stays small.
# Runs beside no other recording.

bats_require_minimum_version 1.5.0
load lib

# users that no account has
ATTACKER=64123 VICTIM=64124
# 210 MiB are usual; the tables of a compiler that runs meanwhile take 60 MiB more, and the queue 80, if the writer waits for a CPU.
# With more CPUs there are more rings, and a longer queue.
PSS_MAX_KIB=$(((384 + 8 * (CPUS > 4 ? CPUS - 4 : 0)) << 10))
VICTIM_SECONDS=2

setup() {
	make_tmp
	needs_root
	case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of this kind of machine are not unwound" ;; esac
	as_user $ATTACKER true 2> /dev/null || skip "cannot become another user"
	chmod 755 "$TMP"
	mkdir "$TMP/programs" "$TMP/attack"
	install -m 755 "$BUILD"/hostile/* "$LOAD/steady" "$TMP/programs"
	chown $ATTACKER "$TMP/attack"
}

as_user() {
	setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"
}

# Starts PROGRAM of tests/hostile as a user of its own, in a folder of its own, and waits until it prints "ready".
start_attack() {
	start_load env --chdir="$TMP/attack" setpriv --reuid=$ATTACKER --regid=$ATTACKER --clear-groups "$TMP/programs/$1" "${@:2}"
	ATTACK_LOG=$TMP/attack.log
	mv "$TMP/load.out" "$ATTACK_LOG"
	until grep -q '^ready' "$ATTACK_LOG"; do
		kill -0 "$LOAD_PID" || { cat "$ATTACK_LOG"; return 1; }
		sleep 0.01
	done
}

# Ends it with all its processes.
stop_attack() {
	kill -KILL -- "-$LOAD_PID"
	until ! kill -0 -- "-$LOAD_PID" 2> /dev/null; do await; done
}

# Records METHOD's stacks of everything while the well-behaved program of another user runs: the stream is $TMP/s, stderr $TMP/err.
# The priority, small copies, and a system call that hardly anybody else makes allow for a machine that is busy with other work.
# Sets RECORD_MS, and ATTACK_LINES, how many lines the attack had printed before; writes the highest PSS of mp-record to $TMP/pss.
# More arguments are options of mp-record.
record_victim() {
	local began status=0
	ATTACK_LINES=$(wc -l < "${ATTACK_LOG:-/dev/null}")
	began=$(date +%s%N)
	timeout -k 1 300 tests/tools/pss.py "$TMP/pss" mp-record --realtime -a -F 499 -e cpu-clock -e syscalls:sys_enter_getsid -g "user:$1" --stack-size 8K -o "$TMP/s" \
		"${@:2}" -- setpriv --reuid=$VICTIM --regid=$VICTIM --clear-groups "$TMP/programs/steady" $VICTIM_SECONDS \
		> "$TMP/victim" 2> "$TMP/err" || status=$?
	RECORD_MS=$((($(date +%s%N) - began) / 1000000))
	[ "$status" -le 1 ] || { echo "status $status after $RECORD_MS ms"; cat "$TMP/err"; return 1; }
}

# How long that takes without an attack.
plain_ms() {
	local file=$BATS_FILE_TMPDIR/plain.$1
	[ -s "$file" ] || { record_victim "$@" && echo "$RECORD_MS" > "$file"; } || return 1
	cat "$file"
}

# The events of the well-behaved program are complete, and so are their stacks.
victim_is_complete() {
	local pid calls recorded whole sampled broken began ended missing
	read -r pid calls < "$TMP/victim"
	grep -P "\ttid=$pid\tcomm=steady\t" "$TMP/s" > "$TMP/victim.s"
	recorded=$(grep -c ',syscalls:sys_enter_getsid,' "$TMP/victim.s")
	whole=$(grep -c ',syscalls:sys_enter_getsid,.*stack=\(.*;\)*main;steady_outer;steady_inner;' "$TMP/victim.s")
	# samples of its start and its end are in code of the kernel and of the linker that has no stack yet
	began=$(grep -m 1 ',syscalls:sys_enter_getsid,' "$TMP/victim.s" | cut -d , -f 1)
	ended=$(grep ',syscalls:sys_enter_getsid,' "$TMP/victim.s" | tail -n 1 | cut -d , -f 1)
	grep ',cpu-clock,' "$TMP/victim.s" | awk -F , -v b="$began" -v e="$ended" '$1 > b && $1 < e' > "$TMP/victim.samples"
	sampled=$(wc -l < "$TMP/victim.samples")
	broken=$(grep -c 'stack=\[truncated\]' "$TMP/victim.samples" || true)
	echo "of $calls calls $recorded were recorded, $whole with a complete stack; of $sampled samples between them $broken stacks are truncated"
	# an interrupt between a stack by BPF and its sample leaves only the first frame, which is counted: 2 of 2,700 were seen
	missing=$(late)
	[ "$missing" -lt $((calls / 200 + 2)) ] || missing=$((calls / 200 + 2))
	[ "$calls" -gt 0 ] && [ "$recorded" = "$calls" ] && [ "$whole" -ge $((calls - missing)) ] && [ "$sampled" -gt 0 ] &&
		[ $((broken * 100)) -le $((sampled + 100)) ]
}

# The property of every attack. `beside METHOD OPTION...`, while one runs: others lose nothing, the recording ends in time, and
# its memory stays small. Up to three times, since a machine that is busy with something else may lose events without an attack.
beside() {
	local plain
	plain=$(plain_ms "$@")
	for _ in 1 2 3; do
		record_victim "$@"
		echo "$1: $RECORD_MS ms, $plain ms without the attack; $(($(< "$TMP/pss") >> 10)) MiB"
		if victim_is_complete && [ "$RECORD_MS" -le $((3 * plain + 10000)) ] && [ "$(< "$TMP/pss")" -lt $PSS_MAX_KIB ]; then
			return 0
		fi
		cat "$TMP/err"
	done
	return 1
}

# A line of the report names the user, and what else is in the patterns.
offender_is_named() {
	local line
	line=$(grep "uid $ATTACKER\>" "$TMP/err") || { cat "$TMP/err"; return 1; }
	for pattern; do
		grep -q "$pattern" <<< "$line" || { echo "$line"; return 1; }
	done
}

# As beside, for a program that maps files of these KINDs and runs code in them.
beside_files() {
	local kind
	for kind; do as_user $ATTACKER tests/hostile/elf.py "$kind" "$TMP/attack/$kind"; done
	for method in bpf cfi; do
		plain_ms $method > /dev/null
		start_attack map "$@"
		beside $method
		stop_attack
		offender_is_named "by pid $LOAD_PID, map, with '$TMP/attack/"
	done
}

@test "a process that has many mappings of code, or keeps making them" {
	start_attack mappings before 60000 60000
	for method in bpf cfi; do
		beside $method
		offender_is_named mappings
	done
	stop_attack
	for made in 153000 705000; do
		start_attack mappings while $made 0
		beside bpf
		# a program that hardly runs makes fewer mappings than the recorder keeps of a user, some 150,000
		offender_is_named mappings || [ $(($(wc -l < "$ATTACK_LOG") - ATTACK_LINES)) -lt 31 ]
		stop_attack
	done
}

@test "a loop that maps a file under a new name each time" {
	for kept in 0 60000; do
		start_attack files $kept
		beside bpf
		offender_is_named files
		stop_attack
	done
}

@test "thousands of processes with files of their own" {
	as_user $ATTACKER tests/hostile/elf.py rows "$TMP/attack/rows"
	plain_ms bpf > /dev/null
	start_attack many 2500 "$TMP/attack/rows"
	beside bpf
	stop_attack
	# some 700 processes of a user may have tables: on a busy machine fewer may run while it is recorded
	offender_is_named 'process\(es\)\? had no tables for BPF' many ||
		[ "$(grep -a '	comm=many	' "$TMP/s" | grep -ao '	pid=[0-9]*' | sort -u | wc -l)" -lt 1000 ]
}

# Prints how often the processes of the attack have slept.
sleeps() {
	pgrep -g "$LOAD_PID" | sed 's,.*,/proc/&/status,' | xargs cat | awk '/^voluntary_ctxt_switches/ { n += $2 } END { print n + 0 }'
}

# Runs the well-behaved program, and writes how often the attack slept meanwhile.
count_sleeps() {
	local before
	before=$(sleeps)
	setpriv --reuid=$VICTIM --regid=$VICTIM --clear-groups "$TMP/programs/steady" $VICTIM_SECONDS > "$TMP/victim"
	echo $(($(sleeps) - before)) > "$TMP/sleeps"
}

@test "a flood of stacks that are aggregated in the kernel" {
	start_attack sums
	export LOAD_PID TMP VICTIM VICTIM_SECONDS
	export -f sleeps count_sleeps
	for _ in 1 2 3; do
		SECONDS=0
		mp-record --realtime -a -e sum:blocked -g user -o "$TMP/s" -- bash -c count_sleeps 2> "$TMP/err" || [ $? = 1 ]
		recorded_s=$SECONDS
		read -r _ calls < "$TMP/victim"
		# 23 calls, then 15 ms of sleep
		blocked=$(awk -F '#' '/^[0-9]+#steady;.*;main;usleep;/ { ns += $1 } END { printf "%.0f\n", ns }' "$TMP/s")
		echo "blocked for $blocked ns in $calls calls"
		[ "$blocked" -lt $((calls * 145 * 100000 / 23)) ] || break
	done
	stop_attack
	[ "$blocked" -ge $((calls * 145 * 100000 / 23)) ]
	# each second 32,768 stacks of a user are aggregated: a program that hardly runs has fewer
	echo "the attack slept $(< "$TMP/sleeps") times in $recorded_s s"
	offender_is_named 'stacks were not taken' sums || [ "$(< "$TMP/sleeps")" -le $((32768 * (recorded_s + 1))) ]
}

@test "a flood of copies of stacks" {
	[ "$(uname -m)" = x86_64 ] || skip "the attack is for x86-64"
	start_attack copies
	beside bpf -e syscalls:sys_enter_getpid
	# on the only CPU, the recorder runs before they have filled much of the buffer
	[ "$(nproc)" = 1 ] || offender_is_named copies 'stacks\? w[a-z]* not taken'
	stop_attack
}

# The programs that copy stacks run until they are detached. The recorder has a CPU that others use, too, so that it is slower than they.
@test "a recording ends although stacks are copied faster than it reads them" {
	local cpu last
	[ "$(uname -m)" = x86_64 ] || skip "the attack is for x86-64"
	last=$(($(nproc) - 1))
	[ "$last" -gt 0 ] || skip "needs two CPUs"
	for ((cpu = 0; cpu < last; cpu++)); do start_load taskset -c "$cpu" setpriv --reuid=$ATTACKER --clear-groups "$TMP/programs/copies"; done
	for _ in 1 2 3; do start_load taskset -c "$last" sh -c 'while :; do :; done'; done
	sleep 0.5
	timeout -k 1 300 taskset -c "$last" mp-record -q -e raw_syscalls:sys_enter -g user:bpf --stack-size 60K -d 300ms -o "$TMP/s" || [ $? = 1 ]
	tail -n 1 "$TMP/s" | grep '^{"end":"event"'
}

@test "without an attack, the well-behaved program is complete" {
	for method in bpf cfi; do
		plain_ms $method > /dev/null
		beside $method
	done
}

@test "deep stacks of a function with a long name are shortened" {
	start_attack deep
	beside cfi --max-stack 1000 -e syscalls:sys_enter_getpgid
	stop_attack
	# a program that hardly runs writes less in all than it may in a second, so that there is nothing to shorten
	offender_is_named 'stacks\? w.* shortened' deep ||
		grep -a '	comm=deep	' "$TMP/s" | awk '{ n += length($0) } END { print n, "bytes"; exit n >= 256 * 1024 * 1024 }'
	! grep -q "\(long\)\{130\}" "$TMP/s" || false	# names are truncated
}

@test "mangled names that would keep a demangler busy for ever are truncated or stay as they are" {
	start_attack mangled
	beside cfi -e syscalls:sys_enter_getpgid
	stop_attack
	grep -q 'comm=mangled.*;f<a<int, int>, a<a<int, int>' "$TMP/s"
	grep -q 'comm=mangled.*;_ZcvT_ILZcvT_ILZ' "$TMP/s"
	grep -q 'comm=mangled.*;_RMIC0FG' "$TMP/s"
}

@test "control bytes in names of tasks and files are escaped" {
	local name=$'a\e[2J\r;\001b'
	strip -o "$TMP/programs/$name" "$TMP/programs/deep"
	start_attack "$name"
	beside cfi -e syscalls:sys_enter_getpgid
	stop_attack
	grep -qF 'comm=a\x1b[2J\r;\x01b' "$TMP/s"
	grep -qF '[a\x1b[2J\r\x3b\x01b]+0x' "$TMP/s"
	! LC_ALL=C grep -q $'[\001-\010\013-\037]' "$TMP/s" "$TMP/err" || false
}

@test "a perf map that is a hole or is written again and again is refused or read in pieces" {
	for how in hole again; do
		start_attack jit $how
		beside cfi
		stop_attack
		[ $how = again ] || offender_is_named 'perf map' 'jit' '/tmp/perf-[0-9]*.map'
	done
}

@test "a log of a just-in-time compiler with more code than may be in memory is read in part" {
	start_attack jit log
	beside cfi
	stop_attack
	offender_is_named 'not read' 'jit'
}

@test "thousands of cgroups that come and go, with control bytes in their names, are found by their ids" {
	local mount folder failed=0
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "cgroup2 is not mounted"
	folder=$mount/mp-attack-$$
	mkdir "$folder" 2> /dev/null || skip "cannot make a cgroup"
	chown -R $ATTACKER "$folder"
	start_attack cgroups "$folder" 2000 || failed=1
	echo "$LOAD_PID" > "$folder/cgroup.procs" || failed=1
	[ $failed = 1 ] || beside cfi --fields +cgroup || failed=1
	stop_attack
	"$TMP/programs/cgroups" "$folder" 0
	remove_cgroup "$folder"
	[ $failed = 0 ]
	grep -qP 'comm=cgroups\t.*cgroup=/mp-attack-\d+/\\x1b\[2J\\t,\\r' "$TMP/s"
	! LC_ALL=C grep -q $'[\001-\010\013-\037]' "$TMP/s" || false
}

@test "call frame information that takes long to execute costs others nothing" {
	beside_files cfi cfi-endless debug-frame
}

@test "files that state any size and any number cost others nothing" {
	beside_files debug-frame-bomb names symtab notes debugdata sections
}

# A program of the attacker whose debug link leads to "x.debug" beside it.
make_linked() {
	objcopy --only-keep-debug "$LOAD/spin" "$TMP/x.debug"
	strip -o "$TMP/attack/linked" "$LOAD/spin"
	objcopy --add-gnu-debuglink="$TMP/x.debug" "$TMP/attack/linked"
	chmod 755 "$TMP/attack/linked"
}

@test "a debug link to a FIFO, a device or a huge file is refused at once" {
	make_linked
	plain_ms bpf > /dev/null
	for how in "mkfifo x.debug" "ln -s /dev/ptmx x.debug" "truncate -s 24G x.debug"; do
		as_user $ATTACKER sh -c "cd '$TMP/attack' && rm -f x.debug && $how"
		start_load setpriv --reuid=$ATTACKER --regid=$ATTACKER --clear-groups "$TMP/attack/linked" 600
		beside bpf
		offender_is_named ", linked, " "$TMP/attack/linked"
		stop_attack
	done
}

@test "a file system that blocks for ever holds nobody up" {
	[ -w /dev/fuse ] || skip "no FUSE"
	make_linked
	plain_ms bpf > /dev/null
	mkdir "$TMP/attack/.debug"
	start_load "$TMP/programs/blocking" "$TMP/attack/.debug" $ATTACKER "$TMP/attack/linked" 600
	until grep -q '^ready' "$TMP/load.out"; do
		kill -0 "$LOAD_PID" || { cat "$TMP/load.out"; skip "cannot mount FUSE"; }
		sleep 0.01
	done
	beside bpf
	offender_is_named ", linked, " "$TMP/attack/linked"
	stop_attack
}
