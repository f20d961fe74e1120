# SPDX-License-Identifier: Apache-2.0
"""S1: the k largest distinct values by lists in every thread: k by block size on each board, beside a full
sort and tegu's own top-k."""

import math

from .. import seeds
from ..pictures import canvas, heat, lines
from ..report import BEST, Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..units import NONE, seconds
from . import seed_steps
from .common import present, time_cell

SEED = "lists, best block"
_HEAT = (
    "In each cell the time; framed and darkest: the best block size for that k. Empty: the lists of a block "
    "do not fit its shared memory, or no time was left for it (Left out, at the end)."
)
_RACE = "The lists with their best block size against the other ways to the same result."


def _title(board, grid):
    return " · ".join(filter(None, (board.name, grid.variant)))


def _short_time(value):
    return seconds(value).replace(" ", "\u2009")  # a thin space


def _heat(board, series, grid):
    best = ", ".join("k = %d: %d" % (k, grid.best(k)[0]) for k in grid.ks)
    return Picture(
        _title(board, grid),
        "Time by k and threads per block. Best block size: %s." % best,
        lambda width: heat.draw(grid, _short_time, series, width),
    )


def _race(board, series, grid):
    """Lists with their best block against the rivals, over k. The lists have the colour of the board, tegu is
    black, other rivals are grey."""
    shown = (
        [lines.Line(SEED, [(k, result.seconds) for k, result in grid.best_line()], series)]
        if grid.cells
        else []
    )
    shown += [
        lines.Line(
            name,
            [(k, result.seconds) for k, result in line],
            series + index,
            lines.DASHED if "CPU" in name else lines.SOLID,
            role="ink" if name.startswith("tegu") else "soft",
        )
        for index, (name, line) in enumerate(sorted(grid.rivals.items()), start=1)
    ]
    words = "; ".join(
        "%s %s at k = %d" % (line.name, seconds(line.points[-1][1]), line.points[-1][0])
        for line in shown
        if line.points
    )
    ticks = sorted({k for line in shown for k, _ in line.points})
    return Picture(
        _title(board, grid),
        "Time over k: %s." % words,
        lambda width: lines.draw(
            shown,
            lines.Axis("k", lambda value: "%d" % value, _few(ticks, lines.plot_width(shown, width))),
            lines.Axis("time", seconds),
            width,
            236,
        ),
        wide=True,
    )


def _few(ticks, pixels):
    """Ticks of a logarithmic scale of that many pixels, without those whose texts would touch."""
    if len(ticks) < 2:
        return ticks
    scale, kept, free = pixels / math.log(ticks[-1] / ticks[0]), [], -1e9
    for tick in ticks:
        place, half = scale * math.log(tick / ticks[0]), canvas.width_of("%d" % tick) / 2
        if place - half >= free:
            kept.append(tick)
            free = place + half + 4
    return kept


def _table(boards, grids):
    """The lesson of the seed: the best block size is another one on each board."""
    there = [(board, grid) for board, found in zip(boards, grids) for grid in found if grid.cells]
    columns = [Column("k", False)]
    for board, grid in there:
        columns += [Column("%s: best block" % _title(board, grid)), Column("time")]
    rows = []
    for k in sorted({k for _, grid in there for k in grid.ks}):
        row = [Cell("%d" % k)]
        for _, grid in there:
            best = grid.best(k)
            row += (
                [Cell("%d" % best[0], BEST), Cell(seconds(best[1].seconds))]
                if best
                else [Cell(NONE, QUIET)] * 2
            )
        rows.append(row)
    return Table("Best block size by k", columns, rows)


def _times(boards, there):
    """Every way to the same result, by k."""
    columns, lines_of = [Column("k", False)], []
    for _, board, grid in there:
        ways = [(SEED, grid.best_line())] if grid.cells else []
        for name, line in ways + sorted(grid.rivals.items()):
            columns.append(Column("%s: %s" % (_title(board, grid), name)))
            lines_of.append(dict(line))
    rows = []
    for k in sorted({k for line in lines_of for k in line}):
        found = [time_cell(line[k]) if k in line else Cell(NONE, QUIET) for line in lines_of]
        rows.append([Cell("%d" % k)] + found)
    return Table("Every way, by k", columns, rows, "", folded=True)


def section(boards):
    if not present(boards, "s1"):
        return None
    grids = [seeds.grids(board) for board in boards]
    numbered = enumerate(zip(boards, grids))
    there = [(index, board, grid) for index, (board, found) in numbered for grid in found]
    blocks = []
    heats = [_heat(board, index, grid) for index, board, grid in there if grid.cells]
    races = [_race(board, index, grid) for index, board, grid in there if grid.rivals]
    if heats:
        blocks.append(Pictures(heats, [], _HEAT))
    if races:
        blocks.append(Pictures(races, [], _RACE))
    if heats:
        blocks.append(_table(boards, grids))
    if there:
        blocks.append(_times(boards, there))
    return Section(
        "s1", "S1: k largest by lists in every thread", [], blocks + seed_steps.blocks(boards, "s1", False)
    )
