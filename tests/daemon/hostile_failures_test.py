#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What could end the daemon: its memory is used up."""
import os
import resource
import select
import unittest

import rawclient
from hostile_base import HostileTest
from rawclient import Daemon, header


@unittest.skipIf(os.environ.get("TEGU_SANITIZE"), "a sanitizer needs address space of its own")
class NoMemory(HostileTest):
    """The daemon may have little more memory than it has; clients ask for more by beginning messages and not ending them."""

    SETTINGS = "[limits]\nconnections_per_uid = 1024\nconnections = 1024\n[executor]\nthreads = 1\n"
    ENVIRONMENT = {"MALLOC_ARENA_MAX": "1"}  # another arena would be address space that is reserved before the limit

    @staticmethod
    def wait_for_the_end_of_one(crowd):
        """What is sent is read later: the limit must stay until it was met."""
        poller = select.poll()
        for connection in crowd:
            poller.register(connection.socket, 0)  # hang-ups and errors alone
        Daemon.wait_for(lambda: poller.poll(0), "a connection to be closed")

    def test_connections_end_and_the_daemon_lives(self):
        pid = self.daemon.process.pid
        with open("/proc/%d/statm" % pid) as statm:
            size = int(statm.read().split()[0]) * os.sysconf("SC_PAGESIZE")
        crowd = [self.connect() for _ in range(400)]
        unlimited = resource.prlimit(pid, resource.RLIMIT_AS)
        resource.prlimit(pid, resource.RLIMIT_AS, (size + (4 << 20), unlimited[1]))
        part = header(rawclient.JOB, 1, 65536) + bytes(60000)
        for connection in crowd:
            try:
                connection.send(part)
            except (BrokenPipeError, ConnectionResetError):
                break
        self.wait_for_the_end_of_one(crowd)
        self.assertTrue(self.daemon.alive())
        resource.prlimit(pid, resource.RLIMIT_AS, unlimited)
        self.assert_well()
        self.assertGreater(self.stats()["closed_out_of_memory_total"], 0)
        for connection in crowd:
            connection.close()
        self.wait_for_stats(connections=1)


if __name__ == "__main__":
    unittest.main()
