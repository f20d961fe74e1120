# SPDX-License-Identifier: Apache-2.0
from .. import _abi, _operation


class Parameters(_operation.Operation):
    name, labels = "dot", ("x", "y")

    def __init__(self, skip_nans=False):
        self.set(skip_nans=skip_nans)

    def result(self, arrays):
        return arrays[_abi.ROLES["dot"]].per_row()


def dot(self, x, y, axis=None, skip_nans=False, **options):
    """The scalar product of all elements of x and y, or of those along one axis. skip_nans=True leaves
    out pairs with a NaN."""
    return self.job(Parameters(skip_nans), (x, y), axis, options)
