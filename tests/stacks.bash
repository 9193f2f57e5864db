# SPDX-License-Identifier: GPL-2.0-only
# For bats files that look at user stacks: load stacks

setup() {
	make_tmp
	needs_root
	case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of this kind of machine are not unwound" ;; esac
}

sample() {	# samples a command's user stacks by the default method
	mp-record -q --realtime -e cpu-clock -F 999 -g user -o "$TMP/s" -- "$@" > /dev/null || [ $? = 1 ]
	fold_recording
}

whole() {	# at least so many of 1,000 stacks by a method are complete, of at least $2 stacks
	tail -n 1 "$TMP/s" | jq -e ".unwound.${3:-cfi} | .stacks >= $2 and .whole * 1000 >= .stacks * $1" > /dev/null ||
		{ tail -n 1 "$TMP/s" | jq -c .unwound; false; }
}

has() {	# share (percent) of the samples that match
	local n m
	n=$(awk '{ n += $NF } END { print n + 0 }' "$TMP/f")
	m=$(grep -E "$1" "$TMP/f" | awk '{ n += $NF } END { print n + 0 }')
	[ "$n" -gt 20 ] && [ $((m * 100)) -ge $((n * $2)) ] || { echo "$m of $n"; head -n 5 "$TMP/f"; false; }
}

bpf_works() {
	[ "$(uname -m)" = x86_64 ] || skip "BPF stacks are for x86-64"
	mp-record -q -e sched:sched_switch -d 1ms -o "$TMP/probe" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/probe" | jq -r .stacks.user)" = bpf ] || skip "this kernel does not take the BPF program"
}
