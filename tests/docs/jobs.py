# SPDX-License-Identifier: Apache-2.0
"""Jobs over every way that docs/protocol.md has for data: in the message or in a buffer, with gaps between
rows; the result in the reply or in a buffer."""

import os

import numpy

from connection import Client
from protocol import JOB, arrays_of, inline_data, job_body, operand, params_of

MOST_INLINE = 65536
BUFFER_BYTES = 4 << 20
GARBAGE = b"\xff"  # between rows: NaN, -1, the largest number


class Runner:
    """Runs jobs one after another; `how` says how the last one went."""

    def __init__(self, path, random, backend):
        self.client, self.random, self.backend, self.how = Client(path), random, backend, ""
        self.inputs = [self.client.register(BUFFER_BYTES, 0) for _ in range(2)]
        self.output = self.client.register(BUFFER_BYTES, 1)

    def close(self):
        self.client.close()
        for _, fd in self.inputs + [self.output]:
            os.close(fd)

    def _place(self, x, which):
        """Writes an array into a buffer; the operand that names it."""
        handle, fd = self.inputs[which]
        rows, cols = x.shape
        gap = int(self.random.choice([0, 0, 1, 7])) if rows > 0 else 0
        stride, offset = cols + gap, int(self.random.integers(0, 9)) * x.dtype.itemsize
        padded = numpy.frombuffer(bytearray(GARBAGE * (rows * stride * x.dtype.itemsize)), x.dtype)
        padded.reshape(rows, stride)[:, :cols] = x
        os.pwrite(fd, padded.tobytes(), offset)
        self.how += ", in a buffer at %d with a gap of %d" % (offset, gap)
        return operand(handle, offset, 0, stride if gap or self.random.random() < 0.5 else 0)

    def run(self, operation, arrays, axis, p):
        """{role: array}. Raises Refused."""
        self.how = ""
        x = arrays[0]
        word = "%s%d" % (x.dtype.kind, 8 * x.dtype.itemsize)
        in_message = [self.random.random() < 0.7 and len(inline_data(arrays)) <= MOST_INLINE for _ in arrays]
        operands = [operand() if in_message[i] else self._place(one, i) for i, one in enumerate(arrays)]
        data = inline_data([one for one, inside in zip(arrays, in_message) if inside])
        to_buffer = self.random.random() < 0.1 or self._is_long(operation, x, axis, p)
        handle, fd = self.output
        offset = 64 * int(self.random.integers(0, 3))
        output = (handle, offset, BUFFER_BYTES - offset) if to_buffer else (0, 0, 0)
        self.how += ", into a buffer" if to_buffer else ""
        params = params_of(operation, p)
        request = job_body(operation, word, x.shape, axis, params, operands, output, data, self.backend)
        body = self.client.request(JOB, request)
        return arrays_of(body, os.pread(fd, BUFFER_BYTES - offset, offset) if to_buffer else None)

    def _is_long(self, operation, x, axis, p):
        """Whether the result may be too long for a reply."""
        parts = p["parts"] if operation == "fused" else [(operation, p)]
        return sum(max_bytes(word, x, x.shape[0] if axis else 1, part) for word, part in parts) > 60000


def max_bytes(operation, x, rows, p):
    """Of a result, alignment included."""
    of_row = {
        "topk": 16 * p.get("k", 0),
        "histogram": 16 * p.get("bins", 0) + 8,
        "quantile": 8 * len(p.get("q", ())),
        "reduce": 16 * 8,
        "entropy": 8,
        "dot": 8,
    }
    of_all = rows * of_row[operation] if operation in of_row else x.size * max(x.dtype.itemsize, 4) + 8 * rows
    return of_all + 1024
