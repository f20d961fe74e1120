#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a frame of `tegu top`, as its tests keep them in tests/data/top, as SVG: docs/top.svg is such a
picture. Bars are drawn as rectangles and each run of text is stretched to its columns, so that the picture is
much the same in every font. It is drawn by hand and not by matplotlib, as the other pictures are: a screen of
cells is no plot, and matplotlib stretches no text.
    usage: scripts/draw-top.py tests/data/top/picture.txt > docs/top.svg
           scripts/draw-top.py tests/data/top/picture.txt --check docs/top.svg     whether it is that picture
"""

import re
import sys
import unicodedata
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN = 8.4, 18, 12
BACKGROUND, TEXT, DIM, CYAN, GREEN, YELLOW, RED = (
    "#16191d",
    "#d4d7db",
    "#7d8590",
    "#4fb3bf",
    "#7fb069",
    "#d9a648",
    "#e06c62",
)
# Style letter: (colour, bold, reversed, underlined); tools/tegu/top/grid.h has the letters.
STYLES = {
    ".": (TEXT, 0, 0, 0),
    "l": (DIM, 0, 0, 0),
    "s": (TEXT, 1, 0, 0),
    "t": (CYAN, 1, 0, 0),
    "m": (CYAN, 0, 0, 0),
    "-": ("#3b424b", 0, 0, 0),
    "g": (GREEN, 0, 0, 0),
    "w": (YELLOW, 0, 0, 0),
    "b": (RED, 1, 0, 0),
    "G": (GREEN, 0, 1, 0),
    "W": (YELLOW, 0, 1, 0),
    "B": (RED, 1, 1, 0),
    "h": (TEXT, 0, 0, 1),
    "c": (CYAN, 1, 0, 1),
    "k": (CYAN, 0, 0, 0),
}
# Glyph: left, top, width, height in a cell of 1 x 1.
BOXES = {"━": (0, 0.42, 1, 0.2), "╸": (0, 0.42, 0.5, 0.2), "─": (0, 0.49, 1, 0.06)}
BOXES.update((glyph, (0.08, 1 - n / 8, 0.84, n / 8)) for n, glyph in enumerate("▁▂▃▄▅▆▇█", 1))


def columns(character):
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cells(text, styles):
    """(column, character, style) of a row."""
    column, row = 0, []
    for character in text:
        row.append((column, character, styles[column]))
        column += columns(character)
    return row + [(i, " ", styles[i]) for i in range(column, len(styles))]


def runs(row):
    """(column, text, columns, style) of neighbours that are drawn the same way; each box is a run of its
    own."""
    found = []
    for column, character, style in row:
        if found and character not in BOXES and found[-1][1] not in BOXES and found[-1][3] == style:
            found[-1][1] += character
            found[-1][2] += columns(character)
        else:
            found.append([column, character, columns(character), style])
    return found


def rectangle(x, y, width, height, colour):
    return '<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (x, y, width, height, colour)


def draw_run(column, text, width, style, y):
    colour, bold, reverse, underline = STYLES[style]
    x = MARGIN + column * WIDTH
    if text in BOXES:
        left, top, wide, high = BOXES[text]
        return [rectangle(x + left * WIDTH, y + top * HEIGHT, wide * WIDTH, high * HEIGHT, colour)]
    drawn = []
    if reverse:
        drawn.append(rectangle(x, y, width * WIDTH, HEIGHT, colour))
        colour = BACKGROUND
    if underline:
        drawn.append(rectangle(x, y + HEIGHT - 1.5, width * WIDTH, 1, DIM))
    for words in re.finditer(r"\S+(?: \S+)*", text):  # more than one blank: a place of its own
        left = sum(map(columns, text[: words.start()])) * WIDTH
        drawn.append(
            '<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>'
            % (
                x + left,
                y + HEIGHT * 0.74,
                sum(map(columns, words.group())) * WIDTH,
                colour,
                ' font-weight="bold"' if bold else "",
                escape(words.group()),
            )
        )
    return drawn


def svg(frame):
    text, styles = frame.split("\n----\n")
    text, styles = text.split("\n"), styles.rstrip("\n").split("\n")
    width, height = len(styles[0]) * WIDTH + 2 * MARGIN, len(styles) * HEIGHT + 2 * MARGIN
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">'
        % (width, height, width, height),
        '<rect width="%.1f" height="%.1f" rx="8" fill="%s"/>' % (width, height, BACKGROUND),
    ]
    for number, (row, letters) in enumerate(zip(text, styles)):
        for run in runs(cells(row, letters)):
            lines += draw_run(*run, y=MARGIN + number * HEIGHT)
    return "\n".join(lines + ["</svg>", ""])


if __name__ == "__main__":
    checked = sys.argv[3] if len(sys.argv) == 4 and sys.argv[2] == "--check" else None
    if len(sys.argv) != 2 and checked is None:
        sys.exit("usage: draw-top.py FRAME.txt > PICTURE.svg, or draw-top.py FRAME.txt --check PICTURE.svg")
    with open(sys.argv[1], encoding="utf-8") as source:
        picture = svg(source.read())
    if checked is None:
        sys.stdout.buffer.write(picture.encode())
    else:
        with open(checked, encoding="utf-8") as drawn:
            if drawn.read() != picture:
                sys.exit(
                    "%s is not drawn of %s: run draw-top.py %s > %s"
                    % (checked, sys.argv[1], sys.argv[1], checked)
                )
