#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes what a client may say and when: messages of all types in any order, sent many at a time to a real
daemon, with the handles, ids and descriptors that it gave or others, whole or damaged. What the fuzzers of
frames and messages cannot see, as they know no state. Checked: as long as the headers are right every request
is answered exactly once and the connection lives; afterwards what every attack must leave behind.
TEGU_FUZZ_SESSIONS=N: so many connections; TEGU_FUZZ_SEED=N: what an earlier run said, but for the order of
answers."""

import collections
import os
import random
import socket
import struct
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import Closed, frame, job_body, memfd

SESSIONS = int(os.environ.get("TEGU_FUZZ_SESSIONS", 60))
SEED = int(os.environ.get("TEGU_FUZZ_SEED", random.randrange(1 << 32)))
KERNELS, BUFFER_ATTACH, UNKNOWN = 12, 14, 4000
WEIGHTS = {
    rawclient.JOB: 8,
    rawclient.BUFFER_CREATE: 3,
    rawclient.BUFFER_REGISTER: 3,
    rawclient.BUFFER_FREEZE: 2,
    rawclient.BUFFER_RELEASE: 2,
    rawclient.CANCEL: 2,
    rawclient.HELLO: 1,
    rawclient.PING: 1,
    rawclient.INFO: 1,
    rawclient.STATS: 1,
    rawclient.BUFFER_LIST: 1,
    rawclient.HEALTH: 1,
    rawclient.JOB_LIST: 1,
    rawclient.JOB_CANCEL: 2,
    KERNELS: 1,
    BUFFER_ATTACH: 1,
    UNKNOWN: 1,
}
KINDS = [kind for kind, weight in sorted(WEIGHTS.items()) for _ in range(weight)]
NUMBERS = (
    0,
    1,
    2,
    3,
    4,
    8,
    60,
    64,
    1000,
    4088,
    4096,
    4097,
    1 << 20,
    1 << 31,
    1 << 40,
    1 << 63,
    (1 << 64) - 1,
)
BYTES, LARGE = 4096, 65536  # of buffers
FEATURES = 31
MOST_DATA = 2048  # so that what is sent at once fits into the socket, whether or not the daemon reads


class Session(object):
    """One connection and what it knows."""

    def __init__(self, connection, choose):
        self.connection, self.choose = connection, choose
        self.last_id, self.expected, self.handles = 0, collections.Counter(), []

    def number(self):
        return self.choose.choice(NUMBERS)

    def handle(self):
        unknown = self.choose.choice((0, (self.handles or [0])[-1] + 1, self.choose.getrandbits(64)))
        return self.rarely(self.choose.choice(self.handles or [0]), unknown)

    def rarely(self, usual, other):
        return other if self.choose.random() < 0.1 else usual

    def job(self):
        """One that can run, but for one field in ten."""
        operation = self.rarely(self.choose.randrange(1, 11), self.choose.randrange(14))
        kind = self.rarely(rawclient.F32, self.choose.randrange(13))
        rows, cols = self.rarely(
            self.choose.choice(((1, 8), (4, 16), (8, 8), (16, 16), (64, 256))), (self.number(), self.number())
        )
        fields = dict(
            operation=operation,
            kind=kind,
            rows=rows,
            cols=cols,
            axis=self.rarely(0, self.choose.randrange(4)),
            backend=self.rarely(0, self.choose.randrange(4)),
        )
        bytes_each = struct.calcsize(rawclient.TYPES.get(kind, "B"))
        if rows * cols * bytes_each > MOST_DATA or self.choose.random() < 0.5:
            fields.update(
                handle=self.handle(),
                offset=self.rarely(0, self.number()),
                generation=self.rarely(0, self.number()),
                stride=self.rarely(0, self.number()),
                second=(self.handle(),),
            )
        else:
            inputs = 2 if operation in rawclient.TWO_INPUTS else 1
            fields["data"] = bytes(inputs * rows * cols * bytes_each)
        if self.choose.random() < 0.3:
            fields.update(
                out=self.handle(),
                out_offset=self.rarely(0, self.number()),
                out_capacity=self.rarely(BYTES, self.number()),
            )
        return job_body(**fields)

    def body(self, kind):
        if kind == rawclient.JOB:
            return self.job()
        if kind == rawclient.HELLO:
            return rawclient.hello_body(features=FEATURES)
        if kind == rawclient.BUFFER_REGISTER:
            return struct.pack(
                "<QB7x", self.rarely(BYTES, self.number()), self.rarely(self.choose.randrange(2), 2)
            )
        if kind == rawclient.BUFFER_CREATE:
            return struct.pack("<Q", self.rarely(self.choose.choice((BYTES, LARGE)), self.number()))
        if kind in (rawclient.BUFFER_FREEZE, rawclient.BUFFER_RELEASE):
            return struct.pack("<Q", self.handle())
        if kind == rawclient.CANCEL:
            return struct.pack(
                "<Q", self.rarely(max(0, self.last_id - self.choose.randrange(8)), self.number())
            )
        if kind in (rawclient.JOB_LIST, rawclient.JOB_CANCEL):  # ids of the daemon begin with 1
            return struct.pack("<Q", self.rarely(self.choose.randrange(200), self.number()))
        if kind == BUFFER_ATTACH:
            return bytes(self.choose.getrandbits(8) for _ in range(16))
        if kind == rawclient.HEALTH:
            return bytes([self.choose.randrange(4)]) + bytes(7)
        return bytes(self.choose.choice((0, 8)))

    def damaged(self, data):
        data = bytearray(data)
        way = self.choose.randrange(3)
        if way == 0:
            return bytes(data[: self.choose.randrange(len(data) + 1)])
        if way == 1:
            return bytes(data) + bytes(
                self.choose.getrandbits(8) for _ in range(self.choose.randrange(1, 40))
            )
        for _ in range(self.choose.randrange(1, 4) if data else 0):
            data[self.choose.randrange(len(data))] = self.choose.getrandbits(8)
        return bytes(data)

    def descriptors(self, kind):
        """What travels with a message: nothing, or one that can be a buffer or cannot."""
        if self.rarely(kind != rawclient.BUFFER_REGISTER, self.choose.random() < 0.5):
            return []
        if self.choose.random() < 0.1:
            return [os.open("/dev/null", os.O_RDWR)]
        return [memfd(BYTES, self.rarely(3, 1), whole=self.rarely(True, False))]

    def say(self, break_header=False):
        kind = self.choose.choice(KINDS)
        body = self.body(kind)
        body = self.rarely(body, self.damaged(body))
        fds = self.descriptors(kind)
        self.last_id += self.rarely(1, 0) if self.last_id else 1
        fields = (
            dict(priority=self.choose.randrange(3), deadline=self.rarely(0, self.number()))
            if kind == rawclient.JOB
            else {}
        )
        message = frame(kind, self.last_id, body, descriptors=len(fds), **fields)
        head, rest = message[: rawclient.HEADER.size], message[rawclient.HEADER.size :]
        if break_header:
            head = head[:1] + self.damaged(head[1:])
        try:
            self.connection.send(head, fds)
            self.connection.send(rest)
        finally:
            for fd in fds:
                os.close(fd)
        self.expected[self.last_id] += 1

    def listen(self):
        """Takes one answer; how many are still to come."""
        reply = self.connection.receive()
        reply.close()
        if self.expected[reply.request_id] <= 0:
            raise AssertionError("an answer to nothing: %r" % reply)
        self.expected[reply.request_id] -= 1
        if reply.status != "OK" and not reply.message:
            raise AssertionError("an error that says nothing: %r" % reply)
        if reply.status == "OK" and reply.kind in (
            rawclient.REPLY | rawclient.BUFFER_CREATE,
            rawclient.REPLY | rawclient.BUFFER_REGISTER,
        ):
            self.handles.append(reply.handle)
        return sum(self.expected.values())


class Sessions(HostileTest):
    # Little of everything, so that it runs out; no time does, however slow the machine is.
    SETTINGS = """[executor]
inline_budget_us = 1
threads = 2
[limits]
jobs_in_flight_per_connection = 4
buffers_per_connection = 6
buffer_bytes = "64KiB"
buffer_bytes_per_uid = "1MiB"
[timeouts]
hello_ms = 600000
frame_ms = 600000
write_stall_ms = 600000
"""

    def converse(self, session, choose):
        """Rounds of messages, all answered. Half of the connections end while the last round is not answered
        yet."""
        for _ in range(choose.randrange(1, 12)):
            for _ in range(choose.randrange(1, 17)):
                session.say()
            while sum(session.expected.values()) and session.listen():
                pass
        if choose.random() < 0.5:
            for _ in range(choose.randrange(1, 17)):
                session.say()

    def end_with_noise(self, session, choose):
        """A header that may be wrong: what comes then is an end, in order or with an EVENT."""
        try:
            session.say()
            session.say(break_header=True)
            session.connection.socket.shutdown(socket.SHUT_WR)
            while True:
                session.connection.receive().close()
        except (Closed, BrokenPipeError, ConnectionResetError):
            pass

    def test_any_messages_in_any_order(self):
        choose = random.Random(SEED)
        print("seed %d, %d connections" % (SEED, SESSIONS), flush=True)
        for index in range(SESSIONS):
            connection = self.connect(hello=False)
            connection.request(
                rawclient.HELLO, rawclient.hello_body(features=choose.choice((FEATURES, FEATURES, 0, 3)))
            )
            session = Session(connection, choose)
            try:
                self.converse(session, choose)
                if choose.random() < 0.3:
                    self.end_with_noise(session, choose)
            except Closed:
                self.fail("connection %d of seed %d was ended" % (index, SEED))
            finally:
                session.connection.close()
            if index % 20 == 19:
                self.assert_well()


if __name__ == "__main__":
    unittest.main()
