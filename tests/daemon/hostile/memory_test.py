#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on the memory of buffers: cut, with holes, and rewritten while jobs read it."""

import mmap
import os
import threading
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import job_body, memfd, punch_hole, reduce_params


class ChangingMemory(HostileTest):
    """The client keeps its descriptor and its mapping, and uses them while jobs run."""

    SETTINGS = "[executor]\ninline_budget_us = 1\nthreads = 2\n"
    BYTES = 16 << 20

    def setUp(self):
        super().setUp()
        self.connection = self.connect()
        self.fd = memfd(self.BYTES)
        self.addCleanup(os.close, self.fd)
        reply = self.connection.register(self.fd, self.BYTES)
        self.assertEqual(reply.status, "OK", reply)
        self.buffer = reply.handle

    def jobs(self):
        """Bodies of a job of each operation over the whole buffer."""
        elements = self.BYTES // 4
        yield job_body(handle=self.buffer, cols=elements, params=reduce_params((1 << 15) - 1))
        yield job_body(
            rawclient.TOPK,
            rawclient.I32,
            handle=self.buffer,
            cols=elements,
            params=rawclient.topk_params(1000),
        )
        yield job_body(
            rawclient.TOPK,
            rawclient.F32,
            handle=self.buffer,
            cols=elements,
            params=rawclient.topk_params(1000, 1, 1),
        )
        yield job_body(
            rawclient.TOPK,
            rawclient.F32,
            handle=self.buffer,
            rows=1024,
            cols=elements // 1024,
            axis=1,
            params=rawclient.topk_params(2, 0),
        )

    def test_it_cannot_be_shrunk(self):
        with self.assertRaises(PermissionError):
            os.ftruncate(self.fd, 4096)
        running = [self.connection.submit(rawclient.JOB, body) for body in self.jobs()]
        with self.assertRaises(PermissionError):
            os.ftruncate(self.fd, 0)
        for request_id in running:
            self.assertEqual(self.connection.wait(request_id).status, "OK")

    def test_holes_under_running_jobs(self):
        for _ in range(4):
            running = [self.connection.submit(rawclient.JOB, body) for body in self.jobs()]
            punch_hole(self.fd, 0, self.BYTES)
            for request_id in running:
                self.assertIn(self.connection.wait(request_id).status, ("OK", "BAD_DESCRIPTOR"))
            os.posix_fallocate(self.fd, 0, self.BYTES)

    def test_a_buffer_that_became_sparse_is_refused_until_it_is_whole(self):
        punch_hole(self.fd, 0, 8192)
        reply = self.connection.job(handle=self.buffer, cols=1024)
        self.assert_refused(reply, "BAD_DESCRIPTOR", "inputs[0].handle")
        os.posix_fallocate(self.fd, 0, self.BYTES)
        self.assertEqual(self.connection.job(handle=self.buffer, cols=1024).status, "OK")

    def test_scribbling_under_running_jobs(self):
        """Results are undefined, the daemon is not."""
        memory = mmap.mmap(self.fd, self.BYTES)
        stop = threading.Event()
        noise = os.urandom(1 << 20)

        def scribble():
            position = 0
            while not stop.is_set():
                memory[position : position + len(noise)] = noise
                position = (position + len(noise)) % self.BYTES

        thread = threading.Thread(target=scribble)
        thread.start()
        try:
            for _ in range(5):
                running = [self.connection.submit(rawclient.JOB, body) for body in self.jobs()]
                for request_id in running:
                    self.assertIn(self.connection.wait(request_id).status, ("OK", "OVERFLOW"))
        finally:
            stop.set()
            thread.join()
            memory.close()

    def test_scribbling_under_an_entropy_map(self):
        memory = mmap.mmap(self.fd, self.BYTES)
        out = self.connection.create(4 << 20)
        body = job_body(
            rawclient.ENTROPY_MAP,
            rawclient.U8,
            rows=1024,
            cols=1024,
            handle=self.buffer,
            out=out.handle,
            out_capacity=4 << 20,
            params=rawclient.entropy_params(9, 9, 256),
        )
        for _ in range(3):
            request_id = self.connection.submit(rawclient.JOB, body)
            for _ in range(20):
                memory[0 : 1 << 20] = os.urandom(1 << 20)
            self.assertEqual(self.connection.wait(request_id).status, "OK")
        memory.close()
        out.close()

    def test_freeze_while_it_is_mapped(self):
        memory = mmap.mmap(self.fd, self.BYTES)
        reply = self.connection.named(rawclient.BUFFER_FREEZE, self.buffer)
        self.assert_refused(reply, "BAD_DESCRIPTOR", "descriptor")
        memory.close()
        self.assertEqual(self.connection.named(rawclient.BUFFER_FREEZE, self.buffer).status, "OK")
        self.assertEqual(self.connection.named(rawclient.BUFFER_FREEZE, self.buffer).status, "OK")
        with self.assertRaises(PermissionError):
            os.pwrite(self.fd, b"x", 0)

    def test_outputs_that_are_not_allowed(self):
        reply = self.connection.job(cols=4, data=bytes(16), out=self.buffer, out_capacity=64)
        self.assert_refused(reply, "DENIED", "output.handle")  # registered for reading
        created = self.connection.create(4096)
        created.close()
        self.assertEqual(
            self.connection.job(cols=4, data=bytes(16), out=created.handle, out_capacity=64).status, "OK"
        )
        self.assertEqual(self.connection.named(rawclient.BUFFER_FREEZE, created.handle).status, "OK")
        reply = self.connection.job(cols=4, data=bytes(16), out=created.handle, out_capacity=64)
        self.assert_refused(reply, "DENIED", "output.handle")

    def test_a_buffer_of_the_daemon_cannot_be_resized(self):
        created = self.connection.create(1 << 20)
        for size in (0, 4096, 2 << 20):
            with self.assertRaises(PermissionError):
                os.ftruncate(created.fds[0], size)
        punch_hole(created.fds[0], 0, 1 << 20)
        self.assert_refused(
            self.connection.job(handle=created.handle, cols=4), "BAD_DESCRIPTOR", "inputs[0].handle"
        )
        created.close()


if __name__ == "__main__":
    unittest.main()
