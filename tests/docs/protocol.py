# SPDX-License-Identifier: Apache-2.0
"""The protocol of tegud: its lists, requests and replies as bytes. Written from docs/protocol.md alone."""

import struct

import numpy

HEADER = struct.Struct("<4sBBHQIHBBQQ")
REPLY = 0x8000
EVENT, HELLO, PING, INFO, STATS = range(5)
BUFFER_REGISTER, BUFFER_CREATE, BUFFER_FREEZE, BUFFER_RELEASE, BUFFER_LIST, JOB, CANCEL = range(5, 12)
HEALTH = 13
STATUSES = """OK BAD_REQUEST UNSUPPORTED BAD_VERSION NOT_FOUND BAD_RANGE BAD_DESCRIPTOR TOO_LARGE OVER_QUOTA
              BUSY DEADLINE_EXCEEDED CANCELLED DENIED SHUTTING_DOWN DEVICE_LOST OUT_OF_MEMORY INTERNAL
              DUPLICATE_ID OVERFLOW EMPTY_INPUT UNAVAILABLE IO""".split()
OPERATIONS = "reduce topk entropy_map add dot rowscale quantile histogram entropy fused".split()  # from 1
TYPES = {
    "u8": "<u1",
    "i8": "<i1",
    "u16": "<u2",
    "i16": "<i2",
    "u32": "<u4",
    "i32": "<i4",
    "u64": "<u8",
    "i64": "<i8",
    "f16": "<f2",
    "f32": "<f4",
    "f64": "<f8",
}  # numbered from 1
WORDS = list(TYPES)
# bits from 0, and roles from 1
STATISTICS = "count sum mean min max minmax argmin argmax absmax l1 l2 var std nonzero nans".split()
OTHER_ROLES = "values indices counts map dot scales quantiles histogram edges entropy".split()  # from 32
ROLES = dict([*enumerate(STATISTICS, 1), *enumerate(OTHER_ROLES, 32)])
METHODS = "linear lower higher nearest midpoint".split()
BASES = {"2": 0, "e": 1}
BORDERS = {"clip": 0, "mirror": 1}


def hello_body(low=1, high=1, name=b"docs", reserved=0, features=3):
    return struct.pack("<HHHHQ", low, high, len(name), reserved, features) + name


def register_body(size, access):
    return struct.pack("<QB7x", size, access)


def fused_params(parts):
    blocks = [struct.pack("<H6x", OPERATIONS.index(word) + 1) + params_of(word, p) for word, p in parts]
    return struct.pack("<I4x", len(parts)) + b"".join(blocks)


def params_of(operation, p):
    """The parameters of an operation, from a dictionary of their names."""
    skip = int(p.get("skip_nans", False))
    base = BASES[p.get("base", "2")]
    has_range, (lo, hi) = int("range" in p), p.get("range", (0.0, 0.0))
    if operation == "reduce":
        members = sum(1 << STATISTICS.index(word) for word in p["statistics"])
        return struct.pack("<IIB7x", members, p.get("ddof", 0), skip)
    if operation == "topk":
        return struct.pack("<QBB6x", p["k"], int(p.get("largest", True)), int(p.get("distinct", False)))
    if operation == "entropy_map":
        sizes = p["window_rows"], p["window_cols"], p["levels"]
        return struct.pack("<IIIBBBxdd", *sizes, has_range, base, BORDERS[p["border"]], lo, hi)
    if operation == "add":
        return bytes(8)
    if operation in ("dot", "rowscale"):
        return struct.pack("<B7x", skip)
    if operation == "quantile":
        q, method = p["q"], METHODS.index(p.get("method", "linear"))
        return struct.pack("<IBB2x%dd" % len(q), len(q), method, skip, *q)
    if operation == "histogram":
        return struct.pack("<IBB2xdd", p["bins"], has_range, skip, lo, hi)
    if operation == "entropy":
        return struct.pack("<IBBBxdd", p["levels"], has_range, base, skip, lo, hi)
    return fused_params(p["parts"])


def operand(handle=0, offset=0, generation=0, stride=0):
    return struct.pack("<QQQQ", handle, offset, generation, stride)


def job_body(operation, word, shape, axis, params, operands, output=(0, 0, 0), data=b"", backend=0):
    numbers = OPERATIONS.index(operation) + 1, WORDS.index(word) + 1, axis, backend, 0, len(params)
    fixed = struct.pack("<HBBBBHQQ", *numbers, *shape)
    return fixed + b"".join(operands) + struct.pack("<QQQ", *output) + params + data


def inline_data(arrays):
    """The data of operands in the message: each at a multiple of 8."""
    blob = b""
    for one in arrays:
        blob += bytes(-len(blob) % 8) + one.tobytes()
    return blob


def arrays_of(body, output=None):
    """{role: array of rows x cols} of the reply to a JOB. `output`: the bytes of the output operand, if the
    result is there."""
    _, in_output, count, policy_bytes = struct.unpack_from("<BBHH", body)
    assert (output is not None) == bool(in_output)
    start = 32 + 32 * count + policy_bytes
    data = body[start + -start % 8 :] if output is None else output
    result = {}
    for i in range(count):
        role, kind, rows, cols, offset = struct.unpack_from("<BB6xQQQ", body, 32 + 32 * i)
        assert offset % (8 if output is None else 64) == 0, offset
        values = numpy.frombuffer(data, TYPES[WORDS[kind - 1]], rows * cols, offset)
        result[ROLES[role]] = values.reshape(rows, cols)
    return result


def named_values(body):
    """{name: value} of the reply to INFO or STATS."""
    result, at = {}, 8
    for _ in range(struct.unpack_from("<H", body)[0]):
        kind, name_bytes, value_bytes = struct.unpack_from("<BBH", body, at)
        begin = at + 4 + name_bytes
        value = body[begin : begin + value_bytes]
        name = body[at + 4 : begin].decode()
        result[name] = value.decode() if kind == 2 else struct.unpack("<Q" if kind == 0 else "<d", value)[0]
        at = begin + value_bytes
    return result


class Refused(Exception):
    """An error reply, or an EVENT."""

    def __init__(self, status, body):
        lengths = struct.unpack_from("<HHH", body)
        texts, at = [], 8
        for length in lengths:
            texts.append(body[at : at + length].decode())
            at += length
        self.status = STATUSES[status]
        self.field, self.allowed, self.message = texts
        Exception.__init__(self, "%s %s: %s; allowed: %s" % (self.status, texts[0], texts[2], texts[1]))
