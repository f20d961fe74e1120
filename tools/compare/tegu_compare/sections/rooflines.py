# SPDX-License-Identifier: Apache-2.0
"""Kernels under the roofs of their board."""

from .. import roofline
from ..pictures import roofline as pictures
from ..report import Cell, Column, Picture, Pictures, QUIET, Section, Table
from ..units import NONE, digits, percent, rate

_NAMES = {"cuda": "GPU", "cpu": "CPU"}
_KINDS = {"cuda": pictures.GPU, "cpu": pictures.CPU}


def _roofs(board):
    found = []
    for backend in roofline.backends_of(board):
        roof = roofline.roofs(board, backend)
        if roof.bytes_per_second:
            found.append(
                pictures.Roof(
                    "copy by the %s %s" % (_NAMES[backend], rate(roof.bytes_per_second)),
                    _KINDS[backend],
                    roof.bytes_per_second,
                    roof.flops_per_second,
                )
            )
    return found


def _points(board):
    """(point, series) of every kernel that counts bytes."""
    found = [
        (point, _KINDS[backend])
        for backend in roofline.backends_of(board)
        for point in roofline.points(board, backend)
    ]
    return found + [(point, pictures.SEED) for point in roofline.seed_points(board)]


def _by_size(board, series):
    marks = [
        pictures.Mark(
            point.result.bytes,
            point.result.bytes_per_second,
            point.operation if kind != pictures.SEED else "",
            kind,
        )
        for point, kind in _points(board)
    ]
    shares = ["%s %s of its copy" % (point.operation, percent(point.share)) for point in _best(board)]
    return Picture(
        board.name,
        "Bytes per second of every kernel of %s over the bytes of its job. Best of each "
        "operation: %s." % (board.name, ", ".join(shares) or "unknown, as no copy was measured"),
        lambda width: pictures.by_size(marks, _roofs(board), series, width),
        wide=True,
    )


def _best(board):
    best = {}
    for backend in roofline.backends_of(board):
        for point in roofline.points(board, backend):
            if point.share is not None and (
                point.operation not in best or best[point.operation].share < point.share
            ):
                best[point.operation] = point
    return best.values()


def _by_intensity(board, series):
    marks = [
        pictures.Mark(
            point.result.flops / point.result.bytes,
            point.result.flops / point.result.seconds,
            point.operation if kind != pictures.SEED else "",
            kind,
        )
        for point, kind in _points(board)
        if point.result.flops
    ]
    if not marks:
        return None
    roofs = [
        pictures.Roof(
            "%s: copy%s" % (_NAMES[backend], ", arithmetic" if roof.flops_per_second else ""),
            _KINDS[backend],
            roof.bytes_per_second,
            roof.flops_per_second,
        )
        for backend in roofline.backends_of(board)
        for roof in [roofline.roofs(board, backend)]
    ]
    return Picture(
        board.name,
        "Operations per second of the kernels of %s that count them, over operations per byte, "
        "under the roofs of memory and arithmetic." % board.name,
        lambda width: pictures.by_intensity(marks, roofs, series, width),
        wide=True,
    )


def _table(boards, models):
    """For each operation the best share of the copy."""
    best = [{point.operation: point for point in _best(board)} for board in boards]
    names = list(dict.fromkeys(name for found in best for name in found))
    columns = [Column("operation", False)] + [Column(board.name) for board in boards]
    rows = [
        [Cell(name)]
        + [
            (
                Cell(percent(found[name].share), "", found[name].result.case)
                if name in found
                else Cell(NONE, QUIET)
            )
            for found in best
        ]
        for name in names
    ]
    return Table(
        "Best share of the measured copy",
        columns,
        rows,
        "Above 100 %: a cache serves, or the operation reads only, which is faster than a copy.",
    )


def _modelled_roofs(models):
    columns = [
        Column("board (modelled)", False, True),
        Column("memory, GB/s", True, True),
        Column("arithmetic, G operations/s", True, True),
        Column("meet at, operations per byte", True, True),
    ]
    rows = []
    for model in models:
        roofs = model.sheet.roofs
        rows.append(
            [
                Cell(model.name),
                Cell(digits(roofs.bytes_per_second / 1e9), "modelled"),
                Cell(digits(roofs.flops_per_second / 1e9), "modelled"),
                Cell(digits(roofs.flops_per_second / roofs.bytes_per_second), "modelled"),
            ]
        )
    return Table("Roofs by data sheets", columns, rows)


def section(boards, models):
    there = [board for board in boards if roofline.backends_of(board)]
    if not there:
        return None
    blocks = [
        Pictures(
            [_by_size(board, boards.index(board)) for board in there],
            [],
            "Filled: tegu on the GPU. Hollow: tegu on the CPU. Crosses: kernels of the seeds. The lines are "
            "the fastest copies of the same run, read and written: solid on the GPU, dashed on the CPU.",
        )
    ]
    intensity = [
        picture for picture in (_by_intensity(board, boards.index(board)) for board in there) if picture
    ]
    if intensity:
        blocks.append(
            Pictures(
                intensity,
                [],
                "Kernels that count their arithmetic. The slope is the measured copy; the "
                "level is what multiprocessors and clock allow in f32 multiply-adds, measured by no run.",
            )
        )
    blocks.append(_table(there, models))
    if models:
        blocks.append(_modelled_roofs(models))
    return Section("roofline", "How near to the memory each kernel comes", [], blocks)
