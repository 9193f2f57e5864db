#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Tables of mp-select, as the programs read them that they are for.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib
: "${NPM:=build/npm}"

# write_names SEED: a stream with 2,000 hostile names in $TMP/in.mp, and the names as JSON in $TMP/names.
write_names() {
	python3 - "$1" "$TMP/in.mp" "$TMP/names" <<- 'X'
		import json, random, sys
		rnd = random.Random(int(sys.argv[1]))
		pieces = ['"', '""', '\t', '\n', '\r', '\r\n', '\\', '\\t', "'", ',', ';', ' ', '#', '{', 'é', '\u20ac', '007', '1e5', 'NULL', '\\N', 'nginx', '-']
		names = ['"', '"lead', 'tab\there', 'line\nforged\t1', 'cr\r', ''] + [
		    ''.join(rnd.choices(pieces, k=rnd.randrange(1, 6))) for _ in range(1994)]
		escape = str.maketrans({'\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\'})
		with open(sys.argv[2], 'w', newline='\n') as f:
		    f.write('{"mp":1,"datatype":"event","events":{"block:rq":{".bytes":"u32",".flags":"x32",".at":"x64",".rwbs":"str",".list":"u8[]"}}}\n')
		    for i, name in enumerate(names):
		        f.write(f'{71200103211 + i},block:rq,cpu=0\ttid={i}\tcomm={name.translate(escape)}'
		            f'\t.bytes={i * 512}\t.flags=0x{i:x}\t.at=0xffffffff81e4d9c7\t.rwbs=W\t.list=1,2\tstack="main;f\n')
		    f.write(f'{{"end":"event","records":{len(names)},"lost":0}}\n')
		json.dump(names, open(sys.argv[3], 'w'))
	X
}

# Standard input, a JSON array of rows with tid and comm, has all names in their order.
has_names() {
	jq -ce 'length == 2000 and (to_entries | all(.key == (.value.tid | tonumber)))' > "$TMP/order" <<< "$1"
	diff <(jq 'map(.comm // "")' <<< "$1") <(jq . "$TMP/names")
}

@test "names survive into sqlite3 in one pipeline, in the import mode of the man page" {
	write_names 1
	mp-select -e 'block:*' --tsv "$TMP/in.mp" |
		sqlite3 :memory: '.mode tabs' '.import /dev/stdin disk' '.mode json' 'SELECT tid, comm FROM disk' > "$TMP/rows"
	has_names "$(cat "$TMP/rows")"
}

@test "a table that was created before has its types in sqlite3" {
	write_names 2
	mp-select -e 'block:*' --fields tid,comm,.bytes,.flags,.at --tsv "$TMP/in.mp" |
		sqlite3 "$TMP/disk.db" 'CREATE TABLE disk(time INTEGER, type TEXT, tid INTEGER, comm TEXT, ".bytes" INTEGER, ".flags" INTEGER, ".at" TEXT)' \
			'.mode tabs' '.import --skip 1 /dev/stdin disk'
	has_names "$(sqlite3 -json "$TMP/disk.db" 'SELECT tid, comm FROM disk')"
	[ "$(sqlite3 "$TMP/disk.db" 'SELECT sum(".bytes"), sum(".flags" & 1), count(DISTINCT ".at"), max(time) FROM disk')" = "1023488000|1000|1|71200105210" ]
	[ "$(sqlite3 "$TMP/disk.db" 'SELECT DISTINCT typeof(time), typeof(tid), typeof(comm), typeof(".flags"), typeof(".at") FROM disk')" = "integer|integer|text|integer|text" ]
}

@test "names survive into python, and jq reads each line" {
	write_names 3
	mp-select --tsv "$TMP/in.mp" > "$TMP/t.tsv"
	rows=$(python3 -c 'import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline=""), delimiter="\t", strict=True))))' "$TMP/t.tsv")
	has_names "$rows"
	mp-select --json "$TMP/in.mp" > "$TMP/t.json"
	[ "$(wc -l < "$TMP/t.json")" = 2000 ]
	has_names "$(jq -s . "$TMP/t.json")"
	[ "$(command jq -c 'map_values(type)' "$TMP/t.json" | sort -u)" = '{"time":"number","type":"string","cpu":"number","tid":"number","comm":"string",".bytes":"number",".flags":"number",".at":"string",".rwbs":"string",".list":"array","stack":"array"}' ]
}

# The result of a query in DuckDB, as JSON.
duckdb() {
	NODE_PATH="$NPM/node_modules" node -e '
		const { DuckDBInstance } = require("@duckdb/node-api");
		DuckDBInstance.create(":memory:").then((i) => i.connect()).then((c) => c.runAndReadAll(process.argv[1]))
			.then((r) => console.log(JSON.stringify(r.getRowObjectsJson())));' "$1"
}

@test "names and types survive into DuckDB" {
	needs_npm @duckdb/node-api
	write_names 4
	mp-select --tsv "$TMP/in.mp" > "$TMP/t.tsv"
	mp-select --json "$TMP/in.mp" > "$TMP/t.json"
	for table in "'$TMP/t.tsv'" "read_csv('$TMP/t.tsv', delim='\t', quote='\"', escape='\"')" "'$TMP/t.json'"; do
		has_names "$(duckdb "SELECT tid, comm FROM $table ORDER BY time")"
		[ "$(duckdb "SELECT typeof(time) AS a, typeof(comm) AS b, typeof(\".bytes\") AS c, typeof(\".flags\") AS d, typeof(\".at\") AS e FROM $table LIMIT 1")" = \
			'[{"a":"BIGINT","b":"VARCHAR","c":"BIGINT","d":"BIGINT","e":"VARCHAR"}]' ]
	done
	[ "$(duckdb "SELECT typeof(\".list\") AS a, typeof(stack) AS b, sum(CAST(\".at\" AS UBIGINT) % 2) AS c FROM '$TMP/t.json' GROUP BY ALL")" = \
		'[{"a":"BIGINT[]","b":"VARCHAR[]","c":"2000"}]' ]
}

@test "a table of a live stream is written at once: JSON, and what --fields names" {
	for options in --json '--tsv --fields cpu'; do
		rm -f "$TMP/fifo"
		mkfifo "$TMP/fifo"
		mp-select $options < "$TMP/fifo" > "$TMP/out" &
		exec 5> "$TMP/fifo"
		printf '1,a:b,cpu=7\n' >&5
		until grep -q 7 "$TMP/out"; do await; done
		exec 5>&-
		wait %%
	done
}

@test "memory does not grow with the input, and hardly with the columns" {
	case "$BUILD" in *san-*) skip "sanitizers need memory of their own" ;; esac
	for n in 5000 200000; do
		awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) printf "%d,a:b,cpu=0\tcomm=%d\t.f%d=1\tstack=main;f%d\n", i, i, i % 1500, i }' > "$TMP/in"
		for form in tsv json; do
			/usr/bin/time -o "$TMP/kib.$form.$n" -f %M mp-select --$form "$TMP/in" > /dev/null 2>&1 || [ $? = 1 ]
		done
	done
	for form in tsv json; do
		# the kernel counts pages per CPU, and pages of libraries depend on its cache; the input is 10 MB longer
		[ "$(tail -n 1 "$TMP/kib.$form.200000")" -lt $(($(tail -n 1 "$TMP/kib.$form.5000") + 3072)) ]
	done
}

@test "a full disk is reported" {
	for form in tsv json; do
		run bash -c "yes 1,a:b,cpu=0 | head -n 100000 | mp-select --$form > /dev/full"
		[ "$status" = 2 ] && [[ "$output" == *"cannot write 'stdout': No space left on device" ]] || false
	done
}
