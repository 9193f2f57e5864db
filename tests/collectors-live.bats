#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Collectors compared with known workloads and with what others count: perf, strace, /proc, /sys.

bats_require_minimum_version 1.5.0
load lib

ROUNDS=101

setup_file() {
	unset MP_COLLECTORS XDG_CONFIG_HOME
}

# Records ROUNDS rounds of mix, in a network namespace of its own, with a collector. It has a name that nothing else
# on this machine has.
MIX=m$$
mix() {
	needs_root
	cp "$LOAD/mix" "$TMP/$MIX"
	head -c 64K /dev/zero > "$TMP/file"
	mp-record -q --realtime -m 16M -o "$TMP/s" "$@" -- unshare -n sh -c 'ip link set lo up && "$0" "$1" "$2" > /dev/null && cat /proc/net/snmp >&2' \
		"$TMP/$MIX" "$TMP/file" $ROUNDS 2> "$TMP/snmp" || [ $? = 1 ]
}

# around WHAT WANTED LEAST MOST: prints the value and the limits
around() {
	echo "$1: $2, wanted $3 to $4"
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ]
}

@test "callstack has as many samples as the CPU time demands, each with the spinning function" {
	needs_root
	mp-record -q callstack -F 499 -o "$TMP/s" -- /usr/bin/time -o "$TMP/time" -f '%U %S' "$LOAD/spin" 1 > /dev/null
	wanted=$(awk '{ print int(499 * ($1 + $2)) }' "$TMP/time")
	samples=$(grep -c 'comm=spin	' "$TMP/s")
	# a host that takes the CPU away takes samples or CPU time with it
	around samples "$samples" $((wanted * 7 / 10 - 5)) $((wanted * 12 / 10 + 5))
	around "in spin_here" "$(grep -c 'stack=_start;.*main;spin_caller;spin_here' "$TMP/s")" $((samples * 8 / 10)) "$samples"
}

@test "cpusched and wakers record as many switches and wakeups as perf stat counts" {
	needs_root
	# a name that nothing else on this machine has, of at most 15 bytes
	name=sw$$
	cp "$LOAD/switch" "$TMP/$name"
	mp-record -q --realtime -m 16M cpusched wakers -g none -o "$TMP/s" -- \
		perf stat -x, -o "$TMP/stat" -e context-switches,sched:sched_waking "$TMP/$name" 0 0.2 > "$TMP/rounds" || [ $? = 1 ]
	switches=$(awk -F, '/context-switches/ { print $1 }' "$TMP/stat")
	wakes=$(awk -F, '/sched_waking/ { print $1 }' "$TMP/stat")
	# perf omits what two processes do while they exit, where a busy machine interrupts them
	lost=$(trailer "$TMP/s" lost)
	around switches "$(grep -c ',sched:sched_switch,.*prev_comm='"$name	" "$TMP/s")" $((switches - lost)) $((switches + switches / 20 + 20))
	around wake-ups "$(grep -c ',sched:sched_waking,.*	comm='"$name	" "$TMP/s")" $((wakes - lost)) $((wakes + wakes / 20 + 20))
	[ "$switches" -ge "$(cat "$TMP/rounds")" ]
}

@test "rundelay agrees with the kernel on how long two tasks wait for one CPU" {
	needs_root
	cat > "$TMP/work" <<-'X'
		ran=0
		until [ "$ran" -ge 400000000 ]; do
			for ((i = 0; i < 1000; i++)); do :; done
			read -r ran delay _ < /proc/$$/schedstat
		done
		echo "$$ $delay"
	X
	mp-record -q --realtime -m 16M -a rundelay -o "$TMP/s" -- taskset -c 0 sh -c 'bash "$0" & bash "$0"; wait' "$TMP/work" > "$TMP/said" || [ $? = 1 ]
	[ "$(wc -l < "$TMP/said")" = 2 ]
	mp-order "$TMP/s" 2> /dev/null | mp-sched -s wait,preempted,unknown > "$TMP/spans" 2> /dev/null || [ $? = 1 ]
	while read -r pid delay; do
		# near losses its state is unknown: it may have waited, too
		read -r waited unknown < <(perl -ne 'BEGIN { $tid = shift } next unless /[,\t]tid=$tid\t/;
			my ($dur) = /\tdur=(\d+)/; /state=unknown/ ? ($unknown += $dur) : ($waited += $dur);
			END { printf "%d %d\n", $waited, $unknown }' "$pid" "$TMP/spans")
		echo "$pid waited $waited, unknown $unknown, the kernel says $delay"
		[ "$delay" -gt 50000000 ] && [ $((waited * 2)) -gt "$delay" ]
		[ "$waited" -le $((delay * 11 / 10 + 5000000)) ] && [ $((waited + unknown)) -ge $((delay * 9 / 10)) ]
	done < "$TMP/said"
}

@test "diskblockrq records the bytes of 17 requests as the device counts them, with the stack of the reader" {
	needs_root
	truncate -s 16M "$TMP/disk"
	loop=$(losetup -f --show "$TMP/disk") || skip "no loop device"
	number=$(stat -c '0x%t 0x%T' "$loop" | { read -r major minor; echo $((major << 20 | minor)); })
	read -r reads _ sectors _ < "/sys/block/${loop##*/}/stat"
	mp-record -q -a diskblockrq -o "$TMP/s" -- dd if="$loop" of=/dev/null bs=64K count=17 iflag=direct 2> /dev/null || [ $? = 1 ]
	read -r reads_after _ sectors_after _ < "/sys/block/${loop##*/}/stat"
	losetup -d "$loop"
	mp-select -e block:block_rq_issue -f ".dev==$number && comm==\"dd\" && .bytes==65536" "$TMP/s" > "$TMP/dd" || [ $? = 1 ]
	[ "$(grep -c ',block:block_rq_issue,' "$TMP/dd")" = 17 ]
	[ "$(grep ',block:block_rq_issue,' "$TMP/dd" | grep -c 'vfs_read_\[k\];')" = 17 ]
	mp-fold --weight .bytes "$TMP/dd" > "$TMP/folded" || [ $? = 1 ]
	[ "$(awk '{ n += $NF } END { print n }' "$TMP/folded")" = $((17 * 65536)) ]
	# udev may have read as well
	[ $((reads_after - reads)) -ge 17 ] && [ $((sectors_after - sectors)) -ge $((17 * 128)) ] || false
	all=$(mp-select -e block:block_rq_issue -f ".dev==$number" "$TMP/s" | grep -c ',block:block_rq_issue,')
	around requests "$all" 17 $((reads_after - reads))
}

@test "ipc records $ROUNDS connections with both processes, as the kernel counts them, and messages of TCP and Unix sockets" {
	mix -a ipc
	[ "$(awk '/^Tcp: [0-9]/ { print $6, $7 }' "$TMP/snmp")" = "$ROUNDS $ROUNDS" ]
	mp-order "$TMP/s" > "$TMP/o" || [ $? = 1 ]
	mp-pair -s 'sock:inet_sock_set_state/.oldstate==2 && .newstate==1/' -s 'sock:inet_sock_set_state/.oldstate==3 && .newstate==1/' \
		-s 'sock:sock_*_length' -k .sport=.dport,.dport=.sport -k .skaddr=.sk -n peers -f comm,peer=end:comm "$TMP/o" > "$TMP/p" || [ $? = 1 ]
	# a busy machine may establish a connection in the context of another process
	around connections "$(grep -c ',peers,comm=[^	]*	peer='$MIX-server'	' "$TMP/p")" $ROUNDS $ROUNDS
	around "connections of $MIX" "$(grep -c ",peers,comm=$MIX	peer=$MIX-server	" "$TMP/p")" $((ROUNDS * 8 / 10)) $ROUNDS
	grep -q ',sock:sk_data_ready,' "$TMP/o" || skip "this kernel has no sk_data_ready"
	mp-pair -b sock:sk_data_ready -e sock:sock_recv_length -k .skaddr=.sk -f comm,.family,peer=end:comm,bytes=end:.ret "$TMP/o" > "$TMP/d" || [ $? = 1 ]
	# every message, from both sides
	for message in "send $MIX 2 600" "recv $MIX-server 2 600" "send $MIX-server 2 4" "recv $MIX 2 4" "send $MIX 1 11" "recv $MIX-server 1 11"; do
		read -r way comm family bytes <<< "$message"
		around "$message" "$(grep -c ",sock:sock_${way}_length,.*comm=$comm	.*\.family=$family\(([A-Z0-9_]*)\)*	.*\.ret=$bytes	" "$TMP/o")" $ROUNDS $ROUNDS
	done
	# with both processes, but for some whose data a third, interrupted process delivered
	both() { grep -c "comm=$1	.family=$2\(([A-Z0-9_]*)\)*	peer=$3	bytes=$4	" "$TMP/d"; }
	around "mix to mix-server" "$(both $MIX 2 $MIX-server 600)" $((ROUNDS * 8 / 10)) $ROUNDS
	around "mix-server to mix" "$(both $MIX-server 2 $MIX 4)" $((ROUNDS * 8 / 10)) $ROUNDS
	# each datagram is received separately, and several receivers may wait for one
	mp-pair -b 'sock:sk_data_ready/.family==1/' -e 'sock:sock_recv_length/.family==1/' -p queue -k .skaddr=.sk \
		-f comm,.family,peer=end:comm,bytes=end:.ret "$TMP/o" > "$TMP/d" || [ $? = 1 ]
	[ "$(both $MIX 1 $MIX-server 11)" = $ROUNDS ]
}

@test "syscalls agrees with strace on calls, a size and results" {
	needs_root
	strace -o "$TMP/strace" -e trace=openat,read,close cat /etc/passwd > /dev/null
	sed -nE 's/^(openat|read|close)\(.*\) += (-?[0-9]+).*/\1 \2/p' "$TMP/strace" > "$TMP/wanted"
	mp-record -q -o "$TMP/s" syscalls:openat,read,close -- cat /etc/passwd > /dev/null
	# strace shows the C library's -1 where the kernel returns -errno
	grep 'comm=cat	' "$TMP/s" | sed -nE 's/.*:sys_exit_([a-z]*),.*\.ret=(-?[0-9]+).*/\1 \2/p' | sed 's/-[0-9]*/-1/' > "$TMP/got"
	[ "$(wc -l < "$TMP/got")" -ge 7 ]
	diff "$TMP/wanted" "$TMP/got"
	size=$(sed -nE 's/^read\(.*, ([0-9]+)\) += .*/\1/p' "$TMP/strace" | tail -n 1)
	[ "$(grep ',syscalls:sys_enter_read,' "$TMP/s" | tail -n 1 | sed -E 's/.*\.count=([^\t]*).*/\1/')" = "$(printf '0x%x' "$size")" ]
}

# between FILE SECONDS: the times before and after two readings of a file in /proc, SECONDS apart, and then how much each of
# its lines increased on CPU 0
between() {
	perl -e 'use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
		my ($file, $seconds) = @ARGV;
		my @times;
		sub now { push @times, sprintf "%.0f", clock_gettime(CLOCK_MONOTONIC) * 1e9 }
		sub counts { now(); my %n; open my $f, "<", $file or die; while (<$f>) { $n{$1} = $2 if /^\s*(\w+):\s+(\d+)/ } now(); return %n }
		my %before = counts(); select undef, undef, undef, $seconds; my %after = counts();
		print "@times\n"; printf "%s %d\n", $_, $after{$_} - $before{$_} for sort keys %after' "$@"
}

# counted WHAT CONDITION FILE: of the recorded events that meet a condition of awk, as many lie between two readings of a counter
# as FILE says, which `between` has written. The clock was read before and after each. What is in the kernel's counter
# has its event some ns later, and the kernel may drop a few.
counted() {
	local before from to after least most
	read -r before from to after < "$3"
	read -r least most < <(awk -F'[,\t]' -v before="$before" -v from="$from" -v to="$to" -v after="$after" '
		!/^\{/ && $3 == "cpu=0" && $1 >= before && $1 <= after && ('"$2"') { most++; least += $1 >= from && $1 <= to }
		END { print least + 0, most + 0 }' "$TMP/s")
	around "$1" "$4" $((least - 2)) $(((most + 2 + $(trailer "$TMP/s" lost)) * 100 / 95))
}

# Moves all processes of the latest load to CPU 0.
move_load() {
	local pid
	for pid in $(ps -o pid= -s "$LOAD_PID"); do taskset -p -c 0 "$pid" > /dev/null || [ ! -d "/proc/$pid" ]; done
}

@test "softirq agrees with /proc/softirqs" {
	needs_root
	export -f between
	start_spins
	start_mix 1000
	move_load
	mp-record -q -a softirq -o "$TMP/s" -- bash -c 'between /proc/softirqs 0.7' > "$TMP/said" || [ $? = 1 ]
	i=0
	for name in HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU; do
		wanted=$(awk -v name="$name" '$1 == name { print $2 }' "$TMP/said")
		counted "$name" '$2 == "irq:softirq_entry" && index($0, "\t.vec='"$i($name)"'")' "$TMP/said" "$wanted"
		i=$((i + 1))
	done
	awk 'NR > 1 { n += $2 } END { print n, "softirqs"; exit n < 10 }' "$TMP/said"
}

@test "irq agrees with /proc/interrupts" {
	needs_root
	export -f between
	start_spins
	start_mix 1000
	mp-record -q -a irq -o "$TMP/s" -- bash -c 'between /proc/interrupts 0.7' > "$TMP/said" || [ $? = 1 ]
	# devices that share an interrupt have an event each
	for irq in $(sed -nE '2,$s/^([0-9]+) .*/\1/p' "$TMP/said"); do
		handlers=$(grep -o ",irq:irq_handler_entry,cpu=0	.*\.irq=$irq	.*" "$TMP/s" | grep -o '	\.name=[^	]*' | sort -u | wc -l)
		wanted=$(awk -v irq="$irq" 'NR > 1 && $1 == irq { print $2 }' "$TMP/said")
		[ "$handlers" -lt 2 ] || wanted=$((wanted * handlers))
		counted "interrupt $irq" '$2 == "irq:irq_handler_entry" && index($0, "\t.irq='"$irq"'\t")' "$TMP/said" "$wanted"
	done
	sed -nE 's/.*,irq:irq_handler_entry,.*	\.name=([^	]*).*/\1/p' "$TMP/s" | sort -u > "$TMP/names"
	while read -r name; do grep -qF "$name" /proc/interrupts; done < "$TMP/names"
}

@test "exec and signals record $ROUNDS programs, and as many signals that a process sends to itself" {
	mix exec signals -g none
	[ "$(grep -c ',sched:sched_process_exec,.*\.filename=[^	]*/true	' "$TMP/s")" = $ROUNDS ]
	[ "$(grep ',sched:sched_process_exit,' "$TMP/s" | grep -c 'comm=true')" = $ROUNDS ]
	[ "$(grep ',signal:signal_generate,' "$TMP/s" | grep -c "comm=$MIX	.*\.sig=10(SIGUSR1)	")" = $ROUNDS ]
	[ "$(grep ',signal:signal_deliver,' "$TMP/s" | grep -c "comm=$MIX	.*\.sig=10(SIGUSR1)	")" = $ROUNDS ]
}

@test "breakpoint records 47 writes to a variable, each with its stack" {
	start_watch 47
	needs_root
	mp-record -q "breakpoint:$(cat "$TMP/addr")/4:w" -p $pid -o "$TMP/s" &
	recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	echo >&5
	exec 5>&-
	wait $recorder
	[ "$(grep -c '/4:w,.*stack=_start;.*;main$' "$TMP/s")" = 47 ] || { grep -v 'stack=_start;.*;main$' "$TMP/s"; false; }
}

@test "kvm records 31 writes to a port of a virtual machine" {
	needs_root
	status=0
	mp-record -q kvm -o "$TMP/s" -- "$LOAD/guest" 31 > "$TMP/said" || status=$?
	[ "$(trailer "$TMP/s" status)" != 77 ] || skip "no KVM"
	[ "$status" = 0 ]
	[ "$(cat "$TMP/said")" = 31 ]
	[ "$(grep -c ',kvm:kvm_pio,.*\.port=0xe9	' "$TMP/s")" = 31 ]
	# one more exit for the halt
	[ "$(grep -c ',kvm:kvm_userspace_exit,' "$TMP/s")" = 32 ]
}

needs_tracing() {
	needs_root
	mp-record -q -e rawtp:sched_switch -g none -n 1 -o "$TMP/s" 2> "$TMP/why" || [ $? = 1 ] || skip "no BPF: $(head -n 1 "$TMP/why")"
}

# Wakes up 2,000 times a second, so that idle CPUs are interrupted by timers. $1: the CPU.
start_sleeper() {
	start_load taskset -c "$1" perl -e 'select undef, undef, undef, 0.0005 while 1'
}

# uncounted: how many events happened by the kernel's counters and were neither delivered nor counted as lost.
uncounted() {
	sed -nE 's/^mp-record: ([0-9]+) events? (was|were) lost: the kernel dropped.*/\1/p' "$TMP/err" | grep . || echo 0
}

@test "the kernel drops hardly any event of collectors in interrupts of idle CPUs" {
	needs_tracing
	for cpu in $(seq 0 $((CPUS - 1))); do start_sleeper "$cpu"; done
	for collector in cpusched rundelay wakers softirq; do
		mp-record "$collector" -g none -m 8M -d 2 -o "$TMP/s" 2> "$TMP/err" || [ $? = 1 ]
		echo "$collector: $(uncounted) of $(trailer "$TMP/s" fired)"
		[ $(($(uncounted) * 1000)) -le "$(trailer "$TMP/s" fired)" ]
	done
}

@test "each switch continues the one before on its CPU, also where the idle task ran" {
	needs_tracing
	for cpu in $(seq 0 $((CPUS - 1))); do start_sleeper "$cpu"; done
	for collector in cpusched rundelay; do
		mp-record -q "$collector" -m 8M -d 2 -o "$TMP/s" || [ $? = 1 ]
		grep ',sched:sched_switch,' "$TMP/s" | perl -ne '
			my ($cpu) = /,cpu=(\d+)\t/; my ($prev) = /\t\.prev_pid=(\d+)\t/; my ($next) = /\t\.next_pid=(\d+)\t/;
			$n++; $idle++ if !$prev; $holes++ if defined $last{$cpu} && $last{$cpu} != $prev; $last{$cpu} = $next;
			END { print "$n switches, $idle of them from idle tasks, $holes holes\n"; exit !($n > 100 && $holes * 50 <= $n) }'
	done
}

@test "events that a program records have the type and the fields of the tracepoint" {
	needs_tracing
	start_sleeper 0
	sleeper=$LOAD_PID
	for e in sched:sched_{switch,waking,wakeup,migrate_task} block:block_rq_complete irq:softirq_{raise,entry,exit} irq:irq_handler_{entry,exit}; do
		printf 'summary = x\nevent = %s\nidle = %s\nstack = none\n' $e $e > "$TMP/mine"
		mp-record -q -e $e -g none -d 50ms -o "$TMP/a" || [ $? = 1 ]
		MP_COLLECTORS="$TMP" mp-record -q mine -d 50ms -o "$TMP/b" || [ $? = 1 ]
		[ "$(head -n 1 "$TMP/a" | jq -c .events)" = "$(head -n 1 "$TMP/b" | jq -c .events)" ]
	done
	# values: those of a task that sleeps on CPU 0, which is not idle: the kernel may drop tracepoints of idle CPUs
	start_spins 0
	of_sleeper() { grep -o "[.]comm=perl	[.]pid=$sleeper	.*" "$1" | sort -u; }
	mp-record -q -e sched:sched_waking -g none -m 16M -d 1 -o "$TMP/a" || [ $? = 1 ]
	mp-record -q wakers -g none -m 16M -d 1 -o "$TMP/b" || [ $? = 1 ]
	[ -n "$(of_sleeper "$TMP/a")" ]
	diff <(of_sleeper "$TMP/a") <(of_sleeper "$TMP/b")
}

@test "where BPF is not permitted, and of processes, the tracepoints themselves are recorded" {
	needs_tracing
	start_sleeper 0
	setpriv --bounding-set=-sys_admin,-bpf mp-record -q wakers -g none -n 50 -o "$TMP/s" || [ $? = 1 ]
	[ "$(trailer "$TMP/s" records)" = 50 ]
	start_load perl -e 'while (1) { pipe $r, $w; if (!fork) { sysread $r, $x, 1; exit } syswrite $w, "x"; wait }'
	mp-record -q wakers -g none -p "$LOAD_PID" -n 50 -o "$TMP/s" || [ $? = 1 ]
	[ "$(trailer "$TMP/s" records)" = 50 ]
	[ "$(grep -c '^[0-9]*,sched:sched_waking,.*comm=perl' "$TMP/s")" = 50 ]
}
