#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu.dask on one tegud: every operation has the bits of tegu.Client on the whole array, whatever the
chunks; and what cannot be split is refused before the first task."""

import os
import unittest

import needs_dask  # noqa: F401  comes first: the next ones are found through it
import dask
import dask.array as da
import numpy as np
import harness
import tegu
import tegu.dask as td
from tegu import _worker as worker

CUTS = (1, 2, 7, 64)


def bits(found):
    """Equal for the same bits only."""
    if isinstance(found, dict):
        return {name: bits(each) for name, each in found.items()}
    if isinstance(found, tuple):
        return [bits(each) for each in found]
    made = np.asarray(found)
    return (str(made.dtype), made.shape, made.tobytes())


def cut(x, pieces):
    """A dask array of x in so many chunks along its first axis; some are no multiple of anything."""
    places = np.linspace(0, len(x), pieces + 1).astype(int)
    if pieces > 2:
        places[1:-1] += np.arange(pieces - 1) % 2 * 3
    return da.from_array(x, chunks=(tuple(int(each) for each in np.diff(places)),) + x.shape[1:])


class Arrays(object):
    """The inputs of the tests here and of cluster_test.py."""

    def __init__(self):
        random = np.random.default_rng(2026)
        self.f32 = random.normal(size=200000).astype("f4")
        self.special = self.f32.copy()
        self.special[[5, 70000, 199999]] = [np.nan, np.inf, -np.inf]
        self.f64 = random.normal(size=100001) * 1e200
        self.i16 = random.integers(-300, 300, 150000).astype("i2")
        self.u8 = random.integers(0, 255, 120000).astype("u1")
        self.image = (random.random((300, 257)) * 200).astype("u1")
        self.real = random.normal(size=(211, 64)).astype("f4")


class DaskTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = harness.Daemon()
        os.environ["TEGU_SOCKET"] = cls.daemon.socket
        cls.client = tegu.connect()
        cls.arrays = Arrays()
        cls.scheduler = dask.config.set(scheduler="threads", num_workers=2)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.daemon.stop()

    def same(self, lazy, expected, what):
        found = dask.compute(*lazy) if isinstance(lazy, tuple) else lazy.compute()
        self.assertEqual(bits(found), bits(expected), what)

    def test_results_of_the_whole(self):
        c, a = self.client, self.arrays
        for name in ("f32", "special", "f64", "i16", "u8"):
            x = getattr(a, name)
            whole = [
                ("reduce", (tegu._abi.STATISTICS,), {"skip_nans": True}),
                ("reduce", ("all",), {}),
                ("topk", (1000,), {}),
                ("topk", (70,), {"largest": False, "distinct": True}),
                ("quantile", ((0, 0.01, 0.5, 0.999),), {"method": "nearest"}),
                ("quantile", (0.5,), {"skip_nans": True}),
                ("histogram", (97, (-2.5, 3.5)), {}),
                ("entropy", (100, (-2.5, 3.5)), {}),
                ("entropy", (64,), {"skip_nans": True}),
                ("dot", (x,), {}),
            ]
            if name != "special":
                whole.append(("histogram", (50,), {}))
            for operation, given, named in whole:
                expected = self.expected(operation, x, given, named)
                for pieces in CUTS if name == "f32" else (7,):
                    cutted = [cut(each, pieces) if each is x else each for each in given]
                    lazy = getattr(td, operation)(cut(x, pieces), *cutted, **named)
                    what = "%s of %s in %d" % (operation, name, pieces)
                    if isinstance(expected, tegu.Error):
                        with self.assertRaises(tegu.Error, msg=what) as raised:
                            lazy.compute()
                        self.assertEqual(raised.exception.status, expected.status, what)
                    else:
                        self.same(lazy, expected, what)
        self.assertEqual(c.reconnects, 0)

    def expected(self, operation, x, given, named):
        try:
            return getattr(self.client, operation)(x, *given, **named)
        except tegu.Error as error:
            return error

    def test_arrays(self):
        c, a = self.client, self.arrays
        for image in (a.image, a.real):
            for chunks in ((300, 257), (100, 257), (43, 61)):
                for border in ("clip", "mirror"):
                    self.same(
                        td.entropy_map(da.from_array(image, chunks=chunks), (7, 3), border=border),
                        c.entropy_map(image, (7, 3), border=border),
                        (chunks, border),
                    )
        x = da.from_array(a.real, chunks=(50, 20))
        self.same(td.rowscale(x), c.rowscale(a.real), "rowscale")
        self.same(td.add(x, x), c.add(a.real, a.real), "add")
        line = a.real[0]
        self.same(td.rowscale(da.from_array(line, chunks=7))[0], c.rowscale(line, axis=-1)[0], "one row")
        none = np.zeros((5, 0), "f4")
        self.same(td.rowscale(da.from_array(none, chunks=(2, 1)))[1], c.rowscale(none)[1], "no elements")
        self.same(td.quantile(x, np.array(0.5)), c.quantile(a.real, 0.5), "q without dimensions")

    def test_rows_and_empty_chunks(self):
        a = self.arrays
        x = da.from_array(a.real, chunks=(50, 20))  # joined to rows
        self.same(td.reduce(x, "all"), self.client.reduce(a.real, "all"), "columns are cut")
        y = da.concatenate([cut(a.f32, 2), da.zeros(0, dtype="f4", chunks=1), cut(a.f32, 1)])
        both = np.concatenate([a.f32, a.f32])
        self.same(td.quantile(y, 0.3), self.client.quantile(both, 0.3), "an empty chunk")
        self.same(td.topk(y, 3), self.client.topk(both, 3), "an empty chunk")

    def test_other_arrays_of_the_same_name(self):
        for i in range(12):
            x = np.full(1000, float(i), "f4")
            lazy = td.quantile(da.from_array(x, chunks=50, name="x"), 0.5)
            self.assertEqual(lazy.compute(scheduler="threads", num_workers=4), i)

    def test_ranges_that_are_found(self):
        c = self.client
        for x in (
            np.array([0, 2**53 + 1], "i8"),
            np.array([-(2**63), 3, 2**63 - 1], "i8"),
            np.array([2**53 + 1, 2**64 - 1], "u8"),
        ):
            self.same(td.histogram(da.from_array(x, chunks=1), 2), c.histogram(x, 2), x)
        for values in ([1.0] * 9, [np.nan] * 9, [1, np.inf, np.inf], [np.nan, 2, -np.inf], [0.0, -0.0]):
            x = np.array(values, "f4")
            for skip in (False, True):
                expected = self.expected("entropy", x, (), {"skip_nans": skip})
                self.same(td.entropy(da.from_array(x, chunks=2), skip_nans=skip), expected, values)
        with self.assertRaises(tegu.Error) as raised:
            td.entropy(da.zeros(0, dtype="f4", chunks=1)).compute()
        self.assertEqual(raised.exception.status, "EMPTY_INPUT")

    def test_ranges_are_refused_alike(self):
        x = self.arrays.f32[:1000]
        for edges in ((1, 1), (1, 1 + 1e-9), (-1.7e308, 1.7e308), (2, 1)):
            for of in (x, x.astype("f8")):
                for name in ("entropy", "histogram"):
                    lazy = cut(of, 2)
                    found = []
                    for named in ({}, {"socket": "/tmp/tegu-no-such-socket", "fallback": "numpy"}):
                        try:
                            found.append(bits(getattr(td, name)(lazy, 5, edges, **named).compute()))
                        except tegu.Error as error:
                            found.append((error.status, error.field))
                    self.assertEqual(found[0], found[1], (name, edges, of.dtype))

    def refused(self, status, field, call, *arguments, **named):
        with self.assertRaises(tegu.Error) as raised:
            call(*arguments, **named)
        self.assertEqual((raised.exception.status, raised.exception.field), (status, field))
        return raised.exception

    def test_refusals_before_the_first_task(self):
        x = cut(self.arrays.f32, 3)
        self.refused("BAD_REQUEST", "x", td.reduce, self.arrays.f32)
        self.refused("UNSUPPORTED", "dtype", td.reduce, x.astype(object))
        self.refused("UNSUPPORTED", "dtype", td.topk, x.astype("c16"), 3)
        error = self.refused("BAD_RANGE", "x", td.reduce, x[x > 0])
        self.assertIn("compute_chunk_sizes", error.allowed)
        self.refused("BAD_RANGE", "y", td.dot, x, x[1:])
        self.refused("BAD_RANGE", "y", td.add, x, x.astype("f8"))
        self.refused("BAD_RANGE", "image", td.entropy_map, x)
        self.refused("BAD_RANGE", "x", td.rowscale, x.astype("i4"))
        self.refused("BAD_RANGE", "method", td.quantile, x, 0.5, method="best")
        self.refused("BAD_RANGE", "stats", td.reduce, x, "summ")
        self.refused("BAD_RANGE", "k", td.topk, x, 0)
        self.refused("BAD_RANGE", "k", td.topk, da.ones(5), 9)
        self.refused("BAD_RANGE", "bins", td.histogram, x, 0)
        self.refused("BAD_RANGE", "levels", td.entropy, x, 1, (0, 1))
        self.refused("BAD_RANGE", "window_rows", td.entropy_map, da.ones((9, 9)), 4)
        self.refused("BAD_RANGE", "border", td.entropy_map, da.ones((9, 9)), border="wrap")

    def test_a_worker_without_tegud_computes_by_numpy(self):
        c, x, named = self.client, self.arrays.special, {"socket": "/tmp/tegu-no-such-socket"}
        named["fallback"] = "numpy"
        lazy = cut(x, 5)
        self.same(
            td.reduce(lazy, "all", skip_nans=True, **named), c.reduce(x, "all", skip_nans=True), "reduce"
        )
        self.same(td.topk(lazy, 9, **named), c.topk(x, 9), "topk")
        self.same(td.quantile(lazy, (0.1, 0.9), **named), c.quantile(x, (0.1, 0.9)), "quantile")
        self.same(td.histogram(lazy, 9, (-1, 1), **named), c.histogram(x, 9, (-1, 1)), "histogram")
        self.same(td.entropy(lazy, 9, **named), c.entropy(x, 9), "entropy")
        self.same(td.dot(lazy, lazy, **named), c.dot(x, x), "dot")
        self.refused("BAD_RANGE", "fallback", td.reduce, lazy, fallback="cupy")
        self.refused("BAD_RANGE", "fallback", td.add, lazy, lazy, fallback="numpy")
        self.assertRaises(TypeError, td.reduce, lazy, speed=1)

    def test_errors_name_the_worker(self):
        x = cut(self.arrays.f32, 3)
        error = self.refused("DEADLINE_EXCEEDED", "", td.reduce(x, deadline=1e-9).compute)
        self.assertIn("worker ", error.message)
        with self.assertRaises(tegu.Unavailable) as raised:
            worker.CONNECT_S = 0.1
            try:
                td.reduce(x, socket="/tmp/tegu-no-such-socket").compute()
            finally:
                worker.CONNECT_S = 10.0
        self.assertIn("worker ", raised.exception.message)
        self.assertIn("/tmp/tegu-no-such-socket", raised.exception.message)


if __name__ == "__main__":
    unittest.main()
