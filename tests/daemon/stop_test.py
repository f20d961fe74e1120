#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cancel, deadline and the death of the client in the middle of a long job, for every operation that the
daemon has: its threads stop within 10 ms of work, and what the client held is free. Work is processor time,
so that a busy machine changes nothing."""

import mmap
import os
import random
import struct
import time
import unittest

import rawclient
from rawclient import (
    ADD,
    CANCEL,
    DOT,
    ENTROPY,
    ENTROPY_MAP,
    F32,
    FUSED,
    HISTOGRAM,
    JOB,
    QUANTILE,
    REDUCE,
    ROWSCALE,
    STATS,
    TOPK,
    U8,
    Connection,
    Daemon,
    entropy_of_levels_params,
    entropy_params,
    fused_params,
    histogram_params,
    job_body,
    quantile_params,
    reduce_params,
    topk_params,
)

SANITIZED = bool(os.environ.get("TEGU_SANITIZE"))
MEASURED = not SANITIZED and os.path.exists("/proc/self/schedstat")  # instrumented kernels work for longer
SIZE = (32 if SANITIZED else 256) << 20  # of the input, and of the output: long enough to be met half-way
THREADS = 2
ALLOWED_NS = 10000000
TICK_NS = 4000000  # the kernel counts the time of a thread that runs only as often as this
ENOUGH = 5  # attempts that met the job half-way
U32 = 5
EVERY_STATISTIC = 0x7FFF

# Each takes tens of milliseconds at least on SIZE bytes.
LONG_JOBS = {
    "reduce": dict(
        operation=REDUCE, kind=U32, rows=SIZE // 64, cols=16, axis=1, params=reduce_params(1 << rawclient.SUM)
    ),
    "topk": dict(operation=TOPK, kind=U32, cols=SIZE // 8, params=topk_params(SIZE // 64)),
    "entropy_map": dict(
        operation=ENTROPY_MAP, kind=U8, rows=SIZE >> 14, cols=1 << 12, params=entropy_params(63, 63, 256)
    ),
    "add": dict(operation=ADD, kind=F32, cols=SIZE // 4),
    "dot": dict(operation=DOT, kind=F32, rows=SIZE // 64, cols=16, axis=1),
    "rowscale": dict(operation=ROWSCALE, kind=F32, rows=SIZE // 4 // 16 - (SIZE >> 10), cols=8, axis=1),
    "quantile": dict(
        operation=QUANTILE,
        kind=U32,
        rows=SIZE >> 14,
        cols=1 << 12,
        axis=1,
        params=quantile_params((0.1, 0.5)),
    ),
    "histogram": dict(operation=HISTOGRAM, kind=U32, cols=SIZE // 4, params=histogram_params(1 << 20)),
    "entropy": dict(operation=ENTROPY, kind=U32, cols=SIZE // 4, params=entropy_of_levels_params(65536)),
    "fused": dict(
        operation=FUSED,
        kind=U32,
        cols=SIZE // 4,
        params=fused_params(
            (REDUCE, reduce_params(EVERY_STATISTIC)),
            (HISTOGRAM, histogram_params(256)),
            (QUANTILE, quantile_params()),
            (ENTROPY, entropy_of_levels_params(256)),
        ),
    ),
}


class Stop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("[executor]\nthreads = %d\n" % THREADS)
        cls.witness = Connection(cls.daemon.path)
        cls.input, cls.output = rawclient.memfd(SIZE), rawclient.memfd(SIZE)
        block = random.Random(3).getrandbits(8 << 20).to_bytes(1 << 20, "little")
        with mmap.mmap(cls.input, SIZE) as memory:
            for offset in range(0, SIZE, 1 << 20):
                memory[offset : offset + (1 << 20)] = block

    @classmethod
    def tearDownClass(cls):
        cls.witness.close()
        os.close(cls.input)
        os.close(cls.output)
        text = cls.daemon.log_text()
        if cls.daemon.stop() != 0:
            raise AssertionError("tegud did not end in order: " + text)

    def connect(self):
        # Some jobs run to their end.
        connection = Connection(self.daemon.path, timeout=10 * rawclient.PATIENCE)
        self.addCleanup(connection.close)
        replies = [connection.register(fd, SIZE, 1) for fd in (self.input, self.output)]
        self.assertEqual([reply.status for reply in replies], ["OK", "OK"])
        return connection, replies[0].handle, replies[1].handle

    def submit(self, name, connection, source, target, **fields):
        second = {"second": (source,)} if LONG_JOBS[name]["operation"] in rawclient.TWO_INPUTS else {}
        body = job_body(handle=source, out=target, out_capacity=SIZE, **dict(LONG_JOBS[name], **second))
        return connection.submit(JOB, body, **fields)

    def stats(self):
        return self.witness.fields(STATS)

    def wait_until_it_runs(self):
        """False if it is over already."""
        while True:
            stats = self.stats()
            if stats["jobs_in_flight"] == 0:
                return False
            if stats["jobs_running"] == 1:
                time.sleep(0.002)
                return True

    def work_ns(self):
        """Processor time of the daemon so far, but for the thread that makes the pages of buffers and gives
        them back."""
        if not MEASURED:
            return 0
        tasks = "/proc/%d/task" % self.daemon.process.pid
        total = 0
        for task in os.listdir(tasks):
            with open("%s/%s/comm" % (tasks, task)) as comm, open("%s/%s/schedstat" % (tasks, task)) as times:
                if comm.read().strip() != "tegud-pages":
                    total += int(times.read().split()[0])
        return total

    def assert_stops(self, name, attempt):
        """`attempt` gives the work after the end was asked for, or nothing if the job was over before. One
        must be within the limit: a job that looks too seldom for its end is late each time, others only where
        a busy machine slows them down."""
        works, end = [], time.monotonic() + rawclient.PATIENCE
        while len(works) < ENOUGH and time.monotonic() < end:
            work = attempt()
            if work is not None:
                works.append(work)
        self.assertGreaterEqual(len(works), 3, "%s was never met half-way: make it longer" % name)
        if MEASURED:
            self.assertLessEqual(
                min(works), THREADS * (ALLOWED_NS + TICK_NS), "%s: %s ns of work" % (name, works)
            )

    def test_the_table_is_whole(self):
        suffix = "_jobs_total"
        stems = {
            field[len("operation_") : -len(suffix)]
            for field in self.stats()
            if field.startswith("operation_") and field.endswith(suffix)
        }
        self.assertEqual(stems, set(LONG_JOBS))

    def test_cancel(self):
        for name in LONG_JOBS:
            with self.subTest(operation=name):
                connection, source, target = self.connect()

                def attempt():
                    job = self.submit(name, connection, source, target)
                    running = self.wait_until_it_runs()
                    with self.daemon.stopped():  # its work is counted from the moment at which it can know
                        before = self.work_ns()
                        cancel = connection.submit(CANCEL, struct.pack("<Q", job))
                    connection.wait(cancel)
                    status = connection.wait(job).status
                    self.assertIn(status, ("CANCELLED", "OK"))
                    return self.work_ns() - before if running and status == "CANCELLED" else None

                self.assert_stops(name, attempt)
                connection.close()

    def test_deadline(self):
        for name in LONG_JOBS:
            with self.subTest(operation=name):
                connection, source, target = self.connect()
                times = [time.monotonic()]
                for _ in range(3):  # the first also makes the pages of the daemon's mapping
                    connection.wait(self.submit(name, connection, source, target))
                    times.append(time.monotonic())
                limit = [int(min(after - before for before, after in zip(times, times[1:])) * 1e9 / 4)]

                def attempt():
                    deadline, before = limit[0], self.work_ns()
                    reply = connection.wait(self.submit(name, connection, source, target, deadline=deadline))
                    self.assertIn(reply.status, ("DEADLINE_EXCEEDED", "OK"))
                    work = self.work_ns() - before
                    if reply.status == "OK":  # others took its cores while it was timed
                        limit[0] //= 2
                        return None
                    return max(0, work - THREADS * deadline)

                self.assert_stops(name, attempt)
                connection.close()

    def test_death_of_the_client(self):
        for name in LONG_JOBS:
            with self.subTest(operation=name):

                def attempt():
                    dropped = self.stats()["results_dropped_total"]
                    connection, source, target = self.connect()
                    self.submit(name, connection, source, target)
                    running = self.wait_until_it_runs()
                    with self.daemon.stopped():
                        before = self.work_ns()
                        connection.close()
                    Daemon.wait_for(lambda: self.stats()["jobs_in_flight"] == 0, "the job to end")
                    work = self.work_ns() - before
                    Daemon.wait_for(self.is_free, "what the client held to be free")
                    met = running and self.stats()["results_dropped_total"] == dropped + 1
                    return work if met else None

                self.assert_stops(name, attempt)

    def is_free(self):
        stats = self.stats()
        return (stats["connections"], stats["buffers"], stats["buffer_bytes"], stats["jobs_running"]) == (
            1,
            0,
            0,
            0,
        )

    def test_afterwards_jobs_are_right(self):
        reply = self.witness.job(cols=4, data=rawclient.floats(1, 2, 3, 4))
        self.assertEqual(reply.arrays()[rawclient.SUM + 1][2], (10.0,))


if __name__ == "__main__":
    unittest.main()
