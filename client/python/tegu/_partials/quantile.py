# SPDX-License-Identifier: Apache-2.0
"""Exact quantiles of many pieces, in rounds. A round counts 16 more bits of the elements that the quantiles
lie between: one round for 8 and 16 bits, two for 32 bits, four for 64 bits."""

import math
import struct
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .. import _errors, _types
from . import codec, facts
from .codec import refused
from .value import Frame, Partial, kind, merge

METHODS = ("linear", "lower", "higher", "nearest", "midpoint")
DIGIT = 1 << 16  # counters of a round
MAX_QUANTILES = 1024
# Elements are counted as whole numbers: integers as they are, floats by their bits, without a sign.
_VIEWS = {9: 3, 10: 5, 11: 7}
Bracket = Tuple[int, int]  # first whole number, how many
Counts = Dict[int, int]  # digit -> elements


def view_of(number: int) -> int:
    """The element type as which the elements are counted."""
    return _VIEWS.get(number, number)


def whole_range(number: int) -> Bracket:
    """All whole numbers of the view."""
    bits = 8 * _types.BYTES[number]
    signed = _types.WORDS[number][0] == "i"
    return (-(1 << (bits - 1)) if signed else 0, 1 << bits)


def digits_of(bracket: Bracket) -> int:
    return min(bracket[1], DIGIT)


class State(NamedTuple("State", [("type", int), ("round", int), ("brackets", Tuple[Bracket, ...])])):
    """What a piece must count in this round: plain values that travel."""

    def plain(self) -> Dict[str, Any]:
        return {
            "type": _types.WORDS[self.type],
            "round": self.round,
            "brackets": [list(each) for each in self.brackets],
        }


@kind
class QuantilePartial(Partial):
    """data: (NaN elements, those of them with a sign, the counts of each bracket)"""

    operation = "quantile"

    @classmethod
    def joined(cls, parts: Sequence[Partial], total: Optional[int]) -> Any:
        counts: List[Counts] = [{} for _ in parts[0].params["brackets"]]
        for part in parts:
            for to, given in zip(counts, part.data[2]):
                for digit, count in given.items():
                    to[digit] = to.get(digit, 0) + count
        return (sum(part.data[0] for part in parts), sum(part.data[1] for part in parts), counts)

    def result(self) -> Any:
        raise refused("round", "one round of quantiles is no result", "Quantile.add() takes it")

    def complete(self) -> int:
        """The elements of the whole array, all of which it knows; an Error names `ranges` else."""
        return int(Partial.result(self))

    def finish(self, total: int) -> Any:
        return total

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        nans, signed, counts = self.data
        rows = ((i, digit, count) for i, of in enumerate(counts) for digit, count in sorted(of.items()))
        return {"nans": nans, "signed_nans": signed}, [codec.packed(rows, "IIQ")]

    @classmethod
    def unpacked(cls, frame: Frame, header: Dict[str, Any], sections: List[bytes]) -> Any:
        (section,) = sections
        nans, signed = header["nans"], header["signed_nans"]
        if any(type(each) is not int or not 0 <= each <= frame.elements for each in (nans, signed)):
            raise ValueError("the counts of NaN are %r and %r" % (nans, signed))
        if signed > nans or (nans and frame.type not in facts.FLOATS):
            raise ValueError("the counts of NaN are %r and %r" % (nans, signed))
        brackets = frame.params["brackets"]
        counts: List[Counts] = [{} for _ in brackets]
        for i, digit, count in codec.records(section, "IIQ", "counts"):
            if i >= len(counts) or digit >= digits_of(brackets[i]) or digit in counts[i] or count == 0:
                raise refused("counts", "a count of digit %d of bracket %d" % (digit, i))
            counts[i][digit] = count
        if any(sum(of.values()) > frame.elements for of in counts):
            raise refused("counts", "the counts are more than %d elements" % frame.elements)
        return (nans, signed, counts)

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        if set(params) != {"round", "brackets"} or type(params["round"]) is not int:
            raise ValueError("they are %s" % sorted(params))
        first, size = whole_range(view_of(number))
        for begin, count in params["brackets"]:
            if type(begin) is not int or type(count) is not int or begin < first or count < 1:
                raise refused("brackets", "a bracket is %r" % ((begin, count),))
            if begin + count > first + size or count & (count - 1) or (begin - first) % count:
                raise refused("brackets", "a bracket is %r" % ((begin, count),))


class Quantile(object):
    """The exact quantiles of an array that nobody holds whole.

        found = tegu.Quantile((0.1, 0.9), "f32", total=n)
        while not found.done:
            found.add([c.quantile_partial(x, found.state, offset=...) for x, c in pieces])
        found.result()

    q, method, skip_nans as in Client.quantile. There are at most `rounds` rounds: 1 for 8 and 16 bits, 2 for
    32, 4 for 64 bits."""

    def __init__(
        self, q: Any, dtype: Any, total: Optional[int] = None, method: str = "linear", skip_nans: bool = False
    ) -> None:
        self.type = _types.type_number(dtype)
        self.total, self.method, self.skip_nans = total, method, bool(skip_nans)
        if method not in METHODS:
            raise _errors.make(
                "BAD_RANGE", "method=%r is not known" % (method,), "method", " or ".join(METHODS)
            )
        self._alone = isinstance(q, (int, float)) or not hasattr(q, "__len__") or getattr(q, "ndim", 1) == 0
        self.q = tuple(float(each) for each in ([q] if self._alone else q))
        if not 0 < len(self.q) <= MAX_QUANTILES:
            raise _errors.make("BAD_RANGE", "there are %d quantiles" % len(self.q), "q", "1..1024 quantiles")
        for each in self.q:
            if not 0 <= each <= 1:
                raise _errors.make("BAD_RANGE", "a quantile is %r" % each, "q", "0..1")
        self.done = False
        self._round = 0
        self._known: Optional[Tuple[int, int, int]] = None  # elements, NaN, NaN with a sign
        # of each rank that is sought: its bracket, and its rank in it, by whole numbers
        self._sought: Dict[int, Tuple[Bracket, int]] = {}
        self._brackets: Tuple[Bracket, ...] = (whole_range(view_of(self.type)),)
        # of each bracket: how many elements are below it, and in it, as whole numbers
        self._places: Dict[Bracket, Tuple[int, int]] = {}

    @property
    def rounds(self) -> int:
        return max(1, _types.BYTES[self.type] // 2)

    @property
    def state(self) -> State:
        """What pieces must count next: an argument of quantile_partial()."""
        if self.done:
            raise _errors.make("BAD_REQUEST", "the quantiles are known", "state", "done is False")
        return State(self.type, self._round, self._brackets)

    def add(self, parts: Any) -> "Quantile":
        """Takes the partials of all pieces, or one that was merged of them, and goes to the next round."""
        part = merge([parts] if isinstance(parts, Partial) else parts)
        state = self.state
        if not isinstance(part, QuantilePartial):
            raise refused("operation", "a partial of %s" % part.operation, "quantile")
        if part.type != self.type:
            raise refused("type", "a partial of %s" % part.dtype, _types.NAMES[self.type])
        if part.params["round"] != self._round:
            raise refused("round", "a partial of round %d" % part.params["round"], "%d" % self._round)
        if [tuple(each) for each in part.params["brackets"]] != list(state.brackets):
            raise refused("brackets", "the partial counted other brackets", "those of the state")
        if self.total is not None and part.total not in (None, self.total):
            raise refused("total", "the total of the partial is %r" % (part.total,), "%d" % self.total)
        n = part.complete()
        if self.total is not None and n != self.total:
            raise refused("ranges", "the partials know %d elements" % n, "%d" % self.total)
        known = (n,) + part.data[:2]
        if self._known is None:
            self._known = known
            self._begin()
        elif known != self._known:
            raise refused("ranges", "the elements have changed since the first round")
        self._narrow(dict(zip(state.brackets, part.data[2])))
        return self

    def result(self) -> Any:
        """A number for one q, else a list in the order of q."""
        if not self.done or self._known is None:
            raise _errors.make("BAD_REQUEST", "more rounds are needed", "state", "add() until done is True")
        found = [self._value(q) for q in self.q]
        return found[0] if self._alone else found

    # Ranks

    def _counted(self) -> int:
        assert self._known is not None
        return self._known[0] - self._known[1]

    def _is_nan(self) -> bool:
        assert self._known is not None
        return (self._known[1] != 0 and not self.skip_nans) or self._counted() == 0

    def _ranks(self, q: float) -> Tuple[int, int, float]:
        """The ranks between which the quantile lies, and where."""
        n = self._counted()
        p = (n - 1) * q
        if self.method in ("lower", "higher", "nearest"):
            rounded: Dict[str, Any] = {"lower": math.floor, "higher": math.ceil, "nearest": round}
            at = rounded[self.method](p)
            return min(at, n - 1), min(at, n - 1), 0.0
        if self.method == "midpoint":
            p = 0.5 * (math.floor(p) + math.ceil(p))
        j = min(math.floor(p), n - 1)
        return j, min(j + 1, n - 1), p - j

    def _begin(self) -> None:
        assert self._known is not None
        if self._known[0] == 0:
            raise _errors.make(
                "EMPTY_INPUT", "quantiles of an empty sequence are not defined", "cols", "at least 1"
            )
        if self._is_nan():
            return
        ranks = {rank for q in self.q for rank in self._ranks(q)[:2]}
        self._places = {self._brackets[0]: (0, self._known[0])}
        # in the order of the bits, NaN with a sign come first
        self._sought = {rank: (self._brackets[0], rank + self._known[2]) for rank in ranks}

    def _narrow(self, counts: Dict[Bracket, Counts]) -> None:
        self._round += 1
        if self._is_nan():
            self.done = True
            return
        for bracket, of in counts.items():
            self._take_clamped(bracket, of)
        ends = {bracket: self._running(bracket, of) for bracket, of in counts.items()}
        places = {}
        for rank, (bracket, within) in self._sought.items():
            found, self._sought[rank] = self._digit(bracket, within, ends[bracket])
            digit = found[0]
            below = sum(count for each, count in counts[bracket].items() if each < digit)
            places[self._sought[rank][0]] = (self._places[bracket][0] + below, found[1])
        self._places = places
        self._brackets = tuple(sorted(places))
        self.done = self._brackets[0][1] == 1

    def _take_clamped(self, bracket: Bracket, counts: Counts) -> None:
        """The last round of 64 bits counts elements outside the bracket in its first and last digit."""
        assert self._known is not None
        if self._round != 4:
            return
        below, inside = self._places[bracket]
        for digit, clamped in ((0, below), (DIGIT - 1, self._known[0] - below - inside)):
            counts[digit] = counts.get(digit, 0) - clamped
            if counts[digit] < 0:
                raise refused("counts", "the counts are fewer than those of the rounds before")
            if counts[digit] == 0:
                del counts[digit]

    def _order(self, bracket: Bracket, digits: Iterable[int]) -> List[int]:
        """Digits of a bracket as their values ascend: bits with a sign come first, and descend."""
        if self.type not in facts.FLOATS:
            return sorted(digits)
        sign = whole_range(view_of(self.type))[1] // 2
        width = bracket[1] // digits_of(bracket)
        key = lambda digit: (  # noqa: E731
            (0, -digit) if bracket[0] + digit * width >= sign else (1, digit)
        )
        return sorted(digits, key=key)

    def _running(self, bracket: Bracket, counts: Counts) -> List[Tuple[int, int]]:
        made, total = [], 0
        for digit in self._order(bracket, counts):
            total += counts[digit]
            made.append((total, digit))
        return made

    @staticmethod
    def _digit(
        bracket: Bracket, within: int, ends: List[Tuple[int, int]]
    ) -> Tuple[Tuple[int, int], Tuple[Bracket, int]]:
        """(the digit and its count), (its bracket and the rank in it)."""
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if ends[middle][0] <= within else (low, middle)
        if low == len(ends):
            raise refused("counts", "the counts are fewer than the elements of the first round")
        width = bracket[1] // digits_of(bracket)
        before = ends[low - 1][0] if low else 0
        digit = ends[low][1]
        return (digit, ends[low][0] - before), ((bracket[0] + digit * width, width), within - before)

    # Values

    def _element(self, rank: int) -> Any:
        whole = self._sought[rank][0][0]
        if self.type not in facts.FLOATS:
            return whole
        raw = struct.pack("<Q", whole)[: _types.BYTES[self.type]]
        return struct.unpack("<" + _types.FORMATS[self.type], raw)[0] + 0.0

    def _value(self, q: float) -> Any:
        interpolates = self.method in ("linear", "midpoint")
        if self._is_nan():
            return float("nan")
        low, high, t = self._ranks(q)
        if not interpolates:
            return self._element(low)
        return _between(float(self._element(low)), float(self._element(high)), t)


def _between(a: float, b: float, t: float) -> float:
    d = b - a
    value = a + d * t if t < 0.5 else b - d * (1 - t)
    return value + 0.0 if value == value else float("nan")
