# SPDX-License-Identifier: Apache-2.0
"""The partials of histogram and entropy: counts, which add."""

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .. import _abi, _arrays, _errors
from .._operations import entropy as _entropy
from .._operations import histogram as _histogram
from . import codec, facts
from .codec import refused
from .exact import entropy_of
from .piece import Piece, PieceOperation, part
from .value import Frame, Partial, kind


def _sums(parts: Sequence[Partial]) -> List[int]:
    return [sum(each) for each in zip(*(part.data for part in parts))]


def _packed_counts(counts: List[int]) -> List[bytes]:
    return [codec.packed(((count,) for count in counts), "Q")]


def _read_counts(frame: Frame, sections: List[bytes], count: int, exact: bool) -> List[int]:
    (section,) = sections
    counts = [row[0] for row in codec.records(section, "Q", "counts")]
    if len(counts) != count:
        raise refused("counts", "there are %d counts" % len(counts), "%d" % count)
    if sum(counts) > frame.elements or (exact and sum(counts) != frame.elements):
        raise refused("counts", "the counts are not those of %d elements" % frame.elements)
    return counts


def _range_of(given: Any) -> Tuple[float, float]:
    try:
        lo, hi = (float(edge) for edge in given)
    except (TypeError, ValueError):
        raise _errors.make("BAD_RANGE", "range=%r" % (given,), "range", "a pair of numbers (lo, hi)")
    if not (math.isfinite(lo) and math.isfinite(hi) and lo <= hi):
        raise _errors.make("BAD_RANGE", "range=%r" % (given,), "range", "finite, lo <= hi")
    return lo + 0.0, hi + 0.0


def _checked_range(params: Dict[str, Any]) -> None:
    lo, hi = (float.fromhex(edge) for edge in params["range"])
    if not (math.isfinite(lo) and math.isfinite(hi) and lo <= hi and math.isfinite(hi - lo)):
        raise refused("range", "the range is %r" % (params["range"],), "finite, lo <= hi")


def _checked_count(params: Dict[str, Any], name: str, least: int, most: int) -> None:
    if type(params[name]) is not int or not least <= params[name] <= most:
        raise refused(name, "%s is %r" % (name, params[name]), "%d to %d" % (least, most))


@kind
class HistogramPartial(Partial):
    operation = "histogram"

    @classmethod
    def joined(cls, parts: Sequence[Partial], total: Optional[int]) -> Any:
        return _sums(parts)

    def finish(self, total: int) -> Tuple[Any, Any]:
        bins = self.params["bins"]
        lo, hi = (float.fromhex(edge) for edge in self.params["range"])
        if lo == hi:
            lo, hi = lo - 0.5, hi + 0.5
        step = (hi - lo) / bins
        edges = [lo + i * step for i in range(bins)] + [hi]
        shown = codec.packed(((edge,) for edge in edges), "d")
        (counts,) = _packed_counts(self.data)
        return _arrays.shaped(bytearray(counts), 7, (bins,)), _arrays.shaped(
            bytearray(shown), 11, (bins + 1,)
        )

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        return {}, _packed_counts(self.data)

    @classmethod
    def unpacked(cls, frame: Frame, header: Dict[str, Any], sections: List[bytes]) -> Any:
        return _read_counts(frame, sections, frame.params["bins"], False)

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        _checked_count(params, "bins", 1, 1 << 20)
        _checked_range(params)
        if set(params) != {"bins", "range"}:
            raise ValueError("they are %s" % sorted(params))


@part
class Bins(PieceOperation, _histogram.Parameters):
    """The job of one piece."""

    def __init__(self, piece: Piece, bins: Any = 10, range: Any = None, skip_nans: bool = False) -> None:
        if range is None:
            raise _errors.make(
                "BAD_RANGE",
                "one piece does not know the range of the whole: find it first, with "
                "reduce_partial(x, stats='minmax', ...)",
                "range",
                "(lo, hi)",
            )
        _histogram.Parameters.__init__(self, bins, _range_of(range), skip_nans)
        self.piece = piece
        self.params = {"bins": self.fields["bins"], "range": [edge.hex() for edge in self.range]}
        if not 1 <= self.params["bins"] <= 1 << 20:
            raise _errors.make("BAD_RANGE", "bins is %d" % self.params["bins"], "bins", "1 to 2^20")

    def result(self, arrays: Dict[int, Any]) -> Any:
        return self.partial(list(arrays[_abi.ROLES["histogram"]].numbers()))

    def empty(self) -> Partial:
        return self.partial([0] * self.params["bins"])

    def partial(self, counts: List[int]) -> Partial:
        return HistogramPartial(self.piece.type, self.params, self.piece.total, [self.piece.range], counts)


@kind
class EntropyPartial(Partial):
    operation = "entropy"

    @classmethod
    def joined(cls, parts: Sequence[Partial], total: Optional[int]) -> Any:
        return _sums(parts)

    def finish(self, total: int) -> float:
        if total == 0:
            raise _errors.make(
                "EMPTY_INPUT", "entropy of an empty sequence is not defined", "cols", "at least 1"
            )
        if self.data[-1] != 0 and not self.params["skip_nans"]:
            return float("nan")
        return entropy_of(self.data[:-1], self.params["base"] == "e")

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        return {}, _packed_counts(self.data)

    @classmethod
    def unpacked(cls, frame: Frame, header: Dict[str, Any], sections: List[bytes]) -> Any:
        return _read_counts(frame, sections, frame.params["levels"] + 1, True)

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        _checked_count(params, "levels", 2, 1 << 16)
        if params["range"] is not None:
            _checked_range(params)
        if params["base"] not in ("2", "e"):
            raise refused("base", "the base is %r" % (params["base"],), "2 or e")
        if type(params["skip_nans"]) is not bool or set(params) != {"levels", "range", "base", "skip_nans"}:
            raise ValueError("they are %s" % sorted(params))


@part
class Levels(PieceOperation, _entropy.Parameters):
    """The job of one piece."""

    def __init__(
        self, piece: Piece, levels: Any = 256, range: Any = None, base: Any = 2, skip_nans: bool = False
    ) -> None:
        if range is None and piece.type in facts.FLOATS:
            raise _errors.make(
                "BAD_RANGE",
                "one piece of floats does not know the range of the whole: find it first, with "
                "reduce_partial(x, stats='minmax', ...)",
                "range",
                "(lo, hi)",
            )
        _entropy.Parameters.__init__(
            self, levels, None if range is None else _range_of(range), base, skip_nans
        )
        self.piece = piece
        self.params = {
            "levels": self.fields["levels"],
            "range": None if range is None else [edge.hex() for edge in self.range],
            "base": "e" if self.fields["base"] else "2",
            "skip_nans": bool(skip_nans),
        }
        if not 2 <= self.params["levels"] <= 1 << 16:
            raise _errors.make("BAD_RANGE", "levels is %d" % self.params["levels"], "levels", "2 to 65536")
        self.fields["partial"] = 1

    def result(self, arrays: Dict[int, Any]) -> Any:
        return self.partial(list(arrays[_abi.ROLES["levels"]].numbers()))

    def empty(self) -> Partial:
        return self.partial([0] * (self.params["levels"] + 1))

    def partial(self, counts: List[int]) -> Partial:
        return EntropyPartial(self.piece.type, self.params, self.piece.total, [self.piece.range], counts)
