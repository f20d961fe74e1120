# SPDX-License-Identifier: Apache-2.0
"""Buffer: memory of the daemon, mapped here; and Owner, which frees what C made when Python has done with
it."""

import collections
import ctypes

from . import _arrays, _errors, _inputs, _types


class Owner(object):
    """Frees a C object when the last array over it is gone; on the next call of its client, while that is
    open."""

    def __init__(self, client, handle, free):
        self._garbage, self.handle, self._free = client.garbage, handle, free

    def __del__(self):
        if self._garbage.open:
            self._garbage.append((self._free, self.handle))
        else:
            self._free(self.handle)


class Garbage(collections.deque):
    """What the next call of a client frees; not `open` any more once the client is closed."""

    open = True

    def collect(self):
        while self:
            free, handle = self.popleft()
            free(handle)


class Buffer(object):
    """Memory of the daemon, mapped here. Made by Client.buffer(); use it in a with statement, or close() it.

    array      numpy array over the memory (without numpy: a memoryview), zero at first
    shape, dtype, nbytes, handle, generation, frozen
    """

    def __init__(self, client, shape, number, room=0):
        self._client, self.shape, self._type = client, shape, number
        self.dtype = _types.NAMES[number]
        self.nbytes = _types.product(shape) * _types.BYTES[number]
        self.frozen = False
        handle = ctypes.c_void_p()
        client._call(
            client._lib.tegu_buffer_create,
            (self.nbytes + 63) // 64 * 64 + room if room else self.nbytes,
            ctypes.byref(handle),
        )
        self.owner = Owner(client, handle, client._lib.tegu_buffer_free)
        self.array = self._view()

    def _view(self):
        address = self._client._lib.tegu_buffer_data(self.owner.handle)
        if _types.numpy is not None or _types.WORDS[self._type] != "f16":
            return _arrays.view_of(address, self._type, self.shape, self.owner)
        return _arrays.view_of(address, 3, self.shape, self.owner)  # the bits, as u16

    def _open(self):
        if self.owner is None:
            raise _errors.make("BAD_REQUEST", "the buffer is closed", "buffer", "")
        return self.owner.handle

    def commit(self):
        """Says that the content has changed: boards that must copy then copy it once, instead of for every
        job."""
        with self._client._lock:
            self._client._lib.tegu_buffer_commit(self._open())

    def freeze(self):
        """Makes the content constant for good. The memory becomes read-only: `array` says so, but a view that
        was made of it earlier does not know, and writing through that ends the process."""
        handle = self._open()
        self._client._call(lambda unused, error: self._client._lib.tegu_buffer_freeze(handle, error))
        self.frozen = True
        if _types.numpy is not None:
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
        self.array = self.owner = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __len__(self):
        return self.shape[0] if self.shape else 1

    def _check_client(self, client):
        self._open()
        if client is not self._client:
            raise _errors.make(
                "BAD_REQUEST", "the buffer belongs to another client", "buffer", "a buffer of this client"
            )

    def as_input(self, client, axis, options):
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
        return _inputs.Input(self, 0, number, shape, axis)

    def as_output(self, client, number, source):
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
        return self.owner.handle
