# SPDX-License-Identifier: Apache-2.0
import numpy

from ... import _types
from .. import facts
from ..quantile import Bracket, Counts, digits_of, view_of
from ..quantile_rounds import Rounds
from ..value import Partial
from .elements import values_of


def partial_of(rounds: Rounds) -> Partial:
    return _Rounds(rounds.piece, rounds.state, None).partial()


class _Rounds(Rounds):
    """A round of quantiles."""

    def partial(self) -> Partial:
        bits = values_of(self.piece).view(_types.NAMES[view_of(self.piece.type)])
        if self.piece.type in facts.FLOATS:
            self.is_nan = numpy.isnan(values_of(self.piece))
        self.view = bits
        return Rounds.partial(self)

    def _nans(self) -> int:
        return int(self.is_nan.sum())

    def _signed_nans(self) -> int:
        return int(numpy.signbit(values_of(self.piece)[self.is_nan]).sum())

    def _counts(self, bracket: Bracket) -> Counts:
        begin, size = bracket
        step = (size // digits_of(bracket)).bit_length() - 1
        kind = self.view.dtype.type
        first, last = kind(begin), kind(begin + size - 1)
        if self.piece.width == 8 and step == 0:  # as the daemon's: others count at the ends
            inside = numpy.clip(self.view, first, last)
        else:
            inside = self.view[(self.view >= first) & (self.view <= last)]
        digits = (inside >> kind(step)).astype("i8" if inside.dtype.kind == "i" else "u8")
        found, number = numpy.unique(digits, return_counts=True)
        return {int(digit) - (begin >> step): int(count) for digit, count in zip(found, number)}
