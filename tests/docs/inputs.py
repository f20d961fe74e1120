# SPDX-License-Identifier: Apache-2.0
"""Arrays that are hard to get right: sizes beside the borders of leaves, tiles and chunks; ties, NaN,
infinities, both zeros, subnormals, extremes."""

import numpy

LENGTHS = [
    1,
    2,
    3,
    4,
    5,
    7,
    16,
    31,
    32,
    33,
    64,
    100,
    127,
    128,
    129,
    255,
    500,
    1000,
    1023,
    1024,
    1025,
    1100,
    2047,
    2048,
    2049,
    3000,
]
LONG = [4096, 5000, 16383, 16384, 16385, 17408, 20000, 33000, 50000]  # several tiles, and chunks
WIDTHS = [1, 2, 3, 5, 8, 31, 33, 64, 128, 130, 257]


def shape(random, long_share=0.05):
    """(rows, cols)."""
    kind = random.random()
    if kind < 0.04:
        return int(random.choice([0, 0, 1, 3])), int(random.choice([0, 0, 4]))
    if kind < 0.04 + long_share:
        return 1, int(random.choice(LONG))
    if kind < 0.6:
        return 1, int(random.choice(LENGTHS))
    return int(random.integers(1, 9)), int(random.choice(WIDTHS))


def integers(random, dtype, n):
    limits = numpy.iinfo(dtype)
    kind = random.integers(6)
    if kind == 0:
        return random.integers(limits.min, limits.max, n, dtype, endpoint=True)
    if kind == 1:  # ties
        return random.integers(0, 4, n).astype(dtype)
    if kind == 2:
        return numpy.full(n, random.choice([0, 1, limits.min, limits.max]), dtype)
    if kind == 3:  # neighbours, far from zero
        low = limits.max - min(1000, int(limits.max) // 2)
        return random.integers(low, limits.max, n, dtype, endpoint=True)
    if kind == 4:
        return random.choice(numpy.array([limits.min, limits.max, 0, 1, limits.max - 1], dtype), n)
    return random.integers(max(int(limits.min), -100), 101, n).astype(dtype)


def special_floats(dtype):
    limits = numpy.finfo(dtype)
    return numpy.array(
        [
            0.0,
            -0.0,
            1,
            -1,
            limits.max,
            -limits.max,
            limits.tiny,
            limits.tiny / 2,
            -limits.tiny / 4,
            numpy.inf,
            -numpy.inf,
            numpy.nan,
        ],
        dtype,
    )


def floats(random, dtype, n):
    kind = random.integers(9)
    if kind == 0:  # any bits: NaN of every payload, subnormals, infinities
        return random.integers(0, 256, n * numpy.dtype(dtype).itemsize, numpy.uint8).view(dtype)
    if kind == 1:
        return random.choice(special_floats(dtype), n)
    if kind == 2:  # ties and a few zeros of either sign
        return random.choice(numpy.array([-2, -0.0, 0.0, 1, 1.5], dtype), n)
    if kind == 3:
        return numpy.full(n, random.choice(special_floats(dtype)), dtype)
    if kind == 4:  # varies little about a large mean
        return (1000 + random.normal(size=n)).astype(dtype)
    if kind == 5:  # squares that overflow or vanish
        size = float(numpy.finfo(dtype).max) * random.choice([0.9, 1e-20, 1e-3]) ** random.choice([1, 0.5])
        return (random.normal(size=n) * size).astype(dtype)
    if kind == 6:
        size = float(numpy.finfo(dtype).tiny) * random.choice([0.3, 10, 1e3])
        return (random.normal(size=n) * size).astype(dtype)
    if kind == 7:
        x = random.normal(size=n).astype(dtype)
        if n:
            x[random.integers(0, n, 1 + n // 50)] = random.choice([numpy.nan, numpy.inf, -numpy.inf, -0.0])
        return x
    return random.normal(size=n).astype(dtype)


def array(random, dtype, of_shape):
    n = of_shape[0] * of_shape[1]
    make = floats if numpy.dtype(dtype).kind == "f" else integers
    with numpy.errstate(all="ignore"):
        return make(random, numpy.dtype(dtype), n).astype(dtype).reshape(of_shape)
