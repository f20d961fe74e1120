#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian or Ubuntu packages that tegu needs and that are missing; does nothing, and needs no
# root, when all are there. The groups are: build (daemon, client, tools), test (the test suite), bench (peers).
#   usage: scripts/install-deps.sh [build] [test] [bench]      default: build
set -euo pipefail

packages_build=(g++ cmake make ninja-build pkg-config git ca-certificates libboost-dev libsystemd-dev
    libtomlplusplus-dev libcli11-dev libpng-dev zlib1g-dev python3)
packages_test=(libgtest-dev libbenchmark-dev python3-numpy python3-pytest python3-hypothesis systemd procps
    util-linux clang)
packages_bench=(redis-server redis-tools python3-venv)

wanted=()
for group in "${@:-build}"; do
    case $group in
    build) wanted+=("${packages_build[@]}") ;;
    test) wanted+=("${packages_test[@]}") ;;
    bench) wanted+=("${packages_bench[@]}") ;;
    *) echo "install-deps: unknown group '$group' (build, test, bench)" >&2; exit 64 ;;
    esac
done

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install-deps: needs root or sudo to install: ${missing[*]}" >&2; exit 77; }
    as_root=(sudo)
fi
echo "install-deps: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
# A distribution may lack a package that CMake can fetch instead (CLI11, toml++): install what there is.
available=()
for package in "${missing[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then available+=("$package"); else
        echo "install-deps: no package '$package' here; CMake fetches its pinned release" >&2
    fi
done
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${available[@]}" >/dev/null
