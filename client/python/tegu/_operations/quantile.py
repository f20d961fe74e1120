# SPDX-License-Identifier: Apache-2.0
import ctypes
import operator
from typing import Any, Callable, Dict, Optional, Tuple

from .. import _abi, _arrays, _errors, _inputs, _operation, _types
from .._future import Future
from .._job import Submitting


class Parameters(_operation.Operation):
    name = "quantile"

    def __init__(self, q: object, method: str = "linear", skip_nans: bool = False) -> None:
        self.set(method=method, skip_nans=skip_nans)
        try:
            described = _inputs.describe(
                q, "f64" if isinstance(q, (int, float, list, tuple)) else None, name="q"
            )
            if described.row_stride:
                described = _inputs.describe(_types.numpy.ascontiguousarray(q))
            count = _types.product(described.given)
            # more than are allowed are refused by the library, whose message says so
            taken = min(count, self.allowed("q") + 1)
            numbers = _arrays.scalars(described.address, described.type, taken) if count else ()
            self.q = (ctypes.c_double * max(len(numbers), 1))(*numbers)
        except (TypeError, _errors.Error):
            raise _errors.wrong_type(
                "BAD_RANGE", "q=%r is neither a number nor an array of numbers" % (q,), "q", "0..1"
            )
        self.shape = described.given
        self.fields.update(q=ctypes.addressof(self.q), count=min(count, 0xFFFFFFFF))

    def result(self, arrays: Dict[int, _operation.Array]) -> Any:
        found = arrays[_abi.ROLES["quantiles"]]
        return found.columns_first(self.shape) if self.shape else found.per_row()

    def reader(self, places: Dict[int, slice]) -> Optional[Callable[[Tuple[Any, ...]], Any]]:
        if self.shape:
            return None
        return operator.itemgetter(places[_abi.ROLES["quantiles"]].start)


def quantile(
    self: Submitting,
    x: object,
    q: object,
    axis: Optional[int] = None,
    method: str = "linear",
    skip_nans: bool = False,
    **options: Any,
) -> "Future[Any]":
    """Exact quantiles as numpy.quantile: a number for one q, an array in the shape of q for several; with
    an axis, q's axes come before the others. method: "linear", "lower", "higher", "nearest" or
    "midpoint". skip_nans=True: as numpy.nanquantile."""
    return self.job(Parameters(q, method, skip_nans), (x,), axis, options)
