#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example of many boards, on worker processes of this machine: its numbers are those of the same array on
one daemon."""

import json
import os
import subprocess
import sys
import unittest

import needs_dask  # noqa: F401  comes first: the next ones are found through it
import dask.array as da
import harness
import tegu

PROGRAM = os.path.join(os.path.dirname(needs_dask.TESTS), "examples", "dask_fleet", "fleet.py")


class ExampleTest(unittest.TestCase):
    def setUp(self):
        self.daemon = harness.Daemon()
        self.picture = os.path.join(self.daemon.folder, "found.png")
        self.environment = dict(os.environ, TEGU_SOCKET=self.daemon.socket)

    def tearDown(self):
        self.daemon.stop()

    def run_with(self, *arguments):
        return subprocess.run(
            [sys.executable, "-B", PROGRAM] + list(arguments),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )

    def test_numbers(self):
        done = self.run_with("--local", "2", "--elements", "300000", "--chunks", "5", "--png", self.picture)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.picture, "rb") as picture:
            self.assertEqual(picture.read(8), b"\x89PNG\r\n\x1a\n")
        found = json.loads(done.stdout)
        x = da.random.default_rng(2026).standard_normal(300000, chunks=60000).astype("float32")
        x = x.compute(scheduler="sync")
        with tegu.connect(self.daemon.socket) as c:
            self.assertEqual(found["statistics"], c.reduce(x, ("mean", "std", "min", "max")))
            self.assertEqual(found["quantiles"], list(c.quantile(x, (0.01, 0.5, 0.99))))
            values, indices = c.topk(x, 3)
            self.assertEqual(found["histogram"], c.histogram(x, 120, (-4, 4))[0].tolist())
        self.assertEqual(found["largest"], {str(i): float(v) for v, i in zip(values, indices)})

    def test_arguments(self):
        self.assertEqual(self.run_with().returncode, 2)
        self.assertEqual(self.run_with("tcp://board:8786", "--local", "2").returncode, 2)


if __name__ == "__main__":
    unittest.main()
