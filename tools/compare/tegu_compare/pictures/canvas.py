# SPDX-License-Identifier: Apache-2.0
"""Figures in pixels, axes without boxes, and the marks that all pictures share: ticks of logarithmic scales,
labels at the ends of lines that do not overlap.

matplotlib is imported where it is used: Markdown and CSV are written without it."""

import math

from ..units import short
from .palette import colour

TEXT, SMALL = 11, 10  # pixels

_SETTINGS = {"font.size": TEXT, "axes.linewidth": 0.8, "lines.linewidth": 1.6, "font.family": "DejaVu Sans"}


def plain(text):
    """For matplotlib, which takes what is between two dollars as mathematics."""
    return str(text).replace("$", r"\$")


def figure(width, height):
    """An empty figure of that many pixels."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        return Figure(figsize=(width / 72.0, height / 72.0), dpi=72, facecolor="none")


def axes(fig, left, bottom, right, top, below=0.0, above=1.0):
    """Axes with these margins in pixels, in a band of the figure from `below` to `above` as shares of its
    height."""
    import matplotlib

    width, height = (72 * inches for inches in fig.get_size_inches())
    low, high = below * height + bottom, above * height - top
    with matplotlib.rc_context(_SETTINGS):
        ax = fig.add_axes(
            [left / width, low / height, (width - left - right) / width, (high - low) / height],
            facecolor="none",
        )
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(colour("rule"))
    ax.tick_params(
        colors=colour("rule"), labelcolor=colour("soft"), labelsize=SMALL, length=3, width=0.8, pad=3
    )
    return ax


def tile(fig, column, columns, row, rows, left=46, bottom=34, right=12, top=26):
    """Axes in one of rows x columns equal tiles of a figure; the margins in pixels are those of the tile."""
    wide = 72 * fig.get_size_inches()[0] / columns
    left, right = left + column * wide, right + (columns - 1 - column) * wide
    return axes(fig, left, bottom, right, top, 1 - (row + 1.0) / rows, 1 - float(row) / rows)


def panel(width, height, left=46, bottom=34, right=12, top=10):
    fig = figure(width, height)
    return fig, axes(fig, left, bottom, right, top)


def _decades(low, high, most):
    """Powers of ten within [low, high], thinned to at most `most`; with their halves where there are few."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / most))
    found = [10.0**power for power in range(first, last + 1, step)]
    if len(found) < 3:
        for factors in ((1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
            found = [factor * 10.0**power for power in range(first - 1, last + 2) for factor in factors]
            found = [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
            if len(found) >= 3:
                break
    return found[:: max(1, math.ceil(len(found) / most))]


def logarithmic(axis, low, high, words, most=5, at=None):
    """A logarithmic scale; words(value): the text of a tick. at: ticks, in place of powers of ten."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    ax = axis.axes
    (ax.set_xscale if axis is ax.xaxis else ax.set_yscale)("log")
    (ax.set_xlim if axis is ax.xaxis else ax.set_ylim)(low, high)
    axis.set_major_locator(FixedLocator(at if at is not None else _decades(low, high, most)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(short(words(value)))))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def linear(axis, low, high, words, at=None):
    from matplotlib.ticker import FixedLocator, FuncFormatter

    ax = axis.axes
    (ax.set_xlim if axis is ax.xaxis else ax.set_ylim)(low, high)
    if at is not None:
        axis.set_major_locator(FixedLocator(at))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(short(words(value)))))


def grid(ax, which="y"):
    ax.grid(True, axis=which, color=colour("rule"), linewidth=0.6)
    ax.set_axisbelow(True)


def note(ax, text, at, offset, paint, system="data", align="left"):
    """A small text at an offset in pixels from a place; it may stand outside of the axes."""
    look = {"ha": align, "va": "baseline", "color": paint, "fontsize": SMALL, "annotation_clip": False}
    ax.annotate(plain(text), at, offset, system, "offset points", **look)


def axis_titles(ax, x="", y=""):
    """x: below the axis, at its end. y: above the axis, level."""
    if x:
        note(ax, x, (1, 0), (0, -31), colour("soft"), "axes fraction", "right")
    if y:
        note(ax, y, (0, 1), (-6, 7), colour("soft"), "axes fraction")


def label_rows(ax, places, labels):
    """Names of rows, to the left of axes that have no line there."""
    ax.set_yticks(places)
    ax.set_yticklabels([plain(label) for label in labels])
    ax.tick_params(axis="y", length=0, labelcolor=colour("ink"), pad=8)
    ax.spines["left"].set_visible(False)


def spread(places, gap, low, high):
    """Moves places apart until neighbours are at least `gap` apart, within [low, high] as far as that is
    possible; keeps their order."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    if not order:
        return []
    gap = min(gap, (high - low) / max(1, len(order) - 1)) if len(order) > 1 else gap
    moved = [min(max(places[index], low), high) for index in order]
    for _ in range(50):
        for index in range(1, len(moved)):
            lack = gap - (moved[index] - moved[index - 1])
            if lack > 1e-9:
                moved[index - 1] -= lack / 2
                moved[index] += lack / 2
        moved = [
            min(max(place, low + gap * index), high - gap * (len(moved) - 1 - index))
            for index, place in enumerate(moved)
        ]
    found = [0.0] * len(places)
    for index, place in zip(order, moved):
        found[index] = place
    return found


def end_labels(ax, labels, room, gap=12.5):
    """labels: (x, y, text, colour) in data units, at the right ends of lines. The texts stand to the right of
    the axes, apart from each other, and take at most `room` pixels. A thread leads to a text that was moved.
    """
    labels = [one for one in labels if one[2]]
    height = 72 * ax.figure.get_size_inches()[1] * ax.get_position().height
    bottom = ax.transAxes.transform((0, 0))[1]
    right = ax.transAxes.transform((1, 0))[0]
    ends = [ax.transData.transform((x, y)) for x, y, _, _ in labels]
    places = spread([end[1] - bottom for end in ends], gap, 0, height)
    for (x, y, text, paint), end, place in zip(labels, ends, places):
        at = (1, place / height)
        if abs(place - (end[1] - bottom)) > 4 or right - end[0] > 6:
            thread(ax, (x, y), at, "axes fraction")
        beside(ax, at, cut(text, room), paint)


def thread(ax, mark, text, system):
    """A thin line from a mark in data units to a text that stands away from it."""
    look = {"arrowstyle": "-", "linewidth": 0.5, "color": colour("soft"), "shrinkA": 1, "shrinkB": 3}
    ax.annotate("", mark, text, "data", system, arrowprops=look, annotation_clip=False)


def beside(ax, at, text, paint, system="axes fraction"):
    """A text to the right of a place."""
    look = {
        "ha": "left",
        "va": "center_baseline",
        "color": paint,
        "fontsize": SMALL,
        "annotation_clip": False,
    }
    ax.annotate(plain(text), at, (4, 0), system, "offset points", **look)


def width_of(text, size=SMALL):
    """Pixels that a text takes, nearly."""
    return 0.58 * size * len(text)


def cut(text, pixels):
    """A text that takes no more than this, nearly."""
    most = max(1, int(pixels / (0.58 * SMALL) + 1e-6))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
