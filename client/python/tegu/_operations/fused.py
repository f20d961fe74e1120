# SPDX-License-Identifier: Apache-2.0
import ctypes
import importlib
from typing import Any, Dict, List, Optional

from .. import _abi, _operation
from .._future import Future
from .._job import Submitting


class Parameters(_operation.Operation):
    name = "fused"

    def __init__(self, parts: Dict[str, Dict[str, Any]]) -> None:
        """parts: operation -> its arguments by name."""
        self.parts: List[_operation.Operation] = []
        for name, arguments in parts.items():
            part = importlib.import_module("." + name, __package__).Parameters
            if not isinstance(arguments, dict):
                raise TypeError("%s=%r: a dict of its arguments is allowed" % (name, arguments))
            try:
                self.parts.append(part(**arguments))
            except TypeError as error:
                if isinstance(error, ValueError):
                    raise  # an argument of a wrong type
                raise TypeError("%s=%r: %s" % (name, arguments, error))

    def fill(self, params: Any) -> None:
        self.raw = (_abi.Part * max(len(self.parts), 1))()
        for raw, part in zip(self.raw, self.parts):
            _abi.library().tegu_part_init(ctypes.byref(raw), _abi.OPERATIONS[part.name])
            part.fill(raw.params)
        params.fused.parts, params.fused.count = ctypes.addressof(self.raw), len(self.parts)

    def result(self, arrays: Dict[int, _operation.Array]) -> Dict[str, Any]:
        return {part.name: part.result(arrays) for part in self.parts}


def fused(
    self: Submitting, x: object, axis: Optional[int] = None, **parts_and_options: Any
) -> "Future[Dict[str, Any]]":
    """Several operations on one array, which is read once where that is possible: a dict of what each
    call alone returns.

        c.fused(x, reduce={"stats": ("sum", "std")}, histogram={"bins": 256, "range": (0, 256)},
        entropy={})

    Parts: reduce, topk, quantile, histogram, entropy, each a dict of that call's arguments by name.
    """
    named = {name: value for name, value in parts_and_options.items() if name in _abi.PARTS}
    options = {name: value for name, value in parts_and_options.items() if name not in _abi.PARTS}
    parts = {name: value for name, value in named.items() if value is not None}
    return self.job(Parameters(parts), (x,), axis, options)
