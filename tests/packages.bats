#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Debian packages, the archive of the source, and their version.
# Takes more than a minute.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

@test "make deb builds packages that install where only what they depend on is, run there, and leave nothing" {
	case "$BUILD" in *san-*) skip "sanitizers link their own" ;; esac
	for tool in dpkg-buildpackage dh lintian; do
		command -v $tool > /dev/null || skip "no $tool"
	done
	# the programs that are tested, not compiled again; its status is that of lintian
	version=$(sed -n 's/^VERSION := //p' Makefile)
	DPKG_DEB_COMPRESSOR_LEVEL=0 DEB_BUILD_OPTIONS=noautodbgsym make -s deb DEB="$TMP/deb" DEB_OBJECTS="$BUILD" PACKAGE_VERSION="$version" > "$TMP/log" 2>&1 || { cat "$TMP/log"; false; }
	tools=$(echo "$TMP"/deb/mp-tools_*.deb) record=$(echo "$TMP"/deb/mp-record_*.deb)
	[ "$(dpkg-deb -f "$tools" Version)" = "$version-1" ]
	dpkg-deb -c "$tools" > "$TMP/tools"
	dpkg-deb -c "$record" > "$TMP/record"
	for p in $PROGRAMS; do
		case $p in mp-record) list=$TMP/record ;; *) list=$TMP/tools ;; esac
		for file in "bin/$p" "share/man/man1/$p.1.gz" "share/bash-completion/completions/$p"; do
			grep -q " \./usr/$file\$" "$list" || { echo "$list lacks $file"; false; }
		done
	done
	for file in docs/packaging/examples/*; do
		grep -q " \./usr/share/doc/mp-record/examples/${file##*/}\$" "$TMP/record"
	done
	[ "$(id -u)" = 0 ] || skip "needs root to install them"

	root=$TMP/root
	tests/tools/minimal-root "$root" "$tools" "$record" > "$TMP/needed"
	run ! grep -wE 'libbpf1|libtraceevent1' <(dpkg-deb -f "$tools" Depends)
	paths() { (cd "$root" && find . -path ./var -prune -o -print | sort); }
	paths > "$TMP/before"
	run dpkg --root="$root" -i "$record"
	[ "$status" != 0 ] && [[ "$output" == *"mp-record depends on mp-tools"* ]] || { echo "$output"; false; }
	dpkg --root="$root" -i "$tools" "$record" > "$TMP/log" 2>&1 || { cat "$TMP/log"; false; }

	for p in ${PROGRAMS/mp-fleet /}; do	# there is no shell
		[ "$(chroot "$root" "/usr/bin/$p" --version)" = "$p (mp tools) $version" ]
	done
	[ "$(printf '3#main;f\n' | chroot "$root" /usr/bin/mp-fold)" = 'main;f 3' ]
	chroot "$root" /usr/bin/mp help latency | grep -q disklat
	record_there

	dpkg --root="$root" -P mp-record mp-tools > "$TMP/log" 2>&1 || { cat "$TMP/log"; false; }
	paths | diff "$TMP/before" -
}

# Records with the mp-record in $root: with a collector and BPF, the program that it starts.
record_there() {
	mp-record -q -e cpu-clock -d 1ms -o /dev/null 2> "$TMP/why" || ! grep -q 'not permitted' "$TMP/why" || return 0
	unshare -m sh -c 'mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
		exec chroot "$1" /usr/bin/mp-record -q exec offcpu -o "/tmp/s" -- /usr/bin/mp-fold --version' \
		sh "$root" > /dev/null 2> "$TMP/err" || [ $? = 1 ]
	[[ "$(cat "$TMP/err")" != *"without clang"* ]] || { cat "$TMP/err"; return 1; }
	grep -q '^[0-9].*\.filename=/usr/bin/mp-fold' "$root/tmp/s" || { cat "$TMP/err" "$root/tmp/s"; return 1; }
	rm "$root/tmp/s"
}

@test "make dist writes the same bytes from an unpacked archive, with another umask and time zone" {
	git rev-parse > /dev/null 2>&1 || skip "no git checkout"
	make -s dist BUILD_ROOT="$TMP/a" > "$TMP/name"
	archive=$(basename "$(cat "$TMP/name")")
	tar -C "$TMP" -xf "$TMP/a/$archive"
	cd "$TMP/${archive%.tar.xz}"
	# all files, and no others
	diff <(git -C "$OLDPWD" ls-files | sort) <(find . -type f -printf '%P\n' | grep -vx docs/packaging/VERSION | sort)
	(umask 077 && TZ=Asia/Tokyo LC_ALL=C make -s dist > /dev/null)
	cmp "$TMP/a/$archive" "build/$archive"
	[ "$archive" = "mp-tools-$(docs/packaging/version 0).tar.xz" ]
}

@test "the version of packages grows with commits, and is the tag's where there is one" {
	mkdir -p "$TMP/clone/docs/packaging"
	cp docs/packaging/version "$TMP/clone/docs/packaging"
	cd "$TMP/clone"
	[ "$(docs/packaging/version 0.2.0)" = 0.2.0 ]
	as_author() { git -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false "$@"; }
	{ git init && git add . && as_author commit -m one; } > /dev/null 2>&1
	before=$(docs/packaging/version 0.2.0)
	[[ "$before" =~ ^0\.2\.0~1\.g[0-9a-f]+$ ]]
	git tag v0.2.0-rc1
	candidate=$(docs/packaging/version 0.1)
	[ "$candidate" = 0.2.0~rc1 ]
	as_author commit -q --allow-empty -m two
	as_author tag -a -m release v0.2.0
	[ "$(docs/packaging/version 0.1)" = 0.2.0 ]
	as_author commit -q --allow-empty -m three
	after=$(docs/packaging/version 0.1)
	[[ "$after" =~ ^0\.2\.0\+1\.g[0-9a-f]+$ ]]
	echo >> docs/packaging/version
	[ "$(docs/packaging/version 0.1)" = "$after+dirty" ]
	dpkg --compare-versions "$before" lt "$candidate"
	dpkg --compare-versions "$candidate" lt 0.2.0
	dpkg --compare-versions 0.2.0 lt "$after"
}
