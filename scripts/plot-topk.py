#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorded costs of the ways to select as a plot and as the tables of docs/topk.md.

Reads docs/benchmarks/topk-methods.tsv, which tests/kernels/topk/methods.cpp prints, and writes
docs/benchmarks/topk-methods.svg and the lines between the markers in docs/topk.md. To measure again, on a
machine that does nothing else: cmake --build build --target topk_methods build/tests/topk_methods 1000000
10000000 > docs/benchmarks/topk-methods.tsv && scripts/plot-topk.py

usage: plot-topk.py write both plot-topk.py --check write nothing; exit 1 if one of them is not what the
measurements say"""

import os
import sys

import plots
from tegu_compare.pictures import canvas, lines, palette

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
RECORD = os.path.join(ROOT, "benchmarks", "topk-methods.tsv")
PLOT = os.path.join(ROOT, "benchmarks", "topk-methods.svg")
PAGE = os.path.join(ROOT, "topk.md")
BEGIN, END = "<!-- methods: made by scripts/plot-topk.py -->", "<!-- end of methods -->"
METHODS = (
    "tegu",
    "distinct",
    "sample",
    "insertion",
    "heap",
    "radix",
)  # the lines, and the columns but for distinct
DATA = ("uniform", "ascending", "descending", "equal", "few16", "misleading")  # the panels
RATIO = 1.5  # the most that `distinct` shall take of plain
WIDTH, HEIGHT = 330, 260  # of a panel
WORDS = (
    "Time per element over k of each way to select, one thread, for six kinds of data; the tables beside it "
    "have the values."
)
LOW, HIGH = 0.05, 100.0  # ns per element


def read_record():
    """How it was recorded, and (data, n, k, method) -> (ms, method that tegu takes), in the order of the
    record."""
    with open(RECORD) as file:
        lines = file.read().splitlines()
    note = " ".join(line[1:].strip() for line in lines if line.startswith("#"))
    cells = [line.split("\t") for line in lines if not line.startswith("#")]
    return note, {(row[0], int(row[1]), int(row[2]), row[3]): (float(row[4]), row[5]) for row in cells[1:]}


def sizes(rows):
    return sorted({n for _, n, _, _ in rows})


def ks(rows, n):
    return sorted({k for _, size, k, _ in rows if size == n})


def panel(fig, place, rows, data, n):
    """One set of axes: ns per element over k, a line for each method with its name at its end."""
    shown = []
    for series, method in enumerate(METHODS):
        points = [
            (k, min(max(rows[data, n, k, method][0] * 1e6 / n, LOW), HIGH))
            for k in ks(rows, n)
            if (data, n, k, method) in rows
        ]
        shown.append(lines.Line(method, points, series, size=2.8))
    ax = canvas.tile(fig, place % 3, 3, place // 3, 2, right=62, top=44)
    words = {5: "5", 48: "48", 384: "384", 10000: "10⁴", n // 2: "n/2"}
    x = lines.Axis("k", lambda k: words[k], sorted(words))
    y = lines.Axis("ns per element", lambda ns: "%g" % ns, [0.1, 1, 10, 100], low=LOW, high=HIGH)
    lines.put(ax, [line for line in shown if line.points], x, y, 58)
    canvas.note(ax, "%s, n = %d" % (data, n), (0, 1), (-6, 24), palette.colour("ink"), "axes fraction")


def plot(rows):
    fig = canvas.figure(3 * WIDTH, 2 * HEIGHT)
    for place, data in enumerate(DATA):
        panel(fig, place, rows, data, sizes(rows)[-1])
    return fig


def table(rows, data, n):
    """Markdown: a line for each k; bold is the fastest."""
    methods = [method for method in ("insertion", "heap", "sample", "radix", "tegu")]
    lines = [
        "| k | " + " | ".join(methods) + " | tegu takes | tegu, `distinct` |",
        "|" + "---|" * (len(methods) + 3),
    ]
    for k in ks(rows, n):
        times = [rows.get((data, n, k, method)) for method in methods]
        best = min(time[0] for time in times if time)
        cells = [
            "-" if time is None else ("**%.3g**" if time[0] == best else "%.3g") % time[0] for time in times
        ]
        cells += [rows[data, n, k, "tegu"][1], "%.3g" % rows[data, n, k, "distinct"][0]]
        lines.append("| %d | %s |" % (k, " | ".join(cells)))
    return "\n".join(lines)


def data_of(rows):
    return list(dict.fromkeys(data for data, _, _, _ in rows))


def data_table(rows, n):
    """Markdown: what tegu takes for each kind of data, plain / distinct."""
    lines = ["| k | " + " | ".join(data_of(rows)) + " |", "|" + "---|" * (len(data_of(rows)) + 1)]
    for k in ks(rows, n):
        cells = [
            "%.3g / %.3g" % tuple(rows[data, n, k, method][0] for method in ("tegu", "distinct"))
            for data in data_of(rows)
        ]
        lines.append("| %d | %s |" % (k, " | ".join(cells)))
    return "\n".join(lines)


def ratio_table(rows, n):
    """Markdown: distinct as a part of plain on the same data; bold where it is more than it shall be."""
    lines = ["| k | " + " | ".join(data_of(rows)) + " |", "|" + "---|" * (len(data_of(rows)) + 1)]
    for k in ks(rows, n):
        ratios = [rows[data, n, k, "distinct"][0] / rows[data, n, k, "tegu"][0] for data in data_of(rows)]
        lines.append(
            "| %d | %s |"
            % (k, " | ".join(("**%.2f**" if ratio > RATIO else "%.2f") % ratio for ratio in ratios))
        )
    return "\n".join(lines)


def page(note, rows, text):
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    parts = ["Recorded " + note + "."]
    for n in sizes(rows):
        for data in ("uniform", "ascending"):
            parts += ["%s, n = %d, ms:" % (data.capitalize(), n), table(rows, data, n)]
        parts += ["tegu on all data, n = %d, ms, plain / `distinct`:" % n, data_table(rows, n)]
        parts += [
            "`distinct` as a part of plain, n = %d; bold: more than %g:" % (n, RATIO),
            ratio_table(rows, n),
        ]
    return before + BEGIN + "\n\n" + "\n\n".join(parts) + "\n\n" + END + after


def main(arguments):
    note, rows = read_record()
    with open(PAGE) as file:
        text = file.read()
    made, sources = page(note, rows, text), (RECORD, os.path.abspath(__file__))
    if arguments != ["--check"]:
        with open(PAGE, "w") as file:
            file.write(made)
        plots.write(PLOT, lambda: plot(rows), WORDS, sources)
        return 0
    stale = [
        path for path, fresh in ((PLOT, plots.is_fresh(PLOT, sources)), (PAGE, made == text)) if not fresh
    ]
    for path in stale:
        print(
            "%s is not what the measurements say: run scripts/plot-topk.py"
            % os.path.relpath(path, os.path.join(ROOT, ".."))
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
