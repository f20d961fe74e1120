# SPDX-License-Identifier: Apache-2.0
"""How elements become levels, and entropy, from docs/numerics.md: "Entropy map" (Levels) and "Entropy"."""

import functools
import math

import numpy

from numerics import Error, is_float, sequences

LN2 = 0xB17217F7D1CF79AC  # ln 2 2^64, rounded


def fits_f32(dtype):
    return dtype.itemsize <= 2 or dtype.str[1:] == "f4"


def usable_range(dtype, lo, hi, levels):
    """(lo, hi, inv) as the formulas use them."""
    with numpy.errstate(over="ignore"):
        if fits_f32(dtype):
            lo, hi = float(numpy.float32(lo)), float(numpy.float32(hi))
        if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
            raise Error("BAD_RANGE", "range")
        distance = hi - lo
        inv = numpy.float32(levels / distance) if distance else numpy.float32(numpy.inf)
        if not (numpy.isfinite(numpy.float32(distance)) and numpy.isfinite(inv)):
            raise Error("BAD_RANGE", "range")
    return lo, hi, inv


def distances(x, lo):
    """d of every element: an f32."""
    if fits_f32(x.dtype):
        return x.astype(numpy.float32) - numpy.float32(lo)
    if is_float(x):
        return (x - numpy.float64(lo)).astype(numpy.float32)
    limits = numpy.iinfo(x.dtype)
    base = min(max(math.floor(lo), int(limits.min)), int(limits.max))
    above = numpy.array([max(int(v) - base, 0) for v in x.reshape(-1)], numpy.uint64).reshape(x.shape)
    return above.astype(numpy.float32) - numpy.float32(lo - float(base))


def levels_of(x, levels, limits):
    """The level of every element, NaN as 0. `limits`: (lo, hi), or None."""
    if limits is None and not is_float(x):
        bits, smallest = 8 * x.dtype.itemsize, int(numpy.iinfo(x.dtype).min)
        return numpy.array(
            [(int(v) - smallest) * levels >> bits for v in x.reshape(-1)], numpy.int64
        ).reshape(x.shape)
    if limits is None:
        finite = x[numpy.isfinite(x)].astype(numpy.float64)
        if finite.size == 0 or finite.min() == finite.max():
            return numpy.zeros(x.shape, numpy.int64)
        limits = float(finite.min()), float(finite.max())
    lo, _, inv = usable_range(x.dtype, limits[0], limits[1], levels)
    q = distances(x, lo) * inv
    q = numpy.where(q >= levels, numpy.float32(levels - 1), q)
    return numpy.where(q > 0, q, numpy.float32(0)).astype(numpy.int64)


@functools.lru_cache(None)
def fixed_log2(n):
    """l(n): the exponent of n and 60 bits after it."""
    exponent = n.bit_length() - 1
    mantissa, result = n << (63 - exponent), exponent
    for _ in range(60):
        square = mantissa * mantissa
        bit = square >> 127
        mantissa, result = square >> (63 + bit), 2 * result + bit
    return result


def entropy_of_counts(counts, base):
    counts = [int(n) for n in counts if n]
    total = sum(counts)
    if total == 0:
        return math.nan
    D = total * fixed_log2(total) - sum(n * fixed_log2(n) for n in counts)
    return D / (total << 60) if base == "2" else D * LN2 / (total << 124)  # integers: rounded once


def entropy(x, axis, p):
    levels, limits, skip_nans = p["levels"], p.get("range"), p.get("skip_nans", False)
    if not 2 <= levels <= 65536:
        raise Error("BAD_RANGE", "levels")
    if limits is not None:
        usable_range(x.dtype, limits[0], limits[1], levels)
    given = sequences(x, axis)
    if any(sequence.size == 0 for sequence in given):
        raise Error("EMPTY_INPUT", "rows" if x.shape[0] == 0 else "cols")
    column = []
    for row, sequence in enumerate(given):
        try:
            level = levels_of(sequence, levels, limits)
        except Error as error:
            raise Error(error.status, error.field, *(["row %d" % row] if axis else []))
        nan = sequence != sequence
        if nan.any() and not skip_nans:
            column.append(math.nan)
        else:
            column.append(entropy_of_counts(numpy.bincount(level[~nan], minlength=1), p.get("base", "2")))
    result = numpy.array(column, "<f8").reshape(-1, 1)
    result.view("<u8")[result != result] = 0x7FF8000000000000
    return {"entropy": result}
