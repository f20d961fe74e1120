# SPDX-License-Identifier: Apache-2.0
"""Partial: what the ranges of an array that it knows add to a result. merge() joins partials in any order and
grouping."""

import bisect
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Type

from .. import _errors, _types
from . import codec
from .codec import refused

Range = Tuple[int, int]
_KINDS: Dict[str, Type["Partial"]] = {}


def joined_ranges(ranges: Iterable[Range]) -> Tuple[Range, ...]:
    """Sorted, neighbours joined, empty ones left out. An Error names `ranges` if two overlap."""
    made: List[Range] = []
    for begin, end in sorted(each for each in ranges if each[0] != each[1]):
        if made and begin < made[-1][1]:
            raise refused(
                "ranges",
                "two partials know elements %d to %d" % (begin, min(end, made[-1][1]) - 1),
                "each element in one partial",
            )
        if made and begin == made[-1][1]:
            made[-1] = (made[-1][0], end)
        else:
            made.append((begin, end))
    return tuple(made)


class Partial(object):
    """A part of a result. Partials are values: merging makes a new one, and they can be pickled.

    operation  its stem, such as "reduce"
    dtype      numpy's name of the element type
    params     the parameters of the operation: a dict of plain values
    total      elements of the whole array; None: not known
    ranges     ((begin, end), ...): the elements that it knows, sorted
    """

    operation = ""
    operations: Tuple[str, ...] = ()

    def __init__(
        self, number: int, params: Dict[str, Any], total: Optional[int], ranges: Iterable[Range], data: Any
    ) -> None:
        self.type, self.params, self.total = number, params, total
        self.ranges = joined_ranges(ranges)
        self.data = data
        if total is not None and self.ranges and self.ranges[-1][1] > total:
            raise refused(
                "total",
                "the piece ends at %d, behind the end of the whole" % self.ranges[-1][1],
                "a total from %d on" % self.ranges[-1][1],
            )

    @property
    def dtype(self) -> str:
        return _types.NAMES[self.type]

    @property
    def elements(self) -> int:
        """How many elements it knows."""
        return sum(end - begin for begin, end in self.ranges)

    def __repr__(self) -> str:
        whole = "?" if self.total is None else self.total
        return "<Partial of %s: %s of %s elements, %s>" % (self.operation, self.elements, whole, self.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partial) and self.to_bytes() == other.to_bytes()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def merge(self, *others: "Partial") -> "Partial":
        """merge((self,) + others)"""
        return merge((self,) + others)

    def result(self) -> Any:
        """The result of the whole array: what the operation returns, with the same bits. An Error names
        `ranges` if elements are missing."""
        total = self.total if self.total is not None else (self.ranges[-1][1] if self.ranges else 0)
        at = 0
        for begin, end in self.ranges + ((total, total),):
            if begin > at:
                raise refused(
                    "ranges", "no partial knows elements %d to %d" % (at, begin - 1), "0 to %d" % (total - 1)
                )
            at = end
        try:
            return self.finish(total)
        except _errors.Error:
            raise
        except (TypeError, ValueError, ArithmeticError):
            raise refused("data", "the numbers of the partial contradict each other")

    # Bytes

    def to_bytes(self) -> bytes:
        header, sections = self.packed()
        return codec.to_bytes(dict(self._header(), data=header), sections)

    def to_json(self) -> str:
        header, sections = self.packed()
        return codec.to_json(dict(self._header(), data=header), sections)

    @staticmethod
    def from_bytes(data: Any) -> "Partial":
        """The partial of to_bytes(). An Error names the field that is wrong."""
        return _read(*codec.from_bytes(data))

    @staticmethod
    def from_json(text: Any) -> "Partial":
        return _read(*codec.from_json(text))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (read, (self.to_bytes(),))

    def _header(self) -> Dict[str, Any]:
        return {
            "operation": self.operation,
            "type": _types.WORDS[self.type],
            "params": self.params,
            "total": self.total,
            "ranges": [list(each) for each in self.ranges],
        }

    # Of each operation

    @classmethod
    def joined(cls, parts: Sequence["Partial"], total: Optional[int]) -> Any:
        """The data of all parts together."""
        raise NotImplementedError

    def finish(self, total: int) -> Any:
        raise NotImplementedError

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        raise NotImplementedError

    @classmethod
    def unpacked(cls, frame: "Frame", header: Dict[str, Any], sections: List[bytes]) -> Any:
        """The data of packed(). Raises an Error, or any exception that _read() makes one of."""
        raise NotImplementedError

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        """Raises an Error, or any exception, if these are not parameters of the operation."""
        raise NotImplementedError


class Frame(object):
    """What is known of a partial before its data is read."""

    def __init__(
        self, number: int, params: Dict[str, Any], total: Optional[int], ranges: Tuple[Range, ...]
    ) -> None:
        self.type, self.params, self.total, self.ranges = number, params, total, ranges

    @property
    def elements(self) -> int:
        return sum(end - begin for begin, end in self.ranges)

    def check_known(self, index: int) -> None:
        """Raises an Error if the partial does not know the element."""
        at = bisect.bisect_right(self.ranges, (index, 1 << 64)) - 1
        if at < 0 or index >= self.ranges[at][1]:
            raise refused("indices", "index %d is not in the ranges of the partial" % index)

    def check_covered(self, covered: Iterable[Range]) -> None:
        """Raises an Error if these are not exactly the ranges."""
        if joined_ranges(covered) != self.ranges:
            raise refused("nodes", "nodes and edges of the partial are not those of its ranges")


def kind(made: Type[Partial]) -> Type[Partial]:
    _KINDS[made.operation] = made
    return made


def merge(parts: Iterable[Partial]) -> Partial:
    """One partial that knows what all of `parts` know. They may come in any order, and be merged themselves.
    An Error names the field in which one is foreign: operation, type, total, a parameter, or ranges."""
    listed = list(parts)
    if not listed:
        raise refused("parts", "there is nothing to merge", "one partial or more")
    first = listed[0]
    total = None
    for part in listed:
        if not isinstance(part, Partial):
            raise _errors.wrong_type("BAD_REQUEST", "%r is no partial" % (part,), "parts", "partials")
        _check_same("operation", first.operation, part.operation)
        _check_same("type", _types.WORDS[first.type], _types.WORDS[part.type])
        for name in sorted(set(first.params) | set(part.params)):
            _check_same(name, first.params.get(name), part.params.get(name))
        if part.total is not None:
            _check_same("total", part.total if total is None else total, part.total)
            total = part.total
    ranges = joined_ranges(each for part in listed for each in part.ranges)
    return type(first)(first.type, first.params, total, ranges, type(first).joined(listed, total))


def read(data: Any) -> Partial:
    """Partial.from_bytes(), as a function that pickle finds."""
    return Partial.from_bytes(data)


def _check_same(field: str, first: Any, other: Any) -> None:
    if first != other or type(first) is not type(other):
        raise refused(field, "%s is %r in one partial and %r in another" % (field, first, other), repr(first))


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _read(header: Dict[str, Any], sections: List[bytes]) -> Partial:
    found = _KINDS.get(str(header.get("operation")))
    if found is None:
        raise refused(
            "operation", "operation %r is not known" % (header.get("operation"),), " ".join(sorted(_KINDS))
        )
    words = {word: number for number, word in _types.WORDS.items()}
    number = words.get(str(header.get("type")))
    if number is None:
        raise refused("type", "type %r is not known" % (header.get("type"),), " ".join(words))
    total, ranges, params = header.get("total"), header.get("ranges"), header.get("params")
    if total is not None and not _whole(total):
        raise refused("total", "total is %r" % (total,), "a whole number, or null")
    if not isinstance(ranges, list) or not all(
        isinstance(each, list) and len(each) == 2 and all(map(_whole, each)) and each[0] < each[1]
        for each in ranges
    ):
        raise refused("ranges", "the ranges are no pairs of whole numbers")
    if not isinstance(params, dict):
        raise refused("params", "the parameters are no JSON object")
    known = [(each[0], each[1]) for each in ranges]
    if list(joined_ranges(known)) != known:
        raise refused("ranges", "the ranges are not sorted and joined")
    try:
        found.checked(number, params)
    except _errors.Error:
        raise
    except Exception as error:
        raise refused("params", "the parameters of the partial are wrong: %s" % error)
    try:
        frame = Frame(number, params, total, tuple(known))
        data = found.unpacked(frame, header["data"], sections)
        return found(number, params, total, known, data)
    except _errors.Error:
        raise
    except Exception as error:
        raise refused("data", "the data of the partial is damaged: %s" % error)
