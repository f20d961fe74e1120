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

OPERATIONS = {
    "reduce": 1,
    "topk": 2,
    "entropy_map": 3,
    "add": 4,
    "dot": 5,
    "rowscale": 6,
    "quantile": 7,
    "histogram": 8,
    "entropy": 9,
    "fused": 10,
}
STATISTICS = (
    "count",
    "sum",
    "mean",
    "min",
    "max",
    "minmax",
    "argmin",
    "argmax",
    "absmax",
    "l1",
    "l2",
    "var",
    "std",
    "nonzero",
    "nans",
)
ROLE_VALUES, ROLE_INDICES, ROLE_COUNTS, ROLE_MAP, ROLE_DOT = 32, 33, 34, 35, 36
ROLE_SCALES, ROLE_QUANTILES, ROLE_HISTOGRAM, ROLE_EDGES, ROLE_ENTROPY = 37, 38, 39, 40, 41
BACKENDS = {1: "cpu", 2: "gpu"}
DEADLINE_EXCEEDED = 10
HEALTH_JSON, HEALTH_METRICS, HEALTH_BYTES = 0, 2, 73728


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


class ReduceParams(ctypes.Structure):
    _fields_ = [
        ("statistics", c_uint32),
        ("ddof", c_uint32),
        ("skip_nans", c_uint8),
        ("reserved", c_uint8 * 7),
    ]


class TopkParams(ctypes.Structure):
    _fields_ = [("k", c_uint64), ("largest", c_uint8), ("distinct", c_uint8), ("reserved", c_uint8 * 6)]


class EntropyMapParams(ctypes.Structure):
    _fields_ = [
        ("window_rows", c_uint32),
        ("window_cols", c_uint32),
        ("levels", c_uint32),
        ("has_range", c_uint8),
        ("base", c_uint8),
        ("border", c_uint8),
        ("reserved", c_uint8),
        ("lo", c_double),
        ("hi", c_double),
    ]


class AddParams(ctypes.Structure):
    _fields_ = [("reserved", c_uint8 * 8)]


class DotParams(ctypes.Structure):
    _fields_ = [("skip_nans", c_uint8), ("reserved", c_uint8 * 7)]


class RowscaleParams(ctypes.Structure):
    _fields_ = [("skip_nans", c_uint8), ("reserved", c_uint8 * 7)]


class QuantileParams(ctypes.Structure):
    _fields_ = [
        ("q", c_void_p),
        ("count", c_uint32),
        ("method", c_uint8),
        ("skip_nans", c_uint8),
        ("reserved", c_uint8 * 2),
    ]


class HistogramParams(ctypes.Structure):
    _fields_ = [
        ("bins", c_uint32),
        ("has_range", c_uint8),
        ("skip_nans", c_uint8),
        ("reserved", c_uint8 * 2),
        ("lo", c_double),
        ("hi", c_double),
    ]


class EntropyParams(ctypes.Structure):
    _fields_ = [
        ("levels", c_uint32),
        ("has_range", c_uint8),
        ("base", c_uint8),
        ("skip_nans", c_uint8),
        ("reserved", c_uint8),
        ("lo", c_double),
        ("hi", c_double),
    ]


class FusedParams(ctypes.Structure):
    _fields_ = [("parts", c_void_p), ("count", c_uint32), ("reserved", c_uint8 * 4)]


class Params(ctypes.Union):
    _fields_ = [
        ("reduce", ReduceParams),
        ("topk", TopkParams),
        ("entropy_map", EntropyMapParams),
        ("add", AddParams),
        ("dot", DotParams),
        ("rowscale", RowscaleParams),
        ("quantile", QuantileParams),
        ("histogram", HistogramParams),
        ("entropy", EntropyParams),
        ("fused", FusedParams),
        ("reserved", c_uint8 * 64),
    ]


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
    _fields_ = [
        ("queue_ns", c_uint64),
        ("copy_ns", c_uint64),
        ("compute_ns", c_uint64),
        ("round_trip_ns", c_uint64),
    ]


_ERROR = POINTER(Error)
_OUT = POINTER(c_void_p)
# name: (result, arguments)
FUNCTIONS = {
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
    "tegu_request_init": (None, [POINTER(Request), c_size_t, c_uint16]),
    "tegu_part_init": (None, [POINTER(Part), c_uint16]),
    "tegu_submit": (c_int, [c_void_p, POINTER(Request), POINTER(c_uint64), _ERROR]),
    "tegu_flush": (c_int, [c_void_p, _ERROR]),
    "tegu_wait": (c_int, [c_void_p, c_uint64, c_int, _OUT, POINTER(c_uint64), _ERROR]),
    "tegu_cancel": (c_int, [c_void_p, c_uint64, _ERROR]),
    "tegu_result_count": (c_size_t, [c_void_p]),
    "tegu_result_array": (Array, [c_void_p, c_size_t]),
    "tegu_result_backend": (c_int, [c_void_p]),
    "tegu_result_policy": (c_char_p, [c_void_p]),
    "tegu_result_timing": (Timing, [c_void_p]),
    "tegu_result_free": (None, [c_void_p]),
}


def _candidates():
    """$TEGU_LIBRARY alone if it is set; else the build tree of the checkout that this file lies in; else the
    system."""
    named = os.environ.get("TEGU_LIBRARY")
    if named:
        return [named]
    checkout = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
    built = os.path.join(checkout, "build", "release", "lib", "libtegu.so.0")
    return ([built] if os.path.exists(built) else []) + ["libtegu.so.0"]


_library = None


def library():
    """The loaded library. ImportError if there is none."""
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
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype = result
            function.argtypes = arguments
        _library = loaded
    return _library
