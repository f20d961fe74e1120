#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every result of a private tegud against docs/numerics.md and docs/operations/, to the bit.

The other side, numerics*.py and protocol.py, was written from the documents alone. So this tests the
documents as much as the program: where the two disagree, one of them is wrong.

On the CPU; with $TEGU_TEST_CUDA set on the GPU of this machine. Skipped (77) where there is none, or numpy is
not installed and cannot be fetched (tests/peers.py).
usage: numerics_test.py [SEED [SHARE]]   of the random cases: their seed, and how many (1: those of cases.py)
"""

import itertools
import os
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "daemon")]
import peers  # noqa: E402

peers.go_on_with("numpy")
try:
    import numpy

    if not hasattr(os, "memfd_create"):
        raise ImportError("Python before 3.8")
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

import borders  # noqa: E402
import cases  # noqa: E402
import rawclient  # noqa: E402
from jobs import Runner  # noqa: E402
from numerics import Error  # noqa: E402
from numerics_elementwise import add, dot, rowscale  # noqa: E402
from numerics_entropy_map import entropy_map  # noqa: E402
from numerics_histogram import histogram  # noqa: E402
from numerics_levels import entropy  # noqa: E402
from numerics_reduce import reduce  # noqa: E402
from numerics_select import quantile, topk  # noqa: E402
from protocol import Refused  # noqa: E402

AUTO, GPU = 0, 2  # backends
ON_CUDA = "TEGU_TEST_CUDA" in os.environ
ALONE = {
    "reduce": reduce,
    "topk": topk,
    "quantile": quantile,
    "histogram": histogram,
    "entropy": entropy,
    "add": add,
    "dot": dot,
    "rowscale": rowscale,
    "entropy_map": entropy_map,
}


def wanted(operation, arrays, axis, p):
    """The arrays, or the list of errors of which one must come."""
    if operation != "fused":
        try:
            return ALONE[operation](*arrays, axis, p), []
        except Error as error:
            return {}, [error]
    result, errors = {}, []
    for word, part in p["parts"]:
        of_part, failed = wanted(word, arrays, axis, part)
        result.update(of_part)
        errors += [Error(error.status, error.field, word + ": ", *error.words) for error in failed]
    return ({}, errors) if errors else (result, [])


def found(runner, operation, arrays, axis, p):
    try:
        return runner.run(operation, arrays, axis, p), None
    except Refused as refused:
        return {}, refused


def difference(a, b):
    """What is wrong with the arrays `a`, where `b` is wanted; None if nothing."""
    if set(a) != set(b):
        return "arrays %s, wanted %s" % (sorted(a), sorted(b))
    for role in b:
        if a[role].shape != b[role].shape or a[role].dtype != b[role].dtype:
            return "%s is %s %s, wanted %s %s" % (
                role,
                a[role].dtype,
                a[role].shape,
                b[role].dtype,
                b[role].shape,
            )
        width = a[role].dtype.itemsize
        bits = [numpy.ascontiguousarray(each[role]).view("<u%d" % width).reshape(-1) for each in (a, b)]
        places = numpy.flatnonzero(bits[0] != bits[1])
        if places.size:
            at = places[0]
            return "%s[%d] is %r (%#x), wanted %r (%#x); %d differ" % (
                role,
                at,
                a[role].reshape(-1)[at],
                bits[0][at],
                b[role].reshape(-1)[at],
                bits[1][at],
                places.size,
            )
    return None


def is_one_of(refused, errors):
    return any(
        (refused.status, refused.field) == (error.status, error.field)
        and all(word in refused.message for word in error.words)
        for error in errors
    )


def check(runner, operation, arrays, axis, p):
    """(what is wrong or None, whether it was refused)"""
    right, errors = wanted(operation, arrays, axis, p)
    got, refused = found(runner, operation, arrays, axis, p)
    if errors:
        if refused is None:
            return "computed, wanted %s" % errors, True
        return (None if is_one_of(refused, errors) else "%s; wanted %s" % (refused, errors)), True
    return ("refused: %s" % refused if refused is not None else difference(got, right)), False


def main(seed, share):
    warnings.simplefilter("ignore")
    print("seed %d" % seed)
    visible = {"CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0")}
    daemon = rawclient.Daemon(environment=visible if ON_CUDA else {})
    runner = Runner(daemon.path, numpy.random.default_rng(seed), GPU if ON_CUDA else AUTO)
    if ON_CUDA and runner.client.info()["backend"] != "gpu":
        print("skipped: no GPU: %s" % runner.client.info().get("backend_reason"))
        daemon.stop()
        return 77
    total, refusals, failures = 0, 0, 0
    for operation, arrays, axis, p in itertools.chain(borders.all_borders(), cases.all_cases(seed, share)):
        wrong, refused = check(runner, operation, arrays, axis, p)
        total, refusals = total + 1, refusals + refused
        if wrong is not None:
            failures += 1
            if failures <= 20:
                x = arrays[0]
                print("FAIL %s %s %s, axis %d, %s" % (operation, x.dtype, x.shape, axis, p))
                print("     %s: %s" % (runner.how, wrong))
    runner.close()
    ended = daemon.stop()
    print("%d of %d jobs are not as the documents say; %d had to be refused" % (failures, total, refusals))
    return 1 if failures or ended != 0 else 0


if __name__ == "__main__":
    arguments = sys.argv[1:] + ["1", "1"][len(sys.argv) - 1 :]
    sys.exit(main(int(arguments[0]), float(arguments[1])))
