#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cross-builds the CUDA module of tegud for boards: tegu-cuda-11.so for JetPack 5, -12 for JetPack 6, -13 for JetPack 7.
# nvcc compiles with Debian's g++ 11, and the linker of zig binds the symbols of glibc 2.27. No board is needed.
#   usage: scripts/build-module.sh --cuda 11|12|13 [--arch arm64|amd64] [--architectures LIST] [--out FOLDER]
#     --arch ARCH            for which machines (default: arm64)
#     --architectures LIST   compute capabilities, "72;87" say (default: of the boards of that JetPack: 72 87; 87; 87 110)
#     --out FOLDER           where to (default: build/module/ARCH)
# Runs on Debian 12, amd64. Installs what it needs (scripts/install-deps.sh package module) and fetches some 220 MB, once.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "build-module: $1" >&2; exit "${2:-1}"; }
say() { echo "build-module: $*"; }

cuda='' arch=arm64 architectures='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) sed -n '3,/^[^#]/{/^# \{0,1\}/{s///;p}}' "$0"; exit 0 ;;
    --cuda | --arch | --architectures | --out) [ $# -gt 1 ] || fail "$1 needs a value" 64 ;;
    esac
    case $1 in
    --cuda) cuda=$2 ;;
    --arch) arch=$2 ;;
    --architectures) architectures=$2 ;;
    --out) out=$2 ;;
    *) fail "unknown argument '$1'; --help shows the usage" 64 ;;
    esac
    shift 2
done
case $cuda in
11) boards="72;87" ;;   # Xavier, Orin
12) boards=87 ;;        # Orin
13) boards="87;110" ;;  # Orin, Thor
*) fail "--cuda is 11, 12 or 13, not '$cuda'" 64 ;;
esac
architectures=${architectures:-$boards}
case $arch in
arm64) triple=aarch64-linux-gnu ;;
amd64) triple=x86_64-linux-gnu ;;
*) fail "--arch is arm64 or amd64, not '$arch'" 64 ;;
esac
case $architectures in *[!0-9\;]*) fail "--architectures is a list such as 72;87, not '$architectures'" 64 ;; esac

scripts/install-deps.sh package module
work=$PWD/build/module/cuda-$cuda-$arch
out=${out:-build/module/$arch}
mkdir -p "$work" "$out"
out=$(cd "$out" && pwd)
scripts/cuda-toolkit.sh "$cuda" "$arch" "$work"
zig=$(scripts/zig.sh)
floor=2.27
export ZIG_GLOBAL_CACHE_DIR=$PWD/build/package/zig-cache

# Compiles with g++, links with zig: against an old glibc, with the C++ library of g++ inside.
compiler=$triple-g++-11
libraries=$(for name in libstdc++.a libgcc_eh.a libgcc.a; do printf '%q ' "$($compiler -print-file-name=$name)"; done)
# Newer headers ask glibc whether there is one thread alone; an older one is not asked, and this says that there are more.
echo '__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;' >"$work/threads.c"
"$zig" cc -target $triple.$floor -fPIC -c "$work/threads.c" -o "$work/threads.o"
cat >"$work/c++" <<WRAPPER
#!/bin/bash
case " \$* " in
*" -shared "*)
    arguments=()
    for argument; do
        case \$argument in -static-lib* | -lstdc++) ;; *) arguments+=("\$argument") ;; esac
    done
    exec $(printf %q "$zig") cc -target $triple.$floor "\${arguments[@]}" $(printf %q "$work/threads.o") $libraries ;;
*) exec $compiler "\$@" ;;
esac
WRAPPER
chmod +x "$work/c++"

say "building tegu-cuda-$cuda.so for $arch"
build=$work/build toolkit=$work/toolkit
if ! { env -i HOME="${HOME:-/}" PATH="$toolkit/bin:/usr/bin:/bin" ZIG_GLOBAL_CACHE_DIR="$ZIG_GLOBAL_CACHE_DIR" \
    cmake -S . -B "$build" -G Ninja -DTEGU_MODULE_ONLY=ON -DCMAKE_BUILD_TYPE=Release -DTEGU_WERROR=ON \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${triple%%-*}" \
    -DCMAKE_C_COMPILER="$triple-gcc-11" -DCMAKE_AR="/usr/bin/$triple-ar" -DCMAKE_RANLIB="/usr/bin/$triple-ranlib" -DCMAKE_CXX_COMPILER="$work/c++" -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc" \
    -DCMAKE_CUDA_HOST_COMPILER="$work/c++" -DCUDAToolkit_ROOT="$toolkit" "-DTEGU_CUDA_ARCHITECTURES=$architectures" &&
    env -i HOME="${HOME:-/}" PATH="$toolkit/bin:/usr/bin:/bin" ZIG_GLOBAL_CACHE_DIR="$ZIG_GLOBAL_CACHE_DIR" \
        cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target cuda-module; } >"$work/build.log" 2>&1; then
    tail -40 "$work/build.log" >&2
    fail "the build failed; the whole output is in $work/build.log"
fi
file=$out/tegu-cuda-$cuda.so
"$triple-strip" --strip-unneeded -o "$file" "$build/lib/tegu/tegu-cuda-$cuda.so"
scripts/check-symbols.sh --floor $floor "$file"
say "made $file, $(stat -c %s "$file") bytes"
