#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""install.sh and uninstall.sh with --destdir, as a package is made: what lies where, what an upgrade keeps,
that nothing is left. On a machine with systemd and users it is tests/systemd/install.py that plays them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TEGU_BUILD_DIR", "")
SCRIPTS = os.path.join(SOURCE, "scripts")


def listing(folder):
    return sorted(
        os.path.relpath(os.path.join(path, name), folder)
        for path, folders, files in os.walk(folder)
        for name in folders + files
    )


class Install(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="tegu-install-")
        self.addCleanup(shutil.rmtree, self.root)

    def script(self, name, *arguments):
        command = [os.path.join(SCRIPTS, name), "--destdir", self.root] + list(arguments)
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            stdin=subprocess.DEVNULL,
        )
        return done.returncode, done.stdout

    def install(self, *arguments):
        code, text = self.script("install.sh", "--build", BUILD, *arguments)
        self.assertEqual(code, 0, text)
        return text

    def path(self, name):
        return os.path.join(self.root, name.lstrip("/"))

    def read(self, name):
        with open(self.path(name)) as text:
            return text.read()

    def dropins(self, folder):
        return [name for name in listing(self.root) if name.startswith(folder + "/tegud.service.d/")]

    def test_everything_is_in_place_and_nothing_is_left(self):
        os.makedirs(self.path("/usr/sbin"))
        os.makedirs(self.path("/etc/systemd"))
        before = listing(self.root)
        text = self.install(
            "--prefix",
            "/usr",
            "--systemd",
            "249",
            "--drop-in",
            "memory-max",
            "--without-sandbox",
            "--drop-in",
            "verbose",
            "--enable-textfile",
        )
        self.assertIn("drop-ins: memory-max no-sandbox verbose", text)
        for name in (
            "sbin/tegud",
            "bin/tegu",
            "include/tegu.h",
            "lib/systemd/system/tegud.service",
            "lib/systemd/system/tegud.socket",
            "lib/systemd/system/tegud-textfile.timer",
            "lib/sysusers.d/tegud.conf",
            "lib/tmpfiles.d/tegud.conf",
            "share/man/man8/tegud.8",
            "share/man/man5/tegud.toml.5",
            "share/man/man1/tegu.1",
            "share/bash-completion/completions/tegu",
            "share/doc/tegu/tegud.toml",
        ):
            self.assertTrue(os.path.isfile(self.path("/usr/" + name)), name)
        self.assertEqual(
            [name.rsplit("/", 1)[1] for name in self.dropins("usr/lib/systemd/system")],
            ["10-memory-243.conf", "10-sandbox-245.conf", "10-sandbox-249.conf"],
        )
        self.assertEqual(
            [name.rsplit("/", 1)[1] for name in self.dropins("etc/systemd/system")],
            [
                "50-memory-max.conf",
                "50-no-sandbox-245.conf",
                "50-no-sandbox-249.conf",
                "50-no-sandbox.conf",
                "50-verbose.conf",
            ],
        )
        self.assertIn("\nExecStart=/usr/sbin/tegud\n", self.read("/usr/lib/systemd/system/tegud.service"))
        self.assertIn(
            "\nExecStart=/usr/sbin/tegud --verbose\n",
            self.read("/etc/systemd/system/tegud.service.d/50-verbose.conf"),
        )
        for name in listing(self.root):
            if (
                not os.path.islink(self.path(name))
                and os.path.isfile(self.path(name))
                and name.endswith((".conf", ".service", ".socket", ".timer"))
            ):
                self.assertIsNone(re.search(r"@\w+@|" + re.escape(self.root), self.read(name)), name)
        cache = self.path("/usr/libexec/tegu/tegu_compare/__pycache__")  # tegu-bench compare ran as root
        os.makedirs(cache)
        with open(os.path.join(cache, "page.cpython-311.pyc"), "w"):
            pass
        code, text = self.script("uninstall.sh", "--prefix", "/usr")
        self.assertEqual(code, 0, text)
        self.assertEqual(listing(self.root), before)

    def test_oldest_systemd_unless_one_is_named(self):
        text = self.install("--drop-in", "no-exec")
        self.assertIn("units for systemd 237", text)
        self.assertIn("left out the drop-in no-exec, which needs systemd 248; this is 237", text)
        self.assertEqual(
            self.dropins("usr/local/lib/systemd/system") + self.dropins("etc/systemd/system"), []
        )

    def test_upgrade_keeps_what_was_changed_and_chosen(self):
        self.install(
            "--prefix", "/opt/tegu", "--systemd", "252", "--drop-in", "memory-max", "--drop-in", "no-exec"
        )
        first = listing(self.root)
        settings, limit = "/etc/tegud/tegud.toml", "/etc/systemd/system/tegud.service.d/50-memory-max.conf"
        for name in (settings, limit):
            with open(self.path(name), "a") as out:
                out.write("# changed\n")
        old = self.path("/opt/tegu/share/tegu/of-an-older-version")
        with open(old, "w") as out:
            out.write("old\n")
        with open(self.path("/opt/tegu/share/tegu/installed"), "a") as out:
            out.write("file /opt/tegu/share/tegu/of-an-older-version\n")
        text = self.install("--prefix", "/opt/tegu", "--systemd", "252")
        for name in (settings, limit):
            self.assertIn("kept %s, which was changed" % name, text)
            self.assertTrue(self.read(name).endswith("# changed\n"))
        self.assertEqual(listing(self.root), first)
        text = self.install("--prefix", "/opt/tegu", "--systemd", "252", "--no-drop-in", "no-exec")
        self.assertEqual(
            set(first) - set(listing(self.root)), {"etc/systemd/system/tegud.service.d/50-no-exec-248.conf"}
        )
        for name in (
            "tegud.service",
            "tegud.socket",
            "tegud.service.d/10-sandbox-245.conf",
        ):  # systemd looks here, not below /opt
            self.assertEqual(
                os.readlink(self.path("/etc/systemd/system/" + name)), "/opt/tegu/lib/systemd/system/" + name
            )

        code, text = self.script("uninstall.sh", "--prefix", "/opt/tegu")
        self.assertEqual(code, 0, text)
        left = [name for name in listing(self.root) if not os.path.isdir(self.path(name))]
        self.assertEqual(left, [limit[1:], settings[1:]])

    def test_purge_takes_what_was_changed(self):
        self.install("--drop-in", "memory-max")
        with open(self.path("/etc/tegud/tegud.toml"), "a") as out:
            out.write("# changed\n")
        code, text = self.script("uninstall.sh", "--purge")
        self.assertEqual(code, 0, text)
        self.assertEqual(listing(self.root), [])

    def test_settings_that_were_there_before_are_not_ours(self):
        os.makedirs(self.path("/etc/tegud"))
        with open(self.path("/etc/tegud/tegud.toml"), "w") as out:
            out.write("[limits]\n")
        self.install()
        self.assertEqual(self.read("/etc/tegud/tegud.toml"), "[limits]\n")
        self.script("uninstall.sh")
        self.assertEqual(listing(self.root), ["etc", "etc/tegud", "etc/tegud/tegud.toml"])

    def test_what_was_interrupted_can_be_undone(self):
        os.makedirs(self.path("/usr/local/share"))
        before = listing(self.root)
        with open(self.path("/etc"), "w"):  # where a folder belongs
            pass
        code, text = self.script("install.sh", "--build", BUILD)
        self.assertNotEqual(code, 0)
        self.assertIn("install: stopped half-way: run it again, or /usr/local/share/tegu/uninstall.sh", text)
        self.assertTrue(os.path.exists(self.path("/usr/local/sbin/tegud")))
        os.unlink(self.path("/etc"))
        code, text = self.script("uninstall.sh")
        self.assertEqual(code, 0, text)
        self.assertEqual(listing(self.root), before)

    def test_wrong_arguments(self):
        for arguments, code, words in (
            (
                ["--drop-in", "fast"],
                64,
                "there is no drop-in 'fast' (known: discrete-gpu, memory-max, verbose, no-exec, no-sandbox)",
            ),
            (["--prefix", "usr"], 64, "--prefix needs a path from the root, not 'usr'"),
            (["--systemd", "v252"], 64, "--systemd needs a number such as 245, not 'v252'"),
            (["--prefix"], 64, "--prefix needs a value"),
            (["--fast"], 64, "unknown argument '--fast'"),
            (["--build", "/nowhere"], 66, "nothing is built in /nowhere"),
            (["--user", "no-such-user"], 67, "there is no user 'no-such-user'"),
        ):
            found, text = self.script("install.sh", *arguments)
            self.assertEqual(found, code, text)
            self.assertIn(words, text)
        found, text = self.script("uninstall.sh")
        self.assertEqual(found, 66, text)
        self.assertIn("there is no list of what was installed", text)
        self.assertEqual(listing(self.root), [])


if __name__ == "__main__":
    if not BUILD:
        print("TEGU_BUILD_DIR names the build tree")
        sys.exit(77)
    unittest.main(verbosity=2)
