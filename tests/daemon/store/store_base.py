# SPDX-License-Identifier: Apache-2.0
"""What tests of the descriptor store share: a service manager of their own, which keeps what tegud stores
within the bounds that a test sets and hands it to the next tegud; and stores written by hand, from the format
in daemon/store/stored_table.h, which no tegud ever left."""

import array
import fcntl
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rawclient
from rawclient import (
    BUFFER_LIST,
    HEALTH,
    HELLO,
    STATS,
    SUM,
    Connection,
    Daemon,
    floats,
    hello_body,
    memfd,
    patient,
    reduce_params,
)

BUFFER_ATTACH = 14
MSG_CMSG_CLOEXEC = 0x40000000
ALL_FEATURES = 7
SETTINGS = '[executor]\nthreads = 1\nbackend = "cpu"\n[socket]\nmode = "0666"\n'
MOST_OF_SHIPPED_UNIT = 1024


class Manager:
    """A service manager with a descriptor store of at most `most`, on a socket `address` in `folder`.
    Entries: [name, descriptor, polled]."""

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
                self.drop(
                    lambda entry: entry[2] and ready.get(entry[1], 0) & (select.POLLHUP | select.POLLERR)
                )
                if self.socket.fileno() in ready:
                    self.take_message()

    def take_all(self):
        """What was sent so far, as a real one does before it starts a service again."""
        with self.lock:
            while self.reads and not self.ends and select.select([self.socket], [], [], 0)[0]:
                self.take_message()

    def take_message(self):
        try:
            data, control, _, _ = self.socket.recvmsg(65536, socket.CMSG_SPACE(16 * 4), MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return  # it was taken meanwhile
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
            return [
                os.pread(fd, 1 << 20, 0) for name, fd, _ in self.entries if name.startswith("tegud-table-")
            ]

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
    """A tegud that is a service of `manager`, which hands it all that it keeps. `program`: within the build
    folder."""

    def __init__(self, manager, settings="", variables=(), program="bin/tegud", arguments=()):
        self.folder = tempfile.mkdtemp(prefix="tegud-test-")
        os.chmod(self.folder, 0o755)
        self.path = os.path.join(self.folder, "s")
        with open(os.path.join(self.folder, "tegud.toml"), "w") as out:
            out.write(patient(SETTINGS + settings))
        self.log = open(os.path.join(self.folder, "log"), "a+")  # the daemon's place in it is always the end
        environment = {
            name: value
            for name, value in os.environ.items()
            if name
            not in (
                "LD_PRELOAD",
                "NOTIFY_SOCKET",
                "WATCHDOG_USEC",
                "WATCHDOG_PID",
                "FDSTORE",
                "JOURNAL_STREAM",
            )
        }
        environment.update({"CUDA_VISIBLE_DEVICES": "", "INVOCATION_ID": "0" * 32}, **dict(variables))
        passed = []
        if manager:
            environment.setdefault("NOTIFY_SOCKET", manager.address)
            manager.take_all()
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
        self.process = subprocess.Popen(
            [
                "sh",
                "-c",
                'LISTEN_PID=$$ exec "$0" "$@"',
                os.path.join(os.environ.get("TEGU_BUILD_DIR", "build/release"), program),
                "--config",
                os.path.join(self.folder, "tegud.toml"),
                "--socket",
                self.path,
            ]
            + list(arguments),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env=environment,
            close_fds=False,
            preexec_fn=become_service,
        )
        try:
            self.wait_for(self._answers, "the daemon to answer")
        except BaseException:
            self.stop()
            raise

    def said(self):
        """Warnings and errors, but for that of a manager whose queue was full: it may be shorter than what
        there is to be removed."""
        return [
            line
            for line in self.log_text().splitlines()
            if re.match("tegud: (warning|error): ", line) and "does not read what it is told" not in line
        ]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stats(self):
        with Connection(self.path) as client:
            return client.fields(STATS)

    def store(self):
        """What health says of it."""
        with Connection(self.path) as client:
            return json.loads(client.request(HEALTH, bytes(8)).body[8:].decode())["daemon"][
                "descriptor_store"
            ]


# What a daemon leaves.


def checksum(data):
    total = 0xCBF29CE484222325
    for byte in data:
        total = (total ^ byte) * 0x100000001B3 % (1 << 64)
    return struct.pack("<Q", total)


def summed(data):
    return data + checksum(data)


def table_bytes(records=b"", count=None, epoch=1, version=1, record_bytes=80):
    header = struct.pack(
        "<8sHHIQ32x",
        b"tegudtab",
        version,
        record_bytes,
        len(records) // 80 if count is None else count,
        epoch,
    )
    return summed(header) + records


def record(number, fd, token, uid=None, size=4096, generation=1, inode=None, access=0, created=0):
    return summed(
        struct.pack(
            "<QQQQQ16sIIBB6x",
            number,
            number,
            size,
            generation,
            os.fstat(fd).st_ino if inode is None else inode,
            token,
            os.getuid() if uid is None else uid,
            1,
            access,
            created,
        )
    )


def filled(data):
    fd = memfd()
    os.write(fd, data)
    return fd


def token_of(number):
    return struct.pack("<QQ", 0x7E6A, number)


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
