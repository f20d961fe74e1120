#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a terminal sees and a pipe does not: bold headings, a live line; NO_COLOR and TERM=dumb; signals."""

import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from daemon import Daemon, PATIENCE, TEGU
from files import pgm


class TerminalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.daemon.start()
        cls.daemon.write("image.pgm", pgm(3, 2, b"abcdef"))

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def on_terminal(self, arguments, interrupt_after=None, daemon=None, **environment):
        """(exit code, what came to the terminal) of a command whose stdout and stderr are a terminal."""
        outer, inner = pty.openpty()
        daemon = daemon or self.daemon
        variables = dict(daemon.environment, TERM="xterm")
        variables.pop("NO_COLOR", None)
        variables.update(environment)
        process = subprocess.Popen(
            [TEGU] + arguments,
            cwd=daemon.folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=inner,
            stderr=inner,
        )
        os.close(inner)
        text, end = b"", time.time() + PATIENCE
        while time.time() < end:
            if interrupt_after is not None and interrupt_after in text:
                process.send_signal(signal.SIGINT)
                interrupt_after = None
            if not select.select([outer], [], [], 0.1)[0]:
                continue
            try:
                more = os.read(outer, 65536)
            except OSError:  # the other side is closed
                break
            if not more:
                break
            text += more
        os.close(outer)
        return process.wait(PATIENCE), text

    def test_bold_heading(self):
        code, text = self.on_terminal(["topk", "-k", "1", "image.pgm"])
        self.assertEqual(code, 0)
        self.assertIn(b"\x1b[1m  rank   value   index   row   column\x1b[0m", text)

    def test_no_escape_sequences_if_unwanted(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            code, text = self.on_terminal(["topk", "-k", "1", "image.pgm"], **environment)
            self.assertEqual(code, 0)
            self.assertIn(b"rank", text)
            self.assertNotIn(b"\x1b", text)
        self.assertNotIn(b"\x1b", self.daemon.run("TERM=xterm tegu topk -k 1 image.pgm").stdout)

    def test_live_line_of_latency_and_interrupt(self):
        code, text = self.on_terminal(["latency", "--seconds", "600"], interrupt_after=b"samples)")
        self.assertEqual(code, 0)
        self.assertIn(b"\rmin ", text)
        self.assertIn(b"sums of 1024 f32, 1 in flight: ", text)
        done = self.daemon.run("tegu latency --seconds 0.3")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_progress_of_a_slow_pipe(self):
        outer, inner = pty.openpty()
        process = subprocess.Popen(
            [TEGU, "reduce", "--dtype", "u8", "--stats", "count", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=inner,
            env=dict(self.daemon.environment, TERM="xterm"),
        )
        os.close(inner)
        wanted = re.compile(rb"^\rreading [0-9]+ B, [0-9.e-]+ GB/s")
        line, end = b"", time.time() + PATIENCE
        while not wanted.search(line) and time.time() < end:  # for the first second nothing is said
            process.stdin.write(b"x")
            process.stdin.flush()
            if select.select([outer], [], [], 0.1)[0]:
                line += os.read(outer, 65536)  # a part of the line, it may be
        out, _ = process.communicate(timeout=PATIENCE)
        os.close(outer)
        self.assertRegex(line, wanted)
        self.assertEqual(process.returncode, 0)
        self.assertNotIn(b"reading ", out)

    def test_a_long_job_says_how_long_it_is_expected_to_take(self):
        """Jobs grow until one is still computed when the line comes. One thread: many would be too fast."""
        with Daemon("[executor]\nthreads = 1\n") as daemon:
            for rows in (1000, 3000, 9000, 27000):
                with open(os.path.join(daemon.folder, "long.raw"), "wb") as target:
                    for _ in range(rows):
                        target.write(os.urandom(4000))
                code, text = self.on_terminal(
                    ["entropy-map", "--window", "63", "--levels", "256", "--dtype", "u8", "--shape"]
                    + ["%dx4000" % rows, "long.raw"],
                    daemon=daemon,
                )
                self.assertEqual(code, 0, text)
                if b"computing" in text:
                    break
        self.assertRegex(
            text,
            rb"\rcomputing [0-9.]+ [mun]?s"
            rb"(: about [0-9]+ % of the expected [0-9.]+ [mun]?s, [0-9.]+ [mun]?s left"
            rb"|, longer than the expected [0-9.]+ [mun]?s)",
        )

    def test_colour_is_asked_for_and_forbidden(self):
        for options in (["--no-color"], ["--color=never"], ["--no-colour"]):
            code, text = self.on_terminal(options + ["topk", "-k", "1", "image.pgm"])
            self.assertEqual(code, 0)
            self.assertNotIn(b"\x1b", text)
        code, text = self.on_terminal(["topk", "-k", "1", "image.pgm", "--color"], NO_COLOR="1")
        self.assertIn(b"\x1b[1m", text)
        _, text = self.on_terminal(["health"])
        self.assertRegex(text, rb"\x1b\[1mhealth\x1b\[0m +\x1b\[1;3[123]m(ok|degraded|failing)\x1b\[0m")

    def test_watch_redraws_and_ends_by_interrupt(self):
        code, text = self.on_terminal(
            ["stats", "--watch", "--interval", "0.05"], interrupt_after=b"\x1b[H\x1b[J"
        )
        self.assertEqual(code, 0)
        self.assertIn(b"per second", text)

    def waiting_job(self, arguments):
        """A command that waits for a daemon that is stopped."""
        self.daemon.process.send_signal(signal.SIGSTOP)
        try:
            return subprocess.run(
                [TEGU] + arguments,
                cwd=self.daemon.folder,
                env=self.daemon.environment,
                timeout=PATIENCE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        finally:
            self.daemon.process.send_signal(signal.SIGCONT)

    def test_a_daemon_that_hangs_cannot_hold_the_command(self):
        for arguments in (["ping"], ["info"], ["stats"], ["buffers"], ["reduce", "image.pgm"], ["latency"]):
            done = self.waiting_job(arguments + ["--timeout", "0.2", "--json"])
            self.assertIn(done.returncode, (69, 75), (arguments, done))
            self.assertIn(b'"error": {"status"', done.stdout, arguments)
            self.assertTrue(done.stderr.startswith(b"tegu " + arguments[0].encode() + b": "), done.stderr)

    def test_a_timeout_and_a_signal_remove_the_temporary_file(self):
        self.daemon.run("mkdir -p out")
        done = self.waiting_job(["entropy-map", "image.pgm", "-o", "out/map.npy", "--timeout", "0.2"])
        self.assertIn(done.returncode, (69, 75))
        self.assertEqual(os.listdir(os.path.join(self.daemon.folder, "out")), [])
        for number in (signal.SIGINT, signal.SIGTERM):
            self.daemon.process.send_signal(signal.SIGSTOP)
            process = subprocess.Popen(
                [TEGU, "entropy-map", "image.pgm", "-o", "out/map.npy"],
                cwd=self.daemon.folder,
                env=self.daemon.environment,
            )
            folder, end = os.path.join(self.daemon.folder, "out"), time.time() + PATIENCE
            while not os.listdir(folder) and time.time() < end:
                time.sleep(0.01)
            self.assertEqual(len(os.listdir(folder)), 1)
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), -number)
            self.daemon.process.send_signal(signal.SIGCONT)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
