# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Optional, Tuple

from .. import _abi, _operation
from .._future import Future
from .._job import Submitting


class Parameters(_operation.Operation):
    name = "topk"

    def __init__(self, k: int, largest: bool = True, distinct: bool = False) -> None:
        self.set(k=k, largest=largest, distinct=distinct)

    def result(self, arrays: Dict[int, _operation.Array]) -> Tuple[Any, Any]:
        return arrays[_abi.ROLES["values"]].along(), arrays[_abi.ROLES["indices"]].along()


def topk(
    self: Submitting,
    x: object,
    k: int,
    largest: bool = True,
    distinct: bool = False,
    axis: Optional[int] = None,
    **options: Any,
) -> "Future[Tuple[Any, Any]]":
    """(values, indices) of the k largest (smallest) elements, best first; along one axis, else of all.

    Indices count from the start of the (row-major) array or along the axis. distinct=True keeps each
    value once; there may be fewer than k then: with axis=None the arrays are shorter, else missing
    indices are -1 and last.counts tells how many there are."""
    return self.job(Parameters(k, largest, distinct), (x,), axis, options)
