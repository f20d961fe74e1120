#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts and edges against numpy.histogram: equal to the bit for every type whose elements f64 holds.
Elements of f16 and f32 go to numpy as f64, as docs/numerics.md says. Where numpy refuses a range, so does the
program.

Skipped (77) where numpy is not installed and cannot be fetched (tests/peers.py).
usage: numpy_test.py PROGRAM [SEED]
"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import peers  # noqa: E402

peers.go_on_with("numpy")
try:
    import numpy
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

WORDS = {
    "u1": "u8",
    "i1": "i8",
    "u2": "u16",
    "i2": "i16",
    "u4": "u32",
    "i4": "i32",
    "u8": "u64",
    "i8": "i64",
    "f2": "f16",
    "f4": "f32",
    "f8": "f64",
}


def found(program, x, bins, limits):
    """(counts, edges), or None if the program refuses the range."""
    arguments = [program, WORDS[x.dtype.str[1:]], str(x.size), str(bins)] + (
        [repr(float(v)) for v in limits] if limits else []
    )
    done = subprocess.run(arguments, input=x.tobytes(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 65 and done.stderr.startswith(b"range: "):
        return None
    done.check_returncode()
    return numpy.frombuffer(done.stdout, numpy.uint64, bins), numpy.frombuffer(
        done.stdout, numpy.float64, bins + 1, 8 * bins
    )


def wanted(x, bins, limits):
    x = x.astype(numpy.float64)
    try:
        edges = numpy.histogram_bin_edges(x, bins, limits)
        if not (edges[:-1] < edges[1:]).all():  # numpy 2 refuses them: "Too many bins for data range"
            return None
        # numpy cannot count where bins / (hi - lo) overflows, unless it gets the edges
        return (
            numpy.histogram(x, edges) if edges[-1] - edges[0] < 1e-300 else numpy.histogram(x, bins, limits)
        )
    except ValueError:
        return None


def elements(random, dtype):
    n = int(random.choice([0, 1, 2, 17, 64, 1000, 1024, 5000]))
    if numpy.dtype(dtype).kind == "f":
        x = random.choice(
            [
                random.normal(size=n),
                random.random(n),
                numpy.round(random.normal(size=n) * 8) / 8,
                random.random(n) * 10.0 ** random.integers(-6, 5),
            ],
            axis=0,
        )
        x = x.astype(dtype)
        if n and random.random() < 0.1:
            x[int(random.integers(n))] = random.choice([numpy.nan, numpy.inf])
        return x
    information = numpy.iinfo(dtype)
    low, high = max(information.min, -(2**52)), min(information.max, 2**52)  # what f64 holds
    if random.random() < 0.5:
        low, high = max(low, -100), min(high, 100)
    return random.integers(low, high, n, dtype=dtype, endpoint=True)


def limits_of(random, x):
    kind = int(random.integers(6))
    if kind < 2:
        return None
    if kind == 5:  # steps of a few of the smallest f64, rounded to whole ones
        return (0.0, float(random.integers(1, 3000)) * 5e-324)
    if kind == 2:
        return (0, 256)
    low, high = sorted(random.normal(size=2) * 10.0 ** random.integers(-3, 10))
    return (float(low), float(low)) if kind == 3 and random.random() < 0.3 else (float(low), float(high))


def main(program, seed):
    print("seed %d" % seed)
    random = numpy.random.default_rng(seed)
    failed = refused = 0
    for turn in range(440):
        dtype = sorted(WORDS)[turn % len(WORDS)]
        x = elements(random, dtype)
        bins = int(random.choice([1, 2, 3, 10, 100, 256, 1000]))
        limits = limits_of(random, x)
        a, b = found(program, x, bins, limits), wanted(x, bins, limits)
        refused += b is None
        if (a is None) != (b is None) or (
            a is not None and not (numpy.array_equal(a[0], b[0]) and numpy.array_equal(a[1], b[1]))
        ):
            failed += 1
            print("FAIL turn %d: %s, %d elements, %d bins, range %r" % (turn, dtype, x.size, bins, limits))
    print(
        "%d of 440 differ from numpy; both refused %d"
        % (failed, refused - failed if refused > failed else refused)
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
