#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Events task:*, and the collector lib: exact numbers of known programs, compared with /proc.

bats_require_minimum_version 1.5.0
load lib

count() {
	grep -c "^[0-9]*,$1" "$2" || true
}

# A program that is linked with 12 libraries, loads 7 more, and prints its mappings at the end.
make_libraries() {
	mkdir "$TMP/l"
	for i in $(seq 19); do
		echo "int f$i(void) { return $i; }" | gcc -shared -fPIC -x c -o "$TMP/l/libmp$i.so" -
	done
	cat > "$TMP/main.c" <<-'X'
		#include <dlfcn.h>
		#include <stdio.h>
		#define LIST(x) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12)
		#define DECLARE(i) int f##i(void);
		#define CALL(i) + f##i()
		LIST(DECLARE)
		int main(int argc, char **argv) {
			char name[4096];
			for (int i = 13; i <= 19; i++) {
				snprintf(name, sizeof(name), "%s/libmp%d.so", argv[1], i);
				if (!dlopen(name, RTLD_NOW)) return 1;
			}
			FILE *f = argc > 2 ? fopen("/proc/self/maps", "r") : NULL;
			while (f && fgets(name, sizeof(name), f)) fputs(name, stdout);
			return (0 LIST(CALL)) != 78;
		}
	X
	gcc -o "$TMP/loads19" "$TMP/main.c" -L"$TMP/l" $(seq -f '-lmp%.0f' 12) -Wl,-rpath,"$TMP/l"
}

@test "lib records 19 libraries, each with the place and size that /proc shows" {
	needs_own_events
	make_libraries
	mp-record -q lib -o "$TMP/s" -- "$TMP/loads19" "$TMP/l" show > "$TMP/maps"
	[ "$(trailer "$TMP/s" status)" = 0 ]
	mp-order --check "$TMP/s" > /dev/null
	[ "$(grep ',task:mmap,' "$TMP/s" | grep -c '\.file=[^	]*/libmp[0-9]*\.so	')" = 19 ]
	perl -ne 'my ($from, $to, $prot, $offset, $file) = /^(\w+)-(\w+) (\S+) (\w+) \S+ \d+ +(\S+)/;
		printf "%s 0x%x %d 0x%x %s\n", $file, hex $from, hex($to) - hex $from, hex $offset, $prot
			if $prot =~ /x/ && $file =~ m{^/}' "$TMP/maps" | sort > "$TMP/want"
	grep ',task:mmap,.*comm=loads19	' "$TMP/s" |
		sed -nE 's/.*	\.file=(\/[^	]*)	\.addr=([^	]*)	\.bytes=([^	]*)	\.offset=([^	]*)	\.prot=(.*)/\1 \2 \3 \4 \5/p' |
		sort > "$TMP/got"
	diff "$TMP/want" "$TMP/got"
	[ "$(count task:exec "$TMP/s")" = 1 ]
	if grep -q 'uprobe:libc.so.6:dlopen' <(head -n 1 "$TMP/s"); then
		mp-pair -b 'uprobe:*:dlopen' -e 'uretprobe:*:dlopen' -k tid -p nest "$TMP/s" > "$TMP/spans"
		[ "$(grep -c "\.file=$TMP/l/libmp1[3-9].so	.*dur=[1-9]" "$TMP/spans")" = 7 ]
	fi
}

@test "the pipelines that --explain shows for lib work" {
	make_libraries
	needs_root
	cd "$TMP"
	mp-record --explain lib | sed -n 's/^\(shown by\)\? *mp-record/mp-record/p' > "$TMP/show"
	[ "$(wc -l < "$TMP/show")" -ge 3 ]
	while read -r line; do
		line=${line/-- python3 -c \'import ssl\'/-- $TMP/loads19 $TMP/l}
		bash -o pipefail -c "$line" > "$TMP/out" 2> "$TMP/err" < /dev/null || { echo "$line"; cat "$TMP/err"; false; }
		grep -q libmp19.so "$TMP/out" || { echo "$line"; cat "$TMP/out"; false; }
	done < "$TMP/show"
}

@test "task:* records creation, names and exit of tasks, with -p, with -a and without" {
	needs_own_events
	cat > "$TMP/t.pl" <<-'X'
		sleep 1 while !-e $ARGV[0];
		for (1 .. 7) { if (!fork) { $0 = "mp-child" if $_ <= 3; exec "/bin/true" if $_ > 4; exit } wait }
	X
	mp-record -q -e 'task:fork,task:comm,task:exec,task:exit' -o "$TMP/s" -- perl "$TMP/t.pl" /
	[ "$(count task:fork "$TMP/s")" = 7 ]
	[ "$(count task:exec "$TMP/s")" = 4 ]	# perl, and 3 times true
	[ "$(count task:comm "$TMP/s")" = 3 ]
	[ "$(grep -c ',task:comm,.*comm=mp-child$' "$TMP/s")" = 3 ]
	[ "$(count task:exit "$TMP/s")" = 8 ]
	parent=$(grep -m 1 ',task:fork,' "$TMP/s" | grep -o '	pid=[0-9]*' | tr -d '	')
	[ "$(grep -c ",task:exit,.*	.p${parent}\$" "$TMP/s")" = 7 ]
	# the tasks that are created are those that exit
	grep ',task:fork,' "$TMP/s" | grep -o '\.tid=.*' | sort > "$TMP/born"
	grep ',task:exit,.*\.p'"$parent"'$' "$TMP/s" | grep -o '	tid=[0-9]*' | sed 's/.*tid/.tid/' | sort | diff - "$TMP/born"
	[ "$(trailer "$TMP/s" fired)" = 22 ]

	needs_root
	perl "$TMP/t.pl" "$TMP/go" &
	pid=$!
	rm "$TMP/s"
	mp-record -q -e task:fork,task:exit -p $pid -o "$TMP/s" &
	until [ -s "$TMP/s" ]; do await; done
	touch "$TMP/go"
	wait %2
	[ "$(count task:fork "$TMP/s")" = 7 ]
	[ "$(count task:exit "$TMP/s")" = 8 ]
	# under a name that nothing else on this machine has
	ln -s "$(command -v perl)" "$TMP/p$$"
	mp-record -q -a -e task:fork --fields comm,.pid -o "$TMP/s" -- "$TMP/p$$" "$TMP/t.pl" / || [ $? = 1 ]
	[ "$(grep -cE ",task:fork,comm=p$$	.pid=[0-9]+\$" "$TMP/s")" = 7 ]
	[ "$(head -n 1 "$TMP/s" | jq -c '.events["task:fork"]')" = '{".pid":"s32"}' ]
}

@test "task:* has the CPU on which the event happened, and respects -C" {
	needs_root
	[ "$CPUS" -gt 1 ] || skip "one CPU"
	mp-record -q -e task:exec -C 0 -o "$TMP/s" -- taskset -c 1 /bin/true
	[ "$(count task:exec "$TMP/s")" -le 1 ]	# taskset itself
	! grep -q 'comm=true' "$TMP/s" || false
	mp-record -q -e task:exec -C 1 -o "$TMP/s" -- taskset -c 1 /bin/true
	[ "$(grep -c 'cpu=1	.*comm=true' "$TMP/s")" = 1 ]
}

@test "task:mmap counts what does not fit: delivered + lost is what happened" {
	needs_own_events
	cat > "$TMP/maps.c" <<-'X'
		#include <signal.h>
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(int argc, char **argv) {
			int n = atoi(argv[1]);
			kill(getppid(), SIGSTOP);	/* nobody empties the ring */
			for (int i = 0; i < n; i++)
				munmap(mmap(0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
			kill(getppid(), SIGCONT);
			return 0;
		}
	X
	gcc -o "$TMP/maps" "$TMP/maps.c"
	mp-record -q -e task:mmap -m 32K -o "$TMP/s" -- "$TMP/maps" 0
	own=$(trailer "$TMP/s" records)
	run mp-record -e task:mmap -m 32K -o "$TMP/s" -- "$TMP/maps" 5003
	[ "$status" = 1 ] && [[ "$output" == *"events were lost"* ]] || false
	[ "$(trailer "$TMP/s" lost)" -gt 1000 ]
	# these events also receive creations and exits: the exit of the program may be among the lost
	more=$(($(trailer "$TMP/s" records) + $(trailer "$TMP/s" lost) - own - 5003))
	[ "$more" = 0 ] || [ "$more" = 1 ]
	[ "$(trailer "$TMP/s" fired)" = $((own + 5003 + more)) ]
}

@test "any user may record task:* of the user's own processes" {
	needs_unprivileged
	needs_own_events unprivileged "$TMP/mp-record"
	unprivileged "$TMP/mp-record" -q -e 'task:*' -- /bin/true > "$TMP/s"
	[ "$(count task:exec "$TMP/s")" = 1 ]
	grep -q ',task:mmap,.*\.file=/[^	]*/libc.so.6	' "$TMP/s"
	[ "$(count task:exit "$TMP/s")" = 1 ]
}

@test "-l lists task:* with fields, and a filter for it is refused" {
	[ "$(mp-record -l 'task:e*' 2> /dev/null | grep -c '^  task:ex')" = 2 ]
	mp-record -l -v task:mmap 2> /dev/null | grep -q '^      \.file  *str'
	run mp-record -e task:mmap/bytes==1/ -- true
	[ "$status" = 2 ] && [[ "$output" == *"task:mmap: it takes no filter"* ]] || false
	[ -e /sys/kernel/tracing/events ] && [ -r /sys/kernel/tracing/events ] || skip "the names of tracefs cannot be read"
	run mp-record -e task:exc -- true
	[ "$status" = 2 ] && [[ "$output" == *"did you mean 'task:exec'?"* ]] || false
}

# starved PID: it gets no CPU but the last one, which it shares with loads that have 6,000 times its weight.
starved() {
	local pid i
	for i in 1 2 3 4; do
		start_load nice -n -20 taskset -c $((CPUS - 1)) "$LOAD/spin" 600
		[ ! -e /proc/self/autogroup ] || echo -20 > "/proc/$LOAD_PID/autogroup"
	done
	[ ! -e /proc/self/autogroup ] || echo 19 > "/proc/$1/autogroup"
	for pid in /proc/"$1"/task/*; do renice -n 19 "${pid##*/}" > /dev/null; done
	taskset -a -p -c $((CPUS - 1)) "$1" > /dev/null
}

@test "no record of a task is lost at 2,000 forks and execs a second, even if mp-record hardly gets a CPU" {
	needs_root
	[ "$CPUS" -gt 1 ] || skip "needs two CPUs"
	chrt -f 1 true 2> /dev/null || skip "no real-time priority"
	setsid mp-record -a -e cpu-clock -F 9 -o "$TMP/s" 2> "$TMP/err" 3>&- &
	recorder=$!
	until grep -qs '"mp"' "$TMP/s"; do await; done
	starved $recorder
	taskset -c 0 "$LOAD/forks" 2000 3
	kill -KILL $(printf -- '-%s ' "${LOADS[@]}") 2> /dev/null || true
	kill -INT $recorder
	wait $recorder || [ $? = 1 ]
	! grep 'of a task\|of tasks' "$TMP/err" || false
}
