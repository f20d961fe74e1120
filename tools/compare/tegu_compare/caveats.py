# SPDX-License-Identifier: Apache-2.0
"""What a reader must know before comparing: where the runs differ in more than the board, and what in a run
is incomplete or was disturbed."""

from . import schema
from .ranking import PART, best_of
from .units import count

_COMPARED = (
    ("tegu's version", lambda board: board.identity_text("tegu", "version") or "unknown"),
    ("tegu's commit", lambda board: board.identity_text("tegu", "commit") or "unknown"),
    ("CUDA toolkit", lambda board: (board.identity.get("cuda_toolkit") or "none") if board.gpu else None),
)

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


def left_out(board):
    """A line that counts what the run skipped, by reason."""
    reasons = {}
    for one in board.skipped:
        reason = one.reason.strip().rstrip(".") or "no reason given"
        reasons[reason] = reasons.get(reason, 0) + 1
    words = [
        "%s cases: %s" % (count(number), reason) if number > 1 else "one: " + reason
        for reason, number in reasons.items()
    ]
    return ["%s left out %s." % (board.name, "; ".join(words))] if words else []


def _throttling(board):
    reasons = sorted({reason for condition in board.conditions for reason in condition.throttle})
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


def of_board(board, boards):
    """Lines about one run."""
    lines = []
    if not board.finished:
        lines.append("%s: the run is not finished; what it has is shown." % board.name)
    unusable = (board.identity.get("gpu") or {}).get("unusable")
    if unusable:
        lines.append("%s: its GPU was not used: %s." % (board.name, unusable.rstrip(".")))
    present = {result.part for result in board.results}
    elsewhere = {result.part for other in boards for result in other.results} & set(schema.PARTS)
    missing = [part for part in schema.PARTS if part in elsewhere - present]
    if missing:
        lines.append("%s has no results of %s, which other runs have." % (board.name, _list(missing)))
    unknown = sorted(present - set(schema.PARTS))
    if unknown:
        lines.append(
            "%s has parts that this program does not know and shows only as CSV: %s."
            % (board.name, ", ".join(unknown))
        )
    throttled = _throttling(board)
    if throttled:
        lines.append(throttled)
    unchecked = [result for result in board.results if result.checked is False and result.part in _CHECKED]
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
