#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds docs/ into a site with a search, build/site; a broken link is an error. The generator and its parts come
# from PyPI at the versions of tests/peers.txt.
#   usage: scripts/site.sh [--serve | --version VERSION [ALIAS]]
# --serve: shows the site at http://127.0.0.1:8000. --version: commits the site of a version to the local branch
# gh-pages, beside the other versions, and pushes nothing. The top of the site leads to ALIAS.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
"" | --serve) ;;
--version) [ $# -ge 2 ] || { echo "site: usage: scripts/site.sh --version VERSION [ALIAS]" >&2; exit 64; } ;;
*) echo "site: unknown argument '$1'" >&2; exit 64 ;;
esac

venv=build/venv-site
wanted=$(grep -E '^(mkdocs|mike|ruff)' tests/peers.txt)
if [ "$(cat "$venv/made-of.txt" 2>/dev/null)" != "$wanted" ]; then
    python3 -m venv --clear "$venv"
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --disable-pip-version-check $wanted
    echo "$wanted" >"$venv/made-of.txt"
fi
export NO_MKDOCS_2_WARNING=1 PATH=$PWD/$venv/bin:$PATH
case ${1:-} in
"") mkdocs build --quiet && echo "the site is in build/site" ;;
--serve) exec mkdocs serve --dev-addr 127.0.0.1:8000 ;;
--version)
    mike deploy --update-aliases "$2" ${3:+"$3"}
    [ $# -lt 3 ] || mike set-default "$3"
    ;;
esac
