# SPDX-License-Identifier: Apache-2.0
"""Who looks for the replies of watched futures: one thread of a client, or the loop of asyncio in which they
are awaited. Both poll the descriptor of the connection as the library says; there is no thread for each
job."""

import os
import select
import threading
from typing import TYPE_CHECKING, Any, Generator, Optional

if TYPE_CHECKING:
    from ._abi import PollState
    from ._connection import Connection
    from ._future import Future

_LINGER_MS = 1000  # how long the thread waits for something new to watch


def running_loop() -> Any:
    import asyncio  # not for those who do without it

    return asyncio.get_event_loop()


class Descriptor(object):
    """A duplicate of the descriptor of the connection: it cannot become that of another file unseen."""

    def __init__(self) -> None:
        self.fd, self._connection = -1, 0

    def is_current(self, state: "PollState") -> bool:
        return (self.fd >= 0) == (state.fd >= 0) and (self.fd < 0 or self._connection == state.connection)

    def follow(self, state: "PollState") -> None:
        """The lock of the client is held."""
        if self.is_current(state):
            return
        self.close()
        if state.fd >= 0:
            self.fd, self._connection = os.dup(state.fd), state.connection

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    def __del__(self) -> None:
        self.close()


class Driver(object):
    """Takes the replies of a client until nothing is watched."""

    def __init__(self, client: "Connection") -> None:
        self.client, self.descriptor = client, Descriptor()

    def kick(self) -> None:
        """The state of the client may have changed. Any thread; takes no lock."""
        raise NotImplementedError

    def stop(self) -> None:
        """The client is closed. Any thread."""
        self.kick()


class Thread(Driver):
    """The thread of a client. It ends when there has been nothing to watch for a second."""

    def __init__(self, client: "Connection") -> None:
        super().__init__(client)
        self._wake, self._kicked = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._kicked, False)
        self._thread = threading.Thread(target=self._run, name="tegu", daemon=True)
        self._thread.start()

    def kick(self) -> None:
        if threading.current_thread() is not self._thread:
            try:
                os.write(self._kicked, b"1")
            except BlockingIOError:
                pass  # it will wake up

    def _run(self) -> None:
        idle = False
        while True:
            with self.client.lock:
                ended = self.client.collect()
                state = self.client.poll_state()
                if state is not None:
                    self.descriptor.follow(state)
            for future, owner, error in ended:
                future.finish(owner, error)
            del ended
            if state is None or (idle and not self.client.is_watched()):
                if self.client.leave(self):
                    return self.descriptor.close()
            idle = self._sleep(state)

    def _sleep(self, state: "Optional[PollState]") -> bool:
        """Whether nothing came for a while in which nothing was watched."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        if state is not None and self.descriptor.fd >= 0:
            poll.register(self.descriptor.fd, state.events)
        watched = self.client.is_watched()
        timeout = state.timeout_ms if state is not None and watched else _LINGER_MS
        found = poll.poll(None if timeout < 0 else timeout)
        if any(fd == self._wake for fd, _ in found):
            os.read(self._wake, 4096)
        return not found and not watched

    def __del__(self) -> None:
        os.close(self._wake)
        os.close(self._kicked)


class Loop(Driver):
    """A loop of asyncio. Its thread alone uses this, but for kick()."""

    def __init__(self, client: "Connection", loop: Any) -> None:
        super().__init__(client)
        self._loop, self._ident = loop, threading.get_ident()
        self._scheduled = False
        self._timer: Any = None
        self._registered, self._writing = -1, False

    def kick(self) -> None:
        if threading.get_ident() == self._ident:
            self._schedule()
        else:
            self._from_elsewhere(self._schedule)

    def stop(self) -> None:
        if threading.get_ident() == self._ident:
            self._forget_descriptor()
        else:
            self._from_elsewhere(self._forget_descriptor)

    def wait(self, future: "Future[Any]") -> Generator[Any, None, None]:
        """Of a coroutine of the loop: until the future has ended. One that is cancelled cancels the job."""
        waiter = self._loop.create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        def ended(unused: object) -> None:
            if threading.get_ident() == self._ident:
                wake()
            else:
                self._from_elsewhere(wake)

        future.when_ended(ended)
        self._schedule()
        try:
            yield from waiter
        finally:
            if not future.ended():  # the task was cancelled
                future.cancel()

    def _from_elsewhere(self, function: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(function)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    def _schedule(self) -> None:
        if not self._scheduled and not self._loop.is_closed():
            self._scheduled = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._scheduled = False
        client = self.client
        if not client.lock.acquire(False):  # a call in another thread, which kicks when it is done
            self._loop.call_later(0.001, self._schedule)
            return
        try:
            ended = client.collect()
            state = client.poll_state() if client.is_watched() else None
            if state is not None and not self.descriptor.is_current(state):
                self._forget_descriptor()
                self.descriptor.follow(state)
        finally:
            client.lock.release()
        for future, owner, error in ended:
            future.finish(owner, error)
        self._arm(state)

    def _arm(self, state: "Optional[PollState]") -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if state is None:
            return
        fd = self.descriptor.fd
        if fd >= 0 and self._registered != fd:
            self._loop.add_reader(fd, self._pump)
            self._registered = fd
        writing = fd >= 0 and bool(state.events & select.POLLOUT)
        if writing != self._writing:
            if writing:
                self._loop.add_writer(fd, self._pump)
            else:
                self._loop.remove_writer(fd)
            self._writing = writing
        if state.timeout_ms >= 0:
            self._timer = self._loop.call_later(state.timeout_ms / 1000, self._pump)

    def _forget_descriptor(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._registered >= 0 and not self._loop.is_closed():
            self._loop.remove_reader(self._registered)
            if self._writing:
                self._loop.remove_writer(self._registered)
        self._registered, self._writing = -1, False
        self.descriptor.close()
