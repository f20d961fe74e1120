# SPDX-License-Identifier: Apache-2.0
"""What tegu_run_into() writes into: how arrays and plain numbers are read from it."""

import ctypes
import struct
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

from . import _abi, _operation, _types

if TYPE_CHECKING:
    from ._inputs import Input

_COUNT = _abi.Ran.count.offset  # and all after it but the addresses depend on the shapes and values alone
_SHAPES, _DATA, _VALUES = (getattr(_abi.Ran, name).offset for name in ("shapes", "data", "values"))
_shape_at = struct.Struct("<BB6xQQ").unpack_from
_SHAPE = ctypes.sizeof(_abi.Shape)
_MAX_BYTES = getattr(_abi.Ran, "values").size
_addresses_at = [struct.Struct("<%dQ" % count).unpack_from for count in range(_abi.RAN_ARRAYS + 1)]


def unchecked(function_name: str) -> Any:
    """The function without argtypes, which halves the cost of a call. REQUIRES: it returns an int; arguments
    are objects of ctypes of the exact types, or byref() of them."""
    return _abi.library()[function_name]


def arrays_of(ran: Any, owner: Any, source: "Input") -> Dict[int, _operation.Array]:
    """The arrays of the result, by their roles."""
    arrays, at = {}, _SHAPES
    for address in _addresses_at[ran.count](ran, _DATA):
        role, number, rows, cols = _shape_at(ran, at)
        arrays[role] = _operation.Array(owner, source, number, rows, cols, address)
        at += _SHAPE
    return arrays


class Numbers(object):
    """Reads a result that is a few numbers by one unpacking.

    unpack   of a tegu_ran, from START on: (head, number, ...)
    head     the count and the shapes that it fits
    make     what the call returns, of what unpack() gave
    """

    __slots__ = ("unpack", "head", "make")
    START = _COUNT

    def __init__(
        self, unpack: Callable[..., Tuple[Any, ...]], head: bytes, make: Callable[[Tuple[Any, ...]], Any]
    ) -> None:
        self.unpack, self.head, self.make = unpack, head, make


def numbers_of(ran: Any, operation: _operation.Operation, source: "Input") -> Optional[Numbers]:
    """How results of the shapes that are here can be read; None if they are more than numbers."""
    if not ran.bytes or (source.axis is not None and source.rest):
        return None
    head = _SHAPES + ran.count * _SHAPE - _COUNT
    code = "<%ds%dx" % (head, _VALUES - _COUNT - head)
    places: Dict[int, slice] = {}
    end = 1
    for index in range(ran.count):
        role, number, rows, cols = _shape_at(ran, _SHAPES + index * _SHAPE)
        count = rows * cols
        code += "%d%s%dx" % (count, _types.FORMATS[number], -count * _types.BYTES[number] % 8)
        places[role] = slice(end, end + count)
        end += count
    make = operation.reader(places)
    if make is None or struct.calcsize(code) > _VALUES - _COUNT + _MAX_BYTES:
        return None
    unpack = struct.Struct(code).unpack_from
    return Numbers(unpack, unpack(ran, _COUNT)[0], make)
