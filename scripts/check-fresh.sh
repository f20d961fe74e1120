#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the README's two commands on a machine that has nothing but git: a fresh chroot of a Debian or Ubuntu suite with a clone
# of HEAD. The demo runs twice, the tests once. Needs root, debootstrap and a package mirror. Run by hand, before a release.
#   usage: scripts/check-fresh.sh [SUITE] [FOLDER] [-- TEST PRESETS]      default: bookworm /var/tmp/tegu-SUITE -- release
set -euo pipefail
cd "$(dirname "$0")/.."

suite=bookworm folder= presets=(release)
[ $# -gt 0 ] && [ "$1" != -- ] && { suite=$1; shift; }
[ $# -gt 0 ] && [ "$1" != -- ] && { folder=$1; shift; }
[ $# -gt 1 ] && { shift; presets=("$@"); }
folder=${folder:-/var/tmp/tegu-$suite}

[ "$(id -u)" -eq 0 ] || { echo "check-fresh: needs root (chroot and mounts)" >&2; exit 77; }
command -v debootstrap >/dev/null || { echo "check-fresh: needs debootstrap" >&2; exit 69; }

[ -e "$folder/etc/debian_version" ] ||
    debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$folder" >/dev/null
rm -rf "$folder/root/tegu"
git clone -q --no-hardlinks . "$folder/root/tegu"

# A mount namespace of its own: nothing stays mounted, whatever happens.
export folder
unshare --mount --fork --pid --kill-child bash -euo pipefail -s -- "${presets[@]}" <<'INSIDE'
mount --make-rprivate /
mount -t proc proc "$folder/proc"
mount -t sysfs sysfs "$folder/sys"
mount --rbind /dev "$folder/dev"
mount -t tmpfs tmpfs "$folder/run"
cp /etc/resolv.conf "$folder/etc/resolv.conf" 2>/dev/null || true
cp /etc/hosts "$folder/etc/hosts" 2>/dev/null || true
inside() { env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 chroot "$folder" bash -euo pipefail -c "$1" </dev/null; }
for run in first second; do
    began=$(date +%s)
    inside "cd /root/tegu && scripts/demo.sh"
    echo "check-fresh: $run demo took $(($(date +%s) - began)) s"
done
began=$(date +%s)
inside "cd /root/tegu && scripts/test.sh $*"
echo "check-fresh: tests ($*) took $(($(date +%s) - began)) s"
INSIDE
