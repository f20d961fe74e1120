# SPDX-License-Identifier: Apache-2.0
# Completion of the tegu command for bash, and for zsh after `autoload -U bashcompinit && bashcompinit`. The commands and options
# are those that --help of the installed program lists, so that the two cannot drift apart.

# Words that `tegu [COMMAND] --help` lists between two of its headings.
_tegu_listed() {
    "$@" --help 2>/dev/null | sed -n "/^$heading:/,/^\$/p" | sed -n "$filter"
}

_tegu_commands() {
    local heading=Subcommands filter='s/^  \([a-z][a-z-]*\) .*/\1/p'
    _tegu_listed "$1"
}

_tegu_options() {
    local heading=Options filter='s/^  \(-[-a-zA-Z,]*\).*/\1/p'
    _tegu_listed "$1" "$2" | tr ',' '\n'
}

_tegu() {
    local program=$1 current=$2 previous=$3 command=${COMP_WORDS[1]} words=
    case $previous in
    --dtype) words="u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64" ;;
    --priority) words="high normal low" ;;
    --sort) words="pid user name connections buffers memory active rate gpu cpu bytes jobs" ;;
    --backend) words="auto cpu gpu" ;;
    --axis) words="whole rows" ;;
    --base) words="2 e" ;;
    --method) words="linear lower higher nearest midpoint" ;;
    --border) words="clip mirror" ;;
    --colour | --color) words="grey viridis magma" ;;
    --scale) words="full data" ;;
    --format) words="npy pgm png" ;;
    --stats) words="all count sum mean min max minmax argmin argmax absmax l1 l2 var std nonzero nans" ;;
    *)
        if [ "$COMP_CWORD" -eq 1 ]; then
            words="$(_tegu_commands "$program") --help --version"
        elif [ "${current#-}" != "$current" ]; then
            words=$(_tegu_options "$program" "$command")
        fi
        ;;
    esac
    # No words: the files, by -o default.
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _tegu tegu
