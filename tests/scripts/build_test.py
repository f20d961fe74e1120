#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/build.sh and scripts/cmake.sh with stand-ins for compilers and CMake: the compiler that is
taken, the words for CMake, and the line on a terminal. Builds nothing."""

import os
import pty
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

COMPILER = """#!/bin/sh
case $1 in
-dumpversion) echo %s ;;
--version) echo "%s" ;;
esac
"""
CMAKE = """#!/bin/sh
echo "in $(basename "$PWD"): $*" >>"$ASKED"
case $1 in
--version) echo "cmake version %s" ;;
--build) printf '[1/4] Building CXX object a.dir/first.cpp.o\\n[2/4] Building CXX object d/second.cpp.o\\n' ;;
esac
exit "${FAILS:-0}"
"""


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.tools = os.path.join(self.folder, "bin")
        os.mkdir(self.tools)
        self.environment = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "CUDAHOSTCXX")}
        self.environment["PATH"] = self.tools + ":" + self.environment["PATH"]
        self.environment.update(CMAKE_C_COMPILER_LAUNCHER="", CMAKE_CXX_COMPILER_LAUNCHER="")
        self.environment["ASKED"] = os.path.join(self.folder, "asked")

    def tool(self, name, text):
        path = os.path.join(self.tools, name)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o755)


class CompilerTest(Folder):
    def chosen(self, **more):
        """The compiler that would be named to CMake, and what is said."""
        script = '. scripts/cmake.sh; choose_compiler "$FOLDER"; echo "${CXX-none} ${CUDAHOSTCXX-none}"'
        done = subprocess.run(
            ["bash", "-euc", script],
            cwd=SOURCE,
            env=dict(self.environment, FOLDER=self.folder, **more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()[0], done.stderr

    def old_default(self):
        self.tool("c++", COMPILER % ("7", "c++ 7.5.0, Free Software Foundation"))

    def test_an_old_default_gives_way(self):
        self.old_default()
        self.tool("g++-8", "")
        chosen, said = self.chosen()
        self.assertEqual(chosen, "g++-8")
        self.assertIn("the default compiler is g++ 7: taking g++-8", said)

    def test_a_compiler_that_is_named_stays(self):
        self.old_default()
        self.tool("g++-8", "")
        self.assertEqual(self.chosen(CXX="other"), ("other", ""))

    def test_a_build_folder_keeps_its_compiler(self):
        self.old_default()
        self.tool("g++-8", "")
        with open(os.path.join(self.folder, "CMakeCache.txt"), "w"):
            pass
        self.assertEqual(self.chosen(), ("none", ""))

    def test_newer_and_other_compilers_stay(self):
        self.tool("g++-8", "")
        for version, words in (("12", "c++ 12, Free Software Foundation"), ("4.2.1", "clang version 6")):
            self.tool("c++", COMPILER % (version, words))
            self.assertEqual(self.chosen(), ("none", ""))


class BuildTest(Folder):
    def setUp(self):
        super().setUp()
        tree = os.path.join(self.folder, "tree")
        shutil.copytree(os.path.join(SOURCE, "scripts"), os.path.join(tree, "scripts"))
        shutil.copy(os.path.join(SOURCE, "CMakePresets.json"), tree)
        self.tool("ninja", "")

    def command(self, *words):
        return [os.path.join(self.folder, "tree", "scripts", "build.sh")] + list(words)

    def asked(self):
        with open(self.environment["ASKED"]) as file:
            return [line.rstrip("\n") for line in file if "--version" not in line]

    @staticmethod
    def all_of(terminal):
        """What was written to a terminal whose other side is closed, as the kernel hands it on in pieces."""
        pieces = []
        with os.fdopen(terminal, "rb", buffering=0) as reader:
            while True:
                try:
                    piece = reader.read(65536)
                except OSError:  # EIO: nobody writes any more
                    piece = b""
                if not piece:
                    return b"".join(pieces).decode()
                pieces.append(piece)

    def test_an_old_cmake_gets_the_options_of_the_preset(self):
        self.tool("cmake", CMAKE % "3.10.2")
        subprocess.check_call(self.command("release", "--targets", "a b", "-DX=1"), env=self.environment)
        configure, build = self.asked()
        self.assertTrue(configure.startswith("in release: -G Ninja -DCMAKE_BUILD_TYPE=Release "), configure)
        self.assertIn(" -DX=1 ", configure)
        self.assertTrue(configure.endswith(os.path.join(self.folder, "tree")), configure)
        self.assertRegex(build, r"^in tree: --build build/release -- -j \d+ a b$")

    def test_a_new_cmake_gets_the_preset(self):
        self.tool("cmake", CMAKE % "3.25.1")
        subprocess.check_call(self.command("asan"), env=self.environment)
        self.assertTrue(self.asked()[0].startswith("in tree: --preset asan "), self.asked())

    def test_a_terminal_shows_progress_and_a_log_nothing(self):
        self.tool("cmake", CMAKE % "3.25.1")
        quiet = subprocess.run(
            self.command("release"), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.assertEqual((quiet.returncode, quiet.stdout), (0, b""))
        ours, theirs = pty.openpty()
        subprocess.check_call(self.command("release"), env=self.environment, stderr=theirs)
        os.close(theirs)
        shown = self.all_of(ours)
        self.assertIn("[ 25 %]  first.cpp.o", shown)
        self.assertIn("[ 50 %]  second.cpp.o", shown)

    def test_a_log_shows_progress_from_time_to_time(self):
        self.tool("cmake", CMAKE % "3.25.1")
        done = subprocess.run(
            self.command("release"),
            env=dict(self.environment, TEGU_PROGRESS_S="0"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(
            done.stderr.splitlines(),
            [
                "build: [1/4] Building CXX object a.dir/first.cpp.o",
                "build: [2/4] Building CXX object d/second.cpp.o",
            ],
        )

    def test_help_builds_nothing(self):
        self.tool("cmake", CMAKE % "3.25.1")
        scripts = os.path.join(self.folder, "tree", "scripts")
        with open(os.path.join(scripts, "install-deps.sh"), "w") as out:
            out.write("#!/bin/sh\necho installs >&2\n")
        for name in ("build.sh", "test.sh", "demo.sh", "install.sh"):
            for word, code in (("--help", 0), ("-h", 0), ("--wrong", 64)):
                done = subprocess.run(
                    ["./" + name, word],
                    cwd=scripts,
                    env=self.environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    universal_newlines=True,
                )
                self.assertEqual(done.returncode, code, done.stderr)
                if code == 0:
                    self.assertIn("usage: scripts/" + name, done.stdout)
                    self.assertNotIn("SPDX", done.stdout)
                    self.assertEqual(done.stderr, "")
                else:
                    self.assertIn("--help shows the usage", done.stderr)
        self.assertFalse(os.path.exists(self.environment["ASKED"]))

    def test_a_failure_names_the_log(self):
        self.tool("cmake", CMAKE % "3.25.1")
        done = subprocess.run(
            self.command("release"), env=dict(self.environment, FAILS="1"), stderr=subprocess.PIPE
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"the whole output is in build/release.log", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
