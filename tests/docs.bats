#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The man pages, as mandoc and as groff (which man-db calls) print them.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

pages() {
	ls docs/*.[17] formats/*.5
}

@test "every page renders without a warning in mandoc and in groff" {
	for page in $(pages); do
		run mandoc -T lint -W warning "$page"
		[ -z "$output" ] || { echo "$output"; false; }
		run --separate-stderr groff -mdoc -Tutf8 -ww "$page"
		[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$stderr"; false; }
	done
}

# Renders all of them to $TMP/mandoc and $TMP/groff: one long page each, so that no footer interrupts a paragraph.
render() {
	mkdir "$TMP/mandoc" "$TMP/groff"
	for page in $(pages); do
		mandoc -T utf8 -O width=80 "$page" | sed 's/.\x08//g' > "$TMP/mandoc/${page##*/}"
		groff -mdoc -Tutf8 -P-cbou -rcR=1 "$page" > "$TMP/groff/${page##*/}"
	done
}

# A rendered page without the parts that may differ: header, footer, line breaks and hyphens, forms of quotes.
squeeze() {
	sed '1d; $d' "$1" | sed "s/[‘’]/'/g; s/[-‐–—]//g" | tr -d ' \n'
}

@test "mandoc and groff print the same text" {
	render
	for page in "$TMP"/mandoc/*; do
		run cmp <(squeeze "$page") <(squeeze "$TMP/groff/${page##*/}")
		[ "$status" = 0 ] || { diff "$page" "$TMP/groff/${page##*/}"; false; }
	done
}

@test "quotes and brackets pair, no macro is printed, no line is wider than 80 columns" {
	render
	run tests/tools/rendered.py "$TMP"/mandoc/* "$TMP"/groff/*
	[ "$status" = 0 ] || { echo "$output"; false; }
}

@test "the check of rendered pages finds each kind of fault" {
	while read -r fault text; do
		printf '%s\n' "$text" > "$TMP/page"
		run tests/tools/rendered.py "$TMP/page"
		[ "$status" = 1 ] && [[ "$output" == *"$TMP/page: "*"$fault"* ]] || { echo "$text: $output"; false; }
	done <<- 'END'
		within its zone (‘Z or ‘+hh:mm’).
		opening its zone or +8’.
		closed its zone ‘Z.
		bracket its zone (or +hh:mm.
		printed its zone Pq Z.
		printed .Pp
		punctuation its zone , a word
		wider 12345678901234567890123456789012345678901234567890123456789012345678901234567890x
	END
	printf '%s\n' "the kernel’s ‘no’ and processes’ (‘it isn’t’)" > "$TMP/page"
	tests/tools/rendered.py "$TMP/page"
}

@test "mp-events(7) has every built-in event and every term, mp-stacks(7) every reason" {
	grep -rhoE '"(task|mem|sum):[a-z-]+"' lib/capture | tr -d '"' | sort -u > "$TMP/events"
	[ "$(wc -l < "$TMP/events")" -ge 11 ]
	mandoc -T ascii docs/mp-events.7 | sed 's/.\x08//g' > "$TMP/page"
	while read -r name; do
		grep -qwF -e "$name" "$TMP/page" || { echo "$name"; false; }
	done < "$TMP/events"
	spec=$(grep -rl 'MP_STR("irqs-off")' lib/capture)
	terms=$(grep -hoE 'key, MP_STR\("[a-z-]+"\)' $spec $(grep -rl 'MP_STR("freed")' lib/capture) | cut -d '"' -f 2 | sort -u)
	[ "$(wc -w <<< "$terms")" -ge 15 ]
	for term in $terms; do
		grep -qE "(^|, ) *$term(=|,| |\$)" "$TMP/page" || { echo "$term"; false; }
	done
	mandoc -T ascii docs/mp-stacks.7 | sed 's/.\x08//g' > "$TMP/page"
	reasons=$(grep -rhoE '\[MP_UNWIND_[A-Z_]+\] = "[a-z-]+"' lib/capture | grep -v -e WHOLE -e NO_STACK | cut -d '"' -f 2)
	[ "$(wc -w <<< "$reasons")" -ge 8 ]
	for reason in $reasons; do
		grep -qE "^ *$reason( |\$)" "$TMP/page" || { echo "$reason"; false; }
	done
}

@test "every page that a page names exists, and mp-tools(7) names every page" {
	for page in $(pages); do
		name=${page##*/} section=${page##*.}
		name=${name%.*}
		grep -qE "^\.(It )?(Xr $name $section|Nm $name)( |$)" docs/mp-tools.7 || { echo "mp-tools(7) does not name $page"; false; }
		while read -r _ to section _; do
			case $to in
			mp-*) [ -e "docs/$to.$section" ] || [ -e "formats/$to.$section" ] || { echo "$page: $to($section)"; false; } ;;
			esac
		done < <(grep -E '^\.Xr' "$page")
	done
}

@test "--help is at most 80 columns wide, and mp-record(1) has at most 400 lines" {
	for p in $PROGRAMS $EXAMPLES; do
		# only the usage begins in the first column, in small letters
		run awk 'length > 80 || /^[a-z]/ && !/^usage: /' <("$p" --help)
		[ -z "$output" ] || { echo "$p: $output"; false; }
	done
	[ "$(wc -l < docs/mp-record.1)" -le 400 ]
}

@test "the messages in mp-record(1) are those that end a recording, and all of them" {
	sed -n '/^\.Sh DIAGNOSTICS/,/^\.El/s/^\.It //p' docs/mp-record.1 | sort > "$TMP/explained"
	{
		echo "events were lost: the ring buffers were full"
		echo "events were lost: the kernel dropped them without counting them"
		echo "limits for uid N took effect"
		# the plural of each message: the last text before the end of the call
		sed -n '/^void mp_report_\(losses\|broken\)/,/^}/p' lib/capture/session/report.c | tr -d '\n\t' | grep -oE 'mp_say_count\([^;]*;' |
			sed 's/.*"\([^"]*\)");/\1/; s/ (.*//'
	} | sort > "$TMP/printed"
	[ "$(wc -l < "$TMP/printed")" -ge 7 ]
	diff "$TMP/explained" "$TMP/printed"
	grep -q 'lost: the ring buffers were full' lib/capture/session/report.c
	grep -q 'lost: the kernel dropped %s without counting %s' lib/capture/session/report.c
	grep -q 'limits for uid %u took effect' lib/capture/host/budget.c
}

@test "README begins with small pictures, each with the commands that docs/images/draw runs" {
	[ "$(sed -n '3,/^    /p' README.md | grep -c '')" -lt 5 ]	# a command is in one of the first lines
	for picture in docs/images/*.svg; do
		grep -q "](${picture})" README.md
		[ "$(wc -c < "$picture")" -le 60000 ]
		grep -q 'prefers-color-scheme: *dark' "$picture"
		run ! grep -qE '(href|src)="|url\(' "$picture"
		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$picture"
	done
	[ "$(ls docs/images/*.svg | wc -l)" = "$(grep -c '](docs/images/' README.md)" ]
	sed -n "s/^run \\$\{0,1\}'\(.*\)'\$/\1/p" docs/images/draw | sed "s/\\\\'/'/g" > "$TMP/commands"
	[ "$(wc -l < "$TMP/commands")" -ge 8 ]
	while read -r command; do
		grep -qxF "    $command" README.md || { echo "README lacks: $command"; false; }
	done < "$TMP/commands"
}

@test "each path that README and HACKING name exists" {
	for page in README.md docs/HACKING.md; do
		grep -oE '(^|[^[:alnum:]_/.*~-])(cmd|lib|bpf|docs|formats|tests|completions)/[][[:alnum:]_/.*{},-]*' "$page" | sed 's/^[^a-z]//; s/[].,]*$//' |
			grep -vE '\.o$|NAME|TOPIC|PROGRAM|mp-X|mp-NAME|lib/X/' | sort -u > "$TMP/paths"
		grep -oE '\]\([^)#:]*[)#]' "$page" | sed 's/^](//; s/[)#]$//' | sed "s,^,${page%/*}/," | sed "s,^README.md/,," >> "$TMP/paths"
		[ "$(wc -l < "$TMP/paths")" -ge 10 ]
		while read -r path; do
			compgen -G "$path" > /dev/null || [ -e "${path%/}" ] || { echo "$page: $path"; false; }
		done < "$TMP/paths"
	done
}

@test "no command needs sudo, which the root of a container lacks" {
	run grep -nE '^ {4}.*sudo|sudo ' Makefile tests/demo tests/messages.txt <(grep -E '^    ' README.md)
	[ "$status" = 1 ] || { echo "$output"; false; }
}

@test "each decision has a context and a decision, parts of at most six lines, and is in the table of contents" {
	cat > "$TMP/check" <<-'EOF'
		chomp;
		$bad{"longer than 140 columns: $_"} = 1 for grep { length > 140 } split /\n/;
		if (/^ *- .*\]\(#/) { $listed{$1} = 1 while /^ *- \**\[(.*?)\]\(#/mg }
		elsif (/^##+ (.*)/) { $title = $1; $heading{$title} = 1; $decision{$title} = 1 if /^###/ }
		elsif (!/^\*\*(Context|Decision|Measured)\.\*\* /) { $bad{"$title: a paragraph that is no part"} = 1 if $title }
		else { $part{$title}{$1} = 1; $bad{"$title: $1 has more than six lines"} = 1 if tr/\n// > 5 }
		END {
			$bad{"$_: no context or no decision"} = 1 for grep { !$part{$_}{Context} || !$part{$_}{Decision} } keys %decision;
			$bad{"$_: not in the table of contents"} = 1 for grep { !$listed{$_} } keys %heading;
			$bad{"$_: no such heading"} = 1 for grep { !$heading{$_} } keys %listed;
			print map { "$_\n" } sort keys %bad;
			print keys(%decision) . " decisions\n";
		}
	EOF
	run perl -00 -n "$TMP/check" docs/decisions.md
	[[ "$output" =~ ^[0-9]+" decisions"$ && ${output% *} -ge 50 ]] || { echo "$output"; false; }
}

@test "no change is listed twice, and no line of CHANGES is longer than 140 columns" {
	run bash -c "grep '^- ' CHANGES.md | sort | uniq -d; grep -E '^.{141}' CHANGES.md"
	[ -z "$output" ] || { echo "$output"; false; }
}
