#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/record.sh with small parts in a repository of its own: what it refuses, keeps and removes."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
import recording  # noqa: E402

PARTS = (
    recording.Part("one", "echo '{head}' >{made}/one.md", ("one.md",)),
    recording.Part("two", "echo 2 >{made}/two.md; echo 3 >{made}/two.json", ("two.md", "two.json")),
    recording.Part("gpu", "exit 77", ("gpu.md",)),
)
QUIET = {"busy_share": lambda seconds=3.0: 0.01, "read_noise": lambda build: 0.002}


class RecordTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tegu-record-")
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.records = os.path.join(self.root, "docs", "benchmarks")
        os.makedirs(self.records)
        self.git("init", "-q")
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@example.invalid")
        self.write("source.c", "1")
        self.commit()
        for name, value in dict(QUIET, ROOT=self.root, PARTS=PARTS).items():
            patch = mock.patch.object(recording, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch("os.getloadavg", lambda: (self.load, 0, 0))
        patch.start()
        self.addCleanup(patch.stop)
        self.load = 0.1

    def git(self, *words):
        subprocess.run(("git", "-C", self.root) + words, check=True, stdout=subprocess.DEVNULL)

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w") as out:
            out.write(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def run_it(self, *arguments):
        """Exit code and all output."""
        words = list(arguments) + ["--output", self.records]
        if not set(arguments) & {"--list", "--check"}:
            words += ["--build", "build"]
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            code = recording.main(words)
        return code, out.getvalue()

    def entries(self):
        with open(os.path.join(self.records, recording.RECORDS)) as file:
            return json.load(file)["parts"]

    def test_records_have_commit_machine_and_noise(self):
        code, out = self.run_it()
        self.assertEqual(code, 0, out)
        self.assertIn("gpu is impossible on this machine", out)
        self.assertEqual(sorted(os.listdir(self.records)), ["one.md", "records.json", "two.json", "two.md"])
        entry = self.entries()["one"]
        self.assertEqual((entry["commit"], entry["noise"], entry["load"]), (recording.commit(), 0.002, 0.1))
        with open(os.path.join(self.records, "one.md")) as file:
            self.assertIn("commit %s, " % recording.commit(), file.read())
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_a_dirty_tree_is_refused(self):
        self.write("source.c", "2")
        self.assertEqual(self.run_it()[0], recording.NOT_NOW)
        self.assertIn("not committed: source.c", self.run_it()[1])
        self.write("docs/page.md", "a page is no source")
        self.assertEqual(self.run_it("--force", "one")[0], 0)
        self.assertEqual(self.entries()["one"]["changed"], ["source.c"])

    def test_a_new_file_counts_as_a_change_and_a_page_does_not(self):
        self.write("docs/page.md", "x")
        self.assertEqual(self.run_it("one")[0], 0)
        self.write("new.c", "x")
        self.assertEqual(self.run_it("two")[0], recording.NOT_NOW)

    def test_a_busy_machine_is_refused(self):
        self.load = 1.5
        with mock.patch.object(recording, "busy_share", lambda seconds=3.0: 0.4):
            code, out = self.run_it()
            self.assertEqual(code, recording.NOT_NOW)
            self.assertIn("the load is 1.50", out)
            self.assertIn("40 % of the processors are in use", out)
            self.assertEqual(os.listdir(self.records), [])
            self.assertEqual(self.run_it("one", "--force")[0], 0)
        self.assertEqual((self.entries()["one"]["load"], self.entries()["one"]["busy"]), (1.5, 0.4))

    def test_a_noisy_machine_is_refused(self):
        with mock.patch.object(recording, "read_noise", lambda build: 0.2):
            code, out = self.run_it("one")
        self.assertEqual(code, recording.NOT_NOW)
        self.assertIn("20.0 % noise", out)

    def test_what_is_recorded_of_this_commit_is_kept(self):
        self.run_it("one")
        code, out = self.run_it()
        self.assertIn("one is recorded already", out)
        self.assertIn("== two", out)
        self.assertIn("== one", self.run_it("one", "--again")[1])

    def test_committing_a_record_does_not_make_it_stale(self):
        self.run_it()
        self.commit()
        self.assertIn("two is recorded already", self.run_it()[1])

    def test_parts_of_another_commit_are_removed(self):
        self.run_it()
        self.write("source.c", "2")
        self.commit()
        code, out = self.run_it("one")
        self.assertEqual(code, 0)
        self.assertIn("removed two, of another commit", out)
        self.assertEqual(sorted(os.listdir(self.records)), ["one.md", "records.json"])
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_check_finds_files_of_no_record_and_records_without_files(self):
        self.run_it()
        self.write("docs/benchmarks/first-light.md", "old")
        os.unlink(os.path.join(self.records, "two.json"))
        code, out = self.run_it("--check")
        self.assertEqual(code, recording.FAILED)
        self.assertIn("first-light.md is of no record", out)
        self.assertIn("two.json is recorded and not there", out)

    def test_a_part_that_fails_leaves_what_was_there(self):
        self.run_it("one")
        bad = recording.Part("one", "echo x >{made}/one.md; exit 3", ("one.md",))
        poor = recording.Part("one", "true", ("one.md",))
        for part, words in ((bad, "one failed with 3"), (poor, "it left no one.md")):
            with mock.patch.object(recording, "PARTS", (part,)):
                code, out = self.run_it("one", "--again")
            self.assertEqual(code, recording.FAILED)
            self.assertIn(words, out)
            with open(os.path.join(self.records, "one.md")) as file:
                self.assertIn("commit", file.read())
            self.assertEqual(sorted(os.listdir(self.records)), ["one.md", "records.json"])

    def test_usage(self):
        self.assertEqual(self.run_it("tea")[0], recording.USAGE)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(recording.main(["--quick"]), recording.USAGE)
        self.assertIn("one: not recorded", self.run_it("--list")[1])


if __name__ == "__main__":
    unittest.main()
