#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Partials that numpy computes without a daemon: merged with those of a daemon, they have the same bits."""

import os
import sys
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "client")]
import case  # noqa: E402
import peers  # noqa: E402
from case import setUpModule, tearDownModule  # noqa: E402, F401

peers.go_on_with("numpy")
try:
    import numpy as np
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)
import tegu  # noqa: E402
from tegu._partials.by_numpy import NumpyPartials  # noqa: E402

INTEGERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


class ByNumpyTest(case.Case):
    def arrays(self):
        random = np.random.default_rng(self.random.randint(0, 1 << 30))
        for kind in ("f2", "f4", "f8"):
            x = (random.normal(size=70001) * 3).astype(kind)
            yield x
            x = x.copy()
            x[random.integers(0, len(x), 40)] = np.array([np.nan, np.inf, -np.inf, -0.0] * 10)
            x[7] = -np.abs(np.array(np.nan, kind))
            yield x
        for kind in INTEGERS:
            info = np.iinfo(kind)
            whole = random.integers(int(info.min), int(info.max), 50001, dtype=kind, endpoint=True)
            yield whole
            yield (whole % np.array(37, kind)).astype(kind)
        yield np.zeros(0, "f4")

    def same(self, x, name, *arguments, **named):
        """The partials of both, each alone and mixed, merged."""
        local, cuts = NumpyPartials(), sorted(self.random.randint(0, len(x)) for _ in range(3))
        cuts = [0] + cuts + [len(x)]
        found = []
        for makers in ((self.c,) * 4, (local,) * 4, (self.c, local, local, self.c)):
            parts = [
                getattr(maker, name)(
                    x[begin:end], *self.cut(arguments, begin, end), offset=begin, total=len(x), **named
                )
                for maker, begin, end in zip(makers, cuts, cuts[1:])
            ]
            self.random.shuffle(parts)
            found.append(self.result(tegu.merge(parts)))
        self.assertEqual(found[0], found[1], (x.dtype, name, arguments, named))
        self.assertEqual(found[0], found[2], (x.dtype, name, arguments, named))

    def cut(self, arguments, begin, end):
        return [each[begin:end] if isinstance(each, np.ndarray) else each for each in arguments]

    def result(self, part):
        try:
            return self.plain(part.result())
        except tegu.Error as error:
            return (error.status, error.field)

    def plain(self, value):
        if isinstance(value, dict):
            return {name: self.plain(each) for name, each in value.items()}
        if isinstance(value, tuple):
            return [self.plain(each) for each in value]
        made = np.asarray(value)
        return (str(made.dtype), made.shape, made.tobytes())

    def test_one_pass(self):
        for x in self.arrays():
            for skip in (False, True):
                self.same(x, "reduce_partial", "all", skip_nans=skip)
                self.same(x, "reduce_partial", ("min", "argmax", "nonzero"), skip_nans=skip)
                self.same(x, "dot_partial", x, skip_nans=skip)
                self.same(x, "entropy_partial", 100, (-2.3, 3.1), skip_nans=skip)
            for distinct in (False, True):
                self.same(x, "topk_partial", 300, distinct=distinct)
                self.same(x, "topk_partial", 300, largest=False, distinct=distinct)
            for edges in ((-2.3, 3.1), (0, 30), (1, 1), (-1e10, 1e11)):
                self.same(x, "histogram_partial", 97, edges)
            if x.dtype.kind != "f":
                self.same(x, "entropy_partial", 1000)
            if len(x):
                parts = {"reduce": {"stats": "all"}, "topk": {"k": 9}, "histogram": {"range": (0, 9)}}
                self.same(x, "fused_partial", **parts)

    def test_rounds(self):
        local = NumpyPartials()
        for x in self.arrays():
            if len(x) == 0:
                continue
            q = (0, 0.2, 0.5, 0.77, 1)
            found = tegu.Quantile(q, x.dtype, len(x), skip_nans=True)
            half = len(x) // 2
            while not found.done:
                state = found.state
                found.add(
                    [
                        local.quantile_partial(x[:half], state, offset=0),
                        self.c.quantile_partial(x[half:], state, offset=half),
                    ]
                )
            expected = self.c.quantile(x, q, skip_nans=True)
            self.assertEqual(
                np.array(found.result(), "f8").tobytes(), np.array(expected, "f8").tobytes(), x.dtype
            )

    def test_what_it_does_not_take(self):
        with self.assertRaises(tegu.Error) as raised:
            NumpyPartials().reduce_partial(np.zeros(3), deadline=1.0)
        self.assertEqual(raised.exception.field, "deadline")


if __name__ == "__main__":
    unittest.main()
