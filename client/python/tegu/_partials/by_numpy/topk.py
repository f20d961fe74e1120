# SPDX-License-Identifier: Apache-2.0
from typing import List

import numpy

from .. import facts, topk
from ..value import Partial
from .elements import values_of


def partial_of(operation: topk.Candidates) -> Partial:
    return operation.partial(_candidates(operation))


def _candidates(operation: topk.Candidates) -> List[topk.Candidate]:
    piece, params = operation.piece, operation.params
    x = values_of(piece)
    if piece.type in facts.FLOATS:
        x = numpy.where(numpy.isnan(x), numpy.abs(x.dtype.type("nan")), x) + x.dtype.type(0)
    width = 8 * piece.width
    word = numpy.dtype("u%d" % piece.width).type
    bits, sign, every = x.view(word), word(1 << (width - 1)), word((1 << width) - 1)
    rank = bits
    if piece.type in facts.FLOATS:
        rank = numpy.where(bits & sign, bits ^ every, bits ^ sign)
    elif x.dtype.kind == "i":
        rank = bits ^ sign
    rank = rank ^ every if params["largest"] else rank
    if params["distinct"]:
        at = numpy.unique(rank, return_index=True)[1][: params["k"]]
    else:
        at = numpy.argsort(rank, kind="stable")[: params["k"]]
    return [(int(rank[i]), int(i) + piece.offset, int(bits[i])) for i in at]
