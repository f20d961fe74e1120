#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud under systemd is stopped and restarted: in time, and without losing a job. Played by service_test.py;
not to be run by hand."""

import os
import time
import unittest

from inside import systemctl, show, SOCKET, Service, main


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Stop(Service):
    def test_stop_answers_every_accepted_job(self):
        self.write_settings("[timeouts]\nstop_ms = 90000\n")
        client = self.holder(reconnect_ms=0)
        self.load(60, seed=1)
        self.load(60, seed=2)
        time.sleep(0.5)
        jobs = 1 if "thread" in os.environ.get("TEGU_SANITIZE", "") else 4
        self.assertEqual(client.ask("submit %d" % jobs), "ok")
        client.tell("wait")
        systemctl("stop", "tegud.socket", "tegud.service")
        self.assertEqual(client.answer(), "ok %d" % jobs)
        self.assertEqual(show("Result"), "success")
        self.assertEqual(show("ExecMainCode"), "1")  # exited, not killed
        self.assertEqual(show("ExecMainStatus"), "0")
        self.assertFalse(os.path.exists(SOCKET))
        self.assertEqual(self.messages().count("stopped"), 1)

    def test_restart_keeps_the_socket(self):
        client = self.holder()
        node = os.stat(SOCKET).st_ino
        systemctl("restart", "tegud.service")
        self.assertEqual(os.stat(SOCKET).st_ino, node)
        self.assertEqual(client.ask("submit 1"), "ok")
        self.assertEqual(client.ask("wait"), "ok 1")
        self.assertEqual(client.ask("reconnects"), "1")
        self.holder()
        systemctl("stop", "tegud.service")
        self.assertEqual(os.stat(SOCKET).st_ino, node)
        self.holder()

    def test_stop_takes_as_long_as_the_settings_say(self):
        """The daemon asks for the time that jobs may still have: TimeoutStopSec= does not cut it off
        before."""
        self.drop_in("TimeoutStopSec=1\n")
        self.write_settings("[timeouts]\nstop_ms = 90000\n")
        client = self.holder(reconnect_ms=0)
        jobs = 2 if os.environ.get("TEGU_SANITIZE") else 12
        self.assertEqual(client.ask("submit %d" % jobs), "ok")
        client.tell("wait")
        begin = time.monotonic()
        systemctl("stop", "tegud.socket", "tegud.service")
        print("%d jobs ended in %.1f s of the stop" % (jobs, time.monotonic() - begin))
        self.assertEqual(client.answer(), "ok %d" % jobs)
        self.assertEqual(show("Result"), "success")
        self.assertEqual(show("ExecMainCode"), "1")  # exited, not killed

    def test_stop_has_a_deadline(self):
        self.write_settings("[timeouts]\nstop_ms = 1\n")
        client = self.holder(reconnect_ms=0)
        self.assertEqual(client.ask("submit 20"), "ok")
        client.tell("wait")
        systemctl("stop", "tegud.socket", "tegud.service")
        self.assertRegex(client.answer(), "SHUTTING_DOWN [0-9]+$")
        self.assertEqual(show("Result"), "success")
        self.assertEqual(show("ExecMainStatus"), "0")

    def test_restart_under_load_loses_no_job(self):
        """What has not ended in time is sent again by the clients, and done by the next daemon."""
        self.write_settings("[timeouts]\nstop_ms = 300\n")
        load = self.loads(6, 4)
        client = self.holder(reconnect_ms=60000)
        for _ in range(3):
            time.sleep(0.6)
            self.assertEqual(client.ask("submit 2"), "ok")
            systemctl("restart", "tegud.service")
            self.assertEqual(client.ask("wait"), "ok 2")
        reconnects = 0
        for process in load:
            text = process.stdout.read()
            self.assertEqual(process.wait(), 0, text)
            reconnects += int(text.split()[3])
        self.assertGreaterEqual(reconnects, 4)
        self.assertEqual(show("Result"), "success")
        self.assertNotIn("timed out", self.journal("--unit=tegud.service", "--after-cursor=" + self.cursor))


if __name__ == "__main__":
    main()
