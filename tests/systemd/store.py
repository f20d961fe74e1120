#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Buffers that outlive the daemon in the descriptor store of a real systemd: killed, aborted, restarted.
Played by service_test.py; not to be run by hand."""

import json
import os
import time
import unittest

from inside import run, stats, systemctl, show, wait_for, wait_until_stored, Service, TEGU, main


def pid_1_descriptors():
    """Those of systemd that are buffers of ours."""
    count = 0
    for name in os.listdir("/proc/1/fd"):
        try:
            count += os.readlink("/proc/1/fd/" + name).startswith("/memfd:teg")
        except FileNotFoundError:
            pass
    return count


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Store(Service):
    def client_with_buffers(self, count=5):
        client = self.holder(reconnect_ms=30000)
        for _ in range(count):
            self.assertEqual(client.ask("keep"), "ok")
        wait_until_stored(count)
        return client

    def assert_goes_on(self, client, count):
        """The client's next jobs find all its buffers, and nothing was registered for it."""
        self.assertEqual(client.ask("check"), "ok %d" % count)
        now = stats()
        self.assertEqual(now["buffers_total"], 0, now)
        self.assertGreaterEqual(now["buffers_attached_total"], count)
        return now

    def end_daemon(self, *command):
        pid = show("MainPID")
        systemctl(*command)
        wait_for(
            "the next daemon", lambda: show("MainPID") not in ("0", pid) and show("ActiveState") == "active"
        )

    def test_killed_aborted_and_restarted(self):
        client = self.client_with_buffers()
        for command in (
            ("kill", "--signal=KILL", "tegud.service"),
            ("kill", "--signal=ABRT", "tegud.service"),
            ("restart", "tegud.service"),
        ):
            self.end_daemon(*command)
            self.assert_goes_on(client, 5)

    def test_many_kills_leave_nothing_behind(self):
        """10, or $TEGU_STORE_KILLS."""
        client = self.client_with_buffers()
        self.end_daemon("kill", "--signal=KILL", "tegud.service")
        self.assert_goes_on(client, 5)
        systemctl("reset-failed", "tegud.service")
        # The probe and the old table are gone.
        wait_for(
            "buffers and one table",
            lambda: int(show("NFileDescriptorStore")) == stats()["buffers_stored"] + 1,
        )
        before = int(show("NFileDescriptorStore")), pid_1_descriptors()
        for _ in range(int(os.environ.get("TEGU_STORE_KILLS", "10"))):
            self.end_daemon("kill", "--signal=KILL", "tegud.service")
            systemctl("reset-failed", "tegud.service")
            self.assert_goes_on(client, 5)
        wait_for(
            "as many descriptors as before",
            lambda: (int(show("NFileDescriptorStore")), pid_1_descriptors()) == before,
        )
        self.assertEqual(client.ask("drop"), "ok")
        wait_for(
            "five descriptors fewer",
            lambda: (
                (int(show("NFileDescriptorStore")), pid_1_descriptors()) == (before[0] - 5, before[1] - 5)
            ),
        )

    def test_restart_under_load(self):
        client = self.client_with_buffers()
        load = [self.load(4, seed) for seed in range(2)]
        for _ in range(3):
            time.sleep(0.8)
            self.end_daemon("restart", "tegud.service")
        self.assertEqual(client.ask("check"), "ok 5")
        for process in load:
            text = process.stdout.read()
            self.assertEqual(process.wait(), 0, text)

    def test_clients_that_are_gone_are_not_waited_for(self):
        self.write_settings("[timeouts]\nreattach_ms = 10000\n")  # enough to see them before
        gone = self.client_with_buffers()
        systemctl("kill", "--signal=STOP", "tegud.service")
        gone.process.kill()
        gone.process.wait()
        self.end_daemon("kill", "--signal=KILL", "tegud.service")
        self.assertGreaterEqual(stats()["buffers_orphaned"], 5)  # and the library's own
        self.assertIn("wait for their clients", self.messages())
        wait_for(
            "the end of the orphans", lambda: stats()["buffers_orphaned"] == 0 and stats()["buffers"] == 0
        )
        wait_for("an empty store but for the table", lambda: int(show("NFileDescriptorStore")) == 1)

    def test_stop_gives_the_memory_back(self):
        """Until systemd 254 a store cannot outlive a stop, and from then on ours does not want to: clients
        register again."""
        client = self.client_with_buffers()
        systemctl("stop", "tegud.service")
        self.assertEqual(show("NFileDescriptorStore"), "0")
        self.assertEqual(pid_1_descriptors(), 0)
        systemctl("start", "tegud.service")
        self.assertEqual(client.ask("check"), "ok 5")
        self.assertEqual(stats()["buffers_total"], 5)

    def limit_store(self, most):
        folder = "/opt/tegu/work/units/tegud.service.d"
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "small.conf"), "w") as conf:
            conf.write("[Service]\nFileDescriptorStoreMax=%d\n" % most)
        self.addCleanup(systemctl, "daemon-reload")
        self.addCleanup(os.unlink, os.path.join(folder, "small.conf"))
        systemctl("daemon-reload")

    @staticmethod
    def state():
        return json.loads(run(TEGU, "health", "--json").stdout)["health"]["daemon"]["descriptor_store"]

    def test_a_store_that_is_too_small_says_so_and_clients_go_on(self):
        self.limit_store(4)
        client = self.holder(reconnect_ms=30000)
        for _ in range(5):
            self.assertEqual(client.ask("keep"), "ok")
        wait_for("a full store", lambda: self.state()["state"] == "full")
        self.assertIn("would not survive", self.state()["reason"])

        def is_known():  # as many as it takes are found by halves
            known = self.state()["buffers"]
            return 1 <= known <= 3 and int(show("NFileDescriptorStore")) == known + 1

        wait_for("what it takes to be known", is_known)
        kept = self.state()["buffers"]
        self.end_daemon("kill", "--signal=KILL", "tegud.service")
        self.assertEqual(client.ask("check"), "ok 5")
        now = stats()
        self.assertLessEqual(now["buffers_attached_total"], kept)
        self.assertEqual(now["buffers_attached_total"] + now["buffers_total"], 5)

    def test_a_store_that_refuses_everything_degrades_and_clients_go_on(self):
        self.limit_store(0)
        client = self.holder(reconnect_ms=30000)
        self.assertEqual(client.ask("keep"), "ok")
        wait_for("a store that refuses", lambda: self.state()["state"] == "refused")
        self.end_daemon("kill", "--signal=KILL", "tegud.service")
        self.assertEqual(client.ask("check"), "ok 1")
        self.assertEqual(stats()["buffers_attached_total"], 0)


if __name__ == "__main__":
    main()
