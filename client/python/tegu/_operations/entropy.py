# SPDX-License-Identifier: Apache-2.0
from .. import _abi, _operation


class Parameters(_operation.Operation):
    name = "entropy"

    def __init__(self, levels=256, range=None, base=2, skip_nans=False):
        self.set(levels=levels, base=base, skip_nans=skip_nans)
        self.range = range

    def result(self, arrays):
        return arrays[_abi.ROLES["entropy"]].per_row()


def entropy(self, x, levels=256, range=None, base=2, axis=None, skip_nans=False, **options):
    """The Shannon entropy of the levels of `x`, of all or along one axis; levels: 2 to 65536,
    of `range` (lo, hi); base: 2 or "e"."""
    return self.job(Parameters(levels, range, base, skip_nans), (x,), axis, options)
