# SPDX-License-Identifier: Apache-2.0
"""Random jobs of every operation. A case is (operation, arrays, axis, parameters)."""

import numpy

import inputs
from protocol import METHODS, STATISTICS, TYPES

FLOATS = ["f16", "f32", "f64"]
COUNTS = {
    "reduce": 1500,
    "topk": 800,
    "entropy_map": 300,
    "add": 350,
    "dot": 600,
    "rowscale": 500,
    "quantile": 800,
    "histogram": 1000,
    "entropy": 800,
    "fused": 500,
}


def chance(random, share):
    return bool(random.random() < share)


def mostly(random, usual, odd):
    return int(random.choice(usual if chance(random, 0.97) else odd))


def of_type(random, words=tuple(TYPES) + tuple(FLOATS)):  # floats have more rules
    return numpy.dtype(TYPES[str(random.choice(words))])


def reduce(random):
    some = [str(word) for word in random.choice(STATISTICS, int(random.integers(1, 6)), replace=False)]
    words = [word for word in STATISTICS if word in some] if chance(random, 0.6) else list(STATISTICS)
    p = {"statistics": words, "ddof": int(random.integers(2)), "skip_nans": chance(random, 0.4)}
    return [inputs.array(random, of_type(random), inputs.shape(random))], int(random.integers(2)), p


def topk(random):
    x, axis = inputs.array(random, of_type(random), inputs.shape(random)), int(random.integers(2))
    length = x.size if axis == 0 else x.shape[1]
    k = int(
        random.choice([1, 2, 5, 10, 100, length // 2, length, length - 1, int(random.integers(length + 1))])
    )
    k = min(max(k, 1), max(length, 1)) if chance(random, 0.97) else int(random.choice([0, length + 1]))
    return [x], axis, {"k": k, "largest": chance(random, 0.5), "distinct": chance(random, 0.4)}


def quantile(random):
    some = [0, 1, 0.5, 0.25, 0.75, 1 / 3, 0.1, 0.999, random.random(), random.random()]
    q = [float(v) for v in random.choice(some, int(random.integers(1, 6)))]
    if chance(random, 0.02):
        q.append(float(random.choice([1.0000001, -1e-9, numpy.nan])))
    p = {"q": q, "method": str(random.choice(METHODS)), "skip_nans": chance(random, 0.4)}
    return [inputs.array(random, of_type(random), inputs.shape(random))], int(random.integers(2)), p


def some_range(random, x, narrow):
    """Limits: wide, within the values, empty, of subnormal or very few numbers."""
    kind = random.integers(10)
    with numpy.errstate(all="ignore"):
        values = x[numpy.isfinite(x)].astype(numpy.float64) if x.size else numpy.zeros(0)
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if kind == 0:
        return 0.0, 256.0
    if kind == 1:
        return low, high
    if kind == 2:
        odd = [low, high, -0.0, 0.0, numpy.inf, numpy.nan, 1e300, -1e300]
        return tuple(float(v) for v in random.choice(odd, 2))
    if kind == 3:
        base = float(random.choice([1.0, 0.1, 2.0**53, 1e-310, -4.0, low]))
        return base, base + float(random.integers(0, 3 * narrow)) * float(numpy.spacing(abs(base)))
    if kind == 4:
        return 0.0, float(random.integers(0, 4 * narrow)) * 5e-324
    if kind == 5:
        return low + 0.3, low + 0.3 + float(random.random()) * 100
    a, b = sorted(float(v) for v in random.normal(size=2) * 10.0 ** random.integers(-3, 12))
    return (a, b) if chance(random, 0.9) else (b, a)


def histogram(random):
    x = inputs.array(random, of_type(random), inputs.shape(random))
    bins = mostly(random, [1, 2, 3, 4, 7, 10, 16, 100, 256, 1000], [0, 4096, 4097, 5000, 1048577])
    p = {"bins": bins, "skip_nans": chance(random, 0.5)}
    if chance(random, 0.6):
        p["range"] = some_range(random, x, max(bins, 1))
    return [x], int(random.integers(2)), p


def levels_params(random, x, levels):
    p = {"levels": levels, "base": str(random.choice(["2", "e"]))}
    if chance(random, 0.5):
        p["range"] = some_range(random, x, 50)
    return p


def entropy(random):
    x = inputs.array(random, of_type(random), inputs.shape(random, 0.03))
    levels = mostly(random, [2, 3, 5, 16, 200, 256, 1000, 65536], [0, 1, 65537])
    return [x], int(random.integers(2)), dict(levels_params(random, x, levels), skip_nans=chance(random, 0.5))


def entropy_map(random):
    side = [1, 2, 3, 5, 8, 17, 24, 33]
    of_shape = (int(random.choice(side)), int(random.choice(side))) if chance(random, 0.98) else (0, 5)
    x = inputs.array(random, of_type(random), of_shape)
    window = [int(random.choice([3, 5, 7, 9, 15, 31, 63])), int(random.choice([3, 5, 7, 9, 15, 31, 63]))]
    if chance(random, 0.03):
        window[int(random.integers(2))] = int(random.choice([0, 1, 4, 64, 65]))
    levels = mostly(random, [2, 3, 5, 16, 64, 100, 256], [1, 257])
    p = dict(
        levels_params(random, x, levels),
        window_rows=window[0],
        window_cols=window[1],
        border=str(random.choice(["clip", "mirror"])),
    )
    return [x], int(chance(random, 0.02)), p


def two(random):
    dtype, of_shape = of_type(random), inputs.shape(random)
    return [inputs.array(random, dtype, of_shape), inputs.array(random, dtype, of_shape)]


def add(random):
    arrays = two(random)
    if arrays[0].dtype.kind != "f" and chance(random, 0.7):  # so that most sums fit
        arrays = [x // 2 for x in arrays]
    return arrays, int(chance(random, 0.03)), {}


def dot(random):
    return two(random), int(random.integers(2)), {"skip_nans": chance(random, 0.4)}


def rowscale(random):
    words = FLOATS if chance(random, 0.97) else tuple(TYPES)
    x = inputs.array(random, of_type(random, words), inputs.shape(random))
    return [x], int(random.integers(2)), {"skip_nans": chance(random, 0.4)}


PARTS = {"reduce": reduce, "topk": topk, "quantile": quantile, "histogram": histogram, "entropy": entropy}


def fused(random):
    words = [str(word) for word in random.choice(list(PARTS), int(random.integers(1, 6)), replace=False)]
    (x,), axis, own = PARTS[words[0]](random)
    parts = [(words[0], own)]
    for word in words[1:]:
        p = PARTS[word](random)[2]
        if word == "topk":  # of this array
            p["k"] = min(p["k"], max(x.size if axis == 0 else x.shape[1], 1))
        parts.append((word, p))
    return [x], axis, {"parts": parts}


def all_cases(seed, share=1.0):
    for operation, count in COUNTS.items():
        random = numpy.random.default_rng([seed, sorted(COUNTS).index(operation)])
        for _ in range(int(count * share)):
            yield (operation,) + globals()[operation](random)
