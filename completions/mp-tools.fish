# SPDX-License-Identifier: GPL-2.0-only
# fish completion of the mp tools: 'mp complete' knows what may follow, see mp(1).

function __mp_tools
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l mp mp
    if string match -q '*/*' -- $words[1]
        set mp (string replace -r '[^/]*$' mp -- $words[1])
    end
    set -l lines ($mp complete $words "$current" 2>/dev/null)
    if set -q lines[1]
        printf '%s\n' $lines
    else
        __fish_complete_path "$current"
    end
end

for program in mp mp-record mp-order mp-fold mp-flame mp-page mp-diff mp-srcline mp-rename mp-import mp-select mp-pair mp-sched mp-hist mp-svg-heatmap mp-treemap mp-stackplot mp-show mp-timeline mp-cpel mp-export mp-fleet
    complete -c $program -f -a '(__mp_tools)'
end
complete -c mp-record -s p -l pid -x -a '(__fish_complete_pids)'
