# SPDX-License-Identifier: Apache-2.0
import ctypes
import importlib

from .. import _abi, _operation


class Parameters(_operation.Operation):
    name = "fused"

    def __init__(self, parts):
        """parts: operation -> its arguments by name."""
        self.parts = []
        for name, arguments in parts.items():
            part = importlib.import_module("." + name, __package__).Parameters
            try:
                self.parts.append(part(**arguments))
            except TypeError as error:
                raise TypeError("%s=%r: %s" % (name, arguments, error))

    def fill(self, params):
        self.raw = (_abi.Part * max(len(self.parts), 1))()
        for raw, part in zip(self.raw, self.parts):
            _abi.library().tegu_part_init(ctypes.byref(raw), _abi.OPERATIONS[part.name])
            part.fill(raw.params)
        params.fused.parts, params.fused.count = ctypes.addressof(self.raw), len(self.parts)

    def result(self, arrays):
        return {part.name: part.result(arrays) for part in self.parts}


def fused(self, x, axis=None, **parts_and_options):
    """Several operations on one array, which is read once where that is possible: a dict of what each
    call alone returns.

        c.fused(x, reduce={"stats": ("sum", "std")}, histogram={"bins": 256, "range": (0, 256)},
        entropy={})

    Parts: reduce, topk, quantile, histogram, entropy, each a dict of that call's arguments by name.
    """
    named = {name: value for name, value in parts_and_options.items() if name in _abi.PARTS}
    options = {name: value for name, value in parts_and_options.items() if name not in _abi.PARTS}
    parts = {name: value for name, value in named.items() if value is not None}
    return self.job(Parameters(parts), (x,), axis, options)
