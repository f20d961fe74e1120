# SPDX-License-Identifier: Apache-2.0
"""The partials of PartialCalls computed by numpy, without a daemon: the same bits, slower. docs/numerics.md
has the rules; each module has partial_of() of one operation."""

import importlib
from typing import Any, Dict

from ... import _errors
from ..calls import PartialCalls
from ..value import Partial


class NumpyPartials(PartialCalls):
    """`priority` and `backend` have no meaning here; there are no deadlines."""

    def _run(self, operation: Any, options: Dict[str, Any]) -> Partial:
        if options.get("deadline") is not None:
            raise _errors.make("UNSUPPORTED", "numpy takes no deadline", "deadline", "None")
        return partial_of(operation)

    def _run_round(self, rounds: Any) -> Partial:
        return partial_of(rounds)


def partial_of(operation: Any) -> Partial:
    made: Partial = importlib.import_module("." + operation.name, __name__).partial_of(operation)
    return made
