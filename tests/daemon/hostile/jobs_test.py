#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests that are framed rightly and wrong in every other way: each is answered with the field, and the
connection lives on."""

import struct
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import (
    ENTROPY_MAP,
    F32,
    F64,
    I32,
    TOPK,
    U8,
    entropy_params,
    job_body,
    reduce_params,
    topk_params,
)

NAN, INFINITY = float("nan"), float("inf")
SIXTEEN = bytes(16)


class Headers(HostileTest):
    def refuse(self, word, field, kind, body=b"", **fields):
        connection = self.connect()
        self.assert_refused(connection.request(kind, body, **fields), word, field)
        self.assert_lives(connection)

    def test_unknown_type(self):
        for kind in (17, 999, 0x7FFF):
            self.refuse("UNSUPPORTED", "type", kind, b"whatever")

    def test_status_in_a_request(self):
        self.refuse("BAD_REQUEST", "status", rawclient.PING, status=3)
        self.refuse("BAD_REQUEST", "status", rawclient.PING, status=65535)

    def test_priority(self):
        self.refuse("BAD_RANGE", "priority", rawclient.JOB, job_body(data=SIXTEEN), priority=3)
        self.refuse("BAD_REQUEST", "priority", rawclient.PING, priority=1)

    def test_deadline_where_none_belongs(self):
        self.refuse("BAD_REQUEST", "deadline_ns", rawclient.INFO, deadline=1)

    def test_descriptor_is_missing(self):
        self.refuse("BAD_DESCRIPTOR", "descriptors", rawclient.BUFFER_REGISTER, struct.pack("<QB7x", 4096, 0))

    def test_bodies_of_the_wrong_length(self):
        bodies = {
            rawclient.INFO: 0,
            rawclient.STATS: 0,
            rawclient.BUFFER_LIST: 0,
            rawclient.BUFFER_CREATE: 8,
            rawclient.BUFFER_FREEZE: 8,
            rawclient.BUFFER_RELEASE: 8,
            rawclient.CANCEL: 8,
        }
        connection = self.connect()
        for kind, right in bodies.items():
            for size in {0, 1, 7, 8, 9, 4000} - {right}:
                reply = connection.request(kind, b"\1" * size)
                self.assertEqual(reply.status, "BAD_REQUEST", (kind, size, reply))
        self.assert_lives(connection)


class Shapes(HostileTest):
    """JOB bodies with data in the message."""

    def refuse(self, status, field, **fields):
        fields.setdefault("data", SIXTEEN)
        connection = self.connect()
        self.assert_refused(connection.job(**fields), status, field)
        self.assert_lives(connection)

    def test_operation(self):
        for operation in (0, 11, 65535):
            self.refuse("UNSUPPORTED", "operation", operation=operation)

    def test_element_type(self):
        for kind in (0, 12, 255):
            self.refuse("UNSUPPORTED", "type", kind=kind)

    def test_axis_and_backend(self):
        self.refuse("BAD_RANGE", "axis", axis=2)
        self.refuse("BAD_RANGE", "backend", backend=3)
        self.refuse("UNSUPPORTED", "backend", backend=2)

    def test_reserved_byte(self):
        self.refuse("BAD_REQUEST", "reserved", reserved=1)

    def test_length_of_parameters(self):
        for size in (0, 8, 15, 17, 65535):
            self.refuse("BAD_REQUEST", "params_bytes", params_bytes=size)

    def test_data_and_shape_disagree(self):
        for data in (b"", bytes(15), bytes(17), bytes(4096)):
            self.refuse("BAD_REQUEST", "data", data=data)

    def test_products_that_wrap(self):
        for rows, cols in (
            (1 << 32, 1 << 32),
            (1 << 62, 4),
            ((1 << 64) - 1, (1 << 64) - 1),
            (1, (1 << 62) + 4),
            (1 << 63, 2),
        ):
            self.refuse("TOO_LARGE", "data", rows=rows, cols=cols)

    def test_data_over_the_inline_limit(self):
        self.refuse("TOO_LARGE", "data", cols=16385, data=bytes(65540))

    def test_operand_of_inline_data(self):
        self.refuse("BAD_RANGE", "inputs[0].offset_bytes", offset=8)
        self.refuse("BAD_RANGE", "inputs[0].generation", generation=1)
        self.refuse("BAD_RANGE", "inputs[0].row_stride", stride=5)

    def test_output_that_is_nowhere(self):
        self.refuse("BAD_RANGE", "output.offset_bytes", out_offset=64)
        self.refuse("BAD_RANGE", "output.capacity_bytes", out_capacity=64)
        self.refuse("NOT_FOUND", "output.handle", out=99, out_capacity=4096)

    def test_body_is_cut_anywhere(self):
        connection = self.connect()
        whole = job_body(data=SIXTEEN)
        for size in range(len(whole)):
            self.assertEqual(connection.request(rawclient.JOB, whole[:size]).status, "BAD_REQUEST", size)
        self.assert_lives(connection)


class Parameters(HostileTest):
    def refuse(self, status, field, **fields):
        connection = self.connect()
        self.assert_refused(connection.job(**fields), status, field)
        self.assert_lives(connection)

    def reduce(self, status, field, **params):
        self.refuse(status, field, data=SIXTEEN, params=reduce_params(**params))

    def topk(self, status, field, *params):
        self.refuse(status, field, operation=TOPK, kind=I32, data=SIXTEEN, params=topk_params(*params))

    def entropy(self, status, field, kind=U8, axis=0, **params):
        data = bytes(64 * {U8: 1, I32: 4, F32: 4}[kind])
        self.refuse(
            status,
            field,
            operation=ENTROPY_MAP,
            kind=kind,
            axis=axis,
            rows=8,
            cols=8,
            data=data,
            params=entropy_params(**params),
        )

    def test_statistics(self):
        self.reduce("UNSUPPORTED", "statistics", statistics=1 << 15)
        self.reduce("UNSUPPORTED", "statistics", statistics=(1 << 32) - 1)
        self.assertEqual(self.connect().job(data=SIXTEEN, params=reduce_params(0)).field, "statistics")

    def test_ddof(self):
        for ddof in (2, (1 << 32) - 1):
            self.reduce("BAD_RANGE", "ddof", statistics=1 << 11, ddof=ddof)

    def test_truth_values(self):
        self.reduce("BAD_RANGE", "skip_nans", skip_nans=2)
        self.topk("BAD_RANGE", "largest", 1, 2)
        self.topk("BAD_RANGE", "distinct", 1, 1, 255)

    def test_k(self):
        for k in (0, 5, 1 << 32, 1 << 63, (1 << 64) - 1):
            self.topk("BAD_RANGE", "k", k)

    def test_k_is_counted_within_a_row(self):
        self.refuse(
            "BAD_RANGE",
            "k",
            operation=TOPK,
            kind=I32,
            rows=2,
            cols=2,
            axis=1,
            data=SIXTEEN,
            params=topk_params(3),
        )

    def test_window(self):
        for size in (0, 1, 2, 4, 64, 65, (1 << 32) - 1):
            self.entropy("BAD_RANGE", "window_rows", rows=size)
            self.entropy("BAD_RANGE", "window_cols", cols=size)

    def test_levels(self):
        for levels in (0, 1, 257, (1 << 32) - 1):
            self.entropy("BAD_RANGE", "levels", levels=levels)

    def test_range(self):
        for lo, hi in ((NAN, 1), (0, NAN), (NAN, NAN), (0, INFINITY), (-INFINITY, 0), (1, 1), (2, 1)):
            connection = self.connect()
            reply = connection.job(
                operation=ENTROPY_MAP,
                kind=F32,
                rows=8,
                cols=8,
                data=bytes(256),
                params=entropy_params(has_range=1, lo=lo, hi=hi),
            )
            self.assert_refused(reply, "BAD_RANGE", "range")
            self.assert_lives(connection)

    def test_range_without_the_flag(self):
        self.entropy("BAD_REQUEST", "reserved", has_range=0, lo=1.0)

    def test_base_and_border(self):
        self.entropy("BAD_RANGE", "base", base=2)
        self.entropy("BAD_RANGE", "border", border=2)

    def test_entropy_map_of_rows(self):
        connection = self.connect()
        reply = connection.job(operation=ENTROPY_MAP, kind=U8, axis=1, rows=8, cols=8, data=bytes(64))
        self.assertIn(reply.status, ("UNSUPPORTED", "BAD_REQUEST"), reply)
        self.assertEqual(reply.field, "axis", reply)
        self.assert_lives(connection)

    def test_empty_input(self):
        connection = self.connect()
        self.assertEqual(
            connection.job(cols=0, params=reduce_params(1 << rawclient.MAX)).status, "EMPTY_INPUT"
        )
        self.assertEqual(
            connection.job(cols=0, params=reduce_params(1 << rawclient.SUM)).arrays()[2][2], (0.0,)
        )
        self.assert_lives(connection)


class Handles(HostileTest):
    """JOB bodies that name a buffer of 4096 bytes wrongly."""

    def setUp(self):
        super().setUp()
        self.connection = self.connect()
        reply = self.connection.create(4096)
        self.assertEqual(reply.status, "OK", reply)
        self.buffer = reply.handle

    def refuse(self, status, field, **fields):
        fields.setdefault("handle", self.buffer)
        reply = self.connection.job(**fields)
        self.assert_refused(reply, status, field)
        self.assert_lives(self.connection)
        return reply

    def test_unknown_handle(self):
        for handle in (self.buffer + 1, self.buffer + 1000, 1 << 63, (1 << 64) - 1):
            self.refuse("NOT_FOUND", "inputs[0].handle", handle=handle)

    def test_handle_of_another_connection(self):
        other = self.connect()
        self.assert_refused(other.job(handle=self.buffer, cols=4), "NOT_FOUND", "inputs[0].handle")
        self.assert_refused(other.named(rawclient.BUFFER_RELEASE, self.buffer), "NOT_FOUND", "handle")
        self.assert_refused(other.named(rawclient.BUFFER_FREEZE, self.buffer), "NOT_FOUND", "handle")
        self.assertEqual(self.connection.job(handle=self.buffer, cols=4).status, "OK")

    def test_released_handle(self):
        self.assertEqual(self.connection.named(rawclient.BUFFER_RELEASE, self.buffer).status, "OK")
        self.refuse("NOT_FOUND", "inputs[0].handle")
        self.assert_refused(
            self.connection.named(rawclient.BUFFER_RELEASE, self.buffer), "NOT_FOUND", "handle"
        )

    def test_shape_beyond_the_buffer(self):
        for rows, cols in ((1, 1025), (1025, 1), (1 << 31, 1 << 20)):
            self.refuse("BAD_RANGE", "inputs[0].offset_bytes", rows=rows, cols=cols)

    def test_shape_whose_size_wraps(self):
        for rows, cols in ((1 << 32, 1 << 32), (1 << 62, 4), (1, 1 << 62), ((1 << 64) - 1, 2), (1 << 61, 2)):
            reply = self.connection.job(handle=self.buffer, rows=rows, cols=cols)
            self.assertIn(reply.status, ("BAD_RANGE", "TOO_LARGE"), reply)
            self.assertIn(reply.field, ("rows", "cols", "inputs[0].offset_bytes"), reply)
        self.assert_lives(self.connection)

    def test_offset_beyond_the_buffer(self):
        for offset in (4084, 4096, 1 << 32, 1 << 63, (1 << 64) - 4, (1 << 64) - 16):
            self.refuse("BAD_RANGE", "inputs[0].offset_bytes", offset=offset, cols=4)
        self.assertEqual(self.connection.job(handle=self.buffer, offset=4080, cols=4).status, "OK")

    def test_offset_that_is_not_aligned(self):
        self.refuse("BAD_RANGE", "inputs[0].offset_bytes", offset=2, cols=4)

    def test_row_stride(self):
        self.refuse("BAD_RANGE", "inputs[0].row_stride", rows=2, cols=4, stride=3)
        for stride in (1021, 1 << 61, 1 << 62, (1 << 64) - 1):
            self.refuse("BAD_RANGE", "inputs[0].offset_bytes", rows=2, cols=4, stride=stride)
        self.refuse("BAD_RANGE", "inputs[0].offset_bytes", rows=1 << 40, cols=4, stride=1 << 40)
        self.assertEqual(self.connection.job(handle=self.buffer, rows=2, cols=4, stride=1020).status, "OK")

    def test_data_beside_a_handle(self):
        self.refuse("BAD_REQUEST", "data", data=SIXTEEN)

    def test_generation_that_goes_back(self):
        for generation in (0, 3, 3, 7, 0):
            self.assertEqual(self.connection.job(handle=self.buffer, generation=generation).status, "OK")
        reply = self.refuse("BAD_RANGE", "inputs[0].generation", generation=6)
        self.assertIn("7", reply.allowed)

    def test_output_that_is_not_aligned_or_beyond_the_buffer(self):
        for offset in (1, 8, 63):
            self.refuse(
                "BAD_RANGE", "output.offset_bytes", out=self.buffer, out_offset=offset, out_capacity=64
            )
        for offset, capacity in ((4096, 64), (64, 4096), (0, 4097), (1 << 63, 64), (64, 1 << 63)):
            self.refuse(
                "BAD_RANGE",
                "output.offset_bytes",
                cols=1,
                out=self.buffer,
                out_offset=offset,
                out_capacity=capacity,
            )
        self.refuse(
            "BAD_RANGE", "output.capacity_bytes", out=self.buffer, out_offset=(1 << 64) - 64, out_capacity=64
        )

    def test_output_that_overlaps_the_input(self):
        self.refuse(
            "BAD_RANGE", "output.offset_bytes", cols=32, out=self.buffer, out_offset=64, out_capacity=64
        )

    def test_output_that_is_too_small_says_how_much_is_needed(self):
        reply = self.refuse(
            "TOO_LARGE",
            "output.capacity_bytes",
            operation=TOPK,
            kind=F64,
            cols=32,
            params=topk_params(10),
            out=self.buffer,
            out_offset=1024,
            out_capacity=64,
        )
        self.assertEqual(reply.allowed.split()[0], str(128 + 80), reply)

    def test_result_too_large_for_a_reply_says_how_much_is_needed(self):
        size = 1 << 20
        buffer = self.connection.create(size).handle
        reply = self.refuse(
            "TOO_LARGE",
            "output.handle",
            handle=buffer,
            operation=TOPK,
            kind=U8,
            cols=size,
            params=topk_params(size),
        )
        self.assertEqual(reply.allowed.split()[0], str(size + 8 * size), reply)

    def test_every_job_after_the_bad_ones_is_right(self):
        good = job_body(cols=4, data=rawclient.floats(1, 2, 3, 4))
        bad = job_body(handle=self.buffer, cols=1 << 40)
        ids = [self.connection.submit(rawclient.JOB, good if i % 2 else bad) for i in range(40)]
        for i, request_id in enumerate(ids):
            reply = self.connection.wait(request_id)
            self.assertEqual(reply.status, "OK" if i % 2 else "BAD_RANGE", reply)


if __name__ == "__main__":
    unittest.main()
