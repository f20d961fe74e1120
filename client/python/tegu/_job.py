# SPDX-License-Identifier: Apache-2.0
"""Jobs: what the arguments of a call become, and a Future for what comes back. A job is one Request struct that is filled, submitted
and waited for; the synchronous calls of Client are the same with the wait at once."""
import collections
import ctypes
import time

from . import _abi, _arrays, _errors
from ._buffer import Buffer

Timing = collections.namedtuple("Timing", "queue_ns copy_ns compute_ns round_trip_ns")
Timing.__doc__ = "Nanoseconds: in the daemon's queue, copying, computing; and from submit to the reply here."
Reply = collections.namedtuple("Reply", "backend policy timing counts")
Reply.__doc__ = "How a job ran. counts: with topk(distinct=True) how many of the k there are in each row, else None."

_SLICE_MS = 100  # a wait is done in slices, so that Ctrl-C works
_PRIORITIES = {"high": 0, "normal": 1, "low": 2}
_BACKENDS = {"auto": 0, "cpu": 1, "gpu": 2}
_BASES = {2: 0, "2": 0, "e": 1}
_BORDERS = {"clip": 0, "mirror": 1}


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


class Submitter(object):
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
            self.input = x.as_input(client, axis, options)
            request.inputs[0].buffer = x.owner.handle
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
