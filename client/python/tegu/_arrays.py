# SPDX-License-Identifier: Apache-2.0
"""From Python objects to memory and back. numpy is used if it can be imported and never asked for; one table of element types
drives both ways. An Input keeps its object alive as long as the memory is needed."""
import array
import ctypes
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


def _unsupported(found):
    return _errors.make("UNSUPPORTED", "the element type %s is not served" % (found,), "dtype", _ALLOWED)


def _big_endian(found):
    return _errors.make("UNSUPPORTED", "the element type %s is big-endian; convert it first, e.g. x.astype(x.dtype.newbyteorder('='))" %
                        (found,), "dtype", "little-endian types")


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
        raise _big_endian(dtype)
    number = _BY_KIND.get((dtype.kind, dtype.itemsize))
    if number is None:
        raise _unsupported(dtype)
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
    """Memory for a request: address, element type, shape as the caller sees it, and rows x cols with a row stride."""

    def __init__(self, keep, address, number, shape, row_stride=0):
        self.keep, self.address, self.type, self.shape, self.row_stride = keep, address, number, shape, row_stride
        self.transposed = False

    @property
    def rows(self):
        return self.shape[0] if len(self.shape) == 2 else 1

    @property
    def cols(self):
        return self.shape[1] if len(self.shape) == 2 else _product(self.shape)


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


def _product(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def _shape(shape):
    return (shape,) if isinstance(shape, int) else tuple(int(extent) for extent in shape)


def describe(x, dtype=None, shape=None, axis=None):
    """An Input for `x`. axis 0 becomes axis 1 of the transposed array."""
    described = _describe_numpy(x, dtype, shape, axis) if numpy is not None else _describe_plain(x, dtype, shape)
    if axis is not None and len(described.shape) != 2:
        raise _errors.make("BAD_RANGE", "axis %s needs an array of two dimensions, not %d" % (axis, len(described.shape)), "axis", "None")
    if axis == 0 and not described.transposed:
        raise _errors.make("UNSUPPORTED", "jobs run over rows; axis 0 needs a transposed copy, which takes numpy", "axis", "None or 1")
    return described


def _describe_numpy(x, dtype, shape, axis):
    if dtype is not None and not isinstance(x, numpy.ndarray) and not isinstance(x, (list, tuple)):
        x = numpy.frombuffer(x, dtype=numpy.dtype(NAMES[type_number(dtype)]))
    elif isinstance(x, numpy.ndarray) and dtype is not None:
        x = x.view(numpy.dtype(NAMES[type_number(dtype)]))
    else:
        x = memoryview(x) if isinstance(x, (bytes, bytearray)) else x
        x = numpy.asarray(x, dtype=None if dtype is None else NAMES[type_number(dtype)])
    number = _numpy_type(x.dtype)
    if shape is not None:
        x = x.reshape(_shape(shape))
    transposed = axis == 0 and x.ndim == 2
    if transposed:
        x = x.T
    row_stride = 0
    if not x.flags.c_contiguous:
        pitch = x.strides[0] if x.ndim == 2 else 0
        if x.ndim == 2 and x.strides[1] == x.itemsize and pitch >= x.shape[1] * x.itemsize and pitch % x.itemsize == 0:
            row_stride = pitch // x.itemsize
        else:
            x = numpy.ascontiguousarray(x)
    described = Input(x, x.__array_interface__["data"][0], number, x.shape, row_stride)
    described.transposed = transposed
    return described


def _describe_plain(x, dtype, shape):
    if isinstance(x, (int, float)):
        x = [x]
    if isinstance(x, (list, tuple)):
        whole = all(isinstance(value, int) for value in x)
        x = array.array(FORMATS[type_number(dtype)] if dtype is not None else "q" if whole else "d", x)
        dtype = None
    view = memoryview(x)
    if dtype is not None:
        number = type_number(dtype)
        if view.nbytes % BYTES[number]:
            raise _errors.make("BAD_REQUEST", "%d bytes are no whole number of %s" % (view.nbytes, WORDS[number]), "dtype", "")
        extents = (view.nbytes // BYTES[number],)
    else:
        number, extents = _format_type(view), tuple(view.shape)
    if shape is not None:
        if _product(_shape(shape)) != _product(extents):
            raise _errors.make("BAD_RANGE", "%d elements do not fill the shape %s" % (_product(extents), _shape(shape)), "shape", "")
        extents = _shape(shape)
    source = x if view.c_contiguous else view.tobytes()
    pinned = _Pinned(source)
    return Input((source, pinned), pinned.address, number, extents)


def view_of(address, number, shape, owner, writable=True):
    """An array over memory that lives as long as `owner`: a numpy array, else a memoryview (of f16: a list)."""
    size = _product(shape) * BYTES[number]
    if size == 0:
        block = bytearray()
    else:
        block = (ctypes.c_ubyte * size).from_address(address)
        block.owner = owner
    return _shaped(block, number, shape, writable)


def copy_of(address, number, shape):
    """The same as an independent object."""
    return _shaped(bytearray(ctypes.string_at(address, _product(shape) * BYTES[number]) if _product(shape) else b""), number, shape, True)


def _shaped(block, number, shape, writable):
    if numpy is not None:
        made = numpy.frombuffer(block, dtype=NAMES[number]).reshape(shape)
        made.flags.writeable = writable
        return made
    if FORMATS[number] == "e":
        values = list(struct.unpack("<%de" % _product(shape), bytes(block)))
        return values if len(shape) < 2 else [values[i:i + shape[1]] for i in range(0, len(values), max(shape[1], 1))]
    view = memoryview(block).cast("B").cast(FORMATS[number])
    return view.cast("B").cast(FORMATS[number], list(shape)) if len(shape) > 1 and _product(shape) else view


def scalars(address, number, count):
    """`count` elements as Python numbers."""
    return struct.unpack("<%d%s" % (count, FORMATS[number]), ctypes.string_at(address, count * BYTES[number]))
