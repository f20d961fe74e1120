# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: a daemon for the module, a client for each test, and running
without numpy (--no-numpy)."""

import random
import sys
import threading
import time
import unittest

import harness

harness.preload_sanitizer()
if "--no-numpy" in sys.argv:
    sys.argv.remove("--no-numpy")
    sys.modules["numpy"] = None  # an import fails now
    numpy = None
else:
    try:
        import numpy
    except ImportError:
        print("skipped: numpy is not here")
        sys.exit(harness.SKIPPED)
import tegu  # noqa: E402

SEED = random.SystemRandom().randrange(1 << 32)
daemon = None


def until(condition, seconds=60):
    """Waits for something that another thread or process does. Returns whether it came."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return condition()


def setUpModule():
    global daemon
    daemon = harness.Daemon()


def tearDownModule():
    status = daemon.stop()
    assert status == 0, "tegud ended with status %d" % status


class Case(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.c = tegu.connect(daemon.socket, name="python_test", connect_timeout=60)
        self.addCleanup(self.c.close)
        self.assertTrue(until(self.is_alone), self.c.stats())
        if numpy is not None:
            self.rng = numpy.random.RandomState(SEED)

    def is_alone(self):
        """Whether the daemon has seen the end of every earlier test: it hears of that a moment later."""
        seen = self.c.stats()
        return (seen["connections"], seen["jobs_in_flight"]) == (1, 0)

    def assertRaisesTegu(self, status, field, function, *arguments, **options):
        with self.assertRaises(tegu.Error, msg="seed %d" % SEED) as caught:
            function(*arguments, **options)
        self.assertEqual(
            (caught.exception.status, caught.exception.field), (status, field), str(caught.exception)
        )
        return caught.exception

    def in_threads(self, work):
        """Runs work(0) to work(3) at once, each in a thread, until all have ended."""
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def socket():
    return daemon.socket
