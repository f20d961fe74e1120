# SPDX-License-Identifier: Apache-2.0
"""Buffer: memory of the daemon, mapped here; and Owner, which frees what C made when Python has done with
it."""

import collections
import ctypes
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, Optional, Tuple

from . import _arrays, _dlpack, _errors, _inputs, _types
from ._types import Shape

if TYPE_CHECKING:
    from ._connection import Connection
    from ._job import Job


class Owner(object):
    """Frees a C object when the last array over it is gone; on the next call of its client, while that is
    open."""

    __slots__ = ("_garbage", "handle", "_free")

    def __init__(self, client: "Connection", handle: Any, free: Callable[[Any], None]) -> None:
        self._garbage, self.handle, self._free = client.garbage, handle, free

    def __del__(self) -> None:
        if self._garbage.open:
            self._garbage.waiting.append((self._free, self.handle))
        else:
            self._free(self.handle)


class Garbage(object):
    """What the next call of a client frees; not `open` any more once the client is closed."""

    def __init__(self) -> None:
        self.open = True
        self.waiting: Deque[Tuple[Callable[[Any], None], Any]] = collections.deque()

    def collect(self) -> None:
        while self.waiting:
            try:
                free, handle = self.waiting.popleft()
            except IndexError:  # a signal handler has taken it
                return
            free(handle)


class Buffer(object):
    """Memory of the daemon, mapped here. Made by Client.buffer(); use it in a with statement, or close() it.
    numpy.asarray(), DLPack and, from Python 3.12 on, memoryview() take it as it is: the same memory.

    - array: numpy array over the memory (without numpy: a memoryview), zero at first
    - shape, dtype, nbytes, handle, generation, frozen
    """

    def __init__(self, client: "Connection", shape: Shape, number: int, room: int = 0) -> None:
        self.client, self.shape, self._type = client, shape, number
        self.prepared: Dict[Any, "Job"] = {}  # jobs on it that may be submitted again
        self.dtype = _types.NAMES[number]
        self.nbytes = _types.product(shape) * _types.BYTES[number]
        self.frozen = False
        handle = ctypes.c_void_p()
        client.call(
            client.lib.tegu_buffer_create,
            (self.nbytes + 63) // 64 * 64 + room if room else self.nbytes,
            ctypes.byref(handle),
        )
        self.owner: Optional[Owner] = Owner(client, handle, client.lib.tegu_buffer_free)
        self._address: int = client.lib.tegu_buffer_data(handle)
        plain_half = _types.numpy is None and _types.WORDS[number] == "f16"  # the bits, as u16
        self._shown = 3 if plain_half else number
        self.array: Any = _arrays.view_of(self._address, self._shown, shape, self.owner)

    def _open(self) -> Any:
        if self.owner is None:
            raise _errors.make("BAD_REQUEST", "the buffer is closed", "buffer", "")
        return self.owner.handle

    def commit(self) -> None:
        """Says that the content has changed: boards that must copy then copy it once, instead of for every
        job."""
        with self.client.lock:
            self.client.lib.tegu_buffer_commit(self._open())

    def freeze(self) -> None:
        """Makes the content constant for good. The memory becomes read-only: `array` says so, but a view that
        was made of it earlier does not know, and writing through that ends the process."""
        handle = self._open()
        self.client.call(lambda unused, error: self.client.lib.tegu_buffer_freeze(handle, error))
        self.frozen = True
        if _types.numpy is not None:
            self.array.flags.writeable = False
        elif hasattr(self.array, "toreadonly"):
            self.array = self.array.toreadonly()
        else:  # Python before 3.8: a copy, as the content cannot change any more
            self.array = _arrays.constant_of(self._address, self._shown, self.shape)

    @property
    def address(self) -> int:
        """Where its memory begins."""
        self._open()
        return self._address

    @property
    def generation(self) -> int:
        with self.client.lock:
            return int(self.client.lib.tegu_buffer_generation(self._open()))

    @property
    def handle(self) -> int:
        """The daemon's number of it, on the present connection."""
        with self.client.lock:
            return int(self.client.lib.tegu_buffer_handle(self._open()))

    def close(self) -> None:
        """Gives the buffer back. The memory itself lives as long as an array over it."""
        self.array = self.owner = None
        self.prepared.clear()

    def __enter__(self) -> "Buffer":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 1

    # For others that take memory without a copy

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        self._open()
        if dtype is not None and _types.numpy.dtype(dtype) != self.array.dtype:
            if copy is False:
                raise ValueError("the buffer is %s: another type needs a copy" % self.dtype)
            return self.array.astype(dtype)
        return self.array.copy() if copy else self.array

    def __buffer__(self, flags: int) -> memoryview:
        self._open()
        return memoryview(self.array)

    def __dlpack__(
        self,
        stream: object = None,
        max_version: Optional[Tuple[int, int]] = None,
        dl_device: Optional[Tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> Any:
        self._open()
        if copy or (dl_device is not None and tuple(dl_device) != _dlpack.CPU):
            raise BufferError("a Buffer gives its own memory, on DLPack's device (1, 0), without a copy")
        return _dlpack.export(
            self._address, self._type, self.shape, self.owner, self.frozen, (max_version or (0, 0))[0] >= 1
        )

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _dlpack.CPU

    # For jobs

    def _check_client(self, client: "Connection") -> None:
        self._open()
        if client is not self.client:
            raise _errors.make(
                "BAD_REQUEST", "the buffer belongs to another client", "buffer", "a buffer of this client"
            )

    def as_input(self, client: "Connection", axis: Optional[int], options: Dict[str, Any]) -> _inputs.Input:
        self._check_client(client)
        number = self._type if options.get("dtype") is None else _types.type_number(options["dtype"])
        shape = self.shape if options.get("shape") is None else _types.shape_of(options["shape"])
        if _types.product(shape) * _types.BYTES[number] > self.nbytes:
            raise _errors.make(
                "BAD_RANGE",
                "%s of %s do not fit %d bytes" % (shape, _types.NAMES[number], self.nbytes),
                "shape",
                "at most %d bytes" % self.nbytes,
            )
        axis = _types.normal_axis(axis, len(shape))
        if axis is not None and axis != len(shape) - 1:
            raise _errors.make(
                "UNSUPPORTED",
                "jobs run along the last axis; axis %d of a buffer would need a copy: pass buf.array instead"
                % axis,
                "axis",
                "None or -1",
            )
        return _inputs.Input(None, 0, number, shape, axis, buffer=self._open())

    def as_output(self, client: "Connection", number: int, source: _inputs.Input) -> Any:
        """The buffer's handle, for a result of that type and the shape of the input."""
        self._check_client(client)
        if self._type != number or self.shape != source.given:
            raise _errors.make(
                "BAD_RANGE",
                "out is %s %s" % (self.dtype, self.shape),
                "out",
                "%s %s" % (_types.NAMES[number], source.given),
            )
        if source.axis is not None and source.axis != len(source.given) - 1:
            raise _errors.make(
                "UNSUPPORTED",
                "into a buffer jobs run along the last axis only, not axis %d" % source.axis,
                "axis",
                "None or -1",
            )
        return self._open()
