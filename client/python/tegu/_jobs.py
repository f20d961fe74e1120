# SPDX-License-Identifier: Apache-2.0
"""The list of jobs of all connections, as dicts."""

import ctypes
from typing import Any, Callable, Dict, List

from . import _abi, _types

_OPERATIONS = {number: word for word, number in _abi.OPERATIONS.items()}
_PRIORITIES, _STATES, _PLACES = ("high", "normal", "low"), ("waiting", "running"), ("cpu", "express", "gpu")
_SAME = ("id", "session", "uid", "pid", "gpu", "gpus")


def listed(library: Any, call: Callable[..., Any]) -> List[Dict[str, Any]]:
    capacity, count = 64, ctypes.c_size_t()
    while True:
        found = (_abi.JobInfo * capacity)()
        call(library.tegu_jobs, found, capacity, ctypes.byref(count), None)
        if count.value <= capacity:
            return [_job(entry) for entry in found[: count.value]]
        capacity = count.value


def _job(entry: Any) -> Dict[str, Any]:
    job: Dict[str, Any] = {key: getattr(entry, key) for key in _SAME}
    job["name"] = entry.name.decode("ascii", "replace")
    # A newer daemon may have operations and types without a word here.
    job["operation"] = _OPERATIONS.get(entry.operation, str(entry.operation))
    job["dtype"] = _types.WORDS.get(entry.type, str(entry.type))
    job["shape"] = (entry.rows, entry.cols)
    job["priority"] = _PRIORITIES[entry.priority]
    job["state"] = _STATES[entry.state]
    job["place"] = _PLACES[entry.place]
    for key in ("age", "predicted", "left"):
        job[key] = getattr(entry, key + "_ns") / 1e9
    return job
