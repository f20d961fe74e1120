#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each allocation and each system call of the daemon fails once, on every path that a client can ask for.
After each the client has a reply that is right or an error that says so, or its connection ended, or the
daemon did, with one line and an exit code that make it start again; nothing hangs, and the next client is
served with nothing left over.

    daemon_faults_test.py                     a sample: each path with every few faults, from a seed that is
                                              printed
    TEGU_FAULTS_LONG=1 daemon_faults_test.py  all of them
    daemon_faults_test.py --report FILE       all of them, as a page
Further variables, to look for a cause: TEGU_FAULTS_PATHS and TEGU_FAULTS_KINDS (words with commas),
TEGU_FAULTS_TRACE (where each call is made)."""

import os
import random
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
DAEMON = os.path.join(os.path.dirname(FOLDER), "daemon")
sys.path[:0] = [DAEMON, os.path.join(DAEMON, "store")]

from daemon_paths import CLEAN, Failed  # noqa: E402
from fault_driver import MOST_CALLS, Report, every_fault  # noqa: E402
from rawclient import Closed, Daemon  # noqa: E402
from supervised import PATIENCE, Service, Supervised  # noqa: E402

STEP = int(os.environ.get("TEGU_FAULTS_STEP", 12))  # of a sample: about every so many faults


def go(supervised, path, fault=None):
    """One time along a path; with `fault` (kind, number, error) armed once it is connected. Returns (outcome,
    result, fired)."""
    act, connection, fired = supervised.PATHS[path], None, False
    faults = supervised.faults
    supervised.prepare(path)
    try:
        if path != "connect":
            connection = supervised.connect()
        if fault is not None:
            faults.arm(*fault)
        if connection is None:
            connection = supervised.connect()
        outcome, result = "right", act(connection)
    except Failed as failure:
        reply = failure.args[0]
        outcome, result = reply.status, None
        assert reply.message, reply
    except (Closed, ConnectionError):
        outcome, result = "connection ended", None
    finally:
        if connection is not None:
            connection.close()
        if fault is not None:
            fired = faults.disarm()
    return outcome, result, fired


def run_path(supervised, path, report_of, chosen, kinds_wanted):
    right = go(supervised, "small job")[1]
    supervised.prepare(path)
    before = supervised.faults.counts()
    outcome, expected, _ = go(supervised, path)
    assert outcome == "right", (path, outcome)
    supervised.check(right)
    after = supervised.faults.counts()
    used = {kind: after[kind] - before.get(kind, 0) for kind in after if after[kind] > before.get(kind, 0)}
    for kind, error in every_fault(supervised.faults, used, kinds_wanted):
        for number in range(1, MOST_CALLS):
            if not chosen():
                if number > used[kind]:
                    break
                continue
            where = "%s: call %d of %s fails with %s" % (path, number, kind, error)
            try:
                outcome, result, fired = go(supervised, path, (kind, number, error))
                ended = supervised.ended()
                assert outcome in CLEAN | {"right", "connection ended"}, outcome
                assert outcome != "right" or result == expected, "a wrong result"
                try:
                    supervised.check(right)
                except (Closed, Failed, OSError):  # it is about to end: of a lost device the next job tells
                    if ended:
                        raise
                    Daemon.wait_for(supervised.ended, "the end of a daemon that serves nobody", PATIENCE)
                    ended = True
                    supervised.check(right)
            except (AssertionError, Failed, OSError, Closed) as failure:
                print("FAILED %s: %s: %s" % (where, type(failure).__name__, failure), flush=True)
                if os.environ.get("TEGU_FAULTS_TRACE"):
                    print(supervised.daemon.log_text(), flush=True)
                report_of.add(path, kind, "FAILED")
                try:
                    supervised.daemon.stop(5)
                except Exception:  # whatever state it is in: the next fault needs a new one
                    pass
                supervised.start()
                continue
            if not fired:
                break
            report_of.add(path, kind, "daemon ended" if ended else outcome)


PAGE = """# Faults

Each allocation and each system call of the daemon made to fail once, with each error that Linux may give
for it, on every path that a client can ask for: what `tests/faults/daemon_faults_test.py --report` wrote at
commit %s, on %d cores of %s. Which calls are not among them, and why, says `tests/faults/faults.cpp`.

*right*: the same result bit for bit; *connection ended*: the client connects again and sends the job again;
*daemon ended*: with one line in its log and an exit code above 0, and the service manager starts it again;
words in capitals: the status that the client got. After each fault the next client was served, and no
descriptors, buffers, connections or jobs were left over.

"""


def write_page(file, reports):
    """What there is so far: all programs take a while."""

    def output(*command):
        return subprocess.run(command, stdout=subprocess.PIPE, cwd=FOLDER).stdout.decode().strip()

    commit = output("git", "log", "-1", "--format=%h") + (
        " with changes" if output("git", "status", "--porcelain", "-uno") else ""
    )
    with open("/proc/cpuinfo", encoding="utf-8") as cpu:
        model = (
            [line.split(":")[1].strip() for line in cpu if line.startswith("model name")]
            + ["a processor without a name"]
        )[0]
    text = PAGE % (commit, os.cpu_count(), model)
    for name, report_of in reports.items():
        text += "## %s\n\n%d faults.\n\n%s\n\n" % (name, report_of.faults(), "\n".join(report_of.table(0)))
    with open(file, "w", encoding="utf-8") as out:
        out.write(text)


CPU, GPU = 1, 2  # backends that jobs ask for
PROGRAMS = {
    "CPU": (Supervised, "tests/faults_tegud", {}, CPU),
    "GPU (guarded device, memory class A)": (
        Supervised,
        "tests/faults_guard_tegud",
        {"TEGU_TEST_GPU": "A"},
        GPU,
    ),
    "GPU (guarded device, memory class B)": (
        Supervised,
        "tests/faults_guard_tegud",
        {"TEGU_TEST_GPU": "B"},
        GPU,
    ),
    "CPU, a service whose buffers are kept": (Service, "tests/faults_tegud", {}, CPU),
}


def main():
    long = "--report" in sys.argv or os.environ.get("TEGU_FAULTS_LONG")
    seed = int(os.environ.get("TEGU_FAULTS_SEED", random.randrange(1 << 30)))
    chance = random.Random(seed)
    print("seed %d" % seed)
    paths = os.environ.get("TEGU_FAULTS_PATHS")
    kinds_wanted = os.environ.get("TEGU_FAULTS_KINDS")
    reports = {}
    for name, (kind, program, environment, backend) in PROGRAMS.items():
        if os.environ.get("TEGU_FAULTS_PROGRAM", name) not in name:
            continue
        reports[name] = Report()
        supervised = kind(program, environment, backend)
        try:
            for path in kind.PATHS:
                if paths is None or path in paths.split(","):
                    run_path(
                        supervised,
                        path,
                        reports[name],
                        lambda: long or chance.randrange(STEP) == 0,
                        kinds_wanted and kinds_wanted.split(","),
                    )
                    sys.stdout.flush()
        finally:
            supervised.stop()
        print("%s: %d faults" % (name, reports[name].faults()))
        print("\n".join(reports[name].table(0)))
        if "--report" in sys.argv:
            write_page(sys.argv[sys.argv.index("--report") + 1], reports)
    return any(
        word == "FAILED"
        for each in reports.values()
        for counter in each.outcomes.values()
        for word in counter
    )


if __name__ == "__main__":
    sys.exit(main())
