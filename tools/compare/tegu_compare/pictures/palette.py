# SPDX-License-Identifier: Apache-2.0
"""Colours by their role. matplotlib draws each role in a colour that stands for it; svg.py replaces that by a
CSS variable, whose values for light and dark are here.

The series are after Okabe and Ito, darker or lighter so that each reaches a contrast of 4.5 on its
background; tests/tools/compare measures contrast, and the distance between series for readers who are
colour-blind. A series has a marker and a dash of its own, too: nothing is told by colour alone."""

ROLES = {  # role: (light, dark)
    "paper": ("#ffffff", "#14171a"),
    "ink": ("#1b1e22", "#e6e8ea"),
    "soft": ("#5b636c", "#9aa3ad"),
    "rule": ("#d9dde1", "#333a41"),
    "alarm": ("#b3261e", "#ff8a80"),
    "series-0": ("#0460a6", "#5eaae8"),
    "series-1": ("#b24a00", "#f0954f"),
    "series-2": ("#008464", "#3fd0a4"),
    "series-3": ("#97307a", "#eca2d4"),
    "series-4": ("#504200", "#e1cd49"),
    "series-5": ("#4b4d50", "#d9d9d9"),
}
SERIES = 6
MARKERS = ("o", "s", "^", "D", "v", "P")
_ROLE_OF = {"#0000%02x" % (index + 1): role for index, role in enumerate(ROLES)}
_STANDS_FOR = {role: colour for colour, role in _ROLE_OF.items()}


def colour(role):
    """What matplotlib draws for a role."""
    return _STANDS_FOR[role]


def series(index):
    return colour("series-%d" % (index % SERIES))


def _turn(index):
    """Another mark each time that the colours begin again, so that 36 series differ."""
    return (index + index // SERIES) % SERIES


def marker(index):
    return MARKERS[_turn(index)]


def dash(index):
    return ((), (5, 2), (1.5, 1.5), (6, 2, 1.5, 2), (3, 2), (8, 3))[_turn(index)]


def variables():
    """colour that stands for a role -> the CSS that svg.py puts there."""
    return {drawn: "var(--%s)" % role for drawn, role in _ROLE_OF.items()}


def css():
    """Values of the variables: light; dark on screens that want it; light on paper."""

    def block(index):
        return ";".join("--%s:%s" % (role, values[index]) for role, values in ROLES.items())

    return ":root{color-scheme:light dark;%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}" % (
        block(0),
        block(1),
    )
