#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From which size on a GPU answers sooner than the CPU: round trips through the socket of a running daemon, one job at a time, on buffers that both
have. Prints the table of docs/daemon.md in microseconds, CPU / GPU, a median each. Data are f32 of a fixed seed.
    scripts/crossover.py [--socket PATH] [--most MIB] [--repetitions N]         default: 256 MiB of input, 21 times"""

import argparse
import array
import os
import random
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "client", "python"))
import tegu

KIB = 1024
SIZES = [128 * KIB, 512 * KIB, 1024 * KIB, 4096 * KIB, 16384 * KIB, 262144 * KIB]  # of an input
SEED = 5
# What a job is called, and how it runs on a buffer that has that many columns.
JOBS = (
    ("reduce, sum", lambda c, x, backend: c.reduce(x, "sum", backend=backend)),
    ("topk, k = 16", lambda c, x, backend: c.topk(x, 16, backend=backend)),
    ("quantile, one", lambda c, x, backend: c.quantile(x, 0.5, backend=backend)),
    ("histogram, 64 bins", lambda c, x, backend: c.histogram(x, bins=64, range=(0, 1), backend=backend)),
    ("entropy, 256 levels", lambda c, x, backend: c.entropy(x, levels=256, range=(0, 1), backend=backend)),
    ("entropy_map, 5 x 5, 16 levels", lambda c, x, backend: c.entropy_map(x, window=5, levels=16, range=(0, 1), backend=backend)),
    ("dot, each input", lambda c, x, backend: c.dot(x, x, backend=backend)),
    ("fused, reduce and topk", lambda c, x, backend: c.fused(x, reduce={"stats": ("sum",)}, topk={"k": 16}, backend=backend)),
)


def fill(buffer, count):
    """Numbers of 0 to 1, the same block over and over."""
    generator = random.Random(SEED)
    block = array.array("f", [generator.random() for _ in range(min(count, 1 << 15))]).tobytes()
    view = memoryview(buffer.array).cast("B")
    for at in range(0, len(view), len(block)):
        view[at:at + len(block)] = block[:len(view) - at]
    buffer.commit()


def microseconds(client, job, buffer, backend, repetitions):
    times = []
    for _ in range(3 + repetitions):  # the first make copies and pages
        begin = time.perf_counter()
        job(client, buffer, backend)
        times.append(time.perf_counter() - begin)
        if client.last.backend != backend:
            raise SystemExit("the daemon computed with its %s, not its %s" % (client.last.backend, backend))
    return 1e6 * statistics.median(times[3:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n    ")[0])
    parser.add_argument("--socket", help="of the daemon (default: $TEGU_SOCKET, else /run/tegud/tegud.sock)")
    parser.add_argument("--most", type=int, default=256, metavar="MIB", help="the largest input")
    parser.add_argument("--repetitions", type=int, default=21, metavar="N")
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= options.most * KIB * KIB]
    with tegu.connect(options.socket) as client:
        rows = {name: [] for name, _ in JOBS}
        for size in sizes:
            side = 256
            with client.buffer((side, size // 4 // side), "f32") as buffer:
                fill(buffer, size // 4)
                for name, job in JOBS:
                    cpu, gpu = (microseconds(client, job, buffer, backend, options.repetitions) for backend in ("cpu", "gpu"))
                    rows[name].append("%.0f / %.0f" % (cpu, gpu))
    print("| operation | " + " | ".join("%d KiB" % (size // KIB) if size < 1 << 20 else "%d MiB" % (size >> 20) for size in sizes) + " |")
    print("|---" * (len(sizes) + 1) + "|")
    for name, cells in rows.items():
        print("| %s | %s |" % (name, " | ".join(cells)))


if __name__ == "__main__":
    main()
