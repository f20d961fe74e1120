#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ends the daemon or could: its listening socket breaks, its memory is used up."""
import os
import resource
import signal
import socket
import subprocess
import tempfile
import unittest

import rawclient
from hostile_base import HostileTest
from rawclient import Closed, Connection, Daemon, header, job_body


class NoMemory(HostileTest):
    """The daemon may have little more memory than it has; clients ask for more by beginning messages and not ending them."""

    SETTINGS = "[limits]\nconnections_per_uid = 1024\nconnections = 1024\n[executor]\nthreads = 1\n"

    def test_connections_end_and_the_daemon_lives(self):
        pid = self.daemon.process.pid
        with open("/proc/%d/statm" % pid) as statm:
            size = int(statm.read().split()[0]) * os.sysconf("SC_PAGESIZE")
        crowd = [self.connect() for _ in range(400)]
        unlimited = resource.prlimit(pid, resource.RLIMIT_AS)
        resource.prlimit(pid, resource.RLIMIT_AS, (size + (4 << 20), unlimited[1]))
        part = header(rawclient.JOB, 1, 65536) + bytes(60000)
        ended = 0
        for connection in crowd:
            try:
                connection.send(part)
            except (BrokenPipeError, ConnectionResetError):
                ended += 1
        self.assertTrue(self.daemon.alive())
        resource.prlimit(pid, resource.RLIMIT_AS, unlimited)
        self.assert_well()
        self.assertGreater(self.stats()["closed_out_of_memory_total"], 0)
        for connection in crowd:
            connection.close()
        self.wait_for_stats(connections=1)


class BrokenListener(unittest.TestCase):
    """Whoever made the listening socket shuts it down: the daemon cannot go on."""

    def test_jobs_in_flight_are_answered(self):
        folder = tempfile.mkdtemp(prefix="tegud-test-")
        self.addCleanup(os.rmdir, folder)
        path = os.path.join(folder, "s")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        self.addCleanup(os.unlink, path)
        listener.listen(8)

        def prepare():
            rawclient._libc.prctl(1, signal.SIGKILL)
            os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ["LISTEN_FDS"] = "1"
            os.environ["LISTEN_PID"] = str(os.getpid())

        with tempfile.NamedTemporaryFile("w", suffix=".toml") as settings:
            settings.write("[limits]\nqueued_work_ms = 3600000\n")
            settings.flush()
            daemon = subprocess.Popen([os.path.join(os.environ.get("TEGU_BUILD_DIR", "build/release"), "bin", "tegud"),
                                       "--config", settings.name], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      close_fds=False, preexec_fn=prepare)
            self.addCleanup(daemon.wait)
            self.addCleanup(daemon.kill)
            client = Connection(path)
            self.addCleanup(client.close)
        side = 4096
        source, result = client.create(side * side), client.create(2 * side * side * 4)
        for created in (source, result):
            os.close(created.fds.pop())
        bodies = [job_body(rawclient.ENTROPY_MAP, rawclient.U8, rows=side, cols=side, handle=source.handle, out=result.handle,
                           out_offset=slot * side * side * 4, out_capacity=side * side * 4,
                           params=rawclient.entropy_params(63, 63, 256)) for slot in range(2)]
        jobs = [client.submit(rawclient.JOB, body) for body in bodies]
        Daemon.wait_for(lambda: client.fields(rawclient.STATS)["jobs_running"] == 1, "a job to run")
        # The daemon hears of it when somebody connects; both happen while it cannot look.
        daemon.send_signal(signal.SIGSTOP)
        last = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(last.close)
        last.connect(path)
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        daemon.send_signal(signal.SIGCONT)
        for job in jobs:
            reply = client.wait(job)
            self.assertIn(reply.status, ("SHUTTING_DOWN", "OK"), reply)
        self.assertEqual(reply.status, "SHUTTING_DOWN", reply)  # the second had no time to run
        with self.assertRaises(Closed):
            client.receive()
        self.assertEqual(daemon.wait(rawclient.PATIENCE), 70)


if __name__ == "__main__":
    unittest.main()
