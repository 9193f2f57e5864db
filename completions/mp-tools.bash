# SPDX-License-Identifier: GPL-2.0-only
# bash completion of the mp tools. The options come from the --help of each program, so they are never out of date.

# Prints the header of the first file on the command line, if that is a stream.
_mp_tools_header() {
	local file
	for file; do
		[[ $file != -* && -f $file && -r $file ]] || continue
		head -c 65536 -- "$file" 2> /dev/null | head -n 1 | grep '^{"mp":'
		return
	done
}

# Completes names of fields: those of every event, and the payload fields in the header of a stream on the command line.
_mp_tools_fields() {
	local names word=${cur#[\'\"]} head
	head=${word%"${word##*[,&|(! ]}"}
	names="time type cpu pid tid comm period addr cgroup nspid nstid dur latency op level snoop tlb lock stack"
	names+=" $(_mp_tools_header "$@" | jq -r '.events // {} | .[] | keys[]' 2> /dev/null | sort -u)"
	mapfile -t COMPREPLY < <(compgen -W "$names" -P "$head" -- "${word#"$head"}")
}

_mp_tools() {
	local cur prev program=$1
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	# a colon splits words for readline; event names have one
	if [[ ${COMP_WORDBREAKS-} == *:* ]] && ((COMP_CWORD >= 2)) && [[ $cur == : || $prev == : ]]; then
		local line=${COMP_LINE:0:COMP_POINT}
		cur=${line##* }
		prev=${line% *}
		prev=${prev##* }
	fi
	COMPREPLY=()
	case ${program##*/}:$prev in
	mp-record:-e | mp-record:--event | mp-record:--stat | mp-record:-l | mp-record:--list)
		mapfile -t COMPREPLY < <("$program" -l "$cur*" 2> /dev/null | sed -n 's/^  \([^ ]*\).*/\1/p')
		if [[ $cur == *:* && ${COMP_WORDBREAKS-} == *:* ]]; then
			COMPREPLY=("${COMPREPLY[@]#"${cur%:*}":}")
		fi
		return
		;;
	mp-record:-g | mp-record:--call-graph)
		mapfile -t COMPREPLY < <(compgen -W 'both kernel user none auto cfi bpf fp' -- "$cur")
		return
		;;
	mp-record:-p | mp-record:--pid | mp-record:--exclude-pid)
		mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*) pipeline" -- "$cur")
		return
		;;
	mp-record:--fields)
		mapfile -t COMPREPLY < <(compgen -W 'cpu pid tid comm period addr cgroup nspid nstid +cgroup +nspid +nstid latency op level snoop tlb lock stack dur' -- "${cur##*,}")
		[[ $cur != *,* ]] || COMPREPLY=("${COMPREPLY[@]/#/${cur%,*},}")
		return
		;;
	mp-fold:-b | mp-fold:--by)
		mapfile -t COMPREPLY < <(compgen -W 'type time host cpu pid tid comm cgroup' -- "${cur##*,}")
		[[ $cur != *,* ]] || COMPREPLY=("${COMPREPLY[@]/#/${cur%,*},}")
		return
		;;
	mp-fold:-w | mp-fold:--weight | mp-svg-heatmap:-w | mp-svg-heatmap:--weight | mp-stackplot:-w | mp-stackplot:--weight)
		mapfile -t COMPREPLY < <(compgen -W 'count period dur' -- "$cur")
		return
		;;
	mp-hist:--sort)
		mapfile -t COMPREPLY < <(compgen -W 'count sum name' -- "$cur")
		return
		;;
	mp-fold:--sort)
		mapfile -t COMPREPLY < <(compgen -W 'name weight' -- "$cur")
		return
		;;
	mp-select:--fields | mp-select:--drop | mp-select:-f | mp-select:--filter)
		_mp_tools_fields "${COMP_WORDS[@]}"
		return
		;;
	mp-select:-e | mp-select:--event)
		mapfile -t COMPREPLY < <(compgen -W "$(_mp_tools_header "${COMP_WORDS[@]}" | jq -r '.events // {} | keys[]' 2> /dev/null)" -- "$cur")
		if [[ $cur == *:* && ${COMP_WORDBREAKS-} == *:* ]]; then
			COMPREPLY=("${COMPREPLY[@]#"${cur%:*}":}")
		fi
		return
		;;
	mp-import:-f | mp-import:--from)
		mapfile -t COMPREPLY < <(compgen -W 'perf ftrace marple folded stream' -- "$cur")
		return
		;;
	mp-import:--time-unit)
		mapfile -t COMPREPLY < <(compgen -W 'ns us ms s' -- "$cur")
		return
		;;
	mp-pair:-p | mp-pair:--policy)
		mapfile -t COMPREPLY < <(compgen -W 'replace queue nest' -- "$cur")
		return
		;;
	mp-pair:-c | mp-pair:--context)
		mapfile -t COMPREPLY < <(compgen -W 'all samecpu samepid sametid' -- "$cur")
		return
		;;
	mp-pair:--stack)
		mapfile -t COMPREPLY < <(compgen -W 'begin end none' -- "$cur")
		return
		;;
	mp-stackplot:--missing)
		mapfile -t COMPREPLY < <(compgen -W 'zero carry' -- "$cur")
		return
		;;
	mp-cpel:-t | mp-cpel:--track)
		mapfile -t COMPREPLY < <(compgen -W 'tid pid cpu comm type host' -- "${cur##*,}")
		[[ $cur != *,* ]] || COMPREPLY=("${COMPREPLY[@]/#/${cur%,*},}")
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2> /dev/null |
			sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')" -- "$cur")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	compopt -o filenames 2> /dev/null
}

complete -F _mp_tools mp-record mp-order mp-fold mp-rename mp-import mp-select mp-pair mp-sched mp-hist mp-svg-heatmap mp-stackplot mp-cpel
