#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks with descriptors that stay with the daemon: slow to close, never closed, and more than it reads."""

import array
import os
import resource
import select
import signal
import socket
import struct
import threading
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import Closed, Daemon, frame, header, memfd

SIZE = 1 << 16
MANY = 8192


def lingering_socket():
    """A descriptor whose last close waits for two minutes: a TCP socket with SO_LINGER and data that nobody
    reads."""
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
        self.reader.close()  # ends a close that waits
        self.closer.join()

    def close_own(self):
        """In a thread: it waits if the daemon has closed the others before."""
        self.closer = threading.Thread(target=os.close, args=(self.fd,))
        self.closer.start()

    def give_away(self, part, rest):
        """Sends the only reference that is left, which the daemon holds until the rest comes."""
        self.attacker.send(part, [self.fd])
        self.close_own()
        self.closer.join()
        self.attacker.send(rest)

    def test_refused(self):
        self.give_away(header(rawclient.BUFFER_REGISTER, 9, 16, descriptors=1), struct.pack("<QB7x", SIZE, 0))
        self.assert_refused(self.attacker.receive(), "BAD_DESCRIPTOR", "descriptor")
        self.assert_well()

    def test_on_the_wrong_message(self):
        ping = frame(rawclient.PING, 9, descriptors=1)
        self.give_away(ping[:8], ping[8:])
        self.assert_refused(self.attacker.receive(), "BAD_DESCRIPTOR", "descriptors")
        self.assert_well()

    def test_surplus(self):
        self.attacker.send(frame(rawclient.PING, 9), [self.fd] * 5)
        self.close_own()
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
        self.close_own()
        self.assert_ended(self.attacker, "BAD_REQUEST", "magic")
        self.assert_well()


class NeverClosed(HostileTest):
    """Descriptors whose close waits for as long as the client likes, one after another."""

    def send_slow(self, attacker, data):
        """Gives away, with the first bytes of a message, a socket in whose queue is the last reference to a
        lingering one. Unless the daemon refuses it at once, its reference is the last one when the rest of
        the message comes."""
        fd, reader = lingering_socket()
        left, right = socket.socketpair()
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        left.close()
        os.close(fd)
        self.readers.append(reader)
        carrier = right.detach()
        attacker.send(data, [carrier])
        closer = threading.Thread(
            target=os.close, args=(carrier,), daemon=True
        )  # that may be the last reference, and wait: then the daemon has refused it
        closer.start()
        Daemon.wait_for(
            lambda: not closer.is_alive() or select.select([attacker.socket], [], [], 0)[0],
            "the last reference to be the daemon's",
        )

    def tasks(self):
        return len(os.listdir("/proc/%d/task" % self.daemon.process.pid))

    def test_they_cost_the_user_alone(self):
        self.readers = []
        self.addCleanup(lambda: [reader.close() for reader in self.readers])
        before = self.tasks()
        attacker = self.connect()
        last = None
        for _ in range(40):
            self.send_slow(attacker, header(rawclient.BUFFER_REGISTER, 9, 16, descriptors=1))
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
    """Descriptors of which none is closed any more, because those before them never are: as many as many
    messages can bring."""

    @classmethod
    def setUpClass(cls):
        """Descriptors on their way are limited by how many their sender may open, unless that is root."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if os.geteuid() != 0 and hard < MANY:
            raise unittest.SkipTest("needs to send %d descriptors" % MANY)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, MANY), hard))
        super().setUpClass()

    def block_the_closers(self):
        """The daemon's threads for this user wait, and will until the readers end."""
        for _ in range(4):
            attacker = self.connect()
            ping = frame(rawclient.PING, 9)
            self.send_slow(attacker, ping[:8])
            attacker.send(ping[8:])
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
        event = rawclient.LIBC.eventfd(0, 0)
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
        event = rawclient.LIBC.eventfd(0, 0)
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
    """A client that names descriptors and reads no reply: the daemon stops reading, and holds at most one of
    them for it."""

    SETTINGS = (
        "[limits]\nreply_queue_bytes = 65536\nbuffers_per_connection = 4\n[timeouts]\n"
        "write_stall_ms = 600000\n"
    )

    def test_one_waits_at_most(self):
        fd = memfd(SIZE)
        connection = self.connect()
        before = self.daemon.descriptors()
        connection.socket.setblocking(False)
        message = frame(rawclient.BUFFER_REGISTER, 9, struct.pack("<QB7x", SIZE, 0), descriptors=1)
        echo = frame(rawclient.PING, 8, bytes(8000))
        Daemon.wait_for(
            lambda: self.fill(connection, [(echo, ()), (message[:40], [fd]), (message[40:], ())]),
            "a full socket",
        )
        for _ in range(200):
            self.assertLessEqual(
                self.daemon.descriptors() - before, 4 + 1
            )  # four buffers and the one that waits
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
