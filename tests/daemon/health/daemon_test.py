#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud on the boards of tests/data/boards, asked by the command: the values of the golden files come out at
its end, the exit code is the state, and what an operator reads in the log says what is wrong."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.environ.get("TEGU_BUILD_DIR", "build/release")
BOARDS = os.path.join(SOURCE, "tests", "data", "boards")
NAMES = ("nano", "tx2", "xavier-nx", "orin-nano", "agx-orin", "thor", "pc")
PATIENCE = 60  # seconds, for a machine that is busy


def unescaped(text):
    data = text.encode().replace(b"\\n", b"\n").replace(b"\\0", b"\0")
    return data if data.endswith(b"\0") else data + b"\n"


def unpack(board, root):
    """The files of a board as they are at its second reading; what fails by an error of a driver is left
    out."""
    with open(os.path.join(BOARDS, board + ".tree"), encoding="utf-8") as tree:
        lines = [line.rstrip("\n") for line in tree if not line.startswith(("#", "@"))]
    for line in lines:
        path, separator, text = line.partition("\t")
        if separator and text.startswith("!"):
            continue
        target = None
        if not separator:
            path, target = line.split(" -> ")
        place = os.path.join(root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if target is not None:
            os.symlink(target, place)
        else:
            with open(place, "wb") as file:
                file.write(unescaped(text))


class Board:
    """with Board("nano", {path: text}) as board: a daemon on it; `edits` replace files."""

    def __init__(self, name, edits=None):
        self.folder = tempfile.mkdtemp(prefix="tegu-health-")
        self.root, self.socket = os.path.join(self.folder, "root"), os.path.join(self.folder, "socket")
        os.mkdir(self.root)
        unpack(name, self.root)
        for path, text in (edits or {}).items():
            with open(os.path.join(self.root, path), "w") as file:
                file.write(text)

    def __enter__(self):
        self.log = open(os.path.join(self.folder, "log"), "w+")
        config = os.path.join(self.folder, "tegud.toml")
        with open(config, "w") as file:
            # Else this machine's lack of a GPU would be a reason. No client is too slow.
            file.write('executor.backend = "cpu"\ntimeouts.hello_ms = 600000\n')
        self.process = subprocess.Popen(
            [
                os.path.join(BUILD, "bin", "tegud"),
                "--config",
                config,
                "--socket",
                self.socket,
                "--sysroot",
                self.root,
            ],
            stdout=self.log,
            stderr=self.log,
        )
        self.wait_for(lambda: self.health()[1]["reading"]["number"] >= 2)
        return self

    def __exit__(self, *failure):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if code != 0 and failure[0] is None:
            raise RuntimeError("tegud ended with %d" % code)

    def tegu(self, *arguments):
        return subprocess.run(
            [os.path.join(BUILD, "bin", "tegu")] + list(arguments) + ["--socket", self.socket],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )

    def health(self):
        done = self.tegu("health", "--json")
        return done.returncode, (json.loads(done.stdout) or {}).get("health") or {"reading": {"number": 0}}

    def wait_for(self, holds):
        end = time.time() + PATIENCE
        while not holds():
            if time.time() > end or self.process.poll() is not None:
                raise RuntimeError("it does not come: " + self.text_of_log())
            time.sleep(0.05)

    def text_of_log(self):
        with open(os.path.join(self.folder, "log")) as log:
            return log.read()


class HealthOfBoards(unittest.TestCase):
    def test_each_board_shows_the_values_of_its_golden_file(self):
        for name in NAMES:
            with self.subTest(name), Board(name) as board:
                code, health = board.health()
                with open(os.path.join(BOARDS, name + ".json"), encoding="utf-8") as file:
                    golden = json.load(file)
                self.assertEqual((code, health["state"], health["reasons"]), (0, "ok", []))
                for part in ("board", "memory", "pressure", "fans"):
                    self.assertEqual(health[part], golden[part], part)
                self.assertEqual(health["power"]["rails"], golden["power"]["rails"])
                self.assertEqual(health["cpu"]["clusters"], golden["cpu"]["clusters"])
                known = {zone["zone"]: zone for zone in health["thermal"]["zones"]}
                for zone in golden["thermal"]["zones"]:
                    if zone["temperature_celsius"] is not None:
                        self.assertEqual(known[zone["zone"]], zone)

    def test_the_exit_code_is_the_state_and_the_log_says_why(self):
        alarm = {"sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon1/curr1_crit_alarm": "1\n"}
        with Board("orin-nano", alarm) as board:
            board.wait_for(lambda: board.health()[0] == 1)
            self.assertEqual([reason["code"] for reason in board.health()[1]["reasons"]], ["rail_alarm"])
            self.assertIn("VDD_IN is over its limit", board.tegu("health").stdout)
            board.wait_for(lambda: "warning: VDD_IN is over its limit" in board.text_of_log())
        with Board("orin-nano", {"sys/class/thermal/thermal_zone8/temp": "103000\n"}) as board:
            board.wait_for(lambda: board.health()[0] == 2)
            self.assertEqual(board.tegu("health").returncode, 2)
            self.assertIn('tegu_health_state{state="failing"} 1\n', board.tegu("metrics").stdout)
            self.assertIn(
                'tegu_health_reason{code="thermal_critical",subject="tj-thermal"} 1\n',
                board.tegu("metrics").stdout,
            )
            board.wait_for(lambda: "shuts down" in board.text_of_log())
            number = board.health()[1]["reading"]["number"]
            board.wait_for(lambda: board.health()[1]["reading"]["number"] >= number + 2)
            self.assertEqual(board.text_of_log().count("shuts down"), 1, "once, not once a second")

    def test_a_board_that_cannot_be_read_is_no_reason_not_to_serve(self):
        with Board("nano") as board:
            shutil.rmtree(board.root)
            board.wait_for(lambda: board.health()[1]["memory"]["total_bytes"] is None)
            code, health = board.health()
            self.assertEqual((code, health["state"]), (0, "ok"))
            self.assertEqual(board.tegu("ping").returncode, 0)


if __name__ == "__main__":
    unittest.main()
