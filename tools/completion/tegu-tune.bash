# SPDX-License-Identifier: Apache-2.0
# Written by the target completion from what tegu-tune says with --help: change it there.
# Completion of tegu-tune for bash.

_tegu_tune() {
    local current=$2 previous=$3 command=${COMP_WORDS[1]} words= files= kept=
    # --option=word is three words here.
    if [ "$current" = = ]; then current=; fi
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    [ "$COMP_CWORD" -eq 1 ] && command=
    case $command in
    check | show | diff | apply) ;;
    *) command= ;;
    esac
    case $command:$previous in
    *:-o | *:--output | *:--socket | *:--settings | *:--overlay) ;; # a file, by -o default
    *:--measure) words="all rows costs" ;;
    *:--operation)
        kept=${current%"${current##*,}"} words=" all reduce topk entropy_map add dot rowscale quantile histogram entropy"
        words=${words// / $kept}
        ;;
    *:--minutes | *:--most-elements | *:--patience | *:--device | *:--threads) compopt +o default 2>/dev/null ;; # anything
    *:--backend) words="all cpu gpu" ;;
    *:--sysroot) compopt +o default -o dirnames 2>/dev/null ;;
    *)
        case $command in
        "") words="check show diff apply --help --version --output --restart --measure --operation --minutes --most-elements --patience --socket --settings --json --quiet --backend --device --threads --sysroot" ;;
        check) files=yes words="-h --help --operation --minutes --most-elements --patience --socket --settings --json --quiet --backend --device --threads --sysroot" ;;
        show) files=yes words="-h --help --settings --backend --device --threads --sysroot" ;;
        diff) files=yes words="-h --help" ;;
        apply) files=yes words="-h --help --overlay --settings --socket --only-install --backend --device --threads --sysroot" ;;
        esac
        # Without a dash: the files that a command takes, or else its options.
        if [ -z "$files" ]; then compopt +o default 2>/dev/null; elif [[ $current != -* ]]; then words=; fi
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _tegu_tune tegu-tune
