#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets with clang into build/fuzz and runs each for a time, from its seeds in tests/data/corpus. Inputs that reach
# new code are kept in build/fuzz/found and tried first the next time; what crashes stays in build/fuzz/crashes.
#   usage: scripts/fuzz.sh SECONDS [TARGET...]      targets: frame messages settings npy pgm png; default all
# Exit code 77: there is no clang with libFuzzer here.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: scripts/fuzz.sh SECONDS [TARGET...]}
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(frame messages settings npy pgm png)

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
scripts/build.sh fuzz --targets "${programs[*]}" -DTEGU_TESTS=ON -DTEGU_BENCH=OFF

for target in "${targets[@]}"; do
    found=build/fuzz/found/$target
    mkdir -p "$found" build/fuzz/crashes
    seeds=("tests/data/corpus/$target")
    options=(-max_total_time="$seconds" -artifact_prefix="build/fuzz/crashes/$target-" -print_final_stats=1 -max_len=4096)
    if [ "$target" = settings ]; then
        seeds+=(tests/config/cases)
        options+=(-dict=tests/config/settings.dict)
    fi
    log=build/fuzz/$target.log
    if ! "build/fuzz/tests/fuzz_$target" "${options[@]}" "$found" "${seeds[@]}" >"$log" 2>&1; then
        tail -40 "$log" >&2
        echo "fuzz: $target failed; the input is in build/fuzz/crashes, the whole output in $log" >&2
        exit 1
    fi
    echo "fuzz: $target ran $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
done
