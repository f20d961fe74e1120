# SPDX-License-Identifier: Apache-2.0
"""tegu.h in ctypes: the structs, the signatures, and where the library is found. tests/client/abi_check.py
compares both."""

import ctypes
import os
from ctypes import (
    POINTER,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Dict, List, Optional, Tuple

from ._described import OPERATIONS, PARAMETERS, PARTS, ROLES, STATISTICS

__all__ = ["OPERATIONS", "PARAMETERS", "PARTS", "ROLES", "STATISTICS"]
BACKENDS = {1: "cpu", 2: "gpu"}
DEADLINE_EXCEEDED = 10
HEALTH_JSON, HEALTH_METRICS, HEALTH_BYTES = 0, 2, 73728
RAN_ARRAYS, RAN_BYTES = 32, 512


class Error(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("retry_after_ns", c_uint64),
        ("field", c_char * 64),
        ("allowed", c_char * 192),
        ("message", c_char * 512),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("connect_ms", c_uint32),
        ("reconnect_ms", c_uint32),
        ("busy_retry", c_uint32),
        ("socket_path", c_char_p),
        ("name", c_char_p),
        ("server_uid", c_int64),
        ("spin_us", c_uint32),
        ("reserved", c_uint32),
    ]


class Field(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("u64", c_uint64), ("f64", c_double), ("text", c_char_p)]


class BufferInfo(ctypes.Structure):
    _fields_ = [
        ("handle", c_uint64),
        ("session", c_uint64),
        ("bytes", c_uint64),
        ("jobs_total", c_uint64),
        ("generation", c_uint64),
        ("pid", c_uint32),
        ("access", c_uint8),
        ("frozen", c_uint8),
        ("created_by_daemon", c_uint8),
        ("reserved", c_uint8),
    ]


class JobInfo(ctypes.Structure):
    _fields_ = [
        ("id", c_uint64),
        ("session", c_uint64),
        ("rows", c_uint64),
        ("cols", c_uint64),
        ("age_ns", c_uint64),
        ("predicted_ns", c_uint64),
        ("left_ns", c_uint64),
        ("uid", c_uint32),
        ("pid", c_uint32),
        ("operation", c_uint16),
        ("type", c_uint8),
        ("priority", c_uint8),
        ("state", c_uint8),
        ("place", c_uint8),
        ("gpu", c_uint8),
        ("gpus", c_uint8),
        ("name", c_char * 72),
    ]


class Kernel(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("moves", c_char_p)] + [
        (name, c_uint32)
        for name in (
            "registers",
            "threads",
            "max_threads",
            "blocks_per_multiprocessor",
            "static_shared_bytes",
            "dynamic_shared_bytes",
            "local_bytes",
            "constant_bytes",
            "architecture",
            "reserved",
        )
    ]


class Operand(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("buffer", c_void_p),
        ("offset_bytes", c_uint64),
        ("row_stride", c_uint64),
    ]


_KINDS: Dict[str, Any] = {
    "flag": c_uint8,
    "choice": c_uint8,
    "u32": c_uint32,
    "u64": c_uint64,
    "set": c_uint32,
    "edge": c_double,
}


def _params_struct(operation: str) -> Any:
    """The struct of tegu.h: a list's pointer first and its count among the others, zeros up to a multiple
    of 8."""
    fields: List[Tuple[str, Any]] = []
    end = 0
    for name, kind, _, _ in PARAMETERS[operation]:
        if kind == "list":
            fields.insert(0, (name, c_void_p))
            name, kind = "count", "u32"
        size = ctypes.sizeof(_KINDS[kind])
        if end % size:
            fields.append(("reserved", c_uint8 * (-end % size)))
            end += -end % size
        fields.append((name, _KINDS[kind]))
        end += size
    if end % 8 or not end:
        fields.append(("reserved", c_uint8 * (8 - end % 8)))
    return type(operation + "_params", (ctypes.Structure,), {"_fields_": fields})


PARAMS = {operation: _params_struct(operation) for operation in OPERATIONS}


class Params(ctypes.Union):
    _fields_ = list(PARAMS.items()) + [("reserved", c_uint8 * 64)]


class Part(ctypes.Structure):
    _fields_ = [("operation", c_uint16), ("reserved", c_uint8 * 6), ("params", Params)]


class Request(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("operation", c_uint16),
        ("type", c_uint8),
        ("axis", c_uint8),
        ("rows", c_uint64),
        ("cols", c_uint64),
        ("inputs", Operand * 2),
        ("params", Params),
        ("output", c_void_p),
        ("output_offset_bytes", c_uint64),
        ("deadline_ns", c_uint64),
        ("priority", c_uint8),
        ("backend", c_uint8),
        ("reserved", c_uint8 * 6),
    ]


class Array(ctypes.Structure):
    _fields_ = [
        ("role", c_uint8),
        ("type", c_uint8),
        ("rows", c_uint64),
        ("cols", c_uint64),
        ("data", c_void_p),
    ]


class Timing(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in ("queue_ns", "copy_ns", "compute_ns", "round_trip_ns")]


class Shape(ctypes.Structure):
    _fields_ = [
        ("role", c_uint8),
        ("type", c_uint8),
        ("reserved", c_uint8 * 6),
        ("rows", c_uint64),
        ("cols", c_uint64),
    ]


class Ran(ctypes.Structure):
    _fields_ = [
        ("result", c_void_p),
        ("id", c_uint64),
        ("count", c_uint32),
        ("bytes", c_uint32),
        ("shapes", Shape * RAN_ARRAYS),
        ("data", c_void_p * RAN_ARRAYS),
        ("values", c_uint8 * RAN_BYTES),
    ]


class PollState(ctypes.Structure):
    _fields_ = [(name, c_int) for name in ("fd", "events", "timeout_ms")]
    _fields_ += [("reserved", c_uint32), ("connection", c_uint64)]


class Python(ctypes.Structure):
    _fields_ = [
        (name, c_void_p)
        for name in (
            "Py_IsInitialized",
            "PyGILState_Ensure",
            "PyGILState_Release",
            "PyCapsule_IsValid",
            "PyCapsule_GetPointer",
            "Py_DecRef",
        )
    ]


KERNEL_FIELDS = [field[0] for field in Kernel._fields_ if field[0] != "reserved"]
BUFFER_FIELDS = [field[0] for field in BufferInfo._fields_ if field[0] != "reserved"]

_ERROR = POINTER(Error)
_OUT = POINTER(c_void_p)
# name: (result, arguments)
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "tegu_options_init": (None, [POINTER(Options), c_size_t]),
    "tegu_version": (c_char_p, []),
    "tegu_status_word": (c_char_p, [c_int]),
    "tegu_element_word": (c_char_p, [c_uint8]),
    "tegu_element_bytes": (c_size_t, [c_uint8]),
    "tegu_role_word": (c_char_p, [c_uint8]),
    "tegu_connect": (c_int, [POINTER(Options), _OUT, _ERROR]),
    "tegu_close": (None, [c_void_p]),
    "tegu_ping": (c_int, [c_void_p, POINTER(c_uint64), _ERROR]),
    "tegu_reconnects": (c_uint64, [c_void_p]),
    "tegu_info": (c_int, [c_void_p, _OUT, _ERROR]),
    "tegu_stats": (c_int, [c_void_p, _OUT, _ERROR]),
    "tegu_fields_count": (c_size_t, [c_void_p]),
    "tegu_fields_at": (Field, [c_void_p, c_size_t]),
    "tegu_fields_free": (None, [c_void_p]),
    "tegu_health": (c_int, [c_void_p, c_int, POINTER(c_int), c_char_p, c_size_t, POINTER(c_size_t), _ERROR]),
    "tegu_kernels_get": (c_int, [c_void_p, _OUT, _ERROR]),
    "tegu_kernels_count": (c_size_t, [c_void_p]),
    "tegu_kernels_at": (Kernel, [c_void_p, c_size_t]),
    "tegu_kernels_reason": (c_char_p, [c_void_p]),
    "tegu_kernels_threads_per_multiprocessor": (c_uint32, [c_void_p]),
    "tegu_kernels_free": (None, [c_void_p]),
    "tegu_buffer_create": (c_int, [c_void_p, c_uint64, _OUT, _ERROR]),
    "tegu_buffer_data": (c_void_p, [c_void_p]),
    "tegu_buffer_bytes": (c_uint64, [c_void_p]),
    "tegu_buffer_handle": (c_uint64, [c_void_p]),
    "tegu_buffer_commit": (None, [c_void_p]),
    "tegu_buffer_generation": (c_uint64, [c_void_p]),
    "tegu_buffer_freeze": (c_int, [c_void_p, _ERROR]),
    "tegu_buffer_free": (None, [c_void_p]),
    "tegu_buffer_list": (c_int, [c_void_p, POINTER(BufferInfo), c_size_t, POINTER(c_size_t), _ERROR]),
    "tegu_jobs": (c_int, [c_void_p, POINTER(JobInfo), c_size_t, POINTER(c_size_t), POINTER(c_int), _ERROR]),
    "tegu_cancel_job": (c_int, [c_void_p, c_uint64, POINTER(c_int), _ERROR]),
    "tegu_request_init": (None, [POINTER(Request), c_size_t, c_uint16]),
    "tegu_part_init": (None, [POINTER(Part), c_uint16]),
    "tegu_submit": (c_int, [c_void_p, POINTER(Request), POINTER(c_uint64), _ERROR]),
    "tegu_flush": (c_int, [c_void_p, _ERROR]),
    "tegu_wait": (c_int, [c_void_p, c_uint64, c_int, _OUT, POINTER(c_uint64), _ERROR]),
    "tegu_get_poll_state": (None, [c_void_p, POINTER(PollState)]),
    "tegu_cancel": (c_int, [c_void_p, c_uint64, _ERROR]),
    "tegu_result_count": (c_size_t, [c_void_p]),
    "tegu_result_array": (Array, [c_void_p, c_size_t]),
    "tegu_result_backend": (c_int, [c_void_p]),
    "tegu_result_policy": (c_char_p, [c_void_p]),
    "tegu_result_timing": (Timing, [c_void_p]),
    "tegu_result_free": (None, [c_void_p]),
    "tegu_run_into": (c_int, [c_void_p, POINTER(Request), c_int, POINTER(Ran), _ERROR]),
    "tegu_dlpack_python": (None, [POINTER(Python)]),
    "tegu_dlpack_delete": (None, [c_void_p]),
    "tegu_dlpack_delete_versioned": (None, [c_void_p]),
    "tegu_dlpack_destroy": (None, [c_void_p]),
}


def checkout() -> str:
    """The folder of the checkout that this file would lie in."""
    return os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))


def _candidates() -> List[str]:
    """$TEGU_LIBRARY alone if it is set; else the library inside the package, the one built in the checkout
    that this file lies in, and that of the system."""
    named = os.environ.get("TEGU_LIBRARY")
    if named:
        return [named]
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtegu.so.0")
    built = os.path.join(checkout(), "build", "release", "lib", "libtegu.so.0")
    return [path for path in (inside, built) if os.path.exists(path)] + ["libtegu.so.0"]


_library: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """The loaded library. ImportError if there is none, or one older than this package."""
    global _library
    if _library is None:
        problems = []
        for name in _candidates():
            try:
                loaded = ctypes.CDLL(name)
                break
            except OSError as error:
                problems.append(str(error))
        else:
            raise ImportError(
                "libtegu.so.0 cannot be loaded: %s; build it (cmake --build --preset release), "
                "install it, or set $TEGU_LIBRARY to its path" % "; ".join(problems)
            )
        for function_name, (result, arguments) in FUNCTIONS.items():
            function = getattr(loaded, function_name, None)
            if function is None:
                raise ImportError("%s has no %s: it is older than this package" % (name, function_name))
            function.restype = result
            function.argtypes = arguments
        loaded.tegu_dlpack_python(
            ctypes.byref(
                Python(*(ctypes.cast(ctypes.pythonapi[each[0]], c_void_p) for each in Python._fields_))
            )
        )
        _library = loaded
    return _library
