#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Libraries that the system lacks: without network one error names them all, and a release is fetched with
the right hash alone. Usage: dependencies_test.py CMAKE."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CMAKE = "cmake"
UNREACHABLE = "http://127.0.0.1:9"  # nobody listens on the port for discarding


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def cmake(self, words, **environment):
        return subprocess.run(
            [CMAKE] + words,
            cwd=self.folder,
            env=dict(os.environ, **environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )


class NothingThereTest(Folder):
    """A system whose only library is a Boost that is too old, without network."""

    def test_one_error_names_all_that_is_missing(self):
        write(self.path("root", "include", "boost", "version.hpp"), "#define BOOST_VERSION 106501\n")
        only = ["-DCMAKE_FIND_ROOT_PATH_MODE_%s=ONLY" % kind for kind in ("INCLUDE", "LIBRARY", "PACKAGE")]
        done = self.cmake(
            only
            + ["-DCMAKE_FIND_ROOT_PATH=" + self.path("root"), "-DTEGU_CUDA=off"]
            + ["-DTEGU_TESTS=ON", "-DTEGU_BENCH=ON", SOURCE],
            PKG_CONFIG_LIBDIR=self.path("none"),
            https_proxy=UNREACHABLE,
            HTTPS_PROXY=UNREACHABLE,
            ALL_PROXY=UNREACHABLE,
            no_proxy="",
        )
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(re.findall("CMake Error", done.stdout)), 1, done.stdout)
        self.assertNotIn("CMake Warning", done.stdout)
        for library, package, reason in (
            ("Boost 1.66 or newer, its headers", "libboost-dev", "boost_1_74_0.tar.bz2"),
            ("libsystemd 237 or newer", "libsystemd-dev", None),
            ("toml++ 3, its headers", "libtomlplusplus-dev", "tomlplusplus.git"),
            ("CLI11 2.1 or newer, its headers", "libcli11-dev", "CLI11.git"),
            ("libpng 1.6", "libpng-dev", None),
            ("GoogleTest 1.10 or newer (not with -DTEGU_TESTS=OFF)", "libgtest-dev", "googletest.git"),
            (
                "Google Benchmark 1.5 or newer (not with -DTEGU_BENCH=OFF)",
                "libbenchmark-dev",
                "benchmark.git",
            ),
        ):
            self.assertIn("%s: package %s\n" % (library, package), done.stdout)
            if reason:
                self.assertRegex(done.stdout, r"https://\S*%s: \S" % re.escape(reason))
        self.assertIn("found: 106501 in " + self.path("root", "include"), done.stdout)
        self.assertIn(
            "apt-get install libboost-dev libsystemd-dev libtomlplusplus-dev libcli11-dev libpng-dev"
            " zlib1g-dev libgtest-dev libbenchmark-dev\n",
            done.stdout,
        )
        self.assertEqual(os.listdir(self.path("sources")) if os.path.isdir(self.path("sources")) else [], [])


class NoCompilerTest(Folder):
    def test_the_error_names_the_way_out(self):
        wanted = self.cmake(["-DTEGU_CUDA=on", SOURCE], CUDACXX=self.path("none"))
        self.assertNotEqual(wanted.returncode, 0, wanted.stdout)
        again = self.cmake([SOURCE], CUDACXX=self.path("none"))
        self.assertNotEqual(again.returncode, 0, again.stdout)
        for done in (wanted, again):
            words = " ".join(done.stdout.split())
            self.assertIn("TEGU_CUDA is on, but there is no CUDA compiler", words)
            self.assertIn("-DTEGU_CUDA=auto", words)
            self.assertIn("-DTEGU_CUDA=off", words)


class FetchTest(Folder):
    def setUp(self):
        super().setUp()
        self.sources = self.path("sources")

    def fetch(self, words, fetch="ON"):
        """The folder that tegu_fetch() answers, and its reason for none."""
        write(
            self.path("fetch.cmake"),
            "include(%s/cmake/TeguFetch.cmake)\ntegu_fetch(found thing-1.0 %s)\n"
            'message("folder=${found}\\nreason=${found_FAILED}")\n' % (SOURCE, words),
        )
        done = self.cmake(["-DTEGU_SOURCES=" + self.sources, "-DTEGU_FETCH=" + fetch, "-P", "fetch.cmake"])
        self.assertEqual(done.returncode, 0, done.stdout)
        folder, reason = re.search("folder=(.*)\nreason=(.*)", done.stdout).groups()
        self.assertEqual(
            os.listdir(self.sources) if os.path.isdir(self.sources) else [], ["thing-1.0"] if folder else []
        )
        return folder, reason

    def repository(self):
        """A repository with a tag, and the commit of it."""
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", self.path("upstream")]
        write(self.path("upstream", "include", "thing.h"), "int thing;\n")
        for words in ("init -q", "add .", "commit -q -m first", "tag v1"):
            subprocess.check_call(git + words.split())
        commit = subprocess.check_output(git + ["rev-parse", "HEAD"], universal_newlines=True).strip()
        return "file://" + self.path("upstream"), commit

    def archive(self):
        write(self.path("thing_1", "thing", "thing.h"), "int thing;\n")
        write(self.path("thing_1", "docs", "page"), "long\n")
        with tarfile.open(self.path("thing_1.tar.bz2"), "w:bz2") as out:
            out.add(self.path("thing_1"), "thing_1")
        with open(self.path("thing_1.tar.bz2"), "rb") as file:
            return "file://" + self.path("thing_1.tar.bz2"), hashlib.sha256(file.read()).hexdigest()

    def test_a_tag_of_a_repository(self):
        url, commit = self.repository()
        words = "GIT %s TAG v1 COMMIT %s" % (url, commit)
        folder, _ = self.fetch(words)
        self.assertTrue(os.path.exists(os.path.join(folder, "include", "thing.h")))
        shutil.rmtree(self.path("upstream"))
        self.assertEqual(self.fetch(words, "OFF"), (folder, ""))  # it is there

    def test_a_tag_that_moved_is_refused(self):
        url, commit = self.repository()
        other = "0" * 40
        folder, reason = self.fetch("GIT %s TAG v1 COMMIT %s" % (url, other))
        self.assertEqual((folder, reason), ("", "%s: v1 is commit %s, not %s" % (url, commit, other)))

    def test_a_repository_that_is_not_there(self):
        folder, reason = self.fetch("GIT file://%s TAG v1 COMMIT 0" % self.path("none"))
        self.assertEqual(folder, "")
        self.assertIn("none: ", reason)

    def test_an_archive(self):
        url, digest = self.archive()
        folder, _ = self.fetch("ARCHIVE %s SHA256 %s PART thing_1/thing" % (url, digest))
        self.assertTrue(os.path.exists(os.path.join(folder, "thing_1", "thing", "thing.h")))
        self.assertFalse(os.path.exists(os.path.join(folder, "thing_1", "docs")))

    def test_an_archive_that_changed_is_refused(self):
        url, digest = self.archive()
        folder, reason = self.fetch("ARCHIVE %s SHA256 %s PART thing_1/thing" % (url, "f" * 64))
        self.assertEqual((folder, reason), ("", "%s: SHA-256 is %s, not %s" % (url, digest, "f" * 64)))

    def test_an_archive_without_the_folder_is_refused(self):
        url, digest = self.archive()
        folder, reason = self.fetch("ARCHIVE %s SHA256 %s PART thing_1/other" % (url, digest))
        self.assertEqual((folder, reason), ("", url + ": does not unpack to thing_1/other"))

    def test_nothing_is_fetched_where_it_is_off(self):
        url, commit = self.repository()
        self.assertEqual(
            self.fetch("GIT %s TAG v1 COMMIT %s" % (url, commit), "OFF"), ("", "TEGU_FETCH is OFF")
        )


if __name__ == "__main__":
    CMAKE = sys.argv.pop(1)
    unittest.main(verbosity=2)
