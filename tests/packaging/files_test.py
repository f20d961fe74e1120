#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lists of packaging/debian fit what is installed: each file belongs to one package, and the versions
agree. Installs the build of $TEGU_BUILD_DIR below a folder of its own; builds nothing."""

import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TEGU_BUILD_DIR", os.path.join(SOURCE, "build", "release"))
DEBIAN = os.path.join(SOURCE, "packaging", "debian")
# scripts/package.sh adds these: the settings file, the Python package, and what belongs to CUDA.
ADDED = (
    "etc/tegud/tegud.toml",
    "usr/lib/*/tegu/tegu-cuda-11.so",
    "usr/lib/*/tegu/tegu-cuda-12.so",
    "usr/lib/*/tegu/tegu-cuda-13.so",
    "usr/lib/python3/dist-packages/tegu*",
    "usr/sbin/tegu-build-cuda",
    "usr/share/man/man8/tegu-build-cuda.8",
    "usr/src/tegu-cuda",
)


def read(*path):
    with open(os.path.join(SOURCE, *path)) as file:
        return file.read()


def lines(path):
    return [line for line in read(path).splitlines() if line and not line.startswith("#")]


def packages():
    return re.findall(r"(?m)^Package: (.*)$", read("packaging", "debian", "control"))


def patterns():
    """{pattern: package}, those that no package takes included."""
    found = {}
    for path in sorted(glob.glob(os.path.join(DEBIAN, "*.install"))):
        for line in lines(path):
            found[line] = os.path.basename(path)[: -len(".install")]
    for line in lines(os.path.join(DEBIAN, "not-installed")):
        found[line] = "not-installed"
    return found


def cached(name):
    return re.search(r"(?m)^%s:\w+=(.*)$" % name, read(BUILD, "CMakeCache.txt")).group(1)


def installed():
    """The files of cmake --install as package.sh has them: units and completions where Debian looks."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["cmake", "--install", BUILD, "--prefix", "/usr"],
            env=dict(os.environ, DESTDIR=folder, TEGU_SYSTEMD_VERSION="237"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        if done.returncode != 0:
            sys.exit("cmake --install: " + done.stdout[-800:])
        names = []
        for path, _, files in os.walk(folder):
            names += [os.path.relpath(os.path.join(path, name), folder) for name in files]
    moves = (
        ("usr/" + cached("TEGU_SYSTEMD_UNIT_DIR"), "lib/systemd/system"),
        ("usr/" + cached("CMAKE_INSTALL_LIBDIR") + "/libtegu", "usr/lib/triple/libtegu"),
        ("usr/" + cached("CMAKE_INSTALL_LIBDIR") + "/cmake", "usr/lib/triple/cmake"),
        ("usr/" + cached("CMAKE_INSTALL_LIBDIR") + "/pkgconfig", "usr/lib/triple/pkgconfig"),
        ("usr/" + cached("TEGU_ZSH_DIR"), "usr/share/zsh/vendor-completions"),
    )
    for before, after in moves:
        names = [after + name[len(before) :] if name.startswith(before) else name for name in names]
    # Of CUDA's modules package.sh takes those that it is given, whatever this build has.
    return sorted(name for name in names if not fnmatch.fnmatch(name, "*/tegu/tegu-cuda-*.so"))


def fits(name, rule):
    return fnmatch.fnmatch(name, rule) or fnmatch.fnmatch(name, rule + "/*")


class Files(unittest.TestCase):
    def test_each_file_belongs_to_one_package(self):
        names, rules = installed(), patterns()
        self.assertIn("usr/sbin/tegud", names)
        for name in names:
            owners = [rule for rule in rules if fits(name, rule)]
            self.assertEqual(len(owners), 1, "%s: %s" % (name, owners or "no package has it"))
        for rule, package in rules.items():
            if rule not in ADDED:
                self.assertTrue(any(fits(name, rule) for name in names), "%s of %s" % (rule, package))

    def test_each_list_has_its_package(self):
        for path in glob.glob(os.path.join(DEBIAN, "*.*")):
            name = os.path.basename(path).split(".")[0]
            self.assertIn(name, packages(), path)
        for name in packages():
            self.assertIn(name, {owner for owner in patterns().values()}, "a package without files")

    def test_units_are_in_the_rules(self):
        rules = read("packaging", "debian", "rules")
        for path in glob.glob(os.path.join(SOURCE, "systemd", "tegud*")):
            unit = os.path.basename(path)
            unit = unit[: -len(".in")] if unit.endswith(".in") else unit
            self.assertIn(unit, rules, "dh_installsystemd does not name it")

    def test_one_version(self):
        version = re.search(r"project\(tegu VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
        self.assertEqual(re.search(r"(?m)^## (\S+)", read("CHANGELOG.md")).group(1), version)

    def test_one_floor(self):
        floor = re.search(r"(?m)^floor=([\d.]+)", read("scripts", "package.sh")).group(1)
        for depends in re.findall(r"(?m)^Depends: (libc6.*)$", read("packaging", "debian", "control")):
            self.assertTrue(depends.startswith("libc6 (>= %s)" % floor), depends)
        self.assertIn("\nfloor=%s\n" % floor, read("scripts", "check-symbols.sh"))


if __name__ == "__main__":
    unittest.main()
