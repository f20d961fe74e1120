#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tunes the GPU of this machine and says what it is worth: builds tegu-tune for it, searches, then measures
# the table anew against the defaults. Writes tune/TABLE.toml, tune/tune.json, tune/check.json and
# tune/tune.log; prints both summaries.
#   usage: scripts/tune.sh [--minutes N] [--check-minutes N] [--architectures LIST] [--folder DIR]
#                          [OPTION OF tegu-tune]...
# Defaults: 8 and 2 minutes, the architecture of the GPU that is there, the folder tune/, --backend gpu.
# Exit code: that of tegu-tune where it is not 0, else that of tegu-tune check, 0 if no job is slower
# with the table; 77: no GPU here.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh

minutes=8
check_minutes=2
architectures=
folder=tune
options=()
tune_options=()
while [ $# -gt 0 ]; do
    case $1 in
    --minutes) minutes=${2:?tune: --minutes needs a number}; shift 2 ;;
    --check-minutes) check_minutes=${2:?tune: --check-minutes needs a number}; shift 2 ;;
    --architectures) architectures=${2:?tune: --architectures needs a list}; shift 2 ;;
    --folder) folder=${2:?tune: --folder needs a folder}; shift 2 ;;
    --restart) tune_options+=("$1"); shift ;;
    --measure) tune_options+=("$1" "${2:?tune: --measure needs a word}"); shift 2 ;;
    *) options+=("$1"); shift ;;
    esac
done
case " ${options[*]-} " in *" --backend "*) ;; *) options+=(--backend gpu) ;; esac

# A discrete GPU is listed by its driver; a Jetson's shows as a device file.
has_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU ' || [ -e /dev/nvhost-gpu ] || [ -e /dev/nvgpu ]; }
if ! has_gpu; then
    echo "tune: SKIPPED: no NVIDIA GPU here"
    exit 77
fi
if [ -z "$architectures" ]; then
    architectures=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 |
        tr -d '. ')
fi

build=build/tune
defines=(-DTEGU_CUDA=on -DTEGU_TESTS=OFF -DTEGU_BENCH=OFF -DCMAKE_BUILD_TYPE=Release)
case $architectures in [0-9]*) defines+=("-DTEGU_CUDA_ARCHITECTURES=$architectures") ;; esac
mkdir -p build "$folder"
choose_compiler "$build"
if ! { configure_folder "$build" "${defines[@]}" && build_folder "$build" tegu-tune; } >build/tune.log 2>&1; then
    tail -40 build/tune.log >&2
    echo "tune: the build failed; the whole output is in build/tune.log" >&2
    exit 1
fi

# The program names the table by the device.
source=$PWD
tuned=0
(cd "$folder" && "$source/$build/bin/tegu-tune" --minutes "$minutes" --json "${options[@]}" \
    "${tune_options[@]}" >tune.json 2> >(tee tune.log >&2)) || tuned=$?
if [ ! -s "$folder/tune.json" ]; then exit "$tuned"; fi
table=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["table"])' "$folder/tune.json")
python3 - "$folder/tune.json" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1]))
total = run["summary"]
for wrong in run["wrong"]:
    print("WRONG RESULT: " + wrong)
print("%s\n%s: %d rows for %d classes, %d of %d steps left out" % (
    run["machine"], run["table"], total["rows"], total["classes"], run["left_out"], run["steps"]))
print("default time over tuned time: geometric mean %.4f (of rows %.4f), worst %.4f %s, best %.3f %s" % (
    total["geometric_mean"], total["geometric_mean_of_rows"], total["worst"], total["worst_class"],
    total["best"], total["best_class"]))
PYTHON
status=0
"$build/bin/tegu-tune" check "$folder/$table" --minutes "$check_minutes" --json --quiet "${options[@]}" \
    >"$folder/check.json" || status=$?
python3 - "$folder/check.json" <<'PYTHON'
import json, sys
check = json.load(open(sys.argv[1]))
print("measured anew: geometric mean %.4f, worst %.4f %s; %d classes left out" % (
    check["geometric_mean"], check["worst"], check["worst_class"], check["left_out"]))
for one in sorted(check["speeds"], key=lambda one: one["worst"]):
    if one["worst"] < 0.99:
        print("  slower: %s, %.4f at worst" % (one["id"], one["worst"]))
PYTHON
[ "$tuned" -eq 0 ] || exit "$tuned"
exit "$status"
