#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the example of docs/compare.md: docs/benchmarks/boards/report.html and report.md, of all files of boards in that
# folder. The CPU alone is the base; columns of Jetsons are modelled.
#   usage: scripts/compare-boards.sh [--output FOLDER] [FILE.json...]
#     FILE.json   files of `tegu-bench run`, put into the folder first; one of the same name is replaced
#     --output    where to write the report (default: beside the files)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
boards=$root/docs/benchmarks/boards
output=$boards
base=cpu-2-cores.json
models=jetson-nano,jetson-orin-nano-super,jetson-agx-orin

while [ $# -gt 0 ]; do
    case $1 in
    --output) output=$(cd "${2:?--output needs a folder}" && pwd); shift ;;
    *.json) cp "$1" "$boards/" ;;
    *) echo "compare-boards: '$1' is no file of tegu-bench run; usage: scripts/compare-boards.sh [--output FOLDER] [FILE.json...]" >&2; exit 64 ;;
    esac
    shift
done

# Debian's Python has Debian's matplotlib, where another Python stands first in the path.
python=python3
"$python" -c 'import jinja2, matplotlib' 2>/dev/null || python=/usr/bin/python3

cd "$boards"
files=("$base")
for file in *.json; do
    [ "$file" = "$base" ] || files+=("$file")
done
"$python" "$root/tools/compare/tegu-bench-compare" "${files[@]}" --model "$models" -o "$output/report.html" --markdown "$output/report.md"
