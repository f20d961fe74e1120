#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures how reliable the service is, and writes a page with the records that it is made of. Builds nothing: takes a ready build folder.
#   usage: scripts/reliability.sh [kill|soak|hostile|all] [--quick] [--build FOLDER] [--output FOLDER]
#     kill      kill -9 of the daemon 200 times under mixed load and a real systemd; about 8 minutes
#     soak      mixed load for 30 minutes: what daemon and clients hold stays flat
#     hostile   a good client beside a hostile one of each kind; about 10 minutes, on a machine that does nothing else
#     --quick   seconds each, which prove nothing but that it works
#   default: all, build/release, docs/benchmarks (with --quick a temporary folder). Another seed: TEGU_SEED=N
# Exit code 77: something that is needed is missing here.
set -euo pipefail
cd "$(dirname "$0")/.."

what=all quick="" build=build/release output=""
while [ $# -gt 0 ]; do
    case $1 in
        kill | soak | hostile | all) what=$1 ;;
        --quick) quick=1 ;;
        --build) build=${2:?--build FOLDER}; shift ;;
        --output) output=${2:?--output FOLDER}; shift ;;
        *) sed -n 's/^#   \(usage.*\)/\1/p' "$0" >&2; exit 64 ;;
    esac
    shift
done
[ -x "$build/bin/tegud" ] || { echo "reliability: no $build/bin/tegud; build first, or name the folder with --build" >&2; exit 77; }
if [ -z "$output" ]; then
    output=docs/benchmarks
    [ -z "$quick" ] || output=$(mktemp -d "${TMPDIR:-/tmp}/tegu-reliability-XXXXXX")
fi
mkdir -p "$output"
TEGU_BUILD_DIR=$(realpath "$build")
TEGU_LIBRARY=$TEGU_BUILD_DIR/lib/libtegu.so.0
PYTHONPATH=$PWD/client/python
export TEGU_BUILD_DIR TEGU_LIBRARY PYTHONPATH
TEGU_SANITIZE=$(sed -n 's/^TEGU_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt")
export TEGU_SANITIZE
python=$(sed -n 's/^_\{0,1\}Python3_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)
python=${python:-python3}
seed=${TEGU_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}

measure() { # NAME ARGUMENT...
    echo "== $1"
    "$python" "tests/reliability/$1.py" "${@:2}" --output "$output/reliability-$1.json"
}
if [ "$what" = kill ] || [ "$what" = all ]; then measure kill --seed "$seed" --kills "$([ "$quick" ] && echo 6 || echo 200)"; fi
if [ "$what" = hostile ] || [ "$what" = all ]; then
    if [ "$quick" ]; then measure hostile --kinds garbage,long-jobs; else measure hostile --kinds all --pairs 20 --slice-s 0.5; fi
fi
if [ "$what" = soak ] || [ "$what" = all ]; then measure soak --seed "$seed" --seconds "$([ "$quick" ] && echo 8 || echo 1800)"; fi
"$python" tests/reliability/report.py "$output"
echo "written: $output/reliability.md"
