# SPDX-License-Identifier: Apache-2.0
"""What each board is: a column each, rows that differ in bold, modelled boards beside them and marked."""

from ..report import Cell, Column, MODELLED, QUIET, Section, Table
from ..roofline import capability, copies, fastest_rate
from ..units import NONE, memory, rate


def _gpu_text(board, name, form="%s"):
    value = (board.identity.get("gpu") or {}).get(name)
    return None if value in (None, "") else form % value


def _cpu_text(board, name, form="%s"):
    value = (board.identity.get("cpu") or {}).get(name)
    return None if value in (None, "") else form % value


def _capability(board):
    number = capability((board.identity.get("gpu") or {}).get("compute_capability"))
    return None if number is None else "%d.%d" % divmod(number, 10)


def _tuning(board):
    tuning = board.identity.get("tuning") or {}
    if not tuning.get("key"):
        return "none: defaults" if board.identity.get("tuning") is not None else None
    return "%s, %s rows" % (tuning["key"], tuning.get("rows", "unknown"))


_PROVENANCE = {"datasheet": "data sheet", "measured": "measured"}


def _peak(board):
    peak = board.identity.get("peak") or {}
    if not peak.get("memory_gb_per_s"):
        return None
    return "%s GB/s, %s" % (
        "%g" % peak["memory_gb_per_s"],
        _PROVENANCE.get(peak.get("provenance"), "of unknown origin"),
    )


def _fan(board):
    fan = board.identity.get("fan")
    if not isinstance(fan, dict):
        return fan
    return ", ".join("%s %s" % (name, value) for name, value in fan.items() if value is not None)


def _copy(board, backend, reads=False):
    found = fastest_rate(copies(board, backend, reads))
    return rate(found) if found else None


def _memory(value):
    return memory(value) if value else None


_ROWS = (
    ("board", lambda board: board.identity["board"]),
    ("GPU", lambda board: _gpu_text(board, "name")),
    ("compute capability", _capability),
    ("multiprocessors", lambda board: _gpu_text(board, "multiprocessors")),
    ("memory class", lambda board: _gpu_text(board, "memory_class")),
    ("GPU clock", lambda board: _gpu_text(board, "core_clock_mhz", "%.4g MHz")),
    ("GPU memory clock", lambda board: _gpu_text(board, "memory_clock_mhz", "%.4g MHz")),
    ("GPU memory", lambda board: _memory((board.identity.get("gpu") or {}).get("memory_bytes"))),
    ("CPU", lambda board: _cpu_text(board, "name")),
    ("cores", lambda board: _cpu_text(board, "cores")),
    ("instruction set", lambda board: _cpu_text(board, "isa")),
    ("CPU clock, at most", lambda board: _cpu_text(board, "max_mhz", "%.4g MHz")),
    ("memory", lambda board: _memory(board.identity.get("memory_bytes"))),
    ("copy by the GPU", lambda board: _copy(board, "cuda")),
    ("copy by the CPU", lambda board: _copy(board, "cpu")),
    ("reading by the GPU", lambda board: _copy(board, "cuda", True)),
    ("reading by the CPU", lambda board: _copy(board, "cpu", True)),
    ("peak of the memory", _peak),
    ("power mode", lambda board: board.identity.get("power_mode")),
    ("power limit", lambda board: _gpu_text(board, "power_limit_w", "%g W")),
    ("fan", _fan),
    ("L4T", lambda board: board.identity.get("l4t")),
    ("kernel", lambda board: board.identity.get("kernel")),
    ("driver", lambda board: board.identity.get("driver")),
    ("CUDA toolkit", lambda board: board.identity.get("cuda_toolkit")),
    ("architecture", lambda board: board.identity.get("architecture")),
    (
        "tegu",
        lambda board: " ".join(
            filter(None, (board.identity_text("tegu", "version"), board.identity_text("tegu", "commit")))
        ),
    ),
    ("tuning table", _tuning),
    ("run", lambda board: "finished" if board.finished else "not finished"),
    ("file", lambda board: board.file),
)


def _of_sheet(sheet):
    return {
        "board": sheet.name,
        "compute capability": "%d.%d" % divmod(sheet.compute_capability, 10),
        "multiprocessors": str(sheet.multiprocessors),
        "GPU clock": "%g MHz" % sheet.gpu_clock_mhz,
        "peak of the memory": "%g GB/s, data sheet" % sheet.memory_gb_per_s,
        "power mode": sheet.power_mode,
        "run": "modelled",
        "file": sheet.source,
    }


def section(boards, models):
    columns = [Column("", False)] + [Column(board.name, False) for board in boards]
    columns += [Column("%s (modelled)" % model.name, False, True) for model in models]
    rows = []
    for name, value_of in _ROWS:
        values = [value_of(board) for board in boards]
        sheets = [_of_sheet(model.sheet).get(name) for model in models]
        if not any(values + sheets):
            continue
        rows.append(
            [Cell(name)]
            + [Cell(str(value)) if value else Cell(NONE, QUIET) for value in values]
            + [Cell(str(value), MODELLED) if value else Cell(NONE, QUIET) for value in sheets]
        )
    note = ""
    unconfirmed = [
        "%s: %s" % (model.name, ", ".join(model.sheet.unconfirmed))
        for model in models
        if model.sheet.unconfirmed
    ]
    if unconfirmed:
        note += " Stated by no data sheet at hand: %s." % "; ".join(unconfirmed)
    return Section("boards", "The boards", [], [Table("Identity", columns, rows, note.strip())])
