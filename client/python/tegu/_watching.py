# SPDX-License-Identifier: Apache-2.0
"""The futures of a connection for which somebody else looks for replies: a thread, or loops of asyncio."""

import threading
from typing import TYPE_CHECKING, Any, Dict, Generator, Set, cast

from . import _loops

if TYPE_CHECKING:
    from ._connection import Connection
    from ._future import Future


class Watching(object):
    """Those futures, and who looks. A part of Connection."""

    def __init__(self) -> None:
        self._watched: Set["Future[Any]"] = set()
        self.forget_drivers()

    def forget_drivers(self) -> None:
        """There are none yet, or they are the parent's of this process."""
        self._drivers: Dict[Any, _loops.Driver] = {}  # by the loop of asyncio; None: the thread
        self._drivers_lock = threading.RLock()

    @property
    def closed(self) -> bool:
        raise NotImplementedError

    def _stop_drivers(self) -> None:
        for driver in list(self._drivers.values()):
            driver.stop()

    def is_watched(self) -> bool:
        return bool(self._watched)

    def unwatch(self, future: "Future[Any]") -> None:
        self._watched.discard(future)

    def watch(self, future: "Future[Any]") -> None:
        """From now on the client's thread looks for the reply. Takes no lock that a call of the library
        holds."""
        with self._drivers_lock:
            self._watched.add(future)
            driver = self._drivers.get(None)
            if driver is None:
                driver = self._drivers[None] = _loops.Thread(cast("Connection", self))
        if future.ended():
            self._watched.discard(future)
        driver.kick()

    def watch_in_loop(self, future: "Future[Any]") -> Generator[Any, None, None]:
        """The same in the running loop of asyncio, until the future has ended."""
        loop = _loops.running_loop()
        with self._drivers_lock:
            driver = self._drivers.get(loop)
            if driver is None:
                for closed in [each for each in self._drivers if each is not None and each.is_closed()]:
                    del self._drivers[closed]
                driver = self._drivers[loop] = _loops.Loop(cast("Connection", self), loop)
            self._watched.add(future)
        assert isinstance(driver, _loops.Loop)
        return driver.wait(future)

    def leave(self, driver: _loops.Driver) -> bool:
        """Whether the driver may end, as nothing is watched."""
        with self._drivers_lock:
            if self._watched and not self.closed:
                return False
            self._drivers = {key: each for key, each in self._drivers.items() if each is not driver}
            return True

    def _kick(self) -> None:
        for driver in list(self._drivers.values()):
            driver.kick()
