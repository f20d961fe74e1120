# SPDX-License-Identifier: Apache-2.0
"""Every case of every operation: the faster backend of each board, then each backend by itself, then what the
data sheets of other boards promise."""

from ..noise import FASTER, verdict
from ..ranking import PART, fastest, operation_of
from ..report import BEST, Cell, Column, MODELLED, QUIET, Section, Table
from ..units import NONE, rate, seconds
from .common import case_table, clear_best, present, time_cell


def _by_backend(boards):
    """Every case on every backend, peers included."""
    found = {}
    for index, board in enumerate(boards):
        for result in board.of_part(PART):
            held = found.setdefault((result.case, result.backend), {}).get(index)
            if held is None or result.seconds < held.seconds:
                found[result.case, result.backend][index] = result
    columns = [Column("case", False), Column("backend", False)]
    for board in boards:
        columns += [Column(board.name), Column("GB/s")]
    rows = []
    for (case, backend), results in found.items():
        row = [Cell(case), Cell({"cuda": "GPU", "cpu": "CPU"}.get(backend, backend))]
        line = [results.get(index) for index in range(len(boards))]
        winner = clear_best(line)
        for index, result in enumerate(line):
            speed = result.bytes_per_second if result else None
            row += [
                time_cell(result, BEST if index == winner else ""),
                Cell(rate(speed).replace(" GB/s", "")) if speed else Cell(NONE, QUIET),
            ]
        rows.append(row)
    return Table("Every backend", columns, rows, "", folded=True)


def _peers(boards):
    """tegu beside peers of the same run: how often it is faster."""
    lines = []
    for board in boards:
        best = fastest(result for result in board.of_part(PART) if result.is_tegu)
        for peer in sorted(
            {result.backend for result in board.of_part(PART) if result.backend.startswith("peer:")}
        ):
            theirs = fastest(result for result in board.of_part(PART) if result.backend == peer)
            pairs = [(best[case], theirs[case]) for case in theirs if case in best]
            faster = sum(verdict(mine, other) == FASTER for mine, other in pairs)
            slower = sum(verdict(other, mine) == FASTER for mine, other in pairs)
            if pairs:
                lines.append(
                    "On %s tegu is faster than %s in %d of %d cases, and slower in %d."
                    % (board.name, peer[5:], faster, len(pairs), slower)
                )
    return lines


def _modelled_table(models, cases, title, note, folded):
    base = models[0].base
    measured = fastest(result for result in base.of_part(PART) if result.backend == "cuda")
    columns = [Column("case", False), Column("%s, GPU, measured" % base.name)]
    columns += [Column("%s (modelled)" % model.name, True, True) for model in models]
    rows = [
        [Cell(case), time_cell(measured[case])]
        + [
            Cell(seconds(model.seconds[case]), MODELLED) if case in model.seconds else Cell(NONE, QUIET)
            for model in models
        ]
        for case in cases
    ]
    return Table(title, columns, rows, note, folded)


_MODEL = (
    "Nobody measured these times. Each is the roofline of a data sheet divided by the efficiency that the "
    "same case has on %s, beyond the fixed cost of a job there. A kernel that reaches less than half of that "
    "roof is scaled by memory or arithmetic, whichever makes the board slower. Launches, wake-ups and "
    "transfers of the board are not in it, so short cases are left out. No ranking on this page uses these "
    "times."
)


def _modelled(models):
    """The largest case of each operation, then all."""
    cases = list(dict.fromkeys(case for model in models for case in model.seconds))
    sizes = {one.case: one for one in models[0].base.of_part(PART) if one.backend == "cuda"}
    largest = {}
    for case in cases:
        held = largest.get(operation_of(sizes[case]))
        if held is None or (sizes[case].bytes or 0) > (sizes[held].bytes or 0):
            largest[operation_of(sizes[case])] = case
    note = _MODEL % models[0].base.name
    tables = [
        _modelled_table(models, largest.values(), "Modelled, not measured: the largest job", note, False)
    ]
    if len(cases) > len(largest):
        tables.append(_modelled_table(models, cases, "Modelled, not measured: every case", "", True))
    return tables


def section(boards, models):
    if not present(boards, PART):
        return None
    blocks = [
        case_table(
            "The faster backend of each board",
            boards,
            PART,
            "Median and noise (median absolute deviation); bold: faster than all others beyond the noise.",
            folded=True,
            with_backend=True,
        ),
        _by_backend(boards),
    ]
    if models and any(model.seconds for model in models):
        blocks += _modelled(models)
    return Section("operations", "Every operation", _peers(boards), blocks)
