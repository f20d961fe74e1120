#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The service under a real systemd: PID 1 of namespaces of its own (PID, mount, cgroup, UTS, IPC), with the
shipped units, the users of sysusers.d, and a journal. Inside, a file of scenarios is played; its report comes
back through a file.
    service_test.py [--bare] [--memory] SCENARIOS [PROGRAM]     SCENARIOS: a file of this folder; PROGRAM:
    what is tegud, within the build (bin/tegud)
With --bare tegu is not there: the scenarios install it, below a copy of /usr/local. With --memory systemd can
limit memory: where the kernel has that controller in version 1 alone, as on JetPack up to 5, cgroups are
mounted as there.

Nothing of the host is changed: /etc, /run, /opt, /tmp and /var/lib are private copies or empty, /proc/sys is
read-only, and the cgroup, the mounts and every process are gone when this ends. Exit 77 where a namespace, a
cgroup or a program cannot be had."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TEGU_BUILD_DIR", "")
BARE, MEMORY = ("--" + word in sys.argv for word in ("bare", "memory"))
ARGUMENTS = [word for word in sys.argv[1:] if word not in ("--bare", "--memory")]
SCENARIOS, PROGRAM = (ARGUMENTS + ["bin/tegud"])[:2] if ARGUMENTS else ("", "")
LIMIT_S = float(os.environ.get("TEGU_SYSTEMD_LIMIT_S", "800"))  # of a busy machine
PREFIX = "/opt/tegu"

# What PID 1 needs besides our units. Everything else of the host stays out: SYSTEMD_UNIT_PATH names this
# folder alone.
STUB_UNITS = {
    "default.target": "[Unit]\nDefaultDependencies=no\nWants=systemd-journald.service scenarios.service\n",
    "sysinit.target": "[Unit]\nDefaultDependencies=no\n",
    "basic.target": "[Unit]\nDefaultDependencies=no\n",
    "sockets.target": "[Unit]\nDefaultDependencies=no\n",
    "timers.target": "[Unit]\nDefaultDependencies=no\n",
    "shutdown.target": "[Unit]\nDefaultDependencies=no\n",
    "exit.target": "[Unit]\nDefaultDependencies=no\n",
    "systemd-journald.socket": "[Unit]\nDefaultDependencies=no\n"
    "[Socket]\nListenStream=/run/systemd/journal/stdout\n"
    "ListenDatagram=/run/systemd/journal/socket\nPassCredentials=yes\nPassSecurity=yes\n",
    "systemd-journald.service": "[Unit]\nDefaultDependencies=no\n"
    "Requires=systemd-journald.socket\nAfter=systemd-journald.socket\n"
    "[Service]\nType=notify\nSockets=systemd-journald.socket\nFileDescriptorStoreMax=64\n"
    "ExecStart=%(journald)s\nStandardOutput=null\n",
    # After=tegud.service orders nothing here, but a unit that is referred to is not forgotten when it stops:
    # how it ended can be asked.
    "scenarios.service": "[Unit]\nDefaultDependencies=no\nAfter=systemd-journald.service tegud.service\n"
    "[Service]\nType=oneshot\nTimeoutStartSec=infinity\nPassEnvironment=%(environment)s\n"
    "ExecStart=%(python)s -B %(prefix)s/source/tests/systemd/%(scenarios)s %(prefix)s/work\n"
    "ExecStopPost=%(systemctl)s --force exit\n"
    "StandardOutput=file:%(prefix)s/work/report\nStandardError=inherit\n",
    # The daemon without a socket unit: it makes its own socket.
    "tegud-alone.service": "[Service]\nType=notify\nUser=tegud\nRuntimeDirectory=tegud-alone\n"
    "ExecStart=%(prefix)s/sbin/tegud --socket /run/tegud-alone/tegud.sock\n",
}

# Becomes PID 1. /tmp, /var/tmp and /var/lib are covered too, for PrivateTmp= and StateDirectory= leave
# folders there: what is needed of them is bound first.
INNER = r"""
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir /run/etc
cp -a /etc/. /run/etc/
cp -a "$work"/etc/. /run/etc/
mount --bind /run/etc /etc
mount -t tmpfs tmpfs /opt
mkdir -p /opt/tegu/sbin /opt/tegu/bin /opt/tegu/lib /opt/tegu/source /opt/tegu/build /opt/tegu/work
cp "$build/$program" /opt/tegu/sbin/tegud
cp "$build/bin/tegu" /opt/tegu/bin/tegu
cp "$build/tests/systemd_load_client" /opt/tegu/bin/load_client
if [ -e "$build/tests/reliability_load_client" ]; then
    cp "$build/tests/reliability_load_client" /opt/tegu/bin
fi
cp -L "$build/lib/libtegu.so.0" /opt/tegu/lib/libtegu.so.0
mount --bind "$source" /opt/tegu/source
mount --bind "$build" /opt/tegu/build
mount --bind "$work" /opt/tegu/work
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /var/tmp
mount -t tmpfs tmpfs /var/lib
if [ -n "$bare" ]; then  # CMake has noted where its folders are
    mkdir -p "$build" "$source" /run/local/upper /run/local/work
    mount --bind /opt/tegu/build "$build"
    mount --bind /opt/tegu/source "$source"
    layers=lowerdir=/usr/local,upperdir=/run/local/upper,workdir=/run/local/work
    mount -t overlay overlay -o $layers /usr/local
    mount -t tmpfs tmpfs /var/cache
    rm -rf /etc/systemd/system /etc/tegud
    mkdir /etc/systemd/system
fi
cd /
mount --bind /proc/sys /proc/sys
mount -o remount,ro,bind /proc/sys
umount -R /sys/fs/cgroup
if [ -n "$version1" ]; then
    mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
    mkdir /sys/fs/cgroup/unified /sys/fs/cgroup/systemd /sys/fs/cgroup/memory
    mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
    mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
    mount -t cgroup -o memory cgroup /sys/fs/cgroup/memory
else
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
fi
mkdir -p /run/systemd/journal
exec "$systemd" --system --unit=default.target --log-target=journal --show-status=no
"""


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def find_program(*paths):
    for path in paths:
        found = shutil.which(path)
        if found:
            return found
    return None


def cgroup_mount(*options):
    """Where version 2 of cgroups is mounted; with options, a hierarchy of version 1 that has them."""
    with open("/proc/self/mountinfo") as mounts:
        for line in mounts:
            fields, _, rest = line.partition(" - ")
            kind, _, mounted = rest.split()
            if kind == ("cgroup" if options else "cgroup2") and set(options) <= set(mounted.split(",")):
                return fields.split()[4]
    return None


def own_cgroup(mount, option):
    """The folder of this process in a hierarchy of version 1."""
    with open("/proc/self/cgroup") as lines:
        for line in lines:
            _, options, path = line.rstrip("\n").split(":", 2)
            if option in options.split(","):
                return mount + path
    return mount


def cgroups():
    """The folders to make for the test, those of version 1 only where it needs them."""
    root = cgroup_mount()
    if root is None:
        skip("no cgroup2 is mounted here")
    found = [root]
    with open(os.path.join(root, "cgroup.controllers")) as controllers:
        if MEMORY and "memory" not in controllers.read().split():
            for option in ("memory", "name=systemd"):
                mount = cgroup_mount(option)
                if mount is None:
                    skip("no controller of memory here")
                found.append(own_cgroup(mount, option))
    return [os.path.join(folder, "tegu-test-%d" % os.getpid()) for folder in found]


def make_users(work):
    """Copies of the user tables with the users of sysusers.d and two people: one may connect, one may not."""
    os.makedirs(os.path.join(work, "etc"))
    for name in ("passwd", "group", "shadow", "gshadow"):
        if os.path.exists("/etc/" + name):
            shutil.copy2("/etc/" + name, os.path.join(work, "etc"))
    conf = os.path.join(work, "people.conf")
    with open(conf, "w") as people:
        people.write(
            "u tegu-friend 4101\nu tegu-stranger 4102\n" + ("" if BARE else "m tegu-friend tegu-clients\n")
        )
    users = [] if BARE else [os.path.join(SOURCE, "systemd", "sysusers.conf")]
    done = subprocess.run(
        ["systemd-sysusers", "--root=" + work] + users + [conf],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    if done.returncode != 0:
        print(done.stdout)
        sys.exit("systemd-sysusers refuses systemd/sysusers.conf")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def make_units(work, programs):
    units = os.path.join(work, "units")
    for name, text in STUB_UNITS.items():
        write(os.path.join(units, name), text % programs)
    if os.environ.get(
        "TEGU_SANITIZE"
    ):  # sanitizers trace themselves and re-execute without address randomisation
        for name in ("tegud", "tegud-textfile"):
            write(
                os.path.join(units, name + ".service.d", "sanitize.conf"),
                "[Service]\nEnvironment=ASAN_OPTIONS=detect_leaks=0\nLockPersonality=no\n"
                "MemoryDenyWriteExecute=no\nTimeoutStartSec=60\n",
            )
    if BARE:
        return
    with open(os.path.join(BUILD, "systemd", "tegud.service")) as unit:
        text = re.sub(r"(?m)^ExecStart=\S+", "ExecStart=%s/sbin/tegud" % PREFIX, unit.read())
    write(os.path.join(units, "tegud.service"), text)
    for name in ("tegud.socket", "tegud-metrics.socket"):
        shutil.copy(os.path.join(SOURCE, "systemd", name), units)
    os.makedirs(os.path.join(units, "tegud.service.d"), exist_ok=True)
    for name in os.listdir(os.path.join(SOURCE, "systemd", "dropins")):  # as cmake --install chooses them
        found = re.match(r"10-.*-(\d+)\.conf$", name)
        if found and int(found.group(1)) <= programs["version"]:
            shutil.copy(
                os.path.join(BUILD, "systemd", "dropins", name), os.path.join(units, "tegud.service.d")
            )


def run_inside(work, groups, programs):
    """Runs systemd in the namespaces; True if it ended by itself."""
    environment = dict(
        os.environ,
        work=work,
        build=BUILD,
        source=SOURCE,
        program=PROGRAM,
        bare="yes" if BARE else "",
        version1="yes" if len(groups) > 1 else "",
        systemd=programs["systemd"],
        container="tegu-test",
        SYSTEMD_UNIT_PATH=PREFIX + "/work/units",
        LD_LIBRARY_PATH=PREFIX + "/lib",
        LC_ALL="C.UTF-8",
        TEGU_SOURCE_DIR=SOURCE,
    )
    if BARE:
        environment["SYSTEMD_UNIT_PATH"] += ":/etc/systemd/system:/usr/local/lib/systemd/system"
    environment.pop("NOTIFY_SOCKET", None)

    def enter_cgroup():
        for group in groups:
            with open(os.path.join(group, "cgroup.procs"), "w") as members:
                members.write(str(os.getpid()))

    child = subprocess.Popen(
        [
            "unshare",
            "--fork",
            "--pid",
            "--kill-child",
            "--mount",
            "--uts",
            "--ipc",
            "--cgroup",
            "--mount-proc",
            "sh",
            "-c",
            INNER,
        ],
        env=environment,
        preexec_fn=enter_cgroup,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        output = child.communicate(timeout=LIMIT_S)[0]
    except subprocess.TimeoutExpired:
        child.kill()  # --kill-child takes PID 1 with it, and the kernel the rest of the namespace
        output = child.communicate()[0]
        print("systemd did not end within %d s" % LIMIT_S)
    sys.stdout.write(output.decode(errors="replace"))


def remove_cgroup(cgroup):
    """Removes the cgroup and everything below it, once the kernel has taken away the last process of the
    namespace."""
    for attempt in range(50):
        try:
            for folder, _, _ in os.walk(cgroup, topdown=False):
                os.rmdir(folder)
            return True
        except OSError as error:
            problem = error
            time.sleep(0.1)
    print("cannot remove the cgroup: %s" % problem)
    return False


def main():
    if os.geteuid() != 0:
        skip("needs root to make namespaces")
    programs = {
        "systemd": find_program("/lib/systemd/systemd", "/usr/lib/systemd/systemd"),
        "journald": find_program("/lib/systemd/systemd-journald", "/usr/lib/systemd/systemd-journald"),
        "systemctl": find_program("systemctl"),
        "python": sys.executable,
        "prefix": PREFIX,
        "scenarios": SCENARIOS,
        "environment": "LD_LIBRARY_PATH TEGU_SANITIZE PATH TEGU_KILLS TEGU_STORE_KILLS TEGU_SEED "
        "TEGU_SOURCE_DIR TEGU_BUILD_DIR",
    }
    for name in ("systemd", "journald", "systemctl"):
        if programs[name] is None:
            skip("no " + name + " here")
    for name in ("unshare", "systemd-sysusers", "journalctl", "mount"):
        if find_program(name) is None:
            skip("no " + name + " here")
    version = subprocess.run(
        [programs["systemctl"], "--version"], stdout=subprocess.PIPE, universal_newlines=True
    ).stdout
    programs["version"] = int(re.search(r"systemd (\d+)", version).group(1))
    groups = cgroups()
    for group in groups:
        try:
            os.mkdir(group)
        except OSError as error:
            skip("cannot make a cgroup: %s" % error)
    work = tempfile.mkdtemp(prefix="tegu-systemd-")
    os.chmod(work, 0o755)
    try:
        if (
            subprocess.run(
                ["unshare", "--fork", "--pid", "--mount", "--cgroup", "--mount-proc", "true"],
                stderr=subprocess.DEVNULL,
            ).returncode
            != 0
        ):
            skip("cannot make namespaces here")
        make_users(work)
        write(os.path.join(work, "etc", "machine-id"), "7465677564746573740000000000000a\n")
        write(
            os.path.join(work, "etc", "systemd", "journald.conf.d", "test.conf"),
            "[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=no\nRateLimitIntervalSec=0\n",
        )
        make_units(work, programs)
        run_inside(work, groups, programs)
        report = ""
        if os.path.exists(os.path.join(work, "report")):
            with open(os.path.join(work, "report"), errors="replace") as text:
                report = text.read()
        print(report)
        passed = os.path.exists(os.path.join(work, "passed"))
    finally:
        removed = all([remove_cgroup(group) for group in groups])
        shutil.rmtree(work)
    return 0 if passed and removed else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not BUILD:
        skip("TEGU_BUILD_DIR names the build tree")
    if not SCENARIOS:
        sys.exit("usage: service_test.py [--bare] SCENARIOS [PROGRAM]")
    sys.exit(main())
