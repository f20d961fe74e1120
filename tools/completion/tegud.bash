# SPDX-License-Identifier: Apache-2.0
# Written by the target completion from what tegud says with --help: change it there.
# Completion of tegud for bash.

_tegud() {
    local current=$2 previous=$3 command=${COMP_WORDS[1]} words= files= kept=
    # --option=word is three words here.
    if [ "$current" = = ]; then current=; fi
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    [ "$COMP_CWORD" -eq 1 ] && command=
    case $command in
    none) ;;
    *) command= ;;
    esac
    case $command:$previous in
    *:--config | *:--socket) ;; # a file, by -o default
    *:--sysroot) compopt +o default -o dirnames 2>/dev/null ;;
    *)
        case $command in
        "") words="-h --help --version --config --socket --sysroot --check-config --print-config -v --verbose" ;;
        esac
        # Without a dash: the files that a command takes, or else its options.
        if [ -z "$files" ]; then compopt +o default 2>/dev/null; elif [[ $current != -* ]]; then words=; fi
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _tegud tegud
