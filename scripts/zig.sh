#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints where the compiler of packages is: clang with its C++ library and the symbols of every glibc, in one wheel that
# is fetched once, by hash.
#   usage: scripts/zig.sh
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/package
if [ ! -x "$work/ziglang/zig" ]; then
    echo "zig: fetching the compiler" >&2
    mkdir -p "$work"
    echo "ziglang==0.17.1 --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54" >"$work/wheels.txt"
    /usr/bin/python3 -m pip download -q --no-deps --only-binary=:all: --require-hashes -r "$work/wheels.txt" -d "$work/download"
    unzip -qo "$work"/download/ziglang-*.whl 'ziglang/*' -d "$work"
    chmod +x "$work/ziglang/zig"
fi
echo "$work/ziglang/zig"
