#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the whole test suite: as released, then under AddressSanitizer with
# UndefinedBehaviorSanitizer. The preset tsan (ThreadSanitizer) takes as long again: run it when threads are touched.
#   usage: scripts/test.sh [--long] [PRESET...]      default: release asan
# --long: ten minutes of mixed load on the daemon, and as many on the guarded GPU, in place of seconds; more of the session fuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh

case ${1:-} in
-h | --help) show_usage scripts/test.sh; exit 0 ;;
--long) shift; export TEGU_SOAK_SECONDS=600 TEGU_FUZZ_SESSIONS=4000 ;;
esac
case ${1:-} in -*) echo "test: unknown argument '$1'; --help shows the usage" >&2; exit 64 ;; esac
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(release asan)

scripts/install-deps.sh build test
# promtool checks metrics and alerts. Its package would start a service, so it is unpacked and not installed.
if ! command -v promtool >/dev/null; then
    tools=$PWD/build/tools
    if [ ! -x "$tools/usr/bin/promtool" ] && mkdir -p "$tools" &&
        (cd "$tools" && rm -f prometheus_*.deb && apt-get download -qq prometheus) 2>/dev/null; then
        dpkg -x "$tools"/prometheus_*.deb "$tools" && rm -f "$tools"/prometheus_*.deb
    fi
    export PATH=$PATH:$tools/usr/bin
fi
no_tests=
if cmake_is 3.12; then no_tests=--no-tests=error; fi
for preset in "${presets[@]}"; do
    echo "== $preset: build"
    began=$(date +%s)
    # CUDA kernels on the host, single classes and the replay of corpora show more under AddressSanitizer: once there is enough.
    once=ON
    if [[ $preset = release && " ${presets[*]} " = *" asan "* ]]; then once=OFF; fi
    bench=ON  # the presets with sanitizers have no benchmarks
    case $preset in asan | tsan) bench=OFF ;; esac
    scripts/build.sh "$preset" -DTEGU_TESTS=ON -DTEGU_BENCH=$bench -DTEGU_WERROR=ON -DTEGU_CUDA_ARCHITECTURES=one -DTEGU_SIMT=$once -DTEGU_UNIT_TESTS=$once
    echo "== $preset: tests (built in $(($(date +%s) - began)) s)"
    case $preset in asan | tsan) ;; *) timeout 900 python3 tests/peers.py "build/$preset" || true ;; esac
    # One more than there are cores: some tests wait for a good part of their time.
    (cd "build/$preset" && ctest --output-on-failure --parallel "$(($(nproc) + 1))" ${no_tests:+"$no_tests"})
done
