# SPDX-License-Identifier: Apache-2.0
"""Results as lines of a picture: what is the same in all of them is left out of their names."""

from .units import NONE, count

_WORDS = {
    "threads_per_block": "blocks of %s",
    "threads": "%s threads",
    "k": "k = %s",
    "elements": "%s elements",
    "window": "window %s",
    "levels": "%s levels",
    "rows": "%s rows",
    "cols": "%s columns",
    "bins": "%s bins",
}


def value_text(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and value == int(value)):
        return count(int(value))
    return NONE if value is None else str(value)


def axis_text(name, value):
    if isinstance(value, str):
        return value
    return (
        _WORDS[name] % value_text(value)
        if name in _WORDS
        else "%s %s" % (name.replace("_", " "), value_text(value))
    )


def varying(results, without=()):
    """Names of axes that differ among the results, in the order in which they come."""
    results = list(results)
    names = dict.fromkeys(name for result in results for name in result.axes)
    return [
        name
        for name in names
        if name not in without and len({str(result.axes.get(name)) for result in results}) > 1
    ]


def label_of(result, names):
    return ", ".join(axis_text(name, result.axes[name]) for name in names if name in result.axes)


def number_axis(result, name):
    """The axis as a number above 0, or None."""
    value = result.axes.get(name)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else None
