# SPDX-License-Identifier: Apache-2.0
"""How many times as fast as the first board: a mark for each case, a bar at the geometric mean of the
operation, and its value beside it."""

from dataclasses import dataclass
from typing import List, Tuple

from ..units import ratio_tick, speed
from . import canvas, palette

STEP, APART = 15, 7  # pixels of a lane, and between operations


@dataclass
class Lane:
    series: int
    ratios: List[float]
    mean: float
    differs: bool  # whether any of them is beyond the noise

    @property
    def text(self):
        return speed(self.mean) if self.differs else "same"


def draw(rows: List[Tuple[str, List[Lane]]], base: str, width=344):
    """rows: operation and a lane for each other board that has it. base: the name of the board that is 1."""
    pixels = sum(STEP * len(lanes) + APART for _, lanes in rows)
    fig, ax = canvas.panel(width, pixels + 66, left=92, bottom=40, top=26, right=88)
    values = [ratio for _, lanes in rows for lane in lanes for ratio in lane.ratios] + [1.0]
    low, high = min(values), max(values)
    margin = max((high / low) ** 0.05, 1.03)
    canvas.logarithmic(ax.xaxis, low / margin, high * margin, ratio_tick, most=4)
    ax.set_ylim(pixels, 0)
    canvas.grid(ax, "x")
    canvas.axis_titles(ax, "times as fast")
    ax.axvline(1.0, color=palette.colour("soft"), linewidth=1)
    align = "center" if low < 0.7 else "left"
    canvas.note(ax, base + " = 1", (1.0, 1), (0, 5), palette.colour("soft"), ("data", "axes fraction"), align)
    place, middles = 0.0, []
    for _, lanes in rows:
        middles.append(place + STEP * len(lanes) / 2.0)
        for number, lane in enumerate(lanes):
            _lane(ax, lane, place + STEP * (number + 0.5))
        place += STEP * len(lanes) + APART
    canvas.label_rows(ax, middles, [operation for operation, _ in rows])
    return fig


def _lane(ax, lane, middle):
    paint = palette.series(lane.series)
    look = {"linestyle": "", "marker": palette.marker(lane.series), "markersize": 4.2, "markeredgewidth": 0}
    ax.plot(lane.ratios, [middle] * len(lane.ratios), color=paint, alpha=0.45, **look)
    if not lane.differs:
        paint = palette.colour("soft")
    ax.plot([lane.mean] * 2, [middle - 6, middle + 6], color=paint, linewidth=2.4 if lane.differs else 1)
    canvas.beside(ax, (1, middle), lane.text, paint, ("axes fraction", "data"))
