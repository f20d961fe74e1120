# SPDX-License-Identifier: Apache-2.0
import math
from typing import Any, Dict, List

import numpy

from .. import counts
from ..piece import Piece
from ..value import Partial
from .elements import LOW32, refused_range, values_of


def partial_of(operation: counts.Levels) -> Partial:
    return operation.partial(_leveled(operation))


def one_level(x: Any, params: Dict[str, Any], offset: int, total: int) -> Partial:
    """Of floats without a range whose finite elements are all equal, or none: all are in level 0."""
    piece = Piece(None, (x,), offset, total, {})
    known = dict(params, range=(0, 1))
    operation = counts.Levels(piece, known["levels"], known["range"], known["base"], known["skip_nans"])
    operation.params["range"] = None
    nans = int(numpy.isnan(x).sum())
    return operation.partial([x.size - nans] + [0] * (operation.params["levels"] - 1) + [nans])


def _leveled(operation: counts.Levels) -> List[int]:
    """The count of each level, then of NaN."""
    levels, edges = operation.params["levels"], operation.params["range"]
    x = values_of(operation.piece)
    nans = 0
    if x.dtype.kind == "f":
        is_nan = numpy.isnan(x)
        nans, x = int(is_nan.sum()), x[~is_nan]
    if edges is None:
        of = _level_of_type(x, levels)
    else:
        lo, hi = (float.fromhex(edge) for edge in edges)
        with numpy.errstate(all="ignore"):
            of = _level_of_range(x, levels, lo, hi)
    return [int(count) for count in numpy.bincount(of, minlength=levels)] + [nans]


def _level_of_type(x: Any, levels: int) -> Any:
    """v * L / 2^bits, rounded down; v counted from the smallest value of the type."""
    bits = 8 * x.dtype.itemsize
    word = numpy.dtype("u%d" % x.dtype.itemsize).type
    v = x.view(word) ^ word(1 << (bits - 1)) if x.dtype.kind == "i" else x
    if bits < 64:
        return (v.astype("u8") * numpy.uint64(levels) >> numpy.uint64(bits)).astype("i8")
    factor, half = numpy.uint64(levels), numpy.uint64(32)
    high, low = v >> half, v & numpy.uint64(LOW32)
    return (high * factor + (low * factor >> half) >> half).astype("i8")


def _level_of_range(x: Any, levels: int, lo: float, hi: float) -> Any:
    single = numpy.float32
    narrow = x.dtype.itemsize <= 2 or x.dtype == "float32"
    if narrow:
        lo, hi = float(single(lo)), float(single(hi))
    width = hi - lo if lo < hi else 0.0
    if not width or not math.isfinite(single(width)) or not math.isfinite(single(levels / width)):
        raise refused_range(lo, hi)
    inverse = single(levels / width)
    if narrow:
        d = x.astype("f4") - single(lo)
    elif x.dtype.kind == "f":
        d = (x - lo).astype("f4")
    else:
        info = numpy.iinfo(x.dtype)
        b = min(max(math.floor(lo), int(info.min)), int(info.max))
        word = numpy.dtype("u%d" % x.dtype.itemsize)
        above = numpy.where(x < x.dtype.type(b), word.type(0), x.view(word) - x.dtype.type(b).view(word))
        d = above.astype("f4") - single(lo - b)
    q = d * inverse
    return numpy.where(q < 0, 0, numpy.where(q >= levels, levels - 1, q)).astype("i8")
