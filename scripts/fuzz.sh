#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets with clang into build/fuzz. Runs each for a time or a number of inputs, from the seeds in
# tests/data/corpus. Inputs that reach new code go to build/fuzz/found, crashing ones to build/fuzz/crashes.
#   usage: scripts/fuzz.sh SECONDS|runs=N [TARGET...]      targets: see below; default all
#          scripts/fuzz.sh --report FILE                   the last run of each target, as a page
# $TEGU_FUZZ_BUILD: another build folder, which is there and is not built anew. Exit code 77: there is no clang with libFuzzer here.
set -euo pipefail
cd "$(dirname "$0")/.."

all=(frame messages client settings options npy pgm png jpeg tiff zip health board scrape table top tuning)
build=${TEGU_FUZZ_BUILD:-build/fuzz}
# Most of the time of a target went into AddressSanitizer's stacks of allocations and, hence -entropic=0, into weighing the inputs found.
# A crash says more if its input is given to the program again without this.
export ASAN_OPTIONS=malloc_context_size=2:quarantine_size_mb=16

what_of() {
    case $1 in
    frame) echo "the stream of bytes cut into frames, from both sides" ;;
    messages) echo "the body of every message, requests and replies" ;;
    client) echo "the client library against a daemon that sends anything" ;;
    settings) echo "a file of settings" ;;
    options) echo "command lines of tegud and tegu, numbers and ranges" ;;
    npy | pgm | png) echo "a file .$1" ;;
    jpeg) echo "a file .jpg through libturbojpeg" ;;
    tiff) echo "a file .tif through libtiff" ;;
    zip) echo "an archive of arrays" ;;
    health) echo "each file of the kernel that tells of the board" ;;
    board) echo "whole boards: the files, the judgement, JSON, text and metrics" ;;
    scrape) echo "HTTP requests of scrapes" ;;
    table) echo "the table of the descriptor store" ;;
    top) echo "answers to HEALTH, and what tegu top draws of them" ;;
    esac
}

# The newest commit; with a + if there are changes that are not committed.
commit() {
    local newest
    newest=$(git log -1 --format=%h 2>/dev/null) || { echo unknown; return; }
    git diff --quiet HEAD || newest+=+
    echo "$newest"
}

# A value of libFuzzer's final statistics.
stat_of() { sed -n "s/^stat::$2: *//p" "$build/$1.log"; }

report() {
    echo "# Fuzzing"
    echo
    echo "libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer, from the seeds in tests/data/corpus. Made by \`scripts/fuzz.sh --report\`;"
    echo "\`scripts/fuzz.sh runs=10000000\` runs it again. Machine: $(nproc) cores of $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1),"
    echo "shared with other work, so the rates are lower bounds. Edges: of the instrumented code, reached. A commit with a + had changes that were not committed."
    echo
    echo "| target | what is read | inputs | edges | inputs per second | failures | commit |"
    echo "|---|---|---:|---:|---:|---:|---|"
    local target
    for target in "${all[@]}"; do
        [ -f "$build/$target.log" ] && [ -n "$(stat_of "$target" number_of_executed_units)" ] || continue
        echo "| $target | $(what_of "$target") | $(stat_of "$target" number_of_executed_units) |" \
            "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$build/$target.log" | tail -1) | $(stat_of "$target" average_exec_per_sec) |" \
            "$(grep '^SUMMARY:' "$build/$target.log" | grep -vc 'run interrupted' || true) | $(cat "$build/$target.commit") |"
    done
}

case ${1:?usage: scripts/fuzz.sh SECONDS|runs=N [TARGET...], or --report FILE} in
--report) report >"${2:?which file?}"; exit ;;
runs=*) limit=-runs=${1#runs=} ;;
*) limit=-max_total_time=$1 ;;
esac
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")

if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ - -fsanitize=fuzzer,address -o /dev/null 2>/dev/null; then
    echo "fuzz: clang++ with libFuzzer is not installed (Debian: clang libclang-rt-14-dev)" >&2
    exit 77
fi

programs=()
for target in "${targets[@]}"; do
    [ -d "tests/data/corpus/$target" ] || { echo "fuzz: there is no target '$target'" >&2; exit 64; }
    programs+=("fuzz_$target")
done
[ -n "${TEGU_FUZZ_BUILD:-}" ] || scripts/build.sh fuzz --targets "${programs[*]}" -DTEGU_TESTS=ON -DTEGU_BENCH=OFF

for target in "${targets[@]}"; do
    found=$build/found/$target
    mkdir -p "$found" "$build/crashes"
    seeds=("tests/data/corpus/$target")
    options=("$limit" -artifact_prefix="$build/crashes/$target-" -print_final_stats=1 -entropic=0)
    longest=4096
    case $target in
    options) longest=512 ;;
    scrape) longest=12288 ;;  # a request may have 8192
    top) longest=2560 ;;
    settings)
        seeds+=(tests/config/cases)
        options+=(-dict=tests/config/settings.dict)
        ;;
    tuning)
        seeds+=(tests/config/tuning_cases config/devices)
        options+=(-dict=tests/config/tuning.dict)
        ;;
    esac
    log=$build/$target.log
    commit >"$build/$target.commit"
    if ! "$build/tests/fuzz_$target" "${options[@]}" -max_len=$longest "$found" "${seeds[@]}" >"$log" 2>&1; then
        tail -40 "$log" >&2
        echo "fuzz: $target failed; the input is in $build/crashes, the whole output in $log" >&2
        exit 1
    fi
    echo "fuzz: $target ran $(stat_of "$target" number_of_executed_units) inputs"
done
