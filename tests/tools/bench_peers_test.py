#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report of tools/bench/peers: what a round compares, which goal is met, and what stands in the tables.
Needs no peer: they are made up here, as are the figures of tegu-bench. The names of cases are those that
tegu-bench has."""

import importlib
import io
import json
import os
import re
import subprocess
import sys
import unittest
from contextlib import redirect_stdout
from unittest import mock

try:
    import numpy
except ImportError:
    numpy = None

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEERS = os.path.join(SOURCE, "tools", "bench", "peers")
PROGRAM = os.path.join(os.environ.get("TEGU_BUILD_DIR", "build/release"), "bin", "tegu-bench")
sys.path.insert(0, PEERS)
import report as peers_report  # noqa: E402


class FakeTegu:
    """Case "x" takes 1 ms in the first round, 2 ms in the second, and so on; case "y" twice as long."""

    threads, quick = 2, False

    def __init__(self):
        self.round = 0

    def cases(self, names, threads, seconds):
        self.round += 1
        return {
            name: {"median_ns": self.round * (1e6 if name == "x" else 2e6), "of_floor": 0.5} for name in names
        }

    def report(self, names, seconds):
        return {
            "commit": "abc",
            "date": "today",
            "device": {"cpu": "C", "cores": 2, "isa": "i", "kernel": "k", "build": "b"},
        }


class PeersTest(unittest.TestCase):
    def setUp(self):
        self.report = peers_report.Report(FakeTegu(), 3)
        self.report.section("Heading")

    def lines(self, compare):
        with redirect_stdout(io.StringIO()) as out:
            group = self.report.group(["x", "y"], {"peer": lambda: None}, calls=1)
            group.peer_seconds["peer"] = [0.01, 0.02, 0.06]  # 10, 10 and 20 times as long as x
            compare(group)
        self.assertEqual(len(out.getvalue().splitlines()), len(self.report.lines))
        return self.report.lines

    def test_ratios_are_taken_within_a_round(self):
        one = self.lines(lambda group: group.faster_than("w", "x", "peer", 10))[0]
        self.assertEqual(
            (one["value"], one["met"], one["measured"], one["rounds"]), (10, True, "10.00 times", 3)
        )
        self.assertEqual((one["tegu_seconds"], one["peer_seconds"]), (0.002, 0.02))
        self.assertEqual(one["noise"], 0)

    def test_goals(self):
        def compare(group):
            group.faster_than("w", "x", "peer", 11)
            group.faster_than("w", "x", "peer")
            group.share_of("w", "x", "peer", 0.2)
            group.of_floor("w", "x", 0.85)
            group.within("w", ["x", "y"], ["x", "x"], 1.5, ["same", "double"])
            group.below("w", "x", 0.003)

        lines = self.lines(compare)
        self.assertEqual([one["met"] for one in lines], [False, None, True, False, False, True])
        self.assertEqual(lines[4]["peer"], "double")  # the worst is the one that is told
        self.assertEqual(lines[4]["value"], 2)
        self.assertEqual(lines[5]["measured"], "2 ms")

    def test_markdown_and_json_say_how_it_was_measured(self):
        self.lines(lambda group: (group.faster_than("w", "x", "peer", 11), group.below("v", "x", 1)))
        self.report.versions["numpy"] = "2"
        self.report.finish("the command", 0.25, 12, False)
        text = self.report.markdown()
        for word in (
            "the command",
            "commit abc",
            "on C",
            "numpy 2",
            "load before the run 0.25",
            "1 of 2 goals",
            "## Heading",
        ):
            self.assertIn(word, text)
        self.assertIn("| w | 11 times as fast | 10.00 times | **no** | 0.0 % | 2 ms | peer: 20 ms |", text)
        found = json.loads(self.report.json())
        self.assertEqual((found["commit"], found["rounds"], len(found["goals"])), ("abc", 3, 2))

    def test_noise(self):
        self.assertEqual(peers_report.noise([1, 2, 4]), 0.5)
        self.assertEqual(peers_report.noise([0, 0]), 0)

    def test_every_case_that_is_asked_for_is_one_of_tegu_bench(self):
        if not os.path.exists(PROGRAM) or numpy is None:
            self.skipTest("needs tegu-bench and numpy")
        import numpy_values

        asked = {
            "entropy_map/u8/2560x2560/window=5/levels=16",
            "entropy_map/u8/2560x2560/window=31/levels=256",
        }

        class Recorder(FakeTegu):
            def cases(self, names, threads, seconds):
                asked.update(names)
                return FakeTegu.cases(self, names, threads, seconds)

        report = peers_report.Report(Recorder(), 1)
        with mock.patch.object(peers_report, "timed", lambda function, runs: 1.0), redirect_stdout(
            io.StringIO()
        ), mock.patch.object(
            numpy_values, "values_of", lambda word, n, seed=1: numpy.zeros(n, dtype=numpy_values.SHORT[word])
        ):
            for section in ("small", "reduce", "narrow", "topk", "quantile", "arrays", "counts"):
                importlib.import_module("sections." + section).measure(report)
        with open(os.path.join(PEERS, "sections", "service.py")) as source:
            asked.update(re.findall(r'"(daemon/[^"]*)"', source.read()))
        listed = subprocess.run(
            [PROGRAM, "--list"], stdout=subprocess.PIPE, check=True, universal_newlines=True
        ).stdout
        self.assertLessEqual(asked, set(re.sub(r"/threads=\d+$", "", name) for name in listed.split()))
        self.assertGreater(len(report.lines), 60)

    def test_a_section_that_is_not_there_is_refused(self):
        done = subprocess.run(
            [sys.executable, PEERS, "--only", "reduce,tea"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"tea", done.stderr)


if __name__ == "__main__":
    unittest.main()
