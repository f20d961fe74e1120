#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Buffers that outlive the daemon, without systemd: owners that come back with tokens, right and wrong ones,
quotas, and service managers that keep less than they should. Each test ends with a second client whose job is
right."""

import os
import re
import socket
import struct
import time
import unittest

from store_base import ALL_FEATURES, StoreTest, filled, table_bytes, token_of  # first: finds the helpers
from rawclient import (
    BUFFER_FREEZE,
    BUFFER_RELEASE,
    HELLO,
    PING,
    Connection,
    Daemon,
    floats,
    hello_body,
    memfd,
)

NOBODY = 65534 if os.getuid() != 65534 else 65533  # another user
ROUND_S = 0.3  # the store does its work 0.1 s after it was asked for


class Store(StoreTest):
    # Owners that come back.

    def test_what_was_there_is_there_after_a_kill(self):
        manager = self.manager()
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        plain, frozen = self.own(filled(floats(*[1] * 1024))), self.own(filled(floats(*[2] * 1024)))
        replies = [client.register(plain, 4096, access=1), client.register(frozen, 4096), client.create(4096)]
        os.pwrite(self.own(replies[2].fds.pop()), floats(*[3] * 1024), 0)
        tokens = [reply.body[16:] for reply in replies]
        self.assertEqual([len(token) for token in tokens], [16] * 3)
        self.assertEqual(client.named(BUFFER_FREEZE, replies[1].handle).status, "OK")
        self.assert_sum(client, replies[0].handle, 1024, generation=3)
        self.assert_sum(client, replies[0].handle, 1024, generation=7)
        Daemon.wait_for(
            lambda: daemon.store()["buffers"] == 3 and manager.buffers() == 3, "three buffers in the store"
        )
        Daemon.wait_for(
            lambda: any(struct.pack("<QQ", 4096, 7) in table for table in manager.tables()),
            "the generation in the table",
        )
        for life in range(2):
            daemon.kill()
            self.assertFalse(any(token.hex() in daemon.log_text() for token in tokens))
            daemon = self.daemon(manager)
            client = self.connect(daemon)
            self.assertEqual(daemon.stats()["buffers_orphaned"], 3)
            handles = []
            for i, token in enumerate(tokens):
                reply = self.attach(client, token)
                self.assertEqual((reply.status, reply.body[8:]), ("OK", struct.pack("<Q", 4096)), reply)
                handles.append(reply.handle)
                self.assert_sum(client, reply.handle, 1024 * (i + 1))
            listed = self.lists(client)
            self.assertEqual([listed[handle][1] for handle in handles], [0, 1, 0])
            self.assertEqual(listed[handles[0]][0], 7)
            self.assert_refused(
                client.job(cols=1024, handle=handles[0], generation=6), "BAD_RANGE", "inputs[0].generation"
            )
            stats = daemon.stats()
            self.assertEqual(
                (stats["buffers_attached_total"], stats["buffers_total"], stats["buffers_orphaned"]),
                (3, 0, 0),
            )
            self.assertEqual(self.attach(client, tokens[0]).field, "token")
            self.assert_well(daemon)
        Daemon.wait_for(
            lambda: len(manager.names()) == 4 and len(manager.names("tegud-table-")) == 1,
            "the end of the older tables",
        )
        for handle in handles:
            self.assertEqual(client.named(BUFFER_RELEASE, handle).status, "OK")
        Daemon.wait_for(lambda: manager.buffers() == 0, "an empty store")
        self.ends_well(daemon, [])

    def test_wrong_tokens(self):
        manager = self.manager()
        self.table(manager, table_bytes(self.buffer(manager, 1) + self.buffer(manager, 2, uid=NOBODY)))
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        self.assert_refused(
            self.attach(self.connect(daemon, features=3), token_of(1)), "UNSUPPORTED", "features"
        )
        self.assert_refused(self.attach(client, bytes(16)), "BAD_RANGE", "token")
        for body in (b"", token_of(1)[:15], token_of(1) + b"\0"):
            self.assertEqual(self.attach(client, body).status, "BAD_REQUEST")
        for token in (
            b"\xff" * 16,
            token_of(1)[:15] + b"\x01",
            token_of(3),
            token_of(2),
        ):  # the last is another user's
            self.assert_refused(self.attach(client, token), "NOT_FOUND", "token")
        first = self.attach(client, token_of(1))
        self.assert_sum(client, first.handle, sum(range(1024)))
        self.assert_refused(self.attach(client, token_of(1)), "NOT_FOUND", "token")
        self.assert_refused(self.attach(self.connect(daemon), token_of(1)), "NOT_FOUND", "token")
        self.assertEqual(client.request(PING, b"here").body, b"here")
        client.close()  # while the daemon lives: the buffer ends
        Daemon.wait_for(
            lambda: manager.names("tegud-buffer-") == ["tegud-buffer-2"], "one buffer less in the store"
        )
        self.assert_refused(self.attach(self.connect(daemon), token_of(1)), "NOT_FOUND", "token")
        self.assertEqual(daemon.stats()["buffers_attached_total"], 1)
        self.ends_well(daemon, [])

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become another user")
    def test_token_of_another_user(self):
        manager = self.manager()
        self.table(manager, table_bytes(self.buffer(manager, 1) + self.buffer(manager, 2, uid=NOBODY)))
        daemon = self.daemon(manager)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setuid(NOBODY)
                client = Connection(daemon.path, hello=False)
                client.request(HELLO, hello_body(features=ALL_FEATURES))
                replies = [self.attach(client, token_of(number)) for number in (1, 2)] + [
                    client.request(PING)
                ]
                os.write(write, " ".join(reply.status + reply.field for reply in replies).encode())
            finally:
                os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        self.assertEqual(os.read(self.own(read), 4096).decode(), "NOT_FOUNDtoken OK OK")
        self.assertEqual(self.attach(self.connect(daemon), token_of(1)).status, "OK")
        self.ends_well(daemon, [])

    def test_orphans_and_the_quota(self):
        """They count, and make way for what their user registers, not for others'; what is over a lowered
        quota is dropped."""
        manager = self.manager()
        self.table(
            manager,
            table_bytes(
                b"".join(self.buffer(manager, number) for number in range(1, 6))
                + self.buffer(manager, 6, uid=NOBODY)
            ),
        )
        daemon = self.daemon(manager, "[limits]\nbuffers_per_uid = 4\nbuffers_per_connection = 3\n")
        self.assertEqual(daemon.stats()["buffers_orphaned"], 5)
        Daemon.wait_for(lambda: manager.buffers() == 5, "one buffer less in the store")
        client = self.connect(daemon)
        for number in range(1, 4):
            self.assertEqual(self.attach(client, token_of(number)).status, "OK")
        self.assert_refused(self.attach(client, token_of(4)), "OVER_QUOTA", "limits.buffers_per_connection")
        self.assertEqual(self.attach(self.connect(daemon), token_of(5)).status, "NOT_FOUND")
        self.assertEqual(daemon.stats()["buffers_orphaned"], 2)
        fd = self.own(memfd(4096))
        self.assertEqual(client.register(fd, 4096).status, "OVER_QUOTA")
        self.assertEqual(daemon.stats()["buffers_orphaned"], 2)
        self.assertEqual(self.connect(daemon).register(fd, 4096).status, "OK")
        self.assertEqual(daemon.stats()["buffers_orphaned"], 1)
        self.ends_well(daemon, ["a stored buffer is dropped: .*"])

    def test_owners_that_do_not_come(self):
        manager = self.manager()
        self.table(manager, table_bytes(self.buffer(manager, 1)))
        daemon = self.daemon(manager, "[timeouts]\nreattach_ms = 1000\n")
        Daemon.wait_for(
            lambda: daemon.stats()["buffers_orphaned"] == 0 and manager.buffers() == 0,
            "the end of the orphan",
        )
        self.assert_refused(self.attach(self.connect(daemon), token_of(1)), "NOT_FOUND", "token")
        self.ends_well(daemon, [])

    # Managers that keep nothing, or less than they should.

    def work(self, daemon, tokens=True):
        """What a client does with buffers, each with a wish to be kept; `tokens`: they come with some."""
        client = self.connect(daemon)
        fd = self.own(memfd(4096))
        reply = client.register(fd, 4096)
        self.assertEqual((reply.status, len(reply.body)), ("OK", 32 if tokens else 16), reply)
        for generation in (1, 2, 9):
            self.assert_sum(client, reply.handle, 0, generation=generation)
        self.assertEqual(client.named(BUFFER_FREEZE, reply.handle).status, "OK")
        self.assert_sum(client, reply.handle, 0, generation=10)
        self.assertEqual(client.named(BUFFER_RELEASE, reply.handle).status, "OK")
        made = client.create(4096)
        self.own(made.fds.pop())
        self.assert_sum(client, made.handle, 0, generation=1 << 63)
        return client

    def test_notify_socket_that_is_none(self):
        file, stream = os.path.join(self.folder.name, "file"), os.path.join(self.folder.name, "stream")
        open(file, "w").close()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(stream)
        listener.listen(1)
        daemons = {}
        for value in (
            "/",
            "@",
            "relative",
            "/missing/socket",
            "/" + "x" * 200,
            "@nobody-%d" % os.getpid(),
            file,
            stream,
            self.folder.name,
            "vsock:2:1234",
            "\x01",
        ):
            daemons[value] = self.daemon(None, NOTIFY_SOCKET=value)
            self.work(daemons[value], tokens=False)
        for value, daemon in daemons.items():
            with self.subTest(value=value):
                Daemon.wait_for(
                    lambda: any("do not survive" in line for line in daemon.said()), "the warning"
                )
                self.work(daemon, tokens=False)
                self.assertEqual(daemon.store()["state"], "refused")
                self.assertEqual(sum("do not survive" in line for line in daemon.said()), 1, daemon.said())
                self.ends_well(daemon)
        daemon = self.daemon(None, NOTIFY_SOCKET="")
        self.work(daemon, tokens=False)
        self.assertEqual(daemon.store()["state"], "off")
        self.ends_well(daemon)

    def test_manager_that_goes_away(self):
        manager = self.manager()
        self.table(manager, table_bytes(self.buffer(manager, 1)))
        daemon = self.daemon(manager)
        manager.set(ends=True)
        manager.thread.join()
        manager.socket.close()
        self.work(daemon)
        self.assertEqual(self.attach(self.connect(daemon), token_of(1)).status, "OK")
        Daemon.wait_for(lambda: daemon.store()["state"] == "refused", "a store that refuses")
        self.assertIn(sum("cannot be told:" in line for line in daemon.said()), (1, 2), daemon.said())
        self.ends_well(daemon)
        manager.socket = socket.socket()  # for close()

    def test_size_of_the_store(self):
        daemons = {}
        for value, state, lines in (
            ("0", "refused", 1),
            ("1", "refused", 1),
            ("2", "refused", 1),
            ("3", "full", 0),
            ("", "ok", 0),
            ("999999999", "ok", 0),
            ("garbage", "ok", 1),
            ("-1", "ok", 1),
            ("3 ", "ok", 1),
            ("9" * 30, "ok", 1),
            ("4294967297", "ok", 1),
        ):
            with self.subTest(value=value):
                manager = self.manager()
                self.table(manager, table_bytes(self.buffer(manager, 1)))
                daemon = self.daemon(manager, FDSTORE=value)
                self.assertEqual(
                    self.attach(self.connect(daemon), token_of(1)).status,
                    "NOT_FOUND" if state == "refused" else "OK",
                )
                self.work(daemon, tokens=state != "refused")
                Daemon.wait_for(lambda: daemon.store()["state"] == state, "the state " + state)
                daemons[value] = daemon, lines
        time.sleep(ROUND_S)  # for what none of them should say
        for value, (daemon, lines) in daemons.items():
            with self.subTest(value=value):
                Daemon.wait_for(lambda: len(daemon.said()) >= lines, "%d lines" % lines)
                self.assertEqual(len(daemon.said()), lines, daemon.said())
                self.ends_well(daemon)

    def test_store_that_is_full(self):
        """By $FDSTORE, and by what the manager refuses: health says so, and room is used when it comes."""
        for most, variables in ((1024, {"FDSTORE": "4"}), (4, {})):
            with self.subTest(most=most):
                manager = self.manager(most=most)
                daemon = self.daemon(manager, **variables)
                client = self.connect(daemon)
                fds = [self.own(memfd(4096)) for _ in range(5)]
                handles = [client.register(fd, 4096).handle for fd in fds]
                Daemon.wait_for(lambda: daemon.store()["state"] == "full", "a full store")
                self.assertIn("would not survive the daemon", daemon.store()["reason"])
                Daemon.wait_for(
                    lambda: (
                        1 <= daemon.store()["buffers"] == manager.buffers() <= 3
                        and "tegud-probe" not in manager.names()
                    ),
                    "what it takes to be known",
                )
                kept = manager.names("tegud-buffer-")
                self.assertEqual(client.named(BUFFER_RELEASE, handles[0]).status, "OK")  # the oldest is kept
                Daemon.wait_for(
                    lambda: (
                        len(manager.names("tegud-buffer-")) == len(kept)
                        and manager.names("tegud-buffer-") != kept
                    ),
                    "another buffer in its place",
                )
                self.assertEqual(manager.names("tegud-table-"), ["tegud-table-1"])
                for handle in handles[1:]:
                    self.assertEqual(client.named(BUFFER_RELEASE, handle).status, "OK")
                Daemon.wait_for(
                    lambda: manager.buffers() == 0 and daemon.store()["state"] == "ok", "a store with room"
                )
                self.assertIsNone(daemon.store()["reason"])
                self.ends_well(daemon)

    # Users who share a store.

    def as_user(self, uid, daemon):
        os.seteuid(uid)
        try:
            return self.connect(daemon)
        finally:
            os.seteuid(0)

    def register(self, client, count):
        """The tokens."""
        fd = self.own(memfd(4096))
        replies = [client.register(fd, 4096) for _ in range(count)]
        self.assertEqual([reply.status for reply in replies], ["OK"] * count)
        return [reply.body[16:] for reply in replies]

    def attached(self, client, tokens):
        return sum(self.attach(client, token).status == "OK" for token in tokens)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become another user")
    def test_a_user_with_many_buffers_keeps_no_others_out(self):
        """He has all that is free, and gives it up to whoever has less; he degrades the health of nobody."""
        manager = self.manager()
        daemon = self.daemon(manager, FDSTORE="14")
        greedy = self.connect(daemon)
        many = self.register(greedy, 40)
        Daemon.wait_for(lambda: manager.buffers() == 12, "a store that one user has filled")
        reason = (
            "full: 28 of 40 buffers would not survive .*; users with less than a quarter of it "
            "get places of others$"
        )
        Daemon.wait_for(lambda: re.search(reason, daemon.store()["reason"] or ""), "the reason")
        modest, other = self.as_user(NOBODY, daemon), self.as_user(NOBODY - 1, daemon)
        few = self.register(modest, 2)
        Daemon.wait_for(lambda: {41, 42} <= self.numbers(manager), "two buffers in the place of others")
        some = self.register(other, 40)
        Daemon.wait_for(
            lambda: (
                manager.buffers() == 12
                and "tegud-probe" not in manager.names()
                and len(self.numbers(manager) - set(range(1, 43))) == 5
            ),
            "a third user with as many as the first",
        )
        self.assertLessEqual(set(range(1, 6)), self.numbers(manager))  # the oldest
        Daemon.wait_for(lambda: "a quarter" in (daemon.store()["reason"] or ""), "the reason")
        daemon.kill()
        daemon = self.daemon(manager, FDSTORE="14")
        self.assertEqual(self.attached(self.as_user(NOBODY, daemon), few), 2)
        self.assertEqual(self.attached(self.connect(daemon), many), 5)
        self.assertEqual(self.attached(self.as_user(NOBODY - 1, daemon), some), 5)
        self.ends_well(daemon, [])

    @staticmethod
    def numbers(manager):
        return {int(name.rsplit("-", 1)[1]) for name in manager.names("tegud-buffer-")}

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become another user")
    def test_a_store_that_is_too_small_for_its_users(self):
        manager = self.manager()
        daemon = self.daemon(manager, FDSTORE="14")
        for uid in range(NOBODY - 5, NOBODY + 1):
            self.register(self.as_user(uid, daemon), 3)
        Daemon.wait_for(lambda: manager.buffers() == 12 and daemon.store()["state"] == "full", "a full store")
        reason = "the descriptor store is full: 6 of 18 buffers would not survive the daemon"
        Daemon.wait_for(lambda: daemon.store()["reason"] == reason, "the reason")
        self.ends_well(daemon, [])

    def test_one_memory_with_two_handles_is_two_buffers(self):
        manager = self.manager()
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        tokens = self.register(client, 2)
        Daemon.wait_for(
            lambda: manager.buffers() == 2 == daemon.store()["buffers"], "two buffers in the store"
        )
        daemon.kill()
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        first = self.attach(client, tokens[0])
        self.assertEqual(client.named(BUFFER_RELEASE, first.handle).status, "OK")
        Daemon.wait_for(lambda: manager.buffers() == 1, "one buffer less")
        self.assert_sum(client, self.attach(client, tokens[1]).handle, 0)
        self.ends_well(daemon, [])

    def test_store_that_refuses_all(self):
        for most in (0, 1):
            with self.subTest(most=most):
                manager = self.manager(most=most)
                daemon = self.daemon(manager)
                self.work(daemon)
                Daemon.wait_for(lambda: daemon.store()["state"] == "refused", "a store that refuses")
                self.assertGreater(manager.refused, 0)
                self.work(daemon)
                self.assertEqual(daemon.store()["buffers"], 0)
                self.ends_well(daemon, ["keeps no descriptors"])

    def test_manager_that_does_not_read(self):
        """Nobody waits for it; when it reads again, all is told."""
        manager = self.manager(reads=False)
        daemon = self.daemon(manager)
        self.work(daemon).close()
        client = self.connect(daemon)
        fds = [self.own(memfd(4096)) for _ in range(20)]
        handles = [client.register(fd, 4096).handle for fd in fds]
        for handle in handles[:5]:
            self.assertEqual(client.named(BUFFER_RELEASE, handle).status, "OK")
        self.assert_well(daemon)
        self.assertEqual(manager.names(), [])
        manager.set(reads=True)
        Daemon.wait_for(
            lambda: daemon.store()["buffers"] == 15 == manager.buffers(), "fifteen buffers in the store"
        )
        daemon.kill()
        daemon = self.daemon(manager)
        self.assertEqual(daemon.stats()["buffers_orphaned"], 15)
        self.ends_well(daemon, [])


if __name__ == "__main__":
    unittest.main()
