#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well a daemon chooses between CPU and GPU, as a picture and as the table of docs/tuning.md.

Reads docs/benchmarks/placement-h200.json, which `tegu-bench placement -o` writes, and writes
docs/benchmarks/placement-h200.svg and the lines between the markers in docs/tuning.md.

usage: plot-placement.py                               write both
       plot-placement.py --check                       write nothing; exit 1 if one of them is behind
       plot-placement.py PLACEMENT.json PICTURE.svg    write the picture of any run, and print its table"""

import json
import os
import sys

import plots
from tegu_compare.pictures import canvas, palette

RECORD = os.path.join(plots.ROOT, "docs", "benchmarks", "placement-h200.json")
PLOT = os.path.join(plots.ROOT, "docs", "benchmarks", "placement-h200.svg")
PAGE = os.path.join(plots.ROOT, "docs", "tuning.md")
BEGIN, END = "<!-- placement: made by scripts/plot-placement.py -->", "<!-- end of placement -->"
WIDTH, HEIGHT, MARGIN = 680, 320, 46
GOALS = ((1.10, "p95 at most 1.10"), (1.50, "worst at most 1.5"))
WORST = 8  # cases that are listed


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def ratio(row):
    return row["auto_us"] / min(row["cpu_us"], row["gpu_us"])


def at(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(record):
    """Markdown: the operations, then the cases that the choice takes longest for."""
    groups = {}
    for row in record["rows"]:
        groups.setdefault(row["operation"], []).append(row)
    lines = [
        "%s beside %d cores of %s, commit %s, %s; %d jobs. Times that the daemon began with: of the "
        "CPU %s, of the GPU %s."
        % (
            record["gpu"],
            record["cores"],
            record["cpu"],
            record["commit"],
            record["date"],
            len(record["rows"]),
            record["cpu_source"],
            record["gpu_source"],
        ),
        "",
        "| operation | jobs | sooner on the GPU | p50 | p90 | p95 | worst |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, rows in sorted(groups.items()) + [("all", record["rows"])]:
        ratios = [ratio(row) for row in rows]
        faster = sum(row["gpu_us"] < row["cpu_us"] for row in rows)
        found = [at(ratios, share) for share in (0.5, 0.9, 0.95)] + [max(ratios)]
        lines.append(
            "| %s | %d | %d | %s |" % (name, len(rows), faster, " | ".join("%.2f" % one for one in found))
        )
    lines += ["", "| the worst | CPU, us | GPU, us | chosen, us | ratio |", "|---|---|---|---|---|"]
    for row in sorted(record["rows"], key=ratio, reverse=True)[:WORST]:
        lines.append(
            "| %s | %.1f | %.1f | %.1f | %.2f |"
            % (row["name"], row["cpu_us"], row["gpu_us"], row["auto_us"], ratio(row))
        )
    return "\n".join(lines)


def plot(record):
    """Each job a dot: how much sooner the better backend is than the other, and what the choice takes over
    it."""
    fig, ax = canvas.panel(WIDTH, HEIGHT, left=MARGIN, bottom=40, right=120, top=24)
    rows = record["rows"]
    gains = [row["cpu_us"] / row["gpu_us"] for row in rows]
    ratios = [max(ratio(row), 0.8) for row in rows]
    canvas.logarithmic(ax.xaxis, min(gains) / 1.2, max(gains) * 1.2, lambda value: "%g" % value)
    canvas.logarithmic(
        ax.yaxis,
        0.78,
        max(max(ratios) * 1.05, 1.6),
        lambda value: "%.2g" % value,
        at=(0.8, 1, 1.1, 1.25, 1.5, 2, 3, 5),
    )
    canvas.grid(ax)
    for goal, words in GOALS:
        ax.axhline(goal, color=palette.colour("soft"), linewidth=0.8, linestyle=(0, (4, 3)))
        canvas.beside(ax, (1, goal), words, palette.colour("soft"), ax.get_yaxis_transform())
    ax.axvline(1, color=palette.colour("rule"), linewidth=0.8)
    for series, on_gpu in ((0, False), (1, True)):
        chosen = [i for i, row in enumerate(rows) if (row["on_gpu"] >= 0.5) == on_gpu]
        ax.scatter(
            [gains[i] for i in chosen],
            [ratios[i] for i in chosen],
            s=9,
            linewidths=0,
            color=palette.series(series),
        )
    canvas.note(ax, "chosen: CPU", (0, 1), (190, 7), palette.series(0), "axes fraction")
    canvas.note(ax, "chosen: GPU", (0, 1), (275, 7), palette.series(1), "axes fraction")
    canvas.axis_titles(ax, "time on the CPU over time on the GPU", "time of the choice, over the better")
    return fig


def words_of(record):
    found = record["summary"]
    return (
        "Time where the daemon chooses over that of the better backend, %d jobs: p50 %.2f, p95 "
        "%.2f, worst %.2f." % (found["cases"], found["p50"], found["p95"], found["worst"])
    )


def page_with(text, record):
    begin, end = text.index(BEGIN), text.index(END)
    return text[: begin + len(BEGIN)] + "\n" + table(record) + "\n\n" + text[end:]


def main(arguments):
    if len(arguments) == 2:
        record = read(arguments[0])
        plots.write(
            arguments[1], lambda: plot(record), words_of(record), (arguments[0], os.path.abspath(__file__))
        )
        print(table(record))
        return 0
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__.split("\n\n")[2])
    record, sources = read(RECORD), (RECORD, os.path.abspath(__file__))
    with open(PAGE, encoding="utf-8") as file:
        before = file.read()
    after = page_with(before, record)
    if arguments:
        behind = [
            path
            for path, fresh in ((PLOT, plots.is_fresh(PLOT, sources)), (PAGE, before == after))
            if not fresh
        ]
        for path in behind:
            print(
                "%s is not what was measured: run scripts/plot-placement.py"
                % os.path.relpath(path, plots.ROOT)
            )
        return 1 if behind else 0
    plots.write(PLOT, lambda: plot(record), words_of(record), sources)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(after)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
