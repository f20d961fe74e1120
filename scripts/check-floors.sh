#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds HEAD with the oldest tools that can be had: a chroot of Debian 11 with CUDA 11.2, g++ 10 (9 for device code),
# CMake 3.18, Boost 1.74, systemd 247 and python 3.9. Runs the tests that need no GPU, then scripts/build-nano.sh.
# Needs root, debootstrap, curl, a package mirror, 6 GB, and most of an hour on 2 cores. Run by hand: docs/dependencies.md
# has when, and what it found.
#   usage: scripts/check-floors.sh [--targets "A B ..."] [--architectures one|LIST] [--no-tests] [--no-nano] [FOLDER]     default FOLDER: /var/tmp/tegu-floor
# --targets: builds these alone, and runs no tests.
set -euo pipefail
cd "$(dirname "$0")/.."

targets= architectures=one tests=yes nano=yes folder=/var/tmp/tegu-floor
while [ $# -gt 0 ]; do
    case $1 in
    --targets) targets=$2; tests=no; shift 2 ;;
    --architectures) architectures=$2; shift 2 ;;
    --no-tests) tests=no; shift ;;
    --no-nano) nano=no; shift ;;
    -*) echo "check-floors: unknown argument '$1'" >&2; exit 64 ;;
    *) folder=$1; shift ;;
    esac
done

[ "$(id -u)" -eq 0 ] || { echo "check-floors: needs root (chroot and mounts)" >&2; exit 77; }
command -v debootstrap >/dev/null || { echo "check-floors: needs debootstrap" >&2; exit 69; }
suite=bullseye
mirror=$(scripts/mirror.sh debian)
[ -e "$folder/etc/debian_version" ] ||
    debootstrap --variant=minbase --components=main,contrib,non-free --include=git,ca-certificates "$suite" "$folder" "$mirror" >/dev/null
echo "deb $mirror $suite main contrib non-free" >"$folder/etc/apt/sources.list"
rm -rf "$folder/root/tegu"
git clone -q --no-hardlinks . "$folder/root/tegu"

# Debian 11 has neither of these two, which are headers alone: those of Debian 12.
fetch() {  # SHA256 URL
    local file=$folder/root/packages/${2##*/}
    if ! echo "$1  $file" | sha256sum --check --status 2>/dev/null; then
        curl -fsSL --retry 3 -o "$file" "$2"
        echo "$1  $file" | sha256sum --check --quiet
    fi
}
mkdir -p "$folder/root/packages"
fetch 2779cce0001466dcf60eb6262ff68a888d49f9e30aee80c499d1d4f6f9f6e12e "$mirror"/pool/main/t/tomlplusplus/libtomlplusplus-dev_3.3.0+ds-1_amd64.deb
fetch f1f6ee9ec053e0e0bcec47345e241b6a8ee006321248b4329e9ce88d2b4b64a8 "$mirror"/pool/main/c/cli11/libcli11-dev_2.1.2+ds-1_all.deb

# A mount namespace of its own: nothing stays mounted, whatever happens.
export folder targets architectures tests
unshare --mount --fork --pid --kill-child bash -euo pipefail -s <<'INSIDE'
mount --make-rprivate /
mount --bind "$folder" "$folder"  # for pivot_root
mount -t proc proc "$folder/proc"
mount -t sysfs sysfs "$folder/sys"
mount --rbind /sys/fs/cgroup "$folder/sys/fs/cgroup"
mount --rbind /dev "$folder/dev"
mount -t tmpfs tmpfs "$folder/run"
cp /etc/resolv.conf "$folder/etc/resolv.conf" 2>/dev/null || true
cp /etc/hosts "$folder/etc/hosts" 2>/dev/null || true
# No chroot, in which nobody can make namespaces: the tests of the units run this Debian's systemd in some, with control groups.
cd "$folder"
pivot_root . .
umount -l .
cd /
inside() { env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    targets="$targets" architectures="$architectures" JOBS="${JOBS:-$(nproc)}" bash -euo pipefail -c "$1" </dev/null; }
inside 'if ! command -v nvcc >/dev/null || ! command -v g++-9 >/dev/null || ! [ -e /usr/include/ncurses.h ]; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends nvidia-cuda-toolkit g++-9 g++ cmake ninja-build pkg-config libboost-dev libboost-context-dev \
        libsystemd-dev libncurses-dev libpng-dev zlib1g-dev libgtest-dev libbenchmark-dev python3 python3-numpy procps util-linux systemd >/dev/null
fi
[ -e /usr/include/toml++/toml.h ] && [ -e /usr/include/CLI/CLI.hpp ] || for package in /root/packages/*.deb; do dpkg-deb -x "$package" /; done
nvcc --version | sed -n "s/.*release/CUDA/p"; g++ --version | head -1; cmake --version | head -1'
began=$(date +%s)
inside 'cd /root/tegu && mkdir -p build && CUDAHOSTCXX=/usr/bin/g++-9 cmake -S . -B build/floor -G Ninja -DTEGU_CUDA=on "-DTEGU_CUDA_ARCHITECTURES=$architectures" \
    -DTEGU_TESTS=ON -DTEGU_BENCH=ON -DCMAKE_BUILD_TYPE=Release >build/floor.log 2>&1 &&
    cmake --build build/floor --parallel "$JOBS" ${targets:+--target $targets} >>build/floor.log 2>&1 ||
    { grep -E -A 12 "[Ee]rror|FAILED" build/floor.log | head -80; exit 1; }'
echo "check-floors: built (${targets:-all}) in $(($(date +%s) - began)) s"
[ "$tests" = no ] || inside 'cd /root/tegu/build/floor && ctest --output-on-failure --parallel "$JOBS" -LE "^gpu$"'
INSIDE
[ "$nano" = no ] || scripts/build-nano.sh
