# SPDX-License-Identifier: Apache-2.0
import numpy
import numpy_values
from numpy_values import HUGE, LARGE, power_text


def measure(report):
    report.versions["numpy"] = numpy.__version__
    report.section("reduce: one statistic and all at once")
    for kind in ("f32", "i32"):
        for n in (LARGE, HUGE):
            x = numpy_values.values_of(kind, n)
            peers = {"numpy.sum": x.sum, "numpy.max": x.max, "numpy.argmax": x.argmax, "numpy.std": x.std}
            case = "reduce/%s/n=%d/stats=" % (kind, n)
            group = report.group(
                [case + stats for stats in ("sum", "max", "argmax", "std", "all")],
                peers,
                None if n == LARGE else 3,
            )
            what = "of %s %s" % (power_text(n), kind)
            for stats in ("sum", "max", "argmax", "std", "all"):
                group.of_floor("%s %s" % (stats, what), case + stats, 0.85)
            for stats in ("sum", "max", "argmax", "std"):
                group.faster_than("%s %s" % (stats, what), case + stats, "numpy." + stats, 1)
            group.faster_than("all 15 statistics %s" % what, case + "all", "numpy.sum")
            del x, peers, group
