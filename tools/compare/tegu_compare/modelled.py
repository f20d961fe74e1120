# SPDX-License-Identifier: Apache-2.0
"""Times that a board should take by its data sheet: the roofline of the sheet divided by the efficiency that
the same case has under the roofs of a measured board. Modelled times are never compared, ranked or mixed with
measured ones.

Fixed costs (launch, wake-up, transfers) do not scale with a roof. So the efficiency is that of the time
beyond the fixed cost of the measured board. A case of which that is less than half has no modelled time.
Neither has one for which the model gives less than SHORTEST: the fixed costs of the board itself, which are
unknown, would decide.

A case far below the roof of memory is limited by something else. It is scaled by memory or by arithmetic,
whichever makes the board slower."""

import csv
import math
import os
from dataclasses import dataclass
from typing import Dict, List, Optional

from . import roofline
from .errors import USAGE, CompareError
from .ranking import fastest
from .series import number_axis

SHORTEST = 200e-6  # seconds
FEW = 10000  # elements of a job that shows the fixed cost
NEAR = 0.5  # of the roof of memory: from there on memory is what limits a kernel
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


def fixed_seconds(board):
    """operation -> what a job of few elements takes on the GPU; "" -> the least of all operations."""
    found = {}
    for result in board.of_part("operations") + board.of_part("crossover"):
        small = (number_axis(result, "elements") or math.inf) <= FEW
        if result.backend == "cuda" and not result.throttled and small and "data" not in result.axes:
            for name in (result.operation, ""):
                found[name] = min(result.seconds, found.get(name, math.inf))
    return found


def _scaled(result, beyond, here, there):
    """Seconds on the roofs `there` of a result that took `beyond` its fixed cost under the roofs `here`."""
    least, ideal = roof_seconds(result, there), roof_seconds(result, here)
    efficiency = min(1.0, ideal / beyond)  # above 1 where a cache serves: no board is promised that
    seconds = least / efficiency
    if efficiency < NEAR and here.flops_per_second and there.flops_per_second:
        seconds = max(seconds, beyond * here.flops_per_second / there.flops_per_second)
    return seconds


def model(sheet, board) -> Modelled:
    base, fixed, seconds = roofs_of_reference(board), fixed_seconds(board), {}
    for case, result in fastest(
        one for one in board.of_part("operations") if one.backend == "cuda" and not one.throttled
    ).items():
        beyond = result.seconds - fixed.get(result.operation, fixed.get("", 0.0))
        if roof_seconds(result, base) is None or beyond < 0.5 * result.seconds:
            continue
        modelled = _scaled(result, beyond, base, sheet.roofs)
        if modelled >= SHORTEST:
            seconds[case] = modelled
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
