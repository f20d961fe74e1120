# SPDX-License-Identifier: Apache-2.0
# Written by the target completion from what tegu says with --help: change it there.
# Completion of tegu for bash.

_tegu() {
    local current=$2 previous=$3 command=${COMP_WORDS[1]} words= files= kept=
    # --option=word is three words here.
    if [ "$current" = = ]; then current=; fi
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    [ "$COMP_CWORD" -eq 1 ] && command=
    local i
    command=
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --socket | --timeout) [ "${COMP_WORDS[i + 1]}" = = ] && ((i++)); ((i++)) ;;
        -* | = | auto | always | never) ;;
        *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $command in
    reduce | topk | entropy-map | add | dot | rowscale | quantile | histogram | entropy | fused | ping | info | stats | latency | buffers | jobs | cancel | health | top | metrics | kernels | help) ;;
    *) command= ;;
    esac
    case $command:$previous in
    *:--socket | *:-o | *:--output | *:--scales | *:--textfile) ;; # a file, by -o default
    *:--timeout | cancel:--color | *:--ddof | *:--shape | *:-k | *:--k | *:--window | *:--levels | *:--range | *:-q | *:--q | *:--bins | *:-c | *:--count | *:-i | *:--interval | *:--wait | *:--seconds | *:--pipeline | *:--size | *:-f | *:--filter) compopt +o default 2>/dev/null ;; # anything
    :--color | reduce:--color | topk:--color | entropy-map:--color | add:--color | dot:--color | rowscale:--color | quantile:--color | histogram:--color | entropy:--color | fused:--color | ping:--color | info:--color | stats:--color | latency:--color | buffers:--color | jobs:--color | health:--color | top:--color | metrics:--color | kernels:--color) words="auto always never" ;;
    *:--stats)
        kept=${current%"${current##*,}"} words=" all count sum mean min max minmax argmin argmax absmax l1 l2 var std nonzero nans"
        words=${words// / $kept}
        ;;
    *:--axis) words="whole rows" ;;
    *:--dtype) words="u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64" ;;
    *:--priority) words="high normal low" ;;
    *:--backend) words="auto cpu gpu" ;;
    reduce:--format | topk:--format | dot:--format | quantile:--format | histogram:--format | entropy:--format | fused:--format) words="npy" ;;
    entropy-map:--format | add:--format | rowscale:--format) words="npy pgm png" ;;
    *:--base) words="2 e" ;;
    *:--border) words="clip mirror" ;;
    *:--colour) words="grey viridis magma" ;;
    *:--scale) words="full data" ;;
    *:--method) words="linear lower higher nearest midpoint" ;;
    *:-s | *:--sort) words="pid user name connections buffers memory active rate gpu cpu bytes jobs" ;;
    *)
        case $command in
        help) words="reduce topk entropy-map add dot rowscale quantile histogram entropy fused ping info stats latency buffers jobs cancel health top metrics kernels" ;;
        "") words="reduce topk entropy-map add dot rowscale quantile histogram entropy fused ping info stats latency buffers jobs cancel health top metrics kernels help --help --version --socket --timeout --json --color --no-colour" ;;
        reduce) files=yes words="-h --help --stats --ddof --axis --rows --skip-nans --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        topk) files=yes words="-h --help -k --k --smallest --distinct --axis --rows --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        entropy-map) files=yes words="-h --help --window --levels --base --border --colour --scale --range --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        add) files=yes words="-h --help --colour --scale --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        dot) files=yes words="-h --help --axis --rows --skip-nans --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        rowscale) files=yes words="-h --help --scales --colour --scale --axis --rows --skip-nans --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        quantile) files=yes words="-h --help -q --q --method --axis --rows --skip-nans --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        histogram) files=yes words="-h --help --bins --range --axis --rows --skip-nans --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        entropy) files=yes words="-h --help --levels --base --range --axis --rows --skip-nans --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        fused) files=yes words="-h --help --stats --ddof -k --k --smallest --distinct -q --q --method --bins --levels --base --range --axis --rows --skip-nans --dtype --raw --shape --priority --backend --socket --timeout --json --color --no-color --no-colour -o --output --format" ;;
        ping) words="-h --help -c --count -i --interval --wait --socket --timeout --json --color --no-color --no-colour" ;;
        info) words="-h --help --socket --timeout --json --color --no-color --no-colour" ;;
        stats) words="-h --help -w --watch -i --interval -c --count --socket --timeout --json --color --no-color --no-colour" ;;
        latency) words="-h --help -c --count --seconds --pipeline --size --intrinsic --socket --timeout --json --color --no-color --no-colour" ;;
        buffers) words="-h --help --socket --timeout --json --color --no-color --no-colour" ;;
        jobs) words="-h --help --socket --timeout --json --color --no-color --no-colour" ;;
        cancel) words="-h --help --socket --timeout --json --color --no-color --no-colour" ;;
        health) words="-h --help -w --watch -i --interval -c --count --socket --timeout --json --color --no-color --no-colour" ;;
        top) words="-h --help -i --interval -s --sort -1 --once --socket --timeout --json --color --no-color --no-colour" ;;
        metrics) words="-h --help --textfile --socket --timeout --json --color --no-color --no-colour" ;;
        kernels) words="-h --help -f --filter --socket --timeout --json --color --no-color --no-colour" ;;
        esac
        # Without a dash: the files that a command takes, or else its options.
        if [ -z "$files" ]; then compopt +o default 2>/dev/null; elif [[ $current != -* ]]; then words=; fi
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _tegu tegu
