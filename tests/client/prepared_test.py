#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that are prepared once and run again: the results and errors are those of a first call."""

import threading
import unittest

import case
import tegu
from case import numpy, setUpModule, tearDownModule  # noqa: F401
from tegu import _prepared

TYPES = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64")


class Buffers(case.Case):
    def filled(self, dtype, values):
        buf = self.c.buffer(len(values), dtype)
        for index, value in enumerate(values):
            buf.array[index] = value
        return buf

    def test_again_is_as_first(self):
        for dtype in TYPES:
            if numpy is None and dtype == "f16":
                continue
            buf = self.filled(dtype, [3, 1, 4, 1])
            calls = [
                lambda: self.c.reduce(buf),
                lambda: self.c.reduce(buf, "all"),
                lambda: self.c.reduce(buf, ["max", "minmax", "sum", "max"], ddof=1),
                lambda: self.c.reduce(buf, axis=-1),
                lambda: self.c.entropy(buf, levels=4, range=(0, 8)),
                lambda: self.c.quantile(buf, 0.5),
                lambda: self.c.fused(buf, reduce={"stats": ("sum", "std")}, quantile={"q": 0.5}),
            ]
            for call in calls:
                first = repr(call())
                for _ in range(3):
                    self.assertEqual(repr(call()), first, dtype)
            self.assertEqual(len(buf.prepared), len(calls))
            self.assertEqual(
                list(self.c.reduce(buf, ["max", "minmax", "sum", "max"])), ["max", "minmax", "sum"]
            )

    def test_new_content_counts(self):
        buf = self.filled("f64", [1, 2, 3])
        for value in range(5):
            buf.array[0] = value
            self.assertEqual(self.c.reduce(buf), {"sum": value + 5.0})
        buf.array[1] = float("nan")
        self.assertNotEqual(*[self.c.reduce(buf)["sum"]] * 2)
        self.assertEqual(self.c.reduce(buf, skip_nans=True), {"sum": 7.0})

    def test_an_error_is_the_same_each_time(self):
        buf = self.filled("i64", [2**62, 2**62])
        empty = self.c.buffer(0, "i64", room=64)
        for _ in range(3):
            self.assertRaisesTegu("EMPTY_INPUT", "statistics", self.c.reduce, empty, "max")
            self.assertEqual(self.c.reduce(empty), {"sum": 0})
            self.assertRaises(tegu.Error, self.c.reduce, buf)
            self.assertEqual(self.c.reduce(buf, "max"), {"max": 2**62})
            self.assertEqual(self.c.last.backend, "cpu")

    def test_the_last_reply_is_that_of_the_last_result(self):
        buf = self.filled("f32", [1, 2, 3, 4])
        self.assertRaisesTegu("NOT_FOUND", "last", lambda: self.c.last)
        for _ in range(3):
            self.c.reduce(buf)
        first = self.c.last
        self.assertIs(self.c.last, first)
        self.assertTrue(first.policy.startswith("cpu"))
        self.assertRaises(tegu.Error, self.c.topk, buf, 5)
        self.assertIs(self.c.last, first)
        self.c.topk(buf, 2, distinct=True)
        self.assertEqual(list(self.c.last.counts), [2])
        self.c.reduce(buf)
        future = self.c.submit.reduce(buf)
        future.result()
        self.assertIs(self.c.last, future.reply)
        self.c.reduce(buf)
        self.c.close()
        self.assertIsNone(self.c.last.counts)
        self.assertGreater(self.c.last.timing.round_trip_ns, 0)

    def test_threads(self):
        bufs = [self.filled("i32", [number, 10]) for number in range(4)]
        wrong = []

        def work(number):
            for k in range(300):
                found = self.c.reduce(bufs[number], ("sum", "minmax"))
                if found != {"sum": number + 10, "minmax": (number, 10)}:
                    wrong.append(found)
                if k % 50 == 0 and self.c.last.backend != "cpu":
                    wrong.append(self.c.last)

        self.in_threads(work)
        self.assertEqual(wrong, [])

    def test_jobs_that_take_long(self):
        buf = self.c.buffer((600, 600), "u8")
        maps = [self.c.entropy_map(buf, window=63) for _ in range(2)]
        self.assertEqual(bytes(memoryview(maps[0])), bytes(memoryview(maps[1])))


@unittest.skipIf(numpy is None, "without numpy")
class Arrays(case.Case):
    def test_new_arrays_of_known_shapes(self):
        for dtype in ("u1", "i4", "f2", "f4", "f8"):
            for shape in ((), (1,), (7,), (3, 5), (2, 3, 4), (5, 1)):
                for _ in range(3):
                    x = numpy.asarray(self.rng.randint(0, 100, shape), dtype)
                    y = numpy.asarray(self.rng.randint(0, 2, shape), dtype)
                    self.assertEqual(self.c.reduce(x, "max"), {"max": x.max()})
                    self.assertEqual(self.c.dot(x, y), (x.astype("f8") * y).sum())
                    self.assertTrue(numpy.array_equal(self.c.add(x, y), x + y))
                    for axis in range(len(shape)):
                        found = self.c.reduce(x, ("min", "max"), axis=axis)
                        self.assertTrue(numpy.array_equal(found["min"], x.min(axis)), (dtype, shape, axis))
                        self.assertTrue(numpy.array_equal(found["max"], x.max(axis)), (dtype, shape, axis))

    def test_what_is_no_plain_array(self):
        """Gaps, other byte orders, subclasses and masks go the long way, also after plain ones."""
        plain = numpy.arange(12, dtype="f4").reshape(3, 4)
        for _ in range(3):
            self.assertEqual(self.c.reduce(plain), {"sum": 66.0})
            self.assertEqual(self.c.reduce(plain[:, ::2]), {"sum": 30.0})
            self.assertTrue(self.c.last.copied)
            self.assertEqual(self.c.reduce(plain.T[::-1]), {"sum": 66.0})
            self.assertRaises(TypeError, self.c.reduce, plain.astype(">f4"))
            self.assertEqual(self.c.reduce(numpy.matrix(plain)), {"sum": 66.0})
            masked = numpy.ma.masked_greater(plain, 5)
            self.assertRaisesTegu("UNSUPPORTED", "x", self.c.reduce, masked)
            self.assertRaisesTegu("BAD_RANGE", "inputs[1]", self.c.dot, plain, plain[:2])
            self.assertRaises(TypeError, self.c.reduce, plain, wrong=1)
            self.assertEqual(self.c.reduce(x=plain), {"sum": 66.0})

    def test_memory_that_cannot_be_written_or_is_empty(self):
        for _ in range(3):
            self.assertEqual(self.c.reduce(numpy.frombuffer(b"\1\2\3", "u1")), {"sum": 6})
            self.assertEqual(self.c.reduce(numpy.zeros((0, 4), "i4")), {"sum": 0})
            self.assertRaisesTegu("EMPTY_INPUT", "statistics", self.c.reduce, numpy.zeros(0), "max")

    def test_other_views_of_the_memory(self):
        for number in range(3):
            x = numpy.full(8, number, "u1")
            self.assertEqual(self.c.reduce(x, dtype="u4"), {"sum": 2 * number * 0x01010101})
            self.assertEqual(list(self.c.reduce(x, axis=1, shape=(2, 4))["sum"]), [4 * number] * 2)

    def test_the_jobs_that_are_kept_are_few(self):
        for n in range(200):
            self.assertEqual(self.c.reduce(numpy.ones(n, "f4"))["sum"], n)
        self.assertLessEqual(len(self.c.prepared), 64)

    def test_threads_with_arrays_of_one_shape(self):
        """Each shape is new to the client, so the threads prepare its job at the same time."""
        wrong = []
        start = threading.Barrier(4)

        def work(number):
            for n in range(1, 200):
                start.wait()
                found = self.c.reduce(numpy.full(n, number, "i4"))
                if found != {"sum": n * number}:
                    wrong.append(found)

        self.in_threads(work)
        self.assertEqual(wrong, [])


class Keys(unittest.TestCase):
    def test_what_differs_has_another_key(self):
        given = [
            ((), {}),
            ((1,), {}),
            ((True,), {}),
            ((1.0,), {}),
            (("1",), {}),
            ((None,), {}),
            ((0.0,), {}),
            ((-0.0,), {}),
        ]
        given += [
            (((1,),), {}),
            (([1],), {}),
            (([True],), {}),
            ((), {"k": 1}),
            ((), {"k": True}),
            ((), {"q": {"k": 1}}),
        ]
        keys = [_prepared.key_of("topk", arguments, options) for arguments, options in given]
        self.assertNotIn(None, keys)
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual(_prepared.key_of("topk", ([1],), {}), _prepared.key_of("topk", ([1],), {}))

    def test_what_may_hide_something_has_none(self):
        class Number(int):
            pass

        for value in (
            b"12",
            bytearray(2),
            memoryview(b"12"),
            Number(1),
            [[1]],
            [b"1"],
            {"k": object()},
            object(),
            {1},
        ):
            self.assertIsNone(_prepared.key_of("topk", (value,), {}), repr(value))
            self.assertIsNone(_prepared.key_of("topk", (), {"k": value}), repr(value))


if __name__ == "__main__":
    unittest.main()
