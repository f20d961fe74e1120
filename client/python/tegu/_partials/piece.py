# SPDX-License-Identifier: Apache-2.0
"""Piece: the elements of one call, and their place in the whole array."""

import ctypes
from typing import Any, Dict, Optional, Tuple, Type, TypeVar

from .. import _errors, _inputs, _operation, _types
from .._buffer import Buffer


def _place(value: Any, field: str) -> int:
    number = _operation.whole_number(value, field, "0 to 2^62", (1 << 64) - 1)
    if number > 1 << 62:
        raise _errors.make("BAD_RANGE", "%s is %d" % (field, number), field, "0 to 2^62")
    return number


class Piece(object):
    """Elements [offset, offset + n) of an array of `total` elements, None: not known."""

    def __init__(
        self, client: Any, xs: Tuple[Any, ...], offset: Any, total: Any, options: Dict[str, Any]
    ) -> None:
        if options.get("axis") is not None:
            raise _errors.make(
                "UNSUPPORTED", "a partial along an axis", "axis", "None: a partial is that of a whole array"
            )
        self.xs = tuple(_dense(x) for x in xs)
        self.inputs = [self._input(client, x, options) for x in self.xs]
        first = self.inputs[0]
        self.type, self.width = first.type, _types.BYTES[first.type]
        self.n = first.rows * first.cols
        self.offset = _place(offset, "offset")
        self.total: Optional[int] = None if total is None else _place(total, "total")
        if self.total is not None and self.offset + self.n > self.total:
            raise _errors.make(
                "BAD_RANGE",
                "the piece ends at %d, behind the end of the whole" % (self.offset + self.n),
                "total",
                "%d or more" % (self.offset + self.n),
            )
        self.is_last = self.total == self.offset + self.n
        self.range = (self.offset, self.offset + self.n)

    @staticmethod
    def _input(client: Any, x: Any, options: Dict[str, Any]) -> _inputs.Input:
        if isinstance(x, Buffer):
            found = x.as_input(client, None, options)
            found.address = x.address
            return found
        found = _inputs.describe(x, options.get("dtype"), options.get("shape"), None, "x")
        if found.row_stride:
            raise _errors.make("UNSUPPORTED", "the rows of the piece have gaps", "x", "elements without gaps")
        return found

    def read(self, begin: int, count: int) -> Tuple[bytes, ...]:
        """Elements of the piece, of each input."""
        return tuple(
            ctypes.string_at(each.address + begin * self.width, count * self.width) if count else b""
            for each in self.inputs
        )


def _dense(x: Any) -> Any:
    numpy = _types.numpy
    if numpy is not None and isinstance(x, numpy.ndarray) and not _types.is_masked_array(x):
        return numpy.ascontiguousarray(x)
    return x


class PieceOperation(_operation.Operation):
    """An operation whose result is a Partial of its piece."""

    piece: Piece
    params: Dict[str, Any]

    def empty(self) -> Any:
        """The partial of a piece without elements, of a part of fused."""
        raise NotImplementedError


PARTS: Dict[str, Any] = {}  # by name, the classes of those that a fused partial may contain
_Part = TypeVar("_Part", bound=Type[PieceOperation])


def part(made: _Part) -> _Part:
    PARTS[made.name] = made
    return made
