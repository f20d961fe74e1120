# SPDX-License-Identifier: Apache-2.0
# Written by the target completion from what tegu-bench says with --help: change it there.
# Completion of tegu-bench for bash.

_tegu_bench() {
    local current=$2 previous=$3 command=${COMP_WORDS[1]} words= files= kept=
    # --option=word is three words here.
    if [ "$current" = = ]; then current=; fi
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    [ "$COMP_CWORD" -eq 1 ] && command=
    case $command in
    run | compare | gpu | ladder) ;;
    *) command= ;;
    esac
    case $command:$previous in
    *:-f | *:--filter | :-t | run:-t | :--threads | run:--threads | *:-r | *:--repetitions | *:-s | *:--seconds | *:--most-elements | *:-m | *:--minutes | *:--names | *:--model | *:--title | *:-n | *:--elements) compopt +o default 2>/dev/null ;; # anything
    ladder:-t | ladder:--threads) words="128 256 512 1024" ;;
    *:--tegud | *:-o | *:--output | *:--markdown | *:--csv) ;; # a file, by -o default
    *:--operations)
        kept=${current%"${current##*,}"} words=" reduce topk entropy_map add dot rowscale quantile histogram entropy fused"
        words=${words// / $kept}
        ;;
    *:--parts)
        kept=${current%"${current##*,}"} words=" copy operations occupancy scaling crossover roundtrip coldstart s1 s2 s3 s4 s5"
        words=${words// / $kept}
        ;;
    *:--tuning | *:--root) compopt +o default -o dirnames 2>/dev/null ;;
    *)
        case $command in
        "") words="run compare gpu ladder --help --filter --threads --repetitions --seconds --quick --most-elements --list --tegud --json" ;;
        run) words="-h --help -o --output -m --minutes --operations --parts -t --threads --no-gpu --quick --restart --list -q --quiet --tegud --tuning --root" ;;
        compare) files=yes words="-o --output --markdown --csv --names --model --list-models --title -h --help" ;;
        gpu) words="--filter --quick --sweep" ;;
        ladder) words="-n --elements -t --threads --quick --json -h --help" ;;
        esac
        # Without a dash: the files that a command takes, or else its options.
        if [ -z "$files" ]; then compopt +o default 2>/dev/null; elif [[ $current != -* ]]; then words=; fi
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _tegu_bench tegu-bench
