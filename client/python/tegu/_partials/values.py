# SPDX-License-Identifier: Apache-2.0
"""The statistics of a whole array from its facts and the root of its tree: kernels/statistics/finish.cpp."""

import math
from typing import Any, Tuple

from .. import _errors, _types
from . import facts, leaves
from .value import Partial


class Values(object):
    """Common to all types."""

    def __init__(self, partial: Partial, total: int, root: leaves.Node) -> None:
        self.facts: facts.Facts = partial.data.facts
        self.type, self.total, self.root = partial.type, total, root
        self.skip: bool = partial.params["skip_nans"] and partial.type in facts.FLOATS
        self.ddof: int = partial.params["ddof"]
        self.counted = total - self.facts.nans if self.skip else total

    def count(self) -> int:
        return self.counted

    def nans(self) -> int:
        return self.facts.nans

    def nonzero(self) -> int:
        return self.facts.nonzero

    def minmax(self) -> Tuple[Any, Any]:
        return self.min(), self.max()

    def std(self) -> float:
        var = self.var()
        return math.sqrt(var) if var == var else var

    # Of each kind

    def min(self) -> Any:
        raise NotImplementedError

    def max(self) -> Any:
        raise NotImplementedError

    def var(self) -> float:
        raise NotImplementedError


class Floats(Values):
    def _poisoned(self) -> bool:
        return not self.skip and self.facts.nans != 0

    def sum(self) -> float:
        return self.root[0]

    def mean(self) -> float:
        return leaves.canonical(self.root[0] / self.counted) if self.counted else leaves.NAN

    def l1(self) -> float:
        return self.root[1] if self.counted else leaves.NAN

    def l2(self) -> float:
        _, _, n, s, q, flags = self.root
        if not self.counted or flags & leaves.NAN_FLAG:
            return leaves.NAN
        if flags & leaves.INFINITY_FLAG:
            return math.inf
        squares = q + (s * s) / n
        return math.sqrt(squares) if math.isfinite(squares) else math.inf

    def var(self) -> float:
        if not self.counted or self.counted <= self.ddof or self.root[5]:
            return leaves.NAN
        q = self.root[4]
        return q / float(self.counted - self.ddof) if math.isfinite(q) else math.inf

    def min(self) -> float:
        return leaves.NAN if self._poisoned() or self.facts.min is None else self.facts.min

    def max(self) -> float:
        return leaves.NAN if self._poisoned() or self.facts.max is None else self.facts.max

    def absmax(self) -> float:
        return max(abs(self.min()), abs(self.max()))

    def argmin(self) -> int:
        return self.facts.nan_at if self._poisoned() else self.facts.argmin

    def argmax(self) -> int:
        return self.facts.nan_at if self._poisoned() else self.facts.argmax


class Integers(Values):
    def _fits(self, name: str, value: int) -> int:
        signed = name == "sum" and _types.WORDS[self.type][0] == "i"
        low, high = (-(1 << 63), (1 << 63) - 1) if signed else (0, (1 << 64) - 1)
        if not low <= value <= high:
            raise _errors.make(
                "OVERFLOW",
                "%s is %d and does not fit %s" % (name, value, "i64" if signed else "u64"),
                name,
                "-2^63..2^63-1" if signed else "0..2^64-1",
            )
        return value

    def sum(self) -> int:
        return self._fits("sum", self.facts.sum)

    def l1(self) -> int:
        return self._fits("l1", self.facts.l1)

    def mean(self) -> float:
        return self.facts.sum / self.total  # of integers: rounded once

    def l2(self) -> float:
        return math.sqrt(float(self.facts.squares))

    def var(self) -> float:
        n = self.total
        if n <= self.ddof:
            return leaves.NAN
        return (n * self.facts.squares - self.facts.sum**2) / (n * (n - self.ddof))

    def min(self) -> int:
        return int(self.facts.min)

    def max(self) -> int:
        return int(self.facts.max)

    def absmax(self) -> int:
        return max(abs(self.min()), abs(self.max()))

    def argmin(self) -> int:
        return self.facts.argmin

    def argmax(self) -> int:
        return self.facts.argmax
