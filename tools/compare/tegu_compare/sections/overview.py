# SPDX-License-Identifier: Apache-2.0
"""The answer first: who is faster, by how much, in how many cases, and at which operations."""

from ..noise import FASTER, SAME, SLOWER
from ..pictures import ratios
from ..ranking import best_of, by_speed, match, sentence
from ..report import Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..units import NONE, times
from .common import legend


def _matches(boards):
    return [match(board, boards[0]) for board in boards[1:]]


def _operations(matches):
    return list(dict.fromkeys(operation for found in matches for operation in found.operations()))


def _mean(found, operation=None, note=""):
    """A mean of differences within the noise is none."""
    if not found.differs(operation):
        return Cell("no difference", QUIET, note)
    return Cell(times(found.mean(operation)), "", note)


def _lane(series, found, operation):
    values = [pair.ratio for pair in found.of(operation)]
    return ratios.Lane(series, values, found.mean(operation), found.differs(operation))


def _picture(boards, matches):
    rows = []
    for operation in _operations(matches):
        lanes = [
            _lane(index, found, operation)
            for index, found in enumerate(matches, start=1)
            if found.of(operation)
        ]
        rows.append((operation, lanes))
    words = "; ".join(
        "%s: %s" % (operation, ", ".join("%s %s" % (boards[lane.series].name, lane.text) for lane in lanes))
        for operation, lanes in rows
    )
    return Picture(
        "How many times as fast as %s" % boards[0].name,
        "Geometric means against %s. %s." % (boards[0].name, words),
        lambda width: ratios.draw(rows, boards[0].name, width),
        wide=True,
    )


def _table(boards, matches):
    columns = [Column("operation", False)]
    for board in boards[1:]:
        columns += [Column("%s: times as fast" % board.name), Column("faster, slower, no difference")]
    rows = []
    for operation in [None] + _operations(matches):
        row = [Cell(operation or "all cases")]
        for found in matches:
            if not found.of(operation):
                row += [Cell(NONE, QUIET), Cell(NONE, QUIET)]
                continue
            numbers = [found.number(word, operation) for word in (FASTER, SLOWER, SAME)]
            row += [_mean(found, operation), Cell("%d, %d, %d" % tuple(numbers))]
        rows.append(row)
    return Table(
        "Against %s, by operation" % boards[0].name,
        columns,
        rows,
        "Geometric means over the cases that both boards have. A difference counts from 3 % and three "
        "noises on; where no case has one, the mean is none.",
    )


def _everybody(boards):
    """Each board against each other one."""
    columns = [Column("", False)] + [Column("as fast as " + board.name) for board in boards]
    rows = []
    for board in boards:
        row = [Cell(board.name)]
        for other in boards:
            found = match(board, other)
            if board is other or not found.pairs:
                row.append(Cell(NONE, QUIET))
            else:
                row.append(_mean(found, None, "%d of %d" % (found.number(FASTER), len(found.pairs))))
        rows.append(row)
    return Table(
        "Each against each",
        columns,
        rows,
        "Times as fast as the board of the column; below: in how many cases beyond the noise.",
    )


def section(boards):
    if len(boards) == 1:
        board = boards[0]
        return Section(
            "answer",
            "What was measured",
            [
                "%s: %d cases of %d operations, and %d results in all."
                % (
                    board.name,
                    len(best_of(board)),
                    len({result.operation for result in best_of(board).values()}),
                    len(board.results),
                )
            ],
        )
    matches = _matches(boards)
    lead = [sentence(found) for found in matches]
    if len(boards) > 2:
        ranked = by_speed(boards)
        lead += [sentence(match(a, b)) for a, b in zip(ranked, ranked[1:]) if boards[0] not in (a, b)]
    throttled = sum(found.throttled for found in matches)
    if throttled:
        lead.append("%d cases are left out: one of the two boards was throttled." % throttled)
    blocks = []
    if _operations(matches):
        blocks = [Pictures([_picture(boards, matches)], legend(boards)[1:]), _table(boards, matches)]
    if len(boards) > 2:
        blocks.append(_everybody(boards))
    return Section("answer", "Who is faster at what", lead, blocks)
