#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory from and for other libraries: DLPack, __array__, the buffer protocol, pandas, PIL. Of each library
that is here; DLPack without numpy, too."""

import array
import gc
import importlib.util
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import peers  # noqa: E402

if "--no-numpy" not in sys.argv:
    peers.go_on_with("pandas", "PIL")
from case import Case, numpy, setUpModule, tearDownModule  # noqa: F401,E402
import tegu  # noqa: E402
from tegu import _dlpack  # noqa: E402


def exported():
    """The number of structs that others hold."""
    gc.collect()
    return sum(isinstance(each, _dlpack.Export) for each in gc.get_objects())


def has(module):
    return importlib.util.find_spec(module) is not None


class Exporter(object):
    """Memory of tegu as that of a library that has nothing but DLPack; `before`: one that knows no
    versions."""

    def __init__(self, buffer, before=False, device=(1, 0)):
        self._buffer, self._device = buffer, device
        if before:
            self.__class__ = _Before

    def __dlpack__(self, max_version=None):
        try:
            return self._buffer.__dlpack__(max_version=max_version)
        except TypeError:  # numpy before 2.1
            return self._buffer.__dlpack__()

    def __dlpack_device__(self):
        return self._device


class _Before(Exporter):
    def __dlpack__(self):
        return self._buffer.__dlpack__()


class Plain(Case):
    """What works the same with and without numpy."""

    def filled(self, shape, dtype="i32"):
        buf = self.c.buffer(shape, dtype)
        view = memoryview(buf.array).cast("B")
        view[:] = struct.pack("<%di" % (buf.nbytes // 4), *range(buf.nbytes // 4))
        return buf

    def test_a_capsule_is_taken_once(self):
        class Twice(Exporter):
            def __dlpack__(self, max_version=None):
                if not hasattr(self, "capsule"):
                    self.capsule = self._buffer.__dlpack__(max_version=max_version)
                return self.capsule

        source = Twice(self.filled((6,)))
        taken = tegu.from_dlpack(source)
        self.assertRaises(BufferError, tegu.from_dlpack, source)
        self.assertEqual(int(taken[5]), 5)

    def test_read_only_memory_stays_so(self):
        buf = self.filled((6,))
        buf.freeze()
        taken = tegu.from_dlpack(Exporter(buf))
        self.assertTrue(memoryview(taken).readonly)
        self.assertEqual(int(taken[5]), 5)

    def test_dlpack_goes_in(self):
        for before in (False, True):
            for shape in ((6,), (2, 3), (1, 2, 3), ()):
                buf = self.filled(shape)
                source = Exporter(buf, before)
                expected = sum(range(buf.nbytes // 4))
                self.assertEqual(self.c.reduce(source), {"sum": expected}, (before, shape))
                self.assertFalse(self.c.last.copied)
                taken = tegu.from_dlpack(source)
                self.assertEqual(tuple(taken.shape), tuple(buf.array.shape))
                self.assertEqual(taken.tolist(), buf.array.tolist())
        rows = self.c.reduce(Exporter(self.filled((2, 3))), axis=1)["sum"]
        self.assertEqual(rows.tolist(), [3, 12])
        self.assertEqual(self.c.reduce(Exporter(self.filled((2, 3))), dtype="u8", shape=(24,))["sum"], 15)
        half = self.c.buffer(2, "f16")
        self.assertEqual(self.c.reduce(Exporter(half)), {"sum": 0.0})

    def test_memory_lives_as_long_as_somebody_has_it(self):
        buf = self.filled((4,))
        taken = tegu.from_dlpack(buf)
        buf.close()
        self.c.close()
        del buf
        gc.collect()
        self.assertEqual(taken.tolist(), [0, 1, 2, 3])
        self.assertEqual(exported(), 1)
        del taken
        self.assertEqual(exported(), 0)

    def test_a_capsule_that_nobody_takes(self):
        buf = self.filled((4,))
        for versioned in (None, (1, 0)):
            capsule = buf.__dlpack__(max_version=versioned)
            self.assertEqual(exported(), 1)
            del capsule
            self.assertEqual(exported(), 0)

    def test_a_pending_exception_stays(self):
        def of_a_capsule(versioned):
            return self.filled((4,)).__dlpack__(max_version=versioned), 1 // 0  # ends on the stack

        def of_a_taker(before):
            return tegu.from_dlpack(Exporter(self.filled((4,)), before)), 1 // 0

        for end, variants in ((of_a_capsule, (None, (1, 0))), (of_a_taker, (False, True))):
            for variant in variants:
                self.assertRaises(ZeroDivisionError, end, variant)
                self.assertEqual(exported(), 0)

    def test_what_a_buffer_does_not_give(self):
        buf = self.filled((4,))
        self.assertEqual(buf.__dlpack_device__(), (1, 0))
        self.assertRaises(BufferError, buf.__dlpack__, copy=True)
        self.assertRaises(BufferError, buf.__dlpack__, dl_device=(2, 0))
        buf.freeze()
        self.assertRaises(BufferError, buf.__dlpack__)  # this version cannot say that it is read-only
        self.assertEqual(self.c.reduce(Exporter(buf)), {"sum": 6})
        buf.close()
        self.assertRaisesTegu("BAD_REQUEST", "buffer", buf.__dlpack__)

    def test_what_is_refused(self):
        buf = self.filled((4,))
        on_gpu = Exporter(buf, device=(2, 1))
        for call in (self.c.reduce, tegu.from_dlpack):
            error = self.assertRaisesTegu("UNSUPPORTED", "x", call, on_gpu)
            self.assertIn("CUDA", error.message)
            self.assertIn("cpu()", error.allowed)
        error = self.assertRaisesTegu("BAD_REQUEST", "x", tegu.from_dlpack, [1])
        self.assertIsInstance(error, TypeError)
        capsule = buf.__dlpack__()
        held = next(each for each in gc.get_objects() if isinstance(each, _dlpack.Export))
        held.needs[0].tensor.code = 5  # complex
        source = Exporter(buf)
        source._buffer = type("Ready", (), {"__dlpack__": lambda unused, max_version=None: capsule})()
        error = self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, source)
        self.assertIn("complex32", error.message)

    @unittest.skipIf(sys.version_info < (3, 12), "a class of Python has no buffer before 3.12")
    def test_memoryview_of_a_buffer(self):
        buf = self.filled((2, 2))
        view = memoryview(buf)
        self.assertEqual((view.tolist(), view.readonly), ([[0, 1], [2, 3]], False))
        view.cast("B")[0] = 7
        self.assertEqual(buf.array[0, 0], 7)
        buf.freeze()
        self.assertTrue(memoryview(buf).readonly)
        buf.close()
        self.assertRaises(tegu.Error, memoryview, buf)
        self.assertEqual(view.tolist()[1], [2, 3])

    @unittest.skipUnless(has("PIL"), "PIL is not here")
    def test_images(self):
        from PIL import Image

        gray = Image.frombytes("L", (3, 2), bytes(range(6)))
        self.assertEqual(self.c.reduce(gray), {"sum": 15})
        self.assertTrue(self.c.last.copied)
        self.assertEqual(self.c.reduce(gray, axis=1)["sum"].tolist(), [3, 12])
        self.assertEqual(tuple(self.c.entropy_map(Image.new("L", (8, 5)), window=3).shape), (5, 8))
        self.assertEqual(self.c.reduce(Image.new("RGB", (2, 2), (1, 2, 3)))["sum"], 24)
        self.assertEqual(self.c.reduce(Image.new("F", (2, 2), 0.5))["sum"], 2.0)
        self.assertEqual(self.c.reduce(Image.new("I;16", (2, 2), 500))["sum"], 2000)
        self.assertEqual(self.c.reduce(Image.new("1", (4, 4), 1))["sum"], 16)
        error = self.assertRaisesTegu("BAD_RANGE", "image", self.c.entropy_map, Image.new("RGB", (4, 4)))
        self.assertIn("two dimensions", error.allowed)


@unittest.skipIf(numpy is None, "numpy is not here")
class Numpy(Case):
    def test_asarray(self):
        buf = self.c.buffer((2, 3), "f32")
        made = numpy.asarray(buf)
        self.assertTrue(numpy.shares_memory(made, buf.array))
        made[1, 2] = 4
        self.assertEqual(self.c.reduce(buf), {"sum": 4.0})
        self.assertEqual(numpy.asarray(buf, dtype="f8").dtype, numpy.float64)
        self.assertFalse(numpy.shares_memory(numpy.array(buf), buf.array))
        self.assertEqual(numpy.add(buf, 1)[1, 2], 5)
        self.assertRaises(ValueError, buf.__array__, dtype="f8", copy=False)
        buf.freeze()
        self.assertFalse(numpy.asarray(buf).flags.writeable)
        buf.close()
        self.assertEqual(made[1, 2], 4)
        self.assertRaisesTegu("BAD_REQUEST", "buffer", numpy.asarray, buf)

    @unittest.skipUnless(hasattr(numpy, "from_dlpack"), "this numpy has no DLPack")
    def test_dlpack_with_numpy(self):
        for dtype in "u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64".split():
            buf = self.c.buffer((2, 3), dtype)
            made = numpy.from_dlpack(buf)
            self.assertEqual(made.dtype, buf.array.dtype)
            self.assertTrue(numpy.shares_memory(made, buf.array))
        x = self.rng.rand(6, 8)
        for view, copied in ((x, False), (x[::2], False), (x[:, ::2], True), (x.T, True), (x[::-1], True)):
            source = Exporter(view)
            source._buffer = view
            self.assertAlmostEqual(self.c.reduce(source)["sum"], view.sum(), 9)
            self.assertEqual(self.c.last.copied, copied)
            self.assertTrue(numpy.shares_memory(tegu.from_dlpack(source), x))
        if int(numpy.__version__.split(".")[0]) >= 2:  # older ones give no bool to DLPack
            source = Exporter(None)
            source._buffer = numpy.array([True, False, True])
            self.assertEqual(self.c.reduce(source), {"sum": 2})

    @unittest.skipUnless(has("pandas"), "pandas is not here")
    def test_pandas(self):
        import pandas

        series = pandas.Series([1.0, 2.0, 4.0])
        self.assertEqual(self.c.reduce(series), {"sum": 7.0})
        self.assertFalse(self.c.last.copied)
        frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
        self.assertEqual(self.c.reduce(frame), {"sum": 11.0})
        self.assertEqual(self.c.reduce(frame, axis=0)["sum"].tolist(), [3.0, 8.0])
        mixed = pandas.DataFrame({"a": [1, 2], "b": [0.5, 0.5]})
        self.assertEqual(self.c.reduce(mixed, axis=1)["sum"].tolist(), [1.5, 2.5])
        self.assertEqual(self.c.reduce(series.astype("f4"), "count")["count"], 3)
        self.assertEqual(self.c.dot(series, series), 21.0)
        missing = pandas.Series([1, None, 3])
        self.assertEqual(self.c.reduce(missing, skip_nans=True), {"sum": 4.0})
        for odd in (
            pandas.Series(["a", "b"]),
            pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
            pandas.Series(pandas.to_datetime(["2020-01-01"])),
        ):
            error = self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, odd)
            self.assertIsInstance(error, TypeError)

    @unittest.skipUnless(has("torch"), "torch is not here")
    def test_torch(self):
        import torch

        x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        self.assertEqual(self.c.reduce(x), {"sum": 15.0})
        self.assertFalse(self.c.last.copied)
        self.assertEqual(self.c.reduce(x[:, 1:], axis=1)["sum"].tolist(), [3.0, 9.0])
        buf = self.c.buffer((2, 3), "f32")
        torch.from_dlpack(buf).copy_(x)
        self.assertEqual(self.c.reduce(buf), {"sum": 15.0})
        error = self.assertRaisesTegu("BAD_REQUEST", "x", self.c.reduce, x.clone().requires_grad_())
        self.assertIn("detach", error.message)
        error = self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, x.to(torch.bfloat16))
        self.assertIn("bfloat16", error.message)


class Errors(Case):
    """Each is also the exception of Python's own that a program expects."""

    def test_classes(self):
        for kinds, function, arguments, options in (
            ((ValueError,), self.c.topk, ([1], 2), {}),
            ((ValueError,), self.c.reduce, (b"",), {"stats": "mean"}),
            ((ValueError,), self.c.reduce, ([1],), {"stats": "summ"}),
            ((ValueError,), self.c.buffer, (-1,), {}),
            ((ValueError, TypeError), self.c.topk, ([1], 1.5), {}),
            ((ValueError, TypeError), self.c.topk, ([1], "1"), {}),
            ((ValueError, TypeError), self.c.reduce, ([1],), {"axis": "rows"}),
            ((ValueError, TypeError), self.c.reduce, ([1],), {"stats": 5}),
            ((ValueError, TypeError), self.c.reduce, ([1],), {"deadline": "soon"}),
            ((ValueError, TypeError), self.c.reduce, (b"12345678",), {"dtype": "complex"}),
            ((ValueError, TypeError), self.c.reduce, (object(),), {}),
            ((ValueError, TypeError), self.c.buffer, ("many",), {}),
            ((ConnectionError, OSError), tegu.connect, ("/tmp/tegu-no-such-socket",), {}),
            ((TimeoutError,), self.c.reduce, (bytes(1 << 20),), {"deadline": 1e-9}),
        ):
            with self.assertRaises(tegu.Error) as caught:
                function(*arguments, **options)
            for kind in kinds:
                self.assertIsInstance(caught.exception, kind, repr(caught.exception))
            self.assertIn(caught.exception.status, str(caught.exception))
        with self.assertRaises(TypeError) as caught:
            self.c.reduce([1], deadlin=1)
        self.assertIn("deadline", str(caught.exception))

    def test_they_can_be_pickled(self):
        import pickle

        for error in (
            tegu.BadRange("BAD_RANGE", "k is 2", "k", "1..1"),
            tegu.Unavailable("UNAVAILABLE", "nobody"),
            tegu.DeadlineExceeded("DEADLINE_EXCEEDED", "late"),
            tegu.WrongType("UNSUPPORTED", "an object", "dtype"),
        ):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again)), (type(error), str(error)))
            self.assertEqual((again.status, again.field), (error.status, error.field))

    def test_a_call_on_a_buffer_checks_each_time(self):
        """Jobs on a buffer are prepared once; arguments that are equal and not the same are others."""
        buf = self.c.buffer(4, "i32")
        for _ in range(2):
            self.assertEqual(self.c.reduce(buf, axis=0), {"sum": 0})
            self.assertEqual(self.c.reduce(buf, axis=True - 1), {"sum": 0})
            self.assertRaises(TypeError, self.c.reduce, buf, axis=0.0)
            self.assertRaises(ValueError, self.c.topk, buf, 5)
            self.assertEqual(len(self.c.topk(buf, 2)[0]), 2)
            self.assertEqual(list(self.c.reduce(buf, ["sum", "max"])), ["sum", "max"])
            self.assertEqual(list(self.c.reduce(buf, ("max", "sum"))), ["max", "sum"])
        for k in range(1, 200):
            self.c.topk(buf, 1 + k % 4, deadline=k)
        self.assertLessEqual(len(buf.prepared), 64)
        with tegu.connect(self.c_socket()) as other:
            self.assertRaisesTegu("BAD_REQUEST", "buffer", other.reduce, buf, axis=0)
        buf.close()
        self.assertRaisesTegu("BAD_REQUEST", "buffer", self.c.reduce, buf, axis=0)

    def c_socket(self):
        import case

        return case.socket()

    def test_memory_of_an_array_module(self):
        out = array.array("f", [0, 0])
        self.assertIs(self.c.add(array.array("f", [1, 2]), array.array("f", [1, 2]), out=out), out)


if __name__ == "__main__":
    unittest.main()
