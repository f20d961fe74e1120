# SPDX-License-Identifier: Apache-2.0
"""Arrays for property tests: a few drawn numbers say type, shape, values and how the memory is laid out, so
that a failure is told in one line and made again from it."""

import numpy
from hypothesis import strategies

INTEGERS = "u1 i1 u2 i2 u4 i4 u8 i8".split()
FLOATS = "f2 f4 f8".split()
KINDS = "few full normal special constant sorted".split()
LAYOUTS = "c fortran columns step backwards unaligned transposed".split()


def values(dtype, count, kind, random):
    dtype = numpy.dtype(dtype)
    if kind == "full":
        return numpy.frombuffer(random.bytes(count * dtype.itemsize), dtype).copy()
    if kind == "special":
        return random.choice(specials(dtype), count).astype(dtype)
    if kind == "few" or dtype.kind != "f":
        made = (
            random.randint(0, 4 if kind == "few" else 100, count)
            if kind != "constant"
            else numpy.full(count, random.randint(0, 100))
        )
    else:
        made = (
            random.standard_normal(count) * 10.0 ** random.randint(-3, 4)
            if kind != "constant"
            else numpy.full(count, random.standard_normal())
        )
    return (numpy.sort(made) if kind == "sorted" else made).astype(dtype)


def specials(dtype):
    if dtype.kind != "f":
        limits = numpy.iinfo(dtype)
        return numpy.array([limits.min, limits.max, limits.max // 2, 0, 1], dtype)
    limits = numpy.finfo(dtype)
    return numpy.array(
        [
            0.0,
            -0.0,
            1,
            -1,
            numpy.inf,
            -numpy.inf,
            numpy.nan,
            limits.max,
            limits.min,
            limits.tiny,
            limits.tiny / 4,
        ],
        dtype,
    )


def laid_out(array, layout):
    """The same elements, in memory as `layout` says."""
    if array.ndim == 0 or array.size == 0:
        return array
    if layout == "fortran":
        return numpy.asfortranarray(array)
    if layout == "columns":
        wide = numpy.zeros(array.shape[:-1] + (array.shape[-1] + 3,), array.dtype)
        wide[..., 1:-2] = array
        return wide[..., 1:-2]
    if layout == "step":
        wide = numpy.zeros(array.shape[:-1] + (array.shape[-1] * 2,), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if layout == "backwards":
        return array[::-1].copy()[::-1]
    if layout == "unaligned":
        moved = numpy.ndarray(array.shape, array.dtype, bytearray(array.nbytes + 1), 1)
        moved[...] = array
        return moved
    return array.T.copy().T if layout == "transposed" else array


class Sample(object):
    """An array, and how it was made."""

    def __init__(self, dtype, shape, kind, layout, seed):
        self.recipe = "Sample(%r, %r, %r, %r, %r)" % (dtype, shape, kind, layout, seed)
        count = int(numpy.prod(shape, dtype="i8"))
        array = values(dtype, count, kind, numpy.random.RandomState(seed)).reshape(shape)
        self.array = laid_out(array, layout)

    def __repr__(self):
        return self.recipe


def shapes(max_dimensions=3, least=0):
    few = strategies.integers(least, 9)
    small = strategies.lists(few, min_size=1 if least else 0, max_size=max_dimensions).map(tuple)
    line = strategies.integers(least, 5000).map(lambda n: (n,))
    table = strategies.tuples(strategies.integers(max(least, 1), 40), strategies.integers(max(least, 1), 700))
    return strategies.one_of(small, line, table)


def samples(types, shape=None, kinds=KINDS):
    return strategies.builds(
        Sample,
        strategies.sampled_from(types),
        shape if shape is not None else shapes(),
        strategies.sampled_from(kinds),
        strategies.sampled_from(LAYOUTS),
        strategies.integers(0, 2**32 - 1),
    )


@strategies.composite
def pairs(draw, types, kinds=KINDS):
    """Two samples of one type and shape."""
    dtype, shape = draw(strategies.sampled_from(types)), draw(shapes())
    one = samples([dtype], strategies.just(shape), kinds)
    return draw(one), draw(one)


@strategies.composite
def with_axis(draw, sample):
    """(sample or pair, an axis of it or None)"""
    drawn = draw(sample)
    dimensions = (drawn[0] if isinstance(drawn, tuple) else drawn).array.ndim
    return drawn, draw(
        strategies.none()
        if dimensions == 0
        else strategies.one_of(strategies.none(), strategies.integers(-dimensions, dimensions - 1))
    )


def ranges():
    edge = strategies.one_of(strategies.integers(-5, 300).map(float), strategies.floats(-1e6, 1e6))
    return strategies.one_of(
        strategies.none(), strategies.tuples(edge, edge).map(lambda edges: tuple(sorted(edges)))
    )
