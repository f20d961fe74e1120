#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows that packages of scripts/package.sh work. Those of amd64 are installed, used, upgraded, damaged and purged under the systemd of Debian 11,
# 12 and 13; those of arm64 are installed and pass the tests of the clients under emulation. Needs root, a package mirror, 3 GB.
#   usage: scripts/check-packages.sh [--packages FOLDER] [lintian] [repository] [SUITE...] [source] [arm64]
#     --packages FOLDER   default: build/packages
#   default: lintian repository bullseye bookworm trixie source arm64. MIRROR names the package mirror, else that of this machine's apt.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "check-packages: $1" >&2; exit "${2:-1}"; }
say() { echo "check-packages: $*"; }

packages=build/packages
while [ $# -gt 0 ]; do
    case $1 in
    --packages) packages=${2:?}; shift 2 ;;
    -h | --help) sed -n '3,/^[^#]/{/^# \{0,1\}/{s///;p}}' "$0"; exit 0 ;;
    -*) fail "unknown argument '$1'; --help shows the usage" 64 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || set -- lintian repository bullseye bookworm trixie source arm64
[ "$(id -u)" -eq 0 ] || fail "needs root (namespaces and mounts)" 77
scripts/install-deps.sh packagecheck
packages=$(cd "$packages" && pwd)
work=$PWD/build/package/check
mkdir -p "$work" build/package/chroots
mirror=$(scripts/mirror.sh debian)

# base SUITE ARCH MORE: a small Debian, made once.
base() {
    base=$PWD/build/package/chroots/$1-$2
    [ ! -e "$base.complete" ] || return 0
    say "making Debian $1 for $2"
    rm -rf "$base"
    debootstrap --arch="$2" --variant=minbase --include="$3" "$1" "$base" "$mirror" >"$base.log" || fail "debootstrap: see $base.log"
    touch "$base.complete"
}

# repack FOLDER SCRIPT PACKAGE...: copies of packages whose control files sed has changed.
repack() {
    local folder=$1 script=$2 package tree
    shift 2
    rm -rf "$folder"
    mkdir -p "$folder"
    for package; do
        tree=$(mktemp -d)
        dpkg-deb -R "$package" "$tree/it"
        sed -i "$script" "$tree/it/DEBIAN/control"
        dpkg-deb -b --root-owner-group -Zgzip -z1 "$tree/it" "$folder" >/dev/null
        rm -rf "$tree"
    done
}

check_lintian() { say "lintian"; lintian --fail-on error --suppress-tags bad-distribution-in-changes-file "$packages"/*.deb; }

# apt reads the folder as a source, and trusts it where it is signed.
check_repository() {
    say "the apt source"
    local apt=$work/apt file name trust='[trusted=yes]'
    rm -rf "$apt"
    mkdir -p "$apt"/{lists/partial,cache/archives/partial,etc}
    : >"$apt/status"
    if [ -e "$packages/InRelease" ]; then trust="[signed-by=$packages/tegu-archive-key.asc]"; fi
    echo "deb $trust file:$packages ./" >"$apt/etc/sources.list"
    local options=(-o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o "Dir::Etc::SourceList=$apt/etc/sources.list" -o Dir::Etc::SourceParts=/nonexistent -o APT::Sandbox::User=root
        -o APT::Architecture=amd64 -o APT::Architectures::=amd64 -o APT::Architectures::=arm64)
    apt-get -qq "${options[@]}" update
    for file in "$packages"/*.deb; do
        name=$(dpkg-deb -f "$file" Package)
        case $file in *_arm64.deb) name=$name:arm64 ;; esac
        apt-cache "${options[@]}" policy "$name" | grep 'Candidate: [0-9]' >/dev/null || fail "apt does not find $name in $packages"
    done
}

check_suite() {
    local version shared=$work/$1 name
    base "$1" amd64 systemd,systemd-sysv,dbus,python3-numpy
    rm -rf "$shared"
    mkdir -p "$shared"/{packages,source/tests}
    version=$(dpkg-deb -f "$packages"/tegud_*_amd64.deb Version)
    # All but tegu-cuda-source, which wants a compiler.
    for name in tegud tegu libtegu0 libtegu-dev python3-tegu tegu-cuda-11 tegu-cuda-12 tegu-cuda-13; do
        if ls "$packages/${name}_$version"_a[lm]*.deb >/dev/null 2>&1; then cp "$packages/${name}_$version"_a[lm]*.deb "$shared/packages/"; fi
    done
    repack "$shared/newer" "s/^Version: .*/&+1/; s/(= $version)/(= $version+1)/g" "$shared"/packages/*.deb
    repack "$shared/foreign" "s/^Architecture: amd64/Architecture: arm64/" "$shared"/packages/tegud_*.deb
    mkdir -p "$shared/source/tests/data"
    cp -r tests/packaging "$shared/source/tests/"
    cp tests/data/camera.pgm "$shared/source/tests/data/"
    say "the life of the packages on Debian $1"
    tests/packaging/boot.sh "$base" "$shared" 900 \
        python3 -B /shared/source/tests/packaging/scenario.py /shared/packages /shared/newer /shared/foreign /shared/source
}

# tegu-build-cuda, as on a board, with CUDA 13.
check_source() {
    base bookworm amd64 systemd,systemd-sysv,dbus,python3-numpy
    scripts/cuda-toolkit.sh 13 amd64 build/module/cuda-13-amd64
    say "a module from source"
    root=$base packages=$packages toolkit=$PWD/build/module/cuda-13-amd64/toolkit \
        unshare --fork --pid --kill-child --mount --mount-proc bash tests/packaging/from_source.sh
}

# Programs of another architecture run by qemu, which the kernel is told of while this script runs.
emulate() {
    local registry=/proc/sys/fs/binfmt_misc
    [ -e $registry/register ] || mount -t binfmt_misc none $registry || fail "the kernel has no binfmt_misc" 77
    if [ ! -e $registry/qemu-aarch64 ]; then
        cat /usr/lib/binfmt.d/qemu-aarch64*.conf >$registry/register
        trap 'echo -1 >/proc/sys/fs/binfmt_misc/qemu-aarch64' EXIT
    fi
}

check_arm64() {
    emulate
    base bookworm arm64 systemd,python3-numpy
    say "packages for arm64 under emulation"
    local tree=$PWD/build/package/zig-test triple=aarch64-linux-gnu
    mkdir -p "$tree"
    dpkg-deb -x "$packages"/libtegu0_*_arm64.deb "$tree"
    dpkg-deb -x "$packages"/libtegu-dev_*_arm64.deb "$tree"
    ZIG_GLOBAL_CACHE_DIR=$PWD/build/package/zig-cache build/package/tools-arm64/cc -std=c99 -O1 -I"$tree/usr/include" -I. tests/client/c_test.c \
        -L"$tree/usr/lib/$triple" -ltegu -o "$tree/c_test"
    root=$base packages=$packages source=$PWD tree=$tree modules=$PWD/build/module unshare --fork --pid --kill-child --mount --mount-proc bash tests/packaging/emulated.sh
}

for what; do
    case $what in
    lintian) check_lintian ;;
    repository) check_repository ;;
    source) check_source ;;
    arm64) check_arm64 ;;
    *) check_suite "$what" ;;
    esac
done
say "passed: $*"
