#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on the queue and on jobs in flight: floods, cancels, deadlines, ids in use, and clients that die in
the middle."""

import os
import socket
import tempfile
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import job_body

# An entropy map of this size: one that the daemon holds (held_jobs.h) until it is cancelled or let go.
LONG_ROWS = LONG_COLS = 2048 if os.environ.get("TEGU_SANITIZE") else 4096


class LongJobs(HostileTest):
    """With one thread: a job that runs for long, and jobs that wait behind it. Small jobs of the witness run
    on the io thread."""

    SETTINGS = "[executor]\nthreads = 1\n"
    PROGRAM = "tests/guard_tegud"
    HELD = os.path.join(tempfile.gettempdir(), "tegud-test-held-%d" % os.getpid())
    ENVIRONMENT = {"TEGU_TEST_GPU": "none", "TEGU_TEST_HOLD": HELD}

    def setUp(self):
        super().setUp()
        self.addCleanup(self.let_go)

    def let_go(self):
        """Long jobs end by themselves from now on."""
        if os.path.exists(self.HELD):
            os.unlink(self.HELD)

    def connect_with_buffers(self):
        connection = self.connect()
        connection.image, connection.map = (
            connection.create(LONG_ROWS * LONG_COLS),
            connection.create(4 * LONG_ROWS * LONG_COLS),
        )
        for reply in (connection.image, connection.map):
            self.assertEqual(reply.status, "OK", reply)
            os.close(reply.fds.pop())
        return connection

    def submit_long(self, connection, until_it_runs=True, **fields):
        body = job_body(
            rawclient.ENTROPY_MAP,
            rawclient.U8,
            rows=LONG_ROWS,
            cols=LONG_COLS,
            handle=connection.image.handle,
            out=connection.map.handle,
            out_capacity=4 * LONG_ROWS * LONG_COLS,
            params=rawclient.entropy_params(63, 63, 256),
        )
        with open(self.HELD, "w"):
            request_id = connection.submit(rawclient.JOB, body, **fields)
        if until_it_runs:
            self.wait_for_stats(jobs_running=1)
        return request_id

    def submit_waiting(self, connection, **fields):
        """A job too long for the io thread, which waits behind the long one."""
        body = job_body(kind=rawclient.F32, cols=LONG_ROWS * LONG_COLS // 4, handle=connection.image.handle)
        return connection.submit(rawclient.JOB, body, **fields)


class Queue(LongJobs):
    SETTINGS = LongJobs.SETTINGS + "[limits]\nqueued_jobs = 3\n"

    def test_flood(self):
        connection = self.connect_with_buffers()
        long_job = self.submit_long(connection)
        waiting = [self.submit_waiting(connection) for _ in range(3)]
        for _ in range(50):
            busy = connection.wait(self.submit_waiting(connection))
            self.assert_refused(busy, "BUSY", "limits.queued_jobs")
            self.assertTrue(1000000 <= busy.retry_after_ns <= 1000000000, busy.retry_after_ns)
        connection.cancel(long_job)
        for request_id in waiting:
            self.assertEqual(connection.wait(request_id).status, "OK")
        self.assertEqual(connection.wait(long_job).status, "CANCELLED")
        self.assertEqual(connection.wait(self.submit_waiting(connection)).status, "OK")


class QueuedWork(LongJobs):
    SETTINGS = LongJobs.SETTINGS + "[limits]\nqueued_work_ms = 1\n"

    def test_flood(self):
        connection = self.connect_with_buffers()
        long_job = self.submit_long(connection)
        waiting = [self.submit_waiting(connection) for _ in range(50)]
        connection.cancel(long_job)
        replies = [connection.wait(request_id) for request_id in waiting]
        self.assertEqual(replies[0].status, "OK", "one job may always wait")
        busy = [reply for reply in replies if reply.status != "OK"]
        self.assertTrue(busy)
        for reply in busy:
            self.assert_refused(reply, "BUSY", "limits.queued_work_ms")
            self.assertGreater(reply.retry_after_ns, 0)


class InFlight(LongJobs):
    SETTINGS = LongJobs.SETTINGS + "[limits]\njobs_in_flight_per_connection = 4\njobs_per_uid = 6\n"

    def test_more_than_a_connection_and_a_user_may_have(self):
        first, second = self.connect_with_buffers(), self.connect_with_buffers()
        long_job = self.submit_long(first)
        waiting = [(first, self.submit_waiting(first)) for _ in range(3)]
        refused = first.wait(self.submit_waiting(first))
        self.assert_refused(refused, "OVER_QUOTA", "limits.jobs_in_flight_per_connection")
        waiting += [(second, self.submit_waiting(second)) for _ in range(2)]
        self.assert_refused(second.wait(self.submit_waiting(second)), "OVER_QUOTA", "limits.jobs_per_uid")
        first.cancel(long_job)
        for connection, request_id in waiting:
            self.assertEqual(connection.wait(request_id).status, "OK")
        self.assertEqual(second.wait(self.submit_waiting(second)).status, "OK")


class Lives(LongJobs):
    """Cancel, deadlines, ids, and what ends while a job runs."""

    def test_cancel_of_what_is_not_there(self):
        connection, other = self.connect_with_buffers(), self.connect()
        self.assert_refused(connection.cancel(4711), "NOT_FOUND", "target_id")
        self.assert_refused(connection.cancel(0), "BAD_RANGE", "target_id")
        long_job = self.submit_long(connection, request_id=77)
        self.assert_refused(other.cancel(long_job), "NOT_FOUND", "target_id")
        connection.cancel(long_job)
        self.assertEqual(connection.wait(long_job).status, "CANCELLED")
        self.assert_refused(connection.cancel(long_job), "NOT_FOUND", "target_id")

    def test_cancel_of_running_and_waiting(self):
        connection = self.connect_with_buffers()
        long_job = self.submit_long(connection)
        waiting = self.submit_waiting(connection)
        self.assertEqual(connection.cancel(waiting).body, bytes(8))
        self.assertEqual(connection.wait(waiting).status, "CANCELLED")
        self.assertEqual(connection.cancel(long_job).body, b"\1" + bytes(7))
        self.assertEqual(connection.wait(long_job).status, "CANCELLED")
        self.wait_for_stats(jobs_in_flight=0)

    def test_id_in_use(self):
        connection = self.connect_with_buffers()
        long_job = self.submit_long(connection, request_id=99)
        self.submit_waiting(connection, request_id=99)
        self.assert_refused(connection.receive(), "DUPLICATE_ID", "request_id")
        self.assertEqual(
            connection.request(rawclient.PING, b"p", request_id=99).body, b"p"
        )  # only jobs are in flight
        connection.cancel(long_job)
        self.assertEqual(connection.wait(99).status, "CANCELLED")
        self.assertEqual(connection.wait(self.submit_waiting(connection, request_id=99)).status, "OK")

    def test_deadlines(self):
        connection = self.connect_with_buffers()
        self.assertEqual(connection.job(data=bytes(16), deadline=1).status, "DEADLINE_EXCEEDED")
        self.assertEqual(connection.job(data=bytes(16), deadline=(1 << 64) - 1).status, "OK")
        long_job = self.submit_long(connection)
        waiting = self.submit_waiting(connection, deadline=1000000)
        self.assertEqual(connection.wait(waiting).status, "DEADLINE_EXCEEDED")
        connection.cancel(long_job)
        connection.wait(long_job)
        running = self.submit_long(connection, until_it_runs=False, deadline=100000000)
        self.assertEqual(connection.wait(running).status, "DEADLINE_EXCEEDED")

    def test_death_in_the_middle_of_a_job(self):
        for _ in range(3):
            connection = self.connect_with_buffers()
            self.submit_long(connection)
            for _ in range(10):
                self.submit_waiting(connection)
            connection.close()
            self.wait_for_stats(jobs_in_flight=0, buffers=0)

    def test_release_while_a_job_runs(self):
        connection = self.connect_with_buffers()
        long_job = self.submit_long(connection)
        for reply in (connection.image, connection.map):
            self.assertEqual(connection.named(rawclient.BUFFER_RELEASE, reply.handle).status, "OK")
            self.assert_refused(
                connection.named(rawclient.BUFFER_RELEASE, reply.handle), "NOT_FOUND", "handle"
            )
        self.assertEqual(self.stats()["buffers"], 2, "the job keeps its memory")
        self.let_go()
        self.assertEqual(connection.wait(long_job).status, "OK")
        self.wait_for_stats(buffers=0, buffer_bytes=0)

    def test_what_a_running_job_writes_is_its_own(self):
        connection = self.connect_with_buffers()
        long_job = self.submit_long(connection)
        self.assert_refused(
            connection.named(rawclient.BUFFER_FREEZE, connection.map.handle), "BUSY", "handle"
        )
        reader = connection.job(cols=1024, handle=connection.map.handle)
        self.assert_refused(reader, "BUSY", "inputs[0].offset_bytes")
        self.assertGreater(reader.retry_after_ns, 0)
        writer = connection.job(data=bytes(16), out=connection.image.handle, out_capacity=64)
        self.assert_refused(writer, "BUSY", "output.offset_bytes")
        self.assertEqual(
            connection.job(cols=1024, handle=connection.image.handle).status, "OK"
        )  # reading beside it is fine
        connection.cancel(long_job)
        connection.wait(long_job)

    def test_half_closed_while_a_job_runs(self):
        connection = self.connect_with_buffers()
        long_job = self.submit_long(connection)
        connection.socket.shutdown(socket.SHUT_WR)
        self.let_go()
        self.assertEqual(connection.wait(long_job).status, "OK")
        self.assert_ended(connection)


if __name__ == "__main__":
    unittest.main()
