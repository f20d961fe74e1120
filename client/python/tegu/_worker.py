# SPDX-License-Identifier: Apache-2.0
"""What a task of tegu.dask asks: the tegud of the machine that it runs on."""

import collections
import os
import socket
import threading
import time
from typing import Any, Callable, Dict, Union

from . import _errors
from ._buffer import Buffer
from ._client import Client, connect
from ._partials.by_numpy import NumpyPartials

CONNECT_S, RECONNECT_S = 10.0, 60.0  # how long a task waits for the tegud of its machine
ABSENT_S = 30.0  # how long a task with a fallback does not look again for a tegud that was not there
HELD_BYTES = 256 << 20  # of chunks that a thread keeps in shared memory for the next round
_thread = threading.local()


def client_of(options: Dict[str, Any]) -> Union[Client, NumpyPartials]:
    """A connection of this thread; what stands in for it, if that was asked for and nobody answers."""
    path, instead = options.get("socket"), options.get("fallback")
    clients: Dict[Any, Client] = _thread.__dict__.setdefault("clients", {})
    client = clients.get((os.getpid(), path))
    if client is not None and not client.closed:
        return client
    absent: Dict[Any, float] = _thread.__dict__.setdefault("absent_until", {})
    if instead and time.monotonic() < absent.get(path, 0):
        return NumpyPartials()
    try:
        client = connect(path, connect_timeout=0 if instead else CONNECT_S, reconnect_timeout=RECONNECT_S)
    except _errors.Unavailable as error:
        if instead:
            absent[path] = time.monotonic() + ABSENT_S
            return NumpyPartials()
        raise _of_this_worker(error)
    except _errors.Error as error:
        raise _of_this_worker(error)
    clients[os.getpid(), path] = client
    return client


def ask(call: str, options: Dict[str, Any], *arguments: Any, **params: Any) -> Any:
    client = client_of(options)
    job = {name: value for name, value in options.items() if name not in ("socket", "fallback")}
    method: Callable[..., Any] = getattr(client, call)
    try:
        return method(*arguments, **dict(job, **params))
    except _errors.Error as error:
        lost = error.status == "DEADLINE_EXCEEDED" and "deadline" not in options  # nothing else has one
        if isinstance(client, Client) and (lost or isinstance(error, _errors.Unavailable)):
            client.close()
            _thread.__dict__.pop("held", None)
            error = _errors.make("UNAVAILABLE", error.message)
        raise _of_this_worker(error)


def _of_this_worker(error: _errors.Error) -> _errors.Error:
    """The same error, with the worker's name in front."""
    name = socket.gethostname()
    try:
        from distributed import get_worker

        name = str(get_worker().name) + " on " + name
    except (ImportError, ValueError):  # another scheduler of dask, in this process
        pass
    message = "worker %s: %s" % (name, error.message)
    return type(error)(error.status, message, error.field, error.allowed, error.retry_after)


def held(client: Client, x: Any, key: Any, last: bool) -> Any:
    """The chunk in a buffer, which is kept for the next round: then it is copied once. key: (run, piece).
    Chunks beyond HELD_BYTES are copied again in each round."""
    if x.size == 0:
        return x
    buffers: "collections.OrderedDict[Any, Buffer]" = _thread.__dict__.setdefault(
        "held", collections.OrderedDict()
    )
    for other in [other for other in buffers if other[0] != key[0] or buffers[other].client is not client]:
        buffers.pop(other).close()
    buffer = buffers.pop(key, None)
    if buffer is None:
        while buffers and sum(each.nbytes for each in buffers.values()) + x.nbytes > HELD_BYTES:
            buffers.popitem(last=False)[1].close()
        buffer = client.buffer(x.shape, dtype=x.dtype)
        buffer.array[...] = x
        buffer.commit()
    if not last and x.nbytes <= HELD_BYTES:
        buffers[key] = buffer
    return buffer
