#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stores that no daemon left: tables and descriptors that a hostile or broken service manager hands to tegud.
What is wrong is dropped and named in the log, what is right is there, and a second client's job is right."""

import os
import resource
import socket
import unittest

from store_base import StoreTest, record, table_bytes, token_of  # first: finds the helpers
from rawclient import MFD_CLOEXEC, Daemon, memfd


class HostileStore(StoreTest):
    @classmethod
    def setUpClass(cls):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    def assert_dropped(self, manager, lines):
        """The next daemon takes none of the buffers, and says so in these lines."""
        daemon = self.daemon(manager)
        self.assertEqual(self.attach(self.connect(daemon), token_of(1)).status, "NOT_FOUND")
        Daemon.wait_for(lambda: manager.buffers() == 0, "an empty store")
        Daemon.wait_for(lambda: daemon.store()["state"] == "ok", "a store that is well")
        self.ends_well(daemon, lines)

    def test_hostile_tables(self):
        def flipped(data, at):
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

        def with_record(**fields):
            return lambda good: table_bytes(record(1, 0, **dict({"token": token_of(1)}, **fields)))

        cases = {
            "empty": lambda good: b"",
            "garbage": lambda good: b"garbage!" * 512,
            "zeros": lambda good: bytes(4096),
            "cut header": lambda good: table_bytes(good)[:40],
            "cut record": lambda good: table_bytes(good)[:-1],
            "newer": lambda good: table_bytes(good, version=2),
            "version 0": lambda good: table_bytes(good, version=0),
            "count": lambda good: table_bytes(good, count=4294967295),
            "count by one": lambda good: table_bytes(good, count=2),
            "record bytes 0": lambda good: table_bytes(good, record_bytes=0),
            "record bytes": lambda good: table_bytes(good, record_bytes=65535),
            "checksum": lambda good: flipped(table_bytes(good), 63),
            "damaged header": lambda good: flipped(table_bytes(good), 30),
            "damaged record": lambda good: flipped(table_bytes(good), 64 + 79),
            "damaged token": lambda good: flipped(table_bytes(good), 64 + 40),
            "huge": lambda good: table_bytes(good) + bytes(2 << 20),
            "no size": with_record(size=0),
            "largest size": with_record(size=(1 << 64) - 1),
            "access": with_record(access=2),
            "truth value": with_record(created=2),
            "no token": with_record(token=bytes(16)),
        }
        for name, make in cases.items():
            with self.subTest(table=name):
                manager = self.manager()
                self.table(manager, make(self.buffer(manager, 1)))
                self.assert_dropped(manager, ["the table of buffers "])

    def test_tables_of_another_kind(self):
        pipe = os.pipe()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        for fd in pipe + (
            os.open(self.folder.name, os.O_RDONLY),
            os.open("/dev/zero", os.O_RDONLY),
            os.open("/dev/null", os.O_WRONLY),
            os.dup(listener.fileno()),
        ):
            with self.subTest(table=os.readlink("/proc/self/fd/%d" % self.own(fd))):
                manager = self.manager()
                self.buffer(manager, 1)
                manager.put("tegud-table-1", fd)
                self.assert_dropped(manager, ["table of buffers"])

    def test_the_newest_table_that_can_be_read_counts(self):
        manager = self.manager()
        good, other = self.buffer(manager, 1, generation=5), self.buffer(manager, 2)
        self.table(manager, table_bytes(good + other, epoch=3), epoch=3)
        self.table(manager, table_bytes(good, epoch=4), epoch=4)
        self.table(manager, os.urandom(64), epoch=5)
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        self.assertEqual(self.attach(client, token_of(2)).status, "NOT_FOUND")
        handle = self.attach(client, token_of(1)).handle
        self.assertEqual(self.lists(client)[handle][0], 5)
        Daemon.wait_for(
            lambda: manager.names() == ["tegud-buffer-1", "tegud-table-6"], "the end of the other tables"
        )
        self.ends_well(daemon, ["is no table"])

    def test_hostile_buffers(self):
        manager = self.manager()
        records = self.buffer(manager, 1)
        pipe = [self.own(fd) for fd in os.pipe()]
        unsealable = self.own(memfd(4096, flags=MFD_CLOEXEC))
        wrong = [
            pipe[0],
            pipe[1],
            self.own(os.open(self.folder.name, os.O_RDONLY)),
            self.own(os.open("/dev/zero", os.O_RDWR)),
            unsealable,
            self.own(memfd(4096, whole=False)),
            self.own(memfd(0)),
            self.own(memfd(4095)),
        ]
        for number, fd in enumerate(wrong, 2):
            manager.put("tegud-buffer-%d" % number, fd)
            records += record(number, fd, token_of(number))
        records += (
            self.buffer(manager, 20, inode=1)
            + self.buffer(manager, 21, size=1 << 62)
            + self.buffer(manager, 22, size=8192)
        )
        dropped = len(wrong) + 3
        records += record(30, unsealable, token_of(30))  # without a descriptor
        self.buffer(manager, 31)  # without a record
        for name in ("", "x", "-1", "0", "99999999999999999999", "1 ", "5" * 200):
            manager.put("tegud-buffer-" + name, pipe[0])
        for name in ("tegud-table-", "tegud-table-x", "tegud-probe", "tegud-probe"):
            manager.put(name, unsealable)
        self.table(manager, table_bytes(records))
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        for number in list(range(2, 2 + len(wrong))) + [20, 21, 22, 30, 31]:
            self.assert_refused(self.attach(client, token_of(number)), "NOT_FOUND", "token")
        self.assert_sum(client, self.attach(client, token_of(1)).handle, sum(range(1024)))
        Daemon.wait_for(
            lambda: (
                manager.names()
                in (
                    ["tegud-buffer-1", "tegud-buffer-1 ", "tegud-table-2"],
                    ["tegud-buffer-1", "tegud-table-2"],
                )
            ),
            "the end of all others",
        )
        clean = self.manager()
        self.table(clean, table_bytes(self.buffer(clean, 1)))
        other = self.daemon(clean)
        other_client = self.connect(other)
        self.assertEqual(self.attach(other_client, token_of(1)).status, "OK")
        Daemon.wait_for(
            lambda: daemon.descriptors() == other.descriptors(), "no more descriptors than of a clean store"
        )
        self.ends_well(daemon, ["a stored buffer is dropped"] * dropped + ["had not kept all"])

    def test_thousand_descriptors(self):
        """More than the store may hold, half of them of no use; all that can be is taken, the rest let go
        of."""
        if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 4096:
            self.skipTest("needs 4096 descriptors")
        manager = self.manager(most=4096)
        read, write = [self.own(fd) for fd in os.pipe()]
        records = b""
        for number in range(1, 501):
            fd = memfd(4096)
            manager.put("tegud-buffer-%d" % number, fd)
            records += record(number, fd, token_of(number))
            os.close(fd)
        for number in range(501, 1001):
            manager.put("tegud-buffer-%d" % number, (read, write)[number % 2])
        self.table(manager, table_bytes(records))
        daemon = self.daemon(manager)
        self.assertEqual(daemon.stats()["buffers_orphaned"], 500)
        Daemon.wait_for(lambda: daemon.descriptors() < 600, "the end of those of no use")
        client = self.connect(daemon)
        self.assertEqual(
            [self.attach(client, token_of(number)).status for number in (1, 250, 500, 501)],
            ["OK"] * 3 + ["NOT_FOUND"],
        )
        Daemon.wait_for(lambda: manager.buffers() < 1000, "removals")
        self.ends_well(daemon, [])


if __name__ == "__main__":
    unittest.main()
