#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signal handlers that use the client of the call that they interrupt: each gets its own results."""

import array
import itertools
import os
import signal
import sys
import unittest

import case
import tegu
from case import SEED, numpy, setUpModule, tearDownModule  # noqa: F401

# Where calls share what a handler must not disturb.
FILES = tuple(
    os.path.join(os.path.dirname(tegu.__file__), name)
    for name in ("_buffer.py", "_connection.py", "_future.py", "_memory.py", "_prepared.py")
)


class Interrupted(case.Case):
    """A handler runs between any two steps of a call: before each instruction once, and then as the handler
    of a real signal."""

    def run_at_step(self, number, work, handle):
        """Calls handle() before that instruction of work(). Returns whether work() has so many."""
        left = [number]

        def trace(frame, event, unused):
            if frame.f_code.co_filename not in FILES:
                return None
            frame.f_trace_opcodes = True  # from Python 3.7 on; before there are lines
            if event in ("line", "opcode"):
                left[0] -= 1
                if left[0] == 0:
                    handle()
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            work()
        finally:
            sys.settrace(before)
        return left[0] <= 0

    def run_at_each_step(self, work, handle):
        for number in itertools.count(1):
            if not self.run_at_step(number, work, handle):
                self.assertGreater(number, 100, "the calls of the package")
                break

    def test_each_call_has_its_own_result(self):
        x, y = array.array("i", [1, 2, 3]), array.array("i", [7, 7])

        def handle():
            self.assertEqual(self.c.reduce(y), {"sum": 14})
            self.assertRaisesTegu("BAD_RANGE", "k", self.c.topk, y, 3)

        def work():
            self.assertEqual(self.c.reduce(x), {"sum": 6})
            self.assertRaisesTegu("EMPTY_INPUT", "statistics", self.c.reduce, b"", "mean")
            self.assertEqual(list(self.c.topk(x, 2)[0]), [3, 2])
            self.assertEqual(self.c.last.backend, "cpu")
            self.assertGreater(self.c.ping(), 0)

        self.run_at_each_step(work, handle)

    def test_prepared_jobs_keep_their_inputs(self):
        if numpy is None:
            self.skipTest("needs numpy")
        x, y = numpy.array([1, 2, 3]), numpy.array([7, 7, 7])

        def handle():
            self.assertEqual(self.c.reduce(y), {"sum": 21})

        def work():
            for _ in range(2):
                self.assertEqual(self.c.reduce(x), {"sum": 6})

        self.run_at_each_step(work, handle)

    def test_futures(self):
        def handle():
            self.assertEqual(self.c.submit.reduce([5, 6]).result(), {"sum": 11})
            self.c.submit.reduce([1])  # nobody asks for it

        def work():
            first, second = self.c.submit.reduce([3, 1]), self.c.submit.reduce([3, 2])
            self.assertEqual(second.result(), {"sum": 5})
            first.done()
            self.assertEqual(first.result(), {"sum": 4})

        self.run_at_each_step(work, handle)

    def test_one_future_of_both(self):
        """The handler gets the result, or hears that the call below has it."""
        shared = []

        def handle():
            for future in shared:
                future.done()
                try:
                    self.assertEqual(future.result(), {"sum": 4})
                except tegu.Error as error:
                    self.assertEqual((error.status, error.field), ("BAD_REQUEST", "future"))

        def work():
            shared[:] = [self.c.submit.reduce([3, 1])]
            self.assertEqual(shared[0].result(), {"sum": 4})

        self.run_at_each_step(work, handle)

    def test_close(self):
        """A handler that closes the client lets the call below end well, or fail since it is closed."""

        def work():
            client = self.client = tegu.connect(case.socket())
            futures = []
            try:
                self.assertEqual(client.reduce([1, 2]), {"sum": 3})
                futures.append(client.submit.reduce([1]))
                self.assertEqual(client.reconnects, 0)
                client.stats()
                self.assertEqual(futures[0].result(), {"sum": 1})
            except tegu.Unavailable as error:
                self.assertTrue(client.closed)
                self.assertIn("closed", str(error))
            for future in futures:
                future.exception(timeout=60)
            client.close()

        def handle():
            if self.client is not None:
                self.client.close()
                self.assertTrue(self.client.closed)
                self.assertRaisesTegu("UNAVAILABLE", "", self.client.ping)

        self.client = None
        self.run_at_each_step(work, handle)

    def test_signals(self):
        """Real ones, at random times, until the handler has run often enough."""
        handled, failures = [], []

        def handle(*unused):
            try:
                self.assertEqual(self.c.submit.reduce([5, 6]).result(), {"sum": 11})
                handled.append(self.c.reduce([7, 7]))
            except Exception as failure:
                failures.append(failure)
            again()

        def again():
            signal.setitimer(signal.ITIMER_REAL, 2e-4 + 3e-4 * self.random.random())

        before = signal.signal(signal.SIGALRM, handle)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        again()
        while len(handled) < 150 and not failures:
            self.assertEqual(self.c.reduce([1, 2, 3]), {"sum": 6})
            self.c.submit.reduce([1]).add_done_callback(lambda future: None)
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.assertEqual(failures, [], "seed %d" % SEED)
        self.assertTrue(all(each == {"sum": 14} for each in handled))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[1:])
