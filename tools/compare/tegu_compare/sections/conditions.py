# SPDX-License-Identifier: Apache-2.0
"""Temperatures, clocks and power over the run: whether a board held its speed."""

from ..pictures import run
from ..report import ALARM, Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..units import NONE


def _range(values, unit):
    values = [value for value in values if value is not None]
    if not values:
        return Cell(NONE, QUIET)
    low, high = min(values), max(values)
    return Cell(
        "%.4g %s" % (high, unit) if round(low, 1) == round(high, 1) else "%.4g–%.4g %s" % (low, high, unit)
    )


def _hottest(condition):
    return max(condition.temperatures_c.values()) if condition.temperatures_c else None


def _table(boards):
    columns = [
        Column("board", False),
        Column("part", False),
        Column("hottest sensor"),
        Column("GPU clock"),
        Column("CPU clock"),
        Column("power"),
        Column("throttled by", False),
    ]
    rows = []
    for board in boards:
        for part in dict.fromkeys(condition.part for condition in board.conditions):
            mine = [condition for condition in board.conditions if condition.part == part]
            reasons = sorted({reason for condition in mine for reason in condition.throttle})
            rows.append(
                [
                    Cell(board.name),
                    Cell(part),
                    _range(map(_hottest, mine), "°C"),
                    _range([one.clocks_mhz.get("gpu") for one in mine], "MHz"),
                    _range([one.clocks_mhz.get("cpu") for one in mine], "MHz"),
                    _range([one.power_w for one in mine], "W"),
                    Cell(", ".join(reasons), ALARM) if reasons else Cell(NONE, QUIET),
                ]
            )
    return Table("Conditions by part", columns, rows, "", folded=True)


def section(boards):
    there = [
        board
        for board in boards
        if any(one.temperatures_c or one.clocks_mhz or one.power_w is not None for one in board.conditions)
    ]
    if not there:
        return None
    pictures = []
    for board in there:
        hottest = [value for value in map(_hottest, board.conditions) if value is not None]
        words = "Temperatures, clocks and power of %s over its run%s." % (
            board.name,
            ", at most %.4g °C" % max(hottest) if hottest else "",
        )
        pictures.append(
            Picture(
                board.name,
                words,
                lambda width, board=board: run.draw(board, boards.index(board), width),
                wide=True,
            )
        )
    return Section(
        "conditions",
        "Temperatures, clocks and power over the run",
        [],
        [
            Pictures(
                pictures,
                [],
                "Thin lines divide the parts of a run. Red ticks: something held the clocks down.",
            ),
            _table(there),
        ],
    )
