# SPDX-License-Identifier: Apache-2.0
"""When two times differ: the rule that tegu-tune has for gains. A difference counts if it is at least 3 % and
at least three noises; else it is none."""

import math

LEAST, NOISES = 0.03, 3.0
UNKNOWN = 0.05  # the noise of a time that says none, or that was taken fewer than three times

FASTER, SLOWER, SAME = "faster", "slower", "no difference"


def noise_of(result):
    """Relative noise of a result; never None."""
    if result.noise is None or (result.repeats is not None and result.repeats < 3):
        return max(UNKNOWN, result.noise or 0.0)
    return result.noise


def threshold(a, b):
    """The relative difference from which two results differ."""
    return max(LEAST, NOISES * math.hypot(noise_of(a), noise_of(b)))


def verdict(result, base):
    """Whether `result` is faster or slower than `base`, or neither."""
    ratio = base.seconds / result.seconds
    least = 1 + threshold(result, base)
    return FASTER if ratio >= least else SLOWER if ratio <= 1 / least else SAME
