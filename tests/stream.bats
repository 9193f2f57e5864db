#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every reader reads the examples of formats/.
# Runs beside a recording.

load lib

@test "good files are valid" {
	for f in formats/good/*.mp; do
		run mp-order --check "$f"
		[ "$status" = 0 ] || { echo "$output"; false; }
		[[ "$output" == *": valid, "*", ordered: "* ]]
	done
}

@test "each bad file is reported with the line and the rule that it breaks" {
	n=0
	while IFS=$'\t' read -r file line rule; do
		run mp-order --check "formats/bad/$file"
		[ "$status" = 1 ] || { echo "$file: status $status"; false; }
		[[ "$output" == *"formats/bad/$file:$line: $rule"* ]] || { echo "$output"; false; }
		n=$((n + 1))
	done < formats/bad/REASONS
	[ "$n" = "$(ls formats/bad/*.mp | wc -l)" ]
}

@test "every filter reads good files without a message, and bad ones without a crash" {
	for p in $FILTERS; do
		for f in formats/good/*.mp formats/bad/*.mp; do
			run filter "$p" "$f"
			[ "$status" -le 2 ] || { echo "$p $f: status $status: $output"; false; }
			case $f in
			*/good/nothing.mp)
				[ "$status" = 0 ] || [[ "$status $output" == "1 mp-cpel: no events: "* ]] ;;
			*/good/interleaved.mp) ;;	# has datatypes that some do not read
			*/good/example.mp | */good/lost.mp)
				[ "$status" = 1 ] && [[ "$output" == *"input reports "*" lost event"* ]] ;;
			*/good/*)
				[ "$status" = 0 ] || { echo "$p $f: status $status: $output"; false; } ;;
			esac
		done
	done
}

@test "mp-order leaves good files as they are" {
	for f in formats/good/*.mp; do
		mp-order "$f" > "$TMP/out" 2> /dev/null || true
		case $f in
		*/two-sections.mp | */interleaved.mp | */unknown.mp) continue ;;	# headers are merged
		esac
		grep -av '"watermark"' "$f" | cmp - "$TMP/out" || { echo "$f"; cat "$TMP/out"; false; }
	done
}

@test "a line of 1 MiB is read; one byte more is skipped and reported" {
	printf '1,a:b,x=%*s\n' $((1048576 - 9)) '' > "$TMP/long"
	[ "$(wc -c < "$TMP/long")" = 1048576 ]
	run mp-order --check "$TMP/long"
	[ "$status" = 0 ]
	[ "$(mp-order "$TMP/long" | wc -c)" = 1048576 ]
	printf '1,a:b,x=%*s\n2,a:b,\n' $((1048576 - 8)) '' > "$TMP/longer"
	run mp-order --check "$TMP/longer"
	[ "$status" = 1 ] && [[ "$output" == *":1: line longer than 1 MiB"* ]] || false
	[ "$(mp-order "$TMP/longer" 2> "$TMP/err")" = "2,a:b," ]
	grep -q ":1: line longer than 1 MiB" "$TMP/err"
	[ "$(mp-fold "$TMP/longer" 2> "$TMP/err")" = "[no comm] 1" ]
	grep -q ":1: line longer than 1 MiB" "$TMP/err"
}

@test "a header rules out no field that mp-stream(5) defines" {
	local fields
	fields=$(sed -n '/^context, that is/,/^always last/p' formats/mp-stream.5 | grep '^\.Ql [a-z]' | sed 's/^\.Ql //; s/[;,]//g')
	[ "$(wc -w <<< "$fields")" -ge 17 ]
	for f in $fields; do
		printf '{"mp":1,"datatype":"event","events":{"t":{}}}\n1,t,%s=1\n{"end":"event","records":1,"lost":0}\n' "$f" > "$TMP/in"
		mp-hist --count "$f" "$TMP/in" > "$TMP/out"
	done
	run mp-hist --count "${f}x" "$TMP/in"
	[ "$status" = 2 ]
}
