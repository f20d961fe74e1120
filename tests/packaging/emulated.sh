#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/check-packages.sh, in a mount namespace of its own: installs the packages in a Debian of another architecture, starts the daemon as
# its user, and runs the tests of the clients in Python and C against it. No systemd runs there: emulation does not carry it.
set -euo pipefail

mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$root,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
mkdir -p /mnt/root/{packages,source,cudart,built/bin,built/lib,built/tests}
mount --rbind /dev /mnt/root/dev
mount -t proc proc /mnt/root/proc
mount --bind "$packages" /mnt/root/packages
mount --bind "$source" /mnt/root/source
mount -o remount,ro,bind /mnt/root/source
for library in "$modules"/cuda-*-arm64/toolkit/lib64/libcudart.so.*; do
    if [ -e "$library" ]; then cp "$library" /mnt/root/cudart/; fi
done
cp "$tree/c_test" /mnt/root/built/tests/client_c_test
chroot /mnt/root /usr/bin/env -i LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive bash -euo pipefail -s <<'INSIDE'
step() { echo "== $* ($SECONDS s)"; }
step install
uname -m
apt-get -q -y install /packages/{tegud,tegu,libtegu0,libtegu-dev}_*_arm64.deb /packages/python3-tegu_*_all.deb >/tmp/apt.log 2>&1 ||
    { tail -20 /tmp/apt.log; exit 1; }
step start
install -d -o tegud -g tegu-clients /run/tegud
setpriv --reuid=tegud --regid=tegud --groups="$(getent group tegu-clients | cut -d: -f3)" tegud &
daemon=$!
for attempt in $(seq 300); do tegu ping >/dev/null 2>&1 && break; sleep 0.2; done
tegu ping
tegu reduce --stats sum,mean,std /source/tests/data/camera.pgm
tegu info
kill "$daemon"
wait "$daemon"
# The tests look for programs and library in a build folder.
ln -s /usr/sbin/tegud /usr/bin/tegu /built/bin/
ln -s /usr/lib/aarch64-linux-gnu/libtegu.so.0 /built/lib/
export TEGU_BUILD_DIR=/built TEGU_LIBRARY=/usr/lib/aarch64-linux-gnu/libtegu.so.0 PYTHONDONTWRITEBYTECODE=1
cd /source/tests/client
step C
python3 with_daemon.py /built/tests/client_c_test
for script in python_test operations_test; do
    step "$script"
    python3 "$script.py"
done
# Each module is loaded with its CUDA runtime, and finds that there is no driver. Without the runtime it is not loaded.
for package in /packages/tegu-cuda-[0-9]*_arm64.deb; do
    [ -e "$package" ] || continue
    name=${package##*/} name=${name%%_*} folder=/modules/${name##*-}
    step "$name"
    mkdir -p "$folder"
    dpkg-deb -x "$package" /tmp/unpacked
    mv "/tmp/unpacked/usr/lib/aarch64-linux-gnu/tegu/$name.so" "$folder/"
    printf '[gpu]\nmodules = "%s"\n' "$folder" >/tmp/module.toml
    for libraries in /cudart /nowhere; do
        LD_LIBRARY_PATH=$libraries tegud --config /tmp/module.toml --socket /tmp/module.sock >/tmp/module.log 2>&1 &
        daemon=$!
        for attempt in $(seq 300); do tegu --socket /tmp/module.sock ping >/dev/null 2>&1 && break; sleep 0.2; done
        kill "$daemon"
        wait "$daemon"
        grep -h "$name.so" /tmp/module.log
        case $libraries in
        /cudart) grep -q "$name.so: no NVIDIA driver" /tmp/module.log ;;
        /nowhere) grep -q "$name.so: libcudart.so.*: cannot open shared object file" /tmp/module.log ;;
        esac
    done
done
step done
INSIDE
