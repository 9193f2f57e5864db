#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-diff: its sums compared with those of mp-fold and of other programs. unit/diff/diff has the statistics.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# stacks SEED N: folded text with N different stacks, some of them recursive and of the kernel.
stacks() {
	awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed)
		for (i = 0; i < n; i++) {
			depth = 2 + int(rand() * 20); at = int(rand() * 6)
			s = "comm" int(rand() * 5) ";main"
			for (d = 0; d < depth; d++) { s = s ";f" at; at = (at * 7 + int(rand() * rand() * 8)) % 300 }
			print s (rand() < 0.3 ? ";do_syscall_64_[k]" : ""), 1 + int(rand() * 100)
		} }' | mp-fold --annotate
}

# NAME SELF TOTAL for each function of folded text.
sums_by_name() {
	awk '{ w = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); self[f[n]] += w
		for (i = 1; i <= n; i++) if (seen[f[i]] != NR) { total[f[i]] += w; seen[f[i]] = NR } }
		END { for (name in total) print name, self[name] + 0, total[name] }' "$1" | sort
}

setup() {
	make_tmp
	stacks 1 2000 > "$TMP/before"
	stacks 2 2000 > "$TMP/after"
}

@test "self and total of each function are the sums of the stacks that mp-fold writes" {
	mp-diff --absolute --all --min 0 --tsv "$TMP/before" "$TMP/after" > "$TMP/tsv"
	for side in before after; do
		column=$([ $side = before ] && echo 3 || echo 4)
		awk -F '\t' -v c=$column 'NR > 1 && $1 != "[all]" && $1 != "main" { if ($2 == "self") self[$1] = $c; else total[$1] = $c; seen[$1] = 1 }
			END { for (name in seen) if (name in total && total[name] || self[name]) print name, self[name] + 0, name in total ? total[name] : self[name] }' \
			"$TMP/tsv" | sort > "$TMP/got"
		sums_by_name "$TMP/$side" | grep -v '^main ' | diff "$TMP/got" -
	done
	[ "$(awk -F '\t' '$1 == "[all]" { print $3, $4 }' "$TMP/tsv")" = "$(awk '{ s += $NF } END { print s }' "$TMP/before") $(awk '{ s += $NF } END { print s }' "$TMP/after")" ]
}

@test "streams give what their folded stacks give" {
	for side in before after; do
		awk -F ';' -v OFS=';' '{ w = $0; sub(/.* /, "", w); sub(/ [0-9]+$/, ""); c = $1; sub(/^[^;]*;/, "")
			for (i = 0; i < w % 7; i++) printf "%d,a:b,comm=%s\tstack=%s\n", ++n, c, $0 }' "$TMP/$side" > "$TMP/$side.mp"
		mp-fold --annotate "$TMP/$side.mp" > "$TMP/$side.folded"
		mp-fold --stream "$TMP/$side.mp" > "$TMP/$side.stacks"
	done
	for options in "" "--stacks --min 0.05" "--total --absolute" "--merge-recursive --tsv"; do
		mp-diff --all $options "$TMP/before.mp" "$TMP/after.mp" > "$TMP/want"
		[ "$(wc -l < "$TMP/want")" -ge 3 ]
		mp-diff --all --samples $options "$TMP/before.folded" "$TMP/after.folded" | cmp - "$TMP/want"
		mp-diff --all $options "$TMP/before.stacks" "$TMP/after.mp" | cmp - "$TMP/want"
	done
}

@test "neither the order of the input nor the seed of hash tables makes a difference" {
	for options in "--all --min 0" "--all --min 0 --stacks --tsv" "--folded"; do
		mp-diff $options "$TMP/before" "$TMP/after" > "$TMP/want" 2> "$TMP/err"
		for _ in 1 2 3; do
			mp-diff $options <(shuf "$TMP/before") <(shuf "$TMP/after") 2> "$TMP/err.2" | cmp - "$TMP/want"
			cmp "$TMP/err" "$TMP/err.2"
		done
	done
}

@test "sides that are swapped have opposite differences" {
	# all but the difference, as its rounding may differ
	mp-diff --all --min 0 --tsv "$TMP/before" "$TMP/after" | awk -F '\t' 'NR > 1 { print $1, $2, $3, $4, ($5 > 0) - ($5 < 0) }' | sort > "$TMP/want"
	[ "$(wc -l < "$TMP/want")" -ge 300 ]
	mp-diff --all --min 0 --tsv "$TMP/after" "$TMP/before" | awk -F '\t' 'NR > 1 { print $1, $2, $4, $3, ($5 < 0) - ($5 > 0) }' | sort | diff - "$TMP/want"
}

@test "--folded has the weights of mp-fold" {
	mp-diff --folded --absolute "$TMP/before" "$TMP/after" | LC_ALL=C sort > "$TMP/got"
	awk '{ w = $NF; sub(/ [0-9]+$/, ""); v[$0] = v[$0] + 0; if (FNR == NR) a[$0] += w; else b[$0] += w; seen[$0] }
		END { for (s in seen) print s, a[s] + 0, b[s] + 0 }' "$TMP/before" "$TMP/after" | LC_ALL=C sort | diff - "$TMP/got"
	mp-diff --folded "$TMP/before" "$TMP/after" | awk -v all="$(awk '{ s += $NF } END { print s }' "$TMP/after")" \
		'{ a += $(NF - 1); b += $NF } END { if (b != all || (a - b) ^ 2 > (b / 1000) ^ 2) { print a, b, all; exit 1 } }'
}

@test "difffolded.pl gives the same, where it is installed" {
	command -v difffolded.pl > /dev/null || skip "no difffolded.pl"
	difffolded.pl "$TMP/before" "$TMP/after" | LC_ALL=C sort > "$TMP/want"
	mp-diff --folded --absolute "$TMP/before" "$TMP/after" | LC_ALL=C sort | cmp - "$TMP/want"
}

@test "flamegraph.pl draws what --folded writes, with colours for the difference" {
	perl=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
	[ -e $perl ] || skip "no flamegraph.pl"
	mp-diff --folded "$TMP/before" "$TMP/after" > "$TMP/folded"
	perl $perl "$TMP/folded" > "$TMP/svg" 2> "$TMP/err"
	[ ! -s "$TMP/err" ] || { cat "$TMP/err"; false; }
	# "name (N samples, P%; +D%)"
	[ "$(grep -c '<title>.* samples, .*%; [-+].*%)</title>' "$TMP/svg")" -ge 100 ]
	grep -q "all ($(awk '{ s += $NF } END { print s }' "$TMP/after" | rev | sed 's/.../&,/g; s/,$//' | rev) samples, 100%" "$TMP/svg"
}

@test "memory grows with distinct stacks, not with the length of the input" {
	most() { /usr/bin/time -f %M -o "$TMP/kib" mp-diff "$1" "$1" > "$TMP/out"; cat "$TMP/kib"; }
	short=$(most "$TMP/before")
	for _ in {1..200}; do cat "$TMP/before"; done > "$TMP/long"
	long=$(most "$TMP/long")
	echo "$short KiB, $long KiB"
	# a quarter of the input: huge pages and what the kernel has not summed yet make some MiB of difference
	[ "$long" -le $((short + $(wc -c < "$TMP/long") / 4096)) ]
}

@test "the numbers of distributions are those of mp-hist" {
	awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) printf "%d,a:b,cpu=%d\tcomm=c%d\tdur=%d\n", i, rand() * 4, rand() * 5, 1000 / (rand() + 0.001) }' > "$TMP/a.mp"
	awk 'BEGIN { srand(4); for (i = 0; i < 20000; i++) printf "%d,a:b,cpu=%d\tcomm=c%d\tdur=%d\n", i, rand() * 4, rand() * 5, 1200 / (rand() + 0.001) }' > "$TMP/b.mp"
	for side in a b; do
		mp-hist --by cpu,comm --dump "$TMP/$side.mp" > "$TMP/$side.dump"
		mp-hist --by comm --json "$TMP/$side.mp" | jq -r '[.key.comm, .mean, .p50, .p99] | @tsv' | sort > "$TMP/$side.want"
	done
	mp-diff --tsv --by comm "$TMP/a.dump" "$TMP/b.dump" > "$TMP/tsv"
	for column in 3 4; do
		awk -F '\t' -v OFS='\t' -v c=$column 'NR > 1 { v[$1, $2] = $c; keys[$1] } END { for (k in keys) print k, v[k, "mean"], v[k, "p50"], v[k, "p99"] }' "$TMP/tsv" | sort > "$TMP/got"
		join -t $'\t' "$TMP/got" "$TMP/$([ $column = 3 ] && echo a || echo b).want" |
			awk -F '\t' '{ for (i = 2; i <= 4; i++) if (($i / $(i + 3) - 1) ^ 2 > 1e-14) { print; exit 1 } n++ } END { if (n != 5) exit 1 }'
	done
}
