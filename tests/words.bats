#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What the programs print for people: the list of all messages, and the words in them and in the manuals.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

LIST=tests/messages.txt

# What golden cases expect on stderr.
golden_messages() {
	cat tests/golden/*/*.test | sed -n 's/^! //p'
}

# What mp-record prints on misuse, and for things that do not exist: no privileges are needed.
record_messages() {
	local words
	while read -ra words; do
		timeout 120 mp-record "${words[@]}" 2>&1 > /dev/null < /dev/null || true
	done <<- 'END'
		--cgroup a -p 1 -d 0.01
		-p 1 -t 1
		-p x
		-d 0.01 -e
		-e none:such -d 0.01
		-e cpu-clok -d 0.01
		-e cpu-clock/freq=0/ -d 0.01
		-e cpu-clock/stack=x/ -d 0.01
		-e cpu-clock/running=x/ -d 0.01
		-e cpu-clock/interval=1s/ -d 0.01
		-e cpu-clock/interval=x/ -d 0.01
		-e cpu-clock:x -d 0.01
		-e cpu-clock/a/b/c -d 0.01
		-q -e cpu-clock/ -d 0.01
		-e page-faults/top=3/ -d 0.01
		-e uprobe:/bin/sh:none_such -d 0.01
		-e uprobe:/none/such:main -d 0.01
		-e usdt:/bin/sh:none_such -d 0.01
		-e fentry: -d 0.01
		-e mem:x -d 0.01
		-e mem:rss/freq=3/ -d 0.01
		-g x -d 0.01
		-F x -d 0.01
		-m 3 -d 0.01
		--stack-size 3 -d 0.01
		--realtime=1000 -d 0.01
		-C x -d 0.01
		--nothing
		--explain
		nothing
		syscalls syscalls -x
		-d 0.01 -e cpu-clock -p 1 -o /none/such
		-e cpu-clock -- /none/such
	END
}

@test "the list of messages is that of the sources (make messages)" {
	tests/messages > "$TMP/list"
	run diff -u "$LIST" "$TMP/list"
	[ "$status" = 0 ] || { echo "$output"; false; }
}

@test "the list explains each message of the golden cases" {
	golden_messages > "$TMP/said"
	[ "$(wc -l < "$TMP/said")" -ge 400 ]
	run tests/messages --match "$LIST" < "$TMP/said"
	[ "$status" = 0 ] && [ -z "$output" ] || { echo "$output"; false; }
}

@test "the list explains what mp-record prints on misuse" {
	needs_root	# others get the same message for most of it
	# another user may do much meanwhile
	record_messages | grep -v '^mp-record: limits for ' > "$TMP/said"
	[ "$(sort -u "$TMP/said" | grep -c '^mp-record: ')" -ge 25 ]
	run tests/messages --match "$LIST" < "$TMP/said"
	[ "$status" = 0 ] && [ -z "$output" ] || { echo "$output"; false; }
}

@test "a message that the list lacks is reported" {
	golden_messages > "$TMP/said"
	for lacking in 'weight is not a whole number' 'end without a begin' 'empty input'; do
		grep -q "$lacking" "$TMP/said"
		grep -v "$lacking" "$LIST" > "$TMP/list"
		run tests/messages --match "$TMP/list" < "$TMP/said"
		[ "$status" = 1 ] && [[ "$output" == *"$lacking"* ]] || { echo "$lacking: $output"; false; }
	done
}

@test "messages, help, manuals and collectors have none of the words that the table advises against" {
	sed G "$LIST" > "$TMP/messages"
	sed G lib/collectors/* > "$TMP/collectors"
	for p in $PROGRAMS; do "$p" --help > "$TMP/$p --help"; done
	for page in docs/*.[17] formats/*.5; do
		mandoc -T utf8 -O width=80 "$page" | sed 's/.\x08//g' > "$TMP/${page##*/}"
	done
	run tests/tools/words "$TMP/messages" "$TMP/collectors" "$TMP"/*--help "$TMP"/*.[157]
	[ "$status" = 0 ] && [ -z "$output" ] || { echo "$output"; false; }
}

@test "the check of words finds each phrase that the table advises against, and only these" {
	printf 'It stands for a word. Threads are told apart by a foretold cutoff, behind-the-scenes.\n' > "$TMP/good"
	run tests/tools/words "$TMP/good"
	[ "$status" = 0 ] && [ -z "$output" ] || { echo "$output"; false; }
	sed -n '/^## Words/,$s/^| \(`[^|]*\)|.*/\1/p' docs/HACKING.md | grep -o '`[^`]*`' | tr -d '`' > "$TMP/phrases"
	[ "$(wc -l < "$TMP/phrases")" -ge 40 ]
	while read -r phrase; do
		printf 'The words are: %s\n  %s, here.\n' "${phrase%% *}" "${phrase#"${phrase%% *}"}" > "$TMP/bad"
		run tests/tools/words "$TMP/bad"
		[ "$status" = 1 ] && [[ "$output" == "$TMP/bad: $phrase: "* ]] || { echo "$phrase: $output"; false; }
	done < "$TMP/phrases"
}
