# SPDX-License-Identifier: Apache-2.0
import numpy
import numpy_values
from numpy_values import HUGE, LARGE


def measure(report):
    report.versions["numpy"] = numpy.__version__
    report.section("histogram, entropy and fused")
    x = numpy_values.values_of("u8", HUGE)
    case = "histogram/u8/n=%d/bins=256/range/uniform" % HUGE
    entropy, fused = (
        "entropy/u8/n=%d/levels=256" % HUGE,
        "fused/u8/n=%d/mean,minmax,std+histogram+entropy" % HUGE,
    )
    group = report.group(
        [case, entropy, fused], {"numpy.bincount": lambda: numpy.bincount(x, minlength=256)}, 3
    )
    group.share_of("histogram of 1e8 u8, 256 levels", case, "numpy.bincount", 0.06)
    group.of_floor("histogram of 1e8 u8, 256 levels", case)
    group.of_floor("entropy of 1e8 u8, 256 levels", entropy)
    group.of_floor("mean, minmax, std, histogram and entropy of 1e8 u8 in one job", fused)
    x = None  # give the memory back
    y = numpy_values.values_of("f32", LARGE)
    case = "histogram/f32/n=%d/bins=256/range/uniform" % LARGE
    group = report.group([case], {"numpy.histogram": lambda: numpy.histogram(y, 256, (0, 1))}, 3)
    group.faster_than("histogram of 1e7 f32, 256 bins of a range", case, "numpy.histogram")
