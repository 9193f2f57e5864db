#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# mp-fleet: eight hosts, which are network namespaces, each with an sshd and a name of its own.
# Runs beside a recording.
# Takes more than a minute.

bats_require_minimum_version 1.5.0
load lib

# The processes of host N.
processes_of() {	# N
	local net=${NET[$1]//[/\\[}
	find /proc/[0-9]*/ns/net -maxdepth 0 -lname "${net//]/\\]}" 2> /dev/null | cut -d / -f 3
}

eval "common_$(declare -f teardown)"
teardown() {
	local n
	for n in "${!NET[@]}"; do
		# shellcheck disable=SC2046
		kill -KILL $(processes_of "$n") 2> /dev/null || true
	done
	common_teardown
}

# Makes N hosts web1, web2 ..., 10.9.0.1 and so on, in a network of their own. /run/load of each host is what is recorded there: its own
# number of system calls, CALLS and the number of the host.
CALLS=1000
make_fleet() {	# N
	local n hub net tool
	needs_root
	for tool in /usr/sbin/sshd ssh faketime parallel clush; do
		command -v $tool > /dev/null || skip "no $tool"
	done
	unshare --net true 2> /dev/null || skip "no network namespaces here"
	mp-record -q -g none -e syscalls:sys_enter_getppid -o /dev/null -- true 2> "$TMP/why" || skip "$(head -n 1 "$TMP/why")"
	chmod 755 "$TMP"
	start_load unshare --net sh -c 'ip link add fleet type bridge && ip address add 10.9.0.99/24 dev fleet &&
		ip link set fleet up && exec sleep 600'
	hub=$LOAD_PID
	HUB=(nsenter "--net=/proc/$hub/ns/net")
	until "${HUB[@]}" ip link show fleet up 2> /dev/null | grep -q fleet; do await; done
	ssh-keygen -q -t ed25519 -N '' -f "$TMP/key"
	cat > "$TMP/ssh_config" <<- END
		Host alias
			HostName 10.9.0.1
		Host *
			User root
			IdentityFile $TMP/key
			IdentitiesOnly yes
			StrictHostKeyChecking no
			UserKnownHostsFile /dev/null
			LogLevel ERROR
			KexAlgorithms curve25519-sha256
			ServerAliveCountMax 4
	END
	for ((n = 1; n <= $1; n++)); do
		cat > "$TMP/sshd.$n" <<- END
			ListenAddress 10.9.0.$n
			HostKey $TMP/key
			AuthorizedKeysFile $TMP/key.pub
			PasswordAuthentication no
			StrictModes no
			UsePAM no
			PidFile none
			SetEnv PATH=$TMP/bin.$n:$PATH
		END
		mkdir "$TMP/bin.$n"
		echo "exec '$LOAD/getppid' $((CALLS + n))" > "$TMP/load.$n"
		start_load unshare --net --uts --mount sh -c 'hostname "web$1" && mount -t tmpfs none /run && mkdir /run/sshd && ln -s "$2/load.$1" /run/load
			until ip link set eth0 up 2> /dev/null; do sleep 0.05; done
			ip address add "10.9.0.$1/24" dev eth0 && exec /usr/sbin/sshd -D -e -f "$2/sshd.$1"' sh "$n" "$TMP"
		until net=$(readlink "/proc/$LOAD_PID/ns/net") && [ "$net" != "$(readlink /proc/self/ns/net)" ]; do await; done
		NET[n]=$net
		ip link add "v$n" netns "$hub" type veth peer name eth0 netns "$LOAD_PID"
		"${HUB[@]}" ip link set "v$n" master fleet up
		printf '10.9.0.%d:22\t# web%d\n' "$n" "$n"
	done > "$TMP/hosts"
	for ((n = 1; n <= $1; n++)); do
		until "${HUB[@]}" bash -c ": > /dev/tcp/10.9.0.$n/22" 2> /dev/null; do await; done
	done
}

fleet() {
	# a busy machine may need more than the 10 s of mp-fleet for the keys of eight hosts
	"${HUB[@]}" mp-fleet --ssh "ssh -F $TMP/ssh_config -o ConnectTimeout=50" "$@"
}

# (a shell calls getppid, too)
RECORD=(mp-record -q -g none -e 'syscalls:sys_enter_getppid/comm=="getppid"/' -- sh /run/load)

# Host N vanishes: its network first, so that nobody hears of it.
kill_host() {
	"${HUB[@]}" ip link set "v$1" down
	# shellcheck disable=SC2046
	kill -KILL $(processes_of "$1")
}

# The line of host N in the table.
line_of() {
	grep "^10\.9\.0\.$1:22 " "$TMP/err" | tr -s ' '
}

# Whether the clock of a line is 5 s slow, as exactly as the line says.
is_5_s_slow() {
	[[ $1 =~ " "(-[0-9.]+)" s +-"([0-9.]+)" ms"$ ]] && awk -v o="${BASH_REMATCH[1]}" -v e="${BASH_REMATCH[2]}" 'BEGIN { d = o + 5; exit d * d > (e / 1000 + 0.06) ^ 2 }'
}

@test "eight hosts by parallel and by clush: one dies, one has a wrong clock, one lacks the programs; the total is that of the others" {
	make_fleet 8
	printf '#!/bin/sh\nexec faketime -f -5s /bin/date "$@"\n' > "$TMP/bin.5/date"
	chmod 755 "$TMP/bin.5/date"
	sed -i 's,^SetEnv.*,SetEnv PATH=/usr/bin:/bin,' "$TMP/sshd.6"
	kill -HUP "${LOADS[6]}"		# it reads its configuration again
	until status=0; "${HUB[@]}" ssh -F "$TMP/ssh_config" 10.9.0.6 'command -v mp-fold' > "$TMP/why" 2>&1 || status=$?; [ $status = 1 ] || [ $status = 127 ]; do
		await
	done
	local -A state=([1]=ok [2]=ok [3]=ok [4]=ok [5]='wrong clock' [6]='not installed' [7]=ok [8]=ok)
	for dying in 3 7; do
		engine=clush
		[ $dying = 3 ] || engine=parallel state[3]=unreachable
		state[$dying]=disconnected
		echo "echo > '$TMP/started.$dying'; exec sleep 600" > "$TMP/load.$dying"
		fleet --engine $engine --by host,comm --keep "$TMP/kept.$dying" "$TMP/hosts" -- "${RECORD[@]}" > "$TMP/out" 2> "$TMP/err" &
		until [ -e "$TMP/started.$dying" ]; do await; done
		kill_host $dying
		status=0
		wait $! || status=$?
		cat "$TMP/err"
		[ "$status" = 1 ]
		for n in 1 2 3 4 5 6 7 8; do
			case ${state[$n]} in
			ok) [[ "$(line_of $n)" == *" ok $((CALLS + n)) 0 "*" +-"*" ms" ]] ;;
			'wrong clock') [[ "$(line_of $n)" == *" wrong clock $((CALLS + n)) 0 "*" s +-"*" ms" ]] && is_5_s_slow "$(line_of $n)" ;;
			unreachable) [[ "$(line_of $n)" == *" unreachable - - - -" ]] ;;
			*) [[ "$(line_of $n)" == *" ${state[$n]} - - - "*" +-"*" ms" ]] && continue ;;
			esac
			[ "${state[$n]}" = unreachable ] || echo "web$n;getppid $((CALLS + n))"
		done > "$TMP/expected"
		diff "$TMP/expected" "$TMP/out"
		mp-fold "$TMP/kept.$dying"/*.folded | cmp - "$TMP/out"
		grep -q '^mp-fleet: 10.9.0.6:22: .*mp-record is not in PATH$' "$TMP/err"
	done
}

# Writes "NAME STATE" of each line of the table to stdout.
states() {
	awk -F '   *' '/^10/ { print $1, $2 }' "$TMP/err"
}

@test "arguments arrive as they are given; states of hosts; outliers; options" {
	make_fleet 3
	# what a shell, an engine or ssh might change
	words=(' ' "it's" '"' $'two\nlines' '$HOME' '`id`' '\n' '*' '{}' '%h' '!!' '' $'\xff' '~' '#' ';' '-x')
	printf '%s\n' "${words[@]}" > "$TMP/wanted"
	echo alias > "$TMP/one"
	for engine in parallel clush; do
		fleet --engine $engine --ssh "ssh -F $TMP/ssh_config -4 -o ConnectTimeout=50" --aggregate cat --keep "$TMP/kept dir" "$TMP/one" -- \
			printf '%s\n' "${words[@]}" > "$TMP/out" 2> "$TMP/err"
		cmp "$TMP/wanted" "$TMP/out"
		cmp "$TMP/wanted" "$TMP/kept dir/alias.dump"
	done

	# a status, a loss, a time limit; a port without a server; a host whose messages are hostile
	cat > "$TMP/stream" <<- 'END'
		case $(uname -n) in
		web1) echo '1#f'; printf 'one\033[2J\ntwo\n' >&2; exit 3 ;;
		web2) printf '1#f\n{"end":"stack","records":7,"lost":5}\n' ;;
		web3) exec sleep 600 ;;
		esac
	END
	echo '10.9.0.1:9' >> "$TMP/hosts"
	status=0
	fleet --timeout 20s -j 2 "$TMP/hosts" -- sh "$TMP/stream" > "$TMP/out" 2> "$TMP/err" || status=$?
	cat "$TMP/err"
	[ "$status" = 1 ] && [ "$(cat "$TMP/out")" = 'f 1' ]
	[ "$(states)" = $'10.9.0.1:22 failed (3)\n10.9.0.2:22 lost events\n10.9.0.3:22 timeout\n10.9.0.1:9 unreachable' ]
	[[ "$(line_of 2)" == *" lost events 7 5 "* ]]
	grep -qxF 'mp-fleet: 10.9.0.1:22: one?[2J' "$TMP/err" && grep -qxF 'mp-fleet: 10.9.0.1:22: two' "$TMP/err"
	grep -q '10\.9\.0\.1:9: .*refused' "$TMP/err"
	sed -i '$d' "$TMP/hosts"

	# an aggregate that is not folded text
	fleet --aggregate 'mp-hist --dump --count type' "$TMP/hosts" -- \
		sh -c 'printf "1,a:b,\n2,a:b,\n{\"end\":\"event\",\"records\":2,\"lost\":0}\n"' 2> "$TMP/err" | mp-hist --count type > "$TMP/out"
	grep -qx ' *6 100\.0 %  a:b' "$TMP/out"

	# outliers: the third host does more of g than the others, which differ from all that include it, but not from each other
	cat > "$TMP/stacks" <<- 'END'
		case $(uname -n) in
		web1) printf 'main;f 9000\nmain;g 1000\n' ;;
		web2) printf 'main;f 8990\nmain;g 1010\n' ;;
		web3) printf 'main;f 5000\nmain;g 5000\n' ;;
		esac
	END
	fleet --outliers "$TMP/hosts" -- sh "$TMP/stacks" > "$TMP/out" 2> "$TMP/err"
	[ "$(cat "$TMP/out")" = $'main;f 22990\nmain;g 7010' ]
	cat "$TMP/err"
	[[ "$(grep -A 1 ' others ' "$TMP/err" | tail -n 1)" =~ ^" "*10.05\ %" "*50.00\ %" "*\+39.95\ %" "*10.9.0.3:22" "*[fg]$ ]]
	[ "$(grep -c '10\.9\.0\..*  [fg]$' "$TMP/err")" = 1 ]
	# a program that lies elsewhere
	echo 'echo "1#here"' > "$TMP/bin.1/only here" && chmod 755 "$TMP/bin.1/only here"
	[ "$(fleet --path "$TMP/bin.1" "$TMP/one" -- 'only here' 2> /dev/null)" = 'here 1' ]
}

@test "an interrupt ends what runs on the hosts, and leaves no files" {
	make_fleet 2
	mkdir "$TMP/tmp"
	for n in 1 2; do echo "echo > '$TMP/started.$n'; exec sleep 600" > "$TMP/load.$n"; done
	for engine in parallel clush; do
		TMPDIR=$TMP/tmp "${HUB[@]}" mp-fleet --engine $engine --ssh "ssh -F $TMP/ssh_config -o ConnectTimeout=50" "$TMP/hosts" -- "${RECORD[@]}" > "$TMP/out" 2>&1 &
		fleet=$!
		until [ -e "$TMP/started.1" ] && [ -e "$TMP/started.2" ]; do await; done
		kill -TERM "$fleet"
		status=0
		wait "$fleet" || status=$?
		[ "$status" = 143 ] && [ ! -s "$TMP/out" ]
		[ -z "$(ls "$TMP/tmp")" ]
		for n in 1 2; do
			# sshd remains
			until [ "$(processes_of $n | wc -l)" = 1 ]; do await; done
		done
		rm "$TMP"/started.*
	done
}

# A command that is given to mp-fleet in place of ssh: the host is this machine, and $HOST its name.
make_local_ssh() {
	cat > "$TMP/ssh" <<- 'END'
		#!/bin/bash
		export HOST=${@: -2:1}
		# as sshd, whatever clush ignores
		exec env --default-signal=PIPE setsid --wait bash -c "${!#}"
	END
	chmod 755 "$TMP/ssh"
	command -v parallel > /dev/null || skip "no parallel"
}

local_fleet() {
	timeout 300 mp-fleet --engine parallel --ssh "$TMP/ssh" "$@" 2> "$TMP/err"
}

@test "a host whose account is false: nothing of it is evaluated, and a command cannot write it" {
	make_local_ssh
	# what the command writes looks like an account, and its last message has no newline
	run -1 local_fleet - -- sh -c 'echo "1#f"; exit_as=1
		printf "mp-fleet:end \\033[2J9\nmp-fleet:{\"end\":\"x\",\"records\":7,\"lost\":7}\nlast" >&2; exit $exit_as' <<< web
	[ "$output" = 'f 1' ]
	[[ "$(tail -n +2 "$TMP/err" | head -n 1 | tr -s ' ')" =~ ^"web incomplete - - "[0-9]+" "[+-] ]]
	[ "$(tail -n +3 "$TMP/err")" = 'mp-fleet: web: mp-fleet:end ?[2J9
mp-fleet: web: mp-fleet:{"end":"x","records":7,"lost":7}
mp-fleet: web: last' ]
	# the host itself
	cat > "$TMP/ssh" <<- 'END'
		#!/bin/bash
		[[ ${!#} == *base64* ]] || exec bash -c "${!#}"
		mark=$(grep -o 'echo [A-Za-z0-9+/=]*' <<< "${!#}" | cut -d ' ' -f 2 | base64 -d | grep -o 'mp-fleet-[0-9a-f]*' | head -n 1)
		printf '%s\n' "$mark:command a[\$(touch $0.evaluated)]" "$mark:aggregate 0" "$mark:{\"end\",\"records\":1,\"lost\":5}" \
			"$mark:end $(printf '\033[2J')" >&2
	END
	run -2 local_fleet - -- true <<< web
	[ ! -e "$TMP/ssh.evaluated" ]
	[[ "$(tail -n +2 "$TMP/err" | tr -s ' ')" =~ ^"web disconnected 1 5 - "[+-][^$'\n']*$'\n'"mp-fleet: no aggregate arrived"$ ]]
}

@test "a host that sends without end, output, messages or its time" {
	make_local_ssh
	for engine in parallel clush; do
		command -v $engine > /dev/null || continue
		run -1 local_fleet --engine $engine --max-size 1M -a cat --keep "$TMP/kept.$engine" - -- \
			sh -c 'case $HOST in web1) echo f 1 ;; web2) exec yes f 1 ;; web3) exec yes >&2 ;; esac' <<< $'web1\nweb2\nweb3'
		[ "$output" = 'f 1' ]
		[ "$(awk '/^web/ { print $1, $2, $3 }' "$TMP/err")" = $'web1 ok -\nweb2 too large\nweb3 too large' ]
		[ "$(grep -c '^mp-fleet: web3: y$' "$TMP/err")" = 20 ]
		[ "$(find "$TMP/kept.$engine" -name '*.dump')" = "$TMP/kept.$engine/web1.dump" ]
	done
	sed -i '2i[[ ${!#} == *base64* ]] || { yes >\&2 & exec tr "\\\\0" 1 < /dev/zero; }' "$TMP/ssh"
	run -0 local_fleet - -- echo f 1 <<< web1
	[ "$output" = 'f 1' ]
	[[ "$(grep ^web1 "$TMP/err" | tr -s ' ')" =~ ^"web1 ok - - "[0-9]+" -"$ ]]
}

@test "files of an earlier run, empty aggregates, one host without others, options of mp-fold, an engine that fails, a relative TMPDIR" {
	make_local_ssh
	mkdir "$TMP/kept" "$TMP/bin" "$TMP/tmp"
	touch "$TMP/kept"/{web1,web2,other}.folded
	run -1 local_fleet --keep "$TMP/kept" - -- sh -c '[ $HOST = web1 ] && echo f 1' <<< $'web1\nweb2'
	[ "$output" = 'f 1' ] && [ "$(ls "$TMP/kept")" = $'other.folded\nweb1.err\nweb1.folded\nweb2.err\nweb2.folded' ]
	[ ! -s "$TMP/kept/web2.folded" ]
	run -1 local_fleet --keep "$TMP/kept" - -- sh -c '[ $HOST = web1 ] && echo f 1 || exit 3' <<< $'web1\nweb2'
	[ "$(ls "$TMP/kept")" = $'other.folded\nweb1.err\nweb1.folded\nweb2.err' ]

	run -0 local_fleet -a cat - -- true <<< web1
	[ "$output" = '' ] && [ "$(wc -l < "$TMP/err")" = 2 ]
	cd "$TMP"
	TMPDIR=tmp run -0 local_fleet --outliers - -- echo f 1 <<< web1
	[ "$output" = 'f 1' ] && [ "$(wc -l < "$TMP/err")" = 2 ] && [ -z "$(ls tmp)" ]

	# options of mp-fold that must not be applied twice
	run -0 local_fleet -a 'mp-fold --reverse' - -- echo 'a;b 1' <<< $'web1\nweb2'
	[ "$output" = 'b;a 2' ]
	run -0 local_fleet -a 'mp-fold --interval 1s' - -- printf '%s\n' '{"mp":1,"datatype":"event","clock_ns":0}' \
		'500000000,a:b,comm=x	stack=f' '2500000000,a:b,comm=x	stack=g' '{"end":"event","time":3000000000,"records":2,"lost":0}' <<< $'web1\nweb2'
	[ "$output" = $'0.000000000s;x;f 2\n2.000000000s;x;g 2' ]

	printf '#!/bin/sh\necho broken\n' > "$TMP/bin/parallel"
	chmod 755 "$TMP/bin/parallel"
	PATH=$TMP/bin:$PATH run -2 local_fleet - -- echo f 1 <<< web1
	[[ "$(tail -n +2 "$TMP/err" | tr -s ' ')" == 'web1 disconnected - - - '*$'\nmp-fleet: parallel: broken\nmp-fleet: no aggregate arrived' ]]
}

@test "an interrupt during the merge concerns nothing in the folder of --keep; a closed pipe leaves no files" {
	make_local_ssh
	mkdir "$TMP/kept" "$TMP/tmp"
	start_load sleep 600
	echo "$LOAD_PID" > "$TMP/kept/service.pid"
	TMPDIR=$TMP/tmp mp-fleet --engine parallel --ssh "$TMP/ssh" --keep "$TMP/kept" --merge "echo > '$TMP/started'; until [ -e '$TMP/killed' ]; do sleep 0.02; done; cat" - -- \
		echo f 1 <<< web1 2> /dev/null &
	until [ -e "$TMP/started" ]; do await; done
	kill -TERM $!
	touch "$TMP/killed"
	status=0
	wait $! || status=$?
	[ "$status" = 143 ]
	kill -0 "$LOAD_PID"
	[ "$(ls "$TMP/kept")" = $'service.pid\nweb1.err\nweb1.folded' ]
	[ -z "$(ls "$TMP/tmp")" ]
	# the reader closes the pipe before mp-fleet begins
	exec 5> >(:)
	wait $!
	status=0
	TMPDIR=$TMP/tmp mp-fleet --engine parallel --ssh "$TMP/ssh" - -- echo f 1 <<< web1 2>&5 > /dev/null || status=$?
	exec 5>&-
	[ "$status" = 141 ] && [ -z "$(ls "$TMP/tmp")" ]
}

@test "misuse, and files of hosts that are not" {
	printf '# hosts\n\nweb1\nroot@web-2.example.org:2222 # comment\r\n' > "$TMP/hosts"
	while read -r words; do
		eval "run mp-fleet $words"
		[ "$status" = 2 ] && [[ "${lines[0]}" == "mp-fleet: "* && "$output" != *": line "* ]] || { echo "$words: $output"; false; }
	done <<- 'END'
		-- mp-record
		"$TMP/hosts"
		"$TMP/hosts" --
		"$TMP/hosts" more -- mp-record
		"$TMP/nothing" -- mp-record
		"$TMP" -- mp-record
		/dev/null -- mp-record
		--engine pdsh "$TMP/hosts" -- mp-record
		--jobs 0 "$TMP/hosts" -- mp-record
		--timeout 5 "$TMP/hosts" -- mp-record
		--max-offset 1d "$TMP/hosts" -- mp-record
		--max-size 1 "$TMP/hosts" -- mp-record
		--keep "$TMP/hosts" "$TMP/hosts" -- mp-record
	END
	run mp-fleet "$TMP/hosts" mp-record -d 30
	[ "$status" = 2 ] && [[ "${lines[0]}" == "mp-fleet: no command (it follows --: "* ]] || { echo "$output"; false; }
	for host in '-oProxyCommand=x' 'a b' 'a;b' '$(id)' '@a' 'a@' 'a:b' 'a/b' '..'; do
		run mp-fleet - -- mp-record <<< "$host"
		[ "$status" = 2 ] && [ "${lines[0]}" = "mp-fleet: /dev/stdin:1: this is not [user@]host[:port]" ] || { echo "$host: $output"; false; }
	done
	run mp-fleet - -- mp-record <<< $'a\na'
	[ "$status" = 2 ] && [ "$output" = "mp-fleet: /dev/stdin:2: a is there twice" ]
}
