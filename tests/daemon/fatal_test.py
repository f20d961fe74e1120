#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ends the daemon, made to happen: every job in flight is answered so that its client tries again, one
line says why, and the exit code makes the service manager start it anew."""

import os
import shutil
import tempfile
import unittest

import rawclient
from rawclient import Closed, Connection, Daemon, entropy_params, floats, job_body

SIDE = 4096
EX_SOFTWARE = 70


class Fatal(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tegud-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.trigger = os.path.join(self.folder, "now")

    def start(self, call):
        """A daemon in which `call` fails once the trigger is there, with one job that runs for long and two
        that wait."""
        self.daemon = Daemon(
            "[executor]\ninline_budget_us = 0\nthreads = 1\n",
            program="tests/faulty_tegud",
            environment={"TEGU_TEST_FAULT": "%s:%s" % (call, self.trigger)},
        )
        self.addCleanup(self.daemon.stop)
        self.client, self.bystander = Connection(self.daemon.path), Connection(self.daemon.path)
        self.addCleanup(self.client.close)
        self.addCleanup(self.bystander.close)
        image, result = self.client.create(SIDE * SIDE), self.client.create(4 * SIDE * SIDE)
        image.close(), result.close()
        running = self.client.submit(
            rawclient.JOB,
            job_body(
                rawclient.ENTROPY_MAP,
                rawclient.U8,
                SIDE,
                SIDE,
                entropy_params(63, 63, 256),
                handle=image.handle,
                out=result.handle,
                out_capacity=4 * SIDE * SIDE,
            ),
        )
        Daemon.wait_for(
            lambda: self.client.fields(rawclient.STATS)["jobs_running"] == 1, "the first job to run"
        )
        waiting = [
            connection.submit(rawclient.JOB, job_body(cols=4, data=floats(1, 2, 3, 4)))
            for connection in (self.client, self.bystander)
        ]
        Daemon.wait_for(
            lambda: self.client.fields(rawclient.STATS)["jobs_waiting"] == 2, "the others to wait"
        )
        return running, waiting[0], waiting[1]

    def fire(self):
        with open(self.trigger, "w"):
            pass

    def expect(self, running, waiting, replies, line):
        """What the three jobs are answered, and how the daemon ends."""
        first, second, third = replies
        self.assertEqual(self.client.wait(first).status, running)
        self.assertEqual(self.client.wait(second).status, waiting)
        self.assertEqual(self.bystander.wait(third).status, waiting)
        for connection in (self.client, self.bystander):
            with self.assertRaises(Closed):  # each is answered once
                while True:
                    self.assertTrue(connection.receive().is_event)
        self.assertEqual(self.daemon.process.wait(rawclient.PATIENCE), EX_SOFTWARE)
        errors = [text for text in self.daemon.log_text().splitlines() if text.startswith("tegud: error:")]
        self.assertEqual(len(errors), 1, errors)
        self.assertRegex(errors[0], line)
        self.assertFalse(os.path.exists(self.daemon.path), "the socket file is left behind")

    def test_accept_fails(self):
        jobs = self.start("accept")
        self.fire()
        late = Connection(self.daemon.path, hello=False)  # in the queue of the socket
        self.addCleanup(late.close)
        self.expect("SHUTTING_DOWN", "SHUTTING_DOWN", jobs, "accept")

    def test_the_loop_fails(self):
        jobs = self.start("loop")
        self.fire()
        try:
            self.client.submit(rawclient.PING)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.expect("SHUTTING_DOWN", "SHUTTING_DOWN", jobs, "the io thread ended: the loop cannot wait")

    def test_the_executor_fails(self):
        jobs = self.start("executor")
        self.fire()
        self.client.submit(
            rawclient.CANCEL, jobs[0].to_bytes(8, "little")
        )  # the executor goes on to the next job
        self.expect("CANCELLED", "DEVICE_LOST", jobs, "the executor ended: the executor cannot go on")

    def test_without_a_fault_it_is_tegud(self):
        jobs = self.start("nothing")
        self.client.cancel(jobs[0])
        self.assertEqual(self.client.wait(jobs[0]).status, "CANCELLED")
        self.assertEqual(self.client.wait(jobs[1]).status, "OK")
        self.assertEqual(self.bystander.wait(jobs[2]).status, "OK")
        self.daemon.process.terminate()
        self.assertEqual(self.daemon.process.wait(rawclient.PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
