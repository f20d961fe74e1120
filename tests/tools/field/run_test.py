#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu-bench run: its file holds what docs/field.md promises, survives kills, is gone on with, and is
refused for another board. No time is judged."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import schema

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.path.join(os.environ.get("TEGU_BUILD_DIR", "build/release"), "bin", "tegu-bench")
OPERATIONS = {
    "reduce",
    "topk",
    "entropy_map",
    "add",
    "dot",
    "rowscale",
    "quantile",
    "histogram",
    "entropy",
    "fused",
}
PARTS = {"copy", "operations", "scaling", "crossover", "roundtrip", "coldstart"}  # of the CPU
ALONE = ("--no-gpu", "--threads", "1")
PATIENCE = 120  # seconds, for a machine that is busy


def run(*arguments):
    return subprocess.run(
        [PROGRAM, "run"] + list(arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=600,
    )


def processes():
    """(id, name, state, parent) of each."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as stat:
                name, _, rest = stat.read().partition("(")[2].rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended since
        state, parent = rest.split()[:2]
        yield int(pid), name, state, int(parent)


def results(field):
    return [record for record in field["records"] if record["kind"] == "result"]


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "board.json")

    def field(self):
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)

    def board(self, model):
        """A folder with the files of a board of this model."""
        root = os.path.join(self.folder.name, model.replace(" ", "_"))
        os.makedirs(os.path.join(root, "proc/device-tree"))
        with open(os.path.join(root, "proc/device-tree/model"), "w", encoding="utf-8") as file:
            file.write(model + "\0")
        return root

    def test_a_quick_run_has_every_part_and_keeps_to_the_schema(self):
        done = run("-o", self.path, "--quick", "--threads", "2", "--no-gpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        field = self.field()
        self.assertEqual(schema.problems(field), [])
        self.assertTrue(field["finished"])
        self.assertLessEqual(PARTS, {record["part"] for record in results(field)})
        measured = [record for record in results(field) if record["part"] == "operations"]
        self.assertEqual({record["operation"] for record in measured}, OPERATIONS)
        for record in results(field):
            if record["part"] in ("operations", "scaling", "crossover"):
                self.assertTrue(record["checked"], record)
                self.assertGreater(record["bytes"], 0, record)
                self.assertIn("cpu", record["method"])
        seen = [record for record in field["records"] if record["kind"] == "condition"]
        moments = {(record["part"], record["at"]) for record in seen}
        for part in ("copy", "operations", "roundtrip"):
            self.assertLessEqual({(part, "before"), (part, "during"), (part, "after")}, moments)
        self.assertIsNone(field["identity"]["gpu"])

    def test_a_timed_run_repeats_and_stays_within_its_operations(self):
        chosen = ["--operations", "topk,dot", "--parts", "operations,scaling", "--no-gpu", "--threads", "2"]
        for minutes in ("0.05", "0.5", "2"):  # a slow machine goes on until it has some of each
            done = run("-o", self.path, "--minutes", minutes, *chosen)
            self.assertEqual(done.returncode, 0, done.stderr)
            field = self.field()
            if len({record["operation"] for record in results(field)}) > 1:
                break
        self.assertEqual(schema.problems(field), [])
        self.assertEqual({record["operation"] for record in results(field)}, {"topk", "dot"})
        self.assertEqual({record["part"] for record in field["records"]}, {"operations", "scaling"})
        self.assertGreater(max(record["repeats"] for record in results(field)), 1)

    def wait_for_results(self, process, count):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if process.poll() is not None:
                self.fail("the run ended before it was killed: %d" % process.returncode)
            try:
                if len(results(self.field())) >= count:
                    return
            except (OSError, ValueError):  # not there yet, or just being written
                pass
            time.sleep(0.01)
        self.fail("no results")

    def test_a_run_that_was_killed_leaves_a_file_that_the_next_one_goes_on_with(self):
        arguments = [
            "-o",
            self.path,
            "--minutes",
            "4",  # it is ended long before that
            "--operations",
            "topk",
            "--parts",
            "operations,roundtrip",
            *ALONE,
        ]
        for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            before = results(self.field()) if os.path.exists(self.path) else []
            process = subprocess.Popen([PROGRAM, "run"] + arguments, stderr=subprocess.DEVNULL)
            self.wait_for_results(process, len(before) + 2)
            process.send_signal(number)
            self.assertEqual(process.wait(60), code)
            field = self.field()
            self.assertEqual(schema.problems(field), [])
            self.assertFalse(field["finished"])
            self.assertEqual(results(field)[: len(before)], before)
        killed = results(field)
        self.assertGreaterEqual(len(killed), 4)
        done = run(*(arguments[:2] + ["--minutes", "0.02"] + arguments[4:]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("%d of runs before" % len(killed), done.stderr)
        field = self.field()
        self.assertEqual(schema.problems(field), [])
        self.assertTrue(field["finished"])
        self.assertEqual(results(field)[: len(killed)], killed)

    def test_a_daemon_does_not_outlive_a_killed_run(self):
        process = subprocess.Popen(
            [
                PROGRAM,
                "run",
                "-o",
                self.path,
                "--minutes",
                "4",
                "--operations",
                "reduce",
                "--parts",
                "roundtrip",
                *ALONE,
            ],
            stderr=subprocess.DEVNULL,
        )
        self.wait_for_results(process, 1)
        daemons = [pid for pid, name, _, parent in processes() if (name, parent) == ("tegud", process.pid)]
        self.assertEqual(len(daemons), 1, list(processes()))
        process.kill()
        process.wait(60)
        end = time.monotonic() + PATIENCE
        while self.is_alive(daemons[0]):
            self.assertLess(time.monotonic(), end, "the daemon is still there")
            time.sleep(0.01)

    def is_alive(self, daemon):
        """Not if it has ended, and nobody has asked for its status yet."""
        return any((pid, name) == (daemon, "tegud") and state != "Z" for pid, name, state, _ in processes())

    def test_a_file_of_another_board_is_refused(self):
        quick = ["-o", self.path, "--quick", "--no-gpu", "--parts", "copy", "--threads", "1"]
        nano, orin = self.board("Jetson Nano"), self.board("Jetson Orin Nano")
        self.assertEqual(run("--root", nano, *quick).returncode, 0)
        self.assertEqual(self.field()["identity"]["board"], "Jetson Nano")
        with open(self.path, "rb") as file:
            before = file.read()
        refused = run("--root", orin, *quick)
        self.assertEqual(refused.returncode, 65, refused.stderr)
        self.assertIn("identity.board is 'Jetson Nano' there and 'Jetson Orin Nano' here", refused.stderr)
        other_options = run("--root", nano, *[word for word in quick if word != "--quick"])
        self.assertEqual(other_options.returncode, 65)
        self.assertIn("options.quick", other_options.stderr)
        with open(self.path, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(run("--root", orin, "--restart", *quick).returncode, 0)
        self.assertEqual(self.field()["identity"]["board"], "Jetson Orin Nano")

    def test_without_a_daemon_the_rest_is_measured(self):
        done = run("-o", self.path, "--quick", "--parts", "copy,roundtrip", "--tegud", "/bin/false", *ALONE)
        self.assertEqual(done.returncode, 0, done.stderr)
        skipped = [record for record in self.field()["records"] if record["kind"] == "skipped"]
        self.assertEqual({record["part"] for record in skipped}, {"roundtrip"})
        for record in skipped:
            self.assertIn("/bin/false", record["reason"])
            self.assertTrue(record["retry"])

    def test_bad_options_are_refused(self):
        output = ["-o", self.path]
        for arguments, words in (
            (["--parts", "copy"], "--output"),
            (output + ["--parts", "cpoy"], "cpoy"),
            (output + ["--operations", "sort"], "sort"),
            (output + ["--minutes", "0"], "0"),
            (output + ["surplus"], "surplus"),
        ):
            done = run(*arguments)
            self.assertEqual(done.returncode, 64, arguments)
            self.assertIn(words, done.stderr + done.stdout)
        self.assertEqual(run("-o", "/no/such/folder/x.json", "--quick", "--no-gpu").returncode, 65)
        self.assertFalse(os.path.exists(self.path))

    def test_the_list_names_what_a_run_records(self):
        scaling = ["--no-gpu", "--parts", "scaling", "--threads", "2"]
        listed = {tuple(line.split("\t")) for line in run("--list", *scaling).stdout.splitlines()}
        self.assertEqual(run("-o", self.path, "--quick", *scaling).returncode, 0)
        measured = results(self.field())
        self.assertEqual({(record["part"], record["backend"], record["case"]) for record in measured}, listed)


if __name__ == "__main__":
    unittest.main()
