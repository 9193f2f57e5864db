# SPDX-License-Identifier: GPL-2.0-only
# bash completion of the mp tools: 'mp complete' knows what may follow, see mp(1).

# Sets `words` to the words up to the cursor. Unlike COMP_WORDS, they are not split at colons and equals signs.
_mp_tools_words() {
	local rest=${COMP_LINE:0:COMP_POINT} i word blank
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		blank=${rest%%[! $'\t']*}
		rest=${rest#"$blank"}
		((i < COMP_CWORD)) || word=$rest
		if ((i > 1)) && [[ -z $blank ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
		rest=${rest#"$word"}
	done
}

# Adds to each candidate what follows the TAB in its line, for the list that a second TAB prints.
_mp_tools_describe() {
	local i about width=0
	for i in "${COMPREPLY[@]}"; do
		((${#i} <= width)) || width=${#i}
	done
	for i in "${!COMPREPLY[@]}"; do
		about=${lines[i]#*$'\t'}
		[[ ${lines[i]} != *$'\t'* ]] || printf -v "COMPREPLY[i]" '%-*s  %.*s' "$width" "${COMPREPLY[i]}" \
			$((${COLUMNS:-80} > width + 4 ? ${COLUMNS:-80} - width - 4 : 0)) "$about"
	done
}

_mp_tools() {
	local words lines mp=mp split
	_mp_tools_words
	[[ $1 != */* ]] || mp=${1%/*}/mp
	case ${1##*/}:${words[-2]} in
	mp-record:-p | mp-record:--pid | mp-record:--exclude-pid)
		mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*) pipeline" -- "${words[-1]}")
		return
		;;
	esac
	mapfile -t lines < <("$mp" complete "${words[@]}" 2> /dev/null)
	COMPREPLY=("${lines[@]%%$'\t'*}")
	# readline replaces only what follows the last colon or equals sign
	split=${words[-1]%"${words[-1]##*[:=]}"}
	if [[ $split == *: && ${COMP_WORDBREAKS-} == *:* || $split == *= && ${COMP_WORDBREAKS-} == *=* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"$split"}")
	fi
	# 63 is a question mark: readline only lists candidates, and inserts nothing
	((COMP_TYPE != 63 || ${#lines[@]} < 2)) || _mp_tools_describe
	((${#COMPREPLY[@]})) || {
		mapfile -t COMPREPLY < <(compgen -f -- "${words[-1]}")
		compopt -o filenames 2> /dev/null
	}
}

complete -F _mp_tools mp mp-record mp-order mp-fold mp-flame mp-page mp-diff mp-srcline mp-rename mp-import mp-select mp-pair mp-sched mp-hist mp-svg-heatmap mp-treemap mp-stackplot mp-show mp-timeline mp-cpel mp-export mp-fleet
