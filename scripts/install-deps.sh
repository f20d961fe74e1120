#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that tegu needs and that are missing, on Ubuntu 18.04 to 24.04 (JetPack 4 to 7) and Debian 11
# to 13; does nothing, and needs no root, when all are there. On other distributions it only names them.
# Groups: build (daemon, client, tools), test (the test suite), bench (peers), compare (pages of tegu-bench compare, and
# the plots of docs), aarch64 (cross compiler and emulator for scripts/check-aarch64.sh),
# examples (what programs of examples/ need; the tests run them), package (scripts/package.sh), module (scripts/build-module.sh),
# packagecheck (scripts/check-packages.sh).
#   usage: scripts/install-deps.sh [--list] [build] [test] [bench] [compare] [aarch64] [examples] [package] [module] [packagecheck]      default: build
# --list: names the packages, and installs nothing. $TEGU_OS_RELEASE: another file in place of /etc/os-release.
set -euo pipefail

packages_build=(g++ cmake make ninja-build pkg-config git ca-certificates libboost-dev libsystemd-dev libpng-dev
    zlib1g-dev python3)
packages_test=(libboost-context-dev libgtest-dev libbenchmark-dev python3-numpy python3-venv systemd procps
    util-linux clang tmux bzip2)
packages_bench=(redis-server redis-tools python3-venv)
packages_compare=(python3 python3-jinja2 python3-matplotlib)
packages_aarch64=(g++-aarch64-linux-gnu qemu-user-static clang)
packages_package=(cmake ninja-build pkg-config dpkg-dev debhelper dh-python apt-utils binutils binutils-aarch64-linux-gnu python3-pip
    python3-setuptools python3-wheel unzip xz-utils gpg)
packages_module=(curl cmake ninja-build g++-11-aarch64-linux-gnu g++-11 binutils-aarch64-linux-gnu python3-pip unzip)
# About 70 MB to fetch. OpenCV would be 150 MB more: ffmpeg reads cameras and videos for less.
packages_examples=(ffmpeg python3-numpy python3-pil python3-gi gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-base
    gstreamer1.0-plugins-good python3-matplotlib python3-nbformat python3-nbclient python3-ipykernel)
packages_packagecheck=(debootstrap lintian qemu-user-static systemd util-linux procps)
# A test without its tool is skipped, and tegu top without ncurses has no live view.
# The libraries of .jpg and .tif are opened at run time, by whichever of these names a distribution has them.
optional_build=(libtomlplusplus-dev libcli11-dev libncursesw5-dev libncurses-dev
    libturbojpeg0 libturbojpeg libtiff6 libtiff5)
optional_test=(libturbojpeg0-dev libtiff-dev libclang-rt-dev clang-format python3-hypothesis zsh groff-base
    python3-jinja2 python3-matplotlib
    python3-html5lib chromium python3-prometheus-client "${packages_examples[@]}")

list=no groups=()
for word in "$@"; do
    case $word in
    --list) list=yes; continue ;;
    esac
    if ! declare -p "packages_$word" >/dev/null 2>&1; then
        echo "install-deps: unknown group '$word' ($(compgen -v packages_ | sed 's/^packages_//' | paste -sd ' '))" >&2
        exit 64
    fi
    groups+=("$word")
done
[ ${#groups[@]} -gt 0 ] || groups=(build)

# What the distribution has too old or not at all: CMake fetches these libraries, pinned by their hashes.
from_cmake=()
ID='' VERSION_ID='' PRETTY_NAME=''
release=${TEGU_OS_RELEASE:-/etc/os-release}
if [ -e "$release" ]; then . "$release"; fi
known=yes
case $ID-$VERSION_ID in
ubuntu-18.04)
    packages_build=("${packages_build[@]/#g++/g++-8}")  # its g++ is 7, and its Boost 1.65 has no io_context
    packages_build=("${packages_build[@]/libboost-dev/bzip2}")  # for the archive of Boost
    packages_test=("${packages_test[@]/libboost-context-dev/}")
    packages_test=("${packages_test[@]/libgtest-dev/}")
    packages_test=("${packages_test[@]/libbenchmark-dev/}")
    from_cmake=(Boost toml++ CLI11 GoogleTest "Google Benchmark") ;;
ubuntu-20.04 | debian-11) from_cmake=(toml++ CLI11) ;;
ubuntu-22.04 | ubuntu-24.04 | debian-12 | debian-13) ;;
*) known=no ;;
esac

required=()
optional=()
for group in "${groups[@]}"; do
    for kind in packages optional; do
        name="${kind}_$group[@]"
        declare -p "${kind}_$group" >/dev/null 2>&1 || continue
        for package in "${!name}"; do
            [ -n "$package" ] || continue
            if [ "$kind" = packages ]; then required+=("$package"); else optional+=("$package"); fi
        done
    done
done

if [ "$list" = yes ]; then
    echo "${required[*]}"
    exit
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "install-deps: ${PRETTY_NAME:-this system} has no apt-get. tegu needs what these packages of Debian have:" >&2
    echo "  ${required[*]}" >&2
    echo "and, where there are: ${optional[*]:-none}. docs/dependencies.md has versions and purposes." >&2
    exit 69
fi
if [ "$known" = no ]; then
    echo "install-deps: ${PRETTY_NAME:-this distribution} is not known here (Ubuntu 18.04, 20.04, 22.04, 24.04;" \
        "Debian 11, 12, 13); trying the package names of Debian 12: ${required[*]}" >&2
fi

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; return; fi
    command -v sudo >/dev/null || { echo "install-deps: needs root or sudo to install packages: $missing_text" >&2; exit 77; }
    sudo "$@"
}

install() {
    echo "install-deps: installing $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# A name that other packages depend on is known, too, but cannot be installed.
can_be_installed() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep '^  Candidate: [^(]' >/dev/null; }

missing=()
for package in "${required[@]}"; do is_installed "$package" || missing+=("$package"); done
missing_text=${missing[*]-}
if [ ${#missing[@]} -gt 0 ]; then
    as_root apt-get update -qq
    unknown=()
    for package in "${missing[@]}"; do can_be_installed "$package" || unknown+=("$package"); done
    if [ ${#unknown[@]} -gt 0 ]; then
        echo "install-deps: the package sources here have no ${unknown[*]}; docs/dependencies.md says what each is for" >&2
        exit 69
    fi
    install "${missing[@]}"
fi
missing=()
for package in "${optional[@]}"; do
    if ! is_installed "$package" && can_be_installed "$package"; then missing+=("$package"); fi
done
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; then
        install "${missing[@]}"
    else
        echo "install-deps: no root and no sudo: going on without ${missing[*]}"
    fi
fi
[ ${#from_cmake[@]} -eq 0 ] ||
    echo "install-deps: $PRETTY_NAME packages no ${from_cmake[*]} that is new enough: CMake fetches a pinned release"
