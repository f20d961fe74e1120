#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud under systemd: started by its socket, in its sandbox, killed. Played by service_test.py; not to be
run by hand."""

import os
import time
import unittest

from inside import run, systemctl, show, wait_for, Holder, CLIENT, SOCKET, STRANGER, Service, main


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Life(Service):
    # Start by socket.

    def test_first_client_starts_the_daemon(self):
        self.assertEqual(show("ActiveState"), "inactive")
        client = self.holder()
        self.assertEqual(client.ask("ping"), "ok")
        self.assertEqual(show("ActiveState"), "active")
        self.assertEqual(show("NRestarts"), "0")

    def test_clients_need_the_group(self):
        refused = Holder(uid=STRANGER)
        self.clients.append(refused)
        self.assertIn("DENIED", refused.hello)
        self.assertEqual(show("ActiveState"), "inactive")

    def test_ready_means_listening_and_status_is_shown(self):
        """Without a socket unit nobody else listens: the first connect after READY must do."""
        systemctl("start", "tegud-alone.service")
        done = run(CLIENT, "run", "0.2", "1", env=dict(os.environ, TEGU_SOCKET="/run/tegud-alone/tegud.sock"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("/run/tegud-alone/tegud.sock", show("StatusText", "tegud-alone.service"))
        systemctl("start", "tegud.service")
        text = show("StatusText")
        self.assertIn("serving on " + SOCKET, text)
        self.assertIn(text, run("systemctl", "--no-pager", "--full", "status", "tegud.service").stdout)

    def test_daemon_is_in_its_sandbox(self):
        systemctl("start", "tegud.service")
        with open("/proc/%s/status" % show("MainPID")) as status:
            lines = dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)
        self.assertNotEqual(lines["Uid"].split()[0], "0")
        self.assertEqual(lines["NoNewPrivs"], "1")
        self.assertEqual(lines["Seccomp"], "2")
        for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(lines[name], 16), 0, name)

    def test_log_goes_to_the_journal_with_fields(self):
        systemctl("start", "tegud.service")
        run("journalctl", "--sync")
        found = self.journal("--unit=tegud.service", "--output=cat", "TEGUD_SOCKET=" + SOCKET)
        self.assertEqual(found.strip(), "ready on " + SOCKET)

    # Crash.

    def test_killed_under_load_no_job_is_lost(self):
        load = self.loads(5, 4)
        kills, under_load = 6, 0
        for _ in range(kills):
            time.sleep(0.5)
            wait_for("a running daemon", lambda: show("ActiveState") == "active")
            pid = show("MainPID")
            systemctl("kill", "--signal=KILL", "tegud.service")
            wait_for("the next daemon", lambda: show("MainPID") not in ("0", pid))
            under_load += all(
                process.poll() is None for process in load
            )  # on a busy machine the load may end before the last ones
        self.assertGreater(under_load, 0)
        reconnects = 0
        for process in load:
            text = process.stdout.read()
            self.assertEqual(process.wait(), 0, text)
            words = text.split()
            self.assertGreater(int(words[1]), 0, text)
            reconnects += int(words[3])
        self.assertGreaterEqual(reconnects, 4 * under_load // 2)
        self.assertEqual(int(show("NRestarts")), kills)

    def test_crash_of_a_job_that_runs(self):
        client = self.holder()
        self.assertEqual(client.ask("submit 4"), "ok")
        client.tell("wait")
        systemctl("kill", "--signal=KILL", "tegud.service")
        self.assertEqual(client.answer(), "ok 4")
        self.assertEqual(client.ask("reconnects"), "1")


if __name__ == "__main__":
    main()
