#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks with file descriptors: of the wrong kind, too many, and on the wrong message."""

import array
import os
import re
import socket
import struct
import tempfile
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import Closed, add_seals, frame, header, memfd, punch_hole

SIZE = 1 << 16
O_PATH = 0o10000000


class Kinds(HostileTest):
    """What is not a whole, sealable memfd is refused and closed."""

    def refuse(self, fd, size=SIZE, access=0, allowed=None):
        connection = self.connect()
        reply = connection.register(fd, size, access)
        os.close(fd)
        self.assert_refused(reply, "BAD_DESCRIPTOR", "descriptor")
        if allowed is not None:
            self.assertIn(allowed, reply.allowed)
        self.assert_lives(connection)

    def test_pipe(self):
        reader, writer = os.pipe()
        self.refuse(reader)
        self.refuse(writer)

    def test_eventfd(self):
        self.refuse(rawclient.LIBC.eventfd(0, 0))

    def test_socket(self):
        left, right = socket.socketpair()
        right.close()
        self.refuse(left.detach())

    def test_the_connection_itself(self):
        connection = self.connect()
        self.assert_refused(
            connection.register(connection.socket.fileno(), SIZE), "BAD_DESCRIPTOR", "descriptor"
        )
        self.assert_lives(connection)

    def test_directory(self):
        self.refuse(os.open("/tmp", os.O_RDONLY))

    def test_devices(self):
        for path in ("/dev/zero", "/dev/null"):
            self.refuse(os.open(path, os.O_RDWR))

    def test_regular_file(self):
        for folder in ("/tmp", "/dev/shm"):
            if os.path.isdir(folder):
                with tempfile.TemporaryFile(dir=folder) as file:
                    file.write(bytes(SIZE))
                    file.flush()
                    self.refuse(os.dup(file.fileno()))

    def test_path_only(self):
        fd = memfd(SIZE)
        self.refuse(os.open("/proc/self/fd/%d" % fd, O_PATH))
        os.close(fd)

    def test_memfd_that_cannot_be_sealed(self):
        self.refuse(memfd(SIZE, rawclient.MFD_CLOEXEC))
        fd = memfd(SIZE)
        add_seals(fd, rawclient.F_SEAL_SEAL)
        self.refuse(fd)

    def test_read_only_memfd(self):
        fd = memfd(SIZE)
        self.refuse(os.open("/proc/self/fd/%d" % fd, os.O_RDONLY))
        add_seals(fd, rawclient.F_SEAL_SHRINK)
        sealed = os.open("/proc/self/fd/%d" % fd, os.O_RDONLY)
        connection = self.connect()
        self.assertEqual(
            connection.register(sealed, SIZE).status, "OK"
        )  # it is safe without the daemon's seal
        self.assert_refused(connection.register(sealed, SIZE, access=1), "BAD_DESCRIPTOR", "descriptor")
        os.close(sealed)
        os.close(fd)

    def test_memfd_sealed_against_writing_cannot_be_an_output(self):
        fd = memfd(SIZE)
        add_seals(fd, rawclient.F_SEAL_WRITE)
        self.refuse(fd, access=1)

    def test_memfd_that_the_daemon_may_not_open(self):
        fd = memfd(SIZE)
        os.fchmod(fd, 0)
        connection = self.connect()
        reply = connection.register(fd, SIZE)
        self.assertIn(reply.status, ("OK", "BAD_DESCRIPTOR"), reply)  # OK: the daemon is root, or the owner
        os.close(fd)

    def test_sparse(self):
        self.refuse(memfd(SIZE, whole=False), allowed="fallocate")
        fd = memfd(SIZE)
        punch_hole(fd, 4096, 4096)
        self.refuse(fd)
        self.refuse(memfd(1 << 40, whole=False))

    def test_smaller_than_the_buffer(self):
        self.refuse(memfd(SIZE - 4096), allowed=str(SIZE))
        self.refuse(memfd(0))
        fd = memfd(SIZE)
        os.ftruncate(fd, 4096)
        self.refuse(fd)

    def test_huge_pages(self):
        try:
            fd = memfd(0, rawclient.MFD_CLOEXEC | rawclient.MFD_ALLOW_SEALING | rawclient.MFD_HUGETLB)
        except OSError as error:
            self.skipTest("no memfd on huge pages: %s" % error)
        with open("/proc/meminfo") as lines:
            size = 1024 * int(re.search(r"Hugepagesize: *(\d+) kB", lines.read()).group(1))
        os.ftruncate(fd, size)
        self.refuse(fd, size)

    def test_sizes_that_are_no_size(self):
        connection = self.connect()
        fd = memfd(SIZE)
        self.assert_refused(connection.register(fd, 0), "BAD_RANGE", "bytes")
        for size in (1 << 63, (1 << 64) - 1, 1 << 50):
            self.assert_refused(connection.register(fd, size), "TOO_LARGE", "bytes")
        self.assert_refused(connection.create(0), "BAD_RANGE", "bytes")
        for size in (1 << 63, (1 << 64) - 1, 1 << 50):
            self.assert_refused(connection.create(size), "TOO_LARGE", "bytes")
        self.assert_refused(connection.register(fd, SIZE, access=2), "BAD_RANGE", "access")
        self.assertEqual(connection.register(fd, SIZE).status, "OK")
        os.close(fd)


class Counts(HostileTest):
    """Too many descriptors, none, or on the wrong bytes."""

    def flood(self, data, fds, status="BAD_DESCRIPTOR", field="descriptors"):
        connection = self.connect()
        connection.send(data, fds)
        self.assert_ended(connection, status, field)

    def register_header(self):
        return header(rawclient.BUFFER_REGISTER, 1, 16, descriptors=1)

    def test_two_and_many(self):
        fd = memfd(SIZE)
        for count in (2, 3, 64, 253):
            self.flood(self.register_header() + struct.pack("<QB7x", SIZE, 0), [fd] * count)
        os.close(fd)

    def test_announced_and_not_sent(self):
        connection = self.connect()
        connection.send(self.register_header() + struct.pack("<QB7x", SIZE, 0))
        self.assert_ended(connection, "BAD_DESCRIPTOR", "descriptors")

    def test_sent_and_not_announced(self):
        fd = memfd(SIZE)
        self.flood(frame(rawclient.PING, 1), [fd])
        self.flood(header(rawclient.BUFFER_REGISTER, 1, 16) + struct.pack("<QB7x", SIZE, 0), [fd])
        os.close(fd)

    def test_without_a_message(self):
        fd = memfd(SIZE)
        connection = self.connect()
        try:
            for _ in range(200):  # one byte of a header each, and a descriptor with each
                connection.send(b"T", [fd])
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assert_ended(connection)
        os.close(fd)

    def test_with_the_body_instead_of_the_header(self):
        fd = memfd(SIZE)
        connection = self.connect()
        connection.send(self.register_header())
        try:
            connection.send(struct.pack("<QB7x", SIZE, 0), [fd])
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            reply = connection.receive()
        except Closed:
            reply = None
        # It did come before the message was whole, so either answer is in order; it must not leak.
        if reply is not None and reply.is_event:
            self.assertEqual(reply.status, "BAD_DESCRIPTOR")
        os.close(fd)

    def test_on_the_wrong_message(self):
        fd = memfd(SIZE)
        connection = self.connect()
        for kind in (rawclient.PING, rawclient.JOB, rawclient.BUFFER_CREATE, 999):
            reply = connection.request(kind, b"", [fd])
            self.assertIn(reply.status, ("BAD_DESCRIPTOR", "UNSUPPORTED"), reply)
        self.assert_lives(connection)
        os.close(fd)

    def test_before_hello(self):
        fd = memfd(SIZE)
        connection = self.connect(hello=False)
        connection.send(header(rawclient.HELLO, 1, len(rawclient.hello_body()), descriptors=1), [fd])
        connection.send(rawclient.hello_body())
        reply = connection.receive()
        self.assertEqual((reply.status, reply.field), ("BAD_DESCRIPTOR", "descriptors"), reply)
        os.close(fd)

    def test_gone_with_descriptors_on_the_way(self):
        fd = memfd(SIZE)
        for _ in range(50):
            connection = self.connect()
            connection.send(self.register_header()[:20], [fd])
            connection.close()
        os.close(fd)

    def test_a_descriptor_glued_behind_other_messages(self):
        """The kernel may glue what was sent before a descriptor to it; that must work."""
        fd = memfd(SIZE)
        connection = self.connect()
        connection.send(b"".join(frame(rawclient.PING, i, b"x") for i in range(10, 20)))
        reply = connection.register(fd, SIZE)
        self.assertEqual(reply.status, "OK", reply)
        os.close(fd)

    def test_credentials_instead_of_descriptors(self):
        connection = self.connect()
        ucred = struct.pack("iII", os.getpid(), os.getuid(), os.getgid())
        message = frame(rawclient.PING, 77, b"y")
        connection.socket.sendmsg(
            [message], [(socket.SOL_SOCKET, 2, array.array("B", ucred))]
        )  # SCM_CREDENTIALS
        self.assertEqual(connection.wait(77).body, b"y")


if __name__ == "__main__":
    unittest.main()
