#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tests/layout finds the faults that it looks for. `make check T=layout` checks the tree itself.
# Runs beside a recording.

load lib

# A copy of the sources, to be spoilt; the objects stay those of the build.
copy_tree() {
	cp -r --parents Makefile lib bpf docs/HACKING.md tests/layout "$TMP"
	mkdir "$TMP/build"
	[ ! -e build/libperf ] || ln -s "$PWD/build/libperf" "$TMP/build"
	cd "$TMP"
}

# Rule number $1, which holds in the tree, fails in the copy, and its report says $2.
breaks_rule() {
	run env BUILD="$BUILD" tests/layout "$1"
	[ "$status" = 1 ]
	grep -q "^not ok $1 " <<< "$output"
	grep -F "# $2" <<< "$output"
}

@test "an include of a folder above breaks the order" {
	copy_tree
	sed -i '1i #include "lib/stats/linear.h"' lib/core/clock.c
	breaks_rule 1 "lib/core/clock.c includes lib/stats/linear.h"
}

@test "an include of a neighbour's folder breaks the order" {
	copy_tree
	sed -i '1i #include "lib/hist/dist.h"' lib/cpel/cpel.c
	breaks_rule 1 "lib/cpel/cpel.c includes lib/hist/dist.h"
}

@test "a folder that opens events must not use one that reads files" {
	copy_tree
	sed -i '1i #include "lib/capture/object/perfmap.h"' lib/capture/ring/grace.c
	breaks_rule 2 "lib/capture/ring/grace.c includes lib/capture/object/perfmap.h"
}

@test "two modules of a folder must not use each other" {
	copy_tree
	sed -i '1i #include "lib/core/io.h"' lib/core/base.c
	breaks_rule 4 "lib/core/base <-> lib/core/io"
}

@test "a struct tag must not be defined twice" {
	copy_tree
	printf 'struct mp_svg {\n\tint x;\n};\n' >> lib/hist/row.c
	printf 'struct mp_svg {\n\tint x;\n};\n' >> lib/fold/fold.c
	breaks_rule 5 "struct mp_svg: "
}

@test "a public name must have a prefix of its folder" {
	copy_tree
	sed -i 's/ `mp_fold_` / `mp_other_` /' docs/HACKING.md
	breaks_rule 6 "lib/fold/fold.c: mp_fold_add has a prefix of no folder"
}

@test "a header must compile alone" {
	copy_tree
	echo 'static inline mp_unknown_type mp_f(void);' >> lib/fold/fold.h
	breaks_rule 8 "lib/fold/fold.h: "
}

@test "a public name must be used outside of its file" {
	cp -r --parents cmd tests/unit tests/fuzz tests/tools "$TMP"
	copy_tree
	rm cmd/mp-treemap.c
	breaks_rule 9 "lib/treemap/treemap.c: mp_treemap_svg is used by no other file"
}

@test "a folder that the table does not have is reported, and so is a missing table" {
	copy_tree
	grep -v 'lib/fold/' docs/HACKING.md > page
	mv page docs/HACKING.md
	run env BUILD="$BUILD" tests/layout 1
	[[ "$output" == *"# lib/fold is not in the table"* ]]
	echo > docs/HACKING.md
	run env BUILD="$BUILD" tests/layout 1
	[ "$status" = 1 ]
	[[ "$output" == *"# docs/HACKING.md has no table of folders"* ]]
}
