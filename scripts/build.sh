#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one preset into build/<preset>, as quietly as success allows. CMake before 3.21 knows no presets of this
# version: what CMakePresets.json says is then given to it as options.
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

# One argument a line: the generator, the folder and the variables of a preset and of all that it inherits from.
preset_options() {
    python3 - "$preset" <<'PYTHON'
import json, sys
presets = {preset["name"]: preset for preset in json.load(open("CMakePresets.json"))["configurePresets"]}
preset = presets.get(sys.argv[1])
if preset is None or preset.get("hidden"):
    sys.exit("build: there is no preset '%s'" % sys.argv[1])
merged, variables = {}, {}
while preset:
    merged = dict(preset, **merged)
    variables = dict(preset.get("cacheVariables", {}), **variables)
    preset = presets.get(preset.get("inherits"))
print("-G", merged["generator"], "-B", merged["binaryDir"].replace("${sourceDir}/", "").replace("${presetName}", sys.argv[1]), sep="\n")
for name, value in variables.items():
    print("-D%s=%s" % (name, value))
PYTHON
}

configure() {
    local version options
    version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
    if [ "$(printf '%s\n' 3.21 "$version" | sort -V | head -1)" = 3.21 ]; then
        cmake --preset "$preset" "${defines[@]}"
    else
        options=$(preset_options) || return
        mapfile -t options <<<"$options"
        cmake -S . "${options[@]}" "${defines[@]}"
    fi
}

# Where ccache is installed, a second clone of the same sources builds in a fraction of the time.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache} CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD}
fi

log=build/$preset.log
mkdir -p build
if ! { configure &&
    cmake --build "build/$preset" --parallel "$(nproc)" ${targets[0]:+--target "${targets[@]}"}; } >"$log" 2>&1; then
    grep -E -A 12 'error|Error|FAILED' "$log" | head -60 >&2 || tail -30 "$log" >&2
    echo "build: preset '$preset' failed; the whole output is in $log" >&2
    exit 1
fi
