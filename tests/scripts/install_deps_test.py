#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/install-deps.sh: the packages of each distribution, and its words on one that it does not know.
Installs nothing."""

import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(SOURCE, "scripts", "install-deps.sh")


class InstallDepsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_on(self, name, version, *words, **more):
        release = os.path.join(self.folder, "os-release")
        with open(release, "w") as out:
            out.write('ID=%s\nVERSION_ID="%s"\nPRETTY_NAME="%s %s"\n' % (name, version, name, version))
        environment = dict(os.environ, TEGU_OS_RELEASE=release, **more)
        return subprocess.run(
            [shutil.which("bash"), SCRIPT] + list(words),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )

    def packages(self, name, version, *groups):
        done = self.run_on(name, version, "--list", *groups)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_jetpack_4_takes_a_newer_compiler_and_leaves_old_libraries(self):
        packages = self.packages("ubuntu", "18.04", "build", "test")
        self.assertIn("g++-8", packages)
        for left in ("g++", "libboost-dev", "libboost-context-dev", "libgtest-dev", "libbenchmark-dev"):
            self.assertNotIn(left, packages)
        for kept in ("cmake", "ninja-build", "libsystemd-dev", "libpng-dev", "pkg-config", "python3"):
            self.assertIn(kept, packages)

    def test_an_archive_of_boost_can_be_unpacked(self):
        self.assertIn("bzip2", self.packages("ubuntu", "18.04", "build"))
        self.assertNotIn("bzip2", self.packages("debian", "12", "build"))
        self.assertIn("bzip2", self.packages("debian", "12", "test"))

    def test_newer_distributions_have_all(self):
        found = [
            self.packages(name, version, "build", "test")
            for name, version in (
                ("ubuntu", "20.04"),
                ("ubuntu", "22.04"),
                ("ubuntu", "24.04"),
                ("debian", "11"),
                ("debian", "12"),
                ("debian", "13"),
            )
        ]
        self.assertEqual(found[1:], found[:-1])
        self.assertIn("libboost-dev", found[0])
        self.assertNotIn("g++-8", found[0])

    def test_without_apt_the_packages_are_named(self):
        tools = os.path.join(self.folder, "bin")
        os.mkdir(tools)
        for tool in ("bash", "cat", "id"):
            os.symlink(shutil.which(tool), os.path.join(tools, tool))
        done = self.run_on("fedora", "40", "build", PATH=tools)
        self.assertEqual(done.returncode, 69)
        self.assertIn("fedora 40 has no apt-get", done.stderr)
        for package in self.packages("debian", "12", "build"):
            self.assertIn(package, done.stderr)

    def test_an_unknown_group_is_refused(self):
        done = self.run_on("debian", "12", "tests")
        self.assertEqual(done.returncode, 64)
        self.assertIn(
            "unknown group 'tests' (aarch64 bench build compare examples module package packagecheck test)",
            done.stderr,
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
