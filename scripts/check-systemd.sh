#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plays the scenarios of tests/systemd with an older systemd as PID 1, that of Ubuntu 18.04 say: verifies the units with its systemd-analyze, then
# runs its systemd and systemctl, with the libraries they were built for, in the namespaces of those tests. All else is this machine's, so a
# build of any preset does. Needs root, debootstrap, a package mirror, 300 MB; minutes. Run by hand; docs/systemd.md says when it was.
#   usage: scripts/check-systemd.sh [--build DIR] [SUITE [MIRROR]]      default: build/release, bionic, and the mirror of apt if that is one of Ubuntu
# A systemd from 254 on runs a helper of its own, which only that of this machine has: run the tests on such a machine instead.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/release
if [ "${1:-}" = --build ]; then build=$2; shift 2; fi
suite=${1:-bionic}
mirror=${2:-$(scripts/mirror.sh ubuntu)}
export suite mirror
build=$(cd "$build" && pwd)
export build root=/var/tmp/tegu-$suite

[ "$(id -u)" -eq 0 ] || { echo "check-systemd: needs root (namespaces and mounts)" >&2; exit 77; }
command -v debootstrap >/dev/null || { echo "check-systemd: needs debootstrap" >&2; exit 69; }
[ -x "$root/lib/systemd/systemd" ] ||
    debootstrap --no-check-gpg --variant=minbase --include=systemd,dbus "$suite" "$root" "$mirror" >/dev/null

# A mount namespace of its own: nothing stays mounted, whatever happens.
unshare --mount --pid --fork --kill-child --mount-proc bash -euo pipefail -s <<'INSIDE'
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/old
mount --bind "$root" /mnt/old
loader=$(chroot /mnt/old sh -c 'readlink -f /lib64/ld-linux-*.so.2 /lib/ld-linux-*.so.1' 2>/dev/null | head -1)
libraries=/mnt/old/lib/systemd:/mnt/old/usr/lib/systemd
for folder in /mnt/old/lib/*-linux-gnu /mnt/old/usr/lib/*-linux-gnu; do libraries+=:$folder:$folder/systemd; done
wrap() {  # NAME PROGRAM PLACE: the program of the other system, in place of this one's
    printf '#!/bin/sh\nexec /mnt/old%s --library-path %s %s "$@"\n' "$loader" "$libraries" "$2" >"/mnt/$1"
    chmod +x "/mnt/$1"
    mount --bind "/mnt/$1" "$(readlink -f "$3")"
}
wrap systemd /mnt/old/lib/systemd/systemd /lib/systemd/systemd
wrap systemctl /mnt/old/bin/systemctl "$(command -v systemctl)"
wrap systemd-analyze /mnt/old/usr/bin/systemd-analyze "$(command -v systemd-analyze)"
echo "check-systemd: $(systemctl --version | head -1) as PID 1"
export TEGU_BUILD_DIR=$build LC_ALL=C.UTF-8
failed=
play() { echo "== $*"; python3 "$@" || { [ $? -eq 77 ] || failed+=" $*"; }; }
play tests/systemd/units_test.py
for scenarios in life.py store.py "watchdog.py tests/wedged_tegud" reload.py stop.py limits.py "--memory memory.py" metrics.py "--bare install.py"; do
    play tests/systemd/service_test.py $scenarios
done
[ -z "$failed" ] || { echo "check-systemd: failed:$failed" >&2; exit 1; }
INSIDE
