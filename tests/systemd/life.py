#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The life of tegud under systemd: started by its socket, reloaded, stopped, restarted, killed. Played by service_test.py; not to be run by hand."""

import os
import time
import unittest

from inside import run, systemctl, show, wait_for, Holder, CLIENT, SOCKET, SETTINGS, STRANGER, Service, main


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

    # Reload.

    def test_reload_applies_good_settings_and_disturbs_nobody(self):
        client = self.holder()
        self.assertEqual(client.ask("submit 3"), "ok")
        self.write_settings("[limits]\nbuffers_per_connection = 1\n")
        systemctl("reload", "tegud.service")
        wait_for("reload", lambda: "settings read again" in self.messages())
        self.assertEqual(client.ask("wait"), "ok 3")
        self.assertEqual(client.ask("reconnects"), "0")
        for _ in range(10):  # what the library itself holds counts too
            answer = client.ask("buffer")
        self.assertEqual(answer, "OVER_QUOTA limits.buffers_per_connection")
        self.assertIn("limits.buffers_per_connection: 256 -> 1 (is applied at once)", self.messages())
        self.assertEqual(show("ActiveState"), "active")
        self.assertEqual(show("NRestarts"), "0")

    def test_reload_of_a_bad_file_keeps_what_is_in_force(self):
        client = self.holder()
        self.assertEqual(client.ask("submit 3"), "ok")
        pid = show("MainPID")
        self.write_settings("[limits]\nbuffers_per_connection = 1\nbuffers_per_uid = 0\nconections = 5\n")
        systemctl("reload", "tegud.service")
        wait_for("reload", lambda: "stay in force" in self.messages())
        self.assertEqual(client.ask("wait"), "ok 3")
        self.assertEqual([client.ask("buffer") for _ in range(10)], ["ok"] * 10)
        self.assertEqual(client.ask("reconnects"), "0")
        messages = self.messages()
        self.assertIn(SETTINGS + ":3:19: error: limits.buffers_per_uid: found 0, allowed 1..65536", messages)
        self.assertIn(SETTINGS + ":4:1: error: limits.conections: unknown key; did you mean limits.connections?", messages)
        self.assertIn("reload failed", show("StatusText"))
        self.assertEqual(show("MainPID"), pid)
        self.write_settings("")
        systemctl("reload", "tegud.service")
        wait_for("status", lambda: "reload failed" not in show("StatusText"))

    def test_bad_settings_at_start_are_not_retried(self):
        self.write_settings("[limits]\nconnections = 0\n")
        self.assertNotEqual(run("systemctl", "start", "tegud.service").returncode, 0)
        time.sleep(0.5)  # several times RestartSec
        self.assertEqual(show("ActiveState"), "failed")
        self.assertEqual(show("ExecMainStatus"), "78")
        self.assertEqual(show("NRestarts"), "0")
        self.assertIn(SETTINGS + ":2:15: error: limits.connections: found 0, allowed 1..65536", self.messages())

    # Stop.

    def test_stop_answers_every_accepted_job(self):
        client = self.holder(reconnect_ms=0)
        self.load(60, seed=1)
        self.load(60, seed=2)
        time.sleep(0.5)
        jobs = 1 if "thread" in os.environ.get("TEGU_SANITIZE", "") else 6  # what ends within timeouts.stop_ms
        self.assertEqual(client.ask("submit %d" % jobs), "ok")
        client.tell("wait")
        begin = time.monotonic()
        systemctl("stop", "tegud.socket", "tegud.service")
        seconds = time.monotonic() - begin
        self.assertEqual(client.answer(), "ok %d" % jobs)
        self.assertLess(seconds, 15, "timeouts.stop_ms is 10 s")
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

    # Crash.

    def test_killed_under_load_no_job_is_lost(self):
        load = [self.load(5, seed) for seed in range(4)]
        kills = 0
        for _ in range(6):
            time.sleep(0.5)
            wait_for("a running daemon", lambda: show("ActiveState") == "active")
            systemctl("kill", "--signal=KILL", "tegud.service")
            kills += 1
        reconnects = 0
        for process in load:
            text = process.stdout.read()
            self.assertEqual(process.wait(), 0, text)
            words = text.split()
            self.assertGreater(int(words[1]), 0, text)
            reconnects += int(words[3])
        self.assertGreaterEqual(reconnects, 4 * kills // 2)
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
