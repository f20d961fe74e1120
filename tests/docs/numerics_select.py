# SPDX-License-Identifier: Apache-2.0
"""topk and quantile, from docs/numerics.md: "Top-k" and "Quantiles"."""

import numpy

from numerics import Error, canonical, is_float, sequences


def ranks(x, largest):
    """An unsigned integer for each element: the best has the smallest."""
    bits = canonical(x).view("<u%d" % x.dtype.itemsize)
    sign = bits.dtype.type(1 << (8 * x.dtype.itemsize - 1))
    if is_float(x):
        bits = numpy.where(bits & sign, ~bits, bits ^ sign)
    elif x.dtype.kind == "i":
        bits = bits ^ sign
    return ~bits if largest else bits


def check_elements(x, axis):
    if axis == 0 and x.size == 0:
        raise Error("EMPTY_INPUT", "rows" if x.shape[0] == 0 else "cols")
    if axis == 1 and x.shape[0] > 0 and x.shape[1] == 0:
        raise Error("EMPTY_INPUT", "cols")


def topk(x, axis, p):
    k, largest, distinct = p["k"], p.get("largest", True), p.get("distinct", False)
    length = x.size if axis == 0 else x.shape[1]
    if length == 0:  # also of no rows: where rows have no columns no k is allowed
        raise Error("EMPTY_INPUT", "rows" if x.shape[0] == 0 else "cols")
    if not 1 <= k <= length:
        raise Error("BAD_RANGE", "k")
    given = sequences(x, axis)
    values, indices = numpy.zeros((len(given), k), x.dtype), numpy.full((len(given), k), -1, "<i8")
    counts = numpy.zeros((len(given), 1), "<u8")
    for row, sequence in enumerate(given):
        rank = ranks(sequence, largest)
        order = numpy.argsort(rank, kind="stable")
        if distinct:
            sorted_ranks = rank[order]
            order = order[numpy.concatenate([[True], sorted_ranks[1:] != sorted_ranks[:-1]])]
        order = order[:k]
        values[row, : order.size], indices[row, : order.size] = canonical(sequence[order]), order
        counts[row] = order.size
    if distinct and axis == 0:
        values, indices = values[:, : int(counts[0, 0])], indices[:, : int(counts[0, 0])]
    return dict({"values": values, "indices": indices}, **({"counts": counts} if distinct else {}))


def between(a, b, t):
    d = b - a
    return a + d * t if t < 0.5 else b - d * (1 - t)


def one_quantile(v, q, method):
    """Of ascending elements."""
    last = numpy.float64(v.size - 1)
    p = last * q
    if method in ("lower", "higher", "nearest"):
        place = {"lower": numpy.floor, "higher": numpy.ceil, "nearest": numpy.rint}[method](p)
        return v[int(place)]
    if method == "linear":
        at, t = p, p - numpy.floor(p)
    else:
        at = numpy.float64(0.5) * (numpy.floor(p) + numpy.ceil(p))
        t = numpy.float64(0 if at == numpy.floor(at) else 0.5)
    if at >= last:
        a = b = numpy.float64(v[-1])
    else:
        j = int(numpy.floor(at))
        a, b = numpy.float64(v[j]), numpy.float64(v[j + 1])
    return between(a, b, t)


def quantile(x, axis, p):
    method, skip_nans = p.get("method", "linear"), p.get("skip_nans", False)
    if any(not 0 <= q <= 1 for q in p["q"]) or not 1 <= len(p["q"]) <= 1024:
        raise Error("BAD_RANGE", "q")
    check_elements(x, axis)
    table = []
    for sequence in sequences(x, axis):
        nan = is_float(x) and bool((sequence != sequence).any())
        v = numpy.sort(sequence[sequence == sequence])
        if v.size == 0 or (nan and not skip_nans):
            table.append([numpy.nan] * len(p["q"]))
        else:
            table.append([one_quantile(v, numpy.float64(q), method) for q in p["q"]])
    dtype = "<f8" if method in ("linear", "midpoint") else x.dtype
    return {"quantiles": canonical(numpy.array(table, dtype).reshape(-1, len(p["q"])))}
