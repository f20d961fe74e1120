# SPDX-License-Identifier: Apache-2.0
"""The board: a small mapped file by which the clients of a reliability test, of C++ and of Python, are told
what to do and tell what they are doing, without a message that a kill or a wait could delay. Byte 0 is the
command; byte 1 + i what client i does. load_client.cpp has the same numbers."""

import contextlib
import mmap
import os
import time

BYTES = 64
PREPARE, RUN, REST, LEAVE, BREATHE = range(
    5
)  # commands: REST ends what was begun and writes a report; BREATHE waits with a fresh connection
STARTING, READY, WORKING, REGISTERING, FREEZING, REPLIES, RELEASING, RESTED = range(8)
NAMES = ("starting", "ready", "working", "registering", "freezing", "replies", "releasing", "rested")
GAP_S = 0.010  # waits longer than this are written down


class Board(object):
    def __init__(self, path, make=False):
        if make:
            with open(path, "wb") as out:
                out.write(bytes(BYTES))
            os.chmod(path, 0o666)
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), BYTES)

    def command(self):
        return self.memory[0]

    def tell(self, command):
        self.memory[0] = command

    def states(self, clients):
        return list(self.memory[1 : 1 + clients])


class Watcher(object):
    """A Watch (mixed_load.py) for client `index`: shows what it does on the board, and writes down when it
    waited long for an answer."""

    def __init__(self, board, index, out):
        self.memory, self.place, self.out = board.memory, 1 + index, out
        self.since = None  # the last answer, or the first job after a rest

    def set(self, state):
        self.memory[self.place] = state

    @contextlib.contextmanager
    def doing(self, what):
        self.memory[self.place] = NAMES.index(what)
        if what in ("registering", "freezing", "releasing"):  # these wait for an answer, too
            self.submitted()
        yield
        if what in ("registering", "freezing", "releasing"):
            self.answered()
        self.memory[self.place] = WORKING

    def submitted(self):
        if self.since is None:
            self.since = time.monotonic()

    def answered(self):
        now = time.monotonic()
        if self.since is not None and now - self.since > GAP_S:
            self.out.write("gap %.6f %.6f\n" % (self.since, now))
        self.since = now

    def idle(self):
        """Nothing is in flight."""
        self.since = None
