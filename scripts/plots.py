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
    """One line that names the sources and the digest of their contents."""
    digest = hashlib.sha256()
    for path in sources:
        with open(path, "rb") as file:
            digest.update(file.read())
    names = ", ".join(os.path.basename(path) for path in sources)
    return "made of %s; sha256 %s" % (names, digest.hexdigest())


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
