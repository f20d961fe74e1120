# SPDX-License-Identifier: Apache-2.0
"""How many times as fast as the first board: a dot for each case, a bar at the geometric mean of the operation, and its value beside it."""
from dataclasses import dataclass
from typing import List, Tuple

from ..units import times
from . import canvas, palette


@dataclass
class Lane:
    series: int
    ratios: List[float]
    mean: float


def draw(rows: List[Tuple[str, List[Lane]]], base: str, width=344):
    """rows: operation and a lane for each other board that has it. base: the name of the board that is 1."""
    step, apart = 15, 7
    height = 34 + sum(step * len(lanes) + apart for _, lanes in rows) + 30
    fig, ax = canvas.panel(width, height, left=92, bottom=32, top=26, right=52)
    values = [ratio for _, lanes in rows for lane in lanes for ratio in lane.ratios] + [1.0]
    low, high = min(values), max(values)
    margin = max((high / low) ** 0.05, 1.03)
    canvas.logarithmic(ax.xaxis, low / margin, high * margin, lambda value: times(value).replace(".00", ""), most=4)
    place, ticks = 0.0, []
    pixels = height - 58
    ax.set_ylim(pixels, 0)
    canvas.grid(ax, "x")
    ax.axvline(1.0, color=palette.colour("soft"), linewidth=1)
    for operation, lanes in rows:
        ticks.append((place + step * len(lanes) / 2.0, operation))
        for lane in lanes:
            middle, paint = place + step / 2.0, palette.series(lane.series)
            ax.plot(lane.ratios, [middle] * len(lane.ratios), linestyle="", marker=palette.marker(lane.series), markersize=4.2, color=paint, alpha=0.45,
                    markeredgewidth=0)
            ax.plot([lane.mean] * 2, [middle - 6, middle + 6], color=paint, linewidth=2.4)
            ax.annotate(canvas.plain(times(lane.mean)), (1, middle), (6, 0), ("axes fraction", "data"), "offset points", ha="left", va="center_baseline",
                        color=paint, fontsize=canvas.SMALL)
            place += step
        place += apart
    ax.set_yticks([tick for tick, _ in ticks])
    ax.set_yticklabels([canvas.plain(name) for _, name in ticks])
    ax.tick_params(axis="y", length=0, labelcolor=palette.colour("ink"), pad=8)
    ax.spines["left"].set_visible(False)
    ax.annotate(canvas.plain(base + " = 1"), (1.0, 1), (0, 5), ("data", "axes fraction"), "offset points", ha="center" if low < 0.7 else "left", va="baseline",
                color=palette.colour("soft"), fontsize=canvas.SMALL)
    canvas.axis_titles(ax, "times as fast")
    return fig
