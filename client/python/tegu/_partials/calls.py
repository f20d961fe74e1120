# SPDX-License-Identifier: Apache-2.0
"""The partials as methods of a Client."""

import ctypes
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

from .. import _job, _types
from .._buffer import Buffer
from . import counts, dot, fused, quantile_rounds, reduce, topk
from .piece import Piece, PieceOperation
from .value import Partial

_Range = Optional[Tuple[float, float]]


class PartialCalls(object):
    """Each call takes one piece of a longer array and gives a Partial: what it adds to the whole.

    offset  the index of the first element of the piece in the whole
    total   the elements of the whole; None: not known

    Pieces have no gaps and no axis. Options are those of every job."""

    run_job: Callable[[_job.Job], Any]
    reduce: Callable[..., Any]
    histogram: Callable[..., Any]

    def reduce_partial(
        self,
        x: object,
        stats: Union[str, Iterable[str]] = ("sum",),
        offset: int = 0,
        total: Optional[int] = None,
        ddof: int = 0,
        skip_nans: bool = False,
        **options: Any,
    ) -> Partial:
        """The partial of reduce(x, stats). Cheapest where pieces begin and end at multiples of 16384."""
        piece = Piece(self, (x,), offset, total, options)
        return self._run(reduce.Nodes(piece, stats, ddof, skip_nans), options)

    def dot_partial(
        self,
        x: object,
        y: object,
        offset: int = 0,
        total: Optional[int] = None,
        skip_nans: bool = False,
        **options: Any,
    ) -> Partial:
        """The partial of dot(x, y)."""
        piece = Piece(self, (x, y), offset, total, options)
        return self._run(dot.Nodes(piece, skip_nans), options)

    def topk_partial(
        self,
        x: object,
        k: int,
        largest: bool = True,
        distinct: bool = False,
        offset: int = 0,
        total: Optional[int] = None,
        **options: Any,
    ) -> Partial:
        """The partial of topk(x, k): the indices are those of the whole array. k may be larger than the
        piece."""
        piece = Piece(self, (x,), offset, total, options)
        operation = topk.Candidates(piece, k, largest, distinct)
        return self._run(operation, options) if piece.n else operation.empty()

    def histogram_partial(
        self,
        x: object,
        bins: int = 10,
        range: _Range = None,
        offset: int = 0,
        total: Optional[int] = None,
        **options: Any,
    ) -> Partial:
        """The partial of histogram(x, bins, range). It needs a range: where there is none, find it first by
        reduce_partial(x, "minmax")."""
        piece = Piece(self, (x,), offset, total, options)
        return self._run(counts.Bins(piece, bins, range, False), options)

    def entropy_partial(
        self,
        x: object,
        levels: int = 256,
        range: _Range = None,
        base: Union[int, str] = 2,
        offset: int = 0,
        total: Optional[int] = None,
        skip_nans: bool = False,
        **options: Any,
    ) -> Partial:
        """The partial of entropy(x, levels, range, base). Floats need a range."""
        piece = Piece(self, (x,), offset, total, options)
        operation = counts.Levels(piece, levels, range, base, skip_nans)
        return self._run(operation, options) if piece.n else operation.empty()

    def fused_partial(
        self, x: object, offset: int = 0, total: Optional[int] = None, **parts_and_options: Any
    ) -> Partial:
        """The partials of several operations in one job, each a dict of its arguments, as in fused(). Those
        of quantiles take several jobs, and are no parts."""
        options = {name: value for name, value in parts_and_options.items() if name in _job.OPTIONS}
        parts = {name: value for name, value in parts_and_options.items() if name not in options}
        piece = Piece(self, (x,), offset, total, options)
        operation = fused.Parts(piece, parts)
        return self._run(operation, options) if piece.n else operation.empty()

    def quantile_partial(
        self, x: object, state: Any, offset: int = 0, total: Optional[int] = None, **options: Any
    ) -> Partial:
        """What the round `state` of a Quantile must know of the piece."""
        piece = Piece(self, (x,), offset, total, options)
        return self._run_round(quantile_rounds.Rounds(piece, state, _Reader(self, piece, options)))

    def _run(self, operation: PieceOperation, options: Dict[str, Any]) -> Partial:
        job = _job.Job(self, operation, operation.piece.xs, None, options, None)  # type: ignore[arg-type]
        made: Partial = self.run_job(job)
        return made

    def _run_round(self, rounds: quantile_rounds.Rounds) -> Partial:
        return rounds.partial()


class _Reader(object):
    """Runs jobs over the memory of a piece, as elements of another type of the same width."""

    def __init__(self, client: PartialCalls, piece: Piece, options: Dict[str, Any]) -> None:
        self.client, self.piece = client, piece
        self.options = {name: value for name, value in options.items() if name not in ("dtype", "shape")}

    def __call__(self, name: str, view: Optional[int], **params: Any) -> Any:
        piece = self.piece
        number = piece.type if view is None else view
        x: Any = piece.xs[0]
        if not isinstance(x, Buffer):
            x = (ctypes.c_ubyte * (piece.n * piece.width)).from_address(piece.inputs[0].address)
        options = dict(self.options, dtype=_types.WORDS[number], shape=(piece.n,), **params)
        if name == "entropy":
            return self.client.entropy_partial(x, **options).data[:-1]
        return getattr(self.client, name)(x, **options)
