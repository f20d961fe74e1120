# SPDX-License-Identifier: Apache-2.0
"""From which size on the GPU is worth its while: curves of both backends over the number of elements, and
where they cross."""

import math
from dataclasses import dataclass
from typing import List, Optional, Tuple

from .series import label_of, varying

PART = "crossover"
ALWAYS, NEVER = "always", "never"
_FREE = ("elements", "rows", "cols", "threads", "threads_per_block", "bytes", "data")


@dataclass(frozen=True)
class Curves:
    """One operation and class of one board. Points: (elements, result), by size."""

    operation: str
    variant: str
    cpu: List[Tuple[float, object]]
    gpu: List[Tuple[float, object]]  # with the data there
    copied: List[Tuple[float, object]]  # with the data to be brought

    @property
    def title(self):
        return " ".join(filter(None, (self.operation, self.variant)))


def _points(results):
    fastest = {}
    for result in results:
        size = float(result.axes["elements"])
        if size > 0 and (size not in fastest or result.seconds < fastest[size].seconds):
            fastest[size] = result
    return sorted(fastest.items())


def _is_copied(result):
    return result.axes.get("data") == "copied"


def curves(board) -> List[Curves]:
    """Classes of an operation are told apart by all axes but the size and the launch numbers."""
    results = [
        result
        for result in board.of_part(PART)
        if result.is_tegu and isinstance(result.axes.get("elements"), (int, float))
    ]
    found = []
    for operation in dict.fromkeys(result.operation for result in results):
        mine = [result for result in results if result.operation == operation]
        names = varying(mine, without=_FREE)
        for variant in dict.fromkeys(label_of(result, names) for result in mine):
            same = [result for result in mine if label_of(result, names) == variant]
            found.append(
                Curves(
                    operation,
                    variant,
                    _points(one for one in same if one.backend == "cpu"),
                    _points(one for one in same if one.backend == "cuda" and not _is_copied(one)),
                    _points(one for one in same if one.backend == "cuda" and _is_copied(one)),
                )
            )
    return found


def crossing(found: Curves, copied=False) -> Optional[object]:
    """Elements from which the GPU stays faster, interpolated on logarithmic scales; ALWAYS, NEVER (within the
    sizes measured), or None without both. copied: its data has to be brought."""
    cpu, gpu = dict(found.cpu), dict(found.copied if copied else found.gpu)
    sizes = sorted(set(cpu) & set(gpu))
    if not sizes:
        return None
    gains = [math.log(cpu[size].seconds / gpu[size].seconds) for size in sizes]  # above 0: the GPU is faster
    if gains[-1] <= 0:
        return NEVER
    last_loss = max((index for index, gain in enumerate(gains) if gain <= 0), default=None)
    if last_loss is None:
        return ALWAYS
    low, high = gains[last_loss], gains[last_loss + 1]
    left, right = math.log(sizes[last_loss]), math.log(sizes[last_loss + 1])
    return math.exp(left + (right - left) * -low / (high - low))
