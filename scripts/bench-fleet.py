#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu.dask beside dask's own functions, by turns on the same cluster of worker processes of this machine.

    bench-fleet.py [--workers N] [--elements N] [--chunks N] [--rounds N]

Needs a tegud on $TEGU_SOCKET or the usual socket, numpy, dask and distributed. The chunks lie in the
memory of the workers before the clock starts. Prints Markdown: the median of the rounds, and the spread
between the quartiles."""

import argparse
import os
import statistics
import time

import dask
import dask.array as da
import distributed
import numpy as np
import tegu
import tegu.dask as td


def pairs(x):
    """(what, tegu's, dask's own, whether dask's is exact)"""
    edges = dict(bins=256, range=(-4, 4))
    return [
        ("sum", td.reduce(x, "sum"), x.sum(), "rounded otherwise"),
        (
            "sum, mean, std, min, max",
            td.reduce(x, ("sum", "mean", "std", "min", "max")),
            [x.sum(), x.mean(), x.std(), x.min(), x.max()],
            "rounded otherwise",
        ),
        ("top 100, with indices", td.topk(x, 100), da.argtopk(x, 100), "indices alone"),
        ("top 10000", td.topk(x, 10000), da.topk(x, 10000), "values alone"),
        ("quantiles 0.01 0.5 0.99", td.quantile(x, (0.01, 0.5, 0.99)), da.percentile(x, [1, 50, 99]), "no"),
        ("histogram of 256 bins", td.histogram(x, **edges), da.histogram(x, **edges)[0], "yes"),
        ("dot", td.dot(x, x), da.dot(x, x), "rounded otherwise"),
    ]


def seconds_of(client, lazy):
    began = time.monotonic()
    client.compute(lazy, sync=True) if not isinstance(lazy, list) else client.gather(client.compute(lazy))
    return time.monotonic() - began


def spread(times):
    low, middle, high = statistics.quantiles(times, n=4)
    return "%.1f ms (%.1f to %.1f)" % (1e3 * middle, 1e3 * low, 1e3 * high)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--elements", type=int, default=64_000_000)
    parser.add_argument("--chunks", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    cluster = distributed.LocalCluster(options.workers, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        generator = da.random.default_rng(2026)
        x = generator.standard_normal(options.elements, chunks=options.elements // options.chunks)
        x = client.persist(x.astype("float32"))
        distributed.wait(x)
        print(
            "%d float32 in %d chunks, %d worker processes of one thread, %d rounds by turns; dask %s,"
            " numpy %s, tegu %s, %d processors, load %.1f before\n"
            % (
                (x.size, x.npartitions, options.workers, options.rounds, dask.__version__, np.__version__)
                + (tegu.__version__, os.cpu_count(), os.getloadavg()[0])
            )
        )
        print("| | tegu.dask, exact | dask | dask exact | times as fast |\n|---|---|---|---|---|")
        for what, ours, theirs, exact in pairs(x):
            times = ([], [])
            for turn in range(options.rounds + 1):
                for taken, lazy in zip(times, (ours, theirs)):
                    taken.append(seconds_of(client, lazy))
            times = [taken[1:] for taken in times]  # the first turn maps memory
            ratio = statistics.median(times[1]) / statistics.median(times[0])
            print("| %s | %s | %s | %s | %.2f |" % (what, spread(times[0]), spread(times[1]), exact, ratio))


if __name__ == "__main__":
    main()
