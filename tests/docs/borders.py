# SPDX-License-Identifier: Apache-2.0
"""Cases that docs/numerics.md names, or that stand on a border of one of its rules. Random arrays seldom
meet them. A case is (operation, arrays, axis, parameters), as in cases.py."""

import itertools

import numpy

from protocol import METHODS, STATISTICS, TYPES

INF, NAN, LEAST, MOST = numpy.inf, numpy.nan, 5e-324, float(numpy.finfo("f8").max)
FLOATS = ("f16", "f32", "f64")
INTEGERS = tuple(word for word in TYPES if word not in FLOATS)


def array(word, values, rows=1):
    with numpy.errstate(all="ignore"):
        return numpy.array(values, TYPES[word]).reshape(rows, -1)


def with_range(p, limits):
    return p if limits is None else dict(p, range=limits)


def extremes(word):
    if word in FLOATS:
        limits = numpy.finfo(TYPES[word])
        return [float(limits.max), -float(limits.max), float(limits.tiny), 0.0, -0.0]
    limits = numpy.iinfo(TYPES[word])
    return [int(limits.min), int(limits.max), 0, 1, int(limits.max) - 1]


def of_reduce():
    lists = [
        [1e308, 1e308],
        [1e308, -1e308],
        [MOST] * 3,
        [MOST, MOST, -MOST, -MOST],
        [1e200, -1e200, 3e200],
        [1e154] * 40,
        [1.4e154, 0],
        [INF, INF],
        [INF, -INF],
        [INF, NAN],
        [NAN, NAN],
        [NAN],
        [0.0, -0.0],
        [-0.0],
        [LEAST, -LEAST, LEAST],
        [-LEAST, 0, 0],
        [1e16, 1, -1e16],
        [2.0**-60] * 33,
        [2.0**-50, 0],
        [65504] * 70,
        [3e38] * 70,
        [3e38, -3e38] * 35,
        [1 + 2.0**-52, 1],
        [1e5] * 20 + [1e5 + 1],
    ]
    for word, values, skip_nans, ddof in itertools.product(FLOATS, lists, (False, True), (0, 1)):
        for rows in (1, 2) if len(values) % 2 == 0 else (1,):
            p = {"statistics": STATISTICS, "skip_nans": skip_nans, "ddof": ddof}
            yield [array(word, values, rows)], rows - 1, p
    for word, count in itertools.product(FLOATS, (3, 7, 300, 641, 900, 1024)):  # whose mean is rounded
        for value in (0.1, 0.7, 1 / 3, 1000.1):
            yield [array(word, [value] * count)], 0, {"statistics": STATISTICS, "ddof": 1}
    for word in INTEGERS:
        limits = numpy.iinfo(TYPES[word])
        for values in (
            [limits.max] * 3,
            [limits.min] * 3,
            [limits.min, limits.max],
            [limits.max],
            [limits.min],
            [0],
            [limits.max, limits.max, 0, 0],
        ):
            for words in (STATISTICS, ["sum"], ["l1"], ["mean", "var", "std", "l2"]):
                yield [array(word, values)], 0, {"statistics": words, "ddof": len(values) % 2}
        rows = array(word, [1, 2] + [limits.max] * 4, 3)
        yield [rows], 1, {"statistics": ["sum", "l1", "max"]}


def of_quantile():
    lists = [
        [0, INF],
        [-INF, 0],
        [-INF, INF],
        [INF, INF],
        [-INF, -INF, 1],
        [0, 1, INF],
        [-MOST, MOST],
        [1, NAN],
        [NAN],
        [-0.0, 0.0],
        [-0.0],
        [LEAST, 0],
        [7],
    ]
    for values, method, skip_nans, word in itertools.product(lists, METHODS, (False, True), ("f32", "f64")):
        q = [0, 0.1, 0.25, 0.5, 0.75, 1, 2 / 3, 1 - 2.0**-53]
        yield [array(word, values)], 0, {"q": q, "method": method, "skip_nans": skip_nans}
    for word, method in itertools.product(INTEGERS, METHODS):
        yield [array(word, extremes(word) * 3)], 0, {"q": [0, 0.3, 0.5, 0.9, 1], "method": method}
    for q in ([], [1.5], [-0.1], [NAN], [0.5] * 1024):
        yield [array("f32", [3, 1, 2])], 0, {"q": q}


def of_topk():
    for shape, axis, k in (
        ((0, 0), 1, 1),
        ((0, 5), 1, 3),
        ((0, 5), 1, 6),
        ((0, 5), 0, 1),
        ((3, 0), 1, 1),
        ((3, 0), 0, 1),
        ((0, 0), 0, 1),
        ((2, 3), 1, 4),
        ((2, 3), 0, 7),
        ((0, 0), 1, 0),
        ((3, 0), 0, 0),
        ((2, 3), 0, 0),
        ((2, 3), 0, 6),
    ):
        yield [numpy.zeros(shape, "<f4")], axis, {"k": k, "distinct": k == 3}
    values = [0.0, -0.0, NAN, INF, -INF, 1, NAN, -1, INF, 0.0, 1, -1]
    for word, largest, distinct, k in itertools.product(FLOATS, (False, True), (False, True), (1, 2, 5, 12)):
        yield [array(word, values)], 0, {"k": k, "largest": largest, "distinct": distinct}
        yield [array(word, values, 2)], 1, {"k": min(k, 6), "largest": largest, "distinct": distinct}


def of_histogram():
    u = LEAST
    ranges = [
        (0, 6 * u, 4),
        (0, 13 * u, 8),
        (0, 8 * u, 4),
        (0, 7 * u, 4),
        (-3 * u, 3 * u, 4),
        (0, u, 1),
        (0, u, 2),
        (0, 0, 3),
        (-0.0, 0.0, 2),
        (-0.0, 1, 2),
        (1, 1, 4),
        (1e300, 1e300, 1),
        (2.0**53, 2.0**53, 1),
        (2.0**53, 2.0**53, 2),
        (1, 0, 3),
        (NAN, 1, 3),
        (0, INF, 3),
        (-MOST, MOST, 3),
        (0, MOST, 5000),
        (-MOST, 0, 1000),
        (1, 1 + 3 * 2.0**-52, 3),
        (1, 1 + 2 * 2.0**-52, 3),
        (0.1, 0.7, 6),
        (0, 1, 3),
    ]
    for bins in (4096, 4097):  # steps of one f64, of nearly two, of two
        ranges += [
            (1, 1 + bins * 2.0**-52, bins),
            (1, 1 + (2 * bins - 1) * 2.0**-52, bins),
            (1, 1 + 2 * bins * 2.0**-52, bins),
            (-1 - 2 * bins * 2.0**-52, -1, bins),
            (2 - 2 * bins * 2.0**-53 * 2, 2, bins),
            (0, bins * u, bins),
            (0, 2 * bins * u, bins),
            (0, 2.4 * bins * u, bins),
            (0, 2.6 * bins * u, bins),
        ]
    for lo, hi, bins in ranges:
        edges = [lo, hi, (lo + hi) / 2, lo + (hi - lo) / max(bins, 1)]
        around = [float(numpy.nextafter(edge, towards)) for edge in edges for towards in (-INF, INF)]
        for word in ("f64", "f32"):
            yield [array(word, edges + around)], 0, {"bins": bins, "range": (lo, hi)}
        yield [array("u8", [0, 1, 2, 255])], 0, {"bins": bins, "range": (lo, hi)}
        yield [array("f64", [lo, hi, lo])], 0, {"bins": bins}
        yield [array("f64", [1, 2, lo, hi], 2)], 1, {"bins": bins, "skip_nans": True}
    large = [2**63 - 1, 2**63 - 1024, 2**62 + 1, 2**53 + 1, 0]
    lists = {"i64": large + [-(2**63), -(2**53) - 1], "u64": large + [2**64 - 1, 2**64 - 2]}
    for word, values in lists.items():
        for count in range(1, len(values) + 1):
            for limits in (
                None,
                (2.0**62, 2.0**63),
                (-(2.0**63), 2.0**64),
                (-1e30, 1e30),
                (2.0**64, 2.0**65),
            ):
                yield [array(word, values[:count])], 0, with_range({"bins": 5}, limits)
    for values, skip_nans in itertools.product(([NAN], [NAN, 1], [INF, 1], [-INF, NAN], []), (False, True)):
        for word in FLOATS:
            yield [array(word, values)], 0, {"bins": 3, "skip_nans": skip_nans}
            yield [array(word, values)], 0, {"bins": 3, "skip_nans": skip_nans, "range": (0, 2)}


def of_entropy():
    ranges = [
        None,
        (0, 1),
        (-3e38, 3e38),
        (-1e300, 1e300),
        (0, 1e-45),
        (1e-46, 2e-46),
        (0, 1e-38),
        (1, 1 + 2.0**-30),
        (5, 5),
        (2, 1),
        (NAN, 1),
        (0, INF),
        (-1e9, 4e9),
        (-5.5, 3e9),
        (-1e19, 1e19),
        (1e19, 2e19),
        (2.0**63, 2.0**64),
        (-(2.0**63), 2.0**63),
        (16777216.5, 16777300),
        (100000000.75, 100000100),
    ]
    lists = [
        [NAN],
        [NAN, NAN, 1],
        [NAN, -3e38, 3e38],
        [-3e38, 3e38],
        [INF, -INF, 1, 2],
        [INF, INF],
        [0.0, -0.0],
        [1, 1],
        [0, 1, 2, 3],
        [MOST, -MOST],
        [MOST, -MOST, NAN],
    ]
    for limits, values, skip_nans in itertools.product(ranges, lists, (False, True)):
        for word in FLOATS:
            yield [array(word, values)], 0, with_range({"levels": 7, "skip_nans": skip_nans}, limits)
    for limits, word in itertools.product(ranges, INTEGERS):
        limit = numpy.iinfo(TYPES[word])
        spread = [int(v) for v in numpy.linspace(float(limit.min), float(limit.max) * (1 - 2.0**-50), 301)]
        beyond_f32 = [*range(100000000, 100000100), *range(16777216, 16777300)]
        near = [min(v, int(limit.max)) for v in beyond_f32]
        for levels, values in ((256, spread), (1000, near), (2, extremes(word))):
            yield [array(word, values)], 0, with_range({"levels": levels, "base": "e"}, limits)
    for shape, axis in itertools.product(((0, 0), (0, 5), (3, 0)), (0, 1)):
        for limits in ((0, 1), (1, 0)):  # a range is checked before the shape
            yield [numpy.zeros(shape, "<f4")], axis, {"levels": 4, "range": limits}


def of_entropy_map():
    for (x,), axis, p in of_entropy():
        own = {key: value for key, value in p.items() if key != "skip_nans"}
        own.update(window_rows=3, window_cols=5, border="mirror" if x.size % 2 else "clip")
        if x.size < 12 and not p.get("skip_nans"):
            yield [x], axis, own


def of_add():
    for word in FLOATS:
        values = extremes(word) + [INF, -INF, NAN, 1.0, LEAST]
        pairs = list(itertools.product(values, values))
        yield [array(word, [a for a, _ in pairs]), array(word, [b for _, b in pairs])], 0, {}
    for word in INTEGERS:
        for a, b in itertools.product(extremes(word), extremes(word)):
            yield [array(word, [0, 0, a, a], 2), array(word, [0, 0, b, b], 2)], 0, {}
    yield [numpy.zeros((0, 3), "<i4")] * 2, 0, {}
    yield [numpy.zeros((2, 3), "<i4")] * 2, 1, {}


def of_dot():
    for word in FLOATS:
        values = extremes(word) + [INF, -INF, NAN, 1.0, LEAST]
        for a, b, skip_nans in itertools.product(values, values, (False, True)):
            yield [array(word, [1, a, 1, a]), array(word, [1, b, 1, -b])], 0, {"skip_nans": skip_nans}
    for word in INTEGERS:
        for a, b in itertools.product(extremes(word), extremes(word)):
            yield [array(word, [1, 1, a, a], 2), array(word, [1, 1, b, 1], 2)], 1, {}


def of_rowscale():
    lists = [
        [0.0, -0.0],
        [-0.0],
        [NAN, 2, -4],
        [NAN, NAN],
        [INF, 1, -INF, -2],
        [INF, NAN],
        [MOST, LEAST],
        [LEAST, -LEAST],
        [],
        [65504, 1e-7, -6e-8],
        [3, 1, 2],
    ]
    for word, values, skip_nans, axis in itertools.product(FLOATS, lists, (False, True), (0, 1)):
        yield [array(word, values)], axis, {"skip_nans": skip_nans}
    for shape, axis in itertools.product(((0, 0), (0, 3), (3, 0)), (0, 1)):
        yield [numpy.zeros(shape, "<f4")], axis, {}
    yield [numpy.zeros((2, 2), "<i4")], 0, {}


def all_borders():
    for make in (
        of_reduce,
        of_quantile,
        of_topk,
        of_histogram,
        of_entropy,
        of_entropy_map,
        of_add,
        of_dot,
        of_rowscale,
    ):
        for case in make():
            yield (make.__name__[len("of_") :],) + case
