# SPDX-License-Identifier: Apache-2.0
from .. import fused
from ..value import Partial
from . import partial_of as _partial_of


def partial_of(operation: fused.Parts) -> Partial:
    return operation.joined([_partial_of(part) for part in operation.parts])
