# SPDX-License-Identifier: Apache-2.0
"""A run over its time: temperatures, clocks and power one above the other, the parts of the run between thin
lines, and where the board throttled."""

from . import canvas, palette

TOP, BOTTOM = 32, 34  # pixels above the first band and below the last
MOST = 4  # lines in a band: GPU, CPU, and the others with the highest values


def _bands(board):
    """(unit, name of a line -> [(minutes, value)]) of what was measured."""
    for unit, of in (
        ("°C", lambda one: one.temperatures_c),
        ("MHz", lambda one: one.clocks_mhz),
        ("W", lambda one: {} if one.power_w is None else {"": one.power_w}),
    ):
        lines = {}
        for condition in board.conditions:
            for name, value in of(condition).items():
                lines.setdefault(name, []).append((condition.elapsed_s / 60.0, value))
        if lines:
            yield unit, _few({name: sorted(line) for name, line in lines.items()})


def _few(lines):
    """The lines that a band has room for."""
    order = sorted(
        lines, key=lambda name: (name != "gpu", name != "cpu", -max(value for _, value in lines[name]))
    )
    return {name: lines[name] for name in order[:MOST]}


def _parts(board):
    """(first minute, last minute, name) of each part, in order."""
    spans = {}
    for condition in board.conditions:
        minute = condition.elapsed_s / 60.0
        first, last = spans.get(condition.part, (minute, minute))
        spans[condition.part] = (min(first, minute), max(last, minute))
    return sorted((first, last, part) for part, (first, last) in spans.items())


def _look(name, series, number):
    """Colour and dash: the GPU in the colour of the board, the CPU black, others grey and dashed."""
    if name in ("", "gpu"):
        return palette.series(series), "-"
    if name == "cpu":
        return palette.colour("ink"), (0, (5, 1.5))
    return palette.colour("soft"), (0, palette.dash(1 + number % 5))


def draw(board, series, width=344, band=92):
    bands = list(_bands(board))
    height = TOP + band * len(bands) + BOTTOM
    fig = canvas.figure(width, height)
    last = max(condition.elapsed_s for condition in board.conditions) / 60.0 or 1.0
    room = max(canvas.width_of(name) for _, lines in bands for name in lines)
    room = min(room, 0.3 * width)
    for index, (unit, lines) in enumerate(bands):
        above = (height - TOP - band * index) / height
        ax = canvas.axes(fig, 46, 12, max(16, 12 + room), 18, above - band / height, above)
        _axes(ax, unit, lines, last, index == len(bands) - 1)
        _lines(ax, lines, series, room)
        _mark_parts(ax, board, index == 0, last)
        _mark_throttling(ax, board)
    return fig


def _axes(ax, unit, lines, last, lowest):
    """Temperatures within their range; clocks and power from 0, so that a loss shows its size."""
    values = [value for line in lines.values() for _, value in line]
    low, high = min(values), max(values)
    margin = max(0.12 * (high - low), 0.01 * abs(high), 0.5)
    bottom, top = (low - margin, high + margin) if unit == "°C" else (0, 1.15 * high or 1.0)
    step = next(step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, last) if last / step <= 6)
    ticks = [step * index for index in range(int(last / step) + 1)]
    canvas.linear(ax.xaxis, 0, last, lambda value: "%g" % value, ticks)
    canvas.linear(ax.yaxis, bottom, top, lambda value: "%g" % value)
    ax.yaxis.get_major_locator().set_params(nbins=3)
    ax.tick_params(axis="x", labelbottom=lowest)
    canvas.grid(ax)
    canvas.axis_titles(ax, "minutes" if lowest else "", unit)


def _lines(ax, lines, series, room):
    looks = {name: _look(name, series, number) for number, name in enumerate(lines)}
    for name, line in lines.items():
        paint, dash = looks[name]
        ax.plot([x for x, _ in line], [y for _, y in line], color=paint, linewidth=1.3, linestyle=dash)
    ends = [(line[-1][0], line[-1][1], name, looks[name][0]) for name, line in lines.items()]
    canvas.end_labels(ax, ends, room, gap=11)


def _mark_parts(ax, board, named, last):
    """A thin line where a part begins; its name, once, where it has the room."""
    width = 72 * ax.figure.get_size_inches()[0] * ax.get_position().width
    free = -1e9
    for first, end, part in _parts(board):
        ax.axvline(first, color=palette.colour("rule"), linewidth=0.8)
        left = first / last * width
        if named and canvas.width_of(part) <= (end - first) / last * width + 4 and left >= free:
            canvas.note(ax, part, (first, 1), (2, 18), palette.colour("soft"), ("data", "axes fraction"))
            free = left + canvas.width_of(part) + 4


def _mark_throttling(ax, board):
    minutes = [condition.elapsed_s / 60.0 for condition in board.conditions if condition.throttle]
    look = {"linestyle": "", "marker": "|", "markersize": 7, "markeredgewidth": 1.6}
    places = [0.04] * len(minutes)
    ax.plot(minutes, places, transform=ax.get_xaxis_transform(), color=palette.colour("alarm"), **look)
