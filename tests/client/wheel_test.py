#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel of the Python package: made offline, with the library inside, installed into a folder of its own,
used against the daemon, and taken away again; nothing stays beside the sources."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import peers  # noqa: E402

peers.go_on_with("setuptools", "wheel", "pip")
import harness  # noqa: E402

PACKAGE = os.path.join(harness.SOURCE, "client", "python")
LIBRARY = os.path.join(harness.BUILD, "lib", "libtegu.so.0")
SCRIPT = """
import tegu, tegu.aio
with tegu.connect() as c:
    print(tegu.__version__, c.reduce([1, 2])["sum"], c.lib._name, tegu.__file__)
"""


def files_beside_the_sources():
    found = []
    for folder, folders, files in os.walk(PACKAGE):
        folders[:] = [each for each in folders if each != "__pycache__"]
        found += [os.path.join(folder, each) for each in files]
    return sorted(found)


class Wheel(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tegu-wheel-test-")
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def pip(self, *arguments, **options):
        """What pip prints, run in a folder that is not the checkout."""
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment.update({"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}, **options)
        run = subprocess.run(
            [sys.executable, "-m", "pip"] + list(arguments),
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return run.returncode, run.stdout

    def wheel(self, library):
        """(path, output) of a wheel; path None if there is none."""
        out = tempfile.mkdtemp(dir=self.folder)
        arguments = ["--no-deps", "--no-build-isolation", "--wheel-dir", out, PACKAGE]
        _, printed = self.pip("wheel", *arguments, TEGU_LIBRARY=library)
        return self.only_one(out), printed

    def quick_wheel(self, library):
        """The same without pip, which takes longer."""
        out = tempfile.mkdtemp(dir=self.folder)
        run = subprocess.run(
            [sys.executable, "setup.py", "--quiet", "bdist_wheel", "--dist-dir", out],
            cwd=PACKAGE,
            env=dict(os.environ, TEGU_LIBRARY=library),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return self.only_one(out), run.stdout

    def only_one(self, folder):
        made = os.listdir(folder)
        return os.path.join(folder, made[0]) if made else None

    def compiled(self, text, *flags):
        source, library = os.path.join(self.folder, "part.c"), os.path.join(self.folder, "part.so")
        with open(source, "w") as file:
            file.write(text)
        subprocess.check_call(["cc", "-shared", "-fPIC", "-o", library, source] + list(flags))
        return library

    def test_installed_and_used(self):
        before = files_beside_the_sources()
        wheel, printed = self.wheel(LIBRARY)
        self.assertIsNotNone(wheel, printed)
        self.assertRegex(
            os.path.basename(wheel), r"^tegu-[\d.]+-py3-none-(linux|manylinux_2_\d+)_(x86_64|aarch64)\.whl$"
        )
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            metadata = archive.read([name for name in names if name.endswith("/METADATA")][0]).decode()
        self.assertLessEqual({"tegu/libtegu.so.0", "tegu/py.typed", "tegu/_calls.pyi"}, names)
        self.assertIn("License: Apache-2.0\n", metadata)
        self.assertIn("# tegu for Python", metadata)
        self.assertEqual(files_beside_the_sources(), before)

        target = os.path.join(self.folder, "site")
        status, printed = self.pip("install", "--target", target, wheel)
        self.assertEqual(status, 0, printed)
        daemon = harness.Daemon()
        self.addCleanup(daemon.stop)
        environment = dict(os.environ, PYTHONPATH=target, TEGU_SOCKET=daemon.socket)
        environment.pop("TEGU_LIBRARY", None)
        if os.environ.get("TEGU_SANITIZE"):
            return  # an instrumented library needs more than a script says
        printed = subprocess.check_output([sys.executable, "-c", SCRIPT], env=environment, cwd=self.folder)
        version, total, library, package = printed.decode().split()
        self.assertEqual(version, os.path.basename(wheel).split("-")[1])
        self.assertEqual(total, "3")
        self.assertEqual(library, os.path.join(target, "tegu", "libtegu.so.0"))
        self.assertEqual(package, os.path.join(target, "tegu", "__init__.py"))

    def test_named_after_what_the_library_needs(self):
        machine = os.uname().machine
        for text, flags, name in (
            ("int one(void) { return 1; }\n", ["-nostdlib"], "linux_" + machine),
            ('#include <stdio.h>\nvoid one(void) { puts(""); }\n', [], "manylinux_2_27_" + machine),
            ('const char needed[] = "GLIBC_2.99";\n', ["-nostdlib"], "manylinux_2_99_" + machine),
        ):
            wheel, printed = self.quick_wheel(self.compiled(text, *flags))
            self.assertIsNotNone(wheel, printed)
            self.assertTrue(wheel.endswith("-py3-none-%s.whl" % name), wheel)

    def test_a_library_that_is_none(self):
        for path, word in ((os.path.join(self.folder, "nothing.so"), "there is no file"), (__file__, "ELF")):
            wheel, printed = self.quick_wheel(path)
            self.assertIsNone(wheel)
            self.assertIn(word, printed)


if __name__ == "__main__":
    if not all(importlib.util.find_spec(name) for name in ("setuptools", "wheel", "pip")):
        print("skipped: there is no setuptools, no wheel or no pip")
        sys.exit(harness.SKIPPED)
    unittest.main()
