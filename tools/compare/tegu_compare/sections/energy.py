# SPDX-License-Identifier: Apache-2.0
"""Energy of a job, where a board has rails that measure it."""

from ..pictures import dots
from ..ranking import PART
from ..report import BEST, Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..units import NONE, joules
from .common import in_words, legend


def least(board):
    """case -> the result of tegu's that takes the least energy."""
    found = {}
    for result in board.of_part(PART):
        if result.is_tegu and result.energy_j and not result.throttled:
            if result.case not in found or result.energy_j < found[result.case].energy_j:
                found[result.case] = result
    return found


def _largest(best):
    """Of each operation the case that moves most: one line of the picture."""
    largest = {}
    for found in best:
        for case, result in found.items():
            held = largest.get(result.operation)
            if held is None or (result.bytes or 0) > held[0]:
                largest[result.operation] = ((result.bytes or 0), case)
    return [case for _, case in largest.values()]


def section(boards):
    best = [least(board) for board in boards]
    cases = list(dict.fromkeys(case for found in best for case in found))
    if not cases:
        return None
    without = [board.name for board, found in zip(boards, best) if not found]
    rows = [
        dots.Row(case, {index: found[case].energy_j for index, found in enumerate(best) if case in found})
        for case in _largest(best)
    ]
    words = in_words(boards, rows, joules)
    columns = [Column("case", False)] + [Column(board.name) for board in boards]
    lines = []
    for case in cases:
        values = [found[case].energy_j if case in found else None for found in best]
        lowest = min(value for value in values if value is not None)
        alone = sum(value is not None for value in values) == 1
        lines.append(
            [Cell(case)]
            + [
                (
                    Cell(
                        joules(value),
                        BEST if value == lowest and not alone else "",
                        {"cuda": "GPU", "cpu": "CPU"}[found[case].backend],
                    )
                    if value is not None
                    else Cell(NONE, QUIET)
                )
                for value, found in zip(values, best)
            ]
        )
    lead = ["%s measured no energy." % " and ".join(without)] if without else []
    return Section(
        "energy",
        "Energy of a job",
        lead,
        [
            Pictures(
                [
                    Picture(
                        "The largest job of each operation",
                        words + ".",
                        lambda width: dots.draw(rows, dots.Scale("energy", joules), width),
                        wide=True,
                    )
                ],
                legend(boards, {index for index, found in enumerate(best) if found}),
                "Energy over a loop of jobs, divided by their number: of the rails of a board, or of the "
                "counter of a card. What the idle board takes is in it.",
            ),
            Table(
                "Energy of a job, on the backend that takes least", columns, lines, "", folded=len(lines) > 12
            ),
        ],
    )
