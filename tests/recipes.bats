#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Each command that README, man pages, collectors and --help show works, and gives what it promises: tests/tools/recipes.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

DOCUMENTS="README.md $(echo lib/collectors/* docs/*.[17] formats/*.5) $PROGRAMS"

@test "each command of README, the collectors, the man pages and --help works" {
	needs_root
	export BUILD
	tests/tools/recipes "$TMP/box" $DOCUMENTS > "$TMP/tap" ||
		{ grep -A 9 '^not ok' "$TMP/tap"; false; }
	sed -n 's/^ok [0-9]* \(.*\) # skip \(.*\)/# \2: \1/p' "$TMP/tap"
	[ "$(grep -c '^ok' "$TMP/tap")" -ge 230 ]
}

# By looser rules than those of the tool: each line that is shown as a command, and has the name of a program in it.
@test "each line that shows a command is among those that are run" {
	tests/tools/recipes --list $DOCUMENTS > "$TMP/list"
	for document in $DOCUMENTS; do
		case $document in
		*.md) sed -n 's/^    //p' "$document" ;;
		lib/*) sed -n 's/^show *= *//p' "$document" ;;
		docs/* | formats/*) sed -n '/^\.Bd -literal/,/^\.Ed/p' "$document" | grep -v '^\(show\|{\)' | sed 's/\\&//g; s/\\e/\\/g; s/\\(dq/"/g; s/\\(aq/'"'"'/g; s/^\$ //' ;;
		*) "$document" --help | sed -n '/^Examples:/,$p' ;;
		esac | sed 's/\\$//; s/^ *//; s/ *$//' | grep -E '(^|[|(;]|do) *(build/bin/)?mp(-[a-z]+)? [^ ]' || true
	done > "$TMP/lines"
	[ "$(wc -l < "$TMP/lines")" -ge 300 ]
	tr -s ' ' < "$TMP/list" > "$TMP/commands"
	tr -s ' ' < "$TMP/lines" | while IFS= read -r line; do
		grep -qF -- "${line% }" "$TMP/commands" || { echo "not run: $line"; exit 1; }
	done
}

@test "recipes that trip their readers are found" {
	needs_root
	local faults=() fault command n=0
	while IFS='|' read -r fault command; do
		faults+=("$fault")
		# a block of its own for each, so that none finds what another has made
		printf '.Bd -literal\n%s\n.Ed\n' "${command//!/|}" >> "$TMP/page.1"
	done <<- 'END'
		several types of events|mp-fold all.mp
		field 'com' of --by|mp-hist --by com disk.mp
		field '.nosuch' of --drop|mp-select --drop .nosuch disk.mp
		the end of a sorted list|mp-fold --sort weight cpu.mp !tail
		empty input|printf '1,a:b,comm=x\n' !mp-select -f 'comm=="nobody"' !mp-fold
		status 1|mp-fold --version !grep nothing
		no output|mp-fold --version !sed d
		nothing.svg: syntax error|mp-fold --version > nothing.svg
		did you mean|mp-record -e sched_switch -d 1 !mp-fold
		unrecognized option|mp-hist --no-such cpu.mp
	END
	run tests/tools/recipes "$TMP/box" "$TMP/page.1"
	[ "$status" = 1 ]
	for fault in "${faults[@]}"; do
		n=$((n + 1))
		[[ "$(sed -n "/^not ok $n /,/^\(not \)\?ok\|^1\.\./p" <<< "$output" | sed '$d')" == *"$fault"* ]] || { echo "$fault: $output"; false; }
	done
}

@test "the services and the disk of the recipes are gone when a signal ends them" {
	needs_root
	# so many that they last until the signal, however busy the machine is
	for n in {1..100}; do printf '.Bd -literal\nmp-record -d %s | mp-fold\n.Ed\n' "$n"; done > "$TMP/page.1"
	tests/tools/recipes "$TMP/box" "$TMP/page.1" > /dev/null &
	until pgrep -f "^$TMP/box/bin/qemu" > /dev/null; do await; done
	kill -TERM $!
	wait $! || [ $? = 143 ]
	# the children of those that it waits for may end a little later, and the disk when they no longer use it
	while pgrep -af "^$TMP/box/bin/(nginx|postgres|qemu)" || losetup -l | grep "$TMP/box"; do await; done
}
