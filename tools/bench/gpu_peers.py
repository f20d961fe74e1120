#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the first GPU, at the sizes of tegu-bench gpu: by CUDA events, with inputs that rotate through
more memory than the L2 cache holds.
Tab-separated by default: case, elements, us, noise, GB/s.
   usage: gpu_peers.py [--json] [--filter PART] [--repetitions N]
Exit code 77: no PyTorch, or no GPU for it."""

import argparse
import importlib
import json
import os
import statistics
import sys

SKIPPED = 77
LIMIT_BYTES = 6 << 30  # of all inputs of a case
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu")
sys.path.insert(0, FOLDER)


def cases(torch):
    """(name, elements, shape of an input, run(x), bytes read and written); gpu/torch_peers has them"""
    for name in sorted(os.listdir(os.path.join(FOLDER, "torch_peers"))):
        if name.endswith(".py"):
            yield from importlib.import_module("torch_peers." + name[: -len(".py")]).cases(torch)


def measure(torch, elements, shape, run, repetitions):
    """(median in us, noise)"""
    l2_bytes = (
        torch.cuda.get_device_properties(0).L2_cache_size
        if hasattr(torch.cuda.get_device_properties(0), "L2_cache_size")
        else 50 << 20
    )
    size = 4 * elements
    count = max(1, min(4 * l2_bytes // size + 1, LIMIT_BYTES // size, 64))
    inputs = [torch.rand(*shape, device="cuda") for _ in range(max(2, count))]
    for turn in range(3):
        run(inputs[turn % len(inputs)])
    torch.cuda.synchronize()
    times = []
    for turn in range(repetitions):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run(inputs[turn % len(inputs)])
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
    for name, elements, shape, run, moved in cases(torch):
        if options.filter not in name:
            continue
        us, noise = measure(torch, elements, shape, run, options.repetitions)
        rows.append({"name": name, "elements": elements, "us": us, "noise": noise, "bytes": moved})
        if not options.json:
            print("%-30s\t%d\t%.2f\t%.3f\t%.0f" % (name, elements, us, noise, moved / us / 1e3), flush=True)
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
