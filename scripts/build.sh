#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one preset into build/<preset>, as quietly as success allows.
#   usage: scripts/build.sh PRESET [--targets "a b"] [-D...]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: scripts/build.sh PRESET [--targets "a b"] [-D...]}
shift
targets=()
defines=()
while [ $# -gt 0 ]; do
    case $1 in
    --targets) read -r -a targets <<<"$2"; shift 2 ;;
    -D*) defines+=("$1"); shift ;;
    *) echo "build: unknown argument '$1'" >&2; exit 64 ;;
    esac
done

log=build/$preset.log
mkdir -p build
if ! { cmake --preset "$preset" "${defines[@]}" &&
    cmake --build "build/$preset" --parallel "$(nproc)" ${targets[0]:+--target "${targets[@]}"}; } >"$log" 2>&1; then
    grep -E -A 12 'error|Error|FAILED' "$log" | head -60 >&2 || tail -30 "$log" >&2
    echo "build: preset '$preset' failed; the whole output is in $log" >&2
    exit 1
fi
