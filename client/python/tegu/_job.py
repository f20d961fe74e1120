# SPDX-License-Identifier: Apache-2.0
"""Jobs: what the arguments of a call become, and a Future for what comes back. A job is one Request struct
that is filled, submitted and waited for; the synchronous calls of Client are the same with the wait at
once."""

import collections
import ctypes
import time

from . import _abi, _arrays, _errors, _inputs, _operation, _operations, _types
from ._buffer import Buffer

Timing = collections.namedtuple("Timing", "queue_ns copy_ns compute_ns round_trip_ns")
Timing.__doc__ = "Nanoseconds: in the daemon's queue, copying, computing; and from submit to the reply here."
Reply = collections.namedtuple("Reply", "backend policy timing counts copied")
Reply.__doc__ = """How a job ran.

counts  with distinct=True how many of the k there are in each row, else None
copied  whether an input was copied into an array first, as a job cannot take it as it is: a list, gaps
        between elements, an axis that is not the last
"""

_SLICE_MS = 100  # a wait is done in slices, so that Ctrl-C works
_PRIORITIES = {"high": 0, "normal": 1, "low": 2}
_BACKENDS = {"auto": 0, "cpu": 1, "gpu": 2}
_OPTIONS = {"dtype", "shape", "deadline", "priority", "backend"}


class Submitter(object):
    """The methods of Client that are jobs, each returning a Future."""

    def __init__(self, client):
        self._client = client

    def __call__(self, operation, *arguments, **options):
        if operation not in _abi.OPERATIONS:
            raise _errors.make(
                "UNSUPPORTED",
                "the operation %r is not known" % (operation,),
                "operation",
                " ".join(_abi.OPERATIONS),
            )
        return getattr(self, operation)(*arguments, **options)

    def job(self, operation, xs, axis, options, out=None):
        return _Job(self._client, operation, xs, axis, options, out).submit()


for _name, _module in _operations.MODULES.items():
    setattr(Submitter, _name, getattr(_module, _name))


class _Job(object):
    """A request that is being filled in."""

    def __init__(self, client, operation, xs, axis, options, out):
        unknown = set(options) - _OPTIONS
        if unknown:
            raise TypeError(
                "%s() got an unexpected keyword argument %r" % (operation.name, sorted(unknown)[0])
            )
        self.client, self.operation, self.out = client, operation, out
        self.request = request = _abi.Request()
        number = _abi.OPERATIONS[operation.name]
        client._lib.tegu_request_init(ctypes.byref(request), ctypes.sizeof(request), number)
        self.inputs = [self._input(x, axis, options, label) for x, label in zip(xs, operation.labels)]
        self._set_shape()
        operation.fill(request.params)
        self._set_output()
        deadline = options.get("deadline")
        if deadline is not None:
            if not deadline > 0:
                raise _errors.make(
                    "BAD_RANGE", "deadline=%r seconds" % (deadline,), "deadline", "more than 0"
                )
            request.deadline_ns = int(min(deadline * 1e9, 2.0**62)) or 1
        request.priority = _operation.choice(options.get("priority", "normal"), _PRIORITIES, "priority")
        request.backend = _operation.choice(options.get("backend", "auto"), _BACKENDS, "backend")

    def _input(self, x, axis, options, label):
        if isinstance(x, Buffer):
            return x.as_input(self.client, axis, options)
        return _inputs.describe(x, options.get("dtype"), options.get("shape"), axis, label)

    def _set_shape(self):
        """Type and shape of the request from its inputs, which must agree."""
        request, first = self.request, self.inputs[0]
        if self.operation.is_image and len(first.given) != 2:
            raise _errors.make(
                "BAD_RANGE", "the image has %d dimensions" % len(first.given), "image", "two dimensions"
            )
        for other in self.inputs[1:]:
            if (other.type, other.given) != (first.type, first.given):
                raise _errors.make(
                    "BAD_RANGE",
                    "y is %s %s; both must be of one type and shape"
                    % (_types.NAMES[other.type], other.given),
                    "inputs[1]",
                    "%s %s" % (_types.NAMES[first.type], first.given),
                )
        request.type, request.axis, request.rows, request.cols = (
            first.type,
            0 if first.axis is None else 1,
            first.rows,
            first.cols,
        )
        if (
            first.axis is None
            and not self.operation.is_image
            and not any(each.row_stride for each in self.inputs)
        ):
            request.rows, request.cols = 1, first.rows * first.cols
        for operand, each in zip(request.inputs, self.inputs):
            if isinstance(each.keep, Buffer):
                operand.buffer = each.keep.owner.handle
            else:
                operand.data, operand.row_stride = each.address, each.row_stride

    def _set_output(self):
        if self.out is None:
            return
        number = self.operation.out_type(self.inputs[0])
        if isinstance(self.out, Buffer):
            self.request.output = self.out.as_output(self.client, number, self.inputs[0])
        else:
            _arrays.check_out(self.out, number, self.inputs[0].given)

    def submit(self):
        client = self.client
        if client._dropped:
            client._reap()
        ident = ctypes.c_uint64()
        client._call(client._lib.tegu_submit, ctypes.byref(self.request), ctypes.byref(ident))
        for each in self.inputs:
            each.keep = None  # the library has what it needs of it
        return Future(
            client, ident.value, self.convert, any(each.copied for each in self.inputs), self.inputs[0]
        )

    def convert(self, arrays):
        if self.out is not None:
            role, source = self.operation.out_role, self.inputs[0]
            if not isinstance(self.out, Buffer):
                arrays[role].copy_into(self.out)
            arrays[role] = _operation.Out(self.out, source)
        return self.operation.result(arrays)


class Future(object):
    """A job in flight."""

    def __init__(self, client, ident, convert, copied, source):
        self._client, self._id, self._convert, self._copied, self._source = (
            client,
            ident,
            convert,
            copied,
            source,
        )
        self._value = self._failure = None
        self._done = False
        self.reply = None  #: how it ran, once it is done well

    def result(self, timeout=None):
        """What the synchronous call would return or raise. DeadlineExceeded after `timeout` seconds: the job
        goes on."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._done:
            left = None if end is None else end - time.monotonic()
            self._poll(
                _SLICE_MS if left is None else max(0, min(_SLICE_MS, int(left * 1000) + 1 if left > 0 else 0))
            )
            if not self._done and end is not None and time.monotonic() >= end:
                raise _errors.make(
                    "DEADLINE_EXCEEDED", "the job was not done in the time to wait; it goes on"
                )
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
            arrays[raw.role] = _operation.Array(owner, raw, self._source)
        timing = lib.tegu_result_timing(result)
        counts = arrays.get(_abi.ROLES["counts"])
        self.reply = Reply(
            _abi.BACKENDS.get(lib.tegu_result_backend(result), "none"),
            lib.tegu_result_policy(result).decode(),
            Timing(timing.queue_ns, timing.copy_ns, timing.compute_ns, timing.round_trip_ns),
            None if counts is None else counts.shaped((counts.rows * counts.cols,)),
            self._copied,
        )
        self._value = self._convert(arrays)
        self._convert = self._source = None  # and with them the inputs

    def __del__(self):
        if not getattr(self, "_done", True):
            self._client._dropped.append(self._id)
