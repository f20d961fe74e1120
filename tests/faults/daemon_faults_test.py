#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each allocation and each system call of the daemon fails once, on every path that a client can ask for. After each the client has a reply that
is right or an error that says so, or its connection ended, or the daemon did, with one line and an exit code that make it start again; nothing
hangs, and the next client is served with nothing left over.

    daemon_faults_test.py                     a sample: each path with every few faults, from a seed that is printed
    TEGU_FAULTS_LONG=1 daemon_faults_test.py  all of them
    daemon_faults_test.py --report FILE       all of them, as a page
Further variables, to look for a cause: TEGU_FAULTS_PATHS and TEGU_FAULTS_KINDS (words with commas), TEGU_FAULTS_TRACE (where each call is made).
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(FOLDER), "daemon"))

import rawclient  # noqa: E402
from fault_driver import MOST_CALLS, Faults, Report, every_fault  # noqa: E402
from rawclient import Closed, Connection, Daemon, floats, job_body  # noqa: E402

PATIENCE = 10.0  # for one path
STEP = 7         # of a sample: about every seventh fault
SETTINGS = "[executor]\nthreads = 2\nspin_us = 0\n"
# What tells a client whether to try again. INTERNAL is for a job whose input was overwritten.
CLEAN = {"OUT_OF_MEMORY", "BUSY", "IO", "UNAVAILABLE", "BAD_DESCRIPTOR", "OVER_QUOTA", "TOO_LARGE", "DEVICE_LOST", "SHUTTING_DOWN"}
ALL_STATISTICS = sum(1 << statistic for statistic in (rawclient.SUM, rawclient.MAX))


class Failed(Exception):
    """A request was answered with an error; those that need its result are not sent."""


def checked(reply):
    if reply.status != "OK":
        raise Failed(reply)
    return reply


def close_all(reply):
    for fd in reply.fds:
        os.close(fd)
    reply.fds = []
    return reply


def data(count):
    return floats(*[(i * 37) % 101 - 50.0 for i in range(count)])


def small_job(connection):
    return checked(connection.job(cols=64, params=rawclient.reduce_params(ALL_STATISTICS), data=data(64))).arrays()


def large_inline_job(connection):
    return checked(connection.job(cols=16000, operation=rawclient.TOPK, params=rawclient.topk_params(20), data=data(16000))).arrays()


def make_buffer(size, seed=1):
    fd = rawclient.memfd(size)
    block = bytes(((i * 7 + seed) % 251) for i in range(4096))
    os.pwrite(fd, block * (size // 4096), 0)
    return fd


def with_buffer(size, use):
    """A path that registers a buffer, uses it and releases it."""
    def path(connection):
        fd = make_buffer(size)
        try:
            handle = checked(connection.register(fd, size, 1)).handle
            result = use(connection, handle)
            checked(connection.named(rawclient.BUFFER_RELEASE, handle))
            return result
        finally:
            os.close(fd)
    return path


def on_buffer(operation, params, kind=rawclient.U8, rows=1, cols=1 << 22):
    return with_buffer(1 << 22, lambda connection, handle: checked(connection.job(
        operation=operation, kind=kind, rows=rows, cols=cols, params=params, handle=handle)).arrays())


def into_output(connection):
    """An entropy map from one buffer into another."""
    side, size = 256, 65536
    inputs = make_buffer(size)
    try:
        source = checked(connection.register(inputs, size, 0)).handle
        made = checked(connection.create(4 * size))
        checked(connection.job(operation=rawclient.ENTROPY_MAP, kind=rawclient.U8, rows=side, cols=side,
                               params=rawclient.entropy_params(5, 5, 256), handle=source, out=made.handle, out_capacity=4 * size))
        content = os.pread(made.fds[0], 4 * size, 0)
        close_all(made)
        checked(connection.named(rawclient.BUFFER_RELEASE, made.handle))
        return content
    finally:
        os.close(inputs)


def buffer_life(connection):
    """Made, filled, frozen, used, listed, released."""
    size = 1 << 20
    made = checked(connection.create(size))
    os.pwrite(made.fds[0], data(1024), 0)
    close_all(made)
    checked(connection.named(rawclient.BUFFER_FREEZE, made.handle))
    result = checked(connection.job(cols=1024, params=rawclient.reduce_params(ALL_STATISTICS), handle=made.handle)).arrays()
    checked(connection.request(rawclient.BUFFER_LIST))
    checked(connection.named(rawclient.BUFFER_RELEASE, made.handle))
    return result


def several_jobs(connection):
    """Eight at once, small and large, in one message each."""
    large = data(16000)
    ids = [connection.submit(rawclient.JOB, job_body(cols=16000 if i % 2 else 64, params=rawclient.reduce_params(ALL_STATISTICS),
                                                     data=large if i % 2 else large[:256])) for i in range(8)]
    replies = [connection.wait(request_id) for request_id in ids]
    return [checked(reply).arrays() for reply in replies]


def cancelled_job(connection):
    size = 1 << 22
    fd = make_buffer(size)
    try:
        handle = checked(connection.register(fd, size, 0)).handle
        made = checked(connection.create(4 * size))
        close_all(made)
        job = connection.submit(rawclient.JOB, job_body(
            rawclient.ENTROPY_MAP, rawclient.U8, 2048, 2048, rawclient.entropy_params(63, 63, 256), handle=handle, out=made.handle,
            out_capacity=4 * size))
        cancel = connection.cancel(job)
        if cancel.status not in ("OK", "NOT_FOUND"):
            raise Failed(cancel)  # the job goes on, until the connection ends
        reply = connection.wait(job)
        if reply.status not in CLEAN | {"CANCELLED", "OK"}:
            raise Failed(reply)
        return "over"
    finally:
        os.close(fd)


def leaves_all_behind(connection):
    fd = make_buffer(1 << 20)
    try:
        handle = checked(connection.register(fd, 1 << 20, 0)).handle
        close_all(checked(connection.create(1 << 16)))
        connection.submit(rawclient.JOB, job_body(kind=rawclient.U8, cols=1 << 20, handle=handle))
        connection.close()
    finally:
        os.close(fd)


def report(kind, body=b""):
    def path(connection):
        checked(connection.request(kind, body))
    return path


def reload_settings(connection):
    connection.daemon.process.send_signal(signal.SIGHUP)
    return small_job(connection)


PATHS = {
    "connect": None,  # the connection itself, below
    "small job": small_job,
    "large job in a message": large_inline_job,
    "reduce on a buffer": on_buffer(rawclient.REDUCE, rawclient.reduce_params(ALL_STATISTICS)),
    "top-k on a buffer": on_buffer(rawclient.TOPK, rawclient.topk_params(100)),
    "quantile on a buffer": on_buffer(rawclient.QUANTILE, rawclient.quantile_params((0.5, 0.9))),
    "histogram on a buffer": on_buffer(rawclient.HISTOGRAM, rawclient.histogram_params(64)),
    "entropy on a buffer": on_buffer(rawclient.ENTROPY, rawclient.entropy_of_levels_params()),
    "entropy map into a buffer": into_output,
    "life of a buffer": buffer_life,
    "eight jobs at once": several_jobs,
    "cancel": cancelled_job,
    "disconnect": leaves_all_behind,
    "PING": report(rawclient.PING),
    "INFO": report(rawclient.INFO),
    "STATS": report(rawclient.STATS),
    "HEALTH as JSON": report(rawclient.HEALTH, b"\0" * 8),
    "HEALTH as metrics": report(rawclient.HEALTH, b"\2" + b"\0" * 7),
    "KERNELS": report(12, b"\0" * 8),
    "reload": reload_settings,
}


class Supervised:
    """A daemon that is started again when it ends, as a service manager would."""

    def __init__(self, program, environment):
        self.faults = Faults()
        self.folder = tempfile.mkdtemp(prefix="tegu-faults-")  # a board without files: nothing of health is counted
        self.program, self.environment = program, dict(environment, TEGU_FAULTS=self.faults.path)
        self.daemon = None
        self.start()

    def start(self):
        self.daemon = Daemon(SETTINGS, environment=self.environment, program=self.program, arguments=["--sysroot", self.folder])
        self.witness = Connection(self.daemon.path)
        self.wait_until_idle()
        self.descriptors = self.daemon.descriptors()

    def stop(self):
        self.witness.close()
        self.daemon.stop()
        self.faults.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait_until_idle(self):
        def idle():
            return self.load() == (1, 0, 0, 0)
        try:
            Daemon.wait_for(idle, "", PATIENCE)
        except AssertionError:
            raise AssertionError("connections, buffers, jobs that wait and jobs that run stay %s" % (self.load(),))

    def load(self):
        stats = self.witness.fields(rawclient.STATS)
        return stats["connections"], stats["buffers"], stats["jobs_waiting"], stats["jobs_running"]

    def ended(self):
        """Whether it ended, in order: then it runs again."""
        if self.answers():
            return False
        self.daemon.process.wait(PATIENCE)
        code, text = self.daemon.process.returncode, self.daemon.log_text()
        errors = [line for line in text.splitlines() if line.startswith("tegud: error:")]
        assert code > 0, "tegud ended with %d\n%s" % (code, text)
        assert len(errors) == 1, "tegud ended with %d and said\n%s" % (code, text)
        self.witness.close()
        self.daemon.stop()
        self.start()
        return True

    def answers(self):
        """The witness is there before a fault and afterwards. Its connection may have ended for want of memory, as any other."""
        for _ in range(2):
            try:
                self.witness.request(rawclient.PING)
                return True
            except (Closed, OSError):
                self.witness.close()
            try:
                self.witness = Connection(self.daemon.path)
            except (Closed, OSError):
                return False
        return False

    def check(self, right):
        """The next client is served, and nothing is left over."""
        with Connection(self.daemon.path, timeout=PATIENCE) as connection:
            assert small_job(connection) == right, "the next job is wrong"
        self.wait_until_idle()
        Daemon.wait_for(lambda: self.daemon.descriptors() == self.descriptors,
                        "%d descriptors to be %d again" % (self.daemon.descriptors(), self.descriptors), PATIENCE)


def go(supervised, path, fault=None):
    """One time along a path; with `fault` (kind, number, error) armed once it is connected. Returns (outcome, result, fired)."""
    act, connection, fired = PATHS[path], None, False
    faults = supervised.faults
    try:
        if act is not None:
            connection = Connection(supervised.daemon.path, timeout=PATIENCE)
            connection.daemon = supervised.daemon
        if fault is not None:
            faults.arm(*fault)
        if act is None:
            connection = Connection(supervised.daemon.path, timeout=PATIENCE)
            outcome, result = "right", small_job(connection)
        else:
            outcome, result = "right", act(connection)
    except Failed as failure:
        reply = failure.args[0]
        outcome, result = reply.status, None
        assert reply.message, reply
    except (Closed, ConnectionError):
        outcome, result = "connection ended", None
    except AssertionError as failure:  # the greeting was refused
        if not failure.args or not isinstance(failure.args[0], rawclient.Reply):
            raise
        outcome, result = failure.args[0].status, None
    finally:
        if connection is not None:
            connection.close()
        if fault is not None:
            fired = faults.disarm()
    return outcome, result, fired


def run_path(supervised, path, report_of, chosen, kinds_wanted):
    right = go(supervised, "small job")[1]
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
                supervised.check(right)
            except (AssertionError, OSError, Closed) as failure:
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


def write_page(file, reports):
    commit = subprocess.run(["git", "log", "-1", "--format=%h"], stdout=subprocess.PIPE, cwd=FOLDER).stdout.decode().strip()
    lines = ["# Faults", "", "Each allocation and each system call of the daemon made to fail once, with each error that Linux may give for it, on every path that a "
             "client can ask for. Made by `tests/faults/daemon_faults_test.py --report` at commit %s." % commit, "",
             "*right*: the same result bit for bit; *connection ended*: the client connects again and sends the job again; *daemon ended*: with one line "
             "in its log, and the service manager starts it again; words in capitals: the status that the client got. After each the next client was served, and "
             "descriptors, buffers and jobs were as many as before."]
    for name, report_of in reports.items():
        lines += ["", "## " + name, "", "%d faults." % report_of.faults(), ""] + report_of.table(0) + [""] + report_of.table(1)
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


PROGRAMS = {"CPU": ("tests/faults_tegud", {}), "GPU (guarded device, memory class A)": ("tests/faults_guard_tegud", {"TEGU_TEST_GPU": "A"})}


def main():
    long = "--report" in sys.argv or os.environ.get("TEGU_FAULTS_LONG")
    seed = int(os.environ.get("TEGU_FAULTS_SEED", random.randrange(1 << 30)))
    chance = random.Random(seed)
    print("seed %d" % seed)
    paths = os.environ.get("TEGU_FAULTS_PATHS")
    kinds_wanted = os.environ.get("TEGU_FAULTS_KINDS")
    reports = {}
    for name, (program, environment) in PROGRAMS.items():
        if os.environ.get("TEGU_FAULTS_PROGRAM", name) not in name:
            continue
        reports[name] = Report()
        supervised = Supervised(program, environment)
        try:
            for path in PATHS:
                if paths is None or path in paths.split(","):
                    run_path(supervised, path, reports[name], lambda: long or chance.randrange(STEP) == 0,
                             kinds_wanted and kinds_wanted.split(","))
                    sys.stdout.flush()
        finally:
            supervised.stop()
        print("%s: %d faults" % (name, reports[name].faults()))
        print("\n".join(reports[name].table(0)))
    if "--report" in sys.argv:
        write_page(sys.argv[sys.argv.index("--report") + 1], reports)
    return any(word == "FAILED" for each in reports.values() for counter in each.outcomes.values() for word in counter)


if __name__ == "__main__":
    sys.exit(main())
