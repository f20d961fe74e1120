#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of two inputs, and jobs in place, each wrong in one way: the field is named, and the connection lives
on."""

import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import ADD, DOT, ROWSCALE, TOPK, U8, VALUES, floats, memfd, topk_params

ALL_BYTES = (1 << 64) - 1


class TwoBuffers(HostileTest):
    """x is a buffer of 4096 bytes, y one of 1024."""

    def setUp(self):
        super().setUp()
        self.connection = self.connect()
        self.x, self.y = [self.buffer(size) for size in (4096, 1024)]

    def buffer(self, size):
        reply = self.connection.create(size)
        self.assertEqual(reply.status, "OK", reply)
        return reply.handle

    def refuse(self, status, field, **fields):
        fields = dict({"operation": ADD, "handle": self.x, "second": (self.y,), "cols": 16}, **fields)
        reply = self.connection.job(**fields)
        self.assert_refused(reply, status, field)
        self.assert_lives(self.connection)
        return reply

    def accept(self, **fields):
        fields = dict({"operation": ADD, "handle": self.x, "second": (self.y,), "cols": 16}, **fields)
        reply = self.connection.job(**fields)
        self.assertEqual(reply.status, "OK", reply)
        return reply


class TwoInputs(TwoBuffers):
    def test_shape_that_fits_one_buffer_alone(self):
        self.refuse("BAD_RANGE", "inputs[1].offset_bytes", cols=257)
        self.refuse("BAD_RANGE", "inputs[0].offset_bytes", cols=257, handle=self.y, second=(self.x,))
        self.refuse("BAD_RANGE", "inputs[1].offset_bytes", second=(self.y, 1024 - 60))
        self.accept(second=(self.y, 1024 - 64))

    def test_handles(self):
        self.refuse("NOT_FOUND", "inputs[1].handle", second=(12345,))
        self.refuse("NOT_FOUND", "inputs[0].handle", handle=12345)
        self.refuse("NOT_FOUND", "inputs[1].handle", second=(ALL_BYTES,), operation=DOT)

    def test_offsets_and_strides_of_the_second(self):
        self.refuse("BAD_RANGE", "inputs[1].offset_bytes", second=(self.y, 2))
        for offset in (1024, 1 << 32, 1 << 63, ALL_BYTES - 63, ALL_BYTES - 3):
            self.refuse("BAD_RANGE", "inputs[1].offset_bytes", second=(self.y, offset))
        self.refuse("BAD_RANGE", "inputs[1].row_stride", rows=2, cols=4, second=(self.y, 0, 0, 3))
        for stride in (253, 1 << 61, 1 << 62, ALL_BYTES):
            self.refuse("BAD_RANGE", "inputs[1].offset_bytes", rows=2, cols=4, second=(self.y, 0, 0, stride))
        self.accept(rows=2, cols=4, second=(self.y, 0, 0, 252))

    def test_generation_of_the_second(self):
        self.accept(second=(self.y, 0, 9))
        self.refuse("BAD_RANGE", "inputs[1].generation", second=(self.y, 0, 8))
        self.refuse("BAD_RANGE", "inputs[1].generation", second=(self.x, 0, 1), generation=2)

    def test_data_in_the_message(self):
        ones = floats(*[1.0] * 4)
        reply = self.accept(handle=0, second=(), cols=4, data=ones + ones)
        self.assertEqual(reply.arrays()[VALUES], (1, 4, (2.0,) * 4))
        for data in (b"", ones, ones + ones[:-1], ones + ones + b"\0", ones * 3):
            self.refuse("BAD_REQUEST", "data", handle=0, second=(), cols=4, data=data)
        self.refuse("BAD_REQUEST", "data", cols=4, second=(), data=b"")
        self.refuse(
            "BAD_REQUEST", "padding", kind=U8, handle=0, second=(), cols=1, data=b"\1\1" + bytes(6) + b"\1"
        )
        self.refuse("TOO_LARGE", "data", handle=0, second=(), cols=8193, data=bytes(65544))

    def test_one_in_the_message_and_one_in_a_buffer(self):
        reply = self.accept(second=(), cols=4, data=floats(1, 2, 3, 4))
        self.assertEqual(reply.arrays()[VALUES], (1, 4, (1.0, 2.0, 3.0, 4.0)))

    def test_the_same_buffer_twice(self):
        self.accept(second=(self.x,))
        self.accept(operation=DOT, second=(self.x,))
        self.accept(second=(self.x, 4))

    def test_axis(self):
        self.refuse("BAD_REQUEST", "axis", axis=1)

    def test_result_too_large_for_a_reply(self):
        large = self.buffer(1 << 20)
        self.refuse("TOO_LARGE", "output.handle", handle=large, second=(large,), cols=1 << 18)


class Outputs(TwoBuffers):
    def into(self, offset, capacity=64, handle=None):
        return {"out": self.x if handle is None else handle, "out_offset": offset, "out_capacity": capacity}

    def test_in_place(self):
        for fields in (self.into(0), self.into(0, handle=self.y), dict(self.into(128), offset=128)):
            self.assertEqual(self.accept(**fields).arrays()[VALUES], (1, 16, 0))
        self.accept(second=(self.x,), **self.into(0))

    def test_overlap(self):
        self.refuse("BAD_RANGE", "output.offset_bytes", offset=4, **self.into(0))
        self.refuse(
            "BAD_RANGE", "output.offset_bytes", offset=64, cols=17, **self.into(0, 68)
        )  # by four bytes
        self.refuse(
            "BAD_RANGE", "output.offset_bytes", kind=U8, offset=64, cols=65, **self.into(0, 65)
        )  # by one
        self.refuse("BAD_RANGE", "output.offset_bytes", kind=U8, offset=0, cols=65, **self.into(64, 65))
        self.refuse(
            "BAD_RANGE", "output.offset_bytes", second=(self.x, 32), **self.into(0)
        )  # exactly x, a part of y
        self.accept(kind=U8, offset=64, cols=64, **self.into(0))
        self.accept(kind=U8, offset=0, cols=64, **self.into(64))

    def test_in_place_of_rows_with_gaps(self):
        self.refuse("BAD_RANGE", "output.offset_bytes", rows=4, cols=4, stride=5, **self.into(0))
        self.accept(rows=4, cols=4, stride=4, **self.into(0))

    def test_in_place_where_the_operation_does_not_allow_it(self):
        reply = self.refuse("BAD_RANGE", "output.offset_bytes", operation=DOT, **self.into(0))
        self.assertNotIn("exactly", reply.allowed)
        self.refuse(
            "BAD_RANGE", "output.offset_bytes", operation=TOPK, params=topk_params(16), **self.into(0, 4096)
        )

    def test_capacity(self):
        for capacity in (0, 1, 63):
            reply = self.refuse("TOO_LARGE", "output.capacity_bytes", **self.into(0, capacity))
            self.assertEqual(reply.allowed.split()[0], "64")
        self.refuse("BAD_RANGE", "output.offset_bytes", **self.into(4096 - 32 - 32, 65))
        self.refuse("BAD_RANGE", "output.offset_bytes", **self.into(32))

    def test_read_only_and_frozen(self):
        fd = memfd(4096)
        read_only = self.connection.register(fd, 4096).handle
        self.refuse("DENIED", "output.handle", **self.into(0, handle=read_only))
        self.refuse("DENIED", "output.handle", handle=read_only, **self.into(0, handle=read_only))
        frozen = self.buffer(4096)
        self.assertEqual(self.connection.named(rawclient.BUFFER_FREEZE, frozen).status, "OK")
        self.refuse("DENIED", "output.handle", handle=frozen, **self.into(0, handle=frozen))

    def test_scales_over_the_input(self):
        fields = {"operation": ROWSCALE, "axis": 1, "rows": 8, "cols": 8, "second": ()}
        self.accept(**dict(fields, **self.into(0, 288)))
        self.refuse("BAD_RANGE", "output.offset_bytes", offset=256, **dict(fields, **self.into(0, 288)))
        self.refuse("TOO_LARGE", "output.capacity_bytes", **dict(fields, **self.into(0, 256)))


if __name__ == "__main__":
    unittest.main()
