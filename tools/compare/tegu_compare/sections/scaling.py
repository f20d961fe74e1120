# SPDX-License-Identifier: Apache-2.0
"""What more threads of the CPU buy."""

from ..pictures import lines
from ..report import Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..series import number_axis
from ..units import NONE, times
from .common import legend


def speedups(board):
    """case -> [(threads, times as fast as with the fewest threads)]."""
    found = {}
    for result in board.of_part("scaling"):
        threads = number_axis(result, "threads")
        if threads:
            found.setdefault(_case(result), {})[threads] = result.seconds
    return {
        case: [(threads, times_of[min(times_of)] / value) for threads, value in sorted(times_of.items())]
        for case, times_of in found.items()
        if len(times_of) > 1
    }


def _case(result):
    """The name of a case without its number of threads, so that runs of all threads are one case."""
    threads = str(int(result.axes["threads"]))
    words = [
        word
        for word in result.case.replace("/", " ").split()
        if word not in ("threads=" + threads, threads + "t")
    ]
    text = " ".join(words)
    for ending in (
        " %s threads" % threads,
        " %s thread" % threads,
        " on %s threads" % threads,
        " on %s thread" % threads,
    ):
        if text.endswith(ending):
            text = text[: -len(ending)]
    return text.rstrip(" ,")


def _picture(case, found):
    shown = [lines.Line("", points, series) for series, _, points in found]
    most = max(points[-1][0] for _, _, points in found)
    ticks = sorted({int(threads) for _, _, points in found for threads, _ in points})
    if len(ticks) > 8:
        ticks = ticks[:: len(ticks) // 8 + 1]
    top = max([value for _, _, points in found for _, value in points])
    words = "; ".join(
        "%s: %s with %d threads" % (name, times(points[-1][1]), points[-1][0]) for _, name, points in found
    )
    return Picture(
        case,
        "Times as fast with more threads. %s." % words,
        lambda width: lines.draw(
            shown,
            lines.Axis("threads", lambda value: "%d" % value, ticks, False, 0, most * 1.05),
            lines.Axis("times as fast", lambda value: "%g×" % value, None, False, 0, max(top, 1) * 1.1),
            width,
            190,
            ideal=[(1, 1), (min(most, top * 1.1), min(most, top * 1.1))],
        ),
    )


def section(boards):
    found = [
        (index, board.name, case, points)
        for index, board in enumerate(boards)
        for case, points in speedups(board).items()
    ]
    if not found:
        return None
    cases = list(dict.fromkeys(case for _, _, case, _ in found))
    pictures = [
        _picture(case, [(index, name, points) for index, name, one, points in found if one == case])
        for case in cases
    ]
    columns = [Column("case", False)] + [Column(board.name) for board in boards]
    rows = []
    for case in cases:
        last = {index: points[-1] for index, _, one, points in found if one == case}
        rows.append(
            [Cell(case)]
            + [
                (
                    Cell(times(last[index][1]), "", "%d threads" % last[index][0])
                    if index in last
                    else Cell(NONE, QUIET)
                )
                for index in range(len(boards))
            ]
        )
    return Section(
        "scaling",
        "What more threads of the CPU buy",
        [],
        [
            Pictures(
                pictures,
                legend(boards, {index for index, _, _, _ in found}),
                "The thin line: twice the threads, twice as fast.",
            ),
            Table("With all threads", columns, rows, "Times as fast as with the fewest threads measured."),
        ],
    )
