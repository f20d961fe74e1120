#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/check-packages.sh, in a mount namespace of its own: installs tegu-cuda-source in a Debian, builds the
# module by tegu-build-cuda with the toolkit of $toolkit, and lets tegud load it.
set -euo pipefail

mount --make-rprivate /
mount -t tmpfs -o size=4g tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$root,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
mkdir -p /mnt/root/{packages,toolkit}
mount --rbind /dev /mnt/root/dev
mount -t proc proc /mnt/root/proc
mount --bind "$packages" /mnt/root/packages
cp -r "$toolkit/." /mnt/root/toolkit/
# The toolkit names its library by its path.
echo "INPUT(/toolkit/lib64/libcudart.so)" >/mnt/root/toolkit/lib64/libcudart_static.a
chroot /mnt/root /usr/bin/env -i LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive bash -euo pipefail -s <<'INSIDE'
step() { echo "== $* ($SECONDS s)"; }
step install
apt-get -q update >/tmp/apt.log 2>&1
apt-get -q -y install --no-install-recommends /packages/{tegud,tegu,libtegu0}_*_amd64.deb /packages/tegu-cuda-source_*_all.deb >>/tmp/apt.log 2>&1 ||
    { tail -20 /tmp/apt.log; exit 1; }
step "bad arguments change nothing"
for bad in "--toolkit /nowhere" "--architectures fast" "--jobs 0" "--speed"; do
    if tegu-build-cuda $bad; then echo "tegu-build-cuda $bad was taken"; exit 1; fi
done
step "a toolkit that cannot compile"
mkdir -p /broken/bin
printf '#!/bin/sh\nexit 1\n' >/broken/bin/nvcc
chmod +x /broken/bin/nvcc
if tegu-build-cuda --toolkit /broken; then echo "the broken toolkit was taken"; exit 1; fi
[ ! -e /usr/lib/tegu ]
step build
tegu-build-cuda --toolkit /toolkit --architectures 87 --jobs 2
ls -l /usr/lib/tegu
step load
LD_LIBRARY_PATH=/toolkit/lib64 tegud --socket /tmp/tegud.sock >/tmp/tegud.log 2>&1 &
daemon=$!
for attempt in $(seq 300); do tegu --socket /tmp/tegud.sock ping >/dev/null 2>&1 && break; sleep 0.1; done
kill "$daemon"
wait "$daemon"
cat /tmp/tegud.log
grep -q 'tegu-cuda-[0-9]*.so: no NVIDIA driver' /tmp/tegud.log
step purge
apt-get -q -y purge tegu-cuda-source >/tmp/apt.log 2>&1
[ ! -e /usr/lib/tegu ] || { ls -lR /usr/lib/tegu; exit 1; }
step done
INSIDE
