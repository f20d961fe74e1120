# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Optional, Tuple

from .. import _abi, _operation
from .._future import Future
from .._job import Submitting

Range = Optional[Tuple[float, float]]


class Parameters(_operation.Operation):
    name = "histogram"

    def __init__(self, bins: int = 10, range: Range = None, skip_nans: bool = False) -> None:
        self.set(bins=bins, skip_nans=skip_nans)
        self.range = range

    def result(self, arrays: Dict[int, _operation.Array]) -> Tuple[Any, Any]:
        return arrays[_abi.ROLES["histogram"]].vectors(), arrays[_abi.ROLES["edges"]].vectors()


def histogram(
    self: Submitting,
    x: object,
    bins: int = 10,
    range: Range = None,
    axis: Optional[int] = None,
    skip_nans: bool = False,
    **options: Any,
) -> "Future[Tuple[Any, Any]]":
    """(counts, edges) as numpy.histogram, for a number of equal bins. With an axis: of each row, the bins
    in the last axis.

    range: (lo, hi), elements outside count nowhere; without it from the smallest to the largest element.
    """
    return self.job(Parameters(bins, range, skip_nans), (x,), axis, options)
