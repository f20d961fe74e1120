#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/sensor_stream: jobs of three processes, on a daemon with room and on one that is soon BUSY. Times
are not judged: the machine may be busy, too."""

import os
import re
import unittest
import xml.etree.ElementTree as ElementTree

import example

SECONDS = 1
JOBS = {"control": 500, "telemetry": 400, "logger": 40}  # of one second


class Test(example.Case):
    def reports(self, *more):
        """{stream: (jobs, late, busy, p50, p99, longest)}"""
        out, error = self.run_example(example.program("sensor_stream"), SECONDS, *more)
        self.assertEqual(error, "")
        lines = [line.split() for line in out.splitlines()]
        self.assertEqual(lines[0][:4], ["stream", "jobs", "late", "busy"])
        return {line[0]: tuple(map(int, line[1:])) for line in lines[1:]}


class RoomTest(Test):
    def test_every_stream_sends_its_jobs(self):
        picture = os.path.join(self.folder, "times.svg")
        found = self.reports(picture)
        self.assertEqual({name: report[0] for name, report in found.items()}, JOBS)
        for name, (jobs, late, busy, p50, p99, longest) in found.items():
            self.assertEqual(busy, 0, name)
            self.assertLessEqual(late, jobs)
            self.assertLessEqual(p50, p99)
            self.assertLessEqual(p99, longest + 1)
        svg = ElementTree.parse(picture).getroot()
        texts = [element.text for element in svg.iter() if element.tag.endswith("text")]
        for name in JOBS:
            self.assertIn(name, texts)
        self.assertGreater(sum(element.tag.endswith("rect") for element in svg.iter()), 3)

    def test_a_picture_that_cannot_be_written(self):
        _, error = self.run_example(
            example.program("sensor_stream"), "0.1", os.path.join(self.folder, "no", "x.svg"), status=73
        )
        self.assertIn("No such file", error)


class BusyTest(Test):
    # No job runs at once, and one may wait.
    SETTINGS = "[limits]\nqueued_jobs = 1\n[executor]\ninline_budget_us = 0\n"

    def test_busy_is_tried_again_and_no_job_is_lost(self):
        found = self.reports()
        self.assertEqual({name: report[0] for name, report in found.items()}, JOBS)
        self.assertGreater(sum(report[2] for report in found.values()), 0)


class DaemonTest(unittest.TestCase):
    def test_without_a_daemon_it_ends(self):
        os.environ["TEGU_SOCKET"] = "/nowhere/tegud.sock"
        done = example.subprocess.run(
            [example.program("sensor_stream"), "0.1"], stdout=-1, stderr=-1, universal_newlines=True
        )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(re.findall("UNAVAILABLE", done.stderr)), len(JOBS))


if __name__ == "__main__":
    unittest.main()
