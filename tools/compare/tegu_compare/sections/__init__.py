# SPDX-License-Identifier: Apache-2.0
"""Sections of a report. Each module makes one, of all boards, or None where no run has its part."""

from .. import caveats
from ..ranking import by_speed
from ..report import Report, Section, Warnings
from . import (
    conditions,
    crossover,
    energy,
    identity,
    method,
    occupancy,
    operations,
    overview,
    rooflines,
    s1,
    scaling,
    seed_steps,
    trips,
)


def _beside(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " beside " + names[-1]


def _warnings(boards):
    lines = caveats.all_lines(boards)
    if not lines:
        return Section(
            "warnings", "Where the runs differ", ["No difference but that of the boards was found."]
        )
    return Section("warnings", "Where the runs differ", [], [Warnings(lines)])


def report_of(boards, models, title=None) -> Report:
    """boards: named, in the order of the command line; the first is the base. models: modelled boards."""
    names = [board.name for board in boards]
    sections = [
        overview.section(boards),
        _warnings(boards),
        identity.section(boards, models),
        operations.section(boards, models),
        rooflines.section(boards, models),
        crossover.section(boards),
        scaling.section(boards),
        occupancy.section(boards),
        trips.section(boards),
        s1.section(boards),
    ]
    sections += seed_steps.sections(boards)
    sections += [energy.section(boards), conditions.section(boards), method.section(boards, models)]
    ranked = [board.name for board in by_speed(boards)]
    subtitle = "The fastest first: " + ", ".join(ranked) if len(ranked) > 1 else ""
    return Report(title or _beside(names), subtitle, [section for section in sections if section])
