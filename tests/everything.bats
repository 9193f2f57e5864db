#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# All collectors at once on a busy machine: tests/everything, of which "make bench T=everything" runs a minute.

load lib

@test "all collectors at once account for every event, in bounded memory and a valid stream" {
	needs_root
	case "$BUILD" in *san-*) skip "sanitizers need more memory" ;; esac
	mkdir "$TMP/everything"
	BUILD="$BUILD" timeout 600 tests/everything "$TMP/everything" 5
	[ -z "$(ls "$TMP/everything")" ]
}
