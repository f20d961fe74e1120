# SPDX-License-Identifier: Apache-2.0
"""DLPack: how array libraries pass memory on without a copy. Both directions, in ctypes, so that they need no
numpy; its capsules hold one of two structs, and the newer one can say that memory is read-only."""

import ctypes
from typing import Any, Dict, Optional

from . import _abi, _errors, _types
from ._types import BYTES, NAMES, Shape

CPU = (1, 0)
_PINNED = 3  # memory of the host that CUDA has locked
_DEVICES = {2: "a CUDA device", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "a ROCm device", 13: "CUDA managed"}
_CODES = {0: "int", 1: "uint", 2: "float", 3: "opaque", 4: "bfloat", 5: "complex", 6: "bool"}
_NUMBERS = {(name.rstrip("0123456789"), BYTES[number]): number for number, name in NAMES.items()}
_READ_ONLY = 1
_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


def _function(name: str, result: Any, *arguments: Any) -> Any:
    function = ctypes.pythonapi[name]
    function.restype, function.argtypes = result, arguments
    return function


# A capsule is passed as an address: its destructor sees it, too.
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer = _function("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new = _function("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_keep = _function("Py_IncRef", None, ctypes.py_object)
_drop = _function("Py_DecRef", None, ctypes.py_object)
_set_name = _function("PyCapsule_SetName", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_USED = {name: ctypes.create_string_buffer(b"used_" + name) for name in (_PLAIN, _VERSIONED)}


def _address(function: Any) -> Any:
    return ctypes.cast(function, ctypes.c_void_p)


class Export(object):
    """What a struct that others hold needs. The struct has a reference to it; the library drops that, as no
    code of Python runs right where an exception is pending."""

    def __init__(self, *needs: object) -> None:
        self.needs = needs


def export(address: int, number: int, shape: Shape, owner: object, read_only: bool, versioned: bool) -> Any:
    """A capsule over memory that lives as long as `owner`."""
    if read_only and not versioned:
        raise BufferError("the memory is read-only, and this version of DLPack cannot say so")
    managed: Any = _ManagedVersioned() if versioned else _Managed()
    extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    steps = (ctypes.c_int64 * max(len(shape), 1))()
    for axis in range(len(shape)):
        steps[axis] = _types.product(shape[axis + 1 :])
    name = NAMES[number]
    managed.tensor = _Tensor(
        address, CPU[0], CPU[1], len(shape), "iuf".index(name[0]), BYTES[number] * 8, 1, extents, steps, 0
    )
    lib = _abi.library()
    managed.deleter = _address(lib.tegu_dlpack_delete_versioned if versioned else lib.tegu_dlpack_delete)
    if versioned:
        managed.major, managed.flags = 1, _READ_ONLY if read_only else 0
    held = Export(managed, extents, steps, owner)
    managed.context = id(held)
    _keep(held)
    try:
        destroy = _address(lib.tegu_dlpack_destroy)
        return _new(ctypes.addressof(managed), _VERSIONED if versioned else _PLAIN, destroy)
    except BaseException:
        _drop(held)
        raise


class Memory(object):
    """The memory of an object with __dlpack__; numpy takes it as it is. Strides are in elements."""

    def __init__(self, x: Any, field: str) -> None:
        device = tuple(int(each) for each in x.__dlpack_device__())
        if device[0] not in (CPU[0], _PINNED):
            raise _errors.make(
                "UNSUPPORTED",
                "it is in the memory of %s (DLPack's device %s)"
                % (_DEVICES.get(device[0], "another device"), device),
                field,
                "memory of the CPU, e.g. x.cpu() of torch, x.get() of cupy",
            )
        try:
            self._capsule = x.__dlpack__(max_version=(1, 0))
        except TypeError:  # from before there were versions
            self._capsule = x.__dlpack__()
        capsule = id(self._capsule)
        self.read_only = False
        self._managed: Any = None  # once it is ours to delete
        if _is_valid(capsule, _VERSIONED):
            managed: Any = _ManagedVersioned.from_address(_pointer(capsule, _VERSIONED))
            if managed.major != 1:
                raise BufferError("DLPack %d is not known" % managed.major)
            self.read_only = bool(managed.flags & _READ_ONLY)
        elif _is_valid(capsule, _PLAIN):
            managed = _Managed.from_address(_pointer(capsule, _PLAIN))
        else:
            raise BufferError("the capsule of DLPack was used already")
        tensor = managed.tensor
        kind, bits = _CODES.get(tensor.code, "type %d" % tensor.code), tensor.bits
        number = _NUMBERS.get((kind, bits // 8)) if tensor.lanes == 1 else None
        if kind == "bool" and bits == 8:
            number = 1
        if number is None:
            raise _types.unsupported(kind + str(bits) + ("x%d" % tensor.lanes if tensor.lanes != 1 else ""))
        self.number: int = number
        self.shape: Shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
        self.strides: Optional[Shape] = None
        if tensor.strides:
            self.strides = tuple(tensor.strides[axis] for axis in range(tensor.ndim))
        self.address: int = (tensor.data or 0) + tensor.byte_offset
        # Nobody else can take the capsule from now on.
        _set_name(capsule, _USED[_VERSIONED if _is_valid(capsule, _VERSIONED) else _PLAIN])
        self._managed = managed

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.deleter:
            _Deleter(managed.deleter)(ctypes.addressof(managed))

    def is_dense(self) -> bool:
        step = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides or ())):
            if extent != 1 and stride != step:
                return _types.product(self.shape) == 0
            step *= extent
        return True

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        size, name = BYTES[self.number], NAMES[self.number]
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": "%s%s%d" % ("|" if size == 1 else "<", name[0], size),
            "data": (self.address, self.read_only),
            "strides": self.strides and tuple(stride * size for stride in self.strides),
        }

    def view(self) -> memoryview:
        """Of dense memory, for those who have no numpy: of f16 the bits."""
        size = _types.product(self.shape) * BYTES[self.number]
        block: Any = (ctypes.c_ubyte * size).from_address(self.address) if size else bytearray()
        if size:
            block.owner = self
        code: Any = _types.FORMATS[self.number].replace("e", "H")
        flat: memoryview = memoryview(block).cast("B").cast(code)
        shaped = flat.cast("B").cast(code, self.shape) if size and len(self.shape) > 1 else flat
        if not self.read_only:
            return shaped
        if hasattr(shaped, "toreadonly"):
            return shaped.toreadonly()
        return memoryview(shaped.tobytes()).cast("B").cast(code)  # before Python 3.8


def from_dlpack(x: object) -> Any:
    """An array over the memory of any object with __dlpack__, without a copy: of numpy, else a
    memoryview."""
    if not hasattr(x, "__dlpack__"):
        raise _errors.wrong_type(
            "BAD_REQUEST", "x is a %s, which has no __dlpack__" % type(x).__name__, "x", "arrays with DLPack"
        )
    memory = Memory(x, "x")
    if _types.numpy is not None:
        return _types.numpy.asarray(memory)
    if not memory.is_dense():
        raise _errors.make("UNSUPPORTED", "the array has gaps", "x", "dense arrays, without numpy")
    return memory.view()
