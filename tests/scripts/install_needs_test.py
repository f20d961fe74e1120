#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""install.sh before it copies anything: what it needs of the machine and builds, the reason of a failure.
Scripts that build are stand-ins."""

import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGETS = "release --targets tegud cuda-module tegu tegu-bench tegu-tune tegu_client"
RULES = """# Install script for directory: %(build)s/not-a-file
file(INSTALL DESTINATION "/bin" TYPE EXECUTABLE FILES "%(build)s/bin/tegud")
file(INSTALL DESTINATION "/bin" TYPE EXECUTABLE OPTIONAL FILES "%(build)s/bin/tegu-bench")
file(INSTALL DESTINATION "/lib" TYPE SHARED_LIBRARY FILES
    "%(build)s/lib/libtegu.so.0"
    )
# What names the folder and is no file of it:
set(manifest "%(build)s/${CMAKE_INSTALL_MANIFEST}")
set(rpath
    OLD_RPATH "%(build)s/lib:")
"""


class NeedsTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = os.path.join(self.folder, "tree")
        self.build = os.path.join(self.tree, "build", "release")
        self.log = os.path.join(self.folder, "asked")
        shutil.copytree(os.path.join(SOURCE, "scripts"), os.path.join(self.tree, "scripts"))
        for name in ("build.sh", "install-deps.sh"):
            self.write(
                os.path.join(self.tree, "scripts", name), '#!/bin/sh\necho "%s $*" >>%s\n' % (name, self.log)
            )

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o755)

    def configure(self, *files):
        """A build folder that has these files."""
        cache = "CMAKE_CACHEFILE_DIR:INTERNAL=%s\nCMAKE_INSTALL_PREFIX:PATH=/usr/local\n" % self.build
        self.write(os.path.join(self.build, "CMakeCache.txt"), cache)
        self.write(os.path.join(self.build, "cmake_install.cmake"), RULES % {"build": self.build})
        for name in files:
            self.write(os.path.join(self.build, name), "")

    def install(self, *words, **environment):
        done = subprocess.run(
            [shutil.which("bash"), os.path.join(self.tree, "scripts", "install.sh")] + list(words),
            env=dict(os.environ, **environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return done.returncode, done.stdout

    def asked(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log) as file:
            return file.read().splitlines()

    def package(self):
        return self.install("--destdir", os.path.join(self.folder, "root"))

    def test_nothing_is_built(self):
        self.package()
        self.assertEqual(
            self.asked(), ["install-deps.sh build", "build.sh %s -DTEGU_TESTS=OFF -DTEGU_BENCH=OFF" % TARGETS]
        )

    def test_a_part_is_missing(self):
        for missing in ("bin/tegud", "bin/tegu-bench", "lib/libtegu.so.0"):
            shutil.rmtree(self.build, ignore_errors=True)
            if os.path.exists(self.log):
                os.unlink(self.log)
            self.configure(*({"bin/tegud", "bin/tegu-bench", "lib/libtegu.so.0"} - {missing}))
            self.package()
            self.assertEqual(self.asked(), ["install-deps.sh build", "build.sh " + TARGETS], missing)

    def test_a_complete_build_is_taken_as_it_is(self):
        self.configure("bin/tegud", "bin/tegu-bench", "lib/libtegu.so.0")
        self.package()
        self.assertEqual(self.asked(), [])

    def test_a_failure_shows_its_reason(self):
        self.configure("bin/tegud")
        rules = os.path.join(self.build, "cmake_install.cmake")
        for depth in range(5):  # as CMake includes the rules of a folder of a folder
            inner = os.path.join(self.build, "rules-%d.cmake" % depth)
            os.rename(rules, inner)
            self.write(rules, 'include("%s")\n' % inner)
        code, text = self.package()
        self.assertEqual(code, 1, text)
        self.assertIn("file INSTALL cannot find", text)
        self.assertIn("libtegu.so.0", text)
        self.assertNotIn("Call Stack", text)

    def stand_ins(self, user, *programs):
        """A path with few programs: none of them can build, copy or become root."""
        tools = os.path.join(self.folder, "bin")
        self.write(os.path.join(tools, "id"), "#!%s\necho %d\n" % (shutil.which("sh"), user))
        for name in ("dirname", "readlink", "sed"):
            os.symlink(shutil.which(name), os.path.join(tools, name))
        for name in programs:
            self.write(os.path.join(tools, name), "#!%s\nexit 1\n" % shutil.which("sh"))
        return tools

    def test_neither_root_nor_sudo(self):
        code, text = self.install(PATH=self.stand_ins(1000, "systemd-sysusers", "getent"))
        self.assertEqual((code, text), (77, "install: needs root or sudo, or --destdir\n"))
        self.assertEqual(self.asked(), [])

    def test_no_program_that_makes_users(self):
        code, text = self.install(PATH=self.stand_ins(0, "getent"))
        self.assertEqual(code, 69, text)
        self.assertIn("install: systemd-sysusers is missing here", text)
        self.assertEqual(self.asked(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
