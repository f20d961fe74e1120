# SPDX-License-Identifier: Apache-2.0
"""The grid of S1: a row for each k, a column for each block size, the time in the cell. The darker a cell the nearer it is to the best of its row; that has a frame."""
from . import canvas, palette


def draw(grid, time_text, series=0, width=344, step=21):
    from matplotlib.patches import Rectangle

    ks, blocks = grid.ks, grid.blocks
    height = 40 + step * len(ks) + 10
    fig, ax = canvas.panel(width, height, left=44, bottom=8, top=40, right=8)
    ax.set_xlim(0, len(blocks))
    ax.set_ylim(len(ks), 0)
    for row, k in enumerate(ks):
        best_block, best = grid.best(k)
        for column, block in enumerate(blocks):
            result = grid.cells.get((k, block))
            if result is None:
                continue
            ax.add_patch(Rectangle((column + 0.03, row + 0.05), 0.94, 0.9, facecolor=palette.series(series), linewidth=0,
                                   alpha=0.04 + 0.34 * (best.seconds / result.seconds)))
            if block == best_block:
                ax.add_patch(Rectangle((column + 0.03, row + 0.05), 0.94, 0.9, facecolor="none", edgecolor=palette.series(series), linewidth=1.5))
            ax.text(column + 0.5, row + 0.54, canvas.plain(time_text(result.seconds)), ha="center", va="center_baseline", fontsize=canvas.SMALL,
                    color=palette.colour("ink"), fontweight="bold" if block == best_block else "normal")
    ax.set_xticks([column + 0.5 for column in range(len(blocks))])
    ax.set_xticklabels(["%d" % block for block in blocks])
    ax.set_yticks([row + 0.5 for row in range(len(ks))])
    ax.set_yticklabels(["%d" % k for k in ks])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelcolor=palette.colour("ink"), pad=5)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.annotate("k", (0, 1), (-5, 7), "axes fraction", "offset points", ha="right", va="baseline", color=palette.colour("soft"), fontsize=canvas.SMALL)
    ax.annotate("threads per block", (0.5, 1), (0, 24), "axes fraction", "offset points", ha="center", va="baseline", color=palette.colour("soft"),
                fontsize=canvas.SMALL)
    return fig
