# SPDX-License-Identifier: Apache-2.0
"""The tables of the seeds out of a run: the grid of S1 (k by block size) with its rivals, and the steps of S2
to S5 with the block size that suits each best."""

from dataclasses import dataclass, field
from typing import Dict, List, Tuple

from .board import Result
from .series import axis_text, label_of, number_axis, varying

LAUNCH = ("threads_per_block", "threads", "blocks", "items_per_thread")


@dataclass
class Grid:
    """S1 in one kind of memory: cells[(k, threads per block)] of the seed's kernel; rivals: name -> [(k,
    result)]."""

    variant: str
    cells: Dict[Tuple[float, float], Result] = field(default_factory=dict)
    rivals: Dict[str, List[Tuple[float, Result]]] = field(default_factory=dict)

    @property
    def ks(self):
        return sorted({k for k, _ in self.cells})

    @property
    def blocks(self):
        return sorted({block for _, block in self.cells})

    def best(self, k):
        """(threads per block, result) of the fastest block size for k, or None."""
        found = [(result.seconds, block, result) for (one, block), result in self.cells.items() if one == k]
        return min(found)[1:] if found else None

    def best_line(self):
        return [(k, self.best(k)[1]) for k in self.ks]


def rival_name(result):
    named = {"cuda": "tegu, GPU", "cpu": "tegu, CPU"}
    if result.backend in named:
        return named[result.backend]
    return result.method or result.backend.replace("peer:", "")


def grids(board) -> List[Grid]:
    results = [result for result in board.of_part("s1") if number_axis(result, "k")]
    names = varying(results, without=LAUNCH + ("k", "elements"))
    found = {}
    for result in results:
        block = number_axis(result, "threads_per_block")
        grid = found.setdefault(label_of(result, names), Grid(label_of(result, names)))
        k = float(result.axes["k"])
        if result.backend == "seed" and block:
            held = grid.cells.get((k, float(block)))
            if held is None or result.seconds < held.seconds:
                grid.cells[k, float(block)] = result
        else:
            grid.rivals.setdefault(rival_name(result), []).append((k, result))
    everywhere = found.pop("", None) if "" in found and len(found) > 1 and not found[""].cells else None
    for grid in found.values():
        for name, line in (everywhere.rivals if everywhere else {}).items():  # of no memory in particular
            grid.rivals.setdefault(name, []).extend(line)
        grid.rivals = {name: _fastest_by_k(line) for name, line in grid.rivals.items()}
    return list(found.values())


def _fastest_by_k(line):
    found = {}
    for k, result in line:
        if k not in found or result.seconds < found[k].seconds:
            found[k] = result
    return sorted(found.items())


@dataclass
class Steps:
    """One table of S2 to S5: what is computed, and each way to do it on each board."""

    title: str
    methods: List[str]  # in the order of the seed
    results: Dict[Tuple[str, str], Result]  # (method, name of the board)


def method_name(result):
    """A kernel of a seed by its method; tegu's and a peer's say so."""
    if result.is_tegu:
        return "tegu, GPU" if result.backend == "cuda" else "tegu, CPU"
    if result.backend.startswith("peer:"):
        return " ".join(filter(None, (result.backend[5:], result.method)))
    return result.method or result.case


def steps(boards, part) -> List[Steps]:
    """Results of all boards, one table for each class of jobs; of several block sizes the fastest counts."""
    everything = [(board, result) for board in boards for result in board.of_part(part)]
    names = varying((result for _, result in everything), without=LAUNCH)
    titles = list(dict.fromkeys(_title(result, names) for _, result in everything))
    found = []
    for title in titles:
        mine = [(board, result) for board, result in everything if _title(result, names) == title]
        results = {}
        for board, result in mine:
            key = (method_name(result), board.name)
            if key not in results or result.seconds < results[key].seconds:
                results[key] = result
        methods = list(dict.fromkeys(method_name(result) for _, result in mine if not result.is_tegu))
        methods += list(dict.fromkeys(method_name(result) for _, result in mine if result.is_tegu))
        found.append(Steps(title, methods, results))
    return found


def _title(result, names):
    parts = [result.operation] + [axis_text(name, result.axes[name]) for name in names if name in result.axes]
    return ", ".join(filter(None, parts)) or result.case
