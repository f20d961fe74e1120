#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorded costs of the methods of entropy_map as a plot and as the table of docs/entropy-map.md.

Reads docs/benchmarks/entropy-map-methods.tsv, which tests/kernels/entropy_map_methods.cpp prints, and writes
docs/benchmarks/entropy-map-methods.svg and the lines between the markers in docs/entropy-map.md.
usage: plot-entropy-map.py            write both
       plot-entropy-map.py --check    write nothing; exit 1 if one of them is not what the measurements say
"""
import math
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
RECORD = os.path.join(ROOT, "benchmarks", "entropy-map-methods.tsv")
PLOT = os.path.join(ROOT, "benchmarks", "entropy-map-methods.svg")
PAGE = os.path.join(ROOT, "entropy-map.md")
BEGIN, END = "<!-- methods: made by scripts/plot-entropy-map.py -->", "<!-- end of methods -->"
METHODS = ("planes", "prefix", "columns", "slide")
COLOURS = {"planes": "#1b9e77", "prefix": "#d95f02", "columns": "#7570b3", "slide": "#666666"}
PANELS = (2, 4, 16, 64, 128, 256)
WINDOWS = (3, 5, 7, 9, 15, 31, 63)
WIDTH, HEIGHT, LEFT, TOP = 300, 220, 40, 26  # of a panel, and of the space before its axes
LOW, HIGH = 0.1, 100.0  # ns per pixel


def read_record():
    """Rows of the file as dicts."""
    with open(RECORD) as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def cost(rows, isa, levels, window, method):
    """(ns per pixel, whether the policy takes it), or None where the method cannot do it."""
    for row in rows:
        if (row["isa"], row["type"], row["levels"], row["window"], row["method"]) == (isa, "u8", str(levels), str(window), method):
            return float(row["ns_per_pixel"]), row["policy"] == "taken"
    return None


def x_of(window):
    return LEFT + (WIDTH - LEFT - 10) * math.log(window / 3.0) / math.log(63 / 3.0)


def y_of(ns):
    return TOP + (HEIGHT - TOP - 30) * math.log(HIGH / ns) / math.log(HIGH / LOW)


def panel(rows, levels):
    """One set of axes: ns per pixel over the window, a line for each method; what the policy takes is a filled dot."""
    parts = ['<text x="%d" y="16" class="title">%d levels</text>' % (LEFT, levels)]
    for ns in (0.1, 1, 10, 100):
        parts.append('<path d="M%d %.1fH%d" class="grid"/><text x="%d" y="%.1f" class="y">%g</text>'
                     % (LEFT, y_of(ns), WIDTH - 10, LEFT - 5, y_of(ns) + 4, ns))
    for window in WINDOWS:
        parts.append('<text x="%.1f" y="%d" class="x">%d</text>' % (x_of(window), HEIGHT - 14, window))
    for method in METHODS:
        found = [(window, cost(rows, "avx512", levels, window, method)) for window in WINDOWS]
        points = [(x_of(window), y_of(value[0]), value[1]) for window, value in found if value]
        if not points:
            continue
        line = "L".join("%.1f %.1f" % point[:2] for point in points)
        parts.append('<path d="M%s" stroke="%s" class="line"/>' % (line, COLOURS[method]))
        for x, y, taken in points:
            parts.append('<circle cx="%.1f" cy="%.1f" r="%s" fill="%s" stroke="%s"/>'
                         % (x, y, "4" if taken else "2", COLOURS[method] if taken else "#fff", COLOURS[method]))
    return parts


def plot(rows):
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">'
             % (3 * WIDTH, 2 * HEIGHT + 24),
             "<style>.title{font-weight:bold}.x{text-anchor:middle}.y{text-anchor:end}.grid{stroke:#ddd}"
             ".line{fill:none;stroke-width:1.5}</style>", '<rect width="100%" height="100%" fill="#fff"/>']
    for index, levels in enumerate(PANELS):
        lines.append('<g transform="translate(%d %d)">' % (index % 3 * WIDTH, index // 3 * HEIGHT))
        lines += panel(rows, levels) + ["</g>"]
    for index, method in enumerate(METHODS):
        lines.append('<text x="%d" y="%d" fill="%s">%s</text>' % (LEFT + 80 * index, 2 * HEIGHT + 14, COLOURS[method], method))
    lines.append('<text x="%d" y="%d">ns per pixel over the side of the window, AVX-512; filled: taken by the policy</text>'
                 % (LEFT + 340, 2 * HEIGHT + 14))
    return "\n".join(lines + ["</svg>", ""])


def table(rows):
    """Markdown: a line for each levels and window, AVX-512 and AVX2; bold is what the policy takes."""
    heads = ["levels", "window"] + ["%s, %s" % (method, isa) for isa in ("AVX-512", "AVX2") for method in METHODS]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for levels in sorted({int(row["levels"]) for row in rows if row["type"] == "u8"}):
        for window in WINDOWS:
            cells = [str(levels), "%dx%d" % (window, window)]
            for isa in ("avx512", "avx2"):
                for method in METHODS:
                    value = cost(rows, isa, levels, window, method)
                    cells.append("-" if value is None else "**%.2f**" % value[0] if value[1] else "%.2f" % value[0])
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def type_table(rows):
    heads = ["type", "AVX-512, no range", "AVX-512, range", "AVX2, no range", "AVX2, range"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for word in ("i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"):
        cells = [row["ns_per_pixel"] for isa in ("avx512", "avx2") for given in ("none", "given") for row in rows
                 if (row["isa"], row["type"], row["range"]) == (isa, word, given)]
        lines.append("| " + " | ".join([word] + ["%.2f" % float(cell) for cell in cells]) + " |")
    return "\n".join(lines)


def page(rows, text):
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return before + BEGIN + "\n\n" + table(rows) + "\n\n" + "The same at 5x5 and 16 levels for the other types (u8: above):\n\n" \
        + type_table(rows) + "\n\n" + END + after


def main(arguments):
    rows = read_record()
    with open(PAGE) as file:
        text = file.read()
    made = {PLOT: plot(rows), PAGE: page(rows, text)}
    if arguments != ["--check"]:
        for path, content in made.items():
            with open(path, "w") as file:
                file.write(content)
        return 0
    stale = []
    for path, content in made.items():
        with open(path) as file:
            if file.read() != content:
                stale.append(os.path.relpath(path, os.path.join(ROOT, "..")))
    for path in stale:
        print("%s is not what the measurements say: run scripts/plot-entropy-map.py" % path)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
