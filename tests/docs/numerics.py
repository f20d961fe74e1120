# SPDX-License-Identifier: Apache-2.0
"""What all operations share in docs/numerics.md: element types, sequences, canonical results, and the
canonical tree of float sums.

A result is a dictionary {role: array of rows x cols}, or the exception Error with the status and the field
that the documents name."""

import numpy

NANS = {"f2": 0x7E00, "f4": 0x7FC00000, "f8": 0x7FF8000000000000}
TILE, ROWS, LANES, PLACES, CHUNK = 1024, 8, 32, 4, 16


class Error(Exception):
    """The job is refused, or fails. `words`: what the message must hold."""

    def __init__(self, status, field, *words):
        Exception.__init__(self, status, field, words)
        self.status, self.field, self.words = status, field, words


def is_float(x):
    return x.dtype.kind == "f"


def sequences(x, axis):
    """The elements of each result: of the whole array, or of its rows."""
    return [x.reshape(-1)] if axis == 0 else list(x)


def canonical(values):
    """+0 for every zero, the one NaN for every NaN."""
    values = numpy.array(values)
    if values.dtype.kind != "f":
        return values
    values[values == 0] = 0
    bits = values.view("<u%d" % values.dtype.itemsize)
    bits[values != values] = NANS[values.dtype.str[1:]]
    return values


def counted(x, skip_nans):
    """A mask of the elements that count."""
    return x == x if is_float(x) and skip_nans else numpy.ones(x.shape, bool)


def widened(x):
    """Elements in the type A: f32 for f16 and f32, f64 for f64."""
    return x.astype(numpy.float32) if x.dtype.itemsize < 8 else x.astype(numpy.float64)


def leaves_of(x):
    """A sequence as tiles x rows x lanes x places, +0.0 beyond its end."""
    tiles = -(-x.size // TILE)
    filled = numpy.zeros(tiles * TILE, x.dtype)
    filled[: x.size] = x
    return filled.reshape(tiles, ROWS, LANES, PLACES)


def accumulate(elements):
    """The leaves of all lanes: four accumulators down the rows, then two pairs."""
    a = numpy.zeros(elements.shape[:1] + elements.shape[2:], elements.dtype)
    for row in range(ROWS):
        a = a + elements[:, row]
    return (a[..., 0] + a[..., 1]) + (a[..., 2] + a[..., 3])


def over_tree(leaves, merge, empty):
    """Leaves (tiles x lanes, or a tuple of such arrays) up to the root. `empty` stands for a missing leaf."""
    parts = leaves if isinstance(leaves, tuple) else (leaves,)

    def pad(part, count, value):
        missing = numpy.full((count - part.shape[0],) + part.shape[1:], value, part.dtype)
        return numpy.concatenate([part, missing])

    def halve(parts, first, second):
        return merge(tuple(first(part) for part in parts), tuple(second(part) for part in parts))

    chunks = -(-parts[0].shape[0] // CHUNK)
    parts = tuple(pad(part, chunks * CHUNK, empty).reshape(chunks, CHUNK, LANES) for part in parts)
    for _ in range(4):  # the tiles of a lane
        parts = halve(parts, lambda part: part[:, 0::2], lambda part: part[:, 1::2])
    parts = tuple(part[:, 0] for part in parts)
    for width in (16, 8, 4, 2, 1):  # lanes
        parts = halve(parts, lambda part: part[:, :width], lambda part: part[:, width : 2 * width])
    parts = tuple(part[:, 0] for part in parts)
    while parts[0].size > 1:  # chunks
        parts = tuple(pad(part, part.size + part.size % 2, empty) for part in parts)
        parts = halve(parts, lambda part: part[0::2], lambda part: part[1::2])
    return tuple(part[0] for part in parts)


def tree_sum(elements, recompute):
    """The canonical tree over elements in A, +0.0 for the skipped. `recompute()`: the elements in f64."""
    leaves = accumulate(leaves_of(elements)).astype(numpy.float64)
    if elements.dtype == numpy.float32:
        bad = ~numpy.isfinite(leaves)
        if bad.any():
            leaves[bad] = accumulate(leaves_of(recompute()))[bad]
    (root,) = over_tree(leaves, lambda a, b: (a[0] + b[0],), 0.0)
    return root


def float_sum(x, mask):
    """The canonical sum of a sequence."""
    elements = numpy.where(mask, widened(x), widened(x).dtype.type(0))
    return tree_sum(elements, lambda: elements.astype(numpy.float64))
