#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The tree, the build, what is installed.
# Takes more than a minute.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

@test "the top level holds the expected files and no others" {
	git rev-parse > /dev/null 2>&1 || skip "no git checkout"
	run bash -c "git ls-files | sed 's,/.*,,' | sort -u | grep -v '^\.'"
	[ "$output" = "$(printf '%s\n' CHANGES.md LICENSE Makefile README.md bpf cmd completions docs formats lib tests)" ]
}

@test "no file has more than 800 lines, a call that the style guide forbids, or a TODO" {
	run bash -c "wc -l cmd/*.c lib/*/*.[ch] lib/*/*/*.[ch] bpf/* | awk '\$2 != \"total\" && \$1 > 800'"
	[ -z "$output" ]
	run grep -nE '\b(atoi|atol|strcpy|strcat|sprintf|gets)\s*\(' -r cmd lib
	[ -z "$output" ]
	run grep -nE '\b(TODO|FIXME|XXX|HACK)\b' -r cmd lib bpf Makefile
	[ -z "$output" ]
}

@test "each command of a test that must fail is one whose success ends the test" {
	# bash ignores the status of `! command`, unless it is the last one
	run grep -nE '^\s*! \S\S' tests/*.bats tests/*.bash
	[ -z "$(grep -vF ' || ' <<< "$output")" ] || { grep -vF ' || ' <<< "$output"; false; }
}

@test "sources are formatted by clang-format" {
	command -v clang-format > /dev/null || skip "no clang-format"
	run clang-format --dry-run --Werror $(find cmd lib bpf docs tests -name '*.[ch]')
	[ "$status" = 0 ] || { echo "$output" | head -20; false; }
}

@test "filters include nothing of lib/capture, and lib nothing of cmd" {
	run grep -ln '"lib/capture/' cmd/mp-[!r]*.c $(find lib -path lib/capture -prune -o -name '*.[ch]' -print)
	[ -z "$output" ]
	run grep -ln '"cmd/' -r lib
	[ -z "$output" ]
}

@test "filters link no tracing library" {
	case "$BUILD" in *san-*) skip "sanitizers link their own" ;; esac
	for p in ${FILTERS/mp-srcline /}; do
		run ldd "$BUILD/bin/$p"
		[[ ! "$output" =~ traceevent|bpf|elf|libdw|lzma|iberty|perf|seccomp ]] || { echo "$output"; false; }
	done
}

@test "each external library is used by one file, or by a few files that share a name" {
	for library in traceevent perf/evlist.h gelf.h libiberty bpf/libbpf.h seccomp.h; do
		files=$(grep -ln "include <$library" -r lib/capture || true)
		case $library in
		gelf.h) files=$(grep -v '^lib/capture/object/elf[a-z]*\.[ch]$' <<< "$files") || files= ;;
		bpf/libbpf.h) files=$(grep -v '^lib/capture/bpf/bpf[a-z]*\.c$' <<< "$files") || files= ;;
		esac
		[ "$(wc -l <<< "$files")" -le 1 ] || { echo "$library: $files"; false; }
	done
}

# The build in $FOLDER/gcc, which several tests use; what gcc says is added to $FOLDER/gcc.log.
setup_file() {
	export FOLDER=$BATS_FILE_TMPDIR
}

build_with_gcc() {	# WORD...
	run make -j2 BUILD="$FOLDER/gcc" CC=gcc CFLAGS=-O1 "$@"
	echo "$output" >> "$FOLDER/gcc.log"
	[ "$status" = 0 ] || { echo "$output" | tail -n 20; return 1; }
}

@test "make filters needs no tracing library" {
	cat > "$TMP/pkg-config" <<-'X'
		#!/bin/sh
		for a; do case $a in libtraceevent | libelf | libdw | liblzma | libbpf | libperf | libseccomp) exit 1 ;; esac; done
		exec pkg-config "$@"
	X
	chmod +x "$TMP/pkg-config"
	build_with_gcc PKG_CONFIG="$TMP/pkg-config" filters
	b=$FOLDER/gcc
	[ -x "$b/bin/mp-fold" ]
	[ -x "$b/bin/mp-fleet" ]
	ls "$b/bin" | grep -vx mp-fleet > "$TMP/filters"
	run make -s all BUILD="$b" CC=gcc CFLAGS=-O1 PKG_CONFIG="$TMP/pkg-config"
	[ "$status" != 0 ]
	[[ "$output" == *"missing:"*"libtraceevent"*"as root: apt-get install"*"libtraceevent-dev"* ]]

	# the same, linked statically: they run where there is nothing else
	case "$BUILD" in *san-*) return ;; esac
	mv "$b/bin" "$TMP/dynamic"
	make -s -j2 filters STATIC=1 BUILD="$b" CC=gcc CFLAGS=-O1 PKG_CONFIG="$TMP/pkg-config" 2> "$TMP/warnings"
	mv "$b/bin" "$TMP/static"
	mv "$TMP/dynamic" "$b/bin"
	ls "$TMP/static" | diff "$TMP/filters" -
	for p in "$TMP/static"/*; do
		[[ "$(ldd "$p" 2>&1)" == *"not a dynamic executable"* ]] || { echo "$p"; false; }
	done
	strip "$TMP/static"/*
	run find "$TMP/static" -type f -size +2000000c
	[ -z "$output" ]
	[ "$(id -u)" = 0 ] || return 0
	runs_in_an_empty_root
}

@test "what includes a changed header is built again" {
	[ -x "$FOLDER/gcc/bin/mp-fold" ] || build_with_gcc filters
	run make -n filters BUILD="$FOLDER/gcc" CC=gcc -W lib/stream/rec.h
	[[ "$output" == *"CC lib/stream/rec.o"* && "$output" == *"CC cmd/mp-fold.o"* ]]
	[[ "$output" != *"CC lib/order/run.o"* ]]
}

# Each static program writes the same as that of the build, in a root folder with nothing but the programs and one input.
runs_in_an_empty_root() {
	local p words input=formats/good/example.mp
	export TZ=UTC	# the root folder has no zones
	mkdir -p "$TMP/root/formats/good"
	cp "$TMP/static"/* "$TMP/root"
	cp formats/good/no-header.mp "$TMP/root/formats/good"
	for p in $(cat "$TMP/filters"); do
		read -ra words <<< "$(filter_words "$p")"
		[ "$p" != mp-show ] || words+=(--help)	# it remembers recordings in a home folder
		"$p" "${words[@]:1}" < $input > "$TMP/expected" 2>&1 || [ $? = 1 ]
		chroot "$TMP/root" "/$p" "${words[@]:1}" < $input > "$TMP/written" 2>&1 || [ $? = 1 ]
		cmp "$TMP/expected" "$TMP/written" || { echo "$p"; return 1; }
	done
	echo '3#main;f' > "$TMP/in"
	for pack in gzip zstd; do
		[ "$($pack -qc "$TMP/in" | chroot "$TMP/root" /mp-fold)" = 'main;f 3' ]
	done
	[ "$(chroot "$TMP/root" /mp-order --compress < "$TMP/in" | zstd -qdc)" = '3#main;f' ]
}

@test "only mp-srcline and a test need libdw" {
	cat > "$TMP/pkg-config" <<-'X'
		#!/bin/sh
		for a; do case $a in libdw) exit 1 ;; esac; done
		exec pkg-config "$@"
	X
	chmod +x "$TMP/pkg-config"
	make -s "$TMP/b/.have-capture" BUILD="$TMP/b" PKG_CONFIG="$TMP/pkg-config"
	run make -s "$TMP/b/tests/unit/capture/object/cfi.o" BUILD="$TMP/b" PKG_CONFIG="$TMP/pkg-config"
	[ "$status" != 0 ]
	[[ "$output" == *"missing: libdw "*"as root: apt-get install libdw-dev"* ]]
	run grep -rlE '<(elfutils/|dwarf\.h)' cmd lib bpf
	[ "$output" = lib/srcline/dwarf.c ]
	run make -s -n all BUILD="$TMP/b" PKG_CONFIG="$TMP/pkg-config"
	[[ "$output" != *mp-srcline.o* && "$output" == *"libdw not found: mp-srcline was not built"* ]]
}

@test "only mp-export and mp-import need protobuf-c" {
	run bash -c 'grep -rlE "protobuf-c|pb-c" cmd lib bpf --include=*.[ch] | sort'
	[ "$output" = $'lib/export/pprof.c\nlib/export/trace.h\nlib/import/pprof.c' ]
	for p in $FILTERS; do
		[[ "$p" = mp-export || "$p" = mp-import || ! "$(ldd "$BUILD/bin/$p")" =~ protobuf ]] || { echo "$p"; false; }
	done
	run make -s -n all BUILD="$TMP/b" PROTOC_C=/no/protoc-c
	[[ "$output" != *mp-export.o* && "$output" == *"protobuf-c not found: mp-export was not built"* ]]
}

@test "gcc builds without a warning; without clang only BPF is missing" {
	# the filters of gcc are those of a test before, with what the compiler said of them
	build_with_gcc CLANG=/no/clang all
	[[ "$output" == *"/no/clang not found: built without BPF: "*"as root: apt-get install clang"* ]]
	run grep -A 5 warning: "$FOLDER/gcc.log"
	[ -z "$output" ] || { echo "$output"; false; }
	needs_root
	run "$FOLDER/gcc/bin/mp-record" -q offcpu exec -d 20ms -o "$TMP/s"
	[ "$status" = 1 ]
	[[ "$output" == *"in-kernel aggregation is not available: mp-record was built without clang"* ]]
	[[ "$output" == *"recording the remaining collectors: exec"* ]]
	"$FOLDER/gcc/bin/mp-record" -q -e sched:sched_switch -d 50ms -o "$TMP/s" || [ $? = 1 ]
	[ "$(head -n 1 "$TMP/s" | jq -r .stacks.user)" = fp ]
	run "$FOLDER/gcc/bin/mp-record" -e sched:sched_switch -d 50ms -o "$TMP/s"
	[[ "${lines[0]}" == "mp-record: built without clang, so without BPF: user stacks are taken along frame pointers"* ]]
	run "$FOLDER/gcc/bin/mp-record" -e sched:sched_switch -g kernel -d 50ms -o "$TMP/s"
	[[ "$output" != *"without BPF"* ]]
}

@test "what includes a changed header is built again, whether BUILD is given as a relative path or as an absolute one" {
	make -s build/lib/core/str.o BUILD=build
	for build in build ./build/ "$PWD/build"; do
		run make -n -W lib/core/str.h build/lib/core/str.o BUILD="$build"
		[[ "$output" == *"CC lib/core/str.o"* ]] || { echo "$build: $output"; false; }
	done
}

@test "make demo records, draws, and prints at most 40 lines after the build" {
	needs_root
	run tests/demo
	[ "$status" = 0 ]
	[ "${#lines[@]}" -le 40 ]
	[[ "$output" == *'$ mp-record -e sched:sched_switch -d 2 -o switch.mp'* ]]
	# a busy machine may have more than 12 tasks that switch more often than these
	[[ "$output" == *"$(mp-hist --count comm --top 12 "$BUILD/demo/switch.mp" 2> /dev/null)"* ]] || { echo "$output"; false; }
	grep -q '	comm=demo-client	' "$BUILD/demo/switch.mp"
	[ "$(tests/tools/flame.py "$BUILD/demo/switch.html" | grep -c 'demo-')" -gt 0 ]
}

@test "make install puts everything below DESTDIR, and uninstall leaves nothing" {
	make -s install DESTDIR="$TMP/d" PREFIX=/usr BUILD="$BUILD" > /dev/null
	for p in $PROGRAMS; do
		[ -x "$TMP/d/usr/bin/$p" ]
		[ -f "$TMP/d/usr/share/man/man1/$p.1" ]
		[ -f "$TMP/d/usr/share/bash-completion/completions/$p" ]
		[ -f "$TMP/d/usr/share/fish/vendor_completions.d/$p.fish" ]
	done
	[ -f "$TMP/d/usr/share/man/man5/mp-stream.5" ]
	[ -f "$TMP/d/usr/share/man/man7/mp-events.7" ]
	# where the program has another name than man, because man-db is installed
	! command -v mman > /dev/null || mman -M "$TMP/d/usr/share/man" mp 2> /dev/null | grep -q '^MP(1)'
	[ -f "$TMP/d/usr/share/zsh/site-functions/_mp-tools" ]
	make -s uninstall DESTDIR="$TMP/d" PREFIX=/usr > /dev/null
	[ -z "$(find "$TMP/d" -mindepth 1)" ]
}

@test "man pages are correct mdoc, and each program has one" {
	for p in $PROGRAMS; do [ -f "docs/$p.1" ]; done
	run mandoc -T lint -W warning docs/*.[17] formats/*.5
	[ -z "$output" ]
}

@test "the completions of each shell name every program, and no other" {
	names=$(tr ' ' '\n' <<< "$PROGRAMS" | sort)
	[ "$(sed -n 's/^complete -F _mp_tools //p' completions/mp-tools.bash | tr ' ' '\n' | sort)" = "$names" ]
	[ "$(sed -n 's/^#compdef //p' completions/_mp-tools | tr ' ' '\n' | sort)" = "$names" ]
	[ "$(sed -n 's/^for program in //p' completions/mp-tools.fish | tr ' ' '\n' | sort)" = "$names" ]
}

@test "completions offer options, events and fields" {
	source completions/mp-tools.bash
	complete_line() {
		COMP_LINE=$1 COMP_POINT=${#1}
		read -r -a COMP_WORDS <<< "${1//:/ : }"
		[[ $1 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_mp_tools "${COMP_WORDS[0]}"
	}
	for p in $PROGRAMS; do
		complete_line "$p --"
		for option in $("$p" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE '\-\-[a-z-]+'); do
			[[ " ${COMPREPLY[*]} " == *" $option "* ]]
		done
	done
	complete_line "mp-fold --by comm,ti"
	[ "${COMPREPLY[*]}" = "comm,time comm,tid" ]
	complete_line "mp-record -g k"
	[ "${COMPREPLY[*]}" = kernel ]
	complete_line "mp-record -e page-f"
	[ "${COMPREPLY[*]}" = page-faults ]
	[ -r /sys/kernel/tracing/events ] || return 0
	complete_line "mp-record -e sched:sched_swi"
	[ "${COMPREPLY[*]}" = sched_switch ]
}

@test "shellcheck finds nothing in the shell scripts" {
	command -v shellcheck > /dev/null || skip "no shellcheck"
	run shellcheck -S warning tests/run tests/demo docs/images/draw tests/bench/run tests/bench/filters tests/bench/recording tests/bench/pictures tests/bench/fleet tests/slurm cmd/mp-fleet tests/everything tests/hostile-machine tests/fuzz/run tests/vm/run tests/vm/kernel docs/packaging/version docs/packaging/epoch docs/packaging/dist docs/packaging/deb .ci/run
	[ "$status" = 0 ] || { echo "$output"; false; }
}

@test "the example filter of docs works as its comment says" {
	printf '1,a:b,comm=x\n2,a:b,comm=y\n3,c:d,comm=x\n' > "$TMP/in"
	[ "$(mp-example "$TMP/in")" = "$(printf '2\ta:b\n1\tc:d')" ]
	[ "$(mp-example --by comm "$TMP/in")" = "$(printf '2\tx\n1\ty')" ]
	run mp-example --by tid "$TMP/in"
	[ "$status" = 1 ] && [[ "$output" == *"in:1: event without the field"* ]] || false
	[ "$(wc -l < docs/mp-example.c)" -le 90 ] && [ "$(wc -l < docs/mp-example-interval.c)" -le 100 ]
}
