# SPDX-License-Identifier: Apache-2.0
import numpy
import numpy_values
from numpy_values import LARGE


def measure(report):
    report.versions["numpy"] = numpy.__version__
    report.section("rowscale, add and dot")
    x, y = numpy_values.values_of("f32", LARGE), numpy_values.values_of("f32", LARGE, 2)
    z = numpy.empty_like(x)
    rows = numpy_values.values_of("f32", 55296 * 128, 3).reshape(55296, 128) - numpy.float32(0.5)
    scale, add, dot = "rowscale/f32/rows=55296/cols=128", "add/f32/n=%d" % LARGE, "dot/f32/n=%d" % LARGE
    group = report.group(
        [scale], {"x / abs(x).max(axis=1)": lambda: rows / numpy.abs(rows).max(axis=1, keepdims=True)}
    )
    group.faster_than("rowscale of (55296, 128) f32", scale, "x / abs(x).max(axis=1)", 4)
    group = report.group(
        [add, dot],
        {"numpy.add into out": lambda: numpy.add(x, y, out=z), "numpy.dot": lambda: numpy.dot(x, y)},
    )
    group.faster_than("add of 1e7 f32", add, "numpy.add into out")
    group.of_floor("add of 1e7 f32, reading two arrays and writing one", add)
    group.faster_than("dot of 1e7 f32, exact to its bits", dot, "numpy.dot")
    group.of_floor("dot of 1e7 f32", dot)
