# SPDX-License-Identifier: Apache-2.0
# Completion of tegu-bench for bash, and for zsh after `autoload -U bashcompinit && bashcompinit`. The options are those that --help lists.

_tegu_bench() {
    local program=$1 current=$2 previous=$3 subcommand= words=
    case ${COMP_WORDS[1]} in
    ladder) subcommand=ladder ;;
    gpu) subcommand=gpu words="--filter --quick --sweep --help" ;;
    esac
    case $previous in
    --svg | --tegud | --filter | -f) return ;; # a file, or anything
    esac
    if [ "$subcommand" != gpu ]; then
        words=$("$program" $subcommand --help 2>/dev/null | sed -n 's/^  \(-[-a-zA-Z,]*\).*/\1/p' | tr ',' '\n')
        if [ "$subcommand" = ladder ] && [[ $previous == -t || $previous == --threads ]]; then words="128 256 512 1024"; fi
    fi
    [ "$COMP_CWORD" -eq 1 ] && words="$words gpu ladder"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _tegu_bench tegu-bench
