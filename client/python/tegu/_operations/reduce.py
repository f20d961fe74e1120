# SPDX-License-Identifier: Apache-2.0
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from .. import _abi, _errors, _operation
from .._future import Future
from .._job import Submitting

Statistics = Union[str, Iterable[str]]
_ROLES = {name: number + 1 for number, name in enumerate(_abi.STATISTICS)}


class Parameters(_operation.Operation):
    name = "reduce"

    def __init__(self, stats: Statistics = ("sum",), ddof: int = 0, skip_nans: bool = False) -> None:
        known = _abi.STATISTICS
        allowed = "all, or some of: " + " ".join(known)
        try:
            self.names = known if stats == "all" else (stats,) if isinstance(stats, str) else tuple(stats)
        except TypeError:
            raise _errors.wrong_type("BAD_RANGE", "stats=%r" % (stats,), "stats", allowed)
        bits = 0
        for name in self.names:
            if name not in known:
                raise _errors.make("BAD_RANGE", "the statistic %r is not known" % (name,), "stats", allowed)
            bits |= 1 << known.index(name)
        self.set(ddof=ddof, skip_nans=skip_nans)
        self.fields["statistics"] = bits

    def result(self, arrays: Dict[int, _operation.Array]) -> Dict[str, Any]:
        made = {}
        for name in self.names:
            found = arrays[_ROLES[name]]
            if name == "minmax":
                made[name] = found.vectors() if found.is_per_row() else found.numbers()
            else:
                made[name] = found.per_row()
        return made

    def reader(self, places: Dict[int, slice]) -> Optional[Callable[[Tuple[Any, ...]], Any]]:
        wanted: List[Tuple[str, Any]] = []
        for name in self.names:
            place = places[_ROLES[name]]
            wanted.append((name, place if name == "minmax" else place.start))
        return lambda numbers: {name: numbers[place] for name, place in wanted}


def reduce(
    self: Submitting,
    x: object,
    stats: Statistics = ("sum",),
    axis: Optional[int] = None,
    ddof: int = 0,
    skip_nans: bool = False,
    **options: Any,
) -> "Future[Dict[str, Any]]":
    """A dict of statistics over all of `x`: Python numbers, minmax as a pair. With an axis: arrays over
    the other axes (minmax: with a last axis of two).

    stats: any of count sum mean min max minmax argmin argmax absmax l1 l2 var std nonzero nans, or "all".
    ddof=0 or 1 for var and std; skip_nans=True leaves NaN elements out. Options of every job: dtype= and
    shape= to read memory as something else; deadline= seconds; priority= "high", "normal" or "low";
    backend= "auto", "cpu" or "gpu". axis=None is all of the array, else one axis as numpy counts it; jobs
    run along the last one, for any other the array is copied first (last.copied says so)."""
    return self.job(Parameters(stats, ddof, skip_nans), (x,), axis, options)
