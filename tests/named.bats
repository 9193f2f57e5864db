#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Numbers with the names that the kernel gives them: each kind of value, chosen by number and by name.

bats_require_minimum_version 1.5.0
load lib

setup() {
	make_tmp
	needs_root
}

# same FILE NUMBER NAME: the two expressions choose the same events, and at least one.
same() {
	mp-select -f "$2" "$1" 2> /dev/null | grep '^[0-9]' > "$TMP/by-number" || true
	mp-select -f "$3" "$1" 2> /dev/null | grep '^[0-9]' > "$TMP/by-name" || true
	[ -s "$TMP/by-number" ] || { echo "no event: $2"; sed -n '/^[0-9]/{p;q}' "$1"; false; }
	cmp "$TMP/by-number" "$TMP/by-name" || { head -n 3 "$TMP/by-number" "$TMP/by-name"; false; }
}

# The type that the header gives to a field of an event.
type_of() {
	head -n 1 "$1" | jq -r --arg e "$2" --arg f "$3" '.events[$e][$f]'
}

# Sends two lines over a TCP connection to itself; prints the port of the side that listens.
tcp() {
	perl -MIO::Socket::INET -e '
		my $l = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die $!;
		my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $l->sockport) or die $!;
		my $s = $l->accept;
		print $c "a\n"; $c->flush; scalar <$s>; print $s "b\n"; $s->flush; scalar <$c>;
		print $l->sockport, "\n";' "$@"
}
export -f tcp

@test "__print_symbolic: a softirq" {
	mp-record -q -g none -a -e irq:softirq_entry -n 20 -o "$TMP/s" -- sleep 10 || [ $? = 1 ]
	read -r number name < <(sed -nE '/^[0-9]/ { s/.*\.vec=([0-9]+)\(([A-Z_]+)\).*/\1 \2/p; q }' "$TMP/s")
	same "$TMP/s" ".vec==$number" ".vec==$name"
	[ "$(type_of "$TMP/s" irq:softirq_entry .vec)" = 'u32()' ]
}

@test "__print_flags: the state of a task, and gfp_flags" {
	mp-record -q -g none -e sched:sched_switch,kmem:kmalloc -o "$TMP/s" -- sh -c 'sleep 0.05; sleep 0.05' || [ $? = 1 ]
	same "$TMP/s" .prev_state==1 .prev_state==S
	grep -q '\.prev_state=1(S)	' "$TMP/s"
	mp-select -e kmem:kmalloc "$TMP/s" > "$TMP/k" || [ $? = 1 ]
	number=$(sed -nE 's/.*\.gfp_flags=([0-9]+)\(GFP_KERNEL\).*/\1/p' "$TMP/k" | head -n 1)
	same "$TMP/k" ".gfp_flags==$number" .gfp_flags==GFP_KERNEL
}

@test "enumerators that the print format names without their value: the state of an inode" {
	mp-record -q -l -v writeback:writeback_mark_inode_dirty | grep -q '=I_DIRTY_SYNC' || skip "no types of the kernel (BTF)"
	mp-record -q -g none -e writeback:writeback_mark_inode_dirty -o "$TMP/s" -- sh -c 'echo a > "$0"; sync "$0"; echo b >> "$0"' "$TMP/file" || [ $? = 1 ]
	number=$(sed -nE '/^[0-9]/ { s/.*\.flags=0x([0-9a-f]+)\(I_DIRTY_[A-Z_|]*\).*/0x\1/p }' "$TMP/s" | head -n 1)
	[ -n "$number" ] || skip "this file system marks no inode"
	name=$(sed -nE "s/.*\.flags=$number\(([^)]*)\).*/\1/p" "$TMP/s" | head -n 1)
	same "$TMP/s" ".flags==$number" ".flags==\"$name\""
}

@test "%pS and %ps: a symbol of /proc/kallsyms, with its offset" {
	mp-record -q -g none -e timer:hrtimer_start,kmem:kmalloc -o "$TMP/s" -- sh -c 'sleep 0.05; sleep 0.05' || [ $? = 1 ]
	grep ',kmem:kmalloc,' "$TMP/s" | sed -nE 's/.*\.call_site=0x([0-9a-f]+)\(([^)+]+)\+0x([0-9a-f]+)\).*/\1 \2 \3/p' |
		sort -u | head -n 20 > "$TMP/sites"
	[ -s "$TMP/sites" ]
	while read -r address name offset; do
		grep -q "^$(printf %016x $((0x$address - 0x$offset))) [tTwW] $name\b" /proc/kallsyms || { echo "$address $name $offset"; false; }
	done < "$TMP/sites"
	address=$(awk '$3 == "hrtimer_wakeup" { print $1 }' /proc/kallsyms)
	same "$TMP/s" ".function==0x$address" .function==hrtimer_wakeup
}

@test "a device" {
	truncate -s 1M "$TMP/disk"
	loop=$(losetup --show -f "$TMP/disk" 2> "$TMP/why") || skip "no loop device: $(cat "$TMP/why")"
	mp-record -q -a -g none -e block:block_rq_issue -o "$TMP/s" -- \
		dd if="$loop" of=/dev/null bs=64k count=3 iflag=direct status=none || [ $? = 1 ]
	losetup -d "$loop"
	minor=$((0x$(stat -c %T "$loop")))	# not its number if devices may have partitions
	same "$TMP/s" ".dev==$((7 << 20 | minor))" ".dev==\"7:$minor\""
}

@test "addresses, ports and states of a connection" {
	# of the whole system: on a busy CPU, ksoftirqd handles what the other side has sent
	mp-record -q -a -g none -e sock:inet_sock_set_state,tcp:tcp_probe -o "$TMP/s" -- bash -c tcp > "$TMP/port" || [ $? = 1 ]
	port=$(cat "$TMP/port")
	grep -E ",sock:inet_sock_set_state,.*\.[sd]port=$port	" "$TMP/s" > "$TMP/states"
	same "$TMP/states" '.daddr=="127,0,0,1"' '.daddr=="127.0.0.1"'
	same "$TMP/states" .newstate==1 .newstate==TCP_ESTABLISHED
	same "$TMP/states" .family==2 .family==AF_INET
	grep -q '\.saddr_v6=0,0,0,0,0,0,0,0,0,0,255,255,127,0,0,1(::ffff:127\.0\.0\.1)' "$TMP/states"
	same "$TMP/states" ".newstate==10 && .sport==$port" ".newstate==TCP_LISTEN && .sport==$port"
	grep ',tcp:tcp_probe,' "$TMP/s" > "$TMP/probes" || skip "this kernel has no tcp_probe"
	same "$TMP/probes" ".dport==$port" ".daddr==\"127.0.0.1:$port\""
	[ "$(type_of "$TMP/s" tcp:tcp_probe .daddr)" = 'u8[]()' ]
}

@test "system calls and errors" {
	mp-record -q -g none -e 'raw_syscalls:*,syscalls:sys_exit_getpgid' -o "$TMP/s" -- \
		perl -e 'open(F, "<", "/no/such/file"); getpgrp(4194304)' || [ $? = 1 ]
	number=$(sed -nE 's/.*\.id=([0-9]+)\(openat\).*/\1/p' "$TMP/s" | head -n 1)
	same "$TMP/s" ".id==$number" .id==openat
	same "$TMP/s" .ret==-2 .ret==ENOENT
	same "$TMP/s" "type~\"*sys_exit_getpgid\" && .ret==-3" "type~\"*sys_exit_getpgid\" && .ret==ESRCH"
	! grep -E '\.ret=[0-9]+\(' "$TMP/s" || false
}

@test "a signal" {
	mp-record -q -g none -e 'signal:*' -o "$TMP/s" -- bash -c 'trap : USR1; kill -USR1 $$' || [ $? = 1 ]
	same "$TMP/s" .sig==10 .sig==SIGUSR1
}

@test "the reasons of a virtual machine's exits" {
	status=0
	[ -d /sys/kernel/tracing/events/kvm ] || skip "no events of KVM"
	mp-record -q -g none -e kvm:kvm_userspace_exit -o "$TMP/s" -- "$LOAD/guest" 31 > "$TMP/said" || status=$?
	[ "$(trailer "$TMP/s" status)" != 77 ] || skip "no KVM"
	[ "$status" = 0 ]
	same "$TMP/s" .reason==2 .reason==KVM_EXIT_IO
	[ "$(wc -l < "$TMP/by-name")" = 31 ]
	same "$TMP/s" .reason==5 .reason==KVM_EXIT_HLT
}

@test "a filter of the kernel takes names" {
	mp-record -q -g none -e 'raw_syscalls:sys_enter/id==getppid/' -o "$TMP/s" -- "$LOAD/getppid" 1009
	[ "$(grep -c '\.id=[0-9]*(getppid)' "$TMP/s")" = 1009 ]
	[ "$(head -n 1 "$TMP/s" | jq -r '.filters["raw_syscalls:sys_enter"]')" = "id==$(sed -nE 's/.*\.id=([0-9]+)\(.*/\1/p' "$TMP/s" | head -n 1)" ]
	mp-record -q -g none -e 'sched:sched_switch/prev_state==S && prev_comm=="sleep"/' -o "$TMP/s" -- sleep 0.05
	grep -q '^[0-9]' "$TMP/s"
	[ "$(grep '^[0-9]' "$TMP/s" | grep -vc '\.prev_state=1(S)')" = 0 ]
	run mp-record -q -e 'irq:softirq_entry/vec==TIMR/' -d 1
	[ "$status" = 2 ]
	[[ "$output" == *"irq:softirq_entry: 'vec' of the filter has no value 'TIMR'; did you mean 'TIMER'?"* ]]
}

@test "each kind of name in a filter of the kernel becomes its number" {
	while read -r event filter want; do
		mp-record -q -a -g none -e "$event/$filter/" -d 0.01 -o "$TMP/s" || [ $? = 1 ]
		[ "$(head -n 1 "$TMP/s" | jq -r --arg e "$event" '.filters[$e]' | tr -d ' ')" = "$want" ] || { echo "$filter"; head -n 1 "$TMP/s"; false; }
	done <<- 'X'
		signal:signal_generate sig==SIGUSR1 sig==10
		block:block_rq_issue dev==8:1||dev!=259:0 dev==8388609||dev!=271581184
		raw_syscalls:sys_exit ret==ENOENT&&id!=0 ret==-2&&id!=0
		kmem:kmalloc gfp_flags==GFP_KERNEL gfp_flags==3264
		irq:softirq_entry (vec==TIMER) (vec==1)
		sock:inet_sock_set_state newstate==TCP_ESTABLISHED&&family==AF_INET6 newstate==1&&family==10
		sched:sched_switch prev_state&D prev_state&2
	X
}

@test "a filter of the kernel takes a function, whose name the events then have" {
	mp-record -q -g none -a -e 'timer:hrtimer_start/(function==hrtimer_wakeup)/' -o "$TMP/s" -- sleep 0.05 2> "$TMP/why" || status=$?
	! grep -q 'does not accept the filter' "$TMP/why" || skip "a kernel before Linux 6.2"
	[ "${status:-0}" -le 1 ]
	grep '^[0-9]' "$TMP/s" > "$TMP/events"
	[ "$(grep -vc '\.function=0x[0-9a-f]*(hrtimer_wakeup)' "$TMP/events")" = 0 ]
	run mp-record -q -e 'timer:hrtimer_start/function==no_such_function/' -d 1
	[ "$status" = 2 ]
	[[ "$output" == *"the kernel does not accept the filter"* ]]
}

@test "the keys and tables of filters have the names" {
	mp-record -q -g none -e 'raw_syscalls:sys_enter/id==getppid/' -o "$TMP/s" -- "$LOAD/getppid" 7
	mp-hist --count .id "$TMP/s" | grep -q ' 7 .* getppid$'
	mp-fold --by .id "$TMP/s" | grep -q '^getppid[; ]'
	[ "$(mp-select --json "$TMP/s" | jq -r '.".id_name"' | sort | uniq -c | xargs)" = "7 getppid" ]
}
