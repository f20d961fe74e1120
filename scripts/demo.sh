#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, starts a private tegud and runs the main job on real input through it: the top 10 of ten million
# int32, checked by Python; the statistics of a float array; a line of every other operation and the histogram of a photograph; the entropy
# maps of a photograph and of the Hubble deep field, written as pictures. The daemon is stopped at the end. Needs no GPU and changes nothing
# outside the checkout but for the packages. Builds tegud and tegu alone.
#   usage: scripts/demo.sh [--cuda] [OUTPUT FOLDER]      default: build/demo
# --cuda: builds the CUDA module, too, for a GPU of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh
targets="tegud tegu"
case ${1:-} in
-h | --help) show_usage scripts/demo.sh; exit 0 ;;
--cuda) targets+=" cuda-module"; shift ;;
esac
case ${1:-} in -*) echo "demo: unknown argument '$1'; --help shows the usage" >&2; exit 64 ;; esac
out=${1:-build/demo}

scripts/install-deps.sh build
# A first build leaves out the tests; a build folder that has them keeps them.
echo "demo: building $targets in build/release, some minutes the first time"
began=$SECONDS
scripts/build.sh release --targets "$targets" $([ -e build/release/CMakeCache.txt ] || echo -DTEGU_TESTS=OFF)
echo "demo: built in $((SECONDS - began)) s"

mkdir -p "$out"
run=$(mktemp -d)
daemon=
cleanup() {
    if [ -n "$daemon" ]; then kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null || true; fi
    rm -rf "$run"
}
trap cleanup EXIT
export TEGU_SOCKET=$run/tegud.sock
tegu=build/release/bin/tegu

build/release/bin/tegud --socket "$TEGU_SOCKET" 2>"$run/log" &
daemon=$!
"$tegu" ping --wait 5 >/dev/null || { cat "$run/log" >&2; exit 1; }

python3 - "$run" <<'PYTHON'
import array, random, sys
folder = sys.argv[1]
n = 10000000
with open(folder + "/numbers.i32", "wb") as out:
    out.write(random.Random(2026).getrandbits(32 * n).to_bytes(4 * n, "little"))
pixels = open("tests/data/hubble_deep_field.pgm", "rb").read()[-1000 * 872:]
with open(folder + "/deep_field.f32", "wb") as out:
    array.array("f", (value / 255.0 for value in pixels)).tofile(out)
PYTHON

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }

say "Top 10 of 10,000,000 int32"
"$tegu" topk --dtype i32 --shape 10000000 -k 10 "$run/numbers.i32"
"$tegu" topk --dtype i32 --shape 10000000 -k 10 --json "$run/numbers.i32" >"$run/topk.json"
python3 - "$run" <<'PYTHON'
import array, heapq, json, sys
numbers = array.array("i")
with open(sys.argv[1] + "/numbers.i32", "rb") as source:
    numbers.fromfile(source, 10000000)
found = json.load(open(sys.argv[1] + "/topk.json"))
want = heapq.nsmallest(10, ((-value, index) for index, value in enumerate(numbers)))
if found["values"] != [-value for value, _ in want] or found["indices"] != [index for _, index in want]:
    sys.exit("demo: the daemon's answer differs from Python's heapq: %r against %r" % (found, want))
print("checked: values and indices are those of Python's heapq")
PYTHON

say "Statistics of 872,000 float32 (the Hubble deep field, 0..1)"
"$tegu" reduce --dtype f32 --shape 872000 --stats all "$run/deep_field.f32"

say "A line of every other operation"
python3 - "$tegu" "$run" <<'PYTHON'
import json, subprocess, sys
tegu, folder = sys.argv[1:]
floats = ["--dtype", "f32", "--shape", "872x1000", folder + "/deep_field.f32"]
photo, numbers = "tests/data/camera.pgm", ["--dtype", "i32", folder + "/numbers.i32"]
print("  %-9s   %-31s   %-52s   %s" % ("operation", "of", "result", "computed in"))
for words, what, result in (
        (["add", "-o", folder + "/sum.npy"] + floats + floats[-1:], "the deep field and itself", lambda r: "largest sum %g" % r["stats"]["max"]),
        (["dot"] + floats + floats[-1:], "the deep field with itself", lambda r: "%.10g" % r["dot"]),
        (["rowscale", "--rows", "-o", folder + "/scaled.npy"] + floats, "each row of the deep field",
         lambda r: "%d scales, %.3g to %.3g" % (len(r["scales"]), min(r["scales"]), max(r["scales"]))),
        (["quantile", "-q", "0.01,0.5,0.99"] + numbers, "10,000,000 int32", lambda r: "1 %%, median, 99 %%: %s" % ", ".join("%.0f" % q for q in r["quantiles"])),
        (["histogram", "--bins", "256", "--range", "0,256", photo], "the photograph, 256 bins",
         lambda r: "most often %d: %d pixels" % (r["histogram"].index(max(r["histogram"])), max(r["histogram"]))),
        (["entropy", photo], "the photograph, 256 levels", lambda r: "%.6f bit a pixel" % r["entropy"]),
        (["fused", "--stats", "mean,std", "--bins", "2", "--levels", "256", "-q", "0.5", photo], "the photograph, four in one job",
         lambda r: "%.2f +- %.2f, median %g, %.3f bit" % (r["stats"]["mean"], r["stats"]["std"], r["quantiles"][0], r["entropy"]))):
    report = json.loads(subprocess.run([tegu] + words + ["--json"], check=True, stdout=subprocess.PIPE).stdout.decode())
    print("  %-9s   %-31s   %-52s   %.2f ms" % (words[0], what, result(report), report["timing_us"]["compute"] / 1000))
PYTHON

say "Histogram of a photograph"
"$tegu" histogram --bins 16 --range 0,256 tests/data/camera.pgm

say "Entropy map of a photograph, 5 x 5 window, 16 levels"
"$tegu" entropy-map --window 5 --levels 16 tests/data/camera.pgm -o "$out/camera-entropy.png"
say "Entropy map of the Hubble deep field, 9 x 9 window, 64 levels, in colour"
"$tegu" entropy-map --window 9 --levels 64 --colour viridis tests/data/hubble_deep_field.pgm -o "$out/deep-field-entropy.png"

say "Pictures: $out/camera-entropy.png $out/deep-field-entropy.png"
