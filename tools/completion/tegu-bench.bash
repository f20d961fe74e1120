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
    gpu | ladder) ;;
    *) command= ;;
    esac
    case $command:$previous in
    *:-f | *:--filter | :-t | :--threads | *:-r | *:--repetitions | *:-s | *:--seconds | *:--most-elements | *:-n | *:--elements) compopt +o default 2>/dev/null ;; # anything
    ladder:-t | ladder:--threads) words="128 256 512 1024" ;;
    *:--tegud) ;; # a file, by -o default
    *)
        case $command in
        "") words="gpu ladder --help --filter --threads --repetitions --seconds --quick --most-elements --list --tegud --json" ;;
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
