#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operations of the Python package by what they take and give: axes, results into the caller's memory, and
bad input. Whether the numbers are right for any array is asked by properties_test.py. With numpy, or (with
--no-numpy) without it."""

import array
import decimal
import math
import unittest

from case import Case, SEED, numpy, setUpModule, socket, tearDownModule  # noqa: F401
import tegu

if numpy is not None:
    import references


def listed(found):
    return found.tolist() if hasattr(found, "tolist") else found


class Plain(Case):
    """What works the same with and without numpy."""

    def test_add(self):
        x, y = array.array("i", [1, 2, 3]), array.array("i", [10, 20, 30])
        self.assertEqual(listed(self.c.add(x, y)), [11, 22, 33])
        self.assertEqual(listed(self.c.add(x, y, shape=(3, 1))), [[11], [22], [33]])
        self.assertEqual(listed(self.c.add([0.5], [1.0])), [1.5])
        self.assertEqual(self.c.add(2, 3), 5)
        self.assertEqual(listed(self.c.add(b"", b"")), [])
        error = self.assertRaisesTegu("OVERFLOW", "values", self.c.add, b"\x01\xff", b"\x01\x02")
        self.assertIn("257", str(error))

    def test_what_is_no_array_of_numbers(self):
        for odd in (
            None,
            "text",
            object(),
            [1j],
            [None],
            ["1"],
            [[1], [1, 2]],
            (i for i in range(3)),
            {1: 2},
            1j,
        ):
            with self.assertRaises(tegu.Error, msg=repr(odd)) as caught:
                self.c.reduce(odd)
            self.assertIn(
                (caught.exception.status, caught.exception.field),
                (("UNSUPPORTED", "dtype"), ("BAD_REQUEST", "x")),
                repr(odd),
            )
            self.assertTrue(caught.exception.allowed, repr(odd))
        self.assertEqual(self.c.reduce([True, False, True], ("sum", "max")), {"sum": 2, "max": 1})

    def test_dot(self):
        self.assertEqual(self.c.dot([1, 2, 3], [4, 5, 6]), 32)
        self.assertEqual(self.c.dot([1.5, float("nan")], [2.0, 1.0], skip_nans=True), 3.0)
        self.assertTrue(math.isnan(self.c.dot([1.5, float("nan")], [2.0, 1.0])))
        self.assertEqual(listed(self.c.dot([[1, 2], [3, 4]], [[1, 1], [1, 1]], axis=1)), [3, 7])
        self.assertEqual(self.c.dot(b"", b""), 0)
        self.assertRaisesTegu("OVERFLOW", "dot", self.c.dot, [1 << 62, 1 << 62], [4, 4])

    def test_two_inputs_that_do_not_match(self):
        for call in (self.c.add, self.c.dot):
            error = self.assertRaisesTegu("BAD_RANGE", "inputs[1]", call, [1, 2, 3], [1, 2])
            self.assertEqual(error.allowed, "int64 (3,)")
            self.assertRaisesTegu("BAD_RANGE", "inputs[1]", call, [1, 2, 3], [1.0, 2.0, 3.0])
            self.assertRaisesTegu("BAD_RANGE", "inputs[1]", call, [1, 2, 3], 1)
        self.assertEqual(self.c.dot([1, 2], [3, 4]), 11)

    def test_rowscale(self):
        y, scales = self.c.rowscale([[1.0, -4.0], [0.0, 0.0]])
        self.assertEqual((listed(y), listed(scales)), ([[0.25, -1.0], [0.0, 0.0]], [4.0, 0.0]))
        y, scale = self.c.rowscale(array.array("f", [1, -2]), axis=None)
        self.assertEqual((listed(y), scale), ([0.5, -1.0], 2.0))
        y, scale = self.c.rowscale([1.0, float("nan")], axis=0, skip_nans=True)
        self.assertEqual((listed(y)[0], scale), (1.0, 1.0))
        self.assertRaisesTegu("UNSUPPORTED", "type", self.c.rowscale, [[1, 2]])
        self.assertRaisesTegu("BAD_RANGE", "axis", self.c.rowscale, [1.0, 2.0])

    def test_quantile(self):
        x = [4, 1, 3, 2]
        self.assertEqual(self.c.quantile(x, 0.5), 2.5)
        self.assertEqual(listed(self.c.quantile(x, [0, 0.5, 1])), [1.0, 2.5, 4.0])
        self.assertEqual(listed(self.c.quantile(x, [0.4], method="lower")), [2])
        self.assertEqual(
            listed(self.c.quantile([[1, 2], [3, 5]], [0.5, 1], axis=1)), [[1.5, 4.0], [2.0, 5.0]]
        )
        self.assertEqual(listed(self.c.quantile([[1, 2], [3, 5]], 0.5, axis=1)), [1.5, 4.0])
        for q in (-0.1, 1.5, float("nan"), [0.5, 2], []):
            self.assertRaisesTegu("BAD_RANGE", "q", self.c.quantile, x, q)
        for q in ("half", None, [[0.5], [0.1, 0.2]]):
            self.assertRaisesTegu("BAD_RANGE", "q", self.c.quantile, x, q)
        self.assertEqual(len(self.c.quantile(x, [0.5] * 1024)), 1024)
        self.assertRaisesTegu("BAD_RANGE", "q", self.c.quantile, x, [0.5] * 5000)
        self.assertRaisesTegu("BAD_RANGE", "method", self.c.quantile, x, 0.5, method="weibull")
        self.assertEqual(
            self.assertRaisesTegu("EMPTY_INPUT", "cols", self.c.quantile, b"", 0.5).status, "EMPTY_INPUT"
        )

    def test_histogram(self):
        counts, edges = self.c.histogram([0.0, 1.0, 1.0, 3.0], 4, (0, 4))
        self.assertEqual((listed(counts), listed(edges)), ([1, 2, 0, 1], [0.0, 1.0, 2.0, 3.0, 4.0]))
        counts, edges = self.c.histogram([[1, 2], [5, 5]], 2, axis=1)
        self.assertEqual(
            (listed(counts), listed(edges)), ([[1, 1], [0, 2]], [[1.0, 1.5, 2.0], [4.5, 5.0, 5.5]])
        )
        self.assertEqual(sum(listed(self.c.histogram(bytes(range(256)) * 300, 1 << 17)[0])), 76800)
        for bins in (0, (1 << 20) + 1, 1 << 40):
            self.assertRaisesTegu("BAD_RANGE", "bins", self.c.histogram, [1], bins)
        for bins in ("auto", 2.5, [0, 1, 2], -1):
            self.assertRaisesTegu("BAD_RANGE", "bins", self.c.histogram, [1], bins)
        for edges in ((1, 0), (0, float("nan")), (0, float("inf")), (1, 2, 3), 5, ("a", "b")):
            self.assertRaisesTegu("BAD_RANGE", "range", self.c.histogram, [1], range=edges)
        self.assertRaisesTegu("BAD_RANGE", "range", self.c.histogram, [1.0, float("nan")])
        self.assertEqual(sum(listed(self.c.histogram([1.0, float("nan")], skip_nans=True)[0])), 1)

    def test_entropy(self):
        self.assertEqual(self.c.entropy(bytes(100)), 0.0)
        self.assertEqual(self.c.entropy(bytes(range(256))), 8.0)
        self.assertAlmostEqual(
            self.c.entropy([0.0, 1.0, 1.0, 3.0], 4, (0, 4), base="e"), 1.5 * math.log(2), 14
        )
        self.assertEqual(listed(self.c.entropy([[1, 1], [1, 2]], 4, (1, 3), axis=1)), [0.0, 1.0])
        for levels in (1, 65537, -2, 1.5):
            self.assertRaisesTegu("BAD_RANGE", "levels", self.c.entropy, [1], levels)
        self.assertRaisesTegu("BAD_RANGE", "base", self.c.entropy, [1], base=10)
        self.assertRaisesTegu("BAD_RANGE", "range", self.c.entropy, [1], range=(2, 1))

    def test_fused(self):
        x = bytes(range(200))
        found = self.c.fused(
            x,
            reduce={"stats": ("sum", "minmax")},
            histogram={"bins": 4, "range": (0, 200)},
            entropy={"levels": 2},
            topk={"k": 2},
            quantile={"q": 0.5},
        )
        self.assertEqual(found["reduce"], {"sum": 19900, "minmax": (0, 199)})
        self.assertEqual(listed(found["histogram"][0]), [50] * 4)
        self.assertEqual(found["entropy"], self.c.entropy(x, 2))
        self.assertEqual([listed(part) for part in found["topk"]], [[199, 198], [199, 198]])
        self.assertEqual(found["quantile"], 99.5)
        self.assertEqual(
            listed(self.c.fused([[1, 2], [3, 3]], axis=1, entropy={"levels": 4, "range": (0, 4)})["entropy"]),
            [1.0, 0.0],
        )
        self.assertRaisesTegu("BAD_REQUEST", "parts", self.c.fused, x)
        self.assertRaisesTegu("BAD_RANGE", "k", self.c.fused, x, topk={"k": 201})
        self.assertRaisesTegu("BAD_RANGE", "q", self.c.fused, x, quantile={"q": 2})
        self.assertRaises(TypeError, self.c.fused, x, topk={"n": 1})
        self.assertRaises(TypeError, self.c.fused, x, add={"y": x})
        self.assertRaises(TypeError, self.c.fused, x, reduce="sum")

    def test_axis_that_is_not_there(self):
        for axis in (1, -2, 7, (0, 1), 0.5, "rows"):
            error = self.assertRaisesTegu("BAD_RANGE", "axis", self.c.reduce, [1, 2], axis=axis)
            self.assertEqual(error.allowed, "None, or -1..0")
        self.assertRaisesTegu("BAD_RANGE", "axis", self.c.entropy, 5, axis=0)
        self.assertEqual(self.c.reduce([1, 2], axis=0), {"sum": 3})
        self.assertEqual(listed(self.c.topk([1, 2], 1, axis=-1)[0]), [2])

    def test_lists(self):
        self.assertEqual(
            listed(self.c.reduce([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], axis=-1)["sum"]), [[3, 7], [11, 15]]
        )
        self.assertTrue(self.c.last.copied)
        self.assertEqual(self.c.reduce([1 << 63])["sum"], 1 << 63)
        self.assertEqual(self.c.reduce([], "count")["count"], 0)
        self.assertEqual(self.c.reduce([1, 2], dtype="f16")["sum"], 3.0)
        self.assertRaisesTegu("BAD_REQUEST", "x", self.c.reduce, [[1, 2], [3]])
        self.assertRaises(tegu.Error, self.c.reduce, [1 << 64])
        self.assertRaises(tegu.Error, self.c.reduce, ["a"])
        self.assertRaisesTegu("BAD_RANGE", "shape", self.c.reduce, [1, 2, 3], shape=(2, 2))

    def test_into_a_buffer(self):
        x = self.c.buffer((2, 3), "f32", room=128)
        for row in range(2):
            for col in range(3):
                x.array[row, col] = row * 3 + col - 4
        y = self.c.buffer((2, 3), "f32")
        self.assertIs(self.c.add(x, x, out=y), y)
        self.assertEqual(listed(y.array), [[-8.0, -6.0, -4.0], [-2.0, 0.0, 2.0]])
        y.commit()
        self.assertIs(self.c.add(y, x, out=y), y)
        self.assertEqual(listed(y.array), [[-12.0, -9.0, -6.0], [-3.0, 0.0, 3.0]])
        self.assertEqual(y.generation, 2)
        out, scales = self.c.rowscale(x, out=x)
        self.assertIs(out, x)
        self.assertEqual(
            (listed(x.array), listed(scales)), ([[-1.0, -0.75, -0.5], [-1.0, 0.0, 1.0]], [4.0, 1.0])
        )
        image = self.c.buffer((2, 3), "u8")
        self.assertEqual(listed(self.c.entropy_map(image, out=y).array), [[0.0] * 3] * 2)

    def test_into_memory_of_the_caller(self):
        out = array.array("i", [0, 0])
        self.assertIs(self.c.add(array.array("i", [1, 2]), array.array("i", [3, 4]), out=out), out)
        self.assertEqual(list(out), [4, 6])
        x = array.array("d", [1, -2])
        self.assertEqual(self.c.rowscale(x, None, out=x)[1], 2.0)
        self.assertEqual(list(x), [0.5, -1.0])

    def test_outputs_that_do_not_fit(self):
        x = array.array("f", [1, 2])
        for out in (
            array.array("f", [0]),
            array.array("d", [0, 0]),
            5,
            self.c.buffer(3, "f32"),
            self.c.buffer(2, "i32"),
        ):
            self.assertRaisesTegu("BAD_RANGE", "out", self.c.add, x, x, out=out)
        self.assertRaisesTegu("DENIED", "out", self.c.add, x, x, out=memoryview(bytes(8)).cast("f"))
        frozen = self.c.buffer(2, "f32")
        frozen.freeze()
        self.assertRaises(tegu.Error, self.c.add, x, x, out=frozen)
        without_room = self.c.buffer((1, 2), "f32")
        self.assertRaisesTegu(
            "TOO_LARGE", "output.capacity_bytes", self.c.rowscale, without_room, out=without_room
        )
        with tegu.connect(socket()) as other:
            self.assertRaisesTegu("BAD_REQUEST", "buffer", self.c.add, x, x, out=other.buffer(2, "f32"))
        self.assertEqual(listed(self.c.add(x, x)), [2.0, 4.0])


@unittest.skipIf(numpy is None, "numpy is not here")
class Numpy(Case):
    def test_axes_of_three_dimensions(self):
        x = self.rng.rand(3, 4, 5)
        for axis in (0, 1, 2, -1, -2, -3):
            numpy.testing.assert_allclose(
                self.c.reduce(x, axis=axis)["sum"], x.sum(axis), err_msg="seed %d" % SEED
            )
            self.assertEqual(self.c.last.copied, axis % 3 != 2)
            numpy.testing.assert_array_equal(
                self.c.topk(x, 2, axis=axis)[0], numpy.sort(x, axis).take([-1, -2], axis)
            )
            quantiles = numpy.moveaxis(
                numpy.apply_along_axis(references.quantile, axis, x, [0.1, 0.2, 0.3], "linear", False),
                axis,
                0,
            )
            numpy.testing.assert_array_equal(
                self.c.quantile(x, [[0.1, 0.2, 0.3]], axis), quantiles[numpy.newaxis]
            )
            y, scales = self.c.rowscale(x, axis)
            numpy.testing.assert_array_equal(scales, numpy.abs(x).max(axis))
            numpy.testing.assert_array_equal(y, x / numpy.expand_dims(scales, axis))
            self.assertEqual(self.c.histogram(x, 3, axis=axis)[0].shape, numpy.sum(x, axis).shape + (3,))
            numpy.testing.assert_allclose(self.c.dot(x, x, axis), (x * x).sum(axis))

    def test_what_was_copied(self):
        x = self.rng.rand(6, 8)
        for view, axis, copied in (
            (x, None, False),
            (x[:, 2:5], 1, False),
            (x[::2], 1, False),
            (x, 0, True),
            (x.T, 0, False),
            (x[:, ::2], 1, True),
            (x[::-1], None, True),
            (numpy.broadcast_to(x[0], (6, 8)), 1, True),
            (x.tolist(), None, True),
            (x.reshape(2, 3, 8)[..., 1:], 2, False),
        ):
            expected = numpy.sum(view, axis)
            numpy.testing.assert_allclose(
                self.c.reduce(view, axis=axis)["sum"], expected, err_msg="seed %d" % SEED
            )
            self.assertEqual(self.c.last.copied, copied, (numpy.shape(view), axis))

    def test_what_numpy_has_and_a_job_does_not(self):
        masked = numpy.ma.masked_array([1.0, 2.0], [False, True])
        error = self.assertRaisesTegu("UNSUPPORTED", "x", self.c.reduce, masked)
        self.assertIn("filled", error.message)
        self.assertRaisesTegu("UNSUPPORTED", "y", self.c.dot, [1.0, 2.0], masked)
        self.assertRaisesTegu("UNSUPPORTED", "x", self.c.reduce, numpy.ma.masked)
        self.assertEqual(self.c.reduce(masked.filled(numpy.nan), skip_nans=True)["sum"], 1.0)
        big = self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, numpy.zeros(3, ">i4"))
        self.assertIn("byte order", big.message)
        self.assertIn("newbyteorder", big.message)
        for odd, hint in (
            (numpy.zeros(2, complex), "x.real"),
            (numpy.array([object()]), "astype"),
            (numpy.zeros(2, "M8[s]"), "i8"),
            (numpy.zeros(2, "i4,f4"), "field"),
            (numpy.zeros(2, "S3"), "astype"),
            (numpy.zeros(2, numpy.longdouble), "astype"),
            ([1, "two"], "astype"),
            ([1j, 2], "x.real"),
            ([1, None], "astype"),
            ([decimal.Decimal(1)], "astype"),
            ("text", "astype"),
            (None, "astype"),
            ((i for i in range(3)), "astype"),
            ([1 << 64], "astype"),
            (numpy.zeros((), ">f8"), "newbyteorder"),
            (memoryview(numpy.zeros(2, ">u2")), "newbyteorder"),
        ):
            if odd is not None and isinstance(odd, numpy.ndarray) and odd.dtype == numpy.float64:
                continue  # long double is no wider here
            self.assertIn(hint, self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, odd).message)
        self.assertRaisesTegu("BAD_REQUEST", "dtype", self.c.reduce, [1j], dtype="f8")
        self.assertRaisesTegu("BAD_REQUEST", "dtype", self.c.reduce, [1, 300], dtype="u1")
        self.assertRaisesTegu("BAD_REQUEST", "dtype", self.c.reduce, numpy.zeros(3, "u1"), dtype="f4")
        self.assertRaisesTegu("BAD_RANGE", "shape", self.c.reduce, numpy.zeros(3), shape=(2, 2))

    def test_what_is_taken_as_numpy_users_expect(self):
        self.assertEqual(self.c.reduce(numpy.float32(2.5)), {"sum": 2.5})
        self.assertEqual(self.c.quantile(numpy.array(7), 0.5), 7.0)
        self.assertEqual(self.c.reduce(numpy.array([True, True, False])), {"sum": 2})
        for kind in "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 ?".split():
            self.assertEqual(self.c.reduce(numpy.array(1, kind)), {"sum": 1}, kind)  # of no dimension
            spread = numpy.arange(24).astype(kind)[::-3]
            self.assertEqual(self.c.reduce(spread)["sum"], spread.sum(), kind)
            self.assertTrue(self.c.last.copied, kind)
            self.assertEqual(self.c.reduce(memoryview(spread.copy()))["sum"], spread.sum(), kind)
            self.assertFalse(self.c.last.copied, kind)
        for unmasked in (
            numpy.ma.masked_array([1.0, 2.0]),
            numpy.ma.masked_array([1.0, 2.0], [False, False]),
        ):
            self.assertEqual(self.c.reduce(unmasked), {"sum": 3.0})
            self.assertFalse(self.c.last.copied)
        self.assertEqual(self.c.dot(numpy.ma.masked_array([1.0, 2.0]), [1.0, 2.0]), 5.0)
        self.assertEqual(self.c.reduce(numpy.matrix([[1, 2], [3, 4]]), axis=1)["sum"].tolist(), [3, 7])
        self.assertEqual(self.c.reduce(numpy.zeros((0, 3)), axis=1)["sum"].shape, (0,))
        half = self.rng.rand(50).astype("f2")
        numpy.testing.assert_array_equal(self.c.add(half, half), half + half)
        self.assertEqual(self.c.add(half, half).dtype, numpy.float16)
        locked = numpy.arange(5.0)
        locked.flags.writeable = False
        self.assertEqual(self.c.reduce(locked)["sum"], 10.0)

    def test_into_arrays(self):
        x, out = self.rng.rand(3, 200, 300).astype("f4"), numpy.zeros((3, 200, 300), "f4")
        self.assertIs(self.c.add(x, x, out=out), out)
        numpy.testing.assert_array_equal(out, x + x, "seed %d" % SEED)
        for axis in (0, 1, None):
            y, scales = self.c.rowscale(x, axis, out=out)
            self.assertIs(y, out)
            numpy.testing.assert_array_equal(
                out, x / (numpy.abs(x).max(axis, keepdims=True)), "seed %d" % SEED
            )
        wide = numpy.zeros((20, 60), "f4")
        self.c.entropy_map(self.rng.randint(0, 255, (20, 30)).astype("u1"), out=wide[:, ::2])
        self.assertTrue((wide[:, ::2] > 0).all() and (wide[:, 1::2] == 0).all())
        self.assertIs(self.c.add(x, x, out=x), x)
        numpy.testing.assert_array_equal(x, self.c.add(x, numpy.zeros_like(x)))
        self.assertRaisesTegu("BAD_RANGE", "out", self.c.add, x, x, out=out[0])
        self.assertRaisesTegu("BAD_RANGE", "out", self.c.add, x, x, out=out.astype("f8"))
        out.flags.writeable = False
        self.assertRaisesTegu("DENIED", "out", self.c.add, x, x, out=out)

    def test_buffers_run_along_their_last_axis(self):
        buf = self.c.buffer((2, 3, 4), "f8")
        buf.array[...] = self.rng.rand(2, 3, 4)
        numpy.testing.assert_allclose(self.c.reduce(buf, axis=-1)["sum"], buf.array.sum(-1))
        self.assertRaisesTegu("UNSUPPORTED", "axis", self.c.reduce, buf, axis=0)
        self.assertRaisesTegu("UNSUPPORTED", "axis", self.c.rowscale, buf.array, 0, out=buf)
        numpy.testing.assert_allclose(self.c.reduce(buf.array, axis=0)["sum"], buf.array.sum(0))

    def test_results_beyond_a_message(self):
        x = self.rng.rand(300, 1000).astype("f4")
        y, scales = self.c.rowscale(x)
        del x
        self.assertEqual(float(y.max()), 1.0)
        counts, edges = self.c.histogram(y, 100000)
        self.assertEqual((int(counts.sum()), edges.shape), (y.size, (100001,)))
        future = self.c.submit.add(y, y)
        numpy.testing.assert_array_equal(future.result(), y + y)


if __name__ == "__main__":
    unittest.main()
