#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots the systemd of a folder with a Debian in it as PID 1 of namespaces of its own, and plays one command there as a service. The folder stays
# as it is: all is written to memory.
#   usage: boot.sh ROOT SHARED LIMIT_S COMMAND...      SHARED: a folder that is /shared inside, read-only but for /shared/out
# Exit status: that of the command. Its output comes through /shared/out/report.
set -euo pipefail

[ $# -ge 4 ] || { sed -n 's/^# *usage: /usage: /p' "$0" >&2; exit 64; }
export root=$1 shared=$2
limit=$3
shift 3
[ "$(id -u)" -eq 0 ] || { echo "boot: needs root (namespaces and mounts)" >&2; exit 77; }
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$cgroups" ] || { echo "boot: no cgroup2 is mounted here" >&2; exit 77; }
group=$cgroups/tegu-packages-$$
mkdir "$group"
leave() {
    local folder attempt
    for attempt in $(seq 50); do
        find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
        [ -d "$group" ] || return 0
        sleep 0.1
    done
    echo "boot: cannot remove the cgroup $group" >&2
}
trap leave EXIT
mkdir -p "$shared/out"
rm -f "$shared/out/report" "$shared/out/status"
export command="$*"

inner() {
    set -eu
    mount --make-rprivate /
    mount -t tmpfs tmpfs /mnt
    mkdir /mnt/upper /mnt/work /mnt/root
    mount -t overlay overlay -o "lowerdir=$root,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
    cd /mnt/root
    mount -t proc proc proc
    mount --rbind /sys sys
    umount -R sys/fs/cgroup
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -o remount,ro,bind sys
    mount -t tmpfs -o mode=755 tmpfs dev
    for node in null zero full random urandom tty; do
        : >"dev/$node"
        mount --bind "/dev/$node" "dev/$node"
    done
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
    ln -s pts/ptmx dev/ptmx
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs -o mode=1777 tmpfs tmp
    mkdir -p shared
    mount --rbind "$shared" shared
    mount --bind shared/out shared/out
    mount -o remount,ro,bind shared
    mount --bind proc/sys proc/sys
    mount -o remount,ro,bind proc/sys
    rm -f etc/machine-id
    echo 7465677564746573740000000000000b >etc/machine-id
    printf '[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=no\nRateLimitIntervalSec=0\n' >etc/systemd/journald.conf
    cat >etc/systemd/system/check.service <<UNIT
[Unit]
After=multi-user.target dbus.service
[Service]
Type=oneshot
TimeoutStartSec=infinity
Environment=LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ExecStart=/bin/sh -c '$command; echo \$\$? >/shared/out/status'
ExecStopPost=systemctl --force exit
StandardOutput=file:/shared/out/report
StandardError=inherit
UNIT
    mkdir -p etc/systemd/system/multi-user.target.wants
    ln -s ../check.service etc/systemd/system/multi-user.target.wants/
    pivot_root . mnt
    umount -l mnt
    exec env -i container=tegu-packages PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=multi-user.target --show-status=no
}
export -f inner

timeout --kill-after=5 "$limit" unshare --fork --pid --kill-child --mount --uts --ipc --cgroup --mount-proc \
    bash -c "echo \$\$ >/dev/null; inner" </dev/null >"$shared/out/boot.log" 2>&1 &
child=$!
echo "$child" >"$group/cgroup.procs"
wait "$child" || true
cat "$shared/out/report" 2>/dev/null || { echo "boot: it did not boot:"; tail -20 "$shared/out/boot.log"; }
exit "$(cat "$shared/out/status" 2>/dev/null || echo 1)"
