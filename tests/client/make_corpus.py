#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the client's fuzzer, tests/data/corpus/client: what an honest daemon answers to the
calls of fuzz_client.cpp, from the worked examples of docs/protocol.md, and the same with errors. How it is
called: tests/seeds.py."""

import importlib.util
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import seeds  # noqa: E402

RECORDS, RAW = b"\0", b"\1"
BUSY, OVER_QUOTA, SHUTTING_DOWN = 9, 8, 13
EVENT = 0xF0


def bodies():
    """Title -> body of every worked example."""
    spec = importlib.util.spec_from_file_location(
        "wire_corpus", os.path.join(seeds.ROOT, "tests", "wire", "make_corpus.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(title, header, body) for title, header, body in module.examples()]


def record(asked, body=b"", status=0, descriptor=0, cut=0):
    return struct.pack("<BBBBH", asked, status, descriptor, cut, len(body)) + body


def files():
    examples = bodies()

    def body(words):
        return next(body for title, _, body in examples if title.startswith(words))

    hello, buffer, info = body("HELLO reply"), body("BUFFER_CREATE reply"), body("INFO reply")
    health, kernels, error = body("HEALTH reply"), body("KERNELS reply"), body("EVENT")
    reduce_reply = body("JOB reply: reduce")
    greeting = record(0, hello)
    jobs = record(1, reduce_reply) + record(0, reduce_reply)
    buffers = record(0, buffer, descriptor=1) + record(0, buffer, descriptor=1)
    reports = record(0) + record(0, info) + record(0, health) + record(0, kernels)
    honest = greeting + jobs + buffers + jobs + record(0) + reports
    raw = b"".join(
        header + body
        for title, header, body in examples
        if title.startswith(("HELLO reply", "JOB reply: reduce", "EVENT"))
    )
    return {
        "honest": RECORDS + honest,
        "busy": RECORDS + greeting + record(0, error, status=BUSY) + jobs,
        "refused": RECORDS + greeting + jobs + record(0, error, status=OVER_QUOTA),
        "stopping": RECORDS + greeting + record(EVENT, error, status=SHUTTING_DOWN) + jobs,
        "wrong-descriptor": RECORDS + greeting + jobs + record(0, buffer, descriptor=2),
        "no-descriptor": RECORDS + greeting + jobs + record(0, buffer, descriptor=3),
        "surplus-descriptor": RECORDS + greeting + jobs + record(0, buffer, descriptor=4),
        "cut": RECORDS + greeting + record(1, reduce_reply, cut=1) + jobs,
        "raw": RAW + raw,
    }


if __name__ == "__main__":
    seeds.main({"client/" + name: seed for name, seed in files().items()})
