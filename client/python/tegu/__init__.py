# SPDX-License-Identifier: Apache-2.0
"""Client of tegud, the job server for the GPU of an NVIDIA Jetson.

    import tegu
    with tegu.connect() as c:
        c.reduce(x, stats=("sum", "std"))
        z = c.add(x, y)
        counts, edges = c.histogram(x, bins=256)

The package is ctypes over libtegu.so.0 and needs no compiler. With numpy, arrays go in and come out; without
it, anything that has the buffer protocol (bytes, array.array, memoryview) goes in and memoryviews come out.
docs/clients.md tells it all."""

from ._buffer import Buffer
from ._client import Client, connect
from ._errors import Busy, Cancelled, DeadlineExceeded, Error, Unavailable
from ._job import Future, Reply, Timing

__version__ = "0.1.0"
__all__ = [
    "connect",
    "Client",
    "Buffer",
    "Future",
    "Reply",
    "Timing",
    "Error",
    "Busy",
    "Cancelled",
    "DeadlineExceeded",
    "Unavailable",
]
