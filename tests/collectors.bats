#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Named collectors: their files, and exact numbers of known workloads.

bats_require_minimum_version 1.5.0
load lib

ALL=$(cd "$BATS_TEST_DIRNAME/../lib/collectors" && echo *)

setup_file() {
	unset MP_COLLECTORS XDG_CONFIG_HOME
}

@test "each collector is listed and can be explained" {
	mp-record -l '*' 2> /dev/null > "$TMP/l" || [ $? = 1 ]
	for c in $ALL; do
		sed '/^$/,$d' "$TMP/l" | grep -q "^  $c  *[A-Za-z]" || { echo "$c"; false; }
		mp-record --explain "$c" > "$TMP/e"
		grep -q '^shown by  mp-record' "$TMP/e" || { echo "$c"; false; }
	done
	[ "$(mp-record -l 'disk*' 2> /dev/null | sed 's/^  \([a-z]*\) .*/\1/' | tr '\n' ' ')" = "Collectors: diskblockrq disklat " ]
}

@test "a list says once what it cannot list, and does not claim that nothing matches" {
	needs_root
	command -v setpriv > /dev/null || skip "no setpriv"
	chmod o+x "$TMP"
	install -m 755 "$BUILD/bin/mp-record" "$TMP/mp-record"
	for what in sched:nothing nothing 'nothing*'; do
		run setpriv --reuid 65534 --clear-groups "$TMP/mp-record" -l "$what"
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ] && [[ "$output" == *"cannot read tracefs"* ]] || { echo "$what: $output"; false; }
	done
	run mp-record -l 'nothing*'
	[ "$status" = 2 ] && [ "$output" = "mp-record: no event matches 'nothing*'" ]
}

@test "each collector records or reports what it lacks" {
	needs_root
	for c in $ALL; do
		case $c in
		breakpoint) c=breakpoint:0x1000/4:w ;;
		syscalls) c=syscalls:read,write ;;
		esac
		status=0
		mp-record -q "$c" -d 10ms -o "$TMP/s" 2> "$TMP/err" || status=$?
		if [ "$status" = 2 ]; then
			grep -qE "hardware counter|no event 'cpu'|cannot be sampled|none of its events" "$TMP/err" || { cat "$TMP/err"; false; }
			echo "# $c: $(head -n 1 "$TMP/err")"
		else
			[ "$status" -le 1 ]
			mp-order --check "$TMP/s" > /dev/null
		fi
	done
}

@test "a collector that cannot start does not stop the others, and the status is 1" {
	needs_root
	run mp-record -q no-such cpusched -d 20ms -o "$TMP/s"
	[ "$status" = 1 ] && [[ "$output" == *"no collector 'no-such'"* ]] || false
	head -n 1 "$TMP/s" | jq -e '.collectors == ["no-such", "cpusched"] and .events["sched:sched_switch"]' > /dev/null
	run mp-record -q cpusche -d 20ms -o "$TMP/s"
	[ "$status" = 2 ] && [[ "$output" == *"no collector 'cpusche'; did you mean 'cpusched'?"* ]] || false
	run mp-record syscalls -d 1s
	[ "$status" = 2 ] && [[ "$output" == *"needs an argument: syscalls:calls"* ]] || false
}

@test "collectors can be a user's own file, a group, or take an argument; a wrong file is refused" {
	needs_root
	mkdir -p "$TMP/conf/mp/collectors"
	export XDG_CONFIG_HOME="$TMP/conf"
	printf 'summary = mine\nargument = call = getppid\nevent = syscalls:sys_enter_$1\nstack = none\nfields = tid,comm\n' > "$TMP/conf/mp/collectors/mine"
	printf 'summary = both\ncollectors = mine exec\n' > "$TMP/conf/mp/collectors/two"
	printf 'summary = bad\nevents = x\n' > "$TMP/conf/mp/collectors/bad"
	mp-record -q -o "$TMP/s" two -- "$LOAD/getppid" 1009
	[ "$(grep -c ',syscalls:sys_enter_getppid,tid=[0-9]*	comm=getppid$' "$TMP/s")" = 1009 ]
	[ "$(grep -c ',sched:sched_process_exec,' "$TMP/s")" = 1 ]
	run mp-record -q bad -d 1s
	[ "$status" = 2 ] && [[ "$output" == *"conf/mp/collectors/bad:2: no such key: 'events'"* ]] || false
	MP_COLLECTORS="$TMP/nowhere" mp-record --explain mine > /dev/null
}

@test "an event of several collectors is recorded once, with the fields that each needs" {
	needs_root
	mkdir -p "$TMP/c"
	export MP_COLLECTORS="$TMP/c"
	printf 'summary = a\nevent = sched:sched_switch\nstack = none\nfields = cpu,.prev_pid\n' > "$TMP/c/a"
	printf 'summary = b\nevent = sched:sched_switch/prev_pid==0/\nstack = kernel\nfields = tid,.next_pid,stack\n' > "$TMP/c/b"
	mp-record -q -a a b -o "$TMP/s" -- sleep 0.01 || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -c '.events["sched:sched_switch"] | keys')" = '[".next_pid",".prev_pid"]' ]
	grep -qE '^[0-9]+,sched:sched_switch,cpu=[0-9]+	tid=[0-9]+	.prev_pid=[1-9][0-9]*	.next_pid=[0-9]+	stack=' "$TMP/s"
}

@test "collectors with probes and an event with its own probe record at the same time" {
	needs_root
	mkdir -p "$TMP/c"
	export MP_COLLECTORS="$TMP/c"
	printf 'summary = a\nevent = uprobe:libc:syscall(number=arg1:u64)\nstack = none\n' > "$TMP/c/a"
	printf 'summary = b\nevent = uprobe:libc:syscall(number=arg1:u64), uretprobe:libc:syscall(got=retval:s64)\nstack = none\n' > "$TMP/c/b"
	mp-record -q a b -g none -e "uprobe:$LOAD/getppid:main(argc=arg1:s32)" -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(grep -c ',uprobe:libc.so.6:syscall,.*\.number=110$' "$TMP/s")" = 1009 ]
	[ "$(grep -c ',uretprobe:libc.so.6:syscall,.*\.got=[0-9]*$' "$TMP/s")" = 1009 ]
	[ "$(grep -c ',uprobe:getppid:main,.*\.argc=2$' "$TMP/s")" = 1 ]
}

@test "tcplife records 11 connections" {
	needs_root
	cat > "$TMP/net.pl" <<-'X'
		use IO::Socket::INET;
		my $l = IO::Socket::INET->new(Listen => 16, LocalAddr => "127.0.0.1", LocalPort => 0) or die;
		my ($port, $open) = ($l->sockport, 1);
		print "$port\n";
		for (1 .. 11) {
			my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port) or die;
			my $s = $l->accept;
			print $c "hello\n"; <$s>;
			close $c; close $s;
		}
		# a busy machine handles the last packets later: until no socket of this port but the listener is left
		while ($open) {
			select undef, undef, undef, 0.01;
			open my $f, "<", "/proc/net/tcp";
			$open = grep { / 0100007F:(\S+) 0100007F:(\S+) (\S\S) / && (hex $1 == $port || hex $2 == $port) && $3 !~ /0A|06/ } <$f>;
		}
	X
	for all in -a ''; do	# most changes of state are in softirqs
		mp-record -q $all tcplife -o "$TMP/s" -- perl "$TMP/net.pl" > "$TMP/port" || [ $? = 1 ]
		read -r port < "$TMP/port"
		grep "\.[sd]port=$port	" "$TMP/s" > "$TMP/ours"
		[ "$(grep -c 'comm=perl	.*newstate=2(TCP_SYN_SENT)	' "$TMP/ours")" = 11 ]
		[ "$(grep -c 'oldstate=2(TCP_SYN_SENT)	.newstate=1(TCP_ESTABLISHED)	' "$TMP/ours")" = 11 ]
		[ "$(grep -c 'oldstate=[^1].*newstate=7(TCP_CLOSE)	' "$TMP/ours")" = 22 ]
	done
}

@test "the scheduler's events of a command are those of the whole system, so that mp-sched has each wakeup" {
	needs_root
	# the kernel at times neither delivers nor counts the switch from the idle task: each CPU has another
	start_spins
	# a busy machine may lose events
	for _ in 1 2 3 4 5; do
		mp-record -q cpusched -m 8M -o "$TMP/s" -- sh -c 'sleep 0.05; sleep 0.05' || [ $? = 1 ]
		[ "$(trailer "$TMP/s" lost)" != 0 ] || break
	done
	# the timer wakes each sleep in the context of any task
	woken=$(grep ',sched:sched_wakeup,' "$TMP/s" | grep -c '\.comm=sleep	') || true
	switched=$(grep ',sched:sched_switch,' "$TMP/s" | grep -c 'next_comm=sleep	') || true
	{ [ "$woken" -ge 2 ] && [ "$switched" -ge 2 ]; } || { echo "$woken wakeups, $switched switches"; grep comm=sleep "$TMP/s"; false; }
	run mp-record cpusched -C 0 -d 10ms -o "$TMP/s"
	[[ $output == *"sched:sched_wakeup"*": those that happen on other CPUs are missing"* ]]
}

@test "disklat records 17 requests of 64 KiB with O_DIRECT, also of a command, a process or a cgroup" {
	needs_root
	# the kernel may drop events of idle CPUs
	start_spins
	truncate -s 16M "$TMP/disk"
	loop=$(losetup -f --show "$TMP/disk") || skip "no loop device"
	dev=$(stat -c '%t %T' "$loop")
	dd="dd if=$loop of=/dev/null bs=64K count=17 iflag=direct"
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] && mkdir "$mount/mp-disk-$$" 2> /dev/null || mount=
	mp-record -q -a disklat -o "$TMP/s" -- $dd 2> /dev/null || [ $? = 1 ]
	mp-record disklat -o "$TMP/command" -- $dd 2> "$TMP/err" || [ $? = 1 ]
	grep -q 'block:block_rq_complete.*: recorded for the whole system, since these happen in the context of any task' "$TMP/err"
	mkfifo "$TMP/go"
	sh -c "read -r line; $dd" < "$TMP/go" 2> /dev/null 3>&- &
	exec 5> "$TMP/go"
	[ -z "$mount" ] || echo $! > "$mount/mp-disk-$$/cgroup.procs"
	mp-record -q disklat -p $! -o "$TMP/process" 5>&- &
	recorders=$!
	if [ -n "$mount" ]; then
		mp-record -q disklat --cgroup "mp-disk-$$" -o "$TMP/cgroup" 5>&- &
		until [ -s "$TMP/cgroup" ]; do await; done
		cgroup=$!
	fi
	until [ -s "$TMP/process" ]; do await; done
	echo >&5
	exec 5>&-
	wait $recorders || [ $? = 1 ]
	if [ -n "$mount" ]; then
		kill -INT $cgroup
		wait $cgroup || [ $? = 1 ]
		remove_cgroup "$mount/mp-disk-$$"
	fi
	losetup -d "$loop"
	# dev_t of the kernel: major << 20 | minor
	number=$(((0x${dev% *} << 20) + 0x${dev#* }))
	for stream in s command process ${mount:+cgroup}; do
		mp-pair -b block:block_rq_issue -e block:block_rq_complete -k .dev,.sector "$TMP/$stream" > "$TMP/spans" 2> "$TMP/err" || [ $? = 1 ]
		n=$(grep 'comm=dd	' "$TMP/spans" | grep -cw "\.dev=$number") || true
		issued=$(grep ',block:block_rq_issue,' "$TMP/$stream" | grep 'comm=dd	' | grep -cw "\.dev=$number") || true
		# at a loss, mp-pair forgets requests; an idle CPU may not even count a completion that it drops
		{ [ "$issued" = 17 ] && [ "$n" -ge 16 ]; } || [ "$(trailer "$TMP/$stream" lost)" -gt 0 ] ||
			{ echo "$stream: $issued issued, $n completed; $(cat "$TMP/err")"; false; }
	done
	[ "$(grep ',block:block_rq_issue,' "$TMP/s" | grep "\.dev=$number(.*)	" | grep -c 'nr_sector=128	')" = 17 ]
	[ "$(grep ',block:block_rq_complete,' "$TMP/s" | grep "\.dev=$number(.*)	" | grep -c 'nr_sector=128	')" -ge 16 ]
	if grep -q block_io_start "$TMP/s"; then
		[ "$(grep ',block:block_io_start,' "$TMP/s" | grep "\.dev=$number(.*)	" | grep -c 'comm=dd	')" = 17 ]
	fi
}

@test "exec and signals record a known number of each" {
	needs_root
	mp-record -q exec signals -g none -o "$TMP/s" -- bash -c 'for i in 1 2 3 4 5 6 7; do /bin/true; done
		trap : USR1; for i in 1 2 3 4 5; do kill -USR1 $$; done' || [ $? = 1 ]
	[ "$(grep -c ',sched:sched_process_exec,.*comm=true' "$TMP/s")" = 7 ]
	[ "$(grep ',signal:signal_generate,' "$TMP/s" | grep -c '\.sig=10(SIGUSR1)	')" = 5 ]
}

@test "pagefaults records 1,009 touched pages" {
	needs_root
	cat > "$TMP/p.c" <<-'X'
		#include <sys/mman.h>
		int main(void) {
			char *p = mmap(0, 1009 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(p, 1009 * 4096, MADV_NOHUGEPAGE);
			for (int i = 0; i < 1009; i++) p[i * 4096L] = 1;
			return 0;
		}
	X
	gcc -O0 -o "$TMP/p" "$TMP/p.c"
	mp-record -q pagefaults -o "$TMP/s" -- "$TMP/p"
	# the faults of main are within one range of addresses
	grep -o 'addr=0x[0-9a-f]*000' "$TMP/s" | sort -u | perl -ne '
		/addr=(0x.*)/; my $a = hex $1;
		$run = $a == $last + 4096 ? $run + 1 : 1; $best = $run if $run > $best; $last = $a;
		END { exit !($best >= 1009) }'
}
