#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Futures of jobs: with concurrent.futures, with callbacks, and awaited in asyncio; with numpy or without."""

import asyncio
import concurrent.futures
import gc
import os
import threading
import unittest

import case
from case import Case, setUpModule, socket, tearDownModule, until  # noqa: F401
import tegu
import tegu.aio

LONG = bytes(32 << 20)


def has_watcher():
    """Whether a client has a thread. It ends a moment after the client is closed."""
    return any(each.name == "tegu" for each in threading.enumerate())


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class Futures(Case):
    def long_job(self):
        """A job that takes long enough for what a test does meanwhile; usually."""
        return self.c.submit.topk(LONG, 1000, dtype="f64")

    def test_is_a_future_of_concurrent_futures(self):
        future = self.c.submit.reduce([1, 2])
        self.assertIsInstance(future, concurrent.futures.Future)
        self.assertIsNone(future.exception())
        self.assertEqual(future.result(), {"sum": 3})
        self.assertTrue(future.done())
        self.assertFalse(future.running() or future.cancelled() or future.cancel())
        failed = self.c.submit.topk([1], 2)
        self.assertIsInstance(failed.exception(timeout=60), tegu.BadRange)
        self.assertIsNone(failed.reply)

    def test_wait_and_as_completed(self):
        for wait, as_completed in (
            (tegu.wait, tegu.as_completed),
            (concurrent.futures.wait, concurrent.futures.as_completed),
        ):
            futures = [self.c.submit.reduce([i]) for i in range(200)]
            done, rest = wait(futures)
            self.assertEqual((len(done), len(rest)), (200, 0))
            futures = [self.c.submit.reduce([i]) for i in range(200)] + [self.c.submit.topk([1], 2)]
            sums = [each.result()["sum"] for each in as_completed(futures) if not each.exception()]
            self.assertEqual(sorted(sums), list(range(200)))
            done, _ = wait([self.long_job(), self.c.submit.reduce([1])], return_when="FIRST_COMPLETED")
            self.assertTrue(done)

    def test_callbacks(self):
        seen = []
        with tegu.connect(socket()) as client:
            for i in range(50):
                client.submit.reduce([i]).add_done_callback(lambda each: seen.append(each.result()["sum"]))
            self.assertTrue(until(lambda: len(seen) == 50))
        self.assertEqual(sorted(seen), list(range(50)))
        ended = self.c.submit.reduce([7])
        ended.result()
        ended.add_done_callback(lambda each: seen.append("at once"))
        self.assertEqual(seen[-1], "at once")

    def test_calls_between_callbacks(self):
        """The thread and the calls of others take the replies from one connection."""
        done = []
        for i in range(300):
            self.c.submit.reduce([i]).add_done_callback(done.append)
            self.assertEqual(self.c.reduce([i])["sum"], i)
        self.assertTrue(until(lambda: len(done) == 300))

    def test_the_thread_ends_when_nothing_is_watched(self):
        done = []
        self.c.submit.reduce([1]).add_done_callback(done.append)
        self.assertTrue(until(lambda: done))
        self.assertTrue(until(lambda: not has_watcher()))
        self.c.submit.reduce([1]).add_done_callback(done.append)  # and another one begins
        self.assertTrue(until(lambda: len(done) == 2))

    def test_timeout_is_that_of_python_too(self):
        future = self.long_job()
        try:
            future.result(timeout=0)
        except concurrent.futures.TimeoutError as error:
            self.assertIsInstance(error, tegu.DeadlineExceeded)
            self.assertIsInstance(error, TimeoutError)
        self.assertEqual(len(future.result()[0]), 1000)

    def test_cancel(self):
        futures = [self.long_job() for _ in range(4)]
        self.assertTrue(futures[-1].cancel() or futures[-1].done())
        cancelled = isinstance(futures[-1].exception(), tegu.Cancelled)
        self.assertEqual(futures[-1].cancelled(), cancelled)
        for future in futures[:-1]:
            future.result()

    def test_closing_the_client_ends_them(self):
        client = tegu.connect(socket())
        seen, plain = [], client.submit.topk(LONG, 10, dtype="f64")
        watched = client.submit.topk(LONG, 10, dtype="f64")
        watched.add_done_callback(seen.append)
        client.close()
        for future in (plain, watched):
            try:
                future.result(timeout=60)
            except ConnectionError as error:
                self.assertIsInstance(error, tegu.Unavailable)
        self.assertTrue(until(lambda: seen))

    def test_one_that_two_threads_wait_for(self):
        future, got = self.long_job(), []
        threads = [threading.Thread(target=lambda: got.append(future.result())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([len(values) for values, _ in got], [1000] * 4)


class Asyncio(Case):
    def run_loop(self, coroutine):
        loop = asyncio.new_event_loop()
        try:
            asyncio.set_event_loop(loop)
            return loop.run_until_complete(coroutine)
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    def test_futures_are_awaited(self):
        async def work():
            values, indices = await self.c.submit.topk([3, 9, 4], 2)
            self.assertEqual((list(values), list(indices)), ([9, 4], [1, 2]))
            several = await asyncio.gather(*[self.c.submit.reduce([i]) for i in range(500)])
            self.assertEqual([each["sum"] for each in several], list(range(500)))
            with self.assertRaises(ValueError):
                await self.c.submit.topk([1], 2)
            ended = self.c.submit.reduce([5])
            ended.result()
            self.assertEqual(await ended, {"sum": 5})
            self.assertEqual(self.c.reduce([6]), {"sum": 6})  # a call that does not wait for the loop
            self.assertEqual(await asyncio.wrap_future(self.c.submit.reduce([7])), {"sum": 7})

        self.run_loop(work())
        self.run_loop(work())  # another loop

    def test_no_thread_for_jobs(self):
        async def work():
            async with tegu.aio.connect(socket()) as c:
                before = set(threading.enumerate())  # one of an earlier test may end meanwhile
                sums = await asyncio.gather(*[c.reduce([i]) for i in range(200)])
                self.assertEqual(sum(each["sum"] for each in sums), 19900)
                self.assertLessEqual(set(threading.enumerate()), before)

        self.run_loop(work())

    def test_client(self):
        async def work():
            async with tegu.aio.connect(socket()) as c:
                self.assertEqual(await c.reduce([1, 2], stats="sum"), {"sum": 3})
                self.assertEqual(c.last.backend, "cpu")
                self.assertGreater(await c.ping(), 0)
                self.assertEqual((await c.info())["backend"], "cpu")
                for question in (c.stats, c.health, c.kernels, c.buffers, c.metrics):
                    self.assertIsNotNone(await question())
                with await c.buffer(4, "i32") as buf:
                    buf.array[2] = 5
                    answers = await asyncio.gather(c.reduce(buf), c.ping(), c.reduce(buf, "max"))
                    self.assertEqual((answers[0], answers[2]), ({"sum": 5}, {"max": 5}))
                job = c.submit.entropy([1, 2], 4, (1, 3))
                self.assertEqual(await job, 1.0)
                self.assertEqual(c.reconnects, 0)
            with self.assertRaises(tegu.Unavailable):
                await c.reduce([1])
            with self.assertRaises(ConnectionError):
                await tegu.aio.connect("/tmp/tegu-no-such-socket")
            other = await tegu.aio.connect(socket(), name="other")
            other.close()

        self.run_loop(work())

    def test_a_task_that_is_cancelled_cancels_its_job(self):
        async def work():
            futures = [self.c.submit.topk(LONG, 1000, dtype="f64") for _ in range(3)]

            async def wait_for(future):
                return await future

            tasks = [asyncio.ensure_future(wait_for(each)) for each in futures]
            await asyncio.sleep(0)
            tasks[-1].cancel()
            with self.assertRaises(asyncio.CancelledError):
                await tasks[-1]
            for task in tasks[:-1]:
                self.assertEqual(len((await task)[0]), 1000)
            self.assertIsInstance(futures[-1].exception(), (tegu.Cancelled, type(None)))

        self.run_loop(work())

    def test_awaited_over_a_restart_of_the_daemon(self):
        async def work():
            async with tegu.aio.connect(socket(), reconnect_timeout=60) as c:
                jobs = [c.submit.reduce([i]) for i in range(50)]
                loop = asyncio.get_event_loop()
                case.daemon.kill()
                start = loop.run_in_executor(None, case.daemon.start)
                sums = await asyncio.gather(*jobs)
                self.assertEqual([each["sum"] for each in sums], list(range(50)))
                await start
                self.assertEqual(await c.reduce([4]), {"sum": 4})
                self.assertEqual(c.reconnects, 1)

        self.run_loop(work())

    def test_nothing_is_left_of_a_client(self):
        async def work():
            async with tegu.aio.connect(socket()) as c:
                await c.reduce([1])

        self.assertTrue(until(lambda: not has_watcher()))  # of an earlier test: it has descriptors
        self.run_loop(work())
        gc.collect()
        before = descriptors()
        for _ in range(5):
            self.run_loop(work())
        gc.collect()
        self.assertEqual(descriptors(), before)


if __name__ == "__main__":
    unittest.main()
