#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hostile clients, one class for each kind: attackers.py KIND BOARD SOCKET [UID], as whom it goes on once
it has read its own files. While the board says RUN, the attack is made again and again, as fast as it goes;
else nothing of it is left open. tests/daemon/hostile/*_test.py has the same attacks and asks whether the
daemon answers them rightly; here they are there to be in the way of others."""

import array
import mmap
import os
import random
import socket
import struct
import sys
import threading
import time

DAEMON = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "daemon")
sys.path[:0] = [DAEMON, os.path.join(DAEMON, "hostile")]
import board  # noqa: E402
import rawclient  # noqa: E402
from closing_test import lingering_socket  # noqa: E402
from stalls_test import pin  # noqa: E402
from rawclient import Closed, Connection, frame, header, job_body, memfd  # noqa: E402

HEALTH = 13
NOT_THERE = (OSError, Closed, AssertionError)  # refused, or ended by the daemon: try again
MIB = 1 << 20


class Attack(object):
    """One round; begin() and end() around some of them."""

    def __init__(self, path):
        self.path, self.open, self.random = path, [], random.Random(7)

    def connect(self, **options):
        connection = Connection(self.path, **dict({"timeout": 5}, **options))
        self.open.append(connection)
        return connection

    def begin(self):
        pass

    def end(self):
        while self.open:
            self.open.pop().close()

    def renew(self):
        """After a connection was ended."""
        self.end()
        self.begin()


class Greedy(Attack):
    """Many connections with requests in flight all the time; replies are read and forgotten."""

    connections, batch = 4, 64

    def begin(self):
        self.ready = [
            (connection, self.requests(connection))
            for connection in (self.connect() for _ in range(self.connections))
        ]

    def round(self):
        for connection, requests in self.ready:
            connection.send(b"".join(requests))
        for connection, requests in self.ready:
            for _ in requests:
                connection.receive().close()


class Garbage(Attack):
    """Noise instead of messages; each connection is ended for it."""

    def round(self):
        try:
            connection = self.connect(hello=self.random.random() < 0.5)
            connection.send(self.random.getrandbits(8 * 4096).to_bytes(4096, "little"))
            while True:
                connection.receive()
        finally:
            self.end()


class Visits(Attack):
    """Connects and goes, as fast as it can."""

    def round(self):
        for _ in range(50):
            self.connect(hello=False)
        self.end()


class Silent(Attack):
    """All connections that one user may have, of which nothing is heard."""

    def begin(self):
        try:
            while len(self.open) < 100:
                self.connect(hello=False).socket.setblocking(False)
        except OSError:
            pass

    def round(self):
        time.sleep(0.01)
        for connection in self.open:
            try:
                if not connection.socket.recv(4096):
                    return self.renew()
            except BlockingIOError:
                pass


class Dribble(Attack):
    """Messages one byte at a time, on many connections."""

    def begin(self):
        self.ready = [self.connect() for _ in range(32)]
        self.message, self.at = frame(rawclient.JOB, 1, job_body(cols=2000, data=bytes(8000))), 0

    def round(self):
        for connection in self.ready:
            connection.socket.send(self.message[self.at : self.at + 1])
        self.at += 1
        if self.at == len(self.message):
            self.renew()


class Deaf(Attack):
    """Sends and does not read."""

    request = staticmethod(lambda: frame(rawclient.PING, 1, bytes(60000)))

    def begin(self):
        self.ready = [self.connect() for _ in range(8)]
        self.message = self.request()
        for connection in self.ready:
            connection.socket.setblocking(False)

    def round(self):
        sent = 0
        for connection in self.ready:
            try:
                sent += connection.socket.send(self.message)
            except BlockingIOError:
                pass
        if sent == 0:
            time.sleep(0.001)


class DeafToReports(Deaf):
    """Asks for what takes longer to write than to be asked, and does not read it."""

    request = staticmethod(lambda: frame(rawclient.STATS, 1) * 100)


class SmallJobs(Greedy):
    """More small jobs than the daemon can compute."""

    def requests(self, connection):
        return [
            frame(rawclient.JOB, i + 1, job_body(cols=4000, data=bytes(16000))) for i in range(self.batch)
        ]


class TinyRequests(Greedy):
    """The cheapest requests there are."""

    batch = 1000

    def requests(self, connection):
        return [frame(rawclient.PING, i + 1) for i in range(self.batch)]


class BadRequests(Greedy):
    """Requests that are framed rightly and wrong in every other way."""

    def requests(self, connection):
        bodies = [
            job_body(operation=77),
            job_body(kind=99),
            job_body(cols=1 << 60, handle=5),
            job_body(handle=12345, cols=4),
            b"",
            bytes(100),
        ]
        return [frame(rawclient.JOB, i + 1, bodies[i % len(bodies)]) for i in range(self.batch)]


class Reports(Greedy):
    """Asks the daemon for all that it can tell, which takes it longer to write than to be asked."""

    batch = 8

    def requests(self, connection):
        bodies = [
            (rawclient.STATS, b""),
            (rawclient.INFO, b""),
            (HEALTH, struct.pack("<B7x", 0)),
            (HEALTH, struct.pack("<B7x", 2)),
        ]
        return [frame(kind, i + 1, body) for i, (kind, body) in enumerate(bodies * (self.batch // 4))]


class LongJobs(Greedy):
    """As many long jobs as it may have, of all priorities."""

    batch = 16

    def image(self, connection):
        made = connection.create(MIB)
        made.close()
        return made.handle

    def body(self, handle):
        return job_body(
            rawclient.QUANTILE,
            rawclient.F32,
            rows=4,
            cols=MIB // 16,
            handle=handle,
            params=rawclient.quantile_params((0.1, 0.5, 0.9)),
        )

    def requests(self, connection):
        handle = self.image(connection)
        return [frame(rawclient.JOB, i + 1, self.body(handle), priority=i % 3) for i in range(self.batch)]


class VeryLongJobs(LongJobs):
    """Jobs of some 100 ms."""

    batch = 4

    def body(self, handle):
        return job_body(
            rawclient.ENTROPY_MAP,
            rawclient.U8,
            rows=1024,
            cols=1024,
            handle=handle,
            out=self.out,
            out_capacity=4 * MIB,
            params=rawclient.entropy_params(63, 63, 256),
        )

    def requests(self, connection):
        made = connection.create(4 * MIB)
        self.out = made.handle
        made.close()
        return LongJobs.requests(self, connection)


class Cancels(LongJobs):
    """Long jobs, each cancelled at once, and cancels of what is not there."""

    batch = 24

    def requests(self, connection):
        handle, made = self.image(connection), []
        for i in range(self.batch // 3):
            made.append(frame(rawclient.JOB, 3 * i + 1, self.body(handle)))
            made.append(frame(rawclient.CANCEL, 3 * i + 2, struct.pack("<Q", 3 * i + 1)))
            made.append(frame(rawclient.CANCEL, 3 * i + 3, struct.pack("<Q", 1 << 40)))
        return made


class Deadlines(LongJobs):
    """Long jobs that must be done in no time."""

    def requests(self, connection):
        handle = self.image(connection)
        return [
            frame(rawclient.JOB, i + 1, self.body(handle), deadline=1 + 10000 * i) for i in range(self.batch)
        ]


class Deaths(LongJobs):
    """Goes while its jobs run."""

    def begin(self):
        pass

    def round(self):
        for _ in range(4):
            connection = self.connect()
            connection.send(b"".join(self.requests(connection)))
        self.end()


class Buffers(Attack):
    """Makes and gives back buffers, small and large."""

    def begin(self):
        self.connection = self.connect()

    def round(self):
        handles = []
        for size in [1 << 16] * 30 + [64 * MIB]:
            made = self.connection.create(size)
            made.close()
            if made.status == "OK":
                handles.append(made.handle)
        for handle in handles:
            self.connection.named(rawclient.BUFFER_RELEASE, handle)


class BadDescriptors(Attack):
    """Descriptors of everything that is no whole, sealable memfd."""

    def begin(self):
        self.connection = self.connect()
        self.kinds = [
            os.open("/dev/zero", os.O_RDWR),
            os.open("/", os.O_RDONLY),
            memfd(1 << 16, whole=False),
            memfd(1 << 16, flags=1),
        ]
        self.kinds += os.pipe()

    def end(self):
        Attack.end(self)
        while getattr(self, "kinds", None):
            os.close(self.kinds.pop())

    def round(self):
        for fd in self.kinds:
            self.connection.register(fd, 1 << 16)


class Sealing(Attack):
    """Freezes buffers whose pages are pinned, which the kernel waits for."""

    def begin(self):
        self.connection = self.connect()

    def round(self):
        fd = memfd(1 << 16)
        held = pin(fd)
        made = self.connection.register(fd, 1 << 16, access=1)
        self.connection.named(rawclient.BUFFER_FREEZE, made.handle)
        self.connection.named(rawclient.BUFFER_RELEASE, made.handle)
        for each in held + (fd,):
            os.close(each)


class Memory(LongJobs):
    """Rewrites a buffer and punches holes into it while jobs read it."""

    connections = 1

    def image(self, connection):
        self.fd = memfd(MIB)
        self.memory = mmap.mmap(self.fd, MIB)
        return connection.register(self.fd, MIB, access=1).handle

    def end(self):
        Attack.end(self)
        if getattr(self, "memory", None) is not None:
            self.memory.close()
            os.close(self.fd)
            self.memory = None

    def round(self):
        for connection, requests in self.ready:
            connection.send(b"".join(requests))
        for _ in range(20):
            self.memory[: 1 << 19] = os.urandom(1 << 19)
            rawclient.punch_hole(self.fd, self.random.randrange(200) * 4096, 8192)
        os.posix_fallocate(self.fd, 0, MIB)
        for connection, requests in self.ready:
            for _ in requests:
                connection.receive()


class SlowCloses(Attack):
    """Descriptors whose last close waits for as long as the client likes."""

    def begin(self):
        self.readers = []

    def end(self):
        Attack.end(self)
        for reader in getattr(self, "readers", []):
            reader.close()
        self.readers = []

    def round(self):
        connection = self.connect()
        fd, reader = lingering_socket()
        self.readers.append(reader)
        left, right = socket.socketpair()
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        left.close()
        carrier = right.detach()
        connection.send(header(rawclient.BUFFER_REGISTER, 9, 16, descriptors=1), [carrier])
        os.close(carrier)
        threading.Thread(target=os.close, args=(fd,), daemon=True).start()
        connection.send(struct.pack("<QB7x", 1 << 16, 0))
        connection.receive()
        if len(self.readers) > 50:
            self.end()


class Busy(Attack):
    """No client at all: a program that keeps one core busy. What it does to the good client is the machine's
    doing."""

    def round(self):
        end = time.monotonic() + 0.01
        while time.monotonic() < end:
            pass


class BusyTwice(Busy):
    """The same with two threads' worth: as many busy cores as a hostile client and the daemon that serves
    it."""

    def begin(self):
        self.child = os.fork()
        if self.child == 0:
            rawclient.LIBC.prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
            while True:
                pass

    def end(self):
        if getattr(self, "child", 0):
            os.kill(self.child, 9)
            os.waitpid(self.child, 0)
            self.child = 0


KINDS = {
    "busy": Busy,
    "busy-twice": BusyTwice,
    "garbage": Garbage,
    "visits": Visits,
    "silent": Silent,
    "dribble": Dribble,
    "deaf": Deaf,
    "deaf-to-reports": DeafToReports,
    "small-jobs": SmallJobs,
    "tiny-requests": TinyRequests,
    "bad-requests": BadRequests,
    "reports": Reports,
    "long-jobs": LongJobs,
    "very-long-jobs": VeryLongJobs,
    "cancels": Cancels,
    "deadlines": Deadlines,
    "deaths": Deaths,
    "buffers": Buffers,
    "bad-descriptors": BadDescriptors,
    "sealing": Sealing,
    "memory": Memory,
    "slow-closes": SlowCloses,
}


def attack(kind, table):
    """Until the board says otherwise, but once at least: others may leave it no time before. The number of
    rounds."""
    rounds, begun = 0, False
    while rounds == 0 or table.command() == board.RUN:
        try:
            if not begun:
                kind.begin()
                begun = True
            kind.round()
            rounds += 1
        except NOT_THERE:
            kind.end()
            begun = False
            rounds += 1
            time.sleep(0.001)
    kind.end()
    return rounds


def main():
    """The attacker leaves the cores to whoever else wants them, so that what others notice of it is what it
    does by way of the daemon."""
    name, path, address = sys.argv[1:4]
    for uid in map(int, sys.argv[4:]):
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    table = board.Board(path)
    kind, place, rounds = KINDS[name](address), 2, 0
    if not name.startswith("busy"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    table.memory[place] = board.READY
    while table.command() != board.LEAVE:
        if table.command() == board.RUN:
            table.memory[place] = board.WORKING
            rounds += attack(kind, table)
            table.memory[place] = board.RESTED
        time.sleep(0.001)
    print("rounds %d" % rounds, flush=True)
    os._exit(0)  # threads may wait for a close


if __name__ == "__main__":
    main()
