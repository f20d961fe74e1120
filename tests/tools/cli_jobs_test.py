#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu jobs and tegu cancel, and the same from Python, against a daemon with a job that runs until it is
cancelled and one that waits behind it."""

import array
import json
import os
import re
import subprocess
import sys
import unittest

sys.path[:0] = [
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), folder)
    for folder in ("daemon", os.path.join("daemon", "hostile"), "client")
]
import harness  # noqa: E402

harness.preload_sanitizer()
import tegu  # noqa: E402
from hostile_base import HostileTest  # noqa: E402
from queue_test import LONG_COLS, LONG_ROWS, LongJobs  # noqa: E402

TEGU = os.path.join(os.environ["TEGU_BUILD_DIR"], "bin", "tegu")


class Jobs(LongJobs):
    def setUp(self):
        super().setUp()
        self.owner = self.connect_with_buffers()
        self.long_job = self.submit_long(self.owner)
        self.waiting_job = self.submit_waiting(self.owner, priority=0)
        self.wait_for_stats(jobs_waiting=1)

    def tegu(self, *arguments, code=0):
        done = subprocess.run(
            (TEGU,) + arguments + ("--socket", self.daemon.path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        self.assertEqual(done.returncode, code, done)
        return done.stdout if code == 0 else done.stderr

    def statuses(self):
        return [self.owner.wait(job).status for job in (self.waiting_job, self.long_job)]

    def test_table(self):
        lines = self.tegu("jobs").splitlines()
        self.assertEqual(
            lines[0].split(), "id user pid program operation shape priority state where age left".split()
        )
        shape = r"%d x %d u8" % (LONG_ROWS, LONG_COLS)
        self.assertRegex(lines[1], r"rawclient +entropy_map +%s +normal +running +CPU +" % shape)
        self.assertRegex(lines[2], r"rawclient +reduce +1 x \d+ f32 +high +waiting +CPU +")
        self.assertEqual(lines[3], "2 jobs, 1 running")
        self.assertIn(" %d " % os.getpid(), lines[1])
        self.cancel_both(re.match(r" *(\d+)", line).group(1) for line in lines[1:3])

    def cancel_both(self, idents):
        runs, waits = idents
        self.assertEqual(self.tegu("cancel", waits), "job %s was taken from the queue\n" % waits)
        self.assertEqual(self.tegu("cancel", runs), "job %s is being stopped\n" % runs)
        self.assertEqual(self.statuses(), ["CANCELLED", "CANCELLED"])
        self.assertEqual(self.tegu("jobs"), "0 jobs, 0 running\n")
        self.assertEqual(
            self.tegu("cancel", waits, code=65),
            "tegu cancel: no such job in flight (allowed: the id of a job in flight)\n",
        )

    def test_json(self):
        report = json.loads(self.tegu("jobs", "--json"))
        self.assertEqual((report["operation"], report["error"]), ("jobs", None))
        runs, waits = report["jobs"]
        self.assertEqual((runs["operation"], runs["dtype"]), ("entropy_map", "u8"))
        self.assertEqual((runs["state"], runs["place"], runs["priority"]), ("running", "CPU", "normal"))
        self.assertEqual((runs["shape"], runs["pid"]), ([LONG_ROWS, LONG_COLS], os.getpid()))
        self.assertEqual((runs["uid"], runs["name"]), (os.getuid(), "rawclient"))
        self.assertEqual((waits["state"], waits["priority"]), ("waiting", "high"))
        for job in (runs, waits):
            self.assertGreater(job["age_seconds"], 0)
            self.assertLessEqual(job["left_seconds"], job["predicted_seconds"])
        done = json.loads(self.tegu("cancel", str(waits["id"]), "--json"))
        self.assertEqual(
            done, {"operation": "cancel", "id": waits["id"], "was_running": False, "error": None}
        )
        done = json.loads(self.tegu("cancel", str(runs["id"]), "--json"))
        self.assertIs(done["was_running"], True)
        self.assertEqual(self.statuses(), ["CANCELLED", "CANCELLED"])

    def test_wrong_ids(self):
        for ident in ("0", "-1", "x", "1.5", "", str(1 << 64)):
            self.tegu("cancel", ident, code=64)
        self.tegu("cancel", code=64)
        self.tegu("cancel", str((1 << 64) - 1), code=65)
        self.owner.cancel(self.long_job)
        self.assertEqual(self.statuses(), ["OK", "CANCELLED"])

    def test_python(self):
        with tegu.connect(self.daemon.path) as c:
            runs, waits = c.jobs()
            self.assertEqual((runs["operation"], runs["dtype"]), ("entropy_map", "u8"))
            self.assertEqual(runs["shape"], (LONG_ROWS, LONG_COLS))
            self.assertEqual((runs["state"], waits["state"]), ("running", "waiting"))
            self.assertEqual((runs["place"], runs["gpus"]), ("cpu", 0))
            self.assertEqual((runs["priority"], waits["priority"]), ("normal", "high"))
            self.assertEqual((runs["pid"], runs["name"]), (os.getpid(), "rawclient"))
            self.assertLessEqual(runs["left"], runs["predicted"])
            data = array.array("f", bytes(LONG_ROWS * LONG_COLS))  # enough to wait behind the long one
            future = c.submit.reduce(data, "sum")
            c.ping()  # sends what was submitted
            self.wait_for_stats(jobs_waiting=2)
            mine = [job for job in c.jobs() if job["name"] != "rawclient"]
            self.assertEqual(len(mine), 1)
            self.assertIs(c.cancel_job(mine[0]["id"]), False)
            with self.assertRaises(tegu.Cancelled):
                future.result()
            self.assertIs(c.cancel_job(waits["id"]), False)
            self.assertIs(c.cancel_job(runs["id"]), True)
            self.assertEqual(self.statuses(), ["CANCELLED", "CANCELLED"])
            for ident, status in (
                (waits["id"], "NOT_FOUND"),
                ((1 << 64) - 1, "NOT_FOUND"),
                (0, "BAD_RANGE"),
                (-1, "BAD_RANGE"),
                (1 << 64, "BAD_RANGE"),
                ("1", "BAD_RANGE"),
                (None, "BAD_RANGE"),
            ):
                with self.assertRaises(tegu.Error) as raised:
                    c.cancel_job(ident)
                self.assertEqual((raised.exception.status, raised.exception.field), (status, "id"))
            self.assertEqual(c.jobs(), [])


del HostileTest, LongJobs
if __name__ == "__main__":
    unittest.main()
