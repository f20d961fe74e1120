# SPDX-License-Identifier: Apache-2.0
"""Lines over a logarithmic axis, each with its name at its end: crossover, lists over k, block sizes, threads."""
from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Tuple

from . import canvas, palette


@dataclass
class Line:
    name: str                               # at its end; empty: none
    points: Sequence[Tuple[float, float]]
    series: int
    dashed: bool = False
    marker: bool = True
    ring: Optional[Tuple[float, float]] = None  # a point to look at


@dataclass
class Axis:
    title: str
    words: Callable[[float], str]
    ticks: Optional[List[float]] = None
    logarithmic: bool = True
    low: Optional[float] = None
    high: Optional[float] = None


def _limits(axis, values):
    low, high = min(values), max(values)
    if axis.logarithmic:
        margin = (high / low) ** 0.06 if high > low else 1.5
        low, high = low / margin, high * margin
    else:
        low, high = 0.0, high * 1.05 or 1.0
    return axis.low if axis.low is not None else low, axis.high if axis.high is not None else high


def draw(lines, x, y, width=344, height=214, ideal=None):
    """ideal: points of a thin line for comparison."""
    lines = [line for line in lines if line.points]
    room = max([canvas.width_of(line.name) for line in lines] + [0])
    fig, ax = canvas.panel(width, height, left=50, bottom=38, top=24, right=min(14 + room, 0.42 * width))
    everything = [point for line in lines for point in line.points]
    for axis, values, side in ((x, [point[0] for point in everything], ax.xaxis), (y, [point[1] for point in everything], ax.yaxis)):
        low, high = _limits(axis, values)
        if axis.logarithmic:
            canvas.logarithmic(side, low, high, axis.words, at=axis.ticks)
        else:
            canvas.linear(side, low, high, axis.words, axis.ticks)
    canvas.grid(ax)
    canvas.axis_titles(ax, x.title, y.title)
    if ideal:
        ax.plot([point[0] for point in ideal], [point[1] for point in ideal], color=palette.colour("soft"), linewidth=0.7)
    for line in lines:
        paint = palette.series(line.series)
        style = (0, (4, 2)) if line.dashed else "-"
        ax.plot([point[0] for point in line.points], [point[1] for point in line.points], color=paint, linestyle=style,
                marker=palette.marker(line.series) if line.marker else "", markersize=3.6, markerfacecolor=palette.colour("paper") if line.dashed else paint,
                markeredgecolor=paint, markeredgewidth=1)
        if line.ring:
            ax.plot([line.ring[0]], [line.ring[1]], marker="o", markersize=9, markerfacecolor="none", markeredgecolor=palette.colour("ink"), markeredgewidth=1)
    canvas.end_labels(ax, [(line.points[-1][0], line.points[-1][1], line.name, palette.series(line.series)) for line in lines])
    return fig
