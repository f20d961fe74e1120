# SPDX-License-Identifier: Apache-2.0
"""Client of tegud, the job server for the GPU of an NVIDIA Jetson.

    import tegu
    with tegu.connect() as c:
        c.reduce(x, stats=("sum", "std"))
        z = c.add(x, y)
        counts, edges = c.histogram(x, bins=256)

The package is ctypes over libtegu.so.0 and needs no compiler. With numpy, arrays go in and come out; without
it, anything that has the buffer protocol (bytes, array.array, memoryview) goes in and memoryviews come out.
docs/clients.md tells it all; tegu.aio is the client for asyncio."""

from concurrent.futures import as_completed, wait
from typing import TYPE_CHECKING, Any

from ._buffer import Buffer
from ._client import Client, connect
from ._dlpack import from_dlpack
from ._errors import BadRange, Busy, Cancelled, DeadlineExceeded, Error, Unavailable, WrongType
from ._future import Future
from ._job import Reply, Timing
from ._partials import Partial, merge
from ._partials.quantile import Quantile
from ._version import __version__

if TYPE_CHECKING:
    from . import aio as aio

__all__ = [
    "__version__",
    "as_completed",
    "connect",
    "from_dlpack",
    "merge",
    "wait",
    "BadRange",
    "Buffer",
    "Busy",
    "Cancelled",
    "Client",
    "DeadlineExceeded",
    "Error",
    "Future",
    "Partial",
    "Quantile",
    "Reply",
    "Timing",
    "Unavailable",
    "WrongType",
]


def __getattr__(name: str) -> Any:
    """tegu.aio without an import of its own, from Python 3.7 on: asyncio is loaded when somebody needs it."""
    if name == "aio":
        import importlib

        return importlib.import_module(".aio", __name__)
    raise AttributeError("module 'tegu' has no attribute %r" % name)
