# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them: three significant digits and a unit."""

import math
import re

NONE = "–"  # a value that was not measured
_TIMES = ((1e-6, "ns", 1e9), (1e-3, "µs", 1e6), (1.0, "ms", 1e3), (math.inf, "s", 1.0))
_ENERGIES = ((1e-6, "nJ", 1e9), (1e-3, "µJ", 1e6), (1.0, "mJ", 1e3), (math.inf, "J", 1.0))


def digits(value):
    """Three significant digits without an exponent: 0.0123, 1.23, 12.3, 123, 1230."""
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(float("%.3g" % value)))))
    return "%.*f" % (places, float("%.3g" % value))


def short(text):
    """For ticks of a scale: without zeros at the end of a decimal fraction. 10.0 ms becomes 10 ms."""
    return re.sub(
        r"(\d)\.0+(?!\d)|(\.\d*[1-9])0+(?!\d)", lambda found: found.group(1) or found.group(2), text
    )


def _scaled(value, scale):
    if value is None:
        return NONE
    for limit, unit, factor in scale:
        if float("%.3g" % value) < limit:
            return "%s %s" % (digits(value * factor), unit)


def seconds(value):
    return _scaled(value, _TIMES)


def joules(value):
    return _scaled(value, _ENERGIES)


def rate(bytes_per_second):
    """GB/s, 1 GB = 1e9 B."""
    return NONE if bytes_per_second is None else digits(bytes_per_second / 1e9) + " GB/s"


def percent(share):
    if share is None:
        return NONE
    return "%.1f %%" % (100 * share) if share < 0.0995 else "%.0f %%" % (100 * share)


def times(ratio):
    """A factor: 1.23×, 12.3×, 123×."""
    return NONE if ratio is None else ("%.2f×" % ratio if ratio < 9.995 else digits(ratio) + "×")


def speed(ratio):
    """How many times as fast, in a word that needs no fraction: 1.23× faster, 24.7× slower."""
    if ratio is None:
        return NONE
    return times(ratio) + " faster" if ratio >= 1 else times(1 / ratio) + " slower"


def ratio_tick(ratio):
    """A ratio at a scale: 10×, 1×, 1/10."""
    return times(ratio) if ratio >= 0.9995 else "1/" + digits(1 / ratio)


def count(value):
    """A number of elements: 1 000, 163 840; powers of ten from a million on: 10 M, 1 G; of two: 16 Mi."""
    if value is None:
        return NONE
    for factor, unit in ((10**9, "G"), (10**6, "M")):
        if value >= factor and value % (factor // 100) == 0:
            return "%g %s" % (value / factor, unit)
    if value >= 2**20 and value % 2**20 == 0:
        return "%d Mi" % (value // 2**20)
    return "{:,}".format(int(value)).replace(",", " ")


def about(value):
    """A number of elements that was found by interpolation: two digits."""
    if value is None:
        return NONE
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return (
                "%.2g%s" % (value / factor, unit)
                if value / factor < 100
                else "%.0f%s" % (value / factor, unit)
            )
    return "%.0f" % value


def memory(value):
    """Bytes of a memory: GiB, MiB, KiB."""
    if value is None:
        return NONE
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if value >= factor:
            return "%s %s" % (digits(value / factor), unit)
    return "%d B" % value
