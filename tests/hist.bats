#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-hist compared with other implementations, and the properties of its merges.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

# numbers KIND N: points with random y.
numbers() {
	python3 - "$1" "$2" <<'PY'
import random, sys
kind, n = sys.argv[1], int(sys.argv[2])
random.seed(kind)
make = {
    "small": lambda: random.randrange(0, 300),
    "latency": lambda: int(1000 * 2 ** (20 * random.random())),
    "signed": lambda: random.randrange(-10**6, 10**6),
    "fraction": lambda: round(random.gauss(0, 1), 9),
    "huge": lambda: random.choice([-1, 1]) * random.randrange(2**53),
    "real": lambda: random.choice([-1, 1]) * 10 ** random.uniform(-200, 200),
    "constant": lambda: 1000003,
    "zero": lambda: random.choice([0, 0, 0, 1, -1]),
    "narrow": lambda: 10**9 + random.randrange(3),
}[kind]
for i in range(n):
    print(f"{i},{make()!r},k{random.randrange(5)}")
PY
}

# events SEED N: events of one type with fields, some missing, some names hostile.
events() {
	perl -e '
		my ($seed, $n) = @ARGV;
		srand $seed;
		my @names = ("nginx", "a b", "", "x\\x1b[31m", "\\\\", "é", "#1", "{x", "a;b", "\xff\xfe", "\xc2\x9b", "y" x 60);
		for (1 .. $n) {
			my @f = ("cpu=" . int rand 12);
			push @f, "comm=$names[rand @names]" if rand 20 > 1;
			push @f, ".bytes=" . 512 * int rand 100, "dur=" . int exp rand 20;
			push @f, "stack=main;f" . int rand 3 if rand 2 > 1;
			printf "%d,block:rq,%s\n", 5e8 + $_ * 1e6, join "\t", @f;
		}' "$1" "$2"
}

KINDS="small latency signed fraction huge real constant zero narrow"

@test "count, sum, min, max, mean, stddev, percentiles agree with python, percentiles within 1 %" {
	for kind in $KINDS; do
		numbers $kind 3000 > "$TMP/in"
		mp-hist --summary --tsv "$TMP/in" > "$TMP/out"
		python3 - "$TMP/in" "$TMP/out" <<'PY'
import math, sys
from fractions import Fraction
v = sorted(float(l.split(",")[1]) for l in open(sys.argv[1]))
names, got = (l.rstrip("\n").split("\t") for l in open(sys.argv[2]))
got = dict(zip(names, got))
n, total = len(v), sum(map(Fraction, v))
whole = all(x == int(x) for x in v)
assert int(got["count"]) == n
assert not whole or int(got["sum"]) == total, (got["sum"], total)
near = lambda a, b, scale: abs(float(a) - float(b)) <= 1e-12 * float(scale)
size = sum(map(abs, map(Fraction, v)))
assert near(got["sum"], total, size)
assert float(got["min"]) == v[0] and float(got["max"]) == v[-1]
assert near(got["mean"], total / n, size / n)
mean = total / n
variance = sum((Fraction(x) - mean) ** 2 for x in v) / n
stddev = math.sqrt(variance) if variance < 10**300 else 10**100 * math.sqrt(variance / 10**200)
assert abs(float(got["stddev"]) - stddev) <= 1e-9 * stddev, (got["stddev"], stddev)
for name, share in (("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999)):
    want = v[-(-share * n // 1000) - 1]
    assert abs(float(got[name]) - want) <= 0.004 * abs(want), (name, got[name], want)
PY
	done
}

@test "percentiles and moments agree with datamash" {
	numbers latency 5000 > "$TMP/in"
	mp-hist --summary --tsv "$TMP/in" | tail -n 1 | cut -f 1,2,3,4,5,7,8,10 > "$TMP/mp"
	datamash -t , count 2 sum 2 min 2 mean 2 pstdev 2 perc:90 2 perc:99 2 max 2 < "$TMP/in" | tr , '\t' > "$TMP/datamash"
	paste "$TMP/mp" "$TMP/datamash" | awk '{ for (i = 1; i <= 8; i++) {
		d = $i - $(i + 8); d = d < 0 ? -d : d
		if (d > 0.01 * $(i + 8)) exit 1 } }'
}

@test "rows of powers of two count each value exactly once" {
	for kind in $KINDS; do
		numbers $kind 2000 > "$TMP/in"
		mp-hist --tsv "$TMP/in" > "$TMP/out"
		python3 - "$TMP/in" "$TMP/out" <<'PY'
import sys
v = [float(l.split(",")[1]) for l in open(sys.argv[1])]
rows = [tuple(map(float, l.split("\t"))) for l in open(sys.argv[2]).readlines()[1:]]
for low, high, n in rows:
    inside = (lambda x: x == 0) if low == high else (lambda x: low <= x < high) if high > 0 else (lambda x: low < x <= high)
    assert n == sum(map(inside, v)), (low, high, n)
assert sum(n for _, _, n in rows) == len(v)
PY
	done
}

@test "rows of equal width, given or chosen, count each value exactly once" {
	for kind in small latency signed fraction constant zero narrow; do
		numbers $kind 2000 > "$TMP/in"
		for option in --linear "--linear --buckets 7" --linear=100; do
			[ "$kind $option" != "latency --linear=100" ] || option=--linear=20000
			[ "$kind $option" != "signed --linear=100" ] || option=--linear=333
			mp-hist $option --tsv "$TMP/in" > "$TMP/out"
			python3 - "$TMP/in" "$TMP/out" "$option" <<'PY'
import re, sys
v = [float(l.split(",")[1]) for l in open(sys.argv[1])]
rows = [tuple(map(float, l.split("\t"))) for l in open(sys.argv[2]).readlines()[1:]]
for low, high, n in rows:
    assert n == sum(low <= x < high for x in v), (low, high, n)
    width = re.search(r"=(\d+)", sys.argv[3])
    assert not width or high - low == float(width.group(1))
assert sum(n for _, _, n in rows) == len(v)
most = 7 if "7" in sys.argv[3] else 20
assert "=" in sys.argv[3] or len(rows) <= most
PY
		done
	done
}

@test "--over counts exactly, whatever the numbers and the rows" {
	for kind in small signed fraction real; do
		numbers $kind 1000 > "$TMP/in"
		for over in -1 0 0.25 150 151 123456.5; do
			mp-hist --over=$over --by info --tsv --summary "$TMP/in" > "$TMP/out"
			python3 - "$TMP/in" "$TMP/out" $over <<'PY'
import collections, sys
of, over = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):
    _, y, key = line.rstrip("\n").split(",")
    of[key] += 1
    over[key] += float(y) >= float(sys.argv[3])
rows = [l.rstrip("\n").split("\t") for l in open(sys.argv[2])]
assert rows[0][-2:] == ["over", "over_share"]
for row in rows[1:]:
    assert int(row[-2]) == over[row[0]] and abs(float(row[-1]) - over[row[0]] / of[row[0]]) < 1e-9, row
assert len(rows) == 1 + len(of)
PY
		done
	done
}

@test "merged dumps of parts, in any order, equal one pass byte for byte" {
	for seed in 1; do
		events $seed 900 > "$TMP/all"
		head -n 100 "$TMP/all" > "$TMP/a"
		sed -n 101,600p "$TMP/all" > "$TMP/b"
		tail -n +601 "$TMP/all" > "$TMP/c"
		for options in "" "--by comm" "--by stack,comm" "--by comm,cpu --top 3" "--by cpu --sort sum" "--weight .bytes" \
			"--by comm -w .bytes" "-f .bytes" "-f time" "--linear" "--linear -f .bytes --by cpu" "--linear=1000000000" \
			"--over 100us --by comm" "--over 20K -f .bytes -w .bytes --summary --sort over" \
			"--count comm" "--count cpu,stack -w .bytes" "--by comm --across cpu" "--by type"; do
			for x in a b c; do mp-hist --dump $options "$TMP/$x" > "$TMP/$x.dump"; done
			mp-hist --dump $options "$TMP/c.dump" "$TMP/a.dump" > "$TMP/ca.dump"
			for output in "" --json --dump; do
				mp-hist $options $output "$TMP/all" > "$TMP/one"
				mp-hist $options $output "$TMP/ca.dump" "$TMP/b.dump" | cmp - "$TMP/one" || { echo "$options $output"; false; }
			done
			# a dump, and events that are not in a dump yet
			mp-hist $options --json "$TMP/b.dump" "$TMP/c" "$TMP/a.dump" > "$TMP/two"
			mp-hist $options --json "$TMP/all" | cmp - "$TMP/two"
		done
	done
	for kind in fraction real signed; do
		numbers $kind 600 > "$TMP/all"
		mp-hist --dump --by info <(head -n 200 "$TMP/all") > "$TMP/a.dump"
		mp-hist --dump --by info <(tail -n +201 "$TMP/all") > "$TMP/b.dump"
		for options in "" "--by info"; do
			mp-hist $options --json "$TMP/b.dump" "$TMP/a.dump" > "$TMP/two"
			mp-hist $options --json "$TMP/all" | cmp - "$TMP/two"
		done
	done
}

@test "a dump is a valid stream, can still be read after grep has split it, and -e chooses its types" {
	{ events 3 300; events 4 200 | sed s/block:rq/nvme:rq/; } > "$TMP/in"
	mp-hist --dump -e '*' --by comm "$TMP/in" > "$TMP/dump"
	run mp-order --check "$TMP/dump"
	[ "$status" = 0 ] || { echo "$output"; false; }
	for e in 'block:*' '*'; do
		mp-hist -e "$e" --json "$TMP/dump" > "$TMP/two"
		mp-hist -e "$e" --json "$TMP/in" | cmp - "$TMP/two"
	done
	run mp-hist "$TMP/dump"
	[ "$status" = 2 ] && [[ "$output" == *"several types of events (block:rq, nvme:rq)"* ]] || false
	grep -a 'comm=nginx' "$TMP/in" | mp-hist -e '*' --tsv > "$TMP/one"
	grep -a 'comm=nginx' "$TMP/dump" | mp-hist -e '*' --tsv | cmp - "$TMP/one"
	mp-hist -c comm -e '*' "$TMP/dump" > "$TMP/out" 2> "$TMP/err" && false
	grep -q "dump line with a distribution, not with counts" "$TMP/err"
}

@test "numbers that cannot be mixed are refused" {
	{ echo '{"mp":1,"datatype":"point","units":{"y":"KiB"}}'; echo 1,2,a; echo '{"end":"point","records":1,"lost":0}'; } > "$TMP/kib"
	sed s/KiB/us/ "$TMP/kib" > "$TMP/us"
	run mp-hist "$TMP/kib" "$TMP/us"
	[ "$status" = 2 ] && [[ "$output" == *"the input measures 'y' in 'KiB' and in 'us'"* ]] || false
	events 5 50 > "$TMP/in"
	mp-hist --dump "$TMP/in" > "$TMP/dur"
	mp-hist --dump -f .bytes "$TMP/in" > "$TMP/bytes"
	mp-hist --dump -w .bytes "$TMP/in" > "$TMP/weighted"
	run mp-hist "$TMP/dur" "$TMP/bytes"
	[ "$status" = 2 ] && [[ "$output" == *"distributions of 'dur' and of '.bytes'"* ]] || false
	run mp-hist "$TMP/dur" "$TMP/weighted"
	[ "$status" = 2 ] && [[ "$output" == *"weighted by different fields"* ]] || false
	run mp-hist --linear "$TMP/dur"
	[ "$status" = 2 ] && [[ "$output" == *"make the dump with the same --linear"* ]] || false
	run mp-hist "$TMP/in" "$TMP/kib"
	[ "$status" = 2 ] && [[ "$output" == *"events and points"* ]] || false
}

@test "counting agrees with awk: by any fields, weighted, with top and others, ties in order of names" {
	events 6 2000 > "$TMP/in"
	mp-hist --count cpu --tsv "$TMP/in" | tail -n +2 | cut -f 1,2 > "$TMP/out"
	LC_ALL=C sed 's/.*cpu=\([0-9]*\).*/\1/' "$TMP/in" | sort | uniq -c | awk '{ print $2 "\t" $1 }' |
		sort -t '	' -k2,2nr -k1,1 | cmp - "$TMP/out"
	mp-hist --count cpu -w .bytes --tsv "$TMP/in" | tail -n +2 | cut -f 1,2 > "$TMP/out"
	LC_ALL=C sed 's/.*cpu=\([0-9]*\).*bytes=\([0-9]*\).*/\1 \2/' "$TMP/in" | awk '{ n[$1] += $2 } END { for (i in n) print i "\t" n[i] }' |
		sort -t '	' -k2,2nr -k1,1 | cmp - "$TMP/out"
	mp-hist --count cpu --top 3 --tsv "$TMP/in" | awk -F'\t' 'NR > 1 { n += $2; s += $3 } NR == 5 { other = $1 }
		END { exit !(n == 2000 && s > 0.99999 && s < 1.00001 && other == "[other]") }'
	printf '1,a:b,comm=%s\n' b a d c | mp-hist --count comm --tsv | cut -f 1 | tail -n +2 | tr -d '\n' | grep -qx abcd
}

@test "two-way counts agree with awk, as TSV and as text that fits the terminal" {
	events 7 2000 > "$TMP/in"
	mp-hist --by comm --across cpu --tsv "$TMP/in" > "$TMP/out"
	head -n 1 "$TMP/out" | cut -f 2- | tr '\t' ' ' | grep -qx '0 1 2 3 4 5 6 7 8 9 10 11 total'
	grep -a 'cpu=3.*comm=nginx	' "$TMP/in" | wc -l > "$TMP/n"
	awk -F'\t' '$1 == "nginx" { print $5 }' "$TMP/out" | cmp - "$TMP/n"
	[ "$(awk -F'\t' 'NR > 1 { n += $NF } END { print n }' "$TMP/out")" = 2000 ]
	mp-hist --by comm --across cpu -w .bytes "$TMP/in" | awk '{ if (length($0) > 80 + 40) exit 1 }'
	mp-hist --by comm --across cpu --top 2 "$TMP/in" | tail -n 1 | grep -q '^other (11) '
}

@test "--interval writes the table of each interval's events as soon as a watermark permits" {
	events 8 2000 > "$TMP/in"
	mp-hist -i 300ms --count cpu --tsv "$TMP/in" | tail -n +2 | cut -f 1-3 | sort > "$TMP/out"
	awk -F'[,=\t]' '{ t = int($1 / 3e8) * 3e8; n[sprintf("%d.%09ds\t%d", t / 1e9, t % 1e9, $4)]++ }
		END { for (i in n) print i "\t" n[i] }' "$TMP/in" | sort | cmp - "$TMP/out"
	mkfifo "$TMP/fifo"
	mp-hist -i 1s "$TMP/fifo" > "$TMP/live" &
	exec 5> "$TMP/fifo"
	printf '{"mp":1,"datatype":"event","clock_ns":0,"realtime_ns":1795166340000000000}\n5,a:b,dur=7\n{"watermark":999999999}\n' >&5
	sleep 0.1
	[ ! -s "$TMP/live" ]
	printf '{"watermark":1000000000}\n' >&5
	until [ -s "$TMP/live" ]; do await; done
	head -n 1 "$TMP/live" | grep -qx '2026-11-20T09:19:00Z'
	exec 5>&-
	wait || true
	# dumps of two hosts, merged by time
	head -n 1000 "$TMP/in" | mp-hist -i 300ms --dump > "$TMP/a.dump"
	tail -n +1001 "$TMP/in" | mp-hist -i 300ms --dump > "$TMP/b.dump"
	mp-order "$TMP/b.dump" "$TMP/a.dump" | mp-hist -i 300ms --json > "$TMP/two"
	mp-hist -i 300ms --json "$TMP/in" | cmp - "$TMP/two"
}

@test "--points writes a valid stream with the values of --json" {
	events 9 2000 > "$TMP/in"
	mp-hist -i 500ms --by cpu --points=count,p99 "$TMP/in" > "$TMP/points"
	run mp-order --check "$TMP/points"
	[ "$status" = 0 ]
	head -n 1 "$TMP/points" | jq -e '.datatype == "point" and .axes == ["time", "dur"] and .units.dur == "ns"'
	mp-hist -i 500ms --by cpu --json "$TMP/in" |
		jq -r '"\(.time),\(.count),\(.key.cpu) count", "\(.time),\(.p99),\(.key.cpu) p99"' > "$TMP/want"
	grep -v '^{' "$TMP/points" | cmp - "$TMP/want"
	[ "$(mp-hist --json --by cpu "$TMP/in" | jq -s 'map(.buckets | map(.[2]) | add) | add')" = 2000 ]
}

@test "the text has no byte that a terminal would interpret" {
	events 10 500 > "$TMP/in"
	printf '1,block:rq,comm=\302\233\tdur=1\n' >> "$TMP/in"
	for options in "--by comm" "--by comm --summary" "--count comm,cpu" "--by comm --across cpu" "--by cpu --across comm"; do
		mp-hist $options --top 0 "$TMP/in" > "$TMP/out"
		! LC_ALL=C grep -aq '[^ -~[:print:]'$'\200''-'$'\377'']' "$TMP/out" || { echo "$options"; false; }
		! LC_ALL=C grep -aq $'\302[\200-\237]' "$TMP/out" || { echo "$options"; false; }
	done
}

@test "text is 80 columns wide, or as wide as the terminal" {
	events 11 500 > "$TMP/in"
	COLUMNS=200 mp-hist "$TMP/in" | awk 'length($0) > 80 { exit 1 } length($0) == 80 { n++ } END { exit n < 5 }'
	python3 - "$TMP/in" <<'PY'
import fcntl, os, pty, struct, sys, termios
os.environ.pop("COLUMNS", None)
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp("mp-hist", ["mp-hist", "--by", "comm", "--top", "0", sys.argv[1]])
text = b""
try:
    while chunk := os.read(fd, 65536):
        text += chunk
except OSError:
    pass
lines = text.decode("utf-8", "replace").split("\r\n")
bars = [l for l in lines if "|" in l]
assert bars and all(len(l) <= 60 for l in bars) and max(map(len, bars)) == 60, max(map(len, bars))
assert any(l.endswith("...") and len(l) == 60 for l in lines)
PY
}

@test "memory does not grow with the length of the input" {
	case "$BUILD" in *san-*) skip "sanitizers have memory of their own" ;; esac
	numbers latency 2000 > "$TMP/in"
	for _ in $(seq 500); do cat "$TMP/in"; done > "$TMP/long"
	small=$(/usr/bin/time -f %M mp-hist "$TMP/in" 2>&1 > /dev/null)
	large=$(/usr/bin/time -f %M mp-hist "$TMP/long" 2>&1 > /dev/null)
	echo "$small KiB for 2,000, $large KiB for 1,000,000"
	# the numbers alone would be 7.8 MiB; the kernel measures the same program with differences of hundreds of KiB
	[ "$large" -lt $((small + 2048)) ]
}

@test "live counts of context switches are those of the recording, and intervals appear while it records" {
	needs_root
	start_load "$LOAD/switch" $((CPUS - 1)) 600
	mp-record -q -e sched:sched_switch -g none -d 500ms > "$TMP/in" 2> /dev/null || true
	mp-hist --count cpu,.prev_state --tsv "$TMP/in" 2> /dev/null | tail -n +2 | awk -F'\t' '{ n += $3 } END { print n }' > "$TMP/out"
	grep -c ',sched:sched_switch,' "$TMP/in" | cmp - "$TMP/out"
	mp-record -q -e 'sched:*' -g none -d 1 2> /dev/null | mp-hist -i 200ms --count type > "$TMP/out" 2> "$TMP/err" || true
	[ "$(grep -c 'Z$' "$TMP/out")" -ge 4 ]
	grep -q 'sched:sched_switch$' "$TMP/out"
}
