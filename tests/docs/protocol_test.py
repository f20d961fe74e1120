#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/protocol.md promises about errors and framing, against a private tegud: status and field, whether
the connection lives on, and in which order answers come. Results are tested by numerics_test.py.

Skipped (77) where numpy is not installed and cannot be fetched (tests/peers.py)."""

import os
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "daemon")]
import peers  # noqa: E402

peers.go_on_with("numpy")
try:
    import numpy  # noqa: F401

    if not hasattr(os, "memfd_create"):
        raise ImportError("Python before 3.8")
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

import rawclient  # noqa: E402
from connection import Client, Closed  # noqa: E402
from protocol import (  # noqa: E402
    BUFFER_REGISTER,
    CANCEL,
    EVENT,
    HEALTH,
    HELLO,
    JOB,
    OPERATIONS,
    PING,  # noqa: E402
    REPLY,
    Refused,
    hello_body,
    job_body,
    operand,
    params_of,
    register_body,
)

WITH_RANGE = {"levels": 4, "bins": 4, "range": (0, 4)}
PARAMS = {
    "reduce": {"statistics": ["sum"]},
    "topk": {"k": 1},
    "add": {},
    "dot": {},
    "rowscale": {},
    "entropy_map": dict(WITH_RANGE, window_rows=3, window_cols=3, border="clip"),
    "quantile": {"q": [0.5]},
    "histogram": WITH_RANGE,
    "entropy": WITH_RANGE,
    "fused": {"parts": [("reduce", {"statistics": ["sum"]})]},
}
TWO_INPUTS = ("add", "dot")
OPERAND = 24  # where the first one begins in a JOB


def params_at(operation):
    """Where the parameters of valid_job() begin."""
    return OPERAND + (64 if operation in TWO_INPUTS else 32) + 24


def valid_job(operation):
    """The body of a job that is all right: 1 x 3 f32 in the message."""
    inputs, data = 1, struct.pack("<3f", 1, 2, 3)
    if operation in TWO_INPUTS:
        inputs, data = 2, data + bytes(4) + data
    params = params_of(operation, PARAMS[operation])
    return bytearray(job_body(operation, "f32", (1, 3), 0, params, [operand()] * inputs, data=data))


def changed(operation, at, data):
    """valid_job() with other bytes at an offset."""
    body = valid_job(operation)
    body[at : at + len(data)] = data
    return body


class Protocol(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = rawclient.Daemon()

    @classmethod
    def tearDownClass(cls):
        code = cls.daemon.stop()
        assert code == 0, code

    def connect(self, **options):
        client = Client(self.daemon.path, **options)
        self.addCleanup(client.close)
        return client

    def memfd(self):
        fd = os.memfd_create("docs", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self.addCleanup(os.close, fd)
        return fd

    def error_of(self, client, kind, body, **fields):
        with self.assertRaises(Refused) as caught:
            client.request(kind, bytes(body), **fields)
        return caught.exception

    def assert_refused(self, client, kind, body, wanted, field, **fields):
        """An error that is answered: the connection lives on."""
        error = self.error_of(client, kind, body, **fields)
        self.assertEqual((error.status, error.field), (wanted, field), error)
        self.assertEqual(client.request(PING, b"still there"), b"still there")

    def assert_job_refused(self, client, operation, at, data, wanted, field):
        self.assert_refused(client, JOB, changed(operation, at, data), wanted, field)

    def assert_ends(self, client, status, field):
        """A framing error: an EVENT, then the end."""
        event = client.receive()
        self.assertEqual((event.type, event.request_id), (EVENT, 0))
        error = event.error()
        self.assertEqual((error.status, error.field), (status, field), error)
        with self.assertRaises(Closed):
            client.receive()


class Numbers(Protocol):
    """Numbers that are not in the list of their field."""

    def test_valid_jobs_are_done(self):
        client = self.connect()
        for operation in OPERATIONS:
            client.request(JOB, bytes(valid_job(operation)))

    def test_of_a_closed_list(self):
        own = {
            "reduce": {8: "skip_nans", 9: "partial", 10: "last"},
            "topk": {8: "largest", 9: "distinct"},
            "dot": {0: "skip_nans", 1: "partial", 2: "last"},
            "entropy_map": {12: "has_range", 13: "base", 14: "border"},
            "rowscale": {0: "skip_nans"},
            "quantile": {4: "method", 5: "skip_nans"},
            "histogram": {4: "has_range", 5: "skip_nans"},
            "entropy": {4: "has_range", 5: "base", 6: "skip_nans", 7: "partial"},
        }
        client = self.connect()
        for value in (b"\5", b"\xff"):
            for operation, fields in own.items():
                self.assert_job_refused(client, operation, 3, value, "BAD_RANGE", "axis")
                self.assert_job_refused(client, operation, 4, value, "BAD_RANGE", "backend")
                for place, field in fields.items():
                    at = params_at(operation) + place
                    self.assert_job_refused(client, operation, at, value, "BAD_RANGE", field)
        self.assert_refused(client, JOB, valid_job("reduce"), "BAD_RANGE", "priority", priority=3)
        self.assert_refused(client, HEALTH, b"\3" + bytes(7), "BAD_RANGE", "form")
        request, memfd = register_body(4096, 2), [self.memfd()]
        self.assert_refused(client, BUFFER_REGISTER, request, "BAD_RANGE", "access", descriptors=memfd)

    def test_of_a_list_that_grows(self):
        client = self.connect()
        self.assert_refused(client, 99, b"", "UNSUPPORTED", "type")
        self.assert_job_refused(client, "reduce", 0, struct.pack("<H", 99), "UNSUPPORTED", "operation")
        for kind in (0, 12, 255):
            self.assert_job_refused(client, "reduce", 2, bytes([kind]), "UNSUPPORTED", "type")
        members = struct.pack("<I", 1 << 15)
        self.assert_job_refused(client, "reduce", params_at("reduce"), members, "UNSUPPORTED", "statistics")
        for part in (3, 4, 10, 99):
            number = struct.pack("<H", part)
            self.assert_job_refused(client, "fused", params_at("fused") + 8, number, "UNSUPPORTED", "parts")


class Zeroes(Protocol):
    """Bytes that must be zero."""

    def test_reserved_bytes_of_bodies(self):
        reserved = {
            "reduce": [11],
            "topk": range(10, 16),
            "entropy_map": [15],
            "add": range(8),
            "dot": [3],
            "rowscale": range(1, 8),
            "quantile": [6, 7],
            "histogram": [6, 7],
            "fused": [4, 5, 6, 7, 10, 15],
        }
        client = self.connect()
        for operation, places in reserved.items():
            for at in [5] + [params_at(operation) + place for place in places]:
                self.assert_job_refused(client, operation, at, b"\1", "BAD_REQUEST", "reserved")
        self.assert_refused(client, HEALTH, b"\1\1" + bytes(6), "BAD_REQUEST", "reserved")
        self.assert_refused(client, CANCEL, bytes(7), "BAD_REQUEST", "body")

    def test_place_without_partial(self):
        client = self.connect()
        for operation, last, offset in (("reduce", 10, 12), ("dot", 2, 4)):
            at = params_at(operation)
            self.assert_job_refused(client, operation, at + last, b"\1", "BAD_REQUEST", "last")
            self.assert_job_refused(client, operation, at + offset, b"\1", "BAD_REQUEST", "offset")

    def test_partial_without_its_feature(self):
        client = self.connect()
        for operation, partial in (("reduce", 9), ("dot", 1), ("entropy", 7)):
            at = params_at(operation) + partial
            self.assert_job_refused(client, operation, at, b"\1", "UNSUPPORTED", "features")

    def test_limits_without_a_range(self):
        client = self.connect()
        for operation, has_range in (("entropy_map", 12), ("histogram", 4), ("entropy", 4)):
            at = params_at(operation) + has_range
            self.assert_job_refused(client, operation, at, b"\0", "BAD_REQUEST", "reserved")

    def test_reserved_bytes_of_the_header(self):
        for field in ("reserved", "reserved_tail"):
            client = self.connect()
            client.send(PING, **{field: 1})
            self.assert_ends(client, "BAD_REQUEST", "reserved")

    def test_fields_of_the_header(self):
        client = self.connect()
        for field in ("status", "priority", "deadline_ns"):
            self.assert_refused(client, PING, b"", "BAD_REQUEST", field, **{field: 1})

    def test_fields_of_operands_in_the_message(self):
        fields = {
            OPERAND + 8: "inputs[0].offset_bytes",
            OPERAND + 16: "inputs[0].generation",
            OPERAND + 24: "inputs[0].row_stride",
            OPERAND + 40: "output.offset_bytes",
            OPERAND + 48: "output.capacity_bytes",
        }
        client = self.connect()
        for at, field in fields.items():
            self.assert_job_refused(client, "reduce", at, b"\x40", "BAD_RANGE", field)
        client.request(JOB, bytes(changed("reduce", OPERAND + 24, b"\3")))  # a row_stride of cols

    def test_padding_between_operands(self):
        client, body = self.connect(), valid_job("dot")
        padding = len(body) - 16
        for at in range(padding, padding + 4):
            self.assert_job_refused(client, "dot", at, b"\1", "BAD_REQUEST", "padding")
        self.assert_refused(client, JOB, body + bytes(4), "BAD_REQUEST", "data")  # none after the last one
        del body[padding : padding + 4]
        self.assert_refused(client, JOB, body, "BAD_REQUEST", "data")
        large = struct.pack("<QQ", 1 << 20, 1)
        self.assert_job_refused(client, "reduce", 8, large, "TOO_LARGE", "data")


class Hello(Protocol):
    def test_malformed_ones_may_be_repeated(self):
        client = self.connect(hello=False)
        for body, status, field in (
            (hello_body(2, 1), "BAD_RANGE", "version_min"),
            (hello_body(name=b"\n"), "BAD_REQUEST", "name"),
            (hello_body(name=b"x" * 65), "TOO_LARGE", "name"),
            (hello_body(reserved=1), "BAD_REQUEST", "reserved"),
            (hello_body()[:15], "BAD_REQUEST", "body"),
            (hello_body() + b"y", "BAD_REQUEST", "body"),
        ):
            error = self.error_of(client, HELLO, body)
            self.assertEqual((error.status, error.field), (status, field), error)
        client.request(HELLO, hello_body())
        self.assert_refused(client, HELLO, hello_body(), "BAD_REQUEST", "type")

    def test_no_version_in_common(self):
        for low, high in ((2, 9), (0, 0)):
            client = self.connect(hello=False)
            error = self.error_of(client, HELLO, hello_body(low, high))
            self.assertEqual((error.status, error.allowed), ("BAD_VERSION", "1..1"))
            with self.assertRaises(Closed):
                client.receive()

    def test_the_highest_version_in_common(self):
        reply = self.connect(hello=False).request(HELLO, hello_body(0, 65535))
        self.assertEqual(struct.unpack_from("<H", reply)[0], 1)

    def test_something_else_first(self):
        client = self.connect(hello=False)
        client.send(PING)
        self.assert_ends(client, "BAD_REQUEST", "type")


class Framing(Protocol):
    def test_errors_that_end_the_connection(self):
        for fields, status, field in (
            ({"magic": b"UGET"}, "BAD_REQUEST", "magic"),
            ({"version": 2}, "BAD_VERSION", "version"),
            ({"request_id": 0}, "BAD_REQUEST", "request_id"),
            ({"body_bytes": 81921}, "TOO_LARGE", "body_bytes"),
            ({"announced": 2}, "BAD_DESCRIPTOR", "descriptors"),
            ({"kind": PING | REPLY}, "BAD_REQUEST", "type"),
        ):
            client = self.connect()
            client.send(**dict({"kind": PING}, **fields))
            self.assert_ends(client, status, field)

    def test_a_descriptor_that_was_announced_and_did_not_come(self):
        for kind, body in ((BUFFER_REGISTER, register_body(4096, 0)), (PING, b"")):
            client = self.connect()
            client.send(kind, body, announced=1)
            self.assert_ends(client, "BAD_DESCRIPTOR", "descriptors")

    def test_a_message_that_announces_another_number_than_its_type_takes(self):
        client, memfd = self.connect(), [self.memfd()]
        self.assert_refused(client, BUFFER_REGISTER, register_body(4096, 0), "BAD_DESCRIPTOR", "descriptors")
        self.assert_refused(client, PING, b"", "BAD_DESCRIPTOR", "descriptors", descriptors=memfd)

    def test_a_descriptor_that_no_header_announces(self):
        memfd = [self.memfd()]
        client = self.connect()
        client.send(PING, b"", memfd, announced=0)
        self.assertEqual(client.receive().type, PING | REPLY)  # it was whole, so it is answered before
        self.assert_ends(client, "BAD_DESCRIPTOR", "descriptors")
        client = self.connect()
        client.send(PING, b"", memfd, announced=0, body_bytes=1)  # it is not whole
        self.assert_ends(client, "BAD_DESCRIPTOR", "descriptors")

    def test_two_descriptors_at_once(self):
        client = self.connect()
        client.send(BUFFER_REGISTER, b"", [self.memfd(), self.memfd()], announced=1, body_bytes=16)
        self.assert_ends(client, "BAD_DESCRIPTOR", "descriptors")


if __name__ == "__main__":
    unittest.main()
