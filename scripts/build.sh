#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one preset into build/<preset>: one line of progress on a terminal, else a line a minute.
# CMake before 3.21 knows no presets of this version: what CMakePresets.json says is then given to it as options.
# Where the compiler is older than g++ 8 and g++-8 is there, as on JetPack 4, it takes that.
#   usage: scripts/build.sh PRESET [--targets "a b"] [-D...]
# $TEGU_PROGRESS_S: other seconds in place of that minute.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cmake.sh

preset=${1:?usage: scripts/build.sh PRESET [--targets "a b"] [-D...]}
case $preset in
-h | --help) show_usage scripts/build.sh; exit 0 ;;
-*) echo "build: '$preset' is no preset; --help shows the usage" >&2; exit 64 ;;
esac
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
folder=build/$preset

# One argument a line: the generator and the variables of a preset and of all that it inherits from.
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
print("-G", merged["generator"], sep="\n")
for name, value in variables.items():
    print("-D%s=%s" % (name, value))
PYTHON
}

configure() {
    local options
    if cmake_is 3.21; then
        cmake --preset "$preset" "${defines[@]}"
        return
    fi
    options=$(preset_options) || return
    mapfile -t options <<<"$options"
    configure_folder "$folder" "${options[@]}" "${defines[@]}"
}

# Reads what ninja prints, and keeps one line on the terminal: the share that is done, and the time left once that can
# be told.
progress() {
    local line began=$SECONDS first= ready total what share left
    while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
            ready=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} what=${BASH_REMATCH[3]}
            [ -n "$first" ] || { first=$ready; began=$SECONDS; }
            share=$((100 * ready / total)) left=
            if [ $((SECONDS - began)) -ge 10 ] && [ $((ready - first)) -gt $(((total - first) / 20)) ]; then
                left=$(((SECONDS - began) * (total - ready) / (ready - first)))
                left=" about $((left / 60)):$(printf %02d $((left % 60))) left"
            fi
            printf '\r\033[K%.*s' "$(($(tput cols 2>/dev/null || echo 80) - 1))" "$(printf '[%3d %%]%s  %s' "$share" "$left" "${what##*/}")" >&2
        elif [[ $line == "-- "* ]]; then
            printf '\r\033[K%.*s' "$(($(tput cols 2>/dev/null || echo 80) - 1))" "configuring: ${line#-- }" >&2
        fi
    done
    printf '\r\033[K' >&2
}
# Elsewhere it is a line a minute.
if ! [ -t 2 ]; then
    progress() {
        local line last=$SECONDS
        while IFS= read -r line; do
            if [[ $line =~ ^\[[0-9]+/[0-9]+\] ]] && [ $((SECONDS - last)) -ge "${TEGU_PROGRESS_S:-60}" ]; then
                last=$SECONDS
                echo "build: $line" >&2
            fi
        done
    }
fi

# Where ccache is installed, a second clone of the same sources builds in a fraction of the time.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache} CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD}
fi

choose_compiler "$folder"
log=$folder.log
mkdir -p build
# Releases that are fetched serve all presets.
[[ " ${defines[*]} " == *TEGU_SOURCES=* ]] || defines+=("-DTEGU_SOURCES=$PWD/build/sources")
export NINJA_STATUS='[%f/%t] '
if ! { configure && build_folder "$folder" "${targets[@]}"; } 2>&1 | tee "$log" | progress; then
    grep -E -A 12 'error|Error|FAILED' "$log" | head -60 >&2 || tail -30 "$log" >&2
    echo "build: preset '$preset' failed; the whole output is in $log" >&2
    exit 1
fi
