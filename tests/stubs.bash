# SPDX-License-Identifier: GPL-2.0-only
# For bats files that need samples in stubs of the PLT: load stubs

# Folds the stacks of a program at each instruction of its stub for the function tiny(), by a method. A clock finds a stub on
# some CPUs only, since it has two instructions that take no time.
at_stub() {	# PROGRAM [METHOD]
	local init at events=
	init=$(nm "$1" | awk '$3 == "_init" { print $1 }')
	for at in $(objdump -d "$1" | awk '/^[0-9a-f]+ </ { on = /<tiny@plt>:$/ } on && /^ *[0-9a-f]+:/ { print $1; if (/jmp|br/) exit }'); do
		events+=",uprobe:$1:_init+$((16#${at%:} - 16#$init))"
	done
	mp-record -q -e "${events#,}" -g "${2:-user}" -o "$TMP/s" -- "$1" || [ $? = 1 ]
	fold_recording -e '*'
	[ -s "$TMP/f" ]
}
