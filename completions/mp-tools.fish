# SPDX-License-Identifier: GPL-2.0-only
# fish completion of the mp tools. The options come from the --help of each program.

for program in mp-record mp-order mp-fold mp-rename mp-import mp-select mp-pair mp-sched mp-hist mp-svg-heatmap mp-stackplot mp-cpel
    complete -c $program -n 'string match -q -- "-*" (commandline -ct)' -a "(
        $program --help 2> /dev/null |
        sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')"
end
complete -c mp-record -s e -l event -x -a '(mp-record -l (commandline -ct)"*" 2> /dev/null | sed -n "s/^  \([^ ]*\).*/\1/p")'
complete -c mp-record -l stat -x -a '(mp-record -l (commandline -ct)"*" 2> /dev/null | sed -n "s/^  \([^ ]*\).*/\1/p")'
complete -c mp-record -s g -l call-graph -x -a 'both kernel user none auto cfi bpf fp'
complete -c mp-hist -l sort -x -a 'count sum name'
complete -c mp-fold -l sort -x -a 'name weight'
for weighed in mp-fold mp-svg-heatmap mp-stackplot
    complete -c $weighed -s w -l weight -x -a 'count period dur'
end
complete -c mp-pair -s p -l policy -x -a 'replace queue nest'
complete -c mp-pair -s c -l context -x -a 'all samecpu samepid sametid'
complete -c mp-pair -l stack -x -a 'begin end none'
