# SPDX-License-Identifier: Apache-2.0
"""A run of one board as plain data: what a checked file holds, with missing values as None. Times are
seconds, sizes bytes, 1 GB = 1e9 B."""

import os
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from . import load, schema

TEGU_BACKENDS = ("cuda", "cpu")  # tegu's own; others are "peer:NAME" and "seed"


@dataclass(frozen=True)
class Result:
    part: str
    case: str
    backend: str
    seconds: float
    operation: str = ""
    method: str = ""
    axes: Dict[str, object] = field(default_factory=dict, hash=False)
    noise: Optional[float] = None
    repeats: Optional[int] = None
    bytes: Optional[float] = None
    flops: Optional[float] = None
    energy_j: Optional[float] = None
    registers: Optional[int] = None
    occupancy: Optional[float] = None
    shared_bytes: Optional[int] = None
    checked: Optional[bool] = None
    throttled: bool = False
    quick: bool = False  # of a run with --quick, whose times are of no use
    note: str = ""

    @property
    def key(self):
        """Names a record within its file: a later record of the same key replaces an earlier one."""
        return (
            self.part,
            self.case,
            self.backend,
            self.method,
            tuple(sorted((name, str(value)) for name, value in self.axes.items())),
        )

    @property
    def match(self):
        """The same work on another board. Methods and launch numbers of tegu's own kernels are free there:
        tuning chooses them per board."""
        return (self.part, self.case, self.backend, "" if self.is_tegu else self.method)

    @property
    def bytes_per_second(self):
        return self.bytes / self.seconds if self.bytes else None

    @property
    def ranked(self):
        return not (self.throttled or self.quick)

    @property
    def is_tegu(self):
        return self.backend in TEGU_BACKENDS


@dataclass(frozen=True)
class Condition:
    part: str
    at: str
    elapsed_s: float
    temperatures_c: Dict[str, float] = field(default_factory=dict, hash=False)
    clocks_mhz: Dict[str, float] = field(default_factory=dict, hash=False)
    power_w: Optional[float] = None
    throttle: tuple = ()
    events: Dict[str, float] = field(default_factory=dict, hash=False)  # over-current, by counter


@dataclass(frozen=True)
class Skipped:
    part: str
    case: str
    reason: str
    retry: bool = False  # for want of time: the same command measures it


@dataclass
class Board:
    path: str
    identity: dict
    options: dict
    results: List[Result]
    conditions: List[Condition]
    skipped: List[Skipped]
    finished: bool
    repeated: int = 0  # records that a later one of the same key replaced
    name: str = ""  # short and unique on the page: names.py

    def of_part(self, part):
        return [result for result in self.results if result.part == part]

    @property
    def quick(self):
        return bool(self.options.get("quick"))

    @property
    def file(self):
        """The name of its file, without its folder: a page does not show paths."""
        return os.path.basename(self.path)

    @property
    def gpu(self):
        """The GPU's part of the identity, or None without one that computes."""
        gpu = self.identity.get("gpu")
        return gpu if gpu and not gpu.get("unusable") else None

    def identity_text(self, group, name):
        """identity.GROUP.NAME as text; empty if it is missing."""
        value = (self.identity.get(group) or {}).get(name)
        return "" if value is None else str(value)


def _known(record, kind):
    """The fields of a dataclass that a record gives, without nulls."""
    given = {name: record[name] for name in kind.__dataclass_fields__ if record.get(name) is not None}
    for name in ("axes", "temperatures_c", "clocks_mhz", "events"):
        if name in given:
            given[name] = {key: value for key, value in given[name].items() if value is not None}
    if "throttle" in given:
        given["throttle"] = tuple(given["throttle"])
    return kind(**given)


def board_of(path, content):
    """content: checked by schema.check()."""
    records, options = content["records"], content.get("options") or {}
    quick = bool(options.get("quick"))
    results = [_known(dict(record, quick=quick), Result) for record in records if record["kind"] == "result"]
    latest = {result.key: result for result in results}
    return Board(
        path=path,
        identity=content["identity"],
        options=options,
        results=list(latest.values()),
        conditions=[_known(record, Condition) for record in records if record["kind"] == "condition"],
        skipped=[
            Skipped(record["part"], record.get("case") or "", record["reason"], bool(record.get("retry")))
            for record in records
            if record["kind"] == "skipped"
        ],
        finished=content["finished"],
        repeated=len(results) - len(latest),
    )


def read_board(path):
    """Raises CompareError."""
    content = load.read_json(path)
    schema.check(path, content)
    return board_of(path, content)
