#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Buffers that outlive the daemon, without systemd: a service manager of the test's own keeps what tegud stores, within the bounds that a test
sets, and hands it to the next tegud; or what no tegud ever stored. Clients come back with tokens, right and wrong ones, and each test ends with
a second client whose job is right. Most stores are written by hand, from the format in daemon/stored_table.h."""

import array
import fcntl
import json
import os
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import unittest

import rawclient
from rawclient import (BUFFER_FREEZE, BUFFER_LIST, BUFFER_RELEASE, HEALTH, HELLO, MFD_CLOEXEC, PING, STATS, SUM, Connection, Daemon, floats,
                       hello_body, memfd, reduce_params)

BUFFER_ATTACH = 14
MSG_CMSG_CLOEXEC = 0x40000000
ALL_FEATURES = 7
NOBODY = 65534
SETTINGS = '[executor]\nthreads = 1\n[socket]\nmode = "0666"\n'
MOST_OF_SHIPPED_UNIT = 1024


class Manager:
    """A service manager with a descriptor store of at most `most`, on a socket `address` in `folder`. Entries: [name, descriptor, polled]."""

    def __init__(self, folder, most=MOST_OF_SHIPPED_UNIT, reads=True):
        self.address = os.path.join(folder, "manager")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.address)
        self.socket.setblocking(False)
        self.most, self.refused, self.entries = most, 0, []
        self.lock = threading.Lock()
        self.wake, self.woken = os.pipe()
        self.reads, self.ends = reads, False
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while not self.ends:
            look = select.poll()
            look.register(self.wake, select.POLLIN)
            if self.reads:
                look.register(self.socket, select.POLLIN)
            for _, fd, polled in self.entries:
                if polled:
                    look.register(fd, 0)
            ready = dict(look.poll())
            if self.wake in ready:
                os.read(self.wake, 64)
            with self.lock:
                self.drop(lambda entry: entry[2] and ready.get(entry[1], 0) & (select.POLLHUP | select.POLLERR))
                if self.socket.fileno() in ready:
                    self.take_message()

    def take_message(self):
        data, control, _, _ = self.socket.recvmsg(65536, socket.CMSG_SPACE(16 * 4), MSG_CMSG_CLOEXEC)
        fds = array.array("i")
        for _, _, content in control:
            fds.frombytes(content)
        lines = data.decode().split("\n")
        names = [line[7:] for line in lines if line.startswith("FDNAME=")]
        name = names[0] if names else "stored"
        if "FDSTOREREMOVE=1" in lines:
            self.drop(lambda entry: entry[0] == name)
        for fd in fds:  # those of BARRIER=1 are closed
            if "FDSTORE=1" in lines and len(self.entries) < self.most:
                self.entries.append([name, fd, "FDPOLL=0" not in lines])
            else:
                self.refused += "FDSTORE=1" in lines
                os.close(fd)

    def drop(self, goes):
        for entry in [each for each in self.entries if goes(each)]:
            self.entries.remove(entry)
            os.close(entry[1])

    def put(self, name, fd):
        with self.lock:
            self.entries.append([name, os.dup(fd), False])

    def names(self, prefix=""):
        with self.lock:
            return sorted(name for name, _, _ in self.entries if name.startswith(prefix))

    def buffers(self):
        return len(self.names("tegud-buffer-"))

    def tables(self):
        with self.lock:
            return [os.pread(fd, 1 << 20, 0) for name, fd, _ in self.entries if name.startswith("tegud-table-")]

    def set(self, **what):
        with self.lock:
            self.__dict__.update(what)
        os.write(self.woken, b"x")

    def close(self):
        self.set(ends=True)
        self.thread.join()
        self.drop(lambda entry: True)
        self.socket.close()
        os.close(self.wake)
        os.close(self.woken)


class StoreDaemon(Daemon):
    """A tegud that is a service of `manager`, which hands it all that it keeps."""

    def __init__(self, manager, settings="", variables=()):
        self.folder = tempfile.mkdtemp(prefix="tegud-test-")
        os.chmod(self.folder, 0o755)
        self.path = os.path.join(self.folder, "s")
        with open(os.path.join(self.folder, "tegud.toml"), "w") as out:
            out.write(SETTINGS + settings)
        self.log = open(os.path.join(self.folder, "log"), "w+")
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("LD_PRELOAD", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "FDSTORE", "JOURNAL_STREAM")}
        environment.update({"CUDA_VISIBLE_DEVICES": "", "INVOCATION_ID": "0" * 32}, **dict(variables))
        passed = []
        if manager:
            environment.setdefault("NOTIFY_SOCKET", manager.address)
            with manager.lock:
                passed = [(name, fd) for name, fd, _ in manager.entries]
        environment.update(LISTEN_FDS=str(len(passed)), LISTEN_FDNAMES=":".join(name for name, _ in passed))

        def become_service():
            self._prepare(None)
            above = 3 + 2 * len(passed) + 64
            for i, fd in enumerate([fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, above) for _, fd in passed]):
                os.dup2(fd, 3 + i)
            for name in os.listdir("/proc/self/fd"):  # what whoever runs the tests left open
                if int(name) >= 3 + len(passed) and os.path.exists("/proc/self/fd/" + name):
                    os.set_inheritable(int(name), False)
        # exec of the shell keeps its process id.
        self.process = subprocess.Popen(["sh", "-c", 'LISTEN_PID=$$ exec "$0" "$@"', os.path.join(os.environ.get("TEGU_BUILD_DIR", "build/release"),
                                         "bin/tegud"), "--config", os.path.join(self.folder, "tegud.toml"), "--socket", self.path],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment, close_fds=False,
                                        preexec_fn=become_service)
        try:
            self.wait_for(self._answers, "the daemon to answer")
        except BaseException:
            self.stop()
            raise

    def said(self):
        """Warnings and errors, but for that of a manager whose queue was full: it may be shorter than what there is to be removed."""
        return [line for line in self.log_text().splitlines()
                if re.match("tegud: (warning|error): ", line) and "does not read what it is told" not in line]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stats(self):
        with Connection(self.path) as client:
            return client.fields(STATS)

    def store(self):
        """What health says of it."""
        with Connection(self.path) as client:
            return json.loads(client.request(HEALTH, bytes(8)).body[8:].decode())["daemon"]["descriptor_store"]


# What a daemon leaves.

def checksum(data):
    total = 0xcbf29ce484222325
    for byte in data:
        total = (total ^ byte) * 0x100000001b3 % (1 << 64)
    return struct.pack("<Q", total)


def summed(data):
    return data + checksum(data)


def table_bytes(records=b"", count=None, epoch=1, version=1, record_bytes=80):
    header = struct.pack("<8sHHIQ32x", b"tegudtab", version, record_bytes, len(records) // 80 if count is None else count, epoch)
    return summed(header) + records


def record(number, fd, token, uid=None, size=4096, generation=1, inode=None, access=0, created=0):
    return summed(struct.pack("<QQQQQ16sIIBB6x", number, number, size, generation, os.fstat(fd).st_ino if inode is None else inode, token,
                              os.getuid() if uid is None else uid, 1, access, created))


def filled(data):
    fd = memfd()
    os.write(fd, data)
    return fd


def token_of(number):
    return struct.pack("<QQ", 0x7e6a, number)


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tegud-test-")
        self.addCleanup(self.folder.cleanup)

    def manager(self, **options):
        folder = tempfile.mkdtemp(dir=self.folder.name)
        manager = Manager(folder, **options)
        self.addCleanup(manager.close)
        return manager

    def daemon(self, manager, settings="", **variables):
        daemon = StoreDaemon(manager, settings, variables)
        self.addCleanup(daemon.stop)
        return daemon

    def connect(self, daemon, features=ALL_FEATURES):
        client = Connection(daemon.path, hello=False)
        self.addCleanup(client.close)
        self.assertEqual(client.request(HELLO, hello_body(features=features)).status, "OK")
        return client

    def own(self, fd):
        self.addCleanup(os.close, fd)
        return fd

    def buffer(self, manager, number, data=floats(*range(1024)), **fields):
        """A buffer that `manager` keeps; returns its record."""
        fd = self.own(filled(data))
        manager.put("tegud-buffer-%d" % number, fd)
        return record(number, fd, token_of(number), **fields)

    def table(self, manager, data, epoch=1):
        manager.put("tegud-table-%d" % epoch, self.own(filled(data)))

    def assert_well(self, daemon):
        """A second client's job is right."""
        with Connection(daemon.path) as witness:
            reply = witness.job(params=reduce_params(1 << SUM), data=floats(1, 2, 3, 4))
            self.assertEqual(reply.arrays()[SUM + 1], (1, 1, (10.0,)))

    def assert_refused(self, reply, status, field):
        self.assertEqual((reply.status, reply.field), (status, field), reply)
        self.assertTrue(reply.allowed, reply)

    def assert_sum(self, client, handle, total, **fields):
        reply = client.job(cols=1024, handle=handle, params=reduce_params(1 << SUM), **fields)
        self.assertEqual(reply.status, "OK", reply)
        self.assertEqual(reply.arrays()[SUM + 1][2], (float(total),))

    def ends_well(self, daemon, lines=None):
        """`lines`: expressions of what it has said, one each."""
        self.assert_well(daemon)
        if lines is not None:
            said = daemon.said()
            self.assertEqual(len(said), len(lines), said)
            for line, expression in zip(said, lines):
                self.assertRegex(line, expression)
        daemon.process.terminate()
        self.assertEqual(daemon.process.wait(rawclient.PATIENCE), 0, daemon.log_text())

    @staticmethod
    def attach(client, token):
        return client.request(BUFFER_ATTACH, token)

    @staticmethod
    def lists(client):
        """handle -> (generation, frozen)"""
        body, found = client.request(BUFFER_LIST).body, {}
        for at in range(8, len(body), 48):
            handle, _, _, _, generation, _, _, frozen = struct.unpack_from("<QQQQQIBB", body, at)
            found[handle] = (generation, frozen)
        return found

    # Owners that come back.

    def test_what_was_there_is_there_after_a_kill(self):
        manager = self.manager()
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        plain, frozen = self.own(filled(floats(*[1] * 1024))), self.own(filled(floats(*[2] * 1024)))
        replies = [client.register(plain, 4096, access=1), client.register(frozen, 4096), client.create(4096)]
        for fd in replies[2].fds:
            os.pwrite(self.own(fd), floats(*[3] * 1024), 0)
        tokens = [reply.body[16:] for reply in replies]
        self.assertEqual([len(token) for token in tokens], [16] * 3)
        self.assertEqual(client.named(BUFFER_FREEZE, replies[1].handle).status, "OK")
        self.assert_sum(client, replies[0].handle, 1024, generation=3)
        self.assert_sum(client, replies[0].handle, 1024, generation=7)
        Daemon.wait_for(lambda: daemon.store()["buffers"] == 3 and manager.buffers() == 3, "three buffers in the store")
        Daemon.wait_for(lambda: any(struct.pack("<QQ", 4096, 7) in table for table in manager.tables()), "the generation in the table")
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
            self.assert_refused(client.job(cols=1024, handle=handles[0], generation=6), "BAD_RANGE", "inputs[0].generation")
            stats = daemon.stats()
            self.assertEqual((stats["buffers_attached_total"], stats["buffers_total"], stats["buffers_orphaned"]), (3, 0, 0))
            self.assertEqual(self.attach(client, tokens[0]).field, "token")
            self.assert_well(daemon)
        Daemon.wait_for(lambda: len(manager.names()) == 4 and len(manager.names("tegud-table-")) == 1, "the end of the older tables")
        for handle in handles:
            self.assertEqual(client.named(BUFFER_RELEASE, handle).status, "OK")
        Daemon.wait_for(lambda: manager.buffers() == 0, "an empty store")
        self.ends_well(daemon, [])

    def test_wrong_tokens(self):
        manager = self.manager()
        self.table(manager, table_bytes(self.buffer(manager, 1) + self.buffer(manager, 2, uid=NOBODY)))
        daemon = self.daemon(manager)
        client = self.connect(daemon)
        self.assert_refused(self.attach(self.connect(daemon, features=3), token_of(1)), "UNSUPPORTED", "features")
        self.assert_refused(self.attach(client, bytes(16)), "BAD_RANGE", "token")
        for body in (b"", token_of(1)[:15], token_of(1) + b"\0"):
            self.assertEqual(self.attach(client, body).status, "BAD_REQUEST")
        for token in (b"\xff" * 16, token_of(1)[:15] + b"\x01", token_of(3), token_of(2)):  # the last is another user's
            self.assert_refused(self.attach(client, token), "NOT_FOUND", "token")
        first = self.attach(client, token_of(1))
        self.assert_sum(client, first.handle, sum(range(1024)))
        self.assert_refused(self.attach(client, token_of(1)), "NOT_FOUND", "token")
        self.assert_refused(self.attach(self.connect(daemon), token_of(1)), "NOT_FOUND", "token")
        self.assertEqual(client.request(PING, b"here").body, b"here")
        client.close()  # while the daemon lives: the buffer ends
        Daemon.wait_for(lambda: manager.names("tegud-buffer-") == ["tegud-buffer-2"], "one buffer less in the store")
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
                replies = [self.attach(client, token_of(number)) for number in (1, 2)] + [client.request(PING)]
                os.write(write, " ".join(reply.status + reply.field for reply in replies).encode())
            finally:
                os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        self.assertEqual(os.read(self.own(read), 4096).decode(), "NOT_FOUNDtoken OK OK")
        self.assertEqual(self.attach(self.connect(daemon), token_of(1)).status, "OK")
        self.ends_well(daemon, [])

    def test_orphans_and_the_quota(self):
        """They count, and make way for what their user registers, not for others'; what is over a lowered quota is dropped."""
        manager = self.manager()
        self.table(manager, table_bytes(b"".join(self.buffer(manager, number) for number in range(1, 6)) + self.buffer(manager, 6, uid=NOBODY)))
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
        Daemon.wait_for(lambda: daemon.stats()["buffers_orphaned"] == 0 and manager.buffers() == 0, "the end of the orphan")
        self.assert_refused(self.attach(self.connect(daemon), token_of(1)), "NOT_FOUND", "token")
        self.ends_well(daemon, [])

    # Stores that no daemon left.

    def assert_dropped(self, manager, lines):
        """The next daemon takes none of the buffers, and says so in these lines."""
        daemon = self.daemon(manager)
        self.assertEqual(self.attach(self.connect(daemon), token_of(1)).status, "NOT_FOUND")
        Daemon.wait_for(lambda: manager.buffers() == 0, "an empty store")
        self.assertEqual(daemon.store()["state"], "ok")
        self.ends_well(daemon, lines)

    def test_hostile_tables(self):
        def flipped(data, at):
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]

        def with_record(**fields):
            return lambda good: table_bytes(record(1, 0, **dict({"token": token_of(1)}, **fields)))

        cases = {
            "empty": lambda good: b"", "garbage": lambda good: b"garbage!" * 512, "zeros": lambda good: bytes(4096),
            "cut header": lambda good: table_bytes(good)[:40], "cut record": lambda good: table_bytes(good)[:-1],
            "newer": lambda good: table_bytes(good, version=2), "version 0": lambda good: table_bytes(good, version=0),
            "count": lambda good: table_bytes(good, count=4294967295), "count by one": lambda good: table_bytes(good, count=2),
            "record bytes 0": lambda good: table_bytes(good, record_bytes=0), "record bytes": lambda good: table_bytes(good, record_bytes=65535),
            "checksum": lambda good: flipped(table_bytes(good), 63), "damaged header": lambda good: flipped(table_bytes(good), 30),
            "damaged record": lambda good: flipped(table_bytes(good), 64 + 79), "damaged token": lambda good: flipped(table_bytes(good), 64 + 40),
            "huge": lambda good: table_bytes(good) + bytes(2 << 20), "no size": with_record(size=0), "largest size": with_record(size=(1 << 64) - 1),
            "access": with_record(access=2), "truth value": with_record(created=2), "no token": with_record(token=bytes(16))}
        for name, make in cases.items():
            with self.subTest(table=name):
                manager = self.manager()
                self.table(manager, make(self.buffer(manager, 1)))
                self.assert_dropped(manager, ["the table of buffers "])

    def test_tables_of_another_kind(self):
        pipe = os.pipe()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        for fd in pipe + (os.open(self.folder.name, os.O_RDONLY), os.open("/dev/zero", os.O_RDONLY), os.open("/dev/null", os.O_WRONLY),
                          os.dup(listener.fileno())):
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
        Daemon.wait_for(lambda: manager.names() == ["tegud-buffer-1", "tegud-table-6"], "the end of the other tables")
        self.ends_well(daemon, ["is no table"])

    def test_hostile_buffers(self):
        manager = self.manager()
        records = self.buffer(manager, 1)
        pipe = [self.own(fd) for fd in os.pipe()]
        unsealable = self.own(memfd(4096, flags=MFD_CLOEXEC))
        wrong = [pipe[0], pipe[1], self.own(os.open(self.folder.name, os.O_RDONLY)), self.own(os.open("/dev/zero", os.O_RDWR)), unsealable,
                 self.own(memfd(4096, whole=False)), self.own(memfd(0)), self.own(memfd(4095))]
        for number, fd in enumerate(wrong, 2):
            manager.put("tegud-buffer-%d" % number, fd)
            records += record(number, fd, token_of(number))
        records += self.buffer(manager, 20, inode=1) + self.buffer(manager, 21, size=1 << 62) + self.buffer(manager, 22, size=8192)
        dropped = len(wrong) + 3
        records += record(30, unsealable, token_of(30))  # without a descriptor
        self.buffer(manager, 31)                         # without a record
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
        Daemon.wait_for(lambda: manager.names() in (["tegud-buffer-1", "tegud-buffer-1 ", "tegud-table-2"], ["tegud-buffer-1", "tegud-table-2"]),
                        "the end of all others")
        clean = self.manager()
        self.table(clean, table_bytes(self.buffer(clean, 1)))
        other = self.daemon(clean)
        other_client = self.connect(other)
        self.assertEqual(self.attach(other_client, token_of(1)).status, "OK")
        Daemon.wait_for(lambda: daemon.descriptors() == other.descriptors(), "no more descriptors than of a clean store")
        self.ends_well(daemon, ["a stored buffer is dropped"] * dropped + ["had not kept all"])

    def test_thousand_descriptors(self):
        """More than the store may hold, half of them of no use; all that can be is taken, the rest let go of."""
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
        self.assertLess(daemon.descriptors(), 600)
        client = self.connect(daemon)
        self.assertEqual([self.attach(client, token_of(number)).status for number in (1, 250, 500, 501)], ["OK"] * 3 + ["NOT_FOUND"])
        Daemon.wait_for(lambda: manager.buffers() < 1000, "removals")
        self.ends_well(daemon, [])

    # Managers that keep nothing, or less than they should.

    def work(self, daemon):
        """What a client does with buffers, each with a wish to be kept."""
        client = self.connect(daemon)
        fd = self.own(memfd(4096))
        reply = client.register(fd, 4096)
        self.assertEqual(reply.status, "OK", reply)
        for generation in (1, 2, 9):
            self.assert_sum(client, reply.handle, 0, generation=generation)
        self.assertEqual(client.named(BUFFER_FREEZE, reply.handle).status, "OK")
        self.assert_sum(client, reply.handle, 0, generation=10)
        self.assertEqual(client.named(BUFFER_RELEASE, reply.handle).status, "OK")
        made = client.create(4096)
        self.own(made.fds[0])
        self.assert_sum(client, made.handle, 0, generation=1 << 63)
        return client

    def test_notify_socket_that_is_none(self):
        file, stream = os.path.join(self.folder.name, "file"), os.path.join(self.folder.name, "stream")
        open(file, "w").close()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(stream)
        listener.listen(1)
        for value in ("/", "@", "relative", "/missing/socket", "/" + "x" * 200, "@nobody-%d" % os.getpid(), file, stream, self.folder.name,
                      "vsock:2:1234", "\x01"):
            with self.subTest(value=value):
                daemon = self.daemon(None, NOTIFY_SOCKET=value)
                self.work(daemon)
                self.assertEqual(daemon.store()["state"], "refused")
                self.assertEqual(sum("do not survive" in line for line in daemon.said()), 1, daemon.said())
                self.ends_well(daemon)
        daemon = self.daemon(None, NOTIFY_SOCKET="")
        self.work(daemon)
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
        for value, state, lines in (("0", "refused", 1), ("1", "refused", 1), ("2", "refused", 1), ("3", "full", 0), ("", "ok", 0), ("999999999", "ok", 0),
                                    ("garbage", "ok", 1), ("-1", "ok", 1), ("3 ", "ok", 1), ("9" * 30, "ok", 1), ("4294967297", "ok", 1)):
            with self.subTest(value=value):
                manager = self.manager()
                self.table(manager, table_bytes(self.buffer(manager, 1)))
                daemon = self.daemon(manager, FDSTORE=value)
                self.assertEqual(self.attach(self.connect(daemon), token_of(1)).status, "NOT_FOUND" if state == "refused" else "OK")
                self.work(daemon)
                self.assertEqual(daemon.store()["state"], state)
                said = daemon.said()
                self.assertEqual(len(said), lines, said)
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
                Daemon.wait_for(lambda: 1 <= daemon.store()["buffers"] == manager.buffers() <= 3 and "tegud-probe" not in manager.names(),
                                "what it takes to be known")
                kept = manager.names("tegud-buffer-")
                self.assertEqual(client.named(BUFFER_RELEASE, handles[0]).status, "OK")  # the oldest is kept
                Daemon.wait_for(lambda: len(manager.names("tegud-buffer-")) == len(kept) and manager.names("tegud-buffer-") != kept,
                                "another buffer in its place")
                self.assertEqual(manager.names("tegud-table-"), ["tegud-table-1"])
                for handle in handles[1:]:
                    self.assertEqual(client.named(BUFFER_RELEASE, handle).status, "OK")
                Daemon.wait_for(lambda: manager.buffers() == 0 and daemon.store()["state"] == "ok", "a store with room")
                self.assertIsNone(daemon.store()["reason"])
                self.ends_well(daemon)

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
        Daemon.wait_for(lambda: daemon.store()["buffers"] == 15 == manager.buffers(), "fifteen buffers in the store")
        daemon.kill()
        self.assertEqual(self.daemon(manager).stats()["buffers_orphaned"], 15)


if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    unittest.main()
