#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tegu beside its peers (numpy 2, scikit-image, Redis) and writes docs/benchmarks/first-light.md.

Peer and tegu take turns, round by round, on the same machine in the same run; the ratio is taken within a round, so that both see
the same moods of the machine, and the report gives the median of the ratios with its noise. numpy and scikit-image come from PyPI
into a virtual environment under the build folder; Redis is the system's redis-server on a Unix socket in a temporary folder.

usage: tools/bench/peers.py [--build build/release] [--rounds 5] [--output docs/benchmarks/first-light.md]
"""
import argparse
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
N = 10000000


def in_virtual_environment(build):
    """Runs this script again under an interpreter that has numpy 2 and scikit-image."""
    folder = os.path.join(build, "bench-venv")
    python = os.path.join(folder, "bin", "python3")
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        return
    if not os.path.exists(os.path.join(folder, "complete")):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy>=2", "scikit-image"], check=True)
        open(os.path.join(folder, "complete"), "w").close()
    os.execv(python, [python] + sys.argv)


class Tegu:
    def __init__(self, build, threads):
        self.program = os.path.join(build, "bin", "tegu-bench")
        self.threads = threads

    def run(self, *arguments):
        return subprocess.run([self.program, "--threads", str(self.threads)] + list(arguments), check=True,
                              stdout=subprocess.PIPE, universal_newlines=True).stdout

    def case(self, name):
        """The figures of one case, from three repetitions."""
        pattern = "^" + name.replace("/", "[/]") + "$"
        return json.loads(self.run("--json", "--repetitions", "3", "--filter", pattern))["cases"][0]

    def kernel(self, name):
        """Seconds of one run of a kernel on all threads."""
        return self.case("%s/threads=%d" % (name, self.threads))["median_ns"] / 1e9


class Redis:
    """A redis-server of one's own, without persistence."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tegu-peers-")
        self.socket = os.path.join(self.folder, "redis.sock")
        self.server = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no", "--dir", self.folder],
            stdout=subprocess.DEVNULL)
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
        out = subprocess.run(["redis-benchmark", "-s", self.socket, "-t", test, "-n", str(requests), "-c", "1", "--csv"],
                             check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
        return list(csv.DictReader(out.splitlines()))[0]

    def get_seconds(self):
        return float(self.benchmark("get", 20000)["p50_latency_ms"]) / 1e3


def timed(function, runs):
    """Median of the seconds that `runs` calls take, after one that does not count."""
    function()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def noise(values):
    middle = statistics.median(values)
    return statistics.median(abs(value - middle) for value in values) / middle


def text_of(seconds):
    if seconds < 1e-3:
        return "%.1f us" % (seconds * 1e6)
    return "%.2f ms" % (seconds * 1e3) if seconds < 1 else "%.2f s" % seconds


class Report:
    def __init__(self):
        self.lines = []

    def pair(self, what, peer_name, peer, ours, rounds, wanted, met, invert=False):
        """Alternates two measurements in seconds. The ratio is peer / tegu (how often faster), or tegu / peer with `invert`."""
        times = []
        for _ in range(rounds):
            times.append((peer(), ours()))
        ratios = [b / a if invert else a / b for a, b in times]
        ratio = statistics.median(ratios)
        self.add(what, text_of(statistics.median(b for _, b in times)),
                 "%s: %s" % (peer_name, text_of(statistics.median(a for a, _ in times))),
                 "%.2f" % ratio, noise(ratios), wanted, met(ratio))

    def add(self, what, ours, peer, ratio, spread, wanted, met):
        self.lines.append("| %s | %s | %s | %s | %s | %s | %s |" % (
            what, ours, peer, ratio, "%.1f %%" % (100 * spread), wanted, "yes" if met else "**no**"))
        print(self.lines[-1], flush=True)


def measure_numpy(report, tegu, rounds):
    import numpy
    integers = numpy.random.default_rng(1).integers(-2**31, 2**31, N, dtype=numpy.int32)
    name = "numpy %s partition + sort, values only" % numpy.__version__
    for k, wanted in ((10, 4), (1000, 4), (65536, None), (N // 2, None)):
        def peer(k=k):
            return timed(lambda: numpy.sort(numpy.partition(integers, N - k)[N - k:])[::-1], 3)
        report.pair("top-%d of 1e7 int32 with indices, in-process" % k, name, peer,
                    lambda k=k: tegu.kernel("topk/i32/n=%d/k=%d/uniform" % (N, k)), rounds,
                    "at least %d times faster" % wanted if wanted else "", lambda ratio, wanted=wanted: ratio >= (wanted or 0))
        if k == 10:
            report.pair("top-10 of 1e7 int32 with indices, through tegud", name, peer,
                        lambda: tegu.case("daemon/buffer/topk/i32/n=%d/k=10" % N)["median_ns"] / 1e9, rounds,
                        "at least 4 times faster", lambda ratio: ratio >= 4)
    floats = numpy.random.default_rng(2).random(N, dtype=numpy.float32)
    report.pair("all 15 statistics of 1e7 f32", "numpy.sum alone", lambda: timed(floats.sum, 5),
                lambda: tegu.kernel("reduce/f32/n=%d/stats=all" % N), rounds, "at most 1.5 of it", lambda ratio: ratio <= 1.5, True)


def measure_skimage(report, tegu, rounds):
    import numpy
    import skimage
    from skimage.filters import rank
    image = numpy.random.default_rng(3).integers(0, 16, (2560, 2560), dtype=numpy.uint8)
    window = numpy.ones((5, 5), dtype=numpy.uint8)
    report.pair("entropy map 5x5, 16 levels, 2560x2560", "scikit-image %s rank.entropy" % skimage.__version__,
                lambda: timed(lambda: rank.entropy(image, window), 1),
                lambda: tegu.kernel("entropy_map/u8/2560x2560/window=5/levels=16"), rounds,
                "at least 50 times faster", lambda ratio: ratio >= 50)


def measure_redis(report, tegu, rounds):
    version = subprocess.run(["redis-server", "--version"], stdout=subprocess.PIPE, universal_newlines=True).stdout.split()[2]
    small = "daemon/round-trip/sum/f32/n=1024"
    tails = []

    def ours():
        case = tegu.case(small)
        tails.append(case["p99_us"] / 1e6)
        return case["p50_us"] / 1e6

    with Redis() as redis:
        report.pair("sum of 1024 f32 sent with the request, round trip, p50", "Redis %s GET of 3 bytes, redis-benchmark" % version,
                    redis.get_seconds, ours, rounds, "at most 0.35 of it", lambda ratio: ratio <= 0.35, True)
    tail = statistics.median(tails)
    report.add("the same, p99", text_of(tail), "", "", noise(tails), "at most 40 us", tail <= 40e-6)


def measure_tegu(report, tegu, rounds):
    rates = [tegu.case("daemon/pipelined/sum/f32/n=1024/depth=16")["jobs_per_s"] for _ in range(rounds)]
    rate = statistics.median(rates)
    report.add("the same, 16 in flight", "%.0f jobs/s" % rate, "", "", noise(rates), "at least 300000 jobs/s", rate >= 300000)
    sums = [tegu.case("daemon/buffer/sum/f32/n=16777216") for _ in range(rounds)]
    ratio = statistics.median(one["ratio"] for one in sums)
    report.add("sum over a 64 MiB registered buffer, round trip", text_of(statistics.median(one["median_ns"] for one in sums) / 1e9),
               "in-process: " + text_of(statistics.median(one["in_process_ms"] for one in sums) / 1e3), "%.3f" % ratio,
               noise([one["ratio"] for one in sums]), "at most 1.1 of it", ratio <= 1.1)
    starts = [tegu.case("daemon/ready")["median_ns"] / 1e9 for _ in range(rounds)]
    report.add("start of tegud to READY=1", text_of(statistics.median(starts)), "", "", noise(starts), "below 50 ms",
               statistics.median(starts) < 0.05)
    idle = tegu.case("daemon/idle")
    report.add("idle tegud with one connection, share of a core", "%.3f %%" % idle["cpu_percent"], "", "", 0, "below 0.2 %",
               idle["cpu_percent"] < 0.2)
    report.add("the same, resident memory", "%.1f MB" % idle["resident_MB"], "", "", 0, "below 30 MB", idle["resident_MB"] < 30)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="the build folder with bin/tegu-bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "benchmarks", "first-light.md"))
    options = parser.parse_args()
    for program in ("redis-server", "redis-benchmark"):
        if shutil.which(program) is None:
            sys.exit("peers: %s is missing: scripts/install-deps.sh bench" % program)
    in_virtual_environment(options.build)

    load = os.getloadavg()[0]
    tegu = Tegu(options.build, options.threads)
    report = Report()
    measure_redis(report, tegu, options.rounds)
    measure_tegu(report, tegu, options.rounds)
    measure_numpy(report, tegu, options.rounds)
    measure_skimage(report, tegu, min(options.rounds, 3))
    table = tegu.run("--repetitions", "5")

    with open(options.output, "w") as out:
        out.write(HEAD % {"command": " ".join(["tools/bench/peers.py"] + sys.argv[1:]), "rounds": options.rounds,
                          "threads": options.threads, "load": load, "lines": "\n".join(report.lines), "table": table})


HEAD = """# First light: the CPU backend against its goals and its peers

Written by `%(command)s`. Peer and tegu took turns for %(rounds)d rounds (the entropy map: at most 3); the ratio is the median over
the rounds of the ratio within a round, and its noise the median deviation from that. tegu used %(threads)d threads. The load of the
machine before the run was %(load).2f. What was measured, on what and of which commit stands above the second table.

| what | tegu | peer | ratio | noise | wanted | met |
|---|---|---|---|---|---|---|
%(lines)s

## Every case of tegu-bench

`floor` is reading the same bytes once with plain vector loads: a kernel near it is bound by memory. `noise` is the median
deviation from the median over the repetitions, `cpu_us` the processor time of all threads for one run, the least of the repetitions:
what is left of a time on a busy machine. GB/s count bytes read and written, 1 GB = 1e9 B.

%(table)s"""

if __name__ == "__main__":
    main()
