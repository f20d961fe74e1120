#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's sum, topk, histc, quantile by sort, add and row maxima on the first GPU, at the sizes of
tegu-bench gpu: by CUDA events, with inputs that rotate through more memory than the L2 cache holds.
Tab-separated by default: case, elements, us, noise, GB/s.
   usage: gpu_peers.py [--json] [--filter PART] [--repetitions N]
Exit code 77: no PyTorch, or no GPU for it."""

import argparse
import json
import statistics
import sys

SKIPPED = 77
LIMIT_BYTES = 6 << 30  # of all inputs of a case


def cases(torch):
    """(name, elements, bytes of an input, make(), run(x), bytes read and written)"""
    found = []

    def add(name, n, make, run, moved):
        found.append({"name": name, "elements": n, "make": make, "run": run, "moved": moved})

    for n in (10**4, 10**5, 10**6, 10**7, 10**8, 2**29):
        add("sum f32", n, lambda n=n: torch.rand(n, device="cuda"), lambda x: torch.sum(x), 4 * n)
    for n in (10**6, 10**7, 10**8):
        for k in (10, 100, 4096):
            add(
                "topk f32 k=%d" % k,
                n,
                lambda n=n: torch.rand(n, device="cuda"),
                lambda x, k=k: torch.topk(x, k),
                4 * n,
            )
    for rows, cols, k in ((4096, 4096, 64), (100000, 1000, 10)):
        add(
            "topk f32 rows %dx%d k=%d" % (rows, cols, k),
            rows * cols,
            lambda r=rows, c=cols: torch.rand(r, c, device="cuda"),
            lambda x, k=k: torch.topk(x, k, dim=1),
            4 * rows * cols,
        )
    for n in (10**6, 10**7, 10**8):
        add(
            "histc f32 256",
            n,
            lambda n=n: torch.rand(n, device="cuda"),
            lambda x: torch.histc(x, 256, 0, 1),
            4 * n,
        )
    add("sort f32", 10**7, lambda: torch.rand(10**7, device="cuda"), torch.sort, 8 * 10**7)
    add(
        "add f32",
        4096 * 4096,
        lambda: [torch.rand(4096, 4096, device="cuda") for _ in range(3)],
        lambda arrays: torch.add(arrays[0], arrays[1], out=arrays[2]),
        12 * 4096 * 4096,
    )
    add(
        "rowscale f32",
        442368 * 128,
        lambda: torch.rand(442368, 128, device="cuda"),
        lambda x: x / x.abs().amax(1, keepdim=True),
        8 * 442368 * 128,
    )
    return found


def measure(torch, case, repetitions):
    """(median in us, noise)"""
    l2_bytes = (
        torch.cuda.get_device_properties(0).L2_cache_size
        if hasattr(torch.cuda.get_device_properties(0), "L2_cache_size")
        else 50 << 20
    )
    size = 4 * case["elements"]
    count = max(1, min(4 * l2_bytes // size + 1, LIMIT_BYTES // size, 64))
    inputs = [case["make"]() for _ in range(max(2, count))]
    for turn in range(3):
        case["run"](inputs[turn % len(inputs)])
    torch.cuda.synchronize()
    times = []
    for turn in range(repetitions):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        case["run"](inputs[turn % len(inputs)])
        end.record()
        end.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    middle = statistics.median(times)
    return middle, statistics.median(abs(each - middle) for each in times) / middle


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="a list of objects, with the versions")
    parser.add_argument("--filter", default="", help="cases whose name has this part")
    parser.add_argument("--repetitions", type=int, default=30)
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch is not installed", file=sys.stderr)
        return SKIPPED
    if not torch.cuda.is_available():
        print("skipped: PyTorch finds no GPU", file=sys.stderr)
        return SKIPPED
    rows = []
    if not options.json:
        print(
            "# PyTorch %s on %s\n%-30s\telements\tus\tnoise\tGB/s"
            % (torch.__version__, torch.cuda.get_device_name(0), "case")
        )
    for case in cases(torch):
        if options.filter not in case["name"]:
            continue
        us, noise = measure(torch, case, options.repetitions)
        rows.append(
            {
                "name": case["name"],
                "elements": case["elements"],
                "us": us,
                "noise": noise,
                "bytes": case["moved"],
            }
        )
        if not options.json:
            print(
                "%-30s\t%d\t%.2f\t%.3f\t%.0f"
                % (case["name"], case["elements"], us, noise, case["moved"] / us / 1e3),
                flush=True,
            )
        torch.cuda.empty_cache()
    if options.json:
        json.dump(
            {"torch": torch.__version__, "device": torch.cuda.get_device_name(0), "cases": rows},
            sys.stdout,
            indent=1,
        )
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
