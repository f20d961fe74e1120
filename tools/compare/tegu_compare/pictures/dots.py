# SPDX-License-Identifier: Apache-2.0
"""A line of text for each row and a mark for each series on a logarithmic scale, as Cleveland's dot plots: times, rates and energies of many cases at a glance."""
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Tuple

from . import canvas, palette


@dataclass
class Row:
    label: str
    values: Dict[int, float]    # series -> value
    strong: bool = False


@dataclass
class Scale:
    title: str
    words: Callable[[float], str]
    roofs: Tuple[Tuple[int, float, str], ...] = ()   # series, value, text: a dashed line
    low: Optional[float] = None
    high: Optional[float] = None


def _cut(text, pixels):
    most = int(pixels / (0.55 * canvas.SMALL))
    return text if len(text) <= most else text[:most - 1].rstrip() + "…"


def draw(rows: List[Row], scale: Scale, width=344, joined=False, step=19):
    """joined: rows are steps in an order, and each series is a line down them."""
    widest = max(canvas.width_of(row.label) for row in rows)
    left = min(widest + 12, 0.52 * width)
    top = 26 if scale.roofs else 20
    height = top + step * len(rows) + 30
    fig, ax = canvas.panel(width, height, left=left, bottom=30, top=top, right=14)
    values = [value for row in rows for value in row.values.values()] + [value for _, value, _ in scale.roofs]
    low, high = min(values), max(values)
    margin = (high / low) ** 0.06 if high > 1.001 * low else 1.6
    canvas.logarithmic(ax.xaxis, scale.low or low / margin, scale.high or high * margin, scale.words, most=4)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)))
    ax.set_yticklabels([canvas.plain(_cut(row.label, left - 12)) for row in rows])
    for row, text in zip(rows, ax.get_yticklabels()):
        text.set_color(palette.colour("ink"))
        text.set_fontweight("bold" if row.strong else "normal")
    ax.tick_params(axis="y", length=0, pad=8)
    ax.spines["left"].set_visible(False)
    canvas.grid(ax, "y")
    canvas.axis_titles(ax, scale.title)
    for series, value, text in scale.roofs:
        ax.axvline(value, color=palette.series(series), linestyle=(0, (2, 2)), linewidth=1)
    _roof_labels(ax, scale.roofs)
    for series in sorted({series for row in rows for series in row.values}):
        line = [(row.values[series], place) for place, row in enumerate(rows) if series in row.values]
        paint = palette.series(series)
        ax.plot([value for value, _ in line], [place for _, place in line], color=paint, linestyle="-" if joined else "", linewidth=1,
                marker=palette.marker(series), markersize=5.5, markerfacecolor=paint, markeredgecolor=palette.colour("paper"), markeredgewidth=0.6)
    return fig


def _roof_labels(ax, roofs):
    """Above the dashed lines, moved apart."""
    if not roofs:
        return
    width = 72 * ax.figure.get_size_inches()[0] * ax.get_position().width
    left = ax.transAxes.transform((0, 0))[0]
    places = [ax.transData.transform((value, 0))[0] - left for _, value, _ in roofs]
    gap = max(canvas.width_of(text) for _, _, text in roofs) + 6
    half = gap / 2
    for (series, _, text), place in zip(roofs, canvas.spread(places, gap, min(half, width / 2) - 20, width - half + 14)):
        ax.annotate(canvas.plain(text), (place / width, 1), (0, 5), "axes fraction", "offset points", ha="center", va="baseline", color=palette.series(series),
                    fontsize=canvas.SMALL)
