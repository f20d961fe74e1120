# SPDX-License-Identifier: Apache-2.0
"""The answer first: who is faster, by how much, in how many cases, and at which operations."""

from ..noise import FASTER
from ..pictures import ratios
from ..ranking import best_of, by_speed, match, operation_of, sentence
from ..report import Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..units import NONE, seconds, speed
from .common import legend

MAX_TOLD = 4  # boards that sentences compare with each other; of more a table does


def _matches(boards):
    return [match(board, boards[0]) for board in boards[1:]]


def _operations(matches):
    return list(dict.fromkeys(operation for found in matches for operation in found.operations()))


def _mean(found, operation=None, note=""):
    """A mean of differences within the noise is none."""
    if not found.differs(operation):
        return Cell("no difference", QUIET, note)
    return Cell(speed(found.mean(operation)), "", note)


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


def _counts(found, operation):
    return "faster in %d of %d" % (found.number(FASTER, operation), len(found.of(operation)))


def _example(result):
    return Cell(seconds(result.seconds), "", {"cuda": "GPU", "cpu": "CPU"}[result.backend])


def _main_jobs(best):
    """operation -> the case that shows its times: the first that all boards have, else the first of all."""
    jobs = {}
    for case, result in best[0].items():
        if all(case in found for found in best):
            jobs.setdefault(operation_of(result), case)
    return jobs


def _table(boards, matches):
    best = [best_of(board) for board in boards]
    jobs = _main_jobs(best)
    columns = [Column("operation", False)]
    columns += [Column("%s against %s" % (board.name, boards[0].name)) for board in boards[1:]]
    columns += [Column("for example", False)] + [Column(board.name) for board in boards]
    rows = []
    for operation in [None] + _operations(matches):
        row = [Cell(operation or "all cases")]
        for found in matches:
            there = bool(found.of(operation))
            row.append(_mean(found, operation, _counts(found, operation)) if there else Cell(NONE, QUIET))
        case = jobs.get(operation)
        row.append(Cell(case) if case else Cell("", QUIET))
        row += [_example(found[case]) if case else Cell("", QUIET) for found in best]
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
    columns = [Column("", False)] + [Column("against " + board.name) for board in boards]
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
        "The board of the row against that of the column; below: in how many cases it is faster beyond the "
        "noise.",
    )


def _quick(boards):
    """Lines about runs that rank nowhere."""
    return [
        "%s is a quick run: its times are of no use, and are in no ranking." % board.name
        for board in boards
        if board.quick
    ]


def section(boards):
    if len(boards) == 1:
        board = boards[0]
        return Section(
            "answer",
            "What was measured",
            _quick(boards)
            + [
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
    lead = _quick(boards)
    lead += [sentence(found) for found in matches if not (found.board.quick or found.base.quick)]
    if 2 < len(boards) <= MAX_TOLD:
        ranked = by_speed(boards)
        pairs = zip(ranked, ranked[1:])
        lead += [sentence(match(a, b)) for a, b in pairs if boards[0].quick or boards[0] not in (a, b)]
    throttled = sum(found.throttled for found in matches)
    if throttled:
        lead.append("%d cases are left out: one of the two boards was throttled." % throttled)
    blocks = []
    if _operations(matches):
        blocks = [Pictures([_picture(boards, matches)], legend(boards)[1:]), _table(boards, matches)]
    if len(boards) > 2:
        blocks.append(_everybody(boards))
    return Section("answer", "Who is faster at what", lead, blocks)
