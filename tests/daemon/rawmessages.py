# SPDX-License-Identifier: Apache-2.0
"""The messages of tegud as bytes: their constants, makers of requests, and replies taken apart.

Written from docs/protocol.md alone, with the standard library alone: it shares no code with the daemon or the
client library, so that an error which both of those make shows here."""

import os
import struct

HEADER = struct.Struct("<4sBBHQIHBBQQ")
REPLY = 0x8000
EVENT, HELLO, PING, INFO, STATS = 0, 1, 2, 3, 4
BUFFER_REGISTER, BUFFER_CREATE, BUFFER_FREEZE, BUFFER_RELEASE, BUFFER_LIST = 5, 6, 7, 8, 9
JOB, CANCEL = 10, 11
HEALTH = 13
JOB_LIST, JOB_CANCEL = 15, 16
STATUS_WORDS = (
    "OK BAD_REQUEST UNSUPPORTED BAD_VERSION NOT_FOUND BAD_RANGE BAD_DESCRIPTOR TOO_LARGE OVER_QUOTA "
    "BUSY DEADLINE_EXCEEDED CANCELLED DENIED SHUTTING_DOWN DEVICE_LOST OUT_OF_MEMORY INTERNAL "
    "DUPLICATE_ID OVERFLOW EMPTY_INPUT UNAVAILABLE IO"
).split()
REDUCE, TOPK, ENTROPY_MAP, ADD, DOT, ROWSCALE, QUANTILE, HISTOGRAM, ENTROPY, FUSED = range(1, 11)
TWO_INPUTS = (ADD, DOT)
U8, I32, F32, F64 = 1, 6, 10, 11
TYPES = {1: "B", 2: "b", 3: "H", 4: "h", 5: "I", 6: "i", 7: "Q", 8: "q", 9: "e", 10: "f", 11: "d"}
SUM, MAX = 1, 4
VALUES, INDICES, MAP, DOT_PRODUCT, SCALES, QUANTILES, COUNTS, EDGES, ENTROPIES = (
    32,
    33,
    35,
    36,
    37,
    38,
    39,
    40,
    41,
)


def header(
    kind,
    request_id,
    body_bytes,
    descriptors=0,
    priority=None,
    deadline=0,
    magic=b"TEGU",
    version=1,
    status=0,
    reserved=0,
    reserved_tail=0,
):
    if priority is None:
        priority = 1 if kind == JOB else 0
    return HEADER.pack(
        magic,
        version,
        descriptors,
        kind,
        request_id,
        body_bytes,
        status,
        priority,
        reserved,
        deadline,
        reserved_tail,
    )


def frame(kind, request_id, body=b"", **fields):
    return header(kind, request_id, fields.pop("body_bytes", len(body)), **fields) + body


def hello_body(version_min=1, version_max=1, features=3, name=b"rawclient"):
    return struct.pack("<HHHHQ", version_min, version_max, len(name), 0, features) + name


def reduce_params(statistics=1 << SUM, ddof=0, skip_nans=0):
    return struct.pack("<IIB7x", statistics, ddof, skip_nans)


def topk_params(k, largest=1, distinct=0):
    return struct.pack("<QBB6x", k, largest, distinct)


def entropy_params(rows=3, cols=3, levels=16, has_range=0, lo=0.0, hi=0.0, base=0, border=0):
    return struct.pack("<IIIBBBxdd", rows, cols, levels, has_range, base, border, lo, hi)


def quantile_params(q=(0.5,), method=0, skip_nans=0, count=None):
    return struct.pack("<IBB2x", len(q) if count is None else count, method, skip_nans) + struct.pack(
        "<%dd" % len(q), *q
    )


def histogram_params(bins=10, has_range=0, lo=0.0, hi=0.0, skip_nans=0):
    return struct.pack("<IBB2xdd", bins, has_range, skip_nans, lo, hi)


def entropy_of_levels_params(levels=256, has_range=0, lo=0.0, hi=0.0, base=0, skip_nans=0):
    return struct.pack("<IBBBxdd", levels, has_range, base, skip_nans, lo, hi)


def fused_params(*parts, count=None):
    """`parts`: (operation, parameters)."""
    blocks = [struct.pack("<H6x", operation) + params for operation, params in parts]
    return struct.pack("<I4x", len(parts) if count is None else count) + b"".join(blocks)


def skip_nans_params(skip_nans=0):
    """dot and rowscale; add has eight zero bytes, the same."""
    return struct.pack("<B7x", skip_nans)


def default_params(operation):
    return {
        REDUCE: reduce_params(),
        TOPK: topk_params(1),
        ENTROPY_MAP: entropy_params(),
        ADD: skip_nans_params(),
        DOT: skip_nans_params(),
        ROWSCALE: skip_nans_params(),
        QUANTILE: quantile_params(),
        HISTOGRAM: histogram_params(),
        ENTROPY: entropy_of_levels_params(),
        FUSED: fused_params((REDUCE, reduce_params())),
    }.get(operation, b"")


def job_body(
    operation=REDUCE,
    kind=F32,
    rows=1,
    cols=4,
    params=None,
    data=b"",
    handle=0,
    offset=0,
    generation=0,
    stride=0,
    out=0,
    out_offset=0,
    out_capacity=0,
    axis=0,
    backend=0,
    reserved=0,
    params_bytes=None,
    second=(),
):
    """`second`: handle, offset, generation and stride of a second input, as far as they are not zero."""
    if params is None:
        params = default_params(operation)
    operands = struct.pack("<QQQQ", handle, offset, generation, stride)
    if operation in TWO_INPUTS:
        operands += struct.pack("<QQQQ", *(tuple(second) + (0, 0, 0, 0))[:4])
    return (
        struct.pack(
            "<HBBBBHQQ",
            operation,
            kind,
            axis,
            backend,
            reserved,
            len(params) if params_bytes is None else params_bytes,
            rows,
            cols,
        )
        + operands
        + struct.pack("<QQQ", out, out_offset, out_capacity)
        + params
        + data
    )


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


class Reply:
    def __init__(self, fields, body, fds):
        (
            _,
            self.version,
            self.descriptors,
            self.kind,
            self.request_id,
            _,
            self.status_number,
            _,
            _,
            self.retry_after_ns,
            _,
        ) = fields
        self.status = STATUS_WORDS[self.status_number]
        self.body = body
        self.fds = fds
        self.field = self.allowed = self.message = ""
        if self.status != "OK":
            lengths = struct.unpack_from("<HHH", body)
            texts, at = [], 8
            for length in lengths:
                texts.append(body[at : at + length].decode())
                at += length
            self.field, self.allowed, self.message = texts

    def close(self):
        """The descriptors that came with it. Whoever wants to keep one takes it out of fds."""
        while self.fds:
            os.close(self.fds.pop())

    __del__ = close

    @property
    def is_event(self):
        return self.kind == EVENT

    @property
    def handle(self):
        return struct.unpack_from("<Q", self.body)[0]

    def arrays(self):
        """role -> (rows, cols, values) of the reply to a JOB; for results in an output, values is the
        offset."""
        _, in_output, count, policy_bytes = struct.unpack_from("<BBHH", self.body)
        data = 32 + 32 * count + policy_bytes
        data += -data % 8
        result = {}
        for i in range(count):
            role, kind, rows, cols, offset = struct.unpack_from("<BB6xQQQ", self.body, 32 + 32 * i)
            values = (
                offset
                if in_output
                else struct.unpack_from("<%d%s" % (rows * cols, TYPES[kind]), self.body, data + offset)
            )
            result[role] = (rows, cols, values)
        return result

    def __repr__(self):
        return "<type 0x%04x id %d %s field=%r allowed=%r message=%r>" % (
            self.kind,
            self.request_id,
            self.status,
            self.field,
            self.allowed,
            self.message,
        )
