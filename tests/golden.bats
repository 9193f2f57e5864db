# SPDX-License-Identifier: GPL-2.0-only
# What tests/golden/run, which runs the golden cases, accepts, refuses and rewrites.
# Runs beside a recording.

load lib.bash

RUN=tests/golden/run

# Writes the arguments to a .test file, a line each.
test_file() {
	printf '%s\n' "$@" > "$TMP/x.test"
}

# The runner must report the file as failed for this reason.
refuses() {
	local status=0
	"$RUN" "$TMP/x.test" > "$TMP/tap" 2>&1 || status=$?
	[ "$status" = 1 ] && grep -q "^not ok 1 x: line $1" "$TMP/tap" && grep -qx '1\.\.1' "$TMP/tap" || {
		cat "$TMP/x.test" "$TMP/tap"
		false
	}
}

@test "a case that prints what it states passes" {
	test_file '# a comment' '' '[in.txt]' '< 1' '<' '< 3' '' \
		'## stdin, a file, both outputs and a status' '$ cat - in.txt; echo no >&2; exit 3' '< 0' '| 0' '| 1' '|' '| 3' '! no' '? 3' '' \
		'## no output' '$ cat' '? 0'
	"$RUN" "$TMP/x.test" > "$TMP/tap"
	diff - "$TMP/tap" <<- EOF
		ok 1 x: stdin, a file, both outputs and a status
		ok 2 x: no output
		1..2
	EOF
}

@test "a case that prints anything else fails, with a diff" {
	local command
	for command in 'echo b; echo e >&2; exit 1' 'echo a; echo E >&2; exit 1' 'echo a; echo e >&2' 'echo a; exit 1' \
		'echo e >&2; exit 1' 'printf a; echo e >&2; exit 1' 'echo a; echo a; echo e >&2; exit 1' 'kill $$'; do
		test_file '## t' "$ $command" '| a' '! e' '? 1'
		status=0
		"$RUN" "$TMP/x.test" > "$TMP/tap" || status=$?
		[ "$status" = 1 ]
		grep -qx 'not ok 1 x: t' "$TMP/tap"
		grep -qx '# --- x:3' "$TMP/tap"
		grep -q '^# [-+][|!?\\]' "$TMP/tap"
	done
}

@test "with programs that do nothing, only cases that expect nothing pass" {
	local program
	mkdir -p "$TMP/bin"
	printf '#!/bin/sh\ncat > /dev/null\n' > "$TMP/nothing"	# it reads its input: nobody dies of SIGPIPE
	chmod +x "$TMP/nothing"
	for program in $PROGRAMS $EXAMPLES; do ln -s "$TMP/nothing" "$TMP/bin/$program"; done
	BUILD="$TMP" "$RUN" > "$TMP/tap" || true
	[ "$(grep -c '^ok' "$TMP/tap")" = "$(cat tests/golden/*/*.test | grep -cx '? 0')" ]
	[ "$(tail -n 1 "$TMP/tap")" = "1..$(cat tests/golden/*/*.test | grep -c '^## ')" ]
}

@test "anything that is not a case is an error" {
	: > "$TMP/x.test"; refuses '0: no cases'
	test_file '# a comment'; refuses '1: no cases'
	printf '## t\n$ true\n? 0' > "$TMP/x.test"; refuses '.*no LF'
	printf '## t\n$ echo \xff\n? 0\n' > "$TMP/x.test"; "$RUN" "$TMP/x.test" | grep -q '^not ok 1 x: not UTF-8'
	test_file 'text' '## t' '$ true' '? 0'; refuses '1: neither a case'
	test_file '$ true' '? 0'; refuses '1: neither a case'
	test_file '## ' '$ true' '? 0'; refuses '2: a title'
	test_file '## t # skip' '$ true' '? 0'; refuses '2: a title'
	test_file '## t' '$ true' '? 0' '' '## t' '$ true' '? 0'; refuses '6: a title'
	test_file '[a]' '' '## t' '$ true' '? 0'; refuses '2: a file without lines'
	test_file '[a]' '< 1' '[a]' '< 1' '' '## t' '$ true' '? 0'; refuses '3: second file'
	test_file '[../a]' '< 1' '' '## t' '$ true' '? 0'; refuses '1: neither a case'
}

@test "a case without a command is an error" {
	test_file '## t' '? 0'; refuses '2: a case without a command'
	test_file '## t' '$' '? 0'; refuses '2: a case without a command'
	test_file '## t' '$ ' '? 0'; refuses '2: '
	test_file '## t' '$ ␠' '? 0'; refuses '2: a case without a command'
	test_file '## t' '$ # mp-fold' '? 0'; refuses '2: a case without a command'
	test_file '## t' '| a' '$ echo a'; refuses '2: a case without a command'
	test_file '## t'; refuses '1: a case without a command'
}

@test "a case without expected lines, or with others among them, is an error" {
	test_file '## t' '$ true'; refuses '2: nothing is expected'
	test_file '## t' '$ true' '' '? 0'; refuses '3: nothing is expected'
	test_file '## t' '$ echo a' 'a'; refuses '3: not a line'
	test_file '## t' '$ echo a' '|a'; refuses '3: not a line'
	test_file '## t' '$ echo a' '| a' '? 0'; refuses '4: .*as --write'
	test_file '## t' '$ echo a' '| a' '? 01'; refuses '4: .*as --write'
	test_file '## t' '$ exit 1' '? 1' '! e'; refuses '4: not a line'
	test_file '## t' '$ exit 1' '! e' '| a'; refuses '4: not a line'
	test_file '## t' '$ true' '? 0' '$ true' '? 0'; refuses '4: not a line'
	test_file '## t' '$ cat' '| a' '< a'; refuses '4: not a line'
	test_file '## t' '$ true' '|< missing.svg'; refuses '3: .*No such file'
	test_file '## t' '$ true' '\ No newline at end of file' '? 0'; refuses '3: not a line'
}

@test "each byte has one notation: any other is an error" {
	test_file '## t' '$ echo a' $'| a\tb'; refuses '3: .*write: a→b'
	test_file '## t' '$ echo a' '| a '; refuses '3: .*write: a␠'
	test_file '## t' '$ echo a' '| ␠a'; refuses '3: .*write:  a'
	test_file '## t' '$ echo a' '| ␉a'; refuses '3: '
	test_file '## t' '$ echo a' '| a␊b'; refuses '3: '
	test_file '## t' '$ echo a' '| ⟨41⟩'; refuses '3: .*write: A'
	test_file '## t' '$ echo a' '| ⟨FF⟩'; refuses '3: '
	test_file '## t' '$ echo a' '| ⟨ff'; refuses '3: '
	test_file '## t' '$ echo a' $'| a\u200bb'; refuses '3: .*write: a⟨e2⟩⟨80⟩⟨8b⟩b'
}

@test "every byte survives input, files and expected lines" {
	perl -e 'print join "\n", "\x00\x01\t\r\e\x7f ", "\xff\xc3\xa9\xe2\x86\x92", " ", "", (map { join "", map { chr } $_ * 16 .. $_ * 16 + 15 } 0 .. 15), "→␠␀␡⟨ff⟩", "end"' > "$TMP/bytes"
	test_file '## a command that prints them' "$ cat '$TMP/bytes'"
	"$RUN" --write "$TMP/x.test"
	sed -n 's/^| \{0,1\}/< /p; /^\\/p' "$TMP/x.test" > "$TMP/lines"
	grep -qxF '< ␀␁→␍␛␡␠' "$TMP/lines"
	grep -qxF '< ⟨ff⟩é⟨e2⟩⟨86⟩⟨92⟩' "$TMP/lines"
	sed -i 's/^< $/</' "$TMP/lines"
	{
		cat "$TMP/x.test"
		printf '\n[file]\n' && cat "$TMP/lines"
		printf '\n## input\n$ cmp - %s/bytes && cmp file %s/bytes\n' "$TMP" "$TMP" && cat "$TMP/lines" && echo '? 0'
	} > "$TMP/y.test"
	"$RUN" "$TMP/y.test" | grep -qx 'ok 2 y: input'
}

@test "a case begins in a folder of its own; a pipeline has the status of the command that failed" {
	test_file '[a]' '< 1' '' '## one' '$ touch b; rm a; ls' '| b' '' '## two' '$ ls' '| a' '' '## three' '$ false | cat' '? 1'
	[ "$("$RUN" "$TMP/x.test" | grep -c '^ok')" = 3 ]
}

@test "--write rewrites expected lines and nothing else" {
	test_file '# comment' '' '[in]' '< →' '' '' '## missing' '$ cat in' '' '## wrong' '$ cat; echo e >&2; exit 2' '< x' '| y' '? 1' '' \
		'# between' '## nothing' '$ true' '| z' '' '## beside' '$ echo new' '|< x.svg' '' '## good' '$ echo a' '| a'
	echo old > "$TMP/x.svg"
	[ "$("$RUN" --write "$TMP/x.test")" = 'rewritten: x' ]
	diff - "$TMP/x.test" <<- 'EOF'
		# comment

		[in]
		< →


		## missing
		$ cat in
		| →

		## wrong
		$ cat; echo e >&2; exit 2
		< x
		| x
		! e
		? 2

		# between
		## nothing
		$ true
		? 0

		## beside
		$ echo new
		|< x.svg

		## good
		$ echo a
		| a
	EOF
	[ "$(cat "$TMP/x.svg")" = new ]
	[ -z "$("$RUN" --write "$TMP/x.test")" ]
	[ "$("$RUN" "$TMP/x.test" | grep -c '^ok')" = 5 ]
}

@test "--write refuses a file that it cannot read, and refuses to write what a crash prints" {
	local command
	test_file '## t' '$ echo a' 'a' '| b'
	cp "$TMP/x.test" "$TMP/before"
	run "$RUN" --write "$TMP/x.test"
	[ "$status" = 1 ] && [[ $output == 'not ok 1 x: line 3: '* ]]
	cmp "$TMP/before" "$TMP/x.test"
	for command in 'kill -SEGV $$' 'exit 99' 'mp-nothing'; do
		test_file '## t' "$ $command" '? 0'
		cp "$TMP/x.test" "$TMP/before"
		run "$RUN" --write "$TMP/x.test"
		[ "$status" = 1 ] && [[ $output == 'not ok 1 x: t: status '* ]]
		cmp "$TMP/before" "$TMP/x.test"
	done
}

@test "--extract writes the input of each case" {
	test_file '[in]' '< f' '' '## one' '$ cat' '< a→b' '| a→b' '' '## two' '$ cat in' '| f'
	"$RUN" --extract "$TMP/out" "$TMP/x.test"
	[ "$(cat "$TMP/out/x/1/stdin")" = $'a\tb' ]
	[ "$(cat "$TMP/out/x/2/in" "$TMP/out/x/2/command")" = $'f\ncat in' ]
}

@test "names choose cases; a name that chooses none is an error" {
	local program file
	program=$(cat tests/golden/mp-rename/*.test | grep -c '^## ')
	[ "$("$RUN" mp-rename | tail -n 1)" = "1..$program" ]
	[ "$("$RUN" mp-rename mp-rename/names | tail -n 1)" = "1..$((2 * program))" ]
	for file in mp-rename/names golden/mp-rename/names tests/golden/mp-rename/names.test; do
		[ "$("$RUN" "$file" | tail -n 1)" = "1..$program" ]
	done
	tests/run golden/mp-rename/names | tail -n 1 | grep -q "^$program passed, 0 failed"
	run "$RUN" mp-rename/nothing
	[ "$status" = 1 ] && [ "$output" = "tests/golden/run: no .test file 'mp-rename/nothing'" ]
	run tests/run golden/mp-rename/nothing
	[ "$status" = 1 ] && [[ $output == *'1 failed'* ]]
}

@test "each file of tests/golden is a .test file or an output that a case names" {
	local file
	for file in tests/golden/*/*; do
		case $file in
		*.test) ;;
		*) grep -qx "|< ${file##*/}" "${file%/*}"/*.test || { echo "$file"; false; } ;;
		esac
	done
}
