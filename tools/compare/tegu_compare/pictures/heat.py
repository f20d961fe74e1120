# SPDX-License-Identifier: Apache-2.0
"""The grid of S1: a row for each k, a column for each block size, the time in the cell. A cell is the darker
the nearer it is to the best of its row, which has a frame."""

from . import canvas, palette


def draw(grid, time_text, series=0, width=344, step=21):
    ks, blocks = grid.ks, grid.blocks
    fig, ax = canvas.panel(width, 50 + step * len(ks), left=44, bottom=8, top=40, right=8)
    ax.set_xlim(0, len(blocks))
    ax.set_ylim(len(ks), 0)
    for row, k in enumerate(ks):
        best_block, best = grid.best(k)
        for column, block in enumerate(blocks):
            result = grid.cells.get((k, block))
            if result is not None:
                share = best.seconds / result.seconds
                _cell(ax, column, row, time_text(result.seconds), share, block == best_block, series)
    _labels(ax, ks, blocks)
    return fig


def _cell(ax, column, row, text, share, is_best, series):
    """share: of the best speed of the row."""
    from matplotlib.patches import Rectangle

    paint, place = palette.series(series), (column + 0.03, row + 0.05)
    ax.add_patch(Rectangle(place, 0.94, 0.9, facecolor=paint, linewidth=0, alpha=0.04 + 0.34 * share))
    if is_best:
        ax.add_patch(Rectangle(place, 0.94, 0.9, facecolor="none", edgecolor=paint, linewidth=1.5))
    look = {"ha": "center", "va": "center_baseline", "fontsize": canvas.SMALL, "color": palette.colour("ink")}
    look["fontweight"] = "bold" if is_best else "normal"
    ax.text(column + 0.5, row + 0.54, canvas.plain(text), **look)


def _labels(ax, ks, blocks):
    canvas.label_rows(ax, [row + 0.5 for row in range(len(ks))], ["%d" % k for k in ks])
    ax.set_xticks([column + 0.5 for column in range(len(blocks))])
    ax.set_xticklabels(["%d" % block for block in blocks])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelcolor=palette.colour("ink"), pad=5)
    for spine in ax.spines.values():
        spine.set_visible(False)
    canvas.note(ax, "k", (0, 1), (-5, 7), palette.colour("soft"), "axes fraction", "right")
    canvas.note(ax, "threads per block", (0.5, 1), (0, 24), palette.colour("soft"), "axes fraction", "center")
