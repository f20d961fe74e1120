# SPDX-License-Identifier: Apache-2.0
import numpy_values
from numpy_values import HUGE, LARGE, power_text


def measure(report):
    report.section("argmin and argmax of 8- and 16-bit types")
    for kind, n in (
        ("u8", LARGE),
        ("i8", LARGE),
        ("u16", LARGE),
        ("i16", LARGE),
        ("u8", HUGE),
        ("u16", HUGE),
    ):
        x = numpy_values.values_of(kind, n)
        case = "reduce/%s/n=%d/stats=" % (kind, n)
        group = report.group(
            [case + "argmin", case + "argmax"], {"numpy.argmin": x.argmin, "numpy.argmax": x.argmax}, 3
        )
        for stats in ("argmin", "argmax"):
            what = "%s of %s %s" % (stats, power_text(n), kind)
            group.of_floor(what, case + stats, 0.85)
            group.faster_than(what, case + stats, "numpy." + stats, 1)
