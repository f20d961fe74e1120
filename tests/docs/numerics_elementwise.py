# SPDX-License-Identifier: Apache-2.0
"""add, dot and rowscale, from docs/numerics.md: "Sum of two arrays", "Scalar product", "Scaled rows"."""

import numpy

from numerics import NANS, Error, canonical, is_float, sequences, tree_sum, widened


def add(x, y, axis, p):
    if axis:
        raise Error("BAD_REQUEST", "axis")
    if is_float(x):
        sums = (widened(x) + widened(y)).astype(x.dtype)
        sums.view("<u%d" % x.dtype.itemsize)[sums != sums] = NANS[x.dtype.str[1:]]  # zeros keep their sign
        return {"values": sums}
    limits, sums = numpy.iinfo(x.dtype), []
    for index, (a, b) in enumerate(zip(x.reshape(-1).tolist(), y.reshape(-1).tolist())):
        if not limits.min <= a + b <= limits.max:
            raise Error("OVERFLOW", "values", str(index), str(a + b))
        sums.append(a + b)
    return {"values": numpy.array(sums, x.dtype).reshape(x.shape)}


def dot_of_integers(x, y):
    total = sum(a * b for a, b in zip(x.tolist(), y.tolist()))
    limits = numpy.iinfo("<i8" if x.dtype.kind == "i" else "<u8")
    if not limits.min <= total <= limits.max:
        raise Error("OVERFLOW", "dot", str(total))
    return total


def dot_of_floats(x, y, skip_nans):
    if x.size == 0:
        return 0.0
    counts = (x == x) & (y == y) if skip_nans else numpy.ones(x.shape, bool)

    def products(a, b):
        return numpy.where(counts, a * b, a.dtype.type(0))

    in_f64 = x.astype(numpy.float64), y.astype(numpy.float64)
    return tree_sum(products(widened(x), widened(y)), lambda: products(*in_f64))


def dot(x, y, axis, p):
    column = []
    for row, (a, b) in enumerate(zip(sequences(x, axis), sequences(y, axis))):
        try:
            column.append(
                dot_of_floats(a, b, p.get("skip_nans", False)) if is_float(x) else dot_of_integers(a, b)
            )
        except Error as error:
            raise Error(error.status, error.field, *error.words, *(["row %d" % row] if axis else []))
    reply_type = {"i": "<i8", "u": "<u8", "f": "<f8"}[x.dtype.kind]
    return {"dot": canonical(numpy.array(column, reply_type).reshape(-1, 1))}


def scaled(x, skip_nans):
    """(values, scale) of one sequence."""
    magnitudes = numpy.abs(x[x == x] if skip_nans else x)
    scale = x.dtype.type(0) if magnitudes.size == 0 else numpy.maximum.reduce(magnitudes)
    if scale == 0:
        values = x.copy()
    else:
        values = (widened(x) / widened(numpy.array([scale]))[0]).astype(x.dtype)
    values.view("<u%d" % x.dtype.itemsize)[values != values] = NANS[x.dtype.str[1:]]
    return values, canonical(numpy.array([scale], x.dtype))[0]


def rowscale(x, axis, p):
    if not is_float(x):
        raise Error("UNSUPPORTED", "type")
    found = [scaled(sequence, p.get("skip_nans", False)) for sequence in sequences(x, axis)]
    values = numpy.array([values for values, _ in found], x.dtype).reshape(x.shape)
    return {"values": values, "scales": numpy.array([scale for _, scale in found], x.dtype).reshape(-1, 1)}
