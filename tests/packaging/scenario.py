#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The life of the packages on one Debian: installed, used, upgraded under load, damaged, removed, purged.
Played by boot.sh, as a service of the systemd that runs there.
    scenario.py PACKAGES NEWER FOREIGN SOURCE    folders of packages: this version, the next one, those of
    another architecture; SOURCE: where tests/ lies"""

import glob
import grp
import os
import pwd
import re
import subprocess
import sys
import time
import unittest

PACKAGES, NEWER, FOREIGN, SOURCE = sys.argv[1:5]
SOCKET, SETTINGS = "/run/tegud/tegud.sock", "/etc/tegud/tegud.toml"
IMAGE = os.path.join(SOURCE, "tests/data/camera.pgm")
DROPINS = "/lib/systemd/system/tegud.service.d"


def run(*command, **more):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more
    )


def show(name, unit="tegud.service"):
    return run("systemctl", "show", "--property=" + name, unit).stdout.strip().split("=", 1)[1]


def debs(folder):
    return sorted(glob.glob(folder + "/*.deb"))


def apt(*words, **more):
    """apt-get without a terminal; what the packages need is there already."""
    options = ["-q", "-y", "-o", "Dpkg::Use-Pty=0"]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    return run("apt-get", *(options + list(words)), env=environment, **more)


def files():
    """Every file and folder where a package could leave something; not what dpkg, apt and systemd keep for
    themselves."""
    own = ["/var/cache", "/var/log"]
    own += ["/var/lib/" + name for name in ("dpkg", "apt", "systemd", "private")]
    found = set()
    tops = ("/etc", "/lib", "/opt", "/root", "/sbin", "/usr", "/var", "/run/tegud", "/run/tegud-textfile")
    for top in tops:
        for path, folders, names in os.walk(top):
            folders[:] = [name for name in folders if os.path.join(path, name) not in own]
            found.update(os.path.join(path, name) for name in folders + names)
    return {
        path for path in found if not path.endswith((".lock", "-", "/ld.so.cache", ".pyc", "__pycache__"))
    }


def users():
    return {user.pw_name for user in pwd.getpwall()}, {group.gr_name for group in grp.getgrall()}


class Life(unittest.TestCase):
    """The methods run in the order of their names: each goes on from where the one before has ended."""

    def good(self, done):
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def ping(self):
        return self.good(run("tegu", "ping"))

    def version(self):
        """Of the daemon that serves."""
        with open("/proc/%s/comm" % show("MainPID")) as name:
            self.assertEqual(name.read().strip(), "tegud")
        return os.readlink("/proc/%s/exe" % show("MainPID"))

    def test_1_install_and_first_answer(self):
        type(self).before = files(), users()
        start = time.monotonic()
        self.good(apt("install", *debs(PACKAGES)))
        installed = time.monotonic()
        self.assertIn("sum", self.good(run("tegu", "reduce", "--stats", "sum", IMAGE)))
        answered = time.monotonic()
        print("apt install %.1f s, first answer %.2f s later" % (installed - start, answered - installed))
        self.assertEqual(show("ActiveState", "tegud.socket"), "active")
        self.assertEqual(run("systemctl", "is-enabled", "tegud.socket").stdout.strip(), "enabled")
        self.assertEqual(show("ActiveState"), "active")
        self.assertNotEqual(show("ActiveState", "tegud-metrics.socket"), "active")
        self.assertEqual(pwd.getpwuid(os.stat("/proc/" + show("MainPID")).st_uid).pw_name, "tegud")
        self.assertEqual(grp.getgrgid(os.stat(SOCKET).st_gid).gr_name, "tegu-clients")
        systemd = int(run("systemctl", "--version").stdout.split()[1])
        chosen = {int(re.search(r"-(\d+)\.conf$", name).group(1)) for name in os.listdir(DROPINS)}
        self.assertTrue(chosen and max(chosen) <= systemd, (chosen, systemd))
        self.assertEqual(run("dpkg", "--verify", "tegud", "tegu", "libtegu0").stdout, "")

    def test_2_example_of_the_readme(self):
        self.good(run("tegu", "reduce", "--stats", "sum,mean,std", IMAGE))
        self.good(run("tegu", "topk", "-k", "5", IMAGE, "--json"))
        picture = "/tmp/entropy.png"
        self.good(run("tegu", "entropy-map", "--window", "9", IMAGE, "-o", picture, "--colour", "viridis"))
        with open(picture, "rb") as png:
            self.assertEqual(png.read(4), b"\x89PNG")
        program = (
            "import numpy, tegu\n"
            "c = tegu.connect()\n"
            "x = numpy.random.default_rng(1).normal(size=1000000).astype('f4')\n"
            "assert abs(c.reduce(x, stats=('sum', 'std'))['std'] - 1) < 0.01\n"
            "values, indices = c.topk(x, 10)\n"
            "assert (x[indices] == values).all() and values[0] == x.max()\n"
            "buf = c.buffer(x.shape, x.dtype)\n"
            "buf.array[...] = x\n"
            "assert c.reduce(buf, stats=('argmax',))['argmax'] == x.argmax()\n"
        )
        self.good(run(sys.executable, "-c", program))
        stranger = run("su", "-s", "/bin/sh", "-c", "tegu ping", "nobody")
        self.assertNotEqual(stranger.returncode, 0, "whoever is no member of tegu-clients is refused")

    def test_3_upgrade_under_load(self):
        stop, loads = "/tmp/stop", []
        for seed in range(2):
            loads.append(
                subprocess.Popen(
                    [sys.executable, SOURCE + "/tests/packaging/load.py", stop, str(seed)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    universal_newlines=True,
                )
            )
        time.sleep(3)
        pid, listening = show("MainPID"), show("ActiveEnterTimestampMonotonic", "tegud.socket")
        with open(SETTINGS, "a") as settings:
            settings.write("\n# of the administrator\n")
        self.good(apt("install", *debs(NEWER)))
        time.sleep(2)
        open(stop, "w").close()
        for load in loads:
            text = load.communicate()[0]
            self.assertEqual(load.returncode, 0, text)
            jobs, reconnects = (int(word) for word in re.findall(r"\d+", text))
            print("under the upgrade: " + text.strip())
            self.assertGreater(jobs, 0)
            self.assertEqual(reconnects, 1)
        self.assertNotEqual(show("MainPID"), pid)
        self.assertEqual(show("ActiveEnterTimestampMonotonic", "tegud.socket"), listening)
        self.assertIn("buffers_attached_total", self.good(run("tegu", "stats", "--json")))
        attached = re.search(r'"buffers_attached_total": *(\d+)', run("tegu", "stats", "--json").stdout)
        self.assertGreaterEqual(int(attached.group(1)), 2)
        with open(SETTINGS) as settings:
            self.assertIn("of the administrator", settings.read())

    def test_4_settings_with_an_error(self):
        pid = show("MainPID")
        with open(SETTINGS) as settings:
            text = settings.read()
        with open(SETTINGS, "w") as settings:
            settings.write(text + "[limits\n")
        self.assertIn("goes on in its old version", self.good(run("dpkg", "-i", *debs(PACKAGES))))
        self.assertEqual(show("MainPID"), pid)
        self.ping()
        with open(SETTINGS, "w") as settings:
            settings.write(text)
        self.good(run("dpkg", "-i", *debs(NEWER)))
        self.assertNotEqual(show("MainPID"), pid)

    def test_5_another_architecture(self):
        pid = show("MainPID")
        foreign = [path for path in debs(FOREIGN) if "/tegud_" in path]
        self.assertTrue(foreign)
        done = run("dpkg", "-i", *foreign)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("does not match system", done.stdout)
        self.assertEqual(show("MainPID"), pid)
        self.ping()

    def test_5_modules_come_and_go(self):
        modules = [path for path in debs(NEWER) if "/tegu-cuda-" in path]
        if not modules:
            self.skipTest("no package with a CUDA module")
        pid = show("MainPID")
        self.good(run("dpkg", "-r", *[os.path.basename(path).split("_")[0] for path in modules]))
        without = show("MainPID")
        self.assertNotEqual(without, pid, "tegud looks for modules when it starts")
        self.good(run("dpkg", "-i", *modules))
        self.assertNotEqual(show("MainPID"), without)
        self.ping()

    def test_6_half_an_upgrade(self):
        pid, path = show("MainPID"), [name for name in debs(PACKAGES) if "/tegud_" in name][0]
        with open(path, "rb") as package:
            whole = package.read()
        with open("/tmp/cut.deb", "wb") as cut:
            cut.write(whole[: len(whole) // 2])
        self.assertNotEqual(run("dpkg", "-i", "/tmp/cut.deb").returncode, 0)
        self.assertEqual(show("MainPID"), pid)
        self.ping()
        self.good(run("dpkg", "--unpack", path))  # the power fails here, say
        self.assertEqual(show("MainPID"), pid)
        self.ping()
        self.good(run("dpkg", "--configure", "-a"))
        self.assertNotEqual(show("MainPID"), pid)
        self.ping()

    def test_7_full_disk(self):
        """The programs on a disk of their own, which is full."""
        pid = show("MainPID")
        size = os.path.getsize("/usr/sbin/tegud")
        self.good(run("mount", "-t", "tmpfs", "-o", "size=%dk" % (size // 1024 + 256), "tmpfs", "/mnt"))
        self.good(run("cp", "-a", "/usr/sbin/tegud", "/mnt/tegud"))
        work = run("sh", "-c", "cp -a /usr/sbin/. /run/sbin 2>/dev/null || cp -a /usr/sbin /run/sbin").stdout
        self.assertEqual(work, "")
        os.unlink("/run/sbin/tegud")
        for name in os.listdir("/run/sbin"):
            os.symlink("/run/sbin/" + name, "/mnt/" + name)
        self.good(run("mount", "--move", "/mnt", "/usr/sbin"))
        done = run("dpkg", "-i", *debs(NEWER))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("No space left", done.stdout)
        self.assertEqual(show("MainPID"), pid)
        self.ping()
        self.good(run("systemctl", "kill", "--signal=KILL", "tegud"))  # what is installed still starts
        self.ping()
        self.good(run("umount", "-l", "/usr/sbin"))
        self.good(run("dpkg", "-i", *debs(NEWER)))
        self.ping()

    def test_8_remove_and_purge(self):
        names = [os.path.basename(path).split("_")[0] for path in debs(PACKAGES)]
        self.good(apt("remove", *names))
        self.assertFalse(os.path.exists(SOCKET))
        self.assertTrue(os.path.exists(SETTINGS))
        self.assertEqual(run("pgrep", "-x", "tegud").stdout if os.path.exists("/usr/bin/pgrep") else "", "")
        self.good(run("dpkg", "--purge", *names))
        before_files, before_users = type(self).before
        self.assertEqual(files() - before_files, set())
        self.assertEqual(before_files - files(), set())
        self.assertEqual(users()[0], before_users[0])
        self.assertEqual(users()[1] - {"render", "video"}, before_users[1] - {"render", "video"})
        self.assertEqual(show("LoadState"), "not-found")
        failed = run("systemctl", "list-units", "--all", "--no-legend", "--state=failed", "tegu*")
        self.assertEqual(failed.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2, failfast=True)
