# SPDX-License-Identifier: Apache-2.0
"""Connection: the library's client, under a lock, and the futures on it. Calls of several threads take turns;
memory that the garbage collector gives back is freed by the next call."""

import collections
import ctypes
import os
import threading
import weakref
from typing import Any, Callable, Deque, Dict, Generator, List, Optional, Set, Tuple, Union

from . import _abi, _errors, _loops, _ran
from ._buffer import Garbage, Owner
from ._future import SLICE_MS, Future
from ._job import Job, Reply, Report


def _made(error: Any) -> _errors.Error:
    text = [getattr(error, key).decode("utf-8", "replace") for key in ("message", "field", "allowed")]
    word = _abi.library().tegu_status_word(error.status).decode()
    return _errors.make(
        word, text[0], text[1], text[2], error.retry_after_ns / 1e9 if word == "BUSY" else None
    )


_connections: "weakref.WeakSet[Connection]" = weakref.WeakSet()


def _after_fork() -> None:
    """No thread of the child owns the locks that threads of the parent held; the library refuses calls."""
    for connection in list(_connections):
        connection.lock = threading.RLock()
        connection._drivers_lock = threading.Lock()
        connection._drivers = {}


_register_at_fork = getattr(os, "register_at_fork", None)  # from Python 3.7 on
if _register_at_fork is not None:
    _register_at_fork(after_in_child=_after_fork)


class Connection(object):
    """What a Client is below its calls; see tegu.connect() for the arguments."""

    def __init__(
        self,
        path: Union[None, str, "os.PathLike[str]"],
        name: Optional[str],
        connect_timeout: float,
        reconnect_timeout: float,
        busy_retry: bool,
        server_uid: Optional[int],
        spin_us: int,
    ) -> None:
        self._handle: Any = None
        self.lib = lib = _abi.library()
        self.lock = threading.RLock()
        self.garbage = Garbage()
        self.last_report: Optional[Report] = None  # None: that of the result in _ran
        self.prepared: Dict[Any, Job] = {}  # jobs on arrays that may be submitted again
        # What the calls of the library write into; the lock protects it.
        self._error, self._ident, self._done = _abi.Error(), ctypes.c_uint64(), ctypes.c_uint64()
        self._found = ctypes.c_void_p()
        self._error_at, self._ident_at = ctypes.byref(self._error), ctypes.byref(self._ident)
        self._run_into, self._ran = _ran.unchecked("tegu_run_into"), _abi.Ran()
        self._ran_at, self._slice = ctypes.byref(self._ran), ctypes.c_int(SLICE_MS)
        self._found_at, self._done_at = ctypes.byref(self._found), ctypes.byref(self._done)
        self._futures: Dict[int, Any] = {}  # id -> weak reference, of the jobs in flight
        self._dropped: Deque[int] = collections.deque()  # ids of futures that nobody asked
        self._watched: Set[Future[Any]] = set()  # those for which _drivers look for replies
        self._drivers: Dict[Any, _loops.Driver] = {}  # by the loop of asyncio; None: the thread
        self._drivers_lock = threading.Lock()
        options = _abi.Options()
        lib.tegu_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.connect_ms = int(connect_timeout * 1000)
        options.reconnect_ms = int(reconnect_timeout * 1000)
        options.busy_retry = 1 if busy_retry else 0
        options.server_uid = -1 if server_uid is None else server_uid
        options.spin_us = spin_us
        options.socket_path = None if path is None else str(path).encode("utf-8", "surrogateescape")
        options.name = None if name is None else name.encode("utf-8", "replace")
        handle = ctypes.c_void_p()
        if lib.tegu_connect(ctypes.byref(options), ctypes.byref(handle), self._error_at):
            raise _made(self._error)
        self._handle = handle
        _connections.add(self)

    def close(self) -> None:
        """Gives up the connection and the jobs that are in flight. Arrays over buffers and results stay
        valid."""
        with self.lock:
            if self._handle is None:
                return
            self.garbage.collect()
            self.garbage.open = False
            self._take_ran()
            self.lib.tegu_close(self._handle)
            self._handle = None
            self.garbage.collect()
            ended = [future for future in (known() for known in self._futures.values()) if future]
            self._futures.clear()
            for future in ended:
                future.ident = 0
        for driver in list(self._drivers.values()):
            driver.stop()
        for future in ended:
            future.finish(None, _errors.make("UNAVAILABLE", "the client is closed"))

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    @property
    def closed(self) -> bool:
        return self._handle is None

    @property
    def last(self) -> Reply:
        """How the job ran whose result came last."""
        with self.lock:
            self._take_ran()
            report = self.last_report
            if report is None:
                raise _errors.make("NOT_FOUND", "no job has ended well yet", "last")
            return report.reply()

    # Calls of the library, for jobs and buffers

    def _enter(self) -> Any:
        """The handle, after the chores that wait for the next call. The lock is held."""
        if self._handle is None:
            raise _errors.make("UNAVAILABLE", "the client is closed")
        if self.garbage.waiting:
            self.garbage.collect()
        if self._dropped:
            self._reap()
        return self._handle

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        with self.lock:
            status = function(self._enter(), *(arguments + (self._error_at,)))
            if self._watched:
                self._kick()  # replies to other jobs may have come
            if status:
                raise _made(self._error)

    def run_job(self, job: Job, addresses: Tuple[int, ...] = ()) -> Any:
        """The result of a job; as submit_job() if it takes long. addresses: where its inputs are now."""
        with self.lock:
            handle, ran = self._handle, self._ran
            if handle is None or self.garbage.waiting or self._dropped:
                handle = self._enter()
            for operand, address in zip(job.operands, addresses):
                operand.data = address
            ran.id = 0
            try:
                status = self._run_into(handle, job.pointer, self._slice, self._ran_at, self._error_at)
            except BaseException:  # Ctrl-C
                if ran.id:
                    self._dropped.append(ran.id)
                raise
            if self._watched:
                self._kick()
            numbers = job.numbers
            if numbers and not status:
                found = numbers.unpack(ran, numbers.START)
                if found[0] == numbers.head:
                    self.last_report = None
                    return numbers.make(found)
            job.submitted()
            if status == 0:
                if numbers is None:
                    job.learn(ran)
                owner = self._take_result()
                value, self.last_report = job.read_arrays(self, owner, _ran.arrays_of(ran, owner, job.source))
                return value
            if status != _abi.DEADLINE_EXCEEDED or not ran.id:
                raise _made(self._error)
            future = self._future(ran.id, job)
        return future.result()

    def _take_result(self) -> Owner:
        """The result in _ran. The lock is held."""
        owner = Owner(self, self._ran.result, self.lib.tegu_result_free)
        self._ran.result = None
        return owner

    def _take_ran(self) -> None:
        """Makes a report of the result in _ran. The lock is held."""
        if self._ran.result is not None:
            owner = self._take_result()
            if self.last_report is None:
                self.last_report = Report(self, owner, None, False)

    def submit_job(self, job: Job) -> "Future[Any]":
        with self.lock:
            if self.lib.tegu_submit(self._enter(), job.pointer, self._ident_at, self._error_at):
                raise _made(self._error)
            job.submitted()
            return self._future(self._ident.value, job)

    def _future(self, ident: int, job: Job) -> "Future[Any]":
        future: Future[Any] = Future(self, ident, job)
        self._futures[ident] = weakref.ref(future)
        return future

    def wait(self, ident: int, timeout_ms: int) -> Tuple[Optional[Owner], Optional[_errors.Error]]:
        """The result of a job, or what it failed with; neither if the time is over. ident 0: any job; its id
        is in ended_ident then. The lock is held."""
        status = self.lib.tegu_wait(
            self._enter() if ident else self._handle,
            ident,
            timeout_ms,
            self._found_at,
            self._done_at,
            self._error_at,
        )
        if self._watched and ident:
            self._kick()
        if status == 0:
            return Owner(self, self._found.value, self.lib.tegu_result_free), None
        if self._done.value == 0 and (ident == 0 or status == _abi.DEADLINE_EXCEEDED):
            return None, None
        return None, _made(self._error)

    # For futures

    def forget(self, future: "Future[Any]") -> None:
        """Its reply was taken. The lock is held."""
        self._futures.pop(future.ident, None)
        self._watched.discard(future)
        future.ident = 0

    def drop(self, ident: int) -> None:
        """Nobody asks for the result of this job any more."""
        self._futures.pop(ident, None)
        self._dropped.append(ident)

    def _reap(self) -> None:
        for _ in range(len(self._dropped)):
            ident = self._dropped.popleft()
            status = self.lib.tegu_wait(self._handle, ident, 0, self._found_at, self._done_at, self._error_at)
            if status == 0:
                self.lib.tegu_result_free(self._found)
            elif status == _abi.DEADLINE_EXCEEDED and self._done.value == 0:
                self._dropped.append(ident)
                return

    def collect(self) -> "List[Tuple[Future[Any], Optional[Owner], Optional[_errors.Error]]]":
        """Takes the replies that are here, and does what is due on the connection. The lock is held."""
        ended = []
        while self._handle is not None:
            owner, error = self.wait(0, 0)
            ident = self._done.value
            if ident == 0:
                break
            future = self._futures.pop(ident, _nothing)()
            if future is not None:
                self.forget(future)
                ended.append((future, owner, error))
        if self.garbage.waiting and self._handle is not None:
            self.garbage.collect()
        return ended

    def poll_state(self) -> _abi.PollState:
        """What an event loop waits for. The lock is held, and the client is open."""
        state = _abi.PollState()
        self.lib.tegu_get_poll_state(self._handle, ctypes.byref(state))
        return state

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
                driver = self._drivers[None] = _loops.Thread(self)
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
                driver = self._drivers[loop] = _loops.Loop(self, loop)
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


def _nothing() -> None:
    return None
