# SPDX-License-Identifier: Apache-2.0
"""Connection: the library's client, under a lock, and the futures on it. Calls of several threads take turns,
and signal handlers may call any time. Memory that the garbage collector gives back is freed by the next
call."""

import collections
import ctypes
import os
import threading
import weakref
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple, Union

from . import _abi, _errors, _ran
from ._buffer import Garbage, Owner
from ._future import SLICE_MS, Future
from ._job import Job, Reply, Report
from ._memory import Borrowed, Memory
from ._watching import Watching


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
        connection.forget_drivers()


_register_at_fork = getattr(os, "register_at_fork", None)  # from Python 3.7 on
if _register_at_fork is not None:
    _register_at_fork(after_in_child=_after_fork)


class Connection(Watching):
    """What a Client is below its calls; see tegu.connect() for the arguments."""

    # One step takes them out of a client's __dict__, so that no signal handler has the same.
    _handle: Any = None  # None: not open
    _closing: Any = None  # the handle, until no call is under way any more

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
        super().__init__()
        self.lib = lib = _abi.library()
        self.lock = threading.RLock()
        self.garbage = Garbage()
        self.memory: Optional[Memory] = Memory()  # None: Borrowed
        self.last_report: Optional[Report] = None  # None: that of the result in `memory`
        self.prepared: Dict[Any, Job] = {}  # jobs on arrays that may be submitted again
        self._run_into, self._slice = _ran.unchecked("tegu_run_into"), ctypes.c_int(SLICE_MS)
        self._futures: Dict[int, Any] = {}  # id -> weak reference, of the jobs in flight
        self._dropped: Deque[int] = collections.deque()  # ids of futures that nobody asked
        options = _abi.Options()
        lib.tegu_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.connect_ms = int(connect_timeout * 1000)
        options.reconnect_ms = int(reconnect_timeout * 1000)
        options.busy_retry = 1 if busy_retry else 0
        options.server_uid = -1 if server_uid is None else server_uid
        options.spin_us = spin_us
        options.socket_path = None if path is None else str(path).encode("utf-8", "surrogateescape")
        options.name = None if name is None else name.encode("utf-8", "replace")
        handle, error = ctypes.c_void_p(), _abi.Error()
        if lib.tegu_connect(ctypes.byref(options), ctypes.byref(handle), ctypes.byref(error)):
            raise _made(error)
        self._handle = handle
        _connections.add(self)

    def close(self) -> None:
        """Gives up the connection and the jobs that are in flight. Arrays over buffers and results stay
        valid."""
        with self.lock:
            handle = self.__dict__.pop("_handle", None)
            if handle is None:
                return
            self._closing = handle
            self._close_now()
            ended = [future for future in (known() for known in list(self._futures.values())) if future]
            self._futures.clear()
            for future in ended:
                future.ident = 0
        self._stop_drivers()
        for future in ended:
            future.finish(None, _errors.make("UNAVAILABLE", "the client is closed"))

    def _close_now(self) -> None:
        """At the end of the call that a signal handler interrupts, if there is one. The lock is held."""
        with Borrowed(self):
            pass

    def _close_handle(self, handle: Any, memory: Memory) -> None:
        self.garbage.collect()
        self.garbage.open = False
        self._take_ran(memory)
        self.lib.tegu_close(handle)
        self.garbage.collect()

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
            with Borrowed(self) as memory:
                self._take_ran(memory)
            report = self.last_report
            if report is None:
                raise _errors.make("NOT_FOUND", "no job has ended well yet", "last")
            return report.reply()

    # Calls of the library, for jobs and buffers

    def _enter(self, memory: Memory) -> Any:
        """The handle, after the chores that wait for the next call. The lock is held."""
        handle = self._handle
        if handle is None:
            raise _errors.make("UNAVAILABLE", "the client is closed")
        if self.garbage.waiting:
            self.garbage.collect()
        if self._dropped:
            self._reap(handle, memory)
        return handle

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        with self.lock:
            with Borrowed(self) as memory:
                status = function(self._enter(memory), *(arguments + (memory.error_at,)))
                failure = _made(memory.error) if status else None
            if self._watched:
                self._kick()  # replies to other jobs may have come
            if failure is not None:
                raise failure

    def run_job(self, job: Job, addresses: Tuple[int, ...] = ()) -> Any:
        """The result of a job; as submit_job() if it takes long. addresses: where its inputs are now."""
        with self.lock:
            memory, self.memory = self.memory or Memory(True), None  # as Borrowed, in less time
            try:
                value = self._run_with(job, addresses, memory)
            finally:
                if memory.is_spare or self._closing is not None:
                    self.release(memory)
                else:
                    self.memory = memory
                    if self._closing is not None:
                        self._close_now()
        return value.result() if type(value) is Future else value

    def _run_with(self, job: Job, addresses: Tuple[int, ...], memory: Memory) -> Any:
        """The result, or a Future. The lock is held, and the memory borrowed."""
        handle, ran = self._handle, memory.ran
        if handle is None or self.garbage.waiting or self._dropped:
            handle = self._enter(memory)
        ran.id = 0
        try:
            if memory.is_spare and addresses:
                status = self._run_beside(job, addresses, handle, memory)
            else:
                for operand, address in zip(job.operands, addresses):
                    operand.data = address
                status = self._run_into(handle, job.pointer, self._slice, memory.ran_at, memory.error_at)
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
            owner = self._take_result(ran)
            value, self.last_report = job.read_arrays(self, owner, _ran.arrays_of(ran, owner, job.source))
            return value
        if status != _abi.DEADLINE_EXCEEDED or not ran.id:
            raise _made(memory.error)
        return self._future(ran.id, job)

    def _run_beside(self, job: Job, addresses: Tuple[int, ...], handle: Any, memory: Memory) -> int:
        """Runs a job that the call below this signal handler may be about to run with other addresses."""
        before = [operand.data for operand in job.operands]
        try:
            for operand, address in zip(job.operands, addresses):
                operand.data = address
            status: int = self._run_into(handle, job.pointer, self._slice, memory.ran_at, memory.error_at)
        finally:
            for operand, data in zip(job.operands, before):
                operand.data = data
        return status

    def _take_result(self, ran: Any) -> Owner:
        """The lock is held."""
        owner = Owner(self, ran.result, self.lib.tegu_result_free)
        ran.result = None
        return owner

    def _take_ran(self, memory: Memory) -> None:
        """Makes a report of the result in the memory. The lock is held."""
        if memory.ran.result is not None:
            owner = self._take_result(memory.ran)
            if self.last_report is None:
                self.last_report = Report(self, owner, None, False)

    def release(self, memory: Memory) -> None:
        """No call uses the memory any more. The lock is held."""
        if memory.is_spare:
            self._take_ran(memory)
            return
        handle = self.__dict__.pop("_closing", None)
        if handle is not None:
            self._close_handle(handle, memory)
        self.memory = memory
        if self._closing is not None:  # a signal handler has closed the client since
            self._close_now()

    def submit_job(self, job: Job) -> "Future[Any]":
        with self.lock, Borrowed(self) as memory:
            if self.lib.tegu_submit(self._enter(memory), job.pointer, memory.ident_at, memory.error_at):
                raise _made(memory.error)
            job.submitted()
            return self._future(memory.ident.value, job)

    def _future(self, ident: int, job: Job) -> "Future[Any]":
        future: Future[Any] = Future(self, ident, job)
        self._futures[ident] = weakref.ref(future)
        if self._handle is None:  # a signal handler has closed the client since
            self.forget(future)
            future.finish(None, _errors.make("UNAVAILABLE", "the client is closed"))
        return future

    def wait(self, ident: int, timeout_ms: int) -> Tuple[int, Optional[Owner], Optional[_errors.Error]]:
        """The id of the job that has ended, and its result or what it failed with; 0 if the time is over.
        ident 0: any job. NOT_FOUND: the call below this signal handler has the reply already. The lock is
        held."""
        with Borrowed(self) as memory:
            handle = self._enter(memory) if ident else self._handle
            if handle is None:
                return 0, None, None
            status = self.lib.tegu_wait(
                handle, ident, timeout_ms, memory.found_at, memory.done_at, memory.error_at
            )
            done: int = memory.done.value
            owner = error = None
            if status == 0:
                owner = Owner(self, memory.found.value, self.lib.tegu_result_free)
            elif done != 0 or (ident != 0 and status != _abi.DEADLINE_EXCEEDED):
                error = _made(memory.error)
        if self._watched and ident:
            self._kick()
        return done, owner, error

    # For futures

    def forget(self, future: "Future[Any]") -> None:
        """Its reply was taken by this thread. The lock is held."""
        future.taker = threading.get_ident()
        self._futures.pop(future.ident, None)
        self._watched.discard(future)
        future.ident = 0

    def drop(self, ident: int) -> None:
        """Nobody asks for the result of this job any more."""
        self._futures.pop(ident, None)
        self._dropped.append(ident)

    def _reap(self, handle: Any, memory: Memory) -> None:
        for _ in range(len(self._dropped)):
            try:
                ident = self._dropped.popleft()
            except IndexError:  # a signal handler has taken it
                return
            status = self.lib.tegu_wait(handle, ident, 0, memory.found_at, memory.done_at, memory.error_at)
            if status == 0:
                self.lib.tegu_result_free(memory.found)
            elif status == _abi.DEADLINE_EXCEEDED and memory.done.value == 0:
                self._dropped.append(ident)
                return

    def collect(self) -> "List[Tuple[Future[Any], Optional[Owner], Optional[_errors.Error]]]":
        """Takes the replies that are here, and does what is due on the connection. The lock is held."""
        ended = []
        while True:
            ident, owner, error = self.wait(0, 0)
            if ident == 0:
                break
            future = self._futures.pop(ident, _nothing)()
            if future is not None:
                self.forget(future)
                ended.append((future, owner, error))
        if self.garbage.waiting and self._handle is not None:
            self.garbage.collect()
        return ended

    def poll_state(self) -> Optional[_abi.PollState]:
        """What an event loop waits for; None of a client that is closed. The lock is held."""
        state = _abi.PollState()
        with Borrowed(self):
            handle = self._handle
            if handle is None:
                return None
            self.lib.tegu_get_poll_state(handle, ctypes.byref(state))
        return state

    @property
    def reconnects(self) -> int:
        """How often the connection was lost and found again."""
        with self.lock, Borrowed(self):
            handle = self._handle
            return int(self.lib.tegu_reconnects(handle)) if handle is not None else 0


def _nothing() -> None:
    return None
