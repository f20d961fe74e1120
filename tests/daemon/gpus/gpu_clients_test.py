#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_clients_test.py PROGRAM: what must run a job is asked for, and what ran it is told, through every
client: C and C++ by PROGRAM, Python and the command here. The daemon has the guarded device of the tests, and
virtual times (virtual_times.h), so that what "auto" chooses does not depend on this machine; the last cases
have no device."""

import array
import json
import os
import subprocess
import sys
import time
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TESTS, "client"))
import harness  # noqa: E402

harness.preload_sanitizer()
import tegu  # noqa: E402

PROGRAM = sys.argv.pop()
AUTO = 'placement.probe_ms = 300\n[executor]\nbackend = "auto"\n'
SMALL, LARGE = 1000, 8 << 20  # elements: below and above what is worth the way to a GPU
ASKED = [
    (SMALL, "auto", "cpu"),
    (SMALL, "cpu", "cpu"),
    (SMALL, "gpu", "gpu"),
    (LARGE, "auto", "gpu"),
    (LARGE, "cpu", "cpu"),
    (LARGE, "gpu", "gpu"),
]


class GuardedDaemon(harness.Daemon):
    program = os.path.join("tests", "guard_tegud")


class Clients(unittest.TestCase):
    gpu = "B"

    def setUp(self):
        os.environ["TEGU_TEST_GPU"] = self.gpu
        os.environ["TEGU_TEST_SPEED"] = "cpu 100"  # so that the device is faster
        self.daemon = GuardedDaemon(AUTO)
        with tegu.connect(self.daemon.socket) as client:
            while client.info()["placement_probing"]:
                time.sleep(0.01)
        self.environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        self.environment["TEGU_SOCKET"] = self.daemon.socket
        self.file = os.path.join(self.daemon.folder, "values.raw")

    def tearDown(self):
        self.assertEqual(self.daemon.stop(), 0)

    def command(self, elements, backend):
        with open(self.file, "wb") as file:
            file.truncate(elements)
        return subprocess.run(
            [
                os.path.join(harness.BUILD, "bin", "tegu"),
                "reduce",
                "--stats",
                "std",
                "--dtype",
                "u8",
                "--shape",
                str(elements),
                "--backend",
                backend,
                "--json",
                self.file,
            ],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


class WithAGpu(Clients):
    def test_c_and_cpp(self):
        self.assertEqual(subprocess.call([PROGRAM], env=self.environment), 0)

    def test_python(self):
        with tegu.connect(self.daemon.socket) as client:
            for elements, asked, ran in ASKED:
                with client.buffer((elements,), "u8") as values:
                    client.reduce(values, stats=("std",), backend=asked)
                    self.assertEqual(client.last.backend, ran, (elements, asked, client.last.policy))
            client.reduce(array.array("f", [1.0]), backend="gpu")
            self.assertEqual(client.last.backend, "gpu")

    def test_command(self):
        for elements, asked, ran in ASKED:
            run = self.command(elements, asked)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(json.loads(run.stdout.decode())["backend"], ran, (elements, asked))


class WithoutAGpu(Clients):
    gpu = "none"

    def test_auto_is_the_cpu_and_gpu_is_refused_with_the_reason(self):
        with tegu.connect(self.daemon.socket) as client:
            client.reduce(array.array("f", bytes(4 * LARGE)), stats=("std",))
            self.assertEqual(client.last.backend, "cpu")
            with self.assertRaises(tegu.Error) as caught:
                client.reduce([1.0], backend="gpu")
            self.assertEqual(caught.exception.status, "UNSUPPORTED")
            self.assertIn("no NVIDIA driver", str(caught.exception))
            self.assertEqual(client.info()["health"], "degraded")
        run = self.command(SMALL, "gpu")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(b"no NVIDIA driver", run.stderr)


if __name__ == "__main__":
    unittest.main()
