#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs with lists as parameters: counts that lie, lists that are too long, values that are none, parts that
are no parts."""

import struct
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import (
    ADD,
    DOT,
    ENTROPY,
    F32,
    F64,
    FUSED,
    HISTOGRAM,
    I32,
    QUANTILE,
    REDUCE,
    ROWSCALE,
    TOPK,
    entropy_of_levels_params,
    floats,
    fused_params,
    histogram_params,
    job_body,
    quantile_params,
    reduce_params,
    skip_nans_params,
    topk_params,
)

NAN, INFINITY = float("nan"), float("inf")
SIXTEEN = bytes(16)


class Lists(HostileTest):
    def refuse(self, status, field, connection=None, **fields):
        connection = connection or self.connect()
        reply = connection.job(**fields)
        self.assert_refused(reply, status, field)
        self.assert_lives(connection)
        return reply

    def quantile(self, status, field, *args, **fields):
        self.refuse(status, field, operation=QUANTILE, data=SIXTEEN, params=quantile_params(*args), **fields)

    def fused(self, status, field, *parts, **fields):
        self.refuse(status, field, operation=FUSED, data=SIXTEEN, params=fused_params(*parts), **fields)

    def test_q(self):
        for q in (-0.001, 1.0000001, NAN, INFINITY, -INFINITY):
            self.quantile("BAD_RANGE", "q", (0.5, q))
        self.quantile("BAD_RANGE", "q", ())
        self.quantile("BAD_RANGE", "method", (0.5,), 5)
        self.quantile("BAD_RANGE", "skip_nans", (0.5,), 0, 2)

    def test_q_lists_that_lie(self):
        connection = self.connect()
        for count in (1025, 1 << 16, 1 << 31, (1 << 32) - 1):
            params = quantile_params((0.5,), count=count)
            self.refuse("BAD_RANGE", "q", connection, operation=QUANTILE, data=SIXTEEN, params=params)
        for count in (0, 2, 1024):
            params = quantile_params((0.5,), count=count)
            reply = connection.job(operation=QUANTILE, data=SIXTEEN, params=params)
            self.assertIn(
                (reply.status, reply.field), (("BAD_REQUEST", "params_bytes"), ("BAD_RANGE", "q")), reply
            )
        self.refuse(
            "BAD_RANGE",
            "q",
            connection,
            operation=QUANTILE,
            data=SIXTEEN,
            params=quantile_params((0.5,) * 1025),
        )

    def test_the_longest_q_list(self):
        reply = self.connect().job(
            operation=QUANTILE, data=floats(4, 3, 2, 1), params=quantile_params((1.0,) * 1024)
        )
        self.assertEqual(reply.arrays()[rawclient.QUANTILES], (1, 1024, (4.0,) * 1024))

    def test_bins(self):
        for bins in (0, (1 << 20) + 1, (1 << 32) - 1):
            self.refuse("BAD_RANGE", "bins", operation=HISTOGRAM, data=SIXTEEN, params=histogram_params(bins))
        self.refuse(
            "TOO_LARGE", "output.handle", operation=HISTOGRAM, data=SIXTEEN, params=histogram_params(1 << 20)
        )

    def test_ranges(self):
        connection = self.connect()
        for lo, hi in ((NAN, 1), (0, NAN), (0, INFINITY), (-INFINITY, 0), (2, 1), (-1.7e308, 1.7e308)):
            for operation, params in (
                (HISTOGRAM, histogram_params(4, 1, lo, hi)),
                (ENTROPY, entropy_of_levels_params(4, 1, lo, hi)),
            ):
                reply = connection.job(operation=operation, data=SIXTEEN, params=params)
                if operation == ENTROPY and hi == 1.7e308:
                    self.assertIn(reply.status, ("BAD_RANGE", "OK"), reply)
                    continue
                self.assert_refused(reply, "BAD_RANGE", "range")
        self.assert_lives(connection)

    def test_levels(self):
        for levels in (0, 1, 65537, (1 << 32) - 1):
            self.refuse(
                "BAD_RANGE",
                "levels",
                operation=ENTROPY,
                data=SIXTEEN,
                params=entropy_of_levels_params(levels),
            )

    def test_types_without_a_meaning(self):
        self.refuse("UNSUPPORTED", "type", operation=ROWSCALE, kind=I32, data=SIXTEEN)

    def test_parts(self):
        reduce, histogram = (REDUCE, reduce_params()), (HISTOGRAM, histogram_params())
        connection = self.connect()
        for parts in ((), (reduce, reduce), (histogram, reduce, histogram)):
            reply = connection.job(operation=FUSED, data=SIXTEEN, params=fused_params(*parts))
            self.assertIn(reply.status, ("BAD_REQUEST", "BAD_RANGE"), reply)
            self.assertEqual(reply.field, "parts", reply)
        for operation in (0, ADD, DOT, ROWSCALE, FUSED, 3, 11, 65535):
            self.fused("UNSUPPORTED", "parts", (operation, skip_nans_params()))
        self.fused("BAD_RANGE", "parts", *[reduce] * 6)

    def test_counts_of_parts_that_lie(self):
        connection = self.connect()
        for count in (2, 5, 6, 1 << 31, (1 << 32) - 1):
            params = fused_params((REDUCE, reduce_params()), count=count)
            reply = connection.job(operation=FUSED, data=SIXTEEN, params=params)
            self.assertIn(reply.field, ("parts", "params_bytes"), reply)
            self.assertIn(reply.status, ("BAD_REQUEST", "BAD_RANGE"), reply)
        nested = fused_params((FUSED, fused_params((FUSED, fused_params((REDUCE, reduce_params()))))))
        self.refuse("UNSUPPORTED", "parts", connection, operation=FUSED, data=SIXTEEN, params=nested)

    def test_a_part_that_is_wrong_names_its_field(self):
        connection = self.connect()
        for part, word in (
            ((TOPK, topk_params(5)), "k"),
            ((QUANTILE, quantile_params((2.0,))), "q"),
            ((HISTOGRAM, histogram_params(0)), "bins"),
            ((ENTROPY, entropy_of_levels_params(1)), "levels"),
        ):
            reply = connection.job(
                operation=FUSED, data=SIXTEEN, params=fused_params((REDUCE, reduce_params()), part)
            )
            self.assertEqual(reply.status, "BAD_RANGE", reply)
            self.assertTrue(reply.field.endswith(word), reply)
        self.assert_lives(connection)

    def test_length_of_parameters(self):
        connection = self.connect()
        for operation in (ADD, DOT, ROWSCALE, QUANTILE, HISTOGRAM, ENTROPY, FUSED):
            right = len(rawclient.default_params(operation))
            data = SIXTEEN * (2 if operation in rawclient.TWO_INPUTS else 1)
            self.assertEqual(connection.job(operation=operation, data=data).status, "OK", operation)
            for size in {0, 1, 7, right - 1, right + 1, right + 8, 65535}:
                reply = connection.job(operation=operation, data=data, params_bytes=size)
                self.assertIn(
                    (reply.status, reply.field),
                    (("BAD_REQUEST", "params_bytes"), ("BAD_REQUEST", "data"), ("BAD_REQUEST", "reserved")),
                    (operation, size, reply),
                )
        self.assert_lives(connection)

    def test_bodies_cut_anywhere(self):
        connection = self.connect()
        for operation in (ADD, QUANTILE, FUSED):
            whole = job_body(operation=operation, data=SIXTEEN * (2 if operation == ADD else 1))
            for size in range(0, len(whole), 3):
                self.assertEqual(
                    connection.request(rawclient.JOB, whole[:size]).status, "BAD_REQUEST", (operation, size)
                )
        self.assert_lives(connection)

    def test_noise_as_parameters(self):
        connection = self.connect()
        for _ in range(400):
            operation = self.random.randrange(1, 11)
            params = bytearray(rawclient.default_params(operation))
            for _ in range(self.random.randrange(1, 4)):
                params[self.random.randrange(len(params))] = self.random.randrange(256)
            data = SIXTEEN * (2 if operation in rawclient.TWO_INPUTS else 1)
            connection.job(
                operation=operation, data=data, params=bytes(params), kind=self.random.choice((F32, I32))
            )
        self.assert_lives(connection)

    def test_overflow_names_the_element(self):
        big = struct.pack("<2i", 5, (1 << 31) - 1)
        reply = self.connect().job(operation=ADD, kind=I32, cols=2, data=big + big)
        self.assertEqual((reply.status, reply.field), ("OVERFLOW", "values"), reply)
        self.assertIn("1", reply.message)

    def test_histogram_of_data_without_a_range(self):
        connection = self.connect()
        for values in ((1.0, NAN), (1.0, INFINITY)):
            reply = connection.job(operation=HISTOGRAM, kind=F64, cols=2, data=struct.pack("<2d", *values))
            self.assertEqual((reply.status, reply.field), ("BAD_RANGE", "range"), reply)
        self.assert_lives(connection)


if __name__ == "__main__":
    unittest.main()
