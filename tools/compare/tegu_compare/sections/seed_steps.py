# SPDX-License-Identifier: Apache-2.0
"""S2 to S5: what each step of a ladder buys on each board, and what its kernels hold of a multiprocessor."""

from .. import seeds
from ..pictures import dots
from ..report import BEST, Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..roofline import roofs
from ..series import number_axis
from ..units import NONE, digits, memory, percent, rate, seconds
from .common import clear_best, having, in_words, legend, time_cell

PARTS = {
    "s2": ("S2: the ladder of a sum", True),
    "s3": ("S3: each row divided by its largest magnitude", True),
    "s4": ("S4: local entropy, version by version", False),
    "s5": ("S5: a course of parallel reductions", False),
}


def _has_bytes(table):
    return all(result.bytes for result in table.results.values())


def _picture(boards, table, joined):
    """By rate where bytes are counted: then the copy of each board is the goal. Else by time."""
    by_rate = joined and _has_bytes(table)
    value_of = (lambda result: result.bytes_per_second) if by_rate else (lambda result: result.seconds)
    rows = []
    for method in table.methods:
        values = {
            index: value_of(table.results[method, board.name])
            for index, board in enumerate(boards)
            if (method, board.name) in table.results
        }
        is_step = not method.startswith("tegu") and "CPU" not in method and method not in table.beside
        rows.append(dots.Row(method, values, method.startswith("tegu"), is_step))
    scale = dots.Scale("time", seconds)
    if by_rate:
        there = sorted({index for row in rows for index in row.values})
        goals = [(index, roofs(boards[index], "cuda").bytes_per_second) for index in there]
        scale = dots.Scale(
            "GB/s",
            lambda value: rate(value).replace(" GB/s", ""),
            tuple((index, value, "copy") for index, value in goals if value),
        )
    words = in_words(boards, rows, rate if by_rate else seconds)
    return Picture(table.title, words + ".", lambda width: dots.draw(rows, scale, width, joined), wide=True)


def _table(boards, table):
    columns = [Column("kernel", False)]
    extra = any(
        result.registers is not None or result.occupancy is not None for result in table.results.values()
    )
    rated = _has_bytes(table)
    for board in boards:
        columns += [Column(board.name)] + ([Column("GB/s")] if rated else [])
        columns += [Column("registers"), Column("occupancy"), Column("shared memory")] if extra else []
    rows = []
    for method in table.methods:
        results = [table.results.get((method, board.name)) for board in boards]
        winner = clear_best(results)
        row = [Cell(method)]
        for index, result in enumerate(results):
            if result is None:
                row += [Cell(NONE, QUIET)] * (1 + rated + 3 * extra)
                continue
            timed = time_cell(result, BEST if index == winner else "")
            block = number_axis(result, "threads_per_block")
            note = ", ".join(filter(None, (timed.note, "block %d" % block if block else "")))
            row += [Cell(timed.text, timed.style, note)]
            row += [Cell(digits(result.bytes_per_second / 1e9))] if rated else []
            row += (
                [
                    Cell(NONE if result.registers is None else str(result.registers)),
                    Cell(percent(result.occupancy)),
                    Cell(memory(result.shared_bytes)),
                ]
                if extra
                else []
            )
        rows.append(row)
    return Table(table.title, columns, rows, "", folded=True)


def blocks(boards, part, joined):
    """Pictures and tables of the steps of a part; joined: they are in an order, with the copy as their
    goal."""
    tables = seeds.steps(boards, part)
    if not tables:
        return []
    note = "Dashed: the copy of the board that was measured in the same run." if joined else ""
    pictures = [_picture(boards, table, joined) for table in tables]
    return [Pictures(pictures, legend(boards, having(boards, part)), note)] + [
        _table(boards, table) for table in tables
    ]


def sections(boards):
    found = [(part, title, blocks(boards, part, joined)) for part, (title, joined) in PARTS.items()]
    return [Section(part, title, [], made) for part, title, made in found if made]
