#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds packaging/Containerfile with buildah, on a base of this Debian in place of NVIDIA's image, from packages for
# this machine without CUDA. Runs the daemon in the container, and a job through it. Needs root, buildah, debootstrap
# and a package mirror; no container runtime. Run by hand, before a release.
#   usage: scripts/check-container.sh [PACKAGES] [SUITE]      default: build/packages bookworm
set -euo pipefail
cd "$(dirname "$0")/.."
packages=${1:-build/packages} suite=${2:-bookworm}

[ "$(id -u)" -eq 0 ] || { echo "check-container: needs root" >&2; exit 77; }
for program in buildah debootstrap; do
    command -v $program >/dev/null || { echo "check-container: needs $program" >&2; exit 69; }
done
compgen -G "$packages/tegud_*_$(dpkg --print-architecture).deb" >/dev/null ||
    { echo "check-container: no tegud package for this machine in $packages; scripts/package.sh makes it" >&2; exit 66; }

base=/var/tmp/tegu-base-$suite
[ -e "$base/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$base" >/dev/null
work=$(mktemp -d)
run_buildah() { buildah --root "$work/root" --runroot "$work/run" --storage-driver vfs "$@"; }
cleanup() {
    run_buildah rm --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT

empty=$(run_buildah from scratch)
run_buildah copy -q "$empty" "$base" / >/dev/null
run_buildah commit -q --rm "$empty" tegu-base >/dev/null
run_buildah build --isolation chroot --build-arg BASE=localhost/tegu-base --build-arg CUDA=none --tag tegu \
    --file packaging/Containerfile "$packages" >"$work/log" 2>&1 || { tail -40 "$work/log" >&2; exit 1; }
container=$(run_buildah from --pull=never localhost/tegu)
run_buildah inspect --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} as {{.OCIv1.Config.User}}' "$container"
# As the container starts it: entry point and arguments of the image, its user, its environment.
run_buildah run --isolation chroot "$container" -- sh -euc '
    [ "$(id -un)" = tegud ]
    /usr/sbin/tegud --socket /run/tegud/tegud.sock &
    tries=0
    until tegu ping >/tmp/ping 2>&1; do
        tries=$((tries + 1))
        if [ $tries -eq 200 ]; then cat /tmp/ping; exit 1; fi
        sleep 0.1
    done
    head -c 1000000 /dev/zero | tr "\0" "a" >/tmp/letters
    tegu reduce --dtype u8 --shape 1000000 --stats sum,max /tmp/letters
    tegu info | grep -E "^ *(backend|health) "
    kill $!
    wait $! || true'
echo "check-container: a job was served in the container"
