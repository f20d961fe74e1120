# SPDX-License-Identifier: Apache-2.0
"""Element types and shapes. numpy is used if it can be imported and never asked for; one table of types
drives both ways."""

import operator
import sys
from typing import Any, Dict, Optional, Tuple

from . import _errors

try:
    import numpy as _numpy  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    numpy: Any = None
else:
    numpy = _numpy

Shape = Tuple[int, ...]

# number, word, numpy's name, format of struct and memoryview, bytes
_TYPES = (
    (1, "u8", "uint8", "B", 1),
    (2, "i8", "int8", "b", 1),
    (3, "u16", "uint16", "H", 2),
    (4, "i16", "int16", "h", 2),
    (5, "u32", "uint32", "I", 4),
    (6, "i32", "int32", "i", 4),
    (7, "u64", "uint64", "Q", 8),
    (8, "i64", "int64", "q", 8),
    (9, "f16", "float16", "e", 2),
    (10, "f32", "float32", "f", 4),
    (11, "f64", "float64", "d", 8),
)
WORDS = {number: word for number, word, _, _, _ in _TYPES}
NAMES = {number: name for number, _, name, _, _ in _TYPES}
FORMATS = {number: code for number, _, _, code, _ in _TYPES}
BYTES = {number: size for number, _, _, _, size in _TYPES}
_BY_NAME: Dict[str, int] = {row[1]: row[0] for row in _TYPES}
_BY_NAME.update((row[2], row[0]) for row in _TYPES)
_BY_NAME.update({"bool": 1, "half": 9, "single": 10, "double": 11, "float": 11})
_BY_KIND = {
    ("u", 1): 1,
    ("i", 1): 2,
    ("u", 2): 3,
    ("i", 2): 4,
    ("u", 4): 5,
    ("i", 4): 6,
    ("u", 8): 7,
    ("i", 8): 8,
    ("f", 2): 9,
    ("f", 4): 10,
    ("f", 8): 11,
    ("b", 1): 1,
}
_FORMAT_KIND = dict(
    [(code, "u") for code in "BHILQNc?"]
    + [(code, "i") for code in "bhilqn"]
    + [(code, "f") for code in "efd"]
)
_ALLOWED = " ".join(WORDS.values())
_AS_NUMBERS, _AS_COUNTS = "; convert it to numbers, e.g. x.astype('f8')", "; take x.view('i8')"
_HINTS = {
    "c": "; take x.real and x.imag, or abs(x)",
    "O": "; give the numbers one type, e.g. x.astype('f8')",
    "M": _AS_COUNTS,
    "m": _AS_COUNTS,
    "V": "; take one field of the records",
    "S": _AS_NUMBERS,
    "U": _AS_NUMBERS,
    "f": _AS_NUMBERS,
}


def unsupported(found: object, hint: str = "") -> _errors.Error:
    return _errors.wrong_type(
        "UNSUPPORTED", "the element type %s is not served%s" % (found, hint), "dtype", _ALLOWED
    )


def big_endian(found: object) -> _errors.Error:
    return _errors.wrong_type(
        "UNSUPPORTED",
        "the element type %s has big-endian byte order; convert it first: "
        "x.astype(x.dtype.newbyteorder('=')), or byteswap() of an array.array" % (found,),
        "dtype",
        "little-endian types",
    )


def type_number(dtype: Any) -> int:
    """The number of a dtype: "f32", "float32", or anything that numpy takes as one."""
    if isinstance(dtype, str) and dtype in _BY_NAME:
        return _BY_NAME[dtype]
    if numpy is None:
        raise unsupported(dtype)
    try:
        known = numpy.dtype(dtype)
    except TypeError:
        raise unsupported(dtype)
    return numpy_type(known)


def numpy_type(dtype: Any) -> int:
    if dtype.byteorder == ">":
        raise big_endian(dtype.str)
    return kind_type(dtype.kind, dtype.itemsize, dtype)


def kind_type(kind: str, size: int, found: object) -> int:
    """The number of a type as numpy writes it: "f4" is kind "f" of 4 bytes."""
    number = _BY_KIND.get((kind, size))
    if number is None:
        raise unsupported(found, _HINTS.get(kind, ""))
    return number


def format_type(view: memoryview) -> int:
    code = view.format.lstrip("@=<|")
    if code[:1] in (">", "!"):
        raise big_endian(view.format)
    number = _BY_KIND.get((_FORMAT_KIND.get(code, ""), view.itemsize))
    if number is None:
        raise unsupported(view.format)
    return number


def is_masked_array(x: Any) -> bool:
    """numpy loads its masked arrays when they are first used; until then there are none."""
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked is not None and isinstance(x, masked)


def product(shape: Shape) -> int:
    result = 1
    for extent in shape:
        result *= extent
    return result


def shape_of(shape: Any) -> Shape:
    try:
        if hasattr(shape, "__index__"):
            return (operator.index(shape),)
        return tuple(operator.index(extent) for extent in shape)
    except TypeError:
        raise _errors.wrong_type(
            "BAD_RANGE", "shape=%r" % (shape,), "shape", "a whole number, or several in a tuple"
        )


def normal_axis(axis: Any, dimensions: int) -> Optional[int]:
    """None, or the axis counted from 0."""
    if axis is None:
        return None
    allowed = "None" if dimensions == 0 else "None, or %d..%d" % (-dimensions, dimensions - 1)
    try:
        number = operator.index(axis)
    except TypeError:
        raise _errors.wrong_type("BAD_RANGE", "axis=%r is not one number" % (axis,), "axis", allowed)
    if not -dimensions <= number < dimensions:
        raise _errors.make(
            "BAD_RANGE",
            "there is no axis %d in an array of %d dimensions" % (number, dimensions),
            "axis",
            allowed,
        )
    return number % dimensions
