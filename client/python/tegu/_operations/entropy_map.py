# SPDX-License-Identifier: Apache-2.0
from .. import _abi, _errors, _operation


class Parameters(_operation.Operation):
    name, labels, is_image = "entropy_map", ("image",), True
    out_role = _abi.ROLES["map"]

    def __init__(self, window=5, levels=16, range=None, base=2, border="clip"):
        allowed = self.allowed("window_rows")
        try:
            rows, cols = (window, window) if hasattr(window, "__index__") else window
        except (TypeError, ValueError):
            raise _errors.make(
                "BAD_RANGE", "window=%r" % (window,), "window", "one number or (rows, cols), " + allowed
            )
        rows, cols = (_operation.whole_number(each, "window", allowed) for each in (rows, cols))
        self.set(levels=levels, base=base, border=border)
        self.fields.update(window_rows=rows, window_cols=cols)
        self.range = range

    def out_type(self, source):
        return 10  # f32

    def result(self, arrays):
        found = arrays[self.out_role]
        return found.shaped(found.source.given)


def entropy_map(self, image, window=5, levels=16, range=None, base=2, border="clip", out=None, **options):
    """f32 array of the shape of `image` (two dimensions): the Shannon entropy of the window around each
    pixel.

    window: odd, one number or (rows, cols); levels: 2 to 256, of `range` (lo, hi); base: 2 or "e";
    border: "clip" or "mirror"."""
    return self.job(Parameters(window, levels, range, base, border), (image,), None, options, out)
