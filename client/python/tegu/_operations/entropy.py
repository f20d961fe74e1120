# SPDX-License-Identifier: Apache-2.0
import operator
from typing import Any, Callable, Dict, Optional, Tuple, Union

from .. import _abi, _operation
from .._future import Future
from .._job import Submitting

Range = Optional[Tuple[float, float]]
Base = Union[int, str]


class Parameters(_operation.Operation):
    name = "entropy"

    def __init__(
        self, levels: int = 256, range: Range = None, base: Base = 2, skip_nans: bool = False
    ) -> None:
        self.set(levels=levels, base=base, skip_nans=skip_nans)
        self.range = range

    def result(self, arrays: Dict[int, _operation.Array]) -> Any:
        return arrays[_abi.ROLES["entropy"]].per_row()

    def reader(self, places: Dict[int, slice]) -> Optional[Callable[[Tuple[Any, ...]], Any]]:
        return operator.itemgetter(places[_abi.ROLES["entropy"]].start)


def entropy(
    self: Submitting,
    x: object,
    levels: int = 256,
    range: Range = None,
    base: Base = 2,
    axis: Optional[int] = None,
    skip_nans: bool = False,
    **options: Any,
) -> "Future[Any]":
    """The Shannon entropy of the levels of `x`, of all or along one axis; levels: 2 to 65536,
    of `range` (lo, hi); base: 2 or "e"."""
    return self.job(Parameters(levels, range, base, skip_nans), (x,), axis, options)
