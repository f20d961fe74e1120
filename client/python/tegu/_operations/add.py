# SPDX-License-Identifier: Apache-2.0
from typing import Any, Dict

from .. import _abi, _operation
from .._future import Future
from .._job import Submitting


class Parameters(_operation.Operation):
    name, labels = "add", ("x", "y")
    out_role = _abi.ROLES["values"]

    def __init__(self) -> None:
        self.set()

    def result(self, arrays: Dict[int, _operation.Array]) -> Any:
        return arrays[self.out_role].as_given()


def add(self: Submitting, x: object, y: object, out: Any = None, **options: Any) -> "Future[Any]":
    """x + y, element by element, of one type and shape. An integer sum that does not fit the type is an
    Error (OVERFLOW).

    out: where the result goes, and what is returned then: a Buffer (nothing is copied; it may be x or y
    itself), or an array, which the result is copied into."""
    return self.job(Parameters(), (x, y), None, options, out)
