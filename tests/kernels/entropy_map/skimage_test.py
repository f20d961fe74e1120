#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The maps of bytes with 256 levels and border clip against skimage.filters.rank.entropy, within the
documented bound.

Skipped (77) where scikit-image is not installed and cannot be fetched (tests/peers.py).
usage: skimage_test.py PROGRAM
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import peers  # noqa: E402

peers.go_on_with("numpy", "skimage")
try:
    import numpy
    from skimage.filters.rank import entropy
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
SEED = 20


def read_pgm(name):
    with open(os.path.join(DATA, name), "rb") as file:
        magic, cols, rows, top = file.read(64).split(maxsplit=4)[:4]
        assert (magic, top) == (b"P5", b"255")
        file.seek(-int(rows) * int(cols), os.SEEK_END)
        return numpy.frombuffer(file.read(), numpy.uint8).reshape(int(rows), int(cols))


def tegu_map(program, image, window):
    arguments = [program] + [str(n) for n in image.shape + window]
    done = subprocess.run(arguments, input=image.tobytes(), stdout=subprocess.PIPE, check=True)
    return numpy.frombuffer(done.stdout, numpy.float32).reshape(image.shape)


def pixels_in_window(n, extent):
    """How many of n pixels in a line the window around each of them covers."""
    places = numpy.arange(n)
    return numpy.minimum(places + extent // 2 + 1, n) - numpy.maximum(places - extent // 2, 0)


def bound(wanted, window):
    """docs/numerics.md, for each pixel, plus what rank.entropy rounds."""
    n_max = window[0] * window[1]
    shift = 24
    while round(n_max * numpy.log2(n_max) * 2**shift) >= 2**31:
        shift -= 1
    n = numpy.outer(
        pixels_in_window(wanted.shape[0], window[0]), pixels_in_window(wanted.shape[1], window[1])
    )
    table = (numpy.minimum(256, n // 2) + 1) / (2.0 * n * 2**shift)
    return table + 1.01 * 2.0**-23 * (wanted + table) + 1e-12


def main(program):
    random = numpy.random.default_rng(SEED)
    images = {
        "random 40x70": random.integers(0, 256, (40, 70), dtype=numpy.uint8),
        "smaller than the window": random.integers(0, 256, (4, 6), dtype=numpy.uint8),
        "one row": random.integers(0, 256, (1, 50), dtype=numpy.uint8),
        "flat": numpy.full((20, 20), 9, numpy.uint8),
        "camera": read_pgm("camera.pgm")[100:260, 150:350],
        "deep field": read_pgm("hubble_deep_field.pgm")[:160, :200],
    }
    failed = 0
    for name, image in sorted(images.items()):
        for window in ((3, 3), (5, 5), (9, 9), (3, 7), (15, 15), (31, 31)):
            wanted = entropy(numpy.ascontiguousarray(image), numpy.ones(window, numpy.uint8))
            found = tegu_map(program, numpy.ascontiguousarray(image), window)
            worst = float(numpy.abs(found - wanted).max())
            good = bool((numpy.abs(found - wanted) <= bound(wanted, window)).all())
            failed += not good
            print(
                "%s %s window %dx%d: largest difference %.3g"
                % (("ok  " if good else "FAIL", name) + window + (worst,))
            )
    print("seed %d" % SEED)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
