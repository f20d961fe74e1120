# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Optional, Tuple

from .. import _abi, _operation
from .._future import Future
from .._job import Submitting


class Parameters(_operation.Operation):
    name = "rowscale"
    out_role = _abi.ROLES["values"]

    def __init__(self, skip_nans: bool = False) -> None:
        self.set(skip_nans=skip_nans)

    def result(self, arrays: Dict[int, _operation.Array]) -> Tuple[Any, Any]:
        found = arrays[self.out_role]
        values = found.as_given() if found.source.axis is None else found.along()
        return values, arrays[_abi.ROLES["scales"]].per_row()


def rowscale(
    self: Submitting,
    x: object,
    axis: Optional[int] = 1,
    skip_nans: bool = False,
    out: Any = None,
    **options: Any,
) -> "Future[Tuple[Any, Any]]":
    """(y, scales): each row of `x` (float16, float32, float64) divided by its largest magnitude, and
    these magnitudes. A row of zeros stays as it is. axis=None: one scale for all. skip_nans=True: NaN
    elements stay, and do not count for the scale.

    out: as in add(). A Buffer must have room for the scales, too: 64 bytes more, and one element a row
    (c.buffer(..., room=))."""
    return self.job(Parameters(skip_nans), (x,), axis, options, out)
