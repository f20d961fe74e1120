# SPDX-License-Identifier: Apache-2.0
"""What several sections share: the legend of boards, cells of times, and tables of one row for each case."""

from .. import noise
from ..ranking import fastest
from ..report import ALARM, BEST, QUIET, Cell, Column, Key, Table
from ..units import NONE, percent, seconds, speed


def legend(boards, shown=None):
    """shown: the places of the boards that the pictures have; default: all."""
    return [Key(board.name, index) for index, board in enumerate(boards) if shown is None or index in shown]


def having(boards, part):
    """Places of the boards that have results of the part."""
    return {index for index, board in enumerate(boards) if board.of_part(part)}


def present(boards, part):
    """Whether any board has results of the part."""
    return any(board.of_part(part) for board in boards)


def _noise_text(result):
    if result.repeats is not None and result.repeats < 3:
        return "one run" if result.repeats == 1 else "%d runs" % result.repeats
    return "noise unknown" if result.noise is None else "± " + percent(result.noise)


def time_cell(result, style="", with_backend=False):
    """A time with its noise in small print."""
    if result is None:
        return Cell(NONE, QUIET)
    notes = [_noise_text(result)]
    if with_backend:
        notes.insert(0, {"cuda": "GPU", "cpu": "CPU"}.get(result.backend, result.backend))
    if result.throttled:
        notes.append("throttled")
    if result.checked is False:
        notes.append("not checked")
    return Cell(seconds(result.seconds), ALARM if result.throttled else style, ", ".join(notes))


def clear_best(results):
    """The index of a result that is faster than all others beyond the noise, or None."""
    there = [(result.seconds, index) for index, result in enumerate(results) if result and result.ranked]
    if len(there) < 2:
        return None
    index = min(there)[1]
    others = [results[other] for _, other in there if other != index]
    return index if all(noise.verdict(results[index], other) == noise.FASTER for other in others) else None


def against(result, base):
    """How many times faster or slower `result` is; none where the noise allows none."""
    if result is None or base is None:
        return Cell(NONE, QUIET)
    if result.throttled or base.throttled:
        return Cell("throttled", QUIET)
    if not (result.ranked and base.ranked):
        return Cell("quick run", QUIET)
    if noise.verdict(result, base) == noise.SAME:
        return Cell("no difference", QUIET)
    return Cell(speed(base.seconds / result.seconds))


def in_words(boards, rows, text):
    """The rows of a picture as a sentence: of each its label, and each board with its value."""
    return "; ".join(
        "%s: %s"
        % (row.label, ", ".join("%s %s" % (boards[i].name, text(value)) for i, value in row.values.items()))
        for row in rows
    )


def case_table(title, boards, part, note="", folded=False, with_backend=False):
    """Every case of a part: the fastest of tegu's backends on each board, and the ratios to the first
    board."""
    best = [fastest(result for result in board.of_part(part) if result.is_tegu) for board in boards]
    cases = list(dict.fromkeys(case for found in best for case in found))
    columns = [Column("case", False)] + [Column(board.name) for board in boards]
    columns += [Column("%s against %s" % (board.name, boards[0].name)) for board in boards[1:]]
    rows = []
    for case in cases:
        results = [found.get(case) for found in best]
        winner = clear_best(results)
        rows.append(
            [Cell(case)]
            + [
                time_cell(result, BEST if index == winner else "", with_backend)
                for index, result in enumerate(results)
            ]
            + [against(result, results[0]) for result in results[1:]]
        )
    return Table(title, columns, rows, note, folded)
