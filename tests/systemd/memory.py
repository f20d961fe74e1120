#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud under systemd has no more memory than its drop-in allows. Played by service_test.py --memory; not to
be run by hand."""

import os
import unittest

from inside import systemctl, show, wait_for, Service, main


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Memory(Service):
    def test_share_of_the_boards_memory(self):
        self.shipped_drop_in("50-memory-max.conf")
        client = self.holder()
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.assertAlmostEqual(int(show("MemoryMax")) / total, 0.4, delta=0.01)
        self.assertGreater(int(show("MemoryCurrent")), 0)
        self.assertEqual(client.ask("submit 2"), "ok")
        self.assertEqual(client.ask("wait"), "ok 2")

    def test_out_of_memory(self):
        """The kernel ends the daemon, systemd starts it again, and the jobs of the client are done once it
        has more. systemd names the cause where it can see it, with OOMPolicy= and version 2 of cgroups."""
        self.drop_in("MemoryAccounting=yes\n")  # by itself since 238
        sees = self.is_known("10-memory-243.conf")
        if sees:
            self.assertEqual(show("OOMPolicy"), "stop")
        self.write_settings(
            "[placement]\nprobe_ms = 0\n"
        )  # sample jobs hold memory, and give it back at any moment
        client = self.holder(reconnect_ms=60000)
        # No room for what a job needs beyond what it holds now: its input and result are of 5 MB.
        most = int(show("MemoryCurrent")) + (1 << 20)
        systemctl("set-property", "--runtime", "tegud.service", "MemoryMax=%d" % most)
        client.tell("submit 6")
        wait_for("the end of the daemon", lambda: int(show("NRestarts")) > 0)
        ended = "oom-kill" if sees and not os.path.exists("/sys/fs/cgroup/memory") else "signal"
        wait_for("what systemd says of it", lambda: "Failed with result '%s'" % ended in self.messages())
        self.assertIn("code=killed, status=9/KILL", self.messages())
        self.assertEqual(show("ActiveState", "tegud.socket"), "active")
        systemctl("set-property", "--runtime", "tegud.service", "MemoryMax=40%")
        systemctl("reset-failed", "tegud.service")
        systemctl("restart", "tegud.service")
        client.answer()
        self.assertEqual(client.ask("wait"), "ok 6")
        self.assertEqual(
            [show(name) for name in ("ActiveState", "SubState", "Result", "ExecMainStatus")],
            ["active", "running", "success", "0"],
        )
        self.assertEqual(self.processes(), [show("MainPID")])  # nothing of the one before

    @staticmethod
    def processes():
        path = show("ControlGroup") + "/cgroup.procs"
        roots = ("/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup")
        with open(next(root + path for root in roots if os.path.exists(root + path))) as numbers:
            return numbers.read().split()


if __name__ == "__main__":
    main()
