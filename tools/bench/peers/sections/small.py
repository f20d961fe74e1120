# SPDX-License-Identifier: Apache-2.0


def measure(report):
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
