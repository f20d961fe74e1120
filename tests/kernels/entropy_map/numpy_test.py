#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps of every element type against numpy: levels by numpy.histogram's edges, entropies by numpy.log2 in
f64.

docs/numerics.md says where the levels may differ: next to an edge. Pixels there are replaced first; integers
without a range need no such care. Skipped (77) where numpy is not installed and cannot be fetched
(tests/peers.py). usage: numpy_test.py PROGRAM"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import peers  # noqa: E402

peers.go_on_with("numpy")
try:
    import numpy
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

SEED = 21
DTYPES = {
    "u8": "u1",
    "i8": "i1",
    "u16": "u2",
    "i16": "i2",
    "u32": "u4",
    "i32": "i4",
    "u64": "u8",
    "i64": "i8",
    "f16": "f2",
    "f32": "f4",
    "f64": "f8",
}
SHAPE = (24, 31)


def whole_range(dtype):
    info = numpy.iinfo(dtype)
    return float(info.min), float(info.max) + 1.0


def levels_of(image, count, low, high):
    """The bin of numpy.histogram(image, count, (low, high)) for each pixel, pixels outside in the first or
    last."""
    edges = numpy.linspace(low, high, count + 1)
    return numpy.clip(numpy.searchsorted(edges, image.astype("f8"), side="right") - 1, 0, count - 1)


def away_from_edges(image, count, low, high):
    """The image with pixels near an edge replaced by others of it, all but the smallest and the largest."""
    place = (image.astype("f8") - low) * (count / (high - low))
    near = (numpy.abs(place - numpy.round(place)) < 0.02) & (image != image.min()) & (image != image.max())
    return numpy.where(near, numpy.resize(image[~near], image.shape), image)


def entropies(levels, window):
    """Entropy of each window of levels, cut at the border."""
    found = numpy.empty(levels.shape)
    for row in range(levels.shape[0]):
        for col in range(levels.shape[1]):
            part = levels[
                max(0, row - window[0] // 2) : row + window[0] // 2 + 1,
                max(0, col - window[1] // 2) : col + window[1] // 2 + 1,
            ]
            shares = numpy.unique(part, return_counts=True)[1] / float(part.size)
            found[row, col] = abs((shares * numpy.log2(shares)).sum())
    return found


def tegu_map(program, image, word, window, count, given):
    arguments = (
        [program]
        + [str(n) for n in image.shape + window]
        + [word, str(count)]
        + [repr(edge) for edge in given]
    )
    done = subprocess.run(arguments, input=image.tobytes(), stdout=subprocess.PIPE, check=True)
    return numpy.frombuffer(done.stdout, numpy.float32).reshape(image.shape)


def random_image(random, dtype):
    """All values of small integers; of 64-bit ones those that an f64 holds, as numpy compares in f64; floats
    from -3 to 5."""
    if dtype.kind == "f":
        return random.uniform(-3, 5, SHAPE).astype(dtype)
    low, high = whole_range(dtype)
    image = random.integers(int(low), int(high), SHAPE, dtype=dtype, endpoint=False)
    return (image >> 12) << 12 if dtype.itemsize == 8 else image


def main(program):
    random = numpy.random.default_rng(SEED)
    failed = 0
    for word, code in sorted(DTYPES.items()):
        dtype = numpy.dtype(code)
        for given in (False, True):
            for count, window in ((16, (5, 5)), (100, (3, 7)), (256, (9, 9))):
                image = random_image(random, dtype)
                low, high = (-3.0, 5.0) if dtype.kind == "f" else whole_range(dtype)
                if given:
                    low, high = low + 0.3 * (high - low), low + 0.8 * (high - low)
                elif dtype.kind == "f":
                    low, high = float(image.min()), float(image.max())
                if given or dtype.kind == "f":
                    image = away_from_edges(image, count, low, high)
                found = tegu_map(program, image, word, window, count, (low, high) if given else ())
                worst = float(numpy.abs(found - entropies(levels_of(image, count, low, high), window)).max())
                good = worst < 2e-6
                failed += not good
                print(
                    "%s %s levels %d window %dx%d%s: largest difference %.3g"
                    % (
                        "ok  " if good else "FAIL",
                        word,
                        count,
                        window[0],
                        window[1],
                        " range" if given else "",
                        worst,
                    )
                )
    print("seed %d" % SEED)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
