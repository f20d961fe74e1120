# SPDX-License-Identifier: Apache-2.0
import math
from typing import Any, List

import numpy

from .. import counts
from ..value import Partial
from .elements import refused_range, values_of


def partial_of(operation: counts.Bins) -> Partial:
    edges = [float.fromhex(edge) for edge in operation.params["range"]]
    return operation.partial(_binned(values_of(operation.piece), edges, operation.params["bins"]))


def _binned(x: Any, edges: List[float], bins: int) -> List[int]:
    """An element v is in bin i if edge[i] <= v < edge[i + 1]; that of the upper edge in the last."""
    lo, hi = edges
    if lo == hi:
        lo, hi = lo - 0.5, hi + 0.5
    step = (hi - lo) / bins
    limits = [lo + i * step for i in range(bins)]
    if not math.isfinite(step) or any(a >= b for a, b in zip(limits, limits[1:] + [hi])):
        raise refused_range(edges[0], edges[1])
    ordered = numpy.sort(x[~numpy.isnan(x)] if x.dtype.kind == "f" else x)
    if x.dtype.kind != "f" and x.dtype.itemsize == 8:  # a float has not all of its values
        low, high = numpy.iinfo(x.dtype).min, numpy.iinfo(x.dtype).max
        whole = [math.ceil(limit) for limit in limits] + [math.floor(hi) + 1]
        below = [
            0 if limit <= low else len(x) if limit > high else int(ordered.searchsorted(x.dtype.type(limit)))
            for limit in whole
        ]
    else:
        ordered = ordered.astype("f8")
        below = [int(at) for at in ordered.searchsorted(limits)]
        below.append(int(ordered.searchsorted(hi, side="right")))
    return [after - before for before, after in zip(below, below[1:])]
