# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio: the same calls as coroutines, without a thread for each job. The loop polls the
connection; only connecting and questions to the daemon (ping, info, buffer, ...) use the loop's executor."""

import asyncio
import functools
from typing import Any, Callable, Dict, Generator, List, Optional, Tuple, TypeVar

from . import _client, _job
from ._buffer import Buffer
from ._calls import Awaited, Submitted

T = TypeVar("T")


def connect(*arguments: Any, **options: Any) -> "Connecting":
    """A Client, with the arguments of tegu.connect(): `async with tegu.aio.connect() as c`, or `await`."""
    return Connecting(functools.partial(_client.connect, *arguments, **options))


class Connecting(object):
    """What connect() returns."""

    def __init__(self, make: Callable[[], _client.Client]) -> None:
        self._make = make
        self._client: Optional["Client"] = None

    async def _connect(self) -> "Client":
        return Client(await asyncio.get_event_loop().run_in_executor(None, self._make))

    def __await__(self) -> Generator[Any, None, "Client"]:
        return self._connect().__await__()

    async def __aenter__(self) -> "Client":
        self._client = await self._connect()
        return self._client

    async def __aexit__(self, *unused: object) -> None:
        if self._client is not None:
            self._client.close()


class Client(Awaited):
    """One connection, for the coroutines of one loop. Jobs of several coroutines are in flight at once.

    client   the tegu.Client below
    """

    def __init__(self, client: _client.Client) -> None:
        self.client = client
        self._turn = asyncio.Lock()  # so that a question does not hold the lock of the client over a job

    async def submit_and_wait(
        self, call: Callable[..., Any], arguments: Tuple[Any, ...], options: Dict[str, Any]
    ) -> Any:
        async with self._turn:
            future = call(self.client.submit, *arguments, **options)
        return await future

    async def _ask(self, function: Callable[..., T], *arguments: Any) -> T:
        async with self._turn:
            return await asyncio.get_event_loop().run_in_executor(None, function, *arguments)

    @property
    def submit(self) -> Submitted:
        """The jobs as futures that are on their way before somebody awaits them."""
        return self.client.submit

    @property
    def last(self) -> _job.Reply:
        """How the job ran whose result came last."""
        return self.client.last

    async def buffer(self, shape: Any, dtype: Any = "f32", room: int = 0) -> Buffer:
        """As Client.buffer(). Its own methods do not wait for jobs, and are no coroutines."""
        return await self._ask(self.client.buffer, shape, dtype, room)

    async def ping(self) -> float:
        """Round trip of an empty message, in seconds."""
        return await self._ask(self.client.ping)

    async def info(self) -> Dict[str, Any]:
        """What the daemon is."""
        return await self._ask(self.client.info)

    async def stats(self) -> Dict[str, Any]:
        """What the daemon has done."""
        return await self._ask(self.client.stats)

    async def health(self) -> Dict[str, Any]:
        """How the board and the daemon are."""
        return await self._ask(self.client.health)

    async def metrics(self) -> str:
        """The same as metrics for Prometheus."""
        return await self._ask(self.client.metrics)

    async def kernels(self) -> Dict[str, Any]:
        """The kernels of the GPU backend."""
        return await self._ask(self.client.kernels)

    async def buffers(self) -> List[Dict[str, Any]]:
        """The buffers of this user, of all connections."""
        return await self._ask(self.client.buffers)

    async def jobs(self) -> List[Dict[str, Any]]:
        """The jobs that wait or run, of this user's programs."""
        return await self._ask(self.client.jobs)

    async def cancel_job(self, ident: int) -> bool:
        """Cancels a job of jobs(); returns whether it had started."""
        return await self._ask(self.client.cancel_job, ident)

    @property
    def reconnects(self) -> int:
        """How often the connection was lost and found again."""
        return self.client.reconnects

    def close(self) -> None:
        """Gives up the connection and the jobs that are in flight."""
        self.client.close()

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *unused: object) -> None:
        self.close()
