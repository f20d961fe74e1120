# SPDX-License-Identifier: Apache-2.0
"""Who is faster at what, and by how much. Compared are the cases of the part `operations` that both boards
have, each with the faster of tegu's own backends on that board. Differences within the noise are none; times
that were measured while a board throttled, and those of quick runs, are compared by nobody."""

import math
from dataclasses import dataclass
from typing import Dict, List

from .board import Board, Result
from .noise import FASTER, SAME, SLOWER, verdict

PART = "operations"


@dataclass(frozen=True)
class Pair:
    """One case on two boards. ratio: how many times as fast `result` is."""

    case: str
    operation: str
    result: Result
    base: Result

    @property
    def ratio(self):
        return self.base.seconds / self.result.seconds

    @property
    def verdict(self):
        return verdict(self.result, self.base)


@dataclass(frozen=True)
class Match:
    """All that two boards have in common."""

    board: Board
    base: Board
    pairs: List[Pair]
    throttled: int  # cases left out

    def mean(self, operation=None):
        """Geometric mean of the ratios; None without a pair."""
        return geometric_mean([pair.ratio for pair in self.of(operation)])

    def of(self, operation=None):
        return [pair for pair in self.pairs if operation in (None, pair.operation)]

    def number(self, word, operation=None):
        """How many cases have this verdict."""
        return sum(pair.verdict == word for pair in self.of(operation))

    def differs(self, operation=None):
        """Whether any case differs beyond the noise: without one, a mean says nothing."""
        return any(pair.verdict != SAME for pair in self.of(operation))

    def operations(self):
        return list(dict.fromkeys(pair.operation for pair in self.pairs))


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def fastest(results) -> Dict[str, Result]:
    """case -> the fastest result. One that was not throttled goes before one that was."""
    found = {}
    for result in results:
        held = found.get(result.case)
        if held is None or (result.throttled, result.seconds) < (held.throttled, held.seconds):
            found[result.case] = result
    return found


def best_of(board, part=PART):
    return fastest(result for result in board.of_part(part) if result.is_tegu)


def operation_of(result):
    return result.operation or result.case.split()[0]


def match(board, base) -> Match:
    pairs, throttled = [], 0
    if board.quick or base.quick:
        return Match(board, base, pairs, throttled)
    mine, theirs = best_of(board), best_of(base)
    for case, result in mine.items():
        if case not in theirs:
            continue
        if result.throttled or theirs[case].throttled:
            throttled += 1
        else:
            pairs.append(Pair(case, operation_of(result), result, theirs[case]))
    return Match(board, base, pairs, throttled)


def by_speed(boards) -> List[Board]:
    """Boards with the fastest first: by the geometric mean against the first one. Boards without a common
    case come last, quick runs nowhere."""
    boards = [board for board in boards if not board.quick]
    if not boards:
        return []
    base = boards[0]
    means = {board.name: (match(board, base).mean() if board is not base else 1.0) for board in boards}
    return sorted(boards, key=lambda board: -(means[board.name] or 0.0))


def sentence(found: Match) -> str:
    """One line for people: who, how much, in how many cases."""
    from .units import times

    total = len(found.pairs)
    if total == 0:
        return "%s and %s have no case in common that could be compared." % (
            found.board.name,
            found.base.name,
        )
    faster, slower, same = (found.number(word) for word in (FASTER, SLOWER, SAME))
    if same == total:
        return "%s and %s do not differ beyond the noise in any of %d cases." % (
            found.board.name,
            found.base.name,
            total,
        )
    first, second, mean = found.board.name, found.base.name, found.mean()
    if mean < 1:
        first, second, mean, faster, slower = second, first, 1 / mean, slower, faster
    parts = ["faster in %d of %d cases" % (faster, total)]
    if slower:
        parts.append("slower in %d" % slower)
    if same:
        parts.append("no difference beyond the noise in %d" % same)
    return "%s is %s as fast as %s in the geometric mean: %s." % (
        first,
        times(mean),
        second,
        ", ".join(parts),
    )
