#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check-symbols.sh passes a package that fits, and fails on one that needs a newer glibc, needs a
strange library, is for another architecture, or holds no program."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("g++")


def check(*arguments):
    return subprocess.run(
        [os.path.join(SOURCE, "scripts", "check-symbols.sh")] + list(arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )


class Symbols(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def compile(self, name, text, *options):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path("source.c"), "w") as source:
            source.write(text)
        subprocess.check_call([COMPILER, self.path("source.c"), "-o", self.path(name)] + list(options))

    def package(self, architecture):
        """A package with a program of this machine."""
        self.compile("tree/usr/bin/program", '#include <stdio.h>\nint main(void) { return puts(""); }\n')
        os.makedirs(self.path("tree", "DEBIAN"), exist_ok=True)
        with open(self.path("tree", "DEBIAN", "control"), "w") as control:
            control.write(
                "Package: program\nVersion: 1\nArchitecture: %s\nMaintainer: nobody\nDescription: a program\n"
                % architecture
            )
        subprocess.check_call(
            ["dpkg-deb", "-b", self.path("tree"), self.path("program.deb")], stdout=subprocess.DEVNULL
        )
        return self.path("program.deb")

    def test_package_that_fits(self):
        own = subprocess.check_output(["dpkg", "--print-architecture"], universal_newlines=True).strip()
        done = check("--floor", "9.9", self.package(own))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 ELF files, newest symbol GLIBC_2.", done.stdout)

    def test_newer_glibc(self):
        own = subprocess.check_output(["dpkg", "--print-architecture"], universal_newlines=True).strip()
        done = check("--floor", "2.1", self.package(own))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("/usr/bin/program: needs GLIBC_2.", done.stdout)
        self.assertIn("newer than 2.1", done.stdout)

    def test_another_architecture(self):
        own = subprocess.check_output(["dpkg", "--print-architecture"], universal_newlines=True).strip()
        done = check("--floor", "9.9", self.package("amd64" if own == "arm64" else "arm64"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("in a package for", done.stdout)

    def test_strange_library(self):
        options = ("-shared", "-fPIC", "-Wl,-soname,libstrange.so.1")
        self.compile("libstrange.so.1", "int strange(void) { return 1; }\n", *options)
        caller = "int strange(void);\nint main(void) { return strange(); }\n"
        self.compile("it/program", caller, self.path("libstrange.so.1"))
        done = check("--floor", "9.9", self.path("it"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("needs libstrange.so.1", done.stdout)

    def test_nothing_to_check(self):
        os.makedirs(self.path("empty"))
        done = check(self.path("empty"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no ELF file", done.stdout)


if __name__ == "__main__":
    if COMPILER is None or not shutil.which("dpkg-deb") or not shutil.which("readelf"):
        print("skipped: needs a C compiler, dpkg-deb and readelf")
        sys.exit(77)
    unittest.main()
