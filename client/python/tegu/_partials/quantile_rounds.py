# SPDX-License-Identifier: Apache-2.0
"""The jobs of one round of quantiles on one piece."""

from typing import Any, Dict

from .. import _errors, _types
from . import facts
from .quantile import Bracket, Counts, QuantilePartial, State, digits_of, view_of
from .value import Partial


class Rounds(object):
    """The jobs of one round on one piece."""

    name = "quantile"

    def __init__(self, piece: Any, state: Any, run: Any) -> None:
        if isinstance(state, dict):
            state = _state_of(state)
        if not isinstance(state, State):
            raise _errors.wrong_type(
                "BAD_REQUEST", "state=%r" % (state,), "state", "Quantile.state, or its plain()"
            )
        if piece.type != state.type:
            raise _errors.make(
                "BAD_REQUEST", "the piece is %s" % _types.NAMES[piece.type], "type", _types.NAMES[state.type]
            )
        self.piece, self.state, self.run = piece, state, run

    def partial(self) -> Partial:
        piece, state = self.piece, self.state
        nans = signed = 0
        if piece.type in facts.FLOATS and piece.n:
            nans = self._nans()
            signed = self._signed_nans() if nans else 0
        counts = [self._counts(bracket) if piece.n else {} for bracket in state.brackets]
        params = {"round": state.round, "brackets": [list(each) for each in state.brackets]}
        return QuantilePartial(piece.type, params, piece.total, [piece.range], (nans, signed, counts))

    def _nans(self) -> int:
        return int(self.run("reduce", None, stats=("nans",))["nans"])

    def _signed_nans(self) -> int:
        """NaN with a sign are the whole numbers -2^m + 1 to -1, m bits of mantissa: f64 has them exactly."""
        mantissa = {9: 10, 10: 23, 11: 52}[self.piece.type]
        view = {9: 4, 10: 6, 11: 8}[self.piece.type]
        edges = (1.0 - 2.0**mantissa, -1.0)
        counts, _ = self.run("histogram", view, bins=1, range=edges)
        return int(counts[0])

    def _counts(self, bracket: Bracket) -> Counts:
        view = view_of(self.piece.type)
        begin, size = bracket
        digits = digits_of(bracket)
        width = size // digits
        if self.piece.width == 8 and width == 1:
            edges = (float(begin), float(begin + size))
            return _nonzero(self.run("entropy", view, levels=digits, range=edges))
        # f64 holds all edges. One more bin takes what lies on the upper edge of the last digit.
        edges = (float(begin), float(begin + size + width))
        counts, _ = self.run("histogram", view, bins=digits + 1, range=edges)
        return _nonzero(counts[:digits])


def _nonzero(counts: Any) -> Counts:
    if _types.numpy is not None:
        at = _types.numpy.nonzero(counts)[0]
        return {int(digit): int(counts[digit]) for digit in at}
    return {digit: count for digit, count in enumerate(counts) if count}


def _state_of(plain: Dict[str, Any]) -> State:
    try:
        brackets = tuple((int(begin), int(size)) for begin, size in plain["brackets"])
        return State(_types.type_number(plain["type"]), int(plain["round"]), brackets)
    except (KeyError, TypeError, ValueError):
        raise _errors.wrong_type("BAD_REQUEST", "state=%r" % (plain,), "state", "Quantile.state.plain()")
