#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud under systemd reads its settings: good ones, bad ones, hostile ones, at reload and at start. Played
by service_test.py; not to be run by hand."""

import os
import time
import unittest

from inside import run, systemctl, show, wait_for, SETTINGS, Service, main


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Reload(Service):
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
        self.assertIn(
            SETTINGS + ":4:1: error: limits.conections: unknown key; did you mean limits.connections?",
            messages,
        )
        self.assertIn("reload failed", show("StatusText"))
        self.assertEqual(show("MainPID"), pid)
        self.write_settings("")
        systemctl("reload", "tegud.service")
        wait_for("status", lambda: "reload failed" not in show("StatusText"))

    def test_reload_many_times_under_load(self):
        load = [self.load(3, seed) for seed in range(2)]
        client = self.holder()
        pid = show("MainPID")
        for number in range(20):
            self.write_settings("[limits]\nconnections_per_uid = %d\n" % (20 + number))
            systemctl("reload", "tegud.service")
        wait_for("the last of them", lambda: "-> 39 " in self.messages())
        self.assertEqual(client.ask("ping"), "ok")
        for process in load:
            text = process.stdout.read()
            self.assertEqual(process.wait(), 0, text)
            self.assertEqual(text.split()[3], "0", text)  # reconnects
        self.assertEqual(show("MainPID"), pid)

    # Settings that are no file of settings: reload keeps what is in force, a start is refused once.

    def hostile(self):
        """(what it is, how to make it, what the message says of it)."""

        def device():
            os.symlink("/dev/zero", SETTINGS)

        def huge():
            with open(SETTINGS, "w") as out:
                out.truncate(1 << 40)

        def secret():
            self.write_settings("")
            os.chmod(SETTINGS, 0)

        def garbage():
            with open(SETTINGS, "wb") as out:
                out.write(bytes(range(256)) * 16)

        def newer():
            self.write_settings("[hologram]\ndepth = 3\n")

        return [
            ("folder", lambda: os.mkdir(SETTINGS), ""),
            ("FIFO", lambda: os.mkfifo(SETTINGS), "found a special file, allowed a regular file"),
            ("device", device, "found a special file, allowed a regular file"),
            ("huge", huge, "bytes, allowed at most that"),
            ("secret", secret, "ermission denied"),
            ("garbage", garbage, "error"),
            ("of a newer version", newer, "hologram: unknown table"),
        ]

    def clear_settings(self):
        if os.path.isdir(SETTINGS):
            os.rmdir(SETTINGS)
        elif os.path.lexists(SETTINGS):
            os.unlink(SETTINGS)

    def test_reload_of_hostile_settings(self):
        os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
        self.addCleanup(self.clear_settings)
        client = self.holder()
        pid = show("MainPID")
        for what, make, words in self.hostile():
            with self.subTest(what):
                self.clear_settings()
                make()
                seen = self.messages()
                systemctl("reload", "tegud.service")
                wait_for("its refusal", lambda: "stay in force" in self.messages()[len(seen) :])
                self.assertIn(words, self.messages()[len(seen) :])
                self.assertIn("reload failed", show("StatusText"))
                self.assertEqual(client.ask("ping"), "ok")
        self.assertEqual(show("MainPID"), pid)
        self.assertEqual(client.ask("reconnects"), "0")

    def test_start_with_hostile_settings(self):
        os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
        self.addCleanup(self.clear_settings)
        for what, make, words in self.hostile():
            with self.subTest(what):
                self.clear_settings()
                make()
                self.assertNotEqual(run("systemctl", "start", "tegud.service").returncode, 0)
                self.assertEqual(
                    (show("ActiveState"), show("ExecMainStatus"), show("NRestarts")), ("failed", "78", "0")
                )
                self.assertIn(words, self.messages())
                systemctl("reset-failed", "tegud.service")

    def test_bad_settings_at_start_are_not_retried(self):
        self.write_settings("[limits]\nconnections = 0\n")
        self.assertNotEqual(run("systemctl", "start", "tegud.service").returncode, 0)
        time.sleep(0.5)  # several times RestartSec
        self.assertEqual(show("ActiveState"), "failed")
        self.assertEqual(show("ExecMainStatus"), "78")
        self.assertEqual(show("NRestarts"), "0")
        self.assertIn(
            SETTINGS + ":2:15: error: limits.connections: found 0, allowed 1..65536", self.messages()
        )


if __name__ == "__main__":
    main()
