# SPDX-License-Identifier: Apache-2.0
"""What docs/numerics.md says of each operation, for one sequence of elements: a dimension of numpy in,
numbers out. Written for plainness; exact where the operation is exact, else with the bound of the document.
Refused is what a job is answered that has no result."""

import bisect
import fractions
import math

import numpy

U32, U64 = 2.0**-24, 2.0**-53
NUMPY = tuple(int(number) for number in numpy.__version__.split(".")[:2])
EXACT_MOST = 400  # elements whose squares are worth summing as fractions


class Refused(Exception):
    """status: what the error says."""

    def __init__(self, status):
        Exception.__init__(self, status)
        self.status = status


class Near(object):
    """Equal to any number that is not farther from `exact` than `bound`."""

    def __init__(self, exact, bound):
        self.exact, self.bound = exact, bound

    def accepts(self, found):
        return (
            abs(fractions.Fraction(float(found)) - self.exact) <= self.bound
            if math.isfinite(found)
            else False
        )

    def __repr__(self):
        return "%r +- %r" % (float(self.exact), float(self.bound))


def is_float(x):
    return x.dtype.kind == "f"


def counted(x, skip_nans):
    return x[~numpy.isnan(x)] if skip_nans and is_float(x) else x


def fits(value, signed):
    if not (-(1 << 63) <= value < 1 << 63 if signed else 0 <= value < 1 << 64):
        raise Refused("OVERFLOW")
    return value


def tree_height(n):
    return max(math.ceil(n / 16384) - 1, 0).bit_length()


def near_sum(values, magnitudes, n, narrow, products=False):
    """The canonical sum of finite values, which fsum rounds once. narrow: leaves in f32."""
    exact, total = math.fsum(values), fractions.Fraction(math.fsum(magnitudes))
    h, extra = tree_height(n), 1.01 if products else 0
    unit = (9.01 + extra) * U32 + (11 + h) * U64 if narrow else (21 + extra + h) * U64
    underflow = n * (2.0**-150 if narrow else 2.0**-1074) if products else 0
    return Near(
        fractions.Fraction(exact),
        fractions.Fraction(unit) * total + fractions.Fraction(underflow) + fractions.Fraction(2.0**-1074),
    )


def float_sum(x, other=None):
    """Of x, or of the products with `other`. None: where it overflows on the way depends on the order."""
    with numpy.errstate(all="ignore"):
        wide = x.astype("f8") if other is None else x.astype("f8") * other.astype("f8")
        finite = numpy.isfinite(wide)
        magnitude = float(numpy.abs(wide[finite]).sum())
    if not finite.all():
        found = set(str(value) for value in wide[~finite])
        if "nan" in found or len(found) == 2:
            return (
                math.nan
                if other is None
                else None
                if not (numpy.isnan(x) | numpy.isnan(other)).any()
                else math.nan
            )
        return None if not math.isfinite(magnitude) or other is not None else float(found.pop())
    if not math.isfinite(magnitude):
        return None
    narrow = x.dtype.itemsize < 8
    if other is None or narrow:
        return near_sum(wide, numpy.abs(wide), len(wide), narrow, other is not None)
    pairs = [fractions.Fraction(a) * fractions.Fraction(b) for a, b in zip(x.tolist(), other.tolist())]
    return Near(sum(pairs), near_sum([0.0], numpy.abs(wide), len(wide), False, True).bound)


def reduce(x, stats, ddof, skip_nans):
    """name -> value; None: nothing that is worth checking here."""
    v = counted(x, skip_nans)
    if len(x) == 0 and set(stats) - {"count", "sum", "nonzero", "nans"}:
        raise Refused("EMPTY_INPUT")
    return {name: _statistic(name, x, v, ddof, skip_nans) for name in stats}


def _statistic(name, x, v, ddof, skip_nans):
    if name == "nans":
        return int(numpy.isnan(x).sum()) if is_float(x) else 0
    if name in ("count", "nonzero"):
        return len(v) if name == "count" else int(numpy.count_nonzero(v))
    if name in ("argmin", "argmax"):
        if len(v) == 0:
            return -1
        order = ranks(x)
        kept = (
            order
            if not (skip_nans and is_float(x))
            else numpy.where(numpy.isnan(x), order.max() if name == "argmin" else 0, order)
        )
        if is_float(x) and not skip_nans and numpy.isnan(x).any():
            return int(numpy.isnan(x).argmax())
        return int(kept.argmin() if name == "argmin" else kept.argmax())
    if len(v) == 0 and name != "sum":
        return (math.nan, math.nan) if name == "minmax" else math.nan
    if name in ("min", "max", "minmax", "absmax"):
        if name == "absmax":
            return numpy.abs(v).max() if is_float(v) else max(abs(int(v.min())), abs(int(v.max())))
        with numpy.errstate(all="ignore"):
            low, high = v.min() + v.dtype.type(0), v.max() + v.dtype.type(0)  # a zero is +0
        return {"min": low, "max": high, "minmax": (low, high)}[name]
    return _float_moment(name, v, ddof) if is_float(v) else _integer_moment(name, v, ddof)


def _integer_moment(name, v, ddof):
    numbers, n = v.tolist(), len(v)
    signed = v.dtype.kind == "i"
    if name in ("sum", "l1"):
        return (
            fits(sum(numbers), signed)
            if name == "sum"
            else fits(sum(abs(number) for number in numbers), False)
        )
    total, squares = sum(numbers), sum(number * number for number in numbers)
    if name == "mean":
        return float(fractions.Fraction(total, n))
    if name == "l2":
        return Near(fractions.Fraction(math.sqrt(squares)), fractions.Fraction(4 * U64 * math.sqrt(squares)))
    if n <= ddof:
        return math.nan
    var = float(fractions.Fraction(n * squares - total * total, n * (n - ddof)))
    return var if name == "var" else math.sqrt(var)


def _float_moment(name, v, ddof):
    if name in ("sum", "l1"):
        return float_sum(v if name == "sum" else numpy.abs(v))
    n = len(v)
    with numpy.errstate(all="ignore"):
        wide = v.astype("f8")
    if name == "mean":
        near = float_sum(v)
        if not isinstance(near, Near):
            return near if near is None or not math.isfinite(near) else near / n
        return Near(
            near.exact / n,
            near.bound / n
            + abs(near.exact) / n * fractions.Fraction(2 * U64)
            + fractions.Fraction(2.0**-1074),
        )
    if not numpy.isfinite(wide).all():
        return math.inf if name == "l2" and not numpy.isnan(wide).any() else math.nan
    if name != "l2" and n <= ddof:
        return math.nan
    if n > EXACT_MOST or numpy.abs(wide).max() > 1e150 or 0 < numpy.abs(wide).max() < 1e-150:
        return None
    exact = [fractions.Fraction(number) for number in wide.tolist()]
    q2 = sum(number * number for number in exact)
    narrow = v.dtype.itemsize < 8
    if name == "l2":
        return _root(q2, fractions.Fraction(27 * U32 if narrow else (34 + 4 * 10**1.5) * U64), 0)
    mean = sum(exact) / n
    m2 = sum((number - mean) ** 2 for number in exact)
    unit, e = (U32, 2.0**-60) if narrow else (U64, 16 * 1000 * U64**2)
    bound = (
        40 * unit * float(m2)
        + 4 * 10**1.5 * U64 * math.sqrt(float(m2)) * math.sqrt(float(q2))
        + e * float(q2)
        + n * 2.0**-1060
    )
    var, spread = m2 / (n - ddof), fractions.Fraction(bound * 1.01) / (n - ddof)
    spread += 2 * fractions.Fraction(U64) * var
    return Near(var, spread) if name == "var" else _root(var, fractions.Fraction(2 * U64), spread)


def _root(square, relative, spread):
    root = fractions.Fraction(math.sqrt(float(square)))
    return Near(
        root,
        root * (relative + fractions.Fraction(4 * U64)) + fractions.Fraction(math.sqrt(float(spread) * 1.01)),
    )


def ranks(x):
    """Unsigned numbers in the order of docs/numerics.md: NaN above +inf, -0 equal to +0."""
    unsigned = numpy.dtype("u%d" % x.dtype.itemsize)
    top = unsigned.type(1 << (8 * x.dtype.itemsize - 1))
    if x.dtype.kind == "u":
        return x
    if x.dtype.kind == "i":
        return x.view(unsigned) ^ top
    canonical = numpy.where(
        numpy.isnan(x), numpy.array(numpy.nan, x.dtype), numpy.where(x == 0, numpy.array(0, x.dtype), x)
    ).astype(x.dtype)
    bits = canonical.view(unsigned)
    return numpy.where(bits & top, ~bits, bits | top).astype(unsigned)


def topk(x, k, largest, distinct):
    """(values, indices), as many as there are."""
    if len(x) == 0:
        raise Refused("EMPTY_INPUT")
    rank = ranks(x)
    order = numpy.argsort(~rank if largest else rank, kind="stable")
    if distinct:
        order = order[numpy.concatenate(([True], numpy.diff(rank[order]) != 0))]
    order = order[:k]
    return x[order], order


def add(x, y):
    if is_float(x):
        with numpy.errstate(all="ignore"):
            return x + y
    exact = numpy.asarray(x.astype(object) + y.astype(object), object)
    limits = numpy.iinfo(x.dtype)
    if any(value < limits.min or value > limits.max for value in exact.ravel()):
        raise Refused("OVERFLOW")
    return exact.astype(x.dtype)


def dot(x, y, skip_nans):
    if not is_float(x):
        return fits(sum(a * b for a, b in zip(x.tolist(), y.tolist())), x.dtype.kind == "i")
    if skip_nans:
        kept = ~(numpy.isnan(x) | numpy.isnan(y))
        x, y = x[kept], y[kept]
    with numpy.errstate(all="ignore"):
        return float_sum(x, y)


def rowscale(x, skip_nans):
    """(values, scale)"""
    v = counted(x, skip_nans)
    scale = numpy.abs(v).max() if len(v) else x.dtype.type(0)
    with numpy.errstate(all="ignore"):
        if scale == 0:
            return x, scale
        wide = "f4" if x.dtype.itemsize == 2 else x.dtype
        return (x.astype(wide) / scale.astype(wide)).astype(x.dtype), scale


def quantile(x, q, method, skip_nans):
    v = counted(x, skip_nans)
    if len(x) == 0:
        raise Refused("EMPTY_INPUT")
    exact = method in ("lower", "higher", "nearest")
    if len(v) == 0 or is_float(v) and numpy.isnan(v).any():
        return [math.nan] * len(q)
    if is_float(v) and not exact and not numpy.isfinite(v).all():
        return None
    ordered = numpy.sort(v) if exact else numpy.sort(v).astype("f8")
    stated = numpy.array([_quantile_of_sorted(ordered, number, method) for number in q])
    if NUMPY >= (1, 22):  # older ones have no `method`, and interpolate with other roundings
        with numpy.errstate(all="ignore"):
            numpy.testing.assert_array_equal(stated, numpy.quantile(ordered, q, method=method))
    return stated


def _quantile_of_sorted(v, q, method):
    p = (len(v) - 1) * q
    if method in ("lower", "higher", "nearest"):
        return v[{"lower": math.floor, "higher": math.ceil, "nearest": round}[method](p)]
    m = p if method == "linear" else 0.5 * (math.floor(p) + math.ceil(p))
    j = math.floor(m)
    a, b, t = float(v[j]), float(v[min(j + 1, len(v) - 1)]), m - j
    return a + (b - a) * t if t < 0.5 else b - (b - a) * (1 - t)


def outwards(number, up):
    """The nearest f64 that is not below (up) or above an integer."""
    nearest = float(number)
    if int(nearest) < number if up else int(nearest) > number:
        nearest = float(numpy.nextafter(nearest, math.inf if up else -math.inf))
    return nearest


def histogram(x, bins, edges, skip_nans):
    """(counts, edges)"""
    v = counted(x, skip_nans or edges is not None)
    if edges is not None:
        lo, hi = edges
    elif len(v) == 0:
        lo, hi = 0.0, 1.0
    elif is_float(v):
        lo, hi = float(v.min()), float(v.max())
    else:
        lo, hi = outwards(int(v.min()), False), outwards(int(v.max()), True)
    if lo == hi:
        lo, hi = lo - 0.5, hi + 0.5
    if not math.isfinite(hi - lo):
        raise Refused("BAD_RANGE")
    grid = numpy.linspace(lo, hi, bins + 1)
    if not (numpy.diff(grid) > 0).all():
        raise Refused("BAD_RANGE")
    counts, steps = [0] * bins, grid.tolist()
    for value in (v.astype("f8") if is_float(v) else v).tolist():
        if lo <= value <= hi:
            counts[min(bisect.bisect_right(steps, value) - 1, bins - 1)] += 1
    return numpy.array(counts, "u8"), grid


def levels_of(x, levels, edges):
    """The level of each element, as docs/numerics.md quantises; edges (lo, hi) or None. None: the range
    cannot be used."""
    if edges is None and not is_float(x):
        lowest, bits = int(numpy.iinfo(x.dtype).min), 8 * x.dtype.itemsize
        return [(int(value) - lowest) * levels >> bits for value in x.tolist()]
    if edges is None:
        finite = x[numpy.isfinite(x)]
        if len(finite) == 0 or finite.min() == finite.max():
            return [0] * len(x)
        edges = float(finite.min()), float(finite.max())
    with numpy.errstate(all="ignore"):
        narrow = x.dtype.itemsize <= 2 or x.dtype == "f4"
        lo, hi = (float(numpy.float32(edge)) if narrow else edge for edge in edges)
        inverse = numpy.float32(levels / (hi - lo)) if lo < hi else numpy.float32(numpy.inf)
        if not (
            math.isfinite(lo)
            and math.isfinite(hi)
            and numpy.isfinite(numpy.float32(hi - lo))
            and numpy.isfinite(inverse)
        ):
            return None
        if narrow or x.dtype == "f8":
            above = x.astype("f4") - numpy.float32(lo) if narrow else (x - lo).astype("f4")
        else:
            limits = numpy.iinfo(x.dtype)
            base = min(max(math.floor(lo), int(limits.min)), int(limits.max))
            above = numpy.array([max(value - base, 0) for value in x.tolist()], "u8").astype(
                "f4"
            ) - numpy.float32(lo - base)
        q = above * inverse
        return (
            numpy.where(q < 0, 0, numpy.where(q >= levels, levels - 1, numpy.nan_to_num(q)))
            .astype("i8")
            .tolist()
        )


def entropy(x, levels, edges, base, skip_nans):
    if edges is not None and levels_of(x[:0], levels, edges) is None:
        raise Refused("BAD_RANGE")
    if len(x) == 0:
        raise Refused("EMPTY_INPUT")
    v = counted(x, skip_nans)
    found = levels_of(v, levels, edges)
    if found is None:
        raise Refused("BAD_RANGE")
    if len(v) == 0 or is_float(v) and numpy.isnan(v).any():
        return math.nan
    shares = [float(count) / len(v) for count in numpy.unique(found, return_counts=True)[1]]
    if len(shares) == 1:
        return 0.0
    exact = -math.fsum(share * math.log2(share) for share in shares) * (math.log(2) if base == "e" else 1.0)
    return Near(fractions.Fraction(exact), fractions.Fraction(1e-13 * max(exact, 1e-3)))
