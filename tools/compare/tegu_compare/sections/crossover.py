# SPDX-License-Identifier: Apache-2.0
"""From which size on the GPU pays, for each operation and board."""

import math

from .. import crossover
from ..pictures import lines
from ..report import Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..units import NONE, about, seconds
from .common import legend


def crossing_text(value):
    if value is None:
        return NONE
    if value == crossover.ALWAYS:
        return "always the GPU"
    return "never the GPU" if value == crossover.NEVER else about(value)


def _ring(line, value):
    """The point of a line where it crosses that of the CPU, for the picture."""
    if not isinstance(value, float):
        return None
    below = max((one for one in line if one[0] <= value), default=None)
    above = min((one for one in line if one[0] > value), default=None)
    if below is None or above is None:
        return None
    share = math.log(value / below[0]) / math.log(above[0] / below[0])
    return value, below[1].seconds * (above[1].seconds / below[1].seconds) ** share


def _lines(series, curves, named):
    """The GPU, the GPU whose data is brought, and the CPU of one board."""
    return [
        lines.Line(
            name if named else "",
            [(size, one.seconds) for size, one in points],
            series,
            style,
            ring=_ring(points, crossover.crossing(curves, copied)) if style != lines.DASHED else None,
        )
        for name, points, style, copied in (
            ("GPU", curves.gpu, lines.SOLID, False),
            ("GPU, copies", curves.copied, lines.DOTTED, True),
            ("CPU", curves.cpu, lines.DASHED, False),
        )
        if points
    ]


def _picture(title, found):
    """found: [(series, name of the board, curves)]"""
    shown, words = [], []
    for series, name, curves in found:
        shown += _lines(series, curves, len(found) == 1)
        words.append(
            "%s: %s%s"
            % (
                name,
                crossing_text(crossover.crossing(curves)),
                (
                    ", with copies %s" % crossing_text(crossover.crossing(curves, True))
                    if curves.copied
                    else ""
                ),
            )
        )
    x = lines.Axis("elements", about)
    return Picture(
        title,
        "Times of %s on CPU and GPU over the number of elements. The GPU is faster from: %s."
        % (title, "; ".join(words)),
        lambda width: lines.draw(shown, x, lines.Axis("time", seconds), width),
    )


def _table(boards, found, titles):
    """For each board with a GPU: with its data there, and with its data to be brought."""
    columns, columns_of = [Column("operation", False)], []
    for index, board in enumerate(boards):
        mine = [curves for series, _, curves in found if series == index]
        for copied, words in ((False, ""), (True, ", data copied first")):
            if any(crossover.crossing(curves, copied) is not None for curves in mine):
                columns.append(Column(board.name + words))
                columns_of.append(
                    {curves.title: crossing_text(crossover.crossing(curves, copied)) for curves in mine}
                )
    rows = [
        [Cell(title)]
        + [Cell(values[title]) if title in values else Cell(NONE, QUIET) for values in columns_of]
        for title in titles
    ]
    note = "Interpolated between measured sizes. A board without a GPU has no column."
    return Table("Elements from which the GPU stays faster", columns, rows, note) if columns_of else None


def section(boards):
    found = [
        (index, board.name, curves)
        for index, board in enumerate(boards)
        for curves in crossover.curves(board)
    ]
    if not found:
        return None
    titles = list(dict.fromkeys(curves.title for _, _, curves in found))
    pictures = [_picture(title, [one for one in found if one[2].title == title]) for title in titles]
    note = (
        "Solid: the GPU, with its data there. Dotted: the GPU, and copying its data there. Dashed, hollow: "
    )
    note += "the CPU. A ring marks where a line of the GPU crosses that of the CPU of its board."
    blocks = [Pictures(pictures, legend(boards, {series for series, _, _ in found}), note)]
    table = _table(boards, found, titles)
    return Section("crossover", "CPU and GPU over the size of a job", [], blocks + ([table] if table else []))
