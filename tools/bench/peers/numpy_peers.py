# SPDX-License-Identifier: Apache-2.0
"""numpy as the peer: statistics, order statistics, arrays and counts."""

import numpy

LARGE, HUGE = 10**7, 10**8
SHORT = {
    "f32": numpy.float32,
    "i32": numpy.int32,
    "u8": numpy.uint8,
    "i8": numpy.int8,
    "u16": numpy.uint16,
    "i16": numpy.int16,
}


def values_of(word, n, seed=1):
    """Uniform: integers over their range, floats in [0, 1)."""
    random = numpy.random.default_rng(seed)
    kind = SHORT[word]
    if kind == numpy.float32:
        return random.random(n, dtype=numpy.float32)
    limits = numpy.iinfo(kind)
    return random.integers(limits.min, limits.max, n, dtype=kind, endpoint=True)


def power_text(n):
    return {LARGE: "1e7", HUGE: "1e8"}[n]


def small(report):
    report.section("Small inputs, in-process, one thread")
    names = [
        "reduce/%s/n=%d/stats=%s" % (kind, n, stats)
        for kind in ("f32", "i32")
        for n in (64, 256, 1024, 4096)
        for stats in ("sum", "all")
    ]
    group = report.group(names, threads=1, seconds=0.06)
    for name in names:
        _, kind, n, stats = name.split("/")
        group.below(
            "reduce, %s of %s %s" % (stats.replace("stats=", ""), n.replace("n=", ""), kind), name, 1e-6
        )


def reduce(report):
    report.versions["numpy"] = numpy.__version__
    report.section("reduce: one statistic and all at once")
    for kind in ("f32", "i32"):
        for n in (LARGE, HUGE):
            x = values_of(kind, n)
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


def narrow(report):
    report.section("argmin and argmax of 8- and 16-bit types")
    for kind, n in (
        ("u8", LARGE),
        ("i8", LARGE),
        ("u16", LARGE),
        ("i16", LARGE),
        ("u8", HUGE),
        ("u16", HUGE),
    ):
        x = values_of(kind, n)
        case = "reduce/%s/n=%d/stats=" % (kind, n)
        group = report.group(
            [case + "argmin", case + "argmax"], {"numpy.argmin": x.argmin, "numpy.argmax": x.argmax}, 3
        )
        for stats in ("argmin", "argmax"):
            what = "%s of %s %s" % (stats, power_text(n), kind)
            group.of_floor(what, case + stats, 0.85)
            group.faster_than(what, case + stats, "numpy." + stats, 1)


def topk(report):
    report.versions["numpy"] = numpy.__version__
    report.section("topk of 1e7 i32: values and indices, sorted, stable; the peer gives values alone")
    x = values_of("i32", LARGE)
    ks = (10, 1000, 65536, LARGE // 2)
    case = "topk/i32/n=%d/k=%%d/%%s" % LARGE
    for k, times in zip(ks, (5, 5, 3, 1)):
        peers = {"partition + sort": lambda k=k: numpy.sort(numpy.partition(x, LARGE - k)[LARGE - k :])[::-1]}
        if k == ks[-1]:
            peers["argpartition"] = lambda k=k: numpy.argpartition(x, LARGE - k)
        group = report.group([case % (k, "uniform")], peers)
        group.faster_than("k = %d" % k, case % (k, "uniform"), "partition + sort", times)
    group.faster_than(
        "k = %d, unsorted indices of the peer" % ks[-1], case % (ks[-1], "uniform"), "argpartition"
    )

    report.section("topk of 1e7 i32: other values than uniform, and distinct")
    others = ("ascending", "descending", "equal", "few16")
    for k in ks:
        plain = [case % (k, values) for values in ("uniform",) + others]
        group = report.group(plain + [name + "/distinct" for name in plain], rounds=3)
        group.within(
            "k = %d, the slowest of %s" % (k, ", ".join(others)),
            plain[1:],
            [plain[0]] * len(others),
            2,
            ["%s, against uniform" % values for values in others],
        )
        group.within(
            "k = %d distinct, the slowest of all five" % k,
            [name + "/distinct" for name in plain],
            plain,
            1.5,
            ["%s, against plain" % values for values in ("uniform",) + others],
        )


def quantile(report):
    report.versions["numpy"] = numpy.__version__
    report.section("quantile of 1e7 f32")
    x = values_of("f32", LARGE)
    nine = numpy.arange(1, 10) / 10
    case = "quantile/f32/n=%d/q=" % LARGE
    group = report.group(
        [case + "0.5/uniform", case + "0.1..0.9/uniform"],
        {"numpy.median": lambda: numpy.median(x), "numpy.quantile": lambda: numpy.quantile(x, nine)},
        3,
    )
    group.faster_than("median", case + "0.5/uniform", "numpy.median", 15)
    group.faster_than("nine quantiles", case + "0.1..0.9/uniform", "numpy.quantile")


def arrays(report):
    report.versions["numpy"] = numpy.__version__
    report.section("rowscale, add and dot")
    x, y = values_of("f32", LARGE), values_of("f32", LARGE, 2)
    z = numpy.empty_like(x)
    rows = values_of("f32", 55296 * 128, 3).reshape(55296, 128) - numpy.float32(0.5)
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


def counts(report):
    report.versions["numpy"] = numpy.__version__
    report.section("histogram, entropy and fused")
    x = values_of("u8", HUGE)
    case = "histogram/u8/n=%d/bins=256/range/uniform" % HUGE
    entropy, fused = (
        "entropy/u8/n=%d/levels=256" % HUGE,
        "fused/u8/n=%d/mean,minmax,std+histogram+entropy" % HUGE,
    )
    group = report.group(
        [case, entropy, fused], {"numpy.bincount": lambda: numpy.bincount(x, minlength=256)}, 3
    )
    group.share_of("histogram of 1e8 u8, 256 levels", case, "numpy.bincount", 0.06)
    group.of_floor("histogram of 1e8 u8, 256 levels", case)
    group.of_floor("entropy of 1e8 u8, 256 levels", entropy)
    group.of_floor("mean, minmax, std, histogram and entropy of 1e8 u8 in one job", fused)
    x = None  # give the memory back
    y = values_of("f32", LARGE)
    case = "histogram/f32/n=%d/bins=256/range/uniform" % LARGE
    group = report.group([case], {"numpy.histogram": lambda: numpy.histogram(y, 256, (0, 1))}, 3)
    group.faster_than("histogram of 1e7 f32, 256 bins of a range", case, "numpy.histogram")
