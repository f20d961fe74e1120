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
NAMED = PARTS[:2] + (
    recording.Part(
        "board",
        'mkdir {made}/boards; echo \'{{"identity": {{"tegu": {{"commit": "b1"}}}}}}\' '
        ">{made}/boards/{board}.json",
        ("boards/{board}.json",),
    ),
    recording.Part(
        "placement",
        "echo '{{\"rows\": []}}' >{made}/placement-{gpu}.json; echo x >{made}/placement-beside-{gpu}.svg",
        ("placement-{gpu}.json", "placement-beside-{gpu}.svg"),
    ),
)
# Under a hook of git they name the repository of the hook.
OF_ANOTHER_REPOSITORY = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}
QUIET = {"busy_share": lambda seconds=3.0: 0.01, "read_noise": lambda build: 0.002}


class RecordTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tegu-record-")
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.records = os.path.join(self.root, "docs", "benchmarks")
        os.makedirs(self.records)
        patch = mock.patch.dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
        patch.start()
        self.addCleanup(patch.stop)
        for name in [name for name in os.environ if name in OF_ANOTHER_REPOSITORY]:
            del os.environ[name]  # comes back with the end of the patch
        self.git("init", "-q")
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@example.invalid")
        self.write("source.c", "1")
        self.commit()
        self.here = {"gpu": None, "board": "cpu-2-cores"}
        for name, value in dict(QUIET, ROOT=self.root, PARTS=PARTS, here=lambda: self.here).items():
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
        self.assertEqual(self.run_it("--check"), (0, "one: {0}\ntwo: {0}\n".format(recording.commit())))

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
        self.assertEqual(self.run_it("--check"), (0, "one: %s\n" % recording.commit()))

    def named_parts(self):
        patch = mock.patch.object(recording, "PARTS", NAMED)
        patch.start()
        self.addCleanup(patch.stop)

    def test_files_are_named_by_the_machine(self):
        self.named_parts()
        code, out = self.run_it()
        self.assertEqual(code, 0, out)
        self.assertIn("placement is impossible on this machine", out)
        self.assertTrue(os.path.exists(os.path.join(self.records, "boards", "cpu-2-cores.json")))
        self.here = {"gpu": "h200", "board": "nvidia-h200"}
        self.assertEqual(self.run_it()[0], 0)
        names = {"one", "two", "board-cpu-2-cores", "board-nvidia-h200", "placement-h200"}
        self.assertEqual(set(self.entries()), names)
        self.assertIn("placement is recorded already", self.run_it()[1])
        path = os.path.join(self.records, "placement-h200.json")
        self.assertEqual(recording.commit_in(path), recording.commit())  # the part itself names none
        with open(path) as file:
            self.assertEqual(json.load(file)["rows"], [])
        self.assertEqual(self.run_it("--check")[0], 0)

    def test_files_of_another_machine_stay_and_name_their_commit(self):
        self.named_parts()
        self.here = {"gpu": "h200", "board": "nvidia-h200"}
        self.run_it()
        old = recording.commit()
        self.write("source.c", "2")
        self.commit()
        self.here = {"gpu": None, "board": "cpu-2-cores"}
        code, out = self.run_it()
        self.assertEqual(code, 0, out)
        code, out = self.run_it("--check")
        self.assertEqual(code, 0, out)
        for line in ("placement-h200: " + old, "board-nvidia-h200: " + old, "one: " + recording.commit()):
            self.assertIn(line, out)
        self.here = {"gpu": "h200", "board": "nvidia-h200"}
        self.assertIn("== placement", self.run_it()[1])
        self.assertEqual(self.entries()["placement-h200"]["commit"], recording.commit())

    def test_files_without_an_entry_count_if_they_name_their_commit(self):
        self.named_parts()
        self.run_it()
        self.write("docs/benchmarks/placement-h200.json", '{"commit": "a1", "rows": []}')
        self.write("docs/benchmarks/placement-beside-h200.svg", "")
        self.write("docs/benchmarks/boards/report.html", "")
        self.write("docs/benchmarks/boards/nvidia-h200.json", '{"identity": {"tegu": {"commit": "b2"}}}')
        code, out = self.run_it("--check")
        self.assertEqual(code, 0, out)
        self.assertIn("placement-h200: a1\n", out)
        self.assertIn("board-nvidia-h200: b2\n", out)
        self.write("docs/benchmarks/placement-h200.json", '{"rows": []}')
        self.write("docs/benchmarks/boards/old.txt", "")
        code, out = self.run_it("--check")
        self.assertEqual(code, recording.FAILED)
        for name in ("placement-h200.json", "placement-beside-h200.svg", "boards/old.txt"):
            self.assertIn("%s is of no record" % name, out)

    def test_parts_of_any_machine_are_of_one_commit(self):
        self.run_it()
        records = recording.read_records(self.records)
        records["parts"]["one"]["commit"] = "a1"
        recording.write_records(self.records, records)
        code, out = self.run_it("--check")
        self.assertEqual(code, recording.FAILED)
        self.assertIn("records of several commits: ", out)

    def test_what_names_this_machine(self):
        self.assertEqual(recording.record_parts.slug("NVIDIA H200"), "h200")
        self.assertEqual(recording.record_parts.slug("NVIDIA Jetson AGX Orin"), "jetson-agx-orin")
        for name, words in (("NVIDIA H200", ("h200", "nvidia-h200")), ("", (None, "cpu-2-cores"))):
            with mock.patch.object(recording.record_parts, "gpu_name", lambda: name), mock.patch(
                "os.cpu_count", lambda: 2
            ):
                found = recording.record_parts.here()
            self.assertEqual((found["gpu"], found["board"]), words)

    def test_the_driver_names_the_gpu(self):
        program = os.path.join(self.root, "nvidia-smi")
        self.write("nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200'\necho 'NVIDIA H200'\n")
        os.chmod(program, 0o755)
        with mock.patch.dict(os.environ, {"PATH": self.root + os.pathsep + os.environ["PATH"]}):
            self.assertEqual(recording.record_parts.gpu_name(), "NVIDIA H200")

    def test_the_parts_of_the_project_leave_what_they_promise(self):
        """Each file is named in the commands; words in braces are those that the recorder knows."""
        words = {"build": "B", "made": "M", "head": "H", "gpu": "G", "board": "C"}
        for part in recording.record_parts.PARTS:
            for script in (part.commands, part.quick):
                text = script.format(**words)
                subprocess.run(("bash", "-n", "-c", text), check=True)
                for name in part.files:
                    if part.of:
                        self.assertIn("M/" + name.format(**words), text)

    def test_check_finds_files_of_no_record_and_records_without_files(self):
        self.run_it()
        self.write("docs/benchmarks/left-over.md", "old")
        os.unlink(os.path.join(self.records, "two.json"))
        code, out = self.run_it("--check")
        self.assertEqual(code, recording.FAILED)
        self.assertIn("left-over.md is of no record", out)
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
