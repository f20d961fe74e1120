#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A good client beside a hostile one of each kind: how much longer the good one's jobs take.
    hostile.py [--kinds A,B] [--pairs N] [--slice-s N] [--output FILE]     default: two kinds, 2 pairs of 0.3
    s

The attack is on and off by turns (off on, on off, ...), so that what the machine does to both alike cancels.
The attacker is another user where this runs as root, and runs at the lowest priority of the machine
(SCHED_IDLE): any program can take cores from others, and what is asked here is what can be taken by way of
the daemon. Kinds that begin with "busy" show the difference: they are no clients, but programs that keep
cores busy. Right if every result is, and the daemon lives; times are reported, and judged by nobody here."""

import argparse
import bisect
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import board
import record

sys.path[:0] = [os.path.join(record.SOURCE, "tests", folder) for folder in ("client", "daemon")]
import attackers  # noqa: E402
import rawclient  # noqa: E402

GOOD_CLIENT = os.path.join(record.BUILD, "tests", "reliability_good_client")
NOBODY = 65534
SETTLE_S = 0.03
PATIENCE_S = 600  # an attacker gets what time others leave
JOBS = ("small", "queued")
GROUPS = 5


class Bench(object):
    """A daemon, and the good client that works all the time."""

    def __init__(self, folder):
        self.folder = folder
        self.times_path = os.path.join(folder, "times")
        self.table = board.Board(os.path.join(folder, "good"), make=True)
        self.daemon = rawclient.Daemon('[socket]\nmode = "0666"\n')
        environment = dict(os.environ, TEGU_SOCKET=self.daemon.path)
        self.good = subprocess.Popen(
            [GOOD_CLIENT, os.path.join(folder, "good"), self.times_path],
            env=environment,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )
        self.wait(self.table, 1, board.READY)
        self.table.tell(board.RUN)

    def wait(self, table, place, state):
        end = time.monotonic() + PATIENCE_S
        while table.memory[place] != state:
            self.check()
            if time.monotonic() > end:
                raise AssertionError("waited in vain for state %d of %d" % (state, place))
            time.sleep(0.0005)

    def check(self):
        if self.good.poll() not in (None, 0):
            raise AssertionError("the good client failed: " + self.good.stdout.read())
        if not self.daemon.alive():
            raise AssertionError("tegud ended: " + self.daemon.log_text())

    def slices(self, kind, pairs, slice_s):
        """([(begin, end) without the attack], [(begin, end) with it], what the attacker says)."""
        path = os.path.join(self.folder, kind)
        table = board.Board(path, make=True)
        become = [str(NOBODY)] if os.geteuid() == 0 else []
        attacker = subprocess.Popen(
            [sys.executable, "-B", attackers.__file__, kind, path, self.daemon.path] + become,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )
        try:
            self.wait(table, 2, board.READY)
            found = {False: [], True: []}
            for pair in range(pairs):
                for attack in ((False, True), (True, False))[pair % 2]:
                    table.tell(board.RUN if attack else board.REST)
                    if attack or table.memory[2] != board.READY:
                        self.wait(table, 2, board.WORKING if attack else board.RESTED)
                    time.sleep(SETTLE_S)
                    begin = time.monotonic()
                    time.sleep(slice_s)
                    found[attack].append((begin, time.monotonic()))
                    self.check()
                    if attacker.poll() is not None:
                        raise AssertionError("the attacker %s ended with %d" % (kind, attacker.returncode))
            table.tell(board.LEAVE)
            said = attacker.communicate(timeout=PATIENCE_S)[0]
        finally:
            if attacker.poll() is None:
                attacker.kill()
                attacker.wait()
        return found[False], found[True], int(said.split()[1])

    def times(self):
        """Ends the good client. For each kind of job [(begin, took)]."""
        self.table.tell(board.LEAVE)
        if self.good.wait(PATIENCE_S) != 0:
            self.check()
        with open(self.times_path, "rb") as file:
            entries = list(struct.iter_unpack("=3d", file.read()))
        return [
            [(begin, took) for begin, took, kind in entries if kind == index] for index in range(len(JOBS))
        ]

    def end(self):
        if self.good.poll() is None:
            self.good.kill()
        self.good.wait()
        self.good.stdout.close()
        return self.daemon.stop()


def within(times, slices):
    """Of the round trips of one kind, in their order, those that began in one of the slices."""
    found = []
    for begin, end in slices:
        found += [
            took for _, took in times[bisect.bisect_left(times, (begin,)) : bisect.bisect_left(times, (end,))]
        ]
    return found


def summary(values):
    return {
        "jobs": len(values),
        "p50_us": round(1e6 * record.quantile(values, 0.5), 1),
        "p99_us": round(1e6 * record.quantile(values, 0.99), 1),
        "p999_us": round(1e6 * record.quantile(values, 0.999), 1),
    }


def compare(times, off, on):
    """Both, the ratio of their p99, and its noise: the median deviation of the ratios of parts of the run
    from their median, in proportion. None: the slices were too short for this machine."""
    alone, beside = within(times, off), within(times, on)
    groups = min(GROUPS, len(off))
    ratios = []
    for group in range(groups):
        parts = [within(times, slices[group::groups]) for slices in (on, off)]
        if all(parts):
            ratios.append(record.quantile(parts[0], 0.99) / record.quantile(parts[1], 0.99))
    if not ratios:
        return None
    middle = statistics.median(ratios)
    compared = {
        "alone": summary(alone),
        "beside": summary(beside),
        "noise": round(statistics.median(abs(each - middle) for each in ratios) / middle, 3),
    }
    compared["p99_ratio"] = round(compared["beside"]["p99_us"] / compared["alone"]["p99_us"], 2)
    return compared


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", default="garbage,long-jobs", help="of: all " + " ".join(attackers.KINDS))
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--slice-s", type=float, default=0.3)
    parser.add_argument("--output")
    options = parser.parse_args()
    record.need_programs()
    kinds = list(attackers.KINDS) if options.kinds == "all" else options.kinds.split(",")
    unknown = [kind for kind in kinds if kind not in attackers.KINDS]
    if unknown:
        parser.error("there is no kind %s; there are: all %s" % (unknown[0], " ".join(attackers.KINDS)))
    made = {
        "head": record.head(
            "hostile.py --kinds %s --pairs %d --slice-s %g" % (options.kinds, options.pairs, options.slice_s)
        ),
        "kinds": {},
    }
    folder = tempfile.mkdtemp(prefix="tegu-hostile-")
    os.chmod(folder, 0o755)
    bench = None
    try:
        bench = Bench(folder)
        slices = {}
        for kind in kinds:
            slices[kind] = bench.slices(kind, options.pairs, options.slice_s)
        times = bench.times()
    finally:
        code = bench.end() if bench else 0
        shutil.rmtree(folder)
    if code != 0:
        sys.exit("tegud ended with %d" % code)
    if not all(times):
        sys.exit("the good client did nothing")
    for kind in kinds:
        off, on, rounds = slices[kind]
        if rounds == 0:
            sys.exit("the attack %s was not made" % kind)
        about = made["kinds"][kind] = {
            "rounds": rounds,
            "what": " ".join(attackers.KINDS[kind].__doc__.split()),
        }
        for index, job in enumerate(JOBS):
            compared = compare(times[index], off, on)
            if compared is None:
                print("%-16s %-6s no job began in these slices" % (kind, job))
                continue
            about[job] = compared
            print(
                "%-16s %-6s alone %s, beside it %s: p99 x %.2f, noise %.0f %%"
                % (
                    kind,
                    job,
                    about[job]["alone"],
                    about[job]["beside"],
                    about[job]["p99_ratio"],
                    100 * about[job]["noise"],
                ),
                flush=True,
            )
    if options.output:
        record.write(options.output, made)


if __name__ == "__main__":
    main()
