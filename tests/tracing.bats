#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Raw tracepoints, and functions of the kernel by the same program where the kernel permits it (kernel.bats has
# one that does), compared with the tracepoints of tracefs and with a known program.

bats_require_minimum_version 1.5.0
load lib

# Records to $TMP/s. What follows needs a complete stream.
record() {
	mp-record -q -o "$TMP/s" "$@" || [ $? = 1 ]
	mp-order --check "$TMP/s" > /dev/null
	[ "$(trailer "$TMP/s" 'fired - .records - .lost - .excluded')" = 0 ]
}

count() {
	grep -c "^[0-9]*,$1" "$TMP/s" || true
}

# Starts the load `switch` on a CPU, under this name, and waits until both of its processes are there.
start_switch() {	# CPU [NAME]
	local program="$LOAD/switch"
	[ $# = 1 ] || cp "$program" "$TMP/$2"
	[ $# = 1 ] || program=$TMP/$2
	start_load "$program" "$1" 600
	until grep -q . "/proc/$LOAD_PID/task/$LOAD_PID/children"; do await; done
}

# For each event of a type, prints its CPU, its task and the values of fields, which are given by name with commas.
values() {
	perl -ne '
		BEGIN { ($type, $fields) = (shift, shift) }
		next unless /^\d+,\Q$type\E,(.*)/;
		my %f = map { /^\.?(.*?)=(.*)/; ($1, $2) } split /\t/, $1;
		s/\(.*\)$// for values %f;	# tracepoints have names of numbers
		print join(" ", map { $f{$_} // "-" } qw(cpu pid tid), split /,/, $fields), "\n"' "$1" "$2" "$TMP/s"
}

@test "rawtp records each switch with the tasks and frames of its tracepoint" {
	needs_root
	start_switch 0
	local path='next_pid=next->pid,next_comm=next->comm,prev_pid=prev->pid,prev_prio=prev->prio'
	record -e "rawtp:sched_switch($path)" -e sched:sched_switch -g kernel --realtime -m 16M -C 0 -n 10000
	[ "$(count rawtp:)" -ge 1000 ]
	values rawtp:sched_switch next_pid,next_comm,prev_pid,prev_prio,stack > "$TMP/raw"
	values sched:sched_switch next_pid,next_comm,prev_pid,prev_prio,stack > "$TMP/tracefs"
	# they start and stop one after the other, but between there is no difference
	python3 - "$TMP/raw" "$TMP/tracefs" <<-'X'
		import sys
		raw, tracefs = (open(name).readlines() for name in sys.argv[1:])
		def core(lines): return "".join(lines[len(lines) // 50 : -len(lines) // 50])
		assert len(raw) >= 1000 and len(tracefs) >= 1000, (len(raw), len(tracefs))
		assert core(raw) in "".join(tracefs) and core(tracefs) in "".join(raw), (len(raw), len(tracefs))
	X
}

@test "rawtp of a command and its children records the system calls that strace counts, with complete stacks" {
	needs_root
	local load='cat /etc/passwd > /dev/null; true'
	strace -f -o "$TMP/strace" sh -c "$load"
	record -e rawtp:sys_enter/stack=user/ -- sh -c "$load"
	# all but those before it was attached
	[ "$(count rawtp:sys_enter)" = $(($(grep -cE '^[0-9]+ +[a-z_0-9]+\(' "$TMP/strace") - 1)) ]
	trailer "$TMP/s" 'unwound.bpf | .stacks > 40 and .whole == .stacks' | grep -qx true
}

@test "rawtp records a process with its children, threads, CPUs or a cgroup" {
	needs_root
	mkfifo "$TMP/go"
	sh -c 'read -r line; cat /etc/passwd > /dev/null; cat /etc/passwd; true' < "$TMP/go" > "$TMP/out" 3>&- &
	local reader=$!
	exec 5> "$TMP/go"
	await_asleep "$reader" sh
	mp-record -q -o "$TMP/s" -e 'rawtp:sys_enter(id)/stack=none/,raw_syscalls:sys_enter/stack=none/' -p "$reader" 5>&- &
	local recorder=$!
	until [ -s "$TMP/s" ]; do await; done
	echo >&5
	wait "$reader" "$recorder"
	grep '^[0-9]*,rawtp:' "$TMP/s" | grep -o 'comm=[^	]*' | sort | uniq -c | tee "$TMP/comms"
	[ "$(awk '{ print $2 }' "$TMP/comms" | paste -sd ' ')" = "comm=cat comm=sh" ] || false
	diff <(values rawtp:sys_enter id | sort) <(values raw_syscalls:sys_enter id | sort)

	start_switch 0
	record -e 'rawtp:sys_enter/stack=none/' -t "$LOAD_PID" -n 200
	[ "$(count "rawtp:sys_enter,.*	tid=$LOAD_PID	")" -ge 100 ]
	[ "$(count rawtp:)" = "$(count "rawtp:sys_enter,.*	tid=$LOAD_PID	")" ]
	record -e 'rawtp:sched_switch/stack=none/' -C 0 -n 200
	[ "$(count rawtp:)" -ge 100 ] && [ "$(count rawtp:)" = "$(count 'rawtp:sched_switch,cpu=0	')" ]
}

@test "fields are texts, numbers in part of a word, casts to other types, and unreadable memory" {
	needs_root
	local name=m$$
	start_switch 0 $name
	export -f await_switches status_of
	# while kernel threads run, which refresh the counters of each CPU, and then the load
	record -a -e 'rawtp:sched_switch(io=arg2->in_iowait,prio=prev->prio:u8,hex=prev->prio:x32,mm=prev->mm->mm_users.counter,file=prev->mm->exe_file->f_path.dentry->d_name.name:string,prev_comm=prev->comm,n=prev->comm:string)/stack=none/' -- \
		bash -c 'cat /proc/sys/vm/stat_refresh; await_switches "$0" 100' "$LOAD_PID"
	jq -e '.events["rawtp:sched_switch"] == { ".io": "u64", ".prio": "u8", ".hex": "x32", ".mm": "s32", ".file": "str",
		".prev_comm": "str", ".n": "str" }' <(head -n 1 "$TMP/s") > /dev/null
	local prio=$((120 + $(nice)))
	local n
	n=$(count "rawtp:.*	comm=$name	")
	[ "$n" -ge 1 ]
	# mm_users is 2 while somebody reads /proc/PID/maps
	[ "$(count "rawtp:.*	comm=$name	.io=0	.prio=$prio	.hex=0x$(printf %x $prio)	.mm=[1-9]	.file=$name	.prev_comm=$name	.n=$name\$")" = "$n" ]
	# kernel threads have no memory: the field is missing, and no other value is in its place
	[ "$(count 'rawtp:.*	.io=[01]	.prio=[0-9]*	.hex=0x[0-9a-f]*	.prev_comm=\([^	]*\)	.n=\1$')" -ge 1 ]
	[ "$(count 'rawtp:.*	.hex=0x[0-9a-f]*	.\(mm\|file\)=[^	]*	.prev_comm')" = 0 ]
}

@test "filters agree with those that the kernel applies to the tracepoint in the same recording" {
	needs_root
	# the kernel of some virtual machines delivers no tracepoint of the idle task: CPU 0 is never idle
	start_spins 0
	local sleeps='for i in $(seq 50); do sleep 0.002; done'
	local filter='(PREV=="sleep" || NEXT=="sleep") && !(PID < 0) && (PRIO&8 || PRIO!=120 && PRIO>=1)'
	local ours=${filter//PREV/.prev} theirs=${filter//PREV/prev_comm}
	ours=${ours//NEXT/.next} theirs=${theirs//NEXT/next_comm} ours=${ours//PID/to} theirs=${theirs//PID/next_pid}
	ours=${ours//PRIO/prio} theirs=${theirs//PRIO/prev_prio}
	record -g none -a -e "rawtp:sched_switch(prev=prev->comm,next=next->comm,to=next->pid,prio=prev->prio)/$ours/" \
		-e "sched:sched_switch/$theirs/" -- taskset -c 0 sh -c "$sleeps"
	values rawtp:sched_switch prev,next,to | grep '^0 ' > "$TMP/raw"
	values sched:sched_switch prev_comm,next_comm,next_pid | grep '^0 ' > "$TMP/tracefs"
	# other processes called sleep may run when the two start and stop, one after the other
	python3 - "$TMP/raw" "$TMP/tracefs" <<-'X'
		import sys
		raw, tracefs = (open(name).readlines() for name in sys.argv[1:])
		def core(lines): return "".join(lines[10:-10])
		assert len(raw) >= 100 and len(tracefs) >= 100, (len(raw), len(tracefs))
		assert core(raw) in "".join(tracefs) and core(tracefs) in "".join(raw), (len(raw), len(tracefs))
	X
	# what cannot be read is neither equal nor unequal
	record -g none -a -e 'rawtp:sched_switch(file=prev->mm->exe_file->f_path.dentry->d_name.name:string)/file!="sleep"/' -- sh -c "$sleeps"
	[ "$(count rawtp:)" -ge 1 ] && [ "$(count 'rawtp:.*	.file=[^	]')" = "$(count rawtp:)" ] && [ "$(count 'rawtp:.*	.file=sleep$')" = 0 ]
	# counts of system calls
	record -g none -e 'rawtp:sys_enter(id)/id==110/' -- "$LOAD/getppid" 1013
	[ "$(count rawtp:)" = 1013 ]
	[ "$(trailer "$TMP/s" fired)" = 1013 ]
}

@test "rawtp takes globs" {
	needs_root
	record -g none -e 'rawtp:sys_e*,raw_syscalls:*' -- "$LOAD/getppid" 101
	[ "$(head -n 1 "$TMP/s" | jq -r '.events | keys | join(" ")')" = "raw_syscalls:sys_enter raw_syscalls:sys_exit rawtp:sys_enter rawtp:sys_exit" ]
	[ "$(count rawtp:sys_enter)" = "$(count raw_syscalls:sys_enter)" ]
	[ "$(count rawtp:sys_exit)" -ge 101 ]
}

@test "an event that is requested twice has the fields of both requests" {
	needs_root
	record -e 'rawtp:sys_enter(id)/stack=none/,rawtp:sys_enter(id,at=regs->ip:x64)' -g none -- true
	jq -e '.events["rawtp:sys_enter"] == { ".id": "s64", ".at": "x64" }' <(head -n 1 "$TMP/s") > /dev/null
	[ "$(count 'rawtp:sys_enter,.*	.id=[0-9]*	.at=0x[0-9a-f]*$')" = "$(count rawtp:)" ]
}

@test "rawtp has tracepoints that tracefs lacks, and lists them with their arguments" {
	needs_root
	mp-record -l 'rawtp:*' > "$TMP/list"
	[ "$(wc -l < "$TMP/list")" -gt "$(bpftool btf dump id 1 | grep -c "TYPEDEF 'btf_trace_" | awk '{ print $1 - 1 }')" ]
	run -0 mp-record -l -v rawtp:sched_switch
	[[ "$output" == *".prev "*"x64"*".prev_state"*"u32"* ]]
	mp-record -l -v 'fexit:vfs_read' | grep -q '^      .retval  *s64'
	grep -qx '  rawtp:pelt_cfs_tp' "$TMP/list" || skip "no pelt_cfs_tp in this kernel"
	record -e 'rawtp:pelt_cfs_tp(load=cfs_rq->avg.load_avg)/stack=none/' -n 10
	[ "$(count 'rawtp:pelt_cfs_tp,.*	.load=[0-9]')" -ge 10 ]
}

@test "events that do not fit are counted as lost" {
	needs_root
	start_switch 0
	mp-record -q -m 32K -o "$TMP/s" -e rawtp:sys_enter/stack=none/ &
	local pid=$!
	until [ -s "$TMP/s" ]; do await; done
	kill -STOP "$pid"
	await_switches "$LOAD_PID" 2000
	kill -CONT "$pid"
	kill -INT "$pid"
	local status=0
	wait "$pid" || status=$?
	[ "$status" = 1 ]
	trailer "$TMP/s" 'lost > 100 and .fired == .records + .lost + .excluded' | grep -qx true
}

@test "impossible requests are refused with a reason" {
	needs_root
	refused() {
		run mp-record -d 1s -o /dev/null "${@:2}"
		[ "$status" = 2 ] && [[ "$output" == "mp-record: "$1 ]] || { echo "$output"; false; }
	}
	refused "rawtp:sched_swich: the kernel has no raw tracepoint 'sched_swich'; did you mean 'sched_switch'?" -e rawtp:sched_swich
	refused "fentry:vfs_reed: the kernel has no function 'vfs_reed'; did you mean 'vfs_read'?" -e fentry:vfs_reed
	refused "rawtp:nothing_*: nothing in the kernel matches" -e 'rawtp:nothing_*'
	refused "rawtp:sched_switch: struct task_struct has no member 'pidd'" -e 'rawtp:sched_switch(prev->pidd)'
	refused "rawtp:sched_switch: there is no 'from' ?mp-record -l*" -e 'rawtp:sched_switch(from)'
	refused "rawtp:sched_switch: there is no 'retval' ?mp-record -l*" -e 'rawtp:sched_switch(retval)'
	refused "rawtp:sched_switch: 'prev_state' does not point to a text" -e 'rawtp:sched_switch(prev_state:string)'
	refused "rawtp:sched_switch: unknown type 'u7' *" -e 'rawtp:sched_switch(prev_state:u7)'
	refused "rawtp:sched_switch: 'se' is neither a number nor a text: name a member of it" -e 'rawtp:sched_switch(prev->se)'
	refused "rawtp:sched_switch: two fields are called 'pid' *" -e 'rawtp:sched_switch(prev->pid,next->pid)'
	refused "rawtp:sched_switch: 'prev-pid': unexpected '-pid'" -e 'rawtp:sched_switch(prev-pid)'
	refused "rawtp:sched_switch: given twice, with fields of the same name or too many" -e 'rawtp:sched_switch,rawtp:sched_switch(prev=prev->pid)'
	refused "rawtp:sched_switch: it takes no period= or freq=*" -e 'rawtp:sched_switch/period=10/'
	refused "rawtp:sched_switch: 'prev_state' can never have this value" -e 'rawtp:sched_switch/prev_state>-1/'
	refused "rawtp:sched_switch: 'prev' is a number" -e 'rawtp:sched_switch/prev=="bash"/'
	refused "rawtp:sched_switch: no ~ here*" -e 'rawtp:sched_switch(n=next->comm)/n~"b*"/'
	refused "rawtp:sched_switch: 'p' cannot be compared with 'n' here*" -e 'rawtp:sched_switch(p=prev->pid,n=next->pid)/p==n/'
	refused "rawtp:sched_switch: no arithmetic and no second field here*" -e 'rawtp:sched_switch(p=prev->pid)/p<tid/'
	refused "rawtp:sched_switch: no arithmetic and no second field here*" -e 'rawtp:sched_switch(p=prev->pid)/p-1==2/'
	refused "rawtp:sched_switch: no arithmetic and no second field here*" -e 'rawtp:sched_switch/1==1/'
	refused "rawtp:sched_switch: the filter's 'x' is not one of its fields" -e 'rawtp:sched_switch/x==1/'
	refused "rawtp:sched_switch: expression: at *" -e 'rawtp:sched_switch/prev==/'
	refused "rawtp:sys_enter: irqs-off, need-resched and running= are for sampled events*" -e 'rawtp:sys_enter/irqs-off/'
}

@test "functions are recorded where the kernel permits programs on them, and refused with a reason where not" {
	needs_root
	local status=0
	mp-record -q -o "$TMP/s" -e fexit:do_nanosleep -- sleep 0.01 2> "$TMP/err" || status=$?
	if [ "$status" = 2 ]; then
		grep -q '^mp-record: fexit:do_nanosleep: this kernel allows no BPF programs on its functions: ' "$TMP/err"
		skip "no programs on functions"
	fi
	[ "$(count 'fexit:do_nanosleep,.*	.retval=0')" = 1 ]
}
