# SPDX-License-Identifier: Apache-2.0
from .. import _abi, _operation


class Parameters(_operation.Operation):
    name, labels = "add", ("x", "y")
    out_role = _abi.ROLES["values"]

    def __init__(self):
        self.set()

    def out_type(self, source):
        return source.type

    def result(self, arrays):
        found = arrays[self.out_role]
        return found.shaped(found.source.given) if found.source.given else found.numbers()[0]


def add(self, x, y, out=None, **options):
    """x + y, element by element, of one type and shape. An integer sum that does not fit the type is an
    Error (OVERFLOW).

    out: where the result goes, and what is returned then: a Buffer (nothing is copied; it may be x or y
    itself), or an array, which the result is copied into."""
    return self.job(Parameters(), (x, y), None, options, out)
