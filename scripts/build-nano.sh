#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows that the kernels compile for every Jetson from Nano to Orin. Takes nvcc 11.8, which knows sm_53 and sm_87, builds the
# module of the daemon for sm_53 62 72 87, and prints time, registers and local memory of each file.
# Writes FOLDER/kernels.csv: registers, local and shared memory and the computed occupancy of each kernel on each architecture.
# Fails if the stripped module has more than 40 MB, or a kernel keeps more than --spills bytes of a thread in local memory.
# It runs on no Nano: there tegu is built with CUDA 10.2.
#   usage: scripts/build-nano.sh [--architectures "53;62;72;87"] [--spills BYTES] [--record] [FOLDER]      default FOLDER: build/nano
# --record: also the table of docs/benchmarks/boards/registers.md, and its rows in scripts/data/kernel_resources.csv.
# Installs what it needs (scripts/install-deps.sh module) and fetches 150 MB, once.
set -euo pipefail
cd "$(dirname "$0")/.."

architectures="53;62;72;87" spills= record=() folder=build/nano
while [ $# -gt 0 ]; do
    case $1 in
    --architectures) architectures=$2; shift 2 ;;
    --spills) spills=$2; shift 2 ;;
    --record)
        record=(--families scripts/data/kernel_resources.csv --page docs/benchmarks/boards/registers.md)
        shift ;;
    -*) echo "build-nano: unknown argument '$1'" >&2; exit 64 ;;
    *) folder=$1; shift ;;
    esac
done
mkdir -p "$folder/download"
folder=$(cd "$folder" && pwd)
toolkit=$folder/toolkit

scripts/install-deps.sh module
scripts/cuda-toolkit.sh 11 amd64 "$folder"

run() { env -i HOME="${HOME:-/}" PATH="$toolkit/bin:/usr/bin:/bin" "$@"; }
launcher=()  # for the host's code alone: what device code takes is measured
if command -v ccache >/dev/null; then launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache)"); fi
build=$folder/build
# Keeps the words of ptxas about each kernel beside its object.
cat >"$folder/keep-ptxas" <<'KEEP'
#!/bin/sh
object= before=
for word; do
    [ "$before" != -o ] || object=$word
    before=$word
done
case $object in *.o) ;; *) exec "$@" ;; esac
"$@" >"$object.ptxas" 2>&1
status=$?
grep -vE '^ptxas info|bytes stack frame' "$object.ptxas"
exit $status
KEEP
chmod +x "$folder/keep-ptxas"
if ! { run cmake -S . -B "$build" -G Ninja -DTEGU_MODULE_ONLY=ON "-DTEGU_CUDA_ARCHITECTURES=$architectures" \
    -DTEGU_WERROR=ON -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" -DCMAKE_CUDA_FLAGS=-Xptxas=-v -DCMAKE_CUDA_COMPILER_LAUNCHER="$folder/keep-ptxas" \
    -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc" -DCUDAToolkit_ROOT="$toolkit" \
    -DCMAKE_CUDA_HOST_COMPILER=/usr/bin/x86_64-linux-gnu-g++-11 &&
    run cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target cuda-module kernel-blocks; } >"$folder/build.log" 2>&1; then
    grep -E -A 12 'error|Error|FAILED' "$folder/build.log" | head -60 >&2 || tail -30 "$folder/build.log" >&2
    echo "build-nano: the build failed; the whole output is in $folder/build.log" >&2
    exit 1
fi

LD_LIBRARY_PATH=$toolkit/lib64 python3 scripts/kernel_resources.py "$build" --all "$folder/kernels.csv" "${record[@]}"
echo "all kernels: $folder/kernels.csv"

cp "$build"/lib/tegu/tegu-cuda-*.so "$folder/module.so"
strip "$folder/module.so"
python3 - "$build" "$toolkit/bin/cuobjdump" "$folder/module.so" "$spills" "$architectures" <<'PYTHON'
import os, re, subprocess, sys
build, cuobjdump, module, allowed, architectures = sys.argv[1:]
seconds = {}
with open(os.path.join(build, ".ninja_log")) as log:
    for line in log:
        fields = line.rstrip("\n").split("\t")
        if len(fields) == 5 and fields[3].endswith(".cu.o"):
            seconds[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000.0
print("| file | seconds | kernels | most registers | most local memory, bytes | kernels that have some |\n|---|---|---|---|---|---|")
worst, total = 0, 0.0
for name in sorted(seconds):
    text = subprocess.run([cuobjdump, "-res-usage", os.path.join(build, name)], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    usage = [(int(registers), int(stack), int(local)) for registers, stack, local in re.findall(r"REG:(\d+) STACK:(\d+) SHARED:\d+ LOCAL:(\d+)", text)]
    spilling = sum(1 for _, stack, local in usage if stack + local > 0)
    worst = max([worst] + [stack + local for _, stack, local in usage])
    total += seconds[name]
    print("| %s | %.1f | %d | %d | %d | %d |" % (os.path.basename(name)[:-2], seconds[name], len(usage), max([u[0] for u in usage] or [0]),
                                             max([u[1] + u[2] for u in usage] or [0]), spilling))
size = os.path.getsize(module)
print("\nsm_%s: %.0f s of device code in all; the module, stripped, with the shared CUDA runtime: %.1f MB" % (architectures.replace(";", " "), total, size / 1e6))
if allowed and worst > int(allowed):
    sys.exit("build-nano: a kernel keeps %d bytes in local memory, more than %s" % (worst, allowed))
if size > 40e6:
    sys.exit("build-nano: the module has more than 40 MB")
PYTHON
