#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on the time of the thread that serves everybody: requests whose system calls take long. What shows
that it did not wait is the order of replies, never a clock."""

import ctypes
import mmap
import os
import select
import struct
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from other_user import OtherUser
from rawclient import Connection, memfd

SIZE = 1 << 16


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


def pin(fd):
    """Pins the first page of a memfd: it waits in a pipe. Returns the descriptors that hold it."""
    reader, writer = os.pipe()
    memory = mmap.mmap(fd, SIZE)
    view = (ctypes.c_char * SIZE).from_buffer(memory)
    part = Iovec(ctypes.addressof(view), 4096)
    if rawclient.LIBC.vmsplice(writer, ctypes.byref(part), ctypes.c_ulong(1), 0) != 4096:
        raise OSError(ctypes.get_errno(), "vmsplice")
    del view
    memory.close()
    return reader, writer


class Freezes(HostileTest):
    """Sealing a memfd with pinned pages waits in the kernel."""

    def setUp(self):
        super().setUp()
        self.connection = self.connect()

    def pinned(self, connection=None):
        fd = memfd(SIZE)
        self.addCleanup(os.close, fd)
        for held in pin(fd):
            self.addCleanup(os.close, held)
        reply = (connection or self.connection).register(fd, SIZE, access=1)
        self.assertEqual(reply.status, "OK", reply)
        return reply.handle

    @staticmethod
    def freezing(handle):
        """The request. It takes some 150 ms, so what shall come meanwhile is sent with it."""
        return rawclient.BUFFER_FREEZE, struct.pack("<Q", handle)

    def freeze(self, handle, connection=None):
        return (connection or self.connection).submit(*self.freezing(handle))

    def test_a_freeze_that_waits_delays_nothing_else(self):
        frozen, ping = self.connection.submit_all(self.freezing(self.pinned()), (rawclient.PING, b"x"))
        order = [self.connection.receive() for _ in range(2)]
        self.assertEqual([reply.request_id for reply in order], [ping, frozen])
        self.assert_refused(order[1], "BAD_DESCRIPTOR", "descriptor")

    def test_one_at_a_time(self):
        handles = [self.pinned() for _ in range(20)]
        freezes = self.connection.submit_all(*map(self.freezing, handles))
        replies = [self.connection.receive() for _ in freezes]
        self.assertEqual([reply.status for reply in replies], ["BUSY"] * 19 + ["BAD_DESCRIPTOR"], replies)
        self.assertTrue(all(reply.retry_after_ns > 0 for reply in replies[:-1]))
        self.assertEqual(replies[-1].request_id, freezes[0])

    @unittest.skipIf(os.getuid() != 0, "only root has clients of other users")
    def test_users_take_turns(self):
        os.chmod(self.daemon.path, 0o666)
        other = OtherUser(self.daemon.path, 65534)
        handle = int(other.do("c.create(4096).handle"))
        connections = [Connection(self.daemon.path) for _ in range(20)]
        waiting = [(each, self.freeze(self.pinned(each), each)) for each in connections]
        self.assertEqual(other.do("c.named(BUFFER_FREEZE, %d).status" % handle), "'OK'\n")
        answered = select.select([each.socket for each in connections], [], [], 0)[0]
        self.assertLess(len(answered), 20, "one had to wait for all freezes of another")
        for connection, frozen in waiting:
            self.assertEqual(connection.wait(frozen).status, "BAD_DESCRIPTOR")
            connection.close()
        other.end()

    def test_no_job_writes_meanwhile(self):
        handle = self.pinned()
        writing = rawclient.job_body(cols=4, data=bytes(16), out=handle, out_capacity=64)
        reading = rawclient.job_body(handle=handle, cols=4)
        frozen, writer, reader = self.connection.submit_all(
            self.freezing(handle), (rawclient.JOB, writing), (rawclient.JOB, reading)
        )
        self.assert_refused(self.connection.wait(writer), "BUSY", "output.handle")
        self.assertEqual(self.connection.wait(reader).status, "OK")  # reading is no conflict
        self.assertEqual(self.connection.wait(frozen).status, "BAD_DESCRIPTOR")
        self.assertEqual(
            self.connection.job(cols=4, data=bytes(16), out=handle, out_capacity=64).status, "OK"
        )

    def test_released_and_gone_meanwhile(self):
        for gone in (False, True):
            connection = self.connect()
            fd = memfd(SIZE)
            held = pin(fd)
            handle = connection.register(fd, SIZE, access=1).handle
            frozen = self.freeze(handle, connection)
            if gone:
                connection.close()
            else:
                self.assertEqual(connection.named(rawclient.BUFFER_RELEASE, handle).status, "OK")
                self.assertEqual(connection.wait(frozen).status, "BAD_DESCRIPTOR")
            for number in held + (fd,):
                os.close(number)


class LargeBuffers(HostileTest):
    """Making and giving back pages takes the time of the pages."""

    SETTINGS = "[limits]\nbuffers_per_connection = 128\n"
    COUNT = 64
    BYTES = 4 << 20

    @staticmethod
    def creating(size):
        return rawclient.BUFFER_CREATE, struct.pack("<Q", size)

    def test_others_go_on_while_many_are_made(self):
        attacker = self.connect()
        *made, ping = attacker.submit_all(
            *[self.creating(self.BYTES)] * self.COUNT, (rawclient.PING, b"x")
        )  # read in one turn
        before = 0
        while attacker.receive().request_id != ping:
            before += 1
        self.assertLess(before, self.COUNT)
        for request_id in made[before:]:
            self.assertEqual(attacker.receive().status, "OK")
        self.wait_for_stats(buffers=self.COUNT)

    def test_a_release_is_answered_when_the_memory_is_given_back(self):
        connection = self.connect()
        created = connection.create(64 << 20)
        created.close()
        release = connection.submit(rawclient.BUFFER_RELEASE, struct.pack("<Q", created.handle))
        self.assertEqual(connection.wait(release).status, "OK")
        self.assertEqual(self.stats()["buffer_bytes"], 0)
        self.assertEqual(connection.named(rawclient.BUFFER_RELEASE, created.handle).status, "NOT_FOUND")

    def test_one_is_made_while_many_are_given_back(self):
        connection = self.connect()
        handles = []
        for _ in range(32):
            created = connection.create(self.BYTES)
            created.close()
            handles.append(created.handle)
        releases = [(rawclient.BUFFER_RELEASE, struct.pack("<Q", handle)) for handle in handles]
        made = connection.submit_all(*releases, self.creating(128 << 10))[-1]
        order = [connection.receive() for _ in range(33)]
        self.assertEqual({reply.status for reply in order}, {"OK"})
        self.assertNotEqual(order[-1].request_id, made, "it waited for all that is given back")

    def test_gone_while_they_are_made(self):
        for _ in range(3):
            attacker = self.connect()
            attacker.submit_all(*[self.creating(self.BYTES)] * self.COUNT)
            attacker.close()
            self.assert_well()
        self.wait_for_stats(buffers=0, buffer_bytes=0)


class Reports(HostileTest):
    """What the daemon says of itself takes it longer to write than a small job takes."""

    # No pause because of replies that nobody reads: it would end the attack.
    SETTINGS = "[limits]\nreply_queue_bytes = 134217728\nreply_queue_max_bytes = 134217728\n"
    COUNT = 256  # as many as a turn may have at most
    METRICS = struct.pack("<B7x", 2)

    def test_a_flood_of_them_leaves_others_their_turn(self):
        attacker = self.connect()
        flood = [attacker.next_id + 1 + i for i in range(self.COUNT)]
        before = self.stats()["requests_total"]
        with self.daemon.stopped():  # both are there when it goes on, the attacker first
            attacker.send(
                b"".join(rawclient.frame(rawclient.HEALTH, number, self.METRICS) for number in flood)
            )
            asked = self.witness.submit(rawclient.STATS)
        handled = self.witness.named_fields(self.witness.wait(asked))["requests_total"] - before - 1
        self.assertGreater(handled, 0)
        self.assertLess(handled, self.COUNT)
        self.assertEqual([attacker.receive().status for _ in flood], ["OK"] * self.COUNT)


if __name__ == "__main__":
    unittest.main()
