# SPDX-License-Identifier: Apache-2.0
"""Nodes (n, s, q) of the tree of moments: count, sum, and sum of squared deviations. docs/numerics.md has the
formulas."""

from typing import Any, Tuple

Moments = Tuple[float, float, float]


def merge(a: Moments, b: Moments) -> Moments:
    """Commutative to the bit."""
    if b[0] == 0:
        return a
    if a[0] == 0:
        return b
    n = a[0] + b[0]
    if a[0] == b[0]:
        t = a[1] - b[1]
        between = (t * t) / n
    else:
        t = a[1] / a[0] - b[1] / b[0]
        between = (t * t) * ((a[0] * b[0]) / n)
    return (n, a[1] + b[1], (a[2] + b[2]) + between)


def merge_arrays(numpy: Any, a: Tuple[Any, Any, Any], b: Tuple[Any, Any, Any]) -> Tuple[Any, Any, Any]:
    """merge() of each pair."""
    (na, sa, qa), (nb, sb, qb) = a, b
    n, ones = na + nb, numpy.ones_like(na)
    divisor = numpy.where(n == 0, ones, n)
    t = sa - sb
    equal = (t * t) / divisor
    t = sa / numpy.where(na == 0, ones, na) - sb / numpy.where(nb == 0, ones, nb)
    unequal = (t * t) * ((na * nb) / divisor)
    q = (qa + qb) + numpy.where(na == nb, equal, unequal)
    alone_a, alone_b = nb == 0, na == 0
    s = numpy.where(alone_a, sa, numpy.where(alone_b, sb, sa + sb))
    return n, s, numpy.where(alone_a, qa, numpy.where(alone_b, qb, q))
