#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tegud costs while no job runs: readings of the board, answers to HEALTH, signs of life to a service
manager. Processor time by the kernel's count of each thread; of readings and answers the least of several
batches, for whoever else computes takes caches away. Not a test: docs/health.md and
docs/daemon/watchdog.md have what it printed.
    TEGU_BUILD_DIR=build/release tests/daemon/costs.py [SECONDS]     of each line, 60 without it"""

import json
import os
import shutil
import socket
import struct
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "health"))
from daemon_test import unpack
from rawclient import HEALTH, Connection, Daemon

SETTINGS = '[executor]\nthreads = 4\nbackend = "cpu"\n'
FORMS = ("object", "lines", "metrics")
BATCHES, ANSWERS = 20, 50


def times_ns(pid):
    """Thread -> processor time so far; those that have ended are left out. The io thread is the process
    itself."""
    found = {}
    for task in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/comm" % (pid, task)) as comm, open(
                "/proc/%d/task/%s/schedstat" % (pid, task)
            ) as times:
                name = "io" if int(task) == pid else comm.read().strip()
                found[name] = found.get(name, 0) + int(times.read().split()[0])
        except FileNotFoundError:
            pass
    return found


def spent_ns(daemon, work):
    before = times_ns(daemon.process.pid)
    work()
    after = times_ns(daemon.process.pid)
    return {name: after[name] - before.get(name, 0) for name in after}


def reading_number(client):
    return json.loads(client.request(HEALTH, bytes(8)).body[8:].decode())["reading"]["number"]


def board(name, root, seconds):
    """A reading, and an answer in each form."""
    daemon = Daemon(SETTINGS, arguments=["--sysroot", root])
    with Connection(daemon.path) as client:
        Daemon.wait_for(lambda: reading_number(client) >= 2, "readings")
        readings, others = [], []
        for _ in range(10):
            first = reading_number(client)
            spent = spent_ns(daemon, lambda: time.sleep(seconds / 10))
            readings.append(spent["tegud-health"] / (reading_number(client) - first))
            others.append(spent["io"] / (seconds / 10))
        print("| %s: a reading | %.2f ms of its thread |" % (name, min(readings) / 1e6))
        print("| %s: the io thread, a second | %.1f us |" % (name, min(others) / 1e3))
        for number, form in enumerate(FORMS):
            request = struct.pack("<B7x", number)
            size = len(client.request(HEALTH, request).body)
            answers = min(
                spent_ns(daemon, lambda: [client.request(HEALTH, request) for _ in range(ANSWERS)])["io"]
                for _ in range(BATCHES)
            )
            print(
                "| %s: an answer, %s of %.1f KB | %.1f us of the io thread |"
                % (name, form, size / 1e3, answers / ANSWERS / 1e3)
            )
    if daemon.stop() != 0:
        raise SystemExit("tegud did not end in order")


def idle(what, seconds, watchdog_s=None, **more):
    """The whole daemon, which is told to give signs of life in `watchdog_s`, or not."""
    folder = tempfile.mkdtemp(prefix="tegud-costs-")
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(os.path.join(folder, "notify"))
    threading.Thread(
        target=lambda: [None for _ in iter(lambda: manager.recv(65536), b"end")], daemon=True
    ).start()
    environment = {"NOTIFY_SOCKET": manager.getsockname()}
    if watchdog_s:
        environment["WATCHDOG_USEC"] = str(watchdog_s * 1000000)
    daemon = Daemon(
        more.pop("settings", SETTINGS), environment=dict(environment, **more.pop("environment", {})), **more
    )
    time.sleep(2)
    spent = sum(spent_ns(daemon, lambda: time.sleep(seconds)).values())
    print("| idle, %s | %.3f %% of a core |" % (what, spent / seconds / 1e7))
    daemon.stop()
    manager.sendto(b"end", manager.getsockname())
    manager.close()
    shutil.rmtree(folder)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    root = tempfile.mkdtemp(prefix="tegud-costs-", dir="/dev/shm")
    try:
        unpack("agx-orin", root)
        print("| what | costs |\n|---|---|")
        board("AGX Orin, %d files" % sum(len(files) for _, _, files in os.walk(root)), root, seconds)
        board("this PC", "/", seconds)
    finally:
        shutil.rmtree(root)
    idle("no watchdog", seconds)
    idle("`WatchdogSec=30`", seconds, 30)
    idle("`WatchdogSec=2`", seconds, 2)
    if os.path.exists(
        os.path.join(os.environ.get("TEGU_BUILD_DIR", "build/release"), "tests", "guard_tegud")
    ):
        idle(
            "`WatchdogSec=30`, with the guarded device of the tests",
            seconds,
            30,
            settings="[executor]\nthreads = 4\n",
            program="tests/guard_tegud",
            environment={"TEGU_TEST_GPU": "A"},
        )


if __name__ == "__main__":
    main()
