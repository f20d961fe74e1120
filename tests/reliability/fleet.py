# SPDX-License-Identifier: Apache-2.0
"""Eight clients, every other one of C++ and of Python, on one daemon: started, told when to run and to rest,
measured, and asked for their reports."""

import json
import os
import subprocess
import sys
import time

from board import Board, BREATHE, LEAVE, READY, REST, RESTED, RUN

CLIENTS = 8
PATIENCE_S = 180
HERE = os.path.dirname(os.path.abspath(__file__))


def resources(pid):
    """What a process holds: descriptors, mappings, and KiB of its own (anonymous) and of shared memory."""
    held = {"descriptors": len(os.listdir("/proc/%d/fd" % pid))}
    with open("/proc/%d/status" % pid) as status:
        fields = dict(line.split(":", 1) for line in status if ":" in line)
    for name, field in (("own_kib", "RssAnon"), ("shared_kib", "RssShmem")):
        held[name] = int(fields[field].split()[0])
    with open("/proc/%d/maps" % pid) as maps:
        held["mappings"] = sum(1 for _ in maps)
    return held


class Fleet(object):
    """folder: for the board and what the clients write. program: the client of C++. as_user: for each
    client's preexec_fn, or None."""

    def __init__(self, folder, program, socket, seed, pause_ms, as_user=(), niceness=0):
        self.folder = folder
        self.board = Board(os.path.join(folder, "board"), make=True)
        self.clients, self.outputs = [], []
        environment = dict(os.environ, TEGU_SOCKET=socket)
        for index in range(CLIENTS):
            command = (
                [program] if index % 2 == 0 else [sys.executable, "-B", os.path.join(HERE, "load_client.py")]
            )
            path = os.path.join(folder, "client%d" % index)
            with open(path, "w") as out:
                self.clients.append(
                    subprocess.Popen(
                        command + [self.board_path(), str(index), str(seed + index), str(pause_ms)],
                        stdin=subprocess.DEVNULL,
                        stdout=out,
                        stderr=out,
                        env=environment,
                        preexec_fn=self._prepare(
                            as_user[index % len(as_user)] if as_user else None, niceness
                        ),
                    )
                )
            self.outputs.append(path)

    @staticmethod
    def _prepare(become, niceness):
        def prepare():
            os.nice(niceness)
            if become is not None:
                become()

        return prepare

    def board_path(self):
        return os.path.join(self.folder, "board")

    @staticmethod
    def kind(index):
        return "Python" if index % 2 else "C++"

    def text(self, index):
        with open(self.outputs[index], errors="replace") as text:
            return text.read()

    def check_alive(self):
        for index, client in enumerate(self.clients):
            if client.poll() is not None:
                lines = [line for line in self.text(index).splitlines() if not line.startswith("gap ")]
                raise AssertionError(
                    "client %d (%s) ended with %d: %s"
                    % (index, self.kind(index), client.returncode, "\n".join(lines))
                )

    def wait_for(self, state):
        end = time.monotonic() + PATIENCE_S
        while any(seen != state for seen in self.board.states(CLIENTS)):
            self.check_alive()
            if time.monotonic() > end:
                raise AssertionError(
                    "the clients are not all in state %d: %s" % (state, self.board.states(CLIENTS))
                )
            time.sleep(0.02)

    def ready(self):
        self.wait_for(READY)
        return self.sample()

    def run(self):
        self.board.tell(RUN)

    def breathe(self):
        """Lets them end what they began and connect anew: what each holds then. run() goes on."""
        self.board.tell(BREATHE)
        self.wait_for(READY)
        return self.sample()

    def rest(self):
        """Lets them end what they began. What each holds then."""
        self.board.tell(REST)
        self.wait_for(RESTED)
        return self.sample()

    def sample(self):
        return [resources(client.pid) for client in self.clients]

    def leave(self):
        """Ends them; the report of each, with "gaps", the times between which it waited long."""
        self.board.tell(LEAVE)
        reports = []
        for index, client in enumerate(self.clients):
            if client.wait() != 0:
                self.check_alive()
            lines = self.text(index).splitlines()
            report = json.loads([line for line in lines if line.startswith("{")][-1])
            report["gaps"] = [
                tuple(float(word) for word in line.split()[1:]) for line in lines if line.startswith("gap ")
            ]
            report["kind"] = self.kind(index)
            reports.append(report)
        return reports

    def end(self):
        for client in self.clients:
            if client.poll() is None:
                client.kill()
                client.wait()


def total(reports):
    """The sums of what the clients report."""
    summed = {name: sum(report[name] for report in reports) for name in ("jobs", "reconnects", "resent")}
    summed["outcomes"] = {}
    for report in reports:
        for name, count in report["outcomes"].items():
            summed["outcomes"][name] = summed["outcomes"].get(name, 0) + count
    return summed


def growth(before, after):
    """For each client, what it holds more of."""
    return [{name: late[name] - early[name] for name in early} for early, late in zip(before, after)]
