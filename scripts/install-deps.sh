#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian or Ubuntu packages that tegu needs and that are missing; does nothing, and needs no
# root, when all are there. The groups are: build (daemon, client, tools), test (the test suite), bench (peers),
# compare (pages of tegu-bench compare, and the plots of docs), aarch64 (cross compiler and emulator for scripts/check-aarch64.sh).
#   usage: scripts/install-deps.sh [build] [test] [bench] [compare] [aarch64]      default: build
set -euo pipefail

packages_build=(g++ cmake make ninja-build pkg-config git ca-certificates libboost-dev libsystemd-dev libpng-dev
    zlib1g-dev python3)
packages_test=(libboost-context-dev libgtest-dev libbenchmark-dev python3-numpy python3-venv systemd procps
    util-linux clang tmux)
packages_bench=(redis-server redis-tools python3-venv)
packages_compare=(python3 python3-jinja2 python3-matplotlib)
packages_aarch64=(g++-aarch64-linux-gnu qemu-user-static)
# Not every distribution has these: CMake fetches a library that is missing, and a test without its tool is skipped.
optional_build=(libtomlplusplus-dev libcli11-dev libncursesw5-dev libncurses-dev)
optional_test=(libclang-rt-dev clang-format python3-hypothesis zsh groff-base python3-jinja2 python3-matplotlib
    python3-html5lib chromium prometheus python3-prometheus-client)

required=()
optional=()
for group in "${@:-build}"; do
    case $group in
    build) required+=("${packages_build[@]}"); optional+=("${optional_build[@]}") ;;
    test) required+=("${packages_test[@]}"); optional+=("${optional_test[@]}") ;;
    bench) required+=("${packages_bench[@]}") ;;
    compare) required+=("${packages_compare[@]}") ;;
    aarch64) required+=("${packages_aarch64[@]}") ;;
    *) echo "install-deps: unknown group '$group' (build, test, bench, compare, aarch64)" >&2; exit 64 ;;
    esac
done

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; return; fi
    command -v sudo >/dev/null || { echo "install-deps: needs root or sudo to install packages" >&2; exit 77; }
    sudo "$@"
}

install() {
    echo "install-deps: installing $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

missing=()
for package in "${required[@]}"; do is_installed "$package" || missing+=("$package"); done
if [ ${#missing[@]} -gt 0 ]; then
    as_root apt-get update -qq
    install "${missing[@]}"
fi
missing=()
for package in "${optional[@]}"; do
    if ! is_installed "$package" && apt-cache show "$package" >/dev/null 2>&1; then missing+=("$package"); fi
done
[ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
