# SPDX-License-Identifier: Apache-2.0
"""Client: one connection. Calls of several threads on one client take turns; memory that the garbage
collector gives back is freed by the next call, because the library must not be entered from two threads."""

import collections
import ctypes
import functools
import json
import threading

from . import _abi, _errors, _jobs, _operation, _operations, _types
from ._buffer import Buffer, Garbage, Owner
from ._job import Submitter


def connect(
    path=None,
    name=None,
    connect_timeout=0.0,
    reconnect_timeout=10.0,
    busy_retry=True,
    server_uid=None,
    spin_us=50,
):
    """A Client of the daemon at `path` ($TEGU_SOCKET, else /run/tegud/tegud.sock if it is there,
    else that of this user's own daemon, tegud/tegud.sock in $XDG_RUNTIME_DIR).

    connect_timeout    seconds to try for; 0: once
    reconnect_timeout  seconds for which a lost connection is sought again before jobs fail with Unavailable
    busy_retry         jobs, and buffer(), that are answered BUSY are sent again within that time
    server_uid         the uid that the listening socket must belong to; None: any
    spin_us            how long to look for the reply to a small job before sleeping, microseconds; 0: never
    """
    return Client(path, name, connect_timeout, reconnect_timeout, busy_retry, server_uid, spin_us)


def _raise(error):
    text = [getattr(error, key).decode("utf-8", "replace") for key in ("message", "field", "allowed")]
    word = _abi.library().tegu_status_word(error.status).decode()
    raise _errors.make(
        word, text[0], text[1], text[2], error.retry_after_ns / 1e9 if word == "BUSY" else None
    )


class Client(object):
    """One connection; see connect(). Use it in a with statement, or close() it."""

    def __init__(self, path, name, connect_timeout, reconnect_timeout, busy_retry, server_uid, spin_us):
        self._handle = None
        self._lib = lib = _abi.library()
        self._lock = threading.RLock()
        self.garbage = Garbage()
        self._dropped = collections.deque()  # ids of futures that nobody asked
        self._error = _abi.Error()
        self.last = None  #: the Reply of the job whose result came last
        options = _abi.Options()
        lib.tegu_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.connect_ms = int(connect_timeout * 1000)
        options.reconnect_ms = int(reconnect_timeout * 1000)
        options.busy_retry = 1 if busy_retry else 0
        options.server_uid = -1 if server_uid is None else server_uid
        options.spin_us = spin_us
        options.socket_path = None if path is None else str(path).encode("utf-8", "surrogateescape")
        options.name = None if name is None else name.encode("utf-8", "replace")
        handle = ctypes.c_void_p()
        if lib.tegu_connect(ctypes.byref(options), ctypes.byref(handle), ctypes.byref(self._error)):
            _raise(self._error)
        self._handle = handle

    def close(self):
        """Gives up the connection and the jobs that are in flight. Arrays over buffers and results stay
        valid."""
        with self._lock:
            if self._handle is not None:
                self.garbage.collect()
                self.garbage.open = False
                self._lib.tegu_close(self._handle)
                self._handle = None
                self.garbage.collect()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _call(self, function, *arguments):
        with self._lock:
            if self._handle is None:
                raise _errors.make("UNAVAILABLE", "the client is closed")
            if self.garbage:
                self.garbage.collect()
            if function(self._handle, *(arguments + (ctypes.byref(self._error),))):
                _raise(self._error)

    # Jobs

    @property
    def submit(self):
        """The same methods, which return at once with a Future: c.submit.reduce(x), or c.submit("reduce",
        x)."""
        return Submitter(self)

    # Buffers and the daemon

    def buffer(self, shape, dtype="f32", room=0):
        """A Buffer: memory that the daemon maps, too. Jobs on it send no data. room: bytes behind the array,
        for the other arrays of jobs that write into it."""
        return Buffer(
            self,
            _types.shape_of(shape),
            _types.type_number(dtype),
            _operation.whole_number(room, "room", "bytes"),
        )

    def ping(self):
        """Round trip of an empty message, in seconds."""
        time_ns = ctypes.c_uint64()
        self._call(self._lib.tegu_ping, ctypes.byref(time_ns))
        return time_ns.value / 1e9

    def info(self):
        """What the daemon is: a dict."""
        return self._fields(self._lib.tegu_info)

    def stats(self):
        """What the daemon has done: a dict."""
        return self._fields(self._lib.tegu_stats)

    def health(self):
        """How the board and the daemon are: a dict of `state` ("ok", "degraded" or "failing"), `reasons` and
        what is known of the board; docs/health.md has the names."""
        return json.loads(self._health(_abi.HEALTH_JSON))

    def metrics(self):
        """The same and what the daemon has done, as metrics in the text format of Prometheus."""
        return self._health(_abi.HEALTH_METRICS)

    def kernels(self):
        """The kernels of the GPU backend and what each takes of the device: a dict of `kernels` (a list of
        dicts, empty without a GPU), `reason` (why it is empty) and `threads_per_multiprocessor`."""
        handle = ctypes.c_void_p()
        self._call(self._lib.tegu_kernels_get, ctypes.byref(handle))
        try:
            listed = []
            for index in range(self._lib.tegu_kernels_count(handle)):
                entry = self._lib.tegu_kernels_at(handle, index)
                one = {name: getattr(entry, name) for name, _ in _abi.Kernel._fields_ if name != "reserved"}
                one.update(name=entry.name.decode(), moves=entry.moves.decode())
                listed.append(one)
            return {
                "kernels": listed,
                "reason": self._lib.tegu_kernels_reason(handle).decode(),
                "threads_per_multiprocessor": self._lib.tegu_kernels_threads_per_multiprocessor(handle),
            }
        finally:
            self._lib.tegu_kernels_free(handle)

    def buffers(self):
        """The buffers of this user, of all connections: a list of dicts."""
        capacity, count = 64, ctypes.c_size_t()
        while True:
            found = (_abi.BufferInfo * capacity)()
            self._call(self._lib.tegu_buffer_list, found, capacity, ctypes.byref(count))
            if count.value <= capacity:
                break
            capacity = count.value
        flags = ("frozen", "created_by_daemon")
        listed = []
        for entry in found[: count.value]:
            one = {name: getattr(entry, name) for name, _ in _abi.BufferInfo._fields_ if name != "reserved"}
            one.update({name: bool(one[name]) for name in flags})
            one["access"] = "read_write" if one["access"] else "read"
            listed.append(one)
        return listed

    def jobs(self):
        """The jobs of this user that wait or run, of all connections: a list of dicts, by `id`. Root and the
        user of the daemon see those of all users. Times are in seconds; `left` is what is left of
        `predicted`. Jobs so small that the daemon computes them at once are never listed."""
        return _jobs.listed(self._lib, self._call)

    def cancel_job(self, ident):
        """Cancels a job of jobs(), of any connection of this user; an administrator cancels any. Its client
        gets Cancelled. Returns whether the job had started. NOT_FOUND: there is no such job, or it is another
        user's."""
        was_running = ctypes.c_int()
        ident = _operation.whole_number(ident, "id", "the id of a job", (1 << 64) - 1)
        self._call(self._lib.tegu_cancel_job, ident, ctypes.byref(was_running))
        return bool(was_running.value)

    @property
    def reconnects(self):
        """How often the connection was lost and found again."""
        with self._lock:
            return self._lib.tegu_reconnects(self._handle) if self._handle is not None else 0

    def _health(self, form):
        text, state, size = ctypes.create_string_buffer(_abi.HEALTH_BYTES), ctypes.c_int(), ctypes.c_size_t()
        self._call(self._lib.tegu_health, form, ctypes.byref(state), text, len(text), ctypes.byref(size))
        return text.raw[: size.value].decode("utf-8")

    def _fields(self, function):
        handle = ctypes.c_void_p()
        self._call(function, ctypes.byref(handle))
        try:
            fields = {}
            for index in range(self._lib.tegu_fields_count(handle)):
                field = self._lib.tegu_fields_at(handle, index)
                value = (field.u64, field.f64, field.text)[field.kind]
                fields[field.name.decode()] = (
                    value.decode("utf-8", "replace") if isinstance(value, bytes) else value
                )
            return fields
        finally:
            self._lib.tegu_fields_free(handle)

    # Inside

    def _reap(self):
        while self._dropped:
            ident = self._dropped.popleft()
            try:
                result, _ = self._wait(ident, 0)
            except _errors.Error:
                continue
            if result is None:
                self._dropped.append(ident)
                return

    def _wait(self, ident, timeout_ms):
        """(_Owner of the result, True); (None, False) if the time is over. Raises what the job failed
        with."""
        result, done = ctypes.c_void_p(), ctypes.c_uint64()
        try:
            self._call(self._lib.tegu_wait, ident, timeout_ms, ctypes.byref(result), ctypes.byref(done))
        except _errors.DeadlineExceeded:
            if done.value == 0:
                return None, False
            raise
        return Owner(self, result, self._lib.tegu_result_free), True


def _synchronous(call):
    """The method of client.submit with the wait at once."""

    @functools.wraps(call)
    def method(self, *arguments, **options):
        return call(self.submit, *arguments, **options).result()

    return method


for _name, _module in _operations.MODULES.items():
    setattr(Client, _name, _synchronous(getattr(_module, _name)))
