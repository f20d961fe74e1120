#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files like those of `tegu-bench run`, computed from a small model of three made-up boards. NOTHING HERE WAS
MEASURED: every name says "fixture".

The same arguments always give the same bytes. usage: fixture_boards.py FOLDER: writes nano.json, orin.json
and desktop.json there."""

import json
import math
import os
import sys
import zlib

NAMES = ("nano", "orin", "desktop")
ORDER = (
    "copy",
    "operations",
    "occupancy",
    "scaling",
    "crossover",
    "roundtrip",
    "coldstart",
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
)


class Machine:
    """gpu, cpu: (bytes per second of memory, fixed seconds of a job)."""

    def __init__(self, key, identity, gpu, cpu, watts):
        self.key, self.identity, self.gpu, self.cpu, self.watts = key, identity, gpu, cpu, watts

    def wobble(self, *words):
        """A number from -1 to 1 that depends on the machine and the words alone."""
        return zlib.crc32(" ".join(map(str, (self.key,) + words)).encode()) / 2**31 - 1

    def seconds(self, backend, size, efficiency, *words):
        rate, fixed = self.gpu if backend == "cuda" else self.cpu
        return (fixed + size / (rate * efficiency)) * (1 + 0.04 * self.wobble(*words))


def _identity(board, cores, cpu, isa, mhz, gpu, driver, mode, memory):
    return {
        "board": board,
        "l4t": None,
        "kernel": "0.0.0-fixture",
        "driver": driver,
        "cuda_toolkit": "13.0" if gpu else None,
        "architecture": "aarch64" if isa == "neon" else "x86_64",
        "cpu": {"name": cpu, "cores": cores, "isa": isa, "max_mhz": mhz},
        "memory_bytes": memory,
        "gpu": gpu,
        "power_mode": mode,
        "fan": None,
        "tegu": {"version": "0.1.0", "commit": "fixture"},
        "tuning": {"key": "fixture" if gpu else None, "rows": 41 if gpu else 0},
        "peak": {"memory_gb_per_s": None, "provenance": "measured"},
    }


def _gpu(name, capability, multiprocessors, memory_class, mhz, memory):
    return {
        "name": name,
        "compute_capability": capability,
        "multiprocessors": multiprocessors,
        "memory_class": memory_class,
        "core_clock_mhz": mhz,
        "memory_clock_mhz": None,
        "memory_bytes": memory,
        "unusable": "",
    }


def machine(key):
    if key == "nano":
        return Machine(
            key,
            _identity(
                "Fixture Jetson N",
                4,
                "Fixture A57",
                "neon",
                1479,
                _gpu("Fixture N GPU", 53, 1, "A", 921.6, 4 << 30),
                None,
                "MAXN",
                4 << 30,
            ),
            (19e9, 60e-6),
            (6e9, 12e-6),
            7.0,
        )
    if key == "orin":
        return Machine(
            key,
            _identity(
                "Fixture Jetson O",
                6,
                "Fixture A78AE",
                "neon",
                1510,
                _gpu("Fixture O GPU", 87, 8, "B", 625, 8 << 30),
                "540.0",
                "15W",
                8 << 30,
            ),
            (57e9, 25e-6),
            (22e9, 5e-6),
            11.0,
        )
    return Machine(
        key,
        _identity("Fixture desktop", 2, "Fixture x86", "avx512", 3800, None, None, None, 16 << 30),
        None,
        (14e9, 2e-6),
        None,
    )


# operation: (efficiency on the GPU, on the CPU, bytes per element, operations per element)
OPERATIONS = {
    "reduce": (0.95, 0.98, 4, 1),
    "dot": (0.95, 0.97, 8, 2),
    "add": (0.97, 0.9, 12, 1),
    "rowscale": (0.92, 0.8, 8, 2),
    "topk": (0.8, 0.5, 4, None),
    "quantile": (0.45, 0.16, 4, None),
    "histogram": (0.85, 0.7, 1, None),
    "entropy": (0.85, 0.7, 1, None),
    "entropy_map": (0.1, 0.012, 5, 60),
}
SIZES = (10**4, 10**6, 10**7)


def _result(part, case, backend, seconds, **more):
    return dict(
        {
            "kind": "result",
            "part": part,
            "case": case,
            "operation": None,
            "backend": backend,
            "method": None,
            "axes": {},
            "seconds": float("%.6g" % seconds),
            "noise": 0.01,
            "repeats": 15,
            "bytes": None,
            "flops": None,
            "energy_j": None,
            "registers": None,
            "occupancy": None,
            "shared_bytes": None,
            "checked": True,
            "throttled": False,
            "note": "",
        },
        **more,
    )


def _size_text(size):
    return "1e%d" % round(math.log10(size))


def _backends(box):
    return ("cuda", "cpu") if box.gpu else ("cpu",)


def copies(box):
    size = 2 * (128 << 20)
    for backend in _backends(box):
        rate = (box.gpu if backend == "cuda" else box.cpu)[0]
        yield _result(
            "copy",
            "copy 128 MiB",
            backend,
            size / rate,
            operation="copy",
            axes={"elements": 128 << 20},
            bytes=size,
        )


def operations(box):
    for operation, (on_gpu, on_cpu, width, flops) in OPERATIONS.items():
        for size in SIZES:
            case = "%s %s %s" % (operation, "u8" if width == 1 else "f32", _size_text(size)) + {
                "topk": " k=10",
                "entropy_map": " 5x5",
            }.get(operation, "")
            for backend in _backends(box):
                seconds = box.seconds(
                    backend, size * width, on_gpu if backend == "cuda" else on_cpu, case, backend
                )
                axes = {"type": "u8" if width == 1 else "f32", "elements": size, "rows": 1}
                axes.update(
                    {"threads_per_block": 256}
                    if backend == "cuda"
                    else {"threads": box.identity["cpu"]["cores"]}
                )
                yield _result(
                    "operations",
                    case,
                    backend,
                    seconds,
                    operation=operation,
                    axes=axes,
                    bytes=size * width,
                    flops=None if flops is None else flops * size,
                    noise=round(0.008 + 0.006 * abs(box.wobble("noise", case)), 4),
                    energy_j=(
                        None
                        if box.watts is None
                        else float("%.4g" % (seconds * box.watts * (1.0 if backend == "cuda" else 0.7)))
                    ),
                )


def occupancy(box):
    if not box.gpu:
        return
    favourite = 128 if box.key == "nano" else 256
    for operation in ("reduce", "topk", "entropy_map"):
        for block in (32, 64, 128, 256, 512, 1024):
            off = abs(math.log2(block / favourite))
            seconds = box.seconds("cuda", 4e7, OPERATIONS[operation][0], operation, block) * (
                1 + 0.12 * off * (1 + off / 4)
            )
            yield _result(
                "occupancy",
                "%s 1e7 block %d" % (operation, block),
                "cuda",
                seconds,
                operation=operation,
                axes={"threads_per_block": block, "elements": 10**7},
                bytes=4 * 10**7,
                registers=24 + 8 * (operation == "topk"),
                occupancy=min(1.0, block / 256),
                shared_bytes=block * 4,
            )


def scaling(box):
    for operation in ("reduce", "entropy_map"):
        for threads in range(1, box.identity["cpu"]["cores"] + 1):
            speed = threads if operation == "entropy_map" else threads / (1 + 0.35 * (threads - 1))
            yield _result(
                "scaling",
                "%s 1e7" % operation,
                "cpu",
                box.seconds("cpu", 4e7, OPERATIONS[operation][1], operation, threads) * 3 / speed,
                operation=operation,
                axes={"threads": threads, "elements": 10**7},
                bytes=4 * 10**7,
            )


def crossover(box):
    for operation in ("reduce", "topk", "entropy_map"):
        on_gpu, on_cpu, width, _ = OPERATIONS[operation]
        for size in (10**3, 10**4, 10**5, 10**6, 10**7):
            for backend in _backends(box):
                yield _result(
                    "crossover",
                    "%s %s" % (operation, _size_text(size)),
                    backend,
                    box.seconds(
                        backend,
                        size * width,
                        on_gpu if backend == "cuda" else on_cpu,
                        operation,
                        size,
                        backend,
                    ),
                    operation=operation,
                    axes={"elements": size},
                    bytes=size * width,
                )


def roundtrip(box):
    for case, share in (
        ("ping", 1),
        ("sum of 1024 f32, inline", 1.3),
        ("sum of 1e6 f32, shared buffer", 6),
        ("entropy map 256 x 256", 40),
    ):
        yield _result("roundtrip", case, "cpu", box.cpu[1] * 3 * share, operation="roundtrip")


def coldstart(box):
    yield _result(
        "coldstart",
        "daemon start to first reply",
        "cpu",
        0.02 + 500 * box.cpu[1],
        operation="coldstart",
        repeats=5,
        noise=0.05,
    )
    if box.gpu:
        yield _result(
            "coldstart",
            "first job on the GPU",
            "cuda",
            0.2 + 4000 * box.gpu[1],
            operation="coldstart",
            repeats=5,
            noise=0.06,
        )


def s1(box):
    if not box.gpu:
        return
    for place, extra in (("managed, first touch", 40e6 / 2e9), ("managed, resident", 0.0)):
        for k in (5, 10, 20, 48, 96, 192, 384):
            job, axes = (
                "topk i32 1e7 k=%d distinct" % k,
                {"type": "i32", "elements": 10**7, "rows": 1, "k": k},
            )
            for block in (32, 64, 128, 256):
                if block * k * 4 > 48 << 10:
                    continue
                off = math.log2(256 / block) if box.key == "orin" else math.log2(block / 32)
                seconds = extra + 40e6 / box.gpu[0] * (1 + k**1.5 / 4) * (1 + 0.25 * off)
                yield _result(
                    "s1",
                    "%s, lists by search, %s, blocks of %d" % (job, place, block),
                    "seed",
                    seconds * (1 + 0.03 * box.wobble(k, block, place)),
                    operation="topk",
                    method="lists, each searched first",
                    axes=dict(axes, threads_per_block=block, lists="search", data=place),
                    bytes=40 * 10**6,
                )
            if extra:
                continue
            sort = 40e6 * 14 / box.gpu[0]
            yield _result(
                "s1", job + ", full sort", "seed", sort, operation="topk", method="full sort, GPU", axes=axes
            )
            own = 40e6 * 1.3 / box.gpu[0] + 1e-4
            yield _result("s1", job, "cuda", own, operation="topk", axes=dict(axes, threads_per_block=512))
    extremes = {"type": "i32", "elements": 10**7, "rows": 1, "data": "resident", "threads_per_block": 256}
    job = "reduce i32 1e7 min+max"
    case = job + ", tree and atomics, blocks of 256"
    seconds = 40e6 / box.gpu[0] * 1.3
    yield _result(
        "s1", case, "seed", seconds, operation="reduce", method="tree and two atomics", axes=extremes
    )
    yield _result(
        "s1", job, "cuda", seconds / 1.25, operation="reduce", axes=dict(extremes, threads_per_block=512)
    )


LADDER = (
    "0. atomics only",
    "1. neighboured pairs",
    "2. neighboured pairs, re-indexed",
    "3. interleaved pairs",
    "4a. 2 loads a thread",
    "4b. 4 loads a thread",
    "4c. 8 loads a thread",
    "5. last warp unrolled",
    "6. completely unrolled",
    "7. grid stride and shuffles",
)
ROWS = ("block per row", "packs of 16 bytes", "row in registers", "warp per row")


def _ladder(box, part, job, operation, steps, size, low):
    for index, step in enumerate(steps):
        share = low + (0.93 - low) * (index / (len(steps) - 1)) ** 0.8
        for block, loss in ((256, 1.0), (1024, 0.9)):
            yield _result(
                part,
                "%s, %s, blocks of %d" % (job, step, block),
                "seed",
                size / (box.gpu[0] * share * loss),
                operation=operation,
                method=step,
                bytes=size,
                registers=16 + index,
                occupancy=1.0,
                shared_bytes=4096,
                axes={"threads_per_block": block, "data": "resident"},
            )
    seconds = size / (box.gpu[0] * 0.95)
    yield _result(part, job, "cuda", seconds, operation=operation, bytes=size, axes={"data": "resident"})


def s2(box):
    return _ladder(box, "s2", "reduce f32 16777216 sum", "reduce", LADDER, 4 << 24, 0.03) if box.gpu else ()


def s3(box):
    size = 442368 * 128 * 8
    return _ladder(box, "s3", "rowscale f32 442368x128 rows", "rowscale", ROWS, size, 0.45) if box.gpu else ()


VERSIONS = (
    ("v0", "v0 plain", 1.5, 48),
    ("v1", "v1 table in registers", 2.3, 96),
    ("v3", "v3 table in constant memory", 1.2, 40),
    ("v6", "v6 8-bit counters", 1.0, 32),
)


def s4(box):
    if not box.gpu:
        return
    for side in (400, 2560):
        job, pixels = "entropy_map f32 %dx%d window=5 levels=16" % (side, side), side * side
        common = {"operation": "entropy_map", "bytes": pixels * 5, "shared_bytes": 0}
        for place in ("resident", "copied"):
            for word, title, cost, registers in VERSIONS:
                axes = {"elements": pixels, "rows": side, "data": place, "threads_per_block": 128}
                seconds = (
                    30e-6
                    + pixels * 5 / box.gpu[0] * 6 * cost
                    + (pixels * 5 / 4e9 if place == "copied" else 0)
                )
                case = "%s, %s, %s, blocks of 128" % (job, word, place)
                share = round(min(1.0, 32 / registers), 3)
                yield _result(
                    "s4",
                    case,
                    "seed",
                    seconds,
                    method=title,
                    axes=axes,
                    registers=registers,
                    occupancy=share,
                    **common,
                )
        axes = {"elements": pixels, "rows": side, "data": "resident", "threads": 4}
        seconds = 30e-6 + pixels * 45 / box.cpu[0]
        title = "v12 8-bit counters, f32 table, f64 sums"
        yield _result("s4", job + ", v12 on all threads", "seed", seconds, method=title, axes=axes, **common)


def s5(box):
    if not box.gpu:
        return
    for blocks in ("one block", "many blocks"):
        for memory in ("static", "dynamic"):
            form = "%s, %s shared memory" % (blocks, memory)
            seconds = 4e6 / box.gpu[0] * (40 if blocks == "one block" else 1.4) + 2e-5
            yield _result(
                "s5",
                "reduce f32 1e6 sum, %s, blocks of 256" % form,
                "seed",
                seconds,
                operation="reduce",
                method=form,
                axes={"threads_per_block": 256, "data": "resident"},
                bytes=4 * 10**6,
                registers=18,
                occupancy=1.0,
                shared_bytes=1024,
            )


PARTS = dict(
    copy=copies,
    operations=operations,
    occupancy=occupancy,
    scaling=scaling,
    crossover=crossover,
    roundtrip=roundtrip,
    coldstart=coldstart,
    s1=s1,
    s2=s2,
    s3=s3,
    s4=s4,
    s5=s5,
)


def conditions(box, part, began):
    index = ORDER.index(part)
    for place, after in (("before", 0.0), ("during", 12.0), ("after", 24.0)):
        warm = 1 - math.exp(-(began + after) / 120.0)
        busy = place == "during"
        yield {
            "kind": "condition",
            "part": part,
            "at": place,
            "elapsed_s": began + after,
            "temperatures_c": dict(
                {"cpu": round(38 + 22 * warm + 2 * busy, 1)},
                **({"gpu": round(36 + 20 * warm + 3 * busy, 1)} if box.gpu else {}),
            ),
            "clocks_mhz": dict(
                {"cpu": box.identity["cpu"]["max_mhz"]},
                **({"gpu": box.identity["gpu"]["core_clock_mhz"]} if box.gpu else {}),
            ),
            "power_w": None if box.watts is None else round(box.watts * (0.5 + 0.5 * busy), 1),
            "throttle": ["sw_thermal"] if box.key == "nano" and index == 10 and busy else [],
            "fan": None,
        }


def content(key, quick=False):
    box = machine(key)
    records, began = [], 0.0
    for part in ORDER:
        made = list(PARTS[part](box))
        if not made:
            records.append({"kind": "skipped", "part": part, "case": "", "reason": "no GPU"})
            continue
        before, during, after = conditions(box, part, began)
        records += [before] + made + [during, after]
        began += 26.0
    return {
        "schema": "tegu-field/1",
        "identity": box.identity,
        "options": {"minutes": 10, "operations": sorted(OPERATIONS), "quick": quick},
        "records": records,
        "finished": True,
    }


def text(key):
    return json.dumps(content(key), indent=1, ensure_ascii=False) + "\n"


def write_all(folder):
    """Paths by name."""
    paths = {}
    for name in NAMES:
        paths[name] = os.path.join(folder, name + ".json")
        with open(paths[name], "w", encoding="utf-8") as out:
            out.write(text(name))
    return paths


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_all(sys.argv[1])
