# SPDX-License-Identifier: Apache-2.0
"""From Python objects to memory. An Input keeps its object alive as long as the memory is needed."""

import array
import ctypes
import struct
from typing import Any, List, Optional, Tuple

from . import _dlpack, _errors
from ._types import (
    BYTES,
    FORMATS,
    NAMES,
    WORDS,
    Shape,
    big_endian,
    format_type,
    is_masked_array,
    kind_type,
    normal_axis,
    numpy,
    numpy_type,
    product,
    shape_of,
    type_number,
)


class Input(object):
    """Memory for a request: address, element type, and its shape with the axis of the job last.

    given   the shape as the caller sees it
    axis    which axis of it the job runs along, from 0; None: all of it is one sequence
    copied  the caller's object could not be used as it was
    buffer  the library's handle of a Buffer, which is the memory then
    """

    def __init__(
        self,
        keep: object,
        address: int,
        number: int,
        given: Shape,
        axis: Optional[int],
        row_stride: int = 0,
        copied: bool = False,
        buffer: Any = None,
    ) -> None:
        self.keep, self.address, self.type, self.given, self.axis = keep, address, number, given, axis
        self.row_stride, self.copied, self.buffer = row_stride, copied, buffer
        self.rest = given[:axis] + given[axis + 1 :] if axis is not None else given[:-1]
        self.cols = given[axis if axis is not None else -1] if given else 1
        self.rows = product(self.rest)


class _PyBuffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


class Pinned(object):
    """The address of anything with a contiguous buffer, read-only ones too, without a copy."""

    def __init__(self, source: object) -> None:
        self._view = _PyBuffer()
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(source), ctypes.byref(self._view), 0)
        self.address: int = self._view.buf or 0

    def __del__(self) -> None:
        if self._view.obj:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._view))


def describe(
    x: Any, dtype: Any = None, shape: Any = None, axis: Optional[int] = None, name: str = "x"
) -> Input:
    """An Input for `x`, which the caller's signature calls `name`."""
    return (_describe_plain if numpy is None else _describe_numpy)(x, dtype, shape, axis, name)


def _unreadable(error: object, field: str) -> _errors.Error:
    return _errors.wrong_type(
        "BAD_REQUEST",
        "it cannot be read as an array: %s" % error,
        field,
        "numbers in lists of one length, or a buffer",
    )


def _bad_shape(elements: int, shape: Shape) -> _errors.Error:
    return _errors.make(
        "BAD_RANGE",
        "%d elements do not fill the shape %s" % (elements, shape),
        "shape",
        "%d elements" % elements,
    )


def _as_numpy(x: Any, dtype: Any, field: str) -> Tuple[Any, bool]:
    """(array, whether it had to be made)."""
    name = None if dtype is None else NAMES[type_number(dtype)]
    if is_masked_array(x):
        if not numpy.ma.is_masked(x):
            return _as_numpy(numpy.ma.getdata(x), dtype, field)
        raise _errors.make(
            "UNSUPPORTED",
            "a masked array has values that must not count; pass x.compressed(), or x.filled(value), or of "
            "floats x.filled(numpy.nan) with skip_nans=True",
            field,
            "arrays without masked values",
        )
    try:
        if isinstance(x, numpy.ndarray):
            if name is not None:
                numpy_type(x.dtype)
                return x.view(numpy.ndarray).view(name), False
            return numpy.asarray(x), False
        if _has_dlpack(x):
            taken = numpy.asarray(_dlpack.Memory(x, field))
            return taken if name is None else taken.view(name), False
        if isinstance(x, (bytes, bytearray)) or (
            name is not None and not hasattr(x, "__array__") and _has_buffer(x)
        ):
            return numpy.frombuffer(x, dtype=name or "uint8") if memoryview(x).nbytes else numpy.empty(
                0, name or "uint8"
            ), False
        if name is None and _has_buffer(x):
            return numpy.asarray(x), False
        if name is not None and isinstance(x, (int, list, tuple)):
            _check_fits(numpy.asarray(x), numpy.dtype(name))
        made = numpy.asarray(x, dtype=name)
        if made.dtype.kind == "b":
            made = made.view("u1") != 0  # of PIL, True has all bits
        if isinstance(x, (list, tuple)) and made.dtype.kind == "O":
            _check_even(made)
        return made, made.flags.owndata or not hasattr(x, "__array__")
    except _errors.Error:
        raise
    except (TypeError, ValueError, OverflowError, BufferError, RuntimeError) as error:
        raise _unreadable(error, field if name is None else "dtype")


def _check_fits(given: Any, wanted: Any) -> None:
    """numpy before 2 wraps integers that do not fit the type asked for."""
    if wanted.kind in "iu" and given.dtype.kind in "iu" and given.size:
        for number in (int(given.min()), int(given.max())):
            if not numpy.iinfo(wanted).min <= number <= numpy.iinfo(wanted).max:
                raise OverflowError("%d does not fit %s" % (number, wanted))


def _check_even(made: Any) -> None:
    """numpy before 1.24 makes objects of the lists inside a list if they differ in length."""
    if any(isinstance(item, (list, tuple, numpy.ndarray)) for item in made.ravel()):
        raise ValueError("the lists inside have different lengths")


def _has_dlpack(x: object) -> bool:
    return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")


def _has_buffer(x: Any) -> bool:
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def _row_stride(x: Any) -> Optional[int]:
    """Elements from row to row if x is rows of neighbours at one distance, 0 if they touch; else None."""
    if x.flags.c_contiguous:
        return 0
    if (
        x.ndim < 2
        or x.strides[-1] != x.itemsize
        or x.strides[-2] < x.shape[-1] * x.itemsize
        or x.strides[-2] % x.itemsize
    ):
        return None
    for axis in range(x.ndim - 2):
        if x.strides[axis] != x.strides[axis + 1] * x.shape[axis + 1]:
            return None
    return int(x.strides[-2] // x.itemsize)


def _describe_numpy(x: Any, dtype: Any, shape: Any, axis: Optional[int], name: str) -> Input:
    x, copied = _as_numpy(x, dtype, name)
    number = numpy_type(x.dtype)
    if shape is not None:
        shape = shape_of(shape)
        try:
            reshaped = x.reshape(shape)
        except ValueError:
            raise _bad_shape(x.size, shape)
        copied = copied or not numpy.may_share_memory(x, reshaped)
        x = reshaped
    given = x.shape
    axis = normal_axis(axis, x.ndim)
    if axis is not None and axis != x.ndim - 1:
        x = numpy.moveaxis(x, axis, -1)
    row_stride = _row_stride(x)
    if row_stride is None:
        x, row_stride, copied = numpy.ascontiguousarray(x), 0, True
    return Input(x, x.__array_interface__["data"][0], number, given, axis, row_stride, copied)


def _flat(x: Any, shape: List[int]) -> List[Any]:
    """The numbers of nested lists, and their shape in `shape`. ValueError if lists that stand side by side
    differ in length."""
    if not isinstance(x, (list, tuple)):
        return [x]
    shape.append(len(x))
    below: List[List[int]] = [[] for _ in x]
    numbers = [number for item, inner in zip(x, below) for number in _flat(item, inner)]
    if any(inner != below[0] for inner in below):
        raise ValueError("the lists inside have different lengths")
    shape.extend(below[0] if below else [])
    return numbers


def _array_of(x: Any, dtype: Any, field: str) -> Tuple[Any, Shape, int]:
    """An array.array of a number or of nested lists, and its shape."""
    shape: List[int] = []
    try:
        numbers = _flat(x, shape)
    except ValueError as error:
        raise _unreadable(error, field)
    whole = bool(numbers) and all(isinstance(value, int) for value in numbers)
    code = FORMATS[type_number(dtype)] if dtype is not None else "q" if whole else "d"
    if dtype is None and whole and all(isinstance(value, bool) for value in numbers):
        code = "B"
    elif dtype is None and whole and max(numbers) > 0x7FFFFFFFFFFFFFFF:
        code = "Q"
    try:
        packed: Any = (
            struct.pack("<%d%s" % (len(numbers), code), *numbers)
            if code == "e"
            else array.array(code, numbers)
        )
    except (TypeError, OverflowError, struct.error) as error:
        raise _unreadable(error, field if dtype is None else "dtype")
    return packed, tuple(shape), [number for number, known in FORMATS.items() if known == code][0]


def _taken(memory: _dlpack.Memory, dtype: Any, name: str) -> Tuple[memoryview, Any, Optional[Shape]]:
    """Its view, element type and shape, unless the caller says what they are."""
    if not memory.is_dense():
        raise _errors.make("UNSUPPORTED", "the array has gaps", name, "dense arrays, without numpy")
    if dtype is not None:
        return memory.view(), dtype, None
    return memory.view(), WORDS[memory.number], memory.shape


def _taken_image(interface: Any, dtype: Any) -> Tuple[bytes, Any, Optional[Shape]]:
    """The same of an image of PIL."""
    kind, size = interface["typestr"][1], int(interface["typestr"][2:])
    if interface["typestr"][0] == ">":
        raise big_endian(interface["typestr"])
    number = kind_type(kind, size, interface["typestr"])
    data = bytes(map(bool, interface["data"])) if kind == "b" else interface["data"]
    return data, dtype or WORDS[number], None if dtype else tuple(interface["shape"])


def _describe_plain(x: Any, dtype: Any, shape: Any, axis: Optional[int], name: str) -> Input:
    copied = False
    extents: Optional[Shape] = None
    if isinstance(x, (int, float, list, tuple)):
        copied = True
        x, extents, made = _array_of(x, dtype, name)
        dtype = WORDS[made]
    try:
        if _has_dlpack(x):
            x, dtype, extents = _taken(_dlpack.Memory(x, name), dtype, name)
        elif not _has_buffer(x) and isinstance(getattr(x, "__array_interface__", {}).get("data"), bytes):
            x, dtype, extents = _taken_image(x.__array_interface__, dtype)
            copied = True
        view = memoryview(x)
    except _errors.Error:
        raise
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise _unreadable(error, name)
    if dtype is not None:
        number = type_number(dtype)
        if view.nbytes % BYTES[number]:
            raise _errors.make(
                "BAD_REQUEST",
                "%d bytes are no whole number of %s" % (view.nbytes, WORDS[number]),
                "dtype",
                "",
            )
        if extents is None:
            extents = (view.nbytes // BYTES[number],)
    else:
        number = format_type(view)
        extents = tuple(view.shape or ())
    if shape is not None:
        if product(shape_of(shape)) != product(extents):
            raise _bad_shape(product(extents), shape_of(shape))
        extents = shape_of(shape)
    axis = normal_axis(axis, len(extents))
    if axis is not None and axis != len(extents) - 1:
        raise _errors.make(
            "UNSUPPORTED",
            "jobs run along the last axis; axis %d needs a copy, which takes numpy" % axis,
            "axis",
            "None or -1",
        )
    copied = copied or not view.c_contiguous
    pinned = Pinned(x if view.c_contiguous else view.tobytes())
    return Input((x, pinned), pinned.address, number, extents, axis, 0, copied)
