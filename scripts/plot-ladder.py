#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first table of docs/ladder.md as a plot: docs/benchmarks/ladder-h200.svg. With the output of
`tegu-bench ladder --json` in place of the page, a plot of any machine.

usage: plot-ladder.py                            write the plot of the page
       plot-ladder.py --check                    write nothing; exit 1 if the plot is not that of the page
       plot-ladder.py LADDER.json PICTURE.svg    write the plot of a run"""

import json
import os
import re
import sys

import plots
from tegu_compare.pictures import canvas, dots, palette

PAGE = os.path.join(plots.ROOT, "docs", "ladder.md")
PLOT = os.path.join(plots.ROOT, "docs", "benchmarks", "ladder-h200.svg")
GB = 1e9


def of_page(text):
    """Title, [(step, bytes per second)] and the rate of a copy, as the page has them."""
    section = text.split("## What each step buys")[1].split("## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")][2:]
    copy = float(re.search(r"moves (\d+) GB/s", section).group(1))
    device = re.search(r"on an (NVIDIA \w+)", section).group(1)
    steps = [(row[0].strip(), float(row[3]) * GB) for row in rows]
    return "Sum of 2^24 f32, blocks of 1024, %s" % device, steps, copy * GB


def of_run(content):
    """The same of `tegu-bench ladder --json`: the cases of the first sum."""
    first = content["cases"][0]["name"].rsplit("/", 1)[0]
    cases = [case for case in content["cases"] if case["name"].rsplit("/", 1)[0] == first]
    rates = [(case["policy"], case["bytes"] / case["median_ns"] * GB) for case in cases]
    copies = [rate / case["of_copy"] for case, (_, rate) in zip(cases, rates) if case.get("of_copy")]
    return "%s, %s" % (first, content["device"]["gpu"]), rates, copies[0] if copies else None


def draw(title, steps, copy):
    rows = [dots.Row(step, {0: rate}, "tegu" in step) for step, rate in steps]
    roofs = ((0, copy, "copy %.0f" % (copy / GB)),) if copy else ()
    fig = dots.draw(rows, dots.Scale("GB/s", lambda rate: "%g" % (rate / GB), roofs), 640, True, 24)
    canvas.note(fig.axes[0], title, (0, 1), (-190, 12), palette.colour("ink"), "axes fraction")
    return fig


def words_of(title, steps):
    return "%s, GB/s: %s." % (title, ", ".join("%s %.0f" % (step, rate / GB) for step, rate in steps))


def read(path):
    """What of_page() or of_run() finds."""
    with open(path, encoding="utf-8") as file:
        return of_page(file.read()) if path == PAGE else of_run(json.load(file))


def main(arguments):
    if len(arguments) not in (0, 2) and arguments != ["--check"]:
        sys.exit(__doc__.split("\n\n")[1])
    source, target = arguments if len(arguments) == 2 else (PAGE, PLOT)
    found = read(source)
    sources = ((source, repr(found)), os.path.abspath(__file__))  # the rest of the page may change
    if arguments != ["--check"]:
        plots.write(target, lambda: draw(*found), words_of(*found[:2]), sources)
    elif not plots.is_fresh(PLOT, sources):
        print(
            "%s is not that of docs/ladder.md: run scripts/plot-ladder.py" % os.path.relpath(PLOT, plots.ROOT)
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
