#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The express lane: a short job is answered while a long one of another user or process runs, and one of the
same process, or one that works in much memory, waits for its turn. The long job is held (held_jobs.h) until
it is cancelled, and times are virtual (virtual_times.h): how fast this machine is, and what else it does,
changes nothing."""

import json
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rawclient
from other_user import NOBODY, OtherUser
from rawclient import Connection, Daemon

SHORT = 1 << 21  # floats: above the budget of the io thread, below what the express lane takes
# pixels, the side of an image: predicted to take far longer than any test here, so that what is left of it is
# long, too
LONG = 4096
SETTINGS = 'socket.mode = "0666"\nscheduler.quantum_us = 1000\n[executor]\nbackend = "cpu"\nthreads = 2\n'


class ExpressLane(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.NamedTemporaryFile()
        self.addCleanup(self.held.close)
        environment = {"TEGU_TEST_GPU": "none", "TEGU_TEST_SPEED": "cpu 10", "TEGU_TEST_HOLD": self.held.name}
        self.daemon = Daemon(SETTINGS, environment=environment, program="tests/guard_tegud")
        self.long = Connection(self.daemon.path)
        self.image = self.long.create(LONG * LONG).handle
        self.out = self.long.create(4 * LONG * LONG).handle

    def tearDown(self):
        self.long.close()
        self.assertEqual(self.daemon.stop(), 0)

    def report(self):
        reply = self.long.request(rawclient.HEALTH, bytes(8))
        (size,) = struct.unpack_from("<I", reply.body, 4)
        daemon = json.loads(reply.body[8 : 8 + size].decode())["daemon"]
        return daemon, {each["name"]: each for each in daemon["executors"]}

    def begin_long_job(self):
        body = rawclient.job_body(
            operation=rawclient.ENTROPY_MAP,
            kind=rawclient.U8,
            rows=LONG,
            cols=LONG,
            handle=self.image,
            params=rawclient.entropy_params(63, 63, 256),
            out=self.out,
            out_capacity=4 * LONG * LONG,
        )
        number = self.long.submit(rawclient.JOB, body)
        Daemon.wait_for(lambda: self.report()[0]["queue"]["running"] == 1, "the long job to begin")
        return number

    def end_long_job(self, number):
        self.assertEqual(self.long.cancel(number).status, "OK")
        return self.long.wait(number)

    @unittest.skipIf(os.getuid() != 0, "only root has clients of other users")
    def test_a_short_job_of_another_user_does_not_wait_for_a_long_one(self):
        other = OtherUser(self.daemon.path, NOBODY)
        handle = other.do("c.create(%d).handle" % (4 * SHORT)).strip()
        job = "c.job(cols=%d, params=reduce_params(), handle=%s).status" % (SHORT, handle)
        self.assertEqual(other.do(job), "'OK'\n")
        before = self.report()[1]["CPU express"]["jobs_total"]  # one thread may be as good on an idle machine
        number = self.begin_long_job()
        for _ in range(3):
            self.assertEqual(other.do(job), "'OK'\n")
        daemon, executors = self.report()
        self.assertEqual(daemon["queue"]["running"], 1, "the long job was too short for this test")
        self.assertEqual(executors["CPU express"]["jobs_total"], before + 3)
        self.assertEqual(self.end_long_job(number).status, "CANCELLED")
        other.end()

    @unittest.skipIf(os.getuid() != 0, "only root has clients of other users")
    def test_one_that_works_in_much_memory_waits(self):
        other = OtherUser(self.daemon.path, NOBODY)
        out = int(other.do("c.create(8 << 20).handle"))
        job = (
            "operation=HISTOGRAM, data=floats(1, 2, 3, 4), params=histogram_params(bins=%d), out="
            + str(out)
            + ", out_capacity=8 << 20"
        )
        number = self.begin_long_job()
        self.assertEqual(other.do("c.job(%s).status" % (job % 30000)), "'OK'\n")
        self.assertEqual(self.report()[1]["CPU express"]["jobs_total"], 1)
        short = other.do("c.submit(JOB, job_body(%s))" % (job % 300000)).strip()
        Daemon.wait_for(lambda: self.report()[0]["queue"]["normal"] == 1, "the short job to wait")
        self.assertEqual(self.end_long_job(number).status, "CANCELLED")
        self.assertEqual(other.do("c.wait(%s).status" % short), "'OK'\n")
        self.assertEqual(self.report()[1]["CPU express"]["jobs_total"], 1)
        other.end()

    def test_nor_one_of_another_process_of_the_same_user(self):
        other = OtherUser(self.daemon.path, os.getuid())
        handle = other.do("c.create(%d).handle" % (4 * SHORT)).strip()
        job = "c.job(cols=%d, params=reduce_params(), handle=%s).status" % (SHORT, handle)
        number = self.begin_long_job()
        self.assertEqual(other.do(job), "'OK'\n")
        daemon, executors = self.report()
        self.assertEqual(daemon["queue"]["running"], 1, "the long job was too short for this test")
        self.assertEqual(executors["CPU express"]["jobs_total"], 1)
        self.assertEqual(self.end_long_job(number).status, "CANCELLED")
        other.end()

    def test_one_of_the_same_process_waits(self):
        with Connection(self.daemon.path) as other:
            handle = other.create(4 * SHORT).handle
            number = self.begin_long_job()
            short = other.submit(
                rawclient.JOB, rawclient.job_body(cols=SHORT, params=rawclient.reduce_params(), handle=handle)
            )
            self.assertEqual(other.request(rawclient.PING).status, "OK")
            self.assertEqual(self.report()[0]["queue"]["normal"], 1)
            self.assertEqual(self.end_long_job(number).status, "CANCELLED")
            self.assertEqual(other.wait(short).status, "OK")
            self.assertEqual(self.report()[1]["CPU express"]["jobs_total"], 0)


if __name__ == "__main__":
    unittest.main()
