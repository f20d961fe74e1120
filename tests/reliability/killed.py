#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the daemon, again and again, while eight clients put mixed load on it and a real systemd
restarts it. Played by service_test.py for kill.py; not to be run by hand. $TEGU_KILLS and $TEGU_SEED say how
often, and at which moments.

A third of the kills wait until a client registers, freezes or gives back a buffer, or until many replies are
on their way; some hit the new daemon while it starts and the clients come back; the rest come at any time."""

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "systemd"))
import board  # noqa: E402
import fleet  # noqa: E402
from inside import as_user, DAEMON, FRIEND, Service, SOCKET, main, show, systemctl  # noqa: E402

KILLS, SEED = int(os.environ.get("TEGU_KILLS", "6")), int(os.environ.get("TEGU_SEED", "1"))
SANITIZED = bool(os.environ.get("TEGU_SANITIZE"))
PROGRAM = "/opt/tegu/bin/reliability_load_client"
PAUSE_MS = 4
# what a client's own memory may have grown: its allocator's, which does not depend on the number of kills
OWN_KIB = 4096
AIMED = (board.REGISTERING, board.FREEZING, board.REPLIES, board.RELEASING)


class Killer(object):
    def __init__(self, seed, states):
        self.random, self.states = random.Random(seed), states
        self.pid, self.kills = 0, []
        self.members = "/sys/fs/cgroup%s/cgroup.procs" % show("ControlGroup")

    def next_daemon(self):
        """Waits for a daemon that was not killed yet."""
        end = time.monotonic() + fleet.PATIENCE_S
        while time.monotonic() < end:
            try:
                with open(self.members) as members:
                    found = [int(line) for line in members]
                for pid in found:
                    if pid != self.pid and os.readlink("/proc/%d/exe" % pid) == DAEMON:
                        self.pid = pid
                        return
            except OSError:
                pass  # there is none at the moment, or it has just ended
            time.sleep(0.0005)
        raise AssertionError("no new daemon within %d s" % fleet.PATIENCE_S)

    def moment(self):
        """Waits for the next moment to kill; what it was chosen for."""
        draw = self.random.random()
        if draw < 0.1:
            time.sleep(self.random.uniform(0, 0.05))
            return "start"
        time.sleep(self.random.uniform(0.2, 1.4))
        if draw < 0.65:
            return "any"
        wanted = self.random.choice(AIMED)
        end = time.monotonic() + 1
        while wanted not in self.states() and time.monotonic() < end:
            time.sleep(0)
        time.sleep(self.random.uniform(0, 0.001))
        return board.NAMES[wanted]

    def kill(self):
        self.next_daemon()
        aim = self.moment()
        seen = self.states()
        at = time.monotonic()
        os.kill(self.pid, signal.SIGKILL)
        self.kills.append({"at": round(at, 6), "aim": aim, "seen": [board.NAMES[state] for state in seen]})


def recoveries(kills, reports):
    """Of each kill and each client: seconds from the kill to the end of the longest wait before the next
    kill. (What the old daemon had written before its end is still read after it, so the first answer does not
    tell.) A client that did not wait long is not counted. The second list has those waits in which no other
    kill came."""
    found, undisturbed = [], []
    for kill, following in zip(kills, kills[1:] + [{"at": float("inf")}]):
        for report in reports:
            waits = [
                (end - max(begin, kill["at"]), end)
                for begin, end in report["gaps"]
                if end > kill["at"] and begin < following["at"]
            ]
            if waits:
                end = max(waits)[1]
                found.append(round(end - kill["at"], 6))
                if end < following["at"]:
                    undisturbed.append(found[-1])
    return found, undisturbed


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Killed(Service):
    def setUp(self):
        Service.setUp(self)
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        drop_in = "/opt/tegu/work/units/tegud.service.d"
        os.makedirs(drop_in, exist_ok=True)
        with open(os.path.join(drop_in, "kills.conf"), "w") as out:
            out.write("[Unit]\nStartLimitIntervalSec=0\n")  # the shipped unit allows 30 starts a minute
        systemctl("daemon-reload")

    def test_no_job_is_lost_and_none_is_wrong(self):
        os.environ.update(
            TEGU_LIBRARY="/opt/tegu/lib/libtegu.so.0",
            PYTHONPATH="/opt/tegu/source/client/python",
            ASAN_OPTIONS="detect_leaks=0",
        )
        clients = fleet.Fleet(self.folder, PROGRAM, SOCKET, SEED, PAUSE_MS, as_user=(None, as_user(FRIEND)))
        self.addCleanup(clients.end)
        at_rest = clients.ready()
        began = time.monotonic()
        clients.run()
        killer = Killer(SEED, lambda: clients.board.states(fleet.CLIENTS))
        halfway = at_rest
        for count in range(KILLS):
            if count == KILLS // 2:
                halfway = clients.breathe()
                clients.run()
            killer.kill()
            clients.check_alive()
        killer.next_daemon()
        time.sleep(1)
        rested = clients.rest()
        seconds = time.monotonic() - began
        reports = clients.leave()
        grown, late = fleet.growth(at_rest, rested), fleet.growth(halfway, rested)
        found, undisturbed = recoveries(killer.kills, reports)
        record = {
            "kills": killer.kills,
            "seconds": round(seconds, 1),
            "totals": fleet.total(reports),
            "restarts": int(show("NRestarts")),
            "recoveries": found,
            "undisturbed": undisturbed,
            "at_rest": at_rest,
            "halfway": halfway,
            "rested": rested,
            "clients": [
                {name: report[name] for name in ("kind", "jobs", "reconnects", "resent", "outcomes")}
                for report in reports
            ],
        }
        print("\nrecord " + json.dumps(record, sort_keys=True), flush=True)
        for report, growth, lately in zip(reports, grown, late):
            self.assertGreater(report["outcomes"]["right"], 0, report)
            self.assertEqual(report["jobs"], sum(report["outcomes"].values()), report)
            self.assertEqual(growth["descriptors"], 0, grown)
            self.assertEqual(lately["descriptors"], 0, late)
            self.assertTrue(SANITIZED or max(growth["own_kib"], lately["own_kib"]) <= OWN_KIB, (grown, late))
        self.assertGreaterEqual(record["totals"]["reconnects"], KILLS)
        self.assertEqual(record["restarts"], KILLS)
        self.assertTrue(undisturbed)


if __name__ == "__main__":
    main()
