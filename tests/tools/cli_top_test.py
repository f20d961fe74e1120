#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu top in a real terminal, that of tmux, beside a daemon that reads a board of tests/data/boards: what is
on the screen after keys, new sizes and the end of the daemon, and that the terminal is as it was before
whatever ends the program. Skipped without tmux."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from daemon import Daemon, PATIENCE, SOURCE, TEGUD

sys.path.insert(0, os.path.join(SOURCE, "tests", "daemon", "health"))
from daemon_test import unpack  # noqa: E402

SIXTEEN_COLOURS = re.compile(r"\x1b\[(?:(?:[0-9]|[34][0-79]|9[0-7]|10[0-7])(?:;|m))+")


class BoardDaemon(Daemon):
    """A daemon on the files of a board."""

    def __init__(self):
        super().__init__('executor.backend = "cpu"\n')

    def start(self):
        self.launch()
        self.wait_until_it_answers()

    def launch(self):
        root = os.path.join(self.folder, "root")
        if not os.path.exists(root):
            os.mkdir(root)
            unpack("xavier-nx", root)
        with open(os.path.join(self.folder, "tegud.log"), "ab") as log:
            self.process = subprocess.Popen(
                [TEGUD, "--config", self.config, "--socket", self.socket, "--sysroot", root],
                stdout=log,
                stderr=log,
            )

    def wait_until_it_answers(self):
        end = time.time() + PATIENCE
        while (
            b'"number": 0' in self.run("tegu health --json").stdout or self.run("tegu ping").returncode != 0
        ):
            if self.process.poll() is not None or time.time() > end:
                raise RuntimeError("tegud did not start: " + self.log())
            time.sleep(0.02)

    def wait_for_tops(self, count):
        """The processes of `tegu top`, once it has seen so many."""
        end = time.time() + PATIENCE
        while True:
            found = [
                client["pid"]
                for client in self.json("tegu health")["health"]["daemon"]["clients"]
                if client["name"] == "tegu top" and client["connections"] > 0
            ]
            if len(found) == count:
                return found
            if time.time() > end:
                raise AssertionError("%d times tegu top: %s" % (count, found))
            time.sleep(0.02)


class Terminal:
    """A shell in a tmux of its own."""

    count = 0

    def __init__(self, daemon, width=80, height=24, kind="screen", **environment):
        self.daemon = daemon
        Terminal.count += 1
        self.socket = os.path.join(daemon.folder, "tmux-%d" % Terminal.count)
        variables = dict(daemon.environment, LC_ALL="C.UTF-8", SHELL="/bin/sh")
        for name in ("TMUX", "NO_COLOR", "ENV"):
            variables.pop(name, None)
        variables.update(environment)
        variables["ASAN_OPTIONS"] = (
            # ncurses keeps what it knows of the terminal; signals are the program's here
            "detect_leaks=0:handle_segv=0"
        )
        self.variables = variables
        self.tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            str(width),
            "-y",
            str(height),
            "env TERM=%s PS1='ready> ' /bin/sh" % kind,
        )

    def __enter__(self):
        try:
            self.wait("ready>")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure):
        self.tmux("kill-server")

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-u", "-S", self.socket] + list(arguments),
            env=self.variables,
            cwd=self.daemon.folder,
            check=True,
            stdout=subprocess.PIPE,
            timeout=PATIENCE,
        ).stdout.decode()

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def line(self, text):
        self.tmux("send-keys", "-l", text)
        self.keys("Enter")

    def screen(self, escapes=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if escapes else []))

    def wait(self, what, gone=False, escapes=False):
        """The screen, once it shows `what`, a regular expression; or once it does not any more. It may be
        half drawn: each thing that shall be there is waited for by itself."""
        end = time.time() + PATIENCE
        while True:
            shown = self.screen(escapes)
            if bool(re.search(what, shown)) != gone:
                return shown
            if time.time() > end:
                raise AssertionError("%r does not %s:\n%s" % (what, "go" if gone else "come", shown))
            time.sleep(0.02)

    def top(self, *arguments):
        """Starts it after a look at the settings of the terminal."""
        self.line("stty -a > before; tegu top -i 0.1 %s; echo ended with $?" % " ".join(arguments))
        return self.wait("q quit")

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))


class TopTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = BoardDaemon()
        cls.daemon.start()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def settings_are_back(self, terminal):
        Terminal.count += 1
        terminal.wait(
            r"ready>\s*\Z"
        )  # the shell reads again: what is typed before may be echoed before the prompt
        terminal.line("stty -a > after; echo look %d" % Terminal.count)
        terminal.wait(r"(?m)^look %d" % Terminal.count)
        self.assertEqual(self.settings("after"), self.settings("before"))

    def settings(self, name):
        """What stty said of the terminal, but its size."""
        return re.sub("rows [0-9]+; columns [0-9]+; ", "", self.daemon.read(name).decode())

    def test_a_screen_of_80x24_in_sixteen_colours(self):
        with Terminal(self.daemon) as terminal:
            terminal.top()
            terminal.wait(r"(?m)Jobs/s +0")
            for what in (
                "^ ok +Jetson Xavier NX +MODE_20W_6CORE",
                "Daemon +cpu",
                "^Mem +━",
                "^GPU-therm +46.0 °C ━+╸?─+ +44.5",
                "^Power .* 8.55 W",
                "^GPU +━+.* 47 % +803/1109 MHz",
                "queue +high 0",
                "Latency +p50 +p99 +max",
                "^ +PID USER +NAME .*GPU%▾",
                r"^ +[0-9]+ \S+ +tegu top ",
            ):
                terminal.wait("(?m)" + what)
            coloured = terminal.wait(r"\x1b\[36m", escapes=True)
            for sequence in re.findall(r"\x1b\[[0-9;]*m", coloured):
                self.assertRegex(sequence, SIXTEEN_COLOURS)
            self.daemon.run("tegu latency --count 50")
            terminal.wait(r"reduce +[0-9.]+ +50")
            terminal.keys("q")
            terminal.wait("ended with 0")
            self.settings_are_back(terminal)

    def test_keys(self):
        with Terminal(self.daemon) as terminal:
            terminal.top("--sort", "pid")
            terminal.wait("PID▴")
            terminal.keys("r")
            terminal.wait("PID▾")
            terminal.keys("s")
            terminal.wait("USER▴")
            terminal.keys("Left")
            terminal.wait("PID▴")
            terminal.keys("p")
            terminal.wait(" paused ")
            terminal.keys("Space")
            terminal.wait(" paused ", gone=True)
            terminal.keys("u")
            terminal.wait("u clients")
            terminal.keys("Tab")
            terminal.wait("u users")
            terminal.keys("h")
            terminal.wait("this page; any key leaves it")
            terminal.keys("x")
            terminal.wait("any key leaves it", gone=True)
            terminal.keys("+")
            terminal.wait(r"\+- 0.2 s")
            terminal.keys("Escape")
            terminal.wait("ended with 0")

    def test_new_sizes(self):
        with Terminal(self.daemon) as terminal:
            terminal.top()
            terminal.resize(120, 40)
            # Of 40 lines, the last one drawn, too.
            terminal.wait(r"\A(?=(?:.*\n)+? +4 .* 5 .*%? .*Tboard_tegra)(.*\n){39}.*q quit")
            terminal.wait(r"(?m)^GPU .* Temperatures +to throttling +Daemon")
            terminal.resize(40, 10)
            terminal.wait(r"\A ok .*\nGPU (.*\n){8}q quit")
            for what in ("^GPU ", "^CPU ", "^Mem ", "^queue ", "^Jobs/s ", "^ +PID NAME"):
                terminal.wait("(?m)" + what)
            terminal.resize(20, 5)
            terminal.wait("30 x 8 is the le")
            terminal.resize(80, 24)
            terminal.wait("r reverse")
            terminal.keys("q")
            terminal.wait("ended with 0")
            self.settings_are_back(terminal)

    def test_the_daemon_goes_and_comes_back(self):
        with Terminal(self.daemon) as terminal:
            terminal.top()
            self.daemon.kill()
            terminal.wait("trying again for .*no daemon answers")
            terminal.wait(" no answer ")
            terminal.wait("803/1109 MHz")  # what was known last
            self.daemon.launch()
            terminal.wait("the daemon was restarted")  # is shown for a few seconds: nothing else first
            self.daemon.wait_until_it_answers()
            terminal.wait("tegu top")
            self.daemon.process.send_signal(signal.SIGSTOP)
            try:
                terminal.wait("has not answered for")
                terminal.keys("q")  # a daemon that hangs holds nobody
                terminal.wait("ended with 0")
            finally:
                self.daemon.process.send_signal(signal.SIGCONT)
            self.settings_are_back(terminal)

    def pid_of_top(self):
        """Once the daemon has seen the end of the one before, and this one."""
        return self.daemon.wait_for_tops(1)[0]

    def test_signals_give_the_terminal_back(self):
        with Terminal(self.daemon) as terminal:
            for number, code in (
                (signal.SIGTERM, 143),
                (signal.SIGHUP, 129),
                (signal.SIGINT, 0),
                (signal.SIGSEGV, None),
            ):
                terminal.line("ulimit -c 0; clear")
                terminal.top()
                os.kill(self.pid_of_top(), number)
                shown = terminal.wait("ended with [0-9]+")
                if code is not None:
                    self.assertIn("ended with %d" % code, shown)
                self.settings_are_back(terminal)

    def test_stop_and_go_on(self):
        with Terminal(self.daemon) as terminal:
            terminal.line("set -m; clear")
            terminal.top()
            terminal.keys("C-z")
            terminal.wait("q quit", gone=True)
            self.settings_are_back(terminal)
            terminal.resize(100, 30)
            terminal.line("fg")
            terminal.wait("BYTES/S")  # what only the new size has place for
            terminal.keys("q")
            terminal.wait("q quit", gone=True)
            self.settings_are_back(terminal)

    def test_no_colour_and_no_unicode(self):
        for arguments, environment in (([], {"NO_COLOR": "1"}), (["--no-colour"], {})):
            with Terminal(self.daemon, **environment) as terminal:
                terminal.top(*arguments)
                terminal.wait("GPU +━")
                self.assertNotRegex(terminal.screen(escapes=True), r"\x1b\[[0-9;]*\b3[0-7]\b")
                terminal.keys("q")
                terminal.wait("ended with 0")
        for kind, environment in (("screen", {"LC_ALL": "C"}), ("linux", {})):
            with Terminal(self.daemon, kind=kind, **environment) as terminal:
                terminal.top()
                shown = terminal.wait("(?m)^GPU +#+-+ ")
                self.assertTrue(all(ord(character) < 128 for character in shown), shown)
                terminal.keys("q")
                terminal.wait("ended with 0")

    def test_terminals_that_cannot_be_drawn_on(self):
        for kind in ("dumb", "no-such-terminal", "''"):
            with Terminal(self.daemon) as terminal:
                terminal.line("TERM=%s tegu top; echo ended with $?" % kind)
                shown = terminal.wait("ended with [0-9]+")
                self.assertRegex(
                    shown.replace("\n", ""),
                    "tegu top: TERM is .*: set TERM to ?what it is, or use --once.*ended with 64",
                )
        with Terminal(self.daemon) as terminal:
            terminal.line("tegu top < /dev/null; echo ended with $?")
            self.assertIn("stdin, which is no terminal: use --once", terminal.wait("ended with 64"))


class OnceTest(unittest.TestCase):
    def test_one_frame_as_text(self):
        with BoardDaemon() as daemon:
            for command, bar in (
                ("LC_ALL=C.UTF-8 tegu top -i 0.1 --sort rate", "━"),
                ("tegu top --once -i 0.1 --no-colour", "#"),
            ):
                daemon.wait_for_tops(0)  # it has seen the end of the first one
                done = daemon.run(command)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertNotIn(b"\x1b", done.stdout)
                text = done.stdout.decode()
                self.assertRegex(text, r"(?m)^GPU +%s+" % bar)
                self.assertEqual(text.count("tegu top"), 1, text)  # it sees itself
            report = daemon.json("tegu top")
            self.assertEqual((report["operation"], report["error"]), ("top", None))
            self.assertEqual(report["health"]["gpu"]["load_ratio"], 0.472)
            self.assertEqual(
                daemon.run("COLUMNS=150 tegu top -1 -i 0.1").stdout.split(b"\n")[0].count(b" tegud "), 1
            )
            missing = daemon.run("tegu top --socket missing.sock --json")
            self.assertEqual(missing.returncode, 69)
            self.assertEqual(json.loads(missing.stdout.decode())["error"]["status"], "UNAVAILABLE")
            self.assertEqual(daemon.run("tegu top --interval 0.01").returncode, 64)
            self.assertEqual(daemon.run("tegu top --sort size").returncode, 64)


if __name__ == "__main__":
    if shutil.which("tmux") is None:
        print("tmux is not installed")
        sys.exit(77)
    unittest.main()
