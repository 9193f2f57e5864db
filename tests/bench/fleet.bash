# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests/bench/run: what a pass over many files costs, in CPU hours for each TB of the stream, whatever the engine.
: "${work:?}"

fleet_cell() {	# FILE NAME
	awk -v s="$(median "$2" 2)" -v bytes="$(stat -L -c %s "$1")" 'BEGIN { printf "%14.2f", s / bytes * 1e12 / 3600 }'
}

fleet_table() {	# TITLE FILE COMMAND...
	local file=$2 commands=() i
	mp-order -o "$work/fleet.zst" "$file"
	printf '\nCPU hours for each TB (10^12 bytes) before compression: %s, %d MB, %s events, compressed to %.1f MB\n%-14s%14s%14s\n' "$1" \
		"$(mb "$file")" "$(tail -n 1 "$file" | jq .records)" "$(($(stat -c %s "$work/fleet.zst") / 100000))e-1" "" file compressed
	shift 2
	for ((i = 1; i <= $#; i++)); do
		commands+=("plain-$i" "${!i} $file" "zst-$i" "${!i} $work/fleet.zst")
	done
	interleave wc "wc -l $file" zstdcat "zstdcat $work/fleet.zst" "${commands[@]}"
	printf '%-14s%s%s\n' "wc, zstdcat" "$(fleet_cell "$file" wc)" "$(fleet_cell "$file" zstdcat)"
	for ((i = 1; i <= $#; i++)); do
		printf '%-14s%s%s\n' "${!i%% *}" "$(fleet_cell "$file" "plain-$i")" "$(fleet_cell "$file" "zst-$i")"
	done
	rm "$work/fleet.zst"
}

bench_fleet() {
	local hist="mp-hist --dump --by comm -e sched:sched_switch -f .next_prio"
	record_stream
	fleet_table "with stacks" "$work/real.mp" mp-fold "$hist" "mp-pair -b sched:sched_switch -e sched:sched_switch -k .next_pid=.prev_pid"
	record_sched
	fleet_table "without stacks" "$work/sched.mp" "$hist" "mp-pair -b sched:sched_waking -e sched:sched_switch -k .pid=.next_pid"
}
