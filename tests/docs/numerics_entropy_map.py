# SPDX-License-Identifier: Apache-2.0
"""entropy_map, from docs/numerics.md, "Entropy map". The logarithms are those of the decimal module."""

import decimal
import functools

import numpy

from numerics import Error
from numerics_levels import levels_of, usable_range

DIGITS = decimal.Context(prec=50)


@functools.lru_cache(None)
def n_log_n(n, base):
    log = DIGITS.ln(decimal.Decimal(n))
    return DIGITS.multiply(n, log if base == "e" else DIGITS.divide(log, DIGITS.ln(decimal.Decimal(2))))


def entry(n, base, shift):
    """F[n]: to the nearest integer."""
    if n < 2:
        return 0
    return int(DIGITS.multiply(n_log_n(n, base), 1 << shift).to_integral_value(decimal.ROUND_HALF_EVEN))


@functools.lru_cache(None)
def table(pixels, base):
    """(F, S) of a window."""
    shift = next(shift for shift in range(24, -1, -1) if entry(pixels, base, shift) < 2**31)
    return numpy.array([entry(n, base, shift) for n in range(pixels + 1)], numpy.int64), shift


def window_sums(plane, rows, cols):
    """Of each full window of a plane."""
    total = numpy.zeros((plane.shape[0] + 1, plane.shape[1] + 1), numpy.int64)
    total[1:, 1:] = plane.cumsum(0).cumsum(1)
    return total[rows:, cols:] - total[:-rows, cols:] - total[rows:, :-cols] + total[:-rows, :-cols]


def entropy_map(x, axis, p):
    rows, cols, levels, limits = p["window_rows"], p["window_cols"], p["levels"], p.get("range")
    if axis:
        raise Error("BAD_REQUEST", "axis")
    for word, size in (("window_rows", rows), ("window_cols", cols)):
        if size % 2 == 0 or not 3 <= size <= 63:
            raise Error("BAD_RANGE", word)
    if not 2 <= levels <= 256:
        raise Error("BAD_RANGE", "levels")
    if limits is not None:
        usable_range(x.dtype, limits[0], limits[1], levels)
    if x.size == 0:
        raise Error("EMPTY_INPUT", "rows" if x.shape[0] == 0 else "cols")
    level, nan = levels_of(x, levels, limits), x != x
    border = ((rows // 2, rows // 2), (cols // 2, cols // 2))

    def widen(plane):  # a pixel beyond the edge is there in a mirror alone
        return numpy.pad(plane, border, mode={"mirror": "symmetric", "clip": "constant"}[p["border"]])

    F, shift = table(rows * cols, p.get("base", "2"))
    N = window_sums(widen(numpy.ones(x.shape, numpy.int64)), rows, cols)
    D = F[N]
    for one in numpy.unique(level):
        D = D - F[window_sums(widen((level == one).astype(numpy.int64)), rows, cols)]
    H = D.astype(numpy.uint32).astype(numpy.float32) / (N.astype(numpy.float32) * numpy.float32(2.0**shift))
    H.view("<u4")[window_sums(widen(nan.astype(numpy.int64)), rows, cols) > 0] = 0x7FC00000
    return {"map": H}
