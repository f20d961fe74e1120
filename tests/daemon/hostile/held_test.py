#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that keep memory which the daemon made for them: a descriptor, a mapping, or both on their way to
somebody else."""

import mmap
import os
import socket
import struct
import time
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from other_user import NOBODY, OtherUser
from rawclient import Daemon


class HeldMemory(HostileTest):
    """Memory that the daemon made, which a client goes on using after it is a buffer no more: it counts until
    the client lets it go."""

    SETTINGS = """socket.mode = "0666"
[limits]
buffers_per_connection = 4
buffers_per_uid = 4
buffer_bytes_per_uid = "3MiB"
"""
    SIZES = (4096, 1 << 20)  # given back at once, and by another thread

    def create(self, connection, size):
        reply = connection.create(size)
        self.assertEqual(reply.status, "OK", reply)
        return reply.handle, reply.fds.pop()

    def release(self, connection, handle):
        self.assertEqual(connection.named(rawclient.BUFFER_RELEASE, handle).status, "OK")

    def assert_counts(self, size, a_while=False):
        if a_while:
            time.sleep(1.2)  # longer than the daemon has hope for it
        self.wait_for_stats(buffers=1, buffer_bytes=size)

    def test_released_with_a_descriptor_then_a_mapping(self):
        for size in self.SIZES:
            with self.subTest(size=size):
                connection = self.connect()
                handle, fd = self.create(connection, size)
                mapping = mmap.mmap(fd, size)
                self.release(connection, handle)
                self.assert_counts(size, a_while=True)
                refused = connection.create(3 << 20)
                self.assert_refused(refused, "OVER_QUOTA", "limits.buffer_bytes_per_uid")
                self.assertIn("; %d bytes are of buffers that were released" % size, refused.message)
                os.close(fd)
                self.assert_counts(size)
                mapping.close()
                self.wait_for_stats(buffers=0, buffer_bytes=0)
                os.close(self.create(connection, 3 << 20)[1])
                connection.close()
                self.wait_for_stats(buffers=0)

    def test_let_go_before_a_request_that_needs_the_room(self):
        connection = self.connect()
        for _ in range(20):
            handle, fd = self.create(connection, 4096)
            self.release(connection, handle)
            os.close(fd)
        self.wait_for_stats(buffers=0)

    def test_frozen(self):
        connection = self.connect()
        handle, fd = self.create(connection, 1 << 20)
        self.assertEqual(connection.named(rawclient.BUFFER_FREEZE, handle).status, "OK")
        self.release(connection, handle)
        self.assert_counts(1 << 20)
        os.close(fd)
        self.wait_for_stats(buffers=0)

    def test_a_descriptor_on_its_way_to_somebody(self):
        connection = self.connect()
        handle, fd = self.create(connection, 4096)
        ours, theirs = socket.socketpair()
        ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", fd))])
        os.close(fd)
        connection.close()
        self.assert_counts(4096, a_while=True)
        ours.close(), theirs.close()
        self.wait_for_stats(buffers=0)

    def test_registered_again_it_is_the_same_memory(self):
        for size in self.SIZES:
            with self.subTest(size=size):
                connection = self.connect()
                _, fd = self.create(connection, size)
                os.pwrite(fd, rawclient.floats(1, 2, 3, 4), 0)
                connection.close()
                self.assert_counts(size, a_while=True)
                connection = self.connect()
                self.assert_refused(connection.register(fd, size + 1, 1), "BAD_DESCRIPTOR", "descriptor")
                self.assert_counts(size)
                buffer = connection.register(fd, size, 1)
                self.assertEqual(buffer.status, "OK", buffer)
                self.assert_counts(size)
                job = connection.job(params=rawclient.reduce_params(), handle=buffer.handle)
                self.assertEqual(job.arrays()[rawclient.SUM + 1], (1, 1, (10.0,)))
                self.release(connection, buffer.handle)
                self.assert_counts(size)
                os.close(fd)
                self.wait_for_stats(buffers=0)
                connection.close()

    def test_a_descriptor_that_only_names_it(self):
        connection = self.connect()
        handle, fd = self.create(connection, 1 << 20)
        path = os.open("/proc/self/fd/%d" % fd, os.O_PATH)
        os.close(fd)
        self.release(connection, handle)
        self.assert_counts(1 << 20)
        os.close(path)
        self.wait_for_stats(buffers=0)

    def test_registered_again_while_it_is_being_released(self):
        connection = self.connect()
        for _ in range(50):
            handle, fd = self.create(connection, 2 << 20)
            connection.submit(rawclient.BUFFER_RELEASE, struct.pack("<Q", handle))
            buffer = connection.register(fd, 1 << 20, 1)
            self.assertEqual(buffer.status, "OK", buffer)
            self.assertEqual((self.stats()["buffers"], self.stats()["buffer_bytes"]), (1, 2 << 20))
            os.close(fd)
            self.release(connection, buffer.handle)
            self.assertEqual((self.stats()["buffers"], self.stats()["buffer_bytes"]), (0, 0))

    def test_what_was_let_go_a_moment_ago(self):
        connection = self.connect()
        handle, fd = self.create(connection, 2 << 20)
        release, create = connection.submit_all(
            (rawclient.BUFFER_RELEASE, struct.pack("<Q", handle)),  # within a second
            (rawclient.BUFFER_CREATE, struct.pack("<Q", 2 << 20)),
        )
        self.assertEqual(connection.wait(release).status, "OK")
        refused = connection.wait(create)
        self.assert_refused(refused, "BUSY", "limits.buffer_bytes_per_uid")
        self.assertGreater(refused.retry_after_ns, 0)
        os.close(fd)
        Daemon.wait_for(lambda: connection.create(2 << 20).status == "OK", "room for a buffer")

    @unittest.skipUnless(os.getuid() == 0, "needs root, to be another user")
    def test_it_is_another_users(self):
        other = OtherUser(self.daemon.path, NOBODY)
        try:
            other.do("vars(c).update(made=c.create(1 << 20))")
            other.do("c.named(BUFFER_RELEASE, c.made.handle)")
            self.assert_counts(1 << 20)
            os.close(self.create(self.connect(), 3 << 20)[1])  # what another has is no matter
        finally:
            other.end()
        self.wait_for_stats(buffers=1)


if __name__ == "__main__":
    unittest.main()
