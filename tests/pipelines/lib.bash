# SPDX-License-Identifier: GPL-2.0-only
# For the scripts of this folder. Each answers a question with a pipeline, on live data where this machine has
# it, then checks the answer in numbers. $OUT is where pictures and tables go.
# Status: 0 the answer is right, 77 this machine lacks something (with a message), 1 the answer is wrong.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${BUILD:=$(cd "$here/../.." && pwd)/build}"
PATH="$BUILD/bin:$PATH"
LOAD=$BUILD/load
own= loop=
if [ -z "${OUT:-}" ]; then
	OUT=$(mktemp -d) own=$OUT
fi
finish() {
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$own" ] || rm -rf "$own"
}
trap finish EXIT
export LC_ALL=C.UTF-8

skip() {
	echo "skip: $*"
	exit 77
}

wrong() {
	echo "wrong: $*" >&2
	exit 1
}

# record ARGS...: mp-record; a loss, which it reports with status 1, is not a failure
record() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	local status=0
	mp-record -q "$@" 2> "$OUT/recorder" || status=$?
	cat "$OUT/recorder" >&2
	! grep -qE '^mp-record: .*(not permitted|cannot read tracefs)' "$OUT/recorder" ||
		skip "cannot record here: $(head -n 1 "$OUT/recorder")"
	[ "$status" -le 1 ]
}

# How many events a recording lost: so many may be missing from what is counted.
lost() {
	tail -n 1 "$1" | jq .lost
}

# same WHAT GOT WANTED
same() {
	[ "$2" = "$3" ] || wrong "$1: $2, expected $3"
}

# all WHAT GOT WANTED RECORDING: so many as are wanted, or fewer if the recording lost events.
all() {
	[ "$(lost "$4")" = 0 ] || { [ "$2" -lt "$3" ] && at_least "$1" "$2" $(($3 - $(lost "$4"))) && return; }
	same "$1" "$2" "$3"
}

# at_least WHAT GOT WANTED
at_least() {
	[ "$2" -ge "$3" ] || wrong "$1: $2, expected at least $3"
}

# A picture: well-formed, self-contained, and with the given number of marks of a kind.
picture() {
	python3 -c '
import sys, xml.dom.minidom
text = open(sys.argv[1], encoding="utf-8").read()
xml.dom.minidom.parseString(text)
assert "http://" not in text.replace("http://www.w3.org/", ""), "refers to the network"
assert len(text) < 1 << 20, "larger than 1 MiB"' "$1" || wrong "$1 is no picture"
}

# how many numbers mp-hist counted: the sum over all keys
hist_count() {
	mp-hist --tsv --summary "$@" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "count") c = i; next }
		{ n += $c } END { print n + 0 }'
}
