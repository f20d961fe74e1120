#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks with file descriptors: of the wrong kind, too many, on the wrong message, and slow to close."""
import array
import os
import signal
import socket
import struct
import tempfile
import threading
import unittest

import rawclient
from hostile_base import HostileTest
from rawclient import Closed, Daemon, add_seals, frame, header, memfd, punch_hole

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
        self.refuse(rawclient._libc.eventfd(0, 0))

    def test_socket(self):
        left, right = socket.socketpair()
        right.close()
        self.refuse(left.detach())

    def test_the_connection_itself(self):
        connection = self.connect()
        self.assert_refused(connection.register(connection.socket.fileno(), SIZE), "BAD_DESCRIPTOR", "descriptor")
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
        self.assertEqual(connection.register(sealed, SIZE).status, "OK")  # it is safe without the daemon's seal
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
        os.ftruncate(fd, 2 << 20)
        self.refuse(fd, 2 << 20)

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
        connection.socket.sendmsg([message], [(socket.SOL_SOCKET, 2, array.array("B", ucred))])  # SCM_CREDENTIALS
        self.assertEqual(connection.wait(77).body, b"y")


def lingering_socket():
    """A descriptor whose last close waits for two minutes: a TCP socket with SO_LINGER and data that nobody reads."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1)
    sender = socket.socket()
    sender.connect(listener.getsockname())
    reader, _ = listener.accept()
    listener.close()
    sender.setblocking(False)
    try:
        while True:
            sender.send(bytes(1 << 16))
    except BlockingIOError:
        pass
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 120))
    return sender.detach(), reader


class SlowToClose(HostileTest):
    """Whoever closes these last waits: it must not be the thread that serves everybody."""

    def setUp(self):
        super().setUp()
        self.fd, self.reader = lingering_socket()
        self.attacker = self.connect()

    def tearDown(self):
        super().tearDown()
        self.reader.close()

    def give_away(self, data, copies=1):
        """Sends the only reference that is left."""
        self.attacker.send(data, [self.fd] * copies)
        os.close(self.fd)

    def test_refused(self):
        self.give_away(header(rawclient.BUFFER_REGISTER, 9, 16, descriptors=1))
        self.attacker.send(struct.pack("<QB7x", SIZE, 0))
        self.assert_refused(self.attacker.receive(), "BAD_DESCRIPTOR", "descriptor")
        self.assert_well()

    def test_on_the_wrong_message(self):
        self.give_away(frame(rawclient.PING, 9, descriptors=1))
        self.assert_refused(self.attacker.receive(), "BAD_DESCRIPTOR", "descriptors")
        self.assert_well()

    def test_surplus(self):
        self.give_away(frame(rawclient.PING, 9), copies=5)
        self.assert_ended(self.attacker, "BAD_DESCRIPTOR", "descriptors")
        self.assert_well()

    def test_never_read(self):
        """Behind broken framing, in a socket that the daemon closes."""
        self.attacker.send(bytes(40))
        try:
            for _ in range(20):
                self.attacker.send(b"x", [self.fd])
        except (BrokenPipeError, ConnectionResetError):
            pass
        closer = threading.Thread(target=os.close, args=(self.fd,))  # it may be the last one, and wait
        closer.start()
        self.assert_ended(self.attacker, "BAD_REQUEST", "magic")
        self.assert_well()
        self.reader.close()
        closer.join()


class NeverClosed(HostileTest):
    """Descriptors whose close waits for as long as the client likes, one after another."""

    def slow(self):
        """A socket in whose queue is the last reference to a lingering one."""
        fd, reader = lingering_socket()
        left, right = socket.socketpair()
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        left.close()
        self.readers.append(reader)
        return right.detach(), fd

    def tasks(self):
        return len(os.listdir("/proc/%d/task" % self.daemon.process.pid))

    def test_they_cost_the_user_alone(self):
        self.readers = []
        self.addCleanup(lambda: [reader.close() for reader in self.readers])
        before = self.tasks()
        attacker = self.connect()
        last = None
        for _ in range(40):
            carrier, fd = self.slow()
            attacker.send(header(rawclient.BUFFER_REGISTER, 9, 16, descriptors=1), [carrier])
            os.close(carrier)
            threading.Thread(target=os.close, args=(fd,), daemon=True).start()
            try:
                attacker.send(struct.pack("<QB7x", SIZE, 0))
            except (BrokenPipeError, ConnectionResetError):
                pass  # the event is there to be read
            last = attacker.receive()
            self.assertLessEqual(self.tasks(), before + 4)
            if last.is_event:
                break
        self.assertTrue(last.is_event, last)
        self.assert_refused(last, "OVER_QUOTA", "descriptors")
        self.assert_well()
        memory = memfd(SIZE)
        connection = self.connect()  # of the same user: memfds are still welcome
        self.assertEqual(connection.register(memory, SIZE).status, "OK")
        os.close(memory)
        for reader in self.readers:
            reader.close()
        Daemon.wait_for(lambda: self.tasks() == before, "the threads that close to end")


class Flood(NeverClosed):
    """Descriptors of which none is closed any more, because those before them never are: as many as many messages can bring."""

    def block_the_closers(self):
        """The daemon's threads for this user wait, and will until the readers end."""
        for _ in range(4):
            carrier, fd = self.slow()
            attacker = self.connect()
            attacker.send(frame(rawclient.PING, 9), [carrier])
            os.close(carrier)
            threading.Thread(target=os.close, args=(fd,), daemon=True).start()
            self.assert_ended(attacker, "BAD_DESCRIPTOR", "descriptors")

    def assert_bounded(self, before, most):
        """Asks nothing of the daemon: this user may be refused as long as the readers are there."""
        self.assertTrue(self.daemon.alive())
        self.assertLessEqual(self.daemon.descriptors() - before, most)

    def test_they_cost_the_user_alone(self):
        """Surplus ones on many connections: over a limit nothing of this user is read."""
        self.readers = []
        self.addCleanup(lambda: [reader.close() for reader in self.readers])
        before, tasks = self.daemon.descriptors(), self.tasks()
        self.block_the_closers()
        event = rawclient._libc.eventfd(0, 0)
        crowd = [self.connect() for _ in range(20)]
        for connection in crowd:
            try:
                connection.send(frame(rawclient.PING, 9), [event] * 253)
            except (BrokenPipeError, ConnectionResetError):
                pass
        words = set()
        for connection in crowd:
            try:
                while True:
                    reply = connection.receive()
                    words.add(reply.status)
            except Closed:
                pass
        self.assertEqual(words, {"BAD_DESCRIPTOR", "OVER_QUOTA"})
        self.assert_bounded(before, 256 + 253 + 4 + len(crowd))
        os.close(event)
        for reader in self.readers:
            reader.close()
        Daemon.wait_for(lambda: self.tasks() == tasks, "the threads that close to end")

    def test_behind_broken_framing(self):
        """What is unread when a connection ends is never taken out of its socket."""
        self.readers = []
        self.addCleanup(lambda: [reader.close() for reader in self.readers])
        before, tasks = self.daemon.descriptors(), self.tasks()
        self.block_the_closers()
        event = rawclient._libc.eventfd(0, 0)
        attacker = self.connect()
        self.daemon.process.send_signal(signal.SIGSTOP)
        try:
            attacker.send(bytes(40))
            for _ in range(20):
                attacker.send(b"x", [event] * 253)
        except BlockingIOError:
            pass
        finally:
            self.daemon.process.send_signal(signal.SIGCONT)
        self.assert_ended(attacker)
        self.assert_bounded(before, 253 + 4 + 1)
        os.close(event)
        for reader in self.readers:
            reader.close()
        Daemon.wait_for(lambda: self.tasks() == tasks, "the threads that close to end")


class Unread(HostileTest):
    """A client that names descriptors and reads no reply: the daemon stops reading, and holds at most one of them for it."""

    SETTINGS = "[limits]\nreply_queue_bytes = 65536\nbuffers_per_connection = 4\n[timeouts]\nwrite_stall_ms = 600000\n"

    def test_one_waits_at_most(self):
        fd = memfd(SIZE)
        connection = self.connect()
        before = self.daemon.descriptors()
        connection.socket.setblocking(False)
        message = frame(rawclient.BUFFER_REGISTER, 9, struct.pack("<QB7x", SIZE, 0), descriptors=1)
        echo = frame(rawclient.PING, 8, bytes(8000))
        Daemon.wait_for(lambda: self.fill(connection, [(echo, ()), (message[:40], [fd]), (message[40:], ())]), "a full socket")
        for _ in range(200):
            self.assertLessEqual(self.daemon.descriptors() - before, 4 + 1)  # four buffers and the one that waits
        self.assert_well()
        os.close(fd)

    def fill(self, connection, messages):
        """True once nothing more goes in."""
        try:
            for data, fds in messages:
                connection.send(data, fds)
        except BlockingIOError:
            return True
        return False


if __name__ == "__main__":
    unittest.main()
