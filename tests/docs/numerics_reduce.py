# SPDX-License-Identifier: Apache-2.0
"""reduce, from docs/numerics.md: "Values, order, NaN, zero", "Statistics of integers", "Float sums"."""

import math

import numpy

from numerics import Error, canonical, counted, float_sum, is_float, sequences
from numerics_moments import var_and_l2

EMPTY = ("count", "sum", "nonzero", "nans")  # defined for an empty sequence


def reply_type(word, dtype):
    kind = dtype.kind
    if word in ("count", "nonzero", "nans"):
        return "<u8"
    if word in ("argmin", "argmax"):
        return "<i8"
    if word in ("min", "max", "minmax"):
        return dtype.str
    if word == "absmax":
        return dtype.str.replace("i", "u")
    if word == "sum":
        return {"i": "<i8", "u": "<u8", "f": "<f8"}[kind]
    return "<u8" if word == "l1" and kind != "f" else "<f8"


def of_integers(x, words, ddof):
    values = [int(v) for v in x]
    n, total, squares = len(values), sum(values), sum(v * v for v in values)
    result = {
        "count": n,
        "nonzero": sum(v != 0 for v in values),
        "nans": 0,
        "sum": total,
        "l1": sum(abs(v) for v in values),
    }
    if n:
        low, high = min(values), max(values)
        # the quotient of two integers is rounded once
        var = (n * squares - total * total) / (n * (n - ddof)) if n > ddof else math.nan
        result.update(
            mean=total / n,
            var=var,
            std=math.sqrt(var),
            l2=math.sqrt(float(squares)),
            min=low,
            max=high,
            minmax=(low, high),
            absmax=max(abs(low), abs(high)),
            argmin=values.index(low),
            argmax=values.index(high),
        )
    for word in words:
        limits = numpy.iinfo(reply_type(word, x.dtype)) if word in ("sum", "l1") else None
        if limits is not None and not limits.min <= result[word] <= limits.max:
            raise Error("OVERFLOW", word, str(result[word]))
    return result


def of_floats(x, skip_nans, ddof):
    mask = counted(x, skip_nans)
    values, nans = x[mask], int((x != x).sum())
    result = {
        "count": values.size,
        "nonzero": int((values != 0).sum()),
        "nans": nans,
        "sum": float_sum(x, mask) if x.size else 0.0,
    }
    result.update(
        dict.fromkeys("mean min max absmax l1 l2 var std".split(), math.nan),
        minmax=(math.nan, math.nan),
        argmin=-1,
        argmax=-1,
    )
    if values.size == 0:
        return result
    var, l2 = var_and_l2(x, skip_nans, ddof)
    result.update(
        mean=result["sum"] / numpy.float64(values.size),
        l1=float_sum(numpy.abs(x), mask),
        l2=l2,
        var=var,
        std=numpy.sqrt(var),
    )
    if skip_nans or not nans:
        low, high = values.min(), values.max()
        result.update(
            min=low,
            max=high,
            minmax=(low, high),
            absmax=numpy.abs(values).max(),
            argmin=numpy.flatnonzero(mask & (x == low))[0],
            argmax=numpy.flatnonzero(mask & (x == high))[0],
        )
    else:
        result.update(argmin=numpy.flatnonzero(x != x)[0], argmax=numpy.flatnonzero(x != x)[0])
    return result


def reduce(x, axis, p):
    words, skip_nans, ddof = p["statistics"], p.get("skip_nans", False), p.get("ddof", 0)
    given = sequences(x, axis)
    if any(sequence.size == 0 for sequence in given) and not set(words) <= set(EMPTY):
        raise Error("EMPTY_INPUT", "statistics")
    columns = {word: [] for word in words}
    for row, sequence in enumerate(given):
        try:
            if is_float(x):
                of_one = of_floats(sequence, skip_nans, ddof)
            else:
                of_one = of_integers(sequence, words, ddof)
        except Error as error:
            raise Error(error.status, error.field, *error.words, *(["row %d" % row] if axis else []))
        for word in words:
            columns[word].append(of_one[word])
    result = {}
    for word in words:
        table = numpy.array(columns[word], reply_type(word, x.dtype))
        result[word] = canonical(table.reshape(len(given), 2 if word == "minmax" else 1))
    return result
