#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All that a machine with an NVIDIA GPU can show, in minutes and in one report: builds, or takes a ready build, runs the tests with the label gpu,
# runs them at small sizes under the tools of compute-sanitizer, side by side, and times the kernels. Writes report.md and report.json.
#   usage: scripts/gpu-check.sh [--build FOLDER] [--report FOLDER] [--tests REGEX|none] [--sanitize all|none|TOOL,...] [--bench PART,...|round-trip|peers|all|none]
#                               [--jobs N] [--sanitize-jobs N] [--test-seconds N] [--sanitize-seconds N] [--bench-seconds N] [--sample N] [--commit TEXT]
#   FOLDER of --build: a build with TEGU_TESTS and CUDA, as it is; default: build/gpu, made for the GPU that is there. The options are gpu_check.py's.
# Exit code 77: there is no GPU here.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh

build=
arguments=()
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=${2:?gpu-check: --build needs a folder}; shift 2 ;;
    *) arguments+=("$1"); shift ;;
    esac
done

# A discrete GPU is listed by its driver; a Jetson's shows as a device file.
has_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU ' || [ -e /dev/nvhost-gpu ] || [ -e /dev/nvgpu ]; }
if ! has_gpu; then
    echo "gpu-check: SKIPPED: no NVIDIA GPU here"
    exit 77
fi

if [ -z "$build" ]; then
    build=build/gpu
    options=(-DTEGU_CUDA=on -DTEGU_TESTS=ON -DTEGU_BENCH=ON -DCMAKE_BUILD_TYPE=Release)
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d '. ')
    case $capability in [0-9]*) options+=("-DTEGU_CUDA_ARCHITECTURES=$capability") ;; esac
    mkdir -p build
    choose_compiler "$build"
    if ! { configure_folder "$build" "${options[@]}" && build_folder "$build"; } >build/gpu.log 2>&1; then
        tail -40 build/gpu.log >&2
        echo "gpu-check: the build failed; the whole output is in build/gpu.log" >&2
        exit 1
    fi
fi
exec python3 scripts/gpu_check.py --build "$build" "${arguments[@]}"
