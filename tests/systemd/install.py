#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu is installed, used, upgraded and removed on a machine with systemd that has none. Played by
service_test.py --bare; not to be run by hand."""

import grp
import os
import pwd
import unittest

from inside import run, systemctl, show, wait_for, as_user, Holder, FRIEND, SETTINGS, SOCKET, main

METRICS = "/var/lib/prometheus/node-exporter/tegu.prom"


def files():
    """Every file and folder where an installation could have left one; not what systemd and the tools for
    users keep for themselves."""
    found = set()
    for top in ("/etc", "/opt", "/usr/local", "/var/lib", "/run/tegud", "/run/tegud-textfile"):
        for path, folders, names in os.walk(top):
            folders[:] = [
                name
                for name in folders
                if os.path.join(path, name) not in ("/opt/tegu", "/var/lib/systemd", "/var/lib/private")
            ]
            found.update(os.path.join(path, name) for name in folders + names)
    return {path for path in found if not path.endswith((".lock", "-")) and path != "/etc/ld.so.cache"}


def users():
    return {user.pw_name for user in pwd.getpwall()}, {group.gr_name for group in grp.getgrall()} - {
        "video",
        "render",
    }


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Install(unittest.TestCase):
    def setUp(self):
        self.files, self.users = files(), users()

    def script(self, path, *arguments):
        done = run(path, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def install(self, *arguments):
        return self.script(
            os.environ["TEGU_SOURCE_DIR"] + "/scripts/install.sh",
            "--build",
            os.environ["TEGU_BUILD_DIR"],
            *arguments,
        )

    def assert_as_before(self):
        self.assertEqual(files(), self.files)
        self.assertEqual(users(), self.users)
        self.assertEqual(show("LoadState"), "not-found")
        self.assertEqual(show("LoadState", "tegud-textfile.timer"), "not-found")
        self.assertEqual(systemctl("list-units", "--all", "--no-legend", "--state=failed").strip(), "")

    def test_life_of_an_installation(self):
        text = self.install("--prefix", "/usr/local", "--user", "tegu-friend", "--enable-textfile")
        self.assertIn("tegu-friend may connect, after the next login", text)
        self.assertEqual(show("ActiveState", "tegud.socket"), "active")
        self.assertEqual(systemctl("is-enabled", "tegud.socket").strip(), "enabled")
        self.assertIn(
            "/tegud.service.d/10-",
            show("DropInPaths") if int(systemctl("--version").split()[1]) >= 243 else "/tegud.service.d/10-",
        )
        environment = {"PATH": os.environ["PATH"]}  # the command finds its library by itself
        done = run("/usr/local/bin/tegu", "ping", preexec_fn=as_user(FRIEND), env=environment)
        self.assertEqual(done.returncode, 0, done.stdout)

        # Metrics come by themselves, from a user who is nobody else; with the daemon away the file says so.
        wait_for("metrics", lambda: os.path.exists(METRICS))
        with open(METRICS) as metrics:
            self.assertIn("\ntegu_up 1\n", "\n" + metrics.read())
        self.assertEqual(pwd.getpwuid(os.stat(METRICS).st_uid).pw_name, "tegud-textfile")
        self.assertEqual(os.stat(METRICS).st_mode & 0o777, 0o644)
        systemctl("stop", "tegud.socket", "tegud.service")
        systemctl("start", "tegud-textfile.service")
        with open(METRICS) as metrics:
            self.assertIn("\ntegu_up 0\n", "\n" + metrics.read())
        systemctl("start", "tegud.socket")

        # An upgrade: jobs in flight end, settings that were changed stay.
        client = Holder()
        self.addCleanup(client.close)
        self.assertEqual(client.ask("submit 3"), "ok")
        with open(SETTINGS) as settings:
            text = settings.read()
        with open(SETTINGS, "w") as settings:
            settings.write(text + "[limits\n")
        pid = show("MainPID")
        done = run(
            os.environ["TEGU_SOURCE_DIR"] + "/scripts/install.sh",
            "--build",
            os.environ["TEGU_BUILD_DIR"],
            "--prefix",
            "/usr/local",
        )
        self.assertEqual(done.returncode, 78, done.stdout)
        self.assertIn("tegud goes on in its old version", done.stdout)
        self.assertIn(SETTINGS + ":%d:" % (text.count("\n") + 1), done.stdout)
        self.assertEqual(show("MainPID"), pid)
        with open(SETTINGS, "w") as settings:
            settings.write(text.replace("#connections = 1024", "connections = 77"))
        text = self.install("--prefix", "/usr/local")
        self.assertIn("kept /etc/tegud/tegud.toml, which was changed", text)
        self.assertIn("restarted tegud", text)
        self.assertNotEqual(show("MainPID"), pid)
        self.assertEqual(client.ask("wait"), "ok 3")
        self.assertEqual(show("ActiveState", "tegud-textfile.timer"), "active")
        client.close()

        with open("/var/lib/tegud/gpu-failures", "w") as state:  # what the daemon may leave there
            state.write("0\n")
        text = self.script("/usr/local/share/tegu/uninstall.sh")
        self.assertIn("kept /etc/tegud/tegud.toml, which was changed", text)
        self.assertIn("kept the group tegu-clients, whose members are tegu-friend", text)
        self.assertEqual(files() - self.files, {"/etc/tegud", SETTINGS})
        self.assertEqual(users()[0], self.users[0])
        self.install("--prefix", "/usr/local", "--no-start")
        self.assertEqual(show("ActiveState", "tegud.socket"), "inactive")
        self.script("/usr/local/share/tegu/uninstall.sh", "--purge")
        run("groupdel", "tegu-clients")  # it was there before the last installation, so it stays
        self.assert_as_before()

    def test_another_prefix_and_dropins(self):
        self.install("--prefix", "/opt/elsewhere", "--drop-in", "memory-max", "--drop-in", "verbose")
        systemctl("start", "tegud.service")
        self.assertEqual(os.readlink("/proc/%s/exe" % show("MainPID")), "/opt/elsewhere/sbin/tegud")
        with open("/proc/%s/cmdline" % show("MainPID")) as line:
            self.assertEqual(line.read().split("\0")[1], "--verbose")
        self.assertTrue(os.path.exists(SOCKET))
        self.assertNotEqual(show("MemoryMax"), "infinity")
        self.assertIn("tegud serves jobs on", run("journalctl", "--list-catalog").stdout)
        self.script("/opt/elsewhere/share/tegu/uninstall.sh")
        self.assert_as_before()


if __name__ == "__main__":
    main()
