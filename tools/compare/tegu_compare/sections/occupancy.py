# SPDX-License-Identifier: Apache-2.0
"""Speed by threads per block, and what each kernel occupies of a multiprocessor."""

from ..pictures import lines
from ..report import BEST, Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..series import number_axis
from ..units import NONE, memory, percent, seconds
from .common import legend

PART = "occupancy"


def by_block(board):
    """name of a job -> [(threads per block, result)]."""
    found = {}
    for result in board.of_part(PART):
        block = number_axis(result, "threads_per_block")
        if block:
            name = result.case.replace(" block=%d" % block, "")
            held = found.setdefault(name, {}).get(block)
            if held is None or result.seconds < held.seconds:
                found[name][block] = result
    return {name: sorted(results.items()) for name, results in found.items()}


def _picture(name, found):
    """found: [(series, name of the board, line)]: the share of the best speed, so that boards compare."""
    shown, words = [], []
    for series, board, line in found:
        best = min(result.seconds for _, result in line)
        block = next(block for block, result in line if result.seconds == best)
        shown.append(
            lines.Line(
                "", [(block, best / result.seconds) for block, result in line], series, ring=(block, 1.0)
            )
        )
        words.append("%s: %d" % (board, block))
    blocks = sorted({block for _, _, line in found for block, _ in line})
    return Picture(
        name,
        "Share of the best speed by threads per block. Best: %s." % ", ".join(words),
        lambda width: lines.draw(
            shown,
            lines.Axis("threads per block", lambda value: "%d" % value, blocks),
            lines.Axis("of the best speed", percent, [0, 0.25, 0.5, 0.75, 1], False, 0, 1.06),
            width,
            176,
        ),
    )


def _table(boards, found):
    columns = [Column("job", False), Column("threads per block")]
    for board in boards:
        columns += [Column(board.name), Column("occupancy"), Column("registers"), Column("shared memory")]
    rows = []
    for name in dict.fromkeys(name for kernels in found for name in kernels):
        lines_of = [dict(kernels.get(name, [])) for kernels in found]
        for block in sorted({block for line in lines_of for block in line}):
            row = [Cell(name), Cell("%d" % block)]
            for line in lines_of:
                result = line.get(block)
                if result is None:
                    row += [Cell(NONE, QUIET)] * 4
                    continue
                best = min(one.seconds for one in line.values()) == result.seconds
                row += [
                    Cell(seconds(result.seconds), BEST if best else "", result.method),
                    Cell(percent(result.occupancy)),
                    Cell(NONE if result.registers is None else str(result.registers)),
                    Cell(memory(result.shared_bytes)),
                ]
            rows.append(row)
    return Table(
        "Kernels by block size", columns, rows, "Bold: the fastest block size of the board.", folded=True
    )


def section(boards):
    found = [by_block(board) for board in boards]
    names = list(dict.fromkeys(name for kernels in found for name in kernels))
    if not names:
        return None
    pictures = [
        _picture(
            name,
            [
                (index, boards[index].name, kernels[name])
                for index, kernels in enumerate(found)
                if name in kernels
            ],
        )
        for name in names
    ]
    return Section(
        "occupancy",
        "Which block size suits which board",
        [],
        [
            Pictures(
                pictures,
                legend(boards, {index for index, kernels in enumerate(found) if kernels}),
                "A ring marks the fastest block size of a board. Where its line is level, the size "
                "does not matter.",
            ),
            _table(boards, found),
        ],
    )
