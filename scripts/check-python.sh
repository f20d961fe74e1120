#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the Python client with other Pythons than the one of the build: those given, else python3.6 and later on $PATH and of
# pyenv. A Python without numpy runs the tests that need none. Needs a built preset release.
#   usage: scripts/check-python.sh [PYTHON ...]
set -euo pipefail
cd "$(dirname "$0")/.."

build=$PWD/build/release
[ -x "$build/bin/tegud" ] && [ -e "$build/lib/libtegu.so.0" ] || {
    echo "check-python: build first: scripts/build.sh release" >&2
    exit 66
}
pythons=("$@")
if [ ${#pythons[@]} = 0 ]; then
    for minor in 6 7 8 9 10 11 12 13 14; do
        for python in "$(command -v "python3.$minor" || true)" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor".*/bin/python; do
            # pyenv's own python3.N may be a stub for a version that is not chosen
            [ -x "$python" ] && "$python" -c '' 2>/dev/null && pythons+=("$python") && break
        done
    done
fi
[ ${#pythons[@]} -gt 0 ] || { echo "check-python: there is no Python from 3.6 on" >&2; exit 69; }

export TEGU_BUILD_DIR=$build TEGU_LIBRARY=$build/lib/libtegu.so.0 PYTHONPATH=$PWD/client/python TEGU_PEERS=none
log=$build/check-python.log
failed=0
for python in "${pythons[@]}"; do
    version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
    for mode in with without; do
        options=()
        [ "$mode" = with ] || options=(--no-numpy)
        if [ "$mode" = with ] && ! "$python" -c 'import numpy' 2>/dev/null; then
            echo "$version with numpy: skipped, it has none"
            continue
        fi
        for test in python_test operations_test exchange_test futures_test partials_test partial_values_test; do
            # into a file: the daemon of a test that crashes would keep a pipe open
            if timeout 300 "$python" "tests/client/$test.py" "${options[@]}" >"$log" 2>&1; then
                echo "$version $mode numpy: $test passed"
            else
                echo "$version $mode numpy: $test FAILED"
                tail -40 "$log"
                failed=1
            fi
        done
    done
done
exit $failed
