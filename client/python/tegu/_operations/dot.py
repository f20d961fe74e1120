# SPDX-License-Identifier: Apache-2.0
import operator
from typing import Any, Callable, Dict, Optional, Tuple

from .. import _abi, _operation
from .._future import Future
from .._job import Submitting


class Parameters(_operation.Operation):
    name, labels = "dot", ("x", "y")

    def __init__(self, skip_nans: bool = False) -> None:
        self.set(skip_nans=skip_nans)

    def result(self, arrays: Dict[int, _operation.Array]) -> Any:
        return arrays[_abi.ROLES["dot"]].per_row()

    def reader(self, places: Dict[int, slice]) -> Optional[Callable[[Tuple[Any, ...]], Any]]:
        return operator.itemgetter(places[_abi.ROLES["dot"]].start)


def dot(
    self: Submitting,
    x: object,
    y: object,
    axis: Optional[int] = None,
    skip_nans: bool = False,
    **options: Any,
) -> "Future[Any]":
    """The scalar product of all elements of x and y, or of those along one axis. skip_nans=True leaves
    out pairs with a NaN."""
    return self.job(Parameters(skip_nans), (x, y), axis, options)
