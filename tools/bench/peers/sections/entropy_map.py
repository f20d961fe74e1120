# SPDX-License-Identifier: Apache-2.0
"""scikit-image as the peer: the entropy map of an image."""

import numpy
import skimage
from skimage.filters import rank

SIDE = 2560


def measure(report):
    report.versions["scikit-image"] = skimage.__version__
    report.section("entropy_map of 2560 x 2560 u8")
    random = numpy.random.default_rng(3)
    for window, levels, times in ((5, 16, 200), (31, 256, 40)):
        image = random.integers(0, levels, (SIDE, SIDE), dtype=numpy.uint8)
        shape = numpy.ones((window, window), dtype=numpy.uint8)
        case = "entropy_map/u8/%dx%d/window=%d/levels=%d" % (SIDE, SIDE, window, levels)
        peers = {"rank.entropy": lambda image=image, shape=shape: rank.entropy(image, shape)}
        group = report.group([case], peers, rounds=2, calls=1)
        group.faster_than("window %dx%d, %d levels" % (window, window, levels), case, "rank.entropy", times)
