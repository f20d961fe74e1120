# SPDX-License-Identifier: Apache-2.0
"""Jobs that are prepared once and run again: on a Buffer, or on numpy arrays of one type and shape, whose
addresses alone are new. What a call costs in Python is then a lookup."""

import ctypes
import marshal
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

from ._types import numpy

if TYPE_CHECKING:
    from ._job import Job

_PLAIN = {str, int, bool, float, type(None)}
_MAX_JOBS = 64  # of one buffer, and on arrays of one client
ndarray: Any = numpy.ndarray if numpy is not None else None
_one_byte = ctypes.c_char.from_buffer
_addressof = ctypes.addressof

Jobs = Dict[Any, "Job"]


def _is_plain(value: Any) -> bool:
    """Whether marshal.dumps() tells all about it."""
    kind = type(value)
    if kind is tuple or kind is list:
        return all(type(each) in _PLAIN for each in value)
    if kind is not dict or not all(type(key) is str for key in value):
        return False
    return all(type(each) in _PLAIN or _is_plain_list(each) for each in value.values())


def _is_plain_list(value: Any) -> bool:
    return type(value) in (tuple, list) and all(type(each) in _PLAIN for each in value)


def key_of(name: str, arguments: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """Different for all jobs that differ, also where 1 == True; None if the arguments are not plain."""
    if not arguments and not options:
        return name
    for value in arguments:
        if type(value) not in _PLAIN and not _is_plain(value):
            return None
    for value in options.values():
        if type(value) not in _PLAIN and not _is_plain(value):
            return None
    return name, marshal.dumps((arguments, options), 2)


def keep(jobs: Jobs, key: Any, job: "Job") -> None:
    """The job will run again."""
    if len(jobs) >= _MAX_JOBS:
        jobs.clear()
    job.numbers = None
    job.operands = tuple(job.request.inputs)
    jobs[key] = job


def are_dense(arrays: Tuple[Any, ...]) -> bool:
    """Whether all are arrays of numpy's own class, without gaps."""
    for x in arrays:
        if type(x) is not ndarray or not x.flags["C"]:
            return False
    return True


def _address(x: Any) -> int:
    try:
        return _addressof(_one_byte(x))
    except (TypeError, ValueError, BufferError):  # read-only, or empty
        found: int = x.__array_interface__["data"][0]
        return found


def run_on_arrays(
    client: Any,
    name: str,
    arrays: Tuple[Any, ...],
    rest: Tuple[Any, ...],
    options: Dict[str, Any],
    prepare: Callable[[], "Job"],
) -> Any:
    """The result of the call on arrays that are dense. `prepare` makes its job."""
    key = key_of(name, rest, options)
    if key is None:
        return client.run_job(prepare())
    for x in arrays:
        key = key, x.dtype, x.shape
    job: Optional["Job"] = client.prepared.get(key)
    addresses = tuple(map(_address, arrays))
    if job is None:
        job = prepare()
        if job.copied or any(
            each.address != address or each.row_stride for each, address in zip(job.inputs, addresses)
        ):
            return client.run_job(job)
        keep(client.prepared, key, job)
    return client.run_job(job, addresses)  # also at first: another thread may have run it meanwhile
