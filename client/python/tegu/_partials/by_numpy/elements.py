# SPDX-License-Identifier: Apache-2.0
"""The elements of a piece as arrays, and exact sums of integers."""

from typing import Any, List, Tuple

import numpy

from ... import _errors, _types
from .. import leaves
from ..piece import Piece

LOW32 = 0xFFFFFFFF


def values_of(piece: Piece, i: int = 0) -> Any:
    return numpy.frombuffer(piece.read(0, piece.n)[i], _types.NAMES[piece.type])


def chunks_of(piece: Piece) -> List[Tuple[int, Tuple[bytes, ...]]]:
    """The piece cut where chunks of the whole begin: (place, elements of each input)."""
    made, at = [], piece.offset
    while at < piece.offset + piece.n:
        end = min((at // leaves.CHUNK + 1) * leaves.CHUNK, piece.offset + piece.n)
        made.append((at, piece.read(at - piece.offset, end - at)))
        at = end
    return made


def sum_of(x: Any) -> int:
    """Of integers of any width: halves of 64 bits are added for themselves."""
    if x.dtype.itemsize < 8:
        return int(x.sum(dtype="i8" if x.dtype.kind == "i" else "u8"))
    high = x >> x.dtype.type(32)
    return (int(high.sum()) << 32) + int((x & x.dtype.type(LOW32)).sum(dtype="u8"))


def products_sum(x: Any, y: Any) -> int:
    wide = "i8" if x.dtype.kind == "i" else "u8"
    x, y = x.astype(wide), y.astype(wide)
    xh, yh = x >> x.dtype.type(32), y >> y.dtype.type(32)
    xl, yl = (x & x.dtype.type(LOW32)).astype("u8"), (y & y.dtype.type(LOW32)).astype("u8")
    middle = sum_of(xh * yl.astype(wide)) + sum_of(yh * xl.astype(wide))
    return (sum_of(xh * yh) << 64) + (middle << 32) + sum_of(xl * yl)


def refused_range(lo: float, hi: float) -> Exception:
    return _errors.make(
        "BAD_RANGE", "range is (%r, %r)" % (lo, hi), "range", "finite, lo < hi, not too narrow or too wide"
    )
