# SPDX-License-Identifier: Apache-2.0
"""Jobs: what the arguments of a call become, and what its result becomes. A Job is one Request struct that is
filled in; it may be submitted several times."""

import collections
import ctypes
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Tuple

from . import _abi, _arrays, _errors, _inputs, _operation, _types
from ._buffer import Buffer, Owner
from ._ran import numbers_of

if TYPE_CHECKING:
    from ._connection import Connection
    from ._future import Future

Timing = collections.namedtuple("Timing", "queue_ns copy_ns compute_ns round_trip_ns")
Timing.__doc__ = "Nanoseconds: in the daemon's queue, copying, computing; and from submit to the reply here."
Reply = collections.namedtuple("Reply", "backend policy timing counts copied")
Reply.__doc__ = """How a job ran.

counts  with distinct=True how many of the k there are in each row, else None
copied  whether an input was copied into an array first, as a job cannot take it as it is: a list, gaps
        between elements, an axis that is not the last
"""

_PRIORITIES = {"high": 0, "normal": 1, "low": 2}
_BACKENDS = {"auto": 0, "cpu": 1, "gpu": 2}
# The options of every job, and their types for a type checker.
OPTIONS = {"dtype": "Any", "shape": "Any", "deadline": "Optional[float]", "priority": "str", "backend": "str"}
_NONE: Sequence[_inputs.Input] = ()
_COUNTS = _abi.ROLES["counts"]
_SMALL = _arrays.COPIED_BYTES // 8  # elements that are copied out of a result, whatever their type


class Report(object):
    """How a job ran. It is read from the library's result when somebody asks for it."""

    __slots__ = ("_client", "_owner", "_counts", "_copied", "_reply")

    def __init__(self, client: "Connection", owner: Owner, counts: Any, copied: bool) -> None:
        self._client: Optional["Connection"] = client
        self._owner: Optional[Owner] = owner
        self._counts, self._copied = counts, copied
        self._reply: Optional[Reply] = None

    def reply(self) -> Reply:
        client, owner = self._client, self._owner
        if self._reply is None and client is not None and owner is not None:
            lib, result = client.lib, owner.handle
            with client.lock:
                timing = lib.tegu_result_timing(result)
                self._reply = Reply(
                    _abi.BACKENDS.get(lib.tegu_result_backend(result), "none"),
                    lib.tegu_result_policy(result).decode(),
                    Timing(timing.queue_ns, timing.copy_ns, timing.compute_ns, timing.round_trip_ns),
                    self._counts,
                    self._copied,
                )
            self._client = self._owner = None
        assert self._reply is not None
        return self._reply


class Job(object):
    """A request with its inputs, and how its result is read."""

    def __init__(
        self,
        client: "Connection",
        operation: _operation.Operation,
        xs: Sequence[object],
        axis: Optional[int],
        options: Dict[str, Any],
        out: Any,
    ) -> None:
        for name in options:
            if name not in OPTIONS:
                raise TypeError(
                    "%s() got an unexpected keyword argument %r; its options are %s"
                    % (operation.name, name, ", ".join(OPTIONS))
                )
        self.operation, self.out = operation, out
        # How its result is read if that is a few numbers. None: not known yet; False: it runs once only.
        self.numbers: Any = False
        self.operands: Tuple[Any, ...] = ()  # of a job that runs again, for new addresses
        self.request = request = _abi.Request()
        self.pointer = ctypes.byref(request)
        number = _abi.OPERATIONS[operation.name]
        client.lib.tegu_request_init(self.pointer, ctypes.sizeof(request), number)
        self.inputs: Sequence[_inputs.Input] = [
            x.as_input(client, axis, options)
            if isinstance(x, Buffer)
            else _inputs.describe(x, options.get("dtype"), options.get("shape"), axis, label)
            for x, label in zip(xs, operation.labels)
        ]
        self.source = self.inputs[0]
        self.copied = any(each.copied for each in self.inputs)
        self._set_shape()
        operation.fill(request.params)
        self._set_output(client)
        deadline = options.get("deadline")
        if deadline is not None:
            request.deadline_ns = _nanoseconds(deadline)
        if "priority" in options:
            request.priority = _operation.choice(options["priority"], _PRIORITIES, "priority")
        if "backend" in options:
            request.backend = _operation.choice(options["backend"], _BACKENDS, "backend")

    def _set_shape(self) -> None:
        """Type and shape of the request from its inputs, which must agree."""
        request, first = self.request, self.source
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
        request.type, request.axis = first.type, 0 if first.axis is None else 1
        whole = first.axis is None and not self.operation.is_image
        if whole and not any(each.row_stride for each in self.inputs):
            request.rows, request.cols = 1, first.rows * first.cols
        else:
            request.rows, request.cols = first.rows, first.cols
        for operand, each in zip(request.inputs, self.inputs):
            if each.buffer is not None:
                operand.buffer = each.buffer
            else:
                operand.data, operand.row_stride = each.address, each.row_stride

    def _set_output(self, client: "Connection") -> None:
        if self.out is None:
            return
        number = self.operation.out_type(self.source)
        if isinstance(self.out, Buffer):
            self.request.output = self.out.as_output(client, number, self.source)
        else:
            _arrays.check_out(self.out, number, self.source.given)

    def submitted(self) -> None:
        """The library has what it needs of the inputs."""
        for each in self.inputs:
            each.keep = None
        self.inputs = _NONE

    def read(self, client: "Connection", owner: Owner) -> Tuple[Any, Report]:
        """What the call returns, and how the job ran. The lock of the client is held."""
        lib, result = client.lib, owner.handle
        arrays: Dict[int, _operation.Array] = {}
        for index in range(lib.tegu_result_count(result)):
            raw = lib.tegu_result_array(result, index)
            arrays[raw.role] = _operation.Array(owner, self.source, raw.type, raw.rows, raw.cols, raw.data)
        return self.read_arrays(client, owner, arrays)

    def learn(self, ran: Any) -> None:
        """Sets `numbers` from the first result."""
        found = None if self.out is not None else numbers_of(ran, self.operation, self.source)
        self.numbers = found or False

    def read_arrays(
        self, client: "Connection", owner: Owner, arrays: Dict[int, _operation.Array]
    ) -> Tuple[Any, Report]:
        """As read(), of the arrays of the result."""
        small = all(made.rows * made.cols <= _SMALL for made in arrays.values())
        counts = arrays.get(_COUNTS)
        report = Report(client, owner, counts and counts.shaped((counts.rows * counts.cols,)), self.copied)
        if not small or isinstance(self.out, Buffer):
            report.reply()  # now: neither a large result nor the buffer may stay in memory for it
        if self.out is not None:
            role = self.operation.out_role
            if not isinstance(self.out, Buffer):
                arrays[role].copy_into(self.out)
            arrays[role] = _operation.Out(self.out, self.source)
        return self.operation.result(arrays), report


def _nanoseconds(deadline: Any) -> int:
    try:
        positive = deadline > 0
    except TypeError:
        raise _errors.wrong_type("BAD_RANGE", "deadline=%r" % (deadline,), "deadline", "seconds, more than 0")
    if not positive:
        raise _errors.make("BAD_RANGE", "deadline=%r seconds" % (deadline,), "deadline", "more than 0")
    return int(min(deadline * 1e9, 2.0**62)) or 1


class Submitting(object):
    """What the functions of _operations are methods of: job() gives them their Future."""

    def __init__(self, client: "Connection") -> None:
        self._client = client

    def job(
        self,
        operation: _operation.Operation,
        xs: Sequence[object],
        axis: Optional[int],
        options: Dict[str, Any],
        out: Any = None,
    ) -> "Future[Any]":
        made: "Future[Any]" = self._finish(Job(self._client, operation, xs, axis, options, out))
        return made

    def _finish(self, job: Job) -> Any:
        return self._client.submit_job(job)


class Preparing(Submitting):
    """The same, but job() gives the Job that was not submitted."""

    def _finish(self, job: Job) -> Any:
        return job
