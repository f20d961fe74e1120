# SPDX-License-Identifier: Apache-2.0
"""The tables of the seeds out of a run: the grid of S1 (k by block size) with its rivals, and the steps of S2
to S5 with the block size that suits each best."""

from dataclasses import dataclass, field
from typing import Dict, List, Tuple

from .board import Result
from .series import label_of, number_axis, varying

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
    """One for each kind of lists and each place of the data. A rival stands in every grid whose axes it does
    not contradict: a sort in memory of the GPU stands beside the lists in every memory."""
    results = [result for result in board.of_part("s1") if number_axis(result, "k")]
    cells = [result for result in results if _is_cell(result)]
    names = varying(cells, without=LAUNCH + ("k", "elements"))
    found = {}
    for result in cells:
        grid = found.setdefault(label_of(result, names), Grid(label_of(result, names)))
        key = (float(result.axes["k"]), float(result.axes["threads_per_block"]))
        if key not in grid.cells or result.seconds < grid.cells[key].seconds:
            grid.cells[key] = result
    known = {name: {str(result.axes.get(name)) for result in cells} for name in names}
    for grid in found.values() or [found.setdefault("", Grid(""))]:
        one = next(iter(grid.cells.values()), None)
        for result in results:
            if not _is_cell(result) and not _contradicts(result, one, known):
                grid.rivals.setdefault(rival_name(result), []).append((float(result.axes["k"]), result))
        grid.rivals = {name: _fastest_by_k(line) for name, line in grid.rivals.items()}
    return [grid for grid in found.values() if grid.cells or grid.rivals]


def _is_cell(result):
    return result.backend == "seed" and number_axis(result, "threads_per_block") is not None


def _contradicts(result, cell, known):
    """Whether an axis of the result has the value of other cells than this one."""
    return cell is not None and any(
        str(result.axes.get(name)) in values and str(result.axes.get(name)) != str(cell.axes.get(name))
        for name, values in known.items()
    )


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
    job: str = ""
    data: str = ""  # where the data of the job is
    beside: List[str] = field(default_factory=list)  # methods with their data elsewhere


def method_name(result):
    """A kernel of a seed by its method; tegu's and a peer's say so."""
    if result.is_tegu:
        return "tegu, GPU" if result.backend == "cuda" else "tegu, CPU"
    if result.backend.startswith("peer:"):
        return " ".join(filter(None, (result.backend[5:], result.method)))
    return result.method or result.case


def steps(boards, part) -> List[Steps]:
    """Results of all boards without an axis k, one table for each job and place of its data; of several block
    sizes the fastest counts."""
    everything = [
        (board, result) for board in boards for result in board.of_part(part) if "k" not in result.axes
    ]
    places = {}
    for _, result in everything:
        places.setdefault(_job(result), set()).add(str(result.axes.get("data", "")))
    tables = {}
    for board, result in everything:
        title = job = _job(result)
        data = str(result.axes.get("data") or "")
        if len(places[job]) > 1 and data:
            title = "%s, %s" % (job, data)
        table = tables.setdefault(title, Steps(title, [], {}, job, data))
        key = (method_name(result), board.name)
        if key not in table.results or result.seconds < table.results[key].seconds:
            table.results[key] = result
        if key[0] not in table.methods:
            table.methods.append(key[0])
    tables = _without_small(tables)
    for table in tables.values():
        table.methods.sort(key=lambda method: method.startswith("tegu, "))  # the order of the seed, then tegu
    return list(tables.values())


FEWEST = 3  # ways that make a table of their own


def _without_small(tables):
    """Tables of few ways are rows of the first table of the same job: "one thread per element, copied"."""
    kept = {}
    for title, table in tables.items():
        first = next((one for one in kept.values() if one.job == table.job), None)
        if first is None or len(table.methods) >= FEWEST:
            kept[title] = table
            continue
        for (method, board), result in table.results.items():
            name = "%s, %s" % (method, table.data)
            first.results[name, board] = result
            if name not in first.methods:
                first.methods.append(name)
                first.beside.append(name)
        first.title = first.job
    return kept


def _job(result):
    """What is computed: a case is named "JOB, HOW"."""
    return result.case.split(", ")[0].replace(" with its data", "")
