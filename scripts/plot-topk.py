#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorded costs of the ways to select as a plot and as the tables of docs/topk.md.

Reads docs/benchmarks/topk-methods.tsv, which tests/kernels/topk_methods.cpp prints, and writes docs/benchmarks/topk-methods.svg
and the lines between the markers in docs/topk.md.
To measure again, on a machine that does nothing else:
    cmake --build build --target topk_methods
    build/tests/topk_methods 1000000 10000000 > docs/benchmarks/topk-methods.tsv && scripts/plot-topk.py

usage: plot-topk.py            write both
       plot-topk.py --check    write nothing; exit 1 if one of them is not what the measurements say
"""
import math
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
RECORD = os.path.join(ROOT, "benchmarks", "topk-methods.tsv")
PLOT = os.path.join(ROOT, "benchmarks", "topk-methods.svg")
PAGE = os.path.join(ROOT, "topk.md")
BEGIN, END = "<!-- methods: made by scripts/plot-topk.py -->", "<!-- end of methods -->"
COLOURS = {"insertion": "#7570b3", "heap": "#e7298a", "sample": "#d95f02", "radix": "#666666", "tegu": "#1b9e77", "distinct": "#a6d854"}
DATA = ("uniform", "ascending", "descending", "equal", "few16", "misleading")  # the panels
RATIO = 1.5  # the most that `distinct` shall take of plain
WIDTH, HEIGHT, LEFT, TOP = 330, 230, 44, 26  # of a panel, and of the space before its axes
LOW, HIGH = 0.05, 100.0  # ns per element


def read_record():
    """How it was recorded, and (data, n, k, method) -> (ms, method that tegu takes), in the order of the record."""
    with open(RECORD) as file:
        lines = file.read().splitlines()
    note = " ".join(line[1:].strip() for line in lines if line.startswith("#"))
    cells = [line.split("\t") for line in lines if not line.startswith("#")]
    return note, {(row[0], int(row[1]), int(row[2]), row[3]): (float(row[4]), row[5]) for row in cells[1:]}


def sizes(rows):
    return sorted({n for _, n, _, _ in rows})


def ks(rows, n):
    return sorted({k for _, size, k, _ in rows if size == n})


def x_of(k, n):
    return LEFT + (WIDTH - LEFT - 12) * math.log(k / 5.0) / math.log(n / 2 / 5.0)


def y_of(ns):
    return TOP + (HEIGHT - TOP - 30) * math.log(HIGH / min(max(ns, LOW), HIGH)) / math.log(HIGH / LOW)


def panel(rows, data, n):
    """One set of axes: ns per element over k, a line for each method."""
    parts = ['<text x="%d" y="16" class="title">%s, n = %d</text>' % (LEFT, data, n)]
    for ns in (0.1, 1, 10, 100):
        parts.append('<path d="M%d %.1fH%d" class="grid"/><text x="%d" y="%.1f" class="y">%g</text>'
                     % (LEFT, y_of(ns), WIDTH - 12, LEFT - 5, y_of(ns) + 4, ns))
    for k, word in ((5, "5"), (48, "48"), (384, "384"), (10000, "10^4"), (n // 2, "n/2")):
        parts.append('<text x="%.1f" y="%d" class="x">%s</text>' % (x_of(k, n), HEIGHT - 12, word))
    for method, colour in COLOURS.items():
        points = [(x_of(k, n), y_of(rows[data, n, k, method][0] * 1e6 / n)) for k in ks(rows, n) if (data, n, k, method) in rows]
        if points:
            line = "L".join("%.1f %.1f" % point for point in points)
            parts.append('<path d="M%s" stroke="%s" class="line"/>' % (line, colour))
    return parts


def plot(rows):
    n = sizes(rows)[-1]
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">'
             % (3 * WIDTH, 2 * HEIGHT + 24),
             "<style>.title{font-weight:bold}.x{text-anchor:middle}.y{text-anchor:end}.grid{stroke:#ddd}"
             ".line{fill:none;stroke-width:1.6}</style>", '<rect width="100%" height="100%" fill="#fff"/>']
    for index, data in enumerate(DATA):
        lines.append('<g transform="translate(%d %d)">' % (index % 3 * WIDTH, index // 3 * HEIGHT))
        lines += panel(rows, data, n) + ["</g>"]
    for index, (method, colour) in enumerate(COLOURS.items()):
        lines.append('<text x="%d" y="%d" fill="%s">%s</text>' % (LEFT + 80 * index, 2 * HEIGHT + 14, colour, method))
    lines.append('<text x="%d" y="%d">ns per element over k, one thread</text>' % (LEFT + 560, 2 * HEIGHT + 14))
    return "\n".join(lines + ["</svg>", ""])


def table(rows, data, n):
    """Markdown: a line for each k; bold is the fastest."""
    methods = [method for method in COLOURS if method != "distinct"]
    lines = ["| k | " + " | ".join(methods) + " | tegu takes | tegu, `distinct` |", "|" + "---|" * (len(methods) + 3)]
    for k in ks(rows, n):
        times = [rows.get((data, n, k, method)) for method in methods]
        best = min(time[0] for time in times if time)
        cells = ["-" if time is None else ("**%.3g**" if time[0] == best else "%.3g") % time[0] for time in times]
        cells += [rows[data, n, k, "tegu"][1], "%.3g" % rows[data, n, k, "distinct"][0]]
        lines.append("| %d | %s |" % (k, " | ".join(cells)))
    return "\n".join(lines)


def data_of(rows):
    return list(dict.fromkeys(data for data, _, _, _ in rows))


def data_table(rows, n):
    """Markdown: what tegu takes for each kind of data, plain / distinct."""
    lines = ["| k | " + " | ".join(data_of(rows)) + " |", "|" + "---|" * (len(data_of(rows)) + 1)]
    for k in ks(rows, n):
        cells = ["%.3g / %.3g" % tuple(rows[data, n, k, method][0] for method in ("tegu", "distinct")) for data in data_of(rows)]
        lines.append("| %d | %s |" % (k, " | ".join(cells)))
    return "\n".join(lines)


def ratio_table(rows, n):
    """Markdown: distinct as a part of plain on the same data; bold where it is more than it shall be."""
    lines = ["| k | " + " | ".join(data_of(rows)) + " |", "|" + "---|" * (len(data_of(rows)) + 1)]
    for k in ks(rows, n):
        ratios = [rows[data, n, k, "distinct"][0] / rows[data, n, k, "tegu"][0] for data in data_of(rows)]
        lines.append("| %d | %s |" % (k, " | ".join(("**%.2f**" if ratio > RATIO else "%.2f") % ratio for ratio in ratios)))
    return "\n".join(lines)


def page(note, rows, text):
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    parts = ["Recorded " + note + "."]
    for n in sizes(rows):
        for data in ("uniform", "ascending"):
            parts += ["%s, n = %d, ms:" % (data.capitalize(), n), table(rows, data, n)]
        parts += ["tegu on all data, n = %d, ms, plain / `distinct`:" % n, data_table(rows, n)]
        parts += ["`distinct` as a part of plain, n = %d; bold: more than %g:" % (n, RATIO), ratio_table(rows, n)]
    return before + BEGIN + "\n\n" + "\n\n".join(parts) + "\n\n" + END + after


def main(arguments):
    note, rows = read_record()
    with open(PAGE) as file:
        text = file.read()
    made = {PLOT: plot(rows), PAGE: page(note, rows, text)}
    stale = []
    for path, content in made.items():
        if arguments != ["--check"]:
            with open(path, "w") as file:
                file.write(content)
            continue
        with open(path) as file:
            if file.read() != content:
                stale.append(os.path.relpath(path, os.path.join(ROOT, "..")))
    for path in stale:
        print("%s is not what the measurements say: run scripts/plot-topk.py" % path)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
