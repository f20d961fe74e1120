# SPDX-License-Identifier: Apache-2.0
"""Plots of docs/: drawn by matplotlib with the looks of tegu-bench compare, light and dark as the reader's
screen.

The bytes of an SVG depend on the version of matplotlib. So a plot names the digest of what it is made of, and
a check compares digests: it needs no matplotlib, and a plot is behind if its record or its script has
changed."""

import hashlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools", "compare"))


def stamp(sources):
    """One line that names the sources and the digest of their contents. A source is a path, or (path, the
    part of its text that the plot is made of)."""
    digest, names = hashlib.sha256(), []
    for source in sources:
        path, content = source if isinstance(source, tuple) else (source, None)
        if content is None:
            with open(path, "rb") as file:
                content = file.read()
        digest.update(content if isinstance(content, bytes) else content.encode())
        names.append(os.path.basename(path))
    return "made of %s; sha256 %s" % (", ".join(names), digest.hexdigest())


def write(path, figure, words, sources):
    """figure: a function that draws it. words: read in place of the plot by who cannot see it."""
    try:
        from tegu_compare.pictures import svg

        text = svg.alone(figure(), words, stamp(sources))
    except ImportError as error:
        sys.exit("%s was not drawn: %s; run scripts/install-deps.sh compare" % (path, error))
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def is_fresh(path, sources):
    try:
        with open(path, encoding="utf-8") as file:
            return "<!-- %s -->" % stamp(sources) in file.read()
    except OSError:
        return False
