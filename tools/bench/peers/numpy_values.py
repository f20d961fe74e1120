# SPDX-License-Identifier: Apache-2.0
"""Arrays for the sections with numpy as the peer."""

import numpy

LARGE, HUGE = 10**7, 10**8
SHORT = {
    "f32": numpy.float32,
    "i32": numpy.int32,
    "u8": numpy.uint8,
    "i8": numpy.int8,
    "u16": numpy.uint16,
    "i16": numpy.int16,
}


def values_of(word, n, seed=1):
    """Uniform: integers over their range, floats in [0, 1)."""
    random = numpy.random.default_rng(seed)
    kind = SHORT[word]
    if kind == numpy.float32:
        return random.random(n, dtype=numpy.float32)
    limits = numpy.iinfo(kind)
    return random.integers(limits.min, limits.max, n, dtype=kind, endpoint=True)


def power_text(n):
    return {LARGE: "1e7", HUGE: "1e8"}[n]
