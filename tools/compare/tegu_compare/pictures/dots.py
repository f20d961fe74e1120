# SPDX-License-Identifier: Apache-2.0
"""A line of text for each row and a mark for each series on a logarithmic scale, as Cleveland's dot plots:
times, rates and energies of many cases at a glance."""

from dataclasses import dataclass
from typing import Callable, Dict, List, Tuple

from . import canvas, palette


@dataclass
class Row:
    label: str
    values: Dict[int, float]  # series -> value
    strong: bool = False
    is_step: bool = True  # of an order: the line of a series goes through it


@dataclass
class Scale:
    title: str
    words: Callable[[float], str]
    roofs: Tuple[Tuple[int, float, str], ...] = ()  # series, value, text: a dashed line


def draw(rows: List[Row], scale: Scale, width=344, joined=False, step=19):
    """joined: rows are steps in an order, and each series is a line down those that are steps."""
    left = min(max(canvas.width_of(row.label) for row in rows) + 12, 0.52 * width)
    top = 26 if scale.roofs else 20
    height = top + step * len(rows) + 40
    fig, ax = canvas.panel(width, height, left=left, bottom=40, top=top, right=14)
    values = [value for row in rows for value in row.values.values()] + [value for _, value, _ in scale.roofs]
    low, high = min(values), max(values)
    margin = (high / low) ** 0.06 if high > 1.001 * low else 1.6
    canvas.logarithmic(
        ax.xaxis, low / margin, high * margin, scale.words, most=max(2, min(4, int((width - left) / 54)))
    )
    ax.set_ylim(len(rows) - 0.4, -0.6)
    canvas.label_rows(ax, range(len(rows)), [canvas.cut(row.label, left - 12) for row in rows])
    for row, text in zip(rows, ax.get_yticklabels()):
        text.set_fontweight("bold" if row.strong else "normal")
    canvas.grid(ax, "y")
    canvas.axis_titles(ax, scale.title)
    _roofs(ax, scale.roofs)
    for series in sorted({series for row in rows for series in row.values}):
        line = [(row.values[series], place) for place, row in enumerate(rows) if series in row.values]
        steps = [one for one in line if rows[one[1]].is_step] if joined else []
        ax.plot(
            [value for value, _ in steps],
            [place for _, place in steps],
            color=palette.series(series),
            linewidth=1,
        )
        _marks(ax, line, series)
    return fig


def _marks(ax, line, series):
    paint = palette.series(series)
    look = {"linestyle": "", "marker": palette.marker(series)}
    look.update(markersize=5.5, markeredgecolor=palette.colour("paper"), markeredgewidth=0.6)
    ax.plot([value for value, _ in line], [place for _, place in line], color=paint, **look)


def _roofs(ax, roofs):
    """Dashed lines with their texts above them, moved apart."""
    if not roofs:
        return
    width = 72 * ax.figure.get_size_inches()[0] * ax.get_position().width
    left = ax.transAxes.transform((0, 0))[0]
    places = [ax.transData.transform((value, 0))[0] - left for _, value, _ in roofs]
    gap = max(canvas.width_of(text) for _, _, text in roofs) + 6
    for (series, value, text), place in zip(roofs, canvas.spread(places, gap, 0, width)):
        paint = palette.series(series)
        ax.axvline(value, color=paint, linestyle=(0, (2, 2)), linewidth=1)
        canvas.note(ax, text, (place / width, 1), (0, 5), paint, "axes fraction", "center")
