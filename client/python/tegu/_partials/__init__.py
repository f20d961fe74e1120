# SPDX-License-Identifier: Apache-2.0
"""Mergeable partials: what one piece of an array adds to the result of the whole. docs/partials.md explains
them."""

from .calls import PartialCalls
from .value import Partial, merge

__all__ = ["Partial", "PartialCalls", "merge"]
