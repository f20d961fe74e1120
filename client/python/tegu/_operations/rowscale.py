# SPDX-License-Identifier: Apache-2.0
from .. import _abi, _operation


class Parameters(_operation.Operation):
    name = "rowscale"
    out_role = _abi.ROLES["values"]

    def __init__(self, skip_nans=False):
        self.set(skip_nans=skip_nans)

    def out_type(self, source):
        return source.type

    def result(self, arrays):
        found = arrays[self.out_role]
        if found.source.axis is None:
            values = found.shaped(found.source.given) if found.source.given else found.numbers()[0]
        else:
            values = found.along()
        return values, arrays[_abi.ROLES["scales"]].per_row()


def rowscale(self, x, axis=1, skip_nans=False, out=None, **options):
    """(y, scales): each row of `x` (float16, float32, float64) divided by its largest magnitude, and
    these magnitudes. A row of zeros stays as it is. axis=None: one scale for all. skip_nans=True: NaN
    elements stay, and do not count for the scale.

    out: as in add(). A Buffer must have room for the scales, too: 64 bytes more, and one element a row
    (c.buffer(..., room=))."""
    return self.job(Parameters(skip_nans), (x,), axis, options, out)
