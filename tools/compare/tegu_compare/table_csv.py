# SPDX-License-Identifier: Apache-2.0
"""All results of all boards as CSV, one line each, in SI units; modelled times as lines of their own, so
marked in the column `provenance`."""

import csv
import io

from .board import Result

_FIXED = (
    "board",
    "file",
    "provenance",
    "part",
    "case",
    "operation",
    "backend",
    "method",
    "seconds",
    "noise",
    "repeats",
    "bytes",
    "flops",
    "energy_j",
    "registers",
    "occupancy",
    "shared_bytes",
    "checked",
    "throttled",
    "note",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _safe(value):
    """Spreadsheets compute texts that begin like a formula: such a text gets an apostrophe before it."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value) if isinstance(value, float) else value


def write(boards, models):
    axes = list(dict.fromkeys(name for board in boards for result in board.results for name in result.axes))
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow([_safe(name) for name in list(_FIXED) + ["axis_" + name for name in axes]])
    taken = [name for name in _FIXED if name in Result.__dataclass_fields__]
    for board in boards:
        for result in board.results:
            given = {name: getattr(result, name) for name in taken}
            given.update(board=board.name, file=board.file, provenance="measured")
            lines.writerow(
                [_safe(given[name]) for name in _FIXED] + [_safe(result.axes.get(name)) for name in axes]
            )
    for model in models:
        for case, seconds in model.seconds.items():
            given = dict(
                board=model.name,
                provenance="modelled",
                part="operations",
                case=case,
                backend="cuda",
                seconds=seconds,
                note="roofline of %s, efficiency of %s" % (model.sheet.source, model.base.name),
            )
            lines.writerow([_safe(given.get(name)) for name in _FIXED] + [""] * len(axes))
    return out.getvalue()
