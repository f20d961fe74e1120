# SPDX-License-Identifier: Apache-2.0
"""What the calls of the library write into. A connection has one Memory, which its lock protects, and which a
call borrows. A signal handler that calls during a call of its thread gets a spare one."""

import ctypes
from typing import TYPE_CHECKING, Any

from . import _abi

if TYPE_CHECKING:
    from ._connection import Connection


class Memory(object):
    """Each `..._at` is the address of another, as the library takes it."""

    __slots__ = (
        "is_spare",
        "error",
        "error_at",
        "ident",
        "ident_at",
        "found",
        "found_at",
        "done",
        "done_at",
        "ran",
        "ran_at",
    )

    def __init__(self, is_spare: bool = False) -> None:
        self.is_spare = is_spare
        self.error, self.ident, self.done = _abi.Error(), ctypes.c_uint64(), ctypes.c_uint64()
        self.found, self.ran = ctypes.c_void_p(), _abi.Ran()
        self.error_at, self.ident_at = ctypes.byref(self.error), ctypes.byref(self.ident)
        self.found_at, self.done_at = ctypes.byref(self.found), ctypes.byref(self.done)
        self.ran_at = ctypes.byref(self.ran)


class Borrowed(object):
    """The memory of a connection, for one call. Its lock is held. The library's client is not closed
    meanwhile: a close() of a signal handler is finished at the end."""

    __slots__ = ("_connection", "_memory")

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def __enter__(self) -> Memory:
        memory = self._connection.memory
        # A signal handler that runs here gives the memory back before this goes on.
        self._connection.memory = None
        self._memory = Memory(True) if memory is None else memory
        return self._memory

    def __exit__(self, *unused: Any) -> None:
        self._connection.release(self._memory)
