# SPDX-License-Identifier: Apache-2.0
"""The tree of moments in docs/numerics.md, "Variance and norms"."""

import numpy

from numerics import LANES, accumulate, counted, leaves_of, over_tree, widened


def leaf_moments(elements, mask, c):
    """Steps 1 to 3 in the type of `elements`: (s, q, whether Q is usable in f32).

    Elements and mask are tiles x rows x lanes x places, all else tiles x lanes."""
    A = elements.dtype.type
    S = accumulate(numpy.where(mask, elements, A(0)))
    m = S / numpy.maximum(c, 1).astype(A)
    d = numpy.where(mask, elements - m[:, None, :, None], A(0))
    D, Q = accumulate(d), accumulate(d * d)
    usable = (Q >= 2.0**-100) & (Q <= numpy.finfo(numpy.float32).max)
    c, m, D, Q = (part.astype(numpy.float64) for part in (c, m, D, Q))
    s = c * m + D
    v = Q - (D * D) / numpy.maximum(c, 1)
    return s, numpy.where(v < 0, 0.0, v), usable


def merge(a, b):
    """Two nodes, each (n, s, q)."""
    (na, sa, qa), (nb, sb, qb) = a, b
    n, s = na + nb, sa + sb
    t = sa - sb
    equal = (qa + qb) + (t * t) / n
    t = sa / na - sb / nb
    other = (qa + qb) + (t * t) * ((na * nb) / n)
    q = numpy.where(na == nb, equal, other)
    s, q = (numpy.where(nb == 0, of_a, both) for of_a, both in ((sa, s), (qa, q)))
    return n, numpy.where(na == 0, sb, s), numpy.where(na == 0, qb, q)


def moments(x, skip_nans):
    """The root (n, s, q) of a sequence without infinities or NaN that count."""
    A = widened(x)
    elements, mask = leaves_of(A), leaves_of(counted(x, skip_nans))
    c = mask.sum(axis=(1, 3))
    s, q, usable = leaf_moments(elements, mask, c)
    if elements.dtype == numpy.float32 and not usable.all():
        again_s, again_q, _ = leaf_moments(elements.astype(numpy.float64), mask, c)
        s, q = numpy.where(usable, s, again_s), numpy.where(usable, q, again_q)
    assert c.shape[1] == LANES
    return over_tree((c.astype(numpy.float64), s, q), merge, 0.0)


def var_and_l2(x, skip_nans, ddof):
    """(var, l2) of a float sequence; std is the square root of var."""
    values = x[counted(x, skip_nans)].astype(numpy.float64)
    nan, infinite = bool(numpy.isnan(values).any()), bool(numpy.isinf(values).any())
    if values.size == 0 or nan:
        return numpy.nan, numpy.nan
    if infinite:
        return numpy.nan, numpy.inf
    n, s, q = moments(x, skip_nans)
    var, squares = q / (n - ddof) if n > ddof else numpy.nan, q + (s * s) / n
    if n > ddof and not numpy.isfinite(var):
        var = numpy.inf
    return var, numpy.sqrt(squares) if numpy.isfinite(squares) else numpy.inf
