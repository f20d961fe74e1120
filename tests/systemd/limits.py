#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud under systemd with its drop-ins and at its limits: it dies again and again, cannot run programs.
Played by service_test.py; not to be run by hand."""

import os
import unittest

from inside import run, systemctl, show, wait_for, Service, main


def process_status():
    with open("/proc/%s/status" % show("MainPID")) as status:
        return dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Limits(Service):
    def test_daemon_that_dies_again_and_again(self):
        """Both units fail, nobody waits for ever, and the command of docs/systemd.md brings them back."""
        self.drop_in("ExecStart=\nExecStart=/bin/sh -c 'kill -SEGV $$'\n")
        with self.assertRaises(AssertionError):
            self.holder(reconnect_ms=0)
        wait_for(
            "the end of the restarts",
            lambda: (show("ActiveState"), show("ActiveState", "tegud.socket")) == ("failed", "failed"),
            seconds=180,
        )
        self.assertEqual(show("Result", "tegud.socket"), "service-start-limit-hit")
        self.assertGreaterEqual(int(show("NRestarts")), 29)
        self.assertIn(
            "repeated too quickly", self.journal("--unit=tegud.service", "--after-cursor=" + self.cursor)
        )
        self.remove_drop_ins()
        with open("/opt/tegu/source/docs/systemd.md") as page:
            command = "systemctl reset-failed tegud.service tegud.socket; systemctl start tegud.socket"
            self.assertIn(command, page.read())
        self.assertEqual(run("sh", "-c", command).returncode, 0)
        self.assertEqual(self.holder().ask("ping"), "ok")

    def test_no_sandbox_but_the_same_user(self):
        for name in ("50-no-sandbox.conf", "50-no-sandbox-245.conf", "50-no-sandbox-249.conf"):
            if self.is_known(name):
                self.shipped_drop_in(name)
        systemctl("start", "tegud.service")
        status = process_status()
        self.assertNotEqual(status["Uid"].split()[0], "0")
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("0", "0"))
        self.assertNotEqual(int(status["CapBnd"], 16), 0)
        self.assertEqual(os.stat("/proc/%s/root/tmp" % show("MainPID")).st_ino, os.stat("/tmp").st_ino)
        self.assertEqual(self.holder().ask("ping"), "ok")

    def test_nothing_else_can_be_run(self):
        name = "50-no-exec-248.conf"
        if not self.is_known(name):
            self.skipTest("systemd is older than 248")
        self.shipped_drop_in(name, r"/\S+/tegud\b", "/opt/tegu/sbin/tegud")
        client = self.holder()
        self.assertEqual(client.ask("submit 1"), "ok")
        self.assertEqual(client.ask("wait"), "ok 1")
        systemctl("reload", "tegud.service")
        wait_for("reload", lambda: "settings read again" in self.messages())
        done = run("nsenter", "--target", show("MainPID"), "--mount", "--root", "/bin/true")
        self.assertIn("ermission denied", done.stdout)
        self.assertNotEqual(done.returncode, 0)

    def test_card_whose_driver_is_not_there(self):
        self.shipped_drop_in("50-discrete-gpu.conf")
        self.assertEqual(self.holder().ask("ping"), "ok")
        self.assertEqual(show("NRestarts"), "0")


if __name__ == "__main__":
    main()
