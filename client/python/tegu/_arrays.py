# SPDX-License-Identifier: Apache-2.0
"""From the library's memory to Python objects: numpy arrays, without numpy memoryviews, or what the caller
gave for a result."""

import ctypes
import struct
from typing import Any, Dict, List, Tuple

from . import _errors
from ._inputs import Pinned
from ._types import BYTES, FORMATS, NAMES, Shape, format_type, numpy, product

# For one number faster than struct; ctypes has no f16.
_SINGLE: Dict[int, Any] = {
    number: getattr(ctypes, "c_" + name.replace("float32", "float").replace("float64", "double"))
    for number, name in NAMES.items()
    if name != "float16"
}
_DTYPES: Dict[int, Any] = {
    number: name if numpy is None else numpy.dtype(name) for number, name in NAMES.items()
}
COPIED_BYTES = 65536  # results up to this are copied out of the memory of the library


def view_of(address: int, number: int, shape: Shape, owner: object, writable: bool = True) -> Any:
    """An array over memory that lives as long as `owner`: a numpy array, else a memoryview (of f16: a
    list)."""
    size = product(shape) * BYTES[number]
    if size == 0:
        block: Any = bytearray()
    else:
        block = (ctypes.c_ubyte * size).from_address(address)
        block.owner = owner
    return shaped(block, number, shape, writable)


def copy_of(address: int, number: int, shape: Shape) -> Any:
    """The same as an independent object."""
    size = product(shape) * BYTES[number]
    return shaped(bytearray(ctypes.string_at(address, size) if size else b""), number, shape)


def constant_of(address: int, number: int, shape: Shape) -> Any:
    """The same, which nobody can write into."""
    return shaped(ctypes.string_at(address, product(shape) * BYTES[number]), number, shape, False)


def _nested(values: List[Any], shape: Shape) -> List[Any]:
    if len(shape) < 2:
        return values
    step = product(shape[1:])
    return [_nested(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def shaped(block: Any, number: int, shape: Shape, writable: bool = True) -> Any:
    """An array over `block`, anything with a buffer of that size."""
    if numpy is not None:
        made = numpy.ndarray(shape, _DTYPES[number], block)
        if not writable:
            made.flags.writeable = False
        return made
    if FORMATS[number] == "e":
        return _nested(list(struct.unpack("<%de" % product(shape), bytes(block))), shape)
    code: Any = FORMATS[number]
    view = memoryview(block).cast("B").cast(code)
    return view.cast("B").cast(code, list(shape)) if len(shape) > 1 and product(shape) else view


def scalars(address: int, number: int, count: int) -> Tuple[Any, ...]:
    """`count` elements as Python numbers."""
    single = _SINGLE.get(number) if count == 1 else None
    if single is not None:
        return (single.from_address(address).value,)
    return struct.unpack("<%d%s" % (count, FORMATS[number]), ctypes.string_at(address, count * BYTES[number]))


def columns_first(address: int, number: int, rows: int, cols: int, shape: Shape) -> Any:
    """A copy of rows x cols elements with the columns as rows, in another shape."""
    if numpy is not None:
        return numpy.ascontiguousarray(copy_of(address, number, (rows, cols)).T).reshape(shape)
    values = scalars(address, number, rows * cols)
    packed = struct.pack(
        "<%d%s" % (rows * cols, FORMATS[number]),
        *(values[r * cols + c] for c in range(cols) for r in range(rows)),
    )
    return shaped(bytearray(packed), number, shape, True)


def fill(out: Any, address: int, number: int, shape: Shape) -> None:
    """Copies elements into an array of the caller's, of that type and shape. `out` was checked by
    check_out()."""
    source = (
        copy_of(address, number, shape)
        if product(shape) * BYTES[number] <= COPIED_BYTES
        else view_of(address, number, shape, None)
    )
    if numpy is not None and isinstance(out, numpy.ndarray):
        numpy.copyto(out, source)
    elif product(shape):
        ctypes.memmove(Pinned(out).address, address, product(shape) * BYTES[number])


def check_out(out: Any, number: int, shape: Shape) -> None:
    """Raises an Error if `out` is not memory that can be written, of that type and shape."""
    wanted = "%s %s" % (NAMES[number], tuple(shape))
    try:
        view = None if numpy is not None and isinstance(out, numpy.ndarray) else memoryview(out)
    except TypeError:
        raise _errors.wrong_type(
            "BAD_RANGE", "out is a %s" % type(out).__name__, "out", "a Buffer or an array, %s" % wanted
        )
    found: Any = out if view is None else view
    if view is None:
        same, writable = found.dtype == numpy.dtype(NAMES[number]), out.flags.writeable
    else:
        same, writable = format_type(view) == number and view.c_contiguous, not view.readonly
    if not same or tuple(found.shape) != tuple(shape):
        kind = found.dtype if view is None else view.format
        raise _errors.make("BAD_RANGE", "out is %s %s" % (kind, tuple(found.shape)), "out", wanted)
    if not writable:
        raise _errors.make("DENIED", "out is read-only", "out", "memory that can be written")
