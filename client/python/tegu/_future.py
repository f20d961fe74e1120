# SPDX-License-Identifier: Apache-2.0
"""Future: a job in flight. It is one of concurrent.futures, and can be awaited. result() and done() look for
the reply themselves; callbacks, wait() and as_completed() need somebody who does: _loops.py."""

import concurrent.futures
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Generator, Generic, Optional, TypeVar

from . import _errors

if TYPE_CHECKING:
    from ._buffer import Owner
    from ._connection import Connection
    from ._job import Job, Reply, Report

T = TypeVar("T")

SLICE_MS = 100  # a wait is done in slices, so that Ctrl-C works

if TYPE_CHECKING:

    class _Base(concurrent.futures.Future[T]):
        _state: str
        _condition: threading.Condition

else:

    class _Base(concurrent.futures.Future, Generic[T]):
        """A future of which a type checker knows the result."""


class Future(_Base[T]):
    """A job in flight, as concurrent.futures has them: result(), exception(), done(), cancel(), cancelled(),
    add_done_callback(); `await` in asyncio.

    - reply: how the job ran; None until it has ended well
    """

    def __init__(self, client: "Connection", ident: int, job: "Job") -> None:
        self._waiting: Any = []
        self._client, self._job = client, job
        self.ident = ident  # 0 once the reply was taken; changes under the client's lock
        self.taker = 0  # the thread that took the reply
        self._report: Optional["Report"] = None
        super().__init__()

    def result(self, timeout: Optional[float] = None) -> T:
        """What the synchronous call would return or raise. DeadlineExceeded after `timeout` seconds: the job
        goes on."""
        self._end(timeout)
        value = super().result(0)
        self._client.last_report = self._report
        return value

    def exception(self, timeout: Optional[float] = None) -> Optional[BaseException]:
        """What result() would raise; None if the job ended well."""
        self._end(timeout)
        return super().exception(0)

    @property
    def reply(self) -> "Optional[Reply]":
        return self._report.reply() if self._report is not None else None

    def done(self) -> bool:
        """Whether the job has ended; sends what is waiting and looks for replies, without waiting for any."""
        if not self.ended() and self.ident:
            self._poll(0)
        return self.ended()

    def running(self) -> bool:
        return not self.done()

    def cancel(self) -> bool:
        """Asks the daemon to stop the job: result() then raises Cancelled, or the job was faster. False: it
        has ended already."""
        with self._client.lock:
            if self.ended() or not self.ident:
                return False
            self._client.call(self._client.lib.tegu_cancel, self.ident)
        return True

    def cancelled(self) -> bool:
        return self.done() and isinstance(super().exception(0), _errors.Cancelled)

    def add_done_callback(self, fn: Callable[[Any], object]) -> None:
        """Calls fn(future) when the job has ended, in another thread; at once if it has."""
        super().add_done_callback(fn)
        self._client.watch(self)

    def __await__(self) -> Generator[Any, None, T]:
        if not self.ended():
            yield from self._client.watch_in_loop(self)
        return self.result()

    # Inside

    def ended(self) -> bool:
        """Whether the result is here."""
        return self._state == "FINISHED"

    def _end(self, timeout: Optional[float]) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        while not self.ended():
            left = None if end is None else end - time.monotonic()
            slice_ms = SLICE_MS if left is None else max(0, min(SLICE_MS, int(left * 1000) + (left > 0)))
            if self.taker == threading.get_ident() and not self.ended():
                raise _errors.make(
                    "BAD_REQUEST",
                    "the call that this signal handler interrupts has the reply, and has not read it yet",
                    "future",
                )
            if self.ident:
                self._poll(slice_ms)
            else:  # another thread has the reply, and reads it
                with self._condition:
                    if not self.ended():
                        self._condition.wait(slice_ms / 1000)
            if not self.ended() and end is not None and time.monotonic() >= end:
                raise _errors.make(
                    "DEADLINE_EXCEEDED", "the job was not done in the time to wait; it goes on"
                )

    def _poll(self, timeout_ms: int) -> None:
        with self._client.lock:
            if not self.ident:
                return
            done, owner, error = self._client.wait(self.ident, timeout_ms)
            if not self.ident:  # a signal handler has closed the client
                return
            if done == 0 and error is not None and error.status == "NOT_FOUND":
                self.taker = threading.get_ident()  # and this is a signal handler
                return
            if owner is None and error is None:
                return
            self._client.forget(self)
        self.finish(owner, error)

    def finish(self, owner: "Optional[Owner]", error: Optional[BaseException]) -> None:
        """Takes the reply. The lock of the client is not held: this calls callbacks."""
        job: Optional["Job"] = self.__dict__.pop("_job", None)  # and with it the inputs
        if job is None:
            return
        value: Any = None
        if owner is not None:
            try:
                with self._client.lock:
                    value, self._report = job.read(self._client, owner)
            except Exception as failure:
                error = failure
        if error is not None:
            self.set_exception(error)
        else:
            self.set_result(value)
        self._client.unwatch(self)

    def when_ended(self, fn: Callable[[Any], object]) -> None:
        """add_done_callback() for somebody who looks for the reply."""
        super().add_done_callback(fn)

    # concurrent.futures puts into this list who waits: from then on somebody must look for the reply.
    @property
    def _waiters(self) -> Any:
        if not self.ended():
            self._client.watch(self)
        return self._waiting

    @_waiters.setter
    def _waiters(self, waiting: Any) -> None:
        self._waiting = waiting

    def __del__(self) -> None:
        if getattr(self, "ident", 0):
            self._client.drop(self.ident)
