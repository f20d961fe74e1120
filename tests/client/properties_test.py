#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every operation through the Python package against numpy and docs/numerics.md (references.py), over random
types, shapes, strides, axes and values: equal where the document says exact, else within its bounds. scipy
and scikit-image are asked where they are there or can be fetched (tests/peers.py).

$TEGU_PROPERTIES=long takes many more examples; $TEGU_SEED repeats a run, whose seed is printed."""

import math
import os
import random
import sys
import unittest

import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import peers  # noqa: E402

peers.go_on_with("numpy", "hypothesis", "scipy", "skimage")
harness.preload_sanitizer()
try:
    import numpy
    from hypothesis import HealthCheck, given, seed, settings, strategies as st
except ImportError as missing:
    print("skipped: %s (Debian: python3-numpy python3-hypothesis)" % missing)
    sys.exit(harness.SKIPPED)
try:
    import scipy.stats
except ImportError:
    scipy = None
try:
    import skimage.filters.rank
    import skimage.measure
except ImportError:
    skimage = None
import references  # noqa: E402
import samples  # noqa: E402
import tegu  # noqa: E402
from tegu import _abi  # noqa: E402

SEED = int(os.environ.get("TEGU_SEED") or random.SystemRandom().randrange(1 << 32))
EXAMPLES = 1000 if os.environ.get("TEGU_PROPERTIES") == "long" else 30
ALL = samples.INTEGERS + samples.FLOATS
flags = st.booleans()


def setUpModule():
    global daemon, c
    daemon = harness.Daemon()
    c = tegu.connect(daemon.socket, name="properties_test")


def tearDownModule():
    c.close()
    status = daemon.stop()
    assert status == 0, "tegud ended with status %d" % status


def examples(share=1.0):
    """Settings of a property; `share` of the usual number of examples."""
    profile = settings(
        max_examples=max(int(EXAMPLES * share), 1),
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: seed(SEED)(profile(test))


def outcome(function, *arguments, **options):
    """(result, None) or (None, status)"""
    try:
        return function(*arguments, **options), None
    except (tegu.Error, references.Refused) as refused:
        return None, refused.status


def rows_of(x, axis):
    """The sequences of an array, and the shape that they are in."""
    if axis is None:
        return [x.ravel()], ()
    moved = numpy.moveaxis(x, axis, -1)
    rest = moved.shape[:-1]
    return list(moved.reshape((int(numpy.prod(rest, dtype="i8")), moved.shape[-1]))), rest


def with_range(rows, dtype, edges, reference):
    """The reference's results. A range that was given is looked at whether there are rows or not."""
    if edges is not None and not rows:
        reference(numpy.zeros(1, dtype))
    return [reference(row) for row in rows]


def bits(x):
    """What tells -0 from 0, and one NaN from another."""
    x = numpy.ascontiguousarray(x)
    return x.view("u%d" % x.dtype.itemsize) if x.dtype.kind == "f" else x


class Properties(unittest.TestCase):
    def assertOutcome(self, got, wanted):
        """The statuses agree; True if there are results to compare."""
        self.assertEqual(got[1], wanted[1])
        return got[1] is None

    def assertArray(self, got, wanted):
        numpy.testing.assert_array_equal(got, wanted)

    def assertValue(self, found, wanted, what=""):
        if wanted is None:
            return
        if isinstance(wanted, references.Near):
            self.assertTrue(wanted.accepts(found), "%s: %r is not %r" % (what, found, wanted))
        else:
            numpy.testing.assert_equal(found, wanted, err_msg=str(what))

    def assertRows(self, got, wanted, rest, what=""):
        """One value a row."""
        self.assertEqual(numpy.shape(got), rest)
        for found, value in zip(
            numpy.asarray(got).reshape((len(wanted),) + numpy.shape(got)[len(rest) :]), wanted
        ):
            self.assertValue(found[()], value, what)

    @examples(2)
    @given(
        samples.with_axis(samples.samples(ALL)),
        st.sets(st.sampled_from(_abi.STATISTICS), min_size=1),
        st.integers(0, 1),
        flags,
    )
    def test_reduce(self, drawn, stats, ddof, skip_nans):
        (sample, axis), stats = drawn, sorted(stats)
        rows, rest = rows_of(sample.array, axis)
        got = outcome(c.reduce, sample.array, stats, axis, ddof=ddof, skip_nans=skip_nans)
        wanted = outcome(lambda: [references.reduce(row, stats, ddof, skip_nans) for row in rows])
        if not self.assertOutcome(got, wanted):
            return
        for name in stats:
            if name == "minmax":
                self.assertEqual(numpy.shape(got[0][name]), rest + (2,))
                self.assertArray(
                    numpy.asarray(got[0][name]).reshape((len(rows), 2)),
                    numpy.array([row[name] for row in wanted[0]]).reshape((-1, 2)),
                )
            else:
                self.assertRows(got[0][name], [row[name] for row in wanted[0]], rest, name)

    @examples(2)
    @given(samples.with_axis(samples.samples(ALL)), st.data(), flags, flags)
    def test_topk(self, drawn, data, largest, distinct):
        sample, axis = drawn
        rows, rest = rows_of(sample.array, axis)
        n = sample.array.size if axis is None else sample.array.shape[axis]
        k = data.draw(st.one_of(st.integers(1, max(n, 1)), st.just(max(n, 1)), st.just(1)), "k")
        got = outcome(c.topk, sample.array, k, largest, distinct, axis)
        wanted = outcome(lambda: [references.topk(row, k, largest, distinct) for row in rows])
        if n == 0 or not self.assertOutcome(got, wanted):
            return
        if axis is None:
            self.assertArray(got[0][0], wanted[0][0][0])
            self.assertArray(got[0][1], wanted[0][0][1])
            return
        values, indices = (numpy.moveaxis(found, axis, -1).reshape((len(rows), k)) for found in got[0])
        for row, (best, where) in enumerate(wanted[0]):
            self.assertArray(values[row][: len(best)], best)
            self.assertArray(indices[row], numpy.concatenate((where, numpy.full(k - len(where), -1))))

    @examples()
    @given(samples.pairs(ALL))
    def test_add(self, drawn):
        x, y = (sample.array for sample in drawn)
        got, wanted = outcome(c.add, x, y), outcome(references.add, x, y)
        if self.assertOutcome(got, wanted):
            self.assertEqual(numpy.shape(got[0]), x.shape)
            found, exact = numpy.asarray(got[0], x.dtype), numpy.asarray(wanted[0], x.dtype)
            self.assertArray(found, exact)
            some = exact == exact
            self.assertArray(bits(found[some]), bits(exact[some]))
            out = numpy.empty_like(x)
            self.assertIs(c.add(x, y, out=out), out)
            self.assertArray(bits(out[some]), bits(exact[some]))

    @examples()
    @given(samples.with_axis(samples.pairs(ALL)), flags)
    def test_dot(self, drawn, skip_nans):
        (x, y), axis = (sample.array for sample in drawn[0]), drawn[1]
        rows, rest = rows_of(x, axis)
        got = outcome(c.dot, x, y, axis, skip_nans)
        wanted = outcome(lambda: [references.dot(a, b, skip_nans) for a, b in zip(rows, rows_of(y, axis)[0])])
        if self.assertOutcome(got, wanted):
            self.assertRows(got[0], wanted[0], rest, "dot")

    @examples()
    @given(samples.with_axis(samples.samples(samples.FLOATS)), flags)
    def test_rowscale(self, drawn, skip_nans):
        x, axis = drawn[0].array, drawn[1]
        rows, rest = rows_of(x, axis)
        values, scales = c.rowscale(x, axis, skip_nans)
        wanted = [references.rowscale(row, skip_nans) for row in rows]
        self.assertRows(scales, [scale for _, scale in wanted], rest, "scale")
        self.assertEqual(numpy.shape(values), x.shape)
        for found, (exact, _) in zip(rows_of(numpy.asarray(values), axis)[0], wanted):
            self.assertArray(found, exact)

    @examples(2)
    @given(
        samples.with_axis(samples.samples(ALL)),
        st.one_of(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=1, max_size=5)),
        st.sampled_from(["linear", "lower", "higher", "nearest", "midpoint"]),
        flags,
    )
    def test_quantile(self, drawn, q, method, skip_nans):
        x, axis = drawn[0].array, drawn[1]
        rows, rest = rows_of(x, axis)
        several = q if isinstance(q, list) else [q]
        if not rows and x.shape[axis] == 0:
            return  # neither elements nor rows: refused
        got = outcome(c.quantile, x, q, axis, method, skip_nans)
        wanted = outcome(lambda: [references.quantile(row, several, method, skip_nans) for row in rows])
        if not self.assertOutcome(got, wanted):
            return
        self.assertEqual(numpy.shape(got[0]), numpy.shape(q) + rest)
        found = numpy.asarray(got[0]).reshape((len(several), len(rows)))
        for row, exact in enumerate(wanted[0]):
            if exact is not None:
                self.assertArray(found[:, row], exact)

    @examples()
    @given(samples.with_axis(samples.samples(ALL)), st.integers(1, 300), samples.ranges(), flags)
    def test_histogram(self, drawn, bins, edges, skip_nans):
        x, axis = drawn[0].array, drawn[1]
        rows, rest = rows_of(x, axis)
        got = outcome(c.histogram, x, bins, edges, axis, skip_nans)
        wanted = outcome(
            lambda: with_range(
                rows, x.dtype, edges, lambda row: references.histogram(row, bins, edges, skip_nans)
            )
        )
        if not self.assertOutcome(got, wanted):
            return
        self.assertEqual((got[0][0].shape, got[0][1].shape), (rest + (bins,), rest + (bins + 1,)))
        for counts, grid, exact in zip(
            got[0][0].reshape((len(rows), bins)), got[0][1].reshape((len(rows), bins + 1)), wanted[0]
        ):
            self.assertArray(grid, exact[1])
            self.assertArray(counts, exact[0])

    @examples()
    @given(
        samples.with_axis(samples.samples(ALL)),
        st.integers(2, 1000),
        samples.ranges(),
        st.sampled_from([2, "e"]),
        flags,
    )
    def test_entropy(self, drawn, levels, edges, base, skip_nans):
        x, axis = drawn[0].array, drawn[1]
        edges = None if edges is None or edges[0] == edges[1] else edges
        rows, rest = rows_of(x, axis)
        got = outcome(c.entropy, x, levels, edges, base, axis, skip_nans)
        wanted = outcome(
            lambda: with_range(
                rows, x.dtype, edges, lambda row: references.entropy(row, levels, edges, base, skip_nans)
            )
        )
        if self.assertOutcome(got, wanted):
            self.assertRows(got[0], wanted[0], rest, "entropy")

    @examples()
    @given(
        samples.with_axis(samples.samples(ALL)),
        st.sets(st.sampled_from(["reduce", "topk", "quantile", "histogram", "entropy"]), min_size=1),
    )
    def test_fused_parts_are_what_each_gives_alone(self, drawn, names):
        x, axis = drawn[0].array, drawn[1]
        options = {
            "reduce": {"stats": ("min", "std", "sum")},
            "topk": {"k": 1},
            "quantile": {"q": [0.25, 0.5]},
            "entropy": {"levels": 16},
            "histogram": {"bins": 7, "range": (0, 50)},
        }
        parts = {name: options[name] for name in sorted(names)}
        alone = {
            name: outcome(getattr(c, name), x, axis=axis, **arguments) for name, arguments in parts.items()
        }
        got, status = outcome(c.fused, x, axis, **parts)
        refusals = {refused for _, refused in alone.values() if refused is not None}
        if refusals:
            self.assertIn(status, refusals)
            return
        self.assertIsNone(status)
        for name, (wanted, _) in alone.items():
            found = (
                list(got[name].values())
                if name == "reduce"
                else got[name]
                if isinstance(wanted, tuple)
                else [got[name]]
            )
            exact = (
                list(wanted.values())
                if name == "reduce"
                else wanted
                if isinstance(wanted, tuple)
                else [wanted]
            )
            for one, other in zip(found, exact):
                self.assertArray(bits(one), bits(other))

    @examples()
    @given(
        samples.samples(
            ALL, samples.shapes(2, 1).filter(lambda shape: len(shape) == 2 and shape[0] * shape[1] <= 4000)
        ),
        st.tuples(st.sampled_from([3, 5, 9, 21]), st.sampled_from([3, 5, 7])),
        st.integers(2, 256),
        st.sampled_from(["clip", "mirror"]),
        flags,
    )
    def test_entropy_map_is_the_entropy_of_windows(self, sample, window, levels, border, with_range):
        image, edges = sample.array, (0, 100) if with_range else None
        got = outcome(c.entropy_map, image, window, levels, edges, border=border)
        found = outcome(lambda: references.levels_of(image.ravel(), levels, edges))
        if found[0] is None:
            self.assertEqual(got[1], "BAD_RANGE")
            return
        self.assertIsNone(got[1])
        half, mode = (window[0] // 2, window[1] // 2), {"clip": "constant", "mirror": "symmetric"}[border]
        options = {"constant_values": -1} if border == "clip" else {}
        padded = numpy.pad(
            numpy.array(found[0]).reshape(image.shape),
            [(half[0], half[0]), (half[1], half[1])],
            mode,
            **options,
        )
        for row, col in random.Random(SEED).sample(
            [(row, col) for row in range(image.shape[0]) for col in range(image.shape[1])], 1
        ):
            around = padded[row : row + window[0], col : col + window[1]].ravel()
            shares = numpy.unique(around[around >= 0], return_counts=True)[1] / float((around >= 0).sum())
            touched = image[
                max(row - half[0], 0) : row + half[0] + 1, max(col - half[1], 0) : col + half[1] + 1
            ]
            exact = (
                math.nan
                if references.is_float(image) and numpy.isnan(touched).any()
                else -(shares * numpy.log2(shares)).sum()
            )
            numpy.testing.assert_allclose(got[0][row, col], exact, rtol=1e-6, atol=2e-6)

    @unittest.skipIf(scipy is None, "scipy is not here")
    @examples()
    @given(samples.samples(["u1", "u2", "i2"], samples.shapes(1, 1)), st.sampled_from([2, "e"]))
    def test_entropy_is_that_of_scipy(self, sample, base):
        x = sample.array.ravel()
        levels = 256 if x.dtype.itemsize == 1 else 65536
        wanted = scipy.stats.entropy(numpy.unique(x, return_counts=True)[1], base=2 if base == 2 else None)
        got = c.entropy(x, levels, base=base)
        numpy.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)
        if skimage is not None:
            wanted = skimage.measure.shannon_entropy(x, base=2 if base == 2 else math.e)
            numpy.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)

    @unittest.skipIf(skimage is None, "scikit-image is not here")
    @examples()
    @given(
        samples.samples(["u1"], st.tuples(st.integers(1, 40), st.integers(1, 40))),
        st.sampled_from([3, 5, 9]),
        st.sampled_from([3, 5, 7]),
    )
    def test_entropy_map_is_that_of_scikit_image(self, sample, rows, cols):
        image = numpy.ascontiguousarray(sample.array)
        wanted = skimage.filters.rank.entropy(image, numpy.ones((rows, cols), "u1"))
        numpy.testing.assert_allclose(c.entropy_map(image, (rows, cols), 256), wanted, rtol=1e-6, atol=2e-6)


if __name__ == "__main__":
    print("TEGU_SEED=%d" % SEED)
    unittest.main()
