# SPDX-License-Identifier: Apache-2.0
"""A client of tegud on a socket. Written from docs/protocol.md alone."""

import array
import os
import socket
import struct

from protocol import (
    BUFFER_REGISTER,
    HEADER,
    HELLO,
    INFO,
    JOB,
    REPLY,
    Refused,
    hello_body,
    named_values,
    register_body,
)

PATIENCE = 120.0  # seconds; nothing here depends on speed


class Closed(Exception):
    """The daemon has closed the connection."""


class Message:
    def __init__(self, header, body):
        self.type, self.request_id, self.status, self.body = header[3], header[4], header[6], body

    def error(self):
        return Refused(self.status, self.body)


def header_bytes(kind, request_id, body, announced, fields):
    """`fields` replaces what a right header would hold."""
    of_job = 1 if kind == JOB else 0  # priority: normal
    return HEADER.pack(
        fields.get("magic", b"TEGU"),
        fields.get("version", 1),
        fields.get("announced", announced),
        kind,
        request_id,
        fields.get("body_bytes", len(body)),
        fields.get("status", 0),
        fields.get("priority", of_job),
        fields.get("reserved", 0),
        fields.get("deadline_ns", 0),
        fields.get("reserved_tail", 0),
    )


class Client:
    """One connection, which has said HELLO unless `hello` is false. One request at a time, or send() and
    receive()."""

    def __init__(self, path, hello=True):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.last_id = 0
        if hello:
            self.request(HELLO, hello_body())

    def close(self):
        self.socket.close()

    def send(self, kind, body=b"", descriptors=(), request_id=None, **fields):
        """Sends a message, its descriptors with the header alone. Returns its id."""
        self.last_id += 1
        request_id = self.last_id if request_id is None else request_id
        header = header_bytes(kind, request_id, body, len(descriptors), fields)
        if not descriptors:
            self.socket.sendall(header + body)
            return request_id
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        assert self.socket.sendmsg([header], rights) == len(header)
        if body:
            self.socket.sendall(body)
        return request_id

    def _take(self, size):
        data = bytearray()
        while len(data) < size:
            try:
                piece = self.socket.recv(size - len(data))
            except (ConnectionResetError, BrokenPipeError):
                piece = b""
            if not piece:
                raise Closed()
            data += piece
        return bytes(data)

    def receive(self):
        """The next message. Raises Closed."""
        header = HEADER.unpack(self._take(HEADER.size))
        assert header[0] == b"TEGU" and header[1] == 1, header
        return Message(header, self._take(header[5]))

    def request(self, kind, body=b"", descriptors=(), **fields):
        """The body of the reply. Raises Refused."""
        request_id = self.send(kind, body, descriptors, **fields)
        reply = self.receive()
        assert (reply.type, reply.request_id) == (kind | REPLY, request_id), (reply.type, reply.request_id)
        if reply.status != 0:
            raise reply.error()
        return reply.body

    def info(self):
        return named_values(self.request(INFO))

    def register(self, size, access):
        """(handle, descriptor) of a buffer of `size` bytes; the descriptor is the caller's to close."""
        fd = os.memfd_create("docs", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.posix_fallocate(fd, 0, size)
        reply = self.request(BUFFER_REGISTER, register_body(size, access), [fd])
        return struct.unpack_from("<Q", reply)[0], fd
