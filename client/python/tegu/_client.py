# SPDX-License-Identifier: Apache-2.0
"""Client: the jobs of one connection, its buffers, and questions to the daemon."""

import ctypes
import json
import os
from typing import Any, Callable, Dict, List, Optional, Union

from . import _abi, _errors, _jobs, _operation, _types
from ._buffer import Buffer
from ._calls import Calls, Submitted
from ._connection import Connection
from ._partials import PartialCalls


def connect(
    path: Union[None, str, "os.PathLike[str]"] = None,
    name: Optional[str] = None,
    connect_timeout: float = 0.0,
    reconnect_timeout: float = 10.0,
    busy_retry: bool = True,
    server_uid: Optional[int] = None,
    spin_us: int = 50,
) -> "Client":
    """A Client of the daemon at `path` ($TEGU_SOCKET, else /run/tegud/tegud.sock if it is there,
    else that of this user's own daemon, tegud/tegud.sock in $XDG_RUNTIME_DIR).

    - connect_timeout: seconds to try for; 0: once
    - reconnect_timeout: seconds for which a lost connection is sought again before jobs fail with Unavailable
    - busy_retry: jobs, and buffer(), that are answered BUSY are sent again within that time
    - server_uid: the uid that the listening socket must belong to; None: any
    - spin_us: how long to look for the reply to a small job before sleeping, microseconds; 0: never
    """
    return Client(path, name, connect_timeout, reconnect_timeout, busy_retry, server_uid, spin_us)


class Client(Connection, Calls, PartialCalls):
    """One connection; see connect(). Use it in a with statement, or close() it."""

    def __enter__(self) -> "Client":
        return self

    # Jobs

    @property
    def submit(self) -> Submitted:
        """The same methods, which return at once with a Future: c.submit.reduce(x), or c.submit("reduce",
        x)."""
        return Submitted(self)

    # Buffers and the daemon

    def buffer(self, shape: Any, dtype: Any = "f32", room: int = 0) -> Buffer:
        """A Buffer: memory that the daemon maps, too. Jobs on it send no data. room: bytes behind the array,
        for the other arrays of jobs that write into it."""
        extents = _types.shape_of(shape)
        if any(extent < 0 for extent in extents):
            raise _errors.make("BAD_RANGE", "shape=%r" % (shape,), "shape", "extents from 0 on")
        return Buffer(
            self, extents, _types.type_number(dtype), _operation.whole_number(room, "room", "bytes")
        )

    def ping(self) -> float:
        """Round trip of an empty message, in seconds."""
        time_ns = ctypes.c_uint64()
        self.call(self.lib.tegu_ping, ctypes.byref(time_ns))
        return time_ns.value / 1e9

    def info(self) -> Dict[str, Any]:
        """What the daemon is: a dict."""
        return self._fields(self.lib.tegu_info)

    def stats(self) -> Dict[str, Any]:
        """What the daemon has done: a dict."""
        return self._fields(self.lib.tegu_stats)

    def health(self) -> Dict[str, Any]:
        """How the board and the daemon are: a dict of `state` ("ok", "degraded" or "failing"), `reasons` and
        what is known of the board; docs/health.md has the names."""
        found: Dict[str, Any] = json.loads(self._health(_abi.HEALTH_JSON))
        return found

    def metrics(self) -> str:
        """The same and what the daemon has done, as metrics in the text format of Prometheus."""
        return self._health(_abi.HEALTH_METRICS)

    def kernels(self) -> Dict[str, Any]:
        """The kernels of the GPU backend and what each takes of the device: a dict of `kernels` (a list of
        dicts, empty without a GPU), `reason` (why it is empty) and `threads_per_multiprocessor`."""
        handle = ctypes.c_void_p()
        self.call(self.lib.tegu_kernels_get, ctypes.byref(handle))
        try:
            listed = []
            for index in range(self.lib.tegu_kernels_count(handle)):
                entry = self.lib.tegu_kernels_at(handle, index)
                one = {name: getattr(entry, name) for name in _abi.KERNEL_FIELDS}
                one.update(name=entry.name.decode(), moves=entry.moves.decode())
                listed.append(one)
            return {
                "kernels": listed,
                "reason": self.lib.tegu_kernels_reason(handle).decode(),
                "threads_per_multiprocessor": self.lib.tegu_kernels_threads_per_multiprocessor(handle),
            }
        finally:
            self.lib.tegu_kernels_free(handle)

    def buffers(self) -> List[Dict[str, Any]]:
        """The buffers of this user, of all connections: a list of dicts."""
        capacity, count = 64, ctypes.c_size_t()
        while True:
            found = (_abi.BufferInfo * capacity)()
            self.call(self.lib.tegu_buffer_list, found, capacity, ctypes.byref(count))
            if count.value <= capacity:
                break
            capacity = count.value
        flags = ("frozen", "created_by_daemon")
        listed = []
        for entry in found[: count.value]:
            one = {name: getattr(entry, name) for name in _abi.BUFFER_FIELDS}
            one.update({name: bool(one[name]) for name in flags})
            one["access"] = "read_write" if one["access"] else "read"
            listed.append(one)
        return listed

    def jobs(self) -> List[Dict[str, Any]]:
        """The jobs of this user that wait or run, of all connections: a list of dicts, by `id`. Root and the
        user of the daemon see those of all users. Times are in seconds; `left` is what is left of
        `predicted`. Jobs so small that the daemon computes them at once are never listed."""
        return _jobs.listed(self.lib, self.call)

    def cancel_job(self, ident: int) -> bool:
        """Cancels a job of jobs(), of any connection of this user; an administrator cancels any. Its client
        gets Cancelled. Returns whether the job had started. NOT_FOUND: there is no such job, or it is another
        user's."""
        was_running = ctypes.c_int()
        ident = _operation.whole_number(ident, "id", "the id of a job", (1 << 64) - 1)
        self.call(self.lib.tegu_cancel_job, ident, ctypes.byref(was_running))
        return bool(was_running.value)

    def _health(self, form: int) -> str:
        text, state, size = ctypes.create_string_buffer(_abi.HEALTH_BYTES), ctypes.c_int(), ctypes.c_size_t()
        self.call(self.lib.tegu_health, form, ctypes.byref(state), text, len(text), ctypes.byref(size))
        return text.raw[: size.value].decode("utf-8")

    def _fields(self, function: Callable[..., int]) -> Dict[str, Any]:
        handle = ctypes.c_void_p()
        self.call(function, ctypes.byref(handle))
        try:
            fields = {}
            for index in range(self.lib.tegu_fields_count(handle)):
                field = self.lib.tegu_fields_at(handle, index)
                value = (field.u64, field.f64, field.text)[field.kind]
                fields[field.name.decode()] = (
                    value.decode("utf-8", "replace") if isinstance(value, bytes) else value
                )
            return fields
        finally:
            self.lib.tegu_fields_free(handle)
