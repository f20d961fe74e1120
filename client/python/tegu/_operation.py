# SPDX-License-Identifier: Apache-2.0
"""What the operations share: how keyword arguments become parameters of tegu.h, and what the arrays of a
result are."""

import ctypes
import operator
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from . import _abi, _arrays, _errors, _types
from ._inputs import Input
from ._types import Shape

_BY_NAME: Dict[str, Dict[str, Tuple[str, Any]]] = {
    operation: {name: (kind, allowed) for name, kind, _, allowed in parameters}
    for operation, parameters in _abi.PARAMETERS.items()
}


def choice(value: Any, table: Dict[Any, int], field: str) -> int:
    try:
        return table[value]
    except (KeyError, TypeError):
        raise _errors.make(
            "BAD_RANGE",
            "%s=%r is not known" % (field, value),
            field,
            " or ".join(repr(known) for known in table),
        )


def whole_number(value: Any, field: str, allowed: str, max_value: int = 0xFFFFFFFF) -> int:
    """The number, at most `max_value`, which the daemon refuses as it does all that is larger."""
    try:
        number = operator.index(value)
    except TypeError:
        raise _errors.wrong_type(
            "BAD_RANGE", "%s=%r is no whole number" % (field, value), field, "whole numbers, " + allowed
        )
    if number < 0 or number >= 1 << 64:
        raise _errors.make(
            "BAD_RANGE", "%s=%r is no whole number of this range" % (field, value), field, allowed
        )
    return min(number, max_value)


def _numbered(words: Sequence[str]) -> Dict[Any, int]:
    """{word: number}; words that are numbers count as such, too."""
    table: Dict[Any, int] = {}
    for number, word in enumerate(words):
        if word.isdigit():
            table[int(word)] = number
        table[word] = number
    return table


class Operation(object):
    """One operation with its parameters. A subclass in _operations/ has the call and the result.

    name     as in _abi.OPERATIONS
    labels   of its inputs, as messages name them
    is_image whether its input has two dimensions, which stay rows and columns
    out_role of the array that `out` takes; 0: none
    """

    name = ""
    labels: Tuple[str, ...] = ("x",)
    is_image = False
    out_role = 0
    range: Any = None
    fields: Dict[str, Any]

    def allowed(self, name: str) -> Any:
        return _BY_NAME[self.name][name][1]

    def out_type(self, source: Input) -> int:
        """The element type of what `out` takes, of an operation with an out_role."""
        return source.type

    def result(self, arrays: Dict[int, "Array"]) -> Any:
        """What the call returns. arrays: by their roles."""
        raise NotImplementedError

    def reader(self, places: Dict[int, slice]) -> Optional[Callable[[Tuple[Any, ...]], Any]]:
        """As result(), of a tuple with the numbers of all arrays. places: where they are, by role. None: the
        result is more than numbers."""
        return None

    def set(self, **given: Any) -> None:
        """Checks and keeps parameters that are flags, whole numbers and choices."""
        self.fields = {}
        for name, value in given.items():
            kind, allowed = _BY_NAME[self.name][name]
            if kind == "flag":
                value = 1 if value else 0
            elif kind == "choice":
                value = choice(value, _numbered(allowed), name)
            else:
                value = whole_number(value, name, allowed, 0xFFFFFFFF if kind == "u32" else (1 << 64) - 1)
            self.fields[name] = value

    def fill(self, params: Any) -> None:
        """Writes the parameters into the union of tegu.h."""
        struct = getattr(params, self.name)
        for name, value in self.fields.items():
            setattr(struct, name, value)
        if self.range is not None:
            try:
                struct.lo, struct.hi = (float(edge) for edge in self.range)
            except (TypeError, ValueError):
                raise _errors.make(
                    "BAD_RANGE", "range=%r" % (self.range,), "range", "a pair of numbers (lo, hi)"
                )
            struct.has_range = 1


class Array(object):
    """One array of a result: rows x cols elements in C's memory, and the Input that its rows belong to."""

    __slots__ = ("owner", "type", "rows", "cols", "address", "source")

    def __init__(self, owner: Any, source: Input, number: int, rows: int, cols: int, address: int) -> None:
        self.owner, self.source = owner, source
        self.type, self.rows, self.cols, self.address = number, rows, cols, address

    def _rest(self) -> Shape:
        return self.source.rest if self.source.axis is not None else ()

    def is_per_row(self) -> bool:
        """Whether there is an array of results, not one."""
        return bool(self._rest())

    def shaped(self, shape: Shape) -> Any:
        if _types.product(shape) * _types.BYTES[self.type] <= _arrays.COPIED_BYTES:
            return _arrays.copy_of(self.address, self.type, shape)
        return _arrays.view_of(self.address, self.type, shape, self.owner)

    def as_given(self) -> Any:
        """In the shape of the input."""
        given = self.source.given
        return self.shaped(given) if given else self.numbers()[0]

    def numbers(self) -> Tuple[Any, ...]:
        return _arrays.scalars(self.address, self.type, self.rows * self.cols)

    def raw(self) -> bytes:
        """The bytes of the elements."""
        return ctypes.string_at(self.address, self.rows * self.cols * _types.BYTES[self.type])

    def copy_into(self, out: Any) -> None:
        """REQUIRES: out has the shape of the input."""
        given, axis = self.source.given, self.source.axis
        if axis is None or axis == len(given) - 1:
            return _arrays.fill(out, self.address, self.type, given)
        _arrays.fill(
            _types.numpy.moveaxis(out, axis, -1), self.address, self.type, self.source.rest + (given[axis],)
        )

    def per_row(self) -> Any:
        """One value a row: in the shape of the rows, a Python number if that has no dimensions."""
        rest = self._rest()
        return self.shaped(rest) if rest else self.numbers()[0]

    def vectors(self) -> Any:
        """A vector a row, after the dimensions of the rows."""
        return self.shaped(self._rest() + (self.cols,))

    def columns_first(self, shape: Shape) -> Any:
        """The columns as rows: `shape`, then the dimensions of the rows."""
        return _arrays.columns_first(self.address, self.type, self.rows, self.cols, shape + self._rest())

    def along(self) -> Any:
        """A vector a row, where the axis stood."""
        made = self.vectors()
        axis = self.source.axis
        return (
            made
            if axis is None or axis == len(self.source.given) - 1
            else _types.numpy.moveaxis(made, -1, axis)
        )


class Out(Array):
    """Stands for the array that the caller gave for a result, in Array's place."""

    __slots__ = ("out",)

    def __init__(self, out: Any, source: Input) -> None:
        self.out, self.source = out, source

    def as_given(self) -> Any:
        return self.out

    def along(self) -> Any:
        return self.out
