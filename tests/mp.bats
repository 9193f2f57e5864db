#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp: what it finds, which program it runs, and what the shells complete with it.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

@test "mp prints each other program once, below a question, as its man page describes it" {
	mp > "$TMP/out"
	cmp "$TMP/out" <(mp help)
	for p in $PROGRAMS; do
		[ "$p" != mp ] || continue
		grep -qE "^  ${p#mp-} " "$TMP/out" || { echo "$p"; false; }
	done
	[ "$(grep -c '^  [a-z]' "$TMP/out")" = $(($(wc -w <<< "$PROGRAMS") - 1)) ]
	[ "$(grep -cE '^[A-Z].*\?$' "$TMP/out")" -ge 4 ]
	# without line breaks, so that long lines are found
	tr -s ' \n' ' ' < "$TMP/out" > "$TMP/text"
	for page in docs/mp-*.1; do
		grep -qF "$(sed -n 's/^\.Nd //p' "$page")" "$TMP/text" || { echo "$page"; false; }
	done
}

@test "mp runs the program beside it, then the one on PATH" {
	mkdir "$TMP/here" "$TMP/path"
	cp "$BUILD/bin/mp" "$TMP/here"
	printf '#!/bin/sh\necho here "$#" "$2"; exit 7\n' > "$TMP/here/mp-one"
	printf '#!/bin/sh\necho path\n' | tee "$TMP/path/mp-one" > "$TMP/path/mp-two"
	touch "$TMP/here/mp-three"
	chmod +x "$TMP/here/mp-one" "$TMP"/path/*
	run env PATH="$TMP/path:$PATH" "$TMP/here/mp" one --x 'a  b'
	[ "$status" = 7 ] && [ "$output" = "here 2 a  b" ]
	run env PATH="$TMP/path:$PATH" "$TMP/here/mp" two
	[ "$status" = 0 ] && [ "$output" = path ]
	run env PATH="$TMP/path:$PATH" "$TMP/here/mp" three
	[ "$status" = 2 ] && [ "$output" = "mp: cannot execute 'mp-three': Permission denied" ]
}

@test "a program that mp runs is in its place: signals, standard input, closed descriptors" {
	[ "$(yes 1,a:b,comm=x | head -n 1000 | mp fold -e '*')" = "x 1000" ]
	run bash -c 'set -o pipefail; yes "a;b 3" | mp import | head -n 1 > /dev/null; echo "${PIPESTATUS[1]}"'
	[ "$output" = 141 ]
	run bash -c 'mp fold <&-'
	[ "$status" = 2 ] && [ "$output" = "mp-fold: cannot read 'stdin': Bad file descriptor" ]
	run bash -c 'mp > /dev/full'
	[ "$status" = 2 ] && [[ "$output" == *"No space left on device"* ]] || false
}

# A copy of mp, and an mp-record that lists what this says.
copy_mp() {
	cp "$BUILD/bin/mp" "$TMP"
	cat > "$TMP/mp-record"
	chmod +x "$TMP/mp-record"
}

list() {
	copy_mp <<- 'X'
		#!/bin/sh
		cat <<- 'END'
			Collectors:
			  disklat             disk requests from submission to completion
			  ldlat               memory loads with high latency
			  quiet               Latencies that nobody wants

			Tracepoints:
			  kyber:kyber_latency
			  block:block_rq_issue
			  x:latency_of_x
			  x:xlatency
		END
	X
}

@test "mp help finds programs, questions, collectors, events and sections, the best first" {
	list
	"$TMP/mp" help latency > "$TMP/out"
	[[ "$(sed -n 2p "$TMP/out")" == "  mp-pair(1) "*latencies* ]]
	grep -q '^  How does the latency of the disk change over time?$' "$TMP/out"
	# the pipeline that answers it
	grep -A 3 'How does the latency' "$TMP/out" | grep -q 'mp-svg-heatmap --log --percentiles'
	[ "$(sed -n '/^Collectors/,/^Events/p' "$TMP/out" | sed '1d; $d' | awk '{ print $1 }' | xargs)" = "quiet ldlat" ]
	[ "$(sed -n '/^Events/,/^Man/p' "$TMP/out" | sed '1d; $d' | xargs)" = "kyber:kyber_latency x:latency_of_x" ]
	sed -n '/^Man/,$p' "$TMP/out" | grep -qE '^  mp-[a-z]+\([1-7]\) +[A-Z]'
	# all forms of a word, in any case
	cmp "$TMP/out" <("$TMP/mp" help Latencies)
	cmp "$TMP/out" <("$TMP/mp" help LATENC)
	# each word must be there
	"$TMP/mp" help disk completion > "$TMP/out"
	grep -q '^  disklat ' "$TMP/out"
	run ! grep -q 'ldlat\|kyber' "$TMP/out"
}

@test "mp help finds each program, collector and page by its name, and by a word of its summary" {
	for p in $PROGRAMS; do
		[ "$p" = mp ] || mp help "${p#mp-}" 2> /dev/null | grep -q "^  $p(1)" || { echo "$p"; false; }
	done
	mp help histogram 2> /dev/null | grep -q '^  mp-hist(1)'
	mp help flame 2> /dev/null | grep -q '^  mp-fold(1)'
	mp help folded 2> /dev/null | grep -q '^  mp-folded(5)'
	mp help offcpu 2> /dev/null | grep -q '^  offcpu '
	mp help page-faults 2> /dev/null | grep -q '^  page-faults '
}

@test "what mp help prints fits a screen of 24 lines and 80 columns" {
	for word in a e s memory disk cpu event stack time latency the of 'mp record' 'sched switch'; do
		mp help $word > "$TMP/out" 2> /dev/null || [ $? = 1 ]
		[ -s "$TMP/out" ]
		[ "$(wc -l < "$TMP/out")" -le 24 ] || { echo "$word"; false; }
		awk 'length > 80 { exit 1 }' "$TMP/out" || { echo "$word"; false; }
	done
}

@test "mp help without mp-record, without tracefs, and with nothing to find" {
	cp "$BUILD/bin/mp" "$TMP"
	run --separate-stderr env PATH=/nowhere "$TMP/mp" help latency
	[ "$status" = 0 ] && [ -z "$stderr" ]
	[[ "$output" == *"mp-pair(1)"*"How does the latency"* ]]
	[[ "$output" != *Collectors* ]] || false
	copy_mp <<< $'#!/bin/sh\nprintf "Collectors:\\n  irq  interrupts\\n"\nexit 1'
	run --separate-stderr "$TMP/mp" help interrupts
	[ "$status" = 1 ] && [ "$stderr" = "mp: tracepoints may be missing ('mp-record -l' says why)" ]
	[[ "$output" == *"  irq  "* ]]
	copy_mp <<< $'#!/bin/sh\nexit 0'
	run "$TMP/mp" help latancy
	[ "$status" = 2 ] && [ "$output" = "mp: nothing found for 'latancy': did you mean 'latency'?" ]
	run "$TMP/mp" help latency latancy
	[ "$status" = 2 ] && [ "$output" = "mp: nothing found for all of these words" ]
}

@test "mp help is inert whatever the names of events are" {
	copy_mp <<< $'#!/bin/sh\nprintf "Events:\\n  evil:\\033[2Jname  a \\302\\233 latency \\377\\n"'
	"$TMP/mp" help latency > "$TMP/out"
	grep -qF 'evil:\x1b[2Jname' "$TMP/out"
	run ! grep -qP '\x1b|\xc2\x9b' "$TMP/out"
}

@test "mp works installed" {
	make -s install DESTDIR="$TMP/d" PREFIX=/usr BUILD="$BUILD" > /dev/null
	cd /
	run env -i PATH=/nowhere "$TMP/d/usr/bin/mp" help offcpu
	[ "$status" -le 1 ] && [[ "$output" == *"  offcpu "* ]]
	run env -i PATH=/nowhere "$TMP/d/usr/bin/mp" fold --version
	[ "$status" = 0 ]
}

@test "each word that is completed after an option is one that the program takes" {
	local n=0
	while read -r program option; do
		# shellcheck disable=SC2086 # an option may need others before it
		for word in $(mp complete "$program" $option '' | cut -f 1); do
			run timeout 300 "$program" $option "$word" /dev/null
			[[ "$output" != *"'$word'"* && "$output" != *"try '$program"* ]] || { echo "$program $option $word: $output"; false; }
			n=$((n + 1))
		done
	done <<- 'END'
		mp-sched --states
		mp-svg-heatmap --palette
		mp-svg-heatmap --colour
		mp-svg-heatmap --ansi
		mp-stackplot --missing
		mp-timeline --order
		mp-hist --over 1 --sort
		mp-fold --sort
		mp-import --from
		mp-import --time-unit
		mp-import --clock
	END
	[ "$n" -ge 35 ]
	for word in $(mp complete mp-fleet --engine '' | cut -f 1); do
		run mp-fleet --engine "$word" /dev/null
		[[ "$output" == *"no command"* ]] || { echo "$word: $output"; false; }
	done
	for word in $(mp complete mp-hist --points '' | cut -f 1); do
		run mp-hist "--points=$word" /dev/null
		[[ "$output" != *"--help"* ]] || { echo "$word: $output"; false; }
	done
	for option in policy context stack; do
		for word in $(mp complete mp-pair --$option '' | cut -f 1); do
			run mp-pair -b a -e b -k tid --$option "$word" /dev/null
			[[ "$output" != *"--help"* ]] || { echo "$option $word: $output"; false; }
		done
	done
	for word in $(mp complete mp-record -g '' | cut -f 1); do
		mp-record -g "$word" -l cpu-clock > /dev/null || [ $? = 1 ]
	done
	for word in $(mp complete mp-record --fields '' | cut -f 1); do
		mp-record --fields "$word" -l cpu-clock > /dev/null || [ $? = 1 ]
	done
}

@test "each option that takes fields or events completes them" {
	local n=0
	printf '1,a:b,cpu=0\tzebra=1\n' > "$TMP/in"
	for p in ${FILTERS%"$EXAMPLES"}; do
		while read -r option argument; do
			case $option in --focus | --ignore | --show-from) continue ;; esac	# globs for frames
			case $argument in
			FIELD | FIELDS | KEY) mp complete "$p" "$TMP/in" "$option" z | grep -q '^zebra' ;;
			GLOB | SPEC) mp complete "$p" "$TMP/in" "$option" a | grep -q '^a:b' ;;
			*) continue ;;
			esac || { echo "$p $option $argument"; false; }
			n=$((n + 1))
		done < <("$p" --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\)[ =]\([A-Z]*\) .*/\2 \3/p')
	done
	[ "$n" -ge 25 ]
}

@test "fish completes with descriptions" {
	command -v fish > /dev/null || skip "no fish"
	fish_line() { fish --no-config -c "source completions/mp-tools.fish; complete -C '$1'"; }
	fish_line "mp fol" | grep -q "^fold	fold call stacks"
	fish_line "mp-fold --rev" | grep -q "^--reverse	leaf first"
	fish_line "mp-sched -s run,w" | grep -qx "run,wait"
	fish_line "mp-record dis" | grep -q "^disklat	disk requests"
	fish_line "mp fold READM" | grep -q "^README.md"
}

@test "zsh completes with descriptions" {
	command -v zsh > /dev/null || skip "no zsh"
	zsh_line() {
		zsh -f -c '
			words=(${=1}) CURRENT=$#words
			_describe() { print -rl -- ${(P)argv[-1]} }
			_files() { print files }
			_pids() { print pids }
			source completions/_mp-tools' zsh "$1"
	}
	zsh_line "mp fol" | grep -q "^fold:fold call stacks"
	zsh_line "mp-fold --rev" | grep -qx -e "--reverse:leaf first"
	zsh_line "mp-record -e task:exe" | grep -qx 'task\\:exec:a program starts'
	[ "$(zsh_line "mp-fold READM")" = files ]
	[ "$(zsh_line "mp-record -p 1")" = pids ]
}

@test "a program is unknown although a folder of PATH may not be searched" {
	needs_root
	mkdir -m 700 "$TMP/closed"
	run setpriv --reuid=nobody --clear-groups env PATH="$TMP/closed:/usr/bin" "$(command -v mp)" fodl
	[ "$status" = 2 ] && [ "${lines[0]}" = "mp: unknown program 'fodl': did you mean 'fold'?" ] || { echo "$output"; false; }
}

@test "bash completes, and lists with descriptions" {
	source completions/mp-tools.bash
	bash_line() {	# TYPE WORD... as readline splits the line
		COMP_TYPE=$1 COLUMNS=80 COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMP_LINE="${*:2}" COMP_POINT=${#COMP_LINE}
		COMP_WORDBREAKS=
		_mp_tools "$2" || true	# compopt fails outside of a completion
		printf '%s\n' "${COMPREPLY[@]}"
	}
	[ "$(bash_line 9 mp-fold --rev)" = --reverse ]
	[ "$(bash_line 63 mp-fold --rev)" = --reverse ]
	[ "$(bash_line 9 mp fl)" = $'fleet\nflame' ]
	[ "$(bash_line 63 mp fl)" = $'fleet  record on many hosts at once, and merge what they aggregate\nflame  draw call stacks as a flame graph' ]
	[ "$(bash_line 63 mp-record dis | sed 's/ .*//' | xargs)" = "diskblockrq disklat" ]
	[ "$(bash_line 63 mp-record '' | awk '{ if (length > n) n = length } END { print n }')" = 78 ]
	printf '1,a:b,cpu=0\n' > "$TMP/in"
	[ "$(bash_line 9 mp-flame --diff "$TMP/in" --work a)" = a:b ]
}

@test "bash does not run what a file has as a type of events" {
	printf '{"mp":1,"datatype":"event","events":{"a:$(touch %s/owned)":{"`touch %s/owned`":"u8"}}}\n' "$TMP" "$TMP" > "$TMP/evil.mp"
	source completions/mp-tools.bash
	for option in -e --fields -f; do
		COMP_WORDS=(mp-select "$TMP/evil.mp" "$option" "") COMP_CWORD=3
		COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=$((${#COMP_LINE}))
		_mp_tools mp-select || true	# compopt fails outside of a completion
		[ ! -e "$TMP/owned" ]
	done
}
