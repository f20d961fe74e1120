# SPDX-License-Identifier: Apache-2.0
"""A connection to tegud that sends whatever bytes it is told to: for tests that must break the rules."""

import array
import os
import socket
import struct

from rawmessages import (
    BUFFER_CREATE,
    BUFFER_REGISTER,
    CANCEL,
    HEADER,
    HELLO,
    JOB,
    JOB_CANCEL,
    JOB_LIST,
    Reply,
    frame,
    hello_body,
    job_body,
)

# seconds that a test waits for something that must happen; long, because nothing may depend on speed
PATIENCE = 60.0

JOB_FIELDS = (
    "id session rows cols age_ns predicted_ns left_ns uid pid operation type priority state place gpu gpus "
    "name_bytes"
).split()


class Closed(Exception):
    """The daemon ended the connection."""


class Connection:
    """One connection. Replies may be fetched by request id; the others wait."""

    def __init__(self, path, hello=True, timeout=PATIENCE, features=3):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.next_id = 0
        self.waiting = []
        self.received = b""
        self.fds = []
        if hello:
            reply = self.request(HELLO, hello_body(features=features))
            assert reply.status == "OK", reply

    def close(self):
        self.socket.close()
        for fd in self.fds:
            os.close(fd)
        self.fds = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data, fds=()):
        """Sends bytes, the descriptors with the first of them."""
        if fds:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
            data = data[self.socket.sendmsg([data], rights) :]
        if data:
            self.socket.sendall(data)

    def submit(self, kind, body=b"", fds=(), **fields):
        """Sends a request; returns its id. Descriptors travel with the header alone, as the protocol asks."""
        self.next_id += 1
        request_id = fields.pop("request_id", self.next_id)
        message = frame(kind, request_id, body, descriptors=fields.pop("descriptors", len(fds)), **fields)
        if fds:
            self.send(message[: HEADER.size], fds)
            self.send(message[HEADER.size :])
        else:
            self.send(message)
        return request_id

    def submit_all(self, *requests):
        """Sends (kind, body) of several requests at once, so that nothing of this process comes between them.
        Returns their ids."""
        first = self.next_id + 1
        self.next_id += len(requests)
        self.send(b"".join(frame(kind, first + i, body) for i, (kind, body) in enumerate(requests)))
        return list(range(first, first + len(requests)))

    def _receive(self, size):
        while len(self.received) < size:
            try:
                data, control, _, _ = self.socket.recvmsg(1 << 16, socket.CMSG_SPACE(16 * 4))
            except (ConnectionResetError, BrokenPipeError):
                raise Closed()
            for level, kind, content in control:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    fds = array.array("i")
                    fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
                    self.fds.extend(fds)
            if not data:
                raise Closed()
            self.received += data
        taken, self.received = self.received[:size], self.received[size:]
        return taken

    def receive(self):
        """The next message of the daemon. Raises Closed at the end."""
        fields = HEADER.unpack(self._receive(HEADER.size))
        assert fields[0] == b"TEGU" and fields[1] == 1, fields
        body = self._receive(fields[5])
        fds, self.fds = self.fds[: fields[2]], self.fds[fields[2] :]
        return Reply(fields, body, fds)

    def wait(self, request_id):
        for reply in self.waiting:
            if reply.request_id == request_id:
                self.waiting.remove(reply)
                return reply
        while True:
            reply = self.receive()
            if reply.request_id == request_id:
                return reply
            self.waiting.append(reply)

    def request(self, kind, body=b"", fds=(), **fields):
        return self.wait(self.submit(kind, body, fds, **fields))

    def job(self, deadline=0, priority=1, **fields):
        return self.request(JOB, job_body(**fields), deadline=deadline, priority=priority)

    def register(self, fd, size, access=0):
        return self.request(BUFFER_REGISTER, struct.pack("<QB7x", size, access), fds=[fd])

    def create(self, size):
        return self.request(BUFFER_CREATE, struct.pack("<Q", size))

    def named(self, kind, handle):
        """FREEZE and RELEASE."""
        return self.request(kind, struct.pack("<Q", handle))

    def cancel(self, target):
        return self.request(CANCEL, struct.pack("<Q", target))

    def cancel_job(self, ident):
        return self.request(JOB_CANCEL, struct.pack("<Q", ident))

    def list_jobs(self, after=0):
        """(next, all_users, jobs as dictionaries) of one reply."""
        reply = self.request(JOB_LIST, struct.pack("<Q", after))
        assert reply.status == "OK", reply
        following, count, everybody = struct.unpack_from("<QHB5x", reply.body)
        at, jobs = 16, []
        for _ in range(count):
            values = struct.unpack_from("<7Q2IH7B7x", reply.body, at)
            job = dict(zip(JOB_FIELDS, values))
            at += 80
            job["name"] = reply.body[at : at + job["name_bytes"]].decode()
            at += job["name_bytes"]
            jobs.append(job)
        assert at == len(reply.body), (at, reply)
        return following, everybody, jobs

    def all_jobs(self):
        following, _, jobs = self.list_jobs()
        while following:
            following, _, more = self.list_jobs(following)
            jobs += more
        return jobs

    def fields(self, kind):
        """INFO or STATS as a dictionary."""
        return self.named_fields(self.request(kind))

    @staticmethod
    def named_fields(reply):
        body = reply.body
        (count,) = struct.unpack_from("<H", body)
        at, result = 8, {}
        for _ in range(count):
            form, name_bytes, value_bytes = struct.unpack_from("<BBH", body, at)
            name = body[at + 4 : at + 4 + name_bytes].decode()
            at += 4 + name_bytes
            value = body[at : at + value_bytes]
            at += value_bytes
            result[name] = {
                0: lambda v: struct.unpack("<Q", v)[0],
                1: lambda v: struct.unpack("<d", v)[0],
            }.get(form, bytes.decode)(value)
        return result
