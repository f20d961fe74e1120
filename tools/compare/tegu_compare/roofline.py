# SPDX-License-Identifier: Apache-2.0
"""Roofs of a board and the kernels under them: the fastest of each case of `operations`, and the seeds where
they count bytes. The memory roof is the fastest copy of the part `copy`, per backend. The compute roof is the
multiply-adds that multiprocessors and clock allow: no run measures it."""

from dataclasses import dataclass
from typing import List, Optional

from .board import Board, Result

# f32 lanes of a multiprocessor by compute capability; two operations each per clock.
LANES = {
    53: 128,
    62: 128,
    72: 64,
    75: 64,
    80: 64,
    86: 128,
    87: 128,
    89: 128,
    90: 128,
    100: 128,
    110: 128,
    120: 128,
}


@dataclass(frozen=True)
class Roofs:
    backend: str
    bytes_per_second: Optional[float]  # measured
    flops_per_second: Optional[float]  # of clocks and multiprocessors


@dataclass(frozen=True)
class Point:
    result: Result
    share: Optional[float]  # of the memory roof

    @property
    def operation(self):
        return self.result.operation or self.result.case.split()[0]


def device_of(backend):
    """cuda or cpu: what a backend runs on. Seeds and peers are programs of the GPU."""
    return "cpu" if backend == "cpu" or backend in ("peer:numpy", "peer:scikit-image") else "cuda"


def capability(number):
    """8.7 and 87 both as 87."""
    return None if number is None else int(round(number * 10)) if number < 20 else int(number)


def peak_flops(multiprocessors, compute_capability, clock_mhz) -> Optional[float]:
    lanes = LANES.get(capability(compute_capability))
    if not lanes or not multiprocessors or not clock_mhz:
        return None
    return 2.0 * lanes * multiprocessors * clock_mhz * 1e6


def copies(board: Board, backend, reads=False):
    """Results of the part copy on a backend: those that copy, or those that only read."""
    return [
        result
        for result in board.of_part("copy")
        if device_of(result.backend) == backend
        and result.bytes_per_second
        and not result.throttled
        and result.case.startswith("read") == reads
    ]


def fastest_rate(results) -> Optional[float]:
    return max((result.bytes_per_second for result in results), default=None)


def roofs(board: Board, backend) -> Roofs:
    gpu = board.gpu or {}
    flops = None
    if backend == "cuda":
        flops = peak_flops(
            gpu.get("multiprocessors"), gpu.get("compute_capability"), gpu.get("core_clock_mhz")
        )
    return Roofs(backend, fastest_rate(copies(board, backend)), flops)


def backends_of(board: Board) -> List[str]:
    """cuda and cpu, as far as the board has kernels of them that count bytes."""
    return [backend for backend in ("cuda", "cpu") if points(board, backend)]


def points(board: Board, backend) -> List[Point]:
    """tegu's own kernels of the part `operations`."""
    roof = roofs(board, backend).bytes_per_second
    return [
        Point(result, result.bytes_per_second / roof if roof else None)
        for result in board.of_part("operations")
        if result.backend == backend and result.bytes
    ]


def seed_points(board: Board) -> List[Point]:
    roof = roofs(board, "cuda").bytes_per_second
    return [
        Point(result, result.bytes_per_second / roof if roof else None)
        for result in board.results
        if result.backend == "seed" and result.bytes
    ]
