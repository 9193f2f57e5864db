#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-record --fields +addr and mp-srcline: places of frames, and what debug information says of them.
# Runs beside a recording.

bats_require_minimum_version 1.5.0
load lib

SOURCES="$BATS_TEST_DIRNAME/srcline"

# Builds $TMP/b/inlined and its library.
build() {
	mkdir -p "$TMP/b"
	gcc -I. -O2 -g -fPIC -shared -o "$TMP/b/libwork.so" "$SOURCES/library.c"
	gcc -I. -O2 -g "$@" -o "$TMP/b/inlined" "$SOURCES/inlined.c" "$SOURCES/plain.c" -L"$TMP/b" -lwork -Wl,-rpath,"$TMP/b"
}

# The clock finds a PLT stub on some machines, and seldom. A probe on one makes such a sample certain; it gets the clock's name.
record() {
	local stub init
	stub=$(objdump -d "$TMP/b/inlined" | sed -n 's/^\([0-9a-f]*\) <strtod@plt>:$/\1/p')
	init=$(nm "$TMP/b/inlined" | awk '$3 == "_init" { print $1 }')
	mp-record -q --realtime -e "cpu-clock:u,uprobe:$TMP/b/inlined:_init+$((16#$stub - 16#$init))/stack=user:cfi/" -F 499 --fields +addr \
		-o "$TMP/r" -- "$TMP/b/inlined" 0.3
	sed -i '1s/,"uprobe:inlined:_init[^}]*}//; s/^\([0-9]*\),uprobe:inlined:_init+[^,]*,/\1,cpu-clock,/' "$TMP/r"
	mp-fold --lines "$TMP/r" > "$TMP/places"
	grep -q 'outer+0x[0-9a-f]*@inlined:[0-9a-f]\{8\}' "$TMP/places"
	grep -q ';main+0x[0-9a-f]*@inlined:[0-9a-f]*;strtod@plt+0x[0-9a-f]*@inlined:[0-9a-f]\{8\} ' "$TMP/places"
}

# Without the debug files of this system, which addr2line is not asked for.
srcline() {
	mp-srcline --debug-dir "$TMP/none" "$@"
}

# What mp-srcline makes of the recording is what addr2line says.
as_addr2line() {
	tests/srcline/by-addr2line "$TMP/b/inlined" "$TMP/b/libwork.so" < "$TMP/places" > "$TMP/want"
	srcline "$TMP/r" 2> "$TMP/why" | mp-fold --lines > "$TMP/got"
	diff "$TMP/want" "$TMP/got"
	grep -q ';outer (inlined.c:[0-9]*);middle (inlined.c:[0-9]*);innermost (inlined.c:[0-9]*) ' "$TMP/got"
	grep -q ';library_work (library.c:[0-9]*);library_inlined (library.c:[0-9]*) ' "$TMP/got"
	grep -q ';plain_work (plain.c:[0-9]*) ' "$TMP/got"
}

@test "lines and inlined functions are those of addr2line: PIE, shared library" {
	needs_root
	build
	record
	as_addr2line
}

@test "lines and inlined functions are those of addr2line: a program at a fixed address" {
	needs_root
	build -no-pie
	record
	as_addr2line
}

@test "lines are found without .debug_aranges, with DWARF 4, and in compressed sections" {
	needs_root
	build -gdwarf-4 -gz
	objcopy --remove-section .debug_aranges "$TMP/b/inlined"
	record
	as_addr2line
}

@test "a recording without its places is one without --fields +addr" {
	needs_root
	build
	record
	sed -E 's/\+0x[0-9a-f]+@[^;@]*:([0-9a-f]{8}|-)//g; /^\{"module"/d' "$TMP/r" > "$TMP/plain"
	cmp <(mp-fold "$TMP/plain") <(mp-fold "$TMP/r")
	mp-fold "$TMP/r" > "$TMP/folded"
	[ "$(grep -cE '@[^;@]*:([0-9a-f]{8}|-)' "$TMP/folded")" = 0 ]		# a stub's name has an @: library_work@plt
	[ "$(mp-fold --lines "$TMP/r" | grep -c '@inlined:')" -gt 0 ]
	# a module is described before it is used, with the build id that the file has
	id=$(readelf -n "$TMP/b/inlined" | awk '/Build ID/ { print $3 }')
	awk -v id="$id" '/^\{"module":"inlined:/ { if (index($0, id)) seen = 1 } /@inlined:/ && !seen { exit 1 } END { exit !seen }' "$TMP/r"
	mp-order --check "$TMP/r"
}

@test "+addr is one of a list of fields, and needs stacks" {
	needs_root
	mp-record -q -e cpu-clock -F 99 --fields comm,stack,+addr -n 20 -- sh -c 'while :; do :; done' > "$TMP/r" || [ $? = 1 ]
	grep -q '^[0-9]*,cpu-clock,comm=[^\t]*.stack=.*+0x[0-9a-f]*@' "$TMP/r"
	! grep -q 'cpu=' <(grep -v '^{' "$TMP/r") || false
	run mp-record -q -e cpu-clock -g none --fields +addr -n 1
	[ "$status" = 2 ]
	[[ "$output" == *"--fields +addr: none of the events has all of these" ]]
	# addr without a + is the data address
	run mp-record -q -e cpu-clock --fields comm,stack,addr -n 5 -- sh -c 'while :; do :; done'
	[ "$status" -le 1 ]
	[[ "$output" == *,cpu-clock,comm=* && "$output" != *'"module"'* ]]
}

@test "a writer that continues after another describes the modules again" {
	needs_root
	mp-record -q -F 199 --fields +addr -o "$TMP/r" -- sh -c 'while :; do :; done' 2> "$TMP/why" &
	recorder=$!
	until [ "$(grep -c '^[0-9].*@' "$TMP/r" 2> /dev/null)" -gt 20 ]; do await; done
	before=$(grep -c '^{"module"' "$TMP/r")
	kill -KILL "$(children $recorder mp-writer)"
	until [ "$(grep -c '^{"module"' "$TMP/r")" -gt "$before" ]; do await; done
	kill $recorder
	wait $recorder || true
	grep -q '"restarts":1' "$TMP/r"
	# each place, in either part, has its module before it
	awk -F '"' '/^\{"module"/ { seen[$4] = 1; next }
		/^[0-9]/ { n = split($0, f, ";"); for (i = 1; i <= n; i++) if (sub(/.*\+0x[0-9a-f]+@/, "", f[i])) {
			sub(/_\[[kji]\]$/, "", f[i]); places++; if (!(f[i] in seen)) exit bad = 1 } }
		END { exit bad || !places }' "$TMP/r"
	[ "$(grep -c '^{"module":"\(sh\|dash\|bash\):' "$TMP/r")" -ge 2 ]
}

@test "the place of a caller is in its call, and every place is in its function" {
	needs_root
	build
	record
	tr ';' '\n' < "$TMP/places" | sed -n 's/^\(.*\)+0x\([0-9a-f]*\)@inlined:.*/\1 \2/p' | sort -u > "$TMP/frames"
	nm -S "$TMP/b/inlined" | awk 'NF == 4 { print $1, $2, $4 }' > "$TMP/symbols"
	objdump -d --no-show-raw-insn "$TMP/b/inlined" | awk '
		/^ *[0-9a-f]+:/ { sub(":", "", $1); if (called) print $1; called = $2 ~ /^call/ || $2 ~ /^bl/ }' > "$TMP/returns"
	sed -n 's/.*;main+0x\([0-9a-f]*\)@inlined:[0-9a-f]*;[a-z_]*+.*/\1/p' "$TMP/places" | sort -u > "$TMP/callers"
	[ -s "$TMP/callers" ]
	while read -r addr; do
		grep -qx "$(printf '%x' $((16#$addr + 1)))" "$TMP/returns"
	done < "$TMP/callers"
	while read -r name addr; do
		while read -r start size symbol; do
			[ "$symbol" != "$name" ] || ((16#$addr >= 16#$start && 16#$addr < 16#$start + 16#$size))
		done < "$TMP/symbols"
	done < "$TMP/frames"
}

@test "kernel frames have places from _stext on, in samples and in aggregates" {
	needs_root
	[[ "$(grep -m 1 ' T _stext$' /proc/kallsyms)" != 0000000000000000* ]] || skip "the kernel hides its addresses"
	mp-record -q -e sched:sched_switch -g kernel --fields +addr -n 20 > "$TMP/r" || [ $? = 1 ]
	id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' | grep -oE '0400000014000000030000005?474e5500[0-9a-f]{40}' | tail -c 41)
	grep -qF "{\"module\":\"[kernel]:${id:0:8}\",\"build_id\":\"$id\"}" "$TMP/r"
	place=$(grep -oE -m 1 ';schedule\+0x[0-9a-f]+@\[kernel\]:[0-9a-f]{8}_\[k\]|;__schedule\+0x[0-9a-f]+@\[kernel\]:[0-9a-f]{8}_\[k\]' "$TMP/r" | head -n 1)
	name=${place%%+*} name=${name#;} offset=${place#*+} offset=${offset%%@*}
	perl -e '
		no warnings;
		my ($name, $offset) = @ARGV;
		open my $symbols, "<", "/proc/kallsyms";
		my @s = sort { $a->[0] <=> $b->[0] } map { my @f = split; [hex $f[0], $f[2]] } <$symbols>;
		my ($base) = map { $_->[0] } grep { $_->[1] eq "_stext" } @s;
		my ($last) = grep { $_->[0] <= $base + hex $offset } reverse @s;
		exit !grep { $_->[0] == $last->[0] && $_->[1] eq $name } @s;' "$name" "$offset"
	start_load "$LOAD/getppid" 0
	mp-record -q -e cpu-clock -F 199 --sum -g kernel --fields +addr -d 1 > "$TMP/sum" || [ $? = 1 ]
	head -n 1 "$TMP/sum" | grep -q '^{"mp":1,"datatype":"stack"'
	grep -q '^{"module":"\[kernel\]:' "$TMP/sum"
	grep -q '@\[kernel\]:' "$TMP/sum"
	[ "$(mp-fold "$TMP/sum" | grep -c '@\[kernel\]')" = 0 ]
}

# Prints a frame for each byte of code of a file in $TMP/b with that build id: stubs and start code, too.
all_addresses() {	# ID FILE
	readelf -SW "$TMP/b/$2" | sed 's/^ *\[ *[0-9]*\]//' | ID=${1:0:8} FILE=$2 perl -ane '
		next unless / AX /;
		my ($start, $size) = map { hex } @F[2, 4];
		printf "[%s]+0x%x+0x%x\@%s:%s\n", $ENV{FILE}, $start, $_, $ENV{FILE}, $ENV{ID} for $start .. $start + $size - 1'
}

# Adds samples to the recording $TMP/r: one at each byte of code, since the clock finds any of them.
add_all_addresses() {
	local sample
	sample=$(grep -m 1 '^[0-9].*@inlined:' "$TMP/r")
	all_addresses "$1" inlined | SAMPLE=${sample%%stack=*} awk '{ print ENVIRON["SAMPLE"] "stack=" $0 }' > "$TMP/samples"
	[ "$(wc -l < "$TMP/samples")" -gt 500 ]
	sed -i -e "$(($(wc -l < "$TMP/r") - 1))r $TMP/samples" "$TMP/r"
}

@test "debug files are found by build id and by debug link, and name what was stripped" {
	needs_root
	build
	g++ -O2 -g -o "$TMP/twin" "$SOURCES/names.cc"
	id=$(readelf -n "$TMP/b/inlined" | awk '/Build ID/ { print $3 }')
	objcopy --only-keep-debug "$TMP/b/inlined" "$TMP/inlined.debug"
	cp "$TMP/b/inlined" "$TMP/complete"
	strip "$TMP/b/inlined"
	(cd "$TMP" && objcopy --add-gnu-debuglink=inlined.debug b/inlined)
	mp-record -q --realtime -e cpu-clock:u -F 499 --fields +addr -o "$TMP/r" -- "$TMP/b/inlined"
	add_all_addresses "$id"
	grep -q '\[inlined\]+0x[0-9a-f]*+0x[0-9a-f]*@inlined:' "$TMP/r"
	run --separate-stderr srcline "$TMP/r"
	[ "$status" = 0 ]
	[[ "$stderr" == *"no lines for"*"inlined:${id:0:8}"*"no debug information found"* ]]
	# named by the user: the frames get the names that the debug information has
	srcline --file "$TMP/inlined.debug" "$TMP/r" 2> /dev/null | mp-fold > "$TMP/want"
	grep -q ';outer (inlined.c:[0-9]*);middle (inlined.c:[0-9]*);innermost (inlined.c' "$TMP/want"
	cmp "$TMP/want" <(srcline --file "$TMP/complete" "$TMP/r" 2> /dev/null | mp-fold)
	# by debug link: beside the program, in .debug, in a folder for debug files
	for folder in "$TMP/b" "$TMP/b/.debug" "$TMP/d$TMP/b"; do
		mkdir -p "$folder"
		cp "$TMP/inlined.debug" "$folder"
		cmp "$TMP/want" <(mp-srcline --debug-dir "$TMP/d" "$TMP/r" 2> /dev/null | mp-fold)
		# a debug link to the file of another build is not followed
		cp "$TMP/twin" "$folder/inlined.debug"
		! mp-srcline --debug-dir "$TMP/d" "$TMP/r" 2> /dev/null | grep -q 'inlined.c:' || false
		rm "$folder/inlined.debug"
	done
	# by build id, also in folded text, where only its beginning is known
	mkdir -p "$TMP/d/.build-id/${id:0:2}"
	cp "$TMP/inlined.debug" "$TMP/d/.build-id/${id:0:2}/${id:2}.debug"
	cmp "$TMP/want" <(mp-srcline --debug-dir "$TMP/d" "$TMP/r" 2> /dev/null | mp-fold)
	cmp "$TMP/want" <(mp-fold --lines "$TMP/r" | mp-srcline -f "$TMP/b/libwork.so" --debug-dir "$TMP/d" 2> /dev/null | mp-fold)
	# the system that was recorded, copied into a folder
	mkdir -p "$TMP/root$TMP/b" "$TMP/root/usr/lib/debug/.build-id"
	cp -r "$TMP/d/.build-id/${id:0:2}" "$TMP/root/usr/lib/debug/.build-id"
	cp "$TMP/b/inlined" "$TMP/b/libwork.so" "$TMP/root$TMP/b"
	rm -r "$TMP/b" "$TMP/d"
	cmp "$TMP/want" <(mp-srcline --root "$TMP/root" "$TMP/r" 2> /dev/null | mp-fold)
}

# Prints a frame without a symbol for each byte of three functions, as that of a function.
each_byte() {
	local id
	id=$(readelf -n "$1" | awk '/Build ID/ { print substr($3, 1, 8) }')
	nm -S "$1" | ID=$id perl -ne '
		next unless /^(\w+) (\w+) . (outer|main|plain_work)$/;
		my ($start, $size) = (hex $1, hex $2);
		printf "[x]+0x%x+0x%x\@x:%s 1\n", $start, $_, $ENV{ID} for $start .. $start + $size - 1'
}

@test "every address of a program has the lines of addr2line, and those that debug files share (dwz)" {
	build
	cp "$TMP/b/inlined" "$TMP/x"
	gcc -I. -O2 -g -Wl,-z,now,--build-id=uuid -o "$TMP/other" "$SOURCES/inlined.c" "$SOURCES/plain.c" -L"$TMP/b" -lwork
	each_byte "$TMP/x" > "$TMP/in"
	srcline --file "$TMP/x" "$TMP/in" | mp-fold > "$TMP/got"
	tests/srcline/by-addr2line "$TMP/x" < "$TMP/in" > "$TMP/want"
	diff "$TMP/want" "$TMP/got"
	[ "$(grep -c innermost "$TMP/got")" -gt 2 ]
	mkdir -p "$TMP/d/.dwz"
	(cd "$TMP" && dwz -m d/.dwz/shared.debug -M /usr/lib/debug/.dwz/shared.debug x other)
	readelf -SW "$TMP/x" | grep -q gnu_debugaltlink
	cmp "$TMP/got" <(mp-srcline --debug-dir "$TMP/d" --file "$TMP/x" "$TMP/in" | mp-fold)
	# without it, or with that of another build, there are lines and no names
	cp "$TMP/other" "$TMP/d/.dwz/shared.debug"
	run --separate-stderr mp-srcline --debug-dir "$TMP/d" --file "$TMP/x" "$TMP/in"
	[ "$status" = 0 ]
	[[ "$stderr" == *"lines without names for x:"*"(the debug file that it shares with others was not found)" ]]
	grep -q '(inlined.c:[0-9]*)' <<< "$output"
	! grep -q innermost <<< "$output" || false
}

@test "every address of a program and its library has the lines of addr2line, also stubs and start code" {
	build
	for file in inlined libwork.so; do
		id=$(readelf -n "$TMP/b/$file" | awk '/Build ID/ { print $3 }')
		all_addresses "$id" "$file" | sed 's/$/ 1/' > "$TMP/in"
		[ "$(wc -l < "$TMP/in")" -gt 200 ]
		srcline --file "$TMP/b/$file" "$TMP/in" | mp-fold --lines > "$TMP/got"
		tests/srcline/by-addr2line "$TMP/b/$file" < "$TMP/in" > "$TMP/want"
		diff "$TMP/want" "$TMP/got"
	done
}

@test "a file of another build is refused" {
	needs_root
	build
	record
	cp "$TMP/b/inlined" "$TMP/same"
	build -O1
	run --separate-stderr srcline "$TMP/r"
	[ "$status" = 1 ]
	[[ "$stderr" == *"mp-srcline: inlined:"*"'$TMP/b/inlined' is another build, "*"its frames keep their places"* ]]
	[ "$(grep -c 'is another build' <<< "$stderr")" = 1 ]
	cmp <(grep -o '[^;]*@inlined:[0-9a-f]*' "$TMP/r") <(grep -o '[^;]*@inlined:[0-9a-f]*' <<< "$output")
	! grep -q 'inlined\.c:' <<< "$output" || false
	grep -q 'library\.c:' <<< "$output"
	# it does not matter if the right one is found
	run --separate-stderr srcline --file "$TMP/same" "$TMP/r"
	[ "$status" = 0 ]
	grep -q 'inlined\.c:' <<< "$output"
	# one that the user names
	run --separate-stderr srcline --root "$TMP/none" --file "$TMP/b/inlined" "$TMP/r"
	[ "$status" = 1 ]
	[[ "$stderr" == *"'$TMP/b/inlined' is not a file of the input: its build id is "* ]]
}

# Writes a frame at the function `main` of a file, and the function's address.
main_of() {
	local id addr
	id=$(readelf -n "$1" | awk '/Build ID/ { print substr($3, 1, 8) }')
	addr=$(nm "$1" | awk -v name="$2" '$3 == name { sub("^0*", "", $1); print $1 }')
	echo "$2+0x$addr@${3-$(basename "$1")}:${id:--} 1"
}

@test "names of C++ are as mp-record writes them" {
	g++ -O2 -g -o "$TMP/names" "$SOURCES/names.cc"
	main_of "$TMP/names" _ZN5outer6worker4workEm > "$TMP/in"
	addr=$(sed 's/.*+0x\([0-9a-f]*\)@.*/\1/' "$TMP/in")
	size=$(nm -S "$TMP/names" | awk '$4 == "_ZN5outer6worker4workEm" { print $2 }')
	# the whole function, byte by byte, without a symbol
	ID=$(sed 's/.*@\(.*\) 1/\1/' "$TMP/in") perl -e '
		my ($start, $size) = map { hex } @ARGV;
		printf "[names]+0x%x+0x%x\@%s 1\n", $start, $_, $ENV{ID} for $start .. $start + $size - 1' "$addr" "$size" > "$TMP/all"
	srcline --file "$TMP/names" "$TMP/all" | mp-fold --annotate > "$TMP/out"
	grep -q '^outer::worker::work (names.cc:[0-9]*);outer::inner (names.cc:9)_\[i\] [0-9]*$' "$TMP/out"
}

@test "the kernel's file is found by its build id, and addresses count from its _stext" {
	gcc -O2 -g -no-pie -Wl,--build-id=0x7bdad2f33eb864144f7545c504378f3db829fd87 -Wl,--defsym=_stext=0x400000 \
		-I. -o "$TMP/vmlinux" "$SOURCES/plain.c" -x c - <<< 'volatile unsigned long sum; int main(void) { return 0; }'
	addr=$(nm "$TMP/vmlinux" | awk '$3 == "plain_work" { print $1 }')
	printf 'plain_work+0x%x@[kernel]:7bdad2f3_[k] 1\n' $((16#$addr - 0x400000)) > "$TMP/in"
	[ "$(srcline --file "$TMP/vmlinux" "$TMP/in")" = "plain_work ($(addr2line -s -e "$TMP/vmlinux" "$addr"))_[k] 1" ]
	# without _stext the place in the file is unknown
	objcopy --strip-symbol=_stext "$TMP/vmlinux"
	[ "$(srcline --file "$TMP/vmlinux" "$TMP/in")" = "$(cat "$TMP/in")" ]
}

@test "a file without build id is used only if the user names it" {
	g++ -O2 -g -Wl,--build-id=none -o "$TMP/names" "$SOURCES/names.cc"
	main_of "$TMP/names" main > "$TMP/in"
	{
		echo "{\"module\":\"names:-\",\"path\":\"$TMP/names\"}"
		cat "$TMP/in"
	} > "$TMP/stream"
	run --separate-stderr srcline "$TMP/stream"
	[ "$status" = 0 ]
	[ "${lines[1]}" = "$(cat "$TMP/in")" ]
	[[ "$stderr" == *"no lines for names:- (no file of this build found)" ]]
	run --separate-stderr srcline --file "$TMP/names" "$TMP/stream"
	[ "$status" = 0 ]
	[[ "${lines[1]}" == "main (names.cc:"* ]]
}

@test "a stream cannot make mp-srcline open what is not a file of it" {
	mkfifo "$TMP/fifo"
	: > "$TMP/empty"
	head -c 100 /dev/urandom > "$TMP/random"
	g++ -O2 -g -o "$TMP/names" "$SOURCES/names.cc"
	mkdir "$TMP/folder"
	ln -s names "$TMP/link"
	id=$(readelf -n "$TMP/names" | awk '/Build ID/ { print $3 }')
	for path in "$TMP/fifo" "$TMP/empty" "$TMP/random" "$TMP/folder" /dev/zero /dev/full /proc/self/exe "$TMP/folder/../names" \
		names ./names '' '/\u001b[31m'; do
		{
			echo "{\"module\":\"names:${id:0:8}\",\"build_id\":\"$id\",\"path\":\"$path\"}"
			main_of "$TMP/names" main
		} > "$TMP/in"
		strace -f -o "$TMP/strace" -e trace=open,openat,openat2 timeout 200 mp-srcline --debug-dir "$TMP/none" "$TMP/in" \
			> "$TMP/out" 2> "$TMP/why" || [ $? = 1 ]
		cmp "$TMP/in" "$TMP/out"
		! grep -q $'\e' "$TMP/why" || false
		! grep -E '(fifo|empty|folder|/dev/zero|/dev/full|names)"' "$TMP/strace" || false
	done
	sed -i "s,\"path\":\".*\",\"path\":\"$TMP/link\"," "$TMP/in"
	[[ "$(srcline "$TMP/in")" == *"main (names.cc:"* ]]
	# two builds of one name: it is not known which
	{
		sed '1s/\(build_id":"........\)./\1x/; 1q' "$TMP/in"
		cat "$TMP/in"
	} > "$TMP/two"
	run --separate-stderr srcline "$TMP/two"
	[ "$status" = 0 ]
	[[ "$stderr" == *"several builds have this name"* ]]
}

@test "damaged debug information ends nothing" {
	g++ -O2 -g -o "$TMP/names" "$SOURCES/names.cc"
	main_of "$TMP/names" main > "$TMP/in"
	good=$(srcline --file "$TMP/names" "$TMP/in")
	[[ "$good" == "main (names.cc:"* ]]
	cat > "$TMP/damage" <<-'X'
		import random, sys
		data = bytearray(open(sys.argv[1], 'rb').read())
		r = random.Random(int(sys.argv[3]))
		keep = data.find(b'GNU\0') + 64
		for _ in range(r.choice((1, 10, 300))):
		    data[r.randrange(keep, len(data))] = r.randrange(256)
		open(sys.argv[2], 'wb').write(data[:r.choice((len(data), len(data), r.randrange(keep, len(data))))])
	X
	for seed in $(seq 60); do
		python3 "$TMP/damage" "$TMP/names" "$TMP/damaged" "$seed"
		run --separate-stderr timeout 100 mp-srcline --debug-dir "$TMP/none" --file "$TMP/damaged" "$TMP/in"
		[ "$status" -le 1 ] || { echo "seed $seed: $status $stderr"; false; }
		[ "$(wc -l <<< "$output")" = 1 ]
	done
}

@test "what has no place stays as it is; nothing is added to a stream" {
	for file in formats/good/*.mp; do
		cmp <(grep -av '"end"' "$file") <(mp-srcline "$file" 2> /dev/null | grep -av '"end"')
	done
	run --separate-stderr mp-srcline <<< 'main;f 1'
	[ "$status" = 0 ] && [ "$output" = "main;f 1" ]
	[[ "$stderr" == "mp-srcline: no frame has a place (mp-record --fields +addr records them, mp-fold and mp-select keep them with --lines)" ]]
}
