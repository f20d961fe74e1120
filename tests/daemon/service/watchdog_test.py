#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The watchdog without systemd: what is said to a service manager while parts of the daemon live, hang, or
fail their probe, and how it ends where nobody kills it. tests/systemd/watchdog.py plays the same with a real
one."""

import os
import shutil
import signal
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rawclient
from rawclient import Connection, Daemon

SHORT_US, LONG_US = 2000000, 40000000  # of the watchdog; on a busy machine a part may miss the short one
EX_SOFTWARE = 70


class Watchdog(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tegud-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("wedges", "state"):
            os.mkdir(os.path.join(self.folder, name))
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.bind(os.path.join(self.folder, "notify"))
        self.manager.settimeout(rawclient.PATIENCE)

    def start(self, gpu="none", interval_us=4 * SHORT_US):
        self.daemon = Daemon(
            "[executor]\nthreads = 3\ninline_budget_us = 0\n",
            program="tests/wedged_tegud",
            environment={
                "NOTIFY_SOCKET": self.manager.getsockname(),
                "WATCHDOG_USEC": str(interval_us),
                "TEGU_TEST_GPU": gpu,
                "TEGU_TEST_FAULT": "lost:" + os.path.join(self.folder, "lost"),
                "TEGU_TEST_WEDGE": os.path.join(self.folder, "wedges"),
                "STATE_DIRECTORY": os.path.join(self.folder, "state"),
            },
        )
        self.addCleanup(self.stop, self.daemon)
        return self.daemon

    @staticmethod
    def stop(daemon):
        if not daemon.log.closed:
            daemon.stop()

    def wedge(self, part):
        path = os.path.join(self.folder, "wedges", part)
        with open(path + ".new", "w") as out:
            out.write(str(self.daemon.process.pid))
        os.rename(path + ".new", path)

    def until(self, wanted):
        """The messages up to the one that begins so."""
        messages = []
        while not messages or not messages[-1].startswith(wanted):
            messages.append(self.manager.recv(65536).decode())
        return messages

    def test_an_idle_daemon_and_one_at_work_give_signs_of_life(self):
        self.start()
        for _ in range(3):
            self.until("WATCHDOG=1")
        with Connection(self.daemon.path) as client:
            for _ in range(2):
                self.until("WATCHDOG=1")
                self.assertEqual(client.job(data=rawclient.floats(1, 2, 3, 4)).status, "OK")
        self.assertEqual(self.daemon.stop(), 0)

    def test_an_idle_executor_that_hangs_ends_the_daemon_though_nobody_kills_it(self):
        self.start(interval_us=SHORT_US)
        self.until("WATCHDOG=1")
        self.wedge("idle")
        self.until("WATCHDOG=trigger")
        self.assertEqual(self.daemon.process.wait(rawclient.PATIENCE), -signal.SIGABRT)
        errors = [line for line in self.daemon.log_text().splitlines() if "error" in line]
        self.assertEqual(len(errors), 1, errors)
        self.assertRegex(
            errors[0], "the executor of the CPU hangs: no sign of life for .*EXECUTOR=the executor of the CPU"
        )

    def test_a_loop_that_hangs_is_named_when_the_manager_kills(self):
        self.start(interval_us=SHORT_US)
        self.until("WATCHDOG=1")
        self.wedge("loop")
        self.manager.settimeout(SHORT_US * 2e-6)
        with self.assertRaises(socket.timeout):
            while True:
                self.manager.recv(65536)
        self.daemon.process.send_signal(signal.SIGABRT)
        self.assertEqual(self.daemon.process.wait(rawclient.PATIENCE), -signal.SIGABRT)
        self.assertIn(
            "tegud: error: the io thread hangs: its loop has not turned for ", self.daemon.log_text()
        )

    def test_abort_without_a_hang_blames_nobody(self):
        self.start(interval_us=LONG_US)
        self.until("READY=1")
        with Connection(self.daemon.path) as client:
            self.assertEqual(client.request(rawclient.PING).status, "OK")  # by the loop, which watches itself
        self.daemon.process.send_signal(signal.SIGABRT)
        self.assertEqual(self.daemon.process.wait(rawclient.PATIENCE), -signal.SIGABRT)
        self.assertNotIn("hangs", self.daemon.log_text())

    def test_a_gpu_that_is_lost_while_idle_ends_the_daemon_and_is_left_alone_in_the_end(self):
        record = os.path.join(self.folder, "state", "gpu-failures")
        for count in range(1, 4):
            self.start(gpu="A")
            self.assertIn("GPU guarded memory", self.until("READY=1")[-1])
            open(os.path.join(self.folder, "lost"), "w").close()
            self.assertEqual(
                self.daemon.process.wait(rawclient.PATIENCE), EX_SOFTWARE, self.daemon.log_text()
            )
            os.unlink(os.path.join(self.folder, "lost"))
            self.assertIn("ERRNO=19\nSTATUS=the device fell off the bus", self.until("ERRNO")[-1])
            with open(record) as lines:
                self.assertEqual(
                    [line.split(" ", 2)[2] for line in lines], ["the device fell off the bus\n"] * count
                )
        self.start(gpu="A")
        self.assertIn("no GPU: it ended the daemon 3 times within 10 minutes", self.until("READY=1")[-1])
        self.assertEqual(self.daemon.stop(), 0)
        self.assertFalse(os.path.exists(record))
        self.start(gpu="A")
        self.assertIn("GPU guarded memory", self.until("READY=1")[-1])


if __name__ == "__main__":
    unittest.main()
