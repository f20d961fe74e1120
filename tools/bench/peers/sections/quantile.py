# SPDX-License-Identifier: Apache-2.0
import numpy
import numpy_values
from numpy_values import LARGE


def measure(report):
    report.versions["numpy"] = numpy.__version__
    report.section("quantile of 1e7 f32")
    x = numpy_values.values_of("f32", LARGE)
    nine = numpy.arange(1, 10) / 10
    case = "quantile/f32/n=%d/q=" % LARGE
    group = report.group(
        [case + "0.5/uniform", case + "0.1..0.9/uniform"],
        {"numpy.median": lambda: numpy.median(x), "numpy.quantile": lambda: numpy.quantile(x, nine)},
        3,
    )
    group.faster_than("median", case + "0.5/uniform", "numpy.median", 15)
    group.faster_than("nine quantiles", case + "0.1..0.9/uniform", "numpy.quantile")
