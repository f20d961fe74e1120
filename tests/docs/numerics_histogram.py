# SPDX-License-Identifier: Apache-2.0
"""histogram, from docs/numerics.md, "Histogram"."""

import bisect
import math

import numpy

from numerics import Error, is_float, sequences

FEW_BINS = 4096


def outwards(value, towards):
    """The f64 for an integer, rounded down or up."""
    near = float(value)
    if near > value if towards < 0 else near < value:
        near = float(numpy.nextafter(near, towards))
    return near


def range_of_elements(x, skip_nans):
    if x.size and is_float(x):
        if (x != x).any() and not skip_nans:
            raise Error("BAD_RANGE", "range")
        x = x[x == x].astype(numpy.float64)
    if x.size == 0:
        return 0.0, 1.0
    if is_float(x):
        return float(x.min()), float(x.max())
    return outwards(int(x.min()), -math.inf), outwards(int(x.max()), math.inf)


def edges_of(lo, hi, bins):
    refused = Error("BAD_RANGE", "range")
    if not (math.isfinite(lo) and math.isfinite(hi)) or lo > hi:
        raise refused
    lo, hi = lo + 0.0, hi + 0.0
    if lo == hi:
        lo, hi = lo - 0.5, hi + 0.5
    if not math.isfinite(hi - lo):
        raise refused
    step = (hi - lo) / bins
    edges = lo + numpy.arange(bins + 1, dtype=numpy.float64) * step
    edges[bins] = hi
    largest = max(abs(lo), abs(hi))
    spacing = largest - float(numpy.nextafter(largest, 0))
    if not (edges[:-1] < edges[1:]).all() or (bins > FEW_BINS and step < 2 * spacing):
        raise refused
    return edges


def count(x, edges):
    bins = edges.size - 1
    if is_float(x) or x.dtype.itemsize < 8:
        v = x.astype(numpy.float64)
        v = v[(v >= edges[0]) & (v <= edges[-1])]
        return numpy.bincount(numpy.searchsorted(edges[:-1], v, side="right") - 1, minlength=bins)
    lower, highest = [math.ceil(edge) for edge in edges[:-1]], math.floor(edges[-1])
    counts = numpy.zeros(bins, "<u8")
    for v in x.tolist():
        if lower[0] <= v <= highest:
            counts[bisect.bisect_right(lower, v) - 1] += 1
    return counts


def histogram(x, axis, p):
    bins, limits, skip_nans = p["bins"], p.get("range"), p.get("skip_nans", False)
    if not 1 <= bins <= 1048576:
        raise Error("BAD_RANGE", "bins")
    if limits is not None:
        edges_of(limits[0], limits[1], bins)  # refused before the job runs, even if it has no rows
    counts, edges = [], []
    for row, sequence in enumerate(sequences(x, axis)):
        try:
            lo, hi = limits if limits is not None else range_of_elements(sequence, skip_nans)
            edges.append(edges_of(lo, hi, bins))
        except Error as error:
            raise Error(error.status, error.field, *(["row %d" % row] if axis and limits is None else []))
        counts.append(count(sequence, edges[-1]))
    return {
        "histogram": numpy.array(counts, "<u8").reshape(-1, bins),
        "edges": numpy.array(edges, "<f8").reshape(-1, bins + 1),
    }
