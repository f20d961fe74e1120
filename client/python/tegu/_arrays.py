# SPDX-License-Identifier: Apache-2.0
"""From Python objects to memory and back. numpy is used if it can be imported and never asked for; one table of element types
drives both ways. An Input keeps its object alive as long as the memory is needed."""
import array
import ctypes
import operator
import struct

from . import _errors

try:
    import numpy
except ImportError:
    numpy = None

# number, word, numpy's name, format of struct and memoryview, bytes
_TYPES = ((1, "u8", "uint8", "B", 1), (2, "i8", "int8", "b", 1), (3, "u16", "uint16", "H", 2), (4, "i16", "int16", "h", 2),
          (5, "u32", "uint32", "I", 4), (6, "i32", "int32", "i", 4), (7, "u64", "uint64", "Q", 8), (8, "i64", "int64", "q", 8),
          (9, "f16", "float16", "e", 2), (10, "f32", "float32", "f", 4), (11, "f64", "float64", "d", 8))
WORDS = {number: word for number, word, _, _, _ in _TYPES}
NAMES = {number: name for number, _, name, _, _ in _TYPES}
FORMATS = {number: code for number, _, _, code, _ in _TYPES}
BYTES = {number: size for number, _, _, _, size in _TYPES}
_BY_NAME = {name: row[0] for row in _TYPES for name in row[1:3]}
_BY_NAME.update({"bool": 1, "half": 9, "single": 10, "double": 11, "float": 11})
_BY_KIND = {("u", 1): 1, ("i", 1): 2, ("u", 2): 3, ("i", 2): 4, ("u", 4): 5, ("i", 4): 6, ("u", 8): 7, ("i", 8): 8, ("f", 2): 9,
            ("f", 4): 10, ("f", 8): 11, ("b", 1): 1}
_FORMAT_KIND = dict([(code, "u") for code in "BHILQNc?"] + [(code, "i") for code in "bhilqn"] + [(code, "f") for code in "efd"])
_ALLOWED = " ".join(WORDS.values())
_HINTS = {"c": "; take x.real and x.imag, or abs(x)", "O": "; give the numbers one type, e.g. x.astype('f8')", "M": "; take x.view('i8')",
          "m": "; take x.view('i8')", "V": "; take one field of the records"}


def _unsupported(found, hint=""):
    return _errors.make("UNSUPPORTED", "the element type %s is not served%s" % (found, hint), "dtype", _ALLOWED)


def _big_endian(found):
    return _errors.make("UNSUPPORTED", "the element type %s has big-endian byte order; convert it first: "
                        "x.astype(x.dtype.newbyteorder('=')), or byteswap() of an array.array" % (found,), "dtype", "little-endian types")


def type_number(dtype):
    """The number of a dtype: "f32", "float32", or anything that numpy takes as one."""
    if isinstance(dtype, str) and dtype in _BY_NAME:
        return _BY_NAME[dtype]
    if numpy is None:
        raise _unsupported(dtype)
    try:
        return _numpy_type(numpy.dtype(dtype))
    except TypeError:
        raise _unsupported(dtype)


def _numpy_type(dtype):
    if dtype.byteorder == ">":
        raise _big_endian(dtype.str)
    number = _BY_KIND.get((dtype.kind, dtype.itemsize))
    if number is None:
        raise _unsupported(dtype, _HINTS.get(dtype.kind, ""))
    return number


def _format_type(view):
    code = view.format.lstrip("@=<|")
    if code[:1] in (">", "!"):
        raise _big_endian(view.format)
    number = _BY_KIND.get((_FORMAT_KIND.get(code), view.itemsize))
    if number is None:
        raise _unsupported(view.format)
    return number


class Input(object):
    """Memory for a request: address, element type, and its shape with the axis of the job last.

    given   the shape as the caller sees it
    axis    which axis of it the job runs along, from 0; None: all of it is one sequence
    copied  the caller's object could not be used as it was
    """

    def __init__(self, keep, address, number, given, axis, row_stride=0, copied=False):
        self.keep, self.address, self.type, self.given, self.axis = keep, address, number, given, axis
        self.row_stride, self.copied = row_stride, copied
        self.rest = given[:axis] + given[axis + 1:] if axis is not None else given[:-1]
        self.cols = given[axis if axis is not None else -1] if given else 1
        self.rows = product(self.rest)


class _PyBuffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
                ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


class _Pinned(object):
    """The address of anything with a contiguous buffer, read-only ones too, without a copy."""

    def __init__(self, source):
        self._view = _PyBuffer()
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(source), ctypes.byref(self._view), 0)
        self.address = self._view.buf

    def __del__(self):
        if self._view.obj:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._view))


def product(shape):
    result = 1
    for extent in shape:
        result *= extent
    return result


def shape_of(shape):
    return (int(shape),) if hasattr(shape, "__index__") else tuple(int(extent) for extent in shape)


def normal_axis(axis, dimensions):
    """None, or the axis counted from 0."""
    if axis is None:
        return None
    allowed = "None" if dimensions == 0 else "None, or %d..%d" % (-dimensions, dimensions - 1)
    try:
        number = operator.index(axis)
    except TypeError:
        raise _errors.make("BAD_RANGE", "axis=%r is not one number" % (axis,), "axis", allowed)
    if not -dimensions <= number < dimensions:
        raise _errors.make("BAD_RANGE", "there is no axis %d in an array of %d dimensions" % (number, dimensions), "axis", allowed)
    return number % dimensions


def describe(x, dtype=None, shape=None, axis=None, name="x"):
    """An Input for `x`, which the caller's signature calls `name`."""
    return (_describe_plain if numpy is None else _describe_numpy)(x, dtype, shape, axis, name)


def _unreadable(error, field):
    return _errors.make("BAD_REQUEST", "it cannot be read as an array: %s" % error, field, "numbers in lists of one length, or a buffer")


def _bad_shape(elements, shape):
    return _errors.make("BAD_RANGE", "%d elements do not fill the shape %s" % (elements, shape), "shape", "%d elements" % elements)


def _as_numpy(x, dtype, field):
    """(array, whether it had to be made)."""
    name = None if dtype is None else NAMES[type_number(dtype)]
    if isinstance(x, numpy.ma.MaskedArray):
        raise _errors.make("UNSUPPORTED", "a masked array has values that must not count; pass x.compressed(), or x.filled(value), or of "
                           "floats x.filled(numpy.nan) with skip_nans=True", field, "arrays without a mask")
    try:
        if isinstance(x, numpy.ndarray):
            if name is not None:
                _numpy_type(x.dtype)
                return x.view(numpy.ndarray).view(name), False
            return numpy.asarray(x), False
        if isinstance(x, (bytes, bytearray)) or (name is not None and not hasattr(x, "__array__") and _has_buffer(x)):
            return numpy.frombuffer(x, dtype=name or "uint8") if memoryview(x).nbytes else numpy.empty(0, name or "uint8"), False
        if name is None and _has_buffer(x):
            return numpy.asarray(x), False
        return numpy.asarray(x, dtype=name), True
    except (ValueError, OverflowError, BufferError) as error:
        raise _unreadable(error, field if name is None else "dtype")


def _has_buffer(x):
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def _row_stride(x):
    """Elements from row to row if x is rows of neighbours at one distance, 0 if they touch; else None."""
    if x.flags.c_contiguous:
        return 0
    if x.ndim < 2 or x.strides[-1] != x.itemsize or x.strides[-2] < x.shape[-1] * x.itemsize or x.strides[-2] % x.itemsize:
        return None
    for axis in range(x.ndim - 2):
        if x.strides[axis] != x.strides[axis + 1] * x.shape[axis + 1]:
            return None
    return x.strides[-2] // x.itemsize


def _describe_numpy(x, dtype, shape, axis, name):
    x, copied = _as_numpy(x, dtype, name)
    number = _numpy_type(x.dtype)
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


def _flat(x, shape):
    """The numbers of nested lists, and their shape in `shape`. ValueError if lists that stand side by side differ in length."""
    if not isinstance(x, (list, tuple)):
        return [x]
    shape.append(len(x))
    below = [[] for _ in x]
    numbers = [number for item, inner in zip(x, below) for number in _flat(item, inner)]
    if any(inner != below[0] for inner in below):
        raise ValueError("the lists inside have different lengths")
    shape.extend(below[0] if below else [])
    return numbers


def _array_of(x, dtype, field):
    """An array.array of a number or of nested lists, and its shape."""
    shape = []
    try:
        numbers = _flat(x, shape)
    except ValueError as error:
        raise _unreadable(error, field)
    whole = bool(numbers) and all(isinstance(value, int) for value in numbers)
    code = FORMATS[type_number(dtype)] if dtype is not None else "q" if whole else "d"
    if dtype is None and whole and max(numbers) > 0x7fffffffffffffff:
        code = "Q"
    try:
        packed = struct.pack("<%d%s" % (len(numbers), code), *numbers) if code == "e" else array.array(code, numbers)
    except (TypeError, OverflowError, struct.error) as error:
        raise _unreadable(error, field if dtype is None else "dtype")
    return packed, tuple(shape), [number for number, known in FORMATS.items() if known == code][0]


def _describe_plain(x, dtype, shape, axis, name):
    copied, extents = False, None
    if isinstance(x, (int, float, list, tuple)):
        copied = True
        x, extents, made = _array_of(x, dtype, name)
        dtype = WORDS[made]
    view = memoryview(x)
    if dtype is not None:
        number = type_number(dtype)
        if view.nbytes % BYTES[number]:
            raise _errors.make("BAD_REQUEST", "%d bytes are no whole number of %s" % (view.nbytes, WORDS[number]), "dtype", "")
        if extents is None:
            extents = (view.nbytes // BYTES[number],)
    else:
        number, extents = _format_type(view), tuple(view.shape)
    if shape is not None:
        if product(shape_of(shape)) != product(extents):
            raise _bad_shape(product(extents), shape_of(shape))
        extents = shape_of(shape)
    axis = normal_axis(axis, len(extents))
    if axis is not None and axis != len(extents) - 1:
        raise _errors.make("UNSUPPORTED", "jobs run along the last axis; axis %d needs a copy, which takes numpy" % axis, "axis", "None or -1")
    copied = copied or not view.c_contiguous
    pinned = _Pinned(x if view.c_contiguous else view.tobytes())
    return Input((x, pinned), pinned.address, number, extents, axis, 0, copied)


def view_of(address, number, shape, owner, writable=True):
    """An array over memory that lives as long as `owner`: a numpy array, else a memoryview (of f16: a list)."""
    size = product(shape) * BYTES[number]
    if size == 0:
        block = bytearray()
    else:
        block = (ctypes.c_ubyte * size).from_address(address)
        block.owner = owner
    return _shaped(block, number, shape, writable)


def copy_of(address, number, shape):
    """The same as an independent object."""
    return _shaped(bytearray(ctypes.string_at(address, product(shape) * BYTES[number]) if product(shape) else b""), number, shape, True)


def _nested(values, shape):
    if len(shape) < 2:
        return values
    step = product(shape[1:])
    return [_nested(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def _shaped(block, number, shape, writable):
    if numpy is not None:
        made = numpy.frombuffer(block, dtype=NAMES[number]).reshape(shape)
        made.flags.writeable = writable
        return made
    if FORMATS[number] == "e":
        return _nested(list(struct.unpack("<%de" % product(shape), bytes(block))), shape)
    view = memoryview(block).cast("B").cast(FORMATS[number])
    return view.cast("B").cast(FORMATS[number], list(shape)) if len(shape) > 1 and product(shape) else view


def scalars(address, number, count):
    """`count` elements as Python numbers."""
    return struct.unpack("<%d%s" % (count, FORMATS[number]), ctypes.string_at(address, count * BYTES[number]))


def columns_first(address, number, rows, cols, shape):
    """A copy of rows x cols elements with the columns as rows, in another shape."""
    if numpy is not None:
        return numpy.ascontiguousarray(copy_of(address, number, (rows, cols)).T).reshape(shape)
    values = scalars(address, number, rows * cols)
    packed = struct.pack("<%d%s" % (rows * cols, FORMATS[number]), *(values[r * cols + c] for c in range(cols) for r in range(rows)))
    return _shaped(bytearray(packed), number, shape, True)


def fill(out, address, number, shape):
    """Copies elements into an array of the caller's, of that type and shape. `out` was checked by check_out()."""
    source = copy_of(address, number, shape) if product(shape) * BYTES[number] <= 65536 else view_of(address, number, shape, None)
    if numpy is not None and isinstance(out, numpy.ndarray):
        numpy.copyto(out, source)
    elif product(shape):
        ctypes.memmove(_Pinned(out).address, address, product(shape) * BYTES[number])


def check_out(out, number, shape):
    """Raises an Error if `out` is not memory that can be written, of that type and shape."""
    wanted = "%s %s" % (NAMES[number], tuple(shape))
    try:
        view = None if numpy is not None and isinstance(out, numpy.ndarray) else memoryview(out)
    except TypeError:
        raise _errors.make("BAD_RANGE", "out is a %s" % type(out).__name__, "out", "a Buffer or an array, %s" % wanted)
    found = out if view is None else view
    if view is None:
        same, writable = found.dtype == numpy.dtype(NAMES[number]), out.flags.writeable
    else:
        same, writable = _format_type(view) == number and view.c_contiguous, not view.readonly
    if not same or tuple(found.shape) != tuple(shape):
        kind = found.dtype if view is None else view.format
        raise _errors.make("BAD_RANGE", "out is %s %s" % (kind, tuple(found.shape)), "out", wanted)
    if not writable:
        raise _errors.make("DENIED", "out is read-only", "out", "memory that can be written")
