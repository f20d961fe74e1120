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
    shares = [
        "%s on the %s %s" % (point.operation, _NAMES[backend], percent(point.share))
        for backend in roofline.backends_of(board)
        for point in _largest(board, backend).values()
    ]
    return Picture(
        board.name,
        "Bytes per second of every kernel of %s over the bytes of its job. The largest job of each "
        "operation, as a share of the copy: %s."
        % (board.name, ", ".join(shares) or "unknown, as no copy was measured"),
        lambda width: pictures.by_size(marks, _roofs(board), series, width),
        wide=True,
    )


def _largest(board, backend):
    """operation -> the point of its job that moves most: the one that caches serve least. Of several the
    nearest to the roof."""
    found = {}
    for point in roofline.points(board, backend):
        held = found.get(point.operation)
        if point.share is not None and (held is None or _size(point) > _size(held)):
            found[point.operation] = point
    return found


def _size(point):
    return point.result.bytes, point.share


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


def _table(boards):
    """For each board and backend the share of the copy that the largest job of each operation reaches."""
    found = [
        ("%s, %s" % (board.name, _NAMES[backend]), _largest(board, backend))
        for board in boards
        for backend in roofline.backends_of(board)
    ]
    names = list(dict.fromkeys(name for _, points in found for name in points))
    columns = [Column("operation", False)] + [Column(name) for name, _ in found]
    rows = []
    for name in names:
        points = [points.get(name) for _, points in found]
        rows.append(
            [Cell(name)]
            + [
                (
                    Cell(percent(point.share), "", point.result.case[len(name) :].strip())
                    if point
                    else Cell(NONE, QUIET)
                )
                for point in points
            ]
        )
    return Table(
        "Share of the measured copy, by the largest job",
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
                Cell("%g" % model.sheet.memory_gb_per_s, "modelled"),
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
    blocks.append(_table(there))
    if models:
        blocks.append(_modelled_roofs(models))
    return Section("roofline", "How near to the memory each kernel comes", [], blocks)
