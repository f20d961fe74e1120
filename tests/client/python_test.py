#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package against the daemon: every call, with numpy or (with --no-numpy) without it."""

import array
import gc
import math
import random
import subprocess
import sys
import threading
import time
import unittest

import harness
from case import Case, SEED, numpy, setUpModule, socket, tearDownModule  # noqa: F401
import tegu


class Plain(Case):
    """What works the same with and without numpy."""

    def test_reduce_of_buffers_of_every_type(self):
        for code, dtype in zip("BbHhIiQqfd", "u8 i8 u16 i16 u32 i32 u64 i64 f32 f64".split()):
            x = array.array(code, [3, 1, 2])
            got = self.c.reduce(x, stats=("sum", "min", "argmax", "minmax", "mean"))
            self.assertEqual(got, {"sum": 6, "min": 1, "argmax": 0, "minmax": (1, 3), "mean": 2.0}, dtype)
            self.assertEqual(self.c.reduce(x.tobytes(), "sum", dtype=dtype), {"sum": 6})
            self.assertEqual(list(self.c.reduce(x, dtype=dtype).values()), [6])

    def test_sources(self):
        self.assertEqual(self.c.reduce(b"\x01\x02")["sum"], 3)
        self.assertEqual(self.c.reduce(bytearray(b"\x01\x02"))["sum"], 3)
        self.assertEqual(self.c.reduce(memoryview(b"\x01\x02\x03\x04")[::2])["sum"], 4)
        self.assertEqual(self.c.reduce([1, 2, 3])["sum"], 6)
        self.assertEqual(self.c.reduce((1.5, 2))["sum"], 3.5)
        self.assertEqual(self.c.reduce(5)["sum"], 5)
        self.assertEqual(self.c.reduce(b"\x00\x3c\x00\x40", dtype="f16")["sum"], 3.0)
        self.assertEqual(
            self.c.reduce(b"", ("count", "sum", "nonzero", "nans")),
            {"count": 0, "sum": 0, "nonzero": 0, "nans": 0},
        )

    def test_all_statistics(self):
        got = self.c.reduce([3.0, -4.0, 0.0], "all")
        self.assertEqual(len(got), 15)
        self.assertEqual(
            (got["l1"], got["l2"], got["absmax"], got["nonzero"], got["argmin"]), (7.0, 5.0, 4.0, 2, 1)
        )
        self.assertTrue(math.isnan(self.c.reduce([1.0, float("nan")], "sum")["sum"]))
        self.assertEqual(
            self.c.reduce([1.0, float("nan")], ("sum", "nans"), skip_nans=True), {"sum": 1.0, "nans": 1}
        )
        self.assertEqual(self.c.reduce([1.0, 3.0], "var", ddof=1)["var"], 2.0)

    def test_rows(self):
        got = self.c.reduce(array.array("i", range(6)), ("sum", "minmax"), axis=1, shape=(2, 3))
        self.assertEqual(got["sum"].tolist(), [3, 12])
        self.assertEqual(got["minmax"].tolist(), [[0, 2], [3, 5]])
        values, indices = self.c.topk(array.array("i", range(6)), 2, axis=1, shape=(2, 3))
        self.assertEqual((values.tolist(), indices.tolist()), ([[2, 1], [5, 4]], [[2, 1], [2, 1]]))

    def test_topk(self):
        x = array.array("i", [5, 9, 5, 1])
        values, indices = self.c.topk(x, 3)
        self.assertEqual((list(values), list(indices)), ([9, 5, 5], [1, 0, 2]))
        values, indices = self.c.topk(x, 2, largest=False)
        self.assertEqual((list(values), list(indices)), ([1, 5], [3, 0]))
        values, indices = self.c.topk(x, 4, distinct=True)
        self.assertEqual((list(values), list(indices)), ([9, 5, 1], [1, 0, 3]))
        values, indices = self.c.topk(x, 2, distinct=True, axis=1, shape=(2, 2))
        self.assertEqual(list(self.c.last.counts), [2, 2])

    def test_topk_of_a_million(self):
        x = array.array("i", (self.random.randrange(-(10**9), 10**9) for _ in range(10**6)))
        expected = sorted(range(len(x)), key=lambda i: (-x[i], i))
        for k in (10, 20000):  # in the reply, and in an output buffer
            values, indices = self.c.topk(x, k)
            self.assertEqual(list(indices), expected[:k], "seed %d" % SEED)
            self.assertEqual(list(values), [x[i] for i in expected[:k]], "seed %d" % SEED)

    def test_entropy_map(self):
        flat = self.c.entropy_map(bytes(12), shape=(3, 4))
        self.assertEqual(flat.tolist(), [[0.0] * 4] * 3)
        halves = bytes([0] * 3 + [255] * 3) * 6
        bits = self.c.entropy_map(halves, window=3, levels=2, shape=(6, 6)).tolist()
        nats = self.c.entropy_map(
            halves, window=(3, 3), levels=2, range=(0, 256), base="e", shape=(6, 6)
        ).tolist()
        self.assertEqual(bits[2][0], 0.0)
        self.assertAlmostEqual(bits[2][2], -(1 / 3 * math.log2(1 / 3) + 2 / 3 * math.log2(2 / 3)), 5)
        self.assertAlmostEqual(nats[2][2], bits[2][2] * math.log(2), 5)
        self.c.entropy_map(halves, border="mirror", shape=(6, 6))
        large = self.c.entropy_map(bytes(range(256)) * 1000, shape=(500, 512))
        self.assertEqual(tuple(large.shape), (500, 512))

    def test_errors_name_the_field(self):
        error = self.assertRaisesTegu("BAD_RANGE", "k", self.c.topk, [1, 2, 3], 4)
        self.assertTrue(error.allowed)
        self.assertIsNone(error.retry_after)
        self.assertRaisesTegu("BAD_RANGE", "k", self.c.topk, [1, 2, 3], 0)
        self.assertRaisesTegu("BAD_RANGE", "k", self.c.topk, [1, 2, 3], -1)
        self.assertRaisesTegu("BAD_RANGE", "k", self.c.topk, [1, 2, 3], 1.5)
        self.assertRaisesTegu("BAD_RANGE", "stats", self.c.reduce, [1], "summ")
        self.assertRaisesTegu("BAD_RANGE", "axis", self.c.reduce, [1], axis=2)
        self.assertRaisesTegu("BAD_RANGE", "axis", self.c.reduce, [1], axis=1)
        self.assertRaisesTegu(
            "BAD_RANGE", "window_rows", self.c.entropy_map, bytes(16), window=4, shape=(4, 4)
        )
        self.assertRaisesTegu(
            "BAD_RANGE", "border", self.c.entropy_map, bytes(16), border="wrap", shape=(4, 4)
        )
        self.assertRaisesTegu("BAD_RANGE", "base", self.c.entropy_map, bytes(16), base=10, shape=(4, 4))
        self.assertRaisesTegu("BAD_RANGE", "image", self.c.entropy_map, bytes(16))
        self.assertRaisesTegu("BAD_RANGE", "priority", self.c.reduce, [1], priority="urgent")
        self.assertRaisesTegu("UNSUPPORTED", "operation", self.c.submit, "fft", [1])
        self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, b"12345678", dtype="complex")
        self.assertRaisesTegu("EMPTY_INPUT", "statistics", self.c.reduce, b"", "mean")
        self.assertRaises(TypeError, self.c.reduce, [1], speed=1)
        self.assertRaisesTegu("UNSUPPORTED", "backend", self.c.reduce, [1], backend="gpu")
        self.assertEqual(self.c.reduce([1], backend="cpu")["sum"], 1)

    def test_connect_fails_well(self):
        with self.assertRaises(tegu.Unavailable) as caught:
            tegu.connect("/tmp/tegu-no-such-socket")
        self.assertIn("/tmp/tegu-no-such-socket", str(caught.exception))

    def test_last_reply(self):
        self.c.reduce([1, 2])
        self.assertEqual(self.c.last.backend, "cpu")
        self.assertTrue(self.c.last.policy.startswith("cpu"))
        self.assertGreater(self.c.last.timing.round_trip_ns, self.c.last.timing.compute_ns)

    def await_no_buffers(self):
        """The daemon hears a moment later that a buffer's memory or its connection is gone."""
        deadline = time.monotonic() + 60
        while self.c.stats()["buffers"] != 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.c.stats()["buffers"], 0)

    def test_last_reply_keeps_no_buffer(self):
        self.await_no_buffers()  # those of the tests before
        with self.c.buffer(8, dtype="int32") as buffer:
            self.c.add(buffer, buffer, out=buffer)
            self.assertEqual(self.c.stats()["buffers"], 1)
        self.c.ping()  # the buffer goes with the next message
        self.await_no_buffers()
        self.assertEqual(self.c.last.backend, "cpu")

    def test_daemon_calls(self):
        self.assertGreater(self.c.ping(), 0)
        self.assertEqual(self.c.info()["backend"], "cpu")
        health = self.c.health()
        self.assertIn(health["state"], ("ok", "degraded", "failing"))
        self.assertEqual(health["reasons"] == [], health["state"] == "ok")
        self.assertRegex(self.c.metrics(), r'(?m)^tegu_health_state\{state="ok"\} [01]$')
        before = self.c.stats()
        self.assertTrue(before)
        self.assertEqual(self.c.reconnects, 0)
        self.assertEqual(self.c.jobs(), [])
        with self.assertRaises(tegu.Error) as raised:
            self.c.cancel_job(1)
        self.assertEqual((raised.exception.status, raised.exception.field), ("NOT_FOUND", "id"))
        kernels = self.c.kernels()
        self.assertEqual(kernels["kernels"], [])  # no GPU in this daemon, and it says why
        self.assertTrue(kernels["reason"])
        self.assertEqual(kernels["threads_per_multiprocessor"], 0)

    def test_futures(self):
        futures = [self.c.submit.reduce([i]) for i in range(1000)]
        self.assertEqual([future.result()["sum"] for future in reversed(futures)], list(range(999, -1, -1)))
        future = self.c.submit("topk", [1, 3, 2], 1)
        self.assertEqual(list(future.result(timeout=60)[0]), [3])
        self.assertTrue(future.done())
        self.assertEqual(future.reply.backend, "cpu")
        failed = self.c.submit.topk([1], 2)
        self.assertRaisesTegu("BAD_RANGE", "k", failed.result)
        self.assertRaisesTegu("BAD_RANGE", "k", failed.result)

    def test_futures_that_nobody_asks(self):
        for _ in range(100):
            self.c.submit.reduce([1])
        gc.collect()
        self.assertEqual(self.c.reduce([2])["sum"], 2)
        end = time.monotonic() + 60
        while self.c._dropped and time.monotonic() < end:
            time.sleep(0.001)
            self.c.ping()  # takes them
        self.assertEqual(len(self.c._dropped), 0)

    def test_cancel_and_deadline(self):
        big = bytes(40 << 20)
        futures = [self.c.submit.topk(big, 1000, dtype="f64") for _ in range(4)]
        futures[-1].cancel()
        try:
            futures[-1].result()
        except tegu.Cancelled:
            pass
        for future in futures[:-1]:
            future.result()
        with self.assertRaises(tegu.DeadlineExceeded):
            self.c.topk(big, 1000, dtype="f64", deadline=1e-6)
        slow = self.c.submit.topk(big, 1000, dtype="f64")
        try:
            slow.result(timeout=0)
        except tegu.DeadlineExceeded:
            pass
        slow.result()

    def test_buffer(self):
        with self.c.buffer((4, 3), "i32") as buf:
            self.assertEqual(buf.nbytes, 48)
            for row in range(4):
                for col in range(3):
                    buf.array[row, col] = row * 3 + col
            self.assertEqual(self.c.reduce(buf)["sum"], 66)
            self.assertEqual(self.c.reduce(buf, axis=1)["sum"].tolist(), [3, 12, 21, 30])
            self.assertEqual(buf.generation, 0)
            buf.commit()
            self.assertEqual(buf.generation, 1)
            self.assertIn(buf.handle, [entry["handle"] for entry in self.c.buffers()])
            buf.freeze()
            self.assertTrue(buf.frozen)
            self.assertEqual(
                [entry["frozen"] for entry in self.c.buffers() if entry["handle"] == buf.handle], [True]
            )
            self.assertEqual(buf.array[1, 1], 4)
            self.assertRaises((TypeError, ValueError), buf.array.__setitem__, (0, 0), 1)
            self.assertEqual(self.c.reduce(buf)["sum"], 66)
            self.assertRaisesTegu("BAD_RANGE", "shape", self.c.reduce, buf, shape=(5, 5))
            self.assertRaisesTegu("UNSUPPORTED", "axis", self.c.reduce, buf, axis=0)
        self.assertRaisesTegu("BAD_REQUEST", "buffer", self.c.reduce, buf)
        gc.collect()
        self.assertEqual(self.c.buffers(), [])

    def test_buffer_of_another_client(self):
        with tegu.connect(socket()) as other:
            buf = other.buffer(10, "u8")
            self.assertRaisesTegu("BAD_REQUEST", "buffer", self.c.reduce, buf)

    def test_memory_outlives_buffer_and_client(self):
        buf = self.c.buffer(1000, "f64")
        view = buf.array
        view[5] = 2.5
        result = self.c.entropy_map(bytes(40000), shape=(200, 200))
        buf.close()
        self.c.close()
        self.c.close()
        gc.collect()
        self.assertEqual(view[5], 2.5)
        view[6] = 1
        self.assertEqual(result.tolist()[199][199], 0.0)
        self.assertRaisesTegu("UNAVAILABLE", "", self.c.reduce, [1])

    def test_threads_take_turns(self):
        wrong = []

        def work(number):
            for i in range(50):
                if self.c.reduce([number, i])["sum"] != number + i:
                    wrong.append((number, i))

        self.in_threads(work)
        self.assertEqual(wrong, [])

    def test_the_library_that_is_not_there(self):
        script = "import tegu; tegu.connect()"
        environment = dict(harness.os.environ, TEGU_LIBRARY="/no/such/libtegu.so")
        run = subprocess.run([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE)
        self.assertIn(b"ImportError", run.stderr)
        self.assertIn(b"$TEGU_LIBRARY", run.stderr)


@unittest.skipIf(numpy is None, "numpy is not here")
class Numpy(Case):
    def test_dtypes(self):
        for dtype in "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 bool".split():
            x = numpy.array([[3, 1], [2, 0]]).astype(dtype)
            self.assertEqual(self.c.reduce(x)["sum"], x.sum(), dtype)
            values, indices = self.c.topk(x, 4)
            self.assertEqual(values.dtype, numpy.uint8 if dtype == "bool" else x.dtype)
        self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, numpy.zeros(3, ">f4"))
        self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, numpy.zeros(3, complex))
        self.assertRaisesTegu("UNSUPPORTED", "dtype", self.c.reduce, numpy.array(["a"]))

    def test_layouts(self):
        x = self.rng.rand(60, 50)
        for name, view in (
            ("rows", x[10:20]),
            ("columns", x[:, 5:33]),
            ("every second row", x[::2]),
            ("every second column", x[:, ::2]),
            ("backwards", x[::-1]),
            ("fortran", numpy.asfortranarray(x)),
            ("transposed", x.T),
            ("one dimension", x[3]),
            ("a column", x[:, 3]),
            ("three dimensions", x.reshape(3, 20, 50)[:, :, 1:]),
            ("one element", x[3, 3]),
            ("no rows", x[:0]),
            ("no columns", x[:, :0]),
        ):
            self.assertAlmostEqual(
                self.c.reduce(view)["sum"], float(view.sum()), 9, msg="%s, seed %d" % (name, SEED)
            )
            if view.ndim != 2 or view.size == 0:
                continue
            for axis in (0, 1, -1):
                numpy.testing.assert_allclose(
                    self.c.reduce(view, axis=axis)["sum"],
                    view.sum(axis=axis),
                    err_msg="%s, seed %d" % (name, SEED),
                )
                values, indices = self.c.topk(view, 4, axis=axis)
                numpy.testing.assert_array_equal(
                    values, -numpy.sort(-view, axis=axis).take(range(4), axis=axis)
                )
                numpy.testing.assert_array_equal(numpy.take_along_axis(view, indices, axis), values)

    def test_large_views_with_a_stride(self):
        x = self.rng.randint(0, 1000, (3000, 300)).astype("i4")
        for view in (x[:, :200], x[:, :3], x[:, 1:299], x[5:, :]):
            self.assertEqual(self.c.reduce(view)["sum"], view.sum(), "seed %d" % SEED)

    def test_results_are_arrays(self):
        x = self.rng.rand(2000, 30).astype("f4")
        got = self.c.reduce(x, ("minmax", "argmax", "std"), axis=1)
        self.assertEqual(got["minmax"].shape, (2000, 2))
        numpy.testing.assert_array_equal(got["minmax"][:, 1], x.max(axis=1))
        numpy.testing.assert_array_equal(got["argmax"], x.argmax(axis=1))
        numpy.testing.assert_allclose(got["std"], x.std(axis=1, dtype="f8"), rtol=1e-6)
        everything = self.c.topk(x, x.size)
        numpy.testing.assert_array_equal(everything[0], -numpy.sort(-x.ravel()), "seed %d" % SEED)
        everything[0][0] = 5  # the caller's own memory
        self.assertIsInstance(self.c.reduce(x)["sum"], float)
        self.assertIsInstance(self.c.reduce(x, "argmax")["argmax"], int)

    def test_entropy_map_of_floats(self):
        image = self.rng.rand(64, 80).astype("f4")
        e = self.c.entropy_map(image, window=(3, 7), levels=32, range=(0.0, 1.0))
        self.assertEqual((e.shape, e.dtype), (image.shape, numpy.float32))
        self.assertTrue((e >= 0).all() and (e <= 5).all())
        crop = self.c.entropy_map(image[:, 8:40], window=(3, 7), levels=32, range=(0.0, 1.0))
        numpy.testing.assert_array_equal(crop[:, 4:-4], e[:, 12:36])

    def test_buffer_array(self):
        x = self.rng.rand(500, 500).astype("f4")
        buf = self.c.buffer(x.shape, x.dtype)
        buf.array[...] = x
        self.assertEqual(self.c.reduce(buf, ("sum", "std")), self.c.reduce(x, ("sum", "std")))
        half = self.c.buffer(4, "f16")
        half.array[...] = [1, 2, 3, 4]
        self.assertEqual(self.c.reduce(half)["sum"], 10)


class Recovery(unittest.TestCase):
    """A daemon that is killed under load, and its successor."""

    def test_no_job_is_lost(self):
        generator = random.Random(SEED)
        own = harness.Daemon()
        self.addCleanup(own.stop)
        with tegu.connect(own.socket, reconnect_timeout=60) as c:
            buf = c.buffer(100000, "i32")
            for i in range(0, 100000, 1000):
                buf.array[i] = i
            frozen = c.buffer(1000, "u8")
            frozen.array[7] = 9
            frozen.freeze()
            large = array.array("i", range(50000))
            for round_number in range(3):
                jobs = []
                for i in range(1000):
                    kind = generator.randrange(10)
                    if kind == 0:
                        jobs.append((c.submit.reduce(buf), sum(range(0, 100000, 1000))))
                    elif kind == 1:
                        jobs.append((c.submit.reduce(large), sum(large)))
                    elif kind == 2:
                        jobs.append((c.submit.reduce(frozen), 9))
                    else:
                        jobs.append((c.submit.reduce([i, round_number]), i + round_number))
                for job, expected in jobs[: generator.randrange(300)]:
                    self.assertEqual(job.result()["sum"], expected, "seed %d" % SEED)
                own.kill()
                jobs.append(
                    (c.submit.reduce([round_number]), round_number)
                )  # if all others were answered in time
                restart = threading.Timer(0.05, own.start)
                restart.start()
                for job, expected in jobs:
                    self.assertEqual(job.result()["sum"], expected, "seed %d" % SEED)
                restart.join()
                self.assertEqual(c.reconnects, round_number + 1)


if __name__ == "__main__":
    unittest.main()
