# SPDX-License-Identifier: Apache-2.0
# Written by the target completion from what tegu says with --help: change it there.
# Completion of tegu for bash.

_tegu() {
    local current=$2 previous=$3 command=${COMP_WORDS[1]} words= files= kept=
    # --option=word is three words here.
    if [ "$current" = = ]; then current=; fi
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    [ "$COMP_CWORD" -eq 1 ] && command=
    case $command in
    reduce | topk | entropy-map | add | dot | rowscale | quantile | histogram | entropy | fused | ping | info | stats | latency | buffers | jobs | cancel | health | top | metrics | kernels) ;;
    *) command= ;;
    esac
    case $command:$previous in
    *:--stats)
        kept=${current%"${current##*,}"} words=" all count sum mean min max minmax argmin argmax absmax l1 l2 var std nonzero nans"
        words=${words// / $kept}
        ;;
    *:--ddof | *:--shape | *:--timeout | *:-k | *:--k | *:--window | *:--levels | *:--range | *:-q | *:--q | *:--bins | *:-c | *:--count | *:-i | *:--interval | *:--seconds | *:--pipeline | *:--size | *:-f | *:--filter) compopt +o default 2>/dev/null ;; # anything
    *:--axis) words="whole rows" ;;
    *:--dtype) words="u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64" ;;
    *:--priority) words="high normal low" ;;
    *:--backend) words="auto cpu gpu" ;;
    *:--socket | *:-o | *:--output | *:--scales | *:--textfile) ;; # a file, by -o default
    reduce:--format | topk:--format | dot:--format | quantile:--format | histogram:--format | entropy:--format | fused:--format) words="npy" ;;
    entropy-map:--format | add:--format | rowscale:--format) words="npy pgm png" ;;
    *:--base) words="2 e" ;;
    *:--border) words="clip mirror" ;;
    *:--colour | *:--color) words="grey viridis magma" ;;
    *:--scale) words="full data" ;;
    *:--method) words="linear lower higher nearest midpoint" ;;
    *:-s | *:--sort) words="pid user name connections buffers memory active rate gpu cpu bytes jobs" ;;
    *)
        case $command in
        "") words="reduce topk entropy-map add dot rowscale quantile histogram entropy fused ping info stats latency buffers jobs cancel health top metrics kernels --help --version" ;;
        reduce) files=yes words="-h --help --stats --ddof --axis --rows --skip-nans --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        topk) files=yes words="-h --help -k --k --smallest --distinct --axis --rows --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        entropy-map) files=yes words="-h --help --window --levels --base --border --colour --color --scale --range --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        add) files=yes words="-h --help --colour --color --scale --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        dot) files=yes words="-h --help --axis --rows --skip-nans --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        rowscale) files=yes words="-h --help --scales --colour --color --scale --axis --rows --skip-nans --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        quantile) files=yes words="-h --help -q --q --method --axis --rows --skip-nans --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        histogram) files=yes words="-h --help --bins --range --axis --rows --skip-nans --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        entropy) files=yes words="-h --help --levels --base --range --axis --rows --skip-nans --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        fused) files=yes words="-h --help --stats --ddof -k --k --smallest --distinct -q --q --method --bins --levels --base --range --axis --rows --skip-nans --dtype --shape --priority --backend --socket --timeout --json -o --output --format" ;;
        ping) words="-h --help -c --count -i --interval --socket --timeout --json" ;;
        info) words="-h --help --socket --timeout --json" ;;
        stats) words="-h --help -w --watch -i --interval -c --count --socket --timeout --json" ;;
        latency) words="-h --help -c --count --seconds --pipeline --size --intrinsic --socket --timeout --json" ;;
        buffers) words="-h --help --socket --timeout --json" ;;
        jobs) words="-h --help --socket --timeout --json" ;;
        cancel) words="-h --help --socket --timeout --json" ;;
        health) words="-h --help -w --watch -i --interval -c --count --socket --timeout --json" ;;
        top) words="-h --help -i --interval -s --sort -1 --once --no-colour --socket --timeout --json" ;;
        metrics) words="-h --help --textfile --socket --timeout --json" ;;
        kernels) words="-h --help -f --filter --socket --timeout --json" ;;
        esac
        # Without a dash: the files that a command takes, or else its options.
        if [ -z "$files" ]; then compopt +o default 2>/dev/null; elif [[ $current != -* ]]; then words=; fi
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _tegu tegu
