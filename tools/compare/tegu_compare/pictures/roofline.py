# SPDX-License-Identifier: Apache-2.0
"""Kernels under the roofs of their board: bytes per second over the bytes of a job (every kernel), and operations per second over operations per byte (kernels that
count them). Names stand at the kernel that an operation does best."""
from dataclasses import dataclass
from typing import List, Optional

from ..units import digits
from . import canvas, palette

GPU, CPU, SEED = 0, 1, 5  # series


@dataclass
class Mark:
    x: float
    y: float
    name: str       # of the operation
    series: int


@dataclass
class Roof:
    text: str
    series: int
    rate: Optional[float]           # along x: bytes per second; None where it is not known
    flops: Optional[float] = None
    dashed: bool = True


def _bytes(value):
    for factor, unit in ((1e9, " GB"), (1e6, " MB"), (1e3, " kB")):
        if value >= factor:
            return digits(value / factor) + unit
    return digits(value) + " B"


def _plain_number(value):
    return digits(value) if value < 1000 else "{:,.0f}".format(value).replace(",", " ")


def _place_names(ax, marks, taken, width):
    """Each name at its best kernel, where no other name stands: above, below, left or right of it; else nowhere."""
    best = {}
    for mark in marks:
        key = (mark.name, mark.series)
        if key not in best or mark.y > best[key].y:
            best[key] = mark
    for mark in sorted(best.values(), key=lambda one: -one.y):
        x, y = ax.transData.transform((mark.x, mark.y))
        long, high = canvas.width_of(mark.name), canvas.SMALL + 1
        for left, bottom in ((x - long - 6, y - 4), (x + 6, y - 4), (x - long / 2, y + 6), (x - long / 2, y - 15), (x - long - 6, y - 16), (x - long - 6, y + 8),
                             (x + 6, y - 16), (x + 6, y + 8), (x - long - 14, y - 28), (x + 14, y - 28), (x - long - 30, y - 40)):
            box = (left, bottom, left + long, bottom + high)
            low, up = ax.transAxes.transform((0, 0)), ax.transAxes.transform((1, 1))
            inside = low[0] - 2 <= box[0] and box[2] <= width and low[1] <= box[1] and box[3] <= up[1] + 6
            if inside and all(box[2] <= one[0] or one[2] <= box[0] or box[3] <= one[1] or one[3] <= box[1] for one in taken):
                taken.append(box)
                place = ax.transData.inverted().transform((left, bottom + 2))
                if abs(bottom - y) > 16 or left > x + 10 or left + long < x - 10:
                    ax.annotate("", (mark.x, mark.y), (left + long / 2.0, bottom + high / 2.0), "data", "figure pixels",
                                arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": palette.colour("soft"), "shrinkA": 6, "shrinkB": 2})
                ax.text(place[0], place[1], canvas.plain(mark.name), color=palette.series(mark.series), fontsize=canvas.SMALL)
                break


def _marks(ax, marks):
    for series in sorted({mark.series for mark in marks}, reverse=True):
        mine = [mark for mark in marks if mark.series == series]
        ax.plot([mark.x for mark in mine], [mark.y for mark in mine], linestyle="", marker=palette.marker(series), markersize=4, alpha=0.6, markeredgewidth=0,
                color=palette.series(series))


def _limits(values, wide=1.25):
    return min(values) / wide, max(values) * wide


def by_size(marks: List[Mark], roofs: List[Roof], width=344, height=300):
    """x: bytes of a job, y: bytes per second."""
    fig, ax = canvas.panel(width, height, left=50, bottom=38, top=30, right=12)
    canvas.logarithmic(ax.xaxis, *_limits([mark.x for mark in marks], 2.2), words=_bytes, most=4)
    heights = [mark.y for mark in marks] + [roof.rate for roof in roofs if roof.rate]
    canvas.logarithmic(ax.yaxis, *_limits(heights, 1.8), words=lambda value: _plain_number(value / 1e9), most=6)
    canvas.grid(ax)
    canvas.axis_titles(ax, "bytes of a job", "GB/s")
    taken = _roofs(ax, roofs)
    _marks(ax, marks)
    taken += [(x - 2, y - 2, x + 2, y + 2) for x, y in (ax.transData.transform((mark.x, mark.y)) for mark in marks)]
    _place_names(ax, marks, taken, width)
    return fig


def _roofs(ax, roofs):
    taken = []
    low, high = ax.get_xlim()
    for roof in roofs:
        if not roof.rate:
            continue
        ax.plot([low, high], [roof.rate] * 2, color=palette.series(roof.series), linestyle=(0, (4, 2)) if roof.dashed else "-", linewidth=1)
        left, y = ax.transData.transform((low, roof.rate))
        ax.annotate(canvas.plain(roof.text), (low, roof.rate), (4, 4), "data", "offset points", color=palette.series(roof.series), fontsize=canvas.SMALL)
        taken.append((left, y - 1, left + 4 + canvas.width_of(roof.text), y + 15))
    return taken


def by_intensity(marks: List[Mark], roofs: List[Roof], width=344, height=300):
    """x: operations per byte, y: operations per second, with the roofs of memory (slope) and of computing (level)."""
    fig, ax = canvas.panel(width, height, left=50, bottom=38, top=30, right=12)
    low, high = _limits([mark.x for mark in marks], 4)
    tops = [min(limit for limit in (roof.rate and roof.rate * high, roof.flops) if limit) for roof in roofs if roof.rate or roof.flops]
    canvas.logarithmic(ax.xaxis, low, high, words=digits, most=5)
    canvas.logarithmic(ax.yaxis, *_limits([mark.y for mark in marks] + tops, 2), words=lambda value: _plain_number(value / 1e9), most=6)
    canvas.grid(ax)
    canvas.axis_titles(ax, "operations per byte", "G operations/s")
    taken = []
    for roof in roofs:
        if not roof.rate:
            continue
        knee = min(high, roof.flops / roof.rate) if roof.flops else high
        points = [(low, roof.rate * low), (knee, roof.rate * knee)] + ([(high, roof.flops)] if roof.flops and knee < high else [])
        ax.plot([x for x, _ in points], [y for _, y in points], color=palette.series(roof.series), linestyle=(0, (4, 2)) if roof.dashed else "-", linewidth=1)
        x, y = ax.transData.transform(points[-1])
        ax.annotate(canvas.plain(roof.text), points[-1], (-2, 5), "data", "offset points", ha="right", color=palette.series(roof.series), fontsize=canvas.SMALL)
        taken.append((x - canvas.width_of(roof.text) - 2, y, x, y + 16))
    _marks(ax, marks)
    taken += [(x - 2, y - 2, x + 2, y + 2) for x, y in (ax.transData.transform((mark.x, mark.y)) for mark in marks)]
    _place_names(ax, marks, taken, width)
    return fig
