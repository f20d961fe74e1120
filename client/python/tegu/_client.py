# SPDX-License-Identifier: Apache-2.0
"""Client, Buffer and Future. A job is one Request struct that is filled, submitted and waited for; synchronous calls are the same
with the wait at once. Waiting is done in slices, so that Ctrl-C works. Calls of several threads on one client take turns; memory
that the garbage collector gives back is freed by the next call, because the library must not be entered from two threads."""
import collections
import ctypes
import threading
import time

from . import _abi, _arrays, _errors

Timing = collections.namedtuple("Timing", "queue_ns copy_ns compute_ns round_trip_ns")
Timing.__doc__ = "Nanoseconds: in the daemon's queue, copying, computing; and from submit to the reply here."
Reply = collections.namedtuple("Reply", "backend policy timing counts")
Reply.__doc__ = "How a job ran. counts: with topk(distinct=True) how many of the k there are in each row, else None."

_SLICE_MS = 100
_PRIORITIES = {"high": 0, "normal": 1, "low": 2}
_BACKENDS = {"auto": 0, "cpu": 1, "gpu": 2}
_BASES = {2: 0, "2": 0, "e": 1}
_BORDERS = {"clip": 0, "mirror": 1}


def connect(path=None, name=None, connect_timeout=0.0, reconnect_timeout=10.0, busy_retry=True, server_uid=None):
    """A Client of the daemon at `path` ($TEGU_SOCKET, else /run/tegud/tegud.sock).

    connect_timeout    seconds to try for; 0: once
    reconnect_timeout  seconds for which a lost connection is sought again before jobs fail with Unavailable
    busy_retry         jobs that are answered BUSY are sent again within that time
    server_uid         the uid that the listening socket must belong to; None: any
    """
    return Client(path, name, connect_timeout, reconnect_timeout, busy_retry, server_uid)


def _choice(value, table, field):
    try:
        return table[value]
    except (KeyError, TypeError):
        raise _errors.make("BAD_RANGE", "%s=%r is not known" % (field, value), field, " or ".join(repr(known) for known in table))


def _whole_number(value, field, allowed):
    try:
        number = value.__index__()
    except AttributeError:
        number = -1
    if number < 0 or number >= 1 << 64:
        raise _errors.make("BAD_RANGE", "%s=%r is no whole number of this range" % (field, value), field, allowed)
    return number


def _raise(error):
    text = [getattr(error, key).decode("utf-8", "replace") for key in ("message", "field", "allowed")]
    word = _abi.library().tegu_status_word(error.status).decode()
    raise _errors.make(word, text[0], text[1], text[2], error.retry_after_ns / 1e9 if word == "BUSY" else None)


class _Owner(object):
    """Frees a C object when the last array over it is gone; on the next call of its client, while that is open."""

    def __init__(self, client, handle, free):
        self._garbage, self.handle, self._free = client._garbage, handle, free

    def __del__(self):
        if self._garbage is not None and self._garbage.open:
            self._garbage.append((self._free, self.handle))
        elif self._garbage is not None:
            self._free(self.handle)


class _Garbage(collections.deque):
    open = True

    def collect(self):
        while self:
            free, handle = self.popleft()
            free(handle)


class Client(object):
    """One connection; see connect(). Use it in a with statement, or close() it."""

    def __init__(self, path, name, connect_timeout, reconnect_timeout, busy_retry, server_uid):
        self._handle = None
        self._lib = lib = _abi.library()
        self._lock = threading.RLock()
        self._garbage = _Garbage()
        self._dropped = collections.deque()  # ids of futures that nobody asked
        self._error = _abi.Error()
        self.last = None  #: the Reply of the job whose result came last
        options = _abi.Options()
        lib.tegu_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.connect_ms = int(connect_timeout * 1000)
        options.reconnect_ms = int(reconnect_timeout * 1000)
        options.busy_retry = 1 if busy_retry else 0
        options.server_uid = -1 if server_uid is None else server_uid
        options.socket_path = None if path is None else str(path).encode("utf-8", "surrogateescape")
        options.name = None if name is None else name.encode("utf-8", "replace")
        handle = ctypes.c_void_p()
        if lib.tegu_connect(ctypes.byref(options), ctypes.byref(handle), ctypes.byref(self._error)):
            _raise(self._error)
        self._handle = handle

    def close(self):
        """Gives up the connection and the jobs that are in flight. Arrays over buffers and results stay valid."""
        with self._lock:
            if self._handle is not None:
                self._garbage.collect()
                self._garbage.open = False
                self._lib.tegu_close(self._handle)
                self._handle = None
                self._garbage.collect()

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
            if self._garbage:
                self._garbage.collect()
            if function(self._handle, *(arguments + (ctypes.byref(self._error),))):
                _raise(self._error)

    # Jobs

    @property
    def submit(self):
        """The same methods, which return at once with a Future: c.submit.reduce(x), or c.submit("reduce", x)."""
        return _Submitter(self)

    def reduce(self, x, stats=("sum",), axis=None, **options):
        """A dict of statistics over all of `x`: Python numbers, minmax as a pair. With axis=1: arrays, one value a row (minmax: two).

        stats: any of count sum mean min max minmax argmin argmax absmax l1 l2 var std nonzero nans, or "all".
        axis=0 runs over a transposed copy. ddof=0 or 1 for var and std; skip_nans=True leaves NaN elements out.
        Options of every job: dtype= and shape= to read memory as something else; deadline= seconds; priority= "high", "normal" or
        "low"; backend= "auto", "cpu" or "gpu".
        """
        return self.submit.reduce(x, stats, axis, **options).result()

    def topk(self, x, k, largest=True, distinct=False, axis=None, **options):
        """(values, indices) of the k largest (smallest) elements, best first; of each row with axis=1, of each column with axis=0.

        Indices count from the start of the (row-major) array or the row. distinct=True keeps each value once; there may be fewer
        than k then: with axis=None the arrays are shorter, else missing indices are -1 and last.counts tells how many there are.
        """
        return self.submit.topk(x, k, largest, distinct, axis, **options).result()

    def entropy_map(self, image, window=5, levels=16, range=None, base=2, border="clip", **options):
        """An f32 array like `image` (two dimensions, u8 or f32): the Shannon entropy of the window around each pixel.

        window: odd, one number or (rows, cols); levels: 2 to 256, of `range` (lo, hi); base: 2 or "e"; border: "clip" or "mirror".
        """
        return self.submit.entropy_map(image, window, levels, range, base, border, **options).result()

    # Buffers and the daemon

    def buffer(self, shape, dtype="f32"):
        """A Buffer: memory that the daemon maps, too. Jobs on it send no data."""
        return Buffer(self, _arrays._shape(shape), _arrays.type_number(dtype))

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
        for entry in found[:count.value]:
            one = {name: getattr(entry, name) for name, _ in _abi.BufferInfo._fields_ if name != "reserved"}
            one.update({name: bool(one[name]) for name in flags})
            one["access"] = "read_write" if one["access"] else "read"
            listed.append(one)
        return listed

    @property
    def reconnects(self):
        """How often the connection was lost and found again."""
        with self._lock:
            return self._lib.tegu_reconnects(self._handle) if self._handle is not None else 0

    def _fields(self, function):
        handle = ctypes.c_void_p()
        self._call(function, ctypes.byref(handle))
        try:
            fields = {}
            for index in range(self._lib.tegu_fields_count(handle)):
                field = self._lib.tegu_fields_at(handle, index)
                value = (field.u64, field.f64, field.text)[field.kind]
                fields[field.name.decode()] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
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
        """(_Owner of the result, True); (None, False) if the time is over. Raises what the job failed with."""
        result, done = ctypes.c_void_p(), ctypes.c_uint64()
        try:
            self._call(self._lib.tegu_wait, ident, timeout_ms, ctypes.byref(result), ctypes.byref(done))
        except _errors.DeadlineExceeded:
            if done.value == 0:
                return None, False
            raise
        return _Owner(self, result, self._lib.tegu_result_free), True


class _Submitter(object):
    def __init__(self, client):
        self._client = client

    def __call__(self, operation, *arguments, **options):
        if operation not in _abi.OPERATIONS:
            raise _errors.make("UNSUPPORTED", "the operation %r is not known" % (operation,), "operation", " ".join(_abi.OPERATIONS))
        return getattr(self, operation)(*arguments, **options)

    def reduce(self, x, stats=("sum",), axis=None, ddof=0, skip_nans=False, **options):
        names = _abi.STATISTICS if stats == "all" else (stats,) if isinstance(stats, str) else tuple(stats)
        bits = 0
        for name in names:
            if name not in _abi.STATISTICS:
                raise _errors.make("BAD_RANGE", "the statistic %r is not known" % (name,), "stats", " ".join(_abi.STATISTICS))
            bits |= 1 << _abi.STATISTICS.index(name)
        job = _Job(self._client, "reduce", x, axis, options)
        job.request.params.reduce.statistics = bits
        job.request.params.reduce.ddof = _whole_number(ddof, "ddof", "0 or 1") & 0xffffffff
        job.request.params.reduce.skip_nans = 1 if skip_nans else 0
        return job.submit(lambda arrays: {name: _statistic(arrays[_abi.STATISTICS.index(name) + 1], axis) for name in names})

    def topk(self, x, k, largest=True, distinct=False, axis=None, **options):
        job = _Job(self._client, "topk", x, axis, options)
        job.request.params.topk.k = _whole_number(k, "k", "1 to the number of elements")
        job.request.params.topk.largest = 1 if largest else 0
        job.request.params.topk.distinct = 1 if distinct else 0
        return job.submit(lambda arrays: (_rows(arrays[_abi.ROLE_VALUES], axis), _rows(arrays[_abi.ROLE_INDICES], axis)))

    def entropy_map(self, image, window=5, levels=16, range=None, base=2, border="clip", **options):
        job = _Job(self._client, "entropy_map", image, None, options)
        if len(job.input.shape) != 2:
            raise _errors.make("BAD_RANGE", "the image has %d dimensions" % len(job.input.shape), "image", "two dimensions")
        params = job.request.params.entropy_map
        rows, cols = (window, window) if hasattr(window, "__index__") else window
        params.window_rows = min(_whole_number(rows, "window", "odd, 3 to 63"), 0xffffffff)
        params.window_cols = min(_whole_number(cols, "window", "odd, 3 to 63"), 0xffffffff)
        params.levels = min(_whole_number(levels, "levels", "2 to 256"), 0xffffffff)
        if range is not None:
            params.has_range = 1
            params.lo, params.hi = (float(edge) for edge in range)
        params.base = _choice(base, _BASES, "base")
        params.border = _choice(border, _BORDERS, "border")
        return job.submit(lambda arrays: arrays[_abi.ROLE_MAP].array())


class _Job(object):
    """A request that is being filled in."""

    def __init__(self, client, operation, x, axis, options):
        if axis not in (None, 0, 1, -1):
            raise _errors.make("BAD_RANGE", "axis=%r is not known" % (axis,), "axis", "None, 0 or 1")
        unknown = set(options) - {"dtype", "shape", "deadline", "priority", "backend"}
        if unknown:
            raise TypeError("%s() got an unexpected keyword argument %r" % (operation, sorted(unknown)[0]))
        self.client = client
        self.request = request = _abi.Request()
        client._lib.tegu_request_init(ctypes.byref(request), ctypes.sizeof(request), _abi.OPERATIONS[operation])
        if isinstance(x, Buffer):
            self.input = x._input(client, axis, options)
            request.inputs[0].buffer = x._owner.handle
        else:
            self.input = _arrays.describe(x, options.get("dtype"), options.get("shape"), 1 if axis == -1 else axis)
            request.inputs[0].data = self.input.address
            request.inputs[0].row_stride = self.input.row_stride
        request.type, request.rows, request.cols = self.input.type, self.input.rows, self.input.cols
        request.axis = 0 if axis is None else 1
        deadline = options.get("deadline")
        if deadline is not None:
            if not deadline > 0:
                raise _errors.make("BAD_RANGE", "deadline=%r seconds" % (deadline,), "deadline", "more than 0")
            request.deadline_ns = int(min(deadline * 1e9, 2.0 ** 62)) or 1
        request.priority = _choice(options.get("priority", "normal"), _PRIORITIES, "priority")
        request.backend = _choice(options.get("backend", "auto"), _BACKENDS, "backend")

    def submit(self, convert):
        client = self.client
        if client._dropped:
            client._reap()
        ident = ctypes.c_uint64()
        client._call(client._lib.tegu_submit, ctypes.byref(self.request), ctypes.byref(ident))
        return Future(client, ident.value, convert)


class _ResultArray(object):
    def __init__(self, owner, raw):
        self.owner, self.type, self.rows, self.cols, self.address = owner, raw.type, raw.rows, raw.cols, raw.data

    def array(self, flat=False):
        shape = (self.rows * self.cols,) if flat else (self.rows, self.cols)
        if shape[0] * shape[-1] * _arrays.BYTES[self.type] <= 65536:
            return _arrays.copy_of(self.address, self.type, shape)
        return _arrays.view_of(self.address, self.type, shape, self.owner)


def _statistic(found, axis):
    if axis is not None:
        return found.array(flat=found.cols == 1)
    values = _arrays.scalars(found.address, found.type, found.rows * found.cols)
    return values[0] if len(values) == 1 else values


def _rows(found, axis):
    made = found.array(flat=axis is None)
    return made.T if axis == 0 else made


class Future(object):
    """A job in flight."""

    def __init__(self, client, ident, convert):
        self._client, self._id, self._convert = client, ident, convert
        self._value = self._failure = None
        self._done = False
        self.reply = None  #: how it ran, once it is done well

    def result(self, timeout=None):
        """What the synchronous call would return or raise. DeadlineExceeded after `timeout` seconds: the job goes on."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._done:
            left = None if end is None else end - time.monotonic()
            self._poll(_SLICE_MS if left is None else max(0, min(_SLICE_MS, int(left * 1000) + 1 if left > 0 else 0)))
            if not self._done and end is not None and time.monotonic() >= end:
                raise _errors.make("DEADLINE_EXCEEDED", "the job was not done in the time to wait; it goes on")
        if self._failure is not None:
            raise self._failure
        self._client.last = self.reply
        return self._value

    def done(self):
        """Whether the job has ended; sends what is waiting and looks for replies, without waiting for any."""
        if not self._done:
            self._poll(0)
        return self._done

    def cancel(self):
        """Asks the daemon to stop the job: result() then raises Cancelled, or the job was faster."""
        if not self._done:
            self._client._call(self._client._lib.tegu_cancel, self._id)

    def _poll(self, timeout_ms):
        try:
            owner, self._done = self._client._wait(self._id, timeout_ms)
        except _errors.Error as error:
            self._done, self._failure = True, error
            return
        if self._done:
            self._take(owner)

    def _take(self, owner):
        lib, result = self._client._lib, owner.handle
        arrays = {}
        for index in range(lib.tegu_result_count(result)):
            raw = lib.tegu_result_array(result, index)
            arrays[raw.role] = _ResultArray(owner, raw)
        timing = lib.tegu_result_timing(result)
        counts = arrays.get(_abi.ROLE_COUNTS)
        self.reply = Reply(_abi.BACKENDS.get(lib.tegu_result_backend(result), "none"), lib.tegu_result_policy(result).decode(),
                           Timing(timing.queue_ns, timing.copy_ns, timing.compute_ns, timing.round_trip_ns),
                           None if counts is None else counts.array(flat=True))
        self._value = self._convert(arrays)

    def __del__(self):
        if not getattr(self, "_done", True):
            self._client._dropped.append(self._id)


class Buffer(object):
    """Memory of the daemon, mapped here. Made by Client.buffer(); use it in a with statement, or close() it.

    array      numpy array over the memory (without numpy: a memoryview), zero at first
    shape, dtype, nbytes, handle, generation, frozen
    """

    def __init__(self, client, shape, number):
        self._client, self.shape, self._type = client, shape, number
        self.dtype = _arrays.NAMES[number]
        self.nbytes = _arrays._product(shape) * _arrays.BYTES[number]
        self.frozen = False
        handle = ctypes.c_void_p()
        client._call(client._lib.tegu_buffer_create, self.nbytes, ctypes.byref(handle))
        self._owner = _Owner(client, handle, client._lib.tegu_buffer_free)
        self.array = self._view()

    def _view(self):
        address = self._client._lib.tegu_buffer_data(self._owner.handle)
        if _arrays.numpy is not None or _arrays.WORDS[self._type] != "f16":
            return _arrays.view_of(address, self._type, self.shape, self._owner)
        return _arrays.view_of(address, 3, self.shape, self._owner)  # the bits, as u16

    def _open(self):
        if self._owner is None:
            raise _errors.make("BAD_REQUEST", "the buffer is closed", "buffer", "")
        return self._owner.handle

    def commit(self):
        """Says that the content has changed: boards that must copy then copy it once, instead of for every job."""
        with self._client._lock:
            self._client._lib.tegu_buffer_commit(self._open())

    def freeze(self):
        """Makes the content constant for good. The memory becomes read-only: `array` says so, but a view that was made of it
        earlier does not know, and writing through that ends the process."""
        handle = self._open()
        self._client._call(lambda unused, error: self._client._lib.tegu_buffer_freeze(handle, error))
        self.frozen = True
        if _arrays.numpy is not None:
            self.array.flags.writeable = False
        elif hasattr(self.array, "toreadonly"):
            self.array = self.array.toreadonly()

    @property
    def generation(self):
        return self._client._lib.tegu_buffer_generation(self._open())

    @property
    def handle(self):
        """The daemon's number of it, on the present connection."""
        return self._client._lib.tegu_buffer_handle(self._open())

    def close(self):
        """Gives the buffer back. The memory itself lives as long as an array over it."""
        self.array = self._owner = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __len__(self):
        return self.shape[0] if self.shape else 1

    def _input(self, client, axis, options):
        self._open()
        if client is not self._client:
            raise _errors.make("BAD_REQUEST", "the buffer belongs to another client", "buffer", "")
        number = self._type if options.get("dtype") is None else _arrays.type_number(options["dtype"])
        shape = self.shape if options.get("shape") is None else _arrays._shape(options["shape"])
        if _arrays._product(shape) * _arrays.BYTES[number] > self.nbytes:
            raise _errors.make("BAD_RANGE", "%s of %s do not fit %d bytes" % (shape, _arrays.NAMES[number], self.nbytes), "shape", "")
        if axis == 0:
            raise _errors.make("UNSUPPORTED", "jobs run over rows; axis 0 of a buffer would need a transposed copy: pass buf.array instead",
                               "axis", "None or 1")
        if axis is not None and len(shape) != 2:
            raise _errors.make("BAD_RANGE", "axis %s needs two dimensions, not %d" % (axis, len(shape)), "axis", "None")
        return _arrays.Input(self, 0, number, shape)
