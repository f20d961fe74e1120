#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes config/devices/jetson-*.toml: tuning tables made from data sheets of boards.
docs/tuning.md, "Model tables", explains the model and the reason of each kind of row.

    scripts/model_devices.py            writes the tables
    scripts/model_devices.py --check    fails if the files differ from what it would write
"""

import argparse
import math
import os
import sys

from kernel_resources import SHEETS, rows_of_csv

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESOURCES = os.path.join(ROOT, "scripts", "data", "kernel_resources.csv")
DEVICES = os.path.join(ROOT, "config", "devices")
REVISION = 1  # of kernels/<operation>/tuning.cpp, that the model was made for
POINTS = (1e3, 1e4, 1e5, 1e6, 1e7, 1e8)  # elements of a cost

# --- measured values that are scaled by the data sheet ---------------------------------------------------
# The H200 of docs/benchmarks/gpu.md: 132 multiprocessors of 128 lanes at 1980 MHz. A copy reaches 0.88 of the
# peak bandwidth of 4800 GB/s. The CPU beside it has 3.5 GHz.
H200_LANES, H200_MHZ, HOST_MHZ = 132 * 128, 1980.0, 3500.0
STREAMED = 0.88  # of the peak bandwidth
CPU_SHARE = 0.5  # of the streamed bandwidth, for all cores of the CPU together

# --- how many threads a multiprocessor needs ---------------------------------------------------------------
# Assumptions, not measurements: a load from memory takes this long, a thread waits for two packs of 16 bytes
# at a time, and has two independent instructions. A result of arithmetic is there after ARITHMETIC_CYCLES, by
# major compute capability. Each of four schedulers issues for one warp in a cycle.
LATENCY_US, WAITED_BYTES, INDEPENDENT = 0.8, 32, 2
ARITHMETIC_CYCLES = {5: 6, 6: 6, 7: 4, 8: 4}
SCHEDULERS, WARP = 4, 32


def lane_cycles(us, elements):
    """Lane cycles of an H200 for one element. An upper bound: the memory may have limited the time."""
    return us * 1e-6 * H200_LANES * H200_MHZ * 1e6 / elements


class Cost:
    """One class of jobs: bytes, lane cycles and CPU ns of an element, and a fixed time. `kernel`: the family
    that takes most of the time, in kernel_resources.csv."""

    def __init__(self, kernel, operation, moved, fixed_us, cycles, cpu_ns, **jobs):
        self.kernel, self.operation, self.jobs = kernel, operation, jobs
        self.moved, self.fixed_us, self.cycles, self.cpu_ns = moved, fixed_us, cycles, cpu_ns


def streaming(kernel, operation, width, reads, fixed_us, us_of_1e8, cpu_ns, **jobs):
    """`reads`: accesses of each element. `us_of_1e8`: time of an H200 for 1e8 elements of that width."""
    cycles = lane_cycles(us_of_1e8, 1e8)
    return Cost(kernel, operation, reads * width, fixed_us, cycles, cpu_ns, width=width, **jobs)


def costs():
    made = []
    for width in (1, 2, 4, 8):
        byte_us = 23.7 * width  # 1e8 elements read at the speed of a copy
        made += [
            streaming("add_packs", "add", width, 3, 5.8, 3 * byte_us, 0.1 * width),
            streaming("dot_float<dense>", "dot", width, 2, 7.0, 2 * byte_us, 0.08 * width),
            streaming(
                "reduce_float<sum, dense>",
                "reduce",
                width,
                1,
                6.7,
                1.02 * byte_us,
                0.03 * width,
                detail=(1, 2),
            ),
            streaming(
                "reduce_float<all, dense>",
                "reduce",
                width,
                1,
                12.9,
                1.15 * byte_us,
                0.035 * width + 0.04,
                detail=(2,),
            ),
            streaming(
                "filter_packs", "topk", width, 1, 22.0, 1.25 * byte_us, 0.05 * width + 0.02, detail=(1, 65)
            ),
            streaming(
                "filter_packs", "topk", width, 1, 29.0, 1.28 * byte_us, 0.06 * width + 0.15, detail=(65, 4097)
            ),
            streaming("sort_pass", "topk", width, 4, 90.0, 465.0, 0.1 * width + 1.0, detail=(4097,)),
            streaming("bracket_filter", "quantile", width, 2, 60.0, 900.0, 0.1 * width + 0.1, detail=(1, 2)),
            streaming("quantile_counts", "quantile", width, 3, 90.0, 3000.0, 3.0, detail=(2,)),
        ]
        count_ns = 0.22 if width == 1 else 0.65
        counted_us = {1: 71.5, 2: 161.8, 4: 160.1, 8: 260.8}[width]
        made += [
            streaming("count_columns", "histogram", width, 1, 18.0, counted_us, count_ns, detail=(1, 4097)),
            streaming("partition_keys", "histogram", width, 1, 30.0, 6 * counted_us, 1.5, detail=(4097,)),
            streaming("count_columns", "entropy", width, 1, 20.0, 1.15 * counted_us, count_ns),
        ]
        if width > 1:
            made.append(streaming("rowscale_sweeps", "rowscale", width, 2, 9.0, 2.03 * byte_us, 0.06 * width))
    # Images of 10240 x 10240: pixels of the window, levels, us on the H200, ns of a pixel on one CPU core.
    maps = (
        ("entropy_map_pairs", (9, 26), (2, 17), 503, 1.2),
        ("entropy_map_pairs", (26, 82), (2, 17), 677, 2.0),
        ("entropy_map_slide", (82, 441), (2, 17), 1473, 5.0),
        ("entropy_map_slide", (441,), (2, 17), 9183, 9.0),
        ("entropy_map_quads", (9, 82), (17, 257), 1981, 8.0),
        ("entropy_map_slide", (82, 441), (17, 257), 2791, 15.0),
        ("entropy_map_columns", (441,), (17, 257), 11707, 35.0),
    )
    for kernel, pixels, levels, us, cpu_ns in maps:
        cycles = lane_cycles(us, 10240.0 * 10240.0)
        made.append(Cost(kernel, "entropy_map", 5, 18.0, cycles, cpu_ns, detail=pixels, levels=levels))
    return made


# --- the model of a board ----------------------------------------------------------------------------------


def occupancies():
    """The occupancy of each family of kernels, 0..1: the middle of its instances. Keys: (family, compute
    capability)."""
    found = {}
    for row in rows_of_csv(RESOURCES):
        middle = (int(row["least_occupancy"]) + int(row["occupancy"])) / 200.0
        found[(row["kernel"], int(row["architecture"]))] = middle
    return found


class Board:
    def __init__(self, sheet, occupancy):
        self.key, self.name, self.capability = sheet["key"], sheet["name"], sheet["compute_capability"]
        self.multiprocessors, self.cores = int(sheet["multiprocessors"]), int(sheet["cpu_cores"])
        self.bytes_per_us = float(sheet["gb_per_s"]) * 1e3 * STREAMED
        self.lane_cycles_per_us = self.multiprocessors * int(sheet["lanes"]) * float(sheet["gpu_mhz"])
        # Of the fixed time of a job, half depends on the CPU and half on the GPU.
        self.slower = (HOST_MHZ / float(sheet["cpu_mhz"]) + H200_MHZ / float(sheet["gpu_mhz"])) / 2
        # The measured CPU has vectors of 32 bytes, Arm of 16.
        self.core_slower = 2 * HOST_MHZ / float(sheet["cpu_mhz"])
        self.wake_slower = HOST_MHZ / float(sheet["cpu_mhz"])

        capability = float(self.capability)
        self.architecture, self.occupancy = int(capability * 10 + 0.5), occupancy
        self.threads = int(sheet["threads_per_multiprocessor"])
        self.busy_threads = ARITHMETIC_CYCLES.get(int(capability), 0) * SCHEDULERS * WARP / INDEPENDENT

    def resident_threads(self, cost):
        """Threads of a multiprocessor at once; None where the kernels were not compiled for the board."""
        share = self.occupancy.get((cost.kernel, self.architecture))
        return None if share is None else share * self.threads

    def gpu_us(self, cost, elements):
        bytes_per_us, cycles_per_us = self.bytes_per_us, self.lane_cycles_per_us
        threads = self.resident_threads(cost)
        if threads is not None:
            waited = self.multiprocessors * threads * WAITED_BYTES / LATENCY_US
            bytes_per_us = min(bytes_per_us, waited)
            cycles_per_us *= min(1.0, threads / self.busy_threads)
        memory, arithmetic = cost.moved * elements / bytes_per_us, cost.cycles * elements / cycles_per_us
        return cost.fixed_us * self.slower + max(memory, arithmetic)

    def cpu_us(self, cost, elements):
        alone = cost.cpu_ns * elements * self.core_slower / 1e3
        shared = 5 * self.wake_slower + alone / self.cores
        memory = cost.moved * elements / (self.bytes_per_us * CPU_SHARE)
        return 0.5 * self.core_slower + max(min(alone, shared), memory)


def power_of_two_near(number, lowest, highest):
    return max(lowest, min(highest, 2 ** round(math.log2(number))))


# Each element of a sample costs a sector of memory. Each element before the cut is written as a pair and read
# about four times. The best sample is proportional to the square root of the elements.
SECTOR, PLACES, DEFAULT_SAMPLE = 32, 5, 8192
CLASSES = tuple(2**power for power in range(15, 25))  # begins of size classes
LEAST_GAIN = 0.03


def topk_bytes(sample, elements, width):
    return SECTOR * sample + PLACES * elements / sample * 5 * (8 + width)


def quantile_bytes(sample, elements, width):
    return SECTOR * sample + 5 / math.sqrt(sample) * elements * 4 * width


def sample_rows(board, operation, moved, sample_of, begin, detail, fixed_us):
    """Rows of size classes where another sample saves LEAST_GAIN. `moved`: bytes for a sample, elements
    and a width. `begin`: the shortest segment that uses a sample."""
    rows = []
    for width in (1, 2, 4, 8):
        for low in CLASSES:
            if low < begin:
                continue
            middle = low * 1.5
            sample = sample_of(middle, width)
            grown = DEFAULT_SAMPLE * (2 if low >= DEFAULT_SAMPLE << 12 else 1)
            default = min(grown, 8192 if width == 8 else 12288)
            whole_bytes = width * middle + moved(default, middle, width)
            whole_us = fixed_us * board.slower + whole_bytes / board.bytes_per_us
            saved_us = (moved(default, middle, width) - moved(sample, middle, width)) / board.bytes_per_us
            if sample == default or saved_us < LEAST_GAIN * whole_us:
                continue
            before = rows[-1] if rows else None
            if before and (before["sample"], before["width"], before["end"]) == (sample, width, low):
                before["end"] = 2 * low
                continue
            rows.append({"width": width, "begin": low, "end": 2 * low, "sample": sample})
    return [
        (
            "%s-w%d-%d" % (operation, row["width"], row["begin"]),
            "cuda",
            operation,
            {"width": row["width"], "elements": (row["begin"], row["end"]), "detail": detail},
            {"sample": row["sample"]},
        )
        for row in rows
    ]


def topk_sample(elements, width):
    return power_of_two_near(math.sqrt(PLACES * elements * 5 * (8 + width) / SECTOR), 1024, 8192)


def quantile_sample(elements, width):
    return power_of_two_near((10 * width * elements / SECTOR) ** (2 / 3), 1024, 8192)


def share_rows(board):
    """Predictions are for the measured CPU. A slower core needs less work until sharing pays."""
    share_ns = round(20000 * board.wake_slower / board.core_slower / 1000) * 1000
    return [
        ("%s-share" % operation, "cpu", operation, {}, {"share_ns": share_ns})
        for operation in ("reduce", "add", "dot", "rowscale", "histogram", "entropy", "fused")
    ]


def rows_of(board):
    topk = sample_rows(board, "topk", topk_bytes, topk_sample, 32768, (1, 65), 22.0)
    quantile = sample_rows(board, "quantile", quantile_bytes, quantile_sample, 131072, (1, 2), 60.0)
    return topk + quantile + share_rows(board)


# --- writing ------------------------------------------------------------------------------------------------


def value_text(value):
    if isinstance(value, tuple):
        return "[%s]" % ", ".join(str(each) for each in value)
    return str(value)


def class_lines(backend, operation, jobs):
    lines = ['backend = "%s"' % backend, 'operation = "%s"' % operation, "revision = %d" % REVISION]
    keys = [key for key in ("width", "elements", "detail", "levels") if key in jobs]
    return lines + ["%s = %s" % (key, value_text(jobs[key])) for key in keys]


def table_text(board):
    lines = [
        "# Written by scripts/model_devices.py from the board's data sheet.",
        "# This is a model, not a measurement: see docs/tuning.md.",
        "format = 1",
        "",
        "[device]",
        'name = "%s"' % board.name,
        'compute_capability = "%s"' % board.capability,
        "multiprocessors = %d" % board.multiprocessors,
    ]
    for name, backend, operation, jobs, policy in rows_of(board):
        lines += ["", "[[row]]", 'id = "%s"' % name] + class_lines(backend, operation, jobs)
        lines += [
            "policy = { %s }" % ", ".join("%s = %d" % entry for entry in policy.items()),
            'evidence = { provenance = "model" }',
        ]
    for cost in costs():
        for backend, time_us in (("cuda", board.gpu_us), ("cpu", board.cpu_us)):
            points = ", ".join("[%d, %.3g]" % (elements, time_us(cost, elements)) for elements in POINTS)
            lines += ["", "[[cost]]"] + class_lines(backend, cost.operation, cost.jobs)
            lines += ["points = [%s]" % points, 'evidence = { provenance = "model" }']
    return "\n".join(lines) + "\n"


def boards():
    occupancy = occupancies()
    return [Board(sheet, occupancy) for sheet in rows_of_csv(SHEETS) if sheet["table"] == "yes"]


def main():
    parser = argparse.ArgumentParser(description="Write the tuning tables of boards that were not measured.")
    parser.add_argument("--check", action="store_true", help="compare them with those that are there")
    check = parser.parse_args().check
    stale = []
    for board in boards():
        path = os.path.join(DEVICES, board.key + ".toml")
        text = table_text(board)
        if check:
            with open(path, encoding="ascii") as file:
                if file.read() != text:
                    stale.append(path)
        else:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
    if stale:
        sys.exit("scripts/model_devices.py makes other tables than these, run it: " + ", ".join(stale))


if __name__ == "__main__":
    main()
