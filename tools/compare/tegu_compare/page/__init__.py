# SPDX-License-Identifier: Apache-2.0
"""The page: page.html.j2 with page.css and the pictures in it. One file that loads nothing; its policy for
content forbids scripts and the network."""

import os

from ..pictures import palette, svg
from ..report import Pictures, Table, Warnings, cell

_HERE = os.path.dirname(os.path.abspath(__file__))
NARROW, WIDE = 344, 560  # pixels of a picture on a phone, and of one that has the room


def _kind(block):
    return {Table: "table", Pictures: "pictures", Warnings: "warnings"}[type(block)]


class _Drawn:
    """Pictures as SVG, each with a prefix of its own for its ids."""

    def __init__(self):
        self.number = 0

    def __call__(self, picture, wide=False):
        self.number += 1
        figure = picture.draw(WIDE if wide else NARROW)
        return svg.inline(
            figure,
            picture.words,
            "p%d-" % self.number,
            "plot wide" if wide else "plot narrow" if picture.wide else "plot",
        )


_SYMBOLS = {
    "o": '<circle cx="6" cy="6" r="4"/>',
    "s": '<rect x="2.5" y="2.5" width="7" height="7"/>',
    "^": '<path d="M6 1.5 10.5 10H1.5Z"/>',
    "D": '<path d="M6 1 11 6 6 11 1 6Z"/>',
    "v": '<path d="M6 10.5 10.5 2H1.5Z"/>',
    "P": '<path d="M4.5 1.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z"/>',
}


_KEY = (
    '<svg class="key" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" '
    'style="fill:var(--%s)">%s</svg>'
)


def _symbol(series):
    return _KEY % ("series-%d" % (series % palette.SERIES), _SYMBOLS[palette.marker(series)])


def write(report):
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(cell=cell, kind=_kind)
    drawn = _Drawn()
    environment.globals.update(
        draw=lambda *arguments: _html(drawn(*arguments)), symbol=lambda series: _html(_symbol(series))
    )
    with open(os.path.join(_HERE, "page.css"), encoding="utf-8") as file:
        styles = palette.css() + "\n" + file.read()
    return environment.get_template("page.html.j2").render(report=report, styles=_html(styles))


def _html(text):
    """Text that is HTML already."""
    import markupsafe

    return markupsafe.Markup(text)
