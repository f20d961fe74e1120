# SPDX-License-Identifier: Apache-2.0
from .. import _abi, _errors, _operation


class Parameters(_operation.Operation):
    name = "reduce"

    def __init__(self, stats=("sum",), ddof=0, skip_nans=False):
        known = _abi.STATISTICS
        self.names = known if stats == "all" else (stats,) if isinstance(stats, str) else tuple(stats)
        bits = 0
        for name in self.names:
            if name not in known:
                raise _errors.make(
                    "BAD_RANGE", "the statistic %r is not known" % (name,), "stats", " ".join(known)
                )
            bits |= 1 << known.index(name)
        self.set(ddof=ddof, skip_nans=skip_nans)
        self.fields["statistics"] = bits

    def result(self, arrays):
        made = {}
        for name in self.names:
            found = arrays[_abi.STATISTICS.index(name) + 1]
            pair = (
                found.numbers()
                if name == "minmax" and not (found.source.axis is not None and found.source.rest)
                else None
            )
            made[name] = pair or (found.vectors() if name == "minmax" else found.per_row())
        return made


def reduce(self, x, stats=("sum",), axis=None, ddof=0, skip_nans=False, **options):
    """A dict of statistics over all of `x`: Python numbers, minmax as a pair. With an axis: arrays over
    the other axes (minmax: with a last axis of two).

    stats: any of count sum mean min max minmax argmin argmax absmax l1 l2 var std nonzero nans, or "all".
    ddof=0 or 1 for var and std; skip_nans=True leaves NaN elements out. Options of every job: dtype= and
    shape= to read memory as something else; deadline= seconds; priority= "high", "normal" or "low";
    backend= "auto", "cpu" or "gpu". axis=None is all of the array, else one axis as numpy counts it; jobs
    run along the last one, for any other the array is copied first (last.copied says so)."""
    return self.job(Parameters(stats, ddof, skip_nans), (x,), axis, options)
