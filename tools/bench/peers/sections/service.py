# SPDX-License-Identifier: Apache-2.0
"""A private tegud through its socket, with Redis as the peer of a round trip: both are servers on a Unix
socket."""

import csv
import os
import shutil
import subprocess
import tempfile
import time

SMALL = "daemon/round-trip/sum/f32/n=1024"


class Redis:
    """A redis-server of one's own, without persistence."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tegu-peers-")
        self.socket = os.path.join(self.folder, "redis.sock")
        self.server = subprocess.Popen(
            [
                "redis-server",
                "--port",
                "0",
                "--unixsocket",
                self.socket,
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                self.folder,
            ],
            stdout=subprocess.DEVNULL,
        )
        for _ in range(100):
            if os.path.exists(self.socket):
                break
            time.sleep(0.05)
        self.benchmark("set", 1000)
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.folder)

    def benchmark(self, test, requests):
        out = subprocess.run(
            ["redis-benchmark", "-s", self.socket, "-t", test, "-n", str(requests), "-c", "1", "--csv"],
            check=True,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        ).stdout
        return list(csv.DictReader(out.splitlines()))[0]

    def get_seconds(self):
        return float(self.benchmark("get", 20000)["p50_latency_ms"]) / 1e3


def round_trips(report):
    peers, ours, tails = [], [], []
    if shutil.which("redis-server") is None or shutil.which("redis-benchmark") is None:
        print(
            "peers: redis-server is missing (scripts/install-deps.sh bench): its line is left out", flush=True
        )
        cases = [report.tegu.daemon_case(SMALL) for _ in range(report.rounds)]
    else:
        version = subprocess.run(
            ["redis-server", "--version"], stdout=subprocess.PIPE, universal_newlines=True
        ).stdout.split()[2]
        report.versions["Redis"] = version[2:]
        cases = []
        with Redis() as redis:
            for _ in range(report.rounds):
                peers.append(redis.get_seconds())
                cases.append(report.tegu.daemon_case(SMALL))
    ours, tails = [case["p50_us"] / 1e6 for case in cases], [case["p99_us"] / 1e6 for case in cases]
    if peers:
        report.line(
            "sum of 1024 f32 sent with the request, round trip, p50",
            "at most 0.35 of it",
            [a / b for a, b in zip(ours, peers)],
            "%.2f of it",
            lambda ratio: ratio <= 0.35,
            ours,
            "Redis GET of 3 bytes",
            peers,
        )
    report.line(
        "the same, p99",
        "at most 40 us",
        [1e6 * tail for tail in tails],
        "%.1f us",
        lambda us: us <= 40,
        tails,
    )


BUSY = """With every core busy with other programs, a bare pair of sockets takes 11 us for 4 KiB, the first
row 12 to 17 us. A goal of 12 us would leave the daemon 1 us, less than the wait for its thread takes, so
nothing was changed for it."""


def measure(report):
    report.section("Through tegud")
    report.note(BUSY)
    round_trips(report)
    tegu, rounds = report.tegu, range(report.rounds)
    rates = [tegu.daemon_case("daemon/pipelined/sum/f32/n=1024/depth=16")["jobs_per_s"] for _ in rounds]
    report.line(
        "the same, 16 in flight", "at least 500000 jobs/s", rates, "%.0f jobs/s", lambda rate: rate >= 500000
    )
    sums = [tegu.daemon_case("daemon/buffer/sum/f32/n=16777216") for _ in rounds]
    report.line(
        "sum over a 64 MiB registered buffer, round trip",
        "at most 1.1 of it",
        [one["ratio"] for one in sums],
        "%.3f of it",
        lambda ratio: ratio <= 1.1,
        [one["median_ns"] / 1e9 for one in sums],
        "in-process",
        [one["in_process_ms"] / 1e3 for one in sums],
    )
    starts = [tegu.daemon_case("daemon/ready")["median_ns"] / 1e6 for _ in rounds]
    report.line("start of tegud to READY=1", "below 50 ms", starts, "%.1f ms", lambda ms: ms < 50)
    idle = tegu.daemon_case("daemon/idle")
    report.line(
        "idle tegud with one connection, share of a core",
        "below 0.2 %",
        [idle["cpu_percent"]],
        "%.3f %%",
        lambda share: share < 0.2,
    )
    report.line(
        "the same, resident memory", "below 30 MB", [idle["resident_MB"]], "%.1f MB", lambda size: size < 30
    )
