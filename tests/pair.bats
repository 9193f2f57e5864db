#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-pair against a second, simple implementation, its properties, and the real kernel.

bats_require_minimum_version 1.5.0
load lib

# random_events SEED LINES [LOSSES]: events of five types with few keys, many of them at the same time.
random_events() {
	python3 - "$@" <<-'X'
		import random, sys
		seed, n = int(sys.argv[1]), int(sys.argv[2])
		losses = int(sys.argv[3]) if len(sys.argv) > 3 else 0
		r = random.Random(seed)
		names = ["nginx", "a b", "x\\x2c", "[k]", "", "w=1", "é"]
		t = 1000
		for i in range(n):
		    t += r.choice([0, 0, 1, 7, 100, 5000])
		    if losses and r.random() < losses / n:
		        keys = {"lost": r.randrange(1, 9)}
		        if r.random() < .8: keys["from"] = max(0, t - r.choice([1, 100, 20000]))
		        if r.random() < .9: keys["time"] = t
		        if r.random() < .8: keys["cpu"] = r.randrange(2)
		        print("{" + ",".join(f'"{k}":{v}' for k, v in keys.items()) + "}")
		        continue
		    type_ = r.choice(["a:in", "a:in2", "b:mid", "c:out", "c:out2", "d:other"])
		    f = [("cpu", r.randrange(2)), ("pid", r.randrange(3)), ("tid", r.randrange(4)), ("comm", r.choice(names))]
		    if r.random() < .1: f = f[r.randrange(4):]
		    own = {"a": [".id", ".v", ".dev"], "b": [".id", ".other", ".v"], "c": [".back", ".id", ".err", ".v"], "d": [".x"]}
		    for k in own[type_[0]]:
		        if r.random() < .97: f.append((k, r.randrange(6)))
		    if r.random() < .2: f.append(("derived", i))
		    if r.random() < .05: f.append(("dur", 3))
		    if r.random() < .5: f.append(("stack", f"main;f{i % 5}"))
		    print(f"{t},{type_}," + "\t".join(f"{k}={v}" for k, v in f))
	X
}

# Options on stdin, a case a line. Files are the arguments.
compare() {
	python3 tests/pair-reference.py "$@"
}

@test "spans and counts are those of a second implementation: keys, policies, conditions" {
	for seed in 1 2; do random_events $seed 900 > "$TMP/$seed"; done
	compare "$TMP/1" "$TMP/2" <<-'X'
		-b a:in -e c:out -p POLICY
		-b 'a:*' -e 'c:*' -k .id -p POLICY
		-b a:in,a:in2 -e c:out -e c:out2 -k .id=.back,tid -p POLICY
		-b 'a:in/.v > 2/' -e 'c:*/.err!=0/' -k .id -p POLICY
		-b 'a:in/.v > 2/,b:mid' -e 'c:out/.err==1/,b:mid/.v==3/' -k .id -p POLICY
		-b b:mid -e b:mid -k .id -p POLICY
		-b '*' -e '*' -k tid -p POLICY
		-b b:mid -e b:mid -k .id=.other -p POLICY
	X
}

@test "chains are those of a second implementation" {
	for seed in 4 5; do random_events $seed 900 > "$TMP/$seed"; done
	compare "$TMP/4" "$TMP/5" <<-'X'
		-s 'a:*' -s b:mid -s 'c:*' -k .id -p POLICY
		-s 'a:*' -s b:mid -s 'c:*' -k .id=.other -k .v=.back -p POLICY
		-s 'a:*' -s b:mid -s 'c:*' -s 'a:in' -k tid -p POLICY
		-s a:in -s a:in2 -s a:in -k tid -p POLICY -n whole
		-s b:mid -s b:mid -s b:mid -k tid -p POLICY
		-s 'a:*' -s 'b:*,c:out' -s 'c:*' -k .id -k tid,.v -p POLICY --over 100ns
	X
}

@test "losses forget what they may have touched, as in a second implementation" {
	for seed in 7 8; do random_events $seed 1500 12 > "$TMP/$seed"; done
	compare "$TMP/7" "$TMP/8" <<-'X'
		-b 'a:*' -e 'c:*' -k .id -p POLICY
		-b 'a:*' -e 'c:*' -k .id,cpu -p POLICY
		-b 'a:*' -e 'c:*' -k cpu=cpu,pid -p POLICY --under 5us
		-b 'a:*' -e 'c:*' -k cpu=tid -p POLICY
		-s 'a:*' -s b:mid -s 'c:*' -k cpu -k tid -p POLICY
		--open -b 'a:*' -e 'c:*' -k .id,cpu -p POLICY
	X
}

@test "fields, stacks, names, durations, --open and --max-open, as in a second implementation" {
	random_events 10 900 > "$TMP/in"
	for what in "-b a:* -e c:* -k .id" "-s a:* -s b:mid -s c:* -k .id"; do
		sed "s/^/$what /" <<-'X'
			--stack end
			--stack none
			-n x
			--over 100ns
			--under 5us
			--over 7ns --under 8ns
			-f .id
			-f comm,end:cpu,.v,end_v=end:.v,at=begin:time,.t=type
			-f end:.err,end:derived,begin:.dev,tid
			-f nothing,end:.x -f pid
			--open
			--open --over 5us -f .id,tid,end:cpu
			--max-open 3
			--max-open 1 -p nest
			--open --max-open 5 -p queue
			--open --stack none
		X
	done | compare "$TMP/in"
}
