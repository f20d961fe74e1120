# SPDX-License-Identifier: Apache-2.0
"""One chunk of the canonical tree, from its elements: the same operations as the daemon's, with numpy or
without. docs/numerics.md defines their order and has the names used here."""

import ctypes
import struct
from typing import Any, Callable, List, Tuple

from .. import _types
from . import moments as _moments

SUM, L1, MOMENTS, SKIP_NANS = 1, 2, 4, 64
CHUNK, _TILE, _ROWS, _LANES = 16384, 1024, 8, 32
_F64 = 11
_LARGEST, _SMALLEST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0], 2.0**-100
Node = Tuple[float, float, float, float, float, int]  # sum, l1, n, s, q, flags
EMPTY: Node = (0.0, 0.0, 0.0, 0.0, 0.0, 0)
NAN_FLAG, INFINITY_FLAG = 1, 2
NAN = float("nan")


def canonical(value: float) -> float:
    return value + 0.0 if value == value else NAN


def chunk_node(raw: bytes, number: int, needs: int) -> Node:
    """The node of a chunk with these elements, of f16, f32 or f64."""
    node = (_plain_node if _types.numpy is None else _numpy_node)(raw, number, needs)
    flags = node[5] if needs & MOMENTS else 0
    n, s, q = node[2:5] if needs & MOMENTS and not flags else (0.0, 0.0, 0.0)
    total = canonical(node[0]) if needs & SUM else 0.0
    l1 = canonical(node[1]) if needs & L1 else 0.0
    return (total, l1, n, canonical(s), canonical(q), flags)


def products_sum(x: bytes, y: bytes, number: int, skip_nans: bool) -> float:
    """The sum of the products of a chunk of each of two arrays."""
    return canonical((_plain_products if _types.numpy is None else _numpy_products)(x, y, number, skip_nans))


# --- with numpy


def _padded(numpy: Any, raw: bytes, number: int, kind: str) -> Tuple[Any, Any]:
    """The elements of a chunk as [tile, row, lane, place] of the type A, and where there are some."""
    values = numpy.zeros(CHUNK, kind)
    given = numpy.frombuffer(raw, _types.NAMES[number])
    values[: len(given)] = given
    present = numpy.arange(CHUNK) < len(given)
    shape = (CHUNK // _TILE, _ROWS, _LANES, 4)
    return values.reshape(shape), present.reshape(shape)


def _leaf(numpy: Any, values: Any) -> Any:
    a = numpy.zeros(values.shape[:1] + values.shape[2:], values.dtype)
    for row in range(_ROWS):
        a = a + values[:, row]
    return (a[..., 0] + a[..., 1]) + (a[..., 2] + a[..., 3])


def _leaf64(numpy: Any, values: Any) -> Any:
    """Leaves in f64; those of f32 that are not finite are computed again."""
    made = _leaf(numpy, values)
    wide = made.astype("f8")
    if values.dtype != "f8" and not numpy.isfinite(made).all():
        wide = numpy.where(numpy.isfinite(made), wide, _leaf(numpy, values.astype("f8")))
    return wide


def _tree(leaves: Any) -> float:
    while len(leaves) > 1:
        leaves = leaves[0::2] + leaves[1::2]
    lanes = leaves[0]
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return float(lanes[0])


def _numpy_node(raw: bytes, number: int, needs: int) -> Node:
    numpy = _types.numpy
    with numpy.errstate(all="ignore"):
        values, counted = _padded(numpy, raw, number, "f8" if number == _F64 else "f4")
        if needs & SKIP_NANS:
            counted = counted & ~numpy.isnan(values)
            values = numpy.where(counted, values, values.dtype.type(0))
        total = _tree(_leaf64(numpy, values)) if needs & SUM else 0.0
        l1 = _tree(_leaf64(numpy, numpy.abs(values))) if needs & L1 else 0.0
        n, s, q, flags = (0.0, 0.0, 0.0, 0)
        if needs & MOMENTS:
            n, s, q, flags = _numpy_moments(numpy, values, counted)
    return (total, l1, n, s, q, flags)


def _deviations(numpy: Any, values: Any, counted: Any, counts: Any) -> Tuple[Any, Any, Any]:
    """(s, v, Q) of each leaf."""
    c = numpy.maximum(counts, 1)
    m = _leaf(numpy, values) / c.astype(values.dtype)
    d = numpy.where(counted, values - m[:, None, :, None], values.dtype.type(0))
    big_d, big_q = _leaf(numpy, d), _leaf(numpy, d * d)
    c64, d64, q64 = c.astype("f8"), big_d.astype("f8"), big_q.astype("f8")
    return c64 * m.astype("f8") + d64, q64 - (d64 * d64) / c64, big_q


def _numpy_moments(numpy: Any, values: Any, counted: Any) -> Tuple[float, float, float, int]:
    odd = counted & ~numpy.isfinite(values)
    flags = 0
    counts = counted.sum(axis=(1, 3))
    if odd.any():
        flags |= NAN_FLAG if numpy.isnan(values[counted]).any() else 0
        flags |= INFINITY_FLAG if numpy.isinf(values[counted]).any() else 0
        return 0.0, 0.0, 0.0, flags
    s, v, big_q = _deviations(numpy, values, counted, counts)
    if values.dtype != "f8":
        again = ~((big_q >= _SMALLEST) & (big_q <= _LARGEST))
        if again.any():
            wide = _deviations(numpy, values.astype("f8"), counted, counts)
            s, v = numpy.where(again, wide[0], s), numpy.where(again, wide[1], v)
    empty = counts == 0
    n = counts.astype("f8")
    s = numpy.where(empty, 0.0, s)
    q = numpy.where(empty, 0.0, numpy.where(v < 0, 0.0, v))
    while len(n) > 1:
        n, s, q = _moments.merge_arrays(numpy, (n[0::2], s[0::2], q[0::2]), (n[1::2], s[1::2], q[1::2]))
    n, s, q = n[0], s[0], q[0]
    while len(n) > 1:
        half = len(n) // 2
        n, s, q = _moments.merge_arrays(numpy, (n[:half], s[:half], q[:half]), (n[half:], s[half:], q[half:]))
    return float(n[0]), float(s[0]), float(q[0]), flags


def _numpy_products(x: bytes, y: bytes, number: int, skip_nans: bool) -> float:
    numpy = _types.numpy
    with numpy.errstate(all="ignore"):
        kind = "f8" if number == _F64 else "f4"
        left, right = (_padded(numpy, raw, number, kind)[0] for raw in (x, y))
        if skip_nans:
            out = numpy.isnan(left) | numpy.isnan(right)
            left, right = (numpy.where(out, side.dtype.type(0), side) for side in (left, right))
        made = _leaf(numpy, left * right)
        wide = made.astype("f8")
        if kind != "f8" and not numpy.isfinite(made).all():
            wide = numpy.where(
                numpy.isfinite(made), wide, _leaf(numpy, left.astype("f8") * right.astype("f8"))
            )
        return _tree(wide)


# --- without numpy


def _f32(value: float) -> float:
    return ctypes.c_float(value).value


def _same(value: float) -> float:
    return value


def _elements(raw: bytes, number: int) -> Tuple[float, ...]:
    return struct.unpack("<%d%s" % (len(raw) // _types.BYTES[number], _types.FORMATS[number]), raw)


def _lists(values: Any) -> List[List[float]]:
    """The elements of each leaf, [tile * 32 + lane]: those of place j are in order at j, j + 4, ..."""
    leaves: List[List[float]] = []
    for tile in range(0, CHUNK, _TILE):
        for lane in range(_LANES):
            leaf: List[float] = []
            for row in range(_ROWS):
                at = tile + 128 * row + 4 * lane
                four = list(values[at : at + 4])
                leaf += four + [0.0] * (4 - len(four)) if four else [0.0] * 4
            leaves.append(leaf)
    return leaves


def _plain_leaf(values: List[float], rounded: Callable[[float], float]) -> float:
    a = [0.0, 0.0, 0.0, 0.0]
    for j in range(4):
        total = 0.0
        for value in values[j::4]:
            total = rounded(total + value)
        a[j] = total
    return rounded(rounded(a[0] + a[1]) + rounded(a[2] + a[3]))


def _finite(value: float) -> bool:
    return value - value == 0


def _plain_leaf64(values: List[float], rounded: Callable[[float], float]) -> float:
    made = _plain_leaf(values, rounded)
    return made if rounded is _same or _finite(made) else _plain_leaf(values, _same)


def _plain_tree(leaves: List[Any], add: Callable[[Any, Any], Any]) -> Any:
    """leaves: [tile * 32 + lane]."""
    while len(leaves) > _LANES:
        leaves = [
            add(leaves[pair + lane], leaves[pair + _LANES + lane])
            for pair in range(0, len(leaves), 2 * _LANES)
            for lane in range(_LANES)
        ]
    while len(leaves) > 1:
        half = len(leaves) // 2
        leaves = [add(leaves[i], leaves[i + half]) for i in range(half)]
    return leaves[0]


def _add(a: float, b: float) -> float:
    return a + b


def _plain_node(raw: bytes, number: int, needs: int) -> Node:
    rounded = _same if number == _F64 else _f32
    values = list(_elements(raw, number))
    counted = [1.0 if value == value or not needs & SKIP_NANS else 0.0 for value in values]
    values = [value if count else 0.0 for value, count in zip(values, counted)]
    lists = _lists(values)
    total = _plain_tree([_plain_leaf64(leaf, rounded) for leaf in lists], _add) if needs & SUM else 0.0
    l1 = 0.0
    if needs & L1:
        l1 = _plain_tree([_plain_leaf64([abs(v) for v in leaf], rounded) for leaf in lists], _add)
    moments = (0.0, 0.0, 0.0)
    flags = 0
    if needs & MOMENTS:
        for value in values:
            flags |= 0 if _finite(value) else NAN_FLAG if value != value else INFINITY_FLAG
        if flags == 0:
            moments = _plain_tree(
                [_plain_moments(leaf, mask, rounded) for leaf, mask in zip(lists, _lists(counted))],
                _moments.merge,
            )
    return (total, l1) + moments + (flags,)


def _plain_moments(
    values: List[float], counted: List[float], rounded: Callable[[float], float]
) -> Tuple[float, float, float]:
    """(n, s, q) of a leaf of finite elements; `counted` is 1 for those that count."""
    count = sum(counted)
    if count == 0:
        return (0.0, 0.0, 0.0)
    total = _plain_leaf(values, rounded)
    m = rounded(total / count)
    deviations = [rounded(value - m) if one else 0.0 for value, one in zip(values, counted)]
    big_d = _plain_leaf(deviations, rounded)
    big_q = _plain_leaf([rounded(d * d) for d in deviations], rounded)
    if rounded is not _same and not _SMALLEST <= big_q <= _LARGEST:
        return _plain_moments(values, counted, _same)
    v = big_q - (big_d * big_d) / count
    return (count, count * m + big_d, 0.0 if v < 0 else v)


def _plain_products(x: bytes, y: bytes, number: int, skip_nans: bool) -> float:
    rounded = _same if number == _F64 else _f32
    left, right = (list(_elements(raw, number)) for raw in (x, y))
    if skip_nans:
        for i, (a, b) in enumerate(zip(left, right)):
            if a != a or b != b:
                left[i] = right[i] = 0.0
    leaves = []
    for a_leaf, b_leaf in zip(_lists(left), _lists(right)):
        made = _plain_leaf([rounded(a * b) for a, b in zip(a_leaf, b_leaf)], rounded)
        if rounded is _f32 and not _finite(made):
            made = _plain_leaf([a * b for a, b in zip(a_leaf, b_leaf)], _same)
        leaves.append(made)
    return float(_plain_tree(leaves, _add))
