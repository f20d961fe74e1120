# SPDX-License-Identifier: Apache-2.0
"""The partials of PartialCalls computed by numpy, without a daemon: the same bits, slower. docs/numerics.md
has the rules."""

import math
from typing import Any, Dict, List, Tuple

import numpy

from .. import _errors, _types
from . import counts, dot, facts, fused, leaves, quantile_rounds, reduce, topk
from .calls import PartialCalls
from .piece import Piece
from .quantile import Bracket, Counts, digits_of, view_of
from .tree import Tree
from .value import Partial

_LOW32 = 0xFFFFFFFF


class NumpyPartials(PartialCalls):
    """`priority` and `backend` have no meaning here; there are no deadlines."""

    def _run(self, operation: Any, options: Dict[str, Any]) -> Partial:
        if options.get("deadline") is not None:
            raise _errors.make("UNSUPPORTED", "numpy takes no deadline", "deadline", "None")
        return _partial_of(operation)

    def quantile_partial(
        self, x: object, state: Any, offset: int = 0, total: Any = None, **options: Any
    ) -> Partial:
        return _Rounds(Piece(self, (x,), offset, total, options), state, None).partial()


def one_level(x: Any, params: Dict[str, Any], offset: int, total: int) -> Partial:
    """Of floats without a range whose finite elements are all equal, or none: all are in level 0."""
    piece = Piece(None, (x,), offset, total, {})
    known = dict(params, range=(0, 1))
    operation = counts.Levels(piece, known["levels"], known["range"], known["base"], known["skip_nans"])
    operation.params["range"] = None
    nans = int(numpy.isnan(x).sum())
    return operation.partial([x.size - nans] + [0] * (operation.params["levels"] - 1) + [nans])


def _refuse_range(edges: Tuple[float, float]) -> Exception:
    return _errors.make(
        "BAD_RANGE", "range is (%r, %r)" % edges, "range", "finite, lo < hi, not too narrow or too wide"
    )


def _partial_of(operation: Any) -> Partial:
    if isinstance(operation, reduce.Nodes):
        return _reduced(operation)
    if isinstance(operation, dot.Nodes):
        return _dotted(operation)
    if isinstance(operation, topk.Candidates):
        return operation.partial(_candidates(operation))
    if isinstance(operation, counts.Bins):
        edges = [float.fromhex(edge) for edge in operation.params["range"]]
        return operation.partial(_binned(_values(operation.piece), edges, operation.params["bins"]))
    if isinstance(operation, counts.Levels):
        return operation.partial(_leveled(operation))
    assert isinstance(operation, fused.Parts)
    return operation.joined([_partial_of(part) for part in operation.parts])


def _values(piece: Piece, i: int = 0) -> Any:
    return numpy.frombuffer(piece.read(0, piece.n)[i], _types.NAMES[piece.type])


def _chunks(piece: Piece) -> List[Tuple[int, Tuple[bytes, ...]]]:
    """The piece cut where chunks of the whole begin: (place, elements of each input)."""
    made, at = [], piece.offset
    while at < piece.offset + piece.n:
        end = min((at // leaves.CHUNK + 1) * leaves.CHUNK, piece.offset + piece.n)
        made.append((at, piece.read(at - piece.offset, end - at)))
        at = end
    return made


def _reduced(operation: reduce.Nodes) -> Partial:
    piece, skip = operation.piece, operation.params["skip_nans"]
    if operation.needs:
        operation.edges, operation.nodes = _chunks(piece), []
        return operation.partial([])
    states = facts.states_of(operation.params["stats"], piece.type, skip)
    known = facts.NONE
    if piece.n and piece.type in facts.FLOATS:
        known = facts.of_elements(piece.read(0, piece.n)[0], piece.offset, piece.type, states, skip)
    elif piece.n:
        known = _integer_facts(_values(piece), piece.offset, states)
    return reduce.ReducePartial(
        piece.type, operation.params, piece.total, [piece.range], reduce.Data(known, Tree())
    )


def _dotted(operation: dot.Nodes) -> Partial:
    piece = operation.piece
    if not operation.floating:
        exact = _sum_of_products(_values(piece), _values(piece, 1))
        return operation.partial(exact, [], [])
    return operation.partial(0, [], _chunks(piece))


# --- integers, exactly


def _sum(x: Any) -> int:
    """Of integers of any width: halves of 64 bits are added for themselves."""
    if x.dtype.itemsize < 8:
        return int(x.sum(dtype="i8" if x.dtype.kind == "i" else "u8"))
    high = x >> x.dtype.type(32)
    return (int(high.sum()) << 32) + int((x & x.dtype.type(_LOW32)).sum(dtype="u8"))


def _sum_of_products(x: Any, y: Any) -> int:
    wide = "i8" if x.dtype.kind == "i" else "u8"
    x, y = x.astype(wide), y.astype(wide)
    xh, yh = x >> x.dtype.type(32), y >> y.dtype.type(32)
    xl, yl = (x & x.dtype.type(_LOW32)).astype("u8"), (y & y.dtype.type(_LOW32)).astype("u8")
    middle = _sum(xh * yl.astype(wide)) + _sum(yh * xl.astype(wide))
    return (_sum(xh * yh) << 64) + (middle << 32) + _sum(xl * yl)


def _magnitudes(x: Any) -> Any:
    """As u64; that of the smallest integer, too."""
    return numpy.abs(x.astype("i8")).view("u8") if x.dtype.kind == "i" else x.astype("u8")


def _integer_facts(x: Any, begin: int, states: Tuple[str, ...]) -> facts.Facts:
    of = _magnitudes(x)
    asked = set(states)
    return facts.Facts(
        0,
        int(numpy.count_nonzero(x)) if "nonzero" in asked else 0,
        int(x.min()) if "min" in asked else None,
        int(x.max()) if "max" in asked else None,
        int(x.argmin()) + begin if "argmin" in asked else -1,
        int(x.argmax()) + begin if "argmax" in asked else -1,
        -1,
        _sum(x),
        _sum(of),
        _sum_of_products(of, of),
    )


# --- order


def _candidates(operation: topk.Candidates) -> List[topk.Candidate]:
    piece, params = operation.piece, operation.params
    x = _values(piece)
    if piece.type in facts.FLOATS:
        x = numpy.where(numpy.isnan(x), numpy.abs(x.dtype.type("nan")), x) + x.dtype.type(0)
    width = 8 * piece.width
    word = numpy.dtype("u%d" % piece.width).type
    bits, sign, every = x.view(word), word(1 << (width - 1)), word((1 << width) - 1)
    rank = bits
    if piece.type in facts.FLOATS:
        rank = numpy.where(bits & sign, bits ^ every, bits ^ sign)
    elif x.dtype.kind == "i":
        rank = bits ^ sign
    rank = rank ^ every if params["largest"] else rank
    if params["distinct"]:
        at = numpy.unique(rank, return_index=True)[1][: params["k"]]
    else:
        at = numpy.argsort(rank, kind="stable")[: params["k"]]
    return [(int(rank[i]), int(i) + piece.offset, int(bits[i])) for i in at]


class _Rounds(quantile_rounds.Rounds):
    """A round of quantiles."""

    def partial(self) -> Partial:
        bits = _values(self.piece).view(_types.NAMES[view_of(self.piece.type)])
        if self.piece.type in facts.FLOATS:
            self.is_nan = numpy.isnan(_values(self.piece))
        self.view = bits
        return quantile_rounds.Rounds.partial(self)

    def _nans(self) -> int:
        return int(self.is_nan.sum())

    def _signed_nans(self) -> int:
        return int(numpy.signbit(_values(self.piece)[self.is_nan]).sum())

    def _counts(self, bracket: Bracket) -> Counts:
        begin, size = bracket
        step = (size // digits_of(bracket)).bit_length() - 1
        kind = self.view.dtype.type
        first, last = kind(begin), kind(begin + size - 1)
        if self.piece.width == 8 and step == 0:  # as the daemon's: others count at the ends
            inside = numpy.clip(self.view, first, last)
        else:
            inside = self.view[(self.view >= first) & (self.view <= last)]
        digits = (inside >> kind(step)).astype("i8" if inside.dtype.kind == "i" else "u8")
        found, number = numpy.unique(digits, return_counts=True)
        return {int(digit) - (begin >> step): int(count) for digit, count in zip(found, number)}


# --- counts


def _binned(x: Any, edges: List[float], bins: int) -> List[int]:
    """An element v is in bin i if edge[i] <= v < edge[i + 1]; that of the upper edge in the last."""
    lo, hi = edges
    if lo == hi:
        lo, hi = lo - 0.5, hi + 0.5
    step = (hi - lo) / bins
    limits = [lo + i * step for i in range(bins)]
    if not math.isfinite(step) or any(a >= b for a, b in zip(limits, limits[1:] + [hi])):
        raise _refuse_range((edges[0], edges[1]))
    ordered = numpy.sort(x[~numpy.isnan(x)] if x.dtype.kind == "f" else x)
    if x.dtype.kind != "f" and x.dtype.itemsize == 8:  # a float has not all of its values
        low, high = numpy.iinfo(x.dtype).min, numpy.iinfo(x.dtype).max
        whole = [math.ceil(limit) for limit in limits] + [math.floor(hi) + 1]
        below = [
            0 if limit <= low else len(x) if limit > high else int(ordered.searchsorted(x.dtype.type(limit)))
            for limit in whole
        ]
    else:
        ordered = ordered.astype("f8")
        below = [int(at) for at in ordered.searchsorted(limits)]
        below.append(int(ordered.searchsorted(hi, side="right")))
    return [after - before for before, after in zip(below, below[1:])]


def _leveled(operation: counts.Levels) -> List[int]:
    """The count of each level, then of NaN."""
    levels, edges = operation.params["levels"], operation.params["range"]
    x = _values(operation.piece)
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
    high, low = v >> half, v & numpy.uint64(_LOW32)
    return (high * factor + (low * factor >> half) >> half).astype("i8")


def _level_of_range(x: Any, levels: int, lo: float, hi: float) -> Any:
    single = numpy.float32
    narrow = x.dtype.itemsize <= 2 or x.dtype == "float32"
    if narrow:
        lo, hi = float(single(lo)), float(single(hi))
    width = hi - lo if lo < hi else 0.0
    if not width or not math.isfinite(single(width)) or not math.isfinite(single(levels / width)):
        raise _refuse_range((lo, hi))
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
