#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tegud in which parts stop for good, under systemd with a short watchdog: it is killed, started anew, and
no client loses a job. Played by service_test.py with wedged_tegud; not to be run by hand."""

import json
import os
import shutil
import time
import unittest

from inside import run, stats, systemctl, show, wait_for, wait_until_stored, Service, main, SOCKET, TEGU

WATCHDOG_SEC = 4 if os.environ.get("TEGU_SANITIZE") else 2
WEDGES = "/run/tegu-test-wedges"
DROPIN = "/opt/tegu/work/units/tegud.service.d/99-watchdog-test.conf"
CATALOGS = "/usr/lib/systemd/catalog"
HANG = "2e33a79dcf904dd59be8a17513c7ef9b"
READY = "775a9bc7a1f64562a2a46927cbedb3af"


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class WatchdogCase(Service):
    settings = "[executor]\nthreads = 2\ninline_budget_us = 0\n"
    environment = ""
    more = ""

    def setUp(self):
        super().setUp()
        self.begin = time.time()
        shutil.rmtree(WEDGES, ignore_errors=True)
        os.makedirs(WEDGES)
        os.makedirs(os.path.dirname(DROPIN), exist_ok=True)
        with open(DROPIN, "w") as out:
            out.write(
                "[Service]\nWatchdogSec=%d\nEnvironment=TEGU_TEST_WEDGE=%s TEGU_TEST_GPU=none %s\n%s"
                % (WATCHDOG_SEC, WEDGES, self.environment, self.more)
            )
        systemctl("daemon-reload")
        self.addCleanup(systemctl, "daemon-reload")
        self.addCleanup(os.unlink, DROPIN)
        self.write_settings(self.settings)

    def wedge(self, part):
        with open(os.path.join(WEDGES, "new"), "w") as out:
            out.write(show("MainPID"))
        os.chmod(os.path.join(WEDGES, "new"), 0o644)
        os.rename(os.path.join(WEDGES, "new"), os.path.join(WEDGES, part))

    def restarts(self):
        return int(show("NRestarts"))

    def event(self, number):
        """The messages of that kind since the scenario began, as journald keeps them. By time: after a cursor
        the first match is left out."""
        run("journalctl", "--sync")
        lines = self.journal(
            "--unit=tegud.service", "--output=json", "--since=@%f" % self.begin, "MESSAGE_ID=" + number
        )
        return [json.loads(line) for line in lines.splitlines()]


class Wedges(WatchdogCase):
    def killed_and_replayed(self, part, said, jobs_before=True):
        client = self.holder()
        self.assertEqual(self.restarts(), 0)
        self.wedge(part)
        if jobs_before:
            client.tell("submit 2")
        wait_for("a kill and a restart", lambda: self.restarts() == 1 and show("ActiveState") == "active")
        if not jobs_before:
            client.tell("submit 2")
        self.assertEqual(client.answer(), "ok")
        self.assertEqual(client.ask("wait"), "ok 2")
        self.assertEqual(client.ask("reconnects"), "1")
        self.assertEqual(self.restarts(), 1)
        hangs = self.event(HANG)
        self.assertEqual([message["PRIORITY"] for message in hangs], ["3"], hangs)
        self.assertRegex(hangs[0]["MESSAGE"], said)
        self.assertIn("Failed with result 'watchdog'", self.messages())

    def test_loop(self):
        self.killed_and_replayed("loop", "the io thread hangs: its loop has not turned for [1-9][0-9]* s")

    def test_executor_within_a_job(self):
        self.killed_and_replayed(
            "executor", "the executor of the CPU hangs: no sign of life for %d s" % WATCHDOG_SEC
        )

    def test_idle_executor(self):
        self.killed_and_replayed("idle", "the executor of the CPU hangs", jobs_before=False)

    def test_worker_of_the_pool(self):
        self.killed_and_replayed("pool", "the executor of the CPU hangs")

    def test_buffers_outlive_the_kill(self):
        client = self.holder(reconnect_ms=30000)
        for _ in range(5):
            self.assertEqual(client.ask("keep"), "ok")
        wait_until_stored(5)
        self.wedge("loop")
        wait_for("a kill and a restart", lambda: self.restarts() == 1 and show("ActiveState") == "active")
        self.assertIn("Failed with result 'watchdog'", self.messages())
        self.assertEqual(client.ask("check"), "ok 5")
        now = stats()
        self.assertEqual(now["buffers_total"], 0, now)
        self.assertGreaterEqual(now["buffers_attached_total"], 5)

    def test_messages_are_explained(self):
        self.assertEqual(run("mount", "-t", "tmpfs", "tmpfs", CATALOGS).returncode, 0)
        self.addCleanup(run, "umount", CATALOGS)
        shutil.copy("/opt/tegu/source/systemd/tegu.catalog", CATALOGS)
        done = run("journalctl", "--update-catalog")
        self.assertEqual(done.returncode, 0, done.stdout)
        systemctl("start", "tegud.service")
        self.assertEqual([message["TEGUD_SOCKET"] for message in self.event(READY)], [SOCKET])
        self.assertIn(
            " Subject: tegud serves jobs on " + SOCKET,
            self.journal("-x", "--unit=tegud.service", "MESSAGE_ID=" + READY),
        )

    def test_read_of_health_does_not_count(self):
        client = self.holder()
        pid = show("MainPID")
        self.wedge("health")
        wait_for("a stuck read", lambda: "read_stuck" in run(TEGU, "health").stdout)
        time.sleep(1.5 * WATCHDOG_SEC)
        self.assertEqual(client.ask("submit 2"), "ok")
        self.assertEqual(client.ask("wait"), "ok 2")
        self.assertEqual(client.ask("reconnects"), "0")
        self.assertEqual(show("MainPID"), pid)
        self.assertEqual(self.event(HANG), [])


class GpuWedges(WatchdogCase):
    settings = '[executor]\nbackend = "gpu"\n'
    environment = "TEGU_TEST_GPU=A TEGU_TEST_FAULT=hang:%s/gpu" % WEDGES

    def hang(self):
        restarts = self.restarts()
        open(os.path.join(WEDGES, "gpu"), "w").close()
        wait_for("a kill", lambda: self.restarts() == restarts + 1)
        os.unlink(os.path.join(WEDGES, "gpu"))
        wait_for("a restart", lambda: show("ActiveState") == "active")

    def test_idle_gpu_hangs_and_after_some_times_is_left_alone(self):
        client = self.holder()
        for _ in range(3):
            self.assertIn("GPU guarded memory", show("StatusText"))
            self.hang()
        self.assertIn("GPU 0 hangs", self.event(HANG)[-1]["MESSAGE"])
        self.assertIn(
            "it ended the daemon 3 times within 10 minutes, the last time: it hung", show("StatusText")
        )
        self.assertEqual(client.ask("submit 1"), "ok")
        self.assertEqual(client.ask("wait"), "ok 1")
        done = run(TEGU, "health")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("gpu_unavailable", done.stdout)
        systemctl("restart", "tegud.service")
        self.assertIn("GPU guarded memory", show("StatusText"))


class SlowGpu(WatchdogCase):
    environment = "TEGU_TEST_GPU=A TEGU_TEST_FAULT=slow:%s/slow" % WEDGES
    more = "TimeoutStartSec=4\n"

    def test_start_may_take_longer_while_the_gpu_warms_up(self):
        open(os.path.join(WEDGES, "slow"), "w").close()
        systemctl("start", "--no-block", "tegud.service")
        wait_for("a status", lambda: "starting: opening GPU 0 (guarded memory)" in show("StatusText"))
        self.assertEqual(show("ActiveState"), "activating")
        wait_for("the start", lambda: show("ActiveState") == "active")
        self.assertEqual(self.restarts(), 0)
        self.assertIn("serving on", show("StatusText"))

    def test_a_stop_meanwhile_is_no_failure_of_the_gpu(self):
        """More often than the GPU may fail."""
        slow = os.path.join(WEDGES, "slow")
        open(slow, "w").close()
        for _ in range(4):
            systemctl("start", "--no-block", "tegud.service")
            wait_for("a status", lambda: "starting: opening GPU 0 (guarded memory)" in show("StatusText"))
            systemctl("stop", "tegud.service")
            self.assertEqual((show("ActiveState"), show("Result")), ("inactive", "success"))
        self.assertEqual(self.messages().count("stopped while it waited for a GPU"), 4)
        os.unlink(slow)
        systemctl("start", "tegud.service")
        self.assertIn("GPU guarded memory", show("StatusText"))


if __name__ == "__main__":
    main()
