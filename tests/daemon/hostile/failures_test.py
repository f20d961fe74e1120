#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What could end the daemon: its memory is used up."""

import contextlib
import os
import resource
import select
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import Daemon, header


@unittest.skipIf(os.environ.get("TEGU_SANITIZE"), "a sanitizer needs address space of its own")
class NoMemory(HostileTest):
    """The daemon may have no more memory than it has; clients ask for more by beginning messages and not
    ending them."""

    # No other reason may end a connection before memory is short: no message is overdue. Sample jobs give
    # memory back that would be free below the limit.
    SETTINGS = (
        "[limits]\nconnections_per_uid = 1024\nconnections = 1024\n[executor]\nthreads = 1\n"
        "[placement]\nprobe_ms = 0\n[timeouts]\nframe_ms = 3600000\n"
    )
    # Another arena would be address space that is reserved before the limit. Large blocks that are freed are
    # given back at once.
    ENVIRONMENT = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "32768"}
    PART = header(rawclient.JOB, 1, 65536) + bytes(60000)  # of a message: the daemon keeps it
    CROWD = 400

    @staticmethod
    def ended(crowd):
        """Whether the daemon has ended one of the connections."""
        poller = select.poll()
        for connection in crowd:
            poller.register(connection.socket, 0)  # hang-ups and errors alone
        return bool(poller.poll(0))

    @contextlib.contextmanager
    def no_more_memory(self):
        """What the allocator holds already is all that the daemon gets."""
        pid = self.daemon.process.pid
        unlimited = resource.prlimit(pid, resource.RLIMIT_AS)
        with open("/proc/%d/statm" % pid) as statm:
            size = int(statm.read().split()[0]) * os.sysconf("SC_PAGESIZE")
        resource.prlimit(pid, resource.RLIMIT_AS, (size, unlimited[1]))
        try:
            yield
        finally:
            resource.prlimit(pid, resource.RLIMIT_AS, unlimited)

    def begin_messages(self, crowd):
        """On each connection, until the daemon ends one. What is sent is read later."""
        for connection in crowd:
            try:
                connection.send(self.PART)
            except (BrokenPipeError, ConnectionResetError):
                return

    def test_connections_end_and_the_daemon_lives(self):
        if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 4096:
            self.skipTest("the daemon needs descriptors for so many connections")
        self.assertEqual(self.stats()["closed_out_of_memory_total"], 0)
        crowd = [self.connect() for _ in range(self.CROWD)]
        with self.no_more_memory():
            self.begin_messages(crowd)
            Daemon.wait_for(lambda: self.ended(crowd), "a connection to be closed")
        self.assertTrue(self.daemon.alive())
        self.assert_well()
        self.assertGreater(self.stats()["closed_out_of_memory_total"], 0)
        for connection in crowd:
            connection.close()
        self.wait_for_stats(connections=1)


if __name__ == "__main__":
    unittest.main()
