# SPDX-License-Identifier: Apache-2.0
"""Kernels under the roofs of their board: bytes per second over the bytes of a job (every kernel), and
operations per second over operations per byte (kernels that count them). A name stands at the best kernel of
its operation."""

from dataclasses import dataclass
from typing import List, Optional

from ..units import digits
from . import canvas, palette

GPU, CPU, SEED = "gpu", "cpu", "seed"


@dataclass
class Mark:
    x: float
    y: float
    name: str  # of the operation; empty: none
    kind: str  # GPU, CPU or SEED


@dataclass
class Roof:
    text: str
    kind: str
    rate: Optional[float]  # bytes per second; None where it is not known
    flops: Optional[float] = None


def _bytes(value):
    for factor, unit in ((1e9, " GB"), (1e6, " MB"), (1e3, " kB")):
        if value >= factor:
            return digits(value / factor) + unit
    return digits(value) + " B"


def _grouped(value):
    return digits(value) if value < 1000 else "{:,.0f}".format(value).replace(",", " ")


class _Drawing:
    """One figure in progress: axes, the board's series, and the boxes that texts and marks take."""

    def __init__(self, width, height, series):
        self.width, self.series, self.taken = width, series, []
        self.fig, self.ax = canvas.panel(width, height, left=50, bottom=38, top=30, right=12)

    def colour(self, kind):
        roles = {CPU: "ink", SEED: "soft"}
        return palette.colour(roles[kind]) if kind in roles else palette.series(self.series)

    def pixels(self, x, y):
        return self.ax.transData.transform((x, y))

    def marks(self, marks):
        gpu = {"marker": palette.marker(self.series), "markersize": 4.4, "alpha": 0.75, "markeredgewidth": 0}
        cpu = {"marker": "o", "markersize": 3.6, "markerfacecolor": "none", "markeredgewidth": 0.9}
        seed = {"marker": "+", "markersize": 4.5, "alpha": 0.7, "markeredgewidth": 0.8}
        for kind, look in ((SEED, seed), (CPU, cpu), (GPU, gpu)):
            mine = [mark for mark in marks if mark.kind == kind]
            places = [mark.x for mark in mine], [mark.y for mark in mine]
            self.ax.plot(*places, linestyle="", color=self.colour(kind), **look)
        for mark in marks:
            x, y = self.pixels(mark.x, mark.y)
            self.taken.append((x - 2, y - 2, x + 2, y + 2))
        for mark in _best_of_each(marks):
            self._name(mark)

    def _name(self, mark):
        """At its mark where nothing else stands; else a little away with a thread to it; else nowhere."""
        x, y = self.pixels(mark.x, mark.y)
        long, high = canvas.width_of(mark.name), canvas.SMALL + 1
        for left, bottom, near in _places(x, y, long):
            box = (left, bottom, left + long, bottom + high)
            if not self._is_free(box):
                continue
            self.taken.append(box)
            if not near:
                side = left + long + 1 if left < x else left - 1
                canvas.thread(self.ax, (mark.x, mark.y), (side, bottom + high / 2.0), "figure pixels")
            at = self.ax.transData.inverted().transform((left, bottom + 2))
            canvas.note(self.ax, mark.name, at, (0, 0), self.colour(mark.kind))
            return

    def _is_free(self, box):
        low, up = self.ax.transAxes.transform((0, 0)), self.ax.transAxes.transform((1, 1))
        if not (low[0] - 2 <= box[0] and box[2] <= self.width and low[1] <= box[1] and box[3] <= up[1] + 6):
            return False
        return not any(_overlap(box, one) for one in self.taken)

    def roof(self, roof, points, at, align, shift):
        """A line through points. Its text stands `shift` pixels above the point `at`, on the left or
        right."""
        style = "-" if roof.kind == GPU else (0, (4, 2))
        line = [x for x, _ in points], [y for _, y in points]
        self.ax.plot(*line, color=self.colour(roof.kind), linestyle=style, linewidth=1)
        aside = -2 if align == "right" else 4
        canvas.note(self.ax, roof.text, at, (aside, shift), self.colour(roof.kind), "data", align)
        x, y = self.pixels(*at)
        long = canvas.width_of(roof.text)
        left = x + aside - (long if align == "right" else 0)
        self.taken.append((left, y + shift - 2, left + long, y + shift + canvas.SMALL))


def _best_of_each(marks):
    """The highest mark of each operation and kind, the highest first."""
    best = {}
    for mark in marks:
        key = (mark.name, mark.kind)
        if mark.name and (key not in best or mark.y > best[key].y):
            best[key] = mark
    return sorted(best.values(), key=lambda one: -one.y)


def _places(x, y, long):
    """Where a name may stand: (left, bottom, whether that is near its mark), the best place first."""
    for right, up in ((-6, -4), (6, -4), (0, 6), (0, -15), (-6, -14), (-6, 6), (6, -14), (6, 6)):
        yield x + right - (long if right < 0 else 0 if right else long / 2), y + up, True
    for up in (-28, 20, -42, 34, -58):
        for right in (-14, 14, -34, 34):
            yield x + right - (long if right < 0 else 0), y + up, False


def _overlap(a, b):
    return a[2] > b[0] and b[2] > a[0] and a[3] > b[1] and b[3] > a[1]


def _limits(values, wide):
    return min(values) / wide, max(values) * wide


def _giga(value):
    return _grouped(value / 1e9)


def by_size(marks: List[Mark], roofs: List[Roof], series, width=344, height=330):
    """x: bytes of a job, y: bytes per second."""
    made = _Drawing(width, height, series)
    low, high = _limits([mark.x for mark in marks], 2.2)
    rates = [mark.y for mark in marks] + [roof.rate for roof in roofs if roof.rate]
    canvas.logarithmic(made.ax.xaxis, low, high, _bytes, most=5)
    canvas.logarithmic(made.ax.yaxis, *_limits(rates, 1.8), words=_giga, most=6)
    canvas.grid(made.ax)
    canvas.axis_titles(made.ax, "bytes of a job", "GB/s")
    for roof in roofs:
        if roof.rate:
            made.roof(roof, [(low, roof.rate), (high, roof.rate)], (low, roof.rate), "left", 4)
    made.marks(marks)
    return made.fig


def by_intensity(marks: List[Mark], roofs: List[Roof], series, width=344, height=330):
    """x: operations per byte, y: operations per second. The slope of a roof is memory, its level
    arithmetic."""
    made = _Drawing(width, height, series)
    low, high = _limits([mark.x for mark in marks], 2.5)
    roofs = [roof for roof in roofs if roof.rate]
    high = max([high] + [2.5 * roof.flops / roof.rate for roof in roofs if roof.flops])  # the roof's corner
    tops = [min(filter(None, (roof.rate * high, roof.flops))) for roof in roofs]
    canvas.logarithmic(made.ax.xaxis, low, high, digits, most=5)
    canvas.logarithmic(made.ax.yaxis, *_limits([mark.y for mark in marks] + tops, 2), words=_giga, most=6)
    canvas.grid(made.ax)
    canvas.axis_titles(made.ax, "operations per byte", "G operations/s")
    for roof in roofs:
        knee = min(high, roof.flops / roof.rate) if roof.flops else high
        points = [(x, roof.rate * x) for x in (low, knee)]
        if roof.flops and knee < high:
            points.append((high, roof.flops))
        middle = low**0.4 * knee**0.6
        if roof.kind == CPU:  # below its slope
            made.roof(roof, points, (middle, roof.rate * middle), "left", -14)
        else:
            made.roof(roof, points, points[-1], "right", 4)
    made.marks(marks)
    return made.fig
