# SPDX-License-Identifier: Apache-2.0
import numpy
import numpy_values
from numpy_values import LARGE


def measure_half(report, word, n):
    x, k = numpy_values.values_of(word, n), n // 2
    case = "topk/%s/n=%d/k=%d/uniform" % (word, n, k)
    group = report.group(
        [case], {"partition + sort": lambda: numpy.sort(numpy.partition(x, n - k)[n - k :])[::-1]}
    )
    group.faster_than("n = %d %s" % (n, word), case, "partition + sort", 1.5)


def measure(report):
    report.versions["numpy"] = numpy.__version__
    report.section("topk of 1e7 i32: values and indices, sorted, stable; the peer gives values alone")
    x = numpy_values.values_of("i32", LARGE)
    ks = (10, 1000, 65536, LARGE // 2)
    case = "topk/i32/n=%d/k=%%d/%%s" % LARGE
    for k, times in zip(ks, (5, 5, 3, 1.5)):
        peers = {"partition + sort": lambda k=k: numpy.sort(numpy.partition(x, LARGE - k)[LARGE - k :])[::-1]}
        if k == ks[-1]:
            peers["argpartition"] = lambda k=k: numpy.argpartition(x, LARGE - k)
        group = report.group([case % (k, "uniform")], peers)
        group.faster_than("k = %d" % k, case % (k, "uniform"), "partition + sort", times)
    group.faster_than(
        "k = %d, unsorted indices of the peer" % ks[-1], case % (ks[-1], "uniform"), "argpartition"
    )

    report.section("topk of half of the elements, uniform: the peer gives values alone")
    for word, n in (("i32", 10**6), ("f32", 10**6), ("f32", LARGE)):
        measure_half(report, word, n)

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
