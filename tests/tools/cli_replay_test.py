#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon that dies under a job: the command tells it within its timeout, or, if another daemon comes up,
ends with the right result and without having lost anything."""

import os
import subprocess
import time
import unittest

from daemon import Daemon, PATIENCE, TEGU
from files import npy, read_npy


class ReplayTest(unittest.TestCase):
    def run_and_kill(self, daemon, arguments, restart):
        """Starts a command, kills the daemon while the job runs, and restarts it if asked. None if the answer
        was faster than that, or the restart slower than the command waits: 10 seconds."""
        process = subprocess.Popen(
            [TEGU] + arguments,
            cwd=daemon.folder,
            env=daemon.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        running = False
        while process.poll() is None and not running:
            running = daemon.json("tegu stats")["stats"]["jobs_running"] > 0
        began = time.monotonic()
        daemon.kill()
        if restart:
            daemon.start()
        in_time = time.monotonic() - began < 5
        out, err = process.communicate(timeout=5 * PATIENCE)
        if restart:  # the second daemon has seen the job
            lost = daemon.json("tegu stats")["stats"]["jobs_total"] > 0
        else:
            lost = process.returncode != 0
        return (process.returncode, out, err) if lost and in_time else None

    def until_in_time(self, daemon, arguments, restart):
        """The job may end before the signal comes: then again, with more work."""
        for size in (700, 1500, 3000, 6000):
            daemon.write(
                "image.npy", npy("|u1", (size, size), bytes(i * i % 251 for i in range(size)) * size)
            )
            ended = self.run_and_kill(daemon, arguments, restart)
            if ended is not None:
                return ended, size
            if os.path.exists(os.path.join(daemon.folder, "map.npy")):
                os.unlink(os.path.join(daemon.folder, "map.npy"))
            if not restart:
                daemon.start()
        self.skipTest("this machine is too fast for the jobs of this test, or too busy")

    def test_without_another_daemon(self):
        with Daemon() as daemon:
            (code, out, err), _ = self.until_in_time(
                daemon,
                [
                    "entropy-map",
                    "--window",
                    "63",
                    "--levels",
                    "256",
                    "image.npy",
                    "-o",
                    "map.npy",
                    "--timeout",
                    "20",
                ],
                False,
            )
            self.assertIn(code, (69, 75), err)
            self.assertTrue(err.startswith(b"tegu entropy-map: "), err)
            self.assertEqual(out, b"")
            self.assertEqual([name for name in os.listdir(daemon.folder) if "map" in name], [])

    def test_with_another_daemon(self):
        with Daemon() as daemon:
            arguments = ["entropy-map", "--window", "63", "--levels", "256", "image.npy", "-o", "map.npy"]
            (code, _, err), size = self.until_in_time(daemon, arguments, True)
            self.assertEqual((code, err), (0, b""))
            replayed = daemon.read("map.npy")
            self.assertEqual(read_npy(replayed)[:2], ("<f4", (size, size)))
            self.assertEqual(daemon.run("tegu " + " ".join(arguments)).returncode, 0)
            self.assertEqual(daemon.read("map.npy"), replayed)


if __name__ == "__main__":
    unittest.main()
