#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorded costs of the methods of entropy_map as a plot and as the table of docs/entropy-map.md.

Reads docs/benchmarks/entropy-map-methods.tsv, which tests/kernels/entropy_map/methods.cpp prints, and writes
docs/benchmarks/entropy-map-methods.svg and the lines between the markers in docs/entropy-map.md.
usage: plot-entropy-map.py            write both
       plot-entropy-map.py --check    write nothing; exit 1 if one of them is not what the measurements say
"""

import os
import sys

import plots
from tegu_compare.pictures import canvas, lines, palette

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
RECORD = os.path.join(ROOT, "benchmarks", "entropy-map-methods.tsv")
PLOT = os.path.join(ROOT, "benchmarks", "entropy-map-methods.svg")
PAGE = os.path.join(ROOT, "entropy-map.md")
BEGIN, END = "<!-- methods: made by scripts/plot-entropy-map.py -->", "<!-- end of methods -->"
METHODS = ("planes", "prefix", "columns", "slide")
PANELS = (2, 4, 16, 64, 128, 256)
WINDOWS = (3, 5, 7, 9, 15, 31, 63)
WIDTH, HEIGHT = 330, 250  # of a panel
LOW, HIGH = 0.1, 100.0  # ns per pixel
WORDS = (
    "Time per pixel over the side of the window of each method with AVX-512, for six numbers of levels; "
    "large marks: what the policy takes."
)


def read_record():
    """Rows of the file as dicts."""
    with open(RECORD) as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def cost(rows, isa, levels, window, method):
    """(ns per pixel, whether the policy takes it), or None where the method cannot do it."""
    for row in rows:
        if (row["isa"], row["type"], row["levels"], row["window"], row["method"]) == (
            isa,
            "u8",
            str(levels),
            str(window),
            method,
        ):
            return float(row["ns_per_pixel"]), row["policy"] == "taken"
    return None


def panel(fig, place, rows, levels):
    """One set of axes: ns per pixel over the window, a line for each method; what the policy takes is a large
    mark."""
    ax = canvas.tile(fig, place % 3, 3, place // 3, 2, right=56, top=44)
    shown, taken = [], []
    for series, method in enumerate(METHODS):
        found = [(window, cost(rows, "avx512", levels, window, method)) for window in WINDOWS]
        line = lines.Line(method, [(window, value[0]) for window, value in found if value], series, size=2.6)
        shown.append(line)
        taken += [(window, value[0], line) for window, value in found if value and value[1]]
    x = lines.Axis("side of the window", lambda window: "%d" % window, list(WINDOWS))
    y = lines.Axis("ns per pixel", lambda ns: "%g" % ns, [0.1, 1, 10, 100], low=LOW, high=HIGH)
    lines.put(ax, [line for line in shown if line.points], x, y, 52)
    for window, ns, line in taken:
        ax.plot(
            [window],
            [ns],
            color=line.colour,
            marker=palette.marker(line.series),
            markersize=6.5,
            markeredgewidth=0,
        )
    canvas.note(ax, "%d levels" % levels, (0, 1), (-6, 24), palette.colour("ink"), "axes fraction")


def plot(rows):
    fig = canvas.figure(3 * WIDTH, 2 * HEIGHT)
    for place, levels in enumerate(PANELS):
        panel(fig, place, rows, levels)
    return fig


def table(rows):
    """Markdown: a line for each levels and window, AVX-512 and AVX2; bold is what the policy takes."""
    heads = ["levels", "window"] + [
        "%s, %s" % (method, isa) for isa in ("AVX-512", "AVX2") for method in METHODS
    ]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for levels in sorted({int(row["levels"]) for row in rows if row["type"] == "u8"}):
        for window in WINDOWS:
            cells = [str(levels), "%dx%d" % (window, window)]
            for isa in ("avx512", "avx2"):
                for method in METHODS:
                    value = cost(rows, isa, levels, window, method)
                    cells.append(
                        "-" if value is None else "**%.2f**" % value[0] if value[1] else "%.2f" % value[0]
                    )
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def type_table(rows):
    heads = ["type", "AVX-512, no range", "AVX-512, range", "AVX2, no range", "AVX2, range"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for word in ("i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"):
        cells = [
            row["ns_per_pixel"]
            for isa in ("avx512", "avx2")
            for given in ("none", "given")
            for row in rows
            if (row["isa"], row["type"], row["range"]) == (isa, word, given)
        ]
        lines.append("| " + " | ".join([word] + ["%.2f" % float(cell) for cell in cells]) + " |")
    return "\n".join(lines)


def page(rows, text):
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return (
        before
        + BEGIN
        + "\n\n"
        + table(rows)
        + "\n\n"
        + "The same at 5x5 and 16 levels for the other types (u8: above):\n\n"
        + type_table(rows)
        + "\n\n"
        + END
        + after
    )


def main(arguments):
    rows = read_record()
    with open(PAGE) as file:
        text = file.read()
    made, sources = page(rows, text), (RECORD, os.path.abspath(__file__))
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
            "%s is not what the measurements say: run scripts/plot-entropy-map.py"
            % os.path.relpath(path, os.path.join(ROOT, ".."))
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
