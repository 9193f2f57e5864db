#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Properties that hold for any input, tested with random input from a fixed seed.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# random_stream SEED LINES: events, stacks and folded text with hostile names.
random_stream() {
	perl -e '
		my ($seed, $n) = @ARGV;
		srand $seed;
		my @names = ("main", "f", "g", "op\\x3b", "a b", "w 12", "", "k_[k]", "j_[j]", "x_\\x5bk]", "\\\\", "é", "[truncated]", "1#2", "{x");
		sub frames { join ";", map { $names[rand @names] } 1 .. 1 + rand 6 }
		for (1 .. $n) {
			my $kind = rand 10;
			if ($kind < 7) {
				printf "%d,a:b,cpu=%d\tcomm=%s\tw=%d\tstack=%s\n", $_, rand 4, $names[rand @names], rand 100, frames();
			} elsif ($kind < 9) {
				printf "%d#%s\n", rand(20) - 10, frames();
			} else {
				printf "x%s %d\n", frames(), rand 9;
			}
		}' "$1" "$2"
}

@test "merge(fold A, fold B) = fold(A then B), whatever the options" {
	for seed in 1 2 3 4 5; do
		random_stream $seed 400 > "$TMP/a"
		random_stream $((seed + 100)) 300 > "$TMP/b"
		for options in "" "--by comm,cpu" "--no-comm" "--weight w" "--kernel" "--merge-recursive" "--depth 2"; do
			cat "$TMP/a" "$TMP/b" | mp-fold $options > "$TMP/all"
			mp-fold <(mp-fold $options "$TMP/a") <(mp-fold $options "$TMP/b") | cmp - "$TMP/all" || { echo "$seed $options"; false; }
			mp-fold $options "$TMP/a" "$TMP/b" | cmp - "$TMP/all"
			mp-fold $options "$TMP/b" "$TMP/a" | cmp - "$TMP/all"
		done
		# the same input as stack lines, with annotations
		cat "$TMP/a" "$TMP/b" | mp-fold --stream | grep -v '^{' > "$TMP/all"
		mp-fold --stream <(mp-fold --stream "$TMP/a") <(mp-fold --stream "$TMP/b") | grep -v '^{' | cmp - "$TMP/all"
	done
}

# many_stacks SEED LINES: folded text, most of it distinct; half of the stacks share their frames as a tree of calls does.
many_stacks() {
	perl -e '
		my ($seed, $n) = @ARGV;
		srand $seed;
		my @tree = ("main");
		for (1 .. $n) {
			my $stack = rand() < 0.5 ? join(";", map { "function_" . int rand 50000 } 1 .. 4 + rand 16) : $tree[rand @tree];
			printf "%s %d\n", $stack, rand(20) - 5;
			push @tree, "$tree[rand @tree];call_" . int rand 1000 if @tree < $n / 4;
		}' "$1" "$2"
}

@test "a fold of more stacks than --memory holds is the same, and the sum of its parts" {
	many_stacks 1 150000 > "$TMP/a"
	many_stacks 2 150000 > "$TMP/b"
	cat "$TMP/a" "$TMP/b" | LC_ALL=C sort | perl -ne '
		/^(.*) (-?\d+)$/ or die;
		if ($1 ne $last) { print "$last $sum\n" if $sum; ($last, $sum) = ($1, 0) }
		$sum += $2;
		END { print "$last $sum\n" if $sum }' | LC_ALL=C sort > "$TMP/want"
	mp-fold "$TMP/a" "$TMP/b" > "$TMP/all"
	LC_ALL=C sort "$TMP/all" | cmp - "$TMP/want"
	mp-fold --memory 16M "$TMP/b" "$TMP/a" | cmp - "$TMP/all"
	mp-fold --memory 16M <(mp-fold --memory 16M "$TMP/a") <(mp-fold "$TMP/b") | cmp - "$TMP/all"
	mp-fold --memory 16M --stream "$TMP/a" "$TMP/b" | mp-fold | cmp - "$TMP/all"
	perl -pe 's/(.*) (.*)/$2 $1/' "$TMP/all" | LC_ALL=C sort -k1,1nr -k2 > "$TMP/want"
	mp-fold --memory 16M --sort weight "$TMP/a" "$TMP/b" | perl -pe 's/(.*) (.*)/$2 $1/' | cmp - "$TMP/want"
	for options in "--depth 3" "--reverse" "--min 12 --focus *7*"; do
		mp-fold $options "$TMP/a" "$TMP/b" > "$TMP/all"
		mp-fold $options --memory 16M "$TMP/a" "$TMP/b" | cmp - "$TMP/all"
	done
	# --memory leads to a file, and a gigabyte does not
	TMPDIR=/nonexistent mp-fold --memory 1G "$TMP/a" "$TMP/b" > "$TMP/all"
	TMPDIR=/nonexistent run -2 mp-fold --memory 16M "$TMP/a" "$TMP/b"
	[ "$output" = "mp-fold: cannot make a temporary file in '/nonexistent': No such file or directory (set TMPDIR, or give more --memory)" ]
}

@test "folding is idempotent, and annotated folds lose nothing" {
	for seed in 11 12 13; do
		random_stream $seed 500 > "$TMP/a"
		mp-fold "$TMP/a" > "$TMP/f"
		mp-fold "$TMP/f" | cmp - "$TMP/f"
		mp-fold --annotate "$TMP/a" > "$TMP/fa"
		mp-fold --annotate "$TMP/fa" | cmp - "$TMP/fa"
		mp-fold "$TMP/fa" | cmp - "$TMP/f"
		mp-fold --stream "$TMP/a" | mp-fold --annotate | cmp - "$TMP/fa"
	done
}

@test "folding agrees exactly with another implementation in perl" {
	for seed in 21 22 23; do
		random_stream $seed 800 > "$TMP/a"
		perl -e '
			my %sum;
			sub mark { my $f = shift; $f =~ s/_\[[kji]\]$//; $f }
			sub undo { my $f = shift; $f =~ s/\\(x(..)|.)/defined $2 ? chr hex $2 : {qw(t 9 n 10 r 13)}->{$1} ? chr {qw(t 9 n 10 r 13)}->{$1} : $1/ge; $f }
			sub put {
				my $f = shift;
				my $hex = sub { sprintf "\\x%02x", ord shift };
				my @c = split //, $f;
				my $n = @c;
				my %at;
				$at{$n - 3} = 1 if $f =~ /_\[[kji]\]\z/s;
				if ($f =~ /^\{/) { $at{0} = 1 }
				elsif ($f =~ /^([-+.0-9eE]+)[#,]/) { $at{length $1} = 1 }
				if ($f =~ /^(.*) [0-9.]*\z/s) { $at{length $1} = 1 }
				join "", map { my $c = $c[$_];
					$at{$_} || $c eq ";" ? $hex->($c) : $c eq "\\" ? "\\\\" : $c =~ /[\x00-\x1f\x7f]/ ? $hex->($c) : $c } 0 .. $n - 1;
			}
			while (<>) {
				chomp;
				my ($prefix, $frames, $w);
				if (/^\d+,[a-z]/) {
					my (undef, undef, $body) = split /,/, $_, 3;
					my %f = map { split /=/, $_, 2 } split /\t/, $body;
					($prefix, $frames, $w) = ($f{comm}, $f{stack}, 1);
				} elsif (/^(-?\d+)#(.*)$/) { ($frames, $w) = ($2, $1) }
				elsif (/^(.*) (-?\d+)$/) { ($frames, $w) = ($1, $2) }
				my @f = map { put(undo(mark($_))) } split /;/, $frames, -1;
				@f = ("") if $frames eq "" and !defined $prefix;	# an event may have no frames
				unshift @f, put(undo($prefix)) if defined $prefix;
				$sum{join ";", @f} += $w;
			}
			print map { "$_ $sum{$_}\n" } grep { $sum{$_} } sort keys %sum;' "$TMP/a" > "$TMP/want"
		mp-fold "$TMP/a" | diff - "$TMP/want"
	done
}

@test "the sum of a fold is the sum of the weights" {
	random_stream 31 1000 | grep -E '^[0-9]+,' > "$TMP/a"
	[ "$(mp-fold "$TMP/a" | awk '{ s += $NF } END { print s }')" = "$(wc -l < "$TMP/a")" ]
	want=$(grep -o 'w=[0-9]*' "$TMP/a" | cut -d= -f2 | awk '{ s += $1 } END { print s }')
	[ "$(mp-fold -w w "$TMP/a" | awk '{ s += $NF } END { print s }')" = "$want" ]
	[ "$(mp-fold -i 100ns "$TMP/a" | awk '{ s += $NF } END { print s }')" = "$(wc -l < "$TMP/a")" ]
}

@test "ordering keeps every line, once" {
	for seed in 41 42; do
		random_stream $seed 2000 | grep -E '^[-0-9]+[,#]' | shuf --random-source=<(yes $seed) > "$TMP/a"
		mp-order "$TMP/a" | LC_ALL=C sort | cmp - <(LC_ALL=C sort "$TMP/a")
		mp-order "$TMP/a" | mp-order | cmp - <(mp-order "$TMP/a")
	done
}

# nested SEED: spans of three threads, in order of their ends, whose nesting is random; after them, marked with #, what
# each stack of them weighs, and the time of the outermost ones.
nested() {
	python3 - "$1" <<- 'X'
		import collections, random, sys
		r = random.Random(int(sys.argv[1]))
		spans, weights, outermost = [], collections.Counter(), 0

		def span(tid, begin, path, depth):
		    """A span that begins then, with those inside it. Returns its end."""
		    path = path + [r.choice('abcd')]
		    now, inside = begin, 0
		    for _ in range(r.randrange(4) if depth < 6 else 0):
		        start = now + r.randrange(3)
		        now = span(tid, start, path, depth + 1)
		        inside += now - start
		    end = now + r.randrange(4)
		    spans.append((end, len(spans), tid, path[-1], end - begin))
		    weights[f't{tid};' + ';'.join(path)] += end - begin - inside
		    return end

		for tid in 1, 2, 3:
		    now = 0
		    for _ in range(60):
		        start = now + r.randrange(5)
		        now = span(tid, start, [], 0)
		        outermost += now - start
		for end, _, tid, name, dur in sorted(spans):
		    print(f'{end},{name},cpu={r.randrange(2)}\ttid={tid}\tcomm=t{tid}\tdur={dur}')
		for path, weight in weights.items():
		    if weight:
		        print(f'#{path} {weight}')
		print('#outermost', outermost)
	X
}

@test "spans fold to the tree in which they were nested, and their times add up to those of the outermost ones" {
	for seed in $(seq 20); do
		nested "$seed" > "$TMP/all"
		grep -v '^#' "$TMP/all" > "$TMP/in"
		mp-fold --nested "$TMP/in" > "$TMP/out" 2> "$TMP/err"
		[ ! -s "$TMP/err" ]
		sed -n 's/^#\(t.*\)/\1/p' "$TMP/all" | LC_ALL=C sort | diff - <(LC_ALL=C sort "$TMP/out")
		awk '{ n += $NF } END { print "#outermost", n }' "$TMP/out" | diff - <(grep '^#outermost' "$TMP/all")
		# the spans of each thread by themselves give the same
		for tid in 1 2 3; do mp-select --filter "tid == $tid" "$TMP/in" | mp-fold --nested; done > "$TMP/parts"
		mp-fold "$TMP/parts" | diff "$TMP/out" -
	done
}

@test "spans that overlap count twice where they do, and are reported with that time" {
	# each pair: a from 100 i to 100 i + 20, b from 100 i + 15 to 100 i + 35
	awk 'BEGIN { for (i = 0; i < 100; i++) { print 100 * i + 20 ",a,tid=1\tdur=20"; print 100 * i + 35 ",b,tid=1\tdur=20" } }' > "$TMP/in"
	run -0 --separate-stderr mp-fold --nested --no-comm "$TMP/in"
	[ "$output" = $'a 2000\nb 2000' ]
	[ "$stderr" = "mp-fold: 100 spans overlap others without being inside them: 500 ns count twice" ]
}

@test "mp-fold --nested holds a limited number of spans, and reports those that may enclose others" {
	awk 'BEGIN { for (i = 1; i <= 1200000; i++) print 2 * i ",a,tid=" i % 3 "\tdur=1"; print 2400001 ",b,tid=1\tdur=2400001" }' > "$TMP/in"
	run -1 --separate-stderr mp-fold --nested --no-comm "$TMP/in"
	[ "$stderr" = "mp-fold: 1 span may enclose some that were folded before for lack of room: their time counts twice" ]
	# all spans are there
	[ "$(awk '/a / { n += $2 } END { print n }' <<< "$output")" = 1200000 ]
	# no further than 256 frames
	awk 'BEGIN { for (i = 1; i <= 1000; i++) print i ",s,tid=1\tdur=" i }' > "$TMP/in"
	run -0 --separate-stderr mp-fold --nested --no-comm "$TMP/in"
	[ "$stderr" = "mp-fold: 744 spans are too deep: their time is that of the spans around them" ]
	[ "$(awk '{ n += $2 } END { print n }' <<< "$output")" = 1000 ]
	[ "$(tail -n 1 <<< "$output" | cut -d' ' -f1 | tr ';' '\n' | wc -l)" = 256 ]
}
