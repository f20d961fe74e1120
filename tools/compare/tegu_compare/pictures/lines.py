# SPDX-License-Identifier: Apache-2.0
"""Lines over an axis, each with its name at its end: crossover, lists over k, block sizes, threads."""

from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Tuple

from . import canvas, palette


_LEFT, _RIGHT = 50, 14  # pixels beside the axes
SOLID, DASHED, DOTTED = "-", (0, (4, 2)), (0, (1, 1.6))


@dataclass
class Line:
    name: str  # at its end; empty: none
    points: Sequence[Tuple[float, float]]
    series: int
    style: object = SOLID  # DASHED and DOTTED have hollow marks
    ring: Optional[Tuple[float, float]] = None  # a point to look at
    size: float = 3.6  # of its marks, in pixels; 0: none
    role: str = ""  # a colour of the palette in place of that of the series

    @property
    def colour(self):
        return palette.colour(self.role) if self.role else palette.series(self.series)


@dataclass
class Axis:
    title: str
    words: Callable[[float], str]
    ticks: Optional[List[float]] = None
    logarithmic: bool = True
    low: Optional[float] = None
    high: Optional[float] = None

    def put(self, side, values):
        """Sets a side of axes up for these values."""
        low, high = min(values), max(values)
        if self.logarithmic:
            margin = (high / low) ** 0.06 if high > low else 1.5
            low, high = low / margin, high * margin
        else:
            low, high = 0.0, high * 1.05 or 1.0
        low = low if self.low is None else self.low
        high = high if self.high is None else self.high
        if self.logarithmic:
            canvas.logarithmic(side, low, high, self.words, at=self.ticks)
        else:
            canvas.linear(side, low, high, self.words, self.ticks)


def room_for(lines, width):
    """Pixels to the right of axes for the names at the ends of these lines, in a picture of that width."""
    return min(max([canvas.width_of(line.name) for line in lines] + [0]), 0.38 * width)


def plot_width(lines, width):
    """Pixels of the axes of a picture of that width."""
    return width - _LEFT - _RIGHT - room_for(lines, width)


def draw(lines, x, y, width=344, height=214, ideal=()):
    """A picture of its own. ideal: points of a thin line for comparison."""
    lines = [line for line in lines if line.points]
    room = room_for(lines, width)
    fig, ax = canvas.panel(width, height, left=_LEFT, bottom=38, top=24, right=_RIGHT + room)
    put(ax, lines, x, y, room)
    ax.plot([one[0] for one in ideal], [one[1] for one in ideal], color=palette.colour("soft"), linewidth=0.7)
    return fig


def put(ax, lines, x, y, room):
    """Into axes that have `room` pixels to their right."""
    everything = [point for line in lines for point in line.points]
    x.put(ax.xaxis, [point[0] for point in everything])
    y.put(ax.yaxis, [point[1] for point in everything])
    canvas.grid(ax)
    canvas.axis_titles(ax, x.title, y.title)
    for line in lines:
        _line(ax, line)
    ends = [(line.points[-1][0], line.points[-1][1], line.name, line.colour) for line in lines]
    canvas.end_labels(ax, ends, room)


def _line(ax, line):
    fill = line.colour if line.style == SOLID else palette.colour("paper")
    look = {"linestyle": line.style, "marker": palette.marker(line.series)}
    look.update(markersize=line.size, markerfacecolor=fill, markeredgecolor=line.colour, markeredgewidth=1)
    ax.plot([one[0] for one in line.points], [one[1] for one in line.points], color=line.colour, **look)
    if line.ring:
        ring = {"linestyle": "", "marker": "o", "markersize": 9, "markerfacecolor": "none"}
        ring.update(markeredgewidth=1, markeredgecolor=palette.colour("ink"))
        ax.plot([line.ring[0]], [line.ring[1]], **ring)
