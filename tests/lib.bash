# SPDX-License-Identifier: GPL-2.0-only
# For all bats files: PATH, a temporary folder, and functions that several of them need.

cd "$BATS_TEST_DIRNAME/.." || exit 2
: "${BUILD:=$PWD/build}"
PATH="$BUILD/bin:$PATH"
LOAD="$BUILD/load"
sources=(cmd/*)
sources=("${sources[@]#cmd/}")
PROGRAMS=${sources[*]%.c}
EXAMPLES="mp-example mp-example-interval"
FILTERS=" $PROGRAMS $EXAMPLES "
for p in mp mp-record mp-show mp-fleet; do FILTERS=${FILTERS/ $p / }; done
FILTERS=${FILTERS:1:-1}
export LC_ALL=C.UTF-8

# jq 1.6 takes 37 ms to start, gojq 2 ms
jq() {
	gojq "$@"
}
export -f jq

# A folder for the test, which teardown() removes; and the time of its beginning.
make_tmp() {
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/mp-test.XXXXXX")
	STARTED=$TMP/.started
	: > "$STARTED"
}

setup() {
	make_tmp
}

# Removes what killed programs with a just-in-time compiler have left for perf.
remove_perf_maps() {
	local map pid
	for map in /tmp/perf-*.map; do
		pid=${map#/tmp/perf-} pid=${pid%.map}
		[ "$map" -ot "$STARTED" ] || [ -d "/proc/$pid" ] || rm -f "$map"
	done
}

teardown() {
	local load
	for load in "${LOADS[@]}"; do
		kill -KILL -- "-$load" 2> /dev/null || true
	done
	for job in $(jobs -p); do
		kill -KILL "$job" 2> /dev/null || true
	done
	remove_perf_maps
	# what was killed may still make files
	until rm -rf "$TMP" 2> /dev/null; do await; done
}

# The body of a loop that waits for something: sleeps briefly, and fails after two minutes in one test.
await() {
	sleep 0.02
	[ $((WAITED += 1)) -lt 6000 ] || { echo "waited in vain"; return 1; }
}
export -f await

# Removes a cgroup: a task may leave it a little after its parent has waited for it.
remove_cgroup() {	# FOLDER
	until rmdir "$1" 2> /dev/null; do await; done
}

# Prints the children of a process, or those of them that have this name, as pgrep -P does: but that would read about every
# process of the machine, in each round of a loop that waits. Fails if there is none.
children() {	# PID [NAME]
	local file child children name found=1
	for file in "/proc/$1/task"/*/children; do
		read -ra children 2> /dev/null < "$file" || true	# the list has no LF
		for child in "${children[@]}"; do
			name=
			[ $# = 1 ] || read -r name 2> /dev/null < "/proc/$child/comm" || continue
			[ "$name" = "${2-}" ] || continue
			echo "$child"
			found=0
		done
	done
	return $found
}

# Memory (PSS) in KiB of a process and its children.
memory_of() {	# PID
	local p
	for p in "$1" $(children "$1" || true); do cat "/proc/$p/smaps_rollup"; done | awk '/^Pss:/ { n += $2 } END { print n }'
}

# Sets writer to that of the recording $pid, whose messages are in $TMP/err; waits for one that is not $1.
find_writer() {
	until writer=$(children "$pid" mp-writer) && [ "$writer" != "${1:-}" ]; do
		[ -e "/proc/$pid/exe" ] || { cat "$TMP/err"; return 1; }	# the recording has ended
		await
	done
}

# Waits until the writer of a recording cannot write more to a full pipe.
await_stall() {	# PID of mp-record
	local writer
	until writer=$(children "$1" mp-writer) && [[ "$(cat "/proc/$writer/wchan")" == *pipe_write* ]]; do await; done
}

# How many stacks by BPF of $TMP/s had no record when their samples were read: it did not fit, or an interrupt came between.
late() {
	trailer "$TMP/s" 'unwound.bpf.reasons.tables // 0'
}

# A filter with the options that it needs to read any events, to be split with `read -ra`.
filter_words() {
	case $1 in
	mp-example) echo "mp-example --by time" ;;
	mp-example-interval) echo "mp-example-interval -e * --by time" ;;
	mp-export) echo "mp-export --to chrome" ;;
	mp-fold) echo "mp-fold -e *" ;;
	mp-flame) echo "mp-flame -e *" ;;
	mp-page) echo "mp-page -e *" ;;
	mp-diff) echo "mp-diff -e * --absolute --all --stacks formats/good/no-header.mp --" ;;
	mp-pair) echo "mp-pair -b * -e no:end -k time --open" ;;
	mp-hist) echo "mp-hist --count time,type -e * --top 0" ;;
	mp-treemap) echo "mp-treemap -e *" ;;
	mp-stackplot) echo "mp-stackplot -e * --by type" ;;
	mp-timeline) echo "mp-timeline --rows type" ;;
	mp-sched) echo "mp-sched --others" ;;
	mp-svg-heatmap) echo "mp-svg-heatmap -y type -e *" ;;
	*) echo "$1" ;;
	esac
}

# Runs a filter, with these options, on files.
filter() {
	local words
	read -ra words <<< "$(filter_words "$1")"
	"${words[@]}" "${@:2}"
}
export -f filter filter_words

# Skips the test unless this machine lets it record the whole system. Anything but a refusal fails.
needs_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	local status=0
	[ ! -e "$BATS_RUN_TMPDIR/records" ] || return 0
	mp-record -q -e cpu-clock -g none -d 1ms -o /dev/null 2> "$TMP/why" || status=$?
	! grep -q 'not permitted' "$TMP/why" || skip "cannot record here: $(head -n 1 "$TMP/why")"
	[ "$status" -le 1 ] || { cat "$TMP/why"; false; }
	: > "$BATS_RUN_TMPDIR/records"
}

# Skips the test without a package of npm, which `make check` installs if it can.
needs_npm() {
	[ -d "$NPM/node_modules/$1" ] || skip "$(grep -m 1 "npm cannot install $1" "$NPM/log" 2> /dev/null || echo "make check gets $1")"
}

# Whether ids of processes are those that the fields of tracepoints have, and not those of a pid namespace.
has_global_pids() {
	[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]
}

# Runs a command as a user without privileges.
unprivileged() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
	else
		"$@"
	fi
}

# Copies our programs to $TMP, where a user without privileges can run them.
needs_unprivileged() {
	unprivileged true 2> /dev/null || skip "cannot become user nobody"
	install -m 755 "$BUILD/bin/mp-record" "$@" "$TMP"
	chmod 755 "$TMP"
}

# Skips the test if its user cannot record even their own processes with mp-record, or with a COMMAND that runs it.
needs_own_events() {
	[ $# -gt 0 ] || set -- mp-record
	"$@" -q -e page-faults -- true > "$TMP/why" 2>&1 || ! grep -q 'not permitted' "$TMP/why" ||
		skip "cannot record its own processes: $(grep -m 1 'not permitted' "$TMP/why")"
}

# The number of CPUs that are online; nproc counts those that this process may use.
CPUS=$(getconf _NPROCESSORS_ONLN)

LOADS=()

# Starts a load and waits until it has a session of its own and runs its program; teardown ends its process group.
start_load() {
	local stat fields
	setsid "$@" > "$TMP/load.out" 2>&1 3>&- < /dev/null &
	LOAD_PID=$!
	LOADS+=("$LOAD_PID")
	while read -r stat 2> /dev/null < "/proc/$LOAD_PID/stat"; do
		read -ra fields <<< "${stat##*) }"
		# the session
		[ "${fields[3]}" != "$LOAD_PID" ] || [[ $stat == *" (setsid) "* ]] || break
	done
}

# Waits until a process has left its CPU N more times of its own accord.
await_switches() {	# PID N
	local from
	from=$(status_of "$1" voluntary_ctxt_switches)
	until [ $(($(status_of "$1" voluntary_ctxt_switches) - from)) -ge "$2" ]; do await; done
}

# Waits until a process runs the program NAME and sleeps.
await_asleep() {	# PID NAME
	until [[ $(cat "/proc/$1/stat") == *"($2) S "* ]]; do await; done
}

# Keeps a CPU, or all of them, from being idle: the kernel of some virtual machines delivers no event from the idle task.
start_spins() {	# [CPU]
	local cpu
	for cpu in ${1:-$(seq 0 $(($(nproc --all) - 1)))}; do
		start_load taskset -c "$cpu" chrt --idle 0 "$LOAD/spin" 600
		# where sessions share the CPU, its policy counts among its own processes only
		echo 19 2> /dev/null > "/proc/$LOAD_PID/autogroup" || true
	done
}

# Starts a load with some of everything that collectors record, in rounds some ms apart. Sets MIX_PID and
# MIX_ADDRESS, the address of a variable that it writes to in each round.
start_mix() {
	head -c 64K /dev/zero > "$TMP/mix.file"
	start_load sh -c 'exec "$@" > "$0"' "$TMP/mix.out" "$LOAD/mix" "$TMP/mix.file" 0 "${1:-3000}"
	until [ -s "$TMP/mix.out" ]; do await; done
	read -r MIX_PID MIX_ADDRESS < "$TMP/mix.out"
}

# The command of a recording: spins for SECONDS of CPU time, and writes its CPU time to FILE.
# expected FILE FREQUENCY: how many samples that gives.
spin_timed() {
	echo "/usr/bin/time -o $1 -f %U+%S $LOAD/spin $2"
}

expected() {
	awk -F + -v f="$2" '{ printf "%d", ($1 + $2) * f }' "$1"
}

# The command of a recording: stress-ng --switch for a TIME, in a session of its own, whose id goes to FILE, with more options.
# Without --switch-freq or --cpu its tasks may keep all others from the CPUs for minutes (Linux 6.18).
switching() {
	cat > "$TMP/switching" <<-'X'
		echo $$ > "$1"
		folder=${1%/*}
		shift
		exec stress-ng --temp-path "$folder" --switch 4 -t "$@"
	X
	echo "setsid sh $TMP/switching $*"
}

# How long a recording was, in ms.
length_ms() {
	echo $((($(trailer "$1" time) - $(head -n 1 "$1" | jq .clock_ns)) / 1000000))
}

# A field of a stream's trailer.
trailer() {
	tail -n 1 "$1" | jq -r ".$2"
}

# Folds the recording $TMP/s to $TMP/f. The status is 1 if the recording has lost events, as it may on a busy machine.
fold_recording() {	# [OPTION]...
	local status=0
	mp-fold "$@" "$TMP/s" > "$TMP/f" || status=$?
	[ "$status" = 0 ] || { [ "$status" = 1 ] && [ "$(trailer "$TMP/s" lost)" -gt 0 ]; }
}

# Starts a program that writes N times to a variable once fd 5 says so; its id is in $pid, the address in $TMP/addr.
start_watch() {
	mkfifo "$TMP/go"
	"$LOAD/watch" "$1" < "$TMP/go" > "$TMP/addr" &
	pid=$!
	exec 5> "$TMP/go"
	until [ -s "$TMP/addr" ]; do await; done
}

# A line of /proc/PID/status, without its key.
status_of() {	# PID KEY
	awk -v key="$2:" '$1 == key { $1 = ""; print substr($0, 2) }' "/proc/$1/status"
}

# Whether a process has the rights of a sandbox, and no others.
is_confined() {	# PID
	local key real effective saved fs ns
	for key in CapInh CapPrm CapEff CapBnd CapAmb; do [ "$(status_of "$1" $key)" = 0000000000000000 ]; done
	[ "$(status_of "$1" NoNewPrivs)" = 1 ]
	[ "$(status_of "$1" Seccomp)" = 2 ]
	[ "$(status_of "$1" Groups)" = "" ]
	[ "$(status_of "$1" NSpid)" = "$1 1" ]
	# all four ids are the same, and no other process has that id
	read -r real effective saved fs <<< "$(status_of "$1" Uid)"
	[ "$real" -ge 60578 ]
	[ "$real $real $real" = "$effective $saved $fs" ]
	[ "$(ps -eo uid= | grep -cx " *$real")" = 1 ]
	for ns in user pid mnt net ipc; do
		[ "$(readlink "/proc/$1/ns/$ns")" != "$(readlink "/proc/self/ns/$ns")" ] || { echo "$ns"; false; }
	done
	[ "$(wc -l < "/proc/$1/mounts")" = 1 ]
	[ "$(wc -c < "/proc/$1/environ")" = 0 ]
	# not dumpable: its files in /proc belong to root
	[ "$(stat -c %u "/proc/$1/mem")" = 0 ]
	grep -q '^Max core file size *0 *0 ' "/proc/$1/limits"
}
