# SPDX-License-Identifier: Apache-2.0
"""What a reader must know before comparing: where the runs differ in more than the board, and what in a run
is incomplete or was disturbed."""

import re

from . import schema
from .ranking import PART, best_of
from .units import count

_COMPARED = (
    ("tegu's version", lambda board: board.identity_text("tegu", "version") or "unknown"),
    ("tegu's commit", lambda board: board.identity_text("tegu", "commit") or "unknown"),
    ("CUDA toolkit", lambda board: (board.identity.get("cuda_toolkit") or "none") if board.gpu else None),
)

_NUMBER = re.compile(r"\d+(\.\d+)?( (ns|us|µs|ms|s)\b)?")

_OF_GPU = {"occupancy", "s5"}  # parts that a board without a GPU has little or nothing of

_CHECKED = (
    "operations",
    "occupancy",
    "crossover",
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
)  # parts whose cases have a result


def _list(names):
    names = list(names)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _values(boards, value_of):
    found = {}
    for board in boards:
        value = value_of(board)
        if value is not None:
            found.setdefault(str(value), []).append(board.name)
    return found


def differences(boards):
    """Lines about what is not the same in all runs."""
    lines = []
    for what, value_of in _COMPARED:
        found = _values(boards, value_of)
        if len(found) > 1:
            lines.append(
                "%s differs: %s."
                % (
                    what[0].upper() + what[1:],
                    "; ".join("%s on %s" % (value, _list(names)) for value, names in found.items()),
                )
            )
    for name in sorted({name for board in boards for name in board.options}):
        found = _values(boards, lambda board: _option_text(board.options.get(name)))
        if len(found) > 1:
            lines.append(
                "The option %s differs: %s."
                % (name, "; ".join("%s on %s" % (value, _list(names)) for value, names in found.items()))
            )
    modes = _values(boards, lambda board: board.identity.get("power_mode"))
    if len(modes) > 1:
        lines.append(
            "Power modes differ: %s. Clocks and multiprocessors depend on them."
            % "; ".join("%s on %s" % (mode, _list(names)) for mode, names in modes.items())
        )
    return lines


def _option_text(value):
    if value is None:
        return "not given"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "all"
    return str(value).lower() if isinstance(value, bool) else str(value)


def alike(reason):
    """A reason without its numbers and their units: equal for reasons that differ in them alone."""
    return _NUMBER.sub("…", reason.strip().rstrip(".") or "no reason given")


def skipped_groups(board, key=lambda one: ()):
    """[(key, text of the reason, what was skipped)]: reasons that differ in their numbers alone are one."""
    groups = {}
    for one in board.skipped:
        groups.setdefault((key(one), one.retry, alike(one.reason)), []).append(one)
    found = []
    for (name, _, reason), skipped in groups.items():
        whole = {one.reason.strip().rstrip(".") for one in skipped}
        text = whole.pop() if len(whole) == 1 else reason
        found.append((name, text or "no reason given", skipped))
    return found


def left_out(board):
    """Lines that count what the run skipped: for want of time, and by other reasons."""
    lines, late = [], [one for one in board.skipped if one.retry]
    if late:
        parts = {}
        for one in late:
            parts[one.part] = parts.get(one.part, 0) + 1
        lines.append(
            "%s left out %s for want of time (%s). The same command measures what is missing."
            % (
                board.name,
                _cases(len(late)),
                ", ".join("%s of %s" % (count(number), part) for part, number in parts.items()),
            )
        )
    words = [
        "%s: %s" % (_cases(len(skipped)), text)
        for _, text, skipped in skipped_groups(board)
        if not skipped[0].retry
    ]
    return lines + (["%s left out %s." % (board.name, "; ".join(words))] if words else [])


def _cases(number):
    return "one case" if number == 1 else "%s cases" % count(number)


# They hold as long as the load does, and mark no time as throttled: tools/board/throttle_reasons.cpp.
_STANDING = ("sw_power_cap", "sync_boost")


def _reasons(board):
    return sorted({reason for condition in board.conditions for reason in condition.throttle})


def _held_down(board):
    standing = [reason for reason in _reasons(board) if reason in _STANDING]
    if not standing:
        return None
    return (
        "%s ran at its limit of power or clock (%s). Times that were taken so are times of that "
        "limit, and are in the rankings." % (board.name, ", ".join(standing))
    )


def _throttling(board):
    reasons = [reason for reason in _reasons(board) if reason not in _STANDING]
    results = sum(result.throttled for result in board.results)
    if not reasons and not results:
        return None
    words = "%s was throttled during the run%s" % (
        board.name,
        " (%s)" % ", ".join(reasons) if reasons else "",
    )
    if not results:
        return words + ", but none of its times is marked as taken so."
    return words + ": %s of its %s times were taken so, and are in no ranking." % (
        count(results),
        count(len(board.results)),
    )


STEADY = 1.1  # the highest clock over the lowest, while jobs run


def _unsteady(board):
    """Lines about clocks that moved, and about a supply that was too weak."""
    lines = []
    for name, words in (("gpu", "GPU"), ("cpu", "CPU")):
        clocks = [one.clocks_mhz.get(name) for one in board.conditions if one.at == "during"]
        clocks = [clock for clock in clocks if clock and clock > 0]
        if clocks and max(clocks) > STEADY * min(clocks):
            lines.append(
                "%s: the clock of its %s moved between %.4g and %.4g MHz during the run. Its times are of no "
                "one clock." % (board.name, words, min(clocks), max(clocks))
            )
    events = {}
    for condition in board.conditions:
        for name, number in condition.events.items():
            events[name] = events.get(name, 0) + number
    if any(number > 0 for number in events.values()):
        text = ", ".join("%s %g" % (name, number) for name, number in events.items() if number > 0)
        lines.append("%s: over-current during the run (%s): its supply may be too weak." % (board.name, text))
    return lines


def of_board(board, boards):
    """Lines about one run."""
    lines = []
    if not board.finished:
        lines.append("%s: the run is not finished; what it has is shown." % board.name)
    if board.options.get("quick"):
        lines.append(
            "%s: a quick run, of few elements under the names of large jobs, each measured once. "
            "It shows that all works; its times are of no use." % board.name
        )
    unusable = (board.identity.get("gpu") or {}).get("unusable")
    if unusable:
        lines.append("%s: its GPU was not used: %s." % (board.name, unusable.rstrip(".")))
    present = {result.part for result in board.results}
    elsewhere = {result.part for other in boards for result in other.results} & set(schema.PARTS)
    missing = [part for part in schema.PARTS if part in elsewhere - present]
    if missing:
        why = " It has no GPU." if not board.gpu and set(missing) & _OF_GPU else ""
        lines.append("%s has no results of %s, which other runs have.%s" % (board.name, _list(missing), why))
    unknown = sorted(present - set(schema.PARTS))
    if unknown:
        lines.append(
            "%s has parts that this program does not know and shows only as CSV: %s."
            % (board.name, ", ".join(unknown))
        )
    lines += filter(None, (_throttling(board), _held_down(board)))
    lines += _unsteady(board)
    unchecked = [
        result
        for result in board.results
        if result.checked is False and result.part in _CHECKED and not result.backend.startswith("peer:")
    ]
    if unchecked:
        parts = _list(dict.fromkeys(result.part for result in unchecked))
        lines.append(
            "%s: %s results of %s were not compared with a reference."
            % (board.name, count(len(unchecked)), parts)
        )
    if board.repeated:
        lines.append(
            "%s: the file has %s results twice; the later ones count." % (board.name, count(board.repeated))
        )
    lines += left_out(board)
    loud = [result for result in best_of(board).values() if result.noise is not None and result.noise > 0.1]
    if loud:
        lines.append(
            "%s: %s of %s times of the part %s have more than 10 %% noise."
            % (board.name, count(len(loud)), count(len(best_of(board))), PART)
        )
    return lines


def all_lines(boards):
    return differences(boards) + [line for board in boards for line in of_board(board, boards)]
