# SPDX-License-Identifier: Apache-2.0
"""Round trips through the socket, and the first job of a process."""

from ..pictures import dots
from ..report import Picture, Pictures, Section
from ..units import seconds
from .common import case_table, having, in_words, legend, present
from ..ranking import fastest


def dot_rows(boards, part):
    best = [fastest(result for result in board.of_part(part)) for board in boards]
    cases = list(dict.fromkeys(case for found in best for case in found))
    return [
        dots.Row(case, {index: found[case].seconds for index, found in enumerate(best) if case in found})
        for case in cases
    ]


def picture(boards, part, title):
    rows = dot_rows(boards, part)
    words = in_words(boards, rows, seconds)
    return Picture(
        title, words + ".", lambda width: dots.draw(rows, dots.Scale("time", seconds), width), wide=True
    )


def section(boards):
    blocks = []
    for part, title in (
        ("roundtrip", "Round trips through the socket"),
        ("coldstart", "Cold start: the first job"),
    ):
        if present(boards, part):
            blocks += [
                Pictures([picture(boards, part, title)], legend(boards, having(boards, part))),
                case_table(title, boards, part),
            ]
    return Section("trips", "Round trips and cold start", [], blocks) if blocks else None
