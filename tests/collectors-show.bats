#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Runs each pipeline that collectors and mp-tools(7) name; each has to show something.

bats_require_minimum_version 1.5.0
load lib

setup_file() {
	unset MP_COLLECTORS XDG_CONFIG_HOME
}

# The pipelines of a collector.
shows() {
	mp-record --explain "$1" | sed -n '/^shown by /,/^file /p' | sed '$d; s/^shown by//; s/^ *//'
}

# Turns a pipeline of the manual into one for this test: short, about the load, its results in out.
for_test() {
	sed -E "s/ -d [0-9]+/ -q -d 300ms/; s/\bPID\b/$MIX_PID/; s/0x55d0c0de0040/$MIX_ADDRESS/; s/postgres/mix/; s/:libjemalloc//; s/\[age 10 to 100 s\]/[age < 1 s]/; s/> [a-z_-]+\.[a-z]+$/> out/"
}

# Runs it in $TMP, with the output in out.
show() {
	local status=0
	: > "$TMP/out"
	(cd "$TMP" && timeout 120 bash -o pipefail -c "$1" > stdout 2> err < /dev/null) || status=$?
	[ -s "$TMP/out" ] || cp "$TMP/stdout" "$TMP/out"
	return $status
}

# A picture, or lines that are not control lines.
is_something() {
	grep -q '<rect' "$1" || grep -qv '^{' "$1"
}

show_all() {
	local line status
	while IFS= read -r line; do
		[[ "$line" == *" -d "* || "$line" == "mp-record "*" -- "* ]] || { echo "no duration: $line"; return 1; }
		status=0
		show "$(for_test <<< "$line")" || status=$?
		if grep -qE "^mp-record: collector '.*' cannot start:" "$TMP/err"; then
			echo "# $1: $(head -n 1 "$TMP/err")" >&3
		elif [ "$1" = kvm ] && ! is_something "$TMP/out"; then
			echo "# kvm: no exits of virtual machines are traced here" >&3
		else
			[ "$status" -le 1 ] && is_something "$TMP/out" || { echo "status $status: $line"; cat "$TMP/err"; return 1; }
		fi
	done < <(shows "$1")
}

needs_flamegraph() {
	local flamegraph
	flamegraph=$(command -v flamegraph.pl || echo /usr/share/perl5/Devel/NYTProf/flamegraph.pl)
	[ -e "$flamegraph" ] || skip "no flamegraph.pl"
	mkdir "$TMP/bin"
	printf '#!/bin/sh\nexec perl %s "$@"\n' "$flamegraph" > "$TMP/bin/flamegraph.pl"
	chmod +x "$TMP/bin/flamegraph.pl"
	PATH="$TMP/bin:$PATH"
}

# The pipelines of mp-tools(7), a file for each question: 01, 02 and so on.
pipelines_of_page() {
	awk -v to="$1/" '/^\.Sh/ { on = /FROM QUESTION/ } !on { next }
		/^\.Bd/ { file = sprintf("%s%02d", to, ++n); next }
		/^\.Ed/ { file = "" }
		file { gsub(/\\e/, "\\"); print > file }' docs/mp-tools.7
}

@test "each pipeline of mp-tools(7) shows something" {
	needs_root
	needs_flamegraph
	for _ in 1 2 3 4; do start_spins; done	# for running=4-
	start_mix 300
	mkdir "$TMP/questions" "$TMP/recorded"
	pipelines_of_page "$TMP/questions"
	[ "$(ls "$TMP/questions" | wc -l)" -ge 15 ]
	mp-record -q -d 600ms -o "$TMP/recorded/cpu.mp" || [ $? = 1 ]
	cp "$TMP/recorded/cpu.mp" "$TMP/recorded/web7.mp"
	sed '1s/"host":"[^"]*"/"host":"db1"/; 1s/"boot":"[^"]*"/"boot":"another"/' "$TMP/recorded/cpu.mp" > "$TMP/recorded/db1.mp"
	for question in "$TMP"/questions/*; do
		mkdir "$TMP/work"
		cp "$TMP"/recorded/* "$TMP/work"
		status=0
		(cd "$TMP/work" && timeout 120 bash -o pipefail -c "$(sed -E "s/ -d [0-9]+/ -q -d 300ms/; s/\bPID\b/$MIX_PID/;
			s/--from 2s --for 500ms/--from 200ms --for 200ms/" "$question")" > stdout 2> "$TMP/err" < /dev/null) || status=$?
		[ "$status" -le 1 ] || { cat "$question" "$TMP/err"; echo "status $status"; false; }
		(cd "$TMP/work" && rm cpu.mp web7.mp db1.mp && { [ -s stdout ] || rm stdout; })
		[ -n "$(ls "$TMP/work")" ] || { cat "$question" "$TMP/err"; false; }
		for shown in "$TMP"/work/*; do
			is_something "$shown" || { cat "$question" "$TMP/err"; false; }
		done
		rm -r "$TMP/work"
	done
}

@test "each pipeline of each collector shows something" {
	needs_root
	needs_flamegraph
	start_spins
	start_mix
	start_load sh -c 'while "$0" 30011; do :; done' "$LOAD/guest"
	for c in lib/collectors/*; do
		show_all "${c##*/}"
	done
}
