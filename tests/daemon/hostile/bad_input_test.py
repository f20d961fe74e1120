#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Input that means nothing, one test for each kind: the error names the field and what is allowed, comes
before any data is touched, and the connection goes on. What a client library refuses by itself because the
message cannot say it (inputs of two shapes or types, an output of another type, an axis that is not there) is
in tests/client; here is what such a message would look like."""

import struct
import unittest

from hostile_base import HostileTest  # first: finds the helpers
from rawclient import (
    ADD,
    DOT,
    ENTROPY,
    ENTROPY_MAP,
    F32,
    F64,
    FUSED,
    HISTOGRAM,
    I32,
    QUANTILE,
    REDUCE,
    ROWSCALE,
    SUM,
    TOPK,
    TWO_INPUTS,
    U8,
    entropy_of_levels_params,
    entropy_params,
    floats,
    fused_params,
    histogram_params,
    memfd,
    quantile_params,
    reduce_params,
    topk_params,
)

NAN, INFINITY = float("nan"), float("inf")
EVERY = (REDUCE, TOPK, ENTROPY_MAP, ADD, DOT, ROWSCALE, QUANTILE, HISTOGRAM, ENTROPY, FUSED)
BY_ROWS = tuple(operation for operation in EVERY if operation not in (ENTROPY_MAP, ADD))
I8, I64, U64, F16 = 2, 8, 7, 9


class BadInput(HostileTest):
    """A buffer of 4096 bytes that can be written, holding ones."""

    def setUp(self):
        super().setUp()
        self.connection = self.connect()
        self.buffer = self.connection.create(4096).handle

    def refuse(self, status, field, allowed="", **fields):
        reply = self.connection.job(**fields)
        self.assert_refused(reply, status, field)
        self.assertIn(allowed, reply.allowed, reply)
        self.assert_lives(self.connection)
        return reply

    def in_buffer(self, operation, **fields):
        second = (self.buffer,) if operation in TWO_INPUTS else ()
        return dict({"operation": operation, "handle": self.buffer, "second": second, "cols": 16}, **fields)

    def test_two_inputs_of_different_shape(self):
        for operation in TWO_INPUTS:
            self.refuse(
                "BAD_REQUEST",
                "data",
                "32",
                operation=operation,
                cols=4,
                data=floats(1, 2, 3, 4) + floats(1, 2, 3),
            )
            small = self.connection.create(32).handle
            self.refuse(
                "BAD_RANGE",
                "inputs[1].offset_bytes",
                "32 bytes",
                **self.in_buffer(operation, second=(small,)),
            )

    def test_two_inputs_of_different_type(self):
        for operation in TWO_INPUTS:
            self.refuse(
                "BAD_REQUEST",
                "data",
                operation=operation,
                kind=F32,
                cols=4,
                data=floats(1, 2, 3, 4) + struct.pack("<4d", 1, 2, 3, 4),
            )

    def test_output_that_is_too_small(self):
        for operation in EVERY:
            kind = U8 if operation == ENTROPY_MAP else F32
            fields = self.in_buffer(
                operation, kind=kind, rows=4, cols=4, out=self.buffer, out_offset=1024, out_capacity=1
            )
            reply = self.refuse("TOO_LARGE", "output.capacity_bytes", **fields)
            needed = int(reply.allowed.split()[0])
            self.refuse("TOO_LARGE", "output.capacity_bytes", **dict(fields, out_capacity=needed - 1))
            self.assertEqual(self.connection.job(**dict(fields, out_capacity=needed)).status, "OK", operation)

    def test_output_at_an_offset_that_suits_no_type(self):
        for operation in (ADD, TOPK, HISTOGRAM):
            self.refuse(
                "BAD_RANGE",
                "output.offset_bytes",
                "64",
                **self.in_buffer(operation, out=self.buffer, out_offset=1028, out_capacity=1024),
            )

    def test_output_that_is_read_only(self):
        read_only = self.connection.register(memfd(4096), 4096).handle
        for operation in EVERY:
            kind = U8 if operation == ENTROPY_MAP else F32
            self.refuse(
                "DENIED",
                "output.handle",
                "writing",
                **self.in_buffer(operation, kind=kind, out=read_only, out_capacity=4096),
            )

    def test_output_that_overlaps_an_input(self):
        for operation in EVERY:
            kind = U8 if operation == ENTROPY_MAP else F32
            fields = self.in_buffer(operation, kind=kind, cols=128, out=self.buffer, out_capacity=2048)
            self.refuse("BAD_RANGE", "output.offset_bytes", "not input", **dict(fields, out_offset=64))

    def test_q_outside_0_to_1(self):
        for q in (-0.001, 1.0000000001, 2.0, NAN, INFINITY, -INFINITY):
            self.refuse(
                "BAD_RANGE",
                "q",
                "0..1",
                operation=QUANTILE,
                data=floats(1, 2, 3, 4),
                params=quantile_params((0.5, q)),
            )
            self.refuse(
                "BAD_RANGE",
                "q",
                "0..1",
                operation=FUSED,
                data=floats(1, 2, 3, 4),
                params=fused_params((QUANTILE, quantile_params((q,)))),
            )
        self.assertIn(
            "1.0000000001",
            self.refuse(
                "BAD_RANGE",
                "q",
                operation=QUANTILE,
                data=floats(1, 2, 3, 4),
                params=quantile_params((1.0000000001,)),
            ).message,
        )

    def test_bins(self):
        for bins in (0, (1 << 20) + 1, (1 << 32) - 1):
            self.refuse(
                "BAD_RANGE",
                "bins",
                "1..1048576",
                operation=HISTOGRAM,
                data=floats(1, 2, 3, 4),
                params=histogram_params(bins),
            )

    def test_levels(self):
        for levels in (0, 1, 65537):
            self.refuse(
                "BAD_RANGE",
                "levels",
                "2..65536",
                operation=ENTROPY,
                data=floats(1, 2, 3, 4),
                params=entropy_of_levels_params(levels),
            )
        for levels in (0, 1, 257):
            self.refuse(
                "BAD_RANGE",
                "levels",
                "2..256",
                operation=ENTROPY_MAP,
                kind=U8,
                data=b"1234",
                params=entropy_params(levels=levels),
            )

    def test_ranges_that_are_reversed_or_no_numbers(self):
        for lo, hi in ((2, 1), (NAN, 1), (0, NAN), (0, INFINITY), (-INFINITY, 0)):
            for operation, params in (
                (HISTOGRAM, histogram_params(4, 1, lo, hi)),
                (ENTROPY, entropy_of_levels_params(4, 1, lo, hi)),
                (ENTROPY_MAP, entropy_params(has_range=1, lo=lo, hi=hi)),
            ):
                for kind in (F32, F64, I32):
                    self.refuse(
                        "BAD_RANGE",
                        "range",
                        "lo",
                        operation=operation,
                        kind=kind,
                        cols=2,
                        data=bytes(16 if kind == F64 else 8),
                        params=params,
                    )

    def test_range_without_elements_between(self):
        for operation, params in (
            (ENTROPY, entropy_of_levels_params(4, 1, 3, 3)),
            (ENTROPY_MAP, entropy_params(has_range=1, lo=3, hi=3)),
        ):
            self.refuse(
                "BAD_RANGE", "range", "lo", operation=operation, data=floats(1, 2, 3, 4), params=params
            )

    def test_row_stride_that_is_shorter_than_a_row(self):
        for operation in EVERY:
            kind = U8 if operation == ENTROPY_MAP else F32
            self.refuse(
                "BAD_RANGE",
                "inputs[0].row_stride",
                "at least 8",
                **self.in_buffer(operation, kind=kind, rows=2, cols=8, stride=7),
            )
        for operation in TWO_INPUTS:
            self.refuse(
                "BAD_RANGE",
                "inputs[1].row_stride",
                "at least 8",
                **self.in_buffer(operation, rows=2, cols=8, second=(self.buffer, 0, 0, 7)),
            )

    def test_axis_that_is_not_there(self):
        for operation in EVERY:
            kind = U8 if operation == ENTROPY_MAP else F32
            for axis in (2, 255):
                self.refuse("BAD_RANGE", "axis", "0", **self.in_buffer(operation, kind=kind, axis=axis))
        for operation in set(EVERY) - set(BY_ROWS):
            self.refuse("BAD_REQUEST", "axis", "whole", **self.in_buffer(operation, axis=1))

    def test_types_without_a_meaning(self):
        for operation in EVERY:
            for kind in (0, 12, 255):
                self.refuse("UNSUPPORTED", "type", **self.in_buffer(operation, kind=kind))
        for kind in (U8, I8, I32, I64, U64):
            self.refuse("UNSUPPORTED", "type", "f16, f32, f64", **self.in_buffer(ROWSCALE, kind=kind))

    def test_integer_results_that_do_not_fit(self):
        big = {
            I8: struct.pack("<2b", 1, 127),
            I32: struct.pack("<2i", 1, (1 << 31) - 1),
            I64: struct.pack("<2q", 1, (1 << 63) - 1),
            U64: struct.pack("<2Q", 1, (1 << 64) - 1),
            U8: b"\1\xff",
        }
        for kind, data in big.items():
            padded = data + bytes(-len(data) % 8)
            self.refuse("OVERFLOW", "values", operation=ADD, kind=kind, cols=2, data=padded + data)
        for kind in (I64, U64):
            self.refuse("OVERFLOW", "dot", operation=DOT, kind=kind, cols=2, data=big[kind] * 2)
            self.refuse(
                "OVERFLOW",
                "sum",
                operation=REDUCE,
                kind=kind,
                cols=2,
                data=big[kind],
                params=reduce_params(1 << SUM),
            )

    def test_quantities_of_top_k(self):
        for k in (0, 5, (1 << 64) - 1):
            self.refuse(
                "BAD_RANGE", "k", "1..4", operation=TOPK, data=floats(1, 2, 3, 4), params=topk_params(k)
            )

    def test_it_is_known_before_any_data_is_touched(self):
        computed = [self.stats()[name] for name in ("jobs_total", "compute_ns_total", "bytes_read_total")]
        self.refuse("BAD_RANGE", "bins", **self.in_buffer(HISTOGRAM, params=histogram_params(0)))
        self.refuse("BAD_RANGE", "k", **self.in_buffer(TOPK, params=topk_params(17)))
        self.refuse("BAD_RANGE", "q", **self.in_buffer(QUANTILE, params=quantile_params((2.0,))))
        self.assertEqual(
            [self.stats()[name] for name in ("jobs_total", "compute_ns_total", "bytes_read_total")], computed
        )


if __name__ == "__main__":
    unittest.main()
