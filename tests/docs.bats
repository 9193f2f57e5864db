#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The man pages, as mandoc and as groff (which man-db calls) print them.

bats_require_minimum_version 1.5.0
load lib

pages() {
	ls docs/*.[17] formats/*.5
}

@test "every page renders without a warning, in mandoc and in groff" {
	for page in $(pages); do
		run mandoc -T lint -W warning "$page"
		[ -z "$output" ] || { echo "$output"; false; }
		run --separate-stderr groff -mdoc -Tutf8 -ww "$page"
		[ "$status" = 0 ] && [ -z "$stderr" ] || { echo "$stderr"; false; }
	done
}
