# SPDX-License-Identifier: Apache-2.0
"""What every attack on the daemon ends with: a second client's jobs are right, no descriptor leaked, the
daemon lives and stops in order."""

import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rawclient
from rawclient import Closed, Connection, Daemon


class HostileTest(unittest.TestCase):
    """One daemon for the tests of a class; SETTINGS are its settings, ENVIRONMENT its additional variables,
    PROGRAM its file."""

    SETTINGS = ""
    PROGRAM = "bin/tegud"
    DESCRIPTORS = None
    ENVIRONMENT = {}

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(cls.SETTINGS, cls.DESCRIPTORS, cls.ENVIRONMENT, cls.PROGRAM)
        cls.witness = Connection(cls.daemon.path)  # the second client: there before the attack and after it
        cls.random = random.Random(7)

    @classmethod
    def tearDownClass(cls):
        cls.witness.close()
        text = cls.daemon.log_text()
        code = cls.daemon.stop()
        if code != 0:
            raise AssertionError("tegud ended with %s\n%s" % (code, text))

    def setUp(self):
        self.opened = []
        self.assert_well()
        self.settle()
        self.descriptors_before = self.daemon.descriptors()

    def tearDown(self):
        self.assert_well()
        for connection in self.opened:
            connection.close()
        self.assert_well()
        self.settle()
        Daemon.wait_for(
            lambda: self.daemon.descriptors() == self.descriptors_before,
            "the descriptors to be %d again" % self.descriptors_before,
        )

    def settle(self):
        """Waits until the daemon has seen the end of every connection but the witness, and of what they had.
        Connections are accepted in order: once a new one is answered, none of those before it waits to be
        accepted any more."""
        Daemon.wait_for(self.answers_a_new_connection, "a new connection to be answered")
        self.wait_for_stats(connections=1, jobs_in_flight=0, buffers=0, buffer_bytes=0)

    def answers_a_new_connection(self):
        try:
            Connection(self.daemon.path).close()
            return True
        except (AssertionError, Closed, ConnectionError):  # over a limit, as long as the others are there
            return False

    def assert_well(self):
        self.assertTrue(
            self.daemon.alive(), "tegud ended: " + (self.daemon.log_text() if not self.daemon.alive() else "")
        )
        values = [self.random.randrange(-1000, 1000) for _ in range(64)]
        params = rawclient.reduce_params(1 << rawclient.SUM | 1 << rawclient.MAX)
        reply = self.witness.job(cols=64, params=params, data=rawclient.floats(*values))
        self.assertEqual(reply.status, "OK", reply)
        arrays = reply.arrays()
        self.assertEqual(arrays[rawclient.SUM + 1], (1, 1, (float(sum(values)),)))
        self.assertEqual(arrays[rawclient.MAX + 1], (1, 1, (float(max(values)),)))

    def connect(self, **options):
        connection = Connection(self.daemon.path, **options)
        self.opened.append(connection)
        return connection

    def stats(self):
        return self.witness.fields(rawclient.STATS)

    def wait_for_stats(self, **wanted):
        """Waits until the daemon's counters have these values. Some are there only once they have counted."""

        def there():
            stats = self.stats()
            return all(stats.get(name, 0) == value for name, value in wanted.items())

        Daemon.wait_for(there, str(wanted))

    def assert_refused(self, reply, status, field):
        """Refused, and the error says which field is wrong and what is allowed."""
        self.assertEqual((reply.status, reply.field), (status, field), reply)
        self.assertTrue(reply.message, reply)
        self.assertTrue(reply.allowed, reply)

    def assert_lives(self, connection):
        """The connection still answers."""
        self.assertEqual(connection.request(rawclient.PING, b"still there").body, b"still there")

    def assert_ended(self, connection, status=None, field=None):
        """The daemon says why, then ends the connection."""
        event = None
        try:
            while True:
                reply = connection.receive()
                event = reply if reply.is_event else event
        except Closed:
            pass
        if status is not None:
            self.assertIsNotNone(event, "the connection ended without an event")
            self.assertEqual((event.status, event.field), (status, field), event)
