#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu metrics --textfile: what node_exporter finds, whether the daemon answers, is away, refuses or says
nothing."""

import os
import shutil
import socket
import subprocess
import time
import unittest

from daemon import BUILD, Daemon, TEGU

DOWN = b"# HELP tegu_up Whether tegud answered when this file was written.\n# TYPE tegu_up gauge\ntegu_up 0\n"


class TextfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.daemon.start()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def path(self, name):
        return os.path.join(self.daemon.folder, name)

    def names(self):
        return sorted(name for name in os.listdir(self.daemon.folder) if "prom" in name)

    def tearDown(self):
        for name in self.names():
            os.unlink(self.path(name))

    def test_a_daemon_that_answers(self):
        done = self.daemon.run("umask 077; tegu metrics --textfile tegu.prom")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        text = self.daemon.read("tegu.prom")
        self.assertTrue(text.endswith(DOWN.replace(b"up 0", b"up 1")), text[-200:])
        self.assertIn(b"\ntegu_build_info{", text)
        self.assertEqual(os.stat(self.path("tegu.prom")).st_mode & 0o7777, 0o644)
        self.assertEqual(self.names(), ["tegu.prom"])

    def test_the_file_is_replaced_as_a_whole(self):
        self.daemon.write("tegu.prom", b"old\n")
        os.chmod(self.path("tegu.prom"), 0o600)
        with open(self.path("tegu.prom"), "rb") as reader:
            self.assertEqual(self.daemon.run("tegu metrics --textfile tegu.prom").returncode, 0)
            self.assertEqual(reader.read(), b"old\n")
        self.assertIn(b"\ntegu_up 1\n", self.daemon.read("tegu.prom"))
        self.assertEqual(os.stat(self.path("tegu.prom")).st_mode & 0o7777, 0o644)

    def test_no_daemon(self):
        done = self.daemon.run("tegu metrics --textfile tegu.prom --socket missing.sock --timeout 60")
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertIn(b"missing.sock", done.stderr)
        self.assertEqual(self.daemon.read("tegu.prom"), DOWN)

    def test_a_daemon_that_says_nothing(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("mute.sock"))
            listener.listen(1)
            begin = time.monotonic()
            done = self.daemon.run("tegu metrics --textfile tegu.prom --socket mute.sock --timeout 0.3")
            waited = time.monotonic() - begin
        self.assertEqual((done.returncode, done.stderr), (75, b"tegu metrics: no answer within 0.3 s\n"))
        self.assertGreaterEqual(waited, 0.3)
        self.assertEqual(self.daemon.read("tegu.prom"), DOWN)

    @unittest.skipUnless(os.geteuid() == 0, "only root becomes somebody else")
    def test_a_user_who_may_not_connect(self):
        os.chmod(self.daemon.folder, 0o777)
        os.chmod(self.daemon.socket, 0o600)
        try:
            # The program and its library may not be where this user can read them.
            shutil.copy(TEGU, self.path("tegu"))
            shutil.copy(os.path.join(BUILD, "lib", "libtegu.so.0"), self.daemon.folder)
            done = subprocess.run(
                [
                    self.path("tegu"),
                    "metrics",
                    "--textfile",
                    self.path("tegu.prom"),
                    "--socket",
                    self.daemon.socket,
                    "--timeout",
                    "60",
                ],
                env=dict(os.environ, LD_LIBRARY_PATH=self.daemon.folder),
                preexec_fn=lambda: os.setuid(65534),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        finally:
            os.chmod(self.daemon.socket, 0o660)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertEqual(self.daemon.read("tegu.prom"), DOWN)

    def test_files_that_cannot_be_written(self):
        self.daemon.run("mkdir -p folder.prom.d")
        for path, code in (
            ("no/such/folder/tegu.prom", 73),
            ("folder.prom.d", 73),
            ("folder.prom.d/", 73),
            ("/dev/full", 74),
        ):
            done = self.daemon.run("tegu metrics --textfile " + path)
            self.assertEqual(done.returncode, code, (path, done.stderr))
            self.assertIn(path.encode(), done.stderr)
        os.rmdir(self.path("folder.prom.d"))
        self.assertEqual(self.names(), [])

    def test_a_full_disk_leaves_the_old_file(self):
        self.daemon.write("tegu.prom", b"old\n")
        done = self.daemon.run("ulimit -f 1; tegu metrics --textfile tegu.prom")
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertEqual((self.daemon.read("tegu.prom"), self.names()), (b"old\n", ["tegu.prom"]))

    def test_json_goes_to_stdout_only(self):
        self.assertEqual(self.daemon.run("tegu metrics --json --textfile tegu.prom").returncode, 64)
        self.assertEqual(self.names(), [])

    @unittest.skipIf(shutil.which("promtool") is None, "needs promtool")
    def test_promtool_has_nothing_to_say(self):
        for arguments in ("", " --socket missing.sock --timeout 0.1"):
            self.daemon.run("tegu metrics --textfile tegu.prom" + arguments)
            checked = self.daemon.run("promtool check metrics < tegu.prom")
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
