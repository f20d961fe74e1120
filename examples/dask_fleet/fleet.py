#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statistics of an array that lies in pieces on many boards, by tegu.dask.

    fleet.py tcp://SCHEDULER:8786          on a cluster: dask scheduler on a PC, dask worker on each board
    fleet.py --local 4                     4 worker processes here, all on the tegud of this machine

The array is drawn on the workers, so nothing large travels. Prints one line of JSON; --png draws the
histogram, with a line at each quantile."""

import argparse
import json
import time

import dask.array as da
import distributed
import tegu.dask

RANGE = (-4, 4)


def measure(elements, pieces):
    """The results of one array, and the seconds that they took."""
    generator = da.random.default_rng(2026)
    x = generator.standard_normal(elements, chunks=elements // pieces).astype("float32")
    began = time.monotonic()
    lazy = (
        tegu.dask.reduce(x, ("mean", "std", "min", "max")),
        tegu.dask.quantile(x, (0.01, 0.5, 0.99)),
        tegu.dask.topk(x, 3),
        tegu.dask.histogram(x, 120, RANGE),
    )
    statistics, quantiles, (values, indices), (counts, _) = distributed.get_client().compute(
        list(lazy), sync=True
    )
    return {
        "elements": x.size,
        "chunks": x.npartitions,
        "statistics": statistics,
        "quantiles": [float(value) for value in quantiles],
        "largest": {int(index): float(value) for value, index in zip(values, indices)},
        "histogram": [int(count) for count in counts],
        "seconds": round(time.monotonic() - began, 3),
    }


def draw(found, path):
    """Bars of 5 pixels, and the quantiles."""
    from PIL import Image, ImageDraw

    counts, low, high = found["histogram"], RANGE[0], RANGE[1]
    width, height = 5 * len(counts), 240
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    for i, count in enumerate(counts):
        top = height - count * (height - 10) // max(counts)
        pen.rectangle((5 * i, top, 5 * i + 3, height), fill=(70, 110, 160))
    for value in found["quantiles"]:
        at = int((value - low) / (high - low) * width)
        pen.line((at, 0, at, height), fill=(200, 60, 40), width=2)
    image.save(path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scheduler", nargs="?", help="address of the scheduler")
    parser.add_argument("--local", type=int, metavar="N", help="N worker processes on this machine instead")
    parser.add_argument("--elements", type=int, default=20_000_000)
    parser.add_argument("--chunks", type=int, default=40)
    parser.add_argument("--png", metavar="FILE", help="draws the histogram")
    options = parser.parse_args()
    if (options.scheduler is None) == (options.local is None):
        parser.error("either the address of a scheduler or --local N")
    if options.local is not None:
        cluster = distributed.LocalCluster(options.local, threads_per_worker=1, dashboard_address=None)
        client = distributed.Client(cluster)
    else:
        client = distributed.Client(options.scheduler)
    with client:
        found = measure(options.elements, options.chunks)
    if options.png:
        draw(found, options.png)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
