#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that take all they can get: connections, buffers, descriptors, and the memory for replies that they
do not read."""

import os
import resource
import socket
import struct
import threading
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import Closed, Connection, Daemon, frame, header, job_body, memfd, topk_params


class Buffers(HostileTest):
    SETTINGS = """[limits]
buffers_per_connection = 4
buffers_per_uid = 6
buffer_bytes = "1MiB"
buffer_bytes_per_uid = "3MiB"
"""

    def create(self, connection, size):
        reply = connection.create(size)
        reply.close()
        return reply

    def test_as_many_as_there_are(self):
        first, second = self.connect(), self.connect()
        held = [self.create(first, 4096) for _ in range(4)]
        for _ in range(100):
            self.assert_refused(self.create(first, 4096), "OVER_QUOTA", "limits.buffers_per_connection")
        self.assertEqual([self.create(second, 4096).status for _ in range(2)], ["OK", "OK"])
        self.assert_refused(self.create(second, 4096), "OVER_QUOTA", "limits.buffers_per_uid")
        fd = memfd(4096)
        self.assert_refused(second.register(fd, 4096), "OVER_QUOTA", "limits.buffers_per_uid")
        os.close(fd)
        self.assertEqual(first.named(rawclient.BUFFER_RELEASE, held[0].handle).status, "OK")
        self.assertEqual(self.create(second, 4096).status, "OK")
        first.close()
        self.wait_for_stats(buffers=3)
        self.assertEqual(
            [self.create(second, 4096).status, self.create(second, 4096).status], ["OK", "OVER_QUOTA"]
        )

    def test_as_large_as_there_are(self):
        first, second = self.connect(), self.connect()
        self.assert_refused(self.create(first, (1 << 20) + 1), "TOO_LARGE", "bytes")
        held = [self.create(first, 1 << 20) for _ in range(3)]
        self.assertEqual([reply.status for reply in held], ["OK"] * 3)
        self.assert_refused(self.create(first, 1), "OVER_QUOTA", "limits.buffer_bytes_per_uid")
        self.assert_refused(self.create(second, 1), "OVER_QUOTA", "limits.buffer_bytes_per_uid")
        first.named(rawclient.BUFFER_RELEASE, held[1].handle)
        self.assertEqual(self.create(second, 1 << 20).status, "OK")

    def test_gone_while_they_are_made(self):
        for _ in range(50):
            connection = self.connect()
            connection.submit(rawclient.BUFFER_CREATE, struct.pack("<Q", 1 << 20))
            connection.close()
        self.wait_for_stats(buffers=0, buffer_bytes=0)

    def test_never_taken_descriptors(self):
        """Replies with descriptors that the client does not read are closed with it."""
        for _ in range(20):
            connection = self.connect()
            for _ in range(4):
                connection.submit(rawclient.BUFFER_CREATE, struct.pack("<Q", 4096))
            self.wait_for_stats(buffers=4)
            connection.close()
            self.wait_for_stats(buffers=0)


class ManyConnections(HostileTest):
    SETTINGS = "[limits]\nconnections_per_uid = 8\n"

    def test_more_than_a_user_may_have(self):
        crowd = [self.connect() for _ in range(7)]
        for _ in range(200):
            refused = Connection(self.daemon.path, hello=False)
            self.assert_ended(refused, "OVER_QUOTA", "limits.connections_per_uid")
            refused.close()
        crowd.pop().close()
        Daemon.wait_for(lambda: self.stats()["connections"] == 7, "a connection to end")
        self.assert_lives(self.connect())
        for connection in crowd:
            self.assert_lives(connection)


class UnreadDescriptors(HostileTest):
    """Those that the daemon sent, which the kernel counts against it until they are read."""

    SETTINGS = "[limits]\nconnections_per_uid = 8\n"

    def create(self, connection):
        return connection.submit(rawclient.BUFFER_CREATE, struct.pack("<Q", 4096))

    def test_more_than_a_connection_may_have(self):
        connection = self.connect()
        for _ in range(70):
            self.create(connection)
        self.wait_for_stats(buffers=64, refused_busy_total=6)
        replies = [connection.receive() for _ in range(70)]
        self.assertEqual([reply.status for reply in replies], ["OK"] * 64 + ["BUSY"] * 6)
        self.assertEqual(replies[-1].field, "descriptors")
        self.assertGreater(replies[-1].retry_after_ns, 0)
        self.assertEqual(connection.create(4096).status, "OK", "all were read")

    def test_a_connection_that_ended_with_some_counts_until_they_are_read(self):
        crowd = [self.connect() for _ in range(7)]
        for connection in crowd:
            self.create(connection)
            connection.socket.shutdown(socket.SHUT_WR)
        self.wait_for_stats(buffers=7)  # these, too, count until they are read and closed
        for _ in range(20):
            refused = Connection(self.daemon.path, hello=False)
            self.assert_ended(refused, "OVER_QUOTA", "limits.connections_per_uid")
            refused.close()
        self.assertEqual(crowd[3].receive().status, "OK")
        self.assert_lives(self.connect())
        self.assertEqual(self.stats()["connections"], 8)


class AllConnections(HostileTest):
    SETTINGS = "[limits]\nconnections = 5\nconnections_per_uid = 5\n"

    def test_more_than_all_may_have(self):
        crowd = [self.connect() for _ in range(4)]
        refused = Connection(self.daemon.path, hello=False)
        event = refused.receive()
        self.assert_refused(event, "BUSY", "limits.connections")
        self.assertGreater(event.retry_after_ns, 0)
        self.assert_ended(refused)
        refused.close()
        self.assertEqual(len(crowd), 4)


class FewDescriptors(HostileTest):
    """A daemon that may open only 64 descriptors."""

    DESCRIPTORS = 64

    def test_connections_until_none_is_left(self):
        crowd = []
        for _ in range(100):
            connection = Connection(self.daemon.path, hello=False)
            self.opened.append(connection)
            try:
                connection.request(rawclient.HELLO, rawclient.hello_body())
                crowd.append(connection)
            except (Closed, BrokenPipeError, ConnectionResetError):
                continue
        self.assertTrue(5 < len(crowd) < 64, len(crowd))
        self.assert_well()

    def test_buffers_until_none_is_left(self):
        connection = self.connect()
        statuses = []
        for _ in range(100):
            reply = connection.create(4096)
            statuses.append(reply.status)
            reply.close()
        self.assertTrue(5 < statuses.count("OK") < 64, statuses.count("OK"))
        self.assertEqual(set(statuses), {"OK", "BUSY"})

    def test_more_descriptors_than_it_can_take(self):
        fd = memfd(4096)
        for _ in range(20):
            connection = self.connect()
            connection.send(
                header(rawclient.BUFFER_REGISTER, 1, 16, descriptors=1) + struct.pack("<QB7x", 4096, 0),
                [fd] * 253,
            )
            self.assert_ended(connection, "BAD_DESCRIPTOR", "descriptors")
            connection.close()
        os.close(fd)


class HeldDescriptors(HostileTest):
    """Every connection may hold a descriptor of a message that is not whole."""

    DESCRIPTORS = 256
    SETTINGS = "[limits]\nconnections_per_uid = 512\n[timeouts]\nframe_ms = 600000\n"

    def test_a_buffer_can_still_be_registered(self):
        innocent = self.connect()
        fd = memfd(4096)
        held = 0
        for _ in range(256):
            connection = self.connect(hello=False, timeout=3 if held > 32 else rawclient.PATIENCE)
            try:
                if connection.request(rawclient.HELLO, rawclient.hello_body()).status != "OK":
                    break
                connection.send(header(rawclient.BUFFER_REGISTER, 1, 16, descriptors=1)[:20], [fd])
                held += 1
            except (Closed, BrokenPipeError, ConnectionResetError, socket.timeout):
                break  # the last: a daemon that cannot accept
        self.assertGreater(held, 32)
        for _ in range(8):
            reply = innocent.register(fd, 4096)
            self.assertIn(reply.status, ("OK", "BUSY"), reply)  # never that the descriptor was lost
        self.assert_lives(innocent)
        self.opened[1].close()
        self.opened[2].close()
        Daemon.wait_for(lambda: innocent.register(fd, 4096).status == "OK", "room for a buffer")
        os.close(fd)


class Unread(HostileTest):
    """Clients that send and do not read."""

    SETTINGS = """[limits]
reply_queue_bytes = 65536
reply_queue_max_bytes = 131072
[timeouts]
write_stall_ms = 2000
"""

    def push(self, connection, message):
        """Sends until the daemon has had enough; returns how much it took."""
        taken = 0
        try:
            while taken < 1 << 30:
                connection.socket.sendall(message)
                taken += len(message)
        except (BrokenPipeError, ConnectionResetError):
            return taken
        self.fail("the daemon takes without end")

    def test_replies_pile_up(self):
        before = self.daemon.resident_bytes()
        crowd = [self.connect() for _ in range(8)]
        pushers = [
            threading.Thread(target=self.push, args=(connection, frame(rawclient.PING, 1, bytes(60000))))
            for connection in crowd
        ]
        for pusher in pushers:
            pusher.start()
        self.assert_well()
        for pusher in pushers:
            pusher.join(rawclient.PATIENCE)
            self.assertFalse(pusher.is_alive())
        self.assertLess(self.daemon.resident_bytes() - before, 64 << 20)
        stats = self.stats()
        self.assertGreaterEqual(stats["closed_write_stall_total"] + stats["closed_reply_queue_full_total"], 8)

    def test_small_requests_with_large_replies(self):
        connection = self.connect()
        self.push(connection, frame(rawclient.STATS, 1) * 100)

    def test_results_pile_up(self):
        connection = self.connect()
        values = struct.pack("<4000d", *range(4000))
        body = job_body(rawclient.TOPK, rawclient.F64, cols=4000, params=topk_params(4000), data=values)
        self.push(connection, frame(rawclient.JOB, 1, body))


class ReadLate(HostileTest):
    SETTINGS = """[limits]
reply_queue_bytes = 65536
reply_queue_max_bytes = 131072
[timeouts]
write_stall_ms = 600000
"""

    def test_paused_and_then_read(self):
        """A client over the limit that catches up gets everything."""
        connection = self.connect()
        count = 300

        def send():
            for i in range(1, count + 1):
                connection.socket.sendall(frame(rawclient.PING, i, struct.pack("<I", i) * 5000))

        sender = threading.Thread(target=send)
        sender.start()
        for i in range(1, count + 1):
            reply = connection.receive()
            self.assertEqual(
                (reply.request_id, reply.body[:4], len(reply.body)), (i, struct.pack("<I", i), 20000)
            )
        sender.join()


class Stopping(unittest.TestCase):
    """SIGTERM while clients misbehave: the daemon ends within its limit, and in order."""

    def test_with_a_client_that_does_not_read_and_one_that_never_says_hello(self):
        daemon = Daemon("[timeouts]\nstop_ms = 300\nhello_ms = 60000\nwrite_stall_ms = 60000\n")
        unread, silent, half = (
            Connection(daemon.path),
            Connection(daemon.path, hello=False),
            Connection(daemon.path),
        )
        unread.socket.settimeout(0.2)
        try:
            while True:
                unread.socket.sendall(frame(rawclient.PING, 1, bytes(60000)))
        except socket.timeout:
            pass
        half.send(frame(rawclient.PING, 1, bytes(100))[:70])
        self.assertEqual(daemon.stop(), 0)
        for connection in (unread, silent, half):
            connection.close()


@unittest.skipUnless(os.geteuid() == 0, "needs root to become another user")
class AnotherUser(HostileTest):
    """What one user holds is nothing to another."""

    SETTINGS = '[socket]\nmode = "0666"\n[limits]\nbuffers_per_connection = 4\nbuffers_per_uid = 4\n'

    def as_nobody(self, function):
        """Runs `function` in a child as uid 65534; it returns an error text or None."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
                text = function() or ""
            except BaseException as error:  # reported by the parent
                text = repr(error)
            os.write(writer, text.encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            text = pipe.read().decode()
        os.waitpid(child, 0)
        self.assertEqual(text, "")

    def test_sees_and_uses_no_buffer_of_ours(self):
        connection = self.connect()
        created = connection.create(4096)
        created.close()

        def attack():
            with Connection(self.daemon.path) as other:
                listed = struct.unpack_from("<I", other.request(rawclient.BUFFER_LIST).body)[0]
                job = other.job(handle=created.handle, cols=4).status
                release = other.named(rawclient.BUFFER_RELEASE, created.handle).status
                return (
                    None
                    if (listed, job, release) == (0, "NOT_FOUND", "NOT_FOUND")
                    else repr((listed, job, release))
                )

        self.as_nobody(attack)
        self.assertEqual(struct.unpack_from("<I", connection.request(rawclient.BUFFER_LIST).body)[0], 1)

    def test_uses_up_its_own_quota_only(self):
        def attack():
            with Connection(self.daemon.path) as other:
                statuses = [other.create(4096).status for _ in range(10)]
                return None if statuses == ["OK"] * 4 + ["OVER_QUOTA"] * 6 else repr(statuses)

        self.as_nobody(attack)
        connection = self.connect()
        created = connection.create(4096)
        self.assertEqual(created.status, "OK", created)
        created.close()


if __name__ == "__main__":
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2
    )
    unittest.main()
