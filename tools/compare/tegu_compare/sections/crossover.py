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


def _ring(curves, value):
    """The point where the curves cross, for the picture."""
    if not isinstance(value, float):
        return None
    below = max((one for one in curves.gpu if one[0] <= value), default=None)
    above = min((one for one in curves.gpu if one[0] > value), default=None)
    if below is None or above is None:
        return None
    share = math.log(value / below[0]) / math.log(above[0] / below[0])
    return value, below[1].seconds * (above[1].seconds / below[1].seconds) ** share


def _picture(title, found):
    """found: [(series, name of the board, curves)]"""
    shown, words = [], []
    for series, name, curves in found:
        value = crossover.crossing(curves)
        ends = len(found) > 1
        shown.append(
            lines.Line(
                "GPU" if not ends else "",
                [(size, one.seconds) for size, one in curves.gpu],
                series,
                ring=_ring(curves, value),
            )
        )
        shown.append(
            lines.Line(
                "CPU" if not ends else "", [(size, one.seconds) for size, one in curves.cpu], series, True
            )
        )
        words.append("%s: %s" % (name, crossing_text(value)))
    x = lines.Axis("elements", about)
    return Picture(
        title,
        "Times of %s on CPU and GPU over the number of elements. The GPU is faster from: %s."
        % (title, "; ".join(words)),
        lambda width: lines.draw(shown, x, lines.Axis("time", seconds), width),
    )


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
    columns = [Column("operation", False)] + [Column(board.name) for board in boards]
    rows = []
    for title in titles:
        values = {
            series: crossing_text(crossover.crossing(curves))
            for series, _, curves in found
            if curves.title == title
        }
        rows.append(
            [Cell(title)]
            + [Cell(values[index]) if index in values else Cell(NONE, QUIET) for index in range(len(boards))]
        )
    note = "Solid, filled: GPU. Dashed, hollow: CPU. A ring marks where they cross."
    blocks = [Pictures(pictures, legend(boards, {series for series, _, _ in found}), note)]
    if any(crossover.crossing(curves) is not None for _, _, curves in found):
        title = "Elements from which the GPU stays faster"
        blocks.append(Table(title, columns, rows, "Interpolated between measured sizes."))
    return Section("crossover", "CPU and GPU over the size of a job", [], blocks)
