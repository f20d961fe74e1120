# SPDX-License-Identifier: Apache-2.0
from typing import Any, Tuple

import numpy

from .. import facts, reduce
from ..tree import Tree
from ..value import Partial
from .elements import chunks_of, products_sum, sum_of, values_of


def partial_of(operation: reduce.Nodes) -> Partial:
    piece, skip = operation.piece, operation.params["skip_nans"]
    if operation.needs:
        operation.edges, operation.nodes = chunks_of(piece), []
        return operation.partial([])
    states = facts.states_of(operation.params["stats"], piece.type, skip)
    known = facts.NONE
    if piece.n and piece.type in facts.FLOATS:
        known = facts.of_elements(piece.read(0, piece.n)[0], piece.offset, piece.type, states, skip)
    elif piece.n:
        known = _integer_facts(values_of(piece), piece.offset, states)
    return reduce.ReducePartial(
        piece.type, operation.params, piece.total, [piece.range], reduce.Data(known, Tree())
    )


def _magnitudes(x: Any) -> Any:
    """As u64; that of the smallest integer, too."""
    return numpy.abs(x.astype("i8")).view("u8") if x.dtype.kind == "i" else x.astype("u8")


def _integer_facts(x: Any, begin: int, states: Tuple[str, ...]) -> facts.Facts:
    of = _magnitudes(x)
    asked = set(states)
    return facts.Facts(
        0,
        int(numpy.count_nonzero(x)) if "nonzero" in asked else 0,
        int(x.min()) if "min" in asked else None,
        int(x.max()) if "max" in asked else None,
        int(x.argmin()) + begin if "argmin" in asked else -1,
        int(x.argmax()) + begin if "argmax" in asked else -1,
        -1,
        sum_of(x),
        sum_of(of),
        products_sum(of, of),
    )
