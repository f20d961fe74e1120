# SPDX-License-Identifier: Apache-2.0
from .. import _abi, _operation


class Parameters(_operation.Operation):
    name = "histogram"

    def __init__(self, bins=10, range=None, skip_nans=False):
        self.set(bins=bins, skip_nans=skip_nans)
        self.range = range

    def result(self, arrays):
        return arrays[_abi.ROLES["histogram"]].vectors(), arrays[_abi.ROLES["edges"]].vectors()


def histogram(self, x, bins=10, range=None, axis=None, skip_nans=False, **options):
    """(counts, edges) as numpy.histogram, for a number of equal bins. With an axis: of each row, the bins
    in the last axis.

    range: (lo, hi), elements outside count nowhere; without it from the smallest to the largest element.
    """
    return self.job(Parameters(bins, range, skip_nans), (x,), axis, options)
