# SPDX-License-Identifier: Apache-2.0
from .. import dot
from ..value import Partial
from .elements import chunks_of, products_sum, values_of


def partial_of(operation: dot.Nodes) -> Partial:
    piece = operation.piece
    if not operation.floating:
        exact = products_sum(values_of(piece), values_of(piece, 1))
        return operation.partial(exact, [], [])
    return operation.partial(0, [], chunks_of(piece))
