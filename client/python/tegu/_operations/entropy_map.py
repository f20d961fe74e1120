# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict, Optional, Tuple, Union

from .. import _abi, _errors, _operation
from .._inputs import Input
from .._future import Future
from .._job import Submitting

Window = Union[int, Tuple[int, int]]
Range = Optional[Tuple[float, float]]
Base = Union[int, str]


class Parameters(_operation.Operation):
    name, labels, is_image = "entropy_map", ("image",), True
    out_role = _abi.ROLES["map"]

    def __init__(
        self, window: Window = 5, levels: int = 16, range: Range = None, base: Base = 2, border: str = "clip"
    ) -> None:
        allowed = self.allowed("window_rows")
        try:
            rows, cols = (window, window) if hasattr(window, "__index__") else window
        except (TypeError, ValueError):
            raise _errors.make(
                "BAD_RANGE", "window=%r" % (window,), "window", "one number or (rows, cols), " + allowed
            )
        rows, cols = (_operation.whole_number(each, "window", allowed) for each in (rows, cols))
        self.set(levels=levels, base=base, border=border)
        self.fields.update(window_rows=rows, window_cols=cols)
        self.range = range

    def out_type(self, source: Input) -> int:
        return 10  # f32

    def result(self, arrays: Dict[int, _operation.Array]) -> Any:
        return arrays[self.out_role].as_given()


def entropy_map(
    self: Submitting,
    image: object,
    window: Window = 5,
    levels: int = 16,
    range: Range = None,
    base: Base = 2,
    border: str = "clip",
    out: Any = None,
    **options: Any,
) -> "Future[Any]":
    """f32 array of the shape of `image` (two dimensions): the Shannon entropy of the window around each
    pixel.

    window: odd, one number or (rows, cols); levels: 2 to 256, of `range` (lo, hi); base: 2 or "e";
    border: "clip" or "mirror"."""
    return self.job(Parameters(window, levels, range, base, border), (image,), None, options, out)
