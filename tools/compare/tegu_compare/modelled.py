# SPDX-License-Identifier: Apache-2.0
"""Times that a board should take by its data sheet: the roofline of the sheet times the efficiency that the
same case has under the roofs of a measured board. Modelled times are never compared, ranked or mixed with
measured ones. Fixed costs (launch, wake-up, transfers) are not in them: cases for which the model gives less
than SHORTEST have no modelled time, for there such costs decide."""

import csv
import os
from dataclasses import dataclass
from typing import Dict, List, Optional

from . import roofline
from .errors import USAGE, CompareError
from .ranking import fastest

SHORTEST = 200e-6  # seconds
_HERE = os.path.dirname(os.path.abspath(__file__))
_NAME = "jetson_data_sheets.csv"
# Installed beside the package; in the sources with the other data of devices.
_SHEETS = (os.path.join(_HERE, _NAME), os.path.join(_HERE, "..", "..", "..", "scripts", "data", _NAME))


@dataclass(frozen=True)
class Sheet:
    """A board by its data sheet."""

    key: str
    name: str
    compute_capability: int  # 87 of 8.7
    multiprocessors: int
    gpu_clock_mhz: float
    memory_gb_per_s: float
    power_mode: str
    unconfirmed: tuple  # in words: what no data sheet at hand states
    source: str

    @property
    def roofs(self):
        return roofline.Roofs(
            "cuda",
            self.memory_gb_per_s * 1e9,
            roofline.peak_flops(self.multiprocessors, self.compute_capability, self.gpu_clock_mhz),
        )


@dataclass
class Modelled:
    sheet: Sheet
    base: object  # the measured board
    seconds: Dict[str, float]  # case -> time

    @property
    def name(self):
        return self.sheet.name


# Columns that a modelled time depends on, in words.
_WORDS = {"gpu_mhz": "GPU clock", "gb_per_s": "memory bandwidth"}


def _sheet(row):
    return Sheet(
        key=row["key"],
        name=row["title"],
        compute_capability=roofline.capability(float(row["compute_capability"])),
        multiprocessors=int(row["multiprocessors"]),
        gpu_clock_mhz=float(row["gpu_mhz"]),
        memory_gb_per_s=float(row["gb_per_s"]),
        power_mode=row["power_mode"],
        unconfirmed=tuple(_WORDS[name] for name in row["unconfirmed"].split() if name in _WORDS),
        source=row["source"],
    )


def sheets() -> List[Sheet]:
    for path in _SHEETS:
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                return [_sheet(row) for row in csv.DictReader(line for line in file if line[0] != "#")]
    raise CompareError("%s is missing beside the program" % _NAME, USAGE)


def chosen(keys) -> List[Sheet]:
    known = {sheet.key: sheet for sheet in sheets()}
    for key in keys:
        if key not in known:
            raise CompareError('--model: there is no board "%s" (known: %s)' % (key, ", ".join(known)), USAGE)
        if keys.count(key) > 1:
            raise CompareError("--model: %s is given twice" % key, USAGE)
    return [known[key] for key in keys]


def roof_seconds(result, roofs) -> Optional[float]:
    """The least time that the roofs allow: that of its bytes or of its operations, whichever is longer."""
    if not result.bytes or not roofs.bytes_per_second:
        return None
    times = [result.bytes / roofs.bytes_per_second]
    if result.flops and roofs.flops_per_second:
        times.append(result.flops / roofs.flops_per_second)
    return max(times)


def roofs_of_reference(board):
    """Those of its data sheet where the run knows them, so that efficiency and sheet mean the same; else the
    copy that it measured."""
    found, peak = roofline.roofs(board, "cuda"), board.identity.get("peak") or {}
    if peak.get("provenance") == "datasheet" and peak.get("memory_gb_per_s"):
        return roofline.Roofs("cuda", peak["memory_gb_per_s"] * 1e9, found.flops_per_second)
    return found


def model(sheet, board) -> Modelled:
    base, seconds = roofs_of_reference(board), {}
    for case, result in fastest(
        one for one in board.of_part("operations") if one.backend == "cuda" and not one.throttled
    ).items():
        least, here = roof_seconds(result, sheet.roofs), roof_seconds(result, base)
        if least is not None and here is not None:
            efficiency = min(
                1.0, here / result.seconds
            )  # above 1 where a cache serves: no board is promised that
            if least / efficiency >= SHORTEST:
                seconds[case] = least / efficiency
    return Modelled(sheet, board, seconds)


def reference(boards):
    """The measured board whose efficiency is taken: the first that has a copy and kernels of a GPU."""
    for board in boards:
        if roofline.roofs(board, "cuda").bytes_per_second and roofline.points(board, "cuda"):
            return board
    raise CompareError(
        "--model needs a run with a GPU, whose efficiency it takes; none of %s has one"
        % ", ".join(board.path for board in boards),
        USAGE,
    )
