# SPDX-License-Identifier: GPL-2.0-only
# For bats files that look at pictures in a browser: load svg/check

# page_value WIDTHxHEIGHT URL EXPRESSION: opens a page that may read files, and prints the value of a JavaScript expression as soon
# as it has one that is not false. What is on the console is in $TMP/console, and is a failure.
page_value() {
	tests/svg/page.py --value "$TMP/chromium" "$@" 2> "$TMP/console" || { cat "$TMP/console" >&2; return 1; }
}

# svg_check FILE [STEP]...: opens FILE from disk. Fails, with what is wrong on stdout, if there is a message on the
# console, a text overlaps another or leaves the picture, or there is an element, script or reference that has no
# place in a picture. Steps are hover:X,Y  drag:X,Y,X,Y  key:NAME (px of the picture; S-NAME with shift); what the
# aria-live elements say after each is on stdout: "hover:10,20 => text".
svg_check() {
	local svg
	svg=$(realpath "$1")
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$svg" || return 1
	tests/svg/page.py --picture "$TMP/chromium" "$svg" "${@:2}" > "$TMP/result" || { cat "$TMP/result"; return 1; }
	cat "$TMP/result"
	grep -q '^texts [1-9]' "$TMP/result" || { echo "the check did not run"; return 1; }
	! grep -qE '^(overlap|outside|element|attribute|reference|scripts|error|nothing|no |not )' "$TMP/result"
}

# flame_check FILE[#FRAGMENT] [STEP]...: opens a page of mp-flame from disk and takes the steps, see page.py. What the page says
# after each is on stdout: "search:f => FRAGMENT | FOUND | SELECTED | TOOLTIP". Fails, with what is wrong on stdout, if there
# is a message on the console, or something that has no place in the page.
flame_check() {
	tests/svg/page.py "$TMP/chromium" "$(realpath "${1%%#*}")${1#"${1%%#*}"}" "${@:2}"
}

# One browser for all tests of a file.
setup_file() {
	command -v chromium-headless-shell > /dev/null || return 0
	export MP_BROWSER="$BATS_FILE_TMPDIR/browser"
	tests/svg/page.py --serve "$MP_BROWSER" "$BATS_FILE_TMPDIR/chromium" 3>&- > /dev/null 2>&1 &
	BROWSER_PID=$!
	until [ -S "$MP_BROWSER" ]; do await; done
}

teardown_file() {
	[ -z "$BROWSER_PID" ] || { kill "$BROWSER_PID" && wait "$BROWSER_PID"; }
	# its last processes may still write
	until rm -rf "$BATS_FILE_TMPDIR/chromium"; do await; done
}
