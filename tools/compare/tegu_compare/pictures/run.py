# SPDX-License-Identifier: Apache-2.0
"""A run over its time: temperatures, clocks and power one above the other, the parts of the run between thin lines, and where the board throttled."""
from . import canvas, palette


def _bands(board):
    """(title, name of a line -> [(minutes, value)]) of what was measured."""
    for title, of in (("°C", lambda one: one.temperatures_c), ("MHz", lambda one: one.clocks_mhz),
                      ("W", lambda one: {"": one.power_w} if one.power_w is not None else {})):
        lines = {}
        for condition in board.conditions:
            for name, value in of(condition).items():
                lines.setdefault(name, []).append((condition.elapsed_s / 60.0, value))
        if lines:
            yield title, lines


def _parts(board):
    """(first minute, last minute, name) of each part, in order."""
    spans = {}
    for condition in board.conditions:
        minute = condition.elapsed_s / 60.0
        first, last = spans.get(condition.part, (minute, minute))
        spans[condition.part] = (min(first, minute), max(last, minute))
    return sorted((first, last, part) for part, (first, last) in spans.items())


def _steps(ax, high):
    step = next(step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 1e9) if high / step <= 6)
    ticks = [step * index for index in range(int(high / step) + 1)]
    canvas.linear(ax.xaxis, 0, high, lambda value: "%g" % value, ticks)


def draw(board, width=344, band=92):
    bands = list(_bands(board))
    height = 22 + band * len(bands) + 34
    fig = canvas.figure(width, height)
    last = max(condition.elapsed_s for condition in board.conditions) / 60.0 or 1.0
    for index, (title, lines) in enumerate(bands):
        above = (height - 22 - band * index) / height
        below = above - band / height
        room = max(canvas.width_of(name) for name in lines)
        ax = canvas.axes(fig, 46, 12, max(16, 12 + room), 18, below, above)
        values = [value for line in lines.values() for _, value in line]
        low, high = min(values), max(values)
        margin = max(0.12 * (high - low), 0.02 * high, 0.5)
        _steps(ax, last)
        canvas.linear(ax.yaxis, low - margin, high + margin, lambda value: "%g" % value)
        ax.yaxis.get_major_locator().set_params(nbins=3)
        canvas.grid(ax)
        canvas.axis_titles(ax, "", title)
        if index < len(bands) - 1:
            ax.tick_params(axis="x", labelbottom=False)
        else:
            canvas.axis_titles(ax, "minutes")
        for series, (name, line) in enumerate(sorted(lines.items())):
            line.sort()
            ax.plot([x for x, _ in line], [y for _, y in line], color=palette.series(series), linewidth=1.3, linestyle=(0, palette.dash(series)) if series else "-")
        canvas.end_labels(ax, [(line[-1][0], line[-1][1], name, palette.series(series)) for series, (name, line) in enumerate(sorted(lines.items()))], gap=11)
        _mark_parts(ax, board, index == 0, last)
        _mark_throttling(ax, board)
    return fig


def _mark_parts(ax, board, named, last):
    width = 72 * ax.figure.get_size_inches()[0] * ax.get_position().width
    free = -1e9
    for first, end, part in _parts(board):
        ax.axvline(first, color=palette.colour("rule"), linewidth=0.8)
        left = first / last * width
        if named and canvas.width_of(part) <= (end - first) / last * width + 4 and left >= free:
            ax.annotate(canvas.plain(part), (first, 1), (2, 18), ("data", "axes fraction"), "offset points", color=palette.colour("soft"), fontsize=canvas.SMALL)
            free = left + canvas.width_of(part) + 4


def _mark_throttling(ax, board):
    throttled = [condition.elapsed_s / 60.0 for condition in board.conditions if condition.throttle]
    if throttled:
        ax.plot(throttled, [0.04] * len(throttled), transform=ax.get_xaxis_transform(), linestyle="", marker="|", markersize=7, markeredgewidth=1.6,
                color=palette.colour("alarm"))
